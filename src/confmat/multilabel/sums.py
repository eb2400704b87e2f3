"""Sums: the four cells of every label or of every item, from two tables of zeros and ones."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.counts import exact_total
from confmat.core.errors import InputError
from confmat.counting.tables import workers
from confmat.counting.weights import squared
from confmat.metrics.items import ItemLabels
from confmat.multilabel.aligning import Aligned, as_sparse
from confmat.multilabel.tables import SparseTable, check_ones, is_sparse

__all__ = ["by_item", "by_label", "labels_of_items", "ones_of_columns", "sparse_sides"]

Array = NDArray[Any]
# Cells that are looked at together.
_AT_ONCE = 2**19


def by_label(found: Aligned, threads: int | None) -> tuple[Array, Array | None]:
    """For each label a table of its four cells, (L, 2, 2), and of squared weights where there are weights."""
    if found.weights is not None:
        return _weighted(found, threads)
    if is_sparse(found.actual):
        both = found.actual.multiply(found.predicted).tocsr()
        sums = [
            np.bincount(part.indices, minlength=len(found.labels)) for part in (both, found.actual, found.predicted)
        ]
        return _four(sums, found.n), None
    return _four(_ones(found, threads), found.n), None


def by_item(found: Aligned, threads: int | None) -> tuple[Array, Array | None]:
    """For each item a table of its labels, (n, 2, 2), and of squared weights where there are weights."""
    if is_sparse(found.actual):
        both = found.actual.multiply(found.predicted).tocsr()
        sums = [np.diff(part.indptr).astype(np.int64) for part in (both, found.actual, found.predicted)]
    else:
        _ones(found, threads)
        sums = _ones_of_rows(found.actual, found.predicted)
    table = _four(sums, len(found.labels))
    if found.weights is None:
        return table, None
    if found.weights.dtype.kind != "f" and exact_total(found.weights) * len(found.labels) >= 2**63:
        msg = "the weights of all labels add up to more than 63 bits hold; give them as floats"
        raise InputError(msg)
    if not math.isfinite(exact_total(found.weights) * len(found.labels)):
        msg = "the weights of all labels add up to more than a float holds; scale them down"
        raise InputError(msg)
    squares = squared(found.weights)
    return table * found.weights[:, None, None], None if squares is None else table * squares[:, None, None]


def labels_of_items(found: Aligned) -> ItemLabels:
    """Which labels each item has and got, of two tables that are known to hold zeros and ones."""
    actual, predicted = (part if is_sparse(part) else _bits(part) for part in (found.actual, found.predicted))
    return ItemLabels(found.labels, actual, predicted, found.weights)


def _bits(table: Array) -> Array:
    n, size = table.shape
    packed = np.empty((n, -(-size // 8)), np.uint8)
    step = max(1, _AT_ONCE // max(size, 1))
    for begin in range(0, n, step):
        packed[begin : begin + step] = np.packbits(table[begin : begin + step].astype(bool, copy=False), axis=1)
    return packed


def _four(sums: Iterable[Array], total: int) -> Array:
    """True negatives and false positives, false negatives and true positives."""
    both, actual, predicted = sums
    cells = np.empty((len(both), 4), np.int64)
    cells[:, 0], cells[:, 3] = total, both
    cells[:, 1], cells[:, 2] = predicted, actual
    # In place, for there may be millions of items.
    cells[:, 1:3] -= cells[:, 3:]
    for place in (1, 2, 3):
        cells[:, 0] -= cells[:, place]
    return cells.reshape(-1, 2, 2)


def _ones(found: Aligned, threads: int | None) -> Array:
    sums, wrong = ones_of_columns(found.actual, found.predicted, workers(threads, found.n * len(found.labels)))
    if wrong:
        for part, title in ((found.actual, "actual"), (found.predicted, "predicted")):
            check_ones(part, title, list(found.labels))
    return sums


def sparse_sides(found: Aligned, threads: int | None) -> tuple[SparseTable, SparseTable]:
    """Both tables in the sparse form, checked."""
    if not is_sparse(found.actual):
        _ones(found, threads)
    return as_sparse(found.actual), as_sparse(found.predicted)


def ones_of_columns(actual: Array, predicted: Array, threads: int) -> tuple[Array, bool]:
    """Ones of each column in both tables, in the first and in the second, (3, L); and whether others were found."""
    if actual.flags.f_contiguous and predicted.flags.f_contiguous and not actual.flags.c_contiguous:
        return _ones_of_long_columns(actual, predicted, threads)
    if actual.dtype.itemsize != predicted.dtype.itemsize:
        if any(((part != 0) & (part != 1)).any() for part in (actual, predicted)):
            return np.zeros((3, actual.shape[1]), np.int64), True
        actual, predicted = actual.astype(bool), predicted.astype(bool)
    return kernels.kernel.count_indicators(_in_rows(actual), _in_rows(predicted), threads)


def _in_rows(table: Array) -> Array:
    native = table if table.dtype.isnative else table.astype(table.dtype.newbyteorder("="))
    return np.require(native, requirements=["C", "A"])


def _ones_of_long_columns(actual: Array, predicted: Array, threads: int) -> tuple[Array, bool]:
    """Of tables that lie column by column, as those of data frames do: each is a count of pairs."""
    sums, wrong = np.zeros((3, actual.shape[1]), np.int64), False
    for place in range(actual.shape[1]):
        table, outside = kernels.kernel.count_dense(actual[:, place], predicted[:, place], 0, 2, 0, 2, threads)
        sums[:, place] = table[1, 1], table[1].sum(), table[:, 1].sum()
        wrong = wrong or outside > 0
    return sums, wrong


def _ones_of_rows(actual: Array, predicted: Array) -> list[Array]:
    n, size = actual.shape
    sums = [np.empty(n, np.int32) for _ in range(3)]
    step = max(1, _AT_ONCE // size)
    for begin in range(0, n, step):
        part = slice(begin, begin + step)
        true, answered = actual[part].astype(bool), predicted[part].astype(bool)
        for whole, ones in zip(sums, (true & answered, true, answered), strict=True):
            whole[part] = np.count_nonzero(ones, axis=1)
    return sums


# ---- weights -----------------------------------------------------------------------------------------------


def _weighted(found: Aligned, threads: int | None) -> tuple[Array, Array | None]:
    """Sums of weights, exact for integers, and of their squares where floats hold them."""
    assert found.weights is not None
    actual, predicted = sparse_sides(found, threads)
    both = actual.multiply(predicted).tocsr()
    parts = [both, actual - both, predicted - both]
    items = np.concatenate([np.repeat(np.arange(found.n), np.diff(part.indptr)) for part in parts])
    labels = np.concatenate([part.indices for part in parts])
    kinds = np.repeat(np.arange(3), [part.nnz for part in parts])
    size = len(found.labels)
    weights = found.weights[items]
    sums, squares, _ = kernels.kernel.count_weighted(
        labels, kinds, weights, 0, size, 0, 3, workers(threads, len(items))
    )
    nothing = _of_nothing(found, (actual + predicted).tocsc(), sums)
    second = squared(found.weights)
    if second is None:
        return _laid_out(sums, nothing), None
    others = np.maximum(second.sum() - squares.sum(axis=1), 0.0)
    others[nothing == 0] = 0.0
    return _laid_out(sums, nothing), _laid_out(squares, others)


def _laid_out(three: Array, rest: Array) -> Array:
    """Hits, misses and false alarms of each label as its table, with what has and gets the label nowhere."""
    return np.stack([rest, three[:, 2], three[:, 1], three[:, 0]], axis=1).reshape(-1, 2, 2)


def _of_nothing(found: Aligned, either: SparseTable, sums: Array) -> Array:
    """The weight of items that neither have a label nor get it; where that is little, it is added up by itself."""
    assert found.weights is not None
    total = found.weights.sum()
    rest = total - sums.sum(axis=1)
    if rest.dtype.kind != "f":
        return rest
    # A difference of sums would leave rounding where there is nothing.
    for place in np.flatnonzero(rest < total / 4).tolist():
        there = either.indices[either.indptr[place] : either.indptr[place + 1]]
        without = np.ones(found.n, bool)
        without[there] = False
        rest[place] = found.weights[without].sum()
    return rest
