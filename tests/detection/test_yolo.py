"""YOLO's folders: what they mean, and what is no such file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import confmat as cm


def folders(root: Path, truth: dict[str, str], found: dict[str, str]) -> tuple[Path, Path]:
    made = root / "labels", root / "found"
    for folder, texts in zip(made, (truth, found), strict=True):
        folder.mkdir(parents=True)
        for name, text in texts.items():
            (folder / name).write_text(text)
    return made


TRUTH = {
    "a.txt": "0 0.5 0.5 0.2 0.2\n2 0.1 0.1 0.1 0.1\n",
    "b.txt": "",
    "c.txt": "1 .3 .3 .2 .1\r\n\r\n",
}
FOUND = {
    "a.txt": "0 0.5 0.5 0.2 0.18 0.9\n",
    "c.txt": "0 .3 .3 .2 .1 .5\n",
    "d.txt": "1 .3 .3 .2 .1 .6",
}
NAMES = ["cat", "dog", "hen", "owl"]


def counts(m: cm.ConfusionMatrix) -> dict[tuple[Any, Any], int]:
    return {pair: int(count) for pair, count in m.pairs().items()}


def test_folders_are_matched_by_the_names_of_their_files(tmp_path: Path) -> None:
    sides = cm.detection.read_yolo(*folders(tmp_path, TRUTH, FOUND), names=NAMES)
    m = cm.count_boxes(*sides)
    # Image b is empty on both sides, d has no file of truths: no objects, as YOLO has it.
    assert counts(m) == {
        ("cat", "cat"): 1,
        ("hen", "background"): 1,
        ("dog", "cat"): 1,
        ("background", "dog"): 1,
    }
    assert m.labels.classes == tuple(NAMES)
    assert sides[0].images == ["a", "c", "b"]
    numbers = cm.count_boxes(*cm.detection.read_yolo(tmp_path / "labels", str(tmp_path / "found")))
    assert numbers.labels.classes == (0, 1, 2)
    assert numbers.total == m.total
    mapped = cm.detection.read_yolo(
        tmp_path / "labels", tmp_path / "found", names=dict(enumerate(NAMES))
    )
    assert cm.count_boxes(*mapped) == m


def test_names_beside_the_labels_are_read_and_are_no_labels(tmp_path: Path) -> None:
    made = folders(tmp_path, {**TRUTH, "classes.txt": "cat\ndog\nhen\nowl\n"}, FOUND)
    assert cm.count_boxes(*cm.detection.read_yolo(*made)).labels.classes == tuple(NAMES)


def test_a_gap_in_the_names_shifts_none(tmp_path: Path) -> None:
    made = folders(tmp_path, {**TRUTH, "classes.txt": "cat\n\nhen\nowl\n"}, FOUND)
    with pytest.raises(cm.InputError, match=r"classes\.txt, line 2, is empty"):
        cm.detection.read_yolo(*made)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("0 .5 .5 .2", r"a\.txt, line 2: wanted 'class cx cy width height', got '0 .5 .5 .2'"),
        ("0 .1 .1 .2 .1 .2 .2 .1 .2", "a polygon or a rotated box"),
        ("0 .5 .5 nan .2", "box 1 of image 'a' has width = nan"),
        ("0 .5 .5 \x1b[2J .2", "line 2: wanted"),
        ("7 .5 .5 .1 .2", "class 7 has no name"),
    ],
)
def test_lines_that_are_no_box(line: str, words: str, tmp_path: Path) -> None:
    made = folders(tmp_path, {"a.txt": f"0 .5 .5 .2 .2\n{line}\n"}, FOUND)
    with pytest.raises(cm.ConfmatError, match=words) as caught:
        cm.detection.read_yolo(*made, names=NAMES)
    assert "\x1b" not in str(caught.value)


def test_predictions_need_a_confidence(tmp_path: Path) -> None:
    with pytest.raises(
        cm.InputError,
        match=r"a\.txt, line 1: wanted 'class cx cy width height confidence'.*save_conf",
    ):
        cm.detection.read_yolo(*folders(tmp_path, TRUTH, TRUTH))


def test_folders_that_are_none(tmp_path: Path) -> None:
    made = folders(tmp_path, TRUTH, FOUND)
    with pytest.raises(cm.InputError, match="names of all classes, not one text"):
        cm.detection.read_yolo(*made, names="cat")


def test_folders_without_a_common_image_are_refused(tmp_path: Path) -> None:
    made = folders(tmp_path, {"a.txt": "0 .5 .5 .2 .2"}, {"frame_a.txt": "0 .5 .5 .2 .2 .9"})
    with pytest.raises(cm.InputError, match="no image in common"):
        cm.count_boxes(*cm.detection.read_yolo(*made))


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    labels, found = folders(tmp_path, TRUTH, {})
    with pytest.raises(
        cm.InputError, match=r"found has no \.txt file with labels; .* leave an empty file$"
    ):
        cm.detection.read_yolo(labels, found)
    (found / "a.txt").write_text("")
    assert len(cm.detection.read_yolo(labels, found)[1]) == 0
    (found / "a.txt").unlink()
    (found / "labels").mkdir()
    (found / "labels" / "a.txt").write_text(FOUND["a.txt"])
    with pytest.raises(cm.InputError, match="ultralytics writes them to a folder 'labels'"):
        cm.detection.read_yolo(labels, found)
    assert len(cm.detection.read_yolo(labels, found / "labels")[1]) == 1
