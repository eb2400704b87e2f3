"""Intervals that hold at every look: closed forms, refusals, and streams that are looked at after every item."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.intervals.anytime import equal_p, reach, share_ends
from confmat.intervals.bounds import wilson


@pytest.mark.parametrize(("hits", "misses"), [(850, 150), (3, 97), (12, 0), (0, 12), (500, 500)])
@pytest.mark.parametrize("at", [100, 1000])
def test_the_ends_are_where_the_mixture_speaks_twenty_to_one(
    hits: int, misses: int, at: int
) -> None:
    from scipy.special import betaln

    weight = max(1.0, at / (2 * math.log(20) + math.log(1 + 2 * math.log(20))))
    low, high = share_ends(hits, misses, at, 0.95)
    for p in {low, high} - {0.0, 1.0}:
        speaks = betaln(weight * p + hits, weight * (1 - p) + misses) - betaln(
            weight * p, weight * (1 - p)
        )
        assert speaks - hits * math.log(p) - misses * math.log(1 - p) == pytest.approx(
            math.log(20), rel=1e-6
        )
    near = wilson(hits / (hits + misses), hits + misses)
    assert low <= float(near[0]) < float(near[1]) <= high


def test_the_ends_turn_round_with_hits_and_misses() -> None:
    # With one miss among many hits the end lies at 1, where the mixture has no width.
    for hits, misses in [(1, 1), (12, 1), (13, 1), (400, 1), (2, 50), (0, 7)]:
        low, high = share_ends(hits, misses, 1000, 0.95)
        assert 0 <= low <= hits / (hits + misses) <= high <= 1
        assert share_ends(misses, hits, 1000, 0.95) == pytest.approx((1 - high, 1 - low))
    assert (
        cm.interval(cm.ConfusionMatrix([[20, 1], [0, 9]]), "accuracy", method="anytime").high == 1
    )


def test_the_price_in_width() -> None:
    # Times the usual 1.96: 1.55 where it is narrowest, and little more ten times before and after.
    assert [round(reach(n, 1000, 0.95) / 1.959964, 2) for n in (100, 1000, 10_000)] == [
        1.97,
        1.55,
        1.65,
    ]
    assert equal_p(0, 0) == 1
    assert equal_p(0, 12) == pytest.approx(
        1 / (math.gamma(12.5) / math.gamma(13) / math.gamma(0.5) * 2**12)
    )


def test_scores_that_are_shares_or_functions_of_one_have_it() -> None:
    m = cm.ConfusionMatrix([[80, 20], [10, 90]], ["a", "b"])
    accuracy = cm.interval(m, "accuracy", method="anytime")
    assert tuple(accuracy) == pytest.approx(share_ends(170, 30, 1000, 0.95))
    assert "1.71 times as wide" in accuracy.note
    assert "any time" in accuracy.method
    wrong = cm.interval(m, "error_rate", method="anytime")
    assert tuple(wrong) == pytest.approx((1 - accuracy.high, 1 - accuracy.low))
    jaccard = share_ends(80, 30, 500, 0.9)
    f1 = cm.interval(m, "f1[a]", method="anytime", at=500, level=0.9)
    assert tuple(f1) == pytest.approx(tuple(2 * j / (1 + j) for j in jaccard))
    assert math.isnan(
        cm.interval(cm.ConfusionMatrix([[0, 0], [1, 2]]), "recall[0]", method="anytime").value
    )


def test_every_other_score_and_design_is_refused() -> None:
    m = cm.ConfusionMatrix([[80, 20, 3], [10, 90, 2], [1, 2, 3]], ["a", "b", "c"])
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        (m, "f1.macro", {}, "it is no such share"),
        (m, "mcc", {}, "it is no such share"),
        (m, "recall", {}, "it has a value for every class; name one"),
        (m, "accuracy", {"design": "actual"}, "the design 'actual' fixes how many"),
        (m, "accuracy", {"at_prevalence": [0.5, 0.3, 0.2]}, "it is of another prevalence"),
        (cm.Stack({1: m, 2: m}, axis="patient"), "accuracy", {}, "clusters or strata were drawn"),
        (
            cm.count(list("aab"), list("abb"), weights=[1, 2, 0.5]),
            "accuracy",
            {},
            "items have weights",
        ),
    ]
    for value, score, options, why in cases:
        with pytest.raises(cm.InputError, match=f"looks at any time are for shares .* here: {why}"):
            cm.interval(value, score, method="anytime", **options)
    for method in ("wilson", "bootstrap"):
        with pytest.raises(cm.InputError, match=f"the interval by '{method}' takes no `at`"):
            cm.interval(m, "accuracy", method=method, at=500)
    with pytest.raises(cm.InputError, match="`at`"):
        cm.interval(m, "accuracy", method="anytime", at=0)


def test_a_difference_holds_at_every_look_too() -> None:
    truth = np.zeros(400, int)
    old, new = (
        np.isin(np.arange(400), range(start, end)).astype(int) for start, end in ((0, 50), (40, 60))
    )
    found = cm.compare_predictions(
        truth, {"old": old, "new": new}, metrics=["accuracy", "error_rate", "f1.macro"]
    )
    once, always = found.of("accuracy"), found.of("accuracy").anytime()
    assert always.low < once.low < once.high < always.high
    assert always.p_value == equal_p(10, 40) > once.p_value
    assert always.verdict == "different"
    assert "times as wide" in always.test
    wrong = found.of("error_rate").anytime()
    assert (wrong.low, wrong.high) == pytest.approx((-always.high, -always.low))
    assert always.no_worse(0.02) == "no worse"
    with pytest.raises(
        cm.InputError, match=r"not for f1\.macro here: it is no share of the same items"
    ):
        found.of("f1.macro").anytime()
    matrices = {
        name: cm.count(truth, answers) for name, answers in {"old": old, "new": new}.items()
    }
    for same in (True, False):
        with pytest.raises(
            cm.InputError, match="only the answers of both models to the same items"
        ):
            cm.compare(matrices, metrics=["accuracy"], same_items=same).of("accuracy").anytime()


def test_a_difference_of_a_family_is_looked_at_alone() -> None:
    truth = np.zeros(400, int)
    models = {f"m{n}": (np.arange(400) % 10 < n).astype(int) for n in range(1, 6)}
    several = cm.compare_predictions(truth, models, metrics=["accuracy"]).differences[0]
    alone = cm.compare_predictions(
        truth, dict([*models.items()][:2]), metrics=["accuracy"]
    ).differences[0]
    assert several.adjusted > several.p_value
    one, two = several.anytime(), alone.anytime()
    assert (one.low, one.high, one.p_value) == (two.low, two.high, two.p_value)
    assert one.test == two.test + ", not adjusted for other differences"


@pytest.mark.parametrize(
    "number", [200, pytest.param(2000, marks=pytest.mark.nightly)], ids=["few", "many"]
)
@pytest.mark.parametrize(("both", "one"), [(0.5, 0.0), (0.3, 0.05), (0.02, 0.0)])
def test_looks_after_every_item_rarely_miss(both: float, one: float, number: int) -> None:
    """Look at so many streams of 2,000 items each."""
    missed, shown = streams(number, 2000, both, one)
    slack = 3 * math.sqrt(0.05 * 0.95 / number) if number == 200 else 0
    assert missed <= 0.05 + slack
    assert one or shown <= 0.05 + slack


def streams(number: int, items: int, discordant: float, gap: float) -> tuple[float, float]:
    """Shares of streams whose interval of the difference ever missed, or in which equal models were ever told apart."""
    from scipy.special import betaln

    rng = np.random.default_rng(int(1000 * discordant + gap * 10))
    kind = rng.random((number, items))
    up = np.cumsum(kind < (discordant + gap) / 2, axis=1)
    down = np.cumsum((kind >= (discordant + gap) / 2) & (kind < discordant), axis=1)
    n = np.arange(1, items + 1)
    # Tango's statistic at the truth, against what replaces 1.96.
    half = ((2 * n - up + down) * gap - up - down) / (4 * n)
    rare = np.sqrt(half**2 + down * gap * (1 - gap) / (2 * n)) - half
    spread = n * (2 * rare + gap * (1 - gap))
    limits = np.array([reach(each, 1000, 0.95) for each in n.tolist()])
    missed = (up - down - n * gap) ** 2 > limits**2 * spread + 1e-9
    log_e = betaln(0.5 + up, 0.5 + down) - betaln(0.5, 0.5) + (up + down) * math.log(2)
    return float(missed.any(axis=1).mean()), float((log_e > math.log(20)).any(axis=1).mean())
