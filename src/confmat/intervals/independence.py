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
from dataclasses import dataclass, replace
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
# From this many items on a series has more digits than the logarithm.
_MANY_ITEMS = 1e3
# The part of what is shared that derivatives are taken over.
_STEP = 1e-4


def estimate_association(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate:
    """Return the estimate of a score that grows with what both sides share."""
    metric = catalog()[asked.metric.population] if asked.metric.population else asked.metric
    asked = asked if asked.method in PROPORTIONS else replace(asked, method="wilson")
    table, weight = table_read(m, asked.outside, metric.sees, None), item_weight(m)
    sides = _free_sides(table)
    free, items = math.prod(sides), float(table.total) / weight
    if not free or items < _ITEMS_PER_FREE_CELL * free:
        return _refused(asked, value, items, *sides)
    by = _Association.of(metric.association or "information", table, items)
    plain = slope_if_any(replace(asked, metric=metric), m)
    known = plain or slope(by.base, m, outside=asked.outside)
    spread = variance(known, m, asked.design, outside=asked.outside)
    growth = by.growth(metric)
    error = math.sqrt(max(spread, 0.0)) * (1.0 if plain is not None else growth)
    # Between these lies the bias: that of independent sides, or that of the filled cells.
    least = by.counted - free / by.factor
    shared = sorted(max(each, 0.0) for each in (by.jackknifed(weight), least))
    scale = by.factor * (error / growth) ** 2 / (4 * by.counted) if growth and by.counted else 1.0
    scale = max(scale, 1.0) if scale < math.inf else 1.0
    bounds = [_noncentral(by.factor * each / scale + free, free, asked.level) for each in shared]
    low, high = (by.score(metric, scale * end / by.factor) for end in (bounds[0][0], bounds[1][1]))
    name = "noncentral chi-squared"
    if plain is not None and shared[1] > 0:
        first, last, rule = _far_bounds(asked, m, metric, by, shared)
        if shared[0] > by.top / 2:
            low, high, name = first, last, rule
        else:
            # In the lower half of the range both may be right.
            low, high = min(low, first), max(high, last)
    return one_estimate(asked, value, low, high, error, math.nan, f"{name}, jackknife")


def _far_bounds(
    asked: Asked, m: ConfusionMatrix, metric: Metric, by: _Association, shared: list[float]
) -> tuple[float, float, str]:
    """Bounds that hold far from independence, and the name of their rule: Wilson's about both values without bias."""
    # All functions of phi squared are taken by its root.
    scaled = metric if by.is_information else catalog()["cramer_v"]
    near = slope(scaled, m, outside=asked.outside, spread=Smoothing.of(m, asked.outside))
    steep = by.growth(scaled)
    wide = variance(near, m, asked.design, outside=asked.outside)
    free = math.prod(_free_sides(by.table))
    wide += 2 * free * (0.0 if math.isnan(steep) else steep / by.factor) ** 2
    (low, *_), (_, high, _, rule) = (
        by_effective_items(
            scaled, by.score(scaled, min(each, by.top)), near.value, wide, asked.level, asked.method
        )
        for each in shared
    )
    ends = float(low), float(high)
    if not by.is_information:
        ends = by.score(metric, by.top * ends[0] ** 2), by.score(metric, by.top * ends[1] ** 2)
    return *ends, rule


def _free_sides(table: Table) -> list[int]:
    """The classes that occur on each side, less one: their product is the number of free cells."""
    return [int(np.count_nonzero(side)) - 1 for side in (table.actual, table.predicted)]


@dataclass(frozen=True)
class _Association:
    """The dependence of both sides of a table, as information or as a mean square.

    Items times `factor` and what is shared is the test statistic of independence.
    """

    name: str
    table: Table
    counted: float
    factor: float
    top: float

    @classmethod
    def of(cls, name: str, table: Table, items: float) -> _Association:
        """Read a table with this number of items."""
        counted = float(ASSOCIATIONS[name](table))
        if name == "information":
            most = min(float(actual_entropy(table)), float(predicted_entropy(table)))
            return cls(name, table, counted, 2 * items, most)
        return cls(name, table, counted, items, min(_free_sides(table)))

    @property
    def is_information(self) -> bool:
        """Whether it is measured as information."""
        return self.name == "information"

    @property
    def base(self) -> Metric:
        """The metric that is what is shared itself."""
        return mutual_information_nats if self.is_information else phi_squared

    def jackknifed(self, weight: float) -> float:
        """The dependence, less the bias that leaving out each item shows."""
        jackknife = _jackknifed_information if self.is_information else _jackknifed_square
        return jackknife(self.table, weight)

    def score(self, metric: Metric, quantity: float) -> float:
        """The score of a table that shares so much."""
        return float(metric.formula(sharing(self.table, self.name, quantity)))

    def growth(self, metric: Metric) -> float:
        """How a score grows with what is shared."""
        if not self.counted:
            return math.nan
        more, less = (self.score(metric, self.counted * step) for step in (1 + _STEP, 1 - _STEP))
        return (more - less) / (2 * _STEP * self.counted)


def from_below(asked: Asked, m: ConfusionMatrix, drawn: float, estimate: Estimate) -> Estimate:
    """Return the estimate of clusters, or at another prevalence, where the bias of an association is not known.

    All is known of its upper bound; a lower one holds only in the upper half of the range, of
    enough that were drawn.
    """
    association = asked.metric.association
    if association is None or asked.method not in PROPORTIONS or asked.metric.population:
        return estimate
    by = _Association.of(association, table_read(m, asked.outside, asked.metric.sees, None), 1.0)
    enough = _ITEMS_PER_FREE_CELL * math.prod(_free_sides(by.table))
    if by.counted > by.top / 2 and drawn >= enough:
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
    """The noncentralities that are bounds, given a chi-squared and its degrees of freedom.

    The root of a large one is normal (Sankaran, Biometrika 46, 1959).

    >>> low, high = _noncentral(10, 1, 0.95)
    >>> round(low, 3), round(high, 3)
    (1.445, 26.237)
    """
    if statistic > _LARGE_STATISTIC:
        half = (free - 1) / 2
        ends = (math.sqrt(max(statistic - half, 0.0)) + sign * quantile(level) for sign in (-1, 1))
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
