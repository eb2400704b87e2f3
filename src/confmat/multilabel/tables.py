"""Tables of zeros and ones: items in rows, labels in columns, from arrays, frames, sparse tables and tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, InputError, Message
from confmat.core.text import printable, repeated
from confmat.counting.columns import booleans, host_array

__all__ = ["SparseTable", "Table", "Values", "check_ones", "is_sparse", "ones_at", "table_of"]

Array = NDArray[Any]
# One of SciPy's, which come without types.
SparseTable = Any
# An array, or a sparse table.
Values = Any


@dataclass(slots=True)
class Table:
    """Which item has which label: an array of zeros and ones, or a sparse table of ones with sorted columns.

    `names` are those of the columns, None where they have none. `holes` says which items are missing. `ordered`
    names are columns that somebody laid out, used or not; others are the labels that occur.
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
    """A sparse table of ones, each row sorted; what stands twice in a row stays there once."""
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
    return hasattr(values, "column_names") or (hasattr(values, "columns") and len(getattr(values, "shape", ())) == 2)


def _of_frame(frame: Any, side: str) -> Table:
    """The columns of a data frame of pandas or Polars, or of an Arrow table, by their names."""
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    twice = repeated(map(repr, names))
    if twice:
        msg = Message("{} has two columns called {}; every label needs one column", Argument(side), printable(twice[0]))
        raise InputError(msg)
    if hasattr(frame, "column_names"):
        columns = [np.asarray(frame.column(place)) for place in range(len(names))]
        array = np.stack(columns, axis=1) if columns else np.zeros((len(frame), 0))
    else:
        array = np.asarray(frame.to_numpy())
    # What pandas calls the columns of an array.
    unnamed = all(type(name) is int for name in names) and names == list(range(len(names)))
    return _of_array(array, side, None if unnamed else names)


def _of_sparse(values: Any, side: str) -> Table:
    if len(values.shape) != 2:
        msg = Message("{} must have two dimensions, items and labels, not the shape {}", Argument(side), values.shape)
        raise InputError(msg)
    table = values.tocsr(copy=True)
    # The same place twice is added up, as everywhere in SciPy; and what is written down as 0 is nothing.
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
        msg = Message("{} must have two dimensions, items and labels, not the shape {}", Argument(side), array.shape)
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
            "{} is a table of {}, which says of no item whether it has a label; give zeros and ones, or a list "
            "of sets of labels",
            Argument(side),
            array.dtype,
        )
        raise InputError(msg)
    return Table(booleans(array), names, holes)


def _plain_numbers(array: Array, side: str) -> Array:
    """Objects that are numbers, booleans or missing, as floats."""
    for value in array.ravel().tolist():
        if isinstance(value, (str, bytes, complex)) or not (value is None or hasattr(value, "__float__")):
            name = type(value).__name__
            if name in {"NAType", "NaTType"}:
                continue
            msg = Message(
                "{} holds {:.60}, of type {}, where 0 and 1 are wanted", Argument(side), printable(repr(value)), name
            )
            raise InputError(msg)
    flat = [np.nan if value is None or not hasattr(value, "__float__") else float(value) for value in array.flat]
    return np.array(flat, np.float64).reshape(array.shape)


def _of_floats(array: Array, side: str, names: list[Any] | None) -> tuple[Array, Array | None]:
    """Floats as booleans, and which items have NaN somewhere."""
    ones = array == 1
    right = ones | (array == 0)
    if right.all():
        return ones, None
    gaps = np.isnan(array)
    wrong = ~(right | gaps)
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise InputError(_wrong(array[row, column], row, column, side, names))
    return ones, np.asarray(gaps.any(axis=1))


def check_ones(array: Array, side: str, names: list[Any] | None) -> None:
    """Complain of the first number that is neither 0 nor 1."""
    wrong = (array != 0) & (array != 1)
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise InputError(_wrong(array[row, column], row, column, side, names))


def _wrong(value: Any, row: int, column: int, side: str, names: list[Any] | None) -> str:
    where = f"column {column:,}" if names is None else f"the column {printable(repr(names[column])):.60}"
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
