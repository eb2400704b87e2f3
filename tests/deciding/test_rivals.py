"""Columns of scores compared: against pROC and all pairs of items, and what each door refuses."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.deciding.rivals import ScoreComparison

DATA = Path(__file__).parents[1] / "data" / "proc_reference.json"
PROC = json.loads(DATA.read_text(encoding="utf-8"))
ALL = ("roc_auc", "average_precision", "brier", "log_loss")


def compared(actual: Any, scores: Any, **options: Any) -> ScoreComparison:
    found = cm.compare_scores(actual, scores, **options)
    assert isinstance(found, ScoreComparison)
    return found


def models(seed: int = 0, n: int = 120, alike: float = 0.5) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    actual = rng.random(n) < 0.4
    common = rng.normal(actual)
    columns = {
        name: 1 / (1 + np.exp(-(alike * common + rng.normal(0.5 * actual))))
        for name in ("a", "b", "c")
    }
    return actual, columns


def tables(seed: int = 0, n: int = 200) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    codes = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    scores = [rng.dirichlet([1, 1, 1], n) + strength * np.eye(3)[codes] for strength in (0.3, 0.4)]
    return np.array(["x", "y", "z"])[codes], {"a": scores[0], "b": scores[1]}


def area(hits: Any, others: Any) -> float:
    return float(((hits[:, None] > others) + (hits[:, None] == others) / 2).mean())


# ---- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", PROC)
def test_delong_is_that_of_proc(case: dict[str, Any]) -> None:
    found = compared(case["y"], {"a": case["s1"], "b": case["s2"]}, method="delong")
    one = found.of("roc_auc")
    assert one.values == pytest.approx((case["auc1"], case["auc2"]), abs=1e-9)
    assert one.p_value == pytest.approx(case["p"], abs=1e-9)
    assert -one.difference / one.se == pytest.approx(case["z"], abs=1e-9)
    assert found.covariance[0, 0, 1, 0] == pytest.approx(case["cov"], abs=1e-12)
    assert tuple(found.estimates["a", "roc_auc"]) == pytest.approx(
        (case["ci1"][0], case["ci1"][2]), abs=1e-9
    )
    # With the gap's square over the rarer class, less is shown.
    assert (
        cm.compare_scores(case["y"], {"a": case["s1"], "b": case["s2"]}).of("roc_auc").p_value
        > one.p_value
    )


def test_estimates_are_those_of_sweeps() -> None:
    actual, scores = models()
    found = compared(actual, scores, metrics=("roc_auc", "average_precision"))
    for name, column in scores.items():
        for score in found.scores:
            one, two = (
                found.estimates[name, score],
                cm.interval(cm.thresholds(actual, column), score),
            )
            assert isinstance(two, cm.Estimate)
            assert (one.value, *one) == pytest.approx((two.value, *two))
            assert (one.method, one.name) == (two.method, two.name)
    alone = compared(actual, {"a": scores["a"]}, metrics=ALL)
    assert alone.models == ("a",)
    assert str(alone).splitlines()[0].split() == [
        "roc",
        "auc",
        "average",
        "precision",
        "brier",
        "log",
        "loss",
    ]
    chance = np.where(actual, scores["a"], 1 - scores["a"])
    assert alone.estimates["a", "brier"].value == pytest.approx(((1 - chance) ** 2).mean())
    assert alone.estimates["a", "log_loss"].value == pytest.approx(-np.log(chance).mean())
    assert alone.estimates["a", "brier"].se == pytest.approx(
        ((1 - chance) ** 2).std(ddof=1) / math.sqrt(120)
    )


def test_means_over_classes() -> None:
    actual, scores = tables()
    names = (
        "roc_auc.macro",
        "roc_auc.weighted",
        "roc_auc.ovo",
        "roc_auc[y]",
        "average_precision.macro",
    )
    found = compared(actual, scores, metrics=names)
    column, shares = scores["a"], [(actual == name).mean() for name in "xyz"]
    each = [
        area(column[actual == name, k], column[actual != name, k]) for k, name in enumerate("xyz")
    ]
    pairs = [
        area(column[actual == "xyz"[j], j], column[actual == "xyz"[k], j])
        for j, k in permutations(range(3), 2)
    ]
    wanted = [np.mean(each), np.dot(shares, each), np.mean(pairs), each[1]]
    for score, value in zip(names, wanted, strict=False):
        assert found.estimates["a", score].value == pytest.approx(value)
        assert value in found.estimates["a", score]
    swept = [cm.average_precision(cm.thresholds(actual, column, of=name)) for name in "xyz"]
    assert found.estimates["a", names[-1]].value == pytest.approx(np.mean(swept))


@pytest.mark.parametrize(
    "score", ["roc_auc", "roc_auc.weighted", "roc_auc.ovo", "average_precision.macro"]
)
def test_variances_are_those_of_samples_drawn_again(score: str) -> None:
    # The jackknife of a smooth score has the variance of its influences, but for the next order.
    actual, scores = tables(2) if "." in score else models(2)
    scores = {"a": scores["a"], "b": scores["b"]}

    def gap(kept: Any) -> float:
        some = {name: column[kept] for name, column in scores.items()}
        return compared(actual[kept], some, metrics=score).of(score).difference

    n = len(actual)
    gaps = np.array([gap(np.arange(n) != place) for place in range(n)])
    spread = (n - 1) / n * ((gaps - gaps.mean()) ** 2).sum()
    assert compared(actual, scores, metrics=score).of(score).se == pytest.approx(
        math.sqrt(spread), rel=0.05
    )


# ---- what must not matter ------------------------------------------------------------------------


def test_clusters_of_one_item_are_items_but_for_student() -> None:
    actual, scores = models(n=400)
    both = {"a": scores["a"], "b": scores["b"]}
    plain = compared(actual, both, metrics=ALL)
    alone = compared(actual, both, metrics=ALL, clusters=np.arange(400))
    for score in ALL:
        assert alone.of(score).se == pytest.approx(plain.of(score).se, rel=0.01)
    twice = compared(
        np.tile(actual, 2),
        {k: np.tile(v, 2) for k, v in both.items()},
        clusters=np.tile(np.arange(400), 2),
    )
    # Items that come twice in a cluster tell no more than once.
    assert twice.of("roc_auc").se == pytest.approx(alone.of("roc_auc").se)
    assert twice.estimates["a", "roc_auc"].width == pytest.approx(
        alone.estimates["a", "roc_auc"].width, rel=0.02
    )
    assert "400 clusters" in twice.design
    assert twice.of("roc_auc").items == 400


def test_it_is_a_comparison() -> None:
    actual, scores = models(3)
    scores["d"] = scores["a"].copy()
    found = compared(actual, scores, metrics=ALL)
    ranking = found.ranking("brier")
    assert [one.value for one in ranking.estimates] == sorted(
        one.value for one in ranking.estimates
    )
    assert found.ranking("roc_auc", one="a").of("a").low <= found.ranking("roc_auc").of("a").high
    ratio = found.ratio("roc_auc", "a", "b")
    assert ratio.value == pytest.approx(
        found.estimates["b", "roc_auc"].value / found.estimates["a", "roc_auc"].value
    )
    assert ratio.low < ratio.value < ratio.high
    same = found.of("roc_auc", "a", "d")
    assert (same.difference, same.p_value) == (0, 1)
    assert same.low < 0 < same.high
    assert same.no_worse(0.2) == "no worse"
    assert found.of("log_loss", "a", "d").high == math.inf
    assert set(found.overall) == set(ALL)
    data = json.loads(json.dumps(found.to_dict()))
    assert data["estimates"]["roc_auc"]["a"]["value"] == pytest.approx(
        cm.roc_auc(cm.thresholds(actual, scores["a"]))
    )
    assert len(found.table().to("csv").splitlines()) == 1 + 4 * 6


def test_perfect_and_useless_scores_have_bounds() -> None:
    actual = np.repeat([0, 1], 30)
    found = compared(actual, {"perfect": np.arange(60), "useless": np.zeros(60)})
    one = found.of("roc_auc")
    assert (one.difference, one.verdict) == (-0.5, "different")
    assert found.estimates["perfect", "roc_auc"].low < 1
    assert one.low < -0.5 or one.se > 0


# ---- doors ---------------------------------------------------------------------------------------


def test_missing_items_are_left_out_for_all() -> None:
    truth, columns = models(4)
    holes = columns["a"].copy()
    holes[[3, 5]] = np.nan
    with pytest.raises(cm.InputError, match=r"NaN in 2 of 120 rows.*in the scores of a"):
        cm.compare_scores(truth, columns | {"a": holes})
    dropped = compared(truth, columns | {"a": holes}, missing="drop")
    kept = ~np.isnan(holes)
    np.testing.assert_allclose(
        dropped.values,
        compared(truth[kept], {name: column[kept] for name, column in columns.items()}).values,
    )
    named = compared(np.where(truth, "sick", "well"), columns, positive="sick")
    np.testing.assert_allclose(named.values, compared(truth, columns).values)
    other = compared(np.where(truth, "sick", "well"), columns, positive="well")
    np.testing.assert_allclose(other.values, 1 - named.values)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda y, s: cm.compare_scores(y, s["a"]),
            "`scores` is a mapping of models to their scores",
        ),
        (
            lambda y, s: cm.compare_scores(y, s, metrics="f1"),
            "`metrics` are roc_auc, average_precision, brier",
        ),
        (lambda y, s: cm.compare_scores(y, s, metrics="brier.macro"), "leave macro out"),
        (
            lambda y, s: cm.compare_scores(y, s, metrics="roc_auc.macro"),
            "give a column of scores for each class",
        ),
        (
            lambda y, s: cm.compare_scores(y, {"a": 2 * s["a"]}, metrics="brier"),
            "is of probabilities from 0 to 1",
        ),
        (
            lambda y, s: cm.compare_scores(y, s, method="delong", metrics="brier"),
            "is of roc_auc alone",
        ),
        (
            lambda y, s: cm.compare_scores(y, s).of("brier", "a", "b"),
            "compared by 'roc_auc', not by brier",
        ),
        (lambda y, s: cm.compare_scores(y, {"a": s["a"]}).of("roc_auc"), "'a' is the only one"),
    ],
)
def test_each_door_refuses(ask: Callable[[Any, Any], Any], said: str) -> None:
    with pytest.raises(cm.ConfmatError, match=said):
        ask(*models())


def test_what_asks_for_answers_is_refused() -> None:
    found = compared(*models())
    assert str(pickle.loads(pickle.dumps(found))) == str(found)
    assert cm.summary(found) == " ".join(found.sentences())
    with pytest.raises(cm.InputError, match="have no cells and no classes"):
        found.cells(5, "a", "b")
    with pytest.raises(cm.InputError, match="have no cells and no classes"):
        found.classes("f1", "a", "b")
    with pytest.raises(
        cm.LabelError, match=r"say roc_auc.macro, the mean over classes, or roc_auc\[x\]"
    ):
        cm.compare_scores(*tables())
    actual, columns = tables()
    chances = {name: table / table.sum(axis=1, keepdims=True) for name, table in columns.items()}
    with pytest.raises(cm.InputError, match=r"no probabilities: row 0 adds up to"):
        cm.compare_scores(actual, {"a": 0.9 * chances["a"]}, metrics="log_loss")
    with pytest.raises(cm.InputError, match=r"leave \[x\] out"):
        cm.compare_scores(actual, chances, metrics="brier[x]")


def test_losses_of_a_table_are_those_of_all_classes_at_once() -> None:
    """The sum of squares over classes (Brier, 1950), which is twice that of one class where there are two."""
    actual, columns = tables()
    chances = {name: table / table.sum(axis=1, keepdims=True) for name, table in columns.items()}
    found = cm.compare_scores(actual, chances, metrics=["brier", "log_loss"])
    right = actual[:, None] == np.unique(actual)
    for name, table in chances.items():
        squares, logs = ((table - right) ** 2).sum(axis=1), -np.log(table[right])
        for score, lost in (("brier", squares), ("log_loss", logs)):
            one = found.estimates[name, score]
            assert one.value == pytest.approx(lost.mean(), rel=1e-12)
            assert one.se == pytest.approx(lost.std(ddof=1) / math.sqrt(len(lost)), rel=1e-9)
            assert one.low < one.value < one.high
        halves = cm.compare_scores(
            actual == "x", {"a": np.column_stack([1 - table[:, 0], table[:, 0]])}, metrics="brier"
        )
        one_side = ((table[:, 0] - right[:, 0]) ** 2).mean()
        assert halves.estimates["a", "brier"].value == pytest.approx(one_side, rel=1e-12)
    with pytest.raises(cm.InputError, match="no probabilities"):
        cm.compare_scores(actual == "x", {"a": chances["a"][:, :2]}, metrics="brier")
    # Losses that are all alike say nothing of how far others are off.
    for table in (right.astype(float), np.full((200, 3), 1 / 3)):
        alone: Any = cm.compare_scores(actual, {"a": table}, metrics="log_loss")
        assert math.isnan(alone.estimates["a", "log_loss"].low)
    gap = found.of("brier")
    both = [((table - right) ** 2).sum(axis=1) for table in chances.values()]
    assert gap.difference == pytest.approx((both[1] - both[0]).mean(), rel=1e-9)
    # Models that are all wrong, and sure of it, lose 2 for each item, as all models may.
    wrong = np.roll(right, 1, axis=1).astype(float)
    worst: Any = cm.compare_scores(actual, {"a": wrong, "b": wrong}, metrics="brier")
    assert worst.estimates["a", "brier"].value == worst.estimates["a", "brier"].high == 2
    alike = cm.compare_scores(actual == "x", {"a": wrong[:, 0], "b": wrong[:, 0]}, metrics="brier")
    assert worst.of("brier").high == pytest.approx(2 * alike.of("brier").high)


def test_values_that_are_not_there_are_said() -> None:
    found = compared([1, 1, 1], {"a": [0.5, 0.2, 0.1], "b": [0.4, 0.2, 0.9]}, labels=[0, 1])
    assert "does not occur" in found.estimates["a", "roc_auc"].note
    assert found.of("roc_auc").verdict == "not comparable"
    wrong = compared(
        [1, 0, 1, 0], {"a": [0.0, 0.5, 1, 0.2], "b": [0.4, 0.2, 0.9, 0.1]}, metrics="log_loss"
    )
    assert wrong.estimates["a", "log_loss"].value == math.inf
    assert wrong.of("log_loss").verdict == "not comparable"
    # Precision needs no negatives, and one cluster tells nothing.
    alone = compared([1, 1, 1], {"a": [0.5, 0.2, 0.1]}, metrics="average_precision", labels=[0, 1])
    swept = cm.interval(
        cm.thresholds([1, 1, 1], [0.5, 0.2, 0.1], labels=[0, 1]), "average_precision"
    )
    assert tuple(alone.estimates["a", "average_precision"]) == pytest.approx(tuple(swept))
    assert math.isnan(
        compared(*models(), clusters=[1] * len(models()[0])).of("roc_auc", "a", "b").p_value
    )
    empty = compared(
        [], {"a": [], "b": []}, metrics=["roc_auc", "brier", "log_loss"], labels=[0, 1]
    )
    assert math.isnan(empty.estimates["a", "brier"].value)
    few = compared([1, 0, 0, 0], {"a": [0.5, 0.2, 0.1, 0.6]})
    assert math.isnan(few.estimates["a", "roc_auc"].low)


def test_the_plain_test_of_delong_says_nothing_of_a_class_of_one_item() -> None:
    one = compared([0, 0, 0, 1], {"a": [1, 2, 3, 4], "b": [2, 3, 4, 1]}, method="delong")
    assert math.isnan(one.of("roc_auc").p_value)
    assert math.isnan(one.of("roc_auc").low)
    assert one.of("roc_auc").verdict == "not comparable"


def test_one_cluster_is_one_and_a_rate_is_any_number() -> None:
    y, s = [0, 1, 0, 1], [0.1, 0.4, 0.3, 0.9]
    found = cm.compare_scores(y, {"a": s, "b": s[::-1]}, clusters=[0, 0, 0, 0])
    assert "by cluster, 1 cluster," in f"{found.design},"
    t = cm.thresholds(y, s)
    assert cm.roc_auc(t, max_fpr=np.float32(0.5)) == cm.roc_auc(t, max_fpr=0.5)  # type: ignore[arg-type]
