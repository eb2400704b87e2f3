"""The sampling variance of a score from its gradient, under each design: one pass over the filled cells.

With n items drawn as they come, the variance of a score is the sum over the cells of count times squared derivative,
less what is lost because n is fixed (nothing, for a score that does not depend on n). With the actual or the
predicted totals fixed beforehand the same holds within each row or each column. Weighted items count with the square
of their weight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confmat.core.cells import Cells
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told
from confmat.intervals.gradient import ClassSlopes, Slope
from confmat.intervals.smoothing import Smoothing, cells_read, item_weight, seen_cells, smoothed
from confmat.metrics.margins import Outside

__all__ = ["Design", "check_design", "variance", "variances_of_classes"]

Array = NDArray[np.float64]
Design = Literal["multinomial", "actual", "predicted"]
_ROUNDING = 1e-13
# Cells of a table that are worked on at once.
_AT_ONCE = 2**15


def check_design(design: str, m: ConfusionMatrix) -> None:
    """Complain of a design that there is not, or that weights do not go with."""
    if not (isinstance(design, str) and design in get_args(Design)):
        msg = (
            "`design` says how the items were drawn: 'multinomial' (as they come), 'actual' or 'predicted' "
            f"(so many of each actual or predicted class); got {told(design)}"
        )
        raise InputError(msg)
    if design != "multinomial" and m.is_weighted:
        msg = (
            f"design={design!r} needs counts of items, and this matrix holds weights; "
            "count without weights, or leave the design out"
        )
        raise InputError(msg)


def _summed(places: Any, values: Array, size: int) -> Array:
    return np.bincount(places, values, size).astype(np.float64, copy=False)


def variance(slope: Slope, m: ConfusionMatrix, design: Design = "multinomial", *, outside: Outside = "wrong") -> float:
    """The variance of a score over the table that its slope was taken at."""
    size = m.n_classes + 1
    by_column = design == "predicted"
    spread, each, scale = slope.spread, 0.0, 1.0
    extra = [np.zeros(size)] * 3
    if spread is not None:
        each, scale = spread.each, spread.scale
        extra = list(_spread_sums(slope, spread, size, by_column=by_column))
    if design == "multinomial":
        more = [each * float(part.sum()) for part in extra]
        counted, squared = _moments(slope, m, outside)
        number, summed = (part + add for part, add in zip(counted, more, strict=False))
        weight = item_weight(m)
        zeroth, once, twice = (part + weight * add for part, add in zip(squared, more, strict=True))
        mean = summed / max(number, 1e-300)
        return float(scale * (twice - 2 * mean * once + mean * mean * zeroth))
    rows, cols, counts, _ = seen_cells(m, outside)
    g = slope.at(rows, cols)
    along = cols if by_column else rows
    parts = (counts, counts * g, counts * g * g)
    total, first, second = (_summed(along, part, size) + each * add for part, add in zip(parts, extra, strict=True))
    filled = total > 0
    found = float((second[filled] - first[filled] ** 2 / total[filled]).sum())
    # What is left of equal numbers is their rounding.
    return scale * found if found > _ROUNDING * float(second.sum()) else 0.0


def _moments(slope: Slope, m: ConfusionMatrix, outside: Outside) -> tuple[tuple[float, float], tuple[float, ...]]:
    """Number and sum of derivatives over the items; and number, sum and sum of squares over squared weights."""
    if not (m.is_weighted or m.is_sparse or m.labels.outside or slope.cells is not None):
        found = _moments_of_table(slope, m.counts)
        return found[:2], found
    rows, cols, counts, squares = seen_cells(m, outside)
    g = slope.at(rows, cols)
    squared = squares * g
    counted = (float(counts.sum()), float(counts @ g))
    return counted, (float(squares.sum()), float(squared.sum()), float(squared @ g))


def _moments_of_table(slope: Slope, table: NDArray[Any]) -> tuple[float, float, float]:
    """The same of a table of counts, some rows at a time, so that what is worked on stays in the cache."""
    k = len(table)
    step = max(1, _AT_ONCE // k) if k else 1
    number = once = twice = 0.0
    for start in range(0, k, step):
        counts = table[start : start + step].astype(np.float64)
        places = np.arange(len(counts))
        g = (slope.actual[start : start + len(counts)] + slope.total)[:, None] + slope.predicted[None, :k]
        g[places, start + places] += slope.hit[start : start + len(counts)]
        number += float(counts.sum())
        # A derivative without bounds where nothing is counted does no harm.
        counts = np.multiply(counts, g, out=counts, where=counts != 0)
        once += float(counts.sum())
        twice += float((counts * np.where(counts == 0, 0.0, g)).sum())
    return number, once, twice


def _spread_sums(slope: Slope, spread: Smoothing, size: int, *, by_column: bool) -> tuple[Array, Array, Array]:
    """Number, sum and sum of squares of the derivatives of the marked cells, by row or by column."""
    rows, columns = (np.append(part, np.zeros(size - len(part))) for part in (spread.rows, spread.columns))
    if slope.cells is not None:
        return _listed_sums(slope, rows, columns, by_column=by_column)
    here, there = slope.actual + slope.total, slope.predicted
    if by_column:
        rows, columns, here, there = columns, rows, there, here
    one, two = (columns * there).sum(), (columns * there * there).sum()
    hit, off = here + there + slope.hit, here + there
    number = columns.sum()
    first = rows * (number * here + one + columns * slope.hit)
    second = rows * (number * here * here + 2 * here * one + two + columns * (hit * hit - off * off))
    return rows * number, first, second


def _listed_sums(slope: Slope, rows: Array, columns: Array, *, by_column: bool) -> tuple[Array, Array, Array]:
    i, j = (part.ravel() for part in np.indices((len(rows), len(columns))))
    marked = rows[i] * columns[j] > 0
    i, j = i[marked], j[marked]
    g = slope.at(i, j)
    one, first, second = (_summed(j if by_column else i, part, len(rows)) for part in (g * 0 + 1, g, g * g))
    return one, first, second


def variances_of_classes(
    slopes: ClassSlopes, m: ConfusionMatrix, design: Design = "multinomial", *, outside: Outside = "wrong"
) -> Array:
    """The variance of a metric of each class, of all classes at once."""
    parts = [slopes.tp, slopes.fp, slopes.fn, slopes.tn]
    if design == "multinomial":
        counts = cells_read(m, outside, slopes.spread)
        squares = _squares_read(m, outside, slopes.spread) if m.is_weighted else counts
        total = np.maximum(np.asarray(counts.total), 1e-300)
        mean = _times(counts, parts) / total
        centred = [part - mean for part in parts]
        return _times(squares, [part * part for part in centred])
    return _of_strata(slopes, m, outside, by_column=design == "predicted")


def _times(cells: Cells, parts: list[Any]) -> Array:
    counts = (cells.tp, cells.fp, cells.fn, cells.tn)
    return np.asarray(sum(np.where(count == 0, 0.0, count * part) for count, part in zip(counts, parts, strict=True)))


def _squares_read(m: ConfusionMatrix, outside: Outside, spread: Smoothing | None) -> Cells:
    """tp, fp, fn and tn of the squared weights, with the squares of what was spread."""
    rows, cols, _, squares = seen_cells(m, outside)
    k = m.n_classes
    diagonal = _summed(rows[rows == cols], squares[rows == cols], k + 1)[:k]
    actual, predicted = _summed(rows, squares, k + 1)[:k], _summed(cols, squares, k + 1)[:k]
    total = squares.sum()
    if spread is not None:
        squared = replace(spread, each=spread.each * item_weight(m))
        diagonal, actual, predicted, total = smoothed(diagonal, actual, predicted, total, squared)
    return Cells.of_margins(diagonal, actual, predicted, total)


def _of_strata(slopes: ClassSlopes, m: ConfusionMatrix, outside: Outside, *, by_column: bool) -> Array:
    """With rows fixed: a class's own row varies between hit and miss, any other between false alarm and the rest."""
    rows, cols, counts, _ = seen_cells(m, outside)
    k = m.n_classes
    each, scale = (slopes.spread.each, slopes.spread.scale) if slopes.spread is not None else (0.0, 1.0)
    marks = [np.ones(k), np.ones(k)] if slopes.spread is None else [slopes.spread.rows, slopes.spread.columns]
    own, other, wrong = slopes.fn, slopes.fp, slopes.tn
    if by_column:
        rows, cols, marks, own, other = cols, rows, marks[::-1], other, own
    of_rows, of_cols = (np.append(part, 0.0) for part in marks)
    totals = _summed(rows, counts, k + 1) + each * of_rows * of_cols.sum()
    shares = np.divide(1.0, totals, out=np.zeros(k + 1), where=totals > 0)
    hits = _summed(rows[rows == cols], counts[rows == cols], k + 1) + each * of_rows * of_cols
    # x (r - x) / r over a column, with x = counted + spread: squares are expanded, so that only filled cells are met.
    first = _summed(cols, counts, k + 1) + each * of_cols * of_rows.sum()
    second = _summed(cols, counts * counts * shares[rows], k + 1)
    second += 2 * each * of_cols * _summed(cols, counts * (of_rows * shares)[rows], k + 1)
    second += each * each * of_cols * (of_rows * shares).sum()
    others = (first - second) - (hits - hits * hits * shares)
    within = (hits * (totals - hits) * shares)[:k]
    return np.asarray(scale * (within * (slopes.tp - own) ** 2 + np.maximum(others[:k], 0.0) * (other - wrong) ** 2))
