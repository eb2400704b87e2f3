"""Claims: pieces of an answer that may be its label, freed from what is around them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

# How a claim is meant: a doubt about whatever was claimed before; denied, or reported of somebody
# else; said only by the way, so that it may contradict but not answer; said in plain words.
DOUBTED, DENIED, HINTED, STATED = range(4)


class Claim(NamedTuple):
    """Pieces of an answer that mean one label, where none of the pieces after them is another label."""

    at: int
    kind: int
    pieces: tuple[Any, ...]
    after: tuple[str, ...] = ()


# ---- how patterns are written --------------------------------------------------------------------


def either(phrases: str) -> str:
    """Return a pattern of one of some phrases: a space is any white space, an apostrophe either of the two signs.

    >>> re.findall(either("it's a|no"), "it’s  a; no")
    ['it’s  a', 'no']
    """
    lines = "".join(line.lstrip() for line in phrases.splitlines())
    return f"(?:{lines})".replace(" ", r"\s+").replace("'", "’").replace("’", "['’]")


def word_set(text: str) -> frozenset[str]:
    """The words of a text, to compare others with."""
    return frozenset(text.split())


def pattern(text: str) -> re.Pattern[str]:
    """Return a pattern to which letter case is nothing."""
    return re.compile(text, re.IGNORECASE)


# ---- words that call a label something and change nothing ----------------------------------------
CERTAIN = either(
    "so|hence|indeed|certainly|definitely|clearly|obviously|simply|surely|undoubtedly|therefore|thus|exactly|of course"
)
_OPTION = either(
    "the|option|choice|letter|answer|letra|lettre|буква|la|el|le|die|das|il"
    "|a (?:opção|letra|alternativa)|opción|l'option"
)
_CALLED = pattern(rf"^(?:(?:{CERTAIN}\b,?|{_OPTION})\s+)+")
# "B" of "Bです".
_COPULA = re.compile(r"(?<=[\w)\]」])(?:です|だ|입니다|이다|이에요|예요)(?=\W|$)")
# "B" of "\textbf{B}".
_SET = re.compile(r"\\(?:f?box(?:ed)?|text(?:bf|rm|it)?|math(?:rm|bf|sf|bb))\s*\{([^{}]*)\}")


def bared(claim: str) -> str:
    r"""Leave out what TeX puts around a text, and words that only call it an option.

    >>> bared("the option B"), bared("$\\text{B}$"), bared("the other option")
    ('B', 'B', 'other option')
    """
    if "\\" in claim:
        claim = _SET.sub(r"\1", _SET.sub(r"\1", claim)).replace("$", "")
    claim = _CALLED.sub("", claim)
    return claim if claim.isascii() else _COPULA.sub("", claim)


# ---- clauses -------------------------------------------------------------------------------------
_DASH = r"\s[-–—]+\s(?!\s*\d)"
# A mark between digits, as in 4.5, 1,000 and 3 - 5, is part of a number, a point before one part of
# "No. 5", and those of "a.m." and "D. H. Lawrence" are no ends.
_BREAK = rf"\.(?!\s*\d)(?!(?<=\b\w\.)\s?\w\.)|。|(?<!\d)[;,(，]|[;,(，](?!\d)|{_DASH}"
_END = re.compile(rf"{_BREAK}|(?<!\d):|:(?!\d)")
_PART = re.compile(rf"{_BREAK}|(?<![^\W_])(?=(?:[^\W_]|\d{{1,2}})[)\]])|(?<=\w)[)\]]")
# The sign of a choice, as in "(B) Rome" and "B) Rome".
_CHOICE = pattern(
    r"'?[(\[]?([^\W_]|\d{1,2})[)\]][\s*_\"'`]+(?=\w)(?!(?:is|was)(?:n['\u2019]t|\s+(?:not|wrong|incorrect|false))\b)"
)
# Labels that an answer sets itself apart from: "(B), not (A)".
_NOT = pattern(
    r"[,;(—]\s*(?:and\s+)?not(?:(?:\s*,)?\s+(?:(?:or|nor|and)\s+)?[(\[]?\w+[)\]]?)+?(?=[\s.,;)]*(?:\n|$))"
)
# Words that may lead to a second label: "A, or B".
_OR = pattern(
    r"\b"
    + either(
        "it is|it's|and|as|also|else|or|nor|through|to|vs|maybe|perhaps|possibly|alternatively|but"
    )
    + r"\b"
)
_WHY = pattern(r"[\s,;.(]+(?:because|since|as(?!\s+well\b)(?<!\bwell\sas))\b")


def without_reason(claim: str) -> str:
    """Leave out why: "B" of "B, because Rome is in Italy", but not of "B as well as C"."""
    return _WHY.split(claim, maxsplit=1)[0]


def clauses(claim: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The first clause, of "(B) Rome" the sign and the text too; and what follows, which may contradict it.

    >>> clauses("B, or C")
    (('B, or C', 'B'), ('or C', 'C'))
    >>> clauses("(B) Rome")
    (('(B) Rome', 'B) Rome', 'B', 'Rome', 'Rome'), ('Rome',))
    """
    claim = _NOT.sub("", claim)
    first, *rest = _END.split(claim.lstrip(' ([*_"`$'), maxsplit=1)
    if (choice := _CHOICE.match(claim)) is None:
        return (claim, first), parts(rest[0]) if rest else ()
    text = claim[choice.end() :]
    return (claim, first, choice[1], *clauses(text)[0]), parts(text)


def parts(text: str) -> tuple[str, ...]:
    """The parts of a text that may be labels: between marks, and after words such as "or"."""
    pieces = (piece for part in _PART.split(text) for piece in (part, *_OR.split(part)[1:]))
    return tuple(piece.strip(" ()[]*_\"'`") for piece in pieces)
