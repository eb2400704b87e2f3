"""Curves: ROC and precision-recall from a sweep, the areas under them, and a score over the threshold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Never

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import frozen
from confmat.core.errors import ConfmatError, InputError
from confmat.core.options import door, one_of, whole_number
from confmat.core.stack import Stack
from confmat.core.tables import DASH, Column, Drawn, Table, Tabular, to_plain
from confmat.deciding.sweeps import intervals_at, spread_over, threshold_text
from confmat.intervals import Estimate, interval
from confmat.intervals.scored import check_most, influences, partial, sides, thresholds_of
from confmat.metrics.catalog import Score, share_of_hits

Array = NDArray[Any]
Rule = Literal["trapezoid", "step"]

# The points up to which all are printed; of more, the first and the last ones.
SHOWN = (16, 12, 3)
# Points of a curve that a band is drawn through.
_BAND = 48
# The items that the heights of a curve are shares of.
_SIDES: dict[str, Any] = {"ROC": "actual", "precision-recall": "predicted"}
# The area under a curve: its name in pictures, the rule for it, and the score that has an interval.
_AREAS: dict[str, tuple[str, Rule, str]] = {
    "ROC": ("area", "trapezoid", "roc_auc"),
    "precision-recall": ("average precision", "step", "average_precision"),
    "risk-coverage": ("AURC", "step", ""),
}


@dataclass(frozen=True, eq=False)
class Curve(Tabular):
    """Points of a curve, one for each threshold, from the highest down: `x`, `y` and `thresholds` are arrays.

    >>> from confmat import thresholds
    >>> curve = roc(thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1]))
    >>> curve.points()[1:3]
    [(0.0, 0.5, 0.9), (0.5, 0.5, 0.8)]
    >>> curve.area("trapezoid")
    0.75
    """

    name: str
    x_name: str
    y_name: str
    x: Array = field(repr=False)
    y: Array = field(repr=False)
    thresholds: Array = field(repr=False)
    # The sweep that it was traced on and the score that was asked for, if any, for the page.
    _given: tuple[Any, ...] | None = field(default=None, repr=False, kw_only=True)

    def area(self, rule: Rule) -> float:
        """Return the area below, by a rule that has to be named.

        The area under a precision-recall curve is customarily of steps (average precision):
        straight lines between its points are too optimistic (Davis and Goadrich 2006).

        Parameters
        ----------
        rule
            "trapezoid" joins neighbouring points by straight lines; "step" gives a step the height
            of its last point.

        Returns
        -------
        float
            The area; NaN where a rate is undefined.
        """
        one_of("rule", rule, Rule)
        height = self.y[1:] if rule == "step" else (self.y[1:] + self.y[:-1]) / 2
        return float(np.sum(np.diff(self.x) * height))

    @property
    def rule(self) -> Rule:
        """How its area is taken, and so how it is drawn."""
        return _AREAS[self.name][1] if self.name in _AREAS else "trapezoid"

    def area_text(self) -> str:
        """Return the area as pictures have it, with its interval where the sweep has one; empty for other curves."""
        if self.name not in _AREAS:
            return ""
        called, rule, score = _AREAS[self.name]
        value: Any = f"{self.area(rule):.3f}"
        if score and self._given is not None:
            with suppress(ConfmatError):
                value = interval(self._given[0], score)
        return f"{called} {value}"

    def points(self) -> list[tuple[float, float, float]]:
        """x, y and threshold of each point."""
        return list(zip(self.x.tolist(), self.y.tolist(), self.thresholds.tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data under the names of the axes; infinite thresholds are text, which JSON can hold."""
        data = {self.x_name: self.x, self.y_name: self.y, "threshold": self.thresholds}
        return {"curve": self.name, **to_plain(data, "text")}

    def __len__(self) -> int:
        return len(self.x)

    def __iter__(self) -> Iterator[Array]:
        """x, y and thresholds, for `x, y, thresholds = curve`."""
        return iter((self.x, self.y, self.thresholds))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curve):
            return NotImplemented
        same = (self.name, self.x_name, self.y_name) == (other.name, other.x_name, other.y_name)
        return same and all(
            np.array_equal(a, b, equal_nan=True) for a, b in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def table(self) -> Table:
        """Return the points as a table."""
        columns = (
            Column("threshold", self.thresholds, threshold_text),
            Column(self.x_name, self.x, rate),
            Column(self.y_name, self.y, rate),
        )
        return Table(columns, shown=SHOWN, more="")

    def band(self) -> tuple[Array, Array, Array, float] | None:
        """Return x, the bounds of y and their level at points spread over the curve; None without a sweep.

        A picture draws them as a band, which holds each point by itself and not the whole curve.
        """
        places = np.unique(np.linspace(0, len(self) - 1, min(len(self), _BAND)).round().astype(int))
        drawn = self._drawn(places)
        if drawn is None:
            return None
        low, _, high = drawn.rows.T
        return self.x[places], low, high, 0.95

    def _drawn(self, places: Array) -> Drawn | None:
        """The intervals of the points at some places, to be drawn."""
        if self._given is None or self.name not in _SIDES:
            return None
        return Drawn(
            intervals_at(self._given[0], places, share_of_hits(_SIDES[self.name])), 0.0, 1.0
        )

    def _pictured(self) -> Table:
        """Points spread over the items, with their intervals."""
        places = spread_over(len(self))
        table, drawn = self.table(), self._drawn(places)
        columns = [
            replace(
                column,
                values=np.asarray(column.values)[places],
                drawn=drawn if column.name == self.y_name else None,
            )
            for column in table.columns
        ]
        notes = (f"{len(places)} of {len(self):,} thresholds",) if len(places) < len(self) else ()
        return replace(table, columns=tuple(columns), notes=notes)


def rate(value: float) -> str:
    """A share with four decimals."""
    return DASH if value != value else f"{value:.4f}"


def _refuse_columns(asker: str, more: tuple[Any, ...]) -> None:
    """Raise if labels and scores were given in place of a sweep over thresholds."""
    if more:
        msg = f"`{asker}` reads a sweep over thresholds, not labels and scores: {asker}(thresholds(actual, scores))"
        raise InputError(msg)


def _sides(t: Any, asker: str, more: tuple[Any, ...]) -> tuple[Array, Array, Array, Array]:
    """tp and fp at each threshold, from the highest down, and how many items are positive and negative."""
    _refuse_columns(asker, more)
    return sides(t, asker)


def _share(top: Array, bottom: Array, otherwise: float = np.nan) -> Array:
    """Two arrays, or one and a number, divided; `otherwise` where there is nothing to have a share of."""
    if not np.ndim(bottom) and bottom > 0:
        return top / np.float64(bottom)
    return np.divide(
        top, bottom, out=np.full(len(top), otherwise), where=bottom > 0, dtype=np.float64
    )


@door
def roc(t: Stack, *more: Never) -> Curve:
    """Trace the ROC curve: the true positive rate over the false positive rate.

    The points are those of scikit-learn's `roc_curve(..., drop_intermediate=False)`.

    Parameters
    ----------
    t
        The stack along "threshold" that `thresholds` gives.

    Returns
    -------
    Curve
        A point for each threshold; the rate of a class that does not occur is NaN.

    Examples
    --------
    >>> from confmat import thresholds
    >>> print(roc(thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1])))
            threshold  false positive rate  true positive rate
    above every score               0.0000              0.0000
                  0.9               0.0000              0.5000
                  0.8               0.5000              0.5000
                  0.6               0.5000              1.0000
                  0.1               1.0000              1.0000
    """
    tp, fp, positive, negative = _sides(t, "roc", more)
    names = ("ROC", "false positive rate", "true positive rate")
    points = (_share(fp, negative), _share(tp, positive), thresholds_of(t))
    return Curve(*names, *map(frozen, points), _given=(t, None))


@door
def pr_curve(t: Stack, *more: Never) -> Curve:
    """Trace the precision-recall curve.

    The points are those of scikit-learn's `precision_recall_curve`, from the highest threshold
    down.

    Parameters
    ----------
    t
        The stack along "threshold" that `thresholds` gives.

    Returns
    -------
    Curve
        A point for each threshold. The precision of no prediction has no value; as in scikit-learn,
        it is drawn at 1.

    Examples
    --------
    >>> from confmat import thresholds
    >>> print(pr_curve(thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1])))
            threshold  recall  precision
    above every score  0.0000     1.0000
                  0.9  0.5000     1.0000
                  0.8  0.5000     0.5000
                  0.6  1.0000     0.6667
                  0.1  1.0000     0.5000
    """
    tp, fp, positive, _ = _sides(t, "pr_curve", more)
    points = (_share(tp, positive), _share(tp, tp + fp, otherwise=1.0), thresholds_of(t))
    x, y = (share_of_hits(items).name for items in ("actual", "predicted"))
    return Curve(f"{y}-{x}", x, y, *map(frozen, points), _given=(t, None))


@door
def roc_auc(t: Stack, *more: Never, max_fpr: float | None = None) -> float:
    """Compute the area under the ROC curve, by trapezoids; `interval(t, "roc_auc")` has it with its interval.

    It is the chance that a positive item scores higher than a negative one, ties counted half, and
    scikit-learn's `roc_auc_score` where `t` has every threshold.

    Parameters
    ----------
    t
        The stack along "threshold" that `thresholds` gives.
    max_fpr
        The false positive rate up to which the area is taken; it is then scaled to be 0.5 by chance
        and 1 at most (McClish 1989).

    Examples
    --------
    >>> from confmat import thresholds
    >>> roc_auc(thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1]))
    0.75
    """
    _refuse_columns("roc_auc", more)
    max_fpr = check_most(max_fpr)
    if max_fpr is None:
        return roc(t).area("trapezoid")
    with np.errstate(invalid="ignore", divide="ignore"):
        return partial(influences("roc_auc", *sides(t, "roc_auc")[:2], max_fpr)[0], max_fpr)[0]


@door
def average_precision(t: Stack, *more: Never) -> float:
    """Compute the area under the precision-recall curve, by steps: scikit-learn's `average_precision_score`.

    `interval(t, "average_precision")` has it with its interval.

    Parameters
    ----------
    t
        The stack along "threshold" that `thresholds` gives.

    Examples
    --------
    >>> from confmat import thresholds
    >>> round(average_precision(thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1])), 4)
    0.8333
    """
    _refuse_columns("average_precision", more)
    return pr_curve(t).area("step")


@dataclass(frozen=True, eq=False)
class ScoreCurve(Curve):
    """A Curve whose `x` are the thresholds and `y` the score, with the ends of the interval of each point."""

    low: Array = field(repr=False)
    high: Array = field(repr=False)
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with the intervals."""
        return {
            **super().to_dict(),
            **to_plain({"low": self.low, "high": self.high}),
            "level": self.level,
        }

    def band(self) -> tuple[Array, Array, Array, float]:
        """Return x, the bounds of y and their level at every point."""
        return self.x, self.low, self.high, self.level

    def _drawn(self, places: Array) -> Drawn:
        ends = np.stack([self.low, self.y, self.high], axis=1)[places]
        seen = ends[np.isfinite(ends)]
        return Drawn(ends, min(0.0, seen.min(initial=0.0)), max(1e-300, seen.max(initial=0.0)))

    def table(self) -> Table:
        """Return the points with their intervals as a table."""
        ends = np.stack([self.low, self.high], axis=1)
        columns = (
            Column("threshold", self.x, threshold_text),
            Column(self.y_name, self.y, rate),
            Column(
                None,
                ends,
                lambda pair: f"[{rate(pair[0])}, {rate(pair[1])}]",
                f"{self.level:.3g} interval",
            ),
            Column("low", self.low, head=None),
            Column("high", self.high, head=None),
        )
        return Table(columns, shown=SHOWN, more="")


def score_curve(
    t: Stack, score: Score, values: Array, keep: Array, points: int, level: float
) -> ScoreCurve:
    """The score at `points` of the finite thresholds at most, evenly spread over them, `keep` among them."""
    keys = thresholds_of(t)
    places = np.flatnonzero(np.isfinite(keys))
    most = whole_number("points", points)
    if len(places) > most:
        spread = places[np.linspace(0, len(places) - 1, most).round().astype(np.intp)]
        places = np.union1d(spread, keep[np.isfinite(keys[keep])])
    intervals = [interval(t._at(place), score, level=level) for place in places.tolist()]
    low, high = (
        np.array(
            [getattr(interval, end) for interval in intervals if isinstance(interval, Estimate)]
        )
        for end in ("low", "high")
    )
    x, y = frozen(keys[places]), frozen(np.asarray(values, dtype=np.float64)[places])
    name = str(score)
    ends = (frozen(low), frozen(high), level)
    return ScoreCurve(f"{name} by threshold", "threshold", name, x, y, x, *ends, _given=(t, score))
