"""The matrix at every threshold of confidence, against counting it threshold by threshold."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import (
    Answers,
    BudgetError,
    InputError,
    Labels,
    accuracy,
    count,
    error_rate,
    risk_coverage,
)
from confmat.deciding import abstain

Items = list[tuple[int, int, float]]
some_items = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9])),
    min_size=1,
    max_size=25,
)
LABELS = Labels([0, 1, 2], outside=["(abstained)"])


def sides(items: Items) -> tuple[list[int], list[int], list[float]]:
    actual, predicted, confidence = zip(*items, strict=True)
    return list(actual), list(predicted), list(confidence)


@given(some_items, st.booleans())
def test_every_matrix_is_the_count_at_its_threshold(items: Items, weighted: bool) -> None:
    actual, predicted, confidence = sides(items)
    weights = [0.1 * (1 + i % 3) for i in range(len(items))] if weighted else None
    t = abstain(actual, predicted, confidence, labels=[0, 1, 2], weights=weights)
    assert list(t) == [np.inf, *sorted(set(confidence), reverse=True)]
    for threshold, m in t.items():
        answers = [
            p if c >= threshold else "(abstained)"
            for p, c in zip(predicted, confidence, strict=True)
        ]
        wanted = count(actual, answers, labels=LABELS, weights=weights)
        assert m.labels == wanted.labels
        assert m.counts == pytest.approx(wanted.counts)
        # Nothing is left of rounding where there is nothing.
        assert ((m.counts == 0) == (wanted.counts == 0)).all()
        assert m.squares is None if weights is None else m.squares == pytest.approx(wanted.squares)


@given(some_items)
def test_risk_and_coverage_follow_from_the_matrices(items: Items) -> None:
    t = abstain(*sides(items), labels=[0, 1, 2])
    curve = risk_coverage(*sides(items), labels=[0, 1, 2])
    assert error_rate(t, outside="exclude") == pytest.approx(curve.y, nan_ok=True)
    assert accuracy(t) == pytest.approx(curve.x - curve.generalized)
    assert (t.predicted_totals[:, -1] / t.total) == pytest.approx(1 - curve.x)


@given(some_items, st.lists(st.sampled_from([0.0, 0.2, 0.25, 0.8, 1.0]), min_size=1, max_size=4))
def test_a_grid_is_exact_on_the_grid(items: Items, grid: list[float]) -> None:
    t = abstain(*sides(items), labels=[0, 1, 2], thresholds=grid)
    every = abstain(*sides(items), labels=[0, 1, 2])
    assert list(t) == [np.inf, *sorted(set(grid), reverse=True)]
    for threshold in t:
        at = [key for key in every if key >= threshold]
        assert t[threshold].counts.tolist() == every[at[-1]].counts.tolist()


def test_abstentions_of_the_answers_themselves_share_the_label() -> None:
    rules = Answers(["no", "yes"], abstained="pass")
    t = abstain(["yes", "no"], ["YES", "pass"], [0.9, 0.5], answers=rules)
    assert t.labels.outside == ("(invalid)", "(abstained)")
    assert t[0.5].counts[:2].tolist() == [[0, 0, 0, 1], [0, 1, 0, 0]]
    assert t[0.9].counts[:2].tolist() == [[0, 0, 0, 1], [0, 1, 0, 0]]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"thresholds": [0.5], "max_points": 3}, InputError, "give one of them"),
        ({"thresholds": [np.nan]}, InputError, "finite"),
        ({"max_points": 0}, InputError, "at least 1"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=re.escape(said)):
        abstain([0, 1], [0, 1], [0.5, 0.6], **options)


def test_more_matrices_than_fit_are_refused_before_memory_is_taken() -> None:
    n = 100_000
    with pytest.raises(BudgetError, match="max_points=100"):
        abstain(np.arange(n) % 1000, np.arange(n) % 1000, np.arange(n))
