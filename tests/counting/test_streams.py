"""Iterables are counted in chunks, and nothing tells where a chunk ended."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import BudgetError, ConfusionMatrix, InputError, LabelError, Stack, count
from confmat.counting import joining

pytestmark = [pytest.mark.usefixtures("kernel"), pytest.mark.usefixtures("small_chunks")]

CHUNK = 5


@pytest.fixture(scope="module")
def small_chunks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joining, "CHUNK_ITEMS", CHUNK)
        yield


LABELS = st.sampled_from(["a", "b", "c", None])
NUMBERS = st.sampled_from([True, False, 0, 1, 2, 7, None])


@given(
    st.sampled_from([LABELS, NUMBERS]).flatmap(
        lambda x: st.lists(st.tuples(x, x, st.integers(0, 5)), min_size=1, max_size=23)
    ),
    st.booleans(),
    st.sampled_from(["drop", "collect"]),
    st.sampled_from([None, "a", 1]),
    st.sampled_from(["both", "actual", "predicted"]),
)
def test_a_stream_is_the_list_of_its_items(
    rows: list[Any], weighted: bool, missing: Any, positive: Any, streamed: str
) -> None:
    actual, predicted, weights = ([row[i] for row in rows] for i in range(3))
    options: dict[str, Any] = {
        "missing": missing,
        "positive": positive,
        "weights": weights if weighted else None,
    }
    whole, said = None, ""
    try:
        whole = count(actual, predicted, **options)
    except LabelError as error:
        said = str(error).partition(";")[0]
    left = iter(actual) if streamed != "predicted" else actual
    right = iter(predicted) if streamed != "actual" else predicted
    if weighted:
        options["weights"] = iter(weights)
    if whole is None:
        with pytest.raises(LabelError) as caught:
            count(left, right, **options)
        assert str(caught.value).startswith(said)
    else:
        found = count(left, right, **options)
        assert found == whole
        assert (found.dropped, found.positive, found.labels.kind) == (
            whole.dropped,
            whole.positive,
            whole.labels.kind,
        )


@given(
    st.lists(
        st.tuples(LABELS, LABELS, st.sampled_from(["z", "y", "x", None]), st.integers(0, 5)),
        min_size=1,
        max_size=23,
    ),
    st.booleans(),
    st.sampled_from(["drop", "collect"]),
)
def test_groups_of_a_stream_are_groups_of_the_list(
    rows: list[Any], weighted: bool, missing: Any
) -> None:
    actual, predicted, by, weights = ([row[i] for row in rows] for i in range(4))
    numbers = weights if weighted else None
    try:
        whole = count(actual, predicted, by=by, missing=missing, weights=numbers)
    except LabelError:
        with pytest.raises(LabelError, match="is missing, so there is"):
            count(iter(actual), predicted, by=by, missing=missing, weights=numbers)
        return
    found = count(iter(actual), iter(predicted), by=iter(by), missing=missing, weights=numbers)
    assert isinstance(found, Stack)
    assert list(found) == list(whole)
    assert found == whole
    assert [m.dropped for m in found.values()] == [m.dropped for m in whole.values()]


def test_a_generator_is_never_held_whole() -> None:
    """Read no further than a chunk ahead of the first item that cannot be counted."""
    read = 0

    def endless() -> Iterator[Any]:
        nonlocal read
        for read in itertools.count():
            yield "a" if read < 3 * CHUNK else 0.5

    with pytest.raises(LabelError, match=r"those of the chunk that begins with item 15"):
        count(endless(), itertools.repeat("a"))
    assert read < 4 * CHUNK


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((7, 8), r"`actual` has 7, .* and `predicted` more"),
        ((11, 10), r"`predicted` has 10 items, and `actual` more"),
        ((0, 1), r"`actual` has 0, .* and `predicted` more"),
    ],
)
def test_sides_of_different_length(sizes: tuple[int, int], said: str) -> None:
    for right in (iter, list):
        with pytest.raises(InputError, match=said):
            count(iter(["a"] * sizes[0]), right(["a"] * sizes[1]))


def test_weights_and_groups_of_different_length() -> None:
    with pytest.raises(InputError, match="`weights` has 3 items"):
        count(iter("aaaaaa"), list("aaaaaa"), weights=[1, 1, 1])
    with pytest.raises(InputError, match="`by` has 7 items"):
        count(iter("a" * 8), iter("a" * 8), by=iter("x" * 7))


def test_nothing_at_all() -> None:
    assert count(iter([]), iter([]), labels=["a"]) == ConfusionMatrix([[0]], ["a"])
    with pytest.raises(InputError, match="no pairs to count"):
        count(iter([]), iter([]))
    with pytest.raises(InputError, match="no groups"):
        count(iter([]), iter([]), by=[])


def test_the_budgets_hold_over_all_chunks() -> None:
    with pytest.raises(BudgetError, match="max_classes"):
        count(iter(range(100)), iter(range(100)), max_classes=50)
    assert count(iter(range(50)), iter(range(50)), max_classes=50).n_classes == 50
    with pytest.raises(BudgetError, match="max_groups"):
        count(iter("a" * 100), iter("a" * 100), by=range(100), max_groups=50)
    with pytest.raises(BudgetError, match="max_classes"):
        count(iter(range(100)), iter(range(100)), by=[0] * 100, max_classes=50)


def test_a_positive_class_that_never_comes_is_an_error() -> None:
    with pytest.raises(LabelError, match="no label 'z'"):
        count(iter("ab" * 10), iter("ab" * 10), positive="z")


def test_other_containers_are_cut_beside_a_stream() -> None:
    values = list(range(3)) * 6
    expected = count(values, values)
    containers: list[Any] = [
        np.array(values),
        tuple(values),
        range(18),
        memoryview(bytes(values)),
        np.array(values, "f8"),
    ]
    for container in containers:
        other = list(container)
        assert count(iter(other), container) == count(other, other)
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    # An index that counts backwards must not decide.
    series = pd.Series(values, index=values[::-1])
    for container in (
        series,
        series.astype("category"),
        pl.Series(values),
        pa.array(values),
        pa.chunked_array([values]),
    ):
        assert count(iter(values), container) == expected


def test_groups_of_a_category_keep_its_order_beside_a_stream() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    by = pd.Series(pd.Categorical(list("mlh" * 6), categories=["l", "m", "h"]), name="size")
    stack = count(iter("a" * 18), iter("a" * 18), by=by)
    assert list(stack) == ["l", "m", "h"]
    assert stack == count(list("a" * 18), list("a" * 18), by=by)


@pytest.mark.parametrize("side", ["weights", "by"])
def test_a_single_value_beside_a_generator_is_refused(side: str) -> None:
    beside: Any = {side: np.array(3)}
    with pytest.raises(
        InputError, match=rf"`{side}` must hold one value per pair, not ndarray array\(3\)"
    ):
        count(iter([1, 2]), np.array([1, 2]), **beside)
