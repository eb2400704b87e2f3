"""Sums of parts, with the labels that one count over everything would have; iterables, counted in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count as count_from
from itertools import islice
from typing import Any

import numpy as np

from confmat.core.building import positions
from confmat.core.counts import exact_total
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import in_order
from confmat.core.stack import Stack
from confmat.core.text import some
from confmat.counting.columns import column_of, whole_column
from confmat.counting.groups import NO_PAIRS, NoGroupsError, check_groups, count_groups
from confmat.counting.planning import MISSING, NO_CLASS, OTHER, Policy, check_size
from confmat.counting.tables import count_columns
from confmat.counting.weights import read_weights

Matrices = Sequence[ConfusionMatrix]
# Items of an iterable that are counted together.
CHUNK_ITEMS = 1 << 16


def joined(whole: ConfusionMatrix, part: ConfusionMatrix, policy: Policy) -> ConfusionMatrix:
    """The sum of two parts, one of which may have seen no class yet, or only True and False of integers."""
    whole, part = alike(whole, part)
    labels = _append(whole.labels, part.labels)
    if labels is not None:
        whole, part = whole._recoded(labels), part._recoded(labels)
    both = _in_order(whole + part, policy)
    if policy.labels is None:
        check_size(both.n_classes, policy)
    return both


def _append(whole: Labels, part: Labels) -> Labels | None:
    """Labels of two parts in order of appearance, where they cannot be sorted; None where they can be, or agree."""
    if whole.kind != "object" or part.kind != "object" or whole._same_classes(part):
        return None
    names = list(dict.fromkeys([*whole.classes, *part.classes]))
    if in_order(names, appearance=True) is not names:
        return None
    outside = tuple(dict.fromkeys([*whole.outside, *part.outside]))
    return Labels(
        names, outside=outside, positive=whole.positive if part.positive is None else part.positive
    )


def brought_onto(part: ConfusionMatrix, policy: Policy) -> ConfusionMatrix:
    """A matrix counted elsewhere on the labels that were asked for, strangers treated as `other=` says."""
    labels = policy.labels
    if labels is None or part.labels == labels:
        return part
    unknown = [name for name in part.labels.classes if name not in labels]
    if unknown and policy.other == "error":
        msg = Message(
            "the part has labels that are not among {labels}: {}; say {other:'drop'} or "
            "{other:'collect'}",
            some(unknown, 8),
        )
        raise LabelError(msg)
    # Labels outside the classes are known wherever they come from.
    collected = (OTHER,) if unknown and policy.other == "collect" else ()
    outside = list(dict.fromkeys((*labels.outside, *part.labels.outside, *collected)))
    whole = Labels(labels, outside=outside)
    codes = positions(part.labels, whole)
    if collected:
        codes = np.where(codes < 0, whole.index(OTHER), codes)
    moved = part._remapped(whole, codes)
    return ConfusionMatrix._of(
        whole, moved._counts, moved._squares, part.dropped + part._counts.left_out(codes)
    )


def alike(whole: ConfusionMatrix, part: ConfusionMatrix) -> tuple[ConfusionMatrix, ConfusionMatrix]:
    """Two parts with labels of one kind, where one count over both would have made them so."""
    (whole,), (part,) = _alike([whole], [part])
    return whole, part


def joined_stacks(whole: Stack, part: Stack, policy: Policy) -> Stack:
    """The sum of two stacks of parts."""
    mine, theirs = _alike([whole[key] for key in whole], [part[key] for key in part])
    left = Stack(dict(zip(whole, mine, strict=True)), axis=whole.axis, ungrouped=whole.ungrouped)
    both = left + Stack(
        dict(zip(part, theirs, strict=True)), axis=part.axis, ungrouped=part.ungrouped
    )
    ordered = {key: _in_order(matrix, policy) for key, matrix in both.items()}
    return Stack(ordered, axis=both.axis, ungrouped=both.ungrouped)


def finished(matrix: ConfusionMatrix, positive: Any) -> ConfusionMatrix:
    """The sum of all parts as a matrix for the world: it has classes, and the positive one is among them."""
    if not matrix.n_classes:
        raise LabelError(NO_CLASS)
    if positive is None or matrix.labels.positive is not None:
        return matrix
    return _with_labels(matrix, matrix.labels.replace(positive=positive))


def _alike(mine: Matrices, theirs: Matrices) -> tuple[Matrices, Matrices]:
    a, b = mine[0].labels, theirs[0].labels
    if not a.n_classes:
        return [_move(matrix, b) for matrix in mine], theirs
    if not b.n_classes:
        return mine, [_move(matrix, a) for matrix in theirs]
    if {a.kind, b.kind} == {"bool", "int"}:
        return [_as_int(matrix) for matrix in mine], [_as_int(matrix) for matrix in theirs]
    return mine, theirs


def _in_order(matrix: ConfusionMatrix, policy: Policy) -> ConfusionMatrix:
    """The outside labels as one count has them: those given come first."""
    stated = () if policy.labels is None else policy.labels.outside
    others = sorted(name for name in matrix.labels.outside if name not in stated)
    outside = (*(name for name in stated if name in matrix.labels.outside), *others)
    if outside == matrix.labels.outside:
        return matrix
    return matrix.reorder([*matrix.labels.classes, *outside])


def _move(matrix: ConfusionMatrix, like: Labels) -> ConfusionMatrix:
    """A matrix of outside labels alone, among the classes of another one."""
    labels = Labels._trusted(like._classes, like.kind, matrix.labels.outside, like.positive)
    return matrix._remapped(labels, np.arange(len(matrix.labels)) + like.n_classes)


def _as_int(matrix: ConfusionMatrix) -> ConfusionMatrix:
    is_int = matrix.labels.kind == "int"
    return matrix if is_int else _with_labels(matrix, matrix.labels._as_integers())


def _with_labels(matrix: ConfusionMatrix, labels: Labels) -> ConfusionMatrix:
    return ConfusionMatrix._of(labels, matrix._counts, matrix._squares, matrix.dropped)


# ---- iterables -----------------------------------------------------------------------------------


def count_stream(
    actual: Any, predicted: Any, weights: Any, by: Any, policy: Policy
) -> ConfusionMatrix | Stack:
    """Read all sides in step, a chunk at a time, and add the chunks."""
    sides = {"actual": actual, "predicted": predicted, "weights": weights, "by": by}
    chunks = {name: _chunks(values, name) for name, values in sides.items() if values is not None}
    part_policy = replace(policy, positive=None, is_part=True)
    whole: ConfusionMatrix | Stack | None = None
    no_groups: NoGroupsError | None = None
    ungrouped: int | float = 0
    for position, part in _in_step(chunks):
        try:
            counted = _count_chunk(part, position, part_policy)
        except NoGroupsError as error:
            no_groups = error
            weighed = part.get("weights", np.ones(len(part["by"]), np.int64))
            ungrouped += exact_total(read_weights(weighed, None))
        else:
            whole = counted if whole is None else _add_part(whole, counted, part_policy)
    if isinstance(whole, Stack):
        return _finished_stack(whole, by, policy.positive, ungrouped)
    if whole is not None:
        return finished(whole, policy.positive)
    if no_groups is not None:
        raise no_groups
    if by is not None:
        raise InputError(NO_PAIRS)
    empty = whole_column([], "actual")
    return count_columns(empty, empty, None, policy)


def _in_step(chunks: dict[str, Iterator[Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The chunks of all sides until they end, with the number of items before them."""
    position = 0
    while True:
        part = {name: next(source) for name, source in chunks.items()}
        lengths = {name: len(chunk) for name, chunk in part.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(_lengths_message(lengths, position))
        if not lengths["actual"]:
            return
        yield position, part
        position += lengths["actual"]


def _add_part(
    whole: ConfusionMatrix | Stack, part: ConfusionMatrix | Stack, policy: Policy
) -> ConfusionMatrix | Stack:
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
    row, col = whole_column(part["actual"], "actual"), whole_column(part["predicted"], "predicted")
    try:
        if "by" in part:
            return count_groups(row, col, part["by"], numbers, policy)
        return count_columns(row, col, numbers, policy)
    except LabelError as error:
        if position == 0 or isinstance(error, NoGroupsError):
            raise
        msg = Message(
            "{} (numbers are those of the chunk that begins with item {:,})", error, position
        )
        raise LabelError(msg) from None


def _chunks(values: Any, name: str) -> Iterator[Any]:
    """Endless chunks of a side; empty ones after its end."""
    if not hasattr(values, "__iter__") or getattr(values, "shape", None) == ():
        msg = Message(
            "{} must hold one value per pair, not {} {!r:.60}",
            Argument(name),
            type(values).__name__,
            values,
        )
        raise InputError(msg)
    if isinstance(values, (list, tuple)) or hasattr(values, "iloc") or hasattr(values, "shape"):
        rows = getattr(values, "iloc", values)
        for start in count_from(0, CHUNK_ITEMS):
            yield rows[start : start + CHUNK_ITEMS]
    source = iter(values)
    while True:
        yield list(islice(source, CHUNK_ITEMS))


def _lengths_message(lengths: dict[str, int], position: int) -> str:
    short = [
        Message("{} has {:,}", Argument(name), position + n)
        for name, n in lengths.items()
        if n < CHUNK_ITEMS
    ]
    long = [
        Message("{}", Argument(name)) for name, n in lengths.items() if n == max(lengths.values())
    ]
    return Message(
        "the sides end at different places: {} items, and {} more; they are paired by position",
        Message.joined(", ", short),
        Message.joined(", ", long),
    )
