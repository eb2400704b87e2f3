"""Pricing: the price of any cell of one matrix, from a whole table or from the few pairs that differ from the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import BudgetError
from confmat.metrics.scales import exact_numbers

__all__ = ["Computed", "Dense", "Prices", "Sparse"]

Array = NDArray[Any]


class Prices(Protocol):
    """Prices by position: rows actual, columns predicted."""

    @property
    def size(self) -> int:
        """Rows of the table."""

    def at(self, rows: Any, cols: Any) -> Array:
        """The prices of some cells."""

    def of_constants(self, totals: Any) -> Array:
        """What the answers cost together if all were one class, for each class, (..., size), by the actual totals."""

    def part(self, size: int) -> Prices:
        """Those of the first rows and columns."""

    def floats(self) -> Prices:
        """The same as float64."""

    def exactly(self) -> Prices:
        """The same as integers and fractions."""


@dataclass(frozen=True, eq=False, slots=True)
class Dense:
    """A whole table."""

    table: Array

    @property
    def size(self) -> int:
        """Rows of the table."""
        return len(self.table)

    def at(self, rows: Any, cols: Any) -> Array:
        """The prices of some cells."""
        found: Array = self.table[rows, cols]
        return found

    def of_constants(self, totals: Any) -> Array:
        """What the answers cost together if all were one class, for each class, (..., size), by the actual totals."""
        return np.asarray(totals @ self.table)

    def part(self, size: int) -> Dense:
        """Those of the first rows and columns."""
        return Dense(self.table[:size, :size])

    def floats(self) -> Dense:
        """The same as float64."""
        return Dense(self.table.astype(np.float64))

    def exactly(self) -> Dense:
        """The same as integers and fractions."""
        return Dense(exact_numbers(self.table.tolist()))


@dataclass(frozen=True, eq=False, slots=True)
class Sparse:
    """Nothing for a hit, one price for an error, and the pairs that have another; their `keys` are ascending."""

    size: int
    default: Any
    # row * size + column of each pair.
    keys: Array
    values: Array

    @classmethod
    def of_pairs(cls, size: int, default: Any, placed: Mapping[tuple[int, int], Any]) -> Sparse:
        """From places and prices."""
        keys = np.array([row * size + col for row, col in placed], dtype=np.int64)
        values = np.array([*placed.values(), None], dtype=object)[:-1]
        order = np.argsort(keys)
        return cls(size, default, keys[order], values[order])

    def at(self, rows: Any, cols: Any) -> Array:
        """The prices of some cells."""
        rows, cols = np.broadcast_arrays(rows, cols)
        found = np.where(rows == cols, 0, self.default)
        if len(self.keys):
            wanted = rows.astype(np.int64) * self.size + cols
            places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            found = np.where(self.keys[places] == wanted, self.values[places], found)
        return found

    def of_constants(self, totals: Any) -> Array:
        """What the answers cost together if all were one class, for each class, (..., size), by the actual totals."""
        found = np.asarray(self.default * (totals.sum(axis=-1)[..., None] - totals))
        if len(self.keys):
            rows, cols = self.keys // self.size, self.keys % self.size
            extra = totals[..., rows] * (self.values - np.where(rows == cols, 0, self.default))
            places: Any = (..., cols)
            np.add.at(found, places, extra)
        return found

    def part(self, size: int) -> Sparse:
        """Those of the first rows and columns."""
        rows, cols = self.keys // self.size, self.keys % self.size
        kept = (rows < size) & (cols < size)
        return Sparse(size, self.default, rows[kept] * size + cols[kept], self.values[kept])

    def floats(self) -> Sparse:
        """The same as float64."""
        return Sparse(self.size, float(self.default), self.keys, self.values.astype(np.float64))

    def exactly(self) -> Sparse:
        """The same as integers and fractions."""
        return Sparse(self.size, exact_numbers([self.default])[0], self.keys, exact_numbers(self.values))


@dataclass(frozen=True, eq=False, slots=True)
class Computed:
    """Prices of so many classes that they are worked out where they are asked for."""

    size: int
    find: Callable[[Array, Array], Array]
    exact: bool = False

    def at(self, rows: Any, cols: Any) -> Array:
        """The prices of some cells."""
        found = self.find(*map(np.asarray, np.broadcast_arrays(rows, cols)))
        return exact_numbers(found) if self.exact else found.astype(np.float64)

    def of_constants(self, totals: Any) -> Array:  # noqa: ARG002 - the others need it
        """Too many to be compared."""
        msg = f"{self.size:,} classes have too many distances to find the best constant answer"
        raise BudgetError(msg)

    def part(self, size: int) -> Computed:
        """Those of the first rows and columns."""
        return Computed(size, self.find, self.exact)

    def floats(self) -> Computed:
        """The same as float64."""
        return self

    def exactly(self) -> Computed:
        """The same as integers and fractions."""
        return Computed(self.size, self.find, exact=True)
