"""Storage of a square table of counts: dense up to a budget, otherwise the non-zero cells alone.

Counts are int64, or uint64 where the total needs the last bit, or float64 when weighted. The total
fits the type by construction, so every margin does. Nothing here knows labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import BudgetError, InputError

Array = NDArray[Any]

# A dense table may take this much: 5,792 classes of 8 bytes a cell.
DENSE_BYTES = 2**28
# Up to this many classes (16 MB) a table is dense however empty; above, when one cell in 64 is
# filled.
FEW_CLASSES, SPARSE_FACTOR = 1448, 64


def fits_dense(rows: int, cols: int | None = None) -> bool:
    """Whether a table of 8-byte cells is within the dense budget."""
    return rows * (rows if cols is None else cols) * 8 <= DENSE_BYTES


def _wants_sparse(size: int, filled: int) -> bool:
    """Whether so few cells are better kept apart: always beyond the budget, and in a large, nearly empty table."""
    return not fits_dense(size) or (size > FEW_CLASSES and filled * SPARSE_FACTOR < size * size)


def exact_total(values: Array) -> int | float:
    """The sum as a Python number, without overflow.

    >>> exact_total(np.array([2**63 - 1, 2**63 - 1]))
    18446744073709551614
    """
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return float(values.sum())
    if not values.size:
        return 0
    # Reductions of the functions themselves: methods such as max() are Python.
    if int(np.maximum.reduce(values, axis=None)) * values.size < 2**63:
        return int(np.add.reduce(values, axis=None))
    low, high = values & 0xFFFFFFFF, values >> 32
    return int(low.sum(dtype=np.uint64)) + (int(high.sum(dtype=np.uint64)) << 32)


def fit_type(values: Array, total: int | float) -> Array:
    """The same numbers in the type that their total asks for."""
    if values.dtype.kind == "f" or isinstance(total, float):
        return values.astype(np.float64, copy=False)
    if total >= 2**64:
        msg = f"the counts add up to {total:,}, more than 64 bits hold; give them as floats"
        raise InputError(msg)
    return values.astype(np.int64 if total < 2**63 else np.uint64, copy=False)


def frozen(array: Array) -> Array:
    """The array, closed to writing: a view, because the owner's flag could be set back."""
    array.flags.writeable = False
    return array.view()


def check_dense(size: int) -> None:
    """Refuse a dense table beyond the budget, before it takes any memory."""
    if not fits_dense(size):
        msg = (
            f"a dense table of {size:,} x {size:,} cells would take {size**2 * 8 / 1e9:,.1f} GB; "
            "use `pairs()` for the non-zero cells, the margins (`diagonal`, `actual_totals`, "
            "`predicted_totals`), or `select()` some classes first"
        )
        raise BudgetError(msg)


class Counts:
    """An immutable square table of counts, stored dense or as the cells that are not zero."""

    __slots__ = ("_margins", "_sparse", "_table", "size", "total")

    def __init__(
        self,
        size: int,
        table: Array | None,
        sparse: tuple[Array, Array, Array] | None,
        total: int | float,
    ) -> None:
        self.size = size
        self.total = total
        self._table = None if table is None else frozen(table)
        self._sparse = None if sparse is None else tuple(map(frozen, sparse))
        self._margins: tuple[Array, Array, Array] | None = None

    @classmethod
    def of_table(
        cls, table: Array, *, total: int | float | None = None, sparse: bool | None = None
    ) -> Counts:
        """Take over a square table of non-negative numbers (the caller gives it away); its total if known."""
        if total is None:
            total = exact_total(table)
        counts = cls(len(table), fit_type(table, total), None, total)
        return counts if sparse is None and len(table) <= FEW_CLASSES else counts.stored(sparse)

    @classmethod
    @np.errstate(over="ignore")
    def of_cells(
        cls,
        size: int,
        rows: Array,
        cols: Array,
        values: Array,
        *,
        total: int | float | None = None,
        sparse: bool | None = None,
        in_order: bool = False,
    ) -> Counts:
        """Make a table from cells in any order; cells that come twice are added, zeros are left out.

        `in_order` promises that they come by row and column, each once.
        """
        if total is None:
            total = exact_total(values)
        values = fit_type(values, total)
        rows, cols = rows.astype(np.int64, copy=False), cols.astype(np.int64, copy=False)
        if _wants_sparse(size, len(values)) if sparse is None else sparse:
            return cls(size, None, _summed(size, rows, cols, values, in_order=in_order), total)
        check_dense(size)
        table = np.zeros((size, size), dtype=values.dtype)
        np.add.at(table, (rows, cols), values)
        return cls(size, table, None, total)

    def stored(self, sparse: bool | None) -> Counts:
        """The same table stored as asked: True sparse, False dense, None whatever the budget says."""
        wanted = not fits_dense(self.size) if sparse is None else sparse
        if wanted == self.is_sparse:
            return self
        if wanted:
            return Counts(self.size, None, self.cells(), self.total)
        check_dense(self.size)
        return Counts(self.size, self._filled(), None, self.total)

    @property
    def is_sparse(self) -> bool:
        """Whether only the cells that are not zero are stored."""
        return self._table is None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The number type of the counts."""
        return self._sparse[2].dtype if self._table is None else self._table.dtype  # type: ignore[index]

    def table(self) -> Array:
        """The whole table; an error where it would exceed the budget."""
        if self._table is not None:
            return self._table
        check_dense(self.size)
        return frozen(self._filled())

    def _filled(self) -> Array:
        rows, cols, values = self.cells()
        table = np.zeros((self.size, self.size), dtype=values.dtype)
        table[rows, cols] = values
        return table

    def cells(self) -> tuple[Array, Array, Array]:
        """Rows, columns and values of the cells that are not zero, by row and then column."""
        if self._sparse is not None:
            return self._sparse  # type: ignore[return-value]
        table = self.table()
        rows, cols = np.nonzero(table)
        return frozen(rows), frozen(cols), frozen(table[rows, cols])

    def margins(self) -> tuple[Array, Array, Array]:
        """Diagonal, row sums and column sums."""
        if self._margins is None:
            if self._table is not None:
                # The dtype is named because NumPy would widen nothing here, and must not.
                dtype = self._table.dtype
                sides = (
                    np.ascontiguousarray(self._table.diagonal()),
                    np.add.reduce(self._table, axis=1, dtype=dtype),
                    np.add.reduce(self._table, axis=0, dtype=dtype),
                )
            else:
                rows, cols, values = self.cells()
                hits = rows == cols
                sides = (
                    self._summed_at(rows[hits], values[hits]),
                    self._summed_at(rows, values),
                    self._summed_at(cols, values),
                )
            diagonal, actual, predicted = sides
            for side in sides:
                side.flags.writeable = False
            self._margins = diagonal.view(), actual.view(), predicted.view()
        return self._margins

    def _summed_at(self, positions: Array, values: Array) -> Array:
        if values.dtype.kind == "f":
            # bincount makes integers of no values.
            return np.bincount(positions, weights=values, minlength=self.size).astype(
                np.float64, copy=False
            )
        sums = np.zeros(self.size, dtype=values.dtype)
        np.add.at(sums, positions, values)
        return sums

    def transposed(self) -> Counts:
        """Rows and columns exchanged."""
        if self._table is not None:
            return Counts(self.size, np.ascontiguousarray(self._table.T), None, self.total)
        rows, cols, values = self.cells()
        order = np.lexsort((rows, cols))
        return Counts(self.size, None, (cols[order], rows[order], values[order]), self.total)

    @np.errstate(over="ignore")
    def plus(self, other: Counts) -> Counts:
        """The sum of two tables of one size."""
        sparse = self.is_sparse and other.is_sparse
        total = self.total + other.total
        if sparse:
            (rows, cols, values), (rows2, cols2, values2) = self.cells(), other.cells()
            both = np.concatenate([fit_type(values, total), fit_type(values2, total)])
            rows, cols = np.concatenate([rows, rows2]), np.concatenate([cols, cols2])
            return Counts(self.size, None, _summed(self.size, rows, cols, both), total)
        # Both sides in the type of the sum first: int64 + uint64 would become float64.
        return Counts(
            self.size,
            fit_type(self._dense_now(), total) + fit_type(other._dense_now(), total),
            None,
            total,
        )

    def _dense_now(self) -> Array:
        return self._filled() if self._table is None else self._table

    @np.errstate(over="ignore")
    def remapped(self, codes: Array, size: int) -> Counts:
        """Every old class at its new place; `codes[old]` is the new place, or -1 to leave the class out."""
        if self._table is None or not fits_dense(size):
            rows, cols, values = self.cells()
            rows, cols = codes[rows], codes[cols]
            kept = (rows >= 0) & (cols >= 0)
            return Counts.of_cells(size, rows[kept], cols[kept], values[kept])
        stay = np.flatnonzero(codes >= 0)
        places = codes[stay]
        part = self._table[np.ix_(stay, stay)]
        if len(np.unique(places)) == len(places):
            table = np.zeros((size, size), dtype=self.dtype)
            table[np.ix_(places, places)] = part
        else:
            half = np.zeros((size, len(stay)), dtype=self.dtype)
            np.add.at(half, places, part)
            table = np.zeros((size, size), dtype=self.dtype)
            np.add.at(table.T, places, half.T)
        return Counts.of_table(table)

    def within(self, classes: int) -> Counts:
        """The table without the cells that lie outside the classes on both sides."""
        if classes == self.size:
            return self
        rows, cols, values = self.cells()
        kept = (rows < classes) | (cols < classes)
        return Counts.of_cells(
            self.size, rows[kept], cols[kept], values[kept], sparse=self.is_sparse, in_order=True
        )

    def left_out(self, codes: Array) -> int | float:
        """The sum of the cells in a row or column whose code is -1, added up by itself."""
        if (codes >= 0).all():
            return 0
        rows, cols, values = self.cells()
        return exact_total(values[(codes[rows] < 0) | (codes[cols] < 0)])

    def errors(self) -> tuple[Array, Array]:
        """Sums of columns and of rows beside the diagonal, which as a difference would keep the noise of it."""
        rows, cols, values = self.cells()
        wrong = rows != cols
        rows, cols, values = rows[wrong], cols[wrong], values[wrong]
        return self._summed_at(cols, values), self._summed_at(rows, values)

    def true_negatives(self, classes: int, total: float, others: Array) -> Array:
        """Cells of weights in neither row nor column of each class, without the noise of a difference.

        `others` are the differences. One without a cell behind it is exactly 0, and one that is
        small beside the total is added up anew: that is two classes at most.
        """
        rows, cols, values = self.cells()
        inside = (rows < classes) | (cols < classes)
        rows, cols, values = rows[inside], cols[inside], values[inside]
        filled = np.bincount(rows, minlength=self.size) + np.bincount(cols, minlength=self.size)
        filled -= np.bincount(rows[rows == cols], minlength=self.size)
        none = filled[:classes] == len(values)
        exact = np.where(none, 0.0, others)
        for place in np.flatnonzero(~none & (others < 0.25 * total)).tolist():
            exact[place] = values[(rows != place) & (cols != place)].sum()
        return exact

    def equals(self, other: Counts) -> bool:
        """Whether both hold the same numbers, however they are stored."""
        # Two float totals may differ in the last digit when summed in another order.
        exact = isinstance(self.total, int) and isinstance(other.total, int)
        if self.size != other.size or (exact and self.total != other.total):
            return False
        if self._table is not None and other._table is not None and self.dtype == other.dtype:
            return bool(np.array_equal(self._table, other._table))
        mine, theirs = self.cells(), other.cells()
        same_places = all(map(np.array_equal, mine[:2], theirs[:2]))
        return same_places and _same_numbers(mine[2], theirs[2])

    def parts(self) -> tuple[Array | None, tuple[Array, Array, Array] | None, int | float]:
        """Return the arguments of the constructor behind the size, for pickling."""
        return self._table, self._sparse, self.total  # type: ignore[return-value]

    def fingerprint(self) -> tuple[bytes, bytes, bytes]:
        """Return the cells for hashing; equal tables have equal ones, as counts are float64 and 1 is 1.0."""
        rows, cols, values = self.cells()
        return (
            rows.astype(np.int64).tobytes(),
            cols.astype(np.int64).tobytes(),
            values.astype(np.float64).tobytes(),
        )


def _same_numbers(mine: Array, theirs: Array) -> bool:
    if mine.dtype == theirs.dtype:
        return bool(np.array_equal(mine, theirs))
    # int64 against float64: NumPy would round the integers first, Python compares exactly.
    return mine.tolist() == theirs.tolist()


def _summed(
    size: int, rows: Array, cols: Array, values: Array, *, in_order: bool = False
) -> tuple[Array, Array, Array]:
    """Cells in order, those of one place added, zeros left out; `in_order` says that only the zeros are in question."""
    if not len(values):
        return rows, cols, values
    keys = rows if in_order else rows * size + cols
    if in_order or np.all(keys[1:] > keys[:-1]):
        if values.all():
            return rows, cols, values
        kept = values != 0
        return rows[kept], cols[kept], values[kept]
    # The order of what is added matters to floats alone, and keeping it takes three times as long.
    order = np.argsort(keys, kind="stable" if values.dtype.kind == "f" else None)
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    places, sums = keys[starts], np.add.reduceat(values[order], starts)
    kept = sums != 0
    places, sums = places[kept], sums[kept]
    return places // size, places % size, sums
