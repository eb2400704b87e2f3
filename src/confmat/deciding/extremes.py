"""Extremes: the least and the greatest value of a score over all ways to answer the unanswered items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import label_spelt
from confmat.core.cells import Cells
from confmat.core.counts import Counts, fits_dense
from confmat.core.errors import BudgetError, InputError, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.metrics.catalog import HEADLINE, Score, parse_score
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

    Rows of items whose truth is outside the classes stay as they are. `actual` are the totals of
    the classes, those outside together at the end, once all items are answered; `hits` and
    `predicted` are the answers so far.
    """

    matrix: ConfusionMatrix
    table: Array
    open: Array
    actual: Array
    hits: Array
    predicted: Array

    @classmethod
    def of(cls, m: ConfusionMatrix) -> Open:
        """Take back the answers outside the classes."""
        if m.is_weighted:
            msg = (
                "bounds are of all ways to answer whole items, and these items are weighted; count "
                "them without "
                "weights, or ask for a score with outside='wrong' and outside='exclude'"
            )
            raise InputError(msg)
        if not fits_dense(len(m.labels)):
            msg = (
                "bounds of what is unanswered need a table of all classes, and one of "
                f"{len(m.labels):,} would take "
                f"{len(m.labels) ** 2 * 8 / 1e9:,.1f} GB; take some with m.select(labels) or join "
                "them with "
                "m.merge(groups)"
            )
            raise BudgetError(msg)
        k, table = m.n_classes, np.array(m.counts)
        left = table[:k, k:].sum(axis=1)
        table[:k, k:] = 0
        # Outside answered by outside is never counted.
        table[k:, k:] = 0
        totals = table.sum(axis=1)
        actual = np.append(totals[:k] + left, totals[k:].sum())
        return cls(m, table, left, actual, np.diagonal(table)[:k], table.sum(axis=0)[:k])

    def cells(self, places: Any, hits: Array, alarms: Array) -> Cells:
        """The cells of a class, or of some, with some more hits and false alarms."""
        tp = self.hits[places] + hits + 0 * alarms
        fp = self.predicted[places] - self.hits[places] + alarms + 0 * hits
        fn = self.actual[places] - tp
        return Cells(tp, fp, fn, self.actual.sum() - tp - fp - fn)

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


def of_values(values: Any) -> Span:
    """The extremes of all values there are; those without one are of no way to answer."""
    values = np.asarray(values, dtype=np.float64)
    known = values[~np.isnan(values)]
    if not len(known):
        return Span(float("nan"), float("nan"), exact=True)
    return Span(float(known.min()), float(known.max()), exact=True)


def _ends(most: int) -> Array:
    """The least and the largest number of items, and those beside them, for a score may have no value at an end."""
    return np.unique(np.clip([0, 1, most - 1, most], 0, most))


def _of_class(score: Score, items: Open) -> Span | None:
    """A score that rises with the hits of its class and falls with false alarms: at the ends of what both can be."""
    labels = items.matrix.labels
    place = labels.index(label_spelt(labels, score.of))
    if place >= len(items.open):
        return None
    hits, alarms = np.meshgrid(
        _ends(items.open[place]), _ends(items.open.sum() - items.open[place])
    )
    return of_values(
        score.metric.per_class(items.cells(place, hits.reshape(-1, 1), alarms.reshape(-1, 1)))[:, 0]
    )


def _of_mean(score: Score, items: Open) -> Span | None:
    """Means of classes: best when every item is right, worst when all are wrong and fall where they cost most.

    A class that gets one more false alarm loses less by it than by the last, so taking the largest
    losses first is the least sum (a separable convex allocation). Which class gets how many is free
    but for its own items.
    """
    average = score.average.name if score.average is not None else ""
    k = len(items.open)
    if average == "micro" and score.metric.monotone:
        return _of_micro(score, items)
    if average not in {"macro", "weighted"} or not score.metric.overlap:
        return None
    weights = items.actual[:k] if average == "weighted" else items.actual[:k] > 0
    return _of_overlaps(score, items, weights.astype(np.float64))


def _of_micro(score: Score, items: Open) -> Span:
    """The pooled cells depend on how many are right alone."""
    k, every = len(items.open), items.open.sum()
    right = items.hits.sum() + _ends(every)
    actual, predicted, total = (
        items.actual[:k].sum(),
        items.predicted.sum() + every,
        items.actual.sum() * k,
    )
    parts = (right, predicted - right, actual - right, total - actual - predicted + right)
    return of_values(score.metric.per_class(Cells(*(part[:, None] for part in parts)))[:, 0])


def _of_overlaps(score: Score, items: Open, weights: Array) -> Span:
    """The mean of overlaps, each A / (B + a) after a false alarms."""
    places = np.flatnonzero(weights)
    weights, own = weights[places], items.open[places]
    nothing, room = np.zeros_like(own), items.open.sum() - own
    fill = score.metric.when_never_predicted

    def values(hits: Array, alarms: Array) -> Array:
        found = np.asarray(
            score.metric.per_class(items.cells(places, hits, alarms)), dtype=np.float64
        )
        # A fair mean gives a class that is never predicted the value that is declared for that.
        never = np.isnan(found) & (items.predicted[places] + hits + alarms == 0)
        return found if fill is None else np.where(never, fill, found)

    given, left = _shared_out(
        weights, values(nothing, nothing), values(nothing, room), room, int(items.open.sum())
    )
    most, worst = weights @ values(own, nothing), weights @ values(nothing, given) - left
    return Span(float(worst / weights.sum()), float(most / weights.sum()), exact=True)


def _shared_out(
    weights: Array, none: Array, full: Array, room: Array, every: int
) -> tuple[Array, float]:
    """How many false alarms each class gets where they cost most, and what those cost that are left over.

    With values A / (B + a), the next false alarm costs A / ((B + a) (B + a + 1)), so how many of a
    class cost more than some amount solves a quadratic; the amount at which all are given is halved
    down to.
    """
    given, places = np.zeros_like(room), np.flatnonzero(none > full)
    if room[places].sum() <= every:
        given[places] = room[places]
        return given, 0.0
    top = room[places] / (1 / full[places] - 1 / none[places])
    bottom, worth = top / none[places], weights[places] * top

    def costing_more(amount: float) -> Array:
        alarms = np.ceil(np.sqrt(0.25 + worth / amount) - bottom - 0.5)
        return np.clip(alarms, 0, room[places]).astype(np.int64)

    high = float((worth / (bottom * (bottom + 1))).max())
    low = float((worth / ((bottom + room[places]) * (bottom + room[places] + 1))).min()) / 2
    while low < (middle := math.sqrt(low) * math.sqrt(high)) < high:
        low, high = (low, middle) if costing_more(middle).sum() <= every else (middle, high)
    given[places] = costing_more(high)
    return given, (every - int(given.sum())) * high


# Tables that are all tried, by their cells.
_TRIED = 2_000_000
# Classes whose prices are asked one by one.
_PRICED = 60
# A better answer is better by more than rounding.
_EQUAL = 1e-12


def span_of(score: Score, items: Open) -> Span:
    """The extremes of a score, by the first way that knows them."""
    k, metric = len(items.open), score.metric
    if k == 1 or not items.open.any():
        value = _of_table(score, items, np.arange(k))
        return Span(value, value, exact=True)
    if _are_few(items):
        return of_values(score(items.answered(_every(items))))
    if isinstance(metric, Metric):
        if metric.macro_of is not None:
            score = parse_score(f"{metric.macro_of}.macro")
            metric = score.metric
        terms = _terms(score, items)
        if terms is not None:
            return _linear(score, items, *terms)
        if metric.beyond_chance == "correlation":
            return _correlation(items)
    if getattr(metric, "monotone", False):
        span = _of_class(score, items) if score.of is not None else _of_mean(score, items)
        if span is not None:
            return span
    known = ", ".join(name for name in HEADLINE if name in catalog())
    msg = (
        f"no bounds of {score} are known where {items.open.sum():,} items are unanswered; they are "
        f"for {known} and "
        "mean costs, for scores of one class that only rise with its hits and fall with its false "
        "alarms, and for "
        "means of recall, precision, F and jaccard, or where few items are unanswered"
    )
    raise MetricError(msg)


# ---- every table ---------------------------------------------------------------------------------


def _are_few(items: Open) -> bool:
    """Whether all ways to answer make so few tables that they can be tried."""
    k, most, ways = len(items.open), _TRIED // items.table.size, 1
    for many in items.open.tolist():
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
            # Each way to put k - 1 bars between the items.
            bars = np.array(list(combinations(range(many + k - 1), k - 1)), np.int64)
            edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, many + k - 1)))
            parts = np.diff(edges, axis=1) - 1
            tables = np.repeat(tables, len(parts), axis=0)
            tables[:, row] = np.tile(parts, (len(tables) // len(parts), 1))
    return tables


# ---- ratios of sums over the answers -------------------------------------------------------------


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
        prices = np.asarray(
            score(Stack.from_array(alone, labels=items.matrix.labels)), dtype=np.float64
        )
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
        while (
            now := sign * _of_table(score, items, (sign * tops - value * bottoms).argmax(axis=1))
        ) > value + _EQUAL:
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
    k = len(items.open)
    actual, predicted = items.actual.astype(np.float64), items.predicted.astype(np.float64)
    n, every = float(actual.sum()), float(items.open.sum())
    tops = n * np.eye(k) - actual[:k]
    fixed = n * float(items.hits.sum()) - float(predicted @ actual[:k])
    above = [
        fixed + float((items.open * extreme(tops, axis=1)).sum()) for extreme in (np.min, np.max)
    ]
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
