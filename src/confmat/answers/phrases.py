"""Phrases that mark an answer as refused, abstained or an error: whole phrases, beginnings and patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from confmat.answers.spelling import MAX_NAME_CHARACTERS, Names, Said, Spelling
from confmat.core.errors import Argument, InputError, Message
from confmat.core.naming import plain
from confmat.core.text import some

# One star before a text is a pattern elsewhere; more of them, or one that is alone, are stress
# or a bullet.
_ANYWHERE = re.compile(r"\*[^*\s]")
# Characters that may precede the first word.
_OPENING = r"[\"'*_`(\[ ]*?"


def listed_phrases(phrases: Any, option: str) -> tuple[Any, ...]:
    """One phrase or several, checked."""
    if isinstance(phrases, (str, bytes, re.Pattern)) or not isinstance(phrases, Iterable):
        phrases = [phrases]
    phrases = tuple(
        phrase if isinstance(phrase, re.Pattern) else plain(phrase) for phrase in phrases
    )
    for phrase in phrases:
        if phrase is None:
            text = "{} cannot name a missing answer; {missing:'collect'} counts those under '(missing)'"
            raise InputError(Message(text, Argument(option)))
        reason = _why_no_phrase(phrase) if isinstance(phrase, str) else ""
        if reason:
            raise InputError(Message("{} has {}: {}", Argument(option), some([phrase]), reason))
    return phrases


def _why_no_phrase(text: str) -> str:
    if text.endswith("*") and not Spelling().plain(text.rstrip("*")):
        return "a beginning needs a text before the star, or everything would begin so"
    if _ANYWHERE.match(text):
        return (
            "a star is for the end alone, of a beginning such as 'I cannot*'; for a text anywhere "
            f"give a pattern, such as re.compile({text.strip('*')!r:.60}, re.IGNORECASE)"
        )
    return ""


class Phrases:
    """The phrases of one outside label: whole phrases, beginnings (they end in a star) and patterns.

    >>> phrases = Phrases(["n/a", "I cannot*", re.compile("as an AI")], Spelling())
    >>> said = [
    ...     Said(text, Spelling())
    ...     for text in ("N/A.", "I cannot say", "Well, as an AI model I", "cat")
    ... ]
    >>> list(map(phrases.match, said))
    [True, True, True, False]
    """

    def __init__(self, phrases: Iterable[Any], spelling: Spelling) -> None:
        self._spelling = spelling
        self._patterns, values = list[re.Pattern[str]](), list[Any]()
        for phrase in phrases:
            (self._patterns if isinstance(phrase, re.Pattern) else values).append(phrase)
        self._values = {(type(value), value) for value in values}
        self._whole = Names(((Said(value, spelling).text, True) for value in values), spelling)
        texts = [value for value in values if isinstance(value, str)]
        # An answer of nothing but space is as good as none.
        self._empty = not all(map(str.strip, texts))
        starts = [spelling.plain(text.rstrip("*")) for text in texts if text.endswith("*")]
        self._begun = (
            re.compile(f"{_OPENING}(?:{'|'.join(map(re.escape, starts))})") if starts else None
        )

    def match(self, given: Said) -> bool:
        """Whether an answer is marked; patterns are searched in the answer as it is."""
        if not isinstance(given.value, str):
            return (type(given.value), given.value) in self._values
        # As much of the text as is looked at, in its first form; it may be quoted or stressed.
        plain = (
            given.forms[0][1]
            if given.forms
            else self._spelling.plain(given.text[:MAX_NAME_CHARACTERS])
        )
        return bool(
            self._whole.find(given)
            or (self._empty and not plain)
            or (self._begun is not None and self._begun.match(plain))
            or any(pattern.search(given.value) for pattern in self._patterns)
        )
