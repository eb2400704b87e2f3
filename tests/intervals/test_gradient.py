"""The gradient of every metric: against finite differences, against published closed forms, and its own laws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm
from confmat.intervals.gradient import NoSlopeError, share_of, slope
from confmat.intervals.variance import Share, Smoothing, cells_read, margins_read, seen_cells
from confmat.metrics.averages import average_named

Array = NDArray[np.float64]

# No two totals, hits or errors alike: on a tie a metric that compares has no derivative.
PLAIN = cm.ConfusionMatrix(
    [[42, 7, 3, 11], [5, 64, 9, 2], [13, 1, 29, 8], [6, 10, 4, 83]], labels=list("abcd")
)
OUTSIDE = cm.ConfusionMatrix(
    [[42, 7, 3, 11, 2], [5, 64, 9, 2, 8], [13, 1, 29, 8, 5], [6, 10, 4, 83, 1], [9, 4, 3, 1, 6]],
    labels=cm.Labels(list("abcd"), outside=("background",)),
)


def asked(metric: cm.Metric) -> list[dict[str, Any]]:
    if metric.kind == "matrix":
        return [{}]
    means = (
        "macro",
        "micro",
        "weighted",
        "weighted_predicted",
        "geometric",
        "harmonic",
        "min",
        "max",
    )
    return [{"of": "b"}, *({"average": mean, "undefined": "skip"} for mean in means)]


def differences(score: Callable[[cm.ConfusionMatrix], float], m: cm.ConfusionMatrix) -> Array:
    """The derivative by every cell from five points."""
    counts = m.counts.astype(float)
    found = np.zeros(counts.shape)
    step = 1e-3
    for place in np.ndindex(*counts.shape):
        values = []
        for steps in (2, 1, -1, -2):
            moved = counts.copy()
            moved[place] += steps * step
            values.append(score(cm.ConfusionMatrix(moved, labels=m.labels)))
        found[place] = (-values[0] + 8 * values[1] - 8 * values[2] + values[3]) / (12 * step)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(cm.catalog()))
def test_of_every_metric_and_mean_it_is_what_small_differences_say(name: str) -> None:
    metric = cm.metric(name)
    for m in (PLAIN, OUTSIDE):
        rows, cols, *_ = seen_cells(m, "wrong")
        # One of the means is enough to see that what is outside takes its part.
        for how in asked(metric)[: 2 if m is OUTSIDE else None]:
            try:
                value = metric(m, **how)
                found = slope(metric, m, **how)
            except NoSlopeError:
                assert not metric.smooth, how
                continue
            except cm.MetricError:
                continue
            wanted = differences(lambda near, how=how: metric(near, **how), m)[rows, cols]  # type: ignore[misc]
            size = np.abs(wanted).max() + 1e-5 * (1 + abs(value))
            assert found.value == pytest.approx(value, rel=1e-9, abs=1e-12)
            if metric.smooth:
                np.testing.assert_allclose(
                    found.at(rows, cols) / size, wanted / size, atol=1e-6, err_msg=str(how)
                )


def test_without_a_derivative_it_says_so() -> None:
    with pytest.raises(NoSlopeError, match="adjusted_mutual_information has no derivative"):
        slope(cm.adjusted_mutual_information, PLAIN)


def test_a_formula_of_ones_own_that_cannot_be_followed_is_stepped_through() -> None:
    @cm.metrics.of_matrix(title="Bent accuracy", bounds=(0, 1))
    def bent(m: Any) -> Any:
        """The tangent of the accuracy."""
        return np.tan(m.diagonal.sum(axis=-1) / m.total)

    accuracy = cm.accuracy(PLAIN)
    found, plain = slope(bent, PLAIN), slope(cm.accuracy, PLAIN)
    at = np.indices((4, 4)).reshape(2, -1)
    np.testing.assert_allclose(found.at(*at), plain.at(*at) / np.cos(accuracy) ** 2, rtol=1e-9)


def known_share(metric: cm.Metric, of: Any = None, average: str | None = None) -> Share | None:
    value = metric(PLAIN, of=of, average=average) if metric.kind == "class" else metric(PLAIN)
    how = None if average is None else average_named(average)
    return share_of(metric, PLAIN, float(value), of=of, average=how, outside="wrong")


@pytest.mark.parametrize(
    ("metric", "how"),
    [
        (cm.f1, {"of": "a"}),
        (cm.f1, {"average": "macro"}),
        (cm.recall, {"average": "macro"}),
        # Every item is a true negative of all classes but one or two.
        (cm.specificity, {"average": "micro"}),
        (cm.jaccard, {"average": "micro"}),
        (cm.kappa, {}),
        (cm.positive_likelihood_ratio, {"of": "a"}),
    ],
)
def test_what_only_looks_like_a_proportion_is_none(metric: cm.Metric, how: Any) -> None:
    assert known_share(metric, **how) is None


def test_one_item_is_spread_over_what_occurs_and_keeps_the_total() -> None:
    m = cm.ConfusionMatrix([[8, 0, 2], [0, 0, 0], [1, 0, 9]])
    spread = Smoothing.of(m)
    margins = margins_read(m, "wrong", "category", spread)
    assert margins.total == pytest.approx(20)
    np.testing.assert_allclose(margins.actual, [10.5 * 20 / 21, 0, 10.5 * 20 / 21])
    np.testing.assert_allclose(margins.predicted, [9.5 * 20 / 21, 0, 11.5 * 20 / 21])
    np.testing.assert_allclose(margins.diagonal, [8.25 * 20 / 21, 0, 9.25 * 20 / 21])
    cells = cells_read(m, "wrong", spread)
    np.testing.assert_allclose(cells.total, 20)
