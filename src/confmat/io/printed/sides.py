"""The side of the rows of a table, by the words around its counts: corner, captions, margins, marks in its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from confmat.core.frames import Rows, axis_of, corner_names, folded, is_total, lean, side_of_rows
from confmat.core.options import OTHER_SIDE

# ---- names of axes -------------------------------------------------------------------------------

_UNNAMED = re.compile(r"Unnamed: \d+|\W*|.*matri.*", re.IGNORECASE | re.DOTALL)
_TO_THE_RIGHT = re.compile(r"\s*(?:[→⇒►▶]|[-=]+>)$")


def corner_axes(corner: str) -> tuple[str, str]:
    r"""Read the names of the rows and of the columns in the cell at the corner; one alone is that of the rows.

    >>> corner_axes("map\\truth"), corner_axes("Predicted →"), corner_axes("Predicted class")
    (('map', 'truth'), ('', 'Predicted'), ('Predicted class', ''))
    """
    text = corner[:200].strip()
    if _PLACE.search(text) and sides_in_words(text)[1]:
        # "Columns: actual" names a side, but not that of the rows.
        return text, text
    names, bare = corner_names(text), _TO_THE_RIGHT.sub("", text)
    return names if names[1] else ("", bare) if bare != text else _joined(text)


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
    named = {axis_of(name) for name in mine} | {OTHER_SIDE.get(axis_of(name)) for name in theirs}  # type: ignore[arg-type]
    named.discard(None)
    row, column = " ".join(mine), " ".join(theirs)
    side = side_of_rows(row, column) if not named else named.pop() if len(named) == 1 else None
    is_open = side is None and (bool(named) or (mine and theirs) or lean(row) - lean(column) < -1)
    return side, tuple(dict.fromkeys([*mine, *theirs])) if is_open else ()


# ---- captions ------------------------------------------------------------------------------------

# Words of a place: beside one of them, the name of a side is about rows or columns.
_PLACE = re.compile(
    r"\b(?:rows?|lines?|zeilen?|lignes?|filas?|righe|riga|linhas?|rijen|col(?:umn)?s?|spalten?|colonnes?|colonn[ae]"
    r"|columnas?|colunas?|kolom(?:men)?|headers?|heading|horizontal(?:ly)?|vertical(?:ly)?|abscissae?|ordinates?"
    r"|left|side|top(?!-)|across|down|axis|dim(?:ension)?)\b|строк|столбц|行|列",
    re.IGNORECASE,
)
# A call that makes the table: what is in rows comes first.
_CALL = re.compile(
    r"(?:matrix|crosstab|table)\s*\(\s*([^(),]{1,40}),\s*([^(),]{1,40})", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d]\w*")
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


def sides_in_words(text: str) -> tuple[Rows | None, bool]:
    """Read the side of the rows from a call beside a table, and whether other words may name it.

    >>> sides_in_words("confusion_matrix(y_true, y_pred)"), sides_in_words("Predicted vs. actual")
    (('actual', False), (None, True))
    """
    text = _NO_SIDE.sub("-", text[:100_000])
    if call := _CALL.search(text):
        first, second = map(axis_of, call.groups())
        if first != second:
            return first or OTHER_SIDE[second], False  # type: ignore[index]
    named: set[bool] = set()
    for sentence in _SENTENCES.split(text if len(text) > _BESIDE else text.replace("\n", " ")):
        weights = [*map(_lean, _WORD.findall(sentence[:_LONGEST]))]
        sides = {weight > 0 for weight in weights if abs(weight) > 3}
        if len(sides) > 1 or (
            any(abs(weight) > 1 for weight in weights) and _PLACE.search(sentence)
        ):
            return None, True
        named |= sides if len(text) <= _BESIDE else set()
    return None, len(named) > 1


_lean = lru_cache(4096)(lean)


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
# Words that are beside them; the letters are those of f-score, user's, and U_Accuracy and
# P_Accuracy of ArcGIS.
_BESIDE_SCORES = {
    "class", "error", "overall", "average", "avg", "mean", "value", "positive", "negative", "hit", "of", *"fsup"
}  # fmt: skip
_MARK = re.compile(r"\b(?:TP|TN|FP|FN)\b")
# Scores and totals are at the end.
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


def margins_turn(names: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Whether totals or scores may say that rows are predicted: "Total predicted" or precision beside them."""
    for side, others, mine in (("actual", *names), ("predicted", *names[::-1])):
        ends = {*mine[-_MOST_MARGINS:]} - {*others}
        found = {leaning for name in ends if (leaning := _side_of_margin(name)) is not None}
        # Precision and recall beside each other are listed by class.
        if len(found) == 1 and found != {side}:
            return True
    return False


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
        (at[right], at[wrong])
        for right, wrong in (("TP", "FP"), ("TN", "FN"))
        if right in at and wrong in at
    ]
    return (
        {"predicted" if right == wrong else "actual" for right, wrong in pairs}
        if len(at) == len(found)
        else set()
    )
