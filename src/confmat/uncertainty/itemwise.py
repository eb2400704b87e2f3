"""The interval of a mean over items, each with a score of its own: the mean of F1 of each item's labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from confmat.metrics import Metric
from confmat.uncertainty.scales import by_effective_items

__all__ = ["bounds_of_mean"]

Array = NDArray[np.float64]


def bounds_of_mean(metric: Metric, values: Array, weights: Array, level: float) -> tuple[float, float]:
    """Wilson's interval at the effective number of items; of one item nothing is known.

    Where all items have the same score they have no variance by any formula, so one more item is spread over the two
    ends of what the score can be.
    """
    there = weights != 0
    values, shares = values[there], weights[there] / weights.sum() if there.any() else weights[there]
    if len(values) < 2:
        return float("nan"), float("nan")
    mean = float(shares @ values)
    squares, (low, high) = shares**2, metric.bounds
    if low is not None and high is not None:
        # As much of an item as the others are on average, half of it at each end.
        one = float(squares.sum())
        values = np.append(values, [low, high])
        shares = np.append(shares, [one / 2, one / 2]) / (1 + one)
        squares = np.append(squares, [one**2 / 2, one**2 / 2]) / (1 + one) ** 2
    near = float(shares @ values)
    first, last, _, _ = by_effective_items(metric, mean, near, squares @ (values - near) ** 2, level, "wilson")
    return float(first), float(last)
