"""Truth and prediction on common images and labels: the boxes that count, and the pairs that overlap enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.building import as_names
from confmat.core.errors import Argument, BudgetError, InputError, LabelError, Message, warn
from confmat.core.labels import Labels
from confmat.core.naming import in_order
from confmat.core.options import told
from confmat.core.text import some
from confmat.detection.boxes import Boxes, BoxFormat, boxes_of, is_listed, plain_array

Array = NDArray[Any]

# Overlapping pairs in memory at once.
MAX_PAIRS = 2**24
# Relative boxes reach from 0 to 1, or a little beyond where a box is cut off; of pixels there are
# more.
MAX_RELATIVE_END, MIN_PIXEL_END = 1.5, 10.0
# With this many boxes on both sides, a warning says that no two overlap by this much.
MIN_BOXES_FOR_DOUBT, NEAR_IOU = 10, 0.1
# Scores from 0 to 1 may be this large where models are put together or numbers rounded.
MAX_ROUNDED_SCORE = 2.0


class Placed(NamedTuple):
    """Boxes and the image that each is in."""

    image: Array
    corners: Array
    areas: Array


class Candidates(NamedTuple):
    """Pairs of boxes, as their places on both sides, and by how much they overlap."""

    truth: Array
    predicted: Array
    overlap: Array


def candidates(
    truth: Placed, predicted: Placed, images: int, least: float, *, share: bool = False
) -> Candidates:
    """Pairs in one image whose intersection over union is at least so much, by truth and prediction.

    With `share` it is the part of the prediction that lies in the other box, whose size does not
    matter then.
    """
    pairs = kernels.kernel.overlapping_boxes(truth, predicted, images, least, share, MAX_PAIRS)
    if pairs is None:
        msg = (
            f"more than {MAX_PAIRS:,} pairs of boxes overlap by {least:g}; ask for larger overlaps or a higher "
            "confidence, or count parts of the images and add the matrices"
        )
        raise BudgetError(msg)
    return Candidates(*pairs)


def stated(
    overlaps: Any, images: list[Any], truth: Array, predicted: Array, least: float
) -> Candidates:
    """Pairs that overlap by at least so much, from a table for each image; sides are the images of their boxes."""
    tables = _tables(overlaps, images)
    orders = [np.argsort(side, kind="stable") for side in (truth, predicted)]
    ends = [np.cumsum(np.bincount(side, minlength=len(images))) for side in (truth, predicted)]
    parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    for image, name in enumerate(images):
        begins = [side[image - 1] if image else 0 for side in ends]
        mine, theirs = (
            order[begin : end[image]]
            for order, begin, end in zip(orders, begins, ends, strict=True)
        )
        if len(mine) and len(theirs):
            table = _table(tables[image], (len(mine), len(theirs)), name)
            rows, cols = np.nonzero(table >= least)
            parts.append((mine[rows], theirs[cols], table[rows, cols]))
    rows, cols, overlap = map(np.concatenate, zip(*parts, strict=True))
    in_order = np.lexsort((cols, rows))
    return Candidates(rows[in_order], cols[in_order], overlap[in_order])


def _tables(overlaps: Any, images: list[Any]) -> list[Any]:
    """The table of each image."""
    if isinstance(overlaps, Mapping):
        return [overlaps.get(name) for name in images]
    if isinstance(overlaps, Iterable) and not isinstance(overlaps, (str, bytes)):
        tables = list(overlaps)
        if len(tables) == len(images):
            return tables
    msg = f"`overlaps` is a table for each of {len(images):,} images, in a list or a mapping"
    raise InputError(msg)


def _table(overlaps: Any, shape: tuple[int, int], image: Any) -> Array:
    """The overlaps of one image as numbers from 0 to 1."""
    table = plain_array(overlaps)
    if table.shape != shape or table.dtype.kind not in "iuf":
        msg = (
            f"`overlaps` of image {some([image])} are of shape {table.shape} and type {table.dtype}, not numbers of "
            f"shape {shape}: a row for each true object and a column for each predicted one"
        )
        raise InputError(msg)
    table = table.astype(np.float64)
    # Rounding may take a perfect overlap a little beyond 1.
    if not (table.min() >= 0 and table.max() <= 1 + 1e-6):
        msg = (
            f"`overlaps` of image {some([image])} go from {table.min()} to {table.max()}; "
            "they are shares, from 0 to 1"
        )
        raise InputError(msg)
    return table


def common_labels(
    truth: Boxes, predicted: Boxes, labels: Any, background: str
) -> tuple[Labels, Array, Array]:
    """The labels of the matrix, with the background outside, and the places of both sides' classes among them."""
    ids: Mapping[Any, Any] = {}
    if labels is None:
        names = _unite(truth, predicted)
    elif isinstance(labels, Mapping):
        names, ids = Labels(list(dict.fromkeys(labels.values()))), labels
    else:
        names = labels if isinstance(labels, Labels) else Labels(as_names(labels))
    if not isinstance(background, str) or not background:
        msg = f"`background` is the name of a row and a column, not {told(background)}"
        raise InputError(msg)
    names = names.replace(
        outside=[*(name for name in names.outside if name != background), background]
    )
    return names, _places(truth, "truth", names, ids), _places(predicted, "predicted", names, ids)


def _unite(truth: Boxes, predicted: Boxes) -> Labels:
    sides = [
        Labels(side.names if side.ordered else in_order(side.names, appearance=False))
        for side in (truth, predicted)
        if side.names
    ]
    if not sides:
        msg = Message(
            "there are no boxes on either side; with {labels=} that gives a matrix of zeros"
        )
        raise InputError(msg)
    return sides[0] if len(sides) == 1 else sides[0].union(sides[1])


def _places(side: Boxes, name: str, labels: Labels, ids: Mapping[Any, Any]) -> Array:
    """The place of each box's class; of integers beside labels that are texts, the place is the integer itself."""
    kinds = {type(name) for name in side.names}
    numbered = not ids and kinds == {int} and labels.kind == "text"
    places = [_place(name, labels, ids, numbered=numbered) for name in side.names]
    codes = np.array([*places, -1], np.int64)[side.codes]
    strange = (codes < 0) & (side.codes >= 0)
    if strange.any():
        number = int(np.argmax(strange))
        wrong = [name for name, place in zip(side.names, places, strict=True) if place < 0]
        what = (
            f"class ids run from 0 to {labels.n_classes - 1}"
            if numbered
            else f"the labels are {some(labels.classes, 8)}"
        )
        msg = Message(
            "{} in {} {} no class: {}. The first is {}",
            some(wrong),
            Argument(name),
            "are" if len(wrong) > 1 else "is",
            what,
            side.place(number),
        )
        raise LabelError(msg)
    return codes


def _place(label: Any, labels: Labels, ids: Mapping[Any, Any], *, numbered: bool) -> int:
    if numbered:
        return label if 0 <= label < labels.n_classes else -1
    if ids and label not in ids and label not in labels:
        return -1
    name = ids.get(label, label) if ids else label
    place = labels.index(name) if name in labels else -1
    return place if place < labels.n_classes else -1


def common_images(truth: Boxes, predicted: Boxes) -> tuple[list[Any], Array]:
    """All images, those of the truth first, and the image of each predicted box among them.

    Where the truth names all its images, predictions of another one are an error.
    """
    places = {name: place for place, name in enumerate(truth.images)}
    strange = [name for name in predicted.images if name not in places]
    is_apart = len(strange) == len(predicted.images)
    if strange and (truth.complete or (is_apart and truth.images)):
        which = "have no image in common with" if is_apart else "are of images that are not in"
        msg = Message(
            "predictions {} {truth}: {}; the truth is of {}",
            which,
            some(strange),
            some(truth.images),
        )
        raise InputError(msg)
    images = [*truth.images, *strange]
    places |= {name: len(truth.images) + place for place, name in enumerate(strange)}
    return images, np.array([places[name] for name in predicted.images], np.int64)[predicted.image]


def check_scale(truth: Boxes, predicted: Boxes) -> None:
    """Refuse boxes that are relative to the image on one side and in pixels on the other."""
    if not len(truth) or not len(predicted):
        return
    reach = {"truth": float(truth.corners.max()), "predicted": float(predicted.corners.max())}
    relative, pixels = sorted(reach, key=lambda name: reach[name])
    small, large = reach[relative], reach[pixels]
    corners = truth.corners if relative == "truth" else predicted.corners
    # Whole numbers may be a single pixel in the corner.
    if small <= MAX_RELATIVE_END and large > MIN_PIXEL_END and np.any(corners % 1):
        msg = (
            f"boxes in `{relative}` reach to {small:g} and those in `{pixels}` to {large:g}: one side is relative "
            "to the size of the image and the other in pixels; multiply by width and height first"
        )
        raise InputError(msg)


class Inputs(NamedTuple):
    """The caller's arguments about the boxes."""

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


def scene_of(inputs: Inputs, *, iou: float, confidences: Sequence[float | None]) -> Scene:
    """Read both sides and bring them together; `iou` is the lowest that will be asked for."""
    truth, predicted = _sides(inputs)
    images, image = common_images(truth, predicted)
    names, actual, guessed = common_labels(truth, predicted, inputs.labels, inputs.background)
    sure = [least for least in confidences if least is not None]
    kept = considered(predicted, min(sure) if len(sure) == len(confidences) else None)
    if len(predicted):
        _check_confidence(predicted.scores, sure)
    right = Placed(image, predicted.corners, predicted.areas)
    if inputs.overlaps is not None:
        pairs = stated(inputs.overlaps, images, truth.image, image, iou)
        of_region, asked = truth.ignored[pairs.truth], kept[pairs.predicted]
        both = [
            Candidates(*(part[asked & (of_region == which)] for part in pairs))
            for which in (False, True)
        ]
    else:
        both = [
            _among(truth, right, kept, len(images), iou, regions=which) for which in (False, True)
        ]
        if not len(both[0].overlap):
            _wonder(truth, right, len(images))
    return Scene(names, images, truth, predicted, actual, guessed, image, *both)


def _sides(inputs: Inputs) -> tuple[Boxes, Boxes]:
    """The boxes of both sides, if they fit each other."""
    truth = boxes_of(inputs.truth, "truth", inputs.box_format)
    predicted = boxes_of(inputs.predicted, "predicted", inputs.box_format)
    are_listed = is_listed(inputs.truth) and is_listed(inputs.predicted)
    if are_listed and len(truth.images) != len(predicted.images):
        msg = Message(
            "{truth} has {:,} images and {predicted} {:,}; lists are paired by position, so an image without boxes "
            "needs a record without boxes",
            len(truth.images),
            len(predicted.images),
        )
        raise InputError(msg)
    if predicted.ignored.any():
        first = predicted.place(int(np.argmax(predicted.ignored)))
        msg = Message("{} in {predicted} is to be ignored; only a truth can be", first)
        raise InputError(msg)
    check_scale(truth, predicted)
    return truth, predicted


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


def _check_confidence(scores: Array | None, confidences: list[float]) -> None:
    """Refuse a threshold in percent of scores from 0 to 1, and doubt one from 0 to 1 of scores in percent."""
    if scores is None or not confidences:
        return
    least, most = float(scores.min()), float(scores.max())
    if min(confidences) > 1 and least >= 0 and most <= 1:
        msg = Message(
            "{confidence} is {:g} and the scores lie from {:g} to {:g}, so that no prediction would count; give it "
            "as a part of 1, such as 0.25",
            min(confidences),
            least,
            most,
        )
        raise InputError(msg)
    if most > MAX_ROUNDED_SCORE and 0 < max(confidences) <= 1:
        msg = Message(
            "scores reach {:g} and {confidence} is at most {:g}: are the scores percentages? Then say so with a "
            "threshold of their kind, such as {confidence:25}",
            most,
            max(confidences),
        )
        warn(msg)


def _among(
    truth: Boxes, right: Placed, kept: Array, images: int, iou: float, *, regions: bool
) -> Candidates:
    """The pairs of real truths, or of regions to ignore, with predictions that are as sure as that."""
    mine, theirs = np.flatnonzero(truth.ignored == regions), np.flatnonzero(kept)
    left = Placed(truth.image, truth.corners, truth.areas)
    pairs = candidates(_part(left, mine), _part(right, theirs), images, iou, share=regions)
    return Candidates(mine[pairs.truth], theirs[pairs.predicted], pairs.overlap)


def _part(boxes: Placed, places: Array) -> Placed:
    if len(places) == len(boxes.image):
        return boxes
    return Placed(*(side.take(places, axis=0) for side in boxes))


def _wonder(truth: Boxes, right: Placed, images: int) -> None:
    """Many boxes in the same images, and not one is even near another."""
    left = Placed(truth.image, truth.corners, truth.areas)
    left, right = (
        _part(side, np.flatnonzero(np.isin(side.image, other.image)))
        for side, other in ((left, right), (right, left))
    )
    if min(len(left.image), len(right.image)) < MIN_BOXES_FOR_DOUBT:
        return
    if len(candidates(left, right, images, NEAR_IOU).overlap):
        return
    reach = [f"from {side.corners.min():g} to {side.corners.max():g}" for side in (left, right)]
    msg = (
        f"none of {len(right.image):,} predicted boxes overlaps a true one by even {NEAR_IOU:g}; coordinates run "
        f"{reach[0]} in the truth and {reach[1]} in the predictions: are both of the same image size and format?"
    )
    warn(msg)
