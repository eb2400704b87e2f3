"""Choosing: the threshold that is best by a metric or by costs, with the others that are as good."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat._notebook import InNotebook
from confmat.core.counts import frozen
from confmat.core.errors import InputError, MetricError
from confmat.core.keys import Positions
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Reached, Stack
from confmat.core.text import some
from confmat.deciding.curves import thresholds_of, two_classes
from confmat.deciding.distinguishing import as_good, not_told_apart
from confmat.deciding.score_curves import ScoreCurve, score_curve
from confmat.intervals.binomial import check_level
from confmat.metrics.averages import Average
from confmat.metrics.catalog import Score, parse_score
from confmat.metrics.costs import cost
from confmat.metrics.declaration import Metric

__all__ = ["Best", "best"]

# Thresholds whose matrices are scored at once.
_AT_ONCE = 2**16


@dataclass(frozen=True)
class Best(InNotebook):
    """The best value of a score, the threshold that reaches it first from above, and all that reach it.

    `matrix` is the one at `threshold`, which everything else takes: metrics, intervals, reports, pages. `alike` are the
    thresholds that these items do not tell from it, and `range` the lowest and the highest of them.
    """

    score: str
    value: float
    threshold: float
    thresholds: tuple[float, ...]
    matrix: ConfusionMatrix
    level: float = 0.95
    # The sweep, its score and the values, for what is worked out when it is asked for.
    _given: tuple[Stack, Score, NDArray[np.float64]] | None = field(default=None, compare=False, repr=False)

    @cached_property
    def alike(self) -> NDArray[np.float64]:
        """The thresholds whose score is not told from the best, the highest first.

        Both answers to the same items are compared, by the paired variance of their difference; each threshold is taken
        by itself at `level`, without a correction for their number.
        """
        if self._given is None:
            return np.array(self.thresholds)
        t, score, values = self._given
        keys = thresholds_of(t)
        told = not_told_apart(t, score, values, int(np.flatnonzero(keys == self.threshold)[0]), self.level)
        return frozen(keys[told])

    def curve(self, points: int = 200) -> ScoreCurve:
        """The score over the threshold, with the interval of each point, at so many thresholds at most."""
        if self._given is None:
            msg = "the sweep that this was found in is not there; `best` keeps it"
            raise InputError(msg)
        t, score, values = self._given
        best = np.flatnonzero(np.isin(thresholds_of(t), [*self.thresholds, *self.range]))
        return score_curve(t, score, values, best, points, self.level)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest threshold whose score is not told from the best."""
        return float(self.alike[-1]), float(self.alike[0])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with the matrix; infinite thresholds as text, which JSON can hold."""
        every = [one if np.isfinite(one) else str(one) for one in self.thresholds]
        return {
            "score": self.score,
            "value": self.value,
            "threshold": every[0],
            "thresholds": every,
            "range": [one if np.isfinite(one) else str(one) for one in self.range],
            "alike": len(self.alike),
            "level": self.level,
            "matrix": self.matrix.to_dict(),
        }

    def __str__(self) -> str:
        also = self.thresholds[1:]
        ties = f" (as good: {some(also)})" if also else ""
        return f"{self.score} {self.value:.6g} at threshold {self.threshold!r}{ties}\n{self._near()}\n{self.matrix}"

    def _near(self) -> str:
        """How far the threshold could be moved without a difference that these items show."""
        low, high = self.range
        if len(self.alike) == 1:
            return f"told from every other threshold ({self.level:.3g} confidence)"
        return f"not told from thresholds {low:.6g} to {high:.6g} ({len(self.alike):,}, {self.level:.3g} confidence)"


def best(
    t: Stack,
    metric: Any = None,
    *,
    of: Any = None,
    average: str | Average | None = None,
    costs: Any = None,
    level: float = 0.95,
) -> Best:
    """The threshold at which a metric is best, or at which the answers cost least.

    metric: a metric or a score as text; "higher" or "lower" is better as it declares. Of a metric per class, `of`
    says which class (the positive one if nobody says), or `average` how to average.
    costs: instead of a metric, what each answer costs, as `cost` takes it: a table (rows actual), a mapping of
    (actual, predicted) to price, or {"fp": 1, "fn": 5}.
    level: how sure a threshold has to be worse for not being among those `alike`.

    Thresholds whose values agree to twelve digits are all given, the highest first; where the metric has no value,
    there is nothing to be best.

    >>> from confmat import f1, thresholds
    >>> t = thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1])
    >>> best(t, f1).threshold, best(t, "accuracy").thresholds
    (0.6, (0.9, 0.6))
    >>> print(best(t, costs=[[0, 1], [5, 0]]))
    cost 0.25 at threshold 0.6
    not told from thresholds 0.1 to inf (5, 0.95 confidence)
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
        msg = f"{score} has no value at any of the {len(t):,} thresholds{why}"
        raise MetricError(msg)
    top = float(np.max(values[known]) if score.metric.better == "higher" else np.min(values[known]))
    places = np.flatnonzero(as_good(values, top))
    keys = t._names
    every = tuple(float(keys[place]) for place in places.tolist())
    return Best(str(score), top, every[0], every, t._at(int(places[0])), level, (t, score, values))


def _values(score: Score, t: Stack) -> NDArray[np.float64]:
    """The score at each threshold; of what each threshold reaches, so many tables at a time as caches hold."""
    kept = t._table
    if not isinstance(kept, Reached):
        return np.asarray(score(t), dtype=np.float64)
    found = np.empty(len(t))
    for start in range(0, len(t), _AT_ONCE):
        here = slice(start, start + _AT_ONCE)
        part = Reached(kept.above[:, here], kept.rest if kept.rest.ndim == 1 else kept.rest[:, here], kept.place)
        found[here] = score(Stack._of_table(part, t.labels, Positions(len(part)), part.totals(), t.axis))
    return found


def _asked(t: Stack, metric: Any, of: Any, average: Any, costs: Any, place: int) -> Score:
    """What is to be best, as one number for each threshold."""
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
            msg = (
                f"{score.metric.name} takes neither `of` nor `average`"
                if score.metric.kind == "matrix"
                else ("ask for one class (`of`) or for an average, not for both")
            )
            raise MetricError(msg)
        from confmat.metrics.averages import average_named

        score = Score(score.metric, None if average is None else average_named(average), of)
    elif score.metric.kind == "class" and score.of is None and score.average is None:
        score = Score(score.metric, of=t.labels[place])
    if score.metric.better == "neither":
        msg = f"of {score} neither high nor low is better, so no threshold is best by it"
        raise MetricError(msg)
    return score
