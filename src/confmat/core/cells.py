"""Cells: true and false positives and negatives, the words that formulas are written in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

import numpy as np

# Results of one set of numbers, by the function that gave them; None where no result is kept.
Memo = dict[Any, Any] | None
_Function = TypeVar("_Function", bound=Callable[[Any], Any])

# A few roundings of the total.
_ROUNDING = 2.0**-49


def once(function: _Function) -> _Function:
    """A function of cells, margins or a table that is worked out once where these have a memo.

    All callers share the result, so arrays are closed to writing.
    """

    @wraps(function)
    def kept(inputs: Any) -> Any:
        memo = inputs.memo
        if memo is None:
            return function(inputs)
        value = memo.get(function)
        if value is None:
            value = memo[function] = _closed(function(inputs))
        return value

    return kept  # type: ignore[return-value]


def _closed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value


def remembering(inputs: Any, names: tuple[str, ...]) -> Any:
    """The same cells, margins or table with a memo; the named arrays, which are now shared, are closed to writing.

    They must be new: nobody else holds them yet.
    """
    for name in names:
        part = getattr(inputs, name)
        if isinstance(part, np.ndarray):
            part.flags.writeable = False
    if inputs.memo is None:
        object.__setattr__(inputs, "memo", {})
    return inputs


@dataclass(frozen=True, slots=True)
class Cells:
    """tp, fp, fn and tn with one entry per class along the last axis, and the totals made of them.

    The entries may be arrays of any number type, or anything that adds, such as complex numbers.

    >>> c = Cells(
    ...     tp=np.array([4.0, 2.0]),
    ...     fp=np.array([1.0, 3.0]),
    ...     fn=np.array([3.0, 1.0]),
    ...     tn=np.array([2.0, 4.0]),
    ... )
    >>> c.actual, c.predicted, c.total
    (array([7., 3.]), array([5., 5.]), array([10., 10.]))
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any
    memo: Memo = field(default=None, kw_only=True, compare=False, repr=False)

    @classmethod
    def of_margins(cls, diagonal: Any, actual: Any, predicted: Any, total: Any) -> Cells:
        """Return the cells that belong to some margins.

        With integer margins the subtraction is exact before anything becomes a float.

        Parameters
        ----------
        diagonal
            The hits of each class.
        actual, predicted
            The items of each actual class, and of each predicted one.
        total
            One number for each matrix, spread over its classes.
        """
        tp = diagonal
        tn = (total - actual) - (predicted - tp)
        if isinstance(tn, (np.ndarray, np.floating)) and tn.dtype.kind == "f":
            # Sums of floats, rounded each in its own order, may leave a trace of nothing, or less
            # than it.
            tn = np.where(tn > total * _ROUNDING, tn, 0.0)[()]
        return cls(tp, predicted - tp, actual - tp, tn)

    @property
    @once
    def actual(self) -> Any:
        """Items that belong to the class (condition positive, support)."""
        return self.tp + self.fn

    @property
    @once
    def predicted(self) -> Any:
        """Items that were said to belong to the class (test outcome positive)."""
        return self.tp + self.fp

    @property
    @once
    def actual_negative(self) -> Any:
        """Items that do not belong to the class."""
        return self.tn + self.fp

    @property
    @once
    def predicted_negative(self) -> Any:
        """Items that were said not to belong to the class."""
        return self.tn + self.fn

    @property
    @once
    def total(self) -> Any:
        """All items."""
        return self.tp + self.fn + (self.fp + self.tn)

    def astype(self, dtype: Any) -> Cells:
        """Return the same cells in another number type.

        Parameters
        ----------
        dtype
            The number type, as NumPy has it.
        """
        return self.map(lambda part: np.asarray(part).astype(dtype))

    def map(self, change: Callable[[Any], Any]) -> Cells:
        """Return the same cells with every number changed.

        Parameters
        ----------
        change
            A function of an array.
        """
        return Cells(change(self.tp), change(self.fp), change(self.fn), change(self.tn))

    def at(self, position: int) -> Cells:
        """Return the cells of one class.

        Parameters
        ----------
        position
            The position of the class.
        """
        return self.map(lambda part: part[..., position])

    def pooled(self) -> Cells:
        """Sums over the classes, kept as a last axis of length one: what a micro average runs on."""
        return self.map(lambda part: np.sum(part, axis=-1, keepdims=True))
