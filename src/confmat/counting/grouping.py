"""One matrix per group over common labels, from one pass over the pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import _kernels
from confmat._counts import DENSE_BYTES, exact_total
from confmat.counting.columns import Column, column_of
from confmat.counting.pairing import plan_columns
from confmat.counting.planning import MISSING, Plan, Policy
from confmat.counting.tables import SMALL, Coded, Raw, coded, placed, side_of
from confmat.errors import BudgetError, InputError, LabelError
from confmat.labels import in_order
from confmat.matrix import ConfusionMatrix
from confmat.stack import Stack
from confmat.text import some

__all__ = ["count_groups"]

Array = NDArray[Any]


def count_groups(
    row: Column, col: Column, by: Any, weights: Array | None, policy: Policy, sparse: bool | None, threads: int, max_groups: int
) -> Stack:
    """Count each group by itself: the group is a third code, and the counting is done once."""
    axis = str(getattr(by, "name", None) or "group")
    column = column_of(by if hasattr(by, "__len__") else list(by), "by")
    if column is None or len(column.codes) != len(row.codes):
        found = "an iterable" if column is None else f"{len(column.codes):,}"
        msg = f"`by` must hold one group per pair: {len(row.codes):,}, not {found}"
        raise InputError(msg)
    if not len(row.codes):
        msg = "there are no pairs to count, hence no groups"
        raise InputError(msg)
    group = coded(column)
    groups, keys = _keys(group, policy, max_groups)
    left, right = coded(row), coded(col)
    raws = _raw_tables(groups, len(keys), left, right, weights, threads)
    whole = _whole(raws, left, right)
    plan = plan_columns(left, right, policy, side_of(left, whole, 0, "`actual`"), side_of(right, whole, 1, "`predicted`"))
    amounts = _amounts(groups, weights, len(keys))
    return _stacked(raws, plan, keys, axis, sparse, amounts)


def _keys(group: Coded, policy: Policy, max_groups: int) -> tuple[Array, list[Any]]:
    """A code per item among the groups that occur, in order, and their keys."""
    present, codes = np.unique(group.codes, return_inverse=True)
    if len(present) > max_groups:
        msg = f"`by` has {len(present):,} groups, more than `max_groups` = {max_groups:,}: this looks like an identifier; raise `max_groups` if it is not"
        raise BudgetError(msg)
    names = [None if code == -1 and group.column.holes else _name(group, int(code)) for code in present.tolist()]
    gap = names.index(None) if None in names else -1
    if gap >= 0 and policy.missing != "collect":
        if policy.missing == "error":
            where = codes == gap
            msg = f"missing groups: {int(where.sum()):,} in `by`, the first at position {int(np.argmax(where)):,}. Say missing='drop' or missing='collect'"
            raise LabelError(msg)
        codes = np.where(codes == gap, -1, codes)
    known = [name for name in names if name is not None]
    if not known and policy.missing != "collect":
        msg = "every group is missing, so there is nothing to count"
        raise LabelError(msg)
    order = known if group.column.ordered else in_order(known, appearance=True)
    keys = [*order, *([MISSING] if gap >= 0 and policy.missing == "collect" else [])]
    place = {(type(name), name): i for i, name in enumerate(order)}
    if gap >= 0 and MISSING in order:
        msg = f"a group is itself called {MISSING!r}; rename it, or fill in the missing groups"
        raise LabelError(msg)
    moved = np.array([len(order) if name is None else place[type(name), name] for name in names] + [-1], dtype=np.int64)
    return moved[codes], keys


def _name(group: Coded, code: int) -> Any:
    if group.column.names is None and group.codes is group.column.codes:
        return bool(code) if group.codes.dtype == bool else code
    name = group.names[code]
    return name.item() if isinstance(name, np.integer) else name


def _raw_tables(groups: Array, many: int, left: Coded, right: Coded, weights: Array | None, threads: int) -> list[Raw]:
    """One raw table per group."""
    kernel = _kernels.kernel
    rows, cols = many * left.size, right.size
    if rows * cols >= 2**63:
        msg = f"{many:,} groups of {left.size:,} x {right.size:,} possible cells are more than can be numbered"
        raise BudgetError(msg)
    offsets = _offsets(left)
    # A pair without a group gets a row before the first, which no table holds.
    joined = np.where(groups < 0, -1, groups * left.size + offsets)
    area = (0, rows, right.first, cols)
    if rows * cols <= max(SMALL, 4 * len(groups)) and rows * cols * 8 <= DENSE_BYTES:
        shape = (many, left.size, right.size)
        if weights is None:
            tables, squares = kernel.count_dense(joined, right.codes, *area, threads)[0].reshape(shape), None
        else:
            sums, square, _ = kernel.count_weighted(joined, right.codes, weights, *area, threads)
            tables, squares = sums.reshape(shape), square.reshape(shape)
        return [Raw(tables[g], None, None if squares is None else squares[g]) for g in range(many)]
    row, col, values, squares, _ = kernel.count_sparse(joined, right.codes, weights, *area, threads)
    group, row = np.divmod(row, max(left.size, 1))
    ends = np.searchsorted(group, np.arange(many + 1))
    return [
        Raw(None, (row[a:b], col[a:b], values[a:b]), None if squares is None else squares[a:b])
        for a, b in zip(ends[:-1], ends[1:], strict=True)
    ]


def _offsets(side: Coded) -> Array:
    codes = side.codes
    if codes.dtype == np.uint64:
        return (codes - np.uint64(max(side.first, 0))).astype(np.int64)
    return codes.astype(np.int64) - side.first


def _whole(raws: list[Raw], left: Coded, right: Coded) -> Raw:
    """All groups together, as far as the planning asks: which names occur."""
    if raws[0].table is not None:
        table = sum((raw.table for raw in raws[1:]), raws[0].table)
        return Raw(table, None, raws[0].squares)
    rows, cols = (np.concatenate([raw.cells[i] for raw in raws if raw.cells is not None]) for i in (0, 1))
    return Raw(None, (rows, cols, rows), None)


def _amounts(groups: Array, weights: Array | None, many: int) -> list[int | float]:
    kept = groups >= 0
    if weights is None:
        return np.bincount(groups[kept], minlength=many).tolist()
    return [exact_total(weights[groups == g]) for g in range(many)] if many <= 64 else _grouped_totals(groups[kept], weights[kept], many)


def _grouped_totals(groups: Array, weights: Array, many: int) -> list[int | float]:
    sums = np.zeros(many, dtype=weights.dtype)
    np.add.at(sums, groups, weights)
    return sums.tolist()


def _stacked(raws: list[Raw], plan: Plan, keys: list[Any], axis: str, sparse: bool | None, amounts: list[int | float]) -> Stack:
    if len(set(keys)) < len(keys):
        msg = f"two groups are equal though of different types: {some(keys, 8)}"
        raise LabelError(msg)
    matrices: dict[Any, ConfusionMatrix] = {}
    for key, raw, amount in zip(keys, raws, amounts, strict=True):
        counts, squares = placed(raw, plan, sparse=sparse)
        dropped = max(amount - counts.total, 0) if plan.drops else 0
        matrices[key] = ConfusionMatrix._of(plan.labels, counts, squares, dropped)
    return Stack(matrices, axis=axis)
