"""Classes and images that both sides have in common, and what is known to be wrong between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat._building import as_names
from confmat._naming import in_order
from confmat._options import told
from confmat.detecting.boxes import Boxes
from confmat.errors import Argument, InputError, LabelError, Message
from confmat.labels import Labels
from confmat.text import some

__all__ = ["check_scale", "common_images", "common_labels"]

Array = NDArray[Any]

# Relative boxes reach from 0 to 1, or a little beyond where a box is cut off; of pixels there are more.
RELATIVE, PIXELS = 1.5, 10.0


def common_labels(truth: Boxes, predicted: Boxes, labels: Any, background: str) -> tuple[Labels, Array, Array]:
    """The labels of the matrix, with the background outside, and the places of both sides' classes among them."""
    ids: Mapping[Any, Any] = {}
    if labels is None:
        names = _united(truth, predicted)
    elif isinstance(labels, Mapping):
        names, ids = Labels(list(dict.fromkeys(labels.values()))), labels
    else:
        names = labels if isinstance(labels, Labels) else Labels(as_names(labels))
    if not isinstance(background, str) or not background:
        msg = f"`background` is the name of a row and a column, not {told(background)}"
        raise InputError(msg)
    names = names.replace(outside=[*(one for one in names.outside if one != background), background])
    return names, _places(truth, "truth", names, ids), _places(predicted, "predicted", names, ids)


def _united(truth: Boxes, predicted: Boxes) -> Labels:
    sides = [_own(side) for side in (truth, predicted) if side.names]
    if not sides:
        msg = Message("there are no boxes on either side; with {labels} that gives a matrix of zeros")
        raise InputError(msg)
    return sides[0] if len(sides) == 1 else sides[0].union(sides[1])


def _own(side: Boxes) -> Labels:
    return Labels(side.names if side.ordered else in_order(side.names, appearance=False))


def _places(side: Boxes, name: str, labels: Labels, ids: Mapping[Any, Any]) -> Array:
    """The place of each box's class; of integers beside labels that are texts, the place is the integer itself."""
    kinds = {type(one) for one in side.names}
    numbered = not ids and kinds == {int} and labels.kind == "text"
    places = [_place(one, labels, ids, numbered=numbered) for one in side.names]
    codes = np.array([*places, -1], np.int64)[side.codes]
    strange = (codes < 0) & (side.codes >= 0)
    if strange.any():
        number = int(np.argmax(strange))
        wrong = [one for one, place in zip(side.names, places, strict=True) if place < 0]
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


def _place(one: Any, labels: Labels, ids: Mapping[Any, Any], *, numbered: bool) -> int:
    if numbered:
        return one if 0 <= one < labels.n_classes else -1
    if ids and one not in ids and one not in labels:
        return -1
    name = ids.get(one, one) if ids else one
    place = labels.index(name) if name in labels else -1
    return place if place < labels.n_classes else -1


def common_images(truth: Boxes, predicted: Boxes) -> tuple[list[Any], Array]:
    """All images, those of the truth first, and the image of each predicted box among them.

    Where the truth names all its images, predictions of another one are an error.
    """
    places = {name: place for place, name in enumerate(truth.images)}
    strange = [name for name in predicted.images if name not in places]
    if strange and (truth.complete or (len(strange) == len(predicted.images) and truth.images)):
        which = (
            "have no image in common with" if len(strange) == len(predicted.images) else "are of images that are not in"
        )
        msg = Message("predictions {} {truth}: {}; the truth is of {}", which, some(strange), some(truth.images))
        raise InputError(msg)
    images = [*truth.images, *strange]
    places |= {name: len(truth.images) + place for place, name in enumerate(strange)}
    found = np.array([places[name] for name in predicted.images], np.int64)
    return images, found[predicted.image] if len(predicted) else np.zeros(0, np.int64)


def check_scale(truth: Boxes, predicted: Boxes) -> None:
    """Refuse boxes of which one side is relative to the image and the other in pixels."""
    if not len(truth) or not len(predicted):
        return
    reach = {"truth": float(truth.corners.max()), "predicted": float(predicted.corners.max())}
    relative, pixels = sorted(reach, key=lambda name: reach[name])
    small, large = reach[relative], reach[pixels]
    corners = truth.corners if relative == "truth" else predicted.corners
    # Whole numbers may be a single pixel in the corner.
    if small <= RELATIVE and large > PIXELS and np.any(corners % 1):
        msg = (
            f"boxes in `{relative}` reach to {small:g} and those in `{pixels}` to {large:g}: one side is "
            "relative to the size of the image and the other in pixels; multiply by width and height first"
        )
        raise InputError(msg)
