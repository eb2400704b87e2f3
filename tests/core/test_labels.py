"""Labels: one kind each, types kept, order kept, nothing merged by accident."""

from __future__ import annotations

import copy
import enum
import json
import pickle
import struct
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import BudgetError, ConfusionMatrix, InputError, LabelError, Labels, count
from confmat.core.labels import MAX_CLASSES


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Word(enum.StrEnum):
    CAT = "cat"


# Surrogates, NULs, combining and right-to-left characters come by themselves.
TEXTS = st.text(st.characters(), max_size=6)
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXTS,
    "int": st.integers(-(2**70), 2**70),
    "bytes": st.binary(max_size=4),
    "object": st.tuples(TEXTS, st.integers()) | st.dates() | st.fractions(),
}
NAMES = st.sampled_from(sorted(SCALARS)).flatmap(
    lambda kind: st.lists(SCALARS[kind], min_size=1, max_size=8, unique=True)
)


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ([2, 1], "int"),
        ([True, False], "bool"),
        (["b", "a"], "text"),
        ([b"b", b"a"], "bytes"),
        ([(1, 2), (0, 1)], "object"),
        (np.array([3, 1], np.uint8), "int"),
        (range(5, 0, -2), "int"),
    ],
)
def test_the_kind_is_read_and_the_order_kept(names: Any, kind: str) -> None:
    labels = Labels(names)
    assert labels.kind == kind
    assert list(labels) == list(names)
    assert [type(name) for name in labels] == [
        type(name) for name in getattr(names, "tolist", lambda: names)()
    ]


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.str_("é"), "é"),
        (np.bytes_(b"x"), b"x"),
        (3.0, 3),
        (Number.TWO, 2),
        (Word.CAT, "cat"),
        (np.array([4]), 4),
    ],
)
def test_a_scalar_becomes_its_plain_value(given_name: Any, name: Any) -> None:
    found = Labels([given_name])[0]
    assert (found, type(found)) == (name, type(name))


@pytest.mark.parametrize("wrap", [str, np.str_, lambda text: text])
def test_a_nul_at_the_end_makes_another_label(wrap: Callable[[str], str]) -> None:
    assert list(Labels([wrap("a"), wrap("a\0"), wrap("a\0\0")])) == ["a", "a\0", "a\0\0"]


def test_look_alikes_never_merge() -> None:
    composed, decomposed = "\u00e9", "e\u0301"
    assert len(Labels([composed, decomposed, "e", "\u0435"])) == 4
    assert (
        len({Labels([1]), Labels(["1"]), Labels([True]), Labels([b"1"]), Labels([Decimal(1)])}) == 5
    )


def test_one_as_a_float_is_the_integer() -> None:
    assert Labels([1.0, 2.0]) == Labels([1, 2])


def test_bool_among_int_is_int() -> None:
    labels = Labels([True, 2, 0])
    assert labels.kind == "int"
    assert [type(name) for name in labels] == [int, int, int]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([1, "1"], r"int \(1\) and text \('1'\)"),
        (["a", b"a"], r"text \('a'\) and bytes \(b'a'\)"),
        ([True, "True"], "bool .*text"),
        ([(1,), 1], "object .*int"),
    ],
)
def test_mixed_kinds_are_refused_by_name(names: list[Any], said: str) -> None:
    with pytest.raises(LabelError, match=said):
        Labels(names)


@pytest.mark.parametrize(
    "number", [0.5, float("inf"), 2.0**53, np.float32(2**24), np.float16(2048)]
)
def test_a_float_that_is_no_exact_integer_is_refused(number: Any) -> None:
    with pytest.raises(LabelError, match=r"float|integers"):
        Labels([number])


PAYLOAD_NAN = struct.unpack("<d", struct.pack("<Q", 0x7FF8DEADBEEF0001))[0]


@pytest.mark.parametrize(
    "nothing",
    [
        None,
        pytest.param(PAYLOAD_NAN, id="payload"),
        np.datetime64("NaT", "D"),
        Decimal("NaN"),
        np.ma.masked,
    ],
)
def test_a_missing_name_is_refused_with_its_place(nothing: Any) -> None:
    with pytest.raises(LabelError, match="position 1"):
        Labels(["a", nothing])


@pytest.mark.parametrize(
    "names", [["a", "b", "a"], [1, 2, 1], [1, 1.0], [1, True, 2], np.array([*range(2000), 7])]
)
def test_a_repeated_name_is_an_error(names: Any) -> None:
    with pytest.raises(LabelError, match="come twice"):
        Labels(names)


@pytest.mark.parametrize(
    "names",
    [
        [],
        "abc",
        b"xyz",
        5,
        np.zeros((2, 2), int),
        [["a"]],
    ],
)
def test_what_is_no_list_of_names_is_refused(names: Any) -> None:
    with pytest.raises(LabelError):
        Labels(names)


def test_a_record_is_the_tuple_of_its_fields() -> None:
    assert Labels(list(np.array([(1, 2), (3, 4)], "i4,i4"))) == [(1, 2), (3, 4)]


def test_a_set_has_no_order_and_makes_no_labels() -> None:
    """Its order would change from run to run."""
    for names in ({"a", "b"}, frozenset({1, 2})):
        with pytest.raises(LabelError, match=r"has no order; give a list .* sorted\(labels\)"):
            Labels(names)
        with pytest.raises(LabelError, match="has no order"):
            count(["a"], ["a"], labels=names)


def test_far_too_many_labels_are_refused_before_memory_is_taken() -> None:
    with pytest.raises(BudgetError, match="1,000,000,000"):
        Labels(range(10**9))
    assert MAX_CLASSES < 10**9


def test_nanoseconds_in_an_array_stay_times() -> None:
    """NumPy's own list of them holds integers."""
    moments = np.array(["2020-01-01", "2020-01-02"], "M8[ns]")
    assert list(Labels(moments)) == list(moments)
    assert ConfusionMatrix(np.eye(2), moments).labels == Labels(moments)


@pytest.mark.parametrize(
    "names", [range(0, 4 * 10**5, 2), np.random.default_rng(0).permutation(2 * 10**5) * 2]
)
def test_finding_one_of_many_integers_makes_no_dictionary_of_them(names: Any) -> None:
    labels = Labels(names)
    tracemalloc.start()
    found = [labels.index(name) for name in (0, 777_76, 4 * 10**5 - 2)]
    absent = [name in labels for name in (-1, 3, 4 * 10**5, 2**70, -(2**70), "0", True)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [int(names[place]) for place in found] == [0, 777_76, 4 * 10**5 - 2]
    assert absent == [False] * 7
    # Two times 8 bytes a class for sorting; a dictionary takes more than 80.
    assert peak < 2.5 * 8 * 2 * 10**5


# ---- a sequence ----------------------------------------------------------------------------------


def test_it_is_a_sequence_with_outside_labels_at_its_end() -> None:
    labels = Labels(["spam", "ham"], outside=["(abstained)"], positive="spam")
    assert list(labels) == ["spam", "ham", "(abstained)"]
    assert (len(labels), labels.n_classes, labels.classes) == (3, 2, ("spam", "ham"))
    assert (labels[-1], labels[1:], labels.index("(abstained)")) == (
        "(abstained)",
        ("ham", "(abstained)"),
        2,
    )
    assert "(abstained)" in labels
    assert (labels.count("ham"), labels.count("eggs")) == (1, 0)
    with pytest.raises(IndexError, match="position 3 is outside the 3 labels"):
        labels[3]
    with pytest.raises(IndexError):
        labels[-4]


@pytest.mark.parametrize("stranger", ["3", True, None, float("nan"), np.array([1, 2])])
def test_a_name_of_another_kind_is_not_in_it(stranger: Any) -> None:
    assert stranger not in Labels([1, 2, 3])


def test_index_obeys_start_and_stop() -> None:
    labels = Labels(["a", "b", "c"])
    assert labels.index("b", 1, 2) == 1
    with pytest.raises(LabelError):
        labels.index("b", 2)
    with pytest.raises(LabelError):
        labels.index("b", 0, 1)


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(LabelError, match="did you mean 'Cat'"):
        Labels(["Cat", "Dog"]).index("cat")
    with pytest.raises(LabelError, match="did you mean 1, which is int"):
        Labels([1, 2]).index("1")


@pytest.mark.parametrize("outside", [["a", "a"], [1], [None]])
def test_outside_labels_are_distinct_texts(outside: list[Any]) -> None:
    with pytest.raises(LabelError, match="outside labels must be distinct texts"):
        Labels([1, 2], outside=outside)


def test_a_label_is_inside_or_outside_but_not_both() -> None:
    with pytest.raises(LabelError, match="at once"):
        Labels(["a", "b"], outside=["b"])


def test_the_positive_class_is_one_of_the_classes() -> None:
    assert Labels([0, 1], positive=np.int8(1)).positive == 1
    assert Labels([0, 1], positive=0).positive == 0
    with pytest.raises(LabelError, match="no label 'c'"):
        Labels(["a", "b"], positive="c")
    with pytest.raises(LabelError, match="outside label"):
        Labels(["a", "b"], outside=["c"], positive="c")


# ---- a value -------------------------------------------------------------------------------------


def test_equality_sees_kind_order_and_outside_labels() -> None:
    labels = Labels(["a", "b"], outside=["c"])
    assert list(labels) == ["a", "b", "c"]
    assert Labels(["a", "b"]) == ["a", "b"] == list(Labels(("a", "b")))
    assert labels != Labels(["a", "b", "c"])
    assert labels != Labels(["b", "a"], outside=["c"])
    assert labels != ["a", "b"]
    assert labels != 5
    assert Labels([0, 1]) != [False, True]
    assert Labels([1]) != [[]]


def test_labels_that_differ_are_not_equal_to_one_tuple() -> None:
    """Equality would lead from one to the other over the tuple."""
    inside, outside, names = Labels(["a", "b"]), Labels(["a"], outside=["b"]), ("a", "b")
    assert inside != outside
    assert inside == names
    assert outside != names
    assert hash(inside) == hash(names)
    assert len({inside, outside, names}) == 2


def test_the_positive_class_is_a_role_and_no_part_of_equality() -> None:
    assert (
        Labels(["a", "b"], positive="a") == Labels(["a", "b"], positive="b") == Labels(["a", "b"])
    )


@given(NAMES)
def test_equal_labels_hash_alike(names: list[Any]) -> None:
    labels = Labels(names)
    assert labels == Labels(tuple(names)) == tuple(names)
    assert hash(labels) == hash(Labels(tuple(names))) == hash(tuple(names))


@pytest.mark.parametrize("slot", ["kind", "outside", "positive", "_classes", "anything"])
def test_labels_are_immutable(slot: str) -> None:
    labels = Labels(["a"])
    with pytest.raises(AttributeError, match="immutable"):
        setattr(labels, slot, "x")
    with pytest.raises(AttributeError):
        delattr(labels, slot)
    assert labels == ["a"]


@given(NAMES)
def test_pickle_and_copy_give_an_equal_value(names: list[Any]) -> None:
    labels = Labels(names, outside=["(o)"] if "(o)" not in names else [], positive=names[-1])
    for twin in (pickle.loads(pickle.dumps(labels)), copy.copy(labels), copy.deepcopy(labels)):
        assert twin == labels
        assert twin.positive == labels.positive
        assert [type(name) for name in twin] == [type(name) for name in labels]


@given(NAMES)
def test_json_brings_every_type_back(names: list[Any]) -> None:
    labels = Labels(names, positive=names[0])
    twin = Labels.from_dict(json.loads(json.dumps(labels.to_dict())))
    assert twin == labels
    assert twin.positive == labels.positive
    assert [type(name) for name in twin] == [type(name) for name in labels]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "int", "names": ["1"]},
        {"kind": "int", "names": [True]},
        {"kind": "text", "names": "abc"},
        {"kind": "bytes", "names": ["YQ=="]},
        {"kind": "object", "names": [{"pickle": "gASVAAA="}]},
        {"kind": "object", "names": [{"decimal": "x"}]},
        {"kind": "object", "names": [{}]},
        5,
    ],
)
def test_damaged_stored_labels_are_an_input_error(data: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Labels.from_dict(data)


def test_repr_makes_small_labels_and_abridges_large_ones() -> None:
    labels = Labels(["a", "b\n"], outside=["o"], positive="a")
    assert repr(labels) == "Labels(['a', 'b\\n'], outside=['o'], positive='a')"
    assert (
        repr(Labels(range(1000)))
        == "Labels([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ..., 999] of 1,000 classes)"
    )


def test_repr_of_long_names_is_short() -> None:
    long = Labels(
        ["x" * 10**5 + end for end in "abcde"], outside=["y" * 10**5], positive="x" * 10**5 + "b"
    )
    assert repr(long).startswith("<Labels of 5 classes: 'xxx")
    # Three classes, an outside one and the positive one, each cut to 60 columns, and the words
    # between.
    assert len(repr(long)) < 5 * 60 + 80
    assert "positive 'xxx" in repr(long)
    assert "outside 'yyy" in repr(long)


def test_replace_sets_and_clears() -> None:
    labels = Labels(["a", "b"], outside=["o"], positive="a")
    assert labels.replace(positive="b").positive == "b"
    assert labels.replace(positive=None).positive is None
    assert labels.replace(outside=["p", "q"]) == Labels(["a", "b"], outside=["p", "q"])
    bare = labels.replace(outside=[])
    assert (bare, bare.positive) == (Labels(["a", "b"]), "a")
