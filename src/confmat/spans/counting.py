"""`count_spans`: entities of truth and prediction paired by their boundaries or their overlap, and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import as_names
from confmat.core.errors import Argument, BudgetError, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import in_order, kind_of_all, plain
from confmat.core.options import door, flag, one_of, told
from confmat.core.stack import Stack
from confmat.core.text import printable, some
from confmat.counting import count
from confmat.counting.look import look
from confmat.matching import match
from confmat.spans.entities import Spans, read_spans

Array = NDArray[Any]
# Pairs of entities that overlap; more take gigabytes.
MAX_PAIRS = 2**27
Match = Literal["exact", "overlap"]


@dataclass(slots=True)
class Both:
    """Entities of both sides in one row of columns, those of the truth first, with the names behind their codes."""

    n_truth: int
    documents: Array
    starts: Array
    ends: Array
    labels: Array
    label_names: list[Any]
    document_names: list[Any]

    def __len__(self) -> int:
        return len(self.starts)


def read_both(truth: Any, predicted: Any, labels: Labels | None = None) -> Both:
    """Read and check both sides; labels are coded in the order of `labels`, or sorted."""
    sides = read_spans(truth, "truth"), read_spans(predicted, "predicted")
    documents, codes = _unite([side.documents for side in sides], "documents")
    _check_documents(*sides)
    _check_units(*sides)
    names, label_codes = _labels([side.labels for side in sides], labels)
    starts, ends = (
        np.concatenate([getattr(side, name) for side in sides]) for name in ("_starts", "_ends")
    )
    return Both(
        len(sides[0]),
        np.concatenate([code[side._places] for code, side in zip(codes, sides, strict=True)]),
        starts,
        ends,
        np.concatenate([code[side._codes] for code, side in zip(label_codes, sides, strict=True)]),
        names,
        documents,
    )


def _unite(names: list[Sequence[Any]], what: str) -> tuple[list[Any], list[Array]]:
    """The distinct names of both sides, which are of one kind, and where those of each side are among them."""
    every = [plain(name) for side in names for name in side]
    if every:
        _, alike = kind_of_all(every, f"`{what}` of both sides")
        every = list(alike)
    place = {name: at for at, name in enumerate(dict.fromkeys(every))}
    codes = np.array([place[name] for name in every], np.int64)
    return list(place), [codes[: len(names[0])], codes[len(names[0]) :]]


def _labels(names: list[Sequence[Any]], labels: Labels | None) -> tuple[list[Any], list[Array]]:
    """The classes, as given or all that occur, and where those of each side are among them."""
    occurring, codes = _unite(names, "labels")
    classes = in_order(occurring, appearance=False) if labels is None else list(labels.classes)
    place = {name: at for at, name in enumerate(classes)}
    strange = [name for name in occurring if name not in place]
    if strange:
        are, them, these = (
            ("are", "them", "these classes") if len(strange) > 1 else ("is", "it", "this class")
        )
        msg = (
            f"{some(strange)} {are} not among the labels {some(classes, 8)}; name {them} too, or "
            f"leave the entities of {these} out of both sides"
        )
        raise LabelError(msg)
    places = np.array([place[name] for name in occurring], np.int64)
    return classes, [places[code] for code in codes]


def _check_documents(truth: Spans, predicted: Spans) -> None:
    """Refuse predictions of documents that the truth does not name, and other numbers of tags in a document."""
    if not truth.complete:
        return
    known = {document: at for at, document in enumerate(truth.documents)}
    strange = [document for document in predicted.documents if document not in known]
    if strange:
        msg = Message(
            "{predicted} has entities in {}, which {} none of the {:,} documents of {truth}",
            some(strange),
            "are" if len(strange) > 1 else "is",
            len(known),
        )
        raise InputError(msg)
    if truth.lengths is not None and predicted.lengths is not None:
        _check_lengths(truth, predicted, known)


def _check_lengths(truth: Spans, predicted: Spans, known: dict[Any, int]) -> None:
    """Refuse documents without predicted tags, and other numbers of tags."""
    assert truth.lengths is not None
    assert predicted.lengths is not None
    lacking = [document for document in known if document not in {*predicted.documents}]
    if lacking:
        msg = Message("there are no tags in {predicted} for document {}", some(lacking))
        raise InputError(msg)
    for at, document in enumerate(predicted.documents):
        mine, theirs = int(truth.lengths[known[document]]), int(predicted.lengths[at])
        if mine != theirs:
            msg = Message(
                "document {} has {:,} tags in {truth} and {:,} in {predicted}",
                printable(document),
                mine,
                theirs,
            )
            raise InputError(msg)


def _check_units(truth: Spans, predicted: Spans) -> None:
    """Refuse positions of characters on one side where the other side comes from tags."""
    if (truth.lengths is None) == (predicted.lengths is None):
        return
    tagged, other, side = (
        (truth, predicted, "predicted")
        if predicted.lengths is None
        else (predicted, truth, "truth")
    )
    assert tagged.lengths is not None
    known = dict(zip(tagged.documents, tagged.lengths.tolist(), strict=True))
    reach = np.array(
        [known.get(document, other._ends.max(initial=0)) for document in other.documents], np.int64
    )
    beyond = other._ends > reach[other._places]
    if beyond.any():
        entity = other[int(np.argmax(beyond))]
        msg = Message(
            "{} has {!r:.120}, but document {} has {:,} tags: positions are those of tags on both sides, or of "
            "characters on both",
            Argument(side),
            tuple(entity),
            printable(entity.document),
            known[entity.document],
        )
        raise InputError(msg)


def exactly(both: Both) -> tuple[Array, Array]:
    """Positions of entities of the same document with the same boundaries; those of the same class first.

    The entities left in a place, where several have the same boundaries, are paired in the order of
    the labels, so the order of the records changes nothing.
    """
    places = _ids([both.documents, both.starts, both.ends])
    rows, cols = _in_turn(_ids([places, both.labels]), both, np.arange(len(both)))
    left = np.ones(len(both), bool)
    left[rows] = left[cols] = False
    more = _in_turn(places, both, np.flatnonzero(left))
    return np.concatenate([rows, more[0]]), np.concatenate([cols, more[1]])


def _ids(columns: list[Array]) -> Array:
    """One number for each row of the columns: equal rows have equal ones, in the order of the rows."""
    order = np.lexsort(columns[::-1])
    steps = [np.diff(column[order], prepend=column[order[:1]]) != 0 for column in columns]
    ids = np.empty(len(order), np.int64)
    ids[order] = np.cumsum(np.any(steps, axis=0))
    return ids


def _in_turn(ids: Array, both: Both, among: Array) -> tuple[Array, Array]:
    """Positions of equal ids on both sides: the first of the truth with the first predicted, and so on."""
    side = among >= both.n_truth
    among = among[np.argsort(_ids([ids[among], side, both.labels[among]]), kind="stable")]
    side, own = among >= both.n_truth, ids[among]
    begins = (
        np.concatenate([[True], (own[1:] != own[:-1]) | (side[1:] != side[:-1])])
        if len(own)
        else side
    )
    turn = np.arange(len(own)) - np.flatnonzero(begins)[np.cumsum(begins) - 1] if len(own) else own
    keys = _ids([own, turn])
    _, rows, cols = np.intersect1d(keys[~side], keys[side], assume_unique=True, return_indices=True)
    return among[~side][rows], among[side][cols]


# ---- overlap -------------------------------------------------------------------------------------


def overlapping(both: Both, least: float) -> tuple[Array, Array, Array]:
    """Positions of entities of the same document that overlap, and their intersections over unions.

    Pairs are taken from the largest overlap down, of equal ones those of the same class first, then
    those that are first in the text.
    """
    order = np.lexsort((both.labels, both.ends, both.starts, both.documents))
    order = order[np.argsort(order >= both.n_truth, kind="stable")]
    rows, cols = _candidates(both, order)
    starts, ends, labels = (column[order] for column in (both.starts, both.ends, both.labels))
    common = np.minimum(ends[rows], ends[cols]) - np.maximum(starts[rows], starts[cols])
    shares = common / (np.maximum(ends[rows], ends[cols]) - np.minimum(starts[rows], starts[cols]))
    fits = shares >= least
    rows, cols, shares = rows[fits], cols[fits], shares[fits]
    # Ranks instead of shares, so that of equal ones the same class comes first.
    ranks = 2 * np.unique(shares, return_inverse=True)[1] + (labels[rows] == labels[cols])
    taken = match(rows, cols - both.n_truth, ranks, how="greedy")
    return order[rows[taken]], order[cols[taken]], shares[taken]


def _candidates(both: Both, order: Array) -> tuple[Array, Array]:
    """All pairs that overlap, as places in `order`, in which both sides are sorted by document and start.

    One of two overlapping entities starts within the other: predicted ones that start in a true
    one, and true ones that start in a predicted one but not where it does, are all pairs, each
    once.
    """
    points, ranks = np.unique(np.concatenate([both.starts, both.ends]), return_inverse=True)
    line = both.documents * len(points)
    starts, ends = (line + part for part in np.split(ranks, 2))
    (first, reach), (second, reach_2) = (
        (starts[order[part]], ends[order[part]])
        for part in (slice(both.n_truth), slice(both.n_truth, None))
    )
    sides = []
    for own, ends_at, other, side in (
        (first, reach, second, "left"),
        (second, reach_2, first, "right"),
    ):
        begins = np.searchsorted(other, own, side=side)  # type: ignore[call-overload]
        sides.append((begins, np.maximum(np.searchsorted(other, ends_at, side="left") - begins, 0)))
    total = sum(int(sizes.sum()) for _, sizes in sides)
    if total > MAX_PAIRS:
        msg = f"{total:,} pairs of entities overlap, more than {MAX_PAIRS:,}: these spans nest too deeply to be paired"
        raise BudgetError(msg)
    (rows, cols), (more_cols, more_rows) = starmap(_spread, sides)
    return np.concatenate([rows, more_rows]), np.concatenate([cols, more_cols]) + both.n_truth


def _spread(begins: Array, sizes: Array) -> tuple[Array, Array]:
    """Each place as often as its size says, and the numbers from its beginning on."""
    places = np.repeat(np.arange(len(begins)), sizes)
    return places, np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes - begins, sizes)


class SpanOptions(TypedDict, total=False):
    """Options of `count_spans` that no kind of result depends on."""

    match: Match
    iou: float
    partial: bool
    labels: Iterable[Any] | None
    background: str


@overload
def count_spans(
    truth: Any,
    predicted: Any,
    *,
    by_document: Literal[False] = False,
    **options: Unpack[SpanOptions],
) -> ConfusionMatrix: ...
@overload
def count_spans(
    truth: Any, predicted: Any, *, by_document: Literal[True], **options: Unpack[SpanOptions]
) -> Stack: ...
@door
def count_spans(
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
    """Count named entities into a matrix: rows are classes of the truth, columns are predicted ones.

    An entity reaches from `start` up to but without `end`, in any unit. Each is paired with at most
    one; an entity without a partner is counted beside "background", which is no class. So rows add
    up to the true entities of a class, and columns to the predicted ones.

    Parameters
    ----------
    truth, predicted
        A list of (document, start, end, label), as tuples, as dicts or as a frame with such
        columns; or a mapping of document to (start, end, label); or the Spans of `spans_of_tags`.
    match
        "exact" pairs entities of a document with equal boundaries, those of the same class first.
        "overlap" pairs entities with a position in common, from the largest intersection over union
        down, of equal ones those of the same class first.
    iou
        The least intersection over union of a pair, for "overlap".
    partial
        Count a pair that overlaps as its intersection over union, and the rest of both as
        unmatched.
    labels
        The classes and their order; otherwise the classes that occur, sorted.
    background
        The name of its row and column.
    by_document
        Return a Stack along "document", a matrix for each document that a side names: its `sum()`
        is the matrix, and its intervals treat a document, not an entity, as the unit that was
        sampled.

    Returns
    -------
    ConfusionMatrix or Stack

    Examples
    --------
    >>> truth = [("a", 0, 4, "PER"), ("a", 10, 16, "LOC"), ("b", 3, 8, "ORG")]
    >>> predicted = [("a", 0, 4, "PER"), ("a", 10, 16, "ORG"), ("b", 3, 7, "ORG")]
    >>> print(count_spans(truth, predicted))
                predicted
    actual      LOC  ORG  PER  background  │ total
    LOC           0    1    0           0  │     1
    ORG           0    0    0           1  │     1
    PER           0    0    1           0  │     1
    background    0    1    0           0  │     1
    total         0    2    1           1  │     4
    >>> [count_spans(truth, predicted, match="overlap", iou=iou).diagonal for iou in (0, 0.9)]
    [array([0, 1, 1, 0]), array([0, 0, 1, 0])]
    """
    one_of("match", match, Match)
    least, partial, by_document = (
        _share("iou", iou),
        flag("partial", partial),
        flag("by_document", by_document),
    )
    if match == "exact" and (least or partial):
        msg = Message(
            "`{}` is about entities that overlap; say {match:'overlap'}",
            "iou" if least else "partial",
        )
        raise InputError(msg)
    classes = labels if labels is None or isinstance(labels, Labels) else Labels(as_names(labels))
    both = read_both(truth, predicted, classes)
    if classes is None:
        if not both.label_names:
            msg = Message(
                "there are no entities on either side; with {labels=} this gives a matrix of zeros"
            )
            raise InputError(msg)
        classes = Labels(both.label_names)
    names = classes if classes.outside else classes.replace(outside=[background])
    rows, cols, shares = (*exactly(both), None) if match == "exact" else overlapping(both, least)
    found = _count_pairs(both, names, rows, cols, shares if partial else None, by_document)
    return look(found, named=labels is not None)


def _share(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float, np.number))
        or not 0 <= value <= 1
    ):
        msg = Message("{} must be a number from 0 to 1, not {}", Argument(name), told(value))
        raise InputError(msg)
    return float(value)


def _count_pairs(
    both: Both, names: Labels, rows: Array, cols: Array, shares: Array | None, by_document: bool
) -> ConfusionMatrix | Stack:
    """The matrix of pairs and of the unmatched rest of each entity, for all documents or for each."""
    left = np.ones(len(both))
    left[rows] = left[cols] = 0 if shares is None else 1 - shares
    alone = np.flatnonzero(left)
    missed, outside = alone < both.n_truth, names.n_classes
    actual = np.concatenate([both.labels[rows], np.where(missed, both.labels[alone], outside)])
    answers = np.concatenate([both.labels[cols], np.where(missed, outside, both.labels[alone])])
    weights = None if shares is None else np.concatenate([shares, left[alone]])
    classes = range(len(names))
    if not by_document:
        # The squares of these weights are not kept: the weights are parts of one entity.
        return ConfusionMatrix._of(
            names, count(actual, answers, labels=classes, weights=weights)._counts
        )
    documents = both.documents[np.concatenate([rows, alone])]
    stack = count(
        actual, answers, labels=classes, weights=weights, by=documents, max_groups=len(both) + 1
    )
    # Documents in which nobody sees an entity are there too, so that stacks of two models have the
    # same ones.
    empty = ConfusionMatrix.from_pairs({}, labels=names)
    parts = {
        name: ConfusionMatrix._of(names, stack[key]._counts) if key in stack else empty
        for key, name in enumerate(both.document_names)
    }
    return Stack(parts, axis="document")
