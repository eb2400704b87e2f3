"""Distinguishing: which thresholds of a sweep are no worse than the best one, as far as these items can tell.

Two thresholds of one sweep answer the same items and differ on those whose scores lie between them, so their answers
are paired, and how is known from the two matrices alone. Their difference has the variance of what each item adds to
it: the derivative of the score by the item's cell at the one threshold less that at the other.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from confmat._reached import Reached
from confmat.deciding.truth import positive_place
from confmat.metrics.margins import Table
from confmat.metrics.scores import Score
from confmat.stack import Stack
from confmat.uncertainty.binomial import quantile

__all__ = ["not_told_apart"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Thresholds that are worked on at once, and by how much of itself a cell is moved.
_AT_ONCE = 2**16
_STEP = 1e-4


def not_told_apart(t: Stack, score: Score, values: Floats, best: int, level: float) -> Mask:
    """The thresholds whose score the items do not tell from that of the best one, each taken by itself.

    Nor do items so few that fair coins might place them all on one side, or all on the other.
    """
    kept = _Sweep(t, score)
    reach, rare = quantile(level), 1 - math.log2(1 - level)
    found = np.zeros(len(values), bool)
    one = kept.part(slice(best, best + 1))
    for start in range(0, len(values), _AT_ONCE):
        here = slice(start, start + _AT_ONCE)
        spread, differing = _difference(one, kept.part(here))
        gap = np.abs(values[here] - values[best])
        with np.errstate(invalid="ignore"):
            found[here] = (gap <= reach * np.sqrt(spread)) | ((differing < rare) & ~np.isnan(gap))
    return found


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

    def part(self, here: slice) -> _Part:
        table = self.t._table
        # Of what each threshold reaches only this part is made.
        counts = (table if isinstance(table, Reached) else self.t.counts)[here].astype(np.float64)
        squares = counts if self.t._squares is None else self.t._squares[here]
        slopes = self._slopes(counts)
        return _Part(*(table[:, :, self.order] for table in (counts, squares, slopes)))

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
