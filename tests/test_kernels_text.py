"""The compiled readers of text against their specification: fields of delimited text, tables of integers."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from confmat.kernels import reference
from tests.twins import KERNELS, compiled

PIECES = [
    "a",
    "é",
    "a long label of 30 characters.",
    ",",
    ",",
    "\n",
    "\n",
    "\r",
    '"',
    '"',
    '""',
    "\0",
    ";",
    " ",
]


@given(st.lists(st.sampled_from(PIECES)), st.integers(1, 3), st.data())
@example(["\n"], 1, None)
@example(["a", "\n", "\n", "b", "\n"], 1, None)
@example(['"', "a", '""', '"', "\r", "\n"], 1, None)
def test_both_kernels_read_the_same_fields(parts: list[str], width: int, data: Any) -> None:
    text = "".join(parts).encode()
    place = st.integers(0, width - 1)
    places = [0, 0] if data is None else data.draw(st.lists(place, min_size=1, max_size=3))
    found, wanted = (
        kernel.encode_fields(text, ",", width, places) for kernel in (compiled, reference)
    )
    assert (found is None) == (wanted is None)
    for one, other in zip(found or [], wanted or [], strict=True):
        assert one[0].dtype == other[0].dtype == np.int32
        assert (one[0].tolist(), one[1]) == (other[0].tolist(), other[1])
    assert compiled.record_ends(text, ",;") == reference.record_ends(text, ",;")


@pytest.mark.parametrize("kernel", KERNELS)
@given(
    rows=st.lists(
        st.tuples(*[st.text(st.sampled_from('abé日 ;=01",\r\n'), max_size=20)] * 3), min_size=1
    )
)
def test_text_is_read_as_the_csv_module_writes_it(kernel: Any, rows: list[tuple[str, ...]]) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(rows)
    text = stream.getvalue().encode()
    (codes, names), (others, other_names) = kernel.encode_fields(text, ",", 3, [2, 0])
    assert [names[code] if code >= 0 else "" for code in codes.tolist()] == [row[2] for row in rows]
    assert [other_names[code] if code >= 0 else "" for code in others.tolist()] == [
        row[0] for row in rows
    ]
    assert kernel.record_ends(text, ",")[1] == len(text)
    stream.truncate(stream.seek(0))
    csv.writer(stream).writerow(rows[0])
    assert kernel.record_ends(text, ",")[0] == len(stream.getvalue().encode())


@pytest.mark.parametrize("kernel", KERNELS)
def test_text_that_is_no_utf_8_and_arguments_that_make_no_sense(kernel: Any) -> None:
    with pytest.raises(UnicodeDecodeError):
        kernel.encode_fields(b"a,\xff\n", ",", 2, [0, 1])
    for delimiter in ("\0", "é", '"', "\n"):
        with pytest.raises(ValueError, match="a delimiter must be"):
            kernel.encode_fields(b"a,b\n", delimiter, 2, [0, 1])
        with pytest.raises(ValueError, match="a delimiter must be"):
            kernel.record_ends(b"a,b\n", delimiter)
    with pytest.raises(ValueError, match="beyond the width"):
        kernel.encode_fields(b"a,b\n", ",", 2, [0, 2])


@given(
    st.lists(
        st.sampled_from(
            [
                "[",
                "]",
                ",",
                "0",
                "1",
                "12",
                "999999999999999999",
                "1000000000000000000",
                " ",
                "\n",
                "-",
                ".",
            ]
        )
    ),
    st.integers(0, 3),
)
def test_both_kernels_read_the_same_tables(parts: list[str], size: int) -> None:
    text = "".join(parts).encode()
    for block in (text, b"[[" + text + b"]]", b"[[0," + text + b"],[1, 2]]"):
        found, wanted = (kernel.read_square(block, size) for kernel in (compiled, reference))
        assert (found is None) == (wanted is None)
        assert found is None or found.tolist() == wanted.tolist()


@pytest.mark.parametrize("kernel", KERNELS)
@given(size=st.integers(1, 6), data=st.data())
def test_tables_as_json_has_them(kernel: Any, size: int, data: st.DataObject) -> None:
    number = st.integers(0, 10**18 - 1)
    rows = data.draw(
        st.lists(st.lists(number, min_size=size, max_size=size), min_size=size, max_size=size)
    )
    for text in (
        json.dumps(rows),
        json.dumps(rows, indent=1),
        json.dumps(rows, separators=(",", ":")),
    ):
        found = kernel.read_square(memoryview(text.encode()), size)
        assert found.dtype == np.int64
        assert found.tolist() == rows
        assert kernel.read_square(text.encode(), size + 1) is None
