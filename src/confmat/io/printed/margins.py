"""The side of the rows by words around the counts: scores and totals at the margins, marks in cells, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from confmat.core.frames import OTHER_SIDE, Rows, axis_of, folded, is_total, lean

# Words of scores, under the side by whose totals they divide: precision by what was predicted, recall by what is true.
_SCORES: dict[Rows | None, str] = {
    "predicted": "precision prazision precisione precisao ppv npv fdr ua user users consumer consumers "
    "nutzergenauigkeit commission predictive",
    "actual": "recall rappel sensitivity sens sensitivitat sensibilidad sensibilite specificity spec tpr tnr fpr fnr "
    "pa producer producers produzentengenauigkeit omission",
    None: "accuracy acc oa genauigkeit trefferquote exactitud exactitude acuracia accuratezza f1 measure score kappa "
    "iou jaccard dice mcc auc correct misclassified errors err percent percentage prozent pct rate",
}
_WORDS = {side: set(words.split()) for side, words in _SCORES.items()}
_KEYS = set.union(*_WORDS.values())
# Words that stand beside them; the letters are those of f-score, user's, and U_Accuracy and P_Accuracy of ArcGIS.
_BESIDE = {"class", "error", "overall", "average", "avg", "mean", "value", "positive", "negative", "hit", "of", *"fsup"}
_MARK = re.compile(r"\b(?:TP|TN|FP|FN)\b")
# The marks of two cells, and the side of the rows if both are in one of them.
_TOGETHER: tuple[tuple[str, str, Rows], ...] = (
    ("TP", "FP", "predicted"), ("TN", "FN", "predicted"), ("TP", "FN", "actual"), ("TN", "FP", "actual"),
)  # fmt: skip
_LINES = (
    r"(?P<rows>rows?|zeilen?|lignes?|filas?|righe|riga|linhas?|rijen|строк\w*)"
    r"|(?P<columns>col(?:umn)?s?|spalten?|colonnes?|colonn[ae]|columnas?|colunas?|kolom(?:men)?|столбц\w*)"
)
_TOKEN = re.compile(
    rf"\b(?:{_LINES})\b(?!\W{{0,2}}(?:totals?|sums?|pct|percent|prob|margin))|[^\W\d_]+",
    re.IGNORECASE,
)
# Scores and totals stand at the end.
_MOST_MARGINS = 20
# Between a side and its line there are few words, and none of these.
_FAR = 80
_APART = re.compile(r"\b(?:with|without|missing|where|whose|per|number)\b|[.;!?]\s", re.IGNORECASE)


def is_score(name: str) -> bool:
    """Whether a margin of this name holds scores.

    >>> is_score("class.error"), is_score("Producer\u2019s accuracy (%)"), is_score("error")
    (True, True, False)
    """
    words = _words(name)
    if "_" in name and _words(name.rpartition("_")[2]) & (_WORDS["predicted"] | _WORDS["actual"]):
        # The score of one class, as "water_UA".
        return True
    return words == {"class", "error"} or (bool(words & _KEYS) and words <= _KEYS | _BESIDE)


def _words(name: str) -> set[str]:
    return set(folded(name.replace("%", " percent ").replace("IoU", "iou")).split()) if len(name) <= 60 else set()


def sides_at_margins(rows: Sequence[str], cols: Sequence[str], cells: Sequence[Sequence[str]]) -> set[Rows]:
    """Read the side of the rows from names of scores and totals: user's accuracy beside them means predicted."""
    said: set[Rows] = set()
    for names, others in ((cols, rows), (rows, cols)):
        ends = {*names[-_MOST_MARGINS:]} - {*others}
        sides = {name: side for name in ends if (side := _side_of_margin(name)) is not None}
        if sides:
            lines = cells if names is cols else list(zip(*cells, strict=True))
            at = {name: i for i, name in enumerate(others) if not is_total(name)}
            classes = [(at[name], k) for k, name in enumerate(names) if name in at]
            found = {side for name, side in sides.items() if not _is_across(lines, classes, names.index(name))}
            if len(found) == 1:
                # Precision and recall beside each other are listed by class.
                side = found.pop()
                said.add(side if names is cols else OTHER_SIDE[side])
    return said


def _is_across(lines: Sequence[Sequence[str]], classes: list[tuple[int, int]], k: int) -> bool:
    """Whether the scores at place k are shares of the columns and not of the lines beside which they stand."""
    try:
        table = [[float(re.sub(r",(?=\d{3}\b)", "", lines[i][j])) for _, j in classes] for i, _ in classes]
        scores = [float(lines[i][k].strip(" %").replace(",", ".")) for i, _ in classes]
        shares = [[part[i] / sum(part) for i, part in enumerate(parts)] for parts in (table, zip(*table, strict=True))]
    except (ValueError, ZeroDivisionError):
        return False
    scores = [score / 100 if max(scores) > 1 else score for score in scores]
    fits = [
        any(all(abs(a - abs(error - b)) < 0.01 for a, b in zip(scores, share, strict=True)) for error in (0, 1))
        for share in shares
    ]
    return fits == [False, True]


def _side_of_margin(name: str) -> Rows | None:
    if is_score(name):
        words = _words(name)
        words |= {{"u": "user", "p": "producer"}.get(word, "") for word in words}
        found = [side for side in OTHER_SIDE if words & _WORDS[side]]
        return found[0] if len(found) == 1 else None
    less = lean(name) if is_total(name) else 0
    return None if abs(less) < 2 else "actual" if less > 0 else "predicted"


def side_of_marks(cells: Iterable[Iterable[str]]) -> set[Rows]:
    """Read the side of the rows from TP, FP, FN and TN in the cells: TP and FP share the row predicted positive."""
    found = [(mark[0], i) for i, row in enumerate(cells) for cell in row if (mark := _MARK.search(cell))]
    at = dict(found)
    if len(at) < len(found):
        return set()
    return {
        side if at[one] == at[other] else OTHER_SIDE[side]
        for one, other, side in _TOGETHER if one in at and other in at
    }  # fmt: skip


def sides_in_words(text: str) -> set[Rows]:
    """Read the side of the rows from a sentence beside the table.

    >>> sides_in_words("Table 2. Predicted (rows) vs. actual (columns)"), sides_in_words("Columns: truth")
    ({'predicted'}, {'predicted'})
    """
    said: set[Rows] = set()
    text = re.sub("<[^>]{0,500}>", "\n", text[:100_000]).replace("行", " rows ").replace("列", " columns ")
    for line in re.sub(r"(?<=[^\W\d]|,)\n(?=[^\W\d])", " ", text).splitlines():
        if len(line) < 1000 and re.search(_LINES, line, re.IGNORECASE):
            said |= _sides_in(line)
    return said


def _sides_in(line: str) -> set[Rows]:
    """The side of the rows by the lines and sides that a sentence names by turns."""
    found: list[tuple[str, int, int]] = []
    for token in _TOKEN.finditer(line):
        kind = token.lastgroup or axis_of(token[0])
        if kind is not None and not (found and found[-1][0] == kind):
            found.append((kind, token.start(), token.end()))
    # A sentence may name the sides before it says where they are.
    first = next((i for i, (kind, _, _) in enumerate(found) if kind not in OTHER_SIDE), 0)
    for part in (found, found[first:]):
        pairs = list(zip(part[::2], part[1::2], strict=False))
        if pairs and all(_belong(line, *pair) for pair in pairs):
            kinds = [{one[0], other[0]} for one, other in pairs]
            return {
                "actual" if pair in ({"rows", "actual"}, {"columns", "predicted"}) else "predicted" for pair in kinds
            }
    return set()


def _belong(line: str, one: tuple[str, int, int], other: tuple[str, int, int]) -> bool:
    between = line[one[2] : other[1]]
    is_pair = (one[0] in OTHER_SIDE) != (other[0] in OTHER_SIDE)
    return is_pair and len(between) < _FAR and not _APART.search(between)
