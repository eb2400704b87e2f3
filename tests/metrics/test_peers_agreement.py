"""The whole-matrix metrics against independent implementations; where a peer differs, how and why is tested too."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix

pytestmark = pytest.mark.peers

Table = list[list[int]]


def tables() -> list[Table]:
    """Seeded tables of several sizes and fillings, degenerate ones among them."""
    rng = np.random.default_rng(7)
    found: list[Table] = [
        rng.integers(0, top, (k, k)).tolist()
        for k in (2, 3, 4, 7)
        for top in (2, 3, 9, 60)
        for _ in range(4)
    ]
    found += [
        [[5, 0], [0, 0]],
        [[0, 5], [0, 0]],
        [[3, 2], [0, 0]],
        [[3, 0], [2, 0]],
        [[4, 0, 0], [0, 2, 0], [0, 0, 1]],
    ]
    found += [
        [[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]],
        [[118, 5], [2, 0]],
        [[0, 3], [4, 0]],
    ]
    return [table for table in found if sum(map(sum, table))]


TABLES = tables()


def pairs(table: Table) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The items that a table counts."""
    counts = np.array(table)
    rows, cols = np.indices(counts.shape)
    return np.repeat(rows.ravel(), counts.ravel()), np.repeat(cols.ravel(), counts.ravel())


def one_sided(table: Table) -> bool:
    """Whether a side names a single class."""
    counts = np.array(table)
    return bool(
        np.count_nonzero(counts.sum(axis=0)) < 2 or np.count_nonzero(counts.sum(axis=1)) < 2
    )


def silent(table: Table) -> bool:
    """Whether a side names one class, or both keep every item apart: nothing is shared, or nothing can be."""
    counts = np.array(table)
    return one_sided(table) or (counts.sum(axis=0).max() < 2 and counts.sum(axis=1).max() < 2)


def same(found: float, expected: float, table: Table, tolerance: float = 1e-9) -> None:
    if math.isnan(expected) or math.isnan(found):
        assert math.isnan(expected) == math.isnan(found), (found, expected, table)
    else:
        assert found == pytest.approx(expected, rel=tolerance, abs=tolerance), table


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Peers warn about what is degenerate; that is what is tested here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


TORCH: dict[str, Callable[[Any, Any, Any, int], Any]] = {
    "cramer_v": lambda tm, a, p, _: tm.nominal.cramers_v(p, a, bias_correction=False),
    "cramer_v_corrected": lambda tm, a, p, _: tm.nominal.cramers_v(p, a),
    "tschuprow_t": lambda tm, a, p, _: tm.nominal.tschuprows_t(p, a, bias_correction=False),
    "tschuprow_t_corrected": lambda tm, a, p, _: tm.nominal.tschuprows_t(p, a),
    "pearson_c": lambda tm, a, p, _: tm.nominal.pearsons_contingency_coefficient(p, a),
    "theil_u": lambda tm, a, p, _: tm.nominal.theils_u(p, a),
    "adjusted_rand_index": lambda tm, a, p, _: tm.clustering.adjusted_rand_score(p, a),
    "fowlkes_mallows": lambda tm, a, p, _: tm.clustering.fowlkes_mallows_index(p, a),
}


@pytest.mark.parametrize("name", TORCH)
def test_torchmetrics_agrees(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tm = pytest.importorskip("torchmetrics.functional", reason="torchmetrics is not installed")
    import torchmetrics.functional.classification
    import torchmetrics.functional.clustering
    import torchmetrics.functional.nominal  # noqa: F401

    # It computes in float32; degenerate tables are the business of other peers.
    for table in TABLES:
        if silent(table) or not all(map(sum, table)) or not all(map(sum, zip(*table, strict=True))):
            continue
        # It corrects tables of 2 x 2 for continuity as well, or fails over it.
        if "corrected" in name and len(table) == 2:
            continue
        actual, predicted = (torch.tensor(side) for side in pairs(table))
        expected = float(TORCH[name](tm, actual, predicted, len(table)))
        same(cmx.metric(name)(ConfusionMatrix(table)), expected, table, 2e-4)


def test_scipy_agrees_on_tests() -> None:
    stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    for table in TABLES:
        m, counts = ConfusionMatrix(table), np.array(table)
        held = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
        plain = stats.chi2_contingency(held, correction=False)
        same(cmx.chi_squared(m), plain.statistic, table)
        assert cmx.chi_squared_dof(m) == plain.dof
        same(cmx.chi_squared_p_value(m), plain.pvalue, table)
        same(
            cmx.g_statistic(m),
            stats.chi2_contingency(held, correction=False, lambda_="log-likelihood").statistic,
            table,
        )
        tail = stats.binomtest(
            int(counts.trace()),
            int(counts.sum()),
            counts.sum(axis=1).max() / counts.sum(),
            "greater",
        )
        same(cmx.accuracy_p_value(m), tail.pvalue, table)
