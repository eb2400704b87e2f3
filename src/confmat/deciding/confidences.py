"""Confidences: pairs of labels with how sure each answer was, read, checked and put in order, the surest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, InputError, Message
from confmat.core.labels import MAX_CLASSES, Labels
from confmat.core.options import one_of
from confmat.counting.columns import Column, column_of
from confmat.counting.door import check_indexes, policy_of
from confmat.counting.shapes import check_shapes
from confmat.counting.tables import Coded, Raw, coded, offsets, plan_columns, side_of
from confmat.counting.weights import read_weights
from confmat.deciding.reading import Missing, present, read_scores

if TYPE_CHECKING:
    from confmat.counting.answers import Answers

__all__ = ["Confident", "read_confident"]

Array = NDArray[Any]

_NO_ITEMS = "there are no items, so there is nothing to be confident of"


@dataclass(frozen=True)
class Confident:
    """Items from the most to the least confident answer: their classes as codes, and weights if there are some.

    `ends` is where the last of several equal confidences stands.
    """

    labels: Labels
    actual: Array
    predicted: Array
    confidence: Array
    weights: Array | None
    ends: Array


def read_confident(
    actual: Any,
    predicted: Any,
    confidence: Any,
    labels: Iterable[Any] | None,
    weights: Any,
    missing: Missing,
    normalise: Answers | None,
) -> Confident:
    """Read and check what belongs to the items; one that is missing anything is an error, or left out."""
    one_of("missing", missing, Missing)
    check_shapes(actual, predicted)
    row, col = _column(actual, "actual"), _column(predicted, "predicted")
    sure = _read_confidence(confidence)
    sizes = {"actual": len(row.codes), "predicted": len(col.codes), "confidence": len(sure)}
    if len(set(sizes.values())) > 1:
        said = Message.joined(", ", (Message("{} has {:,}", Argument(name), size) for name, size in sizes.items()))
        msg = Message("there is one label on each side and one confidence per item, but {}", said)
        raise InputError(msg)
    if not len(sure):
        raise InputError(_NO_ITEMS)
    check_indexes(actual, predicted=predicted, confidence=confidence, weights=weights)
    numbers = None if weights is None else read_weights(weights, len(sure), like=actual)
    policy = policy_of(labels, missing, "error" if normalise is None else "collect", None, MAX_CLASSES, normalise)
    left, right = coded(row), coded(col)
    sides = [_side(side, axis) for axis, side in enumerate((left, right))]
    plan = plan_columns(left, right, policy, *sides)
    codes = plan.rows[offsets(left)], plan.cols[offsets(right)]
    kept = (codes[0] >= 0) & (codes[1] >= 0)
    known = present(sure, missing, "confidence")
    return _ordered(plan.labels, *codes, sure, numbers, kept if known is None else kept & known)


def _column(values: Any, side: str) -> Column:
    column = column_of(values, side)
    column = column_of(list(values), side) if column is None else column
    assert column is not None
    return column


def _side(side: Coded, axis: int) -> Any:
    everything = np.ones(len(side.codes), bool)
    return side_of(side, Raw(None, None, None), axis, (Message("{actual}"), Message("{predicted}"))[axis], everything)


def _read_confidence(confidence: Any) -> Array:
    values = read_scores(confidence, "confidence").values
    if values.ndim != 1:
        msg = Message(
            "{confidence} is one number per item, not of shape {}; of scores per class, the largest", values.shape
        )
        raise InputError(msg)
    if np.isinf(values).any():
        msg = Message(
            "{confidence} holds {:,} infinite numbers; thresholds lie between finite ones", int(np.isinf(values).sum())
        )
        raise InputError(msg)
    return values


def _ordered(
    labels: Labels, actual: Array, predicted: Array, sure: Array, weights: Array | None, kept: Array
) -> Confident:
    if weights is not None:
        # Who weighs nothing is not there, and makes no threshold.
        kept = kept & (weights != 0)
    places = np.flatnonzero(kept)
    places = places[np.argsort(-sure[places], kind="stable")]
    if not len(places):
        raise InputError(_NO_ITEMS)
    sure = sure[places]
    ends = np.append(np.flatnonzero(sure[1:] != sure[:-1]), len(sure) - 1)
    numbers = None if weights is None else weights[places]
    return Confident(labels, actual[places], predicted[places], sure, numbers, ends)
