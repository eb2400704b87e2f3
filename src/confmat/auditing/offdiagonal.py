"""Off the diagonal: whether hits and totals leave only one matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix

__all__ = ["only_matrix"]

Ints = NDArray[np.int64]
_MOST_CLASSES = 200


def only_matrix(hits: Ints, actual: Ints, predicted: Ints, labels: Labels) -> ConfusionMatrix | None:
    """The matrix with these hits and totals where no cell has a choice, else None.

    Each cell holds at least what the others of its row, or its column, cannot take, and at most what they leave.
    """
    k = len(hits)
    if k > _MOST_CLASSES:
        return None
    rows, columns = (side - hits for side in (actual, predicted))
    high = np.minimum.outer(rows, columns)
    np.fill_diagonal(high, 0)
    low = np.zeros_like(high)
    while True:
        least = np.maximum(low, rows[:, None] - (high.sum(1, keepdims=True) - high))
        least = np.maximum(least, columns - (high.sum(0) - high))
        np.fill_diagonal(least, 0)
        most = np.minimum(high, rows[:, None] - (least.sum(1, keepdims=True) - least))
        most = np.minimum(most, columns - (least.sum(0) - least))
        np.fill_diagonal(most, 0)
        if np.array_equal(least, low) and np.array_equal(most, high):
            break
        low, high = least, most
        if (low > high).any():
            return None
    if not np.array_equal(low, high):
        return None
    return ConfusionMatrix(low + np.diag(hits), labels)
