"""Text files and streams counted with the standard library: block by block, in bounded memory, resumable."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO

from confmat.core.errors import InputError, Message
from confmat.core.labels import MAX_CLASSES
from confmat.counting.columns import Column
from confmat.counting.door import policy_of
from confmat.counting.tables import count_columns
from confmat.io.checkpoints import Checkpoint
from confmat.io.gathering import Gathered, Key
from confmat.io.queries import Asked, asked_among
from confmat.io.records import Block, Blocks, header_of, json_columns, opened_bytes, plain_fields, reader_of, text_of
from confmat.io.sources import Source
from confmat.io.tallies import reading, within
from confmat.io.threads import Clock, Team

# Plain blocks that make up for one that the csv module has to read, ten times as slowly.
PLAIN_BLOCKS_PER_ODD = 20
# Blocks that are given to an engine together, so that its start costs little beside them.
BLOCKS_AT_ONCE = 64


class Opening:
    """A text file or stream whose columns are known: its blocks, the names, and what stands between fields."""

    def __init__(self, stream: BinaryIO, name: str, kind: str, delimiter: str | None, *, hashed: bool = False) -> None:
        self.kind = kind
        self.blocks = Blocks(stream, name, quoted=kind != "jsonl", hashed=hashed)
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
    read = reader_of(opening.kind, opening.name, opening.names, here.columns, opening.delimiter, weighted=False)
    with closing(opening.blocks.ahead()) as blocks:
        return reading((row for block in blocks for row in read(block).items()), here, max_pairs)


def count_text(
    opening: Opening,
    gathered: Gathered,
    *,
    share: Callable[[], float | None] = lambda: None,
    clock: Clock | None = None,
    checkpoint: Checkpoint | None = None,
    every: tuple[float, Callable[[], object]] | None = None,
    quick: Callable[[list[Block]], bool] | None = None,
) -> None:
    """Add all records of an opened file or stream to what was gathered.

    With a checkpoint, the counts so far and the place in the input are stored together, so that a count that was
    killed goes on where the last stored block ended. `every` is called between two blocks, after so many seconds.
    `quick` counts several blocks, or leaves them to the plain reader.
    """
    asked, blocks = gathered.asked, opening.blocks
    asked_of(opening.names, opening.name, asked.actual, asked.predicted, asked.weights, asked.by)
    weighted = asked.weights is not None
    count = reader_of(opening.kind, opening.name, opening.names, asked.columns, opening.delimiter, weighted=weighted)
    if checkpoint is not None:
        checkpoint.go_on(blocks)
    shown = time.monotonic()
    parts = iter(blocks)
    while some := list(islice(parts, 1 if quick is None else BLOCKS_AT_ONCE)):
        if quick is None or len(some) == 1 or not quick(some):
            for block in some:
                gathered.add(count(block))
        if checkpoint is not None:
            checkpoint.keep(gathered, blocks)
        if clock is not None:
            clock.tell(share(), gathered.rows)
        if every is not None and time.monotonic() - shown >= every[0]:
            every[1]()
            shown = time.monotonic()
    if checkpoint is not None:
        checkpoint.keep(gathered, blocks)


class PlainText:
    """The blocks of text files that share their header."""

    def __init__(self, files: Sequence[Source], names: Sequence[str], delimiter: str, gathered: Gathered) -> None:
        asked = gathered.asked
        self._files, self._delimiter, self._width = files, delimiter, len(names)
        self._places = [list(names).index(name) for name in (asked.actual, asked.predicted)]
        self._policy = replace(policy_of(None, "collect", "error", None, MAX_CLASSES, threads=1), is_part=True)
        self._whole = 0 if any(file.packing for file in files) else sum(file.size for file in files)
        self._bytes = self._rows = self._plain = self._odd = 0
        self._asked = [asked.actual, asked.predicted]
        self._names = names
        self._others: Counter[Key] = Counter()
        self._lock = threading.Lock()

    def count(self, gathered: Gathered, clock: Clock, threads: int | None) -> bool:
        """Add all rows; False, and nothing added, if something was not as simple as it should be."""
        self._team = Team(self._blocks(), self._count, threads)
        share = 1 / self._whole if self._whole else None
        if not self._team.run(lambda: clock.tell(share and min(self._bytes * share, 1.0), self._rows)):
            return False
        self._team.add_to(gathered)
        gathered.add(self._others)
        return True

    def _blocks(self) -> Iterator[tuple[Block, str]]:
        for file in self._files:
            with opened_text(file, self._delimiter) as opening:
                for block in opening.blocks:
                    self._bytes += len(block.data)
                    yield block, opening.name

    def _count(self, part: tuple[Block, str]) -> None:
        block, name = part
        if not block.data.isascii():
            # Columns that nobody asked for must be text, too.
            text_of(block, name)
        found = plain_fields(block, self._delimiter, self._width, self._places)
        if found is None:
            self._count_odd(block, name)
            return
        left, left_names, right, right_names = found
        row = Column(left, left_names, holes=bool((left < 0).any()))
        col = Column(right, right_names, holes=bool((right < 0).any()))
        self._team.tally.merge(count_columns(row, col, None, self._policy))
        self._team.check()
        self._rows += len(left)
        self._plain += 1

    def _count_odd(self, block: Block, name: str) -> None:
        self._odd += 1
        if self._odd * PLAIN_BLOCKS_PER_ODD > self._plain:
            raise ValueError
        read = reader_of("csv", name, self._names, self._asked, self._delimiter, weighted=False)
        counts = read(block)
        with self._lock:
            self._others.update(counts)
            self._rows += counts.total()
