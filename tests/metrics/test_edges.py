"""The edges, as docs/explanation/undefined.md tells them: empty, perfect, one class, absent on either side."""

from __future__ import annotations

import math

import numpy as np
import pytest

from confmat import ConfusionMatrix
from confmat import metrics as cm
from confmat.metrics.averages import AVERAGES

RATES = (
    "recall",
    "precision",
    "specificity",
    "f1",
    "jaccard",
    "class_mcc",
    "negative_predictive_value",
)


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("name", RATES)
def test_of_nothing_there_is_no_rate_and_no_mean(name: str, size: int) -> None:
    for m in (
        ConfusionMatrix(np.zeros((size, size), dtype=int)),
        ConfusionMatrix(np.zeros((size, size))),
    ):
        metric = cm.metric(name)
        assert np.isnan(metric(m)).all()
        for average in AVERAGES.values():
            if average.negative or metric.bounds[0] == 0:
                assert math.isnan(metric(m, average=average))
        assert math.isnan(cm.accuracy(m))
        assert math.isnan(cm.mcc(m))
        assert math.isnan(cm.mutual_information(m))
        assert metric(m, undefined=0).tolist() == [0] * size


def test_one_class_all_right() -> None:
    m = ConfusionMatrix([[7]])
    assert cm.recall(m) == cm.precision(m) == cm.f1(m) == cm.accuracy(m) == 1
    assert np.isnan(cm.specificity(m)).all()
    assert math.isnan(cm.kappa(m))
    assert math.isnan(cm.mcc(m))


def test_perfection_has_no_odds_but_a_limit() -> None:
    m = ConfusionMatrix([[5, 0], [0, 7]])
    for name in ("positive_likelihood_ratio", "diagnostic_odds_ratio"):
        assert np.isnan(cm.metric(name)(m)).all()
        assert cm.metric(name).limit == math.inf
    assert cm.mcc(m) == cm.kappa(m) == cm.f1(m, average="macro") == 1


def test_a_class_never_predicted() -> None:
    m = ConfusionMatrix([[3, 0], [2, 0]])
    assert np.isnan(cm.precision(m)[1])
    assert cm.f1(m)[1] == 0
    # Fair: it costs.
    assert cm.precision(m, average="macro") == 3 / 5 / 2
    assert cm.precision(m, average="macro", undefined="skip") == 3 / 5


def test_a_class_never_present() -> None:
    predicted, not_even = ConfusionMatrix([[3, 1], [0, 0]]), ConfusionMatrix([[3, 0], [0, 0]])
    assert np.isnan(cm.recall(predicted)[1])
    assert cm.precision(predicted)[1] == cm.f1(predicted)[1] == 0
    assert np.isnan(cm.precision(not_even)[1])
    assert np.isnan(cm.f1(not_even)[1])
    # Fair: the data's silence is skipped.
    assert cm.f1(predicted, average="macro") == cm.f1(predicted)[0]


def test_errors_but_no_hits() -> None:
    assert cm.f1(ConfusionMatrix([[0, 2], [3, 0]])).tolist() == [0, 0]
