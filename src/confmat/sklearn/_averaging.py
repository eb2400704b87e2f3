"""Ratios with a word for 0/0, and the means that scikit-learn takes of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.sklearn._borrowing import say_undefined
from confmat.sklearn._options import replacement
from confmat.sklearn._reading import Array

__all__ = ["divide", "mean", "mean_of_defined"]


def divide(
    top: Array, bottom: Array, name: str, missing: str, average: str | None, warns: Any, zero_division: Any
) -> Array:
    """Top by bottom, with `zero_division` where the bottom is 0 and a warning where that was left open."""
    empty = bottom == 0
    if not empty.any():
        return top / bottom
    result = top / np.where(empty, 1, bottom)
    result[empty] = replacement(zero_division)
    if isinstance(zero_division, str) and name in warns:
        of, within = ("label", "sample") if average == "samples" else ("sample", "label")
        where = "due to" if len(result) == 1 else f"in {within}s with"
        say_undefined(
            f"{name.capitalize()} is ill-defined and being set to 0.0 {where} no {missing} {of}s. "
            "Use `zero_division` parameter to control this behavior."
        )
    return result


def mean(values: Array, weights: Array | None) -> float:
    """The mean, weighted or not, of all values."""
    if weights is None:
        return float(values.sum() / len(values)) if len(values) else float(np.mean(values))
    total = weights.sum(dtype=np.float64)
    if total == 0:
        msg = "Weights sum to zero, can't be normalized"
        raise ZeroDivisionError(msg)
    return float((values * weights).sum() / total)


def mean_of_defined(values: Array, weights: Array | None) -> float:
    """The mean of what is not NaN; where all of that weighs nothing, the plain mean."""
    gaps = np.isnan(values)
    if gaps.any():
        if gaps.all():
            return np.nan
        if weights is None:
            return float(np.where(gaps, 0.0, values).sum() / (len(values) - np.count_nonzero(gaps)))
        values, weights = values[~gaps], weights[~gaps]
    elif not len(values):
        return np.nan
    try:
        return mean(values, weights)
    except ZeroDivisionError:
        return mean(values, None)
