"""Figures: cells as tools and offices write them, with commas for points, shares in brackets, scores at the margin."""

from __future__ import annotations

import re
from collections.abc import Sequence

from confmat.errors import InputError

__all__ = ["is_score", "settled", "without_scores"]

Cells = Sequence[Sequence[str]]

# Margins that hold scores. A class may be called "error" or "accuracy", so those alone are not among them.
_SCORES = {
    *("class error", "class.error", "-err.-", "class precision", "class recall", "precision", "recall", "sensitivity"),
    *("specificity", "f1", "f1-score", "f1 score", "f-score", "f-measure", "ppv", "npv", "percentage correct"),
    *("percent correct", "% correct", "correct (%)", "overall percentage", "user's accuracy", "users accuracy"),
    *("user accuracy", "producer's accuracy", "producers accuracy", "producer accuracy", "omission error"),
    *("commission error", "error of omission", "error of commission", "errors of omission", "errors of commission"),
}
# R's package mlr heads both margins so.
_NEVER_CLASSES = ("-err.-",)
_UNIT = re.compile(r"\s*(?:\(%\)|\[%\]|, %|%)$")
_KINDS = r"(?:TP|TN|FP|FN)"
# A count beside its share, or beside the name of its cell.
_BESIDE = re.compile(
    rf"(?:{_KINDS}\s*[=:]\s*)?(?P<count>\d[\d,.]*)\s*(?:[(\[]\s*(?:{_KINDS}|\d+(?:[.,]\d+)?\s*\\?%)\s*[)\]])?"
    rf"|{_KINDS}\s*\((?P<inside>\d[\d,.]*)\)"
)
_COMMA = re.compile(r"(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+),\d+", re.ASCII)
_ENGLISH = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+", re.ASCII)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+", re.ASCII)


def is_score(name: str) -> bool:
    """Whether a margin of this name holds scores.

    >>> is_score("class.error"), is_score("Producer\u2019s accuracy (%)"), is_score("error")
    (True, True, False)
    """
    if len(name) > 60:
        return False
    plain = name.strip().lower().replace("\u2019", "'")
    return plain in _SCORES or _UNIT.sub("", plain) in _SCORES


def without_scores(cells: Cells, rows: Sequence[str], cols: Sequence[str]) -> tuple[Cells, list[str], list[str]]:
    """The table without the scores that stand behind its last columns and below its last rows."""
    rows, cols = list(rows), list(cols)
    if any(map(is_score, cols)) and cols[-1].strip().lower() == "support":
        cols.pop()
    names = {*rows} - {*_NEVER_CLASSES}
    while cols and is_score(cols[-1]) and cols[-1] not in names:
        cols.pop()
    while len(rows) > 1 and is_score(rows[-1]) and rows[-1] not in cols:
        rows.pop()
    if not cols:
        msg = (
            "these are scores of classes, no counts; confmat.infer finds the matrices that have them, and "
            "confmat.audit compares them with a matrix"
        )
        raise InputError(msg)
    return [row[: len(cols)] for row in cells[: len(rows)]], rows, cols


def settled(cells: Cells, *, points: bool) -> Cells:
    """The cells with their counts alone and with points for decimals; `points` says that a point is known for one.

    >>> settled([["1.050,5", "3"], ["0,25", "50 (8.3%)"]], points=False)
    [['1050.5', '3'], ['0.25', '50']]
    """
    table = [[_count(cell) for cell in row] for row in cells]
    texts = {cell for row in table for cell in row if "," in cell or "." in cell}
    if any(_COMMA.fullmatch(text) and not _ENGLISH.fullmatch(text) for text in texts):
        return [[_with_point(cell) for cell in row] for row in table]
    dotted = {text for text in texts if "." in text}
    if points or not dotted or not all(map(_GROUPED.fullmatch, dotted)):
        return table
    if any(text.count(".") > 1 for text in dotted):
        return [[cell.replace(".", "") for cell in row] for row in table]
    if any(cell.isdecimal() and int(cell) for row in table for cell in row if len(cell) < 20):
        one = min(dotted)
        msg = (
            f"{one} beside whole numbers is a decimal to some and {one.replace('.', '')} to others; write "
            f"{one.replace('.', ',')} or {one.replace('.', '')} for the count, or all numbers with decimals"
        )
        raise InputError(msg)
    return table


def _count(cell: str) -> str:
    """The count in a cell that has something beside it."""
    if cell.isdecimal() or len(cell) > 60:
        return cell
    found = _BESIDE.fullmatch(cell)
    return (found["count"] or found["inside"]) if found is not None else cell


def _with_point(cell: str) -> str:
    if _COMMA.fullmatch(cell) or _GROUPED.fullmatch(cell):
        return cell.replace(".", "").replace(",", ".")
    return cell
