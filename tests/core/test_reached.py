"""Reached: indexed, the array of two-by-two matrices that it stands for."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import Stack
from confmat.core.keys import Descending
from confmat.core.labels import Labels
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


@given(rows, st.sampled_from([0, 1]))
def test_a_stack_of_it_is_the_stack_of_the_array(above: list[tuple[int, int]], place: int) -> None:
    kept, table = both(above, place)
    keys, total = Descending(np.arange(len(table), 0.0, -1.0)), table.sum(axis=(1, 2))
    thin, whole = (
        Stack._of_table(one, Labels([0, 1]), keys, total, "threshold") for one in (kept, table)
    )
    assert thin == whole == pickle.loads(pickle.dumps(thin))
    assert str(thin) == str(whole)
    assert thin.counts.dtype == np.int64
    assert thin[1.0] == whole[1.0]
    assert thin.sum() == whole.sum()
    for name in ("diagonal", "actual_totals", "predicted_totals", "total"):
        assert getattr(thin, name).tolist() == getattr(whole, name).tolist()
    for name in ("tp", "fp", "fn", "tn"):
        assert getattr(thin.cells, name).tolist() == getattr(whole.cells, name).tolist()


def test_what_it_gives_is_closed_to_writing_where_it_is_kept() -> None:
    kept, _ = both([(1, 2), (3, 4)], 1)
    with pytest.raises(ValueError, match="read-only"):
        kept.whole()[0, 0, 0] = 5
    kept[0][0, 0] = 5
    assert kept[0].tolist() != [[5, 1], [0, 2]]
