"""Counting two columns of codes: the quick road for close integers, the general one for everything else."""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import _kernels
from confmat._counts import DENSE_BYTES, Counts, fits_dense
from confmat._options import whole_number
from confmat.counting.columns import Column
from confmat.counting.planning import Plan, Policy, Side, Strangers, plan_for
from confmat.counting.tables import Coded, coded, count_raw, entered, left_out, placed, side_of, without_empty_gaps
from confmat.errors import Argument, InputError, LabelError, Message
from confmat.labels import Labels
from confmat.matrix import ConfusionMatrix
from confmat.text import some

__all__ = ["cores", "count_columns", "plan_columns", "workers"]

ACTUAL, PREDICTED = Message("{actual}"), Message("{predicted}")

Array = NDArray[Any]

# Below this many pairs, starting threads costs more than they save.
THREADS_FROM = 200_000
MOST_THREADS = 256


@functools.cache
def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers(threads: int | None, n: int) -> int:
    """How many threads to use for n pairs."""
    if threads is None:
        return 1 if n < THREADS_FROM else cores()
    return min(whole_number("threads", threads), MOST_THREADS)


def count_columns(
    row: Column, col: Column, weights: Array | None, policy: Policy, sparse: bool | None, threads: int | None
) -> ConfusionMatrix:
    """Count two columns of equal length."""
    n = len(row.codes)
    if not n:
        return _nothing(policy, sparse)
    threads = workers(threads, n)
    plain = weights is None and policy.normalise is None and not row.is_bool and not col.is_bool
    if plain and row.names is None and col.names is None:
        found = _close_integers(row.codes, col.codes, policy, sparse, threads)
        if found is not None:
            return found
    left, right = coded(row), coded(col)
    raw = count_raw(left, right, weights, threads)
    row_side, col_side = side_of(left, raw, 0, ACTUAL), side_of(right, raw, 1, PREDICTED)
    raw = without_empty_gaps(raw, row_side, col_side)
    plan = plan_columns(left, right, policy, row_side, col_side)
    entered(policy, plan, col_side, [raw])
    counts, squares = placed(raw, plan, n if weights is None else None, sparse=sparse)
    return ConfusionMatrix._of(plan.labels, counts, squares, left_out(raw, plan))


def _nothing(policy: Policy, sparse: bool | None) -> ConfusionMatrix:
    if policy.labels is None:
        msg = Message("there are no pairs to count; with {labels} an empty input gives a matrix of zeros")
        raise InputError(msg)
    empty = np.zeros(0, np.int64)
    return ConfusionMatrix._of(policy.labels, Counts.of_cells(len(policy.labels), empty, empty, empty, sparse=sparse))


def _close_integers(
    actual: Array, predicted: Array, policy: Policy, sparse: bool | None, threads: int
) -> ConfusionMatrix | None:
    """Integers whose range makes a dense table worth its memory; None for the general road."""
    n, kernel = len(actual), _kernels.kernel
    most = int(min(max(2**16, 4 * n), DENSE_BYTES // 8) ** 0.5)
    if policy.labels is None:
        found = kernel.count_close(actual, predicted, most, threads)
        if found is None:
            return None
        low, table = found
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
        return ConfusionMatrix._of(labels, Counts(len(names), table, None, n).stored(_storage(sparse, len(names))))
    given = policy.labels._array() if policy.labels.kind == "int" and not policy.labels.outside else None
    if given is None or len(given) > most or not fits_dense(len(given)):
        return None
    low = int(given[0])
    if int(given[-1]) - low + 1 != len(given) or not np.array_equal(given, np.arange(low, low + len(given))):
        return None
    table, beyond = kernel.count_dense(actual, predicted, low, len(given), low, len(given), threads)
    if beyond:
        return None
    return ConfusionMatrix._of(policy.labels, Counts(len(given), table, None, n).stored(_storage(sparse, len(given))))


def _storage(sparse: bool | None, size: int) -> bool:
    return not fits_dense(size) if sparse is None else sparse


def plan_columns(left: Coded, right: Coded, policy: Policy, row: Side, col: Side) -> Plan:
    """The plan for two columns, with an error that counts and places what may not stay."""
    try:
        return plan_for(row, col, policy)
    except Strangers as strangers:
        found = strangers
    bad = [_hits(side, part) for side, part in zip((left, right), found.bad, strict=True)]
    if found.missing:
        parts = [
            Message("{:,} in {}, the first at position {:,}", int(hits.sum()), Argument(name), int(np.argmax(hits)))
            for hits, name in zip(bad, ("actual", "predicted"), strict=True)
            if hits.any()
        ]
        msg = Message(
            "missing labels: {}. Say {missing:'drop'} to leave such pairs out or {missing:'collect'} to count "
            "them under '(missing)'",
            Message.joined("; ", parts),
        )
        raise LabelError(msg)
    either = bad[0] | bad[1]
    many, first = len(found.names), int(np.argmax(either))
    if policy.normalise is not None and bad[0].any():
        msg = Message(
            "{:,} label{} in {actual} {} no class: {}, in {:,} of {:,} pairs, the first at position {:,}. "
            "{normalise} and {other} speak of answers, not of the truth: mend these labels, name them in "
            "{labels}, or read them by the same rules, as in rules.labels_of(actual)",
            many,
            "s" if many > 1 else "",
            "are" if many > 1 else "is",
            some(found.names, 8),
            int(either.sum()),
            len(either),
            first,
        )
        raise LabelError(msg)
    msg = Message(
        "{:,} label{} not among {labels}{}: {}, in {:,} of {:,} pairs, the first at position {:,}. Name them "
        "in {labels}, or say {other:'drop'} or {other:'collect'}",
        many,
        "s are" if many > 1 else " is",
        _unread(policy),
        some(found.names, 8),
        int(either.sum()),
        len(either),
        first,
    )
    raise LabelError(msg)


def _unread(policy: Policy) -> str:
    return "" if policy.normalise is None else Message(" and not read as one by {normalise}")


def _hits(side: Coded, bad: Array) -> Array:
    """Which items have one of the raw codes marked bad."""
    # The row of missing values may have been taken off the top.
    first = side.first + side.size - len(bad)
    codes = np.flatnonzero(bad)
    dtype = np.uint64 if side.codes.dtype == np.uint64 else np.int64
    return np.isin(side.codes, (codes.astype(np.uint64) + np.uint64(first % 2**64)).view(np.int64).astype(dtype))
