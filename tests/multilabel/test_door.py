"""count_multilabel: what comes in, and what comes out."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import confmat as cm

pytestmark = pytest.mark.usefixtures("kernel")

Array = NDArray[Any]
ACTUAL = [{"cat"}, {"cat", "dog"}, set(), {"hen"}, {"dog"}, {"cat", "hen"}]
PREDICTED = [{"cat"}, {"dog", "hen"}, {"hen"}, {"hen"}, set(), {"cat", "hen"}]
NAMES = ["cat", "dog", "hen"]


def indicator(sets: Any, names: list[Any]) -> Array:
    return np.array([[name in labels for name in names] for labels in sets]).reshape(
        len(sets), len(names)
    )


def by_hand(actual: Array, predicted: Array, weights: Array | None = None) -> Array:
    """Cells of each label, counted one by one."""
    table = np.zeros((actual.shape[1], 2, 2), np.int64 if weights is None else weights.dtype)
    for item, label in product(range(actual.shape[0]), range(actual.shape[1])):
        cell = (label, int(actual[item, label]), int(predicted[item, label]))
        table[cell] += 1 if weights is None else weights[item]
    return table


@st.composite
def tables(draw: st.DrawFn) -> tuple[Array, Array]:
    n, size = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    rows = st.lists(st.lists(st.booleans(), min_size=size, max_size=size), min_size=n, max_size=n)
    return np.array(draw(rows)), np.array(draw(rows))


@given(tables())
def test_each_label_is_a_matrix_of_its_own(both: tuple[Array, Array]) -> None:
    actual, predicted = both
    stack = cm.count_multilabel(actual, predicted)
    assert stack.axis == "label"
    assert list(stack) == list(range(actual.shape[1]))
    assert stack.labels.positive is True
    assert stack.counts.tolist() == by_hand(actual, predicted).tolist()
    for label in stack:
        assert stack[label] == cm.count(actual[:, label], predicted[:, label], labels=[False, True])


@given(tables())
def test_booleans_whose_bytes_say_true_by_255(both: tuple[Array, Array]) -> None:
    odd = [(side * np.uint8(255)).view(bool) for side in both]
    assert (
        cm.count_multilabel(*odd)
        == cm.count_multilabel(odd[0], both[1])
        == cm.count_multilabel(*both)
    )


@given(tables())
def test_each_item_is_a_matrix_of_its_own(both: tuple[Array, Array]) -> None:
    actual, predicted = both
    items = cm.count_multilabel(actual, predicted, along="item")
    assert items.axis == "item"
    assert list(items) == list(range(len(actual)))
    assert items.counts.tolist() == by_hand(actual.T, predicted.T).tolist()
    # Both hold the same cells.
    assert items.sum() == cm.count_multilabel(actual, predicted).sum()


@given(tables(), st.data())
def test_weights_are_added_up(both: tuple[Array, Array], data: st.DataObject) -> None:
    actual, predicted = both
    weights = np.array(
        data.draw(st.lists(st.integers(0, 5), min_size=len(actual), max_size=len(actual)))
    )
    for numbers in (weights, weights / 4):
        stack = cm.count_multilabel(actual, predicted, weights=numbers)
        assert stack.counts.tolist() == by_hand(actual, predicted, numbers).tolist()
        squares = by_hand(actual, predicted, (numbers**2).astype(float))
        for place, label in enumerate(stack):
            found = stack[label].squares
            assert found is not None
            assert found == pytest.approx(squares[place])
        items = cm.count_multilabel(actual, predicted, weights=numbers, along="item")
        assert items.counts.sum(axis=0).tolist() == stack.counts.sum(axis=0).tolist()


def test_weights_of_a_label_that_nearly_all_have_leave_no_rounding() -> None:
    weights = np.array([0.1, 0.2, 0.3, 1e-9])
    stack = cm.count_multilabel(
        np.array([[1], [1], [1], [0]]), np.array([[1], [0], [1], [0]]), weights=weights
    )
    assert stack[0].counts[0, 0] == 1e-9
    full = cm.count_multilabel(np.ones((3, 1), int), np.ones((3, 1), int), weights=weights[:3])
    assert full[0].counts[0, 0] == 0
    assert full[0].squares is not None
    assert full[0].squares[0, 0] == 0


# ---- labels and policies -------------------------------------------------------------------------


def test_given_labels_set_the_order_and_unused_ones_stay() -> None:
    stack = cm.count_multilabel(ACTUAL, PREDICTED, labels=["hen", "cow", "cat", "dog"])
    assert list(stack) == ["hen", "cow", "cat", "dog"]
    assert stack["cow"].counts.tolist() == [[6, 0], [0, 0]]


def test_strangers_are_an_error_or_left_out_of_the_sets() -> None:
    with pytest.raises(
        cm.LabelError,
        match=r"1 label is not among `labels`: 'hen', first in item 3 of `actual` and",
    ):
        cm.count_multilabel(ACTUAL, PREDICTED, labels=["cat", "dog"])
    stack = cm.count_multilabel(ACTUAL, PREDICTED, labels=["cat", "dog"], other="drop")
    assert stack == cm.count_multilabel(
        [x - {"hen"} for x in ACTUAL], [x - {"hen"} for x in PREDICTED]
    )
    assert stack.dropped == 0


def test_missing_items_are_an_error_or_left_out() -> None:
    actual = [*ACTUAL, None, {"cat"}, float("nan")]
    predicted = [*PREDICTED, {"cat"}, None, None]
    with pytest.raises(
        cm.LabelError,
        match=r"2 in `actual`, the first at position 6; 2 in `predicted`.* position 7",
    ):
        cm.count_multilabel(actual, predicted)
    weights = np.arange(9)
    for along in ("label", "item"):
        found = cm.count_multilabel(actual, predicted, missing="drop", weights=weights, along=along)
        assert found.dropped == 6 + 7 + 8
        assert list(found) == list(cm.count_multilabel(ACTUAL, PREDICTED, along=along))
    assert cm.count_multilabel(actual, predicted, missing="drop", matrix=True).dropped == 3
    table = indicator(ACTUAL, NAMES).astype(float)
    table[2, 1] = np.nan
    with pytest.raises(
        cm.LabelError, match="missing items: 1 in `actual`, the first at position 2"
    ):
        cm.count_multilabel(table, indicator(PREDICTED, NAMES))
    assert cm.count_multilabel(table, indicator(PREDICTED, NAMES), missing="drop")[0].total == 5
    # A wrong number is reported by its own row, whatever is left out before it.
    wrong = indicator(PREDICTED, NAMES).astype(int)
    wrong[4, 0] = 3
    with pytest.raises(cm.InputError, match="`predicted` holds 3 in row 4"):
        cm.count_multilabel(table, wrong, missing="drop")
    masked = np.ma.masked_invalid(table)
    assert cm.count_multilabel(masked, indicator(PREDICTED, NAMES), missing="drop").dropped == 1


def test_kinds_of_labels_do_not_mix() -> None:
    with pytest.raises(cm.LabelError, match="different kinds"):
        cm.count_multilabel([{1}], [{"1"}])
    # A table without names has columns 0, 1, ...
    assert cm.count_multilabel(np.array([[0, 1]]), [{1}])[1].tp == 1


@pytest.mark.parametrize(
    ("actual", "predicted", "words"),
    [
        (
            ["cat", "dog"],
            ["cat", "dog"],
            "item 0 of `actual` is the str 'cat', not a set of labels",
        ),
        ([{"cat"}, "dog"], [{"cat"}, {"dog"}], "item 1 of `actual` is the str 'dog'.*sep=','"),
        ({"cat"}, {"cat"}, "not one set"),
        ([1, 0, 1], [1, 0, 1], "item 0 of `actual` is 1, of type int.*`confmat.count`"),
        (
            [[1, 0, 1], [0, 0, 1]],
            [[1, 0, 0], [0, 1, 1]],
            r"2 rows of 3 zeros and ones: give numpy.array\(actual\)",
        ),
        ([["cat", "cat"]], [["cat"]], "item 0 of `actual` names the label 'cat' more than once"),
        ([{"cat", None}], [{"cat"}], "a label of item 0 of `actual` is missing"),
        ([{"cat"}], [{"cat"}, {"dog"}], "`actual` has 1 items and `predicted` has 2"),
        (np.array([[0, 2]]), np.array([[0, 1]]), "`actual` holds 2 in row 0, the column 1"),
        (
            np.array([[0, 1]]),
            np.array([[0.2, 0.7]]),
            r"`predicted` holds 0.2.*scores.*`predicted >= 0.5`",
        ),
        (np.array([["1", 0]], object), np.array([[1, 0]]), "holds '1', of type str"),
        (np.zeros((2, 3)), np.zeros((2, 4)), "`actual` has 3 columns and `predicted` has 4"),
        ([set(), set()], [set(), set()], "no item has a label on either side"),
        (np.zeros((0, 2), int), np.zeros((0, 2), int), "no items to count"),
        ([[[1], [2]], [[1], [0]]], [[[1], [2]], [[1], [0]]], "a label must be hashable"),
    ],
)
def test_what_is_no_set_of_labels_is_refused(actual: Any, predicted: Any, words: str) -> None:
    with pytest.raises(cm.ConfmatError, match=words):
        cm.count_multilabel(actual, predicted)


def test_wrong_numbers_are_found_in_every_layout() -> None:
    good = np.zeros((3, 2), np.int64)
    for make in (np.asfortranarray, np.ascontiguousarray, lambda table: table.astype(np.int8)):
        bad = good.copy()
        bad[1, 1] = 7
        for pair in (
            (make(bad), make(good)),
            (make(good), make(bad)),
            (bad.astype(np.int16), make(good)),
        ):
            for options in ({}, {"along": "item"}, {"matrix": True}, {"weights": [1, 2, 3]}):
                with pytest.raises(cm.InputError, match="holds 7 in row 1, the column 1"):
                    cm.count_multilabel(*pair, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"labels": ["a", "b"]},
            r"`actual` has 3 columns and `labels` 2 labels.*`actual\[:, columns\]`",
        ),
        ({"labels": cm.Labels(["a", "b", "c"], outside=["(none)"])}, "nothing is outside"),
        ({"missing": "collect"}, "'error' or 'drop'"),
        ({"along": "item", "matrix": True}, "different counts of the same items"),
        ({"weights": [1, 2, 3]}, "one number per pair: 2, not 3"),
        ({"weights": [2**63, 2**62]}, "63 bits"),
        (
            {"clusters": ["x", None]},
            "1 in `clusters`, the first at position 1. Say missing='drop'$",
        ),
        ({"threads": 0}, "`threads`"),
    ],
)
def test_wishes_are_checked(options: dict[str, Any], words: str) -> None:
    table = np.zeros((2, 3), int)
    with pytest.raises(cm.ConfmatError, match=words):
        cm.count_multilabel(table, table, **options)
    with pytest.raises(cm.InputError, match="`sep` is the text between two labels"):
        cm.count_multilabel(["a"], ["a"], sep="")
    with pytest.raises(cm.InputError, match="`sep` parts texts, and `actual` holds int"):
        cm.count_multilabel(np.array(["a", 1], object), ["a", "b"], sep=",")


def test_who_counts_sets_as_labels_is_told_where_to_go() -> None:
    for sets in ([{"a"}, {"b"}], [["a", "b"], ["b"]]):
        with pytest.raises(cm.InputError, match=r"`confmat\.count_multilabel` counts items with"):
            cm.count(sets, sets)


def test_hostile_labels_stay_labels() -> None:
    names = ["\x00", "<script>", "\u202eabc", "x" * 10_000, "(missing)", "=1+1"]
    stack = cm.count_multilabel([{name} for name in names], [set(names)] * len(names))
    assert sorted(stack) == sorted(names)
    assert not set("\x00\u202e") & set(str(stack) + str(cm.report(stack)))
    with pytest.raises(cm.LabelError) as error:
        cm.count_multilabel([{name} for name in names], [set(names)] * 6, labels=["a"])
    assert len(str(error.value)) < 1000
    with pytest.raises(cm.LabelError, match=r"\(none\)"):
        cm.count_multilabel([{"(none)"}], [{"(none)"}], matrix=True)


def test_nothing_to_count_is_zeros_over_given_labels() -> None:
    nothing: tuple[Any, ...] = ([], np.zeros((0, 2), int))
    for empty in nothing:
        assert (
            cm.count_multilabel(empty, empty, labels=["a", "b"]).counts.tolist()
            == np.zeros((2, 2, 2)).tolist()
        )
        assert cm.count_multilabel(empty, empty, labels=["a", "b"], matrix=True).total == 0
        with pytest.raises(cm.InputError, match="no items"):
            cm.count_multilabel(empty, empty, labels=["a", "b"], along="item")


# ---- what it is for ------------------------------------------------------------------------------


def test_parts_add_up() -> None:
    parts = [cm.count_multilabel(ACTUAL[i::2], PREDICTED[i::2], labels=NAMES) for i in range(2)]
    assert parts[0] + parts[1] == cm.count_multilabel(ACTUAL, PREDICTED)
    items = cm.count_multilabel(ACTUAL, PREDICTED, along="item")
    with pytest.raises(cm.InputError, match="items of two stacks"):
        _ = items + items


def test_clusters_are_sums_of_their_items() -> None:
    clusters = ["p", "q", "p", "q", "q", "r"]
    stack = cm.count_multilabel(ACTUAL, PREDICTED, clusters=clusters)
    items = cm.count_multilabel(ACTUAL, PREDICTED, along="item")
    assert stack.axis == "cluster"
    assert list(stack) == ["p", "q", "r"]
    assert (
        stack["q"].counts.tolist() == (items.counts[1] + items.counts[3] + items.counts[4]).tolist()
    )
    assert stack.sum() == items.sum()
    with pytest.raises(cm.LabelError, match="missing groups"):
        cm.count_multilabel(ACTUAL, PREDICTED, clusters=[*clusters[:5], None])
    fewer = cm.count_multilabel(
        ACTUAL, PREDICTED, clusters=[*clusters[:5], None], missing="drop", weights=[1.5] * 6
    )
    assert fewer.dropped == 1.5
    assert fewer.sum().total == 5 * 3 * 1.5


def test_a_pooled_score_has_the_interval_of_its_items() -> None:
    items = cm.count_multilabel(ACTUAL, PREDICTED, along="item")
    found = cm.interval(items, cm.f1, of=True)
    assert isinstance(found, cm.Estimate)
    assert found.value == cm.f1(items.sum(), of=True) == 10 / 14
    assert found.design == "6 clusters"
    with pytest.raises(cm.InputError, match="holds the same items, so these are no clusters"):
        cm.interval(cm.count_multilabel(ACTUAL, PREDICTED), cm.f1, of=True)


@pytest.mark.slow
def test_pictures_take_what_comes_out() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure = cm.plot(cm.count_multilabel(ACTUAL, PREDICTED))
    assert [ax.get_title(loc="left").partition(" · ")[0] for ax in figure.axes[:3]] == NAMES
    ax = cm.plot(cm.count_multilabel(ACTUAL, PREDICTED, matrix=True))
    assert "(none)" in [text.get_text() for text in ax.get_yticklabels()]
    plt.close("all")


def test_a_stack_of_items_has_its_places_as_keys() -> None:
    import pickle

    items = cm.count_multilabel(ACTUAL, PREDICTED, along="item")
    assert items[1].counts.tolist() == [[0, 1], [1, 1]]
    assert 5 in items
    assert 6 not in items
    assert -1 not in items
    assert "a" not in items
    with pytest.raises(KeyError, match="there is no item 6"):
        items[6]
    assert pickle.loads(pickle.dumps(items)) == items
    assert hash(pickle.loads(pickle.dumps(items))) == hash(items)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e155, 1e300])
def test_weights_whose_squares_no_float_holds(scale: float) -> None:
    weights = np.array([1, 2, 3, 1, 5, 2]) / 4
    for options in ({}, {"along": "item"}, {"clusters": list("aabbcc")}, {"matrix": True}):
        found: Any = cm.count_multilabel(ACTUAL, PREDICTED, weights=weights * scale, **options)
        usual: Any = cm.count_multilabel(ACTUAL, PREDICTED, weights=weights, **options)
        assert np.allclose(found.counts / scale, usual.counts, rtol=1e-12)
        assert np.allclose(cm.f1(found), cm.f1(usual), rtol=1e-12, equal_nan=True)
    with pytest.raises(cm.InputError, match="more than a number holds"):
        cm.count_multilabel(ACTUAL, PREDICTED, weights=weights * 3.5e307, along="item")
