"""Cross tables from text: headers, axes, totals and scores of a grid of cells, and the matrix within."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal
from warnings import catch_warnings

import numpy as np

from confmat.core.errors import Argument, InputError, LabelError, Message, warn
from confmat.core.frames import Rows, axis_of, is_total, lean, rated
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import check_list, check_outside
from confmat.core.notes import Note
from confmat.core.options import OTHER_SIDE, one_of
from confmat.core.text import repeated, some
from confmat.io.gathering import refuse_totals
from confmat.io.printed.figures import Cells, is_number, number_of, settled
from confmat.io.printed.sides import (
    corner_axes,
    is_score,
    margins_turn,
    side_of_marks,
    sides_in_words,
    sides_told,
)
from confmat.io.tallies import is_count, long_columns

# The source of what `print(m)` shows.
OWN = "confmat"
# R's package mlr heads both margins so.
_NEVER_CLASSES = {"-err.-"}
Kind = Literal["text", "int", "bool"]


class Naming:
    """The caller's words on the labels of a text: the classes, their kind, the outside ones, the positive one."""

    def __init__(
        self, labels: Iterable[Any] | None, kind: Kind, outside: Iterable[str], positive: Any
    ) -> None:
        one_of("kind", kind, Kind)
        if labels is not None:
            check_list(labels)
        self.labels = None if labels is None else list(labels)
        self.kind, self.positive = kind, positive
        self.outside = check_outside(outside)

    @property
    def is_given(self) -> bool:
        """Whether anything was said at all."""
        return (
            self.labels is not None
            or self.kind != "text"
            or bool(self.outside)
            or self.positive is not None
        )

    def read(self, names: Sequence[str], what: str) -> list[Any]:
        """Names in the kind asked for, distinct."""
        made = [name if name in self.outside else _read(name, self.kind) for name in names]
        if len(set(made)) < len(made):
            msg = f"the {what} repeat a label: {some(repeated(made))}"
            raise LabelError(msg)
        return made


Names = tuple[Sequence[str], Sequence[str]]
Table = Sequence[Sequence[Any]]


@dataclass(frozen=True, kw_only=True)
class Cross:
    """A table as it was found: names of rows and columns, and cells, are text; `rows` is None if nothing says them."""

    source: str
    cells: Cells
    names: Names
    # Whether the names are in the text, and are not numbers that we gave.
    is_named: bool = True
    rows: Rows | None = None
    # Why what the rows are must be asked for.
    doubt: str = ""
    # Whether we wrote it: other tables may end in sums, and hold no weights.
    is_stored: bool = False
    # Whether columns at the end may be in another block of the print.
    may_be_cut: bool = False
    # The column of the numbers, where the text lists pairs.
    tally: str = ""
    # The numbers of each pair of classes, where the text lists pairs and has no cells.
    pairs: Mapping[tuple[str, str], list[Any]] | None = None

    def matrix(self, rows: Rows | None, naming: Naming) -> ConfusionMatrix:
        """The matrix of this table, rows turned to actual."""
        if self.pairs is not None:
            oriented(self.rows, rows)
            matrix = _of_pairs(self.pairs, naming)
            _check_shares(matrix, is_stored=self.is_stored)
            if self.is_stored or matrix.is_weighted:
                return matrix
            total = int(matrix.total)
            return matrix._noted((Note("counts", ((self.tally,),), total, total),))
        names, table, note = self._without_sums(naming)
        if note:
            warn(Message("{}; if they are a class, give all names as {labels:[...]}", note))
        side = oriented(self.rows, rows, self.doubt)
        labels, places = self._labels(names, naming, is_told=(self.rows or rows) is not None)
        cells = [
            (labels[i], labels[j], value)
            for i, row in zip(places[0], table, strict=True)
            for j, value in zip(places[1], row, strict=True)
        ]
        inside = [name for name in labels if name not in naming.outside]
        matrix = ConfusionMatrix.from_pairs(
            cells, inside, outside=naming.outside, positive=naming.positive
        )
        if self.source != OWN:
            _check_shares(matrix, is_stored=self.is_stored)
        return matrix.T if side == "predicted" else matrix

    def checked(
        self, rows: Rows | None, naming: Naming, check: Callable[[Any, Any], Any] | None
    ) -> ConfusionMatrix:
        """The matrix of this table, whose seal, if it has one, is of the table as it can be read without words."""
        found = plain = self.matrix(rows, naming)
        if check is None:
            return found
        if naming.is_given:
            try:
                with catch_warnings(action="ignore"):
                    plain = self.matrix(None, Naming(None, "text", (), None))
            except InputError:
                # Without the caller's words on its labels nobody can say what was sealed.
                return found
        matrix: ConfusionMatrix = check(plain, found)
        return matrix

    @property
    def notes(self) -> tuple[str, ...]:
        """The sums that are left out though nothing in the text calls them totals."""
        try:
            note = (
                ""
                if self.pairs is not None
                else self._without_sums(Naming(None, "text", (), None))[2]
            )
        except InputError:
            return ()
        return (note,) if note else ()

    def _without_sums(self, naming: Naming) -> tuple[Names, Table, str]:
        """Names and numbers without scores and totals, after checking that the totals add up, and a note on these."""
        names, cells = self._counted()
        table = [
            [number_of(cell, name, column) for cell, column in zip(row, names[1], strict=True)]
            for name, row in zip(names[0], cells, strict=True)
        ]
        foot, side = self._sums(names, table, naming)
        left = [
            f"the last {end} {mine[-1]!r:.60}"
            for end, mine, is_sum in (("row", names[0], foot), ("column", names[1], side))
            if is_sum and not is_total(mine[-1] or "total")
        ]
        height, width = len(table) - foot, len(names[1]) - side
        for name, row in zip(names[0][:height] if side else (), table, strict=False):
            _check_sum(row, f"row {name!r}")
        for name, column in zip(names[1] if foot else (), zip(*table, strict=True), strict=False):
            _check_sum(column, f"column {name!r}")
        note = f"{' and '.join(left)}: sums of the others, left out as totals" if left else ""
        return (names[0][:height], names[1][:width]), [row[:width] for row in table[:height]], note

    def _counted(self) -> tuple[Names, Cells]:
        """Names and cells without scores and without what is beside the counts."""
        names, cells = self.names, self.cells
        if not self.is_stored:
            # Our own print has no scores, and its classes may be called like them.
            if self.is_named and self.source != OWN:
                names, cells = _without_scores(names, cells)
                if any(_is_margin(mine[-1], other) for mine, other in (names, names[::-1])):
                    # Pivots leave zeros blank; the sums say whether these are.
                    cells = [[cell or "0" for cell in row] for row in cells]
            cells = settled(cells)
        return names, cells

    def _sums(self, names: Names, table: Table, naming: Naming) -> Sequence[bool]:
        """Whether the last row and the last column are sums: they are called so, or add the others up."""
        lines = list(zip(*table, strict=True)), table
        both = all(map(_add_up, lines))
        last = [mine[-1] for mine in names]
        known = {*naming.outside, *map(str, naming.labels or ())}
        if not self.is_named:
            return [not self.is_stored and both and len(naming.labels or ()) < len(table)] * 2
        if both and known.isdisjoint(last) and not any(name.startswith("(") for name in last):
            return True, True
        return (
            self._stored_sums(names, lines) if self.is_stored else _called_sums(names, lines, known)
        )

    def _stored_sums(self, names: Names, lines: tuple[Table, Table]) -> Sequence[bool]:
        """Whether a matrix that we stored has totals, though a class of it may have any name."""
        if all(is_total(mine[0]) for mine in names) and all(
            _add_up([x[::-1] for x in part]) for part in lines
        ):
            msg = f"the first row and column, {names[0][0]!r:.60}, are sums of the others; leave them out"
            raise InputError(msg)
        # Sums of one side alone are totals with a slip.
        is_slip = any(len(part) > 1 and _add_up(part[:-1]) for part in lines)
        return [is_slip and all(is_total(mine[-1]) for mine in names)] * 2

    def _labels(
        self, names: Names, naming: Naming, *, is_told: bool
    ) -> tuple[list[Any], tuple[Sequence[int], Sequence[int]]]:
        """All labels in order, and the places of the rows and of the columns among them."""
        given, (n_rows, n_cols) = naming.labels, map(len, names)
        in_order = range(n_rows), range(n_cols)
        if not self.is_named:
            _check_square(n_rows, n_cols, given)
            return list(range(n_rows)) if given is None else given, in_order
        rows, cols = self._read_names(names, naming, is_told=is_told)
        if given is not None and not {*rows, *cols} <= set(given):
            _check_renamed(names, (rows, cols), given)
            return given, in_order
        every = given if given is not None else _united(rows, cols)
        if naming.outside:
            every = [name for name in every if name not in naming.outside] + list(naming.outside)
        place = {name: i for i, name in enumerate(every)}
        return every, ([place[name] for name in rows], [place[name] for name in cols])

    def _read_names(
        self, names: Names, naming: Naming, *, is_told: bool
    ) -> tuple[list[Any], list[Any]]:
        """The names of rows and columns as labels, some of them the same unless the sides of both are known."""
        rows, cols = naming.read(names[0], "rows"), naming.read(names[1], "columns")
        if (
            self.may_be_cut
            and naming.labels is None
            and len(cols) < len(rows)
            and rows[: len(cols)] == cols
        ):
            msg = Message(
                "the columns end with {!r:.60}, and the rows go on with {}: the print is wrapped and only its "
                "first block is here, or these were never answered; print it wide enough, or say {labels:[...]}",
                cols[-1],
                some(rows[len(cols) :]),
            )
            raise InputError(msg)
        if not is_told and set(rows).isdisjoint(cols):
            # Labels alone would let a test pass for the truth.
            raise LabelError(_differing(rows, cols))
        return rows, cols


def _is_short(names: Sequence[str], labels: list[Any]) -> bool:
    """Whether printed names only mean the labels in their places: as their numbers, cut, or with a note."""
    if any([*names] == [*map(str, range(start, start + len(names)))] for start in (0, 1)):
        return True
    pairs = [(name.rstrip(".…~ "), str(label)) for name, label in zip(names, labels, strict=True)]
    return all(name.startswith(label) or label.startswith(name) for name, label in pairs)


def _check_renamed(names: Names, read: tuple[list[Any], list[Any]], given: list[Any]) -> None:
    """Refuse labels that are not those of the table, unless they may mean its names in their places."""
    # Each side may have words of its own, such as test + beside disease; of one that has labels
    # they must fit.
    other_words = {*read[0]} != {*read[1]}
    fits = (
        len(mine) == len(given)
        and (
            _is_short(mine, given)
            or (other_words and (theirs == given or not {*theirs} & {*given}))
        )
        for mine, theirs in zip(names, read, strict=True)
    )
    if not all(fits):
        missing = [name for name in dict.fromkeys([*read[0], *read[1]]) if name not in given]
        msg = Message("the table also has the labels {}, which are not in {labels}", some(missing))
        raise LabelError(msg)


def _check_square(n_rows: int, n_cols: int, labels: list[Any] | None) -> None:
    """Refuse a table without names that has not as many rows as columns and labels."""
    if n_rows != n_cols:
        msg = f"a table without names must be square, but this has {n_rows} rows of {n_cols} cells"
        raise InputError(msg)
    if labels is not None and len(labels) != n_rows:
        msg = f"the table has {n_rows} rows but there are {len(labels)} labels: {some(labels)}"
        raise LabelError(msg)


def _called_sums(names: Names, lines: tuple[Table, Table], known: set[str]) -> list[bool]:
    """Whether the last row and column are called as sums are, or are one more than there are classes and add up."""
    called = [
        len(mine) > 1 and mine[-1] not in known and _is_margin(mine[-1], other)
        for mine, other in (names, names[::-1])
    ]
    height, width = (len(mine) - is_sum for mine, is_sum in zip(names, called, strict=True))
    # A row or column more than there are classes may be called n, support or items.
    k = int(width > height)
    last = names[k][-1]
    is_class = last in known or last in names[1 - k] or last.startswith("(")
    if abs(width - height) == 1 and not is_class:
        called[k] |= _add_up(
            [line[: (height, width)[k]] for line in lines[k][: (width, height)[k]]]
        )
    return called


def _without_scores(names: Names, cells: Cells) -> tuple[Names, Cells]:
    """The table without the rows and columns of scores, and with those of totals at the end."""
    both = ({*names[0]} & {*names[1]}) - _NEVER_CLASSES
    last = {name for mine in names for name in mine if _is_margin(name, both)}
    rows, cols = (
        sorted(
            (k for k, name in enumerate(mine) if name in both or not is_score(name)),
            key=lambda k: mine[k] in last,
        )
        for mine in names
    )
    kept = [names[0][i] for i in rows], [names[1][j] for j in cols]
    if any(last.issuperset(mine) for mine in kept):
        msg = (
            "these are scores of classes, no counts; confmat.infer finds the matrices that have them, and "
            "confmat.audit compares them with a matrix"
        )
        raise InputError(msg)
    return kept, [[cells[i][j] for j in cols] for i in rows]


def _is_margin(name: str, others: Iterable[str]) -> bool:
    """Whether a margin is called as sums are: by a word of totals or, if no class of the other side is, of counts."""
    return is_total(name or "total") or (
        name not in others and is_count(name) and not name[-1].isdigit()
    )


def _add_up(lines: Sequence[Sequence[Any]]) -> bool:
    """Whether the last number of each line is the sum of two others or more, which are not nothing in two lines."""
    if len(lines[0]) < 3 or sum(line[-1] > 0 for line in lines) < 2:
        return False
    return all(map(_is_sum, lines))


def _is_sum(line: Sequence[Any]) -> bool:
    *parts, total = line
    added = sum(parts)
    # Weights were rounded for print; integers were not.
    close = isinstance(added, float) or isinstance(total, float)
    return bool(added == total or (close and math.isclose(added, total, rel_tol=1e-4)))


def _check_sum(line: Sequence[Any], where: str) -> None:
    if not _is_sum(line):
        msg = (
            "{} adds up to {:,} but its printed total is {:,}; correct it, or leave the totals out; if they are a "
            "class, give all names as {labels:[...]}"
        )
        raise InputError(Message(msg, where, sum(line[:-1]), line[-1]))


def _check_shares(matrix: ConfusionMatrix, *, is_stored: bool) -> None:
    """Refuse shares, which are no counts; a table that is written as confmat stores them may hold weights."""
    size, is_whole = len(matrix), not matrix.is_weighted
    if size > 2000 or (is_whole and (is_stored or size < 2)):
        return
    text = _why_rates(matrix, size, is_whole=is_whole)
    if text and not is_stored:
        raise InputError(text)
    if text:
        warn(Message(text.replace(": these are", ": if these are not weights, they are")))


def _why_rates(matrix: ConfusionMatrix, size: int, *, is_whole: bool) -> str:
    """Why numbers are rates and what to do with them; nothing of counts and weights."""
    # Whole numbers with decimals behind them are shares too, if all of them add up to 100.
    numbers = matrix.counts.astype(float)
    near = {100: 1.001 if size > 2 else 0.001} if is_whole else {1: 0.006 * size, 100: 0.06 * size}
    part = rated(np.where(numbers, numbers + 1e-9, 0), near)
    if part is not None and not (is_whole and part[0] == "the table"):
        advice = {1: "from_rates(rows, totals)", 100: "from_rates(rows, totals, percent=True)"}[
            part[1]
        ]
        takes = "counts of a hundred items each" if is_whole else "weights"
        return (
            f"{part[0]} adds up to {part[1]}: these are rates, no counts; ConfusionMatrix.{advice} finds the counts "
            f"behind the rates of each actual class, and ConfusionMatrix(table, labels) takes {takes}"
        )
    if not is_whole and numbers.max() <= 1 and np.any(numbers % 1):
        return (
            "no number is above 1: these are rates, similarities or correlations, no counts; "
            "ConfusionMatrix(table, labels) takes weights"
        )
    return ""


def oriented(stated: Rows | None, asked: Rows | None, doubt: str = "") -> Rows:
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
    if stated is None and asked is None and doubt:
        msg = Message(
            "{}, which leaves open what the rows are; say {rows:'actual'} or {rows:'predicted'}",
            doubt,
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
        "the rows have {} and the columns {}: if these are the same classes, give their names in order as "
        "{labels}, and say {rows:'predicted'} where the rows are answers, as the results of a test are, or "
        "{rows:'actual'}; if not, give all labels",
        some(mine),
        some(theirs),
    )


# ---- from a grid of cells ------------------------------------------------------------------------

# The first word of a name that has more of them, and what is behind it.
_FIRST = re.compile(r"[^\W\d_]+(?=[^\W_]|[\W_]+[^\s])")
_BETWEEN = r"[\s:=_.]+(?=-(?:\d|ve\b))|[ .:=_-]*"


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Cells of a table as they are in a text, in rows of one width, and what was found beside them."""

    source: str
    cells: Cells
    # The words around the table.
    around: str = ""
    # Names of the axes that are in no cell.
    row_axis: str = ""
    column_axis: str = ""
    may_be_cut: bool = False

    def cross(self) -> Cross:
        """The table in these cells: headers, titles of axes, names and counts are told apart."""
        check_even(self.cells)
        table = [*filter(any, ([*map(str.strip, row)] for row in self.cells))]
        if not table:
            msg = "the table is empty"
            raise InputError(msg)
        bare = all(all(map(is_number, row)) for row in table)
        if bare or (self.source == "array" and table[0][0]):
            names = [*map(str, range(1, len(table) + 1))], [*map(str, range(1, len(table[0]) + 1))]
            return self._told(Cross(source=self.source, cells=table, names=names, is_named=False))
        if (cross := listed(table, self.source)) is not None:
            return cross
        if any(row[1:] == table[0][1:] for row in table[1:]):
            msg = "the text has several tables: its header comes again; give one of them"
            raise InputError(msg)
        return self._named(table)

    def _named(self, table: list[list[str]]) -> Cross:
        mine, theirs = [self.row_axis], [self.column_axis]
        table = _titled(table, mine, theirs)
        header, body = table[0], table[1:]
        # pandas writes the name of the rows alone below the header, whose corner names the columns.
        if body and body[0][0] and not any(body[0][1:]):
            mine.append(body[0][0])
            theirs.append(header[0])
            header, body = ["", *header[1:]], body[1:]
        stub = _stub(header, body)
        if stub is not None:
            mine.append(stub)
            header, body = header[1:], [row[1:] for row in body]
        row, column = corner_axes(header[0])
        if not body or len(header) < 2:
            msg = (
                "the table has a header and nothing below it"
                if len(header) > 1
                else "the table has no columns"
            )
            raise InputError(msg)
        rows, cols, *words = unprefixed([row[0] for row in body], header[1:])
        cross = Cross(
            source=self.source, cells=[row[1:] for row in body], names=(rows, cols), may_be_cut=self.may_be_cut,
        )  # fmt: skip
        return self._told(cross, [*mine, row, words[0]], [*theirs, column, words[1]])

    def _told(self, cross: Cross, mine: Sequence[str] = (), theirs: Sequence[str] = ()) -> Cross:
        """The table with what names of axes, a call beside it and marks in its cells say of its rows."""
        side, axes = sides_told(mine, theirs)
        called, is_open = sides_in_words(self.around)
        sides = ({side, called} - {None}) | side_of_marks(cross.cells)
        if len(sides) > 1:
            doubt = "the text says that the rows are actual, and that they are predicted"
        elif axes:
            doubt = f"the axes are called {some(axes)}"
        elif is_open or margins_turn(cross.names):
            doubt = "words beside the table or at its margins name what is actual or predicted"
        else:
            doubt = ""
        return replace(cross, rows=sides.pop()) if len(sides) == 1 else replace(cross, doubt=doubt)


def stored(
    source: str, cells: Cells, decode: Callable[[str], str] = str, rows: Rows = "actual"
) -> Cross | None:
    """The table in cells that confmat has written, with the same names on both sides; None where they are others'."""
    names = [name for row in cells[1:] for name in row[:1]]
    if not names or cells[0][1:] != names:
        return None
    check_even(cells)
    labels = [decode(name) for name in names]
    body = [[cell.strip() for cell in row[1:]] for row in cells[1:]]
    return Cross(source=source, cells=body, names=(labels, labels), rows=rows, is_stored=True)


def check_even(cells: Cells) -> None:
    """Refuse rows of several widths."""
    for i, row in enumerate(cells):
        if len(row) != len(cells[0]):
            msg = (
                f"row {i + 1} of the table has {len(row)} cells where the first has {len(cells[0])}"
            )
            raise InputError(msg)


def listed(table: Sequence[Sequence[str]], source: str) -> Cross | None:
    """The list in a grid that has a line for each pair of classes, its count and perhaps the squares of its weights."""
    header = [name.strip().lower() for name in table[0]]
    if len(header) == 2 and {axis_of(name) for name in header} == {*OTHER_SIDE}:
        msg = "the text lists single pairs, no counts; count them with confmat.count(actual, predicted)"
        raise InputError(msg)
    # Squares are no counts, and pass for a column of row numbers here.
    at = long_columns(["index" if name == "squares" else name for name in header])
    if at is None or len(table) < 2:
        return None
    is_stored = [header[i] for i in at] == ["actual", "predicted", "count"]
    pairs = _pairs(table[1:], [*at, *(i for i, name in enumerate(header) if name == "squares")])
    refuse_totals({pair: numbers[0] for pair, numbers in pairs.items()})
    return Cross(
        source=f"{source}, long form", cells=(), names=((), ()), pairs=pairs, rows="actual", is_stored=is_stored,
        tally=table[0][at[2]].strip(),
    )  # fmt: skip


def _pairs(rows: Cells, places: Sequence[int]) -> dict[tuple[str, str], list[Any]]:
    """The numbers of each pair of classes, from the places of both and of the numbers in a row."""
    pairs: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        actual, predicted, *texts = (row[i] for i in places)
        if (actual, predicted) in pairs:
            msg = f"the pair {actual!r:.60}, {predicted!r:.60} has come before; add the counts up first"
            raise InputError(msg)
        pairs[actual, predicted] = [number_of(text.strip(), actual, predicted) for text in texts]
    return pairs


def _of_pairs(pairs: Mapping[tuple[str, str], list[Any]], naming: Naming) -> ConfusionMatrix:
    texts = list(dict.fromkeys(chain(*zip(*pairs, strict=True))))
    made = dict(zip(texts, naming.read(texts, "pairs"), strict=True))
    given = (
        [name for name in made.values() if name not in naming.outside]
        if naming.labels is None
        else naming.labels
    )
    kind: type = float if any(isinstance(numbers[0], float) for numbers in pairs.values()) else int
    m, *squares = (
        ConfusionMatrix.from_pairs(
            [(made[a], made[p], (float if k else kind)(numbers[k])) for (a, p), numbers in pairs.items()],
            given, outside=naming.outside, positive=naming.positive,
        )
        for k in range(len(next(iter(pairs.values()))))
    )  # fmt: skip
    return (
        m
        if not squares
        else ConfusionMatrix._of(m.labels, m._counts, squares[0]._counts, m.dropped)
    )


def _titled(table: list[list[str]], mine: list[str], theirs: list[str]) -> list[list[str]]:
    """Take away a first row that holds nothing but the titles of the axes, as sheets and pivots have it."""
    head = table[0]
    titles = [cell for cell in head if cell and not is_total(cell)]
    if len(table) < 3 or len(head) < 3 or not titles or len(titles) > 1 + bool(head[0]):
        return table
    is_pivot = titles == head[:2] and all(table[1]) and not any(map(is_number, table[1]))
    if not is_pivot and not all(map(lean, titles)):
        return table
    mine.append(head[0])
    theirs += titles[bool(head[0]) :]
    return table[1:]


def _stub(header: list[str], body: list[list[str]]) -> str | None:
    """The title in a first column that holds nothing else, beside the column of row names."""
    if len(header) < 4 or header[0] or header[1]:
        return None
    words = {row[0] for row in body if row[0] and not (is_total(row[0]) and not row[1])}
    return words.pop() if len(words) == 1 and lean(min(words)) else None


def unprefixed(rows: Sequence[str], cols: Sequence[str]) -> tuple[list[str], list[str], str, str]:
    """Names without the word of a side that all of it begin with, and these words: "Predicted Cat" beside "Cat".

    >>> unprefixed(["pred_0", "pred_1"], ["Actual 0", "Actual 1", "Total"])
    (['0', '1'], ['0', '1', 'Total'], 'pred', 'Actual')
    """
    words = []
    for names in (rows, cols):
        first = {found[0] if (found := _FIRST.match(name)) else "" for name in classes(names)}
        word = first.pop() if len(first) == 1 and len(classes(names)) > 1 else ""
        words.append(word if axis_of(word) else "")
    if axis_of(words[0]) == axis_of(words[1]):
        # Both sides begin so: it is part of the names.
        words = ["", ""]
    bare = [
        [_behind(name, word) if k < len(classes(names)) else name for k, name in enumerate(names)]
        for names, word in zip((rows, cols), words, strict=True)
    ]
    return bare[0], bare[1], words[0], words[1]


def _behind(name: str, word: str) -> str:
    """The name behind a word, without the marks between; -1 and -ve keep theirs."""
    rest = name[len(word) :]
    return (re.sub(_BETWEEN, "", rest, count=1) or rest.strip()) if word else name


def classes(names: Sequence[str]) -> Sequence[str]:
    """The names before those of totals and scores at the end."""
    end = len(names)
    while end and (not names[end - 1] or is_total(names[end - 1]) or is_score(names[end - 1])):
        end -= 1
    return names[:end]
