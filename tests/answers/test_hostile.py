"""Hostile and ordinary answers of language models: none is misread, and the plain ones are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from confmat import Answers, LabelError, count
from confmat.answers.log import Reading

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "answers.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def test_no_answer_is_misread_and_plain_ones_are_read() -> None:
    for case in CASES:
        label = Answers(case["labels"], **case["options"]).read_one(case["text"]).label
        found = label if label in case["labels"] else None
        wanted = case.get("found") if case.get("left") else case["expected"]
        assert found == wanted, case["text"]


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
