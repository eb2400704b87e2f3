"""One side of the pairs as codes: the quick road for what is plainly labels; everything else is examined first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import _kernels
from confmat.counting.columns import booleans, column_of
from confmat.errors import InputError, LabelError

__all__ = ["Array", "Side", "of_array", "read"]

Array = NDArray[Any]

TEXT = np.dtype(object)


@dataclass(slots=True)
class Side:
    """Codes of one side: the labels themselves where `names` is None, otherwise places in `names`.

    `dtype` is that of the labels as an array; object stands for text. -1 is a missing value, which the
    count brings to light. Not all `categories` need occur.
    """

    codes: Array
    names: Sequence[Any] | None
    dtype: np.dtype[Any]
    categories: bool = False


class _Foreign(Exception):  # noqa: N818
    """The list holds something that is neither text nor a number."""


def _foreign(_: Any) -> Any:
    raise _Foreign


def read(values: Any) -> Side | None:
    """The labels of a container that is plainly one label per item; None for what must be examined."""
    kind = type(values)
    if kind is np.ndarray:
        if values.ndim == 2 and values.shape[1] == 1:
            values = values.reshape(-1)
        return of_array(values) if values.ndim == 1 else None
    if kind is list or kind is tuple:
        return _of_list(values)
    module = kind.__module__.partition(".")[0]
    if module in {"pandas", "polars", "pyarrow"} and len(getattr(values, "shape", (0,))) == 1:
        return _of_series(values)
    return None


def of_array(array: Array) -> Side | None:
    """Labels in an array of one dimension."""
    kind = array.dtype.kind
    if kind in "iu":
        array = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
        return Side(array, None, array.dtype)
    if kind == "b":
        return Side(booleans(array).view(np.uint8), None, array.dtype)
    if kind == "f":
        return _of_floats(array)
    if kind == "U":
        codes, names = _kernels.kernel.encode_text(array)
        return Side(codes, names, TEXT)
    return _of_texts(array) if kind == "O" else None


def _of_floats(array: Array) -> Side | None:
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64)
    # What is no whole number, or none that an int64 holds, is not the same after the way back.
    return Side(whole, None, array.dtype) if np.array_equal(whole.astype(array.dtype), array) else None


def _of_texts(array: Array) -> Side | None:
    try:
        codes, names = _kernels.kernel.encode_objects(array, _foreign)
    except (_Foreign, ValueError):
        return None
    return Side(codes, names, TEXT) if {*map(type, names)} == {str} else None


def _of_list(values: Sequence[Any]) -> Side | None:
    try:
        codes, names = _kernels.kernel.encode_objects(values, _foreign)
    except (_Foreign, ValueError, RuntimeError):
        return _as_array(values)
    types = {*map(type, names)}
    if types == {str}:
        # An array of text would drop trailing NULs, and with them tell fewer labels apart.
        return _as_array(values) if any(name.endswith("\0") for name in names) else Side(codes, names, TEXT)
    if types == {int} and min(names) >= -(2**63) and max(names) < 2**63:
        return Side(codes, names, np.dtype(np.int64))
    return Side(codes, names, np.dtype(bool)) if types == {bool} else _as_array(values)


def _as_array(values: Sequence[Any]) -> Side | None:
    try:
        array = np.asarray(values)
    except ValueError:
        return None
    return of_array(array) if array.ndim == 1 and len(array) else None


def _of_series(values: Any) -> Side | None:
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype):
        return of_array(values.to_numpy())
    if type(dtype).__name__ == "SparseDtype":
        return None
    try:
        column = column_of(values, "labels")
    except (InputError, LabelError, TypeError):
        return None
    if column is None:
        return None
    if column.names is None:
        found = of_array(column.codes)
        if found is not None and _is_float(values, dtype):
            found.dtype = np.dtype(np.float64)
        return found
    types = {*map(type, column.names)}
    if types == {str}:
        return Side(column.codes, column.names, TEXT, column.ordered)
    # Categories that are whole numbers may be floats, which shows where labels are printed.
    inner = getattr(getattr(dtype, "categories", None), "dtype", None)
    number = inner if isinstance(inner, np.dtype) and inner.kind in "iuf" else np.dtype(np.int64)
    return Side(column.codes, column.names, number, column.ordered) if types == {int} else None


def _is_float(values: Any, dtype: Any) -> bool:
    """Whether whole numbers are floats to scikit-learn, as nullable ones are; it shows where labels are printed."""
    if hasattr(dtype, "numpy_dtype"):
        return True
    name = str(getattr(values, "type", dtype)).lower()
    return name.startswith(("float", "double", "halffloat"))
