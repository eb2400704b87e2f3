"""Options checked as scikit-learn checks them, before anything is read."""

from __future__ import annotations

from math import isnan
from numbers import Integral, Real
from typing import Any

import numpy as np

from confmat.sklearn._borrowing import InvalidParameterError

__all__ = [
    "check_average",
    "check_beta",
    "check_digits",
    "check_flag",
    "check_one_of",
    "check_pos_label",
    "check_values",
    "check_zero_division",
    "refuse",
    "replacement",
]

AVERAGES = frozenset({"binary", "micro", "macro", "samples", "weighted"})


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
