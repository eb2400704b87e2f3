"""Parts of an answer that may hold the label, such as the last line or a field of JSON, and phrases of refusal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from confmat.core.errors import Argument, InputError, Message
from confmat.core.naming import plain
from confmat.core.options import told
from confmat.core.text import some
from confmat.counting.answers.spelling import MAX_NAME_CHARACTERS, Names, Said, Spelling

# How a claim is meant: a doubt about whatever was claimed before; denied, or reported of somebody else; said only by
# the way, so that it may contradict but not answer; said in so many words.
DOUBTED, DENIED, HINTED, STATED = range(4)
# More parts than this are no answer but a document.
MAX_CLAIMS = 1_000


class Claim(NamedTuple):
    """Pieces of an answer that stand for one label, where none of the pieces after them is another label."""

    at: int
    kind: int
    pieces: tuple[Any, ...]
    after: tuple[str, ...] = ()


# A way to find claims: its name, what it finds, in their order, and whether it sees reasoning between tags.
Extractor = tuple[str, Callable[[str], Iterable[Claim]], bool]
# By place; a doubt comes before the label that is named with it.
_order = itemgetter(0, 1)

# ---- words -------------------------------------------------------------------------------------------------
# By kind; "*" is the rest of a word and "_" is space.
_TABLE = r"""
names: answer ans label class category prediction choice verdict result classification decision conclusion sentiment
 rating score judgment judgement output response solution topic emotion intent stance polarity relation relationship
 option letter
told: review statement claim sentence comment tweet message post email e-mail
abroad: antwort lösung respuesta réponse risposta resposta ответ antwoord svar svaret odpowiedź odpověď cevap vastaus
 jawaban الإجابة الجواب उत्तर
measures: rating score
latest: final revised corrected updated
qualifiers: predicted my the correct right best selected chosen overall most likely
doubtless: no_doubt without_(?:an?y?_)?doubt no_(?:question|secret) beyond_(?:an?y?_)?(?:reasonable_)?doubt undoubtedly
leads: a an our this that then now finally i i'd i'm i'll we we'd we're am are it would will can say think believe
 conclude confident sure certain quite pretty fairly know see find get true appropriate accurate proper exact suitable
 single only in short summary sum to for here there as based on above given all information passage text reasoning
 analysis evidence context question follows must new die das richtige korrekte meine endgültige also daher somit
 folglich la el mi correcta por tanto lo así bonne ma donc o minha correta portanto mia giusta corretta quindi
 правильный итоговый мой итак het juiste mijn dus prawidłowa poprawna doğru son but however fact reality end is clear
 actually 所以 因此 最终 最終 正确 正確 正确的 正確的 故 本题 本題
denying: not cannot never no nobody none neither nor wrong* incorrect* fals* mis* doubt* possib* untru* impossib*
 unlikely might may could perhaps maybe why schema template example instance format avoid unsure instead without
 eliminat* exclud* except
reporting: if unless whether suppos* assum* imagine pretend hypoth* provided_that surprised? says said claim(?:s|ed)
 thinks thought argue[sd] believe[sd] suggest(?:s|ed) insist(?:s|ed) asserts? answered wrote writes doubt*
 according_to(?!_the_(?:text|passage|article|context|table|question|paragraph))
 (?:some|many|people|others|they)_(?:[a-z]+_)?(?:say|think|believe|claim|argue)
hedging: if (?:al)?though unless assuming provided supposing only_(?:if|when) or_(?:is|was|maybe|perhaps|possibly|so)
 some they he she people many said says according at_least_(?:for|in|if) except leaning (?:could|may|might)_(?:also_)?be
taken_back: wait actually hm+ oops sorry apologies correction correcting nope edit korrektur correcci[oó]n correzione
 correção 更正 修正 訂正 исправление scratch_that strike_that never_mind nevermind my_(?:mistake|bad|apologies|error)
 let_me_(?:re*|correct|fix|double|check|think|try) or_rather (?:up)?on_(?:second|further|closer|re*)
 after_(?:check*|re*) (?:just_|only_)?(?:kidding|joking) (?<=[}>$]\s)(?:if|unless)\b
 i_(?:disagree|made_an?|mis*|was_wrong|meant|mean|take_(?:it|that)|change|retract|stand_corrected|apologi[sz]e)
 (?:please_)?(?:ignore|disregard|forget)_(?:that|this|it|what|my|the)
 i(?:_can(?:no|')t|_could(?:_not|n't))_(?:tell|say|decide|choose|be|confirm|determine)
 i(?:'m|_am)_not_(?:[a-z]+_)?(?:sure|certain) i_do(?:_not|_?n't)_know not_(?:sure|quite)
 (?:(?:that|this|it|which)(?:_(?:quote|answer|claim|statement|reply|line))?(?:'s|_is|_was)|is|was)_(?:not_(?:right|correct|it|true)|wrong|incorrect|false|mistaken|untrue|nonsense|what|an?_(?:mistake|trap|joke|error|misprint))
 (?:that|this|it)_(?:is|was)n't (?:no|wrong|instead|rather|nein|non|нет)(?=\s?[,.!:;—–…-]) warte moment doch_nicht
 espera perd[oó]n attends? pardon aspetta подожди 等等 等一下 不对 不對 不， 待って いや
by_the_way: so it's it_(?:is|was) (?:it_|that_)?(?:must|should|has_to)_be make_(?:it|that) thus hence therefore
joining: it_is it's and as also else or nor through to vs well maybe perhaps possibly alternatively but
certain: so hence indeed certainly definitely clearly obviously simply surely undoubtedly therefore thus exactly
 of_course
called: the option choice letter answer letra lettre буква la el le die das il a_(?:opção|letra) la_opción l'option
judging: correct right valid true accurate verdict result judgment judgement status grade evaluation accepted
wrong: wrong incorrect false no invalid rejected retracted withdrawn
lettered: q key pick value selection
elsewhere: wrong correct false ^not ^non eliminat exclu reject discard ruled except question possib human teacher expert
 prompt query input instruct difficult confiden certain probab explan reason rational thought think analys ^steps?$
 ^why$ ^note comment justif evidence example ^hint distract altern second runner ^other option choices candidate
 previous ^old$ first initial draft former actual ^true$ truth gold expect target referen ^user student ^trap ^role$
 ^type$ format schema source section ^error mistake unlikely least worst ^bad$ ^id$ ^index$ number ^text$ ^content$
 oppos invers ^if$ ^not$ forced ^would$ ^title$ ^review$ ^statement$ ^claim$ ^sentence$ ^comment$ ^tweet$ ^message$
 ^document$
"""
_WORDS_OF = {kind: words.split() for kind, words in re.findall(r"(?m)^(\w+): ((?:.|\n )+)", _TABLE)}
_NAMES, _MEASURES, _LATEST, _JUDGING, _WRONG = (
    frozenset(_WORDS_OF[kind]) for kind in ("names", "measures", "latest", "judging", "wrong")
)
_QUALIFIERS = _LATEST.union(_WORDS_OF["qualifiers"])
_NAMING = _NAMES | _QUALIFIERS
# Words that may stand between the beginning of a clause and a name; any other word gives it another meaning.
_LEADS = _NAMING.union(_WORDS_OF["leads"], _WORDS_OF["certain"])


def _any(kind: str) -> str:
    """A pattern of any word of a kind."""
    words = "|".join(_WORDS_OF[kind])
    return f"(?:{words})".replace("*", r"\w*").replace("_", r"\s+").replace("'", "['’]")


def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# ---- sentences ---------------------------------------------------------------------------------------------
# A denial or doubt in the clause before a claim; and one, or a report of somebody else, anywhere in its sentence.
_DENYING = _pattern(rf"n['’]t\b|~~|\b{_any('denying')}\b")
_DOUBTLESS = _pattern(rf"\b{_any('doubtless')}\b")
_REPORTING = _pattern(
    rf"\b{_any('reporting')}\b|(?:\bno|n['’])t\s+(?:true|sure|certain|clear|the\s+case|think|believe)\b|\be\.g\."
    r"|\b(?:user|human|student|q|question)\s*:|\A\W*(?:(?:should|were|had|provided|wenn|falls|si|se|если|jeśli|eğer)\b|如果|假如|もし|만약)"
)
# Boundaries of sentences and of clauses before a claim; a line that begins in lower case goes on, and so does "e.g.".
_SENTENCES = re.compile(r"(?<!\.[a-z])[.!?](?=[\s*_\"'`]*\s)|[。！？]|(?<!:)\n(?![a-z])|\n\s*\n")
_SEGMENTS = _pattern(r"[,;:：，、—–()]|\s-\s|\b(?:so|thus|hence|therefore|consequently|and|means)\b")
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_MAX_LEAD_CHARACTERS = 300
# The rest of a sentence that makes its claim one of somebody else, of a case, or of several.
_HEDGED = _pattern(
    rf"[,;(—–][\s*_\"'`(]*{_any('hedging')}\b|\A[^\s,.;]*\s+(?:is|was|would\s+be)\s+(?:wrong|incorrect|false|not)\b|\?\Z"
)
# A second thought, at the beginning of a clause: one that takes a claim back, or one that names a label by the way.
_SECOND_THOUGHT = _pattern(
    rf"(?:[\n.!?,;:。！？，—–(}}>$]|\s-|\b(?:but|no|wait)\b)[\s*_\"'`(]*(?:(?:and|but|so|no|oh|well|then)[\s,]+)?"
    rf"(?:({_any('taken_back')})|{_any('by_the_way')}\b)(?=[\s:,*_\"'`]*([^\n]{{1,80}})?)"
)

# ---- phrases -----------------------------------------------------------------------------------------------
# They are looked for in lower case, and begin with a letter, so that the search skips to it. The text after a phrase
# may hold another one, so a lookahead captures it.
_OPENED = r"[\s:：*_\"'`]*(?=([^\n]{1,200}))"
_SAID = re.compile(
    rf"(?:(?:{_any('names')}|{_any('abroad')})(?![^\W_])|{_any('told')}\b(?=\s+(?:is|would\s+be)\b))"
    r"(?:\s+(?:correct[ae]?|corret+a|giusta|certa|finale?|here)\b)?"
    r"(?:\s+(?:to|for|of)(?:\s+(?:the|this|that|your|above|question|problem|quiz|review|text|sentence|tweet|\d+))+\b)?"
    r"[ \t\r*_\"'`#]*"
    r"(?:\b(?:is|(?:would|must|should|has\s+to)\s+be|ist|lautet|es|est|è|é|er|är|jest|on|adalah)\b(?:\s+(?:classified|labell?ed|rated|categori[sz]ed)\s+as\b)?|[:：]|=(?!\s*[\"'])|[=-]+>|[→⇒➡👉]\ufe0f?|(?<=ź\s)to\b|[—–-]+\s+(?=\(?\w\)?\s*$)|это\b"
    # A heading of its own, as in "## Final Answer".
    rf"|(?P<heading>(?<!\s)\n)){_OPENED}"
)
_CHOSEN = re.compile(
    r"i(?<!\wi)(?:['’](?:d|ll|m)|\s+(?:would|will|am))?\s+(?:(?:choose|pick|select|go(?:ing)?\s+(?:with|for)|answer|opt\s+for|take)\b"
    r"|(?:rate|score|give|grade|classify|categori[sz]e|label|consider|call)(?:\s+(?:it|(?:this|that|the)(?:\s+[a-z]{4,}(?=\s+as\b))?))?"
    rf"(?:\s+(?:as|an?|with|to\s+be))*\b){_OPENED}"
)
_ABROAD_SAID = re.compile(
    rf"(?:(?:答案|[回解]答|答え|正解|정답)\s*(?:[应應][该該])?[是为為选選は는은:：=]|故[选選]){_OPENED}"
)
# The same between tags, as in <answer>B</answer>.
_TAGGED = _pattern(rf"<((?:(?:final|predicted)_)?{_any('names')})>\s*([^<>]{{1,200}})</\1>")
_BOXED = re.compile(r"\\f?box(?:ed)?\s*\{((?:[^{}]|\{[^{}]*\}){1,200})\}")
# "B is correct.", "(B) is the right answer", with nothing after it; and the text before it, back to a mark.
_PRAISED = re.compile(
    r"is(?<=[\s*_\"'`]is)\s+(?:the\s+)?(?:answer|(?:correct|right|best)(?:\s+(?:answer|option|choice|one|label))?)\b"
    r"[\s*_]*(?:[.!\n]|$)"
)
_MARKED_OFF = re.compile(r"[^.,;:?!\n]{0,60}\Z")
# A number that ends a sentence, as a sum or a total does.
_TOTAL = _pattern(
    r"(?:(?<![<>!=~])=|\b(?:equals|makes|gives|leaves|totals|there\s+(?:is|are)|it\s+is"
    r"|(?:total|sum|result|value|number)(?:\s+\w+){0,4}\s+(?:is|are)))\s*[$€£*]*(-?\d[\d.,]*?%?)(?=\**\s*(?:[.!]?\s*(?:\n|$)|[.!]\s))"
)
# A whole answer such as "It's B."
_BARE = _pattern(
    r"\A[\s*_\"'`]*(?:i\s+(?:think|believe)\s+)?(?:(?:it|that|this)(?:['’]s|\s+is|\s+must\s+be)|option|choice|"
    rf"{_any('certain')})\s+([^.,;:!?\n]{{1,60}})[.!*_\"'`\s]*\Z"
)
# An initial, as in "the answer is C. elegans"; after a colon it is the sign of a choice.
_INITIAL = re.compile(r"[A-Z]\. [a-z]+(?!\s?[\w'-])")
_STOP = re.compile(r"[.!?](?:\s|$)")
# Lines, without the fences of code; one that may be a label; the first words of an answer, before a mark.
_LINE = re.compile(r"(?:(?<=[\n\r])|\A)(?![^\S\n\r]*```)[^\n\r]*\S[^\n\r]*")
# The end of a line whose sentence goes on in the next one.
_LED = _pattern(r"(\b(?:is|was|it|an?|the|with|of|option|consider|check|try)|(?=:)):?[\s*_]*\Z")
_LONE = re.compile(r"\n[^\S\n]*(\S[^\n]{0,60})(?=\n|\Z)")
_FIRST_WORDS = re.compile(r"\W*([^.,;:!—–\n]{1,60}?)\s?[.,;:!—–\n][^.,;:!—–\n]*\Z")

# ---- clauses -----------------------------------------------------------------------------------------------
_WHY = _pattern(r"[\s,;.(]+(?:because|since|as(?!\s+well\b)(?<!\bwell\sas))\b")
_DASH = r"\s[-–—]+\s(?!\s*\d)"
# A mark between digits, as in 4.5, 1,000 and 3 - 5, is part of a number, and a point before one part of "No. 5".
_BREAK = rf"\.(?!\s*\d)(?!(?<=\b\w\.)\s\w\.)|。|(?<!\d)[;,(，]|[;,(，](?!\d)|{_DASH}"
_END = re.compile(rf"{_BREAK}|(?<!\d):|:(?!\d)")
_PART = re.compile(rf"{_BREAK}|(?<![^\W_])(?=(?:[^\W_]|\d{{1,2}})[)\]])|(?<=\w)[)\]]")
# The sign of a choice, as in "(B) Rome" and "B) Rome", what may call it so, and what TeX puts around it.
_CHOICE = _pattern(
    r"'?[(\[]?([^\W_]|\d{1,2})[)\]][\s*_\"'`]+(?=\w)(?!(?:is|was)(?:n['\u2019]t|\s+(?:not|wrong|incorrect|false))\b)"
)
# Words between the phrase and the label that change nothing.
_CALLED = _pattern(rf"^(?:(?:{_any('certain')}\b,?|{_any('called')})\s+)+")
_COPULA = re.compile(r"(?<=[\w)\]」])(?:です|だ|입니다|이다|이에요|예요)(?=\W|$)")
_SET = re.compile(r"\\(?:f?box(?:ed)?|text(?:bf|rm|it)?|math(?:rm|bf|sf|bb))\s*\{([^{}]*)\}")
_DENIED_LABEL = _pattern(r"not\s+((?!only|just|merely)[^.,;:\n]{1,60}?,?\s+but\s+(?:rather\s+|instead\s+)?)?")
# Labels that an answer sets itself apart from: "(B), not (A)".
_NOT = _pattern(r"[,;(—]\s*(?:and\s+)?not(?:(?:\s*,)?\s+(?:(?:or|nor|and)\s+)?[(\[]?\w+[)\]]?)+?(?=[\s.,;)]*(?:\n|$))")
# Words that may lead to a second label: "A, or B".
_OR = _pattern(rf"\b{_any('joining')}\b")
# Fields whose only value is about something else than the answer, and those whose value may be a letter.
_ELSEWHERE = re.compile(_any("elsewhere"))
_LETTERED = re.compile("|".join([*_NAMING, *_WORDS_OF["abroad"], *_WORDS_OF["lettered"], r"\d+"]))
# Words of a field's name, as in finalAnswer and "Predicted label".
_NAME_WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+")
# Reasoning between tags, closed or not, and one that was opened in the prompt.
_THOUGHT = re.compile(
    r"\A(?:(?!<think).)*</think(?:ing)?>|<(think(?:ing)?|thoughts?|reasoning|scratchpad|reflection|analysis)>.*?(?:</\1>|\Z)"
    r"|\[think\].*?(?:\[/think\]|\Z)|◁think▷.*?(?:◁/think▷|\Z)",
    re.IGNORECASE | re.DOTALL,
)


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
    led = _LED.search(text, max(0, line.start() - 100), line.start())
    claims = [Claim(line.start(), STATED if led is None else _kind(text, led.end(1)) or HINTED, (line[0],))]
    claims += [Claim(one.start(), HINTED, (one[0],)) for one in lines[-20:] if one is not line and len(one[0]) <= 60]
    return sorted([*claims, *_second_thoughts(text, line.end())], key=_order)


def _second_thoughts(text: str, begin: int) -> Iterator[Claim]:
    """Doubts about what was claimed, and labels that are named by the way, from some place on."""
    for found in _SECOND_THOUGHT.finditer(text, begin) if len(text) >= begin + 3 else ():
        if found[1]:
            yield Claim(found.start(), DOUBTED, ())
        if found[2]:
            yield Claim(found.start(2), HINTED, *_clauses(_bared(found[2])))


def _bared(said: str) -> str:
    """A text without what TeX puts around it, and without words that only call it an option."""
    if "\\" in said:
        said = _SET.sub(r"\1", _SET.sub(r"\1", said)).replace("$", "")
    said = _CALLED.sub("", said)
    return said if said.isascii() else _COPULA.sub("", said)


def _kind(text: str, at: int) -> int | None:
    """How a phrase is meant, by the sentence before it; None where other words give it another meaning."""
    if at == 0:
        return STATED
    lead = _DOUBTLESS.sub(" ", text[max(0, at - _MAX_LEAD_CHARACTERS) : at])
    end = max((found.end() for found in _SENTENCES.finditer(lead)), default=0)
    *earlier, last = _SEGMENTS.split(lead[end:])
    words = _WORDS.findall(last.lower())
    while not last.strip() and earlier:
        last = earlier.pop()
    if _DENYING.search(last) or _REPORTING.search(lead[end:]):
        return DENIED
    return STATED if _LEADS.issuperset(words) and not (earlier and last.strip() in {'"', "“"}) else None


def _meant(text: str, at: int) -> int:
    """How an answer that needs no phrase is meant, by the sentence before it."""
    return _kind(text[:at].rstrip(), at) or STATED


def _said(text: str) -> list[Claim]:
    """Find claims in words: "the answer is", "label:", tags and boxes of that name, "B is correct".

    The text after such words counts to the end of the line (or 200 characters) and of the clause. Sentences that deny
    it, doubt it, or report it of others are no claims, and what follows may take it back.
    """
    claims = []
    for end, claim in list(_objects(text)):
        claims.append(claim)
        text = f"{text[: claim.at]}{' ' * (end - claim.at)}{text[end:]}"
    low = text.lower()
    if len(low) != len(text):
        low = text
    for found in _phrases(low):
        kind = _kind(text, found.start())
        if kind is not None:
            at, until = found.span(found.re.groups)
            words = text[at - (text[at - 1] == "'") : until]
            if _INITIAL.match(words) and low[at - 2].isalpha():
                continue
            said = _bared(words)
            if denied := _DENIED_LABEL.match(said):
                said, other = (said[denied.end() :], "") if denied[1] else (said, said[denied.end() :])
                claims.append(Claim(at, DENIED, _clauses(other)[0]))
            pieces, after = _clauses(_WHY.split(said, maxsplit=1)[0])
            claims.append(Claim(at, kind, (words, *pieces), after))
            hedge = _HEDGED.search(words, 0, stop.start() + 1 if (stop := _STOP.search(words)) else len(words))
            claims += [Claim(at + hedge.start() + 1, DOUBTED, ())] if hedge is not None else []
            first = _FIRST_WORDS.match(low, 0, found.start())
            claims += [Claim(at, HINTED, (first[1],))] if first is not None else []
    claims += _marked(text, low)
    if not claims:
        lone = [*_TOTAL.finditer(low), *_BARE.finditer(text)]
        claims = [Claim(one.start(), _meant(text, one.start()), (_bared(one[1]),)) for one in lone]
    begin = min((claim.at for claim in claims if claim.kind is STATED), default=None)
    if begin is not None:
        claims += _second_thoughts(text, begin)
        claims += [Claim(one.start(), HINTED, (one[1],)) for one in _LONE.finditer(text, begin)]
        claims.sort(key=_order)
    return claims


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


def _marked(text: str, low: str) -> Iterator[Claim]:
    """Answers between tags and in boxes, and those that are called correct."""
    for found in (*_TAGGED.finditer(text), *_BOXED.finditer(text)):
        said = _bared(found[found.re.groups])
        pieces, after = _clauses(said)
        yield Claim(found.start(), _meant(text, found.start()), (said, *pieces), after)
    for found in _PRAISED.finditer(low):
        before = _MARKED_OFF.search(text, max(0, found.start() - 61), found.start())
        if before is not None and _kind(text, before.start()) is STATED:
            yield Claim(before.start(), STATED, (_bared(before[0].lstrip()),))


def _clauses(said: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The first clause, of "(B) Rome" the sign and the text too; and what follows, which may contradict it."""
    said = _NOT.sub("", said)
    first, *rest = _END.split(said.lstrip(' ([*_"`$'), maxsplit=1)
    if (choice := _CHOICE.match(said)) is None:
        return (said, first), _parts(rest[0]) if rest else ()
    text = said[choice.end() :]
    return (said, first, choice[1], *_clauses(text)[0]), _parts(text)


def _parts(text: str) -> tuple[str, ...]:
    """The parts of a text that may be labels: between marks, and after words such as "or"."""
    parts = _PART.split(text)
    return tuple(piece.strip(" ()[]*_\"'`") for part in parts for piece in (part, *_OR.split(part)[1:]))


def _json(text: str) -> list[Claim]:
    """The label in JSON: the only field of an object, or the field that is called like one."""
    found = list(_objects(text))
    return sorted([*(one for _, one in found), *_second_thoughts(text, found[-1][0] - 1)], key=_order) if found else []


def _objects(text: str) -> Iterator[tuple[int, Claim]]:
    """The outermost objects of JSON in a text: where each ends, and the claim that it makes."""
    text, end = text[:MAX_NAME_CHARACTERS], 0
    while (begin := text.find("{", end)) >= 0:
        end = begin + 1
        try:
            value, end = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        yield end, Claim(begin, _meant(text, begin), tuple(_labels_in(value)))


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of an object; none where a name comes twice."""
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else {}


_DECODER = json.JSONDecoder(object_pairs_hook=_fields)


def _labels_in(value: Any, *, alone: bool = True) -> list[Any]:
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else None
    if isinstance(value, dict):
        return [piece for field in _answering(value, alone) for piece in _labels_in(field, alone=False)]
    return [value] if isinstance(value, (str, int, float)) else []


def _answering(value: dict[str, Any], alone: bool) -> list[Any]:
    """The fields of an object that hold the answer by their names, a final one before others; or the only field.

    Where another field says that the answer is wrong, none does.
    """
    ranks: dict[int, dict[str, Any]] = {}
    judging, beside = set[str](), list[Any]()
    for name, field in value.items():
        words = {word.lower() for word in _NAME_WORDS.findall(name)}
        verdict, ours = str(field).lower(), not any(map(_ELSEWHERE.search, words))
        # A lone letter stands for grades and groups as well.
        fits = all(map(_LETTERED.fullmatch, words)) if len(verdict) == 1 and verdict.isalpha() else ours
        if words & _NAMES and words <= _NAMING:
            rank = 0 if words & _LATEST else 3 if words & _MEASURES else 2 if "predicted" in words else 1
            ranks.setdefault(rank, {})[name] = field
        elif alone and len(value) == 1 and fits:
            return [field]
        beside += [field] if words & _NAMES and ours else []
        if (words & _JUDGING and verdict in _WRONG) or (words & _WRONG and verdict in {"true", "yes"}):
            judging.add(name)
    best = ranks[min(ranks)] if ranks else {}
    known = [*best.values(), *(beside if any("correct" in name.lower() for name in best) else ())]
    return [] if judging - ({*best} if len(best) == 1 else set()) else known


# One star before a text is a pattern elsewhere; more of them, or one that stands alone, are stress or a bullet.
_ANYWHERE = re.compile(r"\*[^*\s]")
# Characters that may precede the first word.
_OPENING = r"[\"'*_`(\[ ]*?"
_KNOWN: dict[str, Callable[[str], list[Claim]]] = {
    "json": _json,
    "answer is": _said,
    "first line": lambda text: _lines(text, 0),
    "last line": lambda text: _lines(text, -1),
}


def extractor(one: Any) -> Extractor:
    """Return what `extract` names: a known way, a pattern or a function."""
    if isinstance(one, str) and one in _KNOWN:
        return one, _KNOWN[one], False
    find: Callable[[str], Iterable[Any]]
    if isinstance(one, re.Pattern):
        name, find = "pattern", lambda text: (match[min(one.groups, 1)] for match in one.finditer(text))
    elif callable(one):
        name = getattr(one, "__name__", "function").strip("<>")
        find = lambda text: _list_pieces(one(text), name)  # noqa: E731
    else:
        text = (
            "{extract} takes {}, a compiled pattern (its first group) or a function from an answer to the text "
            "that may be a label, or a list of them, not {}"
        )
        raise InputError(Message(text, some(_KNOWN), told(one)))
    return name, lambda text: (Claim(at, STATED, (piece,)) for at, piece in enumerate(find(text))), True


def _list_pieces(result: Any, name: str) -> list[Any]:
    """Turn the result of a user's function into pieces; a dict, or a list in a list, cannot be a label."""
    parts = [] if result is None else list(result) if isinstance(result, (list, tuple)) else [result]
    for piece in parts:
        if not isinstance(piece, Hashable):
            text = (
                "the function {!r} of {extract} gave {}, a {}, which is no label; it gives the text that may be one, "
                "a list of such texts, or None"
            )
            raise InputError(Message(text, name, some([piece]), type(piece).__name__))
    return parts


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
                "a star stands at the end alone, for a beginning such as 'I cannot*'; for a text anywhere give a "
                f"pattern, such as re.compile({one.strip('*')!r:.60}, re.IGNORECASE)"
            )
        if reason:
            raise InputError(Message("{} has {}: {}", Argument(option), some([one]), reason))
    return phrases


class Phrases:
    """The phrases of one outside label: whole phrases, beginnings (they end in a star) and patterns.

    >>> phrases = Phrases(["n/a", "I cannot*", re.compile("as an AI")], Spelling())
    >>> said = [Said(text, Spelling()) for text in ("N/A.", "I cannot say", "Well, as an AI model I", "cat")]
    >>> list(map(phrases.match, said))
    [True, True, True, False]
    """

    def __init__(self, phrases: Iterable[Any], spelling: Spelling) -> None:
        phrases = list(phrases)
        self._spelling = spelling
        self._patterns = [one for one in phrases if isinstance(one, re.Pattern)]
        starts = [one for one in phrases if isinstance(one, str) and one.endswith("*")]
        self._values = {(type(one), one) for one in phrases if one not in self._patterns and one not in starts}
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
        plain = said.forms[0][1] if said.forms else self._spelling.plain(said.text[:MAX_NAME_CHARACTERS])
        return bool(
            self._whole.find(said)
            or (self._empty and not plain)
            or (self._begun is not None and self._begun.match(plain))
            or any(pattern.search(said.value) for pattern in self._patterns)
        )
