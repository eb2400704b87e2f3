"""The part of the kernel's specification that reads text: fields of delimited text, and tables of integers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["encode_fields", "read_square"]

Codes = NDArray[np.int32]
# More digits might not fit 63 bits.
LARGEST = 10**18


def encode_fields(
    data: bytes, delimiter: int, width: int, first: int, second: int
) -> tuple[Codes, list[str], Codes, list[str]] | None:
    r"""Codes of two columns of UTF-8 text whose records have `width` fields: (codes, distinct) of each.

    -1 is the code of an empty field. None unless every record ends with a newline and has that many fields, and
    there is no quote, carriage return or zero byte.

    >>> encode_fields(b"a,b\nc,\n", ord(","), 2, 0, 1)
    (array([0, 1], dtype=int32), ['a', 'c'], array([ 0, -1], dtype=int32), ['b'])
    """
    if not 0 < delimiter < 128 or delimiter in b'"\r\n':
        msg = "the delimiter must be one character of ASCII, and neither a quote nor a line break"
        raise ValueError(msg)
    if max(first, second) >= width:
        msg = "a column stands beyond the width"
        raise ValueError(msg)
    if not data.endswith(b"\n") or any(one in data for one in (b'"', b"\r", b"\0")):
        return None
    codes = np.frombuffer(data, dtype=np.uint8)
    ends = codes == ord("\n")
    marks = ends[ends | (codes == delimiter)]
    if len(marks) % width:
        return None
    # Every record has its delimiters, and then its end; a blank one would be an end too many.
    rows = marks.reshape(-1, width)
    if not rows[:, -1].all() or rows[:, :-1].any() or (width == 1 and (data[:1] == b"\n" or b"\n\n" in data)):
        return None
    fields = data[:-1].replace(b"\n", bytes([delimiter])).split(bytes([delimiter]))
    left, left_names = _encoded(fields[first::width])
    right, right_names = _encoded(fields[second::width])
    return left, left_names, right, right_names


def _encoded(fields: list[bytes]) -> tuple[Codes, list[str]]:
    known: dict[bytes, int] = {b"": -1}
    codes = [known.setdefault(field, len(known) - 1) for field in fields]
    return np.array(codes, dtype=np.int32), [name.decode("utf-8") for name in list(known)[1:]]


def read_square(data: Any, size: int) -> NDArray[np.int64] | None:
    """The table that JSON text such as [[1, 2], [3, 4]] holds: `size` rows of integers; None for anything else.

    >>> read_square(b"[[1, 20], [0, 4]]", 2)
    array([[ 1, 20],
           [ 0,  4]])
    """
    text = bytes(data)
    if size < 1 or text.translate(None, b"0123456789 \n[],"):
        return None
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(rows, list) or len(rows) != size:
        return None
    if not all(isinstance(row, list) and len(row) == size and all(map(_is_small, row)) for row in rows):
        return None
    return np.array(rows, dtype=np.int64)


def _is_small(value: Any) -> bool:
    return isinstance(value, int) and value < LARGEST
