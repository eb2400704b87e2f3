"""Columns of scores in files: one for each class, decided row by row and counted batch by batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.deciding import from_scores
from confmat.engines.headings import find_column, find_columns
from confmat.engines.rows import Wanted, batches
from confmat.errors import ConfmatError, InputError, LabelError, Message
from confmat.matrix import ConfusionMatrix
from confmat.stack import Stack
from confmat.text import some

__all__ = ["Scores", "count_scores"]

_ROW = re.compile(r"((?:\bin|:) row )(\d+(?:,\d{3})*)(?![\d.])")
Array = NDArray[Any]
Row = tuple[Any, ...]


class Scores(Wanted):
    """The columns of scores, named one by one or by a pattern such as p_*, with those of labels, weights and groups.

    A pattern also says which class a column is of: what stands for the star.
    """

    def __init__(self, scores: Sequence[str], actual: str | None, weights: str | None, by: str | None) -> None:
        super().__init__(actual, None, (), hits=True)
        self.scores, self.weights, self.by = list(scores), weights, by
        self.found: list[str] = []
        self.classes: list[str] = []

    def among(self, names: Sequence[str], file: str) -> list[str]:
        """Their names in a file: actual, weight, group, and the scores."""
        try:
            if not self.found:
                self._expand(names)
            # The columns of scores are no candidates for that of labels.
            free = [name for name in names if name not in self.found[1:]]
            actual, _ = find_columns(free, self.actual, self.found[0])
            more = [find_column(names, name, side) for side, name in self._more()]
            return [actual, *more, *(find_column(names, name, "scores") for name in self.found)]
        except InputError as error:
            msg = Message("{}: {}", file, error)
            raise InputError(msg) from None

    def _more(self) -> list[tuple[str, str]]:
        return [(side, name) for side, name in (("weights", self.weights), ("by", self.by)) if name is not None]

    def _expand(self, names: Sequence[str]) -> None:
        """The columns that are meant, and the class of each."""
        for given in self.scores:
            before, star, after = given.partition("*")
            if not star or given in names:
                fitting = {given: given}
            else:
                ends = len(before) + len(after)
                fitting = {
                    name: name[len(before) : len(name) - len(after)]
                    for name in names
                    if len(name) > ends and name.startswith(before) and name.endswith(after)
                }
            if not fitting:
                msg = Message(
                    "no column is called like {} for {scores}; the columns are {}", some([given]), some(names, 12)
                )
                raise InputError(msg)
            self.found += fitting
            self.classes += fitting.values()

    def check(self, labels: Sequence[Any]) -> None:
        """Complain of several columns that are called like none of the labels."""
        names = sorted(set(map(str, labels)))
        if len(self.found) < 2 or not names or set(names) & set(self.classes):
            return
        ends = zip(min(self.classes), max(self.classes), strict=False)
        start = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], ends))
        pattern = f", or let the star of {some([start + '*'])} stand for it" if start else ""
        msg = Message(
            "the columns {} of {scores} are called like none of the labels {}; say in {labels} which class each "
            "column is of{}",
            some(self.classes, 6),
            some(names, 6),
            pattern,
        )
        raise LabelError(msg)

    def parts(self, rows: list[Row]) -> tuple[list[Any], Any, list[Any] | None, Array]:
        """Labels, weights, groups and scores of some rows."""
        labels, *columns = zip(*rows, strict=True)
        weights = None if self.weights is None else _numbers([columns.pop(0)], [self.weights])[:, 0]
        groups = None if self.by is None else list(columns.pop(0))
        return list(labels), weights, groups, _numbers(columns, self.found)


def _numbers(columns: Sequence[Sequence[Any]], names: Sequence[str]) -> Array:
    """Columns of numbers, or of what stands for them in a text file."""
    try:
        return np.array(columns, dtype=object).astype(np.float64).T
    except (TypeError, ValueError):
        name, wrong = next(
            (name, one) for name, column in zip(names, columns, strict=True) for one in column if not _is_number(one)
        )
        msg = f"the column {some([name])} holds {some([wrong])}, which is no number"
        raise InputError(msg) from None


def _is_number(value: Any) -> bool:
    try:
        return value is None or float(value) is not None
    except (TypeError, ValueError):
        return False


def count_scores(
    paths: Any,
    columns: Scores,
    *,
    spelling: Callable[[list[Any]], Callable[[str], Any]],
    labels: Sequence[str] | None = None,
    positive: str | None = None,
    na_values: Sequence[str] = (),
    format: Any = None,  # noqa: A002 - as count_files calls it
    delimiter: str | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
    **decision: Any,
) -> ConfusionMatrix | Stack:
    """The matrix of a model whose scores stand in columns, one for each class; with a group column, a stack.

    spelling: given labels that occur, what a class is that is written as text.
    labels: the class of each column; without it, what the pattern's star stands for, or the names of the columns.
    decision: how scores become answers, as `from_scores` takes it. Everything else as in `count_files`.
    """
    groups: dict[Any, ConfusionMatrix] = {}
    absent, seen = frozenset(na_values), 0
    for file, rows in batches(paths, columns, format=format, delimiter=delimiter, memory=memory_limit, threads=threads):
        try:
            truth, weights, keys, scores = columns.parts(rows)
            truth = [None if name is None or str(name) in absent else name for name in truth]
            if not seen:
                occur = [name for name in truth if name is not None]
                if labels is None:
                    columns.check(occur)
                spelt = spelling(occur)
                decision["labels"] = [spelt(name) for name in labels or columns.classes]
                decision["positive"] = None if positive is None else spelt(positive)
            for key, places in _places(keys, len(rows)):
                part = None if weights is None else weights[places]
                m = from_scores([truth[place] for place in places], scores[places], weights=part, **decision)
                groups[key] = groups[key] + m if key in groups else m
        except ConfmatError as error:
            message = _of_file(error.message, seen)
            msg = Message("{}, rows {:,} to {:,}: {}", file, seen + 1, seen + len(rows), message)
            raise type(error)(msg) from None
        seen += len(rows)
    if not groups:
        msg = "there are no rows to count"
        raise InputError(msg)
    return groups[None] if columns.by is None else Stack(groups, axis=columns.by)


def _of_file(message: Message, before: int) -> Message:
    """Return the message with rows counted from 1 over all batches; that of a batch counts its own, from 0."""
    return message.edited(
        lambda text: _ROW.sub(lambda row: f"{row[1]}{int(row[2].replace(',', '')) + before + 1:,}", text)
    )


def _places(keys: list[Any] | None, many: int) -> list[tuple[Any, list[int]]]:
    """The groups of some rows, and which rows are of each."""
    if keys is None:
        return [(None, list(range(many)))] if many else []
    found: dict[Any, list[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    if None in found:
        msg = f"missing groups: {len(found[None]):,} of these rows belong to none"
        raise InputError(msg)
    return list(found.items())
