"""A few columns of files, row by row: labels and what stands beside them, in batches of bounded memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from confmat.engines.blocks import text_of
from confmat.engines.files_duckdb import Room
from confmat.engines.files_plain import Opening, opened_text
from confmat.engines.files_tables import table_columns, table_rows
from confmat.engines.headings import find_column, find_columns
from confmat.engines.records import EMPTY, fields_of, no_label, record_of
from confmat.engines.sources import Format, Source, sources
from confmat.errors import InputError, Message

__all__ = ["Wanted", "batches", "rows_of"]

Row = tuple[Any, ...]


class Wanted:
    """The columns in question: both labels, and what an example shows; found anew in each file, by name."""

    # Whether a field may hold several labels: then one that is empty has none, and JSON may have lists there.
    several = False

    def __init__(self, actual: str | None, predicted: str | None, columns: Sequence[str], *, hits: bool) -> None:
        self.actual, self.predicted, self.columns, self.hits = actual, predicted, columns, hits

    def among(self, names: Sequence[str], file: str) -> list[str]:
        """Their names in a file: actual, predicted, and the others."""
        try:
            sides = find_columns(names, self.actual, self.predicted)
            return [*sides, *(find_column(names, column, "examples") for column in self.columns)]
        except InputError as error:
            msg = Message("{}: {}", file, error)
            raise InputError(msg) from None


def rows_of(
    file: Source, wanted: Wanted, *, delimiter: str | None, memory: str, threads: int | None
) -> Iterator[list[Row]]:
    """Rows of a file as (actual, predicted, *columns); hits may be left out where they are not wanted."""
    if file.format not in {"parquet", "arrow"}:
        with opened_text(file, delimiter) as opening:
            yield from _text_rows(opening, wanted)
    elif file.format == "parquet" and find_spec("duckdb") is not None:
        with Room([file], memory, threads) as room:
            columns, _ = room.layout(file)
            names = wanted.among([name for name, _ in columns], str(file))
            yield from room.rows(file, names, differing=not wanted.hits)
    else:
        columns = table_columns(file)
        names = wanted.among([name for name, _ in columns], str(file))
        yield from table_rows(file, names)


def batches(
    paths: Any,
    wanted: Wanted,
    *,
    format: Format | None,  # noqa: A002 - as count_files calls it
    delimiter: str | None,
    memory: str,
    threads: int | None,
) -> Iterator[tuple[str, list[Row]]]:
    """Rows of files, or of one open stream, as `count_files` takes them; each batch with the name of its file."""
    if hasattr(paths, "read"):
        opening = Opening(paths, "standard input", format or "csv", delimiter)
        yield from ((opening.name, rows) for rows in _text_rows(opening, wanted))
        return
    for file in sources(paths, format):
        for rows in rows_of(file, wanted, delimiter=delimiter, memory=memory, threads=threads):
            yield str(file), rows


def _text_rows(opening: Opening, wanted: Wanted) -> Iterator[list[Row]]:
    names = wanted.among(opening.names, opening.name)
    yield from (_json_rows if opening.kind == "jsonl" else _table_rows)(opening, names, wanted.several)


# ---- CSV and TSV -------------------------------------------------------------------------------------------


def _table_rows(opening: Opening, wanted: Sequence[str], several: bool) -> Iterator[list[Row]]:
    """Rows of CSV: an empty field is missing unless it is quoted, or may hold several labels."""
    read = _text if several else _read
    places = [opening.names.index(name) for name in wanted]
    for block in opening.blocks:
        rows = fields_of(text_of(block, opening.name), block.line, opening.name, len(opening.names), opening.delimiter)
        yield [tuple([read(row[place]) for place in places]) for row in rows]


def _read(field: str) -> str | None:
    return None if field == "" else "" if field == EMPTY else field


def _text(field: str) -> str:
    return "" if field == EMPTY else field


# ---- JSONL -------------------------------------------------------------------------------------------------


def _json_rows(opening: Opening, wanted: Sequence[str], several: bool) -> Iterator[list[Row]]:
    """Records of JSONL: a field that is absent, or null, is missing; lists and objects are shown as JSON."""
    for block in opening.blocks:
        lines = text_of(block, opening.name).split("\n")
        yield [
            _record(text, opening, line, wanted, several) for line, text in enumerate(lines, block.line) if text.strip()
        ]


def _record(text: str, opening: Opening, line: int, wanted: Sequence[str], several: bool) -> Row:
    record = record_of(text, opening.name, line, strict=False)
    row = [record.get(name) for name in wanted]
    for place, value in enumerate(row):
        if isinstance(value, (list, dict)) and not (several and place < 2 and _is_flat(value)):
            if place < 2:
                raise no_label(opening.name, line, wanted[place], value)
            row[place] = json.dumps(value, ensure_ascii=False)
    return tuple(row)


def _is_flat(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(one, (list, dict)) for one in value)
