"""Ratios of the scores of two models, or of two diagnostic tests of the same patients, and tests of several at once.

A ratio is taken on the scale of logarithms, with the variance that both gradients give, each over
its score. From the answers to the same items that is the variance of Moskowitz and Pepe, Clinical
Trials 3 (2006), for predictive values; of Gu and Pepe, Biostatistics 10 (2009), for likelihood
ratios; and of Alonzo, Pepe and Moskowitz, Statistics in Medicine 21 (2002), for sensitivities and
specificities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from confmat.comparison.clusters import Clusters, log_error
from confmat.comparison.differences import Pair, Sample, moved_if_alike, moving_items
from confmat.comparison.pairing import Pairing, covariances
from confmat.comparison.significance import Significance, joint, least_p, p_and_error
from confmat.core.errors import InputError
from confmat.core.text import printable, some
from confmat.intervals import interval
from confmat.intervals.bounds import student_quantile
from confmat.intervals.estimates import Estimate
from confmat.intervals.variance import Slope, variance
from confmat.metrics import Score

# A standard error that is rounding.
_ROUNDING = 1e-12
_DELTA, _BOTH = "delta method of logarithms", "bounds of both scores (Bonferroni)"


@dataclass(frozen=True, repr=False, eq=False)
class Ratio(Estimate):
    """How many times as much of a score the second model has as the first: the later over the earlier.

    `values` are the two scores, `log_se` is the standard error of the logarithm, and `p_value` that
    of a ratio of 1.
    """

    values: tuple[float, float] = (math.nan, math.nan)
    log_se: float = math.nan
    p_value: float = math.nan

    def _facts(self) -> list[str]:
        return [*super()._facts(), "" if math.isnan(self.p_value) else f"p {self.p_value:.3g}"]


def ratio(
    score: Score, pair: Pair, known: Pairing | Clusters | None, design: str, level: float
) -> Ratio:
    """Return the ratio of one score, by what is known of the items.

    Where a score is 0 or has no value, or nothing moves it, the logarithm has no variance; then the
    bounds of both scores, each at half the error, bound their ratio whatever the answers have to do
    with each other.
    """
    least, values = score.metric.bounds[0], pair.values(score)
    if least is None or least < 0:
        msg = f"a ratio is of a score that is never below 0, and {score} can be; of({str(score)!r}) has its difference"
        raise InputError(msg)
    error, few, free, slopes = math.nan, math.inf, math.inf, None
    if all(0 < value < math.inf for value in values):
        slopes = pair.slopes_if_any(score)
    if slopes is not None and isinstance(known, Clusters):
        error, free = log_error(score, pair, known, slopes, values)
        few = min(known.differing(slopes), free + 1) if known.shared else few
    elif slopes is not None:
        error = _log_error(pair, slopes, values, known, design)
        if isinstance(known, Pairing):
            few = moving_items(known, moved_if_alike(pair.middle(score), known, (0, 0)))
    rest: Any = {
        "level": level, "design": design, "values": values,
        "name": f"{score}, {printable(pair.names[1])} / {printable(pair.names[0])}",
    }  # fmt: skip
    if not error > _ROUNDING:
        samples = known.stacks if isinstance(known, Clusters) else pair.matrices
        why = (
            "the score has no derivative"
            if slopes is None
            else "nothing that moves it differs between the models"
        )
        return _of_both(score, pair.names, values, samples, why, rest)
    return by_logarithm(values, error, few, free, rest)


def by_logarithm(
    values: tuple[float, float], error: float, few: float, free: float, rest: dict[str, Any]
) -> Ratio:
    """The ratio of two scores, from the standard error of its logarithm."""
    value, share = values[1] / values[0], (1 + rest["level"]) / 2
    p, error = p_and_error(math.log(value), error, few, free)
    reach = error * student_quantile(share, free)
    ends = value * math.exp(-reach), value * math.exp(reach)
    return Ratio(value, *ends, method=_DELTA, se=value * error, log_se=error, p_value=p, **rest)


def _log_error(
    pair: Pair, slopes: tuple[Slope, Slope], values: tuple[float, float], known: Any, design: str
) -> float:
    """The standard error of the logarithm of a ratio; of two matrices of the same items, under the worst pairing."""
    if known is not None:
        answers = (known.first, known.second)
        before, after = (
            by.at(known.actual, at) / value
            for by, at, value in zip(slopes, answers, values, strict=True)
        )
        return known.error_of(after - before)
    alone = sum(
        variance(by, m) / v**2 for by, m, v in zip(slopes, pair.matrices, values, strict=True)
    )
    shared = (
        covariances(*pair.matrices, slopes)[0] / math.prod(values)
        if design == "same items"
        else 0.0
    )
    return math.sqrt(max(alone - 2 * shared, 0.0))


def _of_both(
    score: Score,
    names: tuple[str, str],
    values: tuple[float, float],
    samples: tuple[Sample, Sample],
    why: str,
    rest: Any,
) -> Ratio:
    """The ratio between the bounds of both scores, each at half the error."""
    first, second = (interval(sample, score, level=(1 + rest["level"]) / 2) for sample in samples)
    assert isinstance(first, Estimate)
    assert isinstance(second, Estimate)
    if math.isnan(first.low) or math.isnan(second.low):
        return Ratio(
            math.nan, math.nan, math.nan, note=f"no ratio: {first.note or second.note}", **rest
        )
    value = values[1] / values[0] if 0 < values[0] < math.inf and values[1] < math.inf else math.nan
    low = second.low / first.high if first.high > 0 else 0.0
    high = second.high / first.low if first.low > 0 else math.inf
    lost = [name for name, value in zip(names, values, strict=True) if not 0 < value < math.inf]
    note = f"{score} of {some(lost)} is 0 or has no value" if lost else why
    return Ratio(value, low, high, method=_BOTH, note=note, **rest)


def joint_test(scores: Sequence[Score], pair: Pair, known: Pairing) -> Significance:
    """Test whether two models have the same of several scores, with the variance that models which are alike have.

    Its statistic is, for sensitivity and specificity, the sum of both of McNemar's: Lachenbruch and
    Lynch, Statistics in Medicine 17 (1998).
    """
    gaps = np.array([second - first for first, second in map(pair.values, scores)])
    if (
        not len(scores)
        or not np.isfinite(gaps).all()
        or any(pair.slopes_if_any(score) is None for score in scores)
    ):
        names = some(map(str, scores))
        msg = f"a joint test is of scores that have a value and a derivative for both models; got {names}"
        raise InputError(msg)
    middles = [(score, pair.middle(score)) for score in scores]
    moved = np.array([moved_if_alike(by, known, pair.share(score, by)[0]) for score, by in middles])
    test = joint(
        gaps, known.squares * moved @ moved.T, " and ".join(map(str, scores)), "joint score test"
    )
    return replace(test, p_value=max(test.p_value, least_p(moving_items(known, moved))))
