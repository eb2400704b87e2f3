"""Parquet files of plain integers or texts, where PyArrow is installed: row groups read in threads for the kernel.

Half of the time of any group-by, which has to hash every pair. Whatever is not simple here (weights, groups, other
types, damage) is left to the roads that know it, and nothing has been added by then.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from confmat.counting.planning import MISSING
from confmat.counting.tally import Tally
from confmat.engines.gathering import Gathered
from confmat.engines.progress import Clock
from confmat.engines.sources import Source
from confmat.matrix import ConfusionMatrix

__all__ = ["RowGroups", "names_of"]

# Rows of a batch: large enough that adding up the tables of batches costs nothing beside counting them.
ROWS = 1 << 18
# What a column of a batch may take, by what the file says of its values.
BYTES = 1 << 25
# A row group with more of one column than this is read by whoever keeps a limit of memory.
LARGEST = 1 << 28
# What is read ahead of a column; without it, its whole row group would be.
AHEAD = 1 << 20
# More readers than this would wait for one disk.
MOST_THREADS = 16
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
        self._next = iter(parts)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._done = 0
        self._errors: list[BaseException] = []
        self._tally = Tally(missing="collect", threads=1)

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
        many = max(1, min(len(self._parts), threads or _processors(), MOST_THREADS))
        waiting = [threading.Event() for _ in range(many)]
        for done in waiting:
            threading.Thread(target=self._work, args=(gathered, done), name="confmat-parquet", daemon=True).start()
        try:
            for done in waiting:
                # Not join(): until Python 3.13, Ctrl-C in a join makes a thread look as if it had ended.
                while not done.wait(0.1):
                    clock.tell(self._done / max(self._whole, 1), self._done)
        except BaseException:
            self._stop.set()
            for done in waiting:
                done.wait()
            raise
        if self._errors:
            return False
        if self._tally.total:
            gathered.add_table(_rows(self._tally.matrix()))
        return True

    def _work(self, gathered: Gathered, done: threading.Event) -> None:
        try:
            parquet = import_module("pyarrow.parquet")
            texts = self._columns if self._is_text else None
            while not self._stop.is_set():
                with self._lock:
                    part = next(self._next, None)
                if part is None:
                    return
                # A file of PyArrow's is not to be shared among threads.
                with parquet.ParquetFile(part.path, read_dictionary=texts, buffer_size=AHEAD) as opened:
                    self._read(opened, part, gathered)
        except BaseException as error:  # noqa: BLE001 - another road will meet it, and say it better
            self._errors.append(error)
            self._stop.set()
        finally:
            done.set()

    def _read(self, opened: Any, part: _Part, gathered: Gathered) -> None:
        batches = opened.iter_batches(part.rows, row_groups=[part.place], columns=self._columns, use_threads=False)
        for batch in batches:
            if self._stop.is_set():
                return
            self._tally.update(batch.column(gathered.asked.actual), batch.column(gathered.asked.predicted))
            with self._lock:
                self._done += batch.num_rows
            found = self._tally.matrix()
            if found.n_classes**2 > gathered.max_pairs and len(found._counts.cells()[0]) > gathered.max_pairs:
                # What is there is enough to say that it is too much.
                self._stop.set()


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


def _rows(found: ConfusionMatrix) -> Iterator[tuple[Any, ...]]:
    names = [None if name == MISSING and name in found.labels.outside else name for name in found.labels]
    rows, cols, many = found._counts.cells()
    for row, col, count in zip(rows.tolist(), cols.tolist(), many.tolist(), strict=True):
        yield names[row], names[col], count


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
