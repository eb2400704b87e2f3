"""Two columns of codes become a matrix: the quick road, the general one, and errors that say where."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix, LabelError, Labels
from confmat.counting.columns import Column
from confmat.counting.planning import Action, Policy
from confmat.counting.tables import MIN_THREADED_PAIRS, count_columns, workers

pytestmark = pytest.mark.usefixtures("kernel")


def policy(
    labels: list[Any] | None = None,
    *,
    missing: Action = "error",
    other: Action = "error",
    positive: Any = None,
    max_classes: int = 100,
) -> Policy:
    return Policy(None if labels is None else Labels(labels), missing, other, positive, max_classes)


def integers(values: list[int], dtype: str = "int64") -> Column:
    return Column(np.array(values, dtype))


def texts(values: list[str | None]) -> Column:
    names = list(dict.fromkeys(value for value in values if value is not None))
    codes = [-1 if value is None else names.index(value) for value in values]
    return Column(np.array(codes, np.int32), names, holes=True)


def counted(
    row: Column, col: Column, how: Policy, weights: Any = None, sparse: bool | None = None
) -> ConfusionMatrix:
    return count_columns(
        row, col, None if weights is None else np.array(weights), replace(how, sparse=sparse)
    )


# ---- threads -------------------------------------------------------------------------------------


def test_few_pairs_get_one_thread() -> None:
    assert workers(None, MIN_THREADED_PAIRS - 1) == 1
    assert workers(None, MIN_THREADED_PAIRS) >= 1
    assert workers(3, 1) == workers(np.int8(3), 1) == 3  # type: ignore[arg-type]


# ---- integers ------------------------------------------------------------------------------------


# ---- anything, under any policy ------------------------------------------------------------------


# ---- errors that say where -----------------------------------------------------------------------


def test_strangers_are_named_counted_and_placed() -> None:
    words = (
        "2 labels are not among `labels`: 'x', 'y', in 3 of 4 pairs, the first at position 1. "
        "Name them in `labels`, or say other='drop' or other='collect'"
    )
    with pytest.raises(LabelError) as caught:
        counted(texts(["a", "x", "a", "x"]), texts(["a", "a", "y", "y"]), policy(["a", "b"]))
    assert str(caught.value) == words


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64"])
def test_strangers_among_integers_are_found_by_their_codes(dtype: str) -> None:
    top = int(np.iinfo(dtype).max)
    row, col = integers([0, 1, top], dtype), integers([1, 1, 1], dtype)
    with pytest.raises(
        LabelError, match=f"not among `labels`: {top}, in 1 of 3 pairs, the first at position 2"
    ):
        counted(row, col, policy([0, 1]))
