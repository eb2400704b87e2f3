"""Association and pair counting: by hand, against each other, and at the edges."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix
from confmat.core.errors import MetricError

M = ConfusionMatrix([[10, 20], [30, 15]])
# (10 * 15 - 20 * 30)^2 / (30 * 45 * 40 * 35) is phi squared.
PHI2 = Fraction((10 * 15 - 20 * 30) ** 2, 30 * 45 * 40 * 35)
ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]])


def test_chi_squared_of_two_classes() -> None:
    assert cmx.phi_squared(M, exact=True) == PHI2
    assert cmx.chi_squared(M, exact=True) == 75 * PHI2
    assert cmx.chi_squared_dof(M) == 1
    assert cmx.chi_squared_p_value(M) == pytest.approx(math.erfc(math.sqrt(75 * PHI2 / 2)))
    assert cmx.phi_squared(M) == pytest.approx(cmx.mcc(M) ** 2)


def test_coefficients_from_chi_squared() -> None:
    assert cmx.cramer_v(M) == pytest.approx(math.sqrt(PHI2))
    assert cmx.tschuprow_t(M) == pytest.approx(math.sqrt(PHI2))
    assert cmx.pearson_c(M) == pytest.approx(math.sqrt(PHI2 / (1 + PHI2)))
    phi, lines = PHI2 - Fraction(1, 74), 1 - Fraction(1, 74)
    assert cmx.cramer_v_corrected(M) == pytest.approx(math.sqrt(phi / lines))
    assert cmx.tschuprow_t_corrected(M) == pytest.approx(math.sqrt(phi / lines))


def test_empty_rows_and_columns_are_left_out() -> None:
    wider = ConfusionMatrix([[10, 0, 20], [0, 0, 0], [30, 0, 15]])
    for metric in (cmx.chi_squared, cmx.chi_squared_dof, cmx.cramer_v, cmx.tschuprow_t, cmx.cramer_v_corrected):
        assert metric(wider) == pytest.approx(metric(M))


def test_g_statistic_is_information() -> None:
    expected = 2 * sum(
        x * math.log(x * 75 / (r * c)) for x, r, c in ((10, 30, 40), (20, 30, 35), (30, 45, 40), (15, 45, 35))
    )
    assert cmx.g_statistic(M) == pytest.approx(expected)
    assert cmx.g_statistic(M) == pytest.approx(2 * 75 * cmx.mutual_information_nats(M))


def test_guessing_one_side_from_the_other() -> None:
    # Guessing the actual class blind is right 10 times, from the predicted class 6 + 2 + 6 times.
    assert cmx.lambda_reference(ANIMALS) == (14 - 10) / (25 - 10)
    # Guessing the predicted class blind is right 13 times, from the actual class 4 + 6 + 6 times.
    assert cmx.lambda_response(ANIMALS) == (16 - 13) / (25 - 13)
    assert cmx.lambda_symmetric(ANIMALS) == (14 + 16 - 10 - 13) / (50 - 10 - 13)
    blind = Fraction(13**2 + 3**2 + 9**2, 25**2)
    known = sum(
        Fraction(x * x, r * 25)
        for row, r in ((ANIMALS.counts[i].tolist(), int(ANIMALS.actual_totals[i])) for i in range(3))
        for x in row
    )
    assert cmx.goodman_kruskal_tau(ANIMALS, exact=True) == (known - blind) / (1 - blind)


def test_independence_is_nothing() -> None:
    m = ConfusionMatrix([[2 * 3, 2 * 5], [7 * 3, 7 * 5]])
    for name in (
        "chi_squared",
        "phi_squared",
        "cramer_v",
        "tschuprow_t",
        "pearson_c",
        "goodman_kruskal_tau",
        "cramer_v_corrected",
    ):
        assert cmx.metric(name)(m) == 0
    assert cmx.chi_squared_p_value(m) == 1


def test_one_line_has_no_association() -> None:
    m = ConfusionMatrix([[3, 2], [0, 0]])
    assert cmx.chi_squared(m) == 0
    assert cmx.chi_squared_dof(m) == 0
    assert cmx.chi_squared_p_value(m) == 1
    for name in ("cramer_v", "tschuprow_t", "cramer_v_corrected", "tschuprow_t_corrected", "lambda_reference"):
        assert math.isnan(cmx.metric(name)(m))
    assert math.isnan(cmx.chi_squared_p_value(ConfusionMatrix([[0, 0], [0, 0]])))


def test_sparse_and_dense_agree() -> None:
    rng = np.random.default_rng(5)
    dense = ConfusionMatrix(rng.poisson(0.3, (40, 40)))
    for name in ("chi_squared", "mutual_information", "goodman_kruskal_tau", "adjusted_rand_index", "lambda_response"):
        assert cmx.metric(name)(dense.sparse()) == pytest.approx(cmx.metric(name)(dense), rel=1e-12)


def test_pairs_of_items() -> None:
    # Twelve pairs of actual cats with cats and so on: ordered pairs n (n - 1).
    together = 4 * 3 + 6 * 5 + 2 * 1 + 2 * 1 + 3 * 2 + 6 * 5
    actual, predicted = 6 * 5 + 10 * 9 + 9 * 8, 13 * 12 + 3 * 2 + 9 * 8
    every = 25 * 24
    pairs = cmx.pair_confusion(ANIMALS)
    assert pairs.counts.tolist() == [
        [every - actual - predicted + together, predicted - together],
        [actual - together, together],
    ]
    assert cmx.rand_index(ANIMALS, exact=True) == cmx.accuracy(pairs, exact=True)
    assert cmx.adjusted_rand_index(ANIMALS, exact=True) == cmx.kappa(pairs, exact=True)
    assert cmx.fowlkes_mallows(ANIMALS) == pytest.approx(together / math.sqrt(actual * predicted))


def test_pairs_of_many_items() -> None:
    m = ConfusionMatrix([[2**40, 1], [3, 2**40]])
    assert cmx.pair_confusion(m).is_weighted
    assert cmx.rand_index(m) == pytest.approx(1)
    with pytest.raises(MetricError, match="whole numbers"):
        cmx.pair_confusion(ConfusionMatrix([[1.5, 0.0], [0.0, 1.0]]))


def test_pair_counting_at_the_edges() -> None:
    for table in ([[5, 0], [0, 0]], [[1, 0], [0, 1]], [[1, 0], [0, 0]]):
        assert math.isnan(cmx.adjusted_rand_index(ConfusionMatrix(table)))
    assert cmx.adjusted_rand_index(ConfusionMatrix([[0, 3], [2, 0]])) == 1
    assert cmx.adjusted_rand_index(ConfusionMatrix([[1, 1], [1, 1]])) == -0.5
    assert math.isnan(cmx.fowlkes_mallows(ConfusionMatrix([[1, 0], [0, 1]])))
    assert math.isnan(cmx.rand_index(ConfusionMatrix([[1, 0], [0, 0]])))
