"""Differences of scores without a derivative: items drawn again, together where both models answered them."""

from __future__ import annotations

import numpy as np
import pytest

import confmat as cm
from confmat.comparison import compare, compare_predictions
from confmat.comparison.differences import drawn_apart, drawn_together
from confmat.comparison.pairing import Pairing

RNG = np.random.default_rng(0)
ACTUAL = RNG.integers(0, 3, 300)
OLD = np.where(RNG.random(300) < 0.7, ACTUAL, RNG.integers(0, 3, 300))
NEW = np.where(RNG.random(300) < 0.5, ACTUAL, OLD)
MATRICES = cm.count(ACTUAL, OLD), cm.count(ACTUAL, NEW)
STACK = cm.count(ACTUAL, OLD, by=NEW, labels=[0, 1, 2])


@pytest.mark.parametrize("score", ["f1.macro", "mcc", "accuracy", "recall[1]"])
def test_of_a_smooth_score_it_says_what_the_derivative_says(score: str) -> None:
    found = compare_predictions(ACTUAL, {"old": OLD, "new": NEW}, metrics=[score]).of(score)
    *_, error, ends = drawn_together(
        cm.metrics.parse_score(score), MATRICES, Pairing.of_stack(STACK, MATRICES[0].labels), 0.95
    )
    assert error == pytest.approx(found.se, rel=0.04)
    # Where all items speak for one model, Tango's interval is not even; beside 0 an interval has
    # the error of the test.
    assert ends == pytest.approx(
        (found.low, found.high), abs=(0.5 if score == "recall[1]" else 0.3) * found.se
    )
    apart = compare({"old": MATRICES[0], "new": MATRICES[1]}, metrics=[score], same_items=False).of(
        score
    )
    *_, error, ends = drawn_apart(cm.metrics.parse_score(score), MATRICES, 0.95)
    assert error == pytest.approx(apart.se, rel=0.04)


@pytest.mark.parametrize("score", ["f1.macro", "recall.weighted", "accuracy", "kappa"])
def test_what_is_outside_is_drawn_and_is_no_class(score: str) -> None:
    old, new = (cm.count(ACTUAL, answers, labels=[0, 1], other="collect") for answers in (OLD, NEW))
    smooth = compare({"old": old, "new": new}, metrics=[score], same_items=False).of(score)
    *_, error, ends = drawn_apart(cm.metrics.parse_score(score), (old, new), 0.95)
    assert error == pytest.approx(smooth.se, rel=0.04)
    assert ends == pytest.approx((smooth.low, smooth.high), abs=0.25 * smooth.se)


def test_any_metric_is_compared() -> None:
    found = compare_predictions(
        ACTUAL, {"old": OLD, "new": NEW}, metrics=["lambda_reference", "quantity_disagreement"]
    )
    better = found.of("lambda_reference")
    assert (better.test, better.verdict) == ("paired bootstrap", "different")
    assert 0 < better.low < better.difference < better.high
    assert "drawn again" in better.note
    assert 0.001 < found.of("quantity_disagreement").p_value < 0.1
    apart = compare(
        {"old": MATRICES[0], "new": MATRICES[1]}, metrics=["lambda_reference"], same_items=False
    )
    assert apart.of("lambda_reference").se > better.se


def test_models_that_agree_do_not_differ() -> None:
    found = compare_predictions(ACTUAL, {"a": OLD, "b": OLD}, metrics=["lambda_reference"]).of(
        "lambda_reference"
    )
    assert (found.difference, found.p_value) == (0, 1)


def test_three_models_have_no_joint_test_of_it() -> None:
    found = compare_predictions(
        ACTUAL, {"a": OLD, "b": NEW, "c": ACTUAL}, metrics=["lambda_reference", "mcc"]
    )
    assert set(found.overall) == {"mcc"}


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(cm.MetricError, match="compare_predictions draws the items again"):
        compare({"a": MATRICES[0], "b": MATRICES[1]}, metrics=["lambda_reference"])
    with pytest.raises(cm.InputError, match="items with weights cannot be drawn"):
        compare_predictions(
            ACTUAL, {"a": OLD, "b": NEW}, metrics=["lambda_reference"], weights=np.full(300, 0.5)
        )
