"""Likelihood and odds ratios where a cell is empty: a bound on one side, and the truth within it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import binom

import confmat as cm
from confmat.intervals import Estimate, interval
from confmat.intervals.bounds import quantile

RATES = (0.8, 0.9, 0.95, 0.99)


def table(tp: int, fn: int, fp: int, tn: int) -> cm.ConfusionMatrix:
    return cm.ConfusionMatrix.from_cells(tp=tp, fp=fp, fn=fn, tn=tn, labels=["sick", "well"])


def of_sick(score: str, *cells: int, **options: Any) -> Estimate:
    one = interval(table(*cells), score, of="sick", **options)
    assert isinstance(one, Estimate)
    return one


def test_a_ratio_over_nothing_has_a_bound_below_and_none_above() -> None:
    for score in ("positive_likelihood_ratio", "diagnostic_odds_ratio", "log_odds_ratio"):
        one = of_sick(score, 18, 2, 0, 20)
        assert 1 < one.low < one.value == one.high == math.inf
        assert not one.note
        assert str(one).startswith("inf [")
        assert "inf]" in str(one.table())
    assert of_sick("negative_likelihood_ratio", 20, 0, 5, 15).low == 0
    assert 0 < of_sick("negative_likelihood_ratio", 20, 0, 5, 15).high < 1
    assert of_sick("negative_likelihood_ratio", 15, 5, 20, 0).high == math.inf
    assert of_sick("diagnostic_odds_ratio", 0, 20, 5, 15).low == 0
    # Yule's Q is known where the odds are not.
    known = of_sick("yule_q", 18, 2, 0, 20)
    odds = of_sick("diagnostic_odds_ratio", 18, 2, 0, 20)
    assert (known.value, known.high, known.note) == (1, 1, "")
    assert known.low == pytest.approx((odds.low - 1) / (odds.low + 1), rel=1e-5)


def test_nothing_over_nothing_has_no_interval() -> None:
    for score in ("positive_likelihood_ratio", "diagnostic_odds_ratio", "yule_q"):
        one = of_sick(score, 0, 10, 0, 10)
        assert math.isnan(one.low)
        assert str(one) == "–"


@pytest.mark.parametrize("cells", [(5, 0, 0, 0), (0, 0, 0, 5), (1, 0, 0, 0)])
def test_items_of_one_class_alone_say_nothing_of_odds(cells: tuple[int, int, int, int]) -> None:
    """Nothing over nothing is not infinite because all cells empty alike."""
    for score in ("positive_likelihood_ratio", "diagnostic_odds_ratio", "log_odds_ratio"):
        one = of_sick(score, *cells)
        assert math.isnan(one.value), score
        assert math.isnan(one.low), score


def test_bounds_of_a_quotient_are_those_of_koopman() -> None:
    """The score test of two proportions whose quotient is given (Koopman, 1984), at the shares most likely then."""
    hits, of = np.array([16, 6]), np.array([20, 40])

    def statistic(ratio: float) -> float:
        # The likeliest second share solves a quadratic.
        a, b = ratio * of.sum(), -(ratio * (of[0] + hits[1]) + of[1] + hits[0])
        second = (-b - math.sqrt(b * b - 4 * a * hits.sum())) / (2 * a)
        shares = np.array([ratio * second, second])
        return float(((hits - of * shares) ** 2 / (of * shares * (1 - shares))).sum())

    found = of_sick("positive_likelihood_ratio", 16, 4, 6, 34, method="score")
    assert [statistic(found.low), statistic(found.high)] == pytest.approx(
        [quantile(0.95) ** 2] * 2, rel=1e-5
    )


@pytest.mark.parametrize("hits", [(18, 3), (19, 1), (2, 9)])
def test_bounds_of_odds_are_those_that_the_score_test_does_not_reject(
    hits: tuple[int, int],
) -> None:
    one, other, of = *hits, (20, 25)

    def statistic(log_odds: float) -> float:
        def gap(x: float) -> float:
            return x * (of[1] - one - other + x) - math.exp(log_odds) * (of[0] - x) * (
                one + other - x
            )

        x: float = brentq(gap, max(0, one + other - of[1]), min(of[0], one + other), xtol=1e-14)
        return (one - x) * math.sqrt(
            1 / x + 1 / (of[0] - x) + 1 / (one + other - x) + 1 / (of[1] - one - other + x)
        )

    found = of_sick("diagnostic_odds_ratio", one, of[0] - one, other, of[1] - other, method="score")
    assert statistic(math.log(found.low)) == pytest.approx(quantile(0.95), rel=1e-5)
    assert statistic(math.log(found.high)) == pytest.approx(-quantile(0.95), rel=1e-5)


def coverage(score: str, sick: int, well: int) -> dict[tuple[float, float], float]:
    """The share of tables with so many items that hold the truth, by enumeration, of those that have an interval."""
    ends: NDArray[np.float64] = np.full((2, sick + 1, well + 1), np.nan)
    for tp, tn in itertools.product(range(sick + 1), range(well + 1)):
        one = of_sick(score, tp, sick - tp, well - tn, tn)
        ends[:, tp, tn] = one.low, one.high
    held = {}
    for sens, spec in itertools.product(RATES, RATES):
        chances = binom.pmf(np.arange(sick + 1), sick, sens)[:, None] * binom.pmf(
            np.arange(well + 1), well, spec
        )
        positive, negative = sens / (1 - spec), (1 - sens) / spec
        truth = {"positive_likelihood_ratio": positive, "negative_likelihood_ratio": negative}.get(
            score, positive / negative
        )
        holds = (ends[0] <= truth * (1 + 1e-12)) & (truth * (1 - 1e-12) <= ends[1])
        held[sens, spec] = float(chances[holds].sum() / chances[~np.isnan(ends[0])].sum())
    return held


RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")


@pytest.mark.parametrize(
    ("sick", "well", "least"),
    [
        pytest.param(10, 10, 0.9, marks=pytest.mark.slow),
        *(
            pytest.param(*each, marks=pytest.mark.nightly)
            for each in [(10, 40, 0.9), (25, 25, 0.92), (20, 180, 0.92), (100, 100, 0.92)]
        ),
    ],
)
@pytest.mark.parametrize("score", RATIOS)
def test_the_truth_is_held(score: str, sick: int, well: int, least: float) -> None:
    assert min(coverage(score, sick, well).values()) >= least
