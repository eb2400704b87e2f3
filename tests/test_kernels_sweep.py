"""Sweeps over thresholds on both kernels, against counting at every threshold."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from confmat.kernels import kernel as chosen
from confmat.kernels import reference

pytestmark = pytest.mark.usefixtures("kernel")

# Few different ones, zeros of both signs, and any that there are.
numbers = st.one_of(
    st.integers(-2, 2).map(float), st.just(-0.0), st.floats(allow_nan=False, allow_infinity=False)
)


def in_order(items: list[tuple[float, bool]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    scores = np.array([np.nan, *sorted(-score for score, _ in items)])
    return scores, np.array(sorted(-score for score, hit in items if hit))


@given(st.lists(st.tuples(numbers, st.booleans()), max_size=40))
def test_each_threshold_is_reached_by_what_is_counted(
    kernel: ModuleType, items: list[tuple[float, bool]]
) -> None:
    scores, hits = in_order(items)
    reached = kernel.sweep(scores, hits)
    keys = [np.inf, *sorted({score for score, _ in items}, reverse=True)]
    assert reached.dtype == np.int32
    assert reached.shape == (2, len(keys))
    assert scores[: len(keys)].tolist() == keys
    for place, key in enumerate(keys):
        found = [
            sum(score >= key and hit == side for score, hit in items) for side in (True, False)
        ]
        assert reached[:, place].tolist() == found


def test_zeros_of_both_signs_are_one_threshold_without_a_sign(kernel: ModuleType) -> None:
    for signs in ([0.0, -0.0], [-0.0, 0.0]):
        scores = np.array([0.0, *signs])
        assert kernel.sweep(scores, np.array([0.0])).tolist() == [[0, 1], [0, 1]]
        assert not np.signbit(scores[:2]).any()


weighed = st.lists(st.tuples(numbers, st.booleans(), st.integers(1, 9)), max_size=40)


@given(weighed)
def test_each_threshold_is_reached_by_the_weights_of_its_items(
    kernel: ModuleType, items: list[tuple[float, bool, int]]
) -> None:
    scores, truth = (
        np.array([item[0] for item in items]),
        np.array([item[1] for item in items], bool),
    )
    keys = [np.inf, *sorted({item[0] for item in items}, reverse=True)]
    for kind in (np.int64, np.float64):
        weights = np.array([item[2] for item in items], kind)
        thresholds, *found = kernel.sweep_weighted(scores, truth, weights, 2)
        assert thresholds.tolist() == keys
        assert not np.signbit(thresholds[thresholds == 0]).any()
        for power, (above, below) in enumerate(found, start=1):
            assert above.dtype == (kind if power == 1 else np.float64)
            assert (below is None) == (kind == np.int64)
            for place, key in enumerate(keys):
                for row, side in enumerate((True, False)):
                    mine = [
                        (score >= key, weight**power) for score, hit, weight in items if hit == side
                    ]
                    assert above[row, place] == sum(weight for reached, weight in mine if reached)
                    if below is not None:
                        assert below[row, place] == sum(
                            weight for reached, weight in mine if not reached
                        )


@given(
    st.integers(0, 10**6),
    st.sampled_from([50, 5000, 10**9]),
    st.sampled_from([np.int64, np.float64]),
)
def test_both_kernels_add_up_in_one_order(
    kernel: ModuleType, seed: int, distinct: int, kind: type[Any]
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 20_000))
    scores, truth = rng.integers(-distinct, distinct, n) / distinct, rng.random(n) < 0.3
    # Squares of the larger ones add up to more than floats tell apart.
    weights = (
        rng.random(n) * 10.0 ** rng.integers(0, 7 if kind is np.float64 else 5, n) + 1
    ).astype(kind)
    found, expected = (one.sweep_weighted(scores, truth, weights, 2) for one in (kernel, reference))
    assert np.array_equal(found[0], expected[0])
    for halves, wanted in zip(found[1:], expected[1:], strict=True):
        assert np.array_equal(halves[0], wanted[0])
        assert np.array_equal(halves[1], wanted[1]) if wanted[1] is not None else halves[1] is None


def test_squares_that_floats_do_not_hold_are_added_up_from_both_ends(kernel: ModuleType) -> None:
    scores, truth = np.array([0.1, 0.9, 0.5]), np.array([True, False, True])
    for largest, exact in ((2**26, True), (2**27, False)):
        _, (_, below), (_, squares) = kernel.sweep_weighted(
            scores, truth, np.array([largest, 1, 1]), 1
        )
        assert below is None
        assert (squares is None) == exact


@pytest.mark.skipif(chosen is reference, reason="the compiled kernel is not in use here")
def test_the_compiled_kernel_takes_only_what_it_can_read_and_write() -> None:
    # Typed, wrong arguments could not be passed.
    compiled: Any = chosen
    scores, hits = np.array([0.0, -2.0, -1.0]), np.array([-2.0])
    closed = scores.copy()
    closed.flags.writeable = False
    shifted = np.frombuffer(bytes(25), np.float64, offset=1)
    others = (
        scores.astype(np.float32),
        scores.astype(">f8"),
        scores[::2],
        shifted,
    )
    for wrong in others:
        with pytest.raises(TypeError, match="scores: wanted float64 without gaps"):
            compiled.sweep(wrong, hits)
        with pytest.raises(TypeError, match="hits: wanted float64 without gaps"):
            compiled.sweep(scores, wrong)
    with pytest.raises(TypeError, match="may be written to"):
        compiled.sweep(closed, hits)
    with pytest.raises(ValueError, match="room for infinity"):
        compiled.sweep(np.empty(0), hits)
    truth, weights = np.array([True, False, True]), np.array([1, 2, 3])
    for at, other, wanted in (
        (1, truth.astype(np.uint8), "truth: wanted booleans"),
        (2, weights.astype(np.int32), "weights: wanted int64 or float64"),
    ):
        given_ = [scores, truth, weights]
        given_[at] = other
        with pytest.raises(TypeError, match=wanted):
            compiled.sweep_weighted(*given_, 1)
    with pytest.raises(ValueError, match="differ in length"):
        compiled.sweep_weighted(scores, truth[:2], weights, 1)
