"""How lists of pairs and of classes read: as text, Markdown, CSV and data frames."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from confmat.core import text
from confmat.core.escaping import csv_field, in_csv, in_markdown
from confmat.core.text import number

__all__ = [
    "chance",
    "known",
    "name",
    "number",
    "percent",
    "rough",
    "times",
    "to_csv",
    "to_markdown",
    "to_pandas",
    "to_polars",
    "to_text",
]

NAME_WIDTH = 32
DASH = "–"
# A table of more rows is abridged in print.
MOST = 60


def name(label: Any) -> str:
    """A class on one safe line of bounded width."""
    return text.fit(text.printable(label), NAME_WIDTH)


def percent(share: float) -> str:
    """A share with one decimal."""
    return DASH if share != share else f"{share:.1%}"


def rough(value: float) -> str:
    """An expected count: one decimal where it matters, two digits where it is small."""
    if value != value:
        return DASH
    if value >= 100:
        return number(round(value))
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2g}"


def times(lift: float) -> str:
    """How many times the expected."""
    if lift != lift:
        return DASH
    return f"×{lift:,.0f}" if lift >= 99.5 else f"×{lift:.1f}"


def chance(value: float) -> str:
    """A probability as people print it."""
    if value != value:
        return DASH
    if value < 0.001:
        return "<0.001"
    return f"{value:.3f}" if value < 0.9995 else "1"


def known(data: Any) -> Any:
    """Plain data with None where a number is unknown."""
    if isinstance(data, Mapping):
        return {key: known(value) for key, value in data.items()}
    return None if isinstance(data, float) and not math.isfinite(data) else data


def to_text(heads: list[str], align: str, rows: Sequence[list[str]], notes: Sequence[str]) -> str:
    """A table that lines up, and notes below it."""
    lines = text.table([heads, *rows[:MOST]], align) if rows else []
    if len(rows) > MOST:
        lines.append(f"… and {len(rows) - MOST:,} more")
    return "\n".join([*lines, *([""] if lines and notes else []), *notes])


def to_markdown(heads: list[str], align: str, rows: Sequence[list[str]], notes: Sequence[str]) -> str:
    """A pipe table of all rows, and notes below it."""
    marks = {"<": ":--", ">": "--:"}
    lines = [
        "| " + " | ".join(map(in_markdown, heads)) + " |",
        "|" + "|".join(marks[side] for side in align) + "|",
        *("| " + " | ".join(map(in_markdown, row)) + " |" for row in rows),
    ]
    return "\n".join([*lines, "", *(f"- {in_markdown(note)}" for note in notes)]).rstrip() + "\n"


def to_csv(columns: Mapping[str, list[Any]], classes: Sequence[str]) -> str:
    """Comma-separated values: `classes` names the columns that hold labels, the others hold numbers."""
    lines = [",".join(columns)]
    for row in zip(*columns.values(), strict=True):
        cells = [
            csv_field(in_csv(value)) if head in classes else "" if value != value else str(value)
            for head, value in zip(columns, row, strict=True)
        ]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def to_pandas(columns: Mapping[str, list[Any]]) -> Any:
    """A DataFrame of the columns; needs pandas."""
    return import_module("pandas").DataFrame(dict(columns))


def to_polars(columns: Mapping[str, list[Any]], classes: Sequence[str]) -> Any:
    """A DataFrame of the columns, labels as text; needs Polars."""
    data = {
        head: [text.printable(value) for value in column] if head in classes else column
        for head, column in columns.items()
    }
    return import_module("polars").DataFrame(data, strict=False)
