"""One matrix per group over common labels, from one pass over the pairs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import DENSE_BYTES, exact_total
from confmat.core.errors import Argument, BudgetError, InputError, LabelError, Message
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import in_order, not_integral, plain
from confmat.core.stack import Stack
from confmat.counting.columns import Column, refuse, whole_column
from confmat.counting.planning import MISSING, Placement, Policy, SideNames
from confmat.counting.tables import (
    ACTUAL,
    PREDICTED,
    Coded,
    Raw,
    coded,
    count_area,
    entered,
    left_out,
    offsets,
    place_columns,
    placed,
    side_of,
    workers,
)

Array = NDArray[Any]
NO_PAIRS = "there are no pairs to count, hence no groups"


class NoGroupsError(LabelError):
    """Every group is missing; in one of several parts, that is no mistake."""


def count_groups(row: Column, col: Column, by: Any, weights: Array | None, policy: Policy) -> Stack:
    """Count each group by itself: the group is a third code, and the counting is done once."""
    axis = (
        ", ".join(map(str, by))
        if isinstance(by, Mapping)
        else str(getattr(by, "name", None) or "group")
    )
    groups, keys = grouped_codes(by, len(row.codes), policy, policy.max_groups)
    left, right = coded(row), coded(col)
    # A pair without a group gets a row before the first, which no table holds.
    joined = np.where(groups < 0, -1, groups * left.size + offsets(left).astype(np.int64))
    raw = count_area(
        joined, 0, len(keys) * left.size, right, weights, workers(policy.threads, len(joined))
    )
    outside = groups < 0
    sides = _sides(raw, left, right, ~outside if outside.any() else None)
    raws = _split(raw, len(keys), left.size, right.size)
    placement = place_columns(left, right, policy, *sides)
    entered(policy, placement, sides[1], raws)
    ungrouped = int(outside.sum()) if weights is None else exact_total(weights[outside])
    return Stack(_matrices(raws, placement, keys, policy.sparse), axis=axis, ungrouped=ungrouped)


def grouped_codes(
    by: Any, n: int, policy: Policy, max_groups: int, title: str = "by"
) -> tuple[Array, list[Any]]:
    """A code per item among the groups that occur, in order, and their keys; -1 for an item without one.

    Several columns by name are crossed: the keys are tuples of values that occur together.
    """
    if isinstance(by, Mapping) and len(by) == 1:
        (by,) = by.values()
    if isinstance(by, Mapping):
        return _cross(by, n, policy, max_groups, title)
    refuse(by, title)
    column = whole_column(by, title)
    if len(column.codes) != n:
        wanted = f"one group per pair: {n:,}" if title == "by" else f"one for each of {n:,} items"
        msg = Message("{} must hold {}, not {:,}", Argument(title), wanted, len(column.codes))
        raise InputError(msg)
    if not n:
        raise InputError(NO_PAIRS)
    return _groups(coded(column), policy, max_groups, title)


def _cross(
    by: Mapping[Any, Any], n: int, policy: Policy, max_groups: int, title: str
) -> tuple[Array, list[Any]]:
    """Codes and keys of several columns; an item that lacks one of them is of no group."""
    if not by:
        msg = Message(
            "{} names no column; give a mapping of name to column, such as {{'sex': sex, 'age': "
            "age}}",
            Argument(title),
        )
        raise InputError(msg)
    codes, lost = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
    keys: list[tuple[Any, ...]] = [()]
    for name, column in by.items():
        groups, names = grouped_codes(column, n, policy, max_groups, f"{title}[{name!r}]")
        lost |= groups < 0
        present, codes = np.unique(codes * len(names) + groups, return_inverse=True)
        pairs = (divmod(place, len(names)) for place in np.maximum(present, 0).tolist())
        keys = [(*keys[before], names[own]) for before, own in pairs]
    if lost.all():
        msg = Message("every item lacks a group, so there is nothing to count")
        raise NoGroupsError(msg)
    present, codes = np.unique(codes[~lost], return_inverse=True)
    check_groups(len(present), max_groups)
    places = np.full(n, -1, dtype=np.int64)
    places[~lost] = codes
    return places, [keys[place] for place in present.tolist()]


def check_groups(number: int, max_groups: int) -> None:
    """Refuse more groups than the caller allows."""
    if number > max_groups:
        msg = Message(
            "{by} has {:,} groups, more than `max_groups` = {:,}: this looks like an identifier; "
            "raise "
            "`max_groups` if it is not",
            number,
            max_groups,
        )
        raise BudgetError(msg)


# ---- groups --------------------------------------------------------------------------------------


def _groups(group: Coded, policy: Policy, max_groups: int, title: str) -> tuple[Array, list[Any]]:
    codes = offsets(group).astype(np.int64)
    seen = np.zeros(group.size, dtype=bool)
    seen[codes] = True
    present = np.flatnonzero(seen[int(group.holes) :])
    check_groups(len(present), max_groups)
    has_missing = bool(group.holes and seen[0])
    if has_missing and policy.missing == "error":
        raise LabelError(_missing_message(codes == 0, title))
    every = group.names if isinstance(group.names, list) else group.names.tolist()
    names = [_key(every[i]) for i in present.tolist()]
    order = list(dict.fromkeys(names))
    if not group.column.ordered:
        order = in_order(order, appearance=True)
    collects = has_missing and policy.missing == "collect"
    keys = [*order, MISSING] if collects else order
    if len(set(keys)) < len(keys) or len({(type(name), name) for name in names}) > len(order):
        msg = (
            f"groups of different types are equal, or one is itself called {MISSING!r}: "
            f"{keys!r:.200}; convert them to one type"
        )
        raise LabelError(msg)
    if not keys:
        raise NoGroupsError(Message("every group is missing, so there is nothing to count"))
    place = {name: i for i, name in enumerate(order)}
    moved = np.full(group.size, -1, dtype=np.int64)
    moved[present + group.holes] = [place[name] for name in names]
    if collects:
        moved[0] = len(order)
    return moved[codes], keys


def _missing_message(missing: Array, title: str) -> str:
    return Message(
        "missing groups: {:,} in {}, the first at position {:,}. Say {missing:'drop'}{}",
        int(missing.sum()),
        Argument(title),
        int(np.argmax(missing)),
        Message(" or {missing:'collect'}") if title == "by" else "",
    )


def _key(name: Any) -> Any:
    if type(name) is tuple:
        # Values wrapped by NumPy read badly: np.str_('f').
        return tuple(part.item() if isinstance(part, np.generic) else part for part in name)
    if type(name) is float:
        name = plain(name)
        if type(name) is float:
            raise LabelError(not_integral(name, Message("a group in {by}")))
    return name


# ---- tables --------------------------------------------------------------------------------------


def _split(raw: Raw, groups: int, rows: int, cols: int) -> list[Raw]:
    """One raw table per group out of the tall one."""
    if raw.table is not None:
        tables = raw.table.reshape(groups, rows, cols)
        squares = None if raw.squares is None else raw.squares.reshape(groups, rows, cols)
        return [
            Raw(tables[g], None, None if squares is None else squares[g]) for g in range(groups)
        ]
    assert raw.cells is not None
    tall, col, values = raw.cells
    group, row = np.divmod(tall, max(rows, 1))
    ends = np.searchsorted(group, np.arange(groups + 1))
    return [
        Raw(
            None,
            (row[a:b], col[a:b], values[a:b]),
            None if raw.squares is None else raw.squares[a:b],
        )
        for a, b in pairwise(ends.tolist())
    ]


def _sides(
    raw: Raw, left: Coded, right: Coded, counted: Array | None
) -> tuple[SideNames, SideNames]:
    """Which names occur, over all groups together."""
    if raw.table is not None:
        whole = Raw(
            np.asarray(raw.table.reshape(-1, left.size, right.size).any(axis=0)), None, raw.squares
        )
    else:
        assert raw.cells is not None
        rows, cols, values = raw.cells
        whole = Raw(None, (rows % max(left.size, 1), cols, values), raw.squares)
    return side_of(left, whole, 0, ACTUAL, counted), side_of(right, whole, 1, PREDICTED, counted)


def _matrices(
    raws: list[Raw], placement: Placement, keys: list[Any], sparse: bool | None
) -> dict[Any, ConfusionMatrix]:
    if sparse is None and len(keys) * len(placement.labels) ** 2 * 8 > DENSE_BYTES:
        # Each table might pass for small, but not all of them together.
        sparse = True
    matrices: dict[Any, ConfusionMatrix] = {}
    for key, raw in zip(keys, raws, strict=True):
        counts, squares = placed(raw, placement, None, sparse=sparse)
        matrices[key] = ConfusionMatrix._of(
            placement.labels, counts, squares, left_out(raw, placement)
        )
    return matrices
