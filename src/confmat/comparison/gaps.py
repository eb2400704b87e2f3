"""`gap`: how far apart a score is between groups of people or places, with bounds that hold for the widest gap.

The largest value less the smallest is never below 0, so the interval of two groups that were picked
for being far apart says too much. Here all groups are compared at once: Newcombe's (1998)
difference of the bounds of each two, at Tukey's critical value, holds for all pairs together, so
the largest of the lower ends and the largest of the upper ones bound the widest gap, whichever pair
it is. Ratios combine the same bounds (Donner and Zou, Statistical Methods in Medical Research 21,
2012).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, ClassVar, Never

import numpy as np
from numpy.typing import NDArray

from confmat.comparison.differences import data_columns
from confmat.comparison.families import Family
from confmat.core.errors import InputError, Message
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, told
from confmat.core.stack import Stack, key_columns, key_text
from confmat.core.tables import DASH, Column, Drawn, Table, Tabular, to_plain
from confmat.core.text import printable, some
from confmat.intervals import Estimate, interval
from confmat.intervals.bounds import check_level, ends_of
from confmat.intervals.clusters import PARTS, SAME_ITEMS
from confmat.metrics import Score
from confmat.metrics.catalog import one_number

Array = NDArray[np.float64]
# Criteria of fairness, each with the scores that are to be alike in all groups.
CRITERIA: dict[str, tuple[str, ...]] = {
    "demographic_parity": ("detection_prevalence",),
    "four_fifths": ("detection_prevalence",),
    "equal_opportunity": ("recall",),
    "equalized_odds": ("recall", "false_positive_rate"),
    "predictive_parity": ("precision",),
}
_FOUR_FIFTHS = 0.8
# Stacks whose matrices are no groups of items.
_OTHERS = {
    **dict.fromkeys(SAME_ITEMS, "its matrices are of the same items"),
    **dict.fromkeys(
        PARTS, "its parts are drawn, so their scores differ by chance; `interval` allows for that"
    ),
    "model": "its matrices are of models: `compare` says which of two differ",
}
# Groups whose correlations are taken into account: beyond, they change little.
_MOST_CORRELATED = 200
# Groups that a sentence names, and steps of integrals and of halving.
_MOST_NAMED, _STEPS, _HALVINGS = 6, 2001, 50


@dataclass(frozen=True)
class GroupScores:
    """One score of each group, from the least to the greatest, and each group against the rest.

    `rest` is each group less the mean of the others, `gap` and `ratio` are values with their
    bounds, and `apart` says of each two groups, the lower one in rows, whether they are shown to
    differ.
    """

    score: str
    groups: tuple[Any, ...]
    estimates: tuple[Estimate, ...]
    rest: tuple[Estimate, ...]
    gap: tuple[float, float, float]
    ratio: tuple[float, float, float]
    apart: NDArray[np.bool_]
    without: tuple[Any, ...] = ()

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return each two groups that are shown to differ, the lower first."""
        return [
            (self.groups[low], self.groups[high]) for low, high in np.argwhere(self.apart).tolist()
        ]

    @property
    def differs(self) -> list[bool]:
        """Whether each group is shown to differ from the rest."""
        return [not (math.isnan(estimate.low) or 0 in estimate) for estimate in self.rest]

    @property
    def _shown(self) -> str:
        """Which groups are shown to differ, in words."""
        pairs, size = self.pairs(), math.comb(len(self.groups), 2)
        if not pairs:
            return "no two groups are shown to differ"
        named = [f"{key_text(low)} below {key_text(high)}" for low, high in pairs[:_MOST_NAMED]]
        text, left = f"shown are {'; '.join(named)}", size - len(pairs)
        if len(pairs) > _MOST_NAMED:
            text += f" and {len(pairs) - _MOST_NAMED:,} pairs more"
        return f"{text}; {left:,} of {size:,} pairs are open" if left else text


@dataclass(frozen=True, eq=False)
class Gap(Tabular):
    """How far apart groups are on a score: the largest value less the smallest, and the smallest over the largest.

    Attributes
    ----------
    name
        The score or criterion that was asked for.
    axis
        The name of the groupings, such as "sex".
    difference
        The largest less the smallest, with its interval.
    ratio
        The smallest over the largest, with its interval; NaN where the score can be below 0.
    parts
        The scores, each with its groups in order: one, or both rates of equalized odds, whose wider
        gap counts.
    level
        The confidence with which all intervals of the gap hold at once.
    """

    name: str
    axis: str
    difference: Estimate
    ratio: Estimate
    parts: tuple[GroupScores, ...]
    level: float
    # The drawing of `confmat.plot`.
    _drawing: ClassVar[str] = "gaps"

    @property
    def lowest(self) -> Any:
        """The group with the smallest value of the score that has the widest gap."""
        return self._widest.groups[0]

    @property
    def highest(self) -> Any:
        """The group with the largest value of the score that has the widest gap."""
        return self._widest.groups[-1]

    @property
    def _widest(self) -> GroupScores:
        return max(self.parts, key=lambda part: part.gap[0])

    def at_least(self, share: float = _FOUR_FIFTHS) -> str:
        """Say whether the ratio is at least a share, such as the four fifths: "holds", "fails" or "undecided".

        Parameters
        ----------
        share
            The least ratio, between 0 and 1.
        """
        check_level(share)
        low, high = self.ratio
        return "holds" if low >= share else "fails" if high < share else "undecided"

    def sentences(self) -> list[str]:
        """Return what is shown and what is not, in sentences to quote."""
        held = f"{100 * self.level:g} % confidence for all groups at once"
        found = [f"{printable(self.name)}: gap {self.difference}, ratio {self.ratio} ({held})."]
        if self.name == "four_fifths":
            found.append(f"The ratio is at least {_FOUR_FIFTHS:g}: {self.at_least()}.")
        for part in self.parts:
            found.append(f"{part.score}: {part._shown}.")
            if part.without:
                found.append(f"Without a value of {part.score}: {some(part.without)}.")
        return found

    def table(self) -> Table:
        """Return the groups in order, with their scores and with what each has more than the rest."""
        groups, estimates, rest, differs = (
            [*chain(*map(attrgetter(name), self.parts))]
            for name in ("groups", "estimates", "rest", "differs")
        )
        scores = [part.score for part in self.parts for _ in part.groups]
        ends = np.array([(estimate.low, estimate.value, estimate.high) for estimate in estimates])
        seen, head = ends[np.isfinite(ends)], scores[0]
        several: list[Column] = []
        if len(self.parts) > 1:
            head, several = "value", [Column("score", scores, str, is_label=True, is_index=True)]
        drawn = Drawn(ends, float(seen.min(initial=0.0)), float(seen.max(initial=0.0)) or 1.0)
        columns = (
            *several,
            *key_columns(self.axis, groups),
            Column(None, estimates, format, head, drawn=drawn),
            Column(None, rest, _signed, "less the rest"),
            Column("shown", differs, lambda is_shown: "shown" if is_shown else "", "", align="<"),
            *data_columns(estimates, ("value", "low", "high")),
            *data_columns(rest, ["value"], "less_rest"),
        )
        starts = np.cumsum([len(part.groups) for part in self.parts])[:-1]
        return Table(
            columns,
            tuple(self.sentences()),
            rules=tuple(starts.tolist()),
            shown=(len(groups), 0, 0),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(to_plain(asdict(self), "none"))


@door
def gap(m: Stack, score: Any, *more: Never, level: float = 0.95) -> Gap:
    """Say how far apart groups are on a score, with bounds that hold for the widest gap, and who is apart from whom.

    Parameters
    ----------
    m
        A matrix for each group, as `count(actual, predicted, by=groups)` gives them; items belong
        to one group each.
    score
        Any score that is one number, as in `interval`; or what fairness is called:
        "demographic_parity" (the share of positive answers), "four_fifths" (its ratio held against
        0.8), "equal_opportunity" (recall), "equalized_odds" (recall and false positive rate, the
        wider gap), "predictive_parity" (precision). With more than two classes, of one:
        "equal_opportunity[Cat]".
    level
        The confidence with which the bounds of all pairs hold at once.

    Returns
    -------
    Gap
        The widest gap and the ratio with their intervals, and the groups in order.

    Raises
    ------
    InputError
        If it is no stack of groups, or fewer than two groups have a value.

    Examples
    --------
    >>> import confmat as cm
    >>> groups = cm.Stack(
    ...     {
    ...         "north": cm.ConfusionMatrix([[80, 20], [10, 90]], positive=1),
    ...         "south": cm.ConfusionMatrix([[85, 15], [30, 70]], positive=1),
    ...     },
    ...     axis="region",
    ... )
    >>> found = gap(groups, "equal_opportunity")
    >>> print(found.difference, found.lowest, found.parts[0].pairs())
    0.200 [0.090, 0.306] south [('south', 'north')]
    """
    if more or not isinstance(m, Stack):
        msg = (
            "`gap` takes a stack of groups and a score: gap(count(actual, predicted, by=groups), "
            f"'recall'); got {told(m)}"
        )
        raise InputError(msg)
    for axis in _OTHERS.keys() & set(m.axis.split(", ")):
        msg = "`gap` takes a stack of groups, and along {!r} {}"
        raise InputError(Message(msg, m.axis, _OTHERS[axis]))
    check_level(level)
    asked = _scores(score, m)
    # All intervals of several scores hold at once.
    each = 1 - (1 - level) / len(asked)
    parts = tuple(_groups(m, score, each, level) for score in asked)
    name = str(score) if isinstance(score, str) else str(asked[0])
    at_once = f", {len(parts)} scores at once (Bonferroni)" if len(parts) > 1 else ""
    difference, ratio = (
        _combined(ends, level, f"{method} at Tukey's critical value{at_once}", f"{what} of {name}")
        for what, method, ends in (
            ("gap", "Newcombe's differences", np.max([part.gap for part in parts], axis=0)),
            ("ratio", "Donner and Zou's ratios", np.min([part.ratio for part in parts], axis=0)),
        )
    )
    return Gap(name, m.axis, difference, ratio, parts, level)


def _scores(asked: Any, m: Stack) -> list[Score]:
    if not isinstance(asked, str):
        return [one_number(asked, m.labels)]
    name, bracket, label = asked.partition("[")
    return [
        one_number(criterion + bracket + label, m.labels)
        for criterion in CRITERIA.get(name.replace(" ", "_"), (name,))
    ]


def _groups(m: Stack, score: Score, together: float, level: float) -> GroupScores:
    """The groups in the order of one score; pairs hold at `together`, intervals of each by itself at `level`."""
    order, without = _in_order(m, score)
    matrices = [m[key] for key in order]
    critical = math.erf(tukey(together, len(order)) / math.sqrt(2))
    wide = [_estimate(matrix, score, critical) for matrix in matrices]
    low, value, high = bounds = np.array(
        [(estimate.low, estimate.value, estimate.high) for estimate in wide]
    ).T
    below, above = value - low, high - value
    # The group in the column less the one in the row.
    gaps, pairs = value - value[:, None], ~np.eye(len(order), dtype=bool)
    least = gaps - np.hypot(above[:, None], below)
    most = float((gaps + np.hypot(below[:, None], above))[pairs].max())
    first, last = ends_of(score.metric)
    return GroupScores(
        str(score),
        tuple(order),
        tuple(_estimate(matrix, score, level) for matrix in matrices),
        tuple(_less_rest(matrices, score, wide, level)),
        (float(value[-1] - value[0]), max(float(least[pairs].max()), 0.0), min(most, last - first)),
        _ratio(bounds, pairs, score),
        np.triu(least > 0, 1),
        without,
    )


def _in_order(m: Stack, score: Score) -> tuple[list[Any], tuple[Any, ...]]:
    """The groups from the least value to the greatest, at least two, and those without a value."""
    values = {key: float(score(matrix)) for key, matrix in m.items()}
    without = tuple(key for key, value in values.items() if math.isnan(value))
    order = sorted((key for key in values if key not in without), key=values.__getitem__)
    if len(order) < 2:
        few = f"only {some(order)} has one" if order else "none has one"
        msg = "a gap of {} is between at least two groups with a value, and {}"
        raise InputError(Message(msg, str(score), few))
    return order, without


def _estimate(m: ConfusionMatrix, score: Score, level: float) -> Estimate:
    found = interval(m, score, level=level)
    assert isinstance(found, Estimate)
    return found


def _ratio(bounds: Array, pairs: NDArray[np.bool_], score: Score) -> tuple[float, float, float]:
    """The smallest value over the largest, with the least of the bounds of all ratios."""
    least = score.metric.bounds[0]
    low, value, high = bounds
    if least is None or least < 0 or not value[-1] > 0:
        return math.nan, math.nan, math.nan
    # The lower end of the group in the row over that in the column, without a difference of close
    # numbers.
    bottom = np.outer(value, value)
    ours, others = low * (2 * value - low), high * (2 * value - high)
    root = np.sqrt(np.maximum(bottom**2 - np.outer(ours, others), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(ours[:, None] > 0, ours[:, None] / (bottom + root), 0.0)
        last = np.where(first.T > 0, 1 / first.T, math.inf)
    return (
        float(value[0] / value[-1]),
        float(first[pairs].min()),
        min(float(last[pairs].min()), 1.0),
    )


def _less_rest(
    matrices: Sequence[ConfusionMatrix], score: Score, each: Sequence[Estimate], level: float
) -> list[Estimate]:
    """Each group less the mean of the others, all at once; a share weighs as the items do that it is of."""
    items = [float(m.total) for m in matrices]
    if getattr(score.metric, "share_of", None):
        items = [estimate.n_eff for estimate in each]
    others = np.where(np.eye(len(items)), 0.0, np.nan_to_num(items))
    contrasts = np.eye(len(items)) - others / others.sum(axis=1, keepdims=True)
    table = contrasts * np.square([estimate.se for estimate in each]) @ contrasts.T
    errors = np.sqrt(np.diag(table))
    known = len(items) <= _MOST_CORRELATED and bool((errors > 0).all())
    correlation = np.clip(table / np.outer(errors, errors), -1, 1) if known else None
    reach = 1 - Family(len(items), correlation).critical(1 - level)
    found = [_estimate(m, score, reach) for m in matrices]
    bounds = np.array([(estimate.low, estimate.value, estimate.high) for estimate in found])
    low, value, high = (contrasts[:, :, None] * bounds).T
    middle = value.sum(axis=0)
    down = np.linalg.norm(np.minimum(low, high) - value, axis=0)
    up = np.linalg.norm(np.maximum(low, high) - value, axis=0)
    method = "Newcombe's differences at the critical value of all groups"
    ends = np.array([middle, middle - down, middle + up]).T
    return [
        _combined(each, level, method, f"{score} less the rest", float(error))
        for each, error in zip(ends, errors, strict=True)
    ]


def _combined(
    ends: Iterable[float], level: float, method: str, name: str, error: float = math.nan
) -> Estimate:
    value, low, high = map(float, ends)
    return Estimate(value, low, high, level, method, "separate items", se=error, name=name)


def tukey(level: float, groups: int) -> float:
    """The critical value of each difference of some groups, in standard errors, that holds for all of them at once.

    The range of as many normal numbers, over the square root of 2: Tukey (1953).

    >>> round(tukey(0.95, 2), 4), round(tukey(0.95, 6), 4)
    (1.96, 2.8497)
    """
    from scipy.special import ndtr

    x = np.linspace(-8.0, 8.0, _STEPS)
    density, own = np.exp(-x * x / 2) / math.sqrt(2 * math.pi), ndtr(x)
    low, high = 0.0, 20.0
    for _ in range(_HALVINGS):
        at = (low + high) / 2
        # The lowest of them is x, and all others lie within `at` above it.
        inside = groups * np.trapezoid(density * (ndtr(x + at) - own) ** (groups - 1), x)
        low, high = (at, high) if inside < level else (low, at)
    return high / math.sqrt(2)


def _signed(difference: Estimate) -> str:
    return f"{difference.value:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]".replace(
        "-", "−"
    ).replace("nan", DASH)
