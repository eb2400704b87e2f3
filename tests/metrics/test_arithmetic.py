"""The helpers of formulas, in floats, fractions and complex numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from confmat.metrics.arithmetic import (
    largest,
    log_ratio,
    ratio,
    smallest,
)


def test_nothing_divided_by_nothing_is_nan_everywhere() -> None:
    assert np.isnan(ratio(0.0, 0.0))
    assert np.isnan(ratio(np.array([1.0]), np.array([0.0]))).all()
    assert np.isnan(ratio(np.array([1 + 0j]), np.array([0j]))).all()
    assert np.isnan(float(ratio(Fraction(1), 0)))
    assert ratio(Fraction(1), Fraction(3)) == Fraction(1, 3)
    assert ratio(1, 3) == 1 / 3


def test_the_logarithm_of_a_quotient_keeps_its_digits_near_one() -> None:
    top, bottom = (
        np.array([2.0**40 + 1, 3.0, 1.0, 0.0, 5.0]),
        np.array([2.0**40, 1.0, 8.0, 2.0, 0.0]),
    )
    expected = [2.0**-40 - 2.0**-81, np.log(3), -np.log(8), np.nan, np.nan]
    np.testing.assert_allclose(log_ratio(top, bottom), expected, rtol=1e-15)
    np.testing.assert_allclose(log_ratio(top, bottom, 2)[2], -3, rtol=1e-15)


def test_complex_numbers_are_compared_along_the_real_axis() -> None:
    first, second = np.array([2 + 1j, -3 + 1j]), np.array([1 + 5j, -1 + 5j])
    assert largest(first, second).tolist() == [2 + 1j, -1 + 5j]
    assert smallest(first, second).tolist() == [1 + 5j, -3 + 1j]
