"""Risk against coverage: each point, both areas and both questions against their definitions, item by item."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import Answers, InputError, LabelError, risk_coverage
from confmat.deciding import RiskPoint

Items = list[tuple[int, int, float]]
some_items = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9])),
    min_size=1,
    max_size=25,
)


def sides(items: Items) -> tuple[list[int], list[int], list[float]]:
    actual, predicted, confidence = zip(*items, strict=True)
    return list(actual), list(predicted), list(confidence)


def points(items: Items) -> list[RiskPoint]:
    found = []
    for threshold in sorted({c for _, _, c in items}, reverse=True):
        answered = [(a, p) for a, p, c in items if c >= threshold]
        wrong = sum(a != p for a, p in answered)
        found.append(RiskPoint(len(answered) / len(items), wrong / len(answered), threshold))
    return found


@given(some_items)
def test_points_and_questions_are_those_of_the_definition(items: Items) -> None:
    curve, wanted = risk_coverage(*sides(items), labels=[0, 1, 2]), points(items)
    assert curve.points()[0][0::2] == (0.0, np.inf)
    assert np.isnan(curve.y[0])
    assert curve.points()[1:] == [pytest.approx(tuple(point)) for point in wanted]
    assert curve.generalized[1:] == pytest.approx([point.coverage * point.risk for point in wanted])
    for asked in (0, 0.3, 0.5, 1):
        assert curve.at_coverage(asked).coverage == pytest.approx(
            0
            if asked == 0
            else min(point.coverage for point in wanted if point.coverage >= asked - 1e-12)
        )
        allowed = [point.coverage for point in wanted if point.risk <= asked + 1e-12]
        assert curve.at_risk(asked).coverage == pytest.approx(max(allowed, default=0))


@given(some_items)
def test_areas_are_those_of_their_definitions(items: Items) -> None:
    curve, wanted = risk_coverage(*sides(items), labels=[0, 1, 2]), points(items)
    n = len(items)
    # Each item brings the risk at the threshold that admits it.
    assert curve.aurc == pytest.approx(
        sum(p.risk for _, _, c in items for p in wanted if p.threshold == c) / n
    )
    # A wrong answer and a second item that is no more confident, ties counted half.
    chance = (
        sum(
            (a != p) * ((c > other) + (c == other) / 2)
            for a, p, c in items
            for _, _, other in items
        )
        / n**2
    )
    assert curve.augrc == pytest.approx(chance)
    right, wrong = ([c for a, p, c in items if (a == p) is is_right] for is_right in (True, False))
    accuracy = len(right) / n
    pairs = [(r > w) + (r == w) / 2 for r in right for w in wrong]
    auroc = float(np.mean(pairs)) if pairs else 0.5
    assert curve.augrc == pytest.approx(
        (1 - auroc) * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2
    )


@given(some_items, st.data())
def test_weights_are_repetitions_and_order_is_nothing(items: Items, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(items), max_size=len(items)))
    if not sum(weights):
        return
    repeated = [item for item, weight in zip(items, weights, strict=True) for _ in range(weight)]
    wanted = risk_coverage(*sides(repeated), labels=[0, 1, 2])
    assert risk_coverage(*sides(items), labels=[0, 1, 2], weights=weights) == wanted
    assert risk_coverage(*sides(items), labels=[0, 1, 2], weights=np.array(weights) * 0.5) == wanted
    assert risk_coverage(*sides(repeated[::-1]), labels=[0, 1, 2]) == wanted


def test_free_answers_and_labels_outside_the_classes() -> None:
    rules = Answers(["no", "yes"], refused="I cannot*")
    curve = risk_coverage(
        ["yes", "no", "no"], ["Yes.", "I cannot", "hm"], [0.9, 0.5, 0.1], answers=rules
    )
    assert curve.y[1:].tolist() == pytest.approx([0, 1 / 2, 2 / 3])


def test_what_is_missing_is_an_error_or_left_out() -> None:
    for actual, predicted, confidence in (
        (["a", None, "b"], ["a", "b", "a"], [0.9, 0.5, 0.4]),
        (["a", "b", "b"], ["a", None, "a"], [0.9, 0.5, 0.4]),
        (["a", "b", "b"], ["a", "b", "a"], [0.9, None, 0.4]),
        (["a", "b", "b"], ["a", "b", "a"], np.array([0.9, np.nan, 0.4])),
    ):
        with pytest.raises((InputError, LabelError), match=r"missing labels|`confidence` has NaN"):
            risk_coverage(actual, predicted, confidence)
        assert risk_coverage(actual, predicted, confidence, missing="drop").x.tolist() == [
            0,
            0.5,
            1,
        ]


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((["a"], ["a", "b"], [1, 2]), {}, "`predicted` has 2"),
        ((["a", "b"], ["a", "b"], [1]), {}, "`confidence` has 1"),
        ((["a"], ["a"], [[0.5, 0.5]]), {}, "one number per item"),
        ((["a"], ["a"], [np.inf]), {}, "infinite"),
        (([], [], []), {}, "no items"),
        ((["a"], ["a"], [1]), {"missing": "collect"}, "`missing`"),
        ((["a"], ["b"], [1]), {"labels": ["a"]}, "not among `labels`"),
    ],
)
def test_what_cannot_be_read_is_refused(arguments: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, LabelError), match=re.escape(said)):
        risk_coverage(*arguments, **options)


def test_a_curve_is_a_value() -> None:
    curve = risk_coverage(["a", "b"], ["a", "a"], [0.9, 0.5])
    data = json.loads(json.dumps(curve.to_dict()))
    assert data["aurc"] == 0.25
    assert data["augrc"] == 0.125
    assert data["selective risk"] == [None, 0.0, 0.5]
    assert str(curve).splitlines()[0].split() == ["threshold", "coverage", "selective", "risk"]
    with pytest.raises(InputError, match="`risk` is a share"):
        curve.at_risk(5)
    with pytest.raises(ValueError, match="read-only"):
        curve.generalized[0] = 1


def test_what_is_wrong_with_the_confidence_is_said_of_it() -> None:
    for sure, said in (
        ("`scores`", r"^`confidence` must be numbers, .* not str '`scores`'$"),
        ([[0.1, 0.9], [0.2]], "^`confidence` must have as many numbers in each row"),
        (["a", "b"], "^`confidence` must be numbers"),
        ([0.5, None], "^`confidence` has NaN in 1 of 2 rows"),
    ):
        with pytest.raises(InputError, match=said):
            risk_coverage([1, 0], [1, 0], sure)
