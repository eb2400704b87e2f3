"""Cross tables from text: figures as tools write them, axes, totals and scores at the margins, and the matrix."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product, takewhile
from typing import Any, Literal

import numpy as np

from confmat.core.errors import Argument, InputError, LabelError, Message, warn
from confmat.core.frames import OTHER_SIDE, Rows, axis_of, is_total, lean, rated, side_of_rows
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import check_list, check_outside
from confmat.core.options import one_of
from confmat.core.text import repeated, some
from confmat.io.gathering import refuse_totals
from confmat.io.printed.margins import is_score, side_of_marks, sides_at_margins, sides_in_words
from confmat.io.tallies import is_count, long_columns

Cells = Sequence[Sequence[str]]

# R's package mlr heads both margins so.
_NEVER_CLASSES = {"-err.-"}
_KINDS = r"(?:TP|TN|FP|FN)"
# Signs for a cell in which nothing was counted: R's `print(t, zero.print=".")`, dashes of papers, pivots of Spark.
NOTHING = frozenset([*".\u00b7-\u2013\u2014", "null", "NULL"])
# A share beside a count.
_SHARE = r"(?:\d+(?:[.,]\d+)?\s*\\?%|0?[.,]\d+|1[.,]0+)"
SHARE = re.compile(rf"(?<=\d) *[(\[] *{_SHARE} *[)\]]")
# A count beside its share, or beside the name of its cell.
_BESIDE = re.compile(
    rf"(?:{_KINDS}\s*[=:]\s*)?(?P<count>\d[\d,.]*)\s*(?:[(\[]\s*(?:{_KINDS}|{_SHARE})\s*[)\]]|\b{_KINDS})?"
    rf"|{_KINDS}\s*\((?P<inside>\d[\d,.]*)\)"
)
_COMMA = re.compile(r"(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+),\d+", re.ASCII)
_ENGLISH = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+", re.ASCII)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+", re.ASCII)
_SPACED = re.compile(r"[1-9]\d{0,2}(?: \d{3})+", re.ASCII)
Kind = Literal["text", "int", "bool"]
_DIGITS = r"(?:\d+|[1-9]\d{0,2}(?:[,'_\u2019\u00a0\u2009\u202f]\d{3})+)"
_INTEGER = re.compile(rf"\+?{_DIGITS}", re.ASCII)
_FLOAT = re.compile(rf"\+?(?:{_DIGITS}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_GAPS = re.compile(r"[,'_\u2019\u00a0\u2009\u202f]")


def without_scores(cells: Cells, rows: Sequence[str], cols: Sequence[str]) -> tuple[Cells, list[str], list[str]]:
    """The table without the rows and columns of scores, and with those of totals at the end."""
    both = ({*rows} & {*cols}) - _NEVER_CLASSES
    last = {name for name in (*rows, *cols) if is_margin(name, both)}
    kept = [
        sorted(
            (k for k, name in enumerate(names) if name in both or not is_score(name)),
            key=[name in last for name in names].__getitem__,
        )
        for names in (rows, cols)
    ]
    if any({names[k] for k in part} <= last for names, part in zip((rows, cols), kept, strict=True)):
        msg = (
            "these are scores of classes, no counts; confmat.infer finds the matrices that have them, and "
            "confmat.audit compares them with a matrix"
        )
        raise InputError(msg)
    return [[cells[i][j] for j in kept[1]] for i in kept[0]], [rows[i] for i in kept[0]], [cols[j] for j in kept[1]]


def is_margin(name: str, others: Iterable[str]) -> bool:
    """Whether a margin is called as sums are: by a word of totals or, if no class of the other side is, of counts."""
    return is_total(name or "total") or (name not in others and is_count(name) and not name[-1].isdigit())


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
    if cell in NOTHING:
        return "0"
    if cell.isdecimal() or len(cell) > 60:
        return cell
    if _SPACED.fullmatch(cell):
        return cell.replace(" ", "")
    found = _BESIDE.fullmatch(cell)
    return (found["count"] or found["inside"]) if found is not None else cell


def _with_point(cell: str) -> str:
    if _COMMA.fullmatch(cell) or _GROUPED.fullmatch(cell):
        return cell.replace(".", "").replace(",", ".")
    return cell


def is_number(text: str) -> bool:
    """Whether a cell reads as a count or weight."""
    return _FLOAT.fullmatch(text) is not None


def check_ended(line: str, n: int) -> None:
    """Refuse a line below a table that is a row of counts, of which nobody knows the columns."""
    name, *counts = line.split() or [""]
    if 1 < len(counts) <= n and all(map(str.isdecimal, counts)) and not is_number(name) and not is_score(name):
        msg = (
            f"the {len(counts)} counts of the row {name!r:.60} do not stand below the {n} columns; write 0 for nothing"
        )
        raise InputError(msg)


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
    # Whether columns at the end may stand in another block of the print.
    cut: bool = False
    # Whether a point is known to be that of decimals, since commas stand between the cells.
    points: bool = False
    # The numbers of each pair of classes, where the text lists pairs and has no cells.
    pairs: Mapping[tuple[str, str], list[Any]] | None = None

    def matrix(self, rows: Rows | None, naming: Naming) -> ConfusionMatrix:
        """The matrix of this table, rows turned to actual."""
        if self.pairs is not None:
            oriented(self.rows, rows)
            matrix = _of_pairs(self.pairs, naming)
            _say_shares(matrix, is_stored=not self.totals)
            return matrix
        plain, table = self._counted()
        margins = plain._margins(table, naming)
        cross, table = plain._without_totals(table, *margins)
        if note := plain._left_out(margins):
            warn(Message("{}; if they are a class, give all names as {labels:[...]}", note))
        side = oriented(cross.rows, rows, cross.axes)
        names, row_codes, col_codes = cross._names(naming, is_told=(cross.rows or rows) is not None)
        cells = [
            (names[i], names[j], value)
            for i, row in zip(row_codes, table, strict=True)
            for j, value in zip(col_codes, row, strict=True)
        ]
        inside = [name for name in names if name not in naming.outside]
        matrix = ConfusionMatrix.from_pairs(cells, inside, outside=naming.outside, positive=naming.positive)
        if self.source != "confmat":
            _say_shares(matrix, is_stored=not self.totals)
        return matrix.T if side == "predicted" else matrix

    @property
    def notes(self) -> tuple[str, ...]:
        """The sums that are left out though nothing in the text calls them totals."""
        if self.pairs is not None:
            return ()
        try:
            plain, table = self._counted()
        except InputError:
            return ()
        note = plain._left_out(plain._margins(table, Naming(None, "text", (), None)))
        return (note,) if note else ()

    def _counted(self) -> tuple[Cross, list[list[Any]]]:
        """The table without scores at its margins, its cells as confmat writes numbers, and these numbers."""
        plain = self
        if self.totals:
            cells, names, others = self.cells, self.row_names, self.col_names
            # Our own print has no scores, and its classes may be called like them.
            if names is not None and others is not None and self.source != "confmat":
                cells, names, others = without_scores(cells, names, others)
                if is_margin(names[-1], others) or is_margin(others[-1], names):
                    # Pivots leave zeros blank; the sums say whether these are.
                    cells = [[cell or "0" for cell in row] for row in cells]
            plain = replace(self, cells=settled(cells, points=self.points), row_names=names, col_names=others)
            if names is not None and others is not None and (*names, *others) != (
                *(self.row_names or ())[: len(names)], *(self.col_names or ())[: len(others)]
            ):  # fmt: skip
                # The lines of the text no longer stand beside the rows.
                plain = replace(plain, lines=None)
        return plain, [
            [
                int(cell)
                if cell.isdecimal() and cell.isascii() and len(cell) < 19
                else number_of(cell, plain._where(i, j))
                for j, cell in enumerate(row)
            ]
            for i, row in enumerate(plain.cells)
        ]

    def said(self, text: str) -> Cross:
        """The table with what its margins, marks in its cells and words beside it say of its rows."""
        if self.pairs is not None or not self.totals:
            return self
        said = side_of_marks(self.cells) | sides_in_words(text) | ({self.rows} if self.rows else set())
        if not said and self.row_names is not None and self.col_names is not None:
            said = sides_at_margins(self.row_names, self.col_names, self.cells)
        if len(said) == 1:
            return replace(self, rows=said.pop(), axes=())
        return replace(self, rows=None, axes=("actual and predicted",)) if said else self

    def _where(self, i: int, j: int) -> str:
        if self.lines is not None:
            return f"line {self.lines[i]}, column {j + self.first}"
        row = repr(self.row_names[i]) if self.row_names is not None else i + 1
        column = repr(self.col_names[j]) if self.col_names is not None and j < len(self.col_names) else j + 1
        return f"row {row}, column {column}"

    def _left_out(self, margins: tuple[bool, bool]) -> str:
        """Say which of the totals nothing in the text calls so."""
        ends = ("row", self.row_names), ("column", self.col_names)
        found = [
            f"the last {end} {names[-1]!r:.60}" if names else f"the last {end}"
            for (end, names), is_sum in zip(ends, margins, strict=True)
            if is_sum and not (names and is_total(names[-1] or "total"))
        ]
        return f"{' and '.join(found)}: sums of the others, left out as totals" if found else ""

    def _margins(self, table: list[list[Any]], naming: Naming) -> tuple[bool, bool]:
        """Whether the last row and the last column are sums: they are called so, or add the others up."""
        both = _add_up(table) and _add_up(zip(*table, strict=True))
        if self.row_names is None or self.col_names is None:
            found = self.totals and both and (naming.labels is None or len(naming.labels) < len(table))
            return found, found
        last = self.row_names[-1], self.col_names[-1]
        known = {*naming.outside, *map(str, naming.labels or ())}
        if both and known.isdisjoint(last) and not any(name.startswith("(") for name in last):
            return True, True
        is_first = is_total(self.row_names[0]) and is_total(self.col_names[0])
        if is_first and all(_add_up([line[::-1] for line in part]) for part in (table, zip(*table, strict=True))):
            msg = f"the first row and column, {self.row_names[0]!r:.60}, are sums of the others; leave them out"
            raise InputError(msg)
        if not self.totals:
            # A matrix that we stored may have a class of any name; sums of one side alone are totals with a slip.
            sides = (table[:-1], [*zip(*table, strict=True)][:-1]) if all(map(is_total, last)) else ()
            is_slip = any(side and _add_up(side) for side in sides)
            return is_slip, is_slip
        foot = len(table) > 1 and last[0] not in known and is_margin(last[0], self.col_names)
        side = len(table[0]) > 1 and last[1] not in known and is_margin(last[1], self.row_names)
        # A row or column more than there are classes may be called n, support or items.
        height, width = len(table) - foot, len(table[0]) - side
        more = last[width > height]
        if abs(width - height) == 1 and more not in known and not more.startswith("("):
            named = self.row_names if width > height else self.col_names
            lines = [row[:width] for row in table[:height]]
            if more not in named and _add_up(lines if width > height else zip(*lines, strict=True)):
                return foot or width < height, side or width > height
        return foot, side

    def _without_totals(self, table: list[list[Any]], foot: bool, side: bool) -> tuple[Cross, list[list[Any]]]:
        """Leave out the last row and column where they are totals, after holding them to their word."""
        body = [row[:-1] if side else row for row in (table[:-1] if foot else table)]
        if self.row_names is None or self.col_names is None:
            return replace(self, cells=[row[: len(body[0])] for row in self.cells[: len(body)]]), body
        if side:
            for name, row in zip(self.row_names, table[: len(body)], strict=False):
                _check_sum(row[:-1], row[-1], f"row {name!r}")
        if foot:
            for j, name in enumerate(self.col_names):
                _check_sum([row[j] for row in table[:-1]], table[-1][j], f"column {name!r}")
        names = self.row_names[: len(body)], self.col_names[: len(body[0])]
        return replace(self, row_names=names[0], col_names=names[1]), body

    def _names(self, naming: Naming, *, is_told: bool) -> tuple[list[Any], list[int], list[int]]:
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
        if self.cut and given is None:
            msg = Message(
                "the columns end with {!r:.60}, and the rows go on with {}: the print is wrapped and only its first "
                "block is here, or these were never answered; print it wide enough, or say {labels:[...]}",
                cols[-1],
                some(rows[len(cols) :]),
            )
            raise InputError(msg)
        if not is_told and set(rows).isdisjoint(cols):
            # Labels alone would let a test pass for the truth.
            raise LabelError(_differing(rows, cols))
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


def _add_up(lines: Iterable[Sequence[Any]]) -> bool:
    """Whether the last number of each line is the sum of two others or more, which are not nothing in two lines."""
    rows = list(lines)
    if len(rows[0]) < 3 or sum(row[-1] > 0 for row in rows) < 2:
        return False
    return all(_is_sum(row[:-1], row[-1]) for row in rows)


def _is_sum(parts: Sequence[Any], total: Any) -> bool:
    added = sum(parts)
    # Weights were rounded for print; integers were not.
    close = isinstance(added, float) or isinstance(total, float)
    return bool(added == total or (close and math.isclose(added, total, rel_tol=1e-4)))


def _check_sum(parts: Sequence[Any], total: Any, where: str) -> None:
    if not _is_sum(parts, total):
        msg = (
            "{} adds up to {:,} but its printed total is {:,}; correct it, or leave the totals out; if they are a "
            "class, give all names as {labels:[...]}"
        )
        raise InputError(Message(msg, where, sum(parts), total))


def _say_shares(matrix: ConfusionMatrix, *, is_stored: bool) -> None:
    """Refuse shares, which are no counts; a table that is written as confmat stores them may hold weights."""
    size = len(matrix)
    if size > 2000 or (is_stored and not matrix.is_weighted):
        return
    # Whole numbers with decimals behind them are shares too, if all of them add up to 100.
    numbers = matrix.counts.astype(float)
    near = {1: 0.006 * size, 100: 0.06 * size} if matrix.is_weighted else {100: 1.001 if size > 2 else 0.001}
    part = rated(np.where(numbers, numbers + 1e-9, 0), near)
    if not matrix.is_weighted:
        if part is not None and part[0] != "the table" and size > 1:
            # A hundred items of each class are as likely.
            msg = "{} adds up to 100: if these are per cents, ConfusionMatrix.from_rates finds the counts behind them"
            warn(Message(msg, part[0]))
        return
    if part is not None:
        advice = {1: "from_rates(rows, totals)", 100: "from_rates(rows, totals, percent=True)"}[part[1]]
        text = (
            f"{part[0]} adds up to {part[1]}: these are rates, no counts; ConfusionMatrix.{advice} finds the counts "
            "behind the rates of each actual class, and ConfusionMatrix(table, labels) takes weights"
        )
    elif numbers.max() <= 1 and np.any(numbers % 1):
        text = (
            "no number is above 1: these are rates, similarities or correlations, no counts; "
            "ConfusionMatrix(table, labels) takes weights"
        )
    else:
        return
    if not is_stored:
        raise InputError(text)
    warn(Message(text.replace(": these are", ": if these are not weights, they are")))


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
            "the axes are called {}, which leaves open what the rows are; say {rows:'actual'} or {rows:'predicted'}",
            some(axes),
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
        raise LabelError(_differing(rows, cols))
    return list(Labels([*dict.fromkeys([*rows, *cols])]))


def _differing(rows: list[Any], cols: list[Any]) -> Message:
    mine, theirs = ([x for x in a if x not in b] for a, b in ((rows, cols), (cols, rows)))
    return Message(
        "the rows have {} and the columns {}: if these are the same classes, give their names in order as {labels}, "
        "and say {rows:'predicted'} where the rows are answers, as the results of a test are, or {rows:'actual'}; if "
        "not, give all labels",
        some(mine),
        some(theirs),
    )


Grid = Sequence[Sequence[str]]
# The marks between the two names in a corner, the plainest first.
_BETWEEN = [
    re.compile(mark) for mark in (r"\\+", r"\|", "/", r"\bvs\b\.?|\bversus\b|\bby\b", "\u00d7", r"\s-\s", "[,;]")
]
_ARROWED = re.compile(r"([^↓→]+[↓→])([^↓→]+[↓→])|([↓→][^↓→]+)([↓→][^↓→]+)")
_ACROSS, _DOWN = (re.compile(marks, re.IGNORECASE) for marks in (r"→|\bcol(?:umn)?s?\b", r"↓|\brows?\b"))
_UNNAMED = re.compile(r"(?:row|col)_\d+|index|Unnamed: \d+|\W*|.*matri.*", re.IGNORECASE | re.DOTALL)
# A name in parts: words, numbers, and what stands between them.
_WORDS = re.compile(r"[^\W\d_]+|\d+|[\W_]")
_MARKS = " .:=_-"
# Names begin with so many parts of the name of their side at most.
_MOST_SHARED = 12
# One line above the rows and one below; no other tool has a corner at the end and none at the start.
_RULE = re.compile(r"[ \t]*(-+)\+(-+)\+[ \t]*")
_KEY = re.compile(r"[ \t]*(\d+): (.*)")


def corner_axes(corner: str) -> tuple[str, str]:
    r"""Read the names of the rows and of the columns in the cell at the corner; one alone is that of the rows.

    >>> (
    ...     corner_axes("map\\truth"),
    ...     corner_axes("Actual → Predicted ↓"),
    ...     corner_axes("label_prediction"),
    ...     corner_axes("x"),
    ... )
    (('map', 'truth'), ('Predicted ↓', 'Actual →'), ('label', 'prediction'), ('x', ''))
    """
    text = re.sub("[⇓▼]", "↓", re.sub("[⇒►▶]", "→", corner[:200])).strip()
    parts = next((parts for mark in _BETWEEN if len(parts := mark.split(text)) == 2), None)
    arrowed = _ARROWED.fullmatch(text)
    if parts is None and arrowed is not None:
        parts = [part for part in arrowed.groups() if part]
    if parts is None and re.search("→|[-=]>", text):
        return "", text
    if parts is None:
        return _joined(text)
    first, second = (part.strip() for part in parts)
    return (second, first) if _ACROSS.search(first) or _DOWN.search(second) else (first, second)


def _joined(text: str) -> tuple[str, str]:
    """The names in a corner without a mark between them, as Spark joins those of two columns; both if in doubt."""
    words = re.findall(r"[^\W_]+", text)
    for k in range(1, len(words)):
        row, column = " ".join(words[:k]), " ".join(words[k:])
        mine, theirs = axis_of(row), axis_of(column)
        if theirs is None or mine == theirs or (mine is None and ("_" not in text or len(row) == 1 or lean(row) < -1)):
            continue
        is_told = "_" in text and (mine or (lean(row) == 1 and words[k:] == ["prediction"]))
        return (row, column) if is_told else (text, text)
    return text, ""


def sides_told(rows: Iterable[str], columns: Iterable[str]) -> tuple[Rows | None, tuple[str, ...]]:
    """The side of the rows by all names of both axes, and these names where they leave it open and must not."""
    mine, theirs = ([name for name in names if not _UNNAMED.fullmatch(name)] for names in (rows, columns))
    said = {axis_of(name) for name in mine} | {OTHER_SIDE.get(axis_of(name)) for name in theirs}  # type: ignore[arg-type]
    said.discard(None)
    row, column = " ".join(mine), " ".join(theirs)
    side = side_of_rows(row, column) if not said else said.pop() if len(said) == 1 else None
    is_open = side is None and (bool(said) or (mine and theirs) or lean(row) - lean(column) < -1)
    return side, tuple(dict.fromkeys([*mine, *theirs])) if is_open else ()


def cross_of_grid(grid: Grid, source: str, lines: Sequence[int] | None = None) -> Cross:
    """The table in a grid whose rows are of one width: headers, axis titles and totals are told apart."""
    numbers = list(lines) if lines is not None else list(range(1, len(grid) + 1))
    table = [[cell.strip() for cell in row] for row in grid]
    kept = [i for i, row in enumerate(table) if any(row)]
    table, numbers = [table[i] for i in kept], [numbers[i] for i in kept]
    if not table:
        msg = "the table is empty"
        raise InputError(msg)
    if all(is_number(cell) for row in table for cell in row):
        return Cross(source=source, cells=table, lines=numbers, first=1)
    if (cross := listed(table, numbers[1:], source)) is not None:
        return cross
    if any(row[1:] == table[0][1:] for row in table[1:]):
        msg = "the text has several tables: its header comes again; give one of them"
        raise InputError(msg)
    return _named(table, numbers, source)


def listed(table: Sequence[Sequence[str]], lines: Sequence[int], source: str) -> Cross | None:
    """The list in a grid that has a line for each pair of classes, its count and perhaps the squares of its weights."""
    header = [name.strip().lower() for name in table[0]]
    if len(header) == 2 and {axis_of(name) for name in header} == {*OTHER_SIDE}:
        msg = "the text lists single pairs, no counts; count them with confmat.count(actual, predicted)"
        raise InputError(msg)
    # Squares are no counts, and pass for a column of row numbers here.
    at = long_columns(["index" if name == "squares" else name for name in header])
    if at is None or len(table) < 2:
        return None
    places = [*at, *(i for i, name in enumerate(header) if name == "squares")]
    pairs: dict[tuple[str, str], list[Any]] = {}
    for line, row in zip(lines, table[1:], strict=False):
        actual, predicted, *texts = (row[i] for i in places)
        if (actual, predicted) in pairs:
            msg = f"line {line}: the pair {actual!r:.60}, {predicted!r:.60} has come before; add the counts up first"
            raise InputError(msg)
        numbers = [
            number_of(text.strip(), f"line {line}, column {i + 1}") for text, i in zip(texts, places[2:], strict=True)
        ]
        pairs[actual, predicted] = numbers
    refuse_totals({pair: numbers[0] for pair, numbers in pairs.items()})
    is_stored = [header[i] for i in at] == ["actual", "predicted", "count"]
    return Cross(source=f"{source}, long form", cells=(), pairs=pairs, rows="actual", totals=not is_stored)


def _of_pairs(pairs: Mapping[tuple[str, str], list[Any]], naming: Naming) -> ConfusionMatrix:
    texts = list(dict.fromkeys([*(a for a, _ in pairs), *(p for _, p in pairs)]))
    made = dict(zip(texts, naming.read(texts, "pairs"), strict=True))
    given = [name for name in made.values() if name not in naming.outside] if naming.labels is None else naming.labels
    kind: type = float if any(isinstance(numbers[0], float) for numbers in pairs.values()) else int
    m, *squares = (
        ConfusionMatrix.from_pairs(
            [(made[a], made[p], (float if k else kind)(numbers[k])) for (a, p), numbers in pairs.items()],
            given, outside=naming.outside, positive=naming.positive,
        )
        for k in range(len(next(iter(pairs.values()))))
    )  # fmt: skip
    return m if not squares else ConfusionMatrix._of(m.labels, m._counts, squares[0]._counts, m.dropped)


def _named(table: list[list[str]], numbers: list[int], source: str) -> Cross:
    mine: list[str] = []
    theirs: list[str] = []
    table, numbers = _titled(table, numbers, mine, theirs)
    header, body, numbers = table[0], table[1:], numbers[1:]
    first = 2
    # A row below the header that holds the name of the rows alone, as pandas writes it; the corner names the columns.
    if body and body[0][0] and not any(body[0][1:]):
        mine.append(body[0][0])
        theirs.append(header[0])
        header, body, numbers = ["", *header[1:]], body[1:], numbers[1:]
    stub = _stub(header, body)
    if stub is not None:
        mine.append(stub)
        header, body, first = header[1:], [row[1:] for row in body], 3
    row, column = corner_axes(header[0])
    mine.append(row)
    theirs.append(column)
    if not body or len(header) < 2:
        msg = "the table has a header and nothing below it" if len(header) > 1 else "the table has no columns"
        raise InputError(msg)
    names = [row[0] for row in body], header[1:]
    rows, cols, *words = unprefixed(*names)
    side, axes = sides_told([*mine, words[0]], [*theirs, words[1]])
    return Cross(
        source=source, cells=[row[1:] for row in body], row_names=rows, col_names=cols, rows=side, axes=axes,
        lines=numbers, first=first,
    )  # fmt: skip


def _titled(
    table: list[list[str]], numbers: list[int], mine: list[str], theirs: list[str]
) -> tuple[list[list[str]], list[int]]:
    """Take away a first row that holds nothing but the titles of the axes."""
    head = table[0]
    titles = [cell for cell in head if cell and not is_total(cell)]
    if len(table) < 3 or len(head) < 3 or not all(map(lean, titles)):
        return table, numbers
    if len(titles) != 1 + (head[0] != "" and len(titles) == 2):
        return table, numbers
    if head[0]:
        mine.append(titles[0])
    if not head[0] or len(titles) == 2:
        theirs.append(titles[-1])
    return table[1:], numbers[1:]


def _stub(header: list[str], body: list[list[str]]) -> str | None:
    """The title in a first column that holds nothing else, beside the column of row names."""
    if len(header) < 4 or header[0] or header[1]:
        return None
    words = {row[0] for row in body if row[0] and not (is_total(row[0]) and not row[1])}
    return words.pop() if len(words) == 1 and lean(min(words)) else None


def unprefixed(rows: Sequence[str], cols: Sequence[str]) -> tuple[list[str], list[str], str, str]:
    """Names without the words that those of one side begin with, and these words: "Predicted Cat" beside "Cat".

    >>> unprefixed(["Test +", "Test -"], ["Disease +", "Disease -", "Total"])
    (['+', '-'], ['+', '-', 'Total'], 'Test', 'Disease')
    """
    names = [list(rows), list(cols)]
    parts = [[_WORDS.findall(name) or [""] for name in classes(side)] for side in names]
    shared = [_shared(side) for side in parts]
    first = [side[0][0].lower() if many else "" for side, many in zip(parts, shared, strict=True)]
    known = [axis_of(word) for word in first]
    if known[0] and known[0] == known[1]:
        # Both sides begin so: it is part of the names.
        return names[0], names[1], "", ""
    cuts = (int(known[0] is not None), int(known[1] is not None))
    bare = [[_behind(part, cut) for part in side] for side, cut in zip(parts, cuts, strict=True)]
    if set(bare[0]).isdisjoint(bare[1]):
        for pair in sorted(product(range(shared[0] + 1), range(shared[1] + 1)), key=sum):
            if [_behind(part, pair[0]) for part in parts[0]] == [_behind(part, pair[1]) for part in parts[1]]:
                cuts = pair
                break
    words = ["".join(side[0][:cut]).strip(_MARKS) if cut else "" for side, cut in zip(parts, cuts, strict=True)]
    for k, cut in enumerate(cuts):
        names[k][: len(parts[k])] = [_behind(part, cut) for part in parts[k]]
    return names[0], names[1], words[0], words[1]


def _shared(parts: list[list[str]]) -> int:
    """How many parts all of several names begin with, the last of each left aside."""
    if len(parts) < 2:
        return 0
    columns = zip(*(part[: min(len(part) - 1, _MOST_SHARED)] for part in parts), strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))


def _behind(part: list[str], cut: int) -> str:
    """The name behind so many parts, without the marks between; -1 and -ve keep theirs."""
    rest = "".join(part[cut:])
    bare = re.sub(r"[\s:=_.]+(?=-(?:\d|ve\b))|[ .:=_-]*", "", rest, count=1)
    return (bare or rest.strip()) if cut else rest


def classes(names: Sequence[str]) -> Sequence[str]:
    """The names before those of totals and scores at the end."""
    end = len(names)
    while end and (not names[end - 1] or is_total(names[end - 1]) or is_score(names[end - 1])):
        end -= 1
    return names[:end]


def barred_table(text: str) -> Cross | None:
    """The matrix as NLTK prints it, rows actual; names are beside the rows, or in a key below."""
    lines = text.split("\n")
    rules = [(i, rule) for i, rule in enumerate(map(_RULE.fullmatch, lines)) if rule is not None]
    if len(rules) != 2 or rules[0][1][0].strip() != rules[1][1][0].strip():
        return None
    (above, rule), (below, _) = rules
    start, bar, width = rule.start(1), rule.end(1), len(rule[2]) - 1
    rows = [line.rstrip() for line in lines[above + 1 : below]]
    if not rows or width % len(rows) or not all(line[bar : bar + 1] == "|" == line[-1:] for line in rows):
        return None
    # Names are flush right, so one that is nothing but a space looks like its margin.
    names = [line[start : bar - 1].lstrip() or " " for line in rows]
    cells = [_cells(line[bar + 2 : -1], width, len(rows), name) for line, name in zip(rows, names, strict=True)]
    key = {found[1]: found[2] for found in map(_KEY.fullmatch, lines[below + 1 :]) if found is not None}
    names = [key[name] for name in names] if set(names) <= set(key) else names
    return Cross(source="NLTK", cells=cells, row_names=names, col_names=names, rows="actual", totals=False)


def _cells(row: str, width: int, many: int, name: str) -> list[str]:
    if len(row) != width:
        msg = f"row {name!r} has {len(row)} characters between its bars, but the line above {width}: paste it unchanged"
        raise InputError(msg)
    step = width // many
    cells = [row[at : at + step].strip(" <>") for at in range(0, width, step)]
    return ["0" if cell == "." else cell for cell in cells]
