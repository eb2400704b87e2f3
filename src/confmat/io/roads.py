"""One road for each kind of files: Parquet is read by DuckDB, Arrow by PyArrow, text by the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from confmat.io.arrow_files import ArrowFiles
from confmat.io.duckdb_files import Room
from confmat.io.gathering import Gathered
from confmat.io.sources import Source
from confmat.io.text_files import TextFiles
from confmat.io.threads import Clock


class Road(Protocol):
    """The reader of files of one kind."""

    def columns(self, file: Source) -> list[tuple[str, str]]:
        """The names and types of the columns of a file."""

    def rows(
        self, file: Source, names: Sequence[str], *, differing: bool
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Columns of a file as Python's values, many rows at a time, None where one is missing.

        With `differing`, rows may be left out whose first two agree.
        """

    def add(self, files: Sequence[Source], gathered: Gathered, clock: Clock) -> None:
        """Add the pairs of files to what was gathered."""


class Roads:
    """The roads of some files, each opened when it is first asked for."""

    def __init__(
        self, files: Sequence[Source], delimiter: str | None, memory: str, threads: int | None
    ) -> None:
        self._files, self._delimiter, self._memory, self._threads = (
            files,
            delimiter,
            memory,
            threads,
        )
        self._opened: dict[str, Road] = {}
        self._columns: dict[Source, list[tuple[str, str]]] = {}

    def of(self, file: Source) -> Road:
        """The road of a file."""
        kind = file.format if file.format in {"parquet", "arrow"} else "text"
        if kind not in self._opened:
            self._opened[kind] = self._road(kind)
        return self._opened[kind]

    def _road(self, kind: str) -> Road:
        if kind == "parquet":
            return Room(
                [file for file in self._files if file.format == kind], self._memory, self._threads
            )
        return (
            ArrowFiles(self._threads)
            if kind == "arrow"
            else TextFiles(self._delimiter, self._threads)
        )

    def columns(self, file: Source) -> list[tuple[str, str]]:
        """The names and types of the columns of a file; of text, which has none, no type."""
        if file not in self._columns:
            self._columns[file] = self.of(file).columns(file)
        return self._columns[file]

    def names(self, file: Source) -> list[str]:
        """The names of the columns of a file."""
        return [name for name, _ in self.columns(file)]
