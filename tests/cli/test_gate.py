"""`confmat gate`."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from statistics import NormalDist
from xml.etree import ElementTree

import numpy as np
import pytest

import confmat as cm
from tests.cli.conftest import Run, Told
from tests.io.conftest import stored

# Ten in a hundred answers are wrong; of the new model two more, or thirty more.
TRUTH = np.repeat(["cat", "hen"], 500)
OTHER = np.where(TRUTH == "cat", "hen", "cat")
OLD = np.where(np.arange(1000) % 10, TRUTH, OTHER)
NEW = np.where(np.arange(1000) % 50 != 1, OLD, OTHER)
BAD = np.where(np.arange(1000) % 10 < 7, OLD, OTHER)


@pytest.fixture
def gate(run: Run, folder: Path) -> Run:
    stored(folder / "answers.csv", {"y": TRUTH, "old": OLD, "new": NEW, "bad": BAD})
    for name, answers in {"old": OLD, "new": NEW, "bad": BAD}.items():
        cm.save(cm.count(TRUTH, answers), folder / f"{name}.json")
    return lambda *words: run("gate", *words)


def read(path: Path) -> ElementTree.Element:
    return ElementTree.fromstring(path.read_bytes())  # noqa: S314 - written by the test


PAIRED = "answers.csv -a y -p old -p"


@pytest.mark.parametrize(
    ("words", "states", "status"),
    [
        # The new model has 0.02 less: the bound is about 0.8 % below it.
        (f"{PAIRED} new --no-worse accuracy=0.03", ["passed"], 0),
        (f"{PAIRED} new --no-worse accuracy=0.02", ["undecided"], 1),
        (f"{PAIRED} new --no-worse accuracy=0.02 --undecided pass", ["undecided"], 0),
        (f"{PAIRED} new --no-worse accuracy=0.01", ["failed"], 1),
        (f"{PAIRED} bad --no-worse accuracy=0.1 --undecided pass", ["failed"], 1),
        # Matrices of the same items allow pairings under which it has lost more.
        ("old.json new.json --no-worse accuracy=0.03", ["undecided"], 1),
        ("old.json new.json --no-worse accuracy=0.05", ["passed"], 0),
        # A model that has 0.88 right, with an interval of about 0.017 on each side.
        (f"{PAIRED} new --at-least accuracy=0.88", ["undecided"], 1),
        (f"{PAIRED} new --at-least accuracy=0.9", ["failed"], 1),
        (f"{PAIRED} new --at-most error_rate=0.1", ["failed"], 1),
        (
            f"{PAIRED} new --at-least recall[cat]=0.8 --no-worse f1.macro=0.03 --no-worse mcc=0.001",
            ["passed", "failed", "passed"],
            1,
        ),
    ],
)
def test_the_interval_decides(gate: Run, words: str, states: list[str], status: int) -> None:
    ended, out, err = gate(words, "-f json")
    assert [one["state"] for one in json.loads(out)] == states, out
    assert ended == status, err


def test_the_bounds_leave_one_in_twenty_on_each_side(gate: Run) -> None:
    found = cm.compare_predictions(TRUTH, {"old": OLD, "new": NEW}, metrics=["f1.macro"], level=0.9)
    checks = json.loads(
        gate(f"{PAIRED} new --no-worse f1.macro=0.1 --at-least f1.macro=0.1 -f json")[1]
    )
    one, two = found.of("f1.macro"), found.estimates["new", "f1.macro"]
    assert [checks[0]["low"], checks[0]["high"]] == pytest.approx(one.limits)
    assert [checks[1]["low"], checks[1]["high"]] == pytest.approx([two.low, two.high])
    surer = json.loads(gate(f"{PAIRED} new --no-worse f1.macro=0.1 --level 0.99 -f json")[1])
    assert surer[0]["low"] < checks[0]["low"]


def test_the_table_says_what_was_checked_and_what_would_decide(gate: Run) -> None:
    out = gate("old.json new.json --no-worse accuracy=0.03 --at-least accuracy=0.8")[1]
    assert "accuracy no worse by 0.03  0.900  0.880  new − base" in out
    assert "1 passed, 0 failed, 1 undecided; each bound at 0.95 confidence." in out
    assert "their answers decide more" in out
    assert "their answers decide more" not in gate("old.json new.json --no-worse accuracy=0.1")[1]


def test_markdown_is_appended(gate: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = f"{PAIRED} new --no-worse accuracy=0.03"
    gate(words, "--summary gate.md")
    gate(words, "--summary gate.md")
    text = (folder / "gate.md").read_text(encoding="utf-8")
    assert text.count("### confmat gate\n\n| check |") == 2
    assert "| accuracy no worse by 0.03 | 0.900 | 0.880 | new − base |" in text
    # GitHub shows this file on the page of a run.
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "step.md"))
    gate(words)
    assert (folder / "step.md").read_text(encoding="utf-8").startswith("### confmat gate")


@pytest.mark.parametrize(
    ("undecided", "numbers"), [("fail", ("3", "2", "0")), ("pass", ("3", "1", "1"))]
)
def test_junit(gate: Run, folder: Path, undecided: str, numbers: tuple[str, ...]) -> None:
    bars = ("--no-worse accuracy=0.03 --no-worse accuracy=0.01 --at-least recall[cat]=0.88",)
    gate(f"{PAIRED} new", *bars, "--junit gate.xml --undecided", undecided)
    suite = read(folder / "gate.xml")
    assert (suite.tag, *(suite.get(name) for name in ("tests", "failures", "skipped"))) == (
        "testsuite",
        *numbers,
    )
    assert [case.get("name") for case in suite] == [
        "accuracy no worse by 0.03", "accuracy no worse by 0.01", "recall[cat] at least 0.88",
    ]  # fmt: skip
    assert [[part.tag for part in case] for case in suite] == [
        [], ["failure"], ["failure" if undecided == "fail" else "skipped"],
    ]  # fmt: skip


def test_labels_are_safe_in_xml(gate: Run, folder: Path) -> None:
    nasty = 'a<b>&"\x07'
    m = cm.ConfusionMatrix([[5, 1], [1, 5]], [nasty, "b"])
    cm.save(m, folder / "m.json")
    cm.save(m, folder / "n.json")
    assert gate(f"m.json n.json --at-least recall[{nasty}]=0.1 --junit gate.xml")[0] == 0
    name = read(folder / "gate.xml")[0].get("name")
    assert name == 'recall[a<b>&"\\x07] at least 0.1'


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("old.json new.json", "say what is checked: --no-worse f1.macro=0.01"),
        (
            "old.json new.json --no-worse accuracy=0",
            "--no-worse is the difference that is as good as none",
        ),
        ("old.json new.json --no-worse f1.macro=2", "for 2 % say 0.02"),
        (
            "old.json new.json --at-least accuracy=90",
            "between 0 and 1; for 90 % say 0.9",
        ),
        (
            "old.json new.json --no-worse f1=0.1",
            "say 'f1.macro', 'f1[cat]' or 'f1[hen]'",
        ),
        ("old.json new.json --at-least error_rate=0.1", "say --at-most error_rate=0.1"),
        (
            "old.json new.json --no-worse accuracy=0.1 --junit new.json",
            "would be overwritten",
        ),
        ("answers.csv --no-worse accuracy=0.1", "name the columns"),
    ],
)
def test_wrong_usage_ends_with_status_2(gate: Run, words: str, said: str) -> None:
    status, _, err = gate(words)
    assert said in err
    assert status == 2


def test_a_score_without_a_value_is_undecided(gate: Run, folder: Path) -> None:
    cm.save(cm.ConfusionMatrix([[5, 0], [5, 0]], ["a", "b"]), folder / "m.json")
    cm.save(cm.ConfusionMatrix([[5, 0], [5, 0]], ["a", "b"]), folder / "n.json")
    bars = ("--no-worse precision[b]=0.1 --at-least precision[b]=0.1",)
    status, out, _ = gate("m.json n.json", *bars, "-f json")
    assert [one["state"] for one in json.loads(out)] == ["undecided", "undecided"]
    assert status == 1


@pytest.mark.slow
def test_the_action_of_github_runs_the_gate(gate: Run, folder: Path) -> None:
    """The shell script of action.yml, with pip standing aside and this package as the program."""
    text = (Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8")
    script = textwrap.dedent(text.partition("run: |\n")[2])
    programs = folder / "bin"
    programs.mkdir()
    for name, line in {
        "python": "exit 0",
        "confmat": f'exec "{sys.executable}" -m confmat "$@"',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    environment = os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PACKAGE": "", "GITHUB_ACTION_PATH": "/sources",
        "GITHUB_STEP_SUMMARY": str(folder / "step.md"),
    }  # fmt: skip

    def status(*arguments: str) -> int:
        words = {"ARGUMENTS": "\n".join(arguments)}
        shell = ["bash", "-e", "-o", "pipefail", "-c", script]
        return subprocess.run(
            shell, cwd=folder, env=environment | words, capture_output=True, check=False
        ).returncode

    assert status("old.json new.json", "--no-worse accuracy=0.05 --at-least 'recall[cat]=0.8'") == 0
    assert "recall\\[cat\\] at least 0.8" in (folder / "step.md").read_text(encoding="utf-8")
    assert status("old.json bad.json --no-worse accuracy=0.05") == 1
    assert status("old.json new.json; touch oops") == 2
    # An open quote ends the words: the check after it would not run.
    assert status("old.json new.json --no-worse accuracy=0.05 --at-least='recall[cat]=0.99") == 2
    assert not (folder / "oops").exists()


def test_looks_at_any_time_are_wider_and_refuse_other_scores(
    run: Run, no: Told, folder: Path
) -> None:
    rows = [("a", "b" if n < 40 else "a", "b" if 30 <= n < 60 else "a") for n in range(600)]
    text = "y,old,new\n" + "".join(",".join(row) + "\n" for row in [*rows, ("b", "b", "b")])
    (folder / "looks.csv").write_text(text, encoding="utf-8")
    asked = ["gate looks.csv -a y -p old -p new -f json"]
    checks = ["--no-worse accuracy=0.05 --at-least accuracy=0.9"]
    once, always = (json.loads(run(*asked, *checks, *more)[1]) for more in ([], ["--peek 500"]))
    for one, other in zip(once, always, strict=True):
        assert other["low"] < one["low"] < one["high"] < other["high"]
    assert "looks at any time are for shares of counted items" in no(
        *asked, "--no-worse f1.macro=0.05 --peek 500"
    )


def test_the_gate_says_what_it_can_see(gate: Run) -> None:
    margin, bar = json.loads(
        gate(
            f"{PAIRED} new --no-worse accuracy=0.02 --at-least accuracy=0.5 -f json",
        )[1]
    )
    # The answers to 20 of 1,000 items differ.
    assert margin["needed"] == math.ceil(((1.6448536 + 0.8416212) / 0.02) ** 2 * 20 / 1000)
    assert margin["power"] == pytest.approx(
        NormalDist().cdf(0.02 / math.sqrt(20) * 1000 - 1.6448536)
    )
    # That loss is sure here: all 20 speak against the new model.
    error = math.sqrt(20 - 20**2 / 1000) / 1000
    assert margin["finds"] == pytest.approx(0.02 + (1.6448536 + 0.8416212) * error)
    assert bar["needed"] is None


def test_the_gate_says_where_the_base_is_from(gate: Run, folder: Path) -> None:
    day = 86400 * 20_000
    for name in ("old.json", "answers.csv"):
        os.utime(folder / name, (day, day))
    out = gate("old.json new.json --no-worse accuracy=0.1")[1]
    assert "base: old, 1,000 items, old.json of 2024-10-04.\n" in out
    out = gate(f"{PAIRED} new --no-worse accuracy=0.1")[1]
    assert "base: old, 1,000 items, answers.csv of 2024-10-04.\n" in out


def test_groups_share_one_critical_value(gate: Run, folder: Path) -> None:
    sites = np.where(np.arange(1000) % 3, "north", "south")
    stored(folder / "sites.csv", {"y": TRUTH, "old": OLD, "new": NEW, "site": sites})
    words = (
        PAIRED.replace("answers", "sites"),
        "new --by site --no-worse accuracy=0.1 --at-least accuracy=0.5",
    )
    checks = json.loads(gate(*words, "-f json --junit gate.xml")[1])
    assert [one["group"] for one in checks] == ["north", "north", "south", "south"]
    # Both bounds hold in both sites at once with a chance of .95.
    level = 2 * 0.95 ** (1 / 2) - 1
    here = sites == "south"
    one = cm.compare_predictions(
        TRUTH[here], {"old": OLD[here], "new": NEW[here]}, metrics=["accuracy"], level=level
    )
    low, high = one.of("accuracy").limits
    assert (checks[2]["low"], checks[2]["high"]) == pytest.approx((low, high))
    assert [case.get("name") for case in read(folder / "gate.xml")][2:] == [
        "accuracy no worse by 0.1, south", "accuracy at least 0.5, south",
    ]  # fmt: skip
    out = gate(*words)[1]
    assert out.split()[0] == "site"
    assert "each bound at 0.95 confidence, in all 2 groups at once." in out
    assert gate(*words, "--peek 100")[0] == 0
