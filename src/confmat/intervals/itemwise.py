"""The interval of a mean over items, each with a score of its own: the mean of F1 of each item's labels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.intervals.asking import Asked
from confmat.intervals.clusters import ALONE, by_clusters, further_of
from confmat.intervals.estimates import Estimate
from confmat.intervals.grouped import Groups
from confmat.intervals.settling import nothing

__all__ = ["of_mean"]

Array = NDArray[np.float64]


def of_mean(asked: Asked, values: Array, weights: Array, many: Any = None, groups: Groups | None = None) -> Estimate:
    """The estimate of a mean of values of so many items, by their weights; of one item nothing is known.

    A value may be that of `many` alike items, whose weight is then that of all of them. Items of one group go together.
    Where all items have the same score they have no variance by any formula, so one more item is spread over the two
    ends of what the score can be.
    """
    there = weights != 0
    values, shares = values[there], weights[there] / weights.sum() if there.any() else weights[there]
    many = np.ones(len(values)) if many is None else many[there]
    if many.sum() < 2:
        return nothing(asked)
    telling = int(many.sum()) if groups is None else len(np.unique(groups.codes[there]))
    if telling < 2:
        return replace(of_mean(asked, values, shares, many), note=ALONE)

    def between(around: float) -> float:
        """The variance of the mean, from the distances of the values."""
        if groups is None:
            return float(shares**2 / many @ (values - around) ** 2)
        added = np.zeros((len(there), 1))
        added[there, 0] = shares * (values - around)
        return float(groups.variances([added], 1)[0])

    near = mean = float(shares @ values)
    error, ends, (low, high) = math.sqrt(between(mean)), 0.0, asked.metric.bounds
    if low is not None and high is not None:
        # As much of an item as the others are on average, half of it at each end.
        one = float((shares**2 / many).sum())
        shares = shares / (1 + one)
        near = float(shares @ values) + (low + high) * one / 2 / (1 + one)
        ends = one**2 / 2 / (1 + one) ** 2 * ((low - near) ** 2 + (high - near) ** 2)
    further = further_of(telling, math.inf, asked.level)
    return by_clusters(asked, mean, error, near, between(near) + ends, further)
