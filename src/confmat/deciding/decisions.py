"""Decisions: scores become answers, by the largest, by a threshold or among the first k, and answers a matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import positive_place
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, whole_number
from confmat.counting import count
from confmat.counting.look import look
from confmat.deciding.model_scores import (
    Items,
    Kind,
    Missing,
    check_side,
    labels_of_table,
    labels_of_two,
    read_items,
    read_labels,
    rows_at_once,
)

Array = NDArray[Any]

# Where two classes part.
BORDERS = {"probabilities": 0.5, "logits": 0.0}


@door
def from_scores(
    actual: Any,
    scores: Any,
    *,
    labels: Iterable[Any] | None = None,
    top_k: int = 1,
    threshold: float | None = None,
    positive: Any = None,
    kind: Kind = "probabilities",
    weights: Any = None,
    missing: Missing = "error",
) -> ConfusionMatrix:
    """Count the matrix of a model that gives scores: one row of K per item, or one score per item for two classes.

    The largest of K columns is the answer; among equal ones, the first in the order of the labels.
    One score per item speaks for the positive class, which is the answer where the score is at
    least `threshold`.

    Parameters
    ----------
    actual
        The actual labels.
    scores
        A row of K scores for each item, or one score for each.
    labels
        The class of each column, in order. Without it, the names of a frame's columns or the labels
        in `actual`, sorted, if there are K of them and one way to sort them ("2" and "10" have two:
        say `classes_`).
    top_k
        An item whose class is among the k largest scores counts as right; otherwise the first
        answer counts.
    threshold
        The least score of a positive answer; by default 0.5 for probabilities and 0 for logits.
    positive
        The class that one score per item speaks for, if the labels are not 0 and 1 or False and
        True.
    kind
        "probabilities" must lie within 0 and 1 and rows add up to 1; "logits" and "scores" need
        not.
    weights
        One number for each item; the matrix then holds sums of weights.
    missing
        "error", or "drop" to leave out items without a label or with a NaN among their scores.

    Returns
    -------
    ConfusionMatrix

    Examples
    --------
    >>> print(
    ...     from_scores(
    ...         ["Cat", "Hen", "Cat"], [[0.7, 0.3], [0.6, 0.4], [0.1, 0.9]], labels=["Cat", "Hen"]
    ...     )
    ... )
            predicted
    actual  Cat  Hen  │ total
    Cat       1    1  │     2
    Hen       1    0  │     1
    total     2    1  │     3
    >>> from_scores([1, 0, 1], [0.9, 0.2, 0.4], threshold=0.3).tp
    2
    """
    k = whole_number("top_k", top_k)
    items = read_items(actual, scores, weights, kind, missing)
    if items.scores.ndim == 1:
        names, answers = _of_two(items, read_labels(labels, positive), positive, kind, threshold, k)
        truth = items.truth.coded(names)
    else:
        names = labels_of_table(items, labels, positive)
        truth = items.truth.coded(names)
        answers = (
            items.scores.argmax(axis=1)
            if threshold is None
            else _parted(items.scores, names, threshold, kind)
        )
        if k > 1:
            _check_k(k, items.scores.shape[1], "top_k")
            answers = np.where(_ranks(truth, items.scores) < k, truth, answers)
    m = count(truth, answers, labels=range(len(names)), weights=items.weights)
    return look(
        ConfusionMatrix._of(names, m._counts, m._squares, items.dropped), named=labels is not None
    )


# ---- two classes ---------------------------------------------------------------------------------


def _of_two(
    items: Items, given: Labels | None, positive: Any, kind: Kind, threshold: float | None, k: int
) -> tuple[Labels, Array]:
    """Two classes, and the code of each answer."""
    if k > 1:
        msg = Message("{top_k} needs a score for each class: one row of K per item")
        raise InputError(msg)
    names = labels_of_two(items.truth, positive) if given is None else given
    if len(names) != 2:
        msg = Message(
            "one score per item parts two classes, but {labels} names {}; give one column for each",
            len(names),
        )
        raise LabelError(msg)
    place = positive_place(names)
    check_side(items, names, place)
    if threshold is None:
        if kind not in BORDERS:
            msg = Message("{kind:'scores'} does not say where two classes part; give {threshold}")
            raise InputError(msg)
        threshold = BORDERS[kind]
    yes = _reached(items.scores, threshold, kind)
    return names, np.where(yes, place, 1 - place)


def _parted(scores: Array, names: Labels, threshold: float, kind: Kind) -> Array:
    """Answers by the column of the positive class alone."""
    if len(names) != 2:
        msg = Message(
            "{threshold} parts two classes, and there are {}; without it the largest score is the "
            "answer",
            len(names),
        )
        raise InputError(msg)
    place = positive_place(names)
    return np.where(_reached(scores[:, place], threshold, kind), place, 1 - place)


def _reached(scores: Array, threshold: Any, kind: Kind) -> Array:
    """Which scores are at least the threshold, compared as the numbers that both are, whatever their width."""
    if (
        isinstance(threshold, bool)
        or not isinstance(threshold, (int, float, np.number))
        or threshold != threshold
    ):
        msg = Message("{threshold} must be a number, not {!r:.60}", threshold)
        raise InputError(msg)
    if kind == "probabilities":
        check_threshold(float(threshold))
    return scores >= np.float64(threshold)


def check_threshold(threshold: float) -> None:
    """Refuse a number that no probability is, such as a percentage; infinity is nobody's mistake."""
    if not 0 <= threshold <= 1 and np.isfinite(threshold):
        msg = Message(
            "a threshold of probabilities lies within 0 and 1, and {!r} does not; 50 per cent is "
            "0.5, and "
            "{kind:'logits'} or {kind:'scores'} has another scale",
            float(threshold),
        )
        raise InputError(msg)


# ---- the largest, and the first k ----------------------------------------------------------------


def _ranks(truth: Array, scores: Array) -> Array:
    """How many columns come before that of the truth: larger ones, and equal ones that are first."""
    ranks, step = np.empty(len(scores), np.int64), rows_at_once(scores)
    places = np.arange(scores.shape[1])
    for begin in range(0, len(scores), step):
        part, own = scores[begin : begin + step], truth[begin : begin + step, None]
        mine = np.take_along_axis(part, own.astype(np.intp, copy=False), axis=1)
        before = (part > mine) | ((part == mine) & (places < own))
        ranks[begin : begin + step] = np.count_nonzero(before, axis=1)
    return ranks


def _check_k(k: int, columns: int, name: str) -> None:
    if k > columns:
        msg = Message(
            "{} is {:,}, but there are only {:,} columns of scores", Argument(name), k, columns
        )
        raise InputError(msg)


@overload
def top_k_accuracy(
    actual: Any,
    scores: Any,
    k: int = 5,
    *,
    labels: Iterable[Any] | None = None,
    kind: Kind = "probabilities",
    weights: Any = None,
    missing: Missing = "error",
) -> float: ...
@overload
def top_k_accuracy(
    actual: Any,
    scores: Any,
    k: Iterable[int],
    *,
    labels: Iterable[Any] | None = None,
    kind: Kind = "probabilities",
    weights: Any = None,
    missing: Missing = "error",
) -> dict[int, float]: ...
@door
def top_k_accuracy(
    actual: Any,
    scores: Any,
    k: int | Iterable[int] = 5,
    *,
    labels: Iterable[Any] | None = None,
    kind: Kind = "probabilities",
    weights: Any = None,
    missing: Missing = "error",
) -> float | dict[int, float]:
    """Compute the share of items whose class is among the k largest scores.

    Equal scores rank in the order of the labels.

    Parameters
    ----------
    actual
        The actual labels.
    scores
        A row of scores for each item, one for each class.
    k
        The number of scores that count, or several numbers.
    labels
        The class of each column, in order, as in `from_scores`.
    kind
        "probabilities" must lie within 0 and 1 and rows add up to 1; "logits" and "scores" need
        not.
    weights
        One number for each item: how many items it counts as.
    missing
        "error", or "drop" to leave out items without a label or with a NaN among their scores.

    Returns
    -------
    float or dict
        One share; for several k, a mapping of each to its share.

    Examples
    --------
    >>> scores = [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.6, 0.3, 0.1]]
    >>> (
    ...     top_k_accuracy([0, 2, 2], scores, k=2),
    ...     top_k_accuracy([0, 2, 2], scores, k=[1, 3], labels=range(3)),
    ... )
    (0.6666666666666666, {1: 0.3333333333333333, 3: 1.0})
    """
    single = isinstance(k, (int, np.integer)) or not isinstance(k, Iterable)
    wanted = [whole_number("k", number) for number in ([k] if single else k)]  # type: ignore[union-attr]
    items = read_items(actual, scores, weights, kind, missing)
    if items.scores.ndim == 1:
        msg = "`top_k_accuracy` needs a score for each class: one row of K per item"
        raise InputError(msg)
    columns = items.scores.shape[1]
    for number in wanted:
        _check_k(number, columns, "k")
    truth = items.truth.coded(labels_of_table(items, labels, None))
    hits = np.bincount(_ranks(truth, items.scores), weights=items.weights, minlength=columns)
    total = hits.sum()
    shares = {
        number: float(hits[:number].sum() / total) if total else float("nan") for number in wanted
    }
    return shares[wanted[0]] if single else shares
