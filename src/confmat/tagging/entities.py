"""Spans: named entities as four columns, whatever they were read from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from numpy.typing import NDArray

from confmat.text import number, some

__all__ = ["Span", "Spans"]

Array = NDArray[Any]


class Span(NamedTuple):
    """A named entity: of `document`, from `start` up to but without `end`, of class `label`."""

    document: Any
    start: int
    end: int
    label: Any


class Spans(Sequence[Span]):
    """Named entities in the order in which they were given; each is a tuple (document, start, end, label).

    `documents` are the names of all documents, those without entities too where these are known (`complete`).
    `lengths` are the numbers of tags in each document, where the spans come from tags.
    """

    __slots__ = ("_codes", "_ends", "_places", "_starts", "complete", "documents", "labels", "lengths")

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
        columns = (one.tolist() for one in (self._places, self._starts, self._ends, self._codes))
        for place, start, end, code in zip(*columns, strict=True):
            yield Span(self.documents[place], start, end, self.labels[code])

    def __repr__(self) -> str:
        found = f"{number(len(self))} entities in {number(len(self.documents))} documents"
        return f"<Spans: {found}; {some(self.labels, 8)}>" if self.labels else f"<Spans: {found}>"
