"""Cross tables of statistics programs and databases: Stata, SAS, psql, ENVI, and what is pasted from a sheet."""

from __future__ import annotations

import re
from dataclasses import replace

from confmat.errors import InputError
from confmat.formats.crosstab import Cross, axis_of, is_total
from confmat.formats.grid import cross_of_grid
from confmat.text import some

__all__ = ["envi_table", "ruled_table", "sas_table", "sheet"]

_RULE = re.compile(r"[ \t]*-+(?:\+-+)+[ \t]*")
_NUMBER = re.compile(r"\S+")


# ---- bars and one kind of rule ---------------------------------------------------------------------------------


def ruled_table(text: str) -> Cross | None:
    """A table whose lines have bars where its rules have crosses: Stata's `tabulate`, psql."""
    lines = text.expandtabs().splitlines()
    top = next((i for i, line in enumerate(lines) if i and _RULE.fullmatch(line) and "|" in lines[i - 1]), None)
    if top is None:
        return None
    bars = [at for at, mark in enumerate(lines[top]) if mark == "+"]
    body = _body(lines, top, _RULE)
    if any("|" in line and not _has_bars(line, bars) for line in body):
        # A row whose bars stand elsewhere must not be left out.
        return None
    rows = [_zones(line, bars) for line in body if _has_bars(line, bars)]
    named = [row for row in rows if row[0].strip()]
    if not named or not _has_bars(lines[top - 1], bars):
        return None
    # Statistics below the counts stand in rows without a name.
    if re.search(r"\bKey\b", text) and "frequency" not in text:
        msg = "the table has shares and no frequencies; print it with its frequencies"
        raise InputError(msg)
    header = _header(_zones(lines[top - 1], bars), named[0])
    cells = [[row[0].strip(), *" ".join(row[1:]).split()] for row in named]
    if any(len(row) != len(header) for row in cells):
        return None
    source = "Stata" if len(header) > len(bars) + 1 else "table with bars"
    return _crossed([header, *cells], *_titles(lines[:top], bars), source)


def _titles(above: list[str], bars: list[int]) -> tuple[str, str]:
    """The names of the rows and of the columns, which may take several lines above the rule."""
    row, column = [_zones(above[-1], bars)[0].strip()], ""
    for line in above[-2:-5:-1]:
        if not _has_bars(line, bars[:1]) and not (line.strip() and not column):
            break
        left, right = _zones(line, bars[:1]) if _has_bars(line, bars[:1]) else ("", line)
        row.insert(0, left.strip())
        column = right.strip(" -") or column
    return " ".join(filter(None, row)), column


def _body(lines: list[str], rule: int, head: re.Pattern[str]) -> list[str]:
    """The lines of a table below its rule; another table further down may be the rest of it."""
    end = rule + 1 + _height(lines, rule + 1)
    if any(map(head.fullmatch, lines[end:])):
        msg = "the text has several tables, or one that goes on below itself; print it wide enough, and give one"
        raise InputError(msg)
    return lines[rule + 1 : end]


def _has_bars(line: str, bars: list[int]) -> bool:
    return all(line[at : at + 1] == "|" for at in bars)


def _zones(line: str, bars: list[int]) -> list[str]:
    ends = [*bars, max(len(line), bars[-1] + 1)]
    starts = [0, *(at + 1 for at in bars)]
    # A blank for the bar keeps the places of all zones but the first.
    return [line[start:end] for start, end in zip(starts, ends, strict=True)]


def _header(names: list[str], row: list[str]) -> list[str]:
    """The names above the numbers of a row: each ends where its numbers end, or has a zone of its own."""
    header = [names[0].strip()]
    for zone, numbers in zip(names[1:], row[1:], strict=True):
        ends = [found.end() for found in _NUMBER.finditer(numbers)]
        if len(ends) == 1:
            header.append(zone.strip())
            continue
        header += [zone[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]
    return header


def _crossed(grid: list[list[str]], row: str, column: str, source: str) -> Cross:
    """The table of a grid without a corner, whose axes have these names."""
    sides = axis_of(row), axis_of(column)
    if sides[0] and sides[0] == sides[1]:
        msg = f"both axes are called by names of one side: {row!r:.40} for the rows, {column!r:.40} for the columns"
        raise InputError(msg)
    if [line[0] for line in grid[1:]] == ["+", "-", "Total"] and grid[0][1:3] == ["D", "~D"]:
        # Stata's `estat classification` says + for what is classified as D.
        grid = [grid[0], *([name, *line[1:]] for name, line in zip(("D", "~D", "Total"), grid[1:], strict=True))]
    side = sides[0] or {"actual": "predicted", "predicted": "actual"}.get(sides[1] or "")
    cross = replace(cross_of_grid([[side or "", *grid[0][1:]], *grid[1:]], source), lines=None)
    return cross if side else replace(cross, axes=tuple(name for name in (row, column) if name))


# ---- SAS --------------------------------------------------------------------------------------------------------

_BAR = "[|│‚]"
_FREQUENCY = re.compile(rf"[ \t]*Frequency[ \t]*{_BAR}.*")


def sas_table(text: str) -> Cross | None:
    """The cross table of PROC FREQ: frequencies, and below each the percentages that were asked for."""
    lines = text.expandtabs().splitlines()
    top = next((i for i, line in enumerate(lines) if _FREQUENCY.fullmatch(line)), None)
    if top is None:
        return None
    end = next((i for i in range(top, len(lines)) if re.fullmatch(r" *[-ƒ]+(?:[+ˆ][-ƒ]+)+[+ˆ]? *", lines[i])), None)
    if end is None:
        return None
    names = [part.strip() for part in re.split(_BAR, lines[end - 1])]
    body = _body(lines, end, _FREQUENCY)
    rows = [row for row in ([part.strip() for part in re.split(_BAR, line)] for line in body) if len(row) > 1]
    named = [row for row in rows if row[0]]
    odd = next((row for row in named if len(row) != len(names)), None)
    if odd is not None:
        msg = f"row {odd[0]!r:.40} of the table has {len(odd) - 1} cells, and the header {len(names) - 1}"
        raise InputError(msg)
    # Totals have no bars; they are checked, and left out as any others.
    named += [words for line in body if len(words := line.split()) == len(names) and words[0] == "Total"][:1]
    said = re.search(r"Table of (\S+) by (\S+)", text)
    above = next((line.split() for line in reversed(lines[:top]) if line.strip()), [])
    row, column = (said[1], said[2]) if said else above if len(above) == 2 else ("", "")
    return _crossed([["", *names[1:]], *named], row, column, "SAS") if named else None


# ---- ENVI -------------------------------------------------------------------------------------------------------

_PIXELS = re.compile(r"[ \t]*Ground Truth \(Pixels\)[ \t]*")


def envi_table(text: str) -> Cross | None:
    """The counts of a confusion matrix of ENVI, which has the ground truth in columns, a few at a time."""
    lines = text.expandtabs().splitlines()
    starts = [i for i, line in enumerate(lines) if _PIXELS.fullmatch(line)]
    grid: list[list[str]] = []
    for start in starts:
        body = [line for line in lines[start + 2 : start + 2 + _height(lines, start + 2)] if line.strip()]
        if not body or len(lines) < start + 2:
            return None
        ends = [found.end() for found in _NUMBER.finditer(body[-1])]
        names = [lines[start + 1][a:b].strip() for a, b in zip([0, *ends], ends, strict=False)]
        rows = [line.rsplit(None, len(ends) - 1) for line in body]
        block = [names, *([row[0].strip(), *row[1:]] for row in rows)]
        if grid and [row[0] for row in grid] != [row[0] for row in block]:
            return None
        grid = [row + more[1:] for row, more in zip(grid, block, strict=True)] if grid else block
    if not grid or len({len(row) for row in grid}) > 1:
        return None
    lost = [name for name in grid[0][1:] if not is_total(name) and name not in {row[0] for row in grid}]
    if lost:
        msg = f"the matrix of ENVI has no row of {some(lost)}: it is cut off"
        raise InputError(msg)
    return replace(cross_of_grid([["predicted", *grid[0][1:]], *grid[1:]], "ENVI"), lines=None)


def _height(lines: list[str], start: int) -> int:
    return next((i for i, line in enumerate(lines[start:]) if not line.strip()), len(lines) - start)


# ---- sheets -----------------------------------------------------------------------------------------------------


def sheet(text: str) -> str:
    """Cells pasted with tabs: lines of one width, without titles above and notes below them that have no tab."""
    lines = text.split("\n")
    inside = [i for i, line in enumerate(lines) if "\t" in line]
    if len(inside) < 3 or '"' in text:
        return text
    kept = [line for line in lines[inside[0] : inside[-1] + 1] if line.strip()]
    width = max(line.count("\t") for line in kept)
    if width < 2 or not all("\t" in line for line in kept):
        return text
    if kept[0].count("\t") < width and not kept[0].startswith("\t"):
        # Pasting has lost the empty cells at the start.
        kept[0] = "\t" * (width - kept[0].count("\t")) + kept[0]
    return "\n".join(line + "\t" * (width - line.count("\t")) for line in kept)
