"""Cost reports: what answers cost, against no model, cell by cell and class by class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import Counts
from confmat.core.errors import MetricError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, door
from confmat.core.stack import Stack
from confmat.core.tables import Column, Table, Tabular, amount, class_name, percent, to_plain
from confmat.core.text import number, printable, table
from confmat.intervals import Estimate, interval
from confmat.metrics.costs import Bounds, Costs, Square, cost

Array = NDArray[Any]
Floats = NDArray[np.float64]

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

    `cumulative` is the share of this cell and of all that cost more. Shares are NaN where some
    cells earn.
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
    """The costs of a class's items, and of the answers that name it: together, for each, and as a share of all."""

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
        self,
        kind: type[Row],
        labels: Labels,
        names: dict[str, NDArray[Any]],
        columns: dict[str, NDArray[Any]],
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

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name, as plain lists; what is unknown is None."""
        names = {
            name: [self._labels[place] for place in places.tolist()]
            for name, places in self._names.items()
        }
        return names | {name: to_plain(column) for name, column in self.columns.items()}

    def table(self) -> Table:
        """Return the rows as a table."""
        names = [
            Column(
                name,
                [self._labels[i] for i in places.tolist()],
                class_name,
                _HEADS.get(name, name),
                is_label=True,
            )
            for name, places in self._names.items()
        ]
        numbers = [
            Column(
                name,
                column,
                _TEXTS.get(name.removeprefix("answers_"), number),
                _HEADS.get(name, name),
            )
            for name, column in self.columns.items()
        ]
        more = "… of {total:,} " + ("cells" if len(names) == 2 else "classes")
        return Table((*names, *numbers), shown=(PRINTED_ROWS, PRINTED_ROWS, 0), more=more)

    def __repr__(self) -> str:
        return f"<{len(self):,} rows of {', '.join((*self._names, *self.columns))}>"

    __str__ = __repr__


@dataclass(frozen=True, eq=False)
class CostReport(Tabular):
    """The mean cost of an answer with its interval, what it is measured against, and where it comes from.

    `constant` is the one answer for all items that costs least, `saved` what the answers save
    against it for each item, with an interval; `normalized` is the one cost over the other: below 1
    the answers are better than no model, and NaN where the constant answer costs nothing or earns.
    `at_random` is the mean cost if the same answers were dealt out to the items by chance. `cells`
    and `classes` are rows, the dearest first: `cells[0]` is what to fix first.
    """

    mean: Estimate
    total: float
    items: int | float
    constant: Constant | None
    saved: Estimate | None
    normalized: float
    at_random: float
    cells: Rows[CostOfCell]
    classes: Rows[CostOfClass]
    # The page shades and ranks the cells of this matrix by what they cost.
    matrix: ConfusionMatrix = field(repr=False, compare=False)
    prices: Floats = field(repr=False, compare=False)
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Whether the answers are better than the best constant one, as far as the interval tells."""
        if self.saved is None or math.isnan(self.saved.low):
            return "not compared with no model"
        if self.saved.low > 0:
            return "better than no model"
        return (
            "worse than no model" if self.saved.high < 0 else "not shown to be better than no model"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; what is unknown is None."""
        return {
            "mean": self.mean.to_dict(),
            "total": self.total,
            "items": self.items,
            "constant": None if self.constant is None else asdict(self.constant),
            "saved": None if self.saved is None else self.saved.to_dict(),
            "normalized": to_plain(self.normalized),
            "at_random": to_plain(self.at_random),
            "verdict": self.verdict,
            "cells": self.cells.to_dict(),
            "classes": self.classes.to_dict(),
            "notes": list(self.notes),
        }

    def table(self) -> Table:
        """Return the cells as a table, the dearest first, with the costs of all as notes."""
        notes = [f"{name}: {value} {remark}".strip() for name, value, remark in self._summary()]
        return replace(self.cells.table(), notes=(*notes, *self.notes))

    def __str__(self) -> str:
        tables = [part.table() for part in (self.cells, self.classes)]
        cells, classes = (
            [*table.lines(), table.hidden()] if len(table) else [] for table in tables
        )
        parts = [
            table(self._summary(), "<><"),
            ["what to fix first:", *cells] if cells else [],
            classes,
            self.notes,
        ]
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
            rows.append(
                [
                    "saved against it",
                    amount(self.saved.value),
                    f"{_bounds(self.saved)}: {self.verdict}",
                ]
            )
            known = not math.isnan(self.normalized)
            remark = (
                "less than 1 is better than that answer"
                if known
                else "that answer costs nothing, or earns"
            )
            rows.append(["normalized cost", amount(self.normalized), remark])
            rows.append(["same answers at random", amount(self.at_random), ""])
        return rows


# How the columns of the tables read and are headed.
_TEXTS = {"price": amount, "cost": amount, "mean": amount, "share": percent, "cumulative": percent}
_HEADS = {
    "label": "class", "mean": "each", "answers_cost": "cost", "answers_mean": "each", "answers_share": "share",
}  # fmt: skip


def _bounds(estimate: Estimate) -> str:
    return f"[{amount(estimate.low)}, {amount(estimate.high)}]"


@dataclass(frozen=True)
class Priced:
    """A matrix without outside labels, the prices of its cells by place, and the labels that it had.

    `dropped` was outside on both sides.
    """

    matrix: ConfusionMatrix
    prices: Floats
    bounds: Bounds
    labels: Labels
    dropped: float = 0

    @property
    def costs(self) -> Costs:
        """The prices, for a metric."""
        return Costs(Square(self.prices, self.bounds))

    def against(self, answer: int) -> Costs:
        """Savings of the given answers over one constant answer, cell by cell, as costs."""
        least, most = self.bounds
        reach = None if least is None or most is None else most - least
        return Costs(
            Square(
                self.prices[:, [answer]] - self.prices, (None if reach is None else -reach, reach)
            )
        )


def priced(m: ConfusionMatrix, costs: Any) -> Priced:
    """The matrix and its prices; what was outside on both sides is left out, as by every metric."""
    costs = Costs(costs)
    prices = costs.on(m.labels, len(m.labels))
    if not m.labels.outside:
        return Priced(m, prices, costs.bounds, m.labels)
    counts, dropped = _inside(m._counts, m.n_classes)
    squares = None if m._squares is None else _inside(m._squares, m.n_classes)[0]
    whole = ConfusionMatrix._of(Labels(range(len(m.labels))), counts, squares)
    return Priced(whole, prices, costs.bounds, m.labels, dropped)


def _inside(counts: Counts, classes: int) -> tuple[Counts, float]:
    """The cells of a class on one side at least, and the sum of the others."""
    rows, cols, values = counts.cells()
    kept = (rows < classes) | (cols < classes)
    return Counts.of_cells(counts.size, rows[kept], cols[kept], values[kept]), values[
        ~kept
    ].sum().item()


@door
def expected_cost(m: ConfusionMatrix | Stack, costs: Any) -> Any:
    """Return the mean cost of an answer.

    The metric for `interval`, `compare` and `best` is `cost(costs)`; it takes everything outside
    the classes for one label, while here each label outside has its own prices.

    Parameters
    ----------
    m
        A matrix, or a stack of them.
    costs
        A table in the order of the labels (rows actual), a frame, a mapping of (actual, predicted)
        to price, {"fp": 1, "fn": 5}, or a Hierarchy, as `Costs` explains.

    Returns
    -------
    float or numpy.ndarray
        One number for a matrix, one for each matrix of a stack.

    Examples
    --------
    >>> m = ConfusionMatrix([[8, 2], [1, 9]], labels=["ham", "spam"])
    >>> expected_cost(m, {("ham", "spam"): 10, ("spam", "ham"): 1})
    1.05
    """
    if not isinstance(m, (ConfusionMatrix, Stack)):
        msg = f"`expected_cost` reads a ConfusionMatrix or a Stack, not {type(m).__name__}; {MAKES_ONE}"
        raise MetricError(msg)
    costs = Costs(costs)
    if len(m.labels.outside) < 2:
        return cost(costs)(m)
    if isinstance(m, Stack):
        return np.array([expected_cost(each, costs) for each in m.values()])
    whole = priced(m, costs)
    return cost(whole.costs)(whole.matrix)


@door
def cost_report(m: ConfusionMatrix, costs: Any, *, level: float = 0.95) -> CostReport:
    """Report the cost of the answers against the best constant answer, with the errors and classes that cause it.

    Parameters
    ----------
    m
        The matrix.
    costs
        Prices, as in `expected_cost`.
    level
        The confidence level of the intervals.

    Returns
    -------
    CostReport
        The mean cost with its interval, the saving, and the costs by cell and by class.

    Examples
    --------
    >>> m = ConfusionMatrix([[80, 10, 2], [1, 9, 0], [0, 3, 15]], labels=["ham", "spam", "scam"])
    >>> print(cost_report(m, Costs({("spam", "ham"): 2, ("scam", "ham"): 50}, default=1)))
    mean cost               0.1417  [0.03048, 0.6531] an item
    total cost                  17  of 120 items
    best constant answer    0.8500  always scam
    saved against it        0.7083  [0.4178, 0.9988]: better than no model
    normalized cost         0.1667  less than 1 is better than that answer
    same answers at random   5.463
    <BLANKLINE>
    what to fix first:
    actual  predicted  count  price  cost  share  cumulative
    ham     spam          10      1    10  58.8%       58.8%
    scam    spam           3      1     3  17.6%       76.5%
    ham     scam           2      1     2  11.8%       88.2%
    spam    ham            1      2     2  11.8%      100.0%
    <BLANKLINE>
    class  items  cost    each  share  answers  cost     each  share
    ham       92    12  0.1304  70.6%       81     2  0.02469  11.8%
    scam      18     3  0.1667  17.6%       17     2   0.1176  11.8%
    spam      10     2  0.2000  11.8%       22    13   0.5909  76.5%
    """
    if not isinstance(m, ConfusionMatrix):
        of = (
            "; of a Stack, cost_report(stack[key], costs)"
            if isinstance(m, Stack)
            else f"; {MAKES_ONE}"
        )
        msg = f"`cost_report` reads one ConfusionMatrix, not {type(m).__name__}{of}"
        raise MetricError(msg)
    whole = priced(m, costs)
    rows, cols, counts = whole.matrix._counts.cells()
    prices = whole.prices[rows, cols]
    spent = counts * prices
    total = float(spent.sum())
    mean = replace(_estimate(whole.costs, whole.matrix, level), name="mean cost")
    gains = bool((spent < 0).any())
    shares = total if total > 0 and not gains else np.nan
    return CostReport(
        mean=mean,
        total=total,
        items=whole.matrix.total,
        **_references(whole, total, level),
        cells=_cells(whole.labels, rows, cols, counts, prices, shares),
        classes=_classes(whole, rows, cols, spent, shares),
        notes=(
            *_notes(total, gains=gains, dropped=whole.dropped),
            *_unreasonable(whole, rows, cols, prices),
        ),
        matrix=m,
        prices=whole.prices,
    )


def _estimate(costs: Costs, m: ConfusionMatrix, level: float) -> Estimate:
    estimate = interval(m, cost(costs), level=level)
    assert isinstance(estimate, Estimate)
    return estimate


def _references(whole: Priced, total: float, level: float) -> dict[str, Any]:
    """Alternative answers to the items, and their costs."""
    m, labels = whole.matrix, whole.labels
    known: dict[str, Any] = {
        "constant": None,
        "saved": None,
        "normalized": np.nan,
        "at_random": np.nan,
    }
    if not m.total:
        return known
    constants = np.asarray(m.actual_totals, dtype=np.float64) @ whole.prices
    best = int(np.argmin(constants))
    least, n = float(constants[best]), float(m.total)
    saved = _estimate(whole.against(best), m, level)
    return {
        "constant": Constant(labels[best], least / n),
        "saved": replace(saved, name="saved"),
        "normalized": total / least if least > 0 else np.nan,
        "at_random": float(constants @ (np.asarray(m.predicted_totals, dtype=np.float64) / n)) / n,
    }


def _cells(
    labels: Labels, rows: Array, cols: Array, counts: Array, prices: Floats, total: float
) -> Rows[CostOfCell]:
    """The cells that cost or earn something, the dearest first, equal ones in the order of the labels."""
    spent = counts * prices
    order = np.argsort(-spent, kind="stable")
    order = order[spent[order] != 0]
    rows, cols, counts, prices, spent = (
        part[order] for part in (rows, cols, counts, prices, spent)
    )
    columns = {"count": counts, "price": prices, "cost": spent, "share": spent / total}
    columns["cumulative"] = np.minimum(np.cumsum(spent) / total, 1.0)
    return Rows(CostOfCell, labels, {"actual": rows, "predicted": cols}, columns)


def _classes(
    whole: Priced, rows: Array, cols: Array, spent: Floats, total: float
) -> Rows[CostOfClass]:
    """Every label, those first whose items cost most."""
    m, size = whole.matrix, len(whole.labels)
    by_actual, by_predicted = (np.bincount(places, spent, size) for places in (rows, cols))
    items, answers = (np.asarray(part) for part in (m.actual_totals, m.predicted_totals))
    order = np.argsort(-by_actual, kind="stable")
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = {
            "items": items, "cost": by_actual, "mean": by_actual / items, "share": by_actual / total,
            "answers": answers, "answers_cost": by_predicted, "answers_mean": by_predicted / answers,
            "answers_share": by_predicted / total,
        }  # fmt: skip
    return Rows(
        CostOfClass,
        whole.labels,
        {"label": order},
        {name: part[order] for name, part in columns.items()},
    )


def _unreasonable(whole: Priced, rows: Array, cols: Array, prices: Floats) -> Iterator[str]:
    """A right answer that costs more than a wrong one, which a table the other way round may be the reason of."""
    inside = (rows < whole.labels.n_classes) & (cols < whole.labels.n_classes)
    rows, cols, prices = rows[inside], cols[inside], prices[inside]
    right = whole.prices[rows, rows]
    if (prices < right).any():
        place = int(np.argmax(right - prices))
        actual, answer = (printable(whole.labels[int(part[place])]) for part in (rows, cols))
        yield (
            f"{actual} costs {number(float(right[place]))} where it is answered rightly and "
            f"{number(float(prices[place]))} where the answer is {answer}: a wrong answer should not be cheaper "
            "than the right one (rows of a table are actual)"
        )


def _notes(total: float, *, gains: bool, dropped: float) -> tuple[str, ...]:
    notes = []
    if gains:
        notes.append("some cells earn (negative prices), so costs have no shares")
    elif not total:
        notes.append("nothing costs anything")
    if dropped:
        notes.append(f"{number(dropped)} outside the classes on both sides are left out")
    return tuple(notes)
