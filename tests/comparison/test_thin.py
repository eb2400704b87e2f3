"""Differences that rest on few items: what moves the score is counted, and a verdict and its interval agree."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import confmat as cm
from confmat.comparison import compare, compare_predictions
from confmat.comparison.differences import beside_zero
from confmat.comparison.significance import exact_p, mid_p, tango

Array = NDArray[Any]


def answers(b: int, c: int, same: int, others: int = 0) -> tuple[Array, dict[str, Array]]:
    """Items of class 1, of which the first alone has b right and the second alone c; and items of class 0."""
    actual = np.repeat([1, 0], [b + c + same, others])
    old, new = actual.copy(), actual.copy()
    new[:b], old[b : b + c] = 0, 0
    # The models differ on half of the others, too.
    place = b + c + same
    old[place : place + others // 4], new[place + others // 4 : place + others // 2] = 1, 1
    return actual, {"old": old, "new": new}


def test_the_recall_of_a_class_is_mcnemars_mid_p_of_its_items() -> None:
    actual, models = answers(3, 0, 8, 40)
    gap = compare_predictions(actual, models, labels=[0, 1], metrics=["recall"]).of("recall[1]")
    assert gap.test.startswith("McNemar, mid-p")
    assert (gap.p_value, gap.exact_p) == pytest.approx((0.125, 0.25))
    assert gap.discordant == (3, 0)
    assert gap.items == 11
    assert gap.verdict == "not shown to be different"
    assert gap.low < 0 <= gap.high
    assert gap.note == "the models differ on 3 items only"
    assert (gap.score_interval.low, gap.score_interval.high) == pytest.approx(tango(0, 3, 11, 0.95))


@pytest.mark.parametrize(
    ("score", "only"),
    [("recall[1]", (6, 1)), ("specificity[0]", (6, 1)), ("recall[0]", (5, 5)), ("specificity[1]", (5, 5)),
     ("accuracy", (11, 6)), ("f1.micro", (11, 6)), ("class_accuracy[1]", (11, 6)), ("error_rate", (11, 6)),
     ("false_negative_rate[1]", (6, 1))],
)  # fmt: skip
def test_a_share_of_the_same_items_is_mcnemars(score: str, only: tuple[int, int]) -> None:
    actual, models = answers(6, 1, 30, 20)
    gap = compare_predictions(actual, models, labels=[0, 1], metrics=[score]).of(score)
    assert gap.discordant == only
    assert gap.p_value == mid_p(*only)
    assert compare(cm_matrices(actual, models), metrics=[score]).of(score).p_low <= gap.p_value


def cm_matrices(actual: Array, models: dict[str, Array]) -> dict[str, cm.ConfusionMatrix]:
    return {
        name: cm.count(actual, each, labels=np.unique(actual).tolist())
        for name, each in models.items()
    }


def test_a_precision_whose_denominators_differ_is_not() -> None:
    actual, models = answers(6, 1, 30, 20)
    gap = compare_predictions(actual, models, labels=[0, 1], metrics=["precision"]).of(
        "precision[1]"
    )
    assert gap.test.startswith("Kosinski's score test")
    assert gap.discordant is None


def test_items_that_do_not_move_a_score_do_not_count() -> None:
    """Both models mistake the same items of class 0, each for another class; only three items move its recall."""
    actual = np.repeat([0, 1, 2], [20, 30, 30])
    old, new = actual.copy(), actual.copy()
    old[:10], new[:10] = 1, 2
    new[10:13] = 1
    found = compare_predictions(
        actual, {"old": old, "new": new}, metrics=["recall[0]", "balanced_accuracy"]
    )
    for score in ("recall[0]", "balanced_accuracy"):
        assert found.of(score).p_value >= 0.125
        assert found.of(score).note == "the models differ on 3 items only"


def test_the_variance_of_balanced_accuracy_has_one_more_item_that_differs() -> None:
    """It falls into the classes by the share that each has in the variance, if answers differ as often in all."""
    rng = np.random.default_rng(0)
    sizes = np.array([60, 30, 10])
    actual = np.repeat([0, 1, 2], sizes)
    old, new = (np.where(rng.random(100) < 0.7, actual, rng.integers(0, 3, 100)) for _ in range(2))
    gap = compare_predictions(
        actual, {"old": old, "new": new}, metrics=["balanced_accuracy"]
    ).differences[0]
    right = [np.bincount(actual[each == actual], minlength=3) for each in (old, new)]
    differ = np.bincount(actual[(old == actual) != (new == actual)], minlength=3)
    effects = 1 / (3 * sizes) ** 2
    variance = ((differ - (right[1] - right[0]) ** 2 / sizes) * effects).sum()
    one_more = (sizes * effects) @ effects / (sizes * effects).sum()
    assert gap.se == pytest.approx(np.sqrt(variance), rel=1e-9)
    # If the models were alike, each item might as well have its answers swapped.
    wanted = 2 * stats.norm.sf(abs(gap.difference) / np.sqrt(differ @ effects + one_more))
    assert gap.p_value == pytest.approx(wanted, rel=1e-9)


def test_a_class_in_which_no_answer_differs_is_not_known_to_be_alike() -> None:
    """Nine positives of 300, of which both models miss the same one: their recalls may be far apart all the same."""
    actual = np.repeat([1, 0], [9, 291])
    old = actual.copy()
    old[0], old[9:25] = 0, 1
    new = old.copy()
    new[9:13], new[40:44] = 0, 1
    scores = [
        "balanced_accuracy",
        "informedness[1]",
        "f1.macro",
        "mcc",
        "kappa",
        "f1[1]",
        "recall[1]",
    ]
    for gap in compare_predictions(
        actual, {"old": old, "new": new}, metrics=scores, level=0.9
    ).differences:
        assert gap.no_worse(0.02) == "undecided", gap
    # Half of what one more answer to a rare class moves is ruled out by no test.
    assert gap.high > 1 / 9


def test_a_verdict_and_its_interval_agree_on_every_table() -> None:
    for level, b, c in itertools.product([0.9, 0.95, 0.99], range(10), range(10)):
        actual, models = answers(b, c, 14)
        gap = compare_predictions(
            actual, models, labels=[0, 1], metrics=["accuracy"], level=level
        ).of("accuracy")
        assert (gap.verdict == "different") == (not gap.low <= 0 <= gap.high), (level, b, c)


def test_the_end_beside_0_is_where_the_test_begins_to_reject() -> None:
    # Two standard errors of the test are the whole difference at p = .0455.
    at = 2 * stats.norm.sf(2)
    assert beside_zero(0.2, at, (0.001, 0.4), 0.95) == pytest.approx(
        (0.2 * (1 - stats.norm.ppf(0.975) / 2), 0.4)
    )
    assert beside_zero(-0.2, at, (-0.4, 0.001), 0.99)[1] == pytest.approx(
        -0.2 * (1 - stats.norm.ppf(0.995) / 2)
    )
    # Where it does not reject, the interval may reach further.
    assert beside_zero(0.2, at, (-0.3, 0.4), 0.99) == (-0.3, 0.4)
    assert beside_zero(0.2, 1.0, (0.1, 0.3), 0.95) == pytest.approx((-0.2, 0.3))
    assert beside_zero(0.0, 1.0, (-0.1, 0.1), 0.95) == (-0.1, 0.1)


@pytest.mark.parametrize("seed", range(6))
def test_matrices_alone_allow_what_the_answers_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    actual = rng.choice(3, 40, p=[0.6, 0.3, 0.1])
    # Every other time, an answer may be outside the classes.
    labels = cm.Labels(range(3), outside=["(other)"] * (seed % 2))
    names = np.array([*labels], object)
    models = {
        name: names[np.where(rng.random(40) < 0.75, actual, rng.integers(0, len(names), 40))]
        for name in ("old", "new")
    }
    scores = [
        "accuracy",
        "recall[2]",
        "specificity[0]",
        "precision[0]",
        "precision[1]",
        "negative_predictive_value[0]",
        "f1.macro",
        "mcc",
        "balanced_accuracy",
    ]
    sharp = compare_predictions(actual, models, metrics=scores, labels=labels)
    matrices = {name: cm.count(actual, each, labels=labels) for name, each in models.items()}
    known = compare(matrices, metrics=scores)
    assert known.design == "same items"
    for score in scores:
        one, range_ = sharp.of(score), known.of(score)
        assert range_.p_low - 1e-9 <= one.p_value <= range_.p_high + 1e-9, score


def test_mcnemar_takes_two_counts() -> None:
    # Bentur's children, as Fagerland, Lydersen and Laake (2013) print them.
    found = cm.mcnemar(1, 7)
    assert found.p_value == pytest.approx(0.0391, abs=5e-5)
    assert found.exact_p == exact_p(1, 7) == pytest.approx(0.0703, abs=5e-5)
    assert (found.statistic, found.df, found.discordant) == (4.5, 1, (1, 7))
    assert cm.mcnemar(0, 0).p_value == 1
    for wrong in (-1, 2.5, True, "3"):
        with pytest.raises(cm.InputError, match=r"a whole number of at least 0|takes two numbers"):
            cm.mcnemar(wrong, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("less", "more"), [("error_rate", "accuracy"), ("false_negative_rate[1]", "recall[1]")]
)
def test_tangos_interval_has_the_sign_of_the_difference(less: str, more: str) -> None:
    actual, models = answers(6, 1, 30, 20)
    found = compare_predictions(actual, models, labels=[0, 1], metrics=[less, more])
    one, other = (found.of(score).score_interval for score in (less, more))
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))
    assert one.value in one


@pytest.mark.parametrize(
    "score",
    ["f1.macro", "balanced_accuracy", "mcc", "kappa", "precision[1]", "linear_weighted_kappa"],
)
def test_models_that_never_differ_are_not_proved_equal_by_a_few_items(score: str) -> None:
    same = np.array([0, 1] * 5)
    models = {"old": same, "new": same.copy()}
    plain = compare_predictions(same, models, metrics=["accuracy", score], level=0.9)
    stacks = {
        name: cm.count(same, each, clusters=np.arange(10) // 2) for name, each in models.items()
    }
    for found in (plain, compare(stacks, metrics=["accuracy", score], level=0.9)):
        gap, share = found.of(score), found.of("accuracy")
        assert gap.high >= share.high - 1e-12 > 0.1
        assert gap.low == -gap.high
        assert gap.no_worse(0.05) == gap.equivalent(0.05) == "undecided"
        assert np.isnan(gap.detectable)
    assert plain.of("accuracy").high == pytest.approx(tango(0, 0, 10, 0.9)[1])


def test_many_clusters_that_all_speak_for_one_model_leave_some_doubt() -> None:
    actual = np.tile([0, 1], 320)
    old = np.where(np.arange(640) % 10 == 0, 1, actual)
    stacks = {
        name: cm.count(actual, each, clusters=np.arange(640) // 10)
        for name, each in [("old", old), ("new", actual)]
    }
    gap = compare(stacks, metrics=["accuracy"]).of("accuracy")
    assert gap.p_value == pytest.approx(0.5**64)
    assert gap.low < gap.difference - 0.005 < gap.difference + 0.005 < gap.high


def test_ratios_and_joint_tests_see_no_more_than_so_few_items_can_show() -> None:
    actual, models = answers(4, 0, 96, 100)
    found = compare_predictions(
        actual, models, labels=cm.Labels([0, 1], positive=1), metrics=["recall"]
    )
    clustered = compare(
        {
            name: cm.count(actual, each, labels=[0, 1], clusters=np.arange(200))
            for name, each in models.items()
        }
    )
    for one in (found.ratio("recall[1]"), clustered.ratio("recall[1]")):
        assert one.p_value >= 0.5**4 - 1e-12
        assert 1 in one
    same = {"old": models["old"], "new": np.where(actual == 1, models["new"], models["old"])}
    assert (
        compare_predictions(actual, same, labels=[0, 1]).joint(["recall[1]", "recall[0]"]).p_value
        == 0.5**4
    )


@pytest.mark.parametrize(
    "table", [[[4, 0], [0, 4]], [[10, 0], [10, 0]], [[0, 10], [10, 0]], [[7, 2], [1, 5]]]
)
def test_equal_matrices_do_not_prove_models_equal(table: list[list[int]]) -> None:
    m = cm.ConfusionMatrix(table, labels=[0, 1])
    actual, same = (
        np.repeat([0, 0, 1, 1], m.counts.ravel()),
        np.repeat([0, 1, 0, 1], m.counts.ravel()),
    )
    scores = [
        "accuracy", "f1.macro", "balanced_accuracy", "mcc", "kappa", "class_g_mean[1]", "multiclass_g_mean", "f1[1]",
        "mutual_information", "v_measure", "linear_weighted_kappa", "markedness[1]", "diagnostic_odds_ratio[1]",
    ]  # fmt: skip
    known = compare({"old": m, "new": m}, metrics=scores)
    sharp = compare_predictions(
        actual, {"old": same, "new": same.copy()}, metrics=scores, labels=[0, 1]
    )
    for score in scores:
        if np.isfinite(known.of(score).difference):
            for gap in (known.of(score), sharp.of(score)):
                assert gap.no_worse(0.001) == gap.equivalent(0.001) == "undecided", (score, gap)
            assert known.of(score).low <= sharp.of(score).low + 1e-12, score
            assert known.of(score).high >= sharp.of(score).high - 1e-12, score


@pytest.mark.parametrize("same_items", [True, False])
def test_two_matrices_without_a_mistake_are_not_proved_equal(same_items: bool) -> None:
    perfect = cm.ConfusionMatrix([[3, 0], [0, 3]])
    scores = ["accuracy", "f1.macro", "balanced_accuracy", "mcc", "kappa"]
    found = compare(
        {"old": perfect, "new": perfect}, metrics=scores, same_items=same_items, level=0.9
    )
    for gap in found.differences:
        assert gap.low < -0.1
        assert gap.no_worse(0.05) == gap.equivalent(0.05) == "undecided", gap


def test_a_mean_that_one_class_makes_0_is_not_comparable() -> None:
    """A geometric mean is 0 as soon as a class is never found; how nearly it was found is not in its derivative."""
    actual = np.repeat([0, 1, 2], [40, 20, 3])
    old, new = actual.copy(), actual.copy()
    old[-3:], new[-3:-1] = 0, 1
    for found in (
        compare_predictions(actual, {"old": old, "new": new}, metrics=["multiclass_g_mean"]),
        compare(cm_matrices(actual, {"old": old, "new": new}), metrics=["multiclass_g_mean"]),
    ):
        gap = found.of("multiclass_g_mean")
        assert gap.difference > 0.5
        assert gap.verdict == "not comparable"
        assert gap.no_worse(0.01) == "undecided"


def test_means_over_different_classes_are_said_to_be_such() -> None:
    models = {
        "a": cm.ConfusionMatrix([[90, 5], [1, 4]]),
        "b": cm.ConfusionMatrix([[56, 4], [0, 0]]),
    }
    found = compare(models, metrics=["f1.macro", "accuracy"], same_items=False)
    assert "(b: a mean over 1 of 2 classes; 1 never occurs)" in found.of("f1.macro").sentence()
    assert "classes" not in found.of("accuracy").sentence()
