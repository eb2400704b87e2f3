"""Differences that would lose their digits in float64, written so that they keep them, in every arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.metrics.arithmetic import Number, is_exact, log, xlogx
from confmat.metrics.tracking import Tracked

__all__ = ["deviance", "log1p", "product_gap"]

# Splits a float64 into two halves of 26 bits, whose products are exact (Dekker 1971).
_SPLITTER = 2.0**27 + 1.0


def _plain(*values: Any) -> bool:
    """Whether all are real numbers of the machine."""
    return not any(isinstance(v, Number) or is_exact(v) or isinstance(v, int) or np.iscomplexobj(v) for v in values)


def product_gap(a: Any, b: Any, c: Any, d: Any) -> Any:
    """a b - c d, right to the last digits however nearly the two products cancel.

    >>> product_gap(np.float64(2**27 + 1), np.float64(2**27 + 1), np.float64(2**27), np.float64(2**27 + 2))
    np.float64(1.0)
    """
    if any(isinstance(part, Tracked) for part in (a, b, c, d)):
        return _tracked_gap(a, b, c, d)
    if not _plain(a, b, c, d):
        return a * b - c * d
    first, second = a * b, c * d
    return (first - second) + (_lost(a, b, first) - _lost(c, d, second))


def _tracked_gap(*parts: Any) -> Any:
    kind = next(type(part) for part in parts if isinstance(part, Tracked))
    read = [part if isinstance(part, Tracked) else kind(np.asarray(part, kind.dtype), 0.0) for part in parts]
    # The halves are those of float64; wider numbers have the digits anyway.
    if kind is not Tracked or any(np.any(part.error) for part in read):
        return read[0] * read[1] - read[2] * read[3]
    value = product_gap(*(part.value for part in read))
    # Two roundings of what is left, and none of what was taken away.
    return Tracked(value, np.abs(value) * 2.0**-51)


def _lost(a: Any, b: Any, product: Any) -> Any:
    """What rounding took from the product of a and b."""
    high_a, high_b = _high(a), _high(b)
    low_a, low_b = a - high_a, b - high_b
    return low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)


def _high(value: Any) -> Any:
    scaled = _SPLITTER * value
    return scaled - (scaled - value)


def log1p(value: Any) -> Any:
    """log(1 + x), exact for small x.

    >>> log1p(np.float64(1e-20))
    np.float64(1e-20)
    """
    return np.log1p(value) if _plain(value) else log(1 + value)


def deviance(change: Any) -> Any:
    """(1 + x) log(1 + x) - x without loss for small x: half the square of x, roughly; 1 at x = -1.

    It is never negative, and summed over shares it gives what the logarithms of near-independent tables cancel to.

    >>> deviance(np.array([-1.0, 0.0, 2e-10]))
    array([1.e+00, 0.e+00, 2.e-20])
    """
    if isinstance(change, Number) or is_exact(change) or isinstance(change, int):
        return xlogx(1 + change) - change
    half = change / (2.0 + change)
    square = half * half
    # 2 atanh(half) - 2 half by its series, which is what log(1 + x) has beyond its first term.
    series = 0.0 * change
    for odd in range(19, 1, -2):
        series = 1.0 / odd + square * series
    near = change * half + 2.0 * (1.0 + change) * half * square * series
    return np.where(np.abs(np.real(half)) < 0.1, near, xlogx(1.0 + change) - change)
