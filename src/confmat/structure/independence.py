"""Quasi-independence: how often each pair would be confused if errors knew only how often a class errs and attracts.

The model says m_ij = u_i v_j beside the diagonal and leaves the diagonal alone (Goodman 1968, JASA 63, "The analysis
of cross-classified data"). Its fit has the row and column sums of the errors. Iterative proportional fitting finds
it slowly where one class has a part in most errors. Here it is one equation in one unknown: with x = u/s and y = v/s,
s the common sum of u and of v, each class solves x (1 - y) = r/s^2 and y (1 - x) = c/s^2, and the x must add up to 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Expected", "expected_errors"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Expected:
    """The fitted model: `at(rows, cols)` gives the expected counts of cells beside the diagonal."""

    by_actual: Array
    by_predicted: Array
    # The class that has a part in every error, if there is one: then the model is its row and its column alone.
    hub: int | None = None

    @np.errstate(all="ignore")
    def at(self, rows: Array, cols: Array) -> Array:
        """Expected counts of these cells, none of them on the diagonal."""
        if self.hub is None:
            return np.asarray(self.by_actual[rows] * self.by_predicted[cols])
        return np.where(rows == self.hub, self.by_predicted[cols], np.where(cols == self.hub, self.by_actual[rows], 0))


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


def _solved(r: Array, c: Array) -> tuple[Array, Array, float]:
    """The x, the y and the t = total/s^2 at which the x add up to 1."""
    both = (r > 0) & (c > 0)
    if not both.any():
        # No class errs and is named wrongly, so the diagonal is no matter, and independence holds as it stands.
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
        # 1 - x of the class with most errors is the small root of its own equation, hence free of cancellation.
        x[big], y[big] = 1 - _small_of_rest(c[big], r[big], t), 1 - _small_of_rest(r[big], c[big], t)
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
    found = brentq(lambda x: function(math.exp(x)), low, math.log(top), xtol=1e-15, rtol=1e-14, maxiter=500)
    return math.exp(found)
