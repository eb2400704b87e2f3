"""Files of boxes: COCO's JSON of annotations and results, and YOLO's folders of text."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, LabelError
from confmat.core.files import decoded, paths_in, read_bytes, read_text
from confmat.core.text import plural, printable, repeated, some
from confmat.detection.boxes import MAX_COORDINATE, Boxes, Images

Array = NDArray[Any]

# Boxes that end beyond this many sizes of their image are far outside; more than this share of
# them, and at least this many, are no accident.
FAR_IMAGE_SIZES, MIN_FAR_SHARE, MIN_FAR_BOXES = 1.5, 0.1, 5
# Some annotation tools put the names of the classes beside the labels.
_NAMES_FILE = "classes.txt"
# NumPy's own numbers, which results that were made in Python hold.
_NUMBERS = (np.integer, np.floating)
# Numbers of classes lie below this.
CLASS_NUMBER_LIMIT = 2**31


def read_coco(truth: Any, predictions: Any) -> tuple[Boxes, Boxes]:
    """Read true and predicted boxes from two COCO files: annotations with their images and categories, and results.

    Classes are the categories by their names, in the order of their ids, whether they occur or not.
    Images are called by their ids. A box with "iscrowd", or with "ignore" and no "iscrowd", is a
    region to ignore; "ignore" opposite "iscrowd": 0 is an error, since COCO's own evaluation looks
    at the latter alone.

    Parameters
    ----------
    truth, predictions
        Paths, or the parsed JSON. Results are a list of {"image_id", "category_id", "bbox",
        "score"}; boxes are [x, y, width, height].

    Returns
    -------
    tuple of Boxes
        The truth and the predictions.

    Examples
    --------
    >>> truth = {
    ...     "images": [{"id": 1}, {"id": 2}],
    ...     "categories": [{"id": 18, "name": "dog"}],
    ...     "annotations": [
    ...         {"id": 7, "image_id": 1, "category_id": 18, "bbox": [0, 0, 10, 10], "iscrowd": 0}
    ...     ],
    ... }
    >>> read_coco(truth, [{"image_id": 1, "category_id": 18, "bbox": [1, 0, 9, 10], "score": 0.9}])
    (<Boxes: 1 in 2 images>, <Boxes: 1 in 2 images>)
    """
    data, name = _parse(truth)
    parts = data if isinstance(data, Mapping) else {}
    if not all(
        isinstance(parts.get(part), list) for part in ("images", "annotations", "categories")
    ):
        has = f"an object with {some(data, 6)}" if parts else f"a {type(data).__name__}"
        msg = f"{name} needs lists of `images`, `annotations` and `categories`, and is {has}"
        raise InputError(msg)
    places = _ids(data["images"], f"{name}: image")
    images = sorted(places)
    categories = _categories(data["categories"], name)
    results, other = _parse(predictions)
    if isinstance(results, Mapping):
        results = results.get("annotations")
    if not isinstance(results, list):
        msg = f"{other} must be a list of results, each with image_id, category_id, bbox and score"
        raise InputError(msg)
    sides = (
        _boxes(data["annotations"], images, categories, f"{name}: annotation", scored=False),
        _boxes(results, images, categories, f"{other}: result", scored=True),
    )
    if any("id" in record for record in data["annotations"]):
        _ids(data["annotations"], f"{name}: annotation")
    sizes = _sizes([data["images"][places[image]] for image in images])
    for boxes, where in zip(sides, (name, other), strict=True):
        _check_reach(boxes, sizes, where)
    return sides


def _parse(source: Any) -> tuple[Any, str]:
    """Parse a file, and name it; data that is no path is returned as it is."""
    if not isinstance(source, (str, os.PathLike)):
        return source, "the " + ("truth" if isinstance(source, Mapping) else "list of results")
    data, name = read_bytes(source, "boxes", large=True), printable(Path(source).name)
    try:
        return json.loads(decoded(data)), name
    except RecursionError:
        msg = f"{name} is nested too deeply to be COCO's JSON"
        raise InputError(msg) from None
    except ValueError as error:
        msg = f"{name} is no JSON: {printable(str(error)):.200}"
        raise InputError(msg) from None


def _field(entries: list[Any], field: str, kinds: Any, where: str) -> list[Any]:
    """A field of every entry, of one of some types; numbers and arrays of NumPy count as Python's."""
    values = []
    for number, entry in enumerate(entries):
        value = entry.get(field) if isinstance(entry, Mapping) else None
        value = value if type(value) in kinds else _plain(value)
        if type(value) not in kinds:
            what = (
                f"{field} = {value!r:.60}"
                if isinstance(entry, Mapping) and field in entry
                else f"no `{field}`"
            )
            msg = f"{where} {number:,} has {what}"
            raise InputError(msg)
        values.append(value)
    return values


def _plain(value: Any) -> Any:
    """Turn a tuple, an array, a tensor or a number of these into the value that JSON has for it."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _ids(entries: list[Any], where: str) -> dict[Any, int]:
    """The place of each id."""
    ids = _field(entries, "id", (int, str), where)
    places = {number: place for place, number in enumerate(ids)}
    if len(places) < len(ids):
        msg = f"{plural(where)} have ids that come twice: {some(repeated(ids))}; give each its own"
        raise InputError(msg)
    if len({type(number) for number in ids}) > 1:
        msg = f"{plural(where)} have ids of which some are numbers and some are texts"
        raise InputError(msg)
    return places


def _categories(entries: list[Any], name: str) -> dict[Any, str]:
    """The name of each category by its id, in the order of the ids."""
    ids = _ids(entries, f"{name}: category")
    names = _field(entries, "name", (str,), f"{name}: category")
    if len(set(names)) < len(names):
        msg = f"{name}: several categories are called {some(repeated(names))}"
        raise LabelError(msg)
    return {number: names[ids[number]] for number in sorted(ids)}


def _boxes(
    entries: list[Any], images: list[Any], categories: dict[Any, str], where: str, *, scored: bool
) -> Boxes:
    corners = _corners(_field(entries, "bbox", (list,), where), where)
    places = _known(entries, "image_id", images, where)
    classes = list(categories)
    scores = (
        _floats(_field(entries, "score", (int, float), where), f"{plural(where)} have a score")
        if scored
        else None
    )
    made = Boxes(
        None,
        corners,
        _known(entries, "category_id", classes, where),
        scores=scores,
        ignore=None if scored else _ignore_flags(entries, where),
        images=Images(images, places),
        box_format="xywh",
    )
    # Categories are classes whether they occur or not.
    made.codes = np.array(made.names, np.int64)[made.codes]
    made.names, made.ordered = list(categories.values()), True
    return made


def _corners(boxes: list[Any], where: str) -> Array:
    for number, box in enumerate(boxes):
        if len(box) != 4 or not all(
            type(part) in (int, float) or isinstance(part, _NUMBERS) for part in box
        ):
            msg = (
                f"{where} {number:,} has bbox = {box!r:.80}, not four numbers [x, y, width, height]"
            )
            raise InputError(msg)
    return _floats(boxes, f"{plural(where)} have a bbox")


def _sizes(images: list[Any]) -> Array:
    """Width and height of each image; infinite where they are not stated, so that nothing lies beyond."""
    sizes = [[image.get("width"), image.get("height")] for image in images]
    known = [
        all(type(part) in (int, float) and 0 < part < MAX_COORDINATE for part in size)
        for size in sizes
    ]
    rows = [size if fine else [np.inf, np.inf] for size, fine in zip(sizes, known, strict=True)]
    return np.array(rows, np.float64).reshape(-1, 2)


def _check_reach(boxes: Boxes, sizes: Array, where: str) -> None:
    """Refuse boxes of which many reach far beyond their images, as corners do that are taken for sizes."""
    room = sizes[boxes.image]
    start, end = boxes.corners[:, :2], boxes.corners[:, 2:]
    far = (end > FAR_IMAGE_SIZES * room).any(axis=1)
    number = int(np.count_nonzero(far))
    if number < MIN_FAR_BOXES or number <= MIN_FAR_SHARE * len(boxes):
        return
    first = int(np.argmax(far))
    width, height = room[first]
    box = ", ".join(f"{part:g}" for part in (*start[first], *(end - start)[first]))
    msg = (
        f"{number:,} of {len(boxes):,} boxes of {where} reach far beyond their images, the first with bbox = "
        f"[{box}] in an image of {width:g} x {height:g}: COCO's boxes are [x, y, width, height] in pixels, not [x1, "
        "y1, x2, y2]"
    )
    raise InputError(msg)


def _ignore_flags(entries: list[Any], where: str) -> list[Any]:
    """Which annotations are regions to ignore."""
    flags = [entry.get("iscrowd") or entry.get("ignore") or 0 for entry in entries]
    for number, flag in enumerate(flags):
        if flag not in (0, 1):
            msg = f"{where} {number:,} has iscrowd or ignore = {flag!r:.60}, not 0 or 1"
            raise InputError(msg)
        if flag and entries[number].get("iscrowd") in (0, False):
            msg = f"{where} {number:,} has ignore = 1 and iscrowd = 0, and COCO's own evaluation takes it for a truth; "
            msg += (
                "set iscrowd to 1 if it is a region to ignore, or leave out ignore if it is a truth"
            )
            raise InputError(msg)
    return flags


def _floats(numbers: list[Any], what: str) -> Array:
    try:
        return np.array(numbers, np.float64)
    except OverflowError:
        msg = f"{what} with an integer beyond all floats"
        raise InputError(msg) from None


def _known(entries: list[Any], field: str, ids: list[Any], where: str) -> Array:
    """The place of the class or image that each entry names; an error for what there is not."""
    places = {number: place for place, number in enumerate(ids)}
    named = _field(entries, field, (int, str), where)
    known = [places.get(number, -1) for number in named]
    if -1 in known:
        number = known.index(-1)
        wrong = dict.fromkeys(
            number for number, place in zip(named, known, strict=True) if place < 0
        )
        what = "images" if field == "image_id" else "categories"
        msg = f"{where} {number:,} has {field} = {named[number]!r:.60}, which is not among the {what} ({some(ids)}); "
        msg += f"{len(wrong):,} such in all"
        raise (InputError if field == "image_id" else LabelError)(msg)
    return np.array(known, np.int64)


def read_yolo(truth: Any, predictions: Any, *, names: Any = None) -> tuple[Boxes, Boxes]:
    """Read true and predicted boxes from two folders of YOLO's text files, one for each image, called like the image.

    A line is a class and a box: "class cx cy width height", and in predictions a sixth number, the
    confidence. All are relative to the size of the image; the overlap of two boxes does not depend
    on it, so no sizes are needed.

    Parameters
    ----------
    truth, predictions
        The folders. An image without a file has no boxes, as YOLO has it; a folder without any file
        is an error.
    names
        The names of the classes, from 0 on, or a mapping of number to name. By default the names in
        "classes.txt" beside the labels if that is there, and otherwise the numbers.

    Returns
    -------
    tuple of Boxes
        The truth and the predictions.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for side, text in (("labels", "0 .5 .5 .2 .2"), ("found", "0 .5 .5 .2 .18 .9")):
    ...         Path(folder, side).mkdir()
    ...         _ = Path(folder, side, "street.txt").write_text(text)
    ...     read_yolo(f"{folder}/labels", f"{folder}/found", names=["car"])
    (<Boxes: 1 in 1 images>, <Boxes: 1 in 1 images>)
    """
    sides = [paths_in(folder, "YOLO's labels") for folder in (truth, predictions)]
    stated = next((path for path in sides[0] if path.name == _NAMES_FILE), None)
    if names is None and stated is not None:
        names = _names(stated)
    if isinstance(names, str):
        msg = f"`names` are the names of all classes, not one text, {names!r:.60}"
        raise InputError(msg)
    known = (
        None if names is None else dict(names if isinstance(names, Mapping) else enumerate(names))
    )
    return _side(truth, sides[0], known, 5), _side(predictions, sides[1], known, 6)


def _names(path: Path) -> list[str]:
    """The name on each line; an empty one would leave a class without a name, or shift those after it."""
    names = [name.strip() for name in read_text(path, "names of classes").rstrip().split("\n")]
    if "" in names:
        msg = f"{path.name}, line {names.index('') + 1:,}, is empty; there is a name on each line, from class 0 on"
        raise InputError(msg)
    return names


def _side(folder: Any, inside: list[Path], names: dict[Any, Any] | None, fields: int) -> Boxes:
    images, rows = [], []
    paths = [path for path in inside if path.suffix.lower() == ".txt" and path.name != _NAMES_FILE]
    if not paths:
        msg = f"the folder {printable(folder)[:200]} has no .txt file with labels; ultralytics writes them to a folder "
        msg += "'labels' in its own, and if there are no boxes, leave an empty file"
        raise InputError(msg)
    for path in paths:
        lines = _rows(path, fields)
        rows += lines
        images += [path.stem] * len(lines)
    table = np.array(rows, np.float64).reshape(-1, fields)
    classes = table[:, 0].astype(np.int64)
    made = Boxes(
        images,
        table[:, 1:5],
        classes,
        scores=table[:, 5] if fields == 6 else None,
        box_format="cxcywh",
    )
    filled = set(images)
    made.images += [path.stem for path in paths if path.stem not in filled]
    if names is not None:
        _call(made, classes, names)
    return made


def _call(boxes: Boxes, classes: Array, names: dict[Any, Any]) -> None:
    """Give the classes of boxes, which are numbers, their names."""
    strange = [number for number in boxes.names if number not in names]
    if strange:
        first = int(np.argmax(np.isin(classes, strange)))
        msg = f"class {some(strange)} has no name, first in {boxes.place(first)}; the names are of {some(names, 8)}"
        raise LabelError(msg)
    places = {number: place for place, number in enumerate(names)}
    codes = [*(places[number] for number in boxes.names), -1]
    boxes.codes = np.array(codes, np.int64)[boxes.codes]
    boxes.names, boxes.ordered = list(names.values()), True


def _rows(path: Path, fields: int) -> list[list[float]]:
    rows = []
    for number, line in enumerate(read_text(path, "boxes", empty=True).splitlines(), 1):
        parts = line.split()
        if not parts:
            continue
        try:
            row = [float(part) for part in parts]
        except ValueError:
            row = []
        if len(row) != fields or not (row[0].is_integer() and 0 <= row[0] < CLASS_NUMBER_LIMIT):
            where = f"{printable(path.name)}, line {number:,}"
            msg = f"{where}: {_unlike(line, len(row), fields)}"
            raise InputError(msg)
        rows.append(row)
    return rows


def _unlike(line: str, many: int, fields: int) -> str:
    wanted = "class cx cy width height" + (" confidence" if fields == 6 else "")
    hint = " (a polygon or a rotated box?)" if many > 6 else ""
    if (many, fields) == (5, 6):
        hint = "; ultralytics writes the confidence by save_conf=True"
    return f"wanted {wanted!r}, got {some([line])}{hint}"
