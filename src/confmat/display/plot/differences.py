"""One line per difference of two models: a dot, its interval, and where nothing would be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from confmat.comparison.differences import Difference, heading
from confmat.core.text import printable
from confmat.display.plot.bars import LONGEST_NAME, columns_beside, named_rows
from confmat.display.plot.figures import _checked, _fit
from confmat.display.plot.style import Look, figure_of, laid_out, look_for, new_figure, quiet
from confmat.display.view import DASH, MINUS

# Inches: a row, and the axis.
_ROW, _LENGTH = 0.3, 4.2


def draw(differences: Sequence[Difference], ax: Any, title: str | None) -> Axes:
    """The differences from the top down, into some axes or a figure of their own."""
    given = _checked(ax)
    names = _names(differences)
    with quiet():
        face = mpl.rcParams["axes.facecolor"] if given is None else given.get_facecolor()
        look = look_for(face, [*names, title or ""])
        if given is not None:
            _drawn(differences, names, given, look, title)
            laid_out(figure_of(given))
            return given
        height = max(len(differences) * _ROW * look.scale, 0.9)
        figure = new_figure(_LENGTH + 4, height + 2)
        axes = figure.add_subplot()
        _drawn(differences, names, axes, look, title)
        _fit(figure, axes, _LENGTH, height)
        return axes


def _names(differences: Sequence[Difference]) -> list[str]:
    """The scores; with the models where there are more than two."""
    several = len({(one.first, one.second) for one in differences}) > 1
    return [f"{printable(one.score)}, {heading([one])}" if several else printable(one.score) for one in differences]


def _drawn(differences: Sequence[Difference], names: list[str], ax: Axes, look: Look, title: str | None) -> None:
    rows = np.arange(len(differences))
    gaps, low, high = (np.array([getattr(one, part) for one in differences]) for part in ("difference", "low", "high"))
    sure = np.array([one.verdict == "different" for one in differences])
    known = ~np.isnan(gaps)
    reach = np.concatenate([[0.0], *(part[np.isfinite(part)] for part in (gaps, low, high))])
    margin = 0.06 * (float(np.ptp(reach)) or 1.0)
    ax.set(xlim=(reach.min() - margin, reach.max() + margin), ylim=(len(rows) - 0.5, -0.5))
    blue = look.palette.hit[4]
    # A difference that does not hold is hollow, so that it can be seen without colours.
    for chosen, colour, filled in ((known & sure, blue, blue), (known & ~sure, look.muted, look.page)):
        ax.hlines(rows[chosen], low[chosen], high[chosen], color=colour, linewidth=1.6, zorder=3)
        ax.plot(gaps[chosen], rows[chosen], "o", color=colour, markerfacecolor=filled, markersize=6, zorder=4)
    _axes(differences, names, ax, look)
    _numbers(differences, ax, look)
    if title:
        text = look.wrapped(title, 12, 72 * _LENGTH)
        ax.set_title(text, loc="left", pad=22, **look.bold(text, 12))


def _axes(differences: Sequence[Difference], names: list[str], ax: Axes, look: Look) -> None:
    named_rows(names, 2 * LONGEST_NAME, ax, look)
    ax.axvline(0, color=look.text, linewidth=1.1, zorder=2)
    level = f"{100 * differences[0].level:.4g} %"
    ax.set_xlabel(
        look.safe(f"difference {heading(differences)}, with intervals of {level}"), **look.font(10), labelpad=6
    )


def _numbers(differences: Sequence[Difference], ax: Axes, look: Look) -> None:
    """Two columns at the right: the difference, and its p-value, of a range the greatest."""
    gaps = [DASH if math.isnan(one.difference) else _signed(one.difference) for one in differences]
    chances = [_chance(one) for one in differences]
    columns_beside([(gaps, "difference", look.text), (chances, "p", look.text)], ax, look)


def _signed(gap: float) -> str:
    return f"{gap:+.3f}".replace("-", MINUS)


def _chance(one: Difference) -> str:
    p = one.p_high if math.isnan(one.adjusted) else one.adjusted
    if math.isnan(p):
        return DASH
    shown = f"{p:.3f}" if p >= 0.001 else "< 0.001"
    return f"≤ {shown}" if one.is_range and p >= 0.001 else shown
