"""Weights are floats, and a float is an integer times a power of two: scores of weights against those of integers.

The results of the other exact tests hold for weights, since a power of two that all cells share changes
none of these metrics. Their margins are sums that floats would round.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from confmat import ConfusionMatrix, Stack
from confmat.metrics.catalog import metric
from confmat.metrics.declaration import catalog
from tests.exact import test_exact_agreement, test_exact_coefficients, test_exact_detection

Weights = list[list[float]]

# Free of scale; neither logarithms nor what is divided by a difference that may be nothing but rounding.
LOGARITHMS = ("log_", "information_score", "multiclass_g_mean", "goodall", "number_needed_to_diagnose")
WHOLES = [name for name in test_exact_agreement.EXACT if metric(name).scale_free and not name.startswith(LOGARITHMS)]
CLASSES = [name for name in test_exact_detection.EXACT if metric(name).scale_free and not name.startswith(LOGARITHMS)]
FOURS = [name for name in test_exact_coefficients.EXACT if metric(name).scale_free and not name.startswith(LOGARITHMS)]

# Enough for sums of 1e-300 and 1e300.
DIGITS = 1500
# No weight is drawn that is a billionth of another: where chance agreement is 1 but for that share, floats keep of
# its complement no more than a few digits.
WEIGHT = st.one_of(
    st.just(0.0),
    st.sampled_from([0.1, 0.7, 1 / 3, 1.0]),
    st.floats(0.001, 1000.0),
)


def drawn(sizes: st.SearchStrategy[int]) -> st.SearchStrategy[Weights]:
    return sizes.flatmap(lambda k: st.lists(st.lists(WEIGHT, min_size=k, max_size=k), min_size=k, max_size=k))


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


def close(found: float, expected: Any) -> bool:
    if expected is None:
        return math.isnan(found)
    if math.isinf(found):
        return abs(expected) > 1e308
    return abs(Fraction(found) - Fraction(expected)) <= (1 + abs(Fraction(expected))) * Fraction(1, 10**12)


def within(name: str, found: float) -> bool:
    low, high = metric(name).bounds
    return math.isnan(found) or ((low is None or found >= low) and (high is None or found <= high))


@given(drawn(st.integers(1, 4)))
@example([[0.0, 1e-9], [0.1, 0.0]])
@example([[0.0, 0.1], [0.7, 0.0]])
@example([[1e-300, 1e300], [1e300, 1e-300]])
@example(NEAR[0])
@example(NEAR[1])
@example(NEAR[2])
def test_of_the_whole(table: Weights) -> None:
    m, integers = ConfusionMatrix(table), whole(table)
    for name in WHOLES:
        found = metric(name)(m)
        expected = test_exact_agreement.EXACT[name](integers) if any(map(any, table)) else None
        assert close(found, expected), (name, found, expected and float(expected))
        assert within(name, found), (name, found)


@given(drawn(st.integers(1, 4)))
@example(NEAR[0])
@example(NEAR[1])
def test_of_a_class(table: Weights) -> None:
    m, integers = ConfusionMatrix(table), whole(table)
    for name in CLASSES:
        for found, expected in zip(
            metric(name)(m), test_exact_detection.recomputed(name, integers, DIGITS), strict=True
        ):
            assert close(found, expected), (name, found, expected and float(expected))
            assert within(name, found), (name, found)


@given(drawn(st.just(2)))
@example(NEAR[1])
@example(NEAR[2])
def test_of_the_coefficients(table: Weights) -> None:
    m, ((a, c), (b, d)) = ConfusionMatrix(table), whole(table)
    for name in FOURS:
        found, expected = metric(name)(m)[0], test_exact_coefficients.recomputed(name, (a, b, c, d), DIGITS)
        assert close(found, expected), (name, found, expected and float(expected))
        assert within(name, found), (name, found)


@given(st.lists(drawn(st.just(3)), min_size=1, max_size=4))
def test_of_a_stack(tables: list[Weights]) -> None:
    matrices = {i: ConfusionMatrix(table) for i, table in enumerate(tables)}
    stack = Stack(matrices)
    for name in ("mcc", "kappa", "scott_pi", "multiclass_peirce", "gwet_ac1"):
        assert np.allclose(metric(name)(stack), [metric(name)(m) for m in matrices.values()], 1e-12, 0, equal_nan=True)
    for name in ("class_mcc", "informedness", "class_kappa", "yule_q"):
        found = metric(name)(stack)
        for i, m in matrices.items():
            assert np.allclose(found[i], metric(name)(m), 1e-12, 0, equal_nan=True), name


@given(drawn(st.integers(2, 3)), st.sampled_from([2.0**-900, 2.0**-60, 2.0**300]))
def test_a_power_of_two_changes_nothing(table: Weights, scale: float) -> None:
    cells = [x for row in table for x in row if x]
    if cells and (min(cells) * scale < 1e-280 or max(cells) * scale > 1e280):
        return
    scaled = ConfusionMatrix([[x * scale for x in row] for row in table])
    for name in ("mcc", "kappa", "class_mcc", "accuracy", "f1", "scott_pi"):
        assert np.allclose(metric(name)(scaled), metric(name)(ConfusionMatrix(table)), 1e-12, 0, equal_nan=True), name


@pytest.mark.parametrize("name", ["kappa", "scott_pi", "informedness", "class_kappa", "specificity", "accuracy"])
def test_exact_is_the_fraction_of_the_weights(name: str) -> None:
    """Not of their rounded sums; 0.1 is the float that it is."""
    table = [[0.1, 0.7, 1e-9], [1 / 3, 2.5, 0.0], [0.2, 0.2, 1e12]]
    found, integers = metric(name)(ConfusionMatrix(table), exact=True), whole(table)
    if metric(name).kind == "matrix":
        assert found == test_exact_agreement.EXACT[name](integers)
    else:
        assert found.tolist() == test_exact_detection.recomputed(name, integers)


def test_means_of_both_signs_keep_their_digits() -> None:
    table = [[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1]]
    exact = test_exact_detection.recomputed("informedness", whole(table))
    mean = sum(map(Fraction, exact), Fraction(0)) / 3  # type: ignore[arg-type]
    assert close(metric("informedness")(ConfusionMatrix(table), average="macro"), mean)


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
    for table in ([[1e-300, 1e300], [1e290, 1e-10]], [[5e-324, 0.0], [1.0, 1e307]], [[1e307, 1e307], [3e306, 1e300]]):
        found = [np.asarray(metric(name)(ConfusionMatrix(table))) for _ in "ab"]
        np.testing.assert_array_equal(found[0], found[1])
        metric(name)(ConfusionMatrix([[0.1, 0.2], [0.3, 0.4]]))
        np.testing.assert_array_equal(np.asarray(metric(name)(ConfusionMatrix(table))), found[0])
