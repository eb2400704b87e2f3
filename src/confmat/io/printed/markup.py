"""Tables in Markdown, LaTeX and HTML, found in a text that has one."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from confmat.core.errors import InputError
from confmat.core.text import from_latex, from_markdown, from_one_line
from confmat.io.csv_format import CORNER
from confmat.io.printed.crosstab import Cross, cross_of_grid

_BEGIN = re.compile(r"\\begin\{(tabular\*?|tabularx|tabulary|array|longtable|[pbvBV]?matrix\*?)\}")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_LINES = re.compile(
    r"\\(?:toprule|midrule|bottomrule|hline|endhead|endfirsthead|endfoot|endlastfoot|addlinespace)\b(?:\[[^]]*\])?"
    r"|\\(?:cmidrule|cline)\b(?:\([lr]*\))?\{[^}]*\}"
)
_SPANNING = re.compile(r"\\multicolumn\s*\{(\d{1,5})\}\s*\{[^{}]*\}\s*(?=\{)")
_STYLE = re.compile(
    r"\\(?:text(?:bf|it|tt|sf|sc|rm)|emph|mathbf|mathrm|num|multirow\s*(?:\[[^]]*\])?\{[^{}]*\}\{[^{}]*\}"
    r"|rotatebox(?:\[[^]]*\])?\{[^{}]*\}|textcolor(?:\[[^]]*\])?\{[^{}]*\}|underline|makecell)\s*(?=\{)"
)
_OURS = re.compile(r"\A\s*&\s*\\multicolumn\{\d+\}\{c\}\{predicted\}\s*\\\\\s*\\cmidrule\(lr\)\{2-\d+\}\s*actual &")
# A corner cut by a diagonal, the rows below it and the columns above; a third name is that of the cells.
_DIAGONAL = re.compile(
    r"\\(?:diagbox|(?:back)?slashbox)\s*(?:\[[^]]*\])?\s*\{([^{}]*)\}\s*(?:\{[^{}]*\}\s*(?=\{))?\{([^{}]*)\}"
)
# Wider tables are attacks: spans of very many columns.
_MAX_LATEX_COLUMNS = 100_000
_MAX_HTML_COLUMNS = 10_000
_MAX_HTML_CELLS = 4_000_000
_TOO_LARGE = f"the HTML table has more than {_MAX_HTML_COLUMNS:,} columns, or more than {_MAX_HTML_CELLS:,} cells"
# Elements whose text is not shown, or is beside the table.
_SILENT = {"script", "style", "caption", "template", "title"}
_SPANS = re.compile(r"""\b(colspan|rowspan)\s*=\s*["']?\s*(\d{1,7})\b""", re.IGNORECASE)
_NAME = re.compile(r"/?[a-zA-Z][a-zA-Z0-9]*")
# A tag up to its end; within quotation marks, that may be part of a value.
_TAG = re.compile(r"""(?:[^"'>]++|"[^"]*"|'[^']*')*+>""")
# Elements that part words as a blank does.
_APART = {"br", "p", "/p", "div", "/div", "li", "sup"}
Cell = tuple[str, int, int]


# ---- Markdown ----------------------------------------------------------------------------------------------


def markdown_table(text: str) -> Cross | None:
    """The pipe table of a Markdown text; of two, neither is guessed at."""
    lines = text.splitlines()
    rules = [i for i, line in enumerate(lines) if i and "|" in lines[i - 1] and _is_rule(line, lines[i - 1])]
    if not rules:
        return None
    if len(rules) > 1:
        msg = f"the text has {len(rules)} Markdown tables (lines {', '.join(str(i) for i in rules[:5])}); give one"
        raise InputError(msg)
    top, end = rules[0] - 1, rules[0] + 1
    while end < len(lines) and "|" in lines[end]:
        end += 1
    numbers = [top, *range(top + 2, end)]
    grid = [[from_markdown(cell) for cell in _cut(lines[i])] for i in numbers]
    for i, row in zip(numbers, grid, strict=True):
        if len(row) != len(grid[0]):
            msg = f"line {i + 1} has {len(row)} cells where the header of the table has {len(grid[0])}"
            raise InputError(msg)
    if grid[0][0] == CORNER and len(grid) > 1 and grid[0][1:] == [row[0] for row in grid[1:]]:
        return _ours("Markdown", grid, [i + 1 for i in numbers])
    return cross_of_grid([[_plain(cell) for cell in row] for row in grid], "Markdown", [i + 1 for i in numbers])


def _is_rule(line: str, above: str) -> bool:
    """Whether this is the line of dashes below a header of as many cells."""
    if "-" not in line or line.strip(" \t|:-"):
        return False
    cells = _cut(line)
    return len(cells) == len(_cut(above)) and all(re.fullmatch(r":?-+:?", cell) for cell in cells)


def _cut(line: str) -> list[str]:
    """The cells of a line, cut at pipes that no backslash stands before."""
    line = line.strip()
    cells, start, i = [], 0, 0
    while i < len(line):
        if line[i] == "\\":
            i += 2
            continue
        if line[i] == "|":
            cells.append(line[start:i])
            start = i + 1
        i += 1
    cells.append(line[start:])
    if cells[0] == "" and line.startswith("|"):
        cells = cells[1:]
    if cells and cells[-1] == "":
        cells = cells[:-1]
    return [cell.strip() for cell in cells]


def _plain(cell: str) -> str:
    """A cell without bold or code marks around all of it."""
    found = re.fullmatch(r"(\*\*|__|\*|_|`)(.+)\1", cell)
    return found[2] if found else cell


def _ours(source: str, grid: list[list[str]], lines: list[int]) -> Cross:
    names = [from_one_line(name) for name in grid[0][1:]]
    return Cross(
        source=source, cells=[row[1:] for row in grid[1:]], row_names=[from_one_line(row[0]) for row in grid[1:]],
        col_names=names, rows="actual", totals=False, lines=lines[1:],
    )  # fmt: skip


# ---- LaTeX -------------------------------------------------------------------------------------------------


def latex_table(text: str) -> Cross | None:
    """The tabular of a LaTeX text; of two, neither is guessed at."""
    found = list(_BEGIN.finditer(text))
    if not found:
        return None
    if len(found) > 1:
        msg = f"the text has {len(found)} LaTeX tables; give one"
        raise InputError(msg)
    start = found[0].end()
    end = text.find(rf"\end{{{found[0][1]}}}", start)
    if end < 0:
        msg = rf"the LaTeX table has no \end{{{found[0][1]}}}: it is cut off"
        raise InputError(msg)
    line = text.count("\n", 0, start) + 1
    body = _COMMENT.sub(r"\1", _without_columns(text[start:end]))
    ours = _OURS.match(_LINES.sub("", body, count=1)) is not None
    rows = re.split(r"\\\\\*?(?:\[[^]\n]*\])?", _LINES.sub("", body))
    grid = [row for row in ([_shown(cell, ours=ours) for cell in _cells(row)] for row in rows) if any(row)]
    width = max(map(len, grid), default=0)
    if not width:
        msg = "the LaTeX table is empty"
        raise InputError(msg)
    for i, cells in enumerate(grid):
        if len(cells) != width:
            msg = f"row {i + 1} of the LaTeX table has {len(cells)} cells where another has {width}"
            raise InputError(msg)
    if ours and len(grid) > 2 and grid[1][1:] == [row[0] for row in grid[2:]]:
        # Four lines stand between \begin and the names, one between the names and the first row.
        return _ours("LaTeX", grid[1:], [line + 4, *range(line + 6, line + 4 + len(grid))])
    return cross_of_grid(grid, "LaTeX")


def _without_columns(body: str) -> str:
    """The rows, without the arguments that describe the columns."""
    rest = body.lstrip()
    while rest.startswith(("{", "[")):
        end = _closing(rest)
        if "&" in rest[:end] or "\\\\" in rest[:end]:
            break
        rest = rest[end:].lstrip(" \t")
    return rest


def _closing(text: str) -> int:
    """Behind the bracket that closes the one at the start."""
    pair, depth = ("{", "}") if text[0] == "{" else ("[", "]"), 0
    for i, char in enumerate(text):
        depth += (char == pair[0]) - (char == pair[1])
        if depth == 0:
            return i + 1
    return len(text)


def _cells(row: str) -> list[str]:
    cells: list[str] = []
    for part in re.split(r"(?<!\\)&", row):
        span = _SPANNING.search(part)
        cells.append(_SPANNING.sub("", part))
        cells += [""] * (int(span[1]) - 1 if span else 0)
        if len(cells) > _MAX_LATEX_COLUMNS:
            msg = f"a row of the LaTeX table has more than {_MAX_LATEX_COLUMNS:,} cells"
            raise InputError(msg)
    return cells


def _shown(cell: str, *, ours: bool) -> str:
    """The text of a cell: style taken away, escapes undone."""
    if ours:
        cell = cell.strip(" \n")
        return "predicted" if cell == "{predicted}" else from_latex(cell)
    cell = re.sub(r"\s+", " ", re.sub(r"\\(?:cell)?color(?:\[[^]]*\])?\{[^{}]*\}", "", cell)).strip(" ")
    while len(cell) < 10_000 and (style := _STYLE.search(cell)) is not None:
        end = style.end() + _closing(cell[style.end() :])
        cell = cell[: style.start()] + cell[style.end() + 1 : end - 1] + cell[end:]
    cell = _DIAGONAL.sub(r"\1 / \2", cell)
    if cell.startswith("{") and _closing(cell) == len(cell) and cell not in {"{[}", "{]}", "{*}"}:
        cell = cell[1:-1]
    number = cell.strip("$").replace("{,}", ",").replace(r"\,", "").replace("~", "")
    return number if re.fullmatch(r"[\d.,eE+]+", number) else from_latex(cell)


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
            spans = {which.lower(): max(1, min(int(many), _MAX_HTML_COLUMNS)) for which, many in _SPANS.findall(head)}
            self._span = spans.get("colspan", 1), spans.get("rowspan", 1)
            self._text = []
        elif name in _APART:
            self.text(" ")

    def text(self, piece: str) -> None:
        """Add a piece of text to the cell that is open."""
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
    # The end of the comment or script that the next pieces belong to, though tags may occur in them.
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
        if len(line) > _MAX_HTML_COLUMNS or size > _MAX_HTML_CELLS:
            raise InputError(_TOO_LARGE)
        found.append(line)
    found = [line for line in found if line]
    width = max(map(len, found), default=0)
    if width * len(found) > _MAX_HTML_CELLS:
        raise InputError(_TOO_LARGE)
    return [line + [""] * (width - len(line)) for line in found]


def _fill(line: list[str], reach: dict[int, int]) -> None:
    """Cells that others from above reach into."""
    while reach.get(len(line)):
        reach[len(line)] -= 1
        line.append("")
