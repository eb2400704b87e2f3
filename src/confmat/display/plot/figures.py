"""Figures around drawings: made in the size that the drawing asks for, or given by the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from confmat.core.errors import InputError, Message
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told, whole_number
from confmat.core.text import printable
from confmat.display.plot.bars import LENGTH, ROW, Dots, draw_dots, write_title
from confmat.display.plot.heat import Wishes, draw, grid_of, panels, side_of
from confmat.display.plot.style import (
    Look,
    Room,
    figure_of,
    inches_of,
    laid_out,
    look_for,
    new_figure,
    quiet,
)
from confmat.display.view import MatrixView
from confmat.intervals.bounds import ends_of
from confmat.metrics.declaration import Metric

# Inches that a layout leaves free around everything, and of a row.
_FREE, _ROW = 0.1, 0.3
# Inches up to which a figure is one for paper, and the place of given axes is as narrow as a
# column.
_PAGE, _NARROW = 7.25, 3.6


def on_axes(
    ax: Any,
    texts: Iterable[str],
    size: Callable[[Look], tuple[float, float]],
    draw: Callable[[Axes, Look, float | None], None],
    cmap: Any = None,
) -> Axes:
    """Draw into the axes that were given, or into those of a new figure, whose width in inches `draw` is given too.

    In place of axes there may be the room of a figure; it is filled as if it were somebody's own.
    """
    if ax is not None and not isinstance(ax, (Axes, Room)):
        msg = f"`ax` takes the Axes of Matplotlib to draw into, not {type(ax).__name__}"
        raise InputError(msg)
    with quiet():
        if isinstance(ax, Room):
            figure = new_figure(ax.width, ax.height or 1.5 * ax.width + 2)
            look = look_for(mpl.rcParams["axes.facecolor"], texts, cmap, paper=ax.width <= _PAGE)
            axes = figure.add_subplot()
            draw(axes, look, None)
            laid_out(figure, 3)
            if ax.height is None:
                _shorten(figure, axes, size(look)[1])
            return axes
        if ax is not None:
            look = look_for(ax.get_facecolor(), texts, cmap, paper=inches_of(ax)[0] <= _NARROW)
            draw(ax, look, None)
            laid_out(figure_of(ax), 3 if ax.get_aspect() == 1 else 1)
            return ax
        look = look_for(mpl.rcParams["axes.facecolor"], texts, cmap)
        width, height = size(look)
        figure = new_figure(width + 3, height + 2)
        axes = figure.add_subplot()
        draw(axes, look, width)
        fit(figure, axes, width, height)
        return axes


def on_rows(
    ax: Any,
    names: list[str],
    title: str | None,
    length: float,
    draw: Callable[[Axes, Look], None],
    pad: float = 22,
) -> Axes:
    """Draw a row for each name from the top down, on an axis of that many inches, and a heading."""

    def size(look: Look) -> tuple[float, float]:
        return length, max(len(names) * _ROW * look.scale, 0.9)

    def draw_rows(axes: Axes, look: Look, _: float | None) -> None:
        axes.set_ylim(len(names) - 0.5, -0.5)
        draw(axes, look)
        write_title(title, axes, look, length, pad)

    return on_axes(ax, [*names, title or ""], size, draw_rows)


def draw_estimates(
    ends: Any,
    hues: Iterable[tuple[Any, Any, Any]],
    ax: Axes,
    size: float = 6.0,
    also: Iterable[float] = (),
) -> None:
    """Draw a dot with its interval in each row, on an axis that holds them and some other numbers.

    `ends` are lower end, value and upper end; `hues` say which rows have a colour, and with what
    their dots are filled.
    """
    low, value, high = ends.T
    seen = np.array([*ends[np.isfinite(ends)], *also])
    margin = 0.06 * (float(np.ptp(seen)) or 1.0)
    ax.set_xlim(seen.min() - margin, seen.max() + margin)
    rows = np.arange(len(value))
    for which, color, filled in hues:
        ax.hlines(rows[which], low[which], high[which], color=color, linewidth=1.6, zorder=3)
        dots: dict[str, Any] = {"color": color, "markerfacecolor": filled, "markersize": size}
        ax.plot(value[which], rows[which], "o", **dots, zorder=4)


def _shorten(figure: Figure, ax: Axes, height: float) -> None:
    """Give a figure the height that a drawing needs which fills its width; one that is not square has its own."""
    inner: Any = ax.get_window_extent()
    outer: Any = ax.get_tightbbox()
    side = min(inner.width, inner.height) / figure.dpi if ax.get_aspect() == 1 else height
    figure.set_figheight(side + (outer.height - inner.height) / figure.dpi + _FREE)
    laid_out(figure, 3)


def single(view: MatrixView, ax: Any, wishes: Wishes, cmap: Any) -> Axes:
    """A view on axes that were given, or on a figure of its own."""

    def draw_view(axes: Axes, look: Look, side: float | None) -> None:
        draw(view, axes, look, wishes, None if side is None else side * 72 / len(view))
        if hasattr(figure := figure_of(axes), "alt"):
            figure.alt = replace(view, title=wishes.title or view.title).alt

    texts = [*view.names, *(name for name, _, _ in view.blocks), view.title, wishes.title or ""]
    return on_axes(ax, texts, lambda look: (side_of(view, look, wishes),) * 2, draw_view, cmap)


def fit(figure: Figure, ax: Axes, width: float, height: float) -> None:
    """Give the figure the size at which these axes have theirs, names and all around them included."""
    # Axes of any shape are laid out in one step; square ones swing within a box that is not square
    # yet.
    aspect = ax.get_aspect()
    ax.set_aspect("auto")
    laid_out(figure)
    inner: Any = ax.get_window_extent()
    outer: Any = ax.get_tightbbox()
    around = (np.array([outer.width - inner.width, outer.height - inner.height])) / figure.dpi
    figure.set_size_inches(*(np.array([width, height]) + around + _FREE))
    laid_out(figure, 2)
    ax.set_aspect(aspect)


def _filling(room: Room, count: int, side: float, drawn_at: Callable[[float], Figure]) -> Figure:
    """Draw panels of the size at which all of them together fill the room."""
    from matplotlib import pyplot as plt

    figure = drawn_at(side)
    for _ in range(3):
        missing = np.array([room.width, room.height or np.inf]) - figure.get_size_inches()
        more = float(min(missing / grid_of(count)[::-1]))
        if abs(more) < 0.01 * side:
            break
        plt.close(figure)
        side = max(side + more, 0.3)
        figure = drawn_at(side)
    figure.set_size_inches(room.width, room.height or figure.get_figheight())
    return figure


def several(
    views: Mapping[Any, MatrixView], wishes: Wishes, cmap: Any, about: str, room: Room | None
) -> Figure:
    """Small multiples."""
    drawn, first = list(views.values()), next(iter(views.values()))
    numbers = [] if first.numbers == "counts" else [first.numbers]
    caption = "; ".join([about, *numbers, *first.shading, *first.notes])
    with quiet():
        texts = [*first.names, *(view.title for view in drawn), wishes.title or ""]
        paper = room is not None and room.width <= _PAGE
        look = look_for(mpl.rcParams["axes.facecolor"], texts, cmap, paper=paper)
        side = side_of(first, look, replace(wishes, panel=True))
        drawn_at = partial(panels, drawn, look, wishes, caption)
        figure = drawn_at(side) if room is None else _filling(room, len(drawn), side, drawn_at)
        vars(figure)["alt"] = " ".join(view.alt for view in drawn[:4])
        return figure


def _dots(
    m: ConfusionMatrix,
    metric: Metric,
    intervals: Any,
    order: str | None,
    top: int | None,
    sure: Any,
) -> Dots:
    """The values of one metric to draw."""
    values = np.asarray(metric(m), dtype=np.float64)
    support = m.actual_totals[: m.n_classes]
    ranked = _ranked(values, support, order, metric.better, sure)
    shown = ranked if top is None else ranked[: whole_number("top", top)]
    # Counts of items have no mean to mark.
    mean = float(metric(m, average="macro")) if metric.fair else np.nan
    note = (
        ""
        if len(shown) == len(ranked)
        else f"{len(shown)} of {len(ranked):,} classes, {order or 'the first'} first"
    )
    return Dots(
        names=[printable(m.labels[int(place)]) for place in shown],
        values=values[shown],
        support=support[shown],
        intervals=None if intervals is None else intervals[shown],
        bounds=ends_of(metric),
        metric=metric.title,
        mean=mean,
        note=note,
        counts=not metric.fair and bool((values[shown] == np.floor(values[shown])).all()),
    )


def classes(
    m: ConfusionMatrix,
    metric: Metric,
    ax: Any,
    intervals: Any,
    order: str | None,
    top: int | None,
    title: str | None,
    sure: Any,
) -> Axes:
    """The dots of one metric, in the order of the bounds that are sure, where these are known."""
    dots = _dots(m, metric, intervals, order, top, sure)
    texts = [*dots.names, dots.metric, title or ""]

    def size(look: Look) -> tuple[float, float]:
        return LENGTH, max(len(dots.names) * ROW * look.scale, 0.8)

    return on_axes(ax, texts, size, lambda axes, look, _: draw_dots(dots, axes, look, title))


def _ranked(values: Any, support: Any, order: str | None, better: Any, sure: Any) -> Any:
    """The places of the classes in the order of drawing; those without a value at the end."""
    if order is None:
        return np.arange(len(values))
    if not (isinstance(order, str) and order in ("worst", "best", "support")):
        msg = Message("{order} is 'worst', 'best', 'support' or None, not {}", told(order))
        raise InputError(msg)
    if order == "support":
        return np.argsort(-support.astype(np.float64), kind="stable")
    rising = (better != "lower") == (order == "worst")
    # At most so high where low ones come first, at least so high where high ones do; of equal ones,
    # by the value.
    ends = (
        values
        if sure is None
        else np.where(np.isnan(sure).any(axis=1), values, sure[:, int(rising)])
    )
    ends, values = (ends, values) if rising else (-ends, -values)
    return np.lexsort((values, np.where(np.isnan(values), np.inf, ends), np.isnan(values)))
