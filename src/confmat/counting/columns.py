"""One side of the pairs: any container of labels as integer codes and the names of these codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import Argument, BudgetError, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.naming import FLOAT_LIMITS, not_integral, plain, sorted_union

Array = NDArray[Any]

# Lists up to this long are cheaper to plan for than to read.
SHORT_LIST_LENGTH = 1000

# Methods by which a container may offer its values, beside the buffer protocol, which has no name
# in Python 3.11.
_CONTAINER_METHODS = (
    "__iter__",
    "__array__",
    "__array_interface__",
    "__dlpack__",
    "__arrow_c_array__",
    "__arrow_c_stream__",
)
# Ranges of integers for which a bitmap costs nothing worth avoiding.
SMALL_RANGE = 2**16


@dataclass(slots=True)
class Column:
    """Codes of one side. Code c means `names[c]`; -1, where `holes` says so, for a missing value.

    `names` is None when the codes are the labels themselves: integers of any width, or booleans.
    `ordered` names are categories: all of them are classes, in this order, used or not.
    `spare` says that some names may not occur.
    """

    codes: Array
    names: Sequence[Any] | None = None
    holes: bool = False
    ordered: bool = False
    spare: bool = False

    @property
    def is_bool(self) -> bool:
        """Whether the codes are the booleans themselves."""
        return self.names is None and self.codes.dtype == bool

    def tolist(self) -> list[Any]:
        """The labels, None where one is missing, of a column that has names."""
        names = [*(self.names or ()), None]
        return [names[code] for code in self.codes.tolist()]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def occurring(self) -> list[Any]:
        """The names that occur, each once."""
        names = self.names or ()
        seen = np.zeros(len(names) + 1, dtype=bool)
        seen[self.codes] = True
        return list(compress(names, seen[:-1].tolist()))

    def named(self) -> Column:
        """The column over the names that occur, or all of categories; integers and booleans get names, too."""
        if self.is_bool:
            return Column(self.codes.astype(np.int64), [False, True], ordered=True)
        if self.names is None:
            codes, distinct = factorize(self.codes)
            return Column(codes.astype(np.int64, copy=False), distinct.tolist())
        codes, names = self.codes.astype(np.int64, copy=False), self.names
        if self.ordered or not self.spare:
            return Column(codes, list(names), ordered=self.ordered)
        seen = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(names)))
        places = np.full(len(names) + 1, -1, np.int64)
        places[seen] = np.arange(len(seen))
        return Column(places[codes], [names[place] for place in seen.tolist()])


def column_of(values: Any, side: str) -> Column | None:
    """The column of a container that can be read whole; None for an iterable that must be read in chunks."""
    if isinstance(values, Column):
        return values
    if isinstance(values, np.ndarray):
        return _of_array(values, side)
    if isinstance(values, (list, tuple)):
        return _of_list(values, side)
    refuse(values, side)
    module = type(values).__module__.partition(".")[0]
    if module == "pandas":
        return _of_pandas(values, side)
    if module == "polars" and hasattr(values, "to_physical"):
        return _of_polars(values, side)
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return _of_arrow(values, side)
    if hasattr(values, "__dlpack_device__"):
        return _of_array(host_array(values, side), side)
    if hasattr(values, "__array__") or hasattr(values, "__array_interface__"):
        return _of_array(np.asarray(values), side)
    if isinstance(values, range):
        return _of_array(np.arange(values.start, values.stop, values.step), side)
    return _of_buffer(values, side)


def whole_column(values: Any, side: str) -> Column:
    """The column of a container, or of an iterable, which is read whole."""
    column = column_of(values, side)
    return _of_list(list(values), side) if column is None else column


def refuse(values: Any, side: str) -> None:
    """Refuse values that look iterable but are no list of labels."""
    name = type(values).__name__
    if isinstance(values, (str, bytes)):
        msg = Message(
            "{} is one {}, {!r:.40}, not a list of labels; put it in a list if it is the only label",
            Argument(side),
            name,
            values,
        )
    elif isinstance(values, (set, frozenset, dict)):
        msg = Message(
            "{} is a {}, which has no order to pair by; give a list or an array",
            Argument(side),
            name,
        )
    elif hasattr(type(values), "columns") and hasattr(type(values), "shape"):
        msg = Message(
            "{} is a {}, a table of columns; pass one of them, such as frame['label']",
            Argument(side),
            name,
        )
        if side in {"actual", "predicted"}:
            msg += (
                ", or columns of zeros and ones, one for each label, to `confmat.count_multilabel`"
            )
        msg += "" if side != "predicted" else ", or scores per class to `confmat.from_scores`"
    elif (
        not any(hasattr(values, method) for method in _CONTAINER_METHODS)
        and _buffer(values) is None
    ):
        msg = Message(
            "{} must hold one label per item (a list, an array, a series ...), not {} {!r:.60}",
            Argument(side),
            name,
            values,
        )
    else:
        return
    raise InputError(msg)


def _buffer(values: Any) -> memoryview | None:
    try:
        return memoryview(values)
    except TypeError:
        return None


# ---- arrays --------------------------------------------------------------------------------------


def _of_array(array: Array, side: str) -> Column:
    if isinstance(array, np.ma.MaskedArray):
        return _of_masked(np.asarray(array.data), np.ma.getmaskarray(array), side)
    array = np.asarray(array)
    kind = array.dtype.kind
    if array.ndim != 1:
        if array.ndim == 0:
            msg = Message(
                "{} is a single value, {!s:.40}, not a list of labels", Argument(side), array
            )
            raise InputError(msg)
        array = array.reshape(-1)
    if kind in "iub":
        return Column(
            booleans(array) if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
        )
    read = _READERS.get(kind)
    if read is None:
        msg = Message("{} is an array of {}, which cannot be labels", Argument(side), array.dtype)
        raise InputError(msg)
    return read(array, side)


def _of_masked(data: Array, mask: Array, side: str) -> Column:
    """A column with some of its entries declared missing."""
    mask = mask.reshape(-1)
    if not mask.any():
        return _of_array(data, side)
    if data.dtype.kind not in "iubUSmM":
        shape, data = data.shape, data.astype(object)
        data[mask.reshape(shape)] = None
    column = _of_array(data, side)
    if column.names is None:
        # A code is needed that no label has, so the labels get codes of their own.
        column = _code_integers(column.codes, mask)
    # A masked entry may have been the only one of its name.
    codes = np.where(mask, -1, column.codes)
    return Column(codes, column.names, holes=True, ordered=column.ordered, spare=True)


def factorize(integers: Array) -> tuple[Array, Array]:
    """The code of each integer, and the distinct integers in order."""
    factors = kernels.kernel.factorize_ints(integers, 2**31 - 1)
    if factors is None:
        msg = "more than two thousand million distinct labels"
        raise BudgetError(msg)
    return factors


def _code_integers(values: Array, mask: Array) -> Column:
    codes = np.zeros(len(values), dtype=np.int32)
    codes[~mask], distinct = factorize(values[~mask])
    return Column(codes, (distinct.astype(bool) if values.dtype == bool else distinct).tolist())


def _of_floats(array: Array, side: str) -> Column:
    """Floats that hold integers, as integers; NaN is missing; anything else is refused."""
    limit = FLOAT_LIMITS.get(array.dtype.itemsize, 2.0**53)
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64)
        good = (whole == array) & (np.abs(array) < limit)
    if good.all():
        return Column(whole)
    holes = np.isnan(array)
    wrong = ~good & ~holes
    if wrong.any():
        first = int(np.argmax(wrong))
        raise LabelError(
            not_integral(float(array[first]), Message("{} at position {}", Argument(side), first))
        )
    return _of_masked(whole, holes, side)


def _of_times(array: Array) -> Column:
    holes = np.isnat(array)
    column = _code_integers(array.view(np.int64), holes)
    distinct = np.array(column.names, dtype=np.int64).view(array.dtype)
    return Column(
        np.where(holes, -1, column.codes),
        [plain(time) for time in distinct],
        holes=bool(holes.any()),
    )


def _of_objects(values: Sequence[Any] | Array, side: str) -> Column:
    many = len(values)
    try:
        codes, distinct = kernels.kernel.encode_objects(values, plain)
    except LabelError as error:
        msg = Message("in {}: {}", Argument(side), error)
        raise LabelError(msg) from None
    except RuntimeError:
        if len(values) == many:
            raise
        msg = Message(
            "{} changed its length from {:,} to {:,} while it was read",
            Argument(side),
            many,
            len(values),
        )
        raise InputError(msg) from None
    return Column(codes, distinct, holes=True)


def _of_list(values: list[Any] | tuple[Any, ...], side: str) -> Column:
    first = next(iter(values), None)
    if isinstance(first, (list, set)) or (getattr(first, "ndim", None) and hasattr(first, "shape")):
        return _of_rows(values, side)
    if type(first) is int and len(values) <= SHORT_LIST_LENGTH:
        integers = _short_integers(values)
        if integers is not None:
            return Column(integers)
    is_number = isinstance(first, np.generic) and first.dtype.kind in "iuf"
    if is_number and {*map(type, values)} == {type(first)}:
        return _of_array(np.array(values), side)
    return _of_objects(values, side)


def _of_rows(rows: Sequence[Any], side: str) -> Column:
    """A list of rows: a small matrix written out, or scores per class."""
    try:
        array = np.array(list(map(np.asarray, rows)))
    except ValueError:
        array = np.zeros(0, dtype=object)
    if array.dtype.kind in "iubfUS" and array.ndim > 1:
        return _of_array(array, side)
    msg = Message(
        "{} holds a {} per item, not one label; `confmat.count_multilabel` counts items with "
        "several labels",
        Argument(side),
        type(rows[0]).__name__,
    )
    raise InputError(msg)


_READERS: dict[str, Callable[[Array, str], Column]] = {
    "f": _of_floats,
    "U": lambda array, _: Column(*kernels.kernel.encode_text(array)),
    "S": lambda array, _: Column(*kernels.kernel.encode_bytes(array)),
    "O": _of_objects,
    "T": lambda array, side: _of_objects(array.astype(object), side),
    "m": lambda array, _: _of_times(array),
    "M": lambda array, _: _of_times(array),
}


def _short_integers(values: Sequence[Any]) -> Array | None:
    """A short list of integers as an array, which takes the quick road; None for a list of anything else."""
    if not {*map(type, values)} <= {int, bool}:
        return None
    array = np.array(values)
    # Unsigned, they are 2^63 and more, and the other side may be below zero: only Python's integers
    # hold both.
    return array if array.dtype.kind == "i" else None


# ---- frames' columns, Arrow, devices -------------------------------------------------------------


def _of_pandas(values: Any, side: str) -> Column:
    dtype = values.dtype
    if hasattr(values, "cat") or type(values).__name__ in {"Categorical", "CategoricalIndex"}:
        categorical = getattr(values, "cat", values)
        return _categories(np.asarray(categorical.codes), list(categorical.categories), side)
    if isinstance(dtype, np.dtype):
        return _of_array(values.to_numpy(), side)
    if type(dtype).__name__ == "ArrowDtype" or getattr(dtype, "storage", "") == "pyarrow":
        # An Index is no Arrow producer itself, but its array is.
        return _of_arrow(
            values
            if hasattr(values, "__arrow_c_stream__")
            else getattr(values, "array", values).__arrow_array__(),
            side,
        )
    if dtype.kind in "iubf" and not hasattr(dtype, "numpy_dtype"):
        # Sparse columns: numbers with another way to store them.
        return _of_array(np.asarray(values), side)
    if dtype.kind in "iub":
        holes = np.asarray(values.isna())
        fill = values.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
        return _of_masked(fill, holes, side)
    if dtype.kind == "f":
        return _of_array(values.to_numpy(dtype=np.float64, na_value=np.nan), side)
    return _of_objects(values.to_numpy(dtype=object), side)


def _of_polars(values: Any, side: str) -> Column:
    kind = type(values.dtype).__name__
    if kind == "Enum" or (kind == "DataTypeClass" and values.dtype.__name__ == "Enum"):
        physical = values.to_physical()
        holes = physical.is_null().to_numpy()
        codes = physical.fill_null(0).to_numpy()
        codes = np.where(holes, -1, codes.astype(np.int64)) if holes.any() else codes
        return _categories(codes, values.dtype.categories.to_list(), side)
    if (
        values.dtype.is_integer()
        and not values.null_count()
        and not str(values.dtype).endswith("128")
    ):
        return _of_array(values.to_numpy(), side)
    if kind == "Object":
        return _of_objects(values.to_list(), side)
    return _of_arrow(values, side)


def _categories(codes: Array, names: list[Any], side: str) -> Column:
    try:
        names = [plain(name) for name in names]
    except LabelError as error:
        msg = Message("in the categories of {}: {}", Argument(side), error)
        raise LabelError(msg) from None
    return Column(codes, names, holes=True, ordered=True, spare=True)


def _of_arrow(values: Any, side: str) -> Column:
    try:
        codes, names, missing, ordered = kernels.kernel.encode_arrow(values)
    except (TypeError, ValueError, RuntimeError) as error:
        if _holds_times(values):
            return _of_array(np.asarray(values), side)
        msg = Message(
            "cannot read {} ({}) as labels: {}", Argument(side), type(values).__name__, error
        )
        if "list" in str(error):
            msg += "; of lists, `confmat.count_multilabel` takes labels and `confmat.from_scores` scores per class"
        raise InputError(msg) from error
    if names is not None:
        return Column(codes, names, holes=True, ordered=ordered, spare=True)
    return _of_array(codes, side) if missing is None else _of_masked(codes, missing, side)


def _holds_times(values: Any) -> bool:
    """Whether a column of PyArrow, Polars or pandas holds days, moments or durations that NumPy holds as well."""
    kind = str(getattr(values, "type", getattr(values, "dtype", ""))).lower()
    known = kind == "date" or kind.startswith(("date32", "timestamp", "datetime", "duration"))
    return (
        known and "tz=" not in kind and "time_zone='" not in kind and hasattr(values, "__array__")
    )


def host_array(values: Any, side: str) -> Array:
    """A tensor as an array, through DLPack, if its memory can be read from here."""
    try:
        device = int(values.__dlpack_device__()[0])
    except (ValueError, BufferError, RuntimeError):
        device = -1
    # 1 is the CPU, 3 and 11 and 13 are pinned or managed memory that the CPU reads as its own.
    if device not in {1, 3, 11, 13}:
        msg = Message(
            "{} lies on another device ({}); bring it over first with `.cpu()`, or count on the "
            "device with its "
            "own library",
            Argument(side),
            getattr(values, "device", device),
        )
        raise InputError(msg)
    try:
        return np.from_dlpack(values.detach() if hasattr(values, "detach") else values)
    except (BufferError, RuntimeError, TypeError) as error:
        msg = Message(
            "cannot read {} ({}): {}; convert it to an array of integers first",
            Argument(side),
            type(values).__name__,
            error,
        )
        raise InputError(msg) from error


def widened(values: Any) -> Any:
    """Numbers of a width that NumPy lacks, such as bfloat16, as float32, which holds each of them exactly."""
    if not str(getattr(values, "dtype", "")).rpartition(".")[2].startswith(("bfloat16", "float8")):
        return values
    return values.float() if hasattr(values, "float") else values.astype(np.float32)


def booleans(array: Array) -> Array:
    """Booleans as bytes of 0 and 1, where pictures of one bit and views of masks have 255; any other array as it is.

    >>> booleans(np.array([0, 255], np.uint8).view(bool)).view(np.uint8)
    array([0, 1], dtype=uint8)
    """
    if array.dtype.kind != "b" or array.view(np.uint8).max(initial=0) <= 1:
        return array
    return array.view(np.uint8) != 0


def _of_buffer(values: Any, side: str) -> Column | None:
    view = _buffer(values)
    if view is None:
        return _of_list(list(values), side) if isinstance(values, Sequence) else None
    return _of_array(np.asarray(view), side)


@dataclass(frozen=True, slots=True)
class Integers:
    """Distinct integers in order: low, low + 1, ... of which there are `size`, or those of a sorted array."""

    low: int
    size: int
    values: Array | None = None

    def __len__(self) -> int:
        return self.size

    def array(self) -> Array:
        """The integers as int64, or uint64 where they need it."""
        if self.values is not None:
            return self.values
        return np.arange(
            self.low,
            self.low + self.size,
            dtype=np.int64 if self.low + self.size <= 2**63 else np.uint64,
        )

    def tolist(self) -> list[int]:
        """The integers as Python numbers."""
        return (
            list(range(self.low, self.low + self.size))
            if self.values is None
            else self.values.tolist()
        )


class CommonLabels(NamedTuple):
    """Labels, the label code of every integer of both sides, and whether code i belongs to integer i on both."""

    labels: Labels
    rows: Array
    cols: Array
    is_identity: bool = False


def plan_integers(
    row: Integers,
    row_seen: Array | None,
    col: Integers,
    col_seen: Array | None,
    labels: Labels | None,
) -> CommonLabels:
    """Labels (these, or all that occur, sorted) and the label code of every integer of both sides."""
    if labels is None:
        low, high = min(row.low, col.low), max(row.low + row.size, col.low + col.size)
        if (
            row.values is None
            and col.values is None
            and high - low <= max(SMALL_RANGE, 4 * (row.size + col.size))
        ):
            return _by_bitmap(row, row_seen, col, col_seen, low, high)
        names = [
            side.array() if seen is None else side.array()[seen]
            for side, seen in ((row, row_seen), (col, col_seen))
        ]
        sorted_labels, order = sorted_union(*names), None
    else:
        array = labels._array()
        assert array is not None
        if is_range(array):
            return _on_range(row, col, labels, int(array[0]), len(array))
        order = np.argsort(array, kind="stable")
        sorted_labels = array[order]
    codes = [_places(side.array(), sorted_labels, order) for side in (row, col)]
    return CommonLabels(_labels_of(sorted_labels) if labels is None else labels, codes[0], codes[1])


def _by_bitmap(
    row: Integers,
    row_seen: Array | None,
    col: Integers,
    col_seen: Array | None,
    low: int,
    high: int,
) -> CommonLabels:
    seen = np.zeros(high - low, dtype=bool)
    spans = [slice(side.low - low, side.low - low + side.size) for side in (row, col)]
    for span, mask in zip(spans, (row_seen, col_seen), strict=True):
        seen[span] |= True if mask is None else mask
    if seen.all():
        names = Integers(low, high - low).array()
        # From zero on, each integer is its own code.
        places = names if low == 0 else np.arange(high - low)
        is_identity = row.size == col.size == high - low
        return CommonLabels(
            _labels_of(names), places[spans[0]], places[spans[1]], is_identity=is_identity
        )
    offsets = np.flatnonzero(seen)
    places = np.cumsum(seen, dtype=np.int64)
    places -= 1
    places[~seen] = -1
    # Only a range that starts above zero can need the last bit.
    names = offsets if low + len(seen) <= 2**63 else offsets.view(np.uint64)
    names += names.dtype.type(low)
    return CommonLabels(_labels_of(names), places[spans[0]], places[spans[1]])


def _on_range(row: Integers, col: Integers, labels: Labels, low: int, size: int) -> CommonLabels:
    """Labels low, low + 1, ...: their codes are a subtraction away."""
    if all(side.values is None and (side.low, side.size) == (low, size) for side in (row, col)):
        codes = np.arange(size)
        return CommonLabels(labels, codes, codes, is_identity=True)
    rows, cols = (_from_low(side.array(), low, size) for side in (row, col))
    return CommonLabels(labels, rows, cols)


def is_range(array: Array) -> bool:
    """Whether integers follow each other without a gap."""
    return int(array[-1]) - int(array[0]) + 1 == len(array) and bool(
        (array[1:] - array[:-1] == 1).all()
    )


def _from_low(names: Array, low: int, size: int) -> Array:
    """Codes among low, low + 1, ...: a subtraction, where a search would walk ten million labels."""
    names, fits = _as_type(names, np.dtype(np.int64))
    there = (names >= low) & (names < low + size) & fits
    return np.where(there, names - low, -1)


def _places(names: Array, sorted_labels: Array, order: Array | None) -> Array:
    names, fits = _as_type(names, sorted_labels.dtype)
    places = np.minimum(np.searchsorted(sorted_labels, names), max(len(sorted_labels) - 1, 0))
    there = (sorted_labels[places] == names) & fits
    return np.where(there, places if order is None else order[places], -1)


def _as_type(names: Array, dtype: np.dtype[Any]) -> tuple[Array, Any]:
    """Names as int64 or uint64, which would be compared as floats, and which of them fit that type."""
    if names.dtype == dtype:
        return names, True
    fits = names >= 0 if dtype == np.uint64 else names < 2**63
    return names.astype(dtype), fits


def _labels_of(names: Array) -> Labels:
    if len(names) <= 1000 or (names.dtype == np.uint64 and names[-1] >= 2**63):
        return Labels._trusted(tuple(names.tolist()), "int")
    array = names.astype(np.int64, copy=False)
    array.flags.writeable = False
    return Labels._trusted(array, "int")
