"""COCO's average precision: against pycocotools, and against its definition on cases that one can follow."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest

import confmat as cm
from tests.detection.scenes import coco_of

pytestmark = pytest.mark.usefixtures("kernel")


def pycoco(truth: dict[str, Any], results: list[dict[str, Any]]) -> Any:
    """pycocotools' precision at every threshold and recall, for each category."""
    coco = pytest.importorskip("pycocotools.coco", reason="pycocotools is not installed")
    evaluation = pytest.importorskip("pycocotools.cocoeval", reason="pycocotools is not installed")
    with contextlib.redirect_stdout(io.StringIO()):
        annotated = coco.COCO()
        annotated.dataset = truth
        annotated.createIndex()
        judged = evaluation.COCOeval(annotated, annotated.loadRes(results), "bbox")
        judged.evaluate()
        judged.accumulate()
        judged.summarize()
    return judged


@pytest.mark.peers
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_it_agrees_with_pycocotools(seed: int) -> None:
    # Whole numbers and few scores, so that overlaps and scores tie; crowds in every third scene.
    truth, results = coco_of(
        seed, images=12, boxes=14, classes=3, crowds=seed % 3 == 0, crowded=seed % 4 == 0
    )
    judged = pycoco(truth, results)
    found = cm.detection.coco_average_precision(*cm.detection.read_coco(truth, results))
    # Thresholds, recalls, classes; all areas, a hundred boxes at most. -1 stands for a class
    # without truths.
    theirs = judged.eval["precision"][:, :, :, 0, 2].mean(axis=1)
    theirs[theirs < 0] = np.nan
    np.testing.assert_allclose(found.precision, theirs, atol=1e-12)
    assert found.mean == pytest.approx(judged.stats[0], abs=1e-12)
    assert found.at(0.5) == pytest.approx(judged.stats[1], abs=1e-12)
    assert found.at(0.75) == pytest.approx(judged.stats[2], abs=1e-12)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("ignore", [0, 1, None])
@pytest.mark.parametrize("iscrowd", [0, 1])
def test_what_is_ignored_is_what_pycocotools_ignores_or_refused(
    ignore: int | None, iscrowd: int
) -> None:
    truth, results = coco_of(1, images=6, boxes=8, classes=2)
    for one in truth["annotations"][::3]:
        one.update({"iscrowd": iscrowd} | ({} if ignore is None else {"ignore": ignore}))
    if ignore and not iscrowd:
        with pytest.raises(cm.InputError, match="COCO's own evaluation takes it for a truth"):
            cm.detection.read_coco(truth, results)
        return
    # pycocotools writes into what it is given.
    found = cm.detection.coco_average_precision(*cm.detection.read_coco(truth, results))
    assert found.mean == pytest.approx(pycoco(truth, results).stats[0], abs=1e-12)


def test_ignore_without_iscrowd_is_a_region_to_ignore_and_annotations_need_no_ids() -> None:
    """pycocotools raises in both."""
    truth, results = coco_of(1, images=6, boxes=8, classes=2, crowds=True)
    expected = cm.detection.coco_average_precision(*cm.detection.read_coco(truth, results))
    for one in truth["annotations"]:
        one["ignore"] = one.pop("iscrowd")
        del one["id"]
    found = cm.detection.coco_average_precision(*cm.detection.read_coco(truth, results))
    assert found.mean == expected.mean


def scored(
    boxes: list[list[float]], scores: list[float], label: str = "cat"
) -> list[dict[str, Any]]:
    return [{"boxes": boxes, "labels": [label] * len(boxes), "scores": scores}]


def test_precision_is_read_off_at_a_hundred_and_one_recalls() -> None:
    truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": ["cat", "cat"]}]
    # A hit, a false alarm, a hit: precisions 1, 1/2, 2/3 at recalls 1/2, 1/2, 1.
    predicted = scored([[0, 0, 10, 10], [50, 0, 60, 10], [20, 0, 30, 10]], [0.9, 0.8, 0.7])
    found = cm.detection.coco_average_precision(truth, predicted, iou=0.5)
    assert found.mean == pytest.approx((51 * 1 + 50 * 2 / 3) / 101)
    assert found.of("cat") == found.at(0.5) == found.mean


def test_a_class_without_truths_is_nobodys_average() -> None:
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": ["cat"]}]
    predicted = [
        {"boxes": [[0, 0, 10, 10], [0, 0, 9, 9]], "labels": ["cat", "dog"], "scores": [0.5, 0.9]}
    ]
    found = cm.detection.coco_average_precision(truth, predicted)
    assert found.mean == 1.0
    assert np.isnan(found.of("dog"))
    data = found.to_dict()
    assert (data["mean"], data["by_iou"][0]) == (1.0, {"iou": 0.5, "precision": 1.0})
    assert data["by_class"] == [
        {"label": "cat", "precision": 1.0},
        {"label": "dog", "precision": None},
    ]
    assert (
        str(found)
        == "        AP   AP50   AP75\ncat  1.000  1.000  1.000\ndog\nall  1.000  1.000  1.000"
    )


def test_only_the_most_confident_of_an_image_and_class_count() -> None:
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": ["cat"]}]
    predicted = scored([[50, 0, 60, 10], [0, 0, 10, 10]], [0.9, 0.8])
    assert cm.detection.coco_average_precision(truth, predicted, per_image=1).mean == 0.0
    assert cm.detection.coco_average_precision(truth, predicted, per_image=2).mean == pytest.approx(
        0.5
    )


def test_what_cannot_be_asked() -> None:
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": ["cat"]}]
    with pytest.raises(cm.InputError, match="no `scores`"):
        cm.detection.coco_average_precision(truth, truth)
    found = cm.detection.coco_average_precision(
        truth, scored([[0, 0, 9, 9]], [0.5]), iou=[0.5, 0.6]
    )
    with pytest.raises(cm.InputError, match=r"no threshold 0\.75; there are 0\.5, 0\.6"):
        found.at(0.75)
    with pytest.raises(cm.LabelError, match="dog"):
        found.of("dog")
    with pytest.raises(cm.InputError, match="`per_image` must be a whole number"):
        cm.detection.coco_average_precision(truth, scored([[0, 0, 9, 9]], [0.5]), per_image=0)
