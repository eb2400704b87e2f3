"""From a variance to an interval: on which scale a score is nearly normal, and how far it reaches there.

A score between two bounds is taken as a share of the way from one to the other, and gets the interval of a proportion
with as many items as would have its variance. On a plain proportion this is its own interval; on everything else it
is the rule of survey statistics for complex samples (Korn and Graubard 1998; Kott and others on Wilson's interval).
A score from zero upwards is taken on the logarithmic scale, and one without bounds as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.intervals.binomial import agresti_coull, clopper_pearson, jeffreys, mid_p, quantile, wilson
from confmat.metrics import Metric

__all__ = ["PROPORTIONS", "by_effective_items", "by_fisher", "by_mean_of_two", "by_normal"]

Array = NDArray[np.float64]
Bounds = tuple[Array, Array]
Proportion = Callable[[Any, Any, float], Bounds]

# Of a proportion: the name of the interval, and the interval.
PROPORTIONS: dict[str, tuple[str, Proportion]] = {
    "wilson": ("Wilson", wilson),
    "exact": ("Clopper-Pearson", clopper_pearson),
    "jeffreys": ("Jeffreys", jeffreys),
    "agresti-coull": ("Agresti-Coull", agresti_coull),
    "mid-p": ("mid-p", mid_p),
}


def by_effective_items(
    metric: Metric, value: Any, near: Any, variance: Any, level: float, method: str
) -> tuple[Array, Array, Array, str]:
    """Bounds, effective items and the name of the method; `near` and `variance` are those of the smoothed table."""
    value, near, variance = (np.asarray(part, dtype=np.float64) for part in (value, near, variance))
    low, high = metric.bounds
    if low is None or high is None:
        ends, name = _without_end(value, near, variance, level, low, high)
        return (*ends, np.full(value.shape, np.nan), name)
    name, proportion = PROPORTIONS[method]
    span = high - low
    share = np.clip((near - low) / span, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        items = np.where(variance > 0, share * (1 - share) * span * span / variance, np.inf)
    items = np.where(np.isnan(variance), np.nan, items)
    # No variance in a table that could have had an error: the score does not move at all.
    still = np.isinf(items)
    first, last = proportion(np.clip((value - low) / span, 0.0, 1.0), np.where(still, 1.0, items), level)
    first, last = np.where(still, value, low + span * first), np.where(still, value, low + span * last)
    # So close to an end that floats see the end itself.
    half, at_end = quantile(level) * np.sqrt(variance), items == 0
    first, last = np.where(at_end, value - half, first), np.where(at_end, value + half, last)
    return first, last, np.where(at_end, np.nan, items), f"{name} at the effective number of items"


def _without_end(
    value: Array, near: Array, variance: Array, level: float, low: float | None, high: float | None
) -> tuple[Bounds, str]:
    """A score with one bound is taken on the logarithmic scale of its distance from it, one without as it is."""
    half = quantile(level) * np.sqrt(variance)
    if low is None and high is None:
        return (value - half, value + half), "normal"
    first, last = _by_logarithm(value - low, near - low, half) if low is not None else (value, value)
    if high is not None:
        ends = _by_logarithm(high - value, high - near, half)
        first, last = high - ends[1], high - ends[0]
    elif low is not None:
        first, last = low + first, low + last
    return (first, last), "normal on the log scale"


def _by_logarithm(value: Array, near: Array, half: Array) -> Bounds:
    near = np.where(near > 0, near, value)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        reach = np.exp(np.where(half > 0, half / near, 0.0))
        # At infinity the table with an item spread over it tells how far down it reaches.
        first = np.where(value > 0, np.where(np.isinf(value), near, value) / reach, 0.0)
        return first, np.where(value > 0, value, near) * reach


def by_mean_of_two(shares: Array, items: Array, level: float, method: str) -> tuple[float, float, str]:
    """Bounds of the mean of two independent proportions, from the distance of each to its own bounds.

    MOVER, of Donner and Zou, "Closed-form confidence intervals for functions of the normal mean and standard
    deviation", Statistical Methods in Medical Research 21 (2012). Where one of the two has few items it holds the truth
    more often than any rule that sees only the variance of their mean; of many classes it does so less often.
    """
    name, proportion = PROPORTIONS[method]
    low, high = proportion(shares, items, level)
    mean = float(shares.mean())
    below, above = (float(np.sqrt((part**2).sum())) / len(shares) for part in (shares - low, high - shares))
    return max(mean - below, 0.0), min(mean + above, 1.0), f"{name} of both classes (MOVER)"


def by_normal(metric: Metric, value: Any, error: Any, level: float) -> Bounds:
    """The value and a multiple of its standard error to each side, as far as the score can go."""
    half = quantile(level) * np.asarray(error)
    low, high = metric.bounds
    return (
        np.clip(np.asarray(value) - half, low, None) if low is not None else np.asarray(value) - half,
        np.clip(np.asarray(value) + half, None, high) if high is not None else np.asarray(value) + half,
    )


def by_fisher(metric: Metric, value: Any, near: Any, variance: Any, level: float) -> Bounds:
    """On Fisher's scale, artanh, for scores between -1 and 1; with the score's own standard error there.

    The 1 / sqrt(n - 3) that calculators use belongs to correlations of normal variables, not to counts.
    """
    if metric.bounds != (-1, 1):
        msg = f"method='fisher' is for scores between -1 and 1, such as mcc; {metric.name} has {metric.bounds}"
        raise InputError(msg)
    near = np.clip(np.asarray(near, dtype=np.float64), -1 + 1e-15, 1 - 1e-15)
    half = quantile(level) * np.sqrt(variance) / (1 - near * near)
    centre = np.arctanh(np.where(np.abs(value) < 1, value, near))
    low, high = np.tanh(centre - half), np.tanh(centre + half)
    return np.minimum(low, value), np.maximum(high, value)
