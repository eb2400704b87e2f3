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
from confmat.display.plot.figures import on_axes
from confmat.display.plot.style import Look
from confmat.display.view import DASH, MINUS

# Inches: a row, and the axis.
_ROW, _LENGTH = 0.3, 4.2


def draw(differences: Sequence[Difference], ax: Any, title: str | None) -> Axes:
    """The differences from the top down, into some axes or a figure of their own."""
    several = len({(one.first, one.second) for one in differences}) > 1
    names = [
        f"{printable(one.score)}, {heading([one])}" if several else printable(one.score)
        for one in differences
    ]

    def size(look: Look) -> tuple[float, float]:
        return _LENGTH, max(len(differences) * _ROW * look.scale, 0.9)

    return on_axes(
        ax,
        [*names, title or ""],
        size,
        lambda axes, look, _: _draw(differences, names, axes, look, title),
    )


def _draw(
    differences: Sequence[Difference], names: list[str], ax: Axes, look: Look, title: str | None
) -> None:
    rows = np.arange(len(differences))
    gaps, low, high = (
        np.array([getattr(one, part) for one in differences])
        for part in ("difference", "low", "high")
    )
    sure = np.array([one.verdict == "different" for one in differences])
    known = ~np.isnan(gaps)
    reach = np.concatenate([[0.0], *(part[np.isfinite(part)] for part in (gaps, low, high))])
    margin = 0.06 * (float(np.ptp(reach)) or 1.0)
    ax.set(xlim=(reach.min() - margin, reach.max() + margin), ylim=(len(rows) - 0.5, -0.5))
    good = gaps * [{"higher": 1, "lower": -1, "neither": 0}[one.better] for one in differences]
    hues = [
        (good > 0, look.palette.more[4]),
        (good < 0, look.palette.less[4]),
        (good == 0, look.text),
    ]
    # A difference that does not hold is hollow, so that it can be seen without colours.
    for which, color, filled in (
        *((sure & of, hue, hue) for of, hue in hues),
        (~sure, look.muted, look.page),
    ):
        chosen = known & which
        ax.hlines(rows[chosen], low[chosen], high[chosen], color=color, linewidth=1.6, zorder=3)
        ax.plot(
            gaps[chosen],
            rows[chosen],
            "o",
            color=color,
            markerfacecolor=filled,
            markersize=6,
            zorder=4,
        )
    named_rows(names, 2 * LONGEST_NAME, ax, look)
    ax.axvline(0, color=look.text, linewidth=1.1, zorder=2)
    heads = (
        f"difference {heading(differences)}, with intervals of {100 * differences[0].level:.4g} %"
    )
    ax.set_xlabel(look.safe(heads), **look.font(10), labelpad=6)
    texts = [
        DASH if math.isnan(one.difference) else f"{one.difference:+.3f}".replace("-", MINUS)
        for one in differences
    ]
    columns_beside(
        [(texts, "difference", look.text), ([_chance(one) for one in differences], "p", look.text)],
        ax,
        look,
    )
    if title:
        text = look.wrapped(title, 12, 72 * _LENGTH)
        ax.set_title(text, loc="left", pad=22, **look.bold(text, 12))


def _chance(one: Difference) -> str:
    """The p-value, of a range the greatest."""
    p = one.p_high if math.isnan(one.adjusted) else one.adjusted
    if math.isnan(p):
        return DASH
    shown = f"{p:.3f}" if p >= 0.001 else "< 0.001"
    return f"≤ {shown}" if one.is_range and p >= 0.001 else shown
