"""`confmat plan`, and `Comparison.plan`, which it prints."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

import confmat as cm
from tests.cli.conftest import Run
from tests.io.conftest import stored

TRUTH = np.repeat(["cat", "hen"], 150)
OTHER = np.where(TRUTH == "cat", "hen", "cat")
# Each model alone has 15 items right.
OLD = np.where(np.arange(300) % 20 == 0, OTHER, TRUTH)
NEW = np.where(np.arange(300) % 20 == 1, OTHER, TRUTH)
REACH = NormalDist().inv_cdf(0.95) + NormalDist().inv_cdf(0.8)


@pytest.fixture
def pilot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    stored(tmp_path / "pilot.csv", {"y": TRUTH, "old": OLD, "new": NEW})
    return ["plan pilot.csv -a y -p old -p new"]


def test_a_pilot_says_how_often_models_differ(run: Run, pilot: list[str]) -> None:
    row, other = json.loads(run(*pilot, "--margin accuracy=0.02 --margin f1.macro=0.05 -f json")[1])
    assert (row["score"], row["margin"], row["items"], row["differ"]) == (
        "accuracy",
        0.02,
        300,
        30 / 300,
    )
    assert row["needed"] == math.ceil(REACH**2 * 0.1 / 0.02**2)
    assert row["power"] == pytest.approx(
        NormalDist().cdf(0.02 / math.sqrt(0.1 / 300) - NormalDist().inv_cdf(0.95))
    )
    # Wilson's upper bound of 30 in 300 that errs in one of five.
    z = NormalDist().inv_cdf(0.8)
    upper = (0.1 + z * z / 600 + z * math.sqrt(0.1 * 0.9 / 300 + z * z / 360_000)) / (
        1 + z * z / 300
    )
    assert row["surer"] == math.ceil(row["needed"] * upper / 0.1)
    assert other["needed"] < row["needed"]
    found = cm.compare_predictions(TRUTH, {"old": OLD, "new": NEW}, level=0.9)
    assert found.plan({"accuracy": 0.02}).to_dict()["rows"] == [row]


def test_before_there_is_a_pilot(run: Run) -> None:
    out = run("plan 0.85 --margin 0.02 --discordant 0.1")[1]
    assert "0.020   1,578" in out
    assert "80 of 100 tests, each at 95 % confidence" in out
    wanted = cm.items_needed(0.8, "recall", margin=0.05, level=0.9, discordant=0.1, prevalence=0.1)
    words = ("plan 0.8 --margin recall=0.05 --discordant 0.1 --prevalence 0.1 -f json",)
    assert json.loads(run(*words)[1]) == [{"margin": 0.05, "needed": wanted}]
    apart = json.loads(run("plan 0.85 --margin 0.02 -f json")[1])[0]["needed"]
    assert apart == pytest.approx(2 * 0.85 * 0.15 * (REACH / 0.02) ** 2, rel=1e-3)


def test_matrices_alone_are_planned_for_the_worst_pairing(run: Run, pilot: list[str]) -> None:
    for name, answers in {"old": OLD, "new": NEW}.items():
        cm.save(cm.count(TRUTH, answers), f"{name}.json")
    known, bounded = (
        json.loads(run(*words, "--margin accuracy=0.02 -f json")[1])[0]
        for words in (pilot, ["plan", "old.json", "new.json"])
    )
    assert bounded["needed"] >= known["needed"]
    assert (bounded["differ"], bounded["surer"]) == (None, None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("1.85 --margin 0.02", "lies between 0 and 1, such as 0.85; got 1.85"),
        ("0.85 --margin recall=0.02", "needs its prevalence"),
        ("0.85 --margin 0.02 --prevalence 0.1", "needs its prevalence"),
        (
            "0.85 --margin 0.02 --labels a,b",
            "--labels is not read here: 0.85 is the share",
        ),
        (
            "pilot.csv -a y -p old -p new --margin 0.02",
            "say the score of each margin",
        ),
        (
            "pilot.csv -a y -p old -p old2=old --margin accuracy=0.02",
            "no number of items",
        ),
    ],
)
def test_wrong_usage_ends_with_status_2(run: Run, pilot: list[str], words: str, said: str) -> None:
    status, _, error = run("plan", words)
    assert (status, said in error) == (2, True), (pilot, error)
