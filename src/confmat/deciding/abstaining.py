"""Abstaining: the matrix at every threshold of confidence, with what falls below it under "(abstained)"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import DENSE_BYTES
from confmat.core.errors import BudgetError, InputError
from confmat.core.keys import Descending
from confmat.core.labels import Labels
from confmat.core.options import whole_number
from confmat.core.stack import Stack
from confmat.counting.weights import squared
from confmat.deciding.confidences import Confident, read_confident
from confmat.deciding.reading import Missing
from confmat.deciding.sweeping import AXIS, read_grid

if TYPE_CHECKING:
    from confmat.counting.answers import Answers

__all__ = ["abstain"]

Array = NDArray[Any]

ABSTAINED = "(abstained)"


def abstain(
    actual: Any,
    predicted: Any,
    confidence: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    missing: Missing = "error",
    normalise: Answers | None = None,
    thresholds: Any = None,
    max_points: int | None = None,
) -> Stack:
    """The matrix at every threshold of confidence: a Stack whose keys are the thresholds, the highest first.

    An answer that is less confident than the threshold is taken back and counts under "(abstained)", a label outside
    the classes. So every metric gives a value for each threshold: as errors (`outside="wrong"`, the default), or of
    the answered items alone (`outside="exclude"`). The first key is infinity, where nothing is answered.

    thresholds: only at these, and at infinity; max_points: at most so many of the distinct confidences, evenly spread
    over the items. The other options are those of `risk_coverage`.

    >>> from confmat import accuracy
    >>> t = abstain([1, 0, 1, 0], [1, 0, 0, 0], [0.9, 0.8, 0.6, 0.5])
    >>> accuracy(t).tolist(), accuracy(t, outside="exclude").tolist()
    ([0.0, 0.25, 0.5, 0.5, 0.75], [nan, 1.0, 1.0, 0.6666666666666666, 0.75])
    """
    if thresholds is not None and max_points is not None:
        msg = "`thresholds` says where to look and `max_points` how often; give one of them"
        raise InputError(msg)
    items = read_confident(actual, predicted, confidence, labels, weights, missing, normalise)
    keys = items.confidence[items.ends].astype(np.float64)
    if thresholds is not None:
        keys = read_grid(thresholds)[::-1]
    elif max_points is not None and len(keys) > (most := whole_number("max_points", max_points)):
        wanted = np.linspace(0, len(items.confidence), most + 1)[1:]
        keys = keys[np.unique(np.minimum(np.searchsorted(items.ends + 1, wanted), len(keys) - 1))]
    names = items.labels
    if ABSTAINED not in names.outside:
        names = names.replace(outside=[*names.outside, ABSTAINED])
    _check_room(len(keys) + 1, names)
    # How many items, the surest first, are answered at each threshold.
    answered = np.append(0, np.searchsorted(-items.confidence.astype(np.float64), -keys, side="right"))
    return _stacked(items, np.append(np.inf, keys), answered, names)


def _check_room(many: int, labels: Labels) -> None:
    if many * len(labels) ** 2 * 8 > DENSE_BYTES:
        budget = f"{DENSE_BYTES // 2**20:,} MB"
        msg = f"{many:,} matrices of {len(labels):,} labels take more than {budget}; say max_points=100"
        raise BudgetError(msg)


def _stacked(items: Confident, keys: Array, answered: Array, labels: Labels) -> Stack:
    weights = items.weights
    table = _tables(items, answered, labels, np.ones(len(items.actual), np.int64) if weights is None else weights)
    second = None if weights is None else squared(weights)
    squares = None if second is None else _tables(items, answered, labels, second)
    if table.dtype.kind == "f":
        total = table.sum(axis=(1, 2))
    else:
        total = np.broadcast_to(np.int64(table[0].sum()), (len(keys),))
    return Stack._of_table(table, labels, Descending(keys), total, AXIS, squares)


def _tables(items: Confident, answered: Array, labels: Labels, each: Array) -> Array:
    """One table for each threshold: cells up to where answers are given, and what is taken back in its own column."""
    size, many = len(labels), len(answered)
    # Codes of outside labels follow the classes in both; only the one for abstentions may be new.
    column = labels.n_classes + labels.outside.index(ABSTAINED)
    places = np.arange(len(each))
    # The first threshold at which each item is answered; where it never is, beyond the last.
    first = np.searchsorted(answered, places, side="right")
    given, taken = (np.zeros((many + 1, size, size), each.dtype) for _ in range(2))
    np.add.at(given, (first, items.actual, items.predicted), each)
    np.add.at(taken, (first, items.actual, np.full(len(each), column)), each)
    above = np.cumsum(given, axis=0)[:many]
    # What is left is added up from the other end: a difference of sums would leave rounding where nothing is.
    below = np.cumsum(taken[::-1], axis=0)[::-1][1:]
    return above + below
