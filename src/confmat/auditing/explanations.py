"""Explanations of a printed number that the name does not say: conventions, and published mistakes.

A claim that only a convention explains gets a warning, and the warning names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.auditing.claims import Claim, Printed
from confmat.auditing.findings import Check, declared
from confmat.auditing.readings import (
    BARE,
    Reading,
    View,
    mean_of,
    of_class,
    ordinary,
    positives,
    spread_over,
)
from confmat.core.cells import Cells
from confmat.metrics import Metric, parse_score
from confmat.metrics.catalog import share_of_hits

_HUNDREDTH = Fraction(1, 100)
_SOKOLOVA = "Sokolova and Lapalme, Information Processing and Management 45 (2009)"


@dataclass(frozen=True)
class Explanation:
    """A declared convention or mistake: the readings it gives a claim, and how its digits are printed."""

    check: Check
    readings: Callable[[Claim, View], Iterable[Reading]]
    cut: bool = False
    # The digits as another number, or None where this is no such number.
    printed: Callable[[Claim], Printed | None] = lambda claim: claim.printed

    @property
    def is_mistake(self) -> bool:
        """Whether the number is wrong, and not only printed in another way than the name says."""
        return self.check.severity == "error"

    def matches(self, claim: Claim, view: View) -> list[Reading]:
        """The readings that the printed digits allow."""
        digits = self.printed(claim)
        if digits is None:
            return []
        return [
            reading
            for reading in self.readings(claim, view)
            if digits.allows(reading.value, cut=self.cut)
        ]


def _zero_division(claim: Claim, view: View) -> Iterable[Reading]:
    """Read undefined values as 0 or 1, of a class or in a mean over all classes, or leave them out of the mean."""
    for fill in (0.0, 1.0):
        says = f"0/0 printed as {fill:g}"
        for reading in ordinary(claim, view):
            if math.isnan(reading.value):
                yield Reading(
                    fill, f"{reading.says} with {says}" if claim.is_bare else says, reading.key
                )
        for name in _averages(claim):
            value = view.average(claim.metric, name, fill)
            yield Reading(
                value, f"{claim.metric.name}.{name} over all classes with {says}", ("average", name)
            )
    for name in _averages(claim):
        value = view.average(claim.metric, name, "skip")
        yield Reading(
            value,
            f"{claim.metric.name}.{name}, classes without a value left out",
            ("average", name),
        )


def _averages(claim: Claim) -> tuple[str, ...]:
    """The averages that a claim may mean."""
    if claim.score is None or not claim.of_classes or claim.place is not None:
        return ()
    return BARE if claim.score.average is None else (claim.score.average.name,)


def _other_averages(claim: Claim, view: View) -> Iterable[Reading]:
    if claim.score is None or not claim.of_classes:
        return
    for name in (*BARE, "weighted_predicted"):
        yield Reading(view.average(claim.metric, name), f"{claim.metric.name}.{name}")


def _other_classes(claim: Claim, view: View) -> Iterable[Reading]:
    if claim.score is None or not claim.of_classes:
        return
    values = view.per_class(claim.metric)
    for place in np.flatnonzero(
        [claim.printed.allows(value) for value in values.tolist()]
    ).tolist()[:5]:
        if claim.score.average is None or len(view.classes) == 2:
            yield of_class(claim.metric, values, view, place)


def _other_meanings(claim: Claim, view: View) -> Iterable[Reading]:
    if not isinstance(claim.metric, Metric) or claim.place is not None:
        return
    beta = claim.metric.beta
    for score in map(parse_score, claim.metric.mistaken_for):
        average = score.average
        value = (
            float(view.whole(score.metric))
            if average is None
            else view.average(score.metric, average)
        )
        text = str(score) if beta is None else f"{score}, the mean of F instead of the F of means"
        yield Reading(value, text)
    if beta is not None and claim.of_classes:
        yield from (_f_of_means(beta, name, view) for name in _averages(claim))


def _f_of_means(beta: float, name: Any, view: View) -> Reading:
    p, r = (view.average(share_of_hits(items), name) for items in ("predicted", "actual"))
    bottom = beta * beta * p + r
    value = (1 + beta * beta) * p * r / bottom if bottom else math.nan
    text = f"the F{beta:g} of {name} precision and {name} recall instead of the {name} F{beta:g}"
    return Reading(value, text)


def _as_per_cent(claim: Claim) -> Printed | None:
    """93 for 0.93: digits beyond what the score can be, and no sign."""
    bounds = getattr(claim.metric, "bounds", (None, None))
    if (
        claim.printed.percent
        or claim.printed.nothing
        or bounds[1] != 1
        or abs(claim.printed.value) < 1
    ):
        return None
    return claim.printed.scaled(_HUNDREDTH)


def _others(claim: Claim, view: View) -> Iterable[Reading]:
    """The negative class of two, read for a claim that does not say which class it is of."""
    if claim.is_bare and len(view.classes) == 2 and len(positives(view)) == 1:
        values = view.per_class(claim.metric)
        place = 1 - positives(view)[0]
        yield of_class(claim.metric, values, view, place)
    yield from _other_classes(claim, view)


def _convention(
    code: str,
    title: str,
    why: str,
    readings: Callable[[Claim, View], Iterable[Reading]],
    reference: str = "",
    **digits: Any,
) -> Explanation:
    return Explanation(declared(code, "warning", title, why, reference), readings, **digits)


TRANSPOSED = _convention(
    "transposed",
    "rows and columns exchanged",
    "Read the wrong way round, precision becomes recall; nothing in a table of numbers says which way is meant.",
    lambda claim, view: ordinary(claim, view.flipped),
    "scikit-learn issue 16822 and others like it",
)

# In the order in which they are preferred where several explain as many claims.
CONVENTIONS: tuple[Explanation, ...] = (
    _convention(
        "zero-division",
        "0/0 printed as a number",
        "A rate of nothing has no value; 0 blames, 1 praises, and a mean over classes depends on which.",
        _zero_division,
        "scikit-learn, classification metrics: zero_division",
    ),
    _convention(
        "per-cent",
        "per cent without the sign",
        "A reader takes 93 for what it says.",
        ordinary,
        printed=_as_per_cent,
    ),
    _convention(
        "truncated",
        "digits cut off, not rounded",
        "Cut digits are too low, all in one direction.",
        ordinary,
        cut=True,
    ),
    _convention(
        "another-meaning",
        "another score of the same name",
        "Accuracy, balanced accuracy and macro F each have several definitions, which differ and can rank models "
        "differently.",
        _other_meanings,
        f"Opitz and Burst, arXiv:1911.03347 (2019); {_SOKOLOVA}",
    ),
    _convention(
        "another-average",
        "another average than the claim says",
        "Macro, micro and weighted means answer different questions.",
        _other_averages,
        _SOKOLOVA,
    ),
    TRANSPOSED,
    _convention(
        "another-class",
        "another class than the claim says",
        "A row of the table may be shifted.",
        _others,
    ),
)


Array = NDArray[np.float64]
# From the metric that is claimed and the matrix to what the mistake makes of it, one value per
# class (or one number), and the formula as it was used; None where the mistake does not touch the
# metric.
Values = Callable[[Metric, View], "tuple[Array, str] | None"]


def _mistake(code: str, title: str, why: str, values: Values, reference: str = "") -> Explanation:
    """A published mistake, whose values are averaged as a claim says."""

    def readings(claim: Claim, view: View) -> Iterable[Reading]:
        if not isinstance(claim.metric, Metric):
            return []
        with np.errstate(all="ignore"):
            mistaken = values(claim.metric, view)
            if mistaken is None:
                return []
            value, formula = mistaken
            if not claim.of_classes:
                return [Reading(float(value), formula)]
            each = spread_over(claim, view, value, lambda average: mean_of(value, view, average))
        return [
            replace(reading, says=f"{reading.says} as {formula}" if claim.is_bare else formula)
            for reading in each
        ]

    return Explanation(declared(code, "error", title, why, reference), readings)


def _over(top: Any, bottom: Any) -> Any:
    return np.where(bottom == 0, np.nan, top / np.where(bottom == 0, 1, bottom))


# Right and wrong answers among the items of which a score is a share.
_PARTS = {"predicted": ("TP", "FP"), "actual": ("TP", "FN"), "actual_negative": ("TN", "FP")}


def _manliguez(metric: Metric, view: View) -> tuple[Array, str] | None:
    if metric.better != "higher" or metric.share_of not in _PARTS:
        return None
    right, wrong = _PARTS[metric.share_of]
    hits = getattr(view.cells, right.lower()).sum()
    formula = f"Σ{right} / (Σ{right} + {wrong}_i)"
    return _over(hits, hits + getattr(view.cells, wrong.lower())), formula


def _of_f(
    formula: Callable[[Any, Any, float], Any], text: str, seen_at: Callable[[float], bool]
) -> Values:
    """A mistaken F of precision, recall and beta, for the betas at which the mistake is seen."""

    def values(metric: Metric, view: View) -> tuple[Array, str] | None:
        if metric.kind != "class" or metric.beta is None or not seen_at(metric.beta):
            return None
        c = view.cells
        return formula(_over(c.tp, c.tp + c.fp), _over(c.tp, c.tp + c.fn), metric.beta), text

    return values


def _other_hits(metric: Metric, view: View) -> tuple[Array, str] | None:
    if (
        metric.kind != "class"
        or metric.needs == "cells"
        or len(view.classes) < 3
        or metric.unit == "items"
    ):
        return None
    c = view.cells
    rest = c.tp.sum() - c.tp
    values = np.asarray(metric.formula(Cells(c.tp, c.fp, c.fn, rest)), dtype=np.float64)
    same = np.array_equal(values, view.per_class(metric), equal_nan=True)
    return None if same else (values, "TN_i = the hits of the other classes")


def _complement(metric: Metric, view: View) -> tuple[Array, str] | None:
    if metric.complement is None or metric.bounds != (0, 1):
        return None
    value = (
        view.per_class(metric)
        if metric.kind == "class"
        else np.asarray(view.whole(metric), dtype=np.float64)
    )
    return 1 - value, f"1 - {metric.name}, which is {metric.complement}"


def _without_true_negatives(metric: Metric, view: View) -> tuple[Array, str] | None:
    c = view.cells
    if metric.better != "higher" or metric.share_of != "total":
        return None
    if metric.kind == "class":
        return _over(c.tp, c.tp + c.fp + c.fn), "TP / (TP + FP + FN)"
    hits = c.tp.sum()
    return _over(hits, hits + c.fp.sum() + c.fn.sum()), "ΣTP / (ΣTP + ΣFP + ΣFN)"


def _of_all(metric: Metric, view: View) -> tuple[Array, str] | None:
    if metric.better != "higher" or metric.share_of not in {"actual", "predicted"}:
        return None
    return _over(view.cells.tp, view.cells.total), "TP_i / n"


MISTAKES: tuple[Explanation, ...] = (
    _mistake(
        "manliguez",
        "the hits of all classes in the score of one (Manliguez 2016)",
        "With all hits in it, the precision of a class that is never rightly predicted can be near 1.",
        _manliguez,
        "Manliguez, Generalized Confusion Matrix for Multiple Classes (2016), equations 5 to 7; the mistake is "
        "shown by Kandza-Tadi (2020), who lists eight papers that cite it",
    ),
    _mistake(
        "f-beta-1-plus-beta",
        "F-beta with 1 + β in place of 1 + β²",
        "It is no mean of precision and recall: where both are 1 it is not 1. At β = 1 nothing is seen of it.",
        _of_f(
            lambda p, r, beta: _over((1 + beta) * p * r, beta**2 * p + r),
            "(1 + β) P R / (β² P + R)",
            lambda beta: beta not in {0, 1},
        ),
        "Kandza-Tadi, Confusion Matrix for Multi Class (2020), function F1_Score; the formula is van Rijsbergen's "
        "(1979)",
    ),
    _mistake(
        "f-beta-unsquared",
        "F-beta with β in place of β²",
        "It weighs recall β times where the name says β² in the formula: F2 becomes F1.41.",
        _of_f(
            lambda p, r, beta: _over((1 + beta) * p * r, beta * p + r),
            "(1 + β) P R / (β P + R)",
            lambda beta: beta not in {0, 1},
        ),
        "van Rijsbergen, Information Retrieval (1979)",
    ),
    _mistake(
        "f-beta-swapped",
        "F-beta with precision and recall exchanged",
        "F2 then favours precision, which is F0.5.",
        _of_f(
            lambda p, r, beta: _over((1 + beta**2) * p * r, beta**2 * r + p),
            "(1 + β²) P R / (β² R + P)",
            lambda beta: beta != 1,
        ),
        "van Rijsbergen, Information Retrieval (1979)",
    ),
    _mistake(
        "f-arithmetic",
        "the arithmetic mean of precision and recall as F",
        "The harmonic mean is near the lesser of the two; the arithmetic mean hides that one of them is poor.",
        _of_f(lambda p, r, _: (p + r) / 2, "(P + R) / 2", lambda _: True),
        "van Rijsbergen, Information Retrieval (1979)",
    ),
    _mistake(
        "f-geometric",
        "the geometric mean of precision and recall as F",
        "It is the Fowlkes-Mallows index, never below F.",
        _of_f(lambda p, r, _: np.sqrt(p * r), "√(P R)", lambda _: True),
        "Fowlkes and Mallows, Journal of the American Statistical Association 78 (1983)",
    ),
    _mistake(
        "f-without-2",
        "F1 without the factor 2",
        "The best value is then 0.5.",
        _of_f(lambda p, r, _: _over(p * r, p + r), "P R / (P + R)", lambda beta: beta == 1),
    ),
    _mistake(
        "tn-as-other-hits",
        "true negatives counted as the hits of the other classes",
        "An item of another class that was taken for a third is a true negative as well; leaving it out lowers "
        "specificity.",
        _other_hits,
        "river.metrics.confusion: true negatives of several classes",
    ),
    _mistake(
        "complement",
        "one minus the score",
        "An error rate is printed under the name of its opposite.",
        _complement,
    ),
    _mistake(
        "without-true-negatives",
        "accuracy without the true negatives",
        "That is the Jaccard index, which is lower.",
        _without_true_negatives,
        "Jaccard, New Phytologist 11 (1912)",
    ),
    _mistake(
        "share-of-all",
        "the hits of a class over all items",
        "That is the detection rate, which cannot exceed the prevalence.",
        _of_all,
    ),
)
