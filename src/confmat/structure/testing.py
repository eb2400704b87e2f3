"""Chances: Poisson tails of counts and of weights, and Benjamini and Hochberg's adjustment for many looks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.options import told

__all__ = ["adjusted", "check_alpha", "surprise"]

Array = NDArray[Any]


def check_alpha(alpha: Any) -> float:
    """The level at which something stands out."""
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.number)) or not 0 < alpha < 1:
        msg = f"`alpha` must lie between 0 and 1, such as 0.05, not {told(alpha)}"
        raise InputError(msg)
    return float(alpha)


def surprise(counts: Array, expected: Array, unit: Array | None) -> Array:
    """The chance of so much or more where `expected` is the mean; NaN where nobody knows the size of one item.

    Of counts it is the Poisson tail. Weights are counted in units of their mean item, sum of squares over sum
    (Bohm and Zech 2014, "Statistics of weighted Poisson events and its applications", NIM A 748): a count of
    equal weights then has the chance of the count itself.
    """
    if unit is None:
        return np.full(len(counts), np.nan)
    from scipy.special import gammainc

    # P(X >= k) of a Poisson variable is the incomplete gamma function at k, which takes fractions as well.
    return np.asarray(gammainc(counts / unit, expected / unit))


def adjusted(p: Array, tests: int) -> Array:
    """Smallest false discovery rate at which each is flagged; the tests that are not listed have p = 1.

    Benjamini and Hochberg (1995), JRSS B 57.

    >>> adjusted(np.array([0.01, 0.04, 0.06]), 4)
    array([0.04, 0.08, 0.08])
    """
    order = np.argsort(p, kind="stable")
    ranked = p[order] * tests / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum(np.minimum.accumulate(ranked[::-1])[::-1], 1)
    return q
