"""The one count behind every score of labels: common labels, sorted, and how often each pair of them occurs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from confmat import _kernels
from confmat._counts import DENSE_BYTES
from confmat._naming import sorted_union
from confmat.counting.columns import Column
from confmat.counting.pairing import workers
from confmat.counting.tables import Coded, coded, count_raw
from confmat.errors import InputError
from confmat.sklearn._reading import Array, Side

__all__ = ["Counted", "Margins", "Shares", "count_sides"]

# Distinct integers closer than this are counted into one table without looking for their range first.
CLOSE = 2**16


@dataclass(slots=True)
class Margins:
    """Per label: how often it was right, predicted, and true."""

    right: Array
    predicted: Array
    true: Array


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
        """What scikit-learn calls such a target."""
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
    """What is right among integers, which no table is needed for."""

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
        most = int(min(max(CLOSE, 4 * n), DENSE_BYTES // 8) ** 0.5)
        found = _kernels.kernel.count_close(true.codes, predicted.codes, most, threads)
        if found is not None:
            return _close(true, predicted, weights, *found, threads)
    left, right = (coded(Column(side.codes, side.names, holes=side.names is not None)) for side in (true, predicted))
    return _far(true, predicted, left, right, weights, threads)


def _close(true: Side, predicted: Side, weights: Array | None, low: int, counts: Array, threads: int) -> Counted:
    n, span = len(true.codes), len(counts)
    sums = counts
    if weights is not None:
        area = (low, span, low, span)
        sums = _signed(
            _kernels.kernel.count_weighted(true.codes, predicted.codes, _plain(weights), *area, threads)[0], weights
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
        _names(side, part, found) for side, part, found in zip((true, predicted), (left, right), seen, strict=True)
    ]
    labels, codes = _common(names[0], names[1])
    maps = [np.full(part.size, -1) for part in (left, right)]
    for places, found, code in zip(maps, seen, codes, strict=True):
        places[found] = code
    size = len(labels)
    dense = size * size <= max(CLOSE, 4 * len(true.codes)) and size * size * 8 <= DENSE_BYTES
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


def _names(side: Side, part: Coded, found: Array) -> Array:
    if side.names is None:
        names: Any = part.names.array()[found] if hasattr(part.names, "array") else np.asarray(part.names)[found]
        return names.astype(side.dtype)
    kept = [side.names[i] for i in (found - part.holes).tolist()]
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
    ends = tuple(int(end) for part in (true, predicted) if len(part) and part.dtype.kind in "iu" for end in _ends(part))
    if ends and _merging(true.dtype, predicted.dtype, ends):
        labels = sorted_union(true, predicted)
        return labels, [np.searchsorted(labels, part.astype(labels.dtype)) for part in (true, predicted)]
    labels = np.union1d(true, predicted)
    if len(labels) == len(true):
        # Of labels that are equal, the true ones lend their type: False and 0 are False.
        labels = labels.astype(true.dtype)
    return labels, [np.searchsorted(labels, part) for part in (true, predicted)]


def _ends(part: Array) -> tuple[Any, Any]:
    return part.min(), part.max()


def _unused(true: Side, predicted: Side, labels: Array) -> tuple[Any, ...]:
    if not (true.categories or predicted.categories):
        return ()
    known = set(labels.tolist())
    names = [name for side in (true, predicted) if side.categories and side.names is not None for name in side.names]
    return tuple(dict.fromkeys(name for name in names if name not in known))
