"""Association and pair counting: against each other, and the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix
from confmat.core.errors import MetricError

M = ConfusionMatrix([[10, 20], [30, 15]])
ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]])


def test_empty_rows_and_columns_are_left_out() -> None:
    wider = ConfusionMatrix([[10, 0, 20], [0, 0, 0], [30, 0, 15]])
    for metric in (
        cmx.chi_squared,
        cmx.chi_squared_dof,
        cmx.cramer_v,
        cmx.tschuprow_t,
        cmx.cramer_v_corrected,
    ):
        assert metric(wider) == pytest.approx(metric(M))


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
    for name in (
        "cramer_v",
        "tschuprow_t",
        "cramer_v_corrected",
        "tschuprow_t_corrected",
        "lambda_reference",
    ):
        assert math.isnan(cmx.metric(name)(m))
    assert math.isnan(cmx.chi_squared_p_value(ConfusionMatrix([[0, 0], [0, 0]])))


def test_sparse_and_dense_agree() -> None:
    rng = np.random.default_rng(5)
    dense = ConfusionMatrix(rng.poisson(0.3, (40, 40)))
    for name in (
        "chi_squared",
        "mutual_information",
        "goodman_kruskal_tau",
        "adjusted_rand_index",
        "lambda_response",
    ):
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
    assert cmx.rand_index(ANIMALS) == cmx.accuracy(pairs)
    assert cmx.adjusted_rand_index(ANIMALS) == pytest.approx(cmx.kappa(pairs), rel=1e-15)
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
