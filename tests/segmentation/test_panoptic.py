from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from confmat import InputError, LabelError, panoptic

Array = NDArray[Any]
pytestmark = pytest.mark.usefixtures("kernel")

VOID, CROWD = 9, 5
NAMES = ["road", "sky", "car"]


@st.composite
def panoptic_maps(draw: st.DrawFn) -> tuple[Array, Array]:
    """A true and a predicted map that share much: rectangles on rectangles, some of them void."""
    height, width = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    truth = np.zeros((height, width, 2), np.int64)

    def paint(array: Array, times: int) -> None:
        for _ in range(times):
            top, left = draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))
            kind = draw(st.sampled_from([0, 1, 2, VOID]))
            array[top : top + draw(st.integers(1, 4)), left : left + draw(st.integers(1, 4))] = (
                kind,
                draw(st.sampled_from([0, 1, CROWD])),
            )

    paint(truth, draw(st.integers(0, 5)))
    answer = truth.copy()
    paint(answer, draw(st.integers(0, 5)))
    return truth, answer


def by_the_paper(truth: Array, answer: Array, things: set[int]) -> dict[str, list[float]]:
    """Segments as sets of pixels, and the rules of Kirillov et al. and of the published evaluation, word by word."""

    def segments(array: Array) -> dict[tuple[int, int], set[int]]:
        found: dict[tuple[int, int], set[int]] = {}
        for pixel, (kind, part) in enumerate(array.reshape(-1, 2).tolist()):
            if kind != VOID:
                found.setdefault((kind, part if kind in things else 0), set()).add(pixel)
        return found

    void = {pixel for pixel, kind in enumerate(truth[..., 0].reshape(-1).tolist()) if kind == VOID}
    true, predicted = segments(truth), segments(answer)
    crowds = {key for key in true if key[0] in things and key[1] == CROWD}
    out: dict[str, list[float]] = {name: [0.0] * 3 for name in ("iou", "tp", "fp", "fn")}
    matched = set()
    for key, pixels in true.items():
        if key in crowds:
            continue
        hits = [
            (other, len(pixels & theirs) / len(pixels | (theirs - void)))
            for other, theirs in predicted.items()
            if other[0] == key[0]
        ]
        best = max(hits, key=lambda hit: hit[1], default=None)
        if best is not None and best[1] > 0.5:
            matched.add(best[0])
            out["tp"][key[0]] += 1
            out["iou"][key[0]] += best[1]
        else:
            out["fn"][key[0]] += 1
    for key, pixels in predicted.items():
        crowd = set().union(*(true[other] for other in crowds if other[0] == key[0]))
        if key not in matched and len(pixels & (void | crowd)) / len(pixels) <= 0.5:
            out["fp"][key[0]] += 1
    return out


@pytest.mark.parametrize(
    "things", [{2}, *(pytest.param(each, marks=pytest.mark.slow) for each in ({0, 1, 2}, set()))]
)
@given(st.lists(panoptic_maps(), min_size=1, max_size=3))
def test_by_the_paper(things: set[int], images: list[tuple[Array, Array]]) -> None:
    found = panoptic(
        [truth for truth, _ in images],
        (answer for _, answer in images),
        labels=NAMES,
        things=[NAMES[thing] for thing in sorted(things)],
        ignore=VOID,
        crowd=CROWD,
    )
    each = [by_the_paper(truth, answer, things) for truth, answer in images]
    iou, tp, fp, fn = (
        np.sum([one[name] for one in each], axis=0) for name in ("iou", "tp", "fp", "fn")
    )
    cells = found.matrix.cells
    for mine, expected in zip(
        (cells.tp, cells.fp, cells.fn, found.overlap), (tp, fp, fn, iou), strict=True
    ):
        np.testing.assert_allclose(mine, expected)
    there = tp + fp + fn > 0
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(found.pq, iou / (tp + fp / 2 + fn / 2))
        np.testing.assert_allclose(found.rq, tp / (tp + fp / 2 + fn / 2))
        np.testing.assert_allclose(found.sq, iou / tp)
    if there.any():
        assert found.mean().pq == pytest.approx(np.nan_to_num(found.pq[there]).mean())
        assert found.mean().classes == there.sum()


@pytest.mark.slow
@given(panoptic_maps(), panoptic_maps())
def test_results_of_parts_add_up(one: tuple[Array, Array], other: tuple[Array, Array]) -> None:
    options: dict[str, Any] = {"labels": NAMES, "things": ["car"], "ignore": VOID}
    both = panoptic([one[0], other[0]], [one[1], other[1]], **options)
    parts = panoptic(*one, **options) + panoptic(*other, **options)
    assert parts.matrix == both.matrix
    np.testing.assert_allclose(parts.overlap, both.overlap)
    assert sum([parts]) == parts
    assert parts.things == ("car",)


@given(panoptic_maps())
def test_names_of_instances_mean_nothing(images: tuple[Array, Array]) -> None:
    truth, answer = images
    again = [image.copy() for image in images]
    again[0][..., 1] = 1000 - again[0][..., 1]
    again[1][..., 1] = again[1][..., 1] * -7
    assert panoptic(truth, answer, labels=NAMES, ignore=VOID) == panoptic(
        *again, labels=NAMES, ignore=VOID
    )


def test_confusions_of_classes_are_seen() -> None:
    """A car called a road is both in one cell, which is a miss of the one and a false alarm of the other."""
    truth = [[[2, 1], [2, 1], [2, 1], [0, 0]]]
    answer = [[[0, 4], [0, 4], [0, 4], [2, 1]]]
    q = panoptic(truth, answer, labels=NAMES)
    assert q.matrix.pairs() == {("car", "road"): 1, ("road", "car"): 1}
    q = panoptic(truth, [[[0, 4], [0, 5], [0, 6], [2, 1]]], labels=NAMES)
    assert q.matrix.pairs() == {
        ("car", "(unmatched)"): 1,
        ("(unmatched)", "road"): 3,
        ("road", "car"): 1,
    }
    assert q.rq.tolist()[0] == 0
    assert math.isnan(q.sq[0])
    assert math.isnan(q.pq[1])
    assert q.mean() == (0, 0, 0, 2)


def test_the_result_is_shown_added_and_stored() -> None:
    truth = [[[0, 0], [2, 1], [2, 2]]]
    q = panoptic(truth, truth, labels=["road", "sky", "ca\x1br"], things=["ca\x1br"])
    assert repr(q) == "<PanopticQuality 1.000: SQ 1.000, RQ 1.000, mean of 2 classes>"
    assert "ca\\x1br" in str(q)
    assert "\x1b" not in str(q) + (q._repr_html_() or "")
    assert q.mean("stuff") == (1, 1, 1, 1)
    assert math.isnan(panoptic(truth, truth, labels=NAMES).mean("stuff").pq)
    assert q.to_dict()["mean"]["things"] == {"pq": 1, "sq": 1, "rq": 1, "classes": 1}
    assert q.to_dict()["pq"] == [1, None, 1]
    assert (
        len({q, panoptic(truth, truth, labels=["road", "sky", "ca\x1br"], things=["ca\x1br"])}) == 1
    )
    with pytest.raises(InputError, match="tells the instances of all classes apart"):
        q + panoptic(truth, truth, labels=NAMES)
    with pytest.raises(InputError, match="must be one of 'all', 'things', 'stuff'"):
        q.mean("thing")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("truth", "options", "said"),
    [
        ([[0, 1]], {}, "each map must be H x W x 2"),
        (np.zeros((2, 2, 2)), {}, "holds float64 of shape"),
        ([[[0, 0], [7, 0]]], {"labels": NAMES}, "is 7 in image 0 at row 0, column 1"),
        ([[[0, 0]]], {"labels": NAMES, "things": ["tree"]}, "no label 'tree'"),
        ([[[0, 0]]], {"ignore": 0}, "no segments"),
    ],
)
def test_what_is_refused(truth: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, LabelError), match=said):
        panoptic(truth, truth, **options)


@pytest.mark.peers
@given(st.lists(panoptic_maps(), min_size=1, max_size=3))
def test_agrees_with_torchmetrics(images: list[tuple[Array, Array]]) -> None:
    """Predictions that leave nothing void: there torchmetrics also excuses true segments, and the paper does not."""
    torch = pytest.importorskip("torch", reason="a peer")
    detection = pytest.importorskip("torchmetrics.detection", reason="a peer")
    theirs = detection.PanopticQuality(
        things={1, 2},
        stuffs={0},
        allow_unknown_preds_category=True,
        return_sq_and_rq=True,
        return_per_class=True,
    )
    total = None
    for truth, answer in images:
        answer[answer[..., 0] == VOID] = 0
        # Torchmetrics ignores in the truth what is neither a thing nor a stuff.
        theirs.update(torch.tensor(answer[None]), torch.tensor(truth[None]))
        one = panoptic(truth, answer, labels=NAMES, things=["sky", "car"], ignore=VOID)
        total = one if total is None else total + one
    assert total is not None
    # Things come first: 1, 2, and then 0.
    found = theirs.compute().numpy()[[2, 0, 1]]
    mine = np.stack([np.nan_to_num(part) for part in (total.pq, total.sq, total.rq)], axis=1)
    np.testing.assert_allclose(mine, found, atol=1e-6)


def test_a_sum_needs_things_to_be_things_on_both_sides() -> None:
    drawn = np.zeros((2, 2, 2), int)
    one, other = (panoptic(drawn, drawn, things=things) for things in ([0], []))
    with pytest.raises(InputError, match="tells the instances of 0 apart and the other does not"):
        one + other
