"""`confmat compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import confmat as cm
from confmat.cli.program import cli, main
from tests.cli.conftest import words_of

ROWS = "a,a,a\nb,a,b\nb,b,b\na,b,a\na,a,b\n" * 20


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["compare", *words_of(words)])


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "preds.csv"
    path.write_text("y,old,new\n" + ROWS)
    return path


@pytest.fixture
def stored(tmp_path: Path) -> list[Path]:
    truth, *answers = zip(*(line.split(",") for line in ROWS.split()), strict=True)
    paths = []
    for name, each in zip(("old", "new"), answers, strict=True):
        paths.append(tmp_path / f"{name}.json")
        cm.save(cm.count(list(truth), list(each)), paths[-1])
    return paths


def test_columns_of_answers(rows: Path) -> None:
    found = run("-a y -p old -p new", rows)
    assert found.exit_code == 0, found.output
    assert "accuracy: old 0.600, new 0.800, new − old +0.200" in found.output
    assert "McNemar, mid-p, p = 0.010: different." in found.output


def test_stored_matrices_say_what_they_can(stored: list[Path]) -> None:
    found = run(*stored)
    assert "p between" in found.output
    assert "over all pairings" in found.output
    apart = run(*stored, "--different-items")
    assert "unpaired" in apart.output


def test_names_and_a_file_to_write(stored: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "found.json"
    assert run(*stored, "--names A,B -m mcc -o", target).exit_code == 0
    assert json.loads(run(*stored, "-m mcc -f jsonl").output)
    assert json.loads(target.read_text())["models"] == ["A", "B"]


def test_what_is_wrong_is_said_in_a_line(rows: Path, stored: list[Path]) -> None:
    for words, message in (
        ([rows], "holds rows; name the columns"),
        ([rows], "the column by which items are paired: --id COLUMN"),
        (
            ["-a y -p old -p new --by site", rows],
            "there is no column 'site' for",
        ),
        ([stored[0]], "at least two models are compared"),
        (
            [*stored, "--by site"],
            "--by is of rows and logs; stored matrices are parted when they are counted",
        ),
        (
            [*stored, "--names A,A"],
            "two models are called A; tell them apart with --names old,new",
        ),
        ([stored[0], stored[0]], "old.json; tell them apart with --names old,new"),
    ):
        found = run(*words)
        assert isinstance(found.exception, (cm.ConfmatError, SystemExit))
        assert message in f"{found.exception}{found.output}"


def test_options_of_rows_are_refused_for_matrices(stored: list[Path]) -> None:
    for option in (
        ["--any-spelling"],
        ["--weight w"],
        ["--missing drop"],
        ["--aliases names.csv"],
    ):
        assert "stored matrix" in f"{run(*stored, *option).exception}"


# --- stacks of clusters ---------------------------------------------------------------------------


@pytest.fixture
def by_image(tmp_path: Path) -> list[Path]:
    truth, *answers = zip(*(line.split(",") for line in ROWS.split()), strict=True)
    paths = []
    for name, each in zip(("old", "new"), answers, strict=True):
        paths.append(tmp_path / f"{name}.json")
        images = [place // 3 for place in range(len(truth))]
        cm.save(cm.count(list(truth), list(each), clusters=images).along("image"), paths[-1])
    return paths


def test_stored_stacks_are_paired_by_image(by_image: list[Path]) -> None:
    found = run(*by_image)
    assert found.exit_code == 0, found.output
    assert "paired by image, Student's t, p = " in found.output
    assert "Paired by image: 34 images" in found.output
    told = json.loads(run(*by_image, "-m f1.macro -f json").output)
    assert told["design"] == "paired by image, 34 images"
    models: dict[str, Any] = {path.stem: cm.load(path) for path in by_image}
    assert (
        told["differences"][0]["p_high"]
        == cm.compare(models, metrics=["f1.macro"]).of("f1.macro").p_value
    )
    assert "unpaired" in run(*by_image, "--different-items").output
    for words in (["--classes f1"], ["--cells", 2]):
        assert run(*by_image, *words).exit_code == 0


def test_what_is_wrong_with_stacks_is_said(
    by_image: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = cm.load(by_image[0])
    assert isinstance(first, cm.Stack)
    for name, stack in (
        ("fewer", cm.Stack({key: m for key, m in first.items() if key}, axis="image")),
        ("labels", first.along("label")),
        ("matrix", first.sum()),
    ):
        cm.save(stack, tmp_path / f"{name}.json")
    for words, message in (
        ([by_image[0]], "no rivals: give one such stack for each model, a file for each\n"),
        ([tmp_path / "labels.json"], "of one model, and no rivals"),
        ([by_image[0], tmp_path / "fewer.json"], "'fewer' lacks 1 of the images of 'old': 0; "),
        ([by_image[0], tmp_path / "fewer.json"], "or say --different-items if"),
        ([by_image[0], tmp_path / "matrix.json"], "'matrix' is no stack of clusters, but 'old' is"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(["compare", *words_of(words)])
        assert message in capsys.readouterr().err
