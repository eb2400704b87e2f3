"""What kind of target a container holds, as scikit-learn tells them apart, where it is not plain at first sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from confmat.errors import InputError
from confmat.sklearn._borrowing import to_numpy
from confmat.sklearn._reading import TEXT, Array, Side, of_array

__all__ = ["examine", "is_sparse", "number_of_samples", "side_of"]


def is_sparse(values: Any) -> bool:
    """Whether this is one of SciPy's sparse containers."""
    return hasattr(values, "tocsr") and hasattr(values, "nnz")


def number_of_samples(values: Any) -> int:
    """How many items a container holds."""
    if hasattr(values, "fit") and callable(values.fit):
        msg = f"Expected sequence or array-like, got {type(values)}"
        raise TypeError(msg)
    shape = getattr(values, "shape", None)
    if shape is not None:
        if len(shape) == 0:
            msg = f"labels need at least one dimension, but came as the single value {values!r:.60}"
            raise TypeError(msg)
        if isinstance(shape[0], (int, np.integer)):
            return int(shape[0])
    try:
        return len(values)
    except TypeError:
        return len(to_numpy(values))


def examine(values: Any, name: str) -> tuple[str, Any]:
    """The type of target, in scikit-learn's words, and the container as an array or a sparse table."""
    if is_sparse(values):
        return _examine_sparse(values)
    is_array = hasattr(values, "__array__") or hasattr(values, "__dlpack__")
    if not is_array and (isinstance(values, str) or not isinstance(values, Sequence)):
        msg = f"Expected array-like (array or non-string sequence), got {values!r:.300}"
        raise InputError(msg)
    if isinstance(values, np.matrix):
        msg = "np.matrix is not supported. Please convert to a numpy array with np.asarray"
        raise TypeError(msg)
    if type(values).__name__ in {"SparseSeries", "SparseArray"}:
        msg = "y cannot be class 'SparseSeries' or 'SparseArray'"
        raise InputError(msg)
    array = _as_array(values)
    return _type_of(array, name), array


def side_of(array: Any) -> Side:
    """The labels of an array that was found to hold one label per item."""
    if is_sparse(array):
        msg = "Sparse input is only supported when targets are of multilabel type"
        raise TypeError(msg)
    if array.ndim == 2 and array.shape[1] != 1:
        msg = f"y should be a 1d array, got an array of shape {array.shape} instead."
        raise InputError(msg)
    array = array.reshape(-1)
    found = of_array(array)
    if found is not None:
        return found
    # Sorting says what cannot be labels side by side: text and None, text and numbers.
    names, codes = np.unique(array, return_inverse=True)
    return Side(codes, names.tolist(), TEXT if names.dtype.kind in "OUT" else names.dtype)


def _as_array(values: Any) -> Array:
    if _has_nullable(values):
        # Nullable numbers and categories of flags are read as floats; gaps are refused on the way.
        values = values.astype(np.float64)
    try:
        array = to_numpy(values)
    except ValueError:
        array = np.empty(len(values), dtype=object)
        array[:] = list(values)
    if array.dtype.kind == "c":
        msg = f"Complex data not supported\n{array!s:.300}\n"
        raise InputError(msg)
    return array


def _has_nullable(values: Any) -> bool:
    if not type(values).__module__.startswith("pandas"):
        return False
    dtype = getattr(values, "dtype", None)
    categories = getattr(getattr(dtype, "categories", None), "dtype", None)
    is_nullable = hasattr(dtype, "numpy_dtype") and getattr(dtype, "kind", "") in set("iufb")
    return is_nullable or getattr(categories, "kind", "") == "b"


def _is_whole(labels: Array) -> bool:
    with np.errstate(invalid="ignore"):
        return labels.dtype.kind == "f" and bool(np.all(labels.astype(np.int64).astype(labels.dtype) == labels))


def _is_indicator(labels: Array, most: int = 2) -> bool:
    return len(labels) <= most and (labels.dtype.kind in "biu" or _is_whole(labels))


def _has_two_values(array: Array) -> bool:
    """Whether at most two whole numbers occur; without sorting them all."""
    if array.dtype.kind not in "iubf" or not array.size:
        return _is_indicator(np.unique(array))
    ends = np.array([array.min(), array.max()])
    return _is_indicator(ends) and bool(((array == ends[0]) | (array == ends[1])).all())


def _examine_sparse(values: Any) -> tuple[str, Any]:
    if values.dtype.kind == "c":
        msg = "Complex data not supported"
        raise InputError(msg)
    table = values.tocsr()
    labels = np.unique(table.data)
    if table.ndim == 2 and table.shape[1] > 1:
        fits = not len(labels) or len(labels) == 1 or (len(labels) == 2 and 0 in labels)
        if fits and (not len(table.data) or _is_indicator(labels)):
            return "multilabel-indicator", table
        return ("continuous" if _is_fractional(labels) else "multiclass") + "-multioutput", table
    if _is_fractional(labels):
        return "continuous", table
    return "multiclass" if len(labels) > 2 else "binary", table


def _is_fractional(labels: Array) -> bool:
    return labels.dtype.kind == "f" and not _is_whole(labels)


def _type_of(array: Array, name: str) -> str:
    if array.ndim == 2 and array.shape[1] > 1 and _has_two_values(array):
        return "multilabel-indicator"
    _refuse_first(array)
    if array.ndim not in {1, 2}:
        return "unknown"
    if not min(array.shape):
        return "binary" if array.ndim == 1 else "unknown"
    if array.dtype == object and not isinstance(array.flat[0], str):
        return "unknown"
    many = array.ndim == 2 and array.shape[1] > 1
    if _is_fractional(array):
        _refuse_infinite(array, name)
        return "continuous-multioutput" if many else "continuous"
    if many:
        return "multiclass-multioutput"
    return "multiclass" if len(np.unique(array)) > 2 else "binary"


def _refuse_first(array: Array) -> None:
    first = array[0] if array.ndim and len(array) else None
    if isinstance(first, bytes):
        msg = (
            "Support for labels represented as bytes is not supported. "
            "Convert the labels to a string or integer format."
        )
        raise TypeError(msg)
    if isinstance(first, Sequence) and not isinstance(first, str) and not hasattr(first, "__array__"):
        msg = (
            "You appear to be using a legacy multi-label data representation. Sequence of sequences are no longer "
            "supported; use a binary array or sparse matrix instead."
        )
        raise InputError(msg)


def _refuse_infinite(array: Array, name: str) -> None:
    if np.isnan(array).any():
        msg = f"Input {name} contains NaN."
        raise InputError(msg)
    if np.isinf(array).any():
        msg = f"Input {name} contains infinity or a value too large for {array.dtype!r}."
        raise InputError(msg)
