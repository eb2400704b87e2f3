"""Difference: how far apart two models are on one score, how sure that is, and what it would take to see it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist
from typing import Any

from confmat.comparison.bounds import covariances, discordance, mid_p_range
from confmat.comparison.discordant import bonett_price, exact_p, tango
from confmat.comparison.pairing import Pairing
from confmat.comparison.resampled import drawn_apart, drawn_together
from confmat.comparison.significance import mid_p, normal_p, student_p
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.text import printable
from confmat.intervals import interval
from confmat.intervals.asked import ask
from confmat.intervals.bounds import clopper_pearson, quantile, student_quantile
from confmat.intervals.clusters import estimate_clusters
from confmat.intervals.estimates import Estimate
from confmat.intervals.gradient import NoSlopeError, slope
from confmat.intervals.variance import Slope, variance
from confmat.metrics import Score
from confmat.metrics.catalog import label_spelt

__all__ = [
    "Difference",
    "Pair",
    "finished",
    "least_p",
    "of_pairing",
    "of_same_items",
    "of_samples",
    "of_separate_items",
    "verdict",
]

# The power that a study is planned for.
_POWER = 0.8
_NO_SLOPE = "the score has no derivative; items were drawn again"
# The level at which p-values of different items are read off their intervals.
_USUAL = 0.95
Sample = ConfusionMatrix | Stack


@dataclass(frozen=True)
class Difference:
    """How much more of one score the second model has than the first: the later minus the earlier.

    With a range of p-values (`p_low` to `p_high`) the answers of the models were not known, only their matrices, and
    `low` to `high` is the interval under the least favourable pairing. `verdict` is "different", "not shown to be
    different" or "undecided". `items` are what was drawn: items, or clusters. `needed` is how many of them would show
    a difference of this size with a power of 80 %, `detectable` the least difference that these would.
    """

    score: str
    first: str
    second: str
    values: tuple[float, float]
    difference: float
    low: float
    high: float
    se: float
    p_low: float
    p_high: float
    adjusted: float
    level: float
    test: str
    items: float
    needed: float
    detectable: float
    verdict: str = ""
    note: str = ""
    # Items that only the first model, and only the second, had right; of accuracy from paired answers.
    discordant: tuple[float, float] | None = None

    @property
    def odds_ratio(self) -> Estimate:
        """Items that the second model alone had right for each that the first alone had: McNemar's odds, exactly."""
        found = self._of_discordant(lambda share: share / (1 - share) if share < 1 else math.inf)
        return replace(found, name="odds ratio")

    @property
    def cohens_g(self) -> Estimate:
        """The second model's share of the items that one of them alone had right, less a half (Cohen 1988)."""
        return replace(self._of_discordant(lambda share: share - 0.5), name="Cohen's g")

    @property
    def exact_p(self) -> float:
        """McNemar's exact p-value; the mid-p value beside it errs as rarely as it says, and sees more."""
        return exact_p(*self._discordant())

    @property
    def score_interval(self) -> Estimate:
        """The difference in accuracy with Tango's interval, all that its score test does not reject."""
        ends = tango(*self._discordant()[::-1], self.items, self.level)
        return Estimate(self.difference, *ends, self.level, "Tango", "paired", se=self.se, name=self.score)

    def _discordant(self) -> tuple[float, float]:
        if self.discordant is None:
            msg = f"this counts items that one model alone had right; {self.score} here has none to count"
            raise InputError(msg)
        return self.discordant

    def _of_discordant(self, effect: Callable[[float], float]) -> Estimate:
        second, both = self._discordant()[1], sum(self._discordant())
        share = second / both if both else math.nan
        low, high = (float(end) for end in clopper_pearson(share, both, self.level))
        value, low, high = (end if math.isnan(end) else effect(end) for end in (share, low, high))
        return Estimate(value, low, high, self.level, "Clopper-Pearson", "discordant items", n_eff=both)

    @property
    def p_value(self) -> float:
        """The p-value; of a range, the greatest."""
        return self.p_high

    @property
    def is_range(self) -> bool:
        """Whether only a range of p-values is known."""
        return self.p_low != self.p_high and not math.isnan(self.p_high)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what is unknown is None."""
        found = {**asdict(self), "values": list(self.values)}
        return {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in found.items()
        }

    def __str__(self) -> str:
        return self.sentence()

    def sentence(self) -> str:
        """What a reader may quote."""
        one, two = (_plain(value) for value in self.values)
        gap = f"{_plain(self.difference, sign=True)} [{_plain(self.low, sign=True)}, {_plain(self.high, sign=True)}]"
        first, second = printable(self.first), printable(self.second)
        start = f"{printable(self.score)}: {first} {one}, {second} {two}, {second} − {first} {gap}"
        if self.is_range:
            chance = f"p between {_chance(self.p_low)} and {_chance(self.p_high)} depending on the pairing"
        else:
            chance = f"p {_with_sign(self.p_high)}"
            if not math.isnan(self.adjusted) and self.adjusted != self.p_high:
                chance += f", adjusted {_with_sign(self.adjusted)}"
        return f"{start}; {self.test}, {chance}: {self.verdict}."


def _plain(value: float, *, sign: bool = False) -> str:
    if math.isnan(value):
        return "–"
    # A negative zero says nothing.
    value = 0.0 if abs(value) < 0.0005 else value
    shown = f"{value:+.3f}" if sign and value else f"{value:.3f}"
    return shown.replace("-", "−")


def _chance(p: float) -> str:
    if math.isnan(p):
        return "–"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}" if p >= 1e-300 else "0"


def _with_sign(p: float) -> str:
    return "unknown" if math.isnan(p) else "< 1e-300" if p < 1e-300 else f"= {_chance(p)}"


@dataclass(frozen=True)
class Pair:
    """Two models by name, with their matrices over the same labels."""

    names: tuple[str, str]
    matrices: tuple[ConfusionMatrix, ConfusionMatrix]

    def values(self, score: Score) -> tuple[float, float]:
        """The score of both."""
        one, two = (float(score(m)) for m in self.matrices)
        return one, two

    def slopes(self, score: Score) -> tuple[Slope, Slope]:
        """How the score of each moves with its cells."""
        how: dict[str, Any] = {}
        if score.of is not None:
            how["of"] = label_spelt(self.matrices[0].labels, score.of)
        if score.average is not None:
            how["average"] = score.average
        if not score.metric.smooth:
            msg = (
                f"{score} has no derivative, so two matrices of the same items do not bound its difference; "
                "compare_predictions draws the items again"
            )
            raise NoSlopeError(msg)
        one, two = (slope(score.metric, m, **how) for m in self.matrices)
        return one, two

    def slopes_if_any(self, score: Score) -> tuple[Slope, Slope] | None:
        """The same, or None where the score has no derivative."""
        try:
            return self.slopes(score)
        except NoSlopeError:
            return None


def of_pairing(score: Score, pair: Pair, pairing: Pairing, level: float) -> Difference:
    """From the answers of both models to the same items."""
    values = pair.values(score)
    gap, n = values[1] - values[0], pairing.total
    slopes = pair.slopes_if_any(score)
    if slopes is None:
        p, error, ends = drawn_together(score, pair.matrices, pairing, level)
        return finished(score, pair, values, ends, error, (p, p), level, "paired bootstrap", n, _NO_SLOPE)
    one, two = slopes
    g = two.at(pairing.actual, pairing.second) - one.at(pairing.actual, pairing.first)
    mean = (pairing.counts * g).sum() / n
    error = math.sqrt(max(float((pairing.squares * (g - mean) ** 2).sum()), 0.0))
    weighted = any(m.is_weighted for m in pair.matrices)
    few = float(pairing.counts[pairing.first != pairing.second].sum())
    if str(score) == "accuracy" and not weighted:
        _, only_first, only_second, _ = pairing.right()
        low, high = bonett_price(only_second, only_first, n, level)
        test, p = "McNemar, mid-p", mid_p(only_first, only_second)
    else:
        p = normal_p(gap, error) if weighted else max(normal_p(gap, error), least_p(few))
        half = quantile(level) * _error_of(gap, p, error)
        low, high, test = gap - half, gap + half, "paired delta method"
    note = f"the models differ on {few:g} items only" if few < 10 and not weighted else ""
    found = finished(score, pair, values, (low, high), error, (p, p), level, test, n, note)
    _, only_first, only_second, _ = pairing.right()
    return replace(found, discordant=(only_first, only_second)) if test.startswith("McNemar") else found


def least_p(differing: float) -> float:
    """The least mid-p value of any test of so many items: if models are alike, each may as well be swapped.

    Where all of them speak for one model the derivative sees no doubt at all, but three items are three items.
    """
    return 0.5 ** min(differing, 1000.0)


def _error_of(gap: float, p: float, error: float) -> float:
    """The standard error that goes with a p-value, if that is larger than the one found."""
    if not 0 < p < 1 or not gap or p <= normal_p(gap, error):
        return error
    # Not by 1 - p, which is 1 for the small p-values of many items that all speak for one model.
    return abs(gap) / -NormalDist().inv_cdf(p / 2)


def of_same_items(score: Score, pair: Pair, level: float) -> Difference:
    """From two matrices of the same items, whose answers are unknown: a range."""
    values = pair.values(score)
    gap, n = values[1] - values[0], float(pair.matrices[0].total)
    slopes = pair.slopes(score)
    own = sum(variance(each, m) for each, m in zip(slopes, pair.matrices, strict=True))
    least, most = covariances(*pair.matrices, slopes)
    errors = [math.sqrt(max(own - 2 * each, 0.0)) for each in (most, least)]
    if str(score) == "accuracy":
        chances, test = mid_p_range(*pair.matrices), "McNemar, mid-p, over all pairings"
        _, most_apart, more = discordance(*pair.matrices)
        ends = bonett_price((most_apart - more) / 2, (most_apart + more) / 2, n, level)
    else:
        # The fewest items on which the answers differ, and the most.
        fewest = _fewest_differing(*pair.matrices)
        chances = (max(normal_p(gap, errors[0]), least_p(n)), max(normal_p(gap, errors[1]), least_p(fewest)))
        test = "paired delta method, over all pairings"
        half = quantile(level) * _error_of(gap, chances[1], errors[1])
        ends = (gap - half, gap + half)
    return finished(score, pair, values, ends, errors[1], chances, level, test, n, "")


def _fewest_differing(one: ConfusionMatrix, two: ConfusionMatrix) -> float:
    """Answers that must have changed between two matrices of the same items."""
    cells: dict[tuple[int, int], float] = {}
    for m, sign in ((one, 1.0), (two, -1.0)):
        for row, col, count in zip(*(part.tolist() for part in m._counts.cells()), strict=True):
            cells[row, col] = cells.get((row, col), 0.0) + sign * float(count)
    return sum(map(abs, cells.values())) / 2


def of_separate_items(score: Score, pair: Pair, level: float) -> Difference:
    """From two matrices of different items."""
    n = sum(float(m.total) for m in pair.matrices)
    slopes = pair.slopes_if_any(score)
    if slopes is None:
        p, error, ends = drawn_apart(score, pair.matrices, level)
        return finished(score, pair, pair.values(score), ends, error, (p, p), level, "bootstrap", n, _NO_SLOPE)
    error = math.sqrt(sum(max(variance(each, m), 0.0) for each, m in zip(slopes, pair.matrices, strict=True)))
    return of_samples(score, pair, pair.matrices, error, level, "unpaired delta method", n)


def of_samples(
    score: Score,
    pair: Pair,
    samples: tuple[Sample, Sample],
    error: float,
    level: float,
    test: str,
    items: float,
    free: float = math.inf,
) -> Difference:
    """From two independent samples, of items or of clusters: the bounds of each score give those of the difference.

    Where the standard error comes from few parts, they reach further: Student's t, with `free` degrees of freedom.
    """
    values = pair.values(score)
    gap = values[1] - values[0]
    ends = [_estimate(score, sample, level) for sample in samples]
    further = 1.0 if math.isinf(free) else student_quantile(1 - (1 - level) / 2, free) / quantile(level)
    low = gap - further * math.hypot(values[1] - ends[1].low, ends[0].high - values[0])
    high = gap + further * math.hypot(ends[1].high - values[1], values[0] - ends[0].low)
    # Wilson's bounds know more than the derivative where one of the models makes no mistake.
    wide = [_estimate(score, sample, _USUAL) for sample in samples] if level != _USUAL else ends
    sides = (
        (values[1] - wide[1].low, wide[0].high - values[0])
        if gap > 0
        else (wide[1].high - values[1], values[0] - wide[0].low)
    )
    p = student_p(gap, max(error, math.hypot(*sides) / quantile(_USUAL)), free)
    return finished(score, pair, values, (low, high), error, (p, p), level, test, items, "")


def _estimate(score: Score, m: Sample, level: float) -> Estimate:
    if isinstance(m, ConfusionMatrix):
        found = interval(m, score, level=level)
    else:
        # How few clusters there are is in the degrees of freedom of the difference, which are those of both samples.
        found = estimate_clusters(ask(m, score, level=level), m, few=False)
    assert isinstance(found, Estimate)
    return found


def finished(
    score: Score,
    pair: Pair,
    values: tuple[float, float],
    ends: tuple[float, float],
    error: float,
    chances: tuple[float, float],
    level: float,
    test: str,
    items: float,
    note: str,
) -> Difference:
    """A difference with its verdict, and with what it would take to see it."""
    gap = values[1] - values[0]
    reach = quantile(level) + quantile(2 * _POWER - 1)
    wanted = reach**2 * (error / gap) ** 2 * items if gap and error else math.nan
    needed = math.ceil(wanted) if math.isfinite(wanted) else math.nan
    first, second = pair.names
    low, high = sorted(chances)
    if math.isnan(gap):
        ends, note = (math.nan, math.nan), score.metric.undefined or "it has no value"
    elif math.isnan(ends[0]) or math.isnan(ends[1]):
        note = "its variance has no value here"
    ends = _clipped(score, ends)
    return Difference(
        str(score),
        first,
        second,
        values,
        gap,
        float(ends[0]),
        float(ends[1]),
        error,
        low,
        high,
        high,
        level,
        test,
        items,
        needed,
        reach * error,
        verdict(low, high, 1 - level),
        note,
    )


def _clipped(score: Score, ends: tuple[float, float]) -> tuple[float, float]:
    """No further apart than the score can be."""
    low, high = score.metric.bounds
    if low is None or high is None or math.isnan(ends[0]):
        return ends
    return max(ends[0], float(low - high)), min(ends[1], float(high - low))


def verdict(low: float, high: float, alpha: float) -> str:
    """In words what a range of p-values says."""
    if math.isnan(low) or math.isnan(high):
        return "not comparable"
    if high < alpha:
        return "different"
    return "not shown to be different" if low >= alpha else "undecided: the answers of both models are needed"
