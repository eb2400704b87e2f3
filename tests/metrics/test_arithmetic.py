"""The helpers of formulas, in floats, fractions and complex numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from confmat.metrics.arithmetic import constant, exp, largest, log, probit, ratio, smallest, sqrt0, xlogx


def test_helpers_agree_between_floats_and_fractions() -> None:
    shares = [Fraction(1, 7), Fraction(2, 3), Fraction(0), Fraction(1)]
    exact, floats = np.array(shares, dtype=object), np.array([float(x) for x in shares])
    for helper in (sqrt0, log, xlogx, exp, probit, lambda x: log(x, 2), lambda x: xlogx(x, 10)):
        np.testing.assert_allclose(helper(exact).astype(float), helper(floats), rtol=1e-15, atol=1e-16)
    assert largest(exact, Fraction(1, 2)).tolist() == [Fraction(1, 2), Fraction(2, 3), Fraction(1, 2), 1]
    assert smallest(exact, Fraction(1, 2)).tolist() == [Fraction(1, 7), Fraction(1, 2), 0, Fraction(1, 2)]


def test_nothing_divided_by_nothing_is_nan_everywhere() -> None:
    assert np.isnan(ratio(0.0, 0.0))
    assert np.isnan(ratio(np.array([1.0]), np.array([0.0]))).all()
    assert np.isnan(ratio(np.array([1 + 0j]), np.array([0j]))).all()
    assert np.isnan(float(ratio(Fraction(1), 0)))
    assert ratio(1, 3) == Fraction(1, 3)


def test_parameters_take_the_arithmetic_of_their_neighbours() -> None:
    assert constant(0.1, np.array([1], dtype=object)) == Fraction(1, 10)
    assert constant(2, np.array([1], dtype=object)) == 2
    assert constant(0.1, np.ones(1)) == 0.1
