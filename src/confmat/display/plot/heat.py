"""Heat maps: cells, names and totals, and to their right the support, the scales of the colours, or the roles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from confmat.core.errors import InputError
from confmat.core.options import told
from confmat.core.printing import shaded
from confmat.core.text import shortened
from confmat.display import view as view_text
from confmat.display.plot.style import Look, figure_of, laid_out, new_figure
from confmat.display.roles import OBSERVED, Role
from confmat.display.shading import ink, mixed, painted
from confmat.display.view import MatrixView

# Inches of a cell by the number of labels, of a panel and of a whole drawing; points of the smallest text.
_CELLS = ((3, 0.95), (5, 0.75), (8, 0.62), (12, 0.52), (20, 0.4), (32, 0.32), (64, 0.17))
_LARGEST, _LARGEST_WRITTEN, _LARGEST_ASKED = 9.2, 11.0, 40.0
_TEXT, _LEAST_TEXT = {4: 11.0, 8: 10.0, 12: 9.0, 20: 8.0}, 5.5
_LEAST_NAME = 5.0
# Up to this many labels cells are drawn as shapes; of more, as a picture whose pixels are cells.
MOST_SHAPES = 64
# Smaller cells, in points, are a picture too: lines between them would drown them.
LEAST_SHAPE = 6.0
# A picture has this many pixels a side at most, so that each can be seen; of several cells it shows the darkest.
MOST_PIXELS = 400
# Zeros are written in small drawings only.
MOST_ZEROS = 12
LONGEST_NAME = 24
# Beside smaller drawings on given axes, in points, support or scales would leave no room for the cells.
_LEAST_FOR_SUPPORT, _LEAST_FOR_SCALES = 150.0, 220.0


@dataclass(frozen=True)
class Wishes:
    """Wishes about the drawing itself."""

    title: str | None = None
    colorbar: bool | None = None
    rotation: Any = "auto"
    # A format of Python for the number in each cell.
    number_format: str | None = None
    text_kw: dict[str, Any] = field(default_factory=dict)
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
        need = _needed(view, look, wishes, _LEAST_TEXT) / 72
        return min(max(n * cell, n * need), _LARGEST_ASKED)
    if n <= MOST_SHAPES // 2:
        cell = max(cell, min(_needed(view, look, wishes, _size_for(n)) / 72, 1.6 * cell))
    return min(max(n * cell, 1.6), _LARGEST if n > MOST_SHAPES // 2 else _LARGEST_WRITTEN)


def _size_for(n: int) -> float:
    return next((size for most, size in _TEXT.items() if n <= most), 7.0)


def _needed(view: MatrixView, look: Look, wishes: Wishes, size: float) -> float:
    """Points of a side of a cell in which every text fits."""
    texts = _texts(view, wishes)
    lines = max((text.count("\n") + 1 for text in texts.values()), default=1)
    return max(look.width(texts.values(), size) + 5, 1.2 * lines * size * look.scale + 4)


def cell_points(ax: Axes, n: int) -> float:
    """Points of a side of a cell, as the axes are now."""
    box = ax.get_window_extent()
    return float(min(box.width, box.height)) * 72 / figure_of(ax).dpi / n


# ---- drawing -----------------------------------------------------------------------------------------------


def draw(view: MatrixView, ax: Axes, look: Look, wishes: Wishes, points: float | None) -> None:
    """Draw a view; `points` is the side of a cell if it is known, and measured otherwise."""
    n, own = len(view), points is not None
    notes = _cells(view, ax, look, cell_points(ax, n) if points is None else points)
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal")
    for spine in ax.spines.values():
        spine.set(visible=n > MOST_SHAPES, color=look.palette.line, linewidth=0.8)
    _names(view, ax, look, wishes, cell_points(ax, n) if points is None else points)
    _blocks(view, ax, look)
    if points is None:
        # Names have taken their room from axes of a given size.
        laid_out(figure_of(ax))
        points = cell_points(ax, n)
    room = np.inf if own else points * n
    if view.of is not None and not wishes.panel:
        _draw_beside(view, ax, look, points * n, support=room >= _LEAST_FOR_SUPPORT, colorbar=False)
        if not own:
            # The role legend has changed the layout too.
            laid_out(figure_of(ax), 3)
            points = cell_points(ax, n)
    written = _write(view, ax, look, wishes, points)
    if view.of is None and not wishes.panel:
        colorbar = not written and room >= _LEAST_FOR_SCALES if wishes.colorbar is None else wishes.colorbar
        _draw_beside(view, ax, look, points * n, support=room >= _LEAST_FOR_SUPPORT, colorbar=colorbar)
    _label(view, ax, look, wishes, notes, points * n)


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
    return np.take_along_axis(blocks, best, -1)[..., 0], np.take_along_axis(kinds, best, -1)[..., 0], step


def _squares(table: Any, step: int) -> Any:
    count = len(table) // step
    return table.reshape(count, step, count, step).swapaxes(1, 2).reshape(count, count, step * step)


def _names(view: MatrixView, ax: Axes, look: Look, wishes: Wishes, points: float) -> None:
    """Names along both axes: all while they are legible, else every so many, or those of the blocks."""
    n = len(view)
    size = max(min(10.0, points / look.scale * 0.62), _LEAST_NAME)
    if points < 1.15 * _LEAST_NAME * look.scale and view.blocks:
        middles = [(start + stop - 1) / 2 for _, start, stop in view.blocks]
        size = max(min(9.0, 0.62 * min(stop - start for _, start, stop in view.blocks) * points), 6.0)
        places, names = _apart(middles, [name for name, _, _ in view.blocks], 1.15 * size * look.scale / points)
    else:
        step = 1
        if points < 1.15 * _LEAST_NAME * look.scale:
            # Fewer names leave room for larger ones.
            size = 6.5
            step = _step(1.7 * size * look.scale / points)
        places, names = list(range(0, n, step)), list(view.names[::step])
    names = shortened([look.safe(name) for name in names], LONGEST_NAME)
    ax.tick_params(length=0 if len(names) == n else 3, width=0.6, color=look.muted, pad=4)
    if wishes.names_rows:
        ax.set_yticks(places, labels=names, **look.font(size))
    else:
        ax.set_yticks([])
    if not wishes.names_columns:
        ax.set_xticks([])
        return
    rotation = _rotation(wishes.rotation, look, names, size, points * (places[1] - places[0] if len(places) > 1 else 1))
    turned: dict[str, Any] = {}
    if rotation:
        turned = {"rotation": rotation, "ha": "right", "rotation_mode": "anchor"}
    if rotation >= 90:
        turned["va"] = "center"
    ax.set_xticks(places, labels=names, **look.font(size), **turned)
    _stress(view, ax, look, places)


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
    return next((step for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500) if step >= least), 1000)


def _apart(places: list[float], names: list[str], least: float) -> tuple[list[float], list[str]]:
    """Keep each tick that is far enough from the one before."""
    kept: list[tuple[float, str]] = []
    for place, name in zip(places, names, strict=True):
        if not kept or place - kept[-1][0] >= least:
            kept.append((place, name))
    return [place for place, _ in kept], [name for _, name in kept]


def _rotation(wished: Any, look: Look, names: list[str], size: float, room: float) -> float:
    if wished == "auto":
        if look.width(names, size) <= 0.94 * room:
            return 0.0
        return 45.0 if room >= 1.5 * size * look.scale else 90.0
    return {"horizontal": 0.0, "vertical": 90.0}.get(wished, wished)


def _blocks(view: MatrixView, ax: Axes, look: Look) -> None:
    width = 1.2 if len(view) <= MOST_SHAPES else 0.7
    for _, start, stop in view.blocks:
        frame = Rectangle((start - 0.5, start - 0.5), stop - start, stop - start)
        frame.set(fill=False, edgecolor=look.text, linewidth=width, clip_on=False)
        ax.add_patch(frame)


# ---- texts -------------------------------------------------------------------------------------------------


def _texts(view: MatrixView, wishes: Wishes) -> dict[tuple[int, int], str]:
    """Texts of the cells that have one, by place."""
    n = len(view)
    there = np.ones((n, n), bool) if n <= MOST_ZEROS else (view.counts != 0) | np.isnan(view.shares)
    places = [(int(row), int(column)) for row, column in np.argwhere(there)]
    if wishes.number_format is not None:
        return {place: _formatted(view.values[place].item(), wishes.number_format) for place in places}
    if view.of is None or n > MOST_ZEROS:
        return {place: view.text(*place) for place in places}
    roles = {place: Role(int(view.roles[place])) for place in places}
    return {at: f"{role.name}\n{view.text(*at)}" if role in OBSERVED else view.text(*at) for at, role in roles.items()}


def _formatted(value: float, how: Any) -> str:
    try:
        return format(value, how)
    except (TypeError, ValueError):
        msg = (
            f"`values_format` is a format of Python for numbers, such as '.2g', and {told(how)} does not write {value}"
        )
        raise InputError(msg) from None


def _write(view: MatrixView, ax: Axes, look: Look, wishes: Wishes, points: float) -> bool:
    """Write into the cells what they say, if it fits or was asked for; whether it was written."""
    if view.shown == "none" or (view.is_automatic and points < _LEAST_TEXT * look.scale):
        return False
    texts = _texts(view, wishes)
    sizes = np.arange(_size_for(len(view)), _LEAST_TEXT - 0.25, -0.5)
    size = next((float(one) for one in sizes if _needed(view, look, wishes, one) - 2 <= points), None)
    if size is None:
        if view.is_automatic:
            return False
        size = max(_LEAST_TEXT * points / _needed(view, look, wishes, _LEAST_TEXT), 1.0)
    colors = painted(view.shades, view.roles, look.palette, difference=view.is_difference)
    # Properties have several names, such as size and fontsize.
    wished = normalize_kwargs(wishes.text_kw, Text)
    for (row, column), text in texts.items():
        behind = tuple(colors[row, column])
        # Nothing may stand back, though it is still to be read.
        wanted = look.palette.muted if view.counts[row, column] == 0 else look.palette.text
        style = look.font(size, color=ink(behind, wanted)) | {"ha": "center", "va": "center", "linespacing": 1.15}
        # They lie within the cells, so a layout need not measure them.
        ax.text(column, row, text, **(normalize_kwargs(style, Text) | wished)).set_in_layout(False)
    return True


def _label(view: MatrixView, ax: Axes, look: Look, wishes: Wishes, notes: list[str], room: float) -> None:
    """Write the names of the axes and the title, and below them the meaning of the numbers and notes."""
    if wishes.names_rows:
        ax.set_ylabel(view.row_axis.capitalize(), **look.font(10.5), labelpad=6)
    if wishes.names_columns:
        ax.set_xlabel(view.column_axis.capitalize(), **look.font(10.5), labelpad=6)
    title = view.title if wishes.title is None else wishes.title
    if title:
        size = 10.0 if wishes.panel else 12.0
        text = look.wrapped(title, size, room)
        ax.set_title(text, loc="left", pad=8, **look.bold(text, size))
    if wishes.panel:
        return
    plain = view.normalize is None and not view.is_difference and view.shown in {"counts", "none"}
    said = [*([] if plain else [view.numbers]), *view.notes, *notes]
    if said:
        style = look.font(8, color=look.muted) | {"ha": "center", "va": "top", "annotation_clip": False}
        text = look.wrapped("; ".join(said), 8, max(room, 230.0))
        ax.annotate(text, (0.5, 0), xycoords=ax.xaxis.label, xytext=(0, -4), textcoords="offset points", **style)


# ---- panels ------------------------------------------------------------------------------------------------

# Panels of a figure; more would be neither seen nor drawn in good time.
MOST_PANELS = 24


def page_of(several: Mapping[Any, MatrixView], page: int) -> tuple[dict[Any, MatrixView], str]:
    """Select the views of one page, with a note about the others."""
    pages = max(-(-len(several) // MOST_PANELS), 1)
    if isinstance(page, bool) or not isinstance(page, (int, np.integer)) or not 1 <= page <= pages:
        msg = f"`page` must be a number from 1 to {pages}, at {MOST_PANELS} matrices a page, not {page!r:.60}"
        raise InputError(msg)
    keys = list(several)[(page - 1) * MOST_PANELS : page * MOST_PANELS]
    note = "" if pages == 1 else f"page {page} of {pages}: {len(keys)} of {len(several):,} matrices"
    return {key: several[key] for key in keys}, note


def panels(several: Mapping[Any, MatrixView], look: Look, wishes: Wishes, axis: str, note: str) -> Figure:
    """Draw a figure with one panel for each view."""
    views = list(several.values())
    rows, columns = _grid(len(views))
    first = views[0]
    side = side_of(first, look, replace(wishes, panel=True))
    figure = new_figure(side * columns + 2.5, side * rows + 2)
    grid = figure.subplots(rows, columns, squeeze=False)
    points = side * 72 / len(first)
    for place, ax in enumerate(grid.flat):
        if place >= len(views):
            ax.remove()
            continue
        # The last of its column, be it above a gap.
        lowest = place + columns >= len(views)
        inner = replace(wishes, title=None, panel=True, names_rows=place % columns == 0, names_columns=lowest)
        draw(views[place], ax, look, inner, points)
    if not any(ax.texts for ax in figure.axes) if wishes.colorbar is None else wishes.colorbar:
        _scales(first, grid[0, columns - 1], look, 0.15, 0.9)
    _label_panels(figure, first, look, wishes, axis, note)
    _resize(figure, grid, side, columns, rows)
    return figure


def _grid(count: int) -> tuple[int, int]:
    """Rows and columns with as few empty places as a shape that fits a page allows.

    >>> _grid(2), _grid(4), _grid(5), _grid(24)
    ((1, 2), (2, 2), (2, 3), (4, 6))
    """
    shapes = range(math.ceil(math.sqrt(count)), math.ceil(math.sqrt(2.2 * count)) + 1)
    columns = min(shapes, key=lambda wide: (-count % wide, abs(wide - math.sqrt(1.5 * count))))
    return -(-count // columns), columns


def _label_panels(figure: Figure, first: MatrixView, look: Look, wishes: Wishes, axis: str, note: str) -> None:
    """Write the title above all panels, and the meaning of their numbers below."""
    if wishes.title:
        text = look.safe(wishes.title)
        figure.suptitle(text, **look.bold(text, 12), x=0.01, ha="left")
    plain = first.normalize is None and first.shown in {"counts", "none"}
    said = [f"one panel for each {axis}", *([] if plain else [first.numbers]), *first.notes, *([note] if note else [])]
    if not plain or first.notes or note:
        figure.supxlabel(look.safe("; ".join(said)), **look.font(8, color=look.muted))


def _resize(figure: Figure, grid: Any, side: float, columns: int, rows: int) -> None:
    """Give the figure the size at which each panel has the side that it was drawn for."""
    # Square axes within wider ones would make the layout swing; it settles at once when they may have any shape.
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


# ---- beside the cells --------------------------------------------------------------------------------------

# Inches: the gap to the cells, the longest bar of support, a scale's width and height.
_GAP, _BAR, _SCALE, _TALL = 0.1, 0.55, 0.13, 1.7
# Up to this many rows, totals are written beside their bars.
MOST_TOTALS = 40


def _draw_beside(view: MatrixView, ax: Axes, look: Look, side: float, *, support: bool, colorbar: bool) -> None:
    """Draw support, scales or roles to the right of the cells, whose side together is `side` points."""
    shows = support and view.margins and not view.is_difference
    right = _support(view, ax, look, side) if shows else _GAP
    if view.of is not None:
        _roles(view, ax, look, right)
    elif colorbar:
        _scales(view, ax, look, right + 0.1, min(_TALL * 72 / side, 0.9))


def _inches_right_of(ax: Axes) -> Any:
    """Coordinates: inches to the right of the axes, and their own up and down; they hold when the axes move."""
    origin: Any = ax.transAxes
    inches = figure_of(ax).dpi_scale_trans + ScaledTranslation(1, 0, origin)
    return blended_transform_factory(inches, ax.transAxes)


def _inset(ax: Axes, left: float, bottom: float, width: float, height: float) -> Axes:
    inset = ax.inset_axes((left, bottom, width, height), transform=_inches_right_of(ax))
    inset.patch.set_visible(False)
    inset.tick_params(length=0)
    return inset


# ---- support -----------------------------------------------------------------------------------------------


def _support(view: MatrixView, ax: Axes, look: Look, side: float) -> float:
    """A bar of the items in each row; how far it reaches, in inches."""
    n = len(view)
    most = float(np.max(view.row_totals, initial=0))
    if not most:
        return _GAP
    bars = _inset(ax, _GAP, 0, _BAR * look.scale, 1)
    bars.set(xlim=(0, most), ylim=(n - 0.5, -0.5), xticks=[], yticks=[], zorder=0)
    for spine in bars.spines.values():
        spine.set_visible(False)
    fill = look.palette.folded[2]
    totals = view.row_totals.astype(float)
    if n <= 64:
        bars.barh(np.arange(n), totals, height=0.6, color=fill)
    else:
        bars.stairs(totals, np.arange(n + 1) - 0.5, orientation="horizontal", fill=True, color=fill)
    size = min(8.5, side / n * 0.6 / look.scale)
    head = look.font(8, color=look.muted) | {"ha": "left", "va": "bottom", "annotation_clip": False}
    bars.annotate("support", (0, 1), xycoords="axes fraction", xytext=(0, 3), textcoords="offset points", **head)
    reach = max(_BAR * look.scale, look.width(["support"], 8) / 72)
    if n > MOST_TOTALS or size < 5:
        return _GAP + reach
    style = look.font(size, color=look.muted) | {"ha": "left", "va": "center", "annotation_clip": False}
    texts = view.row_texts
    for row, text in enumerate(texts):
        bars.annotate(text, (totals[row], row), xytext=(3, 0), textcoords="offset points", **style)
    ends = [_BAR * look.scale * totals[row] / most + look.width([texts[row]], size) / 72 for row in range(n)]
    return _GAP + max(reach, *ends) + 0.05


# ---- scales ------------------------------------------------------------------------------------------------


def _scales(view: MatrixView, ax: Axes, look: Look, left: float, tall: float) -> None:
    """The scale of hits and that of errors, or the one of a difference."""
    if view.is_difference:
        top = view.tops[Role.HIT]
        _scale(view, _inset(ax, left, 1 - tall, _SCALE, tall), look, "difference", Role.HIT, (-top, top))
        return
    first = _scale(view, _inset(ax, left, 1 - tall, _SCALE, tall), look, "hits", Role.HIT, (0, view.tops[Role.HIT]))
    left += _SCALE + first / 72 + 0.22
    _scale(view, _inset(ax, left, 1 - tall, _SCALE, tall), look, "errors", Role.ERROR, (0, view.tops[Role.ERROR]))


def _scale(view: MatrixView, axes: Axes, look: Look, name: str, role: Role, ends: tuple[float, float]) -> float:
    """A strip of colours with a few values beside it; the points that these take."""
    low, high = ends
    floor = -1.0 if low < 0 else 0.0
    shades = np.linspace(floor, 1.0, 128)[:, None]
    roles = np.full(shades.shape, role, dtype=np.uint8)
    colors = painted(shades, roles, look.palette, difference=view.is_difference)
    axes.imshow(colors, extent=(0, 1, floor, 1), origin="lower", aspect="auto", interpolation="nearest")
    for spine in axes.spines.values():
        spine.set_visible(False)
    values = _ticks(high, whole=view.normalize is None and view.counts.dtype.kind in "iu")
    values = [*(-value for value in reversed(values)), 0.0, *values] if low < 0 else [0.0, *values]
    places = shaded(np.array(values), high or 1.0)
    texts = [_tick(view, value) for value in values]
    axes.set_xticks([])
    axes.yaxis.tick_right()
    axes.set_yticks(places, labels=texts, **look.font(7.5, color=look.muted))
    axes.tick_params(length=0, pad=2)
    style = look.font(8, color=look.muted) | {"ha": "left", "va": "bottom", "annotation_clip": False}
    axes.annotate(name, (0, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points", **style)
    return max(look.width(texts, 7.5) + 4, look.width([name], 8) - _SCALE * 72)


def _ticks(top: float, *, whole: bool = False) -> list[float]:
    """Round values near a hundredth, a tenth and the half of the largest, and the largest; of counts, whole ones."""
    if not top > 0:
        return []
    values = sorted({_round(top * part) for part in (0.01, 0.1, 0.4)} - {top})
    return [value for value in values if value < 0.75 * top and (value >= 1 or not whole)] + [top]


def _round(value: float) -> float:
    """To one digit among 1, 2 and 5."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(digit for digit in (1.0, 2.0, 5.0) if digit * power <= value * (1 + 1e-12)) * power


def _tick(view: MatrixView, value: float) -> str:
    if view.normalize is None:
        return view_text.amount(view, round(value, 10))
    sign = ("+" if value > 0 else view_text.MINUS) if view.is_difference and value else ""
    return f"{sign}{100 * abs(value):.3g}{'' if view.is_difference else '%'}"


# ---- an observed class -------------------------------------------------------------------------------------


def _roles(view: MatrixView, ax: Axes, look: Look, left: float) -> None:
    """Draw the legend of the four roles, with the number of items of each."""
    ramps = look.palette.ramps()
    present = [(role, text) for role, text in view.legend if role in OBSERVED]
    patches = [Patch(facecolor=mixed(ramps[role], 0.6), label=look.safe(text)) for role, text in present]
    legend = ax.legend(
        handles=patches, loc="upper left", bbox_to_anchor=(left + 0.05, 1), bbox_transform=_inches_right_of(ax),
        frameon=False, borderaxespad=0, handlelength=1, handleheight=1, labelspacing=0.5,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set(**look.font(9))
