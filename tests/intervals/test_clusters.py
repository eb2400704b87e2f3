"""Clusters: what each adds to a score, and which stacks hold none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import confmat as cm
from confmat.intervals import Estimate
from confmat.intervals.asked import Method
from confmat.intervals.clusters import PARTS, SAME_ITEMS, Contents
from confmat.intervals.gradient import slope


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
def test_a_cluster_adds_its_items_one_by_one(
    outside: tuple[str, ...], sparse: bool, score: str
) -> None:
    actual, predicted, cluster = drawn(0)
    names = np.array([*"abcd"] if not outside else [*"ab", *outside])
    labels = cm.Labels([name for name in names if name not in outside], outside=list(outside))
    stack = cm.count(
        names[actual], names[predicted], clusters=cluster, labels=labels, sparse=sparse
    )
    parsed = cm.metrics.parse_score(score)
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
    array = cm.Stack.from_array(stack.counts, labels, axis="cluster")
    assert Contents.of(array).between(by) == pytest.approx(found.between(by), rel=1e-12)


@pytest.mark.parametrize(
    "score", ["f1[1]", "mcc", "error_count", "overlap.macro", "class_balance_accuracy"]
)
def test_clusters_have_one_interval_however_they_are_kept(score: str) -> None:
    actual, predicted, cluster = drawn(1)
    listed = cm.count(actual % 2, predicted % 2, clusters=cluster, labels=[0, 1])
    array = cm.Stack.from_array(listed.counts, [0, 1], axis="cluster")
    first, second = one(score, listed), one(score, array)
    assert [first.low, first.high, first.n_eff] == pytest.approx(
        [second.low, second.high, second.n_eff], rel=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("axis", sorted(SAME_ITEMS))
def test_matrices_of_the_same_items_are_no_clusters(axis: str) -> None:
    m = cm.ConfusionMatrix([[4, 1], [2, 5]])
    with pytest.raises(cm.InputError, match="holds the same items, so these are no clusters"):
        cm.interval(cm.Stack({0.5: m, 0.75: m}, axis=axis), "accuracy")


@pytest.mark.parametrize("axis", sorted(SAME_ITEMS | PARTS))
def test_parts_and_questions_are_no_rivals_on_the_page(axis: str) -> None:
    m = cm.ConfusionMatrix([[4, 1], [2, 5]])
    page = cm.html(cm.Stack({"first": m, "second": m}, axis=axis))
    assert '"compares":false' in page.replace(" ", "")


@pytest.mark.parametrize(
    "score", ["recall[car]", "recall.macro", "balanced_accuracy", "specificity[car]"]
)
def test_clusters_without_any_error_of_a_kind_are_not_certain(score: str) -> None:
    # One class, and every object found: no cell that a class and an answer share could hold a miss.
    images = [
        cm.ConfusionMatrix([[2, 0], [i % 3 == 0, 0]], ["car"], outside=["background"])
        for i in range(30)
    ]
    stack = cm.Stack(dict(enumerate(images)), axis="image")
    found, items = cm.interval(stack, score), cm.interval(stack.sum(), score)
    assert isinstance(found, Estimate)
    assert isinstance(items, Estimate)
    assert (found.low, found.high) == (items.low, items.high)
    assert found.high - found.low > 0.05
    assert "all clusters have the same score" in found.note
    assert np.ravel(cm.interval(stack, "recall").low)[0] == pytest.approx(0.9398, abs=1e-4)


# --- few clusters ---------------------------------------------------------------------------------


def few(clusters: int = 8, times: int = 1) -> cm.Stack:
    rng = np.random.default_rng(clusters)
    tables = [
        rng.multinomial(20, [0.45, 0.05 + g / 100, 0.1, 0.4 - g / 100]) for g in range(clusters)
    ]
    matrices = {
        g: cm.ConfusionMatrix(times * table.reshape(2, 2), ["a", "b"])
        for g, table in enumerate(tables)
    }
    return cm.Stack(matrices, axis="cluster")


def one(score: str, stack: cm.Stack | cm.ConfusionMatrix, **options: Any) -> Estimate:
    found = cm.interval(stack, score, **options)
    assert isinstance(found, Estimate)
    return found


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("clusters", [3, 8, 40])
def test_a_proportion_of_clusters_has_the_interval_of_korn_and_graubard(
    clusters: int, level: float
) -> None:
    # As survey::svyciprop(method="beta") has it: p(1 - p) / var * (t(n - 1) / t(G - 1))^2 items,
    # then Clopper-Pearson. Each item stands for very many, so that the one that is spread moves
    # nothing.
    stack = few(clusters, times=10**6)
    found = one("accuracy", stack, method="exact", level=level)
    table = np.array([m.counts for m in stack.values()], dtype=float)
    right, items = np.trace(table, axis1=1, axis2=2), table.sum(axis=(1, 2))
    p = right.sum() / items.sum()
    variance = clusters / (clusters - 1) * ((right - p * items) ** 2).sum() / items.sum() ** 2
    tail = (1 - level) / 2
    inside, between = (stats.t(free).ppf(tail) for free in (items.sum() - 1, clusters - 1))
    effective = p * (1 - p) / variance * (inside / between) ** 2
    assert found.se == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert found.n_eff == pytest.approx(effective, rel=1e-5)
    low = stats.beta(p * effective, (1 - p) * effective + 1).ppf(tail)
    high = stats.beta(p * effective + 1, (1 - p) * effective).ppf(1 - tail)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-5)
    assert found.method == "Clopper-Pearson at the effective number of items, Student's t"


@pytest.mark.parametrize(
    ("score", "method", "scale"),
    [
        ("mcc", "wald", lambda value: value),
        ("dor[a]", "wilson", np.log),
        ("lr_plus[a]", "wilson", np.log),
    ],
)
def test_other_scores_reach_as_far_as_student(score: str, method: Method, scale: Any) -> None:
    stack = few(6, times=10**6)
    found, less = one(score, stack, method=method), one(score, stack, method=method, level=0.8)
    assert found.method.endswith("Student's t")
    ends = [scale(each.high) - scale(each.low) for each in (found, less)]
    student = [stats.t(5).ppf(share) for share in (0.975, 0.9)]
    assert ends[0] / ends[1] == pytest.approx(student[0] / student[1], rel=1e-6)
    if method == "wald":
        assert (found.high - found.value) == pytest.approx(student[0] * found.se, rel=1e-6)


def test_clusters_of_one_item_each_are_items() -> None:
    actual, predicted, _ = drawn(1)
    alone, items = cm.count(actual, predicted, clusters=np.arange(90)), cm.count(actual, predicted)
    for score in ("accuracy", "f1.macro", "mcc", "recall[2]"):
        found, plain = one(score, alone), one(score, items)
        assert found.method == "Wilson at the effective number of items"
        assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.01)


def test_empty_clusters_and_weights_do_not_make_it_surer() -> None:
    empty = cm.ConfusionMatrix([[0, 0], [0, 0]], ["a", "b"])
    ones = [
        cm.ConfusionMatrix(table, ["a", "b"])
        for table in ([[1, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [0, 1]])
    ]
    sparse = cm.Stack(dict(enumerate([*ones, *[empty] * 9])), axis="image")
    assert "Student" not in one("accuracy", sparse).method
    actual, predicted, cluster = drawn(2)
    found = [
        one(
            "f1.macro",
            cm.count(actual, predicted, clusters=cluster, weights=weights * np.arange(1, 91)),
        )
        for weights in (1.0, 1e-6)
    ]
    assert (found[0].low, found[0].high) == pytest.approx((found[1].low, found[1].high), rel=1e-9)
    assert found[0].method.endswith("Student's t")


def image(cats: int, found: int, dogs: int = 20) -> cm.ConfusionMatrix:
    """An image with cats, so many of which are found, dogs and a few hens."""
    return cm.ConfusionMatrix(
        [[found, cats - found, 0], [0, dogs - 1, 1], [0, 1, 3]], ["cat", "dog", "hen"]
    )


@pytest.mark.parametrize("others", [0, 1, 2])
@pytest.mark.parametrize("labels", [2, 3])
def test_a_class_that_one_cluster_has_is_as_sure_as_its_items(labels: int, others: int) -> None:
    # A single cluster has no variance beside others; forty cats are not as many as two thousand.
    images = {g: image(0, 0) for g in range(20)}
    images |= {7: image(40, 28)} | dict(list({3: image(30, 28), 5: image(20, 9)}.items())[:others])
    if labels == 2:
        images = {g: m.merge({"dog": ["dog", "hen"]}) for g, m in images.items()}
    stack = cm.Stack(images, axis="image")
    for score in ("recall[cat]", "f1[cat]"):
        found, items = one(score, stack), one(score, stack.sum())
        if not others:
            assert (found.low, found.high, found.design) == (items.low, items.high, "20 clusters")
            assert found.note == "only one cluster tells of it, so it is the interval of its items"
        else:
            assert found.high - found.low > items.high - items.low
    # Clusters without the class say nothing of it.
    if others:
        alone = cm.Stack({g: m for g, m in images.items() if m.actual_totals[0]}, axis="image")
        assert one("recall[cat]", stack).se == pytest.approx(
            one("recall[cat]", alone).se * np.sqrt(20 / 19 * others / (others + 1)), rel=1e-9
        )
        assert one("recall[cat]", stack, method="wald").method == "Wald, Student's t"


@pytest.mark.parametrize("weight", [1, 0.1])
@pytest.mark.parametrize("score", ["specificity[cat]", "npv[cat]", "fpr[cat]", "recall[cat]"])
def test_the_score_of_one_class_is_that_of_the_class_against_the_rest(
    score: str, weight: float
) -> None:
    # Most images show cats alone: they say nothing of how often what is no cat is called one.
    rng = np.random.default_rng(3)
    tables = [np.array([[20, 3, 2], [0, 0, 0], [0, 0, 0]])] * 12
    tables += [rng.integers(0, 9, (3, 3)) for _ in range(3)]
    images = {
        g: cm.ConfusionMatrix(table * weight, ["cat", "dog", "hen"])
        for g, table in enumerate(tables)
    }
    two = {g: m.merge({"dog": ["dog", "hen"]}) for g, m in images.items()}
    found, alone = (
        one(score, cm.Stack(parts, axis="image"), method="wald") for parts in (images, two)
    )
    assert (found.low, found.high, found.se) == pytest.approx(
        (alone.low, alone.high, alone.se), rel=1e-9
    )


def test_clusters_without_an_error_are_as_many_things_as_there_are_clusters() -> None:
    right = cm.Stack({g: cm.ConfusionMatrix([[6, 0], [0, 4]]) for g in range(5)}, axis="cluster")
    wilson = 5 / (5 + stats.norm.ppf(0.975) ** 2)
    assert one("accuracy", right).low == pytest.approx(wilson, abs=0.03)
    # Where many clusters have errors, these tell how far they come together.
    many = one("accuracy", few(36))
    assert many.n_eff == pytest.approx(many.value * (1 - many.value) / many.se**2, rel=0.15)
