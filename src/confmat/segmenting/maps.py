"""Both sides of a segmentation in step: pairs of label maps of one shape, and where in them a pixel lies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting.columns import booleans
from confmat.errors import InputError, Message
from confmat.segmenting.files import paired_files
from confmat.segmenting.sides import Side, image_named, is_path, opened

__all__ = ["Pair", "pairs_of", "place_of"]

Array = NDArray[Any]

# Images of one array are counted together: up to so many pixels, and fewer where the array has to be copied for it.
TOGETHER, COPIED = 2**26, 2**20
_END: Any = object()


@dataclass(frozen=True, slots=True)
class Pair:
    """One image of both sides; or several of an array, along the first axis of both, beginning with number `name`."""

    name: Any
    actual: Array
    predicted: Array
    together: bool = False


def place_of(pair: Pair, flat: int) -> str:
    """Which image and which pixel of it, in words."""
    at = [int(i) for i in np.unravel_index(flat, pair.actual.shape)]
    name = pair.name + at.pop(0) if pair.together else pair.name
    where = ", ".join(f"{axis} {i:,}" for axis, i in zip(("slice", "row", "column")[-len(at) :], at, strict=True))
    return f"{image_named(name)} at {where}"


def pairs_of(actual: Any, predicted: Any, *, layers: int = 0, together: bool = False) -> Iterator[Pair]:
    """The images of both sides in step, each with so many `layers` per pixel along its last axis, or none.

    `together` allows several small images of an array in one pair.
    """
    if all(is_path(side) and Path(side).is_dir() for side in (actual, predicted)):
        actual, predicted = paired_files(actual, predicted)
    one, other = opened(actual, "actual", layers), opened(predicted, "predicted", layers)
    if one.many != other.many and None not in {one.many, other.many}:
        msg = Message(
            "{actual} has {:,} images and {predicted} {:,}; they are paired by position", one.many, other.many
        )
        raise InputError(msg)
    if together and one.array is not None and other.array is not None and one.array.shape == other.array.shape:
        yield from _blocks(one.array, other.array)
    else:
        yield from _in_step(one, other, layers)


def _blocks(actual: Array, predicted: Array) -> Iterator[Pair]:
    whole = actual.flags.c_contiguous and predicted.flags.c_contiguous
    step = max(1, (TOGETHER if whole else COPIED) // max(1, actual[:1].size))
    for begin in range(0, len(actual), step):
        one, other = (booleans(side[begin : begin + step]) for side in (actual, predicted))
        yield Pair(begin, one, other, together=True)


def _in_step(one: Side, other: Side, layers: int) -> Iterator[Pair]:
    mine, theirs = one.maps(layers), other.maps(layers)
    number = 0
    while True:
        left, right = next(mine, _END), next(theirs, _END)
        if left is _END and right is _END:
            return
        if left is _END or right is _END:
            short, long = ("actual", "predicted") if left is _END else ("predicted", "actual")
            msg = f"`{short}` ends after {number:,} images and `{long}` goes on; they are paired by position"
            raise InputError(msg)
        name = next((name for name, _ in (left, right) if isinstance(name, str)), number)
        _check_shapes(name, left[1], right[1])
        yield Pair(name, left[1], right[1])
        number += 1


def _check_shapes(name: Any, actual: Array, predicted: Array) -> None:
    if actual.shape == predicted.shape:
        return
    mine, theirs = (" x ".join(map(str, array.shape)) for array in (actual, predicted))
    hint = "bring both to one size first, by nearest neighbour, since labels have no averages"
    if actual.ndim != predicted.ndim:
        hint = "where one has a layer per class, its `.argmax` along that axis is the label map"
    msg = Message("{} is {} in {actual} and {} in {predicted}; {}", image_named(name), mine, theirs, hint)
    raise InputError(msg)
