"""Rows: a list of pairs or of classes, kept as columns; each row is made when it is asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar, overload

from confmat.core.tables import DASH, Tabular
from confmat.core.text import number

__all__ = ["Rows", "expectation", "multiple", "probability", "star"]

Row = TypeVar("Row")


@dataclass(frozen=True, eq=False)
class Rows(Sequence[Row], Tabular):
    """Columns of one length; a subclass says what a row is and what its table shows."""

    columns: dict[str, list[Any]]

    # The class of a row.
    _row: ClassVar[type[Any]]

    def __len__(self) -> int:
        return len(self.columns["count"])

    @overload
    def __getitem__(self, position: int) -> Row: ...
    @overload
    def __getitem__(self, position: slice) -> Self: ...
    def __getitem__(self, position: int | slice) -> Row | Self:
        part = {name: column[position] for name, column in self.columns.items()}
        if isinstance(position, slice):
            return replace(self, columns=part)
        row: Row = self._row(**part)
        return row

    def __iter__(self) -> Iterator[Row]:
        for row in zip(*self.columns.values(), strict=True):
            yield self._row(*row)

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the rows, and what they were chosen from, as plain data."""

    def __str__(self) -> str:
        return str(self.table())


# ---- how their numbers read --------------------------------------------------------------------------------


def expectation(value: float) -> str:
    """Return an expected count as text: one decimal where it matters, two digits where it is small."""
    if value != value:
        return DASH
    if value >= 100:
        return number(round(value))
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2g}"


def multiple(lift: float) -> str:
    """Return how many times the expected count there are, as text."""
    if lift != lift:
        return DASH
    return f"×{lift:,.0f}" if lift >= 99.5 else f"×{lift:.1f}"


def probability(value: float) -> str:
    """Return a probability as people print it."""
    if value != value:
        return DASH
    if value < 0.001:
        return "<0.001"
    return f"{value:.3f}" if value < 0.9995 else "1"


def star(flagged: bool) -> str:
    """Return the mark of a row that stands out."""
    return "*" if flagged else ""
