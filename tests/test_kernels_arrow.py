"""Arrow columns through both kernels, from the libraries that make them."""

from __future__ import annotations

import gc
import uuid
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat.kernels import reference
from tests.twins import KERNELS, compiled

pa: Any = pytest.importorskip("pyarrow")


def typed(labels: list[Any]) -> list[tuple[type, Any]]:
    return [(type(label), label) for label in labels]


def assert_column(column: Any, expected: Any) -> None:
    """The column holds the values, and both kernels say the same about it."""
    for kernel in (compiled, reference):
        values, distinct, missing, ordered = kernel.encode_arrow(column)
        assert ordered is False
        if distinct is None:
            rows = values.tolist()
            absent = [False] * len(rows) if missing is None else missing.tolist()
            assert missing is None or missing.any()
        else:
            assert missing is None
            rows = [distinct[code] if code >= 0 else None for code in values.tolist()]
            absent = [code < 0 for code in values.tolist()]
        assert [None if gone else row for row, gone in zip(rows, absent, strict=True)] == expected
    theirs, ours = reference.encode_arrow(column), compiled.encode_arrow(column)
    assert theirs[0].dtype == ours[0].dtype
    assert theirs[1] == ours[1]


def arrow_types() -> list[tuple[str, list[Any]]]:
    texts = [
        "b",
        None,
        "a",
        "b",
        "a longer one than sixteen bytes",
        "twelve bytes",
        "",
        "é😀",
        None,
        "thirteen byte",
    ]
    whole = [1, None, 0, 1, 100]
    return [
        *((name, texts) for name in ("string", "large_string", "string_view")),
        *(
            (name, [t.encode() if t is not None else t for t in texts])
            for name in ("binary", "large_binary")
        ),
        ("binary_view", [t.encode() if t is not None else t for t in texts]),
        *((f"{sign}int{bits}", whole) for sign in ("", "u") for bits in (8, 16, 32, 64)),
        *((name, [0.5, None, -0.25, 0.5]) for name in ("float16", "float32", "float64")),
        ("bool_", [True, None, False, True] * 5),
        ("null", [None, None, None]),
    ]


@pytest.mark.parametrize(
    ("name", "rows"), [pytest.param(*case, id=case[0]) for case in arrow_types()]
)
def test_arrow_types_whole_sliced_and_in_chunks(name: str, rows: list[Any]) -> None:
    kind = getattr(pa, name)()
    array = pa.array(rows, kind)
    assert_column(array, rows)
    for start in range(len(rows)):
        assert_column(array[start:], rows[start:])
    assert_column(array[:0], [])
    assert_column(
        pa.chunked_array([array, array[2:], array[:0], array[:1]], kind),
        [*rows, *rows[2:], *rows[:1]],
    )
    assert_column(pa.chunked_array([array[:1], array], kind), [*rows[:1], *rows])
    assert_column(pa.chunked_array([], kind), [])
    assert_column(pa.array([None, None], kind), [None, None])


@pytest.mark.parametrize(
    "index", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_arrow_dictionaries_keep_their_order(index: str) -> None:
    indices = pa.array([2, None, 0, 2], getattr(pa, index)())
    for entries in (
        ["z", "never", "a"],
        [b"z", b"", b"a"],
        [5, 2**63 - 1, -1],
        [0.5, 1.5, 2.5],
        [True, False, True],
    ):
        array = pa.DictionaryArray.from_arrays(indices, pa.array(entries))
        assert_column(array, [entries[2], None, entries[0], entries[2]])
        _, distinct, _, _ = compiled.encode_arrow(array)
        assert typed(distinct) == typed(list(dict.fromkeys(entries)))
        assert compiled.encode_arrow(array[:0])[1] == list(dict.fromkeys(entries))
    nothing = pa.DictionaryArray.from_arrays(
        pa.array([0, None], pa.int8()), pa.array([None], pa.null())
    )
    assert_column(nothing, [None, None])


def test_arrow_dictionaries_of_a_stream_are_united() -> None:
    first = pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array(["b", "a"]))
    second = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, None]), pa.array(["c", "a", "unused"])
    )
    assert_column(
        pa.chunked_array([first, first, second, first]),
        ["a", "b", "a", "b", "c", "a", "unused", None, "a", "b"],
    )


def test_arrow_dictionaries_with_doubles_nulls_and_nan() -> None:
    array = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 3, 4]), pa.array(["a", None, "a", "b", ""])
    )
    assert_column(array, ["a", None, "a", "b", ""])
    floats = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 3]), pa.array([0.0, float("nan"), -0.0, 1.0])
    )
    assert_column(floats, [0.0, None, 0.0, 1.0])


@pytest.mark.parametrize("kernel", KERNELS)
def test_arrow_dictionaries_say_whether_they_are_ordered(kernel: Any) -> None:
    for ordered in (True, False):
        array = pa.DictionaryArray.from_arrays(pa.array([0]), pa.array(["a"]), ordered=ordered)
        assert kernel.encode_arrow(array)[3] is ordered


def no_labels() -> list[Any]:
    pl = pytest.importorskip("polars")
    one = pa.int8()
    full = [
        pa.array([1], pa.date32()),
        pa.array([[1]]),
        # Python shows these as text and integers, but no buffer holds one value per row.
        pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["a", "b"])),
        pl.Series([1], dtype=pl.Int128),
        pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([1], pa.date32())),
    ]
    types = [pa.time32("s"), pa.decimal128(5, 2), pa.list_(one), pa.map_(pa.string(), one)]
    types += [pa.struct([("a", one)]), pa.run_end_encoded(pa.int32(), pa.string())]
    frames = [pl.Int128, pl.Date, pl.List(pl.Int8), pl.Array(pl.Int8, 2)]
    unions = [pa.dense_union([pa.field("a", one)])]
    # The meaning of a type does not depend on what the column happens to hold.
    return [
        *full,
        *(pa.array(rows, kind) for kind in types for rows in ([], [None])),
        *(pa.chunked_array([], kind) for kind in (*types, *unions)),
        *(pl.Series(rows, dtype=kind) for kind in frames for rows in ([], [None])),
    ]


@pytest.mark.parametrize("kernel", KERNELS)
def test_arrow_types_that_are_no_labels(kernel: Any) -> None:
    for column in no_labels():
        with pytest.raises(TypeError, match=r"Arrow type '.*convert to text or integers first"):
            kernel.encode_arrow(column)


def test_arrow_extension_types_are_read_by_their_storage() -> None:
    one = uuid.UUID(int=1).bytes
    identifiers = pa.array([one, None, one], pa.uuid())
    assert_column(identifiers, [one, None, one])
    assert_column(pa.array([1, None, 0], pa.bool8()), [1, None, 0])


@pytest.mark.parametrize("kernel", KERNELS)
def test_arrow_tables_and_other_things_are_refused(kernel: Any) -> None:
    for wrong in (5, pa.table({"a": [1]})):
        with pytest.raises(TypeError):
            kernel.encode_arrow(wrong)


def test_polars_and_pandas_columns() -> None:
    pl, pd = pytest.importorskip("polars"), pytest.importorskip("pandas")
    rows = ["b", None, "a", "b", "a longer one than sixteen bytes"]
    assert_column(pl.Series(rows), rows)
    assert_column(pd.Series(rows, dtype="category"), rows)
    for kernel in (compiled, reference):
        codes, distinct, _, ordered = kernel.encode_arrow(
            pl.Series(["a", "b", None], dtype=pl.Enum(["z", "b", "a"]))
        )
        assert (codes.tolist(), distinct, ordered) == ([2, 1, -1], ["z", "b", "a"], True)
        series = pd.Series(pd.Categorical(["a", None], categories=["z", "a"], ordered=True))
        codes, distinct, _, ordered = kernel.encode_arrow(series)
        assert (codes.tolist(), distinct, ordered) == ([1, -1], ["z", "a"], True)


def test_arrow_numbers_stay_where_they_are_and_alive() -> None:
    array = pa.array(np.arange(1000))
    values = compiled.encode_arrow(array)[0]
    assert not values.flags.writeable
    assert values.ctypes.data == array.buffers()[1].address
    del array
    gc.collect()
    assert values.sum() == 999 * 1000 // 2


@given(st.lists(st.lists(st.none() | st.text(max_size=30), max_size=20), max_size=4), st.data())
def test_arrow_text_of_any_chunks(chunks: list[list[str | None]], data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]))
    starts = [data.draw(st.integers(0, len(chunk))) for chunk in chunks]
    column = pa.chunked_array(
        [pa.array(c, kind)[s:] for c, s in zip(chunks, starts, strict=True)], kind
    )
    assert_column(column, column.to_pylist())
