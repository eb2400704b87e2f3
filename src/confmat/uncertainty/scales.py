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

from confmat.errors import InputError
from confmat.metrics import Metric
from confmat.uncertainty.binomial import clopper_pearson, jeffreys, quantile, wilson

__all__ = ["PROPORTIONS", "by_effective_items", "by_fisher", "by_normal"]

Array = NDArray[np.float64]
Bounds = tuple[Array, Array]
Proportion = Callable[[Any, Any, float], Bounds]

# Of a proportion: the name of the interval, and the interval.
PROPORTIONS: dict[str, tuple[str, Proportion]] = {
    "wilson": ("Wilson", wilson),
    "exact": ("Clopper-Pearson", clopper_pearson),
    "jeffreys": ("Jeffreys", jeffreys),
}


def by_effective_items(
    metric: Metric, value: Any, near: Any, variance: Any, level: float, method: str
) -> tuple[Array, Array, Array, str]:
    """Bounds, effective items and the name of the method; `near` and `variance` are those of the smoothed table."""
    value, near, variance = (np.asarray(part, dtype=np.float64) for part in (value, near, variance))
    low, high = metric.bounds
    if low is None or high is None:
        return (*_without_end(value, near, variance, level, low), np.full(value.shape, np.nan), _name_without_end(low))
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
    return first, last, items, f"{name} at the effective number of items"


def _without_end(value: Array, near: Array, variance: Array, level: float, low: float | None) -> Bounds:
    z = quantile(level)
    if low != 0:
        half = z * np.sqrt(variance)
        return value - half, value + half
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.exp(z * np.sqrt(variance) / near)
    return value / reach, np.where(value > 0, value, near) * reach


def _name_without_end(low: float | None) -> str:
    return "normal on the log scale" if low == 0 else "normal"


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
