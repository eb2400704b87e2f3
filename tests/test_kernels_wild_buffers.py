"""Buffers of wild offsets, lengths, codes and strides are refused, or read as the NumPy twin reads them.

`run.py test --nightly` runs this file with the kernel under sanitizers, which see every look beyond
a buffer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.test_kernels_arrow_broken import CArray, Producer, c_array, text_array
from tests.twins import compiled

ROUNDS = [
    pytest.param(0, 150, marks=pytest.mark.slow),
    pytest.param(1, 20_000, marks=pytest.mark.nightly),
]
WILD = [-(2**63), -(2**31), -9, -1, 0, 0, 1, 2, 3, 5, 8, 9, 2**31 - 1, 2**63 - 1]


def numbers(rng: np.random.Generator, size: int, kind: str) -> Any:
    """Small numbers in order, some of them replaced by wild ones."""
    values = np.sort(rng.integers(0, 9, size))
    at = rng.random(size) < rng.choice([0, 0.2])
    values[at] = rng.choice(WILD, at.sum())
    return values.astype(kind)


def array_of(rng: np.random.Generator, layout: str, data: Any) -> CArray:
    length, offset = (int(x) for x in rng.integers(0, 6, 2))
    rows = length + offset
    valid = rng.integers(0, 256, 2).astype(np.uint8) if rng.random() < 0.5 else None
    if layout in "uzUZ":
        offsets = numbers(rng, rows + 1, "i4" if layout in "uz" else "i8")
        # Nobody says how long the data is, but the last offset.
        offsets[rows] = min(offsets[rows], len(data))
        return c_array(length, valid, offsets, data, offset=offset)
    if layout in {"vu", "vz"}:
        return c_array(
            length, valid, numbers(rng, 4 * rows, "i4"), data, np.array([len(data)]), offset=offset
        )
    return c_array(
        length,
        valid,
        numbers(rng, rows, {"c": "i1", "S": "u2", "i": "i4", "L": "u8"}[layout]),
        offset=offset,
    )


@pytest.mark.parametrize(("seed", "rounds"), ROUNDS)
def test_arrow_buffers(seed: int, rounds: int) -> None:
    rng = np.random.default_rng(seed)
    read = 0
    for _ in range(rounds):
        data = rng.integers(97, 123, 40).astype(np.uint8)
        layout = str(rng.choice(["u", "z", "U", "Z", "vu", "vz"]))
        if rng.random() < 0.4:
            layout = str(rng.choice(["c", "S", "i", "L"]))
            array = array_of(rng, layout, data)
            words = text_array(["a", "bc", ""]) if rng.random() < 0.5 else array_of(rng, "u", data)
            array.dictionary.contents = words
            array.kept += (words,)
            producer = Producer(layout, [array], values="u")
        else:
            producer = Producer(layout, [array_of(rng, layout, data)])
        try:
            codes, labels, _, _ = compiled.encode_arrow(producer)
        except ValueError:
            continue
        read += 1
        assert codes.min(initial=-1) >= -1
        assert codes.max(initial=-1) < len(labels)
    assert 0 < read < rounds
