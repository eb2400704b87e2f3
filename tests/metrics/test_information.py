"""Entropies and shared information: the edges, and where everything nearly cancels; their twins are in tests/exact."""

from __future__ import annotations

import math
from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat.metrics as cmx
from confmat import ConfusionMatrix, kernels
from confmat.core.errors import MetricError
from confmat.metrics.arithmetic import xlogx
from confmat.metrics.entropies import deviance
from confmat.metrics.sharing import _cells, _may_be_far, _spans, expected_information

M = ConfusionMatrix([[4, 0], [2, 2]])


def test_entropies_compare_margins() -> None:
    assert cmx.kl_divergence(ConfusionMatrix([[0, 3], [3, 0]])) == 0
    # A class that occurs and is never predicted surprises without end.
    assert math.isnan(cmx.cross_entropy(ConfusionMatrix([[3, 0], [1, 0]])))
    assert math.isnan(cmx.kl_divergence(ConfusionMatrix([[3, 0], [1, 0]])))


def test_units() -> None:
    for name, base in (("bits", 2), ("nats", math.e), ("dits", 10)):
        found = cmx.information_in("joint_entropy", name)(M)
        assert found == pytest.approx(cmx.joint_entropy(M) * log(2) / log(base))
    assert cmx.information_in("joint_entropy", "bits") is cmx.joint_entropy
    assert cmx.information_in("mutual_information", "nats") is cmx.mutual_information_nats
    assert cmx.joint_entropy.unit == "bits"
    assert cmx.mutual_information_nats.unit == "nats"
    with pytest.raises(MetricError, match="information_in"):
        cmx.information_in("recall", "nats")
    with pytest.raises(MetricError, match="`unit` must be one of 'bits', 'nats', 'dits', not 'bytes'"):
        cmx.information_in("joint_entropy", "bytes")


@pytest.mark.parametrize("name", ["homogeneity", "completeness", "v_measure", "nmi_min", "adjusted_mutual_information"])
def test_shared_information_at_the_edges(name: str) -> None:
    metric = cmx.metric(name)
    assert metric(ConfusionMatrix([[3, 0], [0, 2]])) == pytest.approx(1)
    # Any one-to-one naming shares everything.
    assert metric(ConfusionMatrix([[0, 3], [2, 0]])) == pytest.approx(1)
    for table in ([[5, 0], [0, 0]], [[7]], [[0, 0], [0, 0]]):
        assert math.isnan(metric(ConfusionMatrix(table)))


def test_independent_sides_share_nothing() -> None:
    m = ConfusionMatrix([[2 * 3, 2 * 5], [7 * 3, 7 * 5]])
    assert cmx.mutual_information(m) == 0
    assert cmx.v_measure(m) == 0
    assert cmx.adjusted_mutual_information(m) < 0


def test_information_of_nearly_independent_sides() -> None:
    # Half the squared gaps over the expectations, to the next order.
    moved = 10**3
    m = ConfusionMatrix([[10**6 + moved, 10**6 - moved], [10**6 - moved, 10**6 + moved]])
    share = moved / 10**6
    assert cmx.mutual_information_nats(m) == pytest.approx(share**2 / 2 + share**4 / 12, rel=1e-9)


def test_expected_information_by_hand() -> None:
    # Two items a side: with a chance of 2 in 6 the tables agree, or disagree, fully, and share log 2.
    assert expected_information([2, 2], [2, 2]) == pytest.approx(2 / 6 * log(2))
    assert expected_information([3], [1, 2]) == 0
    # All apart on both sides: certain, and full.
    assert expected_information([1] * 5, [1] * 5) == pytest.approx(log(5))


def test_expected_information_of_many_items() -> None:
    # The average under independence is (R - 1)(C - 1) / 2n.
    rows, cols = [2**50, 2**51, 2**50], [2**51, 2**51]
    assert expected_information(rows, cols) == pytest.approx(2 * 1 / (2 * 2**52), rel=1e-9)


@pytest.mark.parametrize("scale", [10, 100])
def test_expected_information_by_counting(scale: int) -> None:
    rows, cols = [3 * scale, 5 * scale], [2 * scale, 6 * scale]
    n, total = 8 * scale, 0.0
    for r in rows:
        for c in cols:
            for x in range(max(1, r + c - n), min(r, c) + 1):
                chance = Fraction(math.comb(r, x) * math.comb(n - r, c - x), math.comb(n, c))
                total += float(chance) * x / n * log(n * x / (r * c))
    assert expected_information(rows, cols) == pytest.approx(total, rel=1e-8)


def test_confusion_entropy_is_one_when_errors_are_spread_evenly() -> None:
    spread = ConfusionMatrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert cmx.overall_confusion_entropy(spread) == pytest.approx(1)
    assert cmx.overall_confusion_entropy(ConfusionMatrix([[3, 0], [0, 2]])) == 0
    assert math.isnan(cmx.overall_confusion_entropy(ConfusionMatrix([[3]])))


def test_deviance_by_its_definition() -> None:
    changes = np.array([-1.0, -0.9, -0.2, 0.0, 0.1, 3.0])
    np.testing.assert_allclose(deviance(changes), xlogx(1 + changes) - changes, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(np.real(deviance(changes + 0j)), deviance(changes), rtol=1e-14, atol=1e-16)


def sizes_of_classes() -> dict[str, tuple[Any, Any]]:
    rng = np.random.default_rng(4)
    near = rng.integers(400, 1300, 80)
    few = np.append(rng.integers(1, 300, 90), 60_000)
    falling = np.maximum(1, 30_000 / np.arange(1, 90) ** 0.7).astype(int)
    return {name: (sizes, rng.permutation(sizes)) for name, sizes in locals().items() if isinstance(sizes, np.ndarray)}


@pytest.mark.parametrize("name", ["near", "few", "falling"])
def test_chance_information_of_many_classes_is_that_of_each_pair(name: str) -> None:
    """Summed at nodes between the sizes, it is what the pairs of sizes give one by one."""
    actual, predicted = sizes_of_classes()[name]
    n = float(actual.sum())
    r, c = (grid.ravel() for grid in np.meshgrid(actual.astype(float), predicted.astype(float)))
    assert expected_information(actual, predicted) == pytest.approx(math.fsum(_cells(r, c, n)) / n, rel=1e-14)


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1e160, 1e300, 1e307])
def test_weights_that_are_no_numbers_of_items_have_no_chance_and_no_warning(scale: float) -> None:
    found = cmx.adjusted_mutual_information(ConfusionMatrix([[1 * scale, 2 * scale], [3 * scale, 4 * scale]]))
    assert math.isnan(found)


@given(sizes=st.lists(st.integers(1, 2000), min_size=1, max_size=8), rest=st.integers(0, 10**6))
def test_where_no_pair_is_far_from_its_bounds_none_is_looked_at(sizes: list[int], rest: int) -> None:
    n = float(sum(sizes) + rest)
    for row in _spans(sizes):
        for col in _spans(sizes[::-1]):
            if not _may_be_far(row, col, n):
                r, c = (grid.ravel() for grid in np.meshgrid(row.sizes, col.sizes))
                np.testing.assert_array_equal(_cells(r, c, n), kernels.kernel.shared_by_chance(r, c, n))
