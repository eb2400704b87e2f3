"""Cells: true and false positives and negatives, the words that formulas are written in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Cells"]

# A few roundings of the total.
_ROUNDING = 2.0**-49


@dataclass(frozen=True, slots=True)
class Cells:
    """tp, fp, fn and tn with one entry per class along the last axis, and the totals made of them.

    The entries may be arrays of any number type, or anything that adds: floats, fractions, complex numbers.

    >>> c = Cells(tp=np.array([4.0, 2.0]), fp=np.array([1.0, 3.0]), fn=np.array([3.0, 1.0]), tn=np.array([2.0, 4.0]))
    >>> c.actual, c.predicted, c.total
    (array([7., 3.]), array([5., 5.]), array([10., 10.]))
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any

    @classmethod
    def of_margins(cls, diagonal: Any, actual: Any, predicted: Any, total: Any) -> Cells:
        """From the margins; `total` is one number per matrix, spread over its classes.

        With integer margins the subtraction is exact before anything becomes a float.
        """
        tp = diagonal
        tn = (total - actual) - (predicted - tp)
        if getattr(tn, "dtype", None) == np.float64:
            # Sums of floats, rounded each in its own order, may leave a trace of nothing, or less than it.
            tn = np.where(tn > total * _ROUNDING, tn, 0.0)[()]
        return cls(tp, predicted - tp, actual - tp, tn)

    @property
    def actual(self) -> Any:
        """Items that belong to the class (condition positive, support)."""
        return self.tp + self.fn

    @property
    def predicted(self) -> Any:
        """Items that were said to belong to the class (test outcome positive)."""
        return self.tp + self.fp

    @property
    def actual_negative(self) -> Any:
        """Items that do not belong to the class."""
        return self.tn + self.fp

    @property
    def predicted_negative(self) -> Any:
        """Items that were said not to belong to the class."""
        return self.tn + self.fn

    @property
    def total(self) -> Any:
        """All items."""
        return self.tp + self.fn + (self.fp + self.tn)

    def astype(self, dtype: Any) -> Cells:
        """The same cells in another number type."""
        return Cells(*(np.asarray(part).astype(dtype) for part in (self.tp, self.fp, self.fn, self.tn)))

    def at(self, position: int) -> Cells:
        """The cells of one class."""
        return Cells(*(part[..., position] for part in (self.tp, self.fp, self.fn, self.tn)))

    def pooled(self) -> Cells:
        """Sums over the classes, kept as a last axis of length one: what a micro average runs on."""
        parts = (self.tp, self.fp, self.fn, self.tn)
        return Cells(*(np.sum(part, axis=-1, keepdims=True) for part in parts))
