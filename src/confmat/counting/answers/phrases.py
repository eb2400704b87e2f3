"""Phrases: answers that are no class by what they say, how they begin, or a pattern in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from confmat._naming import plain
from confmat.counting.answers.spelling import LONGEST, Said, Spelling
from confmat.errors import Argument, InputError, Message
from confmat.text import some

__all__ = ["Phrases", "listed_phrases"]

# One star before a text is a pattern elsewhere; more of them, or one that stands alone, are stress or a bullet.
_ANYWHERE = re.compile(r"\*[^*\s]")
# What may stand before the first word.
_BEFORE = "\"'*_`([ "


def listed_phrases(given: Any, option: str) -> tuple[Any, ...]:
    """One phrase or several, checked."""
    if isinstance(given, (str, bytes, re.Pattern)) or not isinstance(given, Iterable):
        given = [given]
    found = tuple(one if isinstance(one, re.Pattern) else plain(one) for one in given)
    for one in found:
        if one is None:
            msg = Message(
                "{} cannot name a missing answer; {missing:'collect'} counts those under '(missing)'", Argument(option)
            )
            raise InputError(msg)
        if isinstance(one, str) and one.endswith("*") and not Spelling().plain(one.rstrip("*")):
            msg = Message(
                "{} has {}: a beginning needs a text before the star, or everything would begin so",
                Argument(option),
                some([one]),
            )
            raise InputError(msg)
        if isinstance(one, str) and _ANYWHERE.match(one):
            msg = Message(
                "{} has {}: a star stands at the end alone, for a beginning such as 'I cannot*'; for a text anywhere "
                "give a pattern, such as re.compile({!r:.60}, re.IGNORECASE)",
                Argument(option),
                some([one]),
                one.strip("*"),
            )
            raise InputError(msg)
    return found


class Phrases:
    """What marks an answer as one outside label: whole phrases, beginnings (they end in a star) and patterns.

    >>> phrases = Phrases(["n/a", "I cannot*", re.compile("as an AI")], Spelling())
    >>> said = [Said(text, Spelling()) for text in ("N/A.", "I cannot say", "Well, as an AI model I", "cat")]
    >>> list(map(phrases.match, said))
    [True, True, True, False]
    """

    def __init__(self, phrases: Iterable[Any], spelling: Spelling) -> None:
        self._spelling = spelling
        self._values: set[tuple[type, Any]] = set()
        self._forms: set[tuple[str, str]] = set()
        self._patterns: list[re.Pattern[str]] = []
        starts = []
        for one in phrases:
            if isinstance(one, re.Pattern):
                self._patterns.append(one)
            elif isinstance(one, str) and one.endswith("*"):
                starts.append(_opened(spelling.plain(one.rstrip("*"))))
            else:
                self._values.add((type(one), one))
                # A form of nothing but punctuation says nothing.
                forms = Said(one, spelling).forms
                self._forms.update(form for form in forms if form[1])
                if isinstance(one, str) and not one.strip():
                    # An answer of nothing but space is as good as none.
                    self._forms.update(forms[:1])
        self._starts = tuple(starts)
        self._words = tuple(words for _, words in starts)

    def match(self, said: Said) -> bool:
        """Whether an answer is marked; patterns are searched in the answer as it is."""
        if (type(said.value), said.value) in self._values:
            return True
        if not isinstance(said.value, str):
            return False
        if self._forms and any(form in self._forms for form in said.forms):
            return True
        if self._starts and self._begins(said):
            return True
        return any(pattern.search(said.value) for pattern in self._patterns)

    def _begins(self, said: Said) -> bool:
        """Whether the first form, of as much of the text as is looked at, begins so; it may be quoted or stressed."""
        plain = said.forms[0][1] if said.forms else self._spelling.plain(said.text[:LONGEST])
        opening, words = _opened(plain)
        return words.startswith(self._words) and any(
            words.startswith(begin) and opening.endswith(before) for before, begin in self._starts
        )


def _opened(text: str) -> tuple[str, str]:
    """What opens a text, such as quotes and brackets, and what follows."""
    words = text.lstrip(_BEFORE)
    return text[: len(text) - len(words)], words
