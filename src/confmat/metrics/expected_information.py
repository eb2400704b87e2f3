"""The mutual information that two labellings with given class sizes share by chance, to the last digits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.metrics.cancelling import deviance

__all__ = ["expected_information"]

Floats = NDArray[np.float64]

# So many standard deviations, and so many items more, hold all but 1e-17 of a hypergeometric distribution.
_WIDTH, _MARGIN = 9.0, 20.0
# At two points per standard deviation the trapezoid sum of a bell is exact to 1e-34.
_POINTS = 2.0
# Pairs of class sizes that are handled at once: 2**14 x 157 numbers are 20 MB.
_BLOCK = 2**14


def expected_information(actual: Any, predicted: Any) -> float:
    """Expected mutual information, in nats, of two random labellings with these class sizes.

    The sum over all tables with these margins (Vinh, Epps and Bailey 2010) is taken cell by cell. A cell is
    hypergeometric; where it is far from its bounds, a few points per standard deviation give its mean exactly,
    so that the cost does not grow with the number of items.

    >>> round(expected_information([2, 2], [2, 2]), 6)
    0.231049
    """
    rows, row_times = np.unique(_sizes(actual), return_counts=True)
    cols, col_times = np.unique(_sizes(predicted), return_counts=True)
    n = float(rows @ row_times)
    r, c = (grid.ravel() for grid in np.meshgrid(rows, cols, indexing="ij"))
    times = np.outer(row_times, col_times).ravel()
    total = 0.0
    for start in range(0, len(r), _BLOCK):
        part = slice(start, start + _BLOCK)
        total += float(times[part] @ _cells(r[part], c[part], n))
    return total / n


def _sizes(values: Any) -> Floats:
    sizes = np.asarray(values, dtype=np.float64)
    return sizes[sizes > 0]


def _cells(r: Floats, c: Floats, n: float) -> Floats:
    """For each pair of class sizes the mean of x log(n x / r c)."""
    mean = r / n * c
    # Distances to the bounds; their product rule (mean * rest = miss * extra) makes the deviance work below.
    parts = np.stack([mean, r - mean, c - mean, (n - r) / n * (n - c)])
    deviation = np.sqrt(mean * (n - r) / n * (n - c) / max(n - 1.0, 1.0))
    reach = _WIDTH * deviation + _MARGIN
    far = (parts > reach).all(axis=0)
    found = np.empty(len(r))
    found[far] = _bell(parts[:, far], deviation[far])
    found[~far] = _counted(r[~far], c[~far], n, reach[~far])
    return found


def _bell(parts: Floats, deviation: Floats) -> Floats:
    """Far from the bounds: the trapezoid sum over points around the mean."""
    steps = np.arange(-np.ceil(_WIDTH * _POINTS), np.ceil(_WIDTH * _POINTS) + 1)
    offset = np.maximum(deviation / _POINTS, 1.0)[:, None] * steps
    inside = (np.abs(offset) < parts.min(axis=0)[:, None]) | (offset == 0)
    offset = np.where(inside, offset, 0.0)
    logs = np.zeros_like(offset)
    for part, sign in zip(parts, (1, -1, -1, 1), strict=True):
        mean = part[:, None]
        logs -= mean * deviance(sign * offset / mean) + _stirling(mean + sign * offset, mean)
    chance = np.where(inside, np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    mean = parts[0][:, None]
    return np.asarray((chance * mean * deviance(offset / mean)).sum(axis=1) / chance.sum(axis=1))


def _stirling(count: Floats, mean: Floats) -> Floats:
    """What the logarithm of a factorial has beyond its deviance, up to a constant."""
    inverse = 1.0 / count
    square = inverse * inverse
    return np.asarray(
        0.5 * np.log(count / mean) + inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)))
    )


def _counted(r: Floats, c: Floats, n: float, reach: Floats) -> Floats:
    """Near a bound: every count within reach, by the ratio of neighbouring chances."""
    if not len(r):
        return np.empty(0)
    mean = r / n * c
    low = np.maximum(np.maximum(0.0, r + c - n), np.floor(mean - reach))
    high = np.minimum(np.minimum(r, c), np.ceil(mean + reach))
    x = low[:, None] + np.arange(int((high - low).max()) + 1)
    valid = x <= high[:, None]
    before = np.where(valid, x, high[:, None])[:, 1:] - 1
    r, c, mean = r[:, None], c[:, None], mean[:, None]
    top, bottom = (r - before) * (c - before), (before + 1) * (n - r - c + before + 1)
    usable = (top > 0) & (bottom > 0)
    logs = np.zeros(x.shape)
    logs[:, 1:] = np.cumsum(np.log(np.where(usable, top, 1.0) / np.where(usable, bottom, 1.0)), axis=1)
    logs = np.where(valid, logs, -np.inf)
    chance = np.exp(logs - logs.max(axis=1, keepdims=True))
    # So few items that nothing is lost where the signs differ.
    counted = valid & (x > 0)
    terms = np.where(counted, x * np.log(np.where(counted, x, mean) / mean), 0.0)
    return np.asarray((chance * terms).sum(axis=1) / chance.sum(axis=1))
