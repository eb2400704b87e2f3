"""Outer bounds: what a score of a report must lie within where the solutions are too many to look at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from confmat.auditing.inference import Range
from confmat.auditing.values import Asked, is_of_hits, margins_of_two, values_of
from confmat.metrics import Score, parse_score

__all__ = ["outer_bounds"]

Ints = NDArray[np.int64]
# Rows of a class: hits, and the least and greatest predicted total.
Rows = tuple[Ints, Ints, Ints]
_UNKNOWN = Range(math.nan, math.nan, False)


def outer_bounds(one: Asked, supports: Ints, classes: Sequence[Rows], hits: tuple[int, int]) -> Range:
    """Bounds of a score: of each class from its own rows, of means from those, of agreement from the totals."""
    n, how = int(supports.sum()), one.score.average
    if is_of_hits(one):
        ends = hits if one.metric.better == "higher" else (n - hits[1], n - hits[0])
        return Range(ends[0] / n, ends[1] / n, False)
    if one.metric.kind == "class" and (
        one.place is not None or (how is not None and how.name in {"macro", "weighted"})
    ):
        return _of_classes(one, supports, classes)
    if one.metric.macro_of is not None:
        return _of_classes(replace(one, score=parse_score(f"{one.metric.macro_of}.macro")), supports, classes)
    if one.metric.beyond_chance is not None:
        return _agreement(one.metric.beyond_chance, supports, classes, hits)
    return _UNKNOWN


def _of_classes(one: Asked, supports: Ints, classes: Sequence[Rows]) -> Range:
    n = int(supports.sum())
    places = range(len(classes)) if one.place is None else [one.place]
    ends = []
    for place in places:
        d, low, high = classes[place]
        tp, c = np.concatenate([d, d]), np.concatenate([low, high])
        r = int(supports[place])
        margins = margins_of_two(tp, c - tp, r - tp, n - r - (c - tp))
        # Of a class that is never predicted, what a fair mean takes.
        fill = one.metric.when_never_predicted if one.place is None else None
        values = values_of(Score(one.metric), 0, margins, fill)
        if np.isnan(values).all():
            return _UNKNOWN
        ends.append((float(np.nanmin(values)), float(np.nanmax(values))))
    if one.place is not None:
        return Range(*ends[0], False)
    present = supports > 0
    weights = np.where(present, supports if one.score.average and one.score.average.name == "weighted" else 1, 0)
    least, most = (float(np.average([end[side] for end in ends], weights=weights)) for side in (0, 1))
    return Range(least, most, False)


def _agreement(
    over: Literal["share", "correlation"], supports: Ints, classes: Sequence[Rows], hits: tuple[int, int]
) -> Range:
    """Agreement beyond chance falls with the sum of products of totals and rises with the hits."""
    r = supports.astype(np.float64)
    n = float(r.sum())
    low, high = (np.array([float(side(rows[at])) for rows in classes]) for at, side in ((1, np.min), (2, np.max)))
    products = _least(r, low, high, n), -_least(-r, low, high, n)
    tops = n * hits[0] - products[1], n * hits[1] - products[0]
    if over == "share":
        values = [top / (n * n - s) if n * n > s else math.nan for top, s in zip(tops, products[::-1], strict=True)]
        return Range(values[0], values[1], False)
    squares = max(float(low @ low), n * n / len(r)), min(float(high @ high), n * n)
    bottoms = [math.sqrt(max((n * n - float(r @ r)) * (n * n - s), 0.0)) for s in squares]
    if not all(bottoms):
        return Range(-1.0, 1.0, False)
    every = [top / bottom for top in tops for bottom in bottoms]
    return Range(max(min(every), -1.0), min(max(every), 1.0), False)


def _least(weights: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], total: float) -> float:
    """The least weighted sum of numbers between bounds that add up to a total: the rest goes where it weighs least."""
    left, found = total - float(low.sum()), float(weights @ low)
    for at in np.argsort(weights):
        part = min(left, float(high[at] - low[at]))
        found += part * float(weights[at])
        left -= part
    return found
