"""Samples: examples of cells as rows of safe text for the page, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from confmat.counting.examples import Examples
from confmat.errors import InputError
from confmat.labels import Labels
from confmat.matrix import ConfusionMatrix
from confmat.text import number, printable

__all__ = ["sampled"]

# What the page carries: so many examples of one cell, so much text of one field and of all.
MOST_OF_A_CELL, LONGEST_FIELD, MOST_TEXT = 20, 2_000, 4_000_000


def sampled(examples: Any, m: ConfusionMatrix) -> tuple[dict[str, Any] | None, str]:
    """Examples by the positions of their cell, and what there is to say of those left out.

    `examples` maps (actual, predicted) to examples; one is a text, a tuple of fields or a mapping of names to fields.
    """
    if examples is None:
        return None, ""
    if isinstance(examples, Examples):
        examples = examples.fitted(m)
    if not isinstance(examples, Mapping):
        msg = f"`examples` map (actual, predicted) to a list of examples; {type(examples).__name__} is no mapping"
        raise InputError(msg)
    columns: list[str] = [printable(one) for one in getattr(examples, "columns", None) or ()]
    found: dict[str, Any] = {}
    room, left_out = MOST_TEXT, 0
    for place, seen, rows in _cells(examples, m.labels):
        lines = [_fields(row, columns) for row in rows]
        size = sum(len(field) for line in lines for field in line)
        if size > room:
            left_out += 1
            continue
        room -= size
        found[place] = {"seen": seen, "rows": lines}
    for cell in found.values():
        cell["rows"] = [line + [""] * (len(columns) - len(line)) for line in cell["rows"]]
    note = f"examples of {number(left_out)} cells are left out, since the page would grow too large"
    return {"columns": columns, "cells": found}, note if left_out else ""


def _cells(examples: Mapping[Any, Any], labels: Labels) -> Iterator[tuple[str, int, list[Any]]]:
    """Per cell: its key on the page, how many examples there were, those that are shown."""
    seen_by = getattr(examples, "seen", None)
    for pair, given in examples.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            msg = f"a key of `examples` is a tuple (actual, predicted), not {pair!r:.60}"
            raise InputError(msg)
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            msg = f"the examples of {pair!r:.60} are a list, not {given!r:.60}"
            raise InputError(msg)
        rows = list(given)
        seen = len(rows)
        if isinstance(seen_by, Mapping):
            seen = int(seen_by.get(pair, seen))
        if rows:
            yield f"{labels.index(pair[0])},{labels.index(pair[1])}", seen, rows[:MOST_OF_A_CELL]


def _fields(row: Any, columns: list[str]) -> list[str]:
    """One example as texts, one per column; columns that are new are added."""
    if isinstance(row, Mapping):
        named = {printable(key): value for key, value in row.items()}
        columns += [key for key in named if key not in columns]
        return [_text(named.get(column, "")) for column in columns]
    parts = list(row) if isinstance(row, (tuple, list)) else [row]
    if len(parts) > 1 or columns:
        columns += [str(place + 1) for place in range(len(columns), len(parts))]
    return [_text(part) for part in parts]


def _text(value: Any) -> str:
    """A field as safe text; its lines stay lines."""
    text = "" if value is None else value if isinstance(value, str) else str(value)
    text = text if len(text) <= LONGEST_FIELD else text[: LONGEST_FIELD - 1] + "…"
    return "\n".join(printable(line) if line else "" for line in text.split("\n"))
