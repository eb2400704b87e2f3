"""Limits: results that rounding pushed a last digit beyond what a metric can be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["may_pass", "within"]

Bounds = tuple[float | None, float | None]
# Rounding moves no result of a metric further than this.
_DIGITS = 1e-9


def may_pass(bounds: Bounds, *, of_class: bool, of_cells: bool, rational: bool) -> bool:
    """Whether rounding may push the last digit of such a metric beyond its bounds.

    It may not where one number is divided by another that holds it: that leaves sums over cells, and quotients with
    roots or logarithms, per class those of both signs.
    """
    low, _ = bounds
    if of_class:
        return low is not None and low < 0 and not rational
    return bounds != (None, None) and (of_cells or not rational)


def within(found: Any, bounds: Bounds, *, weights: bool = False) -> Any:
    """The same results, within their bounds; of counts, what is far beyond them was not rounded there, and stays.

    Weights that come to less than two items take formulas that count items anywhere.

    >>> within(1.0000000000000002, (0, 1)), within(np.array([-1.0000000000000002, np.nan]), (-1, None))
    (1.0, array([-1., nan]))
    >>> within(1.5, (0, 1)), within(1.5, (0, 1), weights=True)
    (1.5, 1.0)
    """
    (low, high), reach = bounds, math.inf if weights else _DIGITS
    if isinstance(found, np.ndarray):
        if low is not None:
            found = np.where((found < low) & (found >= low - reach), low, found)
        return found if high is None else np.where((found > high) & (found <= high + reach), high, found)
    if low is not None and low - reach <= found < low:
        return float(low)
    return float(high) if high is not None and high < found <= high + reach else found
