"""One bar per class for one metric, the worst first, with intervals where they are known, and the support."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from confmat.core.text import number, shortened
from confmat.display.plot.style import Look
from confmat.display.view import DASH, MINUS

Array = NDArray[Any]

# Inches: a row, and the length of a bar that fills the axis.
ROW, LENGTH = 0.24, 4.2
LONGEST_NAME = 28


@dataclass(frozen=True)
class Bars:
    """The values of a bar chart, in the order of drawing."""

    names: Sequence[str]
    values: Array
    support: Array
    # Ends of the intervals, (classes, 2); NaN where there is none.
    intervals: Array | None
    bounds: tuple[float, float]
    metric: str
    # Means to mark, by name.
    means: Sequence[tuple[str, float]]
    note: str = ""
    digits: int = 3
    # Whether the values are numbers of items.
    counts: bool = False


def draw_bars(bars: Bars, ax: Axes, look: Look, title: str | None) -> None:
    """Draw the bars, from the top down."""
    n = len(bars.names)
    rows = np.arange(n)
    low, high = _limits(bars)
    ax.set(xlim=(low, high), ylim=(n - 0.5, -0.5))
    start = min(max(0.0, low), high)
    known = ~np.isnan(bars.values)
    ax.barh(rows[known], bars.values[known] - start, left=start, height=0.66, color=look.palette.hit[2], zorder=2)
    if bars.intervals is not None:
        ends = bars.intervals[known]
        line: dict[str, Any] = {"color": look.text, "linewidth": 1.1, "zorder": 3, "capstyle": "butt"}
        ax.hlines(rows[known], ends[:, 0], ends[:, 1], **line)
        ax.vlines(ends.ravel(), np.repeat(rows[known], 2) - 0.16, np.repeat(rows[known], 2) + 0.16, **line)
    _axes(bars, ax, look)
    _numbers(bars, ax, look)
    _means(bars, ax, look)
    if title:
        text = look.wrapped(title, 12, 72 * LENGTH)
        ax.set_title(text, loc="left", pad=22, **look.bold(text, 12))


def _limits(bars: Bars) -> tuple[float, float]:
    """From bound to bound while these are finite; otherwise from zero to a little more than the largest."""
    low, high = bars.bounds
    seen = bars.values if bars.intervals is None else np.concatenate([bars.values, bars.intervals.ravel()])
    seen = seen[np.isfinite(seen)]
    most, least = (float(seen.max()), float(seen.min())) if len(seen) else (1.0, 0.0)
    if not np.isfinite(low) or (low < 0 <= least):
        low = min(0.0, least * 1.05)
    if not np.isfinite(high):
        high = max(most * 1.05, low + 1e-9) if most > 0 else 1.0
    return low, high


def named_rows(names: Sequence[str], longest: int, ax: Axes, look: Look) -> None:
    """Axes without a frame: a name at each row, and pale lines at the values below."""
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_yticks(range(len(names)), labels=shortened([look.safe(name) for name in names], longest), **look.font(9.5))
    ax.tick_params(length=0, pad=5)
    ax.tick_params(axis="x", labelsize=8.5 * look.scale, labelcolor=look.muted, labelfontfamily=look.fonts[0])
    ax.grid(visible=True, axis="x", color=look.palette.line, linewidth=0.6, zorder=0)
    ax.set_axisbelow(True)


def columns_beside(columns: Iterable[tuple[Sequence[str], str, str]], ax: Axes, look: Look) -> None:
    """Columns of text at the right: what stands in each row, the head, and a colour."""
    right = 8.0
    for texts, head, color in columns:
        right += max(look.width(texts, 9), look.width([head], 8))
        shared = {"ha": "right", "textcoords": "offset points", "annotation_clip": False}
        for row, text in enumerate(texts):
            style = look.font(9, color=color) | shared | {"va": "center", "xytext": (right, 0)}
            # The heading ends where they end, so a layout need not measure them.
            ax.annotate(text, (1, row), xycoords=("axes fraction", "data"), **style).set_in_layout(False)
        style = look.font(8, color=look.muted) | shared | {"va": "bottom", "xytext": (right, 4)}
        ax.annotate(look.safe(head), (1, 1), xycoords="axes fraction", **style)
        right += 12


def _axes(bars: Bars, ax: Axes, look: Look) -> None:
    named_rows(bars.names, LONGEST_NAME, ax, look)
    ax.axvline(0, color=look.muted, linewidth=0.9, zorder=4)
    ax.set_xlabel(look.safe(bars.metric), **look.font(10.5), labelpad=6)
    if bars.note:
        style = look.font(8, color=look.muted) | {"ha": "center", "va": "top", "annotation_clip": False}
        text = look.safe(bars.note)
        ax.annotate(text, (0.5, 0), xycoords=ax.xaxis.label, xytext=(0, -4), textcoords="offset points", **style)


def _numbers(bars: Bars, ax: Axes, look: Look) -> None:
    """Two columns at the right: the value and the support of each class."""
    values = [DASH if value != value else _value(value, bars) for value in bars.values.tolist()]
    support = [number(one) for one in bars.support.tolist()]
    columns_beside([(values, bars.metric, look.text), (support, "support", look.muted)], ax, look)


def _value(value: float, bars: Bars) -> str:
    return number(int(value)) if bars.counts else f"{value:.{bars.digits}f}".replace("-", MINUS)


def _means(bars: Bars, ax: Axes, look: Look) -> None:
    for name, value in bars.means:
        if value != value:
            continue
        ax.axvline(value, color=look.palette.error[4], linewidth=1.2, linestyle=(0, (4, 2)), zorder=3)
        low, high = ax.get_xlim()
        # Near the end it would run into the heads of the columns.
        side = "right" if value - low > 0.88 * (high - low) else "center"
        style = look.font(8, color=look.muted) | {"ha": side, "va": "bottom", "annotation_clip": False}
        place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "xytext": (0, 4), "textcoords": "offset points"}
        ax.annotate(f"{name} {_value(value, bars)}", (value, 1), **place, **style)
