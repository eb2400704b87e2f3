"""Samples: a matrix of estimated totals, and the units that were drawn, from which every score has its variance.

Test sets are often drawn part by part: a fixed number of items of each stratum, or each item with a
probability of its own. Each item then represents several, and the matrix of the whole is a weighted
sum. The variance of a score is that of a total, the sum of its derivatives over what was drawn
(Särndal, Swensson and Wretman, Model Assisted Survey Sampling, 1992, 5.5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import named, order_of
from confmat.core.building import renamed
from confmat.core.counts import Counts
from confmat.core.errors import InputError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told
from confmat.core.text import some

Array = NDArray[Any]
# The derivatives of a score by the cells of these rows and columns.
Derivatives = Callable[[Array, Array], Array]


def pseudo_item(spread: Array, squares: Array) -> float:
    """Return the variance that one more item adds to those of independent parts, such as classes or strata.

    A part in which nothing varied is not one that cannot vary. So one item more, whose effect
    squared is known for each part, falls into them as often as they have a share in the variance,
    `spread`, if all are alike.
    """
    return float(spread @ squares / spread.sum()) if spread.any() else 0.0


@dataclass(frozen=True, eq=False)
class Units:
    """The units that were drawn, stratum by stratum: items, or clusters of them.

    Each filled cell has its row and column, the cluster it is in (or the stratum, where items are
    the units), the weight of its items and the squares of their weights. Each cluster has its
    stratum; each stratum, how many units were drawn, and which share of all was not.
    """

    rows: Array
    cols: Array
    unit: Array
    weight: Array
    squared: Array
    stratum: Array | None
    drawn: Array
    left: Array

    @property
    def described(self) -> str:
        """How the units were drawn, in words."""
        many = f"{self.drawn.sum():,.0f} {'items' if self.stratum is None else 'clusters'}"
        if len(self.drawn) > 1:
            return f"{many} in {len(self.drawn)} strata"
        # The clusters of a stratum are drawn alike, and so are items that all weigh the same.
        squares = float(self.drawn.sum()) * float(self.squared.sum())
        alike = self.stratum is not None or math.isclose(float(self.weight.sum()) ** 2, squares)
        return many if alike else f"{many} drawn with unequal chances"

    def covariance(self, one: Derivatives, two: Derivatives) -> float:
        """Return the covariance of two scores, from their derivatives."""
        first, second = one(self.rows, self.cols), two(self.rows, self.cols)
        strata = len(self.drawn)
        if self.stratum is None:
            sums = [np.bincount(self.unit, self.weight * each, strata) for each in (first, second)]
            products = np.bincount(self.unit, self.squared * first * second, strata)
        else:
            each = [
                np.bincount(self.unit, self.weight * by, len(self.stratum))
                for by in (first, second)
            ]
            sums = [np.bincount(self.stratum, part, strata) for part in each]
            products = np.bincount(self.stratum, each[0] * each[1], strata)
        n = self.drawn
        return float((self.left * n / (n - 1) * (products - sums[0] * sums[1] / n)).sum())

    @property
    def _place(self) -> Array:
        """The stratum of each cell."""
        return self.unit if self.stratum is None else self.stratum[self.unit]

    @property
    def _spread(self) -> Array:
        """The variance of a number that is 1 for every item of a stratum by chance, and of all in a cluster."""
        if self.stratum is None:
            return self.left * np.bincount(self.unit, self.squared, len(self.drawn))
        each = np.bincount(self.unit, self.weight, len(self.stratum)) ** 2
        return self.left * np.bincount(self.stratum, each, len(self.drawn))

    @cached_property
    def _drawn_by(self) -> tuple[int, Array] | None:
        """The side of the labels that strata were drawn by, and that of each; None if some have several."""
        for side, labels in ((1, self.cols), (0, self.rows)):
            each = np.unique(np.stack([self._place, labels]), axis=1)[1]
            if 1 < len(each) == len(self.drawn):
                return side, each
        return None

    def marks(self, *sides: Array) -> list[Array]:
        """Return marks of rows and of columns with as much of one more item as may be there.

        Where strata were drawn by their label, it goes by their share in the variance.
        """
        found = [*sides]
        if self._drawn_by is not None:
            side, labels = self._drawn_by
            shares = (
                sides[side]
                * np.bincount(labels, self._spread, len(sides[side]))[: len(sides[side])]
            )
            found[side] = (
                shares * (sides[side].sum() / shares.sum()) if shares.any() else sides[side]
            )
        return found

    def one_more(self, by: Derivatives, rows: Array, cols: Array) -> float:
        """Return the variance of one more item, in any of the cells of these rows and columns, and of those like it.

        It has the weight of the items of its stratum, and the size of their clusters. Where each
        stratum has a single predicted label, or a single actual one, that is what it was drawn by,
        and what its next item has.
        """
        squares = (
            by(np.repeat(rows, len(cols)), np.tile(cols, len(rows))).reshape(len(rows), -1) ** 2
        )
        effect = np.full(len(self.drawn), squares.mean())
        if self._drawn_by is not None:
            side, labels = self._drawn_by
            at = (rows, cols)[side].searchsorted(labels).clip(max=squares.shape[side] - 1)
            effect = squares.mean(axis=1 - side)[at]
        spread = self._spread * effect
        # Nothing of a stratum whose size is 0 is spread.
        items = np.divide(
            self.weight**2, self.squared, out=np.ones(len(self.weight)), where=self.squared > 0
        )
        return pseudo_item(spread, spread / np.bincount(self._place, items, len(effect)))

    def telling(self, by: Derivatives) -> tuple[float, float]:
        """Return how many units are in strata that move a score, and how many such strata there are; all if none do."""
        moving = (by(self.rows, self.cols) != 0) & (self.weight > 0)
        moves = self.unit[moving if moving.any() else slice(None)]
        strata = np.unique(moves if self.stratum is None else self.stratum[moves])
        return float(self.drawn[strata].sum()), float(len(strata))


class Sample(ConfusionMatrix):
    """A matrix of estimated totals: how many items of the whole fall in each cell, by what a sample says.

    `stack.standardize(sizes)` and `count(..., probability=)` give one. It is scored, reported and
    drawn as any matrix, and what was drawn gives every score its variance.
    """

    __slots__ = ("units",)

    units: Units
    # How a sample is stored, and how models on the same items are compared.
    stored = "the stack of its strata, confmat.save(stack, 'strata.json'), or a log's counts with {by:'sample'}"
    together = (
        "Models on the same sample are compared by compare_predictions(..., strata=..., sizes=...)."
    )

    @classmethod
    def _drawn(cls, labels: Labels, units: Units, dropped: int | float = 0) -> Self:
        size = len(labels)
        counts, squares = (
            Counts.of_cells(size, units.rows, units.cols, part)
            for part in (units.weight, units.squared)
        )
        self = cls._of(labels, counts, squares, dropped)
        object.__setattr__(self, "units", units)
        return self

    def covariance(self, one: Derivatives, two: Derivatives) -> float:
        """Return the covariance of two scores, from their derivatives by the cells of the matrix.

        Parameters
        ----------
        one, two
            Functions of arrays of rows and columns, which give the derivative by each of these
            cells.
        """
        return self.units.covariance(one, two)

    def variances(self, rows: Array, cols: Array) -> Array:
        """Return the variances of the counts of some cells, at most: what is drawn of a cell says little of others.

        Parameters
        ----------
        rows, cols
            The positions of the cells.
        """
        units = self.units
        strata = units.unit if units.stratum is None else units.stratum[units.unit]
        squares = units.squared if units.stratum is None else units.weight**2
        spread = (units.left * units.drawn / (units.drawn - 1))[strata] * squares
        places, at = np.unique(units.rows * len(self.labels) + units.cols, return_inverse=True)
        sums = np.append(np.bincount(at, spread, len(places)), 0.0)
        found = np.searchsorted(places, wanted := rows * len(self.labels) + cols)
        return np.where(np.append(places, -1)[found] == wanted, sums[found], 0.0)

    def one_more(self, by: Derivatives, rows: Array, cols: Array) -> float:
        """Return the variance of one more item.

        Parameters
        ----------
        by
            The derivative of a score by cells.
        rows, cols
            Where the item may be.
        """
        return self.units.one_more(by, rows, cols)

    @property
    def described(self) -> str:
        """How the items were drawn, in words."""
        return self.units.described

    @property
    def checked(self) -> ConfusionMatrix:
        """The matrix of the items whose truth is known: all of them."""
        return self

    @property
    def known(self) -> ConfusionMatrix:
        """The matrix whose items have the scores' intervals: this sample, unless a plain one says the same."""
        return self

    def alike(self, asked: Any) -> tuple[Any, ConfusionMatrix] | None:  # noqa: ARG002 - a design has its own variance
        """Return a score and the matrix of items, drawn one by one, that say as much of it; None where there is none.

        Parameters
        ----------
        asked
            The score.
        """
        return None

    def _remapped(self, labels: Labels, codes: Array, dropped: int | float = 0) -> Sample:
        rows, cols = codes[self.units.rows], codes[self.units.cols]
        kept = (rows >= 0) & (cols >= 0)
        parts = {name: getattr(self.units, name)[kept] for name in ("unit", "weight", "squared")}
        units = replace(self.units, rows=rows[kept], cols=cols[kept], **parts)
        return self._drawn(labels, units, self.dropped + dropped)._after(self)

    def relabel(self, names: Mapping[Any, Any] | Iterable[Any]) -> Sample:
        """Return the same sample with its classes under other names.

        Parameters
        ----------
        names
            A mapping of old names to new ones, or all new names in order.
        """
        return self._remapped(renamed(self.labels, names), np.arange(len(self.labels)))

    @property
    def T(self) -> Sample:  # noqa: N802 - the name NumPy made familiar
        """The transpose: what was predicted becomes actual, and the other way round."""
        units = replace(self.units, rows=self.units.cols, cols=self.units.rows)
        return self._drawn(self.labels, units, self.dropped)._after(self)

    def __add__(self, other: object) -> ConfusionMatrix:
        if isinstance(other, int) and other == 0:
            return self
        raise InputError(_APART)

    __radd__ = __add__

    def one_vs_rest(self, label: Any) -> ConfusionMatrix:
        """Refuse: the cells of a class are in `cells`, and its scores have their intervals without it.

        Parameters
        ----------
        label
            The class.
        """
        msg = f"a sample stays whole: interval(m, 'recall[{label}]') is the score of a class, and m.cells has its cells"
        raise InputError(msg)

    def to_dict(self) -> dict[str, Any]:
        """Refuse: what was drawn would be lost; the stack of strata is what is stored."""
        raise InputError(Message(f"a sample is stored as what it was made of: {self.stored}"))

    def _stored(self, *, sparse: bool) -> ConfusionMatrix:  # noqa: ARG002 - a sample is small
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self)._drawn, (self.labels, self.units, self.dropped), self.notes or None)


PIXELS_ALIKE = (
    "the pixels of an image are alike and are no items of their own, so there is no interval: "
    "count_masks keeps "
    "several images apart, and so does the stack of per_image=True, which can be stored"
)


def holds_pixels(m: ConfusionMatrix) -> bool:
    """Whether a matrix holds pixels, which are no items of their own, and not those of several images kept apart."""
    apart = isinstance(m, Sample) and m.units.drawn.sum() > 1
    return not apart and any(note.kind == "pixels" for note in m.notes)


def holds_weights(m: ConfusionMatrix) -> bool:
    """Whether its numbers are sums of weights, whole ones too, instead of items."""
    return m.is_weighted or (m._squares is not None and m._squares.total != m.total)


def unequal(weighted: ConfusionMatrix, items: ConfusionMatrix) -> Sample:
    """Return the sample of items that weigh 1 over the probability that each had to be drawn, and of their number."""
    if items.total < 2:
        raise InputError(_ONE.format("item", "all of it"))
    rows, cols, weight = weighted._counts.cells()
    assert weighted._squares is not None
    squared = weighted._squares.cells()[2]
    units = Units(
        rows,
        cols,
        np.zeros(len(rows), np.intp),
        weight,
        squared,
        None,
        np.array([float(items.total)]),
        np.ones(1),
    )
    return Sample._drawn(weighted.labels, units, items.dropped)


_APART = (
    "samples of several wholes do not add: put their strata into one stack, and standardize that, "
    "or count files "
    "together: count_files([...])"
)
_ONE = "a stratum with a single drawn {} has no variance: {}; draw more there, or count it with another stratum"


def units_of(
    strata: Sequence[Any],
    parts: Sequence[tuple[int, ConfusionMatrix]],
    sizes: Any,
    fpc: bool,
    clustered: bool = False,
) -> Units:
    """Return what was drawn, from matrices with the place of the stratum of each; each is a cluster, or items."""
    if not clustered and any(holds_weights(m) for _, m in parts):
        msg = (
            "strata are standardized by the numbers of their items, and these hold weights; count "
            "without weights, with `tally` where a row represents several items, or with `clusters`, "
            "one for each item, where items weigh differently"
        )
        raise InputError(msg)
    cells = [m._counts.cells() for _, m in parts]
    rows, cols, counts = map(np.concatenate, zip(*cells, strict=True))
    unit = np.repeat(np.arange(len(parts)), [len(each[0]) for each in cells])
    stratum = np.array([place for place, _ in parts])
    totals = np.bincount(stratum, [float(m.total) for _, m in parts], len(strata))
    drawn = np.bincount(stratum, minlength=len(strata)) if clustered else totals
    few = list(compress(strata, drawn < 2))
    if few:
        raise InputError(_ONE.format("cluster" if clustered else "item", some(few)))
    whole = totals if sizes is None else _sizes(sizes, strata)
    left = np.ones(len(strata))
    if fpc:
        left = _share_left(drawn, None if sizes is None or clustered else whole)
    each = (whole / totals)[stratum][unit]
    place, of_cluster = (unit, stratum) if clustered else (stratum[unit], None)
    return Units(
        rows,
        cols,
        place,
        counts * each,
        counts * each * each,
        of_cluster,
        drawn.astype(np.float64),
        left,
    )


def _share_left(drawn: Array, whole: Array | None) -> Array:
    """The share of each stratum that was not drawn."""
    if whole is None or (drawn > whole).any():
        msg = (
            "`fpc` needs the number of items in each stratum, of which no more can be drawn; leave "
            "it out for shares, for clusters, and for strata that go on without end"
        )
        raise InputError(msg)
    return 1 - drawn / whole


def _sizes(sizes: Any, strata: Sequence[Any]) -> Array:
    """The size of each stratum, in their order."""
    by_name = named(sizes, strata)
    if by_name is None:
        msg = (
            "`sizes` is a mapping of stratum to its number of items, or its share, or "
            f"another stack; not {told(sizes)}"
        )
        raise InputError(msg)
    known = {key: _size(size) for key, size in by_name.items()}
    # A stratum of nothing need not be drawn.
    names = [key for key in known if known[key] or key in strata]
    found = np.array([known[names[place]] for place in order_of(names, strata, "sizes")])
    if not (np.isfinite(found).all() and (found >= 0).all() and found.any()):
        msg = f"`sizes` are numbers of items, or shares, and none is below 0; got {told(sizes)}"
        raise InputError(msg)
    return found


def _size(size: Any) -> float:
    """A number of items, or that of a matrix; NaN of anything else."""
    try:
        return float(getattr(size, "total", size) or 0)
    except (TypeError, ValueError):
        return math.nan
