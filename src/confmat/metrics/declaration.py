"""Declaring a metric: a formula with its facts, from which the callable, its help, laws and pages come."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from functools import cache, cached_property, partial
from importlib import import_module
from inspect import signature
from math import inf
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Never, Self, TypeVar, overload
from weakref import WeakValueDictionary

import numpy as np

from confmat.core.errors import Argument, CallError, Message, MetricError
from confmat.core.options import MAKES_ONE, door, no_option, told
from confmat.metrics.averages import (
    Average,
    Choice,
    Coverage,
    Undefined,
    average_named,
    check_undefined,
    chosen,
    given_weights,
    position_of,
)
from confmat.metrics.evaluation import (
    clipped,
    evaluate,
    floats_kept,
    kind_of,
    plainly,
    pooled,
)
from confmat.metrics.margins import (
    Outside,
    View,
    one_matrix,
    read_cells,
    read_margins,
    read_table,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from confmat.core.matrix import ConfusionMatrix
    from confmat.core.stack import Stack

Formula = Callable[[Any], Any]
Better = Literal["higher", "lower", "neither"]
Items = Literal["total", "actual", "actual_negative", "predicted", "predicted_negative"]
Peers = Mapping[str, str | tuple[str, ...]]
M = TypeVar("M", bound="Metric")
# Types that may be meant for a parameter of the metric.
_NUMBERS = {int, float}


class _Doc:
    """The docstring of an instance, assembled when it is asked for; that of the class stays text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __get__(self, metric: Metric | None, owner: type) -> str:
        if metric is None:
            return self.text
        from confmat.metrics.description import describe

        return describe(metric)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Metric:
    """A declared, callable fact-sheet; made by `of_class` and `of_matrix`.

    `metric(m)` reads a ConfusionMatrix, a Stack, Cells or Margins. A metric per class gives an
    array with one value per class, in the order of `m.labels.classes` (labels outside the classes
    have no entry), or one number with `of=` or `average=`; a metric of the whole matrix gives a
    number. A Stack adds a first axis.
    """

    name: str
    title: str
    summary: str
    formula: Formula
    latex: str | None = None
    aliases: tuple[str, ...] = ()
    # Least and greatest value; None is no bound.
    bounds: tuple[float | None, float | None] = (None, None)
    better: Better = "higher"
    # The value of a perfect matrix (NaN: it depends on the margins), or what it runs to if it has
    # none there.
    best: float | None = None
    limit: float | None = None
    # The value that chance gets.
    chance: float | None = None
    # Why there is no value, as the rest of "undefined where ...".
    undefined: str | None = None
    # The value that a fair mean takes for a class that occurs but is never predicted.
    when_never_predicted: float | None = None
    # Names of the metric of the transposed matrix, and of 1 - metric.
    transposed: str | None = None
    complement: str | None = None
    symmetric: bool = False
    scale_free: bool = True
    # Has a derivative wherever it has a value: no abs, max or comparison.
    smooth: bool = True
    # Whether a fair mean over classes makes sense; for counts and shares of the data it does not.
    fair: bool = True
    # Adding a class that never occurs on either side changes it.
    depends_on_k: bool = False
    # Facts that solvers use, because they cannot try every table. With two classes, correcting the
    # answers to one of them one by one moves the score in one direction only.
    monotone: bool = False
    # The number of items, by its name in Cells, that the score is a share of.
    share_of: Items | None = None
    # The total of each class that it counts, by its name in Cells.
    total_of: Literal["actual", "predicted"] | None = None
    # Hits over the sum of hits, misses and false alarms, the last two with any weights (a Tversky
    # index).
    overlap: bool = False
    # The harmonic mean of precision and recall, of a class or of their means, that weighs recall
    # beta times as much.
    beta: float | None = None
    # The mean over the classes that occur of the metric of this name.
    macro_of: str | None = None
    # A mean over the classes that occur, which says nothing of those that do not.
    over_occurring: bool = False
    # It grows, at the same totals, with the mutual information or with phi squared, and is least at
    # independence.
    association: Literal["information", "mean_square"] | None = None
    # The metric of this name is its value for ever more items like these; without one it is that
    # itself.
    population: str | None = None
    # n hits - chance over n^2 - chance ("share"), or over the geometric mean of both sides' spreads
    # ("correlation"); chance is the sum of products of totals, a spread is n^2 less the sum of
    # squared totals.
    beyond_chance: Literal["share", "correlation"] | None = None
    # The actual class whose items it is a share of, those that were answered in one way.
    share_in: Any = None
    # The mean over the items of the score of each alone.
    mean_of_items: bool = False
    # The metric of this name, and the increasing or decreasing function of its value that the score
    # is (of a whole matrix that depends on the number of classes: of that too, as `k`), so that
    # both have one interval.
    function_of: tuple[str, Callable[..., Any]] | None = None
    # The family of metrics that weighs disagreements, where people look for its weights here.
    weighted_by: str | None = None
    # Scores that are printed under the same name.
    mistaken_for: tuple[str, ...] = ()
    needs: Literal["margins", "cells"] = "margins"
    # How a whole-matrix formula sees labels outside the classes.
    sees: View = "category"
    unit: str | None = None
    references: tuple[str, ...] = ()
    # Names of the same number elsewhere: {"sklearn": "recall_score", "pycm": ("TPR", ...)}.
    peers: Peers = field(default_factory=lambda: MappingProxyType({}))
    # More than the summary: what it means, what it is not, where definitions differ.
    note: str = ""
    # Belongs to the family of this name in lists and pages.
    family: str = ""
    # Made by a factory: its name and the arguments.
    factory: tuple[str, tuple[Any, ...]] | None = None

    # A value per class, or one of the whole matrix.
    kind: ClassVar[Literal["class", "matrix"]]

    __doc__ = _Doc(__doc__)

    def __call__(
        self,
        m: Any = ...,
        *more: Never,
        of: Any = None,
        average: str | Average | None = None,
        undefined: Undefined = "fair",
        weights: Any = None,
        outside: Outside = "wrong",
        **other: Never,
    ) -> Any:
        """The value of a matrix: one per class, of one class, averaged, or of the whole.

        `weights` (a sequence in the order of the classes, or a mapping of class to weight) belongs
        to a mean.
        """
        if other or m is ... or type(m) in _NUMBERS:
            self._refuse_call(m, other)
        plain = of is None and average is None and weights is None and not more
        if plain and self._direct and isinstance(undefined, str) and undefined == "fair":
            inputs = floats_kept(self._read(m, outside))
            if inputs is not None:
                value = self.formula(inputs)
                return plainly(_own(clipped(value, self.bounds) if self._may_pass else value))
            return plainly(self._evaluate(self._read(m, outside)))
        if more:
            one_matrix(self.name, m)
        if self.kind == "matrix":
            value = self._of_matrix(m, of, average, weights, outside)
            return plainly(_completed(value, undefined))
        return self._of_classes(m, of, average, undefined, weights, outside)

    def _of_classes(
        self, m: Any, of: Any, average: Any, undefined: Undefined, weights: Any, outside: Outside
    ) -> Any:
        if average is not None or weights is not None:
            if of is not None:
                msg = "ask for one class (`of`) or for an average, not for both"
                raise MetricError(msg)
            average = average_named("weighted" if average is None else average)
            return self._averaged(m, average, undefined, weights, outside)[0]
        values = self.per_class(m, outside=outside)
        if of is not None:
            values = values[..., position_of(m, of)]
        return plainly(_completed(values, undefined))

    def _refuse_call(self, m: Any, other: Mapping[str, Any]) -> Never:
        if self.beta is not None and type(m) in _NUMBERS:
            msg = f"`{self.name}` reads a matrix, not {m}; confmat.f_beta({m}) is the F measure of that beta"
            raise MetricError(msg)
        if not other:
            msg = f"`{self.name}` needs a matrix: {self.name}(m); {MAKES_ONE}"
            raise CallError(msg)
        option = next(iter(other))
        known = ["of", "average", "weights"] if self.kind == "class" else []
        if option == "sample_weight":
            # The weights of a mean are those of classes.
            known = known[:-1]
        raise CallError(no_option(self.name, option, [*known, "undefined", "outside"]))

    def _of_matrix(self, m: Any, of: Any, average: Any, weights: Any, outside: Outside) -> Any:
        if of is not None or average is not None or weights is not None:
            msg = Message(
                "{} is one number of the whole matrix: it takes neither `of`, `average` nor "
                "{weights}",
                self.name,
            )
            if self.weighted_by is not None and isinstance(weights, str):
                msg = Message(
                    "weights of disagreements make another metric: {}({!r})(m)",
                    self.weighted_by,
                    weights,
                )
                if f"{self.weighted_by}_{weights}" in _metrics:
                    msg += f", which is {self.weighted_by}_{weights}(m)"
            raise MetricError(msg)
        return self._evaluate(self._read(m, outside))

    @cached_property
    def _read(self) -> Callable[[Any, Outside], Any]:
        """The reader that turns a matrix into the formula's input."""
        sees = self.sees
        if self.needs == "cells":
            return lambda m, outside: read_table(m, outside, sees)
        return (
            read_cells
            if self.kind == "class"
            else lambda m, outside: read_margins(m, outside, sees)
        )

    @cached_property
    def _direct(self) -> bool:
        """Whether the formula gives the value: no count of items, and nothing per label outside to leave out."""
        return self.unit != "items" and (self.kind == "matrix" or self.needs != "cells")

    @cached_property
    def _may_pass(self) -> bool:
        """Whether rounding may move a score out of its bounds."""
        return self.bounds != (None, None)

    def _evaluate(self, inputs: Any) -> Any:
        kind = kind_of(inputs)
        if self.unit == "items" and kind == "i":
            # Counts stay integers.
            return _own(self.formula(inputs))
        values = evaluate(self.formula, inputs, scale_free=self.scale_free)
        return _own(clipped(values, self.bounds) if self._may_pass and kind in "iuf" else values)

    @door
    def per_class(self, m: Any, *, outside: Outside = "wrong") -> Any:
        """Return one value per class, along the last axis.

        Parameters
        ----------
        m
            A ConfusionMatrix or a Stack.
        outside
            "wrong" counts answers outside the classes as errors; "exclude" leaves them out.
        """
        inputs = self._read(m, outside)
        values = self._evaluate(inputs)
        labels = inputs.labels if self.needs == "cells" else None
        return values if labels is None else values[..., : labels.n_classes]

    @door
    def averaged(
        self,
        m: Any,
        average: str | Average = "macro",
        *,
        undefined: Undefined = "fair",
        weights: Any = None,
        outside: Outside = "wrong",
    ) -> tuple[Any, Coverage | None]:
        """Return a mean over classes, and over how many classes it was taken.

        Parameters
        ----------
        m
            A ConfusionMatrix or a Stack.
        average
            The average, such as "macro", "micro" or "weighted".
        undefined
            The rule for classes without a value: "fair", "skip", "propagate", or a number that
            means them.
        weights
            A number for each class, in a list or by name, for an average that takes weights.
        outside
            "wrong" counts answers outside the classes as errors; "exclude" leaves them out.

        Returns
        -------
        tuple of float and Coverage
            The mean, and its Coverage; None for a pooled mean or a stack.
        """
        mean, choice = self._averaged(m, average_named(average), undefined, weights, outside)
        return mean, None if choice is None or np.ndim(choice.values) > 1 else choice.coverage()

    def _averaged(
        self, m: Any, average: Average, undefined: Undefined, weights: Any, outside: Outside
    ) -> tuple[Any, Choice | None]:
        self._refuse(average, undefined, weights)
        cells = read_cells(m, outside)
        if average.pooled:
            return plainly(_completed(self._evaluate(pooled(cells))[..., 0], undefined)), None
        values = self.per_class(m, outside=outside)
        given = None if weights is None else given_weights(m, weights, np.shape(values)[-1])
        choice = chosen(values, cells, average, undefined, self.when_never_predicted, given)
        return plainly(average.formula(choice.values, choice.weights)), choice

    def _refuse(self, average: Average, undefined: Undefined, weights: Any) -> None:
        if self.kind == "matrix":
            msg = f"{self.name} is one number of the whole matrix; there is nothing to average"
            raise MetricError(msg)
        check_undefined(undefined)
        if undefined == "fair" and not self.fair and not average.pooled:
            msg = Message(
                "{} describes the data or counts items, so it has no fair mean over classes; "
                "{undefined:'skip'} "
                "gives the plain one",
                self.name,
            )
            raise MetricError(msg)
        if not average.negative and (self.bounds[0] is None or self.bounds[0] < 0):
            msg = f"{self.name} can be negative, so it has no {average.title.lower()}"
            raise MetricError(msg)
        if average.pooled and self.needs == "cells":
            msg = f"{self.name} reads the cells of the whole matrix, so there is nothing to pool for {average.name!r}"
            raise MetricError(msg)
        if weights is not None and not average.weightable:
            msg = f"the average {average.name!r} takes no weights; 'macro', 'weighted', 'geometric', 'harmonic' do"
            raise MetricError(msg)

    def renamed(self, name: str, **facts: Any) -> Self:
        """Return the same formula under another name, with other facts.

        Parameters
        ----------
        name
            The new name.
        **facts
            Other attributes that change, such as `title`.
        """
        return replace(self, name=name, **facts)

    def __repr__(self) -> str:
        return f"<Metric {self.name}: {self.summary}>"

    def __reduce__(self) -> Any:
        """Travel by name from the catalog, by the parameters of a family, or with all facts."""
        if catalog().get(self.name) is self:
            return (_metric_named, (self.name,))
        if self.factory is not None and self.factory[0] in factories():
            name, (args, named) = self.factory
            return (_made, (name, args, named))
        facts = {each.name: getattr(self, each.name) for each in fields(self)}
        facts["peers"] = dict(self.peers)
        return (partial(type(self), **facts), ())


class ClassMetric(Metric):
    """A metric with a value per class; see Metric."""

    __doc__ = _Doc(__doc__)
    kind = "class"

    if TYPE_CHECKING:

        @overload  # type: ignore[override]  # a call without a matrix is refused at run time
        def __call__(
            self,
            m: ConfusionMatrix,
            *,
            undefined: Undefined = "fair",
            outside: Outside = "wrong",
        ) -> NDArray[Any]: ...
        @overload
        def __call__(
            self,
            m: ConfusionMatrix,
            *,
            of: object,
            undefined: Undefined = "fair",
            outside: Outside = "wrong",
        ) -> float: ...
        @overload
        def __call__(
            self,
            m: ConfusionMatrix,
            *,
            average: str | Average,
            undefined: Undefined = "fair",
            weights: Any = None,
            outside: Outside = "wrong",
        ) -> float: ...
        @overload
        def __call__(
            self,
            m: Stack,
            *,
            of: Any = None,
            average: str | Average | None = None,
            undefined: Undefined = "fair",
            weights: Any = None,
            outside: Outside = "wrong",
        ) -> NDArray[Any]: ...
        @overload
        def __call__(
            self,
            m: Any,
            *more: Never,
            of: Any = None,
            average: str | Average | None = None,
            undefined: Undefined = "fair",
            weights: Any = None,
            outside: Outside = "wrong",
            **other: Never,
        ) -> Any: ...
        def __call__(self, m: Any, *more: Any, **options: Any) -> Any:
            """Return the value of a matrix; see `Metric.__call__`."""


class MatrixMetric(Metric):
    """A metric of the whole matrix; see Metric."""

    __doc__ = _Doc(__doc__)
    kind = "matrix"

    if TYPE_CHECKING:

        @overload  # type: ignore[override]  # a call without a matrix is refused at run time
        def __call__(
            self,
            m: ConfusionMatrix,
            *,
            undefined: Undefined = "fair",
            outside: Outside = "wrong",
        ) -> float: ...
        @overload
        def __call__(
            self, m: Stack, *, undefined: Undefined = "fair", outside: Outside = "wrong"
        ) -> NDArray[Any]: ...
        @overload
        def __call__(
            self,
            m: Any,
            *more: Never,
            of: Any = None,
            average: str | Average | None = None,
            undefined: Undefined = "fair",
            weights: Any = None,
            outside: Outside = "wrong",
            **other: Never,
        ) -> Any: ...
        def __call__(self, m: Any, *more: Any, **options: Any) -> Any:
            """Return the value of a matrix; see `Metric.__call__`."""


def _own(values: Any) -> Any:
    """A copy of values that others share, and the values themselves otherwise."""
    return values if not isinstance(values, np.ndarray) or values.flags.writeable else values.copy()


def _completed(values: Any, undefined: Undefined) -> Any:
    """Values, with a number in place of undefined ones, if there is one."""
    check_undefined(undefined)
    return (
        values if isinstance(undefined, str) else np.where(values != values, undefined, values)[()]
    )


def of_class(*, title: str, **facts: Any) -> Callable[[Formula], ClassMetric]:
    """Declare a metric per class: a formula from Cells (with needs="cells" from a Table) to one value per class.

    The name is that of the function unless `name` says another, the summary the first line of its
    docstring, the note the rest.

    Parameters
    ----------
    title
        The heading in pages.
    **facts
        The facts of the same names of `Metric`, such as `latex`, `bounds` and `undefined`.

    Returns
    -------
    Callable
        A decorator that makes a Metric of the formula.
    """
    return lambda formula: _declared(formula, ClassMetric, {"title": title, **facts})


def of_matrix(*, title: str, **facts: Any) -> Callable[[Formula], MatrixMetric]:
    """Declare a metric of the whole matrix: a formula from Margins (with needs="cells" from a Table) to a number.

    The name is that of the function unless `name` says another, the summary the first line of its
    docstring, the note the rest.

    Parameters
    ----------
    title
        The heading in pages.
    **facts
        The facts of the same names of `Metric`, such as `latex`, `bounds` and `undefined`.

    Returns
    -------
    Callable
        A decorator that makes a Metric of the formula.
    """
    return lambda formula: _declared(formula, MatrixMetric, {"title": title, **facts})


def _declared(formula: Formula, kind: type[M], facts: dict[str, Any]) -> M:
    if not formula.__module__.startswith("confmat."):
        # A division of somebody's own gives NaN or infinity without a warning, as `ratio` does.
        formula = np.errstate(divide="ignore", invalid="ignore")(formula)
    summary, _, rest = (formula.__doc__ or "").strip().partition("\n")
    facts = {key: value for key, value in facts.items() if value is not None}
    facts.setdefault("name", formula.__name__)
    facts["note"] = facts.get("note") or " ".join(map(str.strip, rest.split("\n"))).strip()
    if "peers" in facts:
        facts["peers"] = MappingProxyType(dict(facts["peers"]))
    # An infinite bound is none.
    low, high = (None if end in {inf, -inf} else end for end in facts.get("bounds", (None, None)))
    facts["bounds"] = low, high
    if not {"best", "limit"} & set(facts):
        best = {"higher": high, "lower": low, "neither": None}
        facts["best"] = best.get(facts.get("better", "higher"))
    return kind(summary=summary, formula=formula, **facts)


# The most metrics of a family that are remembered though nobody holds them.
REMEMBERED_METRICS = 256


class Factory(Generic[M]):
    """A callable that makes metrics from parameters and remembers them.

    `example` are arguments that show it, for pages and laws.
    """

    def __init__(
        self,
        make: Callable[..., M],
        title: str,
        aliases: tuple[str, ...],
        example: tuple[Any, ...],
        peers: dict[str, Any],
    ) -> None:
        self.name = make.__name__
        self.title = title
        self.aliases = aliases
        self.example = example
        self.peers = peers
        self.summary = (make.__doc__ or "").strip().split("\n")[0]
        self.__doc__ = make.__doc__
        self.__wrapped__ = make
        self.__name__ = self.__qualname__ = make.__name__
        self.__module__ = make.__module__
        # One metric for the same parameters as long as somebody holds it, and the latest in any
        # case.
        self._made: WeakValueDictionary[Any, M] = WeakValueDictionary()
        self._latest: deque[M] = deque(maxlen=REMEMBERED_METRICS)

    def __call__(self, *args: Any, **named: Any) -> M:
        """Return the metric of these parameters."""
        if any(hasattr(each, "actual_totals") for each in args):
            given = ", ".join(map(repr, (*args[1:], *named.values()))) or ", ".join(
                map(repr, self.example)
            )
            msg = Message(
                "{} makes a metric of its parameters, which reads the matrix: {}({})(m)",
                Argument(self.name),
                self.name,
                given,
            )
            raise MetricError(msg)
        try:
            # 1 and 1.0 are one key, and one metric; True is neither.
            key = (args, tuple(sorted(named.items())), bool in map(type, args))
            metric = self._made.get(key)
        except TypeError:
            # A table of weights has no hash.
            return self._make(args, named)
        if metric is None:
            # Another thread may have made it meanwhile.
            metric = self._made.setdefault(key, self._make(args, named))
            self._latest.append(metric)
        return metric

    def parameters(self, metric: Metric) -> dict[str, Any] | None:
        """Return the parameters of a metric of this family, by name; None where it is of another one."""
        if metric.factory is None or metric.factory[0] != self.name:
            return None
        args, named = metric.factory[1]
        given = signature(self.__wrapped__).bind(*args, **named)
        given.apply_defaults()
        return dict(given.arguments)

    def _make(self, args: tuple[Any, ...], named: dict[str, Any]) -> M:
        made = door(self.__wrapped__)(*args, **named)
        return made if made.factory else replace(made, factory=(self.name, (args, named)))

    def __repr__(self) -> str:
        return f"<Factory {self.name}: {self.summary}>"

    def __reduce__(self) -> Any:
        return (_factory_named, (self.name,))


def factory(
    *,
    title: str,
    example: tuple[Any, ...],
    aliases: tuple[str, ...] = (),
    peers: dict[str, Any] | None = None,
) -> Callable[[Callable[..., M]], Factory[M]]:
    """Declare a family of metrics: a function from parameters to a metric made by `of_class` or `of_matrix`.

    Parameters
    ----------
    title
        The heading in pages.
    example
        Arguments that show the family, for pages and laws.
    aliases, peers
        Other names of the family, and its names elsewhere.

    Returns
    -------
    Callable
        A decorator that makes a Factory of the function.
    """
    return lambda make: Factory(make, title, aliases, example, peers or {})


# The catalog, in the order in which lists and pages show it.
_metrics: dict[str, Metric] = {}
_factories: dict[str, Factory[Any]] = {}
CATALOG, _FAMILIES = MappingProxyType(_metrics), MappingProxyType(_factories)


# The last families, which most programs do not need: they are loaded for a name that the others
# lack, and for lists.
_LAST = ("costs", "coefficients")


@cache
def complete() -> None:
    """Enter the last families too."""
    for family in _LAST:
        module = import_module(f"confmat.metrics.{family}")
        enter(vars(module)[name] for name in module.__all__)


def enter(values: Iterable[Any]) -> None:
    """Enter metrics and families of metrics in the catalog, in this order; other values are left out."""
    for value in values:
        if isinstance(value, Metric) and _metrics.setdefault(value.name, value) is not value:
            msg = f"two metrics are called {value.name!r}"
            raise MetricError(msg)
        if isinstance(value, Factory):
            _factories[value.name] = value


@door
def catalog() -> Mapping[str, Metric]:
    """Return every declared metric by name, read-only, family by family.

    Returns
    -------
    Mapping
        From name to Metric.

    Examples
    --------
    >>> from confmat.metrics import catalog
    >>> catalog()["recall"]
    <Metric recall: Share of a class's actual members that were found.>
    """
    complete()
    return CATALOG


def factories() -> Mapping[str, Factory[Any]]:
    """Return every family of metrics with parameters, by name.

    Returns
    -------
    Mapping
        From name to Factory.
    """
    complete()
    return _FAMILIES


def _metric_named(name: str) -> Metric:
    return CATALOG.get(name) or catalog()[name]


def _factory_named(name: str) -> Factory[Any]:
    return factories()[name]


def _made(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Metric:
    return factories()[name](*args, **named)


def positive_number(name: str, value: Any, *, zero: bool = True) -> float:
    """A parameter that must be a finite number, not negative; for factories to check at the door."""
    is_number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
    try:
        number = float(value) if is_number else float("nan")
    except OverflowError:
        number = float("inf")
    if not 0 <= number < float("inf"):
        msg = Message("{} must be a number from 0 up, not {}", Argument(name), told(value))
        raise MetricError(msg)
    if value == 0 and not zero:
        msg = Message("{} must be greater than 0", Argument(name))
        raise MetricError(msg)
    return int(number) if number.is_integer() else number
