"""Overlaps: which boxes of one image overlap enough, for all images at once."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from confmat import _kernels
from confmat.errors import BudgetError

__all__ = ["Candidates", "Placed", "candidates"]

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
