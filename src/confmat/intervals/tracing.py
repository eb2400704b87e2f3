"""Numbers that remember how they were made, so that one walk back gives the derivative of a formula.

They run the formula's own text, once, and then each step hands the derivative of the result on to what it was made
from. A formula of K numbers costs a few times itself, however large K is. What they cannot follow raises
UntrackableError; `gradient` then takes complex steps instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.metrics.arithmetic import Number, UntrackableError, exp, log, probit, ratio, sqrt0, xlogx

__all__ = ["Traced"]

Array = NDArray[np.float64]
Pull = Callable[[Array], Array]


class Traced(Number):
    """A value, and the values it was made from, each with the way back: from a derivative here to one there.

    `linear` says that the value is a sum of inputs with constant factors. `quotient` is top and bottom of the
    division that made it, if it is one, or the same up to a factor and a summand: `(top, bottom, factor, summand)`.
    """

    __slots__ = ("linear", "parents", "quotient", "value")

    dtype = np.dtype(np.float64)

    def __init__(
        self, value: Any, parents: tuple[tuple[Traced, Pull], ...] = (), *, linear: bool = False, quotient: Any = None
    ) -> None:
        self.value: Array = np.asarray(value, dtype=np.float64)
        self.parents = parents
        self.linear = linear
        self.quotient = quotient

    @classmethod
    def of(cls, value: Any) -> Traced:
        """An input, to which derivatives are wanted."""
        return cls(value, linear=True)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """Axes of the values."""
        return self.value.ndim

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.value.size

    def __len__(self) -> int:
        return len(self.value)

    # --- sums and products ---------------------------------------------------------------------------------------

    def _joined(self, other: Any, sign: int) -> Traced:
        if not isinstance(other, Traced):
            other = _constant(other)
            return Traced(
                self.value + sign * other, (_back(self),), quotient=_shifted(self.quotient, 1.0, sign * other)
            )
        first, second = _back(self), _back(other, sign)
        return Traced(self.value + sign * other.value, (first, second), linear=self.linear and other.linear)

    def __add__(self, other: Any) -> Traced:
        return self._joined(other, 1)

    def __sub__(self, other: Any) -> Traced:
        return self._joined(other, -1)

    def __rsub__(self, other: Any) -> Traced:
        return (-self)._joined(other, 1)

    __radd__ = __add__

    def __neg__(self) -> Traced:
        return self * -1.0

    def __mul__(self, other: Any) -> Traced:
        if not isinstance(other, Traced):
            other = _constant(other)
            return Traced(
                self.value * other,
                (_back(self, other),),
                linear=self.linear,
                quotient=_shifted(self.quotient, other, 0.0),
            )
        return Traced(self.value * other.value, (_back(self, other.value), _back(other, self.value)))

    __rmul__ = __mul__

    def sum(self, axis: Any = None, **_: Any) -> Traced:
        """Sum over an axis."""

        def pull(slope: Array) -> Array:
            spread = slope if axis is None else np.expand_dims(slope, axis)
            return np.broadcast_to(spread, self.shape)

        return Traced(self.value.sum(axis=axis), ((self, pull),), linear=self.linear)

    def _grouped(self, places: Any, size: int, join: Any) -> Traced:
        """Sums, or maxima, of what falls on each of `size` places."""
        found = np.zeros(size)
        join.at(found, places, self.value)
        if join is np.add:
            return Traced(found, ((self, lambda slope: slope[places]),), linear=self.linear)
        # Of equal ones the first holds the maximum, as with `argmax`.
        holds = np.flatnonzero(self.value == found[places])
        _, first = np.unique(np.asarray(places)[holds], return_index=True)
        chosen = np.zeros(self.size)
        chosen[holds[first]] = 1.0
        return Traced(found, ((self, lambda slope: slope[places] * chosen),))

    # --- parts and shapes ----------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Traced:
        def pull(slope: Array) -> Array:
            found = np.zeros(self.shape)
            np.add.at(found, key, slope)
            return found

        return Traced(self.value[key], ((self, pull),), linear=self.linear, quotient=_part(self.quotient, key))

    def reshape(self, *shape: Any) -> Traced:
        """The same numbers in another shape."""
        return Traced(
            self.value.reshape(*shape), ((self, lambda slope: slope.reshape(self.shape)),), linear=self.linear
        )

    # --- the helpers of formulas ---------------------------------------------------------------------------------

    def _ratio(self, top: Any, bottom: Any) -> Traced:
        over, under = _read(top), _read(bottom)
        value = ratio(np.asarray(over.value), np.asarray(under.value))
        parents = []
        if over is top:
            parents.append(_back(over, ratio(np.ones(()), np.asarray(under.value))))
        if under is bottom:
            parents.append(_back(under, -ratio(np.asarray(value), np.asarray(under.value))))
        return Traced(value, tuple(parents), quotient=(over, under, 1.0, 0.0))

    def _apply(self, name: str, *others: Any) -> Traced:
        value = self.value
        if name in {"largest", "smallest"}:
            return self._either(_read(others[0]), np.greater_equal if name == "largest" else np.less_equal)
        base = others[0] if others else None
        scale = 1.0 if base is None else 1.0 / np.log(base)
        if name == "sqrt0":
            found = sqrt0(value)
            # At 0 the root has no derivative; zero is what the other side of the edge says.
            slope = np.where(found > 0, 0.5 / np.where(found > 0, found, 1.0), 0.0)
        elif name == "log":
            found = log(value, base)
            slope = np.where(value > 0, scale / np.where(value > 0, value, 1.0), np.nan)
        elif name == "xlogx":
            found = xlogx(value, base)
            slope = np.where(value > 0, log(np.where(value > 0, value, 1.0), base) + scale, 0.0)
        elif name == "exp":
            found = slope = exp(value)
        elif name == "absolute":
            found, slope = np.abs(value), np.where(value < 0, -1.0, 1.0)
        elif name == "probit":
            found = np.asarray(probit(value), dtype=np.float64)
            slope = np.sqrt(2 * np.pi) * np.exp(found * found / 2)
        else:
            raise UntrackableError(name)
        return Traced(found, (_back(self, slope),))

    def _either(self, other: Traced, first_if: Any) -> Traced:
        return _picked(first_if(self.value, other.value), self, other)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.where and len(args) == 3:
            return _picked(np.asarray(args[0]), _read(args[1]), _read(args[2]))
        if function in {np.shape, np.ndim, np.size, np.real, np.isnan}:
            return function(self.value)
        if function is np.iscomplexobj:
            return False
        if function is np.cumsum:
            found = np.cumsum(self.value, axis=-1)
            return Traced(
                found,
                ((self, lambda slope: np.cumsum(slope[..., ::-1], axis=-1)[..., ::-1]),),
                linear=self.linear,
            )
        if function in {np.concatenate, np.stack}:
            return _joined(function, args[0], kwargs.get("axis", args[1] if len(args) > 1 else 0))
        raise UntrackableError(function)

    def __getattr__(self, name: str) -> Any:
        raise UntrackableError(name)

    # --- facts of the observed table, which a derivative does not change -------------------------------------------

    def __eq__(self, other: object) -> Any:
        return self.value == _plain(other)

    def __ne__(self, other: object) -> Any:
        return self.value != _plain(other)

    def __lt__(self, other: Any) -> Any:
        return self.value < _plain(other)

    def __le__(self, other: Any) -> Any:
        return self.value <= _plain(other)

    def __gt__(self, other: Any) -> Any:
        return self.value > _plain(other)

    def __ge__(self, other: Any) -> Any:
        return self.value >= _plain(other)

    __hash__ = None  # type: ignore[assignment]

    # --- the way back --------------------------------------------------------------------------------------------

    def slopes(self, inputs: tuple[Traced, ...], seed: Any = 1.0) -> list[Array]:
        """Derivatives of the value, weighted by `seed` and added up, with respect to each of the inputs."""
        found = {id(self): np.broadcast_to(np.asarray(seed, dtype=np.float64), self.shape)}
        for step in _latest_first(self):
            slope = found.get(id(step))
            if slope is None:
                continue
            for parent, pull in step.parents:
                handed = pull(slope)
                known = found.get(id(parent))
                found[id(parent)] = handed if known is None else known + handed
        return [np.array(found.get(id(one), np.zeros(one.shape))) for one in inputs]


def _latest_first(last: Traced) -> list[Traced]:
    """Every step that led to the last one, each before those it was made from."""
    order: list[Traced] = []
    seen: set[int] = set()
    waiting: list[tuple[Traced, bool]] = [(last, False)]
    while waiting:
        step, done = waiting.pop()
        if done:
            order.append(step)
        elif id(step) not in seen:
            seen.add(id(step))
            waiting.append((step, True))
            waiting.extend((parent, False) for parent, _ in step.parents)
    return order[::-1]


def _read(value: Any) -> Traced:
    return value if isinstance(value, Traced) else Traced(_constant(value))


def _constant(value: Any) -> Any:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UntrackableError from error


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Traced) else value


def _back(parent: Traced, factor: Any = 1.0) -> tuple[Traced, Pull]:
    """The way back through a product with a factor, summed over axes along which the parent was repeated."""

    def pull(slope: Array) -> Array:
        # Where nothing is handed on, what has no derivative does no harm.
        handed = np.where(slope == 0, 0.0, slope * factor)
        extra = handed.ndim - parent.ndim
        if extra:
            handed = handed.sum(axis=tuple(range(extra)))
        stretched = tuple(axis for axis, size in enumerate(parent.shape) if size == 1 and handed.shape[axis] != 1)
        return handed.sum(axis=stretched, keepdims=True) if stretched else handed

    return parent, pull


def _picked(which: Any, first: Traced, second: Traced) -> Traced:
    parents = (_back(first, np.where(which, 1.0, 0.0)), _back(second, np.where(which, 0.0, 1.0)))
    return Traced(np.where(which, first.value, second.value), parents)


def _joined(function: Any, parts: Any, axis: int) -> Traced:
    """Parts one after the other, or beside each other along a new axis."""
    each = [_read(part) for part in parts]
    # Of the numbers 0, 1, 2 ... in the places of the entries, those that a part has lead back to it.
    ends = np.cumsum([0, *(part.size for part in each)])
    places = function(
        [np.arange(start, start + part.size).reshape(part.shape) for start, part in zip(ends, each, strict=False)], axis
    )

    def back(part: Traced, start: int) -> tuple[Traced, Pull]:
        def pull(slope: Array) -> Array:
            flat = np.empty(places.size)
            flat[places.ravel()] = slope.ravel()
            return flat[start : start + part.size].reshape(part.shape)

        return part, pull

    value = function([part.value for part in each], axis)
    parents = tuple(back(part, int(start)) for start, part in zip(ends, each, strict=False))
    return Traced(value, parents, linear=all(part.linear for part in each))


def _part(quotient: Any, key: Any) -> Any:
    """The quotient of some entries, where top and bottom have them too."""
    if quotient is None or quotient[0].shape != quotient[1].shape or np.ndim(quotient[2]) or np.ndim(quotient[3]):
        return None
    top, bottom, factor, summand = quotient
    return top[key], bottom[key], factor, summand


def _shifted(quotient: Any, factor: Any, summand: Any) -> Any:
    if quotient is None:
        return None
    top, bottom, before, added = quotient
    return top, bottom, before * factor, added * factor + summand
