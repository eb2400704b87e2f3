"""The matrix of several images keeps them apart: intervals go by image, and pixels alone have none."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import confmat as cm

NAMES = ["road", "car"]
# Ten images of 100 pixels, of which 90, 80 ... are right in each second one.
RIGHT = [90, 50, 80, 60, 70, 100, 90, 40, 80, 70]


def maps(right: list[int]) -> tuple[list[Any], list[Any]]:
    """Label maps with so many right pixels each, half of them road."""
    truth = [np.repeat([0, 1], 50).reshape(10, 10) for _ in right]
    wrong = [np.arange(100).reshape(10, 10) % 50 >= n / 2 for n in right]
    return truth, [np.where(bad, 1 - one, one) for one, bad in zip(truth, wrong, strict=True)]


def counted(right: list[int], **options: Any) -> Any:
    return cm.count_masks(*maps(right), labels=NAMES, **options)


def test_intervals_go_by_image_as_those_of_the_stack() -> None:
    m, stack = counted(RIGHT), counted(RIGHT, per_image=True)
    assert m == stack.sum()
    assert m.total == 1000
    assert cm.accuracy(m) == sum(RIGHT) / 1000
    for score in ("accuracy", "jaccard.macro", "recall[car]", "f1.macro"):
        mine, theirs = cm.interval(m, score), cm.interval(stack, score)
        assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)
    assert cm.interval(m, "accuracy").design == "10 images"
    pixels = cm.interval(cm.ConfusionMatrix(m.counts.astype(int), NAMES), "accuracy")
    assert cm.interval(m, "accuracy").width > 3 * pixels.width


def test_matrices_of_other_images_add() -> None:
    whole, parts = counted(RIGHT), [counted(RIGHT[:4]), counted(RIGHT[4:7]), counted(RIGHT[7:])]
    both = sum(parts)
    assert both == whole
    assert [str(note) for note in both.notes] == ["1,000 pixels of 10 images"]
    assert cm.interval(both, "f1.macro").low == pytest.approx(
        cm.interval(whole, "f1.macro").low, abs=1e-12
    )
    copied = pickle.loads(pickle.dumps(whole))
    assert (copied, cm.interval(copied, "accuracy")) == (whole, cm.interval(whole, "accuracy"))
    # Labels of one part only.
    more = whole + cm.count_masks([[[0, 2]]] * 2, [[[0, 2]]] * 2, labels=["road", "car", "sky"])
    assert (more.total, set(more.labels), len(more.notes)) == (1004, {"road", "car", "sky"}, 1)
    assert cm.interval(more, "accuracy").design == "12 images"


def test_pixels_that_are_not_kept_apart_have_no_interval(tmp_path: Any) -> None:
    cm.save(counted(RIGHT), tmp_path / "m.json")
    stored, single, summed = (
        cm.load(tmp_path / "m.json"),
        counted([80]),
        counted(RIGHT, per_image=True).sum(),
    )
    assert isinstance(stored, cm.ConfusionMatrix)
    for m in (
        stored,
        single,
        summed,
        stored + single,
        stored.one_vs_rest("car"),
        counted(RIGHT).one_vs_rest("car"),
    ):
        found = cm.interval(m, "accuracy")
        assert found.value == cm.accuracy(m)
        assert np.isnan([found.low, found.high]).all()
        assert "per_image=True" in found.note
        assert str(found) == f"{found.value:.3f}"
        text = str(cm.report(m, ["recall", "accuracy"], intervals=True))
        assert "[intervals]: the pixels of an image are alike" in text
        assert "[0." not in text
    images = str(cm.report(counted(RIGHT, per_image=True), intervals=True))
    assert "[intervals]: the pixels of an image are alike" in images
    assert "independent items" not in images
    each: Any = cm.interval(stored, "recall")
    assert np.isnan([*each.low, *each.high]).all()
    assert each.value.tolist() == np.asarray(cm.recall(stored)).tolist()


def test_models_are_compared_by_their_stacks() -> None:
    old, new = (
        counted(right, per_image=True) for right in (RIGHT, [min(100, n + 10) for n in RIGHT])
    )
    found = cm.compare({"old": old.sum(), "new": new.sum()}, metrics=["accuracy"])
    assert found.differences[0].verdict == "not comparable"
    assert "per_image=True" in str(found)
    assert (
        cm.compare({"old": old, "new": new}, metrics=["accuracy"]).differences[0].verdict
        == "different"
    )


def test_groups_of_images_have_intervals_by_image() -> None:
    groups = counted(RIGHT, by=[*"ab" * 5])
    for name, which in (("a", RIGHT[::2]), ("b", RIGHT[1::2])):
        assert cm.interval(groups[name], "accuracy") == cm.interval(counted(which), "accuracy")


def test_too_many_cells_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("confmat.segmentation.counting.MAX_STACK_CELLS", 8)
    m = counted(RIGHT)
    assert (m.total, [str(note) for note in m.notes]) == (1000, ["1,000 pixels of 10 images"])
    assert np.isnan(cm.interval(m, "accuracy").low)
