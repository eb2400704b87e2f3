"""Intervals of a proportion, for any number of them at once, and for an effective number of items too.

Wilson (1927); Clopper and Pearson (1934); Jeffreys as in Brown, Cai and DasGupta, "Interval Estimation for a Binomial
Proportion", Statistical Science 16 (2001), who recommend Wilson's and Jeffreys' over the others; Agresti and Coull,
The American Statistician 52 (1998); mid-p as in Newcombe, Statistics in Medicine 17 (1998).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, Message
from confmat.core.options import told

__all__ = [
    "agresti_coull",
    "check_level",
    "clopper_pearson",
    "jeffreys",
    "mid_p",
    "quantile",
    "student_quantile",
    "wilson",
]

Array = NDArray[np.float64]


def check_level(level: Any) -> None:
    """Complain of a confidence that is no share."""
    if isinstance(level, bool) or not isinstance(level, (int, float, np.floating)) or not 0 < level < 1:
        msg = Message("{level} is between 0 and 1, such as 0.95; got {}", told(level))
        raise InputError(msg)


def quantile(level: float) -> float:
    """The normal quantile that leaves (1 - level) / 2 above it.

    >>> round(quantile(0.95), 6)
    1.959964
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + level / 2)


def student_quantile(share: float, free: float) -> float:
    """The value below which so large a share of Student's distribution lies, with so many degrees of freedom.

    >>> round(student_quantile(0.975, 9), 4)
    2.2622
    """
    from scipy.special import stdtrit

    return float(stdtrit(free, share))


def wilson(share: Any, items: Any, level: float = 0.95) -> tuple[Array, Array]:
    """Wilson's score interval of a share of so many items, which need not be whole.

    >>> low, high = wilson(0.9, 50)
    >>> round(float(low), 4), round(float(high), 4)
    (0.7864, 0.9565)
    """
    p, n = np.asarray(share, dtype=np.float64), np.asarray(items, dtype=np.float64)
    square = quantile(level) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = np.where(n > 0, square / n, np.inf)
        centre = (p + tail / 2) / (1 + tail)
        half = np.sqrt(np.maximum(p * (1 - p) * tail + tail * tail / 4, 0.0)) / (1 + tail)
        low, high = np.where(n > 0, centre - half, 0.0), np.where(n > 0, centre + half, 1.0)
    # At the ends the bound is the end itself, whatever rounding says.
    low = np.where(p <= 0, 0.0, np.clip(low, 0.0, 1.0))
    high = np.where(p >= 1, 1.0, np.clip(high, 0.0, 1.0))
    return np.where(np.isnan(p), np.nan, low), np.where(np.isnan(p), np.nan, high)


def clopper_pearson(share: Any, items: Any, level: float = 0.95) -> tuple[Array, Array]:
    """The exact interval: never less sure than it says, and wider for it.

    >>> low, high = clopper_pearson(0.9, 50)
    >>> round(float(low), 4), round(float(high), 4)
    (0.7819, 0.9667)
    """
    return _of_beta(share, items, level, 0.0, 1.0)


def jeffreys(share: Any, items: Any, level: float = 0.95) -> tuple[Array, Array]:
    """The equal-tailed interval of Jeffreys' prior, with the bound at the end where all or none were hits.

    >>> low, high = jeffreys(0.9, 50)
    >>> round(float(low), 4), round(float(high), 4)
    (0.7946, 0.9608)
    """
    return _of_beta(share, items, level, 0.5, 0.5)


def agresti_coull(share: Any, items: Any, level: float = 0.95) -> tuple[Array, Array]:
    """Wald's interval about Wilson's middle, as if z squared items had been added, half of them hits.

    >>> low, high = agresti_coull(0.9, 50)
    >>> round(float(low), 4), round(float(high), 4)
    (0.7821, 0.9609)
    """
    p, n = np.asarray(share, dtype=np.float64), np.asarray(items, dtype=np.float64)
    square = quantile(level) ** 2
    more = n + square
    middle = (p * n + square / 2) / more
    half = np.sqrt(square * middle * (1 - middle) / more)
    low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
    return np.where(n > 0, low, np.where(np.isnan(p), p, 0.0)), np.where(n > 0, high, np.where(np.isnan(p), p, 1.0))


def mid_p(share: Any, items: Any, level: float = 0.95) -> tuple[Array, Array]:
    """The exact interval where what was seen counts half: as sure as it says on average, and narrower for it.

    >>> low, high = mid_p(0.9, 50)
    >>> round(float(low), 4), round(float(high), 4)
    (0.7922, 0.9624)
    """
    from scipy.special import betainc

    p, n = np.asarray(share, dtype=np.float64), np.asarray(items, dtype=np.float64)
    hits, misses = np.maximum(p * n, 1e-300), np.maximum((1 - p) * n, 1e-300)
    # It lies within the exact interval, and is found by halving.
    around = clopper_pearson(p, n, level)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        low, high = around
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            above = betainc(hits, misses + 1, middle) + betainc(hits + 1, misses, middle) < 2 * tail
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        ends.append((low + high) / 2)
    known = (n > 0) & ~np.isnan(p)
    low, high = np.where(known & (p > 0), ends[0], around[0]), np.where(known & (p < 1), ends[1], around[1])
    return low, high


# After so many the rest of an interval is below the last digit.
_HALVINGS = 56


def _of_beta(share: Any, items: Any, level: float, less: float, more: float) -> tuple[Array, Array]:
    from scipy.special import betaincinv

    p, n = np.asarray(share, dtype=np.float64), np.asarray(items, dtype=np.float64)
    hits, misses, tail = p * n, (1 - p) * n, (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = betaincinv(np.maximum(hits + less, 1e-300), misses + more, tail)
        high = betaincinv(hits + more, np.maximum(misses + less, 1e-300), 1 - tail)
    low, high = np.where(p <= 0, 0.0, low), np.where(p >= 1, 1.0, high)
    low, high = np.where(n > 0, low, 0.0), np.where(n > 0, high, 1.0)
    return np.where(np.isnan(p), np.nan, low), np.where(np.isnan(p), np.nan, high)
