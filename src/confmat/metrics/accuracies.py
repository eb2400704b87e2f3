"""Accuracies of the whole matrix: plain, averaged and balanced, each under its own name, and their baselines."""

from __future__ import annotations

from typing import Any

from confmat.core.cells import once
from confmat.metrics.arithmetic import ratio, spread
from confmat.metrics.declaration import Margins, of_matrix
from confmat.metrics.sums import (
    at_least_one,
    count,
    filled,
    hits,
    is_zero,
    occurring,
    occurs,
    recall_sum,
    recalls,
    seen,
)

__all__ = [
    "accuracy",
    "adjusted_balanced_accuracy",
    "average_accuracy",
    "average_error_rate",
    "balanced_accuracy",
    "error_count",
    "error_rate",
    "one_vs_rest_balanced_accuracy",
    "seen_balanced_accuracy",
    "weighted_one_vs_rest_balanced_accuracy",
]

_EMPTY = "the matrix is empty"
_NOTHING_OCCURS = "no class occurs in the truth"


@of_matrix(
    title="Accuracy",
    aliases=("acc", "overall_accuracy", "observed_agreement", "proportion_correct", "percent_agreement"),
    latex=r"\frac{\sum_i d_i}{n}",
    bounds=(0, 1),
    monotone=True,
    share_of="total",
    mistaken_for=("average_accuracy", "balanced_accuracy", "seen_balanced_accuracy"),
    undefined=_EMPTY,
    complement="error_rate",
    symmetric=True,
    peers={
        "sklearn": "accuracy_score",
        "pycm": ("Overall ACC", "TPR Micro", "PPV Micro", "F1 Micro"),
        "torchmetrics": "multiclass_accuracy(average='micro')",
        "caret": "Accuracy",
        "yardstick": "accuracy",
    },
    family="accuracy",
)
def accuracy(m: Margins) -> Any:
    """Share of all items that were answered with their class.

    It equals micro recall, micro precision, micro F and the weighted mean of recall. `average_accuracy` is
    another number: the mean over the classes of one-vs-rest accuracy. An answer outside the classes counts as
    wrong; with outside="exclude" only items answered with a class are asked.
    """
    return ratio(hits(m), m.total)


@of_matrix(
    title="Error rate",
    aliases=("misclassification_rate", "zero_one_loss", "hamming_loss", "total_disagreement"),
    latex=r"\frac{n - \sum_i d_i}{n}",
    bounds=(0, 1),
    monotone=True,
    share_of="total",
    mistaken_for=("average_error_rate",),
    better="lower",
    undefined=_EMPTY,
    complement="accuracy",
    symmetric=True,
    peers={"sklearn": ("zero_one_loss", "hamming_loss"), "pycm": "Hamming Loss"},
    family="accuracy",
)
def error_rate(m: Margins) -> Any:
    """Share of all items that were not answered with their class: 1 - accuracy.

    oneDAL's errorRate is `average_error_rate`, which is smaller by 2 / K.
    """
    return ratio(m.total - hits(m), m.total)


@of_matrix(
    title="Number of errors",
    aliases=("misclassified",),
    latex=r"n - \sum_i d_i",
    bounds=(0, None),
    better="lower",
    symmetric=True,
    scale_free=False,
    peers={"pycm": "Zero-one Loss"},
    unit="items",
    family="accuracy",
)
def error_count(m: Margins) -> Any:
    """How many items were not answered with their class."""
    return m.total - hits(m)


@of_matrix(
    title="Average accuracy",
    aliases=("mean_one_vs_rest_accuracy", "macro_accuracy"),
    latex=r"1 - \frac{\sum_i (r_i + c_i - 2 d_i)}{K n}",
    bounds=(0, 1),
    mistaken_for=("accuracy",),
    undefined=_EMPTY,
    complement="average_error_rate",
    symmetric=True,
    depends_on_k=True,
    sees="classes",
    references=("SokolovaLapalme2009",),
    peers={"onedal": "averageAccuracy", "pycm": "ACC Macro"},
    family="accuracy",
)
def average_accuracy(m: Margins) -> Any:
    """Mean over all K classes, empty ones included, of the accuracy of that class against the rest.

    It is 1 - 2 (1 - accuracy) / K, so it rises with the number of classes alone: with 100 classes a classifier
    that is always wrong scores 0.98. `accuracy` is the share of items that were answered right.
    """
    return ratio(m.n_classes * m.total - _one_vs_rest_errors(m), m.n_classes * m.total)


@of_matrix(
    title="Average error rate",
    aliases=("mean_one_vs_rest_error_rate",),
    latex=r"\frac{\sum_i (r_i + c_i - 2 d_i)}{K n}",
    bounds=(0, 1),
    mistaken_for=("error_rate",),
    better="lower",
    undefined=_EMPTY,
    complement="average_accuracy",
    symmetric=True,
    depends_on_k=True,
    sees="classes",
    references=("SokolovaLapalme2009",),
    peers={"onedal": "errorRate"},
    family="accuracy",
)
def average_error_rate(m: Margins) -> Any:
    """Mean over all K classes, empty ones included, of the error of that class against the rest.

    It is 2 (1 - accuracy) / K; `error_rate` is the share of items that were answered wrong.
    """
    return ratio(_one_vs_rest_errors(m), m.n_classes * m.total)


def _one_vs_rest_errors(m: Margins) -> Any:
    return (m.actual + m.predicted - 2 * m.diagonal).sum(axis=-1)


@of_matrix(
    title="Balanced accuracy",
    aliases=("balanced_acc", "mean_recall", "unweighted_average_recall", "uar"),
    latex=r"\frac{1}{K'} \sum_{i: r_i > 0} \frac{d_i}{r_i}",
    bounds=(0, 1),
    monotone=True,
    macro_of="recall",
    mistaken_for=(
        "one_vs_rest_balanced_accuracy",
        "seen_balanced_accuracy",
        "weighted_one_vs_rest_balanced_accuracy",
        "adjusted_balanced_accuracy",
    ),
    undefined=_NOTHING_OCCURS,
    sees="classes",
    references=("BrodersenOngStephanBuhmann2010", "KelleherMacNameeDArcy2015"),
    peers={"sklearn": "balanced_accuracy_score"},
    family="accuracy",
)
def balanced_accuracy(m: Margins) -> Any:
    """Mean recall over the classes that occur in the truth.

    This is scikit-learn's meaning. Two others go by the same name: `seen_balanced_accuracy` (torchmetrics' macro
    accuracy) also counts classes that were only predicted, with 0; `one_vs_rest_balanced_accuracy` (yardstick,
    caret, PyCM's AUNU) is the mean of (recall + specificity) / 2. All three agree for two classes that both occur.
    """
    return ratio(recall_sum(m), occurring(m))


@of_matrix(
    title="Adjusted balanced accuracy",
    aliases=("balanced_accuracy_adjusted",),
    latex=r"\frac{B - 1/K'}{1 - 1/K'}",
    bounds=(-1, 1),
    chance=0,
    undefined="fewer than two classes occur in the truth",
    sees="classes",
    peers={"sklearn": "balanced_accuracy_score(adjusted=True)"},
    family="accuracy",
)
def adjusted_balanced_accuracy(m: Margins) -> Any:
    """Balanced accuracy, moved so that chance scores 0 and perfection 1; for two classes it is the informedness."""
    return ratio(recall_sum(m) - 1, at_least_one(occurring(m)) - 1)


@of_matrix(
    title="Balanced accuracy over all classes seen",
    aliases=("macro_accuracy_seen",),
    latex=r"\frac{1}{|\{i: r_i + c_i > 0\}|} \sum_{i: r_i > 0} \frac{d_i}{r_i}",
    bounds=(0, 1),
    mistaken_for=("balanced_accuracy", "one_vs_rest_balanced_accuracy"),
    undefined=_EMPTY,
    sees="classes",
    peers={"torchmetrics": ("multiclass_accuracy", "multiclass_accuracy(average='macro')")},
    family="accuracy",
)
def seen_balanced_accuracy(m: Margins) -> Any:
    """Mean recall over the classes seen on either side; one that is predicted but never occurs counts 0.

    torchmetrics calls it accuracy (macro, its default). `balanced_accuracy` leaves out what never occurs.
    """
    return ratio(recall_sum(m), count(seen(m)))


@of_matrix(
    title="One-vs-rest balanced accuracy",
    aliases=("aunu", "macro_balanced_accuracy", "mean_one_vs_rest_auc"),
    latex=r"\frac{1}{K'} \sum_{i: 0 < r_i < n} \frac{1}{2} "
    r"\left(\frac{d_i}{r_i} + \frac{n - r_i - c_i + d_i}{n - r_i}\right)",
    bounds=(0, 1),
    mistaken_for=("balanced_accuracy", "seen_balanced_accuracy"),
    chance=0.5,
    undefined="no class has members and non-members",
    sees="classes",
    references=("FerriHernandezOralloModroiu2009",),
    peers={"pycm": "AUNU", "yardstick": "bal_accuracy", "caret": "Balanced Accuracy"},
    family="accuracy",
)
def one_vs_rest_balanced_accuracy(m: Margins) -> Any:
    """Mean over the classes of (recall + specificity) / 2, the area under a ROC curve of one point.

    For more than two classes it lies above `balanced_accuracy`, since specificity is high by construction.
    """
    valid = _two_sided(m)
    return ratio((_areas(m) * valid).sum(axis=-1), count(valid))


@of_matrix(
    title="One-vs-rest balanced accuracy, weighted by class",
    aliases=("aunp", "weighted_one_vs_rest_auc"),
    latex=r"\sum_i \frac{r_i}{n} \cdot \frac{1}{2} \left(\frac{d_i}{r_i} + \frac{n - r_i - c_i + d_i}{n - r_i}\right)",
    bounds=(0, 1),
    chance=0.5,
    undefined="no class has members and non-members",
    sees="classes",
    references=("FerriHernandezOralloModroiu2009",),
    peers={"pycm": "AUNP"},
    family="accuracy",
)
def weighted_one_vs_rest_balanced_accuracy(m: Margins) -> Any:
    """Mean over the classes of (recall + specificity) / 2, each weighted by its actual total."""
    weights = m.actual * _two_sided(m)
    return ratio((_areas(m) * weights).sum(axis=-1), weights.sum(axis=-1))


@once
def _two_sided(m: Margins) -> Any:
    """Which classes have members and non-members."""
    return occurs(m) & ~is_zero(spread(m.total) - m.actual)


@once
def _areas(m: Margins) -> Any:
    """(recall + specificity) / 2 per class; meaningless for a class without members or without others."""
    others = spread(m.total) - m.actual
    rejected = others - (m.predicted - m.diagonal)
    return ratio(recalls(m) + ratio(rejected, filled(others)), 2)
