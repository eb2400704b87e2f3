"""`confmat thresholds`: areas, best thresholds and those that cannot be distinguished from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from tests.cli.conftest import Told

RNG = np.random.default_rng(0)
TRUTH = np.where(RNG.random(300) < 0.3, "spam", "ham")
SCORES = np.clip(RNG.normal(np.where(TRUTH == "spam", 0.6, 0.4), 0.2), 0, 1).round(2)
WEIGHTS = RNG.integers(1, 4, 300) / 2
TEXT = "truth,p,w\n" + "".join(
    f"{t},{p!r},{w}\n" for t, p, w in zip(TRUTH, SCORES.tolist(), WEIGHTS.tolist(), strict=True)
)


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "s.csv").write_text(TEXT)
    (folder / "c.json").write_text('{"fp": 1, "fn": 5}')
    return folder


def rows(ok: Told, *arguments: str, stdin: str | None = None) -> dict[str, dict[str, Any]]:
    out = ok("thresholds", *arguments, "-f json", stdin=stdin)
    return {one["score"]: one for one in json.loads(out)}


def test_it_is_what_best_gives(ok: Told, files: Path) -> None:
    t = cm.thresholds(TRUTH, SCORES, positive="spam")
    for source, stdin in (("s.csv", None), ("-", TEXT)):
        found = rows(ok, f"{source} --scores p --positive spam --costs c.json", stdin=stdin)
        assert found["roc_auc"]["value"] == pytest.approx(cm.roc_auc(t))
        assert found["average_precision"]["value"] == pytest.approx(cm.average_precision(t))
        for area in ("roc_auc", "average_precision"):
            assert (found[area]["low"], found[area]["high"]) == pytest.approx(
                tuple(cm.interval(t, area))
            )
        assert found["f1[spam]"]["low"] is None
        for name, one in (("f1", cm.best(t, cm.f1)), ("mcc", cm.best(t, cm.mcc))):
            mine = next(row for score, row in found.items() if score.startswith(name))
            assert mine["value"] == pytest.approx(one.value)
            assert mine["threshold"] == one.threshold
            assert (mine["lowest alike"], mine["highest alike"]) == one.range
        dear = cm.best(t, costs={("ham", "spam"): 1, ("spam", "ham"): 5})
        assert found["cost"]["threshold"] == dear.threshold


def test_weights_and_several_classes(ok: Told, files: Path) -> None:
    t = cm.thresholds(TRUTH, SCORES, positive="spam", weights=WEIGHTS)
    found = rows(ok, "s.csv --scores p --positive spam -w w --best mcc")
    assert found["roc_auc"]["value"] == pytest.approx(cm.roc_auc(t))
    assert found["mcc"]["threshold"] == cm.best(t, "mcc").threshold
    assert found["mcc"]["lowest alike"] is found["roc_auc"]["low"] is None
    assert {*rows(ok, "s.csv --scores p --positive spam --best mcc --best f1")} == {
        *rows(ok, "s.csv --scores p --positive spam --best mcc,f1")
    }
    for other in ("-m", "--metrics"):
        assert rows(ok, "s.csv --scores p --positive spam -w w", other, "mcc") == found
    three = np.where((TRUTH == "ham") & (SCORES > 0.5), "eggs", TRUTH)
    (files / "t.csv").write_text(
        "y,p\n" + "".join(f"{t},{p!r}\n" for t, p in zip(three, SCORES.tolist(), strict=True))
    )
    known = three != "eggs"
    found = rows(ok, "t.csv --scores p --positive spam -l ham,spam --other drop")
    two = cm.thresholds(three[known], SCORES[known], positive="spam")
    assert found["roc_auc"]["value"] == pytest.approx(cm.roc_auc(two))
    found = rows(ok, "t.csv --scores p --positive spam")
    assert found["roc_auc"]["value"] == pytest.approx(
        cm.roc_auc(cm.thresholds(three, SCORES, of="spam"))
    )


def test_tables(ok: Told, files: Path) -> None:
    out = ok("thresholds s.csv --scores p --positive spam -f csv")
    assert out.splitlines()[0] == "score,value,low,high,threshold,lowest alike,highest alike"
    out = ok("thresholds s.csv --scores p --positive spam")
    assert out.splitlines()[1].split()[0] == "roc_auc"


def test_one_class_alone_leaves_some_scores_without_a_value(
    ok: Told, no: Told, files: Path
) -> None:
    (files / "one.csv").write_text("truth,p\nspam,0.9\nspam,0.8\n")
    asked = "one.csv --scores p --positive spam"
    found = rows(ok, asked, "-l ham,spam")
    assert found["roc_auc"]["value"] is None
    assert found["mcc"] == {"score": "mcc"} | dict.fromkeys(
        ("value", "low", "high", "threshold", "lowest alike", "highest alike")
    )
    assert (found["average_precision"]["value"], found["f1[spam]"]["threshold"]) == (1, 0.8)
    assert "mcc has no value at any of the 3 thresholds" in no(
        "thresholds", asked, "-l ham,spam --best mcc"
    )
    assert "of which only one occurs; name both: --labels A,B" in no("thresholds", asked)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("s.csv", "--scores"),
        ("s.csv --scores p", "--positive"),
        ("s.csv --scores p_*", "one column of scores"),
        ("s.csv --scores p --positive spam --by w", "there is no option --by"),
        (
            "m.json --scores p",
            "thresholds need rows with scores, and this file holds a matrix",
        ),
    ],
)
def test_what_is_wrong_is_said(no: Told, files: Path, arguments: str, said: str) -> None:
    cm.save(cm.count([0, 1], [0, 1]), files / "m.json")
    assert said in no("thresholds", arguments)
