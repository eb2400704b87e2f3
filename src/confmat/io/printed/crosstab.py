"""Cross tables from text: figures as tools write them, axes, totals and scores at the margins, and the matrix."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import check_list, check_outside
from confmat.core.options import one_of
from confmat.core.text import repeated, some

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
Rows = Literal["actual", "predicted"]
Kind = Literal["text", "int", "bool"]
_ACTUAL = (
    "actual actuals true truth reference gold goldstandard goldlabel groundtruth observed obs expected target targets "
    "ytrue ytest trueclass truelabel truelabels actualclass actuallabel realclass benchmark label labels"
)
_PREDICTED = (
    "predicted predict predicts prediction predictions pred preds ypred yhat forecast predictedclass predictedlabel "
    "predictedlabels classifier classified classifiedas estimate estimated fitted"
)
_SIDES: dict[str, Rows] = {
    **dict.fromkeys(_ACTUAL.split(), "actual"),
    **dict.fromkeys(_PREDICTED.split(), "predicted"),
}  # fmt: skip
_TOTALS = {"all", "total", "totals", "sum", "margin", "grand total", "row total", "column total", "σ"}
_DIGITS = r"(?:\d+|[1-9]\d{0,2}(?:[,'_\u2019\u00a0\u2009\u202f]\d{3})+)"
_INTEGER = re.compile(rf"\+?{_DIGITS}", re.ASCII)
_FLOAT = re.compile(rf"\+?(?:{_DIGITS}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_GAPS = re.compile(r"[,'_\u2019\u00a0\u2009\u202f]")
# Words that tell the side also in company: "iris.pred", "test$actual", "True label (expert)".
_TELLING = {"actual", "true", "truth", "reference", "observed", "obs", "gold", "target", "expected"}


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


_TOTALS |= {"gesamt", "summe", "gesamtergebnis", "somme", "totaal", "totale", "suma", "pixelsum", "row sum", "col sum"}


_TELLING |= {"predicted", "prediction", "predictions", "predict", "pred", "preds", "forecast", "classified"}


def axis_of(name: str) -> Rows | None:
    """The side that an axis called so holds; None where the name does not tell.

    >>> axis_of("y_true"), axis_of("Prediction"), axis_of("iris.pred"), axis_of("x")
    ('actual', 'predicted', 'predicted', None)
    """
    side = _SIDES.get(re.sub(r"[^a-z]", "", name.lower()))
    if side is None and len(name) < 60:
        sides = {_SIDES[word] for word in re.findall(r"[a-z]+", name.lower()) if word in _TELLING}
        side = sides.pop() if len(sides) == 1 else None
    return side


def is_total(name: str) -> bool:
    """Whether a row or column of this name is a sum of the others; pandas-ml calls them `__all__`."""
    return name.strip(" _").lower() in _TOTALS


def is_number(text: str) -> bool:
    """Whether a cell reads as a count or weight."""
    return _FLOAT.fullmatch(text) is not None


def looks_abridged(text: str) -> bool:
    """Whether a cell is an ellipsis: the print left cells out."""
    return text in {"...", "…", "⋮", "⋱", "..", r"\vdots", r"\ldots", r"$\vdots$", r"$\cdots$", r"$\ldots$"}


def number_of(text: str, where: str) -> int | float:
    """A count, exact, or a weight; `where` begins the message of what is neither.

    >>> number_of("8,800", "line 3"), number_of("0.5", "line 3")
    (8800, 0.5)
    """
    if not is_number(text):
        if looks_abridged(text):
            msg = f"{where}: {text!r} stands for cells that were left out of the print; print the whole table"
        elif not text:
            msg = f"{where}: the cell is empty; write 0 for nothing"
        else:
            msg = f"{where}: {text!r:.60} is no count or weight"
        raise InputError(msg)
    plain = _GAPS.sub("", text)
    try:
        value: int | float = int(plain) if _INTEGER.fullmatch(text) else float(plain)
    except ValueError:
        msg = f"{where}: a number of {len(text):,} digits is no count"
        raise InputError(msg) from None
    if isinstance(value, float) and not math.isfinite(value):
        msg = f"{where}: {text!r:.60} is more than a float holds"
        raise InputError(msg)
    return value


class Naming:
    """The caller's words on the labels of a text: the classes, their kind, the outside ones, the positive one."""

    def __init__(self, labels: Iterable[Any] | None, kind: Kind, outside: Iterable[str], positive: Any) -> None:
        one_of("kind", kind, Kind)
        if labels is not None:
            check_list(labels)
        self.labels = None if labels is None else list(labels)
        self.kind, self.positive = kind, positive
        self.outside = check_outside(outside)

    @property
    def is_given(self) -> bool:
        """Whether anything was said at all."""
        return self.labels is not None or self.kind != "text" or bool(self.outside) or self.positive is not None

    def read(self, names: Sequence[str], what: str) -> list[Any]:
        """Names in the kind asked for, distinct."""
        made = [name if name in self.outside else _read(name, self.kind) for name in names]
        if len(set(made)) < len(made):
            msg = f"the {what} repeat a label: {some(repeated(made))}"
            raise LabelError(msg)
        return made


@dataclass(frozen=True, kw_only=True)
class Cross:
    """A rectangular table as it was found: names and cells are text; `rows` is None where the text does not say."""

    source: str
    cells: Sequence[Sequence[str]]
    row_names: Sequence[str] | None = None
    col_names: Sequence[str] | None = None
    rows: Rows | None = None
    # Names that the axes have though they tell no side.
    axes: tuple[str, ...] = ()
    # Whether the last row and column may be sums; nobody but us writes tables of which one knows that they are not.
    totals: bool = True
    # Lines of the rows, and the column of the first cell, where an error can point at them.
    lines: Sequence[int] | None = None
    first: int = 2
    # Whether a point is known to be that of decimals, since commas stand between the cells.
    points: bool = False

    def matrix(self, rows: Rows | None, naming: Naming) -> ConfusionMatrix:
        """The matrix of this table, rows turned to actual."""
        return (self._counted() if self.totals else self)._matrix(rows, naming)

    def _counted(self) -> Cross:
        """The table of another tool, without scores at its margins, and its cells as confmat writes numbers."""
        found, names, others = self.cells, self.row_names, self.col_names
        if names is not None and others is not None:
            found, names, others = without_scores(found, names, others)
        return replace(self, cells=settled(found, points=self.points), row_names=names, col_names=others)

    def _matrix(self, rows: Rows | None, naming: Naming) -> ConfusionMatrix:
        table = [[number_of(cell, self._where(i, j)) for j, cell in enumerate(row)] for i, row in enumerate(self.cells)]
        cross, table = self._without_totals(table, naming)
        side = oriented(cross.rows, rows, cross.axes)
        names, row_codes, col_codes = cross._names(naming)
        full: list[list[Any]] = [[0] * len(names) for _ in names]
        for i, row in zip(row_codes, table, strict=True):
            for j, value in zip(col_codes, row, strict=True):
                full[i][j] = value
        matrix = ConfusionMatrix(full, names, outside=naming.outside, positive=naming.positive)
        return matrix.T if side == "predicted" else matrix

    def _where(self, i: int, j: int) -> str:
        if self.lines is not None:
            return f"line {self.lines[i]}, column {j + self.first}"
        row = repr(self.row_names[i]) if self.row_names is not None else i + 1
        column = repr(self.col_names[j]) if self.col_names is not None and j < len(self.col_names) else j + 1
        return f"row {row}, column {column}"

    def _without_totals(self, table: list[list[Any]], naming: Naming) -> tuple[Cross, list[list[Any]]]:
        """Leave out the last row and column where they are called totals, after holding them to their word."""
        if not self.totals or self.row_names is None or self.col_names is None:
            return self, table
        foot = len(table) > 1 and _sums_up(self.row_names[-1])
        last = self.col_names[-1]
        named = last.startswith("(") or last in {*self.row_names, *naming.outside, *map(str, naming.labels or ())}
        side = len(table[0]) > 1 and (_sums_up(last) or (not named and _all_sums(table[:-1] if foot else table)))
        body = [row[:-1] if side else row for row in (table[:-1] if foot else table)]
        if side:
            for name, row in zip(self.row_names, table[: len(body)], strict=False):
                _check_sum(row[:-1], row[-1], f"row {name!r}")
        if foot:
            for j, name in enumerate(self.col_names):
                _check_sum([row[j] for row in table[:-1]], table[-1][j], f"column {name!r}")
        names = self.row_names[: len(body)], self.col_names[: len(body[0])]
        return replace(self, row_names=names[0], col_names=names[1]), body

    def _names(self, naming: Naming) -> tuple[list[Any], list[int], list[int]]:
        """All labels in order, and the places of the rows and of the columns among them."""
        n_rows = len(self.row_names) if self.row_names is not None else len(self.cells)
        n_cols = len(self.col_names) if self.col_names is not None else len(self.cells[0])
        given, outside = naming.labels, naming.outside
        if self.row_names is None or self.col_names is None:
            if n_rows != n_cols:
                msg = f"a table without names must be square, but this has {n_rows} rows of {n_cols} cells"
                raise InputError(msg)
            names: list[Any] = list(range(n_rows)) if given is None else given
            if len(names) != n_rows:
                msg = f"the table has {n_rows} rows but there are {len(names)} labels: {some(names)}"
                raise LabelError(msg)
            return names, list(range(n_rows)), list(range(n_rows))
        rows, cols = naming.read(self.row_names, "rows"), naming.read(self.col_names, "columns")
        if given is not None and not {*rows, *cols} <= set(given):
            if len(given) != n_rows or len(given) != n_cols:
                missing = [name for name in dict.fromkeys([*rows, *cols]) if name not in given]
                msg = Message("the table also has the labels {}, which are not in {labels}", some(missing))
                raise LabelError(msg)
            return given, list(range(n_rows)), list(range(n_cols))
        every = given if given is not None else _united(rows, cols)
        if outside:
            every = [x for x in every if x not in outside] + list(outside)
        place = {name: i for i, name in enumerate(every)}
        return every, [place[name] for name in rows], [place[name] for name in cols]


def _sums_up(name: str) -> bool:
    return name == "" or is_total(name)


def _all_sums(table: list[list[Any]]) -> bool:
    """Whether a column more than there are rows adds the others up, though its name is n, support or items."""
    if len(table) < 2 or len(table[0]) != len(table) + 1:
        return False
    return all(row[-1] == sum(row[:-1]) for row in table) and sum(row[-1] > 0 for row in table) > 1


def _check_sum(parts: list[Any], total: Any, where: str) -> None:
    found = sum(parts)
    # Weights were rounded for print; integers were not.
    close = isinstance(found, float) or isinstance(total, float)
    if found != total and not (close and math.isclose(found, total, rel_tol=1e-4)):
        msg = f"{where} adds up to {found:,} but its printed total is {total:,}; correct it, or leave the totals out"
        raise InputError(msg)


def oriented(stated: Rows | None, asked: Rows | None, axes: tuple[str, ...] = ()) -> Rows:
    """Decide whether rows are actual or predicted: as the text says, else as asked for, else actual."""
    if asked is not None:
        one_of("rows", asked, Rows)
    if stated is not None and asked is not None and stated != asked:
        msg = Message(
            "the text says that its rows are {}; leave out {}, or correct the names in the text",
            stated,
            Argument("rows", asked),
        )
        raise InputError(msg)
    if stated is None and asked is None and axes:
        msg = Message(
            "the axes are called {}, which tells no side; say {rows:'actual'} or {rows:'predicted'}", some(axes)
        )
        raise InputError(msg)
    return stated or asked or "actual"


def _read(name: str, kind: Kind) -> Any:
    if kind == "text":
        return name
    if kind == "bool" and name.lower() in {"true", "false"}:
        return name.lower() == "true"
    if kind == "int" and re.fullmatch(r"[+-]?\d{1,4000}", name, re.ASCII):
        return int(name)
    msg = f"the label {name!r:.60} is not of kind {kind!r}"
    raise LabelError(msg)


def _united(rows: list[Any], cols: list[Any]) -> list[Any]:
    """The labels of both sides; sides of one length that disagree, or that share none, are a slip."""
    if set(cols) <= set(rows):
        return rows
    if set(rows) <= set(cols):
        return cols
    if len(rows) == len(cols) or set(rows).isdisjoint(cols):
        mine, theirs = ([x for x in a if x not in b] for a, b in ((rows, cols), (cols, rows)))
        msg = Message(
            "the rows have {} and the columns {}: if these are the same classes, give their names in order as "
            "{labels}; if not, give all labels",
            some(mine),
            some(theirs),
        )
        raise LabelError(msg)
    return list(Labels([*dict.fromkeys([*rows, *cols])]))
