"""Kinds of errors of boxes: a slow independent definition, sums, what the page says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm

KINDS = ("missed", "class", "duplicate", "place", "both", "background")


def box(x: float, y: float = 0.0) -> list[float]:
    return [x, y, x + 10, y + 10]


def overlap(a: Any, b: Any) -> float:
    wide, high = (min(a[i + 2], b[i + 2]) - max(a[i], b[i]) for i in (0, 1))
    both = max(0.0, wide) * max(0.0, high)
    area = sum((one[2] - one[0]) * (one[3] - one[1]) for one in (a, b))
    return both / (area - both)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    def side(scored: bool) -> dict[str, Any]:
        n = draw(st.integers(0, 6))
        places = draw(
            st.lists(st.tuples(st.integers(0, 14), st.integers(0, 6)), min_size=n, max_size=n)
        )
        one: dict[str, Any] = {
            "boxes": [box(x, y) for x, y in places] or np.zeros((0, 4)),
            "labels": draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)),
        }
        return one | (
            {"scores": draw(st.lists(st.sampled_from([0.3, 0.6, 0.9]), min_size=n, max_size=n))}
            if scored
            else {}
        )

    images = draw(st.integers(1, 3))
    return [side(False) for _ in range(images)], [side(True) for _ in range(images)]


@given(scenes(), st.sampled_from(["optimal", "confidence", "overlap"]))
def test_kinds_follow_from_the_largest_overlaps(scene: Any, matching: Any) -> None:
    """Each error by the words of its kind, from the boxes that the examples show."""
    truth, predicted = scene
    options: dict[str, Any] = {"labels": ["a", "b", "c"], "matching": matching}
    errors = cm.detection.box_errors(truth, predicted, per_cell=1000, hits=True, **options)
    m = cm.count_boxes(truth, predicted, **options)
    assert errors.matrix == m
    counts = dict.fromkeys(("missed", "covered", *KINDS[1:]), 0)
    for (actual, guess), rows in errors.examples.items():
        for row in rows:
            sides = truth[row["image"]], predicted[row["image"]]
            if guess == "background":
                counts["covered" if row["error"] == "place" else "missed"] += 1
                continue
            here = list(map(float, row["predicted box"].split()))
            best = {True: 0.0, False: 0.0}
            for other, label in zip(sides[0]["boxes"], sides[0]["labels"], strict=True):
                best[label == guess] = max(best[label == guess], overlap(other, here))
            own, other = best[True], best[False]
            expected = (
                None if actual == guess
                else "class" if actual != "background" or (other >= 0.5 > own)
                else "duplicate" if own >= 0.5
                else "place" if own >= 0.1
                else "both" if other >= 0.1
                else "background"
            )  # fmt: skip
            assert row["error"] == expected
            counts[expected or "hit"] = counts.get(expected or "hit", 0) + 1
    # Equal items are one example; of all items there are as many errors as the matrix has.
    wrong = errors.counts.sum(axis=0)
    boxes = int(m.predicted_totals[: m.n_classes].sum() - m.diagonal.sum())
    assert wrong[1:].sum() == boxes
    assert wrong[0] <= m.counts[: m.n_classes, -1].sum()
    # One box may be out of place beside several objects.
    assert counts["place"] or not counts["covered"]


def test_an_object_is_missed_or_has_a_box_out_of_place() -> None:
    truth = [{"boxes": [box(0), box(14)], "labels": ["a", "a"]}]
    predicted = [{"boxes": [box(6)], "labels": ["a"], "scores": [0.9]}]
    # The box lies between two objects, nearer to the first.
    assert cm.detection.box_errors(truth, predicted).counts.tolist() == [[1, 0, 0, 1, 0, 0]]


def test_options_that_mean_nothing_are_refused() -> None:
    truth, predicted = (
        [{"boxes": [box(0)], "labels": ["a"]}],
        [{"boxes": [box(0)], "labels": ["a"], "scores": [0.5]}],
    )
    for near in (0, 0.6, -1):
        with pytest.raises(cm.InputError, match=r"`near` is above 0 and at most `iou`, 0\.5"):
            cm.detection.box_errors(truth, predicted, near=near)
    with pytest.raises(cm.InputError, match="`matching` must be"):
        cm.detection.box_errors(truth, predicted, matching="best")  # type: ignore[arg-type]
    plain = [{"boxes": [box(0)], "labels": ["a"]}]
    assert cm.detection.box_errors(truth, plain, confidence=None).precision is None
