"""Rules for answers: which step reads what, what is never guessed, and what is refused when the rules are made."""

from __future__ import annotations

import pickle
import re
import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from confmat import Answers, InputError, LabelError, Labels, count
from confmat.answers.log import STEPS, UNREAD, Reading

SENTIMENT = ["positive", "negative", "neutral"]


def read(rules: Answers, answer: Any) -> tuple[Any, str]:
    return tuple(rules.read_one(answer))


# ---- the steps -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "label", "step"),
    [
        ("positive", "positive", "exact"),
        ("Positive", "positive", "case"),
        ("ｐｏｓｉｔｉｖｅ", "positive", "case"),
        ("posi\u200btive", "positive", "case"),
        ("Positive.", "positive", "punctuation"),
        ("**Positive**", "positive", "punctuation"),
        ('"positive"', "positive", "punctuation"),
        ("good", "positive", "alias"),
        ("The answer is: negative. I am sure", "negative", "extract (answer is)"),
        ("**Label:** Bad", "negative", "extract (answer is)"),
        ("Answer:\nneutral", "neutral", "extract (answer is)"),
        ('```json\n{"verdict": "Negative"}\n```', "negative", "extract (json)"),
        ('{"reasoning": "no, positive", "final_answer": "neutral"}', "neutral", "extract (json)"),
        ('{"score": 0.4, "Predicted label": "neutral"}', "neutral", "extract (json)"),
        ('{"true_label": "positive", "why": "neutral"}', None, "invalid"),
        ("final_answer: neutral", "neutral", "extract (answer is)"),
        ('Here it is: {"label": "neutral"} as wished', "neutral", "extract (json)"),
        ("Well, as an AI model I would rather not", "(refused)", "refused"),
        ("no idea!", "(abstained)", "abstained"),
        ("dunno", "(abstained)", "alias"),
        ("HTTP 503", "(error)", "error"),
        ("postive", "positive", "fuzzy"),
        ('{"label": "nuetral"}', "neutral", "fuzzy"),
        ("something else", None, "invalid"),
        ("", None, "invalid"),
        (None, None, "invalid"),
        (3, None, "invalid"),
        ('{"label": "positive", "answer": "negative"}', None, "ambiguous"),
        ("(refused)", "(refused)", "exact"),
        ("refused", None, "invalid"),
    ],
)
def test_each_step_reads_what_it_says(answer: Any, label: Any, step: str) -> None:
    rules = Answers(
        SENTIMENT,
        aliases={"good": "positive", "bad": "negative", "dunno": "(abstained)"},
        refused=["I cannot*", re.compile("as an AI")],
        abstained="no idea",
        error="HTTP 5*",
        extract=["json", "answer is"],
        fuzzy=0.8,
    )
    assert read(rules, answer) == (label, step)


def test_what_is_said_of_numbers_is_no_sign_of_a_choice() -> None:
    rules = Answers(list(range(6)), extract="answer is")
    said = {
        "3 - 5": None,
        "3 – good": 3,
        "3) good": 3,
        "1) 3": None,
        "4 - 4.5": None,
        "3-5": None,
        "(3) (4)": None,
    }
    assert {text: rules.read_one(f"Answer: {text}").label for text in said} == said
    # A label that is the text of a choice counts by its text.
    texts = Answers(["positive", "negative"], extract="answer is")
    said_of = {"a) positive": "positive", "(a) positive (b) negative": None, "(not) positive": None}
    assert {text: texts.read_one(f"Answer: {text}").label for text in said_of} == said_of


def test_what_comes_first_is_not_what_comes_next() -> None:
    """A phrase that is stated wins over a name that is near; a piece that is a name wins over a phrase."""
    rules = Answers(
        ["known", "new"], abstained="unknown", refused="I*", fuzzy=0.6, extract="last line"
    )
    assert read(rules, "unknown") == ("(abstained)", "abstained")
    assert read(rules, "I think\nnew") == ("new", "extract (last line)")
    assert read(rules, "I think\nnews") == ("(refused)", "refused")
    assert read(Answers(["known", "new"], fuzzy=0.6), "unknown") == ("known", "fuzzy")


@pytest.mark.parametrize(
    ("options", "answer", "label"),
    [
        ({}, "YES.", "yes"),
        ({"case": True}, "YES.", None),
        ({"case": True}, " yes. ", "yes"),
        ({"punctuation": True}, "YES.", None),
        ({"case": True, "punctuation": True}, "Yes", None),
    ],
)
def test_steps_are_left_out_where_the_difference_matters(
    options: dict[str, Any], answer: str, label: Any
) -> None:
    assert Answers(["yes", "no"], **options).read_one(answer).label == label


@pytest.mark.parametrize(
    ("labels", "read_as"),
    [
        (
            ["not_spam", "spam"],
            {"Not spam": "not_spam", "not-spam!": "not_spam", "NOT__SPAM": "not_spam"},
        ),
        # Signs and points belong to numbers.
        (
            ["-1", "1", "1.5", "15"],
            {"-1.": "-1", "1.": "1", " 1.5!": "1.5", "(15)": "15", "+1": None, "1,5": None},
        ),
        # Scripts with marks and joiners, and emoji, which are no punctuation.
        (["हिन्दी", "हन्द"], {"«हिन्दी»": "हिन्दी", "हन्द।": "हन्द"}),
        (["👍", "👎"], {"👍!": "👍", " 👎 ": "👎", "🙂": None}),
        (["straße", "Weg"], {"STRASSE": "straße", "weg": "Weg"}),
        # Nothing but punctuation is itself alone.
        (["+", "-"], {"+": "+", " - ": "-", "+!": None, "?": None}),
        # Labels that a looser step cannot tell apart is told apart by a stricter one, or not at
        # all.
        (["A", "a"], {"A": "A", "a": "a", "a.": None}),
        (["C", "C++", "C#"], {"C++": "C++", "c++": "C++", "c": "C", "c#.": "C#", "**C**": "C"}),
    ],
)
def test_spelling(labels: list[str], read_as: dict[str, Any]) -> None:
    rules = Answers(labels)
    assert {answer: rules.read_one(answer).label for answer in read_as} == read_as


def test_folded_texts_are_composed_alike() -> None:
    # The first folds to three characters, the second to one and an accent.
    assert Answers(["\u0390", "x"]).labels_of(["\u03aa\u0301", "\u1fd3"]) == ["\u0390"] * 2


def test_what_could_be_two_classes_is_told_from_what_is_none() -> None:
    assert read(Answers(["A", "a"]), "a!") == (None, "ambiguous")
    assert read(Answers(["abcdefghij", "abcdefghik"], fuzzy=0.8), "abcdefghix") == (
        None,
        "ambiguous",
    )
    # An alias settles what spelling leaves open, if it is written so.
    assert read(Answers(["A", "a"], aliases={"a!": "a"}), "a!") == ("a", "alias")


def test_labels_of_any_kind_are_read_from_text() -> None:
    assert Answers([0, 1]).labels_of(["1", 0, "1.", " 0", "2", 1.0]) == [1, 0, 1, 0, "(invalid)", 1]
    assert Answers([True, False]).labels_of(["True", "false", True]) == [True, False, True]
    assert Answers([b"a", b"b"]).labels_of([b"a", "b'b'"])[0] == b"a"
    assert Answers(["a"]).labels_of(np.array([b"a", b"A."])) == ["a", "a"]
    # 1 and True are never one label by accident.
    assert Answers([0, 1]).read_one(True) == Reading(None, "invalid")


def test_abstentions_of_classifiers_are_numbers() -> None:
    rules = Answers([0, 1, 2], abstained=-1)
    assert rules.labels_of(np.array([0, -1, 2])) == [0, "(abstained)", 2]
    m = count([0, 1, 2], np.array([0, -1, 2]), answers=rules)
    assert m.counts.tolist() == [[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]]


def test_pieces_by_pattern_and_by_function() -> None:
    boxed = Answers(["A", "B"], extract=re.compile(r"\\boxed\{(\w)\}"))
    assert read(boxed, r"so \boxed{B}") == ("B", "extract (pattern)")
    assert read(boxed, r"\boxed{A} or \boxed{B}") == (None, "ambiguous")
    assert read(boxed, r"\boxed{C} or \boxed{B}") == ("B", "extract (pattern)")

    def before_dash(text: str) -> list[str | None]:
        return [None, "", text.split("-", maxsplit=1)[0]]

    assert read(Answers(["A", "B"], extract=before_dash), "B - because") == (
        "B",
        "extract (before_dash)",
    )
    assert read(Answers(["A", "B"], extract=["first line", "last line"]), "hm\n\nA\n \n") == (
        "A",
        "extract (last line)",
    )
    assert read(Answers([1, 2], extract="json"), '{"label": 2}') == (2, "extract (json)")
    assert read(Answers([1, 2], extract="json"), '[{"choice": "2"}]') == (2, "extract (json)")
    assert read(Answers(["A", "B"], extract="answer is"), "the label is A, the answer is B") == (
        None,
        "ambiguous",
    )


@pytest.mark.parametrize("found", [{"label": "A"}, [["A"]], ["B", {}], {"A"}])
def test_what_a_function_finds_may_be_a_label(found: Any) -> None:
    def find(text: str) -> Any:
        return text and found

    with pytest.raises(
        InputError, match=r"'find' of `extract` gave .* which is no label; it gives the text"
    ):
        Answers(["A", "B"], extract=find).read_one("so A it is")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{" * 100_000,
        '{"label": ' * 3_000,
        '{"label": ' + "9" * 5000 + "}",
        "```json",
    ],
)
def test_json_that_is_none_is_no_answer(text: str) -> None:
    assert Answers(["a"], extract=["json", "answer is"]).read_one(text).label is None


# ---- hostile answers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        "\x1b[31ma\x1b[0m",
        "a" * 1_000_000,
        "a" + " " * 20_000,
        "e" + "\u0301" * 9_000,
        "\ud800",
    ],
)
def test_hostile_answers_are_read_by_the_same_rules(answer: str) -> None:
    rules = Answers(
        ["a", "b"], refused=["no*", re.compile("never")], extract=["json", "answer is"], fuzzy=0.9
    )
    found = rules.read_one(answer).label
    bare = "".join(
        char for char in answer if unicodedata.category(char) not in {"Cc", "Cf"}
    ).strip()
    assert found == ("a" if bare == "a" else None)
    assert str(rules.explain([answer]))


def test_a_text_of_many_classes_is_read_in_no_time_worth_mention() -> None:
    """A table of forms, not a comparison with each class."""
    rules = Answers([f"class {i}" for i in range(50_000)])
    assert (
        rules.read_one("CLASS 49_999.").label == "class 49999"
        or rules.read_one("Class 49999.").label == "class 49999"
    )


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"aliases": {"good": "fine"}}, LabelError, "'fine', which is neither a class"),
        ({"aliases": {"NO": "yes"}}, LabelError, "step 'case' reads it as 'no'"),
        ({"aliases": "aliases.csv"}, InputError, "reads them from a file"),
        ({"aliases": {"yes": ["y", "oui"], "no": ["y"]}}, LabelError, "'y' for 'yes' and for 'no'"),
        ({"aliases": {None: "yes"}}, InputError, "missing name"),
        ({"refused": ["no."]}, LabelError, "step 'punctuation' reads it as 'no'"),
        ({"refused": ["*"]}, InputError, "a text before the star"),
        (
            {"refused": ["no", "*cannot*"]},
            InputError,
            "give a pattern, such as re.compile('cannot', re.IGNORECASE)",
        ),
        (
            {"aliases": {"junk*": "yes"}},
            InputError,
            "`aliases` has 'junk*': an alias is a whole name",
        ),
        ({"fuzzy": 0}, InputError, "above 0"),
        ({"extract": "yaml"}, InputError, "'json'"),
        ({"extract": 7}, InputError, "'json'"),
    ],
)
def test_rules_that_cannot_be_meant_are_refused(
    options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=re.escape(said)):
        Answers(["yes", "no"], **options)


def test_beginnings_may_stand_in_brackets_and_need_something_that_can_be_seen() -> None:
    rules = Answers(["yes", "no"], refused=["[Refused]*", "(no answer*", "*** stop*"])
    answers = [
        "[refused] sorry",
        "(No answer)",
        "*** Stop it",
        "refused] sorry",
        "**[refused] sorry**",
    ]
    assert rules.labels_of(answers) == ["(refused)"] * 3 + ["(invalid)", "(refused)"]
    for unseen in ("\u200b*", " \ufeff *", "**"):
        with pytest.raises(InputError, match="a beginning needs a text before the star"):
            Answers(["yes", "no"], refused=unseen)


def test_an_empty_answer_is_one_of_nothing_but_space() -> None:
    rules = Answers(["a", "b"], abstained="")
    assert rules.labels_of(["", "   ", "\n\t", "!!"]) == ["(abstained)"] * 3 + ["(invalid)"]


def test_a_star_may_be_part_of_a_name() -> None:
    rules = Answers(["top", "B"], aliases={"A*": "top", "*": "B"})
    assert rules.labels_of(["A*", "a*", "*", "B*"]) == ["top", "top", "B", "B"]


def test_rules_without_classes_say_so() -> None:
    with pytest.raises(InputError, match="no classes yet"):
        Answers(aliases={"y": "yes"}).labels_of(["y"])
    with pytest.raises(LabelError, match="for 'yes', 'no'"):
        Answers(["yes", "no"]).bound(["yes", "no", "maybe"])
    assert Answers(["yes", "no"]).bound(["no", "yes"]).labels == Labels(
        ["yes", "no"], outside=["(invalid)"]
    )


def test_rules_are_immutable_and_travel() -> None:
    rules = Answers(
        ["yes", "no"], aliases={"y": "yes"}, refused=re.compile("cannot"), extract="json", fuzzy=0.9
    )
    with pytest.raises(AttributeError, match="immutable"):
        rules.labels = None  # type: ignore[misc]
    with pytest.raises(AttributeError, match="immutable"):
        del rules._options
    again = pickle.loads(pickle.dumps(rules))
    answers = ["YES", "y", "I cannot", '{"a": "no"}', "yess", "hm"]
    assert again.labels_of(answers) == rules.labels_of(answers)
    assert (
        repr(again)
        == repr(rules)
        == "<Answers: 2 classes: 'yes', 'no'; 1 aliases; refused; extract json; fuzzy 0.9>"
    )


def test_outside_labels_are_those_that_answers_may_lead_to() -> None:
    assert Answers(["a"]).labels == Labels(["a"], outside=["(invalid)"])
    rules = Answers(Labels(["a"], outside=["(late)"]), refused="no", aliases={"x": "(error)"})
    assert list(rules.labels or ()) == ["a", "(late)", "(invalid)", "(error)", "(refused)"]
    with pytest.raises(LabelError, match="outside the classes at once"):
        Answers(["a", "(invalid)"])


# ---- laws ----------------------------------------------------------------------------------------

texts = st.text(max_size=12)


@given(st.lists(texts, min_size=1, max_size=5, unique=True), texts, st.booleans(), st.booleans())
def test_a_label_is_itself_and_one_step_reads_an_answer(
    labels: list[str], answer: str, case: bool, punctuation: bool
) -> None:
    assume(not set(labels) & {"(invalid)"})
    rules = Answers(labels, case=case, punctuation=punctuation)
    assert rules.labels_of(labels) == labels
    label, step = rules.read_one(answer)
    assert step in {*STEPS, *UNREAD}
    assert (label is None) == (step in UNREAD)
    assert label is None or label in labels
    # Nothing is guessed: the label is the only one with such a form.
    if step in {"case", "space", "punctuation"}:
        forms = dict(rules._book.spelling.forms(answer))  # type: ignore[union-attr]
        same = [
            one
            for one in labels
            if dict(rules._book.spelling.forms(one)).get(step) == forms[step]  # type: ignore[union-attr]
        ]
        assert same == [label]


@pytest.mark.parametrize(
    "said",
    ["4.5", "3,5", "1.5 million", "<5", "~5", "–5", ".5"],
)
def test_a_number_is_not_read_as_its_digits(said: str) -> None:
    rules = Answers(list(range(6)), extract="answer is")
    assert read(rules, said) == read(rules, f"Answer: {said}") == (None, "invalid")


@pytest.mark.parametrize("said", ["4", "4.0", "4. That is", "4 (5 being best)", "4, confidence: 5"])
def test_a_whole_number_is_read_in_any_spelling(said: str) -> None:
    assert read(Answers(list(range(6)), extract="answer is"), f"Answer: {said}") == (
        4,
        "extract (answer is)",
    )
    assert read(Answers(list(range(6)), extract="json"), '{"score": 4.0}') == (4, "extract (json)")
    assert read(Answers(list(range(6)), extract="json"), '{"score": 4.5}') == (None, "invalid")


@pytest.mark.parametrize("fuzzy", [None, 0.8])
@pytest.mark.parametrize(
    "said", ["A, B", "A,B", "A; B", "A (or B)", "A, or B", "**A**, **B**", "A: B", "A, A or, B."]
)
def test_two_labels_in_one_answer_are_ambiguous(said: str, fuzzy: float | None) -> None:
    rules = Answers(["A", "B"], extract="answer is", fuzzy=fuzzy)
    assert read(rules, f"Answer: {said}") == (None, "ambiguous")


@pytest.mark.parametrize(
    "said", ["A", "A.", "A, not B", "A (A)", "A because B", "A, since B.", "A. B is wrong"]
)
def test_what_follows_one_label_may_speak_of_another(said: str) -> None:
    assert read(Answers(["A", "B"], extract="answer is"), f"Answer: {said}")[0] == "A"
    # A part of a label that has a comma is no other label.
    assert read(Answers(["x, A", "A"], extract="answer is"), "Answer: x, A")[0] == "x, A"


def test_signs_of_comparison_tell_labels_apart() -> None:
    rules = Answers(["<=50K", ">50K"])
    assert rules.labels_of(["<=50k.", "**>50K**", "50k"]) == ["<=50K", ">50K", "(invalid)"]


def test_aliases_may_be_listed_by_label() -> None:
    by_name = Answers(
        ["yes", "no"], aliases={"y": "yes", "oui": "yes", "non": "no", "pass": "(abstained)"}
    )
    by_label = Answers(
        ["yes", "no"], aliases={"yes": ["y", "oui"], "no": {"non"}, "(abstained)": ["pass"]}
    )
    for answer in ("y", "Oui!", "NON", "pass", "perhaps", "yes"):
        assert by_label.read_one(answer) == by_name.read_one(answer)
    assert repr(by_label) == repr(by_name)


@pytest.mark.parametrize("wrong", [pytest.param(10**6000, id="huge"), object(), 2j])
def test_what_is_no_rule_is_told_in_one_line(wrong: Any) -> None:
    for option in ("extract", "aliases", "fuzzy"):
        with pytest.raises(InputError, match=f"`{option}`") as caught:
            Answers(["a"], **{option: wrong})
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400
