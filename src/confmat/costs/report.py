"""CostReport: what answers cost, against no model, cell by cell and class by class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, overload

from numpy.typing import NDArray

from confmat.core.labels import Labels
from confmat.core.tables import Column, Table, Tabular, amount, class_name, percent, to_plain
from confmat.core.text import number, table
from confmat.intervals import Estimate

__all__ = ["Constant", "CostOfCell", "CostOfClass", "CostReport", "Rows"]

# Rows of each table that are printed.
PRINTED_ROWS = 10


@dataclass(frozen=True, slots=True)
class Constant:
    """One answer for all items, and what that costs an item."""

    answer: Any
    mean: float


@dataclass(frozen=True, slots=True)
class CostOfCell:
    """Items of one class with one answer: how many, their price, what they cost together and of all costs.

    `cumulative` is the share of this cell and of all that cost more. Shares are NaN where some cells earn.
    """

    actual: Any
    predicted: Any
    count: int | float
    price: float
    cost: float
    share: float
    cumulative: float


@dataclass(frozen=True, slots=True)
class CostOfClass:
    """What the items of a class cost, and what the answers cost that name it: together, each, and of all costs."""

    label: Any
    items: int | float
    cost: float
    mean: float
    share: float
    answers: int | float
    answers_cost: float
    answers_mean: float
    answers_share: float


Row = TypeVar("Row")


class Rows(Sequence[Row], Tabular, Generic[Row]):
    """Rows of a table kept as arrays; each is made when it is asked for."""

    __slots__ = ("_kind", "_labels", "_names", "columns")

    def __init__(
        self, kind: type[Row], labels: Labels, names: dict[str, NDArray[Any]], columns: dict[str, NDArray[Any]]
    ) -> None:
        self._kind, self._labels, self._names, self.columns = kind, labels, names, columns

    def __len__(self) -> int:
        return len(next(iter(self._names.values())))

    @overload
    def __getitem__(self, position: int) -> Row: ...
    @overload
    def __getitem__(self, position: slice) -> list[Row]: ...
    def __getitem__(self, position: int | slice) -> Row | list[Row]:
        if isinstance(position, slice):
            return [self[place] for place in range(*position.indices(len(self)))]
        names = [self._labels[int(place[position])] for place in self._names.values()]
        return self._kind(*names, *(column[position].item() for column in self.columns.values()))

    def __iter__(self) -> Iterator[Row]:
        return (self[place] for place in range(len(self)))

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name, as plain lists; what is unknown is None."""
        names = {name: [self._labels[place] for place in places.tolist()] for name, places in self._names.items()}
        return names | {name: to_plain(column) for name, column in self.columns.items()}

    def table(self) -> Table:
        """Return the rows as a table."""
        names = [
            Column(name, [self._labels[i] for i in places.tolist()], class_name, _HEADS.get(name, name), is_label=True)
            for name, places in self._names.items()
        ]
        numbers = [
            Column(name, column, _TEXTS.get(name.removeprefix("answers_"), number), _HEADS.get(name, name))
            for name, column in self.columns.items()
        ]
        more = "… of {total:,} " + ("cells" if len(names) == 2 else "classes")
        return Table((*names, *numbers), shown=(PRINTED_ROWS, PRINTED_ROWS, 0), more=more)

    def __repr__(self) -> str:
        return f"<{len(self):,} rows of {', '.join((*self._names, *self.columns))}>"


@dataclass(frozen=True, eq=False)
class CostReport(Tabular):
    """The mean cost of an answer with its interval, what it is measured against, and where it comes from.

    `constant` is the one answer for all items that costs least, `saved` what the answers save against it for each item,
    with an interval; `normalised` is the one cost over the other: below 1 the answers are better than no model, and NaN
    where the constant answer costs nothing or earns. `at_random` is the mean cost if the same answers were dealt out to
    the items by chance. `cells` and `classes` are rows, the dearest first: `cells[0]` is what to fix first.
    """

    mean: Estimate
    total: float
    items: int | float
    constant: Constant | None
    saved: Estimate | None
    normalised: float
    at_random: float
    cells: Rows[CostOfCell]
    classes: Rows[CostOfClass]
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Whether the answers are better than the best constant one, as far as the interval tells."""
        if self.saved is None or math.isnan(self.saved.low):
            return "not compared with no model"
        if self.saved.low > 0:
            return "better than no model"
        return "worse than no model" if self.saved.high < 0 else "not shown to be better than no model"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; what is unknown is None."""
        constant = None if self.constant is None else {"answer": self.constant.answer, "mean": self.constant.mean}
        return {
            "mean": self.mean.to_dict(),
            "total": self.total,
            "items": self.items,
            "constant": constant,
            "saved": None if self.saved is None else self.saved.to_dict(),
            "normalised": to_plain(self.normalised),
            "at_random": to_plain(self.at_random),
            "verdict": self.verdict,
            "cells": self.cells.to_dict(),
            "classes": self.classes.to_dict(),
            "notes": list(self.notes),
        }

    def table(self) -> Table:
        """Return the cells as a table, the dearest first, with the costs of all as notes."""
        notes = [f"{name}: {value} {said}".strip() for name, value, said in self._summary()]
        return replace(self.cells.table(), notes=(*notes, *self.notes))

    def __str__(self) -> str:
        tables = [part.table() for part in (self.cells, self.classes)]
        cells, classes = ([*one.lines(), one.hidden()] if len(one) else [] for one in tables)
        parts = [table(self._summary(), "<><"), ["what to fix first:", *cells] if cells else [], classes, self.notes]
        return "\n\n".join("\n".join(filter(None, part)) for part in parts if part)

    def __repr__(self) -> str:
        return f"<CostReport: {amount(self.mean.value)} an item, {amount(self.total)} in all, {self.verdict}>"

    def _summary(self) -> list[list[str]]:
        """Names, values and what is to be said of them."""
        rows = [["mean cost", amount(self.mean.value), f"{_bounds(self.mean)} an item"]]
        rows.append(["total cost", amount(self.total), f"of {number(self.items)} items"])
        if self.constant is not None and self.saved is not None:
            answer = class_name(self.constant.answer)
            rows.append(["best constant answer", amount(self.constant.mean), f"always {answer}"])
            rows.append(["saved against it", amount(self.saved.value), f"{_bounds(self.saved)}: {self.verdict}"])
            known = not math.isnan(self.normalised)
            said = "less than 1 is better than that answer" if known else "that answer costs nothing, or earns"
            rows.append(["normalised cost", amount(self.normalised), said])
            rows.append(["same answers at random", amount(self.at_random), ""])
        return rows


# How the columns of the tables read and are headed.
_TEXTS = {"price": amount, "cost": amount, "mean": amount, "share": percent, "cumulative": percent}
_HEADS = {
    "label": "class", "mean": "each", "answers_cost": "cost", "answers_mean": "each", "answers_share": "share",
}  # fmt: skip


def _bounds(one: Estimate) -> str:
    return f"[{amount(one.low)}, {amount(one.high)}]"
