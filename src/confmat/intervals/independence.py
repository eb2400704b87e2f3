"""Intervals of information and association, which are 0 where both sides are independent and cannot fall below.

Independent sides share nothing, but a table of theirs seems to share (R - 1)(C - 1) / 2n on
average: the plain estimate is too high, and next to 0 its variance tells nothing. Where cells are
empty the bias is less than that; the jackknife, in closed form, tells how much less, and takes too
little. So bounds are about both values without bias. Next to independence, G and chi-squared are
noncentral chi-squared, which is inverted; in the upper half of its range a score has Wilson's
interval, and in between the wider of both. With fewer than three items for each free cell neither
holds, and nothing narrower than the bounds is given.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.asked import Asked, one_estimate
from confmat.intervals.bounds import PROPORTIONS, by_effective_items, quantile
from confmat.intervals.draws import slope_if_any
from confmat.intervals.estimates import Estimate
from confmat.intervals.gradient import slope
from confmat.intervals.variance import Smoothing, item_weight, table_read, variance
from confmat.metrics import Metric, catalog
from confmat.metrics.association import phi_squared
from confmat.metrics.entropies import ASSOCIATIONS, actual_entropy, predicted_entropy, sharing
from confmat.metrics.information import mutual_information_nats
from confmat.metrics.margins import Table

Array = NDArray[np.float64]
# With fewer items for each free cell of a table no interval is known that holds the truth as often
# as it says.
_ITEMS_PER_FREE_CELL = 3
# Above this statistic the normal curve of its root is as good as the noncentral distribution.
_LARGE_STATISTIC = 1e4
# From so many items on a series has more digits than the logarithm.
_MANY_ITEMS = 1e3
# The part of what is shared that derivatives are taken over.
_STEP = 1e-4


def estimate_association(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate:
    """Return the estimate of a score that grows with what both sides share."""
    metric = catalog()[asked.metric.population] if asked.metric.population else asked.metric
    asked = asked if asked.method in PROPORTIONS else replace(asked, method="wilson")
    association = metric.association or "information"
    by_information = association == "information"
    table, weight = table_read(m, asked.outside, metric.sees, None), item_weight(m)
    rows, columns = (int(np.count_nonzero(side)) - 1 for side in (table.actual, table.predicted))
    free, items = rows * columns, float(table.total) / weight
    if not free or items < _ITEMS_PER_FREE_CELL * free:
        return _refused(asked, value, items, rows, columns)
    plain = slope_if_any(replace(asked, metric=metric), m)
    base = mutual_information_nats if by_information else phi_squared
    spread = variance(
        plain or slope(base, m, outside=asked.outside), m, asked.design, outside=asked.outside
    )
    counted = float(ASSOCIATIONS[association](table))
    # Items times this and what is shared is the statistic.
    factor = (2 if by_information else 1) * items
    left = (_jackknifed_information if by_information else _jackknifed_square)(table, weight)
    # In between lies the bias: that of independent sides, or that of the filled cells.
    shared = sorted(max(each, 0.0) for each in (left, counted - free / factor))

    def at(quantity: float) -> float:
        return float(metric.formula(sharing(table, association, quantity)))

    growth = _growth(metric, table, association, counted)
    error = math.sqrt(max(spread, 0.0)) * (1.0 if plain is not None else growth)
    scale = factor * (error / growth) ** 2 / (4 * counted) if counted and growth else math.nan
    scale = max(scale, 1.0) if 0 < scale < math.inf else 1.0
    ends = [_noncentral(factor * each / scale + free, free, asked.level) for each in shared]
    top = (
        min(float(actual_entropy(table)), float(predicted_entropy(table)))
        if by_information
        else min(rows, columns)
    )
    low, high = at(scale * ends[0][0] / factor), at(scale * ends[1][1] / factor)
    name = "noncentral chi-squared"
    if plain is not None and shared[1] > 0:
        # All functions of phi squared stand on the scale of its root.
        scaled = metric if by_information else catalog()["cramer_v"]
        near = slope(scaled, m, outside=asked.outside, spread=Smoothing.of(m, asked.outside))
        steep = _growth(scaled, table, association, counted)
        wide = variance(near, m, asked.design, outside=asked.outside)
        wide += 2 * free * (0.0 if math.isnan(steep) else steep / factor) ** 2
        values = [
            float(scaled.formula(sharing(table, association, min(each, top)))) for each in shared
        ]
        farther = [
            by_effective_items(scaled, each, near.value, wide, asked.level, asked.method)
            for each in values
        ]
        first, last = (float(end) for end in (farther[0][0], farther[1][1]))
        if not by_information:
            first, last = at(top * first**2), at(top * last**2)
        # In the lower half of the range both may be right.
        is_far = shared[0] > top / 2
        low = first if is_far else min(low, first)
        high = last if is_far else max(high, last)
        name = farther[0][3] if is_far else name
    return one_estimate(asked, value, low, high, error, math.nan, f"{name}, jackknife")


def _growth(metric: Metric, table: Table, association: Any, counted: float) -> float:
    """How a score grows with what is shared."""
    if not counted:
        return math.nan
    more, less = (
        float(metric.formula(sharing(table, association, counted * (1 + way * _STEP))))
        for way in (1, -1)
    )
    return (more - less) / (2 * _STEP * counted)


def from_below(asked: Asked, m: ConfusionMatrix, drawn: float, estimate: Estimate) -> Estimate:
    """Return the estimate of clusters, or at another prevalence, where the bias of an association is not known.

    All is known of its upper bound; a lower one holds only in the upper half of the range, of
    enough that were drawn.
    """
    association = asked.metric.association
    if association is None or asked.method not in PROPORTIONS or asked.metric.population:
        return estimate
    table = table_read(m, asked.outside, asked.metric.sees, None)
    sides = [int(np.count_nonzero(side)) - 1 for side in (table.actual, table.predicted)]
    entropies = [float(entropy(table)) for entropy in (actual_entropy, predicted_entropy)]
    top = min(entropies if association == "information" else sides)
    if float(
        ASSOCIATIONS[association](table)
    ) > top / 2 and drawn >= _ITEMS_PER_FREE_CELL * math.prod(sides):
        return estimate
    note = "; ".join(
        filter(None, [estimate.note, "its bias is not known here, so it has no lower bound"])
    )
    return replace(estimate, low=min(asked.metric.bounds[0] or 0.0, estimate.value), note=note)


def _refused(asked: Asked, value: float, items: float, rows: int, columns: int) -> Estimate:
    low, high = asked.metric.bounds
    why = "one side names a single class"
    if rows and columns:
        enough = _ITEMS_PER_FREE_CELL * rows * columns
        why = f"{rows:,} x {columns:,} free cells need {enough:,} items, and here are {items:,.0f}"
    note = f"{why}, so nothing is known beyond the bounds of the score"
    if low == high:
        note = "of a single class it is the same whatever the answers are"
    return one_estimate(
        asked, value, 0.0 if low is None else low, high, math.nan, math.nan, "", note
    )


def _noncentral(statistic: float, free: int, level: float) -> tuple[float, float]:
    """The noncentralities that are bounds, given a chi-squared with so many degrees of freedom.

    The root of a large one is normal (Sankaran, Biometrika 46, 1959).

    >>> low, high = _noncentral(10, 1, 0.95)
    >>> round(low, 3), round(high, 3)
    (1.445, 26.237)
    """
    if statistic > _LARGE_STATISTIC:
        half = (free - 1) / 2
        ends = (math.sqrt(max(statistic - half, 0.0)) + way * quantile(level) for way in (-1, 1))
        low, high = (max(end, 0.0) ** 2 - half for end in ends)
        return max(low, 0.0), high
    from scipy.special import chdtr, chndtrinc

    tail = (1 - level) / 2
    low = float(chndtrinc(statistic, free, 1 - tail)) if chdtr(free, statistic) > 1 - tail else 0.0
    return low, float(chndtrinc(statistic, free, tail))


def _jackknifed_information(t: Table, weight: float) -> float:
    """Mutual information in nats, less the bias that leaving out each item shows."""

    def less(counts: Any) -> float:
        """Return half an item for each large count, and up to a whole one for single items."""
        items = np.maximum(
            np.asarray(counts, dtype=np.float64)[np.asarray(counts) > 0] / weight, 1.0
        )
        few = np.minimum(items, _MANY_ITEMS)
        with np.errstate(divide="ignore", invalid="ignore"):
            exact = few * (1 + np.where(few > 1, (few - 1) * np.log1p(-1 / few), 0.0))
        return float(
            np.where(items < _MANY_ITEMS, exact, 0.5 + 1 / (6 * items) + 1 / (12 * items**2)).sum()
        )

    bias = less(t.values) - less(t.actual) - less(t.predicted) + less(np.array([t.total]))
    return float(ASSOCIATIONS["information"](t)) - bias * weight / float(t.total)


def _jackknifed_square(t: Table, weight: float) -> float:
    """Phi squared, less the bias that leaving out each item shows."""
    filled = np.asarray(t.values) > 0
    at_row, at_column, cell = t.rows[filled], t.cols[filled], np.asarray(t.values)[filled]
    rows, columns = np.asarray(t.actual)[at_row], np.asarray(t.predicted)[at_column]
    gone = np.minimum(weight, cell)
    square = cell * cell
    of_rows = np.bincount(at_row, square / columns, t.size)[at_row] - square / columns
    of_columns = np.bincount(at_column, square / rows, t.size)[at_column] - square / rows
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.where(rows > gone, of_rows * gone / (rows * (rows - gone)), 0.0)
        change += np.where(columns > gone, of_columns * gone / (columns * (columns - gone)), 0.0)
        factor = 2 * np.log1p(-gone / cell) - np.log1p(-gone / rows) - np.log1p(-gone / columns)
    change += square / (rows * columns) * np.where(cell > gone, np.expm1(factor), -1.0)
    items, total = float(t.total) / weight, float(t.total)
    return float(ASSOCIATIONS["mean_square"](t)) - (items - 1) * float((cell / total) @ change)
