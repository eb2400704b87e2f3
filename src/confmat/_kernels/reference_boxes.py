"""The part of the kernel's specification that compares boxes: which of two sides overlap enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["overlapping_boxes"]

Array = NDArray[Any]
# The image of each box, its corners x1, y1, x2, y2, and its area.
Side = tuple[Array, Array, Array]
Found = tuple[Array, Array, Array]

# Pairs of boxes that are compared at a time.
BLOCK = 2**16
# What rounding may take from a bound.
SLACK = 1e-9


def overlapping_boxes(truth: Side, predicted: Side, images: int, least: float, share: bool, most: int) -> Found | None:
    """Pairs of boxes in one image that overlap enough: `(rows, cols, overlap)`; None above `most`.

    The overlap is intersection over union, or with `share` the part of the prediction that lies in the other box;
    it must be at least `least`, which is above 0. Pairs come by truth and then by prediction. A side is the image of
    each box (int64, below `images`), its corners (n, 4) and its area, both finite float64, in memory without gaps.

    >>> box = np.array([[0.0, 0.0, 10.0, 10.0]])
    >>> truth, predicted = (
    ...     (np.zeros(1, np.int64), one, np.array([area])) for one, area in ((box, 100.0), (box, 100.0))
    ... )
    >>> overlapping_boxes(truth, predicted, 1, 0.5, False, 9)
    (array([0]), array([0]), array([1.]))
    """
    left, right = _Sorted(*truth), _Sorted(*predicted)
    found: list[Found] = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    for rows, cols in _pairs(*_windows(left, right, images, least, share)):
        found.append(_compared(left, right, rows, cols, least, share))
        if sum(len(part[0]) for part in found) > most:
            return None
    rows, cols, overlap = map(np.concatenate, zip(*found, strict=True))
    rows, cols = left.order[rows], right.order[cols]
    in_order = np.lexsort((cols, rows))
    return rows[in_order], cols[in_order], overlap[in_order]


class _Sorted:
    """Boxes by image, and within each by their left sides; their sides in arrays of their own."""

    def __init__(self, image: Array, corners: Array, areas: Array) -> None:
        self.order = np.lexsort((corners[:, 0], image))
        self.image, self.areas = image[self.order], areas[self.order]
        self.x, self.y, self.right, self.top = np.ascontiguousarray(corners[self.order].T)


def _windows(truth: _Sorted, predicted: _Sorted, images: int, least: float, share: bool) -> tuple[Array, Array]:
    """Between which predictions each truth can find those that overlap enough.

    Boxes of widths v and w whose intersection over union is t have at least t max(v, w) of their width in common. So
    the other's left side is at most (1 - t) w to the right, and at most (1 - t) w / t to the left.
    """
    ends = np.cumsum(np.bincount(predicted.image, minlength=images))
    starts = np.append(0, ends[:-1])[truth.image]
    width = truth.right - truth.x
    low = min(truth.x.min(initial=0.0), predicted.x.min(initial=0.0))
    # One number to search by: every image has a stretch of the line to itself.
    stretch = 2 * (max(truth.right.max(initial=0.0), predicted.x.max(initial=0.0)) - low) + 1.0
    keys = predicted.image * stretch + (predicted.x - low)
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


def _compared(truth: _Sorted, predicted: _Sorted, rows: Array, cols: Array, least: float, share: bool) -> Found:
    """Of pairs that are near each other sideways, those that overlap enough."""
    height = np.minimum(truth.top[rows], predicted.top[cols]) - np.maximum(truth.y[rows], predicted.y[cols])
    near = np.flatnonzero(height > 0)
    rows, cols, height = rows[near], cols[near], height[near]
    width = np.minimum(truth.right[rows], predicted.right[cols]) - np.maximum(truth.x[rows], predicted.x[cols])
    inner = np.maximum(width, 0) * height
    bottom = predicted.areas[cols] if share else truth.areas[rows] + predicted.areas[cols] - inner
    with np.errstate(invalid="ignore"):
        # Two boxes without an area have nothing in common, and not 0 / 0.
        overlap = inner / bottom
    enough = np.flatnonzero(overlap >= least)
    return rows[enough], cols[enough], overlap[enough]
