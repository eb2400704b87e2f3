"""Sweeps over thresholds on both kernels, against counting at every threshold."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from confmat._kernels import kernel as chosen
from confmat._kernels import reference

pytestmark = pytest.mark.usefixtures("kernel")

# Few different ones, zeros of both signs, and any that there are.
numbers = st.one_of(st.integers(-2, 2).map(float), st.just(-0.0), st.floats(allow_nan=False, allow_infinity=False))


def in_order(items: list[tuple[float, bool]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    scores = np.array([np.nan, *sorted(-score for score, _ in items)])
    return scores, np.array(sorted(-score for score, hit in items if hit))


@given(st.lists(st.tuples(numbers, st.booleans()), max_size=40))
def test_each_threshold_is_reached_by_what_is_counted(kernel: ModuleType, items: list[tuple[float, bool]]) -> None:
    scores, hits = in_order(items)
    reached = kernel.sweep(scores, hits)
    keys = [np.inf, *sorted({score for score, _ in items}, reverse=True)]
    assert reached.dtype == np.int32
    assert reached.shape == (2, len(keys))
    assert scores[: len(keys)].tolist() == keys
    for place, key in enumerate(keys):
        found = [sum(score >= key and hit == side for score, hit in items) for side in (True, False)]
        assert reached[:, place].tolist() == found


def test_zeros_of_both_signs_are_one_threshold_without_a_sign(kernel: ModuleType) -> None:
    for signs in ([0.0, -0.0], [-0.0, 0.0]):
        scores = np.array([0.0, *signs])
        assert kernel.sweep(scores, np.array([0.0])).tolist() == [[0, 1], [0, 1]]
        assert not np.signbit(scores[:2]).any()


@pytest.mark.skipif(chosen is reference, reason="the compiled kernel is not in use here")
def test_the_compiled_kernel_takes_only_what_it_can_read_and_write() -> None:
    # Typed, wrong arguments could not be passed.
    compiled: Any = chosen
    scores, hits = np.array([0.0, -2.0, -1.0]), np.array([-2.0])
    closed = scores.copy()
    closed.flags.writeable = False
    for wrong in (scores.astype(np.float32), scores.astype(">f8"), scores[::2], scores[None], scores.astype(int)):
        with pytest.raises(TypeError, match="scores: wanted float64 without gaps"):
            compiled.sweep(wrong, hits)
        with pytest.raises(TypeError, match="hits: wanted float64 without gaps"):
            compiled.sweep(scores, wrong)
    with pytest.raises(TypeError, match="may be written to"):
        compiled.sweep(closed, hits)
    with pytest.raises(ValueError, match="room for infinity"):
        compiled.sweep(np.empty(0), hits)
