"""Matching: which prediction goes with which truth, each at most once, given how much they overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import BudgetError

__all__ = ["match"]

Array = NDArray[Any]
Keys = Sequence[Array]

# An assignment in a table of all pairs takes at worst ten seconds up to this many.
MAX_TABLE_CELLS = 2**22


def match(
    truth: Array,
    predicted: Array,
    overlap: Array,
    *,
    how: Literal["optimal", "greedy"],
    confidence: Array | None = None,
    ties: tuple[Keys, Keys] = ((), ()),
) -> Array:
    """Match true and predicted objects: return the positions, ascending, of the pairs that are taken.

    Each truth and each prediction is in one pair at most. Pair number i says that `truth[i]` and
    `predicted[i]` could go together and overlap by `overlap[i]`.

    Parameters
    ----------
    truth, predicted
        Numbers from zero, over all images or documents, so that pairs of different ones share none.
    overlap
        The overlap of each pair.
    how
        "optimal" takes as many pairs as possible and among those choices one with the largest sum
        of overlaps. "greedy" takes pairs by falling overlap (of equal ones, the first truth, then
        the first prediction), skipping whatever is taken. With `confidence`, predictions choose
        instead, the most confident first and of equal ones the first: each takes the free truth
        that it overlaps most, and of equal ones the last, as pycocotools does.
    confidence
        One number for each prediction, for "greedy".
    ties
        Keys by truth and by prediction, the foremost first. Equally good choices are then settled
        by these, and not by the numbers of truths and predictions, unless there is a `confidence`.

    Raises
    ------
    BudgetError
        Thousands of truths and predictions overlap in one heap, and an optimal assignment of them
        would take minutes.

    Examples
    --------
    >>> truth, predicted, overlap = (
    ...     np.array([0, 0, 1]),
    ...     np.array([0, 1, 0]),
    ...     np.array([0.9, 0.6, 0.5]),
    ... )
    >>> match(truth, predicted, overlap, how="optimal")
    array([1, 2])
    >>> match(truth, predicted, overlap, how="greedy")
    array([0])
    """
    # Two that overlap nobody else are a pair, whatever becomes of the others.
    alone = (np.bincount(truth)[truth] == 1) & (np.bincount(predicted)[predicted] == 1)
    rest = np.flatnonzero(~alone)
    truth, predicted, overlap = truth[rest], predicted[rest], overlap[rest]
    if not len(rest):
        taken = rest
    elif how == "optimal":
        taken = _optimal(truth, predicted, overlap, ties)
    else:
        order = _order(truth, predicted, overlap, confidence, ties)
        taken = _in_turn(order, truth, predicted)
    return np.sort(np.concatenate([np.flatnonzero(alone), rest[taken]]))


def _ranked(
    truth: Array, predicted: Array, places: Array, ties: tuple[Keys, Keys]
) -> tuple[Array, Array]:
    """Both sides, with ranks by the keys instead of numbers for some of the pairs."""
    sides = truth.copy(), predicted.copy()
    for side, keys in zip(sides, ties, strict=True):
        side[places] = _codes(side[places], keys)
    return sides


def _codes(numbers: Array, keys: Keys = ()) -> Array:
    """0, 1, 2, ... instead of those numbers that occur, in their order or in that of the keys."""
    seen = np.zeros(int(numbers.max(initial=-1)) + 1, bool)
    seen[numbers] = True
    present = np.flatnonzero(seen)
    if keys:
        present = present[np.lexsort([key[present] for key in reversed(keys)])]
    code = np.empty(len(seen), np.intp)
    code[present] = np.arange(len(present))
    return code[numbers]


# ---- greedy --------------------------------------------------------------------------------------


def _order(
    truth: Array,
    predicted: Array,
    overlap: Array,
    confidence: Array | None,
    ties: tuple[Keys, Keys],
) -> Array:
    """The order in which pairs are tried."""
    if confidence is not None:
        return np.lexsort((-truth, -overlap, predicted, -confidence[predicted]))
    falling = np.argsort(-overlap)
    equal = np.diff(overlap[falling]) == 0
    tied = falling[np.append(False, equal) | np.append(equal, False)]
    truth, predicted = _ranked(truth, predicted, tied, ties)
    return np.lexsort((predicted, truth, -overlap))


def _in_turn(order: Array, truth: Array, predicted: Array) -> Array:
    """Match greedily: keep each pair whose two ends are free when its turn comes."""
    busy: tuple[set[int], set[int]] = (set(), set())
    taken = []
    for place, left, right in zip(
        order.tolist(), truth[order].tolist(), predicted[order].tolist(), strict=True
    ):
        if left not in busy[0] and right not in busy[1]:
            busy[0].add(left)
            busy[1].add(right)
            taken.append(place)
    return np.array(taken, dtype=np.intp)


# ---- optimal -------------------------------------------------------------------------------------


def _optimal(truth: Array, predicted: Array, overlap: Array, ties: tuple[Keys, Keys]) -> Array:
    """As many pairs as possible, and of those choices the largest sum: island by island."""
    rows, cols = _codes(truth), _codes(predicted)
    island, narrow = _islands(rows, cols)
    order = np.lexsort((-overlap, island))
    begins = np.flatnonzero(np.r_[True, np.diff(island[order]) > 0])
    # An island around one truth, or one prediction, gives a single pair: its largest, if there is
    # one. Each island has two pairs at least.
    stars = narrow[island[order[begins]]] & (overlap[order[begins]] > overlap[order[begins + 1]])
    rows, cols = _ranked(truth, predicted, np.flatnonzero(~stars[island]), ties)
    taken = [order[begins[stars]]]
    ends = np.append(begins[1:], len(order))
    for begin, end in zip(begins[~stars].tolist(), ends[~stars].tolist(), strict=True):
        some = np.sort(order[begin:end])
        taken.append(some[_assigned(rows[some], cols[some], overlap[some])])
    return np.concatenate(taken)


def _islands(rows: Array, cols: Array) -> tuple[Array, Array]:
    """The number of each pair's island of pairs that share a side, and which islands have one truth or prediction."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = int(rows.max()) + 1
    nodes = size + int(cols.max()) + 1
    graph = coo_array((np.ones(len(rows), np.int8), (rows, cols + size)), shape=(nodes, nodes))
    count, island_of = connected_components(graph, directed=False)
    widths = [np.bincount(part, minlength=count) for part in (island_of[:size], island_of[size:])]
    return island_of[rows], np.minimum(*widths) == 1


def _assigned(rows: Array, cols: Array, overlap: Array) -> Array:
    """Places of the pairs of one island that an assignment takes, by Jonker and Volgenant's algorithm (1987)."""
    from scipy.optimize import linear_sum_assignment

    (n, row), (m, col) = (
        (len(names), codes)
        for names, codes in (np.unique(s, return_inverse=True) for s in (rows, cols))
    )
    if n * m > MAX_TABLE_CELLS:
        msg = (
            f"{n:,} truths and {m:,} predictions overlap in one heap of {len(rows):,} pairs, which "
            "is too many for an "
            "optimal assignment; say matching='overlap', or ask for larger overlaps"
        )
        raise BudgetError(msg)
    table, place = np.zeros((n, m)), np.full((n, m), -1)
    # A power of two takes overlaps below 1 without rounding them; one more pair is worth more than
    # all of them.
    table[row, col] = np.ldexp(overlap, -np.frexp(overlap.max())[1]) + (min(n, m) + 1)
    place[row, col] = np.arange(len(row))
    taken = place[linear_sum_assignment(table, maximize=True)]
    return taken[taken >= 0]
