"""Grids: matrices at stated thresholds from a stream of scores, chunk after chunk, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.options import one_of
from confmat.core.stack import Stack
from confmat.core.text import some
from confmat.core.values import Guarded
from confmat.deciding.items import read_items
from confmat.deciding.reading import Kind, Missing
from confmat.deciding.sweeping import Between, one_side, read_grid, stack_of_grid, tallied
from confmat.deciding.truth import read_labels

__all__ = ["ThresholdTally"]

Array = NDArray[Any]


class ThresholdTally(Guarded):
    """Counts scores against a grid of thresholds, chunk after chunk; exact at each of them, however long the stream.

    It keeps two numbers for each threshold. Tallies over one grid add and merge, can be pickled, and may be updated
    from several threads at once. Without `labels` the actual labels are 0 and 1 or False and True; otherwise
    `labels` names two classes, or more, and `positive` or `of` says which one the scores are of, as in `thresholds`.

    >>> tally = ThresholdTally([0.25, 0.5, 0.75])
    >>> tally.update([1, 0], [0.9, 0.8])
    >>> tally.update([1, 0], [0.6, 0.1])
    >>> t = tally.stack()
    >>> list(t), t[0.5].tp, t[0.5].fp
    ([inf, 0.75, 0.5, 0.25, -inf], 2, 1)
    """

    def __init__(
        self,
        grid: Any,
        *,
        labels: Iterable[Any] | None = None,
        positive: Any = None,
        of: Any = None,
        kind: Kind = "scores",
        missing: Missing = "error",
    ) -> None:
        """The options are those of `thresholds` and hold for every update."""
        one_of("kind", kind, Kind)
        one_of("missing", missing, Missing)
        self._grid = read_grid(grid)
        self._labels = read_labels(labels, positive)
        if self._labels is None and (positive is not None or of is not None):
            msg = Message("chunks may lack a class, so name them all: {labels:[...]}")
            raise LabelError(msg)
        self._of, self._kind, self._missing = of, kind, missing
        # What each chunk has to agree on: the labels of the matrices, and where the positive class stands.
        self._sides: tuple[Labels, int] | None = None
        self._between: Between | None = None
        super().__init__()

    def update(self, actual: Any, scores: Any, weights: Any = None) -> None:
        """Count one more chunk."""
        items = read_items(actual, scores, weights, self._kind, self._missing)
        labels = self._labels
        if labels is None:
            # Of 0 and 1 one may be missing; any other two must be named.
            known = [name for name in items.truth.names if type(name) is bool or name in {0, 1}]
            if len(known) < len(items.truth.names):
                msg = Message(
                    "a stream of {} needs its two classes named: {labels:[...]}, {positive:...}",
                    some(items.truth.names),
                )
                raise LabelError(msg)
            labels = Labels([False, True] if known and type(known[0]) is bool else [0, 1])
        side = one_side(items, labels, None, self._of)
        self._put((side.labels, side.place), tallied(side, self._grid))

    def merge(self, other: ThresholdTally) -> None:
        """Add what another tally over the same grid has counted."""
        if not isinstance(other, ThresholdTally):
            msg = f"a ThresholdTally merges with another one, not {type(other).__name__}"
            raise InputError(msg)
        if not np.array_equal(self._grid, other._grid):
            msg = (
                f"these tallies have other grids: {len(self._grid):,} thresholds from {self._grid[0]} to "
                f"{self._grid[-1]}, and {len(other._grid):,} from {other._grid[0]} to {other._grid[-1]}"
            )
            raise InputError(msg)
        with other._lock:
            sides, between = other._sides, other._between
        if sides is not None and between is not None:
            self._put(sides, between)

    def __add__(self, other: object) -> ThresholdTally:
        if not isinstance(other, ThresholdTally):
            # sum() starts from 0.
            return self if isinstance(other, int) and other == 0 else NotImplemented
        made = ThresholdTally.__new__(ThresholdTally)
        made.__setstate__(self.__getstate__())
        made.merge(other)
        return made

    __radd__ = __add__

    @property
    def total(self) -> int | float:
        """The sum of everything counted so far."""
        with self._lock:
            return 0 if self._between is None else self._between.sums.sum().item()

    def stack(self) -> Stack:
        """The matrices at infinity, at each threshold and at minus infinity: what `thresholds` gives for this grid."""
        with self._lock:
            sides, between = self._sides, self._between
        if sides is None or between is None:
            msg = "this tally has counted no items yet"
            raise InputError(msg)
        return stack_of_grid(self._grid, between, *sides)

    def _put(self, sides: tuple[Labels, int], between: Between) -> None:
        with self._lock:
            if self._sides is None:
                self._sides, self._between = sides, between
                return
            assert self._between is not None
            if self._sides != sides:
                before, now = some(self._sides[0]), some(sides[0])
                msg = Message("the classes were {} so far, and are {} now; name them in {labels}", before, now)
                raise LabelError(msg)
            # A new array: what was handed out stays as it was.
            self._between = self._between.plus(between)

    def __repr__(self) -> str:
        return f"<ThresholdTally of {len(self._grid):,} thresholds, total {self.total:,}>"
