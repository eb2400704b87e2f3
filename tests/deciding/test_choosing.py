from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat import ConfmatError, best, thresholds

rows = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 8)), min_size=2, max_size=30)


@given(
    rows,
    st.sampled_from(
        ["accuracy", "f1[1]", "recall[0]", "false_positive_rate[1]", "f1.macro", "kappa"]
    ),
)
def test_no_threshold_is_better(items: list[tuple[int, int]], text: str) -> None:
    actual, scores = zip(*[(0, 0), (1, 1), *items], strict=True)
    t = thresholds(actual, scores)
    found = best(t, text)
    values = {key: cm.score(m, text) for key, m in t.items()}
    known = [value for value in values.values() if value == value]
    sign = -1 if text.startswith("false") else 1
    assert found.value == pytest.approx(sign * max(sign * value for value in known), abs=1e-12)
    assert found.thresholds == tuple(
        key for key, value in values.items() if abs(value - found.value) <= 1e-12
    )
    assert found.threshold == found.thresholds[0]
    assert found.matrix == t[found.threshold]
    assert found.score == text


@given(rows, st.integers(0, 9), st.integers(0, 9))
def test_costs(items: list[tuple[int, int]], missed: int, alarm: int) -> None:
    actual, scores = zip(*items, strict=True)
    t = thresholds(actual, scores)
    found = best(t, costs=[[0, alarm], [missed, 0]])
    each = {key: (alarm * m.fp + missed * m.fn) / m.total for key, m in t.items()}
    assert found.value == min(each.values())
    assert found.thresholds == tuple(key for key, value in each.items() if value == found.value)
    assert best(t, costs={(0, 1): alarm, (1, 0): missed}) == found


def test_the_class_is_the_positive_one_unless_said() -> None:
    t = thresholds(["b", "a", "b", "a"], [0.9, 0.8, 0.6, 0.1], positive="b")
    assert best(t, cm.f1).score == "f1[b]"
    assert best(t, cm.f1) == best(t, "f1[b]") == best(t, "f1", of="b")
    assert best(t, cm.f1, of="a").value == pytest.approx(4 / 5)
    assert best(t, cm.f1, average="macro").score == "f1.macro"


def test_ties_are_shown() -> None:
    found = best(thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1]), cm.accuracy)
    assert found.thresholds == (0.9, 0.6)
    assert str(found).splitlines()[0] == "accuracy 0.75 at threshold 0.9 (as good: 0.6)"
    nothing = best(thresholds([0, 0, 0, 1], [0.9, 0.8, 0.6, 0.1]), cm.accuracy)
    assert nothing.threshold == np.inf
    data = json.loads(json.dumps(nothing.to_dict()))
    assert data["thresholds"] == ["inf"]
    assert cm.ConfusionMatrix.from_dict(data["matrix"]) == nothing.matrix


def test_on_a_grid_and_against_the_rest() -> None:
    rng = np.random.default_rng(0)
    actual, scores = rng.integers(0, 3, 100), rng.dirichlet([1, 1, 1], 100)
    t = thresholds(actual, scores, of=2, thresholds=np.linspace(0, 1, 21))
    found = best(t, cm.mcc)
    assert found.value == np.nanmax(cm.mcc(t))
    assert cm.interval(found.matrix, cm.mcc).value == pytest.approx(found.value)


@pytest.mark.parametrize(
    ("metric", "options", "said"),
    [
        (None, {}, "say what is to be best"),
        (cm.f1, {"costs": [[0, 1], [1, 0]]}, "not both"),
        ("f1[1]", {"of": 1}, "says already"),
        (cm.f1, {"of": 1, "average": "macro"}, "not for both"),
        (cm.prevalence, {}, "neither high nor low"),
        ("f2x", {}, "f2x"),
        (len, {}, "whether high or low is better"),
    ],
    ids=map(str, range(7)),
)
def test_what_is_wrong_is_said(metric: Any, options: dict[str, Any], said: str) -> None:
    t = thresholds([1, 0], [0.1, 0.2])
    with pytest.raises(ConfmatError, match=said):
        best(t, metric, **options)


def test_thresholds_from_the_lowest_up_are_refused() -> None:
    t = cm.thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1])
    upwards = cm.Stack({key: t[key] for key in sorted(t)}, axis=t.axis)
    for asker in (cm.roc, lambda stack: cm.best(stack, "f1")):
        with pytest.raises(cm.InputError, match="from the highest down"):
            asker(upwards)


def test_a_metric_without_a_value_anywhere() -> None:
    with pytest.raises(ConfmatError, match=r"recall\[1\] has no value at any of the 3 thresholds"):
        best(thresholds([0, 0], [0.1, 0.2]), cm.recall)
    with pytest.raises(ConfmatError, match="`best` reads what"):
        best(cm.count([0, 1], [0, 1]), cm.recall)  # type: ignore[arg-type]


def test_infinite_thresholds_are_printed_in_words() -> None:
    actual, scores = [1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1]
    t = cm.thresholds(actual, scores)
    near = cm.best(t, costs=[[0, 1], [5, 0]])
    assert "thresholds 0.1 and above (5," in str(near)
    none = cm.best(cm.thresholds(actual, scores[::-1]), costs=[[0, 9], [1, 0]])
    assert str(none).startswith("cost 0.5 above every score")
    risk = cm.deciding.risk_coverage(actual, actual, scores)
    on_grid = cm.thresholds(actual, scores, thresholds=[0.5])
    for one in (near, none, cm.roc(t), cm.pr_curve(t), risk, t, on_grid, cm.report(t, "accuracy")):
        assert "inf" not in str(one), str(one)
