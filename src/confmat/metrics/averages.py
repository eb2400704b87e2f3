"""Averages over classes, each declared once; and which classes a mean runs over when some have no value.

A fair mean, the default, runs over the classes that occur in the truth. One of them that is never
predicted takes the metric's `when_never_predicted`, so that a model pays for not naming it; other
undefined values are skipped and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from confmat.core.align import one_for_each
from confmat.core.cells import Cells
from confmat.core.errors import Message, MetricError
from confmat.core.options import told
from confmat.core.text import meant
from confmat.metrics.arithmetic import Array, exp, log, ratio

Undefined = Literal["fair", "skip", "propagate"] | float
Mean = Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False)
class Average:
    """A declared way from values per class to one number.

    `formula(values, weights)` runs over the last axis; a class of weight 0 is absent and holds a
    harmless 1.
    """

    name: str
    title: str
    summary: str
    formula: Mean
    latex: str
    aliases: tuple[str, ...] = ()
    # From the cells to the weight of each class; None weighs all classes the same.
    weigh: Callable[[Cells], Any] | None = None
    # The formula of the metric on the summed cells, instead of a mean of its values.
    pooled: bool = False
    # A product of signs means nothing: refused for metrics that can be negative.
    negative: bool = True
    # Whether weights may be given per class.
    weightable: bool = True

    def __repr__(self) -> str:
        return f"<Average {self.name}: {self.summary}>"


@dataclass(frozen=True)
class Coverage:
    """Over how many classes a mean was taken, and what became of the others."""

    used: int
    classes: int
    absent: int = 0
    filled: int = 0
    skipped: int = 0


_declared: dict[str, Average] = {}
AVERAGES: Mapping[str, Average] = MappingProxyType(_declared)


def average(
    *,
    title: str,
    latex: str,
    aliases: tuple[str, ...] = (),
    weigh: Callable[[Cells], Any] | None = None,
    pooled: bool = False,
    negative: bool = True,
    weightable: bool = True,
) -> Callable[[Mean], Average]:
    """Declare an average; its name is that of the function, its summary the first line of the docstring."""

    def declare(formula: Mean) -> Average:
        summary = (formula.__doc__ or "").strip().split("\n")[0]
        name = formula.__name__
        return Average(
            name, title, summary, formula, latex, aliases, weigh, pooled, negative, weightable
        )

    return declare


def _mean(values: Any, weights: Any) -> Any:
    return ratio((weights * values).sum(axis=-1), weights.sum(axis=-1))


@average(title="Macro", latex=r"\frac{1}{K}\sum_i m_i", aliases=("mean", "arithmetic"))
def macro(values: Any, weights: Any) -> Any:
    """Mean over the classes, each counting the same."""
    return _mean(values, weights)


@average(title="Micro", latex=r"m(\sum_i \TP_i, \dots)", pooled=True, weightable=False)
def micro(values: Any, weights: Any) -> Any:  # noqa: ARG001 - pooled cells leave one value
    """The metric on the cells summed over the classes."""
    return values[..., 0]


@average(
    title="Weighted",
    latex=r"\sum_i \frac{r_i}{n} m_i",
    weigh=lambda c: c.actual,
    aliases=("weighted_actual",),
)
def weighted(values: Any, weights: Any) -> Any:
    """Mean weighted by the actual totals, or by weights given per class."""
    return _mean(values, weights)


@average(
    title="Weighted by predictions",
    latex=r"\sum_i \frac{c_i}{n} m_i",
    weigh=lambda c: c.predicted,
    weightable=False,
)
def weighted_predicted(values: Any, weights: Any) -> Any:
    """Mean weighted by the predicted totals; it runs over the classes that are predicted."""
    return _mean(values, weights)


@average(title="Geometric mean", latex=r"\bigl(\prod_i m_i\bigr)^{1/K}", negative=False)
def geometric(values: Any, weights: Any) -> Any:
    """The K-th root of the product; 0 as soon as one class has 0."""
    zero = values == 0
    if not np.count_nonzero(zero):
        return exp(_mean(log(values), weights))
    logs = _mean(log(np.where(zero, 1, values)), weights)
    return np.where(np.any(zero & (weights != 0), axis=-1), logs - logs, exp(logs))[()]


@average(title="Harmonic mean", latex=r"\frac{K}{\sum_i 1 / m_i}", negative=False)
def harmonic(values: Any, weights: Any) -> Any:
    """One over the mean of one over the values; 0 as soon as one class has 0."""
    zero = values == 0
    filled = np.where(zero, 1, values) if np.any(zero) else values
    found = ratio(weights.sum(axis=-1), ratio(weights, filled).sum(axis=-1))
    return np.where(np.any(zero & (weights != 0), axis=-1), found - found, found)[()]


@average(title="Minimum", latex=r"\min_i m_i", weightable=False, aliases=("minimum", "worst"))
def min(values: Any, weights: Any) -> Any:  # noqa: A001 - the name it is asked by
    """The least value of any class."""
    return _extreme(values, weights, 1)


@average(title="Maximum", latex=r"\max_i m_i", weightable=False, aliases=("maximum",))
def max(values: Any, weights: Any) -> Any:  # noqa: A001 - the name it is asked by
    """The greatest value of any class."""
    return _extreme(values, weights, -1)


def _extreme(values: Any, weights: Any, sign: int) -> Any:
    # Along the real axis, so that complex derivatives follow the class that holds the extreme.
    order = np.where(weights != 0, sign * np.real(values), np.inf)
    place = np.argmin(order.astype(np.float64), axis=-1)
    found = np.take_along_axis(np.asarray(values), np.expand_dims(place, -1), axis=-1)[..., 0]
    none = ~np.any(weights != 0, axis=-1)
    return np.where(none, float("nan"), found)[()] if np.any(none) else found


for _average in (macro, micro, weighted, weighted_predicted, geometric, harmonic, min, max):
    _declared[_average.name] = _average
_aliases = {
    alias: average for average in _declared.values() for alias in (average.name, *average.aliases)
}


def average_named(name: str | Average) -> Average:
    """The average of that name; an Average passes as it is."""
    if isinstance(name, Average):
        return name
    found = (
        _aliases.get(name.lower().replace("-", "_").replace(" ", "_"))
        if isinstance(name, str)
        else None
    )
    if found is None:
        from confmat.core.words import line

        advice = line(name, "average") if isinstance(name, str) else ""
        hint = f"; {advice}" if advice else meant(name, _aliases)
        msg = f"there is no average {told(name)}; there are {', '.join(_declared)}{hint}"
        raise MetricError(msg)
    return found


def missing(values: Any) -> Array:
    """Where values are NaN, in any arithmetic."""
    return np.asarray(values != values, dtype=bool)


@dataclass(frozen=True)
class Choice:
    """The classes that a mean runs over: values with fills, weights with 0 for the absent, and the accounts."""

    values: Any
    weights: Any
    filled: Array
    skipped: Array
    absent: Array
    # How many equal items each is, where items take the place of classes.
    many: Any = None

    def coverage(self) -> Coverage:
        """The accounts of one matrix as numbers."""
        return self.coverages()[0]

    def coverages(self) -> list[Coverage]:
        """The accounts of each row of values."""
        shape = np.atleast_2d(self.values).shape
        parts = (self.weights != 0, self.absent, self.filled, self.skipped)
        counts = [self._number(np.broadcast_to(part, shape)) for part in parts]
        whole = shape[-1] if self.many is None else int(self.many.sum())
        return [Coverage(used, whole, *rest) for used, *rest in zip(*counts, strict=True)]

    def _number(self, there: Array) -> list[int]:
        found = np.count_nonzero(there, axis=-1) if self.many is None else (there != 0) @ self.many
        return list(np.asarray(found).tolist())


def chosen(
    values: Any,
    cells: Cells,
    average: Average,
    undefined: Undefined,
    fill: Any,
    weights: Any = None,
) -> Choice:
    """Choose the classes of a mean and fill what is undefined.

    `fill` is what a class takes that occurs but is never predicted, or None. The cells may be of
    another arithmetic than the values: the choice is fixed on the observed table.
    """
    check_undefined(undefined)
    lost = missing(values)
    occurs = np.asarray(cells.actual != 0, dtype=bool)
    if weights is None and average.weigh is not None:
        weights = average.weigh(cells)
    none = np.zeros_like(lost)
    absent = none if weights is None else none | np.asarray(weights == 0, dtype=bool)
    filled, skipped = none, none
    some = bool(lost.any())
    if undefined == "fair":
        # Weights by predictions choose their classes themselves: precision weighted so is accuracy.
        if average.weigh is None or average.weightable:
            absent = absent | ~occurs
        if fill is not None and some:
            # Among several metrics at once, NaN means one that has no fill.
            filled = (
                lost
                & occurs
                & np.asarray(cells.predicted == 0, dtype=bool)
                & ~missing(np.asarray(fill))
            )
    elif not isinstance(undefined, str):
        filled, fill = lost, undefined
        # Where no class weighs anything, the mean itself has no value.
        nowhere = absent.all(axis=-1, keepdims=True)
        if nowhere.any():
            filled, absent, weights = (
                filled | nowhere,
                absent & ~nowhere,
                np.where(nowhere, 1, weights),
            )
    if undefined != "propagate" and some:
        skipped = lost & ~filled & ~absent
    return _choice(values, weights, filled, fill, skipped, absent)


def _choice(
    values: Any, weights: Any, filled: Array, fill: Any, skipped: Array, absent: Array
) -> Choice:
    out = absent | skipped
    if filled.any():
        values = np.where(filled, fill, values)
    if out.any():
        # An absent value must not reach the sum, where 0 * NaN would be NaN.
        values = np.where(out, 1, values)
    if weights is None:
        weights = (~out).astype(np.float64)
    else:
        # As floats, since products of two large counts would not fit 64 bits.
        weights = np.where(out, 0, weights)
        weights = weights.astype(np.float64) if weights.dtype.kind in "iu" else weights
    return Choice(values, weights, filled & ~absent, skipped, absent)


def check_undefined(undefined: Any) -> None:
    """Complain of anything but the three words and a number."""
    if (
        undefined in {"fair", "skip", "propagate"}
        if isinstance(undefined, str)
        else isinstance(undefined, Real)
    ):
        return
    msg = Message(
        "{undefined} must be 'fair', 'skip', 'propagate' or a number, not {}", told(undefined)
    )
    raise MetricError(msg)


def position_of(m: Any, label: Any) -> int:
    """Where a class is among the values of a metric."""
    labels = getattr(m, "labels", None)
    if labels is None:
        msg = "cells have no class names; index the array instead of asking `of`"
        raise MetricError(msg)
    position: int = labels.index(label)
    if position >= labels.n_classes:
        msg = f"{label!r} stands outside the classes, so it has no value of its own"
        raise MetricError(msg)
    return position


def given_weights(m: Any, weights: Any, size: int) -> Array:
    """The weights of a mean as they were given: one per class in their order, or by label."""
    labels = getattr(m, "labels", None)
    if labels is not None:
        weights = one_for_each(weights, labels.classes, "weights", MetricError)
    try:
        floats = np.empty(0) if np.iscomplexobj(weights) else np.asarray(weights, np.float64)
    except (TypeError, ValueError, OverflowError):
        floats = np.empty(())
    if floats.shape != (size,) or not all(0 <= w < float("inf") for w in floats.tolist()):
        msg = Message(
            "{weights} must be {} numbers, one per class, none negative, not {}",
            size,
            told(weights),
        )
        raise MetricError(msg)
    return floats
