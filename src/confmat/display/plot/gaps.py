"""One line per group: its score with the interval, in order; filled where it is shown to differ from the rest."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from confmat.core.stack import key_text
from confmat.display.plot.bars import LONGEST_NAME, columns_beside, named_rows
from confmat.display.plot.figures import draw_estimates, on_rows
from confmat.display.plot.style import Look
from confmat.display.view import MINUS

if TYPE_CHECKING:
    from confmat.comparison import Gap

# Inches of the axis.
_LENGTH = 4.2


def draw(gap: Gap, ax: Any, title: str | None) -> Axes:
    """The groups from the least value up, score by score, into some axes or a figure of their own."""
    several = len(gap.parts) > 1
    names = [
        f"{part.score}, {key_text(key)}" if several else key_text(key)
        for part in gap.parts
        for key in part.groups
    ]
    return on_rows(ax, names, title, _LENGTH, lambda axes, look: _draw(gap, names, axes, look))


def _draw(gap: Gap, names: list[str], ax: Axes, look: Look) -> None:
    each = [*chain(*(part.estimates for part in gap.parts))]
    ends = np.array([(estimate.low, estimate.value, estimate.high) for estimate in each])
    shown = np.array([*chain(*(part.differs for part in gap.parts))])
    named_rows(names, (1 + (len(gap.parts) > 1)) * LONGEST_NAME, ax, look)
    start = 0
    for part in gap.parts:
        # The gap itself, from the smallest value to the largest.
        bottom, start = start, start + len(part.groups)
        ax.fill_betweenx(
            (bottom - 0.5, start - 0.5),
            ends[bottom, 1],
            ends[start - 1, 1],
            color=look.palette.line,
            alpha=0.5,
            linewidth=0,
            zorder=0,
        )
    # A group that is not shown to differ is hollow, so that it can be seen without colours.
    hit = look.palette.hit[4]
    draw_estimates(ends, [(shown, hit, hit), (~shown, look.muted, look.page)], ax)
    head = gap.name if len(gap.parts) > 1 else gap.parts[0].score
    text = f"{head}: gap {gap.difference}; filled: shown to differ from the rest"
    ax.set_xlabel(look.wrapped(text, 10, 72 * _LENGTH), **look.font(10), labelpad=6)
    values = [f"{estimate.value:.3f}" for estimate in each]
    rest = [
        f"{estimate.value:+.3f}".replace("-", MINUS) for part in gap.parts for estimate in part.rest
    ]
    columns_beside([(values, "value", look.text), (rest, "less the rest", look.text)], ax, look)
