"""One line per model of a ranking: its score with the interval, a bar over the ranks it may have, tiers as bands."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from confmat.comparison.ranking import Ranking
from confmat.core.text import printable
from confmat.display.plot.bars import LONGEST_NAME, named_rows
from confmat.display.plot.figures import draw_estimates, fit, on_rows
from confmat.display.plot.style import Look, figure_of, inches_of

# Inches of the axis of scores; ranks have a part of it beside.
_LENGTH, _BESIDE, _GAP = 3.4, 0.6, 0.06


def draw(ranking: Ranking, ax: Any, title: str | None) -> Axes:
    """The models from the best down, into some axes or a figure of their own."""
    names = [printable(model) for model in ranking.models]
    drawn = on_rows(
        ax, names, title, _LENGTH, lambda axes, look: _draw(ranking, names, axes, look), 10
    )
    if ax is None:
        # The axes of ranks are a part of those of scores, which had not their width yet.
        fit(figure_of(drawn), drawn, _LENGTH, inches_of(drawn)[1])
    return drawn


def _draw(ranking: Ranking, names: list[str], ax: Axes, look: Look) -> None:
    rows = np.arange(len(names))
    named_rows(names, LONGEST_NAME, ax, look)
    side = ax.inset_axes((1 + _GAP, 0, _BESIDE, 1))
    side.set(xlim=(min(ranking.low) - 0.6, max(ranking.high) + 0.6), ylim=ax.get_ylim())
    named_rows(ranking.ranks(), LONGEST_NAME, side, look)
    side.yaxis.tick_right()
    side.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    starts = [0, *ranking.starts, len(rows)]
    for place, (start, end) in enumerate(pairwise(starts)):
        if place % 2 == 0 and len(starts) > 2:
            for each in (ax, side):
                each.axhspan(
                    start - 0.5,
                    end - 0.5,
                    color=look.palette.line,
                    alpha=0.5,
                    linewidth=0,
                    zorder=0,
                )
        style = look.font(7.5, color=look.muted) | {
            "va": "top",
            "textcoords": "offset points",
            "xytext": (3, -2),
        }
        ax.annotate(
            f"tier {place + 1}", (0, start - 0.5), xycoords=("axes fraction", "data"), **style
        )
    # Models that nobody is shown to beat are filled, so that they can be seen without colours.
    best = np.array([model in ranking.top for model in ranking.models])
    hit = look.palette.hit[4]
    hues = [(best, hit, hit), (~best, look.muted, look.page)]
    ends = np.array(
        [(estimate.low, estimate.value, estimate.high) for estimate in ranking.estimates]
    )
    draw_estimates(ends, hues, ax, 6 * min(look.scale, 1.0))
    for which, color, filled in hues:
        first, last = (np.array(part)[which] for part in (ranking.low, ranking.high))
        side.barh(
            rows[which],
            last - first + 0.5,
            0.4,
            first - 0.25,
            color=filled,
            edgecolor=color,
            zorder=3,
        )
    for each, head in ((ax, ranking.score), (side, "rank")):
        each.set_xlabel(look.safe(head), **look.font(10), labelpad=6)
