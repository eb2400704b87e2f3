"""Formulas as PyCM 4.6 computes them, where ours differ: found under its names only, and members of no catalogue."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import Number, UntrackableError, constant, largest, log, ratio, spread, xlogx
from confmat.metrics.declaration import Margins, of_class, of_matrix

__all__ = [
    "anderberg",
    "aunp",
    "chi_squared_df",
    "cross_entropy",
    "eyraud",
    "kendall_tau",
    "koppen_i",
    "koppen_ii",
    "lambda_r",
    "rci",
]

_class = functools.partial(of_class, family="as PyCM computes it", better="neither", fair=False)
_matrix = functools.partial(of_matrix, family="as PyCM computes it", better="neither")


@_class(title="Anderberg, PyCM", undefined="there are no items", smooth=False)
def anderberg(c: Cells) -> Any:
    """Anderberg's D with one margin mistaken: FP + TN stands in the blind guess beside TP + FP, not TP + FN."""
    knowing = largest(c.tp, c.fp) + largest(c.fn, c.tn) + largest(c.tp, c.fn) + largest(c.fp, c.tn)
    blind = largest(c.predicted, c.actual_negative) + largest(c.predicted, c.predicted_negative)
    return ratio(knowing - blind, 2 * c.total)


@_class(title="Eyraud, PyCM", undefined="the class occurs or is predicted never or always", scale_free=False)
def eyraud(c: Cells) -> Any:
    """Eyraud's coefficient as it is printed for shares, computed from counts."""
    expected = c.predicted * c.actual
    return ratio(c.tp - expected, expected * c.actual_negative * c.predicted_negative)


@_class(title="Goodman and Kruskal's lambda-r, PyCM", undefined="all answers and all truths agree on one", smooth=False)
def lambda_r(c: Cells) -> Any:
    """Lambda-r with each side's own most frequent answer, where its authors take one for both: it falls below -1."""
    blind = largest(c.predicted, c.predicted_negative) + largest(c.actual, c.actual_negative)
    return ratio(2 * (c.tp + c.tn) - blind, 2 * c.total - blind)


@_class(title="Kendall's tau, PyCM", undefined="there is one item or none", scale_free=False)
def kendall_tau(c: Cells) -> Any:
    """Agreements less errors in place of concordant less discordant pairs: it vanishes as items are added."""
    return ratio(2 * (c.tp + c.tn - c.fp - c.fn), c.total * (c.total - 1))


@_class(title="Köppen I, PyCM", undefined="the class is on both sides of every item or of none", scale_free=False)
def koppen_i(c: Cells) -> Any:
    """Köppen's coefficient as it is printed for shares, computed from counts: it tends to 1 as items are added."""
    errors = c.fp + c.fn
    both = (2 * c.tp + errors) * (2 * c.tn + errors)
    return ratio(both - 2 * errors, both)


@_class(title="Köppen II, PyCM", scale_free=False)
def koppen_ii(c: Cells) -> Any:
    """The mean of actual and predicted totals: a count, where the original has a share."""
    return c.tp + (c.fp + c.fn) * constant(0.5, c.tp)


@_matrix(title="AUNP, PyCM", undefined="a class has no members or no others")
def aunp(m: Margins) -> Any:
    """Mean one-point AUC weighted by class; without value as soon as one class has none, even of weight 0."""
    others = spread(m.total) - m.actual
    rejected = others - m.predicted + m.diagonal
    areas = ratio(m.diagonal, m.actual) + ratio(rejected, others)
    return ratio((m.actual * areas).sum(axis=-1), 2 * m.total)


@_matrix(title="Chi-squared degrees of freedom, PyCM", depends_on_k=True)
def chi_squared_df(m: Margins) -> Any:
    """(K - 1) squared, counting classes that are empty."""
    return (m.n_classes - 1) * (m.n_classes - 1) + 0 * m.total


@_matrix(title="Cross entropy, PyCM", undefined="the matrix is empty", unit="bits", rational=False)
def cross_entropy(m: Margins) -> Any:
    """Cross entropy of the margins without the classes that are never predicted, which make it infinite."""
    if isinstance(m.predicted, Number):
        # All terms have one sign, so float64 is as good as it gets.
        raise UntrackableError
    never = np.equal(m.predicted, 0)
    expected = ratio(np.where(never, 1, m.predicted), spread(m.total))
    return -(ratio(m.actual, spread(m.total)) * log(np.where(never, 1, expected), 2)).sum(axis=-1)


@_matrix(
    title="Relative classifier information, PyCM", undefined="only one class occurs", needs="cells", rational=False
)
def rci(t: Any) -> Any:
    """Mutual information divided by the reference entropy."""
    n = spread(t.total)
    actual, predicted, joint = (-xlogx(ratio(part, n), 2).sum(axis=-1) for part in (t.actual, t.predicted, t.values))
    return ratio(actual + predicted - joint, actual)
