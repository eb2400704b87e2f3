"""Readings: the numbers that a claim may stand for, each with the words that say how it is reached."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.auditing.claims import Claim
from confmat.core.errors import MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.text import middle, printable
from confmat.metrics import AVERAGES, Metric
from confmat.metrics.averages import Average

__all__ = ["BARE", "Reading", "View", "class_name", "mean_of", "ordinary", "positives", "spread_over"]

Array = NDArray[np.float64]
# What a score without a class or an average may mean, beside the positive class of two.
BARE = ("macro", "weighted", "micro")


@dataclass(frozen=True)
class Reading:
    """A value, what it is called, and what of a bare name was read: a class, an average, or nothing."""

    value: float
    says: str
    key: tuple[str, Any] | None = None


class View:
    """A matrix in one orientation, with the values that were worked out of it."""

    def __init__(self, m: ConfusionMatrix, other: View | None = None) -> None:
        self.m = m
        self._memo: dict[Any, Any] = {}
        if other is not None:
            self.flipped = other

    @cached_property
    def flipped(self) -> View:
        """The same table with its rows taken for what was predicted."""
        return View(self.m.T, self)

    @property
    def classes(self) -> Sequence[Any]:
        """The names of the classes."""
        return self.m.labels.classes

    @cached_property
    def cells(self) -> Any:
        """True and false positives and negatives per class, as floats."""
        return self.m.cells.astype(np.float64)

    def _kept(self, key: Any, work: Callable[[], Any]) -> Any:
        if key not in self._memo:
            try:
                self._memo[key] = work()
            except MetricError:
                self._memo[key] = math.nan
        return self._memo[key]

    def per_class(self, metric: Metric) -> Array:
        """One value per class."""
        found = self._kept(metric, lambda: np.asarray(metric(self.m), dtype=np.float64))
        return np.broadcast_to(found, (len(self.classes),))

    def average(self, metric: Metric, how: str | Average, undefined: Any = "fair") -> float:
        """A mean over classes, NaN where there is none."""
        key = (metric, getattr(how, "name", how), undefined)
        return float(self._kept(key, lambda: metric(self.m, average=how, undefined=undefined)))

    def whole(self, metric: Any) -> Any:
        """The value of a metric of the whole matrix, or what a peer makes of it."""
        return self._kept(metric, lambda: metric(self.m))


def class_name(view: View, place: int) -> str:
    """The name of a class in a message."""
    return middle(printable(view.classes[place]), 40)


def ordinary(claim: Claim, view: View) -> list[Reading]:
    """What the name means, in the order in which it is tried: several readings only of a bare name."""
    if claim.score is None:
        return [Reading(float(view.m.total), "the sum of all cells")]
    if not claim.of_classes:
        return [Reading(_number(view.whole(claim.metric), claim), str(claim.score))]
    return spread_over(claim, view, view.per_class(claim.metric), lambda how: view.average(claim.metric, how))


def spread_over(claim: Claim, view: View, values: Array, mean: Callable[[Any], float]) -> list[Reading]:
    """The readings of a metric per class: of its class, its average, or, of a bare name, of each usual one."""
    assert claim.score is not None
    name = claim.metric.name
    if claim.place is not None:
        return [Reading(float(values[claim.place]), f"{name}[{class_name(view, claim.place)}]")]
    if claim.score.average is not None:
        return [Reading(mean(claim.score.average), str(claim.score))]
    found = [
        Reading(float(values[place]), f"{name}[{class_name(view, place)}]", ("class", place))
        for place in positives(view)
    ]
    return found + [Reading(mean(how), f"{name}.{how}", ("average", how)) for how in BARE]


def positives(view: View) -> list[int]:
    """Positions of the classes that may be the positive one: one of two, or both where none is said to be it."""
    if len(view.classes) != 2:
        return [] if len(view.classes) > 2 else [0]
    return [0, 1] if view.m.positive is None else [view.m.labels.index(view.m.positive)]


def _number(value: Any, claim: Claim) -> float:
    """The value of a metric of the whole matrix, or of a peer, as a number; NaN where it is none."""
    if isinstance(value, dict) and claim.score is not None and claim.place is not None:
        value = value.get(claim.score.of)
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def mean_of(values: Array, view: View, how: str | Average) -> float:
    """A mean of values per class that no metric has; NaN where it means nothing."""
    average = AVERAGES[how] if isinstance(how, str) else how
    if average.pooled:
        return math.nan
    weights = np.ones(len(values)) if average.weigh is None else np.asarray(average.weigh(view.cells))
    keep = ~np.isnan(values) & (weights != 0)
    with np.errstate(all="ignore"):
        return (
            float(average.formula(np.where(keep, values, 1.0), np.where(keep, weights, 0.0)))
            if keep.any()
            else math.nan
        )
