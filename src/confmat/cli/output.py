"""Output: matrices, stacks, reports and tables in every format, printed or written, safe for whoever reads them."""

from __future__ import annotations

import glob
import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confmat.cli.settings import Output
from confmat.cli.terminal import is_colorful, styled
from confmat.core.errors import InputError
from confmat.core.formats import FORMATS, format_named, json_text
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import OTHER_SIDE, axis_named
from confmat.core.seals import seal_text
from confmat.core.stack import Stack
from confmat.core.tables import Column, Table, Tabular, joined, to_plain
from confmat.core.text import POORLY, in_markdown, isolated, number, one_line, printable, rate, room
from confmat.io import to_json, to_text, write_text, written

if TYPE_CHECKING:
    from confmat.reporting import Report

Reports = Mapping[Any, "Report"]
# Formats whose rows are lines, so that groups can follow each other.
LINES = {"csv", "tsv", "jsonl"}
# Formats in which each group has a heading of its own.
HEADS = {"markdown": "### {}\n\n", "latex": "% {}\n", "table": "{}\n\n"}


# The form of a page, which -o alone asks for.
PAGE = "page"


def settle_form(
    output: Output,
    inputs: Iterable[str] = (),
    inside: Iterable[str] | None = None,
    *,
    has_page: bool = False,
) -> None:
    """Settle the format (--format, suffix of -o, or a table); refuse to overwrite an input.

    `inside` are the suffixes of the files that are read of folders; by default those of files with
    rows. A result that `has_page` is written as one.
    """
    path = output.path
    if path is not None:
        refuse_inputs(path, inputs, inside)
    if output.form or path is None:
        output.form = output.form or "table"
        return
    suffix = Path(path).suffix.lower()
    if has_page and suffix in FORMATS["html"].suffixes:
        output.form = PAGE
        return
    if suffix in FORMATS["html"].suffixes:
        msg = f"{printable(path)}: pages are written by confmat html"
        raise InputError(msg)
    known = {suffix: form.name for form in FORMATS.values() for suffix in form.suffixes}
    if suffix not in known:
        msg = (
            f"{printable(path)}: the suffix does not say which format is wanted ({' '.join(known)}); say it with "
            "--format"
        )
        raise InputError(msg)
    output.form = "table" if known[suffix] == "text" else known[suffix]


def refuse_inputs(path: str, inputs: Iterable[str], inside: Iterable[str] | None = None) -> None:
    """Complain if a file to write is one of those that are read."""
    if path == "-":
        msg = "-o names a file; without it, the answer goes to standard output"
        raise InputError(msg)
    if any(_is_read(Path(path), name, inside) for name in inputs):
        msg = f"{printable(path)} is an input and would be overwritten; write to another file"
        raise InputError(msg)


def _is_read(output: Path, name: str, inside: Iterable[str] | None) -> bool:
    """Whether a file is an input, or one of those that a folder or a pattern names."""
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
    whole = [name] if path.exists() else glob.iglob(name, recursive=True)  # noqa: PTH207 - absolute or not
    return any(output.samefile(file) for file in whole)


def put(text: str | bytes, output: Output) -> None:
    """Write to a file that appears by rename, or print; a table on a terminal is coloured."""
    output.check_use()
    if output.path is not None:
        write_text(text, output.path)
    elif isinstance(text, str):
        _print(text, output.form)
    elif sys.stdout.isatty():
        msg = f"--format {output.form} makes a file that no terminal shows; name one with -o"
        raise InputError(msg)
    else:
        sys.stdout.buffer.write(text)


def _print(text: str, form: str | None) -> None:
    if form == "table" and hasattr(sys.stdout, "reconfigure"):
        # The frame of a table is to be looked at, whatever the encoding; labels that it lacks stay
        # escapes.
        sys.stdout.reconfigure(errors=POORLY)
    if form == "table" and is_colorful(sys.stdout):
        styled(text)
        return
    if form in {"csv", "tsv"} and sys.stdout.isatty():
        # CSV keeps labels as they are, for files and pipes; on a terminal they could move the
        # cursor.
        text = "\n".join(line and printable(line) for line in text.split("\n"))
    sys.stdout.write(text)
    sys.stdout.flush()


# ---- tables --------------------------------------------------------------------------------------


def table_of(heads: Sequence[Any], rows: Sequence[Sequence[Any]], digits: int = 3) -> Table:
    """Return a table of rows; columns of numbers are on the right."""

    def column(place: int, head: Any) -> Column:
        values = [row[place] for row in rows]
        is_number = bool(rows) and all(isinstance(value, (int, float)) for value in values)
        text, side = partial(_cell, digits=digits), ">" if is_number else "<"
        return Column(head, values, text, one_line(head), is_label=not is_number, align=side)  # type: ignore[arg-type]

    return Table(
        tuple(column(place, head) for place, head in enumerate(heads)),
        shown=(len(rows), len(rows), 0),
    )


def known_alone(table: Table, names: Collection[str]) -> Table:
    """The same table, with the columns of these names left to programs where nothing is known in them."""
    unknown = {
        column.name
        for column in table.columns
        if column.name in names and all(map(math.isnan, column.values))
    }
    return replace(
        table,
        columns=tuple(
            replace(column, head=None) if column.name in unknown else column
            for column in table.columns
        ),
    )


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return rate(value, digits)
    return (
        number(value) if isinstance(value, int) and not isinstance(value, bool) else one_line(value)
    )


def put_table(value: Tabular, output: Output, data: Any = None) -> None:
    """Write or print a result as text, as its stored form in JSON, or as its table in any other format.

    `data` takes its place in JSON, and that of the rows in JSON lines: a list has one line for each
    of its records.
    """
    if output.form == PAGE:
        _put_page(value, output)
    else:
        put(_text_of(value, output.form, data), output)


def _put_page(value: Any, output: Output) -> None:
    """Write the page of a result, or of several by name."""
    from confmat.pages import html

    output.check_use()
    html(value, str(output.path))


def _text_of(value: Tabular, form: str, data: Any = None) -> str | bytes:
    if form == "table":
        return f"{value}\n"
    if form == "json":
        if data is None and not isinstance(value, Table):
            return written(value, form)
        return json_text([*value.table().records()] if data is None else data, 1)
    if form == "jsonl" and data is not None:
        records = data if isinstance(data, list) else [data]
        return "".join(json_text(record, None) for record in records)
    text: str | bytes = format_named(form).write(value.table())
    return text


def put_groups(axis: str, values: Mapping[Any, Tabular], output: Output) -> None:
    """Write or print the result of each group."""
    form = output.form
    if form == PAGE:
        _put_page(values, output)
        return
    put(
        _text_of_groups(
            axis,
            values,
            lambda value: value.table(),
            lambda value: str(_text_of(value, form)),
            form,
        ),
        output,
    )


def _text_of_groups(
    axis: str,
    values: Mapping[Any, Any],
    table: Callable[[Any], Table],
    text: Callable[[Any], str],
    form: str,
) -> str | bytes:
    """Return groups in a format: each under a heading of its own, or all in one table with a column of groups."""
    if form not in HEADS:
        named = "group" if form in {"json", "jsonl"} else axis
        tables = {key: table(value) for key, value in values.items()}
        if form not in LINES:
            return _text_of(joined(named, tables), form)
        # The scores of the whole matrix are below the classes of its group.
        lines = [str(_text_of(joined(named, {key: table}), form)) for key, table in tables.items()]
        head = str(_text_of(joined(named, tables, rows=False), form))
        return head + "".join(line.removeprefix(head) for line in lines)
    parts = []
    for key, value in values.items():
        name = f"{one_line(axis)} = {one_line(key)}"
        head = HEADS[form].format(in_markdown(name) if form == "markdown" else name)
        parts.append(head + text(value))
    return "\n".join(parts)


# ---- matrices ------------------------------------------------------------------------------------


def put_matrix(value: ConfusionMatrix | Stack, output: Output) -> None:
    """Write or print a matrix, or each of a stack: counts, with --normalize rates, with --top the confusions.

    Both together are the confusions with their shares of what --normalize says.
    """
    if not draw(value, output):
        text = _text_of_matrix(value, output)
        is_stored = output.path is not None and not (output.top or output.normalize)
        if is_stored and isinstance(value, ConfusionMatrix) and isinstance(text, str):
            text = seal_text(text, value, "text" if output.form == "table" else output.form)
        put(text, output)


def _text_of_matrix(value: ConfusionMatrix | Stack, output: Output) -> str | bytes:
    form, plain = output.form, not output.top and not output.normalize
    if plain and form == "json":
        return _text_of(value, form)
    # The tables of a stack would have columns for their own classes each.
    of_pairs = plain and (form == "jsonl" or (isinstance(value, Stack) and form not in HEADS))

    def table(m: ConfusionMatrix) -> Table:
        return _pairs(m) if of_pairs else _table_of_matrix(m, output)

    def text(m: ConfusionMatrix) -> str:
        if plain and form == "table":
            # A file keeps everything; a screen what fits.
            return to_text(m, rows=output.write_rows) if output.path is not None else f"{m}\n"
        return str(_text_of(table(m), form))

    if isinstance(value, Stack):
        return _text_of_groups(value.axis, value, table, text, form)
    return text(value) if form == "table" else _text_of(table(value), form)


def _table_of_matrix(m: ConfusionMatrix, output: Output) -> Table:
    """The table of counts, rates or confusions."""
    if output.top:
        heads, *rows = _confusions(m, output.top, output.normalize or "actual")
        return table_of(heads, rows)
    side = output.write_rows
    if output.normalize:
        rates = m.normalize(axis_named("normalize", output.normalize, side))
        shown = rates if side == "actual" else rates.T
        rows = [[name, *row] for name, row in zip(m.labels, shown.tolist(), strict=True)]
        return table_of([f"{side}\\{OTHER_SIDE[side]}", *m.labels], rows, output.rounding)
    return m.table(rows=side)


def _pairs(m: ConfusionMatrix) -> Table:
    return table_of(
        ["actual", "predicted", "count"], [[*pair, count] for pair, count in m.pairs().items()]
    )


def _confusions(m: ConfusionMatrix, most: int, by: str) -> list[list[Any]]:
    """The most frequent confusions with their shares of the actual class, the predicted one or of all; heads first."""
    by = axis_named("normalize", by)
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


# ---- reports -------------------------------------------------------------------------------------


def put_reports(
    reports: Report | Reports, axis: str, output: Output, below: str = "", above: str = ""
) -> None:
    """Write or print a report, or one for each group; `above` and `below` are texts around them."""
    if above and output.path is None:
        put(above, output)
        above = ""
    if draw(reports, output, axis):
        text: str | bytes = ""
    elif isinstance(reports, Mapping):
        text = _text_of_reports(reports, axis, output.form)
    else:
        text = _text_of(reports, output.form)
    if text or below:
        put(text if isinstance(text, bytes) else above + text + below, output)


def _text_of_reports(reports: Reports, axis: str, form: str) -> str | bytes:
    if form == "json":
        data = {"format": "confmat.reports", "version": 1, "axis": axis}
        parts = [
            {"key": to_plain(key), "report": json.loads(to_json(report))}
            for key, report in reports.items()
        ]
        return json_text(data | {"reports": parts})
    return _text_of_groups(
        axis,
        reports,
        lambda report: report.table(),
        lambda report: str(_text_of(report, form)),
        form,
    )


# ---- on a terminal -------------------------------------------------------------------------------


def draw(value: Any, output: Output, axis: str = "") -> bool:
    """Print a matrix, a report or each of several with shades; return False where a text without says the same.

    Without colours, only what no text shows is drawn: another order, one class, the largest
    classes.
    """
    _check_turned(value, output)
    colored = is_colorful(sys.stdout)
    if output.form != "table" or output.path is not None or not (colored or _is_drawn(output)):
        return False
    parts = {"": value}
    if isinstance(value, Mapping):
        name = printable(getattr(value, "axis", axis))
        parts = {
            f"{isolated(f'{name} = {printable(key)}')}\n\n": part for key, part in value.items()
        }
    drawings = {title: _drawing(part, output, colored=colored) for title, part in parts.items()}
    output.check_use()
    for place, (title, drawing) in enumerate(drawings.items()):
        sys.stdout.write("\n" * (place > 0) + title)
        drawing()
    sys.stdout.flush()
    return True


def _check_turned(value: Any, output: Output) -> None:
    """Refuse predicted classes in rows where there is no square table."""
    as_lists = output.form in {"json", "jsonl"} or (
        isinstance(value, Stack) and output.form not in HEADS
    )
    if output.write_rows != "actual" and (output.top or as_lists):
        msg = "--write-rows is for square tables, and neither for lists nor for JSON"
        raise InputError(msg)


def _is_drawn(output: Output) -> bool:
    """Whether something is asked for that no text without shades shows."""
    turned = output.write_rows != "actual" and not output.peek("normalize")
    return turned or any(map(output.peek, ("order", "of", "fold")))


def _drawing(value: Any, output: Output, *, colored: bool) -> Callable[[], None]:
    """Return what draws a value; all settings are read before."""
    from confmat.display.terminal import put as put_lines
    from confmat.display.terminal import show
    from confmat.display.terminal_layout import list_lines

    theme: Any = output.theme
    if not isinstance(value, ConfusionMatrix):
        return partial(show, value, color=colored, theme=theme)
    if output.top:
        heads, *rows = _confusions(value, output.top, output.normalize or "actual")
        texts = [
            [printable(row[0]), printable(row[1]), number(row[2]), f"{row[3]:.1%}"] for row in rows
        ]
        return partial(
            put_lines, list_lines(heads, "<<>>", texts, [], room()), sys.stdout, colored=colored
        )
    return partial(
        show,
        value,
        normalize=output.normalize or "auto",  # type: ignore[arg-type]
        rows=output.write_rows,
        order=output.order,
        top=output.fold,
        of=label_of(value, output.of) if output.of else None,
        digits=output.digits if output.normalize and "digits" in output.given else None,
        color=colored,
        theme=theme,
    )
