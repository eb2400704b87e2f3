"""Pairs gathered from files and streams: every pair that occurs, how often, and with which weights."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from confmat._naming import name_from_json, name_to_json
from confmat.counting.fields import unmarked
from confmat.counting.weighing import read_weights
from confmat.engines.queries import Asked, Counted, too_many
from confmat.errors import InputError, Message
from confmat.matrix import ConfusionMatrix

__all__ = ["Gathered", "marked"]

# How many rows, the sum of their weights and that of the squares.
Sums = list[Any]
Key = tuple[Any, ...]


class Gathered:
    """A table of (actual, predicted, group) to sums that grows with what occurs, not with the rows.

    It takes at most `max_pairs` entries; labels keep their types, so 1, True and "1" stay apart.
    """

    def __init__(self, asked: Asked, max_pairs: int) -> None:
        self.asked = asked
        self.max_pairs = max_pairs
        self.rows = 0
        self._sums: dict[Key, Sums] = {}

    def add(self, counts: Mapping[Key, int]) -> None:
        """Add rows counted by (actual, predicted[, group][, weight]); labels are text, None or `marked`."""
        sums, weighted = self._sums, self.asked.weights is not None
        for key, many in counts.items():
            if weighted:
                *labels, weight = key
                self._put(tuple(labels), many, weight * many, float(weight) * float(weight) * many)
            elif (found := sums.get(key)) is None:
                sums[key] = [many, 0, 0.0]
            else:
                found[0] += many
            self.rows += many
        self._check()

    def add_table(self, rows: Iterable[Key]) -> None:
        """Add what an engine counted: (actual, predicted[, group], many[, total, squares]), labels of any type."""
        width = 2 if self.asked.by is None else 3
        for row in rows:
            many = int(row[width])
            total, squares = (row[width + 1], row[width + 2]) if self.asked.weights is not None else (0, 0.0)
            # Sums of integers come as decimals where 64 bits might not hold them.
            total = total if isinstance(total, (int, float)) else int(total)
            self._put(tuple(map(marked, row[:width])), many, total, squares)
            self.rows += many
        self._check()

    def add_matrix(self, counted: ConfusionMatrix) -> None:
        """Add a matrix whose only outside label, if any, stands for missing ones."""
        names = [*counted.labels.classes, *(None for _ in counted.labels.outside)]
        rows, cols, many = (part.tolist() for part in counted._counts.cells())
        self.add_table(zip((names[i] for i in rows), (names[i] for i in cols), many, strict=True))

    def _put(self, key: Key, many: int, total: Any, squares: float) -> None:
        found = self._sums.setdefault(key, [0, 0, 0.0])
        found[0] += many
        found[1] += total
        found[2] += squares

    def _check(self) -> None:
        if len(self._sums) > self.max_pairs:
            names = (self.asked.actual, self.asked.predicted, *([] if self.asked.by is None else [self.asked.by]))
            columns = zip(*self._sums, strict=True)
            raise too_many(
                {self.asked.name(name): len(set(column)) for name, column in zip(names, columns, strict=True)},
                self.max_pairs,
            )

    # ---- reading it out ------------------------------------------------------------------------------------

    def sides(self) -> tuple[list[Any], list[Any]]:
        """The labels of both sides, pair by pair."""
        return [unmarked(key[0]) for key in self._sums], [unmarked(key[1]) for key in self._sums]

    def counted(self, na_values: Collection[str] = ()) -> Counted:
        """The table in columns; labels and groups that are written like one of `na_values` are missing."""
        absent = frozenset(na_values)
        read: Callable[[Any], Any] = unmarked if not absent else lambda name: _present(unmarked(name), absent)
        columns = [[read(key[i]) for key in self._sums] for i in range(2 if self.asked.by is None else 3)]
        sums = list(self._sums.values())
        many = read_weights([one[0] for one in sums], None, "counts")
        totals = squares = None
        if self.asked.weights is not None:
            totals = read_weights([one[1] for one in sums], None)
            squares = read_weights([one[2] for one in sums], None, "squares of the weights").astype(float)
        return Counted(columns[0], columns[1], columns[2] if len(columns) == 3 else None, many, totals, squares)

    # ---- a checkpoint --------------------------------------------------------------------------------------

    def to_data(self) -> list[Any]:
        """Plain data for a checkpoint."""
        return [[[name_to_json(unmarked(name)) for name in key], *sums] for key, sums in self._sums.items()]

    def take(self, data: Any) -> None:
        """Go on from what `to_data` gave."""
        try:
            for names, many, total, squares in data:
                self._sums[tuple(marked(name_from_json(name, None)) for name in names)] = [many, total, squares]
                self.rows += many
        except (TypeError, ValueError) as error:
            msg = Message("the counts of the checkpoint cannot be read: {}", error)
            raise InputError(msg) from None


def marked(name: Any) -> Any:
    """A label as a key that equals no label of another type."""
    return name if name is None or type(name) is str else (type(name), name)


def _present(name: Any, absent: frozenset[str]) -> Any:
    return None if name is None or str(name) in absent else name
