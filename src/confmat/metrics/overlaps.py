"""Overlaps and balances: a class and its predictions as sets, and recall and specificity in one number."""

from __future__ import annotations

import math
from typing import Any

from confmat.core.cells import Cells
from confmat.core.errors import MetricError
from confmat.metrics.arithmetic import absolute, largest, ratio, smallest, sqrt0
from confmat.metrics.declaration import ClassMetric, Metric, factory, of_class, positive_number

__all__ = [
    "adjusted_f",
    "adjusted_g_mean",
    "braun_blanquet",
    "class_g_mean",
    "dominance",
    "g_measure",
    "iba",
    "individual_classification_success",
    "jaccard",
    "one_point_auc",
    "one_point_aupr",
    "optimized_precision",
    "overlap",
    "p4",
    "roc_distance",
    "roc_similarity",
    "tversky",
]

_NEITHER = "the class neither occurs nor is predicted"


@of_class(
    title="Jaccard index",
    aliases=(
        "iou",
        "iou_score",
        "intersection_over_union",
        "critical_success_index",
        "threat_score",
        "tanimoto",
        "jaccard_index",
        "ts",
    ),
    latex=r"\frac{\TP}{\TP + \FP + \FN}",
    bounds=(0, 1),
    monotone=True,
    overlap=True,
    symmetric=True,
    undefined=_NEITHER,
    references=("Jaccard1912",),
    peers={
        "sklearn": "jaccard_score",
        "torchmetrics": ("MulticlassJaccardIndex", "MeanIoU"),
        "pycm": "J",
    },
)
def jaccard(c: Cells) -> Any:
    """Share of the items that belong to the class or were predicted as it, that do both."""
    return ratio(c.tp, c.tp + c.fp + c.fn)


@factory(title="Tversky index", example=(0.3, 0.7), aliases=("ti",), peers={"pycm": "TI"})
def tversky(alpha: float, beta: float) -> ClassMetric:
    """Overlap in which a miss costs alpha and a false alarm costs beta.

    tversky(1, 1) is the Jaccard index, tversky(0.5, 0.5) is F1.
    """
    alpha, beta = positive_number("alpha", alpha), positive_number("beta", beta)

    @of_class(
        title=f"Tversky ({alpha:g}, {beta:g})",
        name=f"tversky({alpha!r}, {beta!r})",
        latex=rf"\frac{{\TP}}{{\TP + {alpha!r} \cdot \FN + {beta!r} \cdot \FP}}",
        bounds=(0, 1),
        symmetric=alpha == beta,
        function_of=("jaccard", lambda x: x / (x + alpha * (1 - x))) if alpha == beta > 0 else None,
        undefined=_NEITHER,
        when_never_predicted=0,
        references=("Tversky1977",),
    )
    def index(c: Cells) -> Any:
        """Overlap of truth and prediction in which misses and false alarms have their own price."""
        return ratio(c.tp, c.tp + alpha * c.fn + beta * c.fp)

    return index


@of_class(
    title="G measure",
    aliases=("ochiai", "otsuka_ochiai", "cosine_similarity", "class_fowlkes_mallows"),
    latex=r"\frac{\TP}{\sqrt{(\TP + \FP) \cdot (\TP + \FN)}}",
    bounds=(0, 1),
    monotone=True,
    symmetric=True,
    undefined="the class never occurs or is never predicted",
    when_never_predicted=0,
    references=("Ochiai1957", "FowlkesMallows1983"),
    peers={"pycm": ("G", "OOC")},
)
def g_measure(c: Cells) -> Any:
    """Geometric mean of precision and recall."""
    return ratio(c.tp, sqrt0(c.predicted * c.actual))


@of_class(
    title="Overlap coefficient",
    aliases=("szymkiewicz_simpson",),
    latex=r"\frac{\TP}{\min(\TP + \FP, \TP + \FN)}",
    bounds=(0, 1),
    symmetric=True,
    smooth=False,
    undefined="the class never occurs or is never predicted",
    when_never_predicted=0,
    references=("Simpson1943",),
    peers={"pycm": "OC"},
)
def overlap(c: Cells) -> Any:
    """The greater of precision and recall."""
    return ratio(c.tp, smallest(c.predicted, c.actual))


@of_class(
    title="Braun-Blanquet similarity",
    latex=r"\frac{\TP}{\max(\TP + \FP, \TP + \FN)}",
    bounds=(0, 1),
    symmetric=True,
    smooth=False,
    undefined=_NEITHER,
    references=("BraunBlanquet1932",),
    peers={"pycm": "BB"},
)
def braun_blanquet(c: Cells) -> Any:
    """The lesser of precision and recall."""
    return ratio(c.tp, largest(c.predicted, c.actual))


@of_class(
    title="Individual classification success index",
    aliases=("icsi",),
    latex=r"\frac{\TP^2 - \FP \cdot \FN}{(\TP + \FP) \cdot (\TP + \FN)}",
    bounds=(-1, 1),
    symmetric=True,
    undefined="the class never occurs or is never predicted",
    when_never_predicted=-1,
    references=("Koukoulas2001",),
    peers={"pycm": "ICSI"},
)
def individual_classification_success(c: Cells) -> Any:
    """Precision plus recall minus one."""
    return ratio(c.tp * c.tp - c.fp * c.fn, c.predicted * c.actual)


_NO_CONTRAST = "the class never occurs or every item belongs to it"
_N = r"(\TP + \FP + \FN + \TN)"


@of_class(
    title="Area under the one-point ROC curve",
    aliases=("auc", "class_balanced_accuracy", "one_point_roc_auc"),
    latex=r"\frac{\TP \cdot (\TN + \FP) + \TN \cdot (\TP + \FN)}{2 \cdot (\TP + \FN) \cdot (\TN + \FP)}",
    bounds=(0, 1),
    monotone=True,
    mistaken_for=("balanced_accuracy",),
    chance=0.5,
    depends_on_k=True,
    undefined=_NO_CONTRAST,
    references=("SokolovaLapalme2009",),
    peers={
        "pycm": "AUC",
        "caret": "Balanced Accuracy",
        "yardstick": "bal_accuracy",
        "onedal": "AUC",
    },
)
def one_point_auc(c: Cells) -> Any:
    """Mean of recall and specificity: the area under a ROC curve of this one point.

    Its mean over classes is what yardstick calls balanced accuracy; that of scikit-learn is the
    mean recall.
    """
    return ratio(c.tp * c.actual_negative + c.tn * c.actual, 2 * c.actual * c.actual_negative)


@of_class(
    title="Mean of precision and recall",
    aliases=("aupr",),
    latex=r"\frac{\TP \cdot (2 \cdot \TP + \FP + \FN)}{2 \cdot (\TP + \FP) \cdot (\TP + \FN)}",
    bounds=(0, 1),
    symmetric=True,
    undefined="the class never occurs or is never predicted",
    when_never_predicted=0,
    peers={"pycm": "AUPR"},
)
def one_point_aupr(c: Cells) -> Any:
    """Mean of precision and recall, which PyCM calls an area under the precision-recall curve.

    It is no average precision: one point does not make a curve.
    """
    return ratio(c.tp * (c.predicted + c.actual), 2 * c.predicted * c.actual)


@of_class(
    title="G-mean",
    aliases=("gm", "binary_g_mean"),
    latex=r"\sqrt{\frac{\TP \cdot \TN}{(\TP + \FN) \cdot (\TN + \FP)}}",
    bounds=(0, 1),
    monotone=True,
    mistaken_for=("multiclass_g_mean",),
    depends_on_k=True,
    undefined=_NO_CONTRAST,
    references=("KubatMatwin1997",),
    peers={"pycm": "GM"},
)
def class_g_mean(c: Cells) -> Any:
    """Geometric mean of recall and specificity.

    The G-mean of several classes is the geometric mean of their recalls: `recall(m,
    average="geometric")`.
    """
    return sqrt0(ratio(c.tp * c.tn, c.actual * c.actual_negative))


@of_class(
    title="Distance from the perfect ROC point",
    aliases=("dind", "distance_index"),
    latex=r"\sqrt{(\frac{\FP}{\TN + \FP})^2 + (\frac{\FN}{\TP + \FN})^2}",
    bounds=(0, math.sqrt(2)),
    better="lower",
    depends_on_k=True,
    undefined=_NO_CONTRAST,
    peers={"pycm": "dInd", "yardstick": "roc_dist"},
)
def roc_distance(c: Cells) -> Any:
    """Distance in the ROC plane from no misses and no false alarms."""
    miss, false = ratio(c.fn, c.actual), ratio(c.fp, c.actual_negative)
    return sqrt0(miss * miss + false * false)


@of_class(
    title="Similarity to the perfect ROC point",
    aliases=("sind", "similarity_index"),
    latex=r"1 - \frac{\sqrt{(\frac{\FP}{\TN + \FP})^2 + (\frac{\FN}{\TP + \FN})^2}}{\sqrt{2}}",
    bounds=(0, 1),
    depends_on_k=True,
    undefined=_NO_CONTRAST,
    peers={"pycm": "sInd"},
)
def roc_similarity(c: Cells) -> Any:
    """One minus the distance from the perfect ROC point, over its greatest value."""
    miss, false = ratio(c.fn, c.actual), ratio(c.fp, c.actual_negative)
    return 1 - sqrt0(ratio(miss * miss + false * false, 2))


@of_class(
    title="Dominance",
    latex=r"\frac{\TP}{\TP + \FN} - \frac{\TN}{\TN + \FP}",
    bounds=(-1, 1),
    better="neither",
    depends_on_k=True,
    undefined=_NO_CONTRAST,
    references=("Garcia2009",),
)
def dominance(c: Cells) -> Any:
    """Recall minus specificity: which side the classifier serves better."""
    return ratio(c.tp, c.actual) - ratio(c.tn, c.actual_negative)


def _iba_bounds(alpha: float) -> tuple[float, float]:
    # Beyond 1 the tilt outweighs the product: the extremes lie where one of the rates is perfect.
    return (
        (0, 1)
        if alpha <= 1
        else (-((alpha - 1) ** 2) * (0.25 / alpha), (alpha + 1) ** 2 * (0.25 / alpha))
    )


def _iba_latex(alpha: float, score: Metric | None) -> str | None:
    if score is None:
        squared = r"\frac{\TP \cdot \TN}{(\TP + \FN) \cdot (\TN + \FP)}"
    elif score.latex is None or "," in score.latex:
        # A formula in words, or with symbols of its own, is in no other one.
        return None
    else:
        squared = rf"\left({score.latex}\right)^2"
    tilt = r"\frac{\TP \cdot \FP - \TN \cdot \FN}{(\TP + \FN) \cdot (\TN + \FP)}"
    return rf"(1 + {alpha!r} \cdot {tilt}) \cdot {squared}"


@factory(
    title="Index of balanced accuracy",
    aliases=("index_of_balanced_accuracy",),
    example=(0.5,),
    peers={"pycm": "IBA_alpha", "imblearn": "make_index_balanced_accuracy"},
)
def iba(alpha: float = 1, score: Metric | None = None) -> ClassMetric:
    """Squared G-mean times 1 + alpha times the dominance; `score` takes another metric's square instead.

    imbalanced-learn takes alpha = 0.1, PyCM alpha = 1.
    """
    alpha = positive_number("alpha", alpha)
    if score is not None and (
        not isinstance(score, Metric) or score.kind != "class" or score.needs == "cells"
    ):
        msg = "the score of an index of balanced accuracy is a Metric per class that reads margins"
        raise MetricError(msg)
    within = "" if score is None else f", {score.name}"

    @of_class(
        title=f"Index of balanced accuracy ({alpha:g}{within})",
        name=f"iba({alpha!r}{within})",
        latex=_iba_latex(alpha, score),
        bounds=_iba_bounds(alpha) if score is None else (None, None),
        # Raised beyond perfection by the dominance, another score says nothing of better and worse.
        better="higher" if score is None else "neither",
        best=1 if score is None else None,
        depends_on_k=True,
        undefined=_NO_CONTRAST,
        smooth=score is None or score.smooth,
        references=("Garcia2009",),
        peers={"pycm": "IBA"} if alpha == 1 and score is None else None,
    )
    def index(c: Cells) -> Any:
        """Squared balance of recall and specificity, raised where the class itself is served better."""
        if score is None:
            squared = ratio(c.tp * c.tn, c.actual * c.actual_negative)
        else:
            value = score.formula(c)
            squared = value * value
        tilt = ratio(c.tp, c.actual) - ratio(c.tn, c.actual_negative)
        return (1 + alpha * tilt) * squared

    return index


@of_class(
    title="Optimised precision",
    aliases=("op",),
    latex=(
        rf"\frac{{\TP + \TN}}{{{_N}}} - \frac{{|\TN \cdot (\TP + \FN) - \TP \cdot (\TN + \FP)|}}"
        r"{\TN \cdot (\TP + \FN) + \TP \cdot (\TN + \FP)}"
    ),
    bounds=(-1, 1),
    smooth=False,
    depends_on_k=True,
    undefined="recall or specificity is undefined, or both are zero",
    references=("Ranawana2006",),
    peers={"pycm": "OP"},
)
def optimized_precision(c: Cells) -> Any:
    """One-vs-rest accuracy, less the imbalance of recall and specificity."""
    rest, own = c.tn * c.actual, c.tp * c.actual_negative
    return ratio(c.tp + c.tn, c.total) - ratio(absolute(rest - own), rest + own)


@of_class(
    title="Adjusted G-mean",
    aliases=("agm",),
    latex=(
        r"\frac{\sqrt{\frac{\TP \cdot \TN}{(\TP + \FN) \cdot (\TN + \FP)}} + \frac{\TN}{n}}"
        r"{1 + \frac{\TN + \FP}{n}} \cdot [\TP > 0]"
    ),
    bounds=(0, 1),
    smooth=False,
    depends_on_k=True,
    undefined=_NO_CONTRAST,
    references=("Batuwita2009",),
    peers={"pycm": "AGM"},
)
def adjusted_g_mean(c: Cells) -> Any:
    """G-mean moved towards specificity by the share of the rest; 0 if nothing of the class is found."""
    rest, negatives = ratio(c.tn, c.actual_negative), ratio(c.actual_negative, c.total)
    both = sqrt0(ratio(c.tp * c.tn, c.actual * c.actual_negative))
    value = ratio(both + rest * negatives, 1 + negatives)
    # A product would keep a part for specificity alone, which the definition takes away.
    return value * (c.tp != 0)


@of_class(
    title="Adjusted F",
    aliases=("agf",),
    latex=(
        r"\sqrt{\frac{5 \cdot \TP}{5 \cdot \TP + 4 \cdot \FN + \FP}"
        r" \cdot \frac{5 \cdot \TN}{5 \cdot \TN + 4 \cdot \FN + \FP}}"
    ),
    bounds=(0, 1),
    depends_on_k=True,
    undefined="the class neither occurs nor is predicted, or always is both",
    references=("Maratea2014",),
    peers={"pycm": "AGF"},
)
def adjusted_f(c: Cells) -> Any:
    """Geometric mean of F2 and the F0.5 of the rest."""
    own = ratio(5 * c.tp, 5 * c.tp + 4 * c.fn + c.fp)
    rest = ratio(5 * c.tn, 5 * c.tn + 4 * c.fn + c.fp)
    return sqrt0(own * rest)


@of_class(
    title="P4",
    aliases=("upm", "unified_performance_measure"),
    latex=r"\frac{4 \cdot \TP \cdot \TN}{4 \cdot \TP \cdot \TN + (\TP + \TN) \cdot (\FP + \FN)}",
    bounds=(0, 1),
    symmetric=True,
    depends_on_k=True,
    undefined="there are no errors and one side is empty, or nothing is right",
    when_never_predicted=0,
    references=("Sitarz2022", "Redondo2020"),
)
def p4(c: Cells) -> Any:
    """Harmonic mean of precision, recall, specificity and negative predictive value."""
    both = 4 * c.tp * c.tn
    return ratio(both, both + (c.tp + c.tn) * (c.fp + c.fn))
