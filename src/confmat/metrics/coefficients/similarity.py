"""Coefficients of similarity and distance: shares of what truth and prediction have in common."""

from __future__ import annotations

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import Array, absolute, largest, log1p, ratio, sqrt0
from confmat.metrics.coefficients._family import BY_MARGINS, angle_of_share, coefficient

__all__ = [
    "ample",
    "andres_marzo_delta",
    "baroni_urbani_buser_1",
    "baroni_urbani_buser_2",
    "batagelj_bren",
    "canberra",
    "clement",
    "consonni_todeschini_1",
    "consonni_todeschini_2",
    "consonni_todeschini_3",
    "consonni_todeschini_4",
    "consonni_todeschini_5",
    "fager_mcgowan",
    "faith",
    "fossum",
    "goodall",
    "hamann",
    "harris_lahey",
    "hawkins_dotson",
    "koppen_2",
]

_EMPTY = "there are no items"
_NOWHERE = "the class occurs on neither side"
_NO_SIDE = "the class never occurs or is never predicted"


@coefficient(
    title="AMPLE",
    latex=r"\left| \frac{\TP}{\TP + \FP} - \frac{\FN}{\FN + \TN} \right|",
    bounds=(0, 1),
    smooth=False,
    chance=0,
    undefined="the class is never or always predicted",
    when_never_predicted=0,
    references=("Dallmeier2005",),
    peers={"pycm": ("AMPLE",)},
    symmetric=False,
)
def ample(c: Cells) -> Array:
    """The size of markedness: how differently often the class occurs where it is predicted and where it is not."""
    return absolute(ratio(c.tp * c.tn - c.fp * c.fn, c.predicted * c.predicted_negative))


@coefficient(
    title="Delta of Andrés and Marzo",
    latex=r"\frac{\TP + \TN - 2 \sqrt{\FP \cdot \FN}}{n}",
    bounds=(-1, 1),
    rational=False,
    undefined=_EMPTY,
    references=("Andres2004",),
    peers={"pycm": ("AndresMarzoDelta",)},
)
def andres_marzo_delta(c: Cells) -> Array:
    """Agreement that is not guessed, when truth and prediction are raters who know some items and guess the others."""
    return ratio(c.tp + c.tn - 2 * sqrt0(c.fp * c.fn), c.total)


@coefficient(
    title="Baroni-Urbani and Buser I",
    latex=r"\frac{\sqrt{\TP \cdot \TN} + \TP}{\sqrt{\TP \cdot \TN} + \TP + \FP + \FN}",
    bounds=(0, 1),
    rational=False,
    undefined=_NOWHERE,
    references=("BaroniUrbani1976",),
    peers={"pycm": ("BaroniUrbaniBuserI",)},
)
def baroni_urbani_buser_1(c: Cells) -> Array:
    """The Jaccard index with the geometric mean of both kinds of hits added above and below."""
    hits = sqrt0(c.tp * c.tn) + c.tp
    return ratio(hits, hits + c.fp + c.fn)


@coefficient(
    title="Baroni-Urbani and Buser II",
    latex=r"\frac{\sqrt{\TP \cdot \TN} + \TP - \FP - \FN}{\sqrt{\TP \cdot \TN} + \TP + \FP + \FN}",
    bounds=(-1, 1),
    rational=False,
    undefined=_NOWHERE,
    references=("BaroniUrbani1976",),
    peers={"pycm": ("BaroniUrbaniBuserII",)},
)
def baroni_urbani_buser_2(c: Cells) -> Array:
    """The first coefficient of its authors, stretched to reach from -1 to 1."""
    hits, errors = sqrt0(c.tp * c.tn) + c.tp, c.fp + c.fn
    return ratio(hits - errors, hits + errors)


@coefficient(
    title="Batagelj and Bren",
    latex=r"\frac{\FP \cdot \FN}{\TP \cdot \TN}",
    bounds=(0, None),
    better="lower",
    fair=False,
    function_of=("diagnostic_odds_ratio", lambda odds: 1 / odds),
    undefined="there are no true positives or no true negatives",
    references=("Batagelj1995",),
    peers={"pycm": ("BatageljBren",)},
)
def batagelj_bren(c: Cells) -> Array:
    """The reciprocal of the diagnostic odds ratio."""
    return ratio(c.fp * c.fn, c.tp * c.tn)


@coefficient(
    title="Canberra",
    aliases=("dice_distance",),
    latex=r"\frac{\FP + \FN}{2 \TP + \FP + \FN}",
    bounds=(0, 1),
    better="lower",
    complement="f1",
    undefined=_NOWHERE,
    references=("Lance1966",),
    peers={"pycm": ("Canberra",)},
    depends_on_k=False,
)
def canberra(c: Cells) -> Array:
    """Errors as a share of all places where the class is named: 1 - F1."""
    return ratio(c.fp + c.fn, c.predicted + c.actual)


@coefficient(
    title="Clement",
    latex=(
        r"\frac{\TP}{\TP + \FP} (1 - \frac{\TP + \FP}{n})"
        r" + \frac{\TN}{\FN + \TN} (1 - \frac{\FN + \TN}{n})"
    ),
    bounds=(0, 1),
    undefined="the class is never or always predicted",
    when_never_predicted=0,
    references=("Clement1976",),
    peers={"pycm": ("Clement",)},
    symmetric=False,
)
def clement(c: Cells) -> Array:
    """Precision and negative predictive value, each weighted by how often the other answer is given."""
    positive = ratio(c.tp, c.predicted) * ratio(c.predicted_negative, c.total)
    return positive + ratio(c.tn, c.predicted_negative) * ratio(c.predicted, c.total)


@coefficient(
    title="Consonni and Todeschini I",
    latex=r"\frac{\ln(1 + \TP + \TN)}{\ln(1 + n)}",
    bounds=(0, 1),
    scale_free=False,
    rational=False,
    undefined=_EMPTY,
    references=("Consonni2012",),
    peers={"pycm": ("ConsonniTodeschiniI",)},
)
def consonni_todeschini_1(c: Cells) -> Array:
    """One-vs-rest accuracy on a logarithmic scale."""
    return ratio(log1p(c.tp + c.tn), log1p(c.total))


@coefficient(
    title="Consonni and Todeschini II",
    latex=r"\frac{\ln(1 + n) - \ln(1 + \FP + \FN)}{\ln(1 + n)}",
    bounds=(0, 1),
    scale_free=False,
    rational=False,
    undefined=_EMPTY,
    references=("Consonni2012",),
    peers={"pycm": ("ConsonniTodeschiniII",)},
)
def consonni_todeschini_2(c: Cells) -> Array:
    """1 less the one-vs-rest errors on a logarithmic scale."""
    return 1 - ratio(log1p(c.fp + c.fn), log1p(c.total))


@coefficient(
    title="Consonni and Todeschini III",
    latex=r"\frac{\ln(1 + \TP)}{\ln(1 + n)}",
    bounds=(0, 1),
    best=BY_MARGINS,
    scale_free=False,
    rational=False,
    undefined=_EMPTY,
    references=("Consonni2012",),
    peers={"pycm": ("ConsonniTodeschiniIII",)},
)
def consonni_todeschini_3(c: Cells) -> Array:
    """The share of hits among all items on a logarithmic scale."""
    return ratio(log1p(c.tp), log1p(c.total))


@coefficient(
    title="Consonni and Todeschini IV",
    latex=r"\frac{\ln(1 + \TP)}{\ln(1 + \TP + \FP + \FN)}",
    bounds=(0, 1),
    scale_free=False,
    rational=False,
    undefined=_NOWHERE,
    references=("Consonni2012",),
    peers={"pycm": ("ConsonniTodeschiniIV",)},
    depends_on_k=False,
)
def consonni_todeschini_4(c: Cells) -> Array:
    """The Jaccard index on a logarithmic scale."""
    return ratio(log1p(c.tp), log1p(c.tp + c.fp + c.fn))


@coefficient(
    title="Consonni and Todeschini V",
    latex=r"\frac{\ln(1 + \TP \cdot \TN) - \ln(1 + \FP \cdot \FN)}{\ln(1 + n^2 / 4)}",
    bounds=(-1, 1),
    best=BY_MARGINS,
    scale_free=False,
    rational=False,
    undefined=_EMPTY,
    references=("Consonni2012",),
    peers={"pycm": ("ConsonniTodeschiniV",)},
)
def consonni_todeschini_5(c: Cells) -> Array:
    """The odds ratio on a logarithmic scale that ends at -1 and 1."""
    return ratio(log1p(c.tp * c.tn) - log1p(c.fp * c.fn), log1p(ratio(c.total * c.total, 4)))


@coefficient(
    title="Fager and McGowan",
    latex=r"\frac{\TP}{\sqrt{(\TP + \FP) (\TP + \FN)}} - \frac{1}{2 \sqrt{\max(\TP + \FP, \TP + \FN)}}",
    bounds=(-0.5, 1),
    best=BY_MARGINS,
    scale_free=False,
    smooth=False,
    rational=False,
    undefined=_NO_SIDE,
    when_never_predicted=-0.5,
    references=("Fager1963",),
    peers={"pycm": ("FagerMcGowan",)},
    depends_on_k=False,
)
def fager_mcgowan(c: Cells) -> Array:
    """The Fowlkes-Mallows index, less a correction for small numbers."""
    few = ratio(1, 2 * sqrt0(largest(c.predicted, c.actual)))
    return ratio(c.tp, sqrt0(c.predicted * c.actual)) - few


@coefficient(
    title="Faith",
    latex=r"\frac{\TP + \TN / 2}{n}",
    bounds=(0, 1),
    best=BY_MARGINS,
    undefined=_EMPTY,
    references=("Faith1983",),
    peers={"pycm": ("Faith",)},
)
def faith(c: Cells) -> Array:
    """One-vs-rest accuracy in which a true negative counts half."""
    return ratio(2 * c.tp + c.tn, 2 * c.total)


@coefficient(
    title="Fossum",
    latex=r"\frac{n (\TP - \frac{1}{2})^2}{(\TP + \FP) (\TP + \FN)}",
    bounds=(0, None),
    scale_free=False,
    undefined=_NO_SIDE,
    when_never_predicted=0,
    references=("Fossum1966",),
    peers={"pycm": ("Fossum",)},
)
def fossum(c: Cells) -> Array:
    """The squared hits, corrected for continuity, in units of those expected by chance."""
    double = 2 * c.tp - 1
    return ratio(c.total * double * double, 4 * c.predicted * c.actual)


@coefficient(
    title="Goodall",
    latex=r"\frac{2}{\pi} \arcsin \sqrt{\frac{\TP + \TN}{n}}",
    bounds=(0, 1),
    rational=False,
    undefined=_EMPTY,
    references=("Goodall1967",),
    peers={"pycm": ("Goodall",)},
)
def goodall(c: Cells) -> Array:
    """One-vs-rest accuracy as an angle, so that its variance hardly depends on its value."""
    return angle_of_share(c.tp + c.tn, c.fp + c.fn)


@coefficient(
    title="Hamann",
    latex=r"\frac{\TP + \TN - \FP - \FN}{n}",
    bounds=(-1, 1),
    undefined=_EMPTY,
    function_of=("class_accuracy", lambda accuracy: 2 * accuracy - 1),
    references=("Hamann1961",),
    peers={"pycm": ("Hamann",)},
)
def hamann(c: Cells) -> Array:
    """Right answers less wrong ones, class against the rest, as a share of all."""
    return ratio(c.tp + c.tn - c.fp - c.fn, c.total)


@coefficient(
    title="Harris and Lahey",
    latex=(
        r"\frac{\TP (2 \TN + \FP + \FN)}{2 n (\TP + \FP + \FN)}"
        r" + \frac{\TN (2 \TP + \FP + \FN)}{2 n (\TN + \FP + \FN)}"
    ),
    bounds=(0, 1),
    undefined="the class is on both sides of every item or of none",
    references=("Harris1978",),
    peers={"pycm": ("HarrisLahey",)},
)
def harris_lahey(c: Cells) -> Array:
    """The Jaccard indices of the class and of the rest, each weighted by how rare its side is."""
    errors = c.fp + c.fn
    of_class_itself = ratio(c.tp, c.tp + errors) * ratio(2 * c.tn + errors, 2 * c.total)
    return of_class_itself + ratio(c.tn, c.tn + errors) * ratio(2 * c.tp + errors, 2 * c.total)


@coefficient(
    title="Hawkins and Dotson",
    latex=r"\frac{1}{2} (\frac{\TP}{\TP + \FP + \FN} + \frac{\TN}{\TN + \FP + \FN})",
    bounds=(0, 1),
    undefined="the class is on both sides of every item or of none",
    references=("Hawkins1973",),
    peers={"pycm": ("HawkinsDotson",)},
)
def hawkins_dotson(c: Cells) -> Array:
    """The mean of the Jaccard indices of the class and of the rest."""
    errors = c.fp + c.fn
    return ratio(ratio(c.tp, c.tp + errors) + ratio(c.tn, c.tn + errors), 2)


@coefficient(
    title="Köppen II",
    latex=r"\frac{2 \TP + \FP + \FN}{2 n}",
    bounds=(0, 1),
    better="neither",
    fair=False,
    undefined=_EMPTY,
    references=("Koppen1870", "GoodmanKruskal1959"),
)
def koppen_2(c: Cells) -> Array:
    """How often the class occurs, the mean of truth and prediction."""
    return ratio(c.predicted + c.actual, 2 * c.total)
