"""How a score moves with each cell of its matrix: one gradient, from the formula's own text.

Nearly every metric is a function of the hits d, the actual totals r, the predicted totals c and the total n. Its
derivative by the cell (i, j) is then hit_i (where i = j) + actual_i + predicted_j + total: 3K + 1 numbers instead of
K squared. The few metrics that read the cells themselves add a number for each cell they list.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.cells import Cells
from confmat.core.errors import MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.smoothing import Smoothing, cells_read, lists_all, margins_read, table_read
from confmat.intervals.tracing import Traced
from confmat.metrics import Average, Metric
from confmat.metrics.arithmetic import UNFOLLOWED, UntrackableError
from confmat.metrics.averages import Undefined, average_named, chosen, given_weights
from confmat.metrics.margins import Margins, Outside, Table, read_cells

__all__ = ["ClassSlopes", "NoSlopeError", "Share", "Slope", "slope", "slopes_of_classes"]

Array = NDArray[np.float64]
# A derivative to the last digit: the step is so small that its square vanishes.
_STEP = 1e-100


class NoSlopeError(MetricError):
    """A score that has no derivative."""


@dataclass(frozen=True)
class Share:
    """That a score is a plain proportion, x of n items, times a factor of 1 or -1 and plus a summand."""

    items: float
    of: float
    factor: float = 1.0
    summand: float = 0.0


@dataclass(frozen=True)
class Slope:
    """The value of a score and its derivative by every cell; the last row and column stand for what is outside."""

    value: float
    hit: Array
    actual: Array
    predicted: Array
    total: float
    # Derivatives that single cells have beside, as a table of all of them or by place.
    cells: tuple[NDArray[Any], NDArray[Any], Array] | None = None
    share: Share | None = None
    # What was spread over the table where the slope was taken.
    spread: Smoothing | None = None

    def at(self, rows: NDArray[Any], cols: NDArray[Any]) -> Array:
        """The derivative by each of some cells; by those of items outside on both sides, which no score sees, 0."""
        size = len(self.actual)
        # All labels outside the classes are one.
        rows, cols = np.minimum(rows, size - 1), np.minimum(cols, size - 1)
        found = self.actual[rows] + self.predicted[cols] + self.total
        found = found + np.where(rows == cols, self.hit[rows], 0.0)
        found = np.where((rows == cols) & (rows == size - 1), 0.0, found)
        if self.cells is None:
            return found
        places, values = self.cells[0] * size + self.cells[1], self.cells[2]
        order = np.argsort(places)
        wanted = rows * size + cols
        at = np.minimum(np.searchsorted(places, wanted, sorter=order), len(places) - 1)
        return found + np.where(places[order[at]] == wanted, values[order[at]], 0.0)


@dataclass(frozen=True)
class ClassSlopes:
    """Values of a metric per class, and the derivative of each by the four cells of its class."""

    values: Array
    tp: Array
    fp: Array
    fn: Array
    tn: Array
    # Where all of them are proportions: items and bases per class, factor and summand.
    items: Array | None = None
    of: Array | None = None
    factor: float = 1.0
    summand: float = 0.0
    spread: Smoothing | None = None

    def at(self, position: int) -> Slope:
        """The slope of one class, by the cells of the matrix."""
        share = None
        if self.items is not None and self.of is not None:
            share = Share(float(self.items[position]), float(self.of[position]), self.factor, self.summand)
        one = np.zeros(len(self.values))
        one[position] = 1.0
        by = [np.where(one, part, 0.0) for part in (self.tp, self.fp, self.fn, self.tn)]
        return _of_cells(float(self.values[position]), by, share, self.spread)


def slopes_of_classes(
    metric: Metric, m: ConfusionMatrix, *, outside: Outside = "wrong", spread: Smoothing | None = None
) -> ClassSlopes:
    """The derivatives of a metric per class, of all classes at once."""
    if metric.kind != "class" or metric.needs == "cells":
        msg = f"{metric.name} does not read the four cells of a class alone"
        raise MetricError(msg)
    cells = cells_read(m, outside, spread)
    parts = (cells.tp, cells.fp, cells.fn, cells.tn)
    try:
        inputs = tuple(map(Traced.of, parts))
        found = metric.formula(Cells(*inputs))
        if not isinstance(found, Traced):
            raise TypeError
    except UNFOLLOWED:
        return _of_classes_by_steps(metric, parts, spread)
    tp, fp, fn, tn = found.slopes(inputs, np.ones(found.shape))
    return ClassSlopes(found.value, tp, fp, fn, tn, **_shares_of_classes(found, inputs), spread=spread)


def slope(
    metric: Metric,
    m: Any,
    *,
    of: Any = None,
    average: str | Average | None = None,
    undefined: Undefined = "fair",
    weights: Any = None,
    outside: Outside = "wrong",
    spread: Smoothing | None = None,
    near: Cells | None = None,
) -> Slope:
    """The value of a score, asked for as a metric is called, and its derivative by every cell.

    The classes that a mean runs over and what it fills in are those of the counted table, whatever is spread on it.
    Of a mean over the classes of plain cells, `near` are the cells with what was spread on them.
    """
    if metric.kind == "matrix":
        return _of_whole(metric, m, outside, spread)
    if of is not None:
        position = m.labels.index(of)
        if metric.needs == "cells":
            return _of_table(lambda t: metric.formula(t)[position], metric, m, outside, spread)
        return slopes_of_classes(metric, m, outside=outside, spread=spread).at(position)
    how = average_named(average or ("macro" if weights is None else "weighted"))
    mean = _mean(metric, m, how, undefined, weights, outside)
    if metric.needs == "cells":
        k = m.n_classes
        return _of_table(lambda t: mean(metric.formula(t)[:k], _cells_of_classes(t, k)), metric, m, outside, spread)
    cells = cells_read(m, outside, spread) if near is None else near
    return _of_margins(lambda c: mean(metric.formula(c), c), metric, cells, spread, how)


def _mean(metric: Metric, m: Any, how: Average, undefined: Undefined, weights: Any, outside: Outside) -> Any:
    """The mean as a function of values and cells, over the classes that the counted table says."""
    if how.pooled:
        return None
    metric._refuse(how, undefined, weights)
    observed = read_cells(m, outside)
    values = np.asarray(metric.per_class(m, outside=outside), dtype=np.float64)
    given = None
    if weights is not None:
        given = given_weights(m, weights, len(values), exact=False)
    choice = chosen(values, observed, how, undefined, metric.when_never_predicted, given)
    out, filled = np.asarray(choice.weights) == 0, np.asarray(choice.filled)
    fixed = np.where(filled, np.asarray(choice.values, dtype=np.float64), 1.0)
    place = int(np.argmin(np.where(out, np.inf, values if how.name == "min" else -values))) if len(values) else 0

    def mean(found: Any, cells: Cells) -> Any:
        if how.name in {"min", "max"}:
            # The class that holds the extreme is the counted table's.
            return found[place] if not filled[place] else found[place] * 0.0 + fixed[place]
        if filled.any() or out.any():
            found = np.where(filled | out, fixed, found)
        if how.weigh is None or given is not None:
            return how.formula(found, np.asarray(choice.weights, dtype=np.float64))
        return how.formula(found, np.where(out, 0.0, how.weigh(cells)))

    return mean


# --- by what a formula reads --------------------------------------------------------------------------------------


def _of_margins(
    formula: Callable[[Cells], Any], metric: Metric, cells: Cells, spread: Smoothing | None, how: Average
) -> Slope:
    def pooled(c: Cells) -> Any:
        return metric.formula(Cells(*(part.sum(axis=-1).reshape(1) for part in (c.tp, c.fp, c.fn, c.tn))))[0]

    asked = pooled if how.pooled else formula
    parts = (cells.tp, cells.fp, cells.fn, cells.tn)
    value, slopes, share = _derived(metric, lambda inputs: asked(Cells(*inputs)), parts, _cell_forms)
    return _of_cells(value, slopes, share, spread)


def _of_whole(metric: Metric, m: ConfusionMatrix, outside: Outside, spread: Smoothing | None) -> Slope:
    if metric.needs == "cells":
        return _of_table(metric.formula, metric, m, outside, spread)
    read = margins_read(m, outside, metric.sees, spread)
    parts = (read.diagonal, read.actual, read.predicted, read.total)

    def formula(inputs: tuple[Any, ...]) -> Any:
        diagonal, actual, predicted, total = inputs
        return metric.formula(Margins(diagonal, actual, predicted, total, read.n_classes, read.labels))

    value, slopes, share = _derived(metric, formula, parts, _margin_forms)
    room = m.n_classes + 1 - len(slopes[0])
    hit, actual, predicted = (np.pad(part, (0, room)) for part in slopes[:3])
    return Slope(value, hit, actual, predicted, float(slopes[3]), share=share, spread=spread)


def _of_table(
    formula: Callable[[Table], Any], metric: Metric, m: ConfusionMatrix, outside: Outside, spread: Smoothing | None
) -> Slope:
    read = table_read(m, outside, metric.sees, spread)
    parts = (read.diagonal, read.actual, read.predicted, read.total, read.values)

    def of(inputs: tuple[Any, ...]) -> Any:
        diagonal, actual, predicted, total, values = inputs
        rows, cols = read.rows, read.cols
        return formula(Table(diagonal, actual, predicted, total, read.n_classes, read.labels, rows, cols, values))

    value, slopes, _ = _derived(metric, of, parts, None)
    room = m.n_classes + 1 - len(slopes[0])
    hit, actual, predicted = (np.pad(part, (0, room)) for part in slopes[:3])
    # Of a table so large that only its filled cells are listed, nothing was spread.
    spread = spread if lists_all(read, m.n_classes) else None
    return Slope(value, hit, actual, predicted, float(slopes[3]), (read.rows, read.cols, slopes[4]), spread=spread)


def _cells_of_classes(t: Table, k: int) -> Cells:
    return Cells.of_margins(t.diagonal[:k], t.actual[:k], t.predicted[:k], t.total)


def _of_cells(value: float, by: Any, share: Share | None, spread: Smoothing | None) -> Slope:
    tp, fp, fn, tn = (np.append(part, 0.0) for part in by)
    return Slope(value, tp - fp - fn + tn, fn - tn, fp - tn, float(tn.sum()), share=share, spread=spread)


# --- derivatives --------------------------------------------------------------------------------------------------


def _derived(
    metric: Metric, formula: Callable[[tuple[Any, ...]], Any], parts: tuple[Array, ...], forms: Any
) -> tuple[float, list[Array], Share | None]:
    """Value and derivatives of a number: in one walk back, or by complex steps where that cannot follow."""
    inputs = tuple(map(Traced.of, parts))
    try:
        found = formula(inputs)
    except UNFOLLOWED:
        if not metric.smooth:
            # A complex step over a kink, or over what takes real parts, would be silently wrong.
            msg = f"{metric.name} has no derivative that could be followed"
            raise NoSlopeError(msg) from None
        return _by_steps(formula, parts)
    if not isinstance(found, Traced):
        # A number that depends on nothing counted.
        return float(np.real(found)), [np.zeros(part.shape) for part in parts], None
    share = None if forms is None else _share(found, inputs, forms)
    return float(found.value), found.slopes(inputs), share


@contextmanager
def _complex_steps() -> Iterator[None]:
    """Where a formula takes no complex numbers, or only their real parts, there is no derivative to be had."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        try:
            yield
        except (*UNFOLLOWED, ArithmeticError, np.exceptions.ComplexWarning) as error:
            raise NoSlopeError(_UNFOLLOWED) from error


def _by_steps(
    formula: Callable[[tuple[Any, ...]], Any], parts: tuple[Array, ...]
) -> tuple[float, list[Array], Share | None]:
    slopes = [np.zeros(part.shape) for part in parts]
    with _complex_steps():
        value = float(np.real(formula(tuple(part[()] for part in parts))))
        for place, part in enumerate(parts):
            for index in np.ndindex(part.shape):
                # A number taken out of an array can be set no more.
                moved = [np.array(each, dtype=np.complex128) for each in parts]
                moved[place][index] += 1j * _STEP
                slopes[place][index] = float(np.imag(formula(tuple(each[()] for each in moved)))) / _STEP
        _check_steps(lambda near: np.asarray(formula(tuple(part[()] for part in near))), parts, slopes)
    return value, slopes, None


def _of_classes_by_steps(metric: Metric, parts: tuple[Array, ...], spread: Smoothing | None) -> ClassSlopes:
    """Each class depends on its own cells alone, so one step serves all of them."""
    slopes = []
    with _complex_steps():
        values = np.asarray(np.real(metric.formula(Cells(*parts))), dtype=np.float64)
        for place in range(4):
            moved = [part.astype(np.complex128) for part in parts]
            moved[place] = moved[place] + 1j * _STEP
            slopes.append(np.asarray(np.imag(metric.formula(Cells(*moved))), dtype=np.float64) / _STEP)
        _check_steps(lambda near: np.asarray(metric.formula(Cells(*near))), parts, slopes)
    tp, fp, fn, tn = slopes
    return ClassSlopes(values, tp, fp, fn, tn, spread=spread)


_UNFOLLOWED = "its formula has no derivative that could be followed"


def _check_steps(formula: Callable[[list[Array]], Array], parts: tuple[Array, ...], slopes: list[Array]) -> None:
    """What a complex step says must be what small differences say: `np.abs` and the like have another derivative."""
    rng = np.random.default_rng(0)
    steps = [part * rng.uniform(-1, 1, part.shape) for part in parts]
    each = [step * slope for step, slope in zip(steps, slopes, strict=True)]
    alone = slopes[0].ndim > 0 and formula(list(parts)).shape == slopes[0].shape
    told = sum(each) if alone else sum(float(part.sum()) for part in each)
    size = sum(map(abs, each)) if alone else sum(float(abs(part).sum()) for part in each)
    after, before = (formula([part + way * step for part, step in zip(parts, steps, strict=True)]) for way in _WAYS)
    off = np.abs((after - before) / (_WAYS[0] - _WAYS[1]) - told)
    if np.any(off > 1e-3 * size + 1e-6 * np.abs(after)):
        raise UntrackableError


# How far small differences go, as a share of what is there.
_WAYS = (1e-4, -1e-4)


# --- plain proportions --------------------------------------------------------------------------------------------


def _share(found: Traced, inputs: tuple[Traced, ...], forms: Any) -> Share | None:
    """The score as a share of items, if its formula divides a count of items by a count that contains it."""
    if found.quotient is None:
        return None
    top, bottom, factor, summand = found.quotient
    if not (top.linear and bottom.linear and np.ndim(factor) == np.ndim(summand) == 0 and abs(factor) == 1):
        return None
    over, under = forms(top.slopes(inputs)), forms(bottom.slopes(inputs))
    times = max(under, default=0.0) if under else 0.0
    # Micro F1 counts every item twice, above and below.
    if not over or not times or not {each / times for each in (*over, *under)} <= {0.0, 1.0}:
        return None
    if any(a > b for a, b in zip(over, under, strict=True)):
        return None
    return Share(float(top.value) / times, float(bottom.value) / times, float(factor), float(summand))


def _shares_of_classes(found: Traced, inputs: tuple[Traced, ...]) -> dict[str, Any]:
    if found.quotient is None:
        return {}
    top, bottom, factor, summand = found.quotient
    if not (top.linear and bottom.linear and np.ndim(factor) == np.ndim(summand) == 0 and abs(factor) == 1):
        return {}
    over, under = (side.slopes(inputs, np.ones(side.shape)) for side in (top, bottom))
    if not (_are_bits(over) and _are_bits(under) and all(np.all(a <= b) for a, b in zip(over, under, strict=True))):
        return {}
    return {"items": top.value, "of": bottom.value, "factor": float(factor), "summand": float(summand)}


def _are_bits(parts: Any) -> bool:
    return all(bool(np.isin(part, (0.0, 1.0)).all()) for part in parts)


def _cell_forms(by: list[Array]) -> tuple[float, ...] | None:
    """How often a hit and another cell are counted in a sum over the cells of all classes, if all are alike."""
    tp, fp, fn, tn = by
    if not len(tp) or any(len(np.unique(part)) > 1 for part in by):
        return None
    return _margin_forms([tp - fp - fn + tn, fn - tn, fp - tn, tn.sum()])


def _margin_forms(by: list[Array]) -> tuple[float, ...] | None:
    """How often a hit and another cell are counted, if all hits are alike and all others."""
    hit, actual, predicted, total = by
    if not len(hit) or any(len(np.unique(part)) > 1 for part in (hit, actual, predicted)):
        return None
    other = float(actual[0] + predicted[0] + total)
    return float(hit[0]) + other, other
