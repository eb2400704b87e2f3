"""Intervals: the plain ones against SciPy, the rule for all others by its properties, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat.intervals import Estimate, Estimates, interval
from confmat.intervals.bounds import by_items, clopper_pearson, wilson

HENS = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
METHODS = ("wilson", "exact", "score", "wald", "bootstrap", "bayes")


def one(*args: Any, **options: Any) -> Estimate:
    found = interval(*args, **options)
    assert isinstance(found, Estimate)
    return found


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_intervals_of_proportions_are_scipys(hits: int, more: int, level: float) -> None:
    from scipy.stats import binomtest

    n = hits + more
    test = binomtest(hits, n)
    for found, wanted in ((wilson, "wilson"), (clopper_pearson, "exact")):
        low, high = test.proportion_ci(level, wanted)
        np.testing.assert_allclose(found(hits / n, n, level), (low, high), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["beta", "agresti-coull"])
def test_a_method_that_is_not_there_is_refused_with_those_that_are(name: Any) -> None:
    said = "`method` must be one of 'wilson', 'exact', 'score', 'wald', 'bootstrap', 'bayes', 'anytime', not "
    with pytest.raises(cm.InputError, match=f"^{said}{name!r}"):
        interval(HENS, "accuracy", method=name)
    with pytest.raises(cm.InputError, match="`method` must be"):
        cm.items_needed(0.9, width=0.1, method=name)


@pytest.mark.parametrize(
    ("score", "hits", "of"),
    [
        ("accuracy", 12, 25),
        ("error_rate", 13, 25),
        ("recall[Cat]", 4, 6),
        ("precision[Hen]", 6, 9),
        ("specificity[Cat]", 10, 19),
        ("f1.micro", 12, 25),
        ("jaccard[Hen]", 6, 12),
    ],
)
def test_a_plain_proportion_has_wilsons_own_interval(score: str, hits: int, of: int) -> None:
    low, high = wilson(hits / of, of)
    found = one(HENS, score)
    assert (found.low, found.high) == pytest.approx((float(low), float(high)), rel=1e-12)
    assert (found.n_eff, found.method) == (of, "Wilson")


def test_next_to_an_end_the_bound_is_that_of_a_poisson_count() -> None:
    """Brown, Cai and DasGupta (2001), section 4.1.1: two hits or misses at most of 50 items, three of more."""
    from scipy.stats import chi2

    for misses, n in ((1, 10), (2, 50), (3, 51), (3, 200)):
        m = cm.ConfusionMatrix([[n - misses, misses], [0, 0]])
        found, plain = one(m, "recall[0]"), one(m, "recall[0]", method="score")
        assert found.method == "modified Wilson"
        assert found.high == pytest.approx(1 - chi2.ppf(0.05, 2 * misses) / 2 / n, rel=1e-12)
        assert found.high > plain.high
        assert (found.low, plain.method) == (plain.low, "Wilson")
        errors = one(m, "false_negative_rate[0]")
        assert (errors.low, errors.high) == pytest.approx((1 - found.high, 1 - found.low))
    for misses, n in ((1, 9), (3, 50), (4, 200), (0, 50)):
        m = cm.ConfusionMatrix([[n - misses, misses], [0, 0]])
        assert one(m, "recall[0]") == one(m, "recall[0]", method="score")


@pytest.mark.parametrize(
    ("p", "n"), [(0.998, 50), (0.99, 50), (0.995, 200), (0.99, 100), (0.985, 60), (0.998, 1000)]
)
def test_proportions_near_one_are_held(p: float, n: int) -> None:
    """By enumeration; Wilson's own holds the first three in 91, 91 and 92 of 100."""
    from scipy.stats import binom

    hits = np.arange(n + 1)
    held = {}
    for method in ("wilson", "score"):
        low, high, _ = by_items(hits / n, n, 0.95, method)
        held[method] = binom.pmf(hits, n, p)[(low <= p) & (p <= high)].sum()
    assert held["wilson"] >= 0.93
    assert held["wilson"] >= held["score"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("score", ["f1.macro", "accuracy", "mcc", "kappa", "recall[Hen]"])
def test_every_method_holds_the_value_and_stays_within_bounds(method: Any, score: str) -> None:
    found = one(HENS, score, method=method, draws=500)
    low, high = cm.metrics.parse_score(score).metric.bounds
    assert low <= found.low < found.value < found.high <= high
    assert found.value == pytest.approx(cm.score(HENS, score))
    assert 0 < found.se < 1


@pytest.mark.parametrize(
    ("counts", "score", "low"),
    [
        # A perfect matrix is no proof: these are the figures of a plain proportion, and of classes
        # of five items.
        (np.diag([50, 50]), "f1.macro", 0.963),
        (np.diag([50, 50]), "accuracy", 0.963),
        (np.diag([190, 5, 5]), "accuracy", 0.981),
        (np.diag([190, 5, 5]), "balanced_accuracy", 0.801),
    ],
)
def test_a_perfect_matrix_is_not_certain(counts: Any, score: str, low: float) -> None:
    found = one(cm.ConfusionMatrix(counts), score)
    assert (round(found.low, 3), found.high) == (low, 1.0)


def test_what_is_undefined_has_no_interval_and_says_why() -> None:
    m = cm.ConfusionMatrix([[50, 20], [0, 0]], labels=["a", "b"])
    found = one(m, "recall[b]")
    assert math.isnan(found.low)
    assert found.note == "the class never occurs"
    assert str(found) == "–"
    every = interval(m, "recall")
    assert isinstance(every, Estimates)
    assert every.of("b").note == "the class never occurs"
    assert every.of("a").note == ""


def test_what_draws_nothing_says_that_draws_are_idle() -> None:
    said = "nothing is drawn, so draws= changes nothing"
    assert said in one(HENS, "accuracy", draws=500).note
    every = interval(HENS, "recall", draws=500)
    assert isinstance(every, Estimates)
    assert said in every[0].note
    assert "seed=" in one(HENS, "accuracy", seed=3).note
    assert "nothing is drawn" not in one(HENS, "accuracy", method="bootstrap", draws=500).note
    assert "nothing is drawn" not in one(HENS, "lambda_reference", draws=500).note


@pytest.mark.parametrize("score", ["f1[car]", "f1.macro", "kappa", "gwet_ac1"])
@pytest.mark.parametrize("found", [[[60, 0], [0, 0]], [[60, 0], [10, 0]]])
def test_one_class_and_no_miss_is_not_certain(score: str, found: list[list[int]]) -> None:
    estimate = one(cm.ConfusionMatrix(found, labels=["car"], outside=["background"]), score)
    assert math.isnan(estimate.value) or 0.01 < estimate.high - estimate.low < 0.25


def test_scores_without_a_derivative_are_drawn_and_say_so() -> None:
    found = one(HENS, "lambda_reference")
    assert found.method == "percentile bootstrap"
    assert "no derivative" in found.note
    assert found == one(HENS, "lambda_reference")
    assert found != one(HENS, "lambda_reference", seed=1)


def test_the_worst_class_is_bounded_for_all_classes_at_once() -> None:
    found = one(HENS, "recall.min")
    assert "all 3 classes at once" in found.method
    lows = [
        by_items(share, n, 1 - 0.05 / 3, "wilson")[0]
        for share, n in ((4 / 6, 6), (2 / 10, 10), (6 / 9, 9))
    ]
    assert found.low == pytest.approx(float(min(lows)))


def test_classes_are_found_by_name_and_position() -> None:
    every = interval(HENS, "recall")
    assert isinstance(every, Estimates)
    assert every.of("Hen") == every[2] == every[-1]
    with pytest.raises(cm.InputError, match=r"\.of\('Hen'\) is that of a class"):
        every["Hen"]  # type: ignore[call-overload]


def test_an_estimate_prints_and_travels() -> None:
    found = one(HENS, "f1.macro")
    assert f"{found:.2f}" == "0.47 [0.30, 0.65]"
    assert found.value in found
    assert repr(found).startswith(
        "<Estimate f1.macro 0.465 [0.297, 0.650]: 0.95 confidence, score test inverted"
    )
    assert found.to_dict()["note"] == ""
    assert float(found) == found.value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "between 0 and 1, such as 0.95; got 95"),
        ({"method": "normal"}, "`method` must be one of 'wilson', 'exact'"),
        ({"design": "stratified"}, "how the items were drawn"),
        ({"of": "Cat", "average": "macro"}, "not for both"),
    ],
)
def test_what_is_wrong_is_said(options: Any, message: str) -> None:
    with pytest.raises(cm.ConfmatError, match=message):
        interval(HENS, cm.f1, **options)


def test_draws_need_counts() -> None:
    weighted = cm.count([0, 1, 1], [0, 1, 0], weights=[0.5, 1.5, 1.0])
    with pytest.raises(cm.InputError, match="item by item"):
        interval(weighted, "accuracy", method="bootstrap")
    with pytest.raises(cm.InputError, match="needs a ConfusionMatrix"):
        interval(HENS.counts, "accuracy")  # type: ignore[call-overload]
    with pytest.raises(cm.InputError, match="at least 2"):
        interval(cm.count([0, 1], [0, 1], by=["a", "a"]), "accuracy")


# --- how they are shown ---------------------------------------------------------------------------


def test_notebooks_show_them_as_tables_of_safe_text() -> None:
    m = cm.ConfusionMatrix(HENS.counts, labels=["Cat", "<script>\x1b[2J", "\u202eHen"])
    for found in (interval(m, "f1"), interval(m, "f1", of="<script>\x1b[2J"), interval(m, "mcc")):
        html, text = str(found._repr_html_()), f"{found!r}{found}"
        assert "multinomial design" in html
        assert "<script>" not in html
        for unsafe in ("\x1b", "\u202e"):
            assert unsafe not in html + text
