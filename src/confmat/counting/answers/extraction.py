"""Parts of an answer that may hold the label, such as the last line or a field of JSON, and phrases of refusal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from confmat.core.errors import Argument, InputError, Message
from confmat.core.naming import plain
from confmat.core.options import told
from confmat.core.text import some
from confmat.counting.answers.spelling import MAX_NAME_CHARACTERS, Said, Spelling

# Its name, and what it finds: pieces of an answer, each of which may be a label.
Extractor = tuple[str, Callable[[str], list[Any]]]

# Fields that hold the answer where an object has several.
_FIELDS = frozenset({"label", "answer", "class", "category", "prediction", "choice", "verdict"})
# The text after the phrase may hold another such phrase, so a lookahead captures it.
_SAID = re.compile(
    rf"\b(?:(?:final|predicted)_)?(?:{'|'.join(sorted(_FIELDS))})\b"
    r"[\s*_\"'`]*(?:\bis\b|:|=)[\s:*_\"'`]*(?=([^\n]{1,200}))",
    re.IGNORECASE,
)
# The same between tags, as in <answer>B</answer>.
_TAGGED = re.compile(rf"<({'|'.join(sorted(_FIELDS))})>\s*([^<>]{{1,200}})</\1>", re.IGNORECASE)
_WHY = re.compile(r"[\s,;.(]+(?:because|since|as(?!\s+well\b)(?<!\bwell\sas))\b", re.IGNORECASE)
_DASH = r"\s[-–—]+\s(?!\s*\d)"
# A mark between digits, as in 4.5, 1,000 and 3 - 5, is part of a number.
_END = re.compile(rf"(?<!\d)[.;,:(]|[.;,:(](?!\d)|{_DASH}")
_NEXT = re.compile(rf"(?<!\d)[.;,(]|[.;,(](?!\d)|{_DASH}")
# The sign of a choice, as in "(B) Rome" and "B) Rome", what may call it so, and what TeX puts around it.
_CHOICE = re.compile(
    r"[(\[]?([^\W_]|\d{1,2})[)\]][\s*_\"'`]+(?=\w)(?!(?:is|was)(?:n['\u2019]t|\s+(?:not|wrong|incorrect|false))\b)",
    re.IGNORECASE,
)
# Another choice within the text of one: "Rome (C) Paris", "Rome or C".
_OTHER = re.compile(
    r"(?<![^\W_])(?:([^\W_]|\d{1,2})[)\]]"
    r"|(?:and|as|else|nor|or|through|to|vs)\b[\W_]+([^\W_]|\d{1,2})(?=\W*(?:$|[.,;:])))",
    re.IGNORECASE,
)
_CALLED = re.compile(r"^(?:option|choice|letter)\s+", re.IGNORECASE)
_SET = re.compile(r"\\(?:boxed|text(?:bf)?|math(?:rm|bf))\s*\{([^{}]*)\}")
# Words that may lead to a second label: "A, or B".
_OR = re.compile(r"[\s*_\"'`]*(?:(?:or|and|also|as well as|maybe|perhaps|possibly)\b[\s*_\"'`]*)*", re.IGNORECASE)
# Words before the name of such a field, as in final_answer, finalAnswer and "predicted label".
_BEFORE = re.compile(r"(?:final|predicted)[\W_]*", re.IGNORECASE)
_OBJECT = re.compile(r"\{[^{}]*\}")
# More parts than this are no answer but a document.
_MAX_PIECES = 1_000
# One star before a text is a pattern elsewhere; more of them, or one that stands alone, are stress or a bullet.
_ANYWHERE = re.compile(r"\*[^*\s]")
# Characters that may precede the first word.
_OPENING_CHARACTERS = "\"'*_`([ "


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece that may be a label only where none of those after it is another one."""

    text: str
    after: tuple[str, ...]


def _lines(text: str) -> list[Any]:
    return [line for line in text.splitlines() if line.strip()]


def _said(text: str) -> list[Any]:
    """Find the text after "the answer is" or "label:", to the end of the line (or 200 characters) and of the clause.

    The text between tags of such a name counts, too.
    """
    parts: list[Any] = [piece for match in _TAGGED.finditer(text) for piece in (match[2], *_clauses(match[2]))]
    for match in _SAID.finditer(text):
        # The innermost braces come first.
        said = _CALLED.sub("", _SET.sub(r"\1", _SET.sub(r"\1", match[1])))
        parts += [match[1], said, *_clauses(_WHY.split(said, 1)[0])]
    return parts


def _clauses(said: str) -> list[Clause]:
    """The first clause; of a choice with its text, as in "(B) Rome", the sign of it and the text too."""
    first, *rest = _END.split(said, 1)
    clauses = [Clause(first, _following(rest[0]) if rest else ())] if first else []
    choice = _CHOICE.match(said)
    if choice is not None:
        text = said[choice.end() :]
        others = (one or other for one, other in _OTHER.findall(text))
        clauses += [Clause(choice[1], (*_following(text), *others)), *_clauses(text)]
    return clauses


def _following(text: str) -> tuple[str, ...]:
    """Split the text after a clause into parts, without the words that lead to them and without brackets."""
    parts = [_OR.sub("", part, 1).strip(" )*_\"'`") for part in _NEXT.split(text)]
    choices = [(found[1], part[found.end() :]) for part in parts if (found := _CHOICE.match(part))]
    return tuple(filter(None, [*parts, *(piece for choice in choices for piece in choice)]))


def _json(text: str) -> list[Any]:
    """The label in JSON: a value, the only field of an object, or the field that is called like one."""
    bare = text.strip().removeprefix("```json").strip("`").strip()
    if bare[:1] in {"{", "[", '"'} and (whole := _load_json(bare)):
        return _labels_in(whole[0])
    if "{" not in text:
        return []
    return [piece for match in _OBJECT.finditer(text) for value in _load_json(match[0]) for piece in _labels_in(value)]


def _load_json(text: str) -> list[Any]:
    """The value of a text of JSON, or nothing."""
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        return []


def _labels_in(value: Any) -> list[Any]:
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else None
    if isinstance(value, dict):
        fields = list(value.values()) if len(value) == 1 else _answering(value)
        return [one for one in fields if isinstance(one, (str, int, float))]
    return [value] if isinstance(value, (str, int, float)) else []


def _answering(value: dict[str, Any]) -> list[Any]:
    """The fields of an object that hold the answer by their names; a final answer only where there is no other."""
    named = [one for name, one in value.items() if name.lower() in _FIELDS]
    return named or [one for name, one in value.items() if _BEFORE.sub("", name, 1).lower() in _FIELDS]


_KNOWN: dict[str, Callable[[str], list[Any]]] = {
    "json": _json,
    "answer is": _said,
    "first line": lambda text: _lines(text)[:1],
    "last line": lambda text: _lines(text)[-1:],
}


def extractor(one: Any) -> Extractor:
    """Return what `extract` names: a known way, a pattern or a function."""
    if isinstance(one, re.Pattern):
        return "pattern", lambda text: [match[1 if one.groups else 0] for match in one.finditer(text)]
    if isinstance(one, str) and one in _KNOWN:
        return one, _KNOWN[one]
    if callable(one):
        name = getattr(one, "__name__", "function").strip("<>")
        return name, lambda text: _list_pieces(one(text), name)
    msg = Message(
        "{extract} takes {}, a compiled pattern (its first group) or a function from an answer to the text "
        "that may be a label, or a list of them, not {}",
        some(_KNOWN),
        told(one),
    )
    raise InputError(msg)


def _list_pieces(result: Any, name: str) -> list[Any]:
    """Turn the result of a user's function into pieces; a dict, or a list in a list, cannot be a label."""
    parts = [] if result is None else list(result) if isinstance(result, (list, tuple)) else [result]
    for piece in parts:
        if not isinstance(piece, Hashable):
            msg = Message(
                "the function {!r} of {extract} gave {}, a {}, which is no label; it gives the text that may be one, "
                "a list of such texts, or None",
                name,
                some([piece]),
                type(piece).__name__,
            )
            raise InputError(msg)
    return parts


def pieces(extractor: Extractor, text: str) -> list[Any]:
    """The pieces that one way finds in an answer, each once and none empty."""
    way = extractor[1]
    parts = way(text[:MAX_NAME_CHARACTERS] if way is _json else text)
    return [one for one in dict.fromkeys(parts[:_MAX_PIECES]) if one is not None and one != ""]


def listed_phrases(phrases: Any, option: str) -> tuple[Any, ...]:
    """One phrase or several, checked."""
    if isinstance(phrases, (str, bytes, re.Pattern)) or not isinstance(phrases, Iterable):
        phrases = [phrases]
    phrases = tuple(one if isinstance(one, re.Pattern) else plain(one) for one in phrases)
    for one in phrases:
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
    return phrases


class Phrases:
    """The phrases of one outside label: whole phrases, beginnings (they end in a star) and patterns.

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
                starts.append(_split_opening(spelling.plain(one.rstrip("*"))))
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
        plain = said.forms[0][1] if said.forms else self._spelling.plain(said.text[:MAX_NAME_CHARACTERS])
        opening, words = _split_opening(plain)
        return words.startswith(self._words) and any(
            words.startswith(begin) and opening.endswith(before) for before, begin in self._starts
        )


def _split_opening(text: str) -> tuple[str, str]:
    """Split a text into its opening, such as quotes and brackets, and the rest."""
    words = text.lstrip(_OPENING_CHARACTERS)
    return text[: len(text) - len(words)], words
