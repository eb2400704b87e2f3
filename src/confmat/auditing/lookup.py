"""Lookup: which score of the matrix a printed number equals, and how often a random number would equal one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from confmat.auditing.claims import Claim
from confmat.auditing.printed import Printed
from confmat.auditing.readings import Reading, View, class_name
from confmat.metrics import Metric, metric

__all__ = ["by_chance", "catalogue_of", "equal_to", "joint_chance"]

_OF_CLASS = (
    "recall", "precision", "specificity", "npv", "f1", "f2", "f0.5", "jaccard", "class_accuracy",
    "false_negative_rate", "false_positive_rate", "false_discovery_rate", "false_omission_rate", "prevalence",
    "detection_rate", "detection_prevalence", "one_point_auc", "class_g_mean", "g_measure", "informedness",
    "markedness", "class_mcc", "class_kappa",
)  # fmt: skip
_OF_MATRIX = (
    "accuracy", "error_rate", "balanced_accuracy", "one_vs_rest_balanced_accuracy", "average_accuracy",
    "f1_of_macro", "kappa", "weighted_kappa_linear", "weighted_kappa_quadratic", "mcc", "scott_pi", "pabak",
    "gwet_ac1", "multiclass_g_mean", "no_information_rate", "adjusted_balanced_accuracy",
)  # fmt: skip
_AVERAGES = ("macro", "weighted", "micro", "weighted_predicted")
# Beyond, a class for each number is no finding any more.
_MOST_CLASSES = 50
_TOLD = 3


def catalogue_of(view: View) -> Iterator[Reading]:
    """Values of the usual scores: of every class of a few, averaged, and of the whole matrix."""
    for name in _OF_MATRIX:
        yield Reading(_float(view.whole(metric(name))), name)
    for name in _OF_CLASS:
        found: Metric = metric(name)
        for how in _AVERAGES:
            yield Reading(view.average(found, how), f"{found.name}.{how}")
        if len(view.classes) <= _MOST_CLASSES:
            for place, value in enumerate(view.per_class(found).tolist()):
                yield Reading(value, f"{found.name}[{class_name(view, place)}]", ("class", place))


def _float(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def equal_to(claim: Claim, values: Iterable[Reading]) -> list[str]:
    """The scores that are printed as the claim is, those of its own class and its own metric first."""
    hits = [one for one in values if claim.printed.allows(one.value)]
    name = getattr(claim.metric, "name", "")

    def rank(one: Reading) -> tuple[bool, bool]:
        own = claim.place is not None and one.key == ("class", claim.place)
        return (not one.says.startswith(name), not own)

    return list(dict.fromkeys(one.says for one in sorted(hits, key=rank)))[:_TOLD]


def by_chance(claim: Claim, values: Iterable[float]) -> float | None:
    """The share of all numbers with these digits, within the bounds of the score, that equal one of the values.

    A number printed at random is explained by chance with this probability. None where a score has no bounds.
    """
    span = _span(claim)
    if span is None:
        return None
    low, steps, unit = span
    numbers = np.asarray(list(values), dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    cells = np.unique(np.rint((numbers - low) / unit))
    return min(1.0, int(np.count_nonzero((cells >= 0) & (cells <= steps))) / (steps + 1))


def _span(claim: Claim) -> tuple[float, float, float] | None:
    digits: Printed = claim.printed
    low, high = getattr(claim.metric, "bounds", (None, None))
    if low is None or high is None or digits.nothing:
        return None
    unit = float(digits.unit)
    return float(low), (high - low) / unit, unit


def joint_chance(single: Iterable[float | None], families: int) -> float | None:
    """The probability that one of several families explains all claims by chance, from that of one for each claim."""
    product = 1.0
    for one in single:
        if one is None:
            return None
        product *= one
    return -math.expm1(families * math.log1p(-product)) if product < 1 else 1.0
