"""Single numbers made of per-class recalls and precisions: F of their means, geometric mean, success indices."""

from __future__ import annotations

from typing import Any

from confmat.core.cells import once
from confmat.metrics.arithmetic import constant, largest, ratio
from confmat.metrics.averages import AVERAGES
from confmat.metrics.declaration import Margins, Metric, of_matrix
from confmat.metrics.factories import factory, positive_number
from confmat.metrics.sums import count, filled, occurring, occurs, precisions, recall_sum, recalls, seen

__all__ = [
    "class_balance_accuracy",
    "classification_success_index",
    "f1_of_macro",
    "f_of_macro",
    "multiclass_g_mean",
]

_NOTHING_OCCURS = "no class occurs in the truth"


@factory(
    title="F of mean precision and mean recall",
    example=(2,),
    aliases=("f_beta_of_macro", "f_of_means"),
    peers={"onedal": "macroFscore"},
)
def f_of_macro(beta: float = 1) -> Metric:
    """F of the mean precision and the mean recall over the classes that occur in the truth.

    >>> from confmat import ConfusionMatrix
    >>> f_of_macro(2)(ConfusionMatrix([[8, 2], [2, 8]]))
    0.8
    """
    beta = positive_number("beta", beta)

    @of_matrix(
        title=f"F{beta:g} of mean precision and mean recall",
        name="f1_of_macro" if beta == 1 else f"f_of_macro({beta:g})",
        aliases=("macro_f_of_means", "sokolova_macro_f") if beta == 1 else (),
        latex=r"\frac{(1 + \beta^2) \bar P \bar R}{\beta^2 \bar P + \bar R}".replace(r"\beta^2", f"{beta:g}^2"),
        bounds=(0, 1),
        undefined=_NOTHING_OCCURS,
        sees="classes",
        references=("SokolovaLapalme2009", "OpitzBurst2019"),
        family="macro",
    )
    def of_means(m: Margins) -> Any:
        """F of the mean precision and the mean recall over the classes that occur in the truth.

        This is the macro F of oneDAL and of Sokolova and Lapalme. The macro F of scikit-learn and most others is
        another number: the mean of the F scores of the classes, `f_beta(beta)(m, average="macro")`. The F of
        means is the greater of the two, and rewards a classifier whose errors are biased towards some classes.
        A class that occurs but is never predicted has precision 0; oneDAL gives NaN there.
        """
        precision, recall = _precision_sum(m), recall_sum(m)
        weight = constant(beta, m.diagonal) * constant(beta, m.diagonal)
        # Without a single hit both means are 0, and so is their F.
        return ratio((1 + weight) * precision * recall, filled(weight * precision + recall) * occurring(m))

    return of_means


f1_of_macro = f_of_macro(1)


@of_matrix(
    title="Class balance accuracy",
    aliases=("cba",),
    latex=r"\frac{1}{|\{i: r_i + c_i > 0\}|} \sum_i \frac{d_i}{\max(r_i, c_i)}",
    bounds=(0, 1),
    undefined="the matrix is empty",
    symmetric=True,
    smooth=False,
    sees="classes",
    references=("Mosley2013",),
    peers={"pycm": "CBA"},
    family="macro",
)
def class_balance_accuracy(m: Margins) -> Any:
    """Mean over the classes seen on either side of the lesser of precision and recall.

    Over-prediction costs as much as misses, so it is never above the mean recall of the same classes. Classes
    that occur on neither side are left out.
    """
    return ratio(ratio(m.diagonal, filled(largest(m.actual, m.predicted))).sum(axis=-1), count(seen(m)))


@of_matrix(
    title="Classification success index",
    aliases=("mean_icsi",),
    latex=r"\frac{1}{K'} \sum_{i: r_i > 0} \left(\frac{d_i}{c_i} + \frac{d_i}{r_i} - 1\right)",
    bounds=(-1, 1),
    undefined=_NOTHING_OCCURS,
    sees="classes",
    references=("KoukoulasBlackburn2001", "LabatutCherifi2011"),
    peers={"pycm": "CSI"},
    family="macro",
)
def classification_success_index(m: Margins) -> Any:
    """Mean of precision + recall - 1 over the classes that occur; precision counts 0 where nothing was predicted."""
    present = occurs(m)
    # Class by class, since the sums of both may take digits from each other.
    return ratio((precisions(m) + recalls(m) - present).sum(axis=-1), occurring(m))


@once
def _precision_sum(m: Margins) -> Any:
    """Sum of the precisions of the classes that occur; one that never does has no hits."""
    return precisions(m).sum(axis=-1)


@of_matrix(
    title="Geometric mean of the recalls",
    aliases=("geometric_mean_score", "g_mean_multiclass"),
    latex=r"\left(\prod_{i: r_i > 0} \frac{d_i}{r_i}\right)^{1/K'}",
    bounds=(0, 1),
    mistaken_for=("class_g_mean.macro",),
    undefined=_NOTHING_OCCURS,
    rational=False,
    sees="classes",
    references=("SunKamelWang2006",),
    peers={"imblearn": "geometric_mean_score", "river": "GeometricMean"},
    family="macro",
)
def multiclass_g_mean(m: Margins) -> Any:
    """K-th root of the product of the recalls of the classes that occur; 0 as soon as one is never found."""
    present = occurs(m)
    # An absent class stands in the product with 1 and weight 0.
    return AVERAGES["geometric"].formula(recalls(m) + ~present, present * 1)
