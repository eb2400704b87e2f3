"""Boards: the answers of many models to the same items; only the named pairs of models are counted.

A hundred models make 4,950 pairs. Items that one model of each pair alone has right are sums of
products of right and wrong, and the variances of differences are sums of products of slopes, each
at its own model: two products of tables give them all. A test then has the variance that models
alike would have, that of the models as they are and the squared difference; `differences` has the
slope halfway between two models, which is dearer and says nearly the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.comparison.differences import (
    DELTA,
    FEW_ITEMS,
    MCNEMAR,
    Difference,
    Evidence,
    Pair,
    conclude,
    half_unmoved,
)
from confmat.comparison.pairing import ROUNDING, Pairing
from confmat.comparison.significance import least_p, mid_p_each, normal_p, tango
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.samples import pseudo_item
from confmat.intervals.bounds import quantile
from confmat.intervals.variance import Slope
from confmat.metrics import Score

Array = NDArray[Any]
Names = tuple[str, str]
# More models are a board.
MANY = 20
# Numbers at once, which single precision still counts one by one.
_NUMBERS_AT_ONCE = 2**24
# Labels whose pairs all have a place of their own.
_MOST_LISTED = 2048
# A variance beside that of both models that is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Board(Mapping[Names, Pairing]):
    """Places of labels by item, of the truth and of each model; a pairing is counted when it is asked for."""

    labels: Labels
    models: tuple[str, ...]
    actual: Array
    answers: Array

    def __getitem__(self, names: Names) -> Pairing:
        size = len(self.labels)
        try:
            first, second = (self.answers[self.models.index(name)] for name in names)
        except ValueError:
            raise KeyError(names) from None
        places = (self.actual.astype(np.int64) * size + first) * size + second
        filled, counts = np.unique(places, return_counts=True)
        numbers = counts.astype(np.float64)
        return Pairing(
            self.labels, filled // size**2, filled // size % size, filled % size, numbers, numbers
        )

    def __iter__(self) -> Iterator[Names]:
        return ((model, rival) for model in self.models for rival in self.models if model != rival)

    def __len__(self) -> int:
        return len(self.models) * (len(self.models) - 1)

    @property
    def total(self) -> int:
        """All items."""
        return len(self.actual)

    @cached_property
    def _filled(self) -> tuple[Array, Array, Array]:
        """Rows and columns of the cells that any model fills, and among these, by model and item, the one it fills."""
        size = len(self.labels)
        cells = self.actual.astype(np.int64) * size + self.answers
        if size <= _MOST_LISTED:
            filled = np.flatnonzero(np.bincount(cells.ravel(), minlength=size * size))
            places = np.zeros(size * size, dtype=np.min_scalar_type(len(filled)))
            places[filled] = np.arange(len(filled))
            at = places[cells]
        else:
            filled, at = np.unique(cells, return_inverse=True)
        return (
            filled // size,
            filled % size,
            at.reshape(cells.shape).astype(np.min_scalar_type(len(filled))),
        )

    def both_right(self) -> Array:
        """Items that each two models have right."""
        return self._products(lambda part: self.answers[:, part] == self.actual[part])

    def _products(self, read: Callable[[slice], Array]) -> Array:
        """Sums over the items of the products of the values of every two models."""
        step = max(1, _NUMBERS_AT_ONCE // len(self.models))
        parts = (read(slice(start, start + step)) for start in range(0, self.total, step))
        numbers = (part.astype(np.float32) if part.dtype == bool else part for part in parts)
        return np.asarray(sum((part @ part.T).astype(np.float64) for part in numbers))

    def differences(
        self, score: Score, pairs: Sequence[Names], matrices: Mapping[str, ConfusionMatrix]
    ) -> Callable[[float], list[Difference]] | None:
        """Return what gives the differences of a score at a level; None where it has no derivative."""
        whole = reduce(add, matrices.values())
        each = [Pair((name, name), (m, m)) for name, m in [("", whole), *matrices.items()]]
        slopes = [found[0] for pair in each if (found := pair.slopes_if_any(score)) is not None]
        if len(slopes) < len(each):
            return None
        by, own = slopes[0], slopes[1:]
        first, second = (
            np.array([self.models.index(pair[side]) for pair in pairs]) for side in (0, 1)
        )
        values = np.array([slope.value for slope in own])
        items = [pair.share(score, by)[0][0] for pair in each[1:]]
        seen = self._of_shares(by, items, first, second) or self._of_slopes(
            by, own, first, second, matrices
        )
        given = [Pair(names, (matrices[names[0]], matrices[names[1]])) for names in pairs]
        columns = [
            seen.p.tolist(),
            seen.errors.tolist(),
            seen.few.tolist(),
            values[first],
            values[second],
        ]

        def at(level: float) -> list[Difference]:
            found = []
            for pair, both, p, error, few, before, after in zip(
                given, seen.ends(level), *columns, strict=True
            ):
                evidence = Evidence(p, p, error, (float(both[0]), float(both[1])))
                note = f"the models differ on {few:.3g} items only" if few < FEW_ITEMS else ""
                found.append(
                    conclude(
                        score,
                        pair,
                        (before, after),
                        evidence,
                        level,
                        seen.test,
                        seen.items,
                        note,
                        few,
                    )
                )
            if seen.discordant is not None:
                turn = -1 if score.metric.better == "lower" else 1
                sides = zip(*(side.tolist() for side in seen.discordant), strict=True)
                found = [
                    replace(difference, discordant=both[::turn])
                    for difference, both in zip(found, sides, strict=True)
                ]
            return found

        return at

    def _of_shares(
        self, by: Slope, items: list[float], first: Array, second: Array
    ) -> _Seen | None:
        """The evidence on a score that is a share of the same items for all models; None if it is of others."""
        rows, cols, at = self._filled
        g, lowest = by.at(rows, cols), np.full(len(self.labels), np.inf)
        np.minimum.at(lowest, rows, g)
        right = (g - lowest[rows]) * items[0] * len(self.models)
        if (
            len(set(items)) > 1
            or not (np.isclose(right, 0, atol=1e-6) | np.isclose(right, 1, atol=1e-6)).all()
        ):
            return None
        both = self._products(lambda part: (right > 0.5)[at[:, part]])
        down, up = (np.diag(both)[side] - both[first, second] for side in (first, second))
        errors = np.sqrt(np.maximum(down + up - (up - down) ** 2 / items[0], 0)) / items[0]

        def ends(level: float) -> Array:
            return np.stack(tango(up, down, items[0], level), axis=1)

        return _Seen(mid_p_each(down, up), errors, down + up, ends, MCNEMAR, items[0], (down, up))

    def _of_slopes(
        self,
        by: Slope,
        own: Sequence[Slope],
        first: Array,
        second: Array,
        matrices: Mapping[str, ConfusionMatrix],
    ) -> _Seen:
        """The evidence on any other score, from its slope at each model's own matrix."""
        rows, cols, at = self._filled
        g = np.array([slope.at(rows, cols) for slope in own])
        g -= [
            [(weights * np.bincount(cells, minlength=len(rows))).sum() / self.total]
            for weights, cells in zip(g, at, strict=True)
        ]
        products = self._products(
            lambda part: np.take_along_axis(g, at[:, part].astype(np.intp), axis=1)
        )
        alone, gaps = (
            np.diag(products),
            np.array([slope.value for slope in own])[np.stack([second, first])],
        )
        gaps = gaps[0] - gaps[1]
        squares = alone[first] + alone[second] - 2 * products[first, second]
        squares = np.where(squares > _ROUNDING * (alone[first] + alone[second]), squares, 0.0)
        more, few = self._one_more(own, matrices, first, second), self._moving(by, first, second)
        alike = np.sqrt(squares + gaps**2 / self.total + more)
        p = np.array(
            [
                max(normal_p(*gap), least_p(many))
                for *gap, many in zip(gaps, alike, few, strict=True)
            ]
        )
        still = np.array([slope.is_still for slope in own])
        p[(still[first] | still[second]) & (gaps != 0)] = math.nan

        def ends(level: float) -> Array:
            half = np.where(np.isnan(p), math.nan, quantile(level) * np.sqrt(squares + more))
            if not few.all():
                unmoved = half_unmoved(by, self.total * len(self.models), self.total, level)
                half = np.where(few > 0, half, np.maximum(half, unmoved))
            return np.stack([gaps - half, gaps + half], axis=1)

        return _Seen(p, np.sqrt(squares), few, ends, DELTA, float(self.total))

    def _one_more(
        self,
        own: Sequence[Slope],
        matrices: Mapping[str, ConfusionMatrix],
        first: Array,
        second: Array,
    ) -> Array:
        """The variance of one more item on which the models of each pair differ, as `pairing.one_more` has it."""
        pairs = zip(own, matrices.values(), strict=True)
        effects = np.array(
            [by.swaps(np.asarray(m.predicted_totals[: m.n_classes], np.float64)) for by, m in pairs]
        )
        counts = np.bincount(self.actual, minlength=len(self.labels))[: effects.shape[1]]
        there = [(effects[i] + effects[j]) / 2 for i, j in zip(first, second, strict=True)]
        return np.array([pseudo_item(counts * effect, effect) for effect in there])

    def _moving(self, by: Slope, first: Array, second: Array) -> Array:
        """How many items move a score, by its slope halfway between all models."""
        rows, cols, at = self._filled
        g = by.at(rows, cols)
        _, kinds = np.unique(
            np.round(g / (ROUNDING * np.abs(g).max(initial=0.0) or 1.0)), return_inverse=True
        )
        kind = kinds.astype(np.min_scalar_type(len(kinds)))[at]
        return np.array(
            [np.count_nonzero(kind[i] != kind[j]) for i, j in zip(first, second, strict=True)],
            np.float64,
        )


@dataclass(frozen=True)
class _Seen:
    """Evidence on the differences of a score: p-values, errors, items that move it, and bounds at a level."""

    p: Array
    errors: Array
    few: Array
    ends: Callable[[float], Array]
    test: str
    items: float
    discordant: tuple[Array, Array] | None = None
