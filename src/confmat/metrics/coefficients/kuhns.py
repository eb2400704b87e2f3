"""Kuhns' continuum of coefficients: one excess of hits over chance, measured against seven wholes."""

from __future__ import annotations

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import Array, largest, ratio, smallest, sqrt0
from confmat.metrics.coefficients._family import BY_MARGINS, coefficient
from confmat.metrics.margins import determinant

__all__ = ["kuhns_1", "kuhns_2", "kuhns_3", "kuhns_4", "kuhns_5", "kuhns_6", "kuhns_7"]

_NO_SIDE = "the class never occurs or is never predicted"
_ONE_SIDED = "the class occurs never or always, or is predicted never or always"
_DELTA = r"\TP - \frac{(\TP + \FP) (\TP + \FN)}{n}"


@coefficient(
    title="Kuhns I, separation",
    latex=rf"\frac{{2 ({_DELTA})}}{{n}}",
    bounds=(-0.5, 0.5),
    better="higher",
    best=BY_MARGINS,
    symmetric=True,
    chance=0,
    depends_on_k=True,
    undefined="there are no items",
    references=("Kuhns1965",),
    peers={"pycm": ("KuhnsI",)},
)
def kuhns_1(c: Cells) -> Array:
    """Twice the share of hits beyond chance."""
    return ratio(2 * determinant(c), c.total * c.total)


@coefficient(
    title="Kuhns II, rectangular distance",
    latex=rf"\frac{{{_DELTA}}}{{\max(\TP + \FP, \TP + \FN)}}",
    bounds=(-0.5, 1),
    better="higher",
    best=BY_MARGINS,
    symmetric=True,
    smooth=False,
    chance=0,
    depends_on_k=True,
    undefined="the class occurs on neither side",
    references=("Kuhns1965",),
    peers={"pycm": ("KuhnsII",)},
)
def kuhns_2(c: Cells) -> Array:
    """Hits beyond chance, per item of the larger side."""
    return ratio(determinant(c), c.total * largest(c.predicted, c.actual))


@coefficient(
    title="Kuhns III, overlap",
    latex=(
        rf"\frac{{{_DELTA}}}{{(1 - \frac{{\TP}}{{2 \TP + \FP + \FN}})"
        r" (2 \TP + \FP + \FN - \frac{(\TP + \FP) (\TP + \FN)}{n})}"
    ),
    bounds=(-1 / 3, 1),
    better="higher",
    best=BY_MARGINS,
    symmetric=True,
    chance=0,
    depends_on_k=True,
    undefined="the class occurs on neither side",
    references=("Kuhns1965",),
    peers={"pycm": ("KuhnsIII",)},
)
def kuhns_3(c: Cells) -> Array:
    """The Jaccard index less the value that it has when truth and prediction are independent."""
    both = c.predicted + c.actual
    return ratio(both * determinant(c), (both - c.tp) * (both * c.total - c.predicted * c.actual))


@coefficient(
    title="Kuhns IV, conditional probability",
    latex=rf"\frac{{{_DELTA}}}{{\min(\TP + \FP, \TP + \FN)}}",
    bounds=(-1, 1),
    better="higher",
    best=BY_MARGINS,
    symmetric=True,
    smooth=False,
    chance=0,
    depends_on_k=True,
    undefined=_NO_SIDE,
    when_never_predicted=0,
    references=("Kuhns1965",),
    peers={"pycm": ("KuhnsIV",)},
)
def kuhns_4(c: Cells) -> Array:
    """Hits beyond chance, per item of the smaller side."""
    return ratio(determinant(c), c.total * smallest(c.predicted, c.actual))


@coefficient(
    title="Kuhns V, probability difference",
    latex=(
        r"\frac{\TP \cdot \TN - \FP \cdot \FN}"
        r"{\max((\TP + \FP) (\FN + \TN), (\TP + \FN) (\FP + \TN))}"
    ),
    bounds=(-1, 1),
    better="higher",
    symmetric=True,
    smooth=False,
    chance=0,
    depends_on_k=True,
    undefined="the class is on both sides of every item or of none, or one side of all is faced by the other of none",
    references=("Kuhns1965",),
    peers={"pycm": ("KuhnsV",)},
)
def kuhns_5(c: Cells) -> Array:
    """The smaller of informedness and markedness in size."""
    return ratio(determinant(c), largest(c.predicted * c.predicted_negative, c.actual * c.actual_negative))


@coefficient(
    title="Kuhns VI, probability difference",
    latex=(
        r"\frac{\TP \cdot \TN - \FP \cdot \FN}"
        r"{\min((\TP + \FP) (\FN + \TN), (\TP + \FN) (\FP + \TN))}"
    ),
    bounds=(-1, 1),
    better="higher",
    symmetric=True,
    smooth=False,
    chance=0,
    depends_on_k=True,
    undefined=_ONE_SIDED,
    when_never_predicted=0,
    references=("Kuhns1965",),
    peers={"pycm": ("KuhnsVI",)},
)
def kuhns_6(c: Cells) -> Array:
    """The larger of informedness and markedness in size."""
    return ratio(determinant(c), smallest(c.predicted * c.predicted_negative, c.actual * c.actual_negative))


@coefficient(
    title="Kuhns VII, cosine",
    latex=rf"\frac{{{_DELTA}}}{{\sqrt{{(\TP + \FP) (\TP + \FN)}}}}",
    bounds=(-0.5, 1),
    better="higher",
    best=BY_MARGINS,
    symmetric=True,
    rational=False,
    chance=0,
    depends_on_k=True,
    undefined=_NO_SIDE,
    when_never_predicted=0,
    references=("Kuhns1965",),
    peers={"pycm": ("KuhnsVII",)},
)
def kuhns_7(c: Cells) -> Array:
    """The Fowlkes-Mallows index less the value that it has when truth and prediction are independent."""
    return ratio(determinant(c), c.total * sqrt0(c.predicted * c.actual))
