"""Intervals of means over labels, where an item has several: items are what was drawn, and their labels go together.

A mean over labels is a function of the cells of all labels. An item adds one to a cell of each, so what it adds to
the score is the sum of the derivatives by those cells, and the variance is that of a sum over the items: how much
labels go together is in it. An item is a cluster of as many answers as there are labels; if patients were drawn, or
documents, what their items add is added first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import positive_of
from confmat.core.cells import Cells
from confmat.core.errors import InputError, MetricError
from confmat.core.labels import Labels
from confmat.core.stack import Stack
from confmat.core.text import printable, some
from confmat.intervals.asking import Asked, asked_of
from confmat.intervals.clusters import by_clusters, check_asked, check_clusters, further_of, of_clusters
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.gradient import Slope, slope
from confmat.intervals.grouped import Groups
from confmat.intervals.intervals import NOTHING, interval, of_items
from confmat.intervals.itemwise import of_mean
from confmat.intervals.settling import nothing, together
from confmat.metrics.averages import chosen
from confmat.metrics.catalog import Score, label_spelt
from confmat.metrics.items import (
    EXACT,
    HAMMING,
    SAMPLES,
    ItemLabels,
    Items,
    check_same_items,
    gathered,
    is_of_labels,
    many_of,
    number_of,
    right_or_not,
    samples_of,
    score_of_labels,
)

__all__ = ["estimates_of_means", "of_labels"]

Array = NDArray[np.float64]
# Derivatives that are looked up together, of labels by scores: 64 MB of sums of four.
_AT_ONCE = 2**17
_NOT_HELD = (
    "these `items` do not know which labels each has, and how much a mean over labels varies depends on it: "
    "count them anew, count_multilabel(..., along='item')"
)


def of_labels(
    score: Any, stack: Any, items: Any, clusters: Any, of: Any, average: Any, *rest: Any
) -> Estimate | Estimates:
    """The estimate of a mean over labels or over items, of one label, or of every label."""
    asked = _asked(score, stack, items, of, average, *rest)
    if clusters is not None:
        return _of_groups(asked, stack, items, Groups.of(clusters, items))
    items = gathered(items)
    if asked.average is not None or _is_of_items(asked):
        found = estimates_of_means([asked], stack, items)[0]
        return _unknown(asked, stack, items) if found is None else found
    if asked.of is not None:
        return _of_label(asked, stack)
    each = [_of_label(replace(asked, of=label), stack) for label in stack]
    return together(replace(asked, drawn=each[0].design), Labels(tuple(stack)), each)


def _asked(
    score: Any, stack: Any, items: Any, of: Any, average: Any, undefined: Any, weights: Any, *rest: Any
) -> Asked:
    if not is_of_labels(stack):
        what = f"a stack along {stack.axis!r}" if isinstance(stack, Stack) else type(stack).__name__
        msg = f"`items` belong to what count_multilabel gives along 'label', got {what}"
        raise InputError(msg)
    check_same_items(stack, items)
    parsed = score_of_labels(score)
    if of is None and parsed.of is not None:
        of = label_spelt(Labels(tuple(stack)), parsed.of)
    named = () if of is None else (of,)
    for label in (*named, *weights) if isinstance(weights, Mapping) else named:
        if label not in stack:
            msg = f"there is no label {printable(repr(label)):.60}; there are {some(stack, 8)}"
            raise MetricError(msg)
    if isinstance(weights, Mapping):
        weights = [weights.get(label, 0) for label in stack]
    average = SAMPLES if average == SAMPLES.name else average
    asked = asked_of(Score(parsed.metric, parsed.average), items, of, average, undefined, weights, *rest)
    if asked.metric.kind != "class" and not _is_of_items(asked):
        msg = (
            f"{asked.name} is a score of one matrix, and several labels have none in common; of one label, "
            "interval(..., stack[label]); of all, hamming_loss and exact_match"
        )
        raise MetricError(msg)
    check_asked(asked)
    check_clusters(items)
    return replace(asked, drawn=f"{number_of(items):,} items")


def _of_label(asked: Asked, stack: Stack) -> Estimate:
    """Of one label every item counts once, so it is a two-class matrix like any other."""
    yes = positive_of(stack.labels)
    found = interval(asked.metric, stack[asked.of], of=yes, level=asked.level, method=asked.method)
    assert isinstance(found, Estimate)
    return replace(found, name=asked.name)


def _of_groups(asked: Asked, stack: Stack, items: Stack, groups: Groups) -> Estimate | Estimates:
    asked = replace(asked, drawn=f"{groups.number:,} clusters")
    if asked.average is not None or _is_of_items(asked):
        return estimates_of_means([asked], stack, items, groups)[0] or _unknown(asked, stack, items)
    held, names = _held(stack, items), list(stack)
    if held is None:
        raise InputError(_NOT_HELD)
    labels = names if asked.of is None else [asked.of]
    yes = positive_of(items.labels)
    each = []
    for label, drawn in zip(labels, groups.of_labels(held, [names.index(one) for one in labels]), strict=True):
        found = of_clusters(replace(asked, of=yes), drawn)
        assert isinstance(found, Estimate)
        each.append(replace(found, name=replace(asked, of=label).name))
    return each[0] if asked.of is not None else together(asked, Labels(tuple(stack)), each)


def estimates_of_means(
    asks: Sequence[Asked], stack: Stack, items: Stack, groups: Groups | None = None
) -> list[Estimate | None]:
    """The estimates of several means of the same items, which may be of clusters; None of what has none."""
    if number_of(items) < 2:
        return [None] * len(asks)
    over_labels = [asked for asked in asks if not _by_items(asked)]
    found = iter(_over_labels(over_labels, stack, items, groups))
    return [_if_any(asked, items, groups) if _by_items(asked) else next(found) for asked in asks]


def _if_any(asked: Asked, items: Stack, groups: Groups | None) -> Estimate | None:
    try:
        return _over_items(asked, items, groups)
    except MetricError:
        return None


def _by_items(asked: Asked) -> bool:
    """Whether the items' own matrices are enough."""
    return asked.average is SAMPLES or _is_of_items(asked) or (asked.average is not None and asked.average.pooled)


def _is_of_items(asked: Asked) -> bool:
    return asked.metric is EXACT or asked.metric is HAMMING


def _unknown(asked: Asked, stack: Stack, items: Stack) -> NoReturn:
    if _by_items(asked):
        _over_items(asked, items)
    # What is refused says so itself.
    asked.metric(_cells(stack), **asked.how)
    if _held(stack, items) is None:
        raise InputError(_NOT_HELD)
    msg = f"{asked.name} has no derivative, so its interval is not known; one label has one, interval(..., of=label)"
    raise MetricError(msg)


def _over_items(asked: Asked, items: Stack, groups: Groups | None = None) -> Estimate:
    """Of what pools the labels, of a mean over the items, and of those that are all right."""
    drawn = items if groups is None else groups.stack
    if asked.metric is EXACT:
        return _of_right_ones(asked, items, groups)
    if asked.metric is HAMMING:
        pooled = of_clusters(asked, drawn)
        assert isinstance(pooled, Estimate)
        return pooled
    if asked.average is not SAMPLES:
        pooled = of_clusters(replace(asked, average=None, of=positive_of(items.labels)), drawn)
        assert isinstance(pooled, Estimate)
        return replace(pooled, name=asked.name)
    if asked.weights is not None:
        msg = "`weights` are those of labels, and a mean over items takes none"
        raise MetricError(msg)
    asked.metric._refuse(SAMPLES, asked.undefined, None)
    cells = _cells(items)
    values = np.asarray(asked.metric.per_class(cells), dtype=np.float64)
    choice = chosen(values, cells, samples_of(items), asked.undefined, asked.metric.when_never_predicted)
    weights = np.broadcast_to(np.asarray(choice.weights, dtype=np.float64), np.shape(choice.values))
    return of_mean(asked, np.asarray(choice.values, dtype=np.float64), weights, many_of(items), groups)


def _of_right_ones(asked: Asked, items: Stack, groups: Groups | None) -> Estimate:
    """A share of items that are drawn one by one, or a mean by their weights or of clusters."""
    if groups is None and not np.ptp(items.total):
        return of_items(asked, right_or_not(items))
    right, many = items.diagonal.sum(axis=1) == items.total, many_of(items)
    weights = items.total if many is None else many * items.total
    return of_mean(asked, right.astype(np.float64), weights.astype(np.float64), many, groups)


def _cells(stack: Stack) -> Cells:
    """The cells of having a label, of each matrix."""
    return stack.cells.at(stack.labels.index(positive_of(stack.labels)))


# ---- means over labels -------------------------------------------------------------------------------------


def _over_labels(asks: Sequence[Asked], stack: Stack, items: Stack, groups: Groups | None) -> list[Estimate | None]:
    found: list[Estimate | None] = [None] * len(asks)
    held = _held(stack, items) if asks else None
    if held is None:
        return found
    counted = _cells(stack)
    near = _Near.of(counted.astype(np.float64), held)
    places, slopes = [], []
    for place, asked in enumerate(asks):
        if not asked.metric.smooth or asked.average is None or asked.average.name in {"min", "max"}:
            continue
        try:
            slopes += [slope(asked.metric, counted, near=cells, **asked.how) for cells in (None, near.cells)]
            places.append(place)
        except MetricError:
            continue
    variances = _variances(held, slopes, groups) if slopes else np.zeros(0)
    for at, place in enumerate(places):
        asked, beside = asks[place], slopes[2 * at + 1]
        value, error = float(asked.metric(counted, **asked.how)), math.sqrt(variances[2 * at])
        spread = near.spread(beside, float(variances[2 * at + 1]))
        if spread <= NOTHING:
            # Nothing varies between the items, which is no reason to be certain.
            wide = _Near.of(counted.astype(np.float64), held, everywhere=True)
            beside = slope(asked.metric, counted, near=wide.cells, **asked.how)
            spread = wide.spread(beside, float(_variances(held, [beside], groups)[0]))
        drawn = number_of(items) if groups is None else groups.number
        further = further_of(drawn, number_of(items) * len(stack), asked.level)
        known = (value, error, beside.value, spread, further)
        found[place] = nothing(asked) if math.isnan(value) else by_clusters(asked, *known)
    return found


def _held(stack: Stack, items: Stack) -> ItemLabels | None:
    """The labels of the items in the order of the stack, if they are known and add up to it."""
    held = items.held if isinstance(items, Items) else None
    if held is None or len(held.labels) != len(stack):
        return None
    names = {label: place for place, label in enumerate(held.labels)}
    # A table of zeros and ones has numbers for names where none were given.
    order = [names[label] for label in stack] if set(names) == set(stack) else list(range(len(stack)))
    held = held.in_order(order)
    one, other = held.cells(), _cells(stack)
    slack = 1e-9 * float(np.max(other.total, initial=0))
    parts = ((one.tp, other.tp), (one.fp, other.fp), (one.fn, other.fn))
    return held if all(np.allclose(mine, theirs, rtol=0, atol=slack) for mine, theirs in parts) else None


@dataclass(frozen=True)
class _Near:
    """Cells with one more item spread evenly over what is there: a label that nobody has, or gets, stays so.

    Or the item is spread over all cells, `everywhere`.
    """

    cells: Cells
    # Which cells of each label took some of it, false and true by false and true.
    marks: Array
    # What the item weighs, and the factor that leaves the total what it was.
    mass: float
    scale: float

    @classmethod
    def of(cls, cells: Cells, held: ItemLabels, *, everywhere: bool = False) -> _Near:
        """The item weighs what the others weigh on average."""
        mass = 1.0
        if held.weights is not None:
            largest = float(held.weights.max())
            shares = held.weights / largest
            many = np.ones(len(shares)) if held.many is None else held.many
            mass = largest * float(many @ shares**2 / (many @ shares))
        true, said = (np.stack([cells.total > part, part > 0]) | everywhere for part in (cells.actual, cells.predicted))
        marks = (true[:, None] & said).astype(np.float64)
        each = mass / np.maximum(marks.sum(axis=(0, 1)), 1) * marks
        total = float(np.max(cells.total, initial=0))
        scale = total / (total + mass)
        (tn, fp), (fn, tp) = each
        parts = ((cells.tp, tp), (cells.fp, fp), (cells.fn, fn), (cells.tn, tn))
        return cls(Cells(*((part + more) * scale for part, more in parts)), marks, mass, scale)

    def spread(self, near: Slope, between: float) -> float:
        """The variance between the items and of what this one adds, if its labels do not go together."""
        hit, true, said = (part[:-1] for part in (near.hit, near.actual, near.predicted))
        added = np.stack([[0 * hit, said], [true, hit + true + said]])
        many = np.maximum(self.marks.sum(axis=(0, 1)), 1)
        mean = (self.marks * added).sum(axis=(0, 1)) / many
        squares = self.marks * (self.mass * (added - mean)) ** 2
        return self.scale * (between + float((squares.sum(axis=(0, 1)) / many).sum()))


def _variances(held: ItemLabels, slopes: Sequence[Slope], groups: Groups | None) -> Array:
    """The variance of the sum of what the items add, for each of several slopes: G / (G - 1) as of clusters."""
    step = max(1, _AT_ONCE // len(held.labels))
    if len(slopes) > step:
        parts = [slopes[begin : begin + step] for begin in range(0, len(slopes), step)]
        return np.concatenate([_variances(held, part, groups) for part in parts])
    if groups is not None:
        return groups.variances((added for added, _ in _added(held, slopes)), len(slopes))
    number, mean, squares = 0.0, np.zeros(len(slopes)), np.zeros(len(slopes))
    for added, many in _added(held, slopes):
        n = float(many.sum())
        here = many @ added / n
        squares += many @ (added - here) ** 2 + (here - mean) ** 2 * (number * n / (number + n))
        mean += (here - mean) * (n / (number + n))
        number += n
    return np.asarray(squares * (number / (number - 1)))


def _added(held: ItemLabels, slopes: Sequence[Slope]) -> Iterator[tuple[Array, Array]]:
    """What an item of each row adds to each of several scores, and how many it stands for."""
    by = [np.stack([getattr(one, part)[:-1] for one in slopes], axis=1) for part in ("hit", "actual", "predicted")]
    still = np.array([one.total for one in slopes])
    for plain, weights, many in held.added(*by):
        added = plain + still
        if weights is not None:
            added *= np.asarray(weights, np.float64)[:, None]
        yield added, many
