from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import confmat as cm
from confmat import ConfmatError, average_precision, pr_curve, roc, roc_auc, thresholds

Data = tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]


@st.composite
def data(draw: st.DrawFn) -> Data:
    """Both classes, scores with ties, perhaps weights."""
    n = draw(st.integers(2, 40))
    actual = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    actual[:2] = [0, 1]
    scores = draw(st.lists(st.integers(0, 12).map(lambda x: x / 8), min_size=n, max_size=n))
    weights = draw(
        st.none() | st.lists(st.integers(1, 9).map(lambda x: x / 3), min_size=n, max_size=n)
    )
    return np.array(actual), np.array(scores), None if weights is None else np.array(weights)


@given(data())
def test_the_area_is_the_chance_of_the_right_order(given_: Data) -> None:
    actual, scores, weights = given_
    w = np.ones(len(actual)) if weights is None else weights
    high, low = actual == 1, actual == 0
    won = (scores[high][:, None] > scores[low]) + 0.5 * (scores[high][:, None] == scores[low])
    pairs = w[high][:, None] * w[low]
    t = thresholds(actual, scores, weights=weights)
    assert roc_auc(t) == pytest.approx((won * pairs).sum() / pairs.sum(), rel=1e-12)


@given(data())
def test_curves_are_metrics_of_the_stack(given_: Data) -> None:
    t = thresholds(given_[0], given_[1], weights=given_[2])
    x, y, keys = roc(t)
    np.testing.assert_allclose(x, cm.false_positive_rate(t, of=1), rtol=1e-12)
    np.testing.assert_allclose(y, cm.recall(t, of=1), rtol=1e-12)
    assert keys.tolist() == list(t)
    recall, precision, _ = pr_curve(t)
    np.testing.assert_allclose(recall, cm.recall(t, of=1), rtol=1e-12)
    np.testing.assert_allclose(precision[1:], cm.precision(t, of=1)[1:], rtol=1e-12)
    assert precision[0] == 1
    assert (np.diff(recall) >= 0).all()


def test_a_curve_by_hand() -> None:
    t = thresholds([1, 0, 1, 1], [0.8, 0.6, 0.6, 0.2])
    curve = roc(t)
    assert curve.points() == [(0, 0, np.inf), (0, 1 / 3, 0.8), (1, 2 / 3, 0.6), (1, 1, 0.2)]
    assert curve.area("trapezoid") == roc_auc(t) == (1 / 3 + 2 / 3) / 2
    assert curve.area("step") == 2 / 3
    assert average_precision(t) == pytest.approx(1 / 3 * 1 + 1 / 3 * 2 / 3 + 1 / 3 * 3 / 4)
    assert pr_curve(t).area("trapezoid") == pytest.approx(
        1 / 3 * (1 + 1 + 1 + 2 / 3 + 2 / 3 + 3 / 4) / 2
    )
    assert json.loads(json.dumps(curve.to_dict())) == {
        "curve": "ROC",
        "false positive rate": [0, 0, 1, 1],
        "true positive rate": [0, 1 / 3, 2 / 3, 1],
        "threshold": ["inf", 0.8, 0.6, 0.2],
    }
    assert curve == roc(t) != pr_curve(t)
    assert len(curve) == 4
    assert not curve.x.flags.writeable


def test_where_a_class_does_not_occur() -> None:
    t = thresholds([0, 0], [0.1, 0.2])
    assert np.isnan(roc(t).y).all()
    assert np.isnan(roc_auc(t))
    assert np.isnan(average_precision(t))
    assert "–" in str(roc(t))
    assert roc(t).to_dict()["true positive rate"] == [None] * 3


def test_what_is_wrong_is_said() -> None:
    t = thresholds([1, 0], [0.1, 0.2])
    with pytest.raises(ConfmatError, match="'trapezoid' or 'step', not 'simpson'"):
        roc(t).area("simpson")  # type: ignore[arg-type]
    m = cm.count([0, 1], [0, 1])
    for wrong in (m, cm.Stack({"a": m}), t.along("group"), None):
        with pytest.raises(
            ConfmatError, match=r"`roc` reads what `thresholds\(actual, scores\)` gives"
        ):
            roc(wrong)  # type: ignore[arg-type]
    turned = cm.Stack(dict(reversed(list(t.items()))), axis="threshold")
    with pytest.raises(ConfmatError, match="from the highest down"):
        pr_curve(turned)


# ---- scikit-learn --------------------------------------------------------------------------------


def random_data(seed: int, n: int, *, ties: bool, weighted: bool) -> Data:
    rng = np.random.default_rng(seed)
    actual = (rng.random(n) < 0.3).astype(int)
    actual[:2] = [0, 1]
    scores = rng.normal(size=n) + actual
    weights = rng.random(n) * (rng.random(n) < 0.9) if weighted else None
    if weights is not None:
        weights[:2] = 1
    return actual, scores.round(1) if ties else scores, weights


@pytest.mark.peers
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2, 17, 3000])
def test_point_by_point(n: int, weighted: bool, ties: bool) -> None:
    from sklearn import metrics

    for dtype in (np.float64, np.float32):
        actual, scores, weights = random_data(n, n, ties=ties, weighted=weighted)
        scores = scores.astype(dtype)
        t = thresholds(actual, scores, weights=weights)
        close: dict[str, Any] = (
            {"rtol": 1e-12, "atol": 1e-15} if weighted else {"rtol": 1e-15, "atol": 0}
        )
        theirs = metrics.roc_curve(actual, scores, sample_weight=weights, drop_intermediate=False)
        for mine, other in zip(roc(t), theirs, strict=True):
            np.testing.assert_allclose(mine, other, **close)
        precision, recall, keys = metrics.precision_recall_curve(
            actual, scores, sample_weight=weights
        )
        curve = pr_curve(t)
        np.testing.assert_allclose(curve.x, recall[::-1], **close)
        np.testing.assert_allclose(curve.y, precision[::-1], **close)
        np.testing.assert_array_equal(curve.thresholds[1:], keys[::-1])
        areas = {"roc_auc_score": roc_auc(t), "average_precision_score": average_precision(t)}
        for name, area in areas.items():
            assert area == pytest.approx(
                getattr(metrics, name)(actual, scores, sample_weight=weights), rel=1e-12
            )
        assert roc(t).area("trapezoid") == pytest.approx(metrics.auc(*theirs[:2]), rel=1e-12)
        assert curve.area("trapezoid") == pytest.approx(metrics.auc(recall, precision), rel=1e-12)


@pytest.mark.parametrize("name", ["roc", "pr_curve", "roc_auc", "average_precision"])
def test_labels_and_scores_are_told_where_to_go(name: str) -> None:
    # Typed, two arguments could not be passed.
    asked: Any = getattr(cm, name)
    with pytest.raises(
        cm.InputError, match=rf"`{name}` reads a sweep.*{name}\(thresholds\(actual, scores\)\)"
    ):
        asked([0, 1], [0.2, 0.8])
