"""Matrices for the laws: a fixed pool with every corner, and what Hypothesis draws."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from confmat import ConfusionMatrix
from confmat.core.errors import LabelError, MetricError
from confmat.metrics.declaration import Metric, catalog, factories

__all__ = ["METRICS", "corners", "matrices", "matrix", "pool"]


def matrix(rows: Any) -> ConfusionMatrix:
    """A matrix of the classes a, b, c, ..."""
    return ConfusionMatrix(np.array(rows), list("abcdefghijkl"[: len(rows)]))


@st.composite
def matrices(draw: st.DrawFn, most: int = 5, largest: int = 60) -> ConfusionMatrix:
    """From 2 to `most` classes, with small and with larger counts; any class may be missing on either side."""
    size = draw(st.integers(2, most))
    count = st.one_of(st.just(0), st.integers(0, 4), st.integers(0, largest))
    rows = draw(
        st.lists(st.lists(count, min_size=size, max_size=size), min_size=size, max_size=size)
    )
    table = np.array(rows)
    for side in draw(st.lists(st.sampled_from(["row", "column"]), max_size=2)):
        place = draw(st.integers(0, size - 1))
        table[(place, slice(None)) if side == "row" else (slice(None), place)] = 0
    return matrix(table.tolist())


def corners() -> list[ConfusionMatrix]:
    """Perfect, always wrong, one-sided, lopsided, empty: where formulas break."""
    tables = [
        [[4, 1, 1], [6, 2, 2], [3, 0, 6]],
        [[5, 0], [0, 7]],
        [[1, 9999], [9999, 1]],
        [[0, 5], [7, 0]],
        [[6, 0], [0, 6]],
        [[0, 6], [6, 0]],
        [[5, 5], [5, 5]],
        [[5, 0], [3, 0]],
        [[5, 3], [0, 0]],
        [[5, 0], [0, 0]],
        [[0, 5], [0, 0]],
        [[0, 0], [0, 0]],
        [[1, 0], [0, 1]],
        [[1, 1], [1, 1]],
        [[0, 1], [0, 1]],
        [[9999, 1], [1, 0]],
        [[0, 1], [1, 9999]],
        [[0, 9999], [1, 0]],
        [[1, 9999], [0, 1]],
        [[1, 0], [9999, 1]],
        [[0, 0], [1, 9999]],
        [[3, 0, 0], [0, 4, 0], [0, 0, 5]],
        [[0, 3, 0], [0, 0, 4], [5, 0, 0]],
        [[0, 3, 0], [0, 0, 3], [3, 0, 0]],
        [[0, 4, 1], [2, 0, 3], [6, 5, 0]],
        [[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]],
        [[2, 3, 1], [4, 6, 2], [6, 9, 3]],
        [[10, 0, 0], [2, 8, 0], [0, 5, 0]],
        [[500, 0, 500], [0, 1, 0], [1, 0, 499]],
        [[7, 2, 1, 0], [1, 9, 0, 3], [0, 2, 6, 1], [4, 0, 1, 8]],
        [[1, 2, 3, 4, 5], [5, 1, 2, 3, 4], [4, 5, 1, 2, 3], [3, 4, 5, 1, 2], [2, 3, 4, 5, 1]],
    ]
    # Many classes, right and far off: for what depends on their number.
    return [
        *(matrix(table) for table in tables),
        matrix(np.eye(12, dtype=int)),
        matrix(np.roll(np.eye(12, dtype=int), 6, 0)),
    ]


@cache
def pool() -> list[ConfusionMatrix]:
    """The corners, every 2x2 table of zeros and ones, and tables drawn once with a fixed seed."""
    small = [matrix([[a, b], [c, d]]) for a, b, c, d in product(range(2), repeat=4)]
    rng = np.random.default_rng(12)
    drawn = []
    for size in (2, 3, 3, 4, 5) * 2:
        table = rng.integers(0, 12, (size, size)) * rng.integers(0, 2, (size, size))
        table += np.diag(rng.integers(0, 25, size))
        drawn.append(matrix(table.tolist()))
    return [*corners(), *small, *drawn]


def _takes_any_matrix(one: Metric) -> bool:
    """Whether it does: a table of costs, a scale with one number per class or a cell fits some sizes only."""
    try:
        return all(one(m) is not None for m in [*corners(), matrix([[5]])])
    except (LabelError, MetricError):
        return False


# Every metric, and the example of every family with parameters.
METRICS: dict[str, Metric] = dict(catalog())
for _factory in factories().values():
    _made = _factory(*_factory.example)
    if _takes_any_matrix(_made):
        METRICS.setdefault(_made.name, _made)
