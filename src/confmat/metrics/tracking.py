"""Numbers that watch a formula: floats that bound the rounding error of its result.

They run the formula's own text. An error is a share of the value, one number for all, as long as nothing cancels;
behind a difference of what was rounded, each value has its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from confmat.metrics.arithmetic import Array, Number, ratio
from confmat.metrics.degrees import UntrackableError

__all__ = ["HAS_WIDE", "Tracked", "UncertainError", "Wide"]

_INFINITE = math.inf
# Shares of errors multiply as (1 + a)(1 + b); this covers what adding them leaves out.
_MORE = 1.001


def _most(values: Any) -> float:
    """The greatest of numbers that are not below zero."""
    if isinstance(values, float):
        return float(values)
    return float(values.max()) if values.size else 0.0


class UncertainError(ArithmeticError):
    """A comparison could fall on either side within the rounding error."""


class Tracked(Number):
    """Float64 values with a bound on their error: `relative` to the value, or if that is None `error`, absolute.

    A relative error of 0 means exact. `most` is what no size of an integer exceeds, infinity where the values are
    no integers; `positive` says that none is below zero.
    """

    dtype: np.dtype[Any] = np.dtype(np.float64)
    # Half the distance from 1 to the next number, and the integers up to which none is skipped.
    unit: Any = 2.0**-53
    rounding = 2.0**-53
    whole: Any = 2.0**53
    __slots__ = ("_error", "most", "positive", "relative", "value")

    def __init__(
        self,
        value: Any,
        error: Any = None,
        *,
        relative: float | None = None,
        most: float = _INFINITE,
        positive: bool = False,
    ) -> None:
        self.value = value
        self._error = error
        self.relative = 0.0 if error is None and relative is None else relative
        self.most = most
        self.positive = positive

    @property
    def error(self) -> Any:
        """Bound on the absolute error."""
        if self._error is None:
            self._error = abs(self.value) * self.relative if self.relative else self.dtype.type(0)
        return self._error

    @classmethod
    def of_integers(cls, counts: Any) -> Tracked:
        """Counts as float64, with what the conversion may have cost beyond 2^53."""
        value = np.asarray(counts).astype(cls.dtype)[()]
        most = _most(value)
        if most >= cls.whole:
            return cls(value, relative=float(cls.unit), positive=True)
        return cls(value, most=most, positive=True)

    def _read(self, other: Any) -> Tracked:
        if isinstance(other, Tracked):
            return other
        if isinstance(other, (int, float)):
            kind: Any = type(self)
            return _constant(kind, other)
        try:
            value = np.asarray(other, dtype=self.dtype)[()]
        except (TypeError, ValueError) as error:
            raise UntrackableError from error
        if isinstance(other, np.ndarray) and other.dtype == bool:
            return type(self)(value, most=1.0, positive=True)
        most = _most(abs(value)) if np.array_equal(value, np.rint(value)) else np.inf
        return type(self)(value, most=most, positive=bool((value >= 0).all()))

    def _found(self, value: Any, most: float, relative: float, *, positive: bool) -> Tracked:
        """A result of this relative error, rounded; exact if it is an integer that the type holds."""
        if not relative and most < _INFINITE:
            if most > self.whole:
                most = _most(abs(value))
            # What is this large may have been one more before it was rounded.
            if most < self.whole:
                return type(self)(value, most=most, positive=positive)
        return type(self)(value, relative=(relative + self.rounding) * _MORE, positive=positive)

    def _sum(self, other: Any, sign: int) -> Tracked:
        other = self._read(other)
        value = self.value + other.value if sign > 0 else self.value - other.value
        positive = sign > 0 and self.positive and other.positive
        if self.relative == other.relative == 0:
            return self._found(value, self.most + other.most, 0.0, positive=positive)
        if positive and self.relative is not None and other.relative is not None:
            relative = max(self.relative, other.relative)
            return self._found(value, self.most + other.most, relative, positive=positive)
        return type(self)(value, self.error + other.error + abs(value) * self.unit, positive=positive)

    def __add__(self, other: Any) -> Tracked:
        return self._sum(other, 1)

    def __sub__(self, other: Any) -> Tracked:
        return self._sum(other, -1)

    def __rsub__(self, other: Any) -> Tracked:
        return self._read(other) - self

    def __mul__(self, other: Any) -> Tracked:
        other = self._read(other)
        value = self.value * other.value
        positive = (self.positive and other.positive) or other is self
        if self.relative is not None and other.relative is not None:
            most = self.most * other.most if self.most and other.most else 0.0
            return self._found(value, most, self.relative + other.relative, positive=positive)
        error = abs(self.value) * other.error + (abs(other.value) + other.error) * self.error
        return type(self)(value, error + abs(value) * self.unit, positive=positive)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Tracked:
        return self._same(-self.value, lambda error: error, positive=False)

    def _same(self, value: Any, change: Callable[[Any], Any], *, positive: bool | None = None) -> Tracked:
        """The same numbers in another shape or with other signs."""
        positive = self.positive if positive is None else positive
        if self.relative is not None:
            return type(self)(value, relative=self.relative, most=self.most, positive=positive)
        return type(self)(value, change(np.broadcast_to(self.error, np.shape(self.value))), positive=positive)

    def counted(self) -> Tracked:
        """The same numbers, known not to be below zero."""
        return self._same(self.value, lambda error: error, positive=True)

    def __getitem__(self, key: Any) -> Tracked:
        return self._same(self.value[key], lambda error: error[key])

    def reshape(self, *shape: Any) -> Tracked:
        """The same numbers in another shape."""
        return self._same(self.value.reshape(*shape), lambda error: error.reshape(*shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return np.shape(self.value)

    @property
    def ndim(self) -> int:
        """Axes of the values."""
        return np.ndim(self.value)

    @property
    def size(self) -> int:
        """How many values there are."""
        return np.size(self.value)

    def sum(self, axis: Any = None, **_: Any) -> Tracked:
        """Sum over an axis; NumPy adds in pairs, so the error grows with the logarithm of the length."""
        value = self.value.sum(axis=axis)
        if self.relative == 0 and self.most < _INFINITE:
            # No part of a sum of sizes exceeds the whole.
            sizes = value if self.positive else abs(self.value).sum(axis=axis)
            most = _most(sizes)
            if most < self.whole:
                return type(self)(value, most=most, positive=self.positive)
        depth = 8 + np.size(self.value).bit_length()
        if self.positive and self.relative is not None:
            return type(self)(value, relative=(self.relative + self.rounding * depth) * _MORE, positive=True)
        error = self.error
        if np.shape(error) != np.shape(self.value):
            error = np.broadcast_to(error, np.shape(self.value))
        error = error.sum(axis=axis)
        return type(self)(value, error + abs(self.value).sum(axis=axis) * (self.unit * depth))

    def _grouped(self, places: Any, size: int, join: Any) -> Tracked:
        shape = (*np.shape(self.value)[:-1], size)
        found, bounds, sizes = (np.zeros(shape, self.dtype) for _ in range(3))
        at: Any = (..., places)
        if join is np.add and self.ndim == 1 and self.dtype == np.float64:
            found = np.bincount(places, weights=self.value, minlength=size)
        else:
            join.at(found, at, self.value)
        if self.relative == 0 and self.most < _INFINITE and join is not np.add:
            return type(self)(found, most=self.most, positive=self.positive)
        if self.positive and join is np.add:
            sizes = found
        else:
            np.add.at(sizes, at, abs(self.value))
        if self.relative == 0 and self.most < _INFINITE and _most(sizes) < self.whole:
            return type(self)(found, most=_most(sizes), positive=self.positive)
        join.at(bounds, at, np.broadcast_to(self.error, np.shape(self.value)))
        return type(self)(found, bounds + sizes * (self.unit * size), positive=self.positive)

    def _ratio(self, top: Any, bottom: Any) -> Tracked:
        top, bottom = self._read(top), self._read(bottom)
        value = ratio(top.value, bottom.value)
        if bottom.relative is not None:
            positive = top.positive and bottom.positive
            if top.relative is not None:
                relative = (top.relative + bottom.relative + self.rounding) * _MORE
                return type(self)(value, relative=relative, positive=positive)
            if isinstance(value, float):
                if not bottom.value:
                    return type(self)(value, self.dtype.type(0.0))
                error = top.error / abs(bottom.value) + abs(value) * (bottom.relative + self.unit)
                return type(self)(value, error * _MORE, positive=positive)
            size = np.where(bottom.value == 0, 1.0, abs(bottom.value))
            error = (top.error / size + abs(value) * (bottom.relative + self.unit)) * _MORE
            # A bottom that is nothing has no quotient, and no error.
            return type(self)(value, np.where(bottom.value == 0, 0.0, error), positive=positive)
        return self._uncertain_ratio(value, top, bottom)

    def _uncertain_ratio(self, value: Any, top: Tracked, bottom: Tracked) -> Tracked:
        if isinstance(value, float) and isinstance(bottom.value, float):
            return self._number_over(value, top, bottom)
        certain = (abs(bottom.value) > 2 * bottom.error) | (bottom.error == 0)
        size = np.where(certain & (bottom.value != 0), abs(bottom.value), np.nan)
        error = 2 * (top.error + abs(value) * bottom.error) / size + abs(value) * self.unit
        # A bottom that is nothing has no quotient, and no error; one that may be nothing tells nothing.
        error = np.where(bottom.value == 0, 0.0, error)
        return type(self)(np.where(certain, value, 1.0), np.where(certain, error, _INFINITE))

    def _number_over(self, value: float, top: Tracked, bottom: Tracked) -> Tracked:
        """The same of two numbers, which take less time by themselves."""
        if bottom.error and not abs(bottom.value) > 2 * bottom.error:
            return type(self)(self.dtype.type(1.0), _INFINITE)
        if not bottom.value:
            return type(self)(value, self.dtype.type(0.0))
        error = 2 * (top.error + abs(value) * bottom.error) / abs(bottom.value) + abs(value) * self.unit
        return type(self)(value, error)

    def _apply(self, name: str, *others: Any) -> Tracked:
        if name == "sqrt0":
            return self._root()
        if name == "absolute":
            return self._same(abs(self.value), lambda error: error, positive=True)
        if name in {"largest", "smallest"}:
            other = self._read(others[0])
            pick: Callable[..., Array] = np.maximum if name == "largest" else np.minimum
            both, either = self.positive and other.positive, self.positive or other.positive
            positive = either if name == "largest" else both
            return self._either(pick(self.value, other.value), other, np.maximum, positive=positive)
        raise UntrackableError(name)

    def _root(self) -> Tracked:
        root = np.sqrt(np.maximum(self.value, 0.0))
        if self.relative is not None:
            return type(self)(root, relative=(self.relative + self.rounding) * _MORE, positive=True)
        if isinstance(root, float):
            edge = math.sqrt(self.error)
            return type(self)(root, min(self.error / root, edge) + root * self.unit if root else edge, positive=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(root > 0, np.minimum(self.error / root, np.sqrt(self.error)), np.sqrt(self.error))
        return type(self)(root, error + root * self.unit, positive=True)

    def _either(self, value: Any, other: Tracked, join: Any, *, positive: bool) -> Tracked:
        if self.relative is not None and other.relative is not None:
            relative, most = max(self.relative, other.relative), max(self.most, other.most)
            return type(self)(value, relative=relative, most=most, positive=positive)
        return type(self)(value, join(self.error, other.error), positive=positive)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.where and len(args) == 3:
            which, first, second = args[0], self._read(args[1]), self._read(args[2])
            value = np.where(which, first.value, second.value)
            positive = first.positive and second.positive
            return first._either(value, second, lambda one, two: np.where(which, one, two), positive=positive)
        if function in {np.shape, np.ndim, np.iscomplexobj, np.size}:
            return function(self.value)
        raise UntrackableError(function)

    def __getattr__(self, name: str) -> Any:
        raise UntrackableError(name)

    def _certainly(self, other: Any) -> Any:
        # A comparison of what is not exact could fall on the wrong side.
        other = self._read(other)
        if self.relative == other.relative == 0:
            return other.value
        error = self.error + other.error
        if np.any((error > 0) & ~(abs(self.value - other.value) > error)):
            raise UncertainError
        return other.value

    def __eq__(self, other: object) -> Any:
        return self.value == self._certainly(other)

    def __ne__(self, other: object) -> Any:
        return self.value != self._certainly(other)

    def __lt__(self, other: Any) -> Any:
        return self.value < self._certainly(other)

    def __gt__(self, other: Any) -> Any:
        return self.value > self._certainly(other)

    __hash__ = None  # type: ignore[assignment]

    def doubtful(self, tolerance: float) -> Array | None:
        """Which results may be off by more than `tolerance` of their size; None if no result is."""
        if self.relative is not None and self.relative <= tolerance:
            return None
        if isinstance(self.value, float):
            lost = not self.error <= abs(self.value) * tolerance and self.value == self.value
            return np.array(True) if lost else None
        lost = ~(self.error <= abs(self.value) * tolerance) & ~np.isnan(self.value)
        return np.array(np.broadcast_to(lost, np.shape(self.value))) if np.any(lost) else None


@lru_cache(maxsize=256)
def _constant(kind: type[Tracked], number: float) -> Tracked:
    """A number of a formula's text."""
    most = abs(float(number))
    return kind(kind.dtype.type(number), most=most if most.is_integer() else _INFINITE, positive=number >= 0)


class Wide(Tracked):
    """Tracked numbers of the widest float that the machine has: 64 bits instead of 53 on many."""

    __slots__ = ()
    dtype = np.dtype(np.longdouble)
    unit = np.finfo(np.longdouble).eps / 2
    rounding = float(unit)
    whole = 1 / unit


# Some machines have none wider, and some only a slow and odd one.
HAS_WIDE = np.finfo(np.longdouble).nmant == 63
