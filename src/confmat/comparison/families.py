"""Families: several differences seen at once, whose p-values and intervals come from one critical value.

Single-step max-t, as Hothorn, Bretz and Westfall, Biometrical Journal 50 (2008), describe it: a p-value is adjusted to
the chance that the greatest of several differences is as far from nothing, if they are normal with the correlations
that the gradients of the scores give. That chance is drawn by importance: one of them lies beyond, the others as they
do given it, and what lies beyond in several counts once (Naiman and Priebe, Journal of Computational and Graphical
Statistics 10, 2001). Where correlations are unknown, Sidak's (1967) bound holds for all of them.
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

from confmat.comparison.clusters import FEW, Clusters
from confmat.comparison.differences import Difference, Pair, verdict
from confmat.comparison.pairing import Pairing
from confmat.comparison.significance import holm
from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.variance import Slope, seen_cells
from confmat.metrics import Score

Array = NDArray[np.float64]
Adjust = Literal["max-t", "holm", "none"]
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
        others = drawn + self.correlation[chosen] * (beyond - drawn[np.arange(_DRAWS), chosen])[:, None]
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
        drawn = rng.standard_normal((_DRAWS, self.size)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
        return drawn, 1 - rng.random(_DRAWS), np.arange(_DRAWS) % self.size


def adjusted(
    each: Sequence[Difference],
    how: str,
    correlation: Array | None,
    again: Callable[[int, float], Difference],
) -> list[Difference]:
    """Return the same differences with p-values and intervals adjusted for there being several.

    `again` gives one of them at another level.
    """
    known = [place for place, one in enumerate(each) if not math.isnan(one.p_high)]
    if len(known) < 2 or how == "none":
        return list(each)
    alpha, adapted = 1 - each[0].level, list(each)
    if how == "holm":
        sides = [holm([one.p_low for one in each]), holm([one.p_high for one in each])]
    else:
        family = Family(len(known), None if correlation is None else correlation[np.ix_(known, known)])
        sharp = family.critical(alpha)

        def chance(p: float) -> float:
            # On the side of alpha on which the interval at that level has nothing.
            return min(family.chance(p), alpha * (1 - 1e-12)) if p < sharp else max(family.chance(p), alpha)

        for place in known:
            wider = again(place, 1 - sharp)
            adapted[place] = replace(each[place], low=wider.low, high=wider.high, test=wider.test)
        sides = [
            [math.nan if math.isnan(p) else chance(p) for p in side]
            for side in ([one.p_low for one in each], [one.p_high for one in each])
        ]
    return [
        replace(one, adjusted=high, verdict=verdict(low, high, alpha))
        for one, low, high in zip(adapted, *sides, strict=True)
    ]


def correlation_of(members: Sequence[tuple[int, int, int]], covariance: Array | None) -> Array | None:
    """Correlate differences, each between two models and of one score, by their places."""
    if covariance is None or len(members) > _MOST_MEMBERS:
        return None
    first, second, scores = (np.array(part) for part in zip(*members, strict=True))
    models, width, *_ = covariance.shape
    contrasts = np.zeros((len(members), models, width))
    contrasts[np.arange(len(members)), second, scores] += 1
    contrasts[np.arange(len(members)), first, scores] -= 1
    contrasts = contrasts.reshape(len(members), -1)
    # What has no variance, or none that is known, tells nothing of the others.
    known = np.where(np.isfinite(covariance), covariance, 0.0).reshape(models * width, -1)
    table = contrasts @ known @ contrasts.T
    errors = np.sqrt(np.maximum(np.diag(table), 0.0))
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
    if design == "same items" or len(names) * width > _MOST_SCORES:
        return None
    slopes = [[Pair((name, name), (m, m)).slopes_if_any(score) for score in scores] for name, m in matrices.items()]
    found = np.zeros((len(names), width, len(names), width))
    for i, j in combinations(range(len(names)), 2):
        pair = pairings.get((names[i], names[j]))
        if isinstance(pair, Clusters):
            # So few do not know their covariances well enough.
            if min(held.number for held in pair.contents) < FEW:
                return None
            parts = [_rows(slopes[k], held.added, held.number) for k, held in zip((i, j), pair.contents, strict=True)]
            parts = [part - part.mean(axis=1, keepdims=True) for part in parts]
            weights: list[Any] = [part.shape[1] / (part.shape[1] - 1) for part in parts]
        elif pair is not None:
            parts = [_of_cells(slopes[i], pair.actual, pair.first, pair.counts)]
            parts += [_of_cells(slopes[j], pair.actual, pair.second, pair.counts)]
            weights = [pair.squares] * 2
        else:
            cells = [seen_cells(matrices[names[k]], "wrong") for k in (i, j)]
            parts = [_of_cells(slopes[k], *each[:3]) for k, each in zip((i, j), cells, strict=True)]
            weights = [each[3] for each in cells]
        for k, part, weight in zip((i, j), parts, weights, strict=True):
            found[k, :, k] = weight * part @ part.T
        if pair is not None and (isinstance(pair, Pairing) or pair.shared):
            found[i, :, j] = weights[0] * parts[0] @ parts[1].T
            found[j, :, i] = found[i, :, j].T
    return found


def _rows(slopes: Sequence[tuple[Slope, Slope] | None], read: Callable[[Slope], Array], width: int) -> Array:
    """A row for each score: what is read of its slope, or NaN without one."""
    return np.array([np.full(width, np.nan) if by is None else read(by[0]) for by in slopes])


def _of_cells(slopes: Sequence[tuple[Slope, Slope] | None], rows: Any, cols: Any, counts: Array) -> Array:
    """Derivatives of the scores by some cells, less their mean over the items."""
    part = _rows(slopes, lambda by: by.at(rows, cols), len(counts))
    return np.asarray(part - (part @ counts / counts.sum())[:, None])
