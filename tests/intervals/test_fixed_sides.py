"""Two classes of which so many items each were chosen: only what is answered to them varies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import confmat as cm

SCORES = ("markedness[1]", "mcc", "kappa", "f1[1]", "f1.macro", "precision.macro")


def table(sens: float, spec: float, positive: int = 10, negative: int = 190) -> Any:
    return np.array(
        [[negative * spec, negative * (1 - spec)], [positive * (1 - sens), positive * sens]]
    )


def ends(m: Any, score: str, **how: Any) -> tuple[float, float]:
    one: Any = cm.interval(m, score, **how)
    return one.low, one.high


def of(score: str) -> Callable[[float, float], float]:
    return lambda sens, spec: float(cm.score(cm.ConfusionMatrix(table(sens, spec)), score))


@pytest.mark.parametrize("score", SCORES)
def test_a_class_that_is_found_whole_is_not_certain(score: str) -> None:
    m = cm.ConfusionMatrix(table(1, 0.5).round().astype(int))
    low, high = ends(m, score, design="actual")
    assert low < of(score)(0.8, 0.5) < high


def test_chosen_rows_are_those_of_a_prevalence() -> None:
    m = cm.ConfusionMatrix(table(0.9, 0.9).round().astype(int))
    wanted = pytest.approx(ends(m, "mcc", design="actual"), rel=1e-6)
    assert ends(m.T, "mcc", design="predicted") == wanted
    assert ends(m, "mcc", at_prevalence={1: 0.05}) == wanted


def test_chosen_totals_change_nothing_of_what_each_row_says_alone() -> None:
    m = cm.ConfusionMatrix(table(0.9, 0.9).round().astype(int))
    for score in ("informedness[1]", "lr+[1]", "dor[1]", "multiclass_g_mean"):
        assert ends(m, score, design="actual") == pytest.approx(ends(m, score), rel=1e-5)


def test_a_score_that_the_design_fixes_has_no_such_bounds() -> None:
    found: Any = cm.interval(
        cm.ConfusionMatrix([[60, 9], [2, 8]]), "prevalence[1]", design="actual"
    )
    assert found.width == 0


@pytest.mark.parametrize("score", ["precision", "lift"])
def test_labels_outside_take_no_share_of_a_class(score: str) -> None:
    labels = cm.Labels(["a", "b"], outside=["(other)"])
    m = cm.ConfusionMatrix([[8, 1, 1], [2, 5, 1], [0, 1, 0]], labels)
    each: Any = cm.interval(m, f"{score}[a]", design="actual")
    every: Any = cm.interval(cm.ConfusionMatrix(m.counts, labels), score, design="actual")
    assert [every[0].low, every[0].high] == pytest.approx([each.low, each.high], rel=1e-9)
