"""Pairs that were already counted elsewhere, such as by a data frame or a database: names with their counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting.columns import Column, column_of
from confmat.counting.pairing import ACTUAL, PREDICTED, plan_columns
from confmat.counting.planning import Policy
from confmat.counting.tables import Raw, coded, count_raw, entered, left_out, placed, side_of
from confmat.counting.weighing import read_weights
from confmat.errors import InputError, Message
from confmat.matrix import ConfusionMatrix

__all__ = ["count_table"]

Array = NDArray[Any]


def count_table(
    actual: Any, predicted: Any, counts: Any, policy: Policy, *, squares: Any = None, sparse: bool | None = None
) -> ConfusionMatrix:
    """The matrix of a table of (actual, predicted, count), under the same policies as `count`.

    `counts` are numbers of pairs, or sums of weights when `squares`, their sums of squares, come with them.
    """
    row, col = column_of(actual, "actual"), column_of(predicted, "predicted")
    if row is None or col is None or len(row.codes) != len(col.codes):
        msg = "a table of counted pairs needs as many actual as predicted labels"
        raise InputError(msg)
    numbers = read_weights(counts, len(row.codes), "counts")
    weighed = None if squares is None else read_weights(squares, len(row.codes), "squares").astype(np.float64)
    return _placed(row, col, numbers, weighed, policy, sparse)


def _placed(
    row: Column, col: Column, numbers: Array, weighed: Array | None, policy: Policy, sparse: bool | None
) -> ConfusionMatrix:
    left, right = coded(row), coded(col)
    sums = count_raw(left, right, numbers, 1)
    column = side_of(right, sums, 1, PREDICTED)
    plan = plan_columns(left, right, policy, side_of(left, sums, 0, ACTUAL), column)
    entered(policy, plan, column, [sums])
    known = None if weighed is None else count_raw(left, right, weighed, 1)
    # What the kernel squared were counts of pairs; the squares of their weights were summed elsewhere.
    squares = None if known is None else (known.table if known.cells is None else known.cells[2])
    counts, second = placed(Raw(sums.table, sums.cells, squares), plan, None, sparse=sparse)
    return ConfusionMatrix._of(plan.labels, counts, second, left_out(sums, plan))
