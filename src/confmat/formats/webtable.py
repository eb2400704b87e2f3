"""The table of a web page or of a report in HTML: its cells, also where they span rows and columns."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from confmat.errors import InputError
from confmat.formats.crosstab import Cross
from confmat.formats.grid import cross_of_grid

__all__ = ["html_table"]

# No table is wider; a span of many columns is a bomb.
_WIDEST = 10_000
_MOST_CELLS = 4_000_000
_TOO_LARGE = f"the HTML table has more than {_WIDEST:,} columns, or more than {_MOST_CELLS:,} cells"
# What these hold is not shown, or stands beside the table.
_SILENT = {"script", "style", "caption", "template", "title"}
_SPANS = re.compile(r"""\b(colspan|rowspan)\s*=\s*["']?\s*(\d{1,7})\b""", re.IGNORECASE)
_NAME = re.compile(r"/?[a-zA-Z][a-zA-Z0-9]*")
# A tag up to its end; within quotation marks, that may be part of a value.
_TAG = re.compile(r"""(?:[^"'>]++|"[^"]*"|'[^']*')*+>""")
# What stands apart from what is before it, though no blank is between them.
_APART = {"br", "p", "/p", "div", "/div", "li", "sup"}

Cell = tuple[str, int, int]


class _Reader:
    """Collects the rows of every table: text, columns and rows of each cell."""

    def __init__(self) -> None:
        self.tables: list[list[list[Cell]]] = []
        self.inside = False
        self._text: list[str] | None = None
        self._span = (1, 1)

    def tag(self, name: str, head: str) -> None:
        """Begin or end a table, a row or a cell."""
        if name in {"td", "th", "tr", "/td", "/th", "/tr", "/table", "table"}:
            self._end_cell()
        if name == "table":
            if self.inside:
                msg = "the HTML has a table within a table; give the inner one"
                raise InputError(msg)
            self.inside = True
            self.tables.append([])
        elif name == "/table":
            self.inside = False
        elif self.inside and name == "tr":
            self.tables[-1].append([])
        elif self.inside and name in {"td", "th"}:
            spans = {which.lower(): max(1, min(int(many), _WIDEST)) for which, many in _SPANS.findall(head)}
            self._span = spans.get("colspan", 1), spans.get("rowspan", 1)
            self._text = []
        elif name in _APART:
            self.text(" ")

    def text(self, piece: str) -> None:
        """What a cell shows."""
        if self._text is not None:
            self._text.append(piece)

    def _end_cell(self) -> None:
        if self._text is not None:
            if not self.tables[-1]:
                self.tables[-1].append([])
            self.tables[-1][-1].append((" ".join(unescape("".join(self._text)).split()), *self._span))
        self._text = None


def _tables(text: str) -> list[list[list[Cell]]]:
    """The tables of a page, by one walk through its tags."""
    reader = _Reader()
    # What the next pieces are part of, though tags may stand in them.
    until = ""
    for i, piece in enumerate(text.split("<")):
        found = _TAG.match(piece)
        end = piece.find(">") if found is None else found.end() - 1
        head, closed, after = piece[:end], end >= 0, piece[end + 1 :]
        if i and not until and piece.startswith("!--"):
            until = "-->"
        if until:
            if until == "-->" and until in piece:
                until, after = "", piece.partition("-->")[2]
            elif head.lower().startswith(until):
                until = ""
            else:
                continue
        elif i and closed:
            known = _NAME.match(head)
            name = known[0].lower() if known is not None else ""
            reader.tag(name, head[:1000])
            if name in _SILENT:
                until = f"/{name}"
                continue
        else:
            # A sign, and no tag.
            after = f"<{piece}" if i else piece
        reader.text(after)
    reader.tag("/table", "")
    return [rows for rows in reader.tables if any(rows)]


def html_table(text: str) -> Cross | None:
    """The one table of a text in HTML; of two, neither is guessed at."""
    if "<table" not in text.lower():
        return None
    tables = _tables(text)
    if len(tables) != 1:
        msg = f"the HTML has {len(tables)} tables; give one" if tables else "the HTML table is empty"
        raise InputError(msg)
    return replace(cross_of_grid(_grid(tables[0]), "HTML"), lines=None)


def _grid(rows: list[list[Cell]]) -> list[list[str]]:
    """Rows of one width; what spans several cells has its text in the first."""
    found: list[list[str]] = []
    # By column: how many more rows a cell above reaches down.
    reach: dict[int, int] = {}
    size = 0
    for row in rows:
        line: list[str] = []
        for text, wide, deep in row:
            _fill(line, reach)
            for i in range(wide):
                reach[len(line)] = deep - 1
                line.append("" if i else text)
        _fill(line, reach)
        size += len(line)
        if len(line) > _WIDEST or size > _MOST_CELLS:
            raise InputError(_TOO_LARGE)
        found.append(line)
    found = [line for line in found if line]
    width = max(map(len, found), default=0)
    if width * len(found) > _MOST_CELLS:
        raise InputError(_TOO_LARGE)
    return [line + [""] * (width - len(line)) for line in found]


def _fill(line: list[str], reach: dict[int, int]) -> None:
    """Cells that others from above reach into."""
    while reach.get(len(line)):
        reach[len(line)] -= 1
        line.append("")
