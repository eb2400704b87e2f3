from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import confmat as cm
from confmat import BudgetError, InputError, LabelError, Labels, count_masks
from confmat.segmentation import counting as images_room

Array = NDArray[Any]
Images = tuple[list[Array], list[Array]]

pytestmark = pytest.mark.usefixtures("kernel")

KINDS: tuple[Any, ...] = (
    np.int8,
    np.uint8,
    np.int16,
    np.uint16,
    np.int32,
    np.uint32,
    np.int64,
    np.uint64,
    np.dtype(">i4"),
)


@st.composite
def images(
    draw: st.DrawFn, numbers: tuple[int, ...] = (0, 1, 2, 5, 100), one_size: bool = False
) -> Images:
    """Truths and answers of a few sizes and all types of integers."""
    many = draw(st.integers(1, 4))
    shapes = [
        (draw(st.integers(1, 5)), draw(st.integers(1, 5))) for _ in range(1 if one_size else many)
    ] * many
    sides: Images = ([], [])
    for side in sides:
        for shape in shapes[:many]:
            size = shape[0] * shape[1]
            pixels = draw(st.lists(st.sampled_from(numbers), min_size=size, max_size=size))
            side.append(np.array(pixels).astype(draw(st.sampled_from(KINDS))).reshape(shape))
    return sides


def flat(images: Images) -> tuple[list[int], list[int]]:
    truth, answer = ([int(x) for image in side for x in image.reshape(-1)] for side in images)
    return truth, answer


def by_pixel(images: Images, ignored: set[int]) -> dict[tuple[Any, Any], int]:
    counted: dict[tuple[Any, Any], int] = {}
    for row, col in zip(*flat(images), strict=True):
        if row not in ignored:
            key = row, "(void)" if col in ignored else col
            counted[key] = counted.get(key, 0) + 1
    return counted


@given(images())
def test_is_one_count_of_all_pixels(given_: Images) -> None:
    expected = cm.count(*flat(given_))
    assert count_masks(*given_) == expected
    assert count_masks(iter(given_[0]), tuple(given_[1])) == expected
    assert count_masks(*given_, threads=1) == expected
    assert count_masks(*[[image.tolist() for image in side] for side in given_]) == expected


@given(images(one_size=True))
def test_an_array_of_images_and_its_slices(given_: Images) -> None:
    expected = cm.count(*flat(given_))
    truth, answer = (np.array([image.astype(np.int64) for image in side]) for side in given_)
    assert count_masks(truth, answer) == expected
    assert count_masks(np.asfortranarray(truth), np.repeat(answer, 2, axis=2)[..., ::2]) == expected
    assert count_masks(truth, list(answer)) == expected
    assert count_masks(truth[0], answer[0]) == cm.count(truth[0].reshape(-1), answer[0].reshape(-1))


# Near, far below, far above, at the end of what there is, several, and one that does not occur.
@pytest.mark.slow
@pytest.mark.parametrize(
    "ignored", [{100}, {-1}, {5, 100}, {-(10**12)}, {2**63 - 1}, {0}, {77}, {10**9, -3}]
)
@given(images())
def test_ignored_pixels_by_the_definition(ignored: set[int], given_: Images) -> None:
    spread = {100: max(ignored), 5: min(ignored)}
    sides = [
        [
            np.vectorize(lambda x: spread.get(int(x), int(x)), otypes=[np.int64])(image)
            for image in side
        ]
        for side in given_
    ]
    expected = by_pixel((sides[0], sides[1]), ignored)
    pixels = sum(image.size for image in sides[0])
    if not expected:
        with pytest.raises(InputError, match="no pixels"):
            count_masks(*sides, ignore=ignored)
        return
    found = count_masks(*sides, ignore=ignored)
    assert dict(found.pairs()) == expected
    assert found.total + found.dropped == pixels
    assert count_masks(*sides, ignore=list(ignored), per_image=True).sum() == found


def test_what_labels_may_be() -> None:
    truth, answer = [[0, 1, 1]], [[0, 0, 1]]
    assert count_masks(truth, answer, labels=["no", "yes"]).labels == Labels(["no", "yes"])
    assert count_masks(truth, answer, labels=[2, 1, 0]).counts.tolist() == [
        [0, 0, 0],
        [0, 1, 1],
        [0, 0, 1],
    ]
    assert count_masks(truth, answer, labels=Labels(["no", "yes"], positive="yes")).tp == 1
    masks = np.array(truth) > 0, np.array(answer) > 0
    assert count_masks(*masks).labels == Labels([False, True])
    assert count_masks(*masks).counts.tolist() == [[1, 0], [1, 1]]
    assert count_masks(masks[0] & False, masks[0] & False).labels == Labels([False, True])
    assert count_masks(masks[0], np.array(answer)).labels == Labels([0, 1])


def test_without_pixels() -> None:
    assert count_masks([], [], labels=["a", "b"]).total == 0
    assert (
        count_masks(np.zeros((2, 0, 4), int), np.zeros((2, 0, 4), int), labels=["a", "b"]).total
        == 0
    )
    all_ignored = count_masks([[9, 9]], [[0, 1]], labels=["a", "b"], ignore=9)
    assert (all_ignored.total, all_ignored.dropped) == (0, 2)
    with pytest.raises(InputError, match="no pixels to count"):
        count_masks([], [])


# ---- stacks --------------------------------------------------------------------------------------


@given(images(), st.data())
def test_stacks_add_up(given_: Images, data: st.DataObject) -> None:
    whole = count_masks(*given_, ignore=5) if by_pixel(given_, {5}) else None
    if whole is None:
        return
    per_image = count_masks(*given_, ignore=5, per_image=True)
    assert per_image.axis == "image"
    assert list(per_image) == list(range(len(given_[0])))
    assert per_image.sum() == whole
    assert per_image.dropped == whole.dropped
    groups = data.draw(
        st.lists(st.sampled_from("ab"), min_size=len(given_[0]), max_size=len(given_[0]))
    )
    by = count_masks(*given_, ignore=5, by=iter(groups))
    assert (by.axis, by.sum(), set(by)) == ("group", whole, set(groups))
    for group in by:
        chosen = [i for i, name in enumerate(groups) if name == group]
        assert by[group].total == sum(per_image[i].total for i in chosen)


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images_room, "MAX_STACK_CELLS", 5)
    many = np.arange(6).reshape(3, 1, 2)
    with pytest.raises(BudgetError, match="3 images have more than 5 cells"):
        count_masks(many, many, per_image=True)


def test_numbers_that_lie_far_apart_take_no_table() -> None:
    far = np.arange(30_000).reshape(1, 2, -1) * 3
    images = [np.arange(12).reshape(3, 4), far[0], np.arange(12).reshape(3, 4)]
    found = count_masks(images, images)
    assert found.is_sparse
    assert found.n_classes == 30_000 + 8
    assert found.total == 30_024


# ---- threads, streams, memory --------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
def test_images_of_growing_ranges_keep_their_order(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ranges that grow until they have no table.
    monkeypatch.setattr(images_room, "MAX_TABLE_SIDE", 2**14)
    rng = np.random.default_rng(1)
    sides: Images = ([], [])
    for number in range(30):
        shape = (int(rng.integers(1, 20)), int(rng.integers(1, 20)))
        for side in sides:
            side.append(rng.integers(-number, number**4 + 1, shape))
    stack = count_masks(*map(iter, sides), per_image=True, threads=threads)
    assert list(stack) == list(range(30))
    assert stack.sum() == count_masks(*sides, threads=threads) == cm.count(*flat(sides))
    assert stack.total.tolist() == [image.size for image in sides[0]]


def test_a_stream_is_read_once_and_not_kept() -> None:
    def stream(seed: int) -> Iterator[Array]:
        rng = np.random.default_rng(seed)
        for _ in range(60):
            yield rng.integers(0, 4, (256, 1024), dtype=np.uint8)

    tracemalloc.start()
    try:
        total = count_masks(stream(1), stream(2), labels=range(4), threads=2).total
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == 60 * 2**18
    # 31 MB come by; two images of both sides are there at a time, one that is counted and the next.
    if cm.kernel_name() == "compiled":
        assert peak < 4 * 2**18 + 2**20


def test_an_array_is_not_copied() -> None:
    truth = np.zeros((8, 1024, 1024), np.uint8)
    # The first call imports what it needs.
    count_masks(truth[:, :2], truth[:, :2], labels=["a", "b"], ignore=255, threads=1)
    tracemalloc.start()
    try:
        count_masks(truth, truth, labels=["a", "b"], ignore=255, threads=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The NumPy twin takes memory of its own.
    if cm.kernel_name() == "compiled":
        assert peak < 2**18


# ---- what is refused -----------------------------------------------------------------------------

Z = np.zeros((3, 4), int)


def odd(value: int, place: tuple[int, ...], shape: tuple[int, ...] = (2, 3, 4)) -> Array:
    array = np.zeros(shape, int)
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: count_masks(odd(7, (1, 2, 3)), odd(0, (0, 0, 0)), labels=["a"]),
            "`actual` is 7 in image 1 at row 2, col",
        ),
        (
            lambda: count_masks(list(odd(0, (0, 0, 0))), list(odd(7, (1, 0, 2))), labels=["a"]),
            "`predicted` is 7 in image 1",
        ),
        (lambda: count_masks(Z + 255, Z, labels=["a"]), "`ignore=255`"),
        (
            lambda: count_masks(
                [np.zeros((2, 2, 2), int)], [odd(3, (1, 0, 1), (2, 2, 2))], labels=[0]
            ),
            "slice 1, row 0, col",
        ),
        (
            lambda: count_masks(Z, np.zeros((5, 3, 4), int)),
            "`actual` has 1 images and `predicted` 5",
        ),
        (lambda: count_masks([Z], [np.zeros((5, 3, 4), int)]), "`.argmax` along that axis"),
        (lambda: count_masks(iter([Z, Z]), iter([Z])), "`predicted` ends after 1 images"),
        (lambda: count_masks(Z, np.zeros((5, 3, 4))), "scores per class, by their looks"),
        (
            lambda: count_masks(np.zeros((2, 3, 4, 5), int), Z),
            r"one-hot layers become labels by `.argmax\(axis=1\)`",
        ),
        (lambda: count_masks(np.zeros((20, 30, 3), np.uint8), Z), "is a colour picture"),
        (lambda: count_masks([[1, 2], [3]], [[1, 2], [3]]), "rows of different lengths"),
        (lambda: count_masks(np.ma.masked_equal(Z, 0), Z), "masked pixels"),
        (lambda: count_masks(3, Z), "`actual` must hold .* not int 3"),
        (lambda: count_masks([None], [Z]), "image 0 of `actual` is no label map but NoneType"),
        (lambda: count_masks(Z, Z, ignore=True), "`ignore` names numbers .* not True"),
        (lambda: count_masks(Z, Z, ignore=0, labels=["a"]), "0 cannot be a class and be ignored"),
        (
            lambda: count_masks(Z, Z, labels=Labels(["a"], outside=["b"])),
            "leave .b. out of `labels`",
        ),
        (lambda: count_masks(Z, Z, per_image=True, by=[1]), "give one of them"),  # type: ignore[call-overload]
        (
            lambda: count_masks([Z, Z], [Z, Z], by=["a"]),
            "`by` has 1 groups and there are more images",
        ),
        (lambda: count_masks([["a"]], [["b"]]), "image 0 of `actual`"),
        (lambda: count_masks(Z, Z + 0.5), "scores become labels by a threshold"),
        (lambda: count_masks([Z], [Z], by=["a", "b"]), "`by` has more groups than the 1 images"),
        (lambda: count_masks([Z], [Z], by="a"), "`by` must hold one group per image"),
        (lambda: count_masks([Z], [Z], by=[None]), "no group for image 0"),
        (lambda: count_masks([], [], per_image=True), "no images, hence no stack"),
    ],
)
def test_what_is_refused(call: Callable[[], object], said: str) -> None:
    with pytest.raises((InputError, LabelError), match=said):
        call()


def test_borders_are_drawn_by_the_caller() -> None:
    with pytest.raises(
        TypeError, match="takes no `boundary`: set pixels of the truth that shall not count to"
    ):
        count_masks(Z, Z, boundary=3)  # type: ignore[call-overload]


@pytest.mark.parametrize("kind", [np.uint8, np.int64, bool])
def test_masks_of_0_and_255_beside_masks_of_0_and_1(kind: Any) -> None:
    ones = np.array([[0, 1, 1], [0, 0, 1]])
    full, ones = (ones * 255).astype(np.uint8), ones.astype(kind)
    names = {0: "no", 1: "yes", 255: "yes"}
    for sides, how in (((full, ones), "with ignore=255$"), ((ones, full), '"yes"}$')):
        with pytest.raises(
            LabelError, match=r'holds 0, 255 and the other side 0, 1: .*labels={0: "no", 1: "yes"'
        ) as e:
            count_masks(*sides)
        assert re.search(how, str(e.value))
        assert count_masks(*sides, labels=names).counts.tolist() == [[3, 0], [0, 3]]
    assert count_masks(full, ones, ignore=255).dropped == 3
    assert count_masks(full, full).labels.classes == (0, 255)
    assert count_masks(full, np.array([[0, 1, 255], [0, 0, 1]])).labels.classes == (0, 1, 255)
    assert count_masks(full, np.zeros_like(full)).labels.classes == (0, 255)


# ---- peers ---------------------------------------------------------------------------------------


@pytest.mark.peers
def test_mean_iou_as_others_take_it() -> None:
    """Over classes of either side (Keras), or per image first (torchmetrics)."""
    torch = pytest.importorskip("torch", reason="a peer")
    theirs = pytest.importorskip("torchmetrics.segmentation", reason="a peer")
    rng = np.random.default_rng(0)
    truth, answer = rng.integers(0, 4, (2, 6, 12, 10))
    answer[answer == 3] = 4
    # An image of two classes.
    truth[0] %= 2
    answer[0] %= 2
    m = count_masks(truth, answer, labels=range(6))
    keras = pytest.importorskip("keras", reason="a peer").metrics.MeanIoU(num_classes=6)
    keras.update_state(truth, answer)
    assert cm.jaccard(m, average="macro", undefined="skip") == pytest.approx(float(keras.result()))
    stack = count_masks(truth, answer, labels=range(6), per_image=True)
    means = {
        theirs.MeanIoU(num_classes=6, input_format="index"): np.nanmean(cm.jaccard(stack)),
        theirs.DiceScore(num_classes=6, input_format="index", average="macro"): cm.f1(
            stack, average="macro", undefined="skip"
        ).mean(),
    }
    for metric, mean in means.items():
        metric.update(torch.tensor(answer), torch.tensor(truth))
        assert float(metric.compute()) == pytest.approx(mean, abs=1e-6)


@pytest.mark.peers
def test_tensors_are_read_where_they_lie() -> None:
    torch = pytest.importorskip("torch", reason="a peer")
    truth = torch.tensor([[[0, 1], [1, 1]], [[1, 0], [0, 255]]])
    answer = torch.tensor([[[0, 0], [1, 1]], [[1, 0], [1, 0]]])
    expected = count_masks(truth.numpy(), answer.numpy(), ignore=255)
    assert count_masks(truth, answer, ignore=255) == expected
    assert count_masks(list(truth), list(answer.to(torch.uint8)), ignore=255) == expected
    with pytest.raises(InputError, match="scores per class"):
        count_masks(truth, torch.rand(2, 5, 2, 2, requires_grad=True))
