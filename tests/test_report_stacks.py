"""Reports of several labels an item, and the means over labels and over items, by hand."""

from __future__ import annotations

import numpy as np
import pytest

import confmat as cm
from confmat.intervals.bounds import quantile, student_quantile, wilson
from tests.animals import ANIMALS

ACTUAL = [{"cat"}, {"cat", "dog"}, set(), {"hen"}, {"dog"}, {"cat", "hen"}]
PREDICTED = [{"cat"}, {"dog", "hen"}, {"hen"}, {"hen"}, set(), {"cat", "hen"}]
STACK = cm.count_multilabel(ACTUAL, PREDICTED)
ITEMS = cm.count_multilabel(ACTUAL, PREDICTED, along="item")


def test_a_report_has_labels_and_every_mean_by_hand() -> None:
    found = cm.report(STACK, ["precision", "recall", "f1"], items=ITEMS)
    assert found.classes == ("cat", "dog", "hen")
    assert found["cat"] == {"precision": 2 / 2, "recall": 2 / 3, "f1": 4 / 5}
    assert found["micro", "f1"] == 2 * 5 / (2 * 5 + 2 + 2)
    assert found["macro", "f1"] == pytest.approx((4 / 5 + 2 / 3 + 2 / 3) / 3)
    assert found["weighted", "f1"] == pytest.approx((3 * 4 / 5 + 2 * 2 / 3 + 2 * 2 / 3) / 7)
    # The item without a true label is silent; the one without an answer is not.
    assert found["samples", "f1"] == pytest.approx((1 + 2 / 4 + 1 + 0 + 1) / 5)
    assert found.overall == {"exact_match": 3 / 6, "hamming_loss": 4 / 18}
    assert found.total == 7
    assert found.support.tolist() == [3, 2, 2]
    text = str(found)
    assert (
        "samples of precision: the mean over 5 of 6 items; 1 has no true label, 1 item is "
        "never predicted" in text
    )


def test_a_report_without_items_has_no_means_over_them() -> None:
    found = cm.report(STACK)
    assert list(found.averages) == ["micro", "macro", "weighted"]
    assert list(found.overall) == ["hamming_loss"]
    with pytest.raises(cm.MetricError, match=r"items=count_multilabel\(..., along='item'\)"):
        cm.report(STACK, averages=["samples"])
    with pytest.raises(cm.InputError, match="along='item'"):
        cm.report(STACK, items=STACK)
    with pytest.raises(cm.MetricError, match="along 'label'"):
        cm.report(ITEMS, items=ITEMS)


def test_what_the_report_shows_of_items_is_asked_for_by_its_name() -> None:
    shown = cm.report(STACK, items=ITEMS, intervals=True)
    asked = cm.report(
        STACK,
        ["f1.samples", "Exact match", "hamming_loss", "f1.micro"],
        items=ITEMS,
        intervals=True,
    )
    assert asked.overall == {
        "f1.samples": shown["samples", "f1"],
        "exact_match": 3 / 6,
        "hamming_loss": 4 / 18,
        "f1.micro": shown["micro", "f1"],
    }
    assert shown.intervals is not None
    assert asked.intervals is not None
    for name in ("exact_match", "hamming_loss"):
        found = cm.interval(STACK, name, items=ITEMS)
        assert (
            asked.intervals.overall[name]
            == shown.intervals.overall[name]
            == (found.low, found.high)
        )
        assert (found.name, found.value, found.design) == (name, shown[name], "6 items")
    assert cm.interval(STACK, cm.exact_match, items=ITEMS) == cm.interval(
        STACK, "subset_accuracy", items=ITEMS
    )
    for name in ("exact_match", "f1.samples"):
        with pytest.raises(cm.MetricError, match=r"items=count_multilabel\(..., along='item'\)"):
            cm.report(STACK, [name])


def test_the_interval_of_exact_match_knows_weights() -> None:
    weights = np.array([0.1, 0.7, 0.3, 0.2, 0.4, 5.0])
    stack, items = (
        cm.count_multilabel(ACTUAL, PREDICTED, along=a, weights=weights) for a in ("label", "item")
    )
    found = cm.interval(stack, "exact_match", items=items)
    right, shares = np.array([1, 0, 0, 1, 0, 1]), weights / weights.sum()
    assert found.value == pytest.approx(shares @ right)
    assert found.se == pytest.approx(np.sqrt(shares**2 @ (right - shares @ right) ** 2))


def test_items_are_those_of_the_stack() -> None:
    others = cm.count_multilabel(ACTUAL, ACTUAL, along="item")
    for items in (others, cm.count_multilabel(ACTUAL[:3], PREDICTED[:3], along="item")):
        with pytest.raises(cm.MetricError, match="counts of the same items"):
            cm.report(STACK, items=items)


def test_single_scores_of_a_report() -> None:
    found = cm.report(STACK, ["f1.macro", "f1[hen]", "recall.micro"])
    assert found["f1[hen]"] == 4 / 6
    with pytest.raises(cm.MetricError, match="one number is wanted"):
        cm.report(STACK, overall="f1")
    for score, words in (("kappa", "a score of one matrix"), ("f1[cow]", "no label 'cow'")):
        with pytest.raises(cm.MetricError, match=words):
            cm.report(STACK, [score])


def test_intervals_of_a_report() -> None:
    found = cm.report(STACK, ["f1", "support"], items=ITEMS, intervals=0.9)
    assert found.intervals is not None
    alone = cm.interval(STACK["cat"], cm.f1, of=True, level=0.9)
    assert found.intervals.of_row(0)[0] == (alone.low, alone.high)
    pooled = cm.interval(ITEMS, cm.f1, of=True, level=0.9)
    assert found.intervals.of_row("micro")[0] == (pooled.low, pooled.high)
    macro = cm.interval(STACK, "f1.macro", items=ITEMS, level=0.9)
    assert found.intervals.of_row("macro") == [(macro.low, macro.high)]
    # Without knowledge of the items there is no interval of a mean, and counts have none.
    for items in (None, cm.Stack(dict(ITEMS), axis="item")):
        other = cm.report(
            STACK, ["f1", "tp"], items=items, undefined="skip", intervals=True
        ).intervals
        assert np.isnan(other.of_row("macro")).all()  # type: ignore[union-attr]
    # Five items have a true label and score 1, .5, 1, 0 and 1; one more is spread over 0 and 1.
    near, scores = (3.5 + 0.5) / 6, np.array([1, 0.5, 1, 0, 1])
    variance = (((scores - near) ** 2).sum() + (near**2 + (1 - near) ** 2) / 2) / 6**2
    # The interval of five items reaches as far as Student's distribution of four degrees of
    # freedom.
    further = student_quantile(0.95, 4) / quantile(0.9)
    ends = wilson(3.5 / 5, near * (1 - near) / variance / further**2, 0.9)
    assert found.intervals.of_row("samples")[0] == pytest.approx(tuple(map(float, ends)))
    right = cm.interval(cm.ConfusionMatrix([[3, 3], [0, 0]]), cm.accuracy, level=0.9)
    assert found.intervals.overall["exact_match"] == (right.low, right.high)


# ---- any other stack -----------------------------------------------------------------------------

MODELS = cm.Stack(
    {
        "old": ANIMALS,
        "new": cm.ConfusionMatrix([[6, 0, 0], [2, 8, 0], [1, 0, 8]], ["Cat", "Fish", "Hen"]),
    },
    axis="model",
)


def test_each_matrix_of_a_stack_is_a_row() -> None:
    found = cm.report(MODELS)
    assert found.classes == ("old", "new")
    assert found.names == ("accuracy", "balanced_accuracy", "f1.macro", "kappa", "mcc")
    for name, m in MODELS.items():
        assert found[name] == {score: cm.score(m, score) for score in found.names}


def test_intervals_of_a_stack_are_those_of_its_matrices() -> None:
    found = cm.report(MODELS, ["accuracy", "f1.macro"], intervals=0.9)
    assert found.intervals is not None
    for i, m in enumerate(MODELS.values()):
        for j, score in enumerate(found.names):
            one = cm.interval(m, score, level=0.9)
            assert isinstance(one, cm.Estimate)
            assert (found.intervals.low[i, j], found.intervals.high[i, j]) == (one.low, one.high)


def test_a_score_per_class_needs_a_class_or_a_mean_in_a_row_for_each_matrix() -> None:
    with pytest.raises(cm.MetricError, match=r"say 'f1\.macro' or 'f1\[Cat\]'"):
        cm.report(MODELS, ["f1"])
    assert cm.report(MODELS, ["f1"], averages=["macro", "micro"]).names == ("f1.macro", "f1.micro")
    assert cm.report(MODELS, ["f1[Hen]"])["new", "f1[Hen]"] == cm.f1(MODELS["new"], of="Hen")
    binary = cm.Stack({"a": cm.ConfusionMatrix([[1, 2], [3, 4]], positive=1)})
    assert cm.report(binary, ["recall"])["a", "recall[1]"] == 4 / 7
