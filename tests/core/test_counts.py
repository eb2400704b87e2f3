"""Storage of counts: exact to the last of 64 bits, and never K^2 by accident."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from confmat import BudgetError, InputError
from confmat.core.counts import DENSE_BYTES, Counts, exact_total, fit_type, fits_dense

FLOAT_TABLES = st.integers(1, 5).flatmap(
    lambda k: arrays(
        np.float64, (k, k), elements=st.just(0.0) | st.floats(0, 1e300, allow_subnormal=True)
    )
)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=40))
def test_the_total_is_exact_for_any_64_bits(values: list[int]) -> None:
    assert exact_total(np.array(values, np.uint64)) == sum(values)


@pytest.mark.parametrize(
    ("total", "dtype"),
    [(2**63 - 1, np.int64), (2**63, np.uint64), (2**64 - 1, np.uint64), (0.0, np.float64)],
)
def test_the_total_chooses_the_type(total: Any, dtype: Any) -> None:
    assert fit_type(np.array([1], np.uint64), total).dtype == dtype


@pytest.mark.parametrize("sparse", [False, True])
def test_margins_at_the_last_bit(sparse: bool) -> None:
    table = np.array([[2**63, 0], [2**63 - 2, 1]], np.uint64)
    counts = Counts.of_table(table.copy(), sparse=sparse)
    assert counts.total == 2**64 - 1
    diagonal, rows, cols = counts.margins()
    assert diagonal.tolist() == [2**63, 1]
    assert rows.tolist() == [2**63, 2**63 - 2 + 1]
    assert cols.tolist() == [2**63 + 2**63 - 2, 1]


@pytest.mark.parametrize("sparse", [False, True])
def test_adding_crosses_the_sign_bit_and_stops_at_the_end(sparse: bool) -> None:
    most = Counts.of_table(np.array([[2**63 - 1, 0], [0, 0]]), sparse=sparse)
    both = most.plus(most)
    assert both.dtype == np.uint64
    assert both.table()[0, 0] == 2**64 - 2
    one = Counts.of_table(np.array([[0, 0], [0, 1]]), sparse=sparse)
    assert both.plus(one).total == 2**64 - 1
    with pytest.raises(InputError, match="64 bits"):
        both.plus(one).plus(one)


@given(FLOAT_TABLES)
def test_equal_tables_have_one_fingerprint_whatever_their_floats(
    table: np.ndarray[Any, Any],
) -> None:
    if not np.isfinite(table.sum()):
        return
    negative_zero = np.where(table == 0, -0.0, table)
    a, b = Counts.of_table(table.copy()), Counts.of_table(negative_zero, sparse=True)
    assert a.equals(b)
    assert a.fingerprint() == b.fingerprint()


def test_integers_beyond_a_float_are_not_equal_to_their_neighbors() -> None:
    a, b = (Counts.of_table(np.array([[value]])) for value in (2**53, 2**53 + 1))
    as_float = Counts.of_table(np.array([[2.0**53]]))
    assert not a.equals(b)
    assert a.equals(as_float)
    assert not b.equals(as_float)
    assert a.fingerprint() == as_float.fingerprint()


def test_tables_of_other_sizes_are_not_equal() -> None:
    assert not Counts.of_table(np.zeros((1, 1), int)).equals(Counts.of_table(np.zeros((2, 2), int)))


def test_a_table_beyond_the_budget_is_refused_by_name() -> None:
    size = int((DENSE_BYTES // 8) ** 0.5) + 1
    assert fits_dense(size - 1)
    assert not fits_dense(size)
    place = np.array([size - 1])
    counts = Counts.of_cells(size, place, place, np.array([3]))
    assert counts.is_sparse
    with pytest.raises(BudgetError, match=r"pairs\(\)"):
        counts.table()
    assert counts.margins()[0][-1] == 3
