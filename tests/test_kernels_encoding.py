"""The compiled label encoders against their specification, also on input that means harm."""

from __future__ import annotations

import enum
import gc
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat.kernels import reference
from tests.twins import KERNELS, compiled

# NULs inside and at the end, no characters at all, every width that CPython stores, a lone
# surrogate.
TEXTS = st.text(st.sampled_from("a\0é日😀\ud800"), max_size=20) | st.text(max_size=6)


class Plain(enum.Enum):
    ONE = 1


class Text(enum.StrEnum):
    B = "b"


class Number(enum.IntEnum):
    ONE = 1


class LyingInt(int):
    def __int__(self) -> int:
        return 7


class LyingStr(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "lie"


def same(a: Any) -> Any:
    return a


def typed(labels: list[Any]) -> list[tuple[type, Any]]:
    return [(type(label), label) for label in labels]


def assert_same(a: Any, b: Any) -> None:
    assert a[0].dtype == b[0].dtype == np.int32
    assert a[0].tolist() == b[0].tolist()
    assert typed(a[1]) == typed(b[1])


# -- fixed-width text and bytes --------------------------------------------------------------------


@given(
    st.lists(TEXTS, max_size=40),
    st.integers(0, 3),
    st.sampled_from([1, 2, -1, -3]),
    st.sampled_from("<>"),
)
def test_text_is_read_as_numpy_reads_it(
    texts: list[str], wider: int, step: int, order: str
) -> None:
    width = max(map(len, texts), default=0) + wider
    array = np.array(texts, dtype=f"{order}U{width}")[::step]
    assert_same(compiled.encode_text(array), reference.encode_text(array))


@given(
    st.lists(st.binary(max_size=40), max_size=40),
    st.integers(0, 3),
    st.sampled_from([1, 2, -1, -3]),
)
def test_bytes_are_read_as_numpy_reads_them(items: list[bytes], wider: int, step: int) -> None:
    width = max(map(len, items), default=0) + wider
    array = np.array(items, dtype=f"S{width}")[::step]
    assert_same(compiled.encode_bytes(array), reference.encode_bytes(array))


@pytest.mark.parametrize("width", [*range(1, 19), 31, 32, 33, 40, 100])
def test_every_width_tells_labels_apart_by_each_character(width: int) -> None:
    texts = ["a" * i + "b" + "a" * (width - i - 1) for i in range(width)]
    for array in (np.array(texts * 2), np.array(texts * 2, dtype=f">U{width}")):
        assert_same(compiled.encode_text(array), (np.array([*range(width)] * 2, np.int32), texts))
    array = np.array(texts * 2, dtype="S")
    assert_same(
        compiled.encode_bytes(array),
        (np.array([*range(width)] * 2, np.int32), [t.encode() for t in texts]),
    )


def test_a_field_of_a_record_is_neither_aligned_nor_dense() -> None:
    records = np.array(
        [(1, "ab", b"x"), (2, "", b""), (3, "ab", b"x")],
        dtype=[("n", "i1"), ("t", "U3"), ("b", "S2")],
    )
    assert_same(compiled.encode_text(records["t"]), (np.array([0, 1, 0], np.int32), ["ab", ""]))
    assert_same(compiled.encode_bytes(records["b"]), (np.array([0, 1, 0], np.int32), [b"x", b""]))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("order", ["<", ">"])
def test_what_is_no_character_is_an_error(kernel: Any, order: str) -> None:
    array = np.array([0x61, 0x110000], dtype=f"{order}u4").view(f"{order}U1")
    with pytest.raises(ValueError, match="no Unicode character"):
        kernel.encode_text(array)


@pytest.mark.parametrize(
    "wrong", [np.array([1]), np.array([b"a"]), np.array([["a"]]), np.array("a")]
)
def test_text_wants_one_dimension_of_text(wrong: Any) -> None:
    with pytest.raises(TypeError, match="one-dimensional array of fixed-width text"):
        compiled.encode_text(wrong)


# -- objects ---------------------------------------------------------------------------------------

HASHABLE = st.one_of(
    TEXTS,
    st.integers(),
    st.integers(-(2**63) - 2, -(2**63) + 2),
    st.integers(2**63 - 2, 2**63 + 2),
    st.booleans(),
    st.floats(),
    st.binary(max_size=20),
    st.none(),
    st.tuples(st.integers(0, 2), st.text(max_size=1)),
    st.fractions(0, 2),
    st.sampled_from(
        [
            Plain.ONE,
            Text.B,
            Number.ONE,
            "b",
            1,
            True,
            1.0,
            "1",
            0.0,
            -0.0,
            LyingInt(3),
            LyingStr("x"),
        ]
    ),
    st.sampled_from(
        [np.str_("b"), np.bytes_(b"b"), np.float64(1), np.int64(1), np.bool_(True), np.float32(1)]
    ),
    st.sampled_from(
        [complex("nan"), Decimal("nan"), np.float32("nan"), np.datetime64("NaT", "s"), 1j]
    ),
)


def unwrap(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


@given(st.lists(HASHABLE, max_size=60), st.sampled_from([same, unwrap, str, type]))
def test_objects_in_every_container(values: list[Any], canonical: Callable[[Any], Any]) -> None:
    expected = reference.encode_objects(values, canonical)
    array = np.empty(2 * len(values), dtype=object)
    for i, value in enumerate(values):
        array[2 * i] = value
    for container in (values, tuple(values), array[::2], array[::2].copy()):
        assert_same(compiled.encode_objects(container, canonical), expected)


@pytest.mark.parametrize("kernel", KERNELS)
def test_types_never_merge_and_subclasses_count_as_their_base(kernel: Any) -> None:
    values = [
        1,
        True,
        1.0,
        "1",
        b"1",
        Number.ONE,
        np.float64(1),
        np.str_("1"),
        np.bytes_(b"1"),
        LyingInt(1),
        2**70,
    ]
    codes, distinct = kernel.encode_objects([*values, LyingStr("1"), 2**70], same)
    assert codes.tolist() == [0, 1, 2, 3, 4, 0, 2, 3, 4, 0, 5, 3, 5]
    assert typed(distinct) == [
        (int, 1),
        (bool, True),
        (float, 1.0),
        (str, "1"),
        (bytes, b"1"),
        (int, 2**70),
    ]


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_canonical_makes_is_keyed_like_what_was_there(kernel: Any) -> None:
    made = {
        Plain.ONE: "a",
        1j: None,
        2j: Number.ONE,
        3j: float("nan"),
        4j: (1,),
        5j: np.str_("a"),
        6j: 2**70,
    }
    codes, distinct = kernel.encode_objects(
        ["a", 1, 2**70, *made, (1,)], lambda value: made.get(value, value)
    )
    assert codes.tolist() == [0, 1, 2, 0, -1, 1, -1, 3, 0, 2, 3]
    assert typed(distinct) == [(str, "a"), (int, 1), (int, 2**70), (tuple, (1,))]


@pytest.mark.parametrize("kernel", KERNELS)
def test_errors_of_canonical_and_of_hashing_come_through(kernel: Any) -> None:
    def refuse(value: Any) -> Any:
        raise KeyError(value)

    with pytest.raises(KeyError):
        kernel.encode_objects(["a", Plain.ONE], refuse)
    with pytest.raises(TypeError, match="unhashable"):
        kernel.encode_objects(["a", []], same)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "change", [list.clear, lambda values: values.extend(["x"] * 1000), list.pop]
)
def test_a_list_that_changes_its_length_is_an_error(
    kernel: Any, change: Callable[[list[Any]], Any]
) -> None:
    values: list[Any] = ["a", Plain.ONE, *(str(i) for i in range(2000))]

    def canonical(value: Any) -> Any:
        change(values)
        return "made"

    with pytest.raises(RuntimeError, match="changed its length"):
        kernel.encode_objects(values, canonical)


def test_objects_that_die_while_they_are_read_do_not_haunt() -> None:
    # Each call replaces what was read and what comes next; addresses are used again at once.
    values: list[Any] = [str(i) for i in range(3000)]
    for i in range(0, 3000, 3):
        values[i] = (i,)
    seen: list[Any] = []

    def canonical(value: Any) -> Any:
        i = value[0]
        seen.extend([value[0], *(str(-j) for j in range(3))])
        values[: i + 2] = [str(-j) for j in range(i + 2)]
        gc.collect(0)
        return ("made", i)

    codes, distinct = compiled.encode_objects(values, canonical)
    assert sorted(set(codes.tolist())) == list(range(len(distinct)))
    assert [distinct[codes[i]] for i in range(0, 3000, 3)] == [
        ("made", i) for i in range(0, 3000, 3)
    ]
    assert [distinct[codes[i]] for i in range(2, 3000, 3)] == [str(i) for i in range(2, 3000, 3)]


def test_an_object_whose_end_changes_the_list() -> None:
    values: list[Any] = []

    class Bomb(str):
        __slots__ = ()

        def __del__(self) -> None:
            values.clear()

    values.extend(Bomb(f"bomb {i}") for i in range(3))
    values.extend([1j, *(str(i) for i in range(20_000))])

    def canonical(value: Any) -> Any:
        values[:3] = ["gone"] * 3
        return "made"

    with pytest.raises(RuntimeError, match="changed its length"):
        compiled.encode_objects(values, canonical)


def test_an_array_never_filled_holds_nothing() -> None:
    assert compiled.encode_objects(np.empty(3, dtype=object), same)[0].tolist() == [-1, -1, -1]


def test_other_sequences_are_read_as_lists() -> None:
    assert_same(compiled.encode_objects(range(3), same), reference.encode_objects(range(3), same))
    array = np.array([3, 1, 3])
    assert_same(compiled.encode_objects(array, unwrap), reference.encode_objects(array, unwrap))
    with pytest.raises(TypeError):
        compiled.encode_objects(5, same)


def test_nothing_is_leaked() -> None:
    label, foreign = "a label of its own", (object(),)
    values = [label, foreign, label] * 100
    before = sys.getrefcount(label), sys.getrefcount(foreign)
    for _ in range(10):
        compiled.encode_objects(values, same)
    assert (sys.getrefcount(label), sys.getrefcount(foreign)) == before


def test_long_labels_are_told_apart_at_their_end() -> None:
    huge = ["x" * 100_000, "x" * 99_999 + "y", "x" * 100_000]
    assert compiled.encode_objects(huge, same)[0].tolist() == [0, 1, 0]
    assert compiled.encode_text(np.array(huge))[0].tolist() == [0, 1, 0]


def phases(seed: int) -> list[Any]:
    """Long runs of objects of their own, of few that come again, and of both, in any order."""
    rng = np.random.default_rng(seed)
    few: list[Any] = [
        "a",
        "b",
        None,
        3,
        2.5,
        True,
        Plain.ONE,
        Decimal(1),
        LyingStr("lie"),
        float("nan"),
    ]
    made: list[Any] = []
    for kind in rng.integers(0, 4, 12).tolist():
        drawn = rng.integers(0, 10, int(rng.integers(1, 5000))).tolist()
        if kind == 0:
            made += [f"{chr(97 + i)}{'!' * i}" for i in drawn]
        elif kind == 1:
            made += [few[i] for i in drawn]
        elif kind == 2:
            made += [f"number {i}" if i % 3 else few[i] for i in drawn]
        else:
            made += [i * 1000 + 0.5 if i % 2 else i * 10**6 for i in drawn]
    return made


@pytest.mark.parametrize("seed", range(6))
def test_it_makes_no_difference_which_objects_came_before(seed: int) -> None:
    values = phases(seed)
    for container in (values, tuple(values), np.array(values, object)):
        assert_same(
            compiled.encode_objects(container, same), reference.encode_objects(values, same)
        )
