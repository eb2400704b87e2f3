"""Lines for a terminal: a view as a shaded table that fits, or as a map; a report in pieces that fit. No colours sent.

A line is a list of spans, pieces of text with the colours that they would have. Joined without
colours they are the plain output; `confmat.display.terminal` sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from confmat.core.printing import Square, named, numbered
from confmat.core.text import display_width, isolated, key_of, middle, pad, printable, shortened
from confmat.display.roles import WRONG, Role
from confmat.display.shading import Palette, hexadecimal, ink, mixed

if TYPE_CHECKING:
    from confmat.display.view import MatrixView
    from confmat.reporting import Report

# How wide names may be beside the rows and above the columns: the first pair that fits.
WIDTHS = ((32, 16), (24, 12), (16, 10), (12, 8))
# Where columns have numbers instead of names, a name beside its row keeps at least this much, if it
# needs it.
LEAST_NAME = 8
# More rows are no table any more.
MOST = 60
# Cells on each side of the map of a larger matrix, which has half as many lines.
MOST_BINS = 100
# Up to this many rows, a map has names beside them.
MOST_NAMED = 40
# The bar beside the total of a row: what share of all items it is.
BAR = 6
EIGHTHS = " ▏▎▍▌▋▊▉█"


class Span(NamedTuple):
    """A piece of a line; colours are hexadecimal, or empty for the terminal's own."""

    text: str
    ink: str = ""
    behind: str = ""
    bold: bool = False
    dim: bool = False


Line = list[Span]


def plain(lines: Sequence[Line]) -> str:
    """The lines without colours."""
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def wrapped(text: str, width: int, *, bold: bool = False) -> list[Line]:
    """A remark, faint, or a heading, in lines that fit."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and display_width(lines[-1]) + 1 + display_width(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(middle(word, width))
    return [[Span(line, bold=bold, dim=not bold)] for line in lines]


def ramp_of(
    palette: Palette, role: Role, shade: float, *, difference: bool = False
) -> tuple[str, ...]:
    """The colours from nothing to the most that a cell of a role has."""
    if difference:
        return palette.folded if role is Role.OPEN else palette.more if shade >= 0 else palette.less
    return palette.ramps().get(role, palette.error)


# ---- the table -----------------------------------------------------------------------------------


def table_lines(view: MatrixView, width: int, palette: Palette) -> list[Line] | None:
    """The whole table with its shades, or None if it does not fit."""
    if len(view) > MOST:
        return None
    body = _body(view)
    bare, tight = body._replace(bars=[]), _tight(view, body)
    # The roles and the bars go before names do and before a name is cut, and the totals before it
    # is cut to little.
    full = [body] if body.bars else []
    found = (
        named(view.names, view.row_axis, body, WIDTHS, width)
        for body in (*_with_roles(view, bare), *full, bare)
    )
    tries = ((body, 24), (bare, 12), (tight, LEAST_NAME), (tight._replace(totals=[]), LEAST_NAME))
    placed = next(filter(None, found), None) or numbered(view.names, view.row_axis, tries, width)
    if placed is None:
        return None
    key = key_of(view.names, placed[2])
    return [*_drawn(view, placed[0], placed[1], palette), *(wrapped(key, width) if key else [])]


def _body(view: MatrixView) -> Square:
    if view.shown == "both":
        rows = [[text.replace("\n", " ") for text in row] for row in view.texts]
    else:
        # The remark below says that these are per cent.
        rows = [[text.replace("%", "") for text in row] for row in view.texts]
    if not view.margins:
        return Square([], rows, [], [], [])
    bars = [_bar(share) for share in view.row_shares / np.nanmax(view.row_shares, initial=0.0)]
    totals = [*view.row_texts, view.total_text]
    return Square(
        [], rows, totals, list(view.column_texts), bars if any(map(str.strip, bars)) else []
    )


def _with_roles(view: MatrixView, body: Square) -> list[Square]:
    """The table with its role before each number, if one class is observed."""
    if view.of is None:
        return []
    rows = [
        [f"{view.mark(i, j)} {text}".strip() for j, text in enumerate(row)]
        for i, row in enumerate(body.rows)
    ]
    return [body._replace(rows=rows)]


def _tight(view: MatrixView, body: Square) -> Square:
    """Without separators of thousands and sums of columns, and a dot where nothing is."""
    cells = [
        [
            "·" if value == 0 else text.replace(",", "")
            for text, value in zip(row, values, strict=True)
        ]
        for row, values in zip(body.rows, view.values.tolist(), strict=True)
    ]
    return Square([], cells, [text.replace(",", "") for text in body.totals], [], [], spaces=1)


def _bar(share: float) -> str:
    """A share as a bar, in eighths of a column."""
    if share != share:
        return ""
    eighths = round(share * BAR * 8) or int(share > 0)
    return pad("█" * (eighths // 8) + EIGHTHS[eighths % 8].strip(), BAR)


def _drawn(view: MatrixView, names: list[str], body: Square, palette: Palette) -> list[Line]:
    widths, padding = body.widths(), body.spaces
    left = max(map(display_width, [view.row_axis, *(["total"] if body.foot else []), *names]))
    right = max(map(display_width, ["total", *body.totals])) if body.totals else 0

    def cell(text: str, width: int) -> str:
        return " " + pad(text, width, ">") + " " * (padding - 1)

    def total(text: str) -> Span:
        return Span(f" │ {pad(text, right, '>')}" if body.totals else "", dim=True)

    heads, foot = (
        "".join(starmap(cell, zip(texts, widths, strict=True))) if texts else ""
        for texts in (body.above, body.foot)
    )
    lines: list[Line] = [
        [Span(pad("", left) + " " * padding + view.column_axis, dim=True)],
        [Span(pad(view.row_axis, left), dim=True), Span(" " + heads, bold=True), total("total")],
    ]
    begins = {stop: "" for _, _, stop in view.blocks}
    begins |= {start: middle(printable(name), left) for name, start, _ in view.blocks}
    for i, (name, row) in enumerate(zip(names, body.rows, strict=True)):
        if i in begins:
            lines.append([Span(begins[i], dim=True)])
        line = [Span(pad(name, left) + " ", bold=True)]
        for j, text in enumerate(map(cell, row, widths)):
            line.append(_shaded(view, i, j, text, palette))
        if body.totals:
            line += [total(body.totals[i]), Span(" " + body.bars[i] if body.bars else "", dim=True)]
        lines.append(line)
    if foot:
        lines.append([Span(f"{pad('total', left)} {foot}", dim=True), total(body.totals[-1])])
    return lines


def _shaded(view: MatrixView, row: int, column: int, text: str, palette: Palette) -> Span:
    """A cell in its colour; where nothing is, faint without one."""
    shade = float(view.shades[row, column])
    if shade != shade or shade == 0:
        return Span(text, dim=True)
    ramp = ramp_of(
        palette, Role(int(view.roles[row, column])), shade, difference=view.is_difference
    )
    return _colored(text, ramp, abs(shade), palette)


def _colored(text: str, ramp: tuple[str, ...], shade: float, palette: Palette) -> Span:
    color = mixed(ramp, shade)
    return Span(text, ink(color, palette.text), hexadecimal(color))


# ---- the map -------------------------------------------------------------------------------------


def heat_map(view: MatrixView, width: int, palette: Palette) -> list[Line]:
    """A map without numbers: a row of the matrix in each line while names fit beside it, else two rows in a line."""
    size = len(view)
    side = len(f"{size:,}")
    longest = max(map(display_width, view.names))
    wide = (width - min(longest, WIDTHS[1][0]) - side - 4) // max(size, 1)
    if wide >= 2 and size <= MOST_NAMED:
        return _named_map(view, min(wide, 4), palette)
    bins = min(size, width - side - 1, MOST_BINS)
    edges = np.linspace(0, size, bins, endpoint=False).astype(int)
    colors = _pooled(view, edges, palette)
    step = 10 if bins > 9 else 1
    ruler = "".join(pad(f"{edges[i] + 1:,}", step) for i in range(0, bins, step))
    lines: list[Line] = [_axes(view), [Span(" " * (side + 1) + ruler[:bins].rstrip(), dim=True)]]
    for i in range(0, bins, 2):
        mark = f"{edges[i] + 1:,}" if i % step == 0 else ""
        line = [Span(pad(mark, side, ">") + " ", dim=True)]
        for j in range(bins):
            below = colors[i + 1][j] if i + 1 < bins else ""
            line.append(Span("▀", colors[i][j], below))
        lines.append(line)
    return [*lines, *_held(view, width)]


def _held(view: MatrixView, width: int) -> list[Line]:
    """Places and names of the cells of a map that are shown to hold."""
    view = view if view.row_axis == "actual" else view.turned
    if not view.held:
        return []
    names = dict(zip(view.names, shortened(view.names, width // 3), strict=True))
    rows = [
        [
            f"{i + 1:,} → {j + 1:,}",
            f"{names[view.names[i]]} → {names[view.names[j]]}",
            view.text(i, j).split("\n")[0],
        ]
        for i, j in view.held[:NAMED_CELLS]
    ]
    return [[], *list_lines(["place", "shown to be more than noise", ""], "<<>", rows, (), width)]


def _named_map(view: MatrixView, wide: int, palette: Palette) -> list[Line]:
    """The map with the name and the number of each class beside its row."""
    size = len(view)
    side = len(f"{size:,}")
    left = min(max(map(display_width, view.names)), WIDTHS[1][0])
    colors = _pooled(view, np.arange(size), palette)
    step = 1 if wide > side else 5
    ruler = "".join(pad(str(i + 1), wide * step) for i in range(0, size, step))
    lines: list[Line] = [
        _axes(view),
        [Span(" " * (left + side + 3) + ruler[: wide * size].rstrip(), dim=True)],
    ]
    for i, (name, row) in enumerate(zip(shortened(view.names, left), colors, strict=True)):
        line = [Span(pad(isolated(name), left), bold=True), Span(f"  {i + 1:>{side}} ", dim=True)]
        lines.append([*line, *(Span(" " * wide, behind=color) for color in row)])
    return lines


def _axes(view: MatrixView) -> Line:
    return [Span(f"{view.row_axis} ↓  {view.column_axis} →", dim=True)]


def _pooled(view: MatrixView, edges: Any, palette: Palette) -> list[list[str]]:
    """The colour of every block of cells: that of its strongest cell, hits before errors."""
    dark = np.nan_to_num(np.asarray(view.shades))
    if view.is_difference:
        hued = np.where(view.roles == Role.OPEN, 0.0, dark)
        parts = [
            (palette.more, np.maximum(hued, 0)),
            (palette.less, np.maximum(-hued, 0)),
            (palette.folded, dark - hued),
        ]
    else:
        roles = [Role(role) for role in np.unique(view.roles).tolist()]
        parts = [
            (ramp_of(palette, role, 1.0), np.where(view.roles == role, dark, 0.0)) for role in roles
        ]
    most = np.stack(
        [np.maximum.reduceat(np.maximum.reduceat(part, edges, 0), edges, 1) for _, part in parts]
    )
    which, shades = most.argmax(axis=0).tolist(), most.max(axis=0).tolist()
    return [
        [hexadecimal(mixed(parts[part][0], shade)) for part, shade in zip(*rows, strict=True)]
        for rows in zip(which, shades, strict=True)
    ]


# Cells that are listed of a view that does not fit, and those of a map that are named.
LISTED, NAMED_CELLS = 10, 6


def text_lines(text: str) -> list[Line]:
    """A text that is laid out already: headings of tables bold, remarks at its end faint."""
    lines: list[Line] = []
    first = True
    for line in text.rstrip("\n").split("\n"):
        lines.append([Span(line, bold=first)])
        first = not line.strip()
    return lines


# ---- lists ---------------------------------------------------------------------------------------


def list_lines(
    heads: Sequence[str],
    align: str,
    rows: Sequence[Sequence[str]],
    notes: Sequence[str],
    width: int,
) -> list[Line]:
    """A table of pairs or classes: names are cut to the room that the numbers leave, and the last numbers may go.

    Where rows have one name, the numbers that do not fit are below, beside the names once more.
    """
    # The last column may be a mark without a heading.
    names = [i for i, head in enumerate(heads) if align[i] == "<" and (head or i == 0)]
    sizes = [max(map(display_width, column)) for column in zip(heads, *rows, strict=False)]
    lines: list[Line] = []
    if names == [0]:
        sizes[0] = min(sizes[0], max(width // 3, LEAST_NAME))
        sizes[1:] = [min(size, width - sizes[0] - 2) for size in sizes[1:]]
        for columns in _chunks(sizes, width - sizes[0]):
            lines += [[]] if lines else []
            lines += _columns(heads, align, rows, [0, *columns], sizes)
        return [*lines, *_remarks(notes, width)]
    columns, room = _fitting(sizes, names, width)
    lines = _columns(heads, align, rows, columns, _shared(sizes, names, room))
    return [*lines, *_remarks(notes, width)]


def _fitting(sizes: list[int], names: list[int], width: int) -> tuple[list[int], int]:
    """The columns that fit, without the last numbers if names need their room, and the room of names."""
    least = sum(min(sizes[i], LEAST_NAME) for i in names)
    numbers = [i for i in range(len(sizes)) if i not in names]
    while True:
        columns = sorted([*names, *numbers])
        room = width - sum(sizes[i] for i in numbers) - 2 * (len(columns) - 1)
        if room >= least or not numbers:
            return columns, room
        numbers.pop()


def _columns(
    heads: Sequence[str],
    align: str,
    rows: Sequence[Sequence[str]],
    columns: list[int],
    sizes: list[int],
) -> list[Line]:
    """Some of the columns; what is marked stands out."""
    lines: list[Line] = []
    short = {
        i: [heads[i], *shortened([row[i] for row in rows], sizes[i])]
        for i in columns
        if align[i] == "<"
    }
    for place, row in enumerate([heads, *rows]):
        cells = [
            pad(
                isolated(middle(short.get(i, {place: row[i]})[place], sizes[i])), sizes[i], align[i]
            )
            for i in columns
        ]
        lines.append([Span("  ".join(cells).rstrip(), bold=place == 0 or row[-1] == "*")])
    return lines


def _shared(sizes: list[int], names: list[int], room: int) -> list[int]:
    """Room for names: short ones take what they need, the others the same each."""
    shared = list(sizes)
    for left, i in zip(range(len(names), 0, -1), sorted(names, key=sizes.__getitem__), strict=True):
        shared[i] = min(sizes[i], max(room // left, 1))
        room -= shared[i]
    return shared


def _remarks(notes: Sequence[str], width: int) -> list[Line]:
    lines: list[Line] = [[]] if notes else []
    for note in notes:
        lines += wrapped(note, width)
    return lines


def largest_cells(view: MatrixView, width: int) -> list[Line]:
    """The largest errors of a view that is too large for a table."""
    wrong = np.isin(view.roles, (*WRONG, Role.OPEN))
    sizes = np.where(wrong, np.nan_to_num(np.abs(np.asarray(view.values, dtype=np.float64))), 0.0)
    order = np.argsort(-sizes, axis=None, kind="stable")[:LISTED]
    places = [divmod(place, len(view)) for place in order.tolist() if sizes.flat[place]]
    if not places:
        return []
    rows = [[view.names[i], view.names[j], view.text(i, j).replace("\n", " ")] for i, j in places]
    unit = (
        "difference"
        if view.is_difference
        else "items"
        if view.shown == "counts"
        else f"of {view.normalize or 'all'}"
    )
    heads = [view.row_axis, view.column_axis, unit]
    if view.shown == "none":
        heads, rows = heads[:2], [row[:2] for row in rows]
    return list_lines(heads, "<<>"[: len(heads)], rows, (), width)


# ---- reports -------------------------------------------------------------------------------------


def report_lines(report: Report, width: int, palette: Palette) -> list[Line]:
    """A report as `print` shows it, with as many metrics side by side as fit; the worse a class, the more coloured."""
    table = report.table()
    places, rows = table.places(), [table.heads or [""], *table.abridged()]
    classes = len([place for place in places if place is None or place < len(report.classes)])
    sizes = [max(map(display_width, column)) for column in zip(*rows, strict=False)]
    left = min(sizes[0], max(width // 3, LEAST_NAME))
    sizes = [min(size, width - left - 2) for size in sizes]

    def cell(place: int, column: int) -> Span:
        text = " " + pad(middle(rows[place][column], sizes[column]), sizes[column], ">")
        of = places[place - 1] if 0 < place <= classes and column <= len(report.metrics) else None
        if of is not None and (shade := report.distance(column - 1, of)):
            return _colored(text, palette.error, shade, palette)
        return Span(text, bold=place == 0)

    lines: list[Line] = []
    for columns in [] if report.is_bare else _chunks(sizes, width - left):
        lines += [[]] if lines else []
        for place, row in enumerate(rows):
            lines += [[]] if place == 1 + classes else []
            line = [Span(pad(isolated(middle(row[0], left)), left), bold=place == 0)]
            for column in columns:
                line += [Span(" "), cell(place, column)]
            lines.append(line)
    return [
        *lines,
        *_summary_lines([] if table.summary is None else table.summary.texts(), width, below=bool(lines)),
        *_remarks([*filter(None, [table.hidden()])], width),
        *_remarks(table.notes, width),
    ]  # fmt: skip


def _summary_lines(overall: Sequence[Sequence[str]], width: int, *, below: bool) -> list[Line]:
    """The scores of the whole matrix, a line for each."""
    if not overall:
        return []
    first, second = (max(map(display_width, column)) for column in zip(*overall, strict=True))
    first = min(first, width - second - 2)
    lines = [
        [Span(pad(middle(name, first), first) + "  "), Span(pad(value, second, ">"), bold=True)]
        for name, value in overall
    ]
    return [[], *lines] if below else lines


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
