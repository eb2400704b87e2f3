"""Sweeps: the two-class matrix at every threshold, from one sort of the scores or on a grid, chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.building import positive_place
from confmat.core.errors import BudgetError, ConfmatError, InputError, LabelError, Message
from confmat.core.keys import Descending
from confmat.core.labels import Labels
from confmat.core.notes import Note
from confmat.core.options import door, told, whole_number
from confmat.core.stack import ENDLESS, Reached, Stack
from confmat.core.tables import Column, Drawn, Table
from confmat.core.text import number, rate, some
from confmat.counting.door import read_tally
from confmat.counting.tables import workers
from confmat.deciding.model_scores import (
    Items,
    Kind,
    Missing,
    check_side,
    labels_of_table,
    labels_of_two,
    read_items,
    read_labels,
)
from confmat.intervals import interval
from confmat.intervals.asked import AXIS, EACH
from confmat.metrics.catalog import share_of_hits

Array = NDArray[Any]

# Sums that are answered positive, and negative, at each threshold: (2, G) each, positive items
# first. Where the second is None, it is the last entry of the first less the others.
Halves = tuple[Array, Array | None]

# The thresholds that a notebook shows.
_LISTED = 12


def spread_over(size: int) -> Array:
    """Places of some of the thresholds, spread over them, for a notebook."""
    return np.unique(np.linspace(0, size - 1, min(size, _LISTED)).round().astype(np.intp))


def intervals_at(t: Stack, places: Array, score: Any, level: float = 0.95) -> Array:
    """The lower end, the value and the upper end of a score at some thresholds; NaN where they are unknown."""
    found = []
    for m in map(t._at, places.tolist()):
        try:
            estimate = interval(m, score, level=level)
        except ConfmatError:
            estimate = None
        found.append([getattr(estimate, name, np.nan) for name in ("low", "value", "high")])
    return np.array(found, dtype=np.float64).reshape(-1, 3)


def threshold_text(key: float, digits: int = 6) -> str:
    """A threshold in some digits; an infinite one in words."""
    return ENDLESS.get(key) or f"{key:.{digits}g}"


def range_text(low: float, high: float, texts: Sequence[str]) -> str:
    """The thresholds between two, which are written so; an infinite one is no end.

    >>> range_text(0.1, 0.5, ["0.1", "0.5"]), range_text(-math.inf, 0.5, ["", "0.5"])
    ('0.1 to 0.5', '0.5 and below')
    >>> range_text(0.1, 0.1, ["0.1", "0.1"])
    '0.1'
    """
    first, last = texts
    if first == last:
        return first
    if math.isinf(low):
        return f"{last} and below" if math.isfinite(high) else "all"
    return f"{first} to {last}" if math.isfinite(high) else f"{first} and above"


class Sweep(Stack):
    """The stack of a sweep, which notebooks show by some of its thresholds, spread over the items."""

    __slots__ = ()

    def _pictured(self) -> Table:
        places = spread_over(len(self))
        at = positive_place(self.labels)
        cells = np.array(
            [
                [m.counts[i, j] for i in (at, 1 - at) for j in (at, 1 - at)]
                for m in map(self._at, places)
            ]
        )
        columns = [
            Column(
                None,
                [self._names[place] for place in places],
                threshold_text,
                self.axis,
                is_label=True,
            )
        ]
        four = zip(cells.T, ("tp", "fn", "fp", "tn"), strict=True)
        columns += [Column(None, part, number, name) for part, name in four]
        for items in ("predicted", "actual"):
            score = share_of_hits(items)
            ends = intervals_at(self, places, score)
            columns.append(Column(None, ends[:, 1], rate, score.name, drawn=Drawn(ends, 0.0, 1.0)))
        notes = (f"{len(places)} of {len(self):,} thresholds",) if len(places) < len(self) else ()
        return Table(tuple(columns), notes)


class Between(NamedTuple):
    """Sums between neighbouring thresholds, (2, G + 1): positive items first, the lowest scores first."""

    sums: Array
    # Sums of squared weights; None where each item counts once.
    squares: Array | None


class Side:
    """Items of two classes: which are positive, one score for each, and the labels of their matrices."""

    __slots__ = ("labels", "place", "scores", "truth", "weights")

    def __init__(
        self, truth: Array, scores: Array, weights: Array | None, labels: Labels, place: int
    ) -> None:
        self.truth, self.scores, self.weights, self.labels, self.place = (
            truth,
            scores,
            weights,
            labels,
            place,
        )


@door
def thresholds(
    actual: Any,
    scores: Any,
    *,
    labels: Iterable[Any] | None = None,
    positive: Any = None,
    of: Any = None,
    kind: Kind = "scores",
    weights: Any = None,
    tally: Any = None,
    missing: Missing = "error",
    thresholds: Any = None,
    max_points: int | None = None,
) -> Stack:
    """Count the matrix at every threshold: a Stack along "threshold", whose keys run from the highest down.

    A score of at least the threshold is a positive answer. The first key is infinity, where no
    answer is positive; then comes every distinct score. Every metric takes the stack and gives one
    value for each threshold.

    Parameters
    ----------
    actual
        The actual labels.
    scores
        One score for each item, or a table with a column for each class.
    labels, positive
        The two classes, and the one that scores speak for, if they are not 0 and 1 or False and
        True.
    of
        The one of several classes that is separated from the rest; in a table of scores, its
        column. Without it, a table of several classes gives all of them, each against the rest,
        along "label, threshold": `t.of("Cat")` is the sweep of one.
    kind
        "probabilities" are checked to be such; a sweep needs no scale otherwise.
    weights
        One number for each item; the matrices then hold sums of weights.
    tally
        How many items each row represents, such as those of a class in a bin, which an engine
        counted.
    missing
        "error", or "drop" to leave out items with a NaN among the scores or a missing label.
    thresholds
        The only thresholds, beside infinity and minus infinity (everything is positive).
    max_points
        The most distinct scores, evenly spread over the items; each is exact.

    Returns
    -------
    Stack
        A matrix for each threshold.

    Examples
    --------
    >>> t = thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1])
    >>> list(t), t[0.6].tp, t[0.6].fp
    ([inf, 0.9, 0.8, 0.6, 0.1], 2, 1)
    """
    check_points(thresholds, max_points)
    weights = weights if tally is None else read_tally(tally, weights, actual)
    items = read_items(actual, scores, weights, kind, missing)
    grid = None if thresholds is None else read_grid(thresholds)
    most = None if max_points is None else whole_number("max_points", max_points)

    def swept(of: Any) -> Stack:
        side = one_side(items, labels, positive, of)
        if grid is None:
            t = _swept(side, most)
        else:
            t = stack_of_grid(grid, tallied(side, grid), side.labels, side.place)
            t = t if _on_grid(side.scores, grid) else thinned(t)
        # Items have no squares of weights.
        return t if tally is None else t._same(_squares=None)

    if of is None and items.scores.ndim == 2 and items.scores.shape[1] > 2:
        if positive is not None:
            msg = Message(
                "{positive} is one of two classes, and there are more columns of scores; say "
                "of=... for one of them"
            )
            raise InputError(msg)
        names = labels_of_table(items, labels, None)
        return _joined({label: swept(label) for label in names})
    return swept(of)


# Matrices of several sweeps in one stack, each of which has a key of its own.
_MOST_KEYS = 2**20


def _joined(parts: dict[Any, Stack]) -> Stack:
    """The sweeps of several classes as one stack, over False and True."""
    many = sum(map(len, parts.values()))
    if many > _MOST_KEYS:
        msg = (
            f"{many:,} thresholds of {len(parts):,} classes are too many for one stack; say "
            "max_points=1000, or of=..."
        )
        raise BudgetError(msg)

    def beside(which: str) -> Reached | None:
        kept: list[Reached] = [
            table for t in parts.values() if (table := getattr(t, which)) is not None
        ]
        columns = [sweep._columns(slice(None)) for sweep in kept]
        above, below = (
            (np.concatenate([column[side][::-1] for column in columns], axis=1) for side in (0, 1))
            if kept
            else (None, None)
        )
        return None if above is None or below is None else Reached(above, below, 1)

    table, labels = beside("_table"), Labels([False, True], positive=True)
    assert table is not None
    keys = tuple((label, key) for label, t in parts.items() for key in t)
    joined = Stack._of_table(table, labels, keys, table.totals(), EACH, beside("_squares"))
    return joined._noted(tuple(dict.fromkeys(note for t in parts.values() for note in t.notes)))


def check_points(thresholds: Any, max_points: Any) -> None:
    """Refuse two wishes for the thresholds to take."""
    if thresholds is not None and max_points is not None:
        msg = "`thresholds` says where to look and `max_points` how often; give one of them"
        raise InputError(msg)


# ---- which two classes ---------------------------------------------------------------------------


def one_side(items: Items, labels: Any, positive: Any, of: Any) -> Side:
    """The items as positive or negative, with one finite score each."""
    if of is not None and positive is not None:
        msg: str = Message(
            "{positive} is one of two classes and `of` one of several against the rest; give one "
            "of them"
        )
        raise InputError(msg)
    names = read_labels(labels, positive)
    if items.scores.ndim == 2:
        names = labels_of_table(items, labels, positive)
    elif of is not None and names is None:
        names = Labels(items.truth.names)
    elif names is None:
        names = labels_of_two(items.truth, positive)
    elif len(names) != 2 and of is None:
        msg = Message(
            "a threshold parts two classes, and {labels} names {:,}; say of=...", len(names)
        )
        raise LabelError(msg)
    place = positive_place(names) if of is None else names.index(of)
    check_side(items, names, place)
    truth = items.truth.coded(names) == place
    scores = items.scores if items.scores.ndim == 1 else items.scores[:, place]
    _check_finite(scores)
    weights = items.weights
    if weights is not None and weights.dtype == np.uint64:
        msg = Message("the weights add up to more than 63 bits hold; give them as floats")
        raise InputError(msg)
    if weights is not None and not weights.all():
        # Who weighs nothing is not there, and makes no threshold.
        kept = weights != 0
        truth, scores, weights = truth[kept], scores[kept], weights[kept]
    if of is not None:
        # The labels that `one_vs_rest` gives.
        text = names[place] if isinstance(names[place], str) else repr(names[place])
        names, place = Labels([text, f"not {text}"], positive=text), 0
    return Side(truth, scores, weights, names, place)


def _check_finite(scores: Array) -> None:
    with np.errstate(invalid="ignore"):
        infinite = np.isinf(scores)
    if infinite.any():
        first = int(np.argmax(infinite))
        msg = Message(
            "{scores} holds {} ({:,} infinite ones, the first at position {:,}); thresholds lie "
            "between finite "
            "scores, so clip them first",
            float(scores[first]),
            int(infinite.sum()),
            first,
        )
        raise InputError(msg)


# ---- every threshold -----------------------------------------------------------------------------


def _swept(side: Side, most: int | None) -> Stack:
    if not len(side.scores):
        msg = "there are no items, so there is nothing to sweep over"
        raise InputError(msg)
    sums: Halves
    squares: Halves | None = None
    if side.weights is None:
        keys, sums = _counted(side)
    else:
        scores, threads = (
            np.ascontiguousarray(side.scores, np.float64),
            workers(None, len(side.scores)),
        )
        weights = np.ascontiguousarray(
            side.weights, np.float64 if side.weights.dtype.kind == "f" else np.int64
        )
        keys, sums, squares = kernels.kernel.sweep_weighted(scores, side.truth, weights, threads)
    if most is not None and len(keys) - 1 > most:
        # The last threshold is the lowest score, which everything reaches.
        chosen = np.append(0, 1 + spread(sums[0][:, 1:].sum(axis=0), most))
        keys = keys[chosen]
        sums, squares = _at(chosen, sums), None if squares is None else _at(chosen, squares)
        return thinned(_stacked(keys, sums, squares, side.labels, side.place))
    return _stacked(keys, sums, squares, side.labels, side.place)


def thinned(t: Stack) -> Stack:
    """The same, with the note that scores lie between its thresholds."""
    items = t.total[0].item()
    return t._noted((Note("thinned", (), items, items),))


def _at(chosen: Array, halves: Halves) -> Halves:
    above, below = halves
    return above[:, chosen], None if below is None else below[:, chosen]


def _counted(side: Side) -> tuple[Array, Halves]:
    """The thresholds, and how many items reach each, positive ones first."""
    # Sorting numbers is several times quicker than sorting places: all of them, and those of the
    # rarer class again.
    rare = side.truth if 2 * np.count_nonzero(side.truth) <= len(side.truth) else ~side.truth
    scores, hits = np.empty(len(side.scores) + 1), side.scores[rare].astype(np.float64)
    # Negated, they ascend from the highest threshold on.
    np.negative(side.scores, out=scores[1:])
    np.negative(hits, out=hits)
    scores[1:].sort()
    hits.sort()
    above = kernels.kernel.sweep(scores, hits)
    keys = scores[: above.shape[1]]
    # Few thresholds of many items do not keep the room of all.
    keys = keys.copy() if 2 * len(keys) < len(scores) else keys
    return keys, (above if rare is side.truth else above[::-1], None)


def spread(down: Array, most: int) -> Array:
    """Which of the thresholds to take, the last among them, at about equal numbers of items from each other."""
    wanted = np.linspace(0, down[-1], most + 1)[1:]
    return np.unique(np.minimum(np.searchsorted(down, wanted), len(down) - 1))


def _stacked(
    keys: Array, sums: Halves, squares: Halves | None, labels: Labels, place: int
) -> Stack:
    """The stack of the items answered positive and of the others, each by its true class."""
    # Weights of 1e200 are fine; their squares are beyond all floats, hence unknown.
    known = squares is not None and np.isfinite(squares[0][:, -1]).all()
    kept, second = (
        _reached(sums, place),
        _reached(squares, place) if squares is not None and known else None,
    )
    return Sweep._of_table(kept, labels, Descending(keys), kept.totals(), AXIS, second)


def _reached(halves: Halves, place: int) -> Reached:
    """By actual class, the positive one at its place; everything reaches the lowest threshold."""
    above, below = halves
    rest = (
        above[:, -1].astype(np.float64 if above.dtype.kind == "f" else np.int64)
        if below is None
        else below
    )
    return Reached(above, rest, place) if place == 0 else Reached(above[::-1], rest[::-1], place)


# ---- a grid --------------------------------------------------------------------------------------


def read_grid(grid: Any) -> Array:
    """Distinct finite thresholds, ascending."""
    try:
        # A tensor may still remember its gradients.
        grid = grid.detach() if hasattr(grid, "detach") else grid
        values = np.asarray(grid if hasattr(grid, "__array__") else list(grid))
        # NumPy would forget what is imaginary, and take times for their nanoseconds.
        values = values.astype(
            np.float64, casting="safe" if values.dtype.kind in "cmM" else "unsafe"
        )
    except (TypeError, ValueError) as error:
        msg = f"thresholds are numbers, several of them, such as numpy.linspace(0, 1, 11), not {told(grid)}"
        raise InputError(msg) from error
    values = np.unique(values.ravel() + 0.0)
    if not len(values) or not np.isfinite(values).all():
        msg = f"thresholds must be finite numbers, at least one, not {some(values.tolist())}"
        raise InputError(msg)
    return values


def _on_grid(scores: Array, grid: Array) -> bool:
    """Whether every score is one of the thresholds."""
    # The first ones say so of most.
    parts = (scores[:_LISTED], scores)
    return all(
        (grid[np.searchsorted(grid, part, side="right") - 1] == part).all() for part in parts
    )


def tallied(side: Side, grid: Array) -> Between:
    """Items (or weights) between neighbouring thresholds."""
    between = np.searchsorted(grid, side.scores.astype(np.float64, copy=False), side="right")
    cells = between + np.where(side.truth, 0, len(grid) + 1)
    size = 2 * (len(grid) + 1)
    if side.weights is None:
        return Between(np.bincount(cells, minlength=size).reshape(2, -1), None)
    floats = side.weights.astype(np.float64)
    with np.errstate(over="ignore"):
        squares = np.bincount(cells, weights=floats * floats, minlength=size).reshape(2, -1)
    if side.weights.dtype.kind == "f":
        return Between(np.bincount(cells, weights=floats, minlength=size).reshape(2, -1), squares)
    sums = np.zeros(size, side.weights.dtype)
    np.add.at(sums, cells, side.weights)
    return Between(sums.reshape(2, -1), squares)


def stack_of_grid(grid: Array, between: Between, labels: Labels, place: int) -> Stack:
    """The stack of the items between thresholds; its last key is minus infinity, where everything is positive."""
    keys = np.concatenate(([np.inf], grid[::-1], [-np.inf]))
    squares = None if between.squares is None else _from_both_ends(between.squares)
    return _stacked(keys, _from_both_ends(between.sums), squares, labels, place)


def _from_both_ends(parts: Array) -> Halves:
    """From the highest down; and, of sums that are rounded, what is left from the lowest up."""
    none = np.zeros((2, 1), parts.dtype)
    above = np.concatenate([none, np.cumsum(parts[:, ::-1], axis=1)], axis=1)
    if parts.dtype.kind != "f":
        return above, None
    return above, np.concatenate([none, np.cumsum(parts, axis=1)], axis=1)[:, ::-1]
