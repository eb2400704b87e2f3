"""Entities graded by the four schemes of SemEval-2013."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm


def records() -> st.SearchStrategy[list[Any]]:
    one = st.tuples(st.just("x"), st.integers(0, 9), st.integers(1, 4), st.sampled_from("AB"))
    return st.lists(one.map(lambda r: (r[0], r[1], r[1] + r[2], r[3])), min_size=1, max_size=7)


def test_each_scenario_by_each_scheme() -> None:
    # The scenarios of the task: right; another class; other boundaries; both; missing; spurious.
    truth = [("x", 0, 4, "A"), ("x", 10, 14, "A"), ("x", 20, 24, "A"), ("x", 30, 34, "A"), ("x", 40, 44, "A")]
    predicted = [("x", 0, 4, "A"), ("x", 10, 14, "B"), ("x", 20, 25, "A"), ("x", 30, 33, "B"), ("x", 50, 54, "A")]
    found = cm.spans.span_scores(truth, predicted).to_dict()
    counts = {
        name: [one[key] for key in ("correct", "incorrect", "partial", "missing", "spurious")]
        for name, one in found.items()
    }
    assert counts == {
        "strict": [1, 3, 0, 1, 1],
        "exact": [2, 2, 0, 1, 1],
        "partial": [2, 0, 2, 1, 1],
        "type": [2, 2, 0, 1, 1],
    }
    assert found["partial"]["precision"] == found["partial"]["recall"] == (2 + 0.5 * 2) / 5
    assert found["strict"]["f1"] == 1 / 5


@given(records(), records())
def test_the_categories_add_up_and_strict_is_the_matrix(truth: list[Any], predicted: list[Any]) -> None:
    scores, m = cm.spans.span_scores(truth, predicted), cm.count_spans(truth, predicted)
    for one in (scores.strict, scores.exact, scores.partial, scores.type):
        assert one.possible == len(truth)
        assert one.actual == len(predicted)
        assert one.f1 == pytest.approx(
            2 * one.precision * one.recall / (one.precision + one.recall) if one.precision + one.recall else 0
        )
    assert scores.strict.correct == m.diagonal.sum()
    assert scores.exact.correct == m.counts[:-1, :-1].sum()
    assert scores.strict.correct <= min(scores.exact.correct, scores.type.correct)
    assert scores.strict.precision == pytest.approx(cm.precision(m, average="micro"), nan_ok=True)


def test_nothing_at_all_and_a_class_of_any_name() -> None:
    assert math.isnan(cm.spans.span_scores([], {}).strict.f1)
    one = [("x", 0, 1, "background")]
    assert cm.spans.span_scores(one, one).type.f1 == 1


def test_nothing_predicted_has_no_precision() -> None:
    one = cm.spans.span_scores([("x", 0, 1, "A")], []).strict
    assert math.isnan(one.precision)
    assert one.recall == one.f1 == 0
    assert "–" in str(cm.spans.span_scores([("x", 0, 1, "A")], []))
