"""Logarithms of quotients and differences of quantiles, which keep their digits where they come near zero."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from confmat.cells import Cells
from confmat.metrics.arithmetic import Number, exp, is_exact, log, probit, ratio
from confmat.metrics.cancelling import log1p, product_gap

__all__ = ["determinant", "log_quotient", "quantile_gap"]


def determinant(c: Cells) -> Any:
    """tp tn - fp fn, right to the last digits."""
    return product_gap(c.tp, c.tn, c.fp, c.fn)


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
    found = log1p(np.where(near, beyond, 0.0))
    return np.where(near, found if base is None else found * (1 / math.log(base)), log(quotient, base))


def quantile_gap(c: Cells) -> Any:
    """The normal quantile of the recall less that of the false positive rate."""
    hit, miss = ratio(c.tp, c.actual), ratio(c.fn, c.actual)
    false, right = ratio(c.fp, c.actual_negative), ratio(c.tn, c.actual_negative)
    far = _quantile(hit, miss) - _quantile(false, right)
    if is_exact(far) or isinstance(far, Number):
        return far
    # Near each other, the gap times the slope of the quantile between them, and the next odd term of the series.
    gap = ratio(determinant(c), c.actual * c.actual_negative)
    middle = _quantile((hit + false) * 0.5, (miss + right) * 0.5)
    slope = math.sqrt(2 * math.pi) * exp(middle * middle * 0.5)
    step = gap * slope
    close = step * (1 + step * step * (1 + 2 * middle * middle) * (1 / 24))
    return np.where((np.abs(step) < 1e-3) & (far == far), close, far)


def _quantile(share: Any, rest: Any) -> Any:
    """The normal quantile of a share, from the smaller of the share and its complement."""
    if is_exact(share) or isinstance(share, Number):
        return probit(share)
    upper = np.real(share) > 0.5
    found = probit(np.where(upper, rest, share))
    return np.where(upper, -found, found)
