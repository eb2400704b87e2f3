"""The side of the rows of a table, by the words around its counts: corner, captions, margins, marks in its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from confmat.core.frames import Rows, axis_of, corner_names, folded, is_total, lean, side_of_rows
from confmat.core.options import OTHER_SIDE

# ---- names of axes -------------------------------------------------------------------------------

_UNNAMED = re.compile(r"Unnamed: \d+|\W*|.*matri.*", re.IGNORECASE | re.DOTALL)


def corner_axes(corner: str) -> tuple[str, str]:
    r"""Read the names of the rows and of the columns in the cell at the corner; one alone is that of the rows.

    >>> (
    ...     corner_axes("map\\truth"),
    ...     corner_axes("Actual → / Predicted ↓"),
    ...     corner_axes("Predicted class"),
    ... )
    (('map', 'truth'), ('predicted', 'actual'), ('Predicted class', ''))
    """
    text = corner[:200].strip()
    placed, _ = sides_in_words(text)
    if len(placed) == 1:
        side = placed.pop()
        return side, OTHER_SIDE[side]
    names = corner_names(text)
    return names if names[1] else _joined(text)


def _joined(text: str) -> tuple[str, str]:
    """The name in a corner without a mark; for both axes where two names may be joined, as by Spark."""
    words = re.findall(r"[^\W_]+", text)
    for k in range(1, len(words)):
        row, theirs = " ".join(words[:k]), axis_of(" ".join(words[k:]))
        mine = axis_of(row)
        if (
            theirs
            and mine != theirs
            and (mine or ("_" in text and len(row) > 1 and lean(row) > -2))
        ):
            return text, text
    return text, ""


def sides_told(rows: Iterable[str], columns: Iterable[str]) -> tuple[Rows | None, tuple[str, ...]]:
    """The side of the rows by all names of both axes, and these names where they leave it open and must not."""
    mine, theirs = (
        [name for name in names if not _UNNAMED.fullmatch(name)] for names in (rows, columns)
    )
    said = {axis_of(name) for name in mine} | {OTHER_SIDE.get(axis_of(name)) for name in theirs}  # type: ignore[arg-type]
    said.discard(None)
    row, column = " ".join(mine), " ".join(theirs)
    side = side_of_rows(row, column) if not said else said.pop() if len(said) == 1 else None
    is_open = side is None and (bool(said) or (mine and theirs) or lean(row) - lean(column) < -1)
    return side, tuple(dict.fromkeys([*mine, *theirs])) if is_open else ()


# ---- captions ------------------------------------------------------------------------------------

# Words that say a place; "first row" may be that of the names or of a class.
_NO_TOTAL = r"\b(?!\W{0,2}(?:totals?|sums?|pct|percent|prob|margin))(?: head\w*)?"
_ENDED = r"\b(?=\W*(?:$|and\b)|[ ]*[,.;:)=(])"
_WORD = re.compile(
    r"(?P<open>\b(?:first|second|last|1st|2nd) "
    r"(?:rows?|lines?|col(?:umn)?s?)\b)|(?P<arrow>→|⇒|►|▶|[-=]+>)"
    r"|(?P<columns>\b(?:top|header|heading) (?:row|line)s?\b"
    rf"|\b(?:col(?:umn)?s?|spalten?|colonnes?|colonn[ae]|columnas?|colunas?|kolom(?:men)?|столбц\w*){_NO_TOTAL}"
    r"|\bhorizontal(?:ly)?\b(?! (?:row|flip))|\b(?:x|second|2nd)[- "
    r"](?:axis|dimension|index)\b|\babscissae?\b"
    r"|\b(?:axis|dim(?:ension)?)[ =]*1\b|\b(?:on|at|in|along|across|over)(?: the)? (?:top|header)\b"
    rf"|\bacross{_ENDED}|\b(?:top|headers?)(?=\)| *[:=]))"
    rf"|(?P<rows>\bleft(?:most|-hand)? col(?:umn)?s?\b"
    rf"|\b(?:rows?|zeilen?|lignes?|filas?|righe|riga|linhas?|rijen|строк\w*){_NO_TOTAL}"
    r"|\bvertical(?:ly)?\b(?! (?:col|flip))|\b(?:y|first|1st)[- "
    r"](?:axis|dimension|index)\b|\bordinates?\b"
    r"|\b(?:axis|dim(?:ension)?)[ =]*0\b|\b(?:on|at|along|down|to)(?: the)? (?:left(?:[ "
    r"-]hand)?(?: side)?|side)\b"
    rf"|(?<!broken )(?<!break )\bdown{_ENDED}|\b(?:left|side)(?=\)| *[:=])|↓|⇓|▼)"
    r"|[^\W\d]\w*",
    re.IGNORECASE,
)
# Words of scores, and calls of them, name no side of the table.
_NO_SIDE = re.compile(
    r"\b(?:true|false)[ -](?:positive|negative)s?\b|\bpredictive\b|\b(?:observed|expected) "
    r"(?:agreement|accuracy)\b"
    r"|=\s*True\b|\b\w+_(?:score|report)\([^()\n]*\)",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"\n|(?<!\bvs)[.;!?](?=\s)")
_LONGEST = 1000
# Sides that are named in so long a text at most belong together.
_BESIDE = 300
# Between a side and its place there are few words, and none of these.
_MOST_APART = 80
_APART = re.compile(
    r"\b(?:with|without|missing|where|whose|per|number|while|whereas|vs|versus|against)\b|[,/]",
    re.IGNORECASE,
)
# Signs between the sides where their order says which of them is in rows.
_NOUN = r"(?:\s(?:class(?:es)?|labels?|categor(?:y|ies)|values?|conditions?|data))?"
_TIMES = re.compile(rf"{_NOUN}\s*(?:[×*\\|/]|\bx\b|-by-|\bby\b)\s*(?:the )?", re.IGNORECASE)
_COMMA = re.compile(r"[^()\[\]]{0,30},[^()\[\]]{0,30}")
_BRACKET = re.compile(r"(?:(?<!\w)|matrix|crosstab|table)[(\[][^()\[\]]*$", re.IGNORECASE)
Word = tuple[str, int, int]


def sides_in_words(text: str) -> tuple[set[Rows], bool]:
    """Read the side of the rows from sentences beside a table, and whether they name sides and leave this open.

    >>> (
    ...     sides_in_words("Predicted (rows) vs. actual (columns)"),
    ...     sides_in_words("True labels across the top"),
    ... )
    (({'predicted'}, False), ({'predicted'}, False))
    >>> sides_in_words("pred × true"), sides_in_words("Predictions against the truth")
    (({'predicted'}, False), (set(), True))
    """
    text = text[:100_000].replace("行", " rows ").replace("列", " columns ")
    text = _NO_SIDE.sub("-", re.sub(r"(?<=[^\W\d]|,)\n(?=[^\W\d])", " ", text))
    said: set[Rows] = set()
    named: set[str] = set()
    is_open = False
    for sentence in _SENTENCES.split(text):
        if len(sentence) <= _LONGEST:
            found, sides, unclear = _in_sentence(sentence)
            said |= found
            is_open |= unclear
            named |= sides if len(text) <= _BESIDE else set()
    return said, not said and (is_open or len(named) > 1)


def _in_sentence(sentence: str) -> tuple[set[Rows], set[str], bool]:
    """The side of the rows by one sentence, the sides that it names, and whether it leaves open where they are."""
    words = _words(sentence, 4)
    sides = {kind for kind, _, _ in words} & {*OTHER_SIDE}
    is_plain = bool(sides)
    if not is_plain:
        # Words such as map and model are a side beside the word of a place.
        words = _words(sentence, 2)
    found = _by_place(sentence, words) or _by_order(sentence, words)
    kinds = [kind for kind, _, _ in words]
    if not is_plain and found == ["predicted"]:
        return set(), sides, True
    unclear = "open" in kinds and not OTHER_SIDE.keys().isdisjoint(kinds)
    return set(found), sides, unclear or (not found and len(sides) > 1)


@lru_cache(4096)
def _side(word: str, least: int) -> str | None:
    weight = lean(word)
    return None if abs(weight) < least else "actual" if weight > 0 else "predicted"


def _words(sentence: str, least: int) -> list[Word]:
    """The words of a sentence that name a side or a place, one of those that follow each other and mean the same."""
    found: list[Word] = []
    for word in _WORD.finditer(sentence):
        kind = word.lastgroup or _side(word[0], least)
        if kind is not None and not (found and found[-1][0] == kind):
            found.append((kind, word.start(), word.end()))
    if not {"rows", "columns"}.isdisjoint(kind for kind, _, _ in found) and "↓" not in sentence:
        # Arrows stand for "is" beside words for places.
        return [word for word in found if word[0] != "arrow"]
    return [("columns", *word[1:]) if word[0] == "arrow" else word for word in found]


def _by_place(sentence: str, words: list[Word]) -> list[Rows]:
    """The side of the rows by each side that has a place beside it."""
    kinds = [kind for kind, _, _ in words]
    halves = [*map(set, (kinds[:2], kinds[2:]))]
    if len(kinds) == 4 and {"rows", "columns"} in halves and {*OTHER_SIDE} in halves:
        # "Rows and columns are actual and predicted classes".
        return [_rows_of(kinds[0], kinds[2])]
    found: list[Rows] = []
    chain: list[str] = kinds[:1]
    for one, other in [*pairwise(words), (None, None)]:
        if one is not None and other is not None and _belong(sentence, one, other):
            chain.append(other[0])
            continue
        if len(chain) % 2 and len(chain) > 1:
            # The word in the middle may belong to either.
            return []
        found += [_rows_of(*pair) for pair in zip(chain[::2], chain[1::2], strict=False)]
        chain = [other[0]] if other is not None else []
    return found


def _rows_of(one: str, other: str) -> Rows:
    return (
        "actual" if {one, other} in ({"rows", "actual"}, {"columns", "predicted"}) else "predicted"
    )


def _belong(sentence: str, one: Word, other: Word) -> bool:
    between = sentence[one[2] : other[1]]
    is_pair = "open" not in (one[0], other[0]) and (one[0] in OTHER_SIDE) != (
        other[0] in OTHER_SIDE
    )
    return is_pair and len(between) < _MOST_APART and not _APART.search(between)


def _by_order(sentence: str, words: list[Word]) -> list[Rows]:
    """The side that is named first, where a sign or the brackets of a call say that this is the side of the rows."""
    if any(kind not in OTHER_SIDE for kind, _, _ in words):
        return []
    for (first, start, end), (_, stop, _) in pairwise(words):
        between = sentence[end:stop]
        if _TIMES.fullmatch(between) or (
            _COMMA.fullmatch(between) and _BRACKET.search(sentence[:start])
        ):
            return ["actual" if first == "actual" else "predicted"]
    return []


# ---- scores, totals and marks --------------------------------------------------------------------

# Words of scores, under the side by whose totals they divide: precision by what was predicted,
# recall by what is true.
_SCORES: dict[Rows | None, str] = {
    "predicted": "precision prazision precisione precisao ppv npv fdr ua user users consumer consumers "
    "nutzergenauigkeit commission predictive",
    "actual": "recall rappel sensitivity sens sensitivitat sensibilidad sensibilite specificity spec tpr tnr fpr fnr "
    "pa producer producers produzentengenauigkeit omission",
    None: "accuracy acc oa genauigkeit trefferquote exactitud exactitude acuracia accuratezza f1 measure score kappa "
    "iou jaccard dice mcc auc correct misclassified errors err percent percentage prozent pct rate",
}
_OF_SCORES = {side: set(words.split()) for side, words in _SCORES.items()}
_KEYS = set.union(*_OF_SCORES.values())
# Words that stand beside them; the letters are those of f-score, user's, and U_Accuracy and
# P_Accuracy of ArcGIS.
_BESIDE_SCORES = {
    "class", "error", "overall", "average", "avg", "mean", "value", "positive", "negative", "hit", "of", *"fsup"
}  # fmt: skip
_MARK = re.compile(r"\b(?:TP|TN|FP|FN)\b")
# Scores and totals stand at the end.
_MOST_MARGINS = 20


def is_score(name: str) -> bool:
    """Whether a margin of this name holds scores.

    >>> is_score("class.error"), is_score("Producer\u2019s accuracy (%)"), is_score("error")
    (True, True, False)
    """
    words = _parts(name)
    if "_" in name and _parts(name.rpartition("_")[2]) & (
        _OF_SCORES["predicted"] | _OF_SCORES["actual"]
    ):
        # The score of one class, as "water_UA".
        return True
    return words == {"class", "error"} or (bool(words & _KEYS) and words <= _KEYS | _BESIDE_SCORES)


def _parts(name: str) -> set[str]:
    return (
        set(folded(name.replace("%", " percent ").replace("IoU", "iou")).split())
        if len(name) <= 60
        else set()
    )


def sides_at_margins(names: tuple[Sequence[str], Sequence[str]]) -> tuple[set[Rows], bool]:
    """Read the side of the rows from names of totals and scores, and whether these leave it open.

    User's accuracy beside the rows and producer's below the columns, or "Total predicted" alone,
    tell it. The name of one score does not: precision may stand beside actual rows.
    """
    said: list[Rows] = []
    is_total_told = False
    for side, others, mine in (("actual", *names), ("predicted", *names[::-1])):
        ends = {*mine[-_MOST_MARGINS:]} - {*others}
        found = {leaning for name in ends if (leaning := _side_of_margin(name)) is not None}
        if len(found) == 1:
            # Precision and recall beside each other are listed by class.
            said.append("actual" if found == {side} else "predicted")
            is_total_told |= any(map(is_total, ends)) and not any(map(is_score, ends))
    is_told = is_total_told or len(said) > 1
    return ({*said} if is_told else set()), "predicted" in said and not is_told


def _side_of_margin(name: str) -> Rows | None:
    if is_score(name):
        words = _parts(name)
        words |= {{"u": "user", "p": "producer"}.get(word, "") for word in words}
        found = [side for side in OTHER_SIDE if words & _OF_SCORES[side]]
        return found[0] if len(found) == 1 else None
    less = lean(name) if is_total(name) else 0
    return None if abs(less) < 2 else "actual" if less > 0 else "predicted"


def side_of_marks(cells: Iterable[Iterable[str]]) -> set[Rows]:
    """Read the side of the rows from TP, FP, FN and TN in the cells: TP and FP share the row predicted positive."""
    found = [
        (mark[0], i) for i, row in enumerate(cells) for cell in row if (mark := _MARK.search(cell))
    ]
    at = dict(found)
    pairs = [
        (at[one], at[other])
        for one, other in (("TP", "FP"), ("TN", "FN"))
        if one in at and other in at
    ]
    return (
        {"predicted" if one == other else "actual" for one, other in pairs}
        if len(at) == len(found)
        else set()
    )
