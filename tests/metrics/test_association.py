"""Association and pair counting: against each other, and the edges."""

from __future__ import annotations

import math

import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix
from confmat.core.errors import MetricError

ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]])


def test_pairs_of_items() -> None:
    # Twelve pairs of actual cats with cats and so on: ordered pairs n (n - 1).
    together = 4 * 3 + 6 * 5 + 2 * 1 + 2 * 1 + 3 * 2 + 6 * 5
    actual, predicted = 6 * 5 + 10 * 9 + 9 * 8, 13 * 12 + 3 * 2 + 9 * 8
    every = 25 * 24
    pairs = cmx.pair_confusion(ANIMALS)
    assert pairs.counts.tolist() == [
        [every - actual - predicted + together, predicted - together],
        [actual - together, together],
    ]
    assert cmx.rand_index(ANIMALS) == cmx.accuracy(pairs)
    assert cmx.adjusted_rand_index(ANIMALS) == pytest.approx(cmx.kappa(pairs), rel=1e-15)
    assert cmx.fowlkes_mallows(ANIMALS) == pytest.approx(together / math.sqrt(actual * predicted))


def test_pairs_of_many_items() -> None:
    m = ConfusionMatrix([[2**40, 1], [3, 2**40]])
    assert cmx.pair_confusion(m).is_weighted
    assert cmx.rand_index(m) == pytest.approx(1)
    with pytest.raises(MetricError, match="whole numbers"):
        cmx.pair_confusion(ConfusionMatrix([[1.5, 0.0], [0.0, 1.0]]))
