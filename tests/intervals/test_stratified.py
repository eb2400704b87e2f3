"""A map assessed by strata, as published: so many places of each mapped class were looked at, whose areas are known.

Olofsson, Foody, Herold, Stehman, Woodcock and Wulder, "Good practices for estimating area and
assessing accuracy of land change", Remote Sensing of Environment 148 (2014), tables 8 and 9. The
map's classes are what was drawn, so they stand in the rows here: users' accuracy is a row's share
of hits, producers' accuracy a column's.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import confmat as cm
from confmat.intervals import Estimate, interval

CLASSES = ["deforestation", "gain", "forest", "other"]
COUNTS = [[66, 0, 5, 4], [0, 55, 8, 12], [1, 0, 153, 11], [2, 1, 9, 313]]
AREAS = dict(zip(CLASSES, (0.020, 0.015, 0.320, 0.645), strict=True))
MAP = cm.ConfusionMatrix(COUNTS, labels=CLASSES)


@pytest.mark.parametrize(
    ("score", "value", "margin"),
    [
        ("accuracy", 0.95, 0.02),
        ("recall[deforestation]", 0.88, 0.07),
        ("recall[gain]", 0.73, 0.10),
        ("recall[forest]", 0.93, 0.04),
        ("recall[other]", 0.96, 0.02),
        ("precision[deforestation]", 0.75, 0.21),
    ],
)
def test_accuracies_and_their_margins(score: str, value: float, margin: float) -> None:
    found = interval(MAP, score, at_prevalence=AREAS, method="wald")
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(value, abs=0.005)
    # The paper divides by n - 1 within each stratum, which the second digit does not show.
    assert 1.96 * found.se == pytest.approx(margin, abs=0.0055)


def test_the_area_of_deforestation() -> None:
    """21,158 hectares of 900,000, give or take 6,158: the share of the places that are it, mapped so or not."""
    found = interval(MAP, "detection_prevalence[deforestation]", at_prevalence=AREAS)
    assert isinstance(found, Estimate)
    assert found.value * 900_000 == pytest.approx(21_158, abs=1)
    assert 1.96 * found.se * 900_000 == pytest.approx(6_158, rel=0.01)


# Card, "Using Known Map Category Marginal Frequencies to Improve Estimates of Thematic Map
# Accuracy", Photogrammetric Engineering and Remote Sensing 48 (1982): the example of the R package
# mapac (its aa_card) and Card's own, with the shares of the map's classes.
EXAMPLES = {
    "two classes": ([[410, 26], [67, 369]], [828837 / 33896120, 33067283 / 33896120]),
    "five classes": (
        [[48, 1, 1, 0, 0], [0, 49, 0, 1, 0], [2, 0, 47, 1, 0], [5, 4, 3, 34, 4], [0, 0, 3, 12, 35]],
        [0.4, 0.4, 0.12, 0.04, 0.04],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_standard_errors_of_card(name: str) -> None:
    """Overall accuracy, and the accuracies of users and producers of every class, by Card's formulas."""
    counts, shares = EXAMPLES[name]
    n, w = np.array(counts, float), np.array(shares)
    drawn = n.sum(axis=1)
    p = n * (w / drawn)[:, None]
    hits, reference = np.diag(p), p.sum(axis=0)
    spread = p * (w[:, None] - p) / drawn[:, None]
    users = np.sqrt(hits * (w - hits) / (drawn * w**2))
    others = hits * (spread.sum(axis=0) - np.diag(spread))
    producers = np.sqrt(
        hits / reference**4 * (others + (w - hits) * (reference - hits) ** 2 / drawn)
    )
    overall = math.sqrt(np.diag(spread).sum())
    names = list("abcde")[: len(counts)]
    m = cm.ConfusionMatrix(counts, labels=names)
    known = dict(zip(names, shares, strict=True))
    for score, wanted in (("accuracy", overall), ("recall", users), ("precision", producers)):
        found = interval(m, score, at_prevalence=known, method="wald")
        np.testing.assert_allclose(found.se, wanted, rtol=1e-9, err_msg=score)
