"""Truth and prediction side by side: documents and labels of both get common codes, and are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat._naming import in_order, kind_of_all, plain
from confmat.errors import Argument, InputError, LabelError, Message
from confmat.labels import Labels
from confmat.tagging.entities import Spans
from confmat.tagging.reading import read_spans
from confmat.text import printable, some

__all__ = ["Both", "read_both"]

Array = NDArray[Any]


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
    documents, codes = _united([one.documents for one in sides], "documents")
    _check_documents(*sides)
    _check_units(*sides)
    names, label_codes = _labels([one.labels for one in sides], labels)
    starts, ends = (np.concatenate([getattr(one, name) for one in sides]) for name in ("_starts", "_ends"))
    return Both(
        len(sides[0]),
        np.concatenate([code[one._places] for code, one in zip(codes, sides, strict=True)]),
        starts,
        ends,
        np.concatenate([code[one._codes] for code, one in zip(label_codes, sides, strict=True)]),
        names,
        documents,
    )


def _united(names: list[Sequence[Any]], what: str) -> tuple[list[Any], list[Array]]:
    """The distinct names of both sides, which are of one kind, and where those of each side stand among them."""
    every = [plain(name) for side in names for name in side]
    if every:
        _, alike = kind_of_all(every, f"`{what}` of both sides")
        every = list(alike)
    place = {name: at for at, name in enumerate(dict.fromkeys(every))}
    codes = np.array([place[name] for name in every], np.int64)
    return list(place), [codes[: len(names[0])], codes[len(names[0]) :]]


def _labels(names: list[Sequence[Any]], labels: Labels | None) -> tuple[list[Any], list[Array]]:
    """The classes, as given or all that occur, and where those of each side stand among them."""
    found, codes = _united(names, "labels")
    classes = in_order(found, appearance=False) if labels is None else list(labels.classes)
    place = {name: at for at, name in enumerate(classes)}
    strange = [name for name in found if name not in place]
    if strange:
        are = "are" if len(strange) > 1 else "is"
        them = "them" if len(strange) > 1 else "it"
        msg = (
            f"{some(strange)} {are} not among the labels {some(classes, 8)}; name {them} too, or leave the entities of "
            f"{'these classes' if len(strange) > 1 else 'this class'} out of both sides"
        )
        raise LabelError(msg)
    places = np.array([place[name] for name in found], np.int64)
    return classes, [places[one] for one in codes]


def _check_documents(truth: Spans, predicted: Spans) -> None:
    """Where the truth names its documents, predictions are for these; of tags, both have as many in each."""
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
    if truth.lengths is None or predicted.lengths is None:
        return
    lacking = known.keys() - {*predicted.documents}
    if lacking:
        msg = Message("there are no tags in {predicted} for document {}", some(sorted(lacking, key=known.__getitem__)))
        raise InputError(msg)
    for at, document in enumerate(predicted.documents):
        mine, theirs = int(truth.lengths[known[document]]), int(predicted.lengths[at])
        if mine != theirs:
            msg = Message(
                "document {} has {:,} tags in {truth} and {:,} in {predicted}", printable(document), mine, theirs
            )
            raise InputError(msg)


def _check_units(truth: Spans, predicted: Spans) -> None:
    """Where one side comes from tags, the positions of the other are those of tags too, and not of characters."""
    if (truth.lengths is None) == (predicted.lengths is None):
        return
    tagged, other, side = (truth, predicted, "predicted") if predicted.lengths is None else (predicted, truth, "truth")
    assert tagged.lengths is not None
    known = dict(zip(tagged.documents, tagged.lengths.tolist(), strict=True))
    reach = np.array([known.get(document, other._ends.max(initial=0)) for document in other.documents], np.int64)
    beyond = other._ends > reach[other._places]
    if beyond.any():
        one = other[int(np.argmax(beyond))]
        msg = Message(
            "{} has {!r:.120}, but document {} has {:,} tags: positions are those of tags on both sides, or of "
            "characters on both",
            Argument(side),
            tuple(one),
            printable(one.document),
            known[one.document],
        )
        raise InputError(msg)
