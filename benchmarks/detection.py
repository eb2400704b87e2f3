"""Detection: how long the matrix of many images with boxes takes, beside supervision's, and COCO's average precision.

Both get the same objects. The answer of the matrix is asserted against the rule written out image
by image; on these boxes, which overlap by chance now and then, the best assignment, the largest
overlaps first and supervision come to the same. The average precisions of every threshold and class
are those of pycocotools.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main

__all__ = ["races"]

IMAGES, BOXES, CLASSES = 5000, 50, 80
CONFIDENCE, IOU = 0.3, 0.5

Array = NDArray[Any]
Image = tuple[Array, Array, Array, Array, Array]


def races(effort: Effort) -> Iterator[Race]:
    """Images of fifty boxes each on both sides."""
    import supervision

    images = effort.pick(IMAGES, IMAGES // 10)
    rng = np.random.default_rng(0)
    scenes = [scene(rng) for _ in range(images)]
    names = [f"class {number}" for number in range(CLASSES)]
    expected = written_out(scenes)
    truth = [supervision.Detections(xyxy=one[0], class_id=one[1]) for one in scenes]
    found = [
        supervision.Detections(xyxy=one[2], class_id=one[3], confidence=one[4]) for one in scenes
    ]
    flat = boxes(scenes, 0, None), boxes(scenes, 2, 4)

    theirs = partial(
        supervision.ConfusionMatrix.from_detections,
        found,
        truth,
        names,
        conf_threshold=CONFIDENCE,
        iou_threshold=IOU,
    )
    ours = partial(cm.count_boxes, iou=IOU, confidence=CONFIDENCE, labels=names)
    n = images * BOXES
    contestants = [
        Contestant(OURS, n, partial(ours, truth, found), expected),
        Contestant(
            "confmat, largest overlaps first",
            n,
            partial(ours, truth, found, matching="overlap"),
            expected,
        ),
        Contestant("confmat, boxes in flat arrays", n, partial(ours, *flat), expected),
        Contestant("supervision", n, theirs, expected, lambda answer: answer.matrix),
    ]
    title = f"boxes of {images:,} images, {BOXES} each on both sides, {CLASSES} classes"
    yield contest("detection", title, contestants, effort, 20)
    few = scenes[: IMAGES // 50]
    yield precision(few, effort)


def precision(scenes: list[Image], effort: Effort) -> Race:
    """Average precision at ten thresholds, of boxes of all areas alone."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    sides = boxes(scenes, 0, None), boxes(scenes, 2, 4)
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = {
            "images": [{"id": image} for image in range(len(scenes))],
            "categories": [{"id": number} for number in range(CLASSES)],
            "annotations": [
                {"id": n + 1, "iscrowd": 0, **one} for n, one in enumerate(entries(scenes, 0, None))
            ],
        }
        truth.createIndex()
        found = truth.loadRes(entries(scenes, 2, 4))

    def theirs() -> Any:
        with contextlib.redirect_stdout(io.StringIO()):
            judged = COCOeval(truth, found, "bbox")
            judged.params.areaRng, judged.params.areaRngLbl, judged.params.maxDets = (
                [[0, 1e10]],
                ["all"],
                [100],
            )
            judged.evaluate()
            judged.accumulate()
        return judged.eval["precision"].mean(axis=1)[:, :, 0, 0].round(9)

    expected, n = theirs(), len(scenes) * BOXES
    contestants = [
        Contestant(
            OURS,
            n,
            partial(cm.detection.coco_average_precision, *sides),
            expected,
            lambda found: found.precision.round(9),
        ),
        Contestant("pycocotools", n, theirs, expected),
    ]
    title = f"COCO's average precision of {len(scenes):,} images, {BOXES} boxes each on both sides"
    return contest("average precision of boxes", title, contestants, effort, 10)


def entries(scenes: list[Image], first: int, scores: int | None) -> list[dict[str, Any]]:
    """Annotations or results as COCO has them."""
    made = []
    for image, one in enumerate(scenes):
        for place, (x, y, right, top) in enumerate(one[first].astype(float).tolist()):
            entry = {
                "image_id": image,
                "category_id": int(one[first + 1][place]),
                "bbox": [x, y, right - x, top - y],
            }
            score = (
                {"area": (right - x) * (top - y)}
                if scores is None
                else {"score": float(one[scores][place])}
            )
            made.append(entry | score)
    return made


def scene(rng: np.random.Generator) -> Image:
    """True boxes and classes; predicted ones, classes and scores: most are near a truth and of its class."""
    start = rng.uniform(0, 1800, (BOXES, 2))
    true = np.concatenate([start, start + rng.uniform(20, 200, (BOXES, 2))], axis=1)
    classes = rng.integers(0, CLASSES, BOXES)
    elsewhere = rng.uniform(0, 1800, (BOXES, 2))
    spurious = np.concatenate([elsewhere, elsewhere + rng.uniform(20, 200, (BOXES, 2))], axis=1)
    moved = true + rng.normal(0, 6, true.shape)
    moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2] + 1)
    near = rng.random(BOXES) < 0.9
    guessed = np.where(rng.random(BOXES) < 0.85, classes, rng.integers(0, CLASSES, BOXES))
    scores = rng.uniform(0.1, 1, BOXES).astype(np.float32)
    return (
        true.astype(np.float32),
        classes,
        np.where(near[:, None], moved, spurious).astype(np.float32),
        guessed,
        scores,
    )


def boxes(scenes: list[Image], first: int, scores: int | None) -> cm.Boxes:
    return cm.Boxes(
        np.repeat(np.arange(len(scenes)), BOXES),
        np.concatenate([one[first] for one in scenes]),
        np.concatenate([one[first + 1] for one in scenes]),
        scores=None if scores is None else np.concatenate([one[scores] for one in scenes]),
        images=range(len(scenes)),
    )


def written_out(scenes: list[Image]) -> Array:
    """Image by image: boxes of one class first, then by falling overlap; what is left goes with the background."""
    counts = np.zeros((CLASSES + 1, CLASSES + 1), np.int64)
    for true, classes, found, guessed, scores in scenes:
        sure = scores >= CONFIDENCE
        kinds = guessed[sure]
        overlap = overlaps(true.astype(np.float64), found[sure].astype(np.float64))
        pairs = np.argwhere(overlap >= IOU).tolist()
        pairs.sort(
            key=lambda pair: (classes[pair[0]] != kinds[pair[1]], -overlap[pair[0], pair[1]])
        )
        mine, theirs = set(range(len(classes))), set(range(len(kinds)))
        for row, col in pairs:
            if row in mine and col in theirs:
                counts[classes[row], kinds[col]] += 1
                mine.remove(row)
                theirs.remove(col)
        for row in mine:
            counts[classes[row], CLASSES] += 1
        for col in theirs:
            counts[CLASSES, kinds[col]] += 1
    return counts


def overlaps(one: Array, other: Array) -> Array:
    """Intersection over union of all with all."""
    starts = np.maximum(one[:, None, :2], other[None, :, :2])
    ends = np.minimum(one[:, None, 2:], other[None, :, 2:])
    inner = np.prod(np.maximum(ends - starts, 0), axis=2)
    areas = [np.prod(side[:, 2:] - side[:, :2], axis=1) for side in (one, other)]
    return inner / (areas[0][:, None] + areas[1] - inner)


if __name__ == "__main__":
    main(races)
