"""Arithmetic for formulas: one division, roots and logarithms that run on floats, fractions and complex numbers.

Formulas are written with `+ - *`, sums over the last axis and the helpers here. The same text then runs on
float64 arrays, on stacks of them, on object arrays of int and Fraction (exact), on complex numbers (derivatives)
and on the number types of `evaluation`. What has no value is NaN in every one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DIGITS",
    "Array",
    "Number",
    "absolute",
    "constant",
    "exp",
    "is_exact",
    "largest",
    "log",
    "probit",
    "ratio",
    "smallest",
    "spread",
    "sqrt0",
    "xlogx",
]

Array = NDArray[Any]

# Roots and logarithms of exact numbers are carried to this many digits, so that what cancels later still has 16.
DIGITS = 120
_BITS = 400
_NAN = float("nan")
_REAL = (float, int, np.integer)
# From so many on NumPy takes less time to compare floats and count what is true than to count the floats.
_MANY = 2048
# Below, going through them one by one is quicker than loading what takes them together.
_FEW = 32
# There is one such object, so that asking `is` takes no time; nearly all that formulas see are arrays of it.
_FLOAT = np.dtype(np.float64)
_LOGARITHMS: dict[float | None, Callable[[Any], Any]] = {None: np.log, 2: np.log2, 10: np.log10}
# Of one number these take a tenth of the time.
_LOGARITHMS_OF_ONE: dict[float | None, Callable[[float], float]] = {None: math.log, 2: math.log2, 10: math.log10}


class Number:
    """A number type that answers the helpers below itself; the base of those in `evaluation`."""

    # Above ndarray, so that `array * number` asks the number.
    __array_priority__ = 1000
    __array_ufunc__ = None

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    def counted(self) -> Any:
        """The same numbers, known not to be below zero."""
        raise NotImplementedError

    def _ratio(self, top: Any, bottom: Any) -> Any:
        raise NotImplementedError

    def _apply(self, name: str, *others: Any) -> Any:
        raise NotImplementedError


def is_exact(value: Any) -> bool:
    """Whether a value is an exact one: a Fraction, or an array of Python numbers.

    >>> is_exact(Fraction(1, 3)), is_exact(np.array([1, 2], dtype=object)), is_exact(np.ones(2))
    (True, True, False)
    """
    if isinstance(value, np.ndarray):
        return value.dtype == object
    # A float first: asking about Fraction, an abstract number's heir, takes longer than dividing.
    return not isinstance(value, float) and isinstance(value, Fraction)


def _is_float(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype is _FLOAT


def _whole(value: Any) -> bool:
    # Sums of an exact array are Python integers; np.int64 is no int.
    return isinstance(value, int)


def constant(value: float | Fraction, like: Any) -> Any:
    """A parameter in the arithmetic of `like`: in an exact one, a float is the decimal that it prints as.

    >>> constant(0.1, np.array([1, 2], dtype=object)), constant(0.1, np.ones(2))
    (Fraction(1, 10), 0.1)
    """
    if is_exact(like) or _whole(like):
        return value if isinstance(value, int) else Fraction(repr(value) if isinstance(value, float) else value)
    if isinstance(like, Number):
        return value
    return float(value)


def ratio(top: Any, bottom: Any) -> Any:
    """Quotient; a zero bottom gives NaN, never an exception, a warning or a silent 0.

    It is the only division in `confmat.metrics`.

    >>> ratio(np.array([1.0, 0.0, 1.0]), np.array([4.0, 0.0, 0.0]))
    array([0.25,  nan,  nan])
    >>> ratio(Fraction(1), 3)
    Fraction(1, 3)
    """
    if isinstance(bottom, np.ndarray) and isinstance(top, np.ndarray) and top.dtype is bottom.dtype is _FLOAT:
        # The common case first: a NaN bottom divides without a warning, a zero bottom does not.
        size = bottom.size
        filled = np.count_nonzero(bottom if size < _MANY else bottom != 0) == size
        return top / (bottom if filled else np.where(bottom == 0, _NAN, bottom))
    if isinstance(bottom, _REAL) and (isinstance(top, float) or _is_float(top)):
        return top / (bottom or _NAN)
    if isinstance(top, Number):
        return top._ratio(top, bottom)
    if isinstance(bottom, Number):
        return bottom._ratio(top, bottom)
    if is_exact(top) or is_exact(bottom) or (_whole(top) and _whole(bottom)):
        return _exact_ratio(top, bottom)
    bottom = np.where(bottom == 0, _NAN, bottom)
    if bottom.dtype.kind == "c" or np.iscomplexobj(top):
        with np.errstate(invalid="ignore"):
            return top / bottom
    return top / bottom


def _divide(top: Any, bottom: Any) -> Any:
    if bottom == 0 or _is_nan(bottom) or _is_nan(top):
        return _NAN
    return Fraction(top) / Fraction(bottom)


def _is_nan(value: Any) -> bool:
    return bool(value != value)


_exact_ratio: Callable[[Any, Any], Any] = np.frompyfunc(_divide, 2, 1)


def sqrt0(value: Any) -> Any:
    """Square root; what rounding pushed below zero counts as zero.

    >>> sqrt0(np.array([4.0, -1e-20])), sqrt0(Fraction(1, 4))
    (array([2., 0.]), Fraction(1, 2))
    """
    if _is_float(value):
        return np.sqrt(np.maximum(value, 0.0))
    if isinstance(value, Number):
        return value._apply("sqrt0")
    if is_exact(value) or _whole(value):
        return _exact_sqrt(value)
    if np.iscomplexobj(value):
        # On the edge the root has no derivative; zero is what the other side of the edge says.
        return np.where(np.real(value) > 0, np.sqrt(value), np.where(np.isnan(value), value, 0))
    return np.sqrt(np.maximum(value, 0.0))


def _root(value: Any) -> Any:
    if _is_nan(value):
        return _NAN
    if value <= 0:
        return 0
    fraction = Fraction(value)
    top, bottom = fraction.numerator, fraction.denominator
    square = top * bottom
    root = math.isqrt(square)
    if root * root == square:
        return Fraction(root, bottom)
    shift = max(0, _BITS - square.bit_length() // 2)
    return Fraction(math.isqrt(square << (2 * shift)), bottom << shift)


_exact_sqrt: Callable[[Any], Any] = np.frompyfunc(_root, 1, 1)


def log(value: Any, base: float | None = None) -> Any:
    """Logarithm, natural or to a base; of nothing, or of less, NaN.

    >>> log(np.array([8.0, 0.0]), 2)
    array([ 3., nan])
    """
    if _is_float(value):
        return _float_log(value, base)
    if isinstance(value, float) and base in _LOGARITHMS_OF_ONE:
        return _LOGARITHMS_OF_ONE[base](value) if value > 0 else _NAN
    if isinstance(value, Number):
        return value._apply("log", base)
    if is_exact(value) or _whole(value):
        found = _exact_log(value)
        return found if base is None else _exact_ratio(found, _ln(base))
    if np.iscomplexobj(value):
        found = np.log(np.where(np.real(value) > 0, value, _NAN))
        return found if base is None else found / math.log(base)
    return _float_log(value, base)


def _float_log(value: Any, base: float | None) -> Any:
    positive = np.greater(value, 0)
    if np.count_nonzero(positive) < np.size(value):
        value = np.where(positive, value, _NAN)
    if base in _LOGARITHMS:
        return _LOGARITHMS[base](value)
    return np.log(value) / math.log(base or math.e)


def _ln(value: Any) -> Any:
    if _is_nan(value) or value <= 0:
        return _NAN
    if value == 1:
        return Fraction(0)
    from decimal import Context, Decimal

    context = Context(prec=DIGITS)
    fraction = Fraction(value)
    logs = [context.ln(Decimal(part)) for part in (fraction.numerator, fraction.denominator)]
    return Fraction(context.subtract(*logs))


_exact_log: Callable[[Any], Any] = np.frompyfunc(_ln, 1, 1)


def xlogx(value: Any, base: float | None = None) -> Any:
    """X log x, which is 0 at 0: the summand of an entropy.

    >>> xlogx(np.array([0.0, 0.5]), 2)
    array([ 0. , -0.5])
    """
    if isinstance(value, Number):
        return value._apply("xlogx", base)
    if is_exact(value) or _whole(value):
        found = _exact_xlogx(value)
        return found if base is None else _exact_ratio(found, _ln(base))
    if np.iscomplexobj(value):
        positive = np.real(value) > 0
        return np.where(positive, value * log(np.where(positive, value, 1.0), base), value * 0)
    # 1 in place of 0, since 0 log 1 is what the limit is.
    return value * log(value + np.equal(value, 0), base)


def _x_ln(value: Any) -> Any:
    return value if _is_nan(value) else 0 if value == 0 else value * _ln(value)


_exact_xlogx: Callable[[Any], Any] = np.frompyfunc(_x_ln, 1, 1)


def exp(value: Any) -> Any:
    """E to a power.

    >>> exp(Fraction(0))
    Fraction(1, 1)
    """
    if isinstance(value, Number):
        return value._apply("exp")
    if is_exact(value) or _whole(value):
        return _exact_exp(value)
    return np.exp(value)


def _e_to(value: Any) -> Any:
    if _is_nan(value):
        return _NAN
    from decimal import Context, Decimal

    context = Context(prec=DIGITS)
    fraction = Fraction(value)
    return Fraction(context.exp(context.divide(Decimal(fraction.numerator), Decimal(fraction.denominator))))


_exact_exp: Callable[[Any], Any] = np.frompyfunc(_e_to, 1, 1)


def probit(share: Any) -> Any:
    """The normal quantile of a share; of 0 and 1, which have none, NaN.

    >>> probit(np.array([0.5, 1.0]))
    array([ 0., nan])
    """
    if isinstance(share, Number):
        return share._apply("probit")
    if is_exact(share) or _whole(share):
        with np.errstate(invalid="ignore"):
            return _exact_probit(share)
    if np.iscomplexobj(share):
        found = _float_quantile(np.real(share))
        # One over the density there, for what lies off the real axis.
        return found + (share - np.real(share)) * math.sqrt(2 * math.pi) * np.exp(found * found * 0.5)
    return _float_quantile(np.asarray(share, dtype=np.float64))[()]


@cache
def _normal() -> Any:
    from statistics import NormalDist

    return NormalDist()


def _float_quantile(share: Any) -> Any:
    inside = (share > 0) & (share < 1)
    some = share[inside]
    found = np.fromiter(map(_normal().inv_cdf, some.tolist()), np.float64) if some.size < _FEW else _quantiles(some)
    if found.shape == np.shape(share):
        return found
    every = np.full(np.shape(share), _NAN)
    every[inside] = found
    return every


def _quantiles(shares: Any) -> Any:
    # One by one, a hundred take longer than SciPy does.
    from scipy.special import ndtri

    return ndtri(shares)


def _exact_inverse_normal(share: Any) -> Any:
    # A share next to 1 may be 1 as a float.
    near = float(share)
    return Fraction(_normal().inv_cdf(near)) if 0 < near < 1 else _NAN


_exact_probit: Callable[[Any], Any] = np.frompyfunc(_exact_inverse_normal, 1, 1)


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


def _chosen(name: str, first: Any, second: Any) -> Any:
    if (_is_float(first) or isinstance(first, float)) and (_is_float(second) or isinstance(second, float)):
        return np.maximum(first, second) if name == "largest" else np.minimum(first, second)
    if isinstance(first, Number):
        return first._apply(name, second)
    if isinstance(second, Number):
        return second._apply(name, first)
    if np.iscomplexobj(first) or np.iscomplexobj(second):
        # Complex numbers have an order only along the real axis.
        above = np.real(first) >= np.real(second)
        return np.where(above == (name == "largest"), first, second)
    # Comparing Python numbers with NaN raises the flag that floats do not.
    with np.errstate(invalid="ignore"):
        return np.maximum(first, second) if name == "largest" else np.minimum(first, second)


def spread(value: Any) -> Any:
    """A value per matrix, with a last axis, so that it stands beside values per class.

    >>> spread(np.array([10.0, 20.0])).shape, spread(3)
    ((2, 1), 3)
    """
    if isinstance(value, Number):
        return value[..., None]
    return value if np.ndim(value) == 0 else value[..., None]
