"""Tally: the accumulator that makes a ConfusionMatrix from chunks, in any order, from any process."""

from __future__ import annotations

import math
from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from confmat.core.counts import Counts
from confmat.core.errors import InputError, Message
from confmat.core.labels import MAX_CLASSES, Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door
from confmat.core.text import some
from confmat.core.values import Guarded, Guessed
from confmat.counting.door import count, count_pairs, policy_of
from confmat.counting.joining import alike, brought_onto, finished, joined
from confmat.counting.look import look
from confmat.counting.planning import Action, Rules

# Weighted cells may end this far below zero, relative to the largest total so far, by rounding
# alone.
RELATIVE_ROUNDING = 2.0**-40


class Tally(Guarded, Guessed):
    """Count chunk after chunk; labels may turn up later than the first one.

    Tallies merge and subtract, can be pickled, and may be updated from several threads at once.
    Chunks counted apart and merged equal one count over everything: exactly for integers, and for
    float weights within n * 2^-52 of each cell's sum, n being the number of chunks.

    Parameters
    ----------
    labels, missing, other, positive, answers, threads, max_classes
        As in `count`; they hold for every update.

    Examples
    --------
    >>> tally = Tally()
    >>> tally.update(["a", "b"], ["a", "a"])
    >>> tally.update(["c"], ["c"])
    >>> tally.matrix().labels
    Labels(['a', 'b', 'c'])
    """

    @door
    def __init__(
        self,
        labels: Iterable[Any] | None = None,
        *,
        missing: Action = "error",
        other: Action = "error",
        positive: Any = None,
        answers: Rules | None = None,
        threads: int | None = None,
        max_classes: int = MAX_CLASSES,
    ) -> None:
        """Take the options of `count`, which hold for every update."""
        policy = policy_of(labels, missing, other, positive, max_classes, answers, threads=threads)
        self._policy = replace(policy, positive=None, is_part=True)
        self._positive = policy.positive
        self._sum: ConfusionMatrix | None = None
        self._peak = 0.0
        super().__init__()

    def _advice_on(self, name: str) -> str:
        from confmat.core.words import line

        return line(name, "Tally") or "the matrix so far is matrix()"

    @door
    def update(self, actual: Any, predicted: Any, weights: Any = None) -> None:
        """Count one more chunk.

        Parameters
        ----------
        actual, predicted
            The labels of both sides, paired by position.
        weights
            One number per item.
        """
        part = self._count(actual, predicted, weights)
        if part is not None:
            self._add(part)

    def merge(self, other: Tally | ConfusionMatrix) -> None:
        """Add what another tally, or a matrix, has counted.

        Parameters
        ----------
        other
            The tally or matrix to add.
        """
        part = _as_matrix(other)
        if part is not None:
            self._add(brought_onto(part, self._policy))

    def __add__(self, other: object) -> Self:
        """Return another tally, with the counts of both."""
        if not isinstance(other, Tally):
            return NotImplemented
        both = copy(self)
        both.merge(other)
        return both

    def subtract(self, actual: Any, predicted: Any = None, weights: Any = None) -> None:
        """Take a chunk out again, as sliding windows need it.

        Parameters
        ----------
        actual
            The actual labels, or a Tally or matrix that holds the whole chunk.
        predicted
            The predicted labels; none beside a Tally or matrix.
        weights
            One number per item.
        """
        if predicted is None:
            if not isinstance(actual, (Tally, ConfusionMatrix)):
                msg = f"subtract takes a Tally, a ConfusionMatrix or two sides of labels, not {type(actual).__name__}"
                raise InputError(msg)
            whole = _as_matrix(actual)
            part = None if whole is None else brought_onto(whole, self._policy)
        else:
            part = self._count(actual, predicted, weights)
        if part is None:
            return
        with self._lock:
            if self._sum is None:
                msg = "there is nothing to subtract from: this tally has counted no pairs"
                raise InputError(msg)
            self._sum = _minus(self._sum, part, self._peak * RELATIVE_ROUNDING)

    def matrix(self) -> ConfusionMatrix:
        """Return the matrix of everything counted so far."""
        with self._lock:
            whole = self._sum
        if whole is not None:
            return look(finished(whole, self._positive), self._policy)
        if self._policy.labels is None:
            msg = Message(
                "this tally has counted no pairs, so its labels are unknown; give {labels=} to "
                "have a matrix of zeros"
            )
            raise InputError(msg)
        return count([], [], labels=self._policy.labels)

    @property
    def total(self) -> int | float:
        """The sum of everything counted so far."""
        with self._lock:
            return 0 if self._sum is None else self._sum.total

    def _count(self, actual: Any, predicted: Any, weights: Any) -> ConfusionMatrix | None:
        if _is_empty(actual) and _is_empty(predicted) and (weights is None or _is_empty(weights)):
            return None
        part = count_pairs(actual, predicted, weights, None, self._policy)
        assert isinstance(part, ConfusionMatrix)
        return part

    def _add(self, part: ConfusionMatrix) -> None:
        with self._lock:
            self._sum = part if self._sum is None else joined(self._sum, part, self._policy)
            self._peak = max(self._peak, float(self._sum.total))

    def __repr__(self) -> str:
        with self._lock:
            whole = self._sum
        if whole is None:
            return "<Tally of nothing yet>"
        return f"<Tally of {len(whole.labels):,} labels, total {whole.total:,}>"


def _is_empty(values: Any) -> bool:
    try:
        return len(values) == 0
    except TypeError:
        return False


def _as_matrix(part: Any) -> ConfusionMatrix | None:
    if isinstance(part, ConfusionMatrix):
        return part
    if isinstance(part, Tally):
        with part._lock:
            return part._sum
    msg = f"a Tally merges with another Tally or a ConfusionMatrix, not {type(part).__name__}"
    raise InputError(msg)


def _minus(whole: ConfusionMatrix, part: ConfusionMatrix, tolerance: float) -> ConfusionMatrix:
    """The difference of two matrices; an error, and nothing changed, where a cell would fall below zero."""
    whole, part = alike(whole, part)
    labels: Labels = whole.labels.union(part.labels)
    whole, part = whole._recoded(labels), part._recoded(labels)
    counts = _less(whole._counts, part._counts, tolerance, labels)
    squares = None
    if whole._squares is not None:
        taken = part._squares or (None if part.is_weighted else part._counts)
        # Only rounding can make a square fall short where its sum did not.
        squares = None if taken is None else _less(whole._squares, taken, math.inf, labels)
    return ConfusionMatrix._of(labels, counts, squares, max(whole.dropped - part.dropped, 0))


def _less(mine: Counts, theirs: Counts, tolerance: float, labels: Labels) -> Counts:
    """Subtract cell by cell; only the cells of the other table are looked at."""
    size, weighted = mine.size, "f" in {mine.dtype.kind, theirs.dtype.kind}
    rows, cols, taken = theirs.cells()
    places: Any = rows, cols
    there: Any = slice(None)
    my_rows, my_cols, values = mine.cells() if mine.is_sparse else (rows, cols, mine.table())
    if mine.is_sparse:
        numbers, wanted = my_rows * size + my_cols, rows * size + cols
        there = np.isin(wanted, numbers)
        places = np.searchsorted(numbers, wanted[there])
    left = np.zeros(len(taken), values.dtype)
    left[there] = values[places]
    if weighted:
        left, taken = left.astype(float), taken.astype(float)
        short = left - taken < -tolerance
        rest = np.maximum(left - taken, 0.0)
    else:
        # Compared before subtracting, since unsigned numbers would wrap.
        left, taken = left.astype(np.uint64), taken.astype(np.uint64)
        short = left < taken
        rest = left - taken
    if short.any():
        first = int(np.argmax(short))
        msg = (
            f"cannot subtract {taken[first]} from the {left[first]} pairs of "
            f"{some([(labels[rows[first]], labels[cols[first]])])}; was that chunk ever added?"
        )
        raise InputError(msg)
    values = values.astype(float if weighted else values.dtype)
    values[places] = rest[there]
    total = None if weighted else mine.total - theirs.total
    if mine.is_sparse:
        return Counts.of_cells(
            size, my_rows, my_cols, values, total=total, sparse=True, in_order=True
        )
    return Counts.of_table(values, total=total)
