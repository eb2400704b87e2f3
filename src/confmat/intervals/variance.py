"""Variances of scores, and the tables behind them: as counted, or with a little mass spread over the cells.

A table without errors has no variance by any formula, and would be given an interval of no width.
One item, spread evenly over all cells whose class occurs in the truth and whose class is predicted
somewhere, is enough to see that an error was possible; then everything is scaled back to the total
there was. Empty rows and columns stay empty, so that the classes a mean runs over, and what it
fills in, are those of the counted table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confmat.core.cells import Cells
from confmat.core.counts import Counts
from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told
from confmat.core.samples import Sample, holds_weights
from confmat.metrics.margins import (
    Margins,
    Outside,
    Table,
    View,
    read_cells,
    read_margins,
    read_table,
)

Array = NDArray[np.float64]
# Classes of a score of single cells whose answers are swapped for each other.
_MOST_SWAPPED = 1024
# A variance that is rounding.
ROUNDING_VARIANCE = 1e-24


@dataclass(frozen=True, eq=False)
class Smoothing:
    """Mass on each cell whose row and whose column is marked, by these marks, and the factor that keeps the total."""

    each: float
    rows: Array
    columns: Array
    scale: float

    @classmethod
    def of(
        cls, m: ConfusionMatrix, outside: Outside = "wrong", *, everywhere: bool = False
    ) -> Smoothing:
        """One item spread over the cells; it weighs what the counted ones weigh on average.

        With `everywhere`, over empty rows and columns too. There is one of a matrix, which others
        can know it by.
        """
        key = ("smoothing", outside, everywhere)
        if key not in m._readings:
            m._readings[key] = cls._of(m, outside, everywhere)
        found: Smoothing = m._readings[key]
        return found

    @classmethod
    def _of(cls, m: ConfusionMatrix, outside: Outside, everywhere: bool) -> Smoothing:
        margins = read_margins(m, outside, "classes")
        sides = [np.asarray(part)[: m.n_classes] for part in (margins.actual, margins.predicted)]
        rows, columns = [((side > 0) | everywhere).astype(np.float64) for side in sides]
        if isinstance(m, Sample):
            rows, columns = m.units.marks(rows, columns)
        cells, total = rows.sum() * columns.sum(), float(np.asarray(margins.total))
        mass = item_weight(m)
        if not (cells and total and mass):
            return cls(0.0, rows, columns, 1.0)
        return cls(mass / cells, rows, columns, total / (total + mass))

    def marks(self, size: int) -> NDArray[np.float64]:
        """The marked rows and columns of a table with `size` of each."""
        marks = np.zeros((2, size))
        marks[:, : len(self.rows)] = self.rows, self.columns
        return marks


@dataclass(frozen=True)
class Share:
    """A score that is a plain proportion, x of n items."""

    items: Any
    of: Any


@dataclass(frozen=True)
class Slope:
    """The value of a score and its derivative by every cell; the last row and column represent what is outside."""

    value: float
    hit: Array
    actual: Array
    predicted: Array
    total: float
    # Derivatives that single cells have beside, as a table of all of them or by place.
    cells: tuple[NDArray[Any], NDArray[Any], Array] | None = None
    # The mass that was spread over the table where the slope was taken.
    spread: Smoothing | None = None
    # The mean over classes, with the classes and the fills of the counted table.
    mean: Callable[..., Any] | None = None

    @classmethod
    def of_margins(cls, value: float, slopes: list[Array], classes: int, **rest: Any) -> Slope:
        """From the slopes by the hits, by the totals of rows and columns, and by the total."""
        hit, actual, predicted = padded = np.zeros((3, classes + 1))
        padded[:, : len(slopes[0])] = slopes[:3]
        return cls(value, hit, actual, predicted, float(slopes[3]), **rest)

    @property
    def is_still(self) -> bool:
        """Whether no single item moves the score."""
        sides = (
            self.hit,
            self.actual,
            self.predicted,
            *(self.cells[2:] if self.cells is not None else ()),
        )
        return not (self.total or any(np.any(side) for side in sides))

    def at(self, rows: NDArray[Any], cols: NDArray[Any]) -> Array:
        """The derivative by each of some cells; by those of items outside on both sides, which no score sees, 0."""
        size = len(self.actual)
        # All labels outside the classes are one.
        rows, cols = np.minimum(rows, size - 1), np.minimum(cols, size - 1)
        slopes = self.actual[rows] + self.predicted[cols] + self.total
        slopes = slopes + np.where(rows == cols, self.hit[rows], 0.0)
        slopes = np.where((rows == cols) & (rows == size - 1), 0.0, slopes)
        if self.cells is None:
            return slopes
        places, values = self.cells[0] * size + self.cells[1], self.cells[2]
        order = np.argsort(places)
        wanted = rows * size + cols
        at = np.minimum(np.searchsorted(places, wanted, sorter=order), len(places) - 1)
        return slopes + np.where(places[order[at]] == wanted, values[order[at]], 0.0)

    def swaps(self, named: Array) -> Array:
        """Return for each class the mean square of what an item adds if right and not wrong, by the answers named."""
        size = len(named)
        if self.cells is not None and size <= _MOST_SWAPPED:
            places = np.arange(size)
            gaps = self.at(places, places)[:, None] - self.at(
                *np.indices((size, size)).reshape(2, -1)
            ).reshape(size, size)
            squares = np.asarray(gaps**2 @ named)
        else:
            here, there = (self.predicted + self.hit)[:size], self.predicted[:size]
            middle = float(named @ there) / max(float(named.sum()), 1.0)
            here, there = here - middle, there - middle
            once, twice = (named @ there**power - named * there**power for power in (1, 2))
            squares = here**2 * (named.sum() - named) - 2 * here * once + twice
        others = named.sum() - named
        return np.divide(np.maximum(squares, 0.0), others, out=np.zeros(size), where=others > 0)


@dataclass(frozen=True)
class ClassSlopes:
    """Values of a metric per class, and the derivative of each by tp, fp, fn and tn of its class."""

    values: Array
    by: Sequence[Array] | Array
    spread: Smoothing | None = None

    def at(self, position: int) -> Slope:
        """The slope of one class, by the cells of the matrix."""
        chosen = np.zeros(len(self.values))
        chosen[position] = 1.0
        by = [np.where(chosen, part, 0.0) for part in self.by]
        return slope_of_cells(float(self.values[position]), by, self.spread)


def four(cells: Cells) -> tuple[Any, Any, Any, Any]:
    """Return tp, fp, fn and tn."""
    return cells.tp, cells.fp, cells.fn, cells.tn


def slope_of_cells(
    value: float, by: Any, spread: Smoothing | None, mean: Callable[..., Any] | None = None
) -> Slope:
    """Return the slope by the cells of the matrix, from the slopes by the four cells of each class."""
    tp, fp, fn, tn = padded = np.zeros((4, len(by[0]) + 1))
    padded[:, :-1] = by
    return Slope(
        value, tp - fp - fn + tn, fn - tn, fp - tn, float(tn.sum()), spread=spread, mean=mean
    )


def squares_known(m: ConfusionMatrix) -> bool:
    """Whether the squares of its weights were kept, and floats could hold them."""
    return m._squares is not None and (m._squares.total > 0 or not m.total)


def item_weight(m: ConfusionMatrix) -> float:
    """Return the weight of an item: 1, or the sum of squared weights over the sum of weights."""
    if m._squares is None or not squares_known(m) or not m.total:
        return 1.0
    return float(m._squares.total) / float(m.total)


# Totals of weights whose powers floats hold easily.
_SMALLEST, _LARGEST = 1e-25, 1e25


def levelled(m: ConfusionMatrix, *, scale_free: bool) -> ConfusionMatrix:
    """The matrix, its weights brought near 1 by a power of two if floats would not hold their products."""
    if not (m.is_weighted and scale_free and m.total) or _SMALLEST < m.total < _LARGEST:
        return m
    power = -math.frexp(m.total)[1]
    squares = m._squares if m._squares is not None and squares_known(m) else m._counts
    counts, squares = scaled(m._counts, power), scaled(squares, 2 * power)
    return ConfusionMatrix._of(m.labels, counts, squares, 0)


def scaled(counts: Counts, power: int) -> Counts:
    """The same counts times a power of two."""
    rows, cols, values = counts.cells()
    scaled = np.ldexp(np.asarray(values, dtype=np.float64), power)
    return Counts.of_cells(counts.size, rows, cols, scaled, sparse=counts.is_sparse, in_order=True)


def margins_read(
    m: ConfusionMatrix, outside: Outside, view: View, spread: Smoothing | None
) -> Margins:
    """Hits, totals of rows and columns, and the total."""
    margins = read_margins(m, outside, view)
    diagonal, actual, predicted, total = _floats(margins, spread)
    return Margins(
        diagonal, actual, predicted, np.float64(total), float(m.n_classes), margins.labels
    )


def cells_read(m: ConfusionMatrix, outside: Outside, spread: Smoothing | None) -> Cells:
    """tp, fp, fn and tn of every class."""
    if spread is None:
        return read_cells(m, outside).astype(np.float64)
    margins = margins_read(m, outside, "classes", spread)
    return Cells.of_margins(margins.diagonal, margins.actual, margins.predicted, margins.total)


def table_read(m: ConfusionMatrix, outside: Outside, view: View, spread: Smoothing | None) -> Table:
    """The margins and the cells; a table whose filled cells alone are listed stays as it is."""
    table = read_table(m, outside, view)
    spread = spread if lists_all(table, m.n_classes) else None
    diagonal, actual, predicted, total = _floats(table, spread)
    values, rows, cols = np.asarray(table.values, dtype=np.float64), table.rows, table.cols
    if spread is not None:
        marked_rows, marked_cols = spread.marks(table.size)
        values = (values + spread.each * marked_rows[rows] * marked_cols[cols]) * spread.scale
    return Table(
        diagonal,
        actual,
        predicted,
        np.float64(total),
        float(m.n_classes),
        table.labels,
        rows,
        cols,
        values,
    )


def lists_all(table: Table, k: int) -> bool:
    """Whether every cell of a class by a class is listed, filled or not."""
    return int(np.count_nonzero((table.rows < k) & (table.cols < k))) == k * k


def seen_cells(
    m: ConfusionMatrix, outside: Outside
) -> tuple[NDArray[np.intp], NDArray[np.intp], Array, Array]:
    """Rows, columns, counts and sums of squared weights of the filled cells; all outside labels are one more class."""
    rows, cols, counts = m._counts.cells()
    squares = squares_beside(m, rows, cols, counts)
    rows, cols, counts, squares = joined_outside(m.labels, outside, rows, cols, counts, squares)
    weighed = np.asarray(counts, dtype=np.float64)
    squared = weighed if squares is counts else np.asarray(squares, dtype=np.float64)
    return rows.astype(np.intp, copy=False), cols.astype(np.intp, copy=False), weighed, squared


def joined_outside(labels: Labels, outside: Outside, rows: Any, cols: Any, *numbers: Any) -> Any:
    """The same cells with all outside labels as one more class, and without those that the score leaves out."""
    k = labels.n_classes
    if not labels.outside:
        return rows, cols, *numbers
    kept = (rows < k) & (cols < k) if outside == "exclude" else (rows < k) | (cols < k)
    return tuple(part[kept] for part in (np.minimum(rows, k), np.minimum(cols, k), *numbers))


def squares_beside(m: ConfusionMatrix, rows: Any, cols: Any, counts: Any) -> Any:
    """The squared weights of the filled cells; of weights so small that a square vanishes, nothing."""
    if m._squares is None or not squares_known(m):
        return counts
    squared = m._squares.cells()
    if len(squared[2]) == len(counts):
        return squared[2]
    squares_here = np.zeros(len(counts))
    size = len(m.labels)
    squares_here[np.searchsorted(rows * size + cols, squared[0] * size + squared[1])] = squared[2]
    return squares_here


def _floats(margins: Margins, spread: Smoothing | None) -> tuple[Any, ...]:
    sums = (margins.diagonal, margins.actual, margins.predicted, margins.total)
    parts = tuple(np.asarray(part, dtype=np.float64) for part in sums)
    return parts if spread is None else _smoothed(parts, spread)


def _smoothed(parts: tuple[Any, ...], spread: Smoothing) -> tuple[Any, ...]:
    """Hits, margins and total with the mass that is spread over the cells, scaled back to the total."""
    rows, columns = spread.marks(len(parts[0]))
    more = (rows * columns, rows * columns.sum(), columns * rows.sum(), rows.sum() * columns.sum())
    return tuple(
        (part + spread.each * extra) * spread.scale for part, extra in zip(parts, more, strict=True)
    )


Design = Literal["multinomial", "actual", "predicted"]
_DESIGNS = get_args(Design)
_ROUNDING = 1e-13
# Cells of a table that are worked on at once.
_AT_ONCE = 2**15


def check_design(design: str, m: ConfusionMatrix) -> None:
    """Complain of a design that there is not, or that weights do not go with."""
    if not (isinstance(design, str) and design in _DESIGNS):
        msg = (
            "`design` says how the items were drawn: 'multinomial' (as they come), 'actual' or "
            "'predicted' "
            f"(a fixed number of each actual or predicted class); got {told(design)}"
        )
        raise InputError(msg)
    if design != "multinomial" and holds_weights(m):
        msg = (
            f"design={design!r} needs counts of items, and this matrix holds weights; "
            "count without weights, or leave the design out"
        )
        raise InputError(msg)


def _summed(places: Any, values: Array, size: int) -> Array:
    return np.bincount(places, values, size).astype(np.float64, copy=False)


def variance(
    slope: Slope, m: ConfusionMatrix, design: Design = "multinomial", *, outside: Outside = "wrong"
) -> float:
    """The variance of a score over the table that its slope was taken at."""
    m = m.known if isinstance(m, Sample) else m
    if isinstance(m, Sample):
        by, spread = seen_by(slope, m, outside), slope.spread
        drawn = m.covariance(by, by)
        if spread is None:
            return drawn
        # Derivatives are those from the mean of a score that no number of items moves.
        return spread.scale * (
            drawn + m.one_more(by, *map(np.flatnonzero, (spread.rows, spread.columns)))
        )
    size = m.n_classes + 1
    by_column = design == "predicted"
    spread, each, scale = slope.spread, 0.0, 1.0
    extra = np.zeros((3, size))
    if spread is not None:
        each, scale = spread.each, spread.scale
        extra = np.array(_spread_sums(slope, spread, size, by_column=by_column))
    if design == "multinomial":
        more = each * extra.sum(axis=1)
        counted, squared = _moments(slope, m, outside)
        number, summed = counted + more[:2]
        zeroth, once, twice = squared + item_weight(m) * more
        mean = summed / max(number, 1e-300)
        return float(scale * (twice - 2 * mean * once + mean * mean * zeroth))
    rows, cols, counts, _ = seen_cells(m, outside)
    g = slope.at(rows, cols)
    along = cols if by_column else rows
    parts = (counts, counts * g, counts * g * g)
    total, first, second = (
        _summed(along, part, size) + each * add for part, add in zip(parts, extra, strict=True)
    )
    filled = total > 0
    between = float((second[filled] - first[filled] ** 2 / total[filled]).sum())
    # The rest of equal numbers is their rounding.
    return scale * between if between > _ROUNDING * float(second.sum()) else 0.0


def seen_by(slope: Slope, m: ConfusionMatrix, outside: Outside) -> Callable[[Array, Array], Array]:
    """Return a slope as a function of cells; by those that a score leaves out, it is 0."""
    k = m.n_classes

    def at(rows: Array, cols: Array) -> Array:
        found = slope.at(rows, cols)
        return (
            np.where((rows < k) & (cols < k), found, 0.0)
            if outside == "exclude" and m.labels.outside
            else found
        )

    return at


def _moments(slope: Slope, m: ConfusionMatrix, outside: Outside) -> tuple[Array, Array]:
    """Number and sum of derivatives over the items; and number, sum and sum of squares over squared weights."""
    if not (holds_weights(m) or m.is_sparse or m.labels.outside or slope.cells is not None):
        moments = np.array(_moments_of_table(slope, m.counts))
        return moments[:2], moments
    rows, cols, counts, squares = seen_cells(m, outside)
    g = slope.at(rows, cols)
    squared = squares * g
    return np.array([counts.sum(), counts @ g]), np.array(
        [squares.sum(), squared.sum(), squared @ g]
    )


def _moments_of_table(slope: Slope, table: NDArray[Any]) -> tuple[float, float, float]:
    """The same of a table of counts, some rows at a time, so that what is worked on stays in the cache."""
    k = len(table)
    step = max(1, _AT_ONCE // k) if k else 1
    number = once = twice = 0.0
    here, there, hit = slope.actual[:k] + slope.total, slope.predicted[:k], slope.hit[:k]
    # A derivative without bounds does no harm where nothing is counted.
    is_finite = bool(
        np.isfinite(here).all() and np.isfinite(there).all() and np.isfinite(hit).all()
    )
    for start in range(0, k, step):
        counts = table[start : start + step].astype(np.float64)
        places = np.arange(len(counts))
        g = here[start : start + step, None] + there
        g[places, start + places] += hit[start : start + step]
        if not is_finite:
            g = np.where(counts == 0, 0.0, g)
        number += float(counts.sum())
        counts *= g
        once += float(counts.sum())
        counts *= g
        twice += float(counts.sum())
    return number, once, twice


def _spread_sums(
    slope: Slope, spread: Smoothing, size: int, *, by_column: bool
) -> tuple[Array, Array, Array]:
    """Number, sum and sum of squares of the derivatives of the marked cells, by row or by column."""
    rows, columns = spread.marks(size)
    if slope.cells is not None:
        i, j = np.nonzero(np.outer(rows, columns))
        g, along = slope.at(i, j), j if by_column else i
        return _summed(along, g * 0 + 1, size), _summed(along, g, size), _summed(along, g * g, size)
    here, there = slope.actual + slope.total, slope.predicted
    if by_column:
        rows, columns, here, there = columns, rows, there, here
    # Around the middle of both, so that derivatives which cancel leave nothing of their squares.
    number = columns.sum()
    middle = (columns * there).sum() / max(number, 1.0)
    here, there = here + middle, there - middle
    hit, off = here + there + slope.hit, here + there
    first = rows * (number * here + columns * slope.hit)
    second = rows * (
        number * here * here + (columns * there * there).sum() + columns * (hit * hit - off * off)
    )
    return rows * number, first, second


def variances_of_classes(
    slopes: ClassSlopes,
    m: ConfusionMatrix,
    design: Design = "multinomial",
    *,
    outside: Outside = "wrong",
) -> Array:
    """The variance of a metric of each class, of all classes at once."""
    if design == "multinomial":
        counts = cells_read(m, outside, slopes.spread)
        squares = _squares_read(m, outside, slopes.spread) if holds_weights(m) else counts
        total = np.maximum(np.asarray(counts.total), 1e-300)
        mean = _times(counts, slopes.by) / total
        centered = [part - mean for part in slopes.by]
        return _times(squares, [part * part for part in centered])
    return _of_strata(slopes, m, outside, by_column=design == "predicted")


def _times(cells: Cells, parts: Sequence[Any] | Array) -> Array:
    pairs = zip(four(cells), parts, strict=True)
    return np.asarray(sum(np.where(count == 0, 0.0, count * part) for count, part in pairs))


def _squares_read(m: ConfusionMatrix, outside: Outside, spread: Smoothing | None) -> Cells:
    """tp, fp, fn and tn of the squared weights, with the squares of what was spread."""
    rows, cols, _, squares = seen_cells(m, outside)
    k = m.n_classes
    diagonal = _summed(rows[rows == cols], squares[rows == cols], k + 1)[:k]
    actual, predicted = _summed(rows, squares, k + 1)[:k], _summed(cols, squares, k + 1)[:k]
    parts: tuple[Any, ...] = (diagonal, actual, predicted, squares.sum())
    if spread is not None:
        parts = _smoothed(parts, replace(spread, each=spread.each * item_weight(m)))
    return Cells.of_margins(*parts)


def _of_strata(
    slopes: ClassSlopes, m: ConfusionMatrix, outside: Outside, *, by_column: bool
) -> Array:
    """With rows fixed: a class's own row varies between hit and miss, any other between false alarm and the rest."""
    rows, cols, counts, _ = seen_cells(m, outside)
    k = m.n_classes
    each, scale = (
        (slopes.spread.each, slopes.spread.scale) if slopes.spread is not None else (0.0, 1.0)
    )
    marks = (
        [np.ones(k), np.ones(k)]
        if slopes.spread is None
        else [slopes.spread.rows, slopes.spread.columns]
    )
    hit, other, own, wrong = slopes.by
    if by_column:
        rows, cols, marks, own, other = cols, rows, marks[::-1], other, own
    of_rows, of_cols = (np.append(part, 0.0) for part in marks)
    totals = _summed(rows, counts, k + 1) + each * of_rows * of_cols.sum()
    shares = np.divide(1.0, totals, out=np.zeros(k + 1), where=totals > 0)
    hits = _summed(rows[rows == cols], counts[rows == cols], k + 1) + each * of_rows * of_cols
    # x (r - x) / r over a column, with x = counted + spread: squares are expanded, so that only
    # filled cells are met.
    first = _summed(cols, counts, k + 1) + each * of_cols * of_rows.sum()
    second = _summed(cols, counts * counts * shares[rows], k + 1)
    second += 2 * each * of_cols * _summed(cols, counts * (of_rows * shares)[rows], k + 1)
    second += each * each * of_cols * (of_rows * shares).sum()
    others = (first - second) - (hits - hits * hits * shares)
    within = (hits * (totals - hits) * shares)[:k]
    return np.asarray(
        scale * (within * (hit - own) ** 2 + np.maximum(others[:k], 0.0) * (other - wrong) ** 2)
    )
