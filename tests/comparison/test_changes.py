"""Cells and answers that changed between two models, and which pairs of several models are compared."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import confmat as cm
from confmat.comparison import CellChange, compare, compare_predictions
from confmat.comparison.significance import holm, mid_p


def cells_of(found: cm.Comparison) -> dict[tuple[Any, Any], CellChange]:
    return {(cell.actual, cell.predicted): cell for cell in found.cells(None)}


def seeds(seed: int, n: int = 600, k: int = 4) -> tuple[Any, Any, Any]:
    """The truth, and two models of one skill that find the same items hard."""
    rng = np.random.default_rng(seed)
    actual, hard = rng.integers(0, k, n), rng.beta(0.5, 3, n)
    one, two = (np.where(rng.random(n) < hard, rng.integers(0, k, n), actual) for _ in range(2))
    return actual, one, two


@given(st.integers(0, 6), st.integers(0, 6), st.integers(6, 9))
def test_a_cell_of_the_same_items_has_the_p_of_the_worst_pairing(
    first: int, second: int, items: int
) -> None:
    """Brute force over how many items both models put there."""
    old, new = (cm.ConfusionMatrix([[20, 0], [n, items - n]], ["a", "b"]) for n in (first, second))
    both = range(max(0, first + second - items), min(first, second) + 1)
    worst = max(mid_p(first - shared, second - shared) for shared in both)
    found = cells_of(compare({"old": old, "new": new}, same_items=True)).get(("b", "a"))
    assert (found is None) == (first == second)
    if found is not None:
        assert found.p_value == pytest.approx(worst)


def test_a_cell_whose_pairing_decides_is_undecided() -> None:
    old, new = cm.ConfusionMatrix([[50, 50], [0, 100]]), cm.ConfusionMatrix([[60, 40], [0, 100]])
    found = cells_of(compare({"old": old, "new": new}))[0, 1]
    assert found.verdict.startswith("undecided")
    # Ten items moved, or as many as fifty one way and forty the other.
    assert 4 * mid_p(10, 0) < 0.05 < found.p_value == pytest.approx(mid_p(50, 40))
    clear = cells_of(compare({"old": old, "new": cm.ConfusionMatrix([[99, 1], [0, 100]])}))[0, 1]
    assert clear.verdict == "different"


def test_cells_of_different_items_are_held_against_the_sizes_of_the_samples() -> None:
    old, new = cm.ConfusionMatrix([[960, 40], [5, 95]]), cm.ConfusionMatrix([[490, 10], [5, 95]])
    found = compare({"old": old, "new": new}, same_items=False)
    share = 1000 / 1500
    tail = min(binom.cdf(40, 50, share), binom.sf(39, 50, share))
    expected = 2 * tail - binom.pmf(40, 50, share)
    assert cells_of(found)[0, 1].p_value == pytest.approx(expected)
    # A hit is as surely different as the errors that it leaves, and of all four cells Holm's
    # correction is taken.
    assert cells_of(found)[0, 0].p_value == pytest.approx(expected)
    assert cells_of(found)[0, 1].adjusted == pytest.approx(holm([expected, expected, 1, 1])[0])
    assert cells_of(found)[0, 1].share == pytest.approx(10 / 500 - 40 / 1000)


def test_weights_say_how_sure_a_cell_is() -> None:
    """A thousand grams are no more items than a kilogram."""
    actual, one, two = seeds(1)
    answers = {"one": one, "two": two}
    heavy = cells_of(compare_predictions(actual, answers, weights=np.full(len(actual), 1000.0)))
    light = cells_of(compare_predictions(actual, answers, weights=np.full(len(actual), 0.001)))
    assert {at: cell.p_value for at, cell in heavy.items()} == pytest.approx(
        {at: light[at].p_value for at in light}
    )
    alone = {"one": cm.count(actual, one, weights=np.full(600, 0.5)), "two": cm.count(actual, two)}
    assert all(math.isnan(cell.p_value) for cell in compare(alone).cells(None))


@given(st.integers(0, 50))
def test_answers_that_changed_are_those_of_the_items(seed: int) -> None:
    actual, one, two = seeds(seed, n=60)
    found = compare_predictions(actual, {"one": one, "two": two}, metrics=["accuracy"]).answers(
        None
    )
    expected = Counter(
        (y, a, b)
        for y, a, b in zip(actual.tolist(), one.tolist(), two.tolist(), strict=True)
        if a != b
    )
    assert {(each.actual, each.first, each.second): each.count for each in found} == expected
    assert [each.count for each in found] == sorted(expected.values(), reverse=True)
    fixed = sum(each.count for each in found if each.kind == "fixed")
    broken = sum(each.count for each in found if each.kind == "broken")
    assert fixed - broken == (two == actual).sum() - (one == actual).sum()


def test_answers_need_the_items() -> None:
    m = cm.ConfusionMatrix([[9, 1], [2, 8]])
    with pytest.raises(cm.InputError, match="compare_predictions has them"):
        compare({"a": m, "b": m.T}).answers()


def test_pairs_of_several_models() -> None:
    days = {day: cm.ConfusionMatrix([[90 - n, 10 + n], [10, 90]]) for n, day in enumerate("abcd")}
    assert compare(days).pairs == tuple(combinations("abcd", 2))
    assert compare(days, pairs="first").pairs == (("a", "b"), ("a", "c"), ("a", "d"))
    found = compare(days, pairs="successive", metrics=["accuracy"])
    assert found.pairs == tuple(pairwise("abcd"))
    alone = [
        compare({one: days[one], two: days[two]}).of("accuracy").p_value for one, two in found.pairs
    ]
    assert [each.p_high for each in found.differences] == alone
    assert all(each.adjusted >= each.p_high for each in found.differences)
    with pytest.raises(cm.InputError, match="pairs"):
        compare(days, pairs="previous")  # type: ignore[arg-type]


def test_several_metrics_are_one_family() -> None:
    actual, one, two = seeds(3)
    found = compare_predictions(actual, {"one": one, "two": two})
    both, f1 = (
        {each.score: each for each in found.classes(asked)} for asked in (["recall", "f1"], "f1")
    )
    assert len(both) == 8
    assert all(both[score].adjusted >= each.adjusted - 0.01 for score, each in f1.items())
    assert all(
        both[score].low <= each.low and each.high <= both[score].high for score, each in f1.items()
    )
