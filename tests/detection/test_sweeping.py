"""Detection matrices: each known way to get them wrong, brute force on small scenes, and what one may pass."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat.detection import counting

pytestmark = pytest.mark.usefixtures("kernel")

Record = dict[str, Any]


def record(*boxes: tuple[Any, ...]) -> Record:
    """A record of boxes given as (x1, y1, x2, y2, label[, score])."""
    made: Record = {"boxes": [list(box[:4]) for box in boxes], "labels": [box[4] for box in boxes]}
    return made | ({"scores": [box[5] for box in boxes]} if boxes and len(boxes[0]) > 5 else {})


def counts(m: cm.ConfusionMatrix) -> dict[tuple[Any, Any], int]:
    return {pair: int(count) for pair, count in m.pairs().items()}


# ---- the wrong behaviours of other tools ---------------------------------------------------------

CAT, FAR = (0, 0, 10, 10, "cat"), (50, 50, 60, 60)


def test_row_72_background_stands_in_the_last_row_and_column_and_rows_sum_to_truths() -> None:
    truth = [record(CAT, (20, 20, 30, 30, "dog"))]
    predicted = [record((*CAT, 0.9), (*FAR, "cat", 0.8))]
    m = cm.count_boxes(truth, predicted)
    assert list(m.labels) == ["cat", "dog", "background"]
    assert m.labels.outside == ("background",)
    assert counts(m) == {("cat", "cat"): 1, ("dog", "background"): 1, ("background", "cat"): 1}
    assert m.actual_totals[:2].tolist() == [1, 1]
    assert m.normalize("actual")[:2].sum(axis=1).tolist() == [1, 1]
    # A miss is a false negative of its class, a spurious box a false positive of its own, and
    # neither is a class.
    assert (m.cells.fn.tolist(), m.cells.fp.tolist()) == ([0, 1], [1, 0])


@pytest.mark.parametrize("matching", ["optimal", "confidence", "overlap"])
def test_row_73_spurious_boxes_count_whether_others_match_or_none_does(matching: Any) -> None:
    spurious = (*FAR, "dog", 0.9)
    for truth, more in ((record(CAT), [(*CAT, 0.9)]), (record(CAT), []), (record(), [])):
        m = cm.count_boxes([truth], [record(*more, spurious, spurious)], matching=matching)
        assert m.pairs()["background", "dog"] == 2


@pytest.mark.parametrize(
    "nothing",
    [
        {"boxes": np.zeros((0, 6)), "labels": [], "scores": []},
        {"boxes": []},
    ],
)
def test_row_74_no_detections_are_misses_of_the_true_classes(nothing: Record) -> None:
    # Coordinates that look like classes must not be taken for them.
    m = cm.count_boxes(
        [record((1, 2, 3, 4, 0), (0, 1, 2, 3, 1))], [nothing], labels=["cat", "dog", "hen", "owl"]
    )
    assert counts(m) == {("cat", "background"): 1, ("dog", "background"): 1}


@pytest.mark.parametrize("matching", ["optimal", "confidence", "overlap"])
def test_row_75_the_right_class_is_not_lost_to_a_larger_overlap_of_a_wrong_one(
    matching: Any,
) -> None:
    truth = [record((0, 0, 100, 100, "cat"))]
    predicted = [record((0, 0, 82, 100, "cat", 0.5), (0, 0, 100, 100, "dog", 0.9))]
    m = cm.count_boxes(truth, predicted, matching=matching)
    assert counts(m) == {("cat", "cat"): 1, ("background", "dog"): 1}
    by_overlap = cm.count_boxes(truth, predicted, matching=matching, same_class="ignored")
    assert counts(by_overlap) == {("cat", "dog"): 1, ("background", "cat"): 1}


def test_row_76_both_thresholds_are_reached_by_what_is_equal() -> None:
    truth = [record(CAT)]
    half = [record((0, 0, 10, 5, "cat", 0.25))]
    assert counts(cm.count_boxes(truth, half, iou=0.5, confidence=0.25)) == {("cat", "cat"): 1}
    assert counts(cm.count_boxes(truth, half, iou=0.5 + 1e-12)) == {
        ("cat", "background"): 1,
        ("background", "cat"): 1,
    }
    assert counts(cm.count_boxes(truth, half, confidence=0.25 + 1e-12)) == {
        ("cat", "background"): 1
    }


@pytest.mark.parametrize("wrong", [-1, 3, 91])
def test_row_77_a_class_id_without_a_class_is_an_error_that_says_where(wrong: int) -> None:
    truth = {"a.jpg": record((0, 0, 1, 1, 2))}
    predicted = {"a.jpg": record((0, 0, 1, 1, 0, 0.9), (0, 0, 1, 1, wrong, 0.01))}
    with pytest.raises(
        cm.LabelError,
        match=rf"{wrong} in `predicted` is no class: class ids run from 0 to 2.* box 1 of",
    ):
        cm.count_boxes(truth, predicted, labels=["cat", "dog", "hen"])
    with pytest.raises(
        cm.LabelError, match=r"2 in `truth`.*the labels are 0, 1.*box 0 of image 'a\.jpg'"
    ):
        cm.count_boxes(truth, truth, labels=[0, 1], confidence=None)


def test_row_78_relative_boxes_beside_pixels_are_refused() -> None:
    pixels = [record((0, 0, 640, 480, "cat", 0.9))]
    relative = [record((0.25, 0, 1, 1, "cat", 0.9))]
    for truth, predicted, small in ((pixels, relative, "predicted"), (relative, pixels, "truth")):
        with pytest.raises(cm.InputError, match=f"boxes in `{small}` reach to 1 and .* to 640"):
            cm.count_boxes(truth, predicted)
    assert counts(cm.count_boxes(relative, relative)) == {("cat", "cat"): 1}


def test_row_78_that_nothing_overlaps_is_worth_a_warning() -> None:
    boxes = [(40 * i, 0, 40 * i + 10, 10, "cat", 0.9) for i in range(10)]
    moved = [(x1 + 20, y1, x2 + 20, y2, *rest) for x1, y1, x2, y2, *rest in boxes]
    with pytest.warns(
        cm.ConfmatWarning, match=r"none of 10 predicted boxes.*from 0 to 370.*from 0 to 390"
    ) as caught:
        cm.count_boxes([record(*boxes)], [record(*moved)])
    assert caught[0].filename == __file__


# ---- brute force ---------------------------------------------------------------------------------

Box = tuple[int, int, int, int, str]
Scene = list[tuple[list[Box], list[Box]]]


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Images with a few boxes each, crowded enough that they overlap."""
    box = st.tuples(*[st.integers(0, 4)] * 2, *[st.integers(2, 6)] * 2, st.sampled_from("ab")).map(
        lambda one: (one[0], one[1], one[0] + one[2], one[1] + one[3], one[4])
    )
    side = st.lists(box, max_size=3)
    return draw(st.lists(st.tuples(side, side), min_size=1, max_size=2))


def overlap(one: Box, other: Box) -> float:
    width = max(min(one[2], other[2]) - max(one[0], other[0]), 0)
    height = max(min(one[3], other[3]) - max(one[1], other[1]), 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return width * height / (sum(areas) - width * height)


def matchings(
    truth: list[Box], predicted: list[Box], iou: float
) -> Iterator[list[tuple[int, int]]]:
    """Every way to pair boxes that overlap enough."""
    for size in range(min(len(truth), len(predicted)) + 1):
        for mine in itertools.combinations(range(len(truth)), size):
            for theirs in itertools.permutations(range(len(predicted)), size):
                pairs = list(zip(mine, theirs, strict=True))
                if all(overlap(truth[i], predicted[j]) >= iou for i, j in pairs):
                    yield pairs


def most_hits(truth: list[Box], predicted: list[Box], iou: float) -> int:
    """The most pairs of one class."""
    alike = (
        len(pairs)
        for pairs in matchings(truth, predicted, iou)
        if all(truth[i][4] == predicted[j][4] for i, j in pairs)
    )
    return max(alike)


@given(scenes(), st.sampled_from([0.2, 0.5]))
def test_matched_boxes_are_as_many_as_brute_force_finds(drawn: Scene, iou: float) -> None:
    truth, predicted = ([record(*image[side]) for image in drawn] for side in (0, 1))
    options: dict[str, Any] = {"iou": iou, "confidence": None, "labels": ["a", "b"]}
    plain = cm.count_boxes(truth, predicted, same_class="ignored", **options)
    first = cm.count_boxes(truth, predicted, **options)
    only = cm.count_boxes(truth, predicted, same_class="only", **options)
    most = sum(max(map(len, matchings(image[0], image[1], iou))) for image in drawn)
    hits = sum(most_hits(image[0], image[1], iou) for image in drawn)
    boxes = sum(len(image[0]) + len(image[1]) for image in drawn)
    # Each match makes one item of two boxes.
    assert plain.total == boxes - most
    assert only.total == boxes - hits
    assert first.diagonal.sum() == only.diagonal.sum() == hits
    for m in (plain, first, only):
        true, found = (Counter(box[4] for image in drawn for box in image[side]) for side in (0, 1))
        assert m.actual_totals[:2].tolist() == [true["a"], true["b"]]
        assert m.predicted_totals[:2].tolist() == [found["a"], found["b"]]
    assert (np.asarray(only.counts)[[0, 1], [1, 0]] == 0).all()


@pytest.mark.slow
@given(scenes())
def test_a_sweep_is_what_its_thresholds_give_one_by_one(drawn: Scene) -> None:
    truth = [record(*image[0]) for image in drawn]
    rng = np.random.default_rng(0)
    predicted = [record(*((*box, round(rng.random(), 1)) for box in image[1])) for image in drawn]
    options: dict[str, Any] = {"labels": ["a", "b"]}
    ious, sures = [0.9, 0.2, 0.5], [0.0, 0.5, 0.9]
    for matching in ("optimal", "confidence", "overlap"):
        along = cm.count_boxes(truth, predicted, iou=ious, matching=matching, **options)
        assert (along.axis, list(along)) == ("iou", ious)
        assert all(
            along[iou] == cm.count_boxes(truth, predicted, iou=iou, matching=matching, **options)
            for iou in ious
        )
        along = cm.count_boxes(truth, predicted, confidence=sures, matching=matching, **options)
        assert (along.axis, list(along)) == ("confidence", sures)
        for sure in sures:
            assert along[sure] == cm.count_boxes(
                truth, predicted, confidence=sure, matching=matching, **options
            )


def test_one_threshold_in_a_list_is_a_stack_and_a_scalar_of_numpy_is_none() -> None:
    sides: Any = [record(CAT)], [record((*CAT, 0.9))]
    along = cm.count_boxes(*sides, confidence=(sure for sure in [0.5]))
    assert (along.axis, list(along)) == ("confidence", [0.5])
    scalars: dict[str, Any] = {"iou": np.float32(0.5), "confidence": np.array(0.5)}
    assert cm.count_boxes(*sides, **scalars) == along[0.5]


@given(scenes())
def test_images_add_up(drawn: Scene) -> None:
    truth, predicted = ([record(*image[side]) for image in drawn] for side in (0, 1))
    options: dict[str, Any] = {"confidence": None, "labels": ["a", "b"]}
    alone = [
        cm.count_boxes([one], [other], **options)
        for one, other in zip(truth, predicted, strict=True)
    ]
    assert sum(alone) == cm.count_boxes(truth, predicted, **options)
    each = cm.count_boxes(truth, predicted, by_image=True, **options)
    assert (each.axis, list(each)) == ("image", list(range(len(drawn))))
    assert list(each.values()) == alone


def test_a_matrix_for_each_image_has_all_images_and_what_was_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crowd = record(CAT, (50, 50, 90, 90, "dog"))
    truth = {"a": record(), "b": {**crowd, "iscrowd": [0, 1]}, "c": record(CAT)}
    found = {
        "c": record((*CAT, 0.9), (*CAT, 0.1)),
        "b": record((60, 60, 70, 70, "dog", 0.5)),
        "a": record(),
    }
    for bytes_of_a_stack in (2**30, 0):
        monkeypatch.setattr(counting, "DENSE_BYTES", bytes_of_a_stack)
        each = cm.count_boxes(truth, found, by_image=True)
        assert {name: (m.total, m.dropped) for name, m in each.items()} == {
            "a": (0, 0),
            "b": (1, 1),
            "c": (1, 0),
        }
        assert each.sum() == cm.count_boxes(truth, found)
    for options in ({"iou": [0.5, 0.7]}, {"confidence": [0.5]}):
        with pytest.raises(
            cm.InputError, match="and `by_image` are an axis each, and a stack has one"
        ):
            cm.count_boxes(truth, found, by_image=True, **options)  # type: ignore[call-overload]


@pytest.mark.parametrize("same_class", ["first", "only", "ignored"])
@pytest.mark.parametrize("matching", ["optimal", "overlap"])
def test_neither_the_order_of_boxes_nor_the_side_matters(matching: Any, same_class: Any) -> None:
    rng = np.random.default_rng(11)
    sides: list[list[Record]] = [[], []]
    for _ in range(12):
        for side in sides:
            n = int(rng.integers(0, 12))
            start = rng.uniform(0, 30, (n, 2))
            boxes = np.hstack([start, start + rng.uniform(10, 30, (n, 2))])
            side.append({"boxes": boxes, "labels": rng.integers(0, 3, n), "scores": rng.random(n)})
    options: dict[str, Any] = {
        "matching": matching,
        "same_class": same_class,
        "iou": 0.3,
        "confidence": None,
    }
    m = cm.count_boxes(*sides, **options)
    assert cm.count_boxes(*sides[::-1], **options) == m.T
    mixed = []
    for side in sides:
        orders = [rng.permutation(len(one["boxes"])) for one in side]
        mixed.append(
            [
                {name: part[order] for name, part in one.items()}
                for one, order in zip(side, orders, strict=True)
            ]
        )
    assert cm.count_boxes(*(side[::-1] for side in mixed), **options) == m


def test_of_equal_overlaps_the_surer_prediction_is_matched() -> None:
    # Beside one truth, two boxes that reach as far beyond it, of other classes.
    truth = [record((0, 0, 10, 10, "cat"))]
    both = (0, 0, 10, 8, "dog", 0.6), (0, 2, 10, 10, "hen", 0.9)
    for predicted in (both, both[::-1]):
        for matching in ("optimal", "overlap"):
            m = cm.count_boxes(truth, [record(*predicted)], matching=matching)
            assert counts(m) == {("cat", "hen"): 1, ("background", "dog"): 1}
    # The first class of two truths in one place.
    for true in ((*CAT[:4], "b"), (*CAT[:4], "c")), ((*CAT[:4], "c"), (*CAT[:4], "b")):
        m = cm.count_boxes([record(*true)], [record((*CAT[:4], "a", 0.5))])
        assert counts(m) == {("b", "a"): 1, ("c", "background"): 1}


def test_scores_may_be_integers_without_a_sign_or_booleans() -> None:
    truth = [record(CAT, (20, 0, 30, 10, "cat"))]
    boxes = [[0, 0, 10, 10], [50, 50, 60, 60], [20, 0, 30, 10]]
    for scores in (
        np.array([90, 0, 80], np.uint8),
        np.array([True, False, True]),
        np.array([9, 0, 8], np.uint64),
    ):
        predicted = [{"boxes": boxes, "labels": ["cat"] * 3, "scores": scores}]
        # The false alarm is the least sure of them, and comes last.
        assert cm.detection.coco_average_precision(truth, predicted, iou=0.5).mean == 1.0


@pytest.mark.peers
@pytest.mark.parametrize("seed", range(5))
def test_the_largest_overlaps_first_is_what_supervision_does(seed: int) -> None:
    supervision = pytest.importorskip("supervision", reason="supervision is not installed")
    rng = np.random.default_rng(seed)
    sides: list[list[Any]] = [[], []]
    for _ in range(30):
        for side in sides:
            n = int(rng.integers(0, 15))
            start = rng.uniform(0, 40, (n, 2))
            boxes = np.hstack([start, start + rng.uniform(10, 30, (n, 2))]).astype(np.float32)
            scores = rng.random(n).astype(np.float32)
            side.append(
                supervision.Detections(
                    xyxy=boxes, class_id=rng.integers(0, 4, n), confidence=scores
                )
            )
    names = ["a", "b", "c", "d"]
    theirs = supervision.ConfusionMatrix.from_detections(sides[1], sides[0], names, 0.3, 0.4).matrix
    ours = cm.count_boxes(*sides, labels=names, iou=0.4, confidence=0.3, matching="overlap")
    assert ours.counts.tolist() == theirs.tolist()


# ---- regions to ignore ---------------------------------------------------------------------------


def crowded(*labels: Any) -> list[Record]:
    """A large region to ignore of each label, and a dog."""
    return [
        {
            "boxes": [[0, 0, 100, 100]] * len(labels) + [[200, 0, 210, 10]],
            "labels": [*labels, "dog"],
            "iscrowd": [1] * len(labels) + [0],
        }
    ]


def test_a_crowd_takes_in_any_number_of_its_own_class_and_is_no_truth() -> None:
    inside = [(10 * i, 0, 10 * i + 9, 9, "cat", 0.9) for i in range(5)]
    m = cm.count_boxes(
        crowded("cat"), [record(*inside, (0, 0, 9, 9, "dog", 0.9), (95, 0, 115, 9, "cat", 0.9))]
    )
    assert counts(m) == {
        ("dog", "background"): 1,
        ("background", "dog"): 1,
        ("background", "cat"): 1,
    }
    assert m.dropped == 5


def test_a_region_without_a_class_takes_in_whatever_matches_nothing() -> None:
    predicted = [
        record(
            (0, 0, 9, 9, "dog", 0.9), (200, 0, 210, 10, "cat", 0.9), (150, 0, 160, 9, "cat", 0.9)
        )
    ]
    m = cm.count_boxes(crowded(None), predicted)
    assert counts(m) == {("dog", "cat"): 1, ("background", "cat"): 1}
    assert m.dropped == 1


def test_a_truth_goes_before_a_crowd() -> None:
    truth = crowded("dog")
    truth[0]["boxes"][1] = [10, 10, 20, 20]
    m = cm.count_boxes(truth, [record((10, 10, 20, 20, "dog", 0.9), (50, 50, 60, 60, "dog", 0.9))])
    assert counts(m) == {("dog", "dog"): 1}
    assert m.dropped == 1


def test_a_crowd_goes_before_a_truth_of_another_class() -> None:
    truth = crowded("cat")
    truth[0]["boxes"][1] = [10, 10, 20, 20]
    predicted = [record((10, 10, 20, 20, "cat", 0.9))]
    assert counts(cm.count_boxes(truth, predicted)) == {("dog", "background"): 1}
    assert counts(cm.count_boxes(truth, predicted, same_class="ignored")) == {("dog", "cat"): 1}


# ---- what follows from a matrix ------------------------------------------------------------------


def scene() -> tuple[dict[str, Record], dict[str, Record]]:
    truth = {"a.jpg": record(CAT, (20, 20, 30, 30, "dog")), "b.jpg": record(), "c.jpg": record(CAT)}
    predicted = {
        "a.jpg": record((*CAT, 0.9), (21, 20, 30, 30, "cat", 0.6), (*FAR, "dog", 0.3)),
        "b.jpg": record((*FAR, "dog", 0.8)),
    }
    return truth, predicted


def test_examples_name_image_boxes_overlap_and_score() -> None:
    examples = cm.detection.box_errors(*scene()).examples
    m = cm.count_boxes(*scene())
    assert examples.seen == {pair: count for pair, count in counts(m).items() if pair[0] != pair[1]}
    assert examples["dog", "cat"] == [
        {
            "image": "a.jpg",
            "error": "class",
            "true box": "20 20 30 30",
            "predicted box": "21 20 30 30",
            "iou": 0.9,
            "score": 0.6,
        }
    ]
    assert examples["cat", "background"] == [
        {
            "image": "c.jpg",
            "error": "missed",
            "true box": "0 0 10 10",
            "predicted box": None,
            "iou": None,
            "score": None,
        }
    ]


# ---- at the door ---------------------------------------------------------------------------------


def test_options_that_mean_nothing_are_refused() -> None:
    truth, predicted = scene()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"iou": 0}, "threshold of `iou` is above 0 and at most 1, not 0"),
        ({"iou": []}, "at least one"),
        ({"background": ""}, "name of a row"),
        ({"confidence": [0.5, 0.5]}, "distinct"),
        ({"confidence": [0.1, 0.2], "iou": [0.5, 0.6]}, "one axis"),
        ({"matching": "best"}, "'optimal', 'confidence', 'overlap', not 'best'"),
        ({"same_class": True}, "'first', 'only', 'ignored', not True"),
        ({"background": "cat"}, "cannot be a class and stand outside"),
    ]
    for options, words in wrong:
        with pytest.raises(cm.ConfmatError, match=words):
            cm.count_boxes(truth, predicted, **options)


def test_predictions_of_an_unknown_image_are_refused_where_the_truth_names_all() -> None:
    truth, predicted = scene()
    with pytest.raises(cm.InputError, match=r"images that are not in `truth`: 'z\.jpg'"):
        cm.count_boxes(truth, {**predicted, "z.jpg": record()})
    with pytest.raises(cm.InputError, match=r"no image in common with `truth`: '/data/a\.jpg'"):
        cm.count_boxes(truth, {"/data/a.jpg": predicted["a.jpg"]})


def test_only_truths_can_be_ignored() -> None:
    with pytest.raises(
        cm.InputError, match="box 0 of image 0 in `predicted` is to be ignored; only a truth can be"
    ):
        cm.count_boxes([record(CAT)], [{**record(CAT), "iscrowd": [1]}], confidence=None)


def test_confidence_needs_scores() -> None:
    with pytest.raises(cm.InputError, match=r"no `scores`.* confidence=None"):
        cm.count_boxes([record(CAT)], [record(CAT)])
    assert counts(cm.count_boxes([record(CAT)], [record(CAT)], confidence=None)) == {
        ("cat", "cat"): 1
    }
    with pytest.raises(cm.InputError, match="no `scores`, by which they would choose"):
        cm.count_boxes([record(CAT)], [record(CAT)], confidence=None, matching="confidence")


def test_percentages_and_parts_of_one_are_not_compared() -> None:
    truth, found = [record(CAT)], [record((*CAT, 0.9))]
    for sure in (25, [25, 50]):
        with pytest.raises(
            cm.InputError,
            match=r"`confidence` is 25 and the scores lie from 0\.9 to 0\.9.* such as 0\.25",
        ):
            cm.count_boxes(truth, found, confidence=sure)
    percent = [record((*CAT, 97.3))]
    for low in (0.25, [0, 0.5]):
        with pytest.warns(
            cm.ConfmatWarning, match=r"scores reach 97\.3 and `confidence` is at most"
        ) as caught:
            cm.count_boxes(truth, percent, confidence=low)
        assert caught[0].filename == __file__


def test_no_boxes_at_all() -> None:
    with pytest.raises(cm.InputError, match="no boxes on either side"):
        cm.count_boxes([record()], [record()])
    m = cm.count_boxes([record()], [record()], labels=["cat", "dog"])
    assert m.total == 0
    with pytest.raises(cm.InputError, match="no boxes on either side"):
        cm.count_boxes([], [])


def test_boxes_without_an_area_match_nothing() -> None:
    point = (5, 5, 5, 5, "cat", 0.9)
    assert counts(cm.count_boxes([record(point)], [record(point)])) == {
        ("cat", "background"): 1,
        ("background", "cat"): 1,
    }


def test_more_overlapping_pairs_than_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("confmat.detection.scenes.MAX_PAIRS", 8)
    same = [record(*[(0, 0, 1, 1, "cat", 0.9)] * 3)]
    with pytest.raises(cm.BudgetError, match=r"more than 8 pairs of boxes overlap by 0\.5"):
        cm.count_boxes(same, same)
