"""The interval of a score of one matrix, whose items were drawn one by one: one rule for every metric, others by name.

A plain proportion has the interval of a proportion. Any other score has the variance that its
gradient gives, and the interval of a proportion of as many items as would vary as much; where no
derivative tells, tables are drawn. At another prevalence the rows of the matrix are rescaled: what
a model does with the items of a class is estimated from those items alone, and how often the class
occurs is given, so only the rows vary, each around its own total.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import by_label
from confmat.core.cells import Cells
from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import is_number, told
from confmat.core.samples import holds_weights
from confmat.intervals.asked import (
    SAMPLED,
    Asked,
    by_gradient,
    every_estimate,
    nothing,
    one_estimate,
    together,
)
from confmat.intervals.bounds import PROPORTIONS, by_effective_items, by_items, by_normal
from confmat.intervals.draws import KINK, STILL, drawn_classes, drawn_one, slope_if_any
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.gradient import (
    NoSlopeError,
    share_of,
    shares_of_classes,
    slope,
    slopes_of_classes,
)
from confmat.intervals.independence import estimate_association, from_below
from confmat.intervals.inversion import (
    ENDLESS,
    INVERTED,
    bounds_of_classes,
    bounds_of_number,
    with_infinities,
)
from confmat.intervals.means import FEW_ITEMS, estimate_rare
from confmat.intervals.prevalence import Prevalence
from confmat.intervals.variance import (
    ROUNDING_VARIANCE,
    Slope,
    Smoothing,
    check_design,
    levelled,
    seen_cells,
    variance,
    variances_of_classes,
)
from confmat.metrics import Metric, find
from confmat.metrics.accuracies import balanced_accuracy
from confmat.metrics.averages import macro, micro, weighted
from confmat.metrics.margins import read_cells
from confmat.metrics.rates import recall

Array = NDArray[np.float64]
# Cells that are read over and over, once for each class.
_MOST_CELL_READS = 2**30
# Classes, at most, whose scores are inverted.
_MOST_CLASSES = 50
# The share of a class whose likeliest share is 0.
_SOME = 1e-9


def estimate_single(asked: Asked, m: ConfusionMatrix) -> Estimate | Estimates:
    """Return the estimate of a score of one matrix, or of each class."""
    check_design(asked.design, m)
    if asked.at_prevalence is not None:
        return _at_prevalence(asked, m)
    return _every_class(asked, m) if asked.per_class else estimate_number(asked, m)


# --- one number -----------------------------------------------------------------------------------


def estimate_number(asked: Asked, m: ConfusionMatrix) -> Estimate:
    """Return the estimate of one number, of items drawn one by one, from the first rule that knows the score."""
    value = float(asked.metric(m, **asked.keywords))
    for rule in _RULES:
        found = rule(asked, m, value)
        if found is not None:
            return found
    return _by_slope(asked, m, value)


def _carried(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate | None:
    found: Estimate | None = carried_over(asked, m, value, lambda other: estimate_number(other, m))
    return found


def _of_proportion(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate | None:
    if math.isnan(value) or not _counts_items(asked, m):
        return None
    share = share_of(
        asked.metric, m, value, of=asked.of, average=asked.average, outside=asked.outside
    )
    if share is None:
        return None
    p = share.items / share.of
    low, high, name = by_items(p, share.of, asked.level, asked.method)
    return one_estimate(asked, value, low, high, math.sqrt(p * (1 - p) / share.of), share.of, name)


def _without_value(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate | None:
    """Nothing of a score that has no value; but one that runs to infinity, such as odds over 0, has one bound."""
    if not math.isnan(value):
        return (
            None
            if m.total
            else one_estimate(asked, value, math.nan, math.nan, math.nan, math.nan, "")
        )
    return _one_of_classes(asked, m) or nothing(asked)


def _one_of_classes(asked: Asked, m: ConfusionMatrix) -> Estimate | None:
    """Return the inverted estimate of a score that reads the four cells of one class; None of other scores."""
    if asked.of is None or not _reads_four_cells(asked.metric) or not inverts(asked, m):
        return None
    return replace(_every_class(replace(asked, of=None), m).of(asked.of), name=asked.name)


def _of_only_class(asked: Asked, m: ConfusionMatrix, _: float) -> Estimate | None:
    alone = of_the_only_class(asked, m)
    return None if alone is None else replace(estimate_number(alone, m), name=asked.name)


def _of_extreme(asked: Asked, m: ConfusionMatrix, _: float) -> Estimate | None:
    """Return the estimate of the least or greatest of K classes, with bounds that hold for all K at once."""
    if asked.average is None or asked.average.name not in {"min", "max"} or asked.method in SAMPLED:
        return None
    each = _every_class(replace(asked, average=None, level=1 - (1 - asked.level) / m.n_classes), m)
    extreme = np.fmin if asked.average.name == "min" else np.fmax
    low, high = (float(extreme.reduce(part, initial=math.nan)) for part in (each.low, each.high))
    name = f"{each.method}, all {m.n_classes} classes at once (Bonferroni)"
    return one_estimate(
        asked, float(asked.metric(m, **asked.keywords)), low, high, math.nan, math.nan, name
    )


def _of_association(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate | None:
    known = asked.metric.association is not None and (
        asked.method in PROPORTIONS or asked.metric.population
    )
    return estimate_association(asked, m, value) if known else None


def _by_slope(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate:
    """Return the estimate of any other score, from its derivative if it has one and from drawn tables if not."""
    m = levelled(m, scale_free=asked.metric.scale_free)
    plain = slope_if_any(asked, m)
    if plain is None:
        return drawn_one(asked, m, value, KINK, smoothed=True)
    if asked.method in SAMPLED:
        return drawn_one(asked, m, value, "", smoothed=False)
    error = math.sqrt(max(variance(plain, m, asked.design, outside=asked.outside), 0.0))
    if asked.method == "wald":
        return by_gradient(asked, value, error, value, error * error)
    of_one = _one_of_classes(asked, m)
    if of_one is not None:
        return of_one
    inverted = bounds_of_number(asked, m) if inverts(asked, m) else None
    if inverted is not None and inverted[0] < inverted[1]:
        return by_inversion(asked, value, error, inverted)
    near, spread = nearby(asked, m, plain)
    if spread <= ROUNDING_VARIANCE:
        return drawn_one(asked, m, value, STILL, smoothed=True, still=True)
    rare = estimate_rare(asked, m, value, error, near, spread)
    return rare or by_gradient(asked, value, error, near, spread)


# The first that knows the score gives the estimate.
_RULES = (
    _carried, _of_proportion, _without_value, _of_only_class, _of_extreme, _of_association,
)  # fmt: skip


def inverts(asked: Asked, m: ConfusionMatrix) -> bool:
    """Whether bounds come from the score test, which takes counted items and a smooth score of not too many cells.

    With more than two classes the score of all is inverted where one has few items: elsewhere its
    variance says as much, and in a table with more cells than items the likeliest population says
    too little.
    """
    if (
        asked.method not in PROPORTIONS
        or holds_weights(m)
        or not asked.metric.smooth
        or asked.metric.association
    ):
        return False
    if m.n_classes > _MOST_CLASSES or _leaves_out(asked, m):
        return False
    if m.n_classes == 2 or (asked.average is None and _reads_four_cells(asked.metric)):
        return True
    return m.n_classes**2 <= m.total and _has_rare(read_cells(m, asked.outside))


def _has_rare(cells: Cells) -> bool:
    """Whether a class that occurs has few items, or few that are predicted so."""
    fewest = np.minimum(cells.actual, cells.predicted)[np.asarray(cells.actual) > 0]
    return bool(fewest.min(initial=FEW_ITEMS) < FEW_ITEMS)


def _reads_four_cells(metric: Metric) -> bool:
    """Whether the score of a class is one of its four cells alone."""
    return metric.kind == "class" and metric.needs != "cells"


def _leaves_out(asked: Asked, m: ConfusionMatrix) -> bool:
    """Whether a mean is taken without a class that occurs, which has a value in other populations."""
    if asked.average is None or asked.average.pooled:
        return False
    options = {"undefined": asked.undefined, "weights": asked.weights, "outside": asked.outside}
    taken = asked.metric.averaged(m, asked.average, **options)[1]
    return taken is not None and bool(
        taken.used < np.count_nonzero(read_cells(m, asked.outside).actual)
    )


def by_inversion(asked: Asked, value: float, error: float, ends: Array, note: str = "") -> Estimate:
    """Return the estimate whose bounds the score test gave."""
    note = "; ".join(filter(None, [note, *([ENDLESS] * bool(np.isinf(ends).any()))]))
    return one_estimate(
        asked,
        value,
        ends[0],
        ends[1],
        error,
        _items_alike(asked.metric, value, error),
        INVERTED,
        note,
    )


def carried_over(
    asked: Asked, m: ConfusionMatrix, value: Any, estimate: Callable[[Asked], Any]
) -> Any:
    """Return the estimate of a score that is a monotone function of another, from the estimate of that one."""
    source = _source(asked, m)
    if source is None:
        return None
    before, function = estimate(source[0]), source[1]
    at = np.asarray(before.value)
    middle, low, high = (
        np.asarray(function(part)) for part in (at, np.asarray(before.low), np.asarray(before.high))
    )
    off = np.isfinite(middle) & ~np.isinf(value) & ~np.isclose(middle, value, rtol=1e-9, atol=1e-9)
    if np.any(off | (np.isnan(low) & ~np.isnan(value))) or np.all(np.isnan(low)):
        return None
    value = np.where(np.isnan(value) & np.isinf(middle), middle, value)[()]
    # A complex step gives the derivative of the function to the last digit.
    error = np.abs(np.imag(function(at + 1e-30j)) * 1e30) * before.se
    items = _items_alike(asked.metric, value, error)
    items = np.where(np.isnan(items), before.n_eff, items)
    derived = (
        "" if function is _rest or ", of " in before.method else f", of {source[0].metric.name}"
    )
    method = f"{before.method}{derived}"
    ends = np.minimum(low, high), np.maximum(low, high)
    if asked.per_class:
        return every_estimate(asked, m.labels, value, *ends, error, items, method)
    note = (
        nothing(asked).note
        if math.isnan(value)
        else ""
        if math.isnan(before.value)
        else before.note
    )
    return replace(one_estimate(asked, value, *ends, float(error), items, method), note=note)


def _source(asked: Asked, m: ConfusionMatrix) -> tuple[Asked, Callable[[Any], Any]] | None:
    """Return the score that this one is a monotone function of, and that function; None where there is none."""
    name, function = _other(asked.metric, m)
    if name is None or asked.method not in {*PROPORTIONS, "anytime"}:
        return None
    straight = function is _rest and asked.average in {macro, weighted, micro}
    if asked.average is not None and not straight:
        return None
    return replace(asked, metric=find(name)), function


def _other(metric: Metric, m: ConfusionMatrix) -> tuple[str | None, Callable[[Any], Any]]:
    """The name of the score that a metric is a monotone function of, if there is one, and that function."""
    other = metric.complement
    if metric.better == "lower" and other is not None and find(other).better != "lower":
        return other, _rest
    if metric.function_of is None:
        return None, _rest
    name, function = metric.function_of
    with_k = metric.kind == "matrix" and metric.depends_on_k
    return name, partial(function, k=m.n_classes) if with_k else function


_rest = partial(np.subtract, 1)


def of_the_only_class(asked: Asked, m: ConfusionMatrix) -> Asked | None:
    """Read a mean over one class, or the only one that occurs, as the score of that class; else None."""
    mean = asked.average is not None and asked.weights is None
    occur = (
        np.flatnonzero(np.asarray(read_cells(m, asked.outside).actual))
        if m.n_classes > 1
        else np.zeros(1, int)
    )
    over_all = asked.average is not None and (
        asked.average.name == "micro" or asked.undefined != "fair"
    )
    if (
        len(occur) != 1
        or (over_all and m.n_classes > 1)
        or not (mean or asked.metric is balanced_accuracy)
    ):
        return None
    metric, label = (asked.metric if mean else recall), m.labels.classes[int(occur[0])]
    same = np.isclose(
        metric(m, of=label, outside=asked.outside),
        asked.metric(m, **asked.keywords),
        rtol=1e-12,
        atol=0,
    )
    return replace(asked, metric=metric, of=label, average=None) if same else None


def _items_alike(metric: Metric, value: Any, error: Any) -> Array:
    """How many items would make a plain proportion as sure as a score with that standard error."""
    low, high = metric.bounds
    if low is None or high is None:
        return np.full(np.shape(value), np.nan)
    variance = np.where(np.square(error) > ROUNDING_VARIANCE, np.square(error), np.nan)
    return np.asarray((value - low) * (high - value) / variance)


def nearby(asked: Asked, m: ConfusionMatrix, plain: Slope) -> tuple[float, float]:
    """Value and variance where one item is spread: over all cells, if the score cannot move within the filled ones."""
    near, spread = _spread(asked, m, plain, everywhere=False)
    return (
        (near, spread) if spread > ROUNDING_VARIANCE else _spread(asked, m, plain, everywhere=True)
    )


def _spread(
    asked: Asked, m: ConfusionMatrix, plain: Slope, *, everywhere: bool
) -> tuple[float, float]:
    near = slope(
        asked.metric,
        m,
        spread=Smoothing.of(m, asked.outside, everywhere=everywhere),
        like=plain,
        **asked.keywords,
    )
    return near.value, variance(near, m, asked.design, outside=asked.outside)


def _counts_items(asked: Asked, m: ConfusionMatrix) -> bool:
    """Whether a proportion varies as one of items that are drawn one by one, which those of one class are."""
    if asked.method not in PROPORTIONS or holds_weights(m):
        return False
    if asked.design in ("multinomial", asked.metric.share_of):
        return True
    several = m.n_classes > 2 or bool(m.labels.outside)
    return not several and asked.metric.share_of == f"{asked.design}_negative"


# --- at another prevalence ------------------------------------------------------------------------


def _at_prevalence(asked: Asked, m: ConfusionMatrix) -> Estimate | Estimates:
    if (
        asked.method not in {*PROPORTIONS, "wald"}
        or asked.design == "predicted"
        or not asked.metric.smooth
    ):
        msg = (
            "at another prevalence only the rows vary: choose a method that draws no tables, such "
            "as wilson or wald, "
            "no predicted totals, and a score that has a derivative"
        )
        raise InputError(msg)
    shares = _shares_of(asked.at_prevalence, m, asked.of)
    estimated = asked.at_prevalence if isinstance(asked.at_prevalence, Prevalence) else None
    tables = [
        _Rescaled.of(m, shares, spread, estimated)
        for spread in (None, Smoothing.of(m, asked.outside))
    ]
    asked = replace(asked, design="actual")
    if not asked.per_class:
        return _of_rescaled(asked, tables, m)
    each = [_of_rescaled(replace(asked, of=label), tables, m) for label in m.labels.classes]
    return together(asked, m.labels, each)


def _of_rescaled(asked: Asked, tables: list[_Rescaled], m: ConfusionMatrix) -> Estimate:
    metric, (counted, smoothed) = asked.metric, tables
    value = float(metric(counted.matrix, **asked.keywords))
    fixed = counted.estimated is None
    note = "at another prevalence" if fixed else "at an estimated prevalence"
    carried = carried_over(
        asked, counted.matrix, value, lambda other: _of_rescaled(other, tables, m)
    )
    if carried is not None:
        return replace(carried, note=note)
    if fixed and asked.of is not None and inverts(asked, m):
        at = m.labels.index(asked.of)
        value = float(
            with_infinities(
                metric, counted.matrix, metric.per_class(counted.matrix), asked.outside
            )[at]
        )
    if math.isnan(value):
        return nothing(asked)
    plain, near = (slope(metric, table.matrix, **asked.keywords) for table in tables)
    error = math.sqrt(max(counted.variance(plain), 0.0))
    if fixed and inverts(asked, m):
        return by_inversion(
            asked, value, error, bounds_of_number(asked, m, counted.matrix.actual_totals), note
        )
    found = by_gradient(asked, value, error, near.value, smoothed.variance(near), note=note)
    return from_below(asked, m, m.total, found)


@dataclass(frozen=True)
class _Rescaled:
    """A table whose rows have other totals, and how many items each row came from.

    Where these totals are estimates, `rates` are the shares of the answers in each row; `own` says
    that the matrix is their reference itself.
    """

    matrix: ConfusionMatrix
    rows: Array
    rates: Array
    estimated: Prevalence | None
    own: bool

    @classmethod
    def of(
        cls,
        m: ConfusionMatrix,
        shares: Array,
        spread: Smoothing | None,
        estimated: Prevalence | None = None,
    ) -> _Rescaled:
        """Each row of the counted or smoothed table, scaled to its class's share of all items."""
        if m.labels.outside or holds_weights(m):
            what = "labels outside the classes" if m.labels.outside else "weights"
            msg = f"at_prevalence rescales rows of counted items, and this matrix has {what}"
            raise InputError(msg)
        table = m.counts.astype(np.float64)
        if spread is not None:
            table = (table + spread.each * np.outer(spread.rows, spread.columns)) * spread.scale
        rows = table.sum(axis=1)
        unknown = (rows == 0) & (shares > 0)
        if unknown.any():
            label = m.labels.classes[int(np.argmax(unknown))]
            msg = f"at_prevalence gives {label!r} a share, but the matrix has no items of it to tell what they become"
            raise InputError(msg)
        factor = np.divide(shares * m.total, rows, out=np.zeros(len(rows)), where=rows > 0)
        own = estimated is not None and np.array_equal(estimated.reference.counts, m.counts)
        rates = np.divide(table, rows[:, None], out=np.zeros_like(table), where=rows[:, None] > 0)
        return cls(
            ConfusionMatrix(table * factor[:, None], labels=m.labels), rows, rates, estimated, own
        )

    def variance(self, slope: Slope) -> float:
        """The variance of a score of the rescaled table, each row varying around its total, and the totals too.

        A matrix that is its own reference moves the score by its rows, and by the shares that
        follow from them.
        """
        table = self.matrix.counts.astype(np.float64)
        totals = table.sum(axis=1)
        kept = totals > 0
        size = len(table)
        g = slope.at(*(part.ravel() for part in np.indices(table.shape))).reshape(size, size)
        between = 0.0
        if self.estimated is not None:
            by_share = (self.rates * g).sum(axis=1) * totals.sum()
            between = self.estimated._spread(by_share, given_reference=self.own)
            g = g - by_share @ self.estimated.inverse / totals.sum() if self.own else g
        share, g = self.rates[kept], g[kept]
        mean = (share * g).sum(axis=1)
        within = (share * (g - mean[:, None]) ** 2).sum(axis=1)
        return between + float((totals[kept] ** 2 / self.rows[kept] * within).sum())


def _shares_of(prevalence: Any, m: ConfusionMatrix, of: Any) -> Array:
    """The share of each class: given for all, or for some, with the others keeping their proportions."""
    if isinstance(prevalence, Prevalence):
        return _estimated_shares(prevalence, m.labels)
    stated = _stated(prevalence, m.labels, of)
    given = np.array([*stated.values()])
    total = given.sum()
    if not ((given >= 0) & (given <= 1)).all() or total > 1 + 1e-12:
        msg = f"prevalences are shares of all items, between 0 and 1 and together no more than 1; got {prevalence!r}"
        raise InputError(msg)
    shares = np.asarray(m.actual_totals, dtype=np.float64).copy()
    named = np.zeros(len(shares), dtype=bool)
    places = list(map(m.labels.index, stated))
    shares[places], named[places] = given, True
    rest = shares[~named].sum()
    if named.all() or total >= 1:
        if abs(total - 1) > 1e-9:
            msg = f"prevalences of all classes add up to 1; got {total:g}"
            raise InputError(msg)
        shares[~named] = 0
    elif rest == 0:
        msg = "the classes without a given prevalence have no items, so the rest cannot be shared among them"
        raise InputError(msg)
    else:
        shares[~named] *= (1 - total) / rest
    return shares


def _estimated_shares(prevalence: Prevalence, labels: Labels) -> Array:
    """The share of each class as it was estimated."""
    if prevalence.labels.classes != labels.classes or (prevalence.value < 0).any():
        got = told(dict(zip(prevalence.labels, prevalence.value, strict=True)))
        msg = (
            "an estimated prevalence is of the classes of the matrix, in their order, and none "
            f"of its shares is below 0 (method='ml'); got {got}"
        )
        raise InputError(msg)
    # An estimate of 0 does not say that nothing of the class occurs: it stays a class among the
    # others.
    return np.maximum(prevalence.value, _SOME)


def _stated(prevalence: Any, labels: Labels, of: Any) -> dict[Any, float]:
    shares = by_label(prevalence, labels, "at_prevalence")
    if shares is not None:
        return {label: float(share) for label, share in shares.items()}
    if is_number(prevalence):
        positive = labels.positive if labels.positive is not None else of
        if positive is None:
            msg = f"say which class has that prevalence: at_prevalence={{{labels.classes[-1]!r}: {prevalence}}}"
            raise InputError(msg)
        return {positive: float(prevalence)}
    msg = f"at_prevalence is a share, or a mapping of classes to shares; got {told(prevalence)}"
    raise InputError(msg)


# --- every class ----------------------------------------------------------------------------------


def _every_class(asked: Asked, m: ConfusionMatrix) -> Estimates:
    metric = asked.metric
    value = np.asarray(metric.per_class(m, outside=asked.outside), dtype=np.float64)
    carried: Estimates | None = carried_over(asked, m, value, lambda other: _every_class(other, m))
    if carried is not None:
        return carried
    m = levelled(m, scale_free=metric.scale_free)
    if not m.total:
        lost = np.full(len(value), np.nan)
        return every_estimate(asked, m.labels, value, lost, lost, lost, lost, "")
    if asked.method in SAMPLED:
        return drawn_classes(asked, m, value)
    try:
        if metric.smooth and metric.needs == "cells":
            return _one_by_one(asked, m)
        return (
            _of_classes(asked, m, value) if metric.smooth else drawn_classes(asked, m, value, KINK)
        )
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
        return every_estimate(asked, m.labels, value, low, high, error, unknown, "Wald")
    share = shares_of_classes(metric, m, value, asked.outside) if _counts_items(asked, m) else None
    if share is not None:
        p = np.divide(share.items, share.of, out=unknown.copy(), where=share.of > 0)
        low, high, name = by_items(p, share.of, asked.level, asked.method)
        return every_estimate(asked, m.labels, value, low, high, error, share.of, name)
    if inverts(asked, m):
        value = with_infinities(metric, m, value, asked.outside)
        low, high = np.where(np.isnan(value), np.nan, bounds_of_classes(asked, m))
        items, name, still = _items_alike(metric, value, error), INVERTED, low == high
        if np.isinf([low, high]).any() and not still.any():
            notes = tuple(np.where(np.isinf(low) | np.isinf(high), ENDLESS, "").tolist())
            return every_estimate(asked, m.labels, value, low, high, error, items, name, notes)
    else:
        near, wide = _nearby_classes(asked, m, everywhere=False)
        still = (wide <= ROUNDING_VARIANCE) & ~np.isnan(value)
        if still.any():
            farther, wider = _nearby_classes(asked, m, everywhere=True)
            near, wide = np.where(still, farther, near), np.where(still, wider, wide)
        low, high, items, name = by_effective_items(
            metric, value, near, wide, asked.level, asked.method
        )
        still = (wide <= ROUNDING_VARIANCE) & ~np.isnan(value)
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
    if m.n_classes * len(seen_cells(m, asked.outside)[0]) > _MOST_CELL_READS:
        msg = (
            f"{asked.metric.name} reads all cells for each class, and {m.n_classes:,} classes are "
            "too many; "
            "name one at a time (`of`), or an average"
        )
        raise InputError(msg)
    return together(
        asked,
        m.labels,
        [estimate_number(replace(asked, of=label), m) for label in m.labels.classes],
    )
