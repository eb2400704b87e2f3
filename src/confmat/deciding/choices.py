"""Distinguishing: which thresholds of a sweep are no worse than the best one, as far as these items can tell.

Two thresholds of one sweep answer the same items and differ on those whose scores lie between them,
so their answers are paired, and how is known from the two matrices alone. Their difference has the
variance of what each item adds to it: the derivative of the score by the item's cell at the one
threshold less that at the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import positive_place
from confmat.core.counts import frozen
from confmat.core.errors import InputError, Message, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door
from confmat.core.stack import ENDLESS, Reached, Stack
from confmat.core.tables import Column, Drawn, Table, Tabular, to_plain
from confmat.deciding.curves import ScoreCurve, score_curve
from confmat.deciding.sweeps import range_text, threshold_text
from confmat.intervals.bounds import check_level, quantile
from confmat.intervals.scored import thresholds_of, two_classes
from confmat.metrics.averages import Average, average_named
from confmat.metrics.catalog import Score, one_number, parse_score
from confmat.metrics.costs import cost
from confmat.metrics.declaration import Metric
from confmat.metrics.margins import Table as CellTable

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Places = NDArray[np.intp]

# Values that agree to twelve digits are equal: what metrics promise.
_EQUAL = 1e-12
# Thresholds that are worked on at once, and by how much of itself a cell is moved.
_AT_ONCE = 2**16
_STEP = 1e-4
# Squares of weights that add up to less have lost digits, or are nothing.
_LEAST = 1e-290


def as_good(values: Floats, best: float) -> Mask:
    """Which values are the best one, to the digits that values have; infinite ones are equal."""
    with np.errstate(invalid="ignore"):
        near = np.abs(values - best) <= _EQUAL * max(abs(best), 1e-300)
    return np.asarray((values == best) | (near & np.isfinite(best)))


def not_told_apart(t: Stack, score: Score, values: Floats, best: int, level: float) -> Mask:
    """The thresholds whose score the items do not tell from that of the best one, each taken by itself.

    Nor do items so few that fair coins might place them all on one side, or all on the other.
    """
    if t.total.dtype.kind == "f" and (t._squares is None or t._squares[0].sum() < _LEAST):
        # Squares of weights beyond the range of floats do not say how many items a difference is
        # of: every threshold may be as good.
        return ~np.isnan(values)
    sweep, alike = _Sweep(t, score), np.zeros(len(values), bool)
    chosen, reach, rare = sweep.part(np.array([best])), quantile(level), 1 - math.log2(1 - level)
    with np.errstate(invalid="ignore"):
        gap = np.abs(values - values[best])
        # Values as good as the best are not apart from it, whatever their last digits.
        gap[as_good(values, values[best])] = 0.0
        for start in range(0, len(values), _AT_ONCE):
            here = np.arange(start, min(start + _AT_ONCE, len(values)))
            spread, differing = _difference(chosen, sweep.part(here))
            few = (differing < rare) & ~np.isnan(gap[here])
            alike[here] = (gap[here] <= reach * np.sqrt(spread)) | few | (gap[here] == 0)
    return alike


class _Part(NamedTuple):
    """Sums at some thresholds: items (or weights) by actual class and answer, their squares, and the derivatives."""

    counts: Floats
    squares: Floats
    slopes: Floats


class _Sweep:
    """A sweep whose answers are read as (G, actual, answer), the positive answer first."""

    def __init__(self, t: Stack, score: Score) -> None:
        self.t, self.score = t, score
        place = positive_place(t.labels)
        self.order = [place, 1 - place]

    def part(self, here: Places) -> _Part:
        table = self.t._table
        # Only this part of the sweep's table is built.
        counts = (table if isinstance(table, Reached) else self.t.counts)[here].astype(np.float64)
        squares = counts if self.t._squares is None else self.t._squares[here]
        slopes = self._slopes(counts)
        return _Part(*(table[:, :, self.order] for table in (counts, squares, slopes)))

    def _slopes(self, counts: Floats) -> Floats:
        """The derivative of the score by each cell, from small steps; only cells with items in them have one."""
        slopes = np.zeros(counts.shape)
        for row, col in np.ndindex(2, 2):
            ends = []
            for factor in (1 + _STEP, 1 - _STEP):
                moved = counts.copy()
                moved[:, row, col] *= factor
                ends.append(np.asarray(self.score(_as_read(moved, self.t)), dtype=np.float64))
            step = 2 * _STEP * counts[:, row, col]
            np.divide(ends[0] - ends[1], step, out=slopes[:, row, col], where=step > 0)
        return slopes


def _as_read(counts: Floats, t: Stack) -> CellTable:
    """Tables as metrics read them."""
    diagonal = np.ascontiguousarray(np.diagonal(counts, axis1=1, axis2=2))
    actual, predicted = counts.sum(axis=2), counts.sum(axis=1)
    rows, cols = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    values = counts.reshape(-1, 4)
    return CellTable(
        diagonal, actual, predicted, values.sum(axis=1), 2.0, t.labels, rows, cols, values
    )


def _difference(best: _Part, other: _Part) -> tuple[Floats, Floats]:
    """The variance of each score less the best one, and on how many items the answers differ."""
    items, squares = (
        _joint(*pair) for pair in ((best.counts, other.counts), (best.squares, other.squares))
    )
    # By actual class, the answer at the best threshold and that at the other one.
    gap = best.slopes[:, :, :, None] - other.slopes[:, :, None, :]
    total = items.sum(axis=(1, 2, 3), keepdims=True)
    mean = np.divide(
        (items * gap).sum(axis=(1, 2, 3), keepdims=True),
        total,
        out=np.zeros(total.shape),
        where=total > 0,
    )
    spread = (squares * (gap - mean) ** 2).sum(axis=(1, 2, 3))
    moved, squared = (part[:, :, [0, 1], [1, 0]].sum(axis=(1, 2)) for part in (items, squares))
    return spread, np.divide(moved**2, squared, out=np.zeros(len(moved)), where=squared > 0)


def _joint(first: Floats, second: Floats) -> Floats:
    """How often both answers were given, (G, actual, answer, other answer): a higher threshold only takes away."""
    both, moved = np.minimum(first, second), first - second
    items = np.empty((*both.shape, 2))
    items[..., 0, 0], items[..., 1, 1] = both[..., 0], both[..., 1]
    items[..., 0, 1], items[..., 1, 0] = (
        np.maximum(moved[..., 0], 0.0),
        np.maximum(-moved[..., 0], 0.0),
    )
    return items


@dataclass(frozen=True)
class Best(Tabular):
    """The best value of a score, the threshold that reaches it first from above, and all that reach it.

    `matrix` is the one at `threshold`, which everything else takes: metrics, intervals, reports,
    pages. `alike` are the thresholds that these items do not tell from it, and `range` the lowest
    and the highest of them.
    """

    score: str
    value: float
    threshold: float
    thresholds: tuple[float, ...]
    matrix: ConfusionMatrix
    level: float = 0.95
    # The sweep, its score and the values, for what is worked out when it is asked for.
    _given: tuple[Stack, Score, NDArray[np.float64]] | None = field(
        default=None, compare=False, repr=False
    )

    @cached_property
    def alike(self) -> NDArray[np.float64]:
        """The thresholds whose score cannot be distinguished from the best, the highest first.

        Both answers to the same items are compared, by the paired variance of their difference;
        each threshold is taken by itself at `level`, without a correction for their number.
        """
        if self._given is None:
            return np.array(self.thresholds)
        t, score, values = self._given
        keys = thresholds_of(t)
        told = not_told_apart(
            t, score, values, int(np.flatnonzero(keys == self.threshold)[0]), self.level
        )
        return frozen(keys[told])

    def curve(self, points: int = 200) -> ScoreCurve:
        """Trace the score over the threshold, with the interval of each point.

        Parameters
        ----------
        points
            The most thresholds to take, evenly spread; the best and the ends of the range are
            always among them.

        Returns
        -------
        ScoreCurve

        Raises
        ------
        InputError
            The sweep was not kept.
        """
        if self._given is None:
            msg = "the sweep that this was found in is not there; `best` keeps it"
            raise InputError(msg)
        t, score, values = self._given
        best = np.flatnonzero(np.isin(thresholds_of(t), [*self.thresholds, *self.range]))
        return score_curve(t, score, values, best, points, self.level)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest threshold whose score cannot be distinguished from the best."""
        return float(self.alike[-1]), float(self.alike[0])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with the matrix; infinite thresholds are text, which JSON can hold."""
        every = to_plain(self.thresholds, "text")
        return {
            "score": self.score,
            "value": self.value,
            "threshold": every[0],
            "thresholds": every,
            "range": to_plain(self.range, "text"),
            "alike": len(self.alike),
            "level": self.level,
            "matrix": self.matrix.to_dict(),
        }

    _prints_more = True

    def table(self) -> Table:
        """Return the best thresholds as a table."""
        many = len(self.thresholds)
        columns = (
            Column("score", [self.score] * many, is_label=True),
            Column("value", [self.value] * many, lambda value: f"{value:.6g}"),
            Column("threshold", list(self.thresholds), _in_full),
        )
        return Table(columns, (self._near(),))

    def _pictured(self) -> Table:
        """The best threshold on the range that these items cannot distinguish from it."""
        table, (low, high) = self.table(), self.range
        keys = (
            thresholds_of(self._given[0]) if self._given is not None else np.array(self.thresholds)
        )
        seen = keys[np.isfinite(keys)]
        ends = np.array([[low, threshold, high] for threshold in self.thresholds])
        scale = (
            (float(seen.min()), float(seen.max()))
            if len(seen) and seen.min() < seen.max()
            else (0.0, 1.0)
        )
        near = Column(
            None, list(self.thresholds), threshold_text, "threshold", drawn=Drawn(ends, *scale)
        )
        return replace(table, columns=(*table.columns[:2], near))

    def _repr_html_(self) -> str | None:
        parts = super()._repr_html_(), self.matrix._repr_html_()
        return None if None in parts else "".join(map(str, parts))

    def __str__(self) -> str:
        also = self.thresholds[1:]
        listed = ", ".join([*map(_in_full, also[:5]), *["..."] * (len(also) > 5)])
        ties = f" (as good: {listed})" if also else ""
        where = f"{'at threshold ' * math.isfinite(self.threshold)}{_in_full(self.threshold)}"
        return f"{self.score} {self.value:.6g} {where}{ties}\n{self._near()}\n{self.matrix}"

    def _near(self) -> str:
        """How far the threshold could be moved without a difference that these items show."""
        low, high = self.range
        if len(self.alike) == 1:
            return f"better than every other threshold (at {self.level:.3g} confidence)"
        count = f"{len(self.alike):,}, at {self.level:.3g} confidence"
        return f"indistinguishable: thresholds {range_text(low, high, [f'{low:.6g}', f'{high:.6g}'])} ({count})"


def _in_full(threshold: float) -> str:
    """A threshold in all of its digits; an infinite one in words."""
    return ENDLESS.get(threshold) or repr(threshold)


@door
def best(
    t: Stack,
    metric: Any = None,
    *,
    of: Any = None,
    average: str | Average | None = None,
    costs: Any = None,
    level: float = 0.95,
) -> Best:
    """Find the threshold at which a metric is best, or at which the answers cost least.

    Parameters
    ----------
    t
        The stack along "threshold" that `thresholds` gives.
    metric
        A metric, or a score as text; "higher" or "lower" is better as it declares.
    of
        The class of a metric per class; by default the positive one.
    average
        The average of a metric per class, in place of `of`.
    costs
        The cost of each answer, instead of a metric, as `cost` takes it: a table (rows actual), a
        mapping of (actual, predicted) to price, or {"fp": 1, "fn": 5}.
    level
        The confidence with which a threshold has to be worse in order not to be among those
        `alike`.

    Returns
    -------
    Best
        Every threshold whose value agrees with the best to twelve digits, the highest first.

    Raises
    ------
    MetricError
        Where the metric has no value at any threshold.

    Examples
    --------
    >>> from confmat import f1, thresholds
    >>> t = thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1])
    >>> best(t, f1).threshold, best(t, "accuracy").thresholds
    (0.6, (0.9, 0.6))
    >>> print(best(t, costs=[[0, 1], [5, 0]]))
    cost 0.25 at threshold 0.6
    indistinguishable: thresholds 0.1 and above (5, at 0.95 confidence)
            predicted
    actual  0  1  │ total
    0       1  1  │     2
    1       0  2  │     2
    total   1  3  │     4
    """
    place = two_classes(t, "best")
    check_level(level)
    score = _asked(t, metric, of, average, costs, place)
    values = _values(score, t)
    known = ~np.isnan(values)
    if not known.any():
        why = f": {score.metric.undefined}" if score.metric.undefined else ""
        msg = Message("{} has no value at any of the {:,} thresholds{}", score, len(t), why)
        raise MetricError(msg)
    top = float(np.max(values[known]) if score.metric.better == "higher" else np.min(values[known]))
    places = np.flatnonzero(as_good(values, top))
    keys = t._names
    every = tuple(float(keys[place]) for place in places.tolist())
    return Best(str(score), top, every[0], every, t._at(int(places[0])), level, (t, score, values))


def _values(score: Score, t: Stack) -> NDArray[np.float64]:
    """The score at each threshold; of what each threshold reaches, as many tables at a time as caches hold."""
    kept = t._table
    if not isinstance(kept, Reached):
        return np.asarray(score(t), dtype=np.float64)
    values = np.empty(len(t))
    for start in range(0, len(t), _AT_ONCE):
        here = slice(start, start + _AT_ONCE)
        part = Reached(
            kept.above[:, here],
            kept.rest if kept.rest.ndim == 1 else kept.rest[:, here],
            kept.place,
        )
        values[here] = score(
            Stack._of_table(part, t.labels, range(len(part)), part.totals(), t.axis)
        )
    return values


def _asked(t: Stack, metric: Any, of: Any, average: Any, costs: Any, place: int) -> Score:
    """The value to be optimized, as one number for each threshold."""
    if (metric is None) == (costs is None):
        msg = "say what is to be best: a metric such as confmat.f1, or costs=, and not both"
        raise InputError(msg)
    if costs is not None:
        if of is not None or average is not None:
            msg = "costs are of the whole matrix: `of` and `average` do not go with them"
            raise InputError(msg)
        return Score(cost(costs))
    score = parse_score(metric)
    if not isinstance(score.metric, Metric):
        msg = f"{score.metric!r:.60} does not say whether high or low is better; `best` needs a metric"
        raise InputError(msg)
    if of is not None or average is not None:
        if score.of is not None or score.average is not None:
            msg = f"{score} says already what it is of; leave `of` and `average` out"
            raise InputError(msg)
        if score.metric.kind == "matrix" or (of is not None and average is not None):
            neither = f"{score.metric.name} takes neither `of` nor `average`"
            both = "ask for one class (`of`) or for an average, not for both"
            raise MetricError(neither if score.metric.kind == "matrix" else both)
        score = Score(score.metric, None if average is None else average_named(average), of)
    else:
        score = one_number(score, t.labels.replace(positive=t.labels[place]))
    if score.metric.better == "neither":
        msg = f"of {score} neither high nor low is better, so no threshold is best by it"
        raise MetricError(msg)
    return score
