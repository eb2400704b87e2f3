"""Differences of scores that have no derivative: items, or clusters of them, are drawn again, together or apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.comparison.pairing import Pairing
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.clusters import Contents
from confmat.intervals.draws import Draws, percentiles
from confmat.metrics import Score
from confmat.metrics.catalog import label_spelt

__all__ = ["Drawn", "drawn_apart", "drawn_clusters", "drawn_together"]

Array = NDArray[np.float64]
# Least p-value, standard error and bounds of a difference.
Drawn = tuple[float, float, tuple[float, float]]
_TABLES = 10_000
_AT_ONCE = 2**22
# Clusters that are drawn in all; but so many tables at least.
_CLUSTERS, _FEWEST = 2**27, 1000


def drawn_together(
    score: Score, matrices: tuple[ConfusionMatrix, ConfusionMatrix], pairing: Pairing, level: float
) -> Drawn:
    """Of the same items: an item is drawn with both answers."""
    _check(score, matrices)
    # Each cell of the pairing stands for itself.
    ones, cells = np.ones(len(pairing.counts)), np.arange(len(pairing.counts))
    sides = [
        _side(m, pairing.actual, answers, ones, cells, len(cells))
        for m, answers in zip(matrices, (pairing.first, pairing.second), strict=True)
    ]
    rng = np.random.default_rng(0)
    items, shares = round(pairing.total), pairing.counts / pairing.total
    step = max(1, _AT_ONCE // max(len(shares), 1))
    differences = []
    for start in range(0, _TABLES, step):
        drawn = rng.multinomial(items, shares, min(step, _TABLES - start)).astype(np.float64)
        one, two = (_values(score, draws, drawn @ onto) for draws, onto in sides)
        differences.append(two - one)
    return _judged(np.concatenate(differences), level)


def drawn_apart(score: Score, matrices: tuple[ConfusionMatrix, ConfusionMatrix], level: float) -> Drawn:
    """Of different items: each matrix is drawn by itself."""
    _check(score, matrices)
    values = []
    for seed, m in enumerate(matrices):
        draws = Draws.of(m, seed=seed)
        values.append(np.concatenate([_values(score, draws, drawn) for drawn in draws.chunks(_TABLES)]))
    return _judged(values[1] - values[0], level)


def drawn_clusters(
    score: Score,
    matrices: tuple[ConfusionMatrix, ConfusionMatrix],
    contents: tuple[Contents, Contents],
    level: float,
    *,
    shared: bool,
) -> Drawn:
    """Of clusters: one is drawn with all its items, and where both models share them, with the answers of both."""
    number = min(_TABLES, max(_FEWEST, _CLUSTERS // max(held.number for held in contents)))
    values = []
    for seed, (m, held) in enumerate(zip(matrices, contents, strict=True)):
        draws, onto = _side(m, held.rows, held.cols, held.counts, held.cluster, held.number)
        # From the same seed come the same clusters.
        rng = np.random.default_rng(0 if shared else seed)
        chunks = _redrawn(rng, held.number, number, max(held.number, onto.shape[1]))
        values.append(np.concatenate([_values(score, draws, drawn @ onto) for drawn in chunks]))
    return _judged(values[1] - values[0], level)


def _redrawn(rng: np.random.Generator, clusters: int, number: int, width: int) -> Iterator[Array]:
    """How often each cluster is drawn, a row for each time that so many are drawn again."""
    step = max(1, _AT_ONCE // width)
    for start in range(0, number, step):
        rows = range(min(step, number - start))
        # Row by row, so that what is drawn does not depend on how many rows fit at once.
        drawn = [np.bincount(rng.integers(clusters, size=clusters), minlength=clusters) for _ in rows]
        yield np.stack(drawn).astype(np.float64)


def _check(score: Score, matrices: tuple[ConfusionMatrix, ConfusionMatrix]) -> None:
    if any(m.is_weighted for m in matrices):
        msg = (
            f"{score} has no derivative, and items with weights cannot be drawn again; compare counts, or another score"
        )
        raise InputError(msg)


def _side(m: ConfusionMatrix, actual: Any, answers: Any, counts: Any, at: Any, number: int) -> tuple[Draws, Any]:
    """The cells of one model, and how many items of each of so many parts are in which of them."""
    from scipy.sparse import csr_array

    size = m.n_classes + 1
    actual, answers = np.minimum(actual, size - 1), np.minimum(answers, size - 1)
    places, belongs = np.unique(actual * size + answers, return_inverse=True)
    onto = csr_array((counts, (at, belongs)), shape=(number, len(places)))
    rows, cols = places // size, places % size
    # What is outside on both sides is seen by no score.
    seen = (rows < size - 1) | (cols < size - 1)
    return Draws(m, rows[seen], cols[seen], np.zeros(int(seen.sum())), np.zeros(0)), onto[:, np.flatnonzero(seen)]


def _values(score: Score, draws: Draws, drawn: Array) -> Array:
    metric = score.metric
    how: dict[str, Any] = {} if score.average is None else {"average": score.average}
    if score.of is not None:
        how["of"] = label_spelt(draws.m.labels, score.of)
    found = metric(draws.inputs(drawn, metric), **how)
    return np.asarray(found, dtype=np.float64)


def _judged(differences: Array, level: float) -> Drawn:
    known = differences[~np.isnan(differences)]
    if not len(known):
        return math.nan, math.nan, (math.nan, math.nan)
    # One table more on each side, so that no number of tables proves that there is no doubt.
    least = min(np.count_nonzero(known <= 0), np.count_nonzero(known >= 0)) + 1
    return float(min(1.0, 2 * least / (len(known) + 1))), float(known.std()), percentiles(known, level)
