"""Prints with bars between names and cells: NLTK's, with the diagonal in angle brackets, and gmodels' CrossTable."""

from __future__ import annotations

import re

from confmat.errors import InputError
from confmat.formats.crosstab import Cross
from confmat.formats.grid import cross_of_grid

__all__ = ["barred_table", "cross_table"]

# One line above the rows and one below; no other tool has a corner at the end and none at the start.
_RULE = re.compile(r"[ \t]*(-+)\+(-+)\+[ \t]*")
_KEY = re.compile(r"[ \t]*(\d+): (.*)")


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
