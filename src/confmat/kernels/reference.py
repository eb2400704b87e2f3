"""The specification of the kernel in NumPy: counting, encoding of labels, thresholds, boxes, and text of files."""

from __future__ import annotations

import io
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
# Integers below it fit 63 bits, whatever their digits.
INTEGER_LIMIT = 10**18
Array = NDArray[Any]
# Sums of the items that reach each threshold and of the others, (2, G); None where a difference to
# the last is as exact.
Halves = tuple[Array, Array | None]
# Sums of whole numbers up to it are exact as floats.
_EXACT_SUM_LIMIT = 2.0**53
# Cells of both tables that are compared together.
CHUNK_CELLS = 2**20
# The image of each box, its corners x1, y1, x2, y2, and its area.
Side = tuple[Array, Array, Array]
Found = tuple[Array, Array, Array]
# Pairs of boxes that are compared at a time.
CHUNK_PAIRS = 2**16
# The relative error that rounding may leave in a bound.
RELATIVE_SLACK = 1e-9
Encoded = tuple[NDArray[np.int32], list[Any]]
# The names that PyArrow, pandas and Polars have for types of numbers, in small letters.
_NUMBERS = {
    **{
        name: name
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
        for name in [f"{sign}int{bits}"]
    },
    **dict(
        zip(
            ("halffloat", "float", "double", "float16", "float32", "float64"), "efdefd", strict=True
        )
    ),
    **dict.fromkeys(("bool", "boolean"), "bool"),
}
# How the types begin that hold no labels, even where Python would show them as integers or text.
_NO_LABELS = (
    *(
        "array",
        "date",
        "decimal",
        "dense_union",
        "duration",
        "fixed_size_list",
        "int128",
        "interval",
        "large_list",
    ),
    *("list", "map", "month_", "run_end_encoded", "sparse_union", "struct", "time", "uint128"),
)
# Not a str, int, bool, float or bytes.
_FOREIGN: Any = object()


# For each process: how many read at the moment, and what the limit was before the first of them.
_limits: dict[int, tuple[threading.Lock, list[int]]] = {}


def encode_fields(
    data: bytes, delimiter: str, width: int, places: Sequence[int]
) -> list[Encoded] | None:
    r"""Codes of columns of UTF-8 text whose records have `width` fields: (codes, distinct) of each.

    A field is quoted where its first character is a quote, and quotes within it are doubled; a
    quote anywhere else is a character like any other. A record ends with a line feed, a carriage
    return, or both, and a blank one is none. -1 is the code of a field that is empty and not
    quoted. None where a record has another number of fields, the last one does not end, or
    something is between a closing quote and the end of its field.

    >>> encode_fields(b'a,b\nc,\n"a","5"" x"\n', ",", 2, [0, 1])
    [(array([0, 1, 0], dtype=int32), ['a', 'c']), (array([ 0, -1,  1], dtype=int32), ['b', '5" x'])]
    """
    import csv  # `--help` does without

    _check_delimiters(delimiter)
    if max(places) >= width:
        msg = "a column stands beyond the width"
        raise ValueError(msg)
    # Latin-1 has a character for each byte; a character that it lacks marks a field that is empty
    # but quoted.
    text = quoted_field(delimiter).sub(
        lambda found: '"\u20ac"' if found[0] == '""' else found[0], str(data, "latin-1")
    )
    if not text.endswith(("\n", "\r")):
        return None
    try:
        with long_fields():
            rows = [
                row
                for row in csv.reader(
                    io.StringIO(text, newline=""), delimiter=delimiter, strict=True
                )
                if row
            ]
    except csv.Error:
        return None
    if any(len(row) != width for row in rows):
        return None
    columns = [_encoded([row[place] for row in rows]) for place in places]
    return [
        (codes, [str(name.replace("\u20ac", "").encode("latin-1"), "utf-8") for name in names])
        for codes, names in columns
    ]


def _encoded(fields: list[str]) -> Encoded:
    known = {"": -1}
    codes = [known.setdefault(field, len(known) - 1) for field in fields]
    return np.array(codes, dtype=np.int32), list(known)[1:]


def encode_json_lines(data: bytes, names: Sequence[str]) -> list[Encoded] | None:
    r"""Codes of fields of JSON lines: (codes, distinct values as JSON) of each.

    The last one counts where a field comes twice. -1 is the code of one that is absent or null.
    None where a line is no object, where a field is a list or an object, and where the lines are
    not simple enough; a value that is written in two ways may be there twice.

    >>> encode_json_lines(b'{"y": "a", "n": 1}\n{"y": null}\n{"y": "a", "y": 2}', ["y"])
    [(array([ 0, -1,  1], dtype=int32), ['"a"', '2'])]
    """
    try:
        records = [
            json.loads(line, parse_constant=int)
            for line in data.decode().split("\n")
            if line.strip(" \t\r")
        ]
    except (ValueError, RecursionError):
        return None
    if not all(isinstance(record, dict) for record in records):
        return None
    columns = [[record.get(name) for record in records] for name in names]
    if any(isinstance(value, (list, dict)) for column in columns for value in column):
        return None
    return [
        _encoded(["" if value is None else json.dumps(value) for value in column])
        for column in columns
    ]


def record_ends(data: bytes | bytearray, delimiters: str) -> tuple[int, int]:
    r"""Where the first and the last record end that end in delimited text, whatever may follow; zeros if none does.

    >>> record_ends(b'a,b\n"c\n",d\r\ne', ","), record_ends(b'"a\n', ",")
    ((4, 12), (0, 0))
    """
    _check_delimiters(delimiters)
    bare = quoted_field(delimiters).sub(lambda found: "x" * len(found[0]), str(data, "latin-1"))
    ends = [found.end() for found in re.finditer(r"\r?\n|\r(?!\Z)", bare)]
    return (ends[0], ends[-1]) if ends else (0, 0)


@contextmanager
def long_fields() -> Iterator[None]:
    """Let the csv module read fields of any length.

    The limit is one for the whole process, so the last of several threads puts it back. A fork has
    a lock of its own.
    """
    import csv

    limits = _limits.setdefault(os.getpid(), (threading.Lock(), []))
    with limits[0]:
        limits[1].append(csv.field_size_limit(2**31 - 1))
    try:
        yield
    finally:
        with limits[0]:
            # The first reader has seen the limit that was set before.
            first = limits[1][0]
            limits[1].pop()
            if not limits[1]:
                csv.field_size_limit(first)


@cache
def quoted_field(delimiters: str) -> re.Pattern[str]:
    """Match fields whose first character is a quote, to their end or that of the text."""
    return re.compile(rf'(?<![^{re.escape(delimiters)}\r\n])"(?:[^"]++|"")*+(?:"|\Z)')


def _check_delimiters(delimiters: str) -> None:
    if not all("\0" < delimiter < "\x80" and delimiter not in '"\r\n' for delimiter in delimiters):
        msg = "a delimiter must be one character of ASCII, and neither a quote nor a line break"
        raise ValueError(msg)


def read_square(data: Any, size: int) -> NDArray[np.int64] | None:
    """The table that JSON text such as [[1, 2], [3, 4]] holds: `size` rows of integers; None for anything else.

    >>> read_square(b"[[1, 20], [0, 4]]", 2)
    array([[ 1, 20],
           [ 0,  4]])
    """
    text = bytes(data)
    if size < 1 or text.translate(None, b"0123456789 \n[],"):
        return None
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(rows, list) or len(rows) != size:
        return None
    if not all(
        isinstance(row, list) and len(row) == size and all(map(_is_small, row)) for row in rows
    ):
        return None
    return np.array(rows, dtype=np.int64)


def _is_small(value: Any) -> bool:
    return isinstance(value, int) and value < INTEGER_LIMIT


def sweep(scores: NDArray[np.float64], hits: NDArray[np.float64]) -> Array:
    """Hits and other items at or above each threshold, (2, G); the thresholds are then the first G of `scores`.

    `scores` has room in front, for infinity, which nothing reaches; what follows is negated, as
    `hits` are, which are some of them, and both ascend. Nothing is NaN. The answer has 32 bits
    where they are enough for the items.

    >>> scores = np.array([0, -0.9, -0.5, -0.5, -0.1])
    >>> sweep(scores, np.array([-0.9, -0.5]))
    array([[0, 1, 2, 2],
           [0, 0, 1, 2]], dtype=int32)
    >>> scores[:4]
    array([inf, 0.9, 0.5, 0.1])
    """
    items, size = scores[1:], len(scores) - 1
    ends = np.flatnonzero(np.append(items[1:] != items[:-1], [True] * (size > 0)))
    keys = items[ends]
    reached = np.zeros((2, len(ends) + 1), np.int32 if size < 2**31 else np.int64)
    reached[0, 1:] = np.searchsorted(hits, keys, side="right")
    reached[1, 1:] = ends + 1 - reached[0, 1:]
    scores[0], scores[1 : len(keys) + 1] = np.inf, 0.0 - keys
    return reached


def sweep_weighted(
    scores: NDArray[np.float64], truth: NDArray[np.bool_], weights: Array, threads: int
) -> tuple[NDArray[np.float64], Halves, Halves]:
    """Thresholds, and sums of weights and of their squares above and below each: `(thresholds, sums, squares)`.

    Scores are finite; weights are above 0, of int64 or float64. Rows of a sum are hits and the
    others, and each is added up in the order of falling scores, equal ones as they came; what is
    left, in the opposite order.

    >>> found = sweep_weighted(
    ...     np.array([0.1, 0.9, 0.5]), np.array([True, False, True]), np.array([4, 2, 3]), 1
    ... )
    >>> found[0], found[1][0].tolist(), found[2][0].tolist()
    (array([inf, 0.9, 0.5, 0.1]), [[0, 0, 3, 7], [0, 2, 2, 2]], [[0.0, 0.0, 9.0, 25.0], [0.0, 4.0, 4.0, 4.0]])
    """
    order = np.argsort(0.0 - scores, kind="stable")
    scores, truth, weights = scores[order], truth[order], weights[order]
    cuts = np.append(
        0, 1 + np.flatnonzero(np.append(scores[1:] != scores[:-1], [True] * (len(scores) > 0)))
    )
    keys = np.append(np.inf, scores[cuts[1:] - 1] + 0.0)
    whole = weights.dtype.kind != "f"
    floats = weights.astype(np.float64)
    with np.errstate(over="ignore"):
        squares = _halves(truth, floats * floats, cuts)
    kept = not whole or not squares[0][:, -1].sum() < _EXACT_SUM_LIMIT
    sums = _halves(truth, weights, cuts)
    return keys, (sums[0], None if whole else sums[1]), (squares[0], squares[1] if kept else None)


def _halves(truth: NDArray[np.bool_], values: Array, cuts: Array) -> tuple[Array, Array]:
    above, below = (np.zeros((2, len(values) + 1), values.dtype) for _ in range(2))
    for row, part in enumerate((np.where(truth, values, 0), np.where(truth, 0, values))):
        np.cumsum(part, out=above[row, 1:])
        np.cumsum(part[::-1], out=below[row, :-1][::-1])
    return above[:, cuts], below[:, cuts]


def count_indicators(
    actual: NDArray[Any], predicted: NDArray[Any], threads: int
) -> tuple[NDArray[np.int64], bool]:
    """Ones of each column in both tables, in the first and in the second: `(sums, wrong)`.

    Both are of one shape and one width, of integers or booleans, with one item a row; the sums are
    of shape (3, L). `wrong` says that something is neither 0 nor 1; the sums then mean nothing.

    >>> count_indicators(np.array([[1, 0], [1, 1]]), np.array([[1, 1], [0, 1]]), 1)
    (array([[1, 1],
           [2, 1],
           [1, 2]]), False)
    """
    sums = np.zeros((3, actual.shape[1]), np.int64)
    step = max(1, CHUNK_CELLS // actual.shape[1])
    for begin in range(0, len(actual), step):
        parts = [side[begin : begin + step] for side in (actual, predicted)]
        if any(((part != 0) & (part != 1)).any() for part in parts):
            return sums, True
        true, answered = (part.astype(bool) for part in parts)
        sums += [part.sum(axis=0) for part in (true & answered, true, answered)]
    return sums, False


def overlapping_boxes(
    truth: Side, predicted: Side, images: int, least: float, share: bool, most: int
) -> Found | None:
    """Pairs of boxes in one image that overlap enough: `(rows, cols, overlap)`; None above `most`.

    The overlap is intersection over union, or with `share` the part of the prediction that lies in
    the other box; it must be at least `least`, which is above 0. Pairs come by truth and then by
    prediction. A side is the image of each box (int64, below `images`), its corners (n, 4) and its
    area, both finite float64, in memory without gaps.

    >>> box = np.array([[0.0, 0.0, 10.0, 10.0]])
    >>> truth, predicted = (
    ...     (np.zeros(1, np.int64), one, np.array([area]))
    ...     for one, area in ((box, 100.0), (box, 100.0))
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


def _windows(
    truth: _Sorted, predicted: _Sorted, images: int, least: float, share: bool
) -> tuple[Array, Array]:
    """Between which predictions each truth can find those that overlap enough.

    Boxes of widths v and w whose intersection over union is t have at least t max(v, w) of their
    width in common. So the other's left side is at most (1 - t) w to the right, and at most (1 - t)
    w / t to the left.
    """
    ends = np.cumsum(np.bincount(predicted.image, minlength=images))
    starts = np.append(0, ends[:-1])[truth.image]
    width = truth.right - truth.x
    low = min(truth.x.min(initial=0.0), predicted.x.min(initial=0.0))
    # One number to search by: every image has a stretch of the line to itself.
    stretch = 2 * (max(truth.right.max(initial=0.0), predicted.x.max(initial=0.0)) - low) + 1.0
    keys = predicted.image * stretch + (predicted.x - low)
    here = truth.image * stretch + (truth.x - low)
    room = RELATIVE_SLACK * width + 8 * np.finfo(float).eps * stretch * images
    last = np.searchsorted(
        keys, here + (width if share else (1 - least) * width) + room, side="right"
    )
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
    for begin in range(0, total, CHUNK_PAIRS):
        end = min(begin + CHUNK_PAIRS, total)
        low, high = np.searchsorted(sums, [begin, end - 1], side="right")
        part = slice(low, high + 1)
        before = sums[part] - sizes[part]
        counts = np.minimum(sums[part], end) - np.maximum(before, begin)
        # The k-th of all pairs has the prediction k less the pairs before its truth, from the first
        # one on.
        shift = np.repeat(first[part] - before, counts)
        yield np.repeat(np.arange(low, high + 1), counts), np.arange(begin, end) + shift


def _compared(
    truth: _Sorted, predicted: _Sorted, rows: Array, cols: Array, least: float, share: bool
) -> Found:
    """Keep the pairs that overlap enough, given pairs whose sides overlap horizontally."""
    height = np.minimum(truth.top[rows], predicted.top[cols]) - np.maximum(
        truth.y[rows], predicted.y[cols]
    )
    near = np.flatnonzero(height > 0)
    rows, cols, height = rows[near], cols[near], height[near]
    width = np.minimum(truth.right[rows], predicted.right[cols]) - np.maximum(
        truth.x[rows], predicted.x[cols]
    )
    inner = np.maximum(width, 0) * height
    bottom = predicted.areas[cols] if share else truth.areas[rows] + predicted.areas[cols] - inner
    with np.errstate(invalid="ignore"):
        # Two boxes without an area have nothing in common, and not 0 / 0.
        overlap = inner / bottom
    enough = np.flatnonzero(overlap >= least)
    return rows[enough], cols[enough], overlap[enough]


def count_dense(
    actual: Array,
    predicted: Array,
    first_row: int,
    rows: int,
    first_col: int,
    cols: int,
    threads: int,
) -> tuple[NDArray[np.int64], int]:
    """Count the pairs into a table of int64: `(counts, outside)`.

    >>> count_dense(np.array([0, 1, 1, 9]), np.array([0, 1, 0, 0]), 0, 2, 0, 2, 1)
    (array([[1, 0],
           [1, 1]]), 1)
    """
    cells, inside = _cells(actual, predicted, first_row, rows, first_col, cols)
    counts = np.bincount(cells, minlength=rows * cols).reshape(rows, cols)
    return counts.astype(np.int64, copy=False), len(actual) - inside


def count_weighted(
    actual: Array,
    predicted: Array,
    weights: Array,
    first_row: int,
    rows: int,
    first_col: int,
    cols: int,
    threads: int,
) -> tuple[Array, NDArray[np.float64], int]:
    """Sum the weights and their squares per cell: `(sums, squares, outside)`.

    Weights of float64 give sums of float64, within two roundings of the exact sum.
    Weights of int64 or uint64 give sums of that type, exactly.
    """
    row, col, sums, squares, outside = count_sparse(
        actual, predicted, weights, first_row, rows, first_col, cols, 1
    )
    table = np.zeros((rows, cols), dtype=sums.dtype)
    table_of_squares = np.zeros((rows, cols), dtype=np.float64)
    table[row, col] = sums
    table_of_squares[row, col] = squares
    return table, table_of_squares, outside


def count_sparse(
    actual: Array,
    predicted: Array,
    weights: Array | None,
    first_row: int,
    rows: int,
    first_col: int,
    cols: int,
    threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, NDArray[np.float64] | None, int]:
    """Count into the cells that occur: `(row, col, sums, squares or None, outside)`, ordered by row, then column.

    The caller promises that `rows * cols` is below 2^63.
    """
    cells, inside = _cells(actual, predicted, first_row, rows, first_col, cols)
    outside = len(actual) - inside
    if weights is None:
        found, counts = np.unique(cells, return_counts=True)
        row, col = np.divmod(found, cols) if cols else (found, found)
        return row, col, counts.astype(np.int64), None, outside
    if outside:
        weights = weights[_inside(actual, first_row, rows) & _inside(predicted, first_col, cols)]
    order = np.argsort(cells, kind="stable")
    found, starts = np.unique(cells[order], return_index=True)
    row, col = np.divmod(found, cols) if cols else (found, found)
    # Sums are int64 under its own name, also where the weights are of the other type of 64 bits.
    dtype = np.dtype(weights.dtype.kind + "8")
    if not len(found):
        return row, col, np.zeros(0, dtype), np.zeros(0), outside
    sorted_weights = weights[order]
    # reduceat adds in order, so long double keeps the rounding of the running sum out of the
    # answer.
    wide = sorted_weights.astype(np.longdouble) if weights.dtype.kind == "f" else sorted_weights
    sums = np.add.reduceat(wide, starts).astype(dtype)
    with np.errstate(over="ignore"):
        squares = np.add.reduceat(sorted_weights.astype(np.longdouble) ** 2, starts).astype(
            np.float64
        )
    return row, col, sums, squares, outside


def count_close(
    actual: Array, predicted: Array, max_span: int, threads: int
) -> tuple[int, NDArray[np.int64]] | None:
    """Count integers whose range is not known: `(low, counts)`, or None when the range exceeds `max_span`.

    The table covers low .. high of both sides together; both sides have at least one element.

    >>> count_close(np.array([7, 5]), np.array([7, 7]), 100, 1)
    (5, array([[0, 0, 1],
           [0, 0, 0],
           [0, 0, 1]]))
    """
    low = min(int(actual.min()), int(predicted.min()))
    span = max(int(actual.max()), int(predicted.max())) - low + 1
    if span > max_span:
        return None
    counts, _ = count_dense(actual, predicted, low, span, low, span, threads)
    return low, counts


def factorize_ints(values: Array, max_distinct: int) -> tuple[NDArray[np.int32], Array] | None:
    """Codes of integers among their sorted distinct values: `(codes, distinct)`; None above `max_distinct`.

    The distinct values are int64, or uint64 where the values are.

    >>> factorize_ints(np.array([10**9, -5, 10**9]), 100)
    (array([1, 0, 1], dtype=int32), array([        -5, 1000000000]))
    """
    distinct, codes = np.unique(values, return_inverse=True)
    if len(distinct) > max_distinct:
        return None
    wide = np.uint64 if values.dtype.kind == "u" and values.dtype.itemsize == 8 else np.int64
    return codes.astype(np.int32), distinct.astype(wide)


def encode_text(values: Array) -> Encoded:
    """Codes of fixed-width text (`<U...`) in order of first appearance: `(codes, distinct)`.

    A value that is no Unicode character is a ValueError.

    >>> encode_text(np.array(["b", "a", "b"]))
    (array([0, 1, 0], dtype=int32), ['b', 'a'])
    """
    try:
        return encode_objects(values.tolist(), _unexpected)
    except SystemError as error:  # NumPy's word for it
        msg = f"the text holds what is no Unicode character ({error})"
        raise ValueError(msg) from error


def encode_bytes(values: Array) -> Encoded:
    """Codes of fixed-width bytes (`S...`) in order of first appearance."""
    return encode_objects(values.tolist(), _unexpected)


def encode_objects(values: Sequence[Any] | Array, canonical: Callable[[Any], Any]) -> Encoded:
    """Codes of Python objects in order of first appearance; -1 means a missing value.

    Missing are None and NaN. Values of different types are never the same, so 1, True, 1.0 and "1"
    have four codes; a subclass of str, bytes, int or float counts as its base. Any other object is
    first replaced by `canonical(object)`, which gives None for "missing"; what it gives back must
    be hashable. It may be called once for an object that occurs many times.

    >>> encode_objects(["b", None, "a", "b", 1, True], lambda x: x)
    (array([ 0, -1,  1,  0,  2,  3], dtype=int32), ['b', 'a', 1, True])
    """
    known: dict[tuple[type, Any], int] = {}
    distinct: list[Any] = []
    size = len(values)
    codes = np.empty(size, dtype=np.int32)
    # Bounded, because `canonical` may make the list longer while it is read.
    for i, value in enumerate(islice(values, size)):
        plain = _plain(value)
        if plain is _FOREIGN:
            made = canonical(value)
            plain = _plain(made)
            if plain is _FOREIGN:
                plain = made
        if plain is None or plain != plain:
            codes[i] = -1
            continue
        code = known.setdefault((type(plain), plain), len(distinct))
        if code == len(distinct):
            distinct.append(plain)
        codes[i] = code
    if len(values) != size:
        msg = "the list changed its length while it was read"
        raise RuntimeError(msg)
    return codes, distinct


def encode_arrow(values: Any) -> tuple[Array, list[Any] | None, NDArray[np.bool_] | None, bool]:
    """Read one Arrow column through its PyCapsule interface: `(values, distinct, missing, ordered)`.

    Text, bytes and dictionaries come as int32 codes (-1 where null) with the list of distinct
    values, in order of the dictionary or of first appearance; `ordered` is the dictionary's own
    flag. Integers, booleans and floats come as an array with `distinct` None and `missing` a mask,
    or None when nothing is null; what the array holds where something is missing means nothing.
    Anything else is a TypeError that names the Arrow type.

    Without the compiled kernel nobody reads capsules: the column's own `to_pylist`, `to_list` or
    `tolist` is used.
    """
    kind: Any = getattr(values, "type", getattr(values, "dtype", ""))
    kind = getattr(kind, "pyarrow_dtype", kind)
    if hasattr(kind, "storage_type"):
        kind = kind.storage_type
        column = getattr(values, "array", values)
        values = (column.__arrow_array__() if hasattr(column, "__arrow_array__") else column).cast(
            kind
        )
    entry = kind.value_type if hasattr(kind, "index_type") else kind
    if str(entry).lower().startswith(_NO_LABELS):
        raise _unreadable(kind)
    for name in ("to_pylist", "to_list", "tolist"):
        convert = getattr(values, name, None)
        if convert is not None:
            break
    else:
        msg = f"cannot read {type(values).__name__} without the compiled kernel"
        raise TypeError(msg)
    rows = [None if type(row).__name__ == "NAType" else row for row in convert()]
    if any(row is not None and _plain(row) is _FOREIGN for row in rows):
        raise _unreadable(kind)
    entries, ordered = _dictionary(values)
    number = _NUMBERS.get(str(kind).lower())
    if entries is None and number is not None:
        missing = np.array([row is None for row in rows], dtype=bool)
        numbers = np.array([0 if row is None else row for row in rows], dtype=number)
        return numbers, None, missing if missing.any() else None, False
    before = [] if entries is None else entries
    codes, distinct = encode_objects([*before, *rows], _unexpected)
    return codes[len(before) :], distinct, None, ordered


def _unreadable(kind: Any) -> TypeError:
    return TypeError(
        f"cannot read labels of the Arrow type '{kind}'; convert to text or integers first"
    )


def _dictionary(values: Any) -> tuple[list[Any] | None, bool]:
    """The entries of a dictionary-encoded column of PyArrow, pandas or Polars, and whether they are ordered."""
    kind: Any = getattr(values, "type", None)
    if hasattr(kind, "index_type") and hasattr(kind, "value_type"):
        chunks = getattr(values, "chunks", [values])
        return [entry for chunk in chunks for entry in chunk.dictionary.to_pylist()], bool(
            kind.ordered
        )
    categorical: Any = getattr(values, "cat", None)
    if hasattr(categorical, "categories"):
        return categorical.categories.tolist(), bool(categorical.ordered)
    if str(getattr(values, "dtype", "")).startswith("Enum"):
        return values.dtype.categories.to_list(), True
    return None, False


def _plain(value: Any) -> Any:
    """The value as an exact str, int, bool, float or bytes, or None as it is; anything else is foreign."""
    if value is None or isinstance(value, bool):
        return value
    # The base's own conversions, deaf to what a subclass makes of __str__ or __int__.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, bytes):
        return bytes.__getitem__(value, slice(None))
    return _FOREIGN


def _unexpected(value: Any) -> Any:
    return value


def shared_by_chance(rows: Array, cols: Array, total: float) -> NDArray[np.float64]:
    """For each pair of class sizes the mean of x log(x / mean) for the items x that they share by chance.

    Sizes are float64, below 2^53 in sum, and so near a bound of x that few counts are likely.
    Sizes of a table are integers; others must not come near min(rows, cols) or rows + cols - total.

    >>> shared_by_chance(np.array([2.0]), np.array([2.0]), 4.0).round(6)
    array([0.231049])
    """
    finite = 0 < total < np.inf and all(np.all((x >= 0) & (x < np.inf)) for x in (rows, cols))
    mean = rows / total * cols if finite else np.full(len(rows), np.nan)
    variance = mean * (total - rows) / total * (total - cols) / max(total - 1.0, 1.0)
    if len(rows) and not (finite and np.all((variance <= 1e12) | (mean >= 2.0**53))):
        msg = "wanted finite sizes near a bound, and a total above 0"
        raise ValueError(msg)
    # This many standard deviations, and this many items more, hold all but 1e-17 of a hypergeometric
    # distribution.
    reach = 8.5 * np.sqrt(variance) + 12.0
    low = np.maximum(np.maximum(0.0, rows + cols - total), np.floor(mean - reach))
    width = np.minimum(np.minimum(rows, cols), np.ceil(mean + reach)) - low
    found = np.empty(len(rows))
    # Rows of similar width go together, as many as fit a near cache.
    order = np.argsort(width)
    for start in range(0, len(order), 256):
        part = order[start : start + 256]
        r, c, expected, first = (side[part, None] for side in (rows, cols, mean, low))
        found[part] = _means_by_chance(r, c, expected, first, total, int(width[part[-1]]))
    return found


def _means_by_chance(
    rows: Array, cols: Array, mean: Array, low: Array, total: float, width: int
) -> NDArray[np.float64]:
    count = low + np.arange(width + 1.0)
    x = count[:, :-1]
    # From a count to the next; beyond the last possible one it is 0, and chance stays so.
    chance = np.ones(count.shape)
    steps = (rows - x) * (cols - x) / ((x + 1) * (total - rows - cols + 1 + x))
    np.cumprod(steps, axis=1, out=chance[:, 1:])
    return np.asarray(np.einsum("ij,ij->i", chance, _deviance(count, mean)) / chance.sum(axis=1))


def _deviance(count: Array, mean: Array) -> NDArray[np.float64]:
    """X log(x / mean) - (x - mean): on average the same as x log(x / mean), but never negative."""
    change = (count - mean) / mean
    half = change / (2.0 + change)
    square, series = half * half, 0.0 * half
    # Near 1 the logarithm is 2 atanh(half); what its series has beyond the first term.
    for odd in range(19, 1, -2):
        series = 1.0 / odd + square * series
    near = mean * (change * half) + 2.0 * count * (half * square * series)
    far = count * np.log(np.maximum(count, 1e-300) / mean) - (count - mean)
    return np.where(np.abs(change) > 0.2, far, near)


def _inside(codes: Array, first: int, size: int) -> NDArray[np.bool_]:
    if codes.dtype == bool:
        codes = codes.view(np.uint8)
    # Python integers compare exactly with any integer width, also across signs (NEP 50 refuses to
    # cast them).
    low_ok = np.ones(len(codes), bool) if first <= np.iinfo(codes.dtype).min else codes >= first
    last = first + size - 1
    if last < np.iinfo(codes.dtype).min or first > np.iinfo(codes.dtype).max:
        return np.zeros(len(codes), bool)
    high_ok = np.ones(len(codes), bool) if last >= np.iinfo(codes.dtype).max else codes <= last
    return low_ok & high_ok


def _cells(
    actual: Array, predicted: Array, first_row: int, rows: int, first_col: int, cols: int
) -> tuple[NDArray[np.int64], int]:
    inside = _inside(actual, first_row, rows) & _inside(predicted, first_col, cols)
    kept = int(np.count_nonzero(inside))
    if kept < len(actual):
        actual, predicted = actual[inside], predicted[inside]
    return _offsets(actual, first_row) * cols + _offsets(predicted, first_col), kept


def _offsets(codes: Array, first: int) -> NDArray[np.int64]:
    """Codes minus `first`, exact for every width: the subtraction wraps in uint64 and comes out right."""
    if codes.dtype == bool:
        codes = codes.view(np.uint8)
    wide = codes.astype(np.int64) if codes.dtype.kind == "i" else codes.astype(np.uint64)
    return (wide.view(np.uint64) - np.uint64(first % 2**64)).view(np.int64)
