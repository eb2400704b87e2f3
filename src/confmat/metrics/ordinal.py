"""Ordered classes: their positions on a scale, and scores in which a far miss counts more than a near one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import sub
from typing import Any

import numpy as np

from confmat.core.align import matched, named
from confmat.core.cells import once
from confmat.core.errors import Argument, BudgetError, MetricError
from confmat.core.options import told
from confmat.metrics.arithmetic import absolute, ratio, spread, sqrt0
from confmat.metrics.declaration import MatrixMetric, factory, of_matrix, positive_number
from confmat.metrics.margins import Margins, Table, added, commonest, filled, is_zero, occurring

__all__ = [
    "gerrity_score",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ordinal",
    "macro_mean_absolute_error",
    "mean_absolute_error",
    "mean_error",
    "mean_squared_error",
    "on_scale",
    "root_mean_squared_error",
    "within",
    "within_one_accuracy",
]

# None: the places 0 .. K-1 in the order of the labels.
Scale = tuple[float, ...] | Mapping[Any, float] | None


def read_scale(values: Any) -> Scale:
    """A scale as given: a number per class, or a mapping of class to number."""
    if values is None:
        return None
    by_name = named(values)
    try:
        positions = tuple(
            value.item() if isinstance(value, np.generic) else value
            for value in (values if by_name is None else by_name.values())
        )
        finite = len(positions) > 0 and all(abs(value) < float("inf") for value in positions)
    except (TypeError, ValueError):
        finite, positions = False, ()
    if not finite:
        msg = f"`values` must be one finite number per class, or a mapping of class to number, not {told(values)}"
        raise MetricError(msg)
    return positions if by_name is None else by_name


def spaced(scale: Scale, t: Table) -> Any:
    """The position of every class, in the arithmetic of the table."""
    if scale is None:
        return np.arange(t.size, dtype=np.float64)
    positions: Any = scale
    if isinstance(scale, Mapping):
        if t.labels is None:
            msg = "a mapping of class to number needs a matrix with labels"
            raise MetricError(msg)
        # A scale may have more names than a matrix has classes.
        places, _ = matched(scale, t.labels.classes, Argument("values"))
        missing = [label for place, label in enumerate(t.labels.classes) if place not in places]
        if missing:
            msg = f"`values` has no number for {missing[0]!r}"
            raise MetricError(msg)
        numbers = list(scale.values())
        positions = [numbers[places[place]] for place in range(t.size)]
    if len(positions) != t.size:
        msg = f"`values` must have one number per class: {t.size}, not {len(positions)}"
        raise MetricError(msg)
    return np.array(positions, dtype=np.float64)


def distances(scale: Scale, t: Table) -> Any:
    """How far the predicted class lies above the actual one, at each listed cell."""
    positions = spaced(scale, t)
    return t.crossed(lambda actual, predicted: predicted - actual, positions, positions)


def apart(scale: Scale, t: Table, power: float = 1) -> Any:
    """How far apart both answers lie, to a power, at each listed cell."""
    return absolute(distances(scale, t)) ** power


def all_apart(scale: Scale, t: Table, power: float = 1) -> Any:
    """How far apart both answers lie, to a power, summed over the items."""
    return (t.values * apart(scale, t, power)).sum(axis=-1)


def inside(t: Table) -> Table:
    """The table of items answered with a class: those outside have no place on a scale, and no distance."""
    if t.labels is None or not t.labels.outside:
        return t
    actual, predicted = t.sum_by_actual(t.values), t.sum_by_predicted(t.values)
    parts = added(t.rows, t.cols, t.values, t.size)
    return replace(
        t, actual=actual, predicted=predicted, total=t.values.sum(axis=-1), memo=None, parts=parts
    )


@once
def actual_below(m: Margins) -> Any:
    """Actual items of the classes from the first to each."""
    return running(m.actual)


@once
def predicted_below(m: Margins) -> Any:
    """Predicted items of the classes from the first to each."""
    return running(m.predicted)


def running(values: Any) -> Any:
    """Sums from the first class to each."""
    if not isinstance(values, np.ndarray):
        # Numbers that remember how they were made know one step for all of it.
        return np.cumsum(values, axis=-1)
    sums = values.cumsum(axis=-1)
    if sums.dtype.kind != "f":
        return sums
    # Add afterwards what rounding took from every addition (Knuth's two-sum); counts lose nothing.
    before, after, added = sums[..., :-1], sums[..., 1:], values[..., 1:]
    part = after - before
    lost = (before - (after - part)) + (added - part)
    if np.count_nonzero(lost):
        sums[..., 1:] += lost.cumsum(axis=-1)
    return sums


def borders(values: Any) -> tuple[Any, Any]:
    """Between each class and the next, the sums of the classes up to it, and of those after it."""
    return running(values)[..., :-1], running(values[..., ::-1])[..., -2::-1]


def around_commonest(positions: Any, totals: Any) -> Any:
    """Positions as distances from the commonest class, whose items then add nothing that others must take away."""
    return positions - (positions * commonest(totals)).sum(axis=-1)[..., None]


def table_of(positions: Any, power: float) -> Any:
    """Distances between all classes, to a power."""
    size = len(positions)
    if size > 5000:
        msg = f"weights for {size:,} x {size:,} pairs of classes do not fit; 'linear' and 'quadratic' need no table"
        raise BudgetError(msg)
    return absolute(positions[:, None] - positions) ** power


_EMPTY = "no item is answered with a class"
_NO_VARIETY = "all values are the same, or no item is answered with a class"
_FORMULAS: dict[str, Callable[[Table, Scale], Any]] = {}
_FACTS: dict[str, dict[str, Any]] = {}


def _measure(**facts: Any) -> Callable[[Callable[[Table, Scale], Any]], MatrixMetric]:
    """Declare a metric of the classes' positions; `on_scale` takes other positions than 0 .. K-1."""

    def declare(formula: Callable[[Table, Scale], Any]) -> MatrixMetric:
        _FORMULAS[formula.__name__] = formula
        _FACTS[formula.__name__] = facts
        return _placed(formula.__name__, None)

    return declare


def _placed(name: str, scale: Scale) -> MatrixMetric:
    measure, facts = _FORMULAS[name], dict(_FACTS[name])

    def formula(t: Table) -> Any:
        return measure(inside(t), scale)

    formula.__doc__ = measure.__doc__
    formula.__name__ = name
    if scale is not None:
        facts |= {
            "aliases": (),
            "peers": {},
            "transposed": None,
            "name": f"{name}({_written(scale)})",
        }
    return of_matrix(needs="cells", sees="classes", family="ordinal", **facts)(formula)


def _written(scale: Any) -> str:
    text = ", ".join(
        f"{value:g}" for value in (scale.values() if hasattr(scale, "values") else scale)
    )
    return text if len(text) <= 40 else text[:37] + "..."


@factory(title="Ordinal metrics on a scale", example=("mean_absolute_error", (1, 2, 5)))
def on_scale(name: str, values: Any) -> MatrixMetric:
    """An ordinal metric with numbers for the classes, instead of their places 0, 1, 2 ...

    `values` is one number per class in the order of the labels, or a mapping of class to number.

    >>> from confmat import ConfusionMatrix
    >>> m = ConfusionMatrix([[3, 1], [0, 4]], labels=["1 star", "5 stars"])
    >>> on_scale("mean_absolute_error", (1, 5))(m)
    0.5
    """
    if not isinstance(name, str) or name not in _FORMULAS:
        msg = f"`on_scale` takes one of {', '.join(_FORMULAS)}, not {told(name)}"
        raise MetricError(msg)
    return _placed(name, read_scale(values))


@_measure(
    title="Mean absolute error",
    aliases=("mae", "ordinal_mae"),
    latex=r"\frac{1}{n} \sum_{ij} C_{ij} |v_j - v_i|",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_EMPTY,
    symmetric=True,
    unit="places",
)
def mean_absolute_error(t: Table, scale: Scale) -> Any:
    """How many places an answer is off, on average. Items answered outside the classes are left out."""
    return ratio(all_apart(scale, t), t.total)


@_measure(
    title="Mean squared error",
    aliases=("mse", "ordinal_mse"),
    latex=r"\frac{1}{n} \sum_{ij} C_{ij} (v_j - v_i)^2",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_EMPTY,
    symmetric=True,
)
def mean_squared_error(t: Table, scale: Scale) -> Any:
    """Mean of the squared number of places that an answer is off."""
    return ratio(all_apart(scale, t, 2), t.total)


@_measure(
    title="Root mean squared error",
    aliases=("rmse", "ordinal_rmse"),
    latex=r"\sqrt{\frac{1}{n} \sum_{ij} C_{ij} (v_j - v_i)^2}",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_EMPTY,
    symmetric=True,
    unit="places",
)
def root_mean_squared_error(t: Table, scale: Scale) -> Any:
    """Root of the mean squared number of places that an answer is off."""
    return sqrt0(ratio(all_apart(scale, t, 2), t.total))


@_measure(
    title="Mean error",
    aliases=("ordinal_bias", "mean_signed_error"),
    latex=r"\frac{1}{n} \sum_{ij} C_{ij} (v_j - v_i)",
    bounds=(None, None),
    better="neither",
    best=0,
    undefined=_EMPTY,
    unit="places",
)
def mean_error(t: Table, scale: Scale) -> Any:
    """Bias: how many places too high an answer is, on average; errors in both directions cancel."""
    return ratio((t.values * distances(scale, t)).sum(axis=-1), t.total)


@_measure(
    title="Macro-averaged mean absolute error",
    aliases=("macro_averaged_mean_absolute_error", "macro_mae"),
    latex=r"\frac{1}{K'} \sum_{i: r_i > 0} \frac{1}{r_i} \sum_j C_{ij} |v_j - v_i|",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_EMPTY,
    over_occurring=True,
    references=("BaccianellaEsuliSebastiani2009",),
    unit="places",
)
def macro_mean_absolute_error(t: Table, scale: Scale) -> Any:
    """How many places an answer is off, averaged over the classes that occur instead of over the items."""
    errors = t.sum_by_actual(t.values * apart(scale, t))
    return ratio(ratio(errors, filled(t.actual)).sum(axis=-1), occurring(t))


@factory(title="Share of answers off by so much at most", example=(2,), aliases=("off_by",))
def within(distance: float, values: Any = None) -> MatrixMetric:
    """Share of the items answered at most some places off, or some way off on a scale of `values`.

    >>> within(1).name
    'within_one_accuracy'
    """
    distance, scale = positive_number("distance", distance), read_scale(values)
    plain = distance == 1 and scale is None

    @of_matrix(
        title="Off-by-one accuracy" if plain else f"Share within {distance:g}",
        name="within_one_accuracy"
        if plain
        else f"within({distance:g}{'' if scale is None else '; ' + _written(scale)})",
        aliases=("off_by_one_accuracy", "adjacent_accuracy", "accuracy_within_one")
        if plain
        else (),
        latex=rf"\frac{{1}}{{n}} \sum_{{|v_j - v_i| \le {distance:g}}} C_{{ij}}",
        bounds=(0, 1),
        undefined=_EMPTY,
        symmetric=True,
        needs="cells",
        sees="classes",
        references=("GaudetteJapkowicz2009",),
        family="ordinal",
    )
    def formula(t: Table) -> Any:
        """Share of the items that are answered with the right class or one close to it."""
        t = inside(t)
        near = np.asarray(apart(scale, t) <= distance, dtype=bool)
        return ratio((t.values * near).sum(axis=-1), t.total)

    return formula


within_one_accuracy = within(1)


def _alpha(t: Table, positions: Any, within_items: Any) -> Any:
    """Krippendorff's alpha of positions (..., K), whose squared distances within all items are summed."""
    n, values = t.total, t.actual + t.predicted
    places = around_commonest(positions, values)
    first = (values * places).sum(axis=-1)
    among = 2 * n * (values * places * places).sum(axis=-1) - first * first
    return ratio(among - (2 * n - 1) * within_items, among)


@_measure(
    title="Krippendorff's alpha, interval",
    latex=r"1 - \frac{(2 n - 1) \sum_{ij} C_{ij} (v_j - v_i)^2}{2 n \sum_i m_i v_i^2 - (\sum_i m_i v_i)^2}, "
    r"\quad m_i = r_i + c_i",
    bounds=(-1, 1),
    chance=0,
    undefined=_NO_VARIETY,
    symmetric=True,
    scale_free=False,
    references=("Krippendorff1970", "HayesKrippendorff2007"),
    peers={"krippendorff": "alpha(level_of_measurement='interval')"},
)
def krippendorff_alpha_interval(t: Table, scale: Scale) -> Any:
    """One minus observed over expected disagreement, where a disagreement costs its squared distance.

    PyCM's weighted alpha is another number: it lacks the small-sample term of the definition.
    """
    return _alpha(t, spaced(scale, t), all_apart(scale, t, 2))


@of_matrix(
    title="Krippendorff's alpha, ordinal",
    latex=r"1 - \frac{(2 n - 1) \sum_{ij} C_{ij} (g_j - g_i)^2}{2 n \sum_i m_i g_i^2 - (\sum_i m_i g_i)^2}, "
    r"\quad m_i = r_i + c_i, \quad g_i = \sum_{k \le i} m_k - m_i / 2",
    bounds=(-1, 1),
    chance=0,
    undefined=_NO_VARIETY,
    symmetric=True,
    scale_free=False,
    needs="cells",
    sees="classes",
    references=("Krippendorff1970", "HayesKrippendorff2007"),
    peers={"krippendorff": "alpha(level_of_measurement='ordinal')"},
    family="ordinal",
)
def krippendorff_alpha_ordinal(t: Table) -> Any:
    """One minus observed over expected disagreement, where two classes are as far apart as values lie between them."""
    t = inside(t)
    every, among = 2 * t.total, _among_ranks(t)
    return ratio(every * among - (every - 1) * _between_ranks(t), every * among)


@once
def _ranks(t: Table) -> Any:
    """Twice the middle rank of every class beyond the middle of all: the values below it less those above."""
    values = t.actual + t.predicted
    return 2 * (actual_below(t) + predicted_below(t)) - values - spread(2 * t.total)


@once
def _among_ranks(t: Table) -> Any:
    """Squares of the ranks of all values, whose mean is 0, summed."""
    ranks = _ranks(t)
    return ((t.actual + t.predicted) * (ranks * ranks)).sum(axis=-1)


@once
def _between_ranks(t: Table) -> Any:
    """Squared distances between both ranks of every item, summed."""
    gap = t.crossed(sub, _ranks(t), _ranks(t))
    gap *= gap
    gap *= t.values
    return gap.sum(axis=-1)


@of_matrix(
    title="Gerrity score",
    aliases=("gerrity_skill_score", "gerrity"),
    latex=r"\frac{1}{n (K - 1)} \sum_{ij} C_{ij} \left(\sum_{k < \min(i, j)} \frac{1}{a_k} - |i - j| + "
    r"\sum_{k \ge \max(i, j)}^{K - 1} a_k\right), \quad a_k = \frac{n - \sum_{l \le k} "
    r"r_l}{\sum_{l \le k} r_l}",
    bounds=(-1, 1),
    chance=0,
    undefined="the first or the last class never occurs, or there is only one",
    depends_on_k=True,
    needs="cells",
    sees="classes",
    references=("Gerrity1992", "GandinMurphy1992"),
    family="ordinal",
)
def gerrity_score(t: Table) -> Any:
    """Equitable score of ordered classes: right answers for rare classes earn more, far misses cost more.

    For two classes it is the Peirce skill score. The order of the classes is that of the labels.
    """
    t = inside(t)
    # Between the answers and the truth lie as many borders as places.
    return ratio(_earned(t) - all_apart(None, t), t.total * _borders(t))


@once
def _borders(t: Table) -> Any:
    """Borders between the classes; 0 where the first or the last class never occurs, so that one side is empty."""
    return (t.size - 1) * (~is_zero(t.actual[..., 0]) & ~is_zero(t.actual[..., -1]))


@once
def _sides(t: Table) -> tuple[Any, Any]:
    """Between each class and the next, the items with both answers above it, and those with both below."""
    above = t.values * (t.rows < t.cols)
    rest = t.values - above
    # Each item at the lower of its two answers, and at the higher.
    lower, higher = (
        t.sum_by_actual(above) + t.sum_by_predicted(rest),
        t.sum_by_predicted(above) + t.sum_by_actual(rest),
    )
    return borders(lower)[1], borders(higher)[0]


@once
def _earned(t: Table) -> Any:
    """Earnings of the items answered on the right side of a border: the rarer that side, the more."""
    over, under = _sides(t)
    below, above = borders(t.actual)
    return (over * ratio(below, filled(above)) + under * ratio(above, filled(below))).sum(axis=-1)
