"""Parquet files of plain integers or texts, where PyArrow is installed: row groups read in threads for the kernel.

Half of the time of any group-by, which has to hash every pair. Whatever is not simple here (weights, groups, other
types, damage) is left to the roads that know it, and nothing has been added by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from confmat.engines.gathering import Gathered
from confmat.engines.progress import Clock
from confmat.engines.sources import Source
from confmat.engines.team import Team

__all__ = ["RowGroups", "names_of"]

# Rows of a batch: large enough that adding up the tables of batches costs nothing beside counting them.
ROWS = 1 << 18
# What a column of a batch may take, by what the file says of its values.
BYTES = 1 << 25
# A row group with more of one column than this is read by whoever keeps a limit of memory.
LARGEST = 1 << 28
# What is read ahead of a column; without it, its whole row group would be.
AHEAD = 1 << 20
NAMES = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "string", "large_string"}


def names_of(file: Source) -> list[str] | None:
    """The names of the columns of a Parquet file, where PyArrow is there and can read it."""
    try:
        return list(import_module("pyarrow.parquet").read_schema(file.path).names)
    except Exception:  # noqa: BLE001 - whatever it is, others say it better
        return None


@dataclass(frozen=True, slots=True)
class _Part:
    """A row group of a file, and how many of its rows may be read at once."""

    path: str
    place: int
    many: int
    rows: int


class RowGroups:
    """The row groups of Parquet files whose two columns are simple."""

    def __init__(self, parts: list[_Part], columns: list[str], is_text: bool) -> None:
        self._parts, self._columns, self._is_text = parts, columns, is_text
        self._whole = sum(part.many for part in parts)
        self._rows = 0

    @property
    def kind(self) -> str:
        """What the labels are, as types are called."""
        return "string" if self._is_text else "int64"

    @classmethod
    def of(cls, files: Sequence[Source], gathered: Gathered) -> RowGroups | None:
        """The row groups, or None where files, columns or what was asked for are not simple."""
        asked = gathered.asked
        columns = list(dict.fromkeys([asked.actual, asked.predicted]))
        # PyArrow reads a dot as the way to a field within a field.
        if asked.weights is not None or asked.by is not None or any("." in name for name in columns):
            return None
        try:
            parquet = import_module("pyarrow.parquet")
        except ImportError:
            return None
        parts: list[_Part] = []
        kinds: set[bool] = set()
        for file in files:
            try:
                with parquet.ParquetFile(file.path) as opened:
                    found = _parts(opened, str(file.path), columns, kinds)
            except Exception:  # noqa: BLE001 - whatever it is, others say it better
                return None
            if found is None or len(kinds) > 1:
                return None
            parts += found
        return cls(parts, columns, kinds.pop())

    def count(self, gathered: Gathered, clock: Clock, threads: int | None) -> bool:
        """Add all rows; False, and nothing added, if something was not as simple as it looked."""
        asked = gathered.asked
        parquet = import_module("pyarrow.parquet")
        texts = self._columns if self._is_text else None

        def work(part: _Part) -> None:
            # A file of PyArrow's is not to be shared among threads.
            with parquet.ParquetFile(part.path, read_dictionary=texts, buffer_size=AHEAD) as opened:
                for batch in opened.iter_batches(
                    part.rows, row_groups=[part.place], columns=self._columns, use_threads=False
                ):
                    if team.stop.is_set():
                        return
                    team.tally.update(batch.column(asked.actual), batch.column(asked.predicted))
                    team.check()
                    self._rows += batch.num_rows

        team = Team(iter(self._parts), work, threads)
        if not team.run(lambda: clock.tell(min(self._rows / max(self._whole, 1), 1.0), self._rows)):
            return False
        team.add_to(gathered)
        return True


def _parts(opened: Any, path: str, columns: list[str], kinds: set[bool]) -> list[_Part] | None:
    """The row groups of a file; None where a column is absent, repeated, nested, of another type, or very large."""
    schema, data = opened.schema_arrow, opened.metadata
    for name in columns:
        if schema.names.count(name) != 1:
            return None
        kind = schema.field(name).type
        # What pandas calls categories, and Arrow a dictionary, is stored as what it stands for.
        plain = str(getattr(kind, "value_type", kind)) if str(kind).startswith("dictionary") else str(kind)
        if plain not in NAMES:
            return None
        kinds.add(plain.endswith("string"))
    places = [i for i in range(data.num_columns) if data.schema.column(i).path in columns]
    return None if len(places) != len(columns) else list(_sized(data, path, places))


def _sized(data: Any, path: str, places: list[int]) -> Iterator[_Part]:
    for number in range(data.num_row_groups):
        group = data.row_group(number)
        largest = max(group.column(place).total_uncompressed_size for place in places)
        if largest > LARGEST:
            raise OverflowError
        each = largest / max(group.num_rows, 1)
        yield _Part(path, number, group.num_rows, int(min(ROWS, max(BYTES / max(each, 1), 1))))
