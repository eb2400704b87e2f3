"""One side of the pairs as codes, and the checks of options, with scikit-learn's messages, warnings and settings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import isnan
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import ConfmatWarning, InputError, LabelError, warn
from confmat.counting.columns import booleans, column_of

Array = NDArray[Any]

TEXT = np.dtype(object)
AVERAGES = frozenset({"binary", "micro", "macro", "samples", "weighted"})
# Containers that stay as they are, whatever scikit-learn's settings say.
_PLAIN = (np.ndarray, list, tuple, type(None))


class InvalidParameterError(InputError, TypeError):
    """An option has a value that it cannot have; a ValueError and a TypeError, as scikit-learn's is."""


@cache
def undefined_metric_warning() -> type[Warning]:
    """scikit-learn's UndefinedMetricWarning where it is installed, so that filters fit; otherwise our own.

    scikit-learn is loaded at the first such warning and not before.
    """
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        return type("UndefinedMetricWarning", (ConfmatWarning,), {"__module__": "confmat.sklearn"})
    return UndefinedMetricWarning


def say_undefined(message: str) -> None:
    """Warn that a number is undefined for this data."""
    warn(message, undefined_metric_warning())


# ---- arrays of other libraries -----------------------------------------------------------------------------


def dispatches() -> bool:
    """Whether scikit-learn is loaded and told to answer in the arrays it was asked with."""
    config = sys.modules.get("sklearn._config")
    return config is not None and bool(config.get_config().get("array_api_dispatch"))


def to_numpy(values: Any) -> Any:
    """An array of another library as a NumPy array."""
    if dispatches() and not isinstance(values, np.ndarray):
        from sklearn.utils._array_api import move_to

        return move_to(values, xp=np, device="cpu")
    return np.asarray(values)


def back(answer: Any, *inputs: Any) -> Any:
    """Return the answer as an array like the inputs, where scikit-learn's settings ask for that; else as it is."""
    if all(isinstance(x, _PLAIN) for x in inputs) or not dispatches():
        return answer
    from sklearn.utils._array_api import get_namespace_and_device

    space, is_other, device = get_namespace_and_device(*inputs)
    return space.asarray(answer, device=device) if is_other else answer


# ---- labels as codes ---------------------------------------------------------------------------------------


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
        codes, names = kernels.kernel.encode_text(array)
        return Side(codes, names, TEXT)
    return _of_texts(array) if kind == "O" else None


def _of_floats(array: Array) -> Side | None:
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64)
    # A fraction, or a number beyond int64, is not the same after the way back.
    return Side(whole, None, array.dtype) if np.array_equal(whole.astype(array.dtype), array) else None


def _of_texts(array: Array) -> Side | None:
    try:
        codes, names = kernels.kernel.encode_objects(array, _foreign)
    except (_Foreign, ValueError):
        return None
    return Side(codes, names, TEXT) if {*map(type, names)} == {str} else None


def _of_list(values: Sequence[Any]) -> Side | None:
    try:
        codes, names = kernels.kernel.encode_objects(values, _foreign)
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
        side = of_array(column.codes)
        if side is not None and _is_float(values, dtype):
            side.dtype = np.dtype(np.float64)
        return side
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
    array = _array_of(values)
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
    side = of_array(array)
    if side is not None:
        return side
    # Sorting says what cannot be labels side by side: text and None, text and numbers.
    names, codes = np.unique(array, return_inverse=True)
    return Side(codes, names.tolist(), TEXT if names.dtype.kind in "OUT" else names.dtype)


def _array_of(values: Any) -> Array:
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


# ---- checks of options -------------------------------------------------------------------------------------


def refuse(caller: str, name: str, wanted: str, got: Any) -> InvalidParameterError:
    """The error for an option that cannot have this value."""
    return InvalidParameterError(f"The {name!r} parameter of {caller} must be {wanted}. Got {got!r:.300} instead.")


def check_values(caller: str, *, sparse: bool = False, **values: Any) -> None:
    """Labels and weights are array-like; `labels` and `sample_weight` may be None."""
    for name, value in values.items():
        if type(value) in {np.ndarray, list} or (value is None and name in {"labels", "sample_weight", "target_names"}):
            continue
        if hasattr(value, "tocsr"):
            if sparse and name.startswith("y"):
                continue
        elif (hasattr(value, "__len__") or hasattr(value, "shape") or hasattr(value, "__array__")) and not np.isscalar(
            value
        ):
            continue
        if name.startswith("y"):
            wanted = "an array-like or a sparse array or matrix" if sparse else "an array-like"
        else:
            wanted = "an array-like or None"
        raise refuse(caller, name, wanted, value)


def check_flag(caller: str, name: str, value: Any) -> None:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise refuse(caller, name, "an instance of 'bool' or an instance of 'numpy.bool'", value)


def check_one_of(caller: str, name: str, value: Any, words: tuple[str, ...]) -> None:
    """One of some words, or None."""
    if value is not None and not (isinstance(value, str) and value in words):
        raise refuse(caller, name, f"a str among {{{', '.join(map(repr, words))}}} or None", value)


def check_average(caller: str, average: Any) -> None:
    """One of the averages, or None."""
    if average is not None and not (isinstance(average, str) and average in AVERAGES):
        raise refuse(caller, "average", f"a str among {{{', '.join(map(repr, sorted(AVERAGES)))}}} or None", average)


def check_pos_label(caller: str, value: Any) -> None:
    """A number, a text, a bool or None."""
    if type(value) is not int and not (value is None or isinstance(value, (str, Real, np.bool_))):
        raise refuse(caller, "pos_label", "a float, an instance of 'str', an instance of 'bool' or None", value)


def check_zero_division(caller: str, value: Any, *, nan: bool = True) -> None:
    """0, 1, "warn", and where `nan` says so NaN."""
    if value == "warn" if isinstance(value, str) else isinstance(value, Real) and value in {0, 1}:
        return
    if nan and isinstance(value, Real) and not isinstance(value, Integral) and isnan(value):
        return
    words = "a float among {0.0, 1.0}, numpy.nan or a str among {'warn'}" if nan else "0, 1 or 'warn'"
    raise refuse(caller, "zero_division", words, value)


def check_beta(caller: str, value: Any) -> None:
    """Any number from 0 to infinity."""
    if not isinstance(value, Real) or not float(value) >= 0:
        raise refuse(caller, "beta", "a float in the range [0.0, inf]", value)


def check_digits(caller: str, value: Any) -> None:
    """A whole number from 0."""
    if not isinstance(value, Integral) or value < 0:
        raise refuse(caller, "digits", "an int in the range [0, inf)", value)


def replacement(value: Any) -> float:
    """The number for 0/0 that `zero_division` asks for."""
    if isinstance(value, str):
        return 0.0
    return float(value)
