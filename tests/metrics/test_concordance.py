"""Rank association and exchanged pairs: filled and listed tables against exact fractions."""

from __future__ import annotations

import numpy as np
import pytest

from confmat import ConfusionMatrix, metric
from tests.laws.exactly import exactly


@pytest.mark.parametrize("scale", [1, 10**5, 10**12, 0.37])
@pytest.mark.parametrize("size", [2, 9, pytest.param(66, marks=pytest.mark.nightly)])
def test_pairs_of_any_size_keep_their_digits(size: int, scale: float) -> None:
    """Near independence, where pairs in one order and in opposite ones nearly cancel."""
    table = np.random.default_rng(size).integers(1, 30, (size, size)) * scale
    for name in (
        "goodman_kruskal_gamma",
        "somers_d_response",
        "somers_d_reference",
        "stuart_tau_c",
    ):
        whole = float(exactly(metric(name), ConfusionMatrix(table))[0])
        assert metric(name)(ConfusionMatrix(table)) == pytest.approx(whole, rel=1e-12, abs=1e-12)
        assert metric(name)(ConfusionMatrix(table).sparse()) == pytest.approx(
            whole, rel=1e-12, abs=1e-12
        )
