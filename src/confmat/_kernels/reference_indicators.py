"""The part of the kernel's specification that reads tables of zeros and ones: several labels an item."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["count_indicators"]

# Cells of both tables that are looked at together.
AT_ONCE = 2**20


def count_indicators(actual: NDArray[Any], predicted: NDArray[Any], threads: int) -> tuple[NDArray[np.int64], bool]:
    """Ones of each column in both tables, in the first and in the second: `(sums, wrong)`.

    Both are of one shape and one width, of integers or booleans, with one item a row; the sums are of shape (3, L).
    `wrong` says that something is neither 0 nor 1; the sums then mean nothing.

    >>> count_indicators(np.array([[1, 0], [1, 1]]), np.array([[1, 1], [0, 1]]), 1)
    (array([[1, 1],
           [2, 1],
           [1, 2]]), False)
    """
    sums = np.zeros((3, actual.shape[1]), np.int64)
    step = max(1, AT_ONCE // actual.shape[1])
    for begin in range(0, len(actual), step):
        parts = [side[begin : begin + step] for side in (actual, predicted)]
        if any(((part != 0) & (part != 1)).any() for part in parts):
            return sums, True
        true, answered = (part.astype(bool) for part in parts)
        sums += [part.sum(axis=0) for part in (true & answered, true, answered)]
    return sums, False
