"""Grids of cells (CSV, TSV, Markdown, LaTeX, spreadsheets): the places of the names, the axes and the numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from confmat.core.errors import InputError
from confmat.io.printed.crosstab import Cross, Rows, axis_of, is_number, is_score, is_total

Grid = Sequence[Sequence[str]]
_BETWEEN = re.compile(r"\s*(?:\\+|/|\||→|↓|,|\bvs\.?\s|\bby\b)\s*")
_ARROWS = re.compile(r"[↓→←↑⇓⇒]")
_OTHER: dict[Rows, Rows] = {"actual": "predicted", "predicted": "actual"}
_PREFIXES = {"actual", "true", "predicted", "pred"}
# One line above the rows and one below; no other tool has a corner at the end and none at the start.
_RULE = re.compile(r"[ \t]*(-+)\+(-+)\+[ \t]*")
_KEY = re.compile(r"[ \t]*(\d+): (.*)")


def corner_sides(corner: str, *, strict: bool = False) -> Rows | None:
    r"""Read from the cell in the corner whether rows are actual or predicted; `strict` takes our own spelling only.

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
    """Pick the rows of counts from a table with several statistics for each class, as SPSS writes it."""
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


def barred_table(text: str) -> Cross | None:
    """The matrix as NLTK prints it, rows actual; names are beside the rows, or in a key below."""
    lines = text.split("\n")
    rules = [(i, rule) for i, rule in enumerate(map(_RULE.fullmatch, lines)) if rule is not None]
    if len(rules) != 2 or rules[0][1][0].strip() != rules[1][1][0].strip():
        return None
    (above, rule), (below, _) = rules
    start, bar, width = rule.start(1), rule.end(1), len(rule[2]) - 1
    rows = [line.rstrip() for line in lines[above + 1 : below]]
    if not rows or width % len(rows) or not all(line[bar : bar + 1] == "|" == line[-1:] for line in rows):
        return None
    # Names are flush right, so one that is nothing but a space looks like its margin.
    names = [line[start : bar - 1].lstrip() or " " for line in rows]
    cells = [_cells(line[bar + 2 : -1], width, len(rows), name) for line, name in zip(rows, names, strict=True)]
    key = {found[1]: found[2] for found in map(_KEY.fullmatch, lines[below + 1 :]) if found is not None}
    names = [key[name] for name in names] if set(names) <= set(key) else names
    return Cross(source="NLTK", cells=cells, row_names=names, col_names=names, rows="actual", totals=False)


def _cells(row: str, width: int, many: int, name: str) -> list[str]:
    if len(row) != width:
        msg = f"row {name!r} has {len(row)} characters between its bars, but the line above {width}: paste it unchanged"
        raise InputError(msg)
    step = width // many
    found = [row[at : at + step].strip(" <>") for at in range(0, width, step)]
    return ["0" if cell == "." else cell for cell in found]


def cross_table(text: str) -> Cross | None:
    """The counts of `CrossTable` of R's package gmodels, whose shares stand below them in rows without a name."""
    if "Row Total |" not in text or "Column Total |" not in text:
        return None
    rows = [[cell.strip() for cell in line.rstrip().split("|")] for line in text.splitlines() if "|" in line]
    start = next((i for i, row in enumerate(rows) if row[-2:-1] == ["Row Total"]), 0)
    if not start:
        return None
    header = rows[start][:-1]
    # Above the names of the columns stands that of their axis.
    header[0] += f"\\{rows[start - 1][1]}"
    named = [row[:-1] for row in rows[start + 1 :] if row[0].strip("-")]
    if any(len(row) != len(header) for row in named):
        return None
    return cross_of_grid([header, *named], "gmodels")
