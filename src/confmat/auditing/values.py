"""Values: a score of many tables at once, from hits and margins as floats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.auditing.claims import Claim
from confmat.core.errors import InputError
from confmat.metrics import Metric, Score
from confmat.metrics.averages import chosen
from confmat.metrics.declaration import Margins

__all__ = ["Asked", "asked_of", "margins_of_two", "values_of"]

Array = NDArray[np.float64]
_TRUST = 1e-12


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
        found: Metric = self.score.metric
        return found

    def fits(self, values: Array) -> NDArray[np.bool_]:
        """Where values may have been printed so; what has no value may not."""
        slack = _TRUST * np.maximum(1.0, np.abs(values))
        with np.errstate(invalid="ignore"):
            return (values >= self.low - slack) & (values <= self.high + slack)


def asked_of(claim: Claim) -> Asked:
    """What is asked of tables by a claim; an error where they say nothing of it."""
    found = claim.score
    if found is None or not isinstance(found.metric, Metric):
        msg = f"{claim.name!r} is no metric of margins, so tables cannot be found for it"
        raise InputError(msg)
    if found.metric.needs == "cells":
        msg = f"{found.metric.name} needs every cell, not the margins alone, so tables cannot be found for it"
        raise InputError(msg)
    if claim.printed.nothing:
        msg = f"{claim.name!r} is claimed to have no value; leave it out"
        raise InputError(msg)
    return Asked(found, claim.place, claim.printed.low, claim.printed.high, claim.name)


def margins_of_two(tp: Any, fp: Any, fn: Any, tn: Any) -> Margins:
    """Margins of tables of two classes, the positive one first."""
    parts = [np.asarray(part, dtype=np.float64) for part in np.broadcast_arrays(tp, fp, fn, tn)]
    hits, false, missed, rest = parts
    return Margins(
        np.stack([hits, rest], axis=-1),
        np.stack([hits + missed, rest + false], axis=-1),
        np.stack([hits + false, rest + missed], axis=-1),
        hits + false + missed + rest,
        2.0,
    )


def values_of(score: Score, place: int | None, margins: Margins, undefined: float | None = None) -> Array:
    """The values of a score, one for each table; what is 0/0 is `undefined`, or NaN."""
    found: Metric = score.metric
    with np.errstate(all="ignore"):
        if found.kind == "matrix":
            values = np.asarray(found.formula(margins), dtype=np.float64)
        else:
            values = _of_classes(found, score, place, margins, undefined)
    return values if undefined is None else np.where(np.isnan(values), undefined, values)


def _of_classes(found: Metric, score: Score, place: int | None, margins: Margins, undefined: float | None) -> Array:
    cells = margins.cells
    how = score.average
    if how is None:
        return np.asarray(found.formula(cells), dtype=np.float64)[..., place or 0]
    if how.pooled:
        return np.asarray(found.formula(cells.pooled()), dtype=np.float64)[..., 0]
    values = np.asarray(found.formula(cells), dtype=np.float64)
    choice = chosen(values, cells, how, "fair" if undefined is None else undefined, found.when_never_predicted)
    return np.asarray(how.formula(choice.values, choice.weights), dtype=np.float64)
