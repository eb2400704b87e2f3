"""Numbers that say whether a formula can cancel: how large its integers get, and what it subtracts.

They run the formula's own text. A formula that does what they cannot follow (a logarithm, an unknown function of
NumPy) raises UntrackableError; it is evaluated in float64 and must keep its digits by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.metrics.arithmetic import Number

__all__ = ["Degree", "Notes", "UntrackableError"]

Notes = set[tuple[int | None, float]]
_ONE = np.float64(1.0)


class UntrackableError(TypeError):
    """The formula does something that cannot be followed."""


class Degree(Number):
    """How large an integer can be: `size` times the total to the power `degree`; None for a quotient or root.

    `notes` gathers the size and degree of every difference: what must stay below 2^53 to be exact. A degree of
    None says that quotients or roots were subtracted, where nothing is exact. `like` has the shape. `together`
    bounds the sum of all sizes of one matrix in the same unit, where something better is known than their number
    times the greatest: hits and margins add up to no more than the total.
    """

    dtype = np.dtype(np.float64)

    def __init__(
        self,
        degree: int | None,
        size: float,
        notes: Notes,
        like: Any = _ONE,
        *,
        signed: bool = False,
        together: float | None = None,
    ) -> None:
        self.degree = degree
        self.size = size
        self.notes = notes
        self.like = like
        self.signed = signed
        self.together = together

    @classmethod
    def of(cls, counts: Any, notes: Notes, *, parts: bool = False) -> Degree:
        """Counts of a matrix, none greater than its total; as parts of the total they do not exceed it together."""
        return cls(1, 1.0, notes, np.broadcast_to(_ONE, np.shape(counts)), together=1.0 if parts else None)

    @classmethod
    def known(cls, value: Degree) -> Degree:
        """What comes right to the last digits from a value that is right itself."""
        return cls(None, np.inf, value.notes, value.like)

    @classmethod
    def gap(cls, *parts: Any) -> Degree:
        """a b - c d, taken as it is and not as the products are rounded: right wherever the parts are exact."""
        notes = next(part.notes for part in parts if isinstance(part, Degree))
        a, b, c, d = (part if isinstance(part, Degree) else cls(0, 0.0, notes)._read(part) for part in parts)
        notes.update((part.degree, part.size) for part in (a, b, c, d))
        return (a * b)._with(c * d, signed=True)

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
        joined = self._with(other, signed=minus or self.signed or other.signed)
        if joined.signed:
            self.notes.add((joined.degree, joined.size))
        return joined

    def _with(self, other: Degree, *, signed: bool) -> Degree:
        joined = self._either(other, self.size + other.size, signed=signed)
        if self._fills(joined) and other._fills(joined):
            joined.together = (self.together or 0.0) + (other.together or 0.0)
        return joined

    def _fills(self, other: Degree) -> bool:
        """Whether what is known of the sum holds beside another: nothing is repeated."""
        return self.together is not None and self.shape == other.shape

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
            pairs = ((self, other), (other, self))
            known = [(one.together or 0.0) * two.size for one, two in pairs if one._fills(product)]
            product.together = min(known, default=None)
        return product

    __rmul__ = __mul__

    def _same(self, like: Any, *, signed: bool, together: float | None) -> Degree:
        return Degree(self.degree, self.size, self.notes, like, signed=signed, together=together)

    def counted(self) -> Degree:
        """The same numbers, known not to be below zero."""
        return self._same(self.like, signed=False, together=self.together)

    def within_total(self) -> Degree:
        """The same numbers of items, known not to exceed the total."""
        return Degree(1, min(self.size, 1.0), self.notes, self.like, together=self.together)

    def __neg__(self) -> Degree:
        return self._same(self.like, signed=True, together=self.together)

    def __getitem__(self, key: Any) -> Degree:
        # A part adds up to no more than the whole; what is picked by number may come twice.
        cut = all(each is Ellipsis or isinstance(each, slice) for each in (key if isinstance(key, tuple) else (key,)))
        return self._same(self.like[key], signed=self.signed, together=self.together if cut else None)

    def reshape(self, *shape: Any) -> Degree:
        """The same numbers in another shape."""
        return self._same(self.like.reshape(*shape), signed=self.signed, together=self.together)

    def sum(self, axis: Any = None, **_: Any) -> Degree:
        """Sums of what has signs are differences."""
        like = np.broadcast_to(_ONE, self.like.sum(axis=axis).shape)
        return self._summed(self.like.size / like.size if like.size else 1.0, like)

    def _summed(self, number: float, like: Any, *, parts: bool = True) -> Degree:
        size = self.size * number
        if self.together is not None:
            size = min(size, self.together)
        if self.signed:
            self.notes.add((self.degree, size))
        together = self.together if parts and np.ndim(like) == self.ndim else None
        return Degree(self.degree, size, self.notes, like, signed=self.signed, together=together)

    def _grouped(self, places: Any, size: int, *_: Any) -> Degree:
        shape = (*self.shape[:-1], size)
        return self._summed(len(places), np.broadcast_to(_ONE, shape))

    def _ratio(self, top: Any, bottom: Any) -> Degree:
        top, bottom = self._read(top), self._read(bottom)
        quotient = top._either(bottom, np.inf, signed=top.signed or bottom.signed)
        quotient.degree = None
        return quotient

    def _apply(self, name: str, *others: Any) -> Degree:
        if name == "sqrt0":
            return Degree(None, np.inf, self.notes, self.like)
        if name == "absolute":
            return self._same(self.like, signed=False, together=self.together)
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
            return self._summed(self.shape[-1], self.like, parts=False)
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
