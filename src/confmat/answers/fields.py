"""Fields: the label of an answer in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from confmat.answers.claims import Claim, either, word_set
from confmat.answers.sentences import ABROAD, LATEST, NAMES, QUALIFIERS, kind_alone
from confmat.answers.spelling import MAX_NAME_CHARACTERS

_MEASURES = word_set("rating score")
_NAMING = NAMES | QUALIFIERS
# Fields whose only value is about something else than the answer, and those whose value may be a
# letter.
_ELSEWHERE = re.compile(
    either("""
    wrong|correct|false|^not|^non|eliminat|exclu|reject|discard|ruled|except|question|possib|human|teacher
    |expert|prompt|query|input|instruct|difficult|confiden|certain|probab|explan|reason|rational|thought|think
    |analys|^steps?$|^why$|comment|justif|evidence|example|^hint|distract|altern|second|runner|^other
    |option|choices|candidate|previous|^old$|first|initial|draft|former|actual|^true$|truth|gold|expect|target
    |referen|^user|student|^trap|^role$|^type$|format|schema|source|section|^error|mistake|unlikely|least|worst
    |^bad$|^id$|^index$|number|^text$|^content$|oppos|invers|^if$|forced|^would$|^title$|^review$
    |^statement$|^claim$|^sentence$|^tweet$|^message$|^document$""")
)
_LETTERED = re.compile("|".join([*_NAMING, *ABROAD, "q|key|pick|value|selection", r"\d+"]))
# A lone letter, which may have a text after it.
_LETTER = re.compile(r"\W*[^\W\d_](?!\w)")
# Fields that judge the answer beside them, and what says there that it is wrong.
_JUDGING = word_set(
    "correct right valid true accurate verdict result judgment judgement status grade evaluation accepted"
)
_WRONG = word_set("wrong incorrect false no invalid rejected retracted withdrawn")
# Words of a field's name, as in finalAnswer and "Predicted label".
_NAME_WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+")


def objects(text: str) -> Iterator[tuple[int, Claim]]:
    """The outermost objects of JSON in a text: where each ends, and the claim that it makes.

    Reads '{"answer": "B", "why": "..."}' and '{"label": 1}'; not '{"wrong_answer": "B"}' or
    '{"grade": "A"}'.
    """
    text, end = text[:MAX_NAME_CHARACTERS], 0
    while (begin := text.find("{", end)) >= 0:
        end = begin + 1
        try:
            value, end = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        yield end, Claim(begin, kind_alone(text, begin), tuple(_labels_in(value)))


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of an object; none where a name comes twice."""
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else {}


_DECODER = json.JSONDecoder(object_pairs_hook=_fields)


def _labels_in(value: Any, *, alone: bool = True) -> list[Any]:
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else None
    if isinstance(value, dict):
        return [
            piece for field in _answering(value, alone) for piece in _labels_in(field, alone=False)
        ]
    return [value] if isinstance(value, (str, int, float)) else []


def _answering(value: dict[str, Any], alone: bool) -> list[Any]:
    """The fields of an object that hold the answer by their names, a final one before others; or the only field.

    Where another field says that the answer is wrong, none does.
    """
    words = {name: _words(name) for name in value}
    best, rank = _foremost(words)
    if not best:
        only = value.items() if alone and len(value) == 1 else ()
        return [field for name, field in only if _fits(words[name], field)]
    judged = [name for name in value if name not in best or len(best) > 1]
    if any(_rejects(words[name], value[name], draft=rank > 0) for name in judged):
        return []
    return [value[name] for name in [*best, *_beside(words, best)]]


def _words(name: str) -> set[str]:
    return {word.lower() for word in _NAME_WORDS.findall(name)}


def _foremost(words: dict[str, set[str]]) -> tuple[list[str], int]:
    """The fields that have the name of an answer, a final one before others, and their rank."""
    ranks: dict[int, list[str]] = {}
    for name, own in words.items():
        if own & NAMES and own <= _NAMING:
            ranks.setdefault(_rank(own), []).append(name)
    least = min(ranks, default=0)
    return ranks.get(least, []), least


def _beside(words: dict[str, set[str]], best: list[str]) -> list[str]:
    """All fields of answers where one is called correct: the model's own may differ from it."""
    if not any("correct" in name.lower() for name in best):
        return []
    return [name for name, own in words.items() if own & NAMES and not _is_elsewhere(own)]


def _rank(words: set[str]) -> int:
    """A final answer comes before a predicted one, an answer before a score."""
    return 0 if words & LATEST else 3 if words & _MEASURES else 2 if "predicted" in words else 1


def _is_elsewhere(words: set[str]) -> bool:
    """Whether a field is about something else than the answer: "wrong_answer", "question"."""
    return any(map(_ELSEWHERE.search, words))


def _fits(words: set[str], field: Any) -> bool:
    """Whether the only field may be the answer; a lone letter means grades and groups as well."""
    is_letter = isinstance(field, str) and _LETTER.match(field)
    return all(map(_LETTERED.fullmatch, words)) if is_letter else not _is_elsewhere(words)


def _rejects(words: set[str], field: Any, *, draft: bool) -> bool:
    """Whether a field says that the answer beside it is wrong: "correct": false, "wrong": true, "is_final": false."""
    verdict = str(field).lower()
    judges = bool(words & _JUDGING) or (draft and words in ({"final"}, {"is", "final"}))
    return (judges and verdict in _WRONG) or (bool(words & _WRONG) and verdict in {"true", "yes"})
