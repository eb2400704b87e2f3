"""Extremes: the least and the greatest value of a score over all ways to answer what was not answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.cells import Cells
from confmat.errors import MetricError
from confmat.matrix import ConfusionMatrix
from confmat.metrics.scores import Score, label_spelt
from confmat.stack import Stack

__all__ = ["Open", "Span", "span_of"]

Array = NDArray[Any]

# Tables that are all tried, by their cells; and values of one class that are looked at.
_TRIED = 2_000_000
_LOOKED_AT = 4_000_000
# Classes whose prices are asked one by one.
_PRICED = 60
_EQUAL = 1e-12


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
        k, table = m.n_classes, np.array(m.counts)
        left = table[:k, k:].sum(axis=1)
        table[:k, k:] = 0
        # Outside answered by outside is never counted.
        table[k:, k:] = 0
        return cls(m, table, left)

    def answered(self, more: Array) -> Stack:
        """The matrices with answers added, from an array (G, K, K)."""
        k = len(self.open)
        tables = np.repeat(self.table[None], len(more), axis=0)
        tables[:, :k, :k] += more
        return Stack.from_array(tables, labels=self.matrix.labels)


def span_of(score: Score, items: Open) -> Span:
    """The extremes of a score, by the first way that knows them."""
    if not items.open.any():
        value = _values(score, items, np.zeros((1, *items.table[: len(items.open), : len(items.open)].shape)))
        return Span(float(value[0]), float(value[0]), exact=True)
    whole = items.table.dtype.kind != "f"
    metric = score.metric
    if whole and _ways(items) * items.table.size <= _TRIED:
        return _of_values(_values(score, items, _every(items)))
    linear = _LINEAR.get(getattr(metric, "name", ""))
    if linear is not None and (linear is not _prices or len(items.open) <= _PRICED):
        return _linear(score, items, linear)
    if getattr(metric, "name", "") == "mcc" and metric.kind == "matrix":
        return _correlation(score, items)
    if whole and getattr(metric, "kind", "") == "class" and metric.needs == "margins":
        found = _of_class(score, items) if score.of is not None else _of_mean(score, items)
        if found is not None:
            return found
    weighted = "" if whole else " of weighted items"
    msg = (
        f"no bounds of {score}{weighted} are known where {items.open.sum():,} items are unanswered; they are for "
        "accuracy, balanced_accuracy, kappa, cost and mcc, for scores of one class, and for macro, weighted and micro "
        "means of recall, precision, F and jaccard, or where few items are unanswered"
    )
    raise MetricError(msg)


def _of_values(values: Array) -> Span:
    known = values[~np.isnan(values)]
    if not len(known):
        return Span(float("nan"), float("nan"), exact=True)
    return Span(float(known.min()), float(known.max()), exact=True)


def _values(score: Score, items: Open, more: Array) -> Array:
    return np.asarray(score(items.answered(more.astype(items.table.dtype))), dtype=np.float64)


# ---- every table -------------------------------------------------------------------------------------------


def _ways(items: Open) -> int:
    k = len(items.open)
    return prod(comb(int(many) + k - 1, k - 1) for many in items.open.tolist())


def _every(items: Open) -> Array:
    """All tables of answers to the open items, (G, K, K)."""
    k = len(items.open)
    found = np.zeros((1, k, k), np.int64)
    for row, many in enumerate(items.open.tolist()):
        if many:
            # Each way to put k - 1 bars between so many items.
            bars = np.array(list(combinations(range(int(many) + k - 1), k - 1)), np.int64).reshape(-1, k - 1)
            edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, int(many) + k - 1)))
            parts = np.diff(edges, axis=1) - 1
            found = np.repeat(found, len(parts), axis=0)
            found[:, row] = np.tile(parts, (len(found) // len(parts), 1))
    return found


# ---- ratios of sums over the answers -----------------------------------------------------------------------

# From a score and the items to what each answer adds to the numerator and to the denominator, (K, K) each.
Linear = Callable[[Score, Open], tuple[Array, Array]]


def _hits(_: Score, items: Open) -> tuple[Array, Array]:
    k = len(items.open)
    return np.eye(k), np.zeros((k, k))


def _misses(_: Score, items: Open) -> tuple[Array, Array]:
    k = len(items.open)
    return 1 - np.eye(k), np.zeros((k, k))


def _prices(score: Score, items: Open) -> tuple[Array, Array]:
    """The price of each answer: what a table of it alone costs."""
    k, size = len(items.open), len(items.table)
    places = np.arange(k * k)
    alone = np.zeros((k * k, size, size), items.table.dtype)
    alone[places, places // k, places % k] = 1
    found = np.asarray(score(Stack.from_array(alone, labels=items.matrix.labels)), dtype=np.float64)
    return found.reshape(k, k), np.zeros((k, k))


def _recalls(_: Score, items: Open) -> tuple[Array, Array]:
    k = len(items.open)
    totals = _actual(items)[:k]
    shares = np.divide(1.0, totals, out=np.zeros(k), where=totals > 0)
    return np.diag(shares), np.zeros((k, k))


def _beyond_chance(_: Score, items: Open) -> tuple[Array, Array]:
    """What an answer adds to n times the hits less those by chance, and to n² less those by chance."""
    k = len(items.open)
    totals = _actual(items)
    chance = np.tile(totals[:k], (k, 1))
    return float(totals.sum()) * np.eye(k) - chance, -chance


_LINEAR: dict[str, Linear] = {
    "accuracy": _hits,
    "error_rate": _misses,
    "cost": _prices,
    "balanced_accuracy": _recalls,
    "kappa": _beyond_chance,
}


def _actual(items: Open) -> Array:
    """Totals of the actual classes, those outside together at the end; all items are answered."""
    k = len(items.open)
    totals: Array = items.table.sum(axis=1).astype(np.float64)
    totals[:k] += items.open
    return np.append(totals[:k], totals[k:].sum())


def _linear(score: Score, items: Open, linear: Linear) -> Span:
    """Both extremes by Dinkelbach's method (1967): items of one class are answered alike, and each class by itself."""
    tops, bottoms = linear(score, items)
    found = []
    for sign in (1.0, -1.0):
        value = sign * _of_table(score, items, _alike(items, sign * tops))
        while (now := sign * _of_table(score, items, _alike(items, sign * tops - value * bottoms))) > value + _EQUAL:
            value = now
        if value != value or now != now:
            # Some answers leave no score at all.
            return Span(score.metric.bounds[0], score.metric.bounds[1], exact=False)
        found.append(sign * value)
    return Span(min(found), max(found), exact=True)


def _alike(items: Open, gains: Array) -> Array:
    """All items of a class answered with the class that gains most."""
    k = len(items.open)
    more = np.zeros((1, k, k), items.table.dtype)
    more[0, np.arange(k), gains.argmax(axis=1)] = items.open
    return more


def _of_table(score: Score, items: Open, more: Array) -> float:
    return float(_values(score, items, more)[0])


def _correlation(score: Score, items: Open) -> Span:
    """Bounds of mcc: the extremes of its numerator, with those of the spread of the predictions."""
    tops, _ = _beyond_chance(score, items)
    k, actual = len(items.open), _actual(items)
    n, many = float(actual.sum()), float(items.open.sum())
    predicted = items.table.sum(axis=0)[:k].astype(np.float64)
    fixed = n * float(np.trace(items.table[:k, :k])) - float(predicted @ actual[:k])
    above = [fixed + float((items.open * extreme(tops, axis=1)).sum()) for extreme in (np.min, np.max)]
    largest = np.sort(predicted)[::-1]
    most = float(((largest + many * (np.arange(k) == 0)) ** 2).sum())
    least = float((_levelled(predicted, many) ** 2).sum())
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


# ---- scores of classes, and their means --------------------------------------------------------------------


def _of_class(score: Score, items: Open) -> Span | None:
    """Every number of hits and of false alarms that a class can have: its own items, and those of the others."""
    labels = items.matrix.labels
    place = labels.index(label_spelt(labels, score.of))
    if place >= len(items.open):
        return None
    own, others = int(items.open[place]), int(items.open.sum() - items.open[place])
    if (own + 1) * (others + 1) > _LOOKED_AT and not _is_steady(score.metric):
        return None
    steps = (own + 1, others + 1) if (own + 1) * (others + 1) <= _LOOKED_AT else (2, 2)
    hits, alarms = (np.linspace(0, top, many) for top, many in zip((own, others), steps, strict=True))
    return _of_values(_grid(score, items, place, hits, alarms).ravel())


def _grid(score: Score, items: Open, place: int, hits: Array, alarms: Array) -> Array:
    """Values of a class with so many more hits and false alarms, (hits, alarms)."""
    actual = _actual(items)
    tp = items.table[place, place] + hits[:, None] + 0 * alarms
    fp = items.table[:, place].sum() - items.table[place, place] + alarms + 0 * hits[:, None]
    fn = actual[place] - tp
    cells = [np.rint(part)[..., None].astype(np.int64) for part in (tp, fp, fn, actual.sum() - tp - fp - fn)]
    found: Array = np.asarray(score.metric.per_class(Cells(*cells)), dtype=np.float64)[..., 0]
    return found


def _is_steady(metric: Any) -> bool:
    """Whether more hits are never worse, and more false alarms never better, each of them less than the last.

    With the actual total r and d hits of p predictions: F is (1 + b²) d / (b² r + p), jaccard d / (r + p - d).
    """
    return metric.name in {"precision", "recall", "jaccard"} or (metric.factory or ("",))[0] == "f_beta"


def _of_mean(score: Score, items: Open) -> Span | None:
    """Means of classes: best when every item is right, worst when all are wrong and fall where they cost most.

    A class that gets one more false alarm loses less by it than by the last, so taking the largest losses first is
    the least sum (a separable convex allocation). Which class gets how many is free but for its own items.
    """
    how = score.average.name if score.average is not None else ""
    if how == "micro":
        return _of_micro(score, items)
    if how not in {"macro", "weighted"} or len(items.open) * int(items.open.sum()) > _LOOKED_AT * 5:
        return None
    k, every = len(items.open), int(items.open.sum())
    weights = _actual(items)[:k]
    weights = weights if how == "weighted" else (weights > 0).astype(np.float64)
    sign = 1.0 if score.metric.better == "higher" else -1.0
    least = most = 0.0
    losses = []
    looked_at = float(((items.open + 1.0) * (every + 1 - items.open)).sum())
    for place in np.flatnonzero(weights).tolist():
        own = int(items.open[place])
        alarms = np.arange(every - own + 1)
        small = looked_at <= _LOOKED_AT
        hits = np.arange(own + 1) if small else np.array([0, own])
        values = sign * _filled(score, _grid(score, items, place, hits, alarms), items, place, hits, alarms)
        if np.isnan(values).any() or not (_falls(values) if small else _is_steady(score.metric)):
            return None
        most += weights[place] * values[-1, 0]
        least += weights[place] * values[0, 0]
        losses.append(-weights[place] * np.diff(values[0]))
    worst = np.sort(np.concatenate(losses))[::-1][:every].sum()
    found = sorted(sign * value / float(weights.sum()) for value in (least - float(worst), most))
    return Span(found[0], found[1], exact=True)


def _filled(score: Score, values: Array, items: Open, place: int, hits: Array, alarms: Array) -> Array:
    """As a fair mean takes it: a class that is never predicted has the value that is declared for that."""
    fill = score.metric.when_never_predicted
    if fill is not None:
        predicted = items.table[:, place].sum() + hits[:, None] + alarms
        values = np.where(np.isnan(values) & (predicted == 0), fill, values)
    return values


def _falls(values: Array) -> bool:
    """Whether more hits are never worse, more false alarms never better, and each of them costs less than the last."""
    steps = np.diff(values, axis=1)
    convex = np.diff(steps[0]) >= -_EQUAL
    return bool((np.diff(values, axis=0) >= -_EQUAL).all() and (steps <= _EQUAL).all() and convex.all())


def _of_micro(score: Score, items: Open) -> Span:
    """The pooled cells depend on how many are right alone."""
    k, every = len(items.open), int(items.open.sum())
    right = int(np.trace(items.table[:k, :k])) + np.arange(every + 1)
    actual, predicted = float(_actual(items)[:k].sum()), float(items.table[:, :k].sum() + every)
    total = float(_actual(items).sum()) * k
    parts = (right, predicted - right, actual - right, total - actual - predicted + right)
    cells = Cells(*(np.asarray(part, np.float64)[:, None].astype(np.int64) for part in parts))
    return _of_values(np.asarray(score.metric.per_class(cells), np.float64)[:, 0])
