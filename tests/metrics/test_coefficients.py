"""The coefficients as a family, and what is special about some of them; their twins are in tests/exact."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from confmat import ConfusionMatrix
from confmat.core.cells import Cells
from confmat.metrics import coefficients
from confmat.metrics.declaration import Metric

METRICS = {name: getattr(coefficients, name) for name in coefficients.__all__}

# 4 hits, 1 false alarm, 2 misses, 8 others.
A, B, C, D = 4, 1, 2, 8


def cells(*abcd: float) -> Cells:
    return Cells(*(np.array([each]) for each in abcd))


def at(metric: Metric, *abcd: float) -> float:
    return float(metric(cells(*abcd))[0])


def test_they_are_one_family_with_sources() -> None:
    for name, metric in METRICS.items():
        assert (metric.name, metric.family) == (name, "coefficients")
        assert metric.references, name


def test_counts_of_one_item_more_have_a_value_without_items() -> None:
    values = {name: at(metric, 0, 0, 0, 0) for name, metric in METRICS.items()}
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    assert known == {"baulieu_5": 1.0, "baulieu_6": 0.0, "baulieu_12": 0.0}


def test_gilbert_and_wells_at_a_size_where_factorials_overflow() -> None:
    """The logarithm of n! is known to 15 digits at any size; here 10^6 items and the sum of logarithms term by term."""
    abcd = (400_000, 100_000, 200_000, 300_000)
    a, b, c, d = abcd
    n = sum(abcd)
    margins = (a + b, a + c, b + d, c + d)
    logs = math.lgamma(n + 1) + sum(math.lgamma(x + 1) for x in abcd) - sum(math.lgamma(x + 1) for x in margins)
    expected = math.log(n) * 3 - math.log(2 * math.pi) - sum(map(math.log, margins)) + 2 * logs
    assert at(METRICS["gilbert_wells"], *abcd) == pytest.approx(expected, rel=1e-11)
    assert math.isfinite(at(METRICS["gilbert_wells"], *(x * 10**9 for x in abcd)))


def test_gilbert_and_wells_is_near_zero_where_nothing_is_associated() -> None:
    assert at(METRICS["gilbert_wells"], 25, 25, 25, 25) == pytest.approx(0, abs=0.02)


def test_koppen_is_phi_where_both_margins_agree() -> None:
    assert at(METRICS["koppen_1"], 5, 2, 2, 6) == pytest.approx((30 - 4) / (7 * 8))


def test_forbes_2_reaches_1_where_the_margins_allow_no_more_hits() -> None:
    assert at(METRICS["forbes_2"], 5, 0, 3, 7) == 1
    assert at(METRICS["kuhns_6"], 5, 0, 3, 7) < 1


def test_kuhns_5_and_6_are_informedness_and_markedness() -> None:
    both = [abs(30 / (6 * 9)), abs(30 / (5 * 10))]
    assert at(METRICS["kuhns_5"], A, B, C, D) == pytest.approx(min(both))
    assert at(METRICS["kuhns_6"], A, B, C, D) == pytest.approx(max(both))


def test_lambda_r_reaches_minus_1_and_never_falls_below() -> None:
    """Where the sides name different classes most, what PyCM computes falls to -9."""
    assert at(METRICS["binary_lambda_r"], 0, 9, 1, 0) == -1
    assert at(METRICS["binary_lambda_r"], 7, 0, 0, 2) == 1


def test_tau_a_counts_pairs() -> None:
    """Four items, each rated 0 or 1 by both sides: of 6 pairs 2 are ordered alike, 1 the other way round."""
    truth, predicted = [1, 1, 0, 0], [1, 0, 0, 1]
    signs = [np.sign(truth[i] - truth[j]) * np.sign(predicted[i] - predicted[j]) for i in range(4) for j in range(i)]
    assert at(METRICS["binary_tau_a"], 1, 1, 1, 1) == sum(signs) / 6
    assert at(METRICS["binary_tau_a"], 3, 1, 0, 4) == 2 * 12 / (8 * 7)


def test_goodall_keeps_its_digits_near_perfection() -> None:
    exact = 1 - 2 / math.pi * math.asin(math.sqrt(1e-12))
    assert at(METRICS["goodall"], 10**12 - 1, 1, 0, 0) == pytest.approx(exact, rel=1e-15)


def test_they_answer_a_matrix_per_class_and_averaged() -> None:
    m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
    assert coefficients.hamann(m, of="Cat") == (4 + 10 - 9 - 2) / 25
    assert coefficients.hamann(m, average="macro") == pytest.approx(((14 - 11) + (16 - 9) + (19 - 6)) / 75)
    assert coefficients.baulieu_14(m, of="Hen", exact=True) == Fraction(3 + 6, 6 + 3 + 6)
