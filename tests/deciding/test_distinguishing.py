"""Thresholds that cannot be distinguished from the best: against costs of each item, and paired comparisons."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import confmat as cm
from confmat.deciding import choices

Z = norm.ppf(0.975)


def drawn(seed: int, n: int = 600) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    actual = rng.random(n) < 0.3
    return actual, rng.normal(actual).round(1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("prices", [{"fp": 1, "fn": 5}, {"fp": 3, "fn": 1, "tp": -2}])
def test_costs_against_those_of_each_item(prices: dict[str, float], weighted: bool) -> None:
    actual, scores = drawn(0)
    weights = np.random.default_rng(1).integers(1, 9, len(actual)) / 4 if weighted else None
    t = cm.thresholds(actual, scores, weights=weights)
    found = cm.best(t, cm.metrics.cost(prices))
    table = np.array([[0, prices["fp"]], [prices["fn"], prices.get("tp", 0)]])
    w = np.ones(len(actual)) if weights is None else weights
    expected = []
    for threshold in t:
        one, two = ((scores >= each).astype(int) for each in (threshold, found.threshold))
        gap = (table[actual.astype(int), one] - table[actual.astype(int), two]) * 1.0
        mean = np.average(gap, weights=w)
        differing = w[one != two]
        few = differing.sum() ** 2 / (differing**2).sum() if len(differing) else 0
        spread = (w**2 * (gap - mean) ** 2).sum() / w.sum() ** 2
        if abs(mean) <= Z * math.sqrt(spread) or few < math.log2(40):
            expected.append(threshold)
    assert found.alike.tolist() == expected
    assert 1 < len(expected) < len(t)
    assert found.range == (expected[-1], expected[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["f1[True]", "mcc", "accuracy", "f1.macro", "precision[True]", "balanced_accuracy"]
)
def test_any_metric_against_a_paired_comparison(text: str) -> None:
    """Two thresholds are two models that answer the same items."""
    actual, scores = drawn(2)
    t = cm.thresholds(actual, scores)
    found = cm.best(t, text)
    alike = set(found.alike.tolist())
    for threshold in list(t)[1::4]:
        answers = {"this": scores >= threshold, "best": scores >= found.threshold}
        if (answers["this"] == answers["best"]).all():
            continue
        differing = int((answers["this"] != answers["best"]).sum())
        one = cm.compare_predictions(actual, answers, metrics=[text]).differences[0]
        told = abs(one.difference) > Z * one.se * (1 + 1e-6) and differing > math.log2(40)
        assert (threshold not in alike) == told, threshold


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 8)), min_size=1, max_size=30))
def test_the_best_and_its_equals_are_among_them(items: list[tuple[int, int]]) -> None:
    actual, scores = zip(*[(0, 0), (1, 1), *items], strict=True)
    t = cm.thresholds(actual, scores)
    for text in ("accuracy", "f1.macro", "mcc", "recall[1]"):
        found = cm.best(t, text)
        assert set(found.thresholds) <= set(found.alike.tolist())
        low, high = found.range
        assert low <= found.threshold <= high
        # A higher level finds fewer differences.
        assert len(cm.best(t, text, level=0.99).alike) >= len(found.alike)


@pytest.mark.parametrize(("level", "items"), [(0.95, 6), (0.8, 4)])
def test_few_items_tell_nothing_until_a_coin_would_not(level: float, items: int) -> None:
    """Five items on one side, or all on the other, come up once in sixteen times: an exact test of both sides."""
    for moved, thresholds in ((items - 1, 2), (items, 1)):
        actual = np.repeat([1, 0], 200)
        scores = np.repeat([0.9, 0.5, 0.1], [200 - moved, moved, 200])
        assert (
            len(cm.best(cm.thresholds(actual, scores), "accuracy", level=level).alike) == thresholds
        )


def test_how_it_reads() -> None:
    actual, scores = drawn(0)
    found = cm.best(cm.thresholds(actual, scores), "mcc")
    low, high = found.range
    said = f"indistinguishable: thresholds {low:.6g} to {high:.6g} ({len(found.alike)}, at 0.95 confidence)"
    assert str(found).splitlines()[1] == said
    many = cm.thresholds(np.repeat([0, 1], 500), np.repeat([0.2, 0.8], 500))
    assert (
        str(cm.best(many, "accuracy")).splitlines()[1]
        == "better than every other threshold (at 0.95 confidence)"
    )
    data = found.to_dict()
    assert (data["range"], data["alike"], data["level"]) == ([low, high], len(found.alike), 0.95)
    with pytest.raises(cm.InputError, match="`level` is between"):
        cm.best(many, "accuracy", level=95)


SCORES = [
    "f1[True]",
    "f1.macro",
    "mcc",
    "accuracy",
    "recall[True]",
    "precision[True]",
    "kappa",
    "lr_plus[True]",
]
SCORES += ["f1.geometric", "f1.min", "dor[True]"]


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("share", [0.002, 0.3])
@pytest.mark.parametrize("seed", [4, 5])
def test_a_sweep_in_chunks_tells_what_the_whole_tells(
    seed: int, share: float, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    actual = rng.random(20_000) < share
    scores = rng.normal(actual * rng.choice([0.5, 1.5, 4.0])).round(2 * seed - 5)
    weights = rng.gamma(0.3, size=len(actual)) if weighted else None
    t = cm.thresholds(actual, scores, weights=weights)
    prices = cm.metrics.cost({"fp": 1, "fn": 20})
    every = [cm.best(t, score).alike for score in (*SCORES, prices)]
    monkeypatch.setattr(choices, "_AT_ONCE", 256)
    for score, expected in zip((*SCORES, prices), every, strict=True):
        assert cm.best(t, score).alike.tolist() == expected.tolist(), score
    assert any(1 < len(expected) < len(t) - 1 for expected in every)


def test_values_that_differ_in_their_last_digits_are_not_told_apart() -> None:
    """For a class that is all found, Yule's Y is 1 at every threshold, or the number beside it."""
    rng = np.random.default_rng(3)
    actual = np.append([True] * 4, np.zeros(596, bool))
    scores = np.append([3.0, 3.1, 3.2, 3.3], rng.normal(size=596))
    found = cm.best(
        cm.thresholds(actual, scores, weights=rng.integers(1, 5, 600)), "yule_y", level=0.5
    )
    assert found.value == pytest.approx(1)
    assert len(found.thresholds) > 500
    assert set(found.thresholds) <= set(found.alike.tolist())


def score_values(t: cm.Stack, text: str) -> Any:
    return np.asarray(cm.metrics.parse_score(text)(t))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e155, 1e300, 1e-160, 1e-300])
def test_weights_whose_squares_no_float_holds_tell_nothing(scale: float) -> None:
    actual, scores = drawn(6, 200)
    weights = np.random.default_rng(7).integers(1, 9, len(actual)) / 8
    t, usual = (cm.thresholds(actual, scores, weights=weights * factor) for factor in (scale, 1))
    for text in ("f1[True]", "mcc", "accuracy", "f1.macro"):
        found, expected = cm.best(t, text), cm.best(usual, text)
        assert (found.threshold, found.thresholds) == (expected.threshold, expected.thresholds)
        assert found.value == pytest.approx(expected.value, rel=1e-12)
        assert len(found.alike) == np.isfinite(score_values(t, text)).sum()
        assert f"indistinguishable: thresholds {found.range[0]:.6g}" in str(found)
