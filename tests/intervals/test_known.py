"""Scores whose worst intervals are too short say so where they are printed."""

import json
import math
from pathlib import Path

import pytest

import confmat as cm
from confmat.intervals.known import WORST


def noted(m: cm.ConfusionMatrix, score: str) -> str:
    found = cm.interval(m, score)
    assert isinstance(found, cm.Estimate)
    return found.note


SEARCH = Path(__file__).resolve().parents[2] / "benchmarks" / "coverage_search.json"
FEW = cm.ConfusionMatrix([[17, 2], [0, 1]], labels=["no", "yes"], positive="yes")


def test_the_known_worst_are_those_that_the_search_found_below_90() -> None:
    found = {
        name.partition("[")[0]: each["worst"]
        for name, each in json.loads(SEARCH.read_text("utf-8")).items()
    }
    assert {name: math.floor(100 * worst) for name, worst in found.items() if worst < 0.9} == WORST


@pytest.mark.parametrize("score", ["recall", "false_negative_rate", "f1[no]", "cramer_v"])
def test_an_interval_of_few_items_says_how_seldom_the_worst_holds(score: str) -> None:
    name = {"false_negative_rate": "recall"}.get(score, score.partition("[")[0])
    assert f"in {WORST[name]} of 100 test sets" in noted(FEW, score)
    # Ten items of each class are no longer few.
    assert "test sets" not in noted(
        cm.ConfusionMatrix([[17, 2], [3, 7]], positive=1), score.partition("[")[0]
    )


@pytest.mark.parametrize("score", ["accuracy", "kappa", "recall.macro", "f1.weighted"])
def test_an_interval_that_holds_in_90_of_100_says_nothing(score: str) -> None:
    assert "test sets" not in noted(FEW, score)


def test_a_report_says_it_once_for_all_its_scores() -> None:
    text = str(cm.report(FEW, intervals=True))
    assert text.count("test sets") == 1
    assert f"in {WORST['recall']} of 100 test sets" in " ".join(text.split())
    assert "test sets" not in str(cm.report(FEW))
