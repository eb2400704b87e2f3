"""Suggestions for unknown metric names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from confmat.metrics.averages import AVERAGES

__all__ = ["hint"]

_NEEDS_SCORES = "it is computed from scores or probabilities, which a confusion matrix does not have"
_NEEDS_PROBABILITIES = "it needs probabilities and is not in confmat"
_OF_ONE_POINT = (
    f"{_NEEDS_SCORES}: roc_auc(thresholds(actual, scores)) takes them; "
    "'one_point_auc' is the area under the curve of the one point of a matrix"
)
_OF_STEPS = f"{_NEEDS_SCORES}: average_precision(thresholds(actual, scores)) takes them"
_OF_CONFIDENCE = "it takes a confidence for each answer: risk_coverage(actual, predicted, confidence) has it"
_OF_K = "it takes scores for each class: top_k_accuracy(actual, scores, k=5)"
_OF_ANSWERS = "what answers that are no class make of scores, and the coverage, is in unanswered(m)"
_PHI = "of two classes it is 'mcc', of more 'phi_squared' is the mean square contingency"
_G_MEAN = "'class_g_mean' is of recall and specificity of a class, 'multiclass_g_mean' of the recalls of all"
_BETWEEN_MODELS = "it is a test between two models, which compare_predictions makes of their answers"
_OF_ITEMS = "with several labels an item, `report` and `interval` have it: report(stack, items=items)"
_OF_RANKS = f"{_NEEDS_SCORES}: it is of the order of all labels of an item"
_MEAN_MISSES = "it is the score 'false_negative_rate.macro', what balanced_accuracy lacks of 1"
# Notes on names that mean more than one metric, or none, or one with an average; folded as the catalogue folds them.
_NOTES = {
    "csi": "it means 'jaccard' (critical success index) to some, 'classification_success_index' to others",
    "far": "it means 'false_discovery_rate' (false alarm ratio) to some, 'false_positive_rate' to others",
    "gss": "it means 'equitable_threat_score' (Gilbert skill score) to most, 'gerrity_score' to some",
    "ber": _MEAN_MISSES,
    "balancederrorrate": _MEAN_MISSES,
    "hter": _MEAN_MISSES,
    "halftotalerrorrate": _MEAN_MISSES,
    "mcnemar": _BETWEEN_MODELS,
    "mcnemartest": _BETWEEN_MODELS,
    "positiveagreement": "it is the 'f1' of the positive class",
    "negativeagreement": "it is the 'f1' of the other class",
    "phi": _PHI,
    "phicoefficient": _PHI,
    "gmean": _G_MEAN,
    "geometricmean": _G_MEAN,
    **dict.fromkeys(("meaniou", "miou"), "the mean over classes is the score 'jaccard.macro'"),
    **dict.fromkeys(("meandice", "mdice", "mfscore"), "the mean over classes is the score 'f1.macro'"),
    **dict.fromkeys(("meanaccuracy", "macc"), "the mean over classes of what they got right is 'recall.macro'"),
    **dict.fromkeys(("exactmatch", "exactmatchratio", "subsetaccuracy"), _OF_ITEMS),
    **dict.fromkeys(("coverageerror", "labelrankingloss", "rankingloss", "lrap", "oneerror"), _OF_RANKS),
    **dict.fromkeys(("labelrankingaverageprecision", "labelrankingaverageprecisionscore"), _OF_RANKS),
    "aacc": "over all items together it is 'accuracy'",
    "ba": "it is 'balanced_accuracy' of the whole matrix, 'one_point_auc' of one class",
    "fm": "it is 'g_measure' of one class, the Fowlkes-Mallows index 'fowlkes_mallows' of pairs of items",
    "rocauc": _OF_ONE_POINT,
    "auroc": _OF_ONE_POINT,
    "averageprecision": _OF_STEPS,
    "ap": _OF_STEPS,
    "handtill": _NEEDS_SCORES,
    "map": _NEEDS_SCORES,
    "prauc": _OF_STEPS,
    "aucpr": _OF_STEPS,
    **dict.fromkeys(("logloss", "crossentropyloss", "brier", "brierscore", "brierscoreloss"), _NEEDS_PROBABILITIES),
    **dict.fromkeys(("calibration", "calibrationcurve", "reliabilitydiagram"), _NEEDS_PROBABILITIES),
    **dict.fromkeys(("ece", "calibrationerror", "expectedcalibrationerror"), _NEEDS_PROBABILITIES),
    **dict.fromkeys(("eer", "equalerrorrate", "pauc", "partialauc", "meanaverageprecision"), _NEEDS_SCORES),
    **dict.fromkeys(
        ("ks", "ksstatistic"), "it is the best of a sweep: best(thresholds(actual, scores), 'informedness')"
    ),
    **dict.fromkeys(("aurc", "augrc", "selectiverisk"), _OF_CONFIDENCE),
    **dict.fromkeys(("topkaccuracy", "top5accuracy"), _OF_K),
    **dict.fromkeys(("coverage", "refusalrate", "abstentionrate", "invalidrate"), _OF_ANSWERS),
    "severity": "it takes a hierarchy of the classes: severity(m, hierarchy), or the metric lca_height(hierarchy)",
}


def hint(
    name: str, folded: str, index: Mapping[str, Any], spellings: Mapping[str, str], peers: Mapping[str, Any]
) -> str:
    """Return the end of the error: a note on the name, the score that it spells otherwise, or the nearest names.

    `index` and `peers` are metrics by folded names, `spellings` these names as they are written.
    """
    if folded in _NOTES:
        return f": {_NOTES[folded]}"
    score = _as_score(name, index)
    if score is not None:
        return f"; the score is spelt {score!r}, and score(m, {score!r}) gives its value"
    elsewhere = [key.partition(":")[0] for key in peers if key.partition(":")[2] == folded]
    if elsewhere:
        # scikit-learn's names are what most people have at hand.
        space = "sklearn" if "sklearn" in elsewhere else elsewhere[0]
        there = f"{space}:{name.strip()}"
        found = getattr(peers[f"{space}:{folded}"], "name", None)
        return (
            f"; did you mean {found!r} or {there!r}?" if found in spellings.values() else f"; did you mean {there!r}?"
        )
    close = difflib.get_close_matches(folded, list(index), 3)
    # Two aliases of one metric are one suggestion.
    spelt = list({id(index[each]): spellings.get(each, each) for each in reversed(close)}.values())[::-1]
    return f"; did you mean {' or '.join(map(repr, spelt[:2]))}?" if spelt else ""


def _as_score(name: str, index: Mapping[str, Any]) -> str | None:
    """The score that is spelt with its average before or behind the metric: macro_f1, f1_macro, f1.macro."""
    words = re.split(r"[\s_.\-]+", name.strip().casefold())
    for average, metric in ((words[0], words[1:]), (words[-1], words[:-1])):
        found = index.get("".join(metric))
        if average in AVERAGES and getattr(found, "kind", "") == "class":
            return f"{getattr(found, 'name', '')}.{average}"
    return None
