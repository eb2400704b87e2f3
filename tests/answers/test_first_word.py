"""Answers as they come: "B) Rome" where the classes are letters, "Yes, because ..." where they are yes and no."""

from __future__ import annotations

from typing import Any

import pytest

from confmat import Answers, count
from confmat.answers.extraction import own_words
from confmat.answers.log import Reading


def test_the_first_word_is_looked_at_where_the_classes_are_letters_or_yes_and_no() -> None:
    assert Answers(["A", "B"]).read_one("B) Rome") == Reading("B", "extract (first word)")
    assert Answers(["No", "Yes", "Maybe"]).read_one("Maybe, since it rains.").label == "Maybe"
    assert Answers(["positive", "negative"]).read_one("Positive, since it shines.").label is None
    assert (
        Answers(["positive", "negative"], extract="first word")
        .read_one("Positive, since it shines.")
        .label
    )
    assert Answers(["A", "B"], extract=["json", "answer is"]).read_one("B) Rome").label is None
    assert Answers(["yes", "no"], punctuation=True).read_one("Yes, it does.").label is None
    assert "first word" in repr(Answers(["yes", "no"]))
    assert "first word" not in repr(Answers())


def test_rules_that_find_their_classes_read_first_words_too() -> None:
    m = count(["A", "B", "A"], ["A) Paris", "B. Rome", "A cat"], answers=Answers(), other="collect")
    assert dict(m.pairs().items()) == {("A", "A"): 1, ("B", "B"): 1, ("A", "(invalid)"): 1}


@pytest.mark.parametrize(
    ("text", "labels", "label"),
    [
        ("A) Paris\nB) Rome", "ABCD", None),
        ("B) Rome\n\nA) is in France.", "ABCD", "B"),
        ("The answers are:\nA. Rome\nC. Oslo", "ABCD", None),
        (
            "(a) The mass is 5 kg, and so the force is 50 N, as it was to be shown here.",
            "ABCD",
            None,
        ),
        ("I. None of these", "ABCDEFGHI", "I"),
        ("I. It is true.\nII. It is not.", "ABCDEFGHI", None),
        ("B) Rome or C) Oslo", "ABCD", None),
        ("B. Rome\n\nWait, C.", "ABCD", None),
        ("B) Paris", {"A": "Paris", "B": "Rome"}, None),
        ("B) Rome", {"A": "Paris", "B": "Rome"}, "B"),
        ("Is it far?” The answer is B.", "ABCD", "B"),
        ("It is $5$ The answer is B.", "ABCD", "B"),
        ('{"answer": "A", "is_final": false}', "ABCD", None),
        ('{"answer": "A", "is_final": false, "final_answer": "B"}', "ABCD", "B"),
    ],
)
def test_what_a_first_word_is_and_is_not(text: str, labels: Any, label: str | None) -> None:
    aliases = {name: [text] for name, text in labels.items()} if isinstance(labels, dict) else None
    assert Answers(list(labels), aliases=aliases).read_one(text).label == label


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("B<|im_end|>\nA", "B"),
        ("The answer is (B).\n\nQuestion: What?\nAnswer: C", "The answer is (B)."),
        ("I repeat.\n\nQuestion: What?\nAnswer: C", "I repeat.\n\nQuestion: What?\nAnswer: C"),
        (
            "The answer is (B).\n\nNow, combining all the answers we get:\nThe answer is (C).",
            "The answer is (B).",
        ),
        ("<think>A?</think>B", "B"),
    ],
)
def test_what_follows_an_answer_is_not_a_part_of_it(text: str, own: str) -> None:
    assert own_words(text) == own
