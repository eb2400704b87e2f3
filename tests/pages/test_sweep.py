"""The page of a sweep: it opens where it should, its curves keep their shape, and each stop is the matrix there."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.pages.sweep import MOST_STOPS
from tests.display.test_html import data_of


def scored(n: int, seed: int = 0, share: float = 0.3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    actual = rng.random(n) < share
    return actual, rng.normal(np.where(actual, 0.7, 0.4), 0.2)


def models(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The models as the page reads them: what is not said is that of the first."""
    return [data["models"][0] | one for one in data["models"]]


def keys(data: dict[str, Any]) -> list[float]:
    return [float(key["float"]) if isinstance(key, dict) else key for key in data["sweep"]["keys"]]


@pytest.mark.parametrize("n", [40, 3000, 60_000])
def test_each_stop_is_the_matrix_at_its_threshold_and_the_page_opens_at_the_best(n: int) -> None:
    actual, scores = scored(n)
    t = cm.thresholds(actual, scores)
    page = cm.html(t)
    data = data_of(page)
    found, sweep = cm.best(t, "f1"), data["sweep"]
    assert len(page) < 320_000
    assert len(models(data)) == len(keys(data)) <= MOST_STOPS + 5
    assert keys(data)[sweep["open"]] == found.threshold
    assert [keys(data)[stop] for stop in sweep["alike"]] == list(found.range)
    for key, model in zip(keys(data), models(data), strict=True):
        # Accuracy, precision, recall and F1 come first.
        wanted = [
            cm.accuracy(t[key]),
            *(score(t[key], of=True) for score in (cm.precision, cm.recall, cm.f1)),
        ]
        got = [np.nan if value is None else value for value in model["overall"][:4]]
        assert np.allclose(got, [float(value) for value in wanted], equal_nan=True)
        assert "inf" not in model["name"]
    # A score is read off its curve with the digits that it has above.
    for model, (*_, read, _, _) in zip(models(data), sweep["curves"][-1]["at"], strict=True):
        assert model["overall"][3] == (read if read is None else pytest.approx(read, abs=1e-6))


def aside(points: np.ndarray, line: np.ndarray) -> float:
    """How far the farthest of some points, (n, 2), is from a line through others."""
    start, along = line[:-1], np.diff(line, axis=0)
    apart = points[:, None] - start
    share = np.clip((apart * along).sum(2) / np.maximum((along**2).sum(1), 1e-30), 0, 1)
    return float(np.hypot(*np.moveaxis(apart - share[..., None] * along, 2, 0)).min(axis=1).max())


@pytest.mark.parametrize("seed", range(4))
def test_a_curve_of_many_thresholds_keeps_its_shape(seed: int) -> None:
    t = cm.thresholds(*scored(20_000, seed, [0.02, 0.3, 0.5, 0.97][seed]))
    drawn = {one["title"]: one for one in data_of(cm.html(t))["sweep"]["curves"]}
    assert max(len(one["x"]) for one in drawn.values()) < 400
    # A drawing is 270 units wide and 190 high: the line is within its own thickness, everywhere.
    for curve in (cm.roc(t), cm.pr_curve(t)):
        line = drawn[curve.name]
        points = np.stack([curve.x, curve.y], axis=1)[:: 1 + len(t) // 5000]
        assert aside(points, np.array([line["x"], line["y"]]).T) < 0.01
    assert np.trapezoid(drawn["ROC"]["y"], drawn["ROC"]["x"]) == pytest.approx(
        cm.roc_auc(t), abs=1e-3
    )
    line = drawn["f1[True] by threshold"]
    points = np.stack([list(t), cm.f1(t, of=True)], axis=1)[1:]
    assert aside(points[:: 1 + len(t) // 5000], np.array([line["x"], line["y"]]).T) < 0.01


def test_bands_are_intervals() -> None:
    t = cm.thresholds(*scored(500))
    data = data_of(cm.html(t))
    for curve, score in zip(data["sweep"]["curves"], ("recall", "precision", "f1"), strict=True):
        for key, (_, y, low, high) in list(zip(keys(data), curve["at"], strict=True))[5:90:17]:
            one = cm.interval(t[key], score, of=True)
            assert [y, low, high] == pytest.approx([one.value, one.low, one.high], rel=1e-3)


def test_what_best_and_the_curves_gave_is_the_page_of_their_sweep() -> None:
    t = cm.thresholds(*scored(300))
    priced = cm.best(t, costs=[[0, 1], [5, 0]])
    data = data_of(cm.html(priced))
    assert keys(data)[data["sweep"]["open"]] == priced.threshold
    for curve in (cm.roc(t), cm.pr_curve(t), cm.best(t, "f1").curve()):
        data = data_of(cm.html(curve))
        assert keys(data)[data["sweep"]["open"]] == cm.best(t, "f1").threshold
    data = data_of(cm.html(t, scores=["mcc"]))
    assert keys(data)[data["sweep"]["open"]] == cm.best(t, "mcc").threshold
    with pytest.raises(cm.ConfmatError, match="`abstain`"):
        cm.html(cm.risk_coverage([1, 0, 1, 0], [1, 0, 0, 0], [0.9, 0.8, 0.6, 0.6]))


def test_answers_that_may_be_withheld_have_their_risk_over_their_coverage() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 400)
    answers = np.where(rng.random(400) < 0.7, truth, rng.integers(0, 3, 400))
    sure = rng.random(400).round(2)
    t = cm.deciding.abstain(truth, answers, sure)
    data = data_of(cm.html(t))
    whole = cm.risk_coverage(truth, answers, sure)
    risk = data["sweep"]["curves"][0]
    assert risk["title"] == "risk-coverage"
    for key, (x, y, low, high) in zip(keys(data), risk["at"], strict=True):
        place = whole.thresholds.tolist().index(key)
        assert x == pytest.approx(whole.x[place], abs=1e-3)
        if y is not None:
            assert y == pytest.approx(whole.y[place], abs=1e-3)
            assert low <= y <= high
    # Everything is answered at first.
    assert data["sweep"]["open"] == len(data["models"]) - 1


def test_odd_sweeps_have_pages() -> None:
    parts = [
        cm.thresholds([1, 0], scores, thresholds=[0.2, 0.5, 0.7])
        for scores in ([0.9, 0.8], [0.6, 0.1])
    ]
    ends = data_of(cm.html(parts[0] + parts[1]))
    assert [one["name"] for one in ends["models"]] == [
        "above every score",
        "0.7",
        "0.5",
        "0.2",
        "below every score",
    ]
    a, b = cm.ConfusionMatrix([[3, 1], [2, 4]]), cm.ConfusionMatrix([[4, 0], [3, 3]])
    assert keys(data_of(cm.html(cm.Stack({0.3: a, 0.6: b}, axis="threshold")))) == [0.6, 0.3]
    for actual in ([1, 1, 1], [0, 0, 0]):
        one = cm.thresholds(actual, [0.1, 0.5, 0.7], labels=[0, 1])
        json.dumps(data_of(cm.html(one)), allow_nan=False)
    cm.html(cm.thresholds([1, 0, 1], [0.3, 0.5, 0.9], weights=[0.5, 2.0, 1.5]))
    hostile = cm.thresholds(["<b>", "</script>", "<b>"], [0.3, 0.5, 0.9], positive="</script>")
    assert cm.html(hostile).count("</script>") == cm.html(a).count("</script>")
    # Different questions, not one with a slider.
    assert data_of(cm.html(cm.Stack({0.5: a, 0.75: b}, axis="iou")))["sweep"] is None


def test_who_allows_no_script_reads_the_scores_at_the_best_threshold() -> None:
    t = cm.thresholds(*scored(200))
    plain = re.search(r"<noscript>.*?</noscript>", cm.html(t), re.DOTALL)
    assert plain is not None
    assert f"F1, True {cm.best(t, 'f1').value:.3f}" in plain[0]
