"""The band along the borders of a label map: pixels that have another label within a few steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["band"]

Array = NDArray[Any]


def band(labels: Array, width: int) -> NDArray[np.bool_]:
    """Which pixels have one with another label at most `width` steps away, where a diagonal step is one too.

    >>> band(np.array([[0, 0, 0, 0, 1, 1]]), 2)
    array([[False, False,  True,  True,  True,  True]])
    """
    # A square around a pixel holds another label if and only if its largest and smallest differ.
    high = low = labels
    for axis in range(labels.ndim):
        high, low = _window(high, width, axis, np.maximum), _window(low, width, axis, np.minimum)
    return np.asarray(high != low)


def _window(values: Array, width: int, axis: int, extreme: np.ufunc) -> Array:
    """The extreme of the 2 `width` + 1 neighbours along an axis, by windows that double."""
    width = min(width, values.shape[axis])
    edges = [(0, 0)] * values.ndim
    # Pixels at the edge are in every window that would reach beyond it.
    edges[axis] = (width, width)
    found = np.moveaxis(np.pad(values, edges, mode="edge"), axis, 0)
    reach = 1
    while reach < 2 * width + 1:
        step = min(reach, 2 * width + 1 - reach)
        found = extreme(found[:-step], found[step:])
        reach += step
    return np.moveaxis(found, 0, axis)
