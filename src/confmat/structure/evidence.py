"""Evidence: what a matrix is shown to hold. Every list, name, ring and sentence of any surface reads it.

Errors are expected by quasi-independence: by how often the one class errs, and how often the other
is named wrongly. One large confusion would inflate both and make its neighbours look odd, so cells
that stand out leave the fit, the strongest first, until the same cells stand out from it. Each cell
is held against an expectation that it has no part in: the rest of its row times the rest of its
column over the rest of the table. These are counts themselves, so the count has a gamma mixture of
Poisson distributions, the negative binomial; where one of them alone is uncertain, its tail is the
exact conditional test of two counts (Przyborowski and Wilenski 1940, Biometrika 31).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from confmat.core.matrix import ConfusionMatrix
from confmat.metrics.margins import Outside
from confmat.structure.errors import (
    Array,
    Errors,
    Expected,
    adjusted,
    expected_errors,
    fitted,
    read_errors,
)

# The share of false discoveries among what is shown.
ALPHA = 0.05
# Cells leave the fit that are at least this part as strong as the strongest of those that stand
# out, round by round.
_PART, _ROUNDS = 0.5, 30
# With fewer cells to spare, cells that are large explain each other.
_SPARE = 6
# Where more pairs of a class stand out, the others are no rule from which these would be
# exceptions.
_MOST = 10
_FEW = (
    "too few classes err to expect their errors from each other: ordered by count, and not tested"
)
_UNKNOWN = (
    "p and q are unknown: nobody knows of how many items these sums are, without squares of "
    "weights or checked items"
)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The confused pairs of a matrix, how many items are expected of each, and which are shown to be more.

    `p` is the chance of as many items or more, `q` the same for having looked at all `tested`
    pairs; both are NaN where `untested` says why. `held` marks the pairs that are shown.
    """

    errors: Errors
    fit: Expected
    p: Array
    q: Array
    held: Array
    alpha: float
    tested: int
    untested: str = ""

    @property
    def expects(self) -> bool:
        """Whether there is an expectation to hold the pairs against."""
        return self.untested != _FEW

    @cached_property
    def expected(self) -> Array:
        """Errors expected of each pair."""
        return self.fit.at(self.errors.rows, self.errors.cols)

    @cached_property
    def excess(self) -> Array:
        """Items beyond those expected; what rounding left is zero."""
        counts, expected = self.errors.counts, self.expected
        return np.where(np.abs(counts - expected) > 1e-9 * np.abs(counts), counts - expected, 0.0)

    def order(self, n: int | None = None) -> Array:
        """The first pairs, or all of them: what is shown, by the lower bound of its excess; then the rest by excess.

        Where nothing can be expected, the most frequent come first.
        """
        counts = self.errors.counts
        if not self.expects:
            return foremost(counts, counts, n)
        rest = np.flatnonzero(~self.held)
        more = None if n is None else max(n - len(self.places), 0)
        return np.concatenate([self.places, rest[foremost(self.excess[rest], counts[rest], more)]])[
            :n
        ]

    @cached_property
    def places(self) -> Array:
        """The pairs that are shown, the foremost first, by their places among all."""
        held = np.flatnonzero(self.held)
        return held[foremost(self._least(held), self.errors.counts[held])]

    @property
    def shown(self) -> list[tuple[int, int]]:
        """Rows and columns of the pairs that are shown, the foremost first."""
        rows, cols = (side[self.places].tolist() for side in (self.errors.rows, self.errors.cols))
        return list(zip(rows, cols, strict=True))

    def _least(self, places: Array) -> Array:
        """The excess of some pairs at least, by Garwood's bound of a Poisson mean (1936, Biometrika 28)."""
        if not len(places):
            return np.zeros(0)
        from scipy.special import gammaincinv

        unit = _known(self.errors)[places]
        least: Array = (
            gammaincinv(self.errors.counts[places] / unit, self.alpha) * unit
            - self.expected[places]
        )
        return least


def _known(errors: Errors) -> Array:
    """The size of an item in each cell; where nobody knows it, nothing is tested."""
    return errors.counts if errors.unit is None else errors.unit


def foremost(values: Array, counts: Array, n: int | None = None) -> Array:
    """Positions of the largest values; equal ones by count, then in the order of the matrix.

    Values that differ by a trifle are equal, so that no order hangs on how sums were rounded.
    """
    steps = np.round(values / (float(np.abs(values).max(initial=0)) * 2.0**-36 or 1.0))
    places = np.arange(len(steps))
    if n is not None and n < len(steps):
        # Only those that may be among the first are put in order.
        places = np.flatnonzero(steps >= np.partition(steps, -n - 1)[-n - 1])
    return places[np.lexsort((-counts[places], -steps[places]))][:n]


def evidence(m: ConfusionMatrix, outside: Outside | None = None, alpha: float = ALPHA) -> Evidence:
    """The confusions of a matrix, and which of them are shown; by itself, rejections are answers like others."""
    errors = read_errors(m, ("wrong" if rejects(m) else "exclude") if outside is None else outside)
    errs, named = errors.lost > 0, errors.received > 0
    tested = int(errs.sum()) * int(named.sum()) - int((errs & named).sum())
    unknown = np.full(len(errors.counts), np.nan)
    # The cells of a table less the numbers that the fit takes from it; 5 of four classes, 11 of
    # five.
    spare = tested - int(errs.sum()) - int(named.sum()) + 1
    fit = expected_errors(errors.lost, errors.received)
    untested = (
        _FEW if spare < _SPARE or fit.hub is not None else _UNKNOWN if errors.unit is None else ""
    )
    if untested:
        return Evidence(
            errors,
            fit,
            unknown,
            unknown,
            unknown > 0,
            alpha,
            tested,
            untested if len(unknown) else "",
        )
    fit, p = _stable(errors, fit, tested, min(spare - 2, _MOST * errors.size))
    q = adjusted(p, tested)
    return Evidence(errors, fit, p, q, q <= alpha, alpha, tested)


def rejects(m: ConfusionMatrix) -> bool:
    """Whether some items have no class for an answer, though all are of a class."""
    outside = slice(m.n_classes, None)
    return bool(m.predicted_totals[outside].any()) and not m.actual_totals[outside].any()


def shown_in(m: ConfusionMatrix) -> list[tuple[int, int]] | None:
    """Places of the confusions that are shown, the foremost first; None where none is tested."""
    known = evidence(m)
    return None if known.untested else known.shown


@np.errstate(all="ignore")
def _stable(errors: Errors, fit: Expected, tested: int, most: int) -> tuple[Expected, Array]:
    """The fit to all cells but those that stand out from it, `most` of them, and the chance of each cell."""
    from scipy.special import gammaln

    out = np.zeros(len(errors.counts), dtype=bool)
    items = errors.counts / _known(errors)
    seen: set[bytes] = set()
    mirror = errors.mirror()
    # The chance of one number is at most that of as many or more; beyond this, no procedure flags a
    # cell.
    factorial, least = gammaln(items + 1), np.log(ALPHA * len(out) / tested)
    while True:
        expected, shape = _others(errors, fit, out, mirror)
        near = np.flatnonzero(
            (items > expected) & (items * np.log(expected) - expected - factorial <= least)
        )
        p = np.ones(len(out))
        p[near] = _tail(items[near], expected[near], shape[near])
        flagged = adjusted(p[near], tested) <= ALPHA
        kept = np.zeros(len(out), dtype=bool)
        kept[near[flagged]] = True
        # Below the smallest floats, the likelihood says which is the strongest.
        further = items * np.log(items / expected) - items + expected
        strength = np.where(
            kept & ~out, np.where(p < 1e-300, further, 0.0) - np.log(np.maximum(p, 1e-300)), 0.0
        )
        kept &= out | (strength >= _PART * strength.max(initial=0))
        if (
            (kept == out).all()
            or kept.tobytes() in seen
            or len(seen) == _ROUNDS
            or kept.sum() > most
        ):
            break
        seen.add(kept.tobytes())
        following = fitted(errors, kept)
        if following is None:
            break
        fit, out = following, kept
    return fit, _tail(items, expected, shape)


def _tail(items: Array, expected: Array, shape: Array) -> Array:
    """The chance of `items` or more items in each cell."""
    from scipy.special import betainc

    p: Array = betainc(items, shape, expected / (expected + shape))
    return np.where(np.isinf(expected) | (items == 0), 1.0, p)


def _others(errors: Errors, fit: Expected, out: Array, mirror: Array) -> tuple[Array, Array]:
    """The items expected of each cell from the other cells of the fit, and the shape of that estimate.

    The rest of the table are the rows and columns of all other classes, which neither the cell nor
    its mirror inflates.
    """
    rows, cols, size, x, y = errors.rows, errors.cols, errors.size, fit.by_actual, fit.by_predicted
    own: Array = np.where(out, 0.0, errors.counts)
    unit = _known(errors)
    apart = _apart(errors, own, mirror)
    # The mean item there.
    units = [unit] * 3
    if (unit != unit[0]).any():
        squares = _apart(errors, own * unit, mirror)
        units = [
            np.where(part > 0, square / part, unit)
            for part, square in zip(apart, squares, strict=True)
        ]
    # The same of the fit: without diagonal and what is out.
    gone = np.where(out, x[rows] * y[cols], 0.0)
    per_row, per_col = (
        np.bincount(rows[out], y[cols[out]], size),
        np.bincount(cols[out], x[rows[out]], size),
    )
    across, down = y.sum() - y[rows] - y[cols], x.sum() - x[rows] - x[cols]
    both = x * y
    table = across * down - both.sum() + both[rows] + both[cols] - _apart(errors, gone, mirror)[2]
    across, down = across - (per_row[rows] - out * y[cols]), down - (per_col[cols] - out * x[rows])
    # Nothing is expected of cells beside which the fit has none; what rounding left is none.
    known = (across * down > 1e-12 * x.sum() * y.sum()) & (table > 1e-9 * across * down)
    ratio = np.where(known, table / (across * down), np.inf if own.any() else 1.0)
    # One item more each, as the exact test has it.
    row, col, rest = (np.maximum(part, 0) + unit for part, unit in zip(apart, units, strict=True))
    shape = 1 / (units[0] / row + units[1] / col + units[2] / rest)
    return row * col / rest * ratio / unit, shape


def _apart(errors: Errors, values: Array, mirror: Array) -> tuple[Array, Array, Array]:
    """Sums of values over the rest of the row of each cell and of its column, and over what has neither class."""
    lost, received = (np.bincount(side, values, errors.size) for side in (errors.rows, errors.cols))
    row, col = lost[errors.rows] - values, received[errors.cols] - values
    beside = lost + received
    rest = (
        lost.sum()
        - beside[errors.rows]
        - beside[errors.cols]
        + values
        + np.append(values, 0.0)[mirror]
    )
    return row, col, rest
