"""Opening: a table whose unanswered items are open again, and the extremes of a score over all ways to answer them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.cells import Cells
from confmat.core.counts import Counts, fits_dense
from confmat.core.errors import BudgetError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack

__all__ = ["Open", "Span", "of_values"]

Array = NDArray[Any]


class Span(NamedTuple):
    """The least and the greatest value; where not exact, bounds that no way to answer exceeds."""

    low: float
    high: float
    exact: bool


@dataclass(frozen=True)
class Open:
    """A table in which all answers are classes, and how many items of each class are still to be answered.

    Rows of items whose truth is outside the classes stay as they are.
    """

    matrix: ConfusionMatrix
    table: Array
    open: Array

    @classmethod
    def of(cls, m: ConfusionMatrix) -> Open:
        """Take back the answers outside the classes."""
        if not fits_dense(len(m.labels)):
            msg = (
                f"bounds of what is unanswered need a table of all classes, and one of {len(m.labels):,} would take "
                f"{len(m.labels) ** 2 * 8 / 1e9:,.1f} GB; take some with m.select(labels) or join them with "
                "m.merge(groups)"
            )
            raise BudgetError(msg)
        k, table = m.n_classes, np.array(m.counts)
        left = table[:k, k:].sum(axis=1)
        table[:k, k:] = 0
        # Outside answered by outside is never counted.
        table[k:, k:] = 0
        return cls(m, table, left)

    @property
    def is_whole(self) -> bool:
        """Whether items count once each, so that their number may be parted anyhow."""
        return self.table.dtype.kind != "f"

    @cached_property
    def actual(self) -> Array:
        """Totals of the actual classes, those outside together at the end; all items are answered."""
        k = len(self.open)
        totals: Array = self.table.sum(axis=1).astype(np.float64)
        totals[:k] += self.open
        return np.append(totals[:k], totals[k:].sum())

    @cached_property
    def hits(self) -> Array:
        """Right answers to each class so far."""
        return np.diagonal(self.table)[: len(self.open)]

    @cached_property
    def predicted(self) -> Array:
        """Answers with each class so far."""
        return self.table.sum(axis=0)[: len(self.open)]

    def cells(self, places: Any, hits: Array, alarms: Array) -> Cells:
        """The cells of a class, or of some, with so many more hits and false alarms."""
        tp = self.hits[places] + hits + 0 * alarms
        fp = self.predicted[places] - self.hits[places] + alarms + 0 * hits
        fn = self.actual[places] - tp
        cells = (tp, fp, fn, self.actual.sum() - tp - fp - fn)
        return Cells(*(np.rint(part).astype(np.int64) if self.is_whole else np.maximum(part, 0.0) for part in cells))

    def alike(self, answers: Array) -> ConfusionMatrix:
        """The matrix where all items of each class are answered with the class at the place given for it."""
        table = self.table.copy()
        table[np.arange(len(answers)), answers] += self.open
        return ConfusionMatrix._of(self.matrix.labels, Counts.of_table(table))

    def answered(self, more: Array) -> Stack:
        """The matrices with answers added, from an array (G, K, K)."""
        k = len(self.open)
        tables = np.repeat(self.table[None], len(more), axis=0)
        tables[:, :k, :k] += more
        return Stack.from_array(tables, labels=self.matrix.labels)


def of_values(values: Array) -> Span:
    """The extremes of all values there are; those without one are of no way to answer."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Span(float("nan"), float("nan"), exact=True)
    return Span(float(known.min()), float(known.max()), exact=True)
