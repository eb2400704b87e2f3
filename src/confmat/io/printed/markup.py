"""Tables in Markdown and other bars, LaTeX and HTML: the cells, and the words around them."""

from __future__ import annotations

import re
from html import unescape
from itertools import product

from confmat.core.errors import InputError
from confmat.core.text import from_latex, from_markdown, from_one_line
from confmat.io.csv_format import CORNER
from confmat.io.printed.crosstab import Cross, Grid, stored

_BEGIN = re.compile(r"\\begin\{(tabular\*?|tabularx|tabulary|array|longtable|[pbvBV]?matrix\*?)\}")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_LINES = re.compile(
    r"\\(?:toprule|midrule|bottomrule|hline|endhead|endfirsthead|endfoot|endlastfoot|addlinespace)\b(?:\[[^]]*\])?"
    r"|\\(?:cmidrule|cline)\b(?:\([lr]*\))?\{[^}]*\}"
)
_SPANNING = re.compile(r"\\multicolumn\s*\{(\d{1,2})\}\s*\{[^{}]*\}\s*(?=\{)")
_STYLE = re.compile(
    r"(?:\\(?:text(?:bf|it|tt|sf|sc|rm)|emph|mathbf|mathrm|num|multirow\s*(?:\[[^]]*\])?\{[^{}]*\}\{[^{}]*\}"
    r"|rotatebox(?:\[[^]]*\])?\{[^{}]*\}|textcolor(?:\[[^]]*\])?\{[^{}]*\}|underline|makecell)\s*|^(?=\{[^\[\]*].*\}$))"
    r"\{((?:[^{}\\]|\\.)*)\}"
)
_COLOR = re.compile(r"\\(?:cell)?color(?:\[[^]]*\])?\{[^{}]*\}")
_MAX_LATEX_CELL = 10_000
# The arguments that describe the columns.
_COLUMNS = re.compile(
    r"\A\s*(?:\[[^]&\\]*\][ \t]*)?(?:\{(?:[^{}&\\]|\\[^\\]|\{[^{}&]*\})*\}[ \t]*){0,2}"
)
_OURS = re.compile(
    r"\A\s*&\s*\\multicolumn\{\d+\}\{c\}\{predicted\}\s*\\\\\s*\\cmidrule\(lr\)\{2-\d+\}\s*actual &"
)
# A corner cut by a diagonal, the rows below it and the columns above; a third name is that of the
# cells.
_DIAGONAL = re.compile(
    r"\\(?:diagbox|(?:back)?slashbox)\s*(?:\[[^]]*\])?\s*\{([^{}]*)\}\s*(?:\{[^{}]*\}\s*(?=\{))?\{([^{}]*)\}"
)
# Wider tables are attacks: spans of very many columns.
_MAX_HTML_COLUMNS = 10_000
_MAX_HTML_CELLS = 4_000_000
_TOO_LARGE = f"the HTML table has more than {_MAX_HTML_COLUMNS:,} columns, or more than {_MAX_HTML_CELLS:,} cells"
_SPANS = re.compile(r"""\b(colspan|rowspan)\s*=\s*["']?\s*(\d{1,7})\b""", re.IGNORECASE)
# Comments and elements that are not shown.
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template|title)\b.*?(?:</\1\b[^>]*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
# The rest of a tag; within quotation marks, its end may be part of a value.
_REST = r"""\b((?:[^"'<>]++|"[^"<]*+"|'[^'<]*+')*+)>"""
_TABLE, _END, _ROW = (
    re.compile(rf"<{tag}\b[^<>]*>", re.IGNORECASE) for tag in ("table", "/table", "tr")
)
_CELL_OF_ROW, _TAG = (
    re.compile(f"<{tag}{_REST}", re.IGNORECASE) for tag in ("t[dh]", "(/?[a-z][a-z0-9]*)")
)
# Elements that part words as a blank does.
_APART = {"br", "p", "/p", "div", "/div", "li", "sup"}

# ---- bars ----------------------------------------------------------------------------------------

_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
# A cell up to a pipe without a backslash before it.
_CELL = re.compile(r"((?:[^|\\]|\\.?)*+)(?:\||$)")


def bars_grid(text: str) -> Grid | Cross | None:
    """The table of a text in Markdown, or of one in a box; of two, neither is guessed at."""
    lines = text.splitlines()
    rules = [i for i in range(1, len(lines)) if _is_rule(lines[i], lines[i - 1])]
    if len(rules) > 1:
        msg = f"the text has {len(rules)} Markdown tables (lines {', '.join(str(i) for i in rules[:5])}); give one"
        raise InputError(msg)
    if not rules:
        return None
    top, end = rules[0] - 1, rules[0] + 1
    while end < len(lines) and "|" in lines[end]:
        end += 1
    grid = [[from_markdown(cell) for cell in _cut(lines[i])] for i in (top, *range(top + 2, end))]
    around = "\n".join([*lines[:top], "", *lines[end:]])
    return (grid[0][0] == CORNER and stored("Markdown", grid, from_one_line)) or Grid(
        source="Markdown", cells=[[_plain(cell) for cell in row] for row in grid], around=around
    )


def _is_rule(line: str, above: str) -> bool:
    """Whether this is the line of dashes below a header of as many cells."""
    return (
        "|" in above and _RULE.fullmatch(line) is not None and len(_cut(line)) == len(_cut(above))
    )


def _cut(line: str) -> list[str]:
    """The cells of a line of Markdown."""
    cells = [cell[1].strip() for cell in _CELL.finditer(line.strip())]
    cells = cells[1:] if line.lstrip().startswith("|") else cells
    return cells[:-1] if cells and not cells[-1] else cells


def _plain(cell: str) -> str:
    """A cell without bold or code marks around all of it."""
    found = re.fullmatch(r"(\*\*|__|\*|_|`)(.+)\1", cell)
    return found[2] if found else cell


# ---- LaTeX ---------------------------------------------------------------------------------------


def latex_grid(text: str) -> Grid | Cross | None:
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
    body = _COMMENT.sub(r"\1", _COLUMNS.sub("", text[start:end], count=1))
    ours = _OURS.match(_LINES.sub("", body, count=1)) is not None
    rows = re.split(r"\\\\\*?(?:\[[^]\n]*\])?", _LINES.sub("", body))
    grid = [*filter(any, ([_shown(cell, ours=ours) for cell in _cells(row)] for row in rows))]
    if not grid:
        msg = "the LaTeX table is empty"
        raise InputError(msg)
    around = from_latex(f"{text[: found[0].start()]}\n{text[end:]}")
    return (ours and stored("LaTeX", grid[1:], from_one_line)) or Grid(
        source="LaTeX", cells=grid, around=around
    )


def _cells(row: str) -> list[str]:
    cells: list[str] = []
    for part in re.split(r"(?<!\\)&", row):
        span = _SPANNING.search(part)
        cells += [_SPANNING.sub("", part), *[""] * (int(span[1]) - 1 if span else 0)]
    return cells


def _shown(cell: str, *, ours: bool) -> str:
    """The text of a cell: style taken away, escapes undone."""
    if ours:
        cell = cell.strip(" \n")
        return "predicted" if cell == "{predicted}" else from_latex(cell)
    cell, many = re.sub(r"\s+", " ", _COLOR.sub("", cell)).strip(" "), 1
    while many and len(cell) < _MAX_LATEX_CELL:
        # The innermost command first.
        cell, many = _STYLE.subn(r"\1", cell)
    cell = _DIAGONAL.sub(r"\1 / \2", cell)
    number = cell.strip("$").replace("{,}", ",").replace(r"\,", "").replace("~", "")
    return number if re.fullmatch(r"[\d.,eE+]+", number) else from_latex(cell)


# ---- HTML ----------------------------------------------------------------------------------------


def html_grid(text: str) -> Grid | None:
    """The one table of a text in HTML; of two, neither is guessed at."""
    before, *tables = _TABLE.split(_HIDDEN.sub("", text))
    if not tables:
        return None
    if len(tables) > 1:
        msg = f"the HTML has {len(tables)} tables; give one, without others in its cells"
        raise InputError(msg)
    inside, _, after = _END.sub("\0", tables[0]).partition("\0")
    around, rows = [before, after], []
    for part in _ROW.split(inside):
        # The caption is before the first cell.
        first, *cells = _CELL_OF_ROW.split(part)
        around.append(first)
        spans = [
            {which.lower(): max(1, int(many)) for which, many in _SPANS.findall(head)}
            for head in cells[::2]
        ]
        rows.append(
            [
                (" ".join(_bare(cell).split()), span.get("colspan", 1), span.get("rowspan", 1))
                for span, cell in zip(spans, cells[1::2], strict=True)
            ]
        )
    return Grid(
        source="HTML",
        cells=_filled([row for row in rows if row]),
        around="\n".join(map(_bare, around)),
    )


def _bare(text: str) -> str:
    """A text without tags, with blanks for those that part words."""
    return unescape(_TAG.sub(lambda tag: " " if tag[1].lower() in _APART else "", text))


def _filled(rows: list[list[tuple[str, int, int]]]) -> list[list[str]]:
    """Rows of one width; what spans several cells has its text in the first."""
    if sum(wide * min(deep, len(rows)) for row in rows for _, wide, deep in row) > _MAX_HTML_CELLS:
        raise InputError(_TOO_LARGE)
    found: dict[tuple[int, int], str] = {}
    width = 0
    for i, row in enumerate(rows):
        j = 0
        for text, wide, deep in row:
            while (i, j) in found:
                j += 1
            for place in product(range(i, min(i + deep, len(rows))), range(j, j + wide)):
                found[place] = text if place == (i, j) else ""
            width = max(width, j + wide)
    if width > _MAX_HTML_COLUMNS or width * len(rows) > _MAX_HTML_CELLS:
        raise InputError(_TOO_LARGE)
    return [[found.get((i, j), "") for j in range(width)] for i in range(len(rows))]
