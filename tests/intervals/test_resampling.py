"""Drawn tables: a metric gives for them what it gives for the same tables as matrices."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.intervals import draws as draws_room
from confmat.intervals.draws import Draws
from confmat.metrics import Metric
from confmat.metrics.averages import AVERAGES

TABLE = np.array(
    [[50, 4, 2, 6, 1], [3, 25, 4, 2, 0], [1, 1, 9, 3, 2], [5, 2, 1, 0, 0], [1, 0, 1, 0, 0]]
)
OUTSIDE = cm.ConfusionMatrix(TABLE, labels=["a", "b", "c"], outside=["background", "(refused)"])
INSIDE = cm.ConfusionMatrix(TABLE, labels=list("abcde"))
# Metrics of each kind and need; that every metric gives for a stack what it gives for its matrices
# is a law.
NAMES = (
    "precision",
    "f1",
    "class_mcc",
    "class_confusion_entropy",
    "accuracy",
    "kappa",
    "mutual_information",
    "rand_index",
)


def ways(metric: Metric) -> list[dict[str, Any]]:
    """The values of all classes, and each mean that the metric has."""
    found: list[dict[str, Any]] = [{}]
    if metric.kind == "class":
        for name in AVERAGES:
            for undefined in ("fair", "skip"):
                try:
                    metric(INSIDE, average=name, undefined=undefined)
                except cm.MetricError:
                    continue
                found.append({"average": name, "undefined": undefined})
    return found


@pytest.mark.parametrize("outside", ["wrong", "exclude"])
@pytest.mark.parametrize("m", [OUTSIDE, INSIDE], ids=["outside", "inside"])
@pytest.mark.parametrize("name", NAMES)
def test_a_drawn_table_is_read_like_a_matrix(
    name: str, m: cm.ConfusionMatrix, outside: Any
) -> None:
    metric = cm.metric(name)
    assert isinstance(metric, Metric)
    draws = Draws.of(m, outside=outside, seed=1)
    (drawn,) = draws.chunks(5)
    for how in ways(metric):
        found = draws.values(partial(metric, **how), 5, metric)
        for place, counts in enumerate(drawn):
            # All labels outside are one row and column here, and stay as many as they were.
            table = np.zeros_like(TABLE)
            np.add.at(table, (draws.rows, draws.cols), counts.astype(int))
            expected = metric(cm.ConfusionMatrix(table, labels=m.labels), outside=outside, **how)
            ours = found[place, : m.n_classes] if np.ndim(expected) else found[place]
            np.testing.assert_allclose(
                ours, expected, rtol=1e-9, atol=1e-12, err_msg=f"{metric.name} {how}"
            )


@pytest.mark.parametrize("how", [{"posterior": True}, {"smoothed": True}])
def test_no_item_is_lost_where_several_labels_are_outside(how: Any) -> None:
    draws = Draws.of(OUTSIDE, seed=2, **how)
    # Items outside on both sides are seen by no score; an item more is spread, and scaled back in a
    # smoothed table.
    assert draws.counts.sum() == pytest.approx(TABLE.sum() + how.get("posterior", False))
    outside = draws.counts[(draws.rows == 0) & (draws.cols == 3)].sum()
    assert outside == pytest.approx(7, rel=0.01)


@pytest.mark.parametrize("method", ["bootstrap", "bayes"])
def test_every_class_has_the_ends_that_it_has_alone(method: Any) -> None:
    m = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    every = cm.interval(m, "f1", method=method)
    assert isinstance(every, cm.Estimates)
    for low, high, name in zip(every.low, every.high, m.labels, strict=True):
        alone = cm.interval(m, f"f1[{name}]", method=method)
        assert isinstance(alone, cm.Estimate)
        assert (low, high) == (alone.low, alone.high)


def test_drawing_that_takes_long_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    program = pytest.importorskip("confmat.cli.program", exc_type=ImportError)
    monkeypatch.setattr(draws_room, "_PATIENCE_SECONDS", -1.0)
    m = cm.ConfusionMatrix([[45, 5], [8, 38]])
    cm.interval(m, "accuracy", method="bootstrap", draws=50)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _self: True, raising=False)
    cm.interval(m, "accuracy", method="bootstrap", draws=50)
    assert capsys.readouterr().err == "\r\x1b[Kdrawing tables anew: 0%\r\x1b[K"
    # The command line has a line of its own, and is quiet on request.
    monkeypatch.setattr(
        program.cli,
        "main",
        lambda *_args, **_options: cm.interval(m, "accuracy", method="bootstrap"),
    )
    with pytest.raises(SystemExit):
        program.main([])
    assert capsys.readouterr().err == ""
