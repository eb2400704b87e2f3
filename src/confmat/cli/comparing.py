"""What `confmat compare` does: reads matrices, or counts columns of answers, compares them, and writes the findings."""

from __future__ import annotations

import json
from typing import Any

from confmat.cli.free_answers import rules_of, said
from confmat.cli.reading import is_stored, names_of, no_columns, stored
from confmat.cli.related import chosen, own_metrics, rolled
from confmat.cli.settling import delimiter_of
from confmat.cli.terminal import Working
from confmat.cli.writing import table_text
from confmat.comparison import Comparison, compare
from confmat.comparison.door import METRICS
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.text import printable
from confmat.io.models import compare_files

__all__ = ["compared", "written"]


def compared(options: dict[str, Any]) -> Comparison:
    """Compare columns of answers where they are named, and files that hold a matrix each otherwise."""
    with Working("comparing", quiet=options["quiet"]):
        found = _compared(options)
    said(options)
    return found


def _compared(options: dict[str, Any]) -> Comparison:
    if options["predictions"]:
        return _of_columns(options)
    return compare(_matrices(options), metrics=_metrics(options), level=options["level"], same_items=options["same"])


def _metrics(options: dict[str, Any]) -> list[Any]:
    """What is compared: the scores asked for, or the usual ones and those that a hierarchy and costs give."""
    return chosen(options["metrics"], options) or [*METRICS, *own_metrics(options).values()]


def _of_columns(options: dict[str, Any]) -> Comparison:
    if options["names"] or options["same"] is not None:
        msg = "--names and --same-items are for stored matrices; name columns as -p NAME=COLUMN"
        raise InputError(msg)
    if options["actual"] is None:
        msg = "name the column of actual labels too: --actual COLUMN"
        raise InputError(msg)
    if options["roll_up"] is not None:
        msg = "--roll-up is for stored matrices; count each column with --roll-up first"
        raise InputError(msg)
    columns: dict[str, str] = {}
    for text in options["predictions"]:
        name, equals, column = text.partition("=")
        key = name if equals else text
        if key in columns:
            msg = f"two models are called {printable(key)}; name them apart: -p NAME=COLUMN"
            raise InputError(msg)
        columns[key] = column if equals else text
    kind = options["kind"]
    return compare_files(
        list(options["files"]),
        actual=options["actual"],
        predictions=columns,
        metrics=_metrics(options),
        level=options["level"],
        weights=options["weight"],
        labels=options["labels"],
        missing=options["missing"],
        other=options["other"],
        na_values=options["na_values"],
        normalise=rules_of(options),
        format=None if kind == "matrix" else kind,
        delimiter=delimiter_of(options),
        memory_limit=options["memory"],
        threads=options["threads"],
    )


def _matrices(options: dict[str, Any]) -> dict[str, ConfusionMatrix | Stack] | Stack:
    files = options["files"]
    rows = [name for name in files if not is_stored(name, options["kind"])]
    if rows:
        msg = (
            f"{printable(rows[0])} holds rows; name the columns of actual labels and of each model's answers: "
            "--actual y --predicted old --predicted new"
        )
        raise InputError(msg)
    no_columns(options, printable(files[0]))
    found = [rolled(stored(name, options), options) for name in files]
    if len(found) == 1 and isinstance(found[0], Stack):
        return found[0]
    parts: dict[str, ConfusionMatrix | Stack] = {}
    for name, file, m in zip(names_of(options), files, found, strict=True):
        if not isinstance(m, (ConfusionMatrix, Stack)):
            msg = (
                f"{printable(file)} holds no counts; compare files that hold a matrix each, or a stack of clusters each"
            )
            raise InputError(msg)
        parts[name] = m
    return parts


def written(found: Comparison, options: dict[str, Any], form: str) -> str:
    """The comparison in a format: whole, class by class, or cell by cell."""
    if options["classes"]:
        return _as(form, [one.to_dict() for one in found.classes(options["classes"])], _DIFFERENCE)
    if options["cells"]:
        rows = [_counted(vars(cell)) for cell in found.cells(options["cells"])]
        return _as(form, rows, ("actual", "predicted", "first", "second", "change", "share", "p_value", "adjusted"))
    if form == "table":
        return f"{found}\n"
    if form in {"json", "jsonl"}:
        return json.dumps(found.to_dict(), indent=1 if form == "json" else None, default=printable) + "\n"
    return _as(form, [one.to_dict() for one in found.differences], _DIFFERENCE)


def _counted(row: dict[str, Any]) -> dict[str, Any]:
    """Counts of items as integers."""
    whole = ("first", "second", "change")
    return {key: int(value) if key in whole and value == int(value) else value for key, value in row.items()}


_DIFFERENCE = ("score", "first", "second", "difference", "low", "high", "p_low", "p_high", "adjusted", "verdict")


def _as(form: str, rows: list[dict[str, Any]], heads: tuple[str, ...]) -> str:
    if form == "jsonl":
        return "".join(json.dumps(_plain(row)) + "\n" for row in rows)
    if form == "json":
        return json.dumps([_plain(row) for row in rows], indent=1) + "\n"
    return table_text([list(heads), *([_number(row[head]) for head in heads] for row in rows)], 3, form)


def _number(value: Any) -> Any:
    return float("nan") if value is None else value


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, float) and value != value:
            return None
        return value if isinstance(value, (str, int, float, list)) or value is None else printable(value)

    return {key: plain(value) for key, value in row.items()}
