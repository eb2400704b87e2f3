"""Logarithms of quotients and factorials, and differences of quantiles and roots, which keep their digits near zero."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from confmat.core.cells import Cells, once
from confmat.metrics.arithmetic import Number, constant, exp, is_exact, log, probit, ratio, sqrt0
from confmat.metrics.cancelling import exact_gap, log1p, product_gap, products_are_exact
from confmat.metrics.sums import filled, is_zero

__all__ = ["determinant", "less_root", "log_quotient", "quantile_gap", "stirling_error"]

# The coefficients of Stirling's series, B2k over 2k (2k - 1), from the last; of ten, the next is below 1e-16.
_SERIES = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
_LEAST = 10
# Rates so near each other have quantiles that take digits from each other.
_NEAR = 4e-4


@once
def determinant(c: Cells) -> Any:
    """tp tn - fp fn, right to the last digits."""
    return _gap(c, c.tp, c.tn, c.fp, c.fn)


def less_root(c: Cells, whole: Any, first: Any, second: Any) -> Any:
    """A count less the root of a product of counts: the difference of their squares over their sum."""
    return ratio(_gap(c, whole, whole, first, second), filled(whole + sqrt0(first * second)))


def _gap(c: Cells, *parts: Any) -> Any:
    """The difference of two products of counts or twice those, right to the last digits."""
    return exact_gap(*parts) if products_are_exact(c) else product_gap(*parts)


def log_quotient(top: Any, bottom: Any, gap: Any, base: float | None = None) -> Any:
    """log(top / bottom), where `gap` is top - bottom, known better than the two.

    >>> float(log_quotient(np.float64(1e20), np.float64(1e20), np.float64(1.0)))
    1e-20
    """
    quotient = ratio(top, bottom)
    if is_exact(quotient) or isinstance(quotient, Number):
        return log(quotient, base)
    beyond = ratio(gap, bottom)
    near = np.abs(beyond) < 0.5
    if not near.any():
        return log(quotient, base)
    found = log1p(np.where(near, beyond, 0.0))
    return np.where(near, found if base is None else found * (1 / math.log(base)), log(quotient, base))


def quantile_gap(c: Cells) -> Any:
    """The normal quantile of the recall less that of the false positive rate."""
    hit, miss = ratio(c.tp, c.actual), ratio(c.fn, c.actual)
    false, right = ratio(c.fp, c.actual_negative), ratio(c.tn, c.actual_negative)
    if is_exact(hit) or isinstance(hit, Number):
        return probit(hit) - probit(false)
    far = _quantile(hit, miss) - _quantile(false, right)
    beyond = ratio(determinant(c), c.actual * c.actual_negative)
    # The slope of the quantile is 2.5 at least.
    if not np.any(np.abs(beyond) < _NEAR):
        return far
    # Near each other, the gap times the slope of the quantile between them, and the next odd term of the series.
    middle = _quantile((hit + false) * 0.5, (miss + right) * 0.5)
    slope = math.sqrt(2 * math.pi) * exp(middle * middle * 0.5)
    step = beyond * slope
    close = step * (1 + step * step * (1 + 2 * middle * middle) * (1 / 24))
    return np.where((np.abs(step) < 2.5 * _NEAR) & (far == far), close, far)


def _quantile(share: Any, rest: Any) -> Any:
    """The normal quantile of a share, from the smaller of the share and its complement."""
    upper = np.real(share) > 0.5
    found = probit(np.where(upper, rest, share))
    return np.where(upper, -found, found)


def stirling_error(x: Any) -> Any:
    """What Stirling's formula leaves of ln x!: ln x! - (x ln x - x + ln(2 pi x) / 2), and 0 at 0.

    >>> stirling_error(np.array([0.0, 1.0, 100.0])).round(8)
    array([0.        , 0.08106147, 0.00083333])
    """
    if is_exact(x) or np.iscomplexobj(x):
        # The recurrence of the gamma function leads to where a few terms of the series are enough.
        far = filled(x)
        found = _series(far + 16)
        for step in range(16):
            y = far + step
            found = found + (y + constant(0.5, y)) * log(ratio(y + 1, y)) - 1
        return np.where(is_zero(x), 0, found)
    near = np.less(x, _LEAST)
    found = _series(np.where(near, float(_LEAST), x))
    if near.any():
        small = np.asarray(x)[near]
        whole = small.astype(np.intp)
        found = np.asarray(found)
        found[near] = _OF_SMALL[whole] if np.array_equal(whole, small) else _of_small(small)
    return found


def _series(x: Any) -> Any:
    one = ratio(x * 0 + 1, x)
    square, found = one * one, constant(_SERIES[0], x)
    for factor in _SERIES[1:]:
        found = found * square + constant(factor, x)
    return found * one


def _one_small(x: float) -> float:
    # Of an integer the logarithm of its factorial is right to the last digit.
    whole = math.log(math.factorial(int(x))) if x == int(x) else math.lgamma(x + 1)
    return whole - x * math.log(x) + x - 0.5 * math.log(2 * math.pi * x) if x > 0 else 0.0


def _of_small(x: Any) -> Any:
    return np.array([_one_small(each) for each in x.tolist()])


_OF_SMALL = _of_small(np.arange(float(_LEAST)))
