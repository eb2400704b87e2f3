"""Which arithmetic a formula runs in: float64 where its digits suffice, exact numbers where they would not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from confmat.cells import Cells
from confmat.metrics.arithmetic import Array, spread
from confmat.metrics.margins import Margins

__all__ = ["evaluate", "evaluate_exactly"]

_PARTS = tuple(field.name for field in fields(Cells))


def evaluate(formula: Callable[[Any], Any], inputs: Any, *, scale_free: bool = True) -> Any:
    """The formula on cells, margins or a table: floats as they are, integers without losing a digit."""
    kind = kind_of(inputs)
    if kind in "Oc":
        return formula(inputs)
    if kind == "f":
        return formula(_levelled(inputs) if scale_free else inputs)
    return formula(converted(inputs, np.float64))


def evaluate_exactly(formula: Callable[[Any], Any], inputs: Any) -> Any:
    """The formula on Python integers and fractions."""
    return formula(converted(inputs, object))


def kind_of(inputs: Any) -> str:
    """The kind of number that the inputs hold: i, u, f, c or O as NumPy says it."""
    return np.asarray(inputs.tp if isinstance(inputs, Cells) else inputs.diagonal).dtype.kind


def converted(inputs: Any, dtype: Any) -> Any:
    """The same inputs in another number type."""

    def change(part: Any) -> Any:
        changed = np.asarray(part).astype(dtype)
        # The total of one matrix is a number, not an array without axes.
        return changed[()] if changed.ndim == 0 else changed

    if isinstance(inputs, Cells):
        return Cells(*(change(getattr(inputs, part)) for part in _PARTS))
    return inputs.map(change)


def _levelled(inputs: Any) -> Any:
    """Weights brought near 1 by a power of two, so that their products neither overflow nor vanish."""
    total = np.asarray(inputs.total, dtype=np.float64)
    if not total.size or (total.min() > 1e-25 and total.max() < 1e25):
        return inputs
    power = -np.frexp(np.where(np.isfinite(total), total, 1.0))[1]

    def change(part: Any) -> Array:
        part = np.asarray(part, dtype=np.float64)
        return np.ldexp(part, power if part.ndim == power.ndim else spread(power))

    if isinstance(inputs, Cells):
        return Cells(*(change(getattr(inputs, part)) for part in _PARTS))
    assert isinstance(inputs, Margins)
    return inputs.map(change)
