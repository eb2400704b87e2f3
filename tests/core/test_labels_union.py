"""The union of labels: one answer whatever comes first, and an error where the sides contradict."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import LabelError, Labels, count

TEXTS = st.text(st.characters(), max_size=6)
NUMBERS = st.from_regex(r"[-+]?[0-9]{1,2}(\.[0-9])?", fullmatch=True)
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXTS,
    "numbers": NUMBERS,
    "numbers and others": NUMBERS | st.just("x"),
    "int": st.integers(-(2**70), 2**70),
    "object": st.tuples(TEXTS, st.integers()) | st.dates() | st.fractions(),
}
KINDS = st.sampled_from(list(SCALARS))


@given(
    KINDS.flatmap(
        lambda kind: st.lists(
            st.lists(SCALARS[kind], min_size=1, max_size=4, unique=True), min_size=3, max_size=3
        )
    )
)
def test_union_commutes_and_associates(parts: list[list[Any]]) -> None:
    a, b, c = map(Labels, parts)
    assert a.union(b) == b.union(a)
    assert set(a.union(b)) == {*a, *b}
    assert a.union(a) == a
    assert a.union(b).union(c) == a.union(b.union(c))


def test_union_keeps_a_common_order_and_sorts_otherwise() -> None:
    assert Labels(["c", "a"]).union(Labels(["c", "a"])) == ["c", "a"]
    assert Labels(["c", "a"]).union(Labels(["b"])) == ["a", "b", "c"]
    assert Labels(range(0, 4000, 2)).union(Labels(range(1, 4000, 2))) == Labels(range(4000))
    assert Labels([2**70]).union(Labels([-1])) == [-1, 2**70]


def test_texts_that_are_numbers_are_sorted_by_value() -> None:
    assert Labels(["10"]).union(Labels(["2", "1"])) == ["1", "2", "10"]
    assert Labels(["10", "9"]).union(Labels(["x"])) == ["10", "9", "x"]
    assert count(["10", "2", "02", "-1", "2.5", "+2"], ["1"] * 6).labels == [
        "-1",
        "1",
        "+2",
        "02",
        "2",
        "2.5",
        "10",
    ]
    assert count(["١٠", "2"], ["2", "2"]).labels == ["2", "١٠"]
    assert count(["1e5", "2"], ["2", "2"]).labels == ["1e5", "2"]
    assert count(["9" * 400, "10"], ["2", "2"]).labels == ["10", "2", "9" * 400]


def test_union_refuses_what_contradicts() -> None:
    with pytest.raises(LabelError, match="do not mix"):
        Labels([1]).union(Labels(["1"]))
    with pytest.raises(LabelError, match="positive class is 'a' on one side and 'b'"):
        Labels(["a", "b"], positive="a").union(Labels(["a", "b"], positive="b"))
    with pytest.raises(LabelError, match="at once"):
        Labels(["a"], outside=["b"]).union(Labels(["b"]))
