"""`count_masks`: label maps counted as they are, over ranges that grow with the numbers, an image at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Hashable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from itertools import chain
from typing import Any, Literal, NamedTuple, TypedDict, Unpack, overload

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
from confmat.counting.tables import MIN_THREADED_PAIRS, workers
from confmat.segmentation.classes import IGNORED, STRANGER, Classes, Ends, Span, discovered, placed, read_classes
from confmat.segmentation.maps import Pair, pairs_of, place_of

Array = NDArray[Any]

# Pixels that are searched together for ignored ones.
CHUNK_PIXELS = 2**18

# A table, its span, and how many ignored pixels are missing from it.
SpanCount = tuple[Span, Array, int]
# Cells of all matrices of a stack; 24 bytes each.
MAX_STACK_CELLS = 2**25
# Pixels from which an image is worth handing to another thread, and from which it is worth all of them.
MIN_THREADED_PIXELS, MIN_SPLIT_PIXELS = 2**17, 2**22
# Bytes of images that are read ahead of counting, so that no thread waits for the reader.
MAX_WAITING_BYTES = 2**27


class RawCounter:
    """Tables of numbers by numbers, one per call, and calls may come from several threads.

    Ignored pixels have a row, or are counted as missing.
    """

    def __init__(self, numbers: Iterable[int], ignored: frozenset[int]) -> None:
        self._ignored = ignored
        known = sorted(numbers)
        # The least and the greatest number seen on each side, and the span that suits each type.
        self._ends: tuple[Ends, Ends] | None = ((known[0], known[-1]),) * 2 if known else None
        self._spans: dict[np.dtype[Any], Span | None] = {}

    def count(self, actual: Array, predicted: Array, threads: int) -> SpanCount | ConfusionMatrix:
        """The table of two flat sides; numbers too far apart for one give a matrix of those that occur."""
        part = self._counted(self._span_of(actual.dtype), actual, predicted, threads)
        if part is None:
            part = self._counted(self._wider(actual, predicted), actual, predicted, threads)
        return part or count(actual, predicted, sparse=True, threads=threads)

    def _span_of(self, dtype: np.dtype[Any]) -> Span | None:
        ends = self._ends
        if dtype not in self._spans and ends is not None:
            self._spans[dtype] = Span.over(*ends, self._ignored, dtype)
        return self._spans.get(dtype)

    def _counted(self, span: Span | None, actual: Array, predicted: Array, threads: int) -> SpanCount | None:
        if span is None:
            return None
        table, outside = kernels.kernel.count_dense(span.read(actual), predicted, *span[:4], threads)
        missing = self._missing(span, actual, predicted) if outside and self._ignored else 0
        return (span, table, missing) if outside == missing else None

    def _missing(self, span: Span, actual: Array, predicted: Array) -> int:
        """How many ignored pixels the table has no place for."""
        in_rows = any(map(span.has_row, self._ignored))
        missing = 0
        for begin in range(0, len(actual), CHUNK_PIXELS):
            part, answer = actual[begin : begin + CHUNK_PIXELS], predicted[begin : begin + CHUNK_PIXELS]
            hidden = one_of(part, self._ignored)
            if in_rows:
                missing += kernels.kernel.count_dense(span.read(part[hidden]), answer[hidden], *span[:4], 1)[1]
            else:
                missing += int(np.count_nonzero(hidden))
        return missing

    def _wider(self, actual: Array, predicted: Array) -> Span | None:
        """A span that also holds these numbers; if that is too wide, those that are not ignored."""
        hidden, dtype = one_of(actual, self._ignored), actual.dtype
        actual, seen = actual[~hidden], predicted[~hidden]
        if not len(actual):
            # Nothing but ignored pixels: any span will do.
            return Span.over((0, 0), (0, 0), self._ignored, dtype)
        for side in (predicted, seen):
            ends = _join_ends(self._ends, (_ends(actual), _ends(side)))
            span = Span.over(*ends, self._ignored, dtype)
            if span is not None:
                # Two threads may widen it at once; the one that loses widens it again.
                self._ends, self._spans = ends, {dtype: span}
                return span
        return None


def _join_ends(one: tuple[Ends, Ends] | None, other: tuple[Ends, Ends]) -> tuple[Ends, Ends]:
    if one is None:
        return other
    rows, cols = ((min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(one, other, strict=True))
    return rows, cols


class RawSum:
    """The sum of several raw counts, in the memory of one table."""

    def __init__(self) -> None:
        self.missing = 0
        self._span: Span | None = None
        self._table: Array | None = None
        self._rest: ConfusionMatrix | None = None

    def add(self, part: SpanCount | ConfusionMatrix) -> None:
        """Add one."""
        if isinstance(part, ConfusionMatrix):
            self._rest = part if self._rest is None else self._rest + part
            return
        span, table, missing = part
        self.missing += missing
        if self._table is None or span != self._span:
            self._rest = self.matrix()
            self._span, self._table = span, table
        else:
            self._table += table

    def fold(self) -> int:
        """Keep the cells that occur instead of a table; how many more than after the last call."""
        before = 0 if self._rest is None else len(self._rest._counts.cells()[0])
        self._rest, self._span, self._table = self.matrix(), None, None
        return 0 if self._rest is None else len(self._rest._counts.cells()[0]) - before

    def matrix(self) -> ConfusionMatrix | None:
        """The sum as a matrix of numbers; None of nothing."""
        if self._span is None or self._table is None:
            return self._rest
        last = as_matrix(self._span, self._table)
        return self._rest if last is None else last if self._rest is None else self._rest + last


def _ends(values: Array) -> Ends:
    return int(values.min()), int(values.max())


def one_of(values: Array, numbers: Iterable[int]) -> Array:
    """Which values are among a few numbers, whatever the width of either."""
    kind = np.iinfo(np.uint8 if values.dtype == bool else values.dtype)
    marks: Array | None = None
    for number in numbers:
        if kind.min <= number <= kind.max:
            marks = values == number if marks is None else marks | (values == number)
    return np.zeros(values.shape, dtype=bool) if marks is None else marks


def as_matrix(span: Span, table: Array) -> ConfusionMatrix | None:
    """A table over a span as a square matrix of the numbers that occur; None of an empty one."""
    rows, cols = np.nonzero(table)
    if not len(rows):
        return None
    (mine, row_places), (theirs, col_places) = (np.unique(side, return_inverse=True) for side in (rows, cols))
    # Python's integers, since a span may reach beyond 63 bits.
    row_numbers, col_numbers = span.row_numbers(), span.col_numbers()
    sides = [row_numbers[i] for i in mine.tolist()], [col_numbers[i] for i in theirs.tolist()]
    names = tuple(sorted({*sides[0], *sides[1]}))
    place_of = {name: place for place, name in enumerate(names)}
    new_rows, new_cols = (np.array([place_of[name] for name in side], dtype=np.int64) for side in sides)
    counts = Counts.of_cells(len(names), new_rows[row_places], new_cols[col_places], table[rows, cols], sparse=True)
    return ConfusionMatrix._of(Labels._trusted(names, "int"), counts)


def band(labels: Array, width: int) -> NDArray[np.bool_]:
    """Mark the pixels near one with another label; a diagonal step is one too.

    Parameters
    ----------
    labels
        The label of each pixel.
    width
        The most steps to the other pixel.

    Examples
    --------
    >>> band(np.array([[0, 0, 0, 0, 1, 1]]), 2)
    array([[False, False,  True,  True,  True,  True]])
    """
    # A square around a pixel holds another label if and only if its largest and smallest differ.
    high = low = labels
    for axis in range(labels.ndim):
        high, low = _window(high, width, axis, np.maximum), _window(low, width, axis, np.minimum)
    return np.asarray(high != low)


def _window(values: Array, width: int, axis: int, extreme: np.ufunc) -> Array:
    """The extreme of the 2 `width` + 1 neighbours along an axis, by windows that double."""
    width = min(width, values.shape[axis])
    edges = [(0, 0)] * values.ndim
    # Pixels at the edge are in every window that would reach beyond it.
    edges[axis] = (width, width)
    extremes = np.moveaxis(np.pad(values, edges, mode="edge"), axis, 0)
    reach = 1
    while reach < 2 * width + 1:
        step = min(reach, 2 * width + 1 - reach)
        extremes = extreme(extremes[:-step], extremes[step:])
        reach += step
    return np.moveaxis(extremes, 0, axis)


def refuse(classes: Classes, pair: Pair, counted: Array | None = None) -> None:
    """Say where the first pixel is whose number is neither a class nor ignored."""
    sides = []
    for array in (pair.actual, pair.predicted):
        numbers, places = np.unique(array, return_inverse=True)
        sides.append(classes.codes(numbers.tolist())[places].reshape(array.shape))
    rows, cols = sides
    wrong = wrong_pairs(rows, cols)
    if counted is not None:
        wrong &= counted
    first = int(np.argmax(wrong.reshape(-1)))
    name, array = ("actual", pair.actual) if rows.reshape(-1)[first] == STRANGER else ("predicted", pair.predicted)
    value = int(array.reshape(-1)[first])
    msg = Message(
        "{} is {} in {}, which is neither a class of {labels} ({}) nor ignored; name it in {labels}, or "
        "leave such pixels of the truth out by `ignore={}`",
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


class Counted(NamedTuple):
    """The count of an image: its table, a mask of the counted pixels, if not all were, and how many were not."""

    part: SpanCount | ConfusionMatrix | None
    near: NDArray[np.bool_] | None = None
    beyond: int = 0


class Images:
    """Counts images and puts together what was counted."""

    def __init__(self, classes: Classes, boundary: int | None, threads: int | None) -> None:
        self._classes, self._boundary = classes, boundary
        self._threads = workers(threads, MIN_THREADED_PAIRS)
        self._counter = RawCounter(classes.code_of, classes.ignored)
        self._is_bool = True
        # The span whose numbers were looked up last, its cells of known classes, and its ignored rows.
        self._known: tuple[Span, Any, Array] | None = None

    def matrix(self, pairs: Iterable[Pair]) -> ConfusionMatrix:
        """All images together."""
        total = RawSum()
        with closing(self._in_order((None, pair) for pair in pairs)) as images:
            for _, pair, counted in images:
                self._add(pair, counted, total)
        return self._placed({None: total})[None]

    def stack(self, pairs: Iterable[tuple[Hashable, Pair]], axis: str) -> Stack:
        """A matrix for each key."""
        sums: dict[Hashable, RawSum] = {}
        cells = 0
        with closing(self._in_order(pairs)) as images:
            for key, pair, counted in images:
                if axis == "image" and key in sums:
                    msg = Message("two images have the name {!r:.80}; {by} adds up those of one name", key)
                    raise InputError(msg)
                total = sums.setdefault(key, RawSum())
                self._add(pair, counted, total)
                cells += total.fold()
                if cells > MAX_STACK_CELLS:
                    msg = Message(
                        "the matrices of {:,} {} have more than {:,} cells; give fewer",
                        len(sums),
                        plural(axis),
                        MAX_STACK_CELLS,
                    )
                    raise BudgetError(msg)
        if not sums:
            msg = Message("there are no images, hence no stack")
            raise InputError(msg)
        return Stack(self._placed(sums), axis=axis)

    def _add(self, pair: Pair, counted: Counted, total: RawSum) -> None:
        self._is_bool &= pair.actual.dtype == pair.predicted.dtype == bool
        total.missing += counted.beyond
        if counted.part is None:
            return
        if self._classes.labels is not None and not self._all_known(counted.part):
            refuse(self._classes, pair, counted.near)
        total.add(counted.part)

    def _all_known(self, part: SpanCount | ConfusionMatrix) -> bool:
        """Whether every number is a class or ignored."""
        if isinstance(part, ConfusionMatrix):
            rows, cols, _ = part._counts.cells()
            codes = self._classes.codes(part.labels.classes)
            return not wrong_pairs(codes[rows], codes[cols]).any()
        span, table, _ = part
        if self._known is None or span != self._known[0]:
            rows, cols = self._classes.codes(span.row_numbers()), self._classes.codes(span.col_numbers())
            self._known = span, np.ix_(rows >= 0, cols != STRANGER), rows == IGNORED
        _, known, ignored = self._known
        return int(table[known].sum() + table[ignored].sum()) == int(table.sum())

    def _placed(self, sums: dict[Any, RawSum]) -> dict[Any, ConfusionMatrix]:
        raws = {key: total.matrix() for key, total in sums.items()}
        classes = self._classes
        if classes.labels is None:
            filled = [raw for raw in raws.values() if raw is not None]
            classes = discovered(filled, classes.ignored, is_bool=self._is_bool and bool(filled))
        assert classes.labels is not None
        # Tables of many images with many classes keep only the cells that occur.
        sparse = None if len(raws) * (len(classes.labels) + 1) ** 2 * 8 <= DENSE_BYTES else True
        return {key: placed(raw, classes, sums[key].missing, sparse=sparse) for key, raw in raws.items()}

    # ---- counting ------------------------------------------------------------------------------------------

    def _in_order(self, pairs: Iterable[tuple[Any, Pair]]) -> Generator[tuple[Any, Pair, Counted], None, None]:
        """Each image with what was counted of it; a few are counted at a time."""
        waiting: deque[tuple[Any, Pair, Future[Counted]]] = deque()
        held = 0
        pool = ThreadPoolExecutor(self._threads, "confmat")
        try:
            for key, pair in pairs:
                waiting.append((key, pair, self._started(pair, pool)))
                held += _bytes(pair)
                while waiting and (waiting[0][2].done() or (held > MAX_WAITING_BYTES and len(waiting) > self._threads)):
                    held -= _bytes(waiting[0][1])
                    yield _finish(*waiting.popleft())
            while waiting:
                yield _finish(*waiting.popleft())
        finally:
            # Where one image is refused, the others need not be counted.
            pool.shutdown(cancel_futures=True)

    def _started(self, pair: Pair, pool: ThreadPoolExecutor) -> Future[Counted]:
        if self._threads > 1 and not pair.together and MIN_THREADED_PIXELS <= pair.actual.size < MIN_SPLIT_PIXELS:
            return pool.submit(self._counted, pair, 1)
        now: Future[Counted] = Future()
        now.set_result(self._counted(pair, self._threads))
        return now

    def _counted(self, pair: Pair, threads: int) -> Counted:
        """Count the pixels of one image."""
        actual, predicted, near, beyond = pair.actual.reshape(-1), pair.predicted.reshape(-1), None, 0
        if self._boundary is not None:
            near = band(pair.actual, self._boundary)
            flat = near.reshape(-1)
            actual, predicted = actual[flat], predicted[flat]
            beyond = len(flat) - len(actual)
        part = self._counter.count(actual, predicted, threads) if len(actual) else None
        return Counted(part, near, beyond)


def _bytes(pair: Pair) -> int:
    return pair.actual.nbytes + pair.predicted.nbytes


def _finish(key: Any, pair: Pair, counted: Future[Counted]) -> tuple[Any, Pair, Counted]:
    return key, pair, counted.result()


class MaskOptions(TypedDict, total=False):
    """Options of `count_masks` that no kind of result depends on."""

    labels: Any
    ignore: Any
    boundary: int | None
    threads: int | None


@overload
def count_masks(
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
def count_masks(
    actual: Any, predicted: Any, *, per_image: Literal[True], by: None = None, **options: Unpack[MaskOptions]
) -> Stack: ...
@overload
def count_masks(
    actual: Any, predicted: Any, *, per_image: Literal[False] = False, by: Any, **options: Unpack[MaskOptions]
) -> Stack: ...
@door
def count_masks(
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
        name = plain(key)
        if name is None:
            msg = Message("{by} has no group for image {:,}; give each image one", number - 1)
            raise InputError(msg)
        yield name, pair
    if next(keys) is not end:
        msg = Message("{by} has more groups than the {:,} images; it must hold one per image", number)
        raise InputError(msg)
