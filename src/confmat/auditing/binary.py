"""Two classes: all tables that printed scores allow, with the positives known or all numbers of them tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from confmat.auditing.inference import Range, Witness
from confmat.auditing.region import Region, bounds, is_monotone, solved
from confmat.auditing.values import Asked, margins_of_two, values_of
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix

__all__ = ["TWO", "Tables", "tables"]

TWO = Labels(["positive", "negative"], positive="positive")
_CHUNK = 1 << 18
_BLOCK = 1 << 12


@dataclass(frozen=True)
class Tables:
    """The tables of two classes that fit."""

    region: Region
    bound: str | None
    undefined: float | None
    most: int
    labels: Labels = TWO
    what: tuple[str, str] = ("table of counts", "tables of counts")

    @property
    def count(self) -> int:
        """How many there are."""
        return self.region.count

    def range(self, one: Asked) -> Range:
        """The values of a score: of what is monotone from the ends of the rows, else from every table."""
        least, greatest = np.inf, -np.inf
        exact = is_monotone(one) or self.count <= self.most
        if is_monotone(one):
            parts = [self.region.ends()]
        else:
            whole = range(0, min(self.count, self.most), _CHUNK)
            parts = [self.region.tables(start, start + _CHUNK) for start in whole]
        for tp, fp, fn, tn in parts:
            values = values_of(one.score, one.place, margins_of_two(tp, fp, fn, tn), self.undefined)
            values = values[~np.isnan(values)]
            if len(values):
                least, greatest = min(least, float(values.min())), max(greatest, float(values.max()))
        if least > greatest:
            return Range(float("nan"), float("nan"))
        return Range(least, greatest, exact and self.bound is None)

    def witnesses(self, n: int) -> list[Witness]:
        """Tables spread over all of them."""
        places = np.unique(np.linspace(0, self.count - 1, n).astype(np.int64)).tolist() if self.count else []
        found = []
        for place in places:
            tp, fp, fn, tn = (int(part[0]) for part in self.region.tables(place, place + 1))
            m = ConfusionMatrix([[tp, fn], [fp, tn]], self.labels)
            found.append(Witness(TWO.classes, (tp, tn), (tp + fn, fp + tn), (tp + fp, tn + fn), m))
        return found


def tables(
    asked: list[Asked],
    positives: int | None,
    total: int,
    undefined: float | None,
    budget: int,
    progress: Callable[[float], object] | None,
) -> Tables:
    """Solve for given positives, or for every number of them."""
    if positives is not None:
        region, whole = solved(np.array([positives], dtype=np.int64), total, asked, undefined, budget)
        bound = None if whole else f"Too many to try: only {budget:,} were looked at; a greater `budget` looks at more."
        return Tables(region, bound, undefined, budget)
    parts, at, spent, whole = [], 0, 0, True
    while at <= total and whole:
        # As many numbers of positives at once as make a good array.
        every = np.arange(at, min(at + _BLOCK, total + 1), dtype=np.int64)
        low, high = bounds(every, total, asked)
        work = np.cumsum(high - low + 2)
        fits = int(np.searchsorted(work, budget - spent, side="right"))
        if not fits:
            break
        region, whole = solved(every[:fits], total, asked, undefined, max(budget - spent, 1))
        parts.append(region)
        at, spent = at + fits, spent + int(work[fits - 1])
        if progress is not None:
            progress(at / (total + 1))
        if fits < len(every):
            break
    bound = None
    if at <= total or not whole:
        bound = (
            f"Too many to try: positives from 0 to {max(at - 1, 0):,} of {total:,} were tried within the budget; "
            "say how many positives there are, or give a greater `budget`."
        )
    return Tables(Region.joined(parts, total), bound, undefined, budget)
