"""One quantity has one interval: a score that is a monotone function of another has its bounds on its own scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.intervals import Estimate, Estimates, interval

TABLES = {
    "rare": cm.ConfusionMatrix([[181, 9], [0, 10]], labels=["well", "sick"]),
    "filled": cm.ConfusionMatrix([[20, 5], [4, 16]], labels=["well", "sick"]),
    "three": cm.ConfusionMatrix(
        [[30, 4, 2], [5, 9, 6], [1, 0, 3]], labels=["cold", "well", "sick"]
    ),
}
METRICS = {**cm.catalog(), "tversky(2, 2)": cm.metrics.tversky(2, 2)}
METRICS |= {
    f"{make.name}": make(0.1)
    for make in (cm.metrics.precision_at, cm.metrics.negative_predictive_value_at)
}


def ends(*args: Any, **options: Any) -> tuple[float, float]:
    one = interval(*args, **options)
    assert isinstance(one, Estimate)
    return one.low, one.high


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.function_of])
def test_a_declared_function_gives_the_values(name: str) -> None:
    metric = METRICS[name]
    assert metric.function_of is not None
    source, function = metric.function_of
    for m in TABLES.values():
        how = {"k": m.n_classes} if metric.kind == "matrix" and metric.depends_on_k else {}
        with np.errstate(divide="ignore"):
            values, wanted = metric(m), np.asarray(function(cm.catalog()[source](m), **how))
        known = np.isfinite(wanted)
        np.testing.assert_allclose(np.asarray(values)[known], wanted[known], rtol=1e-12)


def test_a_lift_cannot_pass_what_precision_allows() -> None:
    m = cm.ConfusionMatrix([[20, 0], [4, 16]], labels=["well", "sick"])
    low, high = ends(m, "lift[sick]", design="actual")
    assert low < 1.7
    assert high <= 2


@pytest.mark.parametrize(
    "name",
    [
        "f1",
        "canberra",
        "informedness",
        "markedness",
        "lift",
        "false_negative_rate",
        "class_kappa",
        "precision",
        "recall",
        "class_mcc",
        "jaccard",
        "lr+",
        "lr-",
        "dor",
        "log_odds_ratio",
        "class_confusion_entropy",
    ],
)
@pytest.mark.parametrize("design", ["multinomial", "actual", "predicted"])  # fmt: skip
def test_every_class_has_the_interval_that_it_has_alone(name: str, design: Any) -> None:
    m = cm.ConfusionMatrix([[30, 4, 2], [5, 9, 6], [0, 0, 3]], labels=["cold", "well", "sick"])
    every = interval(m, name, design=design)
    assert isinstance(every, Estimates)
    for label, together in zip(m.labels, every, strict=True):
        alone = interval(m, name, of=label, design=design)
        assert isinstance(alone, Estimate)
        assert (together.low, together.high, together.se, together.n_eff) == pytest.approx(
            (alone.low, alone.high, alone.se, alone.n_eff), rel=1e-5, nan_ok=True
        )


@pytest.mark.parametrize("labels", [["x", "z"], ["x", "z", "w"]])
@pytest.mark.parametrize("right", [10, 8, 0])
@pytest.mark.parametrize("clusters", [None, list("aabbccddee")])
def test_a_mean_over_the_only_class_that_occurs_is_its_score(
    labels: Any, right: int, clusters: Any
) -> None:
    m: Any = cm.count(
        ["x"] * 10, ["x"] * right + ["z"] * (10 - right), labels=labels, clusters=clusters
    )
    for score in ("recall", "precision", "f1", "jaccard"):
        wanted: Any = cm.interval(m, f"{score}[x]")
        means = [
            f"{score}.macro",
            f"{score}.weighted",
            *(["accuracy", "balanced_accuracy"] * (score == "recall")),
        ]
        for mean in (
            means
            if right
            else ["recall.macro", "balanced_accuracy", "accuracy"] * (score == "recall")
        ):
            found: Any = cm.interval(m, mean)
            assert [*found] == pytest.approx([*wanted]), mean


def test_adjusted_information_of_clusters_has_the_interval_of_what_it_comes_to() -> None:
    y, a = np.random.default_rng(0).choice(5, (2, 200))
    for answers in (a, np.where(np.arange(200) % 3, y, a)):
        m = cm.count(y, answers, clusters=np.repeat(range(40), 5), labels=range(5))
        ami: Any = cm.interval(m, "ami")
        v_measure: Any = cm.interval(m, "v_measure")
        assert ami.note == v_measure.note
        assert [*ami][1] == pytest.approx([*v_measure][1])
        assert 0 in ami


@pytest.mark.parametrize("method", ["wilson", "exact", "score", "wald", "bayes", "anytime"])
def test_a_cell_of_two_classes_is_what_recall_leaves(method: Any) -> None:
    m = TABLES["rare"]
    one, other = (
        interval(m, "taken_for(well,sick)", method=method),
        interval(m, "recall[well]", method=method),
    )
    assert (one.low, one.high) == pytest.approx(
        (1 - other.high, 1 - other.low), abs=1e-3 if method == "bayes" else 1e-9
    )
    assert interval(TABLES["three"], "taken_for(cold,sick)", method=method).high < 0.5
