"""`interval`: how sure a score is, of one matrix, of clusters, or of items with several labels."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np

from confmat.core.building import positive_of
from confmat.core.errors import Argument, InputError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, door, whole_number
from confmat.core.samples import PIXELS_ALIKE, Sample, holds_pixels
from confmat.core.stack import Stack
from confmat.intervals.asked import (
    AT,
    AXIS,
    EACH,
    AreaMethod,
    Asked,
    Method,
    area_named,
    ask,
    without,
)
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.single import estimate_single
from confmat.intervals.variance import Design
from confmat.metrics import Average
from confmat.metrics.averages import Undefined
from confmat.metrics.items import SAMPLES, score_of_labels
from confmat.metrics.margins import Outside

if TYPE_CHECKING:
    from confmat.metrics.declaration import MatrixMetric

    class IntervalOptions(TypedDict, total=False):
        """The options of `interval` that say nothing about what it returns."""

        undefined: Undefined
        weights: Any
        outside: Outside
        level: float
        method: Method | AreaMethod
        max_fpr: float | None
        at: int
        design: Design
        at_prevalence: Any
        draws: int
        seed: Any
        items: Stack | None
        clusters: Any


# Scores of which everybody asks, and which type checkers know for one number.
OneNumber = Literal[
    "accuracy", "balanced_accuracy", "mcc", "kappa", "f1.macro", "f1.micro", "f1.weighted", "precision.macro",
    "precision.weighted", "recall.macro", "recall.weighted",
]  # fmt: skip


@overload
def interval(
    m: ConfusionMatrix | Stack,
    score: Any,
    *,
    average: str | Average,
    **options: Unpack[IntervalOptions],
) -> Estimate: ...
@overload
def interval(
    m: ConfusionMatrix | Stack, score: Any, *, of: str | int, **options: Unpack[IntervalOptions]
) -> Estimate: ...
@overload
def interval(
    m: ConfusionMatrix | Stack, score: OneNumber | MatrixMetric, **options: Unpack[IntervalOptions]
) -> Estimate: ...
@overload
def interval(
    m: ConfusionMatrix | Stack,
    score: Any,
    *,
    of: Any = None,
    average: str | Average | None = None,
    **options: Unpack[IntervalOptions],
) -> Estimate | Estimates: ...
@door
def interval(
    m: ConfusionMatrix | Stack,
    score: Any,
    *,
    of: Any = None,
    average: str | Average | None = None,
    undefined: Undefined = "fair",
    weights: Any = None,
    outside: Outside = "wrong",
    level: float = 0.95,
    method: Method | AreaMethod = "wilson",
    max_fpr: float | None = None,
    at: int = AT,
    design: Design = "multinomial",
    at_prevalence: Any = None,
    draws: int = 10_000,
    seed: Any = 0,
    items: Stack | None = None,
    clusters: Any = None,
) -> Estimate | Estimates:
    """Return the score of a matrix with its interval: an Estimate, or one for each class.

    Parameters
    ----------
    m
        A matrix; or a stack of one matrix per cluster (patient, document, prompt), whose sum is
        scored and whose matrices were drawn. The fewer clusters there are the wider is the
        interval, by Student's t. Or a sweep, as `thresholds` gives it, for the areas under its
        curves.
    score
        A metric, ours or your own, or a score as text: `"f1.macro"`, `"recall[Cat]"`. A bare score
        per class is that of the positive one of two classes, and otherwise that of every class. A
        sweep has `"roc_auc"` and `"average_precision"`.
    of, average, undefined, weights, outside
        As in a call of the metric.
    level
        How often the interval should hold the truth.
    method
        `"wilson"`, the default: of a plain proportion Wilson's interval, with Poisson bounds for
        one or two hits or misses (or three of over fifty), which `"score"` leaves out; of any other
        score the score test inverted where items are few, and Wilson's at the effective number of
        items elsewhere. `"exact"` (Clopper-Pearson) takes Wilson's place. `"wald"`, `"bootstrap"`
        (percentiles), and `"bayes"` (Dirichlet, with a prior of one item in all). `"anytime"` holds
        at every look, whenever you stop: for shares, such as accuracy or the recall, precision or
        F1 of a class. The area under a ROC curve has, unless `"delong"` or `"logit"` ask for
        DeLong's own, which seldom hold areas near 1, the score interval on Newcombe's curve with
        DeLong's variance.
    max_fpr
        The false positive rate up to which the area is taken, as `roc_auc` takes it.
    at
        The number of items near which an interval by "anytime" is narrowest.
    design
        How the items were drawn: `"multinomial"`, as they come; `"actual"` or `"predicted"`, so
        many of each.
    at_prevalence
        Shares of the classes where the model will be used, if they are not those of the test set: a
        mapping of class to share, or the share of the positive class; or what `estimate_prevalence`
        gives, whose own uncertainty is carried along.
    draws, seed
        For the methods that draw tables.
    items
        Where items have several labels each and `m` is their count by label: the stack of the same
        items that `count_multilabel` gives along "item". Then `of` is a label, and an average is
        one over labels (`"f1.macro"`) or over items (`"f1.samples"`), as in a report.
    clusters
        The patient or document of each of `items`, in their order; then patients or documents were
        drawn.

    Returns
    -------
    Estimate or Estimates
        The value with its bounds, which unpack as `low, high`; of every class, a sequence of them.

    Raises
    ------
    InputError
        If a wish is unknown, or does not go with the matrix or with another wish.

    Examples
    --------
    >>> import confmat as cm
    >>> m = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
    >>> print(interval(m, cm.f1, average="macro"))
    0.465 [0.297, 0.650]
    >>> low, high = interval(m, "recall[Cat]")
    >>> round(low, 3), round(high, 3)
    (0.3, 0.903)

    """
    _check(m, score)
    wishes: dict[str, Any] = {
        "average": average, "undefined": undefined, "weights": weights, "outside": outside, "design": design,
        "at_prevalence": at_prevalence, "draws": draws, "seed": seed,
    }  # fmt: skip
    area, written = area_named(score)
    if area is not None and isinstance(m, Stack) and m.axis in {AXIS, EACH}:
        of = written or of
        beside = {"at": at, "items": items, "clusters": clusters}
        alone = None if m.axis == EACH else of
        _refuse_wishes(f"of {area} of a sweep", **wishes, **beside, of=alone)
        return _of("scored").estimate_areas(m, area, level, method, max_fpr, of)
    if max_fpr is not None:
        msg = (
            "{max_fpr} is of a sweep: interval(thresholds(actual, scores), 'roc_auc', max_fpr={!r})"
        )
        raise InputError(Message(msg, max_fpr))
    if at is not AT and method != "anytime":
        _refuse_wishes(f"by {method!r}", at=at)
    wishes |= {"of": of, "level": level, "method": method}
    if items is not None:
        return _of_items(m, score, items, clusters, wishes)
    if clusters is not None:
        msg = "`clusters` are those of `items` with several labels; otherwise count with them: count(..., clusters=)"
        raise InputError(msg)
    asked = ask(m, score, **wishes)
    if asked.per_class and m.labels.n_classes == 2:
        asked = replace(asked, of=positive_of(m.labels))
    found = (
        _of("anytime").estimate_anytime(asked, m, whole_number("at", at, 1))
        if method == "anytime"
        else estimate(asked, m)
    )
    # Few calls give them, and this looks at every call.
    if draws == Asked.draws and seed is Asked.seed:
        return found
    return _saying_idle(found, _given(draws=draws, seed=seed))


def _of(design: str) -> Any:
    """The module for one way of drawing; the intervals of a plain matrix load none of these."""
    return import_module(f"confmat.intervals.{design}")


def _saying_idle(found: Estimate | Estimates, idle: list[str]) -> Estimate | Estimates:
    """Return the same with a remark, where nothing was drawn, that wishes for draws change nothing."""
    if not idle or any(word in found.method for word in ("bootstrap", "posterior")):
        return found
    remark = f"nothing is drawn, so {idle[0]}= changes nothing"
    if isinstance(found, Estimate):
        return replace(found, note="; ".join(filter(None, (found.note, remark))))
    notes = found.notes or ("",) * len(found)
    return replace(found, notes=tuple("; ".join(filter(None, (note, remark))) for note in notes))


def _of_items(
    m: Any, score: Any, items: Stack, clusters: Any, wishes: dict[str, Any]
) -> Estimate | Estimates:
    """Return the estimate of items with several labels each."""
    _of("items").check_items(m, items, wishes["at_prevalence"])
    if wishes["average"] == SAMPLES.name:
        wishes["average"] = SAMPLES
    asked = ask(m, score_of_labels(score), labels=Labels(tuple(m)), **wishes)
    if asked.method == "anytime":
        # It refuses whatever is not drawn item by item.
        return _of("anytime").estimate_anytime(asked, m, AT)
    with np.errstate(all="ignore"):
        return _of("items").estimate_items(asked, m, items, clusters)


def estimate(asked: Asked, m: ConfusionMatrix | Stack) -> Estimate | Estimates:
    """Return the estimate of a matrix, or of a stack of clusters."""
    # At the ends of what floats hold, an overflow becomes NaN, which is reported as unknown.
    m = m.known if isinstance(m, Sample) else m
    with np.errstate(all="ignore"):
        if m.notes and isinstance(m, ConfusionMatrix) and holds_pixels(m):
            return without(replace(asked, note=PIXELS_ALIKE), m)
        if isinstance(m, Sample) and asked.at_prevalence is None:
            return _of("sampled").estimate_sample(asked, m)
        if isinstance(m, ConfusionMatrix):
            return estimate_single(asked, m)
        if asked.at_prevalence is not None:
            msg = "an interval at another prevalence needs one ConfusionMatrix, as stack.sum() is, not Stack"
            raise InputError(msg)
        return _of("clusters").estimate_clusters(asked, m)


def _check(m: Any, score: Any) -> None:
    if isinstance(score, (ConfusionMatrix, Stack)):
        msg = "`interval` takes the matrix first: interval(m, 'f1.macro')"
        raise InputError(msg)
    if not isinstance(m, (ConfusionMatrix, Stack)):
        if callable(getattr(m, "interval", None)):
            msg = f"a {type(m).__name__} knows its intervals itself: .interval({score!r:.60})"
            raise InputError(msg)
        msg = (
            "an interval needs a ConfusionMatrix, or a Stack of one per cluster, as in interval(m, "
            "'f1.macro'); "
            f"got {type(m).__name__}; {MAKES_ONE}"
        )
        raise InputError(msg)


def _given(**wishes: Any) -> list[str]:
    """The wishes that are not as usual."""
    usual = signature(interval).parameters
    return [name for name, value in wishes.items() if value is not usual[name].default]


def _refuse_wishes(what: str, **wishes: Any) -> None:
    """Complain of wishes that the interval of an area under a curve, or by some method, does not know."""
    if given := _given(**wishes):
        msg = Message("the interval {} takes no {}; leave it out", what, Argument(given[0]))
        raise InputError(msg)
