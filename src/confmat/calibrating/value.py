"""Calibration: sums over bins of scores, and what follows from them exactly, with intervals.

The expected calibration error is a sum of sizes of differences, and each is as large as chance
alone makes it at least: a calibrated model has one above 0. Its bounds here are honest about that:
the size of a difference plus noise lies, on average, between the size of the difference and that
plus the size of the noise. Murphy's parts (Journal of Applied Meteorology 12, 1973) have a fourth
one within bins (Stephenson, Coelho and Jolliffe, Weather and Forecasting 23, 2008), so that they
add up to the Brier score whatever the bins; Spiegelhalter's test is in Statistics in Medicine 5
(1986).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.calibrating.bins import Bins
from confmat.core.errors import InputError, Message
from confmat.core.labels import Labels
from confmat.core.notes import Note
from confmat.core.options import door, told
from confmat.core.stack import Stack
from confmat.core.tables import Column, Drawn, Table, Tabular, to_plain
from confmat.core.text import number, rate
from confmat.deciding.curves import roc_auc
from confmat.deciding.sweeps import Between, stack_of_grid
from confmat.intervals import Estimate
from confmat.intervals.bounds import check_level, clopper_pearson, quantile, wilson

Array = NDArray[Any]
# Fewer bins say too little of where in a bin a score lies for a regression on scores.
FEWEST_FOR_SLOPE = 200
# A step of the regression that changes nothing, and the most steps.
_SMALL, _ROUNDS = 1e-10, 25
# Signs of the diagram in a terminal.
_WIDTH = 25


class Murphy(NamedTuple):
    """The parts of the Brier score: reliability - resolution + uncertainty + within."""

    reliability: float
    resolution: float
    uncertainty: float
    within: float


@dataclass(frozen=True, eq=False)
class Calibration(Tabular):
    """Items with a score and what became true of them, summed by bin; two of the same bins add up.

    Attributes
    ----------
    bins
        The bins, with their `edges`.
    sums
        By class (negative, positive) and bin: numbers of items, sums of scores and of their second
        to fourth powers, of the logarithmic loss and its square, and numbers of items whose loss is
        infinite.
    labels
        The two classes.
    """

    bins: Bins
    sums: Array = field(repr=False)
    labels: Labels
    place: int = field(repr=False)
    _drawing: ClassVar[str] = "reliability"

    def __add__(self, other: Calibration) -> Calibration:
        if not isinstance(other, Calibration):
            return NotImplemented
        if self.bins != other.bins or self._classes != other._classes:
            msg = "calibrations add where they have the same edges, side and classes; count both with the same bins="
            raise InputError(msg)
        return replace(self, sums=self.sums + other.sums)

    def __radd__(self, other: Any) -> Calibration:
        # The beginning of `sum(parts)`.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @property
    def _classes(self) -> tuple[str, ...]:
        """Both classes as a file writes them, the positive one last: True is 1, and 0 the text "0"."""
        both = self.labels[1 - self.place], self.labels[self.place]
        return tuple(str(int(name) if isinstance(name, bool) else name) for name in both)

    # ---- bins ------------------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """All items."""
        return int(self.sums[:, 0].sum())

    @property
    def items(self) -> Array:
        """How many items each bin has."""
        return self.sums[:, 0].sum(axis=0).astype(np.int64)

    @property
    def mean_score(self) -> Array:
        """The mean score of each bin; NaN of an empty one."""
        return self._mean(self.sums[:, 1].sum(axis=0))

    @property
    def share(self) -> Array:
        """The share of positive items in each bin; NaN of an empty one."""
        return self._mean(self.sums[1, 0])

    def _mean(self, sums: Array) -> Array:
        return np.divide(
            sums, self.items, out=np.full(len(self.bins), np.nan), where=self.items > 0
        )

    def shares(self, level: float = 0.95) -> Array:
        """Return the lower and the upper end of each bin's share, (bins, 2): Wilson's, each bin by itself.

        Parameters
        ----------
        level
            The confidence.
        """
        check_level(level)
        return np.where(self.items > 0, wilson(self.share, self.items, level), np.nan).T

    def shown(self, level: float = 0.95) -> NDArray[np.bool_]:
        """Return which bins are shown to be off, their mean scores outside the interval, for all bins at once (Sidak).

        Parameters
        ----------
        level
            The confidence.
        """
        check_level(level)
        # Wilson's bounds are too close so far out.
        low, high = clopper_pearson(
            self.share, self.items, level ** (1 / max(int(np.count_nonzero(self.items)), 1))
        )
        return np.asarray((self.mean_score < low) | (self.mean_score > high))

    # ---- what follows ----------------------------------------------------------------------------

    @cached_property
    def _filled(self) -> tuple[Array, Array]:
        """Of the bins with items, the share of positive ones less the mean score, and the variance of that share."""
        held = self.items > 0
        n, s, h = self.items[held], self.mean_score[held], self.share[held]
        # One item more, at the mean score.
        near = (n * h + s) / (n + 1)
        return h - s, near * (1 - near) / n

    @property
    def _number(self) -> float:
        """All items, as what sums are divided by: of none, no mean has a value."""
        return self.total or math.nan

    def _over(self, values: Array) -> float:
        """The mean, over the items, of the values of the bins with items."""
        return float(self.items[self.items > 0] @ values / self._number)

    @property
    def ece(self) -> float:
        """The expected calibration error: the mean distance of share and mean score over the items."""
        return self._over(np.abs(self._filled[0]))

    @property
    def mce(self) -> float:
        """The largest distance of share and mean score."""
        return float(np.abs(self._filled[0]).max()) if self.total else math.nan

    @property
    def noise(self) -> float:
        """The expected calibration error that as many items of a calibrated model would show."""
        return self._over(np.sqrt(2 * self._filled[1] / math.pi))

    @cached_property
    def _powers(self) -> Array:
        """Sums over all items of the distance from what became true, and of its second to fourth powers."""
        (_, *low), (n1, a, b, c, d) = self.sums[:, :5].sum(axis=2)
        high = n1 - a, n1 - 2 * a + b, n1 - 3 * a + 3 * b - c, n1 - 4 * a + 6 * b - 4 * c + d
        return np.maximum(np.add(low, high), 0.0)

    @property
    def brier(self) -> float:
        """The Brier score: the mean squared distance of scores from what became true."""
        return float(self._powers[1] / self._number)

    @property
    def log_loss(self) -> float:
        """The mean logarithmic loss; infinite if a score of 0 or 1 was wrong."""
        return math.inf if self.sums[:, 7].any() else float(self.sums[:, 5].sum() / self._number)

    @property
    def murphy(self) -> Murphy:
        """The parts of the Brier score, reliability - resolution + uncertainty + within bins, which add up exactly."""
        gap, held = self._filled[0], self.items > 0
        share, mean = self.share[held], self.mean_score[held]
        base = self._over(share)
        # By bin, the spread of the scores less twice what they have in common with what became
        # true.
        spread = self._mean(self.sums[:, 2].sum(axis=0))[held] - mean**2
        common = self._mean(self.sums[1, 1])[held] - share * mean
        return Murphy(
            self._over(gap**2),
            self._over((share - base) ** 2),
            base * (1 - base),
            self._over(spread - 2 * common),
        )

    @property
    def spiegelhalter(self) -> tuple[float, float]:
        """Spiegelhalter's z of the Brier score against that of a calibrated model, and its two-sided p-value."""
        e1, e2, e3, e4 = self._powers
        # A squared distance less what is expected of it, and its variance, item by item.
        over, spread = e2 - (e1 - e2), e1 - 5 * e2 + 8 * e3 - 4 * e4
        z = float(over / math.sqrt(spread)) if spread > 0 else math.nan
        return z, math.erfc(abs(z) / math.sqrt(2))

    def roc_auc_bounds(self) -> tuple[float, float]:
        """Return between which values the area under the ROC curve lies: bins do not order the items within them."""
        negative, positive = self.sums[:, 0]
        area, tied = roc_auc(self.thresholds()), float(positive @ negative) / 2
        half = tied / max(float(positive.sum() * negative.sum()), 1.0)
        return area - half, area + half

    def thresholds(self) -> Stack:
        """Return the exact matrix at each edge, a Stack along "threshold", for curves, `best` and `decision_curve`."""
        if self.bins.closed == "right":
            msg = "a threshold is reached by a score that equals it; count with closed='left', where edges are such"
            raise InputError(msg)
        sums = self.sums[::-1, 0].astype(np.int64)
        found = stack_of_grid(self.bins.edges[1:-1], Between(sums, None), self.labels, self.place)
        return found._noted((Note("thinned", (), self.total, self.total),))

    # ---- how sure --------------------------------------------------------------------------------

    @door
    def interval(self, score: str, level: float = 0.95) -> Estimate:
        """Return a score with its interval.

        Parameters
        ----------
        score
            "ece", whose bounds hold for calibrated models too; "brier", "log_loss";
            "calibration_slope" or "calibration_intercept", of a logistic regression on the logits
            of the scores, from 200 bins on.
        level
            The confidence.
        """
        check_level(level)
        known: dict[str, Callable[[float], Estimate]] = {
            "ece": self._ece,
            "brier": self._brier,
            "log_loss": self._log_loss,
            "calibration_slope": lambda level: self._regressed(1, level),
            "calibration_intercept": lambda level: self._regressed(0, level),
        }
        if score not in known:
            raise InputError(Message("{score} is one of {}; got {}", ", ".join(known), told(score)))
        found = known[score](level)
        return replace(found, level=level, design="multinomial", name=score)

    def _ece(self, level: float) -> Estimate:
        share = self.items[self.items > 0] / self._number
        error, value = math.sqrt(float(share**2 @ self._filled[1])), self.ece
        half = quantile(level) * error
        low, high = value - self.noise - half, value + half
        method, note = "between noise and none", f"a calibrated model would show {self.noise:.3g}"
        return Estimate(value, max(low, 0.0), min(high, 1.0), method=method, se=error, note=note)

    def _spread(self, mean: float, squares: float) -> float:
        """The standard error of a mean, of two items at least."""
        return math.sqrt(max(squares / self._number - mean**2, 0.0) / max(self.total - 1, 1))

    def _brier(self, level: float) -> Estimate:
        value, items = self.brier, float(self.total)
        error = self._spread(value, float(self._powers[3]))
        if error > 0:
            items = min(value * (1 - value) / error**2, items**2)
        low, high = map(float, wilson(value, items, level))
        method = "Wilson at the effective number of items"
        return Estimate(value, low, high, method=method, se=error, n_eff=items)

    def _log_loss(self, level: float) -> Estimate:
        value = self.log_loss
        if not 0 < value < math.inf:
            wrong = f"{self.sums[:, 7].sum():,.0f} scores of 0 or 1 are wrong"
            return _unknown(wrong if value > 0 else "", value)
        error = self._spread(value, float(self.sums[:, 6].sum()))
        # The spread of losses that are alike is rounding.
        if error <= 1e-6 * value:
            return _unknown("all items have the same loss", value)
        factor = math.exp(quantile(level) * error / value)
        method = "normal on the log scale"
        return Estimate(value, value / factor, value * factor, method=method, se=error)

    def _regressed(self, which: int, level: float) -> Estimate:
        """Logistic regression of what became true on the logit of each bin's mean score (Cox, Biometrika 45, 1958)."""
        from scipy.special import expit, logit

        if len(self.bins) < FEWEST_FOR_SLOPE:
            msg = (
                f"slope and intercept are of scores, of which {len(self.bins)} bins keep too "
                f"little; count with at least {FEWEST_FOR_SLOPE}, such as bins=1000"
            )
            raise InputError(msg)
        held = self.items > 0
        n, s, h = self.items[held], self.mean_score[held], self.share[held]
        if ((s <= 0) | (s >= 1)).any():
            return _unknown("no slope: scores of 0 or 1 have no logit")
        if len(s) == 1:
            return _unknown("no slope: all scores lie in one bin")
        x, at = np.stack([np.ones(len(s)), logit(s)], axis=1), np.array([0.0, 1.0])
        for _ in range(_ROUNDS if 0 < n @ h < n.sum() else 0):
            p = expit(x @ at)
            information = (x * (n * p * (1 - p))[:, None]).T @ x
            step = np.linalg.solve(information, x.T @ (n * (h - p)))
            # Far from the solution a whole step may leave it behind.
            at = at + step / max(np.abs(step).max(), 1.0)
            if np.abs(step).max() < _SMALL:
                error, value = math.sqrt(np.linalg.inv(information)[which, which]), float(at[which])
                half = quantile(level) * error
                return Estimate(value, value - half, value + half, method="Wald", se=error)
        return _unknown("no slope: a threshold parts the classes")

    # ---- as a table ------------------------------------------------------------------------------

    def sentences(self) -> list[str]:
        """Return what the bins say, in sentences to quote."""
        if not self.total:
            return ["No items."]
        ece, brier, loss = map(self.interval, ("ece", "brier", "log_loss"))
        parts = "reliability {:.4f} - resolution {:.4f} + uncertainty {:.4f} + within bins {:.4f}"
        off = int(self.shown().sum())
        shown = f"{off or 'None'} of {np.count_nonzero(self.items)} bins {'is' if off < 2 else 'are'} shown to be off"
        return [
            f"ECE {ece}; a calibrated model would show {self.noise:.3f} in as many items.",
            f"Brier score {brier} = {parts.format(*self.murphy)}; log loss {loss}.",
            f"{shown}; each interval holds by itself with 95 % confidence.",
        ]

    def table(self) -> Table:
        """Return the bins that hold items: the mean score, and the share that became true with its interval."""
        held = np.flatnonzero(self.items)
        items, mean, share = (
            part[held].tolist() for part in (self.items, self.mean_score, self.share)
        )
        low, high = ends = self.shares()[held].T
        shown, rows = self.shown()[held], np.stack([low, share, high], axis=1)
        most = max(items, default=1)
        bars = ["▇" * math.ceil(8 * many / most) for many in items]
        columns = (
            Column("bin", [self.bins.name(place) for place in held.tolist()], str, is_label=True, is_index=True),
            Column("items", items, number),
            Column(None, bars, str, "", align="<", is_sketch=True),
            Column("mean_score", mean, rate, "mean score"),
            Column("share", share, rate, "share", drawn=Drawn(rows, 0.0, 1.0)),
            Column(None, ends.T.tolist(), lambda pair: f"[{rate(pair[0])}, {rate(pair[1])}]", "interval"),
            Column("shown", shown.tolist(), lambda is_shown: "off" if is_shown else "", "", align="<"),
            Column(
                None, [_strip(*row) for row in zip(low, share, high, mean, strict=True)], str, _SCALE, align="<",
                is_sketch=True,
            ),
            *(Column(name, part.tolist(), head=None) for name, part in (("low", low), ("high", high))),
        )  # fmt: skip
        return Table(columns, tuple(self.sentences()))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the edges, the bins and the scores."""
        low, high = self.shares().T
        bins = {
            "items": self.items,
            "mean_score": self.mean_score,
            "share": self.share,
            "low": low,
            "high": high,
        }
        data = {
            "edges": self.bins.edges, "closed": self.bins.closed, "bins": bins, "noise": self.noise, "mce": self.mce,
            "murphy": self.murphy._asdict(),
            "spiegelhalter": dict(zip(("z", "p_value"), self.spiegelhalter, strict=True)),
            **{name: self.interval(name).to_dict() for name in ("ece", "brier", "log_loss")},
        }  # fmt: skip
        return dict(to_plain(data, "none"))


def _unknown(note: str, value: float = math.nan) -> Estimate:
    return Estimate(value, math.nan, math.nan, note=note)


_SCALE = "0" + "1".rjust(_WIDTH - 1)


def _strip(low: float, share: float, high: float, mean: float) -> str:
    """The interval of a bin between 0 and 1, its share as a dot, and where a calibrated model would have it."""
    first, dot, last, line = (round(value * (_WIDTH - 1)) for value in (low, share, high, mean))
    signs = ["─" if first <= place <= last else " " for place in range(_WIDTH)]
    signs[line], signs[dot] = "┃", "●"
    return "".join(signs).rstrip()
