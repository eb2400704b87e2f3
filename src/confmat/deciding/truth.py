"""The truth beside scores: actual labels as codes of the classes that the columns of scores stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import as_names, positive_of
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.naming import in_order, not_integral
from confmat.core.text import some
from confmat.counting.columns import Column, column_of

__all__ = [
    "Truth",
    "check_lengths",
    "labels_of_columns",
    "labels_of_two",
    "positive_place",
    "read_labels",
    "read_truth",
]

Array = NDArray[Any]

# Integers over a range up to this, or as wide as there are items, are looked up in a table.
_NEAR = 2**16


@dataclass(slots=True)
class Truth:
    """Actual labels as codes of the distinct ones; -1 is missing. `ordered` names are categories, used or not."""

    codes: Array
    names: list[Any]
    ordered: bool
    holes: Array | None

    def coded(self, labels: Labels) -> Array:
        """The codes of the classes of `labels`, of items that are not missing; an error for a stranger."""
        names = [int(name) if labels.kind == "int" and type(name) is bool else name for name in self.names]
        found = np.array([labels.index(name) if name in labels else -1 for name in names], np.int64)
        if len(found) and (found < 0).any():
            wrong = np.flatnonzero(found < 0)
            odd = np.isin(self.codes, wrong)
            if odd.any():
                msg = Message(
                    "{} in {actual} {} not among the classes {}; the first stands at position {:,}",
                    some([names[place] for place in wrong.tolist()]),
                    "are" if len(wrong) > 1 else "is",
                    some(labels.classes, 8),
                    int(np.argmax(odd)),
                )
                raise LabelError(msg)
        identity = np.array_equal(found, np.arange(len(found)))
        return self.codes if identity else found[self.codes]


def check_lengths(actual: Array, scores: Array) -> None:
    """As many labels as rows of scores."""
    if len(actual) != len(scores):
        msg = Message(
            "{actual} has {:,} labels and {scores} has {:,} rows; they are paired by position, so there must be "
            "as many",
            len(actual),
            len(scores),
        )
        raise InputError(msg)


def read_truth(actual: Any) -> Truth:
    """Actual labels from any container."""
    shape = tuple(getattr(actual, "shape", ()))
    if isinstance(actual, (list, tuple)) and len(actual) and isinstance(actual[0], (list, np.ndarray)):
        shape = (len(actual), *np.shape(actual[0]))
    if len(shape) > 1 and max(shape[1:]) > 1:
        msg = Message(
            "{actual} must hold one label per item, not be of shape {}; of one-hot rows, give the column of the 1",
            shape,
        )
        raise InputError(msg)
    column = column_of(actual, "actual")
    if column is None:
        column = column_of(list(actual), "actual")
        assert column is not None
    if column.names is None:
        return _of_integers(column.codes)
    return _of_names(column)


def _of_integers(codes: Array) -> Truth:
    if codes.dtype == bool:
        return Truth(codes.view(np.uint8), [False, True], ordered=True, holes=None)
    if not len(codes):
        return Truth(codes.astype(np.int64), [], ordered=False, holes=None)
    low, high = int(codes.min()), int(codes.max())
    if high - low < max(_NEAR, len(codes)):
        # 0, 1, ... stand for themselves.
        near = codes.astype(np.int64, copy=False) if low >= 0 and high < _NEAR else (codes - codes.dtype.type(low))
        first = 0 if low >= 0 and high < _NEAR else low
        seen = np.flatnonzero(np.bincount(near.astype(np.int64, copy=False)))
        if len(seen) == int(seen[-1]) + 1:
            return Truth(near, [first + place for place in seen.tolist()], ordered=False, holes=None)
        compact = np.zeros(int(seen[-1]) + 1, np.int64)
        compact[seen] = np.arange(len(seen))
        return Truth(compact[near], [first + place for place in seen.tolist()], ordered=False, holes=None)
    distinct, places = np.unique(codes, return_inverse=True)
    return Truth(places, distinct.tolist(), ordered=False, holes=None)


def _of_names(column: Column) -> Truth:
    assert column.names is not None
    names = list(column.names)
    codes = column.codes.astype(np.int64, copy=False)
    holes: Array | None = codes < 0 if column.holes else None
    if holes is not None and not holes.any():
        holes = None
    if column.spare and not column.ordered:
        seen = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(names)))
        compact = np.full(len(names) + 1, -1, np.int64)
        compact[seen] = np.arange(len(seen))
        codes, names = compact[codes], [names[place] for place in seen.tolist()]
    broken = next((name for name in names if type(name) is float and not name.is_integer()), None)
    if broken is not None:
        raise LabelError(not_integral(broken, Message("a label in {actual}")))
    return Truth(codes, names, column.ordered, holes)


# ---- classes -----------------------------------------------------------------------------------------------


def read_labels(labels: Any, positive: Any) -> Labels | None:
    """The labels that the caller gives."""
    if labels is None:
        return None
    found = labels if isinstance(labels, Labels) else Labels(as_names(labels))
    if found.outside:
        msg = f"scores have no column for labels outside the classes: {some(found.outside)}; give the classes alone"
        raise LabelError(msg)
    return found if positive is None else found.replace(positive=positive)


def labels_of_columns(truth: Truth, columns: int, names: list[Any] | None) -> Labels:
    """The classes that the columns of scores stand for, where nobody says: never a guess."""
    if names is not None:
        if all(name in names for name in truth.names) and len(set(names)) == len(names):
            return Labels(names)
        why = Message("the columns of {scores} are called {}, and {actual} holds {}", some(names), some(truth.names))
    elif len(truth.names) == columns:
        return Labels(truth.names if truth.ordered else _in_one_order(truth.names))
    elif 0 in truth.names and all(type(name) is int and 0 <= name < columns for name in truth.names):
        # Numbers of columns, some of which do not occur.
        return Labels(range(columns))
    else:
        held = f"{len(truth.names):,} labels: {some(truth.names)}" if truth.names else "no labels"
        why = Message("{scores} has {:,} columns, and {actual} holds {}", columns, held)
    msg = Message("{}; say which class each column stands for, in order: {labels:[...]}", why)
    raise LabelError(msg)


def _in_one_order(names: list[Any]) -> list[Any]:
    """The names sorted, where there is one way to: models sort texts of digits as texts, people as numbers."""
    found = in_order(names, appearance=False)
    if all(type(name) is str for name in names) and found != (texts := sorted(names)):
        first = next(place for place, (a, b) in enumerate(zip(found, texts, strict=True)) if a != b)
        shown = slice(max(0, first - 1), first + 3)
        msg = Message(
            "the labels in {actual} are texts of numbers, and column {:,} of {scores} is that of {} if they are "
            "sorted by value ({}) and that of {} if they are sorted as text, as models do ({}); say which class "
            "each column stands for, in order: labels=model.classes_ or {labels:[...]}",
            first,
            some([found[first]]),
            some(found[shown]),
            some([texts[first]]),
            some(texts[shown]),
        )
        raise LabelError(msg)
    return found


def labels_of_two(truth: Truth, positive: Any = None) -> Labels:
    """The two classes of one column of scores, where nobody says."""
    names = truth.names if truth.ordered else in_order(truth.names, appearance=False)
    if names in ([False], [True]):
        # The other one may not occur.
        names = [False, True] if type(names[0]) is bool else names
    if all(type(name) is int for name in names):
        names = next((both for both in ([0, 1], [-1, 1]) if names and set(names) <= set(both)), names)
    if len(names) != 2:
        few = Message("but {actual} holds {:,}: {}", len(names), some(names))
        if len(names) < 2:
            few = "of which only one occurs" if names else Message("and there are no labels in {actual} to say which")
        cure = "name both: {labels:[...]}" if len(names) < 2 else "name the class that it is the score of: of=..."
        msg = Message("one score per item parts two classes, {}; " + cure, few)
        raise LabelError(msg)
    return Labels(names, positive=positive)


def positive_place(labels: Labels) -> int:
    """Where the positive class stands."""
    found = positive_of(labels)
    if found is None:
        msg = Message(
            "which of {} do high scores speak for? Say so, such as {}", some(labels), Argument("positive", labels[-1])
        )
        raise LabelError(msg)
    return labels.index(found)
