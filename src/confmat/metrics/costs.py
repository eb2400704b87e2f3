"""Costs: what the answers cost on average, with a price for every pair of actual and predicted class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from confmat.errors import MetricError
from confmat.metrics.arithmetic import is_exact, ratio
from confmat.metrics.declaration import Metric, Table, of_matrix
from confmat.metrics.factories import factory
from confmat.metrics.scales import exact_numbers

__all__ = ["cost", "total_cost"]

Prices = tuple[tuple[float, ...], ...] | Mapping[tuple[Any, Any], float]


def _read_prices(weights: Any) -> Prices:
    """A square table, or a mapping of (actual, predicted) to price."""
    if isinstance(weights, Mapping):
        wrong = [
            key for key, price in weights.items() if not (isinstance(key, tuple) and len(key) == 2 and _finite(price))
        ]
        if wrong:
            msg = f"`weights` as a mapping goes from (actual, predicted) to a finite number; {wrong[0]!r} does not"
            raise MetricError(msg)
        return dict(weights)
    try:
        table = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size or not np.all(np.isfinite(table)):
        msg = (
            "`weights` must be a square table of prices, rows for actual classes, or a mapping of (actual, predicted) "
            f"to price, not {weights!r:.80}"
        )
        raise MetricError(msg)
    # Integers stay integers where they came as such, so that exact costs are exact.
    return tuple(tuple(row) for row in np.asarray(weights).tolist())


def _finite(price: Any) -> bool:
    return isinstance(price, (int, float, np.number)) and abs(float(price)) < float("inf")


def _priced(t: Table, prices: Prices) -> Any:
    """The price at every listed cell."""
    if isinstance(prices, Mapping):
        found = _looked_up(t, prices)
    else:
        if len(prices) != t.size:
            extra = ", those outside the classes as one row and column at the end" if _has_outside(t) else ""
            msg = f"the table of prices is {len(prices)} x {len(prices)}, but the matrix has {t.size} classes{extra}"
            raise MetricError(msg)
        table = exact_numbers(prices) if is_exact(t.diagonal) else np.array(prices, dtype=np.float64)
        return table[t.rows, t.cols]
    return exact_numbers(found) if is_exact(t.diagonal) else np.array(found, dtype=np.float64)


def _looked_up(t: Table, prices: Mapping[tuple[Any, Any], float]) -> list[float]:
    if t.labels is None:
        msg = "a mapping of (actual, predicted) to price needs a matrix with labels"
        raise MetricError(msg)
    if len(t.labels.outside) > 1:
        names = ", ".join(t.labels.outside)
        msg = f"the labels outside the classes, {names}, have one price; give a table with one row for all of them"
        raise MetricError(msg)
    # Through the labels, so that a misspelt class is an error and not a price of 0.
    placed = {(t.labels.index(a), t.labels.index(b)): price for (a, b), price in prices.items()}
    return [placed.get(place, 0) for place in zip(t.rows.tolist(), t.cols.tolist(), strict=True)]


def _has_outside(t: Table) -> bool:
    return t.labels is not None and bool(t.labels.outside)


def _extremes(prices: Prices) -> tuple[float, float]:
    every = [*prices.values(), 0] if isinstance(prices, Mapping) else [price for row in prices for price in row]
    return float(min(every)), float(max(every))


@factory(
    title="Mean cost", example=(((0, 1), (5, 0)),), aliases=("mean_cost", "expected_cost"), peers={"dconfusion": "cost"}
)
def cost(weights: Any) -> Metric:
    """Mean price of an answer, given what every pair of actual and predicted class costs.

    `weights` is a K x K table (rows actual, columns predicted) or a mapping of (actual, predicted) to price; a
    pair that is not named costs nothing, and gains are negative prices. A matrix with labels outside the classes
    needs a price for them: one more row and column, or their names in the mapping.

    >>> from confmat import ConfusionMatrix
    >>> m = ConfusionMatrix([[8, 2], [1, 9]], labels=["ham", "spam"])
    >>> cost({("ham", "spam"): 10, ("spam", "ham"): 1})(m)
    1.05
    """
    prices = _read_prices(weights)

    @of_matrix(
        title="Mean cost",
        name="cost",
        latex=r"\frac{1}{n} \sum_{ij} w_{ij} C_{ij}",
        bounds=_extremes(prices),
        better="lower",
        undefined="the matrix is empty",
        needs="cells",
        references=("Elkan2001",),
        family="costs",
    )
    def formula(t: Table) -> Any:
        """Mean price of an answer, given what every pair of actual and predicted class costs."""
        return ratio((t.values * _priced(t, prices)).sum(axis=-1), t.total)

    return formula


@factory(title="Total cost", example=(((0, 1), (5, 0)),), aliases=("sum_of_costs",))
def total_cost(weights: Any) -> Metric:
    """Price of all answers, given what every pair of actual and predicted class costs; see `cost`.

    >>> from confmat import ConfusionMatrix
    >>> total_cost([[0, 10], [1, 0]])(ConfusionMatrix([[8, 2], [1, 9]]))
    21.0
    """
    prices = _read_prices(weights)

    @of_matrix(
        title="Total cost",
        name="total_cost",
        latex=r"\sum_{ij} w_{ij} C_{ij}",
        bounds=(None, None),
        better="lower",
        scale_free=False,
        needs="cells",
        family="costs",
    )
    def formula(t: Table) -> Any:
        """Price of all answers, given what every pair of actual and predicted class costs."""
        return (t.values * _priced(t, prices)).sum(axis=-1)

    return formula
