"""Arithmetic for formulas: one division, roots and logarithms that run on floats, stacks of them and complex numbers.

Formulas are written with `+ - *`, sums over the last axis and the helpers here. The same text then
runs on float64 arrays, on stacks of them, on complex numbers and on numbers that remember how they
were made (derivatives); without roots and logarithms on fractions, too, as a law does it. A missing
value is NaN in every one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_NAN = float("nan")
_REAL = (float, int, np.integer)
# From this size on NumPy compares floats and counts the true entries faster than it counts the
# floats themselves.
_COUNT_COMPARED_SIZE = 2048
# Below this size, quantiles one by one are quicker than importing SciPy.
_SMALL_SIZE = 32
# There is one such object, so that asking `is` takes no time; nearly all arrays that formulas see
# have it.
_FLOAT = np.dtype(np.float64)
_LOGARITHMS: dict[float | None, Callable[[Any], Any]] = {None: np.log, 2: np.log2, 10: np.log10}
# For one number these take a tenth of the time.
_LOGARITHMS_OF_ONE: dict[float | None, Callable[[float], float]] = {
    None: math.log,
    2: math.log2,
    10: math.log10,
}


class UntrackableError(TypeError):
    """A step of a formula that its number type does not have."""


# The errors of a formula that does what a number type other than floats cannot follow: plain NumPy,
# most often.
UNFOLLOWED = (UntrackableError, TypeError, ValueError, AttributeError)


class Number:
    """A number type with its own answers to the helpers below."""

    # Above ndarray, so that `array * number` asks the number.
    __array_priority__ = 1000
    __array_ufunc__ = None

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    def _ratio(self, top: Any, bottom: Any) -> Any:
        raise NotImplementedError

    def _apply(self, name: str, *others: Any) -> Any:
        raise NotImplementedError


def _is_float(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype is _FLOAT


def ratio(top: Any, bottom: Any) -> Any:
    """Quotient; a zero bottom gives NaN, never an exception, a warning or a silent 0.

    It is the only division in `confmat.metrics`.

    >>> ratio(np.array([1.0, 0.0, 1.0]), np.array([4.0, 0.0, 0.0]))
    array([0.25,  nan,  nan])
    >>> ratio(1.0, 3), ratio(1.0, 0)
    (0.3333333333333333, nan)
    """
    if (
        isinstance(bottom, np.ndarray)
        and isinstance(top, np.ndarray)
        and top.dtype is bottom.dtype is _FLOAT
    ):
        # The common case first: a NaN bottom divides without a warning, a zero bottom does not.
        size = bottom.size
        filled = np.count_nonzero(bottom if size < _COUNT_COMPARED_SIZE else bottom != 0) == size
        return top / (bottom if filled else np.where(bottom == 0, _NAN, bottom))
    if isinstance(bottom, _REAL) and (isinstance(top, float) or _is_float(top)):
        return top / (bottom or _NAN)
    if isinstance(top, Number):
        return top._ratio(top, bottom)
    if isinstance(bottom, Number):
        return bottom._ratio(top, bottom)
    bottom = np.where(bottom == 0, _NAN, bottom)
    if bottom.dtype.kind == "c" or np.iscomplexobj(top):
        with np.errstate(invalid="ignore"):
            return top / bottom
    return top / bottom


def is_finite_number(value: Any) -> bool:
    """Whether something is a finite number."""
    return isinstance(value, (Real, Decimal)) and math.isfinite(value)


def square_table(values: Any) -> NDArray[np.float64] | None:
    """Read a square table of finite numbers; None of anything else."""
    try:
        # A tensor may still remember its gradients.
        given = np.asarray(values.detach() if hasattr(values, "detach") else values)
        # Texts such as "1" would become floats too.
        if given.dtype.kind not in "biuf" and not all(map(is_finite_number, given.flat)):
            return None
        table = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    is_square = table.ndim == 2 and table.shape[0] == table.shape[1] and table.size > 0
    return table if is_square and np.isfinite(table).all() else None


def sqrt0(value: Any) -> Any:
    """Square root, a float; a value that rounding pushed below zero counts as zero.

    >>> sqrt0(np.array([4.0, -1e-20]))
    array([2., 0.])
    """
    if _is_float(value):
        return np.sqrt(np.maximum(value, 0.0))
    if isinstance(value, Number):
        return value._apply("sqrt0")
    if np.iscomplexobj(value):
        # On the edge the root has no derivative; zero is what the other side of the edge says.
        return np.where(np.real(value) > 0, np.sqrt(value), np.where(np.isnan(value), value, 0))
    return np.sqrt(np.maximum(value, 0.0))


def log(value: Any, base: float | None = None) -> Any:
    """Logarithm, natural or to a base; NaN for zero and negative numbers.

    >>> log(np.array([8.0, 0.0]), 2)
    array([ 3., nan])
    """
    if _is_float(value):
        return _float_log(value, base)
    if isinstance(value, float) and base in _LOGARITHMS_OF_ONE:
        return _LOGARITHMS_OF_ONE[base](value) if value > 0 else _NAN
    if isinstance(value, Number):
        return value._apply("log", base)
    if np.iscomplexobj(value):
        logs = np.log(np.where(np.real(value) > 0, value, _NAN))
        return logs if base is None else logs / math.log(base)
    return _float_log(value, base)


def _float_log(value: Any, base: float | None) -> Any:
    positive = np.greater(value, 0)
    if np.count_nonzero(positive) < np.size(value):
        value = np.where(positive, value, _NAN)
    if base in _LOGARITHMS:
        return _LOGARITHMS[base](value)
    return np.log(value) / math.log(base or math.e)


def log_ratio(top: Any, bottom: Any, base: float | None = None) -> Any:
    """Logarithm of a quotient, with all its digits where the two are nearly equal; NaN where either is zero.

    >>> float(log_ratio(np.float64(2**40 + 1), np.float64(2**40)) * 2**40)
    0.9999999999995453
    """
    if any(isinstance(each, Number) or np.iscomplexobj(each) for each in (top, bottom)):
        return log(ratio(top, bottom), base)
    low = np.minimum(top, bottom)
    size = np.log1p(ratio(np.maximum(top, bottom) - low, low))
    logs = np.where(np.less(top, bottom), -size, size)[()]
    return logs if base is None else logs * (1 / math.log(base))


def log_share(part: Any, rest: Any) -> Any:
    """Logarithm of a part's share of the whole, with all its digits where the rest is small.

    >>> float(log_share(np.float64(1), np.float64(1e-20)))
    -1e-20
    """
    return -log1p(ratio(rest, part))


def log1p(value: Any) -> Any:
    """Logarithm of 1 + value, with all its digits where the value is small.

    >>> float(log1p(np.float64(1e-20)))
    1e-20
    """
    if isinstance(value, Number) or np.iscomplexobj(value):
        return log(value + 1)
    return np.log1p(value)


def xlogx(value: Any, base: float | None = None) -> Any:
    """X log x, which is 0 at 0: the summand of an entropy.

    >>> xlogx(np.array([0.0, 0.5]), 2)
    array([ 0. , -0.5])
    """
    if isinstance(value, Number):
        return value._apply("xlogx", base)
    if np.iscomplexobj(value):
        positive = np.real(value) > 0
        return np.where(positive, value * log(np.where(positive, value, 1.0), base), value * 0)
    # 1 in place of 0, since 0 log 1 is what the limit is.
    return value * log(value + np.equal(value, 0), base)


def exp(value: Any) -> Any:
    """E to a power.

    >>> exp(np.array([0.0, -np.inf]))
    array([1., 0.])
    """
    if isinstance(value, Number):
        return value._apply("exp")
    return np.exp(value)


def probit(share: Any) -> Any:
    """The normal quantile of a share; NaN for 0 and 1, which have none.

    >>> probit(np.array([0.5, 1.0]))
    array([ 0., nan])
    """
    if isinstance(share, Number):
        return share._apply("probit")
    if np.iscomplexobj(share):
        quantile = _float_quantile(np.real(share))
        # The slope is one over the density; it carries the imaginary part.
        return quantile + (share - np.real(share)) * math.sqrt(2 * math.pi) * np.exp(
            quantile * quantile * 0.5
        )
    return _float_quantile(np.asarray(share, dtype=np.float64))[()]


@cache
def _normal() -> Any:
    from statistics import NormalDist

    return NormalDist()


def _float_quantile(share: Any) -> Any:
    inside = (share > 0) & (share < 1)
    some = share[inside]
    few = some.size < _SMALL_SIZE
    quantiles = (
        np.fromiter(map(_normal().inv_cdf, some.tolist()), np.float64) if few else _quantiles(some)
    )
    if quantiles.shape == np.shape(share):
        return quantiles
    every = np.full(np.shape(share), _NAN)
    every[inside] = quantiles
    return every


def _quantiles(shares: Any) -> Any:
    # One by one, a hundred take longer than SciPy does.
    from scipy.special import ndtri

    return ndtri(shares)


def absolute(value: Any) -> Any:
    """Size without sign; along the real axis for complex numbers, so that derivatives survive.

    >>> absolute(np.array([-2.0, 3.0])), absolute(np.array([-2.0 + 1.0j]))
    (array([2., 3.]), array([2.-1.j]))
    """
    if isinstance(value, Number):
        return value._apply("absolute")
    if np.iscomplexobj(value):
        return np.where(np.real(value) < 0, -value, value)
    return np.abs(value)


def largest(first: Any, second: Any) -> Any:
    """The greater of two, entry by entry, in any arithmetic.

    >>> largest(np.array([1.0, 5.0]), 2.0)
    array([2., 5.])
    """
    return _chosen("largest", first, second)


def smallest(first: Any, second: Any) -> Any:
    """The lesser of two, entry by entry, in any arithmetic.

    >>> smallest(np.array([1.0, 5.0]), 2.0)
    array([1., 2.])
    """
    return _chosen("smallest", first, second)


# The functions that give the extreme of two, and tell whether the first of two complex ones is it.
_EXTREMES = {"largest": (np.maximum, np.greater_equal), "smallest": (np.minimum, np.less_equal)}


def _chosen(name: str, first: Any, second: Any) -> Any:
    extreme, goes_first = _EXTREMES[name]
    if (_is_float(first) or isinstance(first, float)) and (
        _is_float(second) or isinstance(second, float)
    ):
        return extreme(first, second)
    if isinstance(first, Number):
        return first._apply(name, second)
    if isinstance(second, Number):
        return second._apply(name, first)
    if np.iscomplexobj(first) or np.iscomplexobj(second):
        # Complex numbers have an order only along the real axis.
        return np.where(goes_first(np.real(first), np.real(second)), first, second)
    return extreme(first, second)


def spread(value: Any) -> Any:
    """A value per matrix, with a last axis, so that it is beside values per class.

    >>> spread(np.array([10.0, 20.0])).shape, spread(3)
    ((2, 1), 3)
    """
    if isinstance(value, Number):
        return value[..., None]
    return value if np.ndim(value) == 0 else value[..., None]
