"""Which labels a matrix gets, in which order, and what becomes of strangers and of missing values."""

from __future__ import annotations

import datetime
import enum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import BudgetError, LabelError, Labels, count
from confmat.counting import planning

pytestmark = pytest.mark.usefixtures("kernel")


class Suit(enum.Enum):
    HEARTS = 1
    CLUBS = 2


class Word(enum.StrEnum):
    B = "b"
    A = "a"


# ---- order ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["b", "a", "B"], ["B", "a", "b"]),
        ([10, 9, -1], [-1, 9, 10]),
        ([True, False], [False, True]),
        ([(2, "a"), (1, "b")], [(1, "b"), (2, "a")]),
        (
            np.array(["2021", "2020"], "M8[Y]"),
            [np.datetime64("2020", "Y"), np.datetime64("2021", "Y")],
        ),
        (np.array([3, 1], "m8[s]"), [datetime.timedelta(seconds=1), datetime.timedelta(seconds=3)]),
        # Labels that cannot be compared stay in order of appearance.
        ([Suit.CLUBS, Suit.HEARTS], [Suit.CLUBS, Suit.HEARTS]),
        ([frozenset({1, 2}), frozenset({1})], [frozenset({1, 2}), frozenset({1})]),
        ([Word.B, Word.A, "c"], ["a", "b", "c"]),
    ],
)
def test_labels_are_sorted_if_they_can_be(values: Any, labels: list[Any]) -> None:
    matrix = count(values, values)
    assert list(matrix.labels) == labels
    assert [type(name) for name in matrix.labels] == [type(name) for name in labels]
    assert matrix.diagonal.tolist() == [1] * len(labels)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns", "ps"])
@pytest.mark.parametrize("other", ["m", "us", "ns"])
def test_a_duration_is_the_same_in_any_unit(unit: str, other: str) -> None:
    minutes = np.array([1, 2], "m8[m]")
    found = count(minutes.astype(f"m8[{unit}]"), minutes.astype(f"m8[{other}]"))
    assert list(found.labels) == [datetime.timedelta(minutes=1), datetime.timedelta(minutes=2)]
    assert found.counts.tolist() == [[1, 0], [0, 1]]


def test_a_duration_finer_than_those_of_python_stays_what_it_is() -> None:
    fine, weeks = np.array([1001], "m8[ns]"), np.array([1], "m8[W]")
    assert list(count(fine, fine).labels) == [np.timedelta64(1001, "ns")]
    assert list(count(weeks, weeks.astype("m8[D]")).labels) == [datetime.timedelta(weeks=1)]


def test_categories_keep_their_order_used_or_not() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    sizes = pd.Categorical(["low", "high"], categories=["low", "mid", "high"], ordered=True)
    assert count(sizes, sizes).labels == ["low", "mid", "high"]
    assert count(sizes, ["high", "other"]).labels == ["low", "mid", "high", "other"]
    fewer = pd.Categorical(["high", "high"], categories=["high", "low"])
    assert count(sizes, fewer).labels == count(fewer, sizes).labels == ["low", "mid", "high"]
    numbers = pd.Series(pd.Categorical([3, 1], categories=[3, 2, 1]))
    assert list(count(numbers, [1, 1]).labels) == [3, 2, 1]
    assert count(numbers, [1, 1]).counts.tolist() == [[0, 0, 1], [0, 0, 0], [0, 0, 1]]
    assert count(numbers, [1, 1], labels=[1, 2, 3]).labels == [1, 2, 3]


def test_categories_that_disagree_are_sorted_together() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    first, second = (pd.Categorical(list(names), categories=list(names)) for names in ("zb", "ya"))
    assert count(first, second).labels == ["a", "b", "y", "z"]


def test_an_enum_of_polars_keeps_its_order() -> None:
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    sizes = pl.Series(["low", "high", None], dtype=pl.Enum(["low", "mid", "high"]))
    assert count(sizes, sizes, missing="drop").labels == ["low", "mid", "high"]


# ---- kinds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actual", "predicted"),
    [
        ([1], ["1"]),
        ([b"a"], ["a"]),
        ([1, "1"], [1, 1]),
        ([Suit.CLUBS], [2]),
    ],
)
def test_kinds_do_not_mix(actual: list[Any], predicted: list[Any]) -> None:
    for left, right in ((actual, predicted), (predicted, actual)):
        with pytest.raises(LabelError, match="labels of different kinds came together"):
            count(left, right)


def test_the_error_names_what_came_and_where() -> None:
    with pytest.raises(LabelError, match=r"int \(1 in `actual`\) and text \('x' in `predicted`\)"):
        count([1], ["x"])
    with pytest.raises(LabelError, match=r"text \('x' in `actual`\) and int \(1 in `labels`\)"):
        count(["x"], ["x"], labels=[1, 2])


@pytest.mark.parametrize(
    ("actual", "predicted", "kind"),
    [
        (np.array([True, False]), np.array([1, 5]), "int"),
        ([True, 2], [1, 2.0], "int"),
        (np.array([1.0, 2.0]), [1, 2], "int"),
        (np.array([True, False]), [True, False], "bool"),
    ],
)
def test_booleans_among_integers_are_integers(actual: Any, predicted: Any, kind: str) -> None:
    matrix = count(actual, predicted)
    assert matrix.labels.kind == kind
    assert matrix == count([int(x) for x in actual], [int(x) for x in predicted]) or kind == "bool"
    assert matrix.total == 2


def test_labels_given_as_booleans_for_integers_and_the_other_way_round() -> None:
    assert count([0, 1], [1, 1], labels=[True, False]).labels == [1, 0]
    assert count([False, True], [True, True], labels=[1, 0]).labels == [1, 0]
    assert count([False, True], [True, True], labels=[True, False]).labels == [True, False]


@pytest.mark.parametrize("score", [0.5, -float("inf"), 2.0**53])
def test_scores_are_refused_with_advice(score: float) -> None:
    for values in ([score, 1.0], np.array([score, 1.0]), iter([score, 1.0])):
        with pytest.raises(LabelError, match=r"threshold|as integers or text"):
            count(values, [1, 1])


# ---- labels= -------------------------------------------------------------------------------------

ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abcd"), st.integers(0, 5)), max_size=20
)
ACTIONS = st.sampled_from(["drop", "collect"])


@given(
    ROWS,
    st.lists(st.sampled_from("abcdxyz"), min_size=1, unique=True),
    ACTIONS,
    st.booleans(),
    st.booleans(),
    st.sampled_from([list, np.array, iter]),
)
def test_strangers_are_dropped_or_collected_and_reported(
    rows: list[Any], labels: list[str], other: Any, weighted: bool, numbers: bool, container: Any
) -> None:
    if numbers:
        rows, labels = [(ord(a), ord(p), w) for a, p, w in rows], [ord(name) for name in labels]  # type: ignore[misc]
    actual, predicted, weights = ([row[i] for row in rows] for i in range(3))
    every = weights if weighted else [1] * len(rows)
    if not rows and container is np.array:
        return
    matrix = count(
        container(actual),
        container(predicted),
        labels=labels,
        other=other,
        weights=weights if weighted else None,
    )
    expected: dict[Any, int] = {}
    for a, p, w in zip(actual, predicted, every, strict=True):
        pair = tuple(x if x in labels else "(other)" for x in (a, p))
        if other == "collect" or "(other)" not in pair:
            expected[pair] = expected.get(pair, 0) + w
    assert dict(matrix.pairs()) == {pair: n for pair, n in expected.items() if n}
    assert list(matrix.labels.classes) == labels
    assert matrix.total + matrix.dropped == sum(every)
    assert matrix.labels.outside in {(), ("(other)",)}


TEXTS = st.sampled_from(["", "1", "01", "10", "a", "\0", "é", "\U0001f600", "(other)", None])
POLICIES = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(["error", "drop", "collect"]),
        "other": st.sampled_from(["error", "drop", "collect"]),
    },
    optional={
        "labels": st.sampled_from([["a", "1", "x"], Labels(["é", "a"], outside=["(other)", "10"])]),
        "positive": st.sampled_from(["a", "1"]),
        "sparse": st.booleans(),
    },
)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=30), POLICIES)
def test_many_texts_are_planned_as_few_are(rows: list[Any], options: dict[str, Any]) -> None:
    def answer(short: int) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(planning, "SHORT_LIST_LENGTH", short)
            try:
                found = count(*zip(*rows, strict=True), **options)
            except LabelError as error:
                return str(error)
            return (
                found,
                tuple(found.labels),
                found.labels.outside,
                found.labels.positive,
                found.dropped,
            )

    assert answer(0) == answer(1000)


@pytest.mark.parametrize(
    "container", [list, np.array, lambda v: (x for x in v)], ids=["list", "array", "stream"]
)
@pytest.mark.parametrize(
    ("names", "labels"),
    [(["a", "x", "y", "x"], ["a", "b"]), ([0, 7, 9, 7], [0, 1])],
    ids=["text", "int"],
)
def test_strangers_are_an_error_that_counts_them(
    container: Any, names: list[Any], labels: list[Any]
) -> None:
    said = (
        rf"2 labels are not among `labels`: {names[1]!r}, {names[2]!r}, in 3 of 4 pairs, the first "
        r"at position 1\. "
        r".*other='drop' or other='collect'"
    )
    with pytest.raises(LabelError, match=said):
        count(container(names), container(labels[:1] * 4), labels=labels)
    with pytest.raises(LabelError, match=said):
        count(container(labels[:1] * 4), container(names), labels=labels)


def test_strangers_among_large_unsigned_integers_are_counted_exactly() -> None:
    values = np.array([2**60, 2**60 + 1, 2**60 + 2, 2**63 + 1, 2**63 + 2], np.uint64)
    with pytest.raises(LabelError, match="in 2 of 5 pairs, the first at position 2"):
        count(values, values, labels=[2**60, 2**60 + 1, 2**63 + 1])


def test_strangers_among_many_labels_are_left_out_of_cells_as_of_tables() -> None:
    values, kept = np.arange(300) * 10**9, 200
    m = count(values, values[::-1], labels=values[:kept], other="drop", weights=np.arange(300))
    assert (m.total, m.dropped) == (sum(range(100, kept)), sum(range(300)) - sum(range(100, kept)))
    assert m.pairs()[10**9 * 150, 10**9 * 149] == 150


def test_labels_give_order_and_subset_and_may_never_occur() -> None:
    matrix = count(["a", "b"], ["b", "b"], labels=["c", "b", "a"])
    assert list(matrix.labels) == ["c", "b", "a"]
    assert matrix.counts.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]
    integers = count(np.array([3, 1]), np.array([1, 1]), labels=[9, 3, 1])
    assert integers.counts.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert count([3, 1], [1, 1], labels=range(3, 0, -1)).counts.tolist() == [
        [0, 0, 1],
        [0, 0, 0],
        [0, 0, 1],
    ]


def test_labels_may_carry_outside_ones_that_occur_by_name() -> None:
    labels = Labels([1, 2], outside=["background"])
    matrix = count([1, "background", 2], [1, 2, "background"], labels=labels)
    assert matrix.counts.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    text = Labels(["a"], outside=["(other)"])
    assert count(
        ["a", "x", "(other)"], ["a", "a", "a"], labels=text, other="collect"
    ).counts.tolist() == [
        [1, 0],
        [2, 0],
    ]
    with pytest.raises(LabelError, match="'x'"):
        count([1, "x"], [1, 2], labels=labels)


def test_the_positive_class_is_checked() -> None:
    assert count(["a", "b"], ["a", "b"], positive="b").positive == "b"
    assert count([1, 2], [1, 2], labels=[2, 1], positive=2).positive == 2
    assert count([True], [False], positive=False).positive is False
    for values in (["a"], np.array([1, 2]), np.array(["a"])):
        with pytest.raises(LabelError, match="no label 'z'"):
            count(values, values, positive="z")
    with pytest.raises(LabelError, match="no label 'z'"):
        count([], [], labels=["a"], positive="z")


def test_too_many_classes_are_refused_with_a_guess() -> None:
    for values in (
        list(range(11)),
        np.arange(11),
        [str(i) for i in range(11)],
        np.arange(11) * 10**9,
    ):
        with pytest.raises(
            BudgetError,
            match="11 distinct labels are more than `max_classes` = 10: this looks like an identifier",
        ):
            count(values, values, max_classes=10)
        assert count(values[:10], values[:10], max_classes=10).n_classes == 10


@pytest.mark.parametrize("sparse", [True, False, None])
def test_integers_that_are_all_of_the_classes_leave_room_for_labels_outside(
    sparse: bool | None,
) -> None:
    labels = Labels([0, 1, 2], outside=["(late)"])
    m = count([0, 1, 2], [0, 1, 2], labels=labels, sparse=sparse)
    assert m.counts.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert count([0, 1, 2], [0, 1, 2], labels=labels, by=[7, 7, 7], sparse=sparse)[7] == m
