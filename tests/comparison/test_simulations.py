"""Tests of models that are equally good: how often they see a difference that is not there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from confmat.comparison import compare_predictions

Array = NDArray[Any]
SCORES = ("accuracy", "f1.macro", "mcc", "balanced_accuracy")
PREVALENCE = np.array([0.5, 0.3, 0.2])


def answers(
    rng: np.random.Generator, n: int, shares: tuple[float, float], together: float
) -> tuple[Array, ...]:
    """Truth, and the answers of two models that are right so often; some items are equally hard for both."""
    actual = rng.choice(3, n, p=PREVALENCE)
    common, luck = rng.random(n), rng.random((2, n))
    guesses = [(actual + rng.integers(1, 3, n)) % 3 for _ in shares]
    hard = np.where(rng.random(n) < together, common, luck)
    return actual, *(np.where(hard[i] < shares[i], actual, guesses[i]) for i in (0, 1))


@pytest.mark.nightly
@pytest.mark.parametrize("together", [0.0, 0.7])
def test_models_that_are_alike_are_told_apart_as_often_as_said(together: float) -> None:
    rng = np.random.default_rng(0)
    rounds = 400
    wrong = dict.fromkeys(SCORES, 0)
    held = dict.fromkeys(SCORES, 0)
    for _ in range(rounds):
        actual, one, two = answers(rng, 200, (0.8, 0.8), together)
        for each in compare_predictions(
            actual, {"one": one, "two": two}, metrics=SCORES, labels=range(3)
        ).differences:
            wrong[each.score] += each.verdict == "different"
            held[each.score] += each.low <= 0 <= each.high
    for score in SCORES:
        # Over 400 rounds .05 has a standard error of .011.
        assert 0.015 < wrong[score] / rounds < 0.09, score
        assert 0.91 < held[score] / rounds < 0.99, score
