"""Off-diagonal errors as arrays: their margins, what independent answers would make of them, and tests against it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, one_of, told
from confmat.core.samples import Sample
from confmat.core.stack import Stack
from confmat.metrics.margins import Outside

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Errors:
    """The non-zero cells beside the diagonal by row and column, in float64, and the items of every class.

    `unit` is the size of one item in each cell: 1 where items were counted, the mean weight of an
    item where they were weighted, variance over count where they were sampled or judged, None where
    weights were added up and nobody kept their squares. `exact` are the numbers as they were
    counted. `left_out` is the sum of the cells that reach outside the classes and were not read.
    """

    labels: Labels
    size: int
    rows: Array
    cols: Array
    counts: Array
    exact: Array
    unit: Array | None
    actual: Array
    left_out: float

    @cached_property
    def lost(self) -> Array:
        """Errors of each actual class."""
        return np.bincount(self.rows, weights=self.counts, minlength=self.size)

    @cached_property
    def received(self) -> Array:
        """Wrong answers that name each class."""
        return np.bincount(self.cols, weights=self.counts, minlength=self.size)

    @cached_property
    def total(self) -> float:
        """All errors."""
        return math.fsum(self.lost.tolist())

    def at(self, row: int, col: int) -> int | float:
        """The number of one cell."""
        return self.exact[(self.rows == row) & (self.cols == col)].sum().item()

    def mirror(self, places: Any = slice(None)) -> Array:
        """The place of the mirrored cell of each of some, -1 where that is empty."""
        keys = self.rows * self.size + self.cols
        mirrored = self.cols[places] * self.size + self.rows[places]
        found = np.searchsorted(keys, mirrored)
        return np.where(np.append(keys, -1)[found] == mirrored, found, -1)

    def reverse(self, places: Any = slice(None)) -> Array:
        """For cat taken for dog, how often dog was taken for cat; of some cells."""
        return np.append(self.exact, 0)[self.mirror(places)]


def check_matrix(m: Any, asker: str) -> ConfusionMatrix:
    """The matrix, or an error that says what to pass instead."""
    if isinstance(m, ConfusionMatrix):
        return m
    msg = f"`{asker}` reads one ConfusionMatrix, not {type(m).__name__}"
    msg += (
        f"; of a Stack, {asker}(stack[key]) or {asker}(stack.sum())"
        if isinstance(m, Stack)
        else f"; {MAKES_ONE}"
    )
    raise InputError(msg)


def read_errors(m: ConfusionMatrix, outside: Outside = "exclude") -> Errors:
    """The cells beside the diagonal; with "wrong" also those that reach outside the classes."""
    one_of("outside", outside, Outside)
    size = len(m.labels) if outside == "wrong" else m.n_classes
    rows, cols, values = m._counts.cells()
    beside = rows != cols
    inside = beside & (rows < size) & (cols < size)
    exact = values[inside]
    left_out = float(values[beside & ~inside].sum())
    rows, cols = (
        rows[inside].astype(np.int64, copy=False),
        cols[inside].astype(np.int64, copy=False),
    )
    return Errors(
        labels=m.labels,
        size=size,
        rows=rows,
        cols=cols,
        # Judged items may leave a cell a little below 0; it has no errors then.
        counts=np.maximum(exact.astype(np.float64), 0.0),
        exact=exact,
        unit=_unit(m, rows, cols, exact),
        actual=m.actual_totals[:size].astype(np.float64),
        left_out=left_out,
    )


@np.errstate(all="ignore")
def _unit(m: ConfusionMatrix, rows: Array, cols: Array, values: Array) -> Array | None:
    if isinstance(m, Sample):
        # As many items as have the variance that the cell has.
        # Nobody knows it of a guess, from which nothing was drawn.
        spread = m.variances(rows, cols)
        return spread / np.maximum(values, 1e-300) if spread.any() else None
    if m._squares is None:
        # Whole numbers are counts, floats too.
        return np.ones(len(values)) if bool(np.all(values == np.floor(values))) else None
    size = len(m.labels)
    at_rows, at_cols, squares = m._squares.cells()
    places = np.searchsorted(at_rows * size + at_cols, rows * size + cols)
    # The square of a tiny weight may vanish, and its cell with it: then it is one item, which
    # surprises nobody.
    keys = np.append(at_rows * size + at_cols, -1)
    known = keys[places] == rows * size + cols
    return np.where(known, np.append(squares, 0.0)[places].astype(np.float64) / values, values)


@dataclass(frozen=True, eq=False)
class Expected:
    """The fitted model: `at(rows, cols)` gives the expected counts of cells beside the diagonal."""

    by_actual: Array
    by_predicted: Array
    # The class that has a part in every error, if there is one: then the model is its row and its
    # column alone.
    hub: int | None = None

    @property
    def factors(self) -> list[tuple[Array, Array]]:
        """Pairs of a factor by actual and one by predicted class; the sum of their products is expected of a cell."""
        if self.hub is None:
            return [(self.by_actual, self.by_predicted)]
        alone = np.zeros(len(self.by_actual))
        alone[self.hub] = 1
        return [(alone, self.by_predicted), (self.by_actual, alone)]

    @np.errstate(all="ignore")
    def at(self, rows: Array, cols: Array) -> Array:
        """Expected counts of these cells, none of them on the diagonal."""
        if self.hub is None:
            return np.asarray(self.by_actual[rows] * self.by_predicted[cols])
        return np.where(
            rows == self.hub,
            self.by_predicted[cols],
            np.where(cols == self.hub, self.by_actual[rows], 0),
        )


@np.errstate(all="ignore")
def expected_errors(lost: Array, received: Array) -> Expected:
    """The fit to errors lost by each actual class and received by each predicted one; both sums are the same.

    >>> fit = expected_errors(np.array([4.0, 4.0, 4.0]), np.array([4.0, 4.0, 4.0]))
    >>> fit.at(np.array([0, 0]), np.array([1, 2])).round(9)
    array([2., 2.])
    """
    total = math.fsum(lost.tolist())
    if not total:
        return Expected(np.zeros(len(lost)), np.zeros(len(lost)))
    both = lost + received
    hub = int(both.argmax())
    if both[hub] >= total * (1 - 1e-12):
        return Expected(lost, received, hub)
    # In shares of the total, so that nothing depends on the unit of the counts.
    r, c = lost / total, received / total
    x, y, t = _solved(r, c)
    scale = math.sqrt(total / t)
    return Expected(x * scale, y * scale)


# Cells to spare when others have left; and the steps after 300 rounds where a solution exists.
_LEAST, _SETTLED = 2, 1e-6


def spare(lost: Array, received: Array) -> int:
    """How many cells beside the diagonal a table has, less the numbers that the fit takes from it."""
    errs, named = lost > 0, received > 0
    return (
        int(errs.sum()) * int(named.sum())
        - int((errs & named).sum())
        - int(errs.sum())
        - int(named.sum())
        + 1
    )


@np.errstate(all="ignore")
def fitted(errors: Errors, out: Array) -> Expected | None:
    """The fit to all cells that are not marked, by scaling rows and columns in turn.

    None where too few cells are left: they would explain each other, or the fit does not settle.
    """
    rows, cols, kept = errors.rows[out], errors.cols[out], np.where(out, 0.0, errors.counts)
    lost, received = (np.bincount(side, kept, errors.size) for side in (errors.rows, errors.cols))
    fit = expected_errors(lost, received)
    x, y = fit.by_actual, fit.by_predicted
    inside = (lost[rows] > 0) & (received[cols] > 0)
    if fit.hub is not None or spare(lost, received) - int(inside.sum()) < _LEAST:
        return None
    before = y
    for _ in range(300):
        before = y
        x = np.where(lost > 0, lost / (y.sum() - y - np.bincount(rows, y[cols], errors.size)), 0.0)
        y = np.where(
            received > 0, received / (x.sum() - x - np.bincount(cols, x[rows], errors.size)), 0.0
        )
        if (np.abs(y - before) <= 1e-13 * y).all():
            break
    return Expected(x, y) if (np.abs(y - before) <= _SETTLED * y).all() else None


def _solved(r: Array, c: Array) -> tuple[Array, Array, float]:
    """The x, the y and the t = total/s^2 at which the x add up to 1."""
    both = (r > 0) & (c > 0)
    if not both.any():
        # No class errs and is named wrongly, so the diagonal is no matter, and independence holds
        # as it is.
        return r, c, 1.0
    roots = np.where(both, np.sqrt(r) + np.sqrt(c), 0)
    big = int(roots.argmax())
    top = 1 / float(roots[big]) ** 2
    if _sum_of_small(r, c, top) >= 1:
        t = _root(lambda t: _sum_of_small(r, c, t) - 1, top)
        x, y = _small(r, c, t), _small(c, r, t)
    else:
        t = _root(lambda t: _balance(r, c, big, t), top)
        x, y = _small(r, c, t), _small(c, r, t)
        # 1 - x of the class with most errors is the small root of its own equation, hence free of
        # cancellation.
        x[big], y[big] = (
            1 - _small_of_rest(c[big], r[big], t),
            1 - _small_of_rest(r[big], c[big], t),
        )
    if t > top * (1 - 1e-4):
        # Where both roots meet they keep half of the digits; there, fitting in turn is quick.
        for _ in range(30):
            x = r * t / (y.sum() - y)
            y = c * t / (x.sum() - x)
    return x, y, t


def _small(r: Array, c: Array, t: float) -> Array:
    """The smaller x that solves x (1 - y) = r t, y (1 - x) = c t."""
    middle = 1 + (r - c) * t
    rest = np.maximum(middle * middle - 4 * r * t, 0)
    bottom = middle + np.sqrt(rest)
    return np.divide(2 * r * t, bottom, out=np.zeros(len(r)), where=bottom > 0)


def _small_of_rest(c: float, r: float, t: float) -> float:
    """1 - x for the larger x of that equation."""
    middle = 1 + (c - r) * t
    return 2 * c * t / (middle + math.sqrt(max(middle * middle - 4 * c * t, 0)))


def _sum_of_small(r: Array, c: Array, t: float) -> float:
    return float(_small(r, c, t).sum())


def _balance(r: Array, c: Array, big: int, t: float) -> float:
    """The x of all classes but one, less what that one leaves of 1, over t: its sign tells on which side t lies."""
    others = _small(r, c, t)
    others[big] = 0
    return (float(others.sum()) - _small_of_rest(c[big], r[big], t)) / t


def _root(function: Any, top: float) -> float:
    """Where the function is zero between 0 and `top`, searched on a logarithmic scale; `top` where it is zero there."""
    from scipy.optimize import brentq

    low, above = math.log(top), function(top) > 0
    while (function(math.exp(low)) > 0) == above:
        low -= 2
        if low < -700:
            return top
    root = brentq(
        lambda x: function(math.exp(x)), low, math.log(top), xtol=1e-15, rtol=1e-14, maxiter=500
    )
    return math.exp(root)


def check_alpha(alpha: Any) -> float:
    """The level at which something stands out."""
    if (
        isinstance(alpha, bool)
        or not isinstance(alpha, (int, float, np.number))
        or not 0 < alpha < 1
    ):
        msg = f"`alpha` must lie between 0 and 1, such as 0.05, not {told(alpha)}"
        raise InputError(msg)
    return float(alpha)


def surprise(counts: Array, expected: Array, unit: Array | None) -> Array:
    """The chance of so much or more where `expected` is the mean; NaN where nobody knows the size of one item.

    For counts it is the Poisson tail. Weights are counted in units of their mean item, sum of
    squares over sum (Bohm and Zech 2014, "Statistics of weighted Poisson events and its
    applications", NIM A 748): a count of equal weights then has the chance of the count itself.
    """
    if unit is None:
        return np.full(len(counts), np.nan)
    from scipy.special import gammainc

    # P(X >= k) of a Poisson variable is the incomplete gamma function at k, which takes fractions
    # as well.
    return np.asarray(gammainc(counts / unit, expected / unit))


def adjusted(p: Array, tests: int) -> Array:
    """Smallest false discovery rate at which each is flagged; the tests that are not listed have p = 1.

    Benjamini and Hochberg (1995), JRSS B 57.

    >>> adjusted(np.array([0.01, 0.04, 0.06]), 4)
    array([0.04, 0.08, 0.08])
    """
    order = np.argsort(p)
    ranked = p[order] * tests / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum(np.minimum.accumulate(ranked[::-1])[::-1], 1)
    return q
