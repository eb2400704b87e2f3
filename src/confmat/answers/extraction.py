r"""Ways to find the label in an answer, rule by rule: a line, a field of JSON, words such as "the answer is".

Each rule finds claims (`claims.py`); the sentence around says how they are meant (`sentences.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from operator import itemgetter
from typing import Any

from confmat.answers.claims import (
    CERTAIN,
    DENIED,
    HINTED,
    STATED,
    Claim,
    bared,
    clauses,
    either,
    parts,
    pattern,
    without_reason,
)
from confmat.answers.fields import objects
from confmat.answers.sentences import (
    ABROAD,
    NAMES,
    QUALIFIERS,
    WORDS,
    hedges,
    kind_alone,
    kind_at,
    second_thoughts,
)
from confmat.core.errors import InputError, Message
from confmat.core.options import told
from confmat.core.text import some

# More parts than this are no answer but a document.
MAX_CLAIMS = 1_000
# A way to find claims: its name, what it finds, in their order, and whether it sees reasoning
# between tags.
Extractor = tuple[str, Callable[[str], Iterable[Claim]], bool]
# The pieces of a claim, and those after it.
Pieces = tuple[tuple[str, ...], tuple[str, ...]]
# By place; a doubt comes before the label that is named with it.
_order = itemgetter(0, 1)

# ---- the model's own words -----------------------------------------------------------------------
# Reasoning between tags, closed or not, and one that was opened in the prompt.
_THOUGHT = re.compile(
    r"\A(?:(?!<think).)*</think(?:ing)?>|<(think(?:ing)?|thoughts?|reasoning|scratchpad|reflection|analysis)>.*?(?:</\1>|\Z)"
    r"|\[think\].*?(?:\[/think\]|\Z)|◁think▷.*?(?:◁/think▷|\Z)",
    re.IGNORECASE | re.DOTALL,
)
# The end of a reply: a token of the model, or a next question that the model makes up.
_OVER = pattern(
    r"(?<=\S)\s*<(?:\|(?:im_end|eot_id|end|endoftext|end_of_text)\||/s|eos|eos_token|end_of_turn|\|end_of_turn_token\|)>"
)
_NEXT = pattern(
    r"(?<=\S)[^\S\n]*\n\s*(?:(?:question|problem|exercise|q)(?:\s*\d+)?\s*[:.]\s"
    r"|(?=[^\n]{0,60}\b(?:all|these|those|above)\s+(?:the\s+)?(?:(?:above|previous)\s+)?(?:answers|questions)\b)|[^\n]{0,20}总结)"
)


def own_words(text: str) -> str:
    r"""Leave out reasoning between tags such as <think>, and another question that the model asked itself.

    Leaves "B" of "B<|im_end|>" and of "B\n\nQuestion: What is 2 + 2?\nAnswer: C"; all of "I
    repeat.\n\nQuestion: ...". An answer that is still within its reasoning says nothing yet.
    """
    if "<" in text or "[" in text or "◁" in text:
        text = _THOUGHT.sub("", text)
    end = _OVER.search(text)
    text = text if end is None else text[: end.start()]
    following = _NEXT.search(text)
    if following is None:
        return text
    head = text[: following.start()]
    return head if any((*_lead(head), *_in_words(head), *_named(head.lower()))) else text


# A line about one option: "- **A) Paris:** This is wrong."
_OF_OPTION = pattern(r"(?m)^[ \t*_>-]*(?:option\s+|choice\s+)?[(\[]?([A-Z])[*_]*[)\].:][^\n]*")


def _about(claims: list[Claim], text: str) -> str:
    """Blank the lines about options that are not claimed: what is wrong with A takes nothing back of B."""
    claimed = {piece for claim in claims for piece in claim.pieces}
    return _OF_OPTION.sub(lambda line: line[0] if line[1] in claimed else " " * len(line[0]), text)


# ---- lines ---------------------------------------------------------------------------------------
# A line, without the fences of code.
_LINE = re.compile(r"(?:(?<=[\n\r])|\A)(?![^\S\n\r]*```)[^\n\r]*\S[^\n\r]*")
# A line of its own, which may be another label.
_LONE = re.compile(r"\n[^\S\n]*(\S[^\n]{0,60})(?=\n|\Z)")
# The end of a line whose sentence goes on in the next one.
_LED = pattern(r"(\b(?:is|was|it|an?|the|with|of|option|consider|check|try)|(?=:)):?[\s*_]*\Z")


def _lines(text: str, chosen: int) -> list[Claim]:
    r"""The first or the last line; the others contradict it where they are labels, or take it back.

    Reads the last line of "Oslo is in Norway.\nB"; not that of "First consider\nB".
    """
    lines = list(_LINE.finditer(text))
    if len(lines) < 2:
        return [Claim(0, STATED, (line[0],)) for line in lines]
    line = lines[chosen]
    led = _LED.search(text, max(0, line.start() - 100), line.start())
    claims = [
        Claim(
            line.start(), STATED if led is None else kind_at(text, led.end(1)) or HINTED, (line[0],)
        )
    ]
    claims += [
        Claim(found.start(), HINTED, (found[0],))
        for found in lines[-20:]
        if found is not line and len(found[0]) <= 60
    ]
    return sorted([*claims, *second_thoughts(text, line.end())], key=_order)


# ---- JSON ----------------------------------------------------------------------------------------


# Probabilities of more than one option.
_CHANCES = re.compile(r"[:=(]\s*\d.*[:=(]\s*\d", re.DOTALL)


def _objects(text: str) -> Iterator[tuple[int, Claim]]:
    """The objects of JSON, each with its end; of a value such as "B) Rome" its first word too.

    "Positive: 0.2, negative: 0.8" is none.
    """
    for end, claim in objects(text):
        pieces, after = [*claim.pieces], list[str]()
        for piece in claim.pieces:
            is_text = isinstance(piece, str) and not _CHANCES.search(piece)
            found = _lead(piece) if is_text else []
            # More claims than one are doubts.
            if len(found) == 1:
                pieces += found[0].pieces
                after += found[0].after
        yield end, claim._replace(pieces=tuple(pieces), after=tuple(after))


def _json(text: str) -> list[Claim]:
    """The label in JSON: the only field of an object, or the field that is called like one."""
    found = list(_objects(text))
    return (
        sorted(
            [*(claim for _, claim in found), *second_thoughts(text, found[-1][0] - 1)], key=_order
        )
        if found
        else []
    )


# ---- the first word ------------------------------------------------------------------------------
# The text before the first word: marks, a greeting, and words that only call it an option.
_GREETED = pattern(
    r"\A[\s*_\"'`]*(?:[#>-]+\s+)?[*_\"'`]*(?:(?:"
    + either(
        "sure|sure thing|certainly|of course|okay|ok|well|hmm?|unfortunately|in short|so|great "
        "question"
        "|clearly|definitely|thus|hence|therefore|not really"
        r"|based on [^,.\n]{1,40}"
    )
    + r")[,!.:]+[\s*_]+)?(?:(?:option|choice|answer|choose|select|pick)\s+(?=[(*_]*[A-Z]\b))?[*_\"'`]*"
)
# A letter and the sign that makes it a choice.
_SIGNED = re.compile(r"[(\[]?([^\W\d_])[*_]*[)\].:](?=[\s*_]|$)[\s*_]*")
# "A. B. Smith", "A. Smith wrote it", "C. elegans", "C. elegans is one", "I. Introduction", "I. ...
# II.", "I, too"; an object of JSON, and an option without a tick.
_INITIALS = re.compile(
    r"[A-Z]\. (?:[A-Z]\.|[A-Z]\w+ "
    r"(?:wrote|writes|sang|says|said|argue[sd]|claim(?:s|ed)|found|showed)\b"
    r"|[a-z]+ (?:is|are|was|were|has|have|can|causes?)\b|Introduction\b|[a-z]+(?!\s?[\w'-]))"
    r"|[${]|[\[(][ _]*[\])]|I\.(?s:.*)\n\W{0,9}II\.|I\s*[,:=–—-](?!\s*(?:because|since)\b)"
)
_MAX_SHORT_CHARACTERS, _MAX_CHARACTERS = 60, 200
_LAST_PARAGRAPH = re.compile(r"[.!)\]}]\s*\n\s*\n[^\n]{1,20}\Z")
_FIRST_SENTENCE = re.compile(r"(?<!\b\w\.)(?<=[!.])\s(?!\d)|\n")
_ONE_WORD = re.compile(r"\W*\w+[\s*_\"'`)\].!]*")
# Beginnings that are no answer: "Yes, I understand the task."
_ASIDE = pattern(
    r"[^,.!;:]{1,6}[,.!;:…\s]+"
    + either("""
    but|as in|too|i (?:can|could|cannot|understand|will|am|know|see|mean|do not know|don't know)|i'm|i'll
    |let me|let's|what|who|which|where|when|how""")
    + r"\b(?!\s+sure\b)"
)
# A letter that the answer lists, with another one after it.
_LISTED = re.compile(r"(?:\n[ \t*_-]*|[,;.!]\s+)[(\[]?([^\W\d_])[*_]*([)\].:])")
# "Yes it is", "No, that is not correct": the same said twice.
_ECHO = pattern(
    r"\A(\W*(?:yes|no))\b\W*\s(?:it|they|he|she|that|this|there|these|those)(?:['’]s|\s+"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)(?:n['’]t)?)(?:\s+not)?\b"
    r"(?:\s+(?:true|correct|right|the\s+case)\b)?(?:(?<!t)\s+(?:incorrect|wrong|false)\b)?"
)


def _first_word(text: str) -> list[Claim]:
    r"""A letter, yes or no with which an answer begins, or that is its last paragraph.

    Reads "B) Rome", "B, because ...", "Yes, it does.", "Rome is in Italy.\n\n**B**"; not "A cat
    ...", "A. B. Smith", "No idea", "A) Paris\nB) Rome".
    """
    claims = _lead(text)
    if _LAST_PARAGRAPH.search(text.rstrip()[-60:]):
        claims += _lines(text, -1)
    return sorted(claims, key=_order)


def _lead(text: str) -> list[Claim]:
    """The claim of the first word, and what may contradict it."""
    begin = _GREETED.match(text).end()  # type: ignore[union-attr]
    rest = _ECHO.sub(r"\1,", text[begin:])
    words = _FIRST_SENTENCE.split(rest[:_MAX_CHARACTERS], maxsplit=1)[0]
    if _INITIALS.match(rest) or _ASIDE.match(rest):
        return []
    found = _sign(words, rest) if _SIGNED.match(words) else _word(words)
    if not any(found):
        return []
    lone = (Claim(begin + 1, HINTED, (match[1],)) for match in _LONE.finditer(rest))
    claim = Claim(begin, STATED, *found)
    return [claim, *hedges(words, begin), *second_thoughts(_about([claim], rest), 0), *lone]


def _sign(words: str, rest: str) -> Pieces:
    """The letter of "B) Rome" and of "B. Rome", with its text; none of "A) Paris, B) Rome" and of an essay in parts."""
    signed = _SIGNED.match(words)
    if signed is None or (signed[1].islower() and len(rest) > _MAX_SHORT_CHARACTERS):
        return (), ()
    listed = _LISTED.search(rest, signed.end())
    if listed is not None and ord(listed[1]) == ord(signed[1]) + 1 and listed[2] in signed[0]:
        return (), ()
    claim = without_reason(words[signed.end() :])
    return (words, signed[1], *clauses(claim)[0]), parts(claim)


def _word(words: str) -> Pieces:
    """The word of "Yes, it does" and of "B because ..."; none of "No idea"."""
    found, after = clauses(without_reason(words))
    return (found, after) if _ONE_WORD.fullmatch(found[1]) else ((), ())


# ---- words that lead to an answer ----------------------------------------------------------------
# They are looked for in lower case, and begin with a letter, so that the search skips to it. The
# text after a phrase may hold another one, so a lookahead captures it.
_OPENED = r"[\s:：*_\"'`]*(?=([^\n]{1,200}))"
_FINAL = r"(?:\s+(?:correct[ae]?|corret+a|giusta|certa|finale?|here)\b)?"
_TOLD = "review|statement|claim|sentence|comment|tweet|message|post|email|e-mail"
_OF_WHAT = (
    r"(?:(?:\s+expressed)?\s+(?:to|for|of|in)(?:\s+(?:the|this|that|your|given|above|following"
    rf"|question|problem|quiz|text|passage|article|{_TOLD}|\d+))+\b)?"
)
_IS = (
    r"\b(?:is|(?:would|must|should|has\s+to)\s+be|ist|lautet|es|est|è|é|er|är|jest|(?<=vastaus\s)on|adalah)\b"
    r"(?:\s+(?:classified|labell?ed|rated|categori[sz]ed)\s+as\b)?"
)
_SIGN = r"[:：]|=(?!\s*[\"'])|[=-]+>|[→⇒➡👉]\ufe0f?|(?<=ź\s)to\b|[—–-]+\s+(?=\(?\w\)?\s*$)|это\b"
_NAMED = re.compile(
    rf"(?:(?:{'|'.join(sorted(NAMES | ABROAD))})(?![^\W_])|(?:{_TOLD})\b(?=\s+(?:is|would\s+be)\b))"
    rf"{_FINAL}{_OF_WHAT}[ \t\r*_\"'`#]*(?:{_IS}|{_SIGN}|(?P<heading>(?<!\s)\n)){_OPENED}"
)
# A choice in the first person: "I would choose B", "I'd say yes", "I classify it as spam"; not "I
# like B", "I consider B".
_CHOSEN = re.compile(
    r"i(?<!\wi)(?:['’](?:d|ll|m)|\s+(?:would|will|am))?\s+"
    r"(?:(?:choose|pick|select|go(?:ing)?\s+(?:with|for)|answer|opt\s+for|take|(?<=d\s)say)\b"
    r"|(?:rate|score|give|grade|classify|categori[sz]e|label|consider(?=\s+(?:it|this|that|the)\b)|call)"
    r"(?:\s+(?:it|(?:this|that|the)(?:\s+[a-z]{4,}(?=\s+(?:as|to\s+be)\b))?))?(?:\s+(?:as|an?|with|to\s+be))*\b)"
    + _OPENED
)
# The same in scripts without spaces: "答案是B", "정답은 B"; not "答案很难".
_SAID_ABROAD = re.compile(
    rf"(?:(?:答案|[回解]答|答え|正解|정답)\s*(?:[应應][该該])?[是为為选選は는은:：=]|故[选選]){_OPENED}"
)


def _named(low: str) -> Iterator[re.Match[str]]:
    r"""Words that call the answer something.

    Reads "The answer is B", "Label: B", "## Final Answer\nB", "Antwort: B"; not "multianswer: B",
    "Some answer\nB".
    """
    for found in _NAMED.finditer(low):
        before = low[max(0, found.start() - 10) : found.start()]
        if before.rstrip("_")[-1:].isalnum() and not before.endswith(("final_", "predicted_")):
            continue
        line = low[low.rfind("\n", 0, found.start()) + 1 : found.start()]
        if found["heading"] is None or QUALIFIERS.issuperset(WORDS.findall(line)):
            yield found


# An initial, as in "the answer is C. elegans"; after a colon it is the sign of a choice.
_INITIAL = re.compile(r"[A-Z]\. [a-z]+(?!\s?[\w'-])")
_DENIED_LABEL = pattern(
    r"not\s+((?!only|just|merely)[^.,;:\n]{1,60}?,?\s+but\s+(?:rather\s+|instead\s+)?)?"
)
# A second choice right below the first: "The answers are:\nA. Rome\nC. Oslo".
_SECOND_CHOICE = re.compile(r"\n[ \t*_-]*[(\[]?([A-Z])[.)]\s")
# The first words of an answer, before a mark: "No, I would say the answer is yes."; or its first line.
_FIRST_WORDS = re.compile(r"\W*([^.,;:!—–\n]{1,60}?)\s?(?:[.,;:!—–\n][^.,;:!—–\n]*\Z|[.!*_]*\n)")


def _after_words(text: str, low: str, found: re.Match[str]) -> Iterator[Claim]:
    """The claims of the text after words that lead to an answer: to the end of the line and of the clause.

    Reads B of "B, because ...", of "not A but B"; doubts "B, if it rains"; and what the whole
    answer begins with may contradict it.
    """
    kind = kind_at(text, found.start())
    at, until = found.span(found.re.groups)
    words = text[at - (text[at - 1] == "'") : until]
    if kind is None or (_INITIAL.match(words) and low[at - 2].isalpha()):
        return
    claim = bared(words)
    if denied := _DENIED_LABEL.match(claim):
        claim, other = (claim[denied.end() :], "") if denied[1] else (claim, claim[denied.end() :])
        yield Claim(at, DENIED, clauses(other)[0])
    pieces, after = clauses(without_reason(claim))
    yield Claim(at, kind, (words, *pieces), after)
    yield from hedges(words, at)
    first = _FIRST_WORDS.match(low, 0, found.start())
    if first is not None:
        yield Claim(at, HINTED, (first[1],))
    if (second := _SECOND_CHOICE.match(text, until)) is not None:
        yield Claim(until, HINTED, (second[1],))


# ---- answers that are marked ---------------------------------------------------------------------
# "<answer>B</answer>", "<final_answer>B</final_answer>"; not "<why>B</why>".
_TAGGED = pattern(
    rf"<((?:(?:final|predicted)_)?(?:{'|'.join(sorted(NAMES, key=len, reverse=True))}))>\s*([^<>]{{1,200}})</\1>"
)
# "\boxed{B}", "\fbox{\text{B}}"; not an empty box.
_BOXED = re.compile(r"\\f?box(?:ed)?\s*\{((?:[^{}]|\{[^{}]*\}){1,200})\}")
_PRAISED = re.compile(
    r"is(?<=[\s*_\"'`]is)\s+(?:the\s+)?(?:answer|(?:correct|right|best)(?:\s+(?:answer|option|choice|one|label))?)\b"
    r"[\s*_]*(?:[.!\n]|$|because\b|since\b)"
)
# The text before praise, back to a mark.
_MARKED_OFF = re.compile(r"[^.,;:?!\n]{0,60}\Z")


def _marked(text: str, *patterns: tuple[re.Pattern[str], str]) -> Iterator[Claim]:
    r"""Answers that a pattern marks off without a phrase: "<answer>B</answer>", "\boxed{B}"; not "<option>B" alone."""
    for marked, where in patterns:
        for found in marked.finditer(where):
            yield Claim(
                found.start(),
                kind_alone(text, found.start()),
                *clauses(bared(found[found.re.groups])),
            )


def _praised(text: str, low: str) -> Iterator[Claim]:
    """Labels that are called correct: "(B) is the right answer."; not "B is correct in part"."""
    for found in _PRAISED.finditer(low):
        before = _MARKED_OFF.search(text, max(0, found.start() - 61), found.start())
        if before is not None and kind_at(text, before.start()) is STATED:
            yield Claim(before.start(), STATED, (bared(before[0].lstrip()),))


# ---- answers without other words --------------------------------------------------------------
# A number that ends a sentence, as a sum or a total does: "28 + 32 = 60."; not "x = 60 at first".
_TOTAL = pattern(
    r"(?:(?<![<>!=~])=|\b(?:equals|makes|gives|leaves|totals|there\s+(?:is|are)|it\s+is"
    r"|(?:total|sum|result|value|number)(?:\s+\w+){0,4}\s+(?:is|are)))\s*[$€£*]*(-?\d[\d.,]*?%?)(?=\**\s*(?:[.!]?\s*(?:\n|$)|[.!]\s))"
)
# A whole answer such as "It's B." or "I think yes."; not "It's B, I guess."
_BARE = pattern(
    r"\A[\s*_\"'`]*(?:i\s+(?:think|believe)\s+)?(?:i\s+(?:think|believe)|(?:it|that|this)(?:['’]s|\s+is|\s+(?:must|would|has\s+to)\s+be)|must\s+be|option|choice|"
    rf"{CERTAIN})\s+([^.,;:!?\n]{{1,60}})[.!*_\"'`\s]*\Z"
)

# ---- all of them ---------------------------------------------------------------------------------


def _in_words(text: str) -> list[Claim]:
    """Find claims in words: "the answer is", "label:", tags and boxes of that name, "B is correct".

    Sentences that deny a claim, doubt it, or report it of others are none, and what follows may
    take it back.
    """
    claims = []
    for end, claim in list(_objects(text)):
        claims.append(claim)
        text = f"{text[: claim.at]}{' ' * (end - claim.at)}{text[end:]}"
    low = text.lower()
    if len(low) != len(text):
        low = text
    for found in (*_named(low), *_CHOSEN.finditer(low), *_SAID_ABROAD.finditer(low)):
        claims += _after_words(text, low, found)
    claims += [*_marked(text, (_TAGGED, text), (_BOXED, text)), *_praised(text, low)]
    claims = claims or list(_marked(text, (_TOTAL, low), (_BARE, text)))
    begin = min((claim.at for claim in claims if claim.kind is STATED), default=None)
    if begin is not None:
        claims += second_thoughts(_about(claims, text), begin)
        claims += [
            Claim(match.start(), HINTED, (match[1],)) for match in _LONE.finditer(text, begin)
        ]
        claims.sort(key=_order)
    return claims


FIRST_WORD = "first word"
_KNOWN: dict[str, Callable[[str], list[Claim]]] = {
    "json": _json,
    "answer is": _in_words,
    FIRST_WORD: _first_word,
    "first line": lambda text: _lines(text, 0),
    "last line": lambda text: _lines(text, -1),
}


def extractor(rule: Any) -> Extractor:
    """Return what `extract` names: a known way, a pattern or a function."""
    if isinstance(rule, str) and rule in _KNOWN:
        return rule, _KNOWN[rule], False
    find: Callable[[str], Iterable[Any]]
    if isinstance(rule, re.Pattern):
        name, find = (
            "pattern",
            lambda text: (match[min(rule.groups, 1)] for match in rule.finditer(text)),
        )
    elif callable(rule):
        name = getattr(rule, "__name__", "function").strip("<>")
        find = lambda text: _list_pieces(rule(text), name)  # noqa: E731
    else:
        text = (
            "{extract} takes {}, a compiled pattern (its first group) or a function from an answer to the text "
            "that may be a label, or a list of them, not {}"
        )
        raise InputError(Message(text, some(_KNOWN), told(rule)))
    return (
        name,
        lambda text: (Claim(at, STATED, (piece,)) for at, piece in enumerate(find(text))),
        True,
    )


def _list_pieces(result: Any, name: str) -> list[Any]:
    """Turn the result of a user's function into pieces; a dict, or a list in a list, cannot be a label."""
    pieces = (
        [] if result is None else list(result) if isinstance(result, (list, tuple)) else [result]
    )
    for piece in pieces:
        if not isinstance(piece, Hashable):
            text = (
                "the function {!r} of {extract} gave {}, a {}, which is no label; it gives the text that may be "
                "one, a list of such texts, or None"
            )
            raise InputError(Message(text, name, some([piece]), type(piece).__name__))
    return pieces
