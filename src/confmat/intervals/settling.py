"""What comes out of `interval`: bounds that hold the value and stay where the score can be, with what is to be said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.labels import Labels
from confmat.intervals.asking import SAMPLED, Asked
from confmat.intervals.estimates import Estimate, Estimates
from confmat.metrics import Metric

__all__ = ["every_estimate", "nothing", "one_estimate", "together"]

Array = NDArray[np.float64]
_UNKNOWN = "its variance has no value here, so nothing is known beyond the bounds of the score"


def one_estimate(
    asked: Asked, value: float, low: Any, high: Any, error: float, items: Any, method: str, note: str = ""
) -> Estimate:
    """The estimate of one number."""
    low, high, unknown = _settled(asked, value, low, high)
    notes = "; ".join(filter(None, [note, asked.note, _UNKNOWN if unknown else ""]))
    return Estimate(
        value, float(low), float(high), asked.level, method, asked.drawn, float(items), float(error), notes, asked.name
    )


def every_estimate(
    asked: Asked,
    labels: Labels,
    value: Array,
    low: Any,
    high: Any,
    error: Array,
    items: Any,
    method: str,
    notes: tuple[str, ...] = (),
) -> Estimates:
    """The estimates of every class, from arrays of what each has."""
    low, high, unknown = _settled(asked, value, low, high)
    lost = np.isnan(value)
    if asked.note or lost.any() or unknown.any() or any(notes):
        said = notes or ("",) * len(value)
        reasons = np.where(lost, _reason(asked.metric), np.where(unknown, _UNKNOWN, "")).tolist()
        notes = tuple("; ".join(filter(None, [*each, asked.note])) for each in zip(said, reasons, strict=True))
    else:
        notes = ()
    items = np.where(lost, np.nan, items)
    return Estimates(labels, value, low, high, error, items, asked.level, method, asked.drawn, notes, asked.metric.name)


def together(asked: Asked, labels: Labels, each: list[Estimate]) -> Estimates:
    """The estimates of every class, from those of each alone."""
    parts = ("value", "low", "high", "se", "n_eff")
    value, low, high, error, items = (np.array([getattr(one, part) for one in each]) for part in parts)
    notes = tuple(one.note for one in each) if any(one.note for one in each) else ()
    method = next((one.method for one in each if one.method), "")
    return Estimates(labels, value, low, high, error, items, asked.level, method, asked.drawn, notes, asked.metric.name)


def nothing(asked: Asked) -> Estimate:
    """The estimate of what has no value."""
    lost = math.nan
    return Estimate(lost, lost, lost, asked.level, "", asked.drawn, note=_reason(asked.metric), name=asked.name)


def _reason(metric: Metric) -> str:
    return metric.undefined or "it has no value"


def _settled(asked: Asked, value: Any, low: Any, high: Any) -> tuple[Array, Array, Any]:
    """Bounds within those of the score and around the value, and where nothing else is known of them."""
    least, most = asked.metric.bounds
    least, most = -math.inf if least is None else least, math.inf if most is None else most
    value, low, high = (np.asarray(part, dtype=np.float64) for part in (value, low, high))
    lost = np.isnan(value)
    unknown = ~lost & (np.isnan(low) | np.isnan(high))
    low, high = np.where(unknown, least, np.clip(low, least, most)), np.where(unknown, most, np.clip(high, least, most))
    if asked.method not in SAMPLED:
        # Percentiles of draws may miss the value of a biased score; every other method reaches out from it.
        low, high = np.minimum(low, value), np.maximum(high, value)
    return np.where(lost, np.nan, low), np.where(lost, np.nan, high), unknown
