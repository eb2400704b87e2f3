"""Boxes: the boxes of many images in arrays, checked once, and read from records, frames and objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, ConfmatError, InputError, Message
from confmat.core.naming import plain
from confmat.core.options import as_list, one_of
from confmat.core.text import repeated, some
from confmat.counting.columns import whole_column, widened
from confmat.counting.examples import column_named

BoxFormat = Literal["xyxy", "xywh", "cxcywh"]

Array = NDArray[Any]

# Beyond it the area of a box overflows.
MAX_COORDINATE = 1e100
_PARTS = {
    "xyxy": ("x1", "y1", "x2", "y2"),
    "xywh": ("x", "y", "width", "height"),
    "cxcywh": ("cx", "cy", "width", "height"),
}
_COLUMNS = {
    "image": ("image", "image_id", "file", "file_name", "filename"),
    "labels": ("label", "labels", "class", "classes", "category", "category_id", "class_id"),
    "scores": ("score", "scores", "confidence", "confidences", "conf"),
    "ignore": ("ignore", "iscrowd", "is_crowd", "crowd"),
}
_CORNERS = {
    "xyxy": (
        ("x1", "xmin", "x_min"),
        ("y1", "ymin", "y_min"),
        ("x2", "xmax", "x_max"),
        ("y2", "ymax", "y_max"),
    ),
    "xywh": (("x", "x1", "left"), ("y", "y1", "top"), ("w", "width"), ("h", "height")),
    "cxcywh": (("cx", "x_center", "x"), ("cy", "y_center", "y"), ("w", "width"), ("h", "height")),
}


class Images(NamedTuple):
    """All images, and the place of each box's image among them, by who has put the boxes there."""

    names: list[Any]
    place: Array


class Boxes:
    """Boxes of many images, each with its image, its class and, if predicted, its score.

    Parameters
    ----------
    image
        The name of the image of each box.
    boxes
        One row of four numbers for each box, in pixels or any other unit.
    labels
        The class of each box.
    scores
        The confidence of the model in each box.
    ignore
        True for regions to ignore, such as crowds; their label may be missing.
    images
        The names of all images, also those without a box; by default other images may exist.
    box_format
        The meaning of the four numbers: corners ("xyxy"), a corner and the size ("xywh", as in
        COCO), or the center and the size ("cxcywh", as in YOLO).

    Examples
    --------
    >>> Boxes(
    ...     ["a.jpg", "a.jpg", "b.jpg"],
    ...     [[0, 0, 9, 9], [5, 5, 9, 9], [1, 1, 2, 2]],
    ...     ["cat", "dog", "cat"],
    ... )
    <Boxes: 3 in 2 images>
    """

    __slots__ = (
        "areas",
        "codes",
        "complete",
        "corners",
        "ignored",
        "image",
        "images",
        "names",
        "ordered",
        "scores",
    )

    # The image of each box as its place in `images`; whether `images` are all there are.
    image: Array
    images: list[Any]
    complete: bool
    corners: Array
    areas: Array
    # The class of each box as its place in `names`, -1 where it is missing; whether all names are
    # classes, in order.
    codes: Array
    names: list[Any]
    ordered: bool
    scores: Array | None
    ignored: Array

    def __init__(
        self,
        image: Any,
        boxes: Any,
        labels: Any,
        *,
        scores: Any = None,
        ignore: Any = None,
        images: Iterable[Any] | Images | None = None,
        box_format: BoxFormat = "xyxy",
    ) -> None:
        one_of("box_format", box_format, BoxFormat)
        numbers = _four_each(boxes)
        n = len(numbers)
        self.complete = images is not None
        if isinstance(images, Images):
            self.image, self.images = images.place, images.names
        else:
            self.image, self.images, _ = _code_names(image, "image", n)
            if n and self.image.min() < 0:
                msg = f"box {int(np.argmin(self.image)):,} names no image"
                raise InputError(msg)
            if images is not None:
                self._name(as_list("images", images, "names of images"))
        self.codes, self.names, self.ordered = _code_names(labels, "labels", n)
        self.scores = None if scores is None else _scores(scores, n)
        self.ignored = np.zeros(n, bool) if ignore is None else _flags(ignore, n)
        self.corners, self.areas = self._measured(numbers, box_format)
        self._check()

    def __len__(self) -> int:
        return len(self.image)

    def __repr__(self) -> str:
        return f"<Boxes: {len(self):,} in {len(self.images):,} images>"

    def place(self, number: int) -> str:
        """Name a box by its image and its number within the image.

        Parameters
        ----------
        number
            The place of the box among all boxes, from 0.

        Returns
        -------
        str
            For messages: "box 0 of image 'a.png'".
        """
        before = int(np.count_nonzero(self.image[:number] == self.image[number]))
        return f"box {before} of image {some([self.images[self.image[number]]])}"

    def _name(self, images: list[Any]) -> None:
        """Let the images be these, which must hold those of all boxes."""
        try:
            places = {name: place for place, name in enumerate(images)}
        except TypeError as error:
            msg = Message("`images` must be a list of names, not {}: {}", some(images), error)
            raise InputError(msg) from None
        if len(places) < len(images):
            msg = Message("`images` name these twice: {}", some(repeated(images)))
            raise InputError(msg)
        lacking = [name for name in self.images if name not in places]
        if lacking:
            msg = Message("boxes are in images that `images` does not name: {}", some(lacking))
            raise InputError(msg)
        self.image = np.array([places[name] for name in self.images], np.int64)[self.image]
        self.images = images

    def _measured(self, numbers: Array, box_format: BoxFormat) -> tuple[Array, Array]:
        """Corners and areas; the size is taken as given, where corners would round it."""
        # A NaN makes the comparison false.
        wrong = ~(np.abs(numbers) <= MAX_COORDINATE)
        if wrong.any():
            number, part = (int(index) for index in np.argwhere(wrong)[0])
            value, name = numbers[number, part], _PARTS[box_format][part]
            such = _count_of(np.any(wrong, axis=1))
            msg = f"{self.place(number)} has {name} = {value}; boxes are finite numbers ({such})"
            raise InputError(msg)
        start, size = numbers[:, :2], numbers[:, 2:]
        if box_format == "xyxy":
            size = size - start
        elif box_format == "cxcywh":
            start = start - size / 2
        if np.any(size < 0):
            negative = np.any(size < 0, axis=1)
            number = int(np.argmax(negative))
            what = "corners the wrong way round" if box_format == "xyxy" else "a negative size"
            shown = ", ".join(f"{value:g}" for value in numbers[number])
            msg = (
                f"{self.place(number)} has {what}: {shown}, read as {box_format!r} ({_count_of(negative)}); is "
                "`box_format` right?"
            )
            raise InputError(msg)
        corners = numbers if box_format == "xyxy" else np.concatenate([start, start + size], axis=1)
        return np.ascontiguousarray(corners), size[:, 0] * size[:, 1]

    def _check(self) -> None:
        if self.scores is not None and not np.isfinite(self.scores).all():
            number = int(np.argmin(np.isfinite(self.scores)))
            msg = f"{self.place(number)} has the score {self.scores[number]}; scores are finite numbers"
            raise InputError(msg)
        unnamed = (self.codes < 0) & ~self.ignored
        if unnamed.any():
            first = self.place(int(np.argmax(unnamed)))
            msg = f"{first} has no label ({_count_of(unnamed)}); only regions to ignore need none"
            raise InputError(msg)


def _count_of(marks: Array) -> str:
    count = int(np.count_nonzero(marks))
    return f"{count:,} such {'boxes' if count > 1 else 'box'} of {len(marks):,}"


def plain_array(values: Any) -> Array:
    """An array of the given values: a tensor leaves its device and its gradients."""
    if type(values) is np.ndarray and values.dtype.kind in "biuf":
        return values
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    try:
        return np.asarray(widened(values))
    except (TypeError, ValueError, RuntimeError) as error:
        msg = f"cannot read {type(values).__name__} as an array: {error!s:.200}"
        raise InputError(msg) from error


def _four_each(boxes: Any) -> Array:
    numbers = plain_array(boxes)
    if not numbers.size:
        return np.zeros((0, 4))
    if numbers.dtype.kind not in "iuf":
        msg = f"`boxes` must be numbers, not {numbers.dtype}; is one of them missing, or a text?"
        raise InputError(msg)
    if numbers.ndim != 2 or numbers.shape[1] != 4:
        msg = f"`boxes` has one row of four numbers for each box, not the shape {numbers.shape}"
        raise InputError(msg)
    return numbers.astype(np.float64)


def _numbers(values: Any, name: str, n: int) -> Array:
    numbers = plain_array(values)
    if numbers.shape != (n,) and (n or numbers.size):
        msg = Message(
            "{} has one number for each of {:,} boxes, not the shape {}",
            Argument(name),
            n,
            numbers.shape,
        )
        raise InputError(msg)
    if n and numbers.dtype.kind not in "iufb":
        msg = Message("{} must be numbers, not {}", Argument(name), numbers.dtype)
        raise InputError(msg)
    return numbers.reshape(n) if n else np.zeros(0)


def _scores(values: Any, n: int) -> Array:
    """Scores as floats of their own width: of integers without a sign, the negative is no number to sort by."""
    scores = _numbers(values, "scores", n)
    return scores if scores.dtype.kind == "f" else scores.astype(np.float64)


def _flags(values: Any, n: int) -> Array:
    flags = _numbers(values, "ignore", n)
    wrong = flags[(flags != 0) & (flags != 1)]
    if len(wrong):
        msg = f"`ignore` is 0 or 1 for each box, not {wrong[0]}"
        raise InputError(msg)
    return flags.astype(bool)


def _code_names(values: Any, name: str, n: int) -> tuple[Array, list[Any], bool]:
    """Names as codes of the distinct ones, -1 where one is missing; and whether they are categories, in order."""
    column = whole_column(
        values if hasattr(values, "__len__") else as_list(name, values, "one for each box"), name
    )
    if len(column.codes) != n:
        msg = Message(
            "{} names {:,} of {:,} boxes; there must be one for each",
            Argument(name),
            len(column.codes),
            n,
        )
        raise InputError(msg)
    column = column.named()
    return column.codes, list(map(plain, column.names or ())), column.ordered


def boxes_of(records: Any, side: str, box_format: BoxFormat) -> Boxes:
    """Boxes of a frame, of a mapping of image to record, or of a list of records, image by image."""
    try:
        return _read(records, box_format)
    except ConfmatError as error:
        msg = Message("in {}, {}", Argument(side), error)
        raise type(error)(msg) from None


def _read(records: Any, box_format: BoxFormat) -> Boxes:
    if isinstance(records, Boxes):
        return records
    if hasattr(records, "columns"):
        return _of_frame(records, box_format)
    if isinstance(records, Mapping) and "boxes" not in records:
        return _of_records(list(records), list(records.values()), box_format)
    is_single = isinstance(records, (str, bytes, Mapping, np.ndarray)) or hasattr(records, "xyxy")
    if is_single or not isinstance(records, Iterable):
        msg = (
            "boxes come as a list of records, one for each image, as a mapping of image to record, as a frame or "
            f"as Boxes, not as {type(records).__name__}"
        )
        raise InputError(msg)
    records = list(records)
    return _of_records(range(len(records)), records, box_format)


def is_listed(records: Any) -> bool:
    """Whether images have no names but go by their position."""
    return not (isinstance(records, (Boxes, Mapping)) or hasattr(records, "columns"))


# ---- records -------------------------------------------------------------------------------------


def _of_records(images: Sequence[Any], records: Sequence[Any], box_format: BoxFormat) -> Boxes:
    parts = [_part(record, image) for image, record in zip(images, records, strict=True)]
    sizes = [len(part[0]) for part in parts]
    filled = zip(*(part for part, size in zip(parts, sizes, strict=True) if size), strict=True)
    boxes, labels, scores, ignored = list(filled) or [()] * 4
    unscored = sum(part is None for part in scores)
    if 0 < unscored < len(scores):
        msg = Message("some images have {scores} and some have none; give them for all")
        raise InputError(msg)
    return Boxes(
        None,
        _joined(boxes, (0, 4)),
        _joined_labels(labels),
        scores=None if unscored else _joined(scores, 0),
        ignore=_joined(ignored, 0),
        images=Images(list(images), np.repeat(np.arange(len(records)), sizes)),
        box_format=box_format,
    )


def _joined(parts: Sequence[Any], empty: Any) -> Array:
    return np.concatenate(list(map(plain_array, parts))) if parts else np.zeros(empty)


def _joined_labels(parts: Sequence[Any]) -> Any:
    """The labels of all images: an array where all are integers, and a list otherwise."""
    if parts and all(type(part) is np.ndarray and part.dtype.kind in "iu" for part in parts):
        return np.concatenate(parts)
    lists = (
        part if isinstance(part, (list, tuple)) else plain_array(part).tolist() for part in parts
    )
    return [label for part in lists for label in part]


def _part(record: Any, image: Any) -> tuple[Array, Any, Any, Any]:
    """The boxes of an image, with a label for each, and scores and flags where it has them."""
    boxes, labels, scores, ignored = _fields(record)
    if boxes is None:
        raise InputError(_no_record(record, image))
    boxes = plain_array(boxes)
    n = len(boxes) if boxes.size else 0
    _check_part(image, boxes, n, labels=labels, scores=scores, ignore=ignored)
    return boxes[:n], labels, scores, np.zeros(n, bool) if ignored is None else ignored


def _check_part(image: Any, boxes: Array, n: int, *, labels: Any, **others: Any) -> None:
    """Refuse boxes of an image that are not four numbers with a label each, and what is not as many."""
    if isinstance(labels, (str, bytes)):
        msg = Message(
            "image {} has {labels} = {}, one text; give a list, a label for each box",
            some([image]),
            some([labels]),
        )
        raise InputError(msg)
    for name, values in {"labels": labels, **others}.items():
        if values is not None and len(values) != n:
            msg = Message(
                "image {} has {:,} boxes and {:,} {}; each box needs one",
                some([image]),
                n,
                len(values),
                Argument(name),
            )
            raise InputError(msg)
    if n and (boxes.ndim != 2 or boxes.shape[1] != 4 or boxes.dtype.kind not in "iuf"):
        shape = f"of shape {boxes.shape} and type {boxes.dtype}"
        msg = Message("image {} has `boxes` {}, not four numbers for each", some([image]), shape)
        raise InputError(msg)
    if n and labels is None:
        msg = Message("image {} has {:,} boxes and no {labels}", some([image]), n)
        raise InputError(msg)


def _fields(record: Any) -> tuple[Any, Any, Any, Any]:
    """Boxes, labels, scores and what to ignore: of a mapping by its keys, of an object as supervision calls them."""
    if type(record) is not dict:
        boxes = getattr(record, "xyxy", None)
        if boxes is not None:
            return (
                boxes,
                getattr(record, "class_id", None),
                getattr(record, "confidence", None),
                None,
            )
        if not isinstance(record, Mapping):
            return None, None, None, None
    labels, scores, ignored = (_field(record, name) for name in ("labels", "scores", "ignore"))
    return record.get("boxes"), labels, scores, ignored


def _field(record: Mapping[str, Any], name: str) -> Any:
    """Return a field of a record by its name, or by a name that the columns of a frame may have."""
    value = record.get(name)
    return (
        value
        if value is not None
        else next((record[column] for column in _COLUMNS[name] if column in record), None)
    )


def _no_record(record: Any, image: Any) -> str:
    has = f" with {some(record, 6)}" if isinstance(record, Mapping) else ""
    return Message(
        "image {} has a {}{}, not a record with `boxes` and {labels} (and {scores}), such as "
        "{{'boxes': [[0, 0, 9, 9]], 'labels': ['cat'], 'scores': [0.9]}}",
        some([image]),
        type(record).__name__,
        has,
    )


# ---- frames --------------------------------------------------------------------------------------


def _of_frame(frame: Any, box_format: BoxFormat) -> Boxes:
    there = [str(name) for name in getattr(frame, "column_names", None) or list(frame.columns)]
    image, label = (_find_column(there, _COLUMNS[name]) for name in ("image", "labels"))
    one_of("box_format", box_format, BoxFormat)
    sides = [_find_column(there, names) for names in _CORNERS[box_format]]
    columns = [plain_array(column_named(frame, name)) for name in sides]
    optional = {
        name: _find_column(there, _COLUMNS[name], needed=False) for name in ("scores", "ignore")
    }
    return Boxes(
        column_named(frame, image),
        np.stack(columns, axis=1) if len(columns[0]) else [],
        column_named(frame, label),
        box_format=box_format,
        **{
            name: plain_array(column_named(frame, column))
            for name, column in optional.items()
            if column is not None
        },
    )


def _find_column(there: list[str], names: tuple[str, ...], *, needed: bool = True) -> Any:
    for name in names:
        if name in there:
            return name
    if needed:
        msg = f"the frame has no column {' or '.join(map(repr, names))}; its columns are {some(there, 12)}"
        msg += (
            "; box_format= says what the four numbers of a box are"
            if names not in _COLUMNS.values()
            else ""
        )
        raise InputError(msg)
    return None
