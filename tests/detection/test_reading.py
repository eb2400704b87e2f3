"""Every way to pass boxes gives the same matrix; what cannot be boxes is refused with its place."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import confmat as cm

pytestmark = pytest.mark.usefixtures("kernel")

IMAGES = ["a", "b", "c"]
TRUE = {"a": [(0, 0, 10, 10, 0), (20, 20, 30, 30, 1)], "b": [(5, 5, 9, 9, 2)], "c": []}
FOUND = {
    "a": [(0, 0, 10, 9, 0, 0.9), (21, 20, 30, 30, 0, 0.5)],
    "b": [],
    "c": [(1, 1, 5, 5, 2, 0.7)],
}
NAMES = ["cat", "dog", "hen"]
WIDE = {"box_format": "xywh"}


def records(side: dict[str, list[Any]], box_format: str = "xyxy") -> dict[str, dict[str, Any]]:
    made = {}
    for image, boxes in side.items():
        rows = [turned(box, box_format) for box in boxes]
        made[image] = {
            "boxes": rows,
            "labels": [box[4] for box in boxes],
            "scores": [box[-1] for box in boxes],
        }
    return made


def turned(box: tuple[Any, ...], box_format: str) -> list[float]:
    x, y, right, top = box[:4]
    if box_format == "xyxy":
        return [x, y, right, top]
    start = [x, y] if box_format == "xywh" else [(x + right) / 2, (y + top) / 2]
    return [*start, right - x, top - y]


def expected() -> cm.ConfusionMatrix:
    m = cm.count_boxes(records(TRUE), records(FOUND), labels=NAMES)
    assert {pair: int(count) for pair, count in m.pairs().items()} == {
        ("cat", "cat"): 1,
        ("dog", "cat"): 1,
        ("hen", "background"): 1,
        ("background", "hen"): 1,
    }
    return m


@pytest.mark.parametrize("box_format", ["xyxy", "xywh", "cxcywh"])
def test_records_in_any_format_as_mapping_or_list(box_format: Any) -> None:
    sides = [records(side, box_format) for side in (TRUE, FOUND)]
    assert cm.count_boxes(*sides, labels=NAMES, box_format=box_format) == expected()
    lists = [list(side.values()) for side in sides]
    assert cm.count_boxes(*lists, labels=NAMES, box_format=box_format) == expected()
    assert (
        cm.count_boxes(iter(lists[0]), tuple(lists[1]), labels=NAMES, box_format=box_format)
        == expected()
    )


def test_arrays_of_any_type_and_labels_as_texts_or_integral_floats() -> None:
    for kind, label in ((np.float32, np.float32), (np.int16, np.uint8), (np.float64, object)):
        sides = [
            [
                {
                    name: np.array(
                        part, kind if name == "boxes" else label if name == "labels" else float
                    )
                    for name, part in one.items()
                }
                for one in records(side).values()
            ]
            for side in (TRUE, FOUND)
        ]
        assert cm.count_boxes(*sides, labels=NAMES) == expected()
    texts = [records(side) for side in (TRUE, FOUND)]
    for side in texts:
        for one in side.values():
            one["labels"] = [NAMES[label] for label in one["labels"]]
    assert cm.count_boxes(*texts) == expected()
    # One side in names and the other in ids.
    assert cm.count_boxes(records(TRUE), texts[1], labels=NAMES) == expected()


@pytest.mark.parametrize(
    "ids",
    [[1, 2], np.array([False, True]), np.array([1, 2**62])],
)
def test_images_have_ids_of_any_type(ids: Any) -> None:
    corners = [[0, 0, 4, 4], [1, 1, 5, 5]]
    sides = (
        cm.Boxes(ids, corners, ["x", "y"]),
        cm.Boxes(ids, corners, ["x", "y"], scores=[0.9, 0.8]),
    )
    assert cm.count_boxes(*sides).counts.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_labels_may_map_any_ids_to_names() -> None:
    sides = [records(side) for side in (TRUE, FOUND)]
    for side in sides:
        for one in side.values():
            one["labels"] = [10 * label + 1 for label in one["labels"]]
    assert cm.count_boxes(*sides, labels={1: "cat", 11: "dog", 21: "hen"}) == expected()
    # Two ids of one class.
    m = cm.count_boxes(*sides, labels={1: "pet", 11: "pet", 21: "hen"})
    assert m.labels.classes == ("pet", "hen")
    assert m.diagonal.tolist() == [2, 0, 0]
    with pytest.raises(cm.LabelError, match="21 in `truth` is no class"):
        cm.count_boxes(*sides, labels={1: "cat", 11: "dog"})


def test_objects_as_supervision_has_them() -> None:
    def held(side: dict[str, list[Any]]) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(
                xyxy=np.array([box[:4] for box in boxes], float).reshape(-1, 4),
                class_id=np.array([box[4] for box in boxes], int),
                confidence=np.array([box[-1] for box in boxes], float),
                mask=None,
            )
            for boxes in side.values()
        ]

    assert cm.count_boxes(held(TRUE), held(FOUND), labels=NAMES) == expected()


@pytest.mark.parametrize(
    ("labels", "scores", "ignore"),
    [
        ("class_id", "conf", "is_crowd"),
    ],
)
def test_records_have_the_names_that_columns_may_have(
    labels: str, scores: str, ignore: str
) -> None:
    truth = {"boxes": [[0, 0, 9, 9], [20, 0, 40, 20]], "labels": ["cat", "cat"], "ignore": [0, 1]}
    found = {
        "boxes": [[0, 0, 9, 9], [21, 1, 30, 9]],
        "labels": ["cat", "cat"],
        "scores": [0.9, 0.1],
    }
    called = {"labels": labels, "scores": scores, "ignore": ignore}
    sides = [
        [{called.get(key, key): part for key, part in side.items()}] for side in (truth, found)
    ]
    for confidence in (0.05, 0.5):
        m = cm.count_boxes([truth], [found], confidence=confidence)
        assert m.counts.tolist() == [[1, 0], [0, 0]]
        assert m.dropped == (confidence < 0.1)
        assert cm.count_boxes(*sides, confidence=confidence) == m


def test_tensors_of_16_bits() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    box = {"boxes": torch.tensor([[0, 0, 8, 8]]).bfloat16(), "labels": torch.tensor([0])}
    found = box | {"scores": torch.tensor([0.75]).bfloat16()}
    assert cm.count_boxes([box], [found], labels=["cat"], confidence=0.75).counts.tolist() == [
        [1, 0],
        [0, 0],
    ]


def test_tensors_with_gradients() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    sides = [
        [
            {name: torch.tensor(part, dtype=torch.float32) for name, part in one.items()}
            for one in records(side).values()
        ]
        for side in (TRUE, FOUND)
    ]
    sides[1][0]["boxes"].requires_grad_()
    assert cm.count_boxes(*sides, labels=NAMES) == expected()


def columns(side: dict[str, list[Any]], names: list[str], box_format: str) -> dict[str, list[Any]]:
    rows = [(image, box) for image, boxes in side.items() for box in boxes]
    made: dict[str, list[Any]] = {
        "image": [image for image, _ in rows],
        "label": [NAMES[box[4]] for _, box in rows],
    }
    for place, name in enumerate(names):
        made[name] = [turned(box, box_format)[place] for _, box in rows]
    return made | {"score": [float(box[-1]) for _, box in rows]}


@pytest.mark.parametrize(
    ("box_format", "names"),
    [
        ("xyxy", ["x1", "y1", "x2", "y2"]),
        ("xyxy", ["xmin", "ymin", "xmax", "ymax"]),
        ("xywh", ["x", "y", "w", "h"]),
        ("cxcywh", ["cx", "cy", "width", "height"]),
    ],
)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(library: str, box_format: Any, names: list[str]) -> None:
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    make = frames.table if library == "pyarrow" else frames.DataFrame
    sides = [make(columns(side, names, box_format)) for side in (TRUE, FOUND)]
    # Image c is in no row of the truth: frames do not name what they have no box of.
    assert cm.count_boxes(*sides, box_format=box_format) == expected()
    with pytest.raises(cm.InputError, match=r"no column 'image' or .*its columns are"):
        cm.count_boxes(make({"file names": ["a"]}), sides[1])


def test_flat_boxes() -> None:
    sides = []
    for side in (TRUE, FOUND):
        table = columns(side, ["x1", "y1", "x2", "y2"], "xyxy")
        boxes = np.array([table[name] for name in ("x1", "y1", "x2", "y2")]).T
        sides.append(
            cm.Boxes(table["image"], boxes, table["label"], scores=table["score"], images=IMAGES)
        )
    assert cm.count_boxes(*sides) == expected()
    assert repr(sides[0]) == "<Boxes: 3 in 3 images>"
    assert len(sides[1]) == 3
    with pytest.raises(cm.InputError, match="images that `images` does not name: 'b'"):
        cm.Boxes(["a", "b"], [[0, 0, 1, 1]] * 2, [0, 0], images=["a"])
    with pytest.raises(cm.InputError, match="these twice: 'a'"):
        cm.Boxes(["a"], [[0, 0, 1, 1]], [0], images=["a", "a"])
    with pytest.raises(cm.InputError, match="box 1 names no image"):
        cm.Boxes(["a", None], [[0, 0, 1, 1]] * 2, [0, 0])
    with pytest.raises(cm.InputError, match="`image` names 1 of 2 boxes"):
        cm.Boxes(["a"], [[0, 0, 1, 1]] * 2, [0, 0])


def test_categories_are_classes_whether_they_occur_or_not() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    table = columns(TRUE, ["x1", "y1", "x2", "y2"], "xyxy")
    frame = pandas.DataFrame(table).assign(
        label=pandas.Categorical(table["label"], ["owl", "hen", "dog", "cat"])
    )
    assert cm.count_boxes(frame, frame, confidence=None).labels.classes == (
        "owl",
        "hen",
        "dog",
        "cat",
    )


@pytest.mark.parametrize("wrong", [np.nan, 1e300])
@pytest.mark.parametrize("box_format", ["xyxy", "xywh", "cxcywh"])
def test_boxes_that_are_no_numbers(wrong: float, box_format: Any) -> None:
    side = {
        "a": {"boxes": [], "labels": []},
        "b\x1b[2J": {"boxes": [[0, 0, 5, 5], [0, 0, wrong, 5]], "labels": [1, 1]},
    }
    with pytest.raises(
        cm.InputError,
        match=r"in `truth`, box 1 of image 'b\\x1b\[2J' has (x2|width) = .*1 such box of 2",
    ):
        cm.count_boxes(side, side, confidence=None, box_format=box_format)


@pytest.mark.parametrize(
    ("box_format", "box", "words"),
    [
        ("xyxy", [9, 0, 3, 5], "corners the wrong way round: 9, 0, 3, 5, read as 'xyxy'"),
        ("xywh", [9, 0, -3, 5], "a negative size"),
    ],
)
def test_boxes_inside_out(box_format: Any, box: list[int], words: str) -> None:
    good = [{"boxes": [[0, 0, 5, 5]], "labels": [1], "scores": [0.5]}]
    bad = [{"boxes": [[0, 0, 5, 5], box], "labels": [1, 1], "scores": [0.5, 0.5]}]
    with pytest.raises(
        cm.InputError, match=f"in `predicted`, box 1 of image 0 has {words}.*is `box_format` right"
    ):
        cm.count_boxes(good, bad, box_format=box_format)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"boxes": [[0, 0, 5, 5]], "labels": [1, 2]}, "image 0 has 1 boxes and 2 `labels`"),
        (
            {"boxes": [[0, 0, 5, 5]], "labels": [1], "scores": []},
            "image 0 has 1 boxes and 0 `scores`",
        ),
        (
            {"boxes": [[0, 0, 5, 5]], "labels": [1], "ignore": [np.nan]},
            "`ignore` is 0 or 1 for each box, not nan",
        ),
        ({"boxes": [[0, 0, 5, 5]]}, "image 0 has 1 boxes and no `labels`"),
        ({"boxes": [[0, 0, 5]], "labels": [1]}, r"of shape \(1, 3\)"),
        ({"boxes": [["0", "0", "5", "5"]], "labels": [1]}, "of shape .* and type <U1"),
        ({"boxes": [[0, 0, 5, 5]], "labels": [None]}, "box 0 of image 0 has no label"),
        (
            {"boxes": [[0, 0, 5, 5]], "labels": [1], "scores": [np.nan]},
            "box 0 of image 0 has the score nan",
        ),
        ({"boxes": [[0, 0, 5, 5], [1, 2]], "labels": [1, 1]}, "cannot read list as an array"),
        ({"boxes": [[0, 0, 5, 5]], "labels": [1], "scores": ["high"]}, "`scores` must be numbers"),
        ({"bbox": [[0, 0, 5, 5]], "labels": [1]}, "a dict with 'bbox', 'labels', not a record"),
        (None, "a NoneType, not a record"),
    ],
)
def test_records_that_are_none(record: Any, words: str) -> None:
    with pytest.raises(cm.InputError, match=f"in `truth`, .*{words}"):
        cm.count_boxes([record], [record], confidence=None)


def test_sides_that_are_none() -> None:
    one = {"boxes": [[0, 0, 5, 5]], "labels": [1], "scores": [0.5]}
    for wrong in (one, "a.json", None, 3, np.zeros((2, 6)), SimpleNamespace(xyxy=[])):
        with pytest.raises(cm.InputError, match="in `truth`, boxes come as a list of records"):
            cm.count_boxes(wrong, [one])
    some = [one, {name: part for name, part in one.items() if name != "scores"}]
    with pytest.raises(
        cm.InputError, match="in `predicted`, some images have `scores` and some have none"
    ):
        cm.count_boxes([one, one], some)


def test_lists_are_of_the_same_images() -> None:
    one = {"boxes": [[0, 0, 5, 5]], "labels": [1], "scores": [0.5]}
    for truth, predicted in (([one] * 3, [one] * 2), ([one] * 2, [one] * 3), (iter([one]), [])):
        with pytest.raises(cm.InputError, match="lists are paired by position"):
            cm.count_boxes(truth, predicted)
    # By name, images without a prediction may be left out.
    assert cm.count_boxes({"a": one, "b": one}, {"a": one}).total == 2


def test_labels_of_two_kinds_are_refused_and_hostile_ones_are_shown_safely() -> None:
    one = [{"boxes": [[0, 0, 5, 5]], "labels": [1], "scores": [0.5]}]
    two = [{"boxes": [[0, 0, 5, 5]], "labels": ["1"], "scores": [0.5]}]
    with pytest.raises(cm.LabelError, match="do not mix"):
        cm.count_boxes(one, two)


def test_one_text_is_no_list_of_labels() -> None:
    boxes = [[0, 0, 9, 9]] * 3
    for labels in ("car", b"car"):
        with pytest.raises(
            cm.InputError,
            match=r"in `truth`, image 0 has `labels` = b?'car', one text; give a list",
        ):
            cm.count_boxes(
                [{"boxes": boxes, "labels": labels}],
                [{"boxes": boxes, "labels": labels}],
                confidence=None,
            )
    with pytest.raises(cm.ConfmatError, match="labels"):
        cm.Boxes([0, 0, 0], boxes, "car")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["x", "y", "w", "h"], r"no column 'x1' .*'x', 'y', 'w', 'h'.*; box_format= says what"),
        (["a", "b", "c", "d"], r"no column 'x1' or 'xmin' or 'x_min'; its columns are"),
    ],
)
def test_columns_of_another_format_say_which(columns: list[str], said: str) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame([["a", "car", 1, 2, 3, 4]], columns=["image", "label", *columns])
    with pytest.raises(cm.InputError, match=said):
        cm.count_boxes(frame, frame, confidence=None)
