"""Draws of a whole table: the bootstrap, plain or corrected for bias and skew, and the Dirichlet posterior.

Rows of a data set are exchangeable, so drawing n of them again is drawing one multinomial over the filled cells:
hundreds of times faster than drawing rows, and the same distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.binomial import quantile
from confmat.intervals.smoothing import Smoothing, seen_cells
from confmat.intervals.variance import Design
from confmat.metrics import Metric
from confmat.metrics.arithmetic import UNFOLLOWED
from confmat.metrics.margins import Margins, Outside, Table

__all__ = ["Draws", "corrected", "percentiles"]

Array = NDArray[np.float64]
# So many numbers at once.
_AT_ONCE = 2**22
# Cells of a table that is drawn whole.
_MOST_CELLS = 2**24


@dataclass(frozen=True)
class Draws:
    """Tables drawn like the counted one, or believed after it."""

    m: ConfusionMatrix
    rows: NDArray[np.intp]
    cols: NDArray[np.intp]
    counts: Array
    # Items of each row or column, where its total is fixed; of all rows together otherwise.
    items: Array
    design: Design = "multinomial"
    posterior: bool = False
    seed: Any = 0
    outside: Outside = "wrong"

    @classmethod
    def of(
        cls,
        m: ConfusionMatrix,
        *,
        design: Design = "multinomial",
        outside: Outside = "wrong",
        posterior: bool = False,
        smoothed: bool = False,
        everywhere: bool = False,
        seed: Any = 0,
    ) -> Draws:
        """The cells that draws fall on.

        A posterior, or a smoothed table, has all cells between classes that occur; `everywhere`, between all classes,
        and between them and what is outside.
        """
        if m.is_weighted:
            msg = (
                "a table is drawn again item by item, and this matrix holds weights; "
                "method='wilson' takes weights, or count without them"
            )
            raise InputError(msg)
        rows, cols, counts = _joined(*seen_cells(m, outside)[:3], m.n_classes + 1)
        items = np.bincount(_strata(rows, cols, design), counts, m.n_classes + 1).astype(np.float64)
        if not (posterior or smoothed):
            return cls(m, rows, cols, counts, items, design, posterior, seed, outside)
        if m.n_classes**2 > _MOST_CELLS:
            msg = (
                f"a posterior has a number for each cell, and {m.n_classes:,} classes have too many; "
                "method='wilson' and method='bca' need the filled ones alone"
            )
            raise InputError(msg)
        spread, k = Smoothing.of(m, outside, everywhere=everywhere), m.n_classes
        table = np.zeros((k + 1,) * 2)
        table[:k, :k] = np.outer(spread.rows, spread.columns)
        mass = spread.each * table.sum()
        if everywhere and m.labels.outside and outside != "exclude":
            # What is outside may be taken for a class, and a class for it.
            table[k, :k] = table[:k, k] = 1
        table *= mass / max(table.sum(), 1)
        table[rows, cols] += counts
        rows, cols = np.nonzero(table)
        scale = 1.0 if posterior else spread.scale
        return cls(m, rows, cols, table[rows, cols] * scale, items, design, posterior, seed, outside)

    def chunks(self, number: int) -> Iterator[Array]:
        """So many tables, some at a time: an array with one row per table and one column per cell."""
        rng = np.random.default_rng(self.seed)
        step = max(1, _AT_ONCE // max(len(self.counts), 1))
        for start in range(0, number, step):
            yield self._drawn(rng, min(step, number - start))

    def _drawn(self, rng: np.random.Generator, number: int) -> Array:
        along = _strata(self.rows, self.cols, self.design)
        found = np.empty((number, len(self.counts)))
        for stratum in np.unique(along):
            here = np.flatnonzero(along == stratum)
            part = self.counts[here]
            total = part.sum()
            if self.posterior:
                drawn = rng.standard_gamma(part, (number, len(here)))
                found[:, here] = drawn / drawn.sum(axis=1, keepdims=True) * total
            else:
                found[:, here] = rng.multinomial(round(self.items[stratum]), part / total, number)
        return found

    def values(self, score: Callable[[Any], Any], number: int, metric: Metric) -> Array:
        """The score of so many drawn tables, a row for each if it is one of several numbers."""
        found = []
        for drawn in self.chunks(number):
            try:
                values = np.asarray(score(self.inputs(drawn, metric)), dtype=np.float64)
            except UNFOLLOWED:
                values = np.zeros(0)
            if values.shape[:1] != (len(drawn),):
                # A formula of somebody's own that takes one table at a time.
                values = np.array([np.real(score(self.inputs(one, metric))) for one in drawn], dtype=np.float64)
            found.append(values)
        return np.concatenate(found)

    def inputs(self, drawn: Array, metric: Metric) -> Any:
        """What the metric reads of drawn tables; no mean over classes takes what is outside for one of them."""
        k = self.m.n_classes
        joined = metric.sees == "category" and (metric.kind == "matrix" or metric.needs == "cells")
        size = k + 1 if joined and self.m.labels.outside and self.outside != "exclude" else k
        hits = self.rows == self.cols
        diagonal = _folded(drawn[..., hits], self.rows[hits], size)
        actual, predicted = _folded(drawn, self.rows, size), _folded(drawn, self.cols, size)
        margins = (diagonal, actual, predicted, drawn.sum(axis=-1), k, self.m.labels)
        if metric.needs != "cells":
            return Margins(*margins)
        inside = (self.rows < size) & (self.cols < size)
        return Table(*margins, self.rows[inside], self.cols[inside], drawn[..., inside])


def _joined(
    rows: NDArray[np.intp], cols: NDArray[np.intp], counts: Array, size: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Each cell once: those of several labels outside are one."""
    keys, cell = np.unique(rows * size + cols, return_inverse=True)
    if len(keys) == len(rows):
        return rows, cols, counts
    return keys // size, keys % size, np.bincount(cell, counts).astype(np.float64)


def _strata(rows: NDArray[np.intp], cols: NDArray[np.intp], design: Design) -> NDArray[np.intp]:
    """What each cell shares a fixed total with."""
    if design == "multinomial":
        return np.zeros_like(rows)
    return rows if design == "actual" else cols


def _folded(drawn: Array, places: NDArray[np.intp], size: int) -> Array:
    """Sums of columns that belong to the same class."""
    kept = places < size
    from scipy.sparse import csr_array

    places = places[kept]
    onto = csr_array((np.ones(len(places)), (np.arange(len(places)), places)), shape=(len(places), size))
    return np.asarray(drawn[..., kept] @ onto)


def percentiles(values: Array, level: float) -> tuple[float, float]:
    """The bounds that leave as many draws below as above; undefined ones are left out."""
    values = values[~np.isnan(values)]
    if not len(values):
        return float("nan"), float("nan")
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def corrected(values: Array, value: float, influence: Array, counts: Array, level: float) -> tuple[float, float]:
    """Efron's BCa bounds; the acceleration comes from the gradient, which spares a jackknife."""
    from statistics import NormalDist

    values = values[~np.isnan(values)]
    below = (np.count_nonzero(values < value) + np.count_nonzero(values == value) / 2) / max(len(values), 1)
    spread = float((counts * influence**2).sum())
    if not len(values) or not 0 < below < 1 or not spread > 0:
        return percentiles(values, level)
    normal = NormalDist()
    bias, skew = normal.inv_cdf(below), float((counts * influence**3).sum()) / (6 * spread**1.5)
    z = quantile(level)
    ends = []
    for reach in (bias - z, bias + z):
        moved = bias + reach / (1 - skew * reach) if skew * reach < 1 else np.inf
        ends.append(normal.cdf(float(np.clip(moved, -8, 8))))
    low, high = np.quantile(values, ends)
    return float(low), float(high)
