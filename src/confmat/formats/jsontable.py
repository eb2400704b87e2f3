"""The quick road for the table of a stored matrix: NumPy reads what `to_json` wrote, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PLACE", "put_back", "take_table"]

# What stands in the text in place of the table while the rest is read.
PLACE = "the table of counts"
# A line break is never part of a JSON string, so this is no text of a label.
_OPEN, _CLOSE = '\n  "counts": [\n    [', "]\n  ]"
# More digits might not fit 63 bits.
_DIGITS = 18


def take_table(text: str) -> tuple[str, NDArray[np.int64]] | None:
    r"""The text with a placeholder for its table, and the table; None unless it looks exactly as `to_json` writes it.

    >>> take_table('{\n  "counts": [\n    [3, 1],\n    [0, 2]\n  ]\n}\n')
    ('{\n  "counts": "the table of counts"\n}\n', array([[3, 1],
           [0, 2]]))
    """
    start = text.find(_OPEN)
    end = text.find(_CLOSE, start)
    if start < 0 or end < 0 or text.find(_OPEN, start + 1) >= 0:
        return None
    first, last = start + len(_OPEN) - 1, end + 1
    block = text[first:last]
    if not block.isascii():
        return None
    table = _numbers(block.encode("ascii"))
    if table is None:
        return None
    # In front of the bracket that opens the table, and behind the one that closes it.
    return f'{text[: start + len(_OPEN) - 7]}"{PLACE}"{text[end + len(_CLOSE) :]}', table


def _numbers(block: bytes) -> NDArray[np.int64] | None:
    """Rows of integers in brackets as a square table; None for whatever is not exactly that."""
    size = block.count(b"\n") + 1
    row = b"[" + b"," * (size - 1) + b"]"
    if block.translate(None, b"0123456789 \n") != b",".join([row] * size):
        return None
    codes = np.frombuffer(block, dtype=np.uint8)
    digits = codes - np.uint8(48)
    inside = digits < 10
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    lengths = ends - starts
    if len(starts) != size * size or lengths.max() > _DIGITS:
        return None
    # A number ends where its cell ends, and begins with 0 only if it is 0.
    behind = codes[ends]
    if not ((behind == ord(",")) | (behind == ord("]"))).all() or np.any((digits[starts] == 0) & (lengths > 1)):
        return None
    values = digits[ends - 1].astype(np.int64)
    for place in range(1, int(lengths.max())):
        longer = np.flatnonzero(lengths > place)
        values[longer] += digits[ends[longer] - 1 - place] * np.int64(10**place)
    return values.reshape(size, size)


def put_back(data: Any, table: NDArray[np.int64]) -> bool:
    """Put the table where its placeholder stands; False if that is not the table of a matrix."""
    if not isinstance(data, dict) or data.get("counts") != PLACE:
        return False
    data["counts"] = table
    return True
