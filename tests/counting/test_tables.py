"""Raw tables over the names that occur, and their way onto common labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from confmat import BudgetError, Labels
from confmat.counting.columns import Column
from confmat.counting.planning import Placement
from confmat.counting.tables import (
    Raw,
    coded,
    count_area,
    count_raw,
    dense_is_better,
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


# ---- onto common labels --------------------------------------------------------------------------


def test_a_few_labels_among_very_many_are_kept_as_cells() -> None:
    labels = Labels(range(3000))
    placement = Placement(labels, np.array([0, 2999]), np.array([1, 2]))
    counts, _ = placed(Raw(np.array([[0, 5], [7, 0]]), None, None), placement, 12, sparse=None)
    assert counts.is_sparse
    assert [part.tolist() for part in counts.cells()] == [[0, 2999], [2, 1], [5, 7]]
    assert counts.total == 12
