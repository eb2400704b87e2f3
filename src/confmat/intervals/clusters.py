"""Intervals where items come in clusters (images of a patient, answers to a prompt): clusters are what was drawn.

Items of one cluster resemble each other, so they tell less than as many independent ones. The
variance of a score is then that of a sum over clusters: each adds its own cells times the gradient
of the score at the sum of all.

A variance of few clusters is unsure, so an interval is widened by the ratio of two quantiles of
Student's t: with one degree of freedom less than clusters, and with one less than items; of
clusters of unequal size, with those of as many equal ones as tell as much (Kish, Survey Sampling,
1965). For proportions that is the rule of Korn and Graubard, Survey Methodology 24 (1998), whose
effective items it makes fewer; Dean and Pagano, Journal of Survey Statistics and Methodology 3
(2015), apply it to Wilson's interval. For the score of one class, only clusters that hold the class
are counted, as in R's survey package.

Errors come in clusters, too. So the item that is spread over the table, as of a single matrix,
represents one cluster of middling size: five clusters without an error are five things that went
well, however many items they have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.intervals.asked import Asked, by_gradient, fitted, nothing, one_estimate, together
from confmat.intervals.bounds import PROPORTIONS, student_quantile
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.folds import FOLD, of_folds
from confmat.intervals.gradient import share_of, slope
from confmat.intervals.independence import from_below
from confmat.intervals.inversion import bounds_of_number
from confmat.intervals.single import (
    by_inversion,
    carried_over,
    estimate_number,
    inverts,
    of_the_only_class,
)
from confmat.intervals.variance import (
    ROUNDING_VARIANCE,
    Slope,
    Smoothing,
    item_weight,
    joined_outside,
    variance,
)
from confmat.metrics import catalog
from confmat.metrics.items import many_of, number_of
from confmat.metrics.margins import Outside

Array = NDArray[np.float64]
Places = NDArray[np.intp]
# Axes along which each matrix holds the same items, seen by another question or by another rule.
SAME_ITEMS = frozenset({"label", "threshold", "iou", "confidence"})
# Axes whose keys are parts of one sample.
PARTS = frozenset({"image", "document", "cluster", "item"})
ALONE = "only one cluster tells of it, so it is the interval of its items"
_ALIKE = "all clusters have the same score, so it is the interval of their items"
# A class in fewer clusters tells too little of how they differ.
_FEW = 3
# Cells of clusters that are looked through whole, filled or not.
_MOST_CELLS = 2**22
# Derivatives that are rounding beside the greatest.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Contents:
    """The filled cells of all clusters, one cluster after another, and how many clusters there are."""

    rows: Places
    cols: Places
    counts: Array
    cluster: Places
    number: int
    # How many clusters that are alike each counts for; None where each is one.
    many: Array | None = None

    @classmethod
    def of(cls, stack: Stack, outside: Outside = "wrong") -> Contents:
        """From the matrices of a stack; all labels outside the classes are one."""
        if not stack.labels.outside and len(stack) * len(stack.labels) ** 2 <= _MOST_CELLS:
            table = stack.counts
            cluster, rows, cols = np.nonzero(table)
            counts = table[cluster, rows, cols]
        else:
            parts = [m._counts.cells() for m in stack.values()]
            cluster = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
            rows, cols, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
            rows, cols, counts, cluster = joined_outside(
                stack.labels, outside, rows, cols, counts, cluster
            )
        return cls(
            rows, cols, np.asarray(counts, dtype=np.float64), cluster, len(stack), many_of(stack)
        )

    def added(self, by: Slope) -> Array:
        """Return the share of each cluster in a score: its cells times the gradient."""
        shares = np.bincount(self.cluster, self.counts * by.at(self.rows, self.cols), self.number)
        return shares.astype(np.float64, copy=False)

    def between(self, by: Slope) -> float:
        """The variance of the score between clusters."""
        return variance_of_sum(self.added(by), self.many)

    def parts(self, by: Slope) -> Parts:
        """Return the parts of a score that clusters add, class by class, from the cells that move it.

        Classes that move it alike are one.
        """
        sides = np.stack([by.actual, by.hit])
        alike = np.round(sides / max(float(np.abs(sides).max()), 1e-300), 9)
        kind = np.unique(alike, axis=1, return_inverse=True)[1].ravel()
        kept, g, size = moving(by, self.rows, self.cols), by.at(self.rows, self.cols), len(sides[0])
        places, at = np.unique(
            self.cluster[kept] * size + kind[self.rows[kept]], return_inverse=True
        )
        counts, added = (
            np.bincount(at, part[kept], len(places)) for part in (self.counts, self.counts * g)
        )
        many = np.ones(self.number) if self.many is None else self.many
        return Parts(
            places // size, places % size, counts.astype(np.float64), added.astype(np.float64), many
        )


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of a score that the items of each class add, by cluster; a cluster may count for `many` that are alike."""

    cluster: Places
    row: Places
    counts: Array
    added: Array
    many: Array

    def _by_class(self, part: Any) -> Array:
        return np.bincount(self.row, self.many[self.cluster] * part)[self.row].astype(
            np.float64, copy=False
        )

    @property
    def telling(self) -> int:
        """How many clusters have items that move the score."""
        return int(self.many[np.unique(self.cluster)].sum())

    @property
    def few(self) -> str:
        """A remark on a class of which so few clusters tell."""
        fewest = int(np.bincount(self.row, self.many[self.cluster])[self.row].min(initial=_FEW))
        return f"a class is in {fewest} clusters alone" if fewest < _FEW <= self.telling else ""

    @property
    def items(self) -> float:
        """How many items move the score."""
        return float(self.many[self.cluster] @ self.counts)

    @property
    def size(self) -> float:
        """The number of items in the cluster that one of them is in, on average."""
        shares = np.bincount(self.cluster, self.counts, len(self.many)) / max(self.items, 1e-300)
        return self.items * float(self.many @ shares**2)

    def spread(self) -> float:
        """The variance between clusters, corrected as a cluster with more of a class is nearer to its mean.

        It is held against the mean of the other clusters, as far as that is another one than where
        all are of one size (jackknife; MacKinnon and White, Journal of Econometrics 29, 1985).
        """
        items, holding = self._by_class(self.counts), self._by_class(1.0)
        expected = self.counts * self._by_class(self.added) / items
        others = np.where(
            holding > 1, (1 - self.counts / items) * holding / np.maximum(holding - 1, 1), 1.0
        )
        sums = np.bincount(
            self.cluster, expected + (self.added - expected) / others, len(self.many)
        )
        return variance_of_sum(sums.astype(np.float64, copy=False), self.many)


def moving(by: Slope, rows: Places, cols: Places) -> NDArray[np.bool_]:
    """Whether the score moves with each of some cells."""
    size = np.abs(by.at(rows, cols))
    return np.asarray(size > _ROUNDING * size.max(initial=0.0))


def variance_of_sum(added: Array, many: Any = None) -> float:
    """G / (G - 1) times the squares of what each of G clusters adds, less their mean; or each counts for many such."""
    if many is None:
        return float(len(added) / (len(added) - 1) * ((added - added.mean()) ** 2).sum())
    number = int(many.sum())
    return float(number / (number - 1) * (many @ (added - many @ added / number) ** 2))


def check_clusters(stack: Stack) -> None:
    """Complain of matrices that are no clusters, and of too few."""
    if not SAME_ITEMS.isdisjoint(stack.axis.split(", ")):
        labels = stack.axis == "label"
        msg = (
            f"each matrix of a stack along {stack.axis!r} holds the same items, so these are no clusters: take one, "
            "stack[key]"
            + labels
            * "; of several labels an item, say `items=count_multilabel(..., along='item')`"
        )
        raise InputError(msg)
    if "stratum" in stack.axis.split(", ") or stack.axis.endswith(", cluster"):
        msg = (
            "strata were drawn each by itself and are no clusters: say stack.standardize(sizes), "
            "with how many items "
            "of all each has, or stack.standardize() where as many were drawn as it has"
        )
        raise InputError(msg)
    if number_of(stack) < 2:
        msg = f"clusters are compared with each other, so at least 2 are needed; got {number_of(stack)}"
        raise InputError(msg)


def check_asked(asked: Asked) -> None:
    """Complain of a design or a method that does not go with clusters."""
    if asked.design != "multinomial" or asked.method not in {*PROPORTIONS, "wald"}:
        msg = (
            "of a stack of clusters, the clusters are what was drawn: leave `design` out, and "
            "choose a method "
            f"among {', '.join([*PROPORTIONS, 'wald'])}; got design={asked.design!r}, "
            f"method={asked.method!r}"
        )
        raise InputError(msg)


def estimate_clusters(asked: Asked, stack: Stack, *, few: bool = True) -> Estimate | Estimates:
    """The estimate of a score of all clusters together, or of each class.

    `few` says that their being few makes it less sure; whoever compares two samples knows that of
    both together.
    """
    check_asked(asked)
    check_clusters(stack)
    whole, contents = stack.sum(), Contents.of(stack, asked.outside)
    asked = fitted(asked, whole)

    def estimated(asked: Asked) -> Estimate:
        return (
            of_folds(asked, stack) if stack.axis == FOLD else _of_one(asked, contents, whole, few)
        )

    if not asked.per_class:
        return estimated(asked)
    each = [estimated(replace(asked, of=label)) for label in whole.labels.classes]
    return together(asked, whole.labels, each)


def further_of(clusters: float, items: float, level: float) -> float:
    """How much further the interval of a few clusters reaches than that of many items.

    Clusters of one item each are items.

    >>> round(further_of(10, 1000, 0.95), 3), further_of(10, 10, 0.95)
    (1.153, 1.0)
    """
    if not items > clusters:
        return 1.0
    share = 0.5 + level / 2
    return student_quantile(share, clusters - 1) / student_quantile(share, items - 1)


def _of_one(asked: Asked, contents: Contents, whole: ConfusionMatrix, few: bool) -> Estimate:
    metric = asked.metric
    value = float(metric(whole, **asked.keywords))
    carried: Estimate | None = carried_over(
        asked, whole, value, lambda other: _of_one(other, contents, whole, few)
    )
    if carried is not None:
        return carried
    if math.isnan(value):
        return nothing(asked)
    if metric.population:
        # It takes off a bias, which the score that it comes to with ever more items has to leave
        # open.
        other = _of_one(replace(asked, metric=catalog()[metric.population]), contents, whole, few)
        return one_estimate(
            asked, value, other.low, other.high, other.se, other.n_eff, other.method, other.note
        )
    alone = of_the_only_class(asked, whole)
    if alone is not None:
        return replace(_of_one(alone, contents, whole, few), name=asked.name)
    plain = slope(metric, whole, **asked.keywords)
    error = math.sqrt(contents.between(plain))
    near = slope(metric, whole, spread=Smoothing.of(whole, asked.outside), **asked.keywords)
    parts = contents.parts(near)
    between, telling, one_more = parts.spread(), parts.telling, 0.0
    if telling:
        one_more = max(parts.size, item_weight(whole)) * _of_spread(near, whole)
    spread = between + one_more
    if telling < 2 or (spread <= ROUNDING_VARIANCE and asked.method != "wald"):
        # Nothing varies between the clusters, which is no reason to be certain.
        estimated, why = (
            estimate_number(asked, whole),
            _ALIKE if spread <= ROUNDING_VARIANCE else ALONE,
        )
        return replace(estimated, note="; ".join(filter(None, [why, estimated.note])))
    further = (
        further_of(parts.items / parts.size, parts.items / item_weight(whole), asked.level)
        if few
        else 1.0
    )
    inverted = (
        inverts(asked, whole) and None not in metric.bounds and not _is_share(asked, whole, value)
    )
    if inverted and (own := variance(plain, whole, outside=asked.outside)) > 0:
        # As many items drawn one by one as would vary as much (Kish 1965, Survey Sampling, 8.2).
        scale = min(own / (further**2 * between + one_more), 1.0)
        found = by_inversion(
            asked, value, error, bounds_of_number(asked, whole, scale=scale), parts.few
        )
        few_clusters = ", Student's t" if further > 1 else ""
        return replace(
            found, method=f"{found.method} at the effective number of items{few_clusters}"
        )
    found = by_gradient(
        asked,
        value,
        error,
        near.value,
        between + one_more / further**2,
        further=further,
        note=parts.few,
    )
    return from_below(asked, whole, telling, found)


def _is_share(asked: Asked, whole: ConfusionMatrix, value: float) -> bool:
    """Whether a score is a share of items, whose interval at an effective number of them is a proportion's."""
    return (
        share_of(
            asked.metric, whole, value, of=asked.of, average=asked.average, outside=asked.outside
        )
        is not None
    )


def _of_spread(near: Slope, whole: ConfusionMatrix) -> float:
    """Return the effect that the item which is spread would have, squared; its cluster is like it."""
    if near.spread is None or not near.spread.each:
        return 0.0
    rows, cols = (
        np.nonzero(np.outer(near.spread.rows, near.spread.columns))
        if whole.n_classes <= 1024
        else ((), ())
    )
    if not len(rows):
        return 0.0
    squares = (near.at(np.asarray(rows), np.asarray(cols)) ** 2).sum()
    return float(near.spread.each * near.spread.scale * squares)
