"""A column of scores instead of labels: --scores, --threshold, --positive."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import confmat as cm
from tests.cli.conftest import Run, Told
from tests.io.conftest import stored

RNG = np.random.default_rng(0)
TRUTH = np.where(RNG.random(300) < 0.3, "spam", "ham")
SCORES = np.clip(RNG.normal(np.where(TRUTH == "spam", 0.6, 0.4), 0.2), 0, 1)
SITES = np.where(RNG.random(300) < 0.5, "n", "s")
WEIGHTS = RNG.integers(1, 4, 300) / 2


@pytest.fixture
def scored(folder: Path) -> Path:
    for name in ("s.csv", "s.jsonl"):
        stored(
            folder / name,
            {
                "truth": TRUTH.tolist(),
                "p": SCORES.tolist(),
                "site": SITES.tolist(),
                "w": WEIGHTS.tolist(),
            },
        )
    return folder


def counted(ok: Told, *arguments: str) -> cm.ConfusionMatrix:
    out = ok("count", *arguments, "--positive spam --format json -q")
    found = cm.io.from_json(out)
    assert isinstance(found, cm.ConfusionMatrix)
    return found


@pytest.mark.parametrize("name", ["s.csv", "s.jsonl"])
def test_it_is_what_from_scores_gives(ok: Told, scored: Path, name: str) -> None:
    del scored
    assert counted(ok, f"{name} --scores p") == cm.from_scores(TRUTH, SCORES, positive="spam")
    for threshold in (0.31, float(SCORES[7])):
        expected = cm.from_scores(TRUTH, SCORES, positive="spam", threshold=threshold)
        assert counted(ok, f"{name} --scores p --threshold", repr(threshold)) == expected


def test_what_is_missing(run: Run, no: Told, folder: Path) -> None:
    (folder / "m.csv").write_text("truth,p\na,0.9\nb,\na,nan\nb,0.1\n,0.3\n")
    status, out, _ = run(
        "count m.csv --scores p --positive a --missing drop --format json",
    )
    found = cm.io.from_json(out)
    assert status == 0
    assert isinstance(found, cm.ConfusionMatrix)
    assert (found.total, found.dropped) == (2, 3)
    assert "--missing drop" in no("count m.csv --scores p --positive a")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            "--scores p",
            "which of 'ham', 'spam' do high scores speak for? Say so, such as --positive spam",
        ),
        ("--scores p --positive eggs", "there is no label 'eggs'"),
        ("--scores p --predicted site --positive spam", "give one of them"),
        ("--threshold 0.5 -p site", "name their columns with --scores"),
        (
            "--scores w --positive spam",
            "so these are no probabilities, which part at 0.5; say --threshold",
        ),
        (
            "--scores p --positive spam --threshold 50",
            "a threshold of probabilities lies within 0 and 1",
        ),
        (
            "--scores p -a w",
            "name two in --labels, and say --other drop",
        ),
    ],
    ids=str,
)
def test_what_is_wrong_is_said(no: Told, scored: Path, arguments: str, said: str) -> None:
    del scored
    assert said in no("report s.csv", arguments, "-q")


def test_the_column_of_scores_is_called_so_in_errors(run: Run, scored: Path) -> None:
    for command in ("count", "report", "thresholds"):
        _, _, err = run(f"{command} s.csv --scores q --positive spam")
        assert (
            "there is no column 'q' for --scores; the columns are 'truth', 'p', 'site', 'w'" in err
        )
    (scored / "gap.csv").write_text("truth,p\nspam,0.5\nham,\n")
    _, _, err = run("count gap.csv --scores p --positive spam")
    assert "1 rows in --scores (column 'p')" in err
