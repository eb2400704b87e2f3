"""What a command prints or writes: matrices, stacks and reports in every format, safe for whoever reads them."""

from __future__ import annotations

import glob
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from confmat.core.errors import InputError
from confmat.core.escaping import in_csv, in_latex, in_markdown, one_line
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.text import number, printable, rate, table
from confmat.io import to_csv, to_json, to_latex, to_markdown, to_text, write_text
from confmat.reporting import Report

__all__ = ["form_of", "inputs_of", "matrix_text", "put", "reports_text", "table_text", "top_rows"]

SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".txt": "table",
}


def form_of(
    form: str | None, output: str | None, inputs: Iterable[str] = (), inside: Iterable[str] | None = None
) -> str:
    """The format: as said, or as the suffix of the output says, or a table. No input may be the output.

    `inside` are the suffixes of the files that are read of folders; by default those of files with rows.
    """
    if output is not None and any(_is_read(Path(output), name, inside) for name in inputs if Path(output).exists()):
        msg = f"{printable(output)} is an input and would be overwritten; write to another file"
        raise InputError(msg)
    if form is not None or output is None:
        return form or "table"
    suffix = Path(output).suffix.lower()
    if suffix in {".html", ".htm"}:
        msg = f"{printable(output)}: pages are written by confmat html"
        raise InputError(msg)
    if suffix not in SUFFIXES:
        msg = (
            f"{printable(output)}: the suffix does not say which format is wanted ({' '.join(SUFFIXES)}); "
            "say it with --format"
        )
        raise InputError(msg)
    return SUFFIXES[suffix]


def _is_read(output: Path, name: str, inside: Iterable[str] | None) -> bool:
    """Whether a file is an input, or one of those that a folder or a pattern stands for."""
    path = Path(name)
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


def inputs_of(options: dict[str, Any], *files: str) -> list[str]:
    """The files that a command reads: its arguments, and those that options name."""
    named = (options.get(name) for name in ("aliases", "costs", "hierarchy"))
    return [*files, *options.get("files", ()), *(name for name in named if name is not None)]


def put(text: str, output: str | None, form: str) -> None:
    """Write to a file that appears by rename, or print; a table on a terminal is coloured."""
    if output is not None:
        write_text(text, output)
        return
    if form == "table":
        from confmat.cli.terminal import is_colourful, styled

        if is_colourful(sys.stdout):
            styled(text)
            return
    if form == "csv" and sys.stdout.isatty():
        # CSV keeps labels as they are, for files and pipes; on a terminal they could move the cursor.
        text = "\n".join(line and printable(line) for line in text.split("\n"))
    sys.stdout.write(text)
    sys.stdout.flush()


# ---- matrices ----------------------------------------------------------------------------------------------


def matrix_text(found: ConfusionMatrix | Stack, options: dict[str, Any], form: str) -> str:
    """A matrix, or each of a stack, in a format; with --normalize rates, with --top the commonest confusions.

    Both together are the commonest confusions with their shares of what --normalize says.
    """
    if options.get("top"):
        return _top_text(found, options["top"], options.get("normalize") or "actual", form)
    if options.get("normalize"):
        return _rates_text(found, options["normalize"], options["digits"], form)
    if form == "json":
        return to_json(found)
    if form == "jsonl":
        return _lines(_pairs(found))
    if isinstance(found, Stack):
        if form == "csv":
            heads = [found.axis, "actual", "predicted", "count"]
            return _csv(
                [heads, *([row["group"], row["actual"], row["predicted"], row["count"]] for row in _pairs(found))]
            )
        return _grouped(found, lambda one: _one(one, form, options.get("output")), form)
    return _one(found, form, options.get("output"))


def _one(m: ConfusionMatrix, form: str, output: str | None) -> str:
    if form == "table":
        # A file keeps everything; a screen what fits.
        return to_text(m) if output is not None else f"{m}\n"
    writers: dict[str, Callable[[ConfusionMatrix], str]] = {"csv": to_csv, "markdown": to_markdown, "latex": to_latex}
    return writers[form](m)


def _pairs(found: ConfusionMatrix | Stack) -> Iterable[dict[str, Any]]:
    for key, m in found.items() if isinstance(found, Stack) else [(None, found)]:
        for (actual, predicted), many in m.pairs().items():
            row = {"actual": _plain(actual), "predicted": _plain(predicted), "count": many}
            yield row if key is None else {"group": _plain(key), **row}


def _plain(label: Any) -> Any:
    return label if isinstance(label, (str, int, float)) else printable(label)


def _rates_text(found: ConfusionMatrix | Stack, by: Any, digits: int, form: str) -> str:
    def one(m: ConfusionMatrix) -> list[list[Any]]:
        rates = m.normalize(by).tolist()
        return [["actual\\predicted", *m.labels], *([name, *row] for name, row in zip(m.labels, rates, strict=True))]

    return _tables_text(found, one, digits, form)


def _top_text(found: ConfusionMatrix | Stack, many: int, by: str, form: str) -> str:
    return _tables_text(found, lambda m: top_rows(m, many, by), 3, form)


def top_rows(m: ConfusionMatrix, many: int, by: str) -> list[list[Any]]:
    """The most frequent confusions with their shares of the actual class, the predicted one or of all; heads first."""
    wrong = [(pair, count) for pair, count in m.pairs().items() if pair[0] != pair[1]]
    wrong.sort(key=lambda item: -item[1])
    totals = {"actual": m.actual_totals, "predicted": m.predicted_totals}
    of = dict(zip(m.labels, totals[by].tolist(), strict=True)) if by in totals else {}
    side = 1 if by == "predicted" else 0
    rows = [[*pair, count, count / of.get(pair[side], m.total)] for pair, count in wrong[:many]]
    return [["actual", "predicted", "count", f"share of {by}"], *rows]


def _tables_text(
    found: ConfusionMatrix | Stack, one: Callable[[ConfusionMatrix], list[list[Any]]], digits: int, form: str
) -> str:
    """Tables of labels and numbers, one of a matrix or of each group."""
    if form in {"json", "jsonl"}:
        groups = found.items() if isinstance(found, Stack) else [(None, found)]
        records = []
        for key, m in groups:
            heads, *rows = one(m)
            for row in rows:
                record = {printable(head): _known(value) for head, value in zip(heads, row, strict=True)}
                records.append(record if key is None else {"group": _plain(key), **record})
        return _lines(records) if form == "jsonl" else json.dumps(records, indent=1) + "\n"
    if isinstance(found, Stack):
        return _grouped(found, lambda m: table_text(one(m), digits, form), form)
    return table_text(one(found), digits, form)


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else _plain(value)


def table_text(rows: list[list[Any]], digits: int, form: str) -> str:
    """A table, its first row the header, as text, CSV, Markdown or LaTeX."""

    def cell(value: Any) -> str:
        if isinstance(value, float):
            return rate(value, digits)
        return number(value) if isinstance(value, int) and not isinstance(value, bool) else one_line(value)

    if form == "csv":
        return _csv([["" if isinstance(value, float) and value != value else value for value in row] for row in rows])
    shown = [[*map(one_line, rows[0])], *([cell(value) for value in row] for row in rows[1:])]
    right = [bool(rows[1:]) and all(isinstance(row[i], (int, float)) for row in rows[1:]) for i in range(len(rows[0]))]
    if form == "latex":
        lines = [" & ".join(map(in_latex, row)) + r" \\" for row in shown]
        columns = "".join("r" if one else "l" for one in right)
        body = ["\\toprule", lines[0], "\\midrule", *lines[1:], "\\bottomrule"]
        return "\n".join([f"\\begin{{tabular}}{{{columns}}}", *body, "\\end{tabular}"]) + "\n"
    if form == "markdown":
        lines = ["| " + " | ".join(map(in_markdown, row)) + " |" for row in shown]
        return "\n".join([lines[0], "|" + "".join("--:|" if one else ":--|" for one in right), *lines[1:]]) + "\n"
    return "\n".join(table(shown, "".join(">" if one else "<" for one in right))) + "\n"


def _csv(rows: Iterable[Iterable[Any]]) -> str:
    """Comma-separated values; text that a spreadsheet would run as a formula gets an apostrophe in front."""
    import csv
    import io

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for row in rows:
        writer.writerow(
            [value if isinstance(value, (int, float)) else in_csv(value, spreadsheet=True) for value in row]
        )
    return stream.getvalue()


def _lines(records: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


# ---- groups and reports ------------------------------------------------------------------------------------


def _grouped(stack: Any, one: Callable[[Any], str], form: str, axis: str | None = None) -> str:
    """Each group under a heading of its own."""
    axis = stack.axis if axis is None else axis
    parts = []
    for key, value in stack.items():
        name = f"{one_line(axis)} = {one_line(key)}"
        heads = {"markdown": f"### {in_markdown(name)}\n\n", "latex": f"% {name}\n", "table": f"{name}\n\n"}
        parts.append(heads.get(form, "") + one(value))
    return "\n".join(parts)


def reports_text(reports: Report | dict[Any, Report], axis: str, form: str) -> str:
    """A report, or one for each group, in a format."""
    if isinstance(reports, Report):
        return _report(reports, form)
    if form == "json":
        data = {"format": "confmat.reports", "version": 1, "axis": axis}
        parts = [{"key": _plain(key), "report": json.loads(to_json(one))} for key, one in reports.items()]
        return json.dumps(data | {"reports": parts}, indent=1) + "\n"
    if form == "jsonl":
        return _lines({"group": _plain(key), **row} for key, one in reports.items() for row in _rows(one))
    if form == "csv":
        texts = [[f"{_csv([[key]])[:-1]},{line}" for line in one.to_csv().splitlines()] for key, one in reports.items()]
        first = next(iter(reports.values())).to_csv().splitlines()[0]
        return "\n".join([f"{_csv([[axis]])[:-1]},{first}", *(line for lines in texts for line in lines[1:])]) + "\n"
    return _grouped(reports, lambda one: _report(one, form), form, axis)


def _report(report: Report, form: str) -> str:
    writers: dict[str, Callable[[Report], str]] = {
        "table": lambda one: f"{one}\n",
        "json": to_json,
        "jsonl": lambda one: _lines(_rows(one)),
        "csv": lambda one: one.to_csv(),
        "markdown": lambda one: one.to_markdown(),
        "latex": lambda one: one.to_latex(),
    }
    text = writers[form](report)
    return text if text.endswith("\n") else text + "\n"


def _rows(report: Report) -> Iterable[dict[str, Any]]:
    """A report as records: classes, averages, and the scores of the whole matrix."""
    data = report.to_dict()
    for kind, part in (("class", data["classes"]), ("average", data["averages"])):
        for name, values in part.items():
            yield {"row": kind, "name": _plain(name), **values}
    for name, value in data["overall"].items():
        yield {"row": "overall", "name": name, "value": value}
