"""Plots with Matplotlib: a matrix as a heat map, a stack as small multiples, a metric as one dot per class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Never

import numpy as np

from confmat.core.errors import InputError, Message, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, door, flag_if_any, told
from confmat.core.stack import Stack
from confmat.core.text import printable
from confmat.display.layout import Grouping, Method
from confmat.display.view import MatrixView, Normalize, Scale, Values, decimals, heading, view, views
from confmat.metrics.catalog import parse_score
from confmat.metrics.declaration import Metric
from confmat.metrics.margins import one_matrix
from confmat.metrics.rates import f1

if TYPE_CHECKING:
    from confmat.comparison import Comparison, Difference
    from confmat.deciding import Best, Curve
    from confmat.intervals import Estimates

__all__ = ["plot", "plot_classes", "plot_differences"]

# Classes that have a dot by default.
MOST_DOTS = 40
Width = float | Literal["column", "page"]


@door
def plot(
    m: ConfusionMatrix | Stack | Mapping[Any, ConfusionMatrix] | MatrixView | Curve | Best | Mapping[str, Curve],
    *more: Never,
    ax: Any = None,
    width: Width | None = None,
    figsize: tuple[float, float] | None = None,
    normalize: Normalize | None = None,
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
    title: str | None = None,
    cmap: Any = None,
    colorbar: bool | None = None,
    include_values: bool | None = None,
    display_labels: Iterable[Any] | None = None,
    values_format: str | None = None,
    xticks_rotation: float | str = "auto",
    text_kw: Mapping[str, Any] | None = None,
    page: int = 1,
    threshold: float | Mapping[str, float] | None = None,
) -> Any:
    """Draw a matrix as a heat map, each matrix of a stack as a small one, or a curve, with Matplotlib.

    Names, numbers and colours are chosen to be legible from two classes to a thousand: cells say what they count
    while that fits, long names are cut in the middle, and only some of many names are written.

    Parameters
    ----------
    m
        A matrix; several, as a mapping or a stack, each with its F1 (the macro mean, or that of the positive class); or
        a view that `confmat.view` made. Or a curve, such as `roc` gives; several by name, in one picture; or what
        `best` gave, for the score over the threshold with its interval and what is not told apart.
    ax
        The axes to draw into; without, a figure of a fitting size is made. Not for stacks.
    width
        The width of the figure with all that is on it: "column" (3.3 inches) or "page" (7 inches), as journals have
        them, or inches. Texts have 6 to 8 points there, or those of your `font.size`, and cells say what they can.
    figsize
        Width and height of the figure in inches; by itself your `figure.figsize` where you changed it.
    normalize, order, values, top, class_groups, fold, of, minus, scale, margins, digits
        The choices of `confmat.view`.
    title
        A heading.
    cmap
        A colour map of Matplotlib, or two: for hits and for errors, in a difference for better and for worse. With one
        map, a difference takes the middle for zero.
    colorbar
        Whether the scales of hits and errors are drawn; by itself where cells have no numbers.
    include_values
        scikit-learn's name: True is `values="counts"` or `values="share"` if normalised, written even where it
        hardly fits; False is `values="none"`.
    display_labels
        Other names of the classes, in the order of the matrix's labels.
    values_format
        A format of Python for the number in each cell, such as ".2g".
    xticks_rotation
        Degrees, "horizontal" or "vertical" for the names below; "auto" turns them where they do not fit.
    text_kw
        Further properties of the texts in the cells.
    page
        The page of 24 matrices to draw, of a stack with more than 24.
    threshold
        The threshold to mark on a curve; on several, one for all or one by name.

    Returns
    -------
    The Axes; of a stack, the Figure, which a notebook shows once if the line ends with a semicolon. No setting of
    Matplotlib changes. Saved from a figure made here, SVG, PDF and PostScript files hold text, not outlines, and
    files of a matrix say in words what it shows (`ax.figure.alt`).

    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    >>> ax = plot(m, normalize="actual")
    >>> [text.get_text() for text in ax.texts[1:4]]
    ['66.7%', '16.7%', '16.7%']
    """
    _ask_for_matplotlib("plot", m, more)
    from confmat.display.plot import figures
    from confmat.display.plot.heat import Wishes
    from confmat.display.plot.style import Room, room

    if flag_if_any("include_values", include_values) is not None:
        values = ("counts" if normalize is None else "share") if include_values else "none"
    if text_kw is not None and not isinstance(text_kw, Mapping):
        msg = f"`text_kw` maps properties of texts to values, such as {{'fontsize': 8}}, not {told(text_kw)}"
        raise InputError(msg)
    m = _stacked(m)
    name = None if title is None else heading(title)
    ax = room(ax, width, figsize)
    wishes = Wishes(
        name, flag_if_any("colorbar", colorbar), _rotation(xticks_rotation), values_format, dict(text_kw or {})
    )
    chosen: dict[str, Any] = {
        "normalize": normalize, "values": values, "order": order, "top": top, "class_groups": class_groups,
        "fold": fold, "of": of, "scale": scale, "margins": margins, "digits": digits,
    }  # fmt: skip
    if threshold is not None or not isinstance(m, (ConfusionMatrix, Stack, MatrixView)):
        others = {"minus": minus, "cmap": cmap, "colorbar": colorbar, "include_values": include_values,
                  "display_labels": display_labels, "values_format": values_format, "text_kw": text_kw}  # fmt: skip
        return _curves(m, threshold, ax, name, {**chosen, **others})
    if isinstance(m, Stack):
        if (ax is not None and not isinstance(ax, Room)) or minus is not None:
            msg = "a stack has a figure of its own and no other to compare with: give neither `ax` nor `minus`"
            raise InputError(msg)
        if display_labels is not None:
            names = list(display_labels)
            m = Stack({key: part.relabel(names) for key, part in m.items()}, axis=m.axis)
        drawn, said = _scored(m, views(m, **chosen))
        return figures.several(drawn, wishes, cmap, page, said, ax)
    if isinstance(m, MatrixView):
        # It has been made already; what was meant for its making would be lost.
        if unusual := _unusual({**chosen, "minus": minus, "display_labels": display_labels}):
            listed = ", ".join(map(repr, unusual))
            msg = f"a view shows what it was made for; give {listed} to `confmat.view` instead"
            raise InputError(msg)
        return figures.one(m, ax, wishes, cmap)
    if display_labels is not None:
        m = m.relabel(display_labels)
    return figures.one(view(m, minus=minus, **chosen), ax, wishes, cmap)


@door
def plot_classes(
    m: ConfusionMatrix,
    metric: str | Metric = "f1",
    *,
    ax: Any = None,
    width: Width | None = None,
    figsize: tuple[float, float] | None = None,
    intervals: bool | Estimates | Iterable[tuple[float, float]] | None = None,
    order: str | None = "worst",
    top: int | None = MOST_DOTS,
    average: str | None = "macro",
    digits: int = 3,
    title: str | None = None,
) -> Any:
    """Draw one dot per class for a metric, the worst class first, with its interval if asked.

    Parameters
    ----------
    m
        The matrix.
    metric
        A metric that has one value per class, or its name.
    ax, width, figsize
        The axes to draw into, or the size of the figure as `confmat.plot` takes it; by itself a fitting one.
    intervals
        True for those of `confmat.interval`, what that gave, or the low and the high end of each class's interval in
        the order of the classes.
    order
        "worst", "best", "support", or None for the order of the matrix. Classes without a value come last.
    top
        How many classes to draw, the first in that order; None for all.
    average
        A mean to mark with a line, where the metric has one; None for none.
    digits
        Decimals of the values.
    title
        A heading.

    Returns
    -------
    The Axes.

    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    >>> ax = plot_classes(m, "recall")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Fish', 'Cat', 'Hen']
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
    known: Any = intervals
    if intervals is True:
        from confmat.intervals.asked import ask
        from confmat.intervals.door import estimate

        known = estimate(ask(m, drawn), m)
    return figures.classes(
        m,
        drawn,
        room(ax, width, figsize),
        _ends(known, m.n_classes),
        order,
        top,
        average,
        decimals(digits),
        heading(title),
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

    A dot is filled where the difference holds, in one hue for better and another for worse; it is hollow
    where the difference does not hold, or where the answers would be needed.

    Parameters
    ----------
    comparison
        The result of `compare`, or some of its differences, such as those of its `classes()`.
    ax, width, figsize
        The axes to draw into, or the size of the figure as `confmat.plot` takes it; by itself a fitting one.
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
    differences = list(several) if isinstance(several, Iterable) and getattr(several, "ndim", 1) != 0 else []
    if not differences or not all(isinstance(one, Difference) for one in differences):
        msg = "`plot_differences` takes what `compare` or `compare_predictions` gave, or a list of its differences"
        raise InputError(msg)
    return draw(differences, room(ax, width, figsize), heading(title))


def _ask_for_matplotlib(name: str, m: Any = None, more: tuple[Never, ...] = ()) -> None:
    """Whatever draws begins here: with Matplotlib, and with one thing to draw."""
    if more:
        one_matrix(name, m)
    if find_spec("matplotlib") is None:
        msg = f"confmat.{name} takes Matplotlib; install it with: pip install 'confmat[plot]'"
        raise ImportError(msg)


def _stacked(m: Any) -> Any:
    """Several matrices by name as a stack; anything else as it is."""
    several = isinstance(m, Mapping) and not isinstance(m, Stack) and m
    return Stack(m, axis="model") if several and all(isinstance(one, ConfusionMatrix) for one in m.values()) else m


def _scored(stack: Stack, drawn: Mapping[Any, MatrixView]) -> tuple[dict[Any, MatrixView], str]:
    """The views with a score in their titles, and what they are."""
    positive = stack.labels.positive
    which = {"average": "macro"} if positive is None else {"of": positive}
    titled = {}
    for key, one in drawn.items():
        value = float(f1(stack[key], **which))
        titled[key] = one if value != value else replace(one, title=f"{one.title} · {value:.3f}")
    score = "macro F1" if positive is None else f"F1 of {printable(positive)}"
    return titled, f"one panel for each {printable(stack.axis)}, with its {score}"


def _rotation(wanted: Any) -> Any:
    if isinstance(wanted, str) and wanted in {"auto", "horizontal", "vertical"}:
        return wanted
    if isinstance(wanted, (int, float, np.number)) and not isinstance(wanted, bool):
        return float(wanted)
    msg = f"`xticks_rotation` takes degrees, 'horizontal', 'vertical' or 'auto', not {told(wanted)}"
    raise InputError(msg)


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
    usual = {"values": "auto", "fold": True, "margins": True}
    return [name for name, value in chosen.items() if value is not usual.get(name)]


def _ends(intervals: Any, classes: int) -> Any:
    if intervals is None or intervals is False:
        return None
    try:
        if hasattr(intervals, "low"):
            intervals = zip(intervals.low, intervals.high, strict=True)
        ends = np.array([(float(low), float(high)) for low, high in intervals]).reshape(-1, 2)
    except (TypeError, ValueError) as error:
        msg = "`intervals` takes a (low, high) for each class, in their order"
        raise InputError(msg) from error
    if len(ends) != classes or (ends[:, 0] > ends[:, 1]).any():
        msg = f"`intervals` takes a (low, high) with low <= high for each of the {classes} classes, not {len(ends)}"
        raise InputError(msg)
    return ends
