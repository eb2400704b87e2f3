"""Readings: the numbers that a claim may mean, and scores of the matrix that equal one by chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
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
from confmat.metrics import metric as metric_named
from confmat.metrics.averages import Average
from confmat.metrics.catalog import OFTEN_PRINTED

Array = NDArray[np.float64]
# Averages that a score without a class or an average may mean, beside the positive class of two.
BARE = ("macro", "weighted", "micro")


@dataclass(frozen=True)
class Reading:
    """A value, its name, and the class or average that a bare name was read as, if any."""

    value: float
    says: str
    key: tuple[str, Any] | None = None


class View:
    """A matrix in one orientation, with the values that were worked out of it."""

    def __init__(self, m: ConfusionMatrix, other: View | None = None) -> None:
        self.m, self.classes = m, m.labels.classes
        self._memo: dict[Any, Any] = {}
        if other is not None:
            self.flipped = other

    @cached_property
    def flipped(self) -> View:
        """The same table with its rows taken for what was predicted."""
        return View(self.m.T, self)

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
        values = self._kept(metric, lambda: np.asarray(metric(self.m), dtype=np.float64))
        return np.broadcast_to(values, (len(self.classes),))

    def average(self, metric: Metric, average: str | Average, undefined: Any = "fair") -> float:
        """A mean over classes, NaN where there is none."""
        key = (metric, getattr(average, "name", average), undefined)
        return float(self._kept(key, lambda: metric(self.m, average=average, undefined=undefined)))

    def whole(self, metric: Any) -> Any:
        """The value of a metric of the whole matrix, or what a peer makes of it."""
        return self._kept(metric, lambda: metric(self.m))


def class_name(view: View, place: int) -> str:
    """The name of a class in a message."""
    return middle(printable(view.classes[place]), 40)


def of_class(metric: Metric, values: Array, view: View, place: int) -> Reading:
    """The value of one class."""
    return Reading(
        float(values[place]), f"{metric.name}[{class_name(view, place)}]", ("class", place)
    )


def ordinary(claim: Claim, view: View) -> list[Reading]:
    """Meanings of a claim's name in the order in which they are tried; only a bare name has several."""
    if claim.score is None:
        return [Reading(float(view.m.total), "the sum of all cells")]
    if not claim.of_classes:
        return [Reading(_number(view.whole(claim.metric), claim), str(claim.score))]
    return spread_over(
        claim,
        view,
        view.per_class(claim.metric),
        lambda average: view.average(claim.metric, average),
    )


def spread_over(
    claim: Claim, view: View, values: Array, mean: Callable[[Any], float]
) -> list[Reading]:
    """The readings of a metric per class: of its class, its average, or, of a bare name, of each usual one."""
    assert claim.score is not None
    name = claim.metric.name
    if claim.place is not None:
        return [Reading(float(values[claim.place]), f"{name}[{class_name(view, claim.place)}]")]
    if claim.score.average is not None:
        return [Reading(mean(claim.score.average), str(claim.score))]
    classes = [of_class(claim.metric, values, view, place) for place in positives(view)]
    return classes + [
        Reading(mean(average), f"{name}.{average}", ("average", average)) for average in BARE
    ]


def positives(view: View) -> list[int]:
    """Positions of the classes that may be the positive one: the one that was named, or both of two."""
    if len(view.classes) != 2:
        return [] if len(view.classes) > 2 else [0]
    return [0, 1] if view.m.positive is None else [view.m.labels.index(view.m.positive)]


def _number(value: Any, claim: Claim) -> float:
    """The value of a metric of the whole matrix, or of a peer, as a number; NaN where it is not a number."""
    if isinstance(value, dict) and claim.score is not None and claim.place is not None:
        value = value.get(claim.score.of)
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def mean_of(values: Array, view: View, given: str | Average) -> float:
    """A mean of values per class that no metric has; NaN where it means nothing."""
    average = AVERAGES[given] if isinstance(given, str) else given
    if average.pooled:
        return math.nan
    weights = (
        np.ones(len(values)) if average.weigh is None else np.asarray(average.weigh(view.cells))
    )
    keep = ~np.isnan(values) & (weights != 0)
    if not keep.any():
        return math.nan
    with np.errstate(all="ignore"):
        return float(average.formula(values[keep], weights[keep]))


_AVERAGES = ("macro", "weighted", "micro", "weighted_predicted")
# Beyond, a class for each number is no finding any more.
_MOST_CLASSES = 50
_SHOWN = 3


def values_often_printed(view: View) -> Iterator[Reading]:
    """Values of the usual scores: of every class of a few, averaged, and of the whole matrix."""
    for metric in map(metric_named, OFTEN_PRINTED):
        if metric.kind == "matrix":
            yield Reading(float(view.whole(metric)), metric.name)
            continue
        for average in _AVERAGES:
            yield Reading(view.average(metric, average), f"{metric.name}.{average}")
        if len(view.classes) <= _MOST_CLASSES:
            for place in range(len(view.classes)):
                yield of_class(metric, view.per_class(metric), view, place)


def equal_to(claim: Claim, values: Iterable[Reading]) -> list[str]:
    """The scores that are printed as the claim is, those of its own class and its own metric first."""
    hits = [value for value in values if claim.printed.allows(value.value)]
    name = getattr(claim.metric, "name", "")

    def rank(reading: Reading) -> tuple[bool, bool]:
        own = claim.place is not None and reading.key == ("class", claim.place)
        return (not reading.says.startswith(name), not own)

    return list(dict.fromkeys(hit.says for hit in sorted(hits, key=rank)))[:_SHOWN]


def by_chance(claim: Claim, values: Iterable[float]) -> float | None:
    """The share of all numbers with these digits, within the bounds of the score, that equal one of the values.

    A number printed at random is explained by chance with this probability. None where a score has
    no bounds.
    """
    low, high = getattr(claim.metric, "bounds", (None, None))
    if low is None or high is None or claim.printed.nothing:
        return None
    unit = float(claim.printed.unit)
    steps = (high - low) / unit
    numbers = np.asarray(list(values), dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    cells = np.unique(np.rint((numbers - low) / unit))
    return min(1.0, int(np.count_nonzero((cells >= 0) & (cells <= steps))) / (steps + 1))


def joint_chance(single: Iterable[float | None], families: int) -> float | None:
    """The probability that one of several families explains all claims by chance, from that of one for each claim."""
    product = 1.0
    for chance in single:
        if chance is None:
            return None
        product *= chance
    return -math.expm1(families * math.log1p(-product)) if product < 1 else 1.0
