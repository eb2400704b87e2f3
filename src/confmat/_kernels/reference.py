"""The specification of the kernel, in NumPy: what the compiled twin must do, only slower.

Codes are integers of any width (bool included) in one-dimensional arrays.
A code `x` of the actual side stands for row `x - first_row` if that lies in [0, rows), and likewise for
columns; a pair with a code outside is counted in `outside` and reaches no cell. Python has checked
everything else before: lengths are equal, weights are finite, integer totals fit 64 bits.
`threads` is a wish; the answer never depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat._kernels.reference_boxes import overlapping_boxes
from confmat._kernels.reference_indicators import count_indicators
from confmat._kernels.reference_sweep import sweep, sweep_weighted
from confmat._kernels.reference_text import encode_fields, read_square

__all__ = [
    "count_close",
    "count_dense",
    "count_indicators",
    "count_sparse",
    "count_weighted",
    "encode_arrow",
    "encode_bytes",
    "encode_fields",
    "encode_objects",
    "encode_text",
    "factorize_ints",
    "overlapping_boxes",
    "read_square",
    "shared_by_chance",
    "sweep",
    "sweep_weighted",
]

Array = NDArray[Any]
Encoded = tuple[NDArray[np.int32], list[Any]]


def count_dense(
    actual: Array, predicted: Array, first_row: int, rows: int, first_col: int, cols: int, threads: int
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
    actual: Array, predicted: Array, weights: Array, first_row: int, rows: int, first_col: int, cols: int, threads: int
) -> tuple[Array, NDArray[np.float64], int]:
    """Sum the weights and their squares per cell: `(sums, squares, outside)`.

    Weights of float64 give sums of float64, within two roundings of the exact sum.
    Weights of int64 or uint64 give sums of that type, exactly.
    """
    row, col, sums, squares, outside = count_sparse(actual, predicted, weights, first_row, rows, first_col, cols, 1)
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
    # reduceat adds in order, so long double keeps the rounding of the running sum out of the answer.
    wide = sorted_weights.astype(np.longdouble) if weights.dtype.kind == "f" else sorted_weights
    sums = np.add.reduceat(wide, starts).astype(dtype)
    with np.errstate(over="ignore"):
        squares = np.add.reduceat(sorted_weights.astype(np.longdouble) ** 2, starts).astype(np.float64)
    return row, col, sums, squares, outside


def count_close(actual: Array, predicted: Array, max_span: int, threads: int) -> tuple[int, NDArray[np.int64]] | None:
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

    What is no Unicode character is a ValueError.

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
    """Codes of Python objects in order of first appearance; -1 stands for a missing value.

    Missing are None and NaN. Values of different types are never the same, so 1, True, 1.0 and "1" have four
    codes; a subclass of str, bytes, int or float counts as its base. Any other object is first replaced by
    `canonical(object)`, which gives None for "missing"; what it gives back must be hashable. It may be called
    once for an object that occurs many times.

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

    Text, bytes and dictionaries come as int32 codes (-1 where null) with the list of distinct values, in order of
    the dictionary or of first appearance; `ordered` is the dictionary's own flag. Integers, booleans and floats
    come as an array with `distinct` None and `missing` a mask, or None when nothing is null; what the array holds
    where something is missing means nothing. Anything else is a TypeError that names the Arrow type.

    Without the compiled kernel nobody reads capsules: the column's own `to_pylist`, `to_list` or `tolist` is used.
    """
    kind: Any = getattr(values, "type", getattr(values, "dtype", ""))
    kind = getattr(kind, "pyarrow_dtype", kind)
    if hasattr(kind, "storage_type"):
        kind = kind.storage_type
        column = getattr(values, "array", values)
        values = (column.__arrow_array__() if hasattr(column, "__arrow_array__") else column).cast(kind)
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
    return TypeError(f"cannot read labels of the Arrow type '{kind}'; convert to text or integers first")


def _dictionary(values: Any) -> tuple[list[Any] | None, bool]:
    """The entries of a dictionary-encoded column of PyArrow, pandas or Polars, and whether they are ordered."""
    kind: Any = getattr(values, "type", None)
    if hasattr(kind, "index_type") and hasattr(kind, "value_type"):
        chunks = getattr(values, "chunks", [values])
        return [entry for chunk in chunks for entry in chunk.dictionary.to_pylist()], bool(kind.ordered)
    categorical: Any = getattr(values, "cat", None)
    if hasattr(categorical, "categories"):
        return categorical.categories.tolist(), bool(categorical.ordered)
    if str(getattr(values, "dtype", "")).startswith("Enum"):
        return values.dtype.categories.to_list(), True
    return None, False


# What PyArrow, pandas and Polars call their numbers, in small letters.
_NUMBERS = {
    **{name: name for sign in ("", "u") for bits in (8, 16, 32, 64) for name in [f"{sign}int{bits}"]},
    **dict(zip(("halffloat", "float", "double", "float16", "float32", "float64"), "efdefd", strict=True)),
    **dict.fromkeys(("bool", "boolean"), "bool"),
}

# How the types begin that hold no labels, even where Python would show them as integers or text.
_NO_LABELS = (
    *("array", "date", "decimal", "dense_union", "duration", "fixed_size_list", "int128", "interval", "large_list"),
    *("list", "map", "month_", "run_end_encoded", "sparse_union", "struct", "time", "uint128"),
)

# Not a str, int, bool, float or bytes.
_FOREIGN: Any = object()


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
    Those of a table are integers; others must not come near min(rows, cols) or rows + cols - total.

    >>> shared_by_chance(np.array([2.0]), np.array([2.0]), 4.0).round(6)
    array([0.231049])
    """
    mean = rows / total * cols
    variance = mean * (total - rows) / total * (total - cols) / max(total - 1.0, 1.0)
    # So many standard deviations, and so many items more, hold all but 1e-17 of a hypergeometric distribution.
    reach = 8.5 * np.sqrt(variance) + 12.0
    low = np.maximum(np.maximum(0.0, rows + cols - total), np.floor(mean - reach))
    width = np.minimum(np.minimum(rows, cols), np.ceil(mean + reach)) - low
    found = np.empty(len(rows))
    # Those of similar width together, no more than fit a near cache.
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
    # Python integers compare exactly with any integer width, also across signs (NEP 50 refuses to cast them).
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
