"""No digit is lost: float64 where it suffices, exact numbers where it would not."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import ConfusionMatrix
from confmat import metrics as cm
from confmat.metrics.evaluation import evaluate_exactly
from confmat.metrics.margins import read_cells, read_margins

large = st.integers(0, 2**53)
tables = st.integers(2, 3).flatmap(lambda k: st.lists(st.lists(large, min_size=k, max_size=k), min_size=k, max_size=k))


def near(counts: list[list[int]]) -> list[list[int]]:
    """The table of independence nearest to these rows, give or take one item."""
    first = counts[0]
    return [[max(0, x + i * (j - 1)) for j, x in enumerate(first)] for i in range(len(counts))]


WATCHED = (
    "mcc",
    "kappa",
    "scott_pi",
    "class_mcc",
    "informedness",
    "markedness",
    "class_kappa",
    "yule_q",
    "optimized_precision",
)


@pytest.mark.parametrize("name", [*WATCHED, "equitable_threat_score", "recall_gain", "roc_similarity", "dominance"])
@given(counts=tables)
def test_no_digit_is_lost(name: str, counts: list[list[int]]) -> None:
    metric = cm.metric(name)
    for table in (counts, near(counts)):
        m = ConfusionMatrix(table)
        inputs = read_cells(m) if metric.kind == "class" else read_margins(m, "wrong", metric.sees)
        exact = np.asarray(evaluate_exactly(metric.formula, inputs), dtype=object).astype(float)
        np.testing.assert_allclose(metric(m), exact, rtol=1e-12, atol=0)


def test_kappa_that_cancels_in_float64() -> None:
    n = 2**52
    m = ConfusionMatrix([[n // 4 + 1, n // 4], [n // 4, n // 4]])
    total, hits, chance = n + 1, n // 2 + 1, (n // 2 + 1) ** 2 + (n // 2) ** 2
    expected = Fraction(total * hits - chance, total * total - chance)
    assert cm.kappa(m) == pytest.approx(float(expected), rel=1e-12)
    assert cm.kappa(m, exact=True) == expected


def test_a_mean_that_cancels_is_right() -> None:
    m = ConfusionMatrix([[10**7, 3, 1], [5, 1, 10**7], [1, 10**7 + 1, 2]])
    for name in ("informedness", "markedness"):
        exact = cm.metric(name)(m, average="macro", exact=True)
        assert cm.metric(name)(m, average="macro") == pytest.approx(float(exact), rel=1e-12)


def test_micro_does_not_overflow() -> None:
    counts = np.zeros((2000, 2000), dtype=np.int64)
    np.fill_diagonal(counts, 2**41)
    assert cm.specificity(ConfusionMatrix(counts), average="micro") == 1
