"""Invariants that would have caught nearly every wrong number known of tools that count; laws/ has those of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from confmat import ConfmatError, count

pytestmark = pytest.mark.usefixtures("kernel")

NAMES = "abcd"
ROWS = st.lists(
    st.tuples(
        st.sampled_from([*NAMES, None]), st.sampled_from([*NAMES, None]), st.integers(0, 2**40)
    ),
    min_size=1,
    max_size=40,
)
ACTIONS = st.sampled_from(["drop", "collect"])


@given(ROWS, ACTIONS, ACTIONS, st.sampled_from([None, ["a", "b"], ["z"]]), st.booleans())
def test_nothing_vanishes_unreported(
    rows: list[Any], missing: Any, other: Any, labels: Any, weighted: bool
) -> None:
    assume(labels or any(a or p for a, p, _ in rows))
    actual, predicted, weights = ([row[i] for row in rows] for i in range(3))
    matrix = count(
        actual,
        predicted,
        missing=missing,
        other=other,
        labels=labels,
        weights=weights if weighted else None,
    )
    assert matrix.total + matrix.dropped == (sum(weights) if weighted else len(rows))
    assert (
        matrix.total
        == sum(matrix.pairs().values())
        == int(matrix.actual_totals.sum())
        == int(matrix.predicted_totals.sum())
    )


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=2),
    st.binary(max_size=2),
    st.tuples(st.integers()),
)


@given(
    st.lists(
        ANYTHING
        | st.sets(st.integers(), max_size=2)
        | st.dictionaries(st.integers(), st.integers(), max_size=1),
        max_size=6,
    ),
    st.booleans(),
)
def test_anything_else_is_an_error_of_ours(values: list[Any], as_array: bool) -> None:
    if as_array:
        holder = np.empty(len(values), dtype=object)
        holder[:] = values
    else:
        holder = values  # type: ignore[assignment]
    try:
        matrix = count(holder, holder, missing="drop")
    except ConfmatError:
        return
    assert matrix.total + matrix.dropped == len(values)
    assert matrix.diagonal.sum() == matrix.total
