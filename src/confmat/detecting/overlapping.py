"""Overlaps: which boxes of one image overlap enough, for all images at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.errors import BudgetError

__all__ = ["Candidates", "Placed", "candidates"]

Array = NDArray[Any]

# Pairs of boxes that are compared at a time, and pairs that may be found.
BLOCK, MOST_FOUND = 2**16, 2**26
# What rounding may take from a bound.
SLACK = 1e-9


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
    if not len(truth.image) or not len(predicted.image):
        return _NONE
    left, right = _Sorted(truth), _Sorted(predicted)
    found, many = [_NONE], 0
    for rows, cols in _pairs(*_windows(left, right, images, least, share=share)):
        found.append(_overlapping(left, right, rows, cols, least, share=share))
        many += len(found[-1].overlap)
        if many > MOST_FOUND:
            msg = (
                f"more than {MOST_FOUND:,} pairs of boxes overlap by {least:g}; ask for larger overlaps or a higher "
                "confidence, or count parts of the images and add the matrices"
            )
            raise BudgetError(msg)
    rows, cols, overlap = map(np.concatenate, zip(*found, strict=True))
    rows, cols = left.order[rows], right.order[cols]
    in_order = np.lexsort((cols, rows))
    return Candidates(rows[in_order], cols[in_order], overlap[in_order])


_NONE = Candidates(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))


class _Sorted:
    """Boxes by image, and within each by their left sides; their sides in arrays of their own."""

    def __init__(self, boxes: Placed) -> None:
        left = boxes.corners[:, 0]
        lowest, highest = left.min(initial=0.0), left.max(initial=0.0)
        # One number to sort by: every image has a stretch of the line to itself.
        self.order = np.argsort(boxes.image * (highest - lowest + 1.0) + (left - lowest))
        self.image, self.areas = boxes.image[self.order], boxes.areas[self.order]
        self.x, self.y, self.right, self.top = np.ascontiguousarray(boxes.corners[self.order].T)


def _windows(truth: _Sorted, predicted: _Sorted, images: int, least: float, *, share: bool) -> tuple[Array, Array]:
    """Between which predictions each truth can find those that overlap enough.

    Boxes of widths v and w whose intersection over union is t have at least t max(v, w) of their width in common. So
    the other's left side is at most (1 - t) w to the right, and at most (1 - t) w / t to the left.
    """
    ends = np.cumsum(np.bincount(predicted.image, minlength=images))
    starts = np.append(0, ends[:-1])[truth.image]
    width = truth.right - truth.x
    low = min(truth.x.min(initial=0.0), predicted.x.min(initial=0.0))
    stretch = 2 * (max(truth.right.max(initial=0.0), predicted.x.max(initial=0.0)) - low) + 1.0
    keys = predicted.image * stretch + (predicted.x - low)
    # Rounding may have put neighbours the wrong way round.
    np.maximum.accumulate(keys, out=keys)
    here = truth.image * stretch + (truth.x - low)
    room = SLACK * width + 8 * np.finfo(float).eps * stretch * images
    last = np.searchsorted(keys, here + (width if share else (1 - least) * width) + room, side="right")
    last = np.minimum(last, ends[truth.image])
    if share:
        return starts, last
    first = np.searchsorted(keys, here - (1 - least) / least * width - room)
    return np.maximum(first, starts), last


def _pairs(first: Array, last: Array) -> Iterator[tuple[Array, Array]]:
    """Every number with all of its window, in blocks of bounded size."""
    sizes = np.maximum(last - first, 0)
    sums = np.cumsum(sizes)
    total = int(sums[-1]) if len(sums) else 0
    for begin in range(0, total, BLOCK):
        end = min(begin + BLOCK, total)
        one, other = np.searchsorted(sums, [begin, end - 1], side="right")
        part = slice(one, other + 1)
        before = sums[part] - sizes[part]
        counts = np.minimum(sums[part], end) - np.maximum(before, begin)
        # The k-th of all pairs has the prediction k less the pairs before its truth, from the first one on.
        shift = np.repeat(first[part] - before, counts)
        yield np.repeat(np.arange(one, other + 1), counts), np.arange(begin, end) + shift


def _overlapping(
    truth: _Sorted, predicted: _Sorted, rows: Array, cols: Array, least: float, *, share: bool
) -> Candidates:
    """Of pairs that are near each other sideways, those that overlap enough."""
    height = np.minimum(truth.top.take(rows), predicted.top.take(cols))
    height -= np.maximum(truth.y.take(rows), predicted.y.take(cols))
    near = np.flatnonzero(height > 0)
    rows, cols, height = rows[near], cols[near], height[near]
    width = np.minimum(truth.right[rows], predicted.right[cols]) - np.maximum(truth.x[rows], predicted.x[cols])
    inner = np.maximum(width, 0) * height
    bottom = predicted.areas[cols]
    if not share:
        bottom = truth.areas[rows] + bottom - inner
    with np.errstate(invalid="ignore"):
        # Boxes without an area have nothing in common, and not 0 / 0.
        overlap = inner / bottom
    enough = np.flatnonzero(overlap >= least)
    return Candidates(rows[enough], cols[enough], overlap[enough])
