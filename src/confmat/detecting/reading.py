"""Reading boxes: records by image, frames and detection objects become Boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting.fields import column_named
from confmat.detecting.boxes import Boxes, BoxFormat, Images, plain_array
from confmat.errors import Argument, ConfmatError, InputError, Message
from confmat.text import some

__all__ = ["boxes_of", "is_listed"]

Array = NDArray[Any]

_COLUMNS = {
    "image": ("image", "image_id", "file", "file_name", "filename"),
    "labels": ("label", "labels", "class", "classes", "category", "category_id", "class_id"),
    "scores": ("score", "scores", "confidence", "confidences", "conf"),
    "ignore": ("ignore", "iscrowd", "is_crowd", "crowd"),
}
_CORNERS = {
    "xyxy": (("x1", "xmin", "x_min"), ("y1", "ymin", "y_min"), ("x2", "xmax", "x_max"), ("y2", "ymax", "y_max")),
    "xywh": (("x", "x1", "left"), ("y", "y1", "top"), ("w", "width"), ("h", "height")),
    "cxcywh": (("cx", "x_center", "x"), ("cy", "y_center", "y"), ("w", "width"), ("h", "height")),
}


def boxes_of(given: Any, side: str, box_format: BoxFormat) -> Boxes:
    """Boxes of a frame, of a mapping of image to record, or of a list of records, image by image."""
    try:
        return _read(given, box_format)
    except ConfmatError as error:
        msg = Message("in {}, {}", Argument(side), error)
        raise type(error)(msg) from None


def _read(given: Any, box_format: BoxFormat) -> Boxes:
    if isinstance(given, Boxes):
        return given
    if hasattr(given, "columns"):
        return _of_frame(given, box_format)
    if isinstance(given, Mapping) and "boxes" not in given:
        return _of_records(list(given), list(given.values()), box_format)
    if (
        isinstance(given, (str, bytes, Mapping, np.ndarray))
        or not isinstance(given, Iterable)
        or hasattr(given, "xyxy")
    ):
        msg = (
            "boxes come as a list of records, one for each image, as a mapping of image to record, as a frame or as "
            f"Boxes, not as {type(given).__name__}"
        )
        raise InputError(msg)
    records = list(given)
    return _of_records(range(len(records)), records, box_format)


def is_listed(given: Any) -> bool:
    """Whether images have no names but go by their position."""
    return not (isinstance(given, (Boxes, Mapping)) or hasattr(given, "columns"))


# ---- records -----------------------------------------------------------------------------------------------


def _of_records(images: Sequence[Any], records: Sequence[Any], box_format: BoxFormat) -> Boxes:
    parts = _Parts()
    for image, record in zip(images, records, strict=True):
        parts.add(record, image)
    return Boxes(
        None,
        np.concatenate(parts.boxes) if parts.boxes else np.zeros((0, 4)),
        parts.all_labels(),
        scores=parts.all_scores(),
        ignore=parts.all_ignored(),
        images=Images(list(images), np.repeat(np.arange(len(records)), parts.sizes)),
        box_format=box_format,
    )


class _Parts:
    """What the records of images hold, image by image; those without boxes leave nothing but their size."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.boxes: list[Array] = []
        self.labels: list[Any] = []
        self.scores: list[Any] = []
        self.ignored: list[Any] = []

    def add(self, record: Any, image: Any) -> None:
        boxes, labels, scores, ignored = _fields(record)
        if boxes is None:
            raise InputError(_no_record(record, image))
        numbers = boxes if type(boxes) is np.ndarray else plain_array(boxes)
        n = len(numbers) if numbers.size else 0
        if isinstance(labels, (str, bytes)):
            msg = Message(
                "image {} has {labels} = {}, one text; give a list, a label for each box", some([image]), some([labels])
            )
            raise InputError(msg)
        if (
            (labels is not None and len(labels) != n)
            or (scores is not None and len(scores) != n)
            or (ignored is not None and len(ignored) != n)
        ):
            sizes = {"labels": labels, "scores": scores, "ignore": ignored}
            name, values = next((name, one) for name, one in sizes.items() if one is not None and len(one) != n)
            msg = Message(
                "image {} has {:,} boxes and {:,} {}; each box needs one", some([image]), n, len(values), Argument(name)
            )
            raise InputError(msg)
        self.sizes.append(n)
        if not n:
            return
        if numbers.ndim != 2 or numbers.shape[1] != 4 or numbers.dtype.kind not in "iuf":
            shape = f"of shape {numbers.shape} and type {numbers.dtype}"
            msg = f"image {some([image])} has `boxes` {shape}, not four numbers for each"
            raise InputError(msg)
        if labels is None:
            msg = Message("image {} has {:,} boxes and no {labels}", some([image]), n)
            raise InputError(msg)
        self.boxes.append(numbers)
        self.labels.append(labels)
        self.scores.append(scores)
        self.ignored.append(ignored)

    def all_labels(self) -> Any:
        """An array where all are integers, and a list otherwise."""
        if all(type(part) is np.ndarray and part.dtype.kind in "iu" for part in self.labels) and self.labels:
            return np.concatenate(self.labels)
        lists = (part if isinstance(part, (list, tuple)) else plain_array(part).tolist() for part in self.labels)
        return [label for part in lists for label in part]

    def all_scores(self) -> Array | None:
        """Scores of all images or of none; where there are no boxes, none are missing."""
        given = [part for part in self.scores if part is not None]
        if given and len(given) < len(self.scores):
            msg = Message("some images have {scores} and some have none; give them for all")
            raise InputError(msg)
        if self.scores and not given:
            return None
        return np.concatenate([plain_array(part) for part in given]) if given else np.zeros(0)

    def all_ignored(self) -> Array | None:
        """What to ignore: images that do not say so ignore nothing."""
        if all(part is None for part in self.ignored):
            return None
        sizes = (len(part) for part in self.boxes)
        pairs = zip(self.ignored, sizes, strict=True)
        return np.concatenate([np.zeros(n, bool) if part is None else plain_array(part) for part, n in pairs])


def _fields(record: Any) -> tuple[Any, Any, Any, Any]:
    """Boxes, labels, scores and what to ignore: of a mapping by its keys, of an object as supervision calls them."""
    if type(record) is not dict:
        boxes = getattr(record, "xyxy", None)
        if boxes is not None:
            return boxes, getattr(record, "class_id", None), getattr(record, "confidence", None), None
        if not isinstance(record, Mapping):
            return None, None, None, None
    labels, scores, ignored = (_field(record, name) for name in ("labels", "scores", "ignore"))
    return record.get("boxes"), labels, scores, ignored


def _field(record: Mapping[str, Any], name: str) -> Any:
    """What a record calls so, or by a name that the columns of a frame may have."""
    found = record.get(name)
    return found if found is not None else next((record[one] for one in _COLUMNS[name] if one in record), None)


def _no_record(record: Any, image: Any) -> str:
    has = f" with {some(record, 6)}" if isinstance(record, Mapping) else ""
    return Message(
        "image {} has a {}{}, not a record with `boxes` and {labels} (and {scores}), such as "
        "{{'boxes': [[0, 0, 9, 9]], 'labels': ['cat'], 'scores': [0.9]}}",
        some([image]),
        type(record).__name__,
        has,
    )


# ---- frames ------------------------------------------------------------------------------------------------


def _of_frame(frame: Any, box_format: BoxFormat) -> Boxes:
    there = [str(name) for name in getattr(frame, "column_names", None) or list(frame.columns)]
    image, label = (_called(there, _COLUMNS[name]) for name in ("image", "labels"))
    sides = _sides(there, box_format)
    columns = [plain_array(column_named(frame, name)) for name in sides]
    optional = {name: _called(there, _COLUMNS[name], needed=False) for name in ("scores", "ignore")}
    return Boxes(
        column_named(frame, image),
        np.stack(columns, axis=1) if len(columns[0]) else [],
        column_named(frame, label),
        box_format=box_format,
        **{name: plain_array(column_named(frame, column)) for name, column in optional.items() if column is not None},
    )


def _sides(there: list[str], box_format: BoxFormat) -> list[Any]:
    """The four columns of the boxes; where those of another format are there, the error says how to ask for it."""
    sides = {name: [_called(there, one, needed=False) for one in four] for name, four in _CORNERS.items()}
    asked = box_format if box_format in sides else "xyxy"
    if None not in sides[asked]:
        return sides[asked]
    # A centre may be called x and y too, but then it is not told from a corner.
    other = next((name for name, four in sides.items() if None not in four), None)
    if other is not None:
        lacking = _CORNERS[asked][sides[asked].index(None)][0]
        msg = (
            f"the frame has no column {lacking!r}, as box_format={asked!r} wants; of its columns "
            f"{some(sides[other])} say box_format={other!r}"
        )
        if other == "xywh" and sides[other][:2] == ["x", "y"]:
            msg += " if x and y are a corner, and 'cxcywh' if they are the centre"
        raise InputError(msg)
    return [_called(there, names) for names in _CORNERS[asked]]


def _called(there: list[str], names: tuple[str, ...], *, needed: bool = True) -> Any:
    for name in names:
        if name in there:
            return name
    if needed:
        msg = f"the frame has no column {' or '.join(map(repr, names))}; its columns are {some(there, 12)}"
        raise InputError(msg)
    return None
