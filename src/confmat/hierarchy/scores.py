"""Hierarchical metrics: precision, recall and F1, LCA height, tree distance, and the severity of mistakes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import flag, one_of, told
from confmat.core.tables import Column, Table, Tabular, to_plain
from confmat.core.text import number, rate
from confmat.hierarchy.hierarchy import Hierarchy
from confmat.metrics.arithmetic import ratio
from confmat.metrics.declaration import MatrixMetric
from confmat.metrics.margins import Outside, read_margins
from confmat.metrics.margins import Table as CellTable

Array = NDArray[Any]
Mean = Literal["micro", "macro"]

_ANCESTORS = (
    "s is how many ancestors two classes share, a how many a class has; a class is its own "
    "ancestor, the root nobody's."
)
_FAMILY = "hierarchies"


class _Related(NamedTuple):
    """The cells of a table as formulas need them, each with an actual and a predicted class.

    A label outside the classes is at the root, so it has no ancestors and shares none.
    """

    # The height of the node at which the two classes meet, the edges between them, and the
    # ancestors that they share.
    heights: Array
    steps: Array
    shared: Array
    of_actual: Array
    of_predicted: Array
    # 1 where the two classes differ.
    wrong: Array


def _related(h: Hierarchy, t: CellTable) -> _Related:
    if t.labels is None:
        msg = "a hierarchy relates classes by their names, and these cells have none; give a matrix"
        raise MetricError(msg)
    places, nodes = h._with_outside(t.labels), h._nodes
    actual, predicted = places[t.rows], places[t.cols]
    met = nodes.meeting(actual, predicted)
    shared, of_actual, of_predicted = (nodes.depth[side] for side in (met, actual, predicted))
    steps, wrong = of_actual + of_predicted - 2 * shared, (t.rows != t.cols).astype(np.int64)
    return _Related(nodes.height[met], steps, shared, of_actual, of_predicted, wrong)


# The sums over the cells in each score, above and below the line.
_PARTS: dict[str, Callable[[_Related], tuple[Array, Array]]] = {
    "hierarchical_precision": lambda r: (r.shared, r.of_predicted),
    "hierarchical_recall": lambda r: (r.shared, r.of_actual),
    "hierarchical_f1": lambda r: (2 * r.shared, r.of_actual + r.of_predicted),
    # A right answer is no mistake, whatever is below its class.
    "lca_height": lambda r: (r.heights * r.wrong, np.ones_like(r.wrong)),
    "lca_height_of_mistakes": lambda r: (r.heights * r.wrong, r.wrong),
    "tree_distance": lambda r: (r.steps, np.ones_like(r.wrong)),
    "tree_distance_of_mistakes": lambda r: (r.steps, r.wrong),
}


@dataclass(frozen=True, eq=False)
class _Formula:
    """A ratio of two sums over the cells, or the mean of the ratios; no inner function, which could not be pickled."""

    hierarchy: Hierarchy
    what: str
    mean: bool

    def __call__(self, t: CellTable) -> Any:
        top, bottom = _PARTS[self.what](_related(self.hierarchy, t))
        if self.mean:
            top = np.divide(top, bottom, out=np.zeros(len(top)), where=bottom > 0)
            bottom = bottom > 0
        return ratio((t.values * top).sum(axis=-1), (t.values * bottom).sum(axis=-1))


# The summary, the bottom of the ratio in LaTeX, and the score of the transposed matrix.
_HIERARCHICAL: dict[str, tuple[str, str, str | None]] = {
    "hierarchical_precision": (
        "Share of the predicted classes and their ancestors that are right", "a_j", "hierarchical_recall",
    ),
    "hierarchical_recall": (
        "Share of the actual classes and their ancestors that were found", "a_i", "hierarchical_precision",
    ),
    "hierarchical_f1": ("Harmonic mean of hierarchical precision and recall", "(a_i + a_j)", None),
}  # fmt: skip


def _hierarchical(h: Hierarchy, name: str, average: Mean) -> MatrixMetric:
    one_of("average", average, Mean, MetricError)
    summary, bottom, transposed = _HIERARCHICAL[name]
    top = "2 s_{ij}" if transposed is None else "s_{ij}"
    if average == "macro":
        summary += "; of each item, and the mean of them"
        latex = rf"\frac{{1}}{{n}} \sum_{{ij}} C_{{ij}} \frac{{{top}}}{{{bottom}}}"
    else:
        latex = rf"\frac{{\sum_{{ij}} C_{{ij}} {top}}}{{\sum_{{ij}} C_{{ij}} {bottom}}}"
    ending = "_macro" if average == "macro" else ""
    return _declared(
        h,
        name,
        ending,
        summary=f"{summary}.",
        latex=latex,
        bounds=(0, 1),
        best=1.0,
        undefined="no item counts a class on that side",
        transposed=None if transposed is None else transposed + ending,
        symmetric=transposed is None,
        references=("KiritchenkoMatwinNockFamili2006",),
        note=_ANCESTORS,
    )


def _declared(h: Hierarchy, what: str, ending: str, **facts: Any) -> MatrixMetric:
    """The metric of a hierarchy, one and the same as long as the hierarchy lives."""
    name = what + ending
    if name not in h._metrics:
        formula = _Formula(h, what, mean=ending == "_macro")
        title = name.replace("_", " ").capitalize().replace("Lca", "LCA").replace("f1", "F1")
        made = MatrixMetric(
            name=name, title=title, formula=formula, needs="cells", family=_FAMILY, **facts
        )
        h._metrics.setdefault(name, made)
    metric: MatrixMetric = h._metrics[name]
    return metric


def _asked(
    m: Any, hierarchy: Hierarchy | None, make: Callable[[Hierarchy], MatrixMetric], outside: Outside
) -> Any:
    """The metric of a hierarchy, or its value of a matrix."""
    if hierarchy is None and isinstance(m, Hierarchy):
        return make(m)
    if not isinstance(hierarchy, Hierarchy) or isinstance(m, Hierarchy):
        came = " and ".join(type(each).__name__ for each in (m, hierarchy) if each is not None)
        msg = (
            f"this takes a matrix and a Hierarchy, or a Hierarchy alone for the metric, not {came}"
        )
        raise MetricError(msg)
    return make(hierarchy)(m, outside=outside)


def hierarchical_precision(
    m: Any,
    hierarchy: Hierarchy | None = None,
    *,
    average: Mean = "micro",
    outside: Outside = "wrong",
) -> Any:
    """Compute the share of predicted classes and their ancestors that are right; from a hierarchy alone, the metric.

    Parameters
    ----------
    m
        A matrix or a stack; or a hierarchy alone, for a metric that takes a matrix.
    hierarchy
        The hierarchy of the classes. Its root is nobody's ancestor.
    average
        "micro" takes all items together, "macro" is the mean over items.
    outside
        "wrong" or "exclude": answers outside the classes predict nothing, or are left out.

    Examples
    --------
    >>> from confmat import ConfusionMatrix
    >>> h = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple"])
    >>> m = ConfusionMatrix([[8, 1, 1], [0, 5, 0], [0, 2, 3]], ["lemon", "lime", "apple"])
    >>> hierarchical_precision(m, h) == (3 * 8 + 2 + 1 + 3 * 5 + 2 + 2 * 3) / (3 * 16 + 2 * 4)
    True
    """
    return _asked(
        m, hierarchy, lambda h: _hierarchical(h, "hierarchical_precision", average), outside
    )


def hierarchical_recall(
    m: Any,
    hierarchy: Hierarchy | None = None,
    *,
    average: Mean = "micro",
    outside: Outside = "wrong",
) -> Any:
    """Compute the share of actual classes and their ancestors that are predicted.

    Parameters
    ----------
    m, hierarchy, average, outside
        As in `hierarchical_precision`.
    """
    return _asked(m, hierarchy, lambda h: _hierarchical(h, "hierarchical_recall", average), outside)


def hierarchical_f1(
    m: Any,
    hierarchy: Hierarchy | None = None,
    *,
    average: Mean = "micro",
    outside: Outside = "wrong",
) -> Any:
    """Compute the harmonic mean of hierarchical precision and recall.

    Parameters
    ----------
    m, hierarchy, average, outside
        As in `hierarchical_precision`.

    Examples
    --------
    >>> from confmat import ConfusionMatrix, interval
    >>> h = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple"])
    >>> m = ConfusionMatrix([[8, 1, 1], [0, 5, 0], [0, 2, 3]], ["lemon", "lime", "apple"])
    >>> round(hierarchical_f1(m, h), 4)
    0.9009
    >>> print(interval(m, hierarchical_f1(h)))
    0.901 [0.781, 0.959]
    """
    return _asked(m, hierarchy, lambda h: _hierarchical(h, "hierarchical_f1", average), outside)


def lca_height(
    m: Any,
    hierarchy: Hierarchy | None = None,
    *,
    mistakes: bool = False,
    outside: Outside = "wrong",
) -> Any:
    """Compute the mean height of the lowest common ancestor of actual and predicted class.

    A node is as high as the longest way down to a leaf.

    Parameters
    ----------
    m
        A matrix or a stack; or a hierarchy alone, for a metric that takes a matrix.
    hierarchy
        The hierarchy of the classes.
    mistakes
        Take the mean over the mistakes alone; otherwise a right answer counts 0.
    outside
        "wrong" or "exclude": an answer outside the classes is at the root, or is left out.

    Examples
    --------
    >>> from confmat import ConfusionMatrix
    >>> h = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple"])
    >>> m = ConfusionMatrix([[8, 1, 1], [0, 5, 0], [0, 2, 3]], ["lemon", "lime", "apple"])
    >>> (
    ...     lca_height(m, h) == (1 + 2 + 2 * 2) / 20,
    ...     lca_height(m, h, mistakes=True) == (1 + 2 + 2 * 2) / 4,
    ... )
    (True, True)
    """
    return _asked(m, hierarchy, lambda h: _severity(h, "lca_height", mistakes=mistakes), outside)


def tree_distance(
    m: Any,
    hierarchy: Hierarchy | None = None,
    *,
    mistakes: bool = False,
    outside: Outside = "wrong",
) -> Any:
    """Compute the mean number of edges from the actual class up to a common ancestor and down to the predicted one.

    Parameters
    ----------
    m, hierarchy, mistakes, outside
        As in `lca_height`.
    """
    return _asked(m, hierarchy, lambda h: _severity(h, "tree_distance", mistakes=mistakes), outside)


def _severity(h: Hierarchy, name: str, *, mistakes: bool) -> MatrixMetric:
    mistakes = flag("mistakes", mistakes, MetricError)
    what, most, symbol = {
        "lca_height": ("height of the lowest common ancestor of", h._nodes.height[0], "h"),
        "tree_distance": ("number of edges between", 2 * h._nodes.depth.max(), "d"),
    }[name]
    bottom = r"\sum_{i \ne j} C_{ij}" if mistakes else "n"
    return _declared(
        h,
        f"{name}_of_mistakes" if mistakes else name,
        "",
        summary=f"Mean {what} actual and predicted class{', of mistakes alone' if mistakes else ''}.",
        latex=rf"\frac{{\sum_{{i \ne j}} C_{{ij}} {symbol}_{{ij}}}}{{{bottom}}}",
        bounds=(0, int(most)),
        better="lower",
        # Without a mistake there is no mean of them.
        best=float("nan") if mistakes else 0.0,
        undefined="there is no mistake" if mistakes else "the matrix is empty",
        symmetric=True,
        references=("Bertinetto2020",) if name == "lca_height" else (),
    )


@dataclass(frozen=True, kw_only=True)
class Severity(Tabular):
    """Means over all items and over the mistakes alone: height of the lowest common ancestor, and edges between.

    `height` is that of the whole hierarchy: a mistake of that height has nothing but the root in
    common.
    """

    of_all: float
    of_mistakes: float
    distance: float
    distance_of_mistakes: float
    height: int
    items: int | float
    mistakes: int | float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; None where there is no mistake, or no item."""
        return {name: to_plain(getattr(self, name)) for name in self.__dataclass_fields__}

    def table(self) -> Table:
        """Return the means over all items and over the mistakes as a table."""
        columns = (
            Column("over", ["all", "mistakes"], head="", is_label=True, is_index=True),
            Column("items", [self.items, self.mistakes], number),
            Column(
                "height", [self.of_all, self.of_mistakes], rate, f"LCA height (of {self.height})"
            ),
            Column("edges", [self.distance, self.distance_of_mistakes], rate, "edges apart"),
        )
        return Table(columns)


def severity(m: ConfusionMatrix, hierarchy: Hierarchy, *, outside: Outside = "wrong") -> Severity:
    """Measure how bad the mistakes are: the mean height of the lowest common ancestor of actual and predicted class.

    Bertinetto and others (2020) show that accuracy can rise while the severity of the mistakes does
    not fall. The metrics behind it are `lca_height` and `tree_distance`, which take a Stack too,
    and have intervals: `interval(m, lca_height(hierarchy, mistakes=True))`.

    Parameters
    ----------
    m
        The matrix.
    hierarchy
        The hierarchy of its classes.
    outside
        As in `lca_height`.

    Returns
    -------
    Severity

    Examples
    --------
    >>> h = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple"])
    >>> m = ConfusionMatrix([[8, 1, 1], [0, 5, 0], [0, 2, 3]], ["lemon", "lime", "apple"])
    >>> print(severity(m, h))
              items  LCA height (of 3)  edges apart
    all          20              0.350        0.550
    mistakes      4              1.750        2.750
    """
    if not isinstance(m, ConfusionMatrix):
        msg = f"`severity` takes one ConfusionMatrix, not {type(m).__name__}; `lca_height` takes a Stack as well"
        raise InputError(msg)
    if not isinstance(hierarchy, Hierarchy):
        msg = f"`severity` takes a Hierarchy, not {told(hierarchy, typed=True)}"
        raise InputError(msg)
    margins = read_margins(m, outside)
    return Severity(
        of_all=lca_height(m, hierarchy, outside=outside),
        of_mistakes=lca_height(m, hierarchy, mistakes=True, outside=outside),
        distance=tree_distance(m, hierarchy, outside=outside),
        distance_of_mistakes=tree_distance(m, hierarchy, mistakes=True, outside=outside),
        height=hierarchy.levels,
        items=margins.total.item(),
        mistakes=(margins.total - margins.diagonal.sum()).item(),
    )
