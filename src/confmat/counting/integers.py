"""Integer names without a Python object per name: ranges and sorted arrays, and common labels for two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.labels import Labels, sorted_union

__all__ = ["Found", "Integers", "plan_integers"]

Array = NDArray[Any]

# Up to here a bitmap over the range costs nothing worth avoiding.
SMALL = 2**16


@dataclass(frozen=True, slots=True)
class Integers:
    """Distinct integers in order: low, low + 1, ... of which there are `size`, or those of a sorted array."""

    low: int
    size: int
    values: Array | None = None

    def __len__(self) -> int:
        return self.size

    def array(self) -> Array:
        """The integers as int64, or uint64 where they need it."""
        if self.values is not None:
            return self.values
        return np.arange(self.low, self.low + self.size, dtype=np.int64 if self.low + self.size <= 2**63 else np.uint64)

    def tolist(self) -> list[int]:
        """The integers as Python numbers."""
        return list(range(self.low, self.low + self.size)) if self.values is None else self.values.tolist()


class Found(NamedTuple):
    """Labels, the label code of every integer of both sides, and whether code i belongs to integer i on both."""

    labels: Labels
    rows: Array
    cols: Array
    same: bool = False


def plan_integers(
    row: Integers, row_seen: Array | None, col: Integers, col_seen: Array | None, given: Labels | None
) -> Found:
    """Labels (those given, or all that occur, sorted) and the label code of every integer of both sides."""
    if given is None:
        low, high = min(row.low, col.low), max(row.low + row.size, col.low + col.size)
        if row.values is None and col.values is None and high - low <= max(SMALL, 4 * (row.size + col.size)):
            return _by_bitmap(row, row_seen, col, col_seen, low, high)
        names = [
            side.array() if seen is None else side.array()[seen] for side, seen in ((row, row_seen), (col, col_seen))
        ]
        sorted_labels, order, labels = sorted_union(*names), None, None
    else:
        array = given._array()
        assert array is not None
        if _is_range(array):
            return _on_range(row, col, given, int(array[0]), len(array))
        order = np.argsort(array, kind="stable")
        sorted_labels, labels = array[order], given
    codes = [_places(side.array(), sorted_labels, order) for side in (row, col)]
    return Found(_labels_of(sorted_labels) if labels is None else labels, codes[0], codes[1])


def _by_bitmap(
    row: Integers, row_seen: Array | None, col: Integers, col_seen: Array | None, low: int, high: int
) -> Found:
    seen = np.zeros(high - low, dtype=bool)
    spans = [slice(side.low - low, side.low - low + side.size) for side in (row, col)]
    for span, mask in zip(spans, (row_seen, col_seen), strict=True):
        seen[span] |= True if mask is None else mask
    if seen.all():
        names = Integers(low, high - low).array()
        # From zero on, each integer is its own code.
        places = names if low == 0 else np.arange(high - low)
        same = row.size == col.size == high - low
        return Found(_labels_of(names), places[spans[0]], places[spans[1]], same=same)
    found = np.flatnonzero(seen)
    places = np.cumsum(seen, dtype=np.int64)
    places -= 1
    places[~seen] = -1
    # Only a range that starts above zero can need the last bit.
    names = found if low + len(seen) <= 2**63 else found.view(np.uint64)
    names += names.dtype.type(low)
    return Found(_labels_of(names), places[spans[0]], places[spans[1]])


def _on_range(row: Integers, col: Integers, given: Labels, low: int, size: int) -> Found:
    """Labels low, low + 1, ...: their codes are a subtraction away."""
    if all(side.values is None and (side.low, side.size) == (low, size) for side in (row, col)):
        same = np.arange(size)
        return Found(given, same, same, same=True)
    rows, cols = (_from_low(side.array(), low, size) for side in (row, col))
    return Found(given, rows, cols)


def _is_range(array: Array) -> bool:
    return int(array[-1]) - int(array[0]) + 1 == len(array) and bool((array[1:] - array[:-1] == 1).all())


def _from_low(names: Array, low: int, size: int) -> Array:
    """Codes among low, low + 1, ...: a subtraction, where a search would walk ten million labels."""
    if names.dtype == np.uint64:
        names, fits = _as_type(names, np.dtype(np.int64))
    else:
        fits = True
    there = (names >= low) & (names < low + size) & fits
    return np.where(there, names - low, -1)


def _places(names: Array, sorted_labels: Array, order: Array | None) -> Array:
    if names.dtype != sorted_labels.dtype:
        # int64 against uint64 would be compared as floats; what does not fit the other is not there.
        names, fits = _as_type(names, sorted_labels.dtype)
    else:
        fits = True
    places = np.minimum(np.searchsorted(sorted_labels, names), max(len(sorted_labels) - 1, 0))
    there = (sorted_labels[places] == names) & fits
    return np.where(there, places if order is None else order[places], -1)


def _as_type(names: Array, dtype: Any) -> tuple[Array, Any]:
    fits = names >= 0 if dtype == np.uint64 else names < 2**63
    return names.astype(dtype), fits


def _labels_of(names: Array) -> Labels:
    if len(names) <= 1000 or (names.dtype == np.uint64 and names[-1] >= 2**63):
        return Labels._trusted(tuple(names.tolist()), "int")
    array = names.astype(np.int64, copy=False)
    array.flags.writeable = False
    return Labels._trusted(array, "int")
