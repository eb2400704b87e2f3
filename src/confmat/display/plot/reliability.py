"""A reliability diagram: the share that became true over the mean score, bin by bin, and the items of each below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from confmat.display.plot.bars import write_title
from confmat.display.plot.figures import on_axes
from confmat.display.plot.style import Look

if TYPE_CHECKING:
    from confmat.calibrating import Calibration

# Inches of the square, and the part of it that the histogram has below.
_SIDE, _BELOW, _GAP = 3.6, 0.24, 0.06


def draw(calibration: Calibration, ax: Any, title: str | None) -> Axes:
    """The bins with their intervals, into some axes or a figure of their own."""
    size = lambda _: (_SIDE, _SIDE)  # noqa: E731 - whatever the look
    return on_axes(
        ax, [title or ""], size, lambda axes, look, _: _draw(calibration, axes, look, title)
    )


def _draw(calibration: Calibration, ax: Axes, look: Look, title: str | None) -> None:
    held = calibration.items > 0
    x, y = calibration.mean_score[held], calibration.share[held]
    low, high = calibration.shares()[held].T
    off, many = calibration.shown()[held], calibration.items
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.plot([0, 1], [0, 1], color=look.muted, linewidth=1, linestyle=(0, (4, 2)), zorder=2)
    # A bin that is not shown to be off is hollow, so that it can be seen without colours.
    for which, color, filled in (
        (off, look.palette.error[4], look.palette.error[4]),
        (~off, look.palette.hit[4], look.page),
    ):
        ax.vlines(x[which], low[which], high[which], color=color, linewidth=1.4, zorder=3)
        ax.plot(
            x[which],
            y[which],
            "o",
            color=color,
            markerfacecolor=filled,
            markersize=5,
            zorder=4,
            clip_on=False,
        )
    below = ax.inset_axes((0, -_BELOW - _GAP, 1, _BELOW))
    edges = calibration.bins.edges
    below.bar(
        edges[:-1],
        many,
        np.diff(edges),
        align="edge",
        color=look.palette.hit[2],
        edgecolor=look.page,
        linewidth=0.5,
    )
    below.set(xlim=(0, 1), ylim=(0, max(int(many.max(initial=0)), 1) * 1.05))
    for each in (ax, below):
        each.spines[["top", "right"]].set_visible(False)
        each.spines[["left", "bottom"]].set_color(look.palette.line)
        each.tick_params(
            length=0,
            pad=4,
            labelsize=8.5 * look.scale,
            labelcolor=look.muted,
            labelfontfamily=look.fonts[0],
        )
    ax.set_xticklabels([])
    ax.grid(visible=True, color=look.palette.line, linewidth=0.6, zorder=0)
    below.locator_params(axis="y", nbins=2)
    ax.set_ylabel("share that became true", **look.font(10))
    below.set_ylabel("items", **look.font(10))
    ece = (
        f"ECE {calibration.interval('ece')}\na calibrated model would show {calibration.noise:.3f}"
    )
    below.set_xlabel(f"score\n{ece}\nfilled: shown to be off", **look.font(9.5), labelpad=5)
    write_title(title, ax, look, _SIDE, 10)
