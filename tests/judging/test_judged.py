"""Judged items: published corrections, the estimator written out item by item, and worlds whose truth is known."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

import confmat as cm

Array = NDArray[Any]


def world(
    seed: int, n: int, classes: int = 3, checked: int = 60
) -> tuple[Array, Array, Array, Array]:
    """Truth, judge, model and what was checked: a judge that leans to the model's answer."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(
        classes,
        n,
        p=(share := np.arange(classes, 0, -1) / np.arange(classes + 1).sum()) / share.sum(),
    )
    model = np.where(rng.random(n) < 0.75, truth, rng.integers(0, classes, n))
    judge = np.where(
        rng.random(n) < 0.25,
        model,
        np.where(rng.random(n) < 0.8, truth, rng.integers(0, classes, n)),
    )
    gold = np.full(n, np.nan)
    places = rng.choice(n, checked, replace=False)
    gold[places] = truth[places]
    return truth, judge, model, gold


def test_partial_verification_has_the_published_correction() -> None:
    # Begg and Greenes, Biometrics 39 (1983), with the liver scans of Drum and Christacopoulos
    # (1972): 429 positive and 221 negative scans, of which 263 and 81 were verified.
    scan = ["ill"] * 429 + ["well"] * 221
    truth = (
        ["ill"] * 231 + ["well"] * 32 + [None] * 166 + ["ill"] * 27 + ["well"] * 54 + [None] * 140
    )
    found = cm.judged(None, scan, gold=truth)
    assert isinstance(found, cm.Judged)
    assert round(cm.score(found, "recall[ill]"), 3) == 0.836
    assert round(cm.score(found, "recall[well]"), 3) == 0.738
    assert round(cm.score(found.checked, "recall[ill]"), 3) == 0.895
    # Sensitivity by Bayes' rule from two proportions and the share of positive scans; its variance
    # by the delta method.
    ppv, rest, positive = 231 / 263, 27 / 81, 429 / 650
    top, bottom = positive * ppv, positive * ppv + (1 - positive) * rest
    slopes = (
        positive * (bottom - top) / bottom**2,
        -(1 - positive) * top / bottom**2,
        ppv * rest / bottom**2,
    )
    parts = (ppv * (1 - ppv) / 262, rest * (1 - rest) / 80, 0.0)
    between = variance_of_scanned(ppv, rest, positive, top / bottom, bottom)
    expected = math.sqrt(sum(s * s * v for s, v in zip(slopes, parts, strict=True)) + between)
    estimate = cm.interval(found, "recall[ill]")
    assert isinstance(estimate, cm.Estimate)
    # Each item is compared with the others.
    assert estimate.se == pytest.approx(expected, rel=2e-2)
    assert "corrected for which were checked" in str(found)


def variance_of_scanned(
    ppv: float, rest: float, positive: float, value: float, bottom: float
) -> float:
    """The variance between 650 patients of what their scan says of sensitivity: its mean derivative, given the scan."""
    of_positive = ppv * (1 - value) / bottom
    of_negative = -rest * value / bottom
    mean = positive * of_positive + (1 - positive) * of_negative
    spread = positive * (of_positive - mean) ** 2 + (1 - positive) * (of_negative - mean) ** 2
    return spread / 649


def traits(judge: Array, model: Array, k: int) -> Array:
    """A column for each trait of items: that they are, the label of judge, of model, of both, and that these differ."""
    one, two = np.eye(k)[judge], np.eye(k)[model]
    return np.column_stack([np.ones(len(judge)), one, two, one * two, judge != model])


def by_hand(judge: Array, model: Array, gold: Array, k: int) -> tuple[Array, Array, Array]:
    """Weights of the checked items from the least of a function, and the traits of these and of all."""
    every = traits(judge, model, k)
    seen = ~np.isnan(gold)
    checked, each = every[seen], len(judge) / seen.sum()
    held = checked.any(axis=0)
    checked, every = checked[:, held], every[:, held]
    doubt = 3 * each * np.append(0.0, np.ones(held.sum() - 1))

    def away(factors: Array) -> tuple[float, Array]:
        weight = each * np.exp(checked @ factors)
        value = weight.sum() - every.sum(axis=0) @ factors + doubt @ factors**2 / 2
        return float(value), checked.T @ weight - every.sum(axis=0) + doubt * factors

    found = minimize(
        away,
        np.zeros(held.sum()),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-7, "maxiter": 2_000},
    )
    return each * np.exp(checked @ found.x), checked, every


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_the_matrix_is_the_calibrated_one_written_out(seed: int, k: int) -> None:
    _, judge, model, gold = world(seed, 150, k, 40)
    found: Any = cm.judged(judge, model, gold=gold, labels=list(range(k)))
    weight, checked, every = by_hand(judge, model, gold, k)
    seen = ~np.isnan(gold)
    table = np.zeros((k, k))
    np.add.at(table, (gold[seen].astype(int), model[seen]), weight)
    assert found.counts == pytest.approx(table, rel=1e-4, abs=1e-6)
    assert found.total == pytest.approx(150)
    # Derivatives of a sum of hits; each item is compared with a regression over the others.
    hits = (gold == model)[seen].astype(float)
    doubt = np.diag(3 * 150 / 40 * np.append(0.0, np.ones(checked.shape[1] - 1)))

    def slopes(kept: Array) -> Array:
        left = checked[kept] * weight[kept, None]
        return np.asarray(np.linalg.solve(left.T @ checked[kept] + doubt, left.T @ hits[kept]))

    everyone = np.arange(40)
    apart = weight * [hits[one] - checked[one] @ slopes(everyone != one) for one in everyone]
    told = every @ slopes(everyone >= 0)
    expected = told.var(ddof=1) * 150 + 40 * apart.var(ddof=1)
    accuracy: Any = found.covariance(
        lambda rows, cols: rows == cols, lambda rows, cols: rows == cols
    )
    assert accuracy == pytest.approx(expected, rel=1e-3)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from([10, 40, 150]))
def test_no_cell_is_below_nothing_and_no_score_beyond_its_range(
    seed: int, k: int, checked: int
) -> None:
    _, judge, model, gold = world(seed, 400, k, checked)
    found: Any = cm.judged(judge, model, gold=gold)
    assert (found.counts >= 0).all()
    assert ((found.counts > 0) == (found.checked.counts > 0)).all()
    scores = ["accuracy", "f1.macro", "recall.macro"]
    scores += [
        f"{name}[{label}]"
        for name in ("recall", "precision", "f1")
        for label in found.labels.classes
    ]
    for score in scores:
        one: Any = cm.interval(found, score)
        assert math.isnan(one.value) or 0 <= one.low <= one.value <= one.high <= 1
        assert "squares" not in one.note


def test_a_sure_judge_is_believed_and_a_useless_one_does_no_harm() -> None:
    truth, _, model, gold = world(1, 2_000, 3, 300)
    alone: Any = cm.interval(cm.count(truth, model), "f1.macro")
    sure: Any = cm.interval(cm.judged(truth, model, gold=gold), "f1.macro")
    assert sure.value == pytest.approx(alone.value, abs=0.01)
    assert sure.se == pytest.approx(alone.se, rel=0.25)
    blind = np.random.default_rng(2).integers(0, 3, 2_000)
    useless: Any = cm.judged(blind, model, gold=gold)
    both, gold_alone = (cm.interval(m, "f1.macro") for m in (useless, useless.checked))
    assert isinstance(both, cm.Estimate)
    assert isinstance(gold_alone, cm.Estimate)
    assert both.se < 1.05 * gold_alone.se


def test_parts_add() -> None:
    _, judge, model, gold = world(3, 800, 4, 200)
    whole: Any = cm.judged(judge, model, gold=gold)
    parts: Any = [cm.judged(judge[i::2], model[i::2], gold=gold[i::2]) for i in (0, 1)]
    both = parts[0] + parts[1]
    assert both.counts == pytest.approx(whole.counts)
    assert cm.interval(both, "kappa").se == pytest.approx(cm.interval(whole, "kappa").se)
    assert pickle.loads(pickle.dumps(whole)) == whole
    merged = whole.merge({9: [2, 3]})
    assert merged.counts.sum() == pytest.approx(800)
    assert cm.interval(merged, "recall[0]").se > 0


def test_chances_to_be_checked_are_weighed() -> None:
    truth, judge, model, _ = world(4, 6_000, 3, 10)
    rng = np.random.default_rng(5)
    chances = np.where(judge != model, 0.3, 0.05)
    gold = np.where(rng.random(6_000) < chances, truth, np.nan)
    right = float(np.mean(truth == model))
    hows: list[dict[str, Any]] = [{"probability": chances}, {"checked": "both"}]
    for how in hows:
        found: Any = cm.judged(judge, model, gold=gold, **how)
        # The checked items alone are as right, and less sure.
        both, alone = (cm.interval(m, "accuracy") for m in (found, found.checked))
        assert alone.low < right < alone.high
        assert both.low < right < both.high
        assert both.width < alone.width
    with pytest.raises(cm.InputError, match="were checked more often"):
        cm.judged(
            judge,
            model,
            gold=np.where(rng.random(6_000) < np.where(judge == 0, 0.3, 0.05), truth, np.nan),
        )


def test_labels_that_a_judge_hardly_ever_gives_are_no_sign_of_a_choice() -> None:
    judge, model = ["a"] * 4_999 + ["b"], ["a"] * 2_500 + ["b"] * 2_500
    gold = [None if place % 50 else "a" for place in range(4_999)] + ["b"]
    assert cm.judged(judge, model, gold=gold).total == pytest.approx(5_000)
    rng, refused = np.random.default_rng(11), 0
    share = 1 / np.arange(1, 301) ** 2
    for _ in range(10):
        labels = rng.choice(300, 2_000, p=share / share.sum())
        drawn = np.where(rng.random(2_000) < rng.choice([0.02, 0.5, 0.98]), labels, np.nan)
        try:
            cm.judged(labels, labels, gold=drawn)
        except cm.InputError:
            refused += 1
    assert not refused


def test_the_message_of_a_missing_verdict_names_the_judge() -> None:
    judge, gold = [None, *["pass", "fail"] * 20], [None, *["pass", "fail"] * 8, *[None] * 24]
    with pytest.raises(cm.LabelError, match="missing labels: 1 in `judge`"):
        cm.judged(judge, gold=gold)


def test_a_judge_that_leans_is_found_out() -> None:
    rng = np.random.default_rng(6)
    truth, judge, model, _ = world(7, 5_000, 3, 10)
    gold = np.where(rng.random(5_000) < 0.2, truth, np.nan)
    leaning: Any = cm.judged(judge, model, gold=gold)
    assert leaning.leaning() < 1e-3
    assert "depend on whether the model is right" in str(leaning)
    fair = np.where(rng.random(5_000) < 0.8, truth, rng.integers(0, 3, 5_000))
    apart: Any = cm.judged(fair, model, gold=gold)
    assert apart.leaning() > 0.001


def test_models_are_compared_with_the_noise_of_the_judge() -> None:
    truth, judge, model, gold = world(8, 3_000, 3, 400)
    better = np.where(np.random.default_rng(9).random(3_000) < 0.3, truth, model)
    found: Any = cm.judged(judge, {"old": model, "new": better}, gold=gold, metrics=["accuracy"])
    difference = found.of("accuracy")
    assert difference.low < np.mean(better == truth) - np.mean(model == truth) < difference.high
    alone = cm.compare_predictions(judge, {"old": model, "new": better}, metrics=["accuracy"]).of(
        "accuracy"
    )
    assert difference.se > alone.se
    again: Any = cm.judged(judge, {"new": better, "old": model}, gold=gold, metrics=["accuracy"])
    assert again.of("accuracy").difference == pytest.approx(-difference.difference)
    assert again.of("accuracy").se == pytest.approx(difference.se)
    assert "estimates for the whole, by 400 checked of 3,000 items" in str(again)
    page = cm.html(cm.judged(judge, model, gold=gold))
    assert "<p>400 checked of 3,000 items · 3 classes" in page.replace(' class="about"', "")


def test_models_that_differ_on_no_checked_item_are_not_shown_to_be_different() -> None:
    _, judge, model, gold = world(14, 3_000, 3, 200)
    better = np.where(
        np.isnan(gold) & (np.random.default_rng(15).random(3_000) < 0.3), judge, model
    )
    for metric in ("accuracy", "f1.macro"):
        found: Any = cm.judged(judge, {"old": model, "new": better}, gold=gold, metrics=[metric])
        difference = found.of(metric)
        assert difference.verdict == "not shown to be different"
        assert difference.low < 0 < difference.high
        assert difference.difference / difference.se > 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gold": [None] * 4}, "None where nobody checked: every label is missing"),
        ({"gold": ["a", "b", "", ""]}, "None where nobody checked: some are empty texts"),
        ({"gold": [None, None, None, "a"]}, "better a hundred; 1 has one"),
        (
            {"gold": ["a", "b", None, None], "probability": [0.5] * 4, "checked": "both"},
            "give one of them",
        ),
        ({"gold": ["a", "b", None, None], "probability": [0, 0.5, 0.5, 0.5]}, "above 0"),
        ({"gold": iter(["a", "b", None, None])}, "read several times"),
    ],
)
def test_what_corrects_nothing_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(cm.InputError, match=words):
        cm.judged([*"abab"], [*"abba"], **options)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "checked"), [(2, 100), (3, 300), (10, 300)])
def test_intervals_hold_the_truth_although_the_judge_leans(k: int, checked: int) -> None:
    scores = ("accuracy", "f1.macro", "recall.macro", "kappa")
    truth, _, model, _ = world(10, 1_000_000, k, 10)
    known = {score: cm.score(cm.count(truth, model), score) for score in scores}
    held, alone = dict.fromkeys(scores, 0), dict.fromkeys(scores, 0)
    for seed in range(200):
        _, judge, model, gold = world(1_000 + seed, 5_000, k, checked)
        found: Any = cm.judged(judge, model, gold=gold, labels=list(range(k)))
        for score, value in known.items():
            for m, count in ((found, held), (found.judge, alone)):
                low, high = (float(end) for end in cm.interval(m, score))
                count[score] += low <= value <= high
    assert min(held.values()) >= 0.89 * 200
    assert max(alone.values()) <= 0.05 * 200


def test_classes_of_which_few_were_checked_are_said() -> None:
    truth, judge, model, gold = world(20, 3_000, 3, 60)
    gold[:3], judge[:200] = [0, 3, 3], 4
    found: Any = cm.judged(judge, model, gold=gold)
    said = "2 of 3, none of 4"
    assert found.few == {3: 2, 4: 0} | {
        k: n for k in (0, 1, 2) if (n := int((gold == k).sum())) < 10
    }
    assert said in str(found)
    notes = {
        score: str(getattr(cm.interval(found, score), "note", ""))
        for score in ("accuracy", "f1.macro", "f1[3]")
    }
    assert "checked" not in notes["accuracy"]
    assert said in notes["f1.macro"]
    assert "few were checked: 2 of 3" in notes["f1[3]"]
    assert "few were checked" not in str(cm.judged(truth, model, gold=truth))


def test_labels_beyond_the_commonest_take_no_part_in_the_weights() -> None:
    rng = np.random.default_rng(21)
    truth = rng.integers(0, 1_200, 20_000)
    model, judge = (
        np.where(rng.random(20_000) < 0.8, truth, rng.integers(0, 1_200, 20_000)) for _ in range(2)
    )
    gold = np.where(rng.random(20_000) < 0.2, truth, np.nan)
    found: Any = cm.judged(judge, model, gold=gold)
    assert len(found.calibration.traits) == 500
    assert found.total == pytest.approx(20_000)
    assert np.mean(truth == model) in cm.interval(found, "accuracy")


def test_labels_that_nobody_can_use_are_named_as_they_were_given() -> None:
    judge, model, gold = ["a", "b"] * 50, ["a", "a", "b", "b"] * 25, (["a", "b"] * 20) + [None] * 60
    for columns, more, says in (
        ((["a", None, *judge[2:]], model, gold), {}, "`judge`, the first at position 1. Give them"),
        (
            (judge, model, ["z", *gold[1:]]),
            {"labels": ["a", "b"]},
            "'z'.* Name them in `labels`, or say other=",
        ),
        ((judge, model, gold[1:]), {}, "`gold` has 99 labels and `predicted` has 100"),
    ):
        with pytest.raises(cm.ConfmatError, match=says):
            cm.judged(*columns[:2], gold=columns[2], **more)  # type: ignore[call-overload]


def test_a_comparison_of_judged_matrices_says_how_the_same_items_are_compared() -> None:
    judge, gold = ["a", "b"] * 50, (["a", "b"] * 20) + [None] * 60
    models = {"old": ["a", "a", "b", "b"] * 25, "new": ["a", "b", "b", "a"] * 25}
    alone: dict[str, Any] = {
        name: cm.judged(judge, model, gold=gold) for name, model in models.items()
    }
    apart = cm.compare(alone)
    assert "judged(judge, {'a': ..., 'b': ...}, gold=gold)" in str(apart)
    with pytest.raises(cm.InputError, match="the labels of judge and model"):
        alone["old"].to_dict()
    assert "judged(judge" not in str(cm.judged(judge, models, gold=gold))
