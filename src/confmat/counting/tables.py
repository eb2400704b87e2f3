"""Two columns counted into a raw table over their own names, which is then moved onto common labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.counts import DENSE_BYTES, Counts, exact_total, fits_dense
from confmat.core.errors import Argument, BudgetError, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import whole_number
from confmat.core.processors import cores
from confmat.core.text import some
from confmat.counting.columns import Column, Integers, factorize, is_range
from confmat.counting.planning import Placement, Policy, SideNames, UnplacedLabels, place_names

Array = NDArray[Any]

# Small tables are cheapest dense, whatever the number of pairs.
SMALL_TABLE_CELLS = 2**16
ACTUAL, PREDICTED = Message("{actual}"), Message("{predicted}")
# The most pairs that are copied at a time.
PIECE = 2**18
# Below this many pairs, starting threads costs more than they save.
MIN_THREADED_PAIRS = 200_000
MAX_THREADS = 256


@dataclass(slots=True)
class Coded:
    """A column whose codes run over a known range: code - first is the raw row."""

    codes: Array
    first: int
    size: int
    names: Any
    holes: bool
    column: Column


@dataclass(slots=True)
class Raw:
    """A table over raw rows and columns: dense, or cells (rows, cols, values) in order; squares likewise."""

    table: Array | None
    cells: tuple[Array, Array, Array] | None
    squares: Array | None


def coded(column: Column) -> Coded:
    """A column with its range; integers spread thinly over a wide range get codes of their own."""
    codes = column.codes
    if column.names is not None:
        holes = column.holes
        return Coded(
            codes, -1 if holes else 0, len(column.names) + holes, column.names, holes, column
        )
    if codes.dtype == bool:
        return Coded(codes, 0, 2, [False, True], False, column)
    low, high = (int(codes.min()), int(codes.max())) if len(codes) else (0, -1)
    span = high - low + 1
    if span <= max(SMALL_TABLE_CELLS, 4 * len(codes)):
        return Coded(codes, low, span, Integers(low, span), False, column)
    codes, distinct = factorize(codes)
    return Coded(
        codes, 0, len(distinct), Integers(int(distinct[0]), len(distinct), distinct), False, column
    )


def dense_is_better(rows: int, cols: int, n: int) -> bool:
    """Whether counting into a whole table beats sorting the pairs."""
    return rows * cols <= max(SMALL_TABLE_CELLS, 4 * n) and rows * cols * 8 <= DENSE_BYTES


def count_raw(row: Coded, col: Coded, weights: Array | None, threads: int) -> Raw:
    """Count the pairs over the raw names of both sides."""
    return count_area(row.codes, row.first, row.size, col, weights, threads)


def count_area(
    rows: Array, first: int, size: int, col: Coded, weights: Array | None, threads: int
) -> Raw:
    """Count pairs of row codes and a column over a table of `size` rows."""
    kernel = kernels.kernel
    if size * col.size >= 2**63:
        msg = f"{size:,} x {col.size:,} possible cells are more than can be numbered"
        raise BudgetError(msg)
    area = (first, size, col.first, col.size)
    if dense_is_better(size, col.size, len(rows)):
        if weights is None:
            return Raw(kernel.count_dense(rows, col.codes, *area, threads)[0], None, None)
        sums, weighed, _ = kernel.count_weighted(rows, col.codes, weights, *area, threads)
        return Raw(sums, None, weighed)
    row, column, values, squares, _ = kernel.count_sparse(rows, col.codes, weights, *area, threads)
    return Raw(None, (row, column, values), squares)


def left_out(raw: Raw, placement: Placement) -> int | float:
    """Add up the cells of the raw table that are left out; a difference of totals would be rounded."""
    if not placement.leaves_out:
        return 0
    rows, cols = placement.rows < 0, placement.cols < 0
    if raw.table is not None:
        return exact_total(raw.table[rows]) + exact_total(raw.table[~rows][:, cols])
    assert raw.cells is not None
    return exact_total(raw.cells[2][rows[raw.cells[0]] | cols[raw.cells[1]]])


def side_of(
    side: Coded, raw: Raw, axis: int, title: str, counted: Array | None = None
) -> SideNames:
    """The names of one side and which of them occur; `counted` says among which pairs, None among all."""
    all_occur = side.column.names is not None and not side.column.spare and counted is None
    occurs, has_missing = None, False
    if side.holes or not all_occur:
        met = _met(side, raw, axis, counted)
        has_missing = bool(side.holes and met[0])
        occurs = None if all_occur else met[int(side.holes) :]
    return SideNames(side.names, occurs, side.holes, has_missing, side.column.ordered, title)


def _met(side: Coded, raw: Raw, axis: int, counted: Array | None) -> Array:
    """Mark the raw rows (or columns) that pairs fall into."""
    if counted is None and raw.table is not None and raw.squares is None:
        return np.asarray(raw.table.any(axis=1 - axis))
    met = np.zeros(side.size, dtype=bool)
    if counted is not None:
        met[offsets(side)[counted]] = True
    elif raw.cells is not None:
        met[raw.cells[axis]] = True
    else:
        # A label whose pairs all weigh nothing occurs all the same, so the codes are asked, not the
        # sums.
        for piece in pieces(side):
            met[offsets(piece)] = True
    return met


def without_empty_gaps(raw: Raw, row: SideNames, col: SideNames) -> Raw:
    """The raw table without the row and column for missing values, where nothing is missing."""
    top, left = (int(side.has_missing_row and not side.has_missing) for side in (row, col))
    if raw.table is None or not (top or left):
        return raw
    row.has_missing_row, col.has_missing_row = row.has_missing, col.has_missing
    squares = None if raw.squares is None else raw.squares[top:, left:]
    return Raw(raw.table[top:, left:], None, squares)


def entered(policy: Policy, placement: Placement, col: SideNames, raws: Iterable[Raw]) -> None:
    """Report to the rules how often each answer was counted."""
    if policy.answers is not None and placement.readings is not None and not policy.is_quiet:
        policy.answers._enter(_counted(placement.readings, col, raws))


def _counted(
    readings: list[Any], col: SideNames, raws: Iterable[Raw]
) -> Iterator[tuple[Any, Any, Any]]:
    """Each answer with its reading and its number, worked out when they are asked for."""
    names = col.listed()
    # A column for missing values comes before those of the names.
    first = int(col.has_missing_row)
    sums = sum(_column_sums(raw, first + len(names)) for raw in raws)
    rows = zip(names, readings, np.asarray(sums)[first:].tolist(), strict=True)
    yield from (row for row in rows if row[1] is not None)


def _column_sums(raw: Raw, size: int) -> Array:
    if raw.table is not None:
        return np.asarray(raw.table.sum(axis=0))
    assert raw.cells is not None
    sums = np.zeros(size, raw.cells[2].dtype)
    np.add.at(sums, raw.cells[1], raw.cells[2])
    return sums


def offsets(side: Coded) -> Array:
    """Codes minus `first`, exact for every width: the difference wraps in 64 bits and comes out right."""
    codes = side.codes.view(np.uint8) if side.codes.dtype == bool else side.codes
    wide = codes if codes.dtype == np.uint64 else codes.astype(np.int64).view(np.uint64)
    return wide - np.uint64(side.first % 2**64)


def pieces(side: Coded) -> Iterator[Coded]:
    """The column in parts, whose copies take little memory."""
    for start in range(0, len(side.codes), PIECE):
        yield replace(side, codes=side.codes[start : start + PIECE])


def sums_of(row: Coded, col: Coded, numbers: Array) -> Raw:
    """Add up integers over the raw names of both sides, in little more memory than the table takes."""
    table = np.zeros((row.size, col.size), numbers.dtype)
    for start, (left, right) in enumerate(zip(pieces(row), pieces(col), strict=True)):
        np.add.at(
            table, (offsets(left), offsets(right)), numbers[start * PIECE : (start + 1) * PIECE]
        )
    # As where there are squares, labels of no weight occur.
    return Raw(table, None, table)


def placed(
    raw: Raw, placement: Placement, total: int | float | None, *, sparse: bool | None
) -> tuple[Counts, Counts | None]:
    """The raw table on the common labels; `total` is its sum where that is known."""
    places, values = (None, raw.table) if raw.cells is None else (raw.cells[:2], raw.cells[2])
    assert values is not None
    counts = _placed(places, values, placement, total, sparse)
    if raw.squares is None:
        return counts, None
    return counts, _placed(places, raw.squares, placement, None, counts.is_sparse)


def _placed(
    places: Sequence[Array] | None,
    values: Array,
    placement: Placement,
    total: int | float | None,
    sparse: bool | None,
) -> Counts:
    """Values of raw cells, or without places those of the whole raw table, on the common labels."""
    size = len(placement.labels)
    total = None if placement.leaves_out else total
    if places is None:
        if size * size <= max(SMALL_TABLE_CELLS, 4 * values.size):
            return Counts.of_table(_moved(values, placement, size), total=total, sparse=sparse)
        places = np.nonzero(values)
        values = values[places]
    # An identity needs no second copy of the codes, which may be of a million classes.
    rows, cols = (
        raw if placement.is_identity or _is_identity(codes) else codes[raw]
        for raw, codes in zip(places, (placement.rows, placement.cols), strict=True)
    )
    if placement.leaves_out:
        kept = (rows >= 0) & (cols >= 0)
        rows, cols, values = rows[kept], cols[kept], values[kept]
    return Counts.of_cells(
        size, rows, cols, values, total=total, sparse=sparse, in_order=placement.keeps_order
    )


def _moved(table: Array, placement: Placement, size: int) -> Array:
    """The raw table with its rows and columns where their labels are."""
    rows, cols = placement.rows, placement.cols
    if min(rows.min(initial=0), cols.min(initial=0)) < 0:
        kept_rows, kept_cols = np.flatnonzero(rows >= 0), np.flatnonzero(cols >= 0)
        table, rows, cols = table[kept_rows[:, None], kept_cols], rows[kept_rows], cols[kept_cols]
    if placement.is_identity or (
        table.shape == (size, size) and _is_identity(rows) and _is_identity(cols)
    ):
        return np.ascontiguousarray(table)
    moved = np.zeros((size, size), dtype=table.dtype)
    if placement.merges:
        np.add.at(moved, (rows[:, None], cols), table)
    else:
        moved[rows[:, None], cols] = table
    return moved


def _is_identity(codes: Array) -> bool:
    return np.array_equal(codes, np.arange(len(codes)))


def workers(threads: int | None, n: int) -> int:
    """How many threads to use for n pairs."""
    if threads is None:
        return 1 if n < MIN_THREADED_PAIRS else cores()
    return min(whole_number("threads", threads), MAX_THREADS)


def count_columns(
    row: Column, col: Column, weights: Array | None, policy: Policy
) -> ConfusionMatrix:
    """Count two columns of equal length."""
    n = len(row.codes)
    if not n:
        return _nothing(policy)
    threads = workers(policy.threads, n)
    are_integers = all(side.names is None and not side.is_bool for side in (row, col))
    if are_integers and weights is None and policy.answers is None:
        count_close = _count_close if policy.labels is None else _count_range
        matrix = count_close(row.codes, col.codes, policy, threads)
        if matrix is not None:
            return matrix
    left, right = coded(row), coded(col)
    raw = count_raw(left, right, weights, threads)
    names = side_of(left, raw, 0, ACTUAL), side_of(right, raw, 1, PREDICTED)
    raw = without_empty_gaps(raw, *names)
    placement = place_columns(left, right, policy, *names)
    entered(policy, placement, names[1], [raw])
    counts, squares = placed(raw, placement, n if weights is None else None, sparse=policy.sparse)
    return ConfusionMatrix._of(placement.labels, counts, squares, left_out(raw, placement))


def _nothing(policy: Policy) -> ConfusionMatrix:
    if policy.labels is None:
        msg = Message(
            "there are no pairs to count; with {labels=} an empty input gives a matrix of zeros"
        )
        raise InputError(msg)
    empty = np.zeros(0, np.int64)
    counts = Counts.of_cells(len(policy.labels), empty, empty, empty, sparse=policy.sparse)
    return ConfusionMatrix._of(policy.labels, counts)


def _most_close(n: int) -> int:
    """The most integers side by side whose dense table is worth its memory for n pairs."""
    return int(min(max(SMALL_TABLE_CELLS, 4 * n), DENSE_BYTES // 8) ** 0.5)


def _count_close(
    actual: Array, predicted: Array, policy: Policy, threads: int
) -> ConfusionMatrix | None:
    """Count integers of a narrow range over a dense table; None for the general road."""
    n = len(actual)
    close = kernels.kernel.count_close(actual, predicted, _most_close(n), threads)
    if close is None:
        return None
    low, table = close
    names = list(range(low, low + len(table)))
    seen = (table.sum(axis=1) + table.sum(axis=0)) > 0
    if not seen.all():
        kept = np.flatnonzero(seen)
        table, names = table[kept[:, None], kept], [low + i for i in kept.tolist()]
    if len(names) > policy.max_classes:
        return None
    labels = Labels._trusted(tuple(names), "int")
    if policy.positive is not None:
        labels = labels.replace(positive=policy.positive)
    return ConfusionMatrix._of(labels, Counts(len(names), table, None, n).stored(policy.sparse))


def _count_range(
    actual: Array, predicted: Array, policy: Policy, threads: int
) -> ConfusionMatrix | None:
    """Count integers over labels that are a narrow range; None for the general road."""
    labels, n = policy.labels, len(actual)
    if labels is None or labels.kind != "int" or labels.outside:
        return None
    array, size = labels._array(), len(labels)
    if array is None or size > _most_close(n) or not fits_dense(size) or not is_range(array):
        return None
    low = int(array[0])
    area = (low, size, low, size)
    table, beyond = kernels.kernel.count_dense(actual, predicted, *area, threads)
    if beyond:
        return None
    return ConfusionMatrix._of(labels, Counts(size, table, None, n).stored(policy.sparse))


def place_columns(
    left: Coded, right: Coded, policy: Policy, row: SideNames, col: SideNames
) -> Placement:
    """Place the names of two columns, with an error that counts and places what may not stay."""
    try:
        return place_names(row, col, policy)
    except UnplacedLabels as error:
        unplaced = error
    if unplaced.unknown is None:
        raise LabelError(_missing_message({"actual": left, "predicted": right}))
    sides = zip((left, right), unplaced.unknown, strict=True)
    in_truth, in_answers = (_hits(side, part) for side, part in sides)
    is_truth = policy.answers is not None and bool(in_truth.any())
    raise LabelError(_unknown_message(unplaced.names, in_truth | in_answers, policy, is_truth))


def _missing_message(sides: Mapping[str, Coded]) -> str:
    parts = [
        Message(
            "{:,} in {}, the first at position {:,}",
            int(missing.sum()),
            Argument(name),
            int(np.argmax(missing)),
        )
        for name, side in sides.items()
        if side.holes and (missing := side.codes == side.first).any()
    ]
    return Message(
        "missing labels: {}. Say {missing:'drop'} to leave such pairs out or {missing:'collect'} "
        "to count them under '(missing)'",
        Message.joined("; ", parts),
    )


def _unknown_message(names: list[Any], items: Array, policy: Policy, is_truth: bool) -> str:
    several = len(names) > 1
    known = some(names, 8), int(items.sum()), len(items), int(np.argmax(items))
    where = "{}, in {:,} of {:,} pairs, the first at position {:,}. "
    if is_truth:
        return Message(
            "{:,} label{} in {actual} {} no class: " + where + "{answers} and {other} speak of "
            "answers, not of the truth: mend these labels, name them in {labels}, or read them by "
            "the same rules, as in rules.labels_of(actual)",
            len(names),
            "s" if several else "",
            "are" if several else "is",
            *known,
        )
    unread, extract = "", ""
    if policy.answers is not None:
        unread = Message(" and not read as one by {answers}")
        extract = Message("Say where labels are in longer answers by {extract:...} of Answers. ")
    return Message(
        "{:,} label{} not among {labels}{}: " + where + "{}Name them in {labels}, or say "
        "{other:'drop'} or {other:'collect'}",
        len(names),
        "s are" if several else " is",
        unread,
        *known,
        extract,
    )


def _hits(side: Coded, bad: Array) -> Array:
    """Which items have one of the raw codes marked bad."""
    # The row of missing values may have been taken off the top.
    first = side.first + side.size - len(bad)
    codes = np.flatnonzero(bad)
    dtype = np.uint64 if side.codes.dtype == np.uint64 else np.int64
    return np.isin(
        side.codes,
        (codes.astype(np.uint64) + np.uint64(first % 2**64)).view(np.int64).astype(dtype),
    )
