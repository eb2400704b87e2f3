"""The part of the kernel's specification that sweeps over thresholds: scores in order, and which of them are hits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["sweep"]


def sweep(scores: NDArray[np.float64], hits: NDArray[np.float64]) -> NDArray[Any]:
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
