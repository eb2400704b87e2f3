"""`confmat calibration`, the lines of `confmat report --scores`, and `confmat gap`, as a person would type them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm

click = pytest.importorskip("click")

from click.testing import CliRunner  # noqa: E402

from confmat.cli.program import cli  # noqa: E402
from tests.cli.conftest import words_of  # noqa: E402
from tests.io.conftest import stored  # noqa: E402


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    p = rng.random(400)
    y = np.where(rng.random(400) < p**2, "yes", "no")
    sites = [*"ns"] * 200
    stored(tmp_path / "t.csv", {"truth": y, "p": p.tolist(), "site": sites})
    return tmp_path / "t.csv"


def run(*words: Any) -> str:
    found = CliRunner().invoke(cli, words_of(words))
    assert found.exit_code == 0, found.output
    return found.output


def test_calibration_prints_what_python_has(path: Path) -> None:
    expected = cm.calibration_files(path, "p", positive="yes", bins=5)
    assert run("calibration", path, "--scores p --positive yes --bins", 5, "-q") == f"{expected}\n"
    data = json.loads(
        run(
            "calibration",
            path,
            "--scores p --positive yes --bins",
            5,
            "-f json -q",
        )
    )
    assert data["ece"]["value"] == expected.ece
    right = run(
        "calibration",
        path,
        "--scores p --positive yes --closed right --bins 0,0.5,1 -q",
    )
    assert "(0.5, 1]" in right


def test_the_page_has_the_diagram_the_histogram_and_the_thresholds(path: Path) -> None:
    page = path.with_suffix(".html")
    run("calibration", path, "--scores p --positive yes -o", page, "-q")
    text = page.read_text()
    for title in ("Reliability", "Scores", "ROC"):
        assert f'"title":"{title}"' in text
    assert "a calibrated model would show" in text
    # A whole sweep of probabilities has them too.
    y, p = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 1), dtype=str).T
    assert '"title":"Reliability"' in str(cm.html(cm.thresholds(y == "yes", p.astype(float))))
    assert '"title":"Reliability"' not in str(
        cm.html(cm.thresholds(y == "yes", 9 * p.astype(float)))
    )


def test_each_class_stands_under_its_own_head(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("y,p_a,p_b,p_c\n" + "a,.5,.3,.2\nb,.2,.5,.3\nc,.1,.2,.7\n" * 9)
    found = run("calibration", tmp_path / "w.csv", "--scores p_* --of each --bins", 4, "-q")
    assert all(f"class = {name}" in found for name in "abc")
    assert "ECE" in run("calibration", tmp_path / "w.csv", "--scores p_* --of top -q")
    page = tmp_path / "each.html"
    run("calibration", tmp_path / "w.csv", "--scores p_* --of each -o", page, "-q")
    assert all(f"<h2>{name}</h2>" in page.read_text() for name in "abc")


def test_calibration_reads_standard_input_and_names_its_options(path: Path) -> None:
    words = "calibration -a truth --scores p --positive yes -q"
    piped = CliRunner().invoke(cli, words_of([words, "-"]), input=path.read_bytes())
    assert piped.output == run(words, path)
    found = CliRunner().invoke(cli, words_of(["calibration", path, "--scores nope"]))
    assert "there is no column 'nope' for `scores`" in str(found.exception)
    found = CliRunner().invoke(cli, words_of([words, "--bins 2.5", path]))
    assert "must be a whole number" in str(found.exception)


def test_a_report_of_scores_says_whether_they_are_calibrated(path: Path) -> None:
    words = ("report", path, "-a truth --scores p --positive yes -q")
    assert str(cm.calibration_files(path, "p", positive="yes")) in run(*words)
    # Others are no probabilities, and their groups are not summed together.
    assert "ECE" not in run(*words, "--kind scores --threshold", 0.5)
    assert "ECE" not in run(*words, "--by site")


def test_a_gap_is_printed_as_python_has_it(path: Path) -> None:
    stack = cm.count_files(path, actual="truth", predicted="truth", by="site", positive="yes")
    words = ("gap", path, "-a truth -p truth --by site --positive yes -q")
    assert run(*words, "-m demographic_parity") == f"{cm.gap(stack, 'demographic_parity')}\n"
    found = CliRunner().invoke(cli, words_of(["gap", path, "-a truth -p truth"]))
    assert found.exit_code


def test_columns_of_scores_are_compared_as_in_python(path: Path) -> None:
    truth, scores = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 1), dtype=str).T
    models = {"old": scores.astype(float), "p": scores.astype(float)}
    expected = cm.compare_scores(truth, models, positive="yes", metrics=["roc_auc", "brier"])
    words = ["compare", path, "-a truth --positive yes -m roc_auc,brier -q"]
    assert run(*words, "--scores old=p --scores p") == f"{expected}\n"
    for more, said in (
        ("--by site", "--by is not read here: --scores compares columns of scores"),
        ("--scores r=p --classes f1", "columns of scores have no cells"),
        ("--scores q", "no column 'q' for `scores`"),
    ):
        found = CliRunner().invoke(cli, words_of([*words, "--scores p", more]))
        assert said in str(found.exception)


def test_thresholds_have_a_part_of_the_area(path: Path) -> None:
    words = ["thresholds", path, "-a truth --scores p --positive yes -q"]
    truth, scores = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 1), dtype=str).T
    t = cm.thresholds(truth, scores.astype(float), positive="yes")
    found = [line.split() for line in run(*words, "--max-fpr", 0.2).splitlines() if "up to" in line]
    part = cm.interval(t, "roc_auc", max_fpr=0.2)
    assert isinstance(part, cm.Estimate)
    assert found[0][4:7] == [f"{one:.4f}" for one in (part.value, part.low, part.high)]
    failed = CliRunner().invoke(cli, words_of([*words, "-m roc_auc"]))
    assert "roc_auc is of all thresholds together" in str(failed.exception)
