"""`confmat detect`: COCO files and YOLO folders into matrices, pages and average precision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from tests.cli.conftest import Counted, Run, Told

RNG = np.random.default_rng(5)


def boxes(many: int) -> Any:
    return np.concatenate([RNG.integers(0, 60, (many, 2)), RNG.integers(8, 20, (many, 2))], axis=1)


TRUE, NOISE = boxes(60), RNG.integers(-3, 4, (60, 4))
KINDS, ANSWERS = RNG.integers(0, 3, 60), RNG.integers(0, 3, 60)
ANSWERS[:40] = KINDS[:40]
SURE = RNG.random(60).round(3)
NAMES = ["car", "bus", "person"]
TRUTH: dict[str, Any] = {
    "images": [{"id": number} for number in range(10)],
    "categories": [{"id": number, "name": name} for number, name in enumerate(NAMES)],
    "annotations": [
        {"id": n, "image_id": n % 10, "category_id": int(KINDS[n]), "bbox": TRUE[n].tolist()}
        for n in range(60)
    ],
}
FOUND = [
    {
        "image_id": n % 10,
        "category_id": int(ANSWERS[n]),
        "bbox": (TRUE[n] + NOISE[n]).tolist(),
        "score": SURE[n].item(),
    }
    for n in range(60)
]


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "truth.json").write_text(json.dumps(TRUTH))
    (folder / "found.json").write_text(json.dumps(FOUND))
    for name in ("labels", "answers"):
        (folder / name).mkdir()
    for image in range(10):
        rows = [n for n in range(60) if n % 10 == image]
        for name, kinds, places in (("labels", KINDS, TRUE), ("answers", ANSWERS, TRUE + NOISE)):
            lines = []
            for n in rows:
                x, y, w, h = places[n] / 100
                sure = f" {SURE[n]}" if name == "answers" else ""
                lines.append(f"{kinds[n]} {x + w / 2} {y + h / 2} {w} {h}{sure}")
            (folder / name / f"{image}.txt").write_text("\n".join(lines) + "\n")
    return folder


def test_it_is_what_detections_gives(counted: Counted, files: Path) -> None:
    sides = cm.detection.read_coco(TRUTH, FOUND)
    assert counted("detect truth.json found.json") == cm.count_boxes(*sides)
    expected = cm.count_boxes(
        *sides, iou=0.7, confidence=0.1, matching="confidence", same_class="ignored"
    )
    options = ("--iou 0.7 --confidence 0.1 --matching confidence --same-class ignored",)
    assert counted("detect truth.json found.json", *options) == expected
    assert counted("detect truth.json found.json --iou 0.5,0.75") == cm.count_boxes(
        *sides, iou=[0.5, 0.75]
    )
    by_score = counted("detect truth.json found.json --confidence 0.2,0.5")
    assert by_score == cm.count_boxes(*sides, confidence=[0.2, 0.5])


def test_folders_of_yolo(counted: Counted, files: Path) -> None:
    found = counted("detect labels answers -l", ",".join(NAMES))
    assert found == cm.count_boxes(*cm.detection.read_yolo("labels", "answers", names=NAMES))
    assert list(found.labels) == [*NAMES, "background"]


def test_a_page_with_examples(run: Run, no: Told, files: Path) -> None:
    status, _, err = run("detect truth.json found.json --html page.html")
    assert status == 0, err
    assert "page.html written" in err
    assert "predicted box" in (files / "page.html").read_text()
    assert "give one --iou and one --confidence" in no(
        "detect truth.json found.json --html page.html --iou 0.5,0.6"
    )
    assert run("detect truth.json found.json --html found.json")[0] == 2
    assert json.loads((files / "found.json").read_text()) == FOUND


def test_average_precision(ok: Told, files: Path) -> None:
    expected = cm.detection.coco_average_precision(*cm.detection.read_coco(TRUTH, FOUND))
    assert ok("detect truth.json found.json --coco") == f"{expected}\n"
    out = ok("detect truth.json found.json --coco -f json")
    assert json.loads(out)[-1] == {"class": "all", "ap": pytest.approx(expected.mean)}
    out = ok("detect labels answers --coco -l", ",".join(NAMES))
    assert "person" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["labels", "found.json"], "must both be folders (YOLO) or both files (COCO)"),
        (["nowhere.json", "found.json"], "nowhere.json: there is no such file to read boxes from"),
        (["found.json", "truth.json"], "needs lists of `images`"),
        ("truth.json found.json --iou high", "'high' is no list of numbers"),
        (
            "truth.json found.json --iou 0.5,0.6 --confidence 0.1,0.2",
            "a stack has one axis",
        ),
        (
            "truth.json found.json --coco --iou 0.5",
            "--iou is not read here: --coco prints",
        ),
        (
            "truth.json found.json --coco --html x.html",
            "--html is not read here: --coco prints",
        ),
    ],
)
def test_what_is_wrong_is_said(no: Told, files: Path, arguments: str, said: str) -> None:
    assert said in no("detect", arguments)


def test_no_boxes_are_overwritten(run: Run, folder: Path) -> None:
    for side in ("truth", "found"):
        (folder / side).mkdir()
        (folder / side / "1.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    for option in ("-o", "--html"):
        status, _, err = run(f"detect truth found {option} truth/1.txt")
        assert (status, "truth/1.txt is an input and would be overwritten" in err) == (2, True)
