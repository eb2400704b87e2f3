"""Answers as they come: "B) Rome" where the classes are letters, "Yes, because ..." where they are yes and no."""

from __future__ import annotations

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
