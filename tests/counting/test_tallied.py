"""A table of counted pairs is the count of the pairs it stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import ConfmatError, ConfusionMatrix, InputError, count
from confmat.counting.door import count_table, policy_of
from confmat.counting.planning import Action

pytestmark = pytest.mark.usefixtures("kernel")

ACTIONS = st.sampled_from(["error", "drop", "collect"])
KINDS: dict[str, tuple[list[Any], list[Any]]] = {
    "text": (["a", "b", "c", None], ["b", "a"]),
    "integers": ([0, 1, 70_000, 3], [1, 0, 2]),
    "close integers": ([4, 5, 6, 7], [5, 4]),
    "truth": ([True, False], [False, True]),
    "whole floats": ([1.0, 2.0, 3.0, float("nan")], [2, 1]),
    "bytes": ([b"x", b"y", None], [b"x", b"z"]),
}


def table_of(
    rows: list[tuple[Any, Any, Any]],
    squares: list[Any] | None = None,
    sparse: bool | None = None,
    **options: Any,
) -> ConfusionMatrix:
    how = {
        "labels": None,
        "missing": "error",
        "other": "error",
        "positive": None,
        "max_classes": 100,
        **options,
    }
    actual, predicted, counts = ([row[i] for row in rows] for i in range(3))
    return count_table(actual, predicted, counts, policy_of(**how, sparse=sparse), squares=squares)


def outcome(act: Any) -> tuple[ConfusionMatrix | None, type | None]:
    try:
        return act(), None
    except ConfmatError as error:
        return None, type(error)


def assert_same(found: Any, expected: Any) -> None:
    assert found[1] is expected[1]
    mine, theirs = found[0], expected[0]
    if theirs is None:
        return
    assert mine == theirs
    assert mine.labels == theirs.labels
    assert (mine.total, mine.dropped, mine.is_sparse) == (
        theirs.total,
        theirs.dropped,
        theirs.is_sparse,
    )
    assert mine.counts.dtype == theirs.counts.dtype
    assert (mine.squares is None) == (theirs.squares is None)
    if theirs.squares is not None:
        assert mine.squares.tolist() == theirs.squares.tolist()


@given(
    st.booleans(), ACTIONS, ACTIONS, st.booleans(), st.sampled_from([True, False, None]), st.data()
)
def test_sums_of_weights_with_their_squares(
    with_labels: bool,
    missing: Action,
    other: Action,
    whole: bool,
    sparse: bool | None,
    data: st.DataObject,
) -> None:
    names, labels = KINDS["text"]
    # Quarters and their squares add up without rounding.
    weight = st.integers(0, 9) if whole else st.integers(0, 99).map(lambda n: n / 4)
    one = st.tuples(
        st.sampled_from(names), st.sampled_from(names), st.lists(weight, min_size=1, max_size=3)
    )
    rows = data.draw(st.lists(one, min_size=1, max_size=8))
    options: dict[str, Any] = {
        "labels": labels if with_labels else None,
        "missing": missing,
        "other": other,
    }
    expanded = [(a, p, w) for a, p, weights in rows for w in weights]
    expected = outcome(
        lambda: count(
            [a for a, _, _ in expanded],
            [p for _, p, _ in expanded],
            weights=[w for *_, w in expanded],
            sparse=sparse,
            **options,
        )
    )
    sums = [(a, p, sum(weights)) for a, p, weights in rows]
    squares = [sum(w * w for w in weights) for *_, weights in rows]
    assert_same(outcome(lambda: table_of(sums, squares, sparse, **options)), expected)


@pytest.mark.parametrize("counts", [[2**62] * 3, [2**63 + 1, 5, 0]])
def test_counts_that_need_the_last_bit(counts: list[int]) -> None:
    found = table_of([("a", "a", counts[0]), ("a", "b", counts[1]), ("b", "b", counts[2])])
    assert found.total == sum(counts)
    assert found.counts.dtype == np.uint64
    assert found.counts.tolist() == [[counts[0], counts[1]], [0, counts[2]]]


@pytest.mark.parametrize(
    ("actual", "predicted", "counts", "squares"),
    [
        (["a", "b"], ["a"], [1, 1], None),
        (["a", "b"], ["a", "b"], [1], None),
        (["a", "b"], ["a", "b"], [1, -1], None),
        (["a", "b"], ["a", "b"], [1, float("nan")], None),
        (["a", "b"], ["a", "b"], [1.0, 2.0], [1.0, -2.0]),
    ],
)
def test_columns_that_do_not_fit(actual: Any, predicted: Any, counts: Any, squares: Any) -> None:
    how = policy_of(None, "error", "error", None, 100)
    with pytest.raises(InputError):
        count_table(actual, predicted, counts, how, squares=squares)


def test_an_empty_table_of_given_labels() -> None:
    found = table_of([], labels=["a", "b"])
    assert (found.total, found.counts.tolist()) == (0, [[0, 0], [0, 0]])
