"""Intervals of a proportion, for any number of them at once, and for an effective number of items too.

Wilson (1927), recommended by Brown, Cai and DasGupta, "Interval Estimation for a Binomial
Proportion", Statistical Science 16 (2001); Clopper and Pearson (1934); Agresti and Coull, The
American Statistician 52 (1998).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, Message
from confmat.core.options import told
from confmat.metrics import Metric

Array = NDArray[np.float64]
# The part of a score up to which it may be rounding.
_ROUNDING = 1e-12


def check_level(level: Any) -> None:
    """Complain of a confidence that is no share."""
    if (
        isinstance(level, bool)
        or not isinstance(level, (int, float, np.floating))
        or not 0 < level < 1
    ):
        msg = Message("{level} is between 0 and 1, such as 0.95; got {}", told(level))
        raise InputError(msg)


def ends_of(metric: Metric) -> tuple[float, float]:
    """Return the least and the greatest value of a score, infinite where it has no end."""
    least, most = metric.bounds
    return -np.inf if least is None else float(least), np.inf if most is None else float(most)


@lru_cache(maxsize=64)
def quantile(level: float) -> float:
    """The normal quantile that leaves (1 - level) / 2 above it.

    >>> round(quantile(0.95), 6)
    1.959964
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + level / 2)


def student_quantile(share: float, free: float) -> float:
    """The value below which so large a share of Student's distribution lies, with `free` degrees of freedom.

    >>> round(student_quantile(0.975, 9), 4)
    2.2622
    """
    from scipy.special import stdtrit

    return float(stdtrit(free, share))


def wilson(share: Any, items: Any, level: float = 0.95) -> tuple[Array, Array]:
    """Wilson's score interval of a share of n items, where n need not be whole.

    >>> low, high = wilson(0.9, 50)
    >>> round(float(low), 4), round(float(high), 4)
    (0.7864, 0.9565)
    """
    p, n = np.asarray(share, dtype=np.float64), np.asarray(items, dtype=np.float64)
    square = quantile(level) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = square / n
        centre = (p + tail / 2) / (1 + tail)
        half = np.sqrt(np.maximum(p * (1 - p) * tail + tail * tail / 4, 0.0)) / (1 + tail)
        # Nothing is known of no items, and no share is known where it is NaN.
        low, high = np.where(n > 0, centre - half, 0 * p), np.where(n > 0, centre + half, 1 + 0 * p)
    # At the ends the bound is the end itself, whatever rounding says.
    low = np.where(p <= 0, 0.0, np.minimum(np.maximum(low, 0.0), 1.0))
    return low, np.where(p >= 1, 1.0, np.minimum(np.maximum(high, 0.0), 1.0))


def clopper_pearson(share: Any, items: Any, level: float = 0.95) -> tuple[Array, Array]:
    """The exact interval: never less sure than it says, and wider for it.

    >>> low, high = clopper_pearson(0.9, 50)
    >>> round(float(low), 4), round(float(high), 4)
    (0.7819, 0.9667)
    """
    from scipy.special import betaincinv

    p, n = np.asarray(share, dtype=np.float64), np.asarray(items, dtype=np.float64)
    hits, misses, tail = p * n, (1 - p) * n, (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = betaincinv(np.maximum(hits, 1e-300), misses + 1, tail)
        high = betaincinv(hits + 1, np.maximum(misses, 1e-300), 1 - tail)
    low, high = np.where(p <= 0, 0.0, low), np.where(p >= 1, 1.0, high)
    low, high = np.where(n > 0, low, 0.0), np.where(n > 0, high, 1.0)
    return np.where(np.isnan(p), np.nan, low), np.where(np.isnan(p), np.nan, high)


Bounds = tuple[Array, Array]
Proportion = Callable[[Any, Any, float], Bounds]

# Intervals of a proportion, each with its name in results.
PROPORTIONS: dict[str, tuple[str, Proportion]] = {
    "wilson": ("Wilson", wilson),
    "score": ("Wilson", wilson),
    "exact": ("Clopper-Pearson", clopper_pearson),
}


def by_items(share: Any, items: Any, level: float, method: str) -> tuple[Array, Array, str]:
    """Bounds of a share of counted items, and the name of their method.

    By "wilson" they are the modified ones of Brown, Cai and DasGupta: next to 0 and 1 Wilson's
    bound on that side lies too far inside, and a Poisson bound takes its place: with one or two
    hits or misses among ten items or more, with three among more than fifty. "score" leaves it.

    >>> low, high, name = by_items(0.98, 50, 0.95, "wilson")
    >>> round(float(low), 4), round(float(high), 4), name
    (0.895, 0.999, 'modified Wilson')
    """
    name, proportion = PROPORTIONS[method]
    low, high = proportion(share, items, level)
    p, n = np.asarray(share, dtype=np.float64), np.asarray(items, dtype=np.float64)
    hits = np.rint([p * n, (1 - p) * n])
    near = (hits >= 1) & (hits <= 2 + (n > 50)) & (n >= 10)
    if method != "wilson" or not near.any():
        return low, high, name
    from scipy.special import gammaincinv

    inside = gammaincinv(np.where(near, hits, 1.0), 1 - level) / np.maximum(n, 1)
    return (
        np.where(near[0], inside[0], low),
        np.where(near[1], 1 - inside[1], high),
        f"modified {name}",
    )


def by_effective_items(
    metric: Metric, value: Any, near: Any, variance: Any, level: float, method: str
) -> tuple[Array, Array, Array, str]:
    """Bounds, effective items and the name of the method; `near` and `variance` are those of the smoothed table."""
    value, near, variance = [np.asarray(part, dtype=np.float64) for part in (value, near, variance)]
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
    first, last = proportion(
        np.clip((value - low) / span, 0.0, 1.0), np.where(still, 1.0, items), level
    )
    first, last = (
        np.where(still, value, low + span * first),
        np.where(still, value, low + span * last),
    )
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
    first, last = (
        _by_logarithm(value - low, near - low, half) if low is not None else (value, value)
    )
    if high is not None:
        ends = _by_logarithm(high - value, high - near, half)
        first, last = high - ends[1], high - ends[0]
    elif low is not None:
        first, last = low + first, low + last
    return (first, last), "normal on the log scale"


def _by_logarithm(value: Array, near: Array, half: Array) -> Bounds:
    near = np.where(near > 0, near, value)
    # A distance that is rounding alone, beside that of the spread table, is none.
    value = np.where(value < _ROUNDING * np.minimum(near, 1.0), 0.0, value)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        reach = np.exp(np.where(half > 0, half / near, 0.0))
        # At infinity the table with an item spread over it tells how far down it reaches.
        first = np.where(value > 0, np.where(np.isinf(value), near, value) / reach, 0 * value)
        return first, np.where(value <= 0, near, value) * reach


def by_normal(metric: Metric, value: Any, error: Any, level: float) -> Bounds:
    """The value and a multiple of its standard error to each side, as far as the score can go.

    A score with one end is taken by the logarithm of its distance from it, as by Woolf (1955) for
    odds and by Simel, Samsa and Matchar (1991) for likelihood ratios.
    """
    low, high = metric.bounds
    value, error = np.asarray(value, dtype=np.float64), np.asarray(error, dtype=np.float64)
    if (low is None) != (high is None):
        return _without_end(value, value, error * error, level, low, high)[0]
    half = quantile(level) * error
    return np.clip(value - half, low, None), np.clip(value + half, None, high)
