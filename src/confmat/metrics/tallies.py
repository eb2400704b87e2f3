"""Counts per class: the four cells, their margins and the plain shares of the data they make."""

from __future__ import annotations

from typing import Any

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import absolute, ratio
from confmat.metrics.declaration import of_class

__all__ = [
    "actual_negatives",
    "automatic_manual_difference",
    "bias_index",
    "bray_curtis_dissimilarity",
    "detection_prevalence",
    "detection_rate",
    "false_negatives",
    "false_positives",
    "hamming_distance",
    "population",
    "predicted_negatives",
    "predicted_positives",
    "prevalence",
    "prevalence_index",
    "random_accuracy",
    "random_accuracy_unbiased",
    "support",
    "true_negatives",
    "true_positives",
]

_NO_ITEMS = "the matrix is empty"


@of_class(
    title="True positives",
    aliases=("tp", "hits"),
    latex=r"\TP",
    bounds=(0, None),
    symmetric=True,
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "TP"},
)
def true_positives(c: Cells) -> Any:
    """Items of the class that were predicted as it."""
    return c.tp


@of_class(
    title="False positives",
    aliases=("fp", "false_alarms", "type_1_errors"),
    latex=r"\FP",
    bounds=(0, None),
    better="lower",
    transposed="false_negatives",
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "FP"},
)
def false_positives(c: Cells) -> Any:
    """Items of other classes that were predicted as the class."""
    return c.fp


@of_class(
    title="False negatives",
    aliases=("fn", "misses", "type_2_errors"),
    latex=r"\FN",
    bounds=(0, None),
    better="lower",
    transposed="false_positives",
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "FN"},
)
def false_negatives(c: Cells) -> Any:
    """Items of the class that were predicted as something else."""
    return c.fn


@of_class(
    title="True negatives",
    aliases=("tn", "correct_rejections"),
    latex=r"\TN",
    bounds=(0, None),
    symmetric=True,
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "TN"},
    depends_on_k=True,
)
def true_negatives(c: Cells) -> Any:
    """Items of other classes that were predicted as other classes, rightly or not."""
    return c.tn


@of_class(
    title="Support",
    aliases=("actual_positives", "condition_positive"),
    latex=r"\TP + \FN",
    bounds=(0, None),
    better="neither",
    transposed="predicted_positives",
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "P"},
)
def support(c: Cells) -> Any:
    """Items that belong to the class."""
    return c.actual


@of_class(
    title="Actual negatives",
    aliases=("condition_negative",),
    latex=r"\TN + \FP",
    bounds=(0, None),
    better="neither",
    transposed="predicted_negatives",
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "N"},
    depends_on_k=True,
)
def actual_negatives(c: Cells) -> Any:
    """Items that do not belong to the class."""
    return c.actual_negative


@of_class(
    title="Predicted positives",
    aliases=("test_outcome_positive",),
    latex=r"\TP + \FP",
    bounds=(0, None),
    better="neither",
    transposed="support",
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "TOP"},
)
def predicted_positives(c: Cells) -> Any:
    """Items that were predicted as the class."""
    return c.predicted


@of_class(
    title="Predicted negatives",
    aliases=("test_outcome_negative",),
    latex=r"\TN + \FN",
    bounds=(0, None),
    better="neither",
    transposed="actual_negatives",
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "TON"},
    depends_on_k=True,
)
def predicted_negatives(c: Cells) -> Any:
    """Items that were predicted as something else."""
    return c.predicted_negative


@of_class(
    title="Population",
    latex=r"\TP + \FP + \FN + \TN",
    bounds=(0, None),
    better="neither",
    symmetric=True,
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "POP"},
    depends_on_k=True,
)
def population(c: Cells) -> Any:
    """All items, the same for every class."""
    return c.total


@of_class(
    title="Automatic minus manual",
    aliases=("am",),
    latex=r"\FP - \FN",
    better="neither",
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "AM"},
)
def automatic_manual_difference(c: Cells) -> Any:
    """How many more items were predicted as the class than belong to it."""
    return c.fp - c.fn


@of_class(
    title="Bias index",
    latex=r"\frac{\FP - \FN}{\TP + \FP + \FN + \TN}",
    bounds=(-1, 1),
    better="neither",
    undefined=_NO_ITEMS,
    fair=False,
    references=("ByrtBishopCarlin1993",),
)
def bias_index(c: Cells) -> Any:
    """How much more often the class is predicted than it occurs, as a share of all items.

    With `prevalence_index` it says how far kappa is from `pabak`; epiR has the truth in columns, and the other sign.
    """
    return ratio(c.fp - c.fn, c.total)


@of_class(
    title="Prevalence index",
    latex=r"\frac{\TP - \TN}{\TP + \FP + \FN + \TN}",
    bounds=(-1, 1),
    better="neither",
    undefined=_NO_ITEMS,
    symmetric=True,
    depends_on_k=True,
    fair=False,
    references=("ByrtBishopCarlin1993",),
)
def prevalence_index(c: Cells) -> Any:
    """How much more often both sides name the class than neither does, as a share of all items."""
    return ratio(c.tp - c.tn, c.total)


@of_class(
    title="Hamming distance",
    aliases=("hd",),
    latex=r"\FP + \FN",
    bounds=(0, None),
    better="lower",
    symmetric=True,
    scale_free=False,
    fair=False,
    unit="items",
    peers={"pycm": "HD"},
)
def hamming_distance(c: Cells) -> Any:
    """Items on which truth and prediction disagree about the class."""
    return c.fp + c.fn


@of_class(
    title="Prevalence",
    aliases=("positive_rate", "base_rate", "true_prevalence"),
    latex=r"\frac{\TP + \FN}{\TP + \FP + \FN + \TN}",
    bounds=(0, 1),
    better="neither",
    transposed="detection_prevalence",
    fair=False,
    depends_on_k=True,
    undefined=_NO_ITEMS,
    peers={"pycm": ("PRE", "PR"), "caret": "Prevalence"},
)
def prevalence(c: Cells) -> Any:
    """Share of the items that belong to the class."""
    return ratio(c.actual, c.total)


@of_class(
    title="Detection prevalence",
    aliases=("predicted_prevalence", "test_outcome_positive_rate", "apparent_prevalence"),
    latex=r"\frac{\TP + \FP}{\TP + \FP + \FN + \TN}",
    bounds=(0, 1),
    monotone=True,
    better="neither",
    transposed="prevalence",
    fair=False,
    depends_on_k=True,
    undefined=_NO_ITEMS,
    peers={"pycm": "TOPR", "caret": "Detection Prevalence", "yardstick": "detection_prevalence"},
)
def detection_prevalence(c: Cells) -> Any:
    """Share of the items that were predicted as the class."""
    return ratio(c.predicted, c.total)


@of_class(
    title="Detection rate",
    aliases=("diagonal_mass",),
    latex=r"\frac{\TP}{\TP + \FP + \FN + \TN}",
    bounds=(0, 1),
    monotone=True,
    better="neither",
    symmetric=True,
    fair=False,
    depends_on_k=True,
    undefined=_NO_ITEMS,
    peers={"caret": "Detection Rate"},
)
def detection_rate(c: Cells) -> Any:
    """Share of all items that belong to the class and were predicted as it."""
    return ratio(c.tp, c.total)


@of_class(
    title="Random accuracy",
    aliases=("chance_hit_rate",),
    latex=r"\frac{(\TP + \FP) \cdot (\TP + \FN)}{(\TP + \FP + \FN + \TN)^2}",
    bounds=(0, 1),
    better="neither",
    symmetric=True,
    fair=False,
    depends_on_k=True,
    undefined=_NO_ITEMS,
    references=("Cohen1960",),
    peers={"pycm": "RACC"},
)
def random_accuracy(c: Cells) -> Any:
    """Share of hits of the class that chance would bring with the margins as they are."""
    return ratio(c.predicted * c.actual, c.total * c.total)


@of_class(
    title="Random accuracy, unbiased",
    latex=r"(\frac{2 \cdot \TP + \FP + \FN}{2 \cdot (\TP + \FP + \FN + \TN)})^2",
    bounds=(0, 1),
    better="neither",
    symmetric=True,
    fair=False,
    depends_on_k=True,
    undefined=_NO_ITEMS,
    references=("Scott1955",),
    peers={"pycm": "RACCU"},
)
def random_accuracy_unbiased(c: Cells) -> Any:
    """Share of hits of the class that chance would bring if both sides had the same shares."""
    share = ratio(c.predicted + c.actual, 2 * c.total)
    return share * share


@of_class(
    title="Bray-Curtis dissimilarity",
    aliases=("bcd",),
    latex=r"\frac{|\FP - \FN|}{2 \cdot (\TP + \FP + \FN + \TN)}",
    bounds=(0, 0.5),
    better="lower",
    symmetric=True,
    smooth=False,
    undefined=_NO_ITEMS,
    references=("BrayCurtis1957",),
    peers={"pycm": "BCD"},
)
def bray_curtis_dissimilarity(c: Cells) -> Any:
    """How far the predicted share of the class is from its actual share, halved."""
    return ratio(absolute(c.fp - c.fn), 2 * c.total)
