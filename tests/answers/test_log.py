"""The log of what each step read: its numbers, its examples, its sums, and what it prints of hostile answers."""

from __future__ import annotations

import json
import pickle
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import AnswerLog, Answers, ConfmatWarning, InputError, count

RULES = Answers(["yes", "no"], aliases={"yep": "yes"}, refused="I cannot*", extract="last line")
ANSWERS = ["yes", "Yes", "no.", "yep", "I cannot", "well,\nno", "maybe", "perhaps", "maybe"]


def test_the_numbers_and_examples_of_a_log() -> None:
    log = RULES.explain(ANSWERS)
    assert log.steps == {
        "exact": 1,
        "case": 1,
        "punctuation": 1,
        "alias": 1,
        "extract (last line)": 1,
        "refused": 1,
        "invalid": 3,
    }
    assert (log.total, log.rescued) == (9, 5)
    assert log.unread() == [("maybe", 2), ("perhaps", 1)]
    assert log.unread(1) == [("maybe", 2)]
    assert log.examples("alias") == [("yep", "yes", 1)]
    assert log.examples("fuzzy") == []
    assert json.loads(json.dumps(log.to_dict(most=1)))["steps"][-1] == {
        "step": "invalid",
        "answers": 3,
        "examples": [{"answer": "maybe", "label": None, "answers": 2}],
    }
    with pytest.raises(InputError, match="no step 'guess'"):
        log.examples("guess")
    assert str(AnswerLog()) == "no answers yet"
    assert repr(log) == "<AnswerLog of 9 answers, 5 rescued>"


def test_answers_may_come_with_their_numbers() -> None:
    assert RULES.explain(Counter(ANSWERS)).to_dict() == RULES.explain(ANSWERS).to_dict()


@given(
    st.lists(st.sampled_from(ANSWERS), max_size=30), st.lists(st.sampled_from(ANSWERS), max_size=30)
)
def test_logs_add_up(a: list[str], b: list[str]) -> None:
    both = RULES.explain(a) + RULES.explain(b)
    assert both.steps == RULES.explain(a + b).steps
    assert sorted(both.unread()) == sorted(RULES.explain(a + b).unread())
    assert pickle.loads(pickle.dumps(both)).to_dict() == both.to_dict()


def test_a_log_is_bounded_and_its_numbers_stay_exact() -> None:
    log = AnswerLog(max_answers=10)
    answers = ["often"] * 100 + [f"once {i}" for i in range(1000)]
    with pytest.warns(ConfmatWarning, match="1,100 of 1,100 answers unread"):
        count(["yes"] * 1100, answers, answers=RULES.logged(log), other="collect")
    assert log.steps == {"invalid": 1100}
    assert log.unread(1) == [("often", 100)]
    assert len(log.unread()) <= 20


def test_hostile_answers_are_shown_as_safe_text() -> None:
    log = RULES.explain(
        ["a\x1b[2Jb", "\u202egnp.exe", "x" * 100_000, "", "<script>", "tab\tnul\x00"]
    )
    text = str(log)
    assert text.isprintable() or all(line.isprintable() for line in text.split("\n"))
    assert max(map(len, text.split("\n"))) <= 100
    assert max(len(answer) for answer, _ in log.unread()) == 201


def test_kinds_of_answers_stay_apart() -> None:
    log = Answers([0, 1]).explain([1, "1", True, 1.0])
    assert sorted(map(str, log.examples("exact"))) == ["('1', 1, 1)", "(1, 1, 2)"]
    assert log.unread() == [(True, 1)]


def test_logged_takes_a_log() -> None:
    with pytest.raises(InputError, match="AnswerLog, not dict"):
        RULES.logged({})  # type: ignore[arg-type]
    assert RULES.log is None


def test_sums_of_logs_remember_no_more_than_one() -> None:
    rules, total = Answers(["yes", "no"]), AnswerLog(max_answers=10)
    for part in range(30):
        log = AnswerLog(max_answers=10)
        log._enter((f"{part} {i}", rules.read_one(f"{part} {i}"), 1) for i in range(15))
        total = total + log
    assert total.total == 450
    assert len(total.unread()) <= 20
