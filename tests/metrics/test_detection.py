"""The scores of one class: the tables of their sources, and the edges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix, MetricError
from confmat import metrics as cm

# 25 animals; Cat against the rest: 4 hits, 9 false alarms, 2 misses, 10 others.
ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
TPR, TNR = 4 / 6, 10 / 19


def test_index_of_balanced_accuracy_of_any_score() -> None:
    by_recall = cm.iba(0.1, cm.recall)
    assert by_recall(ANIMALS, of="Cat") == pytest.approx((1 + 0.1 * (TPR - TNR)) * TPR**2)
    assert cm.iba(0.1, cm.class_g_mean)(ANIMALS, of="Cat") == pytest.approx(
        cm.iba(0.1)(ANIMALS, of="Cat")
    )


def test_names_within_the_families() -> None:
    assert cm.tversky(1, 1)(ANIMALS).tolist() == pytest.approx(cm.jaccard(ANIMALS).tolist())
    assert cm.tversky(0.5, 0.5)(ANIMALS).tolist() == pytest.approx(cm.f1(ANIMALS).tolist())
    assert cm.f_beta(0)(ANIMALS).tolist() == cm.precision(ANIMALS).tolist()
    assert cm.f_beta(0.5).name == "f0.5"


# ---- the tables of the sources -------------------------------------------------------------------

# Coenen's six examples, rows predicted: sensitivity, specificity, precision for X and for not X,
# F1.
COENEN: dict[str, tuple[list[list[int]], list[float | None]]] = {
    "perfect": ([[50, 0], [0, 50]], [1, 1, 1, 1, 1]),
    "perfectly wrong": ([[0, 50], [50, 0]], [0, 0, 0, 0, 0]),
    "all X": ([[50, 50], [0, 0]], [1, 0, 50 / 100, None, 2 / 3]),
    "all not X": ([[0, 0], [50, 50]], [0, 1, None, 50 / 100, 0]),
    "guessing": ([[25, 25], [25, 25]], [1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2]),
    "sensitive": ([[50, 25], [0, 25]], [1, 25 / 50, 50 / 75, 1, 2 * 50 / 75 / (1 + 50 / 75)]),
}


@pytest.mark.parametrize("name", list(COENEN))
def test_coenens_examples(name: str) -> None:
    rows, expected = COENEN[name]
    m = ConfusionMatrix.from_predicted_rows(rows, ["X", "Not X"])
    asked = ("sensitivity", "specificity", "precision X", "precision not", "f1")
    for text, value in zip(asked, expected, strict=True):
        found = cm.metric("precision" if text == "precision X" else text)(m, of="X")
        # Where he prints 0 for a division by nothing, there is no value.
        assert math.isnan(found) if value is None else found == pytest.approx(value), text


def test_precision_for_the_rest_is_the_precision_of_the_other_class() -> None:
    m = ConfusionMatrix.from_predicted_rows([[50, 25], [0, 25]], ["X", "Not X"])
    assert cm.negative_predictive_value(m, of="X") == cm.precision(m, of="Not X")
    assert cm.specificity(m, of="X") == cm.recall(m, of="Not X")


def test_cats_dogs_and_fish() -> None:
    m = ConfusionMatrix([[200, 0, 0], [100, 8800, 600], [100, 0, 1000]], ["cat", "dog", "fish"])
    assert cm.recall(m, of="dog") == 8800 / 9500
    # "When this model makes a cat inference, it is correct half the time."
    assert cm.precision(m, of="cat") == 200 / 400
    assert cm.false_positives(m, of="dog") == 0


def test_three_classes_as_in_the_manliguez_correction() -> None:
    assert cm.false_negatives(ANIMALS).tolist() == [2, 8, 3]
    assert cm.false_positives(ANIMALS).tolist() == [9, 1, 3]
    assert cm.true_negatives(ANIMALS).tolist() == [10, 14, 13]
    np.testing.assert_allclose(cm.specificity(ANIMALS), [10 / 19, 14 / 15, 13 / 16])


# ---- edges ---------------------------------------------------------------------------------------


def test_a_class_that_is_never_predicted() -> None:
    m = ConfusionMatrix([[5, 0], [3, 0]])
    assert np.isnan(cm.precision(m)[1])
    assert np.isnan(cm.class_mcc(m)).all()
    assert cm.class_mcc(m, average="macro") == 0
    assert cm.informedness(m)[1] == 0
    assert cm.lift(m, average="macro") == (1 + 0) / 2


def test_counts_of_the_odds_may_vanish() -> None:
    perfect = ConfusionMatrix([[5, 0], [0, 7]])
    assert np.isnan(cm.diagnostic_odds_ratio(perfect)).all()
    assert cm.diagnostic_odds_ratio.limit == math.inf
    # Yule's Q is the odds ratio brought to where it has a value.
    assert cm.yule_q(perfect).tolist() == [1, 1]


def test_parameters_are_checked_at_the_door() -> None:
    slips: list[Any] = [-1, math.inf, "2", True]
    for beta in slips:
        with pytest.raises(MetricError, match="`beta` must be a number from 0 up"):
            cm.f_beta(beta)
    with pytest.raises(MetricError, match="a share from 0 to 1"):
        cm.precision_at(1.5)
    with pytest.raises(MetricError, match="Metric per class"):
        cm.iba(1, cm.kappa)
