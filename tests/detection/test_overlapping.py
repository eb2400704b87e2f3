"""Overlaps that the caller states: the boxes' own give the same matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm

Array = NDArray[Any]


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
        ([np.full((2, 2), np.nan)], "go from nan to nan"),
        ([np.full((2, 2), 1.5)], "go from 1.5 to 1.5; they are shares"),
        ([], "a table for each of 1 images"),
        ("tables", "in a list or a mapping"),
    ]
    for overlaps, words in wrong:
        with pytest.raises(cm.InputError, match=words):
            cm.count_boxes(one, one, overlaps=overlaps)
    # Where a side has no box there is nothing to tell.
    assert cm.count_boxes(one, [{"boxes": []}], overlaps=[None], confidence=None).total == 2
