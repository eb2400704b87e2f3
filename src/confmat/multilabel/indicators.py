"""Indicator tables: items in rows, labels in columns, from arrays, frames, sparse tables, tensors and sets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.naming import is_missing, plain
from confmat.core.text import printable, repeated
from confmat.counting.columns import booleans, host_array, whole_column
from confmat.counting.examples import listed

Array = NDArray[Any]
# One of SciPy's, which come without types.
SparseTable = Any
# An array, or a sparse table.
Values = Any
# Each of them says of one item which labels it has. Within a set no label can occur twice.
_SETS = (set, frozenset)
_LISTS = (list, tuple, np.ndarray)
_NUMBERS = (int, float, np.generic)
_PRINTED = re.compile(r"\[[^][(){}]*\]|\{[^][(){}]*\}|\([^][(){}]*\)")


@dataclass(slots=True)
class Table:
    """Which item has which label: an array of zeros and ones, or a sparse table of ones with sorted columns.

    `names` are those of the columns, None where they have none. `holes` says which items are
    missing. `ordered` names are columns that somebody laid out, used or not; others are the labels
    that occur.
    """

    values: Values
    names: list[Any] | None = None
    holes: Array | None = None
    ordered: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """How many items and labels there are."""
        n, size = self.values.shape
        return int(n), int(size)


def is_sparse(values: Any) -> bool:
    """Whether this is one of SciPy's sparse tables."""
    return hasattr(values, "tocsr") and hasattr(values, "nnz")


def ones_at(n: int, size: int, indptr: Array, indices: Array) -> SparseTable:
    """A sparse table of ones, each row sorted; an entry that is there twice is kept once."""
    from scipy.sparse import csr_array

    # Copied, for what follows sorts in place.
    table = csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(n, size), copy=True)
    table.sum_duplicates()
    table.data[:] = 1
    return table


def table_of(values: Any, side: str) -> Table | None:
    """A container of two dimensions as a table; None for anything else."""
    if is_sparse(values):
        return _of_sparse(values, side)
    if isinstance(values, np.ndarray):
        return _of_array(values, side, None) if values.ndim > 1 else None
    if _is_frame(values):
        return _of_frame(values, side)
    if len(getattr(values, "shape", ())) < 2:
        return None
    if hasattr(values, "__dlpack_device__"):
        return _of_array(host_array(values, side), side, None)
    return _of_array(np.asarray(values), side, None) if hasattr(values, "__array__") else None


def _is_frame(values: Any) -> bool:
    return hasattr(values, "column_names") or (
        hasattr(values, "columns") and len(getattr(values, "shape", ())) == 2
    )


def _of_frame(frame: Any, side: str) -> Table:
    """The columns of a data frame of pandas or Polars, or of an Arrow table, by their names."""
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    twice = repeated(map(repr, names))
    if twice:
        msg = Message(
            "{} has two columns called {}; every label needs one column",
            Argument(side),
            printable(twice[0]),
        )
        raise InputError(msg)
    if hasattr(frame, "column_names"):
        columns = [np.asarray(frame.column(place)) for place in range(len(names))]
        array = np.stack(columns, axis=1) if columns else np.zeros((len(frame), 0))
    else:
        array = np.asarray(frame.to_numpy())
    return _of_array(array, side, names)


def _of_sparse(values: Any, side: str) -> Table:
    if len(values.shape) != 2:
        msg = Message(
            "{} must have two dimensions, items and labels, not the shape {}",
            Argument(side),
            values.shape,
        )
        raise InputError(msg)
    table = values.tocsr(copy=True)
    # The same place twice is added up, as everywhere in SciPy; and what is written down as 0 is
    # nothing.
    table.sum_duplicates()
    with np.errstate(invalid="ignore"):
        wrong = (table.data != 0) & (table.data != 1)
    if wrong.any():
        first = int(np.argmax(wrong))
        row = int(np.searchsorted(table.indptr, first, side="right")) - 1
        raise InputError(_wrong(table.data[first], row, int(table.indices[first]), side, None))
    table.eliminate_zeros()
    return Table(ones_at(table.shape[0], table.shape[1], table.indptr, table.indices))


def _of_array(array: Array, side: str, names: list[Any] | None) -> Table:
    if array.ndim != 2:
        msg = Message(
            "{} must have two dimensions, items and labels, not the shape {}",
            Argument(side),
            array.shape,
        )
        raise InputError(msg)
    holes = None
    if isinstance(array, np.ma.MaskedArray):
        mask = np.asarray(np.ma.getmaskarray(array).any(axis=1))
        holes, array = (mask if mask.any() else None), array.filled(0)
    array = np.asarray(array)
    kind = array.dtype.kind
    if kind == "O":
        array, kind = _plain_numbers(array, side), "f"
    if kind == "f":
        array, gaps = _of_floats(array, side, names)
        holes = gaps if holes is None else holes if gaps is None else holes | gaps
    elif kind not in "biu":
        msg = Message(
            "{} is a table of {}, which says of no item whether it has a label; give zeros and ones, or a list of "
            "sets of labels",
            Argument(side),
            array.dtype,
        )
        raise InputError(msg)
    return Table(booleans(array), names, holes)


def _plain_numbers(array: Array, side: str) -> Array:
    """Objects that are numbers, booleans or missing, as floats."""
    flat = [np.nan if is_missing(value) else value for value in array.ravel().tolist()]
    for value in flat:
        if isinstance(value, (str, bytes, complex)) or not hasattr(value, "__float__"):
            shown, name = printable(repr(value)), type(value).__name__
            msg = Message(
                "{} holds {:.60}, of type {}, where 0 and 1 are wanted", Argument(side), shown, name
            )
            raise InputError(msg)
    return np.array(flat, np.float64).reshape(array.shape)


def _of_floats(array: Array, side: str, names: list[Any] | None) -> tuple[Array, Array | None]:
    """Floats as booleans, and which items have NaN somewhere."""
    ones = array == 1
    right = ones | (array == 0)
    if right.all():
        return ones, None
    gaps = np.isnan(array)
    _refuse_first(array, ~(right | gaps), side, names)
    return ones, np.asarray(gaps.any(axis=1))


def check_ones(array: Array, side: str, names: list[Any] | None) -> None:
    """Refuse the first number that is neither 0 nor 1."""
    _refuse_first(array, (array != 0) & (array != 1), side, names)


def _refuse_first(array: Array, wrong: Array, side: str, names: list[Any] | None) -> None:
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise InputError(_wrong(array[row, column], row, column, side, names))


def _wrong(value: Any, row: int, column: int, side: str, names: list[Any] | None) -> str:
    where = (
        f"column {column:,}"
        if names is None
        else f"the column {printable(repr(names[column])):.60}"
    )
    number = value.item()
    hint = ""
    if isinstance(number, float) and number != round(number, 0):
        hint = f". If these are scores, say which are enough: `{side} >= 0.5`"
    return Message(
        "{} holds {!r} in row {:,}, {}; 0 and 1 say whether an item has a label{}",
        Argument(side),
        number,
        row,
        where,
        hint,
    )


def sets_of(values: Any, side: str, sep: str | None) -> Table:
    """A container of sets, or of texts that a separator parts, as a table of ones."""
    if isinstance(values, (str, bytes, dict, set, frozenset)) or not hasattr(values, "__iter__"):
        msg = Message(
            "{} must hold a set of labels per item (a table of zeros and ones, a list of sets, a ragged column), "
            "not one {} {:.60}",
            Argument(side),
            type(values).__name__,
            printable(repr(values)),
        )
        raise InputError(msg)
    items = values if isinstance(values, (list, tuple)) else list(listed(values))
    if sep is not None and isinstance(
        next((item for item in items if not is_missing(item)), None), str
    ):
        return _of_texts(items if hasattr(values, "__next__") else values, side, sep)
    return _of_sets(items, side)


def _of_sets(items: Sequence[Any], side: str) -> Table:
    """A set or a list of labels for each item as a table of ones."""
    kinds = set(map(type, items))
    if not all(issubclass(kind, (*_SETS, *_LISTS)) for kind in kinds):
        items, kinds = _with_gaps(items, side)
    repeats = any(issubclass(kind, _LISTS) for kind in kinds)
    if repeats:
        _refuse_rows(items, side)
    holes = (
        np.fromiter((item is _GAP for item in items), bool, len(items)) if _Gap in kinds else None
    )
    lengths = np.fromiter(map(len, items), np.int64, len(items))
    return _table(lengths, list(chain.from_iterable(items)), holes, side, may_repeat=repeats)


class _Gap(frozenset[Any]):
    """The labels of a missing item."""


_GAP = _Gap()


def _with_gaps(items: Sequence[Any], side: str) -> tuple[list[Any], set[type]]:
    """The items with missing ones as empty sets of their own kind; an error for what is no set of labels."""
    sets: list[Any] = []
    for place, item in enumerate(items):
        if isinstance(item, (*_SETS, *_LISTS)):
            sets.append(item)
        elif is_missing(item):
            sets.append(_GAP)
        else:
            raise InputError(_no_set(item, place, side))
    return sets, set(map(type, sets))


def _no_set(item: Any, place: int, side: str) -> str:
    shown = printable(repr(item))
    shown = shown if len(shown) <= 60 else shown[:60] + "..."
    if isinstance(item, (str, bytes)):
        return Message(
            "item {:,} of {} is the {} {}, not a set of labels: say {sep:','} where a separator parts the labels "
            "of a text, and use `confmat.count` for one label an item",
            place,
            Argument(side),
            type(item).__name__,
            shown,
        )
    return Message(
        "item {:,} of {} is {}, of type {}, not a set of labels; `confmat.count` is for one label an item",
        place,
        Argument(side),
        shown,
        type(item).__name__,
    )


def _refuse_rows(items: Sequence[Any], side: str) -> None:
    """Rows of zeros and ones written out as lists: labels called 0 and 1, or a table? It is never guessed."""
    width = len(items[0])
    if width < 2 or any(isinstance(item, _SETS) or len(item) != width for item in items):
        return
    if any(getattr(item, "ndim", 1) != 1 for item in items):
        msg = Message(
            "{} holds an array of several dimensions per item; give a table of two dimensions, or sets",
            Argument(side),
        )
        raise InputError(msg)
    if not all(
        isinstance(entry, _NUMBERS) and entry in {0, 1} for entry in chain.from_iterable(items)
    ):
        return
    msg = Message(
        "{} is a list of {:,} rows of {} zeros and ones: give numpy.array({}) if they say which labels an item "
        "has, or sets if 0 and 1 are labels",
        Argument(side),
        len(items),
        width,
        side,
    )
    raise InputError(msg)


# ---- texts ---------------------------------------------------------------------------------------


def _of_texts(values: Any, side: str, sep: str) -> Table:
    """Texts are parted once for each that occurs, however often it does."""
    column = whole_column(values, side)
    names = column.names
    others = (
        ["numbers"] if names is None else [type(x).__name__ for x in names if type(x) is not str]
    )
    if names is None or others:
        msg = Message("{sep} parts texts, and {} holds {}", Argument(side), others[0])
        raise InputError(msg)
    _refuse_printed(names, sep, side)
    parts = [_split(name, sep, side) for name in names]
    codes = column.codes.astype(np.int64)
    holes = codes < 0 if column.holes else np.zeros(len(codes), bool)
    sizes = np.array(list(map(len, parts)), np.int64)
    known = _table(sizes, list(chain.from_iterable(parts)), None, side, may_repeat=False)
    # Row by row of the texts that occur; what is missing has that of any, and is left out later.
    rows = (
        known.values[np.where(holes, 0, codes)]
        if len(names)
        else ones_at(len(codes), 0, *_nothing(len(codes)))
    )
    return Table(rows, known.names, holes if holes.any() else None, ordered=False)


def _refuse_printed(names: Sequence[str], sep: str, side: str) -> None:
    """Lists that were printed into a table, as "['a', 'b']": parted, their labels would keep brackets and quotes."""
    written = [text.strip() for text in names if text.strip() not in {"", "set()"}]
    shown = next((text for text in written if sep in text or text[1:2] in {"'", '"'}), "")
    if shown and all(map(_PRINTED.fullmatch, written)):
        msg = Message(
            "{} holds printed lists, such as {:.80}; read them first, with ast.literal_eval, or json.loads where "
            "the quotes are double, and leave {sep} out",
            Argument(side),
            printable(repr(shown)),
        )
        raise InputError(msg)


def _split(text: str, sep: str, side: str) -> list[str]:
    parts = [part for part in map(str.strip, text.split(sep)) if part]
    if len(set(parts)) < len(parts):
        twice = printable(repr(repeated(parts)[0]))
        msg = Message(
            "the text {:.80} in {} names the label {:.60} twice",
            printable(repr(text)),
            Argument(side),
            twice,
        )
        raise InputError(msg)
    return parts


def _nothing(n: int) -> tuple[Array, Array]:
    return np.zeros(n + 1, np.int64), np.zeros(0, np.int64)


# ---- both ----------------------------------------------------------------------------------------


def _table(
    lengths: Array, flat: list[Any], holes: Array | None, side: str, *, may_repeat: bool
) -> Table:
    try:
        codes, names = kernels.kernel.encode_objects(flat, plain)
    except LabelError as error:
        msg = Message("in {}: {}", Argument(side), error)
        raise LabelError(msg) from None
    ends = np.concatenate(([0], np.cumsum(lengths)))
    if (codes < 0).any():
        place = int(np.searchsorted(ends, int(np.argmax(codes < 0)), side="right")) - 1
        msg = Message(
            "a label of item {:,} of {} is missing; leave it out of the set, or make the item None",
            place,
            Argument(side),
        )
        raise LabelError(msg)
    table = ones_at(len(lengths), len(names), ends, codes)
    if may_repeat and table.nnz < len(codes):
        place = int(np.argmax(np.diff(table.indptr) < lengths))
        labels = codes[ends[place] : ends[place + 1]].tolist()
        twice = names[repeated(labels)[0]]
        msg = Message(
            "item {:,} of {} names the label {:.60} more than once; give sets, or numpy.array({}) if its rows are "
            "zeros and ones",
            place,
            Argument(side),
            printable(repr(twice)),
            side,
        )
        raise InputError(msg)
    return Table(table, names, holes if holes is not None and holes.any() else None, ordered=False)
