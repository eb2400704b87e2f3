"""Reading boxes: records by image, frames and detection objects become Boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting.fields import column_named
from confmat.detecting.boxes import Boxes, BoxFormat, Images, plain_array
from confmat.errors import ConfmatError, InputError
from confmat.text import some

__all__ = ["boxes_of"]

Array = NDArray[Any]

# What a record calls its boxes, labels, scores and regions to ignore, and what it or an object may call them as well.
_FIELDS = (("boxes", "xyxy"), ("labels", "class_id"), ("scores", "confidence"), ("ignore", "iscrowd"))
_COLUMNS = {
    "image": ("image", "image_id", "file", "file_name", "filename"),
    "labels": ("label", "labels", "class", "category", "category_id", "class_id"),
    "scores": ("score", "scores", "confidence", "conf"),
    "ignore": ("ignore", "iscrowd"),
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
        msg = f"in `{side}`, {error}"
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


# ---- records -----------------------------------------------------------------------------------------------


def _of_records(images: Sequence[Any], records: Sequence[Any], box_format: BoxFormat) -> Boxes:
    parts = [_fields(record, image) for image, record in zip(images, records, strict=True)]
    sizes = np.array([len(part[0]) for part in parts], np.int64)
    filled = [part for part, size in zip(parts, sizes.tolist(), strict=True) if size]
    place = np.repeat(np.arange(len(parts)), sizes)
    boxes = np.concatenate([part[0] for part in filled]) if filled else np.zeros((0, 4))
    return Boxes(
        None,
        boxes,
        _labels([part[1] for part in filled]),
        scores=_optional([part[2] for part in filled], "scores") if filled else np.zeros(0),
        ignore=_flags(filled),
        images=Images(list(images), place),
        box_format=box_format,
    )


def _fields(record: Any, image: Any) -> tuple[Array, Any, Any, Any]:
    """Boxes, labels, scores and what to ignore of one image, in lengths that fit."""
    is_plain = type(record) is dict or isinstance(record, Mapping)
    boxes, labels, scores, ignore = (_named if is_plain else _attributed)(record)
    if boxes is None:
        has = f" with {some(record, 6)}" if is_plain else ""
        msg = (
            f"image {some([image])} has a {type(record).__name__}{has}, not a record with `boxes` and `labels` "
            "(and `scores`), such as {'boxes': [[0, 0, 9, 9]], 'labels': ['cat'], 'scores': [0.9]}"
        )
        raise InputError(msg)
    numbers = boxes if type(boxes) is np.ndarray else plain_array(boxes)
    if not numbers.size:
        numbers = np.zeros((0, 4))
    n = len(numbers)
    if n and (numbers.ndim != 2 or numbers.shape[1] != 4 or numbers.dtype.kind not in "iuf"):
        shape = f"of shape {numbers.shape} and type {numbers.dtype}"
        msg = f"image {some([image])} has `boxes` {shape}, not four numbers for each"
        raise InputError(msg)
    if n and labels is None:
        msg = f"image {some([image])} has {n:,} boxes and no `labels`"
        raise InputError(msg)
    for name, values in (("labels", labels), ("scores", scores), ("ignore", ignore)):
        if values is not None and len(values) != n:
            msg = f"image {some([image])} has {n:,} boxes and {len(values):,} `{name}`; each box needs one"
            raise InputError(msg)
    return numbers, labels, scores, ignore


def _named(record: Mapping[str, Any]) -> list[Any]:
    """The fields of a mapping, None for one that is not there."""
    return [record.get(first, record.get(second)) for first, second in _FIELDS]


def _attributed(record: Any) -> list[Any]:
    """The fields of an object; an array has other things that are called so."""
    if isinstance(record, np.ndarray):
        return [None] * len(_FIELDS)
    return [getattr(record, second, None) for _, second in _FIELDS]


def _labels(parts: list[Any]) -> Any:
    """Labels of all images as an array where they are integers, and as a list otherwise."""
    arrays = [part if isinstance(part, (list, tuple)) else plain_array(part) for part in parts]
    if arrays and all(isinstance(part, np.ndarray) and part.dtype.kind in "iu" for part in arrays):
        return np.concatenate(arrays)
    return [label for part in arrays for label in (part.tolist() if isinstance(part, np.ndarray) else part)]


def _optional(parts: list[Any], name: str) -> Array | None:
    given = [part for part in parts if part is not None]
    if given and len(given) < len(parts):
        msg = f"some images have `{name}` and some have none; give them for all"
        raise InputError(msg)
    return np.concatenate([plain_array(part) for part in given]) if given else None


def _flags(parts: list[tuple[Array, Any, Any, Any]]) -> Array | None:
    """What to ignore: images that do not say so ignore nothing."""
    if all(part[3] is None for part in parts):
        return None
    return np.concatenate(
        [np.zeros(len(part[0]), bool) if part[3] is None else plain_array(part[3]).astype(bool) for part in parts]
    )


# ---- frames ------------------------------------------------------------------------------------------------


def _of_frame(frame: Any, box_format: BoxFormat) -> Boxes:
    there = [str(name) for name in getattr(frame, "column_names", None) or list(frame.columns)]
    sides = [_called(there, names) for names in _CORNERS.get(box_format, _CORNERS["xyxy"])]
    columns = [plain_array(column_named(frame, name)) for name in sides]
    optional = {name: _called(there, _COLUMNS[name], needed=False) for name in ("scores", "ignore")}
    return Boxes(
        column_named(frame, _called(there, _COLUMNS["image"])),
        np.stack(columns, axis=1) if len(columns[0]) else [],
        column_named(frame, _called(there, _COLUMNS["labels"])),
        box_format=box_format,
        **{name: plain_array(column_named(frame, column)) for name, column in optional.items() if column is not None},
    )


def _called(there: list[str], names: tuple[str, ...], *, needed: bool = True) -> Any:
    for name in names:
        if name in there:
            return name
    if needed:
        msg = f"the frame has no column {' or '.join(map(repr, names))}; its columns are {some(there, 12)}"
        raise InputError(msg)
    return None
