"""Cells: the four words, their sums, and what is worked out once."""

from __future__ import annotations

import numpy as np
import pytest

from confmat import ConfusionMatrix
from confmat.core.cells import Cells, Memo, once


def cells(memo: Memo = None) -> Cells:
    return Cells(
        tp=np.array([4.0, 2.0]),
        fp=np.array([1.0, 3.0]),
        fn=np.array([3.0, 1.0]),
        tn=np.array([2.0, 4.0]),
        memo=memo,
    )


def test_cells_of_margins_are_what_is_left() -> None:
    # [[4, 1], [2, 3]]: rows 5 and 5, columns 6 and 4.
    c = Cells.of_margins(np.array([4, 3]), np.array([5, 5]), np.array([6, 4]), np.int64(10))
    assert (c.tp.tolist(), c.fn.tolist(), c.fp.tolist()) == ([4, 3], [5 - 4, 5 - 3], [6 - 4, 4 - 3])
    assert c.tn.tolist() == [10 - 5 - 6 + 4, 10 - 5 - 4 + 3]


def test_what_is_worked_out_once_is_closed_to_writing() -> None:
    asked = []

    @once
    def sums(inputs: Cells) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        asked.append(1)
        return inputs.tp + inputs.fp

    kept = cells({})
    assert sums(kept) is sums(kept)
    assert len(asked) == 1
    with pytest.raises(ValueError, match="read-only"):
        sums(kept)[0] = 1
    # Without a memo nothing is kept, and what comes is the caller's.
    free = cells()
    assert sums(free) is not sums(free)
    assert len(asked) == 1 + 2
    sums(free)[0] = 1


def test_the_memo_is_no_part_of_the_value() -> None:
    plain = Cells(tp=1.0, fp=2.0, fn=3.0, tn=4.0)
    assert plain == Cells(tp=1.0, fp=2.0, fn=3.0, tn=4.0, memo={})
    assert "memo" not in repr(Cells(tp=1.0, fp=2.0, fn=3.0, tn=4.0, memo={}))


def test_small_weights_beside_large_ones_are_not_lost() -> None:
    c = ConfusionMatrix([[1e9, 1e-9, 0.0], [1e-9, 0.0, 1e-12], [0.0, 0.0, 1e-20]]).cells
    assert c.fp.tolist() == [1e-9, 1e-9, 1e-12]
    assert c.fn.tolist() == [1e-9, 1e-9 + 1e-12, 0.0]
    assert c.tn[0] == 1e-12 + 1e-20
