"""Two aligned sides: the same labels in the same columns, and the cells of each label or item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.counts import exact_total
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.text import some
from confmat.counting.planning import Policy, SideNames, UnplacedLabels, place_names
from confmat.counting.tables import workers
from confmat.counting.weights import read_weights, squared
from confmat.metrics.items import ItemLabels
from confmat.multilabel.indicators import (
    SparseTable,
    Table,
    Values,
    check_ones,
    is_sparse,
    ones_at,
    sets_of,
    table_of,
)

Array = NDArray[Any]
_SIDES = ("actual", "predicted")
# Cells that are read together.
_CHUNK_CELLS = 2**19


@dataclass(slots=True)
class Aligned:
    """Two tables of zeros and ones with the labels in their columns: both arrays, or both sparse.

    Arrays may still hold something else: whoever adds them up finds it. `dropped` is what was left
    out, in items or their weights.
    """

    labels: Labels
    actual: Values
    predicted: Values
    weights: Array | None
    dropped: int | float
    # Which items are left of those that came; None if all.
    kept: Array | None

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.actual.shape[0])


def as_sparse(values: Values) -> SparseTable:
    """A table of zeros and ones in the sparse form."""
    if is_sparse(values):
        return values
    n, size = values.shape
    ones = np.ascontiguousarray(values).astype(bool, copy=False)
    ones_each = np.count_nonzero(ones, axis=1)
    columns = np.flatnonzero(ones) - np.repeat(np.arange(n) * size, ones_each)
    return ones_at(n, size, np.concatenate(([0], np.cumsum(ones_each))), columns)


def align(actual: Any, predicted: Any, weights: Any, sep: str | None, policy: Policy) -> Aligned:
    """Read both sides, settle their labels and leave out what is missing."""
    true, answered = (
        table_of(values, side) or sets_of(values, side, sep)
        for values, side in ((actual, "actual"), (predicted, "predicted"))
    )
    if true.shape[0] != answered.shape[0]:
        msg = Message(
            "{actual} has {:,} items and {predicted} has {:,}; they are paired by position, so "
            "there must be as many",
            true.shape[0],
            answered.shape[0],
        )
        raise InputError(msg)
    numbers = _numbers(weights, true.shape[0])
    labels, columns = _settle_labels(true, answered, policy)
    sides = zip((true, answered), columns, _SIDES, strict=True)
    values = [_move_columns(side, places, len(labels), title) for side, places, title in sides]
    kept, mixed = (
        _kept(true, answered, policy.missing),
        is_sparse(values[0]) != is_sparse(values[1]),
    )
    if kept is not None or mixed:
        for part, title in zip(values, _SIDES, strict=True):
            if not is_sparse(part):
                check_ones(part, title, list(labels))
    dropped: int | float = 0
    if kept is not None:
        values = [part[kept] for part in values]
        dropped = int((~kept).sum()) if numbers is None else numbers[~kept].sum().item()
        numbers = None if numbers is None else numbers[kept]
    if mixed:
        values = [as_sparse(part) for part in values]
    return Aligned(labels, values[0], values[1], numbers, dropped, kept)


def _numbers(weights: Any, many: int) -> Array | None:
    """The weights of the items, if there are some."""
    if weights is None:
        return None
    numbers = read_weights(weights, many)
    if numbers is not None and numbers.dtype == np.uint64:
        msg = Message("the weights add up to more than 63 bits hold; give them as floats")
        raise InputError(msg)
    return numbers


def _kept(true: Table, answered: Table, missing: str) -> Array | None:
    """Which items are there on both sides; None if all."""
    gaps = [side.holes for side in (true, answered)]
    if gaps[0] is None and gaps[1] is None:
        return None
    if missing == "error":
        parts = [
            Message(
                "{:,} in {}, the first at position {:,}",
                int(part.sum()),
                Argument(name),
                int(np.argmax(part)),
            )
            for part, name in zip(gaps, _SIDES, strict=True)
            if part is not None
        ]
        msg = Message(
            "missing items: {}. Say {missing:'drop'} to leave such items out",
            Message.joined("; ", parts),
        )
        raise LabelError(msg)
    kept = np.ones(true.shape[0], bool)
    for part in gaps:
        if part is not None:
            kept &= ~part
    return kept


# ---- labels --------------------------------------------------------------------------------------


def _settle_labels(true: Table, answered: Table, policy: Policy) -> tuple[Labels, list[Array]]:
    """The labels of both sides, and where each of their columns goes; -1 for nowhere."""
    true, answered = (
        _by_place(*sides, policy.labels) for sides in ((true, answered), (answered, true))
    )
    if policy.labels is None:
        _check_columns(true, answered)
    names = [
        _names(true, answered, policy.labels, _SIDES),
        _names(answered, true, policy.labels, _SIDES[::-1]),
    ]
    sides = [
        SideNames(part, None, False, False, table.ordered, Message("{}", Argument(title)))
        for part, table, title in zip(names, (true, answered), _SIDES, strict=True)
    ]
    if policy.labels is None and not any(names):
        msg = Message(
            "no item has a label on either side, so there is nothing to count; with {labels=} it "
            "is a count of zeros"
        )
        raise LabelError(msg)
    try:
        placement = place_names(sides[0], sides[1], policy)
    except UnplacedLabels as unplaced:
        raise LabelError(_unknown_message(unplaced, (true, answered))) from None
    return placement.labels, [placement.rows, placement.cols]


def _by_place(side: Table, other: Table, labels: Labels | None) -> Table:
    """Without the names that pandas gives to the columns of an array, unless these numbers are the labels."""
    numbers = {*range(side.shape[1])}
    wanted = other.names if labels is None else labels.classes
    unnamed = side.ordered and side.names == sorted(numbers) and {*(wanted or ())} != numbers
    return replace(side, names=None) if unnamed else side


def _check_columns(true: Table, answered: Table) -> None:
    """Two frames have columns of the same names, in any order; a label that only one has is a slip, most likely."""
    mine, theirs = (side.names if side.ordered else None for side in (true, answered))
    if not (mine and theirs):
        return
    alone = [
        Message("{} only in {}", some(names, 8), Argument(title))
        for title, names in (
            ("actual", [name for name in mine if name not in theirs]),
            ("predicted", [name for name in theirs if name not in mine]),
        )
        if names
    ]
    if alone:
        msg = Message(
            "the columns differ: {}. Give both sides the same names, or say {labels=} and, for columns that it "
            "does not name, {other:'drop'}",
            Message.joined(" and ", alone),
        )
        raise LabelError(msg)


def _names(
    side: Table, other: Table, labels: Labels | None, titles: tuple[str, ...]
) -> Sequence[Any]:
    """The names of the columns: their own, those of `labels`, those beside them, or their numbers."""
    if side.names is not None:
        return side.names
    size, title, beside = side.shape[1], *titles
    if labels is not None:
        names, whose = labels.classes, Message("{labels}")
    elif other.ordered and other.names is not None:
        names, whose = tuple(other.names), Message("{}", Argument(beside))
        if {*names} == {*range(size)}:
            # Columns that are called by their numbers are so on both sides.
            return range(size)
    elif other.ordered and other.shape[1] != size:
        msg = Message(
            "{} has {:,} columns and {} has {:,}; both need one for each label",
            Argument(title),
            size,
            Argument(beside),
            other.shape[1],
        )
        raise InputError(msg)
    else:
        return range(size)
    if len(names) != size:
        msg = Message(
            "{} has {:,} columns and {} {:,} labels: {}. Name every column, or give those that are asked for: "
            "`{}[:, columns]`",
            Argument(title),
            size,
            whose,
            len(names),
            some(names),
            title,
        )
        raise LabelError(msg)
    return names


def _unknown_message(unplaced: UnplacedLabels, sides: tuple[Table, Table]) -> str:
    assert unplaced.unknown is not None
    number = len(unplaced.names)
    places = []
    for side, bad, title in zip(sides, unplaced.unknown, _SIDES, strict=True):
        if bad.any() and is_sparse(side.values):
            row = int(np.argmax(np.isin(side.values.indices, np.flatnonzero(bad))))
            place = int(np.searchsorted(side.values.indptr, row, side="right")) - 1
            places.append(Message("first in item {:,} of {}", place, Argument(title)))
        elif bad.any():
            places.append(Message("in the columns of {}", Argument(title)))
    return Message(
        "{:,} label{} not among {labels}: {}, {}. Name them in {labels}, or say {other:'drop'}",
        number,
        "s are" if number > 1 else " is",
        some(unplaced.names, 8),
        Message.joined(" and ", places),
    )


def _move_columns(side: Table, places: Array, size: int, title: str) -> Values:
    """The columns in the order of the labels."""
    values = side.values
    if len(places) == size == side.shape[1] and np.array_equal(places, np.arange(size)):
        return values
    known = places >= 0
    if not is_sparse(values):
        check_ones(values, title, side.names)
        moved = np.zeros((len(values), size), bool)
        moved[:, places[known]] = values[:, known]
        return moved
    stays = known[values.indices]
    ends = np.concatenate(([0], np.cumsum(stays)))[values.indptr]
    return ones_at(values.shape[0], size, ends, places[values.indices[stays]])


def by_label(aligned: Aligned, threads: int | None) -> tuple[Array, Array | None]:
    """For each label a table of its four cells, (L, 2, 2), and of squared weights where there are weights."""
    if aligned.weights is not None:
        return _weighted(aligned, threads)
    if is_sparse(aligned.actual):
        both = aligned.actual.multiply(aligned.predicted).tocsr()
        sums = [
            np.bincount(part.indices, minlength=len(aligned.labels))
            for part in (both, aligned.actual, aligned.predicted)
        ]
        return _four(sums, aligned.n), None
    return _four(_ones(aligned, threads), aligned.n), None


def by_item(aligned: Aligned, threads: int | None) -> tuple[Array, Array | None]:
    """For each item a table of its labels, (n, 2, 2), and of squared weights where there are weights."""
    if is_sparse(aligned.actual):
        both = aligned.actual.multiply(aligned.predicted).tocsr()
        sums = [np.diff(part.indptr) for part in (both, aligned.actual, aligned.predicted)]
    else:
        _ones(aligned, threads)
        sums = _ones_of_rows(aligned.actual, aligned.predicted)
    table = _four(sums, len(aligned.labels))
    if aligned.weights is None:
        return table, None
    most = exact_total(aligned.weights) * len(aligned.labels)
    if most >= (math.inf if aligned.weights.dtype.kind == "f" else 2**63):
        msg = "the weights of all labels add up to more than a number holds; scale them down"
        raise InputError(msg)
    squares = squared(aligned.weights)
    return table * aligned.weights[:, None, None], None if squares is None else table * squares[
        :, None, None
    ]


def labels_of_items(aligned: Aligned) -> ItemLabels:
    """Which labels each item has and got, of two tables that are known to hold zeros and ones."""
    actual, predicted = (
        part if is_sparse(part) else np.packbits(part.astype(bool, copy=False), axis=1)
        for part in (aligned.actual, aligned.predicted)
    )
    return ItemLabels(aligned.labels, actual, predicted, aligned.weights)


def _four(sums: Iterable[Array], total: int) -> Array:
    """True negatives and false positives, false negatives and true positives."""
    both, actual, predicted = sums
    cells = np.empty((len(both), 4), np.int64)
    # In place, for there may be millions of items.
    cells[:, 0], cells[:, 1], cells[:, 2], cells[:, 3] = total, predicted, actual, both
    cells[:, 1:3] -= cells[:, 3:]
    for place in (1, 2, 3):
        cells[:, 0] -= cells[:, place]
    return cells.reshape(-1, 2, 2)


def _ones(aligned: Aligned, threads: int | None) -> Array:
    sums, wrong = ones_of_columns(
        aligned.actual, aligned.predicted, workers(threads, aligned.n * len(aligned.labels))
    )
    if wrong:
        for part, title in ((aligned.actual, "actual"), (aligned.predicted, "predicted")):
            check_ones(part, title, list(aligned.labels))
    return sums


def sparse_sides(aligned: Aligned, threads: int | None) -> tuple[SparseTable, SparseTable]:
    """Both tables in the sparse form, checked."""
    if not is_sparse(aligned.actual):
        _ones(aligned, threads)
    return as_sparse(aligned.actual), as_sparse(aligned.predicted)


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
    """Count tables that lie column by column, as those of data frames do: each column is a count of pairs."""
    sums, wrong = np.zeros((3, actual.shape[1]), np.int64), False
    for place in range(actual.shape[1]):
        table, outside = kernels.kernel.count_dense(
            actual[:, place], predicted[:, place], 0, 2, 0, 2, threads
        )
        sums[:, place] = table[1, 1], table[1].sum(), table[:, 1].sum()
        wrong = wrong or outside > 0
    return sums, wrong


def _ones_of_rows(actual: Array, predicted: Array) -> list[Array]:
    """Ones of each row in both tables, in the first and in the second, block by block."""
    sums = [np.empty(len(actual), np.int32) for _ in range(3)]
    step = max(1, _CHUNK_CELLS // actual.shape[1])
    for begin in range(0, len(actual), step):
        part = slice(begin, begin + step)
        true, answered = actual[part].astype(bool), predicted[part].astype(bool)
        for whole, ones in zip(sums, (true & answered, true, answered), strict=True):
            whole[part] = np.count_nonzero(ones, axis=1)
    return sums


# ---- weights -------------------------------------------------------------------------------------


def _weighted(aligned: Aligned, threads: int | None) -> tuple[Array, Array | None]:
    """Sums of weights, exact for integers, and of their squares where floats hold them."""
    assert aligned.weights is not None
    actual, predicted = sparse_sides(aligned, threads)
    both = actual.multiply(predicted)
    parts = [predicted - both, actual - both, both]
    sums, second = np.stack([part.T @ aligned.weights for part in parts]), squared(aligned.weights)
    nothing = _of_nothing(aligned, (actual + predicted).tocsc(), sums.sum(axis=0))
    table = np.stack([nothing, *sums], axis=1).reshape(-1, 2, 2)
    if second is None:
        return table, None
    squares = np.stack([part.T @ second for part in parts])
    others = np.where(nothing == 0, 0.0, np.maximum(second.sum() - squares.sum(axis=0), 0.0))
    return table, np.stack([others, *squares], axis=1).reshape(-1, 2, 2)


def _of_nothing(aligned: Aligned, either: SparseTable, sums: Array) -> Array:
    """The weight of items that neither have a label nor get it; where that is little, it is added up by itself."""
    assert aligned.weights is not None
    total = aligned.weights.sum()
    rest = total - sums
    if rest.dtype.kind != "f":
        return rest
    # A difference of sums would leave rounding where there is nothing.
    for place in np.flatnonzero(rest < total / 4).tolist():
        there = either.indices[either.indptr[place] : either.indptr[place + 1]]
        without = np.ones(aligned.n, bool)
        without[there] = False
        rest[place] = aligned.weights[without].sum()
    return rest
