"""Spans: which numbers of label maps a table has rows and columns for, so that ignored ones cost little."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ends", "Span"]

Array = NDArray[Any]
# The lowest and the highest of some numbers.
Ends = tuple[int, int]

# A table per image: this many cells are cleared and added in a fraction of the time that a million pixels take.
MOST_CELLS = 2**20
# A table with rows for ignored numbers may have so many cells. Looking for these pixels in a second pass costs less
# than a wider table, unless a number takes eight bytes.
FEW_CELLS, FEW_CELLS_OF_8 = 2**10, 2**16


class Span(NamedTuple):
    """The first row and the number of rows of a table, the same of its columns, and how rows are to be read.

    Where `wrap` is not 0, the truth is read with a sign: the ignored 255 of eight bits is -1 then, the neighbour of 0,
    and the table needs one more row instead of two hundred.
    """

    first_row: int
    rows: int
    first_col: int
    cols: int
    wrap: int = 0

    @classmethod
    def over(cls, rows: Ends, cols: Ends, ignored: Iterable[int], dtype: np.dtype[Any]) -> Span | None:
        """From the ends of both sides, and ignored numbers that are near; None beyond what pays."""
        (low, high), width = rows, cols[1] - cols[0] + 1
        half = 2 ** (8 * dtype.itemsize - 1)
        wrap = 2 * half if dtype.kind == "u" and high < half and any(half <= x < 2 * half for x in ignored) else 0
        most = max(FEW_CELLS_OF_8 if dtype.itemsize == 8 else FEW_CELLS, 2 * (high - low + 1) * width)
        # An ignored number must not cost the others their table.
        most = min(most, MOST_CELLS)
        near = [x - wrap if wrap and half <= x < wrap else x for x in ignored if not wrap or x < wrap]
        for value in sorted(near, key=lambda x: max(low - x, x - high)):
            wider = min(low, value), max(high, value)
            if (wider[1] - wider[0] + 1) * width <= most and (not wrap or wider[1] < half):
                low, high = wider
        return None if (high - low + 1) * width > MOST_CELLS else cls(low, high - low + 1, cols[0], width, wrap)

    def read(self, actual: Array) -> Array:
        """The truth as the rows want it read."""
        return actual.view(actual.dtype.str.replace("u", "i")) if self.wrap else actual

    def row_numbers(self) -> list[int]:
        """The number of each row."""
        numbers = range(self.first_row, self.first_row + self.rows)
        return [x + self.wrap if x < 0 else x for x in numbers] if self.wrap else list(numbers)

    def col_numbers(self) -> list[int]:
        """The number of each column."""
        return list(range(self.first_col, self.first_col + self.cols))

    def has_row(self, number: int) -> bool:
        """Whether a number has a row."""
        place = number - self.wrap if number >= self.wrap // 2 > 0 else number
        return self.first_row <= place < self.first_row + self.rows
