"""Extremes: the least and the greatest value of a score over all ways to answer what was not answered."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import MetricError
from confmat.core.stack import Stack
from confmat.deciding.extremes_of_classes import span_of_classes
from confmat.deciding.opening import Open, Span, of_values
from confmat.metrics.catalog import Score

__all__ = ["span_of"]

Array = NDArray[Any]

# Tables that are all tried, by their cells.
_TRIED = 2_000_000
# Classes whose prices are asked one by one.
_PRICED = 60
_EQUAL = 1e-12
# Two to this power is more tables than are tried.
_POWER = 40


def span_of(score: Score, items: Open) -> Span:
    """The extremes of a score, by the first way that knows them."""
    k, metric = len(items.open), score.metric
    if k == 1 or not items.open.any():
        value = _of_table(score, items, np.arange(k))
        return Span(value, value, exact=True)
    if items.is_whole and _are_few(items):
        return of_values(_values(score, items, _every(items)))
    linear = _LINEAR.get(getattr(metric, "name", ""))
    if linear is not None and (linear is not _prices or k <= _PRICED):
        return _linear(score, items, linear)
    if getattr(metric, "name", "") == "mcc" and metric.kind == "matrix":
        return _correlation(items)
    if getattr(metric, "kind", "") == "class" and metric.needs == "margins":
        found = span_of_classes(score, items)
        if found is not None:
            return found
    weighted = "" if items.is_whole else " of weighted items"
    msg = (
        f"no bounds of {score}{weighted} are known where {items.open.sum():,} items are unanswered; they are for "
        "accuracy, balanced_accuracy, kappa, cost and mcc, for scores of one class, and for macro, weighted and micro "
        "means of recall, precision, F and jaccard, or where few items are unanswered"
    )
    raise MetricError(msg)


def _values(score: Score, items: Open, more: Array) -> Array:
    return np.asarray(score(items.answered(more.astype(items.table.dtype))), dtype=np.float64)


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
    totals = items.actual[:k]
    shares = np.divide(totals.max(), totals, out=np.zeros(k), where=totals > 0)
    return np.diag(shares), np.zeros((k, k))


def _beyond_chance(_: Score, items: Open) -> tuple[Array, Array]:
    """What an answer adds to n times the hits less those by chance, and to n² less those by chance."""
    k = len(items.open)
    totals = items.actual
    chance = np.tile(totals[:k], (k, 1))
    return float(totals.sum()) * np.eye(k) - chance, -chance


_LINEAR: dict[str, Linear] = {
    "accuracy": _hits,
    "error_rate": _misses,
    "cost": _prices,
    "balanced_accuracy": _recalls,
    "kappa": _beyond_chance,
}


def _linear(score: Score, items: Open, linear: Linear) -> Span:
    """Both extremes by Dinkelbach's method (1967): items of one class are answered alike, and each class by itself."""
    tops, bottoms = linear(score, items)
    found = []
    for sign in (1.0, -1.0):
        value = sign * _of_table(score, items, (sign * tops).argmax(axis=1))
        while (now := sign * _of_table(score, items, (sign * tops - value * bottoms).argmax(axis=1))) > value + _EQUAL:
            value = now
        if value != value or now != now:
            # Some answers leave no score at all.
            return Span(score.metric.bounds[0], score.metric.bounds[1], exact=False)
        found.append(sign * value)
    return Span(min(found), max(found), exact=True)


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
