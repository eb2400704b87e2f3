"""Intervals that hold at every look and under every rule of stopping, for shares of counted items.

A share has all p that a beta-binomial mixture around p does not speak against more than its error
allows (Robbins 1970; Lindon and Malek 2022): exact, by Ville's inequality, and a function of the
counts alone. A difference of shares of the same items has Tango's interval, with the quantile of a
normal mixture in place of 1.96 (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Annals of
Statistics 52, 2024), which holds for many items. Both are narrowest near the number of items that is given.
"""

from __future__ import annotations

import math
from typing import Any

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.samples import Sample, holds_weights
from confmat.intervals.asked import Asked, nothing, one_estimate
from confmat.intervals.bounds import wilson
from confmat.intervals.estimates import Estimate
from confmat.intervals.gradient import share_of
from confmat.intervals.single import carried_over

_HALVINGS = 50


def refused(score: str, why: str = "it is no such share") -> InputError:
    """Return the error of a score for which no interval holds at every look, with the reason."""
    shares = "shares of counted items, such as accuracy or recall[Cat]"
    return InputError(f"looks at any time are for {shares}, not for {score} here: {why}")


def _unfit(asked: Asked, m: Any) -> str:
    """The reason why no interval of this score holds at every look; nothing where the score alone decides."""
    if isinstance(m, Sample) or not isinstance(m, ConfusionMatrix):
        return "clusters or strata were drawn, and not items one by one"
    if holds_weights(m):
        return "items have weights"
    if asked.per_class:
        return "it has a value for every class; name one"
    if asked.design != "multinomial":
        return f"the design {asked.design!r} fixes how many items are drawn of each class"
    return (
        "" if asked.at_prevalence is None else "it is of another prevalence than that of the items"
    )


def _boost(alpha: float) -> float:
    return 2 * math.log(1 / alpha) + math.log(1 + 2 * math.log(1 / alpha))


def reach(items: float, at: float, level: float) -> float:
    """Return the factor that replaces 1.96 after `items`, so that all looks together err as rarely as the level says.

    >>> round(reach(1000, 1000, 0.95), 3)
    3.035
    """
    r = items * _boost(1 - level) / at
    return math.sqrt((1 + 1 / r) * 2 * math.log(math.sqrt(1 + r) / (1 - level)))


def share_ends(hits: float, misses: float, at: float, level: float) -> tuple[float, float]:
    """Return the least and the greatest share that these hits and misses do not contradict.

    >>> [round(end, 3) for end in share_ends(850, 150, 1000, 0.95)]
    [0.814, 0.882]
    """
    weight = max(1.0, at / _boost(1 - level))
    return _least(hits, misses, weight, level), 1 - _least(misses, hits, weight, level)


def _least(hits: float, misses: float, weight: float, level: float) -> float:
    """The least share that a mixture around it, as sure as the given number of items, does not contradict."""

    def holds(p: float) -> bool:
        a, b = weight * p, weight * (1 - p)
        speaks = _log_beta(a + hits, b + misses) - _log_beta(a, b)
        return speaks - hits * math.log(p) - misses * math.log1p(-p) < -math.log(1 - level)

    if not hits:
        return 0.0
    inside, outside = min(hits / (hits + misses), 1 - 1e-9), 0.0
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return outside


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def equal_p(first: float, second: float) -> float:
    """Return a p-value, valid at every look, of models that are right equally often, by the items one alone has right.

    >>> round(equal_p(6, 30), 5)
    0.00122
    """
    log_e = (
        _log_beta(first + 0.5, second + 0.5) - _log_beta(0.5, 0.5) + (first + second) * math.log(2)
    )
    return min(1.0, math.exp(-log_e))


def estimate_anytime(asked: Asked, m: Any, at: float) -> Estimate:
    """Return the estimate of a share, or of a function of one, such as the F1 of a class."""
    if why := _unfit(asked, m):
        raise refused(asked.name, why)
    value = float(asked.metric(m, **asked.keywords))
    found: Estimate | None = carried_over(
        asked, m, value, lambda other: estimate_anytime(other, m, at)
    )
    if found is not None:
        return found
    if math.isnan(value):
        return nothing(asked)
    share = share_of(
        asked.metric, m, value, of=asked.of, average=asked.average, outside=asked.outside
    )
    if share is None:
        raise refused(asked.name)
    hits, items = float(share.items), float(share.of)
    low, high = share_ends(hits, items - hits, at, asked.level)
    usual = wilson(hits / items, items, asked.level)
    price = f"{(high - low) / float(usual[1] - usual[0]):.2f} times as wide as for a single look"
    error = math.sqrt(hits * (items - hits) / items) / items
    return one_estimate(
        asked, value, low, high, error, items, f"any time, narrowest near {at:,} items", price
    )
