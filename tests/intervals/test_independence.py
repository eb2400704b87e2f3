"""Scores of association: what they are bounded by and corrected by."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.intervals import Estimate
from confmat.intervals.variance import table_read
from confmat.metrics import catalog
from confmat.metrics.entropies import ASSOCIATIONS, sharing

ASSOCIATED = [one for one in catalog().values() if one.association is not None]
TABLE = cm.ConfusionMatrix([[30, 5, 2], [4, 21, 1], [0, 3, 12]])
CHANCE = cm.ConfusionMatrix([[84, 56], [36, 24]])


def one(m: cm.ConfusionMatrix, score: Any, **options: Any) -> Estimate:
    estimate = cm.interval(m, score, **options)
    assert isinstance(estimate, Estimate)
    return estimate


@pytest.mark.parametrize("metric", ASSOCIATED, ids=lambda metric: metric.name)
def test_an_association_is_a_function_of_what_is_shared_and_of_the_totals(metric: Any) -> None:
    table = table_read(TABLE, "wrong", metric.sees, None)
    shared = float(ASSOCIATIONS[metric.association](table))
    values = [
        float(metric.formula(sharing(table, metric.association, part * shared)))
        for part in (0.5, 1, 1.5)
    ]
    assert values[1] == pytest.approx(metric(TABLE), rel=1e-12)
    assert values[0] < values[1] < values[2]
    if metric.population is not None:
        many = cm.ConfusionMatrix(TABLE.counts * 10**9)
        assert metric(many) == pytest.approx(catalog()[metric.population](TABLE), rel=1e-6)


@pytest.mark.parametrize("metric", ASSOCIATED, ids=lambda metric: metric.name)
def test_bounds_hold_the_value_and_end_where_the_score_ends(metric: Any) -> None:
    for m in (
        TABLE,
        CHANCE,
        cm.ConfusionMatrix(np.diag([20, 20, 3])),
        cm.ConfusionMatrix([[5, 2], [1, 3]]),
    ):
        estimate, k = one(m, metric), m.n_classes
        assert estimate.low <= estimate.value <= estimate.high
        n = m.total
        most = {
            "mutual_information": math.log2(k),
            "mutual_information_nats": math.log(k),
            "phi_squared": k - 1,
        }
        greatest = (most | {"g_statistic": 2 * n * math.log(k), "chi_squared": n * (k - 1)}).get(
            metric.name, 1
        )
        assert estimate.high <= greatest * (1 + 1e-12)
        assert "bootstrap" not in estimate.method


def test_next_to_independence_it_is_the_noncentral_chi_squared() -> None:
    # G is 0, less than its one degree of freedom; 8.758 has 1 below it in 2.5 of 100 draws.
    assert one(CHANCE, "g_statistic").high == pytest.approx(8.7576, abs=1e-4)
    assert one(CHANCE, "mutual_information").high == pytest.approx(
        8.7576 / (400 * math.log(2)), abs=1e-6
    )
    assert one(CHANCE, "cramer_v").high == pytest.approx(math.sqrt(8.7576 / 200), abs=1e-5)
    assert one(CHANCE, "adjusted_mutual_information").high == one(CHANCE, "v_measure").high


def test_too_few_items_for_so_many_classes_are_refused_with_the_reason() -> None:
    rng = np.random.default_rng(1)
    m = cm.ConfusionMatrix(rng.multinomial(300, np.full(400, 1 / 400)).reshape(20, 20))
    for score, most in (
        ("mutual_information", math.log2(20)),
        ("v_measure", 1),
        ("adjusted_mutual_information", 1),
    ):
        estimate = one(m, score)
        assert estimate.low == min(0, estimate.value)
        assert estimate.high == pytest.approx(most)
        assert "19 x 19 free cells need 1,083 items, and here are 300" in estimate.note
    assert not one(cm.ConfusionMatrix(m.counts * 10), "mutual_information").note
    assert "a single class" in one(cm.ConfusionMatrix([[10, 0], [5, 0]]), "mutual_information").note
    alone = one(cm.ConfusionMatrix([[10]]), "mutual_information")
    assert (alone.low, alone.high, alone.note) == (
        0,
        0,
        "of a single class it is the same whatever the answers are",
    )


def test_clusters_and_other_prevalences_end_where_the_score_ends() -> None:
    stack = cm.Stack({"a": CHANCE, "b": CHANCE}, axis="patient")
    for estimate in (
        one(stack, "mutual_information"),  # type: ignore[arg-type]
        one(CHANCE, "mutual_information", method="wald"),
    ):
        assert 0 <= estimate.low <= estimate.high <= 1


@pytest.mark.parametrize(
    "score",
    ["mutual_information", "v_measure", "cramer_v", "chi_squared", "uncertainty_coefficient"],
)
def test_clusters_and_other_prevalences_give_no_lower_bound_where_the_bias_is_not_known(
    score: str,
) -> None:
    rng = np.random.default_rng(0)
    for k, items in ((20, 300), (2, 300), (3, 1000)):
        actual, predicted = rng.integers(0, k, (2, items))
        stack = cm.count(actual, predicted, clusters=np.arange(items) % 30)
        near = [one(stack, score), one(stack.sum(), score, at_prevalence={0: 0.1})]  # type: ignore[arg-type]
        for estimate in near:
            assert estimate.low == 0 < estimate.value < estimate.high
            assert "has no lower bound" in estimate.note
    # Far from it there is one.
    actual = rng.integers(0, 2, 300)
    found = actual ^ (rng.random(300) < 0.02)
    far = one(cm.count(actual, found, clusters=np.arange(300) % 30), score)  # type: ignore[arg-type]
    assert 0 < far.low < far.value
    assert not far.note


@pytest.mark.parametrize("method", ["bootstrap", "bayes", "wald", "wilson"])
def test_an_adjusted_score_has_one_interval_which_holds_it(method: str) -> None:
    estimate = one(CHANCE, "adjusted_mutual_information", method=method)
    assert estimate == one(CHANCE, "adjusted_mutual_information")
    assert estimate.value in estimate
