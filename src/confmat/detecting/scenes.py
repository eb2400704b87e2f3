"""Scenes: both sides of all images brought together, with every pair of boxes that may match."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.detecting.boxes import Boxes, BoxFormat
from confmat.detecting.classes import check_scale, common_images, common_labels
from confmat.detecting.overlapping import Candidates, Placed, candidates, stated
from confmat.detecting.reading import boxes_of, is_listed
from confmat.errors import ConfmatWarning, InputError, Message
from confmat.labels import Labels

__all__ = ["Given", "Scene", "considered", "scene_of"]

Array = NDArray[Any]

# With as many boxes on both sides, that none is even near another is worth a word.
ENOUGH_TO_WONDER, NEAR = 10, 0.1
# Shares may be this large where models are put together or numbers rounded.
BEYOND = 2.0


class Given(NamedTuple):
    """What a caller passes about the boxes."""

    truth: Any
    predicted: Any
    labels: Any
    box_format: BoxFormat
    background: str
    overlaps: Any


class Scene(NamedTuple):
    """Both sides of all images, and every pair that some threshold may ask for. Overlaps are computed once."""

    labels: Labels
    images: list[Any]
    truth: Boxes
    predicted: Boxes
    # Classes by their place among the labels; -1 is a region for all classes.
    actual: Array
    guessed: Array
    image_of_predicted: Array
    pairs: Candidates
    # Predictions that lie in regions to ignore, by the part of them that does.
    regions: Candidates


def scene_of(given: Given, *, iou: float, confidences: Sequence[float | None]) -> Scene:
    """Read both sides and bring them together; `iou` is the lowest that will be asked for."""
    truth = boxes_of(given.truth, "truth", given.box_format)
    predicted = boxes_of(given.predicted, "predicted", given.box_format)
    if is_listed(given.truth) and is_listed(given.predicted) and len(truth.images) != len(predicted.images):
        msg = Message(
            "{truth} has {:,} images and {predicted} {:,}; lists are paired by position, so an image without "
            "boxes needs a record without boxes",
            len(truth.images),
            len(predicted.images),
        )
        raise InputError(msg)
    if predicted.ignored.any():
        first = predicted.place(int(np.argmax(predicted.ignored)))
        msg = Message("{} in {predicted} is to be ignored; only a truth can be", first)
        raise InputError(msg)
    check_scale(truth, predicted)
    images, image = common_images(truth, predicted)
    names, actual, guessed = common_labels(truth, predicted, given.labels, given.background)
    kept = considered(predicted, min(confidences, key=lambda sure: -math.inf if sure is None else sure))
    if predicted.scores is not None and len(predicted):
        _check_confidence(predicted.scores, [sure for sure in confidences if sure is not None])
    right = Placed(image, predicted.corners, predicted.areas)
    if given.overlaps is not None:
        pairs = stated(given.overlaps, images, truth.image, image, iou)
        of_region, asked = truth.ignored[pairs.truth], kept[pairs.predicted]
        both = [Candidates(*(part[asked & (of_region == which)] for part in pairs)) for which in (False, True)]
    else:
        both = [_among(truth, right, kept, len(images), iou, regions=which) for which in (False, True)]
        if not len(both[0].overlap):
            _wonder(truth, right, len(images))
    return Scene(names, images, truth, predicted, actual, guessed, image, *both)


def considered(predicted: Boxes, confidence: float | None) -> Array:
    """Which predictions are as sure as that; compared in the type of the scores, in which a threshold was meant."""
    if confidence is None:
        return np.ones(len(predicted), bool)
    if predicted.scores is None:
        msg = Message(
            "predictions have no {scores} to compare with {confidence}; say confidence=None to take all of them"
        )
        raise InputError(msg)
    return predicted.scores >= confidence


def _check_confidence(scores: Array, confidences: list[float]) -> None:
    """Refuse a threshold in percent of scores from 0 to 1, and doubt one from 0 to 1 of scores in percent."""
    least, most = float(scores.min()), float(scores.max())
    if confidences and min(confidences) > 1 and least >= 0 and most <= 1:
        msg = Message(
            "{confidence} is {:g} and the scores lie from {:g} to {:g}, so that no prediction would count; give "
            "it as a part of 1, such as 0.25",
            min(confidences),
            least,
            most,
        )
        raise InputError(msg)
    if confidences and most > BEYOND and 0 < max(confidences) <= 1:
        msg = Message(
            "scores reach {:g} and {confidence} is at most {:g}: are the scores percentages? Then say so with a "
            "threshold of their kind, such as {confidence:25}",
            most,
            max(confidences),
        )
        warnings.warn(msg, ConfmatWarning, stacklevel=4)


def _among(truth: Boxes, right: Placed, kept: Array, images: int, iou: float, *, regions: bool) -> Candidates:
    """The pairs of real truths, or of regions to ignore, with predictions that are as sure as that."""
    mine, theirs = np.flatnonzero(truth.ignored == regions), np.flatnonzero(kept)
    left = Placed(truth.image, truth.corners, truth.areas)
    found = candidates(_part(left, mine), _part(right, theirs), images, iou, share=regions)
    return Candidates(mine[found.truth], theirs[found.predicted], found.overlap)


def _part(boxes: Placed, places: Array) -> Placed:
    if len(places) == len(boxes.image):
        return boxes
    return Placed(*(side.take(places, axis=0) for side in boxes))


def _wonder(truth: Boxes, right: Placed, images: int) -> None:
    """Many boxes in the same images, and not one is even near another."""
    left = Placed(truth.image, truth.corners, truth.areas)
    left, right = (
        _part(side, np.flatnonzero(np.isin(side.image, other.image))) for side, other in ((left, right), (right, left))
    )
    if min(len(left.image), len(right.image)) < ENOUGH_TO_WONDER:
        return
    if len(candidates(left, right, images, NEAR).overlap):
        return
    reach = [f"from {side.corners.min():g} to {side.corners.max():g}" for side in (left, right)]
    msg = (
        f"none of {len(right.image):,} predicted boxes overlaps a true one by even {NEAR:g}; coordinates run "
        f"{reach[0]} in the truth and {reach[1]} in the predictions: are both of the same image size and format?"
    )
    warnings.warn(msg, ConfmatWarning, stacklevel=4)
