"""Ordered classes: errors by their distance, on places or a scale."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix, count
from confmat.core.errors import BudgetError, MetricError
from tests.laws.exactly import exactly

M = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["low", "middle", "high"])
ORDERED = (
    "gerrity_score",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ordinal",
    "weighted_kappa_linear",
    "weighted_kappa_quadratic",
)


def test_errors_on_a_scale() -> None:
    by_place = cmx.on_scale("mean_absolute_error", (1, 2, 5))
    by_name = cmx.on_scale("mean_absolute_error", {"high": 5, "low": 1, "middle": 2})
    expected = Fraction(1 * (1 + 6) + 3 * (2 + 0) + 4 * (1 + 3), 25)
    assert by_place(M) == by_name(M) == float(expected)
    tenths = cmx.on_scale("mean_error", (0.1, 0.2, 0.5))
    assert tenths(M) == pytest.approx((1 * (1 - 6) + 3 * (2 - 0) + 4 * (1 - 3)) / 250, rel=1e-14)
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


def test_krippendorff_ordinal_of_two_classes_is_nominal() -> None:
    m = ConfusionMatrix([[8, 2], [3, 7]])
    assert cmx.krippendorff_alpha_ordinal(m) == pytest.approx(cmx.krippendorff_alpha(m), rel=1e-14)
    assert cmx.krippendorff_alpha_interval(m) == pytest.approx(cmx.krippendorff_alpha(m), rel=1e-14)


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
        assert metric(m) == pytest.approx(float(exactly(metric, m)[0]), rel=1e-12, abs=1e-12)


def test_a_power_has_the_name_of_its_weights() -> None:
    assert cmx.weighted_kappa(2).name == "weighted_kappa_quadratic"


def test_gerrity_of_two_classes_is_peirce() -> None:
    m = ConfusionMatrix([[8, 2], [3, 7]])
    assert cmx.gerrity_score(m) == pytest.approx(cmx.multiclass_peirce(m), rel=1e-14)


def test_gerrity_at_the_edges() -> None:
    assert cmx.gerrity_score(ConfusionMatrix([[3, 0, 0], [0, 4, 0], [0, 0, 5]])) == pytest.approx(1)
    for table in ([[0, 0, 0], [1, 2, 0], [0, 1, 2]], [[1, 2, 0], [0, 1, 2], [0, 0, 0]], [[4]]):
        assert math.isnan(cmx.gerrity_score(ConfusionMatrix(table)))


def test_outside_answers_have_no_distance() -> None:
    m = ConfusionMatrix(
        [[4, 1, 1], [1, 3, 2], [0, 0, 0]], labels=["a", "b"], outside=["(abstained)"]
    )
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
        for metric in (
            cmx.weighted_kappa_linear,
            cmx.krippendorff_alpha_ordinal,
            cmx.krippendorff_alpha_interval,
        ):
            assert math.isnan(metric(ConfusionMatrix(table)))
    assert cmx.mean_absolute_error(ConfusionMatrix([[7]])) == 0


def test_the_errors_of_scikit_learn_are_those_of_the_labels_as_numbers() -> None:
    m = count([1, 2, 5, 5, 4], [1, 5, 5, 2, 4])
    assert cmx.metric("sklearn:mean_absolute_error")(m) == (3 + 3) / 5
    assert cmx.metric("sklearn:mean_squared_error")(m) == (9 + 9) / 5
    assert cmx.metric("sklearn:root_mean_squared_error")(m) == pytest.approx(math.sqrt(18 / 5))
