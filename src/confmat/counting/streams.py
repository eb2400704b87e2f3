"""Iterables of unknown length, counted chunk by chunk in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from confmat.core.counts import exact_total
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import in_order
from confmat.core.stack import Stack
from confmat.counting.columns import column_of
from confmat.counting.groups import NO_PAIRS, NoGroupsError, check_groups, count_groups
from confmat.counting.joining import finished, joined, joined_stacks
from confmat.counting.planning import MISSING, Policy, check_size
from confmat.counting.tables import count_columns
from confmat.counting.weights import read_weights

CHUNK_ITEMS = 1 << 16


def count_stream(actual: Any, predicted: Any, weights: Any, by: Any, policy: Policy) -> ConfusionMatrix | Stack:
    """Read all sides in step, a chunk at a time, and add the chunks."""
    sides = {"actual": actual, "predicted": predicted, "weights": weights, "by": by}
    chunks = {name: _chunks(values, name) for name, values in sides.items() if values is not None}
    part_policy = replace(policy, positive=None, is_part=True)
    found: ConfusionMatrix | Stack | None = None
    no_groups: NoGroupsError | None = None
    ungrouped: int | float = 0
    position = 0
    while True:
        part = {name: next(source) for name, source in chunks.items()}
        lengths = {name: len(chunk) for name, chunk in part.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(_uneven(lengths, position))
        size = lengths["actual"]
        if not size:
            break
        try:
            counted = _count_chunk(part, position, part_policy)
        except NoGroupsError as error:
            no_groups = error
            ungrouped += exact_total(read_weights(part["weights"], None)) if "weights" in part else size
        else:
            found = counted if found is None else _added(found, counted, part_policy)
        position += size
    if isinstance(found, Stack):
        return _finished_stack(found, by, policy.positive, ungrouped)
    if found is not None:
        return finished(found, policy.positive)
    if no_groups is not None:
        raise no_groups
    if by is not None:
        raise InputError(NO_PAIRS)
    empty = column_of([], "actual")
    assert empty is not None
    return count_columns(empty, empty, None, policy)


def _added(whole: ConfusionMatrix | Stack, part: ConfusionMatrix | Stack, policy: Policy) -> ConfusionMatrix | Stack:
    if isinstance(whole, ConfusionMatrix):
        assert isinstance(part, ConfusionMatrix)
        return joined(whole, part, policy)
    assert isinstance(part, Stack)
    both = joined_stacks(whole, part, policy)
    check_groups(len(both), policy.max_groups)
    if policy.labels is None:
        check_size(both.n_classes, policy)
    return both


def _finished_stack(stack: Stack, by: Any, positive: Any, ungrouped: int | float) -> Stack:
    """The groups in the order that one count over everything gives them."""
    column = column_of(by, "by") if hasattr(by, "__len__") else None
    keys = [key for key in stack if key != MISSING]
    if column is not None and column.ordered and column.names is not None:
        order = [name for name in column.names if name in stack]
    else:
        order = in_order(keys, appearance=True)
    order += [MISSING] if MISSING in stack else []
    parts = {key: finished(stack[key], positive) for key in order}
    return Stack(parts, axis=stack.axis, ungrouped=stack.ungrouped + ungrouped)


def _count_chunk(part: dict[str, Any], position: int, policy: Policy) -> ConfusionMatrix | Stack:
    numbers = read_weights(part["weights"], None) if "weights" in part else None
    row, col = column_of(part["actual"], "actual"), column_of(part["predicted"], "predicted")
    assert row is not None
    assert col is not None
    try:
        if "by" in part:
            return count_groups(row, col, part["by"], numbers, policy)
        return count_columns(row, col, numbers, policy)
    except LabelError as error:
        if position == 0 or isinstance(error, NoGroupsError):
            raise
        msg = Message("{} (numbers are those of the chunk that begins with item {:,})", error, position)
        raise LabelError(msg) from None


def _chunks(values: Any, name: str) -> Iterator[Any]:
    """Endless chunks of a side; empty ones after its end."""
    if not hasattr(values, "__iter__"):
        msg = Message("{} must hold one value per pair, not {} {!r:.60}", Argument(name), type(values).__name__, values)
        raise InputError(msg)
    if isinstance(values, (list, tuple)) or hasattr(values, "iloc") or hasattr(values, "shape"):
        start = 0
        while True:
            yield _slice(values, start)
            start += CHUNK_ITEMS
    source = iter(values)
    while True:
        yield list(islice(source, CHUNK_ITEMS))


def _slice(values: Any, start: int) -> Any:
    rows = getattr(values, "iloc", values)
    return rows[start : start + CHUNK_ITEMS]


def _uneven(lengths: dict[str, int], position: int) -> str:
    short = [Message("{} has {:,}", Argument(name), position + n) for name, n in lengths.items() if n < CHUNK_ITEMS]
    long = [Message("{}", Argument(name)) for name, n in lengths.items() if n == max(lengths.values())]
    return Message(
        "the sides end at different places: {} items, and {} more; they are paired by position",
        Message.joined(", ", short),
        Message.joined(", ", long),
    )
