"""The quick road for the table of a stored matrix: the kernel reads what `to_json` wrote, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import _kernels

__all__ = ["PLACE", "put_back", "take_table"]

# What stands in the text in place of the table while the rest is read.
PLACE = "the table of counts"
# A line break is never part of a JSON string, so this is no text of a label.
_OPEN, _CLOSE = '\n  "counts": [\n    [', "]\n  ]"


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
    table = _kernels.kernel.read_square(b"[" + block.encode("ascii") + b"]", block.count("\n") + 1)
    if table is None:
        return None
    # In front of the bracket that opens the table, and behind the one that closes it.
    return f'{text[: start + len(_OPEN) - 7]}"{PLACE}"{text[end + len(_CLOSE) :]}', table


def put_back(data: Any, table: NDArray[np.int64]) -> bool:
    """Put the table where its placeholder stands; False if that is not the table of a matrix."""
    if not isinstance(data, dict) or data.get("counts") != PLACE:
        return False
    data["counts"] = table
    return True
