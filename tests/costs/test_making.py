"""The mean cost and the report: against sums by hand, per-item costs, constant answers and shuffled ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat import ConfusionMatrix, MetricError, Stack, cost_report, expected_cost
from confmat.costs.reports import Constant

M = ConfusionMatrix([[80, 10, 2], [1, 9, 0], [0, 3, 15]], labels=["ham", "spam", "scam"])
COSTS = cm.Costs({("spam", "ham"): 2, ("scam", "ham"): 50}, default=1)
PRICES = np.array([[0, 1, 1], [2, 0, 1], [50, 1, 0]])

tables = st.integers(2, 5).flatmap(
    lambda k: st.tuples(
        *(st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=k, max_size=k),)
        * 2
    )
)


def test_the_mean_cost() -> None:
    assert expected_cost(M, COSTS) == (10 + 2 + 2 + 3) / 120 == cm.metrics.cost(COSTS)(M)
    stack = Stack({"a": M, "b": M + M.T})
    assert expected_cost(stack, COSTS).tolist() == [
        expected_cost(stack["a"], COSTS),
        expected_cost(stack["b"], COSTS),
    ]
    sweep = cm.thresholds([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    assert expected_cost(sweep, {"fp": 1, "fn": 5}).tolist() == [10 / 4, 5 / 4, 6 / 4, 1 / 4, 2 / 4]


@given(tables)
def test_everything_adds_up(both: tuple[list[list[int]], list[list[int]]]) -> None:
    counts, prices = map(np.array, both)
    m = ConfusionMatrix(counts)
    found = cost_report(m, prices)
    spent = counts * prices
    assert found.total == spent.sum()
    assert found.items == counts.sum()
    cells = list(found.cells)
    assert sorted((one.actual, one.predicted) for one in cells) == sorted(
        map(tuple, np.argwhere(spent).tolist())
    )
    assert all(
        one.cost == spent[one.actual, one.predicted] == one.count * one.price for one in cells
    )
    assert [one.cost for one in cells] == sorted((one.cost for one in cells), reverse=True)
    for one in found.classes:
        assert (one.items, one.cost) == (counts[one.label].sum(), spent[one.label].sum())
        assert (one.answers, one.answers_cost) == (
            counts[:, one.label].sum(),
            spent[:, one.label].sum(),
        )
    if spent.any():
        assert sum(one.share for one in cells) == pytest.approx(1)
        assert cells[-1].cumulative == pytest.approx(1)
        assert sum(one.share for one in found.classes) == pytest.approx(1)
        assert sum(one.answers_share for one in found.classes) == pytest.approx(1)
    if counts.any():
        assert found.mean.value == pytest.approx(spent.sum() / counts.sum())
        assert found.mean.value in found.mean


@given(tables)
def test_against_constant_answers_and_shuffled_ones(
    both: tuple[list[list[int]], list[list[int]]],
) -> None:
    counts, prices = map(np.array, both)
    if not counts.any():
        return
    found = cost_report(ConfusionMatrix(counts), prices)
    n, rows, cols = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    constants = rows @ prices
    assert found.constant is not None
    assert found.saved is not None
    assert found.constant.answer == constants.argmin()
    assert found.constant.mean == pytest.approx(constants.min() / n)
    assert found.saved.value == pytest.approx(
        (constants.min() - (counts * prices).sum()) / n, abs=1e-12
    )
    assert found.at_random == pytest.approx((np.outer(rows, cols) / n**2 * prices).sum())
    np.testing.assert_allclose(
        found.normalized, cm.metrics.normalized_cost(prices)(ConfusionMatrix(counts)), rtol=1e-12
    )


def test_what_is_saved_has_the_interval_of_its_items() -> None:
    """A large sample: the interval of paired differences by item, from their own spread."""
    rng = np.random.default_rng(0)
    counts = rng.integers(500, 2000, (3, 3)) + np.diag([20_000, 30_000, 10_000])
    found = cost_report(ConfusionMatrix(counts), PRICES)
    n, answer = counts.sum(), int((counts.sum(axis=1) @ PRICES).argmin())
    each = PRICES[:, [answer]] - PRICES
    mean = (counts * each).sum() / n
    half = 1.959964 * math.sqrt((counts * (each - mean) ** 2).sum()) / n
    assert found.saved is not None
    assert found.saved.low == pytest.approx(mean - half, rel=1e-3)
    assert found.saved.high == pytest.approx(mean + half, rel=1e-3)
    half = 1.959964 * math.sqrt((counts * (PRICES - found.mean.value) ** 2).sum()) / n
    assert found.mean.width == pytest.approx(2 * half, rel=1e-3)


def test_two_models_are_compared_by_what_each_item_costs() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 4000)
    one, two = (
        np.where(rng.random(4000) < p, truth, rng.integers(0, 3, 4000)) for p in (0.8, 0.75)
    )
    found = cm.compare_predictions(
        truth, {"one": one, "two": two}, metrics=[cm.metrics.cost(PRICES)]
    ).differences[0]
    each = PRICES[truth, two] - PRICES[truth, one]
    assert found.difference == pytest.approx(each.mean())
    assert found.se == pytest.approx(each.std() / math.sqrt(4000))
    assert found.test == "paired delta method"


def test_weights() -> None:
    rng = np.random.default_rng(4)
    truth, answers, weights = rng.integers(0, 3, 500), rng.integers(0, 3, 500), rng.random(500)
    found = cost_report(cm.count(truth, answers, weights=weights), PRICES)
    each = PRICES[truth, answers]
    assert found.total == pytest.approx((weights * each).sum())
    assert found.mean.value == pytest.approx(np.average(each, weights=weights))
    # More spread than as many items of one weight have.
    plain = cost_report(cm.count(truth, answers), PRICES)
    assert found.mean.width > plain.mean.width


OUTSIDE = ConfusionMatrix(
    [[4, 1, 1, 2], [1, 3, 2, 0], [0, 0, 0, 0], [1, 0, 0, 9]],
    labels=[0, 1],
    outside=["(abstained)", "(error)"],
)
APART = {
    (0, 1): 5,
    (1, 0): 5,
    (0, "(abstained)"): 1,
    (1, "(abstained)"): 1,
    (0, "(error)"): 7,
    (1, "(error)"): 7,
}


def test_each_label_outside_has_its_price() -> None:
    # The nine outside on both sides belong to no class.
    items = 4 + 1 + 1 + 2 + 1 + 3 + 2 + 1
    total = 1 * 5 + 1 * 1 + 2 * 7 + 1 * 5 + 2 * 1
    assert expected_cost(OUTSIDE, APART) == total / items
    assert expected_cost(Stack({"a": OUTSIDE, "b": OUTSIDE}), APART).tolist() == [total / items] * 2
    found = cost_report(OUTSIDE, APART)
    assert (found.total, found.items) == (total, items)
    assert (found.cells[0].actual, found.cells[0].predicted, found.cells[0].cost) == (
        0,
        "(error)",
        14,
    )
    assert found.constant == Constant("(abstained)", (8 + 6) / items)
    assert any("9 outside the classes on both sides" in note for note in found.notes)
    table = [[0, 5, 1, 7], [5, 0, 1, 7], [0] * 4, [0] * 4]
    assert expected_cost(OUTSIDE, table) == total / items
    one = cm.Costs({(0, 1): 5, (1, 0): 5}, default=1)
    assert expected_cost(OUTSIDE, one) == pytest.approx(cm.metrics.cost(one)(OUTSIDE))
    with pytest.raises(MetricError, match=r"no price for '\(error\)'"):
        expected_cost(OUTSIDE, {(0, "(abstained)"): 1})


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ([[0, 1], [0, 5]], "bad costs 5 where it is answered rightly and 0 where the answer is"),
        ({"fp": 1, "fn": 5, "tp": 5.5}, "bad costs 5.5 where it is answered rightly and 5 where"),
        ([[0, 1], [5, 0]], None),
        ([[2, 2], [5, 1]], None),
    ],
)
def test_wrong_answers_that_are_cheaper_than_right_ones_are_told(
    prices: Any, said: str | None
) -> None:
    """Tables that Elkan (2001) calls unreasonable; tables the other way round are so at times."""
    labels = cm.Labels(["good", "bad"], positive="bad", outside=["(abstained)"])
    m = ConfusionMatrix([[600, 100, 3], [120, 180, 3], [0, 0, 0]], labels)
    # To abstain may well be cheaper.
    whole = (
        cm.Costs(prices, default=0)
        if isinstance(prices, dict)
        else [[*row, 0] for row in [*prices, [0, 0]]]
    )
    told = [note for note in cost_report(m, whole).notes if "rightly" in note]
    assert len(told) == (said is not None)
    assert not said or told[0].startswith(said)


def test_rounding_is_not_left_out() -> None:
    """A difference of two sums of weights would leave some."""
    rng = np.random.default_rng(0)
    labels, prices = cm.Labels(["a", "b"], outside=["(none)"]), np.ones((3, 3))
    for _ in range(20):
        counts = rng.random((3, 3))
        counts[2, 2] = 0
        assert cm.cost_report(cm.ConfusionMatrix(counts, labels), prices).notes == ()
        counts[2, 2] = 0.1
        notes = cm.cost_report(cm.ConfusionMatrix(counts, labels), prices).notes
        assert notes == ("0.1 outside the classes on both sides are left out",)


def test_gains_have_no_shares() -> None:
    found = cost_report(M, PRICES - 30 * np.eye(3, dtype=int))
    assert found.total == 17 - 30 * (80 + 9 + 15)
    assert all(math.isnan(one.share) and math.isnan(one.cumulative) for one in found.cells)
    assert found.cells[0].cost == 10
    assert found.cells[-1].cost == -2400
    assert math.isnan(found.normalized)
    assert "that answer costs nothing, or earns" in str(found)
    assert found.notes == ("some cells earn (negative prices), so costs have no shares",)
    assert found.verdict == "better than no model"


def test_verdicts() -> None:
    def verdict(counts: Any) -> str:
        return cost_report(ConfusionMatrix(counts), [[0, 1], [1, 0]]).verdict

    assert verdict([[90, 10], [10, 90]]) == "better than no model"
    assert verdict([[5, 4], [4, 5]]) == "not shown to be better than no model"
    assert verdict([[10, 90], [90, 10]]) == "worse than no model"
    assert verdict([[0, 0], [0, 0]]) == "not compared with no model"


def test_more_classes_than_a_dense_matrix_has_are_refused() -> None:
    many = cm.count([0, 7, 9_000], [3, 7, 0], labels=range(10_000))
    for door in (cost_report, expected_cost):
        with pytest.raises(cm.BudgetError, match="10,000 classes have too many prices"):
            door(many, cm.Costs({(0, 1): 2}, default=3))


def test_a_hierarchy() -> None:
    h = cm.Hierarchy.from_paths(["mail/ham", "mail/bad/spam", "mail/bad/scam"])
    found = cost_report(M, h)
    assert found.total == (10 + 2 + 1) * 3 + 3 * 2
    assert found.mean.value == pytest.approx(cm.metrics.cost(h)(M))


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(MetricError, match=r"of a Stack, cost_report\(stack\[key\], costs\)"):
        cost_report(Stack({"a": M}), COSTS)  # type: ignore[arg-type]
    for level in ("high", True, 95, math.nan):
        with pytest.raises(cm.InputError, match="`level` is between 0 and 1"):
            cost_report(M, COSTS, level=level)  # type: ignore[arg-type]
    for wrong in (cost_report, expected_cost):
        with pytest.raises(MetricError, match="not list"):
            wrong([[1, 2], [3, 4]], COSTS)  # type: ignore[arg-type]
