"""Scores where the classes occur more or less often than in the test set: rows are rescaled, and so is the doubt.

What a model does with the items of a class is estimated from those items alone; how often the class occurs is given.
So only the rows vary, each around its own total.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told
from confmat.intervals.gradient import Slope
from confmat.intervals.smoothing import Smoothing
from confmat.metrics.catalog import label_spelt

__all__ = ["Rescaled", "shares_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rescaled:
    """A table whose rows have other totals, and how many items each row came from."""

    matrix: ConfusionMatrix
    rows: Array

    @classmethod
    def of(cls, m: ConfusionMatrix, shares: Array, spread: Smoothing | None) -> Rescaled:
        """Each row of the counted or smoothed table, scaled to its class's share of all items."""
        if m.labels.outside or m.is_weighted:
            what = "labels outside the classes" if m.labels.outside else "weights"
            msg = f"at_prevalence rescales rows of counted items, and this matrix has {what}"
            raise InputError(msg)
        table = m.counts.astype(np.float64)
        if spread is not None:
            table = (table + spread.each * np.outer(spread.rows, spread.columns)) * spread.scale
        rows = table.sum(axis=1)
        unknown = (rows == 0) & (shares > 0)
        if unknown.any():
            label = m.labels.classes[int(np.argmax(unknown))]
            msg = f"at_prevalence gives {label!r} a share, but the matrix has no items of it to tell what they become"
            raise InputError(msg)
        factor = np.divide(shares * m.total, rows, out=np.zeros(len(rows)), where=rows > 0)
        return cls(ConfusionMatrix(table * factor[:, None], labels=m.labels), rows)

    def variance(self, slope: Slope) -> float:
        """The variance of a score of the rescaled table, each row varying around its total."""
        table = self.matrix.counts.astype(np.float64)
        totals = table.sum(axis=1)
        kept = totals > 0
        size = len(table)
        g = slope.at(*(part.ravel() for part in np.indices(table.shape))).reshape(size, size)[kept]
        share = table[kept] / totals[kept][:, None]
        mean = (share * g).sum(axis=1)
        within = (share * (g - mean[:, None]) ** 2).sum(axis=1)
        return float((totals[kept] ** 2 / self.rows[kept] * within).sum())


def shares_of(prevalence: Any, m: ConfusionMatrix, of: Any) -> Array:
    """The share of each class: given for all, or for some, with the others keeping their proportions."""
    labels = m.labels
    given = _given(prevalence, labels, of)
    total = sum(given.values())
    if any(not 0 <= share <= 1 for share in given.values()) or total > 1 + 1e-12:
        msg = f"prevalences are shares of all items, between 0 and 1 and together no more than 1; got {prevalence!r}"
        raise InputError(msg)
    found = np.asarray(m.actual_totals, dtype=np.float64).copy()
    named = np.zeros(len(found), dtype=bool)
    for label, share in given.items():
        place = labels.index(label_spelt(labels, label))
        found[place], named[place] = share, True
    rest = found[~named].sum()
    if named.all() or total >= 1:
        if abs(total - 1) > 1e-9:
            msg = f"prevalences of all classes add up to 1; got {total:g}"
            raise InputError(msg)
        found[~named] = 0
    elif rest == 0:
        msg = "the classes without a given prevalence have no items, so the rest cannot be shared among them"
        raise InputError(msg)
    else:
        found[~named] *= (1 - total) / rest
    return found


def _given(prevalence: Any, labels: Labels, of: Any) -> dict[Any, float]:
    if isinstance(prevalence, Mapping):
        return {label: float(share) for label, share in prevalence.items()}
    if isinstance(prevalence, (int, float)) and not isinstance(prevalence, bool):
        positive = labels.positive if labels.positive is not None else of
        if positive is None:
            msg = f"say which class has that prevalence: at_prevalence={{{labels.classes[-1]!r}: {prevalence}}}"
            raise InputError(msg)
        return {positive: float(prevalence)}
    msg = f"at_prevalence is a share, or a mapping of classes to shares; got {told(prevalence)}"
    raise InputError(msg)
