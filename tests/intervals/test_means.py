"""Means over classes with few items: how often their intervals hold the truth, and what the notes say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm
from confmat.intervals import Estimate

Array = NDArray[np.float64]


def one(m: cm.ConfusionMatrix, score: str) -> Estimate:
    estimate = cm.interval(m, score)
    assert isinstance(estimate, Estimate)
    return estimate


def drawn(classes: int, items: int, right: float) -> tuple[Array, list[cm.ConfusionMatrix]]:
    """The shares of cells, Zipf's, and data sets in which every class occurs."""
    often = 1 / np.arange(1, classes + 1)
    often /= often.sum()
    others = np.where(np.eye(classes) > 0, 0, often)
    shares = often[:, None] * (
        np.eye(classes) * right + (1 - right) * others / others.sum(axis=1, keepdims=True)
    )
    rng = np.random.default_rng(0)
    tables = (rng.multinomial(items, shares.ravel()).reshape(classes, classes) for _ in range(600))
    return shares, [cm.ConfusionMatrix(table) for table in tables if table.sum(axis=1).all()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("classes", "items", "right"), [(20, 200, 0.8), (20, 200, 0.5), (100, 2000, 0.7)]
)
def test_many_classes_of_few_items(classes: int, items: int, right: float) -> None:
    shares, tables = drawn(classes, items, right)
    for score in ("f1.macro", "precision.macro", "balanced_accuracy"):
        truth = cm.score(cm.ConfusionMatrix(shares), score)
        held = np.mean([truth in one(m, score) for m in tables[:300]])
        assert held >= 0.9, (score, held)


def test_a_bias_is_said() -> None:
    _, tables = drawn(20, 200, 0.8)
    estimate = one(tables[0], "f1.macro")
    assert "too low on average, for its rare classes" in estimate.note
    assert estimate.value - estimate.low < estimate.high - estimate.value
    assert not one(tables[0], "balanced_accuracy").note


def test_a_class_that_is_never_predicted_may_have_the_precision_of_the_others() -> None:
    rare = cm.ConfusionMatrix([[40, 0, 5], [0, 3, 0], [3, 0, 40]])
    never = cm.ConfusionMatrix([[40, 0, 5], [3, 0, 0], [3, 0, 40]])
    assert one(never, "precision.macro").high > 0.8 > one(rare, "precision.macro").low
    assert one(never, "recall.macro").high < 0.8


def test_few_items_of_a_class_have_the_score_test_inverted() -> None:
    few, enough = [[8, 1, 0], [1, 4, 2], [0, 1, 9]], [[18, 1, 0], [1, 14, 2], [0, 1, 19]]
    assert one(cm.ConfusionMatrix(few), "f1.macro").method == "score test inverted"
    assert (
        one(cm.ConfusionMatrix(enough), "f1.macro").method
        == "Wilson at the effective number of items"
    )
    # The likeliest of more cells than items says too little.
    assert one(cm.ConfusionMatrix(np.eye(6, dtype=int) * 5), "f1.macro").method.endswith(
        "rare classes"
    )
