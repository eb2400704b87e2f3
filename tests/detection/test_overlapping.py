"""Overlaps that the caller states: the boxes' own give the same matrix, masks agree with pycocotools."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm

Array = NDArray[Any]
CANVAS = 40


def tables(truth: list[dict[str, Any]], predicted: list[dict[str, Any]]) -> list[Array]:
    """Intersection over union of the boxes, or of a region to ignore the part of the prediction in it."""
    made = []
    for one, other in zip(truth, predicted, strict=True):
        mine, theirs = (np.array(side["boxes"], float).reshape(-1, 4) for side in (one, other))
        starts = np.maximum(mine[:, None, :2], theirs[:, :2])
        inner = np.prod(
            np.maximum(np.minimum(mine[:, None, 2:], theirs[:, 2:]) - starts, 0), axis=2
        )
        areas = [np.prod(side[:, 2:] - side[:, :2], axis=1) for side in (mine, theirs)]
        ignored = np.array(one.get("ignore", np.zeros(len(mine))), bool)[:, None]
        made.append(inner / np.where(ignored, areas[1], areas[0][:, None] + areas[1] - inner))
    return made


def drawn(seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rng = np.random.default_rng(seed)
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for _ in range(6):
        for side in sides:
            n = int(rng.integers(0, 7))
            start = rng.integers(0, 12, (n, 2))
            boxes = np.hstack([start, start + rng.integers(3, 9, (n, 2))])
            side.append(
                {"boxes": boxes, "labels": rng.integers(0, 3, n), "scores": rng.random(n).round(1)}
            )
        sides[0][-1]["ignore"] = rng.random(len(sides[0][-1]["boxes"])) < 0.2
    return sides


@pytest.mark.parametrize("seed", range(6))
def test_stated_overlaps_of_the_boxes_change_nothing(seed: int) -> None:
    truth, predicted = drawn(seed)
    options: dict[str, Any] = {"labels": [0, 1, 2], "iou": [0.3, 0.5], "confidence": 0.2}
    overlaps = tables(truth, predicted)
    expected = cm.count_boxes(truth, predicted, **options)
    assert cm.count_boxes(truth, predicted, overlaps=overlaps, **options) == expected
    assert (
        expected.dropped == cm.count_boxes(truth, predicted, overlaps=overlaps, **options).dropped
    )
    named = [
        {f"image {i}": one for i, one in enumerate(side)} for side in (truth, predicted, overlaps)
    ]
    assert cm.count_boxes(named[0], named[1], overlaps=named[2], **options) == expected
    examples = [
        cm.detection.box_errors(truth, predicted, labels=[0, 1, 2], overlaps=some).examples
        for some in (None, overlaps)
    ]
    assert examples[0] == examples[1]


def test_tables_that_do_not_fit_are_refused() -> None:
    one = [{"boxes": [[0, 0, 5, 5]] * 2, "labels": [1, 1], "scores": [0.5, 0.5]}]
    wrong: list[tuple[Any, str]] = [
        (
            [np.zeros((1, 2))],
            r"of image 0 are of shape \(1, 2\) and type float64, not numbers of shape \(2, 2\)",
        ),
        ([None], r"of shape \(\) and type object"),
        ([[["a", "b"]] * 2], "and type <U1"),
        ([np.full((2, 2), np.nan)], "go from nan to nan"),
        ([np.full((2, 2), 1.5)], "go from 1.5 to 1.5; they are shares"),
        ([np.full((2, 2), -0.1)], "go from -0.1"),
        ([], "a table for each of 1 images"),
        ({"a": np.zeros((2, 2))}, "type object"),
        ("tables", "in a list or a mapping"),
        (7, "in a list or a mapping"),
    ]
    for overlaps, words in wrong:
        with pytest.raises(cm.InputError, match=words):
            cm.count_boxes(one, one, overlaps=overlaps)
    # Where a side has no box there is nothing to tell.
    assert cm.count_boxes(one, [{"boxes": []}], overlaps=[None], confidence=None).total == 2


def masks(rng: np.random.Generator, n: int) -> Array:
    """Ellipses."""
    grid = np.mgrid[:CANVAS, :CANVAS]
    centre, size = rng.uniform(8, CANVAS - 8, (2, n, 1, 1)), rng.uniform(4, 9, (2, n, 1, 1))
    return (((grid[:, None] - centre) / size) ** 2).sum(axis=0) <= 1


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("seed", range(4))
def test_average_precision_of_masks_agrees_with_pycocotools(seed: int) -> None:
    api = pytest.importorskip("pycocotools.coco", reason="pycocotools is not installed")
    evaluation = pytest.importorskip("pycocotools.cocoeval", reason="pycocotools is not installed")
    coded = pytest.importorskip("pycocotools.mask", reason="pycocotools is not installed")
    rng = np.random.default_rng(seed)
    truth, results, overlaps = [], [], []
    data: dict[str, Any] = {
        "images": [],
        "annotations": [],
        "categories": [{"id": 0, "name": "a"}, {"id": 1, "name": "b"}],
    }
    found: list[dict[str, Any]] = []
    for image in range(8):
        mine = masks(rng, int(rng.integers(1, 7)))
        theirs = np.concatenate([np.roll(mine, rng.integers(-2, 3), axis=1), masks(rng, 2)])
        codes = [
            coded.encode(np.asfortranarray(side.astype(np.uint8).transpose(1, 2, 0)))
            for side in (mine, theirs)
        ]
        boxes = [coded.toBbox(side) for side in codes]
        labels = [rng.integers(0, 2, len(side)) for side in codes]
        crowd = (rng.random(len(mine)) < 0.2).astype(int)
        scores = rng.random(len(theirs)).round(1)
        overlaps.append(coded.iou(codes[1], codes[0], crowd.tolist()).T)
        truth.append({"boxes": boxes[0], "labels": labels[0], "iscrowd": crowd})
        results.append({"boxes": boxes[1], "labels": labels[1], "scores": scores})
        data["images"].append({"id": image, "height": CANVAS, "width": CANVAS})
        for i, code in enumerate(codes[0]):
            entry = {
                "id": len(data["annotations"]) + 1,
                "image_id": image,
                "category_id": int(labels[0][i]),
            }
            area = float(coded.area(code))
            data["annotations"].append(
                {**entry, "segmentation": code, "area": area, "iscrowd": int(crowd[i])}
            )
        for i, code in enumerate(codes[1]):
            result = {
                "image_id": image,
                "category_id": int(labels[1][i]),
                "score": float(scores[i]),
            }
            found.append({**result, "segmentation": code})
    with contextlib.redirect_stdout(io.StringIO()):
        annotated = api.COCO()
        annotated.dataset = data
        annotated.createIndex()
        judged = evaluation.COCOeval(annotated, annotated.loadRes(found), "segm")
        judged.evaluate()
        judged.accumulate()
        judged.summarize()
    ours = cm.detection.coco_average_precision(truth, results, overlaps=overlaps, box_format="xywh")
    assert ours.mean == pytest.approx(judged.stats[0], abs=1e-12)
    assert ours.at(0.5) == pytest.approx(judged.stats[1], abs=1e-12)
    assert 0 < ours.mean < 1
