"""Five ways to count a confusion matrix in NumPy, as a 2021 article on the subject compares them; written anew.

The first two loop in Python, the others hand the loop to NumPy or SciPy; the fifth is the one to
beat. All take the class numbers 0 .. K-1 of both sides and K. They are references: for answers
(all) and for speed (v3, v4, v5).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["VERSIONS", "v1", "v2", "v3", "v3_over_the_data", "v4", "v5"]

Array = NDArray[Any]


def v1(actual: Array, predicted: Array, size: int) -> Array:
    """Walk over the pairs.

    >>> v1(np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    array([[1, 0],
           [1, 1]])
    """
    table = np.zeros((size, size), np.int64)
    for row, col in zip(actual.ravel(), predicted.ravel(), strict=True):
        table[int(row), int(col)] += 1
    return table


def v2(actual: Array, predicted: Array, size: int) -> Array:
    """Walk over the cells, and over all pairs in each.

    >>> v2(np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    array([[1, 0],
           [1, 1]])
    """
    table = np.empty((size, size), np.int64)
    for row in range(size):
        here = actual == row
        for col in range(size):
            table[row, col] = np.count_nonzero(here & (predicted == col))
    return table


def v3(actual: Array, predicted: Array, size: int) -> Array:
    """A histogram in two dimensions, one bin per class; the counts come as floats.

    >>> v3(np.array([1, 1]), np.array([1, 2]), 3)
    array([[0., 0., 0.],
           [0., 1., 1.],
           [0., 0., 0.]])
    """
    edges = (-0.5, size - 0.5)
    return np.histogram2d(actual.ravel(), predicted.ravel(), size, range=(edges, edges))[0]


def v3_over_the_data(actual: Array, predicted: Array, size: int) -> Array:
    """The same as the article prints it, without `range`: wrong when the first or the last class is absent.

    The bins then span what the data span. Classes 1 and 2 of three are here counted as classes 0
    and 2, and the answer has nothing to warn by:

    >>> v3_over_the_data(np.array([1, 2]), np.array([1, 2]), 3)
    array([[1., 0., 0.],
           [0., 0., 0.],
           [0., 0., 1.]])
    """
    return np.histogram2d(actual.ravel(), predicted.ravel(), size)[0]


def v4(actual: Array, predicted: Array, size: int) -> Array:
    """A sparse matrix of ones, whose equal places are added up; scikit-learn's way.

    >>> v4(np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    array([[1, 0],
           [1, 1]])
    """
    from scipy.sparse import coo_matrix

    rows, cols = actual.ravel(), predicted.ravel()
    return coo_matrix((np.ones(len(rows), np.int64), (rows, cols)), shape=(size, size)).toarray()


def v5(actual: Array, predicted: Array, size: int) -> Array:
    """Number the cells and count the numbers: the fastest of the five.

    >>> v5(np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    array([[1, 0],
           [1, 1]])

    The cell's number is computed in the labels' own type. With uint8 labels it wraps as soon as
    there are more than 16 classes (16 · 16 = 256), and counts go to other cells without a word: of
    17 classes, the last one (cell 16 · 17 + 16 = 288) is counted in cell 288 - 256 = 32.

    >>> last = np.array([16], np.uint8)
    >>> (
    ...     np.flatnonzero(v5(last, last, 17)),
    ...     np.flatnonzero(v5(last.astype(int), last.astype(int), 17)),
    ... )
    (array([32]), array([288]))
    """
    return np.bincount(size * actual.ravel() + predicted.ravel(), minlength=size * size).reshape(
        size, size
    )


VERSIONS = {"v1": v1, "v2": v2, "v3": v3, "v4": v4, "v5": v5}
