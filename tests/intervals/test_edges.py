"""Every metric at the edges: whatever the matrix, an interval holds its value, keeps its bounds, and never warns."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.intervals import Estimate, Estimates, interval
from confmat.intervals.asked import ask
from confmat.intervals.door import estimate
from confmat.metrics.arithmetic import ratio

OUTSIDE = cm.Labels(list("ab"), outside=("background",))


def weighed(*weights: float) -> cm.ConfusionMatrix:
    return cm.count([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], weights=weights)


MATRICES: dict[str, cm.ConfusionMatrix] = {
    "perfect": cm.ConfusionMatrix(np.diag([190, 5, 5])),
    "all wrong": cm.ConfusionMatrix([[0, 5], [7, 0]]),
    "empty": cm.ConfusionMatrix(np.zeros((2, 2), int)),
    "one class": cm.ConfusionMatrix([[7]]),
    "one item": cm.ConfusionMatrix([[1, 0], [0, 0]]),
    "one answer": cm.ConfusionMatrix([[10, 0], [5, 0]]),
    "never predicted": cm.ConfusionMatrix([[5, 2, 0], [3, 9, 0], [1, 1, 0]]),
    "never occurs": cm.ConfusionMatrix([[5, 2, 1], [3, 9, 2], [0, 0, 0]]),
    "unrelated": cm.ConfusionMatrix([[25, 25], [25, 25]]),
    "beyond floats": cm.ConfusionMatrix([[2**61, 1], [1, 2**61]]),
    "huge": cm.ConfusionMatrix([[2**53 + 1, 2**40], [3, 2**53 + 7]]),
    "outside": cm.ConfusionMatrix([[42, 7, 2], [5, 64, 8], [9, 4, 6]], labels=OUTSIDE),
    "outside alone": cm.ConfusionMatrix([[0, 0, 5], [0, 0, 3], [2, 1, 0]], labels=OUTSIDE),
    "tiny weights": weighed(1e-300, 2e-300, 1e-300, 3e-300, 1e-300),
    "large weights": weighed(1e300, 2e300, 1e300, 3e300, 1e300),
    "weights far apart": weighed(1e-300, 2, 1e300, 3, 1e-5),
    "shares": cm.ConfusionMatrix([[0.2, 0.1], [0.3, 0.4]]),
}


def found(metric: cm.Metric, m: cm.ConfusionMatrix, **how: Any) -> list[Estimate]:
    try:
        one = estimate(ask(m, metric, draws=40, **how), m)
    except cm.MetricError:
        return []
    assert str(one)
    return list(one) if isinstance(one, Estimates) else [one]


def check(one: Estimate, metric: cm.Metric, name: str, *, holds: bool = True) -> None:
    if math.isnan(one.value):
        # Odds over nothing have a bound on one side.
        assert math.isnan(one.low) or math.isinf(one.low) or math.isinf(one.high), name
        assert one.note, name
        return
    least, most = (
        math.inf * sign if end is None else end
        for end, sign in zip(metric.bounds, (-1, 1), strict=True)
    )
    # A value may be the last digit off its own bound, and then its interval holds it nevertheless.
    slack = 4e-16 * max(1.0, abs(one.value)) if math.isfinite(one.value) else 0.0
    if not least - slack <= one.value <= most + slack:
        # Only a score that counts items leaves its bounds, of weights that are less than an item in
        # all.
        assert not metric.scale_free, (name, one)
        assert one.note, (name, one)
        return
    assert least - slack <= one.low <= one.high <= most + slack, (name, one)
    assert not holds or one.low <= one.value <= one.high, (name, one)


@pytest.mark.slow
@pytest.mark.parametrize("of", MATRICES)
def test_of_every_metric(of: str) -> None:
    means = (None, "macro", "micro", "min", "harmonic")
    for average in (
        means
        if of in {"never predicted", "weights far apart", "outside", "outside alone"}
        else means[:2]
    ):
        every_metric(MATRICES[of], average)


def every_metric(m: cm.ConfusionMatrix, average: str | None) -> None:
    for name, metric in cm.catalog().items():
        if average is not None and metric.kind == "matrix":
            continue
        for outside in ("wrong", "exclude") if m.labels.outside else ("wrong",):
            for one in found(metric, m, average=average, outside=outside):
                check(one, metric, name)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["exact", "score", "wald", "bootstrap", "bayes"])
@pytest.mark.parametrize("design", ["multinomial", "actual", "predicted"])
def test_of_every_method_and_design(method: Any, design: Any) -> None:
    for of in ("perfect", "never predicted", "one answer", "unrelated", "outside"):
        for name in (
            "accuracy",
            "f1",
            "mcc",
            "mutual_information",
            "positive_likelihood_ratio",
            "precision_gain",
        ):
            metric = cm.metric(name)
            assert isinstance(metric, cm.Metric)
            for one in found(metric, MATRICES[of], method=method, design=design):
                check(one, metric, f"{name} {of}", holds=method not in {"bootstrap", "bayes"})


def test_a_score_at_its_own_extreme_is_not_certain() -> None:
    """Where rows are alike the derivative of some scores is 0, so tables are drawn."""
    one = interval(MATRICES["unrelated"], "expected_accuracy")
    assert isinstance(one, Estimate)
    assert one.width > 0.005
    assert "derivative is zero" in one.note
    every = estimate(ask(MATRICES["unrelated"], "doolittle"), MATRICES["unrelated"])
    assert isinstance(every, Estimates)
    assert every.high.min() > 0
    # A score that cannot move has no width, however many tables are drawn.
    given = interval(MATRICES["perfect"], "prevalence", of=0, design="actual")
    assert isinstance(given, Estimate)
    assert given.width == 0


def test_weights_are_alike_on_every_scale() -> None:
    weights = np.array([0.5, 1.5, 1.0, 3.0, 1.0])
    plain = weighed(*weights)
    for score in ("f1.macro", "mcc", "accuracy", "recall[1]"):
        wanted = interval(plain, score)
        for scale in (1e-140, 1e140):
            one = interval(weighed(*(scale * weights)), score)
            assert isinstance(one, Estimate)
            assert isinstance(wanted, Estimate)
            assert (one.low, one.high) == pytest.approx((wanted.low, wanted.high), rel=1e-9)
            assert one.note == wanted.note
    for of in ("large weights", "shares"):
        one = interval(MATRICES[of], "accuracy")
        assert isinstance(one, Estimate)
        assert "squares of its weights are not known" in one.note


def test_a_curve_has_no_interval() -> None:
    t = cm.thresholds([1, 0, 1], [0.1, 0.2, 0.9])
    with pytest.raises(
        cm.InputError, match=r"confmat\.roc\(t\) is a function of a whole sweep .* at one threshold"
    ):
        interval(t, cm.roc)
    assert interval(t[0.2], "accuracy").value == cm.accuracy(t[0.2])


@pytest.mark.slow
def test_a_hundred_thousand_classes_take_their_filled_cells() -> None:
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 100_000, 150_000)
    predicted = np.where(rng.random(150_000) < 0.8, actual, rng.integers(0, 100_000, 150_000))
    m = cm.count(actual, predicted)
    tracemalloc.start()
    for score in ("f1.macro", "mcc", "recall", "mutual_information"):
        interval(m, score)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A square of so many classes would take 75 GB.
    assert peak < 150e6
    with pytest.raises(cm.InputError, match="a number for each cell"):
        interval(m, "f1.macro", method="bayes")
    with pytest.raises(cm.InputError, match="name one at a time"):
        interval(m, "class_confusion_entropy")
    with pytest.raises(cm.InputError, match="too many to keep"):
        interval(m, "recall", method="bootstrap")


# --- metrics of somebody's own --------------------------------------------------------------------


def own(formula: Callable[[cm.Cells], Any]) -> cm.Metric:
    return cm.metrics.of_class(title="My own", bounds=(0, 1))(formula)


def plain_numpy(c: cm.Cells) -> Any:
    """Written with functions that no derivative is known of, but for complex numbers."""
    return np.tanh(np.arctanh(np.divide(c.tp, c.tp + c.fn + 1)))


def with_a_kink(c: cm.Cells) -> Any:
    """Complex numbers have a size, too, and its derivative is another."""
    return 1 - np.abs(ratio(c.fp - c.fn, c.fp + c.fn + c.tp))


def by_table(c: cm.Cells) -> Any:
    """Takes Python numbers of one table at a time."""
    return np.array(
        [float(tp) / (1 + float(fp) + float(tp)) for tp, fp in zip(c.tp, c.fp, strict=True)]
    )


@pytest.mark.slow
@pytest.mark.parametrize("formula", [plain_numpy, with_a_kink, by_table])
def test_of_a_metric_of_ones_own(formula: Any) -> None:
    m = cm.ConfusionMatrix([[45, 5, 3], [8, 38, 4], [2, 6, 40]])
    metric = own(formula)
    rng = np.random.default_rng(0)
    drawn = [
        cm.ConfusionMatrix(part.reshape(3, 3))
        for part in rng.multinomial(151, m.counts.ravel() / 151, 600)
    ]
    for how in ({"average": "macro"}, {"of": 1}):
        one = interval(m, metric, draws=1000, **how)
        assert isinstance(one, Estimate)
        spread = np.std([metric(each, **how) for each in drawn])
        assert one.se == pytest.approx(spread, rel=0.12)
        assert one.low < one.value < one.high
    every = interval(m, metric, draws=500)
    assert isinstance(every, Estimates)
    assert ("nothing is drawn" in every[0].note) is (formula is plain_numpy)


def test_a_mean_without_a_class_names_it() -> None:
    m = cm.ConfusionMatrix([[190, 10, 0], [3, 40, 1], [0, 0, 0]], ["well", "ill", "sick"])
    said = "a mean over 2 of 3 classes; 'sick' never occurs"
    for score in (
        "f1.macro",
        "precision.min",
        "recall.geometric",
        "balanced_accuracy",
        "multiclass_g_mean",
    ):
        assert interval(m, score).note == said, score  # type: ignore[union-attr]
    for score in ("f1.weighted", "f1.micro", "accuracy", "recall[well]"):
        assert not interval(m, score).note, score  # type: ignore[union-attr]
    for weights, note in (([1, 1, 0], ""), ([1, 1, 1], said)):
        assert interval(m, "f1", weights=weights).note == note  # type: ignore[union-attr]
    clusters = cm.Stack({"a": m, "b": m + m}, axis="patient")
    assert said in interval(clusters, "f1.macro").note
    # Skipped is what has no value; who counts an absent class as 0 leaves none out.
    assert interval(m, "recall.macro", undefined="skip").note == said
    assert not interval(m, "precision.macro", undefined="skip").note
    assert not interval(m, "recall.macro", undefined=0.0).note


@pytest.mark.parametrize(
    "score", ["variation_of_information", "conditional_entropy", "reference_entropy_given_response"]
)
def test_a_value_that_is_rounding_alone_stands_at_its_end(score: str) -> None:
    highs = []
    for first, second in ((22, 6), (23, 6), (24, 6), (25, 6)):
        found = interval(cm.ConfusionMatrix([[first, 0], [0, second]]), score)
        assert isinstance(found, Estimate)
        assert abs(found.low) <= 1e-12
        highs.append(found.high)
    assert 0.3 < highs[-1] <= max(highs) == highs[0]
    assert highs == sorted(highs, reverse=True)
