"""The report of any stack: its matrices in rows, scores that are one number in columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from confmat.core.errors import MetricError
from confmat.core.stack import Stack
from confmat.intervals import Estimate, interval
from confmat.metrics.averages import Average, Undefined, average_named
from confmat.metrics.catalog import Score, one_number, parse_score, several
from confmat.metrics.declaration import Metric
from confmat.metrics.margins import Outside
from confmat.reporting.intervals import NO_BOUNDS, Intervals, level_of
from confmat.reporting.value import Report

# Default scores.
SCORES = ("accuracy", "balanced_accuracy", "f1.macro", "kappa", "mcc")


def report_of_members(
    stack: Stack,
    metrics: Any,
    averages: Any,
    overall: Any,
    digits: int,
    undefined: Undefined,
    outside: Outside,
    intervals: bool | float,
) -> Report:
    """Return a report with one row for each matrix of a stack.

    Raises
    ------
    MetricError
        If a score has a value per class, and nothing says which class or which mean is meant.
    """
    asked = several(SCORES if metrics is None else metrics, "metrics")
    asked += [] if overall is None else several(overall, "overall")
    means = [] if averages is None else several(averages, "averages", Average)
    scores = [one for text in asked for one in _single(parse_score(text), list(map(average_named, means)), stack)]
    scores = list(dict.fromkeys(scores))
    parts = [_values(score, stack, undefined, outside) for score in scores]
    values = np.array(parts, dtype=np.float64).reshape(len(scores), len(stack)).T
    made = Report(
        classes=tuple(stack),
        metrics=tuple(map(column_of_score, scores)),
        values=values,
        support=np.asarray(stack.total),
        averages={},
        overall={},
        total=np.asarray(stack.total).sum().item(),
        digits=digits,
        undefined=undefined,
        axis=stack.axis,
    )
    if intervals is False:
        return made
    level = level_of(intervals)
    ends = np.full((2, len(stack), len(scores)), np.nan)
    for i, m in enumerate(stack.values()):
        for j, score in enumerate(scores):
            ends[:, i, j] = _bounds(score, m, level, undefined, outside)
    return replace(made, intervals=Intervals(level, ends[0], ends[1], {}, {}))


def column_of_score(score: Score) -> Metric:
    """Return a metric under the name of the whole score, such as "f1.macro", for the head of a column.

    Raises
    ------
    MetricError
        If the score is no metric.
    """
    if not isinstance(score.metric, Metric):
        msg = f"{score.metric!r:.60} is a value that another package computes; a column is a metric"
        raise MetricError(msg)
    return score.metric if str(score) == score.metric.name else replace(score.metric, name=str(score))


def _single(score: Score, means: list[Average], stack: Stack) -> list[Score]:
    """The scores that are one number: of a metric per class its averages, or the positive class of two."""
    if score.is_per_class and means:
        return [replace(score, average=mean) for mean in means]
    return [one_number(score, stack.labels)]


def _values(score: Score, stack: Stack, undefined: Undefined, outside: Outside) -> Any:
    if not isinstance(score.metric, Metric):
        return [score(m) for m in stack.values()]
    options = {} if score.average is None else {"undefined": undefined}
    return score(stack, outside=outside, **options)


def _bounds(score: Score, m: Any, level: float, undefined: Undefined, outside: Outside) -> tuple[float, float]:
    if score.metric.unit == "items":
        return NO_BOUNDS
    estimate = interval(m, score, level=level, undefined=undefined, outside=outside)
    return (estimate.low, estimate.high) if isinstance(estimate, Estimate) else NO_BOUNDS
