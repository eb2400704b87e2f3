"""Scores of related classes: by hand, by their definitions, and as hiclass computes them on raw labels."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat import ConfusionMatrix, Hierarchy

PATHS = {"lemon": "fruit/citrus", "lime": "fruit/citrus", "apple": "fruit", "leek": ""}
FOOD = Hierarchy.from_paths(PATHS)
M = ConfusionMatrix(
    [[8, 1, 1, 0], [0, 5, 0, 0], [0, 2, 3, 0], [1, 0, 0, 4]], ["lemon", "lime", "apple", "leek"]
)
# Ancestors of lemon, lime, apple, leek, themselves counted.
SIZES = [3, 3, 2, 1]
SHARED = [[3, 2, 1, 0], [2, 3, 1, 0], [1, 1, 2, 0], [0, 0, 0, 1]]
SCORES: list[Callable[..., Any]] = [
    cm.hierarchy.hierarchical_precision,
    cm.hierarchy.hierarchical_recall,
    cm.hierarchy.hierarchical_f1,
    cm.hierarchy.lca_height,
    cm.hierarchy.tree_distance,
]
F1: Any = cm.hierarchy.hierarchical_f1


def test_by_hand() -> None:
    shared = float((M.counts * SHARED).sum())
    actual, predicted = float(M.actual_totals @ SIZES), float(M.predicted_totals @ SIZES)
    assert cm.hierarchy.hierarchical_precision(M, FOOD) == shared / predicted
    assert cm.hierarchy.hierarchical_recall(M, FOOD) == shared / actual
    assert cm.hierarchy.hierarchical_f1(M, FOOD) == 2 * shared / (actual + predicted)
    assert cm.hierarchy.lca_height(M, FOOD) == (1 * 1 + 1 * 2 + 2 * 2 + 1 * 3) / 25
    assert cm.hierarchy.lca_height(M, FOOD, mistakes=True) == (1 * 1 + 1 * 2 + 2 * 2 + 1 * 3) / 5
    assert cm.hierarchy.tree_distance(M, FOOD) == (1 * 2 + 1 * 3 + 2 * 3 + 1 * 4) / 25
    assert cm.hierarchy.tree_distance(M, FOOD, mistakes=True) == (1 * 2 + 1 * 3 + 2 * 3 + 1 * 4) / 5


def test_mean_over_items() -> None:
    of_items = (
        sum(
            Fraction(int(M.counts[i, j]) * SHARED[i][j], SIZES[j])
            for i in range(4)
            for j in range(4)
        )
        / M.total
    )
    assert cm.hierarchy.hierarchical_precision(M, FOOD, average="macro") == pytest.approx(
        float(of_items), rel=1e-15
    )


def test_in_a_flat_hierarchy_they_are_accuracy() -> None:
    flat = Hierarchy.from_paths(list(M.labels))
    accuracy = cm.accuracy(M)
    for score in SCORES[:3]:
        assert score(M, flat) == score(M, flat, average="macro") == accuracy
    assert cm.hierarchy.lca_height(M, flat) == pytest.approx(1 - accuracy)
    assert cm.hierarchy.lca_height(M, flat, mistakes=True) == 1
    assert cm.hierarchy.tree_distance(M, flat) == pytest.approx(2 * (1 - accuracy))


def test_an_inner_node_is_a_less_specific_answer() -> None:
    m = ConfusionMatrix([[3, 2], [0, 4]], ["lemon", "citrus"])
    assert cm.hierarchy.hierarchical_precision(m, FOOD) == 1.0
    assert cm.hierarchy.hierarchical_recall(m, FOOD) == (3 * 3 + 2 * 2 + 4 * 2) / (5 * 3 + 4 * 2)
    # A right answer is no mistake, though there is something below its class.
    assert cm.hierarchy.lca_height(m, FOOD) == 2 / 9
    assert cm.hierarchy.lca_height(m, FOOD, mistakes=True) == 1


def test_an_answer_outside_the_classes_stands_at_the_root() -> None:
    m = ConfusionMatrix([[3, 0, 2], [1, 4, 0], [0, 1, 7]], ["lemon", "leek"], outside=["(refused)"])
    assert cm.hierarchy.hierarchical_precision(m, FOOD) == (3 * 3 + 4) / (4 * 3 + 5 * 1)
    assert cm.hierarchy.hierarchical_recall(m, FOOD) == (3 * 3 + 4) / (5 * 3 + 5 * 1)
    assert cm.hierarchy.lca_height(m, FOOD) == (2 * 3 + 1 * 3 + 1 * 3) / 11
    assert cm.hierarchy.lca_height(m, FOOD, outside="exclude") == 1 * 3 / 8
    assert cm.hierarchy.hierarchical_recall(m, FOOD, outside="exclude") == (3 * 3 + 4) / (
        3 * 3 + 5 * 1
    )
    # No answer is no share of answers: of the items with one.
    assert cm.hierarchy.hierarchical_precision(m, FOOD, average="macro") == (3 + 4) / (
        3 + 1 + 4 + 1
    )


@given(st.data())
def test_dense_sparse_weighted_and_exact_agree(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 10))
    parents = {
        node: data.draw(st.lists(st.integers(0, node - 1), max_size=1)) if node else []
        for node in range(size)
    }
    h = Hierarchy.from_parents(parents)
    counts = np.array(
        data.draw(
            st.lists(
                st.lists(st.integers(0, 9), min_size=size, max_size=size),
                min_size=size,
                max_size=size,
            )
        )
    )
    m = ConfusionMatrix(counts, range(size))
    for score in SCORES:
        value = score(m, h)
        same = [score(m.sparse(), h), score(ConfusionMatrix(counts * 0.5, range(size)), h)]
        same += score(cm.Stack({"a": m}), h).tolist()
        for one in same:
            assert float(one) == pytest.approx(float(value), rel=1e-13, nan_ok=True)
        low, high = score(h).bounds
        assert value != value or low <= value <= high


def test_undefined() -> None:
    empty = ConfusionMatrix([[0, 0], [0, 0]], ["lemon", "leek"])
    right = ConfusionMatrix([[1, 0], [0, 1]], ["lemon", "leek"])
    for score in SCORES:
        assert np.isnan(score(empty, FOOD))
    assert cm.hierarchy.hierarchical_f1(right, FOOD) == 1
    assert cm.hierarchy.lca_height(right, FOOD) == 0
    assert np.isnan(cm.hierarchy.lca_height(right, FOOD, mistakes=True))


def test_they_are_metrics_like_any_other() -> None:
    f1 = cm.hierarchy.hierarchical_f1(FOOD)
    assert cm.hierarchy.hierarchical_f1(FOOD) is f1
    found = cm.interval(M, f1)
    assert found.value == cm.hierarchy.hierarchical_f1(M, FOOD)
    assert found.low < found.value < found.high
    other = M + ConfusionMatrix([[9, 0], [1, 9]], ["lemon", "leek"]).roll_up(FOOD, 3)
    stack = cm.Stack({"old": M, "new": other}, axis="model")
    assert cm.hierarchy.hierarchical_f1(stack, FOOD).tolist() == [f1(M), f1(stack["new"])]
    assert "hierarchical f1" in str(
        cm.report(M, metrics=["f1", f1, cm.hierarchy.lca_height(FOOD, mistakes=True)])
    )
    assert "hierarchical f1" in str(cm.compare(stack, metrics=[f1]))
    assert pickle.loads(pickle.dumps(f1))(M) == f1(M)
    assert "s is how many ancestors two classes share" in (f1.__doc__ or "")


@pytest.mark.parametrize("score", SCORES)
def test_intervals_are_those_of_the_bootstrap(score: Callable[..., Any]) -> None:
    metric = score(FOOD)
    m = ConfusionMatrix(M.counts * 20, M.labels)
    rng = np.random.default_rng(0)
    draws = rng.multinomial(int(m.total), M.counts.ravel() / M.total, 4000).reshape(-1, 4, 4)
    low, high = np.quantile(metric(cm.Stack.from_array(draws, M.labels)), [0.025, 0.975])
    found = cm.interval(m, metric)
    assert found.low == pytest.approx(low, abs=0.15 * (high - low))
    assert found.high == pytest.approx(high, abs=0.15 * (high - low))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: F1(M), "takes a matrix and a Hierarchy, or a Hierarchy alone for the metric, not"),
        (lambda: F1(FOOD, M), "not Hierarchy and ConfusionMatrix"),
        (lambda: F1(M, PATHS), "not ConfusionMatrix and dict"),
        (
            lambda: F1(M, FOOD, average="weighted"),
            "`average` must be 'micro' or 'macro', not 'weighted'",
        ),
        (
            lambda: cm.hierarchy.lca_height(M, Hierarchy.from_paths(["lemon"])),
            "does not know 3 of 4 classes",
        ),
        (lambda: cm.hierarchy.lca_height(M.cells, FOOD), "margins alone do not tell"),
    ],
)
def test_what_is_refused(make: Any, message: str) -> None:
    with pytest.raises(cm.ConfmatError, match=message):
        make()


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore:F-score is ill-defined")
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_hiclass_on_raw_labels(average: Any) -> None:
    metrics = pytest.importorskip("hiclass.metrics")
    rng = np.random.default_rng(0)
    for case in range(60):
        size = int(rng.integers(2, 25))
        above = {node: int(rng.integers(-1, node)) for node in range(size)}
        paths: list[tuple[str, ...]] = []
        for node in range(size):
            paths.append((*(paths[above[node]] if above[node] >= 0 else ()), f"n{node}"))
        h = Hierarchy.from_paths(paths)
        # Half of the time all nodes are answers, inner ones too.
        classes = list(h.leaves) if case % 2 else [path[-1] for path in paths]
        actual, predicted = rng.choice(classes, (2, 300))
        predicted = np.where(rng.random(300) < 0.4, actual, predicted)
        deepest = max(map(len, paths))
        levels = {path[-1]: [*path, *[""] * (deepest - len(path))] for path in paths}
        raw = [[levels[name] for name in side.tolist()] for side in (actual, predicted)]
        m = cm.count(actual, predicted)
        for ours, theirs in zip(
            SCORES[:3], (metrics.precision, metrics.recall, metrics.f1), strict=True
        ):
            assert ours(m, h, average=average) == pytest.approx(
                theirs(*raw, average=average), rel=1e-14
            )
