"""Tables by the places of their cells: several columns of names, lines of statistics, titles above and beside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from confmat.core.errors import InputError
from confmat.core.text import repeated, some
from confmat.io.printed.crosstab import (
    NOTHING,
    OTHER_SIDE,
    SHARE,
    Cross,
    Rows,
    axis_of,
    corner_sides,
    cross_of_grid,
    is_number,
    is_score,
    is_total,
)

# Words by which a tool says what its rows are. SAS/STAT, PROC DISCRIM: the class from which an observation comes is in
# rows. ML.NET, `ConfusionMatrix.Counts`: the actual classes are in the rows.
_SAID: tuple[tuple[str, str, Rows], ...] = (
    ("SAS", r"Percent Classified into \S", "actual"),
    ("ML.NET", r"(?m)^\W*PREDICTED +\|\|", "actual"),
)
_LINE = re.compile(r"[\s|+=:-]*")
_MAX_LINES = 2_000
_HEADER = 4
# Words with single blanks between them; the code of a class, "0.  Cat", goes with its name.
_CELL = re.compile(r"(?:\d+\. +(?=[^\W\d_]))?\S+(?: \S+)*")
# Titles of rows in a table with several statistics for each class, as SPSS writes it.
_STATISTIC = re.compile(r"%|Expected Count|Residual|Adjusted Residual|Std\. Residual")
Token = tuple[int, int, str]


def fits(cross: Cross | None) -> bool:
    """Whether a table was read in a way that makes sense: the classes of one side are among those of the other."""
    if cross is None or cross.row_names is None or cross.col_names is None:
        return cross is not None
    rows, cols = (
        {name for name in names if not (is_total(name) or is_score(name))} for names in (cross.row_names, cross.col_names)
    )  # fmt: skip
    return bool(rows and cols) and (rows <= cols or cols <= rows)


def layout_table(text: str) -> Cross | None:
    """The table whose cells stand below each other, in columns or between tabs; None if its names do not fit."""
    lines = [(_tokens(line), line) for line in _plain(text) if line.strip() and not _LINE.fullmatch(line)]
    tails = [_tail(tokens) for tokens, _ in lines]
    top = next((i for i in range(1, len(lines) - 1) if min(tails[i], tails[i + 1]) > 0 and len(lines[i][0]) > tails[i]), 0)
    if not top or len(lines) > _MAX_LINES:
        return None
    end = next((i for i in range(top, len(lines)) if not tails[i]), len(lines))
    places = _places([tokens[-tail:] for (tokens, _), tail in zip(lines[top:end], tails[top:end], strict=True)])
    if places is None:
        return None
    heads = [tokens for tokens, _ in lines[max(0, top - _HEADER) : top]]
    names, above, beside = _named(heads, places)
    body = [(tokens[:-tail], tokens[-tail:]) for (tokens, _), tail in zip(lines[top:end], tails[top:end], strict=True)]
    if not all(names[:-1]):
        names = _cut(lines[top - 1][1], body, places)
    rows, cells = _rows(body, places, beside)
    if not names or not rows:
        return None
    rows = _without_codes(rows, names)
    source, side = next(((tool, rows) for tool, words, rows in _SAID if re.search(words, text)), ("table", None))
    side = side or _side(beside, above)
    grid = [[side or "", *names], *([name, *row] for name, row in zip(rows, cells, strict=True))]
    cross = replace(cross_of_grid(grid, source), lines=None)
    if not fits(cross):
        return None
    return cross if cross.rows or not (above and beside) else replace(cross, axes=(beside[-1], above[-1]))


def _plain(text: str) -> list[str]:
    """Lines without shares and bars, in whose place blanks stand."""
    text = SHARE.sub(lambda found: " " * len(found[0]), re.sub("[|\u2502\u2551]", " ", text))
    return [re.sub(r"^//", "  ", line.rstrip()) for line in text.splitlines()]


def _tokens(line: str) -> list[Token]:
    """The cells of a line with their places; between tabs, these are the numbers of the cells."""
    if "\t" in line:
        return [(i, i + 1, cell.strip()) for i, cell in enumerate(line.split("\t")) if cell.strip()]
    return [(found.start(), found.end(), found[0]) for found in _CELL.finditer(line)]


def _tail(tokens: Sequence[Token]) -> int:
    """How many cells at the end of a line are numbers, in a line that has nothing but names before them."""
    are = [is_number(text) or text in NOTHING for _, _, text in tokens]
    many = are[::-1].index(False) if False in are else len(are)
    return many if not any(are[: len(are) - many]) else 0


def _places(rows: list[list[Token]]) -> list[tuple[int, int]] | None:
    """From where to where each column of numbers reaches; None if they do not stand below each other."""
    places = [(start, end) for start, end, _ in max(rows, key=len)]
    for row in rows:
        for start, end, _ in row:
            at = [j for j, place in enumerate(places) if start < place[1] and place[0] < end]
            if len(at) != 1:
                return None
            places[at[0]] = min(start, places[at[0]][0]), max(end, places[at[0]][1])
    return places if len(places) > 1 else None


def _named(heads: list[list[Token]], places: list[tuple[int, int]]) -> tuple[list[str], list[str], list[str]]:
    """The names of the columns, and the titles above them and above the names of the rows."""
    names, above, beside = [""] * len(places), [], []
    for tokens in reversed(heads):
        for start, end, text in tokens:
            at = [j for j, place in enumerate(places) if start < place[1] and place[0] < end]
            if len(at) == 1 and not names[at[0]]:
                names[at[0]] = text
            elif len(at) == 1 and is_score(f"{text} {names[at[0]]}"):
                names[at[0]] = f"{text} {names[at[0]]}"
            elif end <= places[0][0]:
                beside.append(text)
            else:
                above.append(text)
        if all(names) and above:
            break
    return names, above, beside


def _cut(line: str, body: list[tuple[list[Token], list[Token]]], places: list[tuple[int, int]]) -> list[str]:
    """Names with single blanks between them, above numbers that all end where their names do."""
    ends = [end for _, end in places]
    if any(token[1] not in ends for _, cells in body for token in cells):
        return []
    starts = [max((token[1] for stub, _ in body for token in stub), default=0), *ends]
    if any(line[at - 1 : at + 1].strip() == line[at - 1 : at + 1] != "" for at in starts[:-1]) or len(line) > ends[-1]:
        return []
    return [line[a:b].strip() for a, b in zip(starts, ends, strict=False)]


def _rows(
    body: list[tuple[list[Token], list[Token]]], places: list[tuple[int, int]], beside: list[str]
) -> tuple[list[str], list[list[str]]]:
    """Names and cells of the rows of counts, without the statistics that stand in lines or groups of their own."""
    names: list[str] = []
    cells: list[list[str]] = []
    # Lines without a name below each row: as many everywhere, or a name was lost.
    below: list[int] = []
    counts = True
    for stub, numbers in body:
        if not stub:
            below[-1] += 1
            continue
        *outer, name = (text for _, _, text in stub)
        if names and is_total(names[-1]):
            break
        for text in outer:
            counts = counts and not _STATISTIC.match(text) or text.startswith("Count")
            beside += [] if _STATISTIC.match(text) or text.startswith("Count") else [text]
        if counts:
            names.append(name)
            below.append(0)
            row = {j: text for j, (a, b) in enumerate(places) for start, end, text in numbers if start < b and a < end}
            cells.append([row.get(j, "") for j in range(len(places))])
    if len(set(below)) > 1:
        return [], []
    if len(set(names)) < len(names):
        msg = f"the text has several tables: the row {repeated(names)[0]!r:.60} comes again; give one of {some(beside)}"
        raise InputError(msg)
    return names, cells


def _without_codes(rows: list[str], names: list[str]) -> list[str]:
    """Numbers of the classes, where they stand for them above the columns: "0. Cat"."""
    found = [re.fullmatch(r"(\d+)\. *(.+)", name) for name in rows if not (is_total(name) or is_score(name))]
    codes = {row[1]: row[2] for row in found if row is not None}
    if len(codes) < len(found) or not set(codes) <= set(names):
        return rows
    names[:] = [codes.get(name, name) for name in names]
    return [found_row[2] if (found_row := re.fullmatch(r"(\d+)\. *(.+)", name)) else name for name in rows]


def _side(beside: list[str], above: list[str]) -> Rows | None:
    """The meaning of the rows by the titles."""
    sides = {corner_sides(text) for text in beside} | {OTHER_SIDE[side] for side in map(axis_of, above) if side}
    sides.discard(None)
    if len(sides) > 1:
        msg = f"the titles of the table, {some([*beside, *above])}, contradict each other about what the rows are"
        raise InputError(msg)
    return sides.pop() if sides else None
