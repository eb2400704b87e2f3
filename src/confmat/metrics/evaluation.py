"""The arithmetic that a formula runs in: floats, and weights brought near 1.

A score is right to 1e-12, relative or absolute in its own scale. Floats are enough for that where a
formula adds up what is beside the diagonal, or beside a class, instead of taking it from
totals; margins know these sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from confmat.core.cells import Cells, once
from confmat.metrics.arithmetic import Number, spread
from confmat.metrics.margins import shared

Formula = Callable[[Any], Any]
Bounds = tuple[float | None, float | None]

# Rounding moves no score further beyond its bounds than this.
_ROUNDING = 1e-6


def evaluate(formula: Formula, inputs: Any, *, scale_free: bool = True) -> Any:
    """Evaluate a formula on cells, margins or a table, in floats that keep 12 digits."""
    kind = kind_of(inputs)
    if kind in "cn":
        return formula(inputs)
    if kind != "f":
        return formula(_floats(inputs))
    # Weights of any size: their products may leave the range of floats.
    with np.errstate(all="ignore"):
        return formula(_near_one(inputs) if scale_free else inputs)


def floats_kept(inputs: Any) -> Any:
    """Counts as floats, if a formula was evaluated on them before; else None."""
    return None if inputs.memo is None else inputs.memo.get(_floats.__wrapped__)  # type: ignore[attr-defined] # by `once`


@once
def _floats(inputs: Any) -> Any:
    # The total of one matrix is a number, not an array without axes.
    return _remembering(inputs.map(lambda part: np.asarray(part).astype(np.float64)[()]), inputs)


def _remembering(made: Any, inputs: Any) -> Any:
    return made if inputs.memo is None else shared(made)


def kind_of(inputs: Any) -> str:
    """The kind of number that the inputs hold: i, u, f, c or O as NumPy says it, n for a type of its own."""
    part = inputs.tp if isinstance(inputs, Cells) else inputs.diagonal
    kind: str = "n" if isinstance(part, Number) else np.asarray(part).dtype.kind
    return kind


@once
def _near_one(inputs: Any) -> Any:
    """Weights brought near 1 by a power of two, so that their products neither overflow nor vanish."""
    total = np.asarray(inputs.total, dtype=np.float64)
    if not total.size or (total.min() > 1e-25 and total.max() < 1e25):
        return inputs
    power = -np.frexp(np.where(np.isfinite(total), total, 1.0))[1]

    def change(part: Any) -> Any:
        part = np.asarray(part, dtype=np.float64)
        return np.ldexp(part, power if part.ndim == power.ndim else spread(power))[()]

    return _remembering(inputs.map(change), inputs)


def clipped(values: Any, bounds: Bounds) -> Any:
    """The same scores, back within their bounds where rounding alone moved them out.

    >>> (
    ...     clipped(1.0000000000000002, (0, 1)),
    ...     clipped(np.array([-1.0000000000000002, np.nan]), (-1, None)),
    ... )
    (1.0, array([-1., nan]))
    >>> clipped(1.5, (0, 1))
    1.5
    """
    low, high = bounds
    if not isinstance(values, np.ndarray):
        if low is not None and low - _ROUNDING <= values < low:
            return float(low)
        return float(high) if high is not None and high < values <= high + _ROUNDING else values
    if low is not None and np.count_nonzero(values < low):
        values = np.where((values < low) & (values >= low - _ROUNDING), low, values)
    if high is not None and np.count_nonzero(values > high):
        values = np.where((values > high) & (values <= high + _ROUNDING), high, values)
    return values


def pooled(cells: Cells) -> Cells:
    """Sums over the classes; of counts in floats, since 64 bits might not hold them."""
    return (cells.astype(np.float64) if kind_of(cells) in "iu" else cells).pooled()


def plainly(value: Any) -> Any:
    """A Python number where there is no axis left."""
    if isinstance(value, float):
        return float(value)
    if isinstance(value, np.ndarray):
        if value.ndim:
            return value
        value = value[()]
    if isinstance(value, np.generic):
        return value.item()
    return value
