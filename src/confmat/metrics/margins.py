"""Margins and Table: what a formula of the whole matrix reads, in one arithmetic.

Labels outside the classes take part in two ways, and a metric declares which it sees. As a
"category": everything outside is one more row and column without hits, so that rows, columns and
total still add up (kappa, entropies). As "classes": only the classes, while `total` still counts
their items answered outside (means over classes). Outside answered by outside is never counted.
With `outside="exclude"` only classes answered by classes remain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from typing import Any, Literal, NoReturn, Self, cast

import numpy as np

from confmat.core.cells import Cells, Memo, once, remembering
from confmat.core.counts import Counts, frozen
from confmat.core.errors import Argument, Message, MetricError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, one_of
from confmat.core.stack import Stack
from confmat.metrics.arithmetic import Array, Number, UntrackableError, largest, ratio, spread

Outside = Literal["wrong", "exclude"]
View = Literal["category", "classes"]

# The most cells of a matrix whose readings are kept for the next metric.
_KEPT_SIZE = 2**17
# Below, floats hold every integer.
_WHOLE = 2.0**53
# Up to the first number of classes every cell is listed, and beyond the second only those that are not zero.
_SMALL_SIZE, _LARGE_SIZE = 256, 2048


@dataclass(frozen=True, slots=True)
class Margins:
    """Hits, actual and predicted totals with one entry per class along the last axis, and the total per matrix.

    `total` has no class axis: `spread(total)` puts it beside the classes.
    """

    diagonal: Any
    actual: Any
    predicted: Any
    total: Any
    n_classes: Any
    labels: Labels | None = None
    memo: Memo = field(default=None, kw_only=True, compare=False, repr=False)
    # The cells per class, where they are known better than from differences of these numbers.
    parts: Callable[[], Cells] | None = field(default=None, kw_only=True, compare=False, repr=False)

    @property
    @once
    def cells(self) -> Cells:
        """tp, fp, fn and tn per class: what is beside a class is never a difference of rounded sums."""
        cells = self._differences() if self.parts is None else self.parts()
        return cells if self.memo is None else shared(cells)

    def _differences(self) -> Cells:
        return Cells.of_margins(self.diagonal, self.actual, self.predicted, spread(self.total))

    def map(self, change: Callable[[Any], Any]) -> Self:
        """The same margins with every number changed by a function of an array."""
        numbers = {name: change(getattr(self, name)) for name in _numbers_of(self)}
        # No memo, which knows the numbers themselves.
        cells = self.parts or partial(
            Cells.of_margins, self.diagonal, self.actual, self.predicted, spread(self.total)
        )
        return replace(self, **numbers, memo=None, parts=lambda: cells().map(change))


@dataclass(frozen=True, slots=True)
class Table(Margins):
    """Margins, and the cells themselves: `values` (..., N) at `rows` and `cols` (N,); the others are zero.

    A stack or a small matrix lists all K x K places in order, a large matrix only those that are
    not zero.
    """

    rows: Any = None
    cols: Any = None
    values: Any = None

    @property
    def size(self) -> int:
        """Rows of the table: the classes, and one for everything outside if that is seen."""
        size: int = self.actual.shape[-1]
        return size

    def sum_by_actual(self, values: Any) -> Any:
        """Sum over each row, (..., K), of what is at the cells."""
        return self._by(self.rows, values, np.add)

    def sum_by_predicted(self, values: Any) -> Any:
        """Sum over each column, (..., K), of what is at the cells."""
        return self._by(self.cols, values, np.add)

    def max_by_actual(self, values: Any) -> Any:
        """Greatest value in each row, (..., K); 0 where a row is empty."""
        return self._by(self.rows, values, np.maximum)

    def max_by_predicted(self, values: Any) -> Any:
        """Greatest value in each column, (..., K); 0 where a column is empty."""
        return self._by(self.cols, values, np.maximum)

    def _by(self, places: Any, values: Any, join: Any) -> Any:
        own = hasattr(values, "_grouped")
        if self.is_whole and np.ndim(values) and (join is np.add or not own):
            square, axis = (
                values.reshape(*np.shape(values)[:-1], self.size, self.size),
                -1 if places is self.rows else -2,
            )
            return square.sum(axis=axis) if join is np.add else join.reduce(square, axis=axis)
        if own:
            return values._grouped(places, self.size, join)
        values = np.asarray(values)
        if join is np.add:
            return summed_at(places, values, self.size)
        found = np.zeros((*values.shape[:-1], self.size), dtype=values.dtype)
        join.at(found, (..., places), values)
        return found

    def at_rows(self, values: Any) -> Any:
        """Place the values of the classes, (..., K), at the cells of their rows."""
        if self.is_whole and isinstance(values, np.ndarray):
            return values.repeat(self.size, axis=-1)
        return values[..., self.rows]

    def at_cols(self, values: Any) -> Any:
        """Place the values of the classes, (..., K), at the cells of their columns."""
        if self.is_whole and isinstance(values, np.ndarray):
            # The result of numpy.tile, in one step.
            return np.repeat(values[..., None, :], self.size, axis=-2).reshape(
                *values.shape[:-1], -1
            )
        return values[..., self.cols]

    def crossed(self, join: Callable[[Any, Any], Any], actual: Any, predicted: Any) -> Any:
        """Join, at each cell, the value of its row's class with that of its column's class."""
        if self.is_whole and isinstance(actual, np.ndarray) and isinstance(predicted, np.ndarray):
            pairs = join(actual[..., :, None], predicted[..., None, :])
            return pairs.reshape(*pairs.shape[:-2], -1)
        return join(self.at_rows(actual), self.at_cols(predicted))

    def besides(self, *, actual: bool) -> Any:
        """The rest of each cell's row, or of its column; added up where the cell holds most of it."""
        at, by, totals = self.at_cols, self.sum_by_predicted, self.predicted
        if actual:
            at, by, totals = self.at_rows, self.sum_by_actual, self.actual
        whole, values = at(totals), self.values
        if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
            return whole - values
        most = 2 * values > whole
        return np.where(most, at(by(values * ~most)), whole - values)

    @property
    def is_whole(self) -> bool:
        """Whether every cell is listed, zero or not."""
        return len(self.rows) == self.size * self.size

    @property
    def counts(self) -> Any:
        """The dense table (..., K, K)."""
        values, size = self.values, self.size
        if self.is_whole:
            return values.reshape(*np.shape(values)[:-1], size, size)
        table = np.zeros((*values.shape[:-1], size, size), dtype=values.dtype)
        table[..., self.rows, self.cols] = values
        return table


def shared(inputs: Any) -> Any:
    """The same inputs, to be kept for other metrics."""
    return remembering(
        inputs, ("tp", "fp", "fn", "tn") if isinstance(inputs, Cells) else _numbers_of(inputs)
    )


def _numbers_of(margins: Margins) -> tuple[str, ...]:
    names = ("diagonal", "actual", "predicted", "total")
    return (*names, "values") if isinstance(margins, Table) else names


def _earlier(m: Any, key: tuple[str, ...]) -> Any:
    """An earlier reading of the same matrix."""
    try:
        return m._readings.get(key) if isinstance(m, ConfusionMatrix) else None
    except TypeError:
        # A value without a hash is not among the words.
        _check(m, key[1])
        raise


def read_cells(m: Any, outside: Outside = "wrong") -> Cells:
    """The cells of every class, in the number type of the counts."""
    key = ("cells", outside)
    reading: Cells | None = _earlier(m, key)
    if reading is not None:
        return reading
    if isinstance(m, Cells):
        return m
    if isinstance(m, Margins):
        return _of_classes(m)
    kept = _kept(m, outside)
    cells = _cells_inside(m) if outside == "exclude" and m.labels.outside else m.cells
    return cells if kept is None else kept.setdefault(key, shared(cells))


def _cells_inside(m: Any) -> Cells:
    """The cells of items answered with a class."""
    if isinstance(m, ConfusionMatrix):
        return ConfusionMatrix._of(m.labels, m._counts).select(m.labels.classes).cells
    inside = np.ascontiguousarray(m.counts[:, : m.n_classes, : m.n_classes])
    names, total = tuple(range(len(m))), inside.sum(axis=(1, 2))
    return Stack._of_table(inside, m.labels.replace(outside=()), names, total, m.axis).cells


def _of_classes(margins: Margins) -> Cells:
    """The cells of margins, in which what is outside may be one more class, which has no cells."""
    cells, k = margins.cells, None if margins.labels is None else margins.labels.n_classes
    if k is None or np.shape(cells.tp)[-1] <= k:
        return cells
    return cells.map(lambda part: part[..., :k])


def read_margins(m: Any, outside: Outside = "wrong", view: View = "category") -> Margins:
    """The margins of a matrix or a stack, in the number type of the counts."""
    key = ("margins", outside)
    reading: Margins | None = _earlier(m, key)
    if reading is not None:
        return reading
    if isinstance(m, Margins):
        return m
    if isinstance(m, Cells):
        total = m.total
        return Margins(m.tp, m.actual, m.predicted, total[..., 0], np.shape(m.tp)[-1])
    kept = _kept(m, outside)
    if m.labels.outside:
        return read_table(m, outside, view)
    margins = Margins(
        m.diagonal,
        m.actual_totals,
        m.predicted_totals,
        _total(m),
        m.n_classes,
        m.labels,
        parts=_added(m),
    )
    return margins if kept is None else kept.setdefault(key, shared(margins))


def read_table(m: Any, outside: Outside = "wrong", view: View = "category") -> Table:
    """The margins and cells of a matrix or a stack, in the number type of the counts."""
    key = ("table", outside, view)
    reading: Table | None = _earlier(m, key)
    if reading is not None:
        return reading
    if isinstance(m, Table):
        return m
    if isinstance(m, (Cells, Margins)):
        msg = "this metric reads the cells of the whole matrix, which margins alone do not tell"
        raise MetricError(msg)
    kept = _kept(m, outside)
    # Where nothing is outside, all see the same.
    plain = key if m.labels.outside else "table"
    if kept is not None and plain in kept:
        return cast("Table", kept.setdefault(key, kept[plain]))
    table = _table(m, outside, view)
    if kept is None or len(table.rows) > _KEPT_SIZE:
        return table
    return cast("Table", kept.setdefault(key, kept.setdefault(plain, shared(table))))


def _added(m: Any) -> Callable[[], Cells] | None:
    """The cells per class of a matrix of weights, added up one by one."""
    if not (isinstance(m, ConfusionMatrix) and m.is_weighted):
        return None
    return _later(m.labels, m._counts)


def _later(labels: Labels, counts: Counts) -> Callable[[], Cells]:
    """Cells that are added up when they are asked for, since few scores ask.

    A matrix keeps its readings, so they hold its parts and not the matrix.
    """
    return cache(lambda: ConfusionMatrix._of(labels, counts).cells)


def added(rows: Array, cols: Array, values: Any, size: int) -> Callable[[], Cells] | None:
    """The same of the listed cells of one table of floats."""
    if not (isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind == "f"):
        return None
    return _later(Labels(range(size)), Counts.of_cells(size, rows, cols, values))


def _total(m: Any) -> Any:
    """The total in the number type of the counts."""
    return m.diagonal.dtype.type(m.total) if isinstance(m.total, (int, float)) else m.total


def _table(m: Any, outside: Outside, view: View) -> Table:
    rows, cols, values = listed(m)
    k, size = m.n_classes, len(m.labels)
    if size == k:
        sides = m.diagonal, m.actual_totals, m.predicted_totals, _total(m), k
        return Table(*sides, m.labels, rows, cols, values, parts=_added(m))
    rows, cols, size = np.minimum(rows, k), np.minimum(cols, k), k + 1
    kept = (rows < k) & (cols < k) if outside == "exclude" else (rows < k) | (cols < k)
    rows, cols, values = joined(rows[kept], cols[kept], values[..., kept], size)
    parts = added(rows, cols, values, size)
    hits = rows == cols
    diagonal = summed_at(rows[hits], values[..., hits], size)
    actual, predicted = summed_at(rows, values, size), summed_at(cols, values, size)
    total = values.sum(axis=-1)
    if not (view == "category" and outside == "wrong"):
        diagonal, actual, predicted = diagonal[..., :k], actual[..., :k], predicted[..., :k]
        inside = (rows < k) & (cols < k)
        rows, cols, values = rows[inside], cols[inside], values[..., inside]
        parts = parts and partial(_within, parts, k)
    return Table(diagonal, actual, predicted, total, k, m.labels, rows, cols, values, parts=parts)


def _within(parts: Callable[[], Cells], classes: int) -> Cells:
    return parts().map(lambda part: part[:classes])


def _is_thin(m: ConfusionMatrix) -> bool:
    """Whether the cells that are not zero are worth looking for: in a large matrix, where they are the lesser part."""
    size = len(m)
    if m.is_sparse or size > _LARGE_SIZE:
        return True
    return size > _SMALL_SIZE and 2 * int(np.count_nonzero(m.counts)) < size * size


def listed(m: Any) -> tuple[Array, Array, Array]:
    """Rows, columns and values (..., N) of the cells of a matrix or stack; all of them where that is no waste."""
    if isinstance(m, ConfusionMatrix) and _is_thin(m):
        pairs = m.pairs()
        return pairs.rows, pairs.cols, pairs.counts
    counts = m.counts
    size = counts.shape[-1]
    rows, cols = _all_places(size) if size <= _SMALL_SIZE else _all_places.__wrapped__(size)
    return rows, cols, counts.reshape(*counts.shape[:-2], size * size)


@lru_cache(maxsize=16)
def _all_places(size: int) -> tuple[Array, Array]:
    places = np.arange(size)
    return frozen(np.repeat(places, size)), frozen(np.tile(places, size))


def joined(rows: Array, cols: Array, values: Array, size: int) -> tuple[Array, Array, Array]:
    """Cells that fell together, added."""
    keys, places = np.unique(rows * size + cols, return_inverse=True)
    return keys // size, keys % size, summed_at(places, values, len(keys))


def summed_at(places: Array, values: Any, size: int) -> Any:
    """Sum of the values (..., N) that fall on each of `size` places."""
    if hasattr(values, "_grouped"):
        return values._grouped(places, size, np.add)
    if np.ndim(values) == 1 and values.dtype == np.float64:
        return np.bincount(places, weights=values, minlength=size)
    sums = np.zeros((*np.shape(values)[:-1], size), dtype=values.dtype)
    at: Any = (..., places)
    np.add.at(sums, at, values)
    return sums


def _kept(m: Any, outside: str) -> dict[Any, Any] | None:
    """Return the earlier readings of a matrix; None for a stack or a matrix too large to keep a second copy of."""
    if isinstance(m, ConfusionMatrix) and len(m) <= _KEPT_SIZE and outside in {"wrong", "exclude"}:
        return m._readings
    _check(m, outside)
    return None


def _check(m: Any, outside: str) -> None:
    one_of("outside", outside, Outside, MetricError)
    if not (hasattr(m, "actual_totals") and hasattr(m, "labels")):
        msg = f"a metric reads a ConfusionMatrix, a Stack, Cells or Margins, not {type(m).__name__}; {MAKES_ONE}"
        raise MetricError(msg)


def one_matrix(name: str, m: Any = None) -> NoReturn:
    """Say what a metric, or what else is `name`, reads to whoever gives it labels, or more than a matrix."""
    if hasattr(m, "actual_totals"):
        msg = Message(
            "{} reads one matrix, {}(m); whatever else it takes is given by its name",
            Argument(name),
            name,
        )
        raise MetricError(msg)
    msg = Message(
        "{} reads one matrix: {}(count(actual, predicted)); the functions of `confmat.sklearn` "
        "take labels, "
        "as scikit-learn's do",
        Argument(name),
        name,
    )
    raise MetricError(msg)


@once
def hits(m: Margins) -> Any:
    """All items answered with their class."""
    return m.diagonal.sum(axis=-1)


@once
def chance_hits(m: Margins) -> Any:
    """Products of actual and predicted totals, summed: n squared times the agreement that chance gives."""
    return (m.actual * m.predicted).sum(axis=-1)


@once
def determinant(c: Cells) -> Any:
    """The determinant of a class against the rest: n times its hits beyond those that the margins alone would give."""
    right, wrong = c.tp * c.tn, c.fp * c.fn
    if (
        isinstance(right, np.ndarray)
        and right.dtype == np.float64
        and max(right.max(initial=0), wrong.max(initial=0)) > _WHOLE
    ):
        # Near independence little is left of both products, and what rounding took from them is a
        # part of it.
        return right - wrong + (_lost(c.tp, c.tn, right) - _lost(c.fp, c.fn, wrong))
    return right - wrong


def _lost(first: Any, second: Any, product: Any) -> Any:
    """Return what rounding took from products of floats, by halves of their digits (Dekker 1971)."""
    (high, low), (other, rest) = _halves(first), _halves(second)
    return high * other - product + high * rest + low * other + low * rest


def _halves(values: Any) -> tuple[Any, Any]:
    shifted = values * (2.0**27 + 1)
    high = shifted - (shifted - values)
    return high, values - high


@once
def beyond_chance(m: Margins) -> Any:
    """n times all hits less the products of the totals, which are chance_hits: added up class by class."""
    return determinant(m.cells).sum(axis=-1)


@once
def beyond_common_chance(m: Margins) -> Any:
    """4 n times all hits less the squares of actual plus predicted totals."""
    return 4 * beyond_chance(m) - squares(m.cells.fn - m.cells.fp)


@once
def chance_errors(m: Margins) -> Any:
    """n squared less chance_hits: what chance gets wrong."""
    return (m.cells.actual * m.cells.predicted_negative).sum(axis=-1)


@once
def errors(m: Margins) -> Any:
    """All items that were not answered with their class, added up and no difference."""
    return m.cells.fn.sum(axis=-1)


@once
def differing_actually(m: Margins) -> Any:
    """Ordered pairs of items of different classes: n squared less the squares of the actual totals."""
    return (m.cells.actual * m.cells.actual_negative).sum(axis=-1)


@once
def differing_as_predicted(m: Margins) -> Any:
    """Ordered pairs of items answered differently: n squared less the squares of the predicted totals."""
    return (m.cells.predicted * m.cells.predicted_negative).sum(axis=-1)


@once
def differing_in_both(m: Margins) -> Any:
    """The same of all labels that both sides gave: 4 n squared less the squares of actual plus predicted totals."""
    c = m.cells
    return ((c.actual + c.predicted) * (c.actual_negative + c.predicted_negative)).sum(axis=-1)


def squares(values: Any) -> Any:
    """Sum of squares over the classes."""
    return (values * values).sum(axis=-1)


def filled(values: Any) -> Any:
    """The same values with 1 where there is 0, to divide by what may be empty."""
    if isinstance(values, float):
        return values or values + 1
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return values + (values == 0)
    empty = is_zero(values)
    return np.where(empty, 1, values) if np.count_nonzero(empty) else values


def is_zero(values: Any) -> Any:
    """Where nothing was counted."""
    # Which classes are empty is a fact of the observed table; a derivative's tiny imaginary part
    # changes none.
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return values == 0
    if not isinstance(values, Number) and np.iscomplexobj(values):
        values = values.real
    return values == 0


@once
def occurs(m: Margins) -> Any:
    """Which classes occur in the truth."""
    return ~is_zero(m.actual)


@once
def seen(m: Margins) -> Any:
    """Which classes occur on either side."""
    return ~is_zero(m.actual + m.predicted)


@once
def occurring(m: Margins) -> Any:
    """How many classes occur in the truth."""
    return count(occurs(m))


def count(which: Any) -> Any:
    """How many are true, per matrix."""
    which = np.asarray(which, dtype=bool)
    return int(np.count_nonzero(which)) if which.ndim == 1 else which.sum(axis=-1)


def as_floats(values: Any) -> Any:
    """Values outside their arithmetic, for what only plain numbers can do."""
    if isinstance(values, Number):
        raise UntrackableError
    return np.asarray(values).real.astype(np.float64)


def greatest(values: Any) -> Any:
    """The greatest over the classes, in any arithmetic: halves are compared until one is left."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf" and values.shape[-1]:
        return values.max(axis=-1)
    while np.shape(values)[-1] > 1:
        half = np.shape(values)[-1] // 2
        rest = values[..., 2 * half :]
        values = largest(values[..., :half], values[..., half : 2 * half])
        if np.shape(rest)[-1]:
            values = largest(values, rest)
    return values[..., 0]


def commonest(totals: Any) -> Any:
    """Which class has the greatest total: the first of those that have."""
    greatest_ones = np.asarray(totals == spread(greatest(totals)), dtype=bool)
    return greatest_ones & (np.cumsum(greatest_ones, axis=-1) == 1)


@once
def recalls(m: Margins) -> Any:
    """Recall per class; 0 for one that never occurs."""
    return ratio(m.diagonal, filled(m.actual))


@once
def recall_sum(m: Margins) -> Any:
    """Sum of the recalls."""
    return recalls(m).sum(axis=-1)


@once
def precisions(m: Margins) -> Any:
    """Precision per class; 0 for one that is never predicted."""
    return ratio(m.diagonal, filled(m.predicted))
