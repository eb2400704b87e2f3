"""Boxes that overlap, on both kernels, against a comparison of all with all."""

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
from confmat.kernels import reference as reference_boxes

pytestmark = pytest.mark.usefixtures("kernel")

Array = NDArray[Any]
Side = tuple[Array, Array, Array]


def side(images: list[int], boxes: list[tuple[float, float, float, float]]) -> Side:
    corners = np.array(boxes, float).reshape(-1, 4)
    size = corners[:, 2:] - corners[:, :2]
    return np.array(images, np.int64), corners, size[:, 0] * size[:, 1]


@st.composite
def sides(draw: st.DrawFn, images: int = 3) -> Side:
    """Whole numbers on a small canvas, so that boxes touch, coincide and have no area."""
    drawn = draw(
        st.lists(st.tuples(*[st.integers(-4, 4)] * 2, *[st.integers(0, 5)] * 2), max_size=12)
    )
    where = draw(st.lists(st.integers(0, images - 1), min_size=len(drawn), max_size=len(drawn)))
    return side(where, [(x, y, x + w, y + h) for x, y, w, h in drawn])


def all_with_all(
    truth: Side, predicted: Side, least: float, share: bool
) -> list[tuple[int, int, float]]:
    found = []
    for i, (image, a, area) in enumerate(zip(*truth, strict=True)):
        for j, (other, b, size) in enumerate(zip(*predicted, strict=True)):
            width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
            if image == other and width > 0 and height > 0:
                inner = width * height
                overlap = inner / (size if share else area + size - inner)
                if overlap >= least:
                    found.append((i, j, float(overlap)))
    return found


@given(sides(), sides(), st.sampled_from([0.01, 1 / 3, 0.5, 0.55, 1.0]), st.booleans())
def test_pairs_are_those_of_comparing_all_with_all(
    kernel: ModuleType, truth: Side, predicted: Side, least: float, share: bool
) -> None:
    found = kernel.overlapping_boxes(truth, predicted, 3, least, share, 10**6)
    assert [part.dtype for part in found] == [np.int64, np.int64, np.float64]
    assert list(zip(*(part.tolist() for part in found), strict=True)) == all_with_all(
        truth, predicted, least, share
    )


def test_an_overlap_of_exactly_the_threshold_is_enough(kernel: ModuleType) -> None:
    # 11 of 20, where 0.55 * 20 is rounded up to more than 11.
    truth, predicted = side([0], [(0, 0, 20, 1)]), side([0], [(0, 0, 11, 1)])
    assert kernel.overlapping_boxes(truth, predicted, 1, 0.55, False, 9)[2].tolist() == [11 / 20]


@pytest.mark.slow
def test_blocks_and_far_away_places_change_nothing(
    kernel: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    n, images = 120, 7
    start = rng.uniform(0, 30, (2, n, 2))
    corners = np.concatenate([start, start + rng.uniform(0, 30, (2, n, 2))], axis=2)
    where = rng.integers(0, images, (2, n))
    for shift in (0.0, -1e6, 1e9):
        both = [
            side(image.tolist(), (box + shift).tolist())
            for image, box in zip(where, corners, strict=True)
        ]
        expected = all_with_all(both[0], both[1], 0.3, False)
        for block in (1, 7, 2**16):
            monkeypatch.setattr(reference_boxes, "CHUNK_PAIRS", block)
            found = kernel.overlapping_boxes(*both, images, 0.3, False, 10**6)
            assert list(zip(*(part.tolist() for part in found), strict=True)) == expected
            if kernel is not reference:
                break


def test_more_than_asked_for_is_none(kernel: ModuleType) -> None:
    many = side([0] * 30, [(0, 0, 1, 1)] * 30)
    assert kernel.overlapping_boxes(many, many, 1, 0.5, False, 899) is None
    assert len(kernel.overlapping_boxes(many, many, 1, 0.5, False, 900)[0]) == 900


def test_nothing_on_a_side(kernel: ModuleType) -> None:
    none, one = side([], []), side([0], [(0, 0, 1, 1)])
    for left, right in ((none, none), (none, one), (one, none)):
        assert [len(part) for part in kernel.overlapping_boxes(left, right, 1, 0.5, False, 9)] == [
            0,
            0,
            0,
        ]


@pytest.mark.skipif(chosen is reference, reason="the compiled kernel is not in use here")
def test_the_compiled_kernel_touches_no_memory_that_is_not_there() -> None:
    # Typed, wrong arguments could not be passed.
    compiled: Any = chosen
    one = side([0], [(0, 0, 1, 1)])
    for wrong in (
        side([1], [(0, 0, 1, 1)]),
        side([-1], [(0, 0, 1, 1)]),
        side([0], [(0, np.nan, 1, 1)]),
    ):
        with pytest.raises(ValueError, match="of no image, or not of finite numbers"):
            compiled.overlapping_boxes(wrong, one, 1, 0.5, False, 9)
    with pytest.raises(ValueError, match="least must be above 0"):
        compiled.overlapping_boxes(one, one, 1, 0.0, False, 9)
    shifted = np.frombuffer(bytes(33), np.float64, offset=1).reshape(1, 4)
    for corners in (shifted, one[1].ravel()):
        with pytest.raises(TypeError, match="corners: wanted float64 without gaps"):
            compiled.overlapping_boxes((one[0], corners, one[2]), one, 1, 0.5, False, 9)
