"""What a formula reads, as floats, of the counted table or of one with a little mass spread over it.

A table without errors has no variance by any formula, and would be given an interval of no width. One item, spread
evenly over all cells whose class occurs in the truth and whose class is predicted somewhere, is enough to see that
an error was possible; then everything is scaled back to the total there was. Empty rows and columns stay empty, so
that the classes a mean runs over, and what it fills in, are those of the counted table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.cells import Cells
from confmat.core.counts import Counts
from confmat.core.matrix import ConfusionMatrix
from confmat.metrics.margins import Margins, Outside, Table, View, read_margins, read_table

__all__ = [
    "Smoothing",
    "cells_read",
    "item_weight",
    "levelled",
    "lists_all",
    "margins_read",
    "seen_cells",
    "smoothed",
    "squares_beside",
    "squares_known",
    "table_read",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Smoothing:
    """Mass on each cell whose row and whose column is marked, and the factor that keeps the total."""

    each: float
    rows: Array
    columns: Array
    scale: float

    @classmethod
    def of(cls, m: ConfusionMatrix, outside: Outside = "wrong", *, everywhere: bool = False) -> Smoothing:
        """One item spread over the cells; it weighs what the counted ones weigh on average.

        With `everywhere`, over empty rows and columns too.
        """
        margins = read_margins(m, outside, "classes")
        sides = (np.asarray(part)[: m.n_classes] for part in (margins.actual, margins.predicted))
        rows, columns = (((side > 0) | everywhere).astype(np.float64) for side in sides)
        cells, total = rows.sum() * columns.sum(), float(np.asarray(margins.total))
        mass = item_weight(m)
        if not (cells and total and mass):
            return cls(0.0, rows, columns, 1.0)
        return cls(mass / cells, rows, columns, total / (total + mass))


def squares_known(m: ConfusionMatrix) -> bool:
    """Whether the squares of its weights were kept, and floats could hold them."""
    return m._squares is not None and (m._squares.total > 0 or not m.total)


def item_weight(m: ConfusionMatrix) -> float:
    """What an item weighs: 1, or the sum of squared weights over the sum of weights."""
    if m._squares is None or not squares_known(m) or not m.total:
        return 1.0
    return float(m._squares.total) / float(m.total)


# Totals of weights whose powers floats hold easily.
_SMALLEST, _LARGEST = 1e-25, 1e25


def levelled(m: ConfusionMatrix, *, scale_free: bool) -> ConfusionMatrix:
    """The matrix, its weights brought near 1 by a power of two if floats would not hold their products."""
    if not (m.is_weighted and scale_free and m.total) or _SMALLEST < m.total < _LARGEST:
        return m
    power = -math.frexp(m.total)[1]
    squares = m._squares if m._squares is not None and squares_known(m) else m._counts
    counts, squares = _scaled(m._counts, power), _scaled(squares, 2 * power)
    return ConfusionMatrix._of(m.labels, counts, squares, 0)


def _scaled(counts: Counts, power: int) -> Counts:
    rows, cols, values = counts.cells()
    scaled = np.ldexp(np.asarray(values, dtype=np.float64), power)
    return Counts.of_cells(counts.size, rows, cols, scaled, sparse=counts.is_sparse, in_order=True)


def margins_read(m: ConfusionMatrix, outside: Outside, view: View, spread: Smoothing | None) -> Margins:
    """Hits, totals of rows and columns, and the total."""
    found = read_margins(m, outside, view)
    diagonal, actual, predicted, total = _floats(found)
    if spread is not None:
        diagonal, actual, predicted, total = smoothed(diagonal, actual, predicted, total, spread)
    return Margins(diagonal, actual, predicted, np.float64(total), float(m.n_classes), found.labels)


def cells_read(m: ConfusionMatrix, outside: Outside, spread: Smoothing | None) -> Cells:
    """tp, fp, fn and tn of every class."""
    if spread is None:
        from confmat.metrics.margins import read_cells

        return read_cells(m, outside).astype(np.float64)
    margins = margins_read(m, outside, "classes", spread)
    return Cells.of_margins(margins.diagonal, margins.actual, margins.predicted, margins.total)


def table_read(m: ConfusionMatrix, outside: Outside, view: View, spread: Smoothing | None) -> Table:
    """The margins and the cells; a table of so many classes that only its filled cells are listed stays as it is."""
    found = read_table(m, outside, view)
    diagonal, actual, predicted, total = _floats(found)
    values = np.asarray(found.values, dtype=np.float64)
    rows, cols = found.rows, found.cols
    if spread is not None and lists_all(found, m.n_classes):
        diagonal, actual, predicted, total = smoothed(diagonal, actual, predicted, total, spread)
        room = found.size - len(spread.rows)
        marked = np.outer(np.pad(spread.rows, (0, room)), np.pad(spread.columns, (0, room)))
        values = (values + spread.each * marked[rows, cols]) * spread.scale
    return Table(diagonal, actual, predicted, np.float64(total), float(m.n_classes), found.labels, rows, cols, values)


def lists_all(table: Table, k: int) -> bool:
    """Whether every cell of a class by a class is listed, filled or not."""
    return int(np.count_nonzero((table.rows < k) & (table.cols < k))) == k * k


def seen_cells(m: ConfusionMatrix, outside: Outside) -> tuple[NDArray[np.intp], NDArray[np.intp], Array, Array]:
    """Rows, columns, counts and sums of squared weights of the filled cells; all outside labels are one more class."""
    rows, cols, counts = m._counts.cells()
    squares = squares_beside(m, rows, cols, counts)
    k = m.n_classes
    if m.labels.outside:
        kept = (rows < k) & (cols < k) if outside == "exclude" else (rows < k) | (cols < k)
        found = (np.minimum(rows, k), np.minimum(cols, k), counts, squares)
        rows, cols, counts, squares = (part[kept] for part in found)
    weighed = np.asarray(counts, dtype=np.float64)
    squared = weighed if squares is counts else np.asarray(squares, dtype=np.float64)
    return rows.astype(np.intp, copy=False), cols.astype(np.intp, copy=False), weighed, squared


def squares_beside(m: ConfusionMatrix, rows: Any, cols: Any, counts: Any) -> Any:
    """The squared weights of the filled cells; of weights so small that a square vanishes, nothing."""
    if m._squares is None or not squares_known(m):
        return counts
    squared = m._squares.cells()
    if len(squared[2]) == len(counts):
        return squared[2]
    found = np.zeros(len(counts))
    size = len(m.labels)
    found[np.searchsorted(rows * size + cols, squared[0] * size + squared[1])] = squared[2]
    return found


def _floats(margins: Margins) -> tuple[Any, ...]:
    parts = (margins.diagonal, margins.actual, margins.predicted, margins.total)
    return tuple(np.asarray(part, dtype=np.float64) for part in parts)


def smoothed(diagonal: Any, actual: Any, predicted: Any, total: Any, spread: Smoothing) -> tuple[Any, ...]:
    """Margins with the mass that is spread over the cells, scaled back to the total."""
    room = len(actual) - len(spread.rows)
    rows, columns = np.pad(spread.rows, (0, room)), np.pad(spread.columns, (0, room))
    more = (rows * columns, rows * columns.sum(), columns * rows.sum(), rows.sum() * columns.sum())
    parts = (diagonal, actual, predicted, total)
    return tuple((part + spread.each * extra) * spread.scale for part, extra in zip(parts, more, strict=True))
