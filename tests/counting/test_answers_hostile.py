"""Hostile and ordinary answers of language models: none is misread, and the plain ones are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from confmat import AnswerLog, Answers, ConfmatWarning, LabelError, count
from confmat.counting.answers.log import Reading

DATA = Path(__file__).parent.parent / "data"
# Answers that a reader understands and the rules leave unread, which is safe.
LEFT_UNREAD = {
    "Answer: B ✅",
    "✅ C",
    "The answer is, of course, C.",
    "I initially thought A, but the answer is B.",
    "There are not 12, there are 42.",
}


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("name", ["answers.jsonl", "answers_more.jsonl", "answers_strict.jsonl"])
def test_no_answer_is_misread_and_plain_ones_are_read(name: str) -> None:
    for case in cases(name):
        label = Answers(case["labels"], **case["options"]).read_one(case["text"]).label
        found = label if label in case["labels"] else None
        wanted = None if case["text"] in LEFT_UNREAD else case["expected"]
        assert found == wanted, case["text"]


def test_a_later_answer_wins_where_it_is_asked_to() -> None:
    text = "The answer is A. Wait, actually B."
    assert Answers(list("AB")).read_one(text) == Reading(None, "ambiguous")
    assert Answers(list("AB"), last=True).read_one(text) == Reading("B", "extract (answer is)")
    assert Answers(list("AB"), last=True, extract="first line").read_one("A\nSorry.\nB").label == "B"


def test_the_default_rules_look_into_longer_answers() -> None:
    rules = Answers(["positive", "negative"])
    assert rules.labels_of(["Answer: positive", '{"label": "negative"}']) == ["positive", "negative"]
    assert Answers(["positive", "negative"], extract=()).read_one("Answer: positive").label is None
    assert "extract json, answer is" in repr(rules)


def test_patterns_see_the_reasoning_that_known_ways_do_not() -> None:
    import re

    text = "<think>The answer is A.</think>The answer is B."
    assert Answers(list("AB")).read_one(text).label == "B"
    assert Answers(list("AB"), extract=re.compile("<think>The answer is (.)")).read_one(text).label == "A"
    assert Answers(list("AB"), refused="I cannot*").read_one("<think>A?</think>\nI cannot say").label == "(refused)"


def test_the_error_of_unread_answers_names_extract() -> None:
    with pytest.raises(LabelError, match=r"longer answers by extract=\.\.\. of Answers") as caught:
        count(["a", "b"], ["a", "well, b"], answers=Answers(list("ab")))
    assert "extract" in {part.name for part in caught.value.remedy}


def test_a_phrase_that_only_begins_answers_is_reported() -> None:
    rules = Answers(list("ab"), refused=["I'm sorry", "no comment"])
    answers = ["a", "I'm sorry, I can't say", "I’m sorry.", "I’m sorry to hear it", "no comment at all"]
    assert rules.labels_of([answers[0], answers[2]]) == ["a", "(refused)"]
    with pytest.warns(ConfmatWarning, match=r"`refused` has 'no comment', .* 1 unread answer begins so; write 'no com"):
        assert rules.labels_of(answers)[1] == "(invalid)"
    with pytest.warns(ConfmatWarning, match=r"2 unread answers begin so"):
        count(["a", "b"], answers[1:4:2], answers=rules.logged(AnswerLog()), other="collect")
    with pytest.warns(ConfmatWarning, match=r"no comment\*"):
        rules.explain(answers[4:])


@pytest.mark.parametrize("text", ["The answer " * 20_000, "{" * 20_000, "\n" * 20_000 + "x", "answer\n" * 5_000])
@pytest.mark.slow
def test_long_answers_of_nothing_are_soon_done_with(text: str) -> None:
    assert Answers(list("AB"), extract=["json", "answer is", "last line"]).read_one(text).label is None
