"""Reached: indexed, the array of two-by-two matrices that it stands for."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat.core.stack import Reached

rows = st.lists(
    st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1)), min_size=1, max_size=8
)


def both(above: list[tuple[int, int]], place: int) -> tuple[Reached, np.ndarray[Any, Any]]:
    """The form that is kept, and the array written out."""
    numbers, totals = np.array(above, np.int32).T, np.array([2**31, 2**33])
    table = np.empty((len(above), 2, 2), np.int64)
    for i, (a, b) in enumerate(above):
        for row, part in enumerate((a, b)):
            table[i, row, place], table[i, row, 1 - place] = part, int(totals[row]) - part
    return Reached(numbers, totals, place), table


@given(rows, st.sampled_from([0, 1]))
def test_it_is_the_array_of_its_matrices(above: list[tuple[int, int]], place: int) -> None:
    kept, table = both(above, place)
    assert len(kept) == len(table)
    assert kept.whole().tolist() == table.tolist()
    assert kept[-1].tolist() == table[-1].tolist()
    assert kept[1:].tolist() == table[1:].tolist()
    assert pickle.loads(pickle.dumps(kept)).whole().tolist() == table.tolist()


def test_what_it_gives_is_closed_to_writing_where_it_is_kept() -> None:
    kept, _ = both([(1, 2), (3, 4)], 1)
    with pytest.raises(ValueError, match="read-only"):
        kept.whole()[0, 0, 0] = 5
    kept[0][0, 0] = 5
    assert kept[0].tolist() != [[5, 1], [0, 2]]
