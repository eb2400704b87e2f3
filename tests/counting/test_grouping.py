"""One matrix per group: the same as counting each group by itself, over common labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import BudgetError, InputError, LabelError, count

pytestmark = pytest.mark.usefixtures("kernel")

NAMES = st.sampled_from(["a", "b", "c"])
WIDE = st.sampled_from([0, 1, 10**6, -(10**9)])
ROWS = st.sampled_from([NAMES, WIDE]).flatmap(
    lambda label: st.lists(
        st.tuples(label, label, st.sampled_from(["z", "y", "x"]), st.integers(0, 5)),
        min_size=1,
        max_size=25,
    )
)


@given(ROWS, st.booleans(), st.sampled_from([None, True, False]), st.sampled_from([list, np.array]))
def test_each_group_is_counted_by_itself(
    rows: list[Any], weighted: bool, sparse: bool | None, container: Any
) -> None:
    actual, predicted, by, weights = (container([row[i] for row in rows]) for i in range(4))
    stack = count(actual, predicted, by=by, weights=weights if weighted else None, sparse=sparse)
    whole = count(actual, predicted, weights=weights if weighted else None)
    assert list(stack) == sorted({row[2] for row in rows})
    assert stack.labels == whole.labels
    assert stack.sum() == whole
    for key in stack:
        part = [row for row in rows if row[2] == key]
        alone = count(
            [row[0] for row in part],
            [row[1] for row in part],
            labels=whole.labels,
            weights=[row[3] for row in part] if weighted else None,
        )
        assert stack[key] == alone
        assert stack[key].is_sparse == (sparse is True)
        assert stack[key].dropped == 0
        assert (stack[key].squares is None) == (not weighted)
        if weighted:
            assert stack[key].squares.tolist() == alone.squares.tolist()  # type: ignore[union-attr]
    assert stack.total.tolist() == [stack[key].total for key in stack]


def test_a_pair_without_a_group_leaves_no_label_behind_weighted_or_not() -> None:
    options: dict[str, Any] = {"by": [1, None], "missing": "drop"}
    plain = count(["a", "b"], ["a", "b"], **options)
    weighted = count(["a", "b"], ["a", "b"], weights=[1, 1], **options)
    assert plain == weighted
    assert plain.labels == weighted.labels


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ([2, 1, 2], [1, 2]),
        (np.array([2**64 - 1, 0, 1], np.uint64), [0, 1, 2**64 - 1]),
        ([True, False, True], [False, True]),
        ([(1, "x"), (0, "y"), (1, "x")], [(0, "y"), (1, "x")]),
        ([1.0, 0.0, 1.0], [0, 1]),
        (lambda: iter("bab"), ["a", "b"]),
    ],
)
def test_groups_may_be_anything_that_labels_may(by: Any, keys: list[Any]) -> None:
    stack = count(["p", "q", "p"], ["p", "p", "p"], by=by() if callable(by) else by)
    assert list(stack) == keys
    assert [type(key) for key in stack] == [type(key) for key in keys]
    assert stack.total.sum() == 3


def test_a_series_names_the_axis_and_a_category_gives_the_order() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    by = pd.Series(
        pd.Categorical(["low", "high", "low"], categories=["low", "mid", "high"]), name="size"
    )
    stack = count([0, 1, 0], [0, 0, 0], by=by)
    assert (stack.axis, list(stack), stack.total.tolist()) == ("size", ["low", "high"], [2, 1])


@pytest.mark.parametrize(
    ("by", "error", "said"),
    [
        ([1, 2], InputError, "one group per pair: 3, not 2"),
        ("abc", InputError, "`by` is one str"),
        ([1, None, 2], LabelError, "missing groups: 1 in `by`, the first at position 1"),
        ([0.5, 1, 2], LabelError, "floats only where they hold integers"),
        ([True, 1, 2], LabelError, "groups of different types are equal"),
    ],
)
def test_groups_that_are_none(by: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        count([0, 1, 0], [0, 0, 0], by=by)


def test_nothing_to_group() -> None:
    with pytest.raises(InputError, match="no pairs to count, hence no groups"):
        count([], [], by=[])


def test_a_group_called_missing_does_not_swallow_the_missing_ones() -> None:
    with pytest.raises(LabelError, match="itself called '\\(missing\\)'"):
        count([1, 1], [1, 1], by=["(missing)", None], missing="collect")


def test_too_many_groups_are_refused_with_a_guess() -> None:
    with pytest.raises(
        BudgetError, match="11 groups, more than `max_groups` = 10: this looks like an identifier"
    ):
        count([0] * 11, [0] * 11, by=range(11), max_groups=10)
    with pytest.raises(BudgetError, match="10,001 groups"):
        count(np.zeros(10_001, int), np.zeros(10_001, int), by=np.arange(10_001))


def test_many_groups_of_many_classes_stay_in_proportion_to_the_pairs() -> None:
    actual, by = np.random.default_rng(0).permutation(5000), np.arange(5000) % 500
    stack = count(actual, actual, by=by)
    assert stack.total.tolist() == [5000 / 500] * 500
    assert stack[7].is_sparse
    with pytest.raises(BudgetError):
        _ = stack.counts


def test_pairs_without_a_group_are_counted_among_the_dropped() -> None:
    by = ["x", None, "x", None, "y"]
    stack = count([1, 1, 2, 2, 1], [1, 2, 2, 2, 1], by=by, missing="drop")
    assert (stack.ungrouped, stack.dropped, stack.total.sum()) == (2, 2, 5 - 2)
    assert "2 left out of the matrices" in str(stack)
    assert (stack + stack).dropped == 2 + 2


def test_pairs_without_a_group_are_known_in_a_stream_and_by_weight() -> None:
    chunk = 1 << 16
    by = ["x"] * chunk + [None] * chunk + ["x", None]
    labels = [1] * len(by)
    stack = count(iter(labels), iter(labels), by=iter(by), missing="drop")
    assert stack.dropped == chunk + 1
    weighted = count(
        [1, 1, 1], [1, 1, 1], by=["x", None, "x"], weights=[0.5, 0.25, 1.0], missing="drop"
    )
    assert weighted.dropped == 0.25


def test_several_groupings_by_name_are_crossed() -> None:
    sex, age = np.array(["f", "m", "f", "f"]), [30, 40, 50, 30]
    stack = count([1, 0, 1, 0], [1, 1, 0, 0], by={"sex": sex, "age": age})
    assert (stack.axis, list(stack)) == ("sex, age", [("f", 30), ("f", 50), ("m", 40)])
    assert repr(next(iter(stack))) == "('f', 30)"
    assert stack["f", 30] == count([1, 0], [1, 0])
    assert str(stack).splitlines()[1].startswith("f, 30")
    assert stack.to_csv().splitlines()[:2] == ["sex,age,total,on_diagonal", "f,30,2,1.0"]
    alone = count([1, 0, 1, 0], [1, 1, 0, 0], by={"sex": sex})
    assert (alone.axis, list(alone)) == ("sex", ["f", "m"])


def test_an_item_that_lacks_one_of_several_groupings_is_of_no_group() -> None:
    by = {"sex": ["f", None, "m"], "age": [30, 40, 50]}
    with pytest.raises(LabelError, match=r"missing groups: 1 in `by\['sex'\]`"):
        count([1, 0, 1], [1, 1, 0], by=by)
    stack = count([1, 0, 1], [1, 1, 0], by=by, missing="drop")
    assert (list(stack), stack.ungrouped) == ([("f", 30), ("m", 50)], 1)
    with pytest.raises(LabelError, match="every item lacks a group"):
        count([1, 0], [1, 1], by={"a": ["x", None], "b": [None, "y"]}, missing="drop")
    with pytest.raises(InputError, match="names no column"):
        count([1, 0], [1, 1], by={})


def test_keys_made_of_several_values_are_plain() -> None:
    keys = list(
        count([1, 0], [1, 1], by=list(zip(np.array(["f", "m"]), np.array([1, 2]), strict=True)))
    )
    assert [type(part) for key in keys for part in key] == [str, int, str, int]
