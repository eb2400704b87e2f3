"""Scores of many tables at once, and the solutions that a solver gives: ranges and witnesses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.auditing.claims import Claim
from confmat.core.cells import Cells
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.text import printable
from confmat.metrics import Metric, Score
from confmat.metrics.averages import chosen
from confmat.metrics.margins import Margins

Array = NDArray[np.float64]
# Values of metrics are right to twelve digits.
TRUST = 1e-12


@dataclass(frozen=True)
class Asked:
    """A score with the values that its printed digits allow, both ends included."""

    score: Score
    place: int | None
    low: float
    high: float
    name: str = ""

    @property
    def metric(self) -> Metric:
        """The metric of the score."""
        metric: Metric = self.score.metric
        return metric

    def fits(self, values: Array) -> NDArray[np.bool_]:
        """Where values may have been printed so; what has no value may not."""
        slack = TRUST * np.maximum(1.0, np.abs(values))
        with np.errstate(invalid="ignore"):
            return (values >= self.low - slack) & (values <= self.high + slack)


def asked_of(claim: Claim) -> Asked:
    """Read the score that a claim asks of tables; raise where tables do not determine it."""
    score = claim.score
    if score is None or not isinstance(score.metric, Metric):
        msg = f"{claim.name!r} is no metric of margins, so tables cannot be found for it"
        raise InputError(msg)
    if score.metric.needs == "cells":
        msg = f"{score.metric.name} needs every cell, not the margins alone, so tables cannot be found for it"
        raise InputError(msg)
    if claim.printed.nothing:
        msg = f"{claim.name!r} is claimed to have no value; leave it out"
        raise InputError(msg)
    return Asked(score, claim.place, claim.printed.low, claim.printed.high, claim.name)


def is_of_hits(asked: Asked) -> bool:
    """Whether a score is the share of hits, or of errors, among all items.

    So is the pooled score of an overlap whose misses and false alarms weigh 1 together, as those of
    F do: pooled over all classes, there are as many misses as false alarms as errors.
    """
    if asked.metric.kind == "matrix":
        return asked.metric.share_of == "total"
    if asked.score.average is None or not asked.score.average.pooled or not asked.metric.overlap:
        return False
    misses, alarms = (
        1 / float(asked.metric.formula(Cells(1.0, fp, fn, 0.0))) - 1
        for fp, fn in ((0.0, 1.0), (1.0, 0.0))
    )
    return abs(misses + alarms - 1) < TRUST


def all_fit(asked: Iterable[Asked], margins: Margins, undefined: float | None) -> NDArray[np.bool_]:
    """Which tables every score may have been printed of."""
    each = [score.fits(values_of(score.score, score.place, margins, undefined)) for score in asked]
    return np.logical_and.reduce([np.ones(len(margins.total), dtype=bool), *each])


def margins_of_two(tp: Any, fp: Any, fn: Any, tn: Any) -> Margins:
    """Margins of tables of two classes, the positive one first."""
    tp, fp, fn, tn = (np.asarray(part, dtype=np.float64) for part in (tp, fp, fn, tn))
    actual = tp + fn, tn + fp
    diagonal, both, predicted = (
        np.array(pair).T for pair in ((tp, tn), actual, (tp + fp, tn + fn))
    )
    return Margins(diagonal, both, predicted, actual[0] + actual[1], 2.0)


def values_of_two(asked: Asked, tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """A score without an average of tables of two classes, the positive one first; NaN for 0/0."""
    if asked.metric.beyond_chance == "share":
        # Margins of two classes would take twice the time.
        n, chance = tp + fp + fn + tn, (tp + fn) * (tp + fp) + (tn + fp) * (tn + fn)
        with np.errstate(all="ignore"):
            return np.asarray((n * (tp + tn) - chance) / (n * n - chance))
    if asked.metric.kind == "matrix":
        return values_of(asked.score, None, margins_of_two(tp, fp, fn, tn))
    with np.errstate(all="ignore"):
        cells = Cells(tn, fn, fp, tp) if asked.place == 1 else Cells(tp, fp, fn, tn)
        return np.asarray(asked.metric.formula(cells), dtype=np.float64)


def values_of(
    score: Score, place: int | None, margins: Margins, undefined: float | None = None
) -> Array:
    """The values of a score, one for each table; 0/0 becomes `undefined`, or NaN."""
    metric: Metric = score.metric
    with np.errstate(all="ignore"):
        if metric.kind == "matrix":
            values = np.asarray(metric.formula(margins), dtype=np.float64)
        else:
            values = _of_classes(metric, score, place, margins, undefined)
    return values if undefined is None else np.where(np.isnan(values), undefined, values)


def _of_classes(
    metric: Metric, score: Score, place: int | None, margins: Margins, undefined: float | None
) -> Array:
    cells = margins.cells
    average = score.average
    if average is None:
        return np.asarray(metric.formula(cells), dtype=np.float64)[..., place or 0]
    if average.pooled:
        return np.asarray(metric.formula(cells.pooled()), dtype=np.float64)[..., 0]
    values = np.asarray(metric.formula(cells), dtype=np.float64)
    choice = chosen(
        values,
        cells,
        average,
        "fair" if undefined is None else undefined,
        metric.when_never_predicted,
    )
    return np.asarray(average.formula(choice.values, choice.weights), dtype=np.float64)


class Range(NamedTuple):
    """The least and greatest value over all solutions; bounds that may be wider where `exact` is False."""

    low: float
    high: float
    exact: bool = True

    def __str__(self) -> str:
        if math.isnan(self.low):
            return "undefined"
        same = f"{self.low:.4f}" == f"{self.high:.4f}"
        text = f"{self.low:.4f}" if same else f"{self.low:.4f} to {self.high:.4f}"
        return text if self.exact else f"within {text}"


@dataclass(frozen=True)
class Witness:
    """One solution: hits and totals of each class, and the matrix where these leave only one."""

    labels: tuple[Any, ...]
    hits: tuple[int, ...]
    actual: tuple[int, ...]
    predicted: tuple[int, ...]
    matrix: ConfusionMatrix | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "labels": [printable(label) for label in self.labels],
            "hits": list(self.hits),
            "actual": list(self.actual),
            "predicted": list(self.predicted),
            "counts": None if self.matrix is None else self.matrix.counts.tolist(),
        }


def places_among(count: int, n: int) -> list[int]:
    """Up to n places spread over all solutions."""
    places: list[int] = (
        np.unique(np.linspace(0, count - 1, n).astype(np.int64)).tolist() if count else []
    )
    return places
