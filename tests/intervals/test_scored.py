"""Areas under curves with their intervals: against pROC, against all pairs of items, and under what must not matter."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import confmat as cm
from confmat.intervals.scored import exponential, influences, sides

DATA = Path(__file__).parents[1] / "data" / "proc_reference.json"
PROC = json.loads(DATA.read_text(encoding="utf-8"))
Z = 1.959963984540054


def items(seed: int = 0, n: int = 80, *, ties: bool = True, shift: float = 1.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    actual = rng.random(n) < 0.4
    scores = rng.normal(shift * actual)
    return actual, scores.round(1) if ties else scores


def interval(t: Any, area: Any, **options: Any) -> cm.Estimate:
    one = cm.interval(t, area, **options)
    assert isinstance(one, cm.Estimate)
    return one


# ---- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", PROC)
def test_delong_is_that_of_proc(case: dict[str, Any]) -> None:
    t = cm.thresholds(case["y"], case["s1"])
    one = interval(t, "roc_auc", method="delong")
    low, value, high = case["ci1"]
    assert (one.low, one.value, one.high) == pytest.approx((low, value, high), abs=1e-9)
    assert one.se**2 == pytest.approx(case["var1"], abs=1e-12)
    assert cm.roc_auc(t, max_fpr=0.2) == pytest.approx(case["pauc_corrected"], abs=1e-9)


@hypothesis.given(st.integers(0, 10_000))
def test_it_is_that_of_all_pairs(seed: int) -> None:
    actual, scores = items(seed, 30)
    hits, others = scores[actual], scores[~actual]
    m, n = len(hits), len(others)
    hypothesis.assume(min(m, n) > 1)
    wins = (hits[:, None] > others) + (hits[:, None] == others) / 2
    one = interval(cm.thresholds(actual, scores), "roc_auc")
    assert one.value == pytest.approx(wins.mean())
    parts = wins.mean(axis=1).var(ddof=1) / m + wins.mean(axis=0).var(ddof=1) / n
    assert one.se**2 == pytest.approx(parts, abs=1e-12)
    # All areas within reach, with the shape of exponential scores.
    shape = exponential(one.value, m, n)
    errors = min(m, n) * min(one.value, 1 - one.value)
    ratio = max(parts / shape, 1 / (1 + errors / 20)) if shape else 1.0
    for end in (one.low, one.high):
        if 0 < end < 1:
            assert abs(end - one.value) == pytest.approx(
                Z * math.sqrt(ratio * exponential(end, m, n)), abs=1e-9
            )


@pytest.mark.parametrize(
    ("area", "most"), [("roc_auc", None), ("roc_auc", 0.3), ("average_precision", None)]
)
def test_influences_are_derivatives(area: Any, most: float | None) -> None:
    actual, scores = items(3, 40)
    t = cm.thresholds(actual, scores)
    value, hit, miss = influences(area, *sides(t, area)[:2], most)
    place = np.searchsorted(-np.array(list(t))[1:], -scores)
    added = np.where(actual, hit[place], miss[place])
    assert added.sum() == pytest.approx(0, abs=1e-12)

    def at(weights: Any) -> float:
        heavy = cm.thresholds(actual, scores, weights=weights)
        return float(influences(area, *sides(heavy, area)[:2], most)[0])

    assert at(np.ones(40)) == pytest.approx(value)
    step = 1e-6
    for place in range(40):
        moved = np.eye(40)[place] * step
        slope = (at(1 + moved) - at(1 - moved)) / (2 * step)
        assert added[place] == pytest.approx(slope, abs=1e-6)


def test_average_precision_and_a_part_of_the_curve_are_shares_of_positive_items_at_most() -> None:
    actual, scores = items(1)
    t = cm.thresholds(actual, scores)
    for one in (interval(t, "average_precision"), interval(t, cm.roc_auc, max_fpr=0.2)):
        assert 2 < one.n_eff <= actual.sum()
        assert one.low < one.value < one.high
    assert interval(t, cm.average_precision).value == pytest.approx(cm.average_precision(t))
    assert interval(t, "roc_auc", max_fpr=0.2).value == pytest.approx(cm.roc_auc(t, max_fpr=0.2))
    assert cm.roc_auc(t, max_fpr=1.0) == pytest.approx(cm.roc_auc(t))


def test_perfect_scores_are_not_certain() -> None:
    t = cm.thresholds([0] * 10 + [1] * 10, range(20))
    area, steps = interval(t, "roc_auc"), interval(t, "average_precision")
    assert (area.value, area.high, steps.value, steps.high) == (1, 1, 1, 1)
    assert 0.6 < area.low < 0.9
    assert steps.low == pytest.approx(10 / (10 + Z**2))
    assert tuple(interval(t, "roc_auc", method="delong")) == (1, 1)
    assert tuple(interval(t, "roc_auc", method="logit")) == (0, 1)


# ---- what must not matter ------------------------------------------------------------------------


@hypothesis.given(st.integers(0, 10_000))
def test_only_the_order_matters(seed: int) -> None:
    actual, scores = items(seed, 40)
    hypothesis.assume(1 < actual.sum() < 39)
    t = cm.thresholds(actual, scores)
    for area in ("roc_auc", "average_precision"):
        assert interval(cm.thresholds(actual, np.exp(scores)), area) == interval(t, area)
    exchanged = interval(cm.thresholds(~actual, -scores), "roc_auc")
    assert tuple(exchanged) == pytest.approx(tuple(interval(t, "roc_auc")), abs=1e-12)
    against = interval(cm.thresholds(~actual, scores), "roc_auc")
    low, high = interval(t, "roc_auc", method="delong")
    assert tuple(
        interval(cm.thresholds(~actual, scores), "roc_auc", method="delong")
    ) == pytest.approx((1 - high, 1 - low))
    assert against.value == pytest.approx(1 - cm.roc_auc(t))


def test_weights_are_of_items() -> None:
    actual, scores = items(4)
    plain = interval(cm.thresholds(actual, scores), "roc_auc")
    for alike in (np.full(80, 3), np.full(80, 0.1)):
        for area in ("roc_auc", "average_precision"):
            one, two = (
                interval(t, area)
                for t in (
                    cm.thresholds(actual, scores),
                    cm.thresholds(actual, scores, weights=alike),
                )
            )
            assert tuple(two) == pytest.approx(tuple(one))
    few = np.where(np.arange(80) % 4 == 0, 100.0, 1.0)
    heavy = interval(cm.thresholds(actual, scores, weights=few), "roc_auc")
    assert heavy.width > 1.5 * plain.width
    grid = np.linspace(-3, 3, 7)
    added = sum(
        cm.thresholds(actual[part], scores[part], weights=few[part], thresholds=grid)
        for part in (slice(0, 40), slice(40, 80))
    )
    assert tuple(interval(added, "roc_auc")) == pytest.approx(
        tuple(interval(cm.thresholds(actual, scores, weights=few, thresholds=grid), "roc_auc"))
    )


# ---- what a sweep cannot say ---------------------------------------------------------------------


def test_some_thresholds_bound_the_area() -> None:
    actual, scores = items(5, 400, ties=False)
    whole = interval(cm.thresholds(actual, scores), "roc_auc")
    for some in ({"max_points": 20}, {"thresholds": np.linspace(-2, 2, 15)}):
        t = cm.thresholds(actual, scores, **some)
        one = interval(t, "roc_auc")
        assert "between which scores may lie" in one.note
        blur = float(one.note.split("±")[1])
        assert abs(one.value - whole.value) <= blur < 0.05
        assert one.low <= whole.low < whole.high <= one.high
        for area, most in (("average_precision", None), ("roc_auc", 0.2)):
            with pytest.raises(cm.InputError, match="needs a threshold for every score"):
                interval(t, area, max_fpr=most)


def test_few_items_are_said() -> None:
    t = cm.thresholds([1, 0, 0, 0], [0.9, 0.8, 0.3, 0.1])
    for area in ("roc_auc", "average_precision"):
        one = interval(t, area)
        assert (one.value, str(one)) == (1, "1.000")
        assert "one item of a class" in one.note
    assert (
        "88 of 100" in interval(cm.thresholds([1, 0, 0, 1], [0.9, 0.8, 0.3, 0.1]), "roc_auc").note
    )
    assert (
        "too great"
        in interval(cm.thresholds([1, 0, 0, 1], [0.9, 0.8, 0.3, 0.1]), "average_precision").note
    )
    alone = interval(cm.thresholds([1, 1], [0.9, 0.8], labels=[0, 1]), "roc_auc")
    assert math.isnan(alone.value)
    assert alone.note == "a class does not occur"
    assert (
        "give -scores"
        in interval(cm.thresholds([0] * 20 + [1] * 20, range(40, 0, -1)), "roc_auc").note
    )


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (
            {"method": "bootstrap"},
            "`method` must be one of 'wilson', 'score', 'delong', 'logit', not 'bootstrap'",
        ),
        ({"method": "logit", "max_fpr": 0.2}, "method='logit' is of the whole area"),
        ({"max_fpr": 0}, "`max_fpr` is a false positive rate above 0 and at most 1, not 0"),
        ({"level": 95}, "`level` is between 0 and 1"),
        ({"of": 1}, "takes no `of`; leave it out"),
        ({"clusters": [1, 2]}, "takes no `clusters`; leave it out"),
    ],
)
def test_other_wishes_are_refused(wish: dict[str, Any], said: str) -> None:
    t = cm.thresholds(*items())
    with pytest.raises(cm.InputError) as raised:
        interval(t, "roc_auc", **wish)
    assert said in str(raised.value)


def test_other_values_are_refused() -> None:
    with pytest.raises(cm.InputError, match="`max_fpr` is of a sweep"):
        interval(cm.count([1, 0], [1, 1]), "accuracy", max_fpr=0.2)
    with pytest.raises(cm.InputError, match=r"interval\(thresholds\(actual, scores\), 'roc_auc'\)"):
        interval(cm.count([1, 0], [1, 1]), cm.roc_auc)
    with pytest.raises(cm.InputError, match="'delong'"):
        interval(cm.count([1, 0], [1, 1]), "accuracy", method="delong")
    part = cm.thresholds(*items())
    with pytest.raises(cm.InputError, match="from no positive answer to all"):
        interval(cm.Stack({key: part[key] for key in list(part)[3:6]}, axis="threshold"), "roc_auc")
    heavy = cm.thresholds(*items(), weights=np.full(80, 1e200))
    with pytest.raises(cm.InputError, match="needs the squares of weights"):
        interval(heavy, "roc_auc")
