"""What formulas of the whole matrix share: sums over classes, and means over those that occur."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.core.cells import Cells, once
from confmat.metrics.arithmetic import Number, UntrackableError, largest, ratio
from confmat.metrics.margins import Margins

__all__ = [
    "as_floats",
    "at_least_one",
    "chance_hits",
    "count",
    "determinant",
    "filled",
    "greatest",
    "hits",
    "is_zero",
    "kept_if",
    "occurring",
    "occurs",
    "precisions",
    "recall_sum",
    "recalls",
    "seen",
    "squares",
]


@once
def hits(m: Margins) -> Any:
    """All items answered with their class."""
    return m.diagonal.sum(axis=-1)


@once
def chance_hits(m: Margins) -> Any:
    """Products of actual and predicted totals, summed: n squared times the agreement that chance gives."""
    return (m.actual * m.predicted).sum(axis=-1)


@once
def determinant(c: Cells) -> Any:
    """The determinant of a class against the rest: n times its hits beyond those that the margins alone would give."""
    return c.tp * c.tn - c.fp * c.fn


def squares(values: Any) -> Any:
    """Sum of squares over the classes."""
    return (values * values).sum(axis=-1)


def filled(values: Any) -> Any:
    """The same values with 1 where there is 0, to divide by what may be empty."""
    if isinstance(values, float):
        return values or values + 1
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return values + (values == 0)
    empty = is_zero(values)
    return np.where(empty, 1, values) if np.count_nonzero(empty) else values


def is_zero(values: Any) -> Any:
    """Where nothing was counted."""
    # Which classes are empty is a fact of the observed table; a derivative's tiny imaginary part changes none.
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return values == 0
    if not isinstance(values, Number) and np.iscomplexobj(values):
        values = values.real
    return values == 0


@once
def occurs(m: Margins) -> Any:
    """Which classes occur in the truth."""
    return ~is_zero(m.actual)


@once
def seen(m: Margins) -> Any:
    """Which classes occur on either side."""
    return ~is_zero(m.actual + m.predicted)


@once
def occurring(m: Margins) -> Any:
    """How many classes occur in the truth."""
    return count(occurs(m))


def count(which: Any) -> Any:
    """How many are true, per matrix; a Python integer for one matrix, so that exact stays exact."""
    which = np.asarray(which, dtype=bool)
    return int(np.count_nonzero(which)) if which.ndim == 1 else which.sum(axis=-1)


def at_least_one(number: Any) -> Any:
    """A number of classes, or 1 where there is none; Python integers stay such."""
    return max(number, 1) if isinstance(number, int) else np.maximum(number, 1)


def kept_if(value: Any, which: Any) -> Any:
    """A value per matrix where something is true of it, and 0 elsewhere."""
    # NumPy's own True takes no Python integer beyond 64 bits.
    return value * (which if np.ndim(which) else bool(which))


def as_floats(values: Any) -> Any:
    """Values outside their arithmetic, for what only plain numbers can do."""
    if isinstance(values, Number):
        raise UntrackableError
    return np.asarray(values).real.astype(np.float64)


def greatest(values: Any) -> Any:
    """The greatest over the classes, in any arithmetic: halves are compared until one is left."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf" and values.shape[-1]:
        return values.max(axis=-1)
    while np.shape(values)[-1] > 1:
        half = np.shape(values)[-1] // 2
        rest = values[..., 2 * half :]
        values = largest(values[..., :half], values[..., half : 2 * half])
        if np.shape(rest)[-1]:
            values = largest(values, rest)
    return values[..., 0]


@once
def recalls(m: Margins) -> Any:
    """Recall per class; 0 for one that never occurs."""
    return ratio(m.diagonal, filled(m.actual))


@once
def recall_sum(m: Margins) -> Any:
    """Sum of the recalls."""
    return recalls(m).sum(axis=-1)


@once
def precisions(m: Margins) -> Any:
    """Precision per class; 0 for one that is never predicted."""
    return ratio(m.diagonal, filled(m.predicted))
