"""Coefficients: measures of likeness between two binary variables, class against the rest, from many sciences.

Their literature writes a for TP, b for FP, c for FN and d for TN. PyCM computes 63 of them: two are
F1 of the negative class and lift, which `rates` declares, and Forbes II is Benini II; six are
written here as their authors meant them, where PyCM computes something else.

Each is a row: name, title, meaning, formula, the same in LaTeX, where it is undefined, references,
PyCM's names, and the facts in which it differs from most.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import Array, absolute, largest, log, log1p, ratio, smallest, sqrt0
from confmat.metrics.declaration import ClassMetric, of_class
from confmat.metrics.margins import determinant

# A perfect matrix has the best value that its margins allow, which is not the same for all margins.
_BY_MARGINS = math.nan

_EMPTY = "there are no items"
_NOWHERE = "the class occurs on neither side"
_NO_SIDE = "the class never occurs or is never predicted"
_ONE_SIDED = "the class occurs never or always, or is predicted never or always"
_ALL_OR_NONE = "the class is on both sides of every item or of none"
_ONE_ANSWER = "the class is never or always predicted"

_DELTA = r"\TP - \frac{(\TP + \FP) (\TP + \FN)}{n}"
_WITHIN = r"\max(\TP, \FP) + \max(\FN, \TN) + \max(\TP, \FN) + \max(\FP, \TN)"
_BLIND = r"\max(\TP + \FN, \FP + \TN) + \max(\TP + \FP, \FN + \TN)"


def _coefficient(
    name: str,
    title: str,
    summary: str,
    formula: Callable[[Cells], Array],
    latex: str,
    undefined: str | None,
    references: str,
    pycm: str = "",
    **facts: Any,
) -> ClassMetric:
    """Declare a coefficient; several references, or names in PyCM, are in one text with blanks between them.

    Most run from 0 to 1, treat truth and prediction alike, and count the true negatives; the others
    say so.
    """
    formula.__doc__ = summary
    most: dict[str, Any] = {"bounds": (0, 1), "symmetric": True, "depends_on_k": True}
    return of_class(
        name=name,
        title=title,
        latex=latex,
        undefined=undefined,
        references=tuple(references.split()),
        peers={"pycm": tuple(pycm.split())} if pycm else None,
        family="coefficients",
        **most | facts,
    )(formula)


_distance = partial(_coefficient, better="lower")
_beyond_chance = partial(_coefficient, chance=0)


def _errors(c: Cells) -> Array:
    return c.fp + c.fn


def _either(c: Cells) -> Array:
    """Items that truth, prediction or both give to the class."""
    return c.predicted + c.fn


def _contrast(first: Array, second: Array) -> Array:
    return ratio(first - second, first + second)


def _to_three_quarters(x: Array) -> Array:
    return sqrt0(x) * sqrt0(sqrt0(x))


def _knowing(c: Cells) -> Array:
    """Right guesses of either side when the other is known, added up."""
    return largest(c.tp, c.fp) + largest(c.fn, c.tn) + largest(c.tp, c.fn) + largest(c.fp, c.tn)


def _blind(c: Cells) -> Array:
    """Right guesses of either side when nothing is known, added up."""
    return largest(c.actual, c.actual_negative) + largest(c.predicted, c.predicted_negative)


def _spared(first: Array, second: Array) -> Array:
    """Wrong guesses that knowledge spares: in both lines, by how much the answer that is not the commonest is ahead."""
    return smallest(
        largest(first, 0.0) + largest(second, 0.0), largest(-first, 0.0) + largest(-second, 0.0)
    )


def _spared_of_prediction(c: Cells) -> Array:
    return _spared(c.fn - c.tp, c.tn - c.fp)


def _spared_of_truth(c: Cells) -> Array:
    return _spared(c.fp - c.tp, c.tn - c.fn)


def _improbability(c: Cells) -> Array:
    # Import SciPy late: one coefficient needs it. Its gamma function continues factorials between
    # the integers.
    from scipy.special import loggamma

    n, margins = c.total, (c.predicted, c.actual, c.actual_negative, c.predicted_negative)
    share = log(n * n * n) - log(2 * math.pi * math.prod(margins))
    above, below = (
        sum(loggamma(x + 1.0) for x in part) for part in ((n, c.tp, c.fp, c.fn, c.tn), margins)
    )
    return share + 2 * (above - below)


def _angle(c: Cells) -> Array:
    """The share of right answers as an angle: arcsin of its root, in units of a right angle."""
    right, wrong = c.tp + c.tn, _errors(c)
    if np.iscomplexobj(right):
        return np.arcsin(sqrt0(ratio(right, right + wrong))) * (2 / math.pi)
    # The tangent of half the angle keeps its digits where the sine has turned flat.
    return np.arctan(ratio(sqrt0(right), sqrt0(right + wrong) + sqrt0(wrong))) * (4 / math.pi)


anderberg = _coefficient(
    "anderberg",
    "Anderberg's D",
    "By how much the share of right guesses grows when the other side is known, mean of both "
    "directions.",
    lambda c: ratio(_knowing(c) - _blind(c), 2 * c.total),
    rf"\frac{{{_WITHIN} - ({_BLIND})}}{{2 n}}",
    _EMPTY,
    "Anderberg1973 Choi2010",
    bounds=(0, 0.5),
    best=_BY_MARGINS,
    smooth=False,
)
benini = _beyond_chance(
    "benini",
    "Benini's index of attraction",
    "1 less the observed misses divided by those expected by chance.",
    lambda c: ratio(determinant(c), c.actual * c.predicted_negative),
    r"\frac{\TP \cdot \TN - \FP \cdot \FN}{(\TP + \FN) (\FN + \TN)}",
    "the class never occurs or is always predicted",
    "Benini1901",
    "BeniniI",
    aliases=("benini_1",),
    bounds=(None, 1),
    symmetric=False,
)
binary_lambda = _coefficient(
    "binary_lambda",
    "Goodman and Kruskal's lambda of a 2x2 table",
    "The share of wrong guesses that knowing the other side spares, both directions together.",
    lambda c: ratio(
        _spared_of_prediction(c) + _spared_of_truth(c),
        smallest(c.predicted, c.predicted_negative) + smallest(c.actual, c.actual_negative),
    ),
    rf"\frac{{{_WITHIN} - ({_BLIND})}}{{2 n - ({_BLIND})}}",
    "the class occurs never or always, and is predicted never or always",
    "GoodmanKruskal1954",
    "GoodmanKruskalLambda",
    smooth=False,
)
binary_lambda_r = _coefficient(
    "binary_lambda_r",
    "Goodman and Kruskal's lambda-r of a 2x2 table",
    "Reliability beyond naming always the one class that both sides together name most.",
    lambda c: _contrast(2 * smallest(c.tp, c.tn), _errors(c)),
    r"\frac{2 \min(\TP, \TN) - \FP - \FN}{2 \min(\TP, \TN) + \FP + \FN}",
    _ALL_OR_NONE,
    "GoodmanKruskal1954 Warrens2008",
    bounds=(-1, 1),
    smooth=False,
    depends_on_k=False,
)
binary_tau_a = _beyond_chance(
    "binary_tau_a",
    "Kendall's tau-a of a 2x2 table",
    "Pairs of items ordered alike by truth and prediction, less those ordered otherwise, of all "
    "pairs.",
    lambda c: ratio(2 * determinant(c), c.total * (c.total - 1)),
    r"\frac{2 (\TP \cdot \TN - \FP \cdot \FN)}{n (n - 1)}",
    "there is one item or none",
    "Kendall1938",
    bounds=(-1, 1),
    best=_BY_MARGINS,
    scale_free=False,
)
dennis = _beyond_chance(
    "dennis",
    "Dennis",
    "Hits beyond chance in units of the square root of the expected ones.",
    lambda c: ratio(determinant(c), sqrt0(c.total) * sqrt0(c.predicted * c.actual)),
    r"\frac{\TP - \frac{(\TP + \FP) (\TP + \FN)}{n}}{\sqrt{\frac{(\TP + \FP) (\TP + \FN)}{n}}}",
    _NO_SIDE,
    "Dennis1965",
    "Dennis",
    scale_free=False,
    when_never_predicted=0,
    bounds=(None, None),
)
digby = _beyond_chance(
    "digby",
    "Digby",
    "A quick approximation of the tetrachoric correlation, between Yule's Q and Y.",
    lambda c: _contrast(_to_three_quarters(c.tp * c.tn), _to_three_quarters(c.fp * c.fn)),
    r"\frac{(\TP \cdot \TN)^{3/4} - (\FP \cdot \FN)^{3/4}}{(\TP \cdot \TN)^{3/4} + (\FP \cdot "
    r"\FN)^{3/4}}",
    _ONE_SIDED,
    "Digby1983",
    "Digby",
    bounds=(-1, 1),
    when_never_predicted=0,
)
dispersion = _beyond_chance(
    "dispersion",
    "Dispersion",
    "The covariance of truth and prediction, both counted as 0 or 1.",
    lambda c: ratio(determinant(c), c.total * c.total),
    r"\frac{\TP \cdot \TN - \FP \cdot \FN}{n^2}",
    _EMPTY,
    "Choi2010",
    "Dispersion",
    bounds=(-0.25, 0.25),
    best=_BY_MARGINS,
)
doolittle = _beyond_chance(
    "doolittle",
    "Doolittle",
    "The square of the Matthews correlation: perfect error scores like perfect success.",
    lambda c: (
        ratio(determinant(c), c.actual * c.actual_negative)
        * ratio(determinant(c), c.predicted * c.predicted_negative)
    ),
    r"\frac{(\TP \cdot n - (\TP + \FP) (\TP + \FN))^2}{(\TP + \FP) (\TP + \FN) (\FP + \TN) (\FN + "
    r"\TN)}",
    _ONE_SIDED,
    "Doolittle1884",
    "Doolittle",
    when_never_predicted=0,
)
eyraud = _beyond_chance(
    "eyraud",
    "Eyraud",
    "The covariance divided by both variances; on counts in place of shares it needs the n squared.",
    lambda c: ratio(
        c.total * c.total * determinant(c),
        c.predicted * c.actual_negative * c.actual * c.predicted_negative,
    ),
    r"\frac{n^2 (n \TP - (\TP + \FP) (\TP + \FN))}{(\TP + \FP) (\TP + \FN) (\FP + \TN) (\FN + \TN)}",
    _ONE_SIDED,
    "Eyraud1938 Choi2010",
    when_never_predicted=0,
    bounds=(None, None),
)
forbes_2 = _beyond_chance(
    "forbes_2",
    "Forbes II",
    "Hits beyond chance, as a share of the most that the margins allow; also known as Benini's "
    "second index.",
    lambda c: ratio(
        determinant(c), smallest(c.actual * c.predicted_negative, c.predicted * c.actual_negative)
    ),
    r"\frac{\TP \cdot \TN - \FP \cdot \FN}{\min((\TP + \FN) (\FN + \TN), (\TP + \FP) (\FP + \TN))}",
    _NO_SIDE + ", or is always both",
    "Forbes1925 Benini1901",
    "ForbesII BeniniII",
    aliases=("benini_2",),
    bounds=(None, 1),
    smooth=False,
    when_never_predicted=0,
)
gilbert_wells = _coefficient(
    "gilbert_wells",
    "Gilbert and Wells",
    "How improbable the table is, given its margins, against an average one; either sign of "
    "association counts.",
    _improbability,
    r"\ln \frac{n^3}{2 \pi (\TP + \FP) (\TP + \FN) (\FP + \TN) (\FN + \TN)}"
    r" + 2 \ln \frac{n! \TP! \FP! \FN! \TN!}{(\TP + \FP)! (\TP + \FN)! (\FP + \TN)! (\FN + \TN)!}",
    _ONE_SIDED,
    "Gilbert1966",
    "GilbertWells",
    scale_free=False,
    fair=False,
    bounds=(None, None),
)
guttman_lambda_a = _coefficient(
    "guttman_lambda_a",
    "Guttman's lambda A",
    "The share of wrong guesses of the prediction that knowing the truth spares.",
    lambda c: ratio(_spared_of_prediction(c), smallest(c.predicted, c.predicted_negative)),
    r"\frac{\max(\TP, \FN) + \max(\FP, \TN) - \max(\TP + \FP, \FN + \TN)}{n - \max(\TP + \FP, \FN "
    r"+ \TN)}",
    _ONE_ANSWER,
    "Guttman1941",
    "GuttmanLambdaA",
    smooth=False,
    transposed="guttman_lambda_b",
    when_never_predicted=0,
    symmetric=False,
)
guttman_lambda_b = _coefficient(
    "guttman_lambda_b",
    "Guttman's lambda B",
    "The share of wrong guesses of the truth that knowing the prediction spares.",
    lambda c: ratio(_spared_of_truth(c), smallest(c.actual, c.actual_negative)),
    r"\frac{\max(\TP, \FP) + \max(\FN, \TN) - \max(\TP + \FN, \FP + \TN)}{n - \max(\TP + \FN, \FP "
    r"+ \TN)}",
    "the class occurs never or always",
    "Guttman1941",
    "GuttmanLambdaB",
    smooth=False,
    transposed="guttman_lambda_a",
    symmetric=False,
)
kent_foster_1 = _coefficient(
    "kent_foster_1",
    "Kent and Foster, occurrences",
    "Agreement beyond chance among the items that either side gives to the class: never above 0.",
    lambda c: ratio(-c.fp * c.fn, _errors(c) * (c.tp + _errors(c)) - c.fp * c.fn),
    r"\frac{\TP - \frac{(\TP + \FP) (\TP + \FN)}{\TP + \FP + \FN}}"
    r"{\TP - \frac{(\TP + \FP) (\TP + \FN)}{\TP + \FP + \FN} + \FP + \FN}",
    "the class has no error",
    "Kent1977",
    "KentFosterI",
    bounds=(-1 / 3, 0),
    best=_BY_MARGINS,
    depends_on_k=False,
)
kent_foster_2 = _coefficient(
    "kent_foster_2",
    "Kent and Foster, non-occurrences",
    "Agreement beyond chance among the items that either side denies to the class: never above 0.",
    lambda c: ratio(-c.fp * c.fn, _errors(c) * (c.tn + _errors(c)) - c.fp * c.fn),
    r"\frac{\TN - \frac{(\TN + \FP) (\TN + \FN)}{\TN + \FP + \FN}}"
    r"{\TN - \frac{(\TN + \FP) (\TN + \FN)}{\TN + \FP + \FN} + \FP + \FN}",
    "the class has no error",
    "Kent1977",
    "KentFosterII",
    bounds=(-1 / 3, 0),
    best=_BY_MARGINS,
)
koppen_1 = _coefficient(
    "koppen_1",
    "Köppen I",
    "Scott's pi of the class against the rest: Köppen's coefficient, written for shares, when "
    "margins may differ.",
    lambda c: ratio(
        4 * c.tp * c.tn - _errors(c) * _errors(c), (2 * c.tp + _errors(c)) * (2 * c.tn + _errors(c))
    ),
    r"1 - \frac{2 n (\FP + \FN)}{(2 \TP + \FP + \FN) (2 \TN + \FP + \FN)}",
    _ALL_OR_NONE,
    "Koppen1870 GoodmanKruskal1959",
    aliases=("binary_scott_pi",),
    bounds=(-1, 1),
)
kuder_richardson = _beyond_chance(
    "kuder_richardson",
    "Kuder and Richardson",
    "Reliability of a test of two items, truth and prediction: Cronbach's alpha of both.",
    lambda c: ratio(4 * determinant(c), 4 * c.tp * c.tn + (c.fp + c.fn) * (c.tp + c.tn)),
    r"\frac{4 (\TP \cdot \TN - \FP \cdot \FN)}"
    r"{(\TP + \FP) (\FN + \TN) + (\TP + \FN) (\FP + \TN) + 2 (\TP \cdot \TN - \FP \cdot \FN)}",
    _ALL_OR_NONE + ", or each side denies what the other says",
    "Kuder1937 Cronbach1951",
    "KuderRichardson",
    bounds=(None, 1),
)
baulieu_1 = _distance(
    "baulieu_1",
    "Baulieu I",
    "One minus the squared Fowlkes-Mallows index; Baulieu's 12th coefficient.",
    lambda c: ratio(c.tp * _errors(c) + c.fp * c.fn, c.predicted * c.actual),
    r"1 - \frac{\TP^2}{(\TP + \FP) (\TP + \FN)}",
    _NO_SIDE,
    "Baulieu1989",
    "BaulieuI",
    when_never_predicted=1,
    depends_on_k=False,
)
baulieu_2 = _coefficient(
    "baulieu_2",
    "Baulieu II",
    "The product of precision, recall, specificity and negative predictive value: a similarity.",
    lambda c: (
        ratio(c.tp * c.tn, c.predicted * c.actual_negative)
        * ratio(c.tp * c.tn, c.actual * c.predicted_negative)
    ),
    r"\frac{\TP^2 \TN^2}{(\TP + \FP) (\TP + \FN) (\FP + \TN) (\FN + \TN)}",
    _ONE_SIDED,
    "Baulieu1989",
    "BaulieuII",
    when_never_predicted=0,
)
baulieu_3 = _distance(
    "baulieu_3",
    "Baulieu III",
    "One half less twice the dispersion: half of Baulieu's 20th coefficient, whose printed form "
    "reaches 2.",
    lambda c: ratio(c.total * c.total - 4 * determinant(c), 2 * c.total * c.total),
    r"\frac{n^2 - 4 (\TP \cdot \TN - \FP \cdot \FN)}{2 n^2}",
    _EMPTY,
    "Baulieu1989",
    "BaulieuIII",
    best=_BY_MARGINS,
)
baulieu_4 = _distance(
    "baulieu_4",
    "Baulieu IV",
    "Baulieu's 22nd coefficient, built to break an axiom; its free irrational number is taken as e.",
    lambda c: (
        ratio(_errors(c), c.total)
        - math.e * ratio((2 * c.tp + 1) * (2 * c.tn + 1) * c.tn, 4 * c.total)
    ),
    r"\frac{\FP + \FN - (\TP + \frac{1}{2}) (\TN + \frac{1}{2}) \TN e}{n}",
    _EMPTY,
    "Baulieu1997",
    "BaulieuIV",
    bounds=(None, 1),
    scale_free=False,
)
baulieu_5 = _distance(
    "baulieu_5",
    "Baulieu V",
    "The Jaccard distance with one more error counted than were made.",
    lambda c: ratio(_errors(c) + 1, _either(c) + 1),
    r"\frac{\FP + \FN + 1}{\TP + \FP + \FN + 1}",
    None,
    "Baulieu1997",
    "BaulieuV",
    best=_BY_MARGINS,
    scale_free=False,
    depends_on_k=False,
)
baulieu_6 = _distance(
    "baulieu_6",
    "Baulieu VI",
    "The Jaccard distance with one more item in its bottom.",
    lambda c: ratio(_errors(c), _either(c) + 1),
    r"\frac{\FP + \FN}{\TP + \FP + \FN + 1}",
    None,
    "Baulieu1997",
    "BaulieuVI",
    scale_free=False,
    depends_on_k=False,
)
baulieu_7 = _distance(
    "baulieu_7",
    "Baulieu VII",
    "Baulieu's 25th coefficient: more hits do not always bring the two closer.",
    lambda c: ratio(_errors(c), c.total + c.tp * (c.tp - 4) * (c.tp - 4)),
    r"\frac{\FP + \FN}{n + \TP (\TP - 4)^2}",
    _EMPTY,
    "Baulieu1997",
    "BaulieuVII",
    scale_free=False,
)
baulieu_8 = _distance(
    "baulieu_8",
    "Baulieu VIII",
    "The squared difference of how often the class is predicted and how often it occurs.",
    lambda c: ratio((c.fp - c.fn) * (c.fp - c.fn), c.total * c.total),
    r"\frac{(\FP - \FN)^2}{n^2}",
    _EMPTY,
    "Baulieu1989",
    "BaulieuVIII",
    depends_on_k=False,
)
baulieu_9 = _distance(
    "baulieu_9",
    "Baulieu IX",
    "The one-vs-rest error rate with each missed item counted twice.",
    lambda c: ratio(c.fp + 2 * c.fn, c.total + c.fn),
    r"\frac{\FP + 2 \FN}{\TP + \FP + 2 \FN + \TN}",
    _EMPTY,
    "Baulieu1997",
    "BaulieuIX",
    symmetric=False,
)
baulieu_10 = _distance(
    "baulieu_10",
    "Baulieu X",
    "The one-vs-rest error rate with the commoner kind of error counted twice.",
    lambda c: ratio(_errors(c) + largest(c.fp, c.fn), c.total + largest(c.fp, c.fn)),
    r"\frac{\FP + \FN + \max(\FP, \FN)}{n + \max(\FP, \FN)}",
    _EMPTY,
    "Baulieu1997",
    "BaulieuX",
    smooth=False,
)
baulieu_11 = _distance(
    "baulieu_11",
    "Baulieu XI",
    "The Jaccard distance of the negative class.",
    lambda c: ratio(_errors(c), _errors(c) + c.tn),
    r"\frac{\FP + \FN}{\FP + \FN + \TN}",
    "every item is a hit",
    "Baulieu1997",
    "BaulieuXI",
)
baulieu_12 = _distance(
    "baulieu_12",
    "Baulieu XII",
    "The Jaccard distance with one item less in its bottom, meant for tables with a hit: without "
    "any it exceeds 1.",
    lambda c: ratio(_errors(c), _either(c) - 1),
    r"\frac{\FP + \FN}{\TP + \FP + \FN - 1}",
    "hits and errors of the class are one item together",
    "Baulieu1997",
    "BaulieuXII",
    best=_BY_MARGINS,
    scale_free=False,
    depends_on_k=False,
    bounds=(None, None),
)
baulieu_13 = _distance(
    "baulieu_13",
    "Baulieu XIII",
    "Baulieu VII without the true negatives.",
    lambda c: ratio(_errors(c), _either(c) + c.tp * (c.tp - 4) * (c.tp - 4)),
    r"\frac{\FP + \FN}{\TP + \FP + \FN + \TP (\TP - 4)^2}",
    _NOWHERE,
    "Baulieu1997",
    "BaulieuXIII",
    scale_free=False,
    depends_on_k=False,
)
baulieu_14 = _distance(
    "baulieu_14",
    "Baulieu XIV",
    "The Jaccard distance with each missed item counted twice: a Tversky distance.",
    lambda c: ratio(c.fp + 2 * c.fn, c.tp + c.fp + 2 * c.fn),
    r"\frac{\FP + 2 \FN}{\TP + \FP + 2 \FN}",
    _NOWHERE,
    "Baulieu1997",
    "BaulieuXIV",
    symmetric=False,
    depends_on_k=False,
)
baulieu_15 = _distance(
    "baulieu_15",
    "Baulieu XV",
    "The Jaccard distance with the commoner kind of error counted twice.",
    lambda c: ratio(_errors(c) + largest(c.fp, c.fn), _either(c) + largest(c.fp, c.fn)),
    r"\frac{\FP + \FN + \max(\FP, \FN)}{\TP + \FP + \FN + \max(\FP, \FN)}",
    _NOWHERE,
    "Baulieu1997",
    "BaulieuXV",
    smooth=False,
    depends_on_k=False,
)
kuhns_1 = _beyond_chance(
    "kuhns_1",
    "Kuhns I, separation",
    "Twice the share of hits beyond chance.",
    lambda c: ratio(2 * determinant(c), c.total * c.total),
    rf"\frac{{2 ({_DELTA})}}{{n}}",
    _EMPTY,
    "Kuhns1965",
    "KuhnsI",
    bounds=(-0.5, 0.5),
    best=_BY_MARGINS,
)
kuhns_2 = _beyond_chance(
    "kuhns_2",
    "Kuhns II, rectangular distance",
    "Hits beyond chance, per item of the larger side.",
    lambda c: ratio(determinant(c), c.total * largest(c.predicted, c.actual)),
    rf"\frac{{{_DELTA}}}{{\max(\TP + \FP, \TP + \FN)}}",
    _NOWHERE,
    "Kuhns1965",
    "KuhnsII",
    bounds=(-0.5, 1),
    best=_BY_MARGINS,
    smooth=False,
)
kuhns_3 = _beyond_chance(
    "kuhns_3",
    "Kuhns III, overlap",
    "The Jaccard index less the value that it has when truth and prediction are independent.",
    lambda c: ratio(
        (c.predicted + c.actual) * determinant(c),
        (_either(c)) * ((c.predicted + c.actual) * c.total - c.predicted * c.actual),
    ),
    rf"\frac{{{_DELTA}}}{{(1 - \frac{{\TP}}{{2 \TP + \FP + \FN}})"
    r" (2 \TP + \FP + \FN - \frac{(\TP + \FP) (\TP + \FN)}{n})}",
    _NOWHERE,
    "Kuhns1965",
    "KuhnsIII",
    bounds=(-1 / 3, 1),
    best=_BY_MARGINS,
)
kuhns_4 = _beyond_chance(
    "kuhns_4",
    "Kuhns IV, conditional probability",
    "Hits beyond chance, per item of the smaller side.",
    lambda c: ratio(determinant(c), c.total * smallest(c.predicted, c.actual)),
    rf"\frac{{{_DELTA}}}{{\min(\TP + \FP, \TP + \FN)}}",
    _NO_SIDE,
    "Kuhns1965",
    "KuhnsIV",
    bounds=(-1, 1),
    best=_BY_MARGINS,
    smooth=False,
    when_never_predicted=0,
)
kuhns_5 = _beyond_chance(
    "kuhns_5",
    "Kuhns V, probability difference",
    "The smaller of informedness and markedness in size.",
    lambda c: ratio(
        determinant(c), largest(c.predicted * c.predicted_negative, c.actual * c.actual_negative)
    ),
    r"\frac{\TP \cdot \TN - \FP \cdot \FN}"
    r"{\max((\TP + \FP) (\FN + \TN), (\TP + \FN) (\FP + \TN))}",
    _ALL_OR_NONE + ", or one side of all is faced by the other of none",
    "Kuhns1965",
    "KuhnsV",
    bounds=(-1, 1),
    smooth=False,
)
kuhns_6 = _beyond_chance(
    "kuhns_6",
    "Kuhns VI, probability difference",
    "The larger of informedness and markedness in size.",
    lambda c: ratio(
        determinant(c), smallest(c.predicted * c.predicted_negative, c.actual * c.actual_negative)
    ),
    r"\frac{\TP \cdot \TN - \FP \cdot \FN}"
    r"{\min((\TP + \FP) (\FN + \TN), (\TP + \FN) (\FP + \TN))}",
    _ONE_SIDED,
    "Kuhns1965",
    "KuhnsVI",
    bounds=(-1, 1),
    smooth=False,
    when_never_predicted=0,
)
kuhns_7 = _beyond_chance(
    "kuhns_7",
    "Kuhns VII, cosine",
    "The Fowlkes-Mallows index less the value that it has when truth and prediction are "
    "independent.",
    lambda c: ratio(determinant(c), c.total * sqrt0(c.predicted * c.actual)),
    rf"\frac{{{_DELTA}}}{{\sqrt{{(\TP + \FP) (\TP + \FN)}}}}",
    _NO_SIDE,
    "Kuhns1965",
    "KuhnsVII",
    bounds=(-0.5, 1),
    best=_BY_MARGINS,
    when_never_predicted=0,
)
ample = _beyond_chance(
    "ample",
    "AMPLE",
    "The size of markedness: how differently often the class occurs where it is predicted and "
    "where it is not.",
    lambda c: absolute(ratio(determinant(c), c.predicted * c.predicted_negative)),
    r"\left| \frac{\TP}{\TP + \FP} - \frac{\FN}{\FN + \TN} \right|",
    _ONE_ANSWER,
    "Dallmeier2005",
    "AMPLE",
    smooth=False,
    when_never_predicted=0,
    symmetric=False,
)
andres_marzo_delta = _coefficient(
    "andres_marzo_delta",
    "Delta of Andrés and Marzo",
    "Agreement that is not guessed, when truth and prediction are raters who know some items and "
    "guess the others.",
    lambda c: ratio(c.tp + c.tn - 2 * sqrt0(c.fp * c.fn), c.total),
    r"\frac{\TP + \TN - 2 \sqrt{\FP \cdot \FN}}{n}",
    _EMPTY,
    "Andres2004",
    "AndresMarzoDelta",
    bounds=(-1, 1),
)
baroni_urbani_buser_1 = _coefficient(
    "baroni_urbani_buser_1",
    "Baroni-Urbani and Buser I",
    "The Jaccard index with the geometric mean of both kinds of hits added above and below.",
    lambda c: ratio(sqrt0(c.tp * c.tn) + c.tp, sqrt0(c.tp * c.tn) + _either(c)),
    r"\frac{\sqrt{\TP \cdot \TN} + \TP}{\sqrt{\TP \cdot \TN} + \TP + \FP + \FN}",
    _NOWHERE,
    "BaroniUrbani1976",
    "BaroniUrbaniBuserI",
)
baroni_urbani_buser_2 = _coefficient(
    "baroni_urbani_buser_2",
    "Baroni-Urbani and Buser II",
    "The first coefficient of its authors, stretched to reach from -1 to 1.",
    lambda c: _contrast(sqrt0(c.tp * c.tn) + c.tp, _errors(c)),
    r"\frac{\sqrt{\TP \cdot \TN} + \TP - \FP - \FN}{\sqrt{\TP \cdot \TN} + \TP + \FP + \FN}",
    _NOWHERE,
    "BaroniUrbani1976",
    "BaroniUrbaniBuserII",
    bounds=(-1, 1),
)
batagelj_bren = _distance(
    "batagelj_bren",
    "Batagelj and Bren",
    "The reciprocal of the diagnostic odds ratio.",
    lambda c: ratio(c.fp * c.fn, c.tp * c.tn),
    r"\frac{\FP \cdot \FN}{\TP \cdot \TN}",
    "there are no true positives or no true negatives",
    "Batagelj1995",
    "BatageljBren",
    bounds=(0, None),
    fair=False,
    function_of=("diagnostic_odds_ratio", lambda odds: 1 / odds),
)
canberra = _distance(
    "canberra",
    "Canberra",
    "Errors as a share of all places where the class is named: 1 - F1.",
    lambda c: ratio(_errors(c), c.predicted + c.actual),
    r"\frac{\FP + \FN}{2 \TP + \FP + \FN}",
    _NOWHERE,
    "Lance1966",
    "Canberra",
    aliases=("dice_distance",),
    complement="f1",
    depends_on_k=False,
)
clement = _coefficient(
    "clement",
    "Clement",
    "Precision and negative predictive value, each weighted by how often the other answer is given.",
    lambda c: (
        ratio(c.tp * c.predicted_negative, c.predicted * c.total)
        + ratio(c.tn * c.predicted, c.predicted_negative * c.total)
    ),
    r"\frac{\TP}{\TP + \FP} (1 - \frac{\TP + \FP}{n})"
    r" + \frac{\TN}{\FN + \TN} (1 - \frac{\FN + \TN}{n})",
    _ONE_ANSWER,
    "Clement1976",
    "Clement",
    when_never_predicted=0,
    symmetric=False,
)
consonni_todeschini_1 = _coefficient(
    "consonni_todeschini_1",
    "Consonni and Todeschini I",
    "One-vs-rest accuracy on a logarithmic scale.",
    lambda c: ratio(log1p(c.tp + c.tn), log1p(c.total)),
    r"\frac{\ln(1 + \TP + \TN)}{\ln(1 + n)}",
    _EMPTY,
    "Consonni2012",
    "ConsonniTodeschiniI",
    scale_free=False,
)
consonni_todeschini_2 = _coefficient(
    "consonni_todeschini_2",
    "Consonni and Todeschini II",
    "1 less the one-vs-rest errors on a logarithmic scale.",
    lambda c: 1 - ratio(log1p(_errors(c)), log1p(c.total)),
    r"\frac{\ln(1 + n) - \ln(1 + \FP + \FN)}{\ln(1 + n)}",
    _EMPTY,
    "Consonni2012",
    "ConsonniTodeschiniII",
    scale_free=False,
)
consonni_todeschini_3 = _coefficient(
    "consonni_todeschini_3",
    "Consonni and Todeschini III",
    "The share of hits among all items on a logarithmic scale.",
    lambda c: ratio(log1p(c.tp), log1p(c.total)),
    r"\frac{\ln(1 + \TP)}{\ln(1 + n)}",
    _EMPTY,
    "Consonni2012",
    "ConsonniTodeschiniIII",
    best=_BY_MARGINS,
    scale_free=False,
)
consonni_todeschini_4 = _coefficient(
    "consonni_todeschini_4",
    "Consonni and Todeschini IV",
    "The Jaccard index on a logarithmic scale.",
    lambda c: ratio(log1p(c.tp), log1p(_either(c))),
    r"\frac{\ln(1 + \TP)}{\ln(1 + \TP + \FP + \FN)}",
    _NOWHERE,
    "Consonni2012",
    "ConsonniTodeschiniIV",
    scale_free=False,
    depends_on_k=False,
)
consonni_todeschini_5 = _coefficient(
    "consonni_todeschini_5",
    "Consonni and Todeschini V",
    "The odds ratio on a logarithmic scale that ends at -1 and 1.",
    lambda c: ratio(log1p(c.tp * c.tn) - log1p(c.fp * c.fn), log1p(ratio(c.total * c.total, 4))),
    r"\frac{\ln(1 + \TP \cdot \TN) - \ln(1 + \FP \cdot \FN)}{\ln(1 + n^2 / 4)}",
    _EMPTY,
    "Consonni2012",
    "ConsonniTodeschiniV",
    bounds=(-1, 1),
    best=_BY_MARGINS,
    scale_free=False,
)
fager_mcgowan = _coefficient(
    "fager_mcgowan",
    "Fager and McGowan",
    "The Fowlkes-Mallows index, less a correction for small numbers.",
    lambda c: (
        ratio(c.tp, sqrt0(c.predicted * c.actual))
        - ratio(1, 2 * sqrt0(largest(c.predicted, c.actual)))
    ),
    r"\frac{\TP}{\sqrt{(\TP + \FP) (\TP + \FN)}} - \frac{1}{2 \sqrt{\max(\TP + \FP, \TP + \FN)}}",
    _NO_SIDE,
    "Fager1963",
    "FagerMcGowan",
    bounds=(-0.5, 1),
    best=_BY_MARGINS,
    scale_free=False,
    smooth=False,
    when_never_predicted=-0.5,
    depends_on_k=False,
)
faith = _coefficient(
    "faith",
    "Faith",
    "One-vs-rest accuracy in which a true negative counts half.",
    lambda c: ratio(2 * c.tp + c.tn, 2 * c.total),
    r"\frac{\TP + \TN / 2}{n}",
    _EMPTY,
    "Faith1983",
    "Faith",
    best=_BY_MARGINS,
)
fossum = _coefficient(
    "fossum",
    "Fossum",
    "The squared hits, corrected for continuity, in units of those expected by chance.",
    lambda c: ratio(c.total * (2 * c.tp - 1) * (2 * c.tp - 1), 4 * c.predicted * c.actual),
    r"\frac{n (\TP - \frac{1}{2})^2}{(\TP + \FP) (\TP + \FN)}",
    _NO_SIDE,
    "Fossum1966",
    "Fossum",
    bounds=(0, None),
    scale_free=False,
    when_never_predicted=0,
)
goodall = _coefficient(
    "goodall",
    "Goodall",
    "One-vs-rest accuracy as an angle, so that its variance hardly depends on its value.",
    _angle,
    r"\frac{2}{\pi} \arcsin \sqrt{\frac{\TP + \TN}{n}}",
    _EMPTY,
    "Goodall1967",
    "Goodall",
)
hamann = _coefficient(
    "hamann",
    "Hamann",
    "Right answers less wrong ones, class against the rest, as a share of all.",
    lambda c: ratio(c.tp + c.tn - c.fp - c.fn, c.total),
    r"\frac{\TP + \TN - \FP - \FN}{n}",
    _EMPTY,
    "Hamann1961",
    "Hamann",
    bounds=(-1, 1),
    function_of=("class_accuracy", lambda accuracy: 2 * accuracy - 1),
)
harris_lahey = _coefficient(
    "harris_lahey",
    "Harris and Lahey",
    "The Jaccard indices of the class and of the rest, each weighted by how rare its side is.",
    lambda c: (
        ratio(c.tp * (2 * c.tn + _errors(c)), 2 * c.total * _either(c))
        + ratio(c.tn * (2 * c.tp + _errors(c)), 2 * c.total * (c.tn + _errors(c)))
    ),
    r"\frac{\TP (2 \TN + \FP + \FN)}{2 n (\TP + \FP + \FN)}"
    r" + \frac{\TN (2 \TP + \FP + \FN)}{2 n (\TN + \FP + \FN)}",
    _ALL_OR_NONE,
    "Harris1978",
    "HarrisLahey",
)
hawkins_dotson = _coefficient(
    "hawkins_dotson",
    "Hawkins and Dotson",
    "The mean of the Jaccard indices of the class and of the rest.",
    lambda c: ratio(ratio(c.tp, _either(c)) + ratio(c.tn, c.tn + _errors(c)), 2),
    r"\frac{1}{2} (\frac{\TP}{\TP + \FP + \FN} + \frac{\TN}{\TN + \FP + \FN})",
    _ALL_OR_NONE,
    "Hawkins1973",
    "HawkinsDotson",
)
koppen_2 = _coefficient(
    "koppen_2",
    "Köppen II",
    "How often the class occurs, the mean of truth and prediction.",
    lambda c: ratio(c.predicted + c.actual, 2 * c.total),
    r"\frac{2 \TP + \FP + \FN}{2 n}",
    _EMPTY,
    "Koppen1870 GoodmanKruskal1959",
    better="neither",
    fair=False,
)

__all__ = [name for name, value in vars().items() if isinstance(value, ClassMetric)]
