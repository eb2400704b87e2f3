"""Heat maps: cells, names and totals, the support to their right, and below the scales of the colours or the roles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox, DrawingArea, HPacker, VPacker
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from confmat.core.printing import shaded
from confmat.core.text import shortened, undressed
from confmat.display import view as view_text
from confmat.display.plot.style import (
    LEAST_POINTS,
    Look,
    figure_of,
    inches_of,
    laid_out,
    new_figure,
)
from confmat.display.roles import OBSERVED, Role
from confmat.display.shading import ink, mixed, painted
from confmat.display.view import MatrixView

# Inches of a cell by the number of labels, of a panel and of a whole drawing; points of the
# smallest text.
_CELLS = ((3, 0.95), (5, 0.75), (8, 0.62), (12, 0.52), (20, 0.4), (32, 0.32), (64, 0.17))
_LARGEST, _LARGEST_WRITTEN, _LARGEST_ASKED = 9.2, 11.0, 40.0
_TEXT = {4: 11.0, 8: 10.0, 12: 9.0, 20: 8.0}
# Up to this many labels cells are drawn as shapes; of more, as a picture whose pixels are cells.
MOST_SHAPES = 64
# Smaller cells, in points, are a picture too: lines between them would drown them.
LEAST_SHAPE = 6.0
# A picture has this many pixels a side at most, so that each can be seen; of several cells it shows
# the darkest.
MOST_PIXELS = 400
# Zeros are written in small drawings only.
MOST_ZEROS = 12
# The most rings around the foremost cells that are shown to hold, and the least side of each such
# cell, in points.
MOST_RINGS, LEAST_SHOWN = 7, 4.5
LONGEST_NAME = 24
# Beside smaller drawings on given axes, in points, support would leave no room for the cells.
_LEAST_FOR_SUPPORT = 220.0
# Inches that a layout leaves between axes; and the part of the width of given axes that names take
# at most.
_APART = 0.12
_MOST_FOR_NAMES = 0.3


@dataclass(frozen=True)
class Wishes:
    """Wishes about the drawing itself."""

    title: str | None = None
    # False in a small multiple whose neighbours show these names already.
    names_rows: bool = True
    names_columns: bool = True
    panel: bool = False


def side_of(view: MatrixView, look: Look, wishes: Wishes) -> float:
    """Inches of a side that show a view well: cells large enough for what they say, within reason."""
    n = len(view)
    cell = next((inches for most, inches in _CELLS if n <= most), 9.0 / n) * look.scale
    if wishes.panel:
        return max(min(n * cell * 0.8, 2.6), 1.4)
    if not view.is_automatic and view.shown != "none":
        need = _needed(_texts(view), look, LEAST_POINTS) / 72
        return min(max(n * cell, n * need), _LARGEST_ASKED)
    if n <= MOST_SHAPES // 2:
        cell = max(cell, min(_needed(_texts(view), look, _size_for(n)) / 72, 1.6 * cell))
    return min(max(n * cell, 1.6), _LARGEST if n > MOST_SHAPES // 2 else _LARGEST_WRITTEN)


def _size_for(n: int) -> float:
    return next((size for most, size in _TEXT.items() if n <= most), 7.0)


def _needed(texts: Mapping[tuple[int, int], str], look: Look, size: float) -> float:
    """Points of a side of a cell in which every text fits."""
    lines = max((text.count("\n") + 1 for text in texts.values()), default=1)
    return max(look.width(texts.values(), size) + 5, 1.2 * lines * look.points(size) + 4)


def cell_points(ax: Axes, n: int, *, shared: bool = False) -> float:
    """Points of a side of a cell, as the axes are now; if shared, as if their neighbours took as much room as they."""
    box, dpi = ax.get_window_extent(), figure_of(ax).dpi
    sides = [box.width, box.height]
    if (
        shared
        and figure_of(ax).get_layout_engine() is not None
        and (outer := ax.get_tightbbox()) is not None
    ):
        whole = inches_of(ax)
        sides += [dpi * (whole[0] - _APART) - outer.width + box.width]
        sides += [dpi * (whole[1] - _APART) - outer.height + box.height]
    return float(max(min(sides), 1.0)) * 72 / dpi / n


# ---- drawing -------------------------------------------------------------------------------------


def draw(view: MatrixView, ax: Axes, look: Look, wishes: Wishes, points: float | None) -> None:
    """Draw a view; `points` is the side of a cell if it is known, and measured otherwise."""
    n, own = len(view), points is not None
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal")
    points = cell_points(ax, n) if points is None else points
    wide = math.inf if own else 72 * inches_of(ax)[0]
    _names(view, ax, look, wishes, points, wide)
    for _ in range(0 if own else 3):
        # Names take their room from axes of a given size, and have the size that the cells then
        # leave.
        laid_out(figure_of(ax), 3)
        before, points = points, cell_points(ax, n, shared=True)
        if abs(points - before) < 0.03 * before:
            break
        _names(view, ax, look, wishes, points, wide)
    notes = _cells(view, ax, look, points)
    ax.spines[:].set(visible=n > MOST_SHAPES, color=look.palette.line, linewidth=0.8)
    _blocks(view, ax, look, None if wishes.panel else points)
    lowest = _label(view, ax, look, wishes, notes, points * n, wide)
    if wishes.panel:
        _rings(view, ax, look, points, named=False, written=_write(view, ax, look, wishes, points))
        return
    if own or _has_room_for_support(view, ax, look, wishes, points):
        _support(view, ax, look, points * n)
    if view.of is not None:
        _roles(view, ax, look, lowest)
    if not own:
        # All around the cells has taken its room.
        laid_out(figure_of(ax), 3)
        points = cell_points(ax, n, shared=True)
    written = _write(view, ax, look, wishes, points)
    _rings(view, ax, look, points, named=True, written=written)
    if view.of is None and not written:
        _scales(view, ax, look, lowest, points * n, wide)
        if not own:
            laid_out(figure_of(ax), 3)
            _names(view, ax, look, wishes, cell_points(ax, n, shared=True), wide)


def _cells(view: MatrixView, ax: Axes, look: Look, points: float) -> list[str]:
    """The coloured cells; what to say about them."""
    n = len(view)
    if n <= MOST_SHAPES and points >= LEAST_SHAPE:
        colors = painted(view.shades, view.roles, look.palette, difference=view.is_difference)
        edges = np.arange(n + 1) - 0.5
        line = 1.2 if n <= 12 else 0.6 if n <= 32 else 0.3
        ax.pcolormesh(edges, edges, colors, edgecolors=look.page, linewidth=line)
        return []
    shades, roles, step = _pooled(view)
    colors = painted(shades, roles, look.palette, difference=view.is_difference)
    far = len(shades) * step - 0.5
    ax.imshow(colors, extent=(-0.5, far, far, -0.5), interpolation="nearest", aspect="equal")
    return [f"a dot is the darkest of {step} × {step} cells, hits first"] if step > 1 else []


def _pooled(view: MatrixView) -> tuple[Any, Any, int]:
    """Shades and roles of fewer, larger cells: of each square of cells that which stands out most."""
    n = len(view)
    step = -(-n // MOST_PIXELS)
    if step == 1:
        return view.shades, view.roles, 1
    size = -(-n // step) * step
    shades = np.full((size, size), np.nan)
    shades[:n, :n] = view.shades
    roles = np.full((size, size), Role.EMPTY, dtype=np.uint8)
    roles[:n, :n] = view.roles
    blocks, kinds = (_squares(part, step) for part in (shades, roles))
    weight = np.where(np.isnan(blocks), -1.0, np.abs(blocks))
    # Errors beside large hits would hide the diagonal.
    best = (weight + 2 * np.isin(kinds, (Role.HIT, Role.TP))).argmax(axis=-1)[..., None]
    return (
        np.take_along_axis(blocks, best, -1)[..., 0],
        np.take_along_axis(kinds, best, -1)[..., 0],
        step,
    )


def _squares(table: Any, step: int) -> Any:
    count = len(table) // step
    return table.reshape(count, step, count, step).swapaxes(1, 2).reshape(count, count, step * step)


def _names(
    view: MatrixView, ax: Axes, look: Look, wishes: Wishes, points: float, wide: float
) -> None:
    """Names along both axes: all while they are legible, else at regular distances, or those of the blocks."""
    n, least = len(view), 1.15 * look.points(0)
    size = min(10.0, points / look.scale * 0.62)
    if points < least and view.blocks:
        middles = [(start + stop - 1) / 2 for _, start, stop in view.blocks]
        size = min(9.0, 0.62 * min(stop - start for _, start, stop in view.blocks) * points)
        places, names = _apart(
            middles, [name for name, _, _ in view.blocks], 1.15 * look.points(size) / points
        )
    else:
        step = 1
        if points < least:
            # Fewer names leave room for larger ones.
            size = 6.5
            step = _step(1.7 * look.points(size) / points)
        places, names = list(range(0, n, step)), list(view.names[::step])
    names = _cut([look.safe(name) for name in names], look, size, _MOST_FOR_NAMES * wide)
    ax.tick_params(
        length=0 if len(names) == n else 3, width=0.6, color=look.muted, pad=2 if look.paper else 4
    )
    if wishes.names_rows:
        ax.set_yticks(places, labels=names, **look.font(size))
    else:
        ax.set_yticks([])
    if not wishes.names_columns:
        ax.set_xticks([])
        return
    rotation = _rotation(
        look, names, size, points * (places[1] - places[0] if len(places) > 1 else 1)
    )
    turned: dict[str, Any] = {"rotation": 0, "ha": "center", "rotation_mode": "default"}
    if rotation:
        turned = {"rotation": rotation, "ha": "right", "rotation_mode": "anchor"}
    if rotation >= 90:
        turned["va"] = "center"
    ax.set_xticks(places, labels=names, **look.font(size), **turned)
    _stress(view, ax, look, places)


def _cut(names: list[str], look: Look, size: float, room: float) -> list[str]:
    """Names that differ, cut to a width in points."""
    cuts = (shortened(names, longest) for longest in (LONGEST_NAME, 20, 16, 13, 10, 8))
    return next((cut for cut in cuts if look.width(cut, size) <= room), shortened(names, 6))


def _stress(view: MatrixView, ax: Axes, look: Look, places: list[Any]) -> None:
    """The observed class in bold."""
    if view.of is None or view.of not in view.labels:
        return
    place = view.labels.index(view.of)
    for axis in (ax.xaxis, ax.yaxis):
        for at, label in zip(places, axis.get_ticklabels(), strict=False):
            if at == place:
                label.set(**look.bold(label.get_text(), float(label.get_fontsize()) / look.scale))


def _step(least: float) -> int:
    """Every how many labels are named, a round number."""
    return next(
        (step for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500) if step >= least), 1000
    )


def _apart(places: list[float], names: list[str], least: float) -> tuple[list[float], list[str]]:
    """Keep each tick that is far enough from the one before."""
    kept: list[tuple[float, str]] = []
    for place, name in zip(places, names, strict=True):
        if not kept or place - kept[-1][0] >= least:
            kept.append((place, name))
    return [place for place, _ in kept], [name for _, name in kept]


def _rotation(look: Look, names: list[str], size: float, room: float) -> float:
    if look.width(names, size) <= 0.94 * room:
        return 0.0
    return 45.0 if room >= 1.5 * look.points(size) else 90.0


def _blocks(view: MatrixView, ax: Axes, look: Look, points: float | None) -> None:
    """Frames of the groups, and above them their names where those of the classes are below."""
    width = 1.2 if len(view) <= MOST_SHAPES else 0.7
    for _, start, stop in view.blocks:
        frame = Rectangle((start - 0.5, start - 0.5), stop - start, stop - start)
        frame.set(fill=False, edgecolor=look.text, linewidth=width, clip_on=False)
        ax.add_patch(frame)
    if points is None or not view.blocks or points < 1.15 * look.points(0):
        return
    size, (given, starts, stops) = 8.5, zip(*view.blocks, strict=True)
    names = _cut([*map(look.safe, given)], look, size, 110)
    sizes = points * np.subtract(stops, starts)
    fits = all(map(lambda name, room: look.width([name], size) <= 0.96 * room, names, sizes))
    middles = ((np.add(starts, stops) - 1) / 2).tolist()
    if not fits:
        middles, names = _apart(middles, names, 1.15 * look.points(size) / points)
    top = ax.secondary_xaxis("top")
    top.set_xticks(
        middles, labels=names, **look.bold("".join(names), size), rotation=0 if fits else 90
    )
    top.tick_params(length=0, pad=2)
    top.spines["top"].set_visible(False)


# ---- texts ---------------------------------------------------------------------------------------


def _texts(view: MatrixView) -> dict[tuple[int, int], str]:
    """Texts of the cells that have one, by place."""
    n = len(view)
    there = np.ones((n, n), bool) if n <= MOST_ZEROS else (view.counts != 0) | np.isnan(view.shares)
    places = [(int(row), int(column)) for row, column in np.argwhere(there)]
    if view.of is None or n > MOST_ZEROS:
        return {place: view.text(*place) for place in places}
    return {place: f"{view.mark(*place)}\n{view.text(*place)}".lstrip() for place in places}


def _forms(view: MatrixView, look: Look, wishes: Wishes) -> Iterator[dict[tuple[int, int], str]]:
    """The texts of the cells; where room is scarce also shorter ones, as long as these say the same."""
    yield (texts := _texts(view))
    if not (look.paper or wishes.panel) or not view.is_automatic:
        return
    rates = view.shown == "percent"
    nothing = {"+0", view_text.MINUS + "0"}
    for digits in dict.fromkeys((view.digits, 0) if rates else (view.digits,)):
        texts = _texts(replace(view, digits=digits))
        short = {place: text.replace("%", "").replace(",", "") for place, text in texts.items()}
        # A nought is what is rounded to it; what is nothing stays empty, and so does a difference
        # of nearly nothing.
        whole = rates and not digits
        yield {
            at: text
            for at, text in short.items()
            if not whole or (view.counts[at] and text not in nothing)
        }


def _fitting(
    view: MatrixView, look: Look, wishes: Wishes, points: float
) -> tuple[dict[tuple[int, int], str], float]:
    """The longest texts that fit into cells, and their size; none and 0 where nothing fits."""
    if view.shown != "none" and points >= look.points(0):
        least = look.points(0) / look.scale
        sizes = [*np.arange(_size_for(len(view)), least, -0.5).tolist(), least]
        spare = 3 if look.paper else 2
        for texts in _forms(view, look, wishes):
            for size in sizes:
                if _needed(texts, look, size) - spare <= points:
                    return texts, size
    return {}, 0.0


def _write(view: MatrixView, ax: Axes, look: Look, wishes: Wishes, points: float) -> bool:
    """Write into the cells what they say, if it fits or was asked for; whether it was written."""
    texts, size = _fitting(view, look, wishes, points)
    shrunk: dict[str, Any] = {}
    if not size:
        if view.shown == "none" or view.is_automatic:
            return False
        texts = _texts(view)
        shrunk = {"size": max(look.points(0) * points / _needed(texts, look, 0), 1.0)}
    colors = painted(view.shades, view.roles, look.palette, difference=view.is_difference)
    held = set(view.held)
    for (row, column), text in texts.items():
        behind = tuple(colors[row, column])
        # Nothing may be too pale, though it is still to be read.
        wanted = look.palette.muted if view.counts[row, column] == 0 else look.palette.text
        font = (
            look.bold(text, size) if (row, column) in held and not look.paper else look.font(size)
        )
        style = font | {
            "color": ink(behind, wanted),
            "ha": "center",
            "va": "center",
            "linespacing": 1.15,
            "zorder": 5,
        }
        # They lie within the cells, so a layout need not measure them.
        ax.text(column, row, text, **(style | shrunk)).set_in_layout(False)
    return bool(texts)


def _rings(
    view: MatrixView, ax: Axes, look: Look, points: float, *, named: bool, written: bool
) -> None:
    """Rings around the foremost cells that are shown, with their names where numbers are not; none is too small."""
    if points < LEAST_SHOWN and view.held and not view.is_difference:
        down, across = np.array(view.held).T
        ramp = look.palette.error
        colors = [mixed(ramp, float(view.shades[cell])) for cell in view.held]
        ax.scatter(across, down, s=LEAST_SHOWN**2, c=colors, marker="s", linewidths=0, zorder=3)
    size = 7.5
    side = max(1.0, (LEAST_SHOWN + 4) / points)
    taken: list[tuple[float, float, float]] = []
    for row, column in view.held[:MOST_RINGS]:
        for color, width in ((look.page, 3.0), (look.text, 1.2)):
            ring = Rectangle((column - side / 2, row - side / 2), side, side)
            ring.set(fill=False, edgecolor=color, linewidth=width, zorder=4)
            ax.add_patch(ring).set_in_layout(False)
        # On paper, names beside the rows and columns are enough where all have room.
        if written or not named or (look.paper and points >= 1.15 * look.points(0)):
            continue
        ends = (row, column) if view.row_axis == "actual" else (column, row)
        cut = shortened(view.names, LONGEST_NAME)
        text = look.safe(
            f"{cut[ends[0]]} → {cut[ends[1]]}  "
            f"{view_text.amount(view, view.counts[row, column].item())}"
        )
        wide, high = (look.width([text], size) + 4) / points, 1.5 * look.points(size) / points
        right = column + side + wide < len(view)
        left, at = (
            column + side * 0.8 if right else max(column - side * 0.8 - wide, 0.0),
            float(row),
        )
        while any(
            abs(at - other) < high and left < end and start < left + wide
            for start, end, other in taken
        ):
            at += high
        taken.append((left, left + wide, at))
        style = look.font(size) | {"ha": "left", "va": "center", "zorder": 5, "clip_on": False}
        behind = {"facecolor": look.page, "edgecolor": "none", "alpha": 0.85, "pad": 1}
        ax.text(left, at, text, bbox=behind, **style).set_in_layout(False)


def _label(
    view: MatrixView,
    ax: Axes,
    look: Look,
    wishes: Wishes,
    notes: list[str],
    room: float,
    wide: float,
) -> Any:
    """Write the names of the axes and the title, and below them the meaning of the numbers and notes; the lowest."""
    if wishes.names_rows:
        ax.set_ylabel(view.row_axis.capitalize(), **look.font(10.5), labelpad=6)
    if wishes.names_columns:
        ax.set_xlabel(view.column_axis.capitalize(), **look.font(10.5), labelpad=6)
    title = view.title if wishes.title is None else wishes.title
    if title:
        size = 10.0 if wishes.panel else 12.0
        text = look.wrapped(title, size, room)
        ax.set_title(text, loc="left", pad=8, **look.bold(text, size))
    lowest: Any = ax.xaxis.label
    if wishes.panel:
        return lowest
    plain = not view.is_difference and view.numbers == "counts"
    known = {*map(look.safe, (*view.names, *(name for name, _, _ in view.blocks)))}
    if any(tick.get_text() not in known for tick in ax.get_yticklabels()):
        notes = [*notes, *filter(None, [undressed(view.names)[1]])]
    # More hits and fewer errors are better.
    hue = ["better in the hue of hits, worse in that of errors"] if view.is_difference else []
    remarks = [
        *([] if plain else [view.numbers]),
        *([] if look.paper else view.shading),
        *hue,
        *view.notes,
        *_even(view),
        *notes,
    ]
    if remarks:
        style = look.font(8, color=look.muted) | {
            "ha": "center",
            "va": "top",
            "annotation_clip": False,
        }
        # Around a small map of its own there is less room than in a given place.
        least = 180.0 if wide == math.inf else min(230.0, 0.95 * wide)
        text = look.wrapped("; ".join(remarks), 8, max(room, least))
        lowest = ax.annotate(
            text, (0.5, 0), xycoords=lowest, xytext=(0, -4), textcoords="offset points", **style
        )
    return lowest


# ---- panels --------------------------------------------------------------------------------------


def panels(
    views: list[MatrixView], look: Look, wishes: Wishes, caption: str, side: float
) -> Figure:
    """Draw a figure with a panel for each view, `side` inches wide."""
    rows, columns = grid_of(len(views))
    first = views[0]
    figure = new_figure(side * columns + 2.5, side * rows + 2)
    grid = figure.subplots(rows, columns, squeeze=False)
    points = side * 72 / len(first)
    for place, ax in enumerate(grid.flat):
        if place >= len(views):
            ax.remove()
            continue
        # The last of its column, be it above a gap.
        lowest = place + columns >= len(views)
        inner = replace(
            wishes, title=None, panel=True, names_rows=place % columns == 0, names_columns=lowest
        )
        draw(views[place], ax, look, inner, points)
    if not any(ax.texts for ax in figure.axes):
        lowest = grid[rows - 1, 0]
        _scales(
            first,
            lowest,
            look,
            lowest.xaxis.label,
            72 * side,
            72 * (side + 0.9) if look.paper else math.inf,
        )
    _label_panels(figure, look, wishes, caption)
    _resize(figure, grid, side, columns, rows)
    return figure


def grid_of(count: int) -> tuple[int, int]:
    """Rows and columns with as few empty places as a shape that fits a page allows.

    >>> grid_of(2), grid_of(4), grid_of(5), grid_of(24)
    ((1, 2), (2, 2), (2, 3), (4, 6))
    """
    shapes = range(math.ceil(math.sqrt(count)), math.ceil(math.sqrt(2.2 * count)) + 1)
    columns = min(shapes, key=lambda wide: (-count % wide, abs(wide - math.sqrt(1.5 * count))))
    return -(-count // columns), columns


def _label_panels(figure: Figure, look: Look, wishes: Wishes, caption: str) -> None:
    """Write the title above all panels, and the meaning of their numbers below."""
    if wishes.title:
        text = look.safe(wishes.title)
        figure.suptitle(text, **look.bold(text, 12), x=0.01, ha="left")
    room = max(72 * figure.get_size_inches()[0] - 100, 200.0)
    figure.supxlabel(look.wrapped(caption, 8, room), **look.font(8, color=look.muted))


def _resize(figure: Figure, grid: Any, side: float, columns: int, rows: int) -> None:
    """Give the figure the size at which each panel has the side that it was drawn for."""
    # Square axes within wider ones would make the layout swing; it settles at once when they may
    # have any shape.
    for ax in figure.axes:
        ax.set_aspect("auto")
    for _ in range(2):
        laid_out(figure, 2)
        # The panel's place in the layout, before it is made square.
        panel = grid[0, 0].get_position(original=True)
        width, height = figure.get_size_inches()
        missing = side - panel.width * width, side - panel.height * height
        figure.set_size_inches(width + missing[0] * columns, height + missing[1] * rows)
    laid_out(figure, 2)
    for ax in figure.axes:
        ax.set_aspect("equal")


# ---- beside and below the cells ------------------------------------------------------------------

# Inches: the gap to the cells, and the longest bar of support. Points: the longest scale.
_GAP, _BAR, _LONGEST = 0.1, 0.55, 320.0
# Up to this many rows, totals are written beside their bars.
MOST_TOTALS = 40
# Classes are of one size if the smallest has at least this part of the largest.
_EVEN = 0.95


def _even(view: MatrixView) -> list[str]:
    """The support in words, where bars of one length would say nothing."""
    totals = sorted(view.row_totals.tolist())
    if (
        not view.margins
        or view.is_difference
        or len(view) < 2
        or not 0 < _EVEN * totals[-1] <= totals[0]
    ):
        return []
    first, last = (view_text.amount(view, end) for end in (totals[0], totals[-1]))
    many = first if first == last else f"{first} to {last}"
    return [
        f"{many} of each class" if view.row_axis == "actual" else f"{many} answers for each class"
    ]


def _has_room_for_support(
    view: MatrixView, ax: Axes, look: Look, wishes: Wishes, points: float
) -> bool:
    """Whether the cells of axes of a given size stay large beside their support, and keep their numbers."""
    n = len(view)
    # Square cells in a wide place leave room at their side.
    free = (
        72 * ax.get_position(original=True).width * figure_of(ax).get_size_inches()[0] - points * n
    )
    left = (
        points
        - max(72 * (_GAP + _BAR * look.scale) + look.width(view.row_texts, 8.5) - free, 0) / n
    )
    fits = [bool(_fitting(view, look, wishes, side)[1]) for side in (points, left)]
    return left * n >= _LEAST_FOR_SUPPORT and fits != [True, False]


def _support(view: MatrixView, ax: Axes, look: Look, side: float) -> None:
    """A bar of the items in each row, whose side together is `side` points."""
    n, most = len(view), float(np.max(view.row_totals, initial=0))
    if not most or not view.margins or view.is_difference or _even(view):
        return
    # Inches to the right of the cells, which hold when the axes move.
    inches = figure_of(ax).dpi_scale_trans + ScaledTranslation(1, 0, ax.transAxes)  # type: ignore[arg-type]
    place = blended_transform_factory(inches, ax.transAxes)
    bars = ax.inset_axes((_GAP, 0, _BAR * look.scale, 1), transform=place)
    bars.patch.set_visible(False)
    bars.set(xlim=(0, most), ylim=(n - 0.5, -0.5), xticks=[], yticks=[], zorder=0)
    bars.spines[:].set_visible(False)
    fill = look.palette.folded[2]
    totals = view.row_totals.astype(float)
    if n <= 64:
        bars.barh(np.arange(n), totals, height=0.6, color=fill)
    else:
        bars.stairs(totals, np.arange(n + 1) - 0.5, orientation="horizontal", fill=True, color=fill)
    head = look.font(8, color=look.muted) | {"ha": "left", "va": "bottom", "annotation_clip": False}
    named = "support" if view.row_axis == "actual" else "answers"
    bars.annotate(
        named, (0, 1), xycoords="axes fraction", xytext=(0, 3), textcoords="offset points", **head
    )
    if n > MOST_TOTALS or side / n < 1.1 * look.points(0):
        return
    size = min(8.5, side / n * 0.62 / look.scale)
    style = look.font(size, color=look.muted) | {
        "ha": "left",
        "va": "center",
        "annotation_clip": False,
    }
    for row, text in enumerate(view.row_texts):
        bars.annotate(text, (totals[row], row), xytext=(3, 0), textcoords="offset points", **style)


# ---- scales --------------------------------------------------------------------------------------


def _scales(
    view: MatrixView, ax: Axes, look: Look, above: Any, side: float, wide: float = math.inf
) -> None:
    """The scale of hits and that of errors, or the one of a difference, below everything else below the cells."""
    ends = (
        [("errors", Role.ERROR), ("hits", Role.HIT)]
        if not view.is_difference
        else [("worse ← → better", Role.HIT)]
    )
    ends = [end for end in ends if view.tops[end[1]]] or ends
    long = min(max(0.9 * side, 24 * look.points(8)), _LONGEST) / len(ends)
    # In a narrow place they are below each other.
    narrow = len(ends) * long > 0.7 * wide
    strips: list[Artist] = [
        _strip(view, look, name, role, min(long, 0.45 * wide)) for name, role in ends
    ]
    _place_below(
        ax, above, (VPacker if narrow else HPacker)(children=strips, pad=0, sep=0.1 * long)
    )


def _place_below(ax: Axes, above: Any, box: Any) -> None:
    place: dict[str, Any] = {
        "xybox": (0, -5),
        "boxcoords": "offset points",
        "box_alignment": (0.5, 1),
    }
    box = AnnotationBbox(
        box, (0.5, 0), xycoords=above, frameon=False, pad=0, annotation_clip=False, **place
    )
    ax.add_artist(box)


def _strip(view: MatrixView, look: Look, name: str, role: Role, wide: float) -> DrawingArea:
    """A strip of colours, its name above and a few values below."""
    high, top = look.points(8), view.tops[role]
    area = DrawingArea(wide, 3.2 * high)
    low = -1.0 if view.is_difference else 0.0
    values = _ticks(top, whole=view.normalize is None and view.counts.dtype.kind in "iu")
    values = [-top, 0.0, top] if view.is_difference else [0.0, *values]
    texts = [_tick(view, value).lstrip(f"+{view_text.MINUS}") for value in values]
    long = wide - look.width(texts[-1:], 8) / 2 - 2
    start = look.width(texts[:1], 8) / 2
    shades = np.linspace(low, 1.0, 64)[None, :]
    shades = view.loud(shades) if role is Role.ERROR else shades
    colors = painted(
        shades, np.full(shades.shape, role, np.uint8), look.palette, difference=view.is_difference
    )[0]
    for place, color in enumerate(colors):
        # Each reaches to the end, so that no gap shows between them.
        left = start + (long - start) * place / len(colors)
        area.add_artist(
            Rectangle((left, 1.2 * high), long - left, high, facecolor=color, linewidth=0)
        )
    area.add_artist(Text(start, 2.45 * high, name, **look.font(8, color=look.muted)))
    for shade, text in zip(shaded(np.array(values), top or 1.0), texts, strict=True):
        left = start + (long - start) * (float(shade) - low) / (1 - low)
        area.add_artist(Text(left, 0.1 * high, text, ha="center", **look.font(8, color=look.muted)))
    return area


def _ticks(top: float, *, whole: bool = False) -> list[float]:
    """A round value near a tenth of the largest, which no text beside it touches, and the largest; of counts, whole."""
    if not top > 0:
        return []
    power = 10.0 ** math.floor(math.log10(top / 10))
    value = (
        max(digit for digit in (1.0, 2.0, 5.0) if digit * power <= top / 10 * (1 + 1e-12)) * power
    )
    return [top] if whole and value < 1 else [value, top]


def _tick(view: MatrixView, value: float) -> str:
    if view.normalize is None:
        return view_text.amount(view, round(value, 10))
    if not value:
        return "0"
    sign = ("+" if value > 0 else view_text.MINUS) if view.is_difference else ""
    return f"{sign}{100 * abs(value):.3g}{'' if view.is_difference else '%'}"


# ---- an observed class ---------------------------------------------------------------------------


def _roles(view: MatrixView, ax: Axes, look: Look, above: Any) -> None:
    """Draw the legend of the four roles, with the number of items of each, below something."""
    ramps = look.palette.ramps()
    keys = [
        _key(look, mixed(ramps[role], 0.6), look.safe(text))
        for role, text in view.legend
        if role in OBSERVED
    ]
    columns: list[Artist] = [VPacker(children=[*keys[start::2]], pad=0, sep=2) for start in (0, 1)]
    _place_below(ax, above, HPacker(children=columns, pad=0, sep=8))


def _key(look: Look, color: Any, text: str) -> DrawingArea:
    """A patch of colour and what it means."""
    high = look.points(8)
    area = DrawingArea(look.width([text], 8) + 1.4 * high, high)
    area.add_artist(Rectangle((0, 0), 0.9 * high, 0.9 * high, facecolor=color, linewidth=0))
    area.add_artist(Text(1.3 * high, 0.1 * high, text, **look.font(8)))
    return area
