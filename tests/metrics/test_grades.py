"""Grades: every cut point of every scale, and what has no word."""

from __future__ import annotations

import math

import pytest

from confmat.core.errors import MetricError
from confmat.metrics.declaration import catalog, factories
from confmat.metrics.peers.pycm import GRADES, interpret


@pytest.mark.parametrize(
    ("source", "value", "word"),
    [
        ("landis_koch", -0.01, "poor"),
        ("landis_koch", 0, "slight"),
        ("landis_koch", 0.2, "fair"),
        ("landis_koch", 0.8, "almost perfect"),
        ("landis_koch", 1, "almost perfect"),
        ("landis_koch", 1.01, None),
        ("fleiss", 0.4, "intermediate to good"),
        ("fleiss", 0.75, "excellent"),
        ("altman", 0.6, "good"),
        ("cicchetti", 0.59, "good"),
        ("cicchetti", 0.589, "fair"),
        ("cramer", 0.4, "relatively strong"),
        ("matthews", 0.9, "very strong"),
        ("matthews", -1, "negligible"),
        ("lambda", 0, None),
        ("lambda", 0.1, "very weak"),
        ("lambda", 1, "perfect"),
        ("lambda", -0.1, None),
        ("krippendorff", 0.667, "tentative"),
        ("krippendorff", 0.8, "high"),
        ("pearson_c", 0, None),
        ("pearson_c", 0.3, "strong"),
        ("positive_likelihood_ratio", 10, "good"),
        ("negative_likelihood_ratio", 0.05, "good"),
        ("negative_likelihood_ratio", 0.5, "negligible"),
        ("discriminant_power", 3, "good"),
        ("auc", 0.9, "excellent"),
        ("yule_q", 0.75, "strong"),
    ],
)
def test_words(source: str, value: float, word: str | None) -> None:
    assert interpret(source, value) == word


@pytest.mark.parametrize("source", GRADES)
def test_no_value_has_no_word(source: str) -> None:
    assert interpret(source, math.nan) is None
    assert interpret(source, None) is None


@pytest.mark.parametrize("source", GRADES)
def test_scales_rise_and_name_their_metrics(source: str) -> None:
    cuts = [upper for upper, _ in GRADES[source].steps]
    assert cuts == sorted(set(cuts))
    assert all(name in catalog() or name in factories() for name in GRADES[source].metrics)
    assert GRADES[source].source


def test_an_unknown_scale_is_named() -> None:
    with pytest.raises(MetricError, match="there are landis_koch"):
        interpret("landis", 0.5)
