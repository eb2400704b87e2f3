"""A sum of counted parts is what one count over everything would have given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import BudgetError, ConfusionMatrix, LabelError, Labels, Stack, count
from confmat.counting.door import count_pairs, policy_of
from confmat.counting.joining import alike, brought_onto, finished, joined, joined_stacks
from confmat.counting.planning import Action, Policy

pytestmark = pytest.mark.usefixtures("kernel")

Rows = list[tuple[Any, Any]]
# Parts are counted without errors for what is missing or strange: those are each part's own.
ACTIONS = st.sampled_from(["drop", "collect"])


def policy(
    labels: Any = None,
    *,
    missing: Action = "error",
    other: Action = "error",
    max_classes: int = 100,
) -> Policy:
    return replace(policy_of(labels, missing, other, None, max_classes, max_groups=9), is_part=True)


def part_of(rows: Rows, how: Policy, weights: Any = None) -> ConfusionMatrix:
    found = count_pairs([a for a, _ in rows], [p for _, p in rows], weights, None, how)
    assert isinstance(found, ConfusionMatrix)
    return found


# ---- matrices ------------------------------------------------------------------------------------


def test_a_part_without_classes_waits_for_those_of_another() -> None:
    how = policy(missing="collect")
    nothing, some = part_of([(None, None)], how), part_of([("b", None)], how)
    assert nothing.n_classes == 0
    for one, two in ((nothing, some), (some, nothing)):
        found = joined(one, two, how)
        assert found.labels == Labels(["b"], outside=["(missing)"])
        assert dict(found.pairs()) == {("(missing)", "(missing)"): 1, ("b", "(missing)"): 1}
    assert joined(nothing, nothing, how).total == 2


def test_truth_becomes_a_number_among_numbers() -> None:
    truth, numbers = count([True], [False]), count([2], [1])
    for one, two in (alike(truth, numbers), alike(numbers, truth)[::-1]):
        assert one.labels == Labels([0, 1])
        assert two.labels == Labels([1, 2])
    assert alike(truth, truth) == (truth, truth)
    assert alike(count([True], [False], positive=True), numbers)[0].positive == 1


def test_outside_labels_given_come_first_and_the_others_sorted() -> None:
    def matrix(*outside: str) -> ConfusionMatrix:
        size = 1 + len(outside)
        table = np.arange(size**2).reshape(size, size)
        return ConfusionMatrix(table, Labels(["a"], outside=outside))

    how = policy(Labels(["a"], outside=["z", "m"]))
    sides = matrix("(x)", "m"), matrix("b", "z")
    assert joined(*sides, how).labels.outside == ("z", "m", "(x)", "b")
    assert joined(*sides, policy()).labels.outside == ("(x)", "b", "m", "z")
    # A label still holds what it held.
    found = joined(matrix("z"), matrix("m"), how)
    assert dict(found.pairs()) == {**matrix("z").pairs(), **matrix("m").pairs()}


def test_labels_that_cannot_be_sorted_stand_in_order_of_appearance() -> None:
    how = policy()
    first, second = part_of([(("b",), (1,))], how), part_of([((0, 1), ("b",))], how)
    found = joined(first, second, how)
    assert found.labels.classes == (("b",), (1,), (0, 1))
    assert joined(second, first, how).labels.classes == ((0, 1), ("b",), (1,))
    assert dict(found.pairs()) == {(("b",), (1,)): 1, ((0, 1), ("b",)): 1}


def test_parts_may_not_grow_beyond_what_the_caller_allows() -> None:
    how = policy(max_classes=2)
    one, two = part_of([("a", "b")], how), part_of([("c", "a")], how)
    with pytest.raises(BudgetError, match="max_classes"):
        joined(one, two, how)
    assert joined(one, one, how).total == 2


# ---- a matrix from elsewhere ---------------------------------------------------------------------


ELSEWHERE = [("a", "b"), ("x", "a"), ("b", "y"), ("x", "y"), ("b", "b")]


def test_strangers_in_a_matrix_from_elsewhere_are_an_error_where_asked() -> None:
    part = count(*zip(*ELSEWHERE, strict=True))
    with pytest.raises(
        LabelError, match="the part has labels that are not among `labels`: 'x', 'y'"
    ):
        brought_onto(part, policy(["a", "b"]))
    assert brought_onto(part, policy()) is part
    assert brought_onto(part, policy(["a", "b", "x", "y"])) is part
    # Another order is no stranger.
    assert brought_onto(part, policy(["y", "x", "b", "a"])).pairs() == part.pairs()


@given(
    st.lists(
        st.tuples(st.sampled_from("abxy"), st.sampled_from("abxy"), st.integers(0, 9)),
        min_size=1,
        max_size=9,
    ),
    ACTIONS,
)
def test_a_matrix_from_elsewhere_is_as_if_counted_here(
    rows: list[tuple[str, str, int]], other: Action
) -> None:
    sides: Any = ([a for a, _, _ in rows], [p for _, p, _ in rows])
    weights = [w for *_, w in rows]
    expected = count(*sides, weights=weights, labels=["b", "a"], other=other)
    found = brought_onto(count(*sides, weights=weights), policy(["b", "a"], other=other))
    assert found == expected
    assert found.dropped == expected.dropped
    assert found.squares is not None
    assert expected.squares is not None
    assert found.squares.tolist() == expected.squares.tolist()


def test_what_was_left_out_before_stays_told() -> None:
    part = count(["a", "x", None], ["a", "a", "a"], missing="drop")
    assert (part.total, part.dropped) == (2, 1)
    assert brought_onto(part, policy(["a", "b"], other="drop")).dropped == 2
    assert brought_onto(part, policy(["a", "b"], other="collect")).dropped == 1


def test_outside_labels_are_nobodys_strangers() -> None:
    part = count(
        ["a", None, "x"], ["a", "a", None], labels=["a"], missing="collect", other="collect"
    )
    found = brought_onto(part, policy(["b", "a"]))
    assert found.labels == Labels(["b", "a"], outside=["(missing)", "(other)"])
    assert found.pairs() == part.pairs()


# ---- the end -------------------------------------------------------------------------------------


def test_the_sum_of_all_parts_has_classes_and_a_positive_one() -> None:
    matrix = count(["a"], ["b"])
    assert finished(matrix, None) is matrix
    assert finished(matrix, "b").positive == "b"
    # A class that the labels name already stays.
    assert finished(count(["a"], ["b"], positive="a"), "b").positive == "a"
    with pytest.raises(LabelError):
        finished(matrix, "c")
    with pytest.raises(LabelError, match="every label is missing"):
        finished(part_of([(None, None)], policy(missing="collect")), None)


# ---- stacks --------------------------------------------------------------------------------------


def test_what_belonged_to_no_group_adds_up() -> None:
    one, two = (
        Stack({"g": count(["a"], ["b"])}, ungrouped=2),
        Stack({"h": count(["c"], ["a"])}, ungrouped=3),
    )
    found = joined_stacks(one, two, policy())
    assert (list(found), found.ungrouped) == (["g", "h"], 5)
    assert found.labels.classes == ("a", "b", "c")
    assert found.total.tolist() == [1, 1]
