"""Book: the rules made ready for certain classes; it reads one answer after the other, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from confmat._naming import plain, same_name
from confmat.counting.answers.extracting import Clause, Extractor, extractors, pieces
from confmat.counting.answers.log import Reading
from confmat.counting.answers.nearness import Nearest
from confmat.counting.answers.phrases import Phrases
from confmat.counting.answers.spelling import SEVERAL, Names, Said, Spelling
from confmat.errors import Argument, LabelError, Message
from confmat.labels import Labels
from confmat.text import some

__all__ = ["INVALID", "MARKED", "OUTSIDE", "Book"]

INVALID = "(invalid)"
# Phrases that mark an answer are asked in this order.
MARKED = {"refused": "(refused)", "abstained": "(abstained)", "error": "(error)"}
OUTSIDE = (INVALID, *MARKED.values())


@dataclass(frozen=True)
class Book:
    """Tables of names, phrases and ways to extract, for classes that are known."""

    labels: Labels
    spelling: Spelling
    names: Names
    aliases: Names
    marks: tuple[tuple[str, str, Phrases], ...]
    extract: tuple[Extractor, ...]
    nearest: Nearest | None

    @classmethod
    def of(cls, given: Labels, options: Mapping[str, Any]) -> Book:
        """The tables for these classes, by the options of `Answers`."""
        texts = _by_text(given)
        aliases = {name: _target(name, label, given, texts) for name, label in options["aliases"].items()}
        marked = [option for option in MARKED if options[option]]
        led = {*(MARKED[option] for option in marked), *(label for label in OUTSIDE if label in aliases.values())}
        labels = Labels(given, outside=dict.fromkeys([*given.outside, INVALID, *sorted(led)]))
        spelling = Spelling(options["case"], options["punctuation"])
        names = Names(((str(label), label) for label in labels.classes), spelling, labels.outside)
        known = Names(((str(name), label) for name, label in aliases.items()), spelling)
        fuzzy = options["fuzzy"]
        book = cls(
            labels,
            spelling,
            names,
            known,
            tuple((option, MARKED[option], Phrases(options[option], spelling)) for option in marked),
            extractors(options["extract"]),
            None if fuzzy is None else Nearest([*names.loosest(), *known.loosest()], fuzzy),
        )
        book._check_reach(aliases, options)
        return book

    def _check_reach(self, aliases: Mapping[Any, Any], options: Mapping[str, Any]) -> None:
        """Refuse names that an earlier step reads as something else: they would be of no use, unnoticed."""
        said = [(name, label, "aliases") for name, label in aliases.items()]
        for option, label in MARKED.items():
            said += [(one, label, option) for one in options[option] if isinstance(one, str) and one[-1:] != "*"]
        for text, label, option in said:
            found = self._spelt(Said(text, self.spelling))
            if found is not None and found.label is not None and not same_name(found.label, label):
                msg = Message(
                    "{} has {} for {}, but the step {!r} reads it as {} before",
                    Argument(option),
                    some([text]),
                    some([label]),
                    found.step,
                    some([found.label]),
                )
                raise LabelError(msg)

    def read(self, answer: Any) -> Reading:
        """The label of one answer and the step that read it."""
        answer = plain(answer)
        if answer is None:
            return Reading(None, "invalid")
        said = Said(answer, self.spelling)
        found = self._spelt(said)
        if found is not None and found.label is not None:
            return found
        ways: list[tuple[str, list[Said]]] = []
        if self.extract and isinstance(answer, str):
            ways = [(way[0], [self._part(one) for one in pieces(way, answer)]) for way in self.extract]
        return self._beyond(said, ways, several=found is not None)

    def _part(self, piece: Any) -> Said:
        if isinstance(piece, Clause):
            return Said(piece.text, self.spelling, piece.after)
        return Said(plain(piece), self.spelling)

    def _beyond(self, said: Said, ways: list[tuple[str, list[Said]]], *, several: bool) -> Reading:
        """The steps for an answer that is no name itself; `several` says that it could be two."""
        for name, parts in ways:
            found = _agreed(_alone(self._spelt, part) for part in parts)
            if found is not None and found.label is not None:
                return Reading(found.label, f"extract ({name})")
            if found is not None:
                # Pieces that contradict each other are no reason to look for one that does not.
                several = True
                break
        every = [[said], *(parts for _, parts in ways)]
        for option, label, phrases in self.marks:
            if any(phrases.match(part) for parts in every for part in parts):
                return Reading(label, option)
        for parts in every if self.nearest is not None else ():
            found = _agreed(_alone(self._near, part) for part in parts)
            if found is not None and found.label is not None:
                return found
            several = several or found is not None
        return Reading(None, "ambiguous" if several else "invalid")

    def _spelt(self, said: Said) -> Reading | None:
        """An answer that is a label or an alias in some spelling; label None where it could be two of them."""
        if not isinstance(said.value, str) and said.value in self.labels:
            return Reading(self.labels[self.labels.index(said.value)], "exact")
        exact = self.names.exactly(said.text)
        if exact is not None and exact is not SEVERAL:
            return Reading(exact, "exact")
        looser = self.names.find(said.forms)
        if looser is not None and looser[1] is not SEVERAL:
            return Reading(looser[1], looser[0])
        alias = self.aliases.exactly(said.text)
        if alias is None and (found := self.aliases.find(said.forms)) is not None:
            alias = found[1]
        if alias is not None and alias is not SEVERAL:
            return Reading(alias, "alias")
        return None if exact is None and looser is None and alias is None else Reading(None, "ambiguous")

    def _near(self, said: Said) -> Reading | None:
        assert self.nearest is not None
        found = self.nearest.find(said.loosest) if isinstance(said.value, str) else None
        return None if found is None else Reading(None if found is SEVERAL else found, "fuzzy")


def _alone(read: Callable[[Said], Reading | None], part: Said) -> Reading | None:
    """What a piece is read as, unless what follows it is another label: "A, or B" is neither."""
    found = read(part)
    if found is None or found.label is None:
        return found
    return _agreed([found, *map(read, part.after)])


def _agreed(found: Iterable[Reading | None]) -> Reading | None:
    """What all pieces that are read at all agree on."""
    read = [one for one in found if one is not None]
    if not read:
        return None
    first = read[0]
    return first if all(same_name(one.label, first.label) for one in read) else Reading(None, "ambiguous")


def _by_text(labels: Labels) -> dict[str, Any]:
    """Classes by their texts, where no two share one."""
    found: dict[str, Any] = {}
    for label in labels.classes:
        found[str(label)] = SEVERAL if str(label) in found else label
    return found


def _target(name: Any, label: Any, labels: Labels, texts: Mapping[str, Any]) -> Any:
    """The label that an alias leads to."""
    if label in labels:
        return labels[labels.index(label)]
    if isinstance(label, str) and label in OUTSIDE:
        return label
    found = texts.get(label, SEVERAL) if isinstance(label, str) else SEVERAL
    if found is SEVERAL:
        msg = (
            f"the alias {some([name])} leads to {some([label])}, which is neither a class ({some(labels.classes)}) nor "
            f"one of {', '.join(OUTSIDE)}"
        )
        raise LabelError(msg)
    return found
