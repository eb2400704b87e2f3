"""Reading a hierarchy from a file."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from confmat.errors import InputError
from confmat.relating.hierarchy import Hierarchy

__all__ = ["read"]

_COLUMNS = {".csv": ",", ".tsv": "\t"}


def read(path: str | os.PathLike[str], sep: str) -> Hierarchy:
    """The hierarchy in a file, by its suffix."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in {*_COLUMNS, ".txt", ".json"}:
        msg = (
            f"a hierarchy is read from .csv or .tsv (child and parent, or paths), .txt (a path on each line) or .json, "
            f"not from {file.name!r}"
        )
        raise InputError(msg)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{file.name} is no text in UTF-8: {error.reason} at byte {error.start:,}"
        raise InputError(msg) from None
    try:
        if suffix == ".json":
            return _of_json(text, sep)
        return _of_rows(_rows(text, suffix), sep)
    except InputError as error:
        msg = f"{file.name}: {error}"
        raise InputError(msg) from None


def _rows(text: str, suffix: str) -> list[list[str]]:
    if suffix == ".txt":
        return [[line.strip()] for line in text.splitlines() if line.strip()]
    try:
        rows = list(csv.reader(text.splitlines(keepends=True), delimiter=_COLUMNS[suffix], strict=True))
    except csv.Error as error:
        msg = f"it is no table: {error}"
        raise InputError(msg) from None
    return [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)]


def _of_rows(rows: list[list[str]], sep: str) -> Hierarchy:
    if not rows:
        msg = "it is empty"
        raise InputError(msg)
    heads = [cell.casefold() for cell in rows[0]]
    if all(len(row) == 1 for row in rows):
        return Hierarchy.from_paths([row[0] for row in (rows[1:] if heads == ["path"] else rows)], sep=sep)
    odd = next((place for place, row in enumerate(rows, 1) if len(row) != 2), None)
    if odd is not None:
        msg = (
            f"row {odd} has {len(rows[odd - 1])} columns; a hierarchy has two, child and parent, or one with a path "
            "such as fruit/citrus/lemon"
        )
        raise InputError(msg)
    if sorted(heads) == ["child", "parent"]:
        first = heads.index("child")
        rows = [[row[first], row[1 - first]] for row in rows[1:]]
    nameless = next((place for place, row in enumerate(rows, 1) if not row[0]), None)
    if nameless is not None:
        msg = f"row {nameless} names no child, only the parent {rows[nameless - 1][1]!r:.60}"
        raise InputError(msg)
    return Hierarchy.from_parents([(child, parent or None) for child, parent in rows])


def _of_json(text: str, sep: str) -> Hierarchy:
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"it is no JSON that can be read: {error!s:.200}"
        raise InputError(msg) from None
    if isinstance(data, Mapping) and data and all(isinstance(above, str) for above in data.values()):
        return Hierarchy.from_parents(data)
    if isinstance(data, list) and all(isinstance(path, str) for path in data):
        return Hierarchy.from_paths(data, sep=sep)
    return Hierarchy.from_nested(data)
