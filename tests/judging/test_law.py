"""A judged matrix treats labels as a count does: with gold for every item it is that count, whatever the judge says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import confmat as cm

# Strange labels and unread answers are what these tests are about.
pytestmark = pytest.mark.filterwarnings("ignore::confmat.ConfmatWarning")
TRUE, SAID = ["a", "b"], ["a", "b", "c", "junk", "(none)"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"labels": ["a", "b", "c", "junk", "(none)", "never"]},
    {"labels": cm.Labels(["b", "a", "c"], outside=["junk", "(none)"])},
    {"labels": ["a", "b"], "other": "drop"},
    {"answers": cm.Answers(["a", "b"]), "other": "collect"},
    {"answers": cm.Answers(["a", "b"], refused=["junk"]), "other": "drop"},
]
SCORES = ("accuracy", "f1.macro", "f1", "recall", "precision.weighted", "mcc", "prevalence")


def check_same(judged: Any, counted: cm.ConfusionMatrix) -> None:
    assert judged.labels == counted.labels
    assert np.array_equal(judged.counts, counted.counts)
    assert judged.dropped == counted.dropped
    for score in SCORES:
        for policy in ("wrong", "exclude"):
            one, two = (cm.interval(m, score, outside=policy) for m in (judged, counted))
            for part in ("value", "low", "high"):
                np.testing.assert_allclose(
                    getattr(one, part), getattr(two, part), rtol=1e-9, atol=1e-12
                )


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_gold_for_every_item_is_a_count(options: dict[str, Any], data: st.DataObject) -> None:
    items = st.lists(
        st.tuples(st.sampled_from(TRUE), *[st.sampled_from(SAID)] * 2), min_size=3, max_size=30
    )
    gold, model, judge = (list(column) for column in zip(*data.draw(items), strict=True))
    gold, model, judge = [*gold, "a", "b"], [*model, "b", "a"], [*judge, "a", "b"]
    try:
        counted = cm.count(gold, model, **options)
    except cm.ConfmatError:
        with pytest.raises(cm.ConfmatError):
            cm.judged(judge, model, gold=gold, **options)
        return
    check_same(cm.judged(judge, model, gold=gold, **options), counted)
    check_same(cm.judged(None, model, gold=gold, **options), counted)


def test_a_label_that_gold_and_judge_never_give_is_no_class() -> None:
    rng = np.random.default_rng(0)
    truth = np.array(["a", "b"] * 500)
    model = np.where(rng.random(1_000) < 0.1, "junk", truth)
    gold: list[Any] = [None] * 1_000
    for place in rng.choice(1_000, 100, replace=False):
        gold[place] = truth[place]
    right = cm.score(cm.count(truth, model), "f1.macro")
    for options in (
        {},
        {"labels": ["a", "b"], "other": "collect"},
        {"answers": cm.Answers(["a", "b"]), "other": "collect"},
    ):
        found = cm.judged(truth, model, gold=gold, **options)
        estimate = cm.interval(found, "f1.macro")
        assert isinstance(estimate, cm.Estimate)
        assert right == pytest.approx(0.953, abs=1e-3)
        assert estimate.value == pytest.approx(right, abs=1e-3)
        assert estimate.low < right < estimate.high
        assert not found.counts[2:].any()


@pytest.mark.parametrize("word", ["NA", "None", " "])
def test_unchecked_items_are_no_class_however_they_are_written(word: str) -> None:
    judge, gold = ["a", "b"] * 30, ["a", "b"] * 10 + [word] * 40
    with pytest.raises(cm.InputError, match=r"no class of the judge or the model.*na_values"):
        cm.judged(judge, judge, gold=gold)
    # A judge that gives the label means a class.
    found = cm.judged(["a", "b", word] * 20, judge, gold=["a", "b", word] * 10 + [None] * 30)
    assert word in found.labels


def test_missing_answers_are_treated_as_they_are_counted() -> None:
    judge, gold = ["a", "b"] * 50, (["a", "b"] * 20) + [None] * 60
    model = [None, *judge[1:]]
    with pytest.raises(cm.LabelError, match="missing"):
        cm.judged(judge, model, gold=gold)
    assert cm.judged(judge, model, gold=gold, missing="drop").dropped == 1
    assert cm.judged(judge, model, gold=gold, missing="collect").labels.outside == ("(missing)",)


def test_a_pass_rate_is_the_accuracy_of_a_model_that_always_passes() -> None:
    rng = np.random.default_rng(3)
    truth = np.where(rng.random(1_000) < 0.8, "pass", "fail")
    judge = np.where(rng.random(1_000) < 0.15, "pass", truth)
    gold = [*truth[:100], *[None] * 900]
    found = cm.judged(judge, gold=gold)
    same = cm.interval(cm.judged(judge, ["pass"] * 1_000, gold=gold), "accuracy")
    rate = found.pass_rate
    assert isinstance(same, cm.Estimate)
    assert (rate.value, rate.low, rate.high) == pytest.approx((same.value, same.low, same.high))
    assert rate.low < np.mean(truth == "pass") < rate.high
    assert str(found).startswith("pass rate 0.")
    assert "by the judge and 100 checked of 1,000 items" in str(found)


@pytest.mark.parametrize(
    "names", [(True, False), (1, 0), ("yes", "no"), ("1", "0"), ("Correct", "Incorrect")]
)
def test_the_verdict_that_is_good_is_known_by_its_name(names: tuple[Any, Any]) -> None:
    good, bad = names
    judge, gold = [good, good, good, bad] * 25, [good, good, bad, bad] * 10 + [None] * 60
    found = cm.judged(judge, gold=gold)
    assert found.passes == good
    assert found.pass_rate.value == pytest.approx(0.5, abs=0.06)
    assert cm.judged(judge, gold=gold, positive=bad).pass_rate.value == pytest.approx(
        1 - found.pass_rate.value
    )


@pytest.mark.parametrize("names", [("a", "b"), ("pass", "unsure"), ("pass", "correct")])
def test_verdicts_that_do_not_say_what_is_good_are_refused(names: tuple[str, str]) -> None:
    with pytest.raises(cm.InputError, match="positive="):
        cm.judged([*names] * 20, gold=[*names] * 20)


@pytest.mark.parametrize("other", ["collect", "drop"])
def test_the_words_of_a_judge_are_read_as_those_of_a_model(other: Any) -> None:
    rules = cm.Answers(["a", "b"], refused=["I cannot*"])
    words = ["a", "The answer is b", "B.", "I cannot say", "hm", "answer: a"] * 20
    model, gold = (
        ["a", "b", "b)", "a", "junk", "b"] * 20,
        (["a", "b", "b", "a", "b", "a"] * 10) + [None] * 60,
    )
    labels = [label if label in {"a", "b"} else "strange" for label in rules.labels_of(words)]
    free = cm.judged(words, model, gold=gold, answers=rules, other=other)
    known = cm.judged(labels, rules.labels_of(model), gold=gold, labels=["a", "b"], other=other)
    np.testing.assert_allclose(free.counts[:2, :2], known.counts[:2, :2])
    assert free.dropped == known.dropped
    with pytest.raises(cm.LabelError, match="'hm'"):
        cm.judged(words, ["a", "b"] * 60, gold=gold, answers=rules)


def test_a_file_that_is_counted_twice_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    path.write_text("judge,model,gold\n" + "a,a,a\nb,b,b\na,b,a\n" * 20)
    found = cm.judged("judge", "model", gold="gold", data=[path, path])
    assert [str(note) for note in found.notes] == ["'judged.csv' counted more than once"]
    assert found.notes[0].count == 1


def test_values_that_mean_missing_are_said_of_files(tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    path.write_text("judge,gold\n" + "pass,pass\nfail,fail\npass,NA\n" * 20)
    found = cm.judged("judge", gold="gold", data=path, na_values=["NA"])
    assert found.answers.number == 40
    with pytest.raises(cm.InputError, match="of files"):
        cm.judged(["a"], ["a"], gold=["a"], na_values=["NA"])


def test_free_verdicts_are_read() -> None:
    judge, gold = (
        ["Answer: pass", "Answer: fail", "hm"] * 30,
        ["pass", "fail", "pass"] * 10 + [None] * 60,
    )
    found = cm.judged(judge, gold=gold, answers=cm.Answers(["pass", "fail"]), other="collect")
    assert found.pass_rate.value == pytest.approx(2 / 3, abs=0.05)
    with pytest.raises(cm.InputError, match="a pass rate is of"):
        _ = cm.judged(gold[:30], gold[:30], gold=gold[:30]).pass_rate
