"""Stack: matrices over common labels, their margins side by side, exact like each of them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from confmat import (
    BudgetError,
    ConfusionMatrix,
    InputError,
    LabelError,
    Stack,
    count,
    count_multilabel,
    thresholds,
)
from confmat.io import from_json, to_json

TABLES = st.integers(1, 4).flatmap(
    lambda g: st.integers(1, 4).flatmap(
        lambda k: arrays(np.int64, (g, k, k), elements=st.integers(0, 2**40))
    )
)


@pytest.fixture
def models() -> Stack:
    old = ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])
    return Stack({"old": old, "new": old + old}, axis="model")


def test_it_is_a_mapping(models: Stack) -> None:
    assert list(models) == ["old", "new"]
    assert len(models) == 2
    assert models["new"].total == 2 * (3 + 1 + 2)
    assert "older" not in models
    assert [] not in models
    assert dict(models) == {"old": models["old"], "new": models["new"]}
    with pytest.raises(KeyError, match="there is no model 'older'"):
        models["older"]


@given(TABLES)
def test_a_stack_of_an_array_is_a_stack_of_its_matrices(table: np.ndarray[Any, Any]) -> None:
    whole = Stack.from_array(table)
    parts = Stack({i: ConfusionMatrix(part) for i, part in enumerate(table)})
    assert whole == parts
    assert hash(whole) == hash(parts)
    assert whole.counts.tolist() == parts.counts.tolist() == table.tolist()
    for name in ("diagonal", "actual_totals", "predicted_totals", "total"):
        assert getattr(whole, name).tolist() == getattr(parts, name).tolist()
        assert getattr(whole, name).dtype == getattr(parts, name).dtype == np.int64
    for name in ("tp", "fp", "fn", "tn"):
        assert getattr(whole.cells, name).tolist() == [
            getattr(m.cells, name).tolist() for m in parts.values()
        ]
    assert whole.sum() == sum(parts.values()) == parts.sum()


def test_labels_are_united() -> None:
    stack = Stack({1: ConfusionMatrix([[1]], ["b"]), 2: ConfusionMatrix([[2]], ["a"])})
    assert stack.labels == ["a", "b"]
    assert stack[1].counts.tolist() == [[0, 0], [0, 1]]
    assert stack.sum().counts.tolist() == [[2, 0], [0, 1]]
    with pytest.raises(LabelError, match="do not mix"):
        Stack({1: ConfusionMatrix([[1]], ["b"]), 2: ConfusionMatrix([[2]], [0])})


def test_one_large_matrix_does_not_make_its_neighbors_floats() -> None:
    """int64 beside uint64 is float64 for NumPy, and the last digits are gone."""
    tables = [[2**63, 1], [0, 0]], [[1, 1], [0, 2**53 + 1]]
    stack = Stack(dict(enumerate(map(ConfusionMatrix, tables))))
    assert stack.total.tolist() == [2**63 + 1, 1 + 1 + 2**53 + 1]
    assert stack.diagonal.tolist() == [[2**63, 0], [1, 2**53 + 1]]
    assert stack.counts.tolist() == [*tables]
    assert stack.cells.tn.tolist() == [[0, 2**63], [2**53 + 1, 1]]
    assert stack.sum().total == 2**63 + 1 + 1 + 1 + 2**53 + 1


def test_outside_labels_stay_outside() -> None:
    matrix = ConfusionMatrix([[5, 1, 2], [0, 7, 1], [3, 4, 9]], ["a", "b"], outside=["background"])
    array = Stack.from_array(np.stack([matrix.counts] * 2), matrix.labels)
    for stack in (Stack({"x": matrix, "y": matrix}), array):
        for name in ("tn", "fn", "fp"):
            assert getattr(stack.cells, name).tolist() == [getattr(matrix.cells, name).tolist()] * 2


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Stack({}), "at least one entry"),
        (lambda: Stack([ConfusionMatrix([[1]])]), "mapping of key to ConfusionMatrix"),  # type: ignore[arg-type]
        (lambda: Stack.from_array(np.ones((2, 2, 3))), "shape"),
        (lambda: Stack.from_array(-np.ones((1, 2, 2))), "zero or more"),
        (lambda: Stack.from_array(np.ones((2, 2, 2)), keys=["a", "a"]), "distinct keys"),
    ],
    ids=map(str, range(10)),
)
def test_what_makes_no_stack(make: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()


def test_labels_must_fit_the_array() -> None:
    with pytest.raises(LabelError, match="2 rows but there are 3 labels"):
        Stack.from_array(np.ones((1, 2, 2)), ["a", "b", "c"])


def test_an_array_beyond_the_budget_is_refused_before_it_is_made() -> None:
    wide = ConfusionMatrix.from_pairs([(0, 1, 2)], labels=range(100_000))
    stack = Stack(dict.fromkeys(range(3), wide))
    with pytest.raises(BudgetError, match=r"3 matrices of 100,000 labels would take 240\.0 GB"):
        _ = stack.counts
    assert stack.actual_totals.shape == (3, 100_000)
    assert stack.sum().pairs()[0, 1] == 3 * 2


def test_stacks_add_key_by_key() -> None:
    one, two = ConfusionMatrix([[1]], ["a"]), ConfusionMatrix([[2]], ["b"])
    both = Stack({"x": one, "y": two}) + Stack({"y": two, "z": one})
    assert list(both) == ["x", "y", "z"]
    assert both.total.tolist() == [1, 2 + 2, 1]
    assert (both + both)["y"].total == 2 * (2 + 2)
    assert sum([both, both]) == both + both
    with pytest.raises(InputError, match="'group' and 'model' do not add"):
        _ = Stack({"x": one}) + Stack({"x": one}, axis="model")
    with pytest.raises(TypeError):
        _ = both + 1


def test_a_stack_is_a_value(models: Stack) -> None:
    assert models != Stack(dict(models), axis="group")
    assert models != Stack({key: models[key] for key in ("new", "old")}, axis="model")
    assert models != dict(models)
    same = Stack(dict(models), axis="model")
    for made in (same, pickle.loads(pickle.dumps(models)), copy.copy(models)):
        assert made == models
        assert hash(made) == hash(models)
    for name in ("axis", "_table", "anything"):
        with pytest.raises(AttributeError):
            setattr(models, name, 1)
        with pytest.raises(AttributeError):
            delattr(models, name)
    for name in ("counts", "diagonal", "actual_totals", "predicted_totals", "total"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(models, name)[0] = 1


def test_text(models: Stack) -> None:
    empty = ConfusionMatrix([[0, 0], [0, 0]], ["no", "yes"])
    stack = Stack({"old": models["old"], "\x1b": empty}, axis="model")
    assert str(stack).splitlines() == [
        "model  total  on the diagonal",
        f"old        6            {5 / 6:.1%}",
        "\\x1b       0                –",
    ]
    assert repr(stack) == "<Stack of 2 matrices along 'model', 2 labels: 'old', '\\x1b'>"
    assert str(Stack(dict.fromkeys(range(31), empty))).splitlines()[-1] == "... 31 in all"


def test_many_groups_of_many_classes_take_memory_for_their_cells_only() -> None:
    rng = np.random.default_rng(0)
    actual, predicted = rng.integers(0, 1400, (2, 20_000))
    stack = count(actual, predicted, by=np.arange(20_000) % 60)
    assert all(matrix.is_sparse for matrix in stack.values())
    assert stack.sum() == count(actual, predicted)
    wide = count(np.arange(100_000), np.arange(100_000), by=np.arange(100_000) % 1000)
    with pytest.raises(BudgetError, match="one matrix at a time"):
        _ = wide.diagonal
    assert int(wide.total.sum()) == 100_000


def test_sums_beyond_what_numbers_hold_are_refused() -> None:
    with pytest.raises(InputError, match="more than a float holds"):
        Stack.from_array([[[1e308, 1e308], [1e308, 1e308]]])
    with pytest.raises(InputError, match="63 bits"):
        Stack.from_array([[[2**53 + 1, 2**63], [0, 0]]])


def test_what_stacks_cannot_add_they_cannot_when_they_were_stored() -> None:
    truth, scores = [0, 1, 1, 0], [0.2, 0.7, 0.4, 0.5]
    swept = [thresholds(truth, scores), thresholds(truth, [0.1, *scores[1:]])]
    items = count_multilabel([["a"], ["b"]], [["a"], []], along="item")
    pairs: list[tuple[Stack, Stack, str]] = [
        (items, items, "nothing in common but their places"),
        (swept[0], swept[1], "state the same `thresholds`"),
    ]
    for one, other, message in pairs:
        stored: Any = from_json(to_json(one))
        for sides in ((stored, other), (one, other)):
            with pytest.raises(InputError, match=message):
                sides[0] + sides[1]
    again: Any = from_json(to_json(swept[0]))
    assert again + swept[0] == swept[0] + swept[0]
    a = ConfusionMatrix([[3, 1], [0, 2]])
    with pytest.raises(InputError, match="other keys along 'iou'"):
        Stack({0.5: a, 0.75: a}, axis="iou") + Stack({0.5: a}, axis="iou")
    # Items that have names of their own are found again.
    named = Stack({"x": a}, axis="item") + Stack({"x": a, "y": a}, axis="item")
    assert named == Stack({"x": a + a, "y": a}, axis="item")
