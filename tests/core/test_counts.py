"""Storage of counts: exact to the last of 64 bits, the same value dense or sparse, never K^2 by accident."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from confmat import BudgetError, InputError
from confmat.core.counts import DENSE_BYTES, Counts, exact_total, fit_type, fits_dense

BIG = st.integers(0, 2**59)
INT_TABLES = st.integers(1, 5).flatmap(
    lambda k: arrays(np.int64, (k, k), elements=st.sampled_from([0, 0, 1, 7]) | BIG)
)
FLOAT_TABLES = st.integers(1, 5).flatmap(
    lambda k: arrays(
        np.float64, (k, k), elements=st.just(0.0) | st.floats(0, 1e300, allow_subnormal=True)
    )
)
# Integers that can be added in any order as floats, too.
TABLES = INT_TABLES | arrays(np.float64, (3, 3), elements=st.integers(0, 2**40).map(float))


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


@given(TABLES)
def test_dense_and_sparse_are_one_value(table: np.ndarray[Any, Any]) -> None:
    dense, sparse = (
        Counts.of_table(table.copy(), sparse=False),
        Counts.of_table(table.copy(), sparse=True),
    )
    assert (dense.is_sparse, sparse.is_sparse) == (False, True)
    assert dense.equals(sparse)
    assert sparse.equals(dense)
    assert dense.fingerprint() == sparse.fingerprint()
    assert dense.total == sparse.total == exact_total(table)
    for mine, theirs, expected in zip(
        dense.margins(),
        sparse.margins(),
        (table.diagonal(), table.sum(axis=1), table.sum(axis=0)),
        strict=True,
    ):
        assert mine.tolist() == theirs.tolist() == expected.tolist()
    assert sparse.table().tolist() == table.tolist()
    assert dense.transposed().equals(sparse.transposed())
    assert sparse.transposed().table().tolist() == table.T.tolist()


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


@given(INT_TABLES, st.data())
def test_moving_classes_is_the_same_sum_dense_or_sparse(
    table: np.ndarray[Any, Any], data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, 4))
    codes = np.array([data.draw(st.integers(-1, size - 1)) for _ in table])
    expected = [[0] * size for _ in range(size)]
    for i, row in enumerate(table.tolist()):
        for j, value in enumerate(row):
            if codes[i] >= 0 and codes[j] >= 0:
                expected[codes[i]][codes[j]] += value
    for sparse in (False, True):
        moved = Counts.of_table(table.copy(), sparse=sparse).remapped(codes, size)
        assert moved.table().tolist() == expected
        assert moved.total == sum(map(sum, expected))


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2**60)), max_size=10),
    st.booleans(),
)
def test_cells_in_any_order_are_added_and_zeros_left_out(
    cells: list[tuple[int, int, int]], sparse: bool
) -> None:
    expected: dict[tuple[int, int], int] = {}
    for row, col, value in cells:
        expected[row, col] = expected.get((row, col), 0) + value
    parts = [np.array([cell[i] for cell in cells], np.int64) for i in range(3)]
    rows, cols, values = Counts.of_cells(3, *parts, sparse=sparse).cells()
    found = dict(zip(zip(rows.tolist(), cols.tolist(), strict=True), values.tolist(), strict=True))
    assert found == {cell: value for cell, value in expected.items() if value}
    assert list(found) == sorted(found)


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
