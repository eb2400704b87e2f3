"""Two columns counted into a raw table over their own names, which is then moved onto common labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
from confmat.counting.planning import Plan, Policy, Side, Strangers, plan_for

Array = NDArray[Any]

# Small tables are cheapest dense, whatever the number of pairs.
SMALL_TABLE_CELLS = 2**16
ACTUAL, PREDICTED = Message("{actual}"), Message("{predicted}")
# So many pairs are copied at a time.
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


def left_out(raw: Raw, plan: Plan) -> int | float:
    """Add up the cells of the raw table that the plan leaves out; a difference of totals would be rounded."""
    if not plan.drops:
        return 0
    rows, cols = plan.rows < 0, plan.cols < 0
    if raw.table is not None:
        return exact_total(raw.table[rows]) + exact_total(raw.table[~rows][:, cols])
    assert raw.cells is not None
    return exact_total(raw.cells[2][rows[raw.cells[0]] | cols[raw.cells[1]]])


def side_of(side: Coded, raw: Raw, axis: int, title: str, counted: Array | None = None) -> Side:
    """The names of one side and which of them occur; `counted` says among which pairs, None among all."""
    every_name_occurs = side.column.names is not None and not side.column.spare and counted is None
    if every_name_occurs and not side.holes:
        return Side(side.names, None, False, False, side.column.ordered, title)
    if counted is None and raw.table is not None and raw.squares is None:
        if every_name_occurs:
            # Only the missing row is in question.
            gap = bool(raw.table[0].any() if axis == 0 else raw.table[:, 0].any())
            return Side(side.names, None, True, gap, side.column.ordered, title)
        seen: Array = np.asarray(raw.table.any(axis=1 - axis))
    else:
        seen = np.zeros(side.size, dtype=bool)
        if counted is not None:
            seen[offsets(side)[counted]] = True
        elif raw.cells is not None:
            seen[raw.cells[axis]] = True
        else:
            # A label whose pairs all weigh nothing occurs all the same, so the codes are asked, not
            # the sums.
            for piece in pieces(side):
                seen[offsets(piece)] = True
    gap = bool(side.holes and seen[0])
    return Side(
        side.names, seen[1:] if side.holes else seen, side.holes, gap, side.column.ordered, title
    )


def without_empty_gaps(raw: Raw, row: Side, col: Side) -> Raw:
    """The raw table without the row and column for missing values, where nothing is missing."""
    top, left = (int(side.holes and not side.gap) for side in (row, col))
    if raw.table is None or not (top or left):
        return raw
    row.holes, col.holes = row.gap, col.gap
    squares = None if raw.squares is None else raw.squares[top:, left:]
    return Raw(raw.table[top:, left:], None, squares)


def entered(policy: Policy, plan: Plan, col: Side, raws: Iterable[Raw]) -> None:
    """Tell the rules how often each answer was counted."""
    if policy.answers is not None and plan.readings is not None and not policy.is_quiet:
        policy.answers._enter(_counted(plan.readings, col, raws))


def _counted(readings: list[Any], col: Side, raws: Iterable[Raw]) -> Iterator[tuple[Any, Any, Any]]:
    """Each answer with its reading and its number, worked out when they are asked for."""
    names = col.listed()
    # A column for missing values comes before those of the names.
    first = int(col.holes)
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
    raw: Raw, plan: Plan, total: int | float | None, *, sparse: bool | None
) -> tuple[Counts, Counts | None]:
    """The raw table on the plan's labels; `total` is its sum where that is known."""
    counts = _placed(raw.table, raw.cells, plan, total, sparse)
    if raw.squares is None:
        return counts, None
    cells = None if raw.cells is None else (raw.cells[0], raw.cells[1], raw.squares)
    return counts, _placed(
        raw.squares if raw.cells is None else None, cells, plan, None, counts.is_sparse
    )


def _placed(
    table: Array | None,
    cells: tuple[Array, Array, Array] | None,
    plan: Plan,
    total: int | float | None,
    sparse: bool | None,
) -> Counts:
    size = len(plan.labels)
    total = None if plan.drops else total
    if table is None:
        assert cells is not None
        rows, cols, values = cells
        if not plan.same:
            # An identity needs no second copy of the codes, which may be of a million classes.
            rows = rows if _is_identity(plan.rows) else plan.rows[rows]
            cols = cols if _is_identity(plan.cols) else plan.cols[cols]
        if plan.drops:
            kept = (rows >= 0) & (cols >= 0)
            rows, cols, values = rows[kept], cols[kept], values[kept]
        return Counts.of_cells(
            size, rows, cols, values, total=total, sparse=sparse, in_order=plan.monotone
        )
    if size * size > max(SMALL_TABLE_CELLS, 4 * table.size):
        rows, cols = np.nonzero(table)
        return _placed(None, (rows, cols, table[rows, cols]), plan, total, sparse)
    rows, cols = plan.rows, plan.cols
    if min(rows.min(initial=0), cols.min(initial=0)) < 0:
        kept_rows, kept_cols = np.flatnonzero(rows >= 0), np.flatnonzero(cols >= 0)
        table, rows, cols = table[kept_rows[:, None], kept_cols], rows[kept_rows], cols[kept_cols]
    if plan.same or (table.shape == (size, size) and _is_identity(rows) and _is_identity(cols)):
        return Counts.of_table(np.ascontiguousarray(table), total=total, sparse=sparse)
    moved = np.zeros((size, size), dtype=table.dtype)
    if plan.joins:
        np.add.at(moved, (rows[:, None], cols), table)
    else:
        moved[rows[:, None], cols] = table
    return Counts.of_table(moved, total=total, sparse=sparse)


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
    plain = weights is None and policy.answers is None and not row.is_bool and not col.is_bool
    if plain and row.names is None and col.names is None:
        matrix = _close_integers(row.codes, col.codes, policy, threads)
        if matrix is not None:
            return matrix
    left, right = coded(row), coded(col)
    raw = count_raw(left, right, weights, threads)
    row_side, col_side = side_of(left, raw, 0, ACTUAL), side_of(right, raw, 1, PREDICTED)
    raw = without_empty_gaps(raw, row_side, col_side)
    plan = plan_columns(left, right, policy, row_side, col_side)
    entered(policy, plan, col_side, [raw])
    counts, squares = placed(raw, plan, n if weights is None else None, sparse=policy.sparse)
    return ConfusionMatrix._of(plan.labels, counts, squares, left_out(raw, plan))


def _nothing(policy: Policy) -> ConfusionMatrix:
    if policy.labels is None:
        msg = Message(
            "there are no pairs to count; with {labels=} an empty input gives a matrix of zeros"
        )
        raise InputError(msg)
    empty = np.zeros(0, np.int64)
    counts = Counts.of_cells(len(policy.labels), empty, empty, empty, sparse=policy.sparse)
    return ConfusionMatrix._of(policy.labels, counts)


def _close_integers(
    actual: Array, predicted: Array, policy: Policy, threads: int
) -> ConfusionMatrix | None:
    """Integers whose range makes a dense table worth its memory; None for the general road."""
    n, kernel = len(actual), kernels.kernel
    most = int(min(max(2**16, 4 * n), DENSE_BYTES // 8) ** 0.5)
    if policy.labels is None:
        close = kernel.count_close(actual, predicted, most, threads)
        if close is None:
            return None
        low, table = close
        rows, cols = table.sum(axis=1), table.sum(axis=0)
        seen = (rows + cols) > 0
        if not seen.all():
            kept = np.flatnonzero(seen)
            table = table[kept[:, None], kept]
            names = [low + i for i in kept.tolist()]
        else:
            names = list(range(low, low + len(table)))
        if len(names) > policy.max_classes:
            return None
        labels = Labels._trusted(tuple(names), "int")
        if policy.positive is not None:
            labels = labels.replace(positive=policy.positive)
        return ConfusionMatrix._of(labels, Counts(len(names), table, None, n).stored(policy.sparse))
    array = (
        policy.labels._array()
        if policy.labels.kind == "int" and not policy.labels.outside
        else None
    )
    if array is None or len(array) > most or not fits_dense(len(array)) or not is_range(array):
        return None
    low, size = int(array[0]), len(array)
    table, beyond = kernel.count_dense(actual, predicted, low, size, low, size, threads)
    if beyond:
        return None
    return ConfusionMatrix._of(policy.labels, Counts(size, table, None, n).stored(policy.sparse))


def plan_columns(left: Coded, right: Coded, policy: Policy, row: Side, col: Side) -> Plan:
    """The plan for two columns, with an error that counts and places what may not stay."""
    try:
        return plan_for(row, col, policy)
    except Strangers as strangers:
        unplaced = strangers
    bad = [_hits(side, part) for side, part in zip((left, right), unplaced.bad, strict=True)]
    if unplaced.missing:
        parts = [
            Message(
                "{:,} in {}, the first at position {:,}",
                int(hits.sum()),
                Argument(name),
                int(np.argmax(hits)),
            )
            for hits, name in zip(bad, ("actual", "predicted"), strict=True)
            if hits.any()
        ]
        msg = Message(
            "missing labels: {}. Say {missing:'drop'} to leave such pairs out or "
            "{missing:'collect'} to count "
            "them under '(missing)'",
            Message.joined("; ", parts),
        )
        raise LabelError(msg)
    either = bad[0] | bad[1]
    number, first = len(unplaced.names), int(np.argmax(either))
    if policy.answers is not None and bad[0].any():
        msg = Message(
            "{:,} label{} in {actual} {} no class: {}, in {:,} of {:,} pairs, the first at "
            "position {:,}. "
            "{answers} and {other} speak of answers, not of the truth: mend these labels, name "
            "them in "
            "{labels}, or read them by the same rules, as in rules.labels_of(actual)",
            number,
            "s" if number > 1 else "",
            "are" if number > 1 else "is",
            some(unplaced.names, 8),
            int(either.sum()),
            len(either),
            first,
        )
        raise LabelError(msg)
    msg = Message(
        "{:,} label{} not among {labels}{}: {}, in {:,} of {:,} pairs, the first at position {:,}. "
        "{}Name them "
        "in {labels}, or say {other:'drop'} or {other:'collect'}",
        number,
        "s are" if number > 1 else " is",
        "" if policy.answers is None else Message(" and not read as one by {answers}"),
        some(unplaced.names, 8),
        int(either.sum()),
        len(either),
        first,
        ""
        if policy.answers is None
        else Message("Say where labels stand in longer answers by {extract:...} of Answers. "),
    )
    raise LabelError(msg)


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
