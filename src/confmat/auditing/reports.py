"""Reports of several classes: the hits and predicted totals that printed scores allow, coupled by their sums.

Each class against the rest is a table of two classes, so its own scores leave intervals of
predicted totals for each number of hits. Predicted totals add up to all items, and hits to the
accuracy: counting the combinations is a convolution over both sums. A table with zeros allowed off
the diagonal has given hits d, actual totals r and predicted totals c exactly if no class has more
errors on its two sides, r_i + c_i - 2 d_i, than there are errors in all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.auditing.solutions import (
    Asked,
    Range,
    Witness,
    all_fit,
    is_of_hits,
    margins_of_two,
    places_among,
    values_of,
)
from confmat.auditing.two_classes import solved
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.metrics import Score, parse_score
from confmat.metrics.margins import Margins

Ints = NDArray[np.int64]
_MOST_CLASSES = 200


def only_matrix(
    hits: Ints, actual: Ints, predicted: Ints, labels: Labels
) -> ConfusionMatrix | None:
    """The matrix with these hits and totals where no cell has a choice, else None.

    Each cell holds at least what the others of its row, or its column, cannot take, and at most
    what they leave.
    """
    k = len(hits)
    if k > _MOST_CLASSES:
        return None
    rows, columns = (side - hits for side in (actual, predicted))
    high = np.minimum.outer(rows, columns)
    np.fill_diagonal(high, 0)
    low = np.zeros_like(high)
    while True:
        least = np.maximum(low, rows[:, None] - (high.sum(1, keepdims=True) - high))
        least = np.maximum(least, columns - (high.sum(0) - high))
        np.fill_diagonal(least, 0)
        most = np.minimum(high, rows[:, None] - (least.sum(1, keepdims=True) - least))
        most = np.minimum(most, columns - (least.sum(0) - least))
        np.fill_diagonal(most, 0)
        if np.array_equal(least, low) and np.array_equal(most, high):
            break
        low, high = least, most
        if (low > high).any():
            return None
    if not np.array_equal(low, high):
        return None
    return ConfusionMatrix(low + np.diag(hits), labels)


# Rows of a class: hits, and the least and greatest predicted total.
Rows = tuple[Ints, Ints, Ints]
_UNKNOWN = Range(math.nan, math.nan, False)


def outer_bounds(
    asked: Asked,
    supports: Ints,
    classes: Sequence[Rows],
    hits: tuple[int, int],
    undefined: float | None = None,
) -> Range:
    """Bounds of a score: of each class from its own rows, of means from those, of agreement from the totals."""
    n, average = int(supports.sum()), asked.score.average
    if is_of_hits(asked):
        ends = hits if asked.metric.better == "higher" else (n - hits[1], n - hits[0])
        return Range(ends[0] / n, ends[1] / n, False)
    if asked.metric.kind == "class" and (
        asked.place is not None or (average is not None and average.name in {"macro", "weighted"})
    ):
        return _of_classes(asked, supports, classes, undefined)
    if asked.metric.macro_of is not None:
        return _of_classes(
            replace(asked, score=parse_score(f"{asked.metric.macro_of}.macro")),
            supports,
            classes,
            None,
        )
    if asked.metric.beyond_chance is not None:
        return _agreement(asked.metric.beyond_chance, supports, classes, hits, undefined)
    return _UNKNOWN


def _of_classes(
    asked: Asked, supports: Ints, classes: Sequence[Rows], undefined: float | None
) -> Range:
    n = int(supports.sum())
    places = range(len(classes)) if asked.place is None else [asked.place]
    ends = []
    for place in places:
        d, low, high = classes[place]
        tp, c = np.concatenate([d, d]), np.concatenate([low, high])
        r = int(supports[place])
        margins = margins_of_two(tp, c - tp, r - tp, n - r - (c - tp))
        # A fair mean takes this value for a class that is never predicted.
        fill = (
            asked.metric.when_never_predicted
            if asked.place is None and undefined is None
            else undefined
        )
        values = values_of(Score(asked.metric), 0, margins, fill)
        if np.isnan(values).all():
            return _UNKNOWN
        ends.append((float(np.nanmin(values)), float(np.nanmax(values))))
    if asked.place is not None:
        return Range(*ends[0], False)
    if asked.score.average and asked.score.average.name == "weighted":
        weights = supports
    else:
        # A class without an item counts where its 0/0 is a number.
        weights = np.where((supports > 0) | (undefined is not None), 1, 0)
    least, most = (
        float(np.average([end[side] for end in ends], weights=weights)) for side in (0, 1)
    )
    return Range(least, most, False)


def _agreement(
    over: Literal["share", "correlation"],
    supports: Ints,
    classes: Sequence[Rows],
    hits: tuple[int, int],
    undefined: float | None,
) -> Range:
    """Agreement beyond chance falls with the sum of products of totals and rises with the hits."""
    r = supports.astype(np.float64)
    n = float(r.sum())
    low, high = (
        np.array([float(side(rows[at])) for rows in classes])
        for at, side in ((1, np.min), (2, np.max))
    )
    products = _least(r, low, high, n), -_least(-r, low, high, n)
    tops = n * hits[0] - products[1], n * hits[1] - products[0]
    if over == "share":
        if undefined is not None and products[1] >= n * n:
            # All items are of one class: the share is 0, or 0/0 where all are predicted as it.
            return Range(min(0.0, undefined), max(0.0, undefined), False)
        values = [
            top / (n * n - s) if n * n > s else math.nan
            for top, s in zip(tops, products[::-1], strict=True)
        ]
        return Range(values[0], values[1], False)
    squares = max(float(low @ low), n * n / len(r)), min(float(high @ high), n * n)
    bottoms = [math.sqrt(max((n * n - float(r @ r)) * (n * n - s), 0.0)) for s in squares]
    if not all(bottoms):
        stands_for = 0.0 if undefined is None else undefined
        return Range(min(-1.0, stands_for), max(1.0, stands_for), False)
    every = [top / bottom for top in tops for bottom in bottoms]
    return Range(max(min(every), -1.0), min(max(every), 1.0), False)


def _least(
    weights: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], total: float
) -> float:
    """The least weighted sum of numbers between bounds that add up to a total: the rest goes where it weighs least."""
    left, least = total - float(low.sum()), float(weights @ low)
    for at in np.argsort(weights):
        part = min(left, float(high[at] - low[at]))
        least += part * float(weights[at])
        left -= part
    return least


# As many solutions are listed one by one.
_LISTED = 20_000
# A step of the convolution is this much cheaper than looking at a table.
_CHEAP = 40


@dataclass(frozen=True)
class Candidates:
    """Candidates of one class: its support, and rows of hits with the least and greatest predicted total of each."""

    support: int
    hits: Ints
    low: Ints
    high: Ints

    @property
    def count(self) -> int:
        """How many pairs of hits and predicted totals there are."""
        return int((self.high - self.low + 1).sum())

    def with_errors(self, total: int, hits: int) -> Candidates:
        """The rows that leave room for all errors of the class where all classes have these hits together."""
        high = np.minimum(self.high, total - hits - self.support + 2 * self.hits)
        some = self.low <= high
        return Candidates(self.support, self.hits[some], self.low[some], high[some])


@dataclass(frozen=True)
class _Layer:
    """How many combinations of the first classes have given sums of hits and of predicted totals."""

    counts: NDArray[Any]
    hits: int
    predicted: int


@dataclass(frozen=True)
class Reports:
    """The solutions of a report: all of them where they are few, else how many, and bounds."""

    labels: Labels
    classes: tuple[Candidates, ...]
    count: int
    bound: str | None
    listed: tuple[Ints, Ints] | None
    # The least and greatest number of hits in all.
    hits: tuple[int, int]
    some: tuple[tuple[Ints, Ints], ...] = ()
    notes: tuple[str, ...] = ()
    what: tuple[str, str] = ("set of hits and totals", "sets of hits and totals")
    undefined: float | None = None

    @property
    def supports(self) -> Ints:
        """The actual totals."""
        return np.array([candidates.support for candidates in self.classes], dtype=np.int64)

    def range(self, asked: Asked) -> Range:
        """The values of a score over the solutions; outer bounds where these are not listed."""
        if self.listed is None:
            rows = [(c.hits, c.low, c.high) for c in self.classes]
            return outer_bounds(asked, self.supports, rows, self.hits, self.undefined)
        values = values_of(
            asked.score, asked.place, _margins(*self.listed, self.supports), self.undefined
        )
        values = values[~np.isnan(values)]
        return (
            Range(float(values.min()), float(values.max()))
            if len(values)
            else Range(math.nan, math.nan)
        )

    def witnesses(self, n: int) -> list[Witness]:
        """Solutions spread over those that are known."""
        known = list(zip(*self.listed, strict=True)) if self.listed is not None else list(self.some)
        names, actual = tuple(self.labels.classes), tuple(self.supports.tolist())
        witnesses = []
        for hits, predicted in (known[place] for place in places_among(len(known), n)):
            m = only_matrix(hits, self.supports, predicted, self.labels)
            witnesses.append(
                Witness(names, tuple(hits.tolist()), actual, tuple(predicted.tolist()), m)
            )
        return witnesses


def _margins(hits: Ints, predicted: Ints, supports: Ints) -> Margins:
    d, c = hits.astype(np.float64), predicted.astype(np.float64)
    r = np.broadcast_to(supports.astype(np.float64), d.shape)
    return Margins(d, r, c, np.full(len(d), float(supports.sum())), float(len(supports)))


def reports(
    asked: list[Asked],
    labels: Labels,
    supports: list[int],
    undefined: float | None,
    budget: int,
    progress: Callable[[float], object] | None,
) -> Reports:
    """Solve a report: candidates of each class, coupled by their sums."""
    total = sum(supports)
    low, high, by_class, rest = _parted(asked, len(supports), total)
    classes = []
    for place, support in enumerate(supports):
        region, _ = solved(
            np.array([support], dtype=np.int64), total, by_class[place], undefined, budget
        )
        shift = region.tp + total - support
        classes.append(Candidates(support, region.tp, shift - region.high, shift - region.low))
        if progress is not None:
            progress((place + 1) / (2 * len(supports)))
    solutions = _coupled(_Asking(labels, tuple(classes), total, low, high, budget), rest, undefined)
    if progress is not None:
        progress(1.0)
    return replace(solutions, undefined=undefined)


def _parted(
    asked: list[Asked], k: int, total: int
) -> tuple[int, int, list[list[Asked]], list[Asked]]:
    """The least and greatest hits that accuracy allows, the scores of each class, and all others."""
    low, high, rest = 0, total, []
    by_class: list[list[Asked]] = [[] for _ in range(k)]
    for score in asked:
        if is_of_hits(score):
            ends = (
                (score.low, score.high)
                if score.metric.better == "higher"
                else (1 - score.high, 1 - score.low)
            )
            low = max(low, math.ceil(ends[0] * total - 1e-9 * total))
            high = min(high, math.floor(ends[1] * total + 1e-9 * total))
        elif score.place is not None and score.metric.kind == "class":
            by_class[score.place].append(replace(score, place=0))
        else:
            rest.append(score)
    return low, high, by_class, rest


@dataclass(frozen=True)
class _Asking:
    """A task of coupling: the classes, the bounds of their hits, and the budget."""

    labels: Labels
    classes: tuple[Candidates, ...]
    total: int
    low: int
    high: int
    budget: int


def _coupled(asking: _Asking, rest: list[Asked], undefined: float | None) -> Reports:
    nothing = Reports(
        asking.labels, asking.classes, 0, None, _listed([], len(asking.classes)), (0, 0)
    )
    if not all(len(candidates.hits) for candidates in asking.classes):
        return nothing
    low = max(asking.low, sum(int(candidates.hits.min()) for candidates in asking.classes))
    high = min(asking.high, sum(int(candidates.hits.max()) for candidates in asking.classes))
    if low > high:
        return nothing
    stacks, bound, too_wide = _stacks(replace(asking, low=low, high=high))
    if too_wide:
        return replace(nothing, bound=bound, listed=None, hits=(low, high))
    ends = [(stack, hits, count) for stack in stacks for hits, count in _ends(stack, asking.total)]
    if not ends:
        return replace(nothing, bound=bound)
    _, sums, counts = zip(*ends, strict=True)
    some = list(islice(_walked(ends, asking.total), _LISTED + 1))
    listed = _listed(some[:_LISTED], len(asking.classes))
    found = replace(
        nothing, count=sum(counts), bound=bound, listed=listed, hits=(min(sums), max(sums))
    )
    return _tried(found, rest, undefined, whole=len(some) <= _LISTED)


def _tried(found: Reports, rest: list[Asked], undefined: float | None, *, whole: bool) -> Reports:
    """The solutions that fit all other scores; where not the `whole` of them is listed, with a few of them."""
    assert found.listed is not None
    hits, predicted = found.listed
    whole = whole and found.bound is None
    if rest:
        fits = all_fit(rest, _margins(hits, predicted, found.supports), undefined)
        if not whole and found.bound is None:
            names = ", ".join(score.name for score in rest)
            bound = f"Too many to try {names} on: only {len(fits):,} solutions of the other scores were looked at."
            found = replace(found, bound=bound)
        hits, predicted = hits[fits], predicted[fits]
        found = replace(found, count=len(hits), listed=(hits, predicted))
    if whole:
        return found
    notes: tuple[str, ...] = ("Ranges are bounds: there are too many solutions to look at each.",)
    notes += ("The count is right to about 15 digits.",) if found.count >= 2**62 else ()
    return replace(found, listed=None, some=tuple(zip(hits, predicted, strict=True)), notes=notes)


def _walked(
    ends: list[tuple[_Stack, int, int]], total: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Every combination of some stacks with the sums of hits in which they end."""
    for (classes, layers), hits, _ in ends:
        yield from _walk(layers, classes, hits, total)


def _listed(solutions: list[tuple[list[int], list[int]]], k: int) -> tuple[Ints, Ints]:
    hits = np.array([solution[0] for solution in solutions], dtype=np.int64).reshape(
        len(solutions), k
    )
    return hits, np.array([solution[1] for solution in solutions], dtype=np.int64).reshape(
        len(solutions), k
    )


# ---- the convolution -----------------------------------------------------------------------------

_Stack = tuple[tuple[Candidates, ...], list[_Layer]]


def _stacks(asking: _Asking) -> tuple[list[_Stack], str | None, bool]:
    """Layers for all sums of hits at once, or one stack for each where errors of one class may be too many."""
    worst = max(
        int((candidates.support + candidates.high - 2 * candidates.hits).max())
        for candidates in asking.classes
    )
    free = asking.total - worst
    layers = _layers(asking.classes, asking, asking.low, asking.high)
    if layers is None:
        return (
            [],
            "Too many combinations to count within the budget; a greater `budget` tries more.",
            True,
        )
    if free >= asking.high:
        return [(asking.classes, layers)], None, False
    stacks: list[_Stack] = []
    spent = 0
    for hits in range(asking.low, asking.high + 1):
        classes = tuple(candidates.with_errors(asking.total, hits) for candidates in asking.classes)
        if not all(len(candidates.hits) for candidates in classes):
            continue
        spent += _work(classes, hits, hits, asking.total)[0]
        stack = _layers(classes, asking, hits, hits) if spent <= _CHEAP * asking.budget else None
        if stack is None:
            return (
                stacks,
                f"Only sums of hits up to {hits - 1:,} were tried within the budget.",
                False,
            )
        stacks.append((classes, stack))
    return stacks, None, False


def _windows(
    classes: tuple[Candidates, ...], low: int, high: int, total: int
) -> list[tuple[int, int, int, int]]:
    """After each class the sums of hits and of predicted totals that can still end well."""
    spans = np.array(
        [[c.hits.min(), c.hits.max(), c.low.min(), c.high.max()] for c in classes], dtype=np.int64
    )
    before = np.vstack([np.zeros((1, 4), dtype=np.int64), np.cumsum(spans, axis=0)])
    after = before[-1] - before
    windows = []
    for first, rest in zip(before.tolist(), after.tolist(), strict=True):
        hits = max(first[0], low - rest[1]), min(first[1], high - rest[0])
        windows.append((*hits, max(first[2], total - rest[3]), min(first[3], total - rest[2])))
    return windows


def _work(classes: tuple[Candidates, ...], low: int, high: int, total: int) -> tuple[int, int]:
    """Steps of the convolution, and cells that are kept."""
    sizes = [
        (max(b - a + 1, 0), max(d - c + 1, 0)) for a, b, c, d in _windows(classes, low, high, total)
    ]
    steps = sum(
        len(candidates.hits) * sizes[at][0] * sizes[at + 1][1]
        for at, candidates in enumerate(classes)
    )
    return steps, sum(rows * columns for rows, columns in sizes)


def _layers(
    classes: tuple[Candidates, ...], asking: _Asking, low: int, high: int
) -> list[_Layer] | None:
    """Counts of combinations after each class, or None beyond the budget."""
    steps, cells = _work(classes, low, high, asking.total)
    if steps > _CHEAP * asking.budget or cells > asking.budget // 2:
        return None
    # Beyond 2^62 combinations counts are right to 15 digits.
    kind = (
        np.int64
        if sum(math.log2(max(candidates.count, 1)) for candidates in classes) < 62
        else np.float64
    )
    layers = [_Layer(np.ones((1, 1), dtype=kind), 0, 0)]
    windows = _windows(classes, low, high, asking.total)
    for candidates, window in zip(classes, windows[1:], strict=True):
        layers.append(_next(layers[-1], candidates, window))
    return layers


def _next(before: _Layer, candidates: Candidates, window: tuple[int, int, int, int]) -> _Layer:
    rows, columns = before.counts.shape
    first, last, least, most = window
    sums = np.zeros((rows, columns + 1), dtype=before.counts.dtype)
    np.cumsum(before.counts, axis=1, out=sums[:, 1:])
    after = np.zeros(
        (max(last - first + 1, 0), max(most - least + 1, 0)), dtype=before.counts.dtype
    )
    predicted = np.arange(least, most + 1) - before.predicted
    for hits, low, high in zip(
        candidates.hits.tolist(), candidates.low.tolist(), candidates.high.tolist(), strict=True
    ):
        start = before.hits + hits - first
        top, bottom = max(0, -start), min(rows, after.shape[0] - start)
        if top < bottom:
            upto, since = (
                np.clip(predicted - low + 1, 0, columns),
                np.clip(predicted - high, 0, columns),
            )
            part = sums[top:bottom]
            after[start + top : start + bottom] += part[:, upto] - part[:, since]
    return _Layer(after, first, least)


def _ends(stack: _Stack, total: int) -> Iterator[tuple[int, int]]:
    """The sums of hits that end with all items predicted, and how many combinations have each."""
    last = stack[1][-1]
    column = total - last.predicted
    if 0 <= column < last.counts.shape[1]:
        for row in np.flatnonzero(last.counts[:, column]).tolist():
            yield last.hits + row, int(last.counts[row, column])


def _walk(
    layers: list[_Layer], classes: tuple[Candidates, ...], hits: int, predicted: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Every combination with these sums, the last class chosen first."""
    k = len(classes)
    left, path = [(hits, predicted)], list[tuple[int, int]]()
    open_ = [_choices(layers[k - 1], classes[k - 1], hits, predicted)]
    while open_:
        choice = next(open_[-1], None)
        if choice is None:
            open_.pop()
            left.pop()
            if path:
                path.pop()
            continue
        if len(path) + 1 == k:
            whole = [*path, choice][::-1]
            yield [d for d, _ in whole], [c for _, c in whole]
            continue
        path.append(choice)
        left.append((left[-1][0] - choice[0], left[-1][1] - choice[1]))
        at = k - 1 - len(path)
        open_.append(_choices(layers[at], classes[at], *left[-1]))


def _choices(
    before: _Layer, candidates: Candidates, hits: int, predicted: int
) -> Iterator[tuple[int, int]]:
    """Hits and predicted totals of a class that leave sums which the classes before it have."""
    rows, columns = before.counts.shape
    for d, low, high in zip(
        candidates.hits.tolist(), candidates.low.tolist(), candidates.high.tolist(), strict=True
    ):
        row = hits - d - before.hits
        if not 0 <= row < rows:
            continue
        start = max(predicted - high - before.predicted, 0)
        stop = max(min(predicted - low - before.predicted + 1, columns), 0)
        for column in np.flatnonzero(before.counts[row, start:stop]).tolist():
            yield d, predicted - before.predicted - start - column
