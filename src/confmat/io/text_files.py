"""Text files and streams counted with the standard library: block by block, in bounded memory, resumable."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any, BinaryIO

from confmat.core.errors import InputError, Message
from confmat.core.labels import MAX_CLASSES
from confmat.counting.columns import Column
from confmat.counting.door import policy_of
from confmat.counting.tables import count_columns
from confmat.io.checkpoints import Checkpoint
from confmat.io.gathering import CodedRows, Gathered
from confmat.io.queries import Asked, asked_among
from confmat.io.records import (
    DELIMITERS,
    Block,
    Blocks,
    Reader,
    header_of,
    json_columns,
    opened_bytes,
    reader_of,
    weights_of,
)
from confmat.io.sources import Source
from confmat.io.tallies import reading, within
from confmat.io.threads import MAX_SHARED_CLASSES, Clock, Team


class Opening:
    """A text file or stream whose columns are known: its blocks, the names, and what stands between fields."""

    def __init__(self, stream: BinaryIO, name: str, kind: str, delimiter: str | None, *, hashed: bool = False) -> None:
        self.kind = kind
        self.blocks = Blocks(stream, name, "" if kind == "jsonl" else delimiter or DELIMITERS, hashed=hashed)
        if kind == "jsonl":
            self.names, self.delimiter = json_columns(self.blocks.peek(), name), ""
        else:
            named = "\t" if kind == "tsv" and delimiter is None else delimiter
            self.names, self.delimiter = header_of(self.blocks, named)

    @property
    def name(self) -> str:
        """The file, as the user knows it."""
        return self.blocks.name


@contextmanager
def opened_text(source: Source, delimiter: str | None, *, hashed: bool = False) -> Iterator[Opening]:
    """Open a text file and read the names of its columns."""
    stream = opened_bytes(source.path, source.packing)
    with stream:
        yield Opening(stream, str(source), source.format, delimiter, hashed=hashed)


def columns_of(source: Source, delimiter: str | None) -> tuple[list[str], str]:
    """The names of the columns of a text file, and what stands between them."""
    with opened_text(source, delimiter) as opening:
        return opening.names, opening.delimiter


def asked_of(names: list[str], name: str, *columns: Any) -> Asked:
    """The columns in question, as `asked_among` takes them; an error names the file."""
    try:
        return asked_among(names, *columns)
    except InputError as error:
        msg = Message("{}: {}", name, error)
        raise InputError(msg) from None


def text_reading(opening: Opening, probe: Asked, max_pairs: int) -> str:
    """Tell whether the records of an opened file or stream are a table of counts; they can be read again."""
    here = within(probe, opening.names)
    if isinstance(here, str):
        return here
    read = reader_of(opening.kind, opening.name, opening.names, here.columns, opening.delimiter)
    with closing(opening.blocks.ahead()) as blocks:
        return reading((row for block in blocks for row in read.count(block).items()), here, max_pairs)


def count_text(
    opening: Opening,
    gathered: Gathered,
    *,
    share: Callable[[], float | None] = lambda: None,
    clock: Clock | None = None,
    checkpoint: Checkpoint | None = None,
    every: tuple[float, Callable[[], object]] | None = None,
) -> None:
    """Add all records of an opened file or stream to what was gathered.

    With a checkpoint, the counts so far and the place in the input are stored together, so that a count that was
    killed goes on where the last stored block ended. `every` is called between two blocks, after so many seconds.
    """
    asked, blocks = gathered.asked, opening.blocks
    asked_of(opening.names, opening.name, asked.actual, asked.predicted, asked.weights, asked.by)
    read = reader_of(opening.kind, opening.name, opening.names, asked.columns, opening.delimiter)
    if checkpoint is not None:
        checkpoint.go_on(blocks)
    shown = time.monotonic()
    for block in blocks:
        read.add(block, gathered)
        if checkpoint is not None:
            checkpoint.keep(gathered, blocks)
        if clock is not None:
            clock.tell(share(), gathered.rows)
        if every is not None and time.monotonic() - shown >= every[0]:
            every[1]()
            shown = time.monotonic()
    if checkpoint is not None:
        checkpoint.keep(gathered, blocks)


class TextTeam:
    """Counts CSV files that share their header, or JSONL files, block by block in several threads."""

    def __init__(self, files: Sequence[Source], names: Sequence[str], delimiter: str, gathered: Gathered) -> None:
        asked = gathered.asked
        self._files, self._names, self._delimiter = files, names, delimiter
        self._is_weighted = asked.weights is not None
        self._is_plain = asked.weights is None and asked.by is None
        self._policy = replace(policy_of(None, "collect", "error", None, MAX_CLASSES, threads=1), is_part=True)
        self._whole = 0 if any(file.packing for file in files) else sum(file.size for file in files)
        self._bytes = self._rows = 0
        self._has_many = False
        self._wanted = asked.columns
        # Pairs of many classes, and those with weights or groups.
        self._others = CodedRows(gathered)
        self._lock = threading.Lock()

    def count(self, gathered: Gathered, clock: Clock, threads: int | None) -> bool:
        """Add all rows; False, and nothing added, if something is wrong with one."""
        self._team = Team(self._blocks(), self._count, threads)
        share = 1 / self._whole if self._whole else None
        if not self._team.run(lambda: clock.tell(share and min(self._bytes * share, 1.0), self._rows)):
            return False
        try:
            others = self._others.columns()
        except ValueError:
            return False
        self._team.add_to(gathered)
        if self._is_weighted:
            gathered.add_table(zip(*(column.tolist() for column in others), strict=True))
        elif others:
            gathered.add_columns(others)
        return True

    def _blocks(self) -> Iterator[tuple[Block, Reader]]:
        for file in self._files:
            with opened_text(file, self._delimiter) as opening:
                reader = reader_of(file.format, opening.name, self._names, self._wanted, self._delimiter)
                for block in opening.blocks:
                    self._bytes += len(block.data)
                    yield block, reader

    def _count(self, part: tuple[Block, Reader]) -> None:
        block, reader = part
        columns = reader.columns(block)
        if self._is_plain and not self._has_many and all(_is_few_texts(names) for _, names in columns):
            row, col = (Column(codes, names, holes=bool((codes < 0).any())) for codes, names in columns)
            self._team.tally.merge(count_columns(row, col, None, self._policy))
            self._has_many = self._team.has_many
        else:
            weights = weights_of(columns.pop()) if self._is_weighted else ()
            with self._lock:
                self._others.add(columns, *weights)
        self._rows += len(columns[0][0])


def _is_few_texts(names: list[Any]) -> bool:
    return len(names) <= MAX_SHARED_CLASSES and all(type(name) is str and len(name) <= 1000 for name in names)
