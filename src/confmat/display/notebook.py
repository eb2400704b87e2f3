"""Notebooks: tables in HTML that are safe, small, and readable where styles and colours are taken away.

There is no script and no style sheet, only attributes. GitHub takes the styles away and leaves a plain table. Colours
are laid over whatever the page has behind them, so that its own text reads on them whether the page is light or dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from confmat import _report_text
from confmat.core import printing
from confmat.core.matrix import ConfusionMatrix
from confmat.core.text import fit, isolated, middle, number, printable, shortened
from confmat.display.roles import Role
from confmat.display.shading import distances
from confmat.display.view import MatrixView, view
from confmat.reporting import Report

__all__ = ["drawn", "html_of"]

# A matrix of more classes is folded to the largest, and its most frequent confusions are listed.
MOST, FOLDED_TO = 30, 24
# Rows of any other table.
MOST_ROWS = 60
NAME, HEADING = 28, 14
# What a last column says, a sentence or a list of names.
WORDS = 300
# Headings stand upright where there are many and they are long.
UPRIGHT_FROM = 8
# All of the same luminance, 0.17: at most this opaque, the text of a light and of a dark page keeps a contrast of 4.5.
MOST_OPAQUE = 0.6
BLUE, ORANGE, GREY, PURPLE = "#2275c2", "#b7580f", "#6c737d", "#8c5eba"
COLOURS = {
    Role.HIT: BLUE, Role.ERROR: ORANGE, Role.OUTSIDE: ORANGE, Role.FOLDED: GREY, Role.TP: BLUE, Role.FP: ORANGE,
    Role.FN: PURPLE, Role.TN: GREY, Role.NEUTRAL: GREY,
}  # fmt: skip

_BOX = '<div style="overflow-x:auto;max-width:100%">'
# `cellpadding` stays where styles are taken away.
_TABLE = (
    '<table cellpadding="4" style="border-collapse:collapse;width:auto;margin:0.3em 0;table-layout:auto;'
    'font-variant-numeric:tabular-nums">'
)
# JupyterLab lets no number through that starts with a point, in notebooks that are not trusted.
_FAINT = "opacity:0.65;"
_LEFT = 'align="left" style="text-align:left;vertical-align:bottom;font-weight:normal;'


def drawn(value: Any) -> str | None:
    """The HTML of a value; None if anything is wrong with it, since showing must never fail."""
    try:
        return html_of(value)
    except Exception:  # noqa: BLE001 - a notebook shows the text instead
        return None


def html_of(value: Any) -> str:
    """A matrix, a view, a report, or a list of classes or confusions, as one table in HTML.

    >>> html = html_of(ConfusionMatrix([[4, 1], [0, 5]], ["no", "<b>"]))
    >>> "<b>" in html, "&lt;b&gt;" in html, "<script" in html
    (False, True, False)
    """
    if isinstance(value, ConfusionMatrix):
        return _matrix(value)
    if isinstance(value, MatrixView):
        return _BOX + _heat_table(value) + _caption([value.caption]) + "</div>"
    if isinstance(value, Report):
        return _report(value)
    if hasattr(value, "_shown") and hasattr(value, "_notes"):
        heads, align, rows = value._shown()
        notes = [f"… and {len(rows) - MOST_ROWS:,} more"] if len(rows) > MOST_ROWS else []
        return _BOX + _plain_table(heads, align, rows[:MOST_ROWS]) + _caption([*notes, *value._notes()]) + "</div>"
    return f'{_BOX}<pre style="font-family:monospace;white-space:pre-wrap">{escape(str(value))}</pre></div>'


# ---- a matrix ----------------------------------------------------------------------------------------------


def _matrix(matrix: ConfusionMatrix) -> str:
    folded = len(matrix.labels) > MOST
    drawn_ = view(matrix, top=FOLDED_TO) if folded else view(matrix)
    right = matrix.diagonal[: matrix.n_classes].sum().item()
    share = f", {right / matrix.total:.1%} on the diagonal" if matrix.total else ""
    size = f"{len(matrix.labels):,} labels, total {number(matrix.total)}{share}"
    if not folded:
        return "".join([_BOX, _heat_table(drawn_), _caption([size, *drawn_.notes]), "</div>"])
    # Of many classes, no map of cells shows what the list does.
    return "".join([_BOX, _caption([size]), _confusions(matrix), _heat_table(drawn_), _caption(drawn_.notes), "</div>"])


def _heat_table(drawn: MatrixView) -> str:
    """Rows are actual, columns are predicted; the darker, the more."""
    heads, names = shortened(drawn.names, HEADING), shortened(drawn.names, NAME)
    upright = len(heads) > UPRIGHT_FROM and max(map(len, heads)) > 5
    size = len(heads)
    above = "".join(_heading(head, name, upright=upright) for head, name in zip(heads, drawn.names, strict=True))
    total = f'<th style="vertical-align:bottom;font-weight:normal;{_FAINT}">total</th>' if drawn.margins else ""
    title = f"<caption>{_text(fit(printable(drawn.title), 200))}</caption>" if drawn.title else ""
    corner = "<th></th>" if total else ""
    over = f'<th colspan="{size}" {_LEFT}{_FAINT}">{escape(drawn.column_axis)}</th>'
    beside = f'<th {_LEFT}{_FAINT}">{escape(drawn.row_axis)}</th>'
    lines = [
        f"{_TABLE}{title}<thead><tr><th></th>{over}{corner}</tr>",
        f'<tr align="right">{beside}{above}{total}</tr></thead><tbody>',
    ]
    for i, name in enumerate(names):
        cells = "".join(_cell(drawn, i, j) for j in range(size))
        margin = f'<td style="{_FAINT}">{drawn.row_texts[i]}</td>' if total else ""
        lines.append(f'<tr align="right">{_side(name, drawn.names[i])}{cells}{margin}</tr>')
    if total:
        sums = "".join(f"<td>{text}</td>" for text in (*drawn.column_texts, drawn.total_text))
        lines.append(f'<tr align="right" style="{_FAINT}"><th scope="row" {_LEFT}">total</th>{sums}</tr>')
    return "".join([*lines, "</tbody></table>"])


def _cell(drawn: MatrixView, row: int, column: int) -> str:
    text = drawn.text(row, column).replace("\n", "<br>")
    shade = float(drawn.shades[row, column])
    if shade != shade or shade == 0:
        return f'<td style="opacity:0.5">{text}</td>'
    role = Role(int(drawn.roles[row, column]))
    colour = (BLUE if shade > 0 else ORANGE) if drawn.is_difference else COLOURS.get(role, GREY)
    return f'<td style="background:{_over(colour, abs(shade))}">{text}</td>'


def _over(colour: str, shade: float) -> str:
    """A colour as opaque as a cell is dark."""
    return f"{colour}{round(255 * MOST_OPAQUE * min(shade, 1.0)):02x}"


def _heading(head: str, name: str, *, upright: bool) -> str:
    text = _text(head)
    if upright:
        text = (
            f'<span style="writing-mode:vertical-rl;text-orientation:sideways;transform:rotate(180deg)">{text}</span>'
        )
        return f'<th scope="col"{_hint(head, name)} style="vertical-align:bottom;white-space:nowrap">{text}</th>'
    return f'<th scope="col"{_hint(head, name)}>{text}</th>'


def _side(short: str, name: str) -> str:
    style = "text-align:left;white-space:nowrap"
    return f'<th scope="row" align="left"{_hint(short, name)} style="{style}">{_text(short)}</th>'


def _hint(short: str, name: str) -> str:
    """What the pointer shows of a name that was cut."""
    return "" if short == name else f' title="{escape(fit(name, 200))}"'


def _text(name: str) -> str:
    """A safe line, kept to itself if it runs from right to left."""
    return escape(name) if isolated(name) == name else f"<bdi>{escape(name)}</bdi>"


def _caption(notes: Sequence[str]) -> str:
    lines = "<br>".join(escape(note) for note in notes if note)
    return f'<div style="{_FAINT}font-size:90%">{lines}</div>' if lines else ""


def _confusions(matrix: ConfusionMatrix) -> str:
    """The most frequent confusions of all classes, folded ones included."""
    rows, many = printing.largest_confusions(matrix)
    if many == 0:
        return ""
    title = f"the {len(rows) - 1:,} largest of {many:,} confusions, of all classes"
    return _caption([title]) + _plain_table(rows[0], "<<>>", rows[1:])


# ---- other tables ------------------------------------------------------------------------------------------


def _plain_table(heads: Sequence[str], align: str, rows: Sequence[Sequence[str]]) -> str:
    sides = ["left" if side == "<" else "right" for side in align]
    lines = [f"{_TABLE}<thead><tr>"]
    lines += [
        f'<th scope="col" align="{side}" style="text-align:{side}">{escape(head)}</th>'
        for head, side in zip(heads, sides, strict=True)
    ]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        bold = "font-weight:bold;" if row[-1] == "*" else ""
        rooms = [*(NAME for _ in sides[1:]), WORDS if sides[-1] == "left" else NAME]
        cells = "".join(_plain_cell(*one, bold) for one in zip(row, sides, rooms, strict=True))
        lines.append(f"<tr>{cells}</tr>")
    return "".join([*lines, "</tbody></table>"])


def _plain_cell(text: str, side: str, room: int, style: str = "") -> str:
    short = middle(text, room)
    return f'<td align="{side}" style="{style}text-align:{side}"{_hint(short, text)}>{_text(short)}</td>'


def _report(report: Report) -> str:
    """Classes and averages in rows, metrics in columns; then what is one number."""
    parts = [_BOX] if report.is_bare else [_BOX, _scores(report)]
    overall = _report_text._overall(report)
    if overall:
        parts.append(_plain_table(["overall", ""], "<>", overall))
    notes = [_report_text.hidden(report), *_report_text.footnotes(report)]
    return "".join([*parts, _caption(notes), "</div>"])


def _scores(report: Report) -> str:
    """The farther a score is from its best, the more it is coloured."""
    heads = [name.replace("_", " ") for name in _report_text._heading(report)]
    lines = [f'{_TABLE}<thead><tr align="right"><th></th>']
    lines += [f'<th scope="col">{escape(head)}</th>' for head in heads[1:]]
    lines.append("</tr></thead><tbody>")
    for row, bad in zip(_report_text._classes(report), distances(report), strict=True):
        marks = [f' style="background:{_over(ORANGE, shade)}"' if shade else "" for shade in (*bad, 0.0)]
        cells = [f"<td{mark}>{escape(text)}</td>" for text, mark in zip(row[1:], marks, strict=True)]
        lines.append(f'<tr align="right">{_side(fit(row[0], NAME), row[0])}{"".join(cells)}</tr>')
    for row in _report_text._means(report):
        cells = [f"<td>{escape(text)}</td>" for text in row[1:]]
        lines.append(f'<tr align="right">{_side(row[0], row[0])}{"".join(cells)}</tr>')
    return "".join([*lines, "</tbody></table>"])
