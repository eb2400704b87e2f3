"""Accuracies, means of rates and baselines: each by its own name, with the numbers of those who use it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix
from confmat.core.errors import MetricError

DATA = Path(__file__).parent.parent / "data"
ONEDAL: list[dict[str, Any]] = json.loads(
    (DATA / "onedal_reference.json").read_text(encoding="utf-8")
)["cases"]

ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
# Class 2 is never predicted, class 3 occurs only as a prediction.
UNEVEN = ConfusionMatrix([[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]])


def test_accuracy_is_what_micro_averages_and_weighted_recall_are() -> None:
    accuracy = cmx.accuracy(ANIMALS)
    assert cmx.recall(ANIMALS, average="micro") == accuracy
    assert cmx.precision(ANIMALS, average="micro") == accuracy
    assert cmx.f1(ANIMALS, average="micro") == accuracy
    assert cmx.f_beta(3)(ANIMALS, average="micro") == pytest.approx(accuracy)
    assert cmx.recall(ANIMALS, average="weighted") == pytest.approx(accuracy)


def test_average_accuracy_counts_empty_classes() -> None:
    wider = ConfusionMatrix([[4, 1, 0], [1, 4, 0], [0, 0, 0]])
    assert cmx.average_accuracy(wider) == pytest.approx(1 - 2 * (2 / 10) / 3, rel=1e-15)
    assert cmx.average_accuracy.depends_on_k


@pytest.mark.parametrize("case", ONEDAL, ids=[f"case{i}" for i in range(len(ONEDAL))])
def test_the_eight_metrics_of_onedal(case: dict[str, Any]) -> None:
    m, theirs, beta = ConfusionMatrix(case["matrix"]), case["metrics"], case["beta"]
    ours = {
        "averageAccuracy": cmx.average_accuracy(m),
        "errorRate": cmx.average_error_rate(m),
        "microPrecision": cmx.precision(m, average="micro"),
        "microRecall": cmx.recall(m, average="micro"),
        "microFscore": cmx.f_beta(beta)(m, average="micro"),
    }
    # A class that never occurs, or is never predicted, is NaN there, and so is every mean.
    if np.all(m.actual_totals > 0):
        ours["macroRecall"] = cmx.balanced_accuracy(m)
    if np.all(m.actual_totals > 0) and np.all(m.predicted_totals > 0):
        ours["macroPrecision"] = cmx.precision(m, average="macro")
        ours["macroFscore"] = cmx.f_of_macro(beta)(m)
    for name, value in ours.items():
        assert value == pytest.approx(theirs[name], rel=1e-12), name


def test_both_macro_f_scores() -> None:
    assert "f_beta(beta)(m, average=" in (cmx.f1_of_macro.__doc__ or "")
    assert cmx.f_of_macro(1) is cmx.f1_of_macro


def test_f_of_macro_without_a_hit_is_nothing() -> None:
    assert cmx.f1_of_macro(ConfusionMatrix([[0, 3], [2, 0]])) == 0
    assert math.isnan(cmx.f1_of_macro(ConfusionMatrix([[0, 0], [0, 0]])))
    assert cmx.f_of_macro(0)(ANIMALS) == pytest.approx((4 / 13 + 2 / 3 + 6 / 9) / 3)
    with pytest.raises(MetricError, match="beta"):
        cmx.f_of_macro(-1)


def test_balanced_accuracy_in_its_three_meanings() -> None:
    # Recall is 1/2, 1 and 0 for the classes that occur.
    assert cmx.balanced_accuracy(UNEVEN) == (1 / 2 + 1 + 0) / 3
    # torchmetrics also counts class 3, which was only predicted.
    assert cmx.seen_balanced_accuracy(UNEVEN) == (1 / 2 + 1 + 0 + 0) / 4
    # Specificity is 3/4, 3/4 and 1.
    areas = [(1 / 2 + 3 / 4) / 2, (1 + 3 / 4) / 2, (0 + 1) / 2]
    assert cmx.one_vs_rest_balanced_accuracy(UNEVEN) == sum(areas) / 3
    assert cmx.weighted_one_vs_rest_balanced_accuracy(UNEVEN) == pytest.approx(sum(areas) / 3)
    assert cmx.metric("sklearn:balanced_accuracy_score") is cmx.balanced_accuracy


def test_the_three_agree_for_two_classes() -> None:
    m = ConfusionMatrix([[8, 2], [3, 7]])
    assert cmx.balanced_accuracy(m) == (8 / 10 + 7 / 10) / 2
    assert cmx.seen_balanced_accuracy(m) == cmx.balanced_accuracy(m)
    assert cmx.one_vs_rest_balanced_accuracy(m) == cmx.balanced_accuracy(m)


def test_outside_answers_are_wrong_or_excluded() -> None:
    m = ConfusionMatrix(
        [[4, 1, 1], [1, 3, 2], [0, 0, 0]], labels=["a", "b"], outside=["(abstained)"]
    )
    assert cmx.accuracy(m) == 7 / 12
    assert cmx.accuracy(m, outside="exclude") == 7 / 9
    assert cmx.balanced_accuracy(m) == (4 / 6 + 3 / 6) / 2
    assert cmx.balanced_accuracy(m, outside="exclude") == (4 / 5 + 3 / 4) / 2
    # One versus rest: class a has 1 false positive and 2 misses, class b 1 and 3.
    assert cmx.average_accuracy(m) == (9 + 8) / (2 * 12)


def test_disagreement_has_two_parts() -> None:
    parts = cmx.quantity_disagreement(ANIMALS) + cmx.allocation_disagreement(ANIMALS)
    assert parts == pytest.approx(cmx.error_rate(ANIMALS), rel=1e-15)


def test_accuracy_p_value_at_the_edges() -> None:
    assert cmx.accuracy_p_value(ConfusionMatrix([[0, 1], [1, 0]])) == 1
    assert math.isnan(cmx.accuracy_p_value(ConfusionMatrix([[0, 0], [0, 0]])))
    assert 0 <= cmx.accuracy_p_value(ConfusionMatrix([[500_100, 1], [499_000, 900]])) <= 1


@pytest.mark.parametrize(
    "metric",
    [cmx.accuracy, cmx.balanced_accuracy, cmx.f1_of_macro, cmx.one_vs_rest_balanced_accuracy],
)
def test_the_extremes(metric: Any) -> None:
    assert metric(ConfusionMatrix([[3, 0], [0, 2]])) == 1
    assert metric(ConfusionMatrix([[0, 3], [2, 0]])) == 0
    assert math.isnan(metric(ConfusionMatrix([[0, 0], [0, 0]])))
