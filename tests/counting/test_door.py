"""The door: options checked once, sides paired by position, and labels of every kind told apart."""

from __future__ import annotations

import collections
import enum
import struct
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from confmat import BudgetError, ConfusionMatrix, InputError, LabelError, Labels, Tally, count
from confmat.core.errors import AlignmentWarning

pytestmark = pytest.mark.usefixtures("kernel")


class Number(enum.IntEnum):
    ONE = 1


class Word(enum.StrEnum):
    CAT = "cat"


def oracle(actual: Iterable[Any], predicted: Iterable[Any]) -> dict[Any, int]:
    table: dict[Any, int] = {}
    for pair in zip(actual, predicted, strict=True):
        table[pair] = table.get(pair, 0) + 1
    return table


# ---- labels that mean harm -----------------------------------------------------------------------

HOSTILE = [
    *("", "\0", "a", "a\0", "\0a", "é", "e\u0301", "\u202ea", "👩\u200d👧", "\ud800", "\uffff"),
    *("1", "True", "nan", "None", "__class__", "{}", "%s", "x" * 10**5, "x" * (10**5 - 1) + "y"),
]


ANY_TEXT = st.sampled_from(HOSTILE) | st.text(st.characters(), max_size=4)


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), min_size=1, max_size=20))
def test_hostile_text_is_counted_to_the_letter(pairs: list[Any]) -> None:
    actual, predicted = ([pair[i] for pair in pairs] for i in (0, 1))
    matrix = count(actual, predicted)
    assert dict(matrix.pairs()) == oracle(actual, predicted)
    assert list(matrix.labels) == sorted({*actual, *predicted})
    assert count(np.array(actual, dtype=object), tuple(predicted)) == matrix


INTS = st.integers(-(2**70), 2**70) | st.sampled_from(
    [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 0, 2**53, 2**53 + 1]
)


@example(pairs=[(-1, 2**63)], as_array=False)
@given(st.lists(st.tuples(INTS, INTS), min_size=1, max_size=20), st.booleans())
def test_integers_of_any_length(pairs: list[Any], as_array: bool) -> None:
    sides = [[pair[i] for pair in pairs] for i in (0, 1)]
    container = (lambda v: np.array(v, dtype=object)) if as_array else list
    matrix = count(container(sides[0]), container(sides[1]))
    assert dict(matrix.pairs()) == oracle(*sides)
    assert list(matrix.labels) == sorted({*sides[0], *sides[1]})


OBJECTS = (
    st.tuples(st.integers(0, 1), st.booleans())
    | st.tuples(st.text(max_size=1))
    | st.frozensets(st.integers(0, 2))
    | st.dates()
)


@given(st.lists(st.tuples(OBJECTS, OBJECTS), min_size=1, max_size=12))
def test_any_hashable_object(pairs: list[Any]) -> None:
    actual, predicted = ([pair[i] for pair in pairs] for i in (0, 1))
    assert dict(count(actual, predicted).pairs()) == oracle(actual, predicted)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([Number.ONE, 1, np.int8(1), 1.0, np.float16(1)], [1]),
        ([Word.CAT, "cat", np.str_("cat")], ["cat"]),
        ([True, np.bool_(True)], [True]),
        ([-0.0, 0, 0.0], [0]),
        ([np.array(3), np.array([3]), 3], [3]),
    ],
)
def test_what_is_one_label_in_other_clothes(values: list[Any], labels: list[Any]) -> None:
    matrix = count(values, values[::-1])
    assert list(matrix.labels) == labels
    assert type(matrix.labels[0]) is type(labels[0])
    assert matrix.total == len(values)


def test_nan_payloads_are_all_missing() -> None:
    bits = [0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8DEADBEEF0001, 0x7FF0000000000001]
    nans = [struct.unpack("<d", struct.pack("<Q", b))[0] for b in bits]
    for values in (nans, np.array(nans), np.array(nans, dtype=object)):
        assert count(values, [1] * 4, missing="drop", labels=[1]).dropped == 4


def test_scalars_of_pyarrow_are_their_values() -> None:
    pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    scalars = list(pa.array(["b", None, "a"]))
    matrix = count(scalars, ["b", "b", "a"], missing="drop")
    assert (matrix.labels, matrix.dropped) == (Labels(["a", "b"]), 1)
    assert count(list(pa.array([2, 1])), [1, 1]).labels == [1, 2]


def test_a_column_of_128_bits_is_refused() -> None:
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    column = pl.Series([2**100, 1], dtype=pl.Int128)
    with pytest.raises(InputError, match="cannot read `actual`"):
        count(column, column)


def test_unhashable_labels_are_refused_by_place() -> None:
    with pytest.raises(LabelError, match="in `predicted`: a label must be hashable, and dict"):
        count(["a", "b"], ["a", {"b": 1}])
    with pytest.raises(InputError, match="holds a list per item"):
        count([["a"], ["b", "c"]], [["a"], ["b", "c"]])


# ---- pairing -------------------------------------------------------------------------------------


def test_lengths_must_agree() -> None:
    with pytest.raises(
        InputError, match="`actual` has 2 labels and `predicted` has 3; they are paired by position"
    ):
        count([1, 2], [1, 2, 3])
    with pytest.raises(InputError, match="`actual` has 0 labels and `predicted` has 1,000"):
        count([], np.zeros(1000, int), labels=[0])


@pytest.mark.parametrize(
    "empty",
    [
        [],
        np.zeros(0),
        np.zeros(0, "U3"),
        np.zeros(0, object),
    ],
)
def test_nothing_to_count_needs_labels(empty: Any) -> None:
    with pytest.raises(InputError, match="no pairs to count; with `labels=`"):
        count(empty, empty)
    matrix = count(empty, [], labels=["b", "a"])
    assert matrix == ConfusionMatrix([[0, 0], [0, 0]], ["b", "a"])
    assert (matrix.total, matrix.dropped) == (0, 0)


def test_series_of_different_index_are_paired_by_position_with_a_warning() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    actual, predicted = pd.Series([1, 2], index=[0, 1]), pd.Series([1, 2], index=[1, 0])
    with pytest.warns(AlignmentWarning, match=r"paired by position.*reindex") as caught:
        matrix = count(actual, predicted)
    assert matrix.diagonal.tolist() == [1, 1]
    assert caught[0].filename == __file__
    with pytest.warns(AlignmentWarning):
        Tally().update(actual, predicted)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        count(actual, pd.Series([1, 2], index=[0, 1]))
        count(actual, [1, 2])
        count(actual.to_numpy(), predicted)


def test_the_sides_are_not_interchangeable() -> None:
    matrix = count(actual=["a", "a", "b"], predicted=["b", "b", "b"])
    assert matrix.pairs()["a", "b"] == 2
    assert ("b", "a") not in matrix.pairs()
    assert count(predicted=["b", "b", "b"], actual=["a", "a", "b"]) == matrix


def test_options_are_named() -> None:
    with pytest.raises(InputError, match="takes the two columns themselves"):
        count([1], [1], [1])  # type: ignore[call-overload]


# ---- storage and threads -------------------------------------------------------------------------


def test_many_classes_are_sparse_by_themselves() -> None:
    n = 20_000
    matrix = count(np.arange(n), np.arange(n)[::-1])
    assert matrix.is_sparse
    assert len(matrix.pairs()) == n
    text = [f"{i:05}" for i in range(n)]
    assert count(text, text[::-1]).relabel(range(n)) == matrix


def test_the_source_stays_as_it_was() -> None:
    actual, weights = np.array([3, 1, 2]), np.array([1.0, 2.0, 3.0])
    count(actual, actual, weights=weights)
    assert (actual.tolist(), weights.tolist()) == ([3, 1, 2], [1.0, 2.0, 3.0])
    assert actual.flags.writeable
    assert weights.flags.writeable


def test_labels_given_as_labels_keep_everything() -> None:
    labels = Labels(["n", "y"], positive="y")
    assert count(["y"], ["n"], labels=labels).positive == "y"
    assert count(["y"], ["n"], labels=labels, positive="n").positive == "n"


@pytest.mark.peers
def test_weights_and_groups_with_another_index_are_warned_about_where_the_call_stands() -> None:
    pd = pytest.importorskip("pandas")
    y = pd.Series(["a", "b"])
    for option in (
        {"weights": pd.Series([1, 2], index=[5, 6])},
        {"by": pd.Series(["g", "h"], index=[5, 6])},
    ):
        with pytest.warns(AlignmentWarning, match=next(iter(option))) as caught:
            count(y, y, **option)
        assert caught[0].filename == __file__


def test_weights_of_another_shape_are_refused() -> None:
    mask = np.zeros((2, 3), int)
    assert count(mask, mask, weights=np.ones((2, 3))).total == 6
    for weights in (np.ones((3, 2)), np.float64(1.0)):
        with pytest.raises(InputError, match=r"`weights`"):
            count(mask, mask, weights=weights)


@pytest.mark.parametrize(
    "options",
    [
        {"threads": 0},
        {"max_classes": None},
        {"max_groups": None},
        {"sparse": "yes"},
    ],
    ids=str,
)
def test_options_are_checked_even_for_nothing(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        count([], [], labels=[0], **options)


def test_any_number_of_threads_is_a_wish() -> None:
    assert count([1], [1], threads=2**40).total == 1


def test_a_dense_table_beyond_the_budget_is_refused_before_it_takes_memory() -> None:
    with pytest.raises(BudgetError, match=r"pairs\(\)"):
        count([0], [0], labels=range(200_000), sparse=False)


@pytest.mark.peers
def test_categories_give_labels_in_their_order() -> None:
    pd = pytest.importorskip("pandas")
    column = pd.Series(["b", "a"]).astype(pd.CategoricalDtype(["b", "a", "c"]))
    for labels in (column, column.dtype, column.cat.categories):
        assert count(["a"], ["b"], labels=labels).labels == ["b", "a", "c"]


def test_a_deque_and_an_iterator_count_together() -> None:
    assert count(collections.deque(["a", "b"]), iter(["a", "a"])).total == 2
    with pytest.raises(InputError, match="weights"):
        count(iter([1]), iter([1]), weights=5)
