"""Figures as tables print them: thousands, decimals, counts beside shares, signs for nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from confmat.core.errors import InputError

Cells = Sequence[Sequence[str]]
_KINDS = r"(?:TP|TN|FP|FN)"
# Signs for a cell in which nothing was counted: R's `print(t, zero.print=".")`, dashes of papers,
# pivots of Spark.
NOTHING = frozenset([*".\u00b7-\u2013\u2014", "null", "NULL"])
# A share beside a count.
_SHARE = r"(?:\d+(?:[.,]\d+)?\s*\\?%|0?[.,]\d+|1[.,]0+)"
SHARE = re.compile(rf"(?<=\d) *[(\[] *{_SHARE} *[)\]]")
# A count beside its share, or beside the name of its cell.
_BESIDE = re.compile(
    rf"(?:{_KINDS}\s*[=:]\s*)?(?P<count>\d[\d,.]*)\s*(?:[(\[]\s*(?:{_KINDS}|{_SHARE})\s*[)\]]|\b{_KINDS})?"
    rf"|{_KINDS}\s*\((?P<inside>\d[\d,.]*)\)"
)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+", re.ASCII)
_SPACED = re.compile(r"[1-9]\d{0,2}(?: \d{3})+", re.ASCII)
_DIGITS = r"(?:\d+|[1-9]\d{0,2}(?:[,'_\u2019\u00a0\u2009\u202f]\d{3})+)"
_INTEGER = re.compile(rf"\+?{_DIGITS}", re.ASCII)
_FLOAT = re.compile(rf"\+?(?:{_DIGITS}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_GAPS = re.compile(r"[,'_\u2019\u00a0\u2009\u202f]")
_ABRIDGED = {
    "...",
    "…",
    "⋮",
    "⋱",
    "..",
    r"\vdots",
    r"\ldots",
    r"$\vdots$",
    r"$\cdots$",
    r"$\ldots$",
}


def settled(cells: Cells) -> Cells:
    """The cells with their counts alone.

    >>> settled([["1 050", "-"], ["TP = 50", "50 (8.3%)"]])
    [['1050', '0'], ['50', '50']]
    """
    table = [[*map(_count, row)] for row in cells]
    flat = {cell for row in table for cell in row}
    dotted = {cell for cell in flat if "." in cell}
    if dotted and all(map(_GROUPED.fullmatch, dotted)) and any(map(str.isdecimal, flat)):
        msg = (
            f"{min(dotted)} beside whole numbers is a decimal to some and {min(dotted).replace('.', '')} to others; "
            "write all numbers with decimals, or thousands without points"
        )
        raise InputError(msg)
    return table


def _count(cell: str) -> str:
    """The count in a cell that has something beside it."""
    if cell in NOTHING:
        return "0"
    if cell.isdecimal() or len(cell) > 60:
        return cell
    if _SPACED.fullmatch(cell):
        return cell.replace(" ", "")
    found = _BESIDE.fullmatch(cell)
    return (found["count"] or found["inside"]) if found is not None else cell


def is_number(text: str) -> bool:
    """Whether a cell reads as a count or weight."""
    return _FLOAT.fullmatch(text) is not None


def looks_abridged(text: str) -> bool:
    """Whether a cell is an ellipsis: the print left cells out."""
    return text in _ABRIDGED


def number_of(text: str, row: Any, column: Any) -> int | float:
    """A count, exact, or a weight; the names of its row and column begin the message on what is neither.

    >>> number_of("8,800", "a", "b"), number_of("0.5", "a", "b")
    (8800, 0.5)
    """
    if text.isdecimal() and text.isascii() and len(text) < 19:
        return int(text)
    where = f"row {row!r:.60}, column {column!r:.60}"
    if not is_number(text):
        if looks_abridged(text):
            msg = f"{where}: {text!r} means cells that were left out of the print; print the whole table"
        elif not text:
            msg = f"{where}: the cell is empty; write 0 for nothing"
        else:
            msg = f"{where}: {text!r:.60} is no count or weight"
        raise InputError(msg)
    plain = _GAPS.sub("", text)
    try:
        value: int | float = int(plain) if _INTEGER.fullmatch(text) else float(plain)
    except ValueError:
        msg = f"{where}: a number of {len(text):,} digits is no count"
        raise InputError(msg) from None
    if isinstance(value, float) and not math.isfinite(value):
        msg = f"{where}: {text!r:.60} is more than a float holds"
        raise InputError(msg)
    return value
