"""One line per group: its score with the interval, in order; filled where it is shown to differ from the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from confmat.core.stack import key_text
from confmat.display.plot.bars import LONGEST_NAME, columns_beside, named_rows
from confmat.display.plot.figures import on_axes
from confmat.display.plot.style import Look
from confmat.display.view import MINUS

if TYPE_CHECKING:
    from confmat.comparison import Gap

# Inches: a row, and the axis.
_ROW, _LENGTH = 0.3, 4.2


def draw(gap: Gap, ax: Any, title: str | None) -> Axes:
    """The groups from the least value up, score by score, into some axes or a figure of their own."""
    several = len(gap.parts) > 1
    names = [
        f"{part.score}, {key_text(key)}" if several else key_text(key)
        for part in gap.parts
        for key in part.groups
    ]

    def size(look: Look) -> tuple[float, float]:
        return _LENGTH, max(len(names) * _ROW * look.scale, 0.9)

    return on_axes(
        ax, [*names, title or ""], size, lambda axes, look, _: _draw(gap, names, axes, look, title)
    )


def _draw(gap: Gap, names: list[str], ax: Axes, look: Look, title: str | None) -> None:
    rows = np.arange(len(names))
    each = [one for part in gap.parts for one in part.estimates]
    low, value, high = np.array([(one.low, one.value, one.high) for one in each]).T
    shown = np.array([differs for part in gap.parts for differs in part.differs])
    seen = np.concatenate([part[np.isfinite(part)] for part in (low, value, high)])
    margin = 0.06 * (float(np.ptp(seen)) or 1.0)
    ax.set(xlim=(seen.min() - margin, seen.max() + margin), ylim=(len(rows) - 0.5, -0.5))
    named_rows(names, (1 + (len(gap.parts) > 1)) * LONGEST_NAME, ax, look)
    start = 0
    for part in gap.parts:
        # The gap itself, from the smallest value to the largest.
        ends = value[start], value[start + len(part.groups) - 1]
        bottom, start = start, start + len(part.groups)
        ax.fill_betweenx(
            (bottom - 0.5, start - 0.5),
            *ends,
            color=look.palette.line,
            alpha=0.5,
            linewidth=0,
            zorder=0,
        )
    # A group that is not shown to differ is hollow, so that it can be seen without colours.
    for which, color, filled in (
        (shown, look.palette.hit[4], look.palette.hit[4]),
        (~shown, look.muted, look.page),
    ):
        ax.hlines(rows[which], low[which], high[which], color=color, linewidth=1.6, zorder=3)
        ax.plot(
            value[which],
            rows[which],
            "o",
            color=color,
            markerfacecolor=filled,
            markersize=6,
            zorder=4,
        )
    head = gap.name if len(gap.parts) > 1 else gap.parts[0].score
    text = f"{head}: gap {gap.difference}; filled: shown to differ from the rest"
    ax.set_xlabel(look.wrapped(text, 10, 72 * _LENGTH), **look.font(10), labelpad=6)
    values = [f"{one.value:.3f}" for one in each]
    rest = [f"{one.value:+.3f}".replace("-", MINUS) for part in gap.parts for one in part.rest]
    columns_beside([(values, "value", look.text), (rest, "less the rest", look.text)], ax, look)
    if title:
        text = look.wrapped(title, 12, 72 * _LENGTH)
        ax.set_title(text, loc="left", pad=22, **look.bold(text, 12))
