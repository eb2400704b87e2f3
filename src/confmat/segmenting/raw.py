"""Counting the numbers of label maps as they are: over ranges that grow with what comes, in the kernel's own loop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import _kernels
from confmat._counts import Counts
from confmat.counting import count
from confmat.labels import Labels
from confmat.matrix import ConfusionMatrix
from confmat.segmenting.spans import Ends, Span

__all__ = ["Found", "RawCounter", "RawSum", "as_matrix", "one_of"]

Array = NDArray[Any]

# Pixels that are looked at together for what is ignored.
AT_ONCE = 2**18

# A table, its span, and how many ignored pixels are missing from it.
Found = tuple[Span, Array, int]


class RawCounter:
    """Tables of numbers by numbers, one per call, and calls may come from several threads.

    Ignored pixels have a row, or are counted as missing.
    """

    def __init__(self, numbers: Iterable[int], ignored: frozenset[int]) -> None:
        self._ignored = ignored
        known = sorted(numbers)
        # What both sides have been seen to reach, and the span that suits each type.
        self._ends: tuple[Ends, Ends] | None = ((known[0], known[-1]),) * 2 if known else None
        self._spans: dict[np.dtype[Any], Span | None] = {}

    def count(self, actual: Array, predicted: Array, threads: int) -> Found | ConfusionMatrix:
        """The table of two flat sides; numbers too far apart for one give a matrix of those that occur."""
        span = self._span_of(actual.dtype, self._ends)
        found = None if span is None else self._counted(span, actual, predicted, threads)
        if found is None:
            span = self._wider(actual, predicted)
            found = None if span is None else self._counted(span, actual, predicted, threads)
        return found or count(actual, predicted, sparse=True, threads=threads)

    def _span_of(self, dtype: np.dtype[Any], ends: tuple[Ends, Ends] | None) -> Span | None:
        if dtype not in self._spans and ends is not None:
            self._spans[dtype] = Span.over(*ends, self._ignored, dtype)
        return self._spans.get(dtype)

    def _counted(self, span: Span, actual: Array, predicted: Array, threads: int) -> Found | None:
        table, outside = _kernels.kernel.count_dense(span.read(actual), predicted, *span[:4], threads)
        missing = self._missing(span, actual, predicted) if outside and self._ignored else 0
        return (span, table, missing) if outside == missing else None

    def _missing(self, span: Span, actual: Array, predicted: Array) -> int:
        """How many ignored pixels the table has no place for."""
        in_rows = any(map(span.has_row, self._ignored))
        missing = 0
        for begin in range(0, len(actual), AT_ONCE):
            part, answer = actual[begin : begin + AT_ONCE], predicted[begin : begin + AT_ONCE]
            hidden = one_of(part, self._ignored)
            if in_rows:
                missing += _kernels.kernel.count_dense(span.read(part[hidden]), answer[hidden], *span[:4], 1)[1]
            else:
                missing += int(np.count_nonzero(hidden))
        return missing

    def _wider(self, actual: Array, predicted: Array) -> Span | None:
        """A span that also holds these numbers; if that is too wide, those that are not ignored."""
        hidden, dtype = one_of(actual, self._ignored), actual.dtype
        actual, seen = actual[~hidden], predicted[~hidden]
        if not len(actual):
            # Nothing but ignored pixels: any span will do.
            return Span.over((0, 0), (0, 0), self._ignored, dtype)
        for side in (predicted, seen):
            ends = _joined(self._ends, (_ends(actual), _ends(side)))
            span = Span.over(*ends, self._ignored, dtype)
            if span is not None:
                # Of two threads that widen it, one may undo what the other did, and it is done again.
                self._ends, self._spans = ends, {dtype: span}
                return span
        return None


def _joined(one: tuple[Ends, Ends] | None, other: tuple[Ends, Ends]) -> tuple[Ends, Ends]:
    if one is None:
        return other
    rows, cols = ((min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(one, other, strict=True))
    return rows, cols


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


def _ends(values: Array) -> Ends:
    return int(values.min()), int(values.max())


def one_of(values: Array, numbers: Iterable[int]) -> Array:
    """Which values are among a few numbers, whatever the width of either."""
    kind = np.iinfo(np.uint8 if values.dtype == bool else values.dtype)
    found: Array | None = None
    for number in numbers:
        if kind.min <= number <= kind.max:
            found = values == number if found is None else found | (values == number)
    return np.zeros(values.shape, dtype=bool) if found is None else found


def as_matrix(span: Span, table: Array) -> ConfusionMatrix | None:
    """A table over a span as a square matrix of the numbers that occur; None of an empty one."""
    rows, cols = np.nonzero(table)
    if not len(rows):
        return None
    (mine, row_places), (theirs, col_places) = (np.unique(side, return_inverse=True) for side in (rows, cols))
    # Python's integers, since a span may reach beyond 63 bits.
    row_numbers, col_numbers = span.row_numbers(), span.col_numbers()
    sides = [row_numbers[i] for i in mine.tolist()], [col_numbers[i] for i in theirs.tolist()]
    names = tuple(sorted({*sides[0], *sides[1]}))
    place_of = {name: place for place, name in enumerate(names)}
    new_rows, new_cols = (np.array([place_of[name] for name in side], dtype=np.int64) for side in sides)
    counts = Counts.of_cells(len(names), new_rows[row_places], new_cols[col_places], table[rows, cols], sparse=True)
    return ConfusionMatrix._of(Labels._trusted(names, "int"), counts)
