"""Intervals where items come in clusters (images of a patient, answers to a prompt): clusters are what was drawn.

Items of one cluster resemble each other, so they tell less than as many independent ones. The variance of a score is
then that of a sum over clusters: each adds its own cells times the gradient of the score at the sum of all.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from confmat.errors import InputError
from confmat.matrix import ConfusionMatrix
from confmat.metrics.margins import Outside
from confmat.stack import Stack
from confmat.uncertainty.asking import Asked
from confmat.uncertainty.estimates import Estimate, Estimates
from confmat.uncertainty.gradient import Slope, slope
from confmat.uncertainty.scales import PROPORTIONS, by_effective_items, by_fisher, by_normal
from confmat.uncertainty.settling import nothing, one_estimate, together
from confmat.uncertainty.smoothing import Smoothing, seen_cells

__all__ = ["of_clusters"]

Array = NDArray[np.float64]


def of_clusters(asked: Asked, stack: Stack) -> Estimate | Estimates:
    """The estimate of a score of all clusters together, or of each class."""
    if asked.design != "multinomial" or asked.method not in {*PROPORTIONS, "wald", "fisher"}:
        msg = (
            "of a stack of clusters, the clusters are what was drawn: leave `design` out, and choose a method "
            f"among {', '.join([*PROPORTIONS, 'wald', 'fisher'])}; got design={asked.design!r}, method={asked.method!r}"
        )
        raise InputError(msg)
    if stack.axis in {"label", "threshold"}:
        msg = (
            f"each matrix of a stack along {stack.axis!r} holds the same items, so these are no clusters: ask of one, "
            "interval(score, stack[key]); of several labels an item together, of count_multilabel(..., along='item')"
        )
        raise InputError(msg)
    if len(stack) < 2:
        msg = f"clusters are compared with each other, so at least 2 are needed; got {len(stack)}"
        raise InputError(msg)
    whole = stack.sum()
    if not asked.per_class:
        return _of_one(asked, stack, whole)
    each = [_of_one(replace(asked, of=label), stack, whole) for label in whole.labels.classes]
    return together(asked, whole.labels, each)


def _of_one(asked: Asked, stack: Stack, whole: ConfusionMatrix) -> Estimate:
    metric = asked.metric
    value = float(metric(whole, **asked.how))
    if math.isnan(value):
        return nothing(asked)
    plain = slope(metric, whole, **asked.how)
    error = math.sqrt(_between(plain, stack, asked.outside))
    if asked.method == "wald":
        low, high = by_normal(metric, value, error, asked.level)
        return one_estimate(asked, value, low, high, error, math.nan, "Wald")
    near = slope(metric, whole, spread=Smoothing.of(whole, asked.outside), **asked.how)
    spread = max(_between(near, stack, asked.outside), _of_spread(near, whole))
    if asked.method == "fisher":
        low, high = by_fisher(metric, value, near.value, spread, asked.level)
        return one_estimate(asked, value, low, high, error, math.nan, "Fisher's z")
    low, high, items, name = by_effective_items(metric, value, near.value, spread, asked.level, asked.method)
    return one_estimate(asked, value, low, high, error, items, name)


def _between(plain: Slope, stack: Stack, outside: Outside) -> float:
    """The variance of the sum: G / (G - 1) times the squares of what each cluster adds, less their mean."""
    sums = _added(plain, stack, outside)
    return float(len(sums) / (len(sums) - 1) * ((sums - sums.mean()) ** 2).sum())


def _added(plain: Slope, stack: Stack, outside: Outside) -> Array:
    if plain.cells is None and not stack.labels.outside:
        k = stack.n_classes
        margins = (stack.diagonal, stack.actual_totals, stack.predicted_totals)
        slopes = (plain.hit[:k], plain.actual[:k], plain.predicted[:k])
        found = sum(part @ by for part, by in zip(margins, slopes, strict=True))
        return np.asarray(found + plain.total * np.asarray(stack.total), dtype=np.float64)
    sums = []
    for m in stack.values():
        rows, cols, counts, _ = seen_cells(m, outside)
        sums.append(float((counts * plain.at(rows, cols)).sum()))
    return np.array(sums)


def _of_spread(near: Slope, whole: ConfusionMatrix) -> float:
    """What a single error somewhere would do, so that a stack without any has an interval too."""
    if near.spread is None or not near.spread.each:
        return 0.0
    rows, cols = np.nonzero(np.outer(near.spread.rows, near.spread.columns)) if whole.n_classes <= 1024 else ((), ())
    if not len(rows):
        return 0.0
    return float(near.spread.each * near.spread.scale * (near.at(np.asarray(rows), np.asarray(cols)) ** 2).sum())
