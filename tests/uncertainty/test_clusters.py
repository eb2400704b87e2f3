"""Clusters: what each adds to a score, and which stacks hold none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm
from confmat.uncertainty import Estimate
from confmat.uncertainty.clusters import PARTS, SAME_ITEMS, Contents
from confmat.uncertainty.gradient import slope


def drawn(seed: int, clusters: int = 12, items: int = 90) -> tuple[NDArray[Any], ...]:
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, 4, items)
    return (
        actual,
        np.where(rng.random(items) < 0.6, actual, rng.integers(0, 4, items)),
        rng.integers(0, clusters, items),
    )


@pytest.mark.parametrize("outside", [(), ("background", "(missing)")])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("score", ["f1.macro", "mcc", "recall[b]", "mutual_information"])
def test_a_cluster_adds_its_items_one_by_one(outside: tuple[str, ...], sparse: bool, score: str) -> None:
    actual, predicted, cluster = drawn(0)
    names = np.array([*"abcd"] if not outside else [*"ab", *outside])
    labels = cm.Labels([name for name in names if name not in outside], outside=list(outside))
    stack = cm.count(names[actual], names[predicted], clusters=cluster, labels=labels, sparse=sparse)
    parsed = cm.parse_score(score)
    assert isinstance(parsed.metric, cm.Metric)
    by = slope(parsed.metric, stack.sum(), of=parsed.of, average=parsed.average)
    expected = dict.fromkeys(stack, 0.0)
    for row, col, key in zip(actual, predicted, cluster, strict=True):
        expected[int(key)] += float(by.at(np.array([row]), np.array([col]))[0])
    sums = np.array([*expected.values()])
    found = Contents.of(stack)
    assert found.added(by) == pytest.approx(sums, abs=1e-12)
    many = len(sums)
    assert found.between(by) == pytest.approx(many * sums.var(ddof=1), rel=1e-12)


@pytest.mark.parametrize("axis", sorted(SAME_ITEMS))
def test_matrices_of_the_same_items_are_no_clusters(axis: str) -> None:
    m = cm.ConfusionMatrix([[4, 1], [2, 5]])
    with pytest.raises(cm.InputError, match="holds the same items, so these are no clusters"):
        cm.interval("accuracy", cm.Stack({0.5: m, 0.75: m}, axis=axis))


@pytest.mark.parametrize("axis", sorted(SAME_ITEMS | PARTS))
def test_parts_and_questions_are_no_rivals_on_the_page(axis: str) -> None:
    m = cm.ConfusionMatrix([[4, 1], [2, 5]])
    page = cm.html(cm.Stack({"first": m, "second": m}, axis=axis))
    assert '"compares":false' in page.replace(" ", "")


@pytest.mark.parametrize("score", ["recall[car]", "recall.macro", "balanced_accuracy", "specificity[car]"])
def test_clusters_without_any_error_of_a_kind_are_not_certain(score: str) -> None:
    # One class, and every object found: no cell that a class and an answer share could hold a miss.
    images = [cm.ConfusionMatrix([[2, 0], [i % 3 == 0, 0]], ["car"], outside=["background"]) for i in range(30)]
    stack = cm.Stack(dict(enumerate(images)), axis="image")
    found, items = cm.interval(score, stack), cm.interval(score, stack.sum())
    assert isinstance(found, Estimate)
    assert isinstance(items, Estimate)
    assert (found.low, found.high) == (items.low, items.high)
    assert found.high - found.low > 0.05
    assert "all clusters have the same score" in found.note
    assert np.ravel(cm.interval("recall", stack).low)[0] == pytest.approx(0.9398, abs=1e-4)
