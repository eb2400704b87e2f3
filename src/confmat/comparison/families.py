"""Families: several differences seen at once, whose p-values step down, and whose intervals have one critical value.

Max-t (Hothorn, Bretz and Westfall, Biometrical Journal 50, 2008): a p-value is adjusted to the
chance that the greatest of several differences is as far from nothing, if they are normal with the
correlations that the gradients give. Shown differences leave the family, and the rest are held
against each other alone, until none more is shown (Romano and Wolf, Journal of the American
Statistical Association 100, 2005). Intervals keep the first critical value; of a difference that is
shown at a later step the near end is 0, the bound that goes with it (Strassburger and Bretz,
Statistics in Medicine 27, 2008). The chance is drawn by importance: one lies beyond, the others as
they do given it, and what several have beyond counts once (Naiman and Priebe, 2001). Where
correlations are unknown, Sidak's (1967) bound holds for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from operator import methodcaller
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.comparison.boards import MANY, Board
from confmat.comparison.clusters import FEW, Clusters
from confmat.comparison.differences import Difference, Pair, verdict
from confmat.comparison.pairing import Pairing
from confmat.comparison.significance import holm
from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.folds import FOLD
from confmat.intervals.variance import Slope, seen_cells
from confmat.metrics import Score

Array = NDArray[np.float64]
Slopes = Sequence[tuple[Slope, Slope] | None]
Adjust = Literal["max-t", "joint", "holm", "none"]
# Beyond this many members correlations are left out: Sidak's bound is little worse.
_MOST_MEMBERS, _MOST_SCORES = 200, 1000
_DRAWS, _HALVINGS = 2048, 30


@dataclass(frozen=True)
class Family:
    """The correlations of several normal differences; None if they are unknown."""

    size: int
    correlation: Array | None = None

    def chance(self, p: float) -> float:
        """The chance that any of them is as far from nothing as a p-value of this size says.

        >>> round(Family(3).chance(0.01), 6)
        0.029701
        """
        from scipy.special import ndtr, ndtri

        if not 0 < p < 1 or self.correlation is None:
            return -math.expm1(self.size * math.log1p(-p)) if p < 1 else p
        least, (drawn, shares, chosen) = -float(ndtri(p / 2)), self._drawn
        beyond = -ndtri(shares * ndtr(-least))
        others = (
            drawn + self.correlation[chosen] * (beyond - drawn[np.arange(_DRAWS), chosen])[:, None]
        )
        number = np.maximum((np.abs(others) >= least).sum(axis=1), 1)
        return float(min(1.0, max(p, self.size * p * (1 / number).mean())))

    def critical(self, alpha: float) -> float:
        """The p-value at which that chance is `alpha`."""
        low, high = alpha / self.size, alpha
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.chance(middle) < alpha else (low, middle)
        return high

    @cached_property
    def _drawn(self) -> tuple[Array, Array, NDArray[np.intp]]:
        """Normal numbers that are correlated so, shares of a tail, and the member that lies beyond."""
        rng = np.random.default_rng(0)
        assert self.correlation is not None
        values, vectors = np.linalg.eigh(self.correlation)
        drawn = (
            rng.standard_normal((_DRAWS, self.size)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
        )
        return drawn, 1 - rng.random(_DRAWS), np.arange(_DRAWS) % self.size


def adjusted(
    each: Sequence[Difference],
    adjust: str,
    correlation: Array | None,
    again: Callable[[int, float], Difference],
) -> list[Difference]:
    """Return the same differences with p-values and intervals adjusted for their number.

    `again` gives one of them at another level.
    """
    known = [place for place, difference in enumerate(each) if not math.isnan(difference.p_high)]
    if len(known) < 2 or adjust == "none":
        return list(each)
    alpha, adapted = 1 - each[0].level, list(each)
    lows, highs = (
        np.array([getattr(difference, p) for difference in each]) for p in ("p_low", "p_high")
    )
    if adjust == "holm":
        lows, highs = (np.array(holm(side.tolist())) for side in (lows, highs))
    else:
        table = None if correlation is None else correlation[np.ix_(known, known)]
        sharp = Family(len(known), table).critical(alpha)
        is_range = (lows != highs)[known].any()
        highs[known] = stepped(highs[known], table, alpha)
        lows[known] = stepped(lows[known], table, alpha) if is_range else highs[known]
        for place in known:
            is_later = highs[place] < alpha and each[place].p_high >= sharp
            adapted[place] = _widened(each[place], again(place, 1 - sharp), is_later=is_later)
    return [
        replace(difference, adjusted=high, verdict=verdict(low, high, alpha))
        for difference, low, high in zip(adapted, lows.tolist(), highs.tolist(), strict=True)
    ]


def _widened(difference: Difference, wider: Difference, *, is_later: bool) -> Difference:
    """A difference with the wider interval; if it is shown at a later step, all that is known of it is the sign."""
    low, high = wider.low, wider.high
    if is_later:
        low, high = (0.0, high) if difference.difference > 0 else (low, 0.0)
    return replace(difference, low=low, high=high, test=wider.test)


def stepped(p: Array, correlation: Array | None, alpha: float) -> Array:
    """Adjust p-values step by step: what is shown leaves the family, and what is left has a sharper critical value.

    >>> stepped(np.array([0.001, 0.02, 0.5]), None, 0.05).round(4).tolist()
    [0.003, 0.0396, 0.5]
    """
    found, rest, least = np.empty(len(p)), np.arange(len(p)), 0.0
    # On the side of alpha on which the intervals are.
    under = alpha * (1 - 1e-12)
    while len(rest):
        family = Family(len(rest), None if correlation is None else correlation[np.ix_(rest, rest)])
        shown = p[rest] < family.critical(alpha)
        for place, is_shown in zip(rest, shown, strict=True):
            chance = max(family.chance(float(p[place])), least)
            found[place] = min(chance, under) if is_shown else max(chance, alpha)
        if not shown.any():
            break
        least, rest = float(found[rest[shown]].max()), rest[~shown]
    return found


def correlation_of(
    members: Sequence[tuple[int, int, int]], covariance: Array | None
) -> Array | None:
    """Correlate differences, each between two models and of one score, by their places."""
    if covariance is None or len(members) > _MOST_MEMBERS:
        return None
    first, second, scores = (np.array(part) for part in zip(*members, strict=True))
    models, width, *_ = covariance.shape
    contrasts: Array = np.zeros((len(members), models, width))
    contrasts[np.arange(len(members)), second, scores] += 1
    contrasts[np.arange(len(members)), first, scores] -= 1
    contrasts = contrasts.reshape(len(members), -1)
    # A difference without a variance, or without a known one, says nothing of the others.
    known = np.where(np.isfinite(covariance), covariance, 0.0).reshape(models * width, -1)
    table = contrasts @ known @ contrasts.T
    errors = np.sqrt(np.maximum(np.diag(table), 0.0))
    if not errors.any():
        return None
    scales = np.outer(errors, errors)
    table = np.clip(np.divide(table, scales, out=np.zeros_like(table), where=scales > 0), -1, 1)
    np.fill_diagonal(table, 1.0)
    return table


def covariance_of(
    scores: Sequence[Score],
    matrices: Mapping[str, ConfusionMatrix],
    pairings: Mapping[tuple[str, str], Pairing | Clusters],
    design: str,
) -> Array | None:
    """Return covariances by model and score, twice; None where they are unknown, NaN without a derivative."""
    names, width = list(matrices), len(scores)
    is_board = isinstance(pairings, Board) and len(names) > MANY
    if design == "same items" or is_board or len(names) * width > _MOST_SCORES:
        return None
    places = combinations(range(len(names)), 2)
    pairs = {(i, j): pairings.get((names[i], names[j])) for i, j in places}
    if any(isinstance(pair, Clusters) and _is_unsure(pair) for pair in pairs.values()):
        return None
    slopes = [
        [Pair((name, name), (m, m)).slopes_if_any(score) for score in scores]
        for name, m in matrices.items()
    ]
    found = np.zeros((len(names), width, len(names), width))
    each = list(matrices.values())
    for (i, j), pair in pairs.items():
        (first, weight), (second, other) = _added(pair, (slopes[i], slopes[j]), (each[i], each[j]))
        found[i, :, i], found[j, :, j] = weight * first @ first.T, other * second @ second.T
        if pair is not None and pair.shared:
            found[i, :, j] = weight * first @ second.T
            found[j, :, i] = found[i, :, j].T
    return found


def _is_unsure(pair: Clusters) -> bool:
    """Whether clusters are too few to know their covariances well enough."""
    return min(held.number for held in pair.contents) < FEW or pair.axis == FOLD


def _added(
    pair: Pairing | Clusters | None,
    slopes: tuple[Slopes, Slopes],
    matrices: tuple[ConfusionMatrix, ConfusionMatrix],
) -> list[tuple[Array, Any]]:
    """The share of each item or cluster of two models in the scores, less the mean, and how much it weighs."""
    if isinstance(pair, Clusters):
        return [
            (_centered(by, held.added, np.ones(held.number)), held.number / (held.number - 1))
            for by, held in zip(slopes, pair.contents, strict=True)
        ]
    if pair is None:
        cells = [seen_cells(m, "wrong") for m in matrices]
    else:
        sides = pair.first, pair.second
        cells = [(pair.actual, side, pair.counts, pair.squares) for side in sides]
    return [
        (_centered(by, methodcaller("at", rows, cols), counts), squares)
        for by, (rows, cols, counts, squares) in zip(slopes, cells, strict=True)
    ]


def _centered(slopes: Slopes, read: Callable[[Slope], Array], counts: Array) -> Array:
    """A row for each score: what is read of its slope, less the mean over the items; NaN without a slope."""
    part = np.array([np.full(len(counts), np.nan) if by is None else read(by[0]) for by in slopes])
    return np.asarray(part - (part @ counts / counts.sum())[:, None])
