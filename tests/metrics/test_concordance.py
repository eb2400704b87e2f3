"""Rank association and exchanged pairs: filled, listed and stacked tables against counting pair by pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix, Stack, metric
from tests.laws.exactly import exactly

RANKED = (
    "goodman_kruskal_gamma",
    "kendall_tau_b",
    "stuart_tau_c",
    "somers_d_response",
    "spearman_rho",
)


def drawn(size: int) -> Any:
    rng = np.random.default_rng(size)
    return rng.integers(0, 6, (size, size)) * (rng.random((size, size)) < 0.6)


@pytest.mark.parametrize("size", [2, 3, 9, 66])
def test_filled_listed_and_stacked_tables_agree(size: int) -> None:
    table = drawn(size)
    m, turned = ConfusionMatrix(table), ConfusionMatrix(table[:, ::-1])
    stack = Stack.from_array(np.stack([table, table[:, ::-1]]))
    for name in (*RANKED, "exchange_disagreement"):
        found = metric(name)
        assert found(m.sparse()) == pytest.approx(found(m), rel=1e-12, nan_ok=True)
        assert found(stack).tolist() == pytest.approx(
            [found(m), found(turned)], rel=1e-12, nan_ok=True
        )
    # Counted from the other end, the answers have the opposite order.
    for name in RANKED:
        assert metric(name)(turned) == pytest.approx(-metric(name)(m), rel=1e-9, nan_ok=True)


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
