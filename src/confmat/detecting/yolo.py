"""YOLO: true and predicted boxes from folders with a text file for each image."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from confmat._files import paths_in, read_text
from confmat.detecting.boxes import Boxes
from confmat.errors import InputError, LabelError
from confmat.text import printable, some

__all__ = ["read_yolo"]

# Some annotation tools put the names of the classes beside the labels.
_NAMES_FILE = "classes.txt"
# Numbers of classes lie below this.
MOST_CLASSES = 2**31


def read_yolo(truth: Any, predictions: Any, *, names: Any = None) -> tuple[Boxes, Boxes]:
    """True and predicted boxes from two folders of YOLO's text files, one for each image, called like the image.

    A line is a class and a box: "class cx cy width height", and in predictions a sixth number, the confidence. All are
    relative to the size of the image; the overlap of two boxes does not depend on it, so no sizes are needed. An
    image without a file has no boxes, as YOLO has it; a folder without any file is an error.

    names: the names of the classes, from 0 on, or a mapping of number to name. By default those of "classes.txt" beside
        the labels if it is there, and otherwise the numbers.

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
    known = None if names is None else dict(names if isinstance(names, Mapping) else enumerate(names))
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
        raise InputError(_no_labels(Path(folder)))
    for path in paths:
        lines = _rows(path, fields)
        rows += lines
        images += [path.stem] * len(lines)
    table = np.array(rows, np.float64).reshape(-1, fields)
    classes = table[:, 0].astype(np.int64)
    made = Boxes(images, table[:, 1:5], classes, scores=table[:, 5] if fields == 6 else None, box_format="cxcywh")
    filled = set(images)
    made.images += [path.stem for path in paths if path.stem not in filled]
    if names is not None:
        strange = [one for one in made.names if one not in names]
        if strange:
            first = int(np.argmax(np.isin(classes, strange)))
            msg = f"class {some(strange)} has no name, first in {made.place(first)}; the names are of {some(names, 8)}"
            raise LabelError(msg)
        places = {one: place for place, one in enumerate(names)}
        made.codes = np.array([*(places[one] for one in made.names), -1], np.int64)[made.codes]
        made.names, made.ordered = list(names.values()), True
    return made


def _no_labels(folder: Path) -> str:
    """What to say of a folder without labels; those below it may be meant, as in runs/predict/labels."""
    below = {path.parent for depth in ("*/*.txt", "*/*/*.txt") for path in folder.glob(depth)}
    names = sorted(path.relative_to(folder).as_posix() for path in below)
    meant = f"did you mean a folder in it, {some(names, 4)}?" if names else "if there are no boxes, leave an empty one"
    return f"the folder {printable(folder)[:200]} has no .txt file with labels; {meant}"


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
        if len(row) != fields or not (row[0].is_integer() and 0 <= row[0] < MOST_CLASSES):
            wanted = "class cx cy width height" + (" confidence" if fields == 6 else "")
            msg = f"{printable(path.name)}, line {number:,}: wanted {wanted!r}, got {some([line])}"
            msg += " (a polygon or a rotated box?)" if len(row) > 6 else ""
            msg += "; ultralytics writes the confidence by save_conf=True" if len(row) == 5 and fields == 6 else ""
            raise InputError(msg)
        rows.append(row)
    return rows
