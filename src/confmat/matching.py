"""Matching: which prediction goes with which truth, each at most once, given how much they overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, BudgetError, InputError, Message
from confmat.core.options import one_of

__all__ = ["How", "match"]

How = Literal["optimal", "greedy"]

Array = NDArray[Any]
Keys = Sequence[Array]

# Rounds in which all mutual favorites are taken at once; what is then left is a chain, taken one by one.
MAX_ROUNDS = 32
# An assignment in a table of all pairs takes at worst ten seconds up to this many; beyond, only pairs that overlap are
# looked at, and it takes about a second for each 2**32 steps, a step for each pair and each of the smaller side.
MAX_TABLE_CELLS = 2**22
MAX_STEPS = 2**36


def match(
    truth: Any,
    predicted: Any,
    overlap: Any,
    *,
    how: How = "optimal",
    confidence: Any = None,
    first: Any = None,
    ties: tuple[Keys, Keys] | None = None,
) -> Array:
    """Match true and predicted objects: return the positions, ascending, of the pairs that are taken.

    Each truth and each prediction is in one pair at most. Pair number i says that `truth[i]` and `predicted[i]` could
    go together and overlap by `overlap[i]`.

    Parameters
    ----------
    truth, predicted
        Numbers from zero, over all images or documents, so that pairs of different ones share none.
    overlap
        The overlap of each pair.
    how
        "optimal" takes as many pairs as possible and among those choices one with the largest sum of overlaps. "greedy"
        takes pairs by falling overlap (of equal ones, the first truth, then the first prediction), skipping whatever is
        taken. With `confidence`, predictions choose instead, the most confident first and of equal ones the first: each
        takes the free truth that it overlaps most, and of equal ones the last, as pycocotools does.
    confidence
        One number for each prediction, for "greedy".
    first
        Flags of pairs, such as those of one class, that are matched before all others. So no other pair, however large
        its overlap, takes a truth or a prediction from them.
    ties
        Keys by truth and by prediction, the foremost first. Equally good choices are then settled by these, and not by
        the numbers of truths and predictions, unless there is a `confidence`.

    Examples
    --------
    >>> match([0, 0, 1], [0, 1, 0], [0.9, 0.6, 0.5])
    array([1, 2])
    >>> match([0, 0, 1], [0, 1, 0], [0.9, 0.6, 0.5], how="greedy")
    array([0])
    >>> match([0, 0, 1], [0, 1, 0], [0.9, 0.6, 0.5], first=[True, False, False])
    array([0])
    """
    truth, predicted, overlap = _read_pairs(truth, predicted, overlap)
    one_of("how", how, How)
    if confidence is not None:
        confidence = _confident(confidence, predicted)
    if first is None:
        return _pass(truth, predicted, overlap, how, confidence, ties)
    marked = np.asarray(first, dtype=bool)
    if marked.shape != truth.shape:
        msg = f"`first` says True or False of each of {len(truth):,} pairs, not of {marked.size:,}"
        raise InputError(msg)
    chosen = np.zeros(0, np.intp)
    for part in (marked, ~marked):
        open_ = part & ~np.isin(truth, truth[chosen]) & ~np.isin(predicted, predicted[chosen])
        places = np.flatnonzero(open_)
        pairs = _pass(truth[places], predicted[places], overlap[places], how, confidence, ties)
        chosen = np.concatenate([chosen, places[pairs]])
    return np.sort(chosen)


def _read_pairs(truth: Any, predicted: Any, overlap: Any) -> tuple[Array, Array, Array]:
    sides = [np.asarray(side) for side in (truth, predicted)]
    for name, side in zip(("truth", "predicted"), sides, strict=True):
        if side.ndim != 1 or (side.size and (side.dtype.kind not in "iu" or side.min() < 0)):
            msg = Message("{} is a list of whole numbers from zero, one for each pair", Argument(name))
            raise InputError(msg)
    try:
        amounts = np.asarray(overlap, dtype=np.float64)
    except (TypeError, ValueError):
        msg = Message("`overlap` is a list of numbers, one for each pair")
        raise InputError(msg) from None
    if not sides[0].shape == sides[1].shape == amounts.shape:
        sizes = f"{sides[0].size:,} truths, {sides[1].size:,} predictions and {amounts.size:,} overlaps"
        msg = Message("there are {}; give one of each for every pair", sizes)
        raise InputError(msg)
    if not (np.isfinite(amounts) & (amounts >= 0)).all():
        msg = Message("`overlap` must be finite and zero or more")
        raise InputError(msg)
    return sides[0].astype(np.intp, copy=False), sides[1].astype(np.intp, copy=False), amounts


def _confident(confidence: Any, predicted: Array) -> Array:
    values = np.asarray(confidence, dtype=np.float64)
    if values.ndim != 1 or (len(predicted) and len(values) <= predicted.max()):
        msg = Message("{confidence} holds {:,} numbers; it needs one for each prediction", values.size)
        raise InputError(msg)
    if np.isnan(values).any():
        msg = Message("{confidence} is not a number for prediction {:,}", int(np.argmax(np.isnan(values))))
        raise InputError(msg)
    return values


def _pass(
    truth: Array, predicted: Array, overlap: Array, how: How, confidence: Array | None, ties: tuple[Keys, Keys] | None
) -> Array:
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
        taken = order[_in_turn(truth[order], predicted[order])]
    return np.sort(np.concatenate([np.flatnonzero(alone), rest[taken]]))


def _ranked(truth: Array, predicted: Array, places: Array, ties: tuple[Keys, Keys]) -> tuple[Array, Array]:
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


# ---- greedy ------------------------------------------------------------------------------------------------


def _order(
    truth: Array, predicted: Array, overlap: Array, confidence: Array | None, ties: tuple[Keys, Keys] | None
) -> Array:
    """The order in which pairs are tried."""
    if confidence is not None:
        return np.lexsort((-truth, -overlap, predicted, -confidence[predicted]))
    if ties is not None:
        falling = np.argsort(-overlap)
        equal = np.diff(overlap[falling]) == 0
        tied = falling[np.append(False, equal) | np.append(equal, False)]
        truth, predicted = _ranked(truth, predicted, tied, ties)
    return np.lexsort((predicted, truth, -overlap))


def _in_turn(truth: Array, predicted: Array) -> Array:
    """Match greedily: keep each pair whose two ends are unmatched when its turn comes.

    A pair that is the first of its truth and of its prediction is taken whatever happens elsewhere, so all such
    pairs are taken at once, round by round.
    """
    left = np.arange(len(truth))
    sides = ((truth, np.empty(truth.max() + 1, np.intp)), (predicted, np.empty(predicted.max() + 1, np.intp)))
    taken = []
    for _ in range(MAX_ROUNDS):
        if not len(left):
            break
        favorite = np.ones(len(left), bool)
        for side, foremost in sides:
            # The last of several writes to one place stays: the one of the pair tried first.
            foremost[side[left][::-1]] = left[::-1]
            favorite &= foremost[side[left]] == left
        chosen = left[favorite]
        taken.append(chosen)
        free = ~favorite
        for side, foremost in sides:
            foremost[side[left]] = 0
            foremost[side[chosen]] = 1
            free &= foremost[side[left]] == 0
        left = left[free]
    taken.append(_one_by_one(left, truth, predicted))
    return np.concatenate(taken)


def _one_by_one(left: Array, truth: Array, predicted: Array) -> Array:
    busy: tuple[set[int], set[int]] = (set(), set())
    taken = []
    for place, one, other in zip(left.tolist(), truth[left].tolist(), predicted[left].tolist(), strict=True):
        if one not in busy[0] and other not in busy[1]:
            busy[0].add(one)
            busy[1].add(other)
            taken.append(place)
    return np.array(taken, dtype=np.intp)


# ---- optimal -----------------------------------------------------------------------------------------------


def _optimal(truth: Array, predicted: Array, overlap: Array, ties: tuple[Keys, Keys] | None) -> Array:
    """As many pairs as possible, and of those choices the largest sum: island by island."""
    rows, cols = _codes(truth), _codes(predicted)
    island, narrow = _islands(rows, cols)
    order = np.lexsort((-overlap, island))
    begins = np.flatnonzero(np.r_[True, np.diff(island[order]) > 0])
    # An island around one truth, or one prediction, gives a single pair: its largest. Each island that is left has two
    # pairs at least.
    stars = narrow[island[order[begins]]]
    if ties is not None:
        stars &= overlap[order[begins]] > overlap[order[begins + 1]]
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
    """Places of the pairs of one island that an assignment takes."""
    (n, row), (m, col) = (
        (len(names), codes) for names, codes in (np.unique(s, return_inverse=True) for s in (rows, cols))
    )
    # A power of two takes overlaps below 1 without rounding them; one more pair is worth more than all of them.
    worth = np.ldexp(overlap, -np.frexp(overlap.max())[1]) + (min(n, m) + 1)
    if n * m <= MAX_TABLE_CELLS:
        return _in_table(row, col, worth, n, m)
    if len(rows) * min(n, m) > MAX_STEPS:
        msg = (
            f"{n:,} truths and {m:,} predictions overlap in one heap of {len(rows):,} pairs, which is too many for an "
            "optimal assignment; match greedily, or ask for larger overlaps"
        )
        raise BudgetError(msg)
    return _among_pairs(row, col, worth, n, m)


def _in_table(row: Array, col: Array, worth: Array, n: int, m: int) -> Array:
    """The assignment in a table of all pairs, by Jonker and Volgenant's algorithm (1987)."""
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((n, m))
    place = np.full((n, m), -1)
    table[row, col] = worth
    place[row, col] = np.arange(len(row))
    taken = place[linear_sum_assignment(table, maximize=True)]
    return taken[taken >= 0]


def _among_pairs(row: Array, col: Array, worth: Array, n: int, m: int) -> Array:
    """The same by its variant for sparse tables: who finds no partner gets one of nothing, worth less than any pair."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    # The last of equal pairs stays, as in a table.
    keys, last = np.unique((row * m + col)[::-1], return_index=True)
    places, alone = len(row) - 1 - last, np.arange(n)
    most = float(worth.max()) + 1
    costs = np.concatenate([most - worth[places], np.full(n, most)])
    sides = np.concatenate([row[places], alone]), np.concatenate([col[places], m + alone])
    rows, cols = min_weight_full_bipartite_matching(csr_array((costs, sides), shape=(n, m + n)))
    paired = cols < m
    return places[np.searchsorted(keys, rows[paired] * m + cols[paired])]
