"""GoldPlan: how many items have to be checked, and with which labels, for an interval of a width or for a decision.

Checked items give a judged score the variance sum N q / p over strata of N items with the same
labels, each checked with the chance p, where its derivative differs from the working model by q in
the mean square. For a given number of items, it is least with p as the root of q (Neyman, Journal of the Royal
Statistical Society 97, 1934).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.naming import is_missing
from confmat.core.samples import Units
from confmat.core.tables import Column, Table, Tabular, percent

Array = NDArray[Any]
Fits = Callable[[float, float], bool]
# A stratum's chance is no less than this part of the mean one: nobody knows its variance that well.
_LEAST_CHANCE = 0.5
# As many items as the working model weighs beside those that were checked in a stratum.
_PRIOR = 20.0
# Fewer checked items tell nothing about the error of a judge.
_FEWEST = 30
_HEADS = {2: ("judge", "predicted"), 3: ("judge", "first", "second")}


@dataclass(frozen=True, eq=False, repr=False)
class GoldPlan(Tabular):
    """How many items have to be checked, and in which strata: items with the same labels of judge and models.

    Those `checked` before have weights that add up to `weight` and `squared`, and every other has
    the `chance` to come next. `square` is the mean square of a residual, `sure` the variance that
    stays however many are checked, and `alike` the number of items if all were drawn alike.
    """

    labels: Labels
    sides: tuple[Array, ...]
    items: Array
    checked: Array
    weight: Array
    squared: Array
    square: Array
    sure: float
    chance: Array
    goal: str
    alike: float = math.nan

    @classmethod
    def _of(
        cls,
        labels: Labels,
        cells: Any,
        gold: Any,
        units: Units,
        expected: Callable[[Any], Any],
        fits: Fits,
        goal: str,
    ) -> GoldPlan:
        """Return the fewest items to check whose standard error and number fit.

        The truths of a stratum's checked items are drawn towards the working model.
        """
        size = len(labels)
        keys, place = np.unique(_keys(cells[:-1], size), return_inverse=True)
        items = np.bincount(place, cells[-1])
        sides = np.unravel_index(keys, (size,) * len(gold))
        at = np.searchsorted(keys, _keys(gold, size))
        found = np.zeros((len(keys), size))
        np.add.at(found, (at, units.rows), units.weight**2 / units.squared)
        checked = found.sum(axis=1)
        model, moved, mean = expected(sides)
        shares = (found + _PRIOR * model) / (checked + _PRIOR)[:, None]
        square = (shares * (moved - mean[:, None]) ** 2).sum(axis=1)
        if n := checked.sum():
            # The working model has a few numbers from the same items.
            square *= n / max(n - size - 2, n / 2)
        weight, squared = (
            np.bincount(at, part, len(keys)) for part in (units.weight, units.squared)
        )
        n = float(items.sum())
        sure = float((items * mean**2).sum() - (items * mean).sum() ** 2 / n) * n / (n - 1)
        none = cls(
            labels, sides, items, checked, weight, squared, square, sure, np.zeros(len(keys)), goal
        )
        plan, alike = (none._least(root, fits) for root in (np.sqrt(square), np.ones(len(keys))))
        if plan is None:
            msg = f"{goal}: checking all {n:,.0f} items is not enough; label more items, or ask for less"
            raise InputError(msg)
        return plan if alike is None else replace(plan, alike=alike.total)

    def _least(self, root: Array, fits: Fits) -> GoldPlan | None:
        """Return the fewest items to check that fit, with chances like these roots; None if all are too few."""
        mean = (self.items * root).sum() / self.items.sum()
        root = np.maximum(root / mean, _LEAST_CHANCE) if mean > 0 else np.ones(len(root))
        low, high = 1e-6, 1 / _LEAST_CHANCE
        while high / low > 1.0001:
            middle = math.sqrt(low * high)
            _, *end = replace(self, chance=np.minimum(middle * root, 1.0))._ends
            low, high = (low, middle) if end[1] >= _FEWEST and fits(*end) else (middle, high)
        found = replace(self, chance=np.minimum(high * root, 1.0))
        return found if fits(*found._ends[1:]) else None

    @property
    def _next(self) -> Array:
        """How many items of each stratum come next."""
        return (self.items - self.checked) * self.chance

    @property
    def _ends(self) -> tuple[float, float, float]:
        """The weight of the earlier draw beside the next, the standard error by both, and the number checked then.

        By the next draw alone, earlier items count as they are. The weight is that of the least
        variance.
        """
        then = self.checked + (self.items - self.checked) / np.maximum(self.chance, 1e-12)
        first, then, both = (
            (self.square * part).sum() for part in (self.squared, then, self.weight)
        )
        share = (
            min(max(float((then - both) / (first + then - 2 * both)), 0.0), 1.0) if first else 0.0
        )
        within = share**2 * first + (1 - share) ** 2 * then + 2 * share * (1 - share) * both
        n = float((self.checked + self._next).sum())
        return share, math.sqrt(self.sure + n / max(n - 1, 1.0) * float(within)), n

    @property
    def more(self) -> int:
        """How many items have to be checked beside those that were."""
        return round(float(self._next.sum()))

    @property
    def total(self) -> int:
        """How many items are checked in the end."""
        return round(self._ends[2])

    def draw(self, *columns: Any, gold: Any = None, seed: Any = 0) -> Array:
        """Return the places of the items to check next, drawn by chance, a given number in each stratum.

        Parameters
        ----------
        *columns
            The labels of the judge and of the model, or models, item by item.
        gold
            The true labels of the items that were checked before, missing for others.
        seed
            The seed of the draw, or a generator of NumPy.
        """
        place, before = self._places(columns, gold)
        rng = np.random.default_rng(seed)
        order = rng.permutation(np.flatnonzero(~before))
        order = order[np.argsort(place[order], kind="stable")]
        ends = np.cumsum(np.concatenate([[rng.random()], self.chance[place[order]]]))
        return np.sort(order[np.diff(np.floor(ends)) > 0])

    def chances(self, *columns: Any, gold: Any = None) -> Array:
        """Return a probability for each item, for `judged(..., probability=)` once those drawn are checked.

        Which strata come next depends on what the first items said, so these count by their own
        draw, and the next by theirs: each of the two estimates the whole, and they are weighed by
        how much they say.

        Parameters
        ----------
        *columns, gold
            As in `draw`.
        """
        (place, before), share = self._places(columns, gold), self._ends[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            first = (self.squared / self.weight)[place]
            found = np.where(
                before, 1 / (share * first + 1 - share), self.chance[place] / (1 - share)
            )
        return np.asarray(found / max(found.max(), 1.0))

    def _places(self, columns: Sequence[Any], gold: Any) -> tuple[Array, Array]:
        """The stratum of each item, and whether it was checked before."""
        codes = [
            np.array([self.labels.index(label) for label in column], np.intp) for column in columns
        ]
        if len(codes) != len(self.sides) or len({len(side) for side in codes}) > 1:
            msg = f"the plan is by {', '.join(_HEADS[len(self.sides)])}: give a column for each, all of one length"
            raise InputError(msg)
        keys, found = _keys(self.sides, len(self.labels)), _keys(codes, len(self.labels))
        place = np.minimum(np.searchsorted(keys, found), len(keys) - 1)
        before = (
            np.array([not is_missing(each) for each in gold])
            if gold is not None
            else np.zeros(len(found), bool)
        )
        counts = (
            np.bincount(place[before], minlength=len(keys))
            if len(before) == len(found)
            else np.zeros(0)
        )
        whole = np.bincount(place, minlength=len(keys))
        same = (keys[place], found), (whole, np.rint(self.items)), (counts, np.rint(self.checked))
        if not all(starmap(np.array_equal, same)):
            msg = "these are not the items that were planned from: give the same, and in `gold` those checked before"
            raise InputError(msg)
        return place, before

    def table(self) -> Table:
        """Return the strata, those with most items to check first, as a Table."""
        order = np.argsort(-self._next, kind="stable")
        columns = [
            Column(head, [self.labels[code] for code in side[order].tolist()], is_label=True)
            for head, side in zip(_HEADS[len(self.sides)], self.sides, strict=True)
        ]
        numbers = {
            "items": self.items,
            "checked": self.checked,
            "to check": np.round(self._next, 1),
        }
        columns += [
            Column(head, values[order], "{:,.12g}".format) for head, values in numbers.items()
        ]
        columns.append(Column("chance", self.chance[order], percent))
        beside = (
            f"; {round(self.alike):,} if all were drawn alike" if self.alike > self.total else ""
        )
        notes = [f"{self.goal}: {self.more:,} items to check, {self.total:,} in all{beside}"]
        if self.checked.any() and (unseen := int((self.checked == 0).sum())):
            notes.append(
                f"No item of {unseen:,} rows was checked: they are taken to vary as the others do."
            )
        return Table((*columns,), tuple(notes), shown=(20, 20, 0), more="… and {hidden:,} more")


def _keys(sides: Sequence[Any], size: int) -> Array:
    """Return a number for each combination of codes, in their order."""
    return np.ravel_multi_index(tuple(sides), (size,) * len(sides))
