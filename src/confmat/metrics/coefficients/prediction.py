"""Coefficients of prediction: how many wrong guesses are spared, class against the rest, by knowing the other side."""

from __future__ import annotations

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import Array, largest, ratio, smallest
from confmat.metrics.coefficients._family import BY_MARGINS, coefficient

__all__ = ["anderberg", "binary_lambda", "binary_lambda_r", "guttman_lambda_a", "guttman_lambda_b"]

_WITHIN = r"\max(\TP, \FP) + \max(\FN, \TN) + \max(\TP, \FN) + \max(\FP, \TN)"
_BLIND = r"\max(\TP + \FN, \FP + \TN) + \max(\TP + \FP, \FN + \TN)"


def _knowing(c: Cells) -> Array:
    """Right guesses of either side when the other is known, added up."""
    of_actual = largest(c.tp, c.fp) + largest(c.fn, c.tn)
    return of_actual + largest(c.tp, c.fn) + largest(c.fp, c.tn)


def _blind(c: Cells) -> Array:
    """Right guesses of either side when nothing is known, added up."""
    return largest(c.actual, c.actual_negative) + largest(c.predicted, c.predicted_negative)


@coefficient(
    title="Anderberg's D",
    latex=rf"\frac{{{_WITHIN} - ({_BLIND})}}{{2 n}}",
    bounds=(0, 0.5),
    better="higher",
    best=BY_MARGINS,
    symmetric=True,
    smooth=False,
    depends_on_k=True,
    undefined="there are no items",
    references=("Anderberg1973", "Choi2010"),
)
def anderberg(c: Cells) -> Array:
    """By how much the share of right guesses grows when the other side is known, mean of both directions."""
    return ratio(_knowing(c) - _blind(c), 2 * c.total)


@coefficient(
    title="Goodman and Kruskal's lambda of a 2x2 table",
    latex=rf"\frac{{{_WITHIN} - ({_BLIND})}}{{2 n - ({_BLIND})}}",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    smooth=False,
    depends_on_k=True,
    undefined="the class occurs never or always, and is predicted never or always",
    references=("GoodmanKruskal1954",),
    peers={"pycm": ("GoodmanKruskalLambda",)},
)
def binary_lambda(c: Cells) -> Array:
    """The share of wrong guesses that knowing the other side spares, both directions together."""
    return ratio(_knowing(c) - _blind(c), 2 * c.total - _blind(c))


@coefficient(
    title="Goodman and Kruskal's lambda-r of a 2x2 table",
    latex=r"\frac{2 \min(\TP, \TN) - \FP - \FN}{2 \min(\TP, \TN) + \FP + \FN}",
    bounds=(-1, 1),
    better="higher",
    symmetric=True,
    smooth=False,
    undefined="the class is on both sides of every item or of none",
    references=("GoodmanKruskal1954", "Warrens2008"),
)
def binary_lambda_r(c: Cells) -> Array:
    """Reliability beyond naming always the one class that both sides together name most."""
    agreed, errors = 2 * smallest(c.tp, c.tn), c.fp + c.fn
    return ratio(agreed - errors, agreed + errors)


@coefficient(
    title="Guttman's lambda A",
    latex=r"\frac{\max(\TP, \FN) + \max(\FP, \TN) - \max(\TP + \FP, \FN + \TN)}{n - \max(\TP + \FP, \FN + \TN)}",
    bounds=(0, 1),
    better="higher",
    smooth=False,
    transposed="guttman_lambda_b",
    depends_on_k=True,
    undefined="the class is never or always predicted",
    when_never_predicted=0,
    references=("Guttman1941",),
    peers={"pycm": ("GuttmanLambdaA",)},
)
def guttman_lambda_a(c: Cells) -> Array:
    """The share of wrong guesses of the prediction that knowing the truth spares."""
    blind = largest(c.predicted, c.predicted_negative)
    return ratio(largest(c.tp, c.fn) + largest(c.fp, c.tn) - blind, c.total - blind)


@coefficient(
    title="Guttman's lambda B",
    latex=r"\frac{\max(\TP, \FP) + \max(\FN, \TN) - \max(\TP + \FN, \FP + \TN)}{n - \max(\TP + \FN, \FP + \TN)}",
    bounds=(0, 1),
    better="higher",
    smooth=False,
    transposed="guttman_lambda_a",
    depends_on_k=True,
    undefined="the class occurs never or always",
    references=("Guttman1941",),
    peers={"pycm": ("GuttmanLambdaB",)},
)
def guttman_lambda_b(c: Cells) -> Array:
    """The share of wrong guesses of the truth that knowing the prediction spares."""
    blind = largest(c.actual, c.actual_negative)
    return ratio(largest(c.tp, c.fp) + largest(c.fn, c.tn) - blind, c.total - blind)
