"""Costs: prices of cells (a table, a few pairs, or distances of classes), and what answers cost by them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from os import PathLike
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import positive_of
from confmat.core.errors import BudgetError, LabelError, Message, MetricError
from confmat.core.labels import Labels
from confmat.core.options import told
from confmat.core.text import printable, some
from confmat.metrics.arithmetic import is_exact, ratio
from confmat.metrics.catalog import label_spelt
from confmat.metrics.declaration import MatrixMetric, factory, of_matrix
from confmat.metrics.margins import Table
from confmat.metrics.ordinal import exact_numbers

__all__ = ["Costs", "cost", "normalized_cost", "total_cost"]

Array = NDArray[Any]


class Prices(Protocol):
    """Prices by position: rows actual, columns predicted."""

    @property
    def size(self) -> int:
        """Rows of the table."""

    def at(self, rows: Any, cols: Any) -> Array:
        """The prices of some cells."""

    def of_constants(self, totals: Any) -> Array:
        """Return the costs of answering one class always, for each class, (..., size), from the actual totals."""

    def part(self, size: int) -> Prices:
        """Return the prices of the first rows and columns."""

    def floats(self) -> Prices:
        """The same as float64."""

    def exactly(self) -> Prices:
        """The same as integers and fractions."""


@dataclass(frozen=True, eq=False, slots=True)
class Dense:
    """A whole table."""

    table: Array

    @property
    def size(self) -> int:
        """Rows of the table."""
        return len(self.table)

    def at(self, rows: Any, cols: Any) -> Array:
        """The prices of some cells."""
        found: Array = self.table[rows, cols]
        return found

    def of_constants(self, totals: Any) -> Array:
        """Return the costs of answering one class always, for each class, (..., size), from the actual totals."""
        return np.asarray(totals @ self.table)

    def part(self, size: int) -> Dense:
        """Return the prices of the first rows and columns."""
        return Dense(self.table[:size, :size])

    def floats(self) -> Dense:
        """The same as float64."""
        return Dense(self.table.astype(np.float64))

    def exactly(self) -> Dense:
        """The same as integers and fractions."""
        return Dense(exact_numbers(self.table.tolist()))


@dataclass(frozen=True, eq=False, slots=True)
class Sparse:
    """Nothing for a hit, one price for an error, and the pairs that have another; their `keys` are ascending."""

    size: int
    default: Any
    # row * size + column of each pair.
    keys: Array
    values: Array

    @classmethod
    def of_pairs(cls, size: int, default: Any, placed: Mapping[tuple[int, int], Any]) -> Sparse:
        """From places and prices."""
        keys = np.array([row * size + col for row, col in placed], dtype=np.int64)
        values = np.array([*placed.values(), None], dtype=object)[:-1]
        order = np.argsort(keys)
        return cls(size, default, keys[order], values[order])

    def at(self, rows: Any, cols: Any) -> Array:
        """The prices of some cells."""
        rows, cols = np.broadcast_arrays(rows, cols)
        found = np.where(rows == cols, 0, self.default)
        if len(self.keys):
            wanted = rows.astype(np.int64) * self.size + cols
            places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            found = np.where(self.keys[places] == wanted, self.values[places], found)
        return found

    def of_constants(self, totals: Any) -> Array:
        """Return the costs of answering one class always, for each class, (..., size), from the actual totals."""
        found = np.asarray(self.default * (totals.sum(axis=-1)[..., None] - totals))
        if len(self.keys):
            rows, cols = self.keys // self.size, self.keys % self.size
            extra = totals[..., rows] * (self.values - np.where(rows == cols, 0, self.default))
            places: Any = (..., cols)
            np.add.at(found, places, extra)
        return found

    def part(self, size: int) -> Sparse:
        """Return the prices of the first rows and columns."""
        rows, cols = self.keys // self.size, self.keys % self.size
        kept = (rows < size) & (cols < size)
        return Sparse(size, self.default, rows[kept] * size + cols[kept], self.values[kept])

    def floats(self) -> Sparse:
        """The same as float64."""
        return Sparse(self.size, float(self.default), self.keys, self.values.astype(np.float64))

    def exactly(self) -> Sparse:
        """The same as integers and fractions."""
        return Sparse(self.size, exact_numbers([self.default])[0], self.keys, exact_numbers(self.values))


@dataclass(frozen=True, eq=False, slots=True)
class Computed:
    """Prices of so many classes that they are worked out where they are asked for."""

    size: int
    find: Callable[[Array, Array], Array]
    exact: bool = False

    def at(self, rows: Any, cols: Any) -> Array:
        """The prices of some cells."""
        found = self.find(*map(np.asarray, np.broadcast_arrays(rows, cols)))
        return exact_numbers(found) if self.exact else found.astype(np.float64)

    def of_constants(self, totals: Any) -> Array:  # noqa: ARG002 - the others need it
        """Too many to be compared."""
        msg = f"{self.size:,} classes have too many distances to find the best constant answer"
        raise BudgetError(msg)

    def part(self, size: int) -> Computed:
        """Return the prices of the first rows and columns."""
        return Computed(size, self.find, self.exact)

    def floats(self) -> Computed:
        """The same as float64."""
        return self

    def exactly(self) -> Computed:
        """The same as integers and fractions."""
        return Computed(self.size, self.find, exact=True)


Bounds = tuple[float | None, float | None]

_FORMS = (
    "a square table of prices, rows for actual classes; a frame with the classes as names of rows and columns; a "
    "mapping of (actual, predicted) to a finite price; {'fp': 1, 'fn': 5} for two classes; or what has `distances`"
)
# The four cells of two classes: whether actual and predicted are positive.
_SIDES = {"fp": (False, True), "fn": (True, False), "tp": (True, True), "tn": (False, False)}


class Form(ABC):
    """Prices as they were written, to be found for the labels of a matrix."""

    # The least and the greatest price; None where that is not known before there are classes.
    bounds: Bounds

    @abstractmethod
    def over(self, labels: Labels, *, inside: bool) -> Prices:
        """The prices over all labels, or, `inside`, over the classes alone."""

    @abstractmethod
    def placed(self, size: int) -> Prices:
        """The prices of a table without labels."""


def form_of(costs: Any, default: float | None) -> Form:
    """The form that something is in."""
    found: Form
    if isinstance(costs, Form):
        found = costs
    elif isinstance(costs, Mapping):
        sides = {key.lower() if isinstance(key, str) else key: price for key, price in costs.items()}
        if not (costs and set(sides) <= set(_SIDES) and len(sides) == len(costs)):
            return _listed(_pairs(costs), default)
        return Sides(sides, default)
    elif isinstance(costs, (str, PathLike)):
        msg = f"costs in a file are read by confmat.costs.read_costs({costs!r:.60}), not from its name"
        raise MetricError(msg)
    elif callable(getattr(costs, "distances", None)):
        return Distances(costs, default)
    else:
        found = _frame(costs) or Square(square(costs))
    if default is not None and not isinstance(found, Listed):
        msg = "these costs have a price for every pair, so there is nothing for `default` to do; leave it out"
        raise MetricError(msg)
    return _listed(found.pairs, default) if isinstance(found, Listed) else found


def _listed(pairs: dict[tuple[Any, Any], Any], default: float | None) -> Form:
    if not pairs and default is None:
        msg = "no price is named, so nothing would cost anything; name some, or say confmat.Costs({}, default=...)"
        raise MetricError(msg)
    return Listed(pairs, default)


def is_price(value: Any) -> bool:
    """Whether something is a finite number."""
    return isinstance(value, (Real, Decimal)) and math.isfinite(value)


# ---- by place ----------------------------------------------------------------------------------------------


def square(costs: Any) -> Array:
    """A square table of finite numbers."""
    try:
        # A tensor may still remember its gradients.
        costs = np.asarray(costs.detach()) if hasattr(costs, "detach") else costs
        floats = np.empty(0) if np.iscomplexobj(costs) else np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        floats = np.empty(0)
    right = floats.ndim == 2 and floats.shape[0] == floats.shape[1] and floats.size > 0 and np.isfinite(floats).all()
    # Integers stay integers where they came as such, so that exact costs are exact.
    table = np.array(costs) if right else floats
    # Texts such as "1" become floats too.
    if not right or (table.dtype.kind not in "biuf" and not all(map(is_price, table.ravel().tolist()))):
        msg = f"`costs` must be {_FORMS}; not {printable(repr(costs)[:80])}"
        raise MetricError(msg)
    return table


class Square(Form):
    """A square table in the order of the labels."""

    def __init__(self, table: Array) -> None:
        self.table = table
        self.bounds = (float(table.min()), float(table.max()))

    def over(self, labels: Labels, *, inside: bool) -> Prices:
        """The prices over all labels, or over the classes alone."""
        k, own = labels.n_classes, len(self.table)
        if inside and own in ({k, k + 1, len(labels)} if labels.outside else {k}):
            return Dense(self.table[:k, :k])
        if not inside and own == len(labels):
            return Dense(self.table)
        if not inside and own == k + 1 < len(labels):
            # One row and column for all that is outside.
            places = np.minimum(np.arange(len(labels)), k)
            return Dense(self.table[np.ix_(places, places)])
        extra = ", those outside the classes as one row and column at the end" if labels.outside else ""
        raise self._misfit(k + bool(labels.outside), extra)

    def placed(self, size: int) -> Prices:
        """The prices of a table without labels."""
        if len(self.table) != size:
            raise self._misfit(size, "")
        return Dense(self.table)

    def _misfit(self, size: int, extra: str) -> MetricError:
        own = len(self.table)
        return MetricError(f"the table of costs is {own:,} x {own:,}, but the matrix has {size:,} classes{extra}")


# ---- by name -----------------------------------------------------------------------------------------------


class ByName(Form):
    """Prices that need the names of the classes."""

    def placed(self, size: int) -> Prices:
        """The prices of a table without labels: there are none."""
        msg = f"costs by name need a matrix with labels, and this table of {size:,} x {size:,} has none"
        raise MetricError(msg)


def _place(labels: Labels, name: Any) -> int | None:
    """Where a label stands, under its name or as it is written."""
    found = labels._find(name)
    return labels._find(label_spelt(labels, name)) if found is None else found


class Named(ByName):
    """A table whose rows and columns have names, in any order; more of them than a matrix has do no harm."""

    def __init__(self, rows: list[Any], columns: list[Any], table: Array) -> None:
        self.rows, self.columns, self.table = rows, columns, table
        known = table[np.isfinite(table.astype(np.float64))]
        self.bounds = (float(known.min()), float(known.max())) if known.size else (None, None)

    def over(self, labels: Labels, *, inside: bool) -> Prices:
        """The prices over all labels, or over the classes alone."""
        size = labels.n_classes if inside else len(labels)
        places = [
            self._found(labels, names, side, size) for names, side in ((self.rows, "row"), (self.columns, "column"))
        ]
        table = self.table[np.ix_(*places)]
        empty = np.argwhere(~np.isfinite(table.astype(np.float64)))
        if len(empty):
            actual, predicted = (labels[int(place)] for place in empty[0])
            msg = (
                f"the costs have no finite price for {some([actual])} predicted as {some([predicted])}; "
                "write 0 for what costs nothing"
            )
            raise MetricError(msg)
        return Dense(table)

    @staticmethod
    def _found(labels: Labels, names: list[Any], side: str, size: int) -> list[int]:
        """The place of each label among the names of rows or of columns."""
        found: dict[int, int] = {}
        for place, name in enumerate(names):
            label = _place(labels, name)
            if label is not None and found.setdefault(label, place) != place:
                msg = f"the costs have two {side}s for {some([labels[label]])}"
                raise LabelError(msg)
        missing = [labels[label] for label in range(size) if label not in found]
        if missing:
            msg = f"the costs have no {side} for {some(missing)}; their {side}s are {some(names, 8)}"
            raise LabelError(msg)
        return [found[label] for label in range(size)]


def _frame(costs: Any) -> Form | None:
    """The table or the pairs that a frame holds; None of what is no frame."""
    heads = getattr(costs, "column_names", getattr(costs, "columns", None))
    if heads is None or callable(heads):
        return None
    names, by_place = list(heads), hasattr(costs, "iloc")
    columns = [np.asarray(costs.iloc[:, i] if by_place else costs[name]).tolist() for i, name in enumerate(names)]
    if [str(name).strip().lower() for name in names] == ["actual", "predicted", "cost"]:
        return Listed(pairs_of(zip(*columns, strict=True)), None)
    rows = len(columns[0]) if columns else 0
    if len(names) == 3 and rows and all(isinstance(value, str) for value in columns[1]):
        raise MetricError(no_list(names))
    # Where the index names classes, a row may be lacking, and is named when the classes are looked up.
    if by_place and (rows == len(columns) or (set(costs.index) < set(names) and names[0] in costs.index)):
        return Named(list(costs.index), names, _numbers(columns))
    if rows + 1 != len(columns):
        msg = (
            "a frame of costs has a row and a column for each class, and the names of the rows in its index or first "
            f"column; this one has {rows:,} rows and {len(columns):,} columns"
        )
        raise MetricError(msg)
    return Named(columns[0], names[1:], _numbers(columns[1:]))


def no_list(heads: Iterable[Any]) -> str:
    """The message that a list of prices has other heads."""
    return f"a list of prices has the columns actual, predicted and cost; call them so, for here they are {some(heads)}"


def _numbers(columns: list[list[Any]]) -> Array:
    try:
        table = np.array(columns, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"the prices in a table of costs must be numbers: {printable(str(error))[:120]}"
        raise MetricError(msg) from error
    whole = all(isinstance(price, int) for column in columns for price in column)
    return np.array(columns).T if whole else table.T


# ---- pairs -------------------------------------------------------------------------------------------------


def _pairs(costs: Mapping[Any, Any]) -> dict[tuple[Any, Any], Any]:
    if isinstance(costs, defaultdict):
        msg = "a defaultdict also prices hits by its default; say confmat.Costs(dict(costs), default=...), for errors"
        raise MetricError(msg)
    if costs and all(isinstance(row, Mapping) for row in costs.values()):
        return pairs_of((actual, predicted, price) for actual, row in costs.items() for predicted, price in row.items())
    wrong = [key for key, price in costs.items() if not (isinstance(key, tuple) and len(key) == 2 and is_price(price))]
    if wrong:
        # Beside cells, the other key is named.
        wrong.sort(key=lambda key: key in _SIDES)
        named = f"{wrong[0]!r:.80} goes to {costs[wrong[0]]!r:.60}"
        msg = f"`costs` as a mapping goes from (actual, predicted) to a finite number; {named}"
        raise MetricError(msg)
    return dict(costs)


def pairs_of(triples: Iterable[tuple[Any, Any, Any]]) -> dict[tuple[Any, Any], Any]:
    """A mapping of (actual, predicted) to price from the three of them."""
    found: dict[tuple[Any, Any], Any] = {}
    for actual, predicted, price in triples:
        if not is_price(price):
            msg = f"`costs` must be finite numbers; {some([actual])} predicted as {some([predicted])} has {price!r:.60}"
            raise MetricError(msg)
        if found.setdefault((actual, predicted), price) != price:
            msg = f"`costs` have two prices for {some([actual])} predicted as {some([predicted])}"
            raise MetricError(msg)
    return found


class Listed(ByName):
    """Pairs by name; errors that are not named have the default, hits nothing."""

    def __init__(self, pairs: dict[tuple[Any, Any], Any], default: float | None) -> None:
        self.pairs, self.default = pairs, default
        every = [float(price) for price in (*pairs.values(), default or 0, 0)]
        self.bounds = (min(every), max(every))

    def over(self, labels: Labels, *, inside: bool) -> Prices:
        """The prices over all labels, or over the classes alone."""
        size = labels.n_classes if inside else len(labels)
        placed: dict[tuple[int, int], Any] = {}
        for names, price in self.pairs.items():
            # Through the labels, so that a misspelt class is an error and not a price of 0.
            row, col = (labels.index(label_spelt(labels, name)) for name in names)
            if placed.setdefault((row, col), price) != price:
                msg = f"`costs` have two prices for {some([labels[row]])} predicted as {some([labels[col]])}"
                raise MetricError(msg)
        if not inside and self.default is None:
            named = {place for pair in placed for place in pair}
            _all_priced([name for i, name in enumerate(labels.outside, labels.n_classes) if i not in named], labels)
        kept = {(row, col): price for (row, col), price in placed.items() if row < size and col < size}
        return Sparse.of_pairs(size, self.default or 0, kept)


def _all_priced(lacking: list[str], labels: Labels) -> None:
    """Labels outside the classes cost something or not; nobody but the caller knows."""
    if lacking:
        msg = (
            f"the costs have no price for {some(lacking)}, outside the classes; name it, as in "
            f"{{({labels[0]!r:.60}, {lacking[0]!r:.60}): 1}}, or say confmat.Costs(costs, default=...)"
        )
        raise MetricError(msg)


class Sides(ByName):
    """The four cells of two classes: what is not named costs nothing, and what is outside the classes the default."""

    def __init__(self, prices: Mapping[str, Any], default: float | None) -> None:
        wrong = [name for name, price in prices.items() if not is_price(price)]
        if wrong:
            msg = f"the price of {wrong[0]!r} must be a finite number, not {prices[wrong[0]]!r:.60}"
            raise MetricError(msg)
        self.prices, self.default = dict(prices), default
        every = [float(price) for price in (*prices.values(), default or 0, 0)]
        self.bounds = (min(every), max(every))

    def over(self, labels: Labels, *, inside: bool) -> Prices:
        """The prices over all labels, or over the classes alone."""
        positive = positive_of(labels)
        if labels.n_classes != 2 or positive is None:
            say = Message("say {positive:...}, or ") if labels.n_classes == 2 else ""
            msg = Message(
                "{} are cells of two classes of which one is positive; the classes here are {}: {}name the pairs: "
                "{{(actual, predicted): price}}",
                ", ".join(self.prices),
                some(labels.classes),
                say,
            )
            raise MetricError(msg)
        if not inside and self.default is None:
            _all_priced(list(labels.outside), labels)
        place = labels.index(positive)
        where = {True: place, False: 1 - place}
        cells = {(where[a], where[p]): self.prices.get(name, 0) for name, (a, p) in _SIDES.items()}
        return Sparse.of_pairs(2 if inside else len(labels), self.default or 0, cells)


# ---- distances ---------------------------------------------------------------------------------------------

# Up to so many labels every distance is worked out, beyond only those that are asked for.
_TABLE = 4096


class Distances(ByName):
    """How far two classes lie apart, of something that knows; labels outside have its distance, or the default."""

    bounds: Bounds = (0.0, None)

    def __init__(self, source: Any, default: float | None) -> None:
        self.source, self.default = source, default

    def over(self, labels: Labels, *, inside: bool) -> Prices:
        """The prices over all labels, or over the classes alone."""
        k = labels.n_classes
        apart = inside or self.default is not None
        asked = labels.replace(outside=()) if apart and labels.outside else labels
        if len(asked) > _TABLE and callable(getattr(self.source, "distances_at", None)):
            return self._asked_for(asked, len(asked) if inside else len(labels))
        table = square(self.source.distances(asked))
        if len(table) == len(labels) or (inside and len(table) == k):
            return Dense(table)
        if len(table) != k:
            msg = f"`distances` gave a table of {len(table):,} x {len(table):,} for {len(labels):,} labels"
            raise MetricError(msg)
        if self.default is None:
            _all_priced(list(labels.outside), labels)
        whole = np.full((len(labels), len(labels)), self.default, dtype=np.float64)
        np.fill_diagonal(whole, 0)
        whole[:k, :k] = table
        return Dense(whole)

    def _asked_for(self, labels: Labels, size: int) -> Prices:
        def at(rows: Array, cols: Array) -> Array:
            known = (rows < len(labels)) & (cols < len(labels))
            found = np.where(rows == cols, 0.0, self.default or 0.0)
            found[known] = self.source.distances_at(labels, rows[known], cols[known])
            return found

        return Computed(size, at)


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
