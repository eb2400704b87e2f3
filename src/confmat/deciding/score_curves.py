"""A score over the threshold, with the interval of each point: how much a choice matters, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import frozen
from confmat.core.options import whole_number
from confmat.core.stack import Stack
from confmat.core.text import abridge, table
from confmat.deciding.curves import HEAD, TAIL, Curve, rate, thresholds_of
from confmat.intervals import Estimate, interval
from confmat.metrics.catalog import Score

__all__ = ["ScoreCurve", "score_curve"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ScoreCurve(Curve):
    """A Curve whose `x` are the thresholds and `y` the score, with the ends of the interval of each point."""

    low: Array = field(repr=False)
    high: Array = field(repr=False)
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with the intervals."""
        ends = ([None if value != value else value for value in part.tolist()] for part in (self.low, self.high))
        return {**super().to_dict(), **dict(zip(("low", "high"), ends, strict=True)), "level": self.level}

    def __str__(self) -> str:
        rows = [["threshold", self.y_name, f"{self.level:.3g} interval"]]
        for place in abridge(len(self), HEAD, TAIL):
            if place is None:
                rows.append(["...", "", ""])
            else:
                ends = f"[{rate(self.low[place])}, {rate(self.high[place])}]"
                rows.append([f"{self.x[place]:.6g}", rate(self.y[place]), ends])
        return "\n".join(table(rows, ">>>"))


def score_curve(t: Stack, score: Score, values: Array, keep: Array, points: int, level: float) -> ScoreCurve:
    """The score at so many of the finite thresholds at most, evenly spread over them, `keep` among them."""
    keys = thresholds_of(t)
    places = np.flatnonzero(np.isfinite(keys))
    most = whole_number("points", points)
    if len(places) > most:
        spread = places[np.linspace(0, len(places) - 1, most).round().astype(np.intp)]
        places = np.union1d(spread, keep[np.isfinite(keys[keep])])
    found = [interval(score, t._at(place), level=level) for place in places.tolist()]
    low, high = (np.array([getattr(one, end) for one in found if isinstance(one, Estimate)]) for end in ("low", "high"))
    x, y = frozen(keys[places]), frozen(np.asarray(values, dtype=np.float64)[places])
    name = str(score)
    return ScoreCurve(f"{name} by threshold", "threshold", name, x, y, x, frozen(low), frozen(high), level)
