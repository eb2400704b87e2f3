"""Costs: prices by table and by name."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix
from confmat.errors import LabelError, MetricError

M = ConfusionMatrix([[8, 2], [1, 9]], labels=["ham", "spam"])


def test_prices_as_a_table() -> None:
    assert cmx.cost([[0, 10], [1, 0]])(M) == (2 * 10 + 1 * 1) / 20
    assert cmx.cost(np.array([[-1.0, 10.0], [1.0, -1.0]]))(M) == (8 * -1 + 2 * 10 + 1 * 1 + 9 * -1) / 20
    assert cmx.total_cost([[0, 10], [1, 0]])(M) == 2 * 10 + 1 * 1


def test_prices_by_name() -> None:
    prices = {("ham", "spam"): 10, ("spam", "ham"): 0.1}
    assert cmx.cost(prices)(M) == pytest.approx((2 * 10 + 0.1) / 20)
    assert cmx.cost(prices)(M, exact=True) == (2 * 10 + Fraction(1, 10)) / 20
    assert cmx.cost(prices)(M.sparse()) == cmx.cost(prices)(M)


def test_one_for_every_error_is_the_error_rate() -> None:
    assert cmx.cost([[0, 1], [1, 0]])(M) == cmx.error_rate(M)


def test_costs_are_bounded_by_their_prices() -> None:
    assert cmx.cost([[0, 10], [1, -2]]).bounds == (-2, 10)
    assert cmx.cost({("ham", "spam"): 10}).bounds == (0, 10)


def test_prices_for_answers_outside() -> None:
    m = ConfusionMatrix([[4, 1, 1], [1, 3, 2], [0, 0, 0]], labels=["a", "b"], outside=["(abstained)"])
    assert cmx.cost([[0, 5, 1], [5, 0, 1], [0, 0, 0]])(m) == (1 * 5 + 1 + 1 * 5 + 2) / 12
    assert cmx.cost({("a", "b"): 5, ("b", "a"): 5, ("a", "(abstained)"): 1})(m) == (5 + 1 + 5) / 12
    with pytest.raises(MetricError, match="outside the classes as one row"):
        cmx.cost([[0, 5], [5, 0]])(m)
    assert cmx.cost([[0, 5], [5, 0]])(m, outside="exclude") == (5 + 5) / 9


def test_prices_that_cannot_be_read() -> None:
    for weights in ("free", [[0, 1]], [[0, math.nan], [1, 0]], {"ham": 1}, {("ham", "spam"): math.inf}):
        with pytest.raises(MetricError, match="weights"):
            cmx.cost(weights)
    with pytest.raises(LabelError, match="spma"):
        cmx.cost({("ham", "spma"): 1})(M)
    with pytest.raises(MetricError, match="3 x 3"):
        cmx.cost([[0, 1, 1], [1, 0, 1], [1, 1, 0]])(M)


def test_an_empty_matrix_costs_nothing_known() -> None:
    assert math.isnan(cmx.cost([[0, 1], [1, 0]])(ConfusionMatrix([[0, 0], [0, 0]])))
