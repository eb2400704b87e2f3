"""Rankings: rank intervals, tiers and levels from what is shown of the differences."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat.answers import Answers
from confmat.comparison.differences import DIFFERENT, Difference
from confmat.comparison.ranking import ranking_of
from confmat.core.errors import ConfmatWarning
from confmat.intervals.estimates import Estimate


def difference(
    first: str, second: str, gap: float, *, shown: bool, better: Any = "higher"
) -> Difference:
    """A difference of which only the sign and the verdict matter."""
    verdict = DIFFERENT if shown else "not shown to be different"
    numbers = (gap, gap, gap, 0.1, 0.5, 0.5, 0.5, 0.95)
    return Difference(
        "accuracy", first, second, (0.0, gap), *numbers, "", 100, 0, 0, verdict, better=better
    )


def ranked(
    values: dict[str, float], shown: list[str], better: Any = "higher", one: str | None = None
) -> Any:
    """The ranking where the pairs such as "ab" are shown to differ."""
    estimates = {name: Estimate(value, value - 0.1, value + 0.1) for name, value in values.items()}
    each = [
        difference(
            a,
            b,
            values[b] - values[a],
            shown=f"{a}{b}" in shown or f"{b}{a}" in shown,
            better=better,
        )
        for place, a in enumerate(values)
        for b in list(values)[place + 1 :]
    ]
    return ranking_of("accuracy", estimates, each, 0.95, one)


def test_ranks_tiers_and_levels_worked_out_by_hand() -> None:
    # a and b are better than c and d, and c is better than d as far as anybody can see, which is
    # not shown.
    found = ranked({"c": 0.7, "a": 0.9, "d": 0.6, "b": 0.85}, ["ac", "ad", "bc", "bd"])
    assert found.models == ("a", "b", "c", "d")
    assert list(zip(found.low, found.high, strict=True)) == [(1, 2), (1, 2), (3, 4), (3, 4)]
    assert (found.tier, found.top, found.levels) == ((1, 1, 2, 2), ("a", "b"), 2)
    assert found.of("c")[2:] == (3, 4, 2)
    assert found.ranks() == ["1 to 2", "1 to 2", "3 to 4", "3 to 4"]
    assert found.sentences() == [
        "The best by accuracy is a or b; these items tell at least 2 levels apart."
    ]
    assert [row[0] for row in found.table().texts()] == ["1", "", "2", ""]


def test_models_without_a_value_are_named() -> None:
    found = ranked({"a": 0.9, "b": float("nan"), "c": 0.1}, ["ac"])
    assert (found.models, found.unranked) == (("a", "c"), ("b",))
    assert "of answers that can be read: 'b'" in found.sentences()[-1]


PAIRS = [f"{a}{b}" for place, a in enumerate("abcd") for b in "abcd"[place + 1 :]]


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.sets(st.sampled_from(PAIRS)))
def test_what_is_said_follows_from_what_is_shown(values: list[int], shown: set[str]) -> None:
    scores = {name: value / 4 for name, value in zip("abcd", values, strict=True)}
    kept = [pair for pair in shown if scores[pair[0]] != scores[pair[1]]]
    found = ranked(scores, kept)
    better = {
        (a, b)
        for a, b in permutations("abcd", 2)
        if scores[a] > scores[b] and {a + b, b + a} & set(kept)
    }
    for model, low, high in zip(found.models, found.low, found.high, strict=True):
        assert low == 1 + sum((other, model) in better for other in "abcd")
        assert high == 4 - sum((model, other) in better for other in "abcd")
    assert set(found.top) == {
        model for model in "abcd" if not any((other, model) in better for other in "abcd")
    }
    tier = dict(zip(found.models, found.tier, strict=True))
    for a, b in permutations("abcd", 2):
        if tier[a] != tier[b]:
            assert ((a, b) in better) == (tier[a] < tier[b])


def test_more_than_two_models_are_printed_in_tiers_and_not_pair_by_pair() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 300)
    models = {
        f"m{place}": np.where(rng.random(300) < right, truth, 1 - truth)
        for place, right in enumerate((0.9, 0.7, 0.9, 0.5))
    }
    found = cm.compare_predictions(truth, models, metrics=["accuracy"])
    text = str(found)
    assert "m1 − m0" not in text
    assert "6 differences: sentences() has them," in text
    assert len(found.sentences()) == 6
    for form in ("markdown", "latex", "html"):
        assert "tier" in found.table().to(form)
        assert "m1 − m0" not in found.table().to(form)
    with pytest.raises(cm.InputError, match="compared by 'accuracy', not by mcc"):
        found.ranking("mcc")
    with pytest.raises(cm.InputError, match="not 'mm'"):
        found.ranking().of("mm")


REFERENCE = json.loads(
    (Path(__file__).parents[1] / "data" / "ranking_reference.json").read_text(encoding="utf-8")
)


def of_reference(case: dict[str, Any]) -> Any:
    """The comparison of a case: right or wrong by item, or answers."""
    names = [f"m{place}" for place in range(len(case["csranks"]["low"]))]
    if case["kind"].startswith("unpaired"):
        counts = zip(names, case["right"], case["items"], strict=True)
        matrices = {
            name: cm.ConfusionMatrix([[0, 0], [n - right, right]], labels=[0, 1])
            for name, right, n in counts
        }
        return cm.compare(matrices, metrics=["accuracy"], same_items=False)
    if "predicted" in case:
        models = {name: [*text] for name, text in zip(names, case["predicted"], strict=True)}
        return cm.compare_predictions([*case["actual"]], models, metrics=["f1.macro"])
    models = {name: [*text] for name, text in zip(names, case["right"], strict=True)}
    return cm.compare_predictions(
        ["1"] * case["n"], models, labels=["0", "1"], metrics=["accuracy"]
    )


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=range(len(REFERENCE["cases"])))
def test_the_ranks_of_csranks(case: dict[str, Any]) -> None:
    found = of_reference(case).ranking()
    for place, (low, high) in enumerate(
        zip(case["csranks"]["low"], case["csranks"]["high"], strict=True)
    ):
        rank = found.of(f"m{place}")
        assert rank.low == pytest.approx(low, abs=0 if case["clear"] else 2)
        assert rank.high == pytest.approx(high, abs=0 if case["clear"] else 2)


def test_one_model_has_a_sentence_on_its_rank_whether_it_is_beaten_or_not() -> None:
    truth = np.zeros(200, int)
    right = {"a": 190, "again": 190, "b": 120, "unread": 0}
    models: dict[str, Any] = {
        name: np.where(np.arange(200) < many, 0, 1) for name, many in right.items()
    }
    found = cm.compare_predictions(truth, models, metrics=["accuracy"], labels=[0, 1])
    assert found.ranking(one="b").sentences() == ["The rank of b by accuracy is 3."]
    # None is shown to beat it, and one more may be the best.
    assert found.ranking(one="a").sentences() == ["The rank of a by accuracy is 1 to 2."]
    with pytest.raises(
        cm.InputError, match="`one` names one of the models 'a', 'again', 'b', 'unread', not 'c'"
    ):
        found.ranking(one="c")
    words = {name: np.where(np.arange(200) < many, "x", "y") for name, many in right.items()} | {
        "unread": ["?"] * 200
    }
    with pytest.warns(ConfmatWarning, match="unread"):
        found = cm.compare_predictions(
            ["x"] * 200, words, metrics=["accuracy"], answers=Answers(["x", "y"]), other="collect"
        )
    lost = found.ranking(one="unread")
    assert (len(lost), lost.unranked) == (0, ("unread",))
    assert "Without a rank" in str(lost)


@pytest.mark.parametrize("models", [3, 21])
def test_likelihood_ratios_are_ranked_by_their_logarithms(models: int) -> None:
    rng = np.random.default_rng(2)
    sick = rng.random(900) < 0.3
    tests = {
        f"t{n}": np.where(
            rng.random(900) < np.where(sick, 0.8, 0.86 + 0.12 * n / models), sick, ~sick
        ).astype(int)
        for n in range(models)
    }
    scores = ["positive_likelihood_ratio[1]", "log_positive_likelihood_ratio[1]"]
    found = cm.compare_predictions(sick.astype(int), tests, metrics=scores)
    plain, logs = map(found.ranking, scores)
    assert (plain.models, plain.low, plain.high, plain.tier) == (
        logs.models,
        logs.low,
        logs.high,
        logs.tier,
    )
    for one, other in zip(*map(found.of_score, scores), strict=True):
        assert (one.p_value, one.adjusted, one.verdict) == (
            other.p_value,
            other.adjusted,
            other.verdict,
        )
        assert (one.verdict == "different") is not (one.low < 0 < one.high)
        assert one.test.endswith(", of logarithms")
        assert one.difference == one.values[1] - one.values[0]
    never = np.where(np.arange(900) % 2, sick, 0).astype(int)
    without = cm.compare_predictions(
        sick.astype(int), {"a": never, "b": tests["t0"]}, metrics=scores[:1]
    )
    assert without.of(scores[0]).verdict == "not comparable"
