"""Conventions: ways to a printed number that the name of the score does not say, each declared with its reason.

A claim that only a convention explains gets a warning, and the warning names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from confmat.auditing.checks import Check, declared
from confmat.auditing.claims import Claim
from confmat.auditing.printed import Printed
from confmat.auditing.readings import BARE, Reading, View, class_name, ordinary, positives
from confmat.metrics import Metric, declaration, metric

__all__ = ["CONVENTIONS", "TRANSPOSED", "Convention", "beta_of"]

_HUNDREDTH = Fraction(1, 100)
_ZERO_DIVISION = "scikit-learn, classification metrics: zero_division"
_OPITZ = "Opitz and Burst, arXiv:1911.03347 (2019)"
_SOKOLOVA = "Sokolova and Lapalme, Information Processing and Management 45 (2009)"


@dataclass(frozen=True)
class Convention:
    """A declared convention: the readings it gives a claim, and how its digits are printed."""

    check: Check
    readings: Callable[[Claim, View], Iterable[Reading]]
    cut: bool = False
    # The digits as another number, or None where this is no such number.
    printed: Callable[[Claim], Printed | None] = lambda claim: claim.printed

    def matches(self, claim: Claim, view: View) -> list[Reading]:
        """The readings that the printed digits allow."""
        digits = self.printed(claim)
        if digits is None:
            return []
        return [one for one in self.readings(claim, view) if digits.allows(one.value, cut=self.cut)]


def _zero_division(claim: Claim, view: View) -> Iterable[Reading]:
    """What is undefined as 0 or 1: of a class itself, in a mean over all classes; or left out of it."""
    for fill in (0.0, 1.0):
        says = f"0/0 printed as {fill:g}"
        for one in ordinary(claim, view):
            if math.isnan(one.value):
                yield Reading(fill, f"{one.says} with {says}" if claim.is_bare else says, one.key)
        for name in _averages(claim):
            value = view.average(claim.metric, name, fill)
            yield Reading(value, f"{claim.metric.name}.{name} over all classes with {says}", ("average", name))
    for name in _averages(claim):
        value = view.average(claim.metric, name, "skip")
        yield Reading(value, f"{claim.metric.name}.{name}, classes without a value left out", ("average", name))


def _averages(claim: Claim) -> tuple[str, ...]:
    """The means that a claim may stand for."""
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
    for place in np.flatnonzero([claim.printed.allows(value) for value in values.tolist()]).tolist()[:5]:
        if claim.score.average is None or len(view.classes) == 2:
            yield Reading(float(values[place]), f"{claim.metric.name}[{class_name(view, place)}]")


# The other meanings of a name, as scores: what is printed under the first may be one of the second.
_MEANINGS: dict[str, tuple[str, ...]] = {
    "accuracy": ("average_accuracy", "balanced_accuracy", "seen_balanced_accuracy"),
    "average_accuracy": ("accuracy",),
    "error_rate": ("average_error_rate",),
    "average_error_rate": ("error_rate",),
    "balanced_accuracy": (
        "one_vs_rest_balanced_accuracy",
        "seen_balanced_accuracy",
        "weighted_one_vs_rest_balanced_accuracy",
        "adjusted_balanced_accuracy",
    ),
    "one_vs_rest_balanced_accuracy": ("balanced_accuracy", "seen_balanced_accuracy"),
    "seen_balanced_accuracy": ("balanced_accuracy", "one_vs_rest_balanced_accuracy"),
    "one_point_auc": ("balanced_accuracy",),
    "mcc": ("class_mcc.macro", "class_mcc.weighted", "class_mcc.micro"),
    "class_mcc": ("mcc",),
    "kappa": (
        "weighted_kappa_linear",
        "weighted_kappa_quadratic",
        "scott_pi",
        "class_kappa.macro",
        "class_kappa.weighted",
    ),
    "weighted_kappa_linear": ("kappa", "weighted_kappa_quadratic"),
    "weighted_kappa_quadratic": ("kappa", "weighted_kappa_linear"),
    "multiclass_g_mean": ("class_g_mean.macro",),
    "class_g_mean": ("multiclass_g_mean",),
    "class_accuracy": ("accuracy",),
}


def _other_meanings(claim: Claim, view: View) -> Iterable[Reading]:
    if not isinstance(claim.metric, Metric) or claim.place is not None:
        return
    for spelling in _MEANINGS.get(claim.metric.name, ()):
        name, _, how = spelling.partition(".")
        found = metric(name)
        yield Reading(view.average(found, how) if how else float(view.whole(found)), spelling)
    yield from _f_of_means(claim, view)


def _f_of_means(claim: Claim, view: View) -> Iterable[Reading]:
    """The F of the mean precision and recall for the mean of F, and the other way round."""
    beta = beta_of(claim.metric)
    if beta is not None and claim.of_classes:
        for how in _averages(claim):
            p, r = (view.average(metric(name), how) for name in ("precision", "recall"))
            bottom = beta * beta * p + r
            value = (1 + beta * beta) * p * r / bottom if bottom else math.nan
            yield Reading(value, f"the F{beta:g} of {how} precision and {how} recall instead of the {how} F{beta:g}")
    elif beta is not None:
        f = declaration()["f_beta"](beta)
        yield Reading(view.average(f, "macro"), f"{f.name}.macro, the mean of F instead of the F of means")


def beta_of(found: Metric) -> float | None:
    """The beta of an F measure, of classes or of means."""
    if found.factory is None or found.factory[0] not in {"f_beta", "f_of_macro"}:
        return None
    args, named = found.factory[1]
    return float((*args, *named.values(), 1)[0])


def _as_per_cent(claim: Claim) -> Printed | None:
    """93 for 0.93: digits beyond what the score can be, and no sign."""
    bounds = getattr(claim.metric, "bounds", (None, None))
    if claim.printed.percent or claim.printed.nothing or bounds[1] != 1 or abs(claim.printed.value) < 1:
        return None
    return claim.printed.scaled(_HUNDREDTH)


def _others(claim: Claim, view: View) -> Iterable[Reading]:
    """Of two classes with a positive one, the other."""
    if claim.is_bare and len(view.classes) == 2 and len(positives(view)) == 1:
        values = view.per_class(claim.metric)
        place = 1 - positives(view)[0]
        yield Reading(float(values[place]), f"{claim.metric.name}[{class_name(view, place)}]")
    yield from _other_classes(claim, view)


TRANSPOSED = Convention(
    declared(
        "transposed",
        "warning",
        "rows and columns exchanged",
        "Read the wrong way round, precision becomes recall; nothing in a table of numbers says which way is meant.",
        "scikit-learn issue 16822 and others like it",
    ),
    lambda claim, view: ordinary(claim, view.flipped),
)

# In the order in which they are preferred where several explain as many claims.
CONVENTIONS: tuple[Convention, ...] = (
    Convention(
        declared(
            "zero-division",
            "warning",
            "0/0 printed as a number",
            "A rate of nothing has no value; 0 blames, 1 praises, and a mean over classes depends on which.",
            _ZERO_DIVISION,
        ),
        _zero_division,
    ),
    Convention(
        declared("per-cent", "warning", "per cent without the sign", "A reader takes 93 for what it says."),
        ordinary,
        printed=_as_per_cent,
    ),
    Convention(
        declared(
            "truncated", "warning", "digits cut off, not rounded", "Cut digits are too low, all in one direction."
        ),
        ordinary,
        cut=True,
    ),
    Convention(
        declared(
            "another-meaning",
            "warning",
            "another score of the same name",
            "Accuracy, balanced accuracy and macro F each have several definitions, which differ and can rank models "
            "differently.",
            f"{_OPITZ}; {_SOKOLOVA}",
        ),
        _other_meanings,
    ),
    Convention(
        declared(
            "another-average",
            "warning",
            "another average than the claim says",
            "Macro, micro and weighted means answer different questions.",
            _SOKOLOVA,
        ),
        _other_averages,
    ),
    TRANSPOSED,
    Convention(
        declared("another-class", "warning", "another class than the claim says", "A row of the table may be shifted."),
        _others,
    ),
)
