"""Sentences: whether the words around a claim state it, deny it, doubt it, or report it of somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from confmat.answers.claims import (
    DENIED,
    DOUBTED,
    HINTED,
    STATED,
    Claim,
    bared,
    clauses,
    either,
    pattern,
    word_set,
)

# ---- before a claim ------------------------------------------------------------------------------
# Names of an answer, and words before them: "the final answer", "my predicted label".
NAMES = word_set(
    "answer ans label class category prediction choice verdict result classification decision "
    "conclusion "
    "sentiment rating score judgment judgement output response solution topic emotion intent "
    "stance polarity "
    "relation relationship option letter"
)
LATEST = word_set("final revised corrected updated")
QUALIFIERS = LATEST.union(
    word_set("predicted my the correct right best selected chosen overall most likely")
)
# The answer in other languages.
ABROAD = word_set(
    "antwort lösung respuesta opción réponse risposta resposta opção alternativa ответ antwoord svar svaret odpowiedź "
    "odpověď cevap "
    "vastaus jawaban الإجابة الجواب उत्तर"
)
# Words that may be between the beginning of a clause and the name; any other word gives it
# another meaning.
_LEADS = QUALIFIERS.union(
    NAMES,
    word_set(
        "a an our this that then now finally i i'd i'm i'll we we'd we're am are it would will can "
        "say think "
        "believe conclude confident sure certain quite pretty fairly know see find get true "
        "appropriate accurate "
        "proper exact suitable single only in short summary sum to for here here's there as based on "
        "above given all "
        "information passage text reasoning analysis evidence context question follows must new "
        "son but however "
        "fact reality end is clear actually so hence indeed certainly definitely clearly obviously "
        "simply surely "
        "undoubtedly therefore thus exactly die das richtige korrekte meine endgültige also daher "
        "somit folglich la "
        "el mi correcta por tanto lo así bonne ma donc o minha correta portanto mia giusta "
        "corretta quindi "
        "правильный итоговый мой итак het juiste mijn dus prawidłowa poprawna doğru 所以 因此 最终 最終 "
        "正确 正確 正确的 正確的 故 本题 本題"
    ),
)
# "No doubt the answer is A" says it, "There is some doubt that ..." does not.
_DOUBTLESS = pattern(
    r"\b"
    + either(
        "no doubt|without (?:an?y? )?doubt|no (?:question|secret)|beyond (?:an?y? )?(?:reasonable "
        ")?doubt"
    )
    + r"\b"
)
# "It is unlikely that the answer is A."
_DENYING = pattern(
    r"n['’]t\b|~~|\b"
    + either(r"""
    not|cannot|never|no|nobody|none|neither|nor|wrong\w*|incorrect\w*|fals\w*|mis\w*|doubt\w*|possib\w*|untru\w*
    |impossib\w*|unlikely|might|may|could|perhaps|maybe|why|schema|template|example|instance|format|avoid|unsure
    |instead|without|eliminat\w*|exclud\w*|except""")
    + r"\b"
)
# "If the answer is A, ...", "Some people say that the answer is A", "Student: the answer is A".
_REPORTING = pattern(
    r"\b"
    + either(r"""
    if|unless|whether|suppos\w*|assum\w*|imagine|pretend|hypoth\w*|provided that|surprised?|says|said
    |claim(?:s|ed)|thinks|thought|argue[sd]|believe[sd]|suggest(?:s|ed)|insist(?:s|ed)|asserts?|answered|wrote
    |writes|doubt\w*|according to(?! the (?:text|passage|article|context|table|question|paragraph))
    |(?:some|many|people|others|they) (?:[a-z]+ )?(?:say|think|believe|claim|argue)""")
    + r"\b|(?:\bno|n['’])t\s+(?:true|sure|certain|clear|the\s+case|think|believe)\b|\be\.g\."
    r"|\b(?:user|human|student|q|question)\s*:"
    r"|\A\W*(?:(?:should|were|had|provided|wenn|falls|si|se|если|jeśli|eğer)\b|如果|假如|もし|만약)"
)
# A line that begins in lower case goes on with the sentence before, and "e.g." does not end one; a
# formula does.
_SENTENCES = re.compile(
    r"(?<!\.[a-z])[.!?](?=[\s*_\"'`”’]*\s)|\.\s+(?=The\s)|[。！？]|(?<!:)\n(?![a-z])|\n\s*\n|[$}\]]\s+(?=[A-Z])"
)
_SEGMENTS = pattern(r"[,;:：，、—–()]|\s-\s|\b(?:so|thus|hence|therefore|consequently|and|means)\b")
WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_MAX_LEAD_CHARACTERS = 300


def kind_at(text: str, at: int) -> int | None:
    """How a phrase is meant, by the sentence before it; None where other words give it another meaning.

    >>> [
    ...     kind_at(f"{lead} answer is A.", len(lead) + 1)
    ...     for lead in ("So the", "I don't think the", "A wise")
    ... ]
    [3, 1, None]
    """
    if at == 0:
        return STATED
    lead = _DOUBTLESS.sub(" ", text[max(0, at - _MAX_LEAD_CHARACTERS) : at])
    end = max((found.end() for found in _SENTENCES.finditer(lead)), default=0)
    *earlier, last = _SEGMENTS.split(lead[end:])
    words = WORDS.findall(last.lower().replace("’", "'"))
    while not last.strip() and earlier:
        last = earlier.pop()
    if _DENYING.search(last) or _REPORTING.search(lead[end:]):
        return DENIED
    return (
        STATED
        if _LEADS.issuperset(words) and not (earlier and last.strip() in {'"', "“"})
        else None
    )


def kind_alone(text: str, at: int) -> int:
    """How an answer that needs no phrase, such as a box, is meant, by the sentence before it."""
    return kind_at(text[:at].rstrip(), at) or STATED


# ---- after a claim, in its sentence --------------------------------------------------------------
_STOP = re.compile(r"[.!?](?:\s|$)")
_HEDGED = pattern(
    r"[,;(—–][\s*_\"'`(]*"
    + either(r"""
    if|(?:al)?though|unless|assuming|provided|supposing|only (?:if|when)|or (?:is|was|maybe|perhaps|possibly|so)
    |(?:some|they|he|she|people|many)(?: \w+){0,3} (?:say|said|says|think|thinks|thought|believed?|believes|claim|argue)
    |said|says|according|at least (?:for|in|if)|except|leaning
    |(?:could|may|might) (?:also )?be""")
    + r"\b|\A[^\s,.;]*\s+(?:is|was|would\s+be)\s+(?:wrong|incorrect|false|not)\b|\?\Z"
    # "A (incorrect)" and "A: wrong", but "No, wrong" is one answer.
    r"|(?<=\w)[\s*_)\]]*(?:[(\[:]|\s[-–—])[\s*_]*(?:incorrect|wrong|false|rejected|eliminated)\b"
)


def hedges(words: str, at: int) -> list[Claim]:
    """A doubt, where the rest of a sentence makes its claim one of a case, of somebody else, or of several.

    >>> [
    ...     len(hedges(words, 0))
    ...     for words in ("A, if it rains.", "A (incorrect)", "A, because it rains.")
    ... ]
    [1, 1, 0]
    """
    stop = _STOP.search(words)
    found = _HEDGED.search(words, 0, len(words) if stop is None else stop.start() + 1)
    return [] if found is None else [Claim(at + found.start() + 1, DOUBTED, ())]


# ---- after a claim, anywhere ---------------------------------------------------------------------
# "Wait, ...", "On second thought ...", "That is wrong.", "Or is it B?"
_TAKEN_BACK = either(r"""
    wait|actually|hm+|oops|sorry|apologies|correction|correcting|nope|edit|korrektur|correcci[oó]n|correzione
    |correção|更正|修正|訂正|исправление|scratch that|strike that|never mind|nevermind|or (?:is|was) it
    |my (?:mistake|bad|apologies|error)|let me (?:re\w*|correct|fix|double|check|think|try)|or rather
    |(?:up)?on (?:second|further|closer|re\w*)|after (?:check\w*|re\w*)|(?:just |only )?(?:kidding|joking)
    |(?<=[}>$]\s)(?:if|unless)\b|i (?:disagree|made an?|mis\w*|was wrong|meant|mean|take (?:it|that)|change|retract)
    |i (?:stand corrected|apologi[sz]e)|(?:please )?(?:ignore|disregard|forget) (?:that|this|it|what|my|the)
    |i(?: can(?:no|')t| could(?: not|n't)) (?:tell|say|decide|choose|be|confirm|determine)
    |i(?:'m| am) not (?:[a-z]+ )?(?:sure|certain)|i do(?: not| ?n't) know|not (?:sure|quite)
    |(?:(?:that|this|it|which)(?: (?:quote|answer|claim|statement|reply|line))?(?:'s| is| was)|is|was)
    \s+(?:not (?:right|correct|it|true)|wrong|incorrect|false|mistaken|untrue|nonsense|what
    |an? (?:mistake|trap|joke|error|misprint))
    |(?:that|this|it) (?:is|was)n't|(?:no|wrong|instead|rather|nein|non|нет|moment)(?=\s?[,.!:;—–…-])|warte
    |doch nicht|espera|perd[oó]n|attends?|pardon|aspetta|подожди|等等|等一下|不对|不對|不，|待って|いや""")
# "So it must be B": it may contradict the claim before.
_BY_THE_WAY = either(
    "so|it's|it (?:is|was)|(?:it |that )?(?:must|should|has to) be|make "
    "(?:it|that)|thus|hence|therefore"
)
_SECOND_THOUGHT = pattern(
    r"(?:[\n.!?,;:。！？，—–(}>$]|\s-|\b(?:but|no|wait)\b)[\s*_\"'`(]{0,20}(?:(?:and|but|so|no|oh|well|then)[\s,]+)?"
    rf"(?:({_TAKEN_BACK})(?![a-z])|{_BY_THE_WAY}\b)(?=[\s:,*_\"'`]*([^\n]{{1,80}})?)"
)


def second_thoughts(text: str, begin: int) -> Iterator[Claim]:
    """Doubts about what was claimed, and labels that are named by the way, from some place on.

    >>> [(one.kind, one.pieces[:1]) for one in second_thoughts("A. Wait, B.", 0)]
    [(0, ()), (2, ('B.',))]
    """
    for found in _SECOND_THOUGHT.finditer(text, begin) if len(text) >= begin + 3 else ():
        if found[1]:
            yield Claim(found.start(), DOUBTED, ())
        if found[2]:
            yield Claim(found.start(2), HINTED, *clauses(bared(found[2])))
