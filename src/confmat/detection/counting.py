"""`count_boxes`: each predicted box goes with a truth, into a region to ignore, or with the background."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import DENSE_BYTES, Counts
from confmat.core.errors import Argument, InputError, Message
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, flag, one_of, told
from confmat.core.stack import Stack
from confmat.core.text import some
from confmat.counting.look import look
from confmat.detection.boxes import BoxFormat
from confmat.detection.scenes import Candidates, Inputs, Scene, considered, scene_of
from confmat.matching import match

Array = NDArray[Any]
Matching = Literal["optimal", "confidence", "overlap"]
SameClass = Literal["first", "only", "ignored"]


class Rules(NamedTuple):
    """How boxes are matched."""

    matching: Matching
    same_class: SameClass

    @classmethod
    def read(cls, matching: Matching, same_class: SameClass) -> Rules:
        """Check both ways."""
        one_of("matching", matching, Matching)
        one_of("same_class", same_class, SameClass)
        return cls(matching, same_class)


class Assigned(NamedTuple):
    """Pairs of places that go together, the predictions that regions took in, and those that were considered."""

    truth: Array
    predicted: Array
    overlap: Array
    taken_in: Array
    kept: Array


def assign(scene: Scene, rules: Rules, iou: float, kept: Array) -> Assigned:
    """Match what overlaps by `iou` or more, of the predictions that are `kept`.

    Boxes of one class are matched first. A free prediction in a region to ignore of its own class
    is taken in by it, and a region takes in any number; then boxes of different classes are
    matched, and predictions that are free after that may lie in a region for all classes.
    """
    pairs, regions = (_enough(part, iou, kept) for part in (scene.pairs, scene.regions))
    alike, home = (
        scene.actual[part.truth] == scene.guessed[part.predicted] for part in (pairs, regions)
    )
    everyone = scene.actual[regions.truth] < 0
    passes = {
        "first": [(alike, home), (~alike, everyone)],
        "only": [(alike, home | everyone)],
        "ignored": [(np.ones_like(alike), np.ones_like(home))],
    }[rules.same_class]
    busy_truth, busy, taken_in = (
        np.zeros(n, bool) for n in (len(scene.actual), *[len(scene.guessed)] * 2)
    )
    chosen = np.zeros(0, np.intp)
    for together, inside in passes:
        places = np.flatnonzero(together & ~busy_truth[pairs.truth] & ~busy[pairs.predicted])
        places = places[
            _match_pairs(scene, Candidates(*(part[places] for part in pairs)), rules.matching)
        ]
        busy_truth[pairs.truth[places]] = busy[pairs.predicted[places]] = True
        chosen = np.concatenate([chosen, places])
        lost = regions.predicted[inside & ~busy[regions.predicted]]
        busy[lost] = taken_in[lost] = True
    chosen.sort()
    return Assigned(
        pairs.truth[chosen], pairs.predicted[chosen], pairs.overlap[chosen], taken_in, kept
    )


def _enough(part: Candidates, iou: float, kept: Array) -> Candidates:
    places = np.flatnonzero((part.overlap >= iou) & kept[part.predicted])
    return (
        part
        if len(places) == len(part.overlap)
        else Candidates(*(column[places] for column in part))
    )


def _match_pairs(scene: Scene, pairs: Candidates, matching: Matching) -> Array:
    """Which pairs are taken; of equally good choices only COCO's goes by the order of the boxes."""
    scores = scene.predicted.scores
    if matching == "confidence":
        if scores is None:
            msg = Message(
                "predictions have no {scores}, by which they would choose in matching='confidence'"
            )
            raise InputError(msg)
        return match(*pairs, how="greedy", confidence=scores)
    sure = [] if scores is None else [-scores]
    ties = (
        [*scene.truth.corners.T, scene.actual],
        [*sure, *scene.predicted.corners.T, scene.guessed],
    )
    return match(*pairs, how="optimal" if matching == "optimal" else "greedy", ties=ties)


def paired(scene: Scene, assigned: Assigned) -> tuple[Array, Array, Array, Array, Array]:
    """Row, column, true box, predicted box (-1 for none) and overlap of everything that is counted."""
    background = scene.labels.index(scene.labels.outside[-1])
    missed = np.ones(len(scene.actual), bool) & ~scene.truth.ignored
    missed[assigned.truth] = False
    alone = assigned.kept & ~assigned.taken_in
    alone[assigned.predicted] = False
    lost, spare = np.flatnonzero(missed), np.flatnonzero(alone)
    nothing = np.full(len(lost) + len(spare), -1)
    left = np.concatenate([assigned.truth, lost, nothing[: len(spare)]])
    right = np.concatenate([assigned.predicted, nothing[: len(lost)], spare])
    rows = np.append(scene.actual, background)[left]
    cols = np.append(scene.guessed, background)[right]
    return rows, cols, left, right, np.concatenate([assigned.overlap, np.zeros(len(nothing))])


class BoxOptions(TypedDict, total=False):
    """Options of `count_boxes` that no kind of result depends on."""

    labels: Any
    same_class: SameClass
    matching: Matching
    box_format: BoxFormat
    background: str
    overlaps: Any


@overload
def count_boxes(
    truth: Any,
    predicted: Any,
    *,
    iou: float = 0.5,
    confidence: float | None = 0.25,
    by_image: Literal[False] = False,
    **options: Unpack[BoxOptions],
) -> ConfusionMatrix: ...
@overload
def count_boxes(
    truth: Any,
    predicted: Any,
    *,
    iou: float = 0.5,
    confidence: float | None = 0.25,
    by_image: Literal[True],
    **options: Unpack[BoxOptions],
) -> Stack: ...
@overload
def count_boxes(
    truth: Any,
    predicted: Any,
    *,
    iou: Iterable[float],
    confidence: float | None = 0.25,
    by_image: Literal[False] = False,
    **options: Unpack[BoxOptions],
) -> Stack: ...
@overload
def count_boxes(
    truth: Any,
    predicted: Any,
    *,
    iou: float = 0.5,
    confidence: Iterable[float],
    by_image: Literal[False] = False,
    **options: Unpack[BoxOptions],
) -> Stack: ...
@door
def count_boxes(
    truth: Any,
    predicted: Any,
    *,
    iou: float | Iterable[float] = 0.5,
    confidence: float | Iterable[float] | None = 0.25,
    labels: Any = None,
    same_class: SameClass = "first",
    matching: Matching = "optimal",
    box_format: BoxFormat = "xyxy",
    background: str = "background",
    overlaps: Any = None,
    by_image: bool = False,
) -> ConfusionMatrix | Stack:
    """Match predicted boxes with true ones, image by image, and count the classes of each pair.

    A matched pair is counted at its two classes. A true box without a match is counted in the
    column "background", a predicted one in the row "background". Both are outside the classes: they
    are false negatives and false positives, and belong to nobody's average. Images without truths
    or without predictions count like all others.

    Parameters
    ----------
    truth, predicted
        Records by image, as a list or a mapping: {"boxes": (n, 4), "labels": (n,), "scores": (n,)},
        in truth perhaps with "ignore" or "iscrowd"; objects with `xyxy`, `class_id` and
        `confidence` will do as well. Or frames with the columns image, label, score and four of the
        box. Or Boxes, as `read_coco` and `read_yolo` give them. Where the truth names all its
        images, a prediction of another one is an error; frames do not.
    iou
        The least intersection over union of a match; for several thresholds, a Stack along "iou".
    confidence
        The least score of a prediction that counts; for several, a Stack along "confidence"; None
        takes all, and needs no scores.
    labels
        The classes in their order. Texts, where boxes have integers as classes, are their names
        from 0 on; a mapping of id to name names any ids. By default all classes of both sides.
    same_class
        "first" matches boxes of one class before boxes of different ones share the rest; "only"
        matches no others, so that nothing is a confusion; "ignored" goes by overlap alone.
    matching
        "optimal" matches as many boxes as possible, and of those choices takes one with the largest
        sum of overlaps. "overlap" takes pairs by falling overlap. "confidence" lets predictions
        choose, the most confident first, as COCO does; of equal ones the first, where the others go
        by score and place of the boxes.
    box_format
        "xyxy" (corners), "xywh" (corner and size) or "cxcywh" (center and size).
    background
        The name of its row and column.
    overlaps
        The overlaps of the objects of each image, where boxes do not show them: masks, rotated
        boxes, keypoints. A list or a mapping as the records are, with a table for each image: a row
        for each true object, a column for each predicted one, from 0 to 1; in the row of a region
        to ignore, the part of the prediction that lies in it.
    by_image
        Return a Stack along "image", a matrix for each image: its `sum()` is the matrix, and its
        intervals treat an image, not a box, as the unit that was sampled.

    Returns
    -------
    ConfusionMatrix or Stack

    Notes
    -----
    Regions to ignore are no truths: an unmatched prediction that lies in one of its own class by
    `iou` of its area (in one without a label, or with same_class="ignored", of any class) is left
    out and counted in `dropped`. A box without an area matches nothing.

    Examples
    --------
    >>> truth = [{"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "labels": ["cat", "dog"]}]
    >>> predicted = [
    ...     {
    ...         "boxes": [[1, 0, 10, 10], [50, 50, 60, 60]],
    ...         "labels": ["cat", "dog"],
    ...         "scores": [0.9, 0.6],
    ...     }
    ... ]
    >>> print(count_boxes(truth, predicted).counts)
    [[1 0 0]
     [0 0 1]
     [0 1 0]]
    """
    rules = Rules.read(matching, same_class)
    by_image = flag("by_image", by_image)
    axes = [axis for axis, value in (("iou", iou), ("confidence", confidence)) if _several(value)]
    axes += ["by_image"] * by_image
    if len(axes) > 1:
        names = " and ".join(Message("{}", Argument(name)) for name in axes)
        msg = f"{names} are an axis each, and a stack has one axis; give one of them"
        raise InputError(msg)
    ious, confidences = levels("iou", iou), levels("confidence", confidence)
    inputs = Inputs(truth, predicted, labels, box_format, background, overlaps)
    scene = scene_of(inputs, iou=min(ious), confidences=confidences)
    named = labels is not None
    if by_image:
        each = _each_image(
            scene, assign(scene, rules, ious[0], considered(scene.predicted, confidences[0]))
        )
        return look(each, named=named)
    matrices = [
        count_assigned(scene, assign(scene, rules, least, considered(scene.predicted, sure)))
        for least in ious
        for sure in confidences
    ]
    if not axes:
        return look(matrices[0], named=named)
    stack = Stack(
        dict(zip(ious if axes == ["iou"] else confidences, matrices, strict=True)), axis=axes[0]
    )
    return look(stack, named=named)


def _several(threshold: Any) -> bool:
    return (
        isinstance(threshold, Iterable)
        and not isinstance(threshold, str)
        and getattr(threshold, "ndim", 1) > 0
    )


def levels(name: str, thresholds: Any) -> list[Any]:
    """One threshold or several, checked."""
    if thresholds is None and name == "confidence":
        return [None]
    values = [
        level(name, threshold)
        for threshold in (thresholds if _several(thresholds) else [thresholds])
    ]
    if not values or len(set(values)) < len(values):
        msg = Message(
            "thresholds in {} must be distinct and at least one, not {}",
            Argument(name),
            some(values),
        )
        raise InputError(msg)
    return values


def level(name: str, threshold: Any) -> float:
    """A threshold, checked."""
    try:
        value = float(threshold)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if (
        not math.isfinite(value)
        or isinstance(threshold, str)
        or (name == "iou" and not 0 < value <= 1)
    ):
        what = "above 0 and at most 1" if name == "iou" else "a finite number"
        msg = Message("a threshold of {} is {}, not {}", Argument(name), what, told(threshold))
        raise InputError(msg)
    return value


def count_assigned(scene: Scene, assigned: Assigned) -> ConfusionMatrix:
    """The matrix of the matched boxes."""
    rows, cols, _, _, _ = paired(scene, assigned)
    counts = Counts.of_cells(
        len(scene.labels), rows, cols, np.ones(len(rows), np.int64), total=len(rows)
    )
    return ConfusionMatrix._of(scene.labels, counts, None, int(np.count_nonzero(assigned.taken_in)))


def _each_image(scene: Scene, assigned: Assigned) -> Stack:
    """A matrix for each image, those without boxes among them, so that stacks of two models have the same ones."""
    rows, cols, left, right, _ = paired(scene, assigned)
    image = np.append(scene.image_of_predicted, -1)[right]
    image = np.where(left >= 0, np.append(scene.truth.image, -1)[left], image)
    order, images = np.argsort(image, kind="stable"), len(scene.images)
    ends = np.cumsum(np.bincount(image, minlength=images)).tolist()
    dropped = np.bincount(scene.image_of_predicted[assigned.taken_in], minlength=images).tolist()
    size = len(scene.labels)
    # Tables of many images with many classes keep only the cells that occur.
    sparse = None if images * size**2 * 8 <= DENSE_BYTES else True
    parts = {}
    for place, (name, start, end) in enumerate(zip(scene.images, [0, *ends], ends, strict=False)):
        mine = order[start:end]
        counts = Counts.of_cells(
            size, rows[mine], cols[mine], np.ones(len(mine), np.int64), sparse=sparse
        )
        parts[name] = ConfusionMatrix._of(scene.labels, counts, None, dropped[place])
    return Stack(parts, axis="image")
