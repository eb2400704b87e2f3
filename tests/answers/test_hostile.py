"""Hostile and ordinary answers of language models: none is misread, and the plain ones are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from confmat import Answers, LabelError, count
from confmat.answers.log import Reading

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


@pytest.mark.parametrize("name", ["", "_more", "_strict", "_fresh", "_hostile", "_plain"])
def test_no_answer_is_misread_and_plain_ones_are_read(name: str) -> None:
    for case in cases(f"answers{name}.jsonl"):
        label = Answers(case["labels"], **case["options"]).read_one(case["text"]).label
        found = label if label in case["labels"] else None
        left = case.get("left") or case["text"] in LEFT_UNREAD
        wanted = case.get("found") if left else case["expected"]
        assert found == wanted, case["text"]


@pytest.mark.parametrize(
    ("text", "labels", "label"),
    [
        # Each line that begins with a capital letter is a sentence of its own.
        ("Your answer: B\nCorrect answer: D", "ABCD", "D"),
        ("Final answer: D\nRevised final answer: B", "ABCD", None),
        # A label that denies another one.
        ("This email is not spam.", ["spam", "not spam"], "not spam"),
        ("Label: not not spam", ["spam", "not spam"], None),
        ("The answer is not A but rather C.", "ABCD", "C"),
        ("The answer is not only A but also B.", "ABCD", None),
        ("There is no doubt that the answer is A.", "ABCD", "A"),
        ("Antwort: A. Korrektur: B", "ABCD", None),
        ("정답은 B입니다.", "ABCD", "B"),
        ("정답은 B입니까?", "ABCD", None),
        ("C#", "ABCD", None),
        ('{"correct_answer": "A", "model_answer": "B"}', "ABCD", None),
        ('{"selected_option": "B", "reasoning": "A is red"}', "ABCD", "B"),
        # A letter that a sign touches on one side, and an initial, are no letter of a choice.
        (">B", "ABCD", None),
        ("-A", "ABCD", None),
        ("A'", "ABCD", None),
        ("'A'", "ABCD", "A"),
        ("$A$", "ABCD", "A"),
        ("- A", "ABCD", "A"),
        ("The answer is C. elegans.", "ABCD", None),
        ("5%", [3, 5], None),
        ("The total is 5%.", ["3%", "5%"], "5%"),
        # The only field of JSON: a letter may be a grade or a group.
        ('{"grade": "A"}', "ABCD", None),
        ('{"antwort": "A"}', "ABCD", "A"),
        ("Definitely spam.", ["spam", "ham"], "spam"),
        ("It must be B.", "ABCD", "B"),
        ("I'm going with D.", "ABCD", "D"),
    ],
)
def test_kinds_of_answers(text: str, labels: Any, label: str | None) -> None:
    assert Answers(list(labels)).read_one(text).label == label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Here is a list:\nA", None),
        ("First consider\nB", None),
        ("Your answer was:\nB", None),
        ("The answer is\nB", "B"),
        ("Here is my final choice:\n\nB", "B"),
        ("Oslo is in Norway.\nB", "B"),
    ],
)
def test_a_last_line_is_an_answer_where_the_line_before_leads_to_one(
    text: str, label: str | None
) -> None:
    assert Answers(list("ABCD"), extract="last line").read_one(text).label == label


def test_a_later_answer_wins_where_it_is_asked_to() -> None:
    text = "The answer is A. Wait, actually B."
    assert Answers(list("AB")).read_one(text) == Reading(None, "ambiguous")
    assert Answers(list("AB"), last=True).read_one(text) == Reading("B", "extract (answer is)")
    assert (
        Answers(list("AB"), last=True, extract="first line").read_one("A\nSorry.\nB").label == "B"
    )


def test_the_default_rules_look_into_longer_answers() -> None:
    rules = Answers(["positive", "negative"])
    assert rules.labels_of(["Answer: positive", '{"label": "negative"}']) == [
        "positive",
        "negative",
    ]
    assert Answers(["positive", "negative"], extract=()).read_one("Answer: positive").label is None
    assert "extract json, answer is" in repr(rules)


def test_patterns_see_the_reasoning_that_known_ways_do_not() -> None:
    import re

    text = "<think>The answer is A.</think>The answer is B."
    assert Answers(list("AB")).read_one(text).label == "B"
    assert (
        Answers(list("AB"), extract=re.compile("<think>The answer is (.)")).read_one(text).label
        == "A"
    )
    assert (
        Answers(list("AB"), refused="I cannot*").read_one("<think>A?</think>\nI cannot say").label
        == "(refused)"
    )


def test_the_error_of_unread_answers_names_extract() -> None:
    with pytest.raises(LabelError, match=r"longer answers by extract=\.\.\. of Answers") as caught:
        count(["a", "b"], ["a", "b or so"], answers=Answers(list("ab")))
    assert "extract" in {part.name for part in caught.value.remedy}


@pytest.mark.parametrize(
    "text", ["The answer " * 20_000, "{" * 20_000, "\n" * 20_000 + "x", "answer\n" * 5_000]
)
@pytest.mark.slow
def test_long_answers_of_nothing_are_soon_done_with(text: str) -> None:
    assert (
        Answers(list("AB"), extract=["json", "answer is", "last line"]).read_one(text).label is None
    )
