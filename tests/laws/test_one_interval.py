"""One quantity has one interval: scores that order all tables of two classes alike have bounds at the same place.

Nothing is declared here. Every score of the catalog is evaluated on all tables of 24 items without
an empty cell; the scores that rank them alike, or the other way round, are functions of each other,
and so must their bounds be.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm
from confmat.core.labels import Labels
from confmat.core.stack import Stack
from confmat.metrics.averages import average_named

Array = NDArray[np.float64]
ITEMS = 24
LABELS = Labels(("well", "sick"), positive="sick")
TABLES = ([[18, 1], [2, 3]], [[9, 3], [2, 10]], [[17, 0], [2, 5]], [[20, 1], [2, 1]])
# They are phi squared of two classes alone, of which the noncentral chi-squared knows more near
# independence.
OF_ASSOCIATION = {"goodman_kruskal_tau", "doolittle"}


def all_tables() -> Stack:
    parts = np.array(list(itertools.combinations(range(1, ITEMS), 3)))
    edges = np.hstack([np.zeros((len(parts), 1), int), parts, np.full((len(parts), 1), ITEMS)])
    tables = np.diff(edges, axis=1).reshape(-1, 2, 2)
    return Stack._of_table(
        tables, LABELS, tuple(range(len(tables))), tables.sum(axis=(1, 2)), "model"
    )


def values_of_all() -> dict[str, Array]:
    """The values of every score that has a derivative: of the whole table, of a class, and its means."""
    stack, found = all_tables(), {}
    for name, metric in cm.catalog().items():
        if not metric.smooth or name in OF_ASSOCIATION:
            continue
        spelt: dict[str, Any] = {name: {}}
        if metric.kind == "class":
            means = [how for how in ("macro", "weighted", "micro") if metric.fair]
            spelt = {f"{name}[sick]": {"of": "sick"}} | {
                f"{name}.{how}": {"average": average_named(how)} for how in means
            }
        for score, how in spelt.items():
            try:
                values = np.asarray(metric(stack, **how), dtype=np.float64)
            except cm.ConfmatError:
                continue
            if np.isfinite(values).all() and np.ptp(values) > 1e-9:
                found[score] = values
    return found


def ranks(values: Array) -> NDArray[np.intp]:
    return np.unique(np.round(values, 9), return_inverse=True)[1]


def equal_quantities() -> list[list[tuple[str, int]]]:
    """The scores that are functions of each other, each with its direction."""
    groups: dict[bytes, list[tuple[str, int]]] = defaultdict(list)
    for score, values in values_of_all().items():
        up = ranks(values)
        down = up.max() - up
        way = 1 if tuple(up[:9]) + tuple(up) >= tuple(down[:9]) + tuple(down) else -1
        groups[(up if way == 1 else down).tobytes()].append((score, way))
    return [group for group in groups.values() if len(group) > 1]


def places(values: Array, way: int, estimate: Any) -> tuple[float, float]:
    """The shares of all tables whose score is below the lower and below the upper bound."""
    slack = 1e-5 * np.maximum(np.abs([estimate.low, estimate.high]), 1e-3)
    slack[~np.isfinite(slack)] = 0
    low, high = (
        (values < estimate.low - slack[0]).mean(),
        (values <= estimate.high + slack[1]).mean(),
    )
    return (float(low), float(high)) if way == 1 else (float(1 - high), float(1 - low))


def is_of_fewer(m: cm.ConfusionMatrix, score: str) -> bool:
    """Whether a mean leaves out a class that has no value in this table, so that it is another quantity here."""
    name, _, how = score.partition(".")
    metric = cm.metric(name.partition("[")[0])
    return how in {"macro", "weighted"} and bool(np.isnan(metric.per_class(m)).any())


def test_the_law_finds_equalities_that_are_known() -> None:
    groups = [{score for score, _ in group} for group in equal_quantities()]
    for pair in (
        {"kappa", "weighted_kappa_linear", "weighted_kappa_quadratic"},
        {"mcc", "kendall_tau_b"},
        {"f1[sick]", "jaccard[sick]"},
        {"balanced_accuracy", "informedness[sick]", "recall.macro", "specificity.macro"},
        {"error_rate", "accuracy", "pabak"},
        {"yule_q[sick]", "diagnostic_odds_ratio[sick]"},
    ):
        assert any(pair <= group for group in groups), pair


@pytest.mark.slow
@pytest.mark.parametrize("counts", TABLES, ids=str)
def test_scores_that_order_all_tables_alike_have_bounds_at_the_same_place(counts: Any) -> None:
    m, values, off = cm.ConfusionMatrix(counts, LABELS), values_of_all(), []
    for group in equal_quantities():
        found = {}
        for score, way in group:
            estimate: Any = cm.interval(m, score)
            if not np.isnan(estimate.low) and not is_of_fewer(m, score):
                found[score] = places(values[score], way, estimate)
        if found and np.ptp(list(found.values()), axis=0).max() > 0.01:
            off.append(found)
    assert not off


def small_tables(number: int) -> list[cm.ConfusionMatrix]:
    """Tables of two to four classes with few items, some without an item of a class, or without an answer."""
    rng, found = np.random.default_rng(30), []
    for _ in range(number):
        size = int(rng.integers(2, 5))
        shares = rng.dirichlet(np.full(size * size, rng.choice([0.1, 0.5, 1.0])))
        found.append(
            cm.ConfusionMatrix(rng.multinomial(rng.integers(1, 40), shares).reshape(size, size))
        )
    return found


def check_bounds(metric: cm.Metric, m: cm.ConfusionMatrix) -> None:
    least, most = metric.bounds
    with np.errstate(all="ignore"):
        found: Any = cm.interval(m, metric)
    value, low, high = (
        np.atleast_1d(np.asarray(getattr(found, part), float)) for part in ("value", "low", "high")
    )
    known = ~np.isnan(low)
    assert (np.isnan(low) == np.isnan(high)).all(), (metric.name, m.counts)
    assert not (known & (low > high)).any(), (metric.name, m.counts)
    inside = ~known | (np.isnan(value) | ((low <= value) & (value <= high)))
    assert inside.all(), (metric.name, m.counts, value, low, high)
    assert least is None or not (low[known] < least).any(), (metric.name, m.counts, low)
    assert most is None or not (high[known] > most).any(), (metric.name, m.counts, high)


METRICS = [metric for metric in cm.catalog().values() if isinstance(metric, cm.Metric)]


@pytest.mark.parametrize(
    ("smooth", "other"),
    [
        pytest.param(8, 3, marks=pytest.mark.slow),
        pytest.param(500, 40, marks=pytest.mark.nightly),
    ],
)
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_no_bound_lies_outside_the_range_of_its_score(
    metric: cm.Metric, smooth: int, other: int
) -> None:
    for m in small_tables(smooth if metric.smooth else other):
        check_bounds(metric, m)
