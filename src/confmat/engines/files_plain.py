"""Text files and streams counted with the standard library: block by block, in bounded memory, resumable."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from confmat.engines.blocks import Blocks, opened_bytes
from confmat.engines.checkpoint import Checkpoint
from confmat.engines.gathering import Gathered
from confmat.engines.headings import find_column, find_columns
from confmat.engines.progress import Clock
from confmat.engines.queries import Asked
from confmat.engines.records import header_of, json_columns, reader_of
from confmat.engines.sources import Source
from confmat.errors import InputError, Message

__all__ = ["Opening", "asked_of", "columns_of", "count_text", "delimiter_for", "opened_text"]


class Opening:
    """A text file or stream whose columns are known: its blocks, the names, and what stands between fields."""

    def __init__(self, stream: BinaryIO, name: str, kind: str, delimiter: str | None) -> None:
        self.kind = kind
        self.blocks = Blocks(stream, name, quoted=kind != "jsonl")
        if kind == "jsonl":
            self.names, self.delimiter = json_columns(self.blocks.peek(), name), ""
        else:
            self.names, self.delimiter = header_of(self.blocks, delimiter_for(kind, delimiter))

    @property
    def name(self) -> str:
        """The file, as the user knows it."""
        return self.blocks.name


def delimiter_for(kind: str, delimiter: str | None) -> str | None:
    """What stands between fields, where the format says so."""
    return "\t" if kind == "tsv" and delimiter is None else delimiter


@contextmanager
def opened_text(source: Source, delimiter: str | None) -> Iterator[Opening]:
    """Open a text file and read the names of its columns."""
    stream = opened_bytes(source.path, source.packing)
    with stream:
        yield Opening(stream, str(source), source.format, delimiter)


def columns_of(source: Source, delimiter: str | None) -> tuple[list[str], str]:
    """The names of the columns of a text file, and what stands between them."""
    with opened_text(source, delimiter) as opening:
        return opening.names, opening.delimiter


def asked_of(names: list[str], name: str, actual: Any, predicted: Any, weights: Any, by: Any) -> Asked:
    """The columns in question; an error names the file."""
    try:
        row, col = find_columns(names, actual, predicted)
        others = [None if x is None else find_column(names, x, side) for side, x in (("weights", weights), ("by", by))]
    except InputError as error:
        msg = Message("{}: {}", name, error)
        raise InputError(msg) from None
    return Asked(row, col, others[0], others[1], {})


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
    wanted = [asked.actual, asked.predicted, *(x for x in (asked.by, asked.weights) if x is not None)]
    for column, side in zip(wanted, ("actual", "predicted", "by", "weights"), strict=False):
        _check(opening, column, side)
    count = reader_of(
        opening.kind, opening.name, opening.names, wanted, opening.delimiter, weighted=asked.weights is not None
    )
    if checkpoint is not None:
        checkpoint.go_on(blocks)
    shown = time.monotonic()
    for block in blocks:
        gathered.add(count(block))
        if checkpoint is not None:
            checkpoint.keep(gathered, blocks)
        if clock is not None:
            clock.tell(share(), gathered.rows)
        if every is not None and time.monotonic() - shown >= every[0]:
            every[1]()
            shown = time.monotonic()
    if checkpoint is not None:
        checkpoint.keep(gathered, blocks, now=True)


def _check(opening: Opening, column: str, side: str) -> None:
    try:
        find_column(opening.names, column, side)
    except InputError as error:
        msg = Message("{}: {}", opening.name, error)
        raise InputError(msg) from None
