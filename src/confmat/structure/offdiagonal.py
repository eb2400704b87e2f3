"""What went wrong, as arrays: the cells beside the diagonal, and the margins that they make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, told
from confmat.core.stack import Stack
from confmat.metrics.margins import Outside

__all__ = ["Array", "Errors", "Outside", "check_matrix", "read_errors"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Errors:
    """The non-zero cells beside the diagonal by row and column, in float64, and the items of every class.

    `unit` is the size of one item in each cell: 1 where items were counted, the mean weight of an item where they
    were weighted, None where weights were added up and nobody kept their squares. `exact` are the numbers as they
    were counted. `left_out` is the sum of the cells that reach outside the classes and were not read.
    """

    labels: Labels
    size: int
    rows: Array
    cols: Array
    counts: Array
    exact: Array
    unit: Array | None
    actual: Array
    left_out: float

    @cached_property
    def lost(self) -> Array:
        """Errors of each actual class."""
        return np.bincount(self.rows, weights=self.counts, minlength=self.size)

    @cached_property
    def received(self) -> Array:
        """Wrong answers that name each class."""
        return np.bincount(self.cols, weights=self.counts, minlength=self.size)

    @cached_property
    def total(self) -> float:
        """All errors."""
        return math.fsum(self.lost.tolist())

    @cached_property
    def reverse(self) -> Array:
        """The mirrored cell of each: for cat taken for dog, how often dog was taken for cat."""
        keys = self.rows * self.size + self.cols
        mirrored = self.cols * self.size + self.rows
        places = np.minimum(np.searchsorted(keys, mirrored), max(len(keys) - 1, 0))
        found = keys[places] == mirrored if len(keys) else np.zeros(0, bool)
        return np.where(found, self.exact[places], 0) if len(keys) else self.exact


def check_matrix(m: Any, asker: str) -> ConfusionMatrix:
    """The matrix, or an error that says what to pass instead."""
    if isinstance(m, ConfusionMatrix):
        return m
    msg = f"`{asker}` reads one ConfusionMatrix, not {type(m).__name__}"
    msg += f"; of a Stack, {asker}(stack[key]) or {asker}(stack.sum())" if isinstance(m, Stack) else f"; {MAKES_ONE}"
    raise InputError(msg)


def read_errors(m: ConfusionMatrix, outside: Outside = "exclude") -> Errors:
    """The cells beside the diagonal; with "wrong" also those that reach outside the classes."""
    if not (isinstance(outside, str) and outside in get_args(Outside)):
        msg = f"`outside` must be 'exclude' (confusions between classes) or 'wrong' (all errors), not {told(outside)}"
        raise InputError(msg)
    size = len(m.labels) if outside == "wrong" else m.n_classes
    rows, cols, values = m._counts.cells()
    beside = rows != cols
    inside = beside & (rows < size) & (cols < size)
    exact = values[inside]
    left_out = float(values[beside & ~inside].sum())
    rows, cols = rows[inside].astype(np.int64, copy=False), cols[inside].astype(np.int64, copy=False)
    return Errors(
        labels=m.labels,
        size=size,
        rows=rows,
        cols=cols,
        counts=exact.astype(np.float64),
        exact=exact,
        unit=_unit(m, rows, cols, exact),
        actual=m.actual_totals[:size].astype(np.float64),
        left_out=left_out,
    )


@np.errstate(all="ignore")
def _unit(m: ConfusionMatrix, rows: Array, cols: Array, values: Array) -> Array | None:
    if not m.is_weighted:
        return np.ones(len(values))
    if m._squares is None:
        # A table of floats that are whole numbers holds counts.
        return np.ones(len(values)) if bool(np.all(values == np.floor(values))) else None
    size = len(m.labels)
    at_rows, at_cols, squares = m._squares.cells()
    places = np.searchsorted(at_rows * size + at_cols, rows * size + cols)
    # The square of a tiny weight may vanish, and its cell with it: then it is one item, which surprises nobody.
    keys = np.append(at_rows * size + at_cols, -1)
    known = keys[places] == rows * size + cols
    return np.where(known, np.append(squares, 0.0)[places].astype(np.float64) / values, values)
