"""Folds of cross-validation: the corrected spread of a score, and of a difference."""

from __future__ import annotations

import math
from statistics import mean, stdev
from typing import Any

import pytest
from scipy import stats

import confmat as cm

RIGHT = (16, 18, 14, 17, 15)
BETTER = (18, 19, 17, 18, 19)


def folds(right: tuple[int, ...], keys: Any = None) -> cm.Stack:
    return cm.Stack(
        {
            k: cm.ConfusionMatrix([[n - 9, 19 - n], [1, 9]])
            for k, n in zip(keys or range(5), right, strict=True)
        },
        axis="fold",
    )


def test_the_spread_has_the_ratio_of_tested_and_trained_items() -> None:
    found = cm.interval(folds(RIGHT), "accuracy")
    scores = [n / 20 for n in RIGHT]
    half = stats.t.ppf(0.975, 4) * stdev(scores) * math.sqrt(1 / 5 + 20 / 80)
    assert found.value == pytest.approx(mean(scores))
    assert tuple(found) == pytest.approx((mean(scores) - half, mean(scores) + half))
    assert "of models trained on 80 items" in found.note
    assert cm.interval(folds(RIGHT), "recall", of=1).value == pytest.approx(0.9)


def test_repeats_are_more_folds_of_the_same_items() -> None:
    keys = [(0, 0), (0, 1), (1, 0), (1, 1)]
    found = cm.interval(folds(RIGHT[:4], keys), "accuracy")
    half = stats.t.ppf(0.975, 3) * stdev(n / 20 for n in RIGHT[:4]) * math.sqrt(1 / 4 + 20 / 20)
    assert found.value - found.low == pytest.approx(half)


def test_two_models_are_compared_fold_by_fold() -> None:
    other = folds(BETTER)
    turned = cm.Stack({key: other[key] for key in [4, 3, 2, 1, 0]}, axis="fold")
    for second in (other, turned):
        gap = cm.compare({"one": folds(RIGHT), "two": second}, metrics=["accuracy"]).of("accuracy")
        gaps = [(b - a) / 20 for a, b in zip(RIGHT, BETTER, strict=True)]
        error = stdev(gaps) * math.sqrt(1 / 5 + 20 / 80)
        assert gap.difference == pytest.approx(mean(gaps))
        assert gap.p_value == pytest.approx(2 * stats.t.sf(mean(gaps) / error, 4))
    found = cm.compare({"one": folds(RIGHT), "two": other}, metrics=["accuracy"])
    assert "trained on 80 items; folds share them" in str(found)
    assert all(math.isnan(cell.p_value) for cell in found.cells())
    with pytest.raises(cm.InputError, match="no ratio is known over folds"):
        found.ratio("accuracy")
    with pytest.raises(cm.InputError, match="the same folds of the same items"):
        cm.compare({"one": folds(RIGHT), "two": other}, metrics=["accuracy"], same_items=False)


def test_a_fold_without_a_value_is_named() -> None:
    empty = cm.Stack(
        {0: cm.ConfusionMatrix([[5, 1], [0, 0]]), 1: cm.ConfusionMatrix([[5, 1], [1, 2]])},
        axis="fold",
    )
    with pytest.raises(cm.InputError, match="no value in the folds 0"):
        cm.interval(empty, "recall[1]")
