"""`decision_curve`: what acting on scores is worth, beside acting on all and on none (Vickers and Elkin 2006).

A threshold t from which somebody acts says that a hit is worth (1 - t) / t false alarms, so the net
benefit is the mean over all items of 1 for a hit and -t / (1 - t) for a false alarm: a function of
the matrix at that threshold, with the variance of a mean. Models are compared item by item, on
those that one alone acts on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import models_by_text
from confmat.core.counts import frozen
from confmat.core.errors import InputError, Message
from confmat.core.options import door, told
from confmat.core.tables import Column, Table, Tabular
from confmat.core.text import printable, some
from confmat.deciding.curves import SHOWN, ScoreCurve, rate
from confmat.deciding.model_scores import Missing, read_models
from confmat.deciding.sweeps import one_side, range_text, read_grid, threshold_text
from confmat.intervals.bounds import check_level, quantile
from confmat.intervals.scored import alone, of_probabilities, thresholds_of

Array = NDArray[Any]
ALL, NONE = "act on all", "act on none"


@dataclass(frozen=True, eq=False)
class DecisionCurve(Mapping[str, ScoreCurve], Tabular):
    """The net benefit of models over the threshold from which they are acted on; a mapping of name to curve.

    Attributes
    ----------
    curves
        The models, and acting on all items and on none, each with the interval at each threshold.
    differences
        By two names, the net benefit of the second less that of the first, item by item: each model
        less acting on all, and each two models.
    level
        The confidence of each interval, which holds by itself.
    """

    curves: Mapping[str, ScoreCurve] = field(repr=False)
    differences: Mapping[tuple[str, str], ScoreCurve] = field(repr=False)
    level: float
    # The drawing of `confmat.plot`.
    _drawing: ClassVar[str] = "decisions"

    def __getitem__(self, name: str) -> ScoreCurve:
        return self.curves[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    @property
    def thresholds(self) -> Array:
        """The thresholds, ascending."""
        return self.curves[NONE].x

    def useful(self, model: str) -> Array:
        """Return the thresholds at which a model is shown to be better than acting on all and than acting on none.

        Parameters
        ----------
        model
            Its name.
        """
        if model not in self.curves or model in (ALL, NONE):
            names = [name for name in self.curves if name not in (ALL, NONE)]
            raise InputError(Message("{model} is one of {}; got {}", some(names), told(model)))
        over = self.differences[ALL, model]
        return self.thresholds[(self.curves[model].low > 0) & (over.low > 0)]

    def sentences(self) -> list[str]:
        """Return where models are shown to be of use, and to be better than others."""
        sentences = []
        for first, second in self.differences:
            found = self.differences[first, second]
            if first == ALL:
                where, what = self.useful(second), "better than acting on all and on none"
            else:
                where, what = self.thresholds[found.low > 0], f"better than {printable(first)}"
            text = "at no threshold"
            if len(where):
                ends = [threshold_text(float(end)) for end in (where[0], where[-1])]
                text = f"at {len(where)} of {len(self.thresholds)} thresholds, {range_text(where[0], where[-1], ends)}"
            sentences.append(f"{printable(second)} is shown to be {what} {text}.")
        return [
            *sentences,
            (
                f"Intervals are those of each threshold by itself, with {100 * self.level:g} % "
                "confidence."
            ),
        ]

    def table(self) -> Table:
        """Return the thresholds with the net benefit of each model and each difference."""
        columns = [Column("threshold", self.thresholds, threshold_text)]
        pairs = {
            f"{second} less {first}": curve for (first, second), curve in self.differences.items()
        }
        for name, curve in {**self.curves, **pairs}.items():
            columns.append(Column(name, curve.y, rate, printable(name)))
            if name != NONE:
                ends = np.stack([curve.low, curve.high], axis=1)
                columns.append(
                    Column(
                        None, ends, lambda pair: f"[{rate(pair[0])}, {rate(pair[1])}]", "interval"
                    )
                )
                columns += [
                    Column(f"{name}, {end}", getattr(curve, end), head=None)
                    for end in ("low", "high")
                ]
        return Table(tuple(columns), tuple(self.sentences()), shown=SHOWN, more="")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        pairs = [
            {"first": first, "second": second, **curve.to_dict()}
            for (first, second), curve in self.differences.items()
        ]
        return {
            "curves": {name: curve.to_dict() for name, curve in self.curves.items()},
            "differences": pairs,
        }


@door
def decision_curve(
    actual: Any,
    scores: Any = None,
    *,
    thresholds: Any = None,
    labels: Iterable[Any] | None = None,
    positive: Any = None,
    of: Any = None,
    missing: Missing = "error",
    level: float = 0.95,
) -> DecisionCurve:
    """Trace the net benefit of acting on scores, of one model or several, beside acting on all and on none.

    Parameters
    ----------
    actual
        The actual labels; or, in place of labels and scores, the stack along "threshold" of
        probabilities that `thresholds` or `Calibration.thresholds` gives.
    scores
        A probability for each item; or a mapping of model to such scores of the same items.
    thresholds
        Between 0 and 1, exclusive; by default 0.01, 0.02, ... 0.99, or those of the stack.
    labels, positive, of, missing
        As in `thresholds`.
    level
        The confidence of the intervals.

    Returns
    -------
    DecisionCurve

    Raises
    ------
    InputError
        If scores are no probabilities, or a threshold lies outside 0 to 1.

    Examples
    --------
    >>> found = decision_curve([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1], thresholds=[0.2, 0.5])
    >>> found["model"].y.round(4).tolist(), found["act on all"].y.round(4).tolist()
    ([0.4375, 0.25], [0.375, 0.0])
    """
    check_level(level)
    if scores is None:
        alone(actual, "decision_curve", labels=labels, positive=positive, of=of, missing=missing)
        return _of_stack(actual, thresholds, level)
    grid = np.linspace(0.01, 0.99, 99) if thresholds is None else read_grid(thresholds)
    models = models_by_text(scores if isinstance(scores, Mapping) else {"model": scores})
    if taken := [name for name in models if name in (ALL, NONE)]:
        raise InputError(
            Message("{} is a curve that is there anyway; give the model another name", some(taken))
        )
    reached, truth = {}, np.zeros(0, bool)
    for name, items in read_models(actual, models, missing, kind=None)[0].items():
        side = one_side(items, labels, positive, of)
        truth, reached[name] = (
            side.truth,
            np.searchsorted(grid, side.scores.astype(np.float64), side="right"),
        )
    counted = {name: _above(places, truth, len(grid)) for name, places in reached.items()}
    both = {
        (first, second): _above(np.minimum(reached[first], reached[second]), truth, len(grid))
        for first, second in combinations(reached, 2)
    }
    return _curves(
        grid, counted, both, np.array([np.count_nonzero(~truth), np.count_nonzero(truth)]), level
    )


def _above(places: Array, truth: Array, size: int) -> Array:
    """How many negative and positive items reach each threshold, (2, thresholds)."""
    counts = [np.bincount(places[truth == kind], minlength=size + 1) for kind in (False, True)]
    return np.cumsum(np.array(counts)[:, :0:-1], axis=1)[:, ::-1]


def _of_stack(t: Any, thresholds: Any, level: float) -> DecisionCurve:
    place = of_probabilities(t, "decision_curve")
    if thresholds is not None:
        msg = (
            "a stack has thresholds of its own; say others where it is made: "
            "thresholds(actual, scores, thresholds=...)"
        )
        raise InputError(msg)
    if t.total.dtype.kind == "f":
        msg = "a decision curve is of counted items, and this stack holds weights"
        raise InputError(msg)
    keys = thresholds_of(t)
    kept = np.flatnonzero((keys > 0) & (keys < 1))[::-1]
    counts = t.counts[kept]
    above = np.stack([counts[:, 1 - place, place], counts[:, place, place]])
    return _curves(
        keys[kept], {"model": above}, {}, t.counts[0].sum(axis=1)[[1 - place, place]], level
    )


def _curves(
    grid: Array, models: Mapping[str, Array], both: Mapping[Any, Array], items: Array, level: float
) -> DecisionCurve:
    if not len(grid) or grid[0] <= 0 or grid[-1] >= 1:
        msg = "{thresholds} are probabilities from which somebody acts, between 0 and 1; got {}"
        raise InputError(Message(msg, told(grid.tolist())))
    n = int(items.sum())
    if not n:
        msg = "there are no items, so there is nothing to act on"
        raise InputError(msg)
    worth = np.stack([-grid / (1 - grid), np.ones(len(grid))])
    every = np.broadcast_to(items[:, None], worth.shape)

    def curve(name: str, more: Array, less: Array | None = None) -> ScoreCurve:
        """The mean worth of the items in `more`, less that of those in `less`."""
        counts, values = (
            (more, worth)
            if less is None
            else (np.concatenate([more, less]), np.concatenate([worth, -worth]))
        )
        # The variance has an item more of each kind; of differences, one in all.
        near = counts + (1 if less is None else 0.25)
        total = n + len(near) * (1 if less is None else 0.25)
        spread = (values**2 * near).sum(axis=0) / total - ((values * near).sum(axis=0) / total) ** 2
        mean, half = (
            (values * counts).sum(axis=0) / n,
            quantile(level) * np.sqrt(np.maximum(spread, 0.0) / n),
        )
        x, y, low, high = map(frozen, (grid, mean, mean - half, mean + half))
        return ScoreCurve(name, "threshold", "net benefit", x, y, x, low, high, level)

    curves = {name: curve(name, above) for name, above in models.items()} | {ALL: curve(ALL, every)}
    zeros = frozen(np.zeros(len(grid)))
    curves[NONE] = ScoreCurve(
        NONE, "threshold", "net benefit", frozen(grid), zeros, grid, zeros, zeros, level
    )
    pairs = {
        (ALL, name): curve(f"{name} less {ALL}", 0 * above, every - above)
        for name, above in models.items()
    }
    pairs |= {
        (first, second): curve(
            f"{second} less {first}", models[second] - joint, models[first] - joint
        )
        for (first, second), joint in both.items()
    }
    return DecisionCurve(curves, pairs, level)
