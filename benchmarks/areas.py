"""How often intervals of areas hold the truth, where scores are normal or not, and positive items are few.

`python -m benchmarks.areas` draws 300 test sets in each of 320 cells and prints the table of the
guide: scores that are normal, normal with unequal spread, five ratings or exponential; 50 to 500
items, 5 to 250 of them positive; areas of .6 to .99. Ten million scores are swept besides, and the
interval of their area is timed against the sweep.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

import confmat as cm

__all__ = ["Cell", "cells", "held"]

Array = NDArray[np.float64]
SEED = 34
SETS = 300
SIZES = {50: (5, 10, 25), 100: (5, 10, 25, 50), 200: (5, 10, 25, 100), 500: (5, 10, 50, 125, 250)}
AREAS = (0.6, 0.8, 0.9, 0.97, 0.99)
SHAPES = ("normal", "unequal", "ratings", "exponential")
METHODS = ("score", "delong", "logit")
# Ratings are cut halfway between both classes, so many standard deviations apart.
CUTS = np.array([-1.2, -0.4, 0.4, 1.2])
# Thresholds on which what is true of all items is worked out.
FINE = np.linspace(-12.0, 40.0, 200_001)


class Cell(NamedTuple):
    """A population, and how many positive and negative items are drawn from it."""

    shape: str
    area: float
    positives: int
    negatives: int

    def rates(self) -> tuple[Array, Array]:
        """Shares of positive and of negative items at or above thresholds, from the highest down."""
        a, down = self.area, FINE[::-1]
        if self.shape == "exponential":
            mean = a / (1 - a)
            down = np.geomspace(1e-9, 1e4, len(FINE))[::-1]
            return np.exp(-down / mean), np.exp(-down)
        spread = 2.0 if self.shape == "unequal" else 1.0
        gap = math.hypot(1.0, spread) * float(ndtri(a))
        if self.shape == "ratings":
            down = np.concatenate([[math.inf], (gap / 2 + CUTS)[::-1], [-math.inf]])
        return ndtr((gap - down) / spread), ndtr(-down)

    def truth(self, area: str = "roc_auc", most: float | None = None) -> float:
        """The area of all items there are."""
        hits, alarms = self.rates()
        if area == "average_precision":
            named = self.positives * hits + self.negatives * alarms
            share = np.divide(
                self.positives * hits, named, out=np.zeros(len(hits)), where=named > 0
            )
            return float(np.sum(np.diff(hits) * share[1:]))
        end = 1.0 if most is None else most
        x = np.append(alarms[alarms < end], end)
        y = np.append(hits[alarms < end], np.interp(end, alarms, hits))
        value = float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))
        return value if most is None else (1 + (value - most**2 / 2) / (most - most**2 / 2)) / 2

    def drawn(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """A test set."""
        actual = np.repeat([1, 0], [self.positives, self.negatives])
        if self.shape == "exponential":
            return actual, rng.exponential(np.where(actual, self.area / (1 - self.area), 1.0))
        spread = 2.0 if self.shape == "unequal" else 1.0
        gap = math.hypot(1.0, spread) * float(ndtri(self.area))
        scores = rng.normal(gap * actual, np.where(actual, spread, 1.0))
        return actual, np.digitize(scores, gap / 2 + CUTS).astype(
            np.float64
        ) if self.shape == "ratings" else scores


def cells() -> Iterator[Cell]:
    """All of them."""
    for shape in SHAPES:
        for area in AREAS:
            for items, every in SIZES.items():
                for positives in every:
                    yield Cell(shape, area, positives, items - positives)


def held(cell: Cell, sets: int, **asked: Any) -> tuple[float, float]:
    """How often the interval of a cell holds the truth, and how wide it is."""
    area, most = asked.pop("area", "roc_auc"), asked.get("max_fpr")
    rng, truth = (
        np.random.default_rng([SEED, *cell[2:], round(1000 * cell.area)]),
        cell.truth(area, most),
    )
    good, width = 0, 0.0
    for _ in range(sets):
        low, high = cm.interval(cm.thresholds(*cell.drawn(rng), labels=[0, 1]), area, **asked)
        # The truth is worked out in steps.
        good, width = good + (low - 1e-6 <= truth <= high + 1e-6), width + float(high) - float(low)
    return good / sets, width / sets


class Patients(NamedTuple):
    """A population of clusters: how many are drawn, how many items each has, and what their scores share."""

    clusters: int
    size: int
    area: float
    shared: float = 0.5
    positive: float = 0.3

    def drawn(self, rng: np.random.Generator) -> tuple[Any, Any, Any]:
        """Labels, scores and clusters; clusters differ in their scores and in how often they are positive."""
        place = np.repeat(np.arange(self.clusters), self.size)
        often = rng.beta(2 * self.positive, 2 * (1 - self.positive), self.clusters)
        actual = (rng.random(len(place)) < often[place]).astype(int)
        together, alone = rng.standard_normal(self.clusters), rng.standard_normal(len(place))
        noise = math.sqrt(self.shared) * together[place] + math.sqrt(1 - self.shared) * alone
        return actual, math.sqrt(2) * float(ndtri(self.area)) * actual + noise, place


def patients() -> list[Patients]:
    """Some populations of clusters."""
    return [
        Patients(clusters, size, area)
        for area in (0.7, 0.9, 0.97)
        for size in (5, 20)
        for clusters in (10, 20, 50, 100)
    ]


def held_of(cell: Patients, sets: int, *, by_cluster: bool) -> tuple[float, float]:
    """How often the interval of an area holds that of items of all clusters, and how wide it is."""
    rng = np.random.default_rng([SEED, cell.clusters, cell.size, round(1000 * cell.area)])
    good, width, told = 0, 0.0, 0
    while told < sets:
        actual, scores, place = cell.drawn(rng)
        found = cm.compare_scores(
            actual, {"m": scores}, labels=[0, 1], clusters=place if by_cluster else None
        ).estimates["m", "roc_auc"]
        if math.isnan(found.low):
            # A class that does not occur has no area.
            continue
        told, good = told + 1, good + (found.low <= cell.area <= found.high)
        width += found.high - found.low
    return good / sets, width / sets


def row(name: str, some: list[Cell], sets: int, **asked: Any) -> str:
    """Return a line of the table: the worst cell of all, of areas near 1, and of the others."""
    found = [held(cell, sets, **asked) for cell in some]
    worst = min(range(len(some)), key=lambda place: found[place][0])
    below = np.mean([share < 0.92 for share, _ in found])
    near = min(
        (share for (share, _), cell in zip(found, some, strict=True) if cell.area >= 0.97),
        default=math.nan,
    )
    width = np.mean([each for _, each in found])
    where = f"{some[worst].shape}, area {some[worst].area}, {some[worst].positives} + {some[worst].negatives} items"
    return f"| {name} | {found[worst][0]:.3f} | {where} | {100 * below:.0f} % | {near:.3f} | {width:.3f} |"


def timed(items: int, times: int = 3) -> tuple[float, float]:
    """Seconds that a sweep takes, and the interval of its area: the quickest of so many."""
    rng = np.random.default_rng(SEED)
    actual = rng.random(items) < 0.3
    scores = rng.normal(actual.astype(np.float64))
    t = cm.thresholds(actual, scores)
    asked: list[Callable[[], Any]] = [
        lambda: cm.thresholds(actual, scores),
        lambda: cm.interval(t, "roc_auc"),
    ]
    spent = []
    for one in asked:
        seconds = []
        for _ in range(times):
            begin = time.perf_counter()
            one()
            seconds.append(time.perf_counter() - begin)
        spent.append(min(seconds))
    return spent[0], spent[1]


def main() -> None:
    """Print the table of the guide."""
    every = list(cells())
    print("| interval | worst | where | below .92 | areas of .97 and more, worst | mean width |")
    print("|:--|--:|:--|--:|--:|--:|")
    for method in METHODS:
        print(row(f"area under ROC, {method}", every, SETS, method=method), flush=True)
    print(row("average precision", every, SETS, area="average_precision"), flush=True)
    print(row("area up to a false positive rate of .2", every, SETS, max_fpr=0.2), flush=True)
    print("| clusters, items each, area | held by clusters | width | clusters ignored | width |")
    print("|:--|--:|--:|--:|--:|")
    for cell in patients():
        found = [held_of(cell, SETS, by_cluster=by_cluster) for by_cluster in (True, False)]
        shown = " | ".join(f"{share:.3f} | {width:.3f}" for share, width in found)
        print(f"| {cell.clusters}, {cell.size}, {cell.area} | {shown} |", flush=True)
    sweep, area = timed(10_000_000)
    print(f"ten million scores: sweep {sweep:.2f} s, interval of its area {area:.2f} s")


if __name__ == "__main__":
    main()
