"""Entities become pairs: matched ones with each other, the others with what stands outside the classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from confmat._building import as_names
from confmat._options import flag, one_of, told
from confmat.counting import count
from confmat.errors import Argument, InputError, Message
from confmat.labels import Labels
from confmat.matrix import ConfusionMatrix
from confmat.stack import Stack
from confmat.tagging.both import Both, read_both
from confmat.tagging.pairing import exactly, overlapping

__all__ = ["Match", "spans"]

Array = NDArray[Any]
Match = Literal["exact", "overlap"]


@overload
def spans(
    truth: Any,
    predicted: Any,
    *,
    match: Match = "exact",
    iou: float = 0.0,
    partial: bool = False,
    labels: Iterable[Any] | None = None,
    background: str = "background",
    by_document: Literal[False] = False,
) -> ConfusionMatrix: ...
@overload
def spans(
    truth: Any,
    predicted: Any,
    *,
    match: Match = "exact",
    iou: float = 0.0,
    partial: bool = False,
    labels: Iterable[Any] | None = None,
    background: str = "background",
    by_document: Literal[True],
) -> Stack: ...
def spans(
    truth: Any,
    predicted: Any,
    *,
    match: Match = "exact",
    iou: float = 0.0,
    partial: bool = False,
    labels: Iterable[Any] | None = None,
    background: str = "background",
    by_document: bool = False,
) -> ConfusionMatrix | Stack:
    """The matrix of named entities: rows are classes of the truth, columns those that were predicted.

    Each side is a list of (document, start, end, label), as tuples, as dicts or as a frame with such columns; or a
    mapping of document to (start, end, label); or what `spans_of_tags` gives. An entity reaches from `start` up to
    but without `end`, in any unit. Each is paired with at most one; what finds no partner stands beside "background",
    which is no class. So rows add up to the true entities of a class, and columns to the predicted ones.

    match: "exact" pairs entities of a document with equal boundaries, those of the same class first. "overlap" pairs
    those with a position in common, from the largest intersection over union down, of equal ones those of the
    same class first.
    iou: the least intersection over union of a pair, for "overlap".
    partial: a pair that overlaps counts as its intersection over union, and the rest of both as unmatched.
    labels: the classes and their order; otherwise those that occur, sorted.
    background: the name of its row and column.
    by_document: a Stack along "document", a matrix for each document that a side names; its intervals are those of so
    many documents, and its `sum()` is the matrix.

    >>> truth = [("a", 0, 4, "PER"), ("a", 10, 16, "LOC"), ("b", 3, 8, "ORG")]
    >>> predicted = [("a", 0, 4, "PER"), ("a", 10, 16, "ORG"), ("b", 3, 7, "ORG")]
    >>> print(spans(truth, predicted))
                predicted
    actual      LOC  ORG  PER  background  │ total
    LOC           0    1    0           0  │     1
    ORG           0    0    0           1  │     1
    PER           0    0    1           0  │     1
    background    0    1    0           0  │     1
    total         0    2    1           1  │     4
    >>> spans(truth, predicted, match="overlap").diagonal, spans(truth, predicted, match="overlap", iou=0.9).diagonal
    (array([0, 1, 1, 0]), array([0, 0, 1, 0]))
    """
    one_of("match", match, Match)
    least, partial, by_document = _share("iou", iou), flag("partial", partial), flag("by_document", by_document)
    if match == "exact" and (least or partial):
        msg = Message("`{}` is about entities that overlap; say {match:'overlap'}", "iou" if least else "partial")
        raise InputError(msg)
    given = labels if labels is None or isinstance(labels, Labels) else Labels(as_names(labels))
    both = read_both(truth, predicted, given)
    names = _with_background(both, given, background)
    if match == "exact":
        return _counted(both, names, *exactly(both), None, by_document)
    rows, cols, shares = overlapping(both, least)
    return _counted(both, names, rows, cols, shares if partial else None, by_document)


def _share(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
        msg = Message("{} must be a number from 0 to 1, not {}", Argument(name), told(value))
        raise InputError(msg)
    return float(value)


def _with_background(both: Both, given: Labels | None, background: str) -> Labels:
    if given is None and not both.label_names:
        msg = Message("there are no entities on either side; with {labels} this gives a matrix of zeros")
        raise InputError(msg)
    names = Labels(both.label_names) if given is None else given
    return names if names.outside else names.replace(outside=[background])


def _counted(
    both: Both, names: Labels, rows: Array, cols: Array, shares: Array | None, by_document: bool
) -> ConfusionMatrix | Stack:
    """The matrix of pairs and of what is left of each entity, for all documents or for each."""
    left = np.ones(len(both))
    left[rows] = left[cols] = 0 if shares is None else 1 - shares
    alone = np.flatnonzero(left)
    missed, outside = alone < both.n_truth, names.n_classes
    actual = np.concatenate([both.labels[rows], np.where(missed, both.labels[alone], outside)])
    answers = np.concatenate([both.labels[cols], np.where(missed, outside, both.labels[alone])])
    weights = None if shares is None else np.concatenate([shares, left[alone]])
    classes = range(len(names))
    if not by_document:
        # Of weights no squares are kept: what is weighed are parts of one entity.
        return ConfusionMatrix._of(names, count(actual, answers, labels=classes, weights=weights)._counts)
    documents = both.documents[np.concatenate([rows, alone])]
    stack = count(actual, answers, labels=classes, weights=weights, by=documents, max_groups=len(both) + 1)
    # Documents in which nobody sees an entity are there too, so that stacks of two models have the same ones.
    empty = ConfusionMatrix.from_pairs({}, labels=names)
    parts = {
        name: ConfusionMatrix._of(names, stack[key]._counts) if key in stack else empty
        for key, name in enumerate(both.document_names)
    }
    return Stack(parts, axis="document")
