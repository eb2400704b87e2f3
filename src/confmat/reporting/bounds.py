"""Intervals of every number in a report."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from confmat.core.building import positive_of
from confmat.core.errors import InputError, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import is_number, told
from confmat.core.samples import PIXELS_ALIKE, Sample, holds_pixels
from confmat.core.stack import Stack
from confmat.intervals import Estimate, Estimates, interval
from confmat.intervals.asked import ask
from confmat.intervals.door import estimate
from confmat.intervals.known import doubt
from confmat.metrics.averages import Average, Undefined
from confmat.metrics.catalog import Score
from confmat.metrics.declaration import Metric
from confmat.reporting.making import Request, label_called
from confmat.reporting.value import NO_BOUNDS, Bounds, Floats, Intervals


def of_matrix(m: ConfusionMatrix, request: Request) -> Intervals:
    """Return the intervals of every number in a report; counts of items are facts, and have none."""
    columns, singles = request.columns, request.singles
    known = _known(request)
    each = [_of_classes(metric, m, known) for metric in columns]
    shape = (len(columns), m.n_classes)
    low, high = (np.array([part[side] for part in each]).reshape(shape).T for side in (0, 1))
    means = {
        average.name: tuple(bounds_of(metric, m, known, average) for metric in columns)
        for average in request.averages
    }
    overall = {str(single): bounds_of(single, m, known) for single in singles}
    alone = [
        single.metric
        for single in singles
        if isinstance(single.metric, Metric) and single.average is None
    ]
    doubts = doubt([*columns, *alone], m)
    return Intervals(known["level"], low, high, means, overall, _design_of(m), doubts)


def _known(request: Request) -> dict[str, Any]:
    """The options of every interval."""
    level = level_of(request.intervals)
    return {"level": level, "undefined": request.undefined, "outside": request.outside}


def _design_of(m: ConfusionMatrix) -> str:
    """How the items of a matrix were drawn."""
    if holds_pixels(m):
        return PIXELS_ALIKE
    return m.described if isinstance(m, Sample) else Intervals.drawn


def of_labels(stack: Stack, items: Stack | None, request: Request) -> Intervals:
    """Bounds of each label, its items drawn once each; and, by items, of means and scores that pool labels.

    Labels of one item go together, so only who knows the items knows how much a score of several
    labels varies.
    """
    level, yes = level_of(request.intervals), positive_of(stack.labels)
    known, columns = {"of": yes, "level": level}, request.columns
    each = [[bounds_of(metric, m, known) for metric in columns] for m in stack.values()]
    sides = np.array(each, np.float64).reshape(len(stack), len(columns), 2)
    asked: list[tuple[Metric, Average | None]] = [
        (metric, average) for average in request.averages for metric in columns
    ]
    asked += [(single.metric, single.average) for single in request.singles if single.of is None]
    bounds = iter(_bounds_of_means(asked, stack, items, request.undefined, level))
    means = {average.name: tuple(next(bounds) for _ in columns) for average in request.averages}
    overall: dict[str, Bounds] = {
        str(single): next(bounds)
        if single.of is None
        else bounds_of(single.metric, stack[label_called(stack, single.of)], known)
        for single in request.singles
    }
    return Intervals(level, sides[..., 0], sides[..., 1], means, overall)


def of_members(stack: Stack, request: Request) -> Intervals:
    """Bounds of the scores of each matrix of a stack."""
    known, scores = _known(request), request.singles
    bounds = [bounds_of(score, m, known) for m in stack.values() for score in scores]
    ends = np.array(bounds).reshape(len(stack), len(scores), 2)
    drawn = {_design_of(m) for m in stack.values()}
    design = drawn.pop() if len(drawn) == 1 else "of each group as it was drawn"
    return Intervals(known["level"], ends[..., 0], ends[..., 1], {}, {}, design)


def level_of(wanted: bool | float) -> float:
    """How often each interval should hold the truth, from what a report is asked with."""
    level = 0.95 if wanted is True else wanted
    if not is_number(level) or not 0 < level < 1:
        msg = f"`intervals` is True, or a level between 0 and 1 such as 0.9; got {told(wanted)}"
        raise InputError(msg)
    return level


def _of_classes(metric: Metric, m: ConfusionMatrix, known: dict[str, Any]) -> tuple[Floats, Floats]:
    if metric.unit == "items":
        lost = np.full(m.n_classes, np.nan)
        return lost, lost
    estimates = estimate(ask(m, metric, **known), m)
    assert isinstance(estimates, Estimates)
    return estimates.low, estimates.high


def bounds_of(
    score: Any, m: ConfusionMatrix, known: dict[str, Any], average: Average | None = None
) -> Bounds:
    """Return the bounds of a score, `NO_BOUNDS` if it has no interval."""
    metric = score.metric if isinstance(score, Score) else score
    if not isinstance(metric, Metric) or metric.unit == "items":
        return NO_BOUNDS
    try:
        return ends_of(interval(m, score, average=average, **known))
    except MetricError:
        # An average that is refused is shown as a dash already, with its reason.
        return NO_BOUNDS


def ends_of(estimated: Any) -> Bounds:
    """Return the bounds of one estimate, `NO_BOUNDS` if there is none."""
    return (estimated.low, estimated.high) if isinstance(estimated, Estimate) else NO_BOUNDS


def _bounds_of_means(
    asked: list[tuple[Metric, Average | None]],
    stack: Stack,
    items: Stack | None,
    undefined: Undefined,
    level: float,
) -> list[Bounds]:
    """Return bounds of means over labels and items, and of pooled labels; none without items, and for counts."""
    if items is None:
        return [NO_BOUNDS] * len(asked)
    known = [
        score
        for score in asked
        if (score[1] is not None or score[0].kind == "matrix") and score[0].unit != "items"
    ]
    asks = [
        ask(items, Score(metric, average), undefined=undefined, level=level)
        for metric, average in known
    ]
    with np.errstate(all="ignore"):
        means = import_module("confmat.intervals.items").estimates_of_means
        estimates = iter(means(asks, stack, items))
    return [ends_of(next(estimates)) if score in known else NO_BOUNDS for score in asked]
