"""One dot per class for one metric, the worst first, with intervals where they are known, and the support."""

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

# Inches: a row, and the axis.
ROW, LENGTH = 0.24, 4.2
LONGEST_NAME = 28


@dataclass(frozen=True)
class Dots:
    """The values of a chart, in the order of drawing."""

    names: Sequence[str]
    values: Array
    support: Array
    # Ends of the intervals, (classes, 2); NaN where there is none.
    intervals: Array | None
    bounds: tuple[float, float]
    metric: str
    # The macro mean to mark; NaN where there is none.
    mean: float
    note: str = ""
    # Whether the values are numbers of items.
    counts: bool = False


def draw_dots(dots: Dots, ax: Axes, look: Look, title: str | None) -> None:
    """Draw the dots, from the top down."""
    n = len(dots.names)
    rows = np.arange(n)
    low, high = _limits(dots)
    ax.set(xlim=(low, high), ylim=(n - 0.5, -0.5))
    known, color = ~np.isnan(dots.values), look.palette.hit[4]
    if dots.intervals is not None:
        ax.hlines(rows[known], *dots.intervals[known].T, color=color, linewidth=1.6, zorder=3)
    size = 6 * min(look.scale, 1.0)
    ax.plot(
        dots.values[known], rows[known], "o", color=color, markersize=size, zorder=4, clip_on=False
    )
    _axes(dots, ax, look)
    _numbers(dots, ax, look)
    _mean(dots, ax, look)
    write_title(title, ax, look, LENGTH)


def write_title(title: str | None, ax: Axes, look: Look, length: float, pad: float = 22) -> None:
    """Write a heading above axes of that many inches, if there is one."""
    if title:
        text = look.wrapped(title, 12, 72 * length)
        ax.set_title(text, loc="left", pad=pad, **look.bold(text, 12))


def _limits(dots: Dots) -> tuple[float, float]:
    """From bound to bound while these are finite; otherwise from zero to a little more than the largest."""
    low, high = dots.bounds
    seen = (
        dots.values
        if dots.intervals is None
        else np.concatenate([dots.values, dots.intervals.ravel()])
    )
    seen = seen[np.isfinite(seen)]
    most, least = (float(seen.max()), float(seen.min())) if len(seen) else (1.0, 0.0)
    if not np.isfinite(low) or (low < 0 <= least):
        low = min(0.0, least * 1.05)
    if not np.isfinite(high):
        high = max(most * 1.05, low + 1e-9) if most > 0 else 1.0
    return low, high


def named_rows(names: Sequence[str], longest: int, ax: Axes, look: Look) -> None:
    """Axes without a frame: a name at each row, and pale lines at the values below."""
    ax.spines[:].set_visible(False)
    ax.set_yticks(
        range(len(names)),
        labels=shortened([look.safe(name) for name in names], longest),
        **look.font(9.5),
    )
    ax.tick_params(length=0, pad=5)
    ax.tick_params(
        axis="x", labelsize=8.5 * look.scale, labelcolor=look.muted, labelfontfamily=look.fonts[0]
    )
    if look.paper:
        ax.locator_params(axis="x", nbins=4)
    ax.grid(visible=True, axis="x", color=look.palette.line, linewidth=0.6, zorder=0)
    ax.set_axisbelow(True)


def columns_beside(columns: Iterable[tuple[Sequence[str], str, str]], ax: Axes, look: Look) -> None:
    """Columns of text at the right: what is in each row, the head, and a colour."""
    right = 8.0
    for texts, head, color in columns:
        right += max(look.width(texts, 9), look.width([head], 8))
        shared = {"ha": "right", "textcoords": "offset points", "annotation_clip": False}
        for row, text in enumerate(texts):
            style = look.font(9, color=color) | shared | {"va": "center", "xytext": (right, 0)}
            # The heading ends where they end, so a layout need not measure them.
            ax.annotate(text, (1, row), xycoords=("axes fraction", "data"), **style).set_in_layout(
                False
            )
        style = look.font(8, color=look.muted) | shared | {"va": "bottom", "xytext": (right, 4)}
        ax.annotate(look.safe(head), (1, 1), xycoords="axes fraction", **style)
        right += 12


def _axes(dots: Dots, ax: Axes, look: Look) -> None:
    named_rows(dots.names, LONGEST_NAME, ax, look)
    ax.axvline(0, color=look.muted, linewidth=0.9, zorder=4)
    ax.set_xlabel(look.safe(dots.metric), **look.font(10.5), labelpad=6)
    if dots.note:
        style = look.font(8, color=look.muted) | {
            "ha": "center",
            "va": "top",
            "annotation_clip": False,
        }
        text = look.safe(dots.note)
        ax.annotate(
            text,
            (0.5, 0),
            xycoords=ax.xaxis.label,
            xytext=(0, -4),
            textcoords="offset points",
            **style,
        )


def _numbers(dots: Dots, ax: Axes, look: Look) -> None:
    """Two columns at the right: the value and the support of each class."""
    values = [DASH if value != value else _value(value, dots) for value in dots.values.tolist()]
    support = [number(count) for count in dots.support.tolist()]
    columns_beside([(values, dots.metric, look.text), (support, "support", look.muted)], ax, look)


def _value(value: float, dots: Dots) -> str:
    return number(int(value)) if dots.counts else f"{value:.3f}".replace("-", MINUS)


def _mean(dots: Dots, ax: Axes, look: Look) -> None:
    value = dots.mean
    if value != value:
        return
    ax.axvline(value, color=look.palette.error[4], linewidth=1.2, linestyle=(0, (4, 2)), zorder=3)
    low, high = ax.get_xlim()
    # Near the end it would run into the heads of the columns.
    side = "right" if value - low > 0.88 * (high - low) else "center"
    style = look.font(8, color=look.muted) | {"ha": side, "va": "bottom", "annotation_clip": False}
    place: dict[str, Any] = {
        "xycoords": ("data", "axes fraction"),
        "xytext": (0, 4),
        "textcoords": "offset points",
    }
    ax.annotate(f"macro {_value(value, dots)}", (value, 1), **place, **style)
