"""Non-inferiority and equivalence: the interval of a difference against a margin."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pytest

import confmat as cm
from benchmarks.gate_noise import QUESTIONS, plans, power, simulated
from confmat.comparison import Difference, Pairing, compare, compare_pairings, compare_predictions

# Accuracies of 0.88 and 0.86.
OLD = cm.ConfusionMatrix([[440, 60], [60, 440]])
NEW = cm.ConfusionMatrix([[420, 80], [60, 440]])


def between(
    one: cm.ConfusionMatrix, two: cm.ConfusionMatrix, score: Any, **options: Any
) -> Difference:
    how = {"same_items": False, "level": 0.9} | options
    return compare({"old": one, "new": two}, metrics=[score], **how).of(score)


def test_the_bounds_of_the_interval_decide() -> None:
    found = between(OLD, NEW, "accuracy")
    assert found.low < -0.02 < found.high < -found.low
    assert found.no_worse(-found.low + 1e-9) == "no worse"
    assert found.no_worse(-found.low) == "undecided"
    assert found.equivalent(-found.low + 1e-9) == "equivalent"
    assert found.equivalent(-found.low) == "undecided"
    back = between(NEW, OLD, "accuracy")
    assert back.no_worse(1e-3) == "undecided"
    assert back.no_worse(-back.low + 1e-9) == "no worse"
    assert back.equivalent(-back.low + 1e-9) == "undecided"
    bad = cm.ConfusionMatrix([[300, 200], [200, 300]])
    worse = between(OLD, bad, "accuracy")
    assert worse.no_worse(-worse.high - 1e-9) == "worse"
    assert worse.no_worse(-worse.high) == "undecided"
    assert (
        worse.equivalent(0.1) == between(bad, OLD, "accuracy").equivalent(0.1) == "not equivalent"
    )
    assert between(bad, OLD, "accuracy").no_worse(0.1) == "no worse"


def test_where_less_is_better_more_is_worse() -> None:
    for margin in (0.01, 0.02, 0.03, 0.05):
        more, less = (between(OLD, NEW, name) for name in ("accuracy", "error_rate"))
        assert less.low == pytest.approx(-more.high)
        assert less.no_worse(margin) == more.no_worse(margin)
        assert less.equivalent(margin) == more.equivalent(margin)
    assert (
        between(NEW, cm.ConfusionMatrix([[10, 490], [490, 10]]), "error_rate").no_worse(0.05)
        == "worse"
    )
    with pytest.raises(cm.InputError, match=r"equivalent\(margin\)"):
        between(OLD, NEW, "prevalence[0]").no_worse(0.1)


def test_of_matrices_alone_it_holds_under_every_pairing() -> None:
    # The same items: the answers may agree on all but 20 of them, or on far fewer.
    alone = between(OLD, NEW, "accuracy", same_items=True)
    assert alone.is_range
    assert alone.no_worse(0.03) == "undecided"
    actual = np.repeat([0, 1], 500)
    one, two = (
        np.where(np.arange(1000) % 500 < np.repeat(m.diagonal, 500), actual, 1 - actual)
        for m in (OLD, NEW)
    )
    paired = compare_predictions(
        actual, {"old": one, "new": two}, metrics=["accuracy"], level=0.9
    ).of("accuracy")
    assert paired.values == alone.values
    assert paired.no_worse(0.03) == "no worse"


def test_a_score_without_a_value_is_undecided() -> None:
    nothing = cm.ConfusionMatrix([[5, 0], [5, 0]])
    assert between(nothing, nothing, "precision[1]").no_worse(0.1) == "undecided"
    assert between(nothing, nothing, "precision[1]").equivalent(0.1) == "undecided"


@pytest.mark.parametrize("margin", [0, -0.01, float("nan"), float("inf"), "0.01", True, None])
def test_a_margin_is_a_number_above_0(margin: Any) -> None:
    for asked in (between(OLD, NEW, "accuracy").no_worse, between(OLD, NEW, "accuracy").equivalent):
        with pytest.raises(cm.InputError, match="margin"):
            asked(margin)


@pytest.mark.parametrize(
    ("n", "only_first", "only_second", "most"),
    [
        (30, 0.2, 0.1, 0.06),
        (30, 0.12, 0.02, 0.06),
        # Most of few items have another answer.
        (5, 0.4, 0.3, 0.05),
        (10, 0.4, 0.3, 0.05),
    ],
)
def test_a_model_that_is_worse_by_the_margin_passes_one_time_in_twenty(
    n: int, only_first: float, only_second: float, most: float
) -> None:
    """Exactly, over all tables of n items: the difference is the margin, and level 0.9 tests at 5 %."""
    passes = total = 0.0
    labels = OLD.labels
    for b in range(n + 1):
        for c in range(n + 1 - b):
            chance = comb(n, b) * comb(n - b, c) * only_first**b * only_second**c
            chance *= (1 - only_first - only_second) ** (n - b - c)
            total += chance
            if chance < 1e-6:
                continue
            right = (
                cm.ConfusionMatrix([[n - c, c], [0, 0]]),
                cm.ConfusionMatrix([[n - b, b], [0, 0]]),
            )
            cells = np.zeros(3, np.intp), np.array([0, 0, 1]), np.array([0, 1, 0])
            counts = np.array([n - b - c, b, c], np.float64)
            pairing = Pairing(labels, *cells, counts, counts)
            names = ("old", "new")
            found = compare_pairings(
                dict(zip(names, right, strict=True)),
                {names: pairing},
                metrics=["accuracy"],
                level=0.9,
            )
            passes += chance * (found.of("accuracy").no_worse(0.1) == "no worse")
    assert total == pytest.approx(1)
    assert passes <= most


@pytest.mark.slow
def test_noise_stops_a_threshold_and_no_margin() -> None:
    """The table of the guide, with fewer test sets; `benchmarks.gate_noise` in full."""
    same, edge = (simulated(loss, 1000, 60, seed=1) for loss in (0.0, 0.02))
    assert same["lower"] >= 18
    assert same["worse"] == 0
    assert same["no worse"] >= 54
    assert edge["no worse"] <= 8
    assert 18 <= edge["lower by the margin"] <= 42
    # A tolerance as wide as tests often have it lets a loss of five points pass in every world.
    wide = simulated(0.05, QUESTIONS, 30, seed=1)
    assert (wide["within the tolerance"], wide["no worse"]) == (30, 0)


@pytest.mark.slow
def test_plans_for_equal_models_keep_their_power() -> None:
    needed, surer, observed = (
        np.quantile(power(n[~np.isnan(n)]), [0.1, 0.5]) for n in plans(60, seed=1).values()
    )
    assert needed[1] == pytest.approx(0.8, abs=0.03)
    assert surer[0] > needed[0] > 0.6 > observed[0]


def test_ten_items_do_not_show_that_a_margin_just_beyond_the_interval_holds() -> None:
    actual, one, two = (
        [int(digit) for digit in digits] for digits in ("1110000001", "1111111111", "0110011011")
    )
    found = compare_predictions(actual, {"one": one, "two": two}, metrics=["f1.macro"]).of(
        "f1.macro"
    )
    assert found.low < 0.05
    assert found.no_worse(0.05) == "undecided"
    low, high = found.limits
    assert low <= found.low < found.high <= high


def test_a_model_that_never_differs_is_as_good_as_so_many_items_say() -> None:
    """No loss among n items has the chance (1 - loss) ** n, which is 5 % at the limit."""
    same = np.array([0, 1] * 10)
    found = compare_predictions(
        same, {"old": same, "new": same}, metrics=["f1.micro", "f1.macro"], level=0.9
    )
    exact = 1 - 0.05 ** (1 / 20)
    assert found.of("f1.macro").limits[0] == pytest.approx(-exact, rel=1e-6)
    assert found.of("f1.micro").limits[0] < -0.9 * exact


@pytest.mark.parametrize(("score", "margin", "said"), [
    ("accuracy", 5, "for 5 % say 0.05"), ("accuracy", 1, "no two values of accuracy are 1 or more apart"),
    ("mcc", 2.5, "for 2.5 % say 0.025"),
])  # fmt: skip
def test_a_margin_that_every_model_keeps_is_refused(score: str, margin: float, said: str) -> None:
    found = between(OLD, NEW, score)
    for asked in (found.no_worse, found.equivalent, found.items_needed):
        with pytest.raises(cm.InputError, match=said):
            asked(margin)


def test_a_sentence_names_a_level_that_is_not_the_usual_one() -> None:
    assert str(between(OLD, NEW, "accuracy")).endswith("(level 0.9).")
    assert "level" not in str(between(OLD, NEW, "accuracy", level=0.95))
