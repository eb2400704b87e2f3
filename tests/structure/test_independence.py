from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from confmat.structure.errors import expected_errors

Table = NDArray[np.float64]


def fitted(table: Table) -> Table:
    """The whole table of expected errors, zero on the diagonal."""
    size = len(table)
    rows, cols = np.nonzero(~np.eye(size, dtype=bool))
    expected = np.zeros((size, size))
    expected[rows, cols] = expected_errors(table.sum(1), table.sum(0)).at(rows, cols)
    return expected


def by_proportional_fitting(table: Table, rounds: int) -> Table:
    """The textbook's way: rows and columns scaled in turn until both fit."""
    expected = np.where(np.eye(len(table), dtype=bool), 0.0, 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(rounds):
            expected = np.nan_to_num(expected * (table.sum(1) / expected.sum(1))[:, None])
            expected = np.nan_to_num(expected * (table.sum(0) / expected.sum(0)))
    return expected


@st.composite
def errors(draw: st.DrawFn) -> Table:
    size = draw(st.integers(2, 7))
    cells = draw(st.lists(st.integers(0, 40), min_size=size * size, max_size=size * size))
    table = np.array(cells, dtype=float).reshape(size, size)
    np.fill_diagonal(table, 0)
    return table


@given(errors())
def test_rows_and_columns_add_up_to_what_was_found(table: Table) -> None:
    expected = fitted(table)
    assert (expected >= 0).all()
    np.testing.assert_allclose(expected.sum(1), table.sum(1), atol=1e-7 * (1 + table.sum()))
    np.testing.assert_allclose(expected.sum(0), table.sum(0), atol=1e-7 * (1 + table.sum()))


@given(errors())
def test_iterative_proportional_fitting_agrees(table: Table) -> None:
    # Near a class with a part in every error that way takes forever.
    assume(((table.sum(0) + table.sum(1)) < 0.8 * table.sum()).all())
    np.testing.assert_allclose(
        fitted(table), by_proportional_fitting(table, 1000), rtol=1e-6, atol=1e-6
    )


@given(errors())
def test_transposing_transposes(table: Table) -> None:
    np.testing.assert_allclose(fitted(table.T), fitted(table).T, rtol=1e-6, atol=1e-7)


@given(errors())
def test_a_class_without_errors_changes_nothing(table: Table) -> None:
    wider = np.pad(table, (0, 1))
    np.testing.assert_allclose(fitted(wider)[:-1, :-1], fitted(table), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rest", [0, 1, 3])
def test_one_class_with_a_part_in_nearly_every_error(rest: int) -> None:
    """Proportional fitting would need millions of rounds here."""
    table = np.zeros((5, 5))
    table[0, 1:], table[1:, 0] = [9e8, 3e8, 2e8, 1e8], [4e8, 5e8, 1e8, 2e8]
    table[1, 2] = rest
    expected = fitted(table)
    np.testing.assert_allclose(expected.sum(1), table.sum(1), rtol=1e-6)
    np.testing.assert_allclose(expected.sum(0), table.sum(0), rtol=1e-6)


@pytest.mark.parametrize(
    "table",
    [
        # One class only errs, one is only named wrongly: no discriminant, a division of nothing by
        # nothing.
        [[0, 0, 0], [1, 0, 0], [3, 1, 0]],
        # Only one table has these sums, and there both roots of the class with most errors meet.
        [[0, 0, 0], [3, 0, 2], [3, 5, 0]],
        [[0, 4, 0], [0, 0, 0], [0, 0, 0]],
        [[0, 4, 3], [0, 0, 0], [0, 0, 0]],
    ],
)
def test_tables_that_their_sums_determine(table: list[list[int]]) -> None:
    np.testing.assert_allclose(fitted(np.array(table, dtype=float)), table, atol=1e-9)
