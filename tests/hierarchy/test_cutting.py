"""Cutting: groups of a hierarchy, and the matrix rolled up to them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat import ConfusionMatrix, Hierarchy

PATHS = ["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"]
FOOD = Hierarchy.from_paths(PATHS)
NAMES = ["lemon", "lime", "apple", "leek"]
M = ConfusionMatrix([[5, 3, 1, 0], [2, 6, 0, 0], [1, 0, 7, 1], [0, 0, 0, 9]], NAMES)


def test_levels() -> None:
    assert FOOD.groups(M) == {"fruit": ("lemon", "lime", "apple"), "leek": ("leek",)}
    assert FOOD.groups(M, 2) == {
        "citrus": ("lemon", "lime"),
        "apple": ("apple",),
        "leek": ("leek",),
    }
    # A node above the level stays as it is.
    assert FOOD.groups(["citrus", "leek"], 3) == {"citrus": ("citrus",), "leek": ("leek",)}
    assert FOOD.groups(["citrus", "lemon", "fruit"], 2) == {
        "citrus": ("citrus", "lemon"),
        "fruit": ("fruit",),
    }
    assert M.roll_up(FOOD, 3) == M
    assert M.roll_up(FOOD).counts.tolist() == [[5 + 3 + 1 + 2 + 6 + 1 + 7, 1], [0, 9]]


def test_named_nodes() -> None:
    assert list(M.roll_up(FOOD, ["citrus"]).labels) == ["citrus", "apple", "leek"]
    assert M.roll_up(FOOD, "citrus") == M.roll_up(FOOD, {"fruit/citrus"})
    # The nearest of nodes above each other counts.
    assert FOOD.groups(M, ["fruit", "citrus"]) == {
        "citrus": ("lemon", "lime"),
        "fruit": ("apple",),
        "leek": ("leek",),
    }


def test_groups_stand_at_their_first_class() -> None:
    m = M.reorder(["leek", "apple", "lime", "lemon"])
    assert list(m.roll_up(FOOD, 2).labels) == ["leek", "apple", "citrus"]


def test_roles_of_labels_stay() -> None:
    m = ConfusionMatrix(np.arange(25).reshape(5, 5), NAMES, positive="lime", outside=["(refused)"])
    rolled = m.roll_up(FOOD)
    assert list(rolled.labels) == ["fruit", "leek", "(refused)"]
    assert (rolled.labels.outside, rolled.positive, rolled.total) == (
        ("(refused)",),
        "fruit",
        m.total,
    )
    assert rolled.counts[2].tolist() == [20 + 21 + 22, 23, 24]
    part = M.select(["lemon", "apple"]).roll_up(FOOD)
    assert (part.total, part.dropped) == (5 + 1 + 1 + 7, M.total - 14)


def test_weights_keep_their_squares() -> None:
    weights = [0.1, 0.2, 0.3, 0.7]
    m = cm.count(
        ["lemon", "lime", "lime", "leek"], ["lime", "lime", "lemon", "leek"], weights=weights
    )
    rolled = m.roll_up(FOOD)
    assert list(rolled.labels) == ["leek", "fruit"]
    assert rolled.counts.tolist() == [[0.7, 0], [0, 0.1 + 0.2 + 0.3]]
    assert rolled.squares == pytest.approx(np.diag([0.7**2, 0.1**2 + 0.2**2 + 0.3**2]), rel=1e-15)
    assert cm.interval(rolled, "accuracy") == cm.interval(m.merge(FOOD.groups(m)), "accuracy")


def test_numbers_keep_their_own_labels() -> None:
    h = Hierarchy.from_paths(["x/0", "x/1", "y/2"])
    m = ConfusionMatrix(np.eye(3, dtype=int))
    assert list(m.roll_up(h).labels) == ["x", "y"]
    assert m.roll_up(h, 2) == m
    with pytest.raises(cm.LabelError, match="one kind"):
        m.roll_up(h, ["x"])


def test_a_stack_is_rolled_up_matrix_by_matrix() -> None:
    s = cm.Stack({"a": M, "b": M + M}, axis="model", ungrouped=3)
    rolled = s.roll_up(FOOD)
    assert (list(rolled), rolled.axis, rolled.ungrouped, rolled.total.tolist()) == (
        ["a", "b"],
        "model",
        3,
        [35, 70],
    )
    assert rolled["b"] == (M + M).roll_up(FOOD)
    assert rolled == cm.Stack({key: m.roll_up(FOOD) for key, m in s.items()}, axis="model")
    array = cm.Stack.from_array(np.arange(32).reshape(2, 4, 4), NAMES)
    assert array.roll_up(FOOD)[1] == array[1].roll_up(FOOD)


@pytest.mark.parametrize(
    ("level", "message"),
    [
        (0, r"from 1, right below the root, to 3, not 0"),
        (4, r"to 3, not 4"),
        (True, "is a number from 1 on or the names"),
        (1.0, r"not 1\.0"),
        ([], "names no node"),
        (["kiwi"], "has no 'kiwi'"),
    ],
)
def test_levels_that_are_none(level: Any, message: str) -> None:
    with pytest.raises(cm.ConfmatError, match=message):
        M.roll_up(FOOD, level)


@st.composite
def trees(draw: st.DrawFn) -> tuple[Hierarchy, list[int], dict[int, int | None]]:
    """A tree of numbers, some of its nodes as classes, and the parent of each node."""
    size = draw(st.integers(2, 14))
    parents = {
        node: draw(st.none() | st.integers(0, node - 1)) if node else None for node in range(size)
    }
    classes = draw(st.lists(st.integers(0, size - 1), min_size=1, unique=True))
    return Hierarchy.from_parents(parents), classes, parents


@given(trees(), st.integers(1, 14), st.integers(0, 2**32 - 1))
def test_a_roll_up_is_a_product_of_three_matrices(
    made: tuple[Hierarchy, list[int], dict[int, int | None]], level: int, seed: int
) -> None:
    """With A saying which class belongs to which group, it is the transpose of A, times C, times A."""
    h, classes, parents = made
    level = min(level, h.levels)
    counts = np.random.default_rng(seed).integers(0, 9, (len(classes), len(classes)))
    m = ConfusionMatrix(counts, classes)

    def owner(node: int) -> int:
        above = parents[node]
        return node if h.level(node) <= level or above is None else owner(above)

    groups = list(dict.fromkeys(map(owner, classes)))
    member = np.array([[owner(name) == group for group in groups] for name in classes], dtype=int)
    for same in (m, m.sparse()):
        rolled = same.roll_up(h, level)
        assert list(rolled.labels) == groups
        assert rolled.counts.tolist() == (member.T @ counts @ member).tolist()
    # Cutting at the same nodes by name says the same, and so does a merge.
    assert m.merge(h.groups(m, level)) == m.roll_up(h, level)
    nodes = [node for node in h if h.level(node) == level]
    assert m.roll_up(h, nodes) == m.roll_up(h, level)


def test_sparse_stays_sparse() -> None:
    size = 3000
    h = Hierarchy.from_parents({i: size + i // 2 for i in range(size)})
    m = ConfusionMatrix.from_pairs({(i, (i * 7) % size): 1 for i in range(size)}, range(size))
    assert m.is_sparse
    assert m.roll_up(h).is_sparse
    assert m.roll_up(h).total == size
