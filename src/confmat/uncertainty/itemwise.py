"""The interval of a mean over items, each with a score of its own: the mean of F1 of each item's labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.uncertainty.asking import Asked
from confmat.uncertainty.clusters import by_clusters, further_of
from confmat.uncertainty.estimates import Estimate
from confmat.uncertainty.settling import nothing

__all__ = ["of_mean"]

Array = NDArray[np.float64]


def of_mean(asked: Asked, values: Array, weights: Array, many: Any = None) -> Estimate:
    """The estimate of a mean of values of so many items, by their weights; of one item nothing is known.

    A value may be that of `many` alike items, whose weight is then that of all of them. Where all items have the same
    score they have no variance by any formula, so one more item is spread over the two ends of what the score can be.
    """
    there = weights != 0
    values, shares = values[there], weights[there] / weights.sum() if there.any() else weights[there]
    many = np.ones(len(values)) if many is None else many[there]
    if many.sum() < 2:
        return nothing(asked)
    mean = float(shares @ values)
    squares, (low, high) = shares**2 / many, asked.metric.bounds
    error = math.sqrt(float(squares @ (values - mean) ** 2))
    if low is not None and high is not None:
        # As much of an item as the others are on average, half of it at each end.
        one = float(squares.sum())
        values = np.append(values, [low, high])
        shares = np.append(shares, [one / 2, one / 2]) / (1 + one)
        squares = np.append(squares, [one**2 / 2, one**2 / 2]) / (1 + one) ** 2
    near = float(shares @ values)
    further = further_of(int(many.sum()), math.inf, asked.level)
    return by_clusters(asked, mean, error, near, float(squares @ (values - near) ** 2), further)
