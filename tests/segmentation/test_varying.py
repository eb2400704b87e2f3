"""How sure panoptic quality is: by hand, by drawing images anew, in simulations, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm
from confmat.intervals import Estimate, Estimates
from confmat.segmentation.segments import UNMATCHED, Images, PanopticQuality

Array = NDArray[Any]
NAMES = ["road", "car", "van"]


def drawn(rng: np.random.Generator, n: int) -> tuple[Array, Array, Array, Array]:
    """For each image and class the overlap, hits, misses and false alarms; some images are hard in every class."""
    quality = rng.beta(4, 2, (n, 1))
    true = rng.poisson([2.0, 1.0, 0.5], (n, 3))
    hits = rng.binomial(true, quality)
    overlap = hits * (0.5 + 0.5 * rng.beta(1 + 5 * quality, 2, (n, 3)))
    return overlap, hits, true - hits, rng.poisson(0.5 * (1 - quality), (n, 3))


def of_sums(overlap: Array, hits: Array, missed: Array, false: Array) -> PanopticQuality:
    table = np.diag([*hits.sum(axis=0), 0])
    table[:3, 3], table[3, :3] = missed.sum(axis=0), false.sum(axis=0)
    sums = np.stack([overlap, hits, missed + false], axis=-1)
    images = Images.of(len(hits), {(i, k): sums[i, k].tolist() for i, k in np.ndindex(hits.shape) if sums[i, k].any()})
    return PanopticQuality(cm.ConfusionMatrix(table, NAMES, outside=[UNMATCHED]), overlap.sum(axis=0), ("car",), images)


def test_a_standard_error_by_hand() -> None:
    overlap, hits, missed, false = sums = drawn(np.random.default_rng(0), 40)
    q = of_sums(*sums)
    units = hits + (missed + false) / 2
    for score, top, bottom in (("pq", overlap, units), ("sq", overlap, hits), ("rq", hits, units)):
        value = top.sum(axis=0) / bottom.sum(axis=0)
        left = (top - value * bottom) / bottom.sum(axis=0)
        every = q.interval(score)  # type: ignore[arg-type]
        assert isinstance(every, Estimates)
        assert every.value == pytest.approx(value)
        assert every.se == pytest.approx(np.sqrt(40 * left.var(axis=0, ddof=1)))
        mean = q.interval(score, over="all")  # type: ignore[arg-type]
        assert mean.value == pytest.approx(getattr(q.mean(), score))
        assert mean.se == pytest.approx(np.sqrt(40 * left.mean(axis=1).var(ddof=1)))
        stuff = q.interval(score, over="stuff")  # type: ignore[arg-type]
        assert stuff.se == pytest.approx(np.sqrt(40 * left[:, [0, 2]].mean(axis=1).var(ddof=1)))
        assert (stuff.name, stuff.design) == (f"mean of stuff, {score}", "40 images")
        one = q.interval(score, of="car")  # type: ignore[arg-type]
        assert str(one) == str(every[1])
        assert one.name == f"{score}[car]"


def test_bounds_are_those_of_images_drawn_anew() -> None:
    rng = np.random.default_rng(1)
    sums = drawn(rng, 80)
    means = [of_sums(*(part[rows] for part in sums)).mean() for rows in rng.integers(0, 80, (400, 80))]
    for score in ("pq", "sq", "rq"):
        found = of_sums(*sums).interval(score, over="all")
        expected = np.quantile([getattr(one, score) for one in means], [0.025, 0.975])
        assert (found.low, found.high) == pytest.approx(expected, abs=0.25 * float(found.high - found.low))


@pytest.mark.slow
def test_intervals_hold_the_truth() -> None:
    truth = of_sums(*drawn(np.random.default_rng(2), 50_000))
    rng = np.random.default_rng(3)
    held = np.zeros(4)
    for _ in range(200):
        q = of_sums(*drawn(rng, 30))
        held += [
            truth.mean().pq in q.interval("pq", over="all"),
            truth.mean().sq in q.interval("sq", over="all"),
            truth.mean().rq in q.interval("rq", over="all"),
            truth.pq[1] in q.interval("pq", of="car"),
        ]
    assert (held / 200 > 0.9).all()


def test_of_maps_and_of_their_parts() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, (12, 3, 5, 2))
    answer = np.where(rng.random((12, 3, 5, 1)) < 0.2, rng.integers(0, 3, (12, 3, 5, 2)), truth)
    whole = cm.panoptic(truth, answer, labels=NAMES)
    parts = sum(
        cm.panoptic(t, a, labels=NAMES[::-1] if at % 2 else NAMES) for at, (t, a) in enumerate(_by_name(truth, answer))
    )
    assert isinstance(parts, PanopticQuality)
    for how in ({"over": "all"}, {"of": "van"}):
        mine, other = whole.interval("pq", **how), parts.interval("pq", **how)  # type: ignore[arg-type]
        assert (mine.low, mine.high, mine.se) == pytest.approx((other.low, other.high, other.se))
    # An image in which nothing was drawn is an image.
    void = cm.panoptic([*truth, np.full((3, 5, 2), 9)], [*answer, np.full((3, 5, 2), 9)], labels=NAMES, ignore=9)
    assert void.interval("pq", over="all").design == "13 images"


def _by_name(truth: Array, answer: Array) -> list[tuple[Array, Array]]:
    """Every second image with its classes numbered from the end."""
    turned = [np.stack([2 - maps[..., 0], maps[..., 1]], axis=-1) for maps in (truth, answer)]
    return [(turned[0][at], turned[1][at]) if at % 2 else (truth[at], answer[at]) for at in range(len(truth))]


def test_a_quality_of_one_and_one_of_nothing() -> None:
    truth = np.zeros((20, 2, 2, 2), int)
    q = cm.panoptic(truth, truth, labels=NAMES)
    perfect = q.interval("pq", of="road")
    assert perfect.value == perfect.high == 1
    assert 0.8 < perfect.low < 0.95
    assert np.isnan(q.interval("pq", of="van").value)
    # Without a hit there is no SQ of a class, and the mean counts 0 for it.
    missed = cm.panoptic(truth, truth + np.array([1, 0]), labels=NAMES)
    assert np.isnan(missed.interval("sq", of="road").value)
    mean = missed.interval("sq", over="all")
    assert (mean.value, mean.low, mean.high) == (0, 0, 1)
    assert missed.interval("pq", over="all").low == 0 < missed.interval("pq", over="all").high < 0.3


def test_a_class_in_one_image_is_not_certain() -> None:
    overlap, hits, missed, false = (np.asarray(part, float) for part in drawn(np.random.default_rng(4), 20))
    for part, many in ((overlap, 28.0), (hits, 36), (missed, 4), (false, 3)):
        part[:, 2] = 0
        part[7, 2] = many
    found = of_sums(overlap, hits, missed, false).interval("pq", of="van")
    assert isinstance(found, Estimate)
    assert (found.low, found.high) == (0, 1)
    assert found.value == pytest.approx(28 / 39.5)
    assert "only one image tells of it" in found.note
    # A second one tells a little, by Student's t of one degree of freedom.
    overlap[3, 2] = hits[3, 2] = 5
    again = of_sums(overlap, hits, missed, false).interval("pq", of="van")
    assert float(again.high) - float(again.low) > 0.5


def test_what_is_refused() -> None:
    rng = np.random.default_rng(5)
    q = of_sums(*drawn(rng, 5))
    cases: list[tuple[PanopticQuality, dict[str, Any], str]] = [
        (of_sums(*drawn(rng, 1)), {}, "at least 2 are needed; there are 1"),
        (PanopticQuality(q.matrix, q.overlap), {}, "is not known here"),
        (q, {"score": "f1"}, "`score` must be one of 'pq', 'sq', 'rq'"),
        (q, {"over": "cars"}, "`over` must be one of"),
        (q, {"of": "car", "over": "all"}, "not for both"),
        (q, {"of": "tree"}, "no label 'tree'"),
        (q, {"of": UNMATCHED}, "outside the classes"),
        (q, {"level": 2}, "level"),
        (q, {"method": "bootstrap"}, "must be one of 'wilson'"),
    ]
    for quality, how, words in cases:
        with pytest.raises(cm.ConfmatError, match=words):
            quality.interval(**how)
