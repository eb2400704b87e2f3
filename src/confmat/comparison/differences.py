"""Difference: how far apart two models are on one score, how sure that is, and what it would take to see it.

Paired, only the items on which the models differ tell how far they are apart. Where few items of a
class differ that is little to go by, so one more is added to the variance, shared among the classes
(`one_more`). A test has the variance of models that are alike, whose answers to each item may as
well be swapped, or that of the models as they are if it is greater; an interval has the latter, and
ends beside 0 where the test, at that level, begins to reject. A share of the same items has
McNemar's test and Tango's interval.

Where a score has no derivative, items or clusters of them are drawn again, together for models that
share them and apart for others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.comparison.pairing import (
    ROUNDING,
    Pairing,
    covariances,
    discordance,
    fewest_moving,
    mid_p_range,
    middle,
    one_more,
    right_of_same,
)
from confmat.comparison.significance import (
    exact_p,
    least_p,
    mid_p,
    normal_p,
    student_p,
    tango,
    within,
)
from confmat.core.align import label_spelt
from confmat.core.errors import InputError, Message
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, is_number, told, whole_number
from confmat.core.samples import holds_weights
from confmat.core.stack import Stack
from confmat.core.tables import Column, to_plain
from confmat.core.text import printable
from confmat.intervals import interval
from confmat.intervals.anytime import equal_p, reach, refused
from confmat.intervals.asked import AT, ask
from confmat.intervals.bounds import clopper_pearson, ends_of, quantile, student_quantile, wilson
from confmat.intervals.clusters import Contents, estimate_clusters
from confmat.intervals.draws import Draws, percentiles, with_progress
from confmat.intervals.estimates import Estimate
from confmat.intervals.gradient import NoSlopeError, share_of, slope
from confmat.intervals.variance import Slope, seen_cells, variance
from confmat.metrics import Score
from confmat.metrics.catalog import unseen
from confmat.metrics.declaration import Better

Array = NDArray[np.float64]
# The power that a study is planned for.
POWER = 0.8
DELTA, MCNEMAR, _KOSINSKI = "paired delta method", "McNemar, mid-p", "Kosinski's score test"
# Fewer that differ are said.
FEW_ITEMS = 10
_NO_SLOPE = "the score has no derivative; items were drawn again"
DIFFERENT, UNDECIDED = "different", "undecided: the answers of both models are needed"
# The level at which p-values of different items are read off their intervals.
_USUAL = 0.95
Sample = ConfusionMatrix | Stack


@dataclass(frozen=True)
class Difference:
    """How much more of one score the second model has than the first: the later minus the earlier.

    With a range of p-values (`p_low` to `p_high`) the answers of the models were not known, only
    their matrices, and `low` to `high` is the interval under the least favourable pairing.
    `verdict` is "different", "not shown to be different" or "undecided". `items` are what was
    drawn: items (those of the class for its recall) or clusters; `needed` is how many of them would
    show a difference of this size with a power of 80 %, `detectable` the least difference that
    these would.
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
    # Items that only the first model, and only the second, had right; of a share of the same items,
    # answers paired.
    discordant: tuple[float, float] | None = None
    better: Better = "higher"
    # Items whose answers move the score, where that is known; and the least and the greatest that
    # the score can be.
    moving: float = math.inf
    bounds: tuple[float, float] = (-math.inf, math.inf)

    @property
    def limits(self) -> tuple[float, float]:
        """Both ends as a margin is held against them: of a share of few items they lie further out than the interval.

        Each alone is to err no more often than (1 - level) / 2, where an interval may err on one
        side for the other. Student's t allows for how few items a share is of, and the exact bound
        of none for models that never differ.
        """
        ends = self.low, self.high
        if self.discordant:
            sides = self.discordant if self.better == "lower" else self.discordant[::-1]
            ends = tango(*sides, self.items, self.level, max(self.items - 1, 1.0))
        elif not self.moving:
            more = (
                clopper_pearson(0.0, self.items, self.level)[1]
                / wilson(0.0, self.items, self.level)[1]
            )
            ends = self.low * float(more), self.high * float(more)
        span = self.bounds[1] - self.bounds[0]
        return max(min(self.low, ends[0]), -span), min(max(self.high, ends[1]), span)

    @door
    def anytime(self, at: int = AT) -> Difference:
        """Return the same with an interval and a p-value that hold at every look, whenever you stop (see `interval`).

        Parameters
        ----------
        at
            The number of items near which the interval is narrowest.
        """
        if self.discordant is None:
            unpaired = self.is_range or self.test.startswith("unpaired")
            raise refused(
                self.score,
                "only the answers of both models to the same items tell how often they differ"
                if unpaired
                else "it is no share of the same items for both models, or these have weights, clusters or strata",
            )
        sides = self.discordant if self.better == "lower" else self.discordant[::-1]
        p, alpha = equal_p(*sides), 1 - self.level
        low, high = within(
            *sides, self.items, reach(self.items, whole_number("at", at, 1), self.level)
        )
        if p < alpha:
            # The test of equal models is exact; the interval is not.
            low, high = (max(low, 0.0), high) if self.difference > 0 else (low, min(high, 0.0))
        else:
            low, high = min(low, 0.0), max(high, 0.0)
        once = self.score_interval
        alone = (
            ""
            if math.isnan(self.adjusted) or self.adjusted == self.p_high
            else ", not adjusted for other differences"
        )
        price = f"{(high - low) / (once.high - once.low):.2f} times as wide"
        test = f"any time, narrowest near {at:,} items, {price}{alone}"
        return replace(
            self,
            low=low,
            high=high,
            p_low=p,
            p_high=p,
            adjusted=p,
            test=test,
            verdict=verdict(p, p, alpha),
        )

    @property
    def odds_ratio(self) -> Estimate:
        """Items that the second model alone had right for each that the first alone had: McNemar's odds, exactly."""
        ratio = self._of_discordant(lambda share: share / (1 - share) if share < 1 else math.inf)
        return replace(ratio, name="odds ratio")

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
        """The difference with Tango's interval, all that its score test does not reject."""
        sides = self._discordant() if self.better == "lower" else self._discordant()[::-1]
        ends = tango(*sides, self.items, self.level)
        return Estimate(
            self.difference, *ends, self.level, "Tango", "paired", se=self.se, name=self.score
        )

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
        return Estimate(
            value, low, high, self.level, "Clopper-Pearson", "discordant items", n_eff=both
        )

    @door
    def no_worse(self, margin: float) -> str:
        """Say whether the second model is worse by less than a margin: "no worse", "worse" or "undecided".

        It is "no worse" if both `limits` lie on the better side of the margin, "worse" if they lie
        beyond it; of many items these are the ends of the interval. Each is a one-sided test at (1
        - level) / 2, so `level=0.9` tests at 5 %; of two matrices of the same items it holds under
        every pairing of their answers.

        Parameters
        ----------
        margin
            The loss that is as good as none, above 0, in units of the score; settle it before you
            look.

        Examples
        --------
        >>> import confmat as cm
        >>> models = {
        ...     "old": cm.ConfusionMatrix([[440, 60], [60, 440]]),
        ...     "new": cm.ConfusionMatrix([[435, 65], [60, 440]]),
        ... }
        >>> found = cm.compare(models, metrics=["accuracy"], same_items=False, level=0.9).of(
        ...     "accuracy"
        ... )
        >>> print(f"{found.low:.4f}", found.no_worse(0.03), found.no_worse(0.02), sep=", ")
        -0.0292, no worse, undecided
        """
        self._check_loss(margin)
        low, high = self.limits
        worst, best = (low, high) if self.better == "higher" else (-high, -low)
        return "no worse" if worst > -margin else "worse" if best < -margin else "undecided"

    @door
    def equivalent(self, margin: float) -> str:
        """Say whether the models differ by less than a margin: "equivalent", "not equivalent" or "undecided".

        They are equivalent if both `limits` lie within the margin: two one-sided tests, each at (1
        - level) / 2 (TOST; Schuirmann 1987).

        Parameters
        ----------
        margin
            The difference that is as good as none, as in `no_worse`.
        """
        self._check_margin(margin)
        low, high = self.limits
        if -margin < low and high < margin:
            return "equivalent"
        return "not equivalent" if low > margin or high < -margin else "undecided"

    def items_needed(self, margin: float, power: float = POWER, expected: float | str = 0.0) -> int:
        """Return how many items, or clusters, like these show with so much power that the second model is no worse.

        They are those of `items`, and differ as often as these.

        Parameters
        ----------
        margin
            The loss that is as good as none, as in `no_worse`.
        power
            How often such a model is to be found no worse.
        expected
            The difference that is taken for the truth: none by default, since that of a pilot is
            mostly chance; or `"observed"`, the one that was seen.
        """
        if not is_number(power) or not 0 < power < 1:
            raise InputError(
                Message("{power} is between 0 and 1, such as 0.8; got {}", told(power))
            )
        room, error = self._room(margin, expected)
        if not (room > 0 and error > 0):
            msg = f"no number of items is planned for a margin of {margin:g} from {self.score} {self.interval_text()}"
            raise InputError(msg)
        reach = max(quantile(self.level) + quantile(2 * power - 1), 0.0)
        return max(math.ceil((reach * error / room) ** 2 * self.items), 1)

    def power(self, margin: float, expected: float | str = 0.0) -> float:
        """Return how often a test of as many items would show that the second model is no worse (see `items_needed`).

        Parameters
        ----------
        margin, expected
            As in `items_needed`.
        """
        room, error = self._room(margin, expected)
        return NormalDist().cdf(room / error - quantile(self.level)) if error > 0 else math.nan

    def _room(self, margin: float, expected: float | str) -> tuple[float, float]:
        """How far the difference that is expected lies above the margin, and the standard error of models like that."""
        self._check_loss(margin)
        gap = self.difference if expected == "observed" else expected
        if not is_number(gap):
            raise InputError(
                Message(
                    "{expected} is a difference, such as 0.0, or 'observed'; got {}", told(expected)
                )
            )
        # Items of models that are alike differ as often, both ways.
        error = (
            self.se
            if expected == "observed"
            else math.hypot(self.se, self.difference / math.sqrt(self.items))
        )
        return margin + (gap if self.better == "higher" else -gap), error

    def _check_margin(self, margin: Any) -> None:
        if (
            isinstance(margin, bool)
            or not isinstance(margin, (int, float))
            or not 0 < margin < math.inf
        ):
            msg = (
                "{margin} is the difference that is as good as none, above 0, such as 0.01; got {}"
            )
            raise InputError(Message(msg, told(margin)))
        span = self.bounds[1] - self.bounds[0]
        if margin >= span:
            msg = (
                "{margin} is in units of the score, and no two values of {} are {} or more apart{}"
            )
            raise InputError(Message(msg, self.score, f"{margin:g}", percent(margin, span)))

    def _check_loss(self, margin: Any) -> None:
        self._check_margin(margin)
        if self.better == "neither":
            msg = f"neither more nor less of {self.score} is better, so no model is worse by it; ask equivalent(margin)"
            raise InputError(msg)

    @property
    def p_value(self) -> float:
        """The p-value; of a range, the greatest."""
        return self.p_high

    @property
    def is_range(self) -> bool:
        """Whether only a range of p-values is known."""
        return self.p_low != self.p_high and not math.isnan(self.p_high)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; an unknown number is None."""
        return dict(to_plain(asdict(self), "none"))

    def __str__(self) -> str:
        return self.sentence()

    def interval_text(self) -> str:
        """Return the difference and its interval as they are printed."""
        low, high = _plain(self.low, sign=True), _plain(self.high, sign=True)
        return f"{_plain(self.difference, sign=True)} [{low}, {high}]"

    def chance_text(self, between: str = " to ") -> str:
        """Return the p-value, or both ends of its range, as they are printed."""
        return (chance(self.p_low) + between if self.is_range else "") + chance(self.p_high)

    def journal_text(self) -> str:
        """Return the p-value as journals print it, or the range of p-values."""
        ends = dict.fromkeys(
            map(_in_print, (self.p_low, self.p_high) if self.is_range else (self.adjusted,))
        )
        return " to ".join(ends)

    def sentence(self) -> str:
        """Return a sentence to quote."""
        before, after = (_plain(value) for value in self.values)
        gap = self.interval_text()
        first, second = printable(self.first), printable(self.second)
        start = f"{printable(spoken(self.score))}: {first} {before}, {second} {after}, {second} − {first} {gap}"
        if self.is_range:
            seen = f"p between {self.chance_text(' and ')} depending on the pairing"
        else:
            seen = f"p {_with_sign(self.p_high)}"
            if not math.isnan(self.adjusted) and self.adjusted != self.p_high:
                seen += f", adjusted {_with_sign(self.adjusted)}"
        level = "" if self.level == _USUAL else f" (level {self.level:g})"
        return f"{start}; {self.test}, {seen}: {self.verdict}{level}."


def percent(number: float, most: float) -> str:
    """Return the advice to write a percentage as a share, if the number may be one."""
    return f"; for {number:g} % say {number / 100:g}" if abs(number) <= 100 * most else ""


def spoken(score: str) -> str:
    """Return the name of a score as reports have it; that of its class stays.

    >>> spoken("balanced_accuracy"), spoken("true_positive_rate[a_b]")
    ('balanced accuracy', 'true positive rate[a_b]')
    """
    name = score.partition("[")[0].partition("(")[0]
    return name.replace("_", " ") + score[len(name) :]


def heading(differences: Iterable[Difference]) -> str:
    """Return the heading of a column of differences, the later minus the earlier: of two models with their names."""
    pairs = {
        f"{printable(difference.second)} − {printable(difference.first)}"
        for difference in differences
    }
    return pairs.pop() if len(pairs) == 1 else "second − first"


def data_columns(values: Iterable[Any], names: Iterable[str], called: str = "{}") -> list[Column]:
    """Return the columns of some parts of values that only programs read."""
    each = list(values)
    return [
        Column(called.format(name), [getattr(difference, name) for difference in each], head=None)
        for name in names
    ]


def _plain(value: float, *, sign: bool = False) -> str:
    if math.isnan(value):
        return "–"
    # A negative zero says nothing.
    value = 0.0 if abs(value) < 0.0005 else value
    shown = f"{value:+.3f}" if sign and value else f"{value:.3f}"
    return shown.replace("-", "−")


def chance(p: float) -> str:
    """Return a p-value as people read it."""
    if math.isnan(p):
        return "–"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}" if p >= 1e-300 else "0"


def _in_print(p: float) -> str:
    return "–" if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def _with_sign(p: float) -> str:
    return "unknown" if math.isnan(p) else "< 1e-300" if p < 1e-300 else f"= {chance(p)}"


@dataclass(frozen=True)
class Pair:
    """Two models by name, with their matrices over the same labels."""

    names: tuple[str, str]
    matrices: tuple[ConfusionMatrix, ConfusionMatrix]

    def values(self, score: Score) -> tuple[float, float]:
        """Return the score of both."""
        first, second = (float(score(m)) for m in self.matrices)
        return first, second

    def slopes(self, score: Score) -> tuple[Slope, Slope]:
        """Return how the score of each moves with its cells."""
        if not score.metric.smooth:
            msg = (
                f"{score} has no derivative, so two matrices of the same items do not bound its "
                "difference; "
                "compare_predictions draws the items again"
            )
            raise NoSlopeError(msg)
        first, second = (slope(score.metric, m, **asked_how(score, m)) for m in self.matrices)
        return first, second

    def middle(self, score: Score) -> Slope:
        """Return how the score moves where both models are alike: halfway between them."""
        return slope(score.metric, self._middle, **asked_how(score, self._middle))

    @cached_property
    def _middle(self) -> ConfusionMatrix:
        return middle(*self.matrices)

    def share(
        self, score: Score, by: Slope
    ) -> tuple[tuple[float, float], tuple[Array, Array] | None]:
        """Return how many items the score of each is a share of, and who had them right if they are the same."""
        options = {"of": None, "average": None, **asked_how(score, self.matrices[0])}
        shares = [
            share_of(score.metric, m, float(score(m)), **options, outside="wrong")
            for m in self.matrices
        ]
        first, second = (
            math.nan if share is None or is_weighted(self) else float(share.of) for share in shares
        )
        return (first, second), right_of_same(
            *self.matrices, by, first
        ) if first == second else None

    def slopes_if_any(self, score: Score) -> tuple[Slope, Slope] | None:
        """The same, or None where the score has no derivative."""
        try:
            return self.slopes(score)
        except NoSlopeError:
            return None


def asked_how(score: Score, m: ConfusionMatrix) -> dict[str, Any]:
    """Return the options of a metric that make it the score."""
    options: dict[str, Any] = {} if score.average is None else {"average": score.average}
    return options if score.of is None else {**options, "of": label_spelt(m.labels, score.of)}


def is_weighted(pair: Pair) -> bool:
    """Whether items weigh differently."""
    return any(holds_weights(m) for m in pair.matrices)


def of_pairing(score: Score, pair: Pair, pairing: Pairing, level: float) -> Difference:
    """Return the difference from the answers of both models to the same items."""
    values = pair.values(score)
    gap, n = values[1] - values[0], pairing.total
    slopes = pair.slopes_if_any(score)
    if slopes is None:
        drawn = drawn_together(score, pair.matrices, pairing, level)
        return conclude(score, pair, values, drawn, level, "paired bootstrap", n, _NO_SLOPE)
    if gap and any(each.is_still for each in slopes):
        return conclude(score, pair, values, _UNKNOWN, level, DELTA, n)
    error, by = pairing.error_between(*slopes), pair.middle(score)
    items, right = pair.share(score, by)
    moved = moved_if_alike(by, pairing, items)
    few = moving_items(pairing, moved)
    note = f"the models differ on {few:.3g} items only" if few < FEW_ITEMS else ""
    if right is not None:
        down, up = (float(pairing.counts[sign * moved > 0].sum()) for sign in (-1, 1))
        p, ends = mid_p(down, up), tango(up, down, items[0], level)
        concluded = conclude(
            score, pair, values, Evidence(p, p, error, ends), level, MCNEMAR, items[0], note, few
        )
        return replace(
            concluded, discordant=(up, down) if score.metric.better == "lower" else (down, up)
        )
    shares = not math.isnan(sum(items))
    alike, more = pairing.error_if_alike(moved), math.sqrt(pairing.one_more(by))
    p = max(normal_p(gap, alike if shares else math.hypot(max(error, alike), more)), least_p(few))
    half = quantile(level) * math.hypot(error, more)
    if not few:
        half = max(half, half_unmoved(by, n, n * n / float(pairing.squares.sum()), level))
    evidence = Evidence(p, p, error, (gap - half, gap + half))
    return conclude(
        score, pair, values, evidence, level, _KOSINSKI if shares else DELTA, n, note, few
    )


def moved_if_alike(by: Slope, pairing: Pairing, items: tuple[float, float]) -> Array:
    """Return how far each pair of answers moves a score if models are alike, by its slope halfway between them.

    Each item may then as well have their answers swapped, and moves the score by as much. For
    shares of different items each, such as predictive values, the sum of squares is the variance of
    Kosinski's score test (Statistics in Medicine 32, 2013), which has the geometric mean of both
    numbers of items where the middle has the plain one.
    """
    sides = by.at(pairing.actual, pairing.first), by.at(pairing.actual, pairing.second)
    moved = sides[1] - sides[0]
    moved = np.where(np.abs(moved) > ROUNDING * np.abs(sides).max(initial=0.0), moved, 0.0)
    return moved * _kosinski(items)


def _kosinski(items: tuple[float, float]) -> float:
    return sum(items) / 2 / math.sqrt(math.prod(items)) if all(each > 0 for each in items) else 1.0


def moving_items(pairing: Pairing, moved: Array) -> float:
    """Return how many items move a score, or any of several; of weights, as many equal ones as tell as much (Kish)."""
    there = np.atleast_2d(moved).any(axis=0)
    return (
        float(pairing.counts[there].sum() ** 2 / pairing.squares[there].sum())
        if there.any()
        else 0.0
    )


def half_unmoved(by: Slope, total: float, drawn: float, level: float) -> float:
    """Return how far models may be apart that did not differ on any of n items or clusters.

    So many of them may differ as Wilson's bound of none says, each by as much as an answer can move
    the score; of a share of the same items that is Tango's interval. Where the derivative is 0 for
    any answer it does not tell how far.
    """
    own, cells = by.predicted + by.hit, by.cells[2] if by.cells is not None else np.zeros(1)
    farthest = np.maximum(own, by.predicted.max()) - np.minimum(own, by.predicted.min())
    reach = total * (farthest.max() + np.ptp(cells))
    return float(wilson(0.0, drawn, level)[1] * reach) if reach > ROUNDING else math.inf


def of_same_items(score: Score, pair: Pair, level: float) -> Difference:
    """Return the difference of two matrices of the same items, whose answers are unknown: a range of p-values."""
    values = pair.values(score)
    gap, n = values[1] - values[0], float(pair.matrices[0].total)
    slopes = pair.slopes(score)
    if gap and any(each.is_still for each in slopes):
        return conclude(score, pair, values, _UNKNOWN, level, DELTA, n)
    alone = sum(variance(each, m) for each, m in zip(slopes, pair.matrices, strict=True))
    by = pair.middle(score)
    items, right = pair.share(score, by)
    spans = [np.array(covariances(*pair.matrices, both)) for both in (slopes, (by, by))]
    sums = alone, sum(_squares(by, m) for m in pair.matrices)
    # The least and the greatest variance of both kinds, as they are and if the models are alike.
    spread = np.maximum(
        [total - 2 * span[::-1] for total, span in zip(sums, spans, strict=True)], 0.0
    )
    named: Any = sum(m.predicted_totals[: m.n_classes] for m in pair.matrices)
    rows, _, counts, squares = seen_cells(pair.matrices[0], "wrong")
    error, more = (
        math.sqrt(spread[0, 1]),
        one_more(by, named.astype(np.float64), rows, counts, squares),
    )
    if right is not None:
        chances, test = mid_p_range(*pair.matrices, right), f"{MCNEMAR}, over all pairings"
        _, most_apart, more = discordance(*pair.matrices, right)
        ends = tango((most_apart - more) / 2, (most_apart + more) / 2, items[0], level)
    else:
        fewest, shares = fewest_moving(*pair.matrices, by), not math.isnan(sum(items))
        low, high = (
            np.sqrt(spread[1]) * _kosinski(items) if shares else np.sqrt(spread.max(axis=0) + more)
        )
        chances = (max(normal_p(gap, low), least_p(n)), max(normal_p(gap, high), least_p(fewest)))
        test = f"{DELTA}, over all pairings"
        half = quantile(level) * math.sqrt(error**2 + more)
        if not fewest:
            half = max(half, half_unmoved(by, n, n, level))
        ends = (gap - half, gap + half)
    p_low, p_high = sorted(chances)
    return conclude(
        score,
        pair,
        values,
        Evidence(p_low, p_high, error, ends),
        level,
        test,
        n if right is None else items[0],
    )


def _squares(by: Slope, m: ConfusionMatrix) -> float:
    rows, cols, counts, _ = seen_cells(m, "wrong")
    return float(counts @ by.at(rows, cols) ** 2)


def of_separate_items(score: Score, pair: Pair, level: float) -> Difference:
    """Return the difference of two matrices of different items."""
    n = sum(float(m.total) for m in pair.matrices)
    slopes = pair.slopes_if_any(score)
    if slopes is None:
        drawn = drawn_apart(score, pair.matrices, level)
        return conclude(score, pair, pair.values(score), drawn, level, "bootstrap", n, _NO_SLOPE)
    error = math.sqrt(
        sum(max(variance(each, m), 0.0) for each, m in zip(slopes, pair.matrices, strict=True))
    )
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
    """Return the difference of two independent samples, of items or of clusters, from the bounds of each score.

    Where the standard error comes from few parts, they reach further: Student's t, with `free`
    degrees of freedom.
    """
    values = pair.values(score)
    gap = values[1] - values[0]
    told = [unseen(score, m) for m in pair.matrices]
    if told[0] != told[1]:
        test += "".join(
            f" ({printable(name)}: {what})"
            for name, what in zip(pair.names, told, strict=True)
            if what
        )
    ends = [_estimate(score, sample, level) for sample in samples]
    further = (
        1.0 if math.isinf(free) else student_quantile(1 - (1 - level) / 2, free) / quantile(level)
    )
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
    return conclude(score, pair, values, Evidence(p, p, error, (low, high)), level, test, items)


def _estimate(score: Score, m: Sample, level: float) -> Estimate:
    if isinstance(m, ConfusionMatrix):
        # Newcombe (1998) combines Wilson's bounds.
        estimate = interval(m, score, level=level, method="score")
    else:
        # How few clusters there are is in the degrees of freedom of the difference, which are those
        # of both samples.
        estimate = estimate_clusters(ask(m, score, level=level), m, few=False)
    assert isinstance(estimate, Estimate)
    return estimate


class Evidence(NamedTuple):
    """The least and the greatest p-value of a difference, its standard error and its bounds."""

    p_low: float
    p_high: float
    error: float
    ends: tuple[float, float]


# Evidence on a score that no single item moves, such as a mean that a class makes 0 because it is
# never found.
_UNKNOWN = Evidence(math.nan, math.nan, math.nan, (math.nan, math.nan))


def conclude(
    score: Score,
    pair: Pair,
    values: tuple[float, float],
    evidence: Evidence,
    level: float,
    test: str,
    items: float,
    note: str = "",
    moving: float = math.inf,
) -> Difference:
    """Return the difference with its verdict, and with what it would take to see it."""
    gap, (low, high, error, ends) = values[1] - values[0], evidence
    reach = quantile(level) + quantile(2 * POWER - 1)
    wanted = reach**2 * (error / gap) ** 2 * items if gap and error else math.nan
    needed = math.ceil(wanted) if math.isfinite(wanted) else math.nan
    bounds = ends_of(score.metric)
    if math.isnan(gap):
        ends, note = (math.nan, math.nan), score.metric.undefined or "it has no value"
    elif math.isnan(ends[0]) or math.isnan(ends[1]):
        note = "its variance has no value here"
    if not math.isnan(ends[0]):
        # No further apart than the score can be.
        ends = max(ends[0], bounds[0] - bounds[1]), min(ends[1], bounds[1] - bounds[0])
    ends = beside_zero(gap, high, ends, level)
    return Difference(
        str(score), *pair.names, values, gap, float(ends[0]), float(ends[1]), error, low, high, high, level, test,
        items, needed, reach * error or math.nan, verdict(low, high, 1 - level), note, None, score.metric.better,
        moving, bounds,
    )  # fmt: skip


def beside_zero(
    gap: float, p: float, ends: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return the interval with its end beside 0 where the test has it, so that both always agree about 0.

    That is as many standard errors away as the level says, of the error that goes with the p-value;
    or further, where the interval has it so and the test does not reject.
    """
    if not gap or math.isnan(p) or math.isnan(ends[0]):
        return ends
    end = gap * max(1 - quantile(level) / max(quantile(min(1 - p, 1 - 1e-15)), 1e-9), -1.0)
    if gap > 0:
        return (min(end, ends[0]) if p >= 1 - level else end), ends[1]
    return ends[0], (max(end, ends[1]) if p >= 1 - level else end)


def verdict(low: float, high: float, alpha: float) -> str:
    """Say in words what a range of p-values shows."""
    if math.isnan(low) or math.isnan(high):
        return "not comparable"
    if high < alpha:
        return DIFFERENT
    return "not shown to be different" if low >= alpha else UNDECIDED


# --- drawn again ----------------------------------------------------------------------------------

_DRAWN_TABLES = 10_000
_NUMBERS_AT_ONCE = 2**22
# Clusters that are drawn in all, unless that makes fewer tables than this.
_DRAWN_CLUSTERS, _FEWEST_TABLES = 2**27, 1000


def drawn_together(
    score: Score, matrices: tuple[ConfusionMatrix, ConfusionMatrix], pairing: Pairing, level: float
) -> Evidence:
    """Draw the same items again, each with both answers."""
    _check(score, matrices)
    # Each cell of the pairing is drawn as it is.
    ones, cells = np.ones(len(pairing.counts)), np.arange(len(pairing.counts))
    sides = [
        _side(m, pairing.actual, answers, ones, cells, len(cells))
        for m, answers in zip(matrices, (pairing.first, pairing.second), strict=True)
    ]
    rng = np.random.default_rng(0)
    items, shares = round(pairing.total), pairing.counts / pairing.total
    step = max(1, _NUMBERS_AT_ONCE // max(len(shares), 1))
    differences = []
    for start in with_progress(range(0, _DRAWN_TABLES, step)):
        drawn = rng.multinomial(items, shares, min(step, _DRAWN_TABLES - start)).astype(np.float64)
        before, after = (_values(score, draws, drawn @ onto) for draws, onto in sides)
        differences.append(after - before)
    return _evidence_of_draws(np.concatenate(differences), level)


def drawn_apart(
    score: Score, matrices: tuple[ConfusionMatrix, ConfusionMatrix], level: float
) -> Evidence:
    """Draw different items again, each matrix by itself."""
    _check(score, matrices)
    values = []
    for seed, m in enumerate(matrices):
        draws = Draws.of(m, seed=seed)
        values.append(
            np.concatenate([_values(score, draws, drawn) for drawn in draws.chunks(_DRAWN_TABLES)])
        )
    return _evidence_of_draws(values[1] - values[0], level)


def drawn_clusters(
    score: Score,
    matrices: tuple[ConfusionMatrix, ConfusionMatrix],
    contents: tuple[Contents, Contents],
    level: float,
    *,
    shared: bool,
) -> Evidence:
    """Draw clusters again, each with all its items, and with the answers of both models where they share it."""
    number = min(
        _DRAWN_TABLES, max(_FEWEST_TABLES, _DRAWN_CLUSTERS // max(held.number for held in contents))
    )
    values = []
    for seed, (m, held) in enumerate(zip(matrices, contents, strict=True)):
        draws, onto = _side(m, held.rows, held.cols, held.counts, held.cluster, held.number)
        # From the same seed come the same clusters.
        rng = np.random.default_rng(0 if shared else seed)
        chunks = _redrawn(rng, held.number, number, max(held.number, onto.shape[1]))
        values.append(np.concatenate([_values(score, draws, drawn @ onto) for drawn in chunks]))
    return _evidence_of_draws(values[1] - values[0], level)


def _redrawn(rng: np.random.Generator, clusters: int, number: int, width: int) -> Iterator[Array]:
    """How often each cluster is drawn, a row for each time that all are drawn again."""
    step = max(1, _NUMBERS_AT_ONCE // width)
    for start in range(0, number, step):
        rows = range(min(step, number - start))
        # Row by row, so that what is drawn does not depend on how many rows fit at once.
        drawn = [
            np.bincount(rng.integers(clusters, size=clusters), minlength=clusters) for _ in rows
        ]
        yield np.stack(drawn).astype(np.float64)


def _check(score: Score, matrices: tuple[ConfusionMatrix, ConfusionMatrix]) -> None:
    if any(holds_weights(m) for m in matrices):
        msg = (
            f"{score} has no derivative, and items with weights cannot be drawn again; "
            "compare counts, or another score"
        )
        raise InputError(msg)


def _side(
    m: ConfusionMatrix, actual: Any, answers: Any, counts: Any, at: Any, number: int
) -> tuple[Draws, Any]:
    """The cells of one model, and how many items of each part are in which of them."""
    from scipy.sparse import csr_array

    size = m.n_classes + 1
    actual, answers = np.minimum(actual, size - 1), np.minimum(answers, size - 1)
    places, belongs = np.unique(actual * size + answers, return_inverse=True)
    onto = csr_array((counts, (at, belongs)), shape=(number, len(places)))
    rows, cols = places // size, places % size
    # No score sees items that are outside on both sides.
    seen = (rows < size - 1) | (cols < size - 1)
    return Draws(m, rows[seen], cols[seen], np.zeros(int(seen.sum())), np.zeros(0)), onto[
        :, np.flatnonzero(seen)
    ]


def _values(score: Score, draws: Draws, drawn: Array) -> Array:
    scores = score.metric(draws.inputs(drawn, score.metric), **asked_how(score, draws.m))
    return np.asarray(scores, dtype=np.float64)


def _evidence_of_draws(differences: Array, level: float) -> Evidence:
    known = differences[~np.isnan(differences)]
    if not len(known):
        return Evidence(math.nan, math.nan, math.nan, (math.nan, math.nan))
    # One table more on each side, so that no number of tables proves that there is no doubt.
    least = min(np.count_nonzero(known <= 0), np.count_nonzero(known >= 0)) + 1
    p = float(min(1.0, 2 * least / (len(known) + 1)))
    if not known.any():
        # Models that never differ among these items may do so among others, by as much as the score
        # can.
        return Evidence(p, p, 0.0, (-math.inf, math.inf))
    return Evidence(p, p, float(known.std()), percentiles(known, level))
