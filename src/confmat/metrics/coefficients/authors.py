"""Coefficients that software numbers by their authors: Baulieu's dissimilarities and Kuhns's continuum."""

from __future__ import annotations

import functools
import math

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import Array, constant, largest, ratio, smallest, sqrt0
from confmat.metrics.coefficients._family import BY_MARGINS, coefficient
from confmat.metrics.margins import determinant

__all__ = [
    "baulieu_1",
    "baulieu_2",
    "baulieu_3",
    "baulieu_4",
    "baulieu_5",
    "baulieu_6",
    "baulieu_7",
    "baulieu_8",
    "baulieu_9",
    "baulieu_10",
    "baulieu_11",
    "baulieu_12",
    "baulieu_13",
    "baulieu_14",
    "baulieu_15",
    "kuhns_1",
    "kuhns_2",
    "kuhns_3",
    "kuhns_4",
    "kuhns_5",
    "kuhns_6",
    "kuhns_7",
]


_baulieu = functools.partial(coefficient, better="lower", references=("Baulieu1997",))
_kuhns = functools.partial(coefficient, chance=0, references=("Kuhns1965",))


@coefficient(
    title="Baulieu I",
    latex=r"1 - \frac{\TP^2}{(\TP + \FP) (\TP + \FN)}",
    bounds=(0, 1),
    better="lower",
    undefined="the class never occurs or is never predicted",
    when_never_predicted=1,
    references=("Baulieu1989",),
    peers={"pycm": ("BaulieuI",)},
    depends_on_k=False,
)
def baulieu_1(c: Cells) -> Array:
    """One minus the squared Fowlkes-Mallows index; Baulieu's 12th coefficient."""
    return ratio(c.predicted * c.actual - c.tp * c.tp, c.predicted * c.actual)


@coefficient(
    title="Baulieu II",
    latex=r"\frac{\TP^2 \TN^2}{(\TP + \FP) (\TP + \FN) (\FP + \TN) (\FN + \TN)}",
    bounds=(0, 1),
    undefined="the class occurs never or always, or is predicted never or always",
    when_never_predicted=0,
    references=("Baulieu1989",),
    peers={"pycm": ("BaulieuII",)},
)
def baulieu_2(c: Cells) -> Array:
    """The product of precision, recall, specificity and negative predictive value: a similarity."""
    hits = ratio(c.tp * c.tn, c.predicted * c.actual_negative)
    return hits * ratio(c.tp * c.tn, c.actual * c.predicted_negative)


@coefficient(
    title="Baulieu III",
    latex=r"\frac{n^2 - 4 (\TP \cdot \TN - \FP \cdot \FN)}{2 n^2}",
    bounds=(0, 1),
    better="lower",
    best=BY_MARGINS,
    undefined="there are no items",
    references=("Baulieu1989",),
    peers={"pycm": ("BaulieuIII",)},
)
def baulieu_3(c: Cells) -> Array:
    """One half less twice the dispersion: half of Baulieu's 20th coefficient, whose printed form reaches 2."""
    return ratio(c.total * c.total - 4 * determinant(c), 2 * c.total * c.total)


@_baulieu(
    title="Baulieu IV",
    latex=r"\frac{\FP + \FN - (\TP + \frac{1}{2}) (\TN + \frac{1}{2}) \TN e}{n}",
    bounds=(None, 1),
    scale_free=False,
    rational=False,
    undefined="there are no items",
    peers={"pycm": ("BaulieuIV",)},
)
def baulieu_4(c: Cells) -> Array:
    """Baulieu's 22nd coefficient, built to break an axiom; its free irrational number is taken as e."""
    right = ratio((2 * c.tp + 1) * (2 * c.tn + 1) * c.tn, 4 * c.total)
    return ratio(c.fp + c.fn, c.total) - right * constant(math.e, right)


@_baulieu(
    title="Baulieu V",
    latex=r"\frac{\FP + \FN + 1}{\TP + \FP + \FN + 1}",
    bounds=(0, 1),
    best=BY_MARGINS,
    scale_free=False,
    peers={"pycm": ("BaulieuV",)},
    depends_on_k=False,
)
def baulieu_5(c: Cells) -> Array:
    """The Jaccard distance with one more error counted than were made."""
    return ratio(c.fp + c.fn + 1, c.tp + c.fp + c.fn + 1)


@_baulieu(
    title="Baulieu VI",
    latex=r"\frac{\FP + \FN}{\TP + \FP + \FN + 1}",
    bounds=(0, 1),
    scale_free=False,
    peers={"pycm": ("BaulieuVI",)},
    depends_on_k=False,
)
def baulieu_6(c: Cells) -> Array:
    """The Jaccard distance with one more item in its bottom."""
    return ratio(c.fp + c.fn, c.tp + c.fp + c.fn + 1)


@_baulieu(
    title="Baulieu VII",
    latex=r"\frac{\FP + \FN}{n + \TP (\TP - 4)^2}",
    bounds=(0, 1),
    scale_free=False,
    undefined="there are no items",
    peers={"pycm": ("BaulieuVII",)},
)
def baulieu_7(c: Cells) -> Array:
    """Baulieu's 25th coefficient: more hits do not always bring the two closer."""
    away = c.tp - 4
    return ratio(c.fp + c.fn, c.total + c.tp * (away * away))


@coefficient(
    title="Baulieu VIII",
    latex=r"\frac{(\FP - \FN)^2}{n^2}",
    bounds=(0, 1),
    better="lower",
    undefined="there are no items",
    references=("Baulieu1989",),
    peers={"pycm": ("BaulieuVIII",)},
    depends_on_k=False,
)
def baulieu_8(c: Cells) -> Array:
    """The squared difference of how often the class is predicted and how often it occurs."""
    return ratio((c.fp - c.fn) * (c.fp - c.fn), c.total * c.total)


@_baulieu(
    title="Baulieu IX",
    latex=r"\frac{\FP + 2 \FN}{\TP + \FP + 2 \FN + \TN}",
    bounds=(0, 1),
    undefined="there are no items",
    peers={"pycm": ("BaulieuIX",)},
    symmetric=False,
)
def baulieu_9(c: Cells) -> Array:
    """The one-vs-rest error rate with each missed item counted twice."""
    return ratio(c.fp + 2 * c.fn, c.total + c.fn)


@_baulieu(
    title="Baulieu X",
    latex=r"\frac{\FP + \FN + \max(\FP, \FN)}{n + \max(\FP, \FN)}",
    bounds=(0, 1),
    smooth=False,
    undefined="there are no items",
    peers={"pycm": ("BaulieuX",)},
)
def baulieu_10(c: Cells) -> Array:
    """The one-vs-rest error rate with the commoner kind of error counted twice."""
    commoner = largest(c.fp, c.fn)
    return ratio(c.fp + c.fn + commoner, c.total + commoner)


@_baulieu(
    title="Baulieu XI",
    latex=r"\frac{\FP + \FN}{\FP + \FN + \TN}",
    bounds=(0, 1),
    undefined="every item is a hit",
    peers={"pycm": ("BaulieuXI",)},
)
def baulieu_11(c: Cells) -> Array:
    """The Jaccard distance of the negative class."""
    return ratio(c.fp + c.fn, c.fp + c.fn + c.tn)


@_baulieu(
    title="Baulieu XII",
    latex=r"\frac{\FP + \FN}{\TP + \FP + \FN - 1}",
    best=BY_MARGINS,
    scale_free=False,
    undefined="hits and errors of the class are one item together",
    peers={"pycm": ("BaulieuXII",)},
    depends_on_k=False,
)
def baulieu_12(c: Cells) -> Array:
    """The Jaccard distance with one item less in its bottom, meant for tables with a hit: without any it exceeds 1."""
    return ratio(c.fp + c.fn, c.tp + c.fp + c.fn - 1)


@_baulieu(
    title="Baulieu XIII",
    latex=r"\frac{\FP + \FN}{\TP + \FP + \FN + \TP (\TP - 4)^2}",
    bounds=(0, 1),
    scale_free=False,
    undefined="the class occurs on neither side",
    peers={"pycm": ("BaulieuXIII",)},
    depends_on_k=False,
)
def baulieu_13(c: Cells) -> Array:
    """Baulieu VII without the true negatives."""
    away = c.tp - 4
    return ratio(c.fp + c.fn, c.tp + c.fp + c.fn + c.tp * (away * away))


@_baulieu(
    title="Baulieu XIV",
    latex=r"\frac{\FP + 2 \FN}{\TP + \FP + 2 \FN}",
    bounds=(0, 1),
    undefined="the class occurs on neither side",
    peers={"pycm": ("BaulieuXIV",)},
    symmetric=False,
    depends_on_k=False,
)
def baulieu_14(c: Cells) -> Array:
    """The Jaccard distance with each missed item counted twice: a Tversky distance."""
    return ratio(c.fp + 2 * c.fn, c.tp + c.fp + 2 * c.fn)


@_baulieu(
    title="Baulieu XV",
    latex=r"\frac{\FP + \FN + \max(\FP, \FN)}{\TP + \FP + \FN + \max(\FP, \FN)}",
    bounds=(0, 1),
    smooth=False,
    undefined="the class occurs on neither side",
    peers={"pycm": ("BaulieuXV",)},
    depends_on_k=False,
)
def baulieu_15(c: Cells) -> Array:
    """The Jaccard distance with the commoner kind of error counted twice."""
    commoner = largest(c.fp, c.fn)
    return ratio(c.fp + c.fn + commoner, c.tp + c.fp + c.fn + commoner)


_NO_SIDE = "the class never occurs or is never predicted"
_ONE_SIDED = "the class occurs never or always, or is predicted never or always"
_DELTA = r"\TP - \frac{(\TP + \FP) (\TP + \FN)}{n}"


@_kuhns(
    title="Kuhns I, separation",
    latex=rf"\frac{{2 ({_DELTA})}}{{n}}",
    bounds=(-0.5, 0.5),
    best=BY_MARGINS,
    undefined="there are no items",
    peers={"pycm": ("KuhnsI",)},
)
def kuhns_1(c: Cells) -> Array:
    """Twice the share of hits beyond chance."""
    return ratio(2 * determinant(c), c.total * c.total)


@_kuhns(
    title="Kuhns II, rectangular distance",
    latex=rf"\frac{{{_DELTA}}}{{\max(\TP + \FP, \TP + \FN)}}",
    bounds=(-0.5, 1),
    best=BY_MARGINS,
    smooth=False,
    undefined="the class occurs on neither side",
    peers={"pycm": ("KuhnsII",)},
)
def kuhns_2(c: Cells) -> Array:
    """Hits beyond chance, per item of the larger side."""
    return ratio(determinant(c), c.total * largest(c.predicted, c.actual))


@_kuhns(
    title="Kuhns III, overlap",
    latex=(
        rf"\frac{{{_DELTA}}}{{(1 - \frac{{\TP}}{{2 \TP + \FP + \FN}})"
        r" (2 \TP + \FP + \FN - \frac{(\TP + \FP) (\TP + \FN)}{n})}"
    ),
    bounds=(-1 / 3, 1),
    best=BY_MARGINS,
    undefined="the class occurs on neither side",
    peers={"pycm": ("KuhnsIII",)},
)
def kuhns_3(c: Cells) -> Array:
    """The Jaccard index less the value that it has when truth and prediction are independent."""
    both = c.predicted + c.actual
    return ratio(both * determinant(c), (both - c.tp) * (both * c.total - c.predicted * c.actual))


@_kuhns(
    title="Kuhns IV, conditional probability",
    latex=rf"\frac{{{_DELTA}}}{{\min(\TP + \FP, \TP + \FN)}}",
    bounds=(-1, 1),
    best=BY_MARGINS,
    smooth=False,
    undefined=_NO_SIDE,
    when_never_predicted=0,
    peers={"pycm": ("KuhnsIV",)},
)
def kuhns_4(c: Cells) -> Array:
    """Hits beyond chance, per item of the smaller side."""
    return ratio(determinant(c), c.total * smallest(c.predicted, c.actual))


@_kuhns(
    title="Kuhns V, probability difference",
    latex=(
        r"\frac{\TP \cdot \TN - \FP \cdot \FN}"
        r"{\max((\TP + \FP) (\FN + \TN), (\TP + \FN) (\FP + \TN))}"
    ),
    bounds=(-1, 1),
    smooth=False,
    undefined="the class is on both sides of every item or of none, or one side of all is faced by the other of none",
    peers={"pycm": ("KuhnsV",)},
)
def kuhns_5(c: Cells) -> Array:
    """The smaller of informedness and markedness in size."""
    return ratio(determinant(c), largest(c.predicted * c.predicted_negative, c.actual * c.actual_negative))


@_kuhns(
    title="Kuhns VI, probability difference",
    latex=(
        r"\frac{\TP \cdot \TN - \FP \cdot \FN}"
        r"{\min((\TP + \FP) (\FN + \TN), (\TP + \FN) (\FP + \TN))}"
    ),
    bounds=(-1, 1),
    smooth=False,
    undefined=_ONE_SIDED,
    when_never_predicted=0,
    peers={"pycm": ("KuhnsVI",)},
)
def kuhns_6(c: Cells) -> Array:
    """The larger of informedness and markedness in size."""
    return ratio(determinant(c), smallest(c.predicted * c.predicted_negative, c.actual * c.actual_negative))


@_kuhns(
    title="Kuhns VII, cosine",
    latex=rf"\frac{{{_DELTA}}}{{\sqrt{{(\TP + \FP) (\TP + \FN)}}}}",
    bounds=(-0.5, 1),
    best=BY_MARGINS,
    rational=False,
    undefined=_NO_SIDE,
    when_never_predicted=0,
    peers={"pycm": ("KuhnsVII",)},
)
def kuhns_7(c: Cells) -> Array:
    """The Fowlkes-Mallows index less the value that it has when truth and prediction are independent."""
    return ratio(determinant(c), c.total * sqrt0(c.predicted * c.actual))
