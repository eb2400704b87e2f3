"""Discordant items, which one of two models alone had right: what they say of the difference in accuracy.

Bonett and Price, Journal of Educational and Behavioral Statistics 37 (2012), and Tango, Statistics in Medicine 17
(1998), for its interval; McNemar's exact p-value is that of a fair coin thrown once for each discordant item.
"""

from __future__ import annotations

import math

from confmat.intervals.bounds import quantile

__all__ = ["bonett_price", "exact_p", "tango"]


def bonett_price(first: float, second: float, n: float, level: float) -> tuple[float, float]:
    """Wald's interval of a paired difference after one more discordant item each way."""
    one, two = (first + 1) / (n + 2), (second + 1) / (n + 2)
    half = quantile(level) * math.sqrt(max(one + two - (one - two) ** 2, 0.0) / (n + 2))
    return max(one - two - half, -1.0), min(one - two + half, 1.0)


def tango(first: float, second: float, n: float, level: float) -> tuple[float, float]:
    """Tango's interval of a paired difference: all that its score test does not reject.

    >>> low, high = tango(1, 7, 21, 0.95)
    >>> round(low, 3), round(high, 3)
    (-0.517, -0.026)
    """
    return -_farthest(second, first, n, quantile(level)), _farthest(first, second, n, quantile(level))


def _farthest(first: float, second: float, n: float, reach: float) -> float:
    """The greatest difference that is within reach of the one seen."""
    low, high = (first - second) / n, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        # How often the second alone is right, likeliest if this were the difference.
        half = ((2 * n - first + second) * middle - first - second) / (4 * n)
        rare = math.sqrt(half * half + second * middle * (1 - middle) / (2 * n)) - half
        within = (n * middle - first + second) ** 2 <= reach**2 * n * (2 * rare + middle * (1 - middle))
        low, high = (middle, high) if within else (low, middle)
    return high


# After so many the rest of an interval is below the last digit.
_HALVINGS = 56


def exact_p(first: float, second: float) -> float:
    """McNemar's exact two-sided p-value.

    >>> round(exact_p(1, 7), 4), exact_p(5, 5)
    (0.0703, 1.0)
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(int(min(first, second)), int(first + second), 0.5)))
