"""Models side by side: paired, from matrices alone, and of different items."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import confmat as cm
from confmat.comparison import Pairing, compare, compare_pairings, compare_predictions
from confmat.comparison.pairing import covariances
from confmat.comparison.significance import holm, mid_p
from confmat.intervals.gradient import slope

Array = NDArray[Any]


def models(seed: int, n: int, *shares: float, k: int = 3) -> tuple[Array, list[Array]]:
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, k, n)
    return actual, [
        np.where(rng.random(n) < share, actual, rng.integers(0, k, n)) for share in shares
    ]


# --- paired ---------------------------------------------------------------------------------------


def test_the_standard_error_is_that_of_the_items_one_by_one() -> None:
    actual, (one, two) = models(0, 200, 0.8, 0.7)
    found = compare_predictions(
        actual, {"one": one, "two": two}, metrics=["f1.macro", "mcc", "recall[1]"]
    )
    for score in ("f1.macro", "mcc", "recall[1]"):
        parsed = cm.metrics.parse_score(score)
        how = {"average": "macro"} if parsed.average else {"of": 1} if parsed.of else {}
        g = []
        for answers in (one, two):
            m = cm.count(actual, answers)
            g.append(slope(parsed.metric, m, **how).at(actual, answers))
        step = g[0] - g[1]
        assert found.of(score).se == pytest.approx(
            math.sqrt(((step - step.mean()) ** 2).sum()), rel=1e-12
        )


def test_a_bare_score_per_class_is_that_of_the_positive_class_and_no_silent_mean() -> None:
    old, new = cm.ConfusionMatrix([[40, 10], [20, 30]]), cm.ConfusionMatrix([[42, 8], [10, 40]])
    found = compare({"old": old, "new": new}, metrics=["sensitivity"])
    assert found.scores == ("recall[1]",)
    assert found.of("recall") is found.differences[0]
    assert found.differences[0].values == (30 / 50, 40 / 50)
    with pytest.raises(cm.MetricError, match=r"'sensitivity.macro' or 'sensitivity\[0\]'"):
        compare(
            {"old": cm.ConfusionMatrix(np.eye(3)), "new": cm.ConfusionMatrix(np.eye(3))},
            metrics=["sensitivity"],
        )


@given(st.integers(0, 40), st.integers(0, 40))
def test_mid_p_is_its_definition(first: int, second: int) -> None:
    n, least = first + second, min(first, second)
    terms = [math.comb(n, i) / 2**n for i in range(least + 1)]
    # All outcomes that are less likely, and half of those as likely: two, or the only one in the
    # middle.
    more_extreme, alike = 2 * sum(terms[:-1]), 2 * terms[-1] if first != second else terms[-1]
    wanted = more_extreme + alike / 2 if n else 1.0
    assert mid_p(first, second) == pytest.approx(wanted, rel=1e-9)
    assert mid_p(first, second) == mid_p(second, first)


def test_models_that_agree_do_not_differ() -> None:
    actual, (one,) = models(2, 60, 0.8)
    found = compare_predictions(actual, {"one": one, "again": one})
    for each in found.differences:
        assert (each.difference, each.p_value, each.verdict) == (0, 1, "not shown to be different")
    assert all(test.p_value == 1 for tests in found.marginals.values() for test in tests)


def test_the_order_of_models_turns_the_sign_alone() -> None:
    actual, (one, two) = models(3, 120, 0.8, 0.6)
    there = compare_predictions(actual, {"one": one, "two": two})
    back = compare_predictions(actual, {"two": two, "one": one})
    for a, b in zip(there.differences, back.differences, strict=True):
        assert (a.difference, a.low, a.high) == pytest.approx((-b.difference, -b.high, -b.low))
        assert a.p_value == pytest.approx(b.p_value)
    assert there.of("mcc", "two", "one").difference == there.of("mcc").difference


def test_labels_that_only_one_model_uses_take_part() -> None:
    found = compare_predictions(list("aabb"), {"one": list("aabb"), "two": list("aabc")})
    assert found.matrices["one"].labels == found.matrices["two"].labels
    assert found.of("accuracy").values == (1.0, 0.75)


def test_a_score_that_reads_an_order_is_refused_of_models_that_have_different_ones() -> None:
    actual, (old, new) = models(3, 90, 0.7, 0.6)
    levels, score = np.array(["lo", "mid", "hi"]), "weighted_kappa_quadratic"
    actual, old, new = levels[actual], levels[old], levels[new]
    ready = cm.count(actual, old, labels=levels)
    more = cm.count(actual, new, labels=[*levels, "max"])
    clusters = np.arange(90) // 3
    patients = cm.count(actual, old, labels=levels, clusters=clusters)
    both = compare({"old": ready, "new": cm.count(actual, new, labels=levels)}, metrics=[score])
    assert both.estimates["old", score].value == cm.score(ready, score)
    calls: list[Any] = [
        partial(compare, {"old": ready, "new": cm.count(actual, new)}),
        partial(compare, {"old": ready, "new": more}),
        # The score of a model without errors does not move, that of the other one does.
        partial(
            compare, {"old": cm.count(actual, actual, labels=levels), "new": cm.count(actual, new)}
        ),
        partial(compare, {"old": patients, "new": cm.count(actual, new, clusters=clusters)}),
        partial(compare_predictions, actual, {"old": pd.Categorical(old, levels), "new": new}),
    ]
    for call in calls:
        with pytest.raises(cm.LabelError, match=r"are 'lo', 'mid', 'hi'.* and 'hi', 'lo'"):
            call(metrics=[score])
        assert call(metrics=["f1.macro"]).scores == ("f1.macro",)


def test_three_models_are_adjusted_and_tested_together() -> None:
    actual, answers = models(4, 300, 0.9, 0.8, 0.6)
    found = compare_predictions(
        actual, dict(zip("abc", answers, strict=True)), metrics=["accuracy", "mcc"]
    )
    assert found.overall["accuracy"].name == "Cochran's Q"
    assert found.overall["mcc"].df == 2
    assert found.overall["mcc"].p_value < 1e-6
    for score in found.scores:
        three = [each for each in found.differences if each.score == score]
        plain = compare_predictions(
            actual, dict(zip("abc", answers, strict=True)), metrics=[score], adjust="holm"
        )
        p_values = [each.p_value for each in three]
        assert [each.adjusted for each in plain.differences] == holm(p_values)
        assert all(p <= each.adjusted <= 6 * p for p, each in zip(p_values, three, strict=True))
        assert "(Holm)" in str(plain)
    assert "score by score (max-t)" in str(found)


def test_power_is_planned_as_it_turns_out() -> None:
    rng = np.random.default_rng(5)
    actual, (one, two) = models(6, 400, 0.85, 0.8)
    found = compare_predictions(actual, {"one": one, "two": two}, metrics=["mcc"]).of("mcc")
    gaps = found.difference + found.se * math.sqrt(400 / found.needed) * rng.standard_normal(20_000)
    seen = np.abs(gaps) > 1.959964 * found.se * math.sqrt(400 / found.needed)
    assert seen.mean() == pytest.approx(0.8, abs=0.02)
    assert found.detectable == pytest.approx((1.959964 + 0.841621) * found.se, rel=1e-5)


# --- where a difference comes from ----------------------------------------------------------------


def test_classes_and_cells_that_changed() -> None:
    actual = np.repeat([0, 1, 2], 40)
    one = actual.copy()
    two = actual.copy()
    two[40:60] = 2
    found = compare_predictions(actual, {"one": one, "two": two})
    first, *_ = found.classes("recall")
    assert (first.score, first.verdict) == ("recall[1]", "different")
    cells = found.cells()
    assert {(cell.actual, cell.predicted): cell.change for cell in cells} == {
        (1, 1): -20,
        (1, 2): 20,
    }
    assert cells[0].p_value == mid_p(20, 0)
    assert [cell.is_hit for cell in cells if cell.change < 0] == [True]


# --- matrices alone -------------------------------------------------------------------------------


def test_the_bounds_are_reached() -> None:
    """The least and the greatest covariance over every way to pair the answers within the classes."""
    actual = [0, 0, 0, 1, 1, 1]
    one, two = [0, 0, 1, 1, 1, 0], [0, 1, 1, 1, 0, 0]
    matrices = cm.count(actual, one), cm.count(actual, two)
    slopes = slope(cm.f1, matrices[0], average="macro"), slope(cm.f1, matrices[1], average="macro")
    g = slopes[0].at(np.array(actual), np.array(one))
    found = []
    for left, right in itertools.product(
        itertools.permutations(two[:3]), itertools.permutations(two[3:])
    ):
        found.append(float((g * slopes[1].at(np.array(actual), np.array([*left, *right]))).sum()))
    assert covariances(*matrices, slopes) == pytest.approx((min(found), max(found)))


@pytest.mark.parametrize(
    ("right", "verdict"),
    [((915, 845), "different"), ((875, 850), "undecided"), ((850, 848), "not shown")],
)
def test_three_verdicts(right: tuple[int, int], verdict: str) -> None:
    def matrix(hits: int) -> cm.ConfusionMatrix:
        first = hits // 2
        return cm.ConfusionMatrix([[first, 500 - first], [500 - (hits - first), hits - first]])

    found = compare({"one": matrix(right[0]), "two": matrix(right[1])}, metrics=["accuracy"])
    assert found.design == "same items"
    assert found.of("accuracy").verdict.startswith(verdict)
    assert found.of("accuracy").is_range


def test_different_items_add_their_variances() -> None:
    one, two = cm.ConfusionMatrix([[45, 5], [8, 42]]), cm.ConfusionMatrix([[30, 10], [9, 41]])
    found = compare({"one": one, "two": two}, metrics=["mcc"])
    assert found.design == "different items"
    errors = [cm.interval(m, "mcc").se for m in (one, two)]
    assert found.of("mcc").se == pytest.approx(math.hypot(*errors))
    assert "different items" in str(found)


def test_counted_elsewhere_is_the_same() -> None:
    actual, (one, two) = models(8, 100, 0.8, 0.7)
    matrices = {"one": cm.count(actual, one), "two": cm.count(actual, two)}
    stack = cm.count(actual, one, by=two, labels=[0, 1, 2])
    assert isinstance(stack, cm.Stack)
    pairing = Pairing.of_stack(stack, matrices["one"].labels)
    found = compare_pairings(matrices, {("one", "two"): pairing})
    assert found.sentences() == compare_predictions(actual, {"one": one, "two": two}).sentences()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_items_prove_nothing_whatever_the_score(n: int) -> None:
    """One model right and one wrong on each of them: no derivative sees a doubt, and McNemar's p-value is large."""
    actual, wrong = [0, 1, 0][:n], [1, 0, 1][:n]
    for found in (
        compare_predictions(
            actual, {"right": actual, "wrong": wrong}, metrics=["f1.macro", "mcc", "accuracy"]
        ),
        compare(
            {
                "right": cm.count(actual, actual, labels=[0, 1]),
                "wrong": cm.count(actual, wrong, labels=[0, 1]),
            }
        ),
    ):
        for each in found.differences:
            if not math.isnan(each.difference):
                assert each.p_value >= 0.5**n - 1e-12
                assert each.verdict != "different"
                assert each.low <= 0
    apart = {
        "right": cm.count(actual, actual, labels=[0, 1]),
        "wrong": cm.ConfusionMatrix([[0, n + 1], [0, 0]]),
    }
    assert compare(apart, metrics=["accuracy"], same_items=False).of("accuracy").p_value > 1e-4


@pytest.mark.slow
def test_at_the_edges_it_compares_or_says_why_not() -> None:
    actual = [0, 1] * 10
    for answers in (actual, [0] * 20, [1] * 20):
        for weights in (None, np.full(20, 1e-300), np.full(20, 1e300), 10.0 ** np.arange(-10, 10)):
            three = {"one": answers, "two": [0] * 20, "<b>\x1b[2J": actual}
            found = compare_predictions(actual, three, weights=weights)
            assert str(found)
            assert "\x1b" not in str(found)
            for each in found.differences:
                assert math.isnan(each.low) or -2 <= each.low <= each.difference <= each.high <= 2
    for m in (
        cm.ConfusionMatrix([[7]]),
        cm.ConfusionMatrix([[2**61, 1], [1, 2**61]]),
        cm.ConfusionMatrix([[1, 0], [0, 0]]),
    ):
        assert str(compare({"one": m, "two": m}))
        assert str(compare({"one": m, "two": m}, same_items=False))


# --- what is refused ------------------------------------------------------------------------------

A, B = cm.ConfusionMatrix([[4, 1], [2, 3]]), cm.ConfusionMatrix([[3, 2], [1, 5]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare({"a": A}), "at least two models are compared"),
        (lambda: compare([A, B]), "mapping of names to matrices"),  # type: ignore[arg-type]
        (lambda: compare({"a": A, "b": B.counts}), "'b' is no ConfusionMatrix"),  # type: ignore[dict-item]
        (lambda: compare({"a": A, "b": B}, same_items=True), "do not occur equally often"),
        (lambda: compare({"a": A, "b": A}, test="mcnemar"), "which items each model had right"),
        (lambda: compare({"a": A, "b": A}, level=95), "between 0 and 1"),
        (lambda: compare({"a": A, "b": cm.ConfusionMatrix([[0, 0], [0, 0]])}), "empty matrix"),
        (lambda: compare_predictions([0, 1], {"a": [0, 1]}), "at least two models"),
        (lambda: compare_predictions([0, 1], {"a": [0, 1], "b": [0]}), "paired by position"),
        (lambda: compare({"a": A, "b": A}).of("mcc", "a", "c"), "name two of the models"),
        (lambda: compare({"a": A, "b": A}).classes("mcc"), "value per class"),
    ],
)
def test_what_is_wrong_is_said(call: Any, message: str) -> None:
    with pytest.raises(cm.ConfmatError, match=message):
        call()


def test_sentences_are_folded_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compare({"a": A, "b": A}, metrics=["mcc"])
    assert max(map(len, str(found).splitlines())) > 100
    monkeypatch.setattr("confmat.core.text.terminal_room", lambda: 60)
    assert max(map(len, str(found).splitlines())) <= 60


# --- effect sizes ---------------------------------------------------------------------------------


def test_effect_sizes_count_the_items_that_one_model_alone_had_right() -> None:
    actual = np.zeros(100, int)
    one, two = actual.copy(), actual.copy()
    two[:4], one[4:16] = 1, 1
    found = compare_predictions(actual, {"one": one, "two": two}, labels=[0, 1]).of("accuracy")
    assert found.discordant == (4, 12)
    assert found.odds_ratio.value == pytest.approx(12 / 4)
    assert found.cohens_g.value == pytest.approx(12 / 16 - 0.5)
    from scipy.stats import binomtest

    bounds = binomtest(12, 16).proportion_ci(0.95, "exact")
    assert (found.odds_ratio.low, found.odds_ratio.high) == pytest.approx(
        tuple(end / (1 - end) for end in bounds), rel=1e-9
    )
    assert (found.cohens_g.low, found.cohens_g.high) == pytest.approx(
        tuple(end - 0.5 for end in bounds), rel=1e-9
    )


def test_effect_sizes_at_the_edge() -> None:
    right, wrong = [0, 1, 0, 1], [0, 1, 1, 0]
    found = compare_predictions(right, {"one": wrong, "two": right}).of("accuracy")
    assert found.odds_ratio.high == math.inf
    same = compare_predictions(right, {"one": wrong, "two": wrong}).of("accuracy")
    assert math.isnan(same.odds_ratio.value)
    with pytest.raises(cm.InputError, match="items that one model alone had right"):
        _ = compare({"a": A, "b": A}).of("mcc").cohens_g


def test_many_items_that_all_speak_for_one_model() -> None:
    truth = np.repeat([0, 1], 200)
    worse = truth.copy()
    worse[:150] = 1 - worse[:150]
    for one in compare_predictions(
        truth, {"a": worse, "b": truth}, metrics=["mcc", "f1[1]"]
    ).differences:
        assert 0 < one.p_value < 1e-30
        assert one.verdict == "different"
        assert one.low > 0


# ---- labels outside the classes ------------------------------------------------------------------


def test_the_reason_why_matrices_are_not_of_the_same_items_is_named() -> None:
    labels = cm.Labels(["a", "b"], outside=["background"])
    one, two = (
        cm.ConfusionMatrix([[5, 1, 1], [1, 5, 1], [2, 2 + more, 0]], labels) for more in (0, 1)
    )
    with pytest.raises(
        cm.InputError, match="items whose truth is background do not occur equally often"
    ):
        compare({"a": one, "b": two}, same_items=True)
    half = cm.ConfusionMatrix([[2.5, 1.0], [0.5, 2.5]])
    with pytest.raises(
        cm.InputError, match="sums of weights do not show that the items are the same"
    ):
        compare({"a": half, "b": half}, same_items=True)


# ---- the rules of count --------------------------------------------------------------------------


def test_a_model_that_is_mostly_unread_is_not_compared() -> None:
    truth = list("ABBA") * 25
    rules = cm.Answers(["A", "B"], extract=["json", "answer is"])
    models = {
        "plain": truth,
        "signed": [f"{name}) text" for name in truth],
        "some": [*truth[:90], *["hm"] * 10],
    }
    with pytest.warns(cm.ConfmatWarning, match="100 of 100 answers unread"):
        found = compare_predictions(
            truth, models, metrics=["accuracy"], answers=rules, other="collect"
        )
    assert found.to_dict()["unread"] == {"plain": 0.0, "signed": 100.0, "some": 10.0}
    assert "10 of 100" in str(found)
    lost = found.of("accuracy", "plain", "signed")
    assert (lost.verdict, lost.no_worse(0.1)) == ("not comparable", "undecided")
    assert math.isnan(lost.p_value + lost.difference)
    assert (
        "100 of 100 answers of signed are unread (Answers(extract=...) says where"
        in lost.sentence()
    )
    assert found.of("accuracy", "plain", "some").verdict == "different"
    assert not found.overall
    assert compare(found.matrices).of("f1.macro", "plain", "signed").verdict == "not comparable"
    both = compare_predictions(
        truth, models, metrics=["accuracy"], answers=cm.Answers(["A", "B"]), other="collect"
    )
    assert both.of("accuracy", "plain", "signed").difference == 0


def test_predictions_are_read_by_the_rules_of_count() -> None:
    truth = list("ABCD") * 5
    old = ["The answer is A", "B", "the answer is C", "I don't know"] * 5
    new = ["A", "B", "The answer is C.", "D"] * 5
    rules = cm.Answers(list("ABCD"), extract=["answer is"])
    found = compare_predictions(
        truth, {"old": old, "new": new}, metrics=["accuracy"], answers=rules, other="collect"
    )
    kept = cm.Labels(list("ABCD"), outside=["(invalid)"])
    plain = {"old": [*"ABC", "(invalid)"], "new": list("ABCD")}
    expected = compare_predictions(
        truth,
        {name: answers * 5 for name, answers in plain.items()},
        metrics=["accuracy"],
        labels=kept,
    )
    assert str(found) == str(expected)
    gaps = [None if i == 3 else name for i, name in enumerate(truth)]
    both = compare_predictions(
        truth, {"old": gaps, "new": gaps}, missing="drop", metrics=["accuracy"]
    )
    assert both.matrices["old"].total == 19
    assert (
        compare_predictions(truth, {"old": gaps, "new": truth}, missing="collect")
        .matrices["new"]
        .total
        == 20
    )
    with pytest.raises(cm.InputError, match="19 of old and 20 of new were counted"):
        compare_predictions(truth, {"old": gaps, "new": truth}, missing="drop")
    with pytest.raises(cm.LabelError, match="Say missing='drop'"):
        compare_predictions(truth, {"old": gaps, "new": truth})


def test_names_that_are_the_same_text_are_two_models_and_refused() -> None:
    # The second of 1 and "1" took the place of the first, and a comparison had one model.
    truth = list("aabb")
    answers: Any = {1: list("aabb"), "1": list("abab")}
    matrices = {name: cm.count(truth, column) for name, column in answers.items()}
    stacks = {
        name: cm.count(truth, column, clusters=[1, 1, 2, 2]) for name, column in answers.items()
    }
    calls: list[Any] = [
        lambda: cm.compare_predictions(truth, answers),
        lambda: cm.compare_predictions(truth, answers, by=list("xyxy")),
        lambda: cm.compare(matrices),
        lambda: cm.compare(stacks),
        lambda: cm.judged(truth, answers, gold=truth),
    ]
    for call in calls:
        with pytest.raises(cm.InputError, match="told apart as texts, and '1' is there twice"):
            call()


def test_streams_are_read_once() -> None:
    truth, old, new = list("aabbab"), list("aabbbb"), list("abbaab")
    wanted = cm.compare_predictions(truth, {"old": old, "new": new}, weights=[1, 2, 3, 4, 5, 6])
    streams: Any = iter(truth), {"old": iter(old), "new": iter(new)}
    found = cm.compare_predictions(*streams, weights=iter([1, 2, 3, 4, 5, 6]))
    assert str(found) == str(wanted)
