"""Coefficients of association: how far hits exceed what chance would give, tp tn - fp fn and its relatives."""

from __future__ import annotations

import math

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import Array, constant, largest, log, ratio, smallest, sqrt0
from confmat.metrics.coefficients._family import BY_MARGINS, coefficient, log_factorial
from confmat.metrics.margins import determinant

__all__ = [
    "anderberg",
    "benini",
    "binary_lambda",
    "binary_lambda_r",
    "binary_tau_a",
    "dennis",
    "digby",
    "dispersion",
    "doolittle",
    "eyraud",
    "forbes_2",
    "gilbert_wells",
    "guttman_lambda_a",
    "guttman_lambda_b",
    "kent_foster_1",
    "kent_foster_2",
    "koppen_1",
    "kuder_richardson",
]

_EMPTY = "there are no items"
_NO_SIDE = "the class never occurs or is never predicted"
_ONE_SIDED = "the class occurs never or always, or is predicted never or always"


@coefficient(
    title="Benini's index of attraction",
    aliases=("benini_1",),
    latex=r"\frac{\TP \cdot \TN - \FP \cdot \FN}{(\TP + \FN) (\FN + \TN)}",
    bounds=(None, 1),
    chance=0,
    undefined="the class never occurs or is always predicted",
    references=("Benini1901",),
    peers={"pycm": ("BeniniI",)},
    symmetric=False,
)
def benini(c: Cells) -> Array:
    """1 less the observed misses divided by those expected by chance."""
    return ratio(determinant(c), c.actual * c.predicted_negative)


@coefficient(
    title="Forbes II",
    aliases=("benini_2",),
    latex=r"\frac{\TP \cdot \TN - \FP \cdot \FN}{\min((\TP + \FN) (\FN + \TN), (\TP + \FP) (\FP + \TN))}",
    bounds=(None, 1),
    smooth=False,
    chance=0,
    undefined=_NO_SIDE + ", or is always both",
    when_never_predicted=0,
    references=("Forbes1925", "Benini1901"),
    peers={"pycm": ("ForbesII", "BeniniII")},
)
def forbes_2(c: Cells) -> Array:
    """Hits beyond chance, as a share of the most that the margins allow; also known as Benini's second index."""
    return ratio(determinant(c), smallest(c.actual * c.predicted_negative, c.predicted * c.actual_negative))


@coefficient(
    title="Kendall's tau-a of a 2x2 table",
    latex=r"\frac{2 (\TP \cdot \TN - \FP \cdot \FN)}{n (n - 1)}",
    bounds=(-1, 1),
    best=BY_MARGINS,
    scale_free=False,
    chance=0,
    undefined="there is one item or none",
    references=("Kendall1938",),
)
def binary_tau_a(c: Cells) -> Array:
    """Pairs of items ordered alike by truth and prediction, less those ordered otherwise, of all pairs."""
    return ratio(2 * determinant(c), c.total * (c.total - 1))


@coefficient(
    title="Dennis",
    latex=r"\frac{\TP - \frac{(\TP + \FP) (\TP + \FN)}{n}}{\sqrt{\frac{(\TP + \FP) (\TP + \FN)}{n}}}",
    scale_free=False,
    rational=False,
    chance=0,
    undefined=_NO_SIDE,
    when_never_predicted=0,
    references=("Dennis1965",),
    peers={"pycm": ("Dennis",)},
)
def dennis(c: Cells) -> Array:
    """Hits beyond chance in units of the square root of the expected ones."""
    return ratio(determinant(c), sqrt0(c.total) * sqrt0(c.predicted * c.actual))


@coefficient(
    title="Digby",
    latex=r"\frac{(\TP \cdot \TN)^{3/4} - (\FP \cdot \FN)^{3/4}}{(\TP \cdot \TN)^{3/4} + (\FP \cdot \FN)^{3/4}}",
    bounds=(-1, 1),
    rational=False,
    chance=0,
    undefined=_ONE_SIDED,
    when_never_predicted=0,
    references=("Digby1983",),
    peers={"pycm": ("Digby",)},
)
def digby(c: Cells) -> Array:
    """A quick approximation of the tetrachoric correlation, between Yule's Q and Y."""
    right, wrong = sqrt0(c.tp * c.tn), sqrt0(c.fp * c.fn)
    right, wrong = right * sqrt0(right), wrong * sqrt0(wrong)
    return ratio(right - wrong, right + wrong)


@coefficient(
    title="Dispersion",
    latex=r"\frac{\TP \cdot \TN - \FP \cdot \FN}{n^2}",
    bounds=(-0.25, 0.25),
    best=BY_MARGINS,
    chance=0,
    undefined=_EMPTY,
    references=("Choi2010",),
    peers={"pycm": ("Dispersion",)},
)
def dispersion(c: Cells) -> Array:
    """The covariance of truth and prediction, both counted as 0 or 1."""
    return ratio(determinant(c), c.total * c.total)


@coefficient(
    title="Doolittle",
    latex=r"\frac{(\TP \cdot n - (\TP + \FP) (\TP + \FN))^2}{(\TP + \FP) (\TP + \FN) (\FP + \TN) (\FN + \TN)}",
    bounds=(0, 1),
    chance=0,
    undefined=_ONE_SIDED,
    when_never_predicted=0,
    references=("Doolittle1884",),
    peers={"pycm": ("Doolittle",)},
)
def doolittle(c: Cells) -> Array:
    """The square of the Matthews correlation: perfect error scores like perfect success."""
    # Informedness times markedness: neither is beyond 1, so nor is their product.
    beyond = determinant(c)
    return ratio(beyond, c.actual * c.actual_negative) * ratio(beyond, c.predicted * c.predicted_negative)


@coefficient(
    title="Eyraud",
    latex=r"\frac{n^2 (n \TP - (\TP + \FP) (\TP + \FN))}{(\TP + \FP) (\TP + \FN) (\FP + \TN) (\FN + \TN)}",
    chance=0,
    undefined=_ONE_SIDED,
    when_never_predicted=0,
    references=("Eyraud1938", "Choi2010"),
)
def eyraud(c: Cells) -> Array:
    """The covariance divided by both variances; on counts in place of shares it needs the n squared."""
    variances = c.predicted * c.actual_negative * c.actual * c.predicted_negative
    return ratio(c.total * c.total * determinant(c), variances)


@coefficient(
    title="Gilbert and Wells",
    latex=(
        r"\ln \frac{n^3}{2 \pi (\TP + \FP) (\TP + \FN) (\FP + \TN) (\FN + \TN)}"
        r" + 2 \ln \frac{n! \TP! \FP! \FN! \TN!}{(\TP + \FP)! (\TP + \FN)! (\FP + \TN)! (\FN + \TN)!}"
    ),
    scale_free=False,
    rational=False,
    fair=False,
    undefined=_ONE_SIDED,
    references=("Gilbert1966",),
    peers={"pycm": ("GilbertWells",)},
)
def gilbert_wells(c: Cells) -> Array:
    """How improbable the table is, given its margins, against an average one; either sign of association counts."""
    n, margins = c.total, (c.predicted, c.actual, c.actual_negative, c.predicted_negative)
    share = ratio(n * n * n, constant(2 * math.pi, n) * math.prod(margins))
    factorials = sum(map(log_factorial, (n, c.tp, c.fp, c.fn, c.tn))) - sum(map(log_factorial, margins))
    return log(share) + 2 * factorials


@coefficient(
    title="Kent and Foster, occurrences",
    latex=(
        r"\frac{\TP - \frac{(\TP + \FP) (\TP + \FN)}{\TP + \FP + \FN}}"
        r"{\TP - \frac{(\TP + \FP) (\TP + \FN)}{\TP + \FP + \FN} + \FP + \FN}"
    ),
    bounds=(-1 / 3, 0),
    best=BY_MARGINS,
    undefined="the class has no error",
    references=("Kent1977",),
    peers={"pycm": ("KentFosterI",)},
    depends_on_k=False,
)
def kent_foster_1(c: Cells) -> Array:
    """Agreement beyond chance among the items that either side gives to the class: never above 0."""
    errors = c.fp + c.fn
    return ratio(-c.fp * c.fn, errors * (c.tp + errors) - c.fp * c.fn)


@coefficient(
    title="Kent and Foster, non-occurrences",
    latex=(
        r"\frac{\TN - \frac{(\TN + \FP) (\TN + \FN)}{\TN + \FP + \FN}}"
        r"{\TN - \frac{(\TN + \FP) (\TN + \FN)}{\TN + \FP + \FN} + \FP + \FN}"
    ),
    bounds=(-1 / 3, 0),
    best=BY_MARGINS,
    undefined="the class has no error",
    references=("Kent1977",),
    peers={"pycm": ("KentFosterII",)},
)
def kent_foster_2(c: Cells) -> Array:
    """Agreement beyond chance among the items that either side denies to the class: never above 0."""
    errors = c.fp + c.fn
    return ratio(-c.fp * c.fn, errors * (c.tn + errors) - c.fp * c.fn)


@coefficient(
    title="Köppen I",
    aliases=("binary_scott_pi",),
    latex=r"1 - \frac{2 n (\FP + \FN)}{(2 \TP + \FP + \FN) (2 \TN + \FP + \FN)}",
    bounds=(-1, 1),
    undefined="the class is on both sides of every item or of none",
    references=("Koppen1870", "GoodmanKruskal1959"),
)
def koppen_1(c: Cells) -> Array:
    """Scott's pi of the class against the rest: Köppen's coefficient, written for shares, when margins may differ."""
    errors = c.fp + c.fn
    bottom = (2 * c.tp + errors) * (2 * c.tn + errors)
    return ratio(4 * c.tp * c.tn - errors * errors, bottom)


@coefficient(
    title="Kuder and Richardson",
    latex=(
        r"\frac{4 (\TP \cdot \TN - \FP \cdot \FN)}"
        r"{(\TP + \FP) (\FN + \TN) + (\TP + \FN) (\FP + \TN) + 2 (\TP \cdot \TN - \FP \cdot \FN)}"
    ),
    bounds=(None, 1),
    chance=0,
    undefined="the class is on both sides of every item or of none, or each side denies what the other says",
    references=("Kuder1937", "Cronbach1951"),
    peers={"pycm": ("KuderRichardson",)},
)
def kuder_richardson(c: Cells) -> Array:
    """Reliability of a test of two items, truth and prediction: Cronbach's alpha of both."""
    variances = c.predicted * c.predicted_negative + c.actual * c.actual_negative
    return ratio(4 * determinant(c), variances + 2 * determinant(c))


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
    best=BY_MARGINS,
    smooth=False,
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
    smooth=False,
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
    smooth=False,
    undefined="the class is on both sides of every item or of none",
    references=("GoodmanKruskal1954", "Warrens2008"),
    depends_on_k=False,
)
def binary_lambda_r(c: Cells) -> Array:
    """Reliability beyond naming always the one class that both sides together name most."""
    agreed, errors = 2 * smallest(c.tp, c.tn), c.fp + c.fn
    return ratio(agreed - errors, agreed + errors)


@coefficient(
    title="Guttman's lambda A",
    latex=r"\frac{\max(\TP, \FN) + \max(\FP, \TN) - \max(\TP + \FP, \FN + \TN)}{n - \max(\TP + \FP, \FN + \TN)}",
    bounds=(0, 1),
    smooth=False,
    transposed="guttman_lambda_b",
    undefined="the class is never or always predicted",
    when_never_predicted=0,
    references=("Guttman1941",),
    peers={"pycm": ("GuttmanLambdaA",)},
    symmetric=False,
)
def guttman_lambda_a(c: Cells) -> Array:
    """The share of wrong guesses of the prediction that knowing the truth spares."""
    blind = largest(c.predicted, c.predicted_negative)
    return ratio(largest(c.tp, c.fn) + largest(c.fp, c.tn) - blind, c.total - blind)


@coefficient(
    title="Guttman's lambda B",
    latex=r"\frac{\max(\TP, \FP) + \max(\FN, \TN) - \max(\TP + \FN, \FP + \TN)}{n - \max(\TP + \FN, \FP + \TN)}",
    bounds=(0, 1),
    smooth=False,
    transposed="guttman_lambda_a",
    undefined="the class occurs never or always",
    references=("Guttman1941",),
    peers={"pycm": ("GuttmanLambdaB",)},
    symmetric=False,
)
def guttman_lambda_b(c: Cells) -> Array:
    """The share of wrong guesses of the truth that knowing the prediction spares."""
    blind = largest(c.actual, c.actual_negative)
    return ratio(largest(c.tp, c.fp) + largest(c.fn, c.tn) - blind, c.total - blind)
