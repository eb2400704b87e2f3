"""Matrices with planted blocks: classes of one block are taken for each other more often than for others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from confmat import ConfusionMatrix

Planted = tuple[ConfusionMatrix, NDArray[np.int64]]


def plant(size: int, seed: int, *, noise: float = 0.4, items: int = 60) -> Planted:
    """A matrix and the block of each class, in random order; `noise` is the share of errors that ignore the blocks.

    Blocks have 5 to 15 classes, recalls are near 0.75, and partners within a block differ in how
    near they are.
    """
    rng = np.random.default_rng(seed)
    sizes: list[int] = []
    while sum(sizes) < size:
        sizes.append(int(rng.integers(5, 16)))
    block = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)[:size])
    counts = np.zeros((size, size), dtype=np.int64)
    for i in range(size):
        right = float(np.clip(rng.normal(0.75, 0.08), 0.3, 0.98))
        near = rng.gamma(2.0, 1.0, size) * ((block == block[i]) & (np.arange(size) != i))
        far = np.where(np.arange(size) == i, 0.0, 1.0)
        share = np.zeros(size)
        share[i] = right
        if near.sum():
            share += (1 - right) * (1 - noise) * near / near.sum()
        share += (1 - share.sum()) * far / far.sum()
        counts[i] = rng.multinomial(items, share)
    return ConfusionMatrix(counts), block


@pytest.fixture(scope="session")
def planted() -> Callable[..., Planted]:
    return plant


def adjusted_rand(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    """Hubert and Arabie (1985), from the table of both partitions."""
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)
    pairs, rows, cols = ((x * (x - 1) / 2).sum() for x in (table, table.sum(1), table.sum(0)))
    chance = rows * cols / (len(a) * (len(a) - 1) / 2)
    return float((pairs - chance) / ((rows + cols) / 2 - chance))


@pytest.fixture(scope="session")
def rand_index() -> Callable[..., float]:
    return adjusted_rand
