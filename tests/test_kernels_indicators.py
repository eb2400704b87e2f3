"""The compiled count of zeros and ones against its specification: every width, shape and number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from confmat.kernels import reference
from tests.twins import compiled

TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (300, 1), (517, 7), (70_000, 3), (40, 900)])
def test_ones_are_counted_as_the_specification_counts_them(
    dtype: str, shape: tuple[int, int]
) -> None:
    rng = np.random.default_rng(shape[0] + shape[1])
    actual, predicted = ((rng.random(shape) < share).astype(dtype) for share in (0.9, 0.5))
    expected, wrong = reference.count_indicators(actual, predicted, 1)
    assert not wrong
    for threads in (1, 3):
        found = compiled.count_indicators(actual, predicted, threads)
        assert np.array_equal(found[0], expected)
        assert found[0].dtype == np.int64
        assert found[1] is False


@pytest.mark.parametrize("dtype", TYPES[1:])
@pytest.mark.parametrize("value", [2, -1, 127])
def test_what_is_neither_zero_nor_one_is_told(dtype: str, value: int) -> None:
    for row, side in ((0, 0), (299, 1), (1000, 0)):
        tables = [np.ones((1001, 5), dtype) for _ in range(2)]
        tables[side][row, 3] = np.array(value).astype(dtype)
        for kernel in (compiled, reference):
            assert kernel.count_indicators(*tables, 2)[1] is True


def test_what_lies_otherwise_in_memory_is_refused_and_not_misread() -> None:
    table = np.zeros((4, 6), np.int32)
    for other in (
        table[:, ::2],
        np.asfortranarray(table),
        table.astype(">i4"),
        table.astype(np.float32),
        table[0],
    ):
        with pytest.raises((TypeError, ValueError)):
            compiled.count_indicators(
                table if other.ndim == 1 else np.zeros(other.shape, np.int32), other, 1
            )
