"""Images: the pixels of label maps as one matrix, which keeps those of each image apart, since they are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from confmat.core.building import positions
from confmat.core.counts import Counts
from confmat.core.matrix import ConfusionMatrix
from confmat.core.notes import Note, merged
from confmat.core.samples import Sample, Units
from confmat.core.stack import Stack


class Images(Sample):
    """A matrix of pixels from images that were drawn: intervals go by image.

    It adds to others, of other images. A file keeps the sum of all images, which has scores but no
    intervals: the stack of `count_masks(..., per_image=True)` has both.
    """

    __slots__ = ()

    together = (
        "Models on the same images are compared by their stacks: count_masks(..., per_image=True)."
    )

    @property
    def described(self) -> str:
        """How many images there are, in words."""
        return f"{self.units.drawn.sum():,.0f} images"

    @property
    def pooled(self) -> ConfusionMatrix:
        """The sum of all images, which does not tell them apart."""
        units = self.units
        counts = Counts.of_cells(
            len(self.labels), units.rows, units.cols, units.weight.astype(np.int64)
        )
        return ConfusionMatrix._of(self.labels, counts, None, self.dropped)._noted(self.notes)

    def __add__(self, other: object) -> ConfusionMatrix:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Images):
            return self.pooled + other if isinstance(other, ConfusionMatrix) else NotImplemented
        labels = self.labels.union(other.labels)
        mine, theirs = (
            m._remapped(labels, positions(m.labels, labels)).units for m in (self, other)
        )
        units = _joined(mine, theirs)
        both = self._drawn(labels, units, self.dropped + other.dropped)
        return both._noted(merged(self.notes + other.notes))

    __radd__ = __add__

    def one_vs_rest(self, label: Any) -> ConfusionMatrix:
        """Return the two classes, one of the labels and the rest, as a matrix of all images together.

        Parameters
        ----------
        label
            The class.
        """
        return self.pooled.one_vs_rest(label)

    def to_dict(self) -> dict[str, Any]:
        """Return the sum of all images as plain data."""
        return self.pooled.to_dict()


def _joined(units: Units, more: Units) -> Units:
    """The images of both."""
    parts = {
        name: np.concatenate([getattr(units, name), getattr(more, name)])
        for name in ("rows", "cols", "weight", "squared", "stratum")
    }
    unit = np.concatenate([units.unit, more.unit + int(units.drawn.sum())])
    return replace(units, **parts, unit=unit, drawn=units.drawn + more.drawn)


def of_images(images: Sequence[ConfusionMatrix]) -> Images:
    """Return the matrix of images, from one of each."""
    images = [*Stack(dict(enumerate(images)), axis="image").values()]
    cells = [m._counts.cells() for m in images]
    rows, cols, counts = (np.concatenate(part) for part in zip(*cells, strict=True))
    unit, weight = (
        np.repeat(np.arange(len(images)), [len(each[0]) for each in cells]),
        counts.astype(np.float64),
    )
    first, many = np.zeros(len(images), np.intp), np.array([float(len(images))])
    units = Units(rows, cols, unit, weight, weight, first, many, np.ones(1))
    dropped = sum(m.dropped for m in images)
    return Images._drawn(images[0].labels, units, dropped)._noted(pixels(images, len(images)))


def pixels(matrices: Sequence[ConfusionMatrix], images: int) -> tuple[Note, ...]:
    """Return the note of matrices that hold pixels of several images."""
    return (Note("pixels", (), sum(int(m.total) for m in matrices), images),)
