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
# Beyond so many members correlations are left out: Sidak's bound is little worse.
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
    how: str,
    correlation: Array | None,
    again: Callable[[int, float], Difference],
) -> list[Difference]:
    """Return the same differences with p-values and intervals adjusted for their number.

    `again` gives one of them at another level.
    """
    known = [place for place, one in enumerate(each) if not math.isnan(one.p_high)]
    if len(known) < 2 or how == "none":
        return list(each)
    alpha, adapted = 1 - each[0].level, list(each)
    sides = [np.array([getattr(one, p) for one in each]) for p in ("p_low", "p_high")]
    if how == "holm":
        sides = [np.array(holm(side.tolist())) for side in sides]
    else:
        table = None if correlation is None else correlation[np.ix_(known, known)]
        sharp = Family(len(known), table).critical(alpha)
        low, high = (side[known] for side in sides)
        sides[1][known] = stepped(high, table, alpha)
        sides[0][known] = sides[1][known] if (low == high).all() else stepped(low, table, alpha)
        for place in known:
            wider = again(place, 1 - sharp)
            ends = wider.low, wider.high
            if sides[1][place] < alpha and each[place].p_high >= sharp:
                # Shown at a later step: all that is known of the size is the sign.
                ends = (0.0, ends[1]) if each[place].difference > 0 else (ends[0], 0.0)
            adapted[place] = replace(each[place], low=ends[0], high=ends[1], test=wider.test)
    return [
        replace(one, adjusted=high, verdict=verdict(low, high, alpha))
        for one, low, high in zip(adapted, *(side.tolist() for side in sides), strict=True)
    ]


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
    slopes = [
        [Pair((name, name), (m, m)).slopes_if_any(score) for score in scores]
        for name, m in matrices.items()
    ]
    found = np.zeros((len(names), width, len(names), width))
    for i, j in combinations(range(len(names)), 2):
        pair = pairings.get((names[i], names[j]))
        if isinstance(pair, Clusters):
            # So few do not know their covariances well enough.
            if min(held.number for held in pair.contents) < FEW or pair.axis == FOLD:
                return None
            both = zip((i, j), pair.contents, strict=True)
            parts = [_centered(slopes[k], held.added, np.ones(held.number)) for k, held in both]
            weights: list[Any] = [part.shape[1] / (part.shape[1] - 1) for part in parts]
        else:
            if pair is None:
                cells = [seen_cells(matrices[names[k]], "wrong") for k in (i, j)]
            else:
                cells = [
                    (pair.actual, side, pair.counts, pair.squares)
                    for side in (pair.first, pair.second)
                ]
            parts = [
                _centered(slopes[k], lambda by, rows=rows, cols=cols: by.at(rows, cols), counts)  # type: ignore[misc]
                for k, (rows, cols, counts, _) in zip((i, j), cells, strict=True)
            ]
            weights = [squares for *_, squares in cells]
        for k, part, weight in zip((i, j), parts, weights, strict=True):
            found[k, :, k] = weight * part @ part.T
        if pair is not None and (isinstance(pair, Pairing) or pair.shared):
            found[i, :, j] = weights[0] * parts[0] @ parts[1].T
            found[j, :, i] = found[i, :, j].T
    return found


def _centered(slopes: Slopes, read: Callable[[Slope], Array], counts: Array) -> Array:
    """A row for each score: what is read of its slope, less the mean over the items; NaN without a slope."""
    part = np.array([np.full(len(counts), np.nan) if by is None else read(by[0]) for by in slopes])
    return np.asarray(part - (part @ counts / counts.sum())[:, None])
