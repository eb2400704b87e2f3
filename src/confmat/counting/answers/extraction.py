"""Parts of an answer that may hold the label, such as the last line or a field of JSON, and phrases of refusal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, NamedTuple

from confmat.core.errors import Argument, InputError, Message
from confmat.core.naming import plain
from confmat.core.options import told
from confmat.core.text import some
from confmat.counting.answers.spelling import MAX_NAME_CHARACTERS, Said, Spelling

# How a claim is meant: said in so many words; said only by the way, so that it may contradict but not answer; denied,
# or reported of somebody else; and a doubt about whatever was claimed before.
STATED, HINTED, DENIED, DOUBTED = range(4)


class Clause(NamedTuple):
    """A piece that may be a label only where none of those after it is another one."""

    text: str
    after: tuple[str, ...]


class Claim(NamedTuple):
    """Pieces of an answer that stand for one label, where they stand, and how they are meant."""

    at: int
    kind: int
    pieces: tuple[Any, ...]


class Extractor(NamedTuple):
    """A way to find claims: its name, what it finds, in their order, and whether it sees reasoning between tags."""

    name: str
    find: Callable[[str], Iterable[Claim]]
    sees_all: bool


# ---- words -------------------------------------------------------------------------------------------------
# Names of an answer, alone or after the words that leave the name what it is: final_answer, "Predicted label".
_NAMES = (
    "answer ans label class category prediction choice verdict result classification decision conclusion sentiment "
    "rating score judgment judgement"
)
_NOUNS = frozenset(_NAMES.split())
_MEASURES = frozenset({"rating", "score"})
_ABROAD = (
    "antwort lösung respuesta réponse risposta resposta ответ antwoord svar svaret odpowiedź odpověď cevap vastaus "
    "jawaban"
)
_CHOSEN_BY = "final predicted my the correct right best selected chosen overall most likely"
_QUALIFIERS = frozenset(_CHOSEN_BY.split())
# Words that may stand between the beginning of a clause and such a name; any other word gives it another meaning.
_LED_BY = (
    "a an our this that so thus hence therefore then now finally i i'd i'm i'll we we'd we're am are it would will can "
    "say think believe conclude confident sure certain quite pretty fairly know see find get true appropriate accurate "
    "proper exact suitable single only in short summary sum to for here there as based on above given all information "
    "passage text reasoning analysis evidence context question follows must clearly revised corrected updated new "
    # German, Spanish, French, Italian, Portuguese, Russian, Dutch, Chinese.
    "die das richtige korrekte meine endgültige also daher somit folglich la el mi correcta por tanto lo así "
    "bonne ma donc o minha correta portanto mia giusta corretta quindi правильный мой итак het juiste mijn dus "
    "所以 因此 最终 最終 正确 正確 正确的 正確的 故 本题 本題"
)
_LEADS = _QUALIFIERS | frozenset(_LED_BY.split())
_SIGNED = r"[ \t\r*_\"'`#]*"
_OPENED = r"[\s:：*_\"'`]*(?=([^\n]{1,200}))"
# Phrases are looked for in lower case, and begin with a letter, so that the search skips to it. The text after the
# phrase may hold another such phrase, so a lookahead captures it.
_SAID = re.compile(
    rf"(?:(?:{'|'.join(sorted(_NOUNS))}|{'|'.join(_ABROAD.split())})\b"
    r"|(?:correct|right|best|chosen|selected|final)\s+(?:option|response|letter)\b)"
    r"(?:\s+(?:correct[ae]?|corret+a|giusta|certa|finale?)\b)?"
    r"(?:\s+(?:to|for|of)(?:\s+(?:the|this|that|your|above|question|problem|quiz|\d+))+\b)?"
    rf"{_SIGNED}(?:\b(?:is|ist|lautet|es|est|è|é|er|är|jest|on|adalah)\b|[:：]|=(?!\s*[\"'])|[—–-]+\s+(?=\(?\w\)?\s*$)|это\b"
    # A heading of its own, as in "## Final Answer".
    r"|(?P<heading>(?<!\s)\n))"
    rf"{_OPENED}"
)
_CHOSEN = re.compile(
    r"i(?<!\wi)(?:['’](?:d|ll)|\s+would|\s+will)?\s+(?:(?:choose|pick|select|go\s+(?:with|for)|answer|opt\s+for|take)\b"
    rf"|(?:rate|score|give|grade)(?:\s+(?:it|this|that))?(?:\s+(?:as|an?|with))?\b){_OPENED}"
)
_ABROAD_SAID = re.compile(rf"(?:答案|答え|回答|解答|정답)\s*(?:应该|應該)?(?:是|为|為|は|는|은|[:：=]){_OPENED}")
# The same between tags, as in <answer>B</answer>.
_TAGGED = re.compile(
    rf"<((?:(?:final|predicted)_)?(?:{'|'.join(sorted(_NOUNS))}))>\s*([^<>]{{1,200}})</\1>", re.IGNORECASE
)
_BOXED = re.compile(r"\\f?box(?:ed)?\s*\{((?:[^{}]|\{[^{}]*\}){1,200})\}")
# "B is correct.", "(B) is the right answer", with nothing after it; and the text before it, back to a mark.
_PRAISED = re.compile(
    r"is(?<=[\s*_\"'`]is)\s+(?:the\s+)?(?:answer|(?:correct|right|best)(?:\s+(?:answer|option|choice|one|label))?)\b"
    r"[\s*_]*(?:[.!\n]|$)"
)
_MARKED_OFF = re.compile(r"[^.,;:?!\n]{0,60}\Z")
# A number that ends a sentence, as a sum or a total does.
_TOTAL = re.compile(
    r"(?:(?<![<>!=~])=|\b(?:equals|makes|gives|leaves|totals|there\s+(?:is|are)|it\s+is"
    r"|(?:total|sum|result|value|number)(?:\s+\w+){0,4}\s+(?:is|are)))\s*[$€£*]*(-?\d[\d.,]*?)(?=[*%]*\s*(?:[.!]?\s*(?:\n|$)|[.!]\s))",
    re.IGNORECASE,
)
# A later word that takes a claim back, at the beginning of a clause.
_RETRACTED = re.compile(
    r"(?:[\n.!?,;:。！？，—–(]|\s-|\bbut)[\s*_\"'`(]*(?:and\s+|but\s+|no\s+|oh\s+|well\s+)?"
    r"(?:wait|actually|hm+|oops|sorry|apologies|correction|correcting|nope|edit|scratch\s+that|strike\s+that|never\s*mind"
    r"|my\s+(?:mistake|bad|apologies|error)|let\s+me\s+(?:re\w+|correct|fix|double|check|think|try)|or\s+rather"
    r"|on\s+(?:second|further|closer|reflection|re\w+)\b|(?:up)?on\s+(?:further|re\w+)|(?:just\s+|only\s+)?(?:kidding|joking)"
    r"|i\s+(?:disagree|made\s+an?|mis\w+|was\s+wrong|meant|mean|take\s+(?:it|that)|change|retract|stand\s+corrected|apologi[sz]e"
    r"|am\s+not\s+sure|do\s*n[o'’]t\s+know)|i['’]m\s+not\s+(?:\w+\s+)?(?:sure|certain)|not\s+(?:sure|quite)"
    r"|(?:that|this|it|which)(?:['’]s|\s+is|\s+was)\s+(?:wrong|incorrect|false|not\s+(?:right|correct|it|true)|an?\s+(?:mistake|trap|joke|error|misprint))"
    r"|(?:that|this|it)\s+(?:is|was)n['’]t|no(?=\s*[,.!:;—–…-])|wrong(?=\s*[.!,:])|(?:right|correct)\?|instead(?=\s*[,:])|rather(?=\s*,)"
    r"|warte|moment|nein(?=\s*,)|doch\s+nicht|espera|perd[oó]n|attends?|pardon|non(?=\s*,)|aspetta|нет(?=\s*,)|подожди"
    r"|等等|等一下|不对|不對|不，|待って|いや)",
    re.IGNORECASE,
)
# The rest of a sentence that makes its claim one of somebody else, of a case, or of several.
_HEDGED = re.compile(
    r"[,;(—–][\s*_\"'`(]*(?:if\b|(?:al)?though\b|unless|assuming|provided|supposing|only\s+(?:if|when)|or\s+(?:is|was|maybe|perhaps|possibly|so)\b"
    r"|(?:some|they|he|she|people|many)\b|said\b|says\b|according|at\s+least\s+(?:for|in|if)|except\b)"
    r"|\A[^\s,.;]*\s+(?:is|was|would\s+be)\s+(?:wrong|incorrect|false|not)\b",
    re.IGNORECASE,
)
# A second thought that names its label by the way.
_HINTED = re.compile(
    r"(?:[\n.!?,;:—–]|\.\.\.|\bno|\bwait)[\s*_\"'`]*(?:(?:so|but|and|no|then)[\s,]+)?"
    r"(?:so|it(?:['’]s|\s+is|\s+was)|(?:it\s+|that\s+)?(?:must|should|has\s+to)\s+be|make\s+(?:it|that)|correction|actually"
    r"|rather|instead|thus|hence|therefore|i\s+mean|i\s+meant)\b[\s:,*_\"'`]*(?=([^\n]{1,80}))",
    re.IGNORECASE,
)
_DENYING = re.compile(
    r"n['’]t\b|~~|\b(?:not|cannot|never|no|nobody|none|neither|nor|(?:wrong|incorrect|fals|mis|doubt|suppos|assum|hypoth|possib|untru|impossib)\w*"
    r"|unlikely|whether|if|unless|might|may|could|perhaps|maybe|why|schema|template|example|instance|format|avoid|unsure|instead|without|eliminat\w*|exclud\w*|except)\b",
    re.IGNORECASE,
)
_HEARSAY = re.compile(
    r"\b(?:if|unless|whether|suppos\w*|assum\w*|imagine|pretend|hypothetically|says|said|claim(?:s|ed)|thinks|thought|argue[sd]"
    r"|believe[sd]|suggest(?:s|ed)|insist(?:s|ed)|asserts?|answered|wrote|writes|doubt\w*|according\s+to(?!\s+the\s+(?:text|passage|article|context|table|question|paragraph))"
    r"|(?:some|many|people|others|they)\s+(?:\w+\s+)?(?:say|think|believe|claim|argue)|not\s+(?:true|sure|certain|clear|the\s+case))\b"
    r"|\b(?:user|human|student|q|question)\s*:|n['’]t\s+(?:true|sure|certain|clear|the\s+case|think|believe)\b",
    re.IGNORECASE,
)
# Boundaries of sentences and of clauses before a claim; a line that begins in lower case goes on.
_SENTENCES = re.compile(r"[.!?](?=[\s*_\"'`]*\s)|[。！？]|(?<!:)\n(?![a-z])|\n\s*\n")
_SEGMENTS = re.compile(r"[,;:：，、—–()]|\s-\s|\b(?:so|thus|hence|therefore|consequently|and|means)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_MAX_LEAD_CHARACTERS = 300
_STOP = re.compile(r"[.!?](?:\s|$)")
_LINE = re.compile(r"[^\n\r]*\S[^\n\r]*")
# A line that may be a label, and the words of a field's name, as in finalAnswer and "Predicted label".
_LONE = re.compile(r"\n[^\S\n]*(\S[^\n]{0,60})(?=\n|\Z)")
_NAME_WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+")

# ---- clauses -----------------------------------------------------------------------------------------------
_WHY = re.compile(r"[\s,;.(]+(?:because|since|as(?!\s+well\b)(?<!\bwell\sas))\b", re.IGNORECASE)
_DASH = r"\s[-–—]+\s(?!\s*\d)"
# A mark between digits, as in 4.5, 1,000 and 3 - 5, is part of a number, and a point before one part of "No. 5".
_END = re.compile(rf"\.(?!\s*\d)|。|(?<!\d)[;,:(，]|[;,:(，](?!\d)|{_DASH}")
_NEXT = re.compile(rf"(?<!\d)[.;,(。]|[.;,(](?!\d)|{_DASH}")
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
# Words between the phrase and the label that change nothing.
_CALLED = re.compile(
    r"^(?:(?:(?:so|hence|indeed|certainly|definitely|clearly|obviously|simply|surely|undoubtedly|therefore|thus|exactly|of\s+course)\b,?"
    r"|the|option|choice|letter|answer|la|el|le|die|das|il|a\s+opção|la\s+opción|l['’]option)\s+)+",
    re.IGNORECASE,
)
_SET = re.compile(r"\\(?:f?box(?:ed)?|text(?:bf|rm|it)?|math(?:rm|bf|sf|bb))\s*\{([^{}]*)\}")
_DENIED_LABEL = re.compile(r"not\s+", re.IGNORECASE)
# Labels that an answer sets itself apart from: "(B), not (A)".
_NOT = re.compile(
    r"\A\s*(?:and\s+)?not(?:(?:\s*,)?\s+(?:(?:or|nor|and)\s+)?[(\[]?\w+[)\]]?)+?(?=[\s.,;]*(?:\n|$))", re.IGNORECASE
)
# Words that may lead to a second label: "A, or B".
_OR = re.compile(r"[\s*_\"'`]*(?:(?:or|and|also|as well as|maybe|perhaps|possibly|but)\b[\s*_\"'`]*)*", re.IGNORECASE)
# Fields whose only value is about something else than the answer.
_ELSEWHERE = re.compile(
    r"wrong|incorrect|correct|false|^not|^non|eliminat|exclu|reject|discard|ruled|except|question|prompt|query|input|instruct"
    r"|difficult|confiden|certain|probab|explan|reason|rational|thought|think|analys|^steps?$|^why$|^note|comment|justif|evidence"
    r"|example|^hint|distract|altern|second|runner|^other|option|choices|candidate|previous|^old$|first|initial|draft|former"
    r"|actual|^true$|truth|gold|expect|target|referen|^user|student|^trap|^role$|^type$|format|schema|source|section|^error|mistake|unlikely|least|worst|^bad$|^id$|^index$|number"
)
_DECODER = json.JSONDecoder()
# Reasoning between tags, closed or not, and one that was opened in the prompt.
_THOUGHT = re.compile(
    r"\A(?:(?!<think).)*</think(?:ing)?>|<(think(?:ing)?|thoughts?|reasoning|scratchpad|reflection|analysis)>.*?(?:</\1>|\Z)"
    r"|\[think\].*?(?:\[/think\]|\Z)|◁think▷.*?(?:◁/think▷|\Z)",
    re.IGNORECASE | re.DOTALL,
)
# More parts than this are no answer but a document.
MAX_CLAIMS = 1_000
# One star before a text is a pattern elsewhere; more of them, or one that stands alone, are stress or a bullet.
_ANYWHERE = re.compile(r"\*[^*\s]")
# Characters that may precede the first word.
_OPENING_CHARACTERS = "\"'*_`([ "


def without_thought(text: str) -> str:
    """Leave out reasoning between tags such as <think>; an answer that is still within it says nothing yet."""
    return _THOUGHT.sub("", text) if "<" in text or "[" in text or "◁" in text else text


# ---- claims ------------------------------------------------------------------------------------------------


def _lines(text: str, chosen: int) -> list[Claim]:
    """The first or the last line; the others contradict it where they are labels, or take it back."""
    lines = list(_LINE.finditer(text))
    if len(lines) < 2:
        return [Claim(0, STATED, (line[0],)) for line in lines]
    line = lines[chosen]
    led = text[: line.start()].rstrip().endswith(":") and _kind(text, line.start(), strictly=False)
    claims = [Claim(line.start(), led or STATED, (line[0],))]
    claims += [Claim(one.start(), HINTED, (one[0],)) for one in lines[-20:] if one is not line and len(one[0]) <= 60]
    return sorted([*claims, *_afterthoughts(text, line.end())], key=_order)


def _afterthoughts(text: str, begin: int) -> Iterator[Claim]:
    """Doubts about what was claimed, and labels that are named by the way, from some place on."""
    if len(text) < begin + 3:
        return
    for match in _RETRACTED.finditer(text, begin):
        yield Claim(match.start(), DOUBTED, ())
    for match in _HINTED.finditer(text, begin):
        yield Claim(match.start(1), HINTED, tuple(_clauses(_bared(match[1]))))


def _bared(said: str) -> str:
    """A text without what TeX puts around it, and without words that only call it an option."""
    if "\\" in said:
        said = _SET.sub(r"\1", _SET.sub(r"\1", said)).replace("$", "")
    return _CALLED.sub("", said)


def _kind(text: str, at: int, *, strictly: bool = True) -> int | None:
    """How a claim is meant, by the sentence before it; None where the phrase is about something else."""
    lead = text[max(0, at - _MAX_LEAD_CHARACTERS) : at]
    if not lead.strip():
        return STATED
    end = 0
    for match in _SENTENCES.finditer(lead.rstrip() if not strictly else lead):
        end = match.end()
    *earlier, last = _SEGMENTS.split(lead[end:])
    while not strictly and not last.strip() and earlier:
        last = earlier.pop()
    if _DENYING.search(last) or _HEARSAY.search(lead, end):
        return DENIED
    return STATED if not strictly or all(word in _LEADS for word in _WORDS.findall(last.lower())) else None


def _said(text: str) -> list[Claim]:
    """Find claims in words: "the answer is", "label:", tags and boxes of that name, "B is correct".

    The text after such words counts to the end of the line (or 200 characters) and of the clause. Sentences that deny
    it, doubt it, or report it of others are no claims, and what follows may take it back.
    """
    if "{" in text:
        text = _json_in_words(text)
    low = text.lower()
    if len(low) != len(text):
        low = text
    claims: list[Claim] = []
    for found in _phrases(low):
        kind = _kind(low, found.start())
        if kind is not None:
            at, until = found.span(found.re.groups)
            words = text[at:until]
            said = _bared(words)
            if denied := _DENIED_LABEL.match(said):
                kind, said = DENIED, said[denied.end() :]
            claims.append(Claim(at, kind, (words, said, *_clauses(_WHY.split(said, maxsplit=1)[0]))))
            hedge = _HEDGED.search(_STOP.split(words, maxsplit=1)[0])
            claims += [Claim(at + hedge.start() + 1, DOUBTED, ())] if hedge is not None else []
    claims += _marked(text, low)
    if not claims:
        claims = [
            Claim(one.start(), _kind(low, one.start(), strictly=False) or STATED, (one[1],))
            for one in _TOTAL.finditer(low)
        ]
    begin = min((claim.at for claim in claims if claim.kind is STATED), default=None)
    if begin is not None:
        claims += _afterthoughts(text, begin)
        claims += [Claim(one.start(), HINTED, (one[1],)) for one in _LONE.finditer(text, begin)]
        claims.sort(key=_order)
    return claims


def _marked(text: str, low: str) -> Iterator[Claim]:
    """Answers between tags and in boxes, and those that are called correct."""
    for found in _TAGGED.finditer(text) if "<" in text else ():
        yield Claim(found.start(), STATED, (found[2], *_clauses(found[2])))
    for found in _BOXED.finditer(text) if "box" in text else ():
        yield Claim(found.start(), _kind(low, found.start(), strictly=False) or STATED, (_bared(found[0]),))
    for found in _PRAISED.finditer(low):
        before = _MARKED_OFF.search(text, max(0, found.start() - 61), found.start())
        if before is not None and _kind(low, before.start()) is STATED:
            yield Claim(before.start(), STATED, (_bared(before[0].lstrip()),))


def _phrases(low: str) -> Iterator[re.Match[str]]:
    """The phrases that lead to an answer, in a text in lower case."""
    for found in _SAID.finditer(low):
        before = low[max(0, found.start() - 10) : found.start()]
        if before.rstrip("_")[-1:].isalnum() and not before.endswith(("final_", "predicted_")):
            continue
        if found["heading"] is not None:
            line = low[low.rfind("\n", 0, found.start()) + 1 : found.start()]
            if not _QUALIFIERS.issuperset(_WORDS.findall(line)):
                continue
        yield found
    yield from _CHOSEN.finditer(low)
    if not low.isascii():
        yield from _ABROAD_SAID.finditer(low)


def _order(claim: Claim) -> tuple[int, int]:
    """By place; a doubt comes before the label that is named with it."""
    return claim.at, -claim.kind


def _clauses(said: str) -> list[Any]:
    """The first clause; of a choice with its text, as in "(B) Rome", the sign of it and the text too."""
    first, *rest = _END.split(said.lstrip(" ([*_\"'`$"), maxsplit=1)
    rest = [_NOT.sub("", part) for part in rest]
    after = (*_following(rest[0]), *_others(_STOP.split(rest[0], maxsplit=1)[0])) if rest else ()
    clauses: list[Any] = [Clause(first, after)] if first else []
    choice = _CHOICE.match(said)
    if choice is not None:
        text = said[choice.end() :]
        clauses += [Clause(choice[1], (*_following(text), *_others(text))), *_clauses(text)]
    return clauses


def _others(text: str) -> list[str]:
    """The signs of other choices within a text."""
    return [one or other for one, other in _OTHER.findall(text)]


def _following(text: str) -> tuple[str, ...]:
    """Split the text after a clause into parts, without the words that lead to them and without brackets."""
    parts = [_OR.sub("", part, count=1).strip(" )*_\"'`") for part in _NEXT.split(text)]
    choices = [(found[1], part[found.end() :]) for part in parts if (found := _CHOICE.match(part))]
    return tuple(filter(None, [*parts, *(piece for choice in choices for piece in choice)]))


def _json(text: str) -> list[Claim]:
    """The label in JSON: a value, the only field of an object, or the field that is called like one."""
    text = text[:MAX_NAME_CHARACTERS]
    bare = text.strip().removeprefix("```json").strip("`").strip()
    if bare[:1] in {"[", '"'}:
        try:
            return [Claim(0, STATED, tuple(_labels_in(json.loads(bare))))]
        except (ValueError, RecursionError):
            pass
    found = list(_objects(text))
    claims = [
        Claim(begin, _kind(text, begin, strictly=False) or STATED, tuple(_labels_in(value)))
        for begin, _, value in found
    ]
    return sorted([*claims, *_afterthoughts(text, found[-1][1])], key=_order) if found else []


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The objects of JSON in a text, the outermost ones, with the places where they begin and end."""
    end = 0
    while (begin := text.find("{", end)) >= 0:
        end = begin + 1
        try:
            value, end = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        yield begin, end, value


def _labels_in(value: Any, *, alone: bool = True) -> list[Any]:
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else None
    if isinstance(value, dict):
        return [piece for field in _answering(value, alone) for piece in _labels_in(field, alone=False)]
    return [value] if isinstance(value, (str, int, float)) else []


def _answering(value: dict[str, Any], alone: bool) -> list[Any]:
    """The fields of an object that hold the answer by their names, a final one before others; or the only field."""
    ranks: dict[int, list[Any]] = {}
    for name, field in value.items():
        words = [word.lower() for word in _NAME_WORDS.findall(name)]
        if words and words[-1] in _NOUNS and _QUALIFIERS.issuperset(words[:-1]):
            rank = 0 if "final" in words else 3 if words[-1] in _MEASURES else 2 if "predicted" in words else 1
            ranks.setdefault(rank, []).append(field)
        elif alone and len(value) == 1 and not any(map(_ELSEWHERE.search, words)):
            return [field]
    return ranks[min(ranks)] if ranks else []


def _json_in_words(text: str) -> str:
    """A text in which the answer of each object stands as words, and nothing else of it."""
    parts, last = [], 0
    for begin, end, value in _objects(text[:MAX_NAME_CHARACTERS]):
        parts += [text[last:begin], *(f" answer: {piece}\n" for piece in _labels_in(value))]
        last = end
    return "".join(parts) + text[last:]


_KNOWN: dict[str, Callable[[str], list[Claim]]] = {
    "json": _json,
    "answer is": _said,
    "first line": lambda text: _lines(text, 0),
    "last line": lambda text: _lines(text, -1),
}


def extractor(one: Any) -> Extractor:
    """Return what `extract` names: a known way, a pattern or a function."""
    if isinstance(one, re.Pattern):
        group = 1 if one.groups else 0
        return Extractor("pattern", lambda text: _stated(match[group] for match in one.finditer(text)), True)
    if isinstance(one, str) and one in _KNOWN:
        return Extractor(one, _KNOWN[one], False)
    if callable(one):
        name = getattr(one, "__name__", "function").strip("<>")
        return Extractor(name, lambda text: _stated(_list_pieces(one(text), name)), True)
    msg = Message(
        "{extract} takes {}, a compiled pattern (its first group) or a function from an answer to the text "
        "that may be a label, or a list of them, not {}",
        some(_KNOWN),
        told(one),
    )
    raise InputError(msg)


def _stated(found: Iterable[Any]) -> list[Claim]:
    """Pieces as they are found by users, each a claim of its own."""
    return [Claim(at, STATED, (piece,)) for at, piece in enumerate(found)]


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
