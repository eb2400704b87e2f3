"""A matrix with all of its labels as classes, and their prices by place: each label outside has prices of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from confmat.core.counts import Counts
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.metrics.costs import Costs
from confmat.metrics.prices import Bounds, Computed, Form, Prices

__all__ = ["Placed", "Priced", "priced"]


class Placed(Form):
    """Prices that were found already, as costs that a metric takes."""

    def __init__(self, prices: Prices, bounds: Bounds) -> None:
        self.prices, self.bounds = prices, bounds

    def over(self, labels: Labels, *, inside: bool) -> Prices:  # noqa: ARG002 - there is nothing to look up
        """The prices."""
        return self.prices

    def placed(self, size: int) -> Prices:  # noqa: ARG002 - the same
        """The prices."""
        return self.prices


@dataclass(frozen=True)
class Priced:
    """A matrix without outside labels, the prices of its cells by place, and the labels that it had.

    `dropped` was outside on both sides.
    """

    matrix: ConfusionMatrix
    prices: Prices
    bounds: Bounds
    labels: Labels
    dropped: float = 0

    @property
    def costs(self) -> Costs:
        """The prices, for a metric."""
        return Costs(Placed(self.prices, self.bounds))

    def against(self, answer: int) -> Costs:
        """What is saved, in each cell, by the answer that was given instead of one and the same; as costs."""
        least, most = self.bounds
        reach = None if least is None or most is None else most - least

        def find(rows: Any, cols: Any) -> Any:
            return self.prices.at(rows, np.full(np.shape(cols), answer)) - self.prices.at(rows, cols)

        return Costs(Placed(Computed(self.prices.size, find), (None if reach is None else -reach, reach)))


def priced(m: ConfusionMatrix, costs: Any) -> Priced:
    """The matrix and its prices; what was outside on both sides is left out, as by every metric."""
    costs = Costs(costs)
    prices = costs.on(m.labels, len(m.labels))
    if not m.labels.outside:
        return Priced(m, prices, costs.bounds, m.labels)
    counts, dropped = _inside(m._counts, m.n_classes)
    squares = None if m._squares is None else _inside(m._squares, m.n_classes)[0]
    whole = ConfusionMatrix._of(Labels(range(len(m.labels))), counts, squares)
    return Priced(whole, prices, costs.bounds, m.labels, dropped)


def _inside(counts: Counts, classes: int) -> tuple[Counts, float]:
    """The cells of a class on one side at least, and the sum of the others."""
    rows, cols, values = counts.cells()
    kept = (rows < classes) | (cols < classes)
    return Counts.of_cells(counts.size, rows[kept], cols[kept], values[kept]), values[~kept].sum().item()
