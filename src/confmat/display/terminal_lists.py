"""Lines for a terminal: reports and lists of confusions, in columns that fit; what is bad is coloured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from confmat.display.shading import Palette, hexadecimal, ink, mixed
from confmat.display.terminal_layout import Line, Span, wrapped
from confmat.display.view_roles import Role
from confmat.text import display_width, isolated, middle, pad

if TYPE_CHECKING:
    from confmat.display.view import MatrixView
    from confmat.reporting import Report

__all__ = ["largest_cells", "list_lines", "report_lines", "text_lines"]

# A name keeps this much, if it needs it.
LEAST_NAME = 8
# Cells that are listed of a view that does not fit.
LISTED = 10


def text_lines(text: str) -> list[Line]:
    """A text that is laid out already: headings of tables bold, remarks at its end faint."""
    lines: list[Line] = []
    first = True
    for line in text.rstrip("\n").split("\n"):
        lines.append([Span(line, bold=first)])
        first = not line.strip()
    return lines


# ---- lists -------------------------------------------------------------------------------------------------


def list_lines(
    heads: Sequence[str], align: str, rows: Sequence[Sequence[str]], notes: Sequence[str], width: int
) -> list[Line]:
    """A table of pairs or classes: names are cut to the room that the numbers leave, and the last numbers may go.

    Where rows have one name, the numbers that do not fit stand below, beside the names once more.
    """
    # The last column may be a mark without a heading.
    names = [i for i, head in enumerate(heads) if align[i] == "<" and (head or i == 0)]
    sizes = [max(display_width(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    lines: list[Line] = []
    if names == [0]:
        sizes[0] = min(sizes[0], max(width // 3, LEAST_NAME))
        sizes[1:] = [min(size, width - sizes[0] - 2) for size in sizes[1:]]
        for columns in _chunks(sizes, width - sizes[0]):
            lines += [[]] if lines else []
            lines += _columns(heads, align, rows, [0, *columns], sizes)
        return [*lines, *_remarks(notes, width)]
    columns = list(range(len(heads)))
    while True:
        numbers = [i for i in columns if i not in names]
        room = width - sum(sizes[i] for i in numbers) - 2 * (len(columns) - 1)
        if room >= sum(min(sizes[i], LEAST_NAME) for i in names) or not numbers:
            break
        columns.remove(numbers[-1])
    return [*_columns(heads, align, rows, columns, _shared(sizes, names, room)), *_remarks(notes, width)]


def _columns(
    heads: Sequence[str], align: str, rows: Sequence[Sequence[str]], columns: list[int], sizes: list[int]
) -> list[Line]:
    """Some of the columns; what is marked stands out."""
    lines: list[Line] = []
    for place, row in enumerate([heads, *rows]):
        cells = [pad(isolated(middle(row[i], sizes[i])), sizes[i], align[i]) for i in columns]
        lines.append([Span("  ".join(cells).rstrip(), bold=place == 0 or row[-1] == "*")])
    return lines


def _shared(sizes: list[int], names: list[int], room: int) -> list[int]:
    """Room for names: short ones take what they need, the others the same each."""
    found = list(sizes)
    for left, i in zip(range(len(names), 0, -1), sorted(names, key=sizes.__getitem__), strict=True):
        found[i] = min(sizes[i], max(room // left, 1))
        room -= found[i]
    return found


def _remarks(notes: Sequence[str], width: int) -> list[Line]:
    lines: list[Line] = [[]] if notes else []
    for note in notes:
        lines += wrapped(note, width)
    return lines


def largest_cells(view: MatrixView, width: int) -> list[Line]:
    """The largest errors of a view that is too large for a table."""
    wrong = np.isin(view.roles, (Role.ERROR, Role.FP, Role.FN, Role.OUTSIDE))
    sizes = np.where(wrong, np.nan_to_num(np.abs(np.asarray(view.values, dtype=np.float64))), 0.0)
    order = np.argsort(-sizes, axis=None, kind="stable")[:LISTED]
    places = [divmod(place, len(view)) for place in order.tolist() if sizes.flat[place]]
    if not places:
        return []
    rows = [[view.names[i], view.names[j], view.text(i, j).replace("\n", " ")] for i, j in places]
    unit = "difference" if view.is_difference else "items" if view.normalize is None else f"of {view.normalize}"
    heads = [view.row_axis, view.column_axis, unit]
    if view.shown == "none":
        heads, rows = heads[:2], [row[:2] for row in rows]
    return list_lines(heads, "<<>"[: len(heads)], rows, (), width)


# ---- reports -----------------------------------------------------------------------------------------------


def report_lines(report: Report, width: int, palette: Palette) -> list[Line]:
    """A report as `print` shows it, with as many metrics side by side as fit; the worse a class, the more coloured."""
    table = report.table()
    places = table.places()
    head, rows = table.heads, [table.heads, *table.abridged()]
    classes = len([place for place in places if place is None or place < len(report.classes)])
    sizes = [max(display_width(row[i]) for row in rows) for i in range(len(head))]
    left = min(sizes[0], max(width // 3, LEAST_NAME))
    sizes = [min(size, width - left - 2) for size in sizes]
    lines: list[Line] = []
    for columns in [] if report.is_bare else _chunks(sizes, width - left):
        lines += [[]] if lines else []
        for place, row in enumerate(rows):
            if place == 1 + classes:
                lines.append([])
            name = pad(isolated(middle(row[0], left)), left)
            line = [Span(name, bold=place == 0)]
            for i in columns:
                text = " " + pad(middle(row[i], sizes[i]), sizes[i], ">")
                row_of = places[place - 1] if 0 < place <= classes and i <= len(report.metrics) else None
                shade = 0.0 if row_of is None else report.distance(i - 1, row_of)
                line += [Span(" "), _coloured(text, shade, palette) if shade else Span(text, bold=place == 0)]
            lines.append(line)
    overall = [] if table.summary is None else table.summary.texts()
    if overall:
        first, second = (max(display_width(row[i]) for row in overall) for i in (0, 1))
        lines += [[]] if lines else []
        first = min(first, width - second - 2)
        lines += [
            [Span(pad(middle(name, first), first) + "  "), Span(pad(value, second, ">"), bold=True)]
            for name, value in overall
        ]
    missing = table.hidden()
    lines += _remarks([missing] if missing else [], width)
    return [*lines, *_remarks(table.notes, width)]


def _chunks(sizes: list[int], room: int) -> list[list[int]]:
    """Columns behind the names, in runs that fit."""
    chunks: list[list[int]] = [[]]
    used = 0
    for i, size in enumerate(sizes[1:], 1):
        if chunks[-1] and used + 2 + size > room:
            chunks.append([])
            used = 0
        chunks[-1].append(i)
        used += 2 + size
    return chunks


def _coloured(text: str, shade: float, palette: Palette) -> Span:
    colour = mixed(palette.error, shade)
    return Span(text, ink(colour, palette.text), hexadecimal(colour))
