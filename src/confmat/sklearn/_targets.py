"""The door of the face: two containers and weights, checked as scikit-learn checks them, become what was counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.errors import InputError
from confmat.sklearn._borrowing import InvalidParameterError, say_lost, to_numpy
from confmat.sklearn._counting import Counted, Shares, count_sides
from confmat.sklearn._examining import examine, number_of_samples, side_of
from confmat.sklearn._indicator import Indicator, indicator
from confmat.sklearn._reading import Array, read

__all__ = ["InvalidWeightsError", "compare_targets", "count_labels", "count_targets", "read_weights"]

EMPTY = "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."


def compare_targets(y_true: Any, y_pred: Any, weights: Any = None) -> Counted | Shares | Indicator:
    """What is right in two containers: integers are compared where they lie, everything else is counted."""
    if type(y_true) is np.ndarray and type(y_pred) is np.ndarray and y_true.ndim == y_pred.ndim == 1:
        n = len(y_true)
        if n and n == len(y_pred) and y_true.dtype.kind in "iub" and y_pred.dtype.kind in "iub":
            return Shares(y_true, y_pred, None if weights is None else read_weights(weights, y_true, y_pred, n))
    return count_targets(y_true, y_pred, weights)


def count_targets(y_true: Any, y_pred: Any, weights: Any = None, *, sorts: bool = True) -> Counted | Indicator:
    """What two containers hold: counted labels, or tables of indicators.

    `sorts` says that scikit-learn sorts arrays before it looks at them, which objects may refuse.
    """
    true, predicted = read(y_true), read(y_pred)
    if true is not None and predicted is not None:
        n = len(true.codes)
        if n != len(predicted.codes):
            raise InputError(_inconsistent(y_true, y_pred, weights))
        if not n:
            raise InputError(EMPTY)
        numbers = None if weights is None else read_weights(weights, y_true, y_pred, n)
        found = count_sides(true, predicted, numbers)
        if found is not None:
            return found
    return _examined(y_true, y_pred, weights, sorts)


def count_labels(y_true: Any, y_pred: Any, weights: Any = None, *, sorts: bool = True) -> Counted:
    """Counted labels; tables of indicators are refused."""
    found = count_targets(y_true, y_pred, weights, sorts=sorts)
    if isinstance(found, Indicator):
        msg = f"{found.type} is not supported"
        raise InputError(msg)
    return found


def _examined(y_true: Any, y_pred: Any, weights: Any, sorts: bool) -> Counted | Indicator:
    for values in (y_true, y_pred):
        if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
            _masked(sorts)
        elif sorts and isinstance(values, np.ndarray) and values.dtype == object:
            np.unique(values)
    sizes = [number_of_samples(values) for values in (y_true, y_pred)]
    if sizes[0] != sizes[1]:
        raise InputError(_inconsistent(y_true, y_pred, weights))
    (type_true, true), (type_pred, pred) = examine(y_true, "y_true"), examine(y_pred, "y_pred")
    if not sizes[0]:
        raise InputError(EMPTY)
    numbers = None if weights is None else read_weights(weights, y_true, y_pred, sizes[0])
    types = {type_true, type_pred}
    if len(types) > 1 and types != {"binary", "multiclass"}:
        msg = f"Classification metrics can't handle a mix of {type_true} and {type_pred} targets"
        raise InputError(msg)
    if type_true == "multilabel-indicator":
        return indicator(true, pred, numbers)
    if not types <= {"binary", "multiclass"}:
        msg = f"{type_true} is not supported"
        raise InputError(msg)
    found = count_sides(side_of(true), side_of(pred), numbers)
    if found is None:
        msg = "labels may not be missing"
        raise InputError(msg)
    return found


def _masked(sorts: bool) -> None:
    if sorts:
        msg = "labels may not be masked; take those that are not, `y[~y.mask]`, on both sides"
        raise InvalidParameterError(msg)
    say_lost(
        "the mask is lost: masked labels are counted like the others; "
        "`confmat.count(y_true, y_pred, missing='drop')` leaves them out"
    )


def _inconsistent(*containers: Any) -> str:
    sizes = [number_of_samples(values) for values in containers if values is not None]
    return f"Found input variables with inconsistent numbers of samples: {sizes}"


def read_weights(weights: Any, y_true: Any, y_pred: Any, n: int) -> Array:
    """Weights as an array: as many as there are samples, finite, not all zero."""
    if number_of_samples(weights) != n:
        raise InputError(_inconsistent(y_true, y_pred, weights))
    array = to_numpy(weights)
    if array.ndim != 1:
        msg = f"Sample weights must be 1D array or scalar, got {array.ndim}D array."
        raise InputError(msg)
    kind = array.dtype.kind
    if kind == "f":
        if not np.isfinite(array).all():
            what = "NaN" if np.isnan(array).any() else "infinity or a value too large for its type"
            msg = f"Input sample_weight contains {what}."
            raise InputError(msg)
    elif kind == "c":
        msg = "Complex data not supported"
        raise InputError(msg)
    elif kind not in "iub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidWeightsError(str(error)) from error
    if not array.any():
        msg = "Sample weights must contain at least one non-zero number."
        raise InputError(msg)
    return array


class InvalidWeightsError(InputError, TypeError):
    """Weights that are no numbers: both errors that scikit-learn gives for them."""
