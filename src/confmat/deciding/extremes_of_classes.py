"""The extremes of scores of one class, and of means over classes, over all ways to answer what was not answered."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.cells import Cells
from confmat.deciding.opening import Open, Span, of_values
from confmat.metrics.catalog import Score, label_spelt

__all__ = ["span_of_classes"]

Array = NDArray[Any]

# Values of one class that are looked at.
_LOOKED_AT = 4_000_000
_EQUAL = 1e-12
# Metrics that are a ratio of two sums of cells, or steady: their extremes are at the ends of hits and false alarms.
_RATIOS = frozenset(
    {"specificity", "negative_predictive_value", "false_positive_rate", "false_negative_rate"}
    | {"false_discovery_rate", "false_omission_rate"}
)


def span_of_classes(score: Score, items: Open) -> Span | None:
    """The extremes of a score of one class or of a mean; None where they are not known."""
    return _of_class(score, items) if score.of is not None else _of_mean(score, items)


def _of_class(score: Score, items: Open) -> Span | None:
    """Every number of hits and of false alarms that a class can have: its own items, and those of the others."""
    labels = items.matrix.labels
    place = labels.index(label_spelt(labels, score.of))
    if place >= len(items.open):
        return None
    own, others = items.open[place].item(), (items.open.sum() - items.open[place]).item()
    if items.is_whole and (own + 1) * (others + 1) <= _LOOKED_AT:
        hits, alarms = np.arange(own + 1), np.arange(others + 1)
    elif _is_steady(score.metric) or score.metric.name in _RATIOS:
        hits, alarms = np.array([0, own]), np.array([0, others])
    else:
        return None
    return of_values(_grid(score, items, place, hits, alarms).ravel())


def _grid(score: Score, items: Open, place: int, hits: Array, alarms: Array) -> Array:
    """Values of a class with so many more hits and false alarms, (hits, alarms)."""
    cells = items.cells(place, hits[:, None, None], alarms[:, None])
    found: Array = np.asarray(score.metric.per_class(cells), dtype=np.float64)[..., 0]
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
    if how not in {"macro", "weighted"}:
        return None
    k = len(items.open)
    weights = items.actual[:k] if how == "weighted" else (items.actual[:k] > 0).astype(np.float64)
    if _is_steady(score.metric):
        return _of_steady_mean(score, items, weights)
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
    found = sorted(sign * value / float(weights.sum()) for value in (least - float(worst), most))
    return Span(found[0], found[1], exact=True)


def _of_steady_mean(score: Score, items: Open, weights: Array) -> Span:
    """The mean of a metric that is A / (B + a) after a false alarms, of any number of items or of their weight.

    Weights may be parted at will for the bound, as items cannot be.
    """
    places = np.flatnonzero(weights)
    weights, own = weights[places], items.open[places].astype(np.float64)
    nothing, room = np.zeros(len(places)), items.open.sum() - own

    def values(hits: Array, alarms: Array) -> Array:
        found = np.asarray(score.metric.per_class(items.cells(places, hits, alarms)), dtype=np.float64)
        return _filled(score, found, items.predicted[places] + hits + alarms)

    none, full = values(nothing, nothing), values(nothing, room)
    every = float(items.open.sum())
    # Weights of any size are parted as shares.
    unit = 1.0 if items.is_whole else every
    given, least = _shared_out(weights, none, full, room / unit, every / unit, whole=items.is_whole)
    most = float(weights @ values(own, nothing))
    worst = float(weights @ values(nothing, given * unit)) - least
    return Span(worst / float(weights.sum()), most / float(weights.sum()), exact=items.is_whole)


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
        found = np.sqrt(step / 4 + worth / amount) - bottom - step / 2
        return np.clip(np.ceil(found) if whole else found, 0, room[places])

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
    elif _is_steady(score.metric) or score.metric.name in _RATIOS:
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
