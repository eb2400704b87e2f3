"""Precision, recall, F and Jaccard with every average, under scikit-learn's signatures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from confmat.sklearn._averaging import divide, mean, mean_of_defined
from confmat.sklearn._borrowing import back, to_numpy
from confmat.sklearn._counting import Counted, Margins
from confmat.sklearn._indicator import Indicator
from confmat.sklearn._options import (
    check_average,
    check_beta,
    check_pos_label,
    check_values,
    check_zero_division,
    refuse,
)
from confmat.sklearn._selecting import labels_for, margins_of
from confmat.sklearn._targets import count_targets

__all__ = [
    "Wish",
    "f1_score",
    "fbeta_score",
    "jaccard",
    "jaccard_score",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "score_of",
]


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


def _margins(found: Counted | Indicator, wish: Wish) -> tuple[Margins, Margins]:
    """Margins per label (or sample), and the same or their sums, which the average divides."""
    labels = labels_for(found, wish.average, wish.labels, wish.pos_label)
    if labels is not None:
        labels = to_numpy(labels)
    margins = margins_of(found, labels, samplewise=wish.average == "samples")
    if wish.average != "micro":
        return margins, margins
    return margins, Margins(*(part.sum(keepdims=True) for part in (margins.right, margins.predicted, margins.true)))


def _scores(margins: Margins, wish: Wish, names: Any, warns: Any) -> list[Any]:
    """The named scores of every label: precision, recall, f-score."""
    found: dict[str, Any] = {}
    beta, how = wish.beta, (wish.average, warns, wish.zero_division)
    if "precision" in names or beta == 0:
        found["precision"] = divide(margins.right, margins.predicted, "precision", "predicted", *how)
    if "recall" in names or beta == np.inf:
        found["recall"] = divide(margins.right, margins.true, "recall", "true", *how)
    if "f-score" in names:
        if beta == np.inf:
            found["f-score"] = found["recall"]
        elif beta == 0:
            found["f-score"] = found["precision"]
        else:
            square = beta**2
            bottom = square * margins.true.astype(np.float64) + margins.predicted
            found["f-score"] = divide((1 + square) * margins.right, bottom, "f-score", "true nor predicted", *how)
    return [found[name] for name in names]


def score_of(found: Counted | Indicator, wish: Wish, names: Any, warns: Any) -> list[Any]:
    """The named scores of a count, averaged as wished."""
    _, margins = _margins(found, wish)
    scores = _scores(margins, wish, names, warns)
    if wish.average is None:
        return scores
    weights = None
    if wish.average == "weighted":
        weights = margins.true
    elif wish.average == "samples":
        weights = found.weights
    return [mean_of_defined(values, weights) for values in scores]


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

    The parameters and the result are those of `sklearn.metrics.precision_score`.

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

    The parameters and the result are those of `sklearn.metrics.recall_score`.

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

    The parameters and the result are those of `sklearn.metrics.f1_score`.

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

    The parameters and the result are those of `sklearn.metrics.fbeta_score`.

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

    The parameters and the result are those of `sklearn.metrics.precision_recall_fscore_support`.

    >>> precision_recall_fscore_support([0, 1, 1, 0], [0, 1, 0, 0], average="micro")
    (0.75, 0.75, 0.75, None)
    """
    caller = "precision_recall_fscore_support"
    wish = Wish(labels, pos_label, average, zero_division, beta)
    _check(caller, y_true, y_pred, sample_weight, wish)
    if not isinstance(warn_for, (list, tuple, set)):
        raise refuse(caller, "warn_for", "an instance of 'list', 'tuple' or 'set'", warn_for)
    found = count_targets(y_true, y_pred, sample_weight)
    names = ("precision", "recall", "f-score")
    if average is not None:
        return (*score_of(found, wish, names, warn_for), None)
    margins, _ = _margins(found, wish)
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

    The parameters and the result are those of `sklearn.metrics.jaccard_score`.

    >>> jaccard_score([0, 1, 1, 1], [0, 1, 1, 0]).__round__(3)
    0.667
    """
    wish = Wish(labels, pos_label, average, zero_division)
    _check("jaccard_score", y_true, y_pred, sample_weight, wish, nan=False)
    score = jaccard(count_targets(y_true, y_pred, sample_weight), wish)
    return score if average is not None else back(score, y_true, y_pred)


def jaccard(found: Counted | Indicator, wish: Wish) -> Any:
    """What jaccard_score makes of a count."""
    _, margins = _margins(found, wish)
    union = margins.true + (margins.predicted - margins.right)
    how = (wish.average, ("jaccard",), wish.zero_division)
    scores = divide(margins.right, union, "jaccard", "true or predicted", *how)
    if wish.average is None:
        return scores
    weights = None
    if wish.average == "weighted":
        weights = margins.true if margins.true.any() else None
    elif wish.average == "samples":
        weights = found.weights
    return mean(scores, weights)
