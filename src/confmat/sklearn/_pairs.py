"""The distinct pairs of two containers of labels, and how many items, or how much weight, each pair has."""

from __future__ import annotations

from contextlib import suppress
from operator import eq
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import LabelError
from confmat.counting.columns import Column, Integers, whole_column
from confmat.counting.tables import Coded, Raw, coded, count_raw, workers
from confmat.counting.weights import read_weights

Array = NDArray[Any]

# A count that spares scikit-learn fewer items than these is not worth its time.
FEW = 1_000
# The packages whose containers are read alike there and here.
KNOWN = {"builtins", "numpy", "pandas", "polars", "pyarrow"}
# Errors of labels and weights that cannot be read, and of containers that cannot be made again.
UNREADABLE = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class Pairs(NamedTuple):
    """Labels of both sides in pairs, and how many items, or how much weight, each pair has; None for one item."""

    true: Any
    predicted: Any
    sums: Any


def pairs_of(true: Any, predicted: Any, weights: Any) -> Pairs:
    """The distinct pairs in containers like those given; all of them as they came if they cannot be counted."""
    pairs, merges = Pairs(true, predicted, weights), False
    with suppress(*UNREADABLE):
        true, predicted = _container(true), _container(predicted)
        if len(true) >= FEW:
            pairs = _distinct(true, predicted, weights) or pairs
        merges = _merges(pairs.true, pairs.predicted)
    if merges:
        msg = (
            "one side has signed labels and the other unsigned ones, which scikit-learn compares as floats: "
            "neighbors beyond 2**53 would be one label; give both sides the same type"
        )
        raise LabelError(msg)
    return pairs


def _need(fits: bool) -> None:
    """Leave it to scikit-learn otherwise."""
    if not fits:
        raise TypeError


def _container(values: Any) -> Any:
    """The values, if there is one for each item and it is plain what scikit-learn makes of them."""
    _need(type(values).__module__.partition(".")[0] in KNOWN)
    _need(len(getattr(values, "shape", (0,))) == 1 and len(values) > 0)
    # NumPy knows which type its own numbers have in common.
    return np.asarray(values) if _is_list(values) and isinstance(values[0], np.generic) else values


def _is_list(values: Any) -> bool:
    return isinstance(values, (list, tuple))


def _distinct(true: Any, predicted: Any, weights: Any) -> Pairs | None:
    left, right = coded(_column(true)), coded(_column(predicted))
    threads = workers(None, len(true))
    raw = count_raw(left, right, None, threads)
    rows, cols, sums = _cells(raw)
    names = _names(left, rows), _names(right, cols)
    if weights is not None:
        numbers = np.asarray(_container(weights))
        _need(numbers.dtype.kind in "iu" or numbers.dtype == np.float64)
        heavy = count_raw(left, right, read_weights(numbers, len(true)), threads)
        # The cells are those of the plain count, because a pair occurs regardless of its weight.
        sums = _cells(heavy)[2] if heavy.table is None else heavy.table[rows, cols]
    elif not any(map(eq, *names)):
        # Where no item is right, scikit-learn itself does not count in integers.
        return None
    return Pairs(_like(true, names[0]), _like(predicted, names[1]), sums)


def _cells(raw: Raw) -> tuple[Array, Array, Array]:
    if raw.table is None:
        assert raw.cells is not None
        return raw.cells
    rows, cols = raw.table.nonzero()
    return rows, cols, raw.table[rows, cols]


def _column(values: Any) -> Column:
    if _is_list(values):
        return Column(
            *kernels.kernel.encode_objects(values, lambda _: _need(fits=False)), holes=True
        )
    return whole_column(values, "labels")


def _names(side: Coded, places: Array) -> list[Any]:
    """The labels at some places of a raw table, which may not be those of missing values."""
    if isinstance(side.names, Integers):
        return side.names.array()[places].tolist()
    _need(not side.holes or bool(places.all()))
    names = [side.names[place - side.holes] for place in places.tolist()]
    _need({*map(type, names)} in ({str}, {int}, {bool}))
    return names


def _like(values: Any, names: list[Any]) -> Any:
    """Labels in a container of the same kind as some values, so that scikit-learn finds the same type."""
    if _is_list(values):
        return names
    dtype = getattr(values, "dtype", None)
    if dtype is None or isinstance(values, np.ndarray):
        return np.array(names, dtype or np.asarray(values[:1]).dtype)
    return type(values)(names, dtype=dtype)


def _merges(true: Any, predicted: Any) -> bool:
    """Whether integers of both sides are compared as floats, to which neighbors are equal from 2**53 on."""
    sides = np.asarray(true), np.asarray(predicted)
    if {side.dtype.kind for side in sides} != {"i", "u"} or np.result_type(*sides).kind != "f":
        return False
    return max(abs(int(end)) for side in sides for end in (side.min(), side.max())) >= 2**53
