"""Free answers become labels: --aliases, --refused, --abstained, --extract, --fuzzy, --any-spelling."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import confmat as cm
from tests.cli.conftest import Counted, Run, Told

ACTUAL = ["spam", "spam", "ham", "ham", "ham", "spam", "ham"]
ANSWERS = ["spam", "Spam!", "HAM", "I cannot say.", "spam mail", "-", "humm"]
RULES = cm.Answers(aliases={"spam mail": "spam"}, refused="I cannot*", abstained="-")
OPTIONS = ("--aliases a.csv --refused", ["I cannot*"], "--abstained - --other collect")
TEXT = "y_true,y_pred\n" + "".join(f"{a},{p}\n" for a, p in zip(ACTUAL, ANSWERS, strict=True))


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "llm.csv").write_text(TEXT)
    (folder / "a.csv").write_text("alias,label\nspam mail,spam\n")
    return folder


def test_it_is_what_count_gives(counted: Counted, files: Path) -> None:
    expected = cm.count(ACTUAL, ANSWERS, answers=RULES, other="collect")
    assert counted("count llm.csv", *OPTIONS) == expected
    assert counted("count -", *OPTIONS, stdin=TEXT) == expected
    assert expected.total == len(ACTUAL)
    near = cm.count(ACTUAL, ANSWERS, answers=cm.Answers(fuzzy=0.6), other="collect")
    assert counted("count llm.csv --fuzzy 0.6 --other collect") == near
    plain = cm.count(ACTUAL, ANSWERS, answers=cm.Answers(), other="collect")
    assert counted("count llm.csv --any-spelling --other collect") == plain


def test_what_the_rules_read_is_said_once(run: Run, files: Path) -> None:
    status, _, err = run("report llm.csv", *OPTIONS)
    assert status == 0
    assert err.count("rescued") == 1
    assert "spam mail → spam (1)" in err
    assert run("report llm.csv", *OPTIONS, "-q")[2] == ""


def test_labels_stand_in_longer_answers(run: Run, counted: Counted, files: Path) -> None:
    lines = [
        '{"y_true": "spam", "y_pred": "Let me think.\\nThe answer is spam."}',
        '{"y_true": "ham", "y_pred": "ham"}',
    ]
    (files / "long.jsonl").write_text("\n".join(lines) + "\n")
    assert counted("count long.jsonl --extract answer-is").diagonal.tolist() == [1, 1]
    choices = "y_true,y_pred\nA,(A) Rome\nB,\\boxed{B}\nB,The answer is A.\nA,A or B\n"
    patterns = (r"^\(?([AB])[).:]", r"\\boxed\{([AB])\}")
    asked = [part for pattern in patterns for part in ("--pattern", pattern)]
    found = counted("count -", *asked, "--extract answer-is --other collect", stdin=choices)
    rules = cm.Answers(["A", "B"], extract=[*map(re.compile, patterns), "answer is"])
    answers = [line.partition(",")[2] for line in choices.splitlines()[1:]]
    assert found == cm.count(list("ABBA"), answers, answers=rules, other="collect")
    assert found.counts.tolist() == [[1, 0, 1], [1, 1, 0], [0, 0, 0]]
    assert "'(' is no regular expression: missing )" in run("count long.jsonl --pattern (")[2]
    assert "'bogus' is none of json, answer-is" in run("count long.jsonl --extract json,bogus")[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("llm.csv --aliases llm.csv", "llm.csv"),
        ("llm.csv --any-spelling", "not read as one by the rules"),
        ("llm.csv --refused *", "--refused has '*'"),
        ("llm.csv --aliases a.csv --scores p", "not about --scores"),
        ("m.json --aliases a.csv", "m.json is a stored matrix"),
    ],
)
def test_what_is_wrong_is_said(no: Told, files: Path, arguments: str, said: str) -> None:
    cm.save(cm.count([0, 1], [0, 1]), files / "m.json")
    assert said in no("count", arguments)


def test_models_are_compared_by_what_the_rules_read(run: Run, files: Path) -> None:
    answers = {"old": ANSWERS, "new": [*ANSWERS[:3], "ham", "ham", "spam", "ham"]}
    rows = zip(ACTUAL, *answers.values(), strict=True)
    (files / "two.csv").write_text("y,old,new\n" + "".join(",".join(row) + "\n" for row in rows))
    rules = cm.Answers(
        ["ham", "spam"], aliases={"spam mail": "spam"}, refused="I cannot*", abstained="-"
    )
    read = {name: rules.labels_of(each) for name, each in answers.items()}
    expected = cm.compare_predictions(ACTUAL, read, labels=rules.labels)
    models = ("compare two.csv -a y -p old -p new",)
    status, out, err = run(*models, *OPTIONS)
    assert (status, out) == (0, f"{expected}\n")
    assert err.count("rescued") == 1
    assert run(*models, *OPTIONS, "-q")[2] == ""
    assert run(*models, "-l ham,spam")[0] == 2


def test_first_words_are_read_where_the_classes_are_letters(counted: Counted, folder: Path) -> None:
    (folder / "letters.csv").write_text("y,p\nA,A) Paris\nB,B. Rome\nA,A cat\n")
    columns = ("-a y -p p --other collect",)
    found = counted("count letters.csv", *columns, "--any-spelling")
    assert dict(found.pairs().items()) == {("A", "A"): 1, ("B", "B"): 1, ("A", "(invalid)"): 1}
    assert counted("count letters.csv", *columns, "--extract first-word") == found
    assert counted("count letters.csv", *columns, "--extract json,answer-is").diagonal.sum() == 0
