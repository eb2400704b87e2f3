r"""CSV and TSV: the square table whose corner says `actual\predicted`, and the long form with one pair a line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

from confmat.core.errors import InputError, Message
from confmat.core.escaping import csv_field, from_csv_cell, in_csv
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, flag, one_of, told
from confmat.core.stack import Stack
from confmat.core.text import repeated
from confmat.io.printed.crosstab import Cross, Kind, Naming, Rows, axis_of, number_of, oriented
from confmat.io.printed.grids import corner_sides, cross_of_grid
from confmat.io.printed.tools import orfeo_table

__all__ = ["CORNER", "check_matrix", "check_text", "cross_of_csv", "delimiter_of", "from_csv", "is_own_csv", "to_csv"]

CORNER = r"actual\predicted"
_LONG = ("actual", "predicted", "count")
_OURS = re.compile(r'"?(?:actual\\predicted|predicted\\actual|actual(?=[,;\t|]predicted))"?(?P<delimiter>[,;\t|])')


# ---- writing -----------------------------------------------------------------------------------------------
Record = tuple[int, list[str]]
_COUNTS = {"count", "counts", "n", "weight", "freq", "frequency", "size"}


def to_csv(
    m: ConfusionMatrix,
    *,
    form: Literal["square", "long"] = "square",
    delimiter: str = ",",
    spreadsheet: bool = True,
) -> str:
    r"""Write the counts as comma-separated values: a square table, or one line per pair that occurs.

    The corner says `actual\predicted`, so a reader knows the meaning of the rows. A label that a spreadsheet would run
    as a formula gets an apostrophe in front, which `from_csv` takes off again; `spreadsheet=False` writes it as it is.
    The long form also holds the sums of squared weights, and a line for each class without pairs.

    >>> m = ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])
    >>> print(to_csv(m), end="")
    actual\predicted,no,yes
    no,3,1
    yes,0,2
    >>> print(to_csv(m, form="long"), end="")
    actual,predicted,count
    no,no,3
    no,yes,1
    yes,yes,2
    """
    check_matrix(m, "to_csv")
    spreadsheet = flag("spreadsheet", spreadsheet)
    names = [in_csv(label, spreadsheet=spreadsheet) for label in m.labels]
    if len(set(names)) < len(names):
        msg = f"two labels would both be written as {repeated(names)[0]!r:.60}; to_json keeps them apart"
        raise InputError(msg)
    one_of("form", form, ("square", "long"))
    _check_delimiter(delimiter)
    lines = _square(m, names) if form == "square" else _long(m, names)
    return "".join(delimiter.join(map(_cell, line)) + "\n" for line in lines)


def _cell(value: Any) -> str:
    return csv_field(value) if isinstance(value, str) else repr(value)


def check_matrix(m: Any, writer: str) -> None:
    """Complain of anything but one matrix."""
    if not isinstance(m, ConfusionMatrix):
        other = "write one of them at a time, or to_json" if isinstance(m, Stack) else MAKES_ONE
        msg = f"{writer} writes one ConfusionMatrix, not {type(m).__name__}; {other}"
        raise InputError(msg)


def check_text(text: Any, reader: str) -> None:
    """Complain of anything but a text."""
    if not isinstance(text, str):
        msg = f"{reader} reads a text, not {type(text).__name__}; confmat.load reads a file"
        raise InputError(msg)


def _check_delimiter(delimiter: str) -> None:
    if not (isinstance(delimiter, str) and delimiter in {",", ";", "\t", "|"}):
        msg = Message("{delimiter} must be a comma, semicolon, tab or pipe, not {}", told(delimiter))
        raise InputError(msg)


def _square(m: ConfusionMatrix, names: list[str]) -> Iterator[list[Any]]:
    yield [CORNER, *names]
    for name, row in zip(names, m.counts.tolist(), strict=True):
        yield [name, *row]


def _long(m: ConfusionMatrix, names: list[str]) -> Iterator[list[Any]]:
    rows, cols, values = (part.tolist() for part in m._counts.cells())
    # Every class has a line, so that none is lost and the order of first appearance is the order of the labels.
    cells = {(i, i): m._counts.dtype.type(0).item() for i in range(len(names))}
    cells |= dict(zip(zip(rows, cols, strict=True), values, strict=True))
    bare = set(range(len(names))).difference(rows, cols)
    kept = sorted(cell for cell in cells if cells[cell] or cell[0] in bare)
    if list(dict.fromkeys([*(i for i, _ in kept), *(j for _, j in kept)])) != list(range(len(names))):
        kept = sorted(cells)
    squares = None
    if m._squares is not None:
        rows, cols, values = (part.tolist() for part in m._squares.cells())
        squares = dict(zip(zip(rows, cols, strict=True), values, strict=True))
    yield [*_LONG] if squares is None else [*_LONG, "squares"]
    for i, j in kept:
        line = [names[i], names[j], cells[i, j]]
        yield line if squares is None else [*line, squares.get((i, j), 0.0)]


# ---- reading -----------------------------------------------------------------------------------------------


def from_csv(
    text: str,
    *,
    rows: Rows | None = None,
    labels: Iterable[Any] | None = None,
    kind: Kind = "text",
    outside: Iterable[str] = (),
    positive: Any = None,
    delimiter: str | None = None,
    spreadsheet: bool = True,
) -> ConfusionMatrix:
    r"""Read a square table or the long form; the text shows which one, and the delimiter.

    A corner `actual\predicted` or `predicted\actual` states the meaning of the rows, and a table of the second kind is
    transposed; without such a corner they are `rows`, or actual. Labels are text unless `kind` is "int" or "bool".

    >>> from_csv("predicted\\actual,no,yes\nno,3,0\nyes,1,2\n").counts
    array([[3, 1],
           [0, 2]])
    """
    check_text(text, "from_csv")
    naming = Naming(labels, kind, outside, positive)
    cross = orfeo_table(text)
    if cross is not None:
        return cross.matrix(rows, naming)
    delimiter = delimiter_of(text) if delimiter is None else delimiter
    lines = _records(text, delimiter)
    if _is_long(lines):
        return _from_long(lines, rows, naming, spreadsheet=flag("spreadsheet", spreadsheet))
    return _cross(lines, delimiter, spreadsheet=flag("spreadsheet", spreadsheet)).matrix(rows, naming)


def cross_of_csv(text: str, delimiter: str) -> Cross | None:
    """The table of a text with separated values, or None if it is in the long form."""
    lines = _records(text, delimiter)
    if len(lines) > 1 and len(lines[0][1]) + 1 == len(lines[1][1]):
        # Pasting has lost the empty corner.
        lines[0][1].insert(0, "")
    return None if _is_long(lines) else _cross(lines, delimiter, spreadsheet=True)


def is_own_csv(text: str) -> bool:
    """Whether the text begins as `to_csv` writes it."""
    return _OURS.match(text.removeprefix("\ufeff")) is not None


def delimiter_of(text: str) -> str:
    """The delimiter: as our own corner has it, else the one that cuts every line into the same number of cells."""
    text = text.removeprefix("\ufeff")
    ours = _OURS.match(text)
    if ours:
        return ours["delimiter"]
    for delimiter in "\t,;|":
        try:
            widths = {len(fields) for _, fields in _records(text, delimiter)}
        except InputError:
            continue
        if len(widths) == 1 and min(widths) > 1:
            return delimiter
    first = text.split("\n", 1)[0]
    return max(",\t;|", key=first.count)


def _records(text: str, delimiter: str) -> list[Record]:
    """Lines of cells with the number of each line; empty lines are left out."""
    _check_delimiter(delimiter)
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    records: list[Record] = []
    while True:
        start = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            msg = Message("line {}: {}", start, error)
            raise InputError(msg) from None
        if fields:
            records.append((start, fields))
    if not records:
        msg = Message("the text is empty")
        raise InputError(msg)
    return records


def _cross(records: list[Record], delimiter: str, *, spreadsheet: bool) -> Cross:
    width = len(records[0][1])
    for line, fields in records:
        if len(fields) != width:
            msg = f"line {line} has {len(fields)} cells where the first line has {width}"
            raise InputError(msg)
    numbers, grid = [line for line, _ in records], [fields for _, fields in records]
    if spreadsheet:
        grid = [[from_csv_cell(cell) for cell in row] for row in grid]
    if grid[0][:2] == ["row", "name"]:
        msg = "this is a report; of its files, only .json is read back"
        raise InputError(msg)
    ours = corner_sides(grid[0][0], strict=True)
    if ours is None:
        return replace(cross_of_grid(grid, "CSV", numbers), points=delimiter == ",")
    if len(grid) == 1 or width == 1:
        msg = "the table has a header and nothing below it" if width > 1 else "the table has no columns"
        raise InputError(msg)
    return Cross(
        source="CSV",
        cells=[[cell.strip() for cell in row[1:]] for row in grid[1:]],
        row_names=[row[0] for row in grid[1:]],
        col_names=grid[0][1:],
        rows=ours,
        totals=False,
        lines=numbers[1:],
    )


# ---- the long form -----------------------------------------------------------------------------------------


def _is_long(records: list[Record]) -> bool:
    """Whether the header names the columns of the long form."""
    return _long_columns(records[0][1]) is not None


def _long_columns(header: list[str]) -> dict[str, int] | None:
    """Where the two sides, the counts and the squares stand, if this is a header of the long form."""
    head = [cell.strip().lower() for cell in header]
    found: dict[str, int] = {}
    for i, name in enumerate(head):
        what = axis_of(name) or ("count" if name in _COUNTS else name)
        if what in found or what not in {"actual", "predicted", "count", "squares"}:
            return None
        found[what] = i
    if found.keys() == {"actual", "predicted"}:
        msg = "the text lists single pairs, no counts; count them with confmat.count(actual, predicted)"
        raise InputError(msg)
    return found if {"actual", "predicted", "count"} <= found.keys() else None


def _from_long(records: list[Record], rows: Rows | None, naming: Naming, *, spreadsheet: bool) -> ConfusionMatrix:
    oriented("actual", rows)
    column = _long_columns(records[0][1]) or {}
    width, weight = len(records[0][1]), column["count"]
    cells: dict[tuple[str, str], Any] = {}
    squares: dict[tuple[str, str], float] = {}
    for line, fields in records[1:]:
        if len(fields) != width:
            msg = f"line {line} has {len(fields)} cells where the header has {width}"
            raise InputError(msg)
        names = [from_csv_cell(fields[column[side]]) if spreadsheet else fields[column[side]] for side in _LONG[:2]]
        pair = (names[0], names[1])
        if pair in cells:
            msg = f"line {line}: the pair {names[0]!r:.60}, {names[1]!r:.60} has come before; add the counts up first"
            raise InputError(msg)
        cells[pair] = number_of(fields[weight].strip(), f"line {line}, column {weight + 1}")
        if "squares" in column:
            at = column["squares"]
            squares[pair] = float(number_of(fields[at].strip(), f"line {line}, column {at + 1}"))
    if not cells:
        msg = "the table has a header and nothing below it"
        raise InputError(msg)
    return _of_pairs(cells, squares, naming)


def _of_pairs(
    cells: dict[tuple[str, str], Any], squares: dict[tuple[str, str], float], naming: Naming
) -> ConfusionMatrix:
    texts = list(dict.fromkeys([*(a for a, _ in cells), *(p for _, p in cells)]))
    made = dict(zip(texts, naming.read(texts, "pairs"), strict=True))
    given = [name for name in made.values() if name not in naming.outside] if naming.labels is None else naming.labels
    if any(isinstance(value, float) for value in cells.values()):
        cells = {pair: float(value) for pair, value in cells.items()}

    def matrix(values: dict[tuple[str, str], Any]) -> ConfusionMatrix:
        pairs = [(made[a], made[p], value) for (a, p), value in values.items()]
        return ConfusionMatrix.from_pairs(pairs, given, outside=naming.outside, positive=naming.positive)

    m = matrix(cells)
    return m if not squares else ConfusionMatrix._of(m.labels, m._counts, matrix(squares)._counts, m.dropped)
