"""Discordant items: McNemar's exact p-value and Tango's interval, against published tables and their definitions."""

from __future__ import annotations

import math
from statistics import NormalDist

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import confmat as cm
from confmat.comparison.significance import exact_p, mid_p, tango

counts = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 200)).filter(
    lambda each: sum(each) > 0
)


def test_what_propcis_prints() -> None:
    # scoreci.mp(25, 28, 618, conf.level=0.9) of R's PropCIs, which takes the second count less the
    # first.
    assert tango(28, 25, 618, 0.9) == pytest.approx((-0.0148, 0.0247), abs=5e-5)


@hypothesis.given(counts, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_bounds_are_where_the_score_test_begins_to_reject(
    found: tuple[int, int, int], level: float
) -> None:
    first, second, rest = found
    n, reach = sum(found), NormalDist().inv_cdf(0.5 + level / 2)
    low, high = tango(first, second, n, level)
    assert -1 <= low <= (first - second) / n <= high <= 1
    assert tango(second, first, n, level) == pytest.approx((-high, -low), abs=1e-12)
    for bound in (low, high):
        if abs(bound) > 1 - 1e-9:
            assert max(first, second) == n
            continue
        # The likeliest share of items that the second alone has right, on a fine grid.
        grid = np.linspace(max(0.0, -bound), min(1.0, (1 - bound) / 2), 200_001)[1:-1]
        with np.errstate(divide="ignore"):
            chance = (
                first * np.log(grid + bound)
                + second * np.log(grid)
                + rest * np.log(1 - 2 * grid - bound)
            )
        rare = grid[np.argmax(np.where(np.isnan(chance), -math.inf, chance))]
        statistic = (first - second - n * bound) / math.sqrt(n * (2 * rare + bound - bound * bound))
        assert abs(statistic) == pytest.approx(reach, rel=0.01)


@hypothesis.given(st.integers(0, 40), st.integers(0, 40))
def test_the_exact_p_value_is_that_of_a_fair_coin(first: int, second: int) -> None:
    n = first + second
    tail = sum(math.comb(n, k) for k in range(min(first, second) + 1)) / 2**n
    assert exact_p(first, second) == pytest.approx(min(1.0, 2 * tail), rel=1e-12)
    assert exact_p(first, second) >= mid_p(first, second) * (1 - 1e-12)


def test_no_discordant_item_and_nothing_else() -> None:
    assert exact_p(0, 0) == 1.0
    # Wilson's bound of none of 44.
    square = NormalDist().inv_cdf(0.975) ** 2
    assert tango(0, 0, 44, 0.95) == pytest.approx((-square / (44 + square), square / (44 + square)))
    assert tango(30, 0, 30, 0.95)[1] == 1.0
    assert tango(0, 30, 30, 0.95)[0] == -1.0


def test_a_comparison_has_both_by_name() -> None:
    truth = [0] * 21
    answers = {"before": [0, 1, *[0] * 7, *[1] * 12], "after": [0, 0, *[1] * 19]}
    found = cm.compare_predictions(truth, answers, labels=[0, 1], metrics=["accuracy", "mcc"])
    gap = found.of("accuracy")
    assert gap.discordant == (7, 1)
    assert (gap.exact_p, gap.p_value) == pytest.approx((exact_p(1, 7), mid_p(1, 7)))
    score = gap.score_interval
    assert (score.low, score.value, score.high) == pytest.approx(
        (-0.5173, -6 / 21, -0.0258), abs=5e-4
    )
    assert gap.low == score.low
    # Beside 0 the mid-p value decides, which is a little less sure.
    assert score.high < gap.high < 0
    assert (score.method, score.level, score.name) == ("Tango", 0.95, "accuracy")
    for name in ("exact_p", "score_interval"):
        with pytest.raises(cm.InputError, match="mcc here has none to count"):
            getattr(found.of("mcc"), name)


def test_a_p_value_below_all_floats_is_not_printed_as_none() -> None:
    assert "p < 1e-300 (" in str(cm.mcnemar(0, 5000))
