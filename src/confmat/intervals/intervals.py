"""`interval`: how sure a score is. One rule for every metric, and others by name."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE
from confmat.core.stack import Stack
from confmat.intervals.asking import SAMPLED, Asked, Method, asked_of
from confmat.intervals.drawing import KINK, STILL, drawn_classes, drawn_one
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.gradient import NoSlopeError, Slope, slope, slopes_of_classes
from confmat.intervals.prevalence import Rescaled, shares_of
from confmat.intervals.scales import PROPORTIONS, by_effective_items, by_fisher, by_mean_of_two, by_normal
from confmat.intervals.settling import every_estimate, nothing, one_estimate, together
from confmat.intervals.smoothing import Smoothing, levelled, seen_cells
from confmat.intervals.variance import Design, check_design, variance, variances_of_classes
from confmat.metrics import Average, Metric
from confmat.metrics.accuracies import balanced_accuracy
from confmat.metrics.averages import Undefined, macro
from confmat.metrics.margins import Outside, read_cells
from confmat.metrics.rates import recall

__all__ = ["NOTHING", "Method", "interval", "of_items"]

Array = NDArray[np.float64]
_NAMES = {"wald": "Wald", "fisher": "Fisher's z"}
# A variance that is rounding.
NOTHING = 1e-24
# Cells that are read over and over, once for each class.
_MOST_PASSES = 2**30


def interval(
    score: Any,
    m: ConfusionMatrix | Stack,
    *more: Never,
    of: Any = None,
    average: str | Average | None = None,
    undefined: Undefined = "fair",
    weights: Any = None,
    outside: Outside = "wrong",
    level: float = 0.95,
    method: Method = "wilson",
    design: Design = "multinomial",
    at_prevalence: Any = None,
    draws: int = 10_000,
    seed: Any = 0,
    items: Stack | None = None,
    clusters: Any = None,
) -> Estimate | Estimates:
    """The score of a matrix with its interval: an Estimate, or one for each class.

    Parameters
    ----------
    score
        A metric, ours or your own, or a score as text: `"f1.macro"`, `"recall[Cat]"`.
    m
        A matrix; or a stack of one matrix per cluster (patient, document, prompt), whose sum is what is scored and
        whose matrices are what was drawn. The fewer there are the further it reaches, by Student's t.
    of, average, undefined, weights, outside
        As in a call of the metric.
    level
        How often the interval should hold the truth.
    method
        `"wilson"`, the default, is Wilson's interval at the effective number of items; on a plain proportion that is
        Wilson's own. `"exact"` (Clopper-Pearson), `"jeffreys"`, `"agresti-coull"` and `"mid-p"` take its place in the
        same rule. `"wald"`,
        `"fisher"` (artanh, for scores between -1 and 1), `"bootstrap"` (percentiles), `"bca"`, and `"bayes"`
        (Dirichlet, with a prior of one item in all).
    design
        How the items were drawn: `"multinomial"`, as they come; `"actual"` or `"predicted"`, so many of each.
    at_prevalence
        Shares of the classes where the model will be used, if they are not those of the test set: a mapping of
        class to share, or the share of the positive class.
    draws, seed
        Of the methods that draw tables.
    items
        Where items have several labels each and `m` is their count by label: what `count_multilabel` gives of the
        same items along "item". Then `of` is a label, and an average is one over labels (`"f1.macro"`) or over items
        (`"f1.samples"`), as in a report.
    clusters
        Which patient or document each of `items` is of, in their order; then these are what was drawn.

    Examples
    --------
    >>> import confmat as cm
    >>> m = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
    >>> print(interval(cm.f1, m, average="macro"))
    0.465 [0.294, 0.645]
    >>> print(interval("recall[Cat]", m))
    0.667 [0.300, 0.903]

    """
    rest = (undefined, weights, outside, level, method, design, draws, seed)
    if items is not None:
        from confmat.intervals.labelwise import of_labels

        if at_prevalence is not None:
            msg = "several labels an item have no interval at another prevalence; one of them has, give stack[label]"
            raise InputError(msg)
        with np.errstate(all="ignore"):
            return of_labels(score, m, items, clusters, of, average, *rest)
    if clusters is not None:
        msg = "`clusters` are those of `items` with several labels; otherwise count with them: count(..., clusters=)"
        raise InputError(msg)
    _check(score, m, more)
    asked = asked_of(score, m, of, average, *rest)
    # At the ends of what floats hold, what overflows is told as unknown.
    with np.errstate(all="ignore"):
        return _answered(asked, m, at_prevalence)


def _check(score: Any, m: Any, more: tuple[Never, ...]) -> None:
    if isinstance(score, (ConfusionMatrix, Stack)):
        msg = "`interval` takes the score first: interval('f1.macro', m)"
        raise InputError(msg)
    if more or not isinstance(m, (ConfusionMatrix, Stack)):
        came = "labels" if more else type(m).__name__
        msg = (
            "an interval needs a ConfusionMatrix, or a Stack of one per cluster, as in interval('f1.macro', m); "
            f"got {came}; {MAKES_ONE}"
        )
        raise InputError(msg)


def _answered(asked: Asked, m: ConfusionMatrix | Stack, at_prevalence: Any) -> Estimate | Estimates:
    if isinstance(m, Stack) and at_prevalence is None:
        from confmat.intervals.clusters import of_clusters

        return of_clusters(asked, m)
    if not isinstance(m, ConfusionMatrix):
        msg = f"an interval at another prevalence needs one ConfusionMatrix, as stack.sum() is, not {type(m).__name__}"
        raise InputError(msg)
    check_design(asked.design, m)
    if at_prevalence is not None:
        return _of_prevalence(asked, m, at_prevalence)
    return _of_every_class(asked, m) if asked.per_class else of_items(asked, m)


# --- one number ---------------------------------------------------------------------------------------------------


def of_items(asked: Asked, m: ConfusionMatrix) -> Estimate:
    """The estimate of one number, of items that were drawn one by one."""
    alone = _of_the_only_class(asked, m)
    return _of_one(asked, m) if alone is None else replace(_of_one(alone, m), name=asked.name)


def _of_one(asked: Asked, m: ConfusionMatrix) -> Estimate:
    metric = asked.metric
    value = float(metric(m, **asked.how))
    if math.isnan(value):
        return nothing(asked)
    if not m.total:
        return one_estimate(asked, value, math.nan, math.nan, math.nan, math.nan, "")
    m = levelled(m, scale_free=metric.scale_free)
    if asked.average is not None and asked.average.name in {"min", "max"} and asked.method not in SAMPLED:
        return _of_extreme(asked, m, value)
    plain = _slope_if_any(asked, m)
    if plain is None or asked.method in SAMPLED:
        return drawn_one(asked, m, value, plain, "" if plain is not None else KINK)
    error = math.sqrt(max(variance(plain, m, asked.design, outside=asked.outside), 0.0))
    if asked.method == "wald":
        low, high = by_normal(metric, value, error, asked.level)
        return one_estimate(asked, value, low, high, error, math.nan, _NAMES["wald"])
    share = plain.share
    if share is not None and asked.method != "fisher" and _is_binomial(plain, error, asked, m):
        name, proportion = PROPORTIONS[asked.method]
        ends = proportion(share.items / share.of, share.of, asked.level)
        first, last = sorted(share.factor * float(end) + share.summand for end in ends)
        return one_estimate(asked, value, first, last, error, share.of, name)
    both = _two_recalls(asked, m)
    if both is not None:
        first, last, name = by_mean_of_two(*both, asked.level, asked.method)
        alike = value * (1 - value) / error**2 if error else math.nan
        return one_estimate(asked, value, first, last, error, alike, name)
    around, spread = (value, error * error) if _needs_no_more(asked, m, value, error) else _nearby(asked, m)
    if spread <= NOTHING:
        return drawn_one(asked, m, value, None, STILL, still=True)
    if asked.method == "fisher":
        low, high = by_fisher(metric, value, around, spread, asked.level)
        return one_estimate(asked, value, low, high, error, math.nan, _NAMES["fisher"])
    low, high, items, name = by_effective_items(metric, value, around, spread, asked.level, asked.method)
    return one_estimate(asked, value, low, high, error, items, name)


def _of_the_only_class(asked: Asked, m: ConfusionMatrix) -> Asked | None:
    """A mean over one class as what it is, the score of that class, of which more is known; None of other scores."""
    mean = asked.average is not None and asked.weights is None
    if m.n_classes != 1 or not (mean or asked.metric is balanced_accuracy):
        return None
    metric, label = (asked.metric if mean else recall), m.labels.classes[0]
    same = metric(m, of=label, outside=asked.outside) == asked.metric(m, **asked.how)
    return replace(asked, metric=metric, of=label, average=None) if same else None


def _slope(asked: Asked, m: ConfusionMatrix, spread: Smoothing | None) -> Slope:
    return slope(asked.metric, m, spread=spread, **asked.how)


def _two_recalls(asked: Asked, m: ConfusionMatrix) -> tuple[Array, Array] | None:
    """Hits and items of two classes, if the score is the mean of their recalls: balanced accuracy."""
    is_mean = asked.metric is balanced_accuracy or (
        asked.metric is recall and asked.average is macro and asked.undefined in {"fair", "skip"}
    )
    if not is_mean or asked.weights is not None or asked.method not in PROPORTIONS or asked.design == "predicted":
        return None
    cells = read_cells(m, asked.outside)
    items = np.asarray(cells.actual, dtype=np.float64)
    if m.is_weighted or np.count_nonzero(items) != 2:
        return None
    hits = np.asarray(cells.tp, dtype=np.float64)[items > 0]
    return hits / items[items > 0], items[items > 0]


def _needs_no_more(asked: Asked, m: ConfusionMatrix, value: float, error: float) -> bool:
    """Whether the score is one without an end, of a class with items in all its four cells.

    Nothing has to be spread then, and odds and likelihood ratios have the intervals of Woolf (1955) and of Simel, Samsa
    and Matchar (1991), which hold the truth as often. On Fisher's scale nothing has to where there is a variance.
    """
    if asked.method == "fisher":
        return bool(_is_inside(value, error))
    if asked.metric.kind != "class" or asked.of is None or asked.metric.needs == "cells":
        return False
    return bool(_without_empty_cells(asked.metric, m, asked.outside)[m.labels.index(asked.of)])


def _is_inside(value: Any, error: Any) -> Any:
    """Whether Fisher's scale is finite and the score moves."""
    return (np.abs(value) < 1) & (np.square(error) > NOTHING)


def _without_empty_cells(metric: Metric, m: ConfusionMatrix, outside: Outside) -> NDArray[np.bool_]:
    cells = read_cells(m, outside)
    filled = np.asarray((cells.tp > 0) & (cells.fp > 0) & (cells.fn > 0) & (cells.tn > 0), dtype=bool)
    return filled if None in metric.bounds else np.zeros_like(filled)


def _nearby(asked: Asked, m: ConfusionMatrix) -> tuple[float, float]:
    """Value and variance where one item is spread: over all cells, if the score cannot move within the filled ones."""
    near, spread = _spread(asked, m, everywhere=False)
    return (near, spread) if spread > NOTHING else _spread(asked, m, everywhere=True)


def _spread(asked: Asked, m: ConfusionMatrix, *, everywhere: bool) -> tuple[float, float]:
    near = _slope(asked, m, Smoothing.of(m, asked.outside, everywhere=everywhere))
    return near.value, variance(near, m, asked.design, outside=asked.outside)


def _slope_if_any(asked: Asked, m: ConfusionMatrix) -> Slope | None:
    try:
        return _slope(asked, m, None) if asked.metric.smooth else None
    except NoSlopeError:
        return None


def _is_binomial(plain: Slope, error: float, asked: Asked, m: ConfusionMatrix) -> bool:
    """Whether a proportion varies as one of items that are drawn one by one."""
    if m.is_weighted:
        return False
    if asked.design == "multinomial":
        return True
    share = plain.share
    assert share is not None
    p = share.items / share.of if share.of else math.nan
    return bool(0 < p < 1 and abs(error * error * share.of / (p * (1 - p)) - 1) < 1e-9)


def _of_extreme(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate:
    """Of the least or greatest of K classes: bounds that hold for all K at once."""
    each = _of_every_class(replace(asked, average=None, level=1 - (1 - asked.level) / m.n_classes), m)
    extreme = np.fmin if asked.average is not None and asked.average.name == "min" else np.fmax
    low, high = (float(extreme.reduce(part, initial=math.nan)) for part in (each.low, each.high))
    name = f"{each.method}, all {m.n_classes} classes at once (Bonferroni)"
    return one_estimate(asked, value, low, high, math.nan, math.nan, name)


# --- at another prevalence ----------------------------------------------------------------------------------------


def _of_prevalence(asked: Asked, m: ConfusionMatrix, given: Any) -> Estimate | Estimates:
    if asked.method not in {*PROPORTIONS, "wald", "fisher"} or asked.design == "predicted" or not asked.metric.smooth:
        msg = (
            "at another prevalence only the rows vary: choose a method that draws no tables, such as wilson or wald, "
            "no predicted totals, and a score that has a derivative"
        )
        raise InputError(msg)
    shares = shares_of(given, m, asked.of)
    tables = [Rescaled.of(m, shares, spread) for spread in (None, Smoothing.of(m, asked.outside))]
    asked = replace(asked, design="actual")
    if not asked.per_class:
        return _of_rescaled(asked, tables)
    each = [_of_rescaled(replace(asked, of=label), tables) for label in m.labels.classes]
    return together(asked, m.labels, each)


def _of_rescaled(asked: Asked, tables: list[Rescaled]) -> Estimate:
    metric, (counted, smoothed) = asked.metric, tables
    value = float(metric(counted.matrix, **asked.how))
    if math.isnan(value):
        return nothing(asked)
    plain, near = (_slope(asked, table.matrix, None) for table in tables)
    error = math.sqrt(max(counted.variance(plain), 0.0))
    note = "at another prevalence"
    if asked.method == "wald":
        ends = by_normal(metric, value, error, asked.level)
        return one_estimate(asked, value, *ends, error, math.nan, _NAMES["wald"], note)
    spread = smoothed.variance(near)
    if asked.method == "fisher":
        ends = by_fisher(metric, value, near.value, spread, asked.level)
        return one_estimate(asked, value, *ends, error, math.nan, _NAMES["fisher"], note)
    low, high, items, name = by_effective_items(metric, value, near.value, spread, asked.level, asked.method)
    return one_estimate(asked, value, low, high, error, items, name, note)


# --- every class --------------------------------------------------------------------------------------------------


def _of_every_class(asked: Asked, m: ConfusionMatrix) -> Estimates:
    metric = asked.metric
    value = np.asarray(metric.per_class(m, outside=asked.outside), dtype=np.float64)
    m = levelled(m, scale_free=metric.scale_free)
    if not m.total:
        lost = np.full(len(value), np.nan)
        return every_estimate(asked, m.labels, value, lost, lost, lost, lost, "")
    if asked.method in SAMPLED:
        return drawn_classes(asked, m, value)
    try:
        if metric.smooth and metric.needs == "cells":
            return _one_by_one(asked, m)
        return _of_classes(asked, m, value) if metric.smooth else drawn_classes(asked, m, value, KINK)
    except NoSlopeError:
        return drawn_classes(asked, m, value, KINK)


def _of_classes(asked: Asked, m: ConfusionMatrix, value: Array) -> Estimates:
    metric = asked.metric
    plain = slopes_of_classes(metric, m, outside=asked.outside)
    spread = np.maximum(variances_of_classes(plain, m, asked.design, outside=asked.outside), 0.0)
    error = np.where(np.isnan(value), np.nan, np.sqrt(spread))
    unknown = np.full(len(value), np.nan)
    if asked.method == "wald":
        low, high = by_normal(metric, value, error, asked.level)
        return every_estimate(asked, m.labels, value, low, high, error, unknown, _NAMES["wald"])
    counted = asked.method in PROPORTIONS and asked.design == "multinomial" and not m.is_weighted
    if counted and plain.items is not None and plain.of is not None:
        name, proportion = PROPORTIONS[asked.method]
        share = np.divide(plain.items, plain.of, out=unknown.copy(), where=plain.of > 0)
        ends = [plain.factor * end + plain.summand for end in proportion(share, plain.of, asked.level)]
        return every_estimate(asked, m.labels, value, np.minimum(*ends), np.maximum(*ends), error, plain.of, name)
    near, wide = _nearby_classes(asked, m, everywhere=False)
    fisher = asked.method == "fisher"
    settled = _is_inside(value, error) if fisher else _without_empty_cells(metric, m, asked.outside)
    near, wide = np.where(settled, value, near), np.where(settled, spread, wide)
    still = (wide <= NOTHING) & ~np.isnan(value)
    if still.any():
        farther, wider = _nearby_classes(asked, m, everywhere=True)
        near, wide = np.where(still, farther, near), np.where(still, wider, wide)
    if asked.method == "fisher":
        low, high = by_fisher(metric, value, near, wide, asked.level)
        return every_estimate(asked, m.labels, value, low, high, error, unknown, _NAMES["fisher"])
    low, high, items, name = by_effective_items(metric, value, near, wide, asked.level, asked.method)
    still = (wide <= NOTHING) & ~np.isnan(value)
    if not still.any():
        return every_estimate(asked, m.labels, value, low, high, error, items, name)
    drawn = drawn_classes(asked, m, value, STILL, still=True)
    parts = ((low, drawn.low), (high, drawn.high), (error, drawn.se), (items, drawn.n_eff))
    low, high, error, items = (np.where(still, other, part) for part, other in parts)
    notes = tuple(note if at else "" for note, at in zip(drawn.notes, still.tolist(), strict=True))
    return every_estimate(asked, m.labels, value, low, high, error, items, name, notes)


def _nearby_classes(asked: Asked, m: ConfusionMatrix, *, everywhere: bool) -> tuple[Array, Array]:
    spread = Smoothing.of(m, asked.outside, everywhere=everywhere)
    near = slopes_of_classes(asked.metric, m, outside=asked.outside, spread=spread)
    return near.values, variances_of_classes(near, m, asked.design, outside=asked.outside)


def _one_by_one(asked: Asked, m: ConfusionMatrix) -> Estimates:
    if m.n_classes * len(seen_cells(m, asked.outside)[0]) > _MOST_PASSES:
        msg = (
            f"{asked.metric.name} reads all cells for each class, and {m.n_classes:,} classes are too many; "
            "name one at a time (`of`), or an average"
        )
        raise InputError(msg)
    return together(asked, m.labels, [_of_one(replace(asked, of=label), m) for label in m.labels.classes])
