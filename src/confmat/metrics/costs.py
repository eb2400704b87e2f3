"""Costs: prices of cells (a table, a few pairs, or distances of classes), and what answers cost by them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import label_spelt, matched
from confmat.core.building import positive_of
from confmat.core.counts import fits_dense
from confmat.core.errors import BudgetError, LabelError, Message, MetricError
from confmat.core.frames import axis_names, corner_names, side_of_rows
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told
from confmat.core.text import printable, some
from confmat.metrics.arithmetic import is_finite_number, ratio, square_table
from confmat.metrics.declaration import MatrixMetric, factory, of_matrix
from confmat.metrics.margins import Table

__all__ = ["Costs", "cost", "normalized_cost", "total_cost"]

Floats = NDArray[np.float64]
Bounds = tuple[float | None, float | None]

_FORMS = (
    "a square table of prices, rows for actual classes; a frame with the classes as names of rows "
    "and columns; a "
    "mapping of (actual, predicted) to a finite price; {'fp': 1, 'fn': 5} for two classes; or what "
    "has `distances`"
)
LISTS = "a list of prices has columns that are called actual, predicted and cost"
# The four cells of two classes: whether actual and predicted are positive.
_SIDES = {"fp": (False, True), "fn": (True, False), "tp": (True, True), "tn": (False, False)}


class Form(ABC):
    """Prices as they were written, to be found for the labels of a matrix."""

    # The least and the greatest price; None where that is not known before there are classes.
    bounds: Bounds

    @abstractmethod
    def over(self, labels: Labels) -> Floats:
        """The prices over all labels, rows actual; NaN where there is none."""


def form_of(costs: Any, default: float | None) -> Form:
    """The form that something is in."""
    if isinstance(costs, (str, PathLike)):
        msg = f"costs in a file are read by confmat.costs.read_costs({costs!r:.60}), not from its name"
        raise MetricError(msg)
    if isinstance(costs, Mapping):
        return _form_of_mapping(costs, default)
    if not isinstance(costs, Form) and callable(getattr(costs, "distances", None)):
        return Distances(costs, default)
    found = costs if isinstance(costs, Form) else _frame(costs) or Square(square(costs))
    if isinstance(found, Listed):
        return _listed(found.pairs, default)
    if default is not None:
        msg = "these costs have a price for every pair, so there is nothing for `default` to do; leave it out"
        raise MetricError(msg)
    return found


def _form_of_mapping(costs: Mapping[Any, Any], default: float | None) -> Form:
    """The form of a mapping: prices of the cells of two classes, or of pairs."""
    sides = {key.lower() if isinstance(key, str) else key: costs[key] for key in costs}
    if not costs or not sides.keys() <= _SIDES.keys() or len(sides) < len(costs):
        return _listed(_pairs(costs), default)
    return Sides(sides, default)


def _listed(pairs: dict[tuple[Any, Any], Any], default: float | None) -> Form:
    if not pairs and default is None:
        msg = "no price is named, so nothing would cost anything; name some, or say confmat.Costs({}, default=...)"
        raise MetricError(msg)
    return Listed(pairs, default)


# ---- by place ------------------------------------------------------------------------------------


def square(costs: Any) -> Floats:
    """A square table of finite numbers."""
    table = square_table(costs)
    if table is not None:
        return table
    msg = f"`costs` must be {_FORMS}; not {printable(repr(costs)[:80])}"
    raise MetricError(msg)


class Square(Form):
    """A square table in the order of the labels."""

    def __init__(self, table: Floats, bounds: Bounds | None = None) -> None:
        self.table = table
        self.bounds = bounds or (float(table.min()), float(table.max()))

    def over(self, labels: Labels) -> Floats:
        """The prices over all labels; a row and column beyond the classes is that of all labels outside."""
        own, k = len(self.table), labels.n_classes
        if own not in ({k, k + 1, len(labels)} if labels.outside else {k}):
            extra = (
                ", those outside the classes as one row and column at the end"
                if labels.outside
                else ""
            )
            raise self.misfit(k + bool(labels.outside), extra)
        if own in {k, len(labels)}:
            return _widened(self.table, len(labels))
        places = np.minimum(np.arange(len(labels)), k)
        return self.table[np.ix_(places, places)]

    def misfit(self, size: int, extra: str = "") -> MetricError:
        """The error of a table of another size."""
        own = len(self.table)
        return MetricError(
            f"the table of costs is {own:,} x {own:,}, but the matrix has {size:,} classes{extra}"
        )


def _widened(table: Floats, size: int, default: float = math.nan) -> Floats:
    """A table of the classes with rows and columns for labels outside, whose errors cost the default."""
    whole = np.full((size, size), default, dtype=np.float64)
    whole[range(size), range(size)] = 0 if default == default else default
    whole[: len(table), : len(table)] = table
    return whole


# ---- by name -------------------------------------------------------------------------------------


class Named(Form):
    """A table whose rows and columns have names, in any order; more of them than a matrix has do no harm.

    `row` and `column` are the names of its sides, if they have any; rows are actual unless these
    say otherwise.
    """

    def __init__(
        self, rows: list[Any], columns: list[Any], table: Floats, row: str = "", column: str = ""
    ) -> None:
        if side_of_rows(row, column) == "predicted":
            rows, columns, table = columns, rows, table.T
        self.rows, self.columns, self.table = rows, columns, table
        known = table[np.isfinite(table)]
        self.bounds = (float(known.min()), float(known.max())) if known.size else (None, None)

    def over(self, labels: Labels) -> Floats:
        """The prices over all labels."""
        rows, cols = (
            self._found(labels, self.rows, "row"),
            self._found(labels, self.columns, "column"),
        )
        whole = np.full((len(labels), len(labels)), math.nan)
        whole[np.ix_(list(rows), list(cols))] = self.table[
            np.ix_(list(rows.values()), list(cols.values()))
        ]
        return whole

    @staticmethod
    def _found(labels: Labels, names: list[Any], side: str) -> dict[int, int]:
        """The place of each label among the names of rows or of columns."""
        found, _ = matched(names, labels, f"a {side} of the costs")
        missing = [label for place, label in enumerate(labels.classes) if place not in found]
        if missing:
            msg = (
                f"the costs have no {side} for {some(missing)}; their {side}s are {some(names, 8)}"
            )
            raise LabelError(msg)
        return found


def _frame(costs: Any) -> Form | None:
    """The table or the pairs that a frame holds; None of what is no frame."""
    heads = getattr(costs, "column_names", getattr(costs, "columns", None))
    if isinstance(costs, ConfusionMatrix):
        return Named(list(costs.labels), list(costs.labels), np.asarray(costs.counts, np.float64))
    if heads is None or callable(heads):
        return None
    return _form_of_columns(costs, list(heads))


def _form_of_columns(costs: Any, names: list[Any]) -> Form:
    """The table or the pairs in the columns of a frame, which have these names."""
    by_place = hasattr(costs, "iloc")
    columns = [
        np.asarray(costs.iloc[:, i] if by_place else costs[name]).tolist()
        for i, name in enumerate(names)
    ]
    heads = [str(name).strip().lower() for name in names]
    if sorted(heads) == ["actual", "cost", "predicted"]:
        listed = (columns[heads.index(head)] for head in ("actual", "predicted", "cost"))
        return Listed(pairs_of(zip(*listed, strict=True)), None)
    rows = len(columns[0]) if columns else 0
    # Where the index names classes, a row may be lacking, and is named when the classes are looked
    # up.
    if by_place and (
        rows == len(columns) or (set(costs.index) < set(names) and names[0] in costs.index)
    ):
        return Named(list(costs.index), names, _numbers(columns), *axis_names(costs))
    if rows + 1 != len(columns):
        msg = (
            "a frame of costs has a row and a column for each class, and the names of the rows in "
            "its index or first "
            f"column; this one has {rows:,} rows and the columns {some(names)}; {LISTS}"
        )
        raise MetricError(msg)
    return Named(columns[0], names[1:], _numbers(columns[1:]), *corner_names(str(names[0])))


def _numbers(columns: list[list[Any]]) -> Floats:
    try:
        return np.array(columns, dtype=np.float64).T
    except (TypeError, ValueError) as error:
        msg = f"the prices in a table of costs must be numbers: {printable(str(error))[:120]}; {LISTS}"
        raise MetricError(msg) from error


# ---- pairs ---------------------------------------------------------------------------------------


def _pairs(costs: Mapping[Any, Any]) -> dict[tuple[Any, Any], Any]:
    if isinstance(costs, defaultdict):
        msg = "a defaultdict also prices hits by its default; say confmat.Costs(dict(costs), default=...), for errors"
        raise MetricError(msg)
    if costs and all(isinstance(row, Mapping) for row in costs.values()):
        pairs = ((actual, *pair) for actual, row in costs.items() for pair in row.items())
        return pairs_of(pairs)
    wrong = [key for key, price in costs.items() if not _is_priced_pair(key, price)]
    if wrong:
        # Beside cells, the other key is named.
        first = min(wrong, key=_SIDES.__contains__)
        named = f"{first!r:.80} goes to {costs[first]!r:.60}"
        msg = f"`costs` as a mapping goes from (actual, predicted) to a finite number; {named}"
        raise MetricError(msg)
    return dict(costs)


def _is_priced_pair(key: Any, price: Any) -> bool:
    return isinstance(key, tuple) and len(key) == 2 and is_finite_number(price)


def pairs_of(triples: Iterable[tuple[Any, Any, Any]]) -> dict[tuple[Any, Any], Any]:
    """A mapping of (actual, predicted) to price from the three of them."""
    found: dict[tuple[Any, Any], Any] = {}
    for actual, predicted, price in triples:
        if not is_finite_number(price):
            msg = f"`costs` must be finite numbers; {some([actual])} predicted as {some([predicted])} has {price!r:.60}"
            raise MetricError(msg)
        if found.setdefault((actual, predicted), price) != price:
            msg = f"`costs` have two prices for {some([actual])} predicted as {some([predicted])}"
            raise MetricError(msg)
    return found


def _bounds(prices: Mapping[Any, Any], default: float | None) -> Bounds:
    every = [float(price) for price in (*prices.values(), default or 0, 0)]
    return min(every), max(every)


class Listed(Form):
    """Pairs by name; errors that are not named have the default, hits nothing."""

    def __init__(self, pairs: dict[tuple[Any, Any], Any], default: float | None) -> None:
        self.pairs, self.default = pairs, default
        self.bounds = _bounds(pairs, default)

    def over(self, labels: Labels) -> Floats:
        """The prices over all labels."""
        placed: dict[tuple[int, int], Any] = {}
        for names, price in self.pairs.items():
            # Through the labels, so that a misspelt class is an error and not a price of 0.
            row, col = (labels.index(label_spelt(labels, name)) for name in names)
            if placed.setdefault((row, col), price) != price:
                msg = f"`costs` have two prices for {some([labels[row]])} predicted as {some([labels[col]])}"
                raise MetricError(msg)
        whole = _widened(np.empty((0, 0)), len(labels), float(self.default or 0))
        if self.default is None:
            # Labels outside the classes cost something or not; nobody but the caller knows.
            outside = range(labels.n_classes, len(labels))
            unknown = list(set(outside).difference(*placed))
            whole[unknown], whole[:, unknown] = math.nan, math.nan
        for place, price in placed.items():
            whole[place] = float(price)
        return whole


class Sides(Form):
    """The four cells of two classes: what is not named costs nothing, and what is outside the classes the default."""

    def __init__(self, prices: Mapping[str, Any], default: float | None) -> None:
        wrong = [name for name, price in prices.items() if not is_finite_number(price)]
        if wrong:
            msg = f"the price of {wrong[0]!r} must be a finite number, not {prices[wrong[0]]!r:.60}"
            raise MetricError(msg)
        self.prices, self.default = dict(prices), default
        self.bounds = _bounds(prices, default)

    def over(self, labels: Labels) -> Floats:
        """The prices over all labels."""
        positive = positive_of(labels)
        if labels.n_classes != 2 or positive is None:
            say = Message("say {positive:...}, or ") if labels.n_classes == 2 else ""
            msg = Message(
                "{} are cells of two classes of which one is positive; the classes here are {}: "
                "{}name the pairs: "
                "{{(actual, predicted): price}}",
                ", ".join(self.prices),
                some(labels.classes),
                say,
            )
            raise MetricError(msg)
        places = [labels.index(positive), 1 - labels.index(positive)]
        cells = [
            [self.prices.get(name, 0) for name in names] for names in (("tp", "fn"), ("fp", "tn"))
        ]
        whole = _widened(
            np.zeros((2, 2)), len(labels), math.nan if self.default is None else self.default
        )
        whole[np.ix_(places, places)] = np.array(cells, dtype=np.float64)
        return whole


# ---- distances -----------------------------------------------------------------------------------


class Distances(Form):
    """How far two classes lie apart, of something that knows; labels outside have its distance, or the default."""

    bounds: Bounds = (0.0, None)

    def __init__(self, source: Any, default: float | None) -> None:
        self.source, self.default = source, default

    def over(self, labels: Labels) -> Floats:
        """The prices over all labels."""
        asked = (
            labels.replace(outside=()) if self.default is not None and labels.outside else labels
        )
        table = square(self.source.distances(asked))
        if len(table) not in {labels.n_classes, len(labels)}:
            msg = f"`distances` gave a table of {len(table):,} x {len(table):,} for {len(labels):,} labels"
            raise MetricError(msg)
        return _widened(table, len(labels), math.nan if self.default is None else self.default)


class Costs:
    """Prices of answers: one for every pair of actual and predicted class; a gain is a negative price.

    costs: a square table in the order of the labels, rows actual; a frame with the classes as names
    of rows and columns, which is read by name in any order; a mapping of (actual, predicted) to
    price, flat or nested; {"fp": 1, "fn": 5} for two classes of which one is positive; or what has
    `distances(labels)`, such as a Hierarchy. default: the price of every error that a mapping does
    not name (otherwise nothing), and of labels outside the classes that are no cell and have no
    distance. A hit that is not named costs nothing.

    Whatever takes costs takes all of these as they are; `Costs` itself is there for `default`.

    >>> from confmat import ConfusionMatrix
    >>> m = ConfusionMatrix([[8, 2, 0], [1, 9, 0], [1, 1, 3]], ["ham", "spam", "scam"])
    >>> cost(Costs({("scam", "ham"): 50}, default=1))(m)
    2.16
    """

    __slots__ = ("_form", "_known")

    def __init__(self, costs: Any, *, default: float | None = None) -> None:
        """Read the prices; classes are looked up when a matrix is priced."""
        if default is not None and not is_finite_number(default):
            msg = f"`default` is what an error costs that is not named, a finite number, not {told(default)}"
            raise MetricError(msg)
        if isinstance(costs, Costs) and default is not None:
            msg = "these are Costs already; say `default` where they are made"
            raise MetricError(msg)
        self._form: Form = costs._form if isinstance(costs, Costs) else form_of(costs, default)
        self._known: tuple[Labels | None, Floats] | None = None

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The least and the greatest price; None where that is not known before there are classes."""
        return self._form.bounds

    def on(self, labels: Labels | None, size: int) -> Floats:
        """Give the prices of a matrix by position, a table of at most as many classes as a dense matrix has.

        Parameters
        ----------
        labels
            The labels of the matrix; None where only their number is known.
        size
            The number of places: as many as there are labels, or classes, or classes and one, which
            holds everything outside.

        Returns
        -------
        array
            Rows actual, columns predicted.
        """
        if self._known is None or self._known[0] is not labels or len(self._known[1]) != size:
            if not fits_dense(size if labels is None else len(labels)):
                msg = (
                    f"{size:,} classes have too many prices for a table; merge classes (`m.merge`, "
                    "`m.roll_up`) or "
                    "`m.select` some first; `tree_distance` prices errors in a hierarchy of any "
                    "size"
                )
                raise BudgetError(msg)
            table = (
                self._unlabelled(size)
                if labels is None
                else _part(self._form.over(labels), labels, size)
            )
            self._known = labels, table
        return self._known[1]

    def _unlabelled(self, size: int) -> Floats:
        if not isinstance(self._form, Square):
            msg = f"costs by name need a matrix with labels, and this table of {size:,} x {size:,} has none"
            raise MetricError(msg)
        if len(self._form.table) != size:
            raise self._form.misfit(size)
        return self._form.table

    def __repr__(self) -> str:
        low, high = ("?" if end is None else f"{end:g}" for end in self.bounds)
        return f"<Costs from {low} to {high}>"


def _part(prices: Floats, labels: Labels, size: int) -> Floats:
    """The prices over all labels, over the classes alone, or with the labels outside as one, if all are known."""
    k = labels.n_classes
    found = prices[:size, :size]
    lacking = np.argwhere(~np.isfinite(found if size == k else prices))
    if len(lacking):
        pair = [labels[int(place)] for place in lacking[0]]
        if lacking[0].max() < k:
            msg = (
                f"the costs have no finite price for {some(pair[:1])} predicted as "
                f"{some(pair[1:])}; write 0 for what "
                "costs nothing"
            )
            raise MetricError(msg)
        name = pair[int(lacking[0].argmax())]
        msg = (
            f"the costs have no price for {some([name])}, outside the classes: a table has one "
            "more row and column for "
            f"it; pairs name it, as in {{({labels[0]!r:.60}, {name!r:.60}): 1}}, or "
            "confmat.Costs(costs, default=...)"
        )
        raise MetricError(msg)
    if k < size < len(labels) and any(
        (
            np.append(prices[:k, place], prices[place, :k])
            != np.append(prices[:k, k], prices[k, :k])
        ).any()
        for place in range(size, len(labels))
    ):
        msg = (
            f"the labels outside the classes, {', '.join(labels.outside)}, are one to a metric, "
            "and their prices "
            "differ; `expected_cost` and `cost_report` price each of them"
        )
        raise MetricError(msg)
    return found


def _prices(t: Table, costs: Costs) -> Floats:
    return costs.on(t.labels, t.size)


def _spent(t: Table, costs: Costs) -> Any:
    """Return the costs of all answers together."""
    return (t.values * _prices(t, costs)[t.rows, t.cols]).sum(axis=-1)


@factory(
    title="Mean cost",
    example=(((0, 1), (5, 0)),),
    aliases=("mean_cost", "expected_cost"),
    peers={"dconfusion": "cost"},
)
def cost(costs: Any) -> MatrixMetric:
    """Mean price of an answer, given what every pair of actual and predicted class costs.

    `costs` are a table (rows actual, columns predicted), a frame, a mapping of (actual, predicted)
    to price, {"fp": 1, "fn": 5}, or a Hierarchy, as `Costs` explains; gains are negative prices. A
    matrix with labels outside the classes needs a price for them: one more row and column, or their
    names.

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


@factory(
    title="Normalized cost",
    example=(((0, 1), (5, 0)),),
    aliases=("normalized_cost", "relative_cost"),
)
def normalized_cost(costs: Any) -> MatrixMetric:
    """Cost of the answers over that of the best constant answer: below 1 they are better than no model at all.

    The constant answer is the one that costs least if every item gets it, by the actual totals; see
    `cost`. Where it costs nothing, or earns, there is no value.

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
        least = np.asarray(t.actual @ _prices(t, costs)).min(axis=-1)
        # A constant answer that earns is no yardstick.
        return ratio(_spent(t, costs), least * (least > 0))

    return formula
