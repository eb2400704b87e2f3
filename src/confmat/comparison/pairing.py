"""The answers of two models to the same items: counted by pairs, or bounded by what both matrices allow.

Counted, each class has a number for each two answers. From two matrices alone it is unknown which
items both models had right, but not unlimited: in each class the overlap lies between two numbers,
and so do the discordant items and McNemar's p-value. For any other score the covariance is greatest
where within each class the items that move one score most also move the other most, and least where
they are opposed (the rearrangement inequality), so the standard error of the difference lies
between two numbers too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from confmat.comparison.significance import mid_p
from confmat.core.errors import InputError, LabelError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import plain
from confmat.core.samples import Units, pseudo_item, units_of
from confmat.core.stack import Stack
from confmat.core.text import some
from confmat.intervals.variance import Slope, scaled, seen_cells, squares_beside

Array = NDArray[np.float64]
Places = NDArray[np.intp]
# The sizes of strata, and whether they are all items that there are.
Drawn = tuple[Any, bool]
# Metrics promise twelve digits; a derivative at the middle of two tables has some less.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Pairing:
    """The filled cells of truth by first by second: their three classes, counts and squared weights.

    `units` are what was drawn, where that had a design: a cell for each of these.
    """

    # Both models have answered the same items, unlike those of some `Clusters`.
    shared: ClassVar[bool] = True
    labels: Labels
    actual: Places
    first: Places
    second: Places
    counts: Array
    squares: Array
    units: Units | None = None

    @classmethod
    def of_stack(
        cls,
        stack: Stack,
        labels: Labels,
        read: Callable[[Any], Any] = plain,
        drawn: Drawn | None = None,
    ) -> Pairing:
        """From the matrices of the first model, one for each answer of the second: any engine can count them.

        `read` says which label an answer means. Where items were `drawn` from strata, keys are
        (stratum, answer).
        """
        if stack.labels != labels:
            msg = f"the first model was counted over other labels: {stack.labels!r} instead of {labels!r}"
            raise LabelError(msg)
        places = [labels._find(read(key if drawn is None else key[1])) for key in stack]
        unknown = [key for key, place in zip(stack, places, strict=True) if place is None]
        if unknown:
            msg = f"answers of the second model that are none of the labels: {some(unknown)}"
            raise LabelError(msg)
        if stack.ungrouped:
            msg = f"{stack.ungrouped:,} items have no answer of the second model; a pair needs both"
            raise InputError(msg)
        if drawn is not None:
            strata = list(dict.fromkeys(key[0] for key in stack))
            units = units_of(
                strata, [(strata.index(key[0]), m) for key, m in stack.items()], *drawn
            )
            second: Places = np.repeat(np.array(places), [len(m.pairs()) for m in stack.values()])
            return cls(labels, units.rows, units.cols, second, units.weight, units.squared, units)
        # No answer is a pair of empty columns.
        parts: list[tuple[Any, ...]] = [(np.zeros(0),) * 5]
        for place, m in zip(places, stack.values(), strict=True):
            cells = m._counts.cells()
            parts.append(
                (*cells[:2], np.full(len(cells[0]), place), cells[2], squares_beside(m, *cells))
            )
        columns = [np.concatenate(part) for part in zip(*parts, strict=True)]
        actual, first, second = (part.astype(np.intp) for part in columns[:3])
        counts, squares = (part.astype(np.float64) for part in columns[3:])
        return cls(labels, actual, first, second, counts, squares)

    @property
    def total(self) -> float:
        """All items, or their weight."""
        return float(self.counts.sum())

    def error_of(self, added: Array) -> float:
        """The standard error of a sum over the items, from what those of each cell add."""
        if self.units is not None:
            return math.sqrt(max(self.units.covariance(lambda *_: added, lambda *_: added), 0.0))
        mean = (self.counts * added).sum() / self.total
        return math.sqrt(max(float((self.squares * (added - mean) ** 2).sum()), 0.0))

    def error_between(self, first: Slope, second: Slope) -> float:
        """The standard error of the difference of a score, from its slopes for both models."""
        return self.error_of(
            second.at(self.actual, self.second) - first.at(self.actual, self.first)
        )

    def error_if_alike(self, moved: Array) -> float:
        """The standard error of the same if models are alike: an item moves the sum either way."""
        return (
            math.sqrt(float((self.squares * moved**2).sum()))
            if self.units is None
            else self.error_of(moved)
        )

    def one_more(self, by: Slope) -> float:
        """The variance of one more item on which the models differ, by the slope of a score halfway between them."""
        size = len(by.predicted) - 1
        named = sum(
            np.bincount(np.minimum(each, size), self.counts, size + 1)
            for each in (self.first, self.second)
        )
        return one_more(by, np.asarray(named)[:size], self.actual, self.counts, self.squares)

    def swapped(self) -> Pairing:
        """The same with the models in each other's place."""
        units = None if self.units is None else replace(self.units, cols=self.second)
        return Pairing(
            self.labels, self.actual, self.second, self.first, self.counts, self.squares, units
        )

    def both_right(self) -> float:
        """Items that both models had right."""
        return float(self.counts[(self.first == self.actual) & (self.second == self.actual)].sum())

    def answers(self) -> Array:
        """The table of the first model's answers (rows) by the second's."""
        size = len(self.labels)
        table = np.zeros((size, size))
        np.add.at(table, (self.first, self.second), self.counts)
        return table


def empty_over(models: Mapping[str, ConfusionMatrix | Stack]) -> ConfusionMatrix:
    """An empty matrix over the labels of all models, which is added to theirs."""
    labels = reduce(Labels.union, (each.labels for each in models.values()))
    return ConfusionMatrix.from_pairs({}, labels=labels)


def united(matrices: dict[str, ConfusionMatrix]) -> dict[str, ConfusionMatrix]:
    """The matrices over the labels of all of them."""
    labels = empty_over(matrices).labels
    return {name: m._recoded(labels) for name, m in matrices.items()}


def middle(first: ConfusionMatrix, second: ConfusionMatrix) -> ConfusionMatrix:
    """The matrix halfway between two, which does not change if the models swap their answers to any item."""
    minus_first, minus_second = (
        ConfusionMatrix._of(m.labels, scaled(m._counts, -1)) for m in (first, second)
    )
    return minus_first + minus_second


def right_of_same(
    first: ConfusionMatrix, second: ConfusionMatrix, by: Slope, items: float
) -> tuple[Array, Array] | None:
    """Count for each class the answers of both that a share of these items has right; None if it is of others."""
    rows, cols, counts, sides = _of_both(first, second)
    g, lowest = by.at(rows, cols), np.full(first.n_classes + 1, np.inf)
    np.minimum.at(lowest, rows, g)
    right = (g - lowest[rows]) * items
    # An item of the same class is right or wrong by as much, whatever the answer.
    if not (np.isclose(right, 0, atol=1e-6) | np.isclose(right, 1, atol=1e-6)).all():
        return None
    hits = [counts * (right > 0.5) * (sides == side) for side in (0, 1)]
    before, after = (
        np.bincount(rows, each, first.n_classes + 1).astype(np.float64) for each in hits
    )
    return before, after


def discordance(
    first: ConfusionMatrix, second: ConfusionMatrix, right: tuple[Array, Array] | None = None
) -> tuple[float, float, float]:
    """Least and most items that one model had right and the other wrong, and how many more the first had right.

    >>> a, b = ConfusionMatrix([[45, 5], [5, 45]]), ConfusionMatrix([[40, 10], [10, 40]])
    >>> discordance(a, b)
    (10.0, 30.0, 10.0)
    """
    k = first.n_classes
    # Items whose truth is outside the classes come last, together; no answer to them is right by
    # the diagonal.
    a, b = right or (np.append(m.diagonal[:k], 0.0) for m in (first, second))
    totals = np.asarray(first.actual_totals, dtype=np.float64)
    rows = np.append(totals[:k], totals[k:].sum())
    least, most = np.abs(a - b).sum(), np.minimum(a + b, 2 * rows - a - b).sum()
    return float(least), float(most), float((a - b).sum())


def _of_both(
    first: ConfusionMatrix, second: ConfusionMatrix
) -> tuple[Places, Places, Array, Places]:
    """Rows, columns and counts of the filled cells of both, and whose each is."""
    parts = [seen_cells(m, "wrong")[:3] for m in (first, second)]
    rows, cols, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
    return rows, cols, counts, np.repeat([0, 1], [len(part[0]) for part in parts])


def mid_p_range(
    first: ConfusionMatrix, second: ConfusionMatrix, right: tuple[Array, Array] | None = None
) -> tuple[float, float]:
    """McNemar's mid-p value under the most favourable and the least favourable pairing."""
    least, most, more = discordance(first, second, right)
    # For models that are right equally often it is 1 if they never differ, and least if they differ
    # on two items.
    numbers = {least, most, *((min(2.0, most),) if least == more == 0 else ())}
    p_values = [mid_p((n + more) / 2, (n - more) / 2) for n in numbers]
    return min(p_values), max(p_values)


def fewest_moving(first: ConfusionMatrix, second: ConfusionMatrix, by: Slope) -> float:
    """Items whose answers must have changed by what moves a score between two matrices of the same items."""
    rows, cols, counts, sides = _of_both(first, second)
    g = by.at(rows, cols)
    # Cells of a class that move it alike are one.
    levels = np.round(g / (ROUNDING * np.abs(g).max(initial=0.0) or 1.0))
    _, kinds = np.unique(np.stack([rows, levels]), axis=1, return_inverse=True)
    return float(np.abs(np.bincount(kinds.ravel(), np.where(sides, -counts, counts))).sum()) / 2


def one_more(by: Slope, named: Array, rows: Places, counts: Array, squares: Array) -> float:
    """Return the variance of one more item on which two models differ, by the class and the weight of the others.

    One of them is right there, and the other names a class as often as both do, `named`. Which
    class the item is of goes by the share that each has in the variance of a score if answers
    differ equally often in all.
    """
    size = len(named)
    weights, squared = (
        np.bincount(rows[rows < size], part[rows < size], size) for part in (counts, squares)
    )
    effect, there = by.swaps(named), weights > 0
    effect, weights, squared = effect[there], weights[there], squared[there]
    return pseudo_item(squared * effect, effect * (squared / weights) ** 2)


def covariances(
    first: ConfusionMatrix, second: ConfusionMatrix, slopes: tuple[Slope, Slope]
) -> tuple[float, float]:
    """Least and greatest covariance of two scores of the same items, over all ways to pair the answers.

    Each class has as many items in both matrices, but for items outside the classes, which come
    last.
    """
    g, n = _by_class(first, slopes[0])
    return _together(g, n, *_by_class(second, slopes[1], -1)), _together(
        g, n, *_by_class(second, slopes[1])
    )


def _by_class(m: ConfusionMatrix, slope: Slope, sign: int = 1) -> tuple[Array, Array]:
    """Return the derivatives of the cells, class by class from least to greatest or the other way, and the counts."""
    rows, cols, counts, _ = seen_cells(m, "wrong")
    g = slope.at(rows, cols)
    order = np.lexsort((sign * g, rows))
    return g[order], counts[order]


def _together(g: Array, n: Array, h: Array, k: Array) -> float:
    """Sum of products of two columns of items, laid side by side in the order given."""
    if not (len(n) and len(k)):
        return 0.0
    before, after = np.cumsum(n), np.cumsum(k)
    cuts = np.unique(np.concatenate([before, after]))
    cuts = cuts[cuts <= min(before[-1], after[-1])]
    lengths = np.diff(cuts, prepend=0.0)
    at = [
        np.minimum(np.searchsorted(ends, cuts, side="left"), len(ends) - 1)
        for ends in (before, after)
    ]
    return float((lengths * g[at[0]] * h[at[1]]).sum())
