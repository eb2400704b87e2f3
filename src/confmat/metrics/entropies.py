"""Sums over cells that several families share: entropies in nats, and how far a table is from independence.

Every sum has terms of one sign, so that nothing cancels: a table that is nearly independent, or nearly certain,
keeps its digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.metrics.arithmetic import largest, ratio, spread
from confmat.metrics.cancelling import deviance, log1p, product_gap
from confmat.metrics.declaration import Margins, Table
from confmat.metrics.sums import filled, is_zero, occurs

__all__ = [
    "conditional",
    "covered",
    "cross",
    "divergence",
    "divisors",
    "entropy",
    "gaps",
    "information",
    "joint",
    "products",
    "unlisted",
]


def entropy(totals: Any, total: Any) -> Any:
    """Entropy of a margin: the mean surprise log(n / r)."""
    n = spread(total)
    return ratio((totals * log1p(ratio(n - totals, filled(totals)))).sum(axis=-1), total)


def joint(t: Table) -> Any:
    """Entropy of the cells."""
    return _surprise(t, spread(t.total))


def conditional(t: Table, given: Any) -> Any:
    """Entropy of the cells beyond that of the side whose totals stand at the cells."""
    return _surprise(t, given)


def _surprise(t: Table, whole: Any) -> Any:
    return ratio((t.values * log1p(ratio(whole - t.values, filled(t.values)))).sum(axis=-1), t.total)


def products(t: Table) -> Any:
    """Actual total times predicted total at each listed cell: n times what independence expects there."""
    return t.actual[..., t.rows] * t.predicted[..., t.cols]


def divisors(t: Table) -> Any:
    """The products, with 1 in place of totals that are 0."""
    return filled(t.actual)[..., t.rows] * filled(t.predicted)[..., t.cols]


def gaps(t: Table) -> Any:
    """n times the count less the product of the totals, at each listed cell."""
    return product_gap(spread(t.total), t.values, t.actual[..., t.rows], t.predicted[..., t.cols])


def unlisted(t: Table, power: int = 1) -> Any:
    """Actual total times a power of the predicted total, summed over the cells that are not listed (they are 0)."""
    columns = t.predicted if power == 1 else t.predicted * t.predicted
    whole = spread(t.total if power == 1 else columns.sum(axis=-1))
    rest = whole - t.sum_by_actual(columns[..., t.cols])
    # Of float weights rounding may leave a trace below zero.
    return (t.actual * largest(rest, 0 * rest)).sum(axis=-1)


def information(t: Table) -> Any:
    """Mutual information of the two sides."""
    listed = (products(t) * deviance(ratio(gaps(t), divisors(t)))).sum(axis=-1)
    return ratio(listed + unlisted(t), t.total * t.total)


def divergence(m: Margins) -> Any:
    """Kullback-Leibler divergence of the predicted from the actual totals; NaN where it is infinite."""
    return ratio((m.predicted * deviance(ratio(m.actual - m.predicted, filled(m.predicted)))).sum(axis=-1), covered(m))


def cross(m: Margins) -> Any:
    """Mean surprise of the actual classes under the predicted shares; NaN where it is infinite."""
    n = spread(m.total)
    return ratio((m.actual * log1p(ratio(n - m.predicted, filled(m.predicted)))).sum(axis=-1), covered(m))


def covered(m: Margins) -> Any:
    """The total, or 0 where a class that occurs is never predicted."""
    return m.total * ~np.any(occurs(m) & is_zero(m.predicted), axis=-1)
