"""The one count behind every score of labels: common sorted labels, and the number of each pair of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from confmat import kernels
from confmat.core.counts import DENSE_BYTES
from confmat.core.errors import CompatibilityWarning, InputError, warn
from confmat.core.naming import sorted_union
from confmat.counting.columns import Column
from confmat.counting.tables import Coded, coded, count_raw, workers
from confmat.multilabel.sides import ones_of_columns
from confmat.sklearn._reading import (
    Array,
    InvalidParameterError,
    Side,
    examine,
    is_sparse,
    number_of_samples,
    read,
    replacement,
    say_undefined,
    side_of,
    to_numpy,
)

# Distinct integers closer than this are counted into one table without looking for their range first.
SMALL_TABLE_CELLS = 2**16
EMPTY = "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."


@dataclass(slots=True)
class Margins:
    """Per label: how often it was right, predicted, and true."""

    right: Array
    predicted: Array
    true: Array

    def map(self, change: Callable[[Array], Array]) -> Margins:
        """Return the margins, each of them changed."""
        return Margins(change(self.right), change(self.predicted), change(self.true))


@dataclass(slots=True)
class Counted:
    """Labels that occur, sorted, and their pairs: a table, or cells where a table would waste memory.

    `counts` are numbers of samples, `sums` of weights; they are the same where there are no weights.
    """

    labels: Array
    n: int
    counts: Array | _Cells
    sums: Array | _Cells
    weights: Array | None = None
    unused: tuple[Any, ...] = ()

    @property
    def type(self) -> str:
        """The name of such a target in scikit-learn."""
        return "binary" if len(self.labels) <= 2 else "multiclass"

    def margins(self) -> Margins:
        """The margins of what counts: weights, where there are any."""
        sums = self.sums
        if isinstance(sums, np.ndarray):
            return Margins(sums.diagonal(), sums.sum(axis=0), sums.sum(axis=1))
        return sums.margins(len(self.labels))

    def right(self) -> Any:
        """How many samples, or how much weight, is right."""
        sums = self.sums
        return np.trace(sums) if isinstance(sums, np.ndarray) else sums.values[sums.rows == sums.cols].sum()

    def total(self) -> Any:
        """All samples, or all weight."""
        if self.weights is None:
            return self.n
        return self.sums.sum() if isinstance(self.sums, np.ndarray) else self.sums.values.sum()

    def true_labels(self) -> Array:
        """The labels that occur among the true ones."""
        return self.labels[(self.counts if isinstance(self.counts, np.ndarray) else self._whole(self.counts)).any(1)]

    def table(self, places: Array | None = None, size: int | None = None) -> tuple[Array, int]:
        """The sums as a table, and how many samples have no place; label i goes to `places[i]`, -1 for nowhere."""
        size = len(self.labels) if size is None else size
        if places is None:
            return (self.sums if isinstance(self.sums, np.ndarray) else self.sums.table(size)), 0
        if isinstance(self.sums, np.ndarray) and isinstance(self.counts, np.ndarray):
            known = np.flatnonzero(places >= 0)
            there = places[known]
            whole = np.zeros((size, size), dtype=self.sums.dtype)
            whole[there[:, None], there] = self.sums[known[:, None], known]
            return whole, self.n - int(self.counts[known[:, None], known].sum())
        assert isinstance(self.sums, _Cells)
        assert isinstance(self.counts, _Cells)
        return self.sums.moved(places).table(size), self.n - int(self.counts.moved(places).values.sum())

    def _whole(self, cells: _Cells) -> Array:
        seen = np.zeros((len(self.labels), 1), dtype=bool)
        seen[cells.rows] = True
        return seen


@dataclass(slots=True)
class Shares:
    """The items that are right among integers, for which no table is needed."""

    true: Array
    predicted: Array
    weights: Array | None

    def right(self) -> Any:
        """How many samples, or how much weight, is right."""
        same = self.true == self.predicted
        if self.weights is None:
            return np.count_nonzero(same)
        return np.dot(self._wide(self.weights), same)

    def total(self) -> Any:
        """All samples, or all weight."""
        if self.weights is None:
            return len(self.true)
        return self._wide(self.weights).sum()

    def _wide(self, weights: Array) -> Array:
        return weights.astype(np.float64 if weights.dtype.kind == "f" else np.int64, copy=False)


@dataclass(slots=True)
class _Cells:
    rows: Array
    cols: Array
    values: Array

    def margins(self, size: int) -> Margins:
        hit = self.rows == self.cols
        right = _gathered(self.rows[hit], self.values[hit], size)
        return Margins(right, _gathered(self.cols, self.values, size), _gathered(self.rows, self.values, size))

    def moved(self, places: Array) -> _Cells:
        rows, cols = places[self.rows], places[self.cols]
        known = (rows >= 0) & (cols >= 0)
        return _Cells(rows[known], cols[known], self.values[known])

    def table(self, size: int) -> Array:
        table = np.zeros((size, size), dtype=self.values.dtype)
        np.add.at(table, (self.rows, self.cols), self.values)
        return table


def _gathered(places: Array, values: Array, size: int) -> Array:
    sums = np.zeros(size, dtype=values.dtype)
    np.add.at(sums, places, values)
    return sums


def count_sides(true: Side, predicted: Side, weights: Array | None) -> Counted | None:
    """Count two sides of equal length; None when a value is missing, which no label may be."""
    n = len(true.codes)
    threads = workers(None, n)
    if true.names is None and predicted.names is None:
        most = int(min(max(SMALL_TABLE_CELLS, 4 * n), DENSE_BYTES // 8) ** 0.5)
        close = kernels.kernel.count_close(true.codes, predicted.codes, most, threads)
        if close is not None:
            return _close(true, predicted, weights, *close, threads)
    left, right = (coded(Column(side.codes, side.names, holes=side.names is not None)) for side in (true, predicted))
    return _far(true, predicted, left, right, weights, threads)


def _close(true: Side, predicted: Side, weights: Array | None, low: int, counts: Array, threads: int) -> Counted:
    n, span = len(true.codes), len(counts)
    sums = counts
    if weights is not None:
        area = (low, span, low, span)
        sums = _signed(
            kernels.kernel.count_weighted(true.codes, predicted.codes, _plain(weights), *area, threads)[0], weights
        )
    known, used = np.any(counts, axis=1), np.any(counts, axis=0)
    seen = known | used
    dtype = true.dtype
    if dtype != predicted.dtype and not known[seen].all():
        exact = _merging(dtype, predicted.dtype, (low, low + span - 1))
        dtype = np.dtype(np.int64 if low < 0 else np.uint64) if exact else np.result_type(dtype, predicted.dtype)
    if seen.all():
        labels = _numbers(low, np.arange(span), dtype)
        return Counted(labels, n, counts, sums, weights)
    kept = np.flatnonzero(seen)
    square = (kept[:, None], kept)
    counts = counts[square]
    return Counted(_numbers(low, kept, dtype), n, counts, counts if weights is None else sums[square], weights)


def _merging(true: Any, predicted: Any, ends: tuple[int, ...]) -> bool:
    """Whether the type that two kinds of integers share in NumPy, a float, would take neighbours for one label."""
    integers = {true.kind, predicted.kind} <= {"i", "u"}
    return integers and np.result_type(true, predicted).kind == "f" and max(map(abs, ends)) >= 2**53


def _numbers(low: int, steps: Array, dtype: Any) -> Array:
    if dtype.kind in "iu" and low >= 2**63:
        return (steps.astype(np.uint64) + np.uint64(low)).astype(dtype)
    return (steps + low).astype(dtype)


def _plain(weights: Array) -> Array:
    """Weights as the kernel takes them; integers add up modulo 2**64, as NumPy's do."""
    return weights.astype(np.float64) if weights.dtype.kind == "f" else weights.astype(np.int64).view(np.uint64)


def _signed(sums: Array, weights: Array) -> Array:
    return sums if weights.dtype.kind == "f" else sums.view(np.int64)


def _far(true: Side, predicted: Side, left: Coded, right: Coded, weights: Array | None, threads: int) -> Counted | None:
    raw = count_raw(left, right, None, threads)
    cells = _cells(raw.table, raw.cells)
    if (left.holes and bool((cells.rows == 0).any())) or (right.holes and bool((cells.cols == 0).any())):
        return None
    heavy = cells
    if weights is not None:
        sums = count_raw(left, right, _plain(weights), threads)
        heavy = _cells(sums.table, sums.cells, cells)
        heavy.values = _signed(heavy.values, weights)
    seen = [np.unique(part) for part in (cells.rows, cells.cols)]
    names = [
        _names(side, part, places) for side, part, places in zip((true, predicted), (left, right), seen, strict=True)
    ]
    labels, codes = _common(names[0], names[1])
    maps = [np.full(part.size, -1) for part in (left, right)]
    for places, present, code in zip(maps, seen, codes, strict=True):
        places[present] = code
    size = len(labels)
    dense = size * size <= max(SMALL_TABLE_CELLS, 4 * len(true.codes)) and size * size * 8 <= DENSE_BYTES
    moved = [_Cells(maps[0][part.rows], maps[1][part.cols], part.values) for part in (cells, heavy)]
    stored: list[Any] = [part.table(size) if dense else part for part in moved]
    unused = _unused(true, predicted, labels)
    return Counted(labels, len(true.codes), stored[0], stored[0] if weights is None else stored[1], weights, unused)


def _cells(table: Array | None, cells: tuple[Array, Array, Array] | None, like: _Cells | None = None) -> _Cells:
    """The cells that occur; of weights at the same places, also where the weights are zero."""
    if table is None:
        assert cells is not None
        return _Cells(*cells)
    rows, cols = table.nonzero() if like is None else (like.rows, like.cols)
    return _Cells(rows, cols, table[rows, cols])


def _names(side: Side, part: Coded, places: Array) -> Array:
    if side.names is None:
        names: Any = part.names.array()[places] if hasattr(part.names, "array") else np.asarray(part.names)[places]
        return names.astype(side.dtype)
    kept = [side.names[i] for i in (places - part.holes).tolist()]
    return np.array(kept, dtype=side.dtype)


def _common(true: Array, predicted: Array) -> tuple[Array, list[Array]]:
    """The union of two sides' labels, sorted, and where each side's labels stand in it."""
    if (true.dtype == object) != (predicted.dtype == object):
        shown = [f"{np.array(sorted(part.tolist()))}" for part in (true, predicted)]
        msg = f"Mix of label input types (string and number); Got {shown[0]:.300} and {shown[1]:.300}."
        raise InputError(msg)
    if true.dtype == object:
        every = sorted({*true.tolist(), *predicted.tolist()})
        index = {name: i for i, name in enumerate(every)}
        codes = [np.array([index[name] for name in part.tolist()]) for part in (true, predicted)]
        return np.array(every), codes
    whole = [part for part in (true, predicted) if len(part) and part.dtype.kind in "iu"]
    ends = tuple(int(end) for part in whole for end in (part.min(), part.max()))
    if ends and _merging(true.dtype, predicted.dtype, ends):
        labels = sorted_union(true, predicted)
        return labels, [np.searchsorted(labels, part.astype(labels.dtype)) for part in (true, predicted)]
    labels = np.union1d(true, predicted)
    if len(labels) == len(true):
        # Equal labels take the type of the true ones: False and 0 are False.
        labels = labels.astype(true.dtype)
    return labels, [np.searchsorted(labels, part) for part in (true, predicted)]


def _unused(true: Side, predicted: Side, labels: Array) -> tuple[Any, ...]:
    if not (true.categories or predicted.categories):
        return ()
    known = set(labels.tolist())
    names = [name for side in (true, predicted) if side.categories and side.names is not None for name in side.names]
    return tuple(dict.fromkeys(name for name in names if name not in known))


@dataclass(slots=True)
class Indicator:
    """Two tables of samples by labels, dense or sparse alike."""

    true: Any
    predicted: Any
    weights: Array | None

    @property
    def type(self) -> str:
        """The name of such a target in scikit-learn."""
        return "multilabel-indicator"

    @property
    def n(self) -> int:
        """How many samples there are."""
        return int(self.true.shape[0])

    @property
    def labels(self) -> Array:
        """The labels are the columns."""
        return np.arange(self.true.shape[1])

    def margins(self, places: Array | None, *, samplewise: bool = False) -> Margins:
        """How often each label (or each sample) is right, predicted and true, of the labels at some places."""
        true, predicted = self.true, self.predicted
        if places is not None:
            true, predicted = true[:, places], predicted[:, places]
        counts = not samplewise and self.weights is None and not is_sparse(true)
        if counts and {true.dtype.kind, predicted.dtype.kind} <= set("biu"):
            (both, set_true, set_predicted), others = ones_of_columns(true, predicted, workers(None, true.size))
            if not others:
                return Margins(both, set_predicted, set_true)
        set_true, set_predicted = true != 0, predicted != 0
        both = set_true.multiply(set_predicted) if is_sparse(set_true) else set_true & set_predicted
        return Margins(*(self._sums(part, samplewise) for part in (both, set_predicted, set_true)))

    def _sums(self, part: Any, samplewise: bool) -> Array:
        if samplewise:
            sums = np.asarray(part.sum(axis=1)).reshape(-1).astype(np.int64)
            return sums if self.weights is None else sums * self.weights
        if self.weights is None:
            return np.asarray(part.sum(axis=0)).reshape(-1).astype(np.int64)
        if not part.sum():
            # A count of nothing is a whole number, whatever the weights are.
            return np.zeros(part.shape[1], dtype=np.int64)
        return np.asarray(part.T @ self.weights.astype(np.float64)).reshape(-1)

    def same(self) -> Array:
        """Per sample, whether all its labels are right."""
        return self.wrong() == 0

    def wrong(self) -> Array:
        """Per sample, how many labels are wrong."""
        differ = self.true != self.predicted
        return np.asarray(differ.sum(axis=1)).reshape(-1)


def indicator(true: Any, predicted: Any, weights: Array | None) -> Indicator:
    """Two tables over the same labels; both are sparse where one is."""
    if true.shape[1] != predicted.shape[1]:
        msg = "Multi-label binary indicator input with different numbers of labels"
        raise InputError(msg)
    if is_sparse(true) or is_sparse(predicted):
        from scipy.sparse import csr_array

        true, predicted = csr_array(true), csr_array(predicted)
    return Indicator(true, predicted, weights)


def labels_for(counted: Counted | Indicator, average: str | None, labels: Any, pos_label: Any) -> Any:
    """The labels that were asked for; the positive one where the average is "binary"."""
    if average != "binary":
        if pos_label is not None and pos_label != 1:
            warn(
                f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got {average!r}). "
                "You may use labels=[pos_label] to specify a single positive class.",
                UserWarning,
            )
        return labels
    if counted.type != "binary":
        others = [None, "micro", "macro", "weighted", *(["samples"] if isinstance(counted, Indicator) else [])]
        msg = (
            f"Target is {counted.type} but average='binary'. Please choose another average setting, one of {others!r}."
        )
        raise InputError(msg)
    if len(counted.labels) >= 2 and not np.any(counted.labels == pos_label):
        msg = f"pos_label={pos_label} is not a valid label. It should be one of {counted.labels}"
        raise InputError(msg)
    return [pos_label]


def selected(margins: Margins, places: Array | None) -> Margins:
    """The margins of some labels; -1 stands for a label that never occurs."""
    if places is None:
        return margins
    never = places < 0
    # One label more, of which there is nothing, stands at -1.
    return margins.map(lambda part: np.append(part, part.dtype.type(0))[places] if never.any() else part[places])


def margins_of(counted: Counted | Indicator, labels: Any, *, samplewise: bool = False) -> Margins:
    """Right, predicted and true per label (or per sample), for the labels that were asked for."""
    if isinstance(counted, Indicator):
        margins = counted.margins(_columns(counted, labels), samplewise=samplewise)
        if counted.weights is None or samplewise:
            return margins
        # One type for all, as in one array: that of the weights where nothing else decides.
        dtype = np.result_type(counted.weights.sum(), margins.right, margins.predicted, margins.true)
        return margins.map(lambda part: part.astype(dtype))
    if samplewise:
        msg = "Samplewise metrics are not available outside of multilabel classification."
        raise InputError(msg)
    margins = counted.margins()
    if counted.weights is not None or not margins.right.any():
        # Sums of weights are floats; and so is everything where nothing was right.
        margins = margins.map(lambda part: part.astype(np.float64))
    return selected(margins, None if labels is None else _places(counted.labels, labels))


def _places(present: Array, labels: Any) -> Array:
    """Where each label stands among those present, -1 for nowhere; arrays decide what is equal."""
    wanted = np.asarray(labels)
    if not len(wanted):
        return np.zeros(0, np.int64)
    if wanted.dtype.kind == "O" and not all(isinstance(name, str) for name in wanted.tolist()):
        msg = f"labels must be text or numbers, not {shown(wanted.tolist())}"
        raise InvalidParameterError(msg)
    if "U" in {wanted.dtype.kind, present.dtype.kind}:
        # An array that takes numbers to text holds both as text.
        wanted, present = wanted.astype(str), present.astype(str)
    index = {name: i for i, name in enumerate(present.tolist())}
    return np.array([index.get(name, -1) for name in wanted.tolist()])


def _columns(counted: Indicator, labels: Any) -> Array | None:
    if labels is None:
        return None
    columns, last = np.asarray(labels), len(counted.labels) - 1
    columns = columns if len(columns) else columns.astype(np.int64)
    if len(columns) and columns.max() > last:
        msg = f"All labels must be in [0, n labels) for multilabel targets. Got {columns.max()} > {last}"
        raise InputError(msg)
    if len(columns) and columns.min() < 0:
        msg = f"All labels must be in [0, n labels) for multilabel targets. Got {columns.min()} < 0"
        raise InputError(msg)
    return columns


def shown(names: list[Any], most: int = 5) -> str:
    """Some names for a message."""
    text = ", ".join(f"{name!r:.60}" for name in names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def divide(
    top: Array, bottom: Array, name: str, missing: str, average: str | None, warns: Any, zero_division: Any
) -> Array:
    """Top by bottom, with `zero_division` where the bottom is 0 and a warning where that was left open."""
    empty = bottom == 0
    if not empty.any():
        return top / bottom
    result = top / np.where(empty, 1, bottom)
    result[empty] = replacement(zero_division)
    if isinstance(zero_division, str) and name in warns:
        of, within = ("label", "sample") if average == "samples" else ("sample", "label")
        where = "due to" if len(result) == 1 else f"in {within}s with"
        say_undefined(
            f"{name.capitalize()} is ill-defined and being set to 0.0 {where} no {missing} {of}s. "
            "Use `zero_division` parameter to control this behavior."
        )
    return result


def mean(values: Array, weights: Array | None) -> float:
    """The mean, weighted or not, of all values."""
    if weights is None:
        return float(values.sum() / len(values)) if len(values) else float(np.mean(values))
    total = weights.sum(dtype=np.float64)
    if total == 0:
        msg = "Weights sum to zero, can't be normalized"
        raise ZeroDivisionError(msg)
    return float((values * weights).sum() / total)


def mean_of_defined(values: Array, weights: Array | None) -> float:
    """The mean of what is not NaN; where all of that weighs nothing, the plain mean."""
    gaps = np.isnan(values)
    if gaps.any():
        if gaps.all():
            return np.nan
        if weights is None:
            return float(np.where(gaps, 0.0, values).sum() / (len(values) - np.count_nonzero(gaps)))
        values, weights = values[~gaps], weights[~gaps]
    elif not len(values):
        return np.nan
    try:
        return mean(values, weights)
    except ZeroDivisionError:
        return mean(values, None)


def compare_targets(y_true: Any, y_pred: Any, weights: Any = None) -> Counted | Shares | Indicator:
    """Compare two containers: integers where they lie; everything else is counted."""
    if type(y_true) is np.ndarray and type(y_pred) is np.ndarray and y_true.ndim == y_pred.ndim == 1:
        n = len(y_true)
        if n and n == len(y_pred) and y_true.dtype.kind in "iub" and y_pred.dtype.kind in "iub":
            return Shares(y_true, y_pred, None if weights is None else read_weights(weights, y_true, y_pred, n))
    return count_targets(y_true, y_pred, weights)


def count_targets(y_true: Any, y_pred: Any, weights: Any = None, *, sorts: bool = True) -> Counted | Indicator:
    """Count two containers of labels, or pair two tables of indicators.

    `sorts` says that scikit-learn sorts arrays before it looks at them, which objects may refuse.
    """
    true, predicted = read(y_true), read(y_pred)
    if true is not None and predicted is not None:
        n = len(true.codes)
        if n != len(predicted.codes):
            raise InputError(_inconsistent(y_true, y_pred, weights))
        if not n:
            raise InputError(EMPTY)
        numbers = None if weights is None else read_weights(weights, y_true, y_pred, n)
        counted = count_sides(true, predicted, numbers)
        if counted is not None:
            return counted
    return _examined(y_true, y_pred, weights, sorts)


def count_labels(y_true: Any, y_pred: Any, weights: Any = None, *, sorts: bool = True) -> Counted:
    """Counted labels; tables of indicators are refused."""
    counted = count_targets(y_true, y_pred, weights, sorts=sorts)
    if isinstance(counted, Indicator):
        msg = f"{counted.type} is not supported"
        raise InputError(msg)
    return counted


def _examined(y_true: Any, y_pred: Any, weights: Any, sorts: bool) -> Counted | Indicator:
    for values in (y_true, y_pred):
        if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
            _masked(sorts)
        elif sorts and isinstance(values, np.ndarray) and values.dtype == object:
            np.unique(values)
    sizes = [number_of_samples(values) for values in (y_true, y_pred)]
    if sizes[0] != sizes[1]:
        raise InputError(_inconsistent(y_true, y_pred, weights))
    (type_true, true), (type_pred, pred) = examine(y_true, "y_true"), examine(y_pred, "y_pred")
    if not sizes[0]:
        raise InputError(EMPTY)
    numbers = None if weights is None else read_weights(weights, y_true, y_pred, sizes[0])
    types = {type_true, type_pred}
    if len(types) > 1 and types != {"binary", "multiclass"}:
        msg = f"Classification metrics can't handle a mix of {type_true} and {type_pred} targets"
        raise InputError(msg)
    if type_true == "multilabel-indicator":
        return indicator(true, pred, numbers)
    if not types <= {"binary", "multiclass"}:
        msg = f"{type_true} is not supported"
        raise InputError(msg)
    counted = count_sides(side_of(true), side_of(pred), numbers)
    if counted is None:
        msg = "labels may not be missing"
        raise InputError(msg)
    return counted


def _masked(sorts: bool) -> None:
    if sorts:
        msg = "labels may not be masked; take those that are not, `y[~y.mask]`, on both sides"
        raise InvalidParameterError(msg)
    warn(
        "the mask is lost: masked labels are counted like the others; "
        "`confmat.count(y_true, y_pred, missing='drop')` leaves them out",
        CompatibilityWarning,
    )


def _inconsistent(*containers: Any) -> str:
    sizes = [number_of_samples(values) for values in containers if values is not None]
    return f"Found input variables with inconsistent numbers of samples: {sizes}"


def read_weights(weights: Any, y_true: Any, y_pred: Any, n: int) -> Array:
    """Weights as an array: as many as there are samples, finite, not all zero."""
    if number_of_samples(weights) != n:
        raise InputError(_inconsistent(y_true, y_pred, weights))
    array = to_numpy(weights)
    if array.ndim != 1:
        msg = f"Sample weights must be 1D array or scalar, got {array.ndim}D array."
        raise InputError(msg)
    kind = array.dtype.kind
    if kind == "f":
        if not np.isfinite(array).all():
            what = "NaN" if np.isnan(array).any() else "infinity or a value too large for its type"
            msg = f"Input sample_weight contains {what}."
            raise InputError(msg)
    elif kind == "c":
        msg = "Complex data not supported"
        raise InputError(msg)
    elif kind not in "iub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidWeightsError(str(error)) from error
    if not array.any():
        msg = "Sample weights must contain at least one non-zero number."
        raise InputError(msg)
    return array


class InvalidWeightsError(InputError, TypeError):
    """Weights that are no numbers: both errors that scikit-learn gives for them."""
