"""Costs: what the answers cost on average, with a price for every pair of actual and predicted class."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.core.errors import MetricError
from confmat.core.labels import Labels
from confmat.core.options import told
from confmat.metrics.arithmetic import is_exact, ratio
from confmat.metrics.declaration import MatrixMetric, factory, of_matrix
from confmat.metrics.margins import Table
from confmat.metrics.prices import Form, Prices, form_of, is_price

__all__ = ["Costs", "cost", "normalized_cost", "total_cost"]


class Costs:
    """Prices of answers: one for every pair of actual and predicted class; a gain is a negative price.

    costs: a square table in the order of the labels, rows actual; a frame with the classes as names of rows and
    columns, which is read by name in any order; a mapping of (actual, predicted) to price, flat or nested;
    {"fp": 1, "fn": 5} for two classes of which one is positive; or what has `distances(labels)`, such as a Hierarchy.
    default: the price of every error that a mapping does not name (otherwise nothing), and of labels outside the
    classes that are no cell and have no distance. A hit that is not named costs nothing.

    Whatever takes costs takes all of these as they are; `Costs` itself is there for `default`.

    >>> from confmat import ConfusionMatrix
    >>> m = ConfusionMatrix([[8, 2, 0], [1, 9, 0], [1, 1, 3]], ["ham", "spam", "scam"])
    >>> cost(Costs({("scam", "ham"): 50}, default=1))(m)
    2.16
    """

    __slots__ = ("_form", "_known")

    def __init__(self, costs: Any, *, default: float | None = None) -> None:
        """Read the prices; classes are looked up when a matrix is priced."""
        if default is not None and not is_price(default):
            msg = f"`default` is what an error costs that is not named, a finite number, not {told(default)}"
            raise MetricError(msg)
        if isinstance(costs, Costs) and default is not None:
            msg = "these are Costs already; say `default` where they are made"
            raise MetricError(msg)
        self._form: Form = costs._form if isinstance(costs, Costs) else form_of(costs, default)
        self._known: tuple[Labels | None, int, bool, Prices] | None = None

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The least and the greatest price; None where that is not known before there are classes."""
        return self._form.bounds

    def on(self, labels: Labels | None, size: int, *, exact: bool = False) -> Prices:
        """Give the prices of a matrix by position.

        Parameters
        ----------
        labels
            The labels of the matrix; None where only their number is known.
        size
            The number of places: as many as there are labels, or classes, or classes and one, which stands for
            everything outside.
        exact
            Give integers and fractions, not floats.

        Returns
        -------
        Prices
        """
        known = self._known
        if known is None or known[0] is not labels or known[1:3] != (size, exact):
            found = self._over(labels, size)
            known = (labels, size, exact, found.exactly() if exact else found.floats())
            self._known = known
        return known[3]

    def _over(self, labels: Labels | None, size: int) -> Prices:
        if labels is None:
            return self._form.placed(size)
        k = labels.n_classes
        found = self._form.over(labels, inside=size == k)
        return found if size in {k, len(labels)} else _joined(found, labels)

    def __repr__(self) -> str:
        low, high = ("?" if end is None else f"{end:g}" for end in self.bounds)
        return f"<Costs from {low} to {high}>"


def _joined(prices: Prices, labels: Labels) -> Prices:
    """Join the prices of labels outside the classes to one, if they are the same."""
    k = labels.n_classes
    inside = np.arange(k)
    first, *others = (np.append(prices.at(inside, one), prices.at(one, inside)) for one in range(k, len(labels)))
    if any((other != first).any() for other in others):
        msg = (
            f"the labels outside the classes, {', '.join(labels.outside)}, are one to a metric, and their prices "
            "differ; `expected_cost` and `cost_report` price each of them"
        )
        raise MetricError(msg)
    return prices.part(k + 1)


def _prices(t: Table, costs: Costs) -> Prices:
    return costs.on(t.labels, t.size, exact=is_exact(t.diagonal))


def _spent(t: Table, costs: Costs) -> Any:
    """Return the costs of all answers together."""
    return (t.values * _prices(t, costs).at(t.rows, t.cols)).sum(axis=-1)


@factory(
    title="Mean cost", example=(((0, 1), (5, 0)),), aliases=("mean_cost", "expected_cost"), peers={"dconfusion": "cost"}
)
def cost(costs: Any) -> MatrixMetric:
    """Mean price of an answer, given what every pair of actual and predicted class costs.

    `costs` are a table (rows actual, columns predicted), a frame, a mapping of (actual, predicted) to price,
    {"fp": 1, "fn": 5}, or a Hierarchy, as `Costs` explains; gains are negative prices. A matrix with labels outside the
    classes needs a price for them: one more row and column, or their names.

    >>> from confmat import ConfusionMatrix
    >>> m = ConfusionMatrix([[8, 2], [1, 9]], labels=["ham", "spam"], positive="spam")
    >>> cost({("ham", "spam"): 10, ("spam", "ham"): 1})(m), cost({"fp": 10, "fn": 1})(m)
    (1.05, 1.05)
    """
    costs = Costs(costs)

    @of_matrix(
        title="Mean cost",
        name="cost",
        latex=r"\frac{1}{n} \sum_{ij} w_{ij} C_{ij}",
        bounds=costs.bounds,
        mean_of_items=True,
        better="lower",
        undefined="the matrix is empty",
        needs="cells",
        references=("Elkan2001",),
        family="costs",
    )
    def formula(t: Table) -> Any:
        """Mean price of an answer, given what every pair of actual and predicted class costs."""
        return ratio(_spent(t, costs), t.total)

    return formula


@factory(title="Total cost", example=(((0, 1), (5, 0)),), aliases=("sum_of_costs",))
def total_cost(costs: Any) -> MatrixMetric:
    """Price of all answers, given what every pair of actual and predicted class costs; see `cost`.

    >>> from confmat import ConfusionMatrix
    >>> total_cost([[0, 10], [1, 0]])(ConfusionMatrix([[8, 2], [1, 9]]))
    21.0
    """
    costs = Costs(costs)

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
        return _spent(t, costs)

    return formula


@factory(title="Normalized cost", example=(((0, 1), (5, 0)),), aliases=("normalized_cost", "relative_cost"))
def normalized_cost(costs: Any) -> MatrixMetric:
    """Cost of the answers over that of the best constant answer: below 1 they are better than no model at all.

    The constant answer is the one that costs least if every item gets it, by the actual totals; see `cost`. Where it
    costs nothing, or earns, there is no value.

    >>> from confmat import ConfusionMatrix
    >>> m = ConfusionMatrix([[80, 10], [1, 9]], labels=["ham", "spam"])
    >>> normalized_cost({("ham", "spam"): 1, ("spam", "ham"): 5})(m)
    0.3
    """
    costs = Costs(costs)

    @of_matrix(
        title="Normalized cost",
        name="normalized_cost",
        latex=r"\frac{\sum_{ij} w_{ij} C_{ij}}{\min_j \sum_i w_{ij} r_i}",
        bounds=(None, None),
        better="lower",
        undefined="the best constant answer costs nothing, or earns",
        needs="cells",
        smooth=False,
        references=("Elkan2001",),
        family="costs",
    )
    def formula(t: Table) -> Any:
        """Cost of the answers over that of the best constant answer: below 1 they are better than no model at all."""
        least = _prices(t, costs).of_constants(t.actual).min(axis=-1)
        # A constant answer that earns is no yardstick.
        return ratio(_spent(t, costs), least * (least > 0))

    return formula
