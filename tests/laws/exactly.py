"""A metric in fractions: the text of its formula on Python's own exact numbers, where it has no root or logarithm."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from confmat import ConfusionMatrix
from confmat.metrics.declaration import Metric
from confmat.metrics.margins import Table

_SMALL = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]])


def in_fractions(m: ConfusionMatrix, *, outside: str = "wrong", sees: str = "category") -> Table:
    """The table of a matrix, whose margins are added up in fractions: a float weight is the number that it is."""
    k, size = m.n_classes, min(len(m.labels), m.n_classes + 1)
    square = np.full((size, size), Fraction(0), dtype=object)
    for place, count in np.ndenumerate(m.counts):
        row, col = (min(each, k) for each in place)
        if min(row, col) < k if outside == "wrong" else max(row, col) < k:
            square[row, col] += Fraction(count.item())
    total = square.sum()
    diagonal, actual, predicted = square.diagonal().copy(), square.sum(axis=1), square.sum(axis=0)
    if size > k:
        diagonal[k] = Fraction(0)
    kept = size if sees == "category" and outside == "wrong" else k
    rows, cols = (places.ravel() for places in np.indices((kept, kept)))
    diagonal, actual, predicted = (side[:kept] for side in (diagonal, actual, predicted))
    return Table(
        diagonal, actual, predicted, total, k, m.labels, rows, cols, square[:kept, :kept].ravel()
    )


def exactly(metric: Metric, m: ConfusionMatrix, *, outside: str = "wrong") -> np.ndarray[Any, Any]:
    """One value per class, or one; a TypeError where the formula has a root, a logarithm or the like."""
    per_class = metric.kind == "class"
    table = in_fractions(m, outside=outside, sees="classes" if per_class else metric.sees)
    if per_class and metric.needs != "cells":
        k = m.n_classes
        return np.atleast_1d(
            np.asarray(metric.formula(table.cells.map(lambda part: part[:k])), dtype=object)
        )
    return np.atleast_1d(np.asarray(metric.formula(table), dtype=object))


def has_fractions(metric: Metric) -> bool:
    """Whether the formula is made of sums, products, quotients and comparisons."""
    try:
        exactly(metric, _SMALL)
    except (TypeError, AttributeError):
        return False
    return True
