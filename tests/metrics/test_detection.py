"""The scores of one class: every metric per class against hand arithmetic, published tables, and the edges."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix, MetricError
from confmat import metrics as cm
from confmat.metrics import information, overlaps, rates, skill
from confmat.metrics.declaration import Factory, Metric

FAMILIES = (rates, overlaps, skill, information)
# Logarithms of rates, recomputed in tests/exact.
EXTREMES = {"extremal_dependence_index", "extreme_dependency_score", "symmetric_extreme_dependency_score"}

# 25 animals; Cat against the rest: 4 hits, 9 false alarms, 2 misses, 10 others.
ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
TP, FP, FN, TN, N = 4, 9, 2, 10, 25
TPR, TNR, PPV, NPV = 4 / 6, 10 / 19, 4 / 13, 10 / 12
ODDS = (4 * 10) / (9 * 2)
z = NormalDist().inv_cdf


def entropy_of_cat(bottom: int) -> float:
    """Errors from Cat are 1 and 1, to Cat 6 and 3; the base is 2 (3 - 1)."""
    return -sum(x / bottom * math.log(x / bottom, 4) for x in (1, 1, 6, 3))


EXPECTED: dict[str, float] = {
    # detection
    "recall": TPR,
    "precision": PPV,
    "specificity": TNR,
    "negative_predictive_value": NPV,
    "false_negative_rate": 2 / 6,
    "false_positive_rate": 9 / 19,
    "false_discovery_rate": 9 / 13,
    "false_omission_rate": 2 / 12,
    "class_accuracy": 14 / 25,
    "class_error": 11 / 25,
    "f1": 2 * PPV * TPR / (PPV + TPR),
    # overlaps
    "jaccard": 4 / 15,
    "g_measure": math.sqrt(PPV * TPR),
    "overlap": 4 / 6,
    "braun_blanquet": 4 / 13,
    "individual_classification_success": PPV + TPR - 1,
    # skill
    "class_mcc": (4 * 10 - 9 * 2) / math.sqrt(13 * 6 * 19 * 12),
    "class_kappa": (14 / 25 - (13 * 6 + 12 * 19) / 625) / (1 - (13 * 6 + 12 * 19) / 625),
    "informedness": TPR + TNR - 1,
    "markedness": PPV + NPV - 1,
    "number_needed_to_diagnose": 1 / (TPR + TNR - 1),
    "positive_likelihood_ratio": TPR / (9 / 19),
    "negative_likelihood_ratio": (2 / 6) / TNR,
    "log_positive_likelihood_ratio": math.log(TPR / (9 / 19)),
    "log_negative_likelihood_ratio": math.log((2 / 6) / TNR),
    "diagnostic_odds_ratio": ODDS,
    "log_odds_ratio": math.log(ODDS),
    "discriminant_power": math.sqrt(3) / math.pi * (math.log(TPR / (2 / 6)) + math.log(TNR / (9 / 19))),
    "discriminant_power_log10": math.sqrt(3) / math.pi * math.log10(ODDS),
    "yule_q": (ODDS - 1) / (ODDS + 1),
    "yule_y": (math.sqrt(ODDS) - 1) / (math.sqrt(ODDS) + 1),
    "equitable_threat_score": (4 - 78 / 25) / (15 - 78 / 25),
    "frequency_bias": 13 / 6,
    "symmetric_extremal_dependence_index": (
        (math.log(9 / 19) - math.log(4 / 6) - math.log(10 / 19) + math.log(2 / 6))
        / (math.log(9 / 19) + math.log(4 / 6) + math.log(10 / 19) + math.log(2 / 6))
    ),
    # balances
    "one_point_auc": (TPR + TNR) / 2,
    "one_point_aupr": (PPV + TPR) / 2,
    "class_g_mean": math.sqrt(TPR * TNR),
    "roc_distance": math.hypot(9 / 19, 2 / 6),
    "roc_similarity": 1 - math.hypot(9 / 19, 2 / 6) / math.sqrt(2),
    "dominance": TPR - TNR,
    "optimized_precision": 14 / 25 - (TPR - TNR) / (TPR + TNR),
    "adjusted_g_mean": (math.sqrt(TPR * TNR) + TNR * 19 / 25) / (1 + 19 / 25),
    "adjusted_f": math.sqrt((5 * 4 / (5 * 4 + 4 * 2 + 9)) * (1.25 * 10 / (1.25 * 10 + 2 + 0.25 * 9))),
    "p4": 4 / (1 / PPV + 1 / TPR + 1 / TNR + 1 / NPV),
    # gains
    "lift": PPV / (6 / 25),
    "information_score": math.log2(PPV) - math.log2(6 / 25),
    "precision_gain": (PPV - 6 / 25) / ((1 - 6 / 25) * PPV),
    "recall_gain": (TPR - 6 / 25) / ((1 - 6 / 25) * TPR),
    "prevalence_threshold": (math.sqrt(TPR * 9 / 19) - 9 / 19) / (TPR - 9 / 19),
    "sensitivity_index": z(TPR) - z(9 / 19),
    # entropies
    "class_confusion_entropy": entropy_of_cat(6 + 13),
    "modified_class_confusion_entropy": entropy_of_cat(6 + 13 - 4),
    # counts and shares
    "true_positives": 4,
    "false_positives": 9,
    "false_negatives": 2,
    "true_negatives": 10,
    "support": 6,
    "actual_negatives": 19,
    "predicted_positives": 13,
    "predicted_negatives": 12,
    "population": 25,
    "automatic_manual_difference": 13 - 6,
    "bias_index": (9 - 2) / 25,
    "prevalence_index": (4 - 10) / 25,
    "hamming_distance": 11,
    "prevalence": 6 / 25,
    "detection_prevalence": 13 / 25,
    "detection_rate": 4 / 25,
    "random_accuracy": 13 * 6 / 25**2,
    "random_accuracy_unbiased": ((13 + 6) / 50) ** 2,
    "bray_curtis_dissimilarity": (13 - 6) / 50,
}
FACTORIES: dict[str, tuple[Metric, float]] = {
    "f_beta": (cm.f_beta(2), 5 * PPV * TPR / (4 * PPV + TPR)),
    "f_beta_negative": (cm.f_beta_negative(1), 2 * NPV * TNR / (NPV + TNR)),
    "tversky": (cm.tversky(0.3, 0.7), 4 / (4 + 0.3 * 2 + 0.7 * 9)),
    "iba": (cm.iba(0.1), (1 + 0.1 * (TPR - TNR)) * TPR * TNR),
    "f_gain": (cm.f_gain(1), (8 / 19 - 6 / 25) / ((1 - 6 / 25) * 8 / 19)),
    "net_benefit": (cm.net_benefit(0.25), (4 - 0.25 * 9) / 25),
    "precision_at": (cm.precision_at(0.1), TPR * 0.1 / (TPR * 0.1 + 9 / 19 * 0.9)),
    "negative_predictive_value_at": (
        cm.negative_predictive_value_at(0.1),
        TNR * 0.9 / (TNR * 0.9 + 2 / 6 * 0.1),
    ),
}


def declared(kind: Any) -> dict[str, Any]:
    every = [getattr(family, name) for family in FAMILIES for name in family.__all__]
    return {one.name: one for one in every if isinstance(one, kind) and getattr(one, "kind", "class") == "class"}


def test_the_list_is_whole() -> None:
    assert set(EXPECTED) | EXTREMES == set(declared(Metric))
    assert set(FACTORIES) | {"information_in"} == set(declared(Factory))


@pytest.mark.parametrize("name", list(EXPECTED))
def test_against_hand_arithmetic(name: str) -> None:
    assert cm.metric(name)(ANIMALS, of="Cat") == pytest.approx(EXPECTED[name], rel=1e-13)


@pytest.mark.parametrize("name", list(FACTORIES))
def test_families_against_hand_arithmetic(name: str) -> None:
    metric, expected = FACTORIES[name]
    assert metric(ANIMALS, of="Cat") == pytest.approx(expected, rel=1e-13)


def test_index_of_balanced_accuracy_of_any_score() -> None:
    by_recall = cm.iba(0.1, cm.recall)
    assert by_recall(ANIMALS, of="Cat") == pytest.approx((1 + 0.1 * (TPR - TNR)) * TPR**2)
    assert cm.iba(0.1, cm.class_g_mean)(ANIMALS, of="Cat") == pytest.approx(cm.iba(0.1)(ANIMALS, of="Cat"))


def test_names_within_the_families() -> None:
    assert cm.tversky(1, 1)(ANIMALS).tolist() == pytest.approx(cm.jaccard(ANIMALS).tolist())
    assert cm.tversky(0.5, 0.5)(ANIMALS).tolist() == pytest.approx(cm.f1(ANIMALS).tolist())
    assert cm.f_beta(0)(ANIMALS).tolist() == cm.precision(ANIMALS).tolist()
    assert cm.f_beta(0.5).name == "f0.5"


# ---- the tables of the sources ----------------------------------------------------------------------------------

# Coenen's six examples, rows predicted: sensitivity, specificity, precision for X and for not X, F1.
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


# ---- edges ------------------------------------------------------------------------------------------------------


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
