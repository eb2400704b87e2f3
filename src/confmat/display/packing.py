"""Packing: numbers as compact text for the page, and text that no browser can mistake for markup."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_json", "cells", "numbers", "varints"]

Array = NDArray[Any]

# What a float holds exactly; JavaScript has no other numbers.
MOST_EXACT = 2**53


def numbers(values: Array) -> dict[str, Any]:
    """An array as text: whole numbers in seven bits a byte, others as floats of eight bytes.

    >>> numbers(np.array([1, 300]))
    {'n': 2, 'ints': 'AawC'}
    """
    if values.dtype.kind in "iu" and (not len(values) or (values.min() >= 0 and values.max() <= MOST_EXACT)):
        return {"n": len(values), "ints": _text(varints(values.astype(np.uint64)))}
    return {"n": len(values), "floats": _text(values.astype("<f8").tobytes())}


def cells(rows: Array, cols: Array, counts: Array, size: int) -> dict[str, Any]:
    """Cells in the order of their rows: each place as its distance from the one before, and the counts."""
    places = rows.astype(np.int64) * size + cols
    return {"steps": numbers(np.diff(places, prepend=0)), "counts": numbers(counts)}


def varints(values: NDArray[np.uint64]) -> bytes:
    """Whole numbers of seven bits a byte, the lowest first; a set eighth bit says that more follow.

    >>> varints(np.array([1, 127, 128], dtype=np.uint64)).hex(" ")
    '01 7f 80 01'
    """
    sizes = np.ones(len(values), dtype=np.int64)
    for step in range(1, 10):
        sizes += values >= np.uint64(2 ** (7 * step))
    starts = np.cumsum(sizes) - sizes
    out = np.zeros(int(sizes.sum()), dtype=np.uint8)
    for step in range(int(sizes.max(initial=0))):
        more = sizes > step
        part = (values[more] >> np.uint64(7 * step)) & np.uint64(127)
        out[starts[more] + step] = part + np.where(sizes[more] > step + 1, 128, 0).astype(np.uint64)
    return out.tobytes()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def as_json(data: Any) -> str:
    r"""JSON in ASCII that may stand within a `<script>`: nothing in it opens, closes or comments a tag.

    >>> as_json({"name": "</script>\u2028&"})
    '{"name":"\\u003c/script\\u003e\\u2028\\u0026"}'
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
