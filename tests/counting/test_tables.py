"""Raw tables over the names that occur, and their way onto common labels."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import BudgetError, Labels
from confmat.core.counts import Counts
from confmat.counting.columns import Column
from confmat.counting.planning import Placement
from confmat.counting.tables import (
    Raw,
    coded,
    count_area,
    count_raw,
    dense_is_better,
    left_out,
    placed,
)

pytestmark = pytest.mark.usefixtures("kernel")


def named(codes: list[int], names: list[Any], *, holes: bool = False, spare: bool = False) -> Any:
    return coded(Column(np.array(codes, np.int32), names, holes=holes, spare=spare))


def cells_of(raw: Raw) -> dict[tuple[int, int], Any]:
    """The raw cells that are not zero, however they are stored."""
    if raw.cells is not None:
        return {
            (r, c): n for r, c, n in zip(*(part.tolist() for part in raw.cells), strict=True) if n
        }
    assert raw.table is not None
    return {(int(r), int(c)): raw.table[r, c].item() for r, c in np.argwhere(raw.table)}


def cells_of_counts(counts: Counts) -> dict[tuple[int, int], Any]:
    return {
        (r, c): n for r, c, n in zip(*(part.tolist() for part in counts.cells()), strict=True) if n
    }


# ---- one side ------------------------------------------------------------------------------------


# ---- counting ------------------------------------------------------------------------------------


def test_when_a_whole_table_is_better() -> None:
    assert dense_is_better(256, 256, 0)
    assert not dense_is_better(257, 256, 100)
    assert dense_is_better(257, 256, 20_000)
    # Beyond the budget of a dense table, no number of pairs helps.
    assert not dense_is_better(2**14, 2**14, 2**40)


def test_large_areas_are_counted_cell_by_cell() -> None:
    names = [str(i) for i in range(1000)]
    left, right = named([999, 0, 999], names), named([1, 2, 1], names)
    raw = count_raw(left, right, np.array([0.5, 2.0, 0.25]), 1)
    assert raw.table is None
    assert cells_of(raw) == {(0, 2): 2.0, (999, 1): 0.75}
    assert raw.squares is not None
    assert raw.squares.tolist() == [4.0, 0.3125]
    assert cells_of(count_raw(left, right, None, 1)) == {(0, 2): 1, (999, 1): 2}


def test_more_cells_than_can_be_numbered() -> None:
    side = named([0], ["a", "b"])
    with pytest.raises(BudgetError, match="can be numbered"):
        count_area(np.zeros(1, np.int64), 0, 2**62, side, None, 1)


# ---- which names occur ---------------------------------------------------------------------------


# ---- onto common labels --------------------------------------------------------------------------


def placement_of(labels: str, rows: list[int], cols: list[int], **facts: Any) -> Placement:
    return Placement(
        Labels(list(labels)), np.array(rows, np.int64), np.array(cols, np.int64), **facts
    )


@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([True, False, None]),
    st.data(),
)
def test_any_table_goes_where_its_labels_are(
    height: int, width: int, by_cells: bool, sparse: bool | None, data: st.DataObject
) -> None:
    rows = data.draw(st.lists(st.integers(-1, 2), min_size=height, max_size=height))
    cols = data.draw(st.lists(st.integers(-1, 2), min_size=width, max_size=width))
    numbers = st.lists(st.integers(0, 5), min_size=height * width, max_size=height * width)
    table = np.array(data.draw(numbers)).reshape(height, width)
    raw_squares = (table**2).astype(float)
    raw = Raw(table.copy(), None, raw_squares.copy())
    if by_cells:
        r, c = np.nonzero(table)
        raw = Raw(None, (r, c, table[r, c]), raw_squares[r, c])
    placement = placement_of("abc", rows, cols, leaves_out=-1 in rows + cols, merges=True)
    expected, second, dropped = Counter[Any](), Counter[Any](), 0
    for (r, c), n in np.ndenumerate(table):
        if rows[r] < 0 or cols[c] < 0:
            dropped += int(n)
        elif n:
            expected[rows[r], cols[c]] += int(n)
            second[rows[r], cols[c]] += int(n) ** 2
    assert left_out(raw, placement) == dropped
    counts, squares = placed(raw, placement, None, sparse=sparse)
    assert cells_of_counts(counts) == expected
    assert counts.total == sum(expected.values())
    assert squares is not None
    assert cells_of_counts(squares) == second
    assert counts.is_sparse == squares.is_sparse == bool(sparse)


def test_a_few_labels_among_very_many_are_kept_as_cells() -> None:
    labels = Labels(range(3000))
    placement = Placement(labels, np.array([0, 2999]), np.array([1, 2]))
    counts, _ = placed(Raw(np.array([[0, 5], [7, 0]]), None, None), placement, 12, sparse=None)
    assert counts.is_sparse
    assert cells_of_counts(counts) == {(0, 2): 5, (2999, 1): 7}
    assert counts.total == 12
