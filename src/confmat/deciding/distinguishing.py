"""Distinguishing: which thresholds of a sweep are no worse than the best one, as far as these items can tell.

Two thresholds of one sweep answer the same items and differ on those whose scores lie between them, so their answers
are paired, and how is known from the two matrices alone. Their difference has the variance of what each item adds to
it: the derivative of the score by the item's cell at the one threshold less that at the other.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.stack import Reached, Stack
from confmat.deciding.truth import positive_place
from confmat.intervals.binomial import quantile
from confmat.metrics.catalog import Score
from confmat.metrics.margins import Table

__all__ = ["as_good", "not_told_apart"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Places = NDArray[np.intp]

# Values that agree to twelve digits are equal: what metrics promise.
_EQUAL = 1e-12
# Thresholds that are worked on at once, and by how much of itself a cell is moved.
_AT_ONCE = 2**16
_STEP = 1e-4
# Squares of weights that add up to less have lost digits, or are nothing.
_LEAST = 1e-290

# By how much numbers change within a piece of a sweep, and how far within it the variance may be from both its ends'.
_STEP_OF_CUTS = 0.02
_ROOM = 1.25
# Averages that jump from class to class.
_KINKED = frozenset({"min", "max"})


def as_good(values: Floats, best: float) -> Mask:
    """Which values are the best one, to the digits that values have; infinite ones are equal."""
    with np.errstate(invalid="ignore"):
        near = np.abs(values - best) <= _EQUAL * max(abs(best), 1e-300)
    return np.asarray((values == best) | (near & np.isfinite(best)))


def not_told_apart(t: Stack, score: Score, values: Floats, best: int, level: float) -> Mask:
    """The thresholds whose score the items do not tell from that of the best one, each taken by itself.

    Nor do items so few that fair coins might place them all on one side, or all on the other.
    """
    if t.total.dtype.kind == "f" and (t._squares is None or t._squares[0].sum() < _LEAST):
        # Squares of weights beyond what floats hold do not say how many items a difference is of: nothing is told.
        return ~np.isnan(values)
    near = _Near(t, score, values, best, level)
    if len(values) <= _AT_ONCE or not near.is_steady:
        return near.among(np.arange(len(values)))
    found, doubtful = near.in_pieces()
    found[doubtful] = near.among(doubtful)
    return found


class _Near:
    """What is not told from the best threshold."""

    def __init__(self, t: Stack, score: Score, values: Floats, best: int, level: float) -> None:
        self.sweep, self.values, self.best = _Sweep(t, score), values, best
        self.one = self.sweep.part(np.array([best]))
        self.reach, self.rare = quantile(level), 1 - math.log2(1 - level)

    @property
    def is_steady(self) -> bool:
        """Whether neighbours have nearly the same variance: a score without kinks, of what each threshold reaches."""
        score, kept = self.sweep.score, (self.sweep.t._table, self.sweep.t._squares)
        smooth = score.metric.smooth and (score.average is None or score.average.name not in _KINKED)
        return smooth and all(part is None or isinstance(part, Reached) for part in kept)

    def among(self, places: Places) -> Mask:
        """Which of these thresholds are not told from the best."""
        found = np.zeros(len(places), bool)
        for start in range(0, len(places), _AT_ONCE):
            here = places[start : start + _AT_ONCE]
            spread, differing = self._measured(here)
            gap = self._gap(here)
            with np.errstate(invalid="ignore"):
                few = (differing < self.rare) & ~np.isnan(gap)
                found[start : start + _AT_ONCE] = (gap <= self.reach * np.sqrt(spread)) | few | (gap == 0)
        return found

    def _gap(self, places: Any) -> Floats:
        """How far values are from the best one; those that are as good are not, whatever their last digits."""
        values, best = self.values[places], self.values[self.best]
        with np.errstate(invalid="ignore"):
            gap = np.abs(values - best)
            gap[as_good(values, best)] = 0.0
        return gap

    def _measured(self, places: Places) -> tuple[Floats, Floats]:
        """The variance of the difference from the best threshold, and on how many items its answers differ."""
        return _difference(self.one, self.sweep.part(places))

    def in_pieces(self) -> tuple[Mask, Places]:
        """Which thresholds are surely not told from the best, and those of which that is in doubt.

        The sweep is cut where a number that the variance is made of has changed by a fiftieth. So the variance within
        a piece is not far from those at its ends, and only a gap that is near what they allow has to be measured.
        """
        cuts = self.sweep.cuts(self.best)
        low, high = self._bounds(cuts)
        piece = np.repeat(np.arange(len(low), dtype=np.int32), np.diff(cuts))
        found, doubtful = np.zeros(len(piece), bool), []
        for start in range(0, len(piece), _AT_ONCE):
            here = slice(start, start + _AT_ONCE)
            gap = self._gap(here)
            found[here] = (gap <= low[piece[here]]) | (gap == 0)
            doubtful.append(start + np.flatnonzero((gap <= high[piece[here]]) & ~found[here]))
        return found, np.concatenate(doubtful)

    def _bounds(self, cuts: Places) -> tuple[Floats, Floats]:
        """For each piece, the gap below which nothing is told apart, and the one above which everything is."""
        ends = np.stack([cuts[:-1], cuts[1:] - 1])
        spread, differing = (part.reshape(ends.shape) for part in self._measured(ends.ravel()))
        with np.errstate(invalid="ignore"):
            low = self.reach * np.sqrt(spread.min(axis=0) / _ROOM)
            high = self.reach * np.sqrt(spread.max(axis=0) * _ROOM)
        unknown = ~(np.isfinite(low) & np.isfinite(high))
        low[unknown], high[unknown] = -1.0, np.inf
        low[differing.max(axis=0) < self.rare] = np.inf
        high[differing.min(axis=0) < self.rare] = np.inf
        return low, high


class _Part:
    """Of some thresholds: items (or weights) by actual class and answer, their squares, and the derivatives."""

    __slots__ = ("counts", "slopes", "squares")

    def __init__(self, counts: Floats, squares: Floats, slopes: Floats) -> None:
        self.counts, self.squares, self.slopes = counts, squares, slopes


class _Sweep:
    """A sweep whose answers are read as (G, actual, answer), the positive answer first."""

    def __init__(self, t: Stack, score: Score) -> None:
        self.t, self.score = t, score
        place = positive_place(t.labels)
        self.order = [place, 1 - place]

    def part(self, here: Places) -> _Part:
        table = self.t._table
        # Of what each threshold reaches only this part is made.
        counts = (table if isinstance(table, Reached) else self.t.counts)[here].astype(np.float64)
        squares = counts if self.t._squares is None else self.t._squares[here]
        slopes = self._slopes(counts)
        return _Part(*(table[:, :, self.order] for table in (counts, squares, slopes)))

    def cuts(self, best: int) -> Places:
        """Where a cell, its squares, or what differs from the best threshold has changed by a fiftieth."""
        size, found = len(self.t), [np.array([0, len(self.t)])]
        for kept in (self.t._table, self.t._squares):
            if not isinstance(kept, Reached):
                continue
            for actual in (0, 1):
                above = kept.above[actual]
                found.append(_cuts(above, best, None if kept.rest.ndim == 2 else kept.rest[actual]))
                if kept.rest.ndim == 2:
                    found.append(size - _cuts(kept.rest[actual, ::-1], size - 1 - best, None))
        return np.unique(np.concatenate(found))

    def _slopes(self, counts: Floats) -> Floats:
        """The derivative of the score by each cell, from small steps; only cells with items in them have one."""
        found = np.zeros(counts.shape)
        for row, col in np.ndindex(2, 2):
            ends = []
            for factor in (1 + _STEP, 1 - _STEP):
                moved = counts.copy()
                moved[:, row, col] *= factor
                ends.append(np.asarray(self.score(_as_read(moved, self.t)), dtype=np.float64))
            step = 2 * _STEP * counts[:, row, col]
            np.divide(ends[0] - ends[1], step, out=found[:, row, col], where=step > 0)
        return found


def _cuts(rising: Floats, best: int, total: Any) -> Places:
    """Where rising numbers, their distances from one of them, and what is missing to a total, reach each level."""
    here, size = rising[best], len(rising)
    some, after = np.searchsorted(rising, np.array([0, here], rising.dtype), side="right")
    before = np.searchsorted(rising, here)
    found = [np.array([some, before, after])]
    if some < size:
        found.append(np.searchsorted(rising, _levels(rising[some], rising[-1])))
    if after < size:
        found.append(after + np.searchsorted(rising[after:], here + _levels(rising[after] - here, rising[-1] - here)))
    if before:
        levels = _levels(here - rising[before - 1], here - rising[0])
        found.append(np.searchsorted(rising[:before], here - levels, side="right"))
    if total is not None:
        total = total.astype(rising.dtype)
        whole = np.searchsorted(rising, total)
        if whole:
            levels = _levels(total - rising[whole - 1], total - rising[0])
            found += [np.array([whole]), np.searchsorted(rising, total - levels, side="right")]
    return np.concatenate(found)


def _levels(least: Any, most: Any) -> Floats:
    """Numbers from the least above nothing to the largest, each a fiftieth more than the one before."""
    step = math.log1p(_STEP_OF_CUTS)
    found = np.exp(np.arange(math.log(least), math.log(most) + step, step))
    return np.unique(np.minimum(found, most).astype(most.dtype))


def _as_read(counts: Floats, t: Stack) -> Table:
    """Tables as metrics read them."""
    diagonal = np.ascontiguousarray(np.diagonal(counts, axis1=1, axis2=2))
    actual, predicted = counts.sum(axis=2), counts.sum(axis=1)
    rows, cols = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    values = counts.reshape(-1, 4)
    return Table(diagonal, actual, predicted, values.sum(axis=1), 2.0, t.labels, rows, cols, values)


def _difference(best: _Part, other: _Part) -> tuple[Floats, Floats]:
    """The variance of each score less the best one, and on how many items the answers differ."""
    items, squares = (_joint(*pair) for pair in ((best.counts, other.counts), (best.squares, other.squares)))
    # By actual class, the answer at the best threshold and that at the other one.
    gap = best.slopes[:, :, :, None] - other.slopes[:, :, None, :]
    total = items.sum(axis=(1, 2, 3), keepdims=True)
    mean = np.divide(
        (items * gap).sum(axis=(1, 2, 3), keepdims=True), total, out=np.zeros(total.shape), where=total > 0
    )
    spread = (squares * (gap - mean) ** 2).sum(axis=(1, 2, 3))
    moved, squared = (part[:, :, [0, 1], [1, 0]].sum(axis=(1, 2)) for part in (items, squares))
    return spread, np.divide(moved**2, squared, out=np.zeros(len(moved)), where=squared > 0)


def _joint(one: Floats, two: Floats) -> Floats:
    """How often both answers were given, (G, actual, answer, other answer): a higher threshold only takes away."""
    both, moved = np.minimum(one, two), one - two
    found = np.empty((*both.shape, 2))
    found[..., 0, 0], found[..., 1, 1] = both[..., 0], both[..., 1]
    found[..., 0, 1], found[..., 1, 0] = np.maximum(moved[..., 0], 0.0), np.maximum(-moved[..., 0], 0.0)
    return found
