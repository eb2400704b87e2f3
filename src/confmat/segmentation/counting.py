"""`count_masks`: label maps counted as they are, an image at a time, into a matrix of the numbers that occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from functools import reduce
from itertools import chain
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.counts import DENSE_BYTES, Counts
from confmat.core.errors import Argument, BudgetError, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import plain
from confmat.core.options import door, flag, whole_number
from confmat.core.stack import Stack
from confmat.core.text import plural
from confmat.counting import count
from confmat.counting.tables import workers
from confmat.segmentation.classes import (
    IGNORED,
    STRANGER,
    Classes,
    discovered,
    placed,
    read_classes,
)
from confmat.segmentation.images import of_images, pixels
from confmat.segmentation.maps import Pair, pairs_of, place_of

Array = NDArray[Any]

# Cells of all matrices of a stack; 24 bytes each.
MAX_STACK_CELLS = 2**25
# Numbers in a row that have a table.
MAX_TABLE_SIDE = 2**10


class Numbers:
    """Counts the numbers of images as they are, over a table of those from the lowest to the highest class."""

    def __init__(self, classes: Classes, threads: int | None, *, sparse: bool) -> None:
        self._classes, self._threads, self._sparse = classes, threads, sparse
        self._labels = _row_of(classes.code_of, Labels([0]))

    def count(self, pair: Pair) -> ConfusionMatrix:
        """The matrix of the numbers of a pair; ignored ones may be in it, or left out."""
        sides = [side.reshape(-1) for side in (pair.actual, pair.predicted)]
        actual, predicted = (side.view(np.uint8) if side.dtype == bool else side for side in sides)
        threads, labels = workers(self._threads, len(actual)), self._labels
        low, size = labels[0], len(labels)
        table, outside = kernels.kernel.count_dense(
            actual, predicted, low, size, low, size, threads
        )
        beyond = [number for number in self._classes.ignored if not low <= number < low + size]
        # No class was missed where all that the table leaves out has an ignored number in the
        # truth.
        if not outside or outside == sum(np.count_nonzero(actual == number) for number in beyond):
            return ConfusionMatrix._of(
                labels, Counts.of_table(table, sparse=self._sparse), None, outside
            )
        raw = count(actual, predicted, sparse=True, threads=threads)
        if self._classes.labels is None:
            self._labels = _row_of({*raw.labels.classes, *labels} - self._classes.ignored, labels)
        return raw


def _row_of(numbers: Iterable[int], otherwise: Labels) -> Labels:
    """All numbers from the lowest to the highest, unless these are too many or there is none."""
    low, high = min(numbers, default=0), max(numbers, default=-1)
    return Labels(range(low, high + 1)) if 0 <= high - low < MAX_TABLE_SIDE else otherwise


def _added(matrix: ConfusionMatrix, more: ConfusionMatrix) -> ConfusionMatrix:
    """The sum, kept as cells where the numbers differ, since these may be many."""
    same = matrix.labels == more.labels
    return matrix + more if same else matrix.sparse() + more.sparse()


def refuse(classes: Classes, pair: Pair) -> None:
    """Say where the first pixel is whose number is neither a class nor ignored."""
    sides = []
    for array in (pair.actual, pair.predicted):
        numbers, places = np.unique(array, return_inverse=True)
        sides.append(classes.codes(numbers.tolist())[places].reshape(array.shape))
    rows, cols = sides
    first = int(np.argmax(wrong_pairs(rows, cols).reshape(-1)))
    name, array = (
        ("actual", pair.actual)
        if rows.reshape(-1)[first] == STRANGER
        else ("predicted", pair.predicted)
    )
    value = int(array.reshape(-1)[first])
    msg = Message(
        "{} is {} in {}, which is neither a class of {labels} ({}) nor ignored; name it in {labels}, or leave such "
        "pixels of the truth out by `ignore={}`",
        Argument(name),
        value,
        place_of(pair, first),
        classes.in_words(),
        value,
    )
    raise LabelError(msg)


def wrong_pairs(rows: Array, cols: Array) -> Array:
    """Which pairs of codes have a stranger that counts: in the truth, or beside what is not ignored in it."""
    return (rows == STRANGER) | ((rows != IGNORED) & (cols == STRANGER))


def check_known(classes: Classes, raw: ConfusionMatrix, pair: Pair) -> None:
    """Refuse numbers of an image that are neither classes nor ignored."""
    rows, cols, _ = raw._counts.cells()
    codes = classes.codes(raw.labels.classes)
    if wrong_pairs(codes[rows], codes[cols]).any():
        refuse(classes, pair)


def count_images(
    pairs: Iterable[tuple[Hashable, Pair]], classes: Classes, threads: int | None, axis: str | None
) -> ConfusionMatrix | Stack:
    """A matrix for each key, in a stack along the axis, or one where there is no axis; both keep images apart."""
    groups, images, is_bool = _grouped_counts(pairs, classes, threads, axis)
    if not groups:
        if axis:
            msg = Message("there are no images, hence no stack")
            raise InputError(msg)
        groups = {None: [ConfusionMatrix.from_pairs({}, labels=[0])]}
    raws = [raw for each in groups.values() for raw in each]
    if classes.labels is None:
        classes = discovered(raws, classes.ignored, is_bool=is_bool)
    assert classes.labels is not None
    # Tables of many images with many classes keep only the cells that occur.
    sparse = None if len(raws) * (len(classes.labels) + 1) ** 2 * 8 <= DENSE_BYTES else True
    made = {
        key: _whole([placed(raw, classes, sparse=sparse) for raw in each], images[key])
        for key, each in groups.items()
    }
    return Stack(made, axis=axis) if axis else made[None]


def _grouped_counts(
    pairs: Iterable[tuple[Hashable, Pair]], classes: Classes, threads: int | None, axis: str | None
) -> tuple[dict[Hashable, list[ConfusionMatrix]], Counter[Hashable], bool]:
    """The matrices of the numbers under each key, how many images these are, and whether all are of booleans."""
    groups: dict[Hashable, list[ConfusionMatrix]] = {}
    images: Counter[Hashable] = Counter()
    numbers, is_bool, cells = Numbers(classes, threads, sparse=True), True, 0
    for key, pair in pairs:
        if axis == "image" and key in groups:
            msg = Message("two images have the name {!r:.80}; {by} adds up those of one name", key)
            raise InputError(msg)
        is_bool &= pair.actual.dtype == pair.predicted.dtype == bool
        raw = numbers.count(pair)
        if classes.labels is not None:
            check_known(classes, raw, pair)
        groups.setdefault(key, []).append(raw)
        images[key] += 1
        cells += _many(raw)
        if cells > MAX_STACK_CELLS:
            # Too many to be kept apart.
            groups = {key: [reduce(_added, raws)] for key, raws in groups.items()}
            cells = sum(_many(raw) for (raw,) in groups.values())
            if axis and cells > MAX_STACK_CELLS:
                msg = Message(
                    "the matrices of {:,} {} have more than {:,} cells; give fewer",
                    len(groups),
                    plural(axis),
                    MAX_STACK_CELLS,
                )
                raise BudgetError(msg)
    return groups, images, is_bool


def _whole(parts: list[ConfusionMatrix], images: int) -> ConfusionMatrix:
    """The matrix of images, which are kept apart if there are several parts."""
    return (
        of_images(parts)
        if len(parts) == images > 1
        else sum(parts[1:], parts[0])._noted(pixels(parts, images))
    )


def _many(raw: ConfusionMatrix) -> int:
    """How many cells are filled."""
    return len(raw._counts.cells()[0])


class MaskOptions(TypedDict, total=False):
    """Options of `count_masks` that no kind of result depends on."""

    labels: Any
    ignore: Any
    threads: int | None


@overload
def count_masks(
    actual: Any,
    predicted: Any,
    *,
    per_image: Literal[False] = False,
    by: None = None,
    **options: Unpack[MaskOptions],
) -> ConfusionMatrix: ...
@overload
def count_masks(
    actual: Any,
    predicted: Any,
    *,
    per_image: Literal[True],
    by: None = None,
    **options: Unpack[MaskOptions],
) -> Stack: ...
@overload
def count_masks(
    actual: Any,
    predicted: Any,
    *,
    per_image: Literal[False] = False,
    by: Any,
    **options: Unpack[MaskOptions],
) -> Stack: ...
@door
def count_masks(
    actual: Any,
    predicted: Any,
    *,
    labels: Any = None,
    ignore: Any = None,
    per_image: bool = False,
    by: Any = None,
    threads: int | None = None,
) -> ConfusionMatrix | Stack:
    """Count the pixels of label maps into a ConfusionMatrix: one update per image, in the memory of one image.

    The pixels of an image are alike, so the matrix keeps images apart, and its intervals go by
    image. It adds to those of other images. A single image has scores and no intervals, and so has
    what is stored, or the sum of a stack.

    Parameters
    ----------
    actual, predicted
        Label maps of integers or booleans: one of H x W, an array of n x H x W, or an iterable of
        maps of any sizes, such as a list, a generator or the paths of files; or two directories,
        whose files are paired by name. Maps may be NumPy arrays, tensors on the CPU, nested lists,
        `.npy` files (read through a memory map) and pictures (read with Pillow, if it is
        installed). A listed map may be a volume.
    labels
        Names of the numbers 0, 1, ...; or a mapping of number to name, in which several numbers may
        have one name; or the numbers themselves, in their order. Without it the numbers that occur
        are the classes. A number that `labels` does not name is an error.
    ignore
        One number or several. Pixels whose truth is one of them are left out and counted in
        `dropped`. Where only the prediction is one of them, the pixel was answered by no class: the
        outside label "(void)".
    per_image
        One matrix per image, in a Stack along "image", which is also what keeps images apart in a
        file, and what `compare` takes to compare models on the same images.
    by
        One group per image, such as the patient it is of; a Stack along "group".
    threads
        At most this many; by default what the machine offers, and one for small images.

    Examples
    --------
    >>> truth = [[0, 0, 1, 1], [0, 0, 1, 255]]
    >>> answer = [[0, 0, 0, 1], [0, 0, 1, 1]]
    >>> m = count_masks(truth, answer, labels=["road", "car"], ignore=255)
    >>> print(m)
            predicted
    actual  road  car  │ total
    road       4    0  │     4
    car        1    2  │     3
    total      5    2  │     7
    1 left out of the matrix

    """
    classes = read_classes(labels, ignore)
    if threads is not None:
        whole_number("threads", threads)
    per_image = flag("per_image", per_image)
    if per_image and by is not None:
        msg = Message("`per_image` and {by} each make a stack; give one of them")
        raise InputError(msg)
    pairs = pairs_of(actual, predicted)
    if by is not None:
        return count_images(_grouped(pairs, by), classes, threads, "group")
    return count_images(
        ((pair.name if per_image else None, pair) for pair in pairs),
        classes,
        threads,
        "image" if per_image else None,
    )


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
            msg = Message(
                "{by} has {:,} groups and there are more images; it must hold one per image",
                number - 1,
            )
            raise InputError(msg)
        name = plain(key)
        if name is None:
            msg = Message("{by} has no group for image {:,}; give each image one", number - 1)
            raise InputError(msg)
        yield name, pair
    if next(keys) is not end:
        msg = Message(
            "{by} has more groups than the {:,} images; it must hold one per image", number
        )
        raise InputError(msg)
