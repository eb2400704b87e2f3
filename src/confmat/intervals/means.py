"""Intervals of means over classes of which some have few items.

The hits of such a class say little about its variance: of one item, right or wrong, none at all. So
each class takes one more item, shared out as in the other classes on average, and the variance
there is raised by as much as so few items hide of it. The mean of a curved score such as F1 is
biased, too; the interval is about the value without that bias. A class that is never predicted has
a value by convention alone, so the upper bound lets it have that of the others.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.cells import Cells
from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.asked import Asked, one_estimate
from confmat.intervals.bounds import by_effective_items
from confmat.intervals.estimates import Estimate
from confmat.intervals.gradient import slopes_of_classes
from confmat.intervals.variance import Smoothing, cells_read, four, item_weight
from confmat.metrics import catalog
from confmat.metrics.averages import macro

Array = NDArray[np.float64]
# Classes with fewer items than this are rare.
FEW_ITEMS = 10
# The part of a count that second derivatives are taken over.
_STEP = 1e-3
# The part of a standard error from which on a bias is remarked on.
_LARGE_BIAS = 0.25


def estimate_rare(
    asked: Asked, m: ConfusionMatrix, value: float, error: float, near: float, spread: float
) -> Estimate | None:
    """Return the estimate of a mean with rare classes, given the smoothed value and variance; None of other scores."""
    metric = catalog()[asked.metric.macro_of] if asked.metric.macro_of else asked.metric
    is_mean = asked.metric.macro_of is not None or (
        asked.average is macro and asked.undefined == "fair"
    )
    if not is_mean or asked.weights is not None or metric.needs == "cells":
        return None
    weight, read = item_weight(m), cells_read(m, asked.outside, None)
    # A share takes in the items of its class, or those predicted so: enough for every class, most
    # often.
    fewest = np.minimum(read.actual, read.predicted)[read.actual > 0]
    if metric.scale_free and fewest.min(initial=math.inf) >= FEW_ITEMS * weight:
        return None
    counted = _items(read, weight)
    cells = _items(cells_read(m, asked.outside, Smoothing.of(m, asked.outside)), weight)
    slopes = slopes_of_classes(metric, m, outside=asked.outside, near=Cells(*cells))
    by = np.array(slopes.by)
    moving: Any = np.nan_to_num(by).any(axis=1)
    values = np.asarray(metric.per_class(m, outside=asked.outside), dtype=np.float64)
    occurs = counted[0] + counted[2] > 0
    filled = occurs & np.isnan(values) & (counted[0] + counted[1] == 0)
    filled &= metric.when_never_predicted is not None
    used = occurs & (filled | ~np.isnan(values))
    items = cells[moving].sum(axis=0)
    known = used & (items > 0)
    if moving[3] or not known.any() or counted[moving].sum(axis=0)[used].min() >= FEW_ITEMS:
        return None
    profile = (cells[:, known] / items[known]).mean(axis=1) * moving
    one_more, more = cells + profile[:, None], items + 1
    tangents = slopes_of_classes(metric, m, outside=asked.outside, near=Cells(*one_more))
    steep = np.array(tangents.by)
    # So few items hide a part of the variance of each: all of it, if there were one and nothing had
    # been added.
    each = more / (1 - items / more**2) / np.maximum(items, 1)
    hidden = each * (one_more * steep**2).sum(axis=0) - np.where(
        known, (cells * by**2).sum(axis=0), 0.0
    )
    spread += max(float(hidden[used].sum()), 0.0) / used.sum() ** 2
    curved = each * _curvature(metric, one_more, tangents.values, moving)
    bias = float(curved[used & ~filled].sum()) / 2 / used.sum()
    typical = float(metric.formula(Cells(*profile[:, None]))[0])
    missed = float(filled.sum()) * (typical - (metric.when_never_predicted or 0.0)) / used.sum()
    ends = [value - bias, value - bias + missed]
    bounds = [
        by_effective_items(asked.metric, end, near + end - value, spread, asked.level, asked.method)
        for end in (min(ends), max(ends))
    ]
    is_large = abs(bias) >= _LARGE_BIAS * math.sqrt(spread)
    note = (
        f"about {abs(bias):.3f} too {'low' if bias < 0 else 'high'} on average, for its rare "
        "classes"
        if is_large
        else ""
    )
    name = f"{bounds[0][3]}, rare classes"
    return one_estimate(asked, value, bounds[0][0], bounds[1][1], error, bounds[0][2], name, note)


def _items(cells: Cells, weight: float) -> Array:
    return np.array(np.broadcast_arrays(*four(cells))) / weight


def _curvature(metric: Any, cells: Array, values: Array, moving: NDArray[np.bool_]) -> Array:
    """Each count times the second derivative by it, summed over the counts of a class."""
    total = np.zeros_like(values)
    for place in np.flatnonzero(moving):
        up, down = cells.copy(), cells.copy()
        up[place] *= 1 + _STEP
        down[place] *= 1 - _STEP
        bent = metric.formula(Cells(*up)) - 2 * values + metric.formula(Cells(*down))
        total += bent / (_STEP**2 * cells[place])
    return total
