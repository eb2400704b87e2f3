"""Numbers that watch a formula: one says whether it can cancel, the other bounds the rounding error of its result.

Both run the formula's own text. A formula that does what they cannot follow (a logarithm, an unknown function of
NumPy) raises UntrackableError; it is evaluated in float64 and must keep its digits by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from confmat.metrics.arithmetic import Array, Number

__all__ = ["HAS_WIDE", "Degree", "Notes", "Tracked", "UncertainError", "UntrackableError", "Wide"]


Notes = set[tuple[int | None, float]]
_ONE = np.float64(1.0)


class UntrackableError(TypeError):
    """The formula does something that cannot be followed."""


class UncertainError(ArithmeticError):
    """A comparison could fall on either side within the rounding error."""


class Degree(Number):
    """How large an integer can be: `size` times the total to the power `degree`; None for a quotient or root.

    `notes` gathers the size and degree of every difference: what must stay below 2^53 to be exact. A degree of
    None says that quotients or roots were subtracted, where nothing is exact. `like` has the shape.
    """

    dtype = np.dtype(np.float64)

    def __init__(
        self, degree: int | None, size: float, notes: Notes, like: Any = _ONE, *, signed: bool = False
    ) -> None:
        self.degree = degree
        self.size = size
        self.notes = notes
        self.like = like
        self.signed = signed

    @classmethod
    def of(cls, counts: Any, notes: Notes) -> Degree:
        """Counts of a matrix, none greater than its total."""
        return cls(1, 1.0, notes, np.broadcast_to(_ONE, np.shape(counts)))

    @classmethod
    def known(cls, *parts: Any, signed: bool = False) -> Degree:
        """What comes right to the last digits from these, if they are right themselves."""
        read = next(part for part in parts if isinstance(part, Degree))
        parts = tuple(read._read(part) for part in parts)
        if signed:
            # Differences of products that are taken as they are, not as they are rounded.
            read.notes.update((part.degree, part.size) for part in parts)
        return cls(None, np.inf, read.notes, np.broadcast_arrays(*(part.like for part in parts))[0], signed=signed)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return np.shape(self.like)

    @property
    def ndim(self) -> int:
        """Axes of the values."""
        return np.ndim(self.like)

    def _read(self, other: Any) -> Degree:
        if isinstance(other, Degree):
            return other
        try:
            array = np.asarray(other, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise UntrackableError from error
        whole = bool(np.all(array == np.rint(array)))
        largest = float(np.max(np.abs(array), initial=0.0))
        like = np.broadcast_to(_ONE, array.shape)
        return Degree(0 if whole else None, largest, self.notes, like, signed=bool(np.any(array < 0)))

    def _joined(self, other: Any, *, minus: bool = False) -> Degree:
        other = self._read(other)
        signed = minus or self.signed or other.signed
        joined = self._either(other, self.size + other.size, signed=signed)
        if signed:
            self.notes.add((joined.degree, joined.size))
        return joined

    def _either(self, other: Degree, size: float, *, signed: bool) -> Degree:
        degree = None if self.degree is None or other.degree is None else max(self.degree, other.degree)
        return Degree(degree, size, self.notes, np.broadcast_arrays(self.like, other.like)[0], signed=signed)

    def __add__(self, other: Any) -> Degree:
        return self._joined(other)

    def __sub__(self, other: Any) -> Degree:
        return self._joined(other, minus=True)

    __radd__ = __add__
    __rsub__ = __sub__

    def __mul__(self, other: Any) -> Degree:
        other = self._read(other)
        size = self.size * other.size if self.size and other.size else 0.0
        # A square has no sign, and nor has nothing.
        product = self._either(other, size, signed=(self.signed or other.signed) and other is not self and size > 0)
        if product.degree is not None:
            product.degree = (self.degree or 0) + (other.degree or 0)
        return product

    __rmul__ = __mul__

    def __neg__(self) -> Degree:
        return Degree(self.degree, self.size, self.notes, self.like, signed=True)

    def __getitem__(self, key: Any) -> Degree:
        return Degree(self.degree, self.size, self.notes, self.like[key], signed=self.signed)

    def reshape(self, *shape: Any) -> Degree:
        """The same numbers in another shape."""
        return Degree(self.degree, self.size, self.notes, self.like.reshape(*shape), signed=self.signed)

    def sum(self, axis: Any = None, **_: Any) -> Degree:
        """Sums of what has signs are differences."""
        like = np.broadcast_to(_ONE, self.like.sum(axis=axis).shape)
        size = self.size * (self.like.size / like.size if like.size else 1.0)
        return self._summed(size, like)

    def _summed(self, size: float, like: Any) -> Degree:
        if self.signed:
            self.notes.add((self.degree, size))
        return Degree(self.degree, size, self.notes, like, signed=self.signed)

    def _grouped(self, places: Any, size: int, *_: Any) -> Degree:
        shape = (*self.shape[:-1], size)
        return self._summed(self.size * len(places), np.broadcast_to(_ONE, shape))

    def _ratio(self, top: Any, bottom: Any) -> Degree:
        top, bottom = self._read(top), self._read(bottom)
        quotient = top._either(bottom, np.inf, signed=top.signed or bottom.signed)
        quotient.degree = None
        return quotient

    def _apply(self, name: str, *others: Any) -> Degree:
        if name == "sqrt0":
            return Degree(None, np.inf, self.notes, self.like)
        if name == "absolute":
            return Degree(self.degree, self.size, self.notes, self.like)
        if name in {"largest", "smallest"}:
            other = self._read(others[0])
            # What is at least as large as something without sign has none.
            signs = (self.signed, other.signed)
            return self._either(
                other, max(self.size, other.size), signed=all(signs) if name == "largest" else any(signs)
            )
        raise UntrackableError(name)

    def __getattr__(self, name: str) -> Any:
        raise UntrackableError(name)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.where and len(args) == 3:
            first, second = self._read(args[1]), self._read(args[2])
            return first._either(second, max(first.size, second.size), signed=first.signed or second.signed)
        if function is np.cumsum:
            return self._summed(self.size * self.shape[-1], self.like)
        if function in {np.shape, np.ndim, np.size}:
            return function(self.like)
        if function is np.iscomplexobj:
            return False
        raise UntrackableError(function)

    # Asked whether a class is empty, the answer is no: what is empty takes part in no difference.
    def __eq__(self, other: object) -> Any:
        return np.zeros(self.shape, dtype=bool)

    def __ne__(self, other: object) -> Any:
        return np.ones(self.shape, dtype=bool)

    __hash__ = None  # type: ignore[assignment]


class Tracked(Number):
    """Float64 values with a bound on their absolute error; an error of 0 means exact."""

    dtype: np.dtype[Any] = np.dtype(np.float64)
    # Half the distance from 1 to the next number, and the integers up to which none is skipped.
    unit: Any = 2.0**-53
    whole: Any = 2.0**53

    def __init__(self, value: Any, error: Any) -> None:
        self.value = value
        self.error = error

    @classmethod
    def of_integers(cls, counts: Any) -> Tracked:
        """Counts as float64, with what the conversion may have cost beyond 2^53."""
        value = np.asarray(counts).astype(cls.dtype)
        return cls(value, np.where(value > cls.whole, value * cls.unit, 0.0))

    def _read(self, other: Any) -> Tracked:
        if isinstance(other, Tracked):
            return other
        try:
            return type(self)(np.asarray(other, dtype=self.dtype), self.dtype.type(0))
        except (TypeError, ValueError) as error:
            raise UntrackableError from error

    def _rounded(self, value: Array, carried: Array, *parts: Tracked) -> Tracked:
        """The result of an operation: exact where its parts are and it is an integer that float64 holds."""
        exact = (carried == 0) & (np.abs(value) <= self.whole)
        for part in parts:
            exact = exact & (part.value == np.rint(part.value))
        return type(self)(value, np.where(exact, 0.0, carried + np.abs(value) * self.unit))

    def __add__(self, other: Any) -> Tracked:
        other = self._read(other)
        return self._rounded(self.value + other.value, self.error + other.error, self, other)

    def __sub__(self, other: Any) -> Tracked:
        other = self._read(other)
        return self._rounded(self.value - other.value, self.error + other.error, self, other)

    def __rsub__(self, other: Any) -> Tracked:
        return self._read(other) - self

    def __mul__(self, other: Any) -> Tracked:
        other = self._read(other)
        carried = np.abs(self.value) * other.error + (np.abs(other.value) + other.error) * self.error
        return self._rounded(self.value * other.value, carried, self, other)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Tracked:
        return type(self)(-self.value, self.error)

    def __getitem__(self, key: Any) -> Tracked:
        return type(self)(self.value[key], self.error[key] if np.ndim(self.error) else self.error)

    def reshape(self, *shape: Any) -> Tracked:
        """The same numbers in another shape."""
        return type(self)(self.value.reshape(*shape), np.broadcast_to(self.error, self.value.shape).reshape(*shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return np.shape(self.value)

    @property
    def ndim(self) -> int:
        """Axes of the values."""
        return np.ndim(self.value)

    @property
    def real(self) -> Tracked:
        """Itself: there is no imaginary part."""
        return self

    def sum(self, axis: Any = None, **_: Any) -> Tracked:
        """Sum over an axis; NumPy adds in pairs, so the error grows with the logarithm of the length."""
        error = np.broadcast_to(self.error, np.shape(self.value))
        size, carried = np.abs(self.value).sum(axis=axis), error.sum(axis=axis)
        whole = np.all(self.value == np.rint(self.value), axis=axis)
        exact = (carried == 0) & (size <= self.whole) & whole
        depth = 8 + np.size(self.value).bit_length()
        return type(self)(self.value.sum(axis=axis), np.where(exact, 0.0, carried + size * (self.unit * depth)))

    def _grouped(self, places: Any, size: int, join: Any) -> Tracked:
        error = np.broadcast_to(self.error, np.shape(self.value))
        shape = (*np.shape(self.value)[:-1], size)
        found, bounds, sizes = (np.zeros(shape, self.dtype) for _ in range(3))
        at: Any = (..., places)
        join.at(found, at, self.value)
        join.at(bounds, at, error)
        np.add.at(sizes, at, np.abs(self.value))
        exact = (bounds == 0) & ((sizes <= self.whole) | (join is not np.add))
        return type(self)(found, np.where(exact, 0.0, bounds + sizes * (self.unit * size)))

    def _ratio(self, top: Any, bottom: Any) -> Tracked:
        top, bottom = self._read(top), self._read(bottom)
        certain = (np.abs(bottom.value) > 2 * bottom.error) | (bottom.error == 0)
        size = np.where(certain & (bottom.value != 0), np.abs(bottom.value), np.nan)
        value = top.value / np.where(bottom.value == 0, np.nan, bottom.value)
        error = 2 * (top.error + np.abs(value) * bottom.error) / size + np.abs(value) * self.unit
        # A bottom that is nothing has no quotient, and no error; one that may be nothing tells nothing.
        error = np.where(bottom.value == 0, 0.0, error)
        return type(self)(np.where(certain, value, 1.0), np.where(certain, error, np.inf))

    def _apply(self, name: str, *others: Any) -> Tracked:
        if name == "sqrt0":
            root = np.sqrt(np.maximum(self.value, 0.0))
            with np.errstate(divide="ignore", invalid="ignore"):
                error = np.where(root > 0, np.minimum(self.error / root, np.sqrt(self.error)), np.sqrt(self.error))
            return type(self)(root, error + root * self.unit)
        if name == "absolute":
            return type(self)(np.abs(self.value), self.error)
        if name in {"largest", "smallest"}:
            other = self._read(others[0])
            pick: Callable[..., Array] = np.maximum if name == "largest" else np.minimum
            return type(self)(pick(self.value, other.value), np.maximum(self.error, other.error))
        raise UntrackableError(name)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.where and len(args) == 3:
            first, second = self._read(args[1]), self._read(args[2])
            return type(self)(
                np.where(args[0], first.value, second.value), np.where(args[0], first.error, second.error)
            )
        if function in {np.shape, np.ndim, np.iscomplexobj, np.size}:
            return function(self.value)
        raise UntrackableError(function)

    def __getattr__(self, name: str) -> Any:
        raise UntrackableError(name)

    def _certainly(self, other: Any) -> Any:
        # A comparison of what is not exact could fall on the wrong side.
        other = self._read(other)
        error = self.error + other.error
        if np.any((error > 0) & ~(np.abs(self.value - other.value) > error)):
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

    def doubtful(self, tolerance: float) -> Array:
        """Which results may be off by more than `tolerance` of their size."""
        lost = ~(self.error <= np.abs(self.value) * tolerance)
        return np.asarray(lost & ~np.isnan(self.value))


class Wide(Tracked):
    """Tracked numbers of the widest float that the machine has: 64 bits instead of 53 on many."""

    dtype = np.dtype(np.longdouble)
    unit = np.finfo(np.longdouble).eps / 2
    whole = 1 / unit


# Some machines have none wider, and some only a slow and odd one.
HAS_WIDE = np.finfo(np.longdouble).nmant == 63
