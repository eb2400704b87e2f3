"""Overlaps: which boxes of one image overlap enough, for all images at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat import _kernels
from confmat.detecting.boxes import plain_array
from confmat.errors import BudgetError, InputError
from confmat.text import some

__all__ = ["Candidates", "Placed", "candidates", "stated"]

Array = NDArray[Any]

# Pairs that may be found.
MOST = 2**24


class Placed(NamedTuple):
    """Boxes and the image that each is in."""

    image: Array
    corners: Array
    areas: Array


class Candidates(NamedTuple):
    """Pairs of boxes, as their places on both sides, and by how much they overlap."""

    truth: Array
    predicted: Array
    overlap: Array


def candidates(truth: Placed, predicted: Placed, images: int, least: float, *, share: bool = False) -> Candidates:
    """Pairs in one image whose intersection over union is at least so much, by truth and prediction.

    With `share` it is the part of the prediction that lies in the other box, whose size does not matter then.
    """
    found = _kernels.kernel.overlapping_boxes(truth, predicted, images, least, share, MOST)
    if found is None:
        msg = (
            f"more than {MOST:,} pairs of boxes overlap by {least:g}; ask for larger overlaps or a higher confidence, "
            "or count parts of the images and add the matrices"
        )
        raise BudgetError(msg)
    return Candidates(*found)


def stated(overlaps: Any, images: list[Any], truth: Array, predicted: Array, least: float) -> Candidates:
    """Pairs that overlap by at least so much, from a table for each image; sides are the images of their boxes."""
    if isinstance(overlaps, Mapping):
        tables = [overlaps.get(name) for name in images]
    elif isinstance(overlaps, Iterable) and not isinstance(overlaps, (str, bytes)):
        tables = list(overlaps)
    else:
        tables = []
    if len(tables) != len(images):
        msg = f"`overlaps` is a table for each of {len(images):,} images, in a list or a mapping"
        raise InputError(msg)
    orders = [np.argsort(side, kind="stable") for side in (truth, predicted)]
    ends = [np.cumsum(np.bincount(side, minlength=len(images))) for side in (truth, predicted)]
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    for image, name in enumerate(images):
        begins = [side[image - 1] if image else 0 for side in ends]
        mine, theirs = (order[begin : end[image]] for order, begin, end in zip(orders, begins, ends, strict=True))
        if len(mine) and len(theirs):
            table = _table(tables[image], (len(mine), len(theirs)), name)
            rows, cols = np.nonzero(table >= least)
            found.append((mine[rows], theirs[cols], table[rows, cols]))
    rows, cols, overlap = map(np.concatenate, zip(*found, strict=True))
    in_order = np.lexsort((cols, rows))
    return Candidates(rows[in_order], cols[in_order], overlap[in_order])


def _table(given: Any, shape: tuple[int, int], image: Any) -> Array:
    """The overlaps of one image as numbers from 0 to 1."""
    table = plain_array(given)
    if table.shape != shape or table.dtype.kind not in "iuf":
        given_as = f"of shape {table.shape} and type {table.dtype}"
        wanted = f"numbers of shape {shape}: a row for each true object and a column for each predicted one"
        msg = f"`overlaps` of image {some([image])} are {given_as}, not {wanted}"
        raise InputError(msg)
    table = table.astype(np.float64)
    # Rounding may take a perfect overlap a little beyond 1.
    if not (table.min() >= 0 and table.max() <= 1 + 1e-6):
        msg = (
            f"`overlaps` of image {some([image])} go from {table.min()} to {table.max()}; they are shares, from 0 to 1"
        )
        raise InputError(msg)
    return table
