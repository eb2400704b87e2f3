"""Output: matrices, stacks, reports and tables in every format, printed or written, safe for whoever reads them."""

from __future__ import annotations

import glob
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confmat.cli.settings import Look, Output
from confmat.cli.terminal import is_colorful, styled
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.tables import FORMATS, Column, Table, Tabular, format_named, json_text, to_plain
from confmat.core.text import POORLY, in_markdown, isolated, number, one_line, printable, rate, room
from confmat.io import to_json, to_text, write_text

if TYPE_CHECKING:
    from confmat.reporting import Report

Reports = Mapping[Any, "Report"]
# Formats whose rows are lines, so that groups can stand one after the other.
LINES = {"csv", "tsv", "jsonl"}


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
    if path == "-":
        msg = "-o names a file; without it, the answer goes to standard output"
        raise InputError(msg)
    if any(_is_read(Path(path), name, inside) for name in inputs):
        msg = f"{printable(path)} is an input and would be overwritten; write to another file"
        raise InputError(msg)


def _is_read(output: Path, name: str, inside: Iterable[str] | None) -> bool:
    """Whether a file is an input, or one of those that a folder or a pattern stands for."""
    path = Path(name)
    if path.resolve() == output.resolve():
        # Also a checkpoint that is yet to come.
        return True
    if not output.exists():
        return False
    if path.is_dir():
        from confmat.io import sources

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
        write_text(text, output.path)
        return
    if isinstance(text, bytes):
        if sys.stdout.isatty():
            msg = f"--format {form} makes a file that no terminal shows; name one with -o"
            raise InputError(msg)
        sys.stdout.buffer.write(text)
        return
    if form == "table" and hasattr(sys.stdout, "reconfigure"):
        # The frame of a table is to be looked at, whatever the encoding; labels that it lacks stay escapes.
        sys.stdout.reconfigure(errors=POORLY)
    if form == "table" and is_colorful(sys.stdout):
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

    return Table(tuple(column(place, head) for place, head in enumerate(heads)), shown=(len(rows), len(rows), 0))


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return rate(value, digits)
    return number(value) if isinstance(value, int) and not isinstance(value, bool) else one_line(value)


def put_table(value: Tabular | Table, output: Output, form: str, data: Any = None) -> None:
    """Write or print a result as text, as its stored form in JSON, or as its table in any other format.

    `data` stands in JSON instead, and in JSON lines instead of the rows: a list has one line for each of its records.
    """
    put(_text_of(value, form, data), output, form)


def _text_of(value: Tabular | Table, form: str, data: Any = None) -> str | bytes:
    if form == "table":
        return f"{value}\n"
    table = value if isinstance(value, Table) else value.table()
    if form == "json" and data is None:
        data = [*table.records()] if isinstance(value, Table) else value.to_dict()  # type: ignore[attr-defined]
    if form == "json" or (form == "jsonl" and data is not None):
        records = data if form == "jsonl" and isinstance(data, list) else [data]
        return "".join(json_text(one, 1 if form == "json" else None) for one in records)
    text: str | bytes = format_named(form).write(table)
    return text


def _text_of_groups(
    axis: str, values: Mapping[Any, Any], table: Callable[[Any], Table], text: Callable[[Any], str], form: str
) -> str | bytes:
    """Return groups in a format: each under a heading of its own, or all in one table with a column of groups."""
    heads = {"markdown": "### {}\n\n", "latex": "% {}\n", "table": "{}\n\n"}
    if form not in heads:
        named = "group" if form in {"json", "jsonl"} else axis
        tables = {key: table(value) for key, value in values.items()}
        if form not in LINES:
            return _text_of(_joined(named, tables), form)
        # The scores of the whole matrix stand below the classes of its group.
        lines = [str(_text_of(_joined(named, {key: one}), form)) for key, one in tables.items()]
        head = str(_text_of(_joined(named, tables, rows=False), form))
        return head + "".join(one.removeprefix(head) for one in lines)
    parts = []
    for key, value in values.items():
        name = f"{one_line(axis)} = {one_line(key)}"
        head = heads[form].format(in_markdown(name) if form == "markdown" else name)
        parts.append(head + text(value))
    return "\n".join(parts)


def _joined(axis: str, tables: Mapping[Any, Table], *, rows: bool = True) -> Table:
    """Return the rows of all groups, or none, with a first column that names the group; summaries are joined alike."""
    first, *_ = tables.values()
    keys = [key for key, table in tables.items() for _ in range(len(table) if rows else 0)]
    columns = [Column(axis, keys, one_line, is_label=True)]
    for place, one in enumerate(first.data):
        values = [*chain.from_iterable(table.data[place].plain_values for table in tables.values())] if rows else []
        columns.append(replace(one, values=values, shade=None))
    summaries = {key: table.summary for key, table in tables.items() if table.summary is not None}
    return Table(tuple(columns), summary=_joined(axis, summaries, rows=rows) if summaries else None)


# ---- matrices ----------------------------------------------------------------------------------------------


def put_matrix(value: ConfusionMatrix | Stack, output: Output, form: str, look: Look | None = None) -> None:
    """Write or print a matrix, or each of a stack: counts, with --normalize rates, with --top the confusions.

    Both together are the confusions with their shares of what --normalize says.
    """
    look = look or Look()
    if draw(value, output, form, look):
        return
    put(_text_of_matrix(value, output, form, look), output, form)


def _text_of_matrix(value: ConfusionMatrix | Stack, output: Output, form: str, look: Look) -> str | bytes:
    plain = not look.top and not look.normalize
    if plain and form == "json":
        return to_json(value)
    if plain and (form == "jsonl" or (form not in {"table", "markdown", "latex"} and isinstance(value, Stack))):
        parts = dict(value.items()) if isinstance(value, Stack) else {None: value}
        tables = {key: _pairs(m) for key, m in parts.items()}
        joined = (
            _joined("group" if form == "jsonl" else value.axis, tables) if isinstance(value, Stack) else tables[None]
        )
        return _text_of(joined, form)

    def text(m: ConfusionMatrix) -> str:
        if plain and form == "table":
            # A file keeps everything; a screen what fits.
            return to_text(m) if output.path is not None else f"{m}\n"
        return str(_text_of(_table_of_matrix(m, look), form))

    if isinstance(value, Stack):
        return _text_of_groups(value.axis, dict(value.items()), lambda m: _table_of_matrix(m, look), text, form)
    return text(value) if form in {"table", "json"} else _text_of(_table_of_matrix(value, look), form)


def _table_of_matrix(m: ConfusionMatrix, look: Look) -> Table:
    """The table of counts, rates or confusions."""
    if look.top:
        heads, *rows = _confusions(m, look.top, look.normalize or "actual")
        return table_of(heads, rows)
    if look.normalize:
        rates: list[list[float]] = m.normalize(look.normalize).tolist()  # type: ignore[arg-type]
        rows = [[name, *row] for name, row in zip(m.labels, rates, strict=True)]
        return table_of(["actual\\predicted", *m.labels], rows, look.digits)
    return m.table()


def _pairs(m: ConfusionMatrix) -> Table:
    return table_of(["actual", "predicted", "count"], [[*pair, count] for pair, count in m.pairs().items()])


def _confusions(m: ConfusionMatrix, most: int, by: str) -> list[list[Any]]:
    """The most frequent confusions with their shares of the actual class, the predicted one or of all; heads first."""
    wrong = [(pair, count) for pair, count in m.pairs().items() if pair[0] != pair[1]]
    wrong.sort(key=lambda item: -item[1])
    totals = {"actual": m.actual_totals, "predicted": m.predicted_totals}
    of = dict(zip(m.labels, totals[by].tolist(), strict=True)) if by in totals else {}
    side = 1 if by == "predicted" else 0
    rows = [[*pair, count, count / of.get(pair[side], m.total)] for pair, count in wrong[:most]]
    return [["actual", "predicted", "count", f"share of {by}"], *rows]


def label_of(m: ConfusionMatrix, text: str) -> Any:
    """Return the class that is written like this: 3 is the number 3 where classes are numbers."""
    return next((name for name in m.labels.classes if printable(name) == text), text)


# ---- reports -----------------------------------------------------------------------------------------------


def put_reports(reports: Report | Reports, axis: str, output: Output, form: str, below: str = "") -> None:
    """Write or print a report, or one for each group; `below` is text that stands below them."""
    if draw(reports, output, form, Look(), axis):
        if below:
            put(below, output, form)
        return
    text = _text_of_reports(reports, axis, form)
    put(text if isinstance(text, bytes) else text + below, output, form)


def _text_of_reports(reports: Report | Reports, axis: str, form: str) -> str | bytes:
    if not isinstance(reports, Mapping):
        return to_json(reports) if form == "json" else _text_of(reports, form)
    if form == "json":
        data = {"format": "confmat.reports", "version": 1, "axis": axis}
        parts = [{"key": to_plain(key), "report": json.loads(to_json(one))} for key, one in reports.items()]
        return json_text(data | {"reports": parts})
    return _text_of_groups(axis, reports, lambda one: one.table(), lambda one: str(_text_of(one, form)), form)


# ---- on a terminal -----------------------------------------------------------------------------------------


def draw(value: Any, output: Output, form: str, look: Look, axis: str = "") -> bool:
    """Print a matrix, a report or each of several with shades; return False where a text without says the same.

    Without colours, only what no text shows is drawn: another order, one class, the largest classes.
    """
    if form != "table" or output.path is not None:
        return False
    colored = is_colorful(sys.stdout)
    if not colored and not (look.order or look.of or look.fold):
        return False
    parts = [("", value)]
    if isinstance(value, Mapping):
        name = printable(getattr(value, "axis", axis))
        parts = [(f"{name} = {printable(key)}", one) for key, one in value.items()]
    for place, (title, one) in enumerate(parts):
        if title:
            sys.stdout.write(("\n" if place else "") + isolated(title) + "\n\n")
        _draw(one, look, output.theme, colored=colored)
    sys.stdout.flush()
    return True


def _draw(value: Any, look: Look, theme: Any, *, colored: bool) -> None:
    from confmat.display.terminal import put as put_lines
    from confmat.display.terminal import show
    from confmat.display.terminal_layout import list_lines

    if not isinstance(value, ConfusionMatrix):
        show(value, color=colored, theme=theme)
    elif look.top:
        heads, *rows = _confusions(value, look.top, look.normalize or "actual")
        texts = [[printable(row[0]), printable(row[1]), number(row[2]), f"{row[3]:.1%}"] for row in rows]
        put_lines(list_lines(heads, "<<>>", texts, [], room()), sys.stdout, colored=colored)
    else:
        show(
            value,
            normalize=look.normalize,  # type: ignore[arg-type]
            order=look.order,
            top=look.fold,
            of=label_of(value, look.of) if look.of else None,
            color=colored,
            theme=theme,
        )
