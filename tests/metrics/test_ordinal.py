"""Ordered classes: errors by their distance, on places or a scale."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix, count
from confmat.core.errors import BudgetError, MetricError

M = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["low", "middle", "high"])
ORDERED = (
    "gerrity_score",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ordinal",
    "weighted_kappa_linear",
    "weighted_kappa_quadratic",
)


def test_errors_in_places() -> None:
    one, two = 1 + 6 + 2 + 0, 1 + 3
    assert cmx.mean_absolute_error(M) == (one + 2 * two) / 25
    assert cmx.mean_squared_error(M) == (one + 4 * two) / 25
    assert cmx.root_mean_squared_error(M) == math.sqrt((one + 4 * two) / 25)
    assert cmx.mean_error(M) == (1 + 2 + 2 * 1 - 6 - 2 * 3) / 25
    assert cmx.within_one_accuracy(M) == (12 + one) / 25
    assert cmx.macro_mean_absolute_error(M) == pytest.approx(((1 + 2) / 6 + (6 + 2) / 10 + 2 * 3 / 9) / 3)


def test_errors_on_a_scale() -> None:
    by_place = cmx.on_scale("mean_absolute_error", (1, 2, 5))
    by_name = cmx.on_scale("mean_absolute_error", {"high": 5, "low": 1, "middle": 2})
    expected = Fraction(1 * (1 + 6) + 3 * (2 + 0) + 4 * (1 + 3), 25)
    assert by_place(M, exact=True) == by_name(M, exact=True) == expected
    assert by_place(M) == float(expected)
    tenths = cmx.on_scale("mean_error", (0.1, 0.2, 0.5))
    assert tenths(M, exact=True) == Fraction(1 * (1 - 6) + 3 * (2 - 0) + 4 * (1 - 3), 250)
    assert cmx.within(3, values=(1, 2, 5))(M) == (25 - 4) / 25


def test_places_are_the_scale_by_default() -> None:
    for name in ("mean_squared_error", "krippendorff_alpha_interval", "macro_mean_absolute_error"):
        assert cmx.on_scale(name, (0, 1, 2))(M) == pytest.approx(cmx.metric(name)(M))


def test_a_scale_that_does_not_fit() -> None:
    with pytest.raises(MetricError, match="one number per class: 3, not 2"):
        cmx.on_scale("mean_error", (1, 2))(M)
    with pytest.raises(MetricError, match="no number for 'high'"):
        cmx.on_scale("mean_error", {"low": 1, "middle": 2})(M)
    with pytest.raises(MetricError, match="values"):
        cmx.on_scale("mean_error", ("a", "b", "c"))
    with pytest.raises(MetricError, match="on_scale"):
        cmx.on_scale("recall", (1, 2, 3))


def test_order_matters_only_to_ordinal_metrics() -> None:
    turned = M.reorder(["middle", "low", "high"])
    assert cmx.kappa(turned) == pytest.approx(cmx.kappa(M))
    assert cmx.mean_absolute_error(turned) != cmx.mean_absolute_error(M)
    assert cmx.weighted_kappa_linear(turned) != pytest.approx(cmx.weighted_kappa_linear(M))


def test_krippendorff_interval_by_its_definition() -> None:
    values = [v for v, n in zip(range(3), (6 + 13, 10 + 3, 9 + 9), strict=True) for _ in range(n)]
    within = sum(2 * x * (i - j) ** 2 for i, row in enumerate(M.counts.tolist()) for j, x in enumerate(row))
    among = sum((a - b) ** 2 for a in values for b in values)
    assert cmx.krippendorff_alpha_interval(M, exact=True) == 1 - Fraction(49 * within, among)


def test_krippendorff_ordinal_of_two_classes_is_nominal() -> None:
    m = ConfusionMatrix([[8, 2], [3, 7]])
    assert cmx.krippendorff_alpha_ordinal(m, exact=True) == cmx.krippendorff_alpha(m, exact=True)
    assert cmx.krippendorff_alpha_interval(m, exact=True) == cmx.krippendorff_alpha(m, exact=True)


def test_krippendorff_ordinal_by_its_definition() -> None:
    k, both = 3, M.counts + M.counts.T
    values = both.sum(axis=1).tolist()

    def apart(i: int, j: int) -> Fraction:
        low, high = min(i, j), max(i, j)
        return (sum(values[low : high + 1]) - Fraction(values[low] + values[high], 2)) ** 2

    pairs = [(i, j) for i in range(k) for j in range(k)]
    observed = Fraction(sum(int(both[i, j]) * apart(i, j) for i, j in pairs), sum(values))
    expected = Fraction(sum(values[i] * values[j] * apart(i, j) for i, j in pairs), sum(values) * (sum(values) - 1))
    assert cmx.krippendorff_alpha_ordinal(M, exact=True) == 1 - observed / expected


@pytest.mark.parametrize("scale", [1, 10**3, 10**7])
@pytest.mark.parametrize("classes", [2, 5, 30])
@pytest.mark.parametrize("name", ORDERED)
def test_scores_near_chance_are_right_to_twelve_digits(name: str, classes: int, scale: int) -> None:
    metric = cmx.metric(name)
    rng = np.random.default_rng(classes)
    rows, cols = rng.integers(1, 50, (2, classes))
    counts = scale * np.outer(rows, cols) + rng.integers(0, 2, (classes, classes))
    for table in (counts, counts / 7):
        m = ConfusionMatrix(table)
        assert metric(m) == pytest.approx(float(metric(m, exact=True)), rel=1e-12, abs=1e-12)


def test_weighted_kappas_by_hand() -> None:
    seen = 9 + 2 * 4
    chance = Fraction(6 * 3 + 10 * 13 + 10 * 9 + 9 * 3 + 2 * (6 * 9 + 9 * 13), 25)
    assert cmx.weighted_kappa("linear")(M, exact=True) == 1 - seen / chance
    seen, chance = 9 + 4 * 4, Fraction(6 * 3 + 10 * 13 + 10 * 9 + 9 * 3 + 4 * (6 * 9 + 9 * 13), 25)
    assert cmx.weighted_kappa(2)(M, exact=True) == 1 - seen / chance
    assert cmx.weighted_kappa(2).name == "weighted_kappa_quadratic"


def test_gerrity_of_two_classes_is_peirce() -> None:
    m = ConfusionMatrix([[8, 2], [3, 7]])
    assert cmx.gerrity_score(m, exact=True) == cmx.multiclass_peirce(m, exact=True)


def test_gerrity_of_three_classes() -> None:
    # Odds of lying above the first and above the second class: 19 to 6, 9 to 16.
    a, b = Fraction(19, 6), Fraction(9, 16)
    score = [[a + b, b - 1, Fraction(-2)], [b - 1, 1 / a + b, 1 / a - 1], [Fraction(-2), 1 / a - 1, 1 / a + 1 / b]]
    expected = sum(x * score[i][j] for i, row in enumerate(M.counts.tolist()) for j, x in enumerate(row)) / (25 * 2)
    assert cmx.gerrity_score(M, exact=True) == expected
    assert cmx.gerrity_score(ConfusionMatrix([[3, 0, 0], [0, 4, 0], [0, 0, 5]])) == pytest.approx(1)
    for table in ([[0, 0, 0], [1, 2, 0], [0, 1, 2]], [[1, 2, 0], [0, 1, 2], [0, 0, 0]], [[4]]):
        assert math.isnan(cmx.gerrity_score(ConfusionMatrix(table)))


def test_outside_answers_have_no_distance() -> None:
    m = ConfusionMatrix([[4, 1, 1], [1, 3, 2], [0, 0, 0]], labels=["a", "b"], outside=["(abstained)"])
    inside = m.select(["a", "b"])
    for metric in (
        cmx.mean_absolute_error,
        cmx.weighted_kappa_linear,
        cmx.krippendorff_alpha_ordinal,
        cmx.gwet_ac2("linear"),
    ):
        assert metric(m) == pytest.approx(metric(inside))


def test_a_table_of_all_distances_has_a_budget() -> None:
    large = ConfusionMatrix.from_pairs({(0, 5999): 1, (1, 1): 2}, labels=range(6000))
    assert cmx.weighted_kappa("linear")(large) < 1
    with pytest.raises(BudgetError, match="6,000"):
        cmx.weighted_kappa(3)(large)


def test_degenerate_tables() -> None:
    for table in ([[5, 0], [0, 0]], [[0, 0], [0, 0]]):
        for metric in (cmx.weighted_kappa_linear, cmx.krippendorff_alpha_ordinal, cmx.krippendorff_alpha_interval):
            assert math.isnan(metric(ConfusionMatrix(table)))
    assert cmx.mean_absolute_error(ConfusionMatrix([[7]])) == 0


def test_the_errors_of_scikit_learn_are_those_of_the_labels_as_numbers() -> None:
    m = count([1, 2, 5, 5, 4], [1, 5, 5, 2, 4])
    assert cmx.metric("sklearn:mean_absolute_error")(m) == (3 + 3) / 5
    assert cmx.metric("sklearn:mean_squared_error")(m) == (9 + 9) / 5
    assert cmx.metric("sklearn:root_mean_squared_error")(m) == pytest.approx(math.sqrt(18 / 5))
