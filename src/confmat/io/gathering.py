"""Pairs gathered from files and streams with their counts and weights, and the matrix or stack that they make."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import Argument, BudgetError, InputError, LabelError, Message
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import name_from_json, name_to_json
from confmat.core.notes import Note, merged
from confmat.core.options import told
from confmat.core.stack import Stack
from confmat.core.text import some
from confmat.counting.columns import Column, whole_column
from confmat.counting.door import count_pairs, count_table
from confmat.counting.groups import count_groups
from confmat.counting.look import look
from confmat.counting.planning import Policy, quiet
from confmat.counting.tables import coded, count_area, dense_is_better
from confmat.counting.weights import read_weights
from confmat.io.queries import Asked, Counted, tallied, too_heavy, too_many
from confmat.io.spilling import Spill
from confmat.io.tallies import is_sum

Array = NDArray[Any]
# Lines, each name of a column once and no two alike, and their numbers: how many rows; with
# weights, the sums of these and of their squares.
Part = tuple[list[Column], list[Array]]
# Lines that are kept as they are before they are summed.
LINES_BETWEEN_SUMS = 2**20
# A pair in the table and in the matrix that is made of it: 320 to 530 where a million names make
# 1.5 million pairs.
PAIR_BYTES = 500
# A name of pairs that were summed on disk, and such a pair in a whole table or as a cell of its
# own.
NAME_BYTES, SPILLED_BYTES, SPILLED_CELL_BYTES = 500, 40, 120
# The share of the memory that is for DuckDB while it sums, and the least limit that leaves it
# enough.
DUCKDB_SHARE, LEAST_FOR_DUCKDB = 4, 200_000_000
MEMORY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(i?)b\s*", re.IGNORECASE)
# Positions in messages; here they would be places in the table of pairs, which the user has never
# seen.
PLACES = re.compile(r", in [\d,]+ of [\d,]+ pairs, the first at position [\d,]+")
# A number with a fraction that is not zero.
FRACTION = re.compile(r"[-+]?[0-9]*\.(?=0*[1-9])[0-9]+([eE][-+]?[0-9]+)?|[-+]?[0-9.]+[eE]-[0-9]+")


class Gathered:
    """A table of (actual, predicted, group) to sums that grows with what occurs, not with the rows.

    It takes at most `max_pairs` entries, and as many as fit the limit of memory, which is written
    like "1GB"; where it `spills`, more rows without weights go to disk. Labels keep their types, so
    1, True and "1" stay apart.
    """

    def __init__(self, asked: Asked, max_pairs: int, memory: str, *, spills: bool = False) -> None:
        self.asked = asked
        self.bytes = bytes_of(memory)
        fitting = max(1, self.bytes // PAIR_BYTES)
        self.max_pairs, self._most = min(max_pairs, fitting), max_pairs
        self._memory = memory if fitting < max_pairs else None
        can_spill = spills and asked.weights is None and self.bytes >= LEAST_FOR_DUCKDB
        self.spills = can_spill and self._memory is not None and find_spec("duckdb") is not None
        if self.spills:
            # Summing takes as much again.
            self.max_pairs //= 2
        self._spill: Spill | None = None
        self.rows = 0
        # The group of all that is added, where the path of a file says it.
        self.group: tuple[Any, ...] = ()
        # The last sum, and what was added since: the number of its lines, and of the characters of its labels.
        self._parts: list[Part] = []
        self._lines = self._letters = 0
        self._between = min(LINES_BETWEEN_SUMS, max(1, fitting // 4))
        self._limit = self._between

    def add(self, part: Part) -> None:
        """Add lines: of each the labels, and how many rows it represents; with weights, the sums of `tabled` too."""
        columns, numbers = part
        many = len(numbers[0])
        groups = [Column(np.zeros(many, np.int32), [name], holes=True) for name in self.group]
        self._parts.append(([*columns, *groups], numbers))
        self.rows += int(numbers[0].sum())
        self._lines += many
        self._letters += sum(map(_letters, columns))
        if self._lines > self._limit or self._letters > self.bytes // 4:
            self._sum()

    def weighed(self, columns: Sequence[Column], weights: Array | None) -> Part:
        """The lines of rows with their weights, if there are some; nothing is added yet."""
        if weights is None:
            return tabled(columns, [None])
        self._fit([weights])
        with np.errstate(over="ignore"):
            return tabled(columns, [None, weights, weights.astype(float) ** 2])

    def _fit(self, weights: Iterable[Array]) -> None:
        """Refuse whole weights whose sum would wrap."""
        if any(each.dtype.kind == "i" and each.sum(dtype=float) >= 2.0**63 for each in weights):
            raise too_heavy(self.asked)

    def _sum(self) -> None:
        """Make one line of those with the same labels, and refuse what is no table of classes."""
        if not self._lines:
            return
        if len(self._parts) > 1:
            sides = list(zip(*(columns for columns, _ in self._parts), strict=True))
            both = joined([*sides[0], *sides[1]])
            columns = [replace(both, codes=codes) for codes in np.split(both.codes, 2)] + [
                *map(joined, sides[2:])
            ]
            numbers = [
                np.concatenate(each)
                for each in zip(*(part for _, part in self._parts), strict=True)
            ]
            self._fit(numbers[1:2])
            self._parts = [tabled(columns, numbers)]
        columns, (lines, *_) = self._parts[0]
        if len(lines) > self.max_pairs:
            if not self.spills:
                raise self._too_many(columns, self.max_pairs)
            self._put_aside()
            lines = lines[:0]
        if self._letters > self.bytes // 4 and max(map(_letters, columns)) > self.bytes:
            long = max(len(str(name)) for column in columns for name in column.names or ())
            msg = Message(
                "{memory_limit} is too little for labels of up to {:,} characters; are they classes?",
                long,
            )
            raise BudgetError(msg)
        self._lines = self._letters = 0
        self._limit = len(lines) + self._between

    def _too_many(self, columns: Sequence[Column], limit: int) -> BudgetError:
        keys = zip(self.final().asked.keys, columns, strict=True)
        distinct = {self.asked.name(name): len(np.unique(column.codes)) for name, column in keys}
        return too_many(distinct, limit, self._memory if limit < self._most else None)

    def _put_aside(self) -> None:
        """Move the lines to disk; their names stay."""
        columns, (lines,) = self._parts.pop()
        if self._spill is None:
            self._spill = Spill(len(columns), self.bytes // DUCKDB_SHARE)
        known = self._spill.names
        both = joined([Column(np.arange(len(known)), known), *columns])
        if len(both.names or ()) * NAME_BYTES > self.bytes:
            raise self._too_many(columns, self.max_pairs)
        self._spill.add(
            list(both.names or ()), np.split(both.codes[len(known) :], len(columns)), lines
        )

    def _brought_back(self) -> None:
        """Sum the lines on disk, and refuse more than the limits of pairs and of memory."""
        if self._spill is None:
            return
        if self._parts:
            self._put_aside()
        spill, self._spill = self._spill, None
        columns, numbers = spill.summed(min(self._most, self.bytes // SPILLED_BYTES) + 1)
        many, names = len(numbers[0]), len(spill.names)
        each = SPILLED_BYTES if dense_is_better(names + 1, names + 1, many) else SPILLED_CELL_BYTES
        if many > self._most or many * each + names * NAME_BYTES > self.bytes:
            raise self._too_many(columns, min(self._most, many - 1))
        self._parts = [(columns, numbers)]

    def final(self) -> Gathered:
        """The same pairs with their groups as a column, wherever those were read."""
        if self.asked.part is None:
            return self
        found = copy(self)
        found.asked = replace(self.asked, by=self.asked.part, part=None)
        return found

    def summed(self) -> Part:
        """The lines, no two of them with the same labels."""
        self._sum()
        self._brought_back()
        if self._parts:
            return self._parts[0]
        none = [np.zeros(0, np.int64)] * (1 if self.asked.weights is None else 3)
        return [Column(none[0], [], holes=True) for _ in self.final().asked.keys], none

    def counted(self, na_values: Collection[str] = ()) -> Counted:
        """The table in columns; labels and groups that are written like one of `na_values` are missing."""
        columns, (many, *weighed) = self.summed()
        columns = [_without(column, frozenset(na_values)) for column in columns]
        if not all(np.isfinite(sums.sum()) for sums in weighed):
            msg = (
                "the weights in the column {}, or their squares, add up to more than a number holds"
            )
            raise InputError(Message(msg, self.asked.name(str(self.asked.weights))))
        actual, predicted, group = [*columns, None][:3]
        totals, squares = weighed or (None, None)
        return tallied(Counted(actual, predicted, group, many, totals, squares), self.asked)

    # ---- a checkpoint ----------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        """Plain data for a checkpoint: each name once, the places of those of each line, and its numbers."""
        columns, numbers = self.summed()
        column = joined(columns)
        names, gaps = list(column.names or ()), column.codes < 0
        codes = np.where(gaps, len(names), column.codes)
        names += [None] * bool(gaps.any())
        return {
            "names": [name_to_json(name) for name in names],
            "codes": codes.reshape(len(columns), -1).T.ravel().tolist(),
            "sums": [sums.tolist() for sums in numbers],
        }

    def take(self, data: dict[str, Any]) -> None:
        """Go on from what `to_data` gave."""
        if data["codes"]:
            names = [name_from_json(name, None) for name in data["names"]]
            codes = np.array(data["codes"]).reshape(-1, len(self.final().asked.keys))
            # The group, if the path of a file says it, is among the codes.
            group, self.group = self.group, ()
            self.add(
                (
                    [joined([Column(column, names)]) for column in codes.T],
                    [*map(np.array, data["sums"])],
                )
            )
            self.group = group


def tabled(columns: Sequence[Column], numbers: Sequence[Array | None]) -> Part:
    """Make one line of those with the same labels: the sums of each number, of None how many lines there were."""
    first, *middle, last = columns
    rows, start, size, wide = first.codes, -1, len(first.names or ()) + 1, 1
    for column in middle:
        wide = len(column.names or ()) + 1
        rows, start, size = (rows.astype(np.int64) + 1) * wide + column.codes + 1, 0, size * wide
    raws = [count_area(rows, start, size, coded(last), number, 1) for number in numbers]
    places: tuple[Array, ...]
    if raws[0].cells is not None:
        places, sums = raws[0].cells[:2], [raw.cells[2] for raw in raws if raw.cells is not None]
    else:
        tables = [raw.table for raw in raws if raw.table is not None]
        places = np.nonzero(tables[0])
        sums = [table[places] for table in tables]
    codes = [place - 1 for place in ((*divmod(places[0], wide), places[1]) if middle else places)]
    return [replace(column, codes=code) for column, code in zip(columns, codes, strict=True)], sums


def listed(values: Iterable[Any]) -> Column:
    """A column of any objects; those of different types are different labels."""
    return Column(
        *kernels.kernel.encode_objects(list(values), lambda name: name), holes=True, spare=True
    )


def joined(columns: Sequence[Column]) -> Column:
    """Columns below each other, with each name once."""
    names: list[Any] = []
    codes = []
    for column in columns:
        codes.append(np.where(column.codes < 0, -1, column.codes + len(names)))
        names += column.names or ()
    found = listed(names)
    return replace(found, codes=np.append(found.codes, -1)[np.concatenate(codes)])


def _without(column: Column, absent: frozenset[str]) -> Column:
    """The column with gaps in place of names that mean a missing one."""
    if not absent:
        return column
    gaps = np.array([str(name) in absent for name in column.names or ()] + [True])
    codes = np.where(gaps[column.codes], -1, column.codes)
    return replace(column, codes=codes, holes=True, spare=True)


def _letters(column: Column) -> int:
    return sum(map(len, map(str, column.names or ())))


def bytes_of(memory: Any) -> int:
    """The bytes of a limit of memory, which is written like 1GB.

    >>> bytes_of("1GB"), bytes_of("1.5 KiB")
    (1000000000, 1536)
    """
    found = MEMORY.fullmatch(memory) if isinstance(memory, str) else None
    if found is None:
        msg = Message("{memory_limit} is written like '1GB' or '512MB', not {}", told(memory))
        raise InputError(msg)
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** ("kmgt".index(unit.lower()) + 1))


def names_in(values: Any) -> Any:
    """The labels of a column of any engine, at least once each."""
    return values.occurring() if isinstance(values, Column) else values


def refuse_scores(found: Counted, asked: Asked) -> None:
    """Refuse labels of files that are scores: most on one side have a fraction, none on the other side has one.

    Nothing says so where a file holds text; counted as they are, they would be as many classes as
    rows.
    """
    sides = [{*names_in(values)} - {None} for values in (found.actual, found.predicted)]
    if not all(type(name) is str for side in sides for name in side):
        return
    broken = [{*filter(FRACTION.fullmatch, side)} for side in sides]
    for place, column in enumerate((asked.actual, asked.predicted)):
        if 2 * len(broken[place]) > len(sides[place]) and not broken[1 - place]:
            such = some(sorted(broken[place])[:1])
            msg = Message(
                "the column {} holds numbers such as {}, and the other side none with a fraction, so these are "
                "scores and no labels; choose another column, or have a threshold make labels of them: --scores "
                "COLUMN on the command line, or confmat.from_scores. If they are labels, name them in {labels}",
                asked.name(column),
                such,
            )
            raise InputError(msg)


def refuse_totals(cells: Mapping[tuple[Any, ...], Any]) -> None:
    """Refuse a line of totals, which is no pair of classes: called so, or blank, and the sum of its parts."""
    totals = {name for key in cells for name in key if is_sum(name)}
    wholes = {
        key: tuple(part in totals for part in key) for key in cells if not totals.isdisjoint(key)
    }
    # The cells that each total adds up: those that agree with it but where it is called a total.
    parts: dict[tuple[Any, ...], list[Any]] = {}
    for hidden in set(wholes.values()):
        for key, number in cells.items():
            if key not in wholes:
                parts.setdefault(_hiding(key, hidden), []).append(number)
    for key, hidden in wholes.items():
        numbers = parts.get(_hiding(key, hidden), [])
        if len(numbers) > 1 and cells[key] and cells[key] == sum(numbers):
            named = ", ".join(f"{part!r:.60}" for part in key)
            msg = f"{named} is a total of other lines, and no pair of classes; leave it out"
            raise InputError(msg)


def _hiding(key: tuple[Any, ...], hidden: tuple[bool, ...]) -> tuple[Any, ...]:
    return hidden, *(part for part, is_hidden in zip(key, hidden, strict=True) if not is_hidden)


def _lists(*columns: Any) -> list[list[Any]]:
    """Columns of any engine as lists."""
    import narwhals.stable.v2 as nw

    own = (list, Column)
    return [
        [*column] if isinstance(column, own) else nw.from_native(column, series_only=True).to_list()
        for column in columns
    ]


def settled(found: Counted, asked: Asked, policy: Policy) -> ConfusionMatrix | Stack:
    """The matrix, or the stack of groups, of pairs that an engine counted."""
    if not len(found.many):
        # No pairs at all: the same answer, or the same error, as for two empty lists.
        return count_pairs([], [], None, None if asked.by is None else [], policy)
    numbers = found.many if found.totals is None else found.totals
    if asked.tally:
        keys = zip(
            *_lists(
                *(
                    column
                    for column in (found.actual, found.predicted, found.group)
                    if column is not None
                )
            ),
            strict=True,
        )
        refuse_totals(dict(zip(keys, found.many.tolist(), strict=True)))
    made: ConfusionMatrix | Stack
    try:
        if asked.by is None:
            made = count_table(
                found.actual, found.predicted, numbers, policy, squares=found.squares
            )
        else:
            made = _stacked(found, numbers, str(asked.called.get(asked.by, asked.by)), policy)
        made = look(made, policy)
    except LabelError as error:
        raise type(error)(_in_rows(error.message, found, asked)) from None
    if not asked.is_shown:
        return made
    many, column = int(found.many.sum()), str(asked.weights)
    note = Note("counts", ((str(asked.called.get(column, column)),),), many, many)
    return made._noted(merged([note, *made.notes]))


def _stacked(found: Counted, numbers: Array, axis: str, policy: Policy) -> Stack:
    if found.totals is None and policy.missing == "drop":
        found = _with_group(found)
        numbers = found.many
    row, col = whole_column(found.actual, "actual"), whole_column(found.predicted, "predicted")

    def per_group(values: Array, name: str, policy: Policy) -> Stack:
        weights = read_weights(values, len(row.codes), name)
        return count_groups(row, col, found.group, weights, policy)

    sums = per_group(numbers, "weights", policy)
    # The squares that come with these are those of the sums; the weights' own are summed like them.
    second = (
        None
        if found.squares is None
        else per_group(found.squares, "squares of the weights", quiet(policy))
    )
    matrices = {}
    for key, matrix in sums.items():
        squares = None if second is None else second[key]._counts.stored(matrix._counts.is_sparse)
        matrices[key] = ConfusionMatrix._of(matrix.labels, matrix._counts, squares, matrix.dropped)
    return Stack(matrices, axis=axis)


def _with_group(found: Counted) -> Counted:
    """Without the pairs that belong to no group: as in `count`, labels that only they hold are no classes."""
    group = whole_column(found.group, "by")
    kept = np.asarray(group.codes) >= 0
    if not group.holes or kept.all() or not kept.any():
        return found

    def of(values: Any, side: str) -> Column:
        column = whole_column(values, side)
        return replace(column, codes=column.codes[kept], spare=True)

    sides = of(found.actual, "actual"), of(found.predicted, "predicted")
    return Counted(*sides, of(found.group, "by"), found.many[kept], None, None)


def _in_rows(message: Message, found: Counted, asked: Asked) -> Message:
    """Return the message of `count` with the numbers of rows instead of positions in the table of pairs."""
    if message.startswith("missing labels: "):
        sides = (
            ("actual", found.actual, asked.actual),
            ("predicted", found.predicted, asked.predicted),
        )
        parts = [
            _missing(values, side, asked.name(column), found.many) for side, values, column in sides
        ]
        return Message(
            "missing labels: {}. {}", Message.joined("; ", filter(None, parts)), message.after(". ")
        )
    if message.startswith("missing groups: "):
        assert asked.by is not None
        rows = _missing(found.group, "by", asked.name(asked.by), found.many)
        return Message("missing groups: {}. {}", rows, message.after(". "))
    return message.edited(lambda text: PLACES.sub("", text))


def _missing(values: Any, side: str, name: str, many: Array) -> str:
    column = whole_column(values, side)
    if not column.holes:
        return ""
    rows = int(many[np.asarray(column.codes) < 0].sum())
    return Message("{:,} rows in {} (column {})", rows, Argument(side), name) if rows else ""
