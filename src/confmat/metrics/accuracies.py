"""Accuracies of the whole matrix: plain, averaged and balanced, each under its own name, and their baselines."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from confmat.core.cells import once
from confmat.metrics.arithmetic import absolute, largest, ratio, smallest
from confmat.metrics.averages import AVERAGES
from confmat.metrics.declaration import MatrixMetric, factory, of_matrix, positive_number
from confmat.metrics.margins import (
    Margins,
    Table,
    chance_hits,
    count,
    errors,
    filled,
    greatest,
    hits,
    is_zero,
    occurring,
    occurs,
    precisions,
    read_margins,
    recall_sum,
    recalls,
    seen,
    squares,
)

__all__ = [
    "accuracy",
    "accuracy_p_value",
    "adjusted_balanced_accuracy",
    "allocation_disagreement",
    "average_accuracy",
    "average_error_rate",
    "balanced_accuracy",
    "class_balance_accuracy",
    "classification_success_index",
    "error_count",
    "error_rate",
    "exchange_disagreement",
    "expected_accuracy",
    "expected_accuracy_unbiased",
    "f1_of_macro",
    "f_of_macro",
    "mean_support",
    "multiclass_g_mean",
    "no_information_rate",
    "one_vs_rest_balanced_accuracy",
    "quantity_disagreement",
    "seen_balanced_accuracy",
    "shift_disagreement",
    "weighted_one_vs_rest_balanced_accuracy",
]

_accuracy = functools.partial(of_matrix, family="accuracy")
_EMPTY = "the matrix is empty"
_NOTHING_OCCURS = "no class occurs in the truth"


@_accuracy(
    title="Accuracy",
    aliases=(
        "acc",
        "acc.",
        "overall_accuracy",
        "observed_agreement",
        "proportion_correct",
        "percent_agreement",
    ),
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
)
def accuracy(m: Margins) -> Any:
    """Share of all items that were answered with their class.

    It equals micro recall, micro precision, micro F and the weighted mean of recall.
    `average_accuracy` is another number: the mean over the classes of one-vs-rest accuracy. An
    answer outside the classes counts as wrong; with outside="exclude" only items answered with a
    class are asked.
    """
    return ratio(hits(m), m.total)


@_accuracy(
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
)
def error_rate(m: Margins) -> Any:
    """Share of all items that were not answered with their class: 1 - accuracy.

    oneDAL's errorRate is `average_error_rate`, which is smaller by 2 / K.
    """
    return ratio(m.total - hits(m), m.total)


@_accuracy(
    title="Number of errors",
    aliases=("misclassified",),
    latex=r"n - \sum_i d_i",
    bounds=(0, None),
    better="lower",
    symmetric=True,
    scale_free=False,
    peers={"pycm": "Zero-one Loss"},
    unit="items",
)
def error_count(m: Margins) -> Any:
    """How many items were not answered with their class."""
    return errors(m)


@_accuracy(
    title="Average accuracy",
    aliases=("mean_one_vs_rest_accuracy", "macro_accuracy"),
    latex=r"1 - \frac{\sum_i (r_i + c_i - 2 d_i)}{K n}",
    bounds=(0, 1),
    mistaken_for=("accuracy",),
    undefined=_EMPTY,
    complement="average_error_rate",
    symmetric=True,
    depends_on_k=True,
    function_of=("accuracy", lambda accuracy, k: 1 - 2 * (1 - accuracy) / k),
    sees="classes",
    references=("SokolovaLapalme2009",),
    peers={"onedal": "averageAccuracy", "pycm": "ACC Macro"},
)
def average_accuracy(m: Margins) -> Any:
    """Mean over all K classes, empty ones included, of the accuracy of that class against the rest.

    It is 1 - 2 (1 - accuracy) / K, so it rises with the number of classes alone: with 100 classes a
    classifier that is always wrong scores 0.98. `accuracy` is the share of items that were answered
    right.
    """
    return ratio(m.n_classes * m.total - _one_vs_rest_errors(m), m.n_classes * m.total)


@_accuracy(
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
)
def average_error_rate(m: Margins) -> Any:
    """Mean over all K classes, empty ones included, of the error of that class against the rest.

    It is 2 (1 - accuracy) / K; `error_rate` is the share of items that were answered wrong.
    """
    return ratio(_one_vs_rest_errors(m), m.n_classes * m.total)


def _one_vs_rest_errors(m: Margins) -> Any:
    return (m.actual + m.predicted - 2 * m.diagonal).sum(axis=-1)


@_accuracy(
    title="Balanced accuracy",
    aliases=("balanced_acc", "mean_recall", "unweighted_average_recall", "uar"),
    latex=r"\frac{1}{K'} \sum_{i: r_i > 0} \frac{d_i}{r_i}",
    bounds=(0, 1),
    monotone=True,
    macro_of="recall",
    over_occurring=True,
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
)
def balanced_accuracy(m: Margins) -> Any:
    """Mean recall over the classes that occur in the truth.

    This is scikit-learn's meaning. Two others go by the same name: `seen_balanced_accuracy`
    (torchmetrics' macro accuracy) also counts classes that were only predicted, with 0;
    `one_vs_rest_balanced_accuracy` (yardstick, caret, PyCM's AUNU) is the mean of (recall +
    specificity) / 2. All three agree for two classes that both occur.
    """
    return ratio(recall_sum(m), occurring(m))


@_accuracy(
    title="Adjusted balanced accuracy",
    aliases=("balanced_accuracy_adjusted",),
    latex=r"\frac{B - 1/K'}{1 - 1/K'}",
    bounds=(-1, 1),
    chance=0,
    undefined="fewer than two classes occur in the truth",
    sees="classes",
    over_occurring=True,
    peers={"sklearn": "balanced_accuracy_score(adjusted=True)"},
)
def adjusted_balanced_accuracy(m: Margins) -> Any:
    """Balanced accuracy, moved so that chance scores 0 and perfection 1; for two classes it is the informedness."""
    return ratio(recall_sum(m) - 1, np.maximum(occurring(m), 1) - 1)


@_accuracy(
    title="Balanced accuracy over all classes seen",
    aliases=("macro_accuracy_seen",),
    latex=r"\frac{1}{|\{i: r_i + c_i > 0\}|} \sum_{i: r_i > 0} \frac{d_i}{r_i}",
    bounds=(0, 1),
    mistaken_for=("balanced_accuracy", "one_vs_rest_balanced_accuracy"),
    undefined=_EMPTY,
    sees="classes",
    peers={"torchmetrics": ("multiclass_accuracy", "multiclass_accuracy(average='macro')")},
)
def seen_balanced_accuracy(m: Margins) -> Any:
    """Mean recall over the classes seen on either side; one that is predicted but never occurs counts 0.

    torchmetrics calls it accuracy (macro, its default). `balanced_accuracy` leaves out what never
    occurs.
    """
    return ratio(recall_sum(m), count(seen(m)))


@_accuracy(
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
)
def one_vs_rest_balanced_accuracy(m: Margins) -> Any:
    """Mean over the classes of (recall + specificity) / 2, the area under a ROC curve of one point.

    For more than two classes it lies above `balanced_accuracy`, since specificity is high by
    construction.
    """
    valid = _two_sided(m)
    return ratio((_areas(m) * valid).sum(axis=-1), count(valid))


@_accuracy(
    title="One-vs-rest balanced accuracy, weighted by class",
    aliases=("aunp", "weighted_one_vs_rest_auc"),
    latex=r"\sum_i \frac{r_i}{n} \cdot \frac{1}{2} \left(\frac{d_i}{r_i} + \frac{n - r_i - c_i + d_i}{n - r_i}\right)",
    bounds=(0, 1),
    chance=0.5,
    undefined="no class has members and non-members",
    sees="classes",
    references=("FerriHernandezOralloModroiu2009",),
    peers={"pycm": "AUNP"},
)
def weighted_one_vs_rest_balanced_accuracy(m: Margins) -> Any:
    """Mean over the classes of (recall + specificity) / 2, each weighted by its actual total."""
    weights = m.actual * _two_sided(m)
    return ratio((_areas(m) * weights).sum(axis=-1), weights.sum(axis=-1))


@once
def _two_sided(m: Margins) -> Any:
    """Which classes have members and non-members."""
    return occurs(m) & ~is_zero(m.cells.actual_negative)


@once
def _areas(m: Margins) -> Any:
    """(recall + specificity) / 2 per class; meaningless for a class without members or without others."""
    return ratio(recalls(m) + ratio(m.cells.tn, filled(m.cells.actual_negative)), 2)


@factory(
    title="F of mean precision and mean recall",
    example=(2,),
    aliases=("f_beta_of_macro", "f_of_means"),
    peers={"onedal": "macroFscore"},
)
def f_of_macro(beta: float = 1) -> MatrixMetric:
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
        latex=r"\frac{(1 + \beta^2) \bar P \bar R}{\beta^2 \bar P + \bar R}".replace(
            r"\beta^2", f"{beta:g}^2"
        ),
        bounds=(0, 1),
        beta=beta,
        mistaken_for=(f"f_beta({beta!r}).macro",),
        undefined=_NOTHING_OCCURS,
        sees="classes",
        over_occurring=True,
        references=("SokolovaLapalme2009", "OpitzBurst2019"),
        family="macro",
    )
    def of_means(m: Margins) -> Any:
        """F of the mean precision and the mean recall over the classes that occur in the truth.

        This is the macro F of oneDAL and of Sokolova and Lapalme. The macro F of scikit-learn and
        most others is another number: the mean of the F scores of the classes, `f_beta(beta)(m,
        average="macro")`. The F of means is the greater of the two, and rewards a classifier whose
        errors are biased towards some classes. A class that occurs but is never predicted has
        precision 0; oneDAL gives NaN there.
        """
        precision, recall = _precision_sum(m), recall_sum(m)
        weight = beta * beta
        # Without a single hit both means are 0, and so is their F.
        return ratio(
            (1 + weight) * precision * recall, filled(weight * precision + recall) * occurring(m)
        )

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

    Over-prediction costs as much as misses, so it is never above the mean recall of the same
    classes. Classes that occur on neither side are left out.
    """
    return ratio(
        ratio(m.diagonal, filled(largest(m.actual, m.predicted))).sum(axis=-1), count(seen(m))
    )


@of_matrix(
    title="Classification success index",
    aliases=("mean_icsi",),
    latex=r"\frac{1}{K'} \sum_{i: r_i > 0} \left(\frac{d_i}{c_i} + \frac{d_i}{r_i} - 1\right)",
    bounds=(-1, 1),
    undefined=_NOTHING_OCCURS,
    sees="classes",
    over_occurring=True,
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
    sees="classes",
    over_occurring=True,
    references=("SunKamelWang2006",),
    peers={"imblearn": "geometric_mean_score", "river": "GeometricMean"},
    family="macro",
)
def multiclass_g_mean(m: Margins) -> Any:
    """K-th root of the product of the recalls of the classes that occur; 0 as soon as one is never found."""
    present = occurs(m)
    # An absent class enters the product as 1 with weight 0.
    return AVERAGES["geometric"].formula(recalls(m) + ~present, present * 1)


@of_matrix(
    title="No-information rate",
    aliases=("nir", "majority_rate"),
    latex=r"\frac{\max_i r_i}{n}",
    bounds=(0, 1),
    better="neither",
    undefined=_EMPTY,
    smooth=False,
    sees="classes",
    peers={"pycm": "NIR", "caret": "AccuracyNull"},
    family="baselines",
)
def no_information_rate(m: Margins) -> Any:
    """Accuracy of always answering the most frequent class.

    `accuracy_p_value` tests whether a classifier does better.
    """
    return ratio(greatest(m.actual), m.total)


def accuracy_p_value(m: Any) -> Any:
    """How likely a classifier that always guesses the most frequent class is to score at least this accuracy.

    The upper tail of a binomial distribution with the no-information rate, as caret has it; exact
    for any number of items. (PyCM's P-Value is 1 minus a sum of the same terms and leaves its range
    for many items.)

    >>> from confmat import ConfusionMatrix
    >>> round(accuracy_p_value(ConfusionMatrix([[231, 27], [32, 54]])), 9)
    0.000309698
    """
    from scipy.special import betainc

    margins = read_margins(m, view="classes")
    correct, total = (np.asarray(part, np.float64) for part in (hits(margins), margins.total))
    rate = np.asarray(no_information_rate(m), np.float64)
    # The chance of k hits or more is the incomplete beta function at k and n - k + 1.
    tail = betainc(
        np.where(correct > 0, correct, 1.0), np.where(correct > 0, total - correct + 1, 1.0), rate
    )
    found = np.where(np.isnan(rate), np.nan, np.where(correct > 0, tail, 1.0))
    return found if found.ndim else found.item()


@of_matrix(
    title="Expected accuracy",
    aliases=("chance_agreement", "expected_agreement", "overall_random_accuracy"),
    latex=r"\frac{\sum_i r_i c_i}{n^2}",
    bounds=(0, 1),
    better="neither",
    undefined=_EMPTY,
    symmetric=True,
    references=("Cohen1960",),
    peers={"pycm": "Overall RACC"},
    family="baselines",
)
def expected_accuracy(m: Margins) -> Any:
    """Accuracy that independent answers with the same margins would have: the chance term of `kappa`."""
    return ratio(chance_hits(m), m.total * m.total)


@of_matrix(
    title="Expected accuracy from pooled margins",
    aliases=("chance_agreement_unbiased", "overall_random_accuracy_unbiased"),
    latex=r"\sum_i \left(\frac{r_i + c_i}{2 n}\right)^2",
    bounds=(0, 1),
    better="neither",
    undefined=_EMPTY,
    symmetric=True,
    references=("Scott1955",),
    peers={"pycm": "Overall RACCU"},
    family="baselines",
)
def expected_accuracy_unbiased(m: Margins) -> Any:
    """Accuracy of independent answers when both sides share one distribution: the chance term of `scott_pi`."""
    return ratio(squares(m.actual + m.predicted), 4 * m.total * m.total)


# Quantity, exchange and shift add up to the error rate; exchange and shift to allocation.
_DISAGREEMENT: dict[str, Any] = {
    "bounds": (0, 1),
    "better": "lower",
    "undefined": _EMPTY,
    "symmetric": True,
    "smooth": False,
    "family": "baselines",
}


@of_matrix(
    title="Quantity disagreement",
    aliases=("quantity_difference",),
    latex=r"\frac{\sum_i |r_i - c_i|}{2 n}",
    references=("PontiusMillones2011",),
    **_DISAGREEMENT,
)
def quantity_disagreement(m: Margins) -> Any:
    """The part of the error rate that comes from answering a class too often or too rarely.

    With `allocation_disagreement` it adds up to `error_rate`.
    """
    return ratio(absolute(m.actual - m.predicted).sum(axis=-1), 2 * m.total)


@of_matrix(
    title="Allocation disagreement",
    aliases=("allocation_difference",),
    latex=r"\frac{\sum_i \min(r_i - d_i, c_i - d_i)}{n}",
    references=("PontiusMillones2011",),
    **_DISAGREEMENT,
)
def allocation_disagreement(m: Margins) -> Any:
    """The part of the error rate that remains when every class is answered as often as it occurs.

    It is `exchange_disagreement` and `shift_disagreement` together.
    """
    return ratio(_allocated(m), m.total)


@of_matrix(
    title="Exchange disagreement",
    aliases=("exchange_difference",),
    latex=r"\frac{\sum_{i \ne j} \min(C_{ij}, C_{ji})}{n}",
    needs="cells",
    references=("PontiusSantacruz2014",),
    **_DISAGREEMENT,
)
def exchange_disagreement(t: Table) -> Any:
    """The part of the error rate that comes from two classes taken for each other, as often this way as that."""
    return ratio(_exchanged(t), t.total)


@of_matrix(
    title="Shift disagreement",
    aliases=("shift_difference",),
    latex=r"\frac{\sum_i \min(r_i - d_i, c_i - d_i) - \sum_{i \ne j} \min(C_{ij}, C_{ji})}{n}",
    needs="cells",
    references=("PontiusSantacruz2014",),
    **_DISAGREEMENT,
)
def shift_disagreement(t: Table) -> Any:
    """The part of the error rate that goes around three classes or more: a for b, b for c and c for a.

    With `quantity_disagreement` and `exchange_disagreement` it adds up to `error_rate`; of two
    classes it is 0.
    """
    return ratio(_allocated(t) - _exchanged(t), t.total)


@once
def _allocated(m: Margins) -> Any:
    """Errors that remain when every class is answered as often as it occurs."""
    return smallest(m.actual - m.diagonal, m.predicted - m.diagonal).sum(axis=-1)


@once
def _exchanged(t: Table) -> Any:
    """Errors that come in pairs, one on each side of the diagonal."""
    if t.is_whole and isinstance(t.values, np.ndarray) and t.values.dtype.kind in "fO":
        both = smallest(t.counts, t.counts.swapaxes(-1, -2))
        np.einsum("...ii->...i", both)[...] = 0
        return both.sum(axis=(-1, -2))
    places, mirrored = t.rows * t.size + t.cols, t.cols * t.size + t.rows
    order = np.argsort(places)
    at = order[np.minimum(np.searchsorted(places, mirrored, sorter=order), len(order) - 1)]
    paired = (places[at] == mirrored) & (t.rows != t.cols)
    return (smallest(t.values, t.values[..., at]) * paired).sum(axis=-1)


@of_matrix(
    title="Mean support",
    aliases=("global_performance_index",),
    latex=r"\frac{n}{K}",
    bounds=(0, None),
    better="neither",
    symmetric=True,
    scale_free=False,
    depends_on_k=True,
    sees="classes",
    peers={"pycm": "RR"},
    unit="items",
    family="baselines",
)
def mean_support(m: Margins) -> Any:
    """Items per class, empty classes included; PyCM's RR."""
    return ratio(m.total, m.n_classes)
