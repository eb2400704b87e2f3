"""Models compared by clusters: against the formula cluster by cluster, and against items."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import confmat as cm
from confmat.comparison import compare, compare_predictions
from confmat.comparison.significance import holm
from confmat.intervals.gradient import slope

Array = NDArray[Any]
SCORES = ("accuracy", "f1.macro", "mcc", "recall[b]", "mutual_information")


def answers(
    seed: int, clusters: int = 25, items: int = 400
) -> tuple[Array, dict[str, Array], Array]:
    """Truth, the answers of three models, and the cluster of each item, whose difficulty is its own."""
    rng = np.random.default_rng(seed)
    cluster = np.append(np.arange(clusters), rng.integers(0, clusters, items - clusters))
    actual = rng.choice([*"abc"], items)
    hard = rng.random(clusters)[cluster] / 2
    found = {
        name: np.where(rng.random(items) > hard * much, actual, rng.choice([*"abc"], items))
        for name, much in (("old", 1.0), ("new", 0.8), ("third", 0.6))
    }
    return actual, found, cluster


def stacks(seed: int = 0, labels: Any = None, **options: Any) -> dict[str, cm.Stack]:
    actual, models, cluster = answers(seed, **options)
    return {
        name: cm.count(actual, each, clusters=cluster, labels=labels)
        for name, each in models.items()
    }


def two(seed: int = 0, **options: Any) -> dict[str, cm.Stack]:
    found = stacks(seed, **options)
    return {"old": found["old"], "new": found["new"]}


def added(stack: cm.Stack, score: str) -> dict[Any, float]:
    """The contribution of each cluster to a score, cell by cell."""
    parsed = cm.metrics.parse_score(score)
    assert isinstance(parsed.metric, cm.Metric)
    by = slope(parsed.metric, stack.sum(), of=parsed.of, average=parsed.average)
    found = {}
    for key, m in stack.items():
        k = m.counts.shape[0]
        grid = np.indices((k, k)).reshape(2, -1)
        found[key] = float((m.counts.ravel() * by.at(*grid)).sum())
    return found


# --- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [None, cm.Labels(["a", "b"], outside=["c"])])
@pytest.mark.parametrize("score", SCORES)
def test_the_variance_is_that_between_the_clusters(score: str, labels: Any) -> None:
    models = two(labels=labels)
    found = compare(models, metrics=[score]).of(score)
    old, new = (added(stack, score) for stack in models.values())
    gaps = [old[key] - new[key] for key in old]
    many, mean = len(gaps), sum(gaps) / len(gaps)
    variance = many / (many - 1) * sum((gap - mean) ** 2 for gap in gaps)
    assert found.se == pytest.approx(math.sqrt(variance), rel=1e-9)
    value = [float(cm.metrics.parse_score(score)(stack.sum())) for stack in models.values()]
    assert found.difference == pytest.approx(value[1] - value[0], abs=1e-15)
    student = stats.t(many - 1)
    assert found.p_value == pytest.approx(
        2 * student.sf(abs(found.difference) / found.se), rel=1e-9
    )
    reach = student.ppf(0.975) * found.se
    assert (found.low, found.high) == pytest.approx(
        (found.difference - reach, found.difference + reach), rel=1e-9
    )
    assert found.items == many == 25


def test_of_one_item_each_it_is_the_comparison_of_items() -> None:
    actual, models, _ = answers(1)
    models = {"old": models["old"], "new": models["new"]}
    n = len(actual)
    items = compare_predictions(actual, models, metrics=SCORES)
    found = compare(
        {name: cm.count(actual, each, clusters=np.arange(n)) for name, each in models.items()},
        metrics=SCORES,
    )
    for one, other in zip(found.differences, items.differences, strict=True):
        assert one.se == pytest.approx(other.se * math.sqrt(n / (n - 1)), rel=1e-9)
        assert one.values == pytest.approx(other.values, rel=1e-12)
        if other.test == "paired delta method":
            # Beside that factor only Student's t, of some 390 degrees of freedom, and one item
            # more.
            assert (one.high - one.low) / (other.high - other.low) == pytest.approx(1, abs=0.012)
            assert one.p_value == pytest.approx(other.p_value, rel=0.15)


@pytest.mark.parametrize("score", SCORES)
def test_different_clusters_add_their_variances(score: str) -> None:
    models = two()
    found = compare(models, metrics=[score], same_items=False)
    each = [np.array([*added(stack, score).values()]) for stack in models.values()]
    variance = sum(len(sums) * sums.var(ddof=1) for sums in each)
    gap = found.of(score)
    assert gap.se == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert found.design == "different clusters"
    assert gap.se > compare(models, metrics=[score]).of(score).se


def test_a_class_that_one_cluster_has_shows_no_difference() -> None:
    rng = np.random.default_rng(5)

    def images(found: int) -> cm.Stack:
        wrong = rng.integers(0, 5, 20)
        tables = [[[0, 0, 0], [0, 20 - w, w], [0, 1, 3]] for w in wrong.tolist()]
        tables[7][0] = [found, 40 - found, 0]
        return cm.Stack(
            {g: cm.ConfusionMatrix(t, ["cat", "dog", "hen"]) for g, t in enumerate(tables)},
            axis="image",
        )

    found = compare({"old": images(20), "new": images(35)}, metrics=["accuracy"])
    for score in ("recall[cat]", "f1[cat]"):
        gap = found.of(score)
        # One image is one throw of a coin; that it has no variance beside itself proves nothing.
        assert gap.p_value == pytest.approx(0.5)
        assert gap.low < 0 < gap.high
        assert gap.se > 0.999 * abs(gap.difference)
        assert gap.detectable > abs(gap.difference)
        assert gap.note == "the models differ on 1 images only"
    assert found.of("recall[dog]").p_value > 0.0001


def test_clusters_in_another_order_are_the_same_clusters() -> None:
    models = two()
    turned = cm.Stack(dict(reversed(list(models["new"].items()))), axis="cluster")
    one, other = (compare({"old": models["old"], "new": new}) for new in (models["new"], turned))
    for a, b in zip(one.differences, other.differences, strict=True):
        assert (a.se, a.p_value) == pytest.approx((b.se, b.p_value), rel=1e-12)
    assert one.cells() == other.cells()


# --- what is said ---------------------------------------------------------------------------------


def test_the_design_is_named() -> None:
    models = {name: stack.along("image") for name, stack in two(clusters=120, items=900).items()}
    found = compare(models, metrics=["accuracy"])
    assert found.design == "paired by image, 120 images"
    assert "paired by image, 120 images" in repr(found)
    assert found.of("accuracy").test == "paired by image, Student's t"
    assert found.estimates["old", "accuracy"].design == "120 clusters"
    assert not any("few" in note for note in found.notes)
    assert "25 clusters are few" in str(compare(two(), metrics=["accuracy"]))
    apart = compare(models, metrics=["accuracy"], same_items=False)
    assert apart.design == "different images"


def test_clusters_of_one_model_only_are_an_error_that_names_them() -> None:
    models = two()
    fewer = cm.Stack(
        {key: m for key, m in models["new"].items() if key not in {3, 7}}, axis="cluster"
    )
    for given, message in (
        ({"old": models["old"], "new": fewer}, "'new' lacks 2 of the clusters of 'old': 3, 7;"),
        ({"new": fewer, "old": models["old"]}, "'new' lacks 2 of the clusters of 'old': 3, 7;"),
        ({**stacks(), "new": fewer}, "'new' lacks 2 of the clusters"),
        ({**stacks(), "third": fewer}, "say same_items=False"),
    ):
        with pytest.raises(cm.InputError, match=message):
            compare(given)
    apart = compare({"old": models["old"], "new": fewer}, metrics=["mcc"], same_items=False)
    assert apart.of("mcc").items == 25 + 23


def test_classes_that_occur_otherwise_are_told() -> None:
    models = two()
    assert not any("does not occur" in note for note in compare(models).notes)
    first = next(iter(models["new"]))
    other = {
        **models["new"],
        first: models["new"][first] + cm.ConfusionMatrix([[1, 0], [0, 0]], ["a", "b"]),
    }
    found = compare({"old": models["old"], "new": cm.Stack(other, axis="cluster")})
    assert any(
        note.startswith("In 1 of them a class does not occur equally often") for note in found.notes
    )


@pytest.mark.parametrize("axis", ["image", "document", "cluster", "item"])
def test_parts_of_a_sample_are_no_models(axis: str) -> None:
    stack = stacks()["old"].along(axis)
    with pytest.raises(cm.InputError, match="no rivals: give one such stack for each model"):
        compare(stack)
    assert compare(cm.Stack(dict(list(stack.items())[:2])).along("model")).models == ("0", "1")


def test_many_groups_are_no_models_unless_they_say_so() -> None:
    m = cm.ConfusionMatrix([[4, 1], [2, 3]])
    stack = cm.Stack(dict.fromkeys(range(21), m), axis="patient")
    with pytest.raises(cm.InputError, match=r"are 21, as groups .* stack\.along\('model'\)"):
        compare(stack)
    assert len(compare(stack.along("model"), metrics="accuracy").models) == 21
    assert len(compare(stack, metrics="accuracy", pairs="successive").differences) == 20


@pytest.mark.parametrize("axis", ["label", "threshold", "iou", "confidence"])
def test_questions_and_rules_are_neither_models_nor_clusters(axis: str) -> None:
    stack = stacks()["old"].along(axis)
    with pytest.raises(cm.InputError, match="of one model, and no rivals: give one matrix"):
        compare(stack)
    with pytest.raises(cm.InputError, match="holds the same items, so these are no clusters"):
        compare({"old": stack, "new": stack})


def test_what_cannot_be_compared_is_said() -> None:
    models = two()
    whole: dict[str, Any] = {"old": models["old"], "new": models["new"].sum()}
    single = {name: cm.Stack({1: stack.sum()}, axis="cluster") for name, stack in models.items()}
    for given, message in (
        (whole, "'new' is no stack of clusters, but 'old' is"),
        ({"old": models["old"], "new": models["new"].along("image")}, "along 'cluster', 'image'"),
        (single, "at least 2 are needed; got 1"),
        ({"old": models["old"]}, "at least two models are compared"),
    ):
        with pytest.raises(cm.InputError, match=message):
            compare(given)


# --- little to go by ------------------------------------------------------------------------------


@pytest.mark.parametrize("differing", [1, 3, 4, 6])
def test_a_few_clusters_are_no_proof_however_sure_the_derivative_is(differing: int) -> None:
    right, wrong = cm.ConfusionMatrix([[10, 0], [0, 10]]), cm.ConfusionMatrix([[0, 10], [10, 0]])
    old = cm.Stack(dict.fromkeys(range(60), right), axis="image")
    new = cm.Stack({key: wrong if key < differing else right for key in range(60)}, axis="image")
    found = compare({"old": old, "new": new}, metrics=["accuracy"]).of("accuracy")
    assert found.p_value >= 0.5**differing
    assert (found.verdict == "different") == (found.high < 0)
    assert found.note == f"the models differ on {differing} images only"


def test_a_score_without_a_value_is_not_comparable() -> None:
    actual, models, cluster = answers(0)
    given = {"old": np.full(len(actual), "b"), "new": models["new"]}
    stacks = {
        name: cm.count(actual, each, clusters=cluster, labels=[*"abc"])
        for name, each in given.items()
    }
    for same in (True, False):
        found = compare(stacks, metrics=["precision[a]"], same_items=same).of("precision[a]")
        assert found.verdict == "not comparable"
        assert "p unknown: not comparable" in found.sentence()


# --- several models, classes, cells ---------------------------------------------------------------


def test_several_models_are_adjusted_and_tested_together() -> None:
    models = stacks(3, clusters=40)
    found = compare(models, metrics=["mcc"], adjust="holm")
    p = [each.p_value for each in found.differences]
    assert [each.adjusted for each in found.differences] == pytest.approx(holm(p))
    sums = [[*added(stack, "mcc").values()] for stack in models.values()]
    covariance = np.cov(np.array(sums)) * len(sums[0])
    values = np.array([float(cm.mcc(stack.sum())) for stack in models.values()])
    contrasts = np.array([[1, -1, 0], [0, 1, -1]])
    gap = contrasts @ values
    expected = gap @ np.linalg.inv(contrasts @ covariance @ contrasts.T) @ gap
    assert found.overall["mcc"].statistic == pytest.approx(expected, rel=1e-9)
    # Few clusters do not know their covariance well enough for that.
    assert not compare(stacks(), metrics=["mcc"]).overall
    assert not compare(models, metrics=["mcc"], same_items=False).overall


def test_classes_are_compared_by_clusters() -> None:
    models = two()
    found = {each.score: each for each in compare(models).classes("f1")}
    assert set(found) == {"f1[a]", "f1[b]", "f1[c]"}
    for score, each in found.items():
        assert each.se == pytest.approx(compare(models, metrics=[score]).of(score).se)


def test_cells_are_compared_by_clusters() -> None:
    models = two()
    for cell in compare(models).cells(None):
        at = tuple(models["old"].labels.index(label) for label in (cell.actual, cell.predicted))
        gaps = [models["new"][key].counts[at] - m.counts[at] for key, m in models["old"].items()]
        assert sum(gaps) == cell.change
        sure = stats.ttest_1samp(gaps, 0).pvalue
        assert cell.p_value == pytest.approx(max(sure, 0.5 ** np.count_nonzero(gaps)))
    apart = compare(models, same_items=False).cells(None)
    assert all(math.isnan(cell.p_value) for cell in apart)


# --- drawn again ----------------------------------------------------------------------------------


def test_a_score_without_a_derivative_is_compared_by_drawn_clusters() -> None:
    models = two(clusters=60, items=900)
    paired = compare(models, metrics=["lambda_reference"]).of("lambda_reference")
    apart = compare(models, metrics=["lambda_reference"], same_items=False).of("lambda_reference")
    assert (paired.test, apart.test) == ("paired bootstrap of clusters", "bootstrap of clusters")
    assert paired.se < apart.se
    assert paired.low < paired.difference < paired.high
    assert "clusters were drawn again" in paired.note


@pytest.mark.parametrize(("shared", "least"), [(True, 1 / 16), (False, 1 / 70)])
def test_a_few_clusters_that_are_drawn_again_are_no_proof_either(
    shared: bool, least: float
) -> None:
    """Each of four may as well be swapped, in 16 ways, or eight be dealt out to two models, in 70."""
    old, new = (
        cm.Stack.from_array(
            np.array([[[10, 0], [wrong + each, 10]] for each in range(4)]), axis="image"
        )
        for wrong in (5, 0)
    )
    score = "lambda_reference"
    found = compare({"old": old, "new": new}, metrics=[score, "accuracy"], same_items=shared).of(
        score
    )
    assert found.p_value == pytest.approx(least)
    assert (found.verdict == "different") == (found.low > 0) == (least < 0.05)
    assert found.low < found.difference < found.high


# --- a class that few clusters hold ---------------------------------------------------------------


def patients(more: list[int], others: list[int]) -> dict[str, cm.Stack]:
    """Sick patients of whose 20 items the new model finds so many more, and others of whom it mistakes fewer."""
    old = [[[0, 0], [10, 10]] for _ in more] + [[[15, 5], [0, 0]] for _ in others]
    new = [[[0, 0], [10 - n, 10 + n]] for n in more] + [[[15 + n, 5 - n], [0, 0]] for n in others]
    return {
        name: cm.Stack.from_array(np.array(each), axis="image")
        for name, each in (("old", old), ("new", new))
    }


@pytest.mark.parametrize("score", ["recall[1]", "balanced_accuracy", "f1.macro", "informedness[1]"])
def test_three_patients_are_three_patients_however_many_others_there_are(score: str) -> None:
    gap = compare(patients([8, 8, 8], [1, -1] * 13), metrics=[score]).of(score)
    # Beside the others' noise, the least that three swaps allow: .125.
    assert gap.p_value >= 0.11
    assert gap.low < 0 < gap.high


def test_degrees_of_freedom_belong_to_the_score() -> None:
    models = patients([8, 5, 7, 6, 9], [1, -1] * 13)
    found = compare(models, metrics=["recall[1]", "specificity[1]"])
    gaps = np.array([8, 5, 7, 6, 9]) / 20
    # Patients with as many items each: Student's t of those that are sick.
    assert found.of("recall[1]").p_value == pytest.approx(
        max(stats.ttest_1samp(gaps, 0).pvalue, 0.5**5)
    )
    rest = np.array([1, -1] * 13) / 20
    assert found.of("specificity[1]").p_value == pytest.approx(stats.ttest_1samp(rest, 0).pvalue)
    assert found.of("recall[1]").items == 31
