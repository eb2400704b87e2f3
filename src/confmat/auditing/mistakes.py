"""Published mistakes: formulas that stand in papers and notebooks under the name of another score.

Each is declared like a metric: a code, a title, why it matters, a reference, and the values it gives per class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.auditing.checks import Check, declared
from confmat.auditing.claims import Claim
from confmat.auditing.conventions import beta_of
from confmat.auditing.readings import Reading, View, mean_of, spread_over
from confmat.core.cells import Cells
from confmat.metrics import Metric

__all__ = ["MISTAKES", "Mistake"]

Array = NDArray[np.float64]
# From the metric that is claimed and the matrix to what the mistake makes of it, one value per class (or one
# number), and the formula as it was used; None where the mistake does not touch the metric.
Values = Callable[[Metric, View], "tuple[Array, str] | None"]


@dataclass(frozen=True)
class Mistake:
    """A declared mistake: what is known of it, and the values it gives."""

    check: Check
    values: Values

    def readings(self, claim: Claim, view: View) -> Iterable[Reading]:
        """The values that the mistake gives for a claim, averaged as the claim says."""
        if not isinstance(claim.metric, Metric):
            return []
        with np.errstate(all="ignore"):
            found = self.values(claim.metric, view)
            if found is None:
                return []
            values, formula = found
            if not claim.of_classes:
                return [Reading(float(values), formula)]
            each = spread_over(claim, view, values, lambda how: mean_of(values, view, how))
        return [replace(one, says=f"{one.says} as {formula}" if claim.is_bare else formula) for one in each]


def _over(top: Any, bottom: Any) -> Any:
    return np.where(bottom == 0, np.nan, top / np.where(bottom == 0, 1, bottom))


def _manliguez(metric: Metric, view: View) -> tuple[Array, str] | None:
    c = view.cells
    hits, rest = c.tp.sum(), c.tn.sum()
    if metric.name == "precision":
        return _over(hits, hits + c.fp), "ΣTP / (ΣTP + FP_i)"
    if metric.name == "recall":
        return _over(hits, hits + c.fn), "ΣTP / (ΣTP + FN_i)"
    if metric.name == "specificity":
        return _over(rest, rest + c.fp), "ΣTN / (ΣTN + FP_i)"
    return None


def _precision_recall(view: View) -> tuple[Array, Array]:
    c = view.cells
    return _over(c.tp, c.tp + c.fp), _over(c.tp, c.tp + c.fn)


def _of_f(metric: Metric) -> float | None:
    return beta_of(metric) if metric.kind == "class" else None


def _one_plus_beta(metric: Metric, view: View) -> tuple[Array, str] | None:
    beta = _of_f(metric)
    if beta is None or beta in {0, 1}:
        return None
    p, r = _precision_recall(view)
    return _over((1 + beta) * p * r, beta**2 * p + r), "(1 + β) P R / (β² P + R)"


def _beta_unsquared(metric: Metric, view: View) -> tuple[Array, str] | None:
    beta = _of_f(metric)
    if beta is None or beta in {0, 1}:
        return None
    p, r = _precision_recall(view)
    return _over((1 + beta) * p * r, beta * p + r), "(1 + β) P R / (β P + R)"


def _swapped(metric: Metric, view: View) -> tuple[Array, str] | None:
    beta = _of_f(metric)
    if beta is None or beta == 1:
        return None
    p, r = _precision_recall(view)
    return _over((1 + beta**2) * p * r, beta**2 * r + p), "(1 + β²) P R / (β² R + P)"


def _arithmetic(metric: Metric, view: View) -> tuple[Array, str] | None:
    if _of_f(metric) is None:
        return None
    p, r = _precision_recall(view)
    return (p + r) / 2, "(P + R) / 2"


def _geometric(metric: Metric, view: View) -> tuple[Array, str] | None:
    if _of_f(metric) is None:
        return None
    p, r = _precision_recall(view)
    return np.sqrt(p * r), "√(P R)"


def _without_two(metric: Metric, view: View) -> tuple[Array, str] | None:
    if _of_f(metric) != 1:
        return None
    p, r = _precision_recall(view)
    return _over(p * r, p + r), "P R / (P + R)"


def _other_hits(metric: Metric, view: View) -> tuple[Array, str] | None:
    if metric.kind != "class" or metric.needs == "cells" or len(view.classes) < 3 or metric.unit == "items":
        return None
    c = view.cells
    rest = c.tp.sum() - c.tp
    values = np.asarray(metric.formula(Cells(c.tp, c.fp, c.fn, rest)), dtype=np.float64)
    same = np.array_equal(values, view.per_class(metric), equal_nan=True)
    return None if same else (values, "TN_i = the hits of the other classes")


def _complement(metric: Metric, view: View) -> tuple[Array, str] | None:
    if metric.complement is None or metric.bounds != (0, 1):
        return None
    value = view.per_class(metric) if metric.kind == "class" else np.asarray(view.whole(metric), dtype=np.float64)
    return 1 - value, f"1 - {metric.name}, which is {metric.complement}"


def _without_true_negatives(metric: Metric, view: View) -> tuple[Array, str] | None:
    c = view.cells
    if metric.name == "class_accuracy":
        return _over(c.tp, c.tp + c.fp + c.fn), "TP / (TP + FP + FN)"
    if metric.name == "accuracy":
        hits = c.tp.sum()
        return _over(hits, hits + c.fp.sum() + c.fn.sum()), "ΣTP / (ΣTP + ΣFP + ΣFN)"
    return None


def _of_all(metric: Metric, view: View) -> tuple[Array, str] | None:
    if metric.name not in {"precision", "recall"}:
        return None
    return _over(view.cells.tp, view.cells.total), "TP_i / n"


MISTAKES: tuple[Mistake, ...] = (
    Mistake(
        declared(
            "manliguez",
            "error",
            "the hits of all classes in the score of one (Manliguez 2016)",
            "With all hits in it, the precision of a class that is never rightly predicted can be near 1.",
            "Manliguez, Generalized Confusion Matrix for Multiple Classes (2016), equations 5 to 7; the mistake is "
            "shown by Kandza-Tadi (2020), who lists eight papers that cite it",
        ),
        _manliguez,
    ),
    Mistake(
        declared(
            "f-beta-1-plus-beta",
            "error",
            "F-beta with 1 + β in place of 1 + β²",
            "It is no mean of precision and recall: where both are 1 it is not 1. At β = 1 nothing is seen of it.",
            "Kandza-Tadi, Confusion Matrix for Multi Class (2020), function F1_Score; the formula is van Rijsbergen's "
            "(1979)",
        ),
        _one_plus_beta,
    ),
    Mistake(
        declared(
            "f-beta-unsquared",
            "error",
            "F-beta with β in place of β²",
            "It weighs recall β times where the name says β² in the formula: F2 becomes F1.41.",
            "van Rijsbergen, Information Retrieval (1979)",
        ),
        _beta_unsquared,
    ),
    Mistake(
        declared(
            "f-beta-swapped",
            "error",
            "F-beta with precision and recall exchanged",
            "F2 then favours precision, which is F0.5.",
            "van Rijsbergen, Information Retrieval (1979)",
        ),
        _swapped,
    ),
    Mistake(
        declared(
            "f-arithmetic",
            "error",
            "the arithmetic mean of precision and recall as F",
            "The harmonic mean is near the lesser of the two; the arithmetic mean hides that one of them is poor.",
            "van Rijsbergen, Information Retrieval (1979)",
        ),
        _arithmetic,
    ),
    Mistake(
        declared(
            "f-geometric",
            "error",
            "the geometric mean of precision and recall as F",
            "It is the Fowlkes-Mallows index, never below F.",
            "Fowlkes and Mallows, Journal of the American Statistical Association 78 (1983)",
        ),
        _geometric,
    ),
    Mistake(
        declared("f-without-2", "error", "F1 without the factor 2", "The best value is then 0.5."),
        _without_two,
    ),
    Mistake(
        declared(
            "tn-as-other-hits",
            "error",
            "true negatives counted as the hits of the other classes",
            "An item of another class that was taken for a third is a true negative as well; leaving it out lowers "
            "specificity.",
            "river.metrics.confusion: true negatives of several classes",
        ),
        _other_hits,
    ),
    Mistake(
        declared(
            "complement", "error", "one minus the score", "An error rate is printed under the name of its opposite."
        ),
        _complement,
    ),
    Mistake(
        declared(
            "without-true-negatives",
            "error",
            "accuracy without the true negatives",
            "That is the Jaccard index, which is lower.",
            "Jaccard, New Phytologist 11 (1912)",
        ),
        _without_true_negatives,
    ),
    Mistake(
        declared(
            "share-of-all",
            "error",
            "the hits of a class over all items",
            "That is the detection rate, which cannot exceed the prevalence.",
        ),
        _of_all,
    ),
)
