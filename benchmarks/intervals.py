"""Intervals: how long do drawn tables take, and the bounds of a whole report; each is asserted first.

Draws are asserted against rows drawn one by one and scored with the formula written out, bounds
against Wilson's interval written out. Nobody else has intervals of every score; the bootstrap of
rows is what people do instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main
from benchmarks.scores import random_table

__all__ = ["races"]

ITEMS = 10_000
DRAWS = 10_000
Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """Drawn tables of ten classes, and reports of a thousand."""
    yield bootstrap(effort)
    yield report_with_intervals(effort)


def bootstrap(effort: Effort) -> Race:
    """The interval of macro F1 from drawn tables; by rows, on a fiftieth of the draws."""
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 10, ITEMS)
    predicted = np.where(rng.random(ITEMS) < 0.3, rng.integers(0, 10, ITEMS), actual)
    m = cm.count(actual, predicted)
    few = DRAWS // 50

    def ours() -> Any:
        return cm.interval(m, "f1.macro", method="bootstrap", draws=DRAWS)

    def rows() -> Array:
        values = np.empty(few)
        for i in range(few):
            drawn = rng.integers(0, ITEMS, ITEMS)
            table = np.bincount(10 * actual[drawn] + predicted[drawn], minlength=100).reshape(
                10, 10
            )
            values[i] = (2 * table.diagonal() / (table.sum(axis=0) + table.sum(axis=1))).mean()
        return np.quantile(values, (0.025, 0.975))

    # The normal approximation for so many items; draws differ from draws by a tenth of their
    # standard error.
    known = cm.interval(m, "f1.macro", average="macro", method="wald")
    assert isinstance(known, cm.Estimate)

    def near(found: Array) -> Array:
        assert np.abs(found - (known.low, known.high)).max() < known.se / 2, found
        return found.round(1)

    expected = np.array([known.low, known.high]).round(1)
    contestants = [
        Contestant(
            OURS, DRAWS, ours, expected, lambda found: near(np.array([found.low, found.high]))
        ),
        Contestant("rows drawn by hand, NumPy", few, rows, expected, near),
    ]
    title = f"{DRAWS:,} bootstrap draws of macro F1, K = 10, {ITEMS:,} items"
    return contest("bootstrap", title, contestants, effort, seconds=5)


def report_with_intervals(effort: Effort) -> Race:
    """Every number of a report of a thousand classes with its bounds."""
    table = random_table(np.random.default_rng(0), 1000)

    def ours() -> cm.Report:
        # A new matrix every time: what metrics read of one is kept for the next.
        return cm.report(cm.ConfusionMatrix(table), intervals=True)

    contestant = Contestant(OURS, 1, ours, wilson_of_recall(table), bounds_of_recall)
    return contest(
        "intervals K=1000", "report with intervals, K = 1,000", [contestant], effort, seconds=4
    )


def wilson_of_recall(table: Array, z: float = 1.959963984540054) -> Array:
    """Wilson's interval of each recall, written out, with the Poisson bound where hits or misses are at most three."""
    hits, n = table.diagonal(), table.sum(axis=1)
    assert n.min() > 50, "smaller classes have the Poisson bound at two hits and fewer"
    p = hits / n
    center, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = np.array([center - half, center + half]) / (1 + z * z / n)
    for few, bound in ((hits, low), (n - hits, high)):
        rare = (few > 0) & (few <= 3)
        poisson = chi2.ppf(0.05, 2 * few[rare]) / 2 / n[rare]
        bound[rare] = poisson if bound is low else 1 - poisson
    return np.array([low, high]).T.round(9)


def bounds_of_recall(report: cm.Report) -> Array:
    column = report.names.index("recall")
    found = report.intervals
    assert found is not None
    return np.array([found.low[:, column], found.high[:, column]]).T.round(9)


if __name__ == "__main__":
    main(races)
