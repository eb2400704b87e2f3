"""Order: in which sequence classes are best read."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from confmat.core.errors import InputError, Message, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import flag_if_any
from confmat.core.text import printable
from confmat.hierarchy import Hierarchy
from confmat.metrics.declaration import Metric
from confmat.metrics.scores import Score, parse_score
from confmat.structure.hierarchy import branches, together
from confmat.structure.offdiagonal import Array, check_matrix, read_errors
from confmat.structure.tree import similarities, tree_of

__all__ = ["METHODS", "class_order", "positions"]

METHODS = ("cluster", "given", "alphabetical", "support", "hierarchy")


def class_order(
    m: ConfusionMatrix,
    method: str | Metric | Score | Hierarchy = "cluster",
    *,
    descending: bool | None = None,
    hierarchy: Any = None,
) -> tuple[Any, ...]:
    """The classes of a matrix in the order asked for: `m.reorder(class_order(m))`.

    - "cluster": classes that are confused with each other side by side. Average linkage of the shares confused, its
      leaves in optimal order up to 500 connected classes; above 5,000 by neighbours alone, in memory that grows with
      the confused pairs. Classes never confused stand at the end.
    - "given": as they stand.
    - "alphabetical": by name, numbers in a name by their value: "c9" before "c10".
    - "support": those with most items first.
    - "hierarchy", or a Hierarchy itself: as one walks down it, branch by branch.
    - a metric per class, such as "recall" or "f1": the worst first (the largest first where no direction is better),
      undefined ones last.

    `descending` turns the order of names, support or a metric around or sets it. With `hierarchy`, classes of one
    branch stay together under every method, a branch at the place of its first class. It is a Hierarchy, or what
    `Hierarchy.from_paths` reads: {"lemon": "fruit/citrus"} or ["fruit/citrus/lemon"]. A class that it does not know
    is a branch of its own. Labels outside the classes are not in the answer; `reorder` leaves them at the end.

    >>> m = ConfusionMatrix([[5, 0, 4, 0], [0, 9, 0, 1], [3, 0, 6, 0], [0, 2, 0, 8]], ["cat", "car", "dog", "van"])
    >>> class_order(m), class_order(m, "recall")
    (('cat', 'dog', 'car', 'van'), ('cat', 'dog', 'van', 'car'))
    """
    check_matrix(m, "class_order")
    name = m.labels.__getitem__
    return tuple(name(i) for i in positions(m, method, descending=descending, hierarchy=hierarchy).tolist())


def positions(
    m: ConfusionMatrix,
    method: str | Metric | Score | Hierarchy = "cluster",
    *,
    descending: bool | None = None,
    hierarchy: Any = None,
) -> Array:
    """The same as positions in the matrix, for when there are a hundred thousand."""
    if isinstance(method, Hierarchy):
        if hierarchy is not None:
            msg = Message("{order} takes one hierarchy, as the method or as `hierarchy=`")
            raise InputError(msg)
        method, hierarchy = "hierarchy", method
    # An array has no answer to whether it is a word.
    word = method if isinstance(method, str) else None
    if word == "hierarchy" and hierarchy is None:
        example = 'Hierarchy.from_paths(["fruit/citrus/lemon", ...])'
        msg = Message('`class_order(m, "hierarchy")` needs `hierarchy=`, such as {}', example)
        raise InputError(msg)
    if flag_if_any("descending", descending) is not None and word in ("cluster", "given", "hierarchy"):
        msg = Message("`descending` has no meaning for {!r}; leave it out, or reverse the answer with [::-1]", word)
        raise InputError(msg)
    if hierarchy is None:
        return _sorted_by(m, method, descending)
    h, nodes = branches(m.labels, hierarchy)
    # Nodes are numbered as one walks down; what is not known comes last.
    by_node = np.argsort(np.where(nodes < 0, len(h) + 1, nodes), kind="stable")
    return together(by_node if word == "hierarchy" else _sorted_by(m, method, descending), h, nodes)


def _sorted_by(m: ConfusionMatrix, method: Any, descending: bool | None) -> Array:
    if not isinstance(method, str):
        return _by_metric(m, method, descending)
    if method == "given":
        return np.arange(m.n_classes)
    if method == "cluster":
        return tree_of(similarities(read_errors(m))).leaves
    if method == "alphabetical":
        by_name = sorted(range(m.n_classes), key=lambda i: _natural(m.labels[i]), reverse=bool(descending))
        return np.array(by_name, dtype=np.int64)
    if method == "support":
        return _by_value(m.actual_totals[: m.n_classes].astype(np.float64), descending is not False)
    return _by_metric(m, method, descending)


def _by_metric(m: ConfusionMatrix, method: Any, descending: bool | None) -> Array:
    metric = _metric(method)
    return _by_value(np.asarray(metric(m), dtype=np.float64), _is_down(metric, descending))


def _metric(method: Any) -> Metric:
    """The metric per class that is asked for."""
    try:
        score = parse_score(method)
    except MetricError as error:
        msg = Message("{order} knows {} and every metric per class; {}", ", ".join(map(repr, METHODS)), error)
        raise MetricError(msg) from None
    metric = score.metric
    if not isinstance(metric, Metric) or metric.kind != "class" or score.average is not None or score.of is not None:
        msg = Message("{} is one number, and an order needs one per class, such as 'recall' or 'f1'", score)
        raise MetricError(msg)
    return metric


def _is_down(metric: Metric, descending: bool | None) -> bool:
    return metric.better != "higher" if descending is None else descending


def _by_value(values: Array, down: bool) -> Array:
    """Positions by value; equal ones as they stand, undefined ones last."""
    keys = np.where(np.isnan(values), np.inf, -values if down else values)
    return np.lexsort((np.arange(len(values)), keys, np.isnan(values)))


_DIGITS = re.compile(r"([0-9]+)")


def _natural(label: Any) -> Any:
    """A key that sorts numbers by value, and numbers within names too."""
    if isinstance(label, int):
        return (0, label)
    text = label if isinstance(label, str) else printable(label)
    parts: list[Any] = _DIGITS.split(text.casefold())
    # By length first: Python refuses to read a number of ten thousand digits.
    parts[1::2] = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in parts[1::2]]
    return (1, parts, text)
