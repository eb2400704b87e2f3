"""Differences that would lose their digits in float64, written so that they keep them, in every arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from confmat.metrics.arithmetic import Number, is_exact, log, ratio, xlogx
from confmat.metrics.degrees import Degree
from confmat.metrics.sums import filled, items
from confmat.metrics.tracking import Tracked

__all__ = ["deviance", "exact_gap", "log1p", "log_share", "product_gap", "products_are_exact"]


_OF_NUMPY = (np.ndarray, np.generic)
_FLOAT = np.dtype(np.float64)
# Roundings that a deviance may have lost: most where its series is left, and half of what is near 1 is taken away.
_LEFT = 128


def _plain(*values: Any) -> bool:
    """Whether all are real numbers of the machine."""
    return all(isinstance(v, float) or (isinstance(v, _OF_NUMPY) and v.dtype.kind in "fiu") for v in values)


def products_are_exact(inputs: Any) -> bool:
    """Whether these are floats of counts so small that no product of two is rounded."""
    return inputs.memo is not None and inputs.memo.get("most", 2**53) < 2**26


def exact_gap(a: Any, b: Any, c: Any, d: Any) -> Any:
    """a b - c d where nothing is rounded."""
    return a * b - c * d


def product_gap(a: Any, b: Any, c: Any, d: Any) -> Any:
    """a b - c d, right to the last digits however nearly the two products cancel.

    >>> product_gap(np.float64(2**27 + 1), np.float64(2**27 + 1), np.float64(2**27), np.float64(2**27 + 2))
    np.float64(1.0)
    """
    if _plain(a, b, c, d):
        first, second = a * b, c * d
        return (first - second) + (_lost(a, b, first) - _lost(c, d, second))
    if any(isinstance(part, Tracked) for part in (a, b, c, d)):
        return _tracked_gap(a, b, c, d)
    if any(isinstance(part, Degree) for part in (a, b, c, d)):
        return Degree.gap(a, b, c, d)
    return a * b - c * d


def _tracked_gap(*parts: Any) -> Any:
    kind = next(type(part) for part in parts if isinstance(part, Tracked))
    read = [part if isinstance(part, Tracked) else kind(np.asarray(part, kind.dtype)) for part in parts]
    if any(part.relative != 0 for part in read):
        return read[0] * read[1] - read[2] * read[3]
    value = product_gap(*(part.value for part in read))
    # Two roundings of what is left, and none of what was taken away.
    return kind(value, relative=float(4 * kind.unit))


def _lost(a: Any, b: Any, product: Any) -> Any:
    """What rounding took from the product of a and b."""
    high_a, high_b = _high(a), _high(b)
    low_a, low_b = a - high_a, b - high_b
    return low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)


def _high(value: Any) -> Any:
    scaled = _splitter(getattr(value, "dtype", _FLOAT)) * value
    return scaled - (scaled - value)


@cache
def _splitter(kind: np.dtype[Any]) -> float:
    """What splits a float into two halves of its bits, whose products are exact (Dekker 1971)."""
    return 2.0 ** math.ceil((np.finfo(kind).nmant + 1) / 2) + 1.0


def log_share(whole: Any, part: Any, divisor: Any = None) -> Any:
    """log(whole / part) of a part of a whole, which is never negative; 0 parts count as 1, as in `divisor`.

    >>> bool(abs(log_share(np.float64(2.0**52), np.float64(2.0**52 - 1)) / 2.0**-52 - 1) < 1e-15)
    True
    """
    if isinstance(part, Degree) or isinstance(whole, Degree):
        return Degree.known(whole - part)
    # A part is no larger than its whole.
    return log1p(ratio(items(whole - part), filled(part) if divisor is None else divisor))


def log1p(value: Any) -> Any:
    """log(1 + x), exact for small x.

    >>> log1p(np.float64(1e-20))
    np.float64(1e-20)
    """
    if isinstance(value, Tracked):
        found = np.log1p(value.value)
        if value.positive and value.relative is not None:
            # The logarithm of 1 + x grows no faster than x.
            return type(value)(found, relative=value.relative + float(8 * value.unit), positive=True)
        return type(value)(found, _carried(value.error, 1 / (1 + value.value)) + np.abs(found) * (4 * value.unit))
    return np.log1p(value) if _plain(value) else log(1 + value)


def _carried(error: Any, slope: Any) -> Any:
    """What an error becomes behind a function of this slope."""
    return np.where(error == 0, 0.0, 2 * np.abs(slope) * error)


def deviance(change: Any, whole: Callable[[], Any] | None = None) -> Any:
    """(1 + x) log(1 + x) - x without loss for small x: half the square of x, roughly; 1 at x = -1.

    It is never negative, and summed over shares it gives what the logarithms of near-independent tables cancel to.
    Where x came from sums that are rounded, `whole` gives 1 + x as a quotient, whose error is a share of it.

    >>> deviance(np.array([-1.0, 0.0, 2e-10]))
    array([1.e+00, 0.e+00, 2.e-20])
    """
    if isinstance(change, Tracked):
        return _tracked_deviance(change, whole)
    if isinstance(change, Degree):
        return Degree.known(change)
    if is_exact(change) or isinstance(change, int):
        return _exact_deviance(change)
    if isinstance(change, Number):
        return _as_it_stands(change)
    if np.ndim(change) and not np.iscomplexobj(change):
        found = xlogx(1.0 + change) - change
        near = np.flatnonzero(np.abs(change) < 0.2)
        found.put(near, _near(change.take(near)))
        return found
    half = change / (2.0 + change)
    return np.where(np.abs(np.real(half)) < 0.1, _near(change), xlogx(1.0 + change) - change)


def _as_it_stands(change: Any) -> Any:
    return xlogx(1 + change) - change


def _of_exact(change: Any) -> Any:
    """Of small numbers by the series, which loses nothing in floats: a logarithm of so many digits takes far longer."""
    if 1e-100 < abs(change) < 0.2:
        return Fraction(_near(float(change)))
    return _as_it_stands(change)


_exact_deviance = np.frompyfunc(_of_exact, 1, 1)


def _tracked_deviance(change: Tracked, whole: Callable[[], Any] | None) -> Tracked:
    found = deviance(change.value)
    if change.relative is not None:
        # Its slope is at most 2 times its own over that of x, but near -1, where it is a logarithm of a rounding.
        return type(change)(found, relative=48 * change.relative + float(_LEFT * change.unit), positive=True)
    error, quotient = change.error, 1 + change.value
    if whole is not None:
        # x itself adds a few roundings to what its parts bring along.
        error = np.minimum(error, whole().error + 4 * change.unit * (1 + quotient))
    # A logarithm grows beyond all bounds near 0, but not its integral over the error; near 1 it is that of the error.
    lowest = np.clip(np.maximum(quotient, error), np.finfo(change.dtype).tiny, 1)
    slope = np.where(quotient < 0.5, 1 - np.log(lowest), np.abs(np.log1p(np.maximum(change.value, -0.5)))) + error
    return type(change)(found, _carried(error, slope) + np.abs(found) * (_LEFT * change.unit), positive=True)


def _near(change: Any) -> Any:
    half = change / (2.0 + change)
    square = half * half
    # 2 atanh(half) - 2 half by its series, which is what log(1 + x) has beyond its first term.
    series: Any = 1.0 / 19
    for odd in range(17, 1, -2):
        series = 1.0 / odd + square * series
    return change * half + 2.0 * (1.0 + change) * half * square * series
