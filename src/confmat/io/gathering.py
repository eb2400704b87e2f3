"""Pairs gathered from files and streams with their counts and weights, and the matrix or stack that they make."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import Argument, BudgetError, InputError, LabelError, Message
from confmat.core.frames import is_total
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import name_from_json, name_to_json
from confmat.core.options import told
from confmat.core.stack import Stack
from confmat.core.text import some
from confmat.counting.columns import Column, column_of
from confmat.counting.door import count_pairs, count_table, remarked
from confmat.counting.examples import unmarked
from confmat.counting.groups import count_groups
from confmat.counting.planning import Policy, quiet
from confmat.counting.weights import read_weights
from confmat.io.queries import Asked, Counted, tallied, too_many

# How many rows, the sum of their weights and that of the squares.
Sums = list[Any]
Key = tuple[Any, ...]
Array = NDArray[Any]
# Rows of text that are kept as they are before they are summed.
ROWS_BETWEEN_SUMS = 2**20
# A pair in the table and in the matrix that is made of it: 320 to 530 where a million names make 1.5 million pairs.
PAIR_BYTES = 500
MEMORY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(i?)b\s*", re.IGNORECASE)
# Positions in messages; here they would be places in the table of pairs, which the user has never seen.
PLACES = re.compile(r", in [\d,]+ of [\d,]+ pairs, the first at position [\d,]+")
# A number with a fraction that is not zero.
FRACTION = re.compile(r"[-+]?[0-9]*\.(?=0*[1-9])[0-9]+([eE][-+]?[0-9]+)?|[-+]?[0-9.]+[eE]-[0-9]+")


class Gathered:
    """A table of (actual, predicted, group) to sums that grows with what occurs, not with the rows.

    It takes at most `max_pairs` entries, and as many as fit the limit of memory, which is written like "1GB"; labels
    keep their types, so 1, True and "1" stay apart.
    """

    def __init__(self, asked: Asked, max_pairs: int, memory: str) -> None:
        self.asked = asked
        self.bytes = bytes_of(memory)
        fitting = max(1, self.bytes // PAIR_BYTES)
        self.max_pairs = min(max_pairs, fitting)
        self._memory = memory if fitting < max_pairs else None
        # Characters of labels that came since they were last summed up.
        self._letters = 0
        self.rows = 0
        # The group of all that is added, where the path of a file says it.
        self.group: Key = ()
        self._table: dict[Key, Sums] = {}
        self._columns: list[Array] | None = None

    @property
    def _sums(self) -> dict[Key, Sums]:
        """The table, with what came as arrays."""
        if self._columns is not None:
            columns, self._columns = self._columns, None
            for *key, many in zip(*(column.tolist() for column in columns), strict=True):
                self._put(tuple(map(marked, key)), many, 0, 0.0)
        return self._table

    def add_columns(self, columns: list[Array]) -> None:
        """Add what an engine counted, as arrays of labels and numbers; while nothing else comes, they stay arrays."""
        if self.group or self._sums or len(columns[-1]) > self.max_pairs:
            self.add_table(zip(*(column.tolist() for column in columns), strict=True))
        else:
            self._columns = [encoded(column) for column in columns]
            self.rows += int(columns[-1].sum())

    def add(self, counts: Mapping[Key, int]) -> None:
        """Add rows counted by (actual, predicted[, group][, weight]); labels are text, None or `marked`."""
        _, weighted = self._sums, self.asked.weights is not None
        for key, many in counts.items():
            if weighted:
                *labels, weight = key
                self._put((*labels, *self.group), many, weight * many, float(weight) * float(weight) * many)
            else:
                self._put(key + self.group, many, 0, 0.0)
            self.rows += many
        self._check()

    def add_table(self, rows: Iterable[Key]) -> None:
        """Add what an engine counted: (actual, predicted[, group], many[, total, squares]), labels of any type."""
        width, _ = len(self.asked.keys), self._sums
        for row in rows:
            many = int(row[width])
            total, squares = (row[width + 1], row[width + 2]) if self.asked.weights is not None else (0, 0.0)
            # Sums of integers come as decimals where 64 bits might not hold them.
            total = total if isinstance(total, (int, float)) else int(total)
            self._put((*map(marked, row[:width]), *self.group), many, total, squares)
            self.rows += many
        self._check()

    def add_matrix(self, counted: ConfusionMatrix) -> None:
        """Add a matrix whose only outside label, if any, stands for missing ones."""
        names = [*counted.labels.classes, *(None for _ in counted.labels.outside)]
        rows, cols, many = (part.tolist() for part in counted._counts.cells())
        self.add_table(zip((names[i] for i in rows), (names[i] for i in cols), many, strict=True))

    def _put(self, key: Key, many: int, total: Any, squares: float) -> None:
        if (found := self._table.get(key)) is None:
            found = self._table[key] = [0, 0, 0.0]
            self._letters += sum(map(len, filter(None, key)))
        found[0] += many
        found[1] += total
        found[2] += squares

    def _check(self) -> None:
        if len(self._sums) > self.max_pairs:
            columns = zip(self.final().asked.keys, zip(*self._sums, strict=True), strict=True)
            distinct = {self.asked.name(name): len(set(column)) for name, column in columns}
            raise too_many(distinct, self.max_pairs, self._memory)
        if self._letters > self.bytes // 4:
            self._letters = 0
            labels = {id(name): name for key in self._table for name in key if name}
            if sum(map(len, labels.values())) > self.bytes:
                long = max(map(len, labels.values()))
                msg = Message(
                    "{memory_limit} is too little for labels of up to {:,} characters; are they classes?", long
                )
                raise BudgetError(msg)

    def final(self) -> Gathered:
        """The same pairs with their groups as a column, wherever those were read."""
        if self.asked.part is None:
            return self
        found = copy(self)
        found.asked = replace(self.asked, by=self.asked.part, part=None)
        return found

    # ---- reading it out ------------------------------------------------------------------------------------

    def counted(self, na_values: Collection[str] = ()) -> Counted:
        """The table in columns; labels and groups that are written like one of `na_values` are missing."""
        absent = frozenset(na_values)
        if self._columns is not None and not absent:
            *keys, many = self._columns
            return Counted(keys[0], keys[1], keys[2] if len(keys) == 3 else None, many, None, None)
        columns = [[unmarked(key[i]) for key in self._sums] for i in range(len(self.asked.keys))]
        if absent:
            columns = [[None if str(name) in absent else name for name in column] for column in columns]
        sums = list(self._sums.values())
        many = read_weights([one[0] for one in sums], None, "counts")
        totals = squares = None
        if self.asked.weights is not None:
            try:
                totals = read_weights([one[1] for one in sums], None)
                squares = read_weights([one[2] for one in sums], None).astype(float)
            except InputError:
                msg = "the weights in the column {}, or their squares, add up to more than a number holds"
                raise InputError(Message(msg, self.asked.name(self.asked.weights))) from None
        found = Counted(columns[0], columns[1], columns[2] if len(columns) == 3 else None, many, totals, squares)
        return tallied(found, self.asked)

    # ---- a checkpoint --------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        """Plain data for a checkpoint; each name stands in it once, since most of the pairs share theirs."""
        places: dict[Any, int] = {}

        def coded(names: Iterable[Any]) -> Array:
            return np.array([places.setdefault(name, len(places)) for name in names], np.int64)

        if self._columns is not None:
            *parts, many = self._columns
            keys = [
                coded(map(marked, [*(part.names or ()), None]))[part.codes]
                if isinstance(part, Column)
                else coded(map(marked, part.tolist()))
                for part in parts
            ]
            sums = [many.tolist()]
        else:
            keys = [*map(coded, zip(*self._table, strict=True))]
            sums = [*map(list, zip(*self._table.values(), strict=True))]
        codes = np.transpose(keys).ravel().tolist()
        names = [name_to_json(unmarked(name)) for name in places]
        # Without weights, numbers are all there is.
        return {"names": names, "codes": codes, "sums": sums if self.asked.weights else sums[:1]}

    def take(self, data: dict[str, Any]) -> None:
        """Go on from what `to_data` gave."""
        names = [marked(name_from_json(name, None)) for name in data["names"]]
        keys = zip(*[map(names.__getitem__, data["codes"])] * len(self.final().asked.keys), strict=True)
        for key, *sums in zip(keys, *data["sums"], strict=True):
            self._put(key, *sums, *(0, 0.0)[len(sums) - 1 :])
            self.rows += sums[0]


class CodedRows:
    """Rows of text whose names have codes, so that they are sorted and summed without an object for each.

    ValueError where another road must be taken: there are too many pairs or bytes, or floats cannot hold a sum.
    """

    def __init__(self, gathered: Gathered) -> None:
        # The names of both sides, which share most of them, and those of the groups; since the last sum, some again.
        self._names: list[list[Any]] = [[] for _ in gathered.asked.keys[1:]]
        self._max_pairs, self._limit = gathered.max_pairs, ROWS_BETWEEN_SUMS
        self._bytes, self._letters = gathered.bytes, 0
        # Places among the names for each column, how many rows they stand for, and sums of weights and their squares.
        self._parts: list[list[Array]] = []
        self._rows = 0
        self._is_whole = True

    def add(
        self, columns: Iterable[tuple[Array, list[Any]]], weights: Array | None = None, is_whole: bool = True
    ) -> None:
        """Add rows: of each column the codes, -1 for a gap, and the names that they stand for."""
        coded = []
        for i, (codes, names) in enumerate(columns):
            known = self._names[max(i - 1, 0)]
            coded.append(np.where(codes < 0, -1, codes + len(known)))
            known += names
            self._letters += sum(map(len, filter(None, names)))
        self._parts.append([*coded, np.ones(len(coded[0])), *(() if weights is None else (weights, weights * weights))])
        self._rows += len(coded[0])
        self._is_whole &= is_whole
        if self._rows > self._limit or self._letters > self._bytes // 4:
            self._sum()

    def _sum(self) -> None:
        parts = [np.concatenate(part) for part in zip(*self._parts, strict=True)]
        found = [kernels.kernel.encode_objects(names, lambda name: name) for names in self._names]
        self._names = [names for _, names in found]
        places = [np.append(codes, -1) for codes, _ in (found[0], *found)]
        width, sizes = len(places), [len(names) + 1 for names in (self._names[0], *self._names)]
        codes = [place[part] + 1 for place, part in zip(places, parts, strict=False)]
        keys, place = np.unique(np.ravel_multi_index(codes, sizes), return_inverse=True)
        sums = [np.bincount(place, part) for part in parts[width:]]
        letters, self._letters = sum(len(name) for names in self._names for name in names if name), 0
        if (
            letters > self._bytes
            or len(keys) > self._max_pairs
            or (self._is_whole and max(one.max() for one in sums[:2]) >= 2**53)
        ):
            raise ValueError
        self._parts = [[*(part - 1 for part in np.unravel_index(keys, sizes)), *sums]]
        self._rows, self._limit = len(keys), 2 * len(keys) + ROWS_BETWEEN_SUMS

    def columns(self) -> list[Any]:
        """The different rows: the labels of each column, how often they occur, and the sums; nothing without rows.

        The sides share one list of names, so that what is true of a name is found out once.
        """
        if not self._rows:
            return []
        self._sum()
        (parts,), width = self._parts, len(self._names) + 1
        types = (np.int64, np.int64 if self._is_whole else float, float)
        names = [[*map(unmarked, known)] for known in self._names]
        labels = [Column(codes, one, True, spare=True) for one, codes in zip((names[0], *names), parts, strict=False)]
        return [*labels, *(part.astype(kind) for part, kind in zip(parts[width:], types, strict=False))]


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


def marked(name: Any) -> Any:
    """A label as a key that equals no label of another type."""
    return name if name is None or type(name) is str else (type(name), name)


def encoded(values: Any) -> Any:
    """A column of objects as codes, so that each of its names is looked at once."""
    if isinstance(values, Column) or values.dtype != object:
        return values
    return Column(*kernels.kernel.encode_objects(values, lambda name: name), holes=True)


def names_in(values: Any) -> Any:
    """The labels of a column of any engine, at least once each."""
    return values.occurring() if isinstance(values, Column) else values


def refuse_scores(found: Counted, asked: Asked) -> None:
    """Refuse labels of files that are scores: most on one side have a fraction, none on the other side has one.

    Nothing says so where a file holds text; counted as they are, they would be as many classes as rows.
    """
    labels = [names_in(found.actual), names_in(found.predicted)]
    broken = [
        {name for name in names if type(name) is str and name[:1] in "+-.0123456789" and FRACTION.fullmatch(name)}
        for names in labels
    ]
    if bool(broken[0]) == bool(broken[1]):
        return
    sides = [set(names) - {None} for names in labels]
    if not all(type(name) is str for side in sides for name in side):
        return
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
    """Refuse a line of totals, which is no pair of classes: it is called so and is the sum of what it stands for."""
    names = {name for key in cells for name in key[:2]}
    totals = {name for name in names if isinstance(name, str) and is_total(name)}
    wholes = {key: tuple(part in totals for part in key) for key in cells if not totals.isdisjoint(key)}
    # The cells that each total stands for: those that agree with it but where it is called a total.
    parts: dict[tuple[Any, ...], list[Any]] = {}
    for hidden in set(wholes.values()):
        for key, number in cells.items():
            if key not in wholes:
                parts.setdefault(_hiding(key, hidden), []).append(number)
    for key, hidden in wholes.items():
        numbers = parts.get(_hiding(key, hidden), [])
        if len(numbers) > 1 and cells[key] and cells[key] == sum(numbers):
            msg = f"{key[0]!r:.60}, {key[1]!r:.60} is a total of other lines, and no pair of classes; leave it out"
            raise InputError(msg)


def _hiding(key: tuple[Any, ...], hidden: tuple[bool, ...]) -> tuple[Any, ...]:
    return hidden, *(part for part, is_hidden in zip(key, hidden, strict=True) if not is_hidden)


def _lists(*columns: Any) -> list[list[Any]]:
    """Columns of any engine as lists."""
    import narwhals.stable.v2 as nw

    return [one if isinstance(one, list) else nw.from_native(one, series_only=True).to_list() for one in columns]


def settled(found: Counted, asked: Asked, policy: Policy) -> ConfusionMatrix | Stack:
    """The matrix, or the stack of groups, of pairs that an engine counted."""
    if not len(found.many):
        # No pairs at all: the same answer, or the same error, as for two empty lists.
        return count_pairs([], [], None, None if asked.by is None else [], policy)
    numbers = found.many if found.totals is None else found.totals
    if asked.tally:
        groups = [None] * len(found.many) if found.group is None else found.group
        keys = zip(*_lists(found.actual, found.predicted, groups), strict=True)
        refuse_totals(dict(zip(keys, found.many.tolist(), strict=True)))
    try:
        if asked.by is not None:
            return remarked(_stacked(found, numbers, str(asked.called.get(asked.by, asked.by)), policy), policy)
        return remarked(count_table(found.actual, found.predicted, numbers, policy, squares=found.squares), policy)
    except LabelError as error:
        raise type(error)(_in_rows(error.message, found, asked)) from None


def _stacked(found: Counted, numbers: Array, axis: str, policy: Policy) -> Stack:
    if found.totals is None and policy.missing == "drop":
        found = _with_group(found)
        numbers = found.many
    row, col = column_of(found.actual, "actual"), column_of(found.predicted, "predicted")
    assert row is not None
    assert col is not None

    def per_group(values: Array, name: str, policy: Policy) -> Stack:
        weights = read_weights(values, len(row.codes), name)
        return count_groups(row, col, found.group, weights, policy)

    sums = per_group(numbers, "weights", policy)
    # The squares that come with these are those of the sums; the weights' own are summed like them.
    second = None if found.squares is None else per_group(found.squares, "squares of the weights", quiet(policy))
    matrices = {}
    for key, matrix in sums.items():
        squares = None if second is None else second[key]._counts.stored(matrix._counts.is_sparse)
        matrices[key] = ConfusionMatrix._of(matrix.labels, matrix._counts, squares, matrix.dropped)
    return Stack(matrices, axis=axis)


def _with_group(found: Counted) -> Counted:
    """Without the pairs that belong to no group: as in `count`, labels that only they hold are no classes."""
    group = column_of(found.group, "by")
    assert group is not None
    kept = np.asarray(group.codes) >= 0
    if not group.holes or kept.all() or not kept.any():
        return found

    def of(values: Any, side: str) -> Column | None:
        column = column_of(values, side)
        return None if column is None else replace(column, codes=column.codes[kept], spare=True)

    sides = of(found.actual, "actual"), of(found.predicted, "predicted")
    return Counted(*sides, of(found.group, "by"), found.many[kept], None, None)


def _in_rows(message: Message, found: Counted, asked: Asked) -> Message:
    """Return the message of `count` with the numbers of rows instead of positions in the table of pairs."""
    if message.startswith("missing labels: "):
        sides = (("actual", found.actual, asked.actual), ("predicted", found.predicted, asked.predicted))
        parts = [_missing(values, side, asked.name(column), found.many) for side, values, column in sides]
        return Message("missing labels: {}. {}", Message.joined("; ", filter(None, parts)), message.after(". "))
    if message.startswith("missing groups: "):
        assert asked.by is not None
        rows = _missing(found.group, "by", asked.name(asked.by), found.many)
        return Message("missing groups: {}. {}", rows, message.after(". "))
    return message.edited(lambda text: PLACES.sub("", text))


def _missing(values: Any, side: str, name: str, many: Array) -> str:
    column = column_of(values, side)
    if column is None or not column.holes:
        return ""
    rows = int(many[np.asarray(column.codes) < 0].sum())
    return Message("{:,} rows in {} (column {})", rows, Argument(side), name) if rows else ""
