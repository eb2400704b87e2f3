"""`confmat audit`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import confmat as cm
from tests.cli.conftest import Run

# Coenen (2012), Example 6, as he prints it: rows are what the classifier said.
TABLE = "             X  Not-X\nX           50     25\nNot-X        0     25\n"


@pytest.fixture
def audit(run: Run) -> Run:
    return lambda *words: run("audit", *words)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "published.txt"
    path.write_text(TABLE)
    return path


def test_an_error_ends_with_status_1(audit: Run, table: Path) -> None:
    status, out, _ = audit(table, "--rows predicted -c accuracy=1.000 -c f1[X]=0.800")
    assert status == 1
    assert "accuracy is 0.75000" in out
    assert "1 error, 0 warnings, 1 ok." in out
    assert audit(table, "--rows predicted -c f1[X]=0.800")[0] == 0


def test_a_layout_that_was_not_said_is_found(audit: Run, table: Path) -> None:
    status, out, _ = audit(
        table,
        "-c sensitivity[X]=1.000 -c specificity[X]=0.500 -c precision[X]=0.667",
    )
    assert status == 0
    assert "rows and columns exchanged" in out


def test_a_single_claim_turns_only_a_layout_that_was_not_said(
    audit: Run, table: Path, tmp_path: Path
) -> None:
    claims = ("-c accuracy=0.75 -c f1[X]=0.800 -c specificity[X]=0.500",)
    assert "the claims are judged so" in audit(table, *claims)[1]
    stated = tmp_path / "stated.csv"
    stated.write_text("actual\\predicted,X,Not-X\nX,50,25\nNot-X,0,25\n")
    for words in ((table, "--rows actual"), (stated,)):
        status, out, _ = audit(*words, *claims, "--strict")
        assert status == 1
        assert "the claims are judged so" not in out


def test_strict_ends_with_status_1_on_warnings(audit: Run, table: Path) -> None:
    claims = ("--rows predicted -c accuracy=0.75", "-c f1[X]=80")
    status, out, _ = audit(table, *claims)
    assert status == 0
    assert out.endswith("0 errors, 1 warning, 1 ok; 1 claim holds only under another reading.\n")
    assert audit(table, *claims, "--strict")[0] == 1
    assert audit(table, claims[0], "--strict")[0] == 0


def test_claims_of_files_keep_their_digits(audit: Run, table: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"accuracy": 0.750, "f1[X]": "80 %"}')
    (tmp_path / "b.csv").write_text("score,value\naccuracy,0.750\nrecall[X],1.000\n")
    target = tmp_path / "out.json"
    both = ("--claims", tmp_path / "a.json", "--claims", tmp_path / "b.csv")
    assert audit(table, "--rows predicted", *both, f"-o {target}")[0] == 0
    found = {
        one["claim"]: one["evidence"]["printed"]
        for one in json.loads(target.read_text())["findings"]
    }
    assert found == {"accuracy": "0.750", "f1[X]": "80 %", "recall[X]": "1.000"}


def test_what_is_wrong_is_said_in_a_line(audit: Run, table: Path, tmp_path: Path) -> None:
    def refused(*words: object, said: str) -> None:
        status, _, err = audit(*words)
        assert said in err
        assert status == 2

    refused(table, said="say what is claimed")
    refused(table, "-c", "accuracy", said="is not written like accuracy=0.93")
    refused(table, "-c", "acuracy=0.5", said="did you mean")
    refused(table, "-c", "accuracy=0.5", "-c", "accuracy=0.50", said="claimed twice")
    (tmp_path / "bad.json").write_text('{"accuracy": [1]}')
    refused(table, "--claims", tmp_path / "bad.json", said="claims are an object")
    (tmp_path / "bad.csv").write_text("accuracy,0.5,3\n")
    refused(table, "--claims", tmp_path / "bad.csv", said="each line is a score and its number")
    stack = tmp_path / "stack.json"
    cm.save(cm.Stack({"a": cm.ConfusionMatrix([[1, 2], [3, 4]])}), stack)
    refused(stack, "-c", "accuracy=0.5", said="audit one matrix at a time")
