"""Extremes: the least and the greatest value of a score over all ways to answer the unanswered items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.cells import Cells
from confmat.core.counts import Counts, fits_dense
from confmat.core.errors import BudgetError, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.metrics.catalog import HEADLINE, Score, label_spelt, parse_score
from confmat.metrics.declaration import Metric, catalog

Array = NDArray[Any]


class Span(NamedTuple):
    """The least and the greatest value; where not exact, bounds that no way to answer exceeds."""

    low: float
    high: float
    exact: bool


@dataclass(frozen=True)
class Open:
    """A table in which all answers are classes, and how many items of each class are still to be answered.

    Rows of items whose truth is outside the classes stay as they are.
    """

    matrix: ConfusionMatrix
    table: Array
    open: Array

    @classmethod
    def of(cls, m: ConfusionMatrix) -> Open:
        """Take back the answers outside the classes."""
        if not fits_dense(len(m.labels)):
            msg = (
                f"bounds of what is unanswered need a table of all classes, and one of {len(m.labels):,} would take "
                f"{len(m.labels) ** 2 * 8 / 1e9:,.1f} GB; take some with m.select(labels) or join them with "
                "m.merge(groups)"
            )
            raise BudgetError(msg)
        k, table = m.n_classes, np.array(m.counts)
        left = table[:k, k:].sum(axis=1)
        table[:k, k:] = 0
        # Outside answered by outside is never counted.
        table[k:, k:] = 0
        return cls(m, table, left)

    @property
    def is_whole(self) -> bool:
        """Whether items count once each, so that their number may be parted anyhow."""
        return self.table.dtype.kind != "f"

    @cached_property
    def actual(self) -> Array:
        """Totals of the actual classes, those outside together at the end; all items are answered."""
        k = len(self.open)
        totals: Array = self.table.sum(axis=1).astype(np.float64)
        totals[:k] += self.open
        return np.append(totals[:k], totals[k:].sum())

    @cached_property
    def hits(self) -> Array:
        """Right answers to each class so far."""
        return np.diagonal(self.table)[: len(self.open)]

    @cached_property
    def predicted(self) -> Array:
        """Answers with each class so far."""
        return self.table.sum(axis=0)[: len(self.open)]

    def cells(self, places: Any, hits: Array, alarms: Array) -> Cells:
        """The cells of a class, or of some, with so many more hits and false alarms."""
        tp = self.hits[places] + hits + 0 * alarms
        fp = self.predicted[places] - self.hits[places] + alarms + 0 * hits
        fn = self.actual[places] - tp
        cells = (tp, fp, fn, self.actual.sum() - tp - fp - fn)
        return Cells(*(np.rint(part).astype(np.int64) if self.is_whole else np.maximum(part, 0.0) for part in cells))

    def alike(self, answers: Array) -> ConfusionMatrix:
        """The matrix where all items of each class are answered with the class at the place given for it."""
        table = self.table.copy()
        table[np.arange(len(answers)), answers] += self.open
        return ConfusionMatrix._of(self.matrix.labels, Counts.of_table(table))

    def answered(self, more: Array) -> Stack:
        """The matrices with answers added, from an array (G, K, K)."""
        k = len(self.open)
        tables = np.repeat(self.table[None], len(more), axis=0)
        tables[:, :k, :k] += more
        return Stack.from_array(tables, labels=self.matrix.labels)


def of_values(values: Array) -> Span:
    """The extremes of all values there are; those without one are of no way to answer."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Span(float("nan"), float("nan"), exact=True)
    return Span(float(known.min()), float(known.max()), exact=True)


# Values of one class that are looked at.
_LOOKED_AT = 4_000_000
_EQUAL = 1e-12


def _of_class(score: Score, items: Open) -> Span | None:
    """Every number of hits and of false alarms that a class can have: its own items, and those of the others."""
    labels = items.matrix.labels
    place = labels.index(label_spelt(labels, score.of))
    if place >= len(items.open):
        return None
    own, others = items.open[place].item(), (items.open.sum() - items.open[place]).item()
    if items.is_whole and (own + 1) * (others + 1) <= _LOOKED_AT:
        hits, alarms = np.arange(own + 1), np.arange(others + 1)
    elif score.metric.monotone:
        hits, alarms = np.array([0, own]), np.array([0, others])
    else:
        return None
    return of_values(_grid(score, items, place, hits, alarms).ravel())


def _grid(score: Score, items: Open, place: int, hits: Array, alarms: Array) -> Array:
    """Values of a class with so many more hits and false alarms, (hits, alarms)."""
    cells = items.cells(place, hits[:, None, None], alarms[:, None])
    values: Array = np.asarray(score.metric.per_class(cells), dtype=np.float64)[..., 0]
    return values


def _of_mean(score: Score, items: Open) -> Span | None:
    """Means of classes: best when every item is right, worst when all are wrong and fall where they cost most.

    A class that gets one more false alarm loses less by it than by the last, so taking the largest losses first is
    the least sum (a separable convex allocation). Which class gets how many is free but for its own items.
    """
    how = score.average.name if score.average is not None else ""
    if how == "micro":
        return _of_micro(score, items)
    if how not in {"macro", "weighted"}:
        return None
    k = len(items.open)
    weights = items.actual[:k] if how == "weighted" else (items.actual[:k] > 0).astype(np.float64)
    if score.metric.overlap:
        return _of_overlaps(score, items, weights)
    return _of_looked_at(score, items, weights) if items.is_whole else None


def _of_looked_at(score: Score, items: Open, weights: Array) -> Span | None:
    """The mean of a metric of which it is looked at, point by point, that it falls as it should."""
    every = int(items.open.sum())
    if float(((items.open + 1.0) * (every + 1 - items.open)).sum()) > _LOOKED_AT:
        return None
    sign = 1.0 if score.metric.better == "higher" else -1.0
    least = most = 0.0
    losses = []
    for place in np.flatnonzero(weights).tolist():
        own = int(items.open[place])
        hits, alarms = np.arange(own + 1), np.arange(every - own + 1)
        predicted = items.predicted[place] + hits[:, None] + alarms
        values = sign * _filled(score, _grid(score, items, place, hits, alarms), predicted)
        if np.isnan(values).any() or not _falls(values):
            return None
        most += weights[place] * values[-1, 0]
        least += weights[place] * values[0, 0]
        losses.append(-weights[place] * np.diff(values[0]))
    worst = np.sort(np.concatenate(losses))[::-1][:every].sum()
    ends = [sign * value / float(weights.sum()) for value in (least - float(worst), most)]
    return Span(min(ends), max(ends), exact=True)


def _of_overlaps(score: Score, items: Open, weights: Array) -> Span:
    """The mean of overlaps, each A / (B + a) after a false alarms, of any number of items or of their weight.

    Weights may be parted at will for the bound, as items cannot be.
    """
    places = np.flatnonzero(weights)
    weights, own = weights[places], items.open[places].astype(np.float64)
    nothing, room = np.zeros(len(places)), items.open.sum() - own

    def values(hits: Array, alarms: Array) -> Array:
        scores = np.asarray(score.metric.per_class(items.cells(places, hits, alarms)), dtype=np.float64)
        return _filled(score, scores, items.predicted[places] + hits + alarms)

    none, full = values(nothing, nothing), values(nothing, room)
    every = float(items.open.sum())
    # Weights of any size are parted as shares.
    unit = 1.0 if items.is_whole else every
    given, least = _shared_out(weights, none, full, room / unit, every / unit, whole=items.is_whole)
    most = float(weights @ values(own, nothing))
    worst = float(weights @ values(nothing, given * unit)) - least
    whole = float(weights.sum())
    return Span(worst / whole, most / whole, exact=items.is_whole or not (none > full).any())


def _shared_out(
    weights: Array, none: Array, full: Array, room: Array, every: float, *, whole: bool
) -> tuple[Array, float]:
    """How many false alarms each class gets where they cost most, and what those cost that are left over.

    With values A / (B + a), the next false alarm costs A / ((B + a) (B + a + 1)), so how many of a class cost more
    than some amount solves a quadratic; the amount at which all are given is halved down to.
    """
    given, places = np.zeros(len(weights)), np.flatnonzero(none > full)
    if room[places].sum() <= every:
        given[places] = room[places]
        return given, 0.0
    top = room[places] / (1 / full[places] - 1 / none[places])
    bottom, worth = top / none[places], weights[places] * top
    step = 1.0 if whole else 0.0

    def costing_more(amount: float) -> Array:
        alarms = np.sqrt(step / 4 + worth / amount) - bottom - step / 2
        return np.clip(np.ceil(alarms) if whole else alarms, 0, room[places])

    high = float((worth / (bottom * (bottom + step))).max())
    low = float((worth / ((bottom + room[places]) * (bottom + room[places] + step))).min()) / 2
    while low < (middle := math.sqrt(low) * math.sqrt(high)) < high:
        low, high = (low, middle) if costing_more(middle).sum() <= every else (middle, high)
    given[places] = costing_more(high)
    return given, (every - float(given.sum())) * high


def _filled(score: Score, values: Array, predicted: Array) -> Array:
    """As a fair mean takes it: a class that is never predicted has the value that is declared for that."""
    fill = score.metric.when_never_predicted
    return values if fill is None else np.where(np.isnan(values) & (predicted == 0), fill, values)


def _falls(values: Array) -> bool:
    """Whether more hits are never worse, more false alarms never better, and each of them costs less than the last."""
    steps = np.diff(values, axis=1)
    convex = np.diff(steps[0]) >= -_EQUAL
    return bool((np.diff(values, axis=0) >= -_EQUAL).all() and (steps <= _EQUAL).all() and convex.all())


def _of_micro(score: Score, items: Open) -> Span | None:
    """The pooled cells depend on how many are right alone."""
    k, every = len(items.open), items.open.sum().item()
    if items.is_whole and every < _LOOKED_AT:
        more = np.arange(every + 1)
    elif score.metric.monotone:
        more = np.array([0, every])
    else:
        return None
    right = items.hits.sum() + more
    actual, predicted = float(items.actual[:k].sum()), float(items.predicted.sum() + every)
    total = float(items.actual.sum()) * k
    parts = (right, predicted - right, actual - right, total - actual - predicted + right)
    kind = np.int64 if items.is_whole else np.float64
    cells = Cells(*(np.maximum(np.asarray(part, np.float64), 0.0)[:, None].astype(kind) for part in parts))
    return of_values(np.asarray(score.metric.per_class(cells), np.float64)[:, 0])


# Tables that are all tried, by their cells.
_TRIED = 2_000_000
# Classes whose prices are asked one by one.
_PRICED = 60
# Two to this power is more tables than are tried.
_POWER = 40


def span_of(score: Score, items: Open) -> Span:
    """The extremes of a score, by the first way that knows them."""
    k, metric = len(items.open), score.metric
    if k == 1 or not items.open.any():
        value = _of_table(score, items, np.arange(k))
        return Span(value, value, exact=True)
    if items.is_whole and _are_few(items):
        every = items.answered(_every(items).astype(items.table.dtype))
        return of_values(np.asarray(score(every), dtype=np.float64))
    if isinstance(metric, Metric):
        if metric.macro_of is not None:
            score = parse_score(f"{metric.macro_of}.macro")
            metric = score.metric
        terms = _terms(score, items)
        if terms is not None:
            return _linear(score, items, *terms)
        if metric.beyond_chance == "correlation":
            return _correlation(items)
    if getattr(metric, "kind", "") == "class" and metric.needs == "margins":
        span = _of_class(score, items) if score.of is not None else _of_mean(score, items)
        if span is not None:
            return span
    weighted = "" if items.is_whole else " of weighted items"
    known = ", ".join(name for name in HEADLINE if name in catalog())
    overlaps = ", ".join(one.name for one in catalog().values() if one.overlap)
    msg = (
        f"no bounds of {score}{weighted} are known where {items.open.sum():,} items are unanswered; they are for "
        f"{known} and mean costs, for scores of one class, and for macro, weighted and micro means of {overlaps}, "
        "or where few items are unanswered"
    )
    raise MetricError(msg)


# ---- every table -------------------------------------------------------------------------------------------


def _are_few(items: Open) -> bool:
    """Whether all ways to answer make so few tables that they can be tried."""
    k, most, ways = len(items.open), _TRIED // items.table.size, 1
    for many in items.open[items.open > 0].tolist():
        # There are more ways than items and than classes, and more than 2 to the power of the smaller number.
        if max(many, k) > most or min(many, k - 1) > _POWER:
            return False
        ways *= comb(many + k - 1, k - 1)
        if ways > most:
            return False
    return True


def _every(items: Open) -> Array:
    """All tables of answers to the open items, (G, K, K)."""
    k = len(items.open)
    tables = np.zeros((1, k, k), np.int64)
    for row, many in enumerate(items.open.tolist()):
        if many:
            # Each way to put k - 1 bars between so many items.
            bars = np.array(list(combinations(range(int(many) + k - 1), k - 1)), np.int64).reshape(-1, k - 1)
            edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, int(many) + k - 1)))
            parts = np.diff(edges, axis=1) - 1
            tables = np.repeat(tables, len(parts), axis=0)
            tables[:, row] = np.tile(parts, (len(tables) // len(parts), 1))
    return tables


# ---- ratios of sums over the answers -----------------------------------------------------------------------


def _terms(score: Score, items: Open) -> tuple[Array, Array] | None:
    """The parts, (K, K) each, that answers add to the two sums of which a score is the ratio; None where it is none."""
    metric, k = score.metric, len(items.open)
    nothing, right = np.zeros((k, k)), np.eye(k)
    if metric.kind == "matrix" and metric.share_of == "total":
        return (right if metric.better == "higher" else 1 - right), nothing
    if metric.mean_of_items and k <= _PRICED:
        # The price of each answer: what a table of it alone costs.
        size, places = len(items.table), np.arange(k * k)
        alone = np.zeros((k * k, size, size), items.table.dtype)
        alone[places, places // k, places % k] = 1
        prices = np.asarray(score(Stack.from_array(alone, labels=items.matrix.labels)), dtype=np.float64)
        return prices.reshape(k, k), nothing
    if metric.beyond_chance == "share":
        # n times the hits less those by chance, and n squared less those by chance.
        chance = np.tile(items.actual[:k], (k, 1))
        return float(items.actual.sum()) * right - chance, -chance
    return None


def _linear(score: Score, items: Open, tops: Array, bottoms: Array) -> Span:
    """Both extremes by Dinkelbach's method (1967): items of one class are answered alike, and each class by itself."""
    ends = []
    for sign in (1.0, -1.0):
        value = sign * _of_table(score, items, (sign * tops).argmax(axis=1))
        while (now := sign * _of_table(score, items, (sign * tops - value * bottoms).argmax(axis=1))) > value + _EQUAL:
            value = now
        if value != value or now != now:
            # Some answers leave no score at all.
            return Span(score.metric.bounds[0], score.metric.bounds[1], exact=False)
        ends.append(sign * value)
    return Span(min(ends), max(ends), exact=True)


def _of_table(score: Score, items: Open, answers: Array) -> float:
    return float(score(items.alike(answers)))


def _correlation(items: Open) -> Span:
    """Bounds of mcc: the extremes of its numerator, with those of the spread of the predictions."""
    k, size = len(items.open), 1.0 if items.is_whole else float(items.actual.sum())
    actual, predicted, many = items.actual / size, items.predicted / size, items.open / size
    n, every = float(actual.sum()), float(many.sum())
    tops = n * np.eye(k) - actual[:k]
    fixed = n * float(items.hits.sum() / size) - float(predicted @ actual[:k])
    above = [fixed + float((many * extreme(tops, axis=1)).sum()) for extreme in (np.min, np.max)]
    largest = np.sort(predicted)[::-1]
    most = float(((largest + every * (np.arange(k) == 0)) ** 2).sum())
    least = float((_levelled(predicted, every) ** 2).sum())
    spread = n * n - float((actual**2).sum())
    bounds = []
    for value, sign in zip(above, (-1, 1), strict=True):
        # The further from 0, the smaller the spread has to be.
        squares = most if value * sign > 0 else least
        below = spread * (n * n - squares)
        bounds.append(float(np.clip(value / np.sqrt(below), -1, 1)) if below > 0 else float(sign))
    return Span(bounds[0], bounds[1], exact=False)


def _levelled(values: Array, more: float) -> Array:
    """Values with so much added that the sum of squares is least: the smallest are raised to one level."""
    ordered = np.sort(values)
    counts = np.arange(1, len(ordered) + 1)
    levels = (more + np.cumsum(ordered)) / counts
    return np.maximum(values, levels[int(np.argmin(levels))])
