"""Crossing: one matrix of labels by labels, with "(none)" for items without true or without predicted labels.

The rule is that of M. Heydarian, T. E. Doyle and R. Samavi, "MLCM: Multi-Label Confusion Matrix", IEEE Access 10
(2022), 19083-19095.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import BudgetError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.counting import count
from confmat.multilabel.aligning import Aligned
from confmat.multilabel.sums import sparse_sides
from confmat.multilabel.tables import SparseTable

__all__ = ["NONE", "crossed"]

Array = NDArray[Any]

NONE = "(none)"
# Pairs of labels that are counted together.
_AT_ONCE = 2**22
# Of one item, which is counted in one go: four thousand labels missed and as many wrong ones, in a gigabyte or so.
_MOST_OF_ONE = 2**24 + 2**13


@dataclass(slots=True)
class _Sides:
    """Per item: labels that were hit, missed and predicted beside the truth, and the true ones."""

    hit: SparseTable
    missed: SparseTable
    extra: SparseTable
    true: SparseTable

    def part(self, begin: int, end: int) -> _Sides:
        return _Sides(*(side[begin:end] for side in (self.hit, self.missed, self.extra, self.true)))


def crossed(found: Aligned, threads: int | None) -> ConfusionMatrix:
    """The matrix of all pairs of a true and a predicted label that the rule makes of the items."""
    labels = Labels(found.labels, outside=[NONE], positive=None)
    actual, predicted = sparse_sides(found, threads)
    hit = actual.multiply(predicted).tocsr()
    sides = _Sides(hit, actual - hit, predicted - hit, actual)
    size = len(labels)
    nothing = np.zeros(0, np.int64)
    whole = ConfusionMatrix._of(labels, count(nothing, nothing, labels=range(size))._counts, None, found.dropped)
    for begin, end in _blocks(sides):
        rows, cols, items = _pairs(sides.part(begin, end), size - 1)
        weights = None if found.weights is None else found.weights[begin:end][items]
        part = count(rows, cols, labels=range(size), weights=weights, threads=threads)
        whole = whole + ConfusionMatrix._of(labels, part._counts, part._squares)
    return whole


def _sizes(table: SparseTable) -> Array:
    return np.diff(table.indptr).astype(np.int64)


def _answering(sides: _Sides) -> tuple[Array, Array]:
    """Per item, how many rows each extra label is counted in, and where they begin among missed, true and none."""
    missed, true = _sizes(sides.missed), _sizes(sides.true)
    # An extra label is taken for the missed ones; where nothing was missed, for all true ones; or for none.
    many = np.where(missed > 0, missed, np.maximum(true, 1))
    begin = np.where(
        missed > 0,
        sides.missed.indptr[:-1],
        np.where(true > 0, sides.missed.nnz + sides.true.indptr[:-1], sides.missed.nnz + sides.true.nnz),
    )
    return many, begin


def _blocks(sides: _Sides) -> Iterator[tuple[int, int]]:
    """Runs of items that make a bounded number of pairs."""
    pairs = _answering(sides)[0] * _sizes(sides.extra) + _sizes(sides.true) + 1
    if len(pairs) and int(pairs.max()) > _MOST_OF_ONE:
        place = int(np.argmax(pairs))
        msg = f"item {place:,} alone makes {int(pairs[place]):,} pairs of labels, more than {_MOST_OF_ONE:,}"
        raise BudgetError(msg)
    ends = np.cumsum(pairs)
    begin = 0
    while begin < len(pairs):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + _AT_ONCE, side="right")))
        yield begin, end
        begin = end


def _pairs(sides: _Sides, none: int) -> tuple[Array, Array, Array]:
    """Rows and columns of the matrix, and the item that each pair comes from."""
    many, begin = _answering(sides)
    n, extra = len(many), _sizes(sides.extra)
    items = np.arange(n)
    pool = np.concatenate([sides.missed.indices, sides.true.indices, [none]])
    of_extra = np.repeat(items, extra)
    times = many[of_extra]
    steps = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    crossing = np.repeat(of_extra, times)
    # What was missed where nothing else was predicted, and items without labels on both sides.
    of_missed = np.repeat(items, _sizes(sides.missed))
    alone = extra[of_missed] == 0
    empty = items[(_sizes(sides.true) == 0) & (extra == 0)]
    nothing = np.full(len(empty), none)
    missed = sides.missed.indices[alone]
    rows = [sides.hit.indices, pool[begin[crossing] + steps], missed, nothing]
    cols = [sides.hit.indices, np.repeat(sides.extra.indices, times), np.full(len(missed), none), nothing]
    whose = [np.repeat(items, _sizes(sides.hit)), crossing, of_missed[alone], empty]
    return np.concatenate(rows), np.concatenate(cols), np.concatenate(whose)
