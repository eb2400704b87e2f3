"""Weights are floats, and a float is an integer times a power of two: scores of weights against those of integers.

The exact formulas of the tests beside this one hold for weights, since a power of two that all
cells share changes no score that is free of scale.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from confmat import ConfusionMatrix, Labels, Stack
from confmat.metrics.catalog import metric
from confmat.metrics.declaration import Metric, catalog
from tests.exact import test_exact
from tests.laws.exactly import exactly
from tests.laws.samples import METRICS

Weights = list[list[float]]
FREE_OF_SCALE = [name for name in test_exact.EXACT if METRICS[name].scale_free]

# Enough for sums of 1e-9 and 1e9, and for what cancels in them.
DIGITS = 300
# One over a difference, which of all but independent sides is nothing but rounding.
RECIPROCALS = {"number_needed_to_diagnose": 1e3}
WIDE = st.one_of(st.just(0.0), st.sampled_from([0.1, 0.7, 1 / 3, 1.0]), st.floats(1e-9, 1e9))
NARROW = st.one_of(st.just(0.0), st.sampled_from([0.1, 0.7, 1 / 3, 1.0]), st.floats(0.1, 1000.0))


def tables(
    weights: st.SearchStrategy[float], sizes: st.SearchStrategy[int]
) -> st.SearchStrategy[Weights]:
    return sizes.flatmap(
        lambda k: st.lists(st.lists(weights, min_size=k, max_size=k), min_size=k, max_size=k)
    )


def whole(table: Weights) -> list[list[int]]:
    """The same numbers, times the least power of two that makes all of them integers."""
    shares = [[Fraction(x) for x in row] for row in table]
    bottom = max(x.denominator for row in shares for x in row)
    return [[int(x * bottom) for x in row] for row in shares]


def near_independence() -> list[Weights]:
    r, c = [0.1, 0.3, 0.7], [1.1, 0.9, 1.7]
    tables = [[[a * b for b in c] for a in r], [[0.1, 0.7], [0.1, 0.7]], [[0.1, 0.2], [0.3, 0.6]]]
    for table in tables:
        table[0][0] *= 1 + 1e-13
    return tables


NEAR = near_independence()
# Two hundred formulas for each example.
HALF = settings(max_examples=max(5, settings().max_examples // 2))


def is_close(value: float, expected: Any, error: float = 1e-12) -> bool:
    if expected is None or expected != expected:
        # One over nothing is one over its rounding, where that is allowed.
        return math.isnan(value) or (error > 1 and abs(value) > 1e15)
    if not math.isfinite(value):
        return math.isinf(value) and abs(expected) > 1e308
    return abs(Fraction(value) - Fraction(expected)) <= (1 + abs(Fraction(expected))) * Fraction(
        error
    )


def check_free_of_scale(table: Weights, scale: float = 1.0) -> None:
    assume(any(map(any, table)))
    m, integers = ConfusionMatrix([[x * scale for x in row] for row in table]), whole(table)
    for name in FREE_OF_SCALE:
        if len(table) == 1 and not test_exact.asks(name, [[1]]):
            continue
        values = np.atleast_1d(METRICS[name](m)).tolist()
        for value, exact in zip(values, test_exact.exactly(name, integers, DIGITS), strict=True):
            error = RECIPROCALS.get(name, 1e-12)
            assert is_close(value, exact, error), (name, value, exact and float(exact))
            assert error > 1 or is_within(METRICS[name], value), (name, value)


def is_within(score: Metric, value: float) -> bool:
    low, high = score.bounds
    return math.isnan(value) or ((low is None or value >= low) and (high is None or value <= high))


@HALF
@given(tables(WIDE, st.integers(1, 3)))
@example([[0.0, 1e-9], [0.1, 0.0]])
@example([[0.0, 0.1], [0.7, 0.0]])
@example([[0.0, 1e-4], [0.0, 187111.3]])
@example([[1e9, 0.0], [0.0, 1e-9]])
@example([[1e9, 1e-9, 0.0], [1e-9, 1e-7, 1e-8], [3e-9, 0.1, 0.0]])
def test_weights_of_very_different_sizes(table: Weights) -> None:
    check_free_of_scale(table)


@HALF
@given(tables(NARROW, st.integers(1, 3)), st.sampled_from([1.0, 2.0**-660, 2.0**-60, 2.0**660]))
@example(NEAR[0], 1.0)
@example(NEAR[1], 1.0)
@example(NEAR[2], 2.0**-660)
def test_weights_of_any_size(table: Weights, scale: float) -> None:
    check_free_of_scale(table, scale)


@pytest.mark.parametrize(
    "name", ["kappa", "scott_pi", "informedness", "weighted_kappa_quadratic", "goodman_kruskal_tau"]
)
@pytest.mark.parametrize("outside", ["wrong", "exclude"])
def test_weights_of_very_different_sizes_beside_answers_outside(name: str, outside: str) -> None:
    table = [[187111.3, 1e-4, 3e-5], [1e-9, 2e-7, 4.0], [2e-3, 1e-6, 0.0]]
    m = ConfusionMatrix(table, Labels(["cat", "dog"], outside=["(invalid)"]))
    values, fractions = (
        np.atleast_1d(metric(name)(m, outside=outside)),
        exactly(metric(name), m, outside=outside),
    )
    for value, exact in zip(values.tolist(), fractions.tolist(), strict=True):
        assert is_close(value, exact), (value, float(exact))


def test_only_rounding_is_clipped_to_the_bounds() -> None:
    """Alpha takes the total as a number of items: of a third of one it is greater than 1, and says so."""
    m = ConfusionMatrix([[0.1, 0.01], [0.02, 0.2]])
    assert metric("krippendorff_alpha")(m) == pytest.approx(
        float(exactly(metric("krippendorff_alpha"), m)[0])
    )
    assert metric("krippendorff_alpha")(m) > 1


def test_true_negatives_keep_their_digits_without_the_answers_outside() -> None:
    labels = Labels(["cat", "dog"], outside=["(invalid)"])
    table = [[1e9, 3.0, 1e-9], [1e-9, 1e-9, 5.0], [2.0, 0.1, 7.0]]
    m = ConfusionMatrix(table, labels)
    expected = [1e-9 / (1e-9 + 3.0), 1e9 / (1e9 + 1e-9)]
    assert metric("negative_predictive_value")(m, outside="exclude") == pytest.approx(
        expected, rel=1e-12
    )
    stacked = metric("negative_predictive_value")(Stack({"a": m, "b": m}), outside="exclude")
    np.testing.assert_allclose(stacked, [expected, expected], rtol=1e-12)


def test_means_of_both_signs_keep_their_digits() -> None:
    table = [[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1]]
    exact = test_exact.exactly("informedness", whole(table))
    mean = sum(exact, Fraction(0)) / 3
    assert is_close(metric("informedness")(ConfusionMatrix(table), average="macro"), mean)


def test_of_a_stack_only_means_in_doubt_are_computed_again_and_alike() -> None:
    rng = np.random.default_rng(3)
    for counts in (rng.random((60, 4, 4)), rng.integers(0, 9, (60, 4, 4))):
        stack = Stack({i: ConfusionMatrix(table) for i, table in enumerate(counts)})
        for options in ({}, {"weights": [1, 2, 0.5, 4]}):
            found = metric("class_mcc")(stack, average="macro", **options)
            alone = [metric("class_mcc")(stack[i], average="macro", **options) for i in stack]
            np.testing.assert_allclose(found, alone, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", catalog())
def test_weights_as_far_apart_as_floats_go_are_no_error(name: str) -> None:
    """Asked twice, a metric says the same: what was learnt of its formula changes nothing."""
    for table in (
        [[1e-300, 1e300], [1e290, 1e-10]],
        [[5e-324, 0.0], [1.0, 1e307]],
        [[1e307, 1e307], [3e306, 1e300]],
    ):
        found = [np.asarray(metric(name)(ConfusionMatrix(table))) for _ in "ab"]
        np.testing.assert_array_equal(found[0], found[1])
        metric(name)(ConfusionMatrix([[0.1, 0.2], [0.3, 0.4]]))
        np.testing.assert_array_equal(np.asarray(metric(name)(ConfusionMatrix(table))), found[0])
