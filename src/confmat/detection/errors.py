"""`box_errors`: what kind of error each box is, after TIDE."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import starmap
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import CallError, InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, no_option
from confmat.core.tables import Column, Table, Tabular, class_name
from confmat.counting.examples import Examples
from confmat.detection.counting import BoxOptions, Rules, assign, count_assigned, level, paired
from confmat.detection.precision import BoxPrecision, coco_average_precision
from confmat.detection.scenes import Inputs, Scene, considered, scene_of

Array = NDArray[Any]

# Kinds of errors and their meaning; an error is of the first kind that fits.
KINDS = {
    "missed": "an object that no box is about",
    "class": "a box on an object of another class",
    "duplicate": "a box on an object that another box has found already",
    "place": "a box near an object of its class, which it overlaps too little",
    "both": "a box near an object of another class, which it overlaps too little",
    "background": "a box where no object is",
}
_MISSED, _CLASS, _DUPLICATE, _PLACE, _BOTH, _BACKGROUND = range(6)
_HIT = -1


@dataclass(frozen=True, eq=False, slots=True)
class BoxErrors(Tabular):
    """Matched boxes with the kinds of their errors; `html` draws all of it.

    `counts` has a row for each class and a column for each of `kinds`: objects of the class that
    were missed, and boxes that were predicted as the class and are wrong. `precision` is None where
    predictions have no scores.
    """

    matrix: ConfusionMatrix
    counts: Array
    examples: Examples
    precision: BoxPrecision | None
    kinds = tuple(KINDS)

    def table(self) -> Table:
        """Return the hits and the errors of each kind, by class and of all."""
        classes, hits = self.matrix.labels.classes, self.matrix.diagonal[: self.matrix.n_classes]
        numbers = np.column_stack([hits, self.counts])
        columns = np.vstack([numbers, numbers.sum(0)]).T.tolist()
        return Table(
            (
                Column("row", ["class"] * len(classes) + ["sum"], head=None, is_index=True),
                Column("name", [*classes, "all"], class_name, "", is_label=True, is_index=True),
                *starmap(Column, zip(("hits", *KINDS), columns, strict=True)),
            ),
            shown=(len(classes) + 1, 0, 0),
        )


@door
def box_errors(
    truth: Any,
    predicted: Any,
    *,
    near: float = 0.1,
    iou: float = 0.5,
    confidence: float | None = 0.25,
    per_cell: int = 20,
    hits: bool = False,
    seed: int = 0,
    **options: Unpack[BoxOptions],
) -> BoxErrors:
    """Count boxes as `count_boxes` does, and say what kind of error each wrong one is, with a few examples of each.

    Boxes that are confused in the matrix are of the kind "class". A box that matches nothing is a
    "class" error if it overlaps an object of another class by `iou`, a "duplicate" if one of its
    own, an error of "place" if one of its own by `near`, of "both" if one of another class, and
    "background" otherwise. An object is "missed" if no box matches it, unless that box is out of
    place and counted already. These are the kinds of TIDE (Bolya, Foley, Hays and Hoffman, 2020,
    "TIDE: a general toolbox for identifying object detection errors"), counted on this matching.

    Parameters
    ----------
    near
        The least overlap of a box that is about an object.
    per_cell, hits, seed
        The examples are kept as in `Examples`, by default of errors only. An example names its
        image, the kind of its error, the corners of both boxes, their overlap, and the score of the
        model.
    truth, predicted, iou, confidence, **options
        As in `count_boxes`. Average precision is that of all predictions, also below `confidence`.

    Returns
    -------
    BoxErrors
        With `matrix`, `counts` by class and kind, `examples` by cell, and `precision`;
        `html(errors, "page.html", images="photos")` shows them.

    Examples
    --------
    >>> truth = [{"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "labels": ["cat", "dog"]}]
    >>> predicted = [
    ...     {
    ...         "boxes": [[1, 0, 10, 10], [24, 20, 34, 30]],
    ...         "labels": ["dog", "dog"],
    ...         "scores": [0.9, 0.6],
    ...     }
    ... ]
    >>> print(box_errors(truth, predicted))
         hits  missed  class  duplicate  place  both  background
    cat     0       0      0          0      0     0           0
    dog     0       0      1          0      1     0           0
    all     0       0      1          0      1     0           0
    """
    for option in options.keys() - BoxOptions.__annotations__:
        raise CallError(no_option("box_errors", option, [*BoxOptions.__annotations__]))
    least, near = level("iou", iou), level("near", near)
    if not 0 < near <= least:
        msg = f"`near` is above 0 and at most `iou`, {least:g}, not {near:g}"
        raise InputError(msg)
    sure = None if confidence is None else level("confidence", confidence)
    rules = Rules.read(options.get("matching", "optimal"), options.get("same_class", "first"))
    given: dict[str, Any] = {"labels": None, "box_format": "xyxy", "overlaps": None}
    given = {name: options.get(name, usual) for name, usual in given.items()}
    inputs = Inputs(truth, predicted, background=options.get("background", "background"), **given)
    scene = scene_of(inputs, iou=near, confidences=[sure])
    assigned = assign(scene, rules, least, considered(scene.predicted, sure))
    rows, cols, left, right, overlap = paired(scene, assigned)
    kinds = _kinds(scene, (rows, cols, left, right), least, near)
    counts = np.zeros((scene.labels.n_classes, len(KINDS)), np.int64)
    # An object that a box out of place is about is no second error.
    counted = (right >= 0) & (kinds >= 0) | (kinds == _MISSED)
    np.add.at(counts, (np.where(right >= 0, cols, rows)[counted], kinds[counted]), 1)
    made = Examples(
        per_cell,
        columns=("image", "error", "true box", "predicted box", "iou", "score"),
        hits=hits,
        seed=seed,
    )
    names, shown = (
        list(scene.labels),
        np.flatnonzero(np.ones(len(rows), bool) if hits else rows != cols),
    )
    entries = zip(
        *(part[shown].tolist() for part in (rows, cols, left, right, overlap, kinds)), strict=True
    )
    table = [(names[row], names[col], _example(scene, *example)) for row, col, *example in entries]
    made.update(*map(list, zip(*table, strict=True)) if table else ([], [], []))
    precision = (
        None
        if scene.predicted.scores is None
        else coco_average_precision(truth, predicted, **given)
    )
    return BoxErrors(count_assigned(scene, assigned), counts, made, precision)


def _kinds(
    scene: Scene, entries: tuple[Array, Array, Array, Array], iou: float, near: float
) -> Array:
    """The kind of every entry of `paired`; -1 for hits."""
    rows, cols, left, right = entries
    pairs = scene.pairs
    alike = scene.actual[pairs.truth] == scene.guessed[pairs.predicted]
    # The largest overlap of each prediction with objects of other classes and of its own; the last
    # is no prediction.
    best = np.zeros((2, len(scene.guessed) + 1))
    np.maximum.at(best, (alike.astype(int), pairs.predicted), pairs.overlap)
    other, own = best[:, right]
    found = left >= 0
    kinds = np.select(
        [
            right < 0,
            found & (rows == cols),
            found | ((other >= iou) & (own < iou)),
            own >= iou,
            own >= near,
            other >= near,
        ],
        [_MISSED, _HIT, _CLASS, _DUPLICATE, _PLACE, _BOTH],
        _BACKGROUND,
    )
    astray = np.zeros(best.shape[1], bool)
    astray[right[kinds == _PLACE]] = True
    meant = alike & astray[pairs.predicted] & (pairs.overlap == best[1, pairs.predicted])
    kinds[(right < 0) & np.isin(left, pairs.truth[meant])] = _PLACE
    return kinds


def _example(scene: Scene, left: int, right: int, overlap: float, kind: int) -> tuple[Any, ...]:
    image = scene.truth.image[left] if left >= 0 else scene.image_of_predicted[right]
    scores = scene.predicted.scores
    return (
        scene.images[image],
        None if kind == _HIT else tuple(KINDS)[kind],
        _corners(scene.truth.corners, left),
        _corners(scene.predicted.corners, right),
        round(overlap, 4) if left >= 0 and right >= 0 else None,
        None if scores is None or right < 0 else round(float(scores[right]), 4),
    )


def _corners(corners: Array, place: int) -> str | None:
    return None if place < 0 else " ".join(f"{value:.6g}" for value in corners[place].tolist())
