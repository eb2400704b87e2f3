"""How many items it takes: the size of a test set for an interval of a wanted width."""

from __future__ import annotations

import math
from typing import Any

from confmat._options import told
from confmat.errors import InputError
from confmat.matrix import ConfusionMatrix
from confmat.metrics import parse_score
from confmat.stack import Stack
from confmat.uncertainty.binomial import wilson
from confmat.uncertainty.estimates import Estimate
from confmat.uncertainty.intervals import interval

__all__ = ["items_needed"]

# Beyond it nobody labels a test set.
_MOST = 10**15


def items_needed(
    m: ConfusionMatrix | float, score: Any = None, *, width: float, level: float = 0.95, **options: Any
) -> int:
    """Return the number of items whose interval would be no wider than `width`, from bound to bound.

    Parameters
    ----------
    m
        A matrix like the ones to come: more of the same items are planned, in the same mixture of classes. Without
        one, the expected share itself, such as 0.9.
    score
        A score of the matrix, as `interval` takes it.
    width
        How wide the interval may be: 0.1 for plus and minus five points.
    level
        The confidence of the interval.
    **options
        As in `interval`: `of`, `average`, `design` ...

    Returns
    -------
    int
        How many items are needed.

    Examples
    --------
    >>> items_needed(0.9, width=0.1)
    141
    >>> from confmat import ConfusionMatrix
    >>> items_needed(ConfusionMatrix([[40, 5, 5], [6, 30, 4], [2, 3, 25]]), "f1.macro", width=0.1)
    260

    """
    if isinstance(score, (ConfusionMatrix, Stack)):
        msg = "`items_needed` takes the matrix first: items_needed(m, 'f1.macro', width=0.1)"
        raise InputError(msg)
    if isinstance(width, bool) or not isinstance(width, (int, float)) or not 0 < width < math.inf:
        msg = f"`width` is the distance between the bounds, a number above 0; got {told(width)}"
        raise InputError(msg)
    if isinstance(m, Stack):
        msg = "`items_needed` plans from one ConfusionMatrix, such as stack.sum(), not from a Stack"
        raise InputError(msg)
    if not isinstance(m, ConfusionMatrix):
        return _for_share(m, score, width, level)
    if score is None:
        msg = "say which score of the matrix is planned for: items_needed(m, 'f1.macro', width=0.1)"
        raise InputError(msg)
    estimate = interval(m, score, level=level, **options)
    if not isinstance(estimate, Estimate):
        msg = "a size is planned for one number: name a class (`of`) or an average"
        raise InputError(msg)
    if math.isnan(estimate.low):
        msg = f"{estimate.name} has no value here ({estimate.note}), so nothing can be planned from it"
        raise InputError(msg)
    if math.isfinite(estimate.n_eff):
        # An item tells as much as it does here, whatever their number.
        each = estimate.n_eff / float(m.total)
        low, high = parse_score(score).metric.bounds
        share, span = (estimate.value - low) / (high - low), high - low
        return _least(lambda n: span * _width(share, n * each, level), width)
    if estimate.width == 0:
        return 1
    return math.ceil(float(m.total) * (estimate.width / width) ** 2)


def _for_share(share: Any, score: Any, width: float, level: float) -> int:
    if score is not None or isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
        msg = (
            "`items_needed` plans from a ConfusionMatrix and a score, items_needed(m, 'f1.macro', width=0.1), or from "
            f"the expected share between 0 and 1, items_needed(0.9, width=0.1); got {told(share)}"
        )
        raise InputError(msg)
    return _least(lambda n: _width(share, n, level), width)


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
