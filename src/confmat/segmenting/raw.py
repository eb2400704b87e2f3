"""Counting the numbers of label maps as they are: over ranges that grow with what comes, in the kernel's own loop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat import _kernels
from confmat._counts import Counts
from confmat.counting import count
from confmat.labels import Labels
from confmat.matrix import ConfusionMatrix

__all__ = ["Found", "RawCounter", "RawSum", "Span", "as_matrix", "one_of"]

Array = NDArray[Any]

# A table per image: this many cells are cleared and added in a fraction of the time that a million pixels take.
FEW_CELLS, MOST_CELLS = 2**16, 2**20


class Span(NamedTuple):
    """The numbers that a table has rows and columns for."""

    first_row: int
    rows: int
    first_col: int
    cols: int

    @classmethod
    def over(cls, rows: tuple[int, int], cols: tuple[int, int], ignored: Iterable[int]) -> Span | None:
        """From the lowest and highest of both sides, and ignored numbers that are near; None beyond what pays."""
        (low, high), width = rows, cols[1] - cols[0] + 1
        most = max(FEW_CELLS, 2 * (high - low + 1) * width)
        for value in sorted(ignored, key=lambda x: max(low - x, x - high)):
            wider = min(low, value), max(high, value)
            if (wider[1] - wider[0] + 1) * width <= most:
                low, high = wider
        return None if (high - low + 1) * width > MOST_CELLS else cls(low, high - low + 1, cols[0], width)


# A table, its span, and how many ignored pixels are missing from it.
Found = tuple[Span, Array, int]


class RawCounter:
    """Tables of numbers by numbers, one per call, and calls may come from several threads.

    Ignored pixels have a row, or are counted as missing.
    """

    def __init__(self, numbers: Iterable[int], ignored: frozenset[int]) -> None:
        self._ignored = ignored
        known = sorted(numbers)
        ends = (known[0], known[-1]) if known else None
        self._span = None if ends is None else Span.over(ends, ends, ignored)

    def count(self, actual: Array, predicted: Array, threads: int) -> Found | ConfusionMatrix:
        """The table of two flat sides; numbers too far apart for one give a matrix of those that occur."""
        span = self._span
        found = None if span is None else self._counted(span, actual, predicted, threads)
        if found is None:
            span = self._wider(actual, predicted)
            found = None if span is None else self._counted(span, actual, predicted, threads)
            # Of two threads that widen it, one may undo what the other did, and it is done again.
            self._span = span or self._span
        return found or count(actual, predicted, sparse=True, threads=threads)

    def _counted(self, span: Span, actual: Array, predicted: Array, threads: int) -> Found | None:
        table, outside = _kernels.kernel.count_dense(actual, predicted, *span, threads)
        missing = 0
        if outside and self._ignored:
            hidden = one_of(actual, self._ignored)
            missing = _kernels.kernel.count_dense(actual[hidden], predicted[hidden], *span, 1)[1]
        return (span, table, missing) if outside == missing else None

    def _wider(self, actual: Array, predicted: Array) -> Span | None:
        """A span that also holds these numbers; if that is too wide, those that are not ignored."""
        hidden = one_of(actual, self._ignored)
        actual, seen = actual[~hidden], predicted[~hidden]
        if not len(actual):
            # Nothing but ignored pixels: any span will do.
            return self._span or Span.over((0, 0), (0, 0), self._ignored)
        spans = (self._over(_ends(actual), _ends(side)) for side in (predicted, seen))
        return next((span for span in spans if span is not None), None)

    def _over(self, rows: tuple[int, int], cols: tuple[int, int]) -> Span | None:
        if self._span is not None:
            first_row, many_rows, first_col, many_cols = self._span
            rows = min(rows[0], first_row), max(rows[1], first_row + many_rows - 1)
            cols = min(cols[0], first_col), max(cols[1], first_col + many_cols - 1)
        return Span.over(rows, cols, self._ignored)


class RawSum:
    """What several calls of a counter gave, added up in the room of one table."""

    def __init__(self) -> None:
        self.missing = 0
        self._span: Span | None = None
        self._table: Array | None = None
        self._rest: ConfusionMatrix | None = None

    def add(self, found: Found | ConfusionMatrix) -> None:
        """Add one."""
        if isinstance(found, ConfusionMatrix):
            self._rest = found if self._rest is None else self._rest + found
            return
        span, table, missing = found
        self.missing += missing
        if self._table is None or span != self._span:
            self._rest = self.matrix()
            self._span, self._table = span, table
        else:
            self._table += table

    def fold(self) -> int:
        """Keep the cells that occur instead of a table; how many more than after the last call."""
        before = 0 if self._rest is None else len(self._rest._counts.cells()[0])
        self._rest, self._span, self._table = self.matrix(), None, None
        return 0 if self._rest is None else len(self._rest._counts.cells()[0]) - before

    def matrix(self) -> ConfusionMatrix | None:
        """The sum as a matrix of numbers; None of nothing."""
        if self._span is None or self._table is None:
            return self._rest
        last = as_matrix(self._span, self._table)
        return self._rest if last is None else last if self._rest is None else self._rest + last


def _ends(values: Array) -> tuple[int, int]:
    return int(values.min()), int(values.max())


def one_of(values: Array, numbers: Iterable[int]) -> Array:
    """Which values are among a few numbers, whatever the width of either."""
    found = np.zeros(values.shape, dtype=bool)
    kind = np.iinfo(np.uint8 if values.dtype == bool else values.dtype)
    for number in numbers:
        if kind.min <= number <= kind.max:
            found |= values == number
    return found


def as_matrix(span: Span, table: Array) -> ConfusionMatrix | None:
    """A table over a span as a square matrix of the numbers that occur; None of an empty one."""
    rows, cols = np.nonzero(table)
    if not len(rows):
        return None
    (mine, row_places), (theirs, col_places) = (np.unique(side, return_inverse=True) for side in (rows, cols))
    # Python's integers, since a span may reach beyond 63 bits.
    sides = [span.first_row + i for i in mine.tolist()], [span.first_col + i for i in theirs.tolist()]
    names = tuple(sorted({*sides[0], *sides[1]}))
    place_of = {name: place for place, name in enumerate(names)}
    new_rows, new_cols = (np.array([place_of[name] for name in side], dtype=np.int64) for side in sides)
    counts = Counts.of_cells(
        len(names), new_rows[row_places], new_cols[col_places], table[rows, cols], sparse=True, in_order=True
    )
    return ConfusionMatrix._of(Labels._trusted(names, "int"), counts)
