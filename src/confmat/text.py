"""Putting labels and numbers into text: what is safe to print, how wide it is, and tables that line up."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["abridge", "display_width", "fit", "number", "pad", "printable", "some", "table"]

# Characters that move the cursor, reorder the line or take no room: shown as escapes, never sent.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(value: Any) -> str:
    r"""A label as one safe line of text: control, bidirectional and invisible characters become escapes.

    >>> printable("a\tb\x1b[2J"), printable(""), printable(b"ok"), printable(3)
    ('a\\tb\\x1b[2J', '""', "b'ok'", '3')
    """
    # A date or a Decimal reads best as its text; only containers and bytes need their marks.
    text = repr(value) if isinstance(value, (bytes, tuple, frozenset)) else str(value)
    if text == "":
        return '""'
    # isprintable() settles the common case in one call; it is false for every unsafe category and for odd spaces.
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    if unicodedata.category(char) in _UNSAFE:
        return char.encode("unicode_escape").decode("ascii")
    return char


def display_width(text: str) -> int:
    """Columns that a line of text takes on a terminal.

    >>> display_width("cat"), display_width("猫"), display_width("e\u0301")
    (3, 2, 1)
    """
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def fit(text: str, width: int) -> str:
    """Cut a line to `width` columns, marking the cut with an ellipsis.

    >>> fit("a very long name", 7)
    'a very…'
    """
    if display_width(text) <= width:
        return text
    kept, used = [], 0
    for char in text:
        used += _width(char)
        if used > width - 1:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def pad(text: str, width: int, align: str = "<") -> str:
    """Fill a line with spaces up to `width` columns, on its right ("<") or left (">")."""
    space = " " * max(0, width - display_width(text))
    return space + text if align == ">" else text + space


def table(rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """Lines of a table; `align` has one "<" or ">" per column.

    >>> table([["a", "10"], ["bcd", "9"]], "<>")
    ['a    10', 'bcd   9']
    """
    widths = [max(display_width(row[i]) for row in rows) for i in range(len(align))]
    return [
        "  ".join(pad(cell, width, side) for cell, width, side in zip(row, widths, align, strict=True)).rstrip()
        for row in rows
    ]


def number(value: float) -> str:
    """A count in digits with separators; a weight with up to six significant digits.

    >>> number(1234567), number(0.5), number(1e-7)
    ('1,234,567', '0.5', '1e-07')
    """
    if isinstance(value, int):
        return f"{value:,}"
    return f"{int(value):,}" if value == int(value) and abs(value) < 1e15 else f"{value:,.6g}"


def some(values: Iterable[Any], most: int = 5) -> str:
    """The first few values for a message, quoted as Python would.

    >>> some("abcdefg", 3)
    "'a', 'b', 'c', ..."
    """
    shown: list[str] = []
    for value in values:
        if len(shown) == most:
            return ", ".join(shown) + ", ..."
        shown.append(fit(printable(repr(value)), 60))
    return ", ".join(shown)


def abridge(count: int, head: int, tail: int) -> list[int | None]:
    """Positions to show of a long list: the first ones, a gap (None), the last ones.

    >>> abridge(4, 3, 2), abridge(9, 2, 1)
    ([0, 1, 2, 3], [0, 1, None, 8])
    """
    if count <= head + tail + 1:
        return list(range(count))
    return [*range(head), None, *range(count - tail, count)]
