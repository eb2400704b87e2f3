"""Limits: results that rounding pushed a last digit beyond what a metric can be."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["may_pass", "within"]

Bounds = tuple[float | None, float | None]


def may_pass(bounds: Bounds, *, of_class: bool, of_cells: bool, rational: bool) -> bool:
    """Whether rounding may push the last digit of such a metric beyond its bounds.

    It may not where one number is divided by another that holds it: that leaves sums over cells, and quotients with
    roots or logarithms, per class those of both signs.
    """
    low, _ = bounds
    if of_class:
        return low is not None and low < 0 and not rational
    return bounds != (None, None) and (of_cells or not rational)


def within(found: Any, bounds: Bounds) -> Any:
    """The same results, within their bounds.

    >>> within(1.0000000000000002, (0, 1)), within(np.array([-1.5, np.nan]), (-1, None))
    (1.0, array([-1., nan]))
    """
    low, high = bounds
    if isinstance(found, np.ndarray):
        found = found if low is None else np.maximum(found, low)
        return found if high is None else np.minimum(found, high)
    if low is not None and found < low:
        return float(low)
    return float(high) if high is not None and found > high else found
