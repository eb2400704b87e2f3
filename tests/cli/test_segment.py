"""`confmat segment`: folders of label maps into matrices of pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import confmat as cm
from tests.cli.conftest import Counted, Run, Told

RNG = np.random.default_rng(2)
TRUTH = RNG.integers(0, 3, (4, 12, 15)).astype(np.uint8)
FOUND = np.where(RNG.random(TRUTH.shape) < 0.7, TRUTH, RNG.integers(0, 3, TRUTH.shape)).astype(
    np.uint8
)
TRUTH[:, 0] = 255


@pytest.fixture
def files(folder: Path) -> Path:
    for name, maps in (("truth", TRUTH), ("found", FOUND)):
        (folder / name).mkdir()
        for number, one in enumerate(maps):
            np.save(folder / name / f"{number}.npy", one)
    return folder


def test_it_is_what_segmentation_gives(counted: Counted, files: Path) -> None:
    assert counted("segment truth found --ignore 255") == cm.count_masks(TRUTH, FOUND, ignore=255)
    names = ["road", "car", "sky"]
    named = cm.count_masks(TRUTH, FOUND, labels=names, ignore=255)
    assert counted("segment truth found -l", ",".join(names), "--ignore 255") == named
    one = cm.count_masks(TRUTH[:1], FOUND[:1], ignore=255)
    assert counted("segment truth/0.npy found/0.npy --ignore 255") == one
    stack = counted("segment truth found --ignore 255 --per-image")
    assert stack.axis == "image"
    assert stack.sum() == cm.count_masks(TRUTH, FOUND, ignore=255)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("truth found --ignore void", "no list of whole numbers"),
        (
            "truth found --boundary 1",
            "--boundary; say --ignore, with maps whose pixels away from borders",
        ),
        (["truth", "preds.csv"], "preds.csv"),
        # There is no option --actual here, and none is spoken of.
        (
            ["truth", "small"],
            "image '0.npy' is 12 x 15 in actual and 2 x 2 in predicted; bring both to one size",
        ),
        (["truth/0.npy", "preds.csv"], "preds.csv"),
    ],
)
def test_what_is_wrong_is_said(no: Told, files: Path, arguments: str, said: str) -> None:
    (files / "small").mkdir()
    for number in range(len(TRUTH)):
        np.save(files / "small" / f"{number}.npy", np.zeros((2, 2), np.uint8))
    assert said in no("segment", arguments)


def test_no_map_is_overwritten(run: Run, files: Path) -> None:
    status, _, err = run("segment truth found -o found/1.npy -f json")
    assert (status, "found/1.npy is an input and would be overwritten" in err) == (2, True)
