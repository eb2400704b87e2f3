"""Text files and streams, read by the kernel block by block: in bounded memory, in threads, resumable."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, BinaryIO

from confmat.core.files import about
from confmat.io.checkpoints import Checkpoint
from confmat.io.gathering import Gathered, Part
from confmat.io.queries import Asked, asked_among
from confmat.io.records import (
    DELIMITERS,
    Block,
    Blocks,
    JsonLines,
    Reader,
    Table,
    header_of,
    json_columns,
    opened_bytes,
)
from confmat.io.sources import Source
from confmat.io.threads import Clock, in_order

# A function that is called between two blocks, and after how many seconds.
Every = tuple[float, Callable[[], object]] | None


class Opening:
    """A text file or stream whose columns are known: its blocks, the names, and what is between fields."""

    def __init__(
        self, stream: BinaryIO, name: str, kind: str, delimiter: str | None, *, hashed: bool = False
    ) -> None:
        self.kind = kind
        self.blocks = Blocks(
            stream, name, "" if kind == "jsonl" else delimiter or DELIMITERS, hashed=hashed
        )
        if kind == "jsonl":
            self.names, self.delimiter = json_columns(self.blocks.peek(), name), ""
        else:
            named = "\t" if kind == "tsv" and delimiter is None else delimiter
            self.names, self.delimiter = header_of(self.blocks, named)

    @property
    def name(self) -> str:
        """The file, as the user knows it."""
        return self.blocks.name

    def reader(self, wanted: Sequence[str]) -> Reader:
        """The reader of blocks; `wanted` are the columns, the weight at the end if there is one."""
        if self.kind == "jsonl":
            return JsonLines(self.name, wanted)
        return Table(self.name, self.names, wanted, self.delimiter)


@contextmanager
def opened_text(
    source: Source, delimiter: str | None, *, hashed: bool = False
) -> Iterator[Opening]:
    """Open a text file and read the names of its columns."""
    stream = opened_bytes(source.path, source.packing)
    with stream:
        yield Opening(stream, str(source), source.format, delimiter, hashed=hashed)


class TextFiles:
    """Reads CSV, TSV and JSONL files by the columns that are wanted, a block at a time."""

    def __init__(self, delimiter: str | None, threads: int | None) -> None:
        self._delimiter, self._threads = delimiter, threads

    def columns(self, file: Source) -> list[tuple[str, str]]:
        """The names of the columns of a file; what it says of their types is nothing."""
        with opened_text(file, self._delimiter) as opening:
            return [(name, "") for name in opening.names]

    def rows(
        self, file: Source, names: Sequence[str], *, differing: bool
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Columns of a file, block by block."""
        del differing
        with opened_text(file, self._delimiter) as opening:
            yield from map(opening.reader(names).rows, opening.blocks)

    def add(
        self,
        files: Sequence[Source],
        gathered: Gathered,
        clock: Clock,
        checkpoint: Checkpoint | None = None,
        every: Every = None,
    ) -> None:
        """Add the rows of files; with a checkpoint, or where counts are shown on the way, as a stream."""
        size = 0 if any(file.packing for file in files) else sum(file.size for file in files)
        threads = self._threads if checkpoint is None and every is None else 1

        def openings() -> Generator[Opening, None, None]:
            for file in files:
                with opened_text(file, self._delimiter, hashed=checkpoint is not None) as opening:
                    yield opening

        # An error leaves no file open.
        with closing(openings()) as each:
            count_text(
                each,
                gathered,
                clock,
                threads=threads,
                size=size,
                checkpoint=checkpoint,
                every=every,
            )


def asked_of(names: list[str], name: str, *columns: Any) -> Asked:
    """The columns in question, as `asked_among` takes them; an error names the file."""
    with about(name):
        return asked_among(names, *columns)


def count_text(
    openings: Iterable[Opening],
    gathered: Gathered,
    clock: Clock,
    *,
    threads: int | None = 1,
    size: int = 0,
    checkpoint: Checkpoint | None = None,
    every: Every = None,
) -> None:
    """Add all records of opened files, or of a stream, to what was gathered.

    With a checkpoint, the counts so far and the place in the input are stored together, so that a
    count that was killed goes on where the last stored block ended; then one thread reads no
    further than it counts.
    """

    def parts() -> Iterator[tuple[Blocks, Reader, Block]]:
        for opening in openings:
            reader = opening.reader(gathered.asked.columns)
            if checkpoint is not None:
                checkpoint.go_on(opening.blocks)
            for block in opening.blocks:
                yield opening.blocks, reader, block
            if checkpoint is not None:
                checkpoint.keep(gathered, opening.blocks)

    def work(task: tuple[Blocks, Reader, Block]) -> tuple[Blocks, int, Part]:
        blocks, reader, block = task
        return blocks, len(block.data), reader.counted(block, gathered)

    done, shown = 0, time.monotonic()
    for blocks, read, part in in_order(work, parts(), threads):
        gathered.add(part)
        done += read
        if checkpoint is not None:
            checkpoint.keep(gathered, blocks)
        clock.tell(min(done / size, 1.0) if size else None, gathered.rows)
        if every is not None and time.monotonic() - shown >= every[0]:
            every[1]()
            shown = time.monotonic()
