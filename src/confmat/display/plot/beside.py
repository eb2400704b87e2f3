"""What stands at the right of the cells: the support of each row, the scales of the colours, or the observed roles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from confmat._notebook import shaded
from confmat.display import view_text
from confmat.display.plot.style import Look, figure_of
from confmat.display.shading import mixed, painted
from confmat.display.view import MatrixView
from confmat.display.view_roles import OBSERVED, Role

__all__ = ["draw", "scales"]

# Inches: the gap to the cells, the longest bar of support, a scale's width and height.
_GAP, _BAR, _SCALE, _TALL = 0.1, 0.55, 0.13, 1.7
# Up to this many rows, totals are written beside their bars.
MOST_TOTALS = 40


def draw(view: MatrixView, ax: Axes, look: Look, side: float, *, support: bool, colorbar: bool) -> None:
    """Draw what fits the view; `side` is that of the cells together, in points."""
    shows = support and view.margins and not view.is_difference
    right = _support(view, ax, look, side) if shows else _GAP
    if view.of is not None:
        _roles(view, ax, look, right)
    elif colorbar:
        scales(view, ax, look, right + 0.1, min(_TALL * 72 / side, 0.9))


def _inches_right_of(ax: Axes) -> Any:
    """Coordinates: inches to the right of the axes, and their own up and down; they hold when the axes move."""
    origin: Any = ax.transAxes
    inches = figure_of(ax).dpi_scale_trans + ScaledTranslation(1, 0, origin)
    return blended_transform_factory(inches, ax.transAxes)


def _inset(ax: Axes, left: float, bottom: float, width: float, height: float) -> Axes:
    inset = ax.inset_axes((left, bottom, width, height), transform=_inches_right_of(ax))
    inset.patch.set_visible(False)
    inset.tick_params(length=0)
    return inset


# ---- support -----------------------------------------------------------------------------------------------


def _support(view: MatrixView, ax: Axes, look: Look, side: float) -> float:
    """A bar of the items in each row; how far it reaches, in inches."""
    n = len(view)
    most = float(np.max(view.row_totals, initial=0))
    if not most:
        return _GAP
    bars = _inset(ax, _GAP, 0, _BAR * look.scale, 1)
    bars.set(xlim=(0, most), ylim=(n - 0.5, -0.5), xticks=[], yticks=[], zorder=0)
    for spine in bars.spines.values():
        spine.set_visible(False)
    fill = look.palette.folded[2]
    totals = view.row_totals.astype(float)
    if n <= 64:
        bars.barh(np.arange(n), totals, height=0.6, color=fill)
    else:
        bars.stairs(totals, np.arange(n + 1) - 0.5, orientation="horizontal", fill=True, color=fill)
    size = min(8.5, side / n * 0.6 / look.scale)
    head = look.font(8, color=look.muted) | {"ha": "left", "va": "bottom", "annotation_clip": False}
    bars.annotate("support", (0, 1), xycoords="axes fraction", xytext=(0, 3), textcoords="offset points", **head)
    reach = max(_BAR * look.scale, look.width(["support"], 8) / 72)
    if n > MOST_TOTALS or size < 5:
        return _GAP + reach
    style = look.font(size, color=look.muted) | {"ha": "left", "va": "center", "annotation_clip": False}
    texts = view.row_texts
    for row, text in enumerate(texts):
        bars.annotate(text, (totals[row], row), xytext=(3, 0), textcoords="offset points", **style)
    ends = [_BAR * look.scale * totals[row] / most + look.width([texts[row]], size) / 72 for row in range(n)]
    return _GAP + max(reach, *ends) + 0.05


# ---- scales ------------------------------------------------------------------------------------------------


def scales(view: MatrixView, ax: Axes, look: Look, left: float, tall: float) -> None:
    """The scale of hits and that of errors, or the one of a difference."""
    if view.is_difference:
        top = view.tops[Role.HIT]
        _scale(view, _inset(ax, left, 1 - tall, _SCALE, tall), look, "difference", Role.HIT, (-top, top))
        return
    errors = Role.ERROR
    first = _scale(view, _inset(ax, left, 1 - tall, _SCALE, tall), look, "hits", Role.HIT, (0, view.tops[Role.HIT]))
    left += _SCALE + first / 72 + 0.22
    _scale(view, _inset(ax, left, 1 - tall, _SCALE, tall), look, "errors", errors, (0, view.tops[errors]))


def _scale(view: MatrixView, axes: Axes, look: Look, name: str, role: Role, ends: tuple[float, float]) -> float:
    """A strip of colours with a few values beside it; the points that these take."""
    low, high = ends
    floor = -1.0 if low < 0 else 0.0
    shades = np.linspace(floor, 1.0, 128)[:, None]
    roles = np.full(shades.shape, role, dtype=np.uint8)
    colours = painted(shades, roles, look.palette, difference=view.is_difference)
    axes.imshow(colours, extent=(0, 1, floor, 1), origin="lower", aspect="auto", interpolation="nearest")
    for spine in axes.spines.values():
        spine.set_visible(False)
    values = _ticks(high, whole=view.normalize is None and view.counts.dtype.kind in "iu")
    values = [*(-value for value in reversed(values)), 0.0, *values] if low < 0 else [0.0, *values]
    places = shaded(np.array(values), high or 1.0)
    texts = [_tick(view, value) for value in values]
    axes.set_xticks([])
    axes.yaxis.tick_right()
    axes.set_yticks(places, labels=texts, **look.font(7.5, color=look.muted))
    axes.tick_params(length=0, pad=2)
    style = look.font(8, color=look.muted) | {"ha": "left", "va": "bottom", "annotation_clip": False}
    axes.annotate(name, (0, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points", **style)
    return max(look.width(texts, 7.5) + 4, look.width([name], 8) - _SCALE * 72)


def _ticks(top: float, *, whole: bool = False) -> list[float]:
    """Round values near a hundredth, a tenth and the half of the largest, and the largest; of counts, whole ones."""
    if not top > 0:
        return []
    values = sorted({_round(top * part) for part in (0.01, 0.1, 0.4)} - {top})
    return [value for value in values if value < 0.75 * top and (value >= 1 or not whole)] + [top]


def _round(value: float) -> float:
    """To one digit among 1, 2 and 5."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(digit for digit in (1.0, 2.0, 5.0) if digit * power <= value * (1 + 1e-12)) * power


def _tick(view: MatrixView, value: float) -> str:
    if view.normalize is None:
        return view_text.amount(view, round(value, 10))
    sign = ("+" if value > 0 else view_text.MINUS) if view.is_difference and value else ""
    return f"{sign}{100 * abs(value):.3g}{'' if view.is_difference else '%'}"


# ---- an observed class -------------------------------------------------------------------------------------


def _roles(view: MatrixView, ax: Axes, look: Look, left: float) -> None:
    """What the four colours mean, and how many there are of each."""
    ramps = look.palette.ramps()
    present = [(role, text) for role, text in view.legend if role in OBSERVED]
    patches = [Patch(facecolor=mixed(ramps[role], 0.6), label=look.safe(text)) for role, text in present]
    legend = ax.legend(
        handles=patches, loc="upper left", bbox_to_anchor=(left + 0.05, 1), bbox_transform=_inches_right_of(ax),
        frameon=False, borderaxespad=0, handlelength=1, handleheight=1, labelspacing=0.5,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set(**look.font(9))
