from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat import ConfmatError, from_scores, thresholds

Items = tuple[list[int], list[float], list[int]]


@st.composite
def items(draw: st.DrawFn, *, both: bool = False) -> Items:
    """Labels 0 and 1, scores with ties, whole weights."""
    n = draw(st.integers(2 if both else 1, 30))
    actual = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    if both:
        actual[:2] = [0, 1]
    some = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e300, 1e300))
    scores = draw(st.lists(some, min_size=n, max_size=n))
    return actual, scores, draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))


@given(items())
def test_each_matrix_is_that_of_its_threshold(given_: Items) -> None:
    actual, scores, weights = given_
    plain, weighed = thresholds(actual, scores), thresholds(actual, scores, weights=weights)
    assert list(plain) == [np.inf, *sorted(set(scores), reverse=True)] == list(weighed)
    for key in plain:
        options: dict[str, Any] = {"kind": "scores", "threshold": key}
        assert plain[key] == from_scores(actual, scores, **options)
        assert weighed[key] == from_scores(actual, scores, weights=weights, **options)


@given(items())
def test_margins_and_cells_are_those_of_the_matrices(given_: Items) -> None:
    t = thresholds(given_[0], given_[1])
    for name in ("diagonal", "actual_totals", "predicted_totals", "total"):
        assert (
            getattr(t, name).tolist() == np.array([getattr(m, name) for m in t.values()]).tolist()
        )
    for name in ("tp", "fp", "fn", "tn"):
        assert getattr(t.cells, name).tolist() == [
            getattr(m.cells, name).tolist() for m in t.values()
        ]
    assert (np.diff(t.predicted_totals[:, 1]) > 0).all()
    assert (np.diff(t.diagonal[:, 1]) >= 0).all()
    assert (np.diff(t.diagonal[:, 0]) <= 0).all()
    assert t.predicted_totals[0, 1] == 0 == t.predicted_totals[-1, 0]


@given(items(), st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_stated_thresholds_are_those_of_the_sweep(given_: Items, grid: list[float]) -> None:
    actual, scores, weights = given_
    t = thresholds(actual, scores, thresholds=grid, weights=weights)
    assert list(t) == [np.inf, *sorted({key + 0.0 for key in grid}, reverse=True), -np.inf]
    for key in t:
        assert t[key] == from_scores(actual, scores, kind="scores", threshold=key, weights=weights)


@given(items(), st.integers(1, 12))
def test_fewer_points_are_points_of_the_sweep(given_: Items, most: int) -> None:
    whole, few = thresholds(given_[0], given_[1]), thresholds(given_[0], given_[1], max_points=most)
    assert len(few) <= most + 1
    assert list(few)[-1] == list(whole)[-1]
    assert all(few[key] == whole[key] for key in few)


@given(items(), st.booleans())
def test_squares_of_weights_come_along(given_: Items, on_grid: bool) -> None:
    actual, scores, _ = given_
    weights = np.linspace(0.25, 2, len(actual))
    t = thresholds(actual, scores, weights=weights, thresholds=[-1, 0, 1] if on_grid else None)
    for key in t:
        m = from_scores(actual, scores, kind="scores", threshold=key, weights=weights)
        np.testing.assert_allclose(np.array(t[key].squares), np.array(m.squares), rtol=1e-12)
    assert np.array_equal(
        pickle.loads(pickle.dumps(t)).along("x")[np.inf].squares, np.array(t[np.inf].squares)
    )


def test_sweeps_of_parts_do_not_add() -> None:
    a, b = thresholds([0, 1], [0.1, 0.2]), thresholds([0, 1], [0.1, 0.3])
    with pytest.raises(ConfmatError, match="state the same `thresholds`"):
        a + b
    grid = [0.15, 0.25]
    parts = [thresholds([0, 1], scores, thresholds=grid) for scores in ([0.1, 0.2], [0.1, 0.3])]
    assert sum(parts) == thresholds([0, 1, 0, 1], [0.1, 0.2, 0.1, 0.3], thresholds=grid)


def test_points_are_spread_over_the_items() -> None:
    scores = np.concatenate([np.zeros(900), np.linspace(1, 2, 100)])
    t = thresholds(np.arange(1000) % 2, scores, max_points=10)
    assert list(t)[-1] == 0
    spread = thresholds(np.arange(1000) % 2, np.arange(1000), max_points=10)
    assert np.diff(spread.predicted_totals[:, 1]).tolist() == [100] * 10


def test_weights_leave_nothing_where_nothing_is() -> None:
    rng = np.random.default_rng(0)
    t = thresholds(
        rng.integers(0, 2, 1000),
        rng.random(1000),
        weights=rng.random(1000) * 10.0 ** rng.integers(-8, 8, 1000),
    )
    assert t.cells.fn[-1, 1] == 0 == t.cells.tn[-1, 1] == t.cells.tp[0, 1] == t.cells.fp[0, 1]
    assert (t.counts >= 0).all()
    # Right to the last digits, where a difference of sums would not be.
    scores = rng.permutation(1000).astype(float)
    weights = 1e-8 * rng.random(1000)
    weights[scores == 999] = 1e8
    t = thresholds(np.ones(1000, int), scores, weights=weights)
    below = np.sum(weights[scores < 500])
    assert t[500.0].fn == pytest.approx(below, rel=1e-12)


def test_who_weighs_nothing_makes_no_threshold() -> None:
    assert list(thresholds([0, 1, 1], [1, 2, 3], weights=[1, 0, 1])) == [np.inf, 3, 1]


# ---- more than two classes -----------------------------------------------------------------------


def test_one_class_against_the_rest() -> None:
    rng = np.random.default_rng(2)
    actual = np.array(["Cat", "Dog", "Hen"])[rng.integers(0, 3, 100)]
    scores = rng.random((100, 3))
    t = thresholds(actual, scores, of="Dog")
    assert t == thresholds(actual, scores[:, 1], of="Dog", labels=["Cat", "Dog", "Hen"])
    assert t == thresholds(actual, scores[:, 1], of="Dog")
    key = list(t)[40]
    answers = np.where(scores[:, 1] >= key, "Dog", "Cat")
    assert t[key] == cm.count(actual, answers, labels=["Cat", "Dog", "Hen"]).one_vs_rest("Dog")
    assert cm.f1(t, of="Dog").shape == (101,)
    assert list(thresholds(actual, scores).of("Dog")) == list(t)
    with pytest.raises(
        ConfmatError, match=r"`actual` holds 3: .*; name the class that it is the score of: of="
    ):
        thresholds(actual, scores[:, 0])


def test_two_columns_are_two_classes() -> None:
    scores = np.array([[0.1, 0.9], [0.7, 0.3]])
    assert thresholds([1, 0], scores) == thresholds([1, 0], scores[:, 1])
    assert thresholds(["b", "a"], scores, positive="b") == thresholds(
        ["b", "a"], scores[:, 1], positive="b"
    )


def test_one_class_alone() -> None:
    t = thresholds([1, 1], [0.2, 0.4])
    assert t.labels == (0, 1)
    assert t.actual_totals.tolist() == [[0, 2]] * 3
    assert thresholds([-1, -1], [0.2, 0.4]).labels == (-1, 1)
    assert thresholds([False], [0.2]).labels == (False, True)
    assert thresholds(np.array([True]), [0.2]).labels == (False, True)


# ---- a stack like any other ----------------------------------------------------------------------


def test_ten_million_keys_would_be_no_ten_million_objects() -> None:
    rng = np.random.default_rng(3)
    t = thresholds(rng.integers(0, 2, 500), rng.random(500).round(2))
    keys = list(t)
    assert len(t) == len(keys)
    assert keys[7] in t
    assert keys[7] + 1e-9 not in t
    assert "0.5" not in t
    assert not t.__contains__(np.nan)
    assert t[np.float64(keys[7])] == t[keys[7]]
    with pytest.raises(
        KeyError, match=r"there is no threshold 7; there are .*; thresholds=\[7\] asks for it"
    ):
        t[7]
    assert pickle.loads(pickle.dumps(t)) == t
    again = cm.Stack(dict(t.items()), axis="threshold")
    assert again == t
    assert hash(again) == hash(t)
    assert repr(t).startswith("<Stack of ")
    assert "... " in str(t)


@pytest.mark.parametrize(
    ("scores", "options", "said"),
    [
        ([0.5, np.inf], {}, r"holds inf \(1 infinite ones, the first at position 1\)"),
        ([0.5, np.nan], {}, "NaN in 1 of 2 rows"),
        ([0.5, 1.5], {"kind": "probabilities"}, "no probabilities"),
        ([0.5, 1.5], {"thresholds": [0.5], "max_points": 3}, "give one of them"),
        ([0.5, 1.5], {"thresholds": []}, "at least one"),
        ([0.5, 1.5], {"thresholds": [np.nan]}, "finite"),
        ([0.5, 1.5], {"max_points": 0}, "at least 1"),
        ([0.5, 1.5], {"of": 1, "positive": 1}, "give one of them"),
        ([0.5, 1.5], {"labels": [0, 1, 2]}, "`labels` names 3; say of="),
        ([0.5, 1.5], {"weights": [2**63, 2**62]}, "63 bits"),
        ([0.5, 1.5], {"weights": [1, -1]}, "zero or more"),
    ],
    ids=map(str, range(11)),
)
def test_what_is_wrong_is_said(scores: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfmatError, match=said):
        thresholds([0, 1], scores, **options)


@pytest.mark.parametrize(
    "scores", [[0.1, 0.9, 0.9], [0.1, 0.5, 0.9], np.array([0.1, 0.5, 0.9], np.float32)]
)
def test_exchanged_arguments_are_told_of(scores: Any) -> None:
    with pytest.raises(
        ConfmatError, match=r"`actual`.* is 0\.1\d*: labels may .* in `.*`, labels first"
    ):
        thresholds(scores, [0, 1, 0])


def test_nothing_to_sweep_over() -> None:
    with pytest.raises(ConfmatError, match="no items"):
        thresholds([], [], labels=[0, 1])
    with pytest.raises(ConfmatError, match="no items"):
        thresholds([0, 1], [np.nan, np.nan], missing="drop")


def table(seed: int = 0, n: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    return np.array(["cat", "dog", "hen"])[codes], rng.dirichlet([1, 1, 1], n) + 0.3 * np.eye(3)[
        codes
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_points": 20},
        {"thresholds": np.linspace(0, 1.3, 14)},
        {"weights": np.arange(300) % 3 / 2},
    ],
)
def test_several_classes_are_one_stack(options: Any) -> None:
    truth, scores = table()
    t = cm.thresholds(truth, scores, **options)
    assert (t.axis, list(t.labels), t.labels.positive) == ("label, threshold", [False, True], True)
    for name in ("cat", "dog", "hen"):
        one, alone = t.of(name), cm.thresholds(truth, scores, of=name, **options)
        assert (list(one), one.axis, one.notes) == (list(alone), "threshold", alone.notes)
        np.testing.assert_array_equal(one.counts, alone.counts[:, ::-1, ::-1])
        found = cm.interval(t, "roc_auc", of=name)
        assert tuple(found) == pytest.approx(tuple(cm.interval(alone, "roc_auc")))
        assert found == cm.interval(t, f"roc_auc[{name}]") == cm.interval(t, "roc_auc").of(name)  # type: ignore[union-attr]
        assert cm.best(one, "f1").value == pytest.approx(cm.best(alone, "f1").value)
    key = list(t)[7]
    np.testing.assert_array_equal(t[key].counts, t.of(key[0])[key[1]].counts)


def test_sweeps_of_several_classes_add_up_over_one_grid() -> None:
    truth, scores = table()
    grid: Any = {"thresholds": np.linspace(0, 1.3, 14), "labels": ["cat", "dog", "hen"]}
    parts = [
        cm.thresholds(truth[part], scores[part], **grid)
        for part in (slice(0, 100), slice(100, 300))
    ]
    whole = cm.thresholds(truth, scores, **grid)
    assert parts[0] + parts[1] == whole
    assert str(cm.interval(parts[0] + parts[1], "roc_auc")) == str(cm.interval(whole, "roc_auc"))
    with pytest.raises(cm.InputError, match="state the same `thresholds` for both"):
        cm.thresholds(truth, scores) + cm.thresholds(truth, scores**2)


def test_rows_that_stand_for_several_items() -> None:
    truth, scores = table()
    actual, rounded = truth == "cat", scores[:, 0].round(1)
    keys, many = np.unique(np.c_[actual, rounded], axis=0, return_counts=True)
    t = cm.thresholds(keys[:, 0].astype(bool), keys[:, 1], tally=many)
    assert t == cm.thresholds(actual, rounded)
    assert cm.interval(t, "roc_auc") == cm.interval(cm.thresholds(actual, rounded), "roc_auc")
    with pytest.raises(cm.InputError, match="`tally` holds whole numbers, how many items"):
        cm.thresholds(actual, rounded, tally=np.full(300, 0.5))
    with pytest.raises(cm.InputError, match="give one of them"):
        cm.thresholds(actual, rounded, tally=np.ones(300, int), weights=np.ones(300))


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (cm.roc, r"a Stack along 'label, threshold'; t.of\('cat'\) is that of one class"),
        (lambda t: t.of("cow"), "and not 'cow'; the keys are 'cat', 'dog', 'hen'"),
        (lambda t: t.of("cat").of("cat"), "the keys are none, as there is but one grouping"),
        (lambda t: cm.interval(t, "recall"), r"so these are no clusters: take one, stack\[key\]$"),
        (lambda _: cm.thresholds(*table(), positive="cat"), "say of=... for one of them"),
    ],
)
def test_what_several_sweeps_are_not(ask: Any, said: str) -> None:
    with pytest.raises(cm.ConfmatError, match=said):
        ask(cm.thresholds(*table()))
