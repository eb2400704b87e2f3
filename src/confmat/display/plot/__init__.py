"""Plots with Matplotlib: a matrix as a heat map, a stack as small multiples, a metric as one dot per class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Never

import numpy as np

from confmat.core.errors import ConfmatError, InputError, Message, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, Side, door
from confmat.core.sources import opened
from confmat.core.stack import Stack
from confmat.core.text import printable
from confmat.display.layout import Grouping, Method
from confmat.display.view import MatrixView, Priced, Scale, Shares, Values, heading, view, views
from confmat.metrics.catalog import parse_score
from confmat.metrics.declaration import Metric
from confmat.metrics.margins import one_matrix
from confmat.metrics.rates import f1

if TYPE_CHECKING:
    from confmat.comparison import Comparison, Difference, Gap, Ranking
    from confmat.display.plot.curves import Best, Curve
    from confmat.intervals import Estimates

__all__ = ["plot", "plot_classes", "plot_differences"]

# Classes that have a dot by default.
MOST_DOTS = 40
# Panels of a figure; more would be neither seen nor drawn in good time.
MOST_PANELS = 24
Width = float | Literal["column", "page"]


@opened
@door
def plot(
    m: ConfusionMatrix
    | Stack
    | Mapping[Any, ConfusionMatrix]
    | MatrixView
    | Priced
    | Ranking
    | Gap
    | Curve
    | Best
    | Mapping[str, Curve],
    *more: Never,
    ax: Any = None,
    width: Width | None = None,
    figsize: tuple[float, float] | None = None,
    normalize: Shares = "auto",
    order: Method | Iterable[Any] | None = None,
    values: Values = "auto",
    top: int | None = None,
    class_groups: Grouping | None = None,
    fold: bool = True,
    of: Any = None,
    minus: ConfusionMatrix | None = None,
    scale: Scale | None = None,
    margins: bool = True,
    digits: int | None = None,
    rows: Side = "actual",
    title: str | None = None,
    cmap: Any = None,
    threshold: float | None = None,
) -> Any:
    """Draw a matrix as a heat map, each matrix of a stack as a small one, or a curve, with Matplotlib.

    Names, numbers and colours are chosen to be legible from two classes to a thousand: cells say
    what they count while that fits, long names are cut in the middle, and only some of many names
    are written.

    Parameters
    ----------
    m
        A matrix, or the path of one; up to 24, as a mapping or a stack, each with its F1 (the macro
        mean, or that of the positive class); a view that `confmat.view` made; or what `cost_report`
        gave, for the cost of each cell. Or a curve, such as `roc` gives; several by name, in one
        picture; or what `best` gave, for the score over the threshold with its interval and what is
        not told apart; or a ranking of a comparison: models with intervals, bars over the ranks
        they may have, and tiers as bands; or what `gap` gave: groups in order with intervals, those
        filled that are shown to differ from the rest.
    ax
        The axes to draw into; without, a figure of a fitting size is made. Not for stacks.
    width
        The width of the figure with all that is on it: "column" (3.3 inches) or "page" (7 inches),
        as journals have them, or inches. Texts have 6 to 8 points there, or those of your
        `font.size`, and cells say what they can.
    figsize
        Width and height of the figure in inches; by itself your `figure.figsize` where you changed
        it.
    normalize, order, values, top, class_groups, fold, of, minus, scale, margins, digits, rows
        The choices of `confmat.view`.
    title
        A heading.
    cmap
        A colour map of Matplotlib, or two: for hits and for errors, in a difference for better and
        for worse. With one map, a difference takes the middle for zero.
    threshold
        The threshold to mark on each curve.

    Returns
    -------
    The Axes; of a stack, the Figure, which a notebook shows once if the line ends with a semicolon.
    No setting of Matplotlib changes. Saved from a figure made here, SVG, PDF and PostScript files
    hold text, not outlines, and files of a matrix say in words what it shows (`ax.figure.alt`).

    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    >>> ax = plot(m, normalize="actual")
    >>> [text.get_text() for text in ax.texts[1:4]]
    ['66.7%', '16.7%', '16.7%']
    """
    _ask_for_matplotlib("plot", m, more)
    from confmat.display.plot import figures
    from confmat.display.plot.heat import Wishes
    from confmat.display.plot.style import Room, room

    m = _stacked(m)
    name = None if title is None else heading(title)
    ax = room(ax, width, figsize)
    wishes = Wishes(name)
    chosen: dict[str, Any] = {
        "normalize": normalize, "values": values, "order": order, "top": top, "class_groups": class_groups,
        "fold": fold, "of": of, "scale": scale, "margins": margins, "digits": digits,
        "rows": rows,
    }  # fmt: skip
    if isinstance(drawing := getattr(type(m), "_drawing", None), str):
        if unusual := _unusual({**chosen, "minus": minus, "cmap": cmap, "threshold": threshold}):
            msg = f"a {type(m).__name__.lower()} is drawn as it is; leave out {', '.join(map(repr, unusual))}"
            raise InputError(msg)
        # The value names its drawing, so that none of these is imported for the others.
        return import_module(f"confmat.display.plot.{drawing}").draw(m, ax, name)
    if threshold is not None or not isinstance(m, (ConfusionMatrix, Stack, MatrixView, Priced)):
        return _curves(m, threshold, ax, name, {**chosen, "minus": minus, "cmap": cmap})
    if isinstance(m, Stack):
        if (ax is not None and not isinstance(ax, Room)) or minus is not None:
            msg = "a stack has a figure of its own and no other to compare with: give neither `ax` nor `minus`"
            raise InputError(msg)
        if len(m) > MOST_PANELS:
            msg = f"a figure has room for {MOST_PANELS} matrices, not {len(m):,}; make a Stack of some of them"
            raise InputError(msg)
        drawn, about = _scored(m, views(m, **chosen))
        return figures.several(drawn, wishes, cmap, about, ax)
    if isinstance(m, MatrixView):
        # It has been made already; what was meant for its making would be lost.
        if unusual := _unusual({**chosen, "minus": minus}):
            listed = ", ".join(map(repr, unusual))
            msg = f"a view shows what it was made for; give {listed} to `confmat.view` instead"
            raise InputError(msg)
        return figures.single(m, ax, wishes, cmap)
    return figures.single(view(m, minus=minus, **chosen), ax, wishes, cmap)


@door
def plot_classes(
    m: ConfusionMatrix,
    metric: str | Metric = "f1",
    *,
    ax: Any = None,
    width: Width | None = None,
    figsize: tuple[float, float] | None = None,
    intervals: bool | Estimates | None = None,
    order: str | None = "worst",
    top: int | None = MOST_DOTS,
    title: str | None = None,
) -> Any:
    """Draw one dot per class for a metric, the worst class first, with its interval if asked, and the macro mean.

    Parameters
    ----------
    m
        The matrix.
    metric
        A metric that has one value per class, or its name.
    ax, width, figsize
        The axes to draw into, or the size of the figure as `confmat.plot` takes it; by itself a
        fitting one.
    intervals
        True for those of `confmat.interval`, or what that gave.
    order
        "worst", "best", "support", or None for the order of the matrix. The worst is the class that
        is surely bad: the one whose interval ends lowest, so that a class of one item is not the
        worst of all. Classes without a value come last.
    top
        How many classes to draw, the first in that order; None for all.
    title
        A heading.

    Returns
    -------
    The Axes.

    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    >>> ax = plot_classes(m, "recall")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Fish', 'Hen', 'Cat']
    """
    _ask_for_matplotlib("plot_classes")
    from confmat.display.plot import figures
    from confmat.display.plot.style import room

    if not isinstance(m, ConfusionMatrix):
        msg = f"`plot_classes` takes a ConfusionMatrix, not {type(m).__name__}; {MAKES_ONE}"
        raise InputError(msg)
    drawn = parse_score(metric).metric if isinstance(metric, str) else metric
    if not isinstance(drawn, Metric) or drawn.kind == "matrix":
        msg = f"`plot_classes` takes a metric with one value per class, such as 'f1' or 'recall', not {metric!s:.60}"
        raise MetricError(msg)
    ends = None if intervals is None or intervals is False else _ends(m, drawn, intervals)
    try:
        sure = _ends(m, drawn, True) if order in ("worst", "best") and ends is None else ends
    except ConfmatError:
        # No interval is known of this metric, or of these counts.
        sure = None
    return figures.classes(
        m, drawn, room(ax, width, figsize), ends, order, top, heading(title), sure
    )


@door
def plot_differences(
    comparison: Comparison | Iterable[Difference],
    *,
    ax: Any = None,
    width: Width | None = None,
    figsize: tuple[float, float] | None = None,
    title: str | None = None,
) -> Any:
    """Draw what was compared: a dot for each difference with its interval, and a line at nothing.

    A dot is filled where the difference holds, in one hue for better and another for worse; it is
    hollow where the difference does not hold, or where the answers would be needed.

    Parameters
    ----------
    comparison
        The result of `compare`, or some of its differences, such as those of its `classes()`.
    ax, width, figsize
        The axes to draw into, or the size of the figure as `confmat.plot` takes it; by itself a
        fitting one.
    title
        A heading.

    Returns
    -------
    The Axes.

    >>> from confmat import compare
    >>> old, new = ConfusionMatrix([[40, 10], [12, 38]]), ConfusionMatrix([[45, 5], [9, 41]])
    >>> ax = plot_differences(compare({"old": old, "new": new}, metrics=["accuracy", "mcc"]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['accuracy', 'mcc']
    """
    _ask_for_matplotlib("plot_differences")
    from confmat.comparison import Comparison, Difference
    from confmat.display.plot.differences import draw
    from confmat.display.plot.style import room

    several = comparison.differences if isinstance(comparison, Comparison) else comparison
    differences = (
        list(several) if isinstance(several, Iterable) and getattr(several, "ndim", 1) != 0 else []
    )
    if not differences or not all(isinstance(difference, Difference) for difference in differences):
        msg = "`plot_differences` takes what `compare` or `compare_predictions` gave, or a list of its differences"
        raise InputError(msg)
    return draw(differences, room(ax, width, figsize), heading(title))


def _ask_for_matplotlib(name: str, m: Any = None, more: tuple[Never, ...] = ()) -> None:
    """Whatever draws begins here: with Matplotlib, and with one thing to draw."""
    if more:
        one_matrix(name, m)
    if find_spec("matplotlib") is None:
        msg = f"confmat.{name} takes Matplotlib; install it with: pip install matplotlib"
        raise ImportError(msg)


def _stacked(m: Any) -> Any:
    """Several matrices by name as a stack; anything else as it is."""
    several = isinstance(m, Mapping) and not isinstance(m, Stack) and m
    return (
        Stack(m, axis="model")
        if several and all(isinstance(part, ConfusionMatrix) for part in m.values())
        else m
    )


def _scored(stack: Stack, drawn: Mapping[Any, MatrixView]) -> tuple[dict[Any, MatrixView], str]:
    """The views with a score in their titles, and what they are."""
    positive = stack.labels.positive
    which = {"average": "macro"} if positive is None else {"of": positive}
    titled = {}
    for key, drawing in drawn.items():
        value = float(f1(stack[key], **which))
        titled[key] = (
            drawing if value != value else replace(drawing, title=f"{drawing.title} · {value:.3f}")
        )
    score = "macro F1" if positive is None else f"F1 of {printable(positive)}"
    return titled, f"one panel for each {printable(stack.axis)}, with its {score}"


def _curves(m: Any, threshold: Any, ax: Any, title: str | None, others: Mapping[str, Any]) -> Any:
    """Whatever is no matrix: curves, or an error."""
    from confmat.display.plot import curves

    drawing = curves.read(m, threshold)
    if unusual := _unusual(others):
        names = ", ".join(map(repr, unusual))
        msg = Message("a curve takes `ax`, `title` and {threshold}; {} belong to matrices", names)
        raise InputError(msg)
    return curves.draw(drawing, ax, title)


def _unusual(chosen: Mapping[str, Any]) -> list[str]:
    """The choices that are not as usual."""
    usual = {"normalize": "auto", "values": "auto", "fold": True, "margins": True, "rows": "actual"}
    return [name for name, value in chosen.items() if value is not usual.get(name)]


def _ends(m: ConfusionMatrix, metric: Metric, intervals: Any) -> Any:
    """The low and the high end of each class's interval."""
    from confmat.intervals import Estimates
    from confmat.intervals.asked import ask
    from confmat.intervals.door import estimate

    known = estimate(ask(m, metric), m) if intervals is True else intervals
    if not isinstance(known, Estimates) or len(known.low) != m.n_classes:
        msg = "`intervals` is True, or what confmat.interval(m, metric) gave of the same classes"
        raise InputError(msg)
    return np.column_stack([known.low, known.high])
