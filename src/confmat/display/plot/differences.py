"""One line per difference of two models: a dot, its interval, and where nothing would be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from confmat.comparison.differences import Difference, heading
from confmat.core.text import printable
from confmat.display.plot.bars import LONGEST_NAME, columns_beside, named_rows
from confmat.display.plot.figures import draw_estimates, on_rows
from confmat.display.plot.style import Look
from confmat.display.view import DASH, MINUS

# Inches of the axis.
_LENGTH = 4.2


def draw(differences: Sequence[Difference], ax: Any, title: str | None) -> Axes:
    """The differences from the top down, into some axes or a figure of their own."""
    several = len({(difference.first, difference.second) for difference in differences}) > 1
    names = [
        f"{printable(difference.score)}, {heading([difference])}"
        if several
        else printable(difference.score)
        for difference in differences
    ]
    return on_rows(
        ax, names, title, _LENGTH, lambda axes, look: _draw(differences, names, axes, look)
    )


def _draw(differences: Sequence[Difference], names: list[str], ax: Axes, look: Look) -> None:
    ends = np.array(
        [(difference.low, difference.difference, difference.high) for difference in differences]
    )
    gaps = ends[:, 1]
    sure = np.array([difference.verdict == "different" for difference in differences])
    good = gaps * [
        {"higher": 1, "lower": -1, "neither": 0}[difference.better] for difference in differences
    ]
    # A difference that does not hold is hollow, so that it can be seen without colours.
    hues = [(~sure & ~np.isnan(gaps), look.muted, look.page)]
    for of, hue in (
        (good > 0, look.palette.more[4]),
        (good < 0, look.palette.less[4]),
        (good == 0, look.text),
    ):
        hues.append((sure & of, hue, hue))
    draw_estimates(ends, hues, ax, also=[0.0])
    named_rows(names, 2 * LONGEST_NAME, ax, look)
    ax.axvline(0, color=look.text, linewidth=1.1, zorder=2)
    heads = (
        f"difference {heading(differences)}, with intervals of {100 * differences[0].level:.4g} %"
    )
    ax.set_xlabel(look.safe(heads), **look.font(10), labelpad=6)
    texts = [
        DASH
        if math.isnan(difference.difference)
        else f"{difference.difference:+.3f}".replace("-", MINUS)
        for difference in differences
    ]
    columns_beside(
        [
            (texts, "difference", look.text),
            ([_chance(difference) for difference in differences], "p", look.text),
        ],
        ax,
        look,
    )


def _chance(difference: Difference) -> str:
    """The p-value, of a range the greatest."""
    p = difference.p_high if math.isnan(difference.adjusted) else difference.adjusted
    if math.isnan(p):
        return DASH
    shown = f"{p:.3f}" if p >= 0.001 else "< 0.001"
    return f"≤ {shown}" if difference.is_range and p >= 0.001 else shown
