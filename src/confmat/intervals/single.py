"""The interval of a score of one matrix, whose items were drawn one by one: one rule for every metric, others by name.

A plain proportion has the interval of a proportion. Any other score has the variance that its gradient gives, and
the interval of a proportion of as many items as would vary as much; where no derivative tells, tables are drawn. At
another prevalence the rows of the matrix are rescaled: what a model does with the items of a class is estimated from
those items alone, and how often the class occurs is given, so only the rows vary, each around its own total.
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
from confmat.core.options import told
from confmat.intervals.asked import SAMPLED, Asked, by_gradient, every_estimate, nothing, one_estimate, together
from confmat.intervals.bounds import (
    PAIRS,
    PROPORTIONS,
    by_effective_items,
    by_items,
    by_mean_of_two,
    by_normal,
)
from confmat.intervals.draws import KINK, STILL, drawn_classes, drawn_one, slope_if_any
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.gradient import NoSlopeError, share_of, shares_of_classes, slope, slopes_of_classes
from confmat.intervals.independence import estimate_association, from_below
from confmat.intervals.means import estimate_rare
from confmat.intervals.prevalence import Prevalence
from confmat.intervals.variance import (
    ROUNDING_VARIANCE,
    Share,
    Slope,
    Smoothing,
    check_design,
    holds_weights,
    levelled,
    margins_read,
    seen_cells,
    variance,
    variances_of_classes,
)
from confmat.metrics import Metric, catalog
from confmat.metrics.accuracies import adjusted_balanced_accuracy, balanced_accuracy
from confmat.metrics.averages import macro
from confmat.metrics.margins import Outside, read_cells
from confmat.metrics.rates import recall

Array = NDArray[np.float64]
# Cells that are read over and over, once for each class.
_MOST_CELL_READS = 2**30
# The share of a class whose likeliest share is 0.
_SOME = 1e-9


def estimate_single(asked: Asked, m: ConfusionMatrix) -> Estimate | Estimates:
    """Return the estimate of a score of one matrix, or of each class."""
    check_design(asked.design, m)
    if asked.at_prevalence is not None:
        return _at_prevalence(asked, m)
    return _every_class(asked, m) if asked.per_class else estimate_number(asked, m)


# --- one number ---------------------------------------------------------------------------------------------------


def estimate_number(asked: Asked, m: ConfusionMatrix) -> Estimate:
    """Return the estimate of one number, of items that were drawn one by one."""
    value = float(asked.metric(m, **asked.how))
    carried: Estimate | None = carried_over(asked, m, value, lambda other: estimate_number(other, m))
    if carried is not None:
        return carried
    paired = None if asked.of is None else _by_two_shares(asked, m)
    if paired is not None and not np.isnan(paired[0][m.labels.index(asked.of)]):
        return _of_two_shares(asked, m, value, paired)
    if math.isnan(value):
        return nothing(asked)
    if _counts_items(asked, m):
        share = _share(asked, m, value)
        if share is not None:
            p = share.items / share.of
            return _of_proportion(asked, value, share, math.sqrt(p * (1 - p) / share.of))
    if not m.total:
        return one_estimate(asked, value, math.nan, math.nan, math.nan, math.nan, "")
    alone = of_the_only_class(asked, m)
    if alone is not None:
        return replace(estimate_number(alone, m), name=asked.name)
    return _of_gradient(asked, levelled(m, scale_free=asked.metric.scale_free), value)


def carried_over(asked: Asked, m: ConfusionMatrix, value: Any, estimate: Callable[[Asked], Any]) -> Any:
    """Return the estimate of a score that is a monotone function of another, from the estimate of that one."""
    source = _source(asked, m)
    if source is None:
        return None
    before, function = estimate(source[0]), source[1]
    at = np.asarray(before.value)
    middle, low, high = (np.asarray(function(part)) for part in (at, np.asarray(before.low), np.asarray(before.high)))
    off = np.isfinite(middle) & ~np.isinf(value) & ~np.isclose(middle, value, rtol=1e-9, atol=1e-9)
    if np.any(off | (np.isnan(low) & ~np.isnan(value))) or np.all(np.isnan(low)):
        return None
    # A complex step gives the derivative of the function to the last digit.
    error = np.abs(np.imag(function(at + 1e-30j)) * 1e30) * before.se
    items = _items_alike(asked.metric, value, error)
    items = np.where(np.isnan(items), before.n_eff, items)
    derived = "" if function is _rest or ", of " in before.method else f", of {source[0].metric.name}"
    method = f"{before.method}{derived}"
    ends = np.minimum(low, high), np.maximum(low, high)
    if asked.per_class:
        return every_estimate(asked, m.labels, value, *ends, error, items, method)
    note = nothing(asked).note if math.isnan(value) else "" if math.isnan(before.value) else before.note
    return replace(one_estimate(asked, value, *ends, float(error), items, method), note=note)


def _source(asked: Asked, m: ConfusionMatrix) -> tuple[Asked, Callable[[Any], Any]] | None:
    """Return the score that this one is a monotone function of, and that function; None where it stands for itself."""
    metric, average = asked.metric, asked.average
    if metric.function_of is None and metric.at_share is None and metric.better != "lower":
        return None
    known = catalog()
    name, function = metric.function_of or (None, _rest)
    if metric.kind == "matrix" and metric.depends_on_k and name is not None:
        function = partial(function, k=m.n_classes)
    complement = known.get(metric.complement or "")
    if metric.better == "lower" and complement is not None and complement.better != "lower":
        name, function = complement.name, _rest
    elif metric.at_share is not None and asked.design == "actual" and not isinstance(asked.at_prevalence, Prevalence):
        name, at_share = metric.at_share
        shares = m.actual_totals[: m.n_classes] / m.total
        share = shares if asked.of is None else shares[m.labels.index(asked.of)]
        function = partial(at_share, share=share)
    straight = average is None or (function is _rest and average.name in {"macro", "weighted", "micro"})
    return (replace(asked, metric=known[name]), function) if name and straight and asked.method in PROPORTIONS else None


_rest = partial(np.subtract, 1)


def _of_proportion(asked: Asked, value: float, share: Share, error: float) -> Estimate:
    low, high, name = by_items(share.items / share.of, share.of, asked.level, asked.method)
    return one_estimate(asked, value, low, high, error, share.of, name)


def _of_gradient(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate:
    if asked.average is not None and asked.average.name in {"min", "max"} and asked.method not in SAMPLED:
        return _of_extreme(asked, m, value)
    if asked.metric.association is not None and (asked.method in PROPORTIONS or asked.metric.population):
        return estimate_association(asked, m, value)
    plain = slope_if_any(asked, m)
    if plain is None or asked.method in SAMPLED:
        return drawn_one(asked, m, value, "" if plain is not None else KINK, smoothed=plain is None)
    error = math.sqrt(max(variance(plain, m, asked.design, outside=asked.outside), 0.0))
    if asked.method == "wald":
        return by_gradient(asked, value, error, value, error * error)
    both = _two_recalls(asked, m)
    if both is not None:
        first, last, name = by_mean_of_two(*both, asked.level, asked.method)
        first, last = _stretched(asked.metric, first), _stretched(asked.metric, last)
        return one_estimate(asked, value, first, last, error, _items_alike(asked.metric, value, error), name)
    if asked.design != "multinomial":
        totals = m.actual_totals if asked.design == "actual" else m.predicted_totals
        fixed = _of_fixed_sides(asked, m, totals, value, error)
        if fixed is not None:
            return fixed
    around, spread = (value, error * error) if _needs_no_more(asked, m) else nearby(asked, m, plain)
    if spread <= ROUNDING_VARIANCE:
        return drawn_one(asked, m, value, STILL, smoothed=True, still=True)
    rare = estimate_rare(asked, m, value, error, around, spread)
    return rare or by_gradient(within_reach(asked, m), value, error, around, spread)


def within_reach(asked: Asked, m: ConfusionMatrix) -> Asked:
    """Take the range of a score that is 0 by chance from the totals of the matrix: with them it may not reach -1.

    Two rare answers cannot disagree on many items. So kappa of a rare class has next to nothing below 0, and varies as
    a proportion from there to 1 does, upwards.
    """
    metric = asked.metric
    alone = metric.kind == "matrix" or asked.average is None
    if metric.chance != 0 or metric.bounds != (-1, 1) or metric.needs == "cells" or not alone:
        return asked
    if asked.method not in PROPORTIONS:
        return asked
    margins = margins_read(m, asked.outside, metric.sees, None)
    sides = margins.actual, margins.predicted
    if metric.kind == "matrix" and metric.beyond_chance is None and min(map(np.count_nonzero, sides)) < 2:
        # Totals leave no choice then.
        return asked
    # Both totals of a class share so many items at least.
    shared = np.maximum(margins.actual + margins.predicted - margins.total, 0.0)
    if metric.kind == "matrix":
        least = metric.formula(replace(margins, diagonal=shared))
    else:
        least = metric.formula(Cells.of_margins(shared, margins.actual, margins.predicted, margins.total))
        least = least[..., : m.labels.n_classes]
        least = least if asked.of is None else least[m.labels.index(asked.of)]
    return replace(asked, metric=replace(metric, bounds=(np.fmax(least, -1.0), 1)))


def of_the_only_class(asked: Asked, m: ConfusionMatrix) -> Asked | None:
    """Read a mean over one class, or the only one that occurs, as its score, of which more is known; None of others."""
    mean = asked.average is not None and asked.weights is None
    occur = np.flatnonzero(np.asarray(read_cells(m, asked.outside).actual)) if m.n_classes > 1 else np.zeros(1, int)
    over_all = asked.average is not None and (asked.average.name == "micro" or asked.undefined != "fair")
    if len(occur) != 1 or (over_all and m.n_classes > 1) or not (mean or asked.metric is balanced_accuracy):
        return None
    metric, label = (asked.metric if mean else recall), m.labels.classes[int(occur[0])]
    same = np.isclose(metric(m, of=label, outside=asked.outside), asked.metric(m, **asked.how), rtol=1e-12, atol=0)
    return replace(asked, metric=metric, of=label, average=None) if same else None


def _of_two_shares(asked: Asked, m: ConfusionMatrix, value: float, paired: tuple[Array, Array, str]) -> Estimate:
    place, plain = m.labels.index(asked.of), None if math.isnan(value) else slope_if_any(asked, m)
    spread = math.nan if plain is None else variance(plain, m, asked.design, outside=asked.outside)
    error, note = math.sqrt(max(spread, 0.0)), nothing(asked).note if math.isnan(value) else ""
    items = _items_alike(asked.metric, value, error)
    return one_estimate(asked, value, paired[0][place], paired[1][place], error, items, paired[2], note)


def _by_two_shares(asked: Asked, m: ConfusionMatrix) -> tuple[Array, Array, str] | None:
    """Bounds of a score of each class that is made of two shares of different items, and the name of their method.

    Quotients have them where a cell is empty. Where none is, Woolf's and Simel's hold the truth as often.
    """
    pair = asked.metric.pair
    if pair is None or asked.method not in PROPORTIONS or holds_weights(m):
        return None
    metrics = [catalog()[name] for name in pair[1:]]
    if asked.design != "multinomial" and not all(str(each.share_of).startswith(asked.design) for each in metrics):
        return None
    each = [shares_of_classes(one, m, one.per_class(m, outside=asked.outside), asked.outside) for one in metrics]
    hits, items = (np.array([getattr(share, part) for share in each]) for part in ("items", "of"))
    shares = np.divide(hits, items, out=np.full(hits.shape, np.nan), where=items > 0)
    shares[:, _without_empty_cells(asked.metric, m, asked.outside)] = np.nan
    low, high, name = PAIRS[pair[0]](shares, items, asked.level, asked.method)
    return _stretched(asked.metric, low), _stretched(asked.metric, high), name


def _stretched(metric: Metric, share: Any) -> Any:
    """A share of the way from the least to the greatest value of a score."""
    low, high = metric.bounds
    return share if low is None or high is None else low + (high - low) * share


def _items_alike(metric: Metric, value: Any, error: Any) -> Array:
    """How many items would make a plain proportion as sure as a score with that standard error."""
    low, high = metric.bounds
    if low is None or high is None:
        return np.full(np.shape(value), np.nan)
    variance = np.where(np.square(error) > ROUNDING_VARIANCE, np.square(error), np.nan)
    return np.asarray((value - low) * (high - value) / variance)


def _two_recalls(asked: Asked, m: ConfusionMatrix) -> tuple[Array, Array] | None:
    """Shares and items of two classes, if the score is the mean of their recalls, as balanced accuracy is."""
    is_mean = asked.metric in {balanced_accuracy, adjusted_balanced_accuracy} or (
        asked.metric is recall and asked.average is macro and asked.undefined in {"fair", "skip"}
    )
    if not is_mean or asked.weights is not None or asked.design == "predicted":
        return None
    cells = read_cells(m, asked.outside)
    items = np.asarray(cells.actual, dtype=np.float64)
    if holds_weights(m) or np.count_nonzero(items) != 2:
        return None
    hits = np.asarray(cells.tp, dtype=np.float64)[items > 0]
    return hits / items[items > 0], items[items > 0]


def _of_fixed_sides(asked: Asked, m: ConfusionMatrix, items: Array, value: float, error: float) -> Estimate | None:
    """Return the estimate of a score of two classes of which so many items each were chosen; None of other scores.

    Two proportions vary then, and the bounds that the score has at those of one are combined with those of the other by
    the squares of their distances (Zou and Donner, "Construction of confidence limits about effect measures: a general
    approach", Statistics in Medicine 27, 2008).
    """
    bounded = None not in asked.metric.bounds and asked.metric.association is None
    if m.n_classes != 2 or m.labels.outside or asked.method not in PROPORTIONS or not (bounded and np.all(items)):
        return None
    table = np.array(m.counts if asked.design == "actual" else m.counts.T, dtype=np.float64)
    totals, below, above = table.sum(axis=1), 0.0, 0.0
    right = table.diagonal() / totals
    *sides, name = by_items(right, items, asked.level, asked.method)
    for place in (0, 1):
        ends = []
        for side in sides:
            shares = np.where(np.arange(2) == place, side, right)
            moved = np.where(np.eye(2), shares[:, None], 1 - shares[:, None]) * totals[:, None]
            shown = ConfusionMatrix(moved if asked.design == "actual" else moved.T, labels=m.labels)
            ends.append(float(asked.metric(shown, **asked.how)))
        least, most = np.fmin(ends[0], ends[1]), np.fmax(ends[0], ends[1])
        if not least <= value <= most:
            return None
        below, above = below + (value - least) ** 2, above + (most - value) ** 2
    if not below + above:
        return None
    low, high, alike = value - math.sqrt(below), value + math.sqrt(above), _items_alike(asked.metric, value, error)
    return one_estimate(asked, value, low, high, error, alike, f"{name}, both classes combined")


def _needs_no_more(asked: Asked, m: ConfusionMatrix) -> bool:
    """Whether the score is one without an end, of a class with items in all its four cells.

    Nothing has to be spread then, and odds and likelihood ratios have the intervals of Woolf (1955) and of Simel, Samsa
    and Matchar (1991), which hold the truth as often.
    """
    if asked.metric.kind != "class" or asked.of is None or asked.metric.needs == "cells":
        return False
    return bool(_without_empty_cells(asked.metric, m, asked.outside)[m.labels.index(asked.of)])


def _without_empty_cells(metric: Metric, m: ConfusionMatrix, outside: Outside) -> NDArray[np.bool_]:
    cells = read_cells(m, outside)
    filled = np.asarray((cells.tp > 0) & (cells.fp > 0) & (cells.fn > 0) & (cells.tn > 0), dtype=bool)
    return filled if None in metric.bounds else np.zeros_like(filled)


def nearby(asked: Asked, m: ConfusionMatrix, plain: Slope) -> tuple[float, float]:
    """Value and variance where one item is spread: over all cells, if the score cannot move within the filled ones."""
    near, spread = _spread(asked, m, plain, everywhere=False)
    return (near, spread) if spread > ROUNDING_VARIANCE else _spread(asked, m, plain, everywhere=True)


def _spread(asked: Asked, m: ConfusionMatrix, plain: Slope, *, everywhere: bool) -> tuple[float, float]:
    near = slope(asked.metric, m, spread=Smoothing.of(m, asked.outside, everywhere=everywhere), like=plain, **asked.how)
    return near.value, variance(near, m, asked.design, outside=asked.outside)


def _share(asked: Asked, m: ConfusionMatrix, value: float) -> Share | None:
    return share_of(asked.metric, m, value, of=asked.of, average=asked.average, outside=asked.outside)


def _counts_items(asked: Asked, m: ConfusionMatrix) -> bool:
    """Whether a proportion varies as one of items that are drawn one by one, which those of one class are."""
    if asked.method not in PROPORTIONS or holds_weights(m):
        return False
    if asked.design in ("multinomial", asked.metric.share_of):
        return True
    several = m.n_classes > 2 or bool(m.labels.outside)
    return not several and asked.metric.share_of == f"{asked.design}_negative"


def _of_extreme(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate:
    """Return the estimate of the least or greatest of K classes, with bounds that hold for all K at once."""
    each = _every_class(replace(asked, average=None, level=1 - (1 - asked.level) / m.n_classes), m)
    extreme = np.fmin if asked.average is not None and asked.average.name == "min" else np.fmax
    low, high = (float(extreme.reduce(part, initial=math.nan)) for part in (each.low, each.high))
    name = f"{each.method}, all {m.n_classes} classes at once (Bonferroni)"
    return one_estimate(asked, value, low, high, math.nan, math.nan, name)


# --- at another prevalence ----------------------------------------------------------------------------------------


def _at_prevalence(asked: Asked, m: ConfusionMatrix) -> Estimate | Estimates:
    if asked.method not in {*PROPORTIONS, "wald"} or asked.design == "predicted" or not asked.metric.smooth:
        msg = (
            "at another prevalence only the rows vary: choose a method that draws no tables, such as wilson or wald, "
            "no predicted totals, and a score that has a derivative"
        )
        raise InputError(msg)
    shares = _shares_of(asked.at_prevalence, m, asked.of)
    estimated = asked.at_prevalence if isinstance(asked.at_prevalence, Prevalence) else None
    tables = [_Rescaled.of(m, shares, spread, estimated) for spread in (None, Smoothing.of(m, asked.outside))]
    asked = replace(asked, design="actual")
    if not asked.per_class:
        return _of_rescaled(asked, tables, m)
    each = [_of_rescaled(replace(asked, of=label), tables, m) for label in m.labels.classes]
    return together(asked, m.labels, each)


def _of_rescaled(asked: Asked, tables: list[_Rescaled], m: ConfusionMatrix) -> Estimate:
    metric, (counted, smoothed) = asked.metric, tables
    value = float(metric(counted.matrix, **asked.how))
    fixed = counted.estimated is None
    note = "at another prevalence" if fixed else "at an estimated prevalence"
    if fixed and metric.pair is not None and np.isclose(float(metric(m, **asked.how)), value, equal_nan=True):
        # The rows alone tell it, and they are the same at any prevalence.
        return estimate_number(asked, m)
    carried = carried_over(asked, counted.matrix, value, lambda other: _of_rescaled(other, tables, m))
    if carried is not None:
        return replace(carried, note=note)
    if math.isnan(value):
        return nothing(asked)
    plain, near = (slope(metric, table.matrix, **asked.how) for table in tables)
    error = math.sqrt(max(counted.variance(plain), 0.0))
    combined = _of_fixed_sides(asked, counted.matrix, counted.rows, value, error) if fixed else None
    if combined is not None:
        return replace(combined, note=note)
    asked, spread = within_reach(asked, counted.matrix), smoothed.variance(near)
    found = by_gradient(asked, value, error, near.value, spread, note=note)
    return from_below(asked, m, m.total, found)


@dataclass(frozen=True)
class _Rescaled:
    """A table whose rows have other totals, and how many items each row came from.

    Where these totals are estimates, `rates` are the shares of the answers in each row; `own` says that the matrix is
    their reference itself.
    """

    matrix: ConfusionMatrix
    rows: Array
    rates: Array
    estimated: Prevalence | None
    own: bool

    @classmethod
    def of(
        cls, m: ConfusionMatrix, shares: Array, spread: Smoothing | None, estimated: Prevalence | None = None
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
        return cls(ConfusionMatrix(table * factor[:, None], labels=m.labels), rows, rates, estimated, own)

    def variance(self, slope: Slope) -> float:
        """The variance of a score of the rescaled table, each row varying around its total, and the totals too.

        A matrix that is its own reference moves the score by its rows, and by the shares that follow from them.
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
    labels = m.labels
    if isinstance(prevalence, Prevalence):
        if prevalence.labels.classes != labels.classes or (prevalence.value < 0).any():
            msg = (
                "an estimated prevalence is of the classes of the matrix, in their order, and none of its shares is "
                f"below 0 (method='ml'); got {told(dict(zip(prevalence.labels, prevalence.value, strict=True)))}"
            )
            raise InputError(msg)
        # An estimate of 0 does not say that nothing of the class occurs: it stays a class among the others.
        return np.maximum(prevalence.value, _SOME)
    stated = _stated(prevalence, labels, of)
    total = sum(stated.values())
    if any(not 0 <= share <= 1 for share in stated.values()) or total > 1 + 1e-12:
        msg = f"prevalences are shares of all items, between 0 and 1 and together no more than 1; got {prevalence!r}"
        raise InputError(msg)
    shares = np.asarray(m.actual_totals, dtype=np.float64).copy()
    named = np.zeros(len(shares), dtype=bool)
    for label, share in stated.items():
        place = labels.index(label)
        shares[place], named[place] = share, True
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


def _stated(prevalence: Any, labels: Labels, of: Any) -> dict[Any, float]:
    shares = by_label(prevalence, labels, "at_prevalence")
    if shares is not None:
        return {label: float(share) for label, share in shares.items()}
    if isinstance(prevalence, (int, float)) and not isinstance(prevalence, bool):
        positive = labels.positive if labels.positive is not None else of
        if positive is None:
            msg = f"say which class has that prevalence: at_prevalence={{{labels.classes[-1]!r}: {prevalence}}}"
            raise InputError(msg)
        return {positive: float(prevalence)}
    msg = f"at_prevalence is a share, or a mapping of classes to shares; got {told(prevalence)}"
    raise InputError(msg)


# --- every class --------------------------------------------------------------------------------------------------


def _every_class(asked: Asked, m: ConfusionMatrix) -> Estimates:
    metric = asked.metric
    if asked.design != "multinomial" and m.n_classes == 2:
        return together(asked, m.labels, [estimate_number(replace(asked, of=one), m) for one in m.labels.classes])
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
        return every_estimate(asked, m.labels, value, low, high, error, unknown, "Wald")
    share = shares_of_classes(metric, m, value, asked.outside) if _counts_items(asked, m) else None
    if share is not None:
        p = np.divide(share.items, share.of, out=unknown.copy(), where=share.of > 0)
        low, high, name = by_items(p, share.of, asked.level, asked.method)
        return every_estimate(asked, m.labels, value, low, high, error, share.of, name)
    paired = _by_two_shares(asked, m)
    known = np.zeros_like(error, dtype=bool) if paired is None else ~np.isnan(paired[0])
    if paired is not None and known.all():
        return every_estimate(asked, m.labels, value, *paired[:2], error, _items_alike(metric, value, error), paired[2])
    near, wide = _nearby_classes(asked, m, everywhere=False)
    settled = _without_empty_cells(metric, m, asked.outside)
    near, wide = np.where(settled, value, near), np.where(known, np.nan, np.where(settled, spread, wide))
    still = (wide <= ROUNDING_VARIANCE) & ~np.isnan(value)
    if still.any():
        farther, wider = _nearby_classes(asked, m, everywhere=True)
        near, wide = np.where(still, farther, near), np.where(still, wider, wide)
    metric = within_reach(asked, m).metric
    low, high, items, name = by_effective_items(metric, value, near, wide, asked.level, asked.method)
    if paired is not None:
        low, high = np.where(known, paired[0], low), np.where(known, paired[1], high)
        items = np.where(known, _items_alike(metric, value, error), items)
        name = f"{name}, {paired[2]} where a cell is empty"
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
            f"{asked.metric.name} reads all cells for each class, and {m.n_classes:,} classes are too many; "
            "name one at a time (`of`), or an average"
        )
        raise InputError(msg)
    return together(asked, m.labels, [estimate_number(replace(asked, of=label), m) for label in m.labels.classes])
