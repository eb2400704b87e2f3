"""The part of the kernel's specification that sweeps over thresholds: scores in order, and which of them are hits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["sweep", "sweep_weighted"]

Array = NDArray[Any]
# Sums of what reaches each threshold and of what does not, (2, G); None where a difference to the last is as exact.
Halves = tuple[Array, Array | None]

# Up to here sums of whole numbers are exact as floats.
_EXACT = 2.0**53


def sweep(scores: NDArray[np.float64], hits: NDArray[np.float64]) -> Array:
    """Hits and other items at or above each threshold, (2, G); the thresholds are then the first G of `scores`.

    `scores` has room in front, for infinity, which nothing reaches; what follows is negated, as `hits` are, which are
    some of them, and both ascend. Nothing is NaN. The answer has 32 bits where they are enough for the items.

    >>> scores = np.array([0, -0.9, -0.5, -0.5, -0.1])
    >>> sweep(scores, np.array([-0.9, -0.5]))
    array([[0, 1, 2, 2],
           [0, 0, 1, 2]], dtype=int32)
    >>> scores[:4]
    array([inf, 0.9, 0.5, 0.1])
    """
    items, size = scores[1:], len(scores) - 1
    ends = np.flatnonzero(np.append(items[1:] != items[:-1], [True] * (size > 0)))
    keys = items[ends]
    reached = np.zeros((2, len(ends) + 1), np.int32 if size < 2**31 else np.int64)
    reached[0, 1:] = np.searchsorted(hits, keys, side="right")
    reached[1, 1:] = ends + 1 - reached[0, 1:]
    scores[0], scores[1 : len(keys) + 1] = np.inf, 0.0 - keys
    return reached


def sweep_weighted(
    scores: NDArray[np.float64], truth: NDArray[np.bool_], weights: Array, threads: int
) -> tuple[NDArray[np.float64], Halves, Halves]:
    """Thresholds, and sums of weights and of their squares above and below each: `(thresholds, sums, squares)`.

    Scores are finite; weights are above 0, of int64 or float64. Rows of a sum are hits and the others, and each is
    added up in the order of falling scores, equal ones as they came; what is left, in the opposite order.

    >>> found = sweep_weighted(np.array([0.1, 0.9, 0.5]), np.array([True, False, True]), np.array([4, 2, 3]), 1)
    >>> found[0], found[1][0].tolist(), found[2][0].tolist()
    (array([inf, 0.9, 0.5, 0.1]), [[0, 0, 3, 7], [0, 2, 2, 2]], [[0.0, 0.0, 9.0, 25.0], [0.0, 4.0, 4.0, 4.0]])
    """
    order = np.argsort(0.0 - scores, kind="stable")
    scores, truth, weights = scores[order], truth[order], weights[order]
    cuts = np.append(0, 1 + np.flatnonzero(np.append(scores[1:] != scores[:-1], [True] * (len(scores) > 0))))
    keys = np.append(np.inf, scores[cuts[1:] - 1] + 0.0)
    whole = weights.dtype.kind != "f"
    floats = weights.astype(np.float64)
    with np.errstate(over="ignore"):
        squares = _halves(truth, floats * floats, cuts)
    kept = not whole or not squares[0][:, -1].sum() < _EXACT
    sums = _halves(truth, weights, cuts)
    return keys, (sums[0], None if whole else sums[1]), (squares[0], squares[1] if kept else None)


def _halves(truth: NDArray[np.bool_], values: Array, cuts: Array) -> tuple[Array, Array]:
    above, below = (np.zeros((2, len(values) + 1), values.dtype) for _ in range(2))
    for row, part in enumerate((np.where(truth, values, 0), np.where(truth, 0, values))):
        np.cumsum(part, out=above[row, 1:])
        np.cumsum(part[::-1], out=below[row, :-1][::-1])
    return above[:, cuts], below[:, cuts]
