"""Bounds of a smooth score by inverting the score test: those of all populations that the counted table allows.

The likeliest population in which the score has a given value is held against the counted table by
Pearson's chi-squared, which is Rao's score statistic there. A proportion gets Wilson's interval, a
difference and a ratio of two proportions Mee's (1984) and Koopman's (Biometrics 40, 1984), odds
Cornfield's (1956). Two scores that order all populations alike have the same populations at their
bounds, so one quantity has one interval on any scale.

At a bound the population is w / (c - g), scaled to 1: w are the counted shares, g is the derivative
of the score there, and c, above all g, says how far the table lies off. So a bound is a fixed
point, and steps of Anderson's lead to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.cells import Cells
from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.asked import Asked
from confmat.intervals.bounds import by_items, quantile
from confmat.intervals.draws import Draws
from confmat.intervals.gradient import slopes_at, slopes_of_classes
from confmat.intervals.variance import four, seen_cells
from confmat.metrics import Metric
from confmat.metrics.margins import Outside, read_cells

Array = NDArray[np.float64]
# The value of a score, and its derivative by cells, of tables whose cells are the last axis.
Score = Callable[[Array], tuple[Array, Array]]
INVERTED = "score test inverted"
ENDLESS = "it turns round or runs to infinity within what the table allows, so it has no bound on that side"
# Items that are laid into the empty cells of a table of two classes, and of any table in all.
_LAID = 0.4
# Items in each cell, ever fewer: a logarithm moves by more than 1 between them.
_EMPTYING = (1e-6, 1e-9)
# The derivative of a score that does not move, and the part of a score that may be rounding.
_STILL = 1e-14
_ROUNDING = 1e-6
# A score hardly moves along the populations so far from the table, so twice as many of its digits
# are right.
_MOST_STEPS, _CLOSE, _NEAR, _FARTHEST = 100, 1e-6, 1e-6, 3.0


def invert(
    counts: Array, score: Score, level: float, method: str, fixed: Fixed | None = None
) -> Array:
    """The score at the lower bound, in between and at the upper bound; cells lie along the last axis of the counts.

    Where the score turns round on one side, two more follow: those at the bounds that lie beyond.
    """
    filled = np.where(counts > 0, counts, _LAID / counts.shape[-1])
    items = counts.sum(axis=-1, keepdims=True)
    shares = filled / filled.sum(axis=-1, keepdims=True)

    def along(at: Array) -> tuple[Array, Array]:
        return score(at * items) if fixed is None else fixed.along(score, at)

    slope = along(shares)[1]
    slope = slope - (shares * slope).sum(axis=-1, keepdims=True)
    # Down and up, first of all axes.
    ways = np.array([-1.0, 1.0]).reshape(2, *[1] * counts.ndim)
    far = quantile(level) ** 2 / items
    far = far * (
        _farther(counts, ways * slope, level) if method == "wilson" else np.ones_like(ways)
    )

    def steep(at: Array) -> Array:
        return ways * along(at)[1]

    sides = _end(shares, steep, far, shares, ways * slope)
    ends = np.stack([sides[0], shares, sides[1]])
    if np.isnan(sides).any():
        # Straight on behind the turn the score comes back.
        behind = _tilted(shares, -ways * slope, far[::-1])[0]
        beyond = _end(shares, steep, far, behind, steep(behind))
        ends = np.concatenate([ends, np.where(np.isnan(sides[::-1]), beyond, np.nan)])
    near = np.where(np.isnan(ends), shares, ends)
    values, slopes = along(near)
    # The number of items is given.
    slopes -= (near * slopes).sum(axis=-1, keepdims=True)
    moved = _of_share(counts, ends, slopes, level, method)
    if moved is not ends:
        values, ends = along(np.where(np.isnan(moved), shares, moved))[0], moved
    return np.where(np.isnan(ends).any(axis=-1), np.nan, values)


def _farther(counts: Array, slope: Array, level: float) -> Array:
    """How much farther a bound lies where one to three items speak against it, as modified Wilson bounds do.

    Chi-squared takes the few items that raise a score, or lower it, for more than they are: a
    Poisson bound of as many lies farther off, in chi-squared by this factor.
    """
    from scipy.special import gammaincinv

    against = np.maximum(-slope, 0.0)
    sums, squares = (
        (counts * part).sum(axis=-1, keepdims=True) for part in (against, against * against)
    )
    few = np.divide(sums * sums, squares, out=np.zeros_like(sums), where=squares > 0)
    items = counts.sum(axis=-1, keepdims=True)
    near = (few > _ROUNDING) & (few < 2.5 + (items > 50)) & (items >= 10)
    bound = gammaincinv(np.where(near, few, 1.0), 1 - level)
    return np.where(near, np.maximum((few - bound) ** 2 / bound / quantile(level) ** 2, 1.0), 1.0)


def _of_share(counts: Array, ends: Array, slopes: Array, level: float, method: str) -> Array:
    """The same tables; at the bounds of a proportion, where the score moves with a single one.

    It does where some cells raise it alike, others lower it alike, and the rest leave it where it
    is.
    """
    size = np.abs(slopes).max(axis=-1, keepdims=True)
    slopes = np.divide(slopes, size, out=np.full_like(slopes, np.nan), where=size > 0)
    most, least = slopes.max(axis=-1, keepdims=True), slopes.min(axis=-1, keepdims=True)
    hits, misses = (np.abs(slopes - end) < _ROUNDING for end in (most, least))
    alike = (hits | misses | (np.abs(slopes) < _ROUNDING)).all(axis=(0, -1))
    alike &= (
        (hits == hits[1]).all(axis=(0, -1))
        & (misses == misses[1]).all(axis=(0, -1))
        & (least * most < 0).all(axis=(0, -1))
    )
    alike &= ~np.isnan(ends[:3]).any(axis=(0, -1))
    if not alike.any():
        return ends
    of = np.stack([(counts * part[1]).sum(axis=-1) for part in (hits, misses)])
    total = of.sum(axis=0)
    known = alike & (total > 0)
    share = np.divide(of[0], total, out=np.full_like(total, 0.5), where=known)
    low, high, _ = by_items(share, np.where(known, total, 1.0), level, method)
    tables = ends.copy()
    for place, bound in ((0, low), (2, high)):
        for cells, wanted in ((hits[1], bound), (misses[1], 1 - bound)):
            within = ends[1] * cells
            weight = within / np.maximum(within.sum(axis=-1, keepdims=True), 1e-300)
            held = (ends[1] * (hits[1] | misses[1])).sum(axis=-1, keepdims=True)
            tables[place] = np.where(cells, weight * wanted[..., None] * held, tables[place])
    return np.where(known[..., None], tables, ends)


@dataclass(frozen=True)
class Fixed:
    """Rows or columns whose totals were chosen: `member` says which cell belongs to which of them."""

    member: Array
    totals: Array

    def held(self, at: Array) -> tuple[Array, Array, Array]:
        """The table with the given totals, by how much each cell was scaled, and the totals that there were."""
        sums = at @ self.member
        scale = (
            np.divide(self.totals, sums, out=np.zeros_like(sums), where=sums > 0) @ self.member.T
        )
        return at * scale, scale, sums

    def along(self, score: Score, at: Array) -> tuple[Array, Array]:
        """The value at the given totals, and the derivative by cells whose totals change nothing."""
        held, scale, sums = self.held(at)
        value, slope = score(held)
        slope = np.where(np.isfinite(slope), slope, 0.0)
        mean = (
            np.divide((slope * at) @ self.member, sums, out=np.zeros_like(sums), where=sums > 0)
            @ self.member.T
        )
        return value, scale * (slope - mean)


def _end(
    shares: Array, gradient: Callable[[Array], Array], far: Array, start: Array, slope: Array
) -> Array:
    """The fixed point so far from the shares, found from a start and the slope there, on the scale of logarithms."""
    at = np.log(start)
    tilted, above = _tilted(shares, slope, far)
    step = np.log(tilted) - at
    move = step / 2
    for number in range(_MOST_STEPS):
        if np.abs(step).max() < _CLOSE:
            break
        at = at + move
        at -= np.log(np.exp(at).sum(axis=-1, keepdims=True))
        tilted, above = _tilted(shares, gradient(np.exp(at)), far, above)
        before, step = step, np.log(tilted) - at
        change = step - before
        size = (change * change).sum(axis=-1, keepdims=True)
        # So much of the step before is taken back as makes the rest least (Anderson, 1965).
        back = np.divide(
            (step * change).sum(axis=-1, keepdims=True),
            size,
            out=np.zeros_like(size),
            where=size > 0,
        )
        joined = step - np.maximum(np.minimum(back, 0.95), -1.0) * (move + change)
        small = np.abs(joined).max(axis=-1, keepdims=True) < (_FARTHEST if number % 20 < 15 else 0)
        move = np.where(small, joined, step / 10)
    # No end is found where the score turns round before it: at its least or greatest, there is no
    # end on that side.
    return np.where(np.abs(step).max(axis=-1, keepdims=True) < _CLOSE, np.exp(at + step), np.nan)


def _tilted(
    shares: Array, slope: Array, far: Array, above: Array | None = None
) -> tuple[Array, Array]:
    """The likeliest population along a slope that the counted table is so far from, by chi-squared for each item.

    Beside it, how far c lies above all slopes, which those nearby are found from.
    """
    slope = np.where(np.isfinite(slope), slope, 0.0)
    slope = slope - slope.max(axis=-1, keepdims=True)
    span = -slope.min(axis=-1, keepdims=True)
    slope = np.divide(slope, span, out=np.zeros_like(slope), where=span > _STILL)
    mean = (shares * slope).sum(axis=-1, keepdims=True)
    squares = shares * (slope - mean) ** 2
    spread = squares.sum(axis=-1, keepdims=True)
    if above is None:
        above = np.sqrt(np.where(spread > 0, spread, far) / far)
    for _ in range(60):
        each, middle = 1 / (above - slope), 1 / (above - mean)
        part = squares * each
        reached = part.sum(axis=-1, keepdims=True)
        falls = (part * each).sum(axis=-1, keepdims=True) + middle * reached
        step = np.where(spread > 0, np.log(reached * middle / far) * reached / (falls * above), 0.0)
        above = above * np.exp(np.maximum(np.minimum(step, 2), -2))
        if np.abs(step).max() < _NEAR:
            break
    tilted = shares / (above - slope)
    return np.where(spread > 0, tilted / tilted.sum(axis=-1, keepdims=True), shares), above


# --- of a matrix ----------------------------------------------------------------------------------


def bounds_of_classes(asked: Asked, m: ConfusionMatrix) -> Array:
    """The bounds of a score of every class, which reads its four cells alone."""
    cells = read_cells(m, asked.outside).astype(np.float64)
    counts = np.stack(np.broadcast_arrays(*four(cells)), axis=-1)

    def score(table: Array) -> tuple[Array, Array]:
        slopes = slopes_of_classes(asked.metric, m, near=Cells(*np.moveaxis(table, -1, 0)))
        return slopes.values, np.stack(np.broadcast_arrays(*slopes.by), axis=-1)

    fixed = None
    if asked.design != "multinomial":
        own = np.array([1, 0, 1, 0] if asked.design == "actual" else [1, 1, 0, 0])
        member = np.stack([own, 1 - own], axis=-1).astype(np.float64)
        fixed = Fixed(member, counts @ member)
    return _ends(*invert(counts, score, asked.level, asked.method, fixed))


def with_infinities(metric: Metric, m: ConfusionMatrix, values: Array, outside: Outside) -> Array:
    """The same values, infinite where a score runs there with an emptying cell, such as odds over 0.

    It does so however fast each cell empties; nothing over nothing depends on that, and has no value.
    """
    if None not in metric.bounds or not np.isnan(values).any():
        return values
    cells = four(read_cells(m, outside).astype(np.float64))

    def at(laid: float, faster: int) -> Array:
        """The score with so much laid into each cell, and its square into the one that empties faster."""
        filled = (part + laid ** (1 + (place == faster)) for place, part in enumerate(cells))
        return np.asarray(metric.formula(Cells(*filled)))

    once, more = _EMPTYING
    moves = np.stack([at(more, each) - at(once, each) for each in range(-1, len(cells))])
    endless = (np.abs(moves) > 1).all(axis=0) & (np.sign(moves) == np.sign(moves[0])).all(axis=0)
    return np.where(np.isnan(values) & endless, np.copysign(np.inf, moves[0]), values)


def bounds_of_number(
    asked: Asked, m: ConfusionMatrix, totals: Array | None = None, scale: float = 1.0
) -> Array:
    """The bounds of a score of the whole table; at other totals of its rows, if they are given.

    Items that are alike tell as much as fewer: `scale` is how many an item represents.
    """
    k = m.n_classes
    size = k + bool(m.labels.outside)
    rows, cols, numbers, _ = seen_cells(m, asked.outside)
    table = np.zeros((size, size))
    np.add.at(table, (rows, cols), numbers)
    occur, named = table.sum(axis=1) > 0, table.sum(axis=0) > 0
    # A class that occurs may be answered, and an answer may be given to each of its members.
    open_cells = np.outer(occur, occur | named)
    open_cells[k:, k:] = False
    rows, cols = np.nonzero(open_cells)
    counts = scale * table[rows, cols]
    if not len(counts):
        return np.full(2, np.nan)
    drawn = Draws(m, rows, cols, counts, np.zeros(0), outside=asked.outside)
    score = slopes_at(
        asked.metric,
        lambda tables: drawn.inputs(tables, asked.metric),
        np.where(counts > 0, counts, _LAID),
        rows,
        cols,
        **asked.keywords,
    )
    fixed = None
    if asked.design != "multinomial" or totals is not None:
        along = cols if asked.design == "predicted" else rows
        member = (along[:, None] == np.arange(size)).astype(np.float64)
        fixed = Fixed(member, counts @ member if totals is None else totals)
    return _ends(*invert(counts, score, asked.level, asked.method, fixed))


def _ends(low: Any, middle: Any, high: Any, lower: Any = np.nan, higher: Any = np.nan) -> Array:
    """Both bounds: none on a side that has no end, nor where the way to one leads through infinity."""
    low, high = np.fmin(low, lower), np.fmax(high, higher)
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    pole = (low > middle + _ROUNDING * np.abs(middle)) | (
        high < middle - _ROUNDING * np.abs(middle)
    )
    return np.array([np.where(pole, -np.inf, low), np.where(pole, np.inf, high)])
