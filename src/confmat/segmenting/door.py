"""The door of segmentation: pairs of label maps come in, one update per image, and a matrix of pixels comes out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import chain
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from confmat._counts import DENSE_BYTES
from confmat._naming import plain
from confmat.counting.pairing import whole_number
from confmat.errors import BudgetError, InputError
from confmat.matrix import ConfusionMatrix
from confmat.segmenting.bands import band
from confmat.segmenting.checking import Checker
from confmat.segmenting.classes import Classes, discovered, placed, read_classes
from confmat.segmenting.maps import Pair, pairs_of
from confmat.segmenting.raw import RawCounter, RawSum
from confmat.stack import Stack

__all__ = ["segmentation"]

Array = NDArray[Any]

# Cells of all matrices of a stack; 24 bytes each.
MOST_CELLS = 2**25


@overload
def segmentation(
    actual: Any,
    predicted: Any,
    *,
    labels: Any = None,
    ignore: Any = None,
    boundary: int | None = None,
    per_image: Literal[False] = False,
    by: None = None,
    threads: int | None = None,
) -> ConfusionMatrix: ...
@overload
def segmentation(
    actual: Any,
    predicted: Any,
    *,
    labels: Any = None,
    ignore: Any = None,
    boundary: int | None = None,
    per_image: Literal[True],
    by: None = None,
    threads: int | None = None,
) -> Stack: ...
@overload
def segmentation(
    actual: Any,
    predicted: Any,
    *,
    labels: Any = None,
    ignore: Any = None,
    boundary: int | None = None,
    per_image: Literal[False] = False,
    by: Any,
    threads: int | None = None,
) -> Stack: ...
def segmentation(
    actual: Any,
    predicted: Any,
    *,
    labels: Any = None,
    ignore: Any = None,
    boundary: int | None = None,
    per_image: bool = False,
    by: Any = None,
    threads: int | None = None,
) -> ConfusionMatrix | Stack:
    """Count the pixels of label maps into a ConfusionMatrix: one update per image, in the memory of one image.

    Parameters
    ----------
    actual, predicted
        Label maps of integers or booleans: one of H x W, an array of n x H x W, or an iterable of maps of any sizes,
        such as a list, a generator or the paths of files; or two directories, whose files are paired by name. Maps
        may be NumPy arrays, tensors on the CPU, nested lists, `.npy` files (read through a memory map) and pictures
        (read with Pillow, if it is installed). A listed map may be a volume.
    labels
        Names of the numbers 0, 1, ...; or a mapping of number to name, in which several numbers may have one name;
        or the numbers themselves, in their order. Without it the numbers that occur are the classes. A number that
        `labels` does not name is an error.
    ignore
        One number or several. Pixels whose truth is one of them are left out and counted in `dropped`. Where only
        the prediction is one of them, the pixel was answered by no class: the outside label "(void)".
    boundary
        Count only pixels that have another label of the truth within so many steps, a diagonal step being one; all
        others are `dropped`. Borders with ignored pixels are borders.
    per_image
        One matrix per image, in a Stack along "image".
    by
        One group per image, such as the patient it is of; a Stack along "group".
    threads
        At most this many; by default what the machine offers, and one for small images.

    Examples
    --------
    >>> truth = [[0, 0, 1, 1], [0, 0, 1, 255]]
    >>> answer = [[0, 0, 0, 1], [0, 0, 1, 1]]
    >>> m = segmentation(truth, answer, labels=["road", "car"], ignore=255)
    >>> print(m)
            predicted
    actual  road  car  │ total
    road       4    0  │     4
    car        1    2  │     3
    total      5    2  │     7
    1 left out of the matrix

    """
    classes = read_classes(labels, ignore)
    if boundary is not None:
        whole_number("boundary", boundary)
    if threads is not None:
        whole_number("threads", threads)
    if per_image and by is not None:
        msg = "`per_image` and `by` each make a stack; give one of them"
        raise InputError(msg)
    pairs = pairs_of(actual, predicted, together=not per_image and by is None and boundary is None)
    counting = _Counting(classes, boundary, threads)
    if per_image:
        return counting.stack(((pair.name, pair) for pair in pairs), "image")
    if by is not None:
        return counting.stack(_grouped(pairs, by), "group")
    return counting.matrix(pairs)


class _Counting:
    """One pass over the images."""

    def __init__(self, classes: Classes, boundary: int | None, threads: int | None) -> None:
        self.classes, self.boundary = classes, boundary
        self._counter = RawCounter(classes.code_of, classes.ignored, threads)
        self._checker = Checker(classes)
        self._is_bool = True

    def add(self, pair: Pair, total: RawSum) -> None:
        """Count the pixels of an image into a sum."""
        self._is_bool &= pair.actual.dtype == pair.predicted.dtype == bool
        actual, predicted, near = pair.actual.reshape(-1), pair.predicted.reshape(-1), None
        if self.boundary is not None:
            near = band(pair.actual, self.boundary)
            flat = near.reshape(-1)
            total.missing += int(np.count_nonzero(~flat))
            actual, predicted = actual[flat], predicted[flat]
        if not len(actual):
            return
        found = self._counter.count(actual, predicted)
        self._checker.check(found, pair, near)
        total.add(found)

    def matrix(self, pairs: Iterable[Pair]) -> ConfusionMatrix:
        """All images together."""
        total = RawSum()
        for pair in pairs:
            self.add(pair, total)
        return self._placed({None: total})[None]

    def stack(self, pairs: Iterable[tuple[Hashable, Pair]], axis: str) -> Stack:
        """A matrix for each key."""
        sums: dict[Hashable, RawSum] = {}
        cells = 0
        for key, pair in pairs:
            total = sums.get(key)
            if total is None:
                total = sums[key] = RawSum()
            elif axis == "image":
                msg = f"two images have the name {key!r:.80}; `by` adds up those of one name"
                raise InputError(msg)
            self.add(pair, total)
            cells += total.fold()
            if cells > MOST_CELLS:
                msg = (
                    f"the matrices of {len(sums):,} images have more than {MOST_CELLS:,} cells; give fewer, or use `by`"
                )
                raise BudgetError(msg)
        if not sums:
            msg = "there are no images, hence no stack"
            raise InputError(msg)
        return Stack(self._placed(sums), axis=axis)

    def _placed(self, sums: dict[Any, RawSum]) -> dict[Any, ConfusionMatrix]:
        raws = {key: total.matrix() for key, total in sums.items()}
        classes = self.classes
        if classes.labels is None:
            found = [raw for raw in raws.values() if raw is not None]
            classes = discovered(found, classes.ignored, is_bool=self._is_bool and bool(found))
        assert classes.labels is not None
        # Of many images with many classes only the cells that occur are kept.
        sparse = None if len(raws) * (len(classes.labels) + 1) ** 2 * 8 <= DENSE_BYTES else True
        return {key: placed(raw, classes, sums[key].missing, sparse=sparse) for key, raw in raws.items()}


def _grouped(pairs: Iterator[Pair], by: Any) -> Iterator[tuple[Hashable, Pair]]:
    """Each image with its group, which must be as many."""
    if isinstance(by, (str, bytes)) or not isinstance(by, Iterable):
        msg = f"`by` must hold one group per image, not {by!r:.60}"
        raise InputError(msg)
    end: Any = object()
    keys = chain(by, [end])
    number = 0
    for number, pair in enumerate(pairs, 1):
        key = next(keys)
        if key is end:
            msg = f"`by` has {number - 1:,} groups and there are more images; it must hold one per image"
            raise InputError(msg)
        yield _group(key, number), pair
    if next(keys) is not end:
        msg = f"`by` has more groups than the {number:,} images; it must hold one per image"
        raise InputError(msg)


def _group(key: Any, number: int) -> Hashable:
    found = plain(key)
    if found is None:
        msg = f"`by` has no group for image {number - 1:,}; give each image one"
        raise InputError(msg)
    return found
