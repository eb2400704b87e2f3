"""Two columns of codes become a matrix: the quick road, the general one, and errors that say where."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import ConfusionMatrix, InputError, LabelError, Labels
from confmat.counting.columns import Column
from confmat.counting.planning import Action, Policy, SideNames
from confmat.counting.tables import MIN_THREADED_PAIRS, coded, count_columns, place_columns, workers

pytestmark = pytest.mark.usefixtures("kernel")

ACTIONS: list[Action] = ["error", "drop", "collect"]


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


@pytest.mark.parametrize("wrong", [0, -1, 1.0, True, "2"])
def test_threads_are_a_whole_number(wrong: Any) -> None:
    with pytest.raises(InputError, match="`threads`"):
        workers(wrong, 1)


# ---- integers ------------------------------------------------------------------------------------


def test_close_integers_are_their_own_labels() -> None:
    found = counted(integers([7, 5, 7], "int8"), integers([5, 5, 7], "uint64"), policy(positive=7))
    assert found.labels == Labels([5, 7], positive=7)
    assert found.counts.tolist() == [[1, 0], [1, 1]]
    # A number in the range that nobody names is no class.
    found = counted(integers([1, 4]), integers([1, 1]), policy())
    assert (found.labels.classes, found.counts.tolist()) == ((1, 4), [[1, 0], [1, 0]])


def test_given_integers_in_a_row() -> None:
    found = counted(integers([1, 2]), integers([2, 2]), policy([0, 1, 2]))
    assert found.counts.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 1]]
    # In another order, or with strangers, the general road says the same.
    assert counted(integers([1, 2]), integers([2, 2]), policy([2, 0, 1])).pairs() == found.pairs()
    with pytest.raises(
        LabelError,
        match="1 label is not among `labels`: 9, in 1 of 2 pairs, the first at position 1",
    ):
        counted(integers([1, 2]), integers([2, 9]), policy([0, 1, 2]))


INTEGERS = st.sampled_from([-(2**63), -2, -1, 0, 1, 2, 3, 70_000, 2**63 - 1])


@given(
    st.lists(st.tuples(INTEGERS, INTEGERS), min_size=1, max_size=12),
    st.sampled_from([True, False, None]),
)
def test_integers_near_and_far(rows: list[tuple[int, int]], sparse: bool | None) -> None:
    found = counted(
        integers([a for a, _ in rows]), integers([p for _, p in rows]), policy(), sparse=sparse
    )
    assert found.labels.classes == tuple(sorted({name for pair in rows for name in pair}))
    assert dict(found.pairs()) == Counter(rows)
    assert (found.total, found.dropped, found.is_sparse) == (len(rows), 0, bool(sparse))


def test_truth_is_no_integer_alone_and_one_among_integers() -> None:
    truth = Column(np.array([True, False]))
    assert counted(truth, truth, policy()).labels.classes == (False, True)
    found = counted(truth, integers([1, 2]), policy())
    assert (found.labels.kind, dict(found.pairs())) == ("int", {(1, 1): 1, (0, 2): 1})


# ---- anything, under any policy ------------------------------------------------------------------


NAMES = st.sampled_from(["a", "b", "c", None])
ROWS = st.lists(st.tuples(NAMES, NAMES, st.integers(0, 4)), min_size=1, max_size=12)


@given(
    ROWS,
    st.booleans(),
    st.sampled_from([None, ["b", "a"]]),
    st.sampled_from(ACTIONS),
    st.sampled_from(ACTIONS),
)
def test_policies(
    rows: list[tuple[Any, Any, int]],
    weighted: bool,
    labels: list[str] | None,
    missing: Action,
    other: Action,
) -> None:
    used = {name for a, p, _ in rows for name in (a, p)}
    classes = sorted(used - {None}) if labels is None else labels
    strange = used - {None, *classes}
    how = policy(labels, missing=missing, other=other)
    row, col = texts([a for a, _, _ in rows]), texts([p for _, p, _ in rows])
    weights = [w for *_, w in rows] if weighted else None
    if (None in used and missing == "error") or (strange and other == "error") or not classes:
        with pytest.raises(LabelError):
            counted(row, col, how, weights)
        return
    expected, dropped = Counter[Any](), 0
    for a, p, w in rows:
        weight = w if weighted else 1
        pair = [
            ("(missing)" if missing == "collect" else None)
            if name is None
            else name
            if name in classes
            else ("(other)" if other == "collect" else None)
            for name in (a, p)
        ]
        if None in pair:
            dropped += weight
        elif weight:
            expected[tuple(pair)] += weight
    found = counted(row, col, how, weights)
    assert found.labels.classes == tuple(classes)
    assert dict(found.pairs()) == expected
    assert (found.total, found.dropped) == (sum(expected.values()), dropped)
    assert (found.squares is None) == (not weighted)


def test_no_pairs_at_all() -> None:
    nothing = integers([])
    with pytest.raises(InputError, match="no pairs to count"):
        counted(nothing, nothing, policy())
    found = counted(nothing, nothing, policy(["x", "y"]))
    assert (found.labels.classes, found.counts.tolist(), found.total) == (
        ("x", "y"),
        [[0, 0], [0, 0]],
        0,
    )


# ---- errors that say where -----------------------------------------------------------------------


def test_missing_labels_are_counted_and_placed() -> None:
    words = "missing labels: 2 in `actual`, the first at position 1; 1 in `predicted`, the first at position 0. Say"
    with pytest.raises(LabelError, match=words):
        counted(texts(["a", None, None]), texts([None, "a", "a"]), policy())
    with pytest.raises(
        LabelError,
        match=r"missing labels: 1 in `predicted`, the first at position 1\. Say missing=",
    ):
        counted(texts(["a", "a"]), texts(["a", None]), policy())


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


def test_a_plan_for_columns_needs_only_their_sides() -> None:
    left, right = coded(texts(["a", "b"])), coded(texts(["b", "b"]))
    sides = [SideNames(side.names, None, True, False, False, "`it`") for side in (left, right)]
    placement = place_columns(left, right, policy(), sides[0], sides[1])
    assert placement.labels.classes == ("a", "b")
    assert (placement.rows.tolist(), placement.cols.tolist(), placement.leaves_out) == (
        [-1, 0, 1],
        [-1, 1],
        False,
    )
