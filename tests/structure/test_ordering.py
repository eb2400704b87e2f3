from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering

from confmat import (
    ConfusionMatrix,
    Hierarchy,
    InputError,
    LabelError,
    MetricError,
    Stack,
    metric,
)
from confmat.structure import class_order
from confmat.structure import tree as trees
from confmat.structure.errors import read_errors
from confmat.structure.tree import similarities, tree_of

FARM = ConfusionMatrix(
    [[5, 0, 4, 0, 1], [0, 9, 0, 1, 0], [3, 0, 6, 0, 0], [0, 2, 0, 8, 0], [0, 0, 0, 0, 0]],
    ["cat", "car", "dog", "van", "(abstained)"],
    outside=["(abstained)"],
)


def spread(m: ConfusionMatrix) -> float:
    """Mean distance of an error from the diagonal."""
    pairs = m.pairs()
    wrong = pairs.rows != pairs.cols
    return float(np.average(np.abs(pairs.rows - pairs.cols)[wrong], weights=pairs.counts[wrong]))


# ---- cluster -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "seed"), [(50, 1), (200, 2), (369, 3)])
def test_errors_come_near_the_diagonal(planted: Callable[..., Any], size: int, seed: int) -> None:
    """Random order leaves errors K/3 from the diagonal; this one as near as the true blocks do, or nearer."""
    m, block = planted(size, seed)
    blocks = np.argsort(block, kind="stable").tolist()
    assert spread(m) == pytest.approx(size / 3, rel=0.1)
    assert spread(m.reorder(class_order(m))) < 1.02 * spread(m.reorder(blocks))


@given(st.integers(2, 25), st.integers(0, 2**32))
def test_it_is_scipys_average_linkage_in_optimal_order(size: int, seed: int) -> None:
    counts = np.random.default_rng(seed).integers(1, 10_000, (size, size))
    m = ConfusionMatrix(counts)
    share = counts / counts.sum(1, keepdims=True)
    similar = (share + share.T) / 2
    distance = (1 - similar)[np.triu_indices(size, 1)]
    joins = linkage(distance, "average")
    if size > 2:
        joins = optimal_leaf_ordering(joins, distance)
    expected = leaves_list(joins).tolist()
    assert list(class_order(m)) in (expected, expected[::-1])


def test_of_an_order_and_its_reverse_the_one_nearer_to_the_given_is_taken() -> None:
    counts = np.diag([90] * 6) + np.diag([9, 8, 7, 6, 5], 1)
    m = ConfusionMatrix(counts)
    assert class_order(m) == (0, 1, 2, 3, 4, 5)
    assert class_order(m.reorder(range(5, -1, -1))) == (5, 4, 3, 2, 1, 0)


def test_classes_never_confused_stand_at_the_end_and_parts_by_size() -> None:
    m = ConfusionMatrix(np.diag([9] * 8), list("abcdefgh"))
    assert class_order(m) == tuple("abcdefgh")
    pairs = {(x, x): 9 for x in "abcdefgh"} | {("a", "h"): 2, ("c", "e"): 1, ("e", "g"): 3}
    assert class_order(ConfusionMatrix.from_pairs(pairs, labels=list("abcdefgh"))) == tuple(
        "cegahbdf"
    )


@pytest.mark.parametrize(
    "counts", [[[3]], [[0]], [[1, 2], [3, 4]], np.zeros((3, 3), int), np.full((4, 4), 2)]
)
def test_small_empty_and_even_matrices(counts: Any) -> None:
    m = ConfusionMatrix(counts)
    assert sorted(class_order(m)) == list(m.labels)
    assert class_order(m) == class_order(m.sparse())


def test_outside_labels_stay_at_the_end() -> None:
    assert class_order(FARM) == ("cat", "dog", "car", "van")
    assert list(FARM.reorder(class_order(FARM)).labels) == [
        "cat",
        "dog",
        "car",
        "van",
        "(abstained)",
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_neighbors_do_nearly_as_well(
    planted: Callable[..., Any], monkeypatch: Any, seed: int
) -> None:
    m, _ = planted(200, seed)
    exact = spread(m.reorder(class_order(m)))
    monkeypatch.setattr(trees, "EXACT", 10)
    assert spread(m.reorder(class_order(m))) < 1.15 * exact


@pytest.mark.parametrize("most", [0, trees.EXACT])
@given(size=st.integers(1, 12), seed=st.integers(0, 2**32), density=st.floats(0, 1))
def test_every_group_of_the_tree_stands_together(
    most: int, size: int, seed: int, density: float
) -> None:
    rng = np.random.default_rng(seed)
    m = ConfusionMatrix(
        rng.integers(0, 5, (size, size)) * (rng.random((size, size)) < density)
        + np.eye(size, dtype=int)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "EXACT", most)
        tree = tree_of(similarities(read_errors(m)))
    assert sorted(tree.leaves.tolist()) == list(range(size))
    assert len(tree.merges) == size - 1
    assert (np.diff(tree.values) <= 1e-12).all()
    sets = [{i} for i in range(size)]
    for steps, (a, b) in enumerate(tree.merges.tolist()):
        groups = tree.groups(steps)
        assert len(set(groups.tolist())) == size - steps
        # In the order of the leaves a group is one run of equal numbers.
        assert np.diff(groups[tree.leaves]).tolist().count(1) == size - steps - 1
        sets.append(sets[a] | sets[b])
        assert len({*tree.groups(steps + 1)[list(sets[-1])].tolist()}) == 1


# ---- other orders --------------------------------------------------------------------------------


def test_alphabetical_reads_numbers_by_value() -> None:
    names = ["c10", "c9", "B", "a", "c9b", "c09", "9" * 5000, "", "é"]
    m = ConfusionMatrix(np.eye(9, dtype=int), names)
    assert class_order(m, "alphabetical") == (
        "",
        "9" * 5000,
        "a",
        "B",
        "c09",
        "c9",
        "c9b",
        "c10",
        "é",
    )
    assert class_order(m, "alphabetical", descending=True) == class_order(m, "alphabetical")[::-1]
    assert class_order(ConfusionMatrix(np.eye(3), [10, 9, -1]), "alphabetical") == (-1, 9, 10)


def test_support_is_largest_first_and_ties_stand() -> None:
    m = ConfusionMatrix([[1, 1, 0], [0, 5, 0], [1, 0, 1]], ["a", "b", "c"])
    assert class_order(m, "support") == ("b", "a", "c")
    assert class_order(m, "support", descending=False) == ("a", "c", "b")


def test_a_metric_has_the_worst_first_and_the_undefined_last() -> None:
    m = ConfusionMatrix([[9, 1, 0], [0, 0, 0], [3, 0, 7]], ["a", "b", "c"])
    assert (
        class_order(m, "recall")
        == class_order(m, metric("recall"))
        == class_order(m, "fnr")
        == ("c", "a", "b")
    )
    assert class_order(m, "recall", descending=True) == ("a", "c", "b")


def test_given_is_as_it_stands() -> None:
    assert class_order(FARM, "given") == ("cat", "car", "dog", "van")


PATHS = {
    "van": "thing/vehicle/van",
    "dog": "animal/dog",
    "car": "thing/vehicle",
    "cat": "animal/cat",
}
TREE = Hierarchy.from_paths(PATHS)


def test_by_hierarchy() -> None:
    assert class_order(FARM, "hierarchy", hierarchy=TREE) == ("van", "car", "dog", "cat")
    assert class_order(FARM, "given", hierarchy=TREE) == ("cat", "dog", "car", "van")


def test_by_a_hierarchy_itself() -> None:
    bats = Hierarchy.from_parents({"dog": "mammal", "bat": "mammal", "owl": "flyer"})
    m = ConfusionMatrix(np.eye(3, dtype=int), ["owl", "dog", "bat"])
    assert class_order(m, bats) == ("dog", "bat", "owl")
    # An inner node stands before what is below it, or where the other order puts it.
    inner = ConfusionMatrix(np.diag([1, 2, 3]), ["van", "vehicle", "cat"])
    assert class_order(inner, TREE) == ("vehicle", "van", "cat")
    assert class_order(inner, "given", hierarchy=TREE) == ("van", "vehicle", "cat")


@given(
    st.lists(st.sampled_from(["", "a", "b", "a/a", "a/b", "b/c/d", "b/c"]), min_size=6, max_size=6),
    st.randoms(),
)
def test_every_branch_stands_together(paths: list[str], random: Any) -> None:
    names = [f"n{i}" for i in range(6)]
    hierarchy = {name: f"{path}/{name}" for name, path in zip(names, paths, strict=True)}
    shuffled = random.sample(names, 6)
    m = ConfusionMatrix(np.eye(6, dtype=int), shuffled)
    found = class_order(m, "given", hierarchy=Hierarchy.from_paths(hierarchy))
    for branch in ("a", "b", "a/a", "a/b", "b/c", "b/c/d"):
        at = [i for i, name in enumerate(found) if f"{hierarchy[name]}/".startswith(f"{branch}/")]
        assert not at or at == list(range(at[0], at[0] + len(at)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: class_order(FARM, "recal"), "`order` knows 'cluster'.*did you mean 'recall'"),
        (lambda: class_order(FARM, "accuracy"), "is one number, and an order needs one per class"),
        (lambda: class_order(FARM, "cluster", descending=True), "`descending` has no meaning"),
        (lambda: class_order(FARM, "hierarchy"), "needs `hierarchy=`"),
        (
            lambda: class_order(FARM, hierarchy=Hierarchy.from_paths(["fruit/lemon"])),
            "names none of the classes",
        ),
        (
            lambda: class_order(FARM, hierarchy=PATHS),
            "takes a confmat.Hierarchy.*Hierarchy.from_paths makes one",
        ),
        (lambda: class_order(Stack({"a": FARM})), r"order\(stack\[key\]\)"),  # type: ignore[arg-type]
    ],
)
def test_says_what_is_wrong(call: Callable[[], Any], said: str) -> None:
    with pytest.raises((InputError, LabelError, MetricError), match=said):
        call()
