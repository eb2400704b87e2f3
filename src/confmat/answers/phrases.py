"""Phrases that mark an answer as refused, abstained or an error: whole phrases, beginnings and patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from confmat.answers.spelling import MAX_NAME_CHARACTERS, Names, Said, Spelling
from confmat.core.errors import Argument, InputError, Message
from confmat.core.naming import plain
from confmat.core.text import some

# One star before a text is a pattern elsewhere; more of them, or one that stands alone, are stress
# or a bullet.
_ANYWHERE = re.compile(r"\*[^*\s]")
# Characters that may precede the first word.
_OPENING = r"[\"'*_`(\[ ]*?"


def listed_phrases(phrases: Any, option: str) -> tuple[Any, ...]:
    """One phrase or several, checked."""
    if isinstance(phrases, (str, bytes, re.Pattern)) or not isinstance(phrases, Iterable):
        phrases = [phrases]
    phrases = tuple(one if isinstance(one, re.Pattern) else plain(one) for one in phrases)
    for one in phrases:
        reason = ""
        if one is None:
            text = "{} cannot name a missing answer; {missing:'collect'} counts those under '(missing)'"
            raise InputError(Message(text, Argument(option)))
        if isinstance(one, str) and one.endswith("*") and not Spelling().plain(one.rstrip("*")):
            reason = "a beginning needs a text before the star, or everything would begin so"
        elif isinstance(one, str) and _ANYWHERE.match(one):
            reason = (
                "a star stands at the end alone, for a beginning such as 'I cannot*'; for a text "
                "anywhere give a "
                f"pattern, such as re.compile({one.strip('*')!r:.60}, re.IGNORECASE)"
            )
        if reason:
            raise InputError(Message("{} has {}: {}", Argument(option), some([one]), reason))
    return phrases


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
        phrases = list(phrases)
        self._spelling = spelling
        self._patterns = [one for one in phrases if isinstance(one, re.Pattern)]
        starts = [one for one in phrases if isinstance(one, str) and one.endswith("*")]
        self._values = {
            (type(one), one) for one in phrases if one not in self._patterns and one not in starts
        }
        self._whole = Names(((Said(one, spelling).text, True) for _, one in self._values), spelling)
        # An answer of nothing but space is as good as none.
        self._empty = any(isinstance(one, str) and not one.strip() for one in phrases)
        begun = "|".join(re.escape(spelling.plain(one.rstrip("*"))) for one in starts)
        self._begun = re.compile(f"{_OPENING}(?:{begun})") if starts else None

    def match(self, said: Said) -> bool:
        """Whether an answer is marked; patterns are searched in the answer as it is."""
        if not isinstance(said.value, str):
            return (type(said.value), said.value) in self._values
        # As much of the text as is looked at, in its first form; it may be quoted or stressed.
        plain = (
            said.forms[0][1]
            if said.forms
            else self._spelling.plain(said.text[:MAX_NAME_CHARACTERS])
        )
        return bool(
            self._whole.find(said)
            or (self._empty and not plain)
            or (self._begun is not None and self._begun.match(plain))
            or any(pattern.search(said.value) for pattern in self._patterns)
        )
