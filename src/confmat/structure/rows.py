"""Rows: a list of pairs or of classes, kept as columns; each row is made when it is asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar, overload

from confmat._notebook import InNotebook
from confmat.structure import writing

__all__ = ["Rows"]

Row = TypeVar("Row")


@dataclass(frozen=True, eq=False)
class Rows(Sequence[Row], InNotebook):
    """Columns of one length; who inherits says what a row is and what `print` shows."""

    columns: dict[str, list[Any]]

    # What is made of a row, and the columns whose texts others have chosen.
    _row: ClassVar[type[Any]]
    _texts: ClassVar[tuple[str, ...]]

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
        """Plain data: the rows, and what they were chosen from."""

    def to_pandas(self) -> Any:
        """A DataFrame with one row for each; needs pandas."""
        return writing.to_pandas(self._flat())

    def to_polars(self) -> Any:
        """A DataFrame with one row for each, classes as text; needs Polars."""
        return writing.to_polars(self._flat(), self._texts)

    def to_csv(self) -> str:
        """Comma-separated values at full precision; a class that a spreadsheet would run gets an apostrophe."""
        return writing.to_csv(self._flat(), self._texts)

    def to_markdown(self) -> str:
        """A pipe table of what `print` shows."""
        return writing.to_markdown(*self._shown(), notes=self._notes())

    def __str__(self) -> str:
        return writing.to_text(*self._shown(), notes=self._notes())

    def _flat(self) -> dict[str, list[Any]]:
        """The columns of a table."""
        return self.columns

    @abstractmethod
    def _shown(self) -> tuple[list[str], str, list[list[str]]]:
        """Heads, how the columns are aligned, and the rows."""

    @abstractmethod
    def _notes(self) -> list[str]:
        """What is said below."""
