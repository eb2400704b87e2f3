"""Decision curves: net benefit against dcurves, from arrays and sweeps, and how sure it is."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.core.errors import InputError
from confmat.deciding.benefits import ALL, NONE

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "data" / "calibration_reference.json").read_text()
)["binary"]


@pytest.mark.parametrize("case", REFERENCE)
def test_net_benefits_are_those_of_dcurves(case: dict[str, Any]) -> None:
    grid = [float(key) for key in case["net_benefit"]["s"]]
    found = cm.decision_curve(case["y"], {"s": case["s"], "s2": case["s2"]}, thresholds=grid)
    for name, theirs in (("s", "s"), ("s2", "s2"), (ALL, "all"), (NONE, "none")):
        assert found[name].y == pytest.approx(list(case["net_benefit"][theirs].values()), abs=1e-9)
    assert found.differences["s", "s2"].y == pytest.approx(found["s2"].y - found["s"].y)
    assert found.differences[ALL, "s"].y == pytest.approx(found["s"].y - found[ALL].y)


def test_it_is_the_metric_of_the_matrix_at_each_threshold() -> None:
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 300), rng.random(300).round(2)
    t = cm.thresholds(y, s, thresholds=np.linspace(0.05, 0.95, 19))
    found = cm.decision_curve(t)
    same = cm.decision_curve(y, s, thresholds=found.thresholds)
    for name in found:
        assert found[name].y.tolist() == same[name].y.tolist()
        assert found[name].low.tolist() == same[name].low.tolist()
    at = found.thresholds[3]
    m = t[at]
    assert found["model"].y[3] == pytest.approx(m.tp / 300 - m.fp / 300 * at / (1 - at))
    bins = cm.decision_curve(cm.calibration(y, s, bins=20).thresholds())
    exact = cm.decision_curve(y, s, thresholds=bins.thresholds)
    assert bins["model"].y.tolist() == exact["model"].y.tolist()


def test_models_are_compared_item_by_item() -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(2000) < 0.3).astype(int)
    good = np.clip(0.3 + 0.3 * (2 * y - 1) + 0.2 * rng.standard_normal(2000), 0, 1)
    near = np.clip(good + 0.02 * rng.standard_normal(2000), 0, 1)
    found = cm.decision_curve(y, {"good": good, "near": near, "bad": rng.random(2000)})
    paired = found.differences["good", "near"]
    # One more item that differs is taken into account, as everywhere.
    for place in (29, 49):
        at = found.thresholds[place]
        gain = np.where(y == 1, 1, -at / (1 - at))
        for curve, each in (
            (paired, gain * ((near >= at) * 1 - (good >= at))),
            (found["good"], gain * (good >= at)),
        ):
            reach = 1.96 * each.std() / math.sqrt(2000)
            assert curve.y[place] == pytest.approx(each.mean())
            assert curve.high[place] - curve.y[place] == pytest.approx(reach, rel=0.1)
            assert curve.y[place] - curve.low[place] == pytest.approx(reach, rel=0.1)
    same = cm.decision_curve(y, {"one": good, "two": good}).differences["one", "two"]
    assert not same.y.any()
    assert (same.low < 0).all()
    assert len(found.useful("good")) > len(found.useful("bad"))
    text = str(found)
    assert "good is shown to be better than acting on all and on none at" in text
    with pytest.raises(InputError, match="model"):
        found.useful("act on all")
    data = json.loads(json.dumps(found.to_dict()))
    assert set(data["curves"]) == {"good", "near", "bad", ALL, NONE}


def test_an_item_without_a_score_of_a_model_is_left_out_for_all() -> None:
    y, s = [1, 0, 1, 0, 1], [0.9, 0.8, 0.6, 0.1, 0.7]
    holes = {"a": [0.9, 0.8, math.nan, 0.1, 0.7], "b": s}
    with pytest.raises(InputError, match=r"missing='drop'.*in the scores of a"):
        cm.decision_curve(y, holes, thresholds=[0.5])
    found = cm.decision_curve(y, holes, thresholds=[0.5], missing="drop")
    kept = [place for place in range(5) if place != 2]
    expected = cm.decision_curve(
        [y[place] for place in kept], {"b": [s[place] for place in kept]}, thresholds=[0.5]
    )
    assert found["a"].y.tolist() == found["b"].y.tolist() == expected["b"].y.tolist()


def test_what_cannot_be_acted_on_is_refused() -> None:
    y, s = [1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1]
    for grid in ([0, 0.5], [0.5, 1], [-0.1]):
        with pytest.raises(InputError, match="between 0 and 1"):
            cm.decision_curve(y, s, thresholds=grid)
    asked: list[tuple[Any, str]] = [
        (lambda: cm.decision_curve(y, [3, 2, 1, 0]), "no probabilities"),
        (lambda: cm.decision_curve(cm.thresholds(y, s), thresholds=[0.5]), "thresholds of its own"),
        (lambda: cm.decision_curve(cm.thresholds(y, s, weights=[1.0, 2.0, 1.0, 1.0])), "weights"),
        (
            lambda: cm.decision_curve(cm.thresholds(y, [9, 0.8, 0.6, 0.1])),
            r"of scores from 0\.1 to 9",
        ),
        (
            lambda: cm.decision_curve(cm.thresholds(y, s), positive=0, missing="drop"),
            "of a sweep takes no positive, missing",
        ),
        (lambda: cm.decision_curve(y, {1: s, "1": s}), "told apart as texts"),
        (lambda: cm.decision_curve(y, {ALL: s}), "give the model another name"),
    ]
    for ask, said in asked:
        with pytest.raises(InputError, match=said):
            ask()
    assert (
        cm.decision_curve(["a", "b", "a", "c"], s, of="a", thresholds=[0.5])["model"].y[0]
        == 2 / 4 - 1 / 4
    )


def test_one_threshold_is_said_once() -> None:
    y = np.tile([0, 1], 200)
    found = cm.decision_curve(y, np.where(y == 1, 0.9, 0.1), thresholds=[0.3])
    assert found.sentences()[0].endswith("at 1 of 1 thresholds, 0.3.")
