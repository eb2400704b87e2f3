"""Spans: named entities as four columns, from tuples, dicts, frames or mappings of documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.options import is_integer
from confmat.core.text import number, some
from confmat.counting.columns import whole_column

Array = NDArray[Any]
FIELDS = ("document", "start", "end", "label")
# As tags of any scheme are written.
TAG = re.compile("O|[BIESLUMW](-.*)?", re.DOTALL)


class Span(NamedTuple):
    """A named entity: of `document`, from `start` up to but without `end`, of class `label`."""

    document: Any
    start: int
    end: int
    label: Any


class Spans(Sequence[Span]):
    """Named entities in the order in which they were given; each is a tuple (document, start, end, label).

    `documents` are the names of all documents, those without entities too where these are known
    (`complete`). `lengths` are the numbers of tags in each document, where the spans come from
    tags.
    """

    __slots__ = (
        "_codes",
        "_ends",
        "_places",
        "_starts",
        "complete",
        "documents",
        "labels",
        "lengths",
    )

    def __init__(
        self,
        places: tuple[Sequence[Any], Array],
        bounds: tuple[Array, Array],
        names: tuple[Sequence[Any], Array],
        *,
        complete: bool = False,
        lengths: Array | None = None,
    ) -> None:
        self.documents, self._places = list(places[0]), places[1]
        self._starts, self._ends = bounds
        self.labels, self._codes = list(names[0]), names[1]
        self.complete, self.lengths = complete, lengths

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, position: int) -> Span: ...
    @overload
    def __getitem__(self, position: slice) -> list[Span]: ...
    def __getitem__(self, position: int | slice) -> Span | list[Span]:
        if isinstance(position, slice):
            return [self[place] for place in range(*position.indices(len(self)))]
        document, label = self.documents[self._places[position]], self.labels[self._codes[position]]
        return Span(document, int(self._starts[position]), int(self._ends[position]), label)

    def __iter__(self) -> Iterator[Span]:
        columns = (
            column.tolist() for column in (self._places, self._starts, self._ends, self._codes)
        )
        for place, start, end, code in zip(*columns, strict=True):
            yield Span(self.documents[place], start, end, self.labels[code])

    def __repr__(self) -> str:
        size = f"{number(len(self))} entities in {number(len(self.documents))} documents"
        return f"<Spans: {size}; {some(self.labels, 8)}>" if self.labels else f"<Spans: {size}>"


def read_spans(records: Any, side: str) -> Spans:
    """Read spans from tuples, dicts, a frame, a mapping of documents, or Spans themselves."""
    if isinstance(records, Spans):
        return records
    # A mapping of these names holds columns, as a frame does, and not documents.
    if isinstance(records, Mapping) and records.keys() != set(FIELDS):
        return _of_documents(records, side)
    names = getattr(records, "column_names", getattr(records, "columns", None))
    if isinstance(records, Mapping) or (names is not None and not callable(names)):
        return _of_columns(_of_frame(records, names, side), side)
    if (
        isinstance(records, (str, bytes))
        or not isinstance(records, Iterable)
        or getattr(records, "ndim", 1) == 0
    ):
        msg = Message(
            "{} must hold entities (document, start, end, label), not {} {!r:.60}",
            Argument(side),
            type(records).__name__,
            records,
        )
        raise InputError(msg)
    rows = list(records)
    _refuse_tags(rows, side)
    return _of_columns(_transpose(rows, FIELDS, side), side)


def _refuse_tags(rows: list[Any], side: str) -> None:
    """Tags where entities are wanted; one sentence, or the first that has some, tells them apart."""
    alone = isinstance(next(iter(rows), None), str)
    tags = rows if alone else next((x for x in rows if isinstance(x, (list, tuple)) and x), ())
    if tags and all(isinstance(tag, str) and TAG.fullmatch(tag) for tag in tags):
        what = "[tags]" if alone else "tags"
        msg = Message(
            "{} holds tags, such as {}, and not entities (document, start, end, label): give spans_of_tags({}) for "
            "both sides",
            Argument(side),
            some(tags, 3),
            what,
        )
        raise InputError(msg)


def _of_frame(records: Any, names: Any, side: str) -> list[Any]:
    missing = [] if names is None else [field for field in FIELDS if field not in list(names)]
    if missing:
        msg = Message(
            "{} has no column {!r}; its columns must be {}, among others",
            Argument(side),
            missing[0],
            ", ".join(FIELDS),
        )
        raise InputError(msg)
    return [records[field] for field in FIELDS]


def _of_documents(records: Mapping[Any, Any], side: str) -> Spans:
    """Read a mapping of document to entities (start, end, label)."""
    _refuse_tags(list(records.values()), side)
    lists = []
    for document, entities in records.items():
        if isinstance(entities, (str, bytes)) or not isinstance(entities, Iterable):
            msg = Message(
                "{}: {} must hold a list of (start, end, label), not {!r:.60}",
                Argument(side),
                some([document]),
                entities,
            )
            raise InputError(msg)
        lists.append(list(entities))
    columns = _transpose(list(chain.from_iterable(lists)), FIELDS[1:], side)
    places = np.repeat(np.arange(len(lists)), [len(entities) for entities in lists])
    return _made((list(records), places), columns, side, complete=True)


def _transpose(records: list[Any], fields: tuple[str, ...], side: str) -> list[Sequence[Any]]:
    """Columns of a list of tuples or of dicts."""
    if not records:
        return [()] * len(fields)
    if isinstance(records[0], Mapping):
        try:
            return [list(map(itemgetter(field), records)) for field in fields]
        except (KeyError, TypeError, IndexError):
            at = next(at for at, each in enumerate(records) if not _has(each, fields))
            text = "{} at position {:,} is {!r:.80}; each must have {}"
            msg = Message(text, Argument(side), at, records[at], ", ".join(fields))
            raise InputError(msg) from None
    for at, each in enumerate(records):
        if type(each) is str or _length(each) != len(fields):
            text = "{} at position {:,} is {!r:.80}; each must be ({}){}"
            msg = Message(text, Argument(side), at, each, ", ".join(fields), _hint(each, fields))
            raise InputError(msg)
    return list(zip(*records, strict=True))


def _has(record: Any, fields: tuple[str, ...]) -> bool:
    return isinstance(record, Mapping) and all(field in record for field in fields)


def _length(record: Any) -> int:
    return len(record) if hasattr(record, "__len__") else -1


def _hint(record: Any, fields: tuple[str, ...]) -> str:
    """Return what to give in place of lists of lists."""
    nested = isinstance(record, (list, tuple)) and all(
        isinstance(each, (list, tuple, Mapping)) for each in record
    )
    return (
        "; of a list for each document, give dict(enumerate(...))"
        if nested and fields == FIELDS
        else ""
    )


def _of_columns(columns: list[Any], side: str) -> Spans:
    return _made(coded(columns[0], f"{side}.document"), columns[1:], side)


def _made(
    places: tuple[Sequence[Any], Array], columns: list[Any], side: str, *, complete: bool = False
) -> Spans:
    """Spans of documents, starts, ends and labels."""
    bounds = _bounds(columns[0], "start", side), _bounds(columns[1], "end", side)
    names = coded(columns[2], f"{side}.label")
    sizes = {len(places[1]), len(bounds[0]), len(bounds[1]), len(names[1])}
    if len(sizes) > 1:
        msg = Message(
            "{} has columns of different lengths: {}",
            Argument(side),
            ", ".join(map(str, sorted(sizes))),
        )
        raise InputError(msg)
    spans = Spans(places, bounds, names, complete=complete)
    wrong = (bounds[0] < 0) | (bounds[1] <= bounds[0])
    if wrong.any():
        at = int(np.argmax(wrong))
        msg = Message(
            "{} at position {:,} is {!r:.120}; an entity reaches from start, at least 0, up to but without end, so "
            "end must be larger",
            Argument(side),
            at,
            tuple(spans[at]),
        )
        raise InputError(msg)
    return spans


def _bounds(values: Any, name: str, side: str) -> Array:
    """Whole numbers, as int64."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "i" and values.ndim == 1:
        return values.astype(np.int64, copy=False)
    listed = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    bad = next((place for place, value in enumerate(listed) if not _is_whole(value)), None)
    if bad is not None:
        msg = Message(
            "{} at position {:,} has {} {!r:.60}; positions are whole numbers",
            Argument(side),
            bad,
            name,
            listed[bad],
        )
        raise InputError(msg)
    return np.array([*map(int, listed)], np.int64)


def _is_whole(value: Any) -> bool:
    if is_integer(value):
        return abs(int(value)) < 2**63
    return (
        isinstance(value, (float, np.floating))
        and float(value).is_integer()
        and abs(float(value)) < 2**63
    )


def coded(values: Any, side: str) -> tuple[Sequence[Any], Array]:
    """The distinct names in a column, and the code of each entry; a missing one is an error."""
    column = whole_column(values, side)
    if column.names is None:
        distinct, codes = np.unique(column.codes, return_inverse=True)
        return distinct.tolist(), codes
    codes = column.codes.astype(np.int64, copy=False)
    if column.holes and (codes < 0).any():
        msg = Message(
            "{} is missing at position {:,}; leave it out first",
            Argument(side),
            int(np.argmax(codes < 0)),
        )
        raise LabelError(msg)
    if column.spare and not column.ordered:
        seen, codes = np.unique(codes, return_inverse=True)
        return [column.names[place] for place in seen.tolist()], codes
    return column.names, codes
