"""`interval`: how sure a score is. One rule for every metric, and others by name."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.errors import InputError
from confmat.matrix import ConfusionMatrix
from confmat.metrics import Average
from confmat.metrics.averages import Undefined
from confmat.metrics.margins import Outside
from confmat.stack import Stack
from confmat.uncertainty.asking import SAMPLED, Asked, Method, asked_of
from confmat.uncertainty.estimates import Estimate, Estimates
from confmat.uncertainty.gradient import NoSlopeError, Slope, slope, slopes_of_classes
from confmat.uncertainty.prevalence import Rescaled, shares_of
from confmat.uncertainty.resampling import Draws, corrected, percentiles
from confmat.uncertainty.scales import PROPORTIONS, by_effective_items, by_fisher, by_normal
from confmat.uncertainty.smoothing import Smoothing, seen_cells
from confmat.uncertainty.variance import Design, check_design, variance, variances_of_classes

__all__ = ["Method", "interval"]

Array = NDArray[np.float64]
_NAMES = {
    "wald": "Wald",
    "fisher": "Fisher's z",
    "bootstrap": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "bayes": "Dirichlet posterior",
}
# A variance that is rounding.
_NOTHING = 1e-24
# What one metric with a kink is drawn over at most.
_SMOOTHED_CELLS = 2**14


def interval(
    score: Any,
    m: ConfusionMatrix | Stack,
    *,
    of: Any = None,
    average: str | Average | None = None,
    undefined: Undefined = "fair",
    weights: Any = None,
    outside: Outside = "wrong",
    level: float = 0.95,
    method: Method = "wilson",
    design: Design = "multinomial",
    at_prevalence: Any = None,
    draws: int = 10_000,
    seed: Any = 0,
) -> Estimate | Estimates:
    """The score of a matrix with its interval: an Estimate, or one for each class.

    Parameters
    ----------
    score
        A metric, ours or your own, or a score as text: `"f1.macro"`, `"recall[Cat]"`.
    m
        A matrix; or a stack of one matrix per cluster (patient, document, prompt), whose sum is what is scored and
        whose matrices are what was drawn.
    of, average, undefined, weights, outside
        As in a call of the metric.
    level
        How often the interval should hold the truth.
    method
        `"wilson"`, the default, is Wilson's interval at the effective number of items; on a plain proportion that is
        Wilson's own. `"exact"` (Clopper-Pearson) and `"jeffreys"` take its place in the same rule. `"wald"`,
        `"fisher"` (artanh, for scores between -1 and 1), `"bootstrap"` (percentiles), `"bca"`, and `"bayes"`
        (Dirichlet, with a prior of one item in all).
    design
        How the items were drawn: `"multinomial"`, as they come; `"actual"` or `"predicted"`, so many of each.
    at_prevalence
        Shares of the classes where the model will be used, if they are not those of the test set: a mapping of
        class to share, or the share of the positive class.
    draws, seed
        Of the methods that draw tables.

    Examples
    --------
    >>> import confmat as cm
    >>> m = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
    >>> print(interval(cm.f1, m, average="macro"))
    0.465 [0.294, 0.645]
    >>> print(interval("recall[Cat]", m))
    0.667 [0.300, 0.903]

    """
    asked = asked_of(score, m, of, average, undefined, weights, outside, level, method, design, draws, seed)
    if isinstance(m, Stack) and at_prevalence is None:
        from confmat.uncertainty.clusters import of_clusters

        return of_clusters(asked, m)
    if not isinstance(m, ConfusionMatrix):
        msg = f"an interval needs a ConfusionMatrix, or a Stack of one per cluster; got {type(m).__name__}"
        raise InputError(msg)
    check_design(design, m)
    if at_prevalence is not None:
        return _of_prevalence(asked, m, at_prevalence)
    if not asked.per_class:
        return _of_one(asked, m)
    sampled = method in SAMPLED or not asked.metric.smooth
    if sampled or asked.metric.needs == "cells":
        return _one_by_one(asked, m)
    return _of_classes(asked, m)


# --- one number ---------------------------------------------------------------------------------------------------


def _of_one(asked: Asked, m: ConfusionMatrix) -> Estimate:
    metric = asked.metric
    value = float(metric(m, **asked.how))
    if math.isnan(value):
        return _nothing(asked, value, metric.undefined or "it has no value")
    if asked.average is not None and asked.average.name in {"min", "max"} and asked.method not in SAMPLED:
        return _of_extreme(asked, m, value)
    plain = _slope_if_any(asked, m)
    if plain is None:
        return _sampled(asked, m, value, None, "its formula compares, so it has no derivative; tables were drawn")
    if asked.method in SAMPLED:
        return _sampled(asked, m, value, plain, "")
    error = math.sqrt(max(variance(plain, m, asked.design, outside=asked.outside), 0.0))
    if asked.method == "wald":
        low, high = by_normal(metric, value, error, asked.level)
        return _estimate(asked, value, low, high, error, math.nan, _NAMES["wald"])
    share = plain.share
    if share is not None and asked.method != "fisher" and _is_binomial(plain, error, asked, m):
        name, proportion = PROPORTIONS[asked.method]
        ends = proportion(share.items / share.of, share.of, asked.level)
        first, last = sorted(share.factor * float(end) + share.summand for end in ends)
        return _estimate(asked, value, first, last, error, share.of, name)
    near, spread = _nearby(asked, m)
    if asked.method == "fisher":
        low, high = by_fisher(metric, value, near.value, spread, asked.level)
        return _estimate(asked, value, low, high, error, math.nan, _NAMES["fisher"])
    low, high, items, name = by_effective_items(metric, value, near.value, spread, asked.level, asked.method)
    return _estimate(asked, value, low, high, error, items, name)


def _slope(asked: Asked, m: ConfusionMatrix, spread: Smoothing | None) -> Slope:
    return slope(asked.metric, m, spread=spread, **asked.how)


def _nearby(asked: Asked, m: ConfusionMatrix) -> tuple[Slope, float]:
    """Slope and variance where one item is spread: over all cells, if the score cannot move within the filled ones."""
    near, spread = _spread(asked, m, everywhere=False)
    return (near, spread) if spread > _NOTHING else _spread(asked, m, everywhere=True)


def _spread(asked: Asked, m: ConfusionMatrix, *, everywhere: bool) -> tuple[Slope, float]:
    near = _slope(asked, m, Smoothing.of(m, asked.outside, everywhere=everywhere))
    return near, variance(near, m, asked.design, outside=asked.outside)


def _slope_if_any(asked: Asked, m: ConfusionMatrix) -> Slope | None:
    try:
        return _slope(asked, m, None) if asked.metric.smooth else None
    except NoSlopeError:
        return None


def _is_binomial(plain: Slope, error: float, asked: Asked, m: ConfusionMatrix) -> bool:
    """Whether a proportion varies as one of items that are drawn one by one."""
    if m.is_weighted:
        return False
    if asked.design == "multinomial":
        return True
    share = plain.share
    assert share is not None
    p = share.items / share.of if share.of else math.nan
    return bool(0 < p < 1 and abs(error * error * share.of / (p * (1 - p)) - 1) < 1e-9)


def _of_extreme(asked: Asked, m: ConfusionMatrix, value: float) -> Estimate:
    """Of the least or greatest of K classes: bounds that hold for all K at once."""
    each = _of_classes(replace(asked, average=None, level=1 - (1 - asked.level) / m.n_classes), m)
    least = asked.average is not None and asked.average.name == "min"
    there = ~np.isnan(each.low)
    low, high = (float(part[there].min() if least else part[there].max()) for part in (each.low, each.high))
    name = f"{each.method}, all {m.n_classes} classes at once (Bonferroni)"
    return _estimate(asked, value, min(low, value), max(high, value), math.nan, math.nan, name)


def _sampled(asked: Asked, m: ConfusionMatrix, value: float, plain: Slope | None, note: str) -> Estimate:
    method = asked.method if asked.method in SAMPLED else "bootstrap"
    metric = asked.metric
    smoothed = plain is None and method != "bayes" and m.n_classes**2 <= _SMOOTHED_CELLS
    draws = Draws.of(
        m,
        design=asked.design,
        outside=asked.outside,
        posterior=method == "bayes",
        smoothed=smoothed,
        seed=asked.seed,
    )
    how = {key: part for key, part in asked.how.items() if key != "outside"}
    values = draws.values(
        lambda tables: metric(tables, **how), asked.draws, view=metric.sees, cells=metric.needs == "cells"
    )
    lost = float(np.isnan(values).mean())
    if lost:
        note = "; ".join(filter(None, [note, f"undefined in {lost:.1%} of the draws, which were left out"]))
    if method == "bca" and plain is not None:
        rows, cols, counts, _ = seen_cells(m, asked.outside)
        low, high = corrected(values, value, plain.at(rows, cols), counts, asked.level)
    else:
        low, high = percentiles(values, asked.level)
        method = "bootstrap" if method == "bca" else method
    error = float(np.nanstd(values)) if lost < 1 else math.nan
    return _estimate(asked, value, low, high, error, math.nan, _NAMES[method], note)


# --- at another prevalence ----------------------------------------------------------------------------------------


def _of_prevalence(asked: Asked, m: ConfusionMatrix, given: Any) -> Estimate | Estimates:
    if asked.method not in {*PROPORTIONS, "wald", "fisher"} or asked.design == "predicted" or not asked.metric.smooth:
        msg = (
            "at another prevalence only the rows vary: choose a method among wilson, exact, jeffreys, wald and fisher, "
            "no predicted totals, and a score that has a derivative"
        )
        raise InputError(msg)
    shares = shares_of(given, m, asked.of)
    tables = [Rescaled.of(m, shares, spread) for spread in (None, Smoothing.of(m, asked.outside))]
    asked = replace(asked, design="actual")
    if not asked.per_class:
        return _of_rescaled(asked, tables)
    each = [_of_rescaled(replace(asked, of=label), tables) for label in m.labels.classes]
    return _together(asked, m, each)


def _of_rescaled(asked: Asked, tables: list[Rescaled]) -> Estimate:
    metric, (counted, smoothed) = asked.metric, tables
    value = float(metric(counted.matrix, **asked.how))
    if math.isnan(value):
        return _nothing(asked, value, metric.undefined or "it has no value")
    plain, near = (_slope(asked, table.matrix, None) for table in tables)
    error = math.sqrt(max(counted.variance(plain), 0.0))
    note = "at another prevalence"
    if asked.method == "wald":
        ends = by_normal(metric, value, error, asked.level)
        return _estimate(asked, value, *ends, error, math.nan, _NAMES["wald"], note)
    spread = smoothed.variance(near)
    if asked.method == "fisher":
        ends = by_fisher(metric, value, near.value, spread, asked.level)
        return _estimate(asked, value, *ends, error, math.nan, _NAMES["fisher"], note)
    low, high, items, name = by_effective_items(metric, value, near.value, spread, asked.level, asked.method)
    return _estimate(asked, value, low, high, error, items, name, note)


# --- every class --------------------------------------------------------------------------------------------------


def _of_classes(asked: Asked, m: ConfusionMatrix) -> Estimates:
    metric = asked.metric
    value = np.asarray(metric.per_class(m, outside=asked.outside), dtype=np.float64)
    plain = slopes_of_classes(metric, m, outside=asked.outside)
    with np.errstate(invalid="ignore"):
        spread = np.maximum(variances_of_classes(plain, m, asked.design, outside=asked.outside), 0.0)
        error = np.where(np.isnan(value), np.nan, np.sqrt(spread))
    if asked.method == "wald":
        low, high = by_normal(metric, value, error, asked.level)
        return _estimates(asked, m, value, low, high, error, np.full(len(value), np.nan), _NAMES["wald"])
    near, wide = _nearby_classes(asked, m, everywhere=False)
    still = (wide <= _NOTHING) & ~np.isnan(value)
    if still.any():
        farther, wider = _nearby_classes(asked, m, everywhere=True)
        near, wide = np.where(still, farther, near), np.where(still, wider, wide)
    if asked.method == "fisher":
        low, high = by_fisher(metric, value, near, wide, asked.level)
        return _estimates(asked, m, value, low, high, error, np.full(len(value), np.nan), _NAMES["fisher"])
    low, high, items, name = by_effective_items(metric, value, near, wide, asked.level, asked.method)
    if plain.items is not None and plain.of is not None and not m.is_weighted and asked.design == "multinomial":
        name, proportion = PROPORTIONS[asked.method]
        items = plain.of
        share = np.divide(plain.items, plain.of, out=np.full(len(items), np.nan), where=plain.of > 0)
        ends = [plain.factor * end + plain.summand for end in proportion(share, items, asked.level)]
        low, high = np.minimum(*ends), np.maximum(*ends)
    return _estimates(asked, m, value, low, high, error, items, name)


def _nearby_classes(asked: Asked, m: ConfusionMatrix, *, everywhere: bool) -> tuple[Array, Array]:
    spread = Smoothing.of(m, asked.outside, everywhere=everywhere)
    near = slopes_of_classes(asked.metric, m, outside=asked.outside, spread=spread)
    return near.values, variances_of_classes(near, m, asked.design, outside=asked.outside)


def _one_by_one(asked: Asked, m: ConfusionMatrix) -> Estimates:
    return _together(asked, m, [_of_one(replace(asked, of=label), m) for label in m.labels.classes])


def _together(asked: Asked, m: ConfusionMatrix, each: list[Estimate]) -> Estimates:
    value, low, high, error, items = (
        np.array([getattr(one, part) for one in each]) for part in ("value", "low", "high", "se", "n_eff")
    )
    notes = tuple(one.note for one in each)
    method = next((one.method for one in each if one.method), "")
    return _estimates(asked, m, value, low, high, error, items, method, notes)


# --- what comes out -----------------------------------------------------------------------------------------------


def _nothing(asked: Asked, value: float, note: str) -> Estimate:
    return Estimate(value, math.nan, math.nan, asked.level, "", _design(asked), note=note, name=asked.name)


def _design(asked: Asked) -> str:
    named = {"actual": "actual totals fixed", "predicted": "predicted totals fixed"}
    return "weighted items" if asked.weighted else named.get(asked.design, asked.design)


def _estimate(
    asked: Asked, value: float, low: Any, high: Any, error: float, items: Any, method: str, note: str = ""
) -> Estimate:
    design = _design(asked)
    return Estimate(value, float(low), float(high), asked.level, method, design, float(items), error, note, asked.name)


def _estimates(
    asked: Asked,
    m: ConfusionMatrix,
    value: Array,
    low: Any,
    high: Any,
    error: Array,
    items: Any,
    method: str,
    notes: tuple[str, ...] = (),
) -> Estimates:
    lost = np.isnan(value)
    low, high, items = (np.where(lost, np.nan, part) for part in (low, high, items))
    if not notes and lost.any():
        reason = asked.metric.undefined or "it has no value"
        notes = tuple(reason if gone else "" for gone in lost.tolist())
    return Estimates(
        m.labels, value, low, high, error, items, asked.level, method, _design(asked), notes, asked.metric.name
    )
