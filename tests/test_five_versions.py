"""Five ways to count a confusion matrix in NumPy, as an article has them: all agree with us, two of them not always.

v1 and v2 loop, v3 is a two-dimensional histogram, v4 a sparse matrix of ones, v5 one `bincount` of
joint codes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from confmat import count

pytestmark = pytest.mark.usefixtures("kernel")

Array = NDArray[Any]


def v1(actual: Array, predicted: Array, k: int) -> Array:
    table = np.zeros((k, k), dtype=np.int64)
    for i, j in zip(actual.tolist(), predicted.tolist(), strict=True):
        table[i, j] += 1
    return table


def v2(actual: Array, predicted: Array, k: int) -> Array:
    return np.array(
        [[np.count_nonzero((actual == i) & (predicted == j)) for j in range(k)] for i in range(k)]
    )


def v3(actual: Array, predicted: Array, k: int) -> Array:
    """As it has to be: the bins cover the classes, not the range that the data happens to have."""
    return np.histogram2d(actual, predicted, k, range=((-0.5, k - 0.5),) * 2)[0].astype(np.int64)


def v3_as_printed(actual: Array, predicted: Array, k: int) -> Array:
    return np.histogram2d(actual, predicted, k)[0].astype(np.int64)


def v4(actual: Array, predicted: Array, k: int) -> Array:
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    ones = np.ones(len(actual), dtype=np.int64)
    found: Array = sparse.coo_array((ones, (actual, predicted)), shape=(k, k)).toarray()
    return found


def v5(actual: Array, predicted: Array, k: int) -> Array:
    return np.bincount(k * actual + predicted, minlength=k * k).reshape(k, k)


SAMPLES = st.integers(1, 12).flatmap(
    lambda k: st.tuples(
        st.just(k),
        st.lists(st.tuples(st.integers(0, k - 1), st.integers(0, k - 1)), min_size=1, max_size=50),
    )
)


@pytest.mark.parametrize("version", [v1, v2, v3, v4, v5])
@given(SAMPLES)
def test_all_five_agree_with_us(
    version: Callable[[Array, Array, int], Array], sample: tuple[int, list[tuple[int, int]]]
) -> None:
    k, pairs = sample
    actual, predicted = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    assert (
        version(actual, predicted, k).tolist()
        == count(actual, predicted, labels=range(k)).counts.tolist()
    )


def test_v3_as_printed_is_wrong_when_the_first_or_last_class_is_absent() -> None:
    k = 5
    all_there = np.array([0, 1, 2, 3, 4])
    assert (
        v3_as_printed(all_there, all_there, k).tolist()
        == count(all_there, all_there, labels=range(k)).counts.tolist()
    )
    for absent in (0, 4):
        values = all_there[all_there != absent].repeat(3)
        right = count(values, values, labels=range(k)).counts
        assert right.diagonal().tolist() == [0 if name == absent else 3 for name in range(k)]
        assert v3(values, values, k).tolist() == right.tolist()
        assert v3_as_printed(values, values, k).tolist() != right.tolist()


def test_v5_wraps_for_uint8_labels_above_sixteen_classes() -> None:
    for k in (16, 17):
        last = np.full(3, k - 1, dtype=np.uint8)
        right = count(last, last, labels=range(k))
        assert right.pairs()[k - 1, k - 1] == 3
        # The joint code of the last cell is k * k - 1: 255 is the last that eight bits hold.
        assert (k * k - 1 <= 255) == (k == 16)
        agrees = v5(last, last, k).tolist() == right.counts.tolist()
        assert agrees == (k == 16)
        assert v5(last.astype(int), last.astype(int), k).tolist() == right.counts.tolist()
