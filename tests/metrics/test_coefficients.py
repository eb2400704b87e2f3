"""The coefficients as a family, and what is special about some of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from confmat import ConfusionMatrix
from confmat.core.cells import Cells
from confmat.metrics import coefficients
from confmat.metrics.declaration import Metric

METRICS = {name: getattr(coefficients, name) for name in coefficients.__all__}


def cells(*abcd: float) -> Cells:
    return Cells(*(np.array([each]) for each in abcd))


def at(metric: Metric, *abcd: float) -> float:
    return float(metric(cells(*abcd))[0])


def test_they_are_one_family_with_sources() -> None:
    for name, metric in METRICS.items():
        assert (metric.name, metric.family) == (name, "coefficients")
        assert metric.references, name


def test_counts_of_one_item_more_have_a_value_without_items() -> None:
    values = {name: at(metric, 0, 0, 0, 0) for name, metric in METRICS.items()}
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    assert known == {"baulieu_5": 1.0, "baulieu_6": 0.0, "baulieu_12": 0.0}


def test_gilbert_and_wells_at_a_size_where_factorials_overflow() -> None:
    assert math.isfinite(at(METRICS["gilbert_wells"], *(x * 10**14 for x in (4, 1, 2, 3))))


def test_gilbert_and_wells_is_near_zero_where_nothing_is_associated() -> None:
    assert at(METRICS["gilbert_wells"], 25, 25, 25, 25) == pytest.approx(0, abs=0.02)


def test_forbes_2_reaches_1_where_the_margins_allow_no_more_hits() -> None:
    assert at(METRICS["forbes_2"], 5, 0, 3, 7) == 1
    assert at(METRICS["kuhns_6"], 5, 0, 3, 7) < 1


def test_lambda_r_reaches_minus_1_and_never_falls_below() -> None:
    """Where the sides name different classes most, what PyCM computes falls to -9."""
    assert at(METRICS["binary_lambda_r"], 0, 9, 1, 0) == -1
    assert at(METRICS["binary_lambda_r"], 7, 0, 0, 2) == 1


def test_goodall_keeps_its_digits_near_perfection() -> None:
    exact = 1 - 2 / math.pi * math.asin(math.sqrt(1e-12))
    assert at(METRICS["goodall"], 10**12 - 1, 1, 0, 0) == pytest.approx(exact, rel=1e-15)


def test_they_answer_a_matrix_per_class_and_averaged() -> None:
    m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
    assert coefficients.hamann(m, of="Cat") == (4 + 10 - 9 - 2) / 25
    assert coefficients.hamann(m, average="macro") == pytest.approx(
        ((14 - 11) + (16 - 9) + (19 - 6)) / 75
    )
    assert coefficients.baulieu_14(m, of="Hen") == (3 + 6) / (6 + 3 + 6)


def test_baulieu_1_keeps_its_digits_where_nearly_all_items_are_hits() -> None:
    hits = 2**28
    top = hits * (6 + 4) + 6 * 4
    assert at(coefficients.baulieu_1, hits, 6, 4, 28) == pytest.approx(
        top / ((hits + 6) * (hits + 4)), rel=1e-15
    )
