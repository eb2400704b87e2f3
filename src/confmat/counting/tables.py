"""Counting two columns into a raw table over the names they hold, and moving it onto common labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import _kernels
from confmat._counts import DENSE_BYTES, Counts
from confmat.counting.columns import Column
from confmat.counting.planning import Plan, Side
from confmat.errors import BudgetError

__all__ = ["Coded", "Raw", "coded", "count_raw", "placed", "side_of"]

Array = NDArray[Any]

# Small tables are cheapest dense, whatever the number of pairs.
SMALL = 2**16


@dataclass(slots=True)
class Coded:
    """A column whose codes run over a known range: code - first is the raw row."""

    codes: Array
    first: int
    size: int
    names: Any
    column: Column


@dataclass(slots=True)
class Raw:
    """A table over raw rows and columns: dense, or cells (rows, cols, values); squares likewise."""

    table: Array | None
    cells: tuple[Array, Array, Array] | None
    squares: Array | None


def coded(column: Column) -> Coded:
    """A column with its range; integers spread thinly over a wide range get codes of their own."""
    if column.names is not None:
        holes = int(column.holes)
        return Coded(column.codes, -holes, len(column.names) + holes, column.names, column)
    codes = column.codes
    if codes.dtype == bool:
        return Coded(codes, 0, 2, [False, True], column)
    if not len(codes):
        return Coded(codes, 0, 0, np.zeros(0, np.int64), column)
    low, high = int(codes.min()), int(codes.max())
    span = high - low + 1
    if span <= max(SMALL, 4 * len(codes)):
        dtype = np.int64 if high < 2**63 else np.uint64
        return Coded(codes, low, span, np.arange(low, high + 1, dtype=dtype), column)
    found = _kernels.kernel.factorize_ints(codes, 2**31 - 1)
    if found is None:
        msg = "more than two thousand million distinct labels"
        raise BudgetError(msg)
    return Coded(found[0], 0, len(found[1]), found[1], column)


def count_raw(row: Coded, col: Coded, weights: Array | None, threads: int) -> Raw:
    """Count the pairs over the raw names of both sides."""
    kernel, n = _kernels.kernel, len(row.codes)
    if row.size * col.size >= 2**63:
        msg = f"{row.size:,} x {col.size:,} possible cells are more than can be numbered"
        raise BudgetError(msg)
    area = (row.first, row.size, col.first, col.size)
    if row.size * col.size <= max(SMALL, 4 * n) and row.size * col.size * 8 <= DENSE_BYTES:
        if weights is None:
            return Raw(kernel.count_dense(row.codes, col.codes, *area, threads)[0], None, None)
        sums, squares, _ = kernel.count_weighted(row.codes, col.codes, weights, *area, threads)
        return Raw(sums, None, squares)
    rows, cols, values, squares, _ = kernel.count_sparse(row.codes, col.codes, weights, *area, threads)
    return Raw(None, (rows, cols, values), squares)


def side_of(side: Coded, raw: Raw, axis: int, title: str) -> Side:
    """The names of one side and which of them occur."""
    holes = side.column.names is not None and side.column.holes
    if raw.squares is not None or raw.table is None:
        # A label whose pairs all weigh nothing occurs all the same.
        seen = np.zeros(side.size, dtype=bool)
        if raw.squares is None and raw.cells is not None:
            seen[raw.cells[axis]] = True
        elif side.codes.dtype == bool:
            seen[[*{*side.codes.tolist()}]] = True
        else:
            codes = side.codes
            # The offset wraps in 64 bits and comes out right for every width.
            seen[(codes.astype(np.uint64) if codes.dtype == np.uint64 else codes.astype(np.int64).view(np.uint64)) - np.uint64(side.first % 2**64)] = True
    else:
        seen = raw.table.any(axis=1 - axis)
    return Side(side.names, seen, holes, side.column.ordered, title)


def placed(raw: Raw, plan: Plan, *, sparse: bool | None) -> tuple[Counts, Counts | None]:
    """The raw table on the plan's labels."""
    counts = _placed(raw.table, raw.cells, plan, sparse)
    if raw.squares is None:
        return counts, None
    cells = None if raw.cells is None else (raw.cells[0], raw.cells[1], raw.squares)
    return counts, _placed(raw.squares if raw.cells is None else None, cells, plan, counts.is_sparse)


def _placed(table: Array | None, cells: tuple[Array, Array, Array] | None, plan: Plan, sparse: bool | None) -> Counts:
    size = len(plan.labels)
    if table is None:
        assert cells is not None
        rows, cols = plan.rows[cells[0]], plan.cols[cells[1]]
        kept = (rows >= 0) & (cols >= 0)
        values = cells[2]
        if not kept.all():
            rows, cols, values = rows[kept], cols[kept], values[kept]
        return Counts.of_cells(size, rows, cols, values, sparse=sparse)
    identity = np.arange(size)
    if table.shape == (size, size) and np.array_equal(plan.rows, identity) and np.array_equal(plan.cols, identity):
        return Counts.of_table(table, sparse=sparse)
    if size * size > max(SMALL, 4 * table.size):
        rows, cols = np.nonzero(table)
        return _placed(None, (rows, cols, table[rows, cols]), plan, sparse)
    kept_rows, kept_cols = np.flatnonzero(plan.rows >= 0), np.flatnonzero(plan.cols >= 0)
    part = table[np.ix_(kept_rows, kept_cols)]
    rows, cols = plan.rows[kept_rows], plan.cols[kept_cols]
    moved = np.zeros((size, size), dtype=table.dtype)
    if len(np.unique(rows)) == len(rows) and len(np.unique(cols)) == len(cols):
        moved[np.ix_(rows, cols)] = part
    else:
        np.add.at(moved, (rows[:, None], cols[None, :]), part)
    return Counts.of_table(moved, sparse=sparse)
