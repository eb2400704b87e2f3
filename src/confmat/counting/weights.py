"""Weights: one number per pair, finite, not negative, with a total that 64 bits hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import check_numbers, even_array
from confmat.core.counts import exact_total
from confmat.core.errors import Argument, InputError, Message
from confmat.core.options import told

Array = NDArray[Any]


def read_weights(weights: Any, n: int | None, name: str = "weights", *, like: Any = None) -> Array:
    """Weights as int64, uint64 or float64, one per pair, checked; `like` are labels whose shape they may have."""
    array = _as_numbers(weights, name)
    if array.ndim != 1 and array.shape != tuple(getattr(like, "shape", ())):
        msg = Message(
            "{} must be one-dimensional or shaped like the labels, not of shape {}",
            Argument(name),
            array.shape,
        )
        raise InputError(msg)
    array = check_numbers(array.reshape(-1), name)
    if n is not None and len(array) != n:
        msg = Message(
            "{} must hold one number per pair: {:,}, not {:,}", Argument(name), n, len(array)
        )
        raise InputError(msg)
    total = exact_total(array)
    if array.dtype.kind != "f" and total >= 2**63:
        if total >= 2**64:
            msg = Message(
                "the weights add up to {:,}, more than 64 bits hold; give them as floats", total
            )
            raise InputError(msg)
        return array.astype(np.uint64)
    if not np.isfinite(total):
        msg = Message("the {} add up to more than a float holds; scale them down", Argument(name))
        raise InputError(msg)
    return array.astype(np.int64, copy=False) if array.dtype.kind == "u" else array


def inverse(probability: Any, *, like: Any, what: str) -> Array:
    """How many items each one represents, if it was drawn, or checked, with this probability."""
    chances = read_weights(probability, None, "probability", like=like)
    if not ((chances > 0) & (chances <= 1)).all():
        msg = f"`probability` holds the probability that each item had to be {what}, above 0 and up to 1"
        raise InputError(msg)
    return 1.0 / chances


def whole(numbers: Array) -> Array | None:
    """Numbers of items as integers; None where one is no whole number."""
    if numbers.dtype.kind != "f":
        return numbers
    return None if (numbers % 1).any() else numbers.astype(np.int64)


def squared(weights: Array) -> Array | None:
    """The square of each weight, as floats; None where their sum is beyond all floats, so that it is unknown."""
    with np.errstate(over="ignore"):
        squares = weights.astype(np.float64) ** 2
        return squares if np.isfinite(squares.sum()) else None


def _as_numbers(weights: Any, name: str) -> Array:
    """Anything that holds numbers, as an array."""
    kinds = ("__array__", "__iter__", "__dlpack__")
    is_one = isinstance(weights, (str, bytes, set, dict)) or hasattr(weights, "tocsr")
    if is_one or not any(hasattr(weights, kind) for kind in kinds):
        msg = "{} must be numbers, one per pair, not {}"
        raise InputError(Message(msg, Argument(name), told(weights, typed=True)))
    # A plain array is none that is masked, and to ask would load numpy.ma.
    if type(weights) is np.ndarray:
        return weights
    if not hasattr(weights, "__len__") and not hasattr(weights, "__array__"):
        weights = list(weights)
    return even_array(weights, f"`{name}` must be numbers, one per pair")
