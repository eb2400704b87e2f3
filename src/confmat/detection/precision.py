"""Average precision of boxes, as COCO defines it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, Message
from confmat.core.labels import Labels
from confmat.core.naming import name_to_json
from confmat.core.options import told, whole_number
from confmat.core.tables import Column, Table, Tabular, to_plain
from confmat.core.text import fit, printable, some
from confmat.detection.boxes import BoxFormat
from confmat.detection.counting import Rules, assign, levels
from confmat.detection.scenes import Inputs, Scene, scene_of

Array = NDArray[Any]

# COCO's thresholds, and the recalls at which it reads off a precision.
IOU = tuple(np.linspace(0.5, 0.95, 10).tolist())
RECALLS = np.linspace(0, 1, 101)
# A name of this width is shown whole.
NAME_WIDTH = 24


@dataclass(frozen=True, eq=False, slots=True)
class BoxPrecision(Tabular):
    """Average precisions of boxes: one for each threshold of IoU and each class; NaN for a class without truths."""

    labels: Labels
    iou: tuple[float, ...]
    precision: Array

    @property
    def mean(self) -> float:
        """The mean over all thresholds and all classes that have truths: COCO's AP, also called mAP."""
        return self._mean(self.precision)

    def at(self, iou: float) -> float:
        """Return the mean over all classes that have truths at one of the thresholds: at(0.5) is COCO's AP50.

        Parameters
        ----------
        iou
            One of the thresholds in `iou`.

        Raises
        ------
        InputError
            There is no such threshold.
        """
        is_number = isinstance(iou, (int, float, np.number)) and abs(iou) <= 1
        places = np.flatnonzero(
            np.isclose(self.iou, iou if is_number else np.nan, rtol=0, atol=1e-9)
        )
        if not len(places):
            msg = f"there is no threshold {told(iou)}; there are {some(self.iou, 10)}"
            raise InputError(msg)
        return self._mean(self.precision[places[0]])

    def of(self, label: Any) -> float:
        """Return the average precision of one class over all thresholds.

        Parameters
        ----------
        label
            The class.

        Returns
        -------
        float
            NaN for a class without truths.
        """
        return self._mean(self.precision[:, self.labels.index(label)])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: the mean, by threshold, and by class; None for a class without truths."""
        classes = [
            (label, self.precision[:, place]) for place, label in enumerate(self.labels.classes)
        ]
        return {
            "mean": to_plain(self.mean),
            "by_iou": [{"iou": iou, "precision": to_plain(self.at(iou))} for iou in self.iou],
            "by_class": [
                {"label": name_to_json(name), "precision": to_plain(self._mean(part))}
                for name, part in classes
            ],
        }

    @staticmethod
    def _mean(part: Array) -> float:
        known = part[~np.isnan(part)]
        return float(known.mean()) if known.size else float("nan")

    def table(self) -> Table:
        """Return the average precision of each class and of all: the mean over the thresholds, and at each of them."""
        classes = len(self.labels.classes)
        names = [*self.labels.classes, "all"]
        kinds = ["class"] * classes + ["mean"]
        means = [*(self._mean(self.precision[:, place]) for place in range(classes)), self.mean]
        columns = [
            Column("row", kinds, head=None, is_index=True),
            Column(
                "name",
                names,
                lambda name: fit(printable(name), NAME_WIDTH),
                "",
                is_label=True,
                is_index=True,
            ),
            Column("AP", means, _three_decimals),
        ]
        for iou, row in zip(self.iou, self.precision, strict=True):
            printed = any(np.isclose(iou, level) for level in (0.5, 0.75))
            name = f"AP{iou * 100:.0f}"
            columns.append(
                Column(
                    name,
                    [*row.tolist(), self._mean(row)],
                    _three_decimals,
                    name if printed else None,
                )
            )
        return Table(tuple(columns), shown=(len(names), 0, 0))


def _three_decimals(value: float) -> str:
    return "" if value != value else f"{value:.3f}"


def coco_average_precision(
    truth: Any,
    predicted: Any,
    *,
    iou: float | Iterable[float] = IOU,
    per_image: int = 100,
    labels: Any = None,
    box_format: BoxFormat = "xyxy",
    overlaps: Any = None,
) -> BoxPrecision:
    """Compute the average precision of boxes as COCO defines it: at each threshold of IoU, for each class by itself.

    In every image and class the `per_image` most confident predictions choose truths, the most
    confident first. The precision is made to fall only as scores go down, and is read off at the
    recalls 0, .01, ..., 1; the mean of these is the average precision. Crowds take in predictions
    without being truths. It agrees with pycocotools (area "all"). `average_precision` is another
    score: of scores for items, without boxes.

    Parameters
    ----------
    iou
        Thresholds of intersection over union; by default COCO's, 0.5 to 0.95.
    per_image
        The most predictions that count in an image and class.
    truth, predicted, labels, box_format, overlaps
        As in `count_boxes`.

    Returns
    -------
    BoxPrecision

    Examples
    --------
    >>> truth = [{"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "labels": ["cat", "cat"]}]
    >>> predicted = [
    ...     {
    ...         "boxes": [[0, 0, 10, 9], [50, 50, 60, 60]],
    ...         "labels": ["cat", "cat"],
    ...         "scores": [0.9, 0.6],
    ...     }
    ... ]
    >>> found = coco_average_precision(truth, predicted)
    >>> round(found.mean, 4), round(found.at(0.5), 4), found.at(0.95)
    (0.4545, 0.505, 0.0)
    """
    thresholds = levels("iou", iou)
    inputs = Inputs(truth, predicted, labels, box_format, "background", overlaps)
    scene = scene_of(inputs, iou=min(thresholds), confidences=[None])
    if scene.predicted.scores is None:
        msg = Message("predictions have no {scores}, and average precision goes by them")
        raise InputError(msg)
    kept = _foremost(scene, whole_number("per_image", per_image))
    truths = np.bincount(scene.actual[~scene.truth.ignored], minlength=scene.labels.n_classes)
    rows = [_at(scene, threshold, kept, truths) for threshold in thresholds]
    return BoxPrecision(scene.labels, tuple(thresholds), np.array(rows))


def _foremost(scene: Scene, most: int) -> Array:
    """The most confident predictions of every image and class."""
    scores = scene.predicted.scores
    assert scores is not None
    group = scene.image_of_predicted * scene.labels.n_classes + scene.guessed
    order = np.lexsort((-scores, group))
    begins = np.flatnonzero(np.r_[True, np.diff(group[order]) != 0]) if len(order) else order
    rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    kept = np.zeros(len(order), bool)
    kept[order[rank < most]] = True
    return kept


def _at(scene: Scene, iou: float, kept: Array, truths: Array) -> list[float]:
    """The average precision of each class at one threshold."""
    assigned = assign(scene, Rules("confidence", "only"), iou, kept)
    hit = np.zeros(len(kept), bool)
    hit[assigned.predicted] = True
    counted = np.flatnonzero(kept & ~assigned.taken_in)
    scores = scene.predicted.scores
    assert scores is not None
    # By class, then by score; of equal scores the first image first, and in it the first box.
    order = counted[
        np.lexsort((scene.image_of_predicted[counted], -scores[counted], scene.guessed[counted]))
    ]
    ends = np.cumsum(np.bincount(scene.guessed[order], minlength=len(truths)))
    parts = np.split(hit[order], ends[:-1])
    return [_area(part, int(number)) for part, number in zip(parts, truths, strict=True)]


def _area(hits: Array, truths: int) -> float:
    """The mean of the precisions at fixed recalls, of hits and false alarms by falling score."""
    if not truths:
        return float("nan")
    right = np.cumsum(hits)
    recall = right / truths
    precision = right / np.arange(1, len(hits) + 1)
    falling = np.maximum.accumulate(precision[::-1])[::-1]
    places = np.searchsorted(recall, RECALLS, side="left")
    # Recalls that are not reached have a precision of zero.
    return float(np.append(falling, 0.0)[places].mean())
