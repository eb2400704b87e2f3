"""Scores of labels from precision to Cohen's kappa, with every average, under scikit-learn's signatures."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from confmat.core.errors import InputError, warn
from confmat.sklearn._counting import (
    Counted,
    Indicator,
    Margins,
    Shares,
    compare_targets,
    count_labels,
    count_targets,
    divide,
    labels_for,
    margins_of,
    mean,
    mean_of_defined,
)
from confmat.sklearn._reading import (
    Array,
    InvalidParameterError,
    back,
    check_average,
    check_beta,
    check_flag,
    check_one_of,
    check_pos_label,
    check_values,
    check_zero_division,
    number_of_samples,
    refuse,
    say_undefined,
    to_numpy,
)
from confmat.sklearn.matrices import table_of

ZERO = "Weights sum to zero, can't be normalized"


class Wish(NamedTuple):
    """How the scores of classes become what is returned."""

    labels: Any = None
    pos_label: Any = 1
    average: str | None = "binary"
    zero_division: Any = "warn"
    beta: float = 1.0


def _check(caller: str, y_true: Any, y_pred: Any, sample_weight: Any, wish: Wish, *, nan: bool = True) -> None:
    check_values(caller, sparse=True, y_true=y_true, y_pred=y_pred, labels=wish.labels, sample_weight=sample_weight)
    check_pos_label(caller, wish.pos_label)
    check_average(caller, wish.average)
    check_zero_division(caller, wish.zero_division, nan=nan)
    check_beta(caller, wish.beta)


def _margins(counted: Counted | Indicator, wish: Wish) -> tuple[Margins, Margins]:
    """Margins per label (or sample), and the same or their sums, which the average divides."""
    labels = labels_for(counted, wish.average, wish.labels, wish.pos_label)
    if labels is not None:
        labels = to_numpy(labels)
    margins = margins_of(counted, labels, samplewise=wish.average == "samples")
    if wish.average != "micro":
        return margins, margins
    return margins, margins.map(lambda part: part.sum(keepdims=True))


def _scores(margins: Margins, wish: Wish, names: Any, warns: Any) -> list[Any]:
    """The named scores of every label: precision, recall, f-score."""
    scores: dict[str, Any] = {}
    beta, how = wish.beta, (wish.average, warns, wish.zero_division)
    if "precision" in names or beta == 0:
        scores["precision"] = divide(margins.right, margins.predicted, "precision", "predicted", *how)
    if "recall" in names or beta == np.inf:
        scores["recall"] = divide(margins.right, margins.true, "recall", "true", *how)
    if "f-score" in names:
        if beta == np.inf:
            scores["f-score"] = scores["recall"]
        elif beta == 0:
            scores["f-score"] = scores["precision"]
        else:
            square = beta**2
            bottom = square * margins.true.astype(np.float64) + margins.predicted
            scores["f-score"] = divide((1 + square) * margins.right, bottom, "f-score", "true nor predicted", *how)
    return [scores[name] for name in names]


def score_of(counted: Counted | Indicator, wish: Wish, names: Any, warns: Any) -> list[Any]:
    """The named scores of a count, averaged as wished."""
    _, margins = _margins(counted, wish)
    scores = _scores(margins, wish, names, warns)
    if wish.average is None:
        return scores
    return [mean_of_defined(values, _weights(counted, margins, wish)) for values in scores]


def _weights(counted: Counted | Indicator, margins: Margins, wish: Wish) -> Array | None:
    """The weights of the mean: the supports of labels, or the weights of samples."""
    return margins.true if wish.average == "weighted" else counted.weights if wish.average == "samples" else None


def _one(caller: str, name: str, y_true: Any, y_pred: Any, sample_weight: Any, wish: Wish) -> Any:
    _check(caller, y_true, y_pred, sample_weight, wish)
    (score,) = score_of(count_targets(y_true, y_pred, sample_weight), wish, (name,), (name,))
    return score if wish.average is not None else back(score, y_pred)


def precision_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Share of the predictions of a class that are right.

    Parameters
    ----------
    y_true, y_pred, labels, pos_label, average, sample_weight, zero_division
        As in `sklearn.metrics.precision_score`, which returns the same.

    Examples
    --------
    >>> precision_score([0, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """
    wish = Wish(labels, pos_label, average, zero_division)
    return _one("precision_score", "precision", y_true, y_pred, sample_weight, wish)


def recall_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Share of the members of a class that were found.

    Parameters
    ----------
    y_true, y_pred, labels, pos_label, average, sample_weight, zero_division
        As in `sklearn.metrics.recall_score`, which returns the same.

    Examples
    --------
    >>> recall_score([0, 1, 2, 2], [0, 1, 2, 1], average=None)
    array([1. , 1. , 0.5])
    """
    wish = Wish(labels, pos_label, average, zero_division)
    return _one("recall_score", "recall", y_true, y_pred, sample_weight, wish)


def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Harmonic mean of precision and recall.

    Parameters
    ----------
    y_true, y_pred, labels, pos_label, average, sample_weight, zero_division
        As in `sklearn.metrics.f1_score`, which returns the same.

    Examples
    --------
    >>> f1_score([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], average="weighted").__round__(3)
    0.267
    """
    wish = Wish(labels, pos_label, average, zero_division)
    return _one("f1_score", "f-score", y_true, y_pred, sample_weight, wish)


def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: Any,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Harmonic mean of precision and recall, with recall weighing beta times as much.

    Parameters
    ----------
    y_true, y_pred, beta, labels, pos_label, average, sample_weight, zero_division
        As in `sklearn.metrics.fbeta_score`, which returns the same.

    Examples
    --------
    >>> round(fbeta_score([0, 1, 1, 1], [0, 1, 1, 0], beta=0.5), 3)
    0.909
    """
    wish = Wish(labels, pos_label, average, zero_division, beta)
    return _one("fbeta_score", "f-score", y_true, y_pred, sample_weight, wish)


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: Any = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = None,
    warn_for: Any = ("precision", "recall", "f-score"),
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall and F of every class with its support, or averaged (and no support).

    Parameters
    ----------
    y_true, y_pred, beta, labels, pos_label, average, warn_for, sample_weight, zero_division
        As in `sklearn.metrics.precision_recall_fscore_support`, which returns the same.

    Examples
    --------
    >>> precision_recall_fscore_support([0, 1, 1, 0], [0, 1, 0, 0], average="micro")
    (0.75, 0.75, 0.75, None)
    """
    caller = "precision_recall_fscore_support"
    wish = Wish(labels, pos_label, average, zero_division, beta)
    _check(caller, y_true, y_pred, sample_weight, wish)
    if not isinstance(warn_for, (list, tuple, set)):
        raise refuse(caller, "warn_for", "an instance of 'list', 'tuple' or 'set'", warn_for)
    counted = count_targets(y_true, y_pred, sample_weight)
    names = ("precision", "recall", "f-score")
    if average is not None:
        return (*score_of(counted, wish, names, warn_for), None)
    margins, _ = _margins(counted, wish)
    return tuple(back(part, y_pred) for part in (*_scores(margins, wish, names, warn_for), margins.true))


def jaccard_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Intersection over union of the true and the predicted members of a class.

    Parameters
    ----------
    y_true, y_pred, labels, pos_label, average, sample_weight, zero_division
        As in `sklearn.metrics.jaccard_score`, which returns the same.

    Examples
    --------
    >>> jaccard_score([0, 1, 1, 1], [0, 1, 1, 0]).__round__(3)
    0.667
    """
    wish = Wish(labels, pos_label, average, zero_division)
    _check("jaccard_score", y_true, y_pred, sample_weight, wish, nan=False)
    score = jaccard(count_targets(y_true, y_pred, sample_weight), wish)
    return score if average is not None else back(score, y_true, y_pred)


def jaccard(counted: Counted | Indicator, wish: Wish) -> Any:
    """Compute `jaccard_score` from a count."""
    _, margins = _margins(counted, wish)
    union = margins.true + (margins.predicted - margins.right)
    how = (wish.average, ("jaccard",), wish.zero_division)
    scores = divide(margins.right, union, "jaccard", "true or predicted", *how)
    if wish.average is None:
        return scores
    is_empty = wish.average == "weighted" and not margins.true.any()
    return mean(scores, None if is_empty else _weights(counted, margins, wish))


def accuracy_score(y_true: Any, y_pred: Any, *, normalize: Any = True, sample_weight: Any = None) -> float:
    """Share of samples whose label (or whole set of labels) was predicted, or their number.

    Parameters
    ----------
    y_true, y_pred, normalize, sample_weight
        As in `sklearn.metrics.accuracy_score`, which returns the same.

    Examples
    --------
    >>> accuracy_score([0, 1, 2, 3], [0, 2, 1, 3])
    0.5
    """
    check_values("accuracy_score", sparse=True, y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    check_flag("accuracy_score", "normalize", normalize)
    return right_share(compare_targets(y_true, y_pred, sample_weight), normalize=bool(normalize))


def right_share(counted: Counted | Shares | Indicator, *, normalize: bool = True) -> float:
    """Compute `accuracy_score` from a count."""
    if isinstance(counted, Indicator):
        same = counted.same()
        if normalize:
            return mean(same, counted.weights)
        return float(same.sum() if counted.weights is None else np.dot(same, counted.weights))
    if normalize:
        return _share(counted.right(), counted.total())
    # scikit-learn adds up flags as flags, so weights of True and False give 1.0 for anything right.
    flags = counted.weights is not None and counted.weights.dtype == bool
    return float(bool(counted.right())) if flags else float(counted.right())


def _share(part: Any, total: Any) -> float:
    if total == 0:
        raise ZeroDivisionError(ZERO)
    return float(part / total)


def zero_one_loss(y_true: Any, y_pred: Any, *, normalize: Any = True, sample_weight: Any = None) -> Any:
    """Share of samples whose label (or whole set of labels) was missed, or their number.

    Parameters
    ----------
    y_true, y_pred, normalize, sample_weight
        As in `sklearn.metrics.zero_one_loss`, which returns the same.

    Examples
    --------
    >>> zero_one_loss([0, 1, 2, 3], [0, 2, 1, 3], normalize=False)
    2.0
    """
    check_values("zero_one_loss", sparse=True, y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    check_flag("zero_one_loss", "normalize", normalize)
    score = right_share(compare_targets(y_true, y_pred, sample_weight), normalize=bool(normalize))
    if normalize:
        return 1 - score
    return (number_of_samples(y_true) if sample_weight is None else to_numpy(sample_weight).sum()) - score


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Share of labels that are wrong.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `sklearn.metrics.hamming_loss`, which returns the same.

    Examples
    --------
    >>> hamming_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    """
    check_values("hamming_loss", sparse=True, y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    counted = compare_targets(y_true, y_pred, sample_weight)
    if not isinstance(counted, Indicator):
        return _share(counted.total() - counted.right(), counted.total())
    wrong, cells = counted.wrong(), counted.n * len(counted.labels)
    if counted.weights is None:
        return float(wrong.sum()) / cells
    return float(np.dot(wrong, counted.weights)) / (cells * np.average(counted.weights))


def balanced_accuracy_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: Any = False) -> float:
    """Mean recall of the classes that occur.

    Parameters
    ----------
    y_true, y_pred, sample_weight, adjusted
        As in `sklearn.metrics.balanced_accuracy_score`, which returns the same.

    Examples
    --------
    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """
    check_values("balanced_accuracy_score", y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    check_flag("balanced_accuracy_score", "adjusted", adjusted)
    counted = count_labels(y_true, y_pred, sample_weight, sorts=False)
    return balanced(counted, adjusted=bool(adjusted))


def _say_single(counted: Counted) -> None:
    """scikit-learn makes the matrix first, which warns where it has one cell."""
    if len(counted.labels) == 1:
        table_of(counted, None)


def balanced(counted: Counted, *, adjusted: bool = False) -> float:
    """Compute `balanced_accuracy_score` from a count."""
    _say_single(counted)
    margins = counted.margins()
    with np.errstate(divide="ignore", invalid="ignore"):
        recalls = margins.right / margins.true
    gaps = np.isnan(recalls)
    if gaps.any():
        warn("y_pred contains classes not in y_true", UserWarning)
        recalls = recalls[~gaps]
    score = recalls.sum() / len(recalls) if len(recalls) else np.mean(recalls)
    if adjusted:
        chance = 1 / len(recalls)
        score = (score - chance) / (1 - chance)
    return float(score)


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Correlation of true and predicted labels; 0 where one side is constant.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `sklearn.metrics.matthews_corrcoef`, which returns the same.

    Examples
    --------
    >>> round(matthews_corrcoef([1, 1, 1, 0], [1, 0, 1, 1]), 3)
    -0.333
    """
    check_values("matthews_corrcoef", y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    return matthews(count_labels(y_true, y_pred, sample_weight))


def matthews(counted: Counted) -> float:
    """Compute `matthews_corrcoef` from a count."""
    _say_single(counted)
    margins = counted.margins()
    true, predicted = margins.true.astype(np.float64), margins.predicted.astype(np.float64)
    n, right = float(predicted.sum()), float(margins.right.sum(dtype=np.float64))
    spread = (n * n - float(predicted @ predicted)) * (n * n - float(true @ true))
    if spread == 0:
        return 0.0
    return float((right * n - float(true @ predicted)) / np.sqrt(spread))


def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: Any = None,
    sample_weight: Any = None,
    replace_undefined_by: Any = np.nan,
) -> Any:
    """Agreement beyond chance, of two annotators.

    Parameters
    ----------
    y1, y2, labels, weights, sample_weight, replace_undefined_by
        As in `sklearn.metrics.cohen_kappa_score`, which returns the same.

    Examples
    --------
    >>> round(cohen_kappa_score(["neg", "pos", "neg", "pos"], ["neg", "pos", "neg", "neg"]), 3)
    0.5
    """
    caller = "cohen_kappa_score"
    check_values(caller, y1=y1, y2=y2, labels=labels, sample_weight=sample_weight)
    check_one_of(caller, "weights", weights, ("linear", "quadratic"))
    if not isinstance(replace_undefined_by, Real) or abs(float(replace_undefined_by)) > 1:
        raise refuse(
            caller, "replace_undefined_by", "a float in the range [-1.0, 1.0] or numpy.nan", replace_undefined_by
        )
    counted = count_labels(y1, y2, sample_weight, sorts=False)
    table = _shared_table(counted, labels)
    score = _kappa(table.astype(np.float64), weights)
    if isinstance(score, str):
        say_undefined(
            f"{score} `cohen_kappa_score` is undefined and set to the value defined by the `replace_undefined_by` "
            f"param, which is set to {replace_undefined_by}."
        )
        return replace_undefined_by
    return score


def _shared_table(counted: Counted, labels: Any) -> Array:
    """The matrix of two annotators, neither of whom is right."""
    try:
        return table_of(counted, labels)
    except InputError as error:
        if "must be in y_true" not in str(error):
            raise
        msg = (
            "At least one label in `labels` must be present in `y1` (even though `cohen_kappa_score` is otherwise "
            "agnostic to the order of `y1` and `y2`)."
        )
        raise InvalidParameterError(msg) from error


def _kappa(table: Any, weights: str | None) -> float | str:
    """Cohen's kappa of a table, or why there is none."""
    predicted, true = table.sum(axis=0), table.sum(axis=1)
    total = predicted.sum()
    if total == 0:
        return "`y2` contains no labels that are present in both `y1` and `labels`."
    expected = np.outer(predicted, true) / total
    steps = np.arange(len(table))
    if weights is None:
        costs: Any = 1.0 - np.eye(len(table))
    elif weights == "linear":
        costs = np.abs(steps[:, None] - steps).astype(np.float64)
    else:
        costs = ((steps[:, None] - steps) ** 2).astype(np.float64)
    bottom = (costs * expected).sum()
    if bottom == 0:
        return "`y1`, `y2` and `labels` have only one label in common."
    return float(1 - (costs * table).sum() / bottom)
