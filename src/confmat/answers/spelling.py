"""Spellings: looser and looser forms of a text, tables of names by form, and the nearest name by edits."""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

# Longer answers are no name in any spelling but their own; their beginnings, lines and patterns are
# still looked at.
MAX_NAME_CHARACTERS = 10_000
# The entry of a form that belongs to names of different labels.
SEVERAL: Any = object()

_QUOTES = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")
# A sign before a number and a point within one are part of the number; so is what says that it is
# not that number. The signs of a grade (A+, A-), a negation (!A, ~A), a note (C#), a question and a
# share (5%) are part of a word, and what touches a lone letter on one side is part of a formula, a
# name or a path (>B, A', /A). Each begins with the sign itself, so that the search skips to one.
_SIGNS = re.compile(
    r"[+\-–—](?<![\w+-].)(?=\.?\d)|[.,](?<=\d.)(?=\d)|\.(?<![\w.].)(?=\d)"
    r"|<=?(?=\s*[-+.]?\d)(?!\S*>)|[>~]=?(?=\s*[-+.]?\d)"
    r"|[+-](?<=\w.)[+-]*(?!\w)|[!~](?<![\w!.,].)=?(?=\s?\w)|\?|#(?<=\w.)(?!\w)"
    r"|[-+–—<>/\\#@$&|^=](?<!\w.)(?=[^\W\d_](?![\w>$/|]))|['′^/>=&|@](?<=\w.)(?<![\w'\"<>$/|=]..)(?!\w)"
    r"|%(?<=\w.)|%(?<=\d\s.)"
)
_HELD = {ord(char): 0xE000 + place for place, char in enumerate("+-.,–—<>~=!?#/\\@$&|^'′%")}
_FREED = {held: char for char, held in _HELD.items()}
_WHOLE = re.compile(r"([+-]?\d+)\.0+")


class _Characters(dict[int, str]):
    """For `str.translate`: the text that takes the place of each character."""

    def __init__(self, text_of: Callable[[str], str]) -> None:
        self._text_of = text_of

    def __missing__(self, code: int) -> str:
        return self.setdefault(code, self._text_of(chr(code)))


# Control and format characters go; those that are spaces stay.
_visible = _Characters(
    lambda char: char if char.isspace() or unicodedata.category(char) not in {"Cc", "Cf"} else ""
)
# Punctuation becomes space; letters, marks, digits and emoji stay.
_bare = _Characters(
    lambda char: (
        " " if char in string.punctuation or unicodedata.category(char)[0] in "PZ" else char
    )
)


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
        if len(text) > MAX_NAME_CHARACTERS:
            return
        text = self.plain(text)
        yield "space" if self.case else "case", text
        if not self.punctuation:
            yield "punctuation", _words(text)

    def plain(self, text: str) -> str:
        """One form for the ways to write the same in Unicode; one space between words; lower case if case is nothing.

        Compatible characters are one (NFKC), quotation marks straight, and what cannot be seen is
        left out.
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
    held = _SIGNS.sub(lambda found: found[0].translate(_HELD), text)
    bare = " ".join(held.translate(_bare).split())
    if held == text:
        return bare
    bare = bare.translate(_FREED).replace(" %", "%")
    return found[1] if (found := _WHOLE.fullmatch(bare)) else bare


class Said:
    """An answer, or a piece of one: the value, its text, and the forms of the text, worked out when they are asked."""

    __slots__ = ("_forms", "_spelling", "text", "value")

    def __init__(self, value: Any, spelling: Spelling) -> None:
        self.value = value
        self.text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
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
    """Labels by looser and looser spellings of their names; a form of two different labels finds neither.

    >>> names = Names([("Yes", 1), ("NO", 0), ("no", 2)], Spelling())
    >>> names.exactly("NO"), names.find(Said("yes!", Spelling())), names.exactly("yes")
    (0, ('punctuation', 1), None)
    >>> names.find(Said("No", Spelling()))[1] is SEVERAL
    True
    """

    def __init__(self, pairs: Iterable[tuple[str, Any]], spelling: Spelling) -> None:
        self._exact: dict[str, Any] = {}
        self._forms: dict[str, dict[str, Any]] = {}
        for text, target in pairs:
            _put(self._exact, text, target)
            for step, form in spelling.forms(text):
                table = self._forms.setdefault(step, {})
                # Nothing is left of a name such as "+": only itself is that name.
                if form:
                    _put(table, form, target)

    def know(self, names: Iterable[str]) -> None:
        """Add names that mean themselves, in their own spelling alone."""
        self._exact |= {name: name for name in names}

    def __bool__(self) -> bool:
        return bool(self._exact)

    def exactly(self, text: str) -> Any:
        """Return the label of exactly this text, or None."""
        return self._exact.get(text)

    def find(self, given: Said) -> tuple[str, Any] | None:
        """The first step that finds a meaning, and the meaning; SEVERAL where it has two."""
        exact = self._exact.get(given.text)
        if exact is not None and exact is not SEVERAL:
            return "exact", exact
        for step, form in given.forms:
            label = self._forms.get(step, {}).get(form)
            if label is not None:
                return step, label
        return None if exact is None else ("exact", exact)

    def loosest(self) -> Iterator[tuple[str, Any]]:
        """The loosest form of each name, and what it means."""
        yield from (list(self._forms.values())[-1] if self._forms else {}).items()


def _put(table: dict[str, Any], form: str, target: Any) -> None:
    before = table.setdefault(form, target)
    if before is not target and (type(before) is not type(target) or before != target):
        table[form] = SEVERAL


def edits(a: str, b: str, most: int) -> int | None:
    """How many characters to add, drop, replace or swap with their neighbour, to get one text from the other.

    No part of a text is edited twice (optimal string alignment). None where it takes more than
    `most`. Differences between neighbouring cells of the table are kept as bits of one number, a
    column at a time (Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau edit
    distances, 2003).

    >>> edits("positive", "postive", 2), edits("form", "from", 2), edits("cat", "house", 2)
    (1, 1, None)
    """
    if abs(len(a) - len(b)) > most:
        return None
    # Without what they begin and end alike with.
    for _ in range(2):
        alike = next(
            (at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
        )
        a, b = a[alike:][::-1], b[alike:][::-1]
    if not a or not b:
        return len(a) + len(b)
    everything, top = (1 << len(a)) - 1, 1 << (len(a) - 1)
    places = dict.fromkeys(a, 0)
    for place, char in enumerate(a):
        places[char] |= 1 << place
    more, less, equal, last, total = everything, 0, 0, 0, len(a)
    for left, char in zip(range(len(b) - 1, -1, -1), b, strict=True):
        here = places.get(char, 0)
        swapped = ((~equal & here) << 1) & last
        equal = ((((here & more) + more) ^ more) | here | less | swapped) & everything
        right, wrong = less | (~(equal | more) & everything), equal & more
        total += bool(right & top) - bool(wrong & top)
        # Each character that is left takes off one at best.
        if total - left > most:
            return None
        right, wrong = ((right << 1) | 1) & everything, (wrong << 1) & everything
        more, less, last = wrong | (~(equal | right) & everything), right & equal, here
    return total if total <= most else None


def _letters(text: str) -> int:
    """The different characters of a text as bits of a number; two may share a bit."""
    return sum(1 << place for place in {ord(char) & 63 for char in text})


class Nearest:
    """Names, and how near one must be: 1 - edits / length of the longer text.

    >>> nearest = Nearest([("positive", 1), ("negative", 0)], 0.8)
    >>> nearest.find("postive"), nearest.find("neutral")
    (1, None)
    """

    def __init__(self, names: Iterable[tuple[str, Any]], least: float) -> None:
        self.least = least
        self._names = sorted(names, key=lambda pair: len(pair[0]))
        self._sizes = [len(name) for name, _ in self._names]
        self._letters = [_letters(name) for name, _ in self._names]

    def find(self, form: str) -> Any:
        """The meaning of the nearest name that is near enough; SEVERAL where two that differ are equally near."""
        best, labels = 1.0, set[Any]()
        for place, share in self._near(form):
            if share < best or not labels:
                best, labels = share, {self._names[place][1]}
            elif share == best:
                labels.add(self._names[place][1])
        return None if not labels else SEVERAL if len(labels) > 1 else labels.pop()

    def _near(self, form: str) -> Iterator[tuple[int, float]]:
        """Names that are near enough, and their edits as a share of the longer text."""
        # Those whose length alone is not too different.
        shortest, longest = int(self.least * len(form)), int(min(len(form) / self.least, 1e9)) + 1
        here = _letters(form)
        for place in range(bisect_left(self._sizes, shortest), bisect_right(self._sizes, longest)):
            longer, there = max(len(form), self._sizes[place]), self._letters[place]
            # Rounded up, since 0.8 of 5 characters is 4 of them.
            most = int((1 - self.least) * longer + 1e-9)
            # An edit takes away one letter and brings one at most, so most names need no look at
            # their order.
            if (here & ~there).bit_count() > most or (there & ~here).bit_count() > most:
                continue
            distance = edits(form, self._names[place][0], most)
            if distance is not None:
                yield place, distance / longer
