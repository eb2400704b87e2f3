"""Intervals where an item has several labels: items were drawn, and their labels go together.

A mean over labels is a function of the cells of all labels. An item adds one to a cell of each, so
what it adds to the score is the sum of the derivatives by those cells, and the variance is that of
a sum over the items: how much labels go together is in it. An item is a cluster of as many answers
as there are labels; if patients were drawn, or documents, what their items add is added first. A
mean over items, each with a score of its own, varies as these do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import one_for_each
from confmat.core.building import positive_of
from confmat.core.cells import Cells
from confmat.core.errors import InputError, Message, MetricError
from confmat.core.labels import Labels
from confmat.core.stack import Stack
from confmat.core.text import printable, some
from confmat.counting.groups import grouped_codes
from confmat.counting.planning import Policy
from confmat.intervals.asked import Asked, ask, by_gradient, nothing, together
from confmat.intervals.clusters import (
    ALONE,
    check_asked,
    check_clusters,
    estimate_clusters,
    further_of,
    variance_of_sum,
)
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.gradient import slope
from confmat.intervals.single import estimate_number
from confmat.intervals.variance import ROUNDING_VARIANCE, Slope
from confmat.metrics.averages import chosen
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
)

Array = NDArray[np.float64]
# Items times labels that are looked up together, and labels times labels.
_ITEMS_AT_ONCE, _LABELS_AT_ONCE = 2**22, 2**17


@dataclass(frozen=True, eq=False)
class Groups:
    """The cluster of each item, and the items of each cluster added up."""

    codes: NDArray[Any]
    stack: Stack

    @classmethod
    def of(cls, clusters: Any, items: Stack) -> Groups:
        """From a name for each item, in their order."""
        if many_of(items) is not None:
            msg = "some of these `items` represent several, and `clusters` names one for each: count them one by one"
            raise InputError(msg)
        n = len(items)
        policy = Policy(None, missing="drop", other="error", positive=None, max_classes=n)
        codes, keys = grouped_codes(clusters, n, policy, n, "clusters")
        if (codes < 0).any():
            msg = f"`clusters` names that of every item, but {int((codes < 0).sum()):,} of {n:,} have none"
            raise InputError(msg)
        whole = _added(codes, len(keys), items.counts)
        squares = None if items._squares is None else _added(codes, len(keys), items._squares[:])
        total = whole.sum(axis=(1, 2))
        stack = Stack._of_table(
            whole, items.labels, tuple(keys), total, "cluster", squares, items.ungrouped
        )
        check_clusters(stack)
        return cls(codes, stack)

    @property
    def number(self) -> int:
        """How many clusters there are."""
        return len(self.stack)

    def of_labels(self, held: ItemLabels, labels: Sequence[int]) -> Iterator[Stack]:
        """The matrices of having each of some labels, cluster by cluster."""
        size, weights = len(held.labels), held.weights
        step = max(1, min(_ITEMS_AT_ONCE // len(self.codes), _LABELS_AT_ONCE // size))
        for begin in range(0, len(labels), step):
            some = labels[begin : begin + step]
            by = np.zeros((size, len(some)))
            by[some, np.arange(len(some))] = 1
            # Two for having it and one for getting it: the places in a table of two by two.
            places = np.concatenate([added for added, _ in held.added(0 * by, 2 * by, by)])
            for place in (places + 4.0 * self.codes[:, None]).astype(np.intp).T:
                whole = self._table(place, weights, self.stack.counts.dtype)
                squares = self.stack._squares
                if squares is not None and weights is not None:
                    squares = self._table(
                        place, np.square(weights, dtype=np.float64), squares[:].dtype
                    )
                total = whole.sum(axis=(1, 2))
                rest = tuple(self.stack), total, "cluster", squares, self.stack.ungrouped
                yield Stack._of_table(whole, self.stack.labels, *rest)

    def _table(self, place: NDArray[np.intp], weights: Any, kind: Any) -> NDArray[Any]:
        return np.bincount(place, weights, 4 * self.number).astype(kind).reshape(-1, 2, 2)

    def variances(self, parts: Iterable[Array], size: int) -> Array:
        """The variance of each of several sums of the items' contributions, some items at a time."""
        sums, begin = np.zeros((self.number, size)), 0
        for added in parts:
            np.add.at(sums, self.codes[begin : begin + len(added)], added)
            begin += len(added)
        return np.array([variance_of_sum(each) for each in sums.T])


def _added(codes: NDArray[Any], number: int, table: NDArray[Any]) -> NDArray[Any]:
    sums = np.zeros((number, *table.shape[1:]), table.dtype)
    np.add.at(sums, codes, table)
    return sums


def of_mean(
    asked: Asked, values: Array, weights: Array, many: Any = None, groups: Groups | None = None
) -> Estimate:
    """The estimate of a mean of the values of items, by their weights; of one item nothing is known.

    A value may be that of `many` alike items, whose weight is then that of all of them. Items of
    one group go together. Where all items have the same score they have no variance by any formula,
    so one more item is spread over the two ends of what the score can be.
    """
    there = weights != 0
    values, shares = (
        values[there],
        weights[there] / weights.sum() if there.any() else weights[there],
    )
    many = np.ones(len(values)) if many is None else many[there]
    if many.sum() < 2:
        return nothing(asked)
    telling = int(many.sum()) if groups is None else len(np.unique(groups.codes[there]))
    if telling < 2:
        return replace(of_mean(asked, values, shares, many), note=ALONE)

    def between(around: float) -> float:
        """The variance of the mean, from the distances of the values."""
        if groups is None:
            return float(shares**2 / many @ (values - around) ** 2)
        added = np.zeros((len(there), 1))
        added[there, 0] = shares * (values - around)
        return float(groups.variances([added], 1)[0])

    near = mean = float(shares @ values)
    error, ends, (low, high) = math.sqrt(between(mean)), 0.0, asked.metric.bounds
    if low is not None and high is not None:
        # As much of an item as the others are on average, half of it at each end.
        more = each = float((shares**2 / many).sum())
        if groups is not None:
            # It comes with others that are like it.
            each = float((np.bincount(groups.codes[there], shares) ** 2).sum())
        shares = shares / (1 + more)
        near = float(shares @ values) + (low + high) * more / 2 / (1 + more)
        ends = more * each / 2 / (1 + more) ** 2 * ((low - near) ** 2 + (high - near) ** 2)
    further = further_of(telling, math.inf, asked.level)
    return by_gradient(asked, mean, error, near, between(near) + ends, further=further)


# Derivatives that are looked up together, of labels by scores: 64 MB of sums of four.
_AT_ONCE = 2**17
_NOT_HELD = (
    "these `items` do not know which labels each has, and how much a mean over labels varies "
    "depends on it: "
    "count them anew, count_multilabel(..., along='item')"
)


def estimate_items(
    asked: Asked, stack: Stack, items: Stack, clusters: Any = None
) -> Estimate | Estimates:
    """Return the estimate of a mean over labels or over items, of one label, or of every label."""
    asked = _of_items(asked, stack, items)
    if clusters is not None:
        return _of_groups(asked, stack, items, Groups.of(clusters, items))
    items = gathered(items)
    if asked.average is not None or _is_of_items(asked):
        estimate = estimates_of_means([asked], stack, items)[0]
        return _unknown(asked, stack, items) if estimate is None else estimate
    if asked.of is not None:
        return _of_label(asked, stack)
    each = [_of_label(replace(asked, of=label), stack) for label in stack]
    return together(asked, Labels(tuple(stack)), each)


def check_items(stack: Any, items: Any, at_prevalence: Any) -> None:
    """Raise unless a stack along "label" and the items belong together and have intervals."""
    if at_prevalence is not None:
        msg = "several labels an item have no interval at another prevalence; one of them has, give stack[label]"
        raise InputError(msg)
    if not is_of_labels(stack):
        what = f"a stack along {stack.axis!r}" if isinstance(stack, Stack) else type(stack).__name__
        msg = f"`items` belong to what count_multilabel gives along 'label', got {what}"
        raise InputError(msg)
    check_same_items(stack, items)


def _of_items(asked: Asked, stack: Stack, items: Stack) -> Asked:
    """Check the labels that are named, and describe the items."""
    if asked.of is not None and asked.of not in stack:
        msg = f"there is no label {printable(repr(asked.of)):.60}; there are {some(stack, 8)}"
        raise MetricError(msg)
    weights = asked.weights
    if weights is not None:
        weights = one_for_each(weights, list(stack), "weights", MetricError)
    if asked.metric.kind != "class" and not _is_of_items(asked):
        msg = (
            f"{asked.name} is a score of one matrix, and several labels have none in common; of "
            "one label, "
            "interval(stack[label], ...); of all, hamming_loss and exact_match"
        )
        raise MetricError(msg)
    check_asked(asked)
    check_clusters(items)
    return replace(asked, weights=weights, drawn=f"{number_of(items):,} items", note="")


def _of_label(asked: Asked, stack: Stack) -> Estimate:
    """Return the estimate of one label, with every item counted once: a two-class matrix like any other."""
    m, yes = stack[asked.of], positive_of(stack.labels)
    estimate = estimate_number(
        ask(m, asked.metric, of=yes, level=asked.level, method=asked.method), m
    )
    return replace(estimate, name=asked.name)


def _of_groups(asked: Asked, stack: Stack, items: Stack, groups: Groups) -> Estimate | Estimates:
    asked = replace(asked, drawn=f"{groups.number:,} clusters")
    if asked.average is not None or _is_of_items(asked):
        return estimates_of_means([asked], stack, items, groups)[0] or _unknown(asked, stack, items)
    held, names = _labels_in_order(stack, items), list(stack)
    if held is None:
        raise InputError(_NOT_HELD)
    labels = names if asked.of is None else [asked.of]
    yes = positive_of(items.labels)
    each = []
    for label, drawn in zip(
        labels, groups.of_labels(held, [names.index(label) for label in labels]), strict=True
    ):
        estimated = estimate_clusters(replace(asked, of=yes), drawn)
        assert isinstance(estimated, Estimate)
        each.append(replace(estimated, name=replace(asked, of=label).name))
    return each[0] if asked.of is not None else together(asked, Labels(tuple(stack)), each)


def estimates_of_means(
    asks: Sequence[Asked], stack: Stack, items: Stack, groups: Groups | None = None
) -> list[Estimate | None]:
    """Estimate several means of the same items, which may be of clusters; None for a mean without an estimate."""
    if number_of(items) < 2:
        return [None] * len(asks)
    over_labels = [asked for asked in asks if not _by_items(asked)]
    over_means = iter(_over_labels(over_labels, stack, items, groups))
    return [
        _if_any(asked, items, groups) if _by_items(asked) else next(over_means) for asked in asks
    ]


def _if_any(asked: Asked, items: Stack, groups: Groups | None) -> Estimate | None:
    try:
        return _over_items(asked, items, groups)
    except MetricError:
        return None


def _by_items(asked: Asked) -> bool:
    """Whether the items' own matrices are enough."""
    return (
        asked.average is SAMPLES
        or _is_of_items(asked)
        or (asked.average is not None and asked.average.pooled)
    )


def _is_of_items(asked: Asked) -> bool:
    return asked.metric is EXACT or asked.metric is HAMMING


def _unknown(asked: Asked, stack: Stack, items: Stack) -> NoReturn:
    if _by_items(asked):
        _over_items(asked, items)
    # A metric that refuses the stack says so itself.
    asked.metric(_cells(stack), **asked.keywords)
    if _labels_in_order(stack, items) is None:
        raise InputError(_NOT_HELD)
    msg = f"{asked.name} has no derivative, so its interval is not known; one label has one, interval(..., of=label)"
    raise MetricError(msg)


def _over_items(asked: Asked, items: Stack, groups: Groups | None = None) -> Estimate:
    """Estimate a score that pools the labels, a mean over the items, or the share of items that are all right."""
    drawn = items if groups is None else groups.stack
    if asked.metric is EXACT:
        return _of_right_ones(asked, items, groups)
    if asked.metric is HAMMING:
        pooled = estimate_clusters(asked, drawn)
        assert isinstance(pooled, Estimate)
        return pooled
    if asked.average is not SAMPLES:
        pooled = estimate_clusters(
            replace(asked, average=None, of=positive_of(items.labels)), drawn
        )
        assert isinstance(pooled, Estimate)
        return replace(pooled, name=asked.name)
    if asked.weights is not None:
        msg = Message("{weights} are those of labels, and a mean over items takes none")
        raise MetricError(msg)
    asked.metric._refuse(SAMPLES, asked.undefined, None)
    cells = _cells(items)
    values = np.asarray(asked.metric.per_class(cells), dtype=np.float64)
    choice = chosen(
        values, cells, samples_of(items), asked.undefined, asked.metric.when_never_predicted
    )
    weights = np.broadcast_to(np.asarray(choice.weights, dtype=np.float64), np.shape(choice.values))
    return of_mean(
        asked, np.asarray(choice.values, dtype=np.float64), weights, many_of(items), groups
    )


def _of_right_ones(asked: Asked, items: Stack, groups: Groups | None) -> Estimate:
    """A share of items that are drawn one by one, or a mean by their weights or of clusters."""
    if groups is None and not np.ptp(items.total):
        return estimate_number(asked, right_or_not(items))
    right, many = items.diagonal.sum(axis=1) == items.total, many_of(items)
    weights = items.total if many is None else many * items.total
    return of_mean(asked, right.astype(np.float64), weights.astype(np.float64), many, groups)


def _cells(stack: Stack) -> Cells:
    """The cells of having a label, of each matrix."""
    return stack.cells.at(stack.labels.index(positive_of(stack.labels)))


# ---- means over labels ---------------------------------------------------------------------------


def _over_labels(
    asks: Sequence[Asked], stack: Stack, items: Stack, groups: Groups | None
) -> list[Estimate | None]:
    estimates: list[Estimate | None] = [None] * len(asks)
    held = _labels_in_order(stack, items) if asks else None
    if held is None:
        return estimates
    counted = _cells(stack)
    near = _Near.of(counted.astype(np.float64), held)
    places, slopes = [], []
    for place, asked in enumerate(asks):
        if not asked.metric.smooth or asked.average is None or asked.average.name in {"min", "max"}:
            continue
        try:
            slopes += [
                slope(asked.metric, counted, near=cells, **asked.keywords)
                for cells in (None, near.cells)
            ]
            places.append(place)
        except MetricError:
            continue
    variances = _variances(held, slopes, groups) if slopes else np.zeros(0)
    for at, place in enumerate(places):
        asked, beside = asks[place], slopes[2 * at + 1]
        value, error = float(asked.metric(counted, **asked.keywords)), math.sqrt(variances[2 * at])
        drawn = number_of(items) if groups is None else groups.number
        alike = number_of(items) / drawn
        spread = near.spread(beside, float(variances[2 * at + 1]), alike)
        if spread <= ROUNDING_VARIANCE:
            # Nothing varies between the items, which is no reason to be certain.
            wide = _Near.of(counted.astype(np.float64), held, everywhere=True)
            beside = slope(asked.metric, counted, near=wide.cells, **asked.keywords)
            spread = wide.spread(beside, float(_variances(held, [beside], groups)[0]), alike)
        further = further_of(drawn, number_of(items) * len(stack), asked.level)
        if math.isnan(value):
            estimates[place] = nothing(asked)
        else:
            estimates[place] = by_gradient(
                asked, value, error, beside.value, spread, further=further
            )
    return estimates


def _labels_in_order(stack: Stack, items: Stack) -> ItemLabels | None:
    """The labels of the items in the order of the stack, if they are known and add up to it."""
    held = items.held if isinstance(items, Items) else None
    if held is None or len(held.labels) != len(stack):
        return None
    names = {label: place for place, label in enumerate(held.labels)}
    # A table of zeros and ones has numbers for names where none were given.
    order = (
        [names[label] for label in stack] if set(names) == set(stack) else list(range(len(stack)))
    )
    held = held.in_order(order)
    found, known = held.cells(), _cells(stack)
    slack = 1e-9 * float(np.max(known.total, initial=0))
    parts = ((found.tp, known.tp), (found.fp, known.fp), (found.fn, known.fn))
    return (
        held
        if all(np.allclose(mine, theirs, rtol=0, atol=slack) for mine, theirs in parts)
        else None
    )


@dataclass(frozen=True)
class _Near:
    """Cells with one more item spread evenly over what is there: a label that nobody has, or gets, stays so.

    Or the item is spread over all cells, `everywhere`.
    """

    cells: Cells
    # Which cells of each label took some of it, false and true by false and true.
    marks: Array
    # The weight of the item, and the factor that leaves the total as it was.
    mass: float
    scale: float

    @classmethod
    def of(cls, cells: Cells, held: ItemLabels, *, everywhere: bool = False) -> _Near:
        """The item weighs what the others weigh on average."""
        mass = 1.0
        if held.weights is not None:
            largest = float(held.weights.max())
            shares = held.weights / largest
            mass = largest * float((shares**2).sum() / shares.sum())
        true, answered = (
            np.stack([cells.total > part, part > 0]) | everywhere
            for part in (cells.actual, cells.predicted)
        )
        marks = (true[:, None] & answered).astype(np.float64)
        each = mass / np.maximum(marks.sum(axis=(0, 1)), 1) * marks
        total = float(np.max(cells.total, initial=0))
        scale = total / (total + mass)
        (tn, fp), (fn, tp) = each
        parts = ((cells.tp, tp), (cells.fp, fp), (cells.fn, fn), (cells.tn, tn))
        return cls(Cells(*((part + more) * scale for part, more in parts)), marks, mass, scale)

    def spread(self, near: Slope, between: float, alike: float) -> float:
        """The variance between the items and of what this one adds with those like it, each label by itself."""
        hit, true, answered = (part[:-1] for part in (near.hit, near.actual, near.predicted))
        added = np.stack([[0 * hit, answered], [true, hit + true + answered]])
        many = np.maximum(self.marks.sum(axis=(0, 1)), 1)
        mean = (self.marks * added).sum(axis=(0, 1)) / many
        squares = alike * self.marks * (self.mass * (added - mean)) ** 2
        return self.scale * (between + float((squares.sum(axis=(0, 1)) / many).sum()))


def _variances(held: ItemLabels, slopes: Sequence[Slope], groups: Groups | None) -> Array:
    """The variance of the sum of the items' contributions, for each of several slopes: G / (G - 1) as of clusters."""
    step = max(1, _AT_ONCE // len(held.labels))
    if len(slopes) > step:
        parts = [slopes[begin : begin + step] for begin in range(0, len(slopes), step)]
        return np.concatenate([_variances(held, part, groups) for part in parts])
    if groups is not None:
        return groups.variances(_added_labelwise(held, slopes), len(slopes))
    number, mean, squares = 0.0, np.zeros(len(slopes)), np.zeros(len(slopes))
    for added in _added_labelwise(held, slopes):
        n = float(len(added))
        here = added.sum(axis=0) / n
        squares += ((added - here) ** 2).sum(axis=0) + (here - mean) ** 2 * (
            number * n / (number + n)
        )
        mean += (here - mean) * (n / (number + n))
        number += n
    return np.asarray(squares * (number / (number - 1)))


def _added_labelwise(held: ItemLabels, slopes: Sequence[Slope]) -> Iterator[Array]:
    """Yield the shares of an item of each row in several scores."""
    by = [
        np.stack([getattr(slope, part)[:-1] for slope in slopes], axis=1)
        for part in ("hit", "actual", "predicted")
    ]
    still = np.array([slope.total for slope in slopes])
    for plain, weights in held.added(*by):
        added = plain + still
        if weights is not None:
            added *= np.asarray(weights, np.float64)[:, None]
        yield added
