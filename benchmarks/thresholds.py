"""Thresholds: how long the matrix at every threshold takes, and the ROC curve with it.

Every contestant's curve is asserted point by point against the rates that a plain sort gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main

__all__ = ["races"]

SCORES = 10_000_000
GRID = 1001
CURVE = "confmat, the ROC curve too"

Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """A sweep over distinct scores, one with weights, and a grid."""
    scores = effort.pick(SCORES, SCORES // 10)
    rng = np.random.default_rng(0)
    actual = (rng.random(scores) < 0.3).astype(np.int64)
    values = rng.random(scores)
    yield swept(actual, values, None, effort)
    yield swept(actual, values, rng.integers(1, 4, scores), effort)
    yield on_a_grid(actual, values, effort)


def rates(actual: Array, scores: Array, weights: Array | None) -> Array:
    """False and true positive rates from the highest score down, written out; all scores are distinct."""
    order = np.argsort(-scores)
    hits = actual[order] * (1 if weights is None else weights[order])
    missed = (1 - actual[order]) * (1 if weights is None else weights[order])
    both = np.cumsum([missed, hits], axis=1)
    return np.concatenate([[[0.0], [0.0]], both / both[:, -1:]], axis=1).round(9)


def of_curve(curve: Any) -> Array:
    return np.array([curve[0], curve[1]]).round(9)


def of_stack(stack: cm.Stack) -> Array:
    curve = cm.roc(stack)
    return np.array([curve.x, curve.y]).round(9)


def swept(actual: Array, scores: Array, weights: Array | None, effort: Effort) -> Race:
    from sklearn.metrics import roc_curve

    expected, n = rates(actual, scores, weights), len(scores)
    theirs = partial(roc_curve, actual, scores, sample_weight=weights, drop_intermediate=False)

    def curve() -> Any:
        return tuple(cm.roc(cm.thresholds(actual, scores, weights=weights)))

    contestants = [
        Contestant(
            OURS, n, partial(cm.thresholds, actual, scores, weights=weights), expected, of_stack
        ),
        Contestant(CURVE, n, curve, expected, of_curve),
        Contestant("scikit-learn", n, theirs, expected, of_curve),
    ]
    weighted = "" if weights is None else " weighted"
    return contest(
        f"thresholds{weighted}",
        f"every threshold of {n:,}{weighted} scores",
        contestants,
        effort,
        12,
    )


def on_a_grid(actual: Array, scores: Array, effort: Effort) -> Race:
    """Beside the plain way: every score is compared with every threshold, in blocks that fit into memory."""
    grid, n = np.linspace(0, 1, GRID), len(scores)
    few = n // 100

    def compared(pairs: int) -> Array:
        found = np.zeros((GRID, 2), np.int64)
        for begin in range(0, pairs, 1000):
            reached = scores[begin : begin + 1000, None] >= grid
            hit = actual[begin : begin + 1000, None] == 1
            found += np.stack([(reached & hit).sum(axis=0), (reached & ~hit).sum(axis=0)], axis=1)
        return found

    def of_grid(stack: cm.Stack) -> Array:
        return stack.counts[-2:0:-1, ::-1, 1]

    def expected(pairs: int) -> Array:
        parts = [np.sort(scores[:pairs][actual[:pairs] == side]) for side in (1, 0)]
        return np.stack([len(part) - np.searchsorted(part, grid) for part in parts], axis=1)

    contestants = [
        Contestant(
            OURS, n, partial(cm.thresholds, actual, scores, thresholds=grid), expected(n), of_grid
        ),
        Contestant("every score with every threshold", few, partial(compared, few), expected(few)),
    ]
    return contest(
        "thresholds grid", f"{n:,} scores on a grid of {GRID:,} thresholds", contestants, effort, 6
    )


if __name__ == "__main__":
    main(races)
