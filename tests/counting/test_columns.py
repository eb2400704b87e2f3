"""Any container of text or numbers counts like the plain list of its labels, on both kernels."""

from __future__ import annotations

import array
import collections
import ctypes
import datetime
from collections.abc import Callable, Iterable
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confmat import ConfusionMatrix, InputError, LabelError, count, kernel_name

pytestmark = pytest.mark.usefixtures("kernel")

Pair = tuple[Any, Any]
Build = Callable[[list[Any]], Any]


def oracle(
    actual: Iterable[Any], predicted: Iterable[Any], weights: Iterable[Any] | None = None
) -> dict[Pair, Any]:
    table: dict[Pair, Any] = {}
    for a, p, w in zip(actual, predicted, repeat(1) if weights is None else weights, strict=False):
        table[a, p] = table.get((a, p), 0) + w
    return {pair: n for pair, n in table.items() if n}


def lib(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed")


def strided(values: list[Any]) -> Any:
    doubled = np.empty(2 * len(values), dtype=np.array(values).dtype)
    doubled[::2] = values
    doubled[1::2] = values[::-1]
    return doubled[::2]


def arrow(kind: str, values: list[Any]) -> Any:
    return lib("pyarrow").array(values, type=kind)


def series(kind: str, values: list[Any]) -> Any:
    return lib("pandas").Series(values, dtype=kind)


def of_dtype(dtype: str, values: list[Any]) -> Any:
    return np.array(values, dtype=dtype)


def buffer(values: Any) -> Any:
    return memoryview(values)


class Offered:
    """A container of which nothing is known but one way to offer what it holds."""

    def __init__(self, source: Any, way: str) -> None:
        self.source, self.way = source, way

    def __getattr__(self, name: str) -> Any:
        if name == self.way:
            return getattr(self.source, name)
        raise AttributeError(name)


def chunked(values: list[Any], kind: Any) -> Any:
    pa = lib("pyarrow")
    half = len(values) // 2
    return pa.chunked_array(
        [pa.array(values[:half], type=kind), pa.array(values[half:], type=kind)]
    )


def sliced(values: list[Any], kind: str) -> Any:
    made = lib("pyarrow").array([values[0], *values, values[-1]], type=kind)
    return made[1:-1]


def dictionary(values: list[Any], index: str) -> Any:
    pa = lib("pyarrow")
    names = sorted(set(values), reverse=True)
    return pa.DictionaryArray.from_arrays(
        pa.array([names.index(v) for v in values], type=index), pa.array(names)
    )


def enum_of(values: list[Any]) -> Any:
    pl = lib("polars")
    return pl.Series(values, dtype=pl.Enum(["(never)", *sorted(set(values))]))


EVERYWHERE: dict[str, Build] = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "deque": collections.deque,
    "array": np.array,
    "reversed": lambda v: np.array(v[::-1])[::-1],
    "strided": strided,
    "big-endian": lambda v: np.array(v).astype(np.array(v).dtype.newbyteorder(">")),
    "object": lambda v: np.array(v, dtype=object),
    "masked": lambda v: np.ma.masked_array(np.array(v)),
    "numpy-scalars": lambda v: list(np.array(v)),
    "pandas": lambda v: lib("pandas").Series(v),
    "pandas-category": lambda v: lib("pandas").Series(v, dtype="category"),
    "pandas-Categorical": lambda v: lib("pandas").Categorical(v),
    "polars": lambda v: lib("polars").Series(v),
    "polars-chunks": lambda v: (
        lib("polars")
        .Series(v[:1])
        .append(lib("polars").Series(v[1:] or v[:0], dtype=lib("polars").Series(v).dtype))
    ),
    "pyarrow": lambda v: lib("pyarrow").array(v),
    "pyarrow-dictionary": lambda v: lib("pyarrow").array(v).dictionary_encode(),
    "pyarrow-column": lambda v: lib("pyarrow").table({"x": v})["x"],
    "dictionary-int8": lambda v: dictionary(v, "int8"),
}

TEXT: dict[str, Build] = {
    **EVERYWHERE,
    "StringDType": lambda v: np.array(v, dtype=np.dtypes.StringDType()),
    "pandas-string-python": lambda v: lib("pandas").Series(v, dtype="string[python]"),
    "pandas-arrow": lambda v: lib("pandas").Series(
        v, dtype=lib("pandas").ArrowDtype(lib("pyarrow").string())
    ),
    "polars-Categorical": lambda v: lib("polars").Series(v, dtype=lib("polars").Categorical),
    "polars-Enum": enum_of,
    **{
        f"pyarrow-{kind}": partial(arrow, kind)
        for kind in ("string", "large_string", "string_view")
    },
    "pyarrow-chunked": lambda v: chunked(v, "string"),
    "pyarrow-sliced": lambda v: sliced(v, "string"),
    "pyarrow-sliced-view": lambda v: sliced(v, "string_view"),
}

BYTES: dict[str, Build] = {
    **{name: EVERYWHERE[name] for name in ("list", "generator", "object", "array", "pandas")},
    **{
        f"pyarrow-{kind}": partial(arrow, kind)
        for kind in ("binary", "large_binary", "binary_view")
    },
}

INTS: dict[str, Build] = {
    **EVERYWHERE,
    **{
        dtype: partial(of_dtype, dtype)
        for dtype in ("i1", "i2", "i4", "u1", "u2", "u4", "u8", "f2", "f4", ">f8", "g")
    },
    "memoryview": lambda v: buffer(np.array(v, dtype=np.int16)),
    "array.array-d": lambda v: array.array("d", v),
    "bytearray": bytearray,
    "ctypes": lambda v: (ctypes.c_int16 * len(v))(*v),
    "array-interface": lambda v: Offered(np.array(v), "__array_interface__"),
    **{
        f"pandas-{kind}": partial(series, kind)
        for kind in ("Int8", "UInt64", "Float32", "double[pyarrow]", "Sparse[int64]")
    },
    "polars-u8": lambda v: lib("polars").Series(v, dtype=lib("polars").UInt8),
    "polars-float": lambda v: lib("polars").Series(v, dtype=lib("polars").Float64),
    **{f"pyarrow-{kind}": partial(arrow, kind) for kind in ("int8", "uint64", "double")},
    "pyarrow-chunked": lambda v: chunked(v, "int32"),
    "pyarrow-sliced": lambda v: sliced(v, "int32"),
}

UNSIGNED = {"bytearray", "pandas-UInt64", "polars-u8", "pyarrow-uint64"}


BOOLS: dict[str, Build] = {
    **{name: build for name, build in EVERYWHERE.items() if not name.startswith("dictionary")},
    "pandas-boolean": lambda v: lib("pandas").Series(v, dtype="boolean"),
    "pandas-arrow": lambda v: lib("pandas").Series(v, dtype="bool[pyarrow]"),
    "memoryview": lambda v: buffer(np.array(v)),
    "pyarrow-sliced": lambda v: sliced(v, "bool"),
    "pyarrow-chunked": lambda v: chunked(v, "bool"),
}

# There are many containers, and few ways in which one of them can differ from another.
FEW = settings(max_examples=max(10, settings.default.max_examples // 4) if settings.default else 10)

TORCH = ["uint8", "int32", "int64", "bool", "float32"]

# NumPy's fixed width forgets NULs at the end, so these end in something else; the rest of Unicode
# is welcome.
WORDS = st.sampled_from(
    [
        "a",
        "b",
        "ab",
        "A",
        "1",
        "é",
        "e\u0301",
        "😀",
        "שלום",
        "日本語",
        "a\0b",
        "x" * 13,
        "x" * 12,
        "\u202e!",
    ]
)


def pairs_of(element: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Pair]]:
    return st.lists(st.tuples(element, element), min_size=1, max_size=30)


def check(pairs: list[Pair], build_actual: Build, build_predicted: Build) -> ConfusionMatrix:
    actual, predicted = ([pair[side] for pair in pairs] for side in (0, 1))
    matrix = count(build_actual(actual), build_predicted(predicted))
    assert dict(matrix.pairs()) == oracle(actual, predicted)
    assert matrix.total == len(pairs)
    assert {type(name) for name in matrix.labels.classes} == {type(name) for name in actual}
    assert set(matrix.labels) - {"(never)"} == {*actual, *predicted}
    return matrix


def keeps_an_order(name: str) -> bool:
    """Whether the container may have an order of its own, which comes before the sorted rest."""
    return "ategorical" in name or "category" in name or "ictionary" in name


@pytest.mark.parametrize("name", TEXT)
@FEW
@given(pairs_of(WORDS), st.sampled_from(["same", "list", "array"]))
def test_text(name: str, pairs: list[Pair], other: str) -> None:
    matrix = check(pairs, TEXT[name], TEXT[name if other == "same" else other])
    if name != "polars-Enum":
        assert list(matrix.labels) == sorted(matrix.labels) or keeps_an_order(name)


@pytest.mark.parametrize("name", TEXT)
def test_text_without_empty_or_missing_labels_of_its_own(name: str) -> None:
    check([("", "a"), ("a", ""), ("nan", "None"), ("NA", "null")], TEXT[name], TEXT[name])


@pytest.mark.parametrize("name", BYTES)
@FEW
@given(pairs_of(st.sampled_from([b"a", b"b", b"ab", b"", b"\0a", b"\xff\xfe", b"x" * 20])))
def test_bytes(name: str, pairs: list[Pair]) -> None:
    check(pairs, BYTES[name], BYTES[name])


@pytest.mark.parametrize("name", INTS)
@FEW
@given(pairs_of(st.integers(0, 6)), st.sampled_from(["same", "list", "array", "u8", "f2"]))
def test_integers(name: str, pairs: list[Pair], other: str) -> None:
    matrix = check(pairs, INTS[name], INTS[name if other == "same" else other])
    assert list(matrix.labels) == sorted(matrix.labels) or keeps_an_order(name)


@pytest.mark.parametrize("name", [name for name in INTS if name[0] != "u" and name not in UNSIGNED])
@FEW
@given(pairs_of(st.sampled_from([-1, 0, 1, 100, -100, 127, -128])))
def test_negative_integers(name: str, pairs: list[Pair]) -> None:
    check(pairs, INTS[name], INTS[name])


@pytest.mark.parametrize("name", BOOLS)
@FEW
@given(pairs_of(st.booleans()), st.sampled_from(["same", "list", "array"]))
def test_booleans(name: str, pairs: list[Pair], other: str) -> None:
    matrix = check(pairs, BOOLS[name], BOOLS[name if other == "same" else other])
    assert matrix.labels.kind == "bool"


def test_booleans_whose_bytes_say_true_by_255() -> None:
    # Views of masks, and how Pillow hands over pictures of one bit.
    mask = np.array([0, 255, 255, 0, 255], np.uint8)
    odd, truth, plain = mask.view(bool), mask > 0, np.array([False, True, False, True, True])
    for one, two in ((odd, truth), (odd[::-1], truth[::-1])):
        assert count(one, plain) == count(two, plain)
        assert count(plain, one) == count(plain, two)
    weights = np.full(5, 0.5)
    assert count(odd, plain.astype(int), weights=weights) == count(
        truth, plain, weights=weights
    ).relabel([0, 1])
    assert count(odd, plain, by=odd) == count(truth, plain, by=truth)


@pytest.mark.peers
@pytest.mark.parametrize("dtype", TORCH)
@FEW
@given(pairs_of(st.integers(0, 1)))
def test_torch_tensors(dtype: str, pairs: list[Pair]) -> None:
    torch = lib("torch")

    def build(values: list[Any]) -> Any:
        # Every second element of a longer tensor: not contiguous.
        return torch.tensor([x for x in values for _ in (0, 1)], dtype=getattr(torch, dtype))[::2]

    kind = bool if dtype == "bool" else int
    check([(kind(a), kind(p)) for a, p in pairs], build, build)


@pytest.mark.peers
def test_a_tensor_that_learns_is_read_without_its_gradient() -> None:
    torch = lib("torch")
    assert count(
        torch.tensor([0.0, 1.0], requires_grad=True), torch.tensor([1, 1])
    ).counts.tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("way", ["__arrow_c_array__", "__arrow_c_stream__"])
def test_a_column_may_offer_nothing_but_its_capsule(way: str) -> None:
    whole = lib("pyarrow").array(["a", "b", "a"])
    made = whole if way == "__arrow_c_array__" else chunked(["a", "b", "a"], "string")
    actual, predicted = Offered(made, way), Offered(made, way)
    if kernel_name() == "reference":
        with pytest.raises(InputError, match="without the compiled kernel"):
            count(actual, predicted)
        return
    assert count(actual, predicted) == count(["a", "b", "a"], ["a", "b", "a"])
    assert list(count(actual, predicted, by=predicted)) == ["a", "b"]


TIMES: dict[str, Build] = {
    "list": list,
    "array": lambda v: np.array(v, dtype="M8[D]" if type(v[0]) is datetime.date else None),
    "pandas-arrow": lambda v: lib("pandas").Series(
        lib("pandas").array(v, dtype=lib("pandas").ArrowDtype(lib("pyarrow").array(v).type))
    ),
    "polars": lambda v: lib("polars").Series(v),
    "pyarrow": lambda v: lib("pyarrow").array(v),
    "pyarrow-chunked": lambda v: chunked(v, lib("pyarrow").array(v).type),
}


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize(
    "names",
    [
        [datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)],
        [
            datetime.datetime.fromisoformat(day)
            for day in ("2024-02-29 13:05:00", "1969-12-31 23:59:59.999999")
        ],
        [datetime.timedelta(days=3), datetime.timedelta(microseconds=-1)],
    ],
    ids=["days", "moments", "durations"],
)
def test_times(name: str, names: list[Any]) -> None:
    pairs = [(names[0], names[1]), (names[1], names[1]), (names[0], names[0])]
    assert check(pairs, TIMES[name], TIMES[name]) == check(pairs, TIMES["list"], TIMES[name])
    gaps = TIMES[name]([*names, None])
    assert count(gaps, [*names[::-1], names[0]], missing="drop") == count(names, names[::-1])
    grouped: Any = count([1, 2], [1, 1], by=TIMES[name](names))
    assert list(grouped) == sorted(names)


def test_a_list_that_holds_itself_is_refused() -> None:
    itself: list[Any] = []
    itself.append(itself)
    for sides in ((itself, ["a"]), ([itself], ["a"]), (iter(["a"]), itself)):
        with pytest.raises((InputError, LabelError)) as caught:
            count(*sides)
        assert "\n" not in str(caught.value)
    for option in ("weights", "by", "tally", "labels"):
        beside: Any = {option: itself}
        with pytest.raises((InputError, LabelError)):
            count(["a"], ["a"], **beside)


class Growing:
    """A label that adds another one to the list that it is read from."""

    def __init__(self, names: list[Any]) -> None:
        self.names = names

    def __hash__(self) -> int:
        self.names += [1] * (len(self.names) < 6)
        return 1


@pytest.mark.parametrize("side", ["actual", "predicted", "by"])
def test_a_list_that_changes_while_it_is_read_is_refused(side: str) -> None:
    names: list[Any] = []
    names += [Growing(names) for _ in range(5)]
    sides: dict[str, Any] = {"actual": [1] * 5, "predicted": [1] * 5, side: names}
    with pytest.raises(
        InputError, match=rf"`{side}` changed its length from 5 to 6 while it was read"
    ):
        count(**sides)
