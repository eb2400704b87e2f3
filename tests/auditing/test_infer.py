"""`infer`: against brute force, against another tool's verdicts, and what it says of its limits."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

import confmat as cm
from confmat.auditing import infer
from confmat.auditing.claims import printed

DATA = Path(__file__).parents[1] / "data"
LABELS = ["positive", "negative"]
BINARY = [
    "accuracy", "error_rate", "recall", "precision", "specificity", "npv", "fpr", "fnr", "fdr", "for", "f1", "f2",
    "f0.5", "jaccard", "balanced_accuracy", "informedness", "kappa", "mcc", "class_mcc", "class_g_mean", "g_measure",
    "precision[negative]", "f1[negative]", "f2[negative]", "jaccard[negative]", "g_measure[negative]", "f1.macro",
    "precision.weighted", "markedness", "p4", "detection_prevalence", "prevalence",
]  # fmt: skip


def matrix(tp: int, fn: int, fp: int, tn: int) -> cm.ConfusionMatrix:
    return cm.ConfusionMatrix([[tp, fn], [fp, tn]], LABELS, positive="positive")


def all_tables(positives: list[int], total: int) -> list[cm.ConfusionMatrix]:
    return [
        matrix(tp, p - tp, total - p - tn, tn)
        for p in positives
        for tp in range(p + 1)
        for tn in range(total - p + 1)
    ]


def fits(m: cm.ConfusionMatrix, claims: dict[str, str], undefined: float | None) -> bool:
    for name, text in claims.items():
        value = cm.score(m, _of_positive(name))
        if math.isnan(value) and undefined is not None:
            value = undefined
        if not printed(text).allows(value):
            return False
    return True


def _of_positive(name: str) -> str:
    found = cm.metrics.parse_score(name)
    bare = found.metric.kind == "class" and found.of is None and found.average is None
    return f"{name}[positive]" if bare else name


def key(m: cm.ConfusionMatrix) -> tuple[int, ...]:
    return tuple(m.counts.ravel().tolist())


@st.composite
def cases(draw: Any) -> tuple[int, int, dict[str, str]]:
    total = draw(st.integers(1, 24))
    p = draw(st.integers(0, total))
    tp, tn = draw(st.integers(0, p)), draw(st.integers(0, total - p))
    m = matrix(tp, p - tp, total - p - tn, tn)
    names = draw(st.lists(st.sampled_from(BINARY), min_size=1, max_size=3, unique=True))
    decimals = draw(st.integers(1, 3))
    claims = {}
    for name in names:
        value = cm.score(m, _of_positive(name))
        if not math.isnan(value):
            claims[name] = f"{value + draw(st.sampled_from([0, 0, 0, 0.1])):.{decimals}f}"
    assume(claims)
    return p, total, claims


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(cases(), st.sampled_from([None, 0.0, 1.0]), st.booleans())
def test_brute_force_finds_the_same(
    case: tuple[int, int, dict[str, str]], undefined: float | None, known: bool
) -> None:
    p, total, claims = case
    assume(undefined is None or not any(cm.metrics.parse_score(name).average for name in claims))
    if not known:
        total = min(total, 9)
        p = min(p, total)
    found = infer(claims, positives=p if known else None, total=total, undefined=undefined)
    slow = [
        m
        for m in all_tables([p] if known else list(range(total + 1)), total)
        if fits(m, claims, undefined)
    ]
    assert found.complete
    assert found.count == len(slow)
    assert found.verdict == {0: "none", 1: "unique"}.get(len(slow), "many")
    assert {key(one.matrix) for one in found.witnesses(10_000)} == {key(m) for m in slow}  # type: ignore[arg-type]
    for name in ("mcc", "f1[positive]", "kappa", "markedness[positive]"):
        values = [value for m in slow if not math.isnan(value := cm.score(m, name))]
        if values and undefined is None:
            assert found.range(name)[:2] == pytest.approx((min(values), max(values)), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", sorted(name for name, one in cm.metrics.catalog().items() if one.monotone)
)
def test_monotone_metrics_move_one_way(name: str) -> None:
    """A score that is declared monotone never turns while true negatives take the place of false positives."""
    rng = np.random.default_rng(5)
    for tp, fn, negatives in rng.integers(1, 40, (50, 3)).tolist():
        tables = [matrix(tp, fn, negatives - tn, tn) for tn in range(1, negatives)]
        steps = np.diff([cm.score(one, _of_positive(name)) for one in tables])
        assert np.all(steps > -1e-12) or np.all(steps < 1e-12)


# ---- several classes -----------------------------------------------------------------------------


def all_matrices(supports: list[int]) -> list[cm.ConfusionMatrix]:
    rows = [
        [row for row in itertools.product(range(r + 1), repeat=len(supports)) if sum(row) == r]
        for r in supports
    ]
    return [
        cm.ConfusionMatrix(table, list("abc")[: len(supports)])
        for table in itertools.product(*rows)
    ]


def margins(m: cm.ConfusionMatrix) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(m.diagonal.tolist()), tuple(m.predicted_totals.tolist())


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=3),
    st.integers(0, 10**6),
    st.integers(1, 2),
    st.data(),
)
def test_brute_force_finds_the_same_reports(
    supports: list[int], seed: int, decimals: int, data: st.DataObject
) -> None:
    assume(sum(supports))
    every = all_matrices(supports)
    m = every[seed % len(every)]
    names = [
        f"{name}[{label}]"
        for name in ("precision", "recall", "f1", "specificity")
        for label in m.labels
    ]
    names += ["accuracy", "f1.macro", "kappa", "mcc"]
    chosen = data.draw(st.lists(st.sampled_from(names), max_size=5, unique=True))
    claims = {
        name: f"{value:.{decimals}f}"
        for name in chosen
        if not math.isnan(value := cm.score(m, name))
    }
    found = infer(claims, supports=dict(zip(m.labels, supports, strict=True)))
    slow = {margins(each) for each in every if fits_all(each, claims)}
    assert found.complete
    assert found.count == len(slow)
    assert {(one.hits, one.predicted) for one in found.witnesses(10_000)} == slow
    for one in found.witnesses(10_000):
        same = [each for each in every if margins(each) == (one.hits, one.predicted)]
        assert one.matrix is None or [each.counts.tolist() for each in same] == [
            one.matrix.counts.tolist()
        ]
    values = [
        value
        for each in every
        if margins(each) in slow and not math.isnan(value := cm.score(each, "kappa"))
    ]
    if values:
        assert found.range("kappa")[:2] == pytest.approx((min(values), max(values)), abs=1e-12)


def fits_all(m: cm.ConfusionMatrix, claims: dict[str, str]) -> bool:
    return all(printed(text).allows(cm.score(m, name)) for name, text in claims.items())


def report_of(
    k: int, n: int, decimals: int, seed: int
) -> tuple[cm.ConfusionMatrix, dict[str, str]]:
    rng = np.random.default_rng(seed)
    shares = (np.eye(k) * 0.8 * k + 0.2).ravel()
    m = cm.ConfusionMatrix(
        rng.multinomial(n, shares / shares.sum()).reshape(k, k), [f"c{i}" for i in range(k)]
    )
    names = [f"{name}[{label}]" for name in ("precision", "recall", "f1") for label in m.labels] + [
        "accuracy"
    ]
    return m, {name: f"{cm.score(m, name):.{decimals}f}" for name in names}


def supports_of(m: cm.ConfusionMatrix) -> dict[Any, int]:
    return dict(zip(m.labels, m.actual_totals.tolist(), strict=True))


@pytest.mark.parametrize(("k", "n", "decimals"), [(5, 500, 3), (10, 1000, 3), (20, 10_000, 4)])
def test_an_ordinary_report_determines_every_score(k: int, n: int, decimals: int) -> None:
    m, claims = report_of(k, n, decimals, 3)
    found = infer(claims, supports=supports_of(m))
    assert found.verdict == "unique"
    for name in ("mcc", "kappa", "f1.macro", "balanced_accuracy"):
        assert found.range(name)[:2] == pytest.approx((cm.score(m, name),) * 2, abs=1e-12)


def test_too_many_are_counted_and_bounded() -> None:
    m, claims = report_of(10, 10_000, 2, 3)
    found = infer(claims, supports=supports_of(m))
    assert found.count > 10**12
    assert found.complete
    for name in (
        "mcc",
        "kappa",
        "f1.macro",
        "precision.weighted",
        "balanced_accuracy",
        "accuracy",
        "f1[c3]",
    ):
        low, high, exact = found.range(name)
        assert low <= cm.score(m, name) <= high
        assert high - low < 0.05
        assert not exact
    assert "bounds" in str(found)
    assert all(fits_all_margins(one, claims) for one in found.witnesses(3))


def fits_all_margins(one: Any, claims: dict[str, str]) -> bool:
    d, r, c = (np.array(part) for part in (one.hits, one.actual, one.predicted))
    assert c.sum() == r.sum()
    assert ((r + c - 2 * d) <= (r - d).sum()).all()
    recall = [printed(claims[f"recall[c{i}]"]).allows(d[i] / r[i]) for i in range(len(d))]
    return all(recall) and all(
        printed(claims[f"precision[c{i}]"]).allows(d[i] / c[i]) for i in range(len(d))
    )


# ---- limits, progress, verdicts ------------------------------------------------------------------


def test_a_budget_that_ends_is_said() -> None:
    told: list[float] = []
    found = infer({"f1": "0.90"}, total=3000, budget=10_000, progress=told.append)
    assert not found.complete
    assert "Too many to try" in str(found)
    assert found.verdict in {"many", "unknown"}
    assert told == sorted(told)
    m, claims = report_of(10, 10_000, 2, 3)
    short = infer(claims, supports=supports_of(m), budget=1000)
    assert short.verdict == "unknown"
    assert "budget" in str(short)
    grid = infer({"markedness": "0.5"}, positives=500, total=1000, budget=1000)
    assert not grid.complete


def test_a_million_items_take_no_table_of_them() -> None:
    found = infer({"accuracy": "0.91", "recall": "0.80"}, positives=300_000, total=1_000_000)
    assert found.count == 30_013_001
    low, high, exact = found.range("mcc")
    assert exact
    assert 0.76 < low < high < 0.80


def test_what_cannot_be_tried_takes_no_memory() -> None:
    for positives, total in ((10**9, 4 * 10**9), (None, 10**9), (0, 10**9)):
        found = infer({"accuracy": "0.93"}, positives=positives, total=total, budget=100_000)
        assert not found.complete
        assert found.notes


def test_contradictions_are_found() -> None:
    found = infer(
        {"accuracy": "0.95", "recall": "0.50", "specificity": "0.80"}, positives=50, total=100
    )
    assert (found.verdict, found.count, found.witnesses()) == ("none", 0, [])
    assert "No table of counts" in str(found)
    assert math.isnan(found.range("mcc").low)
    assert infer({"accuracy": "0.93"}, total=25).verdict == "none"


def test_what_is_0_over_0_is_said_by_the_caller() -> None:
    claims = {"precision": "0.00", "accuracy": "0.90"}
    assert infer(claims, positives=1, total=10).count == 0
    found = infer(claims, positives=1, total=10, undefined=0)
    assert found.matrix is not None
    assert found.matrix.counts.tolist() == [[0, 1], [0, 9]]


@pytest.mark.parametrize(
    ("claims", "total", "count"),
    [
        ({"support[negative]": "1"}, 1, 2),
        ({"support[negative]": "2", "error_rate": "1.0000"}, 2, 1),
        ({"support[positive]": "4", "accuracy": "0.8"}, 5, 2),
    ],
)
def test_the_support_of_one_of_two_classes_leaves_the_other_to_the_total(
    claims: dict[str, str], total: int, count: int
) -> None:
    found = infer(claims, total=total)
    slow = [m for m in all_tables(list(range(total + 1)), total) if fits(m, claims, None)]
    assert found.labels == ("positive", "negative")
    assert found.count == len(slow) == count


@pytest.mark.parametrize("undefined", [0.0, 0.5, 2.0])
def test_ranges_over_several_classes_take_the_number_for_0_over_0(undefined: float) -> None:
    claims = {"recall.macro": f"{(1 + 3 * undefined) / 4}", "accuracy": "1.0"}
    found = infer(claims, supports={"a": 0, "b": 0, "c": 0, "d": 1}, undefined=undefined)
    assert found.count == 1
    mean = (1 + 3 * undefined) / 4
    assert found.range("recall.macro") == (mean, mean, True)
    for name in ("recall[a]", "precision[b]", "kappa", "mcc"):
        assert found.range(name) == (undefined, undefined, True)


def test_results_are_data() -> None:
    found = infer({"accuracy": "0.93", "sensitivity": "0.91"}, positives="120", total=400)  # type: ignore[arg-type]
    data = json.loads(json.dumps(found.to_dict()))
    assert data["verdict"] == "many"
    assert data["ranges"]["mcc"]["low"] == pytest.approx(0.8257, abs=1e-4)
    assert "accuracy" not in data["ranges"]
    assert "recall" not in data["ranges"]
    assert "must be" in (found._repr_html_() or "")
    assert (
        infer({"accuracy": "0.93"}, positives=120, negatives=280).count
        == infer({"accuracy": "0.93", "total": "400"}, positives=120).count
    )


@pytest.mark.parametrize(
    ("claims", "options", "message"),
    [
        ({"accuracy": "0.9"}, {}, "how many items"),
        ({"accuracy": "0.9"}, {"positives": 5, "negatives": 5, "total": 11}, "do not fit together"),
        ({"accuracy": "0.9"}, {"total": 4.5}, "is a count of items"),
        ({"accurcy": "0.9"}, {"total": 4}, "did you mean"),
        ({"f1": "0.9"}, {"supports": {"a": 2, "b": 3, "c": 1}}, "has a value per class"),
        ({"accuracy": "0.9"}, {"supports": {"a": 2, "b": 3}, "total": 6}, "add up to 5"),
        (
            {"accuracy": "0.9"},
            {"supports": {"a": 2, "b": 3}, "positives": 2},
            "give `supports` alone",
        ),
        ({"accuracy": "nan"}, {"total": 4}, "claimed to have no value"),
        ("accuracy", {"total": 4}, "mapping"),
        ({"accuracy": "0.9"}, {"supports": [2, 3]}, "maps each class"),
        ({"accuracy": "0.9"}, {"total": 4, "undefined": "x"}, "0/0"),
        (
            {"caret:McnemarPValue": "0.5"},
            {"total": 4},
            "is no metric of margins, so tables cannot be found for it",
        ),
    ],
)
def test_what_is_refused(claims: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(cm.ConfmatError, match=message):
        infer(claims, **options)


def test_mlscorecheck_comes_to_the_same_verdicts() -> None:
    cases = json.loads((DATA / "mlscorecheck_verdicts.json").read_text(encoding="utf-8"))["cases"]
    differ = []
    for case in cases:
        found = infer(case["claims"], positives=case["positives"], total=case["total"])
        if (found.verdict == "none") != case["inconsistent"]:
            differ.append(case)
    # It lets 0/0 pass for any number, and now and then the next table over: what it names has other
    # scores.
    for case in differ:
        (tp, tn), p = case["evidence"], case["positives"]
        assert not fits(matrix(tp, p - tp, case["total"] - p - tn, tn), case["claims"], None)
    assert len(differ) < 10
    assert 0.2 < np.mean([case["inconsistent"] for case in cases]) < 0.8
