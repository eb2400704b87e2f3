"""A score over the threshold: every point is the metric of its matrix with its interval."""

from __future__ import annotations

import json

import numpy as np
import pytest

import confmat as cm


def sweep(n: int = 500) -> cm.Stack:
    rng = np.random.default_rng(0)
    actual = rng.random(n) < 0.3
    return cm.thresholds(actual, rng.normal(actual))


@pytest.mark.parametrize("text", ["f1[True]", "mcc", "f1.macro", "accuracy"])
def test_points_are_intervals_of_their_matrices(text: str) -> None:
    t = sweep()
    found = cm.best(t, text)
    curve = found.curve(20)
    assert 20 <= len(curve) <= 23
    assert {found.threshold, *found.range} - {np.inf} <= set(curve.x.tolist())
    assert (np.diff(curve.x) < 0).all()
    for x, y, low, high in zip(curve.x, curve.y, curve.low, curve.high, strict=True):
        one = cm.interval(t[float(x)], text)
        assert (one.value, one.low, one.high) == pytest.approx((y, low, high), nan_ok=True)
    assert (curve.x_name, curve.y_name, curve.level) == ("threshold", text, 0.95)


def test_all_of_a_few_and_costs() -> None:
    t = cm.thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1], thresholds=[0.2, 0.7])
    curve = cm.best(t, costs=[[0, 1], [5, 0]], level=0.8).curve()
    assert curve.x.tolist() == [0.7, 0.2]
    assert curve.y.tolist() == [6 / 4, 1 / 4]
    data = json.loads(json.dumps(curve.to_dict()))
    assert data["cost"] == [1.5, 0.25]
    assert data["level"] == 0.8
    assert len(data["low"]) == 2
    assert str(curve).splitlines()[0].split() == ["threshold", "cost", "0.8", "interval"]
    assert len(str(cm.best(sweep(), "mcc").curve()).splitlines()) == 1 + 12 + 1 + 3


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(cm.ConfmatError, match="points"):
        cm.best(sweep(), "mcc").curve(0)
    found = cm.best(sweep(), "mcc")
    alone = cm.deciding.Best(
        found.score, found.value, found.threshold, found.thresholds, found.matrix
    )
    assert alone == found
    assert alone.range == (found.threshold, found.threshold)
    with pytest.raises(cm.InputError, match="the sweep"):
        alone.curve()
