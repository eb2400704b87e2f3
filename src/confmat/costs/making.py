"""Making: the mean cost of a matrix, and the report of who pays for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import BudgetError, MetricError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE
from confmat.core.stack import Stack
from confmat.core.text import number, printable
from confmat.costs.report import Constant, CostOfCell, CostOfClass, CostReport, Rows
from confmat.costs.whole import Priced, priced
from confmat.intervals import Estimate, interval
from confmat.metrics.costs import Costs, cost

__all__ = ["cost_report", "expected_cost"]

Array = NDArray[Any]
Floats = NDArray[np.float64]


def expected_cost(m: ConfusionMatrix | Stack, costs: Any) -> Any:
    """What an answer costs on average: one number for a matrix, one for each matrix of a stack.

    `costs` are a table in the order of the labels (rows actual), a frame, a mapping of (actual, predicted) to price,
    {"fp": 1, "fn": 5}, or a Hierarchy, as `Costs` explains. As a metric, for `interval`, `compare` and `best`, it is
    `cost(costs)`; to that everything outside the classes is one, and here each label outside has its own prices.

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


def cost_report(m: ConfusionMatrix, costs: Any, *, level: float = 0.95) -> CostReport:
    """What the answers cost, against the best constant answer, and which errors and classes it comes from.

    costs: as in `expected_cost`.
    level: of the intervals.

    >>> m = ConfusionMatrix([[80, 10, 2], [1, 9, 0], [0, 3, 15]], labels=["ham", "spam", "scam"])
    >>> print(cost_report(m, Costs({("spam", "ham"): 2, ("scam", "ham"): 50}, default=1)))
    mean cost               0.1417  [0.03048, 0.6531] an item
    total cost                  17  of 120 items
    best constant answer    0.8500  always scam
    saved against it        0.7083  [0.4178, 0.9988]: better than no model
    normalised cost         0.1667  less than 1 is better than that answer
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
        of = "; of a Stack, cost_report(stack[key], costs)" if isinstance(m, Stack) else f"; {MAKES_ONE}"
        msg = f"`cost_report` reads one ConfusionMatrix, not {type(m).__name__}{of}"
        raise MetricError(msg)
    whole = priced(m, costs)
    rows, cols, counts = whole.matrix._counts.cells()
    prices = whole.prices.at(rows, cols)
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
        notes=(*_notes(total, gains=gains, dropped=whole.dropped), *_unreasonable(whole, rows, cols, prices)),
    )


def _estimate(costs: Costs, m: ConfusionMatrix, level: float) -> Estimate:
    found = interval(m, cost(costs), level=level)
    assert isinstance(found, Estimate)
    return found


def _references(whole: Priced, total: float, level: float) -> dict[str, Any]:
    """What else the items could have been answered, and what that would have cost."""
    m, labels = whole.matrix, whole.labels
    known: dict[str, Any] = {"constant": None, "saved": None, "normalised": np.nan, "at_random": np.nan}
    if not m.total:
        return known
    try:
        constants = whole.prices.of_constants(np.asarray(m.actual_totals, dtype=np.float64))
    except BudgetError:
        return known
    best = int(np.argmin(constants))
    least, n = float(constants[best]), float(m.total)
    saved = _estimate(whole.against(best), m, level)
    return {
        "constant": Constant(labels[best], least / n),
        "saved": replace(saved, name="saved"),
        "normalised": total / least if least > 0 else np.nan,
        "at_random": float(constants @ (np.asarray(m.predicted_totals, dtype=np.float64) / n)) / n,
    }


def _cells(labels: Labels, rows: Array, cols: Array, counts: Array, prices: Floats, total: float) -> Rows[CostOfCell]:
    """The cells that cost or earn something, the dearest first, equal ones in the order of the labels."""
    spent = counts * prices
    order = np.argsort(-spent, kind="stable")
    order = order[spent[order] != 0]
    rows, cols, counts, prices, spent = (part[order] for part in (rows, cols, counts, prices, spent))
    columns = {"count": counts, "price": prices, "cost": spent, "share": spent / total}
    columns["cumulative"] = np.minimum(np.cumsum(spent) / total, 1.0)
    return Rows(CostOfCell, labels, {"actual": rows, "predicted": cols}, columns)


def _classes(whole: Priced, rows: Array, cols: Array, spent: Floats, total: float) -> Rows[CostOfClass]:
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
    return Rows(CostOfClass, whole.labels, {"label": order}, {name: part[order] for name, part in columns.items()})


def _unreasonable(whole: Priced, rows: Array, cols: Array, prices: Floats) -> Iterator[str]:
    """A right answer that costs more than a wrong one, which a table the other way round may be the reason of."""
    inside = (rows < whole.labels.n_classes) & (cols < whole.labels.n_classes)
    rows, cols, prices = rows[inside], cols[inside], prices[inside]
    right = whole.prices.at(rows, rows)
    if (prices < right).any():
        place = int(np.argmax(right - prices))
        actual, answer = (printable(whole.labels[int(part[place])]) for part in (rows, cols))
        yield (
            f"{actual} costs {number(float(right[place]))} where it is answered rightly and "
            f"{number(float(prices[place]))} where the answer is {answer}: a wrong answer should not be cheaper than "
            "the right one (rows of a table are actual)"
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
