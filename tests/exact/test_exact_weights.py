"""Weights are floats, and a float is an integer times a power of two: scores of weights against those of integers.

The exact formulas of the tests beside this one hold for weights, since a power of two that all
cells share changes no score that is free of scale. Scores that are not, and have neither root nor
logarithm, are held to fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import confmat.metrics as cmx
from confmat import ConfusionMatrix, Labels, Stack
from confmat.metrics.catalog import metric
from confmat.metrics.declaration import Metric, catalog
from tests.exact import (
    test_exact_agreement,
    test_exact_coefficients,
    test_exact_detection,
    test_exact_information,
    test_exact_ordinal,
    test_exact_others,
)
from tests.laws.exactly import exactly, has_fractions

Weights = list[list[float]]
Expected = Callable[[list[list[int]]], list[Any]]

# Enough for sums of 1e-9 and 1e9, and for what cancels in them.
DIGITS = 300
# One over a difference, which of all but independent sides is nothing but rounding.
RECIPROCALS = {"number_needed_to_diagnose": 1e3}
WIDE = st.one_of(st.just(0.0), st.sampled_from([0.1, 0.7, 1 / 3, 1.0]), st.floats(1e-9, 1e9))
NARROW = st.one_of(st.just(0.0), st.sampled_from([0.1, 0.7, 1 / 3, 1.0]), st.floats(0.1, 1000.0))


def of_whole(formula: Callable[[Any], Any]) -> Expected:
    return lambda table: [formula(table)]


def of_shares(formula: Callable[[Any], Any]) -> Expected:
    return lambda table: [formula(test_exact_information.Shares(table))]


def of_others(formula: Callable[[Any], Any]) -> Expected:
    return lambda table: [test_exact_others.exactly(formula, test_exact_others.Whole(table))]


def of_classes(formula: Callable[[Any], Any]) -> Expected:
    return lambda table: [
        test_exact_others.exactly(formula, test_exact_others.One(table, i))
        for i in range(len(table))
    ]


def of_detection(name: str) -> Expected:
    return lambda table: test_exact_detection.recomputed(name, table, DIGITS)


def of_coefficient(name: str) -> Expected:
    def of_table(table: list[list[int]]) -> list[Any]:
        n = sum(map(sum, table))
        fours = []
        for i, row in enumerate(table):
            a, b, c = row[i], sum(other[i] for other in table) - row[i], sum(row) - row[i]
            fours.append(test_exact_coefficients.recomputed(name, (a, b, c, n - a - b - c), DIGITS))
        return fours

    return of_table


def expectations() -> dict[str, Expected]:
    """The exact formula of every score that is free of scale."""
    every = {
        **{name: of_whole(formula) for name, formula in test_exact_agreement.EXACT.items()},
        **{name: of_whole(formula) for name, formula in test_exact_ordinal.EXACT.items()},
        **{name: of_shares(formula) for name, formula in test_exact_information.EXACT.items()},
        **{name: of_others(formula) for name, formula in test_exact_others.WHOLES.items()},
        **{name: of_classes(formula) for name, formula in test_exact_others.CLASSES.items()},
        **{name: of_detection(name) for name in test_exact_detection.EXACT},
        **{name: of_coefficient(name) for name in test_exact_coefficients.EXACT},
    }
    return {
        name: formula for name, formula in every.items() if cmx.parse_score(name).metric.scale_free
    }


EXPECTED = expectations()


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


def is_close(value: float, expected: Any, error: float = 1e-12) -> bool:
    if expected is None or expected != expected:
        # One over nothing is one over its rounding, where that is allowed.
        return math.isnan(value) or (error > 1 and abs(value) > 1e15)
    if not math.isfinite(value):
        return math.isinf(value) and abs(expected) > 1e308
    return abs(Fraction(value) - Fraction(expected)) <= (1 + abs(Fraction(expected))) * Fraction(
        error
    )


def check_free_of_scale(
    table: Weights, scale: float = 1.0, exceptions: dict[str, float] | None = None
) -> None:
    assume(any(map(any, table)))
    m, integers = ConfusionMatrix([[x * scale for x in row] for row in table]), whole(table)
    for name, formula in EXPECTED.items():
        score = cmx.parse_score(name).metric
        values = np.atleast_1d(score(m)).tolist()
        with localcontext() as context:
            context.prec = DIGITS
            expected = formula(integers)
        for value, exact in zip(values, expected, strict=True):
            assert is_close(value, exact, (exceptions or {}).get(name, 1e-12)), (
                name,
                value,
                exact and float(exact),
            )
            if name not in (exceptions or {}):
                assert is_within(score, value), (name, value)


def is_within(score: Metric, value: float) -> bool:
    low, high = score.bounds
    return math.isnan(value) or ((low is None or value >= low) and (high is None or value <= high))


@given(tables(WIDE, st.integers(1, 3)))
@example([[0.0, 1e-9], [0.1, 0.0]])
@example([[0.0, 0.1], [0.7, 0.0]])
@example([[0.0, 1e-4], [0.0, 187111.3]])
@example([[1e9, 0.0], [0.0, 1e-9]])
@example([[1e9, 1e-9, 0.0], [1e-9, 1e-7, 1e-8], [3e-9, 0.1, 0.0]])
def test_weights_of_very_different_sizes(table: Weights) -> None:
    check_free_of_scale(table, exceptions=RECIPROCALS)


@given(tables(NARROW, st.integers(1, 3)), st.sampled_from([1.0, 2.0**-660, 2.0**-60, 2.0**660]))
@example(NEAR[0], 1.0)
@example(NEAR[1], 1.0)
@example(NEAR[2], 2.0**-660)
def test_weights_of_any_size(table: Weights, scale: float) -> None:
    check_free_of_scale(table, scale, exceptions=RECIPROCALS)


@pytest.mark.parametrize(
    "name",
    [name for name, each in catalog().items() if each.unit != "items" and has_fractions(each)],
)
def test_rational_scores_of_weights_are_their_fractions(name: str) -> None:
    rng = np.random.default_rng(7)
    score = metric(name)
    # Products of very large or small numbers of items leave the range of floats; shares of them do
    # not.
    scales = [0, -660, 660] if score.scale_free else [0]
    for low, high in ((-9, 9), (-3, 3), (-1, 1), (-13, -12)):
        for size in (1, 2, 3, 4):
            table = 10 ** rng.uniform(low, high, (size, size))
            table[rng.random((size, size)) < 0.2] = 0
            expected = exactly(score, ConfusionMatrix(table)).tolist()
            for scale in scales:
                values = np.atleast_1d(score(ConfusionMatrix(table * 2.0**scale))).tolist()
                for value, exact in zip(values, expected, strict=True):
                    assert is_close(value, exact), (value, float(exact), table)


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


@given(st.lists(tables(NARROW, st.just(3)), min_size=1, max_size=4))
def test_stacks_of_weights(members: list[Weights]) -> None:
    matrices = {i: ConfusionMatrix(table) for i, table in enumerate(members)}
    stack = Stack(matrices)
    for name in ("mcc", "kappa", "scott_pi", "multiclass_peirce", "gwet_ac1"):
        assert np.allclose(
            metric(name)(stack),
            [metric(name)(m) for m in matrices.values()],
            1e-12,
            1e-12,
            equal_nan=True,
        )
    for name in ("class_mcc", "informedness", "class_kappa", "yule_q"):
        found = metric(name)(stack)
        for i, m in matrices.items():
            assert np.allclose(found[i], metric(name)(m), 1e-12, 1e-12, equal_nan=True), name


def test_means_of_both_signs_keep_their_digits() -> None:
    table = [[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1]]
    exact = test_exact_detection.recomputed("informedness", whole(table))
    mean = sum(map(Fraction, exact), Fraction(0)) / 3  # type: ignore[arg-type]
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
