"""COCO's files: what they mean, and what is no such file."""

from __future__ import annotations

import copy
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm

TRUTH: dict[str, Any] = {
    "info": {"year": 2017},
    "images": [
        {"id": 9, "file_name": "b.jpg"},
        {"id": 4, "file_name": "a.jpg"},
        {"id": 5, "file_name": "c.jpg"},
    ],
    "categories": [
        {"id": 18, "name": "dog"},
        {"id": 3, "name": "car"},
        {"id": 1, "name": "person"},
    ],
    "annotations": [
        {"id": 1, "image_id": 9, "category_id": 18, "bbox": [0, 0, 10, 10], "iscrowd": 0},
        {"id": 2, "image_id": 4, "category_id": 1, "bbox": [5.5, 5, 20, 10]},
        {"id": 3, "image_id": 4, "category_id": 1, "bbox": [100, 0, 100, 100], "iscrowd": 1},
    ],
}
RESULTS: list[dict[str, Any]] = [
    {"image_id": 9, "category_id": 18, "bbox": [0, 0, 10, 9], "score": 0.9},
    {"image_id": 4, "category_id": 18, "bbox": [5.5, 5, 20, 10], "score": 0.5},
    {"image_id": 4, "category_id": 1, "bbox": [110, 10, 5, 5], "score": 1},
    {"image_id": 5, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.3},
    {"image_id": 5, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.1},
]


def files(folder: Path, truth: Any, results: Any) -> tuple[Path, Path]:
    paths = folder / "truth.json", folder / "results.json"
    for path, data in zip(paths, (truth, results), strict=True):
        path.write_text(json.dumps(data))
    return paths


def test_files_and_what_json_makes_of_them_are_read_alike(tmp_path: Path) -> None:
    paths = files(tmp_path, TRUTH, RESULTS)
    expected = {("dog", "dog"): 1, ("person", "dog"): 1, ("background", "person"): 1}
    for sides in (
        cm.detection.read_coco(*paths),
        cm.detection.read_coco(*map(str, paths)),
        cm.detection.read_coco(TRUTH, RESULTS),
    ):
        m = cm.count_boxes(*sides)
        # All categories are classes, by id; the crowd is no truth and takes in what lies in it.
        assert list(m.labels) == ["person", "car", "dog", "background"]
        assert {pair: int(count) for pair, count in m.pairs().items()} == expected
        assert m.dropped == 1
        assert sides[0].images == [4, 5, 9]


def test_what_was_never_json_may_hold_numbers_of_numpy() -> None:
    forms: list[Any] = [np.array, tuple, lambda box: [*map(np.float64, box)]]
    made = [
        {
            "image_id": np.int64(one["image_id"]),
            "category_id": np.int32(one["category_id"]),
            "bbox": form(one["bbox"]),
            "score": np.float32(one["score"]),
        }
        for one, form in zip(RESULTS, itertools.cycle(forms), strict=False)
    ]
    expected = cm.count_boxes(*cm.detection.read_coco(TRUTH, RESULTS))
    assert cm.count_boxes(*cm.detection.read_coco(TRUTH, made)) == expected
    with pytest.raises(cm.InputError, match=r"result 1 has score = True"):
        cm.detection.read_coco(TRUTH, [made[0], {**made[1], "score": np.True_}])


def test_predictions_may_be_annotations_with_scores() -> None:
    assert cm.count_boxes(
        *cm.detection.read_coco(TRUTH, {"annotations": RESULTS})
    ) == cm.count_boxes(*cm.detection.read_coco(TRUTH, RESULTS))


def test_no_results_and_no_annotations() -> None:
    m = cm.count_boxes(*cm.detection.read_coco(TRUTH, []))
    assert {pair: int(count) for pair, count in m.pairs().items()} == {
        ("dog", "background"): 1,
        ("person", "background"): 1,
    }
    m = cm.count_boxes(*cm.detection.read_coco({**TRUTH, "annotations": []}, RESULTS))
    assert m.total == m.pairs()["background", "dog"] + m.pairs()["background", "person"] == 4
    assert cm.count_boxes(*cm.detection.read_coco({**TRUTH, "annotations": []}, [])).total == 0


def test_images_as_texts() -> None:
    truth, results = copy.deepcopy((TRUTH, RESULTS))
    for one in truth["images"]:
        one["id"] = f"{one['id']}.jpg"
    for one in (*truth["annotations"], *results):
        one["image_id"] = f"{one['image_id']}.jpg"
    assert cm.count_boxes(*cm.detection.read_coco(truth, results)) == cm.count_boxes(
        *cm.detection.read_coco(TRUTH, RESULTS)
    )


def changed(part: str, number: int, **fields: Any) -> dict[str, Any]:
    truth = copy.deepcopy(TRUTH)
    truth[part][number].update(fields)
    return truth


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        ([], "needs lists of `images`, `annotations` and `categories`, and is a list"),
        ({**TRUTH, "images": [*TRUTH["images"], {"id": 4}]}, "images have ids that come twice: 4"),
        (
            {**TRUTH, "categories": [*TRUTH["categories"], {"id": 3}]},
            r"truth\S*: categories have ids that come twice: 3",
        ),
        (
            {**TRUTH, "images": [*TRUTH["images"], {"id": "4"}]},
            "some are numbers and some are texts",
        ),
        (
            changed("annotations", 2, id=1),
            r"truth\S*: annotations have ids that come twice: 1; give each its own",
        ),
        (
            changed("annotations", 0, ignore=1),
            "annotation 0 has ignore = 1 and iscrowd = 0, .* set iscrowd to 1",
        ),
        (changed("categories", 1, name="dog"), "several categories are called 'dog'"),
        (
            changed("annotations", 1, bbox=[1, 2, 3]),
            r"annotation 1 has bbox = \[1, 2, 3\], not four numbers",
        ),
        (
            changed("annotations", 1, bbox=[1, 2, float("nan"), 4]),
            "box 0 of image 4 has width = nan",
        ),
        (changed("annotations", 1, bbox=[1, 2, 10**400, 4]), "beyond all floats"),
        (
            changed("annotations", 1, image_id=77),
            "annotation 1 has image_id = 77, which is not among the images",
        ),
        (
            changed("annotations", 1, category_id=90),
            "category_id = 90, which is not among the categories",
        ),
        (
            changed("annotations", 1, iscrowd="0"),
            "annotation 1 has iscrowd or ignore = '0', not 0 or 1",
        ),
        (
            {**TRUTH, "annotations": [{"image_id": 4, "category_id": 1}]},
            "annotation 0 has no `bbox`",
        ),
    ],
)
def test_truths_that_are_none(truth: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(cm.ConfmatError, match=words):
        cm.detection.read_coco(truth, RESULTS)
    if "beyond" not in words:
        with pytest.raises(cm.ConfmatError, match=words):
            cm.detection.read_coco(*files(tmp_path, truth, RESULTS))


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ({"image_id": 9}, "must be a list of results"),
        ([{**RESULTS[0], "score": True}], "result 0 has score = True"),
        ([{**RESULTS[0], "score": float("nan")}], "box 0 of image 9 has the score nan"),
        (
            [RESULTS[0], {"image_id": 9, "category_id": 18, "segmentation": {}}],
            "result 1 has no `bbox`",
        ),
        (
            [RESULTS[0], {**RESULTS[1], "image_id": 1}, {**RESULTS[1], "image_id": 2}],
            "result 1 has image_id = 1.*2 such",
        ),
    ],
)
def test_results_that_are_none(results: Any, words: str) -> None:
    with pytest.raises(cm.ConfmatError, match=words):
        cm.detection.read_coco(TRUTH, results)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "bad.json: the file is empty"),
        (b"{", "bad.json is no JSON"),
        (b"[" * 200_000, "bad.json is nested too deeply"),
    ],
)
def test_files_that_are_no_json(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    with pytest.raises(cm.InputError, match=words):
        cm.detection.read_coco(tmp_path / "bad.json", RESULTS)


def sized(boxes: list[list[float]], **size: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A truth of one image with that size, and results with these boxes."""
    truth = {**TRUTH, "images": [{"id": 4, **size}], "annotations": []}
    return truth, [{"image_id": 4, "category_id": 18, "bbox": box, "score": 0.9} for box in boxes]


CORNERS: list[list[float]] = [[500 + i, 350, 600, 450] for i in range(6)]


def test_corners_in_place_of_sizes_are_noticed_where_the_images_have_sizes() -> None:
    said = r"6 of 6 boxes of the list of results reach .*\[500, 350, 600, 450\] in an image of 640 x 480: "
    with pytest.raises(cm.InputError, match=said + r"COCO's boxes are \[x, y, width"):
        cm.detection.read_coco(*sized(CORNERS, width=640, height=480))
    larger: list[list[float]] = [[1000, 1000, 50, 50]] * 6
    with pytest.raises(cm.InputError, match=r"pixels, not \[x1, y1, x2, y2\]"):
        cm.detection.read_coco(*sized(larger, width=640, height=480))
    truth, results = sized(CORNERS, width=640, height=480)
    annotations = [{**one, "id": i} for i, one in enumerate(results)]
    with pytest.raises(cm.InputError, match="boxes of the truth reach"):
        cm.detection.read_coco({**truth, "annotations": annotations}, [])


@pytest.mark.parametrize(
    ("boxes", "size"),
    [
        (CORNERS, {}),
        (CORNERS[:4], {"width": 640, "height": 480}),
        ([*CORNERS, *[[0, 0, 9, 9]] * 54], {"width": 640, "height": 480}),
        ([[400, 300, 300, 200]] * 9, {"width": 640, "height": 480}),
    ],
)
def test_what_may_lie_beyond_the_image(boxes: Any, size: dict[str, Any]) -> None:
    assert len(cm.detection.read_coco(*sized(boxes, **size))[1]) == len(boxes)
