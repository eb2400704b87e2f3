"""Designs by simulation: how often intervals hold the truth, and whether the bootstrap agrees with the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm
from confmat.intervals import Estimate, interval

Array = NDArray[np.float64]
CHANCES = np.array([[0.36, 0.08, 0.06], [0.05, 0.20, 0.05], [0.02, 0.03, 0.15]])
SETS = 400
# The share of so many intervals of 95 % that hold the truth lies in here but once in ten thousand
# times, or is wrong.
LEAST, MOST = 0.90, 0.985


def held(
    draw: Callable[[np.random.Generator], Any], truths: dict[str, float], **how: Any
) -> dict[str, float]:
    """How often the interval of each score held its truth."""
    rng = np.random.default_rng(0)
    found = dict.fromkeys(truths, 0)
    for _ in range(SETS):
        m = draw(rng)
        for score, truth in truths.items():
            one = interval(m, score, **how)
            assert isinstance(one, Estimate)
            found[score] += truth in one
    return {score: count / SETS for score, count in found.items()}


def scores(chances: Array, *names: str) -> dict[str, float]:
    whole = cm.ConfusionMatrix(np.rint(chances * 1e12).astype(np.int64))
    return {name: float(cm.score(whole, name)) for name in names}


@pytest.mark.slow
def test_of_weights() -> None:
    """Items drawn with unequal chances, and weighted by one over them."""
    cells = CHANCES.ravel()
    favored = np.repeat([1.0, 3.0, 2.0], 3)
    chances = cells * favored / (cells * favored).sum()

    def draw(rng: np.random.Generator) -> cm.ConfusionMatrix:
        actual, predicted = divmod(rng.choice(9, 200, p=chances), 3)
        weights = 1 / favored[3 * actual]
        return cm.count(actual, predicted, weights=weights, labels=range(3))

    for score, share in held(
        draw, scores(CHANCES, "f1.macro", "mcc", "accuracy", "recall[1]")
    ).items():
        assert LEAST < share < MOST, score
