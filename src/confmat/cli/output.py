"""Output: matrices, stacks, reports and tables in every format, printed or written, safe for whoever reads them."""

from __future__ import annotations

import glob
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confmat.cli.settings import Look, Output
from confmat.cli.terminal import is_colourful, styled
from confmat.errors import InputError
from confmat.escaping import in_markdown, one_line
from confmat.matrix import ConfusionMatrix
from confmat.stack import Stack
from confmat.tables import FORMATS, Column, Table, Tabular, format_named, to_plain
from confmat.text import isolated, number, printable, rate, room

if TYPE_CHECKING:
    from confmat.reporting import Report

__all__ = ["form_of", "label_of", "put", "put_matrix", "put_reports", "put_table", "table_of"]

Reports = Mapping[Any, "Report"]


def form_of(output: Output, inputs: Iterable[str] = (), inside: Iterable[str] | None = None) -> str:
    """Return the format (--format, suffix of -o, or a table); refuse to overwrite an input.

    `inside` are the suffixes of the files that are read of folders; by default those of files with rows.
    """
    path, form = output.path, output.form
    if path is not None:
        refuse_inputs(path, inputs, inside)
    if form is not None or path is None:
        return form or "table"
    suffix = Path(path).suffix.lower()
    if suffix in FORMATS["html"].suffixes:
        msg = f"{printable(path)}: pages are written by confmat html"
        raise InputError(msg)
    known = {suffix: one.name for one in FORMATS.values() for suffix in one.suffixes}
    if suffix not in known:
        msg = (
            f"{printable(path)}: the suffix does not say which format is wanted ({' '.join(known)}); "
            "say it with --format"
        )
        raise InputError(msg)
    return "table" if known[suffix] == "text" else known[suffix]


def refuse_inputs(path: str, inputs: Iterable[str], inside: Iterable[str] | None = None) -> None:
    """Complain if a file to write is one of those that are read."""
    if Path(path).exists() and any(_is_read(Path(path), name, inside) for name in inputs):
        msg = f"{printable(path)} is an input and would be overwritten; write to another file"
        raise InputError(msg)


def _is_read(output: Path, name: str, inside: Iterable[str] | None) -> bool:
    """Whether a file is an input, or one of those that a folder or a pattern stands for."""
    path = Path(name)
    if path.is_dir():
        from confmat.engines import sources

        known = {*sources.SUFFIXES, *sources.PACKED} if inside is None else set(inside)
        return output.suffix.lower() in known and output.resolve().is_relative_to(path.resolve())
    if path.exists():
        return path.samefile(output)
    return glob.has_magic(name) and any(
        output.samefile(match)
        for match in glob.iglob(name, recursive=True)  # noqa: PTH207 - the whole pattern, absolute or not
    )


def put(text: str | bytes, output: Output, form: str) -> None:
    """Write to a file that appears by rename, or print; a table on a terminal is coloured."""
    if output.path is not None:
        from confmat._files import write_whole

        write_whole(text, output.path)
        return
    if isinstance(text, bytes):
        if sys.stdout.isatty():
            msg = f"--format {form} makes a file that no terminal shows; name one with -o"
            raise InputError(msg)
        sys.stdout.buffer.write(text)
        return
    if form == "table" and is_colourful(sys.stdout):
        styled(text)
        return
    if form in {"csv", "tsv"} and sys.stdout.isatty():
        # CSV keeps labels as they are, for files and pipes; on a terminal they could move the cursor.
        text = "\n".join(line and printable(line) for line in text.split("\n"))
    sys.stdout.write(text)
    sys.stdout.flush()


# ---- tables ------------------------------------------------------------------------------------------------


def table_of(heads: Sequence[Any], rows: Sequence[Sequence[Any]], digits: int = 3) -> Table:
    """Return a table of rows; columns of numbers stand on the right."""

    def column(place: int, head: Any) -> Column:
        values = [row[place] for row in rows]
        is_number = bool(rows) and all(isinstance(value, (int, float)) for value in values)
        text, side = partial(_cell, digits=digits), ">" if is_number else "<"
        return Column(head, values, text, one_line(head), is_label=not is_number, align=side)  # type: ignore[arg-type]

    return Table(tuple(column(place, head) for place, head in enumerate(heads)))


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return rate(value, digits)
    return number(value) if isinstance(value, int) and not isinstance(value, bool) else one_line(value)


def put_table(value: Tabular | Table, output: Output, form: str, below: str = "") -> None:
    """Write or print a result: as text, as its stored form in JSON, or as its table in any other format.

    `below` is text that stands below the table of a terminal or a text file.
    """
    put(_text_of(value, form, below), output, form)


def _text_of(value: Tabular | Table, form: str, below: str = "") -> str | bytes:
    if form == "table":
        return f"{value}\n{below}"
    table = value if isinstance(value, Table) else value.table()
    if form == "json":
        data = [*table.records()] if isinstance(value, Table) else value.to_dict()  # type: ignore[attr-defined]
        return json.dumps(to_plain(data, "text"), indent=1, default=printable) + "\n"
    return written(table, form)


def written(table: Table, form: str) -> str | bytes:
    """Return a table in a format of a file."""
    text: str | bytes = format_named("text" if form == "table" else form).write(table)
    return text


def _put_groups(
    axis: str, values: Mapping[Any, Any], one: Callable[[Any], Table], form: str, text: Callable[[Any], str] | None = None
) -> str | bytes:
    """Return each group under a heading of its own, or all in one table with a column of groups."""
    heads = {"markdown": "### {}\n\n", "latex": "% {}\n", "table": "{}\n\n"}
    if form not in heads:
        return written(_joined(axis, {key: one(value) for key, value in values.items()}), form)
    parts = []
    for key, value in values.items():
        name = f"{one_line(axis)} = {one_line(key)}"
        head = heads[form].format(in_markdown(name) if form == "markdown" else name)
        parts.append(head + (text or (lambda value: str(written(one(value), form))))(value))
    return "\n".join(parts)


def _joined(axis: str, tables: Mapping[Any, Table]) -> Table:
    """The rows of all groups, with a first column that names the group."""
    keys = [*chain.from_iterable(repeat(key, len(table)) for key, table in tables.items())]
    first, *_ = tables.values()
    columns = [
        Column(one.name, [*chain.from_iterable(parts)], one.text, one.head, is_label=one.is_label, align=one.align)
        for one, parts in zip(
            first.data, zip(*([part.plain_values for part in one.data] for one in tables.values()), strict=True), strict=True
        )
    ]
    return Table((Column(axis, keys, one_line, is_label=True), *columns))
