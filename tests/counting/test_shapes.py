"""Tables passed by mistake are refused with the call that was meant; masks of one shape are counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from confmat import InputError, count

pytestmark = pytest.mark.usefixtures("kernel")

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)


@given(SHAPES.flatmap(lambda s: st.tuples(*[arrays(np.uint8, s, elements=st.integers(2, 5))] * 2)))
def test_masks_of_one_shape_are_counted_element_by_element(masks: tuple[Any, Any]) -> None:
    actual, predicted = masks
    flat = count(actual.ravel(), predicted.ravel())
    assert count(actual, predicted) == flat
    # Another order in memory is the same mask.
    assert count(np.asfortranarray(actual), predicted) == flat
    assert count(actual[::-1], predicted[::-1]) == flat
    if actual.ndim > 1:
        assert count(actual.tolist(), predicted.tolist()) == flat
        assert count(list(actual), predicted) == flat


def test_masked_masks() -> None:
    actual = np.ma.masked_array([[1, 2], [2, 2]], mask=[[False, True], [False, False]])
    assert dict(count(actual, [[1, 1], [2, 1]], missing="drop").pairs()) == {
        (1, 1): 1,
        (2, 2): 1,
        (2, 1): 1,
    }


@pytest.mark.parametrize(
    ("actual", "predicted", "said"),
    [
        (
            [0, 1],
            [[0.2, 0.8], [0.6, 0.4]],
            r"`predicted` is a table of numbers such as 0\.2 with shape \(2, 2\): scores per class",
        ),
        (np.array([[0.2, 0.8], [0.6, 0.4]]), np.array([[0, 1], [1, 0]]), "scores per class"),
        (np.eye(3), np.eye(3), r"both sides look one-hot: shape \(3, 3\)"),
        (
            [0, 1, 2],
            np.eye(3, dtype=int),
            r"`actual` has shape \(3,\) and `predicted` \(3, 3\).*`predicted\.argmax\(axis=1\)`",
        ),
        ([0, 1, 2], np.zeros((3, 1), int), r"`predicted\.ravel\(\)`"),
        (np.zeros((2, 3), int), np.zeros((3, 2), int), "the shapes must be equal"),
        (np.zeros((2, 2), int), iter([0, 0, 0, 0]), r"\(unknown\)"),
        ([[1, 2], [3]], [[1, 2], [3]], "holds a list per item"),
    ],
)
def test_what_was_meant_is_said(actual: Any, predicted: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        count(actual, predicted)


@pytest.mark.parametrize("kind", ["U", "O", list])
def test_levels_of_a_hierarchy_are_no_items(kind: Any) -> None:
    rows = [["animal", "pet", "cat"], ["animal", "pet", "dog"]]
    table = rows if kind is list else np.array(rows, dtype=kind)
    with pytest.raises(
        InputError, match=r"tables of text of the shape \(2, 3\).*Hierarchy.from_paths.*ravel"
    ):
        count(table, table)
    column = np.array(rows)[:, 2:]
    assert count(column, column).total == 2
    assert count(np.array(rows).ravel(), np.array(rows).ravel()).total == 6


def test_one_for_each_row_of_a_table_is_told() -> None:
    mask = np.array([[0, 1, 1], [1, 0, 1]])
    for table in (mask, mask.tolist()):
        for name in ("weights", "by", "clusters"):
            with pytest.raises(
                InputError,
                match=r"one for each of 2 rows.*count_multilabel.*label map.*its 3 cells",
            ):
                count(table, table, **{name: [1, 2]})  # type: ignore[call-overload]
    assert count(mask, mask, weights=[1, 1, 1, 2, 2, 2]).total == 9
    assert count(mask, mask, weights=mask).total == 4
    column = mask[:, :1]
    assert count(column, column, weights=[1, 2]).total == 3


def test_indicators_beside_one_label_an_item_are_told_from_classes() -> None:
    several = np.array([[0, 1, 1], [0, 0, 0]])
    for actual, predicted in ((several, [0, 1]), ([0, 1], several)):
        with pytest.raises(
            InputError, match=r"count_multilabel`; the cells of a map are `\w+\.ravel"
        ):
            count(actual, predicted)


@pytest.mark.peers
def test_a_frame_of_indicators_is_told_where_to_go() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"cat": [0, 1], "dog": [1, 1]})
    with pytest.raises(
        InputError, match=r"frame\['label'\], or columns of zeros and ones.*count_multilabel"
    ):
        count(frame, frame)


@pytest.mark.parametrize(
    "values",
    [
        "abc",
        {"a", "b"},
        {"a": 1},
        None,
        5,
        np.array(3),
    ],
)
def test_what_is_no_list_of_labels(values: Any) -> None:
    for pair in ((values, ["a"]), (["a"], values)):
        side = "`actual`" if pair[0] is values else "`predicted`"
        with pytest.raises(InputError, match=side):
            count(*pair)


def test_frames_are_refused_with_a_column_to_take() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    for frame in (pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), pa.table({"a": [1]})):
        with pytest.raises(InputError, match="pass one of them, such as frame"):
            count(frame, [1])
        with pytest.raises(InputError, match="`predicted` is a"):
            count([1], frame)


@pytest.mark.parametrize("dtype", [complex, "i4,i4", "V3"])
def test_arrays_of_what_is_no_label(dtype: Any) -> None:
    with pytest.raises(InputError, match="cannot be labels"):
        count(np.zeros(2, dtype), np.zeros(2, dtype))


@pytest.mark.peers
def test_tensors_on_other_devices_and_of_odd_types() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(InputError, match=r"another device.*\.cpu\(\)"):
        count(torch.zeros(3, dtype=torch.int64, device="meta"), [0, 0, 0])
    with pytest.raises(InputError, match="cannot read `predicted`"):
        count([0], torch.zeros(1, dtype=torch.bfloat16))
    masks = torch.tensor([[2, 3], [3, 2]])
    assert count(masks, masks.T).total == 4
    with pytest.raises(InputError, match="scores per class"):
        count(torch.tensor([0, 1]), torch.tensor([[0.2, 0.8], [0.1, 0.9]]))


def test_what_stands_beside_no_rows_is_nothing() -> None:
    empty = np.zeros((0, 5), int)
    assert count(empty, empty, weights=[], labels=[0, 1]).total == 0
    with pytest.raises(InputError, match="holds one for each of 2 rows"):
        count(np.zeros((2, 5), int), np.zeros((2, 5), int), weights=[1, 2])
