"""The door of segmentation: pairs of label maps come in, one update per image, and a matrix of pixels comes out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import chain
from typing import Any, Literal, overload

from confmat._naming import plain
from confmat._options import flag, whole_number
from confmat.errors import InputError, Message
from confmat.matrix import ConfusionMatrix
from confmat.segmenting.classes import read_classes
from confmat.segmenting.images import Images
from confmat.segmenting.maps import Pair, pairs_of
from confmat.stack import Stack

__all__ = ["segmentation"]


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
    per_image = flag("per_image", per_image)
    if per_image and by is not None:
        msg = Message("`per_image` and {by} each make a stack; give one of them")
        raise InputError(msg)
    pairs = pairs_of(actual, predicted, together=not per_image and by is None and boundary is None)
    images = Images(classes, boundary, threads)
    if per_image:
        return images.stack(((pair.name, pair) for pair in pairs), "image")
    if by is not None:
        return images.stack(_grouped(pairs, by), "group")
    return images.matrix(pairs)


def _grouped(pairs: Iterator[Pair], by: Any) -> Iterator[tuple[Hashable, Pair]]:
    """Each image with its group, which must be as many."""
    if isinstance(by, (str, bytes)) or not isinstance(by, Iterable):
        msg = Message("{by} must hold one group per image, not {!r:.60}", by)
        raise InputError(msg)
    end: Any = object()
    keys = chain(by, [end])
    number = 0
    for number, pair in enumerate(pairs, 1):
        key = next(keys)
        if key is end:
            msg = Message("{by} has {:,} groups and there are more images; it must hold one per image", number - 1)
            raise InputError(msg)
        yield _group(key, number), pair
    if next(keys) is not end:
        msg = Message("{by} has more groups than the {:,} images; it must hold one per image", number)
        raise InputError(msg)


def _group(key: Any, number: int) -> Hashable:
    found = plain(key)
    if found is None:
        msg = Message("{by} has no group for image {:,}; give each image one", number - 1)
        raise InputError(msg)
    return found
