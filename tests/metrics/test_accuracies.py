"""Accuracies, means of rates and baselines: each by its own name, with the numbers of those who use it."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix
from confmat.core.errors import MetricError

DATA = Path(__file__).parent.parent / "data"
ONEDAL: list[dict[str, Any]] = json.loads((DATA / "onedal_reference.json").read_text(encoding="utf-8"))["cases"]

ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
# Class 2 is never predicted, class 3 occurs only as a prediction.
UNEVEN = ConfusionMatrix([[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]])


def test_accuracy_is_the_share_of_hits() -> None:
    assert cmx.accuracy(ANIMALS) == (4 + 2 + 6) / 25
    assert cmx.error_rate(ANIMALS) == (25 - 12) / 25
    assert cmx.error_count(ANIMALS) == 25 - 12
    assert cmx.accuracy(ANIMALS, exact=True) == Fraction(12, 25)


def test_accuracy_is_what_micro_averages_and_weighted_recall_are() -> None:
    accuracy = cmx.accuracy(ANIMALS)
    assert cmx.recall(ANIMALS, average="micro") == accuracy
    assert cmx.precision(ANIMALS, average="micro") == accuracy
    assert cmx.f1(ANIMALS, average="micro") == accuracy
    assert cmx.f_beta(3)(ANIMALS, average="micro") == pytest.approx(accuracy)
    assert cmx.recall(ANIMALS, average="weighted") == pytest.approx(accuracy)


def test_average_accuracy_is_not_accuracy() -> None:
    # By class: (4 + 10), (2 + 14) and (6 + 13) of 25 are right.
    assert cmx.average_accuracy(ANIMALS) == (14 + 16 + 19) / (3 * 25)
    assert cmx.average_accuracy(ANIMALS, exact=True) == 1 - 2 * (1 - Fraction(12, 25)) / 3
    assert cmx.average_error_rate(ANIMALS, exact=True) == 2 * Fraction(13, 25) / 3


def test_average_accuracy_counts_empty_classes() -> None:
    wider = ConfusionMatrix([[4, 1, 0], [1, 4, 0], [0, 0, 0]])
    assert cmx.average_accuracy(wider, exact=True) == 1 - 2 * Fraction(2, 10) / 3
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
    m = ConfusionMatrix([[6, 2, 2], [0, 5, 0], [1, 1, 1]])
    precisions, recalls = [6 / 7, 5 / 8, 1 / 3], [6 / 10, 5 / 5, 1 / 3]
    means = sum(precisions) / 3, sum(recalls) / 3
    assert cmx.f1_of_macro(m) == pytest.approx(2 * means[0] * means[1] / sum(means))
    by_class = [2 * p * r / (p + r) for p, r in zip(precisions, recalls, strict=True)]
    assert cmx.f1(m, average="macro") == pytest.approx(sum(by_class) / 3)
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


def test_adjusted_balanced_accuracy() -> None:
    assert cmx.adjusted_balanced_accuracy(ANIMALS, exact=True) == (Fraction(23, 45) - Fraction(1, 3)) / (
        1 - Fraction(1, 3)
    )
    m = ConfusionMatrix([[8, 2], [3, 7]])
    assert cmx.adjusted_balanced_accuracy(m) == pytest.approx(8 / 10 + 7 / 10 - 1)
    assert math.isnan(cmx.adjusted_balanced_accuracy(ConfusionMatrix([[3, 1], [0, 0]])))


def test_indices_made_of_precision_and_recall() -> None:
    assert cmx.class_balance_accuracy(ANIMALS) == pytest.approx((4 / 13 + 2 / 10 + 6 / 9) / 3)
    expected = ((4 / 13 + 4 / 6 - 1) + (2 / 3 + 2 / 10 - 1) + (6 / 9 + 6 / 9 - 1)) / 3
    assert cmx.classification_success_index(ANIMALS) == pytest.approx(expected)
    assert cmx.multiclass_g_mean(ANIMALS) == pytest.approx((4 / 6 * 2 / 10 * 6 / 9) ** (1 / 3))
    assert cmx.multiclass_g_mean(UNEVEN) == 0


def test_outside_answers_are_wrong_or_excluded() -> None:
    m = ConfusionMatrix([[4, 1, 1], [1, 3, 2], [0, 0, 0]], labels=["a", "b"], outside=["(abstained)"])
    assert cmx.accuracy(m) == 7 / 12
    assert cmx.accuracy(m, outside="exclude") == 7 / 9
    assert cmx.balanced_accuracy(m) == (4 / 6 + 3 / 6) / 2
    assert cmx.balanced_accuracy(m, outside="exclude") == (4 / 5 + 3 / 4) / 2
    # One versus rest: class a has 1 false positive and 2 misses, class b 1 and 3.
    assert cmx.average_accuracy(m) == (9 + 8) / (2 * 12)


def test_baselines() -> None:
    assert cmx.no_information_rate(ANIMALS) == 10 / 25
    assert cmx.expected_accuracy(ANIMALS) == (6 * 13 + 10 * 3 + 9 * 9) / 25**2
    assert cmx.expected_accuracy_unbiased(ANIMALS) == ((6 + 13) ** 2 + (10 + 3) ** 2 + (9 + 9) ** 2) / 50**2
    assert cmx.mean_support(ANIMALS) == 25 / 3


def test_disagreement_has_two_parts() -> None:
    assert cmx.quantity_disagreement(ANIMALS) == (7 + 7 + 0) / 50
    assert cmx.allocation_disagreement(ANIMALS) == (2 + 1 + 3) / 25
    parts = cmx.quantity_disagreement(ANIMALS, exact=True) + cmx.allocation_disagreement(ANIMALS, exact=True)
    assert parts == cmx.error_rate(ANIMALS, exact=True)


def test_accuracy_p_value_is_the_binomial_tail() -> None:
    m = ConfusionMatrix([[3, 1], [0, 2]])
    rate = 4 / 6
    expected = sum(math.comb(6, k) * rate**k * (1 - rate) ** (6 - k) for k in (5, 6))
    assert cmx.accuracy_p_value(m) == pytest.approx(expected)
    assert cmx.accuracy_p_value(ConfusionMatrix([[0, 1], [1, 0]])) == 1
    assert math.isnan(cmx.accuracy_p_value(ConfusionMatrix([[0, 0], [0, 0]])))
    assert 0 <= cmx.accuracy_p_value(ConfusionMatrix([[500_100, 1], [499_000, 900]])) <= 1


@pytest.mark.parametrize(
    "metric", [cmx.accuracy, cmx.balanced_accuracy, cmx.f1_of_macro, cmx.one_vs_rest_balanced_accuracy]
)
def test_the_extremes(metric: Any) -> None:
    assert metric(ConfusionMatrix([[3, 0], [0, 2]])) == 1
    assert metric(ConfusionMatrix([[0, 3], [2, 0]])) == 0
    assert math.isnan(metric(ConfusionMatrix([[0, 0], [0, 0]])))
