"""Curves: ROC, precision-recall, risk-coverage, or a score over the threshold with its interval; thresholds marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from confmat.core.errors import InputError, Message
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, told
from confmat.core.stack import Stack
from confmat.core.text import printable, shortened
from confmat.display.plot.figures import on_axes
from confmat.display.plot.style import Look
from confmat.display.view import MatrixView

Array = NDArray[Any]

# Inches: the side of a curve of two rates, and width and height of any other.
_SIDE, _WIDE, _HIGH = 3.9, 5.2, 3.2
# Points of a longer curve are left out evenly: what is left is closer than a line is thick.
_MOST = 4096
_LONGEST_NAME = 36
_SQUARE = {"ROC", "precision-recall"}
# Where curves leave room for their names; of more, the names are beside the axes.
_CORNERS, _MOST_WITHIN = {"ROC": "lower right", "precision-recall": "lower left"}, 4
_POINTS: dict[str, Any] = {"textcoords": "offset points"}
_STYLES = ("-", "--", "-.", ":")


@runtime_checkable
class Curve(Protocol):
    """Points for each threshold, the highest first; some have an interval of each, and its level."""

    name: str
    x_name: str
    y_name: str
    x: Array
    y: Array
    thresholds: Array

    @property
    def rule(self) -> str:
        """How points are joined: "trapezoid" or "step"."""

    def area_text(self) -> str:
        """The area below, with its name; empty where it has none."""

    def band(self) -> tuple[Array, Array, Array, float] | None:
        """Where bounds of the height are known: x, both bounds, and the level of each point by itself."""

    def __len__(self) -> int: ...


@runtime_checkable
class Best(Protocol):
    """The threshold where a score is best, those that are not told apart from it, and the score over all."""

    threshold: float
    range: tuple[float, float]

    def curve(self) -> Curve:
        """The score over the threshold."""


@dataclass
class Drawing:
    """Curves to draw by name, the threshold to mark on all, and the thresholds that are as good as the best."""

    curves: dict[str, Curve]
    mark: float | None = None
    alike: tuple[float, float] | None = None

    @property
    def first(self) -> Curve:
        """The curve whose axes all of them have."""
        return next(iter(self.curves.values()))


def draw(drawing: Drawing, ax: Any, title: str | None) -> Axes:
    """The curves, into some axes or a figure of their own."""
    width, height = (_SIDE, _SIDE) if drawing.first.name in _SQUARE else (_WIDE, _HIGH)
    texts = [*drawing.curves, drawing.first.x_name, drawing.first.y_name, title or ""]

    def draw_curves(axes: Axes, look: Look, width: float | None) -> None:
        _draw(drawing, axes, look, title, own=width is not None)

    return on_axes(ax, texts, lambda look: (width * look.scale, height * look.scale), draw_curves)


# ---- what was asked ------------------------------------------------------------------------------


def read(curves: Any, threshold: Any) -> Drawing:
    """A curve, several by name, or the best threshold with the score around it."""
    if isinstance(curves, Best):
        curve, mark = curves.curve(), curves.threshold if threshold is None else threshold
        return Drawing({"": curve}, _mark_of({"": curve}, mark), curves.range)
    named = {"": curves} if isinstance(curves, Curve) else curves
    if isinstance(curves, (ConfusionMatrix, Stack, MatrixView)):
        msg: str = Message(
            "{threshold} marks a point of a curve, and a {} has none", type(curves).__name__
        )
        raise InputError(msg)
    if not (
        isinstance(named, Mapping)
        and named
        and all(isinstance(curve, Curve) for curve in named.values())
    ):
        msg = (
            "`plot` takes a ConfusionMatrix, a Stack, a MatrixView, what `best` gave, a curve such "
            "as `roc` gives, or "
            f"curves by name, and `plot_differences` a Comparison, not {type(curves).__name__}; {MAKES_ONE}"
        )
        raise InputError(msg)
    axes = {(curve.x_name, curve.y_name) for curve in named.values()}
    if len(axes) > 1:
        axis_names = "; ".join(f"{y} over {x}" for x, y in sorted(axes))
        msg = Message(
            "curves in one picture have the same axes; these show {}", printable(axis_names)
        )
        raise InputError(msg)
    # A curve alone has no name.
    by_name = {"" if name == "" else printable(name): curve for name, curve in named.items()}
    return Drawing(by_name, _mark_of(by_name, threshold))


def _mark_of(curves: dict[str, Curve], threshold: Any) -> float | None:
    """The threshold to mark on each curve, checked."""
    if threshold is None:
        return None
    if (
        not isinstance(threshold, (int, float, np.number))
        or isinstance(threshold, bool)
        or threshold != threshold
    ):
        msg = Message("{threshold} is one number; {} is none", told(threshold))
        raise InputError(msg)
    for curve in curves.values():
        _check_within(curve, float(threshold))
    return float(threshold)


def _check_within(curve: Curve, threshold: float) -> None:
    """Refuse a threshold that no score is near, such as 50 for one half; infinite ones are ends of a curve."""
    seen = curve.thresholds[np.isfinite(curve.thresholds)]
    if not len(seen) or not np.isfinite(threshold):
        return
    low, high = float(seen.min()), float(seen.max())
    # Probabilities may all lie above a threshold of 0.1.
    low, high = (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)
    if not low <= threshold <= high:
        msg = Message(
            "{threshold} is {:g}, and those of the curve lie from {:g} to {:g}; mark one of these",
            threshold,
            low,
            high,
        )
        raise InputError(msg)


# ---- drawing -------------------------------------------------------------------------------------


def _draw(drawing: Drawing, ax: Axes, look: Look, title: str | None, *, own: bool) -> None:
    first = drawing.first
    _frame(drawing, ax, look)
    _reference(first, ax, look)
    if drawing.alike is not None:
        low, high = np.clip(drawing.alike, first.x.min(), first.x.max())
        label = "indistinguishable from the best"
        ax.axvspan(low, high, color=look.palette.line, alpha=0.6, lw=0, zorder=0.5, label=label)
    colors = (look.palette.hit[4], look.palette.less[4], look.palette.fn[4], look.palette.folded[5])
    names = shortened([look.safe(name) if name else "" for name in drawing.curves], _LONGEST_NAME)
    for place, curve in enumerate(drawing.curves.values()):
        color, style = colors[place % 4], _STYLES[(place + place // 4) % 4]
        _line(curve, names[place], ax, color, style)
        if drawing.mark is not None:
            _mark(curve, drawing.mark, ax, look, color)
    _legend(drawing, ax, look, own=own)
    if title:
        text = look.wrapped(title, 12, 72 * _SIDE)
        ax.set_title(
            text, loc="left", pad=18 if first.x_name == "threshold" else 10, **look.bold(text, 12)
        )


def _line(curve: Curve, name: str, ax: Axes, color: str, style: str) -> None:
    n = len(curve)
    points = np.arange(n) if n <= _MOST else np.linspace(0, n - 1, _MOST).round().astype(np.intp)
    x, y = curve.x[points], curve.y[points]
    if band := curve.band():
        where, low, high, level = band
        label = f"{100 * level:.4g} % interval of each point"
        # One entry says so of all bands.
        label = "" if label in ax.get_legend_handles_labels()[1] else label
        ax.fill_between(where, low, high, color=color, alpha=0.2, lw=0, zorder=2, label=label)
    line = ax.step(x, y, where="pre") if curve.rule == "step" else ax.plot(x, y)
    told = ", ".join(filter(None, [name, curve.area_text()])) or curve.y_name
    line[0].set(color=color, linestyle=style, linewidth=1.7, zorder=3, label=told)


def _mark(curve: Curve, threshold: float, ax: Axes, look: Look, color: str) -> None:
    """A dot where the answers are those of a threshold: at the lowest score that reaches it."""
    reached = int(np.count_nonzero(curve.thresholds >= threshold))
    place = min(max(reached - 1, 0), len(curve) - 1)
    x, y = float(curve.x[place]), float(curve.y[place])
    if not np.isfinite([x, y]).all():
        return
    ax.plot(
        x,
        y,
        "o",
        color=color,
        markeredgecolor=look.page,
        markeredgewidth=1.2,
        markersize=7.5,
        zorder=4,
    )
    if curve.x_name == "threshold":
        ax.axvline(x, color=look.muted, linewidth=0.9, zorder=2.5)
        style = look.font(9) | {"ha": "center", "va": "bottom", "annotation_clip": False}
        ax.annotate(
            f"{threshold:.4g}",
            (x, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            **style,
            **_POINTS,
        )
        return
    # Beside the curve: below one that rises, above one that falls.
    rises = curve.name != "precision-recall"
    # Where there is room on the right: a wide picture has it longer, and a risk rises steeply on
    # the left.
    left = rises and x > (0.7 if curve.name in _SQUARE else 0.78)
    style = look.font(9) | {
        "ha": "right" if left else "left",
        "va": "top" if rises else "bottom",
        "zorder": 5,
    }
    # Readable where another curve passes.
    style["bbox"] = {"facecolor": look.page, "alpha": 0.75, "linewidth": 0, "pad": 1}
    ax.annotate(
        f"threshold {threshold:.4g}",
        (x, y),
        xytext=(-4 if left else 8, -8 if rises else 5),
        **style,
        **_POINTS,
    )


def _frame(drawing: Drawing, ax: Axes, look: Look) -> None:
    for side, spine in ax.spines.items():
        spine.set_visible(side in {"left", "bottom"})
        spine.set_color(look.palette.line)
    ax.tick_params(
        length=0,
        pad=5,
        labelsize=8.5 * look.scale,
        labelcolor=look.muted,
        labelfontfamily=look.fonts[0],
    )
    ax.grid(visible=True, color=look.palette.line, linewidth=0.6, zorder=0)
    ax.set_axisbelow(True)
    first = drawing.first
    ax.set_xlabel(look.safe(first.x_name), **look.font(10), labelpad=6)
    ax.set_ylabel(look.safe(first.y_name), **look.font(10), labelpad=6)
    ends = [(0.0, 1.0), (0.0, 1.0)]
    if first.name not in _SQUARE:
        every = list(drawing.curves.values())
        bands = [part for curve in every for part in (curve.band() or ())[1:3]]
        ends = [_ends([curve.x for curve in every]), _ends([*(curve.y for curve in every), *bands])]
    (left, right), (low, high) = (
        (low - 0.02 * (high - low), high + 0.02 * (high - low)) for low, high in ends
    )
    ax.set(xlim=(left, right), ylim=(low, high))


def _ends(parts: list[Array]) -> tuple[float, float]:
    """From the least to the greatest; from 0 where that is near."""
    seen = np.concatenate(parts)
    seen = seen[np.isfinite(seen)]
    if not len(seen):
        return 0.0, 1.0
    low, high = float(seen.min()), float(seen.max())
    low = 0.0 if 0 < low < 0.25 * high else low
    return low, high if high > low else low + 1.0


def _reference(curve: Curve, ax: Axes, look: Look) -> None:
    """Draw the baseline of guessing: the diagonal of a ROC curve, the precision of naming everything."""
    style: dict[str, Any] = {
        "color": look.muted,
        "linestyle": (0, (4, 3)),
        "linewidth": 1,
        "zorder": 1,
    }
    if curve.name == "ROC":
        ax.plot([0, 1], [0, 1], **style)
    elif curve.name == "precision-recall" and curve.x[-1] == 1:
        ax.axhline(float(curve.y[-1]), **style)


def _legend(drawing: Drawing, ax: Axes, look: Look, *, own: bool) -> None:
    where: dict[str, Any] = {"loc": _CORNERS.get(drawing.first.name, "best")}
    if own and len(drawing.curves) > _MOST_WITHIN:
        where = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0}
    legend = ax.legend(
        **where,
        frameon=True,
        framealpha=0.85,
        edgecolor="none",
        facecolor=look.page,
        handlelength=2.2,
    )
    legend.set_zorder(6)
    for text in legend.get_texts():
        text.set(**look.font(9))
