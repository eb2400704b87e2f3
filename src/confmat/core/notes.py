"""Notes of a matrix: what the look at the end of a count found, in short typed texts that travel with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, Literal, Self

from confmat.core.errors import InputError, Message
from confmat.core.text import number, some

NoteKind = Literal[
    "alike", "counts", "dates", "missing", "one side", "pixels", "thinned", "twice", "unread"
]
# The most names of a kind that are kept, the first in order, so that matrices add up to the same notes in
# any order.
MOST_NAMES = 3
_SAID = {
    "alike": "{} are two classes",
    "counts": "{1} items are numbers of the column {0}",
    "dates": "{} are two classes",
    "missing": "{} counted as a class",
    "one side": "{} predicted and never true",
    "pixels": "{1} pixels of {2}",
    "thinned": "some thresholds of the scores of {1} items",
    "twice": "{} counted more than once",
    "unread": "{1} of {2} answers unread",
}


@dataclass(frozen=True, order=True, slots=True)
class Note:
    """Something about how a matrix was counted that may make its scores wrong.

    Attributes
    ----------
    kind
        Its kind: labels that look "alike", a column that is read as "counts", "dates" of several
        resolutions, a word for a "missing" value, predicted labels that occur on "one side" alone,
        "pixels" that were counted, scores that are "thinned" to some thresholds, a file that was
        counted "twice", answers that are "unread".
    names
        The labels, columns or files that it is about, pairs of labels that look alike; the first
        few of them.
    count, of
        How many items it is about, of how many: those that have one of a pair for the other, or
        that have the label or answer; of files, how many are repeated.

    >>> print(Note("alike", (("Car", "car"),), 3, 100), "|", Note("unread", (), 100, 100))
    'Car' and 'car' are two classes | 100 of 100 answers unread
    """

    kind: NoteKind
    names: tuple[tuple[str, ...], ...]
    count: int | float
    of: int | float

    def __str__(self) -> str:
        names = (" and ".join(some([name]) for name in each) for each in self.names)
        of = number(self.of) + (" image" + "s" * (self.of != 1) if self.kind == "pixels" else "")
        return _SAID[self.kind].format(", ".join(names), number(self.count), of)


Notes = tuple[Note, ...]


class Noted:
    """A value that has notes; they play no part in equality."""

    __slots__ = ()

    labels: Any
    notes: Notes
    # The files that it was counted in, and how, as plain data; None of what was not, or was made of
    # others.
    provenance: dict[str, Any] | None

    def _noted(self, notes: Notes) -> Self:
        """The same value with other notes."""
        return self if notes == self.notes else self._same(notes=notes)

    def _counted_in(self, provenance: dict[str, Any] | None) -> Self:
        """The same value with the files that it was counted in, and how."""
        return self._same(provenance=provenance)

    def _same(self, **facts: Any) -> Self:
        same = type(self).__new__(type(self))
        for name in chain.from_iterable(
            getattr(each, "__slots__", ()) for each in type(self).__mro__
        ):
            if hasattr(self, name):
                object.__setattr__(same, name, getattr(self, name))
        for name, value in facts.items():
            object.__setattr__(same, name, value)
        return same

    def _after(self, source: Noted) -> Self:
        """The value that was made of another one, with its notes; those on labels hold while all of these are there."""
        if not source.notes:
            return self
        known = set(map(str, self.labels))
        still = (
            n
            for n in source.notes
            if n.kind in {"counts", "pixels", "thinned", "twice", "unread"}
            or known.issuperset(chain(*n.names))
        )
        return self._noted(tuple(still))

    def __setstate__(self, notes: Notes) -> None:
        object.__setattr__(self, "notes", notes)


def merged(notes: Iterable[Note]) -> Notes:
    """One note of each kind, whose numbers are added up."""
    found = []
    for kind, some_notes in groupby(sorted(notes), key=attrgetter("kind")):
        alike = list(some_notes)
        names = sorted({name for note in alike for name in note.names})[:MOST_NAMES]
        found.append(
            Note(
                kind,
                tuple(names),
                sum(note.count for note in alike),
                sum(note.of for note in alike),
            )
        )
    return tuple(found)


def to_data(notes: Notes) -> list[dict[str, Any]]:
    """Notes as plain data, each with its text."""
    return [{"text": str(note), **asdict(note)} for note in notes]


def from_data(data: Any) -> Notes:
    """Read what `to_data` wrote; kinds of a later version are left alone."""
    try:
        return merged(
            Note(
                record["kind"],
                tuple(tuple(map(str, names)) for names in record["names"]),
                +record["count"],
                +record["of"],
            )
            for record in data
            if record["kind"] in _SAID
        )
    except (TypeError, KeyError):
        msg = Message("stored `notes` are a list of kind, names, count and of, not {!r:.80}", data)
        raise InputError(msg) from None
