"""What an example is made of: labels as keys, fields as JSON can hold them, and the few of one cell that are kept."""

from __future__ import annotations

import datetime
import decimal
import math
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from confmat._naming import kind_of, plain
from confmat._options import as_list, told
from confmat.errors import InputError
from confmat.text import some

__all__ = [
    "Cell",
    "Fields",
    "Key",
    "column_named",
    "field_names",
    "is_gap",
    "kept_field",
    "listed",
    "marked",
    "unmarked",
]

# A field of an example keeps so many characters.
LONGEST = 2_000

Fields = tuple[Any, ...]
# Labels with their types, since 1 equals True.
Key = tuple[Any, Any]


class Cell:
    """What is kept of one cell: how many items there were, and those with the smallest hashes, in their order."""

    __slots__ = ("items", "marks", "seen")

    def __init__(self) -> None:
        self.seen = 0
        self.marks: list[bytes] = []
        self.items: list[Fields] = []

    def put(self, mark: bytes, fields: Fields, most: int) -> None:
        """Keep an item if its hash is among the smallest."""
        marks = self.marks
        place = bisect_left(marks, mark)
        # The same item again is the same example.
        if place == most or (place < len(marks) and marks[place] == mark):
            return
        marks.insert(place, mark)
        self.items.insert(place, tuple(map(kept_field, fields)))
        del marks[most:], self.items[most:]


def field_names(columns: Iterable[str]) -> tuple[str, ...]:
    """The names of fields, checked."""
    names = (columns,) if isinstance(columns, str) else tuple(as_list("columns", columns, "names of columns"))
    if any(not isinstance(name, str) for name in names) or len(set(names)) < len(names):
        msg = f"`columns` must be distinct texts, not {some(names)}"
        raise InputError(msg)
    return names


def column_named(frame: Any, name: Any) -> Any:
    """A column of anything that gives its columns by name."""
    try:
        found = frame[name]
    except Exception as error:
        names = getattr(frame, "column_names", None)
        names = getattr(frame, "columns", frame) if names is None else names
        if not isinstance(names, Iterable):
            msg = f"a frame or a mapping with the column {told(name)} is wanted, not {told(frame)}"
            raise InputError(msg) from error
        msg = f"there is no column {told(name)}; the columns are {some(list(names), 12)}"
        raise InputError(msg) from error
    if hasattr(found, "columns"):
        msg = f"several columns are called {told(name)}; rename them first"
        raise InputError(msg)
    return found


def listed(values: Any) -> Iterable[Any]:
    """Python's own values of any container."""
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, way):
            found: Any = getattr(values, way)()
            if isinstance(found, list):
                return found
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        msg = f"one value per place is wanted, such as a list, not {type(values).__name__} {values!r:.60}"
        raise InputError(msg)
    return values


def marked(label: Any) -> Any:
    """A label as a key that equals no label of another type; None where it is missing."""
    if type(label) is str:
        return label
    label = plain(label)
    if label is None or type(label) is str:
        return label
    # Refuses what cannot be a label.
    kind_of(label)
    return (type(label), label)


def unmarked(key: Any) -> Any:
    """The label of such a key."""
    return key[1] if type(key) is tuple else key


def is_gap(value: Any) -> bool:
    """Whether a field is empty: None, NaN and their like."""
    return (
        value is None
        or (isinstance(value, float) and math.isnan(value))
        or type(value).__name__ in {"NAType", "NaTType"}
    )


def kept_field(value: Any) -> Any:
    """A field as JSON can hold it, of bounded length."""
    if is_gap(value):
        return None
    if isinstance(value, (bool, int, float)) and not isinstance(value, str):
        return value if isinstance(value, bool) else int(value) if isinstance(value, int) else float(value)
    if isinstance(value, (datetime.date, datetime.time)):
        text = value.isoformat()
    else:
        text = str.__str__(value) if isinstance(value, str) else _text(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _text(value: Any) -> str:
    return format(value, "f") if isinstance(value, decimal.Decimal) and value.is_finite() else str(value)
