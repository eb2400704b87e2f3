"""Reports with intervals: every number has its own, in print and as data."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import confmat as cm
from tests.animals import ANIMALS as HENS


def test_each_number_has_the_interval_it_would_have_alone() -> None:
    found = cm.report(HENS, intervals=True)
    assert found.intervals is not None
    for row, label in enumerate(HENS.labels):
        for metric, bounds in zip(found.metrics, found.intervals.of_row(row), strict=True):
            alone: Any = cm.interval(HENS, metric, of=label)
            assert bounds == pytest.approx((alone.low, alone.high))
    for mean in ("macro", "weighted"):
        for metric, bounds in zip(found.metrics, found.intervals.of_row(mean), strict=True):
            alone = cm.interval(HENS, metric, average=mean)
            assert bounds == pytest.approx((alone.low, alone.high))
    for name, bounds in found.intervals.overall.items():
        alone = cm.interval(HENS, name)
        assert bounds == pytest.approx((alone.low, alone.high))


def test_it_prints_beside_the_number() -> None:
    printed = str(cm.report(HENS, ["recall"], intervals=True))
    assert "Cat       0.667 [0.300, 0.903]        6" in printed
    assert "0.95 confidence" in printed
    assert "0.480 [0.300, 0.665]" in printed
    assert "\\[0.300, 0.903\\]" in cm.report(HENS, ["recall"], intervals=True).to_markdown()
    assert "[" not in str(cm.report(HENS))


def test_it_travels() -> None:
    found = cm.report(HENS, ["recall", "mcc"], intervals=0.8)
    data = found.to_dict()["intervals"]
    assert data["level"] == 0.8
    assert data["classes"]["Cat"]["recall"][0] < 4 / 6 < data["classes"]["Cat"]["recall"][1]
    json.dumps(data)
    head, *rows = found.to_csv().splitlines()
    assert head == "row,name,recall,recall_low,recall_high,support"
    assert all(len(row.split(",")) == 6 for row in rows)
    overall = rows[-1].split(",")
    assert float(overall[3]) < float(overall[2]) < float(overall[4])


def test_counts_and_what_is_undefined_have_none() -> None:
    m = cm.ConfusionMatrix([[5, 2], [0, 0]], labels=["a", "b"])
    found = cm.report(m, ["recall", "true_positives"], averages=["macro", "micro"], intervals=True)
    assert found.intervals is not None
    assert all(math.isnan(bounds[0]) for bounds in found.intervals.of_row(1))
    assert np.isnan(found.intervals.low[:, 1]).all()
    assert "– " in str(found)


def test_a_mean_over_the_one_class_that_occurs_is_not_certain() -> None:
    found = cm.report(
        cm.ConfusionMatrix([[5, 2], [0, 0]]), ["precision"], averages=["macro"], intervals=True
    )
    assert found.intervals is not None
    low, high = found.intervals.of_row("macro")[0]
    assert low < 0.7
    assert high == 1


def test_an_infinite_ratio_is_printed_with_its_least() -> None:
    m = cm.ConfusionMatrix([[20, 0], [3, 17]], labels=["no", "yes"])
    report = cm.report(m, ["positive_likelihood_ratio"], intervals=True)
    least = cm.interval(m, "positive_likelihood_ratio[yes]").low
    assert f"inf [{least:.3f}, inf]" in str(report)
    assert "is undefined where" not in str(report)
    assert "is undefined where" in str(cm.report(m, ["positive_likelihood_ratio"]))


def test_a_mean_without_a_class_that_occurs_is_as_unsure_as_the_others() -> None:
    m = cm.ConfusionMatrix([[20, 0], [3, 17]], labels=["no", "yes"])
    mean, alone = (cm.interval(m, f"positive_likelihood_ratio{of}") for of in (".macro", "[no]"))
    assert mean.value == pytest.approx(alone.value)
    assert mean.high / mean.low == pytest.approx(alone.high / alone.low, rel=0.15)
