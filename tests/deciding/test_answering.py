from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import confmat as cm
from confmat import ConfmatError, InputError, LabelError, from_scores, top_k_accuracy

Scores = tuple[list[int], NDArray[np.float64], list[float]]


@st.composite
def tables(draw: st.DrawFn) -> Scores:
    """Labels, scores with many ties, and weights."""
    n, size = draw(st.integers(1, 30)), draw(st.integers(2, 6))
    actual = draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n))
    cells = draw(st.lists(st.integers(0, 5), min_size=n * size, max_size=n * size))
    weights = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return actual, np.array(cells, np.float64).reshape(n, size), [float(w) for w in weights]


@given(tables(), st.integers(1, 6))
def test_by_the_definition(given_: Scores, k: int) -> None:
    actual, scores, _ = given_
    k = min(k, scores.shape[1])
    # By score, the largest first; equal ones in the order of the labels.
    ranked = [
        sorted(range(len(row)), key=lambda j, row=row: (-row[j], j))  # type: ignore[misc]
        for row in scores.tolist()
    ]
    answers = [a if a in order[:k] else order[0] for a, order in zip(actual, ranked, strict=True)]
    expected = cm.count(actual, answers, labels=range(scores.shape[1]))
    assert (
        from_scores(actual, scores, labels=range(scores.shape[1]), kind="logits", top_k=k)
        == expected
    )


@given(tables())
def test_top_k_accuracy_is_the_accuracy_of_the_top_k_matrix(given_: Scores) -> None:
    actual, scores, weights = given_
    size = scores.shape[1]
    ks = range(1, size + 1)
    options: dict[str, Any] = {"labels": range(size), "kind": "scores", "weights": weights}
    found = top_k_accuracy(actual, scores, ks, **options)
    assert list(found) == list(ks)
    for k in ks:
        single = top_k_accuracy(actual, scores, k, **options)
        expected = cm.accuracy(from_scores(actual, scores, top_k=k, **options))
        assert (
            math.isnan(single)
            if not sum(weights)
            else single == found[k] == pytest.approx(expected)
        )
    assert math.isnan(found[size]) or found[size] == 1


def test_large_tables_are_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    scores = rng.random((50, 7)).round(1)
    actual = rng.integers(0, 7, 50)
    whole = from_scores(actual, scores, kind="scores", top_k=3)
    monkeypatch.setattr("confmat.deciding.model_scores._AT_ONCE", 21)
    assert from_scores(actual, scores, kind="scores", top_k=3) == whole
    scores[40, 3] = np.nan
    with pytest.raises(InputError, match="1 of 50 rows, the first in row 40"):
        from_scores(actual, scores, kind="scores")


# ---- two classes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "tp"),
    [
        ({}, 2),
        ({"threshold": 0.7}, 1),
        ({"kind": "logits"}, 3),
        ({"kind": "scores", "threshold": 0.51}, 1),
    ],
)
def test_a_score_of_at_least_the_threshold_is_positive(options: dict[str, Any], tp: int) -> None:
    assert from_scores([1, 1, 1], [0.7, 0.5, 0.1], **options).tp == tp
    assert from_scores([True] * 3, np.array([[0.7], [0.5], [0.1]]), **options).tp == tp


def test_numbers_of_another_width_are_compared_as_they_are() -> None:
    # 0.1 in 32 bits is a little more than 0.1, and 0.7 a little less.
    assert from_scores([1, 1], np.array([0.1, 0.7], np.float32), threshold=0.1).tp == 2
    assert from_scores([1, 1], np.array([0.1, 0.7], np.float32), threshold=0.7).tp == 0


def test_the_positive_class_is_the_one_that_is_named() -> None:
    m = from_scores(["ham", "spam", "ham"], [0.9, 0.2, 0.4], positive="ham")
    assert (m.positive, m.tp, m.tn) == ("ham", 1, 1)
    assert m.labels == ("ham", "spam")
    same = from_scores(
        ["ham", "spam", "ham"], [0.9, 0.2, 0.4], labels=["spam", "ham"], positive="ham"
    )
    assert (same.tp, same.labels.classes) == (1, ("spam", "ham"))


def test_a_threshold_over_two_columns_reads_that_of_the_positive_class() -> None:
    scores = [[0.7, 0.3], [0.4, 0.6], [0.8, 0.2]]
    assert from_scores([1, 1, 1], scores, labels=[0, 1]).tp == 1
    assert from_scores([1, 1, 1], scores, labels=[0, 1], threshold=0.3).tp == 2


# ---- classes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actual", "columns", "expected"),
    [
        (["b", "a", "c"], 3, ("a", "b", "c")),
        ([3, 1, 2], 3, (1, 2, 3)),
        ([0, 2, 2], 5, (0, 1, 2, 3, 4)),
        ([True, False, True], 2, (False, True)),
        (["9", "8", "9"], 2, ("8", "9")),
    ],
)
def test_columns_are_the_labels_that_occur_in_order(
    actual: Any, columns: int, expected: tuple[Any, ...]
) -> None:
    assert (
        from_scores(actual, np.eye(columns)[:3] if columns >= 3 else np.eye(2)[[0, 1, 0]]).labels
        == expected
    )


@pytest.mark.parametrize("actual", [["a", "b", "a"], [1, 2, 1], [5, 0, 5]])
def test_classes_are_never_guessed(actual: Any) -> None:
    with pytest.raises(LabelError, match=r"say which class each column means, in order: labels="):
        from_scores(actual, np.eye(3))


def test_weights_missing_values_and_what_was_dropped() -> None:
    scores = np.array([[0.9, 0.1], [np.nan, 0.5], [0.2, 0.8], [0.5, 0.5]])
    m = from_scores(
        [0, 1, None, 1], scores, labels=[0, 1], weights=[2.5, 1, 3, 0.5], missing="drop"
    )
    assert m.counts.tolist() == [[2.5, 0], [0.5, 0]]
    assert m.dropped == 1 + 3
    assert m.squares is not None
    assert m.squares.tolist() == [[2.5**2, 0], [0.5**2, 0]]
    with pytest.raises(LabelError, match=r"missing labels: 1 in `actual`, the first at position 2"):
        from_scores([0, 1, None, 1], np.nan_to_num(scores), labels=[0, 1], kind="scores")


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "options", "said"),
    [
        ([[0.7, 0.4], [0.5, 0.5]], {}, r"row 0 adds up to 1\.1: 0\.7, 0\.4\. Say kind='logits'"),
        ([[0.5, 0.5], [1.5, -0.5]], {}, r"1\.5 in row 1, beyond 0 to 1"),
        ([0.2, float("nan")], {}, r"NaN in 1 of 2 rows, the first in row 1; say missing='drop'"),
        ([0.2, 0.3], {"kind": "scores"}, "give `threshold`"),
        ([0.2, 0.3], {"kind": "probability"}, "must be one of 'probabilities', 'logits', 'scores'"),
        ([0.2, 0.3], {"missing": "collect"}, "must be 'error' or 'drop'"),
        ([0.2, 0.3], {"threshold": float("nan")}, "`threshold` must be a number"),
        ([0.2, 0.3], {"top_k": 2}, "`top_k` needs a score for each class"),
        ([0.2, 0.3], {"labels": [0, 1, 2]}, "`labels` names 3"),
        ([0.2], {}, r"`actual` has 2 labels and `scores` has 1 rows"),
        ("ab", {}, "not str 'ab'"),
        ([[0.5], [0.5, 0.5]], {}, "as many numbers in each row as in the first, 1"),
        (np.zeros((2, 2, 2)), {}, r"not \(2, 2, 2\)"),
        (np.array([2**60, 0]), {"kind": "logits"}, r"integers beyond 2\*\*53"),
        (np.eye(2), {"top_k": 3}, "`top_k` is 3, but there are only 2 columns"),
        (
            np.eye(3)[:2],
            {"labels": range(3), "threshold": 0.5},
            "`threshold` parts two classes, and there are 3",
        ),
        (
            np.eye(2),
            {"labels": cm.Labels([0, 1], outside=["(other)"])},
            r"outside the classes: '\(other\)'",
        ),
    ],
    ids=map(str, range(17)),
)
def test_what_is_wrong_is_said(scores: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfmatError, match=said):
        from_scores([0, 1], scores, **options)


@pytest.mark.parametrize(
    ("actual", "options", "said"),
    [
        (
            ["a", "b"],
            {},
            r"which of 'a', 'b' do high scores speak for\? Say so, such as positive='b'",
        ),
        (["a", "a"], {}, r"only one occurs; name both"),
        (
            [0, 2],
            {"labels": [0, 1]},
            r"2 in `actual` is not among the classes 0, 1; the first is at position 1",
        ),
        ([[0, 1], [1, 0]], {}, "one label per item"),
        ([0.5, 0.1], {}, "labels may be floats only where they hold integers"),
        (["\x1b[2J", "\u202egod"], {}, r"'\\x1b\[2J', '\\u202egod' do high scores"),
    ],
    ids=map(str, range(6)),
)
def test_what_is_wrong_with_labels_is_said(actual: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfmatError, match=said) as caught:
        from_scores(actual, [0.1, 0.9], **options)
    assert len(str(caught.value)) < 500


def test_counting_scores_names_what_takes_them() -> None:
    for scores in (np.array([[0.2, 0.8], [0.6, 0.4]]), [0.2, 0.8], np.array([0.2, 0.8])):
        with pytest.raises(ConfmatError, match=r"confmat\.from_scores\(actual, scores\)"):
            cm.count([0, 1], scores)


def test_nothing_is_a_matrix_of_zeros() -> None:
    assert from_scores([], np.zeros((0, 3)), labels=["a", "b", "c"]).total == 0
    assert from_scores([], [], labels=["a", "b"], positive="b").total == 0


def test_top_k_accuracy_needs_columns() -> None:
    with pytest.raises(InputError, match="needs a score for each class"):
        top_k_accuracy([0, 1], [0.1, 0.2], 1)
    with pytest.raises(InputError, match="`k` is 5, but there are only 2 columns"):
        top_k_accuracy([0, 1], np.eye(2))


def test_texts_of_digits_have_two_orders_and_none_is_guessed() -> None:
    classes = ["0", "1", "10", "2"]
    actual, scores = ["0", "1", "10", "2"], np.eye(4)
    for call in (
        from_scores,
        lambda a, s: top_k_accuracy(a, s, 2),
        lambda a, s: cm.thresholds(a, s, of="10"),
    ):
        with pytest.raises(
            LabelError, match=r"by value .*'2'.* as text.*'10'.* labels=model\.classes_"
        ):
            call(actual, scores)
    assert from_scores(actual, scores, labels=classes) == cm.count(actual, actual, labels=classes)
    assert cm.accuracy(from_scores(actual, scores, labels=classes)) == 1.0
    # One order only: nothing to ask.
    assert from_scores(["0", "1", "2"], np.eye(3)).labels.classes == ("0", "1", "2")
    # Two classes of one column of scores are not columns, and the order of categories is their own.
    assert len(cm.thresholds(["2", "10"], [0.1, 0.9], positive="10")) == 3


@pytest.mark.parametrize("threshold", [50, 1.5, -0.1, np.float32(2)])
def test_a_threshold_of_probabilities_lies_within_0_and_1(threshold: float) -> None:
    for scores in ([0.9, 0.2], [[0.1, 0.9], [0.8, 0.2]]):
        with pytest.raises(
            InputError,
            match=r"a threshold of probabilities lies within 0 and 1, and .*50 per cent is",
        ):
            from_scores([1, 0], scores, threshold=threshold)
        assert from_scores([1, 0], scores, threshold=threshold, kind="scores").total == 2
        assert from_scores([1, 0], scores, threshold=math.inf).tp == 0
        assert (
            from_scores([1, 0], scores, threshold=1).tp
            == from_scores([1, 0], scores, threshold=0).tn
            == 0
        )


def test_what_is_nearly_right_is_told_what_is_not() -> None:
    rounded = [[0.5, 0.51], [0.5, 0.5]]
    with pytest.raises(
        InputError,
        match=r"row 0 adds up to 1\.01: .* rounded, divide each row by its sum, or say kind",
    ):
        from_scores([0, 1], rounded)
    assert from_scores([0, 1], rounded, kind="scores").total == 2
    with pytest.raises(LabelError, match="there are no labels in `actual` to say which; name both"):
        from_scores([], [])
    with pytest.raises(LabelError, match="3 columns, and `actual` holds no labels; say which"):
        from_scores([], np.zeros((0, 3)))
    with pytest.raises(LabelError, match="did you mean True, which is bool"):
        cm.thresholds([True, False], [0.5, 0.4], of=1)
