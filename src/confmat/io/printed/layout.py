"""Tables by the places of their cells: several columns of names, lines of statistics, titles above and beside."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from confmat.core.errors import InputError
from confmat.core.frames import Rows, is_total
from confmat.core.text import repeated, some
from confmat.io.printed.crosstab import (
    NOTHING,
    SHARE,
    Cross,
    check_ended,
    classes,
    corner_axes,
    cross_of_grid,
    is_number,
    sides_told,
)
from confmat.io.printed.margins import is_score

# Words by which a tool says what its rows are. SAS/STAT, PROC DISCRIM: the class from which an observation comes is in
# rows. ML.NET, `ConfusionMatrix.Counts`: the actual classes are in the rows. RapidMiner: "True:" heads the columns.
_SAID: tuple[tuple[str, str, Rows | None], ...] = (
    ("SAS", r"Percent Classified into \S", "actual"),
    ("ML.NET", r"(?m)^[ \t/]*PREDICTED +\|\|", "actual"),
    ("RapidMiner", r"(?m)^True:\t", "predicted"),
    ("SAS", r"(?m)^[ \t]*Frequency[ \t]*[|\u2502\u201a]", None),
    ("gmodels", r"Row Total \|[ \t]*\n[ \t]*-+\|-", None),
    ("Stata", r"(?m)^ *-+(?:\+-+)+\n *Total +\|", None),
)
_LINE = re.compile("[\\s|+=:\u0192\u02c6-]*")
_MAX_LINES = 2_000
_HEADER = 6
_FAR = 1_000_000
# A longer text is no title of an axis.
_TITLE = 3
_ZONE = re.compile("[^|\u2502\u2551\u201a]+")
# Words with single blanks between them; the code of a class, "0.  Cat", goes with its name.
_CELL = re.compile(r"(?:\d+\. +(?=[^\W\d_]))?\S+(?: \S+)*")
# Titles of rows in a table with several statistics for each class, as SPSS writes it.
_STATISTIC = re.compile(r"%|Expected Count|Residual|Adjusted Residual|Std\. Residual")
Token = tuple[int, int, str]


def fits(cross: Cross | None) -> bool:
    """Whether a table was read in a way that makes sense: the classes of one side are among those of the other."""
    if cross is None or cross.row_names is None or cross.col_names is None:
        return cross is not None
    if cross.source == "confmat" or not cross.totals:
        # A class of our own tables may be called anything, and nothing.
        return True
    rows, cols = set(classes(cross.row_names)), set(classes(cross.col_names))
    lines = [*cross.cells, *zip(*cross.cells, strict=False)]
    return bool(rows and cols and all(any(map(_is_cell, line)) for line in lines) and (rows <= cols or cols <= rows))


def _is_cell(text: str) -> bool:
    return is_number(SHARE.sub("", text).removesuffix("%")) or text in NOTHING


def _tool(text: str) -> tuple[str, Rows | None] | None:
    return next(((tool, rows) for tool, words, rows in _SAID if re.search(words, text)), None)


def layout_of_tool(text: str) -> Cross | None:
    """The table of a tool that says its name by its form."""
    tool = _tool(text)
    cross = layout_table(text) if tool else None
    if tool and cross is None:
        msg = f"the table of {tool[0]} is cut off, or its columns do not stand below each other; paste it unchanged"
        raise InputError(msg)
    return cross


def layout_table(text: str) -> Cross | None:
    """The table whose cells stand below each other, in columns or between tabs; None if its names do not fit."""
    lines = [(_tokens(line), line) for line in _plain(text)]
    tails = [_tail(tokens) for tokens, _ in lines]
    top = next(
        (i for i in range(1, len(lines) - 1) if min(tails[i], tails[i + 1]) > 0 and len(lines[i][0]) > tails[i]), 0
    )
    if not top:
        return None
    end = next((i for i in range(top, len(lines)) if not tails[i]), len(lines))
    places = _places([tokens[-tail:] for (tokens, _), tail in zip(lines[top:end], tails[top:end], strict=True)])
    if places is None or any(_is_cell(text) for tokens, _ in lines[end : end + 1] for _, _, text in tokens):
        # The last line may be a row that does not keep its place.
        return None
    check_ended("".join(line for _, line in lines[end : end + 1]), len(places))
    heads = [tokens for tokens, _ in lines[max(0, top - _HEADER) : top]]
    names, above, beside = _named(heads, places)
    body = [(tokens[:-tail], tokens[-tail:]) for (tokens, _), tail in zip(lines[top:end], tails[top:end], strict=True)]
    if not names[0] and all(names[1:]):
        # Classes that are numbers stand in the first column, below no name.
        at = places.pop(0)[1]
        body = [
            (stub + [token for token in cells if token[0] < at], [token for token in cells if token[0] >= at])
            for stub, cells in body
        ]
        names = names[1:]
    if not all(names[:-1]):
        names = _cut(lines[top - 1][1], body, places)
    rows, cells = _rows(body, places, names, beside)
    if not names or not rows:
        return None
    _check_alone(lines[top:end], lines[end:], rows)
    rows = _without_codes([name.removesuffix(":") for name in rows], names)
    source, side = _tool(text) or ("table with bars" if "|" in text else "CSV" if "\t" in text else "table", None)
    if side and not {*classes(names)} <= {*classes(rows)}:
        # These tools have a row for each class.
        return None
    if source == "Stata" and "Key" in text and "frequency" not in text:
        msg = "the table has shares and no frequencies; print it with its frequencies"
        raise InputError(msg)
    corners = [corner_axes(title) for title in beside]
    told, axes = sides_told([row for row, _ in corners], [*(column for _, column in corners), *above])
    side = side or told
    if side is None and len(set(beside)) > 1:
        # One of them names the columns, as in pandas; nobody knows which side.
        axes = tuple(dict.fromkeys(beside))
    cross = cross_of_grid(
        [[side or "", *names], *([name, *cut] for name, cut in zip(rows, cells, strict=True))], source
    )
    return replace(cross, lines=None, axes=() if cross.rows else cross.axes or axes) if fits(cross) else None


def _check_alone(table: list[tuple[list[Token], str]], below: list[tuple[list[Token], str]], rows: list[str]) -> None:
    """Refuse a text whose rows come again below the table with other numbers."""
    known, later = ([[cell for _, _, cell in tokens] for tokens, _ in part if _tail(tokens)] for part in (table, below))
    firsts = set(classes([row[0] for row in known if row[0] in rows]))
    again = [row for row in later if row[0] in firsts]
    if firsts and firsts <= {row[0] for row in again} and any(row not in known for row in again):
        msg = f"the text has several tables, or one that goes on below itself: {rows[0]!r:.60} comes again; give one"
        raise InputError(msg)


def _plain(text: str) -> list[str]:
    """Lines without shares, in whose place blanks stand, and without the marks of comments; none of a long text."""
    lines = [line for line in text.splitlines() if line.strip() and not _LINE.fullmatch(line)]
    blank = [SHARE.sub(lambda found: " " * len(found[0]), line) for line in lines if len(lines) <= _MAX_LINES]
    return [re.sub(r"^//", "  ", line.rstrip()) for line in blank]


def _tokens(line: str) -> list[Token]:
    """The cells of a line with their places; one alone between bars or tabs takes all the place."""
    if "\t" in line:
        return [(i, i + 1, cell.strip()) for i, cell in enumerate(line.split("\t")) if cell.strip()]
    tokens: list[Token] = []
    for zone in _ZONE.finditer(line):
        found = [(zone.start() + cell.start(), zone.start() + cell.end(), cell[0]) for cell in _CELL.finditer(zone[0])]
        alone = len(found) == 1 and zone[0] != line
        tokens += [(zone.start(), zone.end() if zone.end() < len(line) else _FAR, found[0][2])] if alone else found
    return tokens


def _tail(tokens: Sequence[Token]) -> int:
    """How many cells at the end of a line are numbers, in a line that has nothing but names before them."""
    are = [_is_cell(text) for _, _, text in tokens]
    # The first cell is a name, though it may be a sign, or a number alone before a bar.
    are[:1] = [] if not are else [is_number(tokens[0][2]) and (tokens[0][0] > 0 or tokens[0][1] <= len(tokens[0][2]))]
    many = are[::-1].index(False) if False in are else len(are)
    return many if not any(are[: len(are) - many]) else 0


def _places(rows: list[list[Token]]) -> list[tuple[int, int]] | None:
    """From where to where each column of numbers reaches; None if they do not stand below each other."""
    places = [(start, end) for start, end, _ in max(rows, key=len)]
    for row in rows:
        for start, end, _ in row:
            at = _met(places, start, end)
            if len(at) != 1:
                return None
            places[at[0]] = min(start, places[at[0]][0]), max(end, places[at[0]][1])
    return places if len(places) > 1 else None


def _met(places: list[tuple[int, int]], start: int, end: int) -> range:
    """The columns, which stand in order, that reach into this place."""
    return range(bisect_right(places, start, key=itemgetter(1)), bisect_left(places, end, key=itemgetter(0)))


def _named(heads: list[list[Token]], places: list[tuple[int, int]]) -> tuple[list[str], list[str], list[str]]:
    """The names of the columns, and the titles above them and above the names of the rows."""
    names, above, beside = [""] * len(places), [], []
    for tokens in reversed(heads):
        for start, end, text in tokens:
            at = _met(places, start, end)
            if len(at) == 1 and not names[at[0]]:
                names[at[0]] = text
            elif len(at) == 1 and is_score(f"{text} {names[at[0]]}"):
                names[at[0]] = f"{text} {names[at[0]]}"
            elif end <= places[0][0]:
                beside.append(text)
            elif at and len(text.split()) <= _TITLE:
                above.append(text.strip(" -"))
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
    body: list[tuple[list[Token], list[Token]]], places: list[tuple[int, int]], columns: list[str], beside: list[str]
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
        words = _ordered([text for _, _, text in stub])
        if not words:
            continue
        *outer, name = words
        if names and is_total(names[-1]):
            break
        for text in outer:
            counts = (counts and not _STATISTIC.match(text)) or text.startswith("Count")
            beside += [] if _STATISTIC.match(text) or text.startswith("Count") else [text]
        if counts:
            names.append(name)
            below.append(0)
            row = {j: text for start, end, text in numbers for j in _met(places, start, end)}
            cells.append([row.get(j, "") for j in range(len(places))])
    if len({many for name, many in zip(names, below, strict=True) if not is_total(name)}) > 1:
        return [], []
    if names == ["+", "-", *names[2:]] and "~D" in columns:
        # Stata's `estat classification` says + for what is classified as D.
        names[:2] = ["D", "~D"]
    if len(set(names)) < len(names):
        msg = f"the text has several tables: the row {repeated(names)[0]!r:.60} comes again; give one of {some(beside)}"
        raise InputError(msg)
    return names, cells


def _ordered(words: list[str]) -> list[str]:
    """The titles of a row before its name; cross tables of SPSS name the statistic behind the class, or alone."""
    kinds = [text for text in words if _STATISTIC.match(text) or text.startswith("Count")]
    if words == kinds and not words[-1].startswith("Count"):
        return []
    return [*kinds, *(text for text in words if text not in kinds)] if words[-1] in kinds else words


def _without_codes(rows: list[str], names: list[str]) -> list[str]:
    """Numbers of the classes, where they stand for them above the columns: "0. Cat"."""
    found = [re.fullmatch(r"(\d+)\. *(.+)", name) for name in classes(rows)]
    codes = {row[1]: row[2] for row in found if row is not None}
    if len(codes) < len(found) or not set(codes) <= set(names):
        return rows
    names[:] = [codes.get(name, name) for name in names]
    return [found_row[2] if (found_row := re.fullmatch(r"(\d+)\. *(.+)", name)) else name for name in rows]
