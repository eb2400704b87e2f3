"""Weights: integers exactly, floats accurately, anything doubtful refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import repeat
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import InputError, count

pytestmark = pytest.mark.usefixtures("kernel")

PAIRS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("ab"), st.integers(0, 2**58)),
    min_size=1,
    max_size=16,
)


@given(
    PAIRS,
    st.sampled_from(
        [
            list,
            tuple,
            iter,
            np.array,
            lambda w: np.array(w, np.uint64),
            lambda w: np.array(w, object),
        ]
    ),
    st.booleans(),
)
def test_integer_weights_are_exact(rows: list[Any], container: Any, sparse: bool) -> None:
    expected: dict[Any, int] = {}
    for a, p, w in rows:
        expected[a, p] = expected.get((a, p), 0) + w
    matrix = count(
        [a for a, _, _ in rows],
        [p for _, p, _ in rows],
        weights=container([w for *_, w in rows]),
        sparse=sparse,
    )
    assert dict(matrix.pairs()) == {pair: n for pair, n in expected.items() if n}
    assert matrix.total == sum(w for *_, w in rows)
    assert (matrix.is_weighted, matrix.is_sparse) == (False, sparse)
    assert all(type(n) is int for n in matrix.pairs().values())


@given(
    st.lists(
        st.tuples(
            st.booleans(), st.booleans(), st.floats(0, 1e9) | st.sampled_from([1e-300, 0.1, 1 / 3])
        ),
        min_size=1,
        max_size=60,
    ),
    st.booleans(),
)
def test_float_weights_are_summed_to_the_last_digits(rows: list[Any], sparse: bool) -> None:
    exact: dict[Any, Fraction] = {}
    squares: dict[Any, Fraction] = {}
    for a, p, w in rows:
        exact[a, p] = exact.get((a, p), Fraction()) + Fraction(w)
        squares[a, p] = squares.get((a, p), Fraction()) + Fraction(w) ** 2
    weights = [w for *_, w in rows]
    matrix = count(
        [a for a, _, _ in rows],
        [p for _, p, _ in rows],
        weights=weights,
        labels=[False, True],
        sparse=sparse,
    )
    assert matrix.is_weighted
    assert matrix.squares is not None
    for (a, p), value in exact.items():
        assert (
            abs(Fraction(matrix.counts[a + 0, p + 0].item()) - value)
            <= 3 * Fraction(2) ** -53 * value
        )
        # A square below the smallest float is nothing.
        error = 4 * Fraction(2) ** -53 * squares[a, p] + len(rows) * Fraction(2) ** -1074
        assert abs(Fraction(matrix.squares[a + 0, p + 0].item()) - squares[a, p]) <= error


def test_small_weights_are_not_lost_beside_a_large_one() -> None:
    weights = [2.0**53, *([1.0] * 1000)]
    assert count([0] * 1001, [0] * 1001, weights=weights).total == 2**53 + 1000


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u4", "f2", "f4", ">i4", ">f8", "?"])
def test_narrow_weights_do_not_saturate(dtype: str) -> None:
    """Keras and TensorFlow keep sums in the type of the weights: uint8 wraps at 256, float32 stops at 2^24."""
    n = 70_000
    matrix = count(np.zeros(n, int), np.zeros(n, int), weights=np.ones(n, dtype))
    assert matrix.total == n
    assert matrix.is_weighted == (np.dtype(dtype).kind == "f")


def test_float32_weights_sum_beyond_their_own_digits() -> None:
    assert (
        count([0, 0, 0], [0, 0, 0], weights=np.array([2**24, 1, 1], np.float32)).total == 2**24 + 2
    )


def test_weights_that_are_all_one_count() -> None:
    rng = np.random.default_rng(3)
    actual, predicted = rng.integers(0, 9, (2, 500))
    plain = count(actual, predicted)
    for ones in (np.ones(500, int), [1.0] * 500, np.ones(500, bool)):
        assert count(actual, predicted, weights=ones) == plain
    squares = count(actual, predicted, weights=np.ones(500, int)).squares
    assert squares is not None
    assert squares.tolist() == plain.counts.tolist()


def test_a_pair_of_no_weight_keeps_its_labels() -> None:
    for values in (["a", "b"], np.array([3, 10**6]), [(1,), (2,)]):
        matrix = count(values, values, weights=[0, 2])
        assert matrix.n_classes == 2
        assert matrix.diagonal.tolist() == [0, 2]
        assert count(values, values, weights=[0, 0]).total == 0


def test_the_last_bit_and_one_more() -> None:
    exact = count([0, 1], [0, 1], weights=[2**63, 2**63 - 1])
    assert (exact.total, exact.counts.tolist()) == (2**64 - 1, [[2**63, 0], [0, 2**63 - 1]])
    assert exact.counts.dtype == np.uint64
    assert count([0, 0], [0, 0], weights=[2**62, 2**62 - 1]).counts.dtype == np.int64
    for weights in ([2**63, 2**63], np.array([2**64 - 1, 1], np.uint64), [2**64, 0], [2**62] * 4):
        n = len(weights)
        with pytest.raises(InputError, match="more than 64 bits hold"):
            count([0] * n, [0] * n, weights=weights)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([3, -1, 1], r"`weights` must be zero or more, but 1 are not; the first, at 1, is -1"),
        ([3, float("nan"), 1], "finite, but 1 are not; the first, at 1, is nan"),
        ([1e308, 1e308, 1e308], "more than a float holds"),
        (["1", "2", "3"], "must be numbers"),
        ([1, None, 3], "must be numbers, but None is NoneType"),
        ([1, 2], "one number per pair: 3, not 2"),
        ("123", "one per pair, not str"),
        ([[1], [2, 3], [4]], "must be numbers"),
        (np.ma.masked_array([1, 2, 3], mask=[False, True, False]), "1 of the numbers are masked"),
    ],
)
def test_doubtful_weights_are_refused(weights: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        count([0, 0, 1], [0, 1, 1], weights=weights)


def test_weights_from_frames() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    makes = (pd.Series, lambda v: pd.Series(v, dtype="Int64"), pl.Series, pa.array)
    for make in makes:
        matrix = count([0, 0, 1], [0, 1, 1], weights=make([1, 2, 3]))
        assert matrix.counts.tolist() == [[1, 2], [0, 3]]
        assert not matrix.is_weighted
        with pytest.raises(InputError, match=r"missing|finite|NoneType"):
            count([0, 0, 1], [0, 1, 1], weights=make([1, None, 3]))


def test_an_endless_supply_of_weights_is_an_error() -> None:
    with pytest.raises(InputError, match="end at different places"):
        count(iter([0, 1]), [0, 1], weights=repeat(1))
