"""Overlaps: how much the set of a class's members and the set of its predictions share."""

from __future__ import annotations

from typing import Any

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import constant, largest, ratio, smallest, sqrt0
from confmat.metrics.declaration import Metric, of_class
from confmat.metrics.factories import factory, positive_number

__all__ = [
    "braun_blanquet",
    "g_measure",
    "individual_classification_success",
    "jaccard",
    "overlap",
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
    peers={"sklearn": "jaccard_score", "torchmetrics": ("MulticlassJaccardIndex", "MeanIoU"), "pycm": "J"},
)
def jaccard(c: Cells) -> Any:
    """Share of the items that belong to the class or were predicted as it, that do both."""
    return ratio(c.tp, c.tp + c.fp + c.fn)


@factory(title="Tversky index", example=(0.3, 0.7), aliases=("ti",), peers={"pycm": "TI"})
def tversky(alpha: float, beta: float) -> Metric:
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
        undefined=_NEITHER,
        when_never_predicted=0,
        references=("Tversky1977",),
    )
    def index(c: Cells) -> Any:
        """Overlap of truth and prediction in which misses and false alarms have their own price."""
        return ratio(c.tp, c.tp + constant(alpha, c.tp) * c.fn + constant(beta, c.tp) * c.fp)

    return index


@of_class(
    title="G measure",
    aliases=("ochiai", "otsuka_ochiai", "cosine_similarity", "class_fowlkes_mallows"),
    latex=r"\frac{\TP}{\sqrt{(\TP + \FP) \cdot (\TP + \FN)}}",
    bounds=(0, 1),
    monotone=True,
    symmetric=True,
    rational=False,
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
