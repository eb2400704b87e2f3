"""Sums over cells that several families share: entropies in nats, and how far a table is from independence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import mul
from typing import Any

import numpy as np

from confmat.core.cells import once
from confmat.metrics.arithmetic import Number, largest, log, log1p, log_ratio, ratio, spread, xlogx
from confmat.metrics.margins import Margins, Table, commonest, filled, is_zero, occurs

# Its 1 + x is nothing, so the logarithm there has no weight.
_ABOVE_MINUS_ONE = -1 + 2.0**-53


def deviance(change: Any) -> Any:
    """(1 + x) log(1 + x) - x, which is never negative: about half the square of a small x, and 1 at x = -1.

    Summed over shares it gives the difference of entropies, without their cancelling.

    >>> deviance(np.array([-1.0, 0.0]))
    array([1., 0.])
    """
    if isinstance(change, Number) or np.iscomplexobj(change):
        return xlogx(1 + change) - change
    return (1 + change) * np.log1p(np.maximum(change, _ABOVE_MINUS_ONE)) - change


def entropy(totals: Any, others: Any, total: Any) -> Any:
    """Entropy of a margin: the mean surprise log(n / r), of which n is r and what is beside it."""
    return ratio((totals * log1p(ratio(others, filled(totals)))).sum(axis=-1), total)


@once
def actual_entropy(m: Margins) -> Any:
    """Entropy of the actual classes."""
    return entropy(m.actual, m.cells.actual_negative, m.total)


@once
def predicted_entropy(m: Margins) -> Any:
    """Entropy of the predicted classes."""
    return entropy(m.predicted, m.cells.predicted_negative, m.total)


@once
def _cell_logs(t: Table) -> Any:
    """X log x of every cell."""
    return xlogx(t.values)


@once
def joint(t: Table) -> Any:
    """Entropy of the cells."""
    return ratio(xlogx(t.total) - _cell_logs(t).sum(axis=-1), t.total)


@once
def given_actual(t: Table) -> Any:
    """Entropy of the cells beyond that of the actual classes."""
    return joint(t) - actual_entropy(t)


@once
def given_predicted(t: Table) -> Any:
    """Entropy of the cells beyond that of the predicted classes."""
    return joint(t) - predicted_entropy(t)


@once
def products(t: Table) -> Any:
    """Actual total times predicted total at each listed cell: n times what independence expects there."""
    return t.crossed(mul, t.actual, t.predicted)


@once
def divisors(t: Table) -> Any:
    """The products, with 1 in place of totals that are 0."""
    if not np.count_nonzero(is_zero(t.actual)) and not np.count_nonzero(is_zero(t.predicted)):
        return products(t)
    return t.crossed(mul, filled(t.actual), filled(t.predicted))


@once
def gaps(t: Table) -> Any:
    """n times the count less the product of the totals, at each listed cell."""
    return spread(t.total) * t.values - products(t)


def unlisted(t: Table, power: int = 1) -> Any:
    """Actual total times a power of the predicted total, summed over the cells that are not listed (they are 0)."""
    if t.is_whole:
        return 0 * t.total
    # The commonest column is kept apart, since what rounding takes from it may be as much as the
    # others hold.
    columns, most = t.predicted if power == 1 else t.predicted * t.predicted, commonest(t.predicted)
    others = np.where(most, 0 * columns, columns)
    rest = spread(others.sum(axis=-1)) - t.sum_by_actual(t.at_cols(others))
    empty = 1 - t.sum_by_actual(t.at_cols(most) * 1.0)
    # With weights, rounding may leave a trace below zero.
    return (
        t.actual * (largest(rest, 0 * rest) + empty * spread((columns * most).sum(axis=-1)))
    ).sum(axis=-1)


@once
def information(t: Table) -> Any:
    """Mutual information of the two sides."""
    listed = (products(t) * deviance(ratio(gaps(t), divisors(t)))).sum(axis=-1)
    return ratio(listed + unlisted(t), t.total * t.total)


@once
def mean_square(t: Table) -> Any:
    """Squared gaps over expectations; what is not listed is empty and counts its whole expectation."""
    gap = gaps(t)
    return ratio(ratio(gap * gap, divisors(t)).sum(axis=-1) + unlisted(t), t.total * t.total)


# The quantities that scores of association grow with.
ASSOCIATIONS: dict[str, Callable[[Table], Any]] = {
    "information": information,
    "mean_square": mean_square,
}


def sharing(t: Table, association: str, quantity: Any) -> Table:
    """The same totals of a table that shares so much information, or has such a mean square.

    >>> totals = np.array([5.0, 5.0])
    >>> table = Table(totals, totals, totals, 10.0, 2, None, np.arange(2), np.arange(2), totals)
    >>> information(sharing(table, "information", 0.25))
    0.25
    """
    return replace(t, memo={ASSOCIATIONS[association].__wrapped__: quantity})  # type: ignore[attr-defined] # by `once`


@once
def scatter(t: Table) -> Any:
    """Errors to and from each class, each times its surprise among all that is on either side of the class."""
    return _scatter(t, t.actual + t.predicted)


@once
def scatter_of_items(t: Table) -> Any:
    """The same among the items on either side of the class, each counted once."""
    return _scatter(t, t.actual + t.predicted - t.diagonal)


def _scatter(t: Table, around: Any) -> Any:
    errors = t.actual + t.predicted - 2 * t.diagonal
    return errors * log(filled(around)) - _error_logs(t)


@once
def _error_logs(t: Table) -> Any:
    """X log x of the errors to and from each class, summed."""
    logs = _cell_logs(t) * (t.rows != t.cols)
    return t.sum_by_actual(logs) + t.sum_by_predicted(logs)


def divergence(m: Margins) -> Any:
    """Kullback-Leibler divergence of the predicted from the actual totals; NaN where it is infinite."""
    return ratio(
        (m.predicted * deviance(ratio(m.actual - m.predicted, filled(m.predicted)))).sum(axis=-1),
        covered(m),
    )


def cross(m: Margins) -> Any:
    """Mean surprise of the actual classes under the predicted shares; NaN where it is infinite."""
    return ratio(
        (m.actual * log_ratio(spread(m.total), filled(m.predicted))).sum(axis=-1), covered(m)
    )


def covered(m: Margins) -> Any:
    """The total, or 0 where a class that occurs is never predicted."""
    return m.total * ~np.any(occurs(m) & is_zero(m.predicted), axis=-1)
