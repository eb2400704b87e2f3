"""Spelling: the looser and looser forms in which an answer is compared with a name, and tables of names by form."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["LONGEST", "SEVERAL", "Names", "Said", "Spelling"]

# Longer answers are no name in any spelling but their own; their beginnings, lines and patterns are still looked at.
LONGEST = 10_000
# What stands in a table where a form belongs to names that mean different things.
SEVERAL: Any = object()

_QUOTES = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")
# A sign before a number and a point within one are part of the number; so is what says that it is not that number.
_IN_NUMBER = re.compile(
    r"(?<![\w+-])[+\-–—](?=\.?\d)|(?<=\d)[.,](?=\d)|(?<![\w.])\.(?=\d)|(?<=\d)\+(?!\w)"
    r"|<=?(?=\s*[-+.]?\d)(?!\S*>)|[>~]=?(?=\s*[-+.]?\d)"
)
_HELD = str.maketrans("+-.,–—<>~=", "\ue000\ue001\ue002\ue003\ue004\ue005\ue006\ue007\ue008\ue009")
_FREED = {held: char for char, held in _HELD.items()}
_WHOLE = re.compile(r"([+-]?\d+)\.0+")


class _Visible(dict[int, int | str | None]):
    """For `str.translate`: control and format characters go, those that are spaces stay."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        kept = char.isspace() or unicodedata.category(char) not in {"Cc", "Cf"}
        self[code] = code if kept else None
        return self[code]  # type: ignore[return-value]


class _Bare(dict[int, int | str | None]):
    """For `str.translate`: punctuation becomes space; letters, marks, digits and emoji stay."""

    def __missing__(self, code: int) -> int | str:
        char = chr(code)
        spaced = char in string.punctuation or unicodedata.category(char)[0] in "PZ"
        self[code] = " " if spaced else code
        return self[code]  # type: ignore[return-value]


_visible, _bare = _Visible(), _Bare()


@dataclass(frozen=True)
class Spelling:
    """Which differences do not matter: of case, of punctuation; those of space and Unicode form never do.

    >>> list(Spelling().forms("  Not–Spam! "))
    [('case', 'not–spam!'), ('punctuation', 'not spam')]
    """

    case: bool = False
    punctuation: bool = False

    def forms(self, text: str) -> Iterator[tuple[str, str]]:
        """The forms of a text beyond its own, each with the name of the step, the strictest first."""
        text = text.strip()
        if len(text) > LONGEST:
            return
        text = self.plain(text)
        yield "space" if self.case else "case", text
        if not self.punctuation:
            yield "punctuation", _words(text)

    def plain(self, text: str) -> str:
        """One form for the ways to write the same in Unicode; one space between words; lower case if case is nothing.

        Compatible characters are one (NFKC), quotation marks straight, and what cannot be seen is left out.
        """
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
        if not text.isprintable():
            text = text.translate(_visible)
        if not self.case:
            folded = text.casefold()
            # Folding may leave a form that is not the composed one.
            text = folded if folded.isascii() else unicodedata.normalize("NFKC", folded)
        return " ".join(text.split())


def _words(text: str) -> str:
    """A text without punctuation, but for what belongs to numbers; 4.0 is 4."""
    held = _IN_NUMBER.sub(lambda found: found[0].translate(_HELD), text)
    bare = " ".join(held.translate(_bare).split())
    if held == text:
        return bare
    bare = bare.translate(_FREED)
    return found[1] if (found := _WHOLE.fullmatch(bare)) else bare


class Said:
    """An answer, or a piece of one: the value, its text, and the forms of the text, worked out when they are asked."""

    __slots__ = ("_forms", "_spelling", "after", "text", "value")

    def __init__(self, value: Any, spelling: Spelling, after: Iterable[str] = ()) -> None:
        self.value = value
        # Pieces that follow it: where one is another label, neither is read.
        self.after = tuple(Said(one, spelling) for one in after)
        self.text = (
            value
            if isinstance(value, str)
            else value.decode("utf-8", "replace")
            if isinstance(value, bytes)
            else str(value)
        )
        self._spelling = spelling
        self._forms: list[tuple[str, str]] | None = None

    @property
    def forms(self) -> list[tuple[str, str]]:
        """The forms beyond the text itself, each with the name of its step."""
        if self._forms is None:
            self._forms = list(self._spelling.forms(self.text))
        return self._forms

    @property
    def loosest(self) -> str:
        """The last of the forms; of a text that is too long for any, nothing."""
        return self.forms[-1][1] if self.forms else ""


class Names:
    """What texts mean, found by looser and looser spellings; a form that would mean two things finds nothing.

    >>> names = Names([("Yes", 1), ("NO", 0), ("no", 2)], Spelling())
    >>> names.exactly("NO"), names.find(Spelling().forms("yes!")), names.exactly("yes")
    (0, ('punctuation', 1), None)
    >>> names.find(Spelling().forms("No"))[1] is SEVERAL
    True
    """

    def __init__(self, pairs: Iterable[tuple[str, Any]], spelling: Spelling, exactly: Iterable[str] = ()) -> None:
        """Names with their meanings; those of `exactly` mean themselves and are found in their own spelling alone."""
        self._exact: dict[str, Any] = {name: name for name in exactly}
        self._forms: dict[str, dict[str, Any]] = {}
        for text, target in pairs:
            _put(self._exact, text, target)
            for step, form in spelling.forms(text):
                table = self._forms.setdefault(step, {})
                # Nothing is left of a name such as "+": only itself is that name.
                if form:
                    _put(table, form, target)

    def exactly(self, text: str) -> Any:
        """What a text means as it is; None for nothing."""
        return self._exact.get(text)

    def find(self, forms: Iterable[tuple[str, str]]) -> tuple[str, Any] | None:
        """The first step that finds a meaning, and the meaning."""
        for step, form in forms:
            found = self._forms.get(step, {}).get(form)
            if found is not None:
                return step, found
        return None

    def loosest(self) -> Iterator[tuple[str, Any]]:
        """The loosest form of each name, and what it means."""
        yield from (list(self._forms.values())[-1] if self._forms else {}).items()


def _put(table: dict[str, Any], form: str, target: Any) -> None:
    before = table.setdefault(form, target)
    if before is not target and (type(before) is not type(target) or before != target):
        table[form] = SEVERAL
