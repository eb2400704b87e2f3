"""From counted pairs to a matrix or a stack, with errors that speak of rows and columns of the frame."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting.columns import column_of
from confmat.counting.door import count_pairs
from confmat.counting.grouping import count_groups
from confmat.counting.planning import Policy, quiet
from confmat.counting.tallied import count_table
from confmat.counting.weighing import read_weights
from confmat.engines.queries import Asked, Counted
from confmat.errors import Argument, InputError, LabelError, Message
from confmat.matrix import ConfusionMatrix
from confmat.stack import Stack
from confmat.text import some

__all__ = ["refuse_scores", "settled"]

Array = NDArray[Any]

# What is said of positions would be those in the table of pairs, which nobody has seen.
PLACES = re.compile(r", in [\d,]+ of [\d,]+ pairs, the first at position [\d,]+")


# A number with a fraction that is not zero.
FRACTION = re.compile(r"[-+]?[0-9]*\.(?=0*[1-9])[0-9]+([eE][-+]?[0-9]+)?|[-+]?[0-9.]+[eE]-[0-9]+")


def refuse_scores(found: Counted, asked: Asked) -> None:
    """Refuse labels of files that are scores: most on one side have a fraction, none on the other side has one.

    Nothing says so where a file holds text; counted as they are, they would be as many classes as rows.
    """
    sides = [{name for name in names if name is not None} for names in (found.actual, found.predicted)]
    if not all(type(name) is str for side in sides for name in side):
        return
    broken = [[name for name in side if FRACTION.fullmatch(name)] for side in sides]
    for place, column in enumerate((asked.actual, asked.predicted)):
        if 2 * len(broken[place]) > len(sides[place]) and not broken[1 - place]:
            such = some(sorted(broken[place])[:1])
            msg = Message(
                "the column {} holds numbers such as {}, and the other side none with a fraction, so these are "
                "scores and no labels; choose another column, or have a threshold make labels of them: --scores "
                "COLUMN on the command line, or confmat.from_scores. If they are labels, name them in {labels}",
                asked.name(column),
                such,
            )
            raise InputError(msg)


def settled(
    found: Counted, asked: Asked, policy: Policy, sparse: bool | None, max_groups: int
) -> ConfusionMatrix | Stack:
    """The matrix, or the stack of groups, of pairs that an engine counted."""
    if not len(found.many):
        # No pairs at all: the same answer, or the same error, as for two empty lists.
        return count_pairs([], [], None, None if asked.by is None else [], policy, sparse, None, max_groups)
    numbers = found.many if found.totals is None else found.totals
    try:
        if asked.by is not None:
            return _stacked(found, numbers, str(asked.called.get(asked.by, asked.by)), policy, sparse, max_groups)
        return count_table(found.actual, found.predicted, numbers, policy, squares=found.squares, sparse=sparse)
    except LabelError as error:
        raise type(error)(_in_rows(error.message, found, asked)) from None


def _stacked(found: Counted, numbers: Array, axis: str, policy: Policy, sparse: bool | None, max_groups: int) -> Stack:
    if found.totals is None and policy.missing == "drop":
        found = _with_group(found)
        numbers = found.many
    row, col = column_of(found.actual, "actual"), column_of(found.predicted, "predicted")
    assert row is not None
    assert col is not None

    def per_group(values: Array, name: str, policy: Policy) -> Stack:
        weights = read_weights(values, len(row.codes), name)
        return count_groups(row, col, found.group, weights, policy, sparse, 1, max_groups)

    sums = per_group(numbers, "weights", policy)
    # The squares that come with these are those of the sums; the weights' own are summed like them.
    second = None if found.squares is None else per_group(found.squares, "squares of the weights", quiet(policy))
    matrices = {}
    for key, matrix in sums.items():
        squares = None if second is None else second[key]._counts.stored(matrix._counts.is_sparse)
        matrices[key] = ConfusionMatrix._of(matrix.labels, matrix._counts, squares, matrix.dropped)
    return Stack(matrices, axis=axis)


def _with_group(found: Counted) -> Counted:
    """Without the pairs that belong to no group: as in `count`, labels that only they hold are no classes."""
    import narwhals.stable.v2 as nw

    group = column_of(found.group, "by")
    assert group is not None
    kept = np.asarray(group.codes) >= 0
    if not group.holes or kept.all() or not kept.any():
        return found

    def of(values: Any) -> Any:
        if isinstance(values, list):
            return [value for value, stays in zip(values, kept.tolist(), strict=True) if stays]
        return nw.from_native(values, series_only=True).filter(kept.tolist()).to_native()

    return Counted(of(found.actual), of(found.predicted), of(found.group), found.many[kept], None, None)


def _in_rows(message: Message, found: Counted, asked: Asked) -> Message:
    """Return the message of `count` with the numbers of rows instead of positions in the table of pairs."""
    if message.startswith("missing labels: "):
        sides = (("actual", found.actual, asked.actual), ("predicted", found.predicted, asked.predicted))
        parts = [_missing(values, side, asked.name(column), found.many) for side, values, column in sides]
        return Message("missing labels: {}. {}", Message.joined("; ", filter(None, parts)), message.after(". "))
    if message.startswith("missing groups: "):
        assert asked.by is not None
        rows = _missing(found.group, "by", asked.name(asked.by), found.many)
        return Message("missing groups: {}. {}", rows, message.after(". "))
    return message.edited(lambda text: PLACES.sub("", text))


def _missing(values: Any, side: str, name: str, many: Array) -> str:
    column = column_of(values, side)
    if column is None or not column.holes:
        return ""
    rows = int(many[np.asarray(column.codes) < 0].sum())
    return Message("{:,} rows in {} (column {})", rows, Argument(side), name) if rows else ""
