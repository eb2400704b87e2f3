"""CostReport: what answers cost, against no model, cell by cell and class by class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, TypeVar, overload

from numpy.typing import NDArray

from confmat._notebook import InNotebook
from confmat.core.labels import Labels
from confmat.core.text import fit, number, printable, table
from confmat.intervals import Estimate

__all__ = ["Constant", "CostOfCell", "CostOfClass", "CostReport", "Rows"]

# Rows of each table that are printed, and columns that a name takes.
MOST, NAME = 10, 32
DASH = "–"


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


class Rows(Sequence[Row], Generic[Row]):
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
        """Columns by name, as plain lists; what is unknown is None."""
        names = {name: [self._labels[place] for place in places.tolist()] for name, places in self._names.items()}
        return names | {name: list(map(_known, column.tolist())) for name, column in self.columns.items()}

    def to_pandas(self) -> Any:
        """A DataFrame; needs pandas."""
        return import_module("pandas").DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        """A DataFrame; needs Polars."""
        return import_module("polars").DataFrame(self.to_dict(), strict=False)

    def __repr__(self) -> str:
        return f"<{len(self):,} rows of {', '.join((*self._names, *self.columns))}>"


@dataclass(frozen=True, eq=False)
class CostReport(InNotebook):
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
        """Plain data; what is unknown is None."""
        constant = None if self.constant is None else {"answer": self.constant.answer, "mean": self.constant.mean}
        return {
            "mean": self.mean.to_dict(),
            "total": self.total,
            "items": self.items,
            "constant": constant,
            "saved": None if self.saved is None else self.saved.to_dict(),
            "normalised": _known(self.normalised),
            "at_random": _known(self.at_random),
            "verdict": self.verdict,
            "cells": self.cells.to_dict(),
            "classes": self.classes.to_dict(),
            "notes": list(self.notes),
        }

    def to_pandas(self) -> Any:
        """The cells as a DataFrame, the dearest first; needs pandas."""
        return self.cells.to_pandas()

    def to_polars(self) -> Any:
        """The cells as a DataFrame, the dearest first; needs Polars."""
        return self.cells.to_polars()

    def __str__(self) -> str:
        parts = [table(self._summary(), "<><"), _printed(*self._shown()), _printed(*self._shown_classes())]
        if parts[1]:
            parts[1].insert(0, "what to fix first:")
        return "\n\n".join("\n".join(part) for part in [*parts, list(self.notes)] if part)

    def __repr__(self) -> str:
        return f"<CostReport: {_amount(self.mean.value)} an item, {_amount(self.total)} in all, {self.verdict}>"

    def _summary(self) -> list[list[str]]:
        """Names, values and what is to be said of them."""
        rows = [["mean cost", _amount(self.mean.value), f"{_bounds(self.mean)} an item"]]
        rows.append(["total cost", _amount(self.total), f"of {number(self.items)} items"])
        if self.constant is not None and self.saved is not None:
            answer = fit(printable(self.constant.answer), NAME)
            rows.append(["best constant answer", _amount(self.constant.mean), f"always {answer}"])
            rows.append(["saved against it", _amount(self.saved.value), f"{_bounds(self.saved)}: {self.verdict}"])
            known = not math.isnan(self.normalised)
            said = "less than 1 is better than that answer" if known else "that answer costs nothing, or earns"
            rows.append(["normalised cost", _amount(self.normalised), said])
            rows.append(["same answers at random", _amount(self.at_random), ""])
        return rows

    def _shown(self) -> tuple[list[str], str, list[list[str]]]:
        """Headings, how columns are aligned, and rows: the dearest cells."""
        heads = ["actual", "predicted", "count", "price", "cost", "share", "cumulative"]
        rows = [
            [
                *(fit(printable(name), NAME) for name in (one.actual, one.predicted)),
                number(one.count),
                *map(_amount, (one.price, one.cost)),
                *map(_percent, (one.share, one.cumulative)),
            ]
            for one in self.cells[:MOST]
        ]
        return heads, "<<>>>>>", [*rows, *_more(len(self.cells), len(heads), "cells")]

    def _shown_classes(self) -> tuple[list[str], str, list[list[str]]]:
        heads = ["class", "items", "cost", "each", "share", "answers", "cost", "each", "share"]
        rows = [
            [
                fit(printable(one.label), NAME),
                number(one.items),
                *map(_amount, (one.cost, one.mean)),
                _percent(one.share),
                number(one.answers),
                *map(_amount, (one.answers_cost, one.answers_mean)),
                _percent(one.answers_share),
            ]
            for one in self.classes[:MOST]
        ]
        return heads, "<>>>>>>>>", [*rows, *_more(len(self.classes), len(heads), "classes")]

    def _notes(self) -> list[str]:
        """What stands beside the cells in a notebook."""
        return [*(f"{name}: {value} {said}".strip() for name, value, said in self._summary()), *self.notes]


def _printed(heads: list[str], align: str, rows: list[list[str]]) -> list[str]:
    if not rows:
        return []
    # That there is more is said below the table, whose first column it would widen.
    more = [rows.pop()[0]] if rows[-1][0].startswith("… of ") and not any(rows[-1][1:]) else []
    return [*table([heads, *rows], align), *more]


def _more(there: int, columns: int, what: str) -> list[list[str]]:
    return [[f"… of {there:,} {what}", *[""] * (columns - 1)]] if there > MOST else []


def _bounds(one: Estimate) -> str:
    return f"[{_amount(one.low)}, {_amount(one.high)}]"


def _amount(value: float) -> str:
    """Money as people read it: whole, or with four digits that count."""
    if math.isnan(value):
        return DASH
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if not 1e-4 <= abs(value) < 1e15:
        return f"{value:.3g}"
    return f"{value:,.{max(0, 3 - math.floor(math.log10(abs(value))))}f}"


def _percent(share: float) -> str:
    return DASH if math.isnan(share) else f"{share:.1%}"


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
