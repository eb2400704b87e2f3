"""Rates: how well one class is found among the rest, its F measures, and the counts and shares behind them."""

from __future__ import annotations

import functools
from typing import Any

from confmat.core.align import place_spelt
from confmat.core.cells import Cells
from confmat.core.errors import MetricError
from confmat.core.labels import Labels
from confmat.metrics.arithmetic import absolute, ratio
from confmat.metrics.declaration import (
    ClassMetric,
    MatrixMetric,
    factory,
    of_class,
    of_matrix,
    positive_number,
)
from confmat.metrics.margins import Table

__all__ = [
    "actual_negatives",
    "automatic_manual_difference",
    "bias_index",
    "bray_curtis_dissimilarity",
    "class_accuracy",
    "class_error",
    "detection_prevalence",
    "detection_rate",
    "f1",
    "f_beta",
    "f_beta_negative",
    "false_discovery_rate",
    "false_negative_rate",
    "false_negatives",
    "false_omission_rate",
    "false_positive_rate",
    "false_positives",
    "hamming_distance",
    "negative_predictive_value",
    "population",
    "precision",
    "predicted_negatives",
    "predicted_positives",
    "prevalence",
    "prevalence_index",
    "random_accuracy",
    "random_accuracy_unbiased",
    "recall",
    "specificity",
    "support",
    "taken_for",
    "true_negatives",
    "true_positives",
]

_NEVER = "the class never occurs"
_NEVER_PREDICTED = "the class is never predicted"
_ALWAYS = "every item belongs to the class"
_ALWAYS_PREDICTED = "every item is predicted as the class"
_NEITHER = "the class neither occurs nor is predicted"
_NO_ITEMS = "the matrix is empty"


def precision_of_ratio(ratio: Any, share: Any) -> Any:
    """The precision of a positive likelihood ratio, where the class is that share of the items.

    >>> precision_of_ratio(9.0, 0.1)
    0.5
    """
    return 1 / (1 + (1 - share) / (share * ratio))


def rest_of_ratio(ratio: Any, share: Any) -> Any:
    """The negative predictive value of a negative likelihood ratio, where the class is that share of the items."""
    return (1 - share) / (1 - share + share * ratio)


_of_all_items = functools.partial(of_class, better="neither", fair=False, undefined=_NO_ITEMS)
_count = functools.partial(of_class, scale_free=False, fair=False, unit="items")


@of_class(
    title="Recall",
    aliases=(
        "sensitivity",
        "se",
        "true_positive_rate",
        "tpr",
        "hit_rate",
        "producers_accuracy",
        "probability_of_detection",
        "pod",
    ),
    latex=r"\frac{\TP}{\TP + \FN}",
    bounds=(0, 1),
    monotone=True,
    share_of="actual",
    overlap=True,
    transposed="precision",
    complement="false_negative_rate",
    undefined=_NEVER,
    references=("vanRijsbergen1979",),
    peers={
        "sklearn": "recall_score",
        "torchmetrics": "MulticlassRecall",
        "pycm": "TPR",
        "caret": ("Sensitivity", "Recall"),
        "yardstick": ("recall", "sens", "sensitivity"),
        "imblearn": "sensitivity_score",
    },
)
def recall(c: Cells) -> Any:
    """Share of a class's actual members that were found."""
    return ratio(c.tp, c.tp + c.fn)


@of_class(
    title="Precision",
    aliases=("positive_predictive_value", "ppv", "users_accuracy", "confidence", "success_ratio"),
    latex=r"\frac{\TP}{\TP + \FP}",
    bounds=(0, 1),
    monotone=True,
    share_of="predicted",
    overlap=True,
    transposed="recall",
    complement="false_discovery_rate",
    undefined=_NEVER_PREDICTED,
    when_never_predicted=0,
    references=("vanRijsbergen1979",),
    peers={
        "sklearn": "precision_score",
        "torchmetrics": "MulticlassPrecision",
        "pycm": "PPV",
        "caret": ("Precision", "Pos Pred Value"),
        "yardstick": ("precision", "ppv"),
    },
)
def precision(c: Cells) -> Any:
    """Share of the predictions of a class that are right."""
    return ratio(c.tp, c.tp + c.fp)


@of_class(
    title="Specificity",
    aliases=("true_negative_rate", "tnr", "selectivity", "sp"),
    latex=r"\frac{\TN}{\TN + \FP}",
    bounds=(0, 1),
    monotone=True,
    share_of="actual_negative",
    transposed="negative_predictive_value",
    complement="false_positive_rate",
    undefined=_ALWAYS,
    depends_on_k=True,
    references=("YerushalmyJ1947",),
    peers={
        "torchmetrics": "MulticlassSpecificity",
        "pycm": "TNR",
        "caret": "Specificity",
        "yardstick": ("spec", "specificity"),
        "imblearn": "specificity_score",
    },
)
def specificity(c: Cells) -> Any:
    """Share of the items of other classes that were not taken for the class.

    Its micro average depends on the number of classes, empty ones included.
    """
    return ratio(c.tn, c.tn + c.fp)


@of_class(
    title="Negative predictive value",
    aliases=("npv", "precision_of_the_rest", "precision_not"),
    latex=r"\frac{\TN}{\TN + \FN}",
    bounds=(0, 1),
    monotone=True,
    share_of="predicted_negative",
    transposed="specificity",
    complement="false_omission_rate",
    undefined=_ALWAYS_PREDICTED,
    depends_on_k=True,
    peers={
        "torchmetrics": "MulticlassNegativePredictiveValue",
        "pycm": "NPV",
        "caret": "Neg Pred Value",
        "yardstick": "npv",
    },
)
def negative_predictive_value(c: Cells) -> Any:
    """Share of the predictions of other classes that are right not to name the class: the precision for not-X."""
    return ratio(c.tn, c.tn + c.fn)


@of_class(
    title="False negative rate",
    aliases=("fnr", "miss_rate", "omission_error"),
    latex=r"\frac{\FN}{\TP + \FN}",
    bounds=(0, 1),
    monotone=True,
    share_of="actual",
    better="lower",
    transposed="false_discovery_rate",
    complement="recall",
    undefined=_NEVER,
    peers={"pycm": "FNR"},
)
def false_negative_rate(c: Cells) -> Any:
    """Share of a class's actual members that were missed."""
    return ratio(c.fn, c.tp + c.fn)


@of_class(
    title="False positive rate",
    aliases=("fpr", "fall_out", "probability_of_false_detection", "false_alarm_rate", "pofd"),
    latex=r"\frac{\FP}{\TN + \FP}",
    bounds=(0, 1),
    monotone=True,
    share_of="actual_negative",
    better="lower",
    transposed="false_omission_rate",
    complement="specificity",
    undefined=_ALWAYS,
    depends_on_k=True,
    peers={"pycm": "FPR"},
)
def false_positive_rate(c: Cells) -> Any:
    """Share of the items of other classes that were taken for the class."""
    return ratio(c.fp, c.tn + c.fp)


@of_class(
    title="False discovery rate",
    aliases=("fdr", "false_alarm_ratio", "commission_error"),
    latex=r"\frac{\FP}{\TP + \FP}",
    bounds=(0, 1),
    monotone=True,
    share_of="predicted",
    better="lower",
    transposed="false_negative_rate",
    complement="precision",
    undefined=_NEVER_PREDICTED,
    when_never_predicted=1,
    peers={"pycm": "FDR"},
)
def false_discovery_rate(c: Cells) -> Any:
    """Share of the predictions of a class that are wrong."""
    return ratio(c.fp, c.tp + c.fp)


@of_class(
    title="False omission rate",
    aliases=("for", "for_"),
    latex=r"\frac{\FN}{\TN + \FN}",
    bounds=(0, 1),
    monotone=True,
    share_of="predicted_negative",
    better="lower",
    transposed="false_positive_rate",
    complement="negative_predictive_value",
    undefined=_ALWAYS_PREDICTED,
    depends_on_k=True,
    peers={"pycm": "FOR"},
)
def false_omission_rate(c: Cells) -> Any:
    """Share of the predictions of other classes that should have named the class."""
    return ratio(c.fn, c.tn + c.fn)


@of_class(
    title="One-vs-rest accuracy",
    aliases=("one_vs_rest_accuracy", "binary_accuracy", "simple_matching", "diagnostic_accuracy"),
    latex=r"\frac{\TP + \TN}{\TP + \FP + \FN + \TN}",
    bounds=(0, 1),
    monotone=True,
    share_of="total",
    mistaken_for=("accuracy",),
    symmetric=True,
    complement="class_error",
    undefined=_NO_ITEMS,
    depends_on_k=True,
    references=("SokolovaLapalme2009",),
    peers={"pycm": "ACC"},
)
def class_accuracy(c: Cells) -> Any:
    """Share of all items that are right about the class alone: told to be it when they are, and not when not.

    It is not the share of items labelled rightly, which is `accuracy`: of three classes confused
    with each other, the one-vs-rest accuracy of a fourth is 1. Its mean over classes rises with the
    number of classes.
    """
    return ratio(c.tp + c.tn, c.total)


@of_class(
    title="One-vs-rest error",
    aliases=("one_vs_rest_error",),
    latex=r"\frac{\FP + \FN}{\TP + \FP + \FN + \TN}",
    bounds=(0, 1),
    monotone=True,
    share_of="total",
    better="lower",
    symmetric=True,
    complement="class_accuracy",
    undefined=_NO_ITEMS,
    depends_on_k=True,
    references=("SokolovaLapalme2009",),
    peers={"pycm": "ERR"},
)
def class_error(c: Cells) -> Any:
    """Share of all items that are wrong about the class alone."""
    return ratio(c.fp + c.fn, c.total)


# Names of the common ones elsewhere.
_F_NAMES: dict[float, dict[str, Any]] = {
    1: {
        "complement": "canberra",
        "function_of": ("jaccard", lambda jaccard: 2 * jaccard / (1 + jaccard)),
        "aliases": (
            "dice",
            "dice_coefficient",
            "specific_agreement",
            "sorensen_dice",
            "f1_score",
            "czekanowski",
            "f_measure",
        ),
        "peers": {
            "sklearn": "f1_score",
            "torchmetrics": ("MulticlassF1Score", "DiceScore"),
            "pycm": "F1",
            "caret": "F1",
        },
    },
    2: {"peers": {"pycm": "F2"}},
    0.5: {"peers": {"pycm": "F0.5"}},
}


@factory(
    title="F-beta",
    aliases=("f_score", "fbeta"),
    example=(2,),
    peers={
        "sklearn": "fbeta_score",
        "torchmetrics": "MulticlassFBetaScore",
        "pycm": "F_beta",
        "yardstick": "f_meas",
    },
)
def f_beta(beta: float) -> ClassMetric:
    """F measure that weighs recall beta times as much as precision.

    Averaged over classes it is the mean of the F of each class; the F of the mean precision and
    recall is `f_of_macro(beta)`.

    >>> f_beta(2) is f_beta(2.0)
    True
    """
    beta = positive_number("beta", beta)
    square, more = repr(beta * beta), repr(1 + beta * beta)

    @of_class(
        title=f"F{beta:g}",
        name=f"f{beta!r}",
        latex=rf"\frac{{{more} \cdot \TP}}{{{more} \cdot \TP + {square} \cdot \FN + \FP}}",
        bounds=(0, 1),
        monotone=True,
        overlap=True,
        beta=beta,
        symmetric=beta == 1,
        undefined=_NEITHER if beta else _NEVER_PREDICTED,
        when_never_predicted=0,
        references=("vanRijsbergen1979",),
        **_F_NAMES.get(beta, {}),
    )
    def f(c: Cells) -> Any:
        """Harmonic mean of precision and recall; F2 and other F-beta scores weigh recall beta² times as much.

        It is 0 when the class has errors but no hits, and undefined only when it occurs on neither
        side. Its macro average is the mean of the F of each class; the F of the mean precision and
        the mean recall is `f_of_macro`, another number.
        """
        square = beta * beta
        hits = (1 + square) * c.tp
        return ratio(hits, hits + square * c.fn + c.fp)

    return f


f1 = f_beta(1)


@factory(title="F-beta of the rest", aliases=("negative_f_beta", "f_negative"), example=(1,))
def f_beta_negative(beta: float) -> ClassMetric:
    """F measure of not being the class: the F of specificity and negative predictive value."""
    beta = positive_number("beta", beta)
    square, more = repr(beta * beta), repr(1 + beta * beta)

    @of_class(
        title=f"F{beta:g} of the rest",
        name=f"f_beta_negative({beta!r})",
        latex=rf"\frac{{{more} \cdot \TN}}{{{more} \cdot \TN + {square} \cdot \FP + \FN}}",
        bounds=(0, 1),
        symmetric=beta == 1,
        undefined="every item belongs to the class and is predicted as it",
        depends_on_k=True,
    )
    def f(c: Cells) -> Any:
        """Harmonic mean of specificity and negative predictive value."""
        square = beta * beta
        hits = (1 + square) * c.tn
        return ratio(hits, hits + square * c.fp + c.fn)

    return f


@_count(
    title="True positives",
    aliases=("tp", "hits"),
    latex=r"\TP",
    bounds=(0, None),
    symmetric=True,
    peers={"pycm": "TP"},
)
def true_positives(c: Cells) -> Any:
    """Items of the class that were predicted as it."""
    return c.tp


@_count(
    title="False positives",
    aliases=("fp", "false_alarms", "type_1_errors"),
    latex=r"\FP",
    bounds=(0, None),
    better="lower",
    transposed="false_negatives",
    peers={"pycm": "FP"},
)
def false_positives(c: Cells) -> Any:
    """Items of other classes that were predicted as the class."""
    return c.fp


@_count(
    title="False negatives",
    aliases=("fn", "misses", "type_2_errors"),
    latex=r"\FN",
    bounds=(0, None),
    better="lower",
    transposed="false_positives",
    peers={"pycm": "FN"},
)
def false_negatives(c: Cells) -> Any:
    """Items of the class that were predicted as something else."""
    return c.fn


@_count(
    title="True negatives",
    aliases=("tn", "correct_rejections"),
    latex=r"\TN",
    bounds=(0, None),
    symmetric=True,
    peers={"pycm": "TN"},
    depends_on_k=True,
)
def true_negatives(c: Cells) -> Any:
    """Items of other classes that were predicted as other classes, rightly or not."""
    return c.tn


@_count(
    title="Support",
    aliases=("actual_positives", "condition_positive"),
    latex=r"\TP + \FN",
    bounds=(0, None),
    better="neither",
    total_of="actual",
    transposed="predicted_positives",
    peers={"pycm": "P"},
)
def support(c: Cells) -> Any:
    """Items that belong to the class."""
    return c.actual


@_count(
    title="Actual negatives",
    aliases=("condition_negative",),
    latex=r"\TN + \FP",
    bounds=(0, None),
    better="neither",
    transposed="predicted_negatives",
    peers={"pycm": "N"},
    depends_on_k=True,
)
def actual_negatives(c: Cells) -> Any:
    """Items that do not belong to the class."""
    return c.actual_negative


@_count(
    title="Predicted positives",
    aliases=("test_outcome_positive",),
    latex=r"\TP + \FP",
    bounds=(0, None),
    better="neither",
    total_of="predicted",
    transposed="support",
    peers={"pycm": "TOP"},
)
def predicted_positives(c: Cells) -> Any:
    """Items that were predicted as the class."""
    return c.predicted


@_count(
    title="Predicted negatives",
    aliases=("test_outcome_negative",),
    latex=r"\TN + \FN",
    bounds=(0, None),
    better="neither",
    transposed="actual_negatives",
    peers={"pycm": "TON"},
    depends_on_k=True,
)
def predicted_negatives(c: Cells) -> Any:
    """Items that were predicted as something else."""
    return c.predicted_negative


@_count(
    title="Population",
    latex=r"\TP + \FP + \FN + \TN",
    bounds=(0, None),
    better="neither",
    symmetric=True,
    peers={"pycm": "POP"},
    depends_on_k=True,
)
def population(c: Cells) -> Any:
    """All items, the same for every class."""
    return c.total


@_count(
    title="Automatic minus manual",
    aliases=("am",),
    latex=r"\FP - \FN",
    better="neither",
    peers={"pycm": "AM"},
)
def automatic_manual_difference(c: Cells) -> Any:
    """How many more items were predicted as the class than belong to it."""
    return c.fp - c.fn


@_of_all_items(
    title="Bias index",
    latex=r"\frac{\FP - \FN}{\TP + \FP + \FN + \TN}",
    bounds=(-1, 1),
    references=("ByrtBishopCarlin1993",),
)
def bias_index(c: Cells) -> Any:
    """How much more often the class is predicted than it occurs, as a share of all items.

    With `prevalence_index` it says how far kappa is from `pabak`; epiR has the truth in columns,
    and the other sign.
    """
    return ratio(c.fp - c.fn, c.total)


@_of_all_items(
    title="Prevalence index",
    latex=r"\frac{\TP - \TN}{\TP + \FP + \FN + \TN}",
    bounds=(-1, 1),
    symmetric=True,
    depends_on_k=True,
    references=("ByrtBishopCarlin1993",),
)
def prevalence_index(c: Cells) -> Any:
    """How much more often both sides name the class than neither does, as a share of all items."""
    return ratio(c.tp - c.tn, c.total)


@_count(
    title="Hamming distance",
    aliases=("hd",),
    latex=r"\FP + \FN",
    bounds=(0, None),
    better="lower",
    symmetric=True,
    peers={"pycm": "HD"},
)
def hamming_distance(c: Cells) -> Any:
    """Items on which truth and prediction disagree about the class."""
    return c.fp + c.fn


@_of_all_items(
    title="Prevalence",
    aliases=("positive_rate", "base_rate", "true_prevalence"),
    latex=r"\frac{\TP + \FN}{\TP + \FP + \FN + \TN}",
    bounds=(0, 1),
    transposed="detection_prevalence",
    depends_on_k=True,
    peers={"pycm": ("PRE", "PR"), "caret": "Prevalence"},
)
def prevalence(c: Cells) -> Any:
    """Share of the items that belong to the class."""
    return ratio(c.actual, c.total)


@_of_all_items(
    title="Detection prevalence",
    aliases=("predicted_prevalence", "test_outcome_positive_rate", "apparent_prevalence"),
    latex=r"\frac{\TP + \FP}{\TP + \FP + \FN + \TN}",
    bounds=(0, 1),
    monotone=True,
    transposed="prevalence",
    depends_on_k=True,
    peers={"pycm": "TOPR", "caret": "Detection Prevalence", "yardstick": "detection_prevalence"},
)
def detection_prevalence(c: Cells) -> Any:
    """Share of the items that were predicted as the class."""
    return ratio(c.predicted, c.total)


@_of_all_items(
    title="Detection rate",
    aliases=("diagonal_mass",),
    latex=r"\frac{\TP}{\TP + \FP + \FN + \TN}",
    bounds=(0, 1),
    monotone=True,
    symmetric=True,
    depends_on_k=True,
    peers={"caret": "Detection Rate"},
)
def detection_rate(c: Cells) -> Any:
    """Share of all items that belong to the class and were predicted as it."""
    return ratio(c.tp, c.total)


@_of_all_items(
    title="Random accuracy",
    aliases=("chance_hit_rate",),
    latex=r"\frac{(\TP + \FP) \cdot (\TP + \FN)}{(\TP + \FP + \FN + \TN)^2}",
    bounds=(0, 1),
    symmetric=True,
    depends_on_k=True,
    references=("Cohen1960",),
    peers={"pycm": "RACC"},
)
def random_accuracy(c: Cells) -> Any:
    """Share of hits of the class that chance would bring with the margins as they are."""
    return ratio(c.predicted * c.actual, c.total * c.total)


@_of_all_items(
    title="Random accuracy, unbiased",
    latex=r"(\frac{2 \cdot \TP + \FP + \FN}{2 \cdot (\TP + \FP + \FN + \TN)})^2",
    bounds=(0, 1),
    symmetric=True,
    depends_on_k=True,
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


@factory(
    title="Share taken for another class",
    example=(0, 1),
    aliases=("confusion_rate", "misclassified_as"),
)
def taken_for(actual: Any, predicted: Any) -> MatrixMetric:
    """Share of the items of one class that were answered with another, such as of cancers that were called healthy.

    It is the cell of the matrix over the total of its row. The classes go by their names, or by
    their places; a share of right answers is `recall`.

    >>> from confmat import ConfusionMatrix
    >>> m = ConfusionMatrix([[45, 5], [10, 90]], labels=["cancer", "healthy"])
    >>> taken_for("cancer", "healthy")(m)
    0.1
    """
    if actual == predicted:
        msg = f"the share of {actual!r} that is taken for itself is its recall: say 'recall[{actual}]'"
        raise MetricError(msg)
    spelt = (label if str(label).isidentifier() else repr(label) for label in (actual, predicted))

    @of_matrix(
        title="Share taken for another class",
        name=f"taken_for({','.join(spelt)})",
        latex=r"\frac{C_{ij}}{r_i}",
        bounds=(0, 1),
        better="lower",
        undefined="the class never occurs",
        needs="cells",
        share_in=actual,
    )
    def formula(t: Table) -> Any:
        """Share of the items of one class that were answered with another."""
        known = Labels(range(t.size)) if t.labels is None else t.labels
        # All labels outside the classes are the last one.
        row, col = (min(place_spelt(known, label), t.size - 1) for label in (actual, predicted))
        return ratio(
            (t.values * ((t.rows == row) & (t.cols == col))).sum(axis=-1), t.actual[..., row]
        )

    return formula
