"""The intervals of a report: bounds for each number that stands in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told
from confmat.intervals import Estimate, Estimates, interval
from confmat.intervals.asked import ask
from confmat.intervals.door import estimate
from confmat.metrics.averages import Average, Undefined
from confmat.metrics.catalog import Score
from confmat.metrics.declaration import Metric
from confmat.metrics.margins import Outside

Floats = NDArray[np.float64]
Bounds = tuple[float, float]
NO_BOUNDS = (math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Bounds of the values of each class (one row per class), of each average, and of the overall scores."""

    level: float
    low: Floats
    high: Floats
    averages: Mapping[str, tuple[Bounds, ...]]
    overall: Mapping[str, Bounds]

    @classmethod
    def of(
        cls,
        m: ConfusionMatrix,
        columns: list[Metric],
        singles: list[Score],
        how: tuple[Average, ...],
        wanted: bool | float,
        undefined: Undefined,
        outside: Outside,
    ) -> Intervals:
        """Return the intervals of every number in a report; counts of items are facts, and have none."""
        level = level_of(wanted)
        known: dict[str, Any] = {"level": level, "undefined": undefined, "outside": outside}
        each = [_of_classes(metric, m, known) for metric in columns]
        shape = (len(columns), m.n_classes)
        low, high = (np.array([part[side] for part in each]).reshape(shape).T for side in (0, 1))
        means = {one.name: tuple(_of_one(metric, m, known, one) for metric in columns) for one in how}
        return cls(level, low, high, means, {str(one): _of_one(one, m, known, None) for one in singles})

    @property
    def note(self) -> str:
        """The sentence on the bounds."""
        return (
            f"[intervals] hold with a confidence of {self.level:.3g}: Wilson's, at the effective number of items, "
            "of items drawn as they come"
        )

    def of_row(self, row: int | str) -> list[Bounds]:
        """The bounds of a class by its place, or of an average by its name."""
        if isinstance(row, str):
            return list(self.averages[row])
        return list(zip(self.low[row].tolist(), self.high[row].tolist(), strict=True))

    def to_dict(self, classes: tuple[Any, ...], names: tuple[str, ...]) -> dict[str, Any]:
        """Plain data: pairs of bounds in the shape of the report."""
        return {
            "level": self.level,
            "classes": {label: _by_name(names, self.of_row(i)) for i, label in enumerate(classes)},
            "averages": {name: _by_name(names, list(row)) for name, row in self.averages.items()},
            "overall": {name: _pair(bounds) for name, bounds in self.overall.items()},
        }


def level_of(wanted: bool | float) -> float:
    """How often each interval should hold the truth, from what a report is asked with."""
    level = 0.95 if wanted is True else wanted
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
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


def _of_one(score: Any, m: ConfusionMatrix, known: dict[str, Any], average: Average | None) -> Bounds:
    """Return the bounds of a score, `NO_BOUNDS` if it has no interval."""
    metric = score.metric if isinstance(score, Score) else score
    if not isinstance(metric, Metric) or metric.unit == "items":
        return NO_BOUNDS
    try:
        estimated = interval(m, score, average=average, **known)
    except MetricError:
        # An average that is refused stands as a dash already, with its reason.
        return NO_BOUNDS
    return (estimated.low, estimated.high) if isinstance(estimated, Estimate) else NO_BOUNDS


def _by_name(names: tuple[str, ...], bounds: list[Bounds]) -> dict[str, Any]:
    return dict(zip(names, map(_pair, bounds), strict=True))


def _pair(bounds: Bounds) -> list[float] | None:
    return None if math.isnan(bounds[0]) else list(bounds)
