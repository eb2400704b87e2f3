"""Phrases: answers that are no class by what they say, how they begin, or a pattern in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from confmat._naming import plain
from confmat.counting.answers.spelling import LONGEST, Spelling
from confmat.errors import InputError
from confmat.text import some

__all__ = ["Phrases", "listed_phrases"]


def listed_phrases(given: Any, option: str) -> tuple[Any, ...]:
    """One phrase or several, checked."""
    if isinstance(given, (str, bytes, re.Pattern)) or not isinstance(given, Iterable):
        given = [given]
    found = tuple(one if isinstance(one, re.Pattern) else plain(one) for one in given)
    for one in found:
        if one is None:
            msg = f"`{option}` cannot name a missing answer; missing='collect' counts those under '(missing)'"
            raise InputError(msg)
        if isinstance(one, str) and one.endswith("*") and not one.rstrip("*").strip():
            msg = (
                f"`{option}` has {some([one])}: a beginning needs a text before the star, or everything would begin so"
            )
            raise InputError(msg)
    return found


class Phrases:
    """What marks an answer as one outside label: whole phrases, beginnings (they end in a star) and patterns.

    >>> phrases = Phrases(["n/a", "I cannot*", re.compile("as an AI")], Spelling())
    >>> [phrases.match(text) for text in ("N/A.", "I cannot say", "Well, as an AI model I", "cat")]
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
                starts.append(spelling.plain(one.rstrip("*").lstrip()))
            else:
                self._values.add((type(one), one))
                self._forms.update(spelling.forms(one) if isinstance(one, str) else ())
        self._starts = tuple(starts)

    def match(self, answer: Any) -> bool:
        """Whether an answer is marked; patterns are searched in the answer as it is."""
        if (type(answer), answer) in self._values:
            return True
        if not isinstance(answer, str):
            return False
        # A form of nothing but punctuation says nothing.
        if self._forms and any(form and (step, form) in self._forms for step, form in self._spelling.forms(answer)):
            return True
        if self._starts and self._spelling.plain(answer[:LONGEST]).lstrip("\"'*_`([ ").startswith(self._starts):
            return True
        return any(pattern.search(answer) for pattern in self._patterns)
