"""The answers of two models to the same items, counted: how often each class was answered with each two classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, LabelError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import plain
from confmat.core.stack import Stack
from confmat.core.text import some
from confmat.intervals.variance import squares_beside

__all__ = ["Pairing", "united"]

Array = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class Pairing:
    """Of each filled cell of truth by first by second: the three classes, the count and the squared weights."""

    labels: Labels
    actual: Places
    first: Places
    second: Places
    counts: Array
    squares: Array

    @classmethod
    def of_stack(cls, stack: Stack, labels: Labels, read: Callable[[Any], Any] = plain) -> Pairing:
        """From the matrices of the first model, one for each answer of the second: any engine can count them.

        `read` says which label an answer stands for.
        """
        if stack.labels != labels:
            msg = f"the first model was counted over other labels: {stack.labels!r} instead of {labels!r}"
            raise LabelError(msg)
        places = {key: labels._find(read(key)) for key in stack}
        strange = [key for key, place in places.items() if place is None]
        if strange:
            msg = f"answers of the second model that are none of the labels: {some(strange)}"
            raise LabelError(msg)
        if stack.ungrouped:
            msg = f"{stack.ungrouped:,} items have no answer of the second model; a pair needs both"
            raise InputError(msg)
        parts: list[tuple[Any, ...]] = []
        for key, m in stack.items():
            rows, cols, counts = m._counts.cells()
            squares = squares_beside(m, rows, cols, counts)
            parts.append((rows, cols, np.full(len(rows), places[key]), counts, squares))
        columns = [np.concatenate(part) for part in zip(*parts, strict=True)] if parts else [np.zeros(0)] * 5
        actual, first, second = (part.astype(np.intp) for part in columns[:3])
        counts, squares = (part.astype(np.float64) for part in columns[3:])
        return cls(labels, actual, first, second, counts, squares)

    @property
    def total(self) -> float:
        """All items, or their weight."""
        return float(self.counts.sum())

    def swapped(self) -> Pairing:
        """The same with the models in each other's place."""
        return Pairing(self.labels, self.actual, self.second, self.first, self.counts, self.squares)

    def right(self) -> tuple[float, float, float, float]:
        """Items that both had right, only the first, only the second, and neither."""
        one, two = self.first == self.actual, self.second == self.actual
        both = (one & two, one & ~two, ~one & two, ~one & ~two)
        found = [float(self.counts[part].sum()) for part in both]
        return found[0], found[1], found[2], found[3]

    def answers(self) -> Array:
        """The table of the first model's answers (rows) by the second's."""
        size = len(self.labels)
        table = np.zeros((size, size))
        np.add.at(table, (self.first, self.second), self.counts)
        return table


def united(matrices: dict[str, ConfusionMatrix]) -> dict[str, ConfusionMatrix]:
    """The matrices over the labels of all of them."""
    labels = None
    for m in matrices.values():
        labels = m.labels if labels is None else labels.union(m.labels)
    assert labels is not None
    empty = ConfusionMatrix.from_pairs({}, labels=labels)
    return {name: m if m.labels == labels else m + empty for name, m in matrices.items()}
