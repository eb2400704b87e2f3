"""Grids of cells (CSV, TSV, Markdown, LaTeX, spreadsheets): where the names, the axes and the numbers are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from confmat.errors import InputError
from confmat.formats.crosstab import Cross, Rows, axis_of, is_number, is_total
from confmat.formats.figures import is_score

__all__ = ["corner_sides", "cross_of_grid", "unprefixed"]

Grid = Sequence[Sequence[str]]
_BETWEEN = re.compile(r"\s*(?:\\+|/|\||→|↓|,|\bvs\.?\s|\bby\b)\s*")
_ARROWS = re.compile(r"[↓→←↑⇓⇒]")
_OTHER: dict[Rows, Rows] = {"actual": "predicted", "predicted": "actual"}


def corner_sides(corner: str, *, strict: bool = False) -> Rows | None:
    r"""What the rows are, by the cell in the corner; `strict` takes our own spelling only.

    >>> corner_sides("actual\\predicted"), corner_sides("Prediction / Truth"), corner_sides("Cat")
    ('actual', 'predicted', None)
    """
    if strict:
        return {"actual\\predicted": "actual", "predicted\\actual": "predicted"}.get(corner)  # type: ignore[return-value]
    if len(corner) > 200:
        return None
    parts = [part for part in _BETWEEN.split(_ARROWS.sub(" ", corner).strip()) if part.strip()]
    sides = [axis_of(part) for part in parts]
    if len(sides) == 2 and None not in sides and sides[0] != sides[1]:
        return sides[0]
    # One word heads the column of row names.
    return sides[0] if len(sides) == 1 else None


def cross_of_grid(grid: Grid, source: str, lines: Sequence[int] | None = None) -> Cross:
    """The table in a grid whose rows are of one width: headers, axis titles and totals are told apart."""
    numbers = list(lines) if lines is not None else list(range(1, len(grid) + 1))
    table = [[cell.strip() for cell in row] for row in grid]
    kept = [i for i, row in enumerate(table) if any(row)]
    table, numbers = [table[i] for i in kept], [numbers[i] for i in kept]
    if not table:
        msg = "the table is empty"
        raise InputError(msg)
    if all(is_number(cell) for row in table for cell in row):
        if len(table) != len(table[0]):
            msg = f"a table without names must be square, but this has {len(table)} rows of {len(table[0])} cells"
            raise InputError(msg)
        return Cross(source=source, cells=table, lines=numbers, first=1)
    return _named(table, numbers, source)


def _named(table: list[list[str]], numbers: list[int], source: str) -> Cross:
    said: list[Rows] = []
    table, numbers = _titled(*_of_counts(table, numbers), said)
    header, body, numbers = table[0], table[1:], numbers[1:]
    first = 2
    # A row below the header that holds the name of the rows alone, as pandas writes it.
    if body and body[0][0] and not any(body[0][1:]):
        # The corner then names the columns.
        side = axis_of(body[0][0])
        said += [side] if side else []
        column = corner_sides(header[0])
        said += [_OTHER[column]] if column else []
        header, body, numbers = ["", *header[1:]], body[1:], numbers[1:]
    stub = _stub(header, body)
    if stub is not None:
        side = axis_of(stub)
        said += [side] if side else []
        header, body, first = header[1:], [row[1:] for row in body], 3
    corner = corner_sides(header[0])
    said += [corner] if corner else []
    if not body or len(header) < 2:
        msg = "the table has a header and nothing below it" if len(header) > 1 else "the table has no columns"
        raise InputError(msg)
    names = [row[0] for row in body], header[1:]
    (rows, row_said), (cols, col_said) = unprefixed(names[0]), unprefixed(names[1])
    if row_said and row_said == col_said:
        # Both sides begin so: it is part of the names.
        rows, cols, row_said, col_said = *map(list, names), None, None
    said += [row_said] if row_said else []
    said += [_OTHER[col_said]] if col_said else []
    if len(set(said)) > 1:
        msg = "the names in the table contradict each other about what the rows are, actual or predicted"
        raise InputError(msg)
    return Cross(
        source=source, cells=[row[1:] for row in body], row_names=rows, col_names=cols, rows=said[0] if said else None,
        lines=numbers, first=first,
    )  # fmt: skip


def _of_counts(table: list[list[str]], numbers: list[int]) -> tuple[list[list[str]], list[int]]:
    """Of a table that names several statistics for each class, the rows of counts, as SPSS writes them."""
    for place in range(1, min(3, len(table[0]) - 2)):
        top = next((i for i, row in enumerate(table) if row[place] == "Count"), None)
        if top and all(row[place].startswith(("Count", "Expected Count", "%")) for row in table[top:]):
            kept = [i for i, row in enumerate(table) if i < top or row[place] == "Count"]
            return [table[i][:place] + table[i][place + 1 :] for i in kept], [numbers[i] for i in kept]
    return table, numbers


def _titled(table: list[list[str]], numbers: list[int], said: list[Rows]) -> tuple[list[list[str]], list[int]]:
    """Take away a first row that holds nothing but the titles of the axes."""
    head = table[0]
    sides = [axis_of(cell) for cell in head if cell and not is_total(cell)]
    if len(table) < 3 or len(head) < 3 or None in sides or len(sides) != 1 + (head[0] != "" and len(sides) == 2):
        return table, numbers
    if head[0] and sides[0]:
        said.append(sides[0])
    if (not head[0] or len(sides) == 2) and sides[-1]:
        said.append(_OTHER[sides[-1]])
    return table[1:], numbers[1:]


def _stub(header: list[str], body: list[list[str]]) -> str | None:
    """The title in a first column that holds nothing else, beside the column of row names."""
    if len(header) < 4 or header[0] or header[1]:
        return None
    words = {row[0] for row in body if row[0] and not (is_total(row[0]) and not row[1])}
    if len(words) != 1:
        return None
    word = next(iter(words))
    return word if axis_of(word) else None


_PREFIXES = {"actual", "true", "predicted", "pred"}


def unprefixed(names: Sequence[str]) -> tuple[list[str], Rows | None]:
    """Names without a "Predicted " or "Actual " that all of them begin with."""
    parts = [name.split(None, 1) for name in names if not _at_margin(name)]
    firsts = {part[0].rstrip(":.").lower() for part in parts}
    if len(firsts) != 1 or not firsts <= _PREFIXES or any(len(part) != 2 for part in parts):
        return list(names), None
    bare = [name if _at_margin(name) else name.split(None, 1)[1] for name in names]
    return bare, axis_of(firsts.pop())


def _at_margin(name: str) -> bool:
    return not name or is_total(name) or is_score(name)
