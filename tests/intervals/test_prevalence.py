"""Scores at another prevalence: values by hand, and their doubt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.intervals import Estimate, interval

TEST = cm.ConfusionMatrix(
    [[90, 10], [32, 968]], labels=cm.Labels(["sick", "well"], positive="sick")
)


def one(*args: Any, **options: Any) -> Estimate:
    found = interval(*args, **options)
    assert isinstance(found, Estimate)
    return found


@pytest.mark.parametrize("share", [0.5, 0.05, 0.01])
def test_precision_by_hand(share: float) -> None:
    recall, alarm = 0.9, 0.032
    found = one(TEST, "precision[sick]", at_prevalence=share)
    assert found.value == pytest.approx(share * recall / (share * recall + (1 - share) * alarm))
    assert found == one(TEST, "precision[sick]", at_prevalence={"sick": share})


def test_what_rows_say_alone_does_not_change() -> None:
    here, there = one(TEST, "recall[sick]"), one(TEST, "recall[sick]", at_prevalence=0.01)
    assert (there.value, there.se) == pytest.approx((here.value, here.se))
    assert (there.low, there.high) == pytest.approx((here.low, here.high), abs=0.002)


def test_the_prevalence_of_the_test_set_changes_no_value() -> None:
    m = cm.ConfusionMatrix([[30, 10, 5], [4, 60, 9], [8, 2, 22]])
    shares = dict(zip(m.labels, (m.actual_totals / m.total).tolist(), strict=True))
    for score in ("f1.macro", "mcc", "precision[1]"):
        found = one(m, score, at_prevalence=shares)
        assert (found.value, found.se) == pytest.approx(
            (cm.score(m, score), one(m, score, design="actual").se), rel=1e-9
        )


def test_the_others_keep_their_proportions() -> None:
    m = cm.ConfusionMatrix([[30, 10, 5], [4, 60, 9], [8, 2, 22]])
    found = one(m, "prevalence[1]", at_prevalence={0: 0.1})
    assert found.value == pytest.approx(0.9 * 73 / (73 + 32))


def test_where_no_alarm_was_false_the_precision_is_not_sure() -> None:
    """The false positive rate of 20 may be a sixth, and then hardly a positive of a hundred is sick."""
    m = cm.ConfusionMatrix([[18, 2], [0, 20]], labels=TEST.labels)
    found, ratio = (
        one(m, "precision[sick]", at_prevalence=0.01),
        one(m, "positive_likelihood_ratio[sick]"),
    )
    assert found.value == found.high == 1
    assert found.low == pytest.approx(1 / (1 + 99 / ratio.low), rel=1e-5)
    assert one(m, "positive_likelihood_ratio[sick]", at_prevalence=0.01).low == pytest.approx(
        ratio.low, rel=1e-5
    )
    for score, at in (
        ("precision", cm.metrics.precision_at),
        ("npv", cm.metrics.negative_predictive_value_at),
    ):
        here, there = (
            one(TEST, at(0.01), of="sick"),
            one(TEST, f"{score}[sick]", at_prevalence=0.01),
        )
        assert (here.low, here.high) == pytest.approx((there.low, there.high), rel=1e-5)


def test_of_two_classes_a_bare_score_is_that_of_the_positive_one() -> None:
    assert one(TEST, "f1", at_prevalence=0.05) == one(TEST, "f1[sick]", at_prevalence=0.05)
    assert one(TEST, cm.recall) == one(TEST, "recall[sick]")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (1.5, "between 0 and 1"),
        ({"sick": 0.5, "well": 0.6}, "together no more than 1"),
        ({"sick": 0.5, "well": 0.4}, "add up to 1; got 0.9"),
        ({"ill": 0.5}, "no label 'ill'"),
        ("half", "a share, or a mapping"),
    ],
)
def test_what_is_wrong_is_said(given: Any, message: str) -> None:
    with pytest.raises(cm.ConfmatError, match=message):
        interval(TEST, "mcc", at_prevalence=given)


def test_what_cannot_be_known_is_said() -> None:
    empty = cm.ConfusionMatrix([[5, 5], [0, 0]], labels=["a", "b"])
    with pytest.raises(cm.InputError, match="'b' a share, but the matrix has no items"):
        interval(empty, "mcc", at_prevalence={"b": 0.5})
    with pytest.raises(cm.InputError, match="say which class has that prevalence"):
        interval(empty, "mcc", at_prevalence=0.5)
    with pytest.raises(cm.InputError, match="only the rows vary"):
        interval(TEST, "mcc", at_prevalence=0.5, method="bootstrap")


# --- planning -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "width"), [(0.9, 0.1), (0.5, 0.02), (1.0, 0.05), (0.0, 0.3)])
def test_as_many_items_as_it_takes_and_not_one_more(share: float, width: float) -> None:
    from confmat.intervals.bounds import wilson

    n = cm.items_needed(share, width=width)
    for items, enough in ((n, True), (n - 1, False)):
        low, high = wilson(share, items)
        assert bool(high - low <= width) is enough


def test_a_plan_from_a_first_sample_holds() -> None:
    first = cm.ConfusionMatrix([[40, 5, 5], [6, 30, 4], [2, 3, 25]])
    for score in ("f1.macro", "mcc", "recall[0]", "mutual_information"):
        width = one(first, score).width / 3
        n = cm.items_needed(first, score, width=width)
        more = cm.ConfusionMatrix(first.counts * (n / first.total))
        assert one(
            cm.ConfusionMatrix(np.rint(more.counts).astype(int)), score
        ).width == pytest.approx(width, rel=0.1)


# --- clusters -------------------------------------------------------------------------------------


def test_clusters_are_counted_and_named() -> None:
    stack = cm.count(list("aabb"), list("abbb"), clusters=[1, 1, 2, 2])
    assert stack.axis == "cluster"
    assert stack.sum() == cm.count(list("aabb"), list("abbb"))
    assert one(stack, "accuracy").design == "2 clusters"
    with pytest.raises(cm.InputError, match="makes a stack"):
        cm.count([0], [0], by=[1], clusters=[1])  # type: ignore[call-overload]  # what people try
