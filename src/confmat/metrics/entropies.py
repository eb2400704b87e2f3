"""Sums over cells that several families share: entropies in nats, and how far a table is from independence.

Every sum has terms of one sign, so that nothing cancels: a table that is nearly independent, or nearly certain,
keeps its digits. Of counts, a single logarithm of each cell does for all sums that are differences of sums of
x log x, where these leave enough of each other; what they do not is summed term by term.
"""

from __future__ import annotations

from operator import mul
from typing import Any

import numpy as np

from confmat.core.cells import certain, once
from confmat.metrics.arithmetic import largest, log, ratio, spread, xlogx
from confmat.metrics.cancelling import deviance, log_share, product_gap, products_are_exact
from confmat.metrics.declaration import Margins, Table
from confmat.metrics.sums import filled, is_zero, kept_if, occurs

__all__ = [
    "actual_entropy",
    "covered",
    "cross",
    "divergence",
    "divisors",
    "entropy",
    "gaps",
    "given_actual",
    "given_predicted",
    "information",
    "joint",
    "mean_square",
    "predicted_entropy",
    "products",
    "scatter",
    "scatter_of_items",
    "unlisted",
]


# A difference of sums that leaves so much of their sizes loses little more than a digit.
_LEFT = 1 / 16


def entropy(totals: Any, total: Any) -> Any:
    """Entropy of a margin: the mean surprise log(n / r)."""
    return ratio((totals * log_share(spread(total), totals)).sum(axis=-1), total)


@certain
def actual_entropy(m: Margins) -> Any:
    """Entropy of the actual classes."""
    return entropy(m.actual, m.total)


@certain
def predicted_entropy(m: Margins) -> Any:
    """Entropy of the predicted classes."""
    return entropy(m.predicted, m.total)


@certain
def joint(t: Table) -> Any:
    """Entropy of the cells."""
    found = _beyond_cells(t, t.total)
    return ratio(_surprise(t, spread(t.total)) if found is None else found, t.total)


@certain
def given_actual(t: Table) -> Any:
    """Entropy of the cells beyond that of the actual classes."""
    found = _beyond_cells(t, t.actual)
    return ratio(_surprise(t, t.at_rows(t.actual)) if found is None else found, t.total)


@certain
def given_predicted(t: Table) -> Any:
    """Entropy of the cells beyond that of the predicted classes."""
    found = _beyond_cells(t, t.predicted)
    return ratio(_surprise(t, t.at_cols(t.predicted)) if found is None else found, t.total)


def _surprise(t: Table, whole: Any) -> Any:
    return (t.values * log_share(whole, t.values, _filled_values(t))).sum(axis=-1)


def _beyond_cells(t: Table, whole: Any) -> Any:
    """The same for counts: x log x of what the cells are parts of, less that of the cells; None where they cancel."""
    known = _of_cells(t)
    return None if known is None else _left(xlogx(whole).sum(), -known[1])


def _left(*terms: Any) -> Any:
    """Sum of the terms; None where they leave so little of each other that digits are lost."""
    found, sizes = sum(terms), sum(abs(term) for term in terms)
    return found if (found >= _LEFT * sizes).all() else None


@once
def _of_cells(t: Table) -> tuple[Any, Any] | None:
    """X log x of the counts: summed over row and column of each class without its hits, and over all cells."""
    if t.memo is None or "most" not in t.memo:
        return None
    # No count is between 0 and 1.
    each = np.log(np.maximum(t.values, 1.0))
    each *= t.values
    everything = each.sum(axis=-1)
    if t.is_whole:
        each[:: t.size + 1] = 0.0
    else:
        each *= t.rows != t.cols
    return t.sum_by_actual(each) + t.sum_by_predicted(each), everything


@once
def _filled_values(t: Table) -> Any:
    """The cells, with 1 in place of 0."""
    return filled(t.values)


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
    if products_are_exact(t):
        found = spread(t.total) * t.values
        found -= products(t)
        return found
    return product_gap(spread(t.total), t.values, t.at_rows(t.actual), t.at_cols(t.predicted))


def unlisted(t: Table, power: int = 1) -> Any:
    """Actual total times a power of the predicted total, summed over the cells that are not listed (they are 0)."""
    if t.is_whole:
        return 0 * t.total
    columns = t.predicted if power == 1 else t.predicted * t.predicted
    whole = spread(t.total if power == 1 else columns.sum(axis=-1))
    rest = whole - t.sum_by_actual(t.at_cols(columns))
    # Of float weights rounding may leave a trace below zero.
    return (t.actual * largest(rest, 0 * rest)).sum(axis=-1)


@certain
def information(t: Table) -> Any:
    """Mutual information of the two sides."""
    known = _of_cells(t)
    # What the predicted class leaves open without the actual one, less what it leaves open with it.
    terms = () if known is None else (predicted_entropy(t) * t.total, -xlogx(t.actual).sum(), known[1])
    if terms and _left(*terms) is not None:
        return predicted_entropy(t) - given_actual(t)
    each = deviance(ratio(gaps(t), divisors(t)), lambda: ratio(spread(t.total) * t.values, divisors(t)))
    listed = (products(t) * each).sum(axis=-1)
    return ratio(listed + unlisted(t), t.total * t.total)


@certain
def mean_square(t: Table) -> Any:
    """Squared gaps over expectations; what is not listed is empty and counts its whole expectation."""
    gap = gaps(t)
    return ratio(ratio(gap * gap, divisors(t)).sum(axis=-1) + unlisted(t), t.total * t.total)


@certain
def scatter(t: Table) -> Any:
    """Errors to and from each class, each times its surprise among all that is on either side of the class."""
    return _scatter(t, t.actual + t.predicted)


@certain
def scatter_of_items(t: Table) -> Any:
    """The same among the items on either side of the class, each counted once."""
    return _scatter(t, t.actual + t.predicted - t.diagonal)


def _scatter(t: Table, around: Any) -> Any:
    known = _of_cells(t)
    if known is not None:
        found = _left((t.actual + t.predicted - 2 * t.diagonal) * log(filled(around)), -known[0])
        if found is not None:
            return found
    errors, divisors = _errors(t)
    sums = (
        t.sum_by_actual(errors * log_share(t.at_rows(around), errors, divisors)),
        t.sum_by_predicted(errors * log_share(t.at_cols(around), errors, divisors)),
    )
    return sums[0] + sums[1]


@once
def _errors(t: Table) -> tuple[Any, Any]:
    """The cells beside the diagonal, and the same with 1 in place of 0."""
    errors = t.values * (t.rows != t.cols)
    return errors, filled(errors)


def divergence(m: Margins) -> Any:
    """Kullback-Leibler divergence of the predicted from the actual totals; NaN where it is infinite."""
    return ratio((m.predicted * deviance(ratio(m.actual - m.predicted, filled(m.predicted)))).sum(axis=-1), covered(m))


def cross(m: Margins) -> Any:
    """Mean surprise of the actual classes under the predicted shares; NaN where it is infinite."""
    return ratio((m.actual * log_share(spread(m.total), m.predicted)).sum(axis=-1), covered(m))


def covered(m: Margins) -> Any:
    """The total, or 0 where a class that occurs is never predicted."""
    return kept_if(m.total, ~np.any(occurs(m) & is_zero(m.predicted), axis=-1))
