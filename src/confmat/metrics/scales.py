"""Positions of ordered classes: the numbers that distances between classes are taken from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from confmat.core.cells import once
from confmat.core.counts import frozen
from confmat.core.errors import BudgetError, MetricError
from confmat.core.options import told
from confmat.metrics.arithmetic import absolute, is_exact
from confmat.metrics.margins import Margins, Table

# For so many classes what places are apart is kept.
_SMALL = 256
# None: the places 0 .. K-1 in the order of the labels.
Scale = tuple[float, ...] | Mapping[Any, float] | None


def read_scale(values: Any) -> Scale:
    """A scale as given: a number per class, or a mapping of class to number."""
    if values is None or isinstance(values, Mapping):
        return values
    try:
        positions = tuple(value.item() if isinstance(value, np.generic) else value for value in values)
        finite = len(positions) > 0 and all(abs(float(value)) < float("inf") for value in positions)
    except (TypeError, ValueError):
        finite, positions = False, ()
    if not finite:
        msg = f"`values` must be one finite number per class, or a mapping of class to number, not {told(values)}"
        raise MetricError(msg)
    return positions


def spaced(scale: Scale, t: Table) -> Any:
    """The position of every class, in the arithmetic of the table."""
    if scale is None:
        return _places(t.size, is_exact(t.diagonal))
    positions: Any = scale
    if isinstance(scale, Mapping):
        if t.labels is None:
            msg = "a mapping of class to number needs a matrix with labels"
            raise MetricError(msg)
        missing = [label for label in t.labels.classes if label not in scale]
        if missing:
            msg = f"`values` has no number for {missing[0]!r}"
            raise MetricError(msg)
        positions = [scale[label] for label in t.labels.classes]
    if len(positions) != t.size:
        msg = f"`values` must have one number per class: {t.size}, not {len(positions)}"
        raise MetricError(msg)
    return exact_numbers(positions) if is_exact(t.diagonal) else np.array(positions, dtype=np.float64)


def exact_numbers(values: Any) -> Any:
    """Numbers, or a table of them, as Python integers and fractions; a float is the decimal that it prints as."""
    array = np.array(values, dtype=object)
    return np.frompyfunc(_exactly, 1, 1)(array).astype(object)


def _exactly(value: Any) -> Any:
    return value if isinstance(value, int) else Fraction(repr(value) if isinstance(value, float) else value)


def distances(scale: Scale, t: Table) -> Any:
    """How far the predicted class lies above the actual one, at each listed cell."""
    if _are_known(scale, t):
        return _distances(t.size, is_exact(t.diagonal))
    positions = spaced(scale, t)
    return t.crossed(lambda actual, predicted: predicted - actual, positions, positions)


def apart(scale: Scale, t: Table, power: float = 1) -> Any:
    """How far apart both answers lie, to a power, at each listed cell."""
    if _are_known(scale, t) and power in {1, 2}:
        return _powers(t.size, power, is_exact(t.diagonal))
    return absolute(distances(scale, t)) ** power


def all_apart(scale: Scale, t: Table, power: float = 1) -> Any:
    """How far apart both answers lie, to a power, summed over the items."""
    if scale is None and power in {1, 2}:
        # Several metrics ask for these two.
        return _steps(t) if power == 1 else _squared_steps(t)
    return (t.values * apart(scale, t, power)).sum(axis=-1)


@once
def _steps(t: Table) -> Any:
    return (t.values * apart(None, t)).sum(axis=-1)


@once
def _squared_steps(t: Table) -> Any:
    return (t.values * apart(None, t, 2)).sum(axis=-1)


def _are_known(scale: Scale, t: Table) -> bool:
    """Whether the distances are kept: those between places, of every pair of not too many classes."""
    return scale is None and t.size <= _SMALL and t.is_whole


@lru_cache(maxsize=16)
def _places(size: int, exact: bool) -> Any:
    return frozen(np.arange(size).astype(object if exact else np.float64))


@lru_cache(maxsize=16)
def _distances(size: int, exact: bool) -> Any:
    places = _places(size, exact)
    return frozen((places - places[:, None]).ravel())


@lru_cache(maxsize=16)
def _powers(size: int, power: float, exact: bool) -> Any:
    return frozen(np.abs(_distances(size, exact)) ** power)


def inside(t: Table) -> Table:
    """The table of items answered with a class: those outside have no place on a scale, and no distance."""
    if t.labels is None or not t.labels.outside:
        return t
    actual, predicted = t.sum_by_actual(t.values), t.sum_by_predicted(t.values)
    return replace(t, actual=actual, predicted=predicted, total=t.values.sum(axis=-1), memo=None)


@once
def actual_below(m: Margins) -> Any:
    """Actual items of the classes from the first to each."""
    return running(m.actual)


@once
def predicted_below(m: Margins) -> Any:
    """Predicted items of the classes from the first to each."""
    return running(m.predicted)


def running(values: Any) -> Any:
    """Sums from the first class to each."""
    if not isinstance(values, np.ndarray):
        # Numbers that remember how they were made know one step for all of it.
        return np.cumsum(values, axis=-1)
    sums = values.cumsum(axis=-1)
    if sums.dtype.kind != "f":
        return sums
    # Add afterwards what rounding took from every addition (Knuth's two-sum); counts lose nothing.
    before, after, added = sums[..., :-1], sums[..., 1:], values[..., 1:]
    part = after - before
    lost = (before - (after - part)) + (added - part)
    if np.count_nonzero(lost):
        sums[..., 1:] += lost.cumsum(axis=-1)
    return sums


def table_of(positions: Any, power: float) -> Any:
    """Distances between all classes, to a power."""
    size = len(positions)
    if size > 5000:
        msg = f"weights for {size:,} x {size:,} pairs of classes do not fit; 'linear' and 'quadratic' need no table"
        raise BudgetError(msg)
    return absolute(positions[:, None] - positions) ** power
