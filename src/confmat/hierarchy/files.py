"""Hierarchies from a file."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from confmat.core.errors import InputError, Message
from confmat.core.files import path_of, read_text
from confmat.core.text import some
from confmat.hierarchy.nodes import (
    CHILDREN,
    PARENTS,
    Nodes,
    check_sep,
    of_nested,
    of_parents,
    of_paths,
    parts_of,
)

_SUFFIXES = {".csv", ".tsv", ".txt", ".json"}
# Heads of a column of paths.
_PATHS = {"path", "paths"}


def read(path: str | os.PathLike[str], sep: str) -> Nodes:
    """Return the nodes of the hierarchy in a file, by its suffix."""
    check_sep(sep)
    file = path_of(path)
    suffix = file.suffix.lower()
    if suffix not in _SUFFIXES:
        msg = (
            "a hierarchy is read from .csv or .tsv (child and parent, or paths), .txt (a path on each line) or "
            f".json, not from {file.name!r}"
        )
        raise InputError(msg)
    text = read_text(path, "a hierarchy")
    try:
        if suffix == ".json":
            return _of_json(text, sep)
        # A class that begins with a hash is written in quotes in a table.
        lines = [line for line in text.splitlines(keepends=True) if not line.startswith("#")]
        if suffix == ".txt":
            return _of_lines(filter(str.strip, lines), sep)
        return _of_rows(_rows(lines, suffix, sep), sep)
    except InputError as error:
        msg = Message("{}: {}", file.name, error)
        raise InputError(msg) from None


def _rows(lines: list[str], suffix: str, sep: str) -> list[list[str]]:
    head = next(filter(str.strip, lines), "")
    # A sign that parts a path parts no columns.
    delimiter = "\t" if suffix == ".tsv" else max("," + ";\t".replace(sep, ""), key=head.count)
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as error:
        msg = Message("it is no table: {}", error)
        raise InputError(msg) from None
    return [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)]


def _of_rows(rows: list[list[str]], sep: str) -> Nodes:
    if not rows:
        msg = "it is empty"
        raise InputError(msg)
    heads = [cell.casefold() for cell in rows[0]]
    width = max(map(len, rows))
    odd = next((place for place, row in enumerate(rows, 1) if len(row) != width), None)
    if odd is not None:
        msg = (
            f"row {odd} has {len(rows[odd - 1])} columns where another has {width}; a hierarchy has two, child and "
            "parent or class and path, or one with a path such as fruit/citrus/lemon, or one for each level"
        )
        raise InputError(msg)
    if width > 2:
        return _of_levels(heads, rows, sep)
    if width == 1 and heads[0] in _PATHS:
        return _of_lines([row[0] for row in rows[1:]], sep)
    return _of_two(heads, rows, sep)


def _of_two(heads: list[str], rows: list[list[str]], sep: str) -> Nodes:
    """Child and parent, or class and path, in either order."""
    for child, above in ((0, 1), (1, 0)) if len(heads) == 2 else ():
        if heads[child] in CHILDREN and heads[above] in PARENTS | _PATHS:
            pairs = [(row[child], row[above]) for row in rows[1:]]
            return _of_pairs(pairs, sep if heads[above] in _PATHS else None)
    msg = (
        f"its first row, {some(rows[0])}, names no columns of a hierarchy: put child,parent above it, or "
        "class,path, or path; where it names them, call them so"
    )
    raise InputError(msg)


def _of_pairs(pairs: list[tuple[str, str]], sep: str | None) -> Nodes:
    """From classes and their paths, which may end in the class or stop above it; without a separator, parents."""
    nameless = next((place for place, (name, _) in enumerate(pairs, 2) if not name), None)
    if nameless is not None:
        msg = f"row {nameless} names no child, only the parent {pairs[nameless - 2][1]!r:.60}"
        raise InputError(msg)
    if sep is None:
        return of_parents([(name, parent or None) for name, parent in pairs])
    paths = [(name, _parts(path, sep)) for name, path in pairs]
    return of_paths([path if path[-1:] == [name] else [*path, name] for name, path in paths], sep)


def _of_levels(heads: list[str], rows: list[list[str]], sep: str) -> Nodes:
    """A column for each level, from the top down, each with its name."""
    columns = list(zip(*rows[1:], strict=True))
    known = [head for head in heads if head in {"child", "parent", *_PATHS}]
    if known:
        others = some(head for head in heads if head not in known)
        msg = f"beside {some(known)} there are other columns, {others}; leave two, child and parent or class and path"
        raise InputError(msg)
    again = [cell for cell, column in zip(rows[0], columns, strict=False) if cell in column]
    if again or not columns:
        below = f"{again[0]!r:.60} is below it too" if again else "nothing is below it"
        msg = (
            "a table with a column for each level has their names in its first row, such as "
            f"kingdom,family,species; the first row here is {some(rows[0])}, and {below}"
        )
        raise InputError(msg)
    _check_order(rows)
    return of_paths(rows[1:], sep)


def _check_order(rows: list[list[str]]) -> None:
    """Refuse levels that go from the bottom up."""
    ends = {(row[0], row[-1]) for row in rows[1:] if row[0] and row[-1]}
    top, bottom = (len({end[side] for end in ends}) for side in (0, 1))
    if len(ends) == top > bottom:
        msg = (
            f"the levels go from the top down, and each name under {rows[0][0]!r:.60} has one of {bottom:,} under "
            f"{rows[0][-1]!r:.60}: turn the columns round, or write paths if it is meant so"
        )
        raise InputError(msg)


def _of_lines(paths: Iterable[str], sep: str) -> Nodes:
    return of_paths([_parts(path, sep) for path in paths], sep)


def _parts(path: str, sep: str) -> list[str]:
    """The names along a path, without the spaces round its separators."""
    return [part for part in map(str.strip, parts_of(path, sep)) if part]


def _of_json(text: str, sep: str) -> Nodes:
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"it is no JSON that can be read: {error!s:.200}"
        raise InputError(msg) from None
    if (
        isinstance(data, Mapping)
        and data
        and all(isinstance(above, str) for above in data.values())
    ):
        return of_parents(data)
    if isinstance(data, list) and all(isinstance(path, str) for path in data):
        return _of_lines(data, sep)
    return of_nested(data)
