"""Examples beside a matrix: the items of each cell with the smallest hashes, their keys and their fields."""

from __future__ import annotations

import datetime
import decimal
import heapq
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from confmat.core.errors import InputError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import kind_of, name_from_json, name_to_json, plain
from confmat.core.options import as_list, flag, told, whole_number
from confmat.core.pictures import is_picture, thumbnail
from confmat.core.stack import Stack
from confmat.core.tables import Column, Table, Tabular, class_name
from confmat.core.text import some

# Characters that a field of an example keeps.
MAX_FIELD_CHARACTERS = 2_000

Fields = tuple[Any, ...]
# Labels with their types, since 1 equals True.
Key = tuple[Any, Any]
FORMAT = "confmat-examples/1"


# Options that examples must share to be merged.
_SETTINGS = ("per_cell", "seed", "hits", "max_cells")


@dataclass(slots=True)
class Cell:
    """The examples of one cell: how many items there were, and the ones with the smallest hashes, in their order."""

    seen: int = 0
    marks: list[bytes] = field(default_factory=list)
    items: list[Fields] = field(default_factory=list)

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
    names = (
        (columns,)
        if isinstance(columns, str)
        else tuple(as_list("columns", columns, "names of columns"))
    )
    if any(not isinstance(name, str) for name in names) or len(set(names)) < len(names):
        msg = f"`columns` must be distinct texts, not {some(names)}"
        raise InputError(msg)
    return names


def column_named(frame: Any, name: Any) -> Any:
    """A column of anything that gives its columns by name."""
    try:
        column = frame[name]
    except Exception as error:
        names = getattr(frame, "column_names", None)
        names = getattr(frame, "columns", frame) if names is None else names
        if not isinstance(names, Iterable):
            msg = f"a frame or a mapping with the column {told(name)} is wanted, not {told(frame)}"
            raise InputError(msg) from error
        msg = f"there is no column {told(name)}; the columns are {some(list(names), 12)}"
        raise InputError(msg) from error
    if hasattr(column, "columns"):
        msg = f"several columns are called {told(name)}; rename them first"
        raise InputError(msg)
    return column


def listed(values: Any) -> Iterable[Any]:
    """Python's own values of any container; of pictures in one array, the pictures."""
    if getattr(values, "ndim", 0) > 2:
        return iter(values)
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            entries: Any = getattr(values, method)()
            if isinstance(entries, list):
                return entries
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


def _text_of(value: Any) -> str:
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal) and value.is_finite():
        return format(value, "f")
    return str.__str__(value) if isinstance(value, str) else str(value)


def kept_field(value: Any) -> Any:
    """A field as JSON can hold it, of bounded length; a picture as a small one in a `data:` text."""
    if is_picture(value):
        return thumbnail(value) or kept_field(f"a picture: {str(value)[:40]}")
    if is_gap(value):
        return None
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    text = _text_of(value)
    return text if len(text) <= MAX_FIELD_CHARACTERS else text[: MAX_FIELD_CHARACTERS - 1] + "…"


class Examples(Mapping[tuple[Any, Any], list[Any]], Tabular):
    """A reproducible sample of items beside a matrix: (actual, predicted) -> at most `per_cell` items.

    Every item has a hash of its content and the `seed`, and a cell keeps the items with the
    smallest hashes. So the sample does not depend on order, chunks, threads or workers, and `a + b`
    gives the same items as one pass over both. Equal items are one example; `seen` counts all of
    them.

    An item is a text, a tuple of fields, or a mapping of names to fields. Long texts are cut after
    2,000 characters, and pictures (arrays, images of Pillow, `data:` texts) become small ones, for
    which Pillow must be installed.

    Parameters
    ----------
    per_cell
        The most items of one cell.
    columns
        The names of the fields.
    seed
        A number that enters the hashes; another seed gives another sample.
    hits
        Whether right answers are kept; with False only errors are.
    max_cells
        The most cells. Beyond, errors go before hits and otherwise cells are drawn by a hash, so
        that memory is bounded and parts still merge.

    Examples
    --------
    >>> examples = Examples(2, columns=["id", "text"])
    >>> examples.update(
    ...     ["dog", "dog", "cat"], ["cat", "dog", "cat"], [(1, "woof"), (2, "wuff"), (3, "meow")]
    ... )
    >>> examples["dog", "cat"]
    [{'id': 1, 'text': 'woof'}]
    """

    __slots__ = (
        "_cells",
        "_heap",
        "_ranked",
        "_salt",
        "columns",
        "hits",
        "max_cells",
        "per_cell",
        "seed",
    )

    columns: tuple[str, ...]

    def __init__(
        self,
        per_cell: int = 20,
        *,
        columns: Iterable[str] = (),
        seed: int = 0,
        hits: bool = True,
        max_cells: int = 20_000,
    ) -> None:
        self.per_cell = whole_number("per_cell", per_cell)
        self.max_cells = whole_number("max_cells", max_cells)
        if isinstance(seed, bool) or not isinstance(seed, int):
            msg = f"`seed` must be a whole number, not {told(seed)}"
            raise InputError(msg)
        self.seed = seed
        self.hits = flag("hits", hits)
        self.columns = field_names(columns)
        self._salt = f"{seed}\x1e".encode()
        self._cells: dict[Key, Cell] = {}
        # Cells by their rank, and a heap with the next to go on top.
        self._ranked: dict[int, Key] = {}
        self._heap: list[int] = []

    # ---- putting in ------------------------------------------------------------------------------

    def update(self, actual: Any, predicted: Any, items: Any) -> None:
        """Look at more items, paired with their labels by position.

        Parameters
        ----------
        actual, predicted
            The labels of both sides, one for each item.
        items
            A list of texts, tuples or mappings, or columns by name: {"id": [...], "text": [...]}.
        """
        if isinstance(items, Mapping):
            names = field_names(items)
            self._name(names)
            columns = [listed(items[name]) for name in names]
            rows: Iterable[Any] = zip(*columns, strict=True)
        else:
            rows = listed(items)
        try:
            self._take(zip(listed(actual), listed(predicted), rows, strict=True))
        except ValueError as error:
            if isinstance(error, InputError) or "zip()" not in str(error):
                raise
            msg = Message(
                "{actual}, {predicted} and `items` must be of one length, since they are paired by "
                "position"
            )
            raise InputError(msg) from None

    def _take(self, rows: Iterable[tuple[Any, Any, Any]]) -> None:
        for actual, predicted, item in rows:
            key = (marked(actual), marked(predicted))
            if key[0] == key[1] and not self.hits:
                continue
            fields = self._fields(item)
            cell = self._cells.get(key) or self._opened(key)
            if cell is not None:
                cell.seen += 1
                cell.put(self._hash(fields), fields, self.per_cell)

    def _fields(self, item: Any) -> Fields:
        if isinstance(item, Mapping):
            return self._named_fields(item)
        fields: Fields = (item,)
        if isinstance(item, Sequence) and not isinstance(item, (str, bytes, bytearray)):
            fields = tuple(item)
        if self.columns and len(fields) != len(self.columns):
            msg = f"an item has {len(fields)} fields where `columns` names {len(self.columns)}: {some(self.columns)}"
            raise InputError(msg)
        return fields

    def _named_fields(self, item: Mapping[str, Any]) -> Fields:
        if not self.columns:
            self._name(field_names(item))
        unknown = [name for name in item if name not in self.columns]
        if unknown:
            msg = (
                f"an item has the fields {some(unknown)} beside {some(self.columns)}; "
                "name all of them in `columns`"
            )
            raise InputError(msg)
        return tuple(map(item.get, self.columns))

    def _name(self, names: tuple[str, ...]) -> None:
        if not self.columns and not self._cells:
            self.columns = names
        elif names != self.columns:
            msg = f"the fields are {some(self.columns) or 'without names'}, not {some(names)}"
            raise InputError(msg)

    def _hash(self, fields: Fields) -> bytes:
        # Loads OpenSSL, for which most counts need not wait.
        import hashlib

        def text_of(value: Any) -> str:
            if type(value) is str or not is_picture(value):
                return value if type(value) is str else "\x00" if is_gap(value) else str(value)
            return hashlib.blake2b(
                value if isinstance(value, bytes) else np.asarray(value).tobytes()
            ).hexdigest()

        text = "\x1f".join(map(text_of, fields))
        return hashlib.blake2b(
            self._salt + text.encode("utf-8", "surrogatepass"), digest_size=12
        ).digest()

    # ---- cells -----------------------------------------------------------------------------------

    def _rank(self, key: Key) -> int:
        """Rank a cell for staying: errors first, then by a hash that is independent of its content."""
        return ((key[0] == key[1]) << 96) + int.from_bytes(self._hash((key,)))

    def _opened(self, key: Key) -> Cell | None:
        """A new cell, unless there are as many that go before it."""
        rank = self._rank(key)
        if len(self._cells) >= self.max_cells:
            if rank > -self._heap[0]:
                return None
            del self._cells[self._ranked.pop(-heapq.heappop(self._heap))]
        heapq.heappush(self._heap, -rank)
        self._ranked[rank] = key
        return self._cells.setdefault(key, Cell())

    def __add__(self, other: object) -> Examples:
        if not isinstance(other, Examples):
            # sum() starts from 0.
            return self if isinstance(other, int) and other == 0 else NotImplemented
        mine, theirs = (tuple(examples._settings().values()) for examples in (self, other))
        if mine != theirs:
            msg = f"only examples of one `per_cell`, `seed`, `hits` and `max_cells` merge, not {mine} and {theirs}"
            raise InputError(msg)
        if self._cells and other._cells and self.columns != other.columns:
            msg = f"the fields are {some(self.columns)} on one side and {some(other.columns)} on the other"
            raise InputError(msg)
        columns = self.columns if self._cells or not other.columns else other.columns
        made = Examples(columns=columns, **self._settings())
        for part in (self, other):
            for key, cell in part._cells.items():
                made._join(key, cell)
        return made

    __radd__ = __add__

    def _settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SETTINGS}

    def _join(self, key: Key, cell: Cell) -> None:
        mine = self._cells.get(key) or self._opened(key)
        if mine is not None:
            mine.seen += cell.seen
            for mark, fields in zip(cell.marks, cell.items, strict=True):
                mine.put(mark, fields, self.per_cell)

    def fitted(self, m: ConfusionMatrix | Stack) -> Examples:
        """Return the same examples under the labels of a matrix, or a stack, that was counted from the same items.

        Labels that the count collected as "(missing)" or "(other)" are there too; labels that it
        left out are not.

        Parameters
        ----------
        m
            The matrix or stack.
        """
        if not isinstance(m, (ConfusionMatrix, Stack)):
            msg = f"examples are fitted to a ConfusionMatrix or a Stack of the same items, not to {told(m)}"
            raise InputError(msg)
        made = Examples(columns=self.columns, **self._settings())
        for (actual, predicted), cell in self._cells.items():
            places = [_label_for(unmarked(side), m.labels) for side in (actual, predicted)]
            if None not in places and (self.hits or places[0] != places[1]):
                made._join((marked(places[0]), marked(places[1])), cell)
        return made

    # ---- reading ---------------------------------------------------------------------------------

    @property
    def seen(self) -> dict[tuple[Any, Any], int]:
        """How many items of each cell there were, kept or not."""
        return {
            (unmarked(key[0]), unmarked(key[1])): cell.seen for key, cell in self._cells.items()
        }

    def __getitem__(self, pair: tuple[Any, Any]) -> list[Any]:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise KeyError(pair)
        cell = self._cells.get((marked(pair[0]), marked(pair[1])))
        if cell is None:
            raise KeyError(pair)
        return [self._item(fields) for fields in cell.items]

    def _item(self, fields: Fields) -> Any:
        if self.columns:
            return dict(zip(self.columns, fields, strict=True))
        return fields[0] if len(fields) == 1 else fields

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for actual, predicted in self._cells:
            yield unmarked(actual), unmarked(predicted)

    def __len__(self) -> int:
        return len(self._cells)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Examples):
            return NotImplemented
        return self.columns == other.columns and self._cells == other._cells

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kept = sum(len(cell.items) for cell in self._cells.values())
        return f"<Examples: {kept:,} of {sum(self.seen.values()):,} items in {len(self):,} cells>"

    __str__ = __repr__

    def table(self) -> Table:
        """Return the items as a table: their cells, and a column for each field."""
        rows = [
            (*map(unmarked, key), *fields)
            for key, cell in self._cells.items()
            for fields in cell.items
        ]
        wide = max((len(row) for row in rows), default=2) - 2
        fields = self.columns or (
            ("item",) if wide == 1 else tuple(f"item {i + 1}" for i in range(wide))
        )
        columns = [
            Column(
                name, [row[i] if i < len(row) else None for row in rows], class_name, is_label=True
            )
            for i, name in enumerate(("actual", "predicted", *fields))
        ]
        return Table(tuple(columns))

    # ---- plain data ------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, that `from_dict` reads back."""
        cells = [
            {
                "actual": name_to_json(unmarked(actual)),
                "predicted": name_to_json(unmarked(predicted)),
                "seen": cell.seen,
                "hashes": [mark.hex() for mark in cell.marks],
                "items": [list(fields) for fields in cell.items],
            }
            for (actual, predicted), cell in self._cells.items()
        ]
        return {"format": FORMAT, **self._settings(), "columns": list(self.columns), "cells": cells}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Examples:
        """Return the examples that `to_dict` wrote.

        Parameters
        ----------
        data
            The mapping that `to_dict` returned.
        """
        try:
            if data["format"] != FORMAT:
                msg = f"stored examples are of the format {FORMAT!r}, not {data['format']!r:.60}"
                raise InputError(msg)
            made = cls(columns=data["columns"], **{name: data[name] for name in _SETTINGS})
            for record in data["cells"]:
                key = tuple(
                    marked(name_from_json(record[side], None)) for side in ("actual", "predicted")
                )
                cell = Cell(whole_number("seen", record["seen"]))
                for mark, fields in zip(record["hashes"], record["items"], strict=True):
                    cell.put(bytes.fromhex(mark), tuple(fields), made.per_cell)
                made._join((key[0], key[1]), cell)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            msg = f"these are no stored examples: {type(error).__name__} {error!s:.100}"
            raise InputError(msg) from None
        return made

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        actual: Any,
        predicted: Any,
        columns: Iterable[str],
        per_cell: int = 20,
        **settings: Any,
    ) -> Examples:
        """Return examples of the rows of a frame.

        Parameters
        ----------
        frame
            Columns by name: pandas, Polars, an Arrow table, a dict of lists.
        actual, predicted
            The columns of the labels.
        columns
            The columns that an example shows.
        per_cell
            How many examples of each cell to keep.
        **settings
            Other options of `Examples`.

        Examples
        --------
        >>> frame = {"id": [7, 8], "truth": ["dog", "cat"], "guess": ["cat", "cat"]}
        >>> Examples.from_frame(frame, actual="truth", predicted="guess", columns=["id"])[
        ...     "dog", "cat"
        ... ]
        [{'id': 7}]
        """
        made = cls(per_cell, columns=columns, **settings)
        left, right = column_named(frame, actual), column_named(frame, predicted)
        made.update(left, right, {name: column_named(frame, name) for name in made.columns})
        return made


def _label_for(label: Any, labels: Labels) -> Any:
    """The label of the matrix for a label of a file, or None; of the answers of several models, those of all."""
    if type(label) is tuple and label not in labels:
        answers = [_label_for(each, labels) for each in label]
        return None if None in answers else tuple(answers)
    if label is None:
        return "(missing)" if "(missing)" in labels.outside else None
    if isinstance(label, bool) and labels.kind == "int":
        label = int(label)
    if label in labels:
        return labels[labels.index(label)]
    return "(other)" if "(other)" in labels.outside else None
