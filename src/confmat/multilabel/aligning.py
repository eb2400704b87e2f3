"""Aligning: two sides over the same labels, in the same columns, without the items that are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.text import some
from confmat.counting.planning import Policy, Strangers, plan_for
from confmat.counting.planning import Side as Names
from confmat.counting.weights import read_weights
from confmat.multilabel.sets import sets_of
from confmat.multilabel.tables import SparseTable, Table, Values, check_ones, is_sparse, ones_at, table_of

__all__ = ["Aligned", "align", "as_sparse"]

Array = NDArray[Any]


@dataclass(slots=True)
class Aligned:
    """Two tables of zeros and ones with the labels in their columns: both arrays, or both sparse.

    Arrays may still hold something else: whoever adds them up finds it. `dropped` is what was left out, in items
    or their weights.
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
    many = np.count_nonzero(ones, axis=1)
    columns = np.flatnonzero(ones) - np.repeat(np.arange(n) * size, many)
    return ones_at(n, size, np.concatenate(([0], np.cumsum(many))), columns)


def align(actual: Any, predicted: Any, weights: Any, sep: str | None, policy: Policy) -> Aligned:
    """Read both sides, settle their labels and leave out what is missing."""
    sides = [_read(values, side, sep) for values, side in ((actual, "actual"), (predicted, "predicted"))]
    true, answered = sides
    if sep is not None:
        _check_sep(true, answered, sep)
    if true.shape[0] != answered.shape[0]:
        msg = Message(
            "{actual} has {:,} items and {predicted} has {:,}; they are paired by position, so there must be as many",
            true.shape[0],
            answered.shape[0],
        )
        raise InputError(msg)
    numbers = None if weights is None else read_weights(weights, true.shape[0])
    if numbers is not None and numbers.dtype == np.uint64:
        msg = Message("the weights add up to more than 63 bits hold; give them as floats")
        raise InputError(msg)
    labels, columns = _settled(true, answered, policy)
    values = [
        _moved(side, places, len(labels), title) for side, places, title in zip(sides, columns, _SIDES, strict=True)
    ]
    kept = _kept(true, answered, policy.missing)
    if kept is not None or is_sparse(values[0]) != is_sparse(values[1]):
        for part, title in zip(values, _SIDES, strict=True):
            if not is_sparse(part):
                check_ones(part, title, list(labels))
    dropped: int | float = 0
    if kept is not None:
        values = [part[kept] for part in values]
        dropped = int((~kept).sum()) if numbers is None else numbers[~kept].sum().item()
        numbers = None if numbers is None else numbers[kept]
    if is_sparse(values[0]) != is_sparse(values[1]):
        values = [as_sparse(part) for part in values]
    return Aligned(labels, values[0], values[1], numbers, dropped, kept)


_SIDES = ("actual", "predicted")


def _read(values: Any, side: str, sep: str | None) -> Table:
    found = table_of(values, side)
    return sets_of(values, side, sep) if found is None else found


def _check_sep(true: Table, answered: Table, sep: str) -> None:
    """No item has two labels, and most labels hold what parts labels elsewhere: another separator was meant."""
    if any(side.ordered or (side.values.nnz and np.diff(side.values.indptr).max() > 1) for side in (true, answered)):
        return
    names = [name for side in (true, answered) for name in side.names or () if isinstance(name, str)]
    for other in ",;|\t":
        held = [name for name in names if other in name]
        if other != sep and 2 * len(held) > len(names):
            msg = Message(
                "no text holds the separator {!r:.60}, and {:,} of {:,} hold {!r}, such as {}: say {}, or give sets "
                "if these are single labels",
                sep,
                len(held),
                len(names),
                other,
                some(held[:1]),
                Argument("sep", other),
            )
            raise InputError(msg)


def _kept(true: Table, answered: Table, missing: str) -> Array | None:
    """Which items are there on both sides; None if all."""
    gaps = [side.holes for side in (true, answered)]
    if gaps[0] is None and gaps[1] is None:
        return None
    if missing == "error":
        parts = [
            Message("{:,} in {}, the first at position {:,}", int(part.sum()), Argument(name), int(np.argmax(part)))
            for part, name in zip(gaps, _SIDES, strict=True)
            if part is not None
        ]
        msg = Message("missing items: {}. Say {missing:'drop'} to leave such items out", Message.joined("; ", parts))
        raise LabelError(msg)
    kept = np.ones(true.shape[0], bool)
    for part in gaps:
        if part is not None:
            kept &= ~part
    return kept


# ---- labels ------------------------------------------------------------------------------------------------


def _settled(true: Table, answered: Table, policy: Policy) -> tuple[Labels, list[Array]]:
    """The labels of both sides, and where each of their columns goes; -1 for nowhere."""
    if policy.labels is None:
        _check_columns(true, answered)
    names = [_names(true, answered, policy.labels, _SIDES), _names(answered, true, policy.labels, _SIDES[::-1])]
    sides = [
        Names(part, None, False, False, table.ordered, Message("{}", Argument(title)))
        for part, table, title in zip(names, (true, answered), _SIDES, strict=True)
    ]
    if policy.labels is None and not any(names):
        msg = Message(
            "no item has a label on either side, so there is nothing to count; with {labels=} it is a count of zeros"
        )
        raise LabelError(msg)
    try:
        plan = plan_for(sides[0], sides[1], policy)
    except Strangers as strangers:
        raise LabelError(_strange(strangers, (true, answered))) from None
    return plan.labels, [plan.rows, plan.cols]


def _check_columns(true: Table, answered: Table) -> None:
    """Two frames have columns of the same names, in any order; a label that only one has is a slip, most likely."""
    if not (true.ordered and answered.ordered) or true.names is None or answered.names is None:
        return
    alone = [
        Message("{} only in {}", some(names, 8), Argument(title))
        for one, other, title in ((true, answered, "actual"), (answered, true, "predicted"))
        if (names := [name for name in one.names or () if name not in (other.names or ())])
    ]
    if alone:
        msg = Message(
            "the columns differ: {}. Give both sides the same names, or say {labels=} and, for columns that it "
            "does not name, {other:'drop'}",
            Message.joined(" and ", alone),
        )
        raise LabelError(msg)


def _names(side: Table, other: Table, labels: Labels | None, titles: tuple[str, ...]) -> Sequence[Any]:
    """The names of the columns: their own, those of `labels`, those beside them, or their numbers."""
    if side.names is not None:
        return side.names
    size, title, beside = side.shape[1], *titles
    if labels is not None:
        names, whose = labels.classes, Message("{labels}")
    elif other.ordered and other.names is not None:
        names, whose = tuple(other.names), Message("{}", Argument(beside))
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


def _strange(found: Strangers, sides: tuple[Table, Table]) -> str:
    many = len(found.names)
    places = []
    for side, bad, title in zip(sides, found.bad, _SIDES, strict=True):
        if bad.any() and is_sparse(side.values):
            row = int(np.argmax(np.isin(side.values.indices, np.flatnonzero(bad))))
            place = int(np.searchsorted(side.values.indptr, row, side="right")) - 1
            places.append(Message("first in item {:,} of {}", place, Argument(title)))
        elif bad.any():
            places.append(Message("in the columns of {}", Argument(title)))
    return Message(
        "{:,} label{} not among {labels}: {}, {}. Name them in {labels}, or say {other:'drop'}",
        many,
        "s are" if many > 1 else " is",
        some(found.names, 8),
        Message.joined(" and ", places),
    )


def _moved(side: Table, places: Array, size: int, title: str) -> Values:
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
    if known.all():
        return ones_at(values.shape[0], size, values.indptr, places[values.indices])
    stays = known[values.indices]
    rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))[stays]
    ends = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=values.shape[0]))))
    return ones_at(values.shape[0], size, ends, places[values.indices[stays]])
