"""How many items it takes: the size of a test set for an interval of a wanted width."""

from __future__ import annotations

import math
from typing import Any

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told
from confmat.core.stack import Stack
from confmat.intervals.binomial import wilson
from confmat.intervals.estimates import Estimate
from confmat.intervals.intervals import interval

__all__ = ["items_needed"]

# Beyond it nobody labels a test set.
_MOST = 10**15


def items_needed(
    score: Any, m: ConfusionMatrix | None = None, *, width: float, level: float = 0.95, **options: Any
) -> int:
    """The number of items whose interval would be no wider than `width`, from bound to bound.

    Parameters
    ----------
    score
        The expected share itself (0.9), or a score of the matrix `m` of a first sample, as `interval` takes it.
    m
        A matrix like the ones to come; more of the same items are planned, in the same mixture of classes.
    width
        How wide the interval may be: 0.1 for plus and minus five points.
    level
        The confidence of the interval.
    **options
        As in `interval`: `of`, `average`, `design` ...

    Examples
    --------
    >>> items_needed(0.9, width=0.1)
    141
    >>> from confmat import ConfusionMatrix
    >>> items_needed("f1.macro", ConfusionMatrix([[40, 5, 5], [6, 30, 4], [2, 3, 25]]), width=0.1)
    260

    """
    if isinstance(width, bool) or not isinstance(width, (int, float)) or not 0 < width < math.inf:
        msg = f"`width` is the distance between the bounds, a number above 0; got {told(width)}"
        raise InputError(msg)
    if m is None:
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
            msg = f"without a matrix, the expected share between 0 and 1 is needed; got {told(score)}"
            raise InputError(msg)
        return _least(lambda n: _width(score, n, level), width)
    if isinstance(m, Stack):
        msg = "`items_needed` plans from one ConfusionMatrix, such as stack.sum(), not from a Stack"
        raise InputError(msg)
    found = interval(score, m, level=level, **options)
    if not isinstance(found, Estimate):
        msg = "a size is planned for one number: name a class (`of`) or an average"
        raise InputError(msg)
    if math.isnan(found.low):
        msg = f"{found.name} has no value here ({found.note}), so nothing can be planned from it"
        raise InputError(msg)
    if math.isfinite(found.n_eff):
        # Items tell as much each as they do here, whatever their number.
        each = found.n_eff / float(m.total)
        from confmat.metrics import parse_score

        low, high = parse_score(score).metric.bounds
        share, span = (found.value - low) / (high - low), high - low
        return _least(lambda n: span * _width(share, n * each, level), width)
    if found.width == 0:
        return 1
    return math.ceil(float(m.total) * (found.width / width) ** 2)


def _width(share: float, items: float, level: float) -> float:
    low, high = wilson(share, items, level)
    return float(high - low)


def _least(width_of: Any, wanted: float) -> int:
    """The least number with a width no greater than wanted; widths only shrink."""
    high = 1
    while width_of(high) > wanted:
        if high > _MOST:
            msg = f"more than {_MOST:.0e} items would be needed for a width of {wanted:g}"
            raise InputError(msg)
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if width_of(middle) > wanted else (low, middle)
    return high
