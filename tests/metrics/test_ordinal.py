"""Ordered classes: errors by their distance, on places or a scale."""

from __future__ import annotations

import math

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


def test_a_scale_that_does_not_fit() -> None:
    with pytest.raises(MetricError, match="one number per class: 3, not 2"):
        cmx.on_scale("mean_error", (1, 2))(M)
    with pytest.raises(MetricError, match="no number for 'high'"):
        cmx.on_scale("mean_error", {"low": 1, "middle": 2})(M)


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


def test_the_errors_of_scikit_learn_are_those_of_the_labels_as_numbers() -> None:
    m = count([1, 2, 5, 5, 4], [1, 5, 5, 2, 4])
    assert cmx.metric("sklearn:mean_absolute_error")(m) == (3 + 3) / 5
    assert cmx.metric("sklearn:mean_squared_error")(m) == (9 + 9) / 5
    assert cmx.metric("sklearn:root_mean_squared_error")(m) == pytest.approx(math.sqrt(18 / 5))
