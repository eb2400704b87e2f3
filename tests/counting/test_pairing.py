"""Two columns of codes become a matrix: how many threads count them, and errors that say where."""

from __future__ import annotations

import numpy as np
import pytest

from confmat import LabelError, count
from confmat.counting.tables import MIN_THREADED_PAIRS, workers

pytestmark = pytest.mark.usefixtures("kernel")


def test_few_pairs_get_one_thread() -> None:
    assert workers(None, MIN_THREADED_PAIRS - 1) == 1
    assert workers(None, MIN_THREADED_PAIRS) >= 1
    assert workers(3, 1) == workers(np.int8(3), 1) == 3  # type: ignore[arg-type]


def test_strangers_are_named_counted_and_placed() -> None:
    words = (
        "2 labels are not among `labels`: 'x', 'y', in 3 of 4 pairs, the first at position 1. "
        "Name them in `labels`, or say other='drop' or other='collect'"
    )
    with pytest.raises(LabelError) as caught:
        count(["a", "x", "a", "x"], ["a", "a", "y", "y"], labels=["a", "b"])
    assert str(caught.value) == words


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64"])
def test_strangers_among_integers_are_found_by_their_codes(dtype: str) -> None:
    top = int(np.iinfo(dtype).max)
    said = f"not among `labels`: {top}, in 1 of 3 pairs, the first at position 2"
    with pytest.raises(LabelError, match=said):
        count(np.array([0, 1, top], dtype), np.array([1, 1, 1], dtype), labels=[0, 1])
