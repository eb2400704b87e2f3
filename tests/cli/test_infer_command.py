"""`confmat infer`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def infer(run: Run) -> Run:
    return lambda *words: run("infer", *words)


def test_a_report(infer: Run, tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    scores = {
        "precision": (0.308, 0.667, 0.667),
        "recall": (0.667, 0.200, 0.667),
        "f1": (0.421, 0.308, 0.667),
    }
    labels = ("Cat", "Fish", "Hen")
    path.write_text(
        json.dumps(
            {
                f"{name}[{x}]": f"{v:.3f}"
                for name, row in scores.items()
                for x, v in zip(labels, row, strict=True)
            }
        )
    )
    status, out, _ = infer("--claims", path, "-s Cat=6 -s Fish=10 -s Hen=9 -c accuracy=0.480")
    assert status == 0
    assert "One set of hits and totals has these scores." in out
    assert "kappa               0.2546" in out


def test_a_contradiction_ends_with_status_1(infer: Run) -> None:
    status, out, _ = infer("-c accuracy=0.93 --total 25")
    assert status == 1
    assert "No table of counts" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--total 25", "say what is claimed"),
        (
            "-c accuracy=0.93",
            "how many items there are: --total 400, or --positives 120 and --negatives 280",
        ),
        (
            "-c accuracy=0.93 --total 10 --positives 20",
            "--positives 20, --total 10",
        ),
        ("-c accuracy=0.93 -s Cat", "is not written like Cat=6"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(infer: Run, words: str, said: str) -> None:
    status, _, err = infer(words)
    assert status == 2
    assert said in err
