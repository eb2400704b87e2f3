"""Numbers that remember how they were made, so that one walk back gives the derivative of a formula.

They run the formula's own text, once, and then each step hands the derivative of the result on to
its inputs. A formula of K numbers costs a few times itself, however large K is. A step that they
cannot follow raises UntrackableError; `gradient` then takes complex steps instead.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import le, mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import place_spelt
from confmat.core.cells import Cells
from confmat.core.errors import MetricError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.variance import (
    ClassSlopes,
    Share,
    Slope,
    Smoothing,
    cells_read,
    four,
    lists_all,
    margins_read,
    slope_of_cells,
    table_read,
)
from confmat.metrics import Average, Metric
from confmat.metrics.arithmetic import (
    UNFOLLOWED,
    Number,
    UntrackableError,
    exp,
    log,
    probit,
    ratio,
    sqrt0,
    xlogx,
)
from confmat.metrics.averages import Undefined, average_named, chosen, given_weights
from confmat.metrics.margins import Margins, Outside, Table, read_cells, read_margins

Array = NDArray[np.float64]
Pull = Callable[[Array], Array]
_ONE = np.ones(())
# Which of two numbers is picked.
_IS_FIRST = {"largest": np.greater_equal, "smallest": np.less_equal}


class Traced(Number):
    """A value, and the values it was made from, each with the way back: from a derivative here to one there."""

    __slots__ = ("parents", "value")

    dtype = np.dtype(np.float64)

    def __init__(self, value: Any, parents: tuple[tuple[Traced, Pull], ...] = ()) -> None:
        self.value: Array = np.asarray(value, dtype=np.float64)
        self.parents = parents

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """Axes of the values."""
        return self.value.ndim

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.value.size

    def __len__(self) -> int:
        return len(self.value)

    # --- sums and products ------------------------------------------------------------------------

    def _joined(self, other: Any, sign: int) -> Traced:
        if not isinstance(other, Traced):
            return Traced(self.value + sign * _constant(other), (_back(self),))
        return Traced(self.value + sign * other.value, (_back(self), _back(other, sign)))

    def __add__(self, other: Any) -> Traced:
        return self._joined(other, 1)

    def __sub__(self, other: Any) -> Traced:
        return self._joined(other, -1)

    def __rsub__(self, other: Any) -> Traced:
        return (-self)._joined(other, 1)

    __radd__ = __add__

    def __neg__(self) -> Traced:
        return self * -1.0

    def __mul__(self, other: Any) -> Traced:
        if not isinstance(other, Traced):
            other = _constant(other)
            return Traced(self.value * other, (_back(self, other),))
        return Traced(
            self.value * other.value, (_back(self, other.value), _back(other, self.value))
        )

    __rmul__ = __mul__

    def sum(self, axis: Any = None, **_: Any) -> Traced:
        """Sum over an axis."""

        def pull(slope: Array) -> Array:
            return np.zeros(self.value.shape) + (
                slope if axis is None else np.expand_dims(slope, axis)
            )

        return Traced(self.value.sum(axis=axis), ((self, pull),))

    def _grouped(self, places: Any, size: int, join: Any) -> Traced:
        """Sums, or maxima, of the values that fall on each of `size` places."""
        joined = np.zeros(size)
        join.at(joined, places, self.value)
        if join is np.add:
            return Traced(joined, ((self, lambda slope: slope[places]),))
        # The first of equal numbers holds the maximum, as with `argmax`.
        holds = np.flatnonzero(self.value == joined[places])
        _, first = np.unique(np.asarray(places)[holds], return_index=True)
        chosen = np.zeros(self.size)
        chosen[holds[first]] = 1.0
        return Traced(joined, ((self, lambda slope: slope[places] * chosen),))

    # --- parts and shapes -------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Traced:
        def pull(slope: Array) -> Array:
            back = np.zeros(self.shape)
            np.add.at(back, key, slope)
            return back

        return Traced(self.value[key], ((self, pull),))

    def reshape(self, *shape: Any) -> Traced:
        """The same numbers in another shape."""
        return Traced(
            self.value.reshape(*shape), ((self, lambda slope: slope.reshape(self.shape)),)
        )

    # --- the helpers of formulas ------------------------------------------------------------------

    def _ratio(self, top: Any, bottom: Any) -> Traced:
        over, under = _read(top), _read(bottom)
        value = ratio(over.value, under.value)
        parents = []
        each = ratio(_ONE, under.value)
        if over is top:
            parents.append(_back(over, each))
        if under is bottom:
            parents.append(_back(under, -(value * each)))
        return Traced(value, tuple(parents))

    def _apply(self, name: str, *others: Any) -> Traced:
        value = self.value
        if name in _IS_FIRST:
            other = _read(others[0])
            return _picked(_IS_FIRST[name](value, other.value), self, other)
        (base,) = others or (None,)
        scale = 1.0 if base is None else 1.0 / np.log(base)
        if name == "sqrt0":
            result = sqrt0(value)
            # At 0 the root has no derivative; zero is what the other side of the edge says.
            slope = np.where(result > 0, 0.5 / np.where(result > 0, result, 1.0), 0.0)
        elif name == "log":
            result = log(value, base)
            slope = np.where(value > 0, scale / np.where(value > 0, value, 1.0), np.nan)
        elif name == "xlogx":
            result = xlogx(value, base)
            slope = np.where(value > 0, log(np.where(value > 0, value, 1.0), base) + scale, 0.0)
        elif name == "exp":
            result = slope = exp(value)
        elif name == "absolute":
            result, slope = np.abs(value), np.where(value < 0, -1.0, 1.0)
        elif name == "probit":
            result = np.asarray(probit(value), dtype=np.float64)
            slope = np.sqrt(2 * np.pi) * np.exp(result * result / 2)
        else:
            raise UntrackableError(name)
        return Traced(result, (_back(self, slope),))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.where and len(args) == 3:
            return _picked(np.asarray(args[0]), _read(args[1]), _read(args[2]))
        if function in {np.shape, np.ndim, np.size, np.real, np.isnan}:
            return function(self.value)
        if function is np.iscomplexobj:
            return False
        if function is np.cumsum:
            sums = np.cumsum(self.value, axis=-1)
            return Traced(
                sums, ((self, lambda slope: np.cumsum(slope[..., ::-1], axis=-1)[..., ::-1]),)
            )
        if function in {np.concatenate, np.stack}:
            return _joined(function, args[0], kwargs.get("axis", args[1] if len(args) > 1 else 0))
        raise UntrackableError(function)

    def __getattr__(self, name: str) -> Any:
        raise UntrackableError(name)

    # --- facts of the observed table, which a derivative does not change --------------------------

    def __eq__(self, other: object) -> Any:
        return self.value == _plain(other)

    def __ne__(self, other: object) -> Any:
        return self.value != _plain(other)

    def __lt__(self, other: Any) -> Any:
        return self.value < _plain(other)

    def __le__(self, other: Any) -> Any:
        return self.value <= _plain(other)

    def __gt__(self, other: Any) -> Any:
        return self.value > _plain(other)

    def __ge__(self, other: Any) -> Any:
        return self.value >= _plain(other)

    __hash__ = None  # type: ignore[assignment]

    # --- the way back -----------------------------------------------------------------------------

    def slopes(self, inputs: tuple[Traced, ...], seed: Any = 1.0) -> list[Array]:
        """Derivatives of the value, weighted by `seed` and added up, with respect to each of the inputs."""
        slopes = {id(self): np.zeros(self.value.shape) + seed}
        for step in _latest_first(self):
            slope = slopes.get(id(step))
            if slope is None:
                continue
            for parent, pull in step.parents:
                handed = pull(slope)
                known = slopes.get(id(parent))
                slopes[id(parent)] = handed if known is None else known + handed
        return [
            np.array(slopes[id(leaf)]) if id(leaf) in slopes else np.zeros(leaf.value.shape)
            for leaf in inputs
        ]


def _latest_first(last: Traced) -> list[Traced]:
    """Every step that led to the last one, each before those it was made from."""
    order: list[Traced] = []
    seen: set[int] = set()
    waiting: list[tuple[Traced, bool]] = [(last, False)]
    while waiting:
        step, done = waiting.pop()
        if done:
            order.append(step)
        elif id(step) not in seen:
            seen.add(id(step))
            waiting.append((step, True))
            for parent, _ in step.parents:
                waiting.append((parent, False))
    return order[::-1]


def _read(value: Any) -> Traced:
    return value if isinstance(value, Traced) else Traced(_constant(value))


def _constant(value: Any) -> Any:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UntrackableError from error


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Traced) else value


def _back(parent: Traced, factor: Any = 1.0) -> tuple[Traced, Pull]:
    """The way back through a product with a factor, summed over axes along which the parent was repeated."""

    def pull(slope: Array) -> Array:
        # A slope of 0 hands on 0, even through an infinite factor.
        handed = np.where(slope == 0, 0.0, slope * factor)
        if handed.shape == parent.value.shape:
            return handed
        extra = handed.ndim - parent.value.ndim
        if extra:
            handed = handed.sum(axis=tuple(range(extra)))
        stretched = tuple(
            axis
            for axis, size in enumerate(parent.value.shape)
            if size == 1 and handed.shape[axis] != 1
        )
        return handed.sum(axis=stretched, keepdims=True) if stretched else handed

    return parent, pull


def _picked(which: Any, first: Traced, second: Traced) -> Traced:
    parents = (_back(first, np.where(which, 1.0, 0.0)), _back(second, np.where(which, 0.0, 1.0)))
    return Traced(np.where(which, first.value, second.value), parents)


def _joined(function: Any, parts: Any, axis: int) -> Traced:
    """Parts one after the other, or beside each other along a new axis."""
    each = [_read(part) for part in parts]
    # The entries are numbered 0, 1, 2 ...; the numbers of a part lead back to it.
    ends = np.cumsum([0, *(part.size for part in each)])
    places = function(
        [
            np.arange(start, start + part.size).reshape(part.shape)
            for start, part in zip(ends, each, strict=False)
        ],
        axis,
    )

    def back(part: Traced, start: int) -> tuple[Traced, Pull]:
        def pull(slope: Array) -> Array:
            flat = np.empty(places.size)
            flat[places.ravel()] = slope.ravel()
            return flat[start : start + part.size].reshape(part.shape)

        return part, pull

    value = function([part.value for part in each], axis)
    parents = tuple(back(part, int(start)) for start, part in zip(ends, each, strict=False))
    return Traced(value, parents)


# A derivative to the last digit: the step is so small that its square vanishes.
_STEP = 1e-100


class NoSlopeError(MetricError):
    """A score that has no derivative."""


def slopes_of_classes(
    metric: Metric,
    m: ConfusionMatrix,
    *,
    outside: Outside = "wrong",
    spread: Smoothing | None = None,
    near: Cells | None = None,
) -> ClassSlopes:
    """The derivatives of a metric per class, of all classes at once; at cells `near` the counted ones if given."""
    if metric.kind != "class" or metric.needs == "cells":
        msg = f"{metric.name} does not read the four cells of a class alone"
        raise MetricError(msg)
    cells = cells_read(m, outside, spread) if near is None else near
    parts = four(cells)
    if _takes_steps(metric, sum([part.size for part in parts]), _FEW_OF_CLASSES):
        found = _of_each_class(metric, parts)
        if np.isfinite(found[1]).all():
            return ClassSlopes(*found, spread)
    try:
        inputs = tuple(map(Traced, parts))
        values = metric.formula(Cells(*inputs))
        if not isinstance(values, Traced):
            raise TypeError
    except UNFOLLOWED:
        value, by = _by_steps(lambda near: metric.formula(Cells(*near)), parts, at_once=True)
    else:
        value, by = values.value, values.slopes(inputs, np.ones(values.shape))
    return ClassSlopes(value, by, spread)


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
    like: Slope | None = None,
) -> Slope:
    """The value of a score, asked for as a metric is called, and its derivative by every cell.

    The classes that a mean runs over and what it fills in are those of the counted table, whatever
    is spread on it. For a mean over the classes of plain cells, `near` are the cells with what was
    spread on them, and `like` is the slope at the counted ones, whose mean is taken over again. A
    matrix keeps those that it was asked for.
    """
    asked = (of, average, undefined, outside, spread)
    is_kept = near is weights is None and metric.needs != "cells"
    if not (is_kept and isinstance(m, ConfusionMatrix) and len(m) <= _KEPT_CLASSES):
        return _slope(metric, m, *asked, weights, near, like)
    kept = m._readings.setdefault("slopes", {})
    found: Slope | None = kept.get((metric, *asked))
    if found is None:
        if len(kept) >= _KEPT_SLOPES:
            kept.clear()
        found = kept[metric, *asked] = _slope(metric, m, *asked, None, None, like)
    return found


# So many derivatives are kept with a matrix, of no more classes than this.
_KEPT_SLOPES, _KEPT_CLASSES = 64, 1024


def _slope(
    metric: Metric,
    m: Any,
    of: Any,
    average: str | Average | None,
    undefined: Undefined,
    outside: Outside,
    spread: Smoothing | None,
    weights: Any,
    near: Cells | None,
    like: Slope | None,
) -> Slope:
    if metric.kind == "matrix":
        return _of_whole(metric, m, outside, spread)
    if of is not None:
        position = m.labels.index(of)
        if metric.needs == "cells":
            return _of_table(lambda t: metric.formula(t)[position], metric, m, outside, spread)
        return slopes_of_classes(metric, m, outside=outside, spread=spread).at(position)
    kind = average_named(average or ("macro" if weights is None else "weighted"))
    mean = None if like is None else like.mean
    mean = mean or _mean(metric, m, kind, undefined, weights, outside)
    if metric.needs == "cells":
        k = m.n_classes

        def mean_of_table(t: Table) -> Any:
            cells = Cells.of_margins(t.diagonal[:k], t.actual[:k], t.predicted[:k], t.total)
            return mean(metric.formula(t)[:k], cells)

        return _of_table(mean_of_table, metric, m, outside, spread)
    number = _number(metric, kind, mean)
    parts = four(cells_read(m, outside, spread) if near is None else near)
    value, slopes = _derived(metric, lambda inputs: number(Cells(*inputs)), parts)
    return slope_of_cells(value, slopes, spread, mean)


def _mean(
    metric: Metric, m: Any, average: Average, undefined: Undefined, weights: Any, outside: Outside
) -> Any:
    """The mean as a function of values and cells, over the classes that the counted table says."""
    if average.pooled:
        return None
    metric._refuse(average, undefined, weights)
    observed = read_cells(m, outside)
    values = np.asarray(metric.per_class(m, outside=outside), dtype=np.float64)
    given = None
    if weights is not None:
        given = given_weights(m, weights, len(values))
    choice = chosen(values, observed, average, undefined, metric.when_never_predicted, given)
    out, filled = np.asarray(choice.weights) == 0, np.asarray(choice.filled)
    fixed = np.where(filled, np.asarray(choice.values, dtype=np.float64), 1.0)
    place = (
        int(np.argmin(np.where(out, np.inf, values if average.name == "min" else -values)))
        if len(values)
        else 0
    )

    def mean(values: Any, cells: Cells) -> Any:
        if average.name in {"min", "max"}:
            # The class that holds the extreme is the counted table's.
            extreme = values[..., place]
            return extreme if not filled[place] else extreme * 0.0 + fixed[place]
        if filled.any() or out.any():
            values = np.where(filled | out, fixed, values)
        if average.weigh is None or given is not None:
            return average.formula(values, np.asarray(choice.weights, dtype=np.float64))
        return average.formula(values, np.where(out, 0.0, average.weigh(cells)))

    return mean


# --- by what a formula reads ----------------------------------------------------------------------


def _number(
    metric: Metric, average: Average, mean: Callable[[Any, Cells], Any]
) -> Callable[[Cells], Any]:
    """A mean over classes as a function of their cells."""
    if not average.pooled:
        return lambda c: mean(metric.formula(c), c)
    return lambda c: metric.formula(Cells(*(part.sum(axis=-1)[..., None] for part in four(c))))[
        ..., 0
    ]


def slopes_at(
    metric: Metric,
    read: Callable[[Array], Margins],
    counted: Array,
    rows: Any,
    cols: Any,
    **options: Any,
) -> Callable[[Array], tuple[Array, Array]]:
    """The value of a score and its derivative by cells, as a function of tables of these cells, their last axis.

    `read` gives the margins of tables. A mean runs over the classes of a counted one.
    """
    number = len(rows)
    if not _takes_steps(metric, number):
        first = slope(metric, read(counted), **options)

        def one_by_one(tables: Array) -> tuple[Array, Array]:
            each = [
                slope(metric, read(table), like=first, **options)
                for table in tables.reshape(-1, number)
            ]
            values, slopes = (
                np.array([slope.value for slope in each]),
                np.array([slope.at(rows, cols) for slope in each]),
            )
            return values.reshape(tables.shape[:-1]), slopes.reshape(tables.shape)

        return one_by_one
    step, score = _steps_of(counted), _as_function(metric, read(counted), **options)
    steps = step * 1j * np.eye(number)

    def at_once(tables: Array) -> tuple[Array, Array]:
        moved = tables[..., None, :] + steps
        found = np.zeros(tables.shape) + score(read(moved))
        return found.real[..., 0], found.imag / step

    return at_once


def _as_function(
    metric: Metric,
    counted: Margins,
    *,
    of: Any = None,
    average: str | Average | None = None,
    undefined: Undefined = "fair",
    weights: Any = None,
    outside: Outside = "wrong",
) -> Callable[[Margins], Any]:
    """A score as a function of margins; a mean, over the classes of counted ones."""
    if metric.kind == "matrix":
        return metric.formula
    if of is not None:
        position = counted.labels.index(of) if counted.labels else of
        return lambda margins: metric.formula(read_cells(margins))[..., position]
    kind = average_named(average or ("macro" if weights is None else "weighted"))
    number = _number(metric, kind, _mean(metric, counted, kind, undefined, weights, outside))
    return lambda margins: number(read_cells(margins))


def _of_whole(
    metric: Metric, m: ConfusionMatrix, outside: Outside, spread: Smoothing | None
) -> Slope:
    if metric.needs == "cells":
        return _of_table(metric.formula, metric, m, outside, spread)
    read = margins_read(m, outside, metric.sees, spread)
    parts = (read.diagonal, read.actual, read.predicted, read.total)

    def formula(inputs: tuple[Any, ...]) -> Any:
        diagonal, actual, predicted, total = inputs
        return metric.formula(
            Margins(diagonal, actual, predicted, total, read.n_classes, read.labels)
        )

    value, slopes = _derived(metric, formula, parts)
    return Slope.of_margins(value, slopes, m.n_classes, spread=spread)


def _of_table(
    formula: Callable[[Table], Any],
    metric: Metric,
    m: ConfusionMatrix,
    outside: Outside,
    spread: Smoothing | None,
) -> Slope:
    read = table_read(m, outside, metric.sees, spread)
    parts = (read.diagonal, read.actual, read.predicted, read.total, read.values)

    def of(inputs: tuple[Any, ...]) -> Any:
        diagonal, actual, predicted, total, values = inputs
        rows, cols = read.rows, read.cols
        return formula(
            Table(
                diagonal, actual, predicted, total, read.n_classes, read.labels, rows, cols, values
            )
        )

    value, slopes = _derived(metric, of, parts)
    # A table so large that only its filled cells are listed was not smoothed.
    spread = spread if lists_all(read, m.n_classes) else None
    return Slope.of_margins(
        value, slopes, m.n_classes, cells=(read.rows, read.cols, slopes[4]), spread=spread
    )


# --- derivatives ----------------------------------------------------------------------------------


def _derived(
    metric: Metric, formula: Callable[[tuple[Any, ...]], Any], parts: tuple[Array, ...]
) -> tuple[float, list[Array]]:
    """Value and derivatives of a number: in one walk back, or by complex steps of few or where that cannot follow."""
    if _takes_steps(metric, sum([part.size for part in parts])):
        found = _by_steps_at_once(formula, parts)
        # On an edge a product with 0 may be lost, which the walk keeps.
        if found is not None:
            return found
    inputs = tuple(map(Traced, parts))
    try:
        result = formula(inputs)
    except UNFOLLOWED:
        if not metric.smooth:
            # A complex step over a kink, or over what takes real parts, would be silently wrong.
            msg = f"{metric.name} has no derivative that could be followed"
            raise NoSlopeError(msg) from None
        value, slopes = _by_steps(formula, parts)
        return float(value), slopes
    if not isinstance(result, Traced):
        # A number that depends on nothing counted.
        return float(np.real(result)), [np.zeros(part.shape) for part in parts]
    return float(result.value), result.slopes(inputs)


# Numbers, at most, whose steps all together are quicker than a walk back; and those of values of
# single classes.
_FEW, _FEW_OF_CLASSES = 64, 2**14


def _takes_steps(metric: Metric, numbers: int, most: int = _FEW) -> bool:
    """Whether complex steps are quick, and right: a law holds them against differences in every formula of ours."""
    if numbers > most or not metric.smooth or metric.needs == "cells":
        return False
    return metric.formula.__module__.startswith("confmat.")


def _steps_of(numbers: Array) -> float:
    """A step so small, beside these numbers, that its square vanishes."""
    return _STEP * (float(np.abs(numbers).max(initial=0.0)) or 1.0)


def _by_steps_at_once(
    formula: Callable[[tuple[Any, ...]], Any], parts: tuple[Array, ...]
) -> tuple[float, list[Array]] | None:
    """Value and derivatives by complex steps, the formula being given a table for each number that moves.

    None where one of them is lost or has no bounds.
    """
    flat = np.concatenate([part.ravel() for part in parts])
    step = _steps_of(flat)
    moved = flat + step * 1j * np.eye(len(flat))
    ends = [0, *accumulate([part.size for part in parts])]
    each = [(slice(*pair), part.shape) for pair, part in zip(pairwise(ends), parts, strict=True)]
    inputs = [moved[:, place].reshape(-1, *shape) for place, shape in each]
    found = np.zeros(len(flat)) + formula(tuple(inputs))
    slopes = found.imag / step
    if not (math.isfinite(found[0].real) and math.isfinite(slopes.sum())):
        return None
    return float(found[0].real), [slopes[place].reshape(shape) for place, shape in each]


def _of_each_class(metric: Metric, parts: tuple[Array, ...]) -> tuple[Array, Array]:
    """Values of classes, and their derivatives by tp, fp, fn and tn, by a step of each of the four in all classes."""
    four = np.stack(np.broadcast_arrays(*parts))
    step = _steps_of(four)
    moved = four[:, None] + (step * 1j * np.eye(4)).reshape(4, 4, *[1] * (four.ndim - 1))
    found = np.zeros(four.shape) + metric.formula(Cells(*moved))
    return found.real[0], found.imag / step


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
    formula: Callable[[tuple[Any, ...]], Any], parts: tuple[Array, ...], *, at_once: bool = False
) -> tuple[Array, list[Array]]:
    """Value and derivatives of a number; `at_once` of one for each class, which depends on its own cells alone."""
    slopes = [np.zeros(part.shape) for part in parts]
    with _complex_steps():
        value = np.asarray(np.real(formula(tuple(part[()] for part in parts))), dtype=np.float64)
        for place, part in enumerate(parts):
            for index in [...] if at_once else np.ndindex(part.shape):
                # A number taken out of an array can be set no more.
                moved = [np.array(each, dtype=np.complex128) for each in parts]
                moved[place][index] += 1j * _STEP
                slopes[place][index] = np.imag(formula(tuple(each[()] for each in moved))) / _STEP
        _check_steps(
            lambda near: np.asarray(formula(tuple(part[()] for part in near))), parts, slopes
        )
    return value, slopes


_UNFOLLOWED = "its formula has no derivative that could be followed"


def _check_steps(
    formula: Callable[[list[Array]], Array], parts: tuple[Array, ...], slopes: list[Array]
) -> None:
    """Check complex steps by small differences: `np.abs` and the like have another derivative there."""
    rng = np.random.default_rng(0)
    steps = [part * rng.uniform(-1, 1, part.shape) for part in parts]
    each = [step * slope for step, slope in zip(steps, slopes, strict=True)]
    if slopes[0].ndim > 0 and formula(list(parts)).shape == slopes[0].shape:
        table = np.stack(np.broadcast_arrays(*each))
    else:
        # One number, which all of them move together.
        table = np.concatenate([part.ravel() for part in each])
    moved, size = table.sum(axis=0), np.abs(table).sum(axis=0)
    after, before = (
        formula([part + far * step for part, step in zip(parts, steps, strict=True)])
        for far in (_SMALL, -_SMALL)
    )
    off = np.abs((after - before) / (2 * _SMALL) - moved)
    if np.any(off > 1e-3 * size + 1e-6 * np.abs(after)):
        raise UntrackableError


# How far small differences go, as a share of what is there.
_SMALL = 1e-4


# --- plain proportions ----------------------------------------------------------------------------


def share_of(
    metric: Metric,
    m: ConfusionMatrix,
    value: float,
    *,
    of: Any,
    average: Average | None,
    outside: Outside,
) -> Share | None:
    """Return the score as a share of items, if its formula divides a count of items by a count that contains it."""
    if metric.share_in is not None and not math.isnan(value):
        row = float(m.actual_totals[place_spelt(m.labels, metric.share_in)])
        return Share(value * row, row)
    if (
        not metric.smooth
        or metric.needs == "cells"
        or not (of is not None or average is None or average.pooled)
    ):
        return None
    quotient = _quotient(metric)
    if quotient is None:
        return None
    sums, (above, below) = _times_counted(metric, m, quotient, of, outside)
    # Micro F1 counts every item twice, above and below.
    times = 1.0 if of is not None else max(below)
    if times <= 0 or not {*above, *below} <= {0.0, times} or not all(map(le, above, below)):
        return None
    top, bottom = [float(sum(map(mul, side, sums))) / times for side in quotient]
    return Share(top, bottom) if bottom and abs(top / bottom - value) <= _SAME_SHARE else None


def _times_counted(
    metric: Metric, m: ConfusionMatrix, quotient: tuple[Factors, Factors], of: Any, outside: Outside
) -> tuple[Sequence[float], Sequence[tuple[float, ...]]]:
    """The sums that a quotient reads, and how often it counts an item of each kind, above and below."""
    if metric.kind == "matrix":
        margins = read_margins(m, outside, metric.sees)
        diagonal, actual, predicted = margins.diagonal, margins.actual, margins.predicted
        return [diagonal.sum(), actual.sum(), predicted.sum(), margins.total], [
            (hit + first + second + every, first + second + every)
            for hit, first, second, every in quotient
        ]
    parts = four(read_cells(m, outside))
    if of is not None:
        place = m.labels.index(of)
        return [part[place] for part in parts], quotient
    # A hit is a tn of all classes but one, as an item of an outside label is, and any other of all
    # but two.
    k, is_beside = m.n_classes - 1, bool(m.labels.outside) and outside == "wrong"
    return [part.sum() for part in parts], [
        (tp + k * tn, fp + fn + (k - 1) * tn, *((fp + k * tn, fn + k * tn) if is_beside else ()))
        for tp, fp, fn, tn in quotient
    ]


def shares_of_classes(
    metric: Metric, m: ConfusionMatrix, values: Array, outside: Outside
) -> Share | None:
    """Return the score of every class as a share of items: arrays with an entry per class."""
    quotient = _quotient(metric)
    if quotient is None:
        return None
    over, under = quotient
    if not {*over, *under} <= {0.0, 1.0} or not all(map(le, over, under)):
        return None
    parts = four(read_cells(m, outside).astype(np.float64))
    top, bottom = (sum(map(mul, side, parts)) for side in quotient)
    shares = np.divide(top, bottom, out=np.full(len(values), np.nan), where=bottom > 0)
    same = np.allclose(shares, values, rtol=0, atol=_SAME_SHARE, equal_nan=True)
    return Share(top, bottom) if same else None


def counted_in(metric: Metric) -> Factors | None:
    """Return how often tp, fp, fn and tn are counted below, if a score per class divides one count by another."""
    quotient = _quotient(metric) if metric.kind == "class" and metric.needs != "cells" else None
    return None if quotient is None else quotient[1]


# How far a share may be from the value of the formula.
_SAME_SHARE = 1e-9
# Four numbers, one for each of the cells of a class or of the margins.
Factors = tuple[float, float, float, float]


# Sums of what a formula reads, in three tables of its own.
_TABLES = np.array([[5.0, 6.0, 7.0, 8.0], [7.0, 9.0, 8.0, 13.0], [11.0, 23.0, 19.0, 9.0]])


@lru_cache(maxsize=1024)
def _quotient(metric: Metric) -> tuple[Factors, Factors] | None:
    """Return the factors of the sums that a formula divides, above and below, if it is that.

    The derivative of ax / bx is (a - (ax / bx) b) / bx, so those at two tables give a and b up to a
    factor, and the value at a third shows whether the formula is of that form, which does not
    depend on what was counted.
    """
    try:
        values, slopes = _at_tables(metric)
    except UNFOLLOWED:
        return None
    if values.shape != (len(_TABLES),):
        return None
    with np.errstate(all="ignore"):
        gap = values[1] - values[0]
        under = slopes[0] / gap + slopes[1] / (slopes[1] @ _TABLES[0])
        sides = np.array([slopes[0] + values[0] * under, under])
        size = np.abs(sides)
        sides = (
            np.round(sides / size.min(where=size > _SAME_SHARE * size.max(), initial=np.inf)) + 0.0
        )
        top, bottom = sides @ _TABLES[2]
        if not abs(top / bottom - values[2]) <= _SAME_SHARE:
            return None
    return tuple(sides[0].tolist()), tuple(sides[1].tolist())


def _at_tables(metric: Metric) -> tuple[Array, Array]:
    """Value and derivatives of a formula at each of the tables; of a score of one class each is a class."""
    if metric.kind == "class":
        inputs = tuple(map(Traced, _TABLES.T))
        result = _read(metric.formula(Cells(*inputs)))
        return result.value, np.array(result.slopes(inputs)).T
    values, slopes = [], []
    for table in _TABLES:
        diagonal, actual, predicted = (Traced(each * np.array([0.4, 0.6])) for each in table[:3])
        total = Traced(table[3])
        result = _read(
            metric.formula(Margins(diagonal, actual, predicted, total, 2.0, Labels(range(2))))
        )
        parts = result.slopes((diagonal, actual, predicted, total))
        if any(np.ptp(part) > _SAME_SHARE for part in parts):
            raise UntrackableError
        values.append(result.value)
        slopes.append([part.flat[0] for part in parts])
    return np.array(values), np.array(slopes)
