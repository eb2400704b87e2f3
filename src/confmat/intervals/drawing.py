"""Intervals from drawn tables: those asked for by name, and those of scores of which no derivative tells enough."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.asking import SAMPLED, Asked
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.gradient import NoSlopeError, Slope, slope
from confmat.intervals.resampling import Draws, corrected, percentiles
from confmat.intervals.settling import every_estimate, one_estimate
from confmat.intervals.smoothing import seen_cells

__all__ = ["KINK", "STILL", "drawn_classes", "drawn_one"]

Array = NDArray[np.float64]

KINK = "its formula has no derivative, so tables were drawn"
STILL = "it stands where its derivative is nothing, so tables were drawn"
_NAMES = {"bootstrap": "percentile bootstrap", "bca": "BCa bootstrap", "bayes": "Dirichlet posterior"}
# What a table has at most that is smoothed before it is drawn.
_SMOOTHED_CELLS = 2**14
# Cells and numbers that are drawn where nobody asked for draws; but so many tables at least.
_UNASKED, _FEWEST = 2**26, 300
# Numbers that are kept at once.
_KEPT = 2**27


def drawn_one(
    asked: Asked, m: ConfusionMatrix, value: float, plain: Slope | None = None, note: str = "", *, still: bool = False
) -> Estimate:
    """One number; `plain` is its slope, if it has one, and `still` says that every cell may have been filled."""
    if m.is_weighted and asked.method not in SAMPLED:
        return one_estimate(asked, value, math.nan, math.nan, math.nan, math.nan, "", _unweighted(note))
    values = _values(asked, m, smoothed=plain is None, everywhere=still)[:, None]
    low, high, error, notes, method = _told(asked, m, np.array([value]), values, [plain])
    note = "; ".join(filter(None, [note, notes[0]]))
    return one_estimate(asked, value, low[0], high[0], float(error[0]), math.nan, method, note)


def drawn_classes(asked: Asked, m: ConfusionMatrix, value: Array, note: str = "", *, still: bool = False) -> Estimates:
    """A number for every class, all from the same tables."""
    if m.is_weighted and asked.method not in SAMPLED:
        lost, without = np.full(len(value), np.nan), (_unweighted(note),) * len(value)
        return every_estimate(asked, m.labels, value, lost, lost, lost, lost, "", without)
    if asked.method in SAMPLED and asked.draws * len(value) > _KEPT:
        msg = f"{asked.draws:,} draws of {len(value):,} classes are too many to keep; name classes (`of`), or draw less"
        raise InputError(msg)
    slopes: list[Slope | None] = [None] * len(value)
    if asked.method == "bca":
        slopes = [_slope_if_any(asked, m, label) for label in m.labels.classes]
    smoothed = asked.method not in SAMPLED or not asked.metric.smooth
    values = _values(asked, m, smoothed=smoothed, everywhere=still)
    low, high, error, notes, method = _told(asked, m, value, values, slopes)
    notes = ["; ".join(filter(None, [note, one])) for one in notes]
    return every_estimate(asked, m.labels, value, low, high, error, np.full(len(value), np.nan), method, tuple(notes))


def _unweighted(note: str) -> str:
    return f"{note.split(',', maxsplit=1)[0]}, and weights are not drawn item by item"


def _slope_if_any(asked: Asked, m: ConfusionMatrix, label: Any) -> Slope | None:
    """What the correction for skew needs to know of a class."""
    try:
        return slope(asked.metric, m, of=label, outside=asked.outside) if asked.metric.smooth else None
    except NoSlopeError:
        return None


def _values(asked: Asked, m: ConfusionMatrix, *, smoothed: bool, everywhere: bool) -> Array:
    """The score of drawn tables, with a column per class if every class is asked for."""
    posterior, metric = asked.method == "bayes", asked.metric
    smoothed = smoothed and not posterior and m.n_classes**2 <= _SMOOTHED_CELLS
    draws = Draws.of(
        m,
        design=asked.design,
        outside=asked.outside,
        posterior=posterior,
        smoothed=smoothed,
        everywhere=everywhere and smoothed,
        seed=asked.seed,
    )
    number, columns = asked.draws, len(m.labels) if asked.per_class else 1
    if asked.method not in SAMPLED:
        number = min(number, max(_FEWEST, _UNASKED // max(len(draws.counts) + columns, 1)))
    how = {key: part for key, part in asked.how.items() if key != "outside"}
    return draws.values(lambda tables: metric(tables, **how), number, metric)


def _told(
    asked: Asked, m: ConfusionMatrix, value: Array, values: Array, slopes: list[Slope | None]
) -> tuple[Array, Array, Array, list[str], str]:
    """Bounds, standard errors, what is to be said, and the name of the method."""
    corrects = asked.method == "bca" and None not in slopes
    method = asked.method if corrects or asked.method == "bayes" else "bootstrap"
    low, high, error = np.full((3, len(value)), np.nan)
    notes = [""] * len(value)
    rows, cols, counts, _ = seen_cells(m, asked.outside)
    for place, plain in enumerate(slopes):
        if math.isnan(value[place]):
            continue
        column = values[:, place]
        lost = float(np.isnan(column).mean())
        if lost:
            notes[place] = f"undefined in {lost:.1%} of the draws, which were left out"
        if lost < 1:
            error[place] = np.nanstd(column)
        if corrects and plain is not None:
            ends = corrected(column, float(value[place]), plain.at(rows, cols), counts, asked.level)
        else:
            ends = percentiles(column, asked.level)
        low[place], high[place] = ends
    return low, high, error, notes, _NAMES[method]
