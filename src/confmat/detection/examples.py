"""Examples of detections: a few boxes of every cell of a detection matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting.examples import Examples
from confmat.detection.boxes import BoxFormat
from confmat.detection.counting import Matching, Rules, SameClass, assign, level, paired
from confmat.detection.scenes import Given, Scene, considered, scene_of

Array = NDArray[Any]
_COLUMNS = ("image", "true box", "predicted box", "iou", "score")


def examples_of_detections(
    truth: Any,
    predicted: Any,
    *,
    per_cell: int = 20,
    hits: bool = False,
    seed: int = 0,
    iou: float = 0.5,
    confidence: float | None = 0.25,
    labels: Any = None,
    same_class: SameClass = "first",
    matching: Matching = "optimal",
    box_format: BoxFormat = "xyxy",
    background: str = "background",
    overlaps: Any = None,
) -> Examples:
    """Collect a few boxes of every cell of the matrix of `count_boxes` on the same arguments, for `html(m, examples=)`.

    An example names its image and shows the corners of the true and of the predicted box, their overlap, and the score
    of the model.

    Parameters
    ----------
    per_cell, hits, seed
        As in `Examples`; by default only errors are kept.
    truth, predicted, iou, confidence, labels, same_class, matching, box_format, background, overlaps
        As in `count_boxes`.

    Examples
    --------
    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": ["cat"]}]
    >>> predicted = [{"boxes": [[1, 0, 10, 10]], "labels": ["dog"], "scores": [0.75]}]
    >>> examples_of_detections(truth, predicted)["cat", "dog"]
    [{'image': 0, 'true box': '0 0 10 10', 'predicted box': '1 0 10 10', 'iou': 0.9, 'score': 0.75}]
    """
    rules = Rules(matching, same_class)
    rules.check()
    least, sure = level("iou", iou), None if confidence is None else level("confidence", confidence)
    given = Given(truth, predicted, labels, box_format, background, overlaps)
    scene = scene_of(given, iou=least, confidences=[sure])
    made = Examples(per_cell, columns=_COLUMNS, hits=hits, seed=seed)
    rows, cols, left, right, overlap = paired(scene, assign(scene, rules, least, considered(scene.predicted, sure)))
    shown = np.flatnonzero(np.ones(len(rows), bool) if hits else rows != cols)
    names = list(scene.labels)
    made.update(
        [names[row] for row in rows[shown].tolist()],
        [names[col] for col in cols[shown].tolist()],
        [
            _example(scene, *one)
            for one in zip(left[shown].tolist(), right[shown].tolist(), overlap[shown].tolist(), strict=True)
        ],
    )
    return made


def _example(scene: Scene, left: int, right: int, overlap: float) -> tuple[Any, ...]:
    image = scene.truth.image[left] if left >= 0 else scene.image_of_predicted[right]
    scores = scene.predicted.scores
    return (
        scene.images[image],
        _corners(scene.truth.corners, left),
        _corners(scene.predicted.corners, right),
        round(overlap, 4) if left >= 0 and right >= 0 else None,
        None if scores is None or right < 0 else round(float(scores[right]), 4),
    )


def _corners(corners: Array, place: int) -> str | None:
    return None if place < 0 else " ".join(f"{value:.6g}" for value in corners[place].tolist())
