"""Tests of models that are equally good: how often they see a difference that is not there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm
from confmat.comparison import compare, compare_predictions
from confmat.comparison.pairing import covariances
from confmat.intervals.gradient import slope
from confmat.intervals.variance import variance

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


@pytest.mark.nightly
def test_pairing_sees_what_separate_items_do_not() -> None:
    rng = np.random.default_rng(1)
    rounds, seen = 150, {"paired": 0, "apart": 0}
    for _ in range(rounds):
        actual, one, two = answers(rng, 300, (0.87, 0.80), 0.7)
        models = {"one": one, "two": two}
        matrices = {name: cm.count(actual, part, labels=range(3)) for name, part in models.items()}
        seen["paired"] += (
            compare_predictions(actual, models, metrics=["mcc"]).of("mcc").verdict == "different"
        )
        seen["apart"] += (
            compare(matrices, metrics=["mcc"], same_items=False).of("mcc").verdict == "different"
        )
    assert seen["paired"] / rounds > 0.85
    assert seen["paired"] > 1.2 * seen["apart"]


@pytest.mark.nightly
@pytest.mark.parametrize("together", [0.0, 0.5, 1.0])
def test_the_true_standard_error_lies_within_the_bounds_of_matrices(together: float) -> None:
    """In every one of the data sets, and so does the p-value; what they decide, the answers decide alike."""
    rng = np.random.default_rng(2)
    for _ in range(80):
        actual, one, two = answers(rng, 150, (0.85, 0.75), together)
        models = {"one": one, "two": two}
        matrices = {name: cm.count(actual, part, labels=range(3)) for name, part in models.items()}
        paired = compare_predictions(actual, models, metrics=SCORES, labels=range(3))
        known = compare(matrices, metrics=SCORES)
        for score in SCORES:
            sharp, range_ = paired.of(score), known.of(score)
            assert range_.p_low - 1e-9 <= sharp.p_value <= range_.p_high + 1e-9
            if not range_.verdict.startswith("undecided"):
                assert range_.verdict == sharp.verdict
            parsed = cm.metrics.parse_score(score)
            metric = parsed.metric
            assert isinstance(metric, cm.Metric)
            how: dict[str, Any] = {"average": "macro"} if parsed.average else {}
            slopes = tuple(slope(metric, m, **how) for m in matrices.values())
            own = sum(variance(each, m) for each, m in zip(slopes, matrices.values(), strict=True))
            least, most = covariances(matrices["one"], matrices["two"], (slopes[0], slopes[1]))
            low, high = (math.sqrt(max(own - 2 * part, 0.0)) for part in (most, least))
            assert low - 1e-9 <= sharp.se <= high + 1e-9
