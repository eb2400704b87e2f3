"""Small multiples: the matrices of a stack side by side, in one order and on one scale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from confmat.display.plot import beside
from confmat.display.plot.heat import Wishes, draw, side_of
from confmat.display.plot.style import Look, laid_out, new_figure
from confmat.display.view import MatrixView
from confmat.errors import InputError

__all__ = ["MOST_PANELS", "page_of", "panels"]

# More would be neither seen nor drawn in good time.
MOST_PANELS = 24


def page_of(several: Mapping[Any, MatrixView], page: int) -> tuple[dict[Any, MatrixView], str]:
    """The views of one page, and what to say about the others."""
    pages = max(-(-len(several) // MOST_PANELS), 1)
    if isinstance(page, bool) or not isinstance(page, (int, np.integer)) or not 1 <= page <= pages:
        msg = f"`page` must be a number from 1 to {pages}, at {MOST_PANELS} matrices a page, not {page!r:.60}"
        raise InputError(msg)
    keys = list(several)[(page - 1) * MOST_PANELS : page * MOST_PANELS]
    note = "" if pages == 1 else f"page {page} of {pages}: {len(keys)} of {len(several):,} matrices"
    return {key: several[key] for key in keys}, note


def panels(several: Mapping[Any, MatrixView], look: Look, wishes: Wishes, axis: str, note: str) -> Figure:
    """A figure with one panel a view."""
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
        column = place % columns
        # The last of its column, be it above a gap.
        lowest = place + columns >= len(views)
        inner = replace(
            wishes, title=None, panel=True, row_names=column == 0, column_names=lowest, row_axis=column == 0,
            column_axis=lowest,
        )  # fmt: skip
        draw(views[place], ax, look, inner, points)
    written = any(ax.texts for ax in figure.axes)
    if not written if wishes.colorbar is None else wishes.colorbar:
        last = grid[0, columns - 1]
        beside.scales(first, last, look, 0.15, 0.9)
    _words(figure, first, look, wishes, axis, note)
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


def _words(figure: Figure, first: MatrixView, look: Look, wishes: Wishes, axis: str, note: str) -> None:
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
        # What the layout gives a panel, before it is made square.
        panel = grid[0, 0].get_position(original=True)
        width, height = figure.get_size_inches()
        missing = side - panel.width * width, side - panel.height * height
        figure.set_size_inches(width + missing[0] * columns, height + missing[1] * rows)
    laid_out(figure, 2)
    for ax in figure.axes:
        ax.set_aspect("equal")
