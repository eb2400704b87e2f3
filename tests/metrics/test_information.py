"""Entropies and shared information: the edges, and where everything nearly cancels."""

from __future__ import annotations

import math
from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat.metrics as cmx
from confmat import ConfusionMatrix
from confmat.core.errors import MetricError
from confmat.metrics.arithmetic import xlogx
from confmat.metrics.entropies import deviance
from confmat.metrics.sharing import MOST_PAIRS, expected_information


def test_expected_information_by_hand() -> None:
    # Two items a side: with a chance of 2 in 6 the tables agree, or disagree, fully, and share log
    # 2.
    assert expected_information([2, 2], [2, 2]) == pytest.approx(2 / 6 * log(2))
    assert expected_information([3], [1, 2]) == 0
    # All apart on both sides: certain, and full.
    assert expected_information([1] * 5, [1] * 5) == pytest.approx(log(5))


def test_expected_information_of_many_items() -> None:
    # The average under independence is (R - 1)(C - 1) / 2n.
    rows, cols = [2**50, 2**51, 2**50], [2**51, 2**51]
    assert expected_information(rows, cols) == pytest.approx(2 * 1 / (2 * 2**52), rel=1e-9)


def test_deviance_by_its_definition() -> None:
    changes = np.array([-1.0, -0.9, -0.2, 0.0, 0.1, 3.0])
    np.testing.assert_allclose(
        deviance(changes), xlogx(1 + changes) - changes, rtol=1e-14, atol=1e-16
    )
    np.testing.assert_allclose(
        np.real(deviance(changes + 0j)), deviance(changes), rtol=1e-14, atol=1e-16
    )


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 3)), min_size=1, max_size=5))
def test_classes_of_one_size_are_counted(sizes: list[tuple[int, int]]) -> None:
    """A class and another of its size have the same chance as two that differ by nothing."""
    every = [size for size, times in sizes for _ in range(times)]
    n = sum(every)
    total = 0.0
    for r in every:
        for c in every:
            for x in range(max(1, r + c - n), min(r, c) + 1):
                chance = Fraction(math.comb(r, x) * math.comb(n - r, c - x), math.comb(n, c))
                total += float(chance) * x / n * log(n * x / (r * c))
    assert expected_information(every, [*every, 0]) == pytest.approx(total, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("scale", [1, 10, 10**4, 10**8])
def test_sizes_near_and_far_from_their_bounds_meet(scale: int) -> None:
    """An item more or less in each class changes next to nothing, whichever way the mean of a cell is found."""
    sizes = np.arange(30, 60) * scale
    moved = sizes + np.where(np.arange(30) % 2, 1, -1)
    whole, other = expected_information(sizes, sizes), expected_information(sizes, moved)
    # The average under independence is (R - 1)(C - 1) / 2n, and the next term falls with n squared.
    first = 29 * 29 / (2 * float(sizes.sum()))
    assert whole == pytest.approx(first, rel=2 / scale)
    assert other == pytest.approx(whole, rel=1e-3 / scale)


def test_more_pairs_of_sizes_than_a_second_takes_are_refused() -> None:
    sizes = np.arange(1, 1 + math.isqrt(MOST_PAIRS))
    assert expected_information(sizes, sizes) > 0
    # Classes of the same sizes cost nothing.
    assert expected_information(sizes.repeat(3), sizes.repeat(3)) > 0
    with pytest.raises(
        MetricError, match="524,288 pairs of different class sizes at most, and here are 725 x 725"
    ):
        expected_information(np.arange(1, 726), np.arange(1, 726))


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1e160, 1e300, 1e307])
def test_weights_that_are_no_numbers_of_items_have_no_chance_and_no_warning(scale: float) -> None:
    found = cmx.adjusted_mutual_information(
        ConfusionMatrix([[1 * scale, 2 * scale], [3 * scale, 4 * scale]])
    )
    assert math.isnan(found)
