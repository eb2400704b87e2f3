"""Items: a stack along "item" that knows which labels each item has and which it got, a bit for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.cells import Cells
from confmat.labels import Labels
from confmat.stack import Stack

__all__ = ["ItemLabels", "Items"]

Array = NDArray[Any]
# Ones that are looked at together.
_AT_ONCE = 2**21


@dataclass(frozen=True, eq=False, slots=True)
class ItemLabels:
    """The labels that each item has and got: tables of bits, eight to a byte, or sparse tables of ones."""

    labels: Labels
    actual: Any
    predicted: Any
    weights: Array | None
    # Which column is which label, if they were asked for in another order.
    order: list[int] | None = None

    def in_order(self, order: list[int]) -> ItemLabels:
        """The same items with their labels in another order."""
        return self if order == list(range(len(order))) else replace(self, order=order)

    def parts(self) -> Iterator[tuple[Any, Any, Any, Array | None]]:
        """Some items at a time: who has which label, who got it, who both, and what each weighs."""
        n, size = int(self.actual.shape[0]), len(self.labels)
        order = slice(None) if self.order is None else self.order
        if not isinstance(self.actual, np.ndarray):
            both = self.actual.multiply(self.predicted).tocsr()
            yield self.actual[:, order], self.predicted[:, order], both[:, order], self.weights
            return
        step = max(1, _AT_ONCE // max(size, 1))
        for begin in range(0, n, step):
            part = slice(begin, begin + step)
            true, said = self.actual[part], self.predicted[part]
            one, other, both = (
                np.unpackbits(ones, axis=1, count=size)[:, order].astype(np.float64)
                for ones in (true, said, true & said)
            )
            yield one, other, both, None if self.weights is None else self.weights[part]

    def cells(self) -> Cells:
        """What they add up to: the four cells of each label."""
        sums, total = np.zeros((3, len(self.labels))), 0.0
        for *parts, weights in self.parts():
            each = np.ones(parts[0].shape[0]) if weights is None else np.asarray(weights, np.float64)
            sums += [np.asarray(part.T @ each) for part in parts]
            total += float(each.sum())
        true, said, both = sums
        return Cells(both, said - both, true - both, total - true - said + both)


class Items(Stack):
    """A matrix for each item, over its labels, and which labels those are: means over labels vary by items."""

    __slots__ = ("_held",)

    _held: ItemLabels

    @property
    def held(self) -> ItemLabels | None:
        """The labels of the items; none under another axis."""
        return getattr(self, "_held", None)

    def holding(self, held: ItemLabels | None) -> Items:
        """The same stack with the labels of its items."""
        same = type(self).__new__(type(self))
        same._set(*self._state())
        object.__setattr__(same, "_held", held)
        return same

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, (self._state(), self.held))


def _rebuilt(state: tuple[Any, ...], held: ItemLabels | None) -> Items:
    items = Items.__new__(Items)
    items._set(*state)
    return items.holding(held)
