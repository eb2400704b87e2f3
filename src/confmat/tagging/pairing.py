"""Pairing entities one to one: those with equal boundaries, or those that overlap, the largest overlap first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.errors import BudgetError
from confmat.matching import match
from confmat.tagging.both import Both

__all__ = ["exactly", "overlapping"]

Array = NDArray[Any]

_ROOM = 2**62
# Pairs of entities that overlap; more take gigabytes.
MOST_PAIRS = 2**27


def exactly(both: Both) -> tuple[Array, Array]:
    """Positions of entities of the same document with the same boundaries; those of the same class first.

    What is left of a place, where several entities have the same boundaries, is paired in the order of the labels,
    so the order of the records changes nothing.
    """
    places = _ids([both.documents, both.starts, both.ends])
    rows, cols = _in_turn(_ids([places, both.labels]), both, np.arange(len(both)))
    left = np.ones(len(both), bool)
    left[rows] = left[cols] = False
    more = _in_turn(places, both, np.flatnonzero(left))
    return np.concatenate([rows, more[0]]), np.concatenate([cols, more[1]])


def _ids(columns: list[Array]) -> Array:
    """One number for each row of the columns: equal rows have equal ones, in the order of the rows."""
    ids, top = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        part, size = column, int(column.max()) + 1 if len(column) else 1
        if top * size > _ROOM:
            ids, part = (np.unique(one, return_inverse=True)[1] for one in (ids, column))
            top, size = len(ids) + 1, len(ids) + 1
        ids, top = ids * size + part, top * size
    return ids


def _in_turn(ids: Array, both: Both, among: Array) -> tuple[Array, Array]:
    """Positions of equal ids on both sides: the first of the truth with the first predicted, and so on."""
    side = among >= both.n_truth
    among = among[np.argsort(_ids([ids[among], side, both.labels[among]]), kind="stable")]
    side, own = among >= both.n_truth, ids[among]
    begins = np.concatenate([[True], (own[1:] != own[:-1]) | (side[1:] != side[:-1])]) if len(own) else side
    turn = np.arange(len(own)) - np.flatnonzero(begins)[np.cumsum(begins) - 1] if len(own) else own
    keys = _ids([own, turn])
    _, rows, cols = np.intersect1d(keys[~side], keys[side], assume_unique=True, return_indices=True)
    return among[~side][rows], among[side][cols]


# ---- overlap -----------------------------------------------------------------------------------------------


def overlapping(both: Both, least: float) -> tuple[Array, Array, Array]:
    """Positions of entities of the same document that overlap, and their intersections over unions.

    Pairs are taken from the largest overlap down, of equal ones those of the same class first, then those that stand
    first in the text.
    """
    order = np.lexsort((both.labels, both.ends, both.starts, both.documents))
    order = order[np.argsort(order >= both.n_truth, kind="stable")]
    rows, cols = _candidates(both, order)
    starts, ends, labels = (column[order] for column in (both.starts, both.ends, both.labels))
    common = np.minimum(ends[rows], ends[cols]) - np.maximum(starts[rows], starts[cols])
    shares = common / (np.maximum(ends[rows], ends[cols]) - np.minimum(starts[rows], starts[cols]))
    fits = shares >= least
    rows, cols, shares = rows[fits], cols[fits], shares[fits]
    # Ranks instead of shares, so that of equal ones the same class comes first.
    ranks = 2 * np.unique(shares, return_inverse=True)[1] + (labels[rows] == labels[cols])
    taken = match(rows, cols - both.n_truth, ranks, how="greedy")
    return order[rows[taken]], order[cols[taken]], shares[taken]


def _candidates(both: Both, order: Array) -> tuple[Array, Array]:
    """All pairs that overlap, as places in `order`, in which both sides are sorted by document and start.

    Of two that overlap, one starts within the other: predicted ones that start in a true one, and true ones that
    start in a predicted one but not where it does, are all pairs, each once.
    """
    points, ranks = np.unique(np.concatenate([both.starts, both.ends]), return_inverse=True)
    line = both.documents * len(points)
    starts, ends = (line + part for part in np.split(ranks, 2))
    (first, reach), (second, reach_2) = (
        (starts[order[part]], ends[order[part]]) for part in (slice(both.n_truth), slice(both.n_truth, None))
    )
    sides = []
    for own, ends_at, other, side in ((first, reach, second, "left"), (second, reach_2, first, "right")):
        begins = np.searchsorted(other, own, side=side)  # type: ignore[call-overload]
        sides.append((begins, np.maximum(np.searchsorted(other, ends_at, side="left") - begins, 0)))
    found = sum(int(many.sum()) for _, many in sides)
    if found > MOST_PAIRS:
        msg = f"{found:,} pairs of entities overlap, more than {MOST_PAIRS:,}: these spans nest too deeply to be paired"
        raise BudgetError(msg)
    (rows, cols), (more_cols, more_rows) = (_spread(*side) for side in sides)
    return np.concatenate([rows, more_rows]), np.concatenate([cols, more_cols]) + both.n_truth


def _spread(begins: Array, many: Array) -> tuple[Array, Array]:
    """Each place as often as `many` says, and the numbers from its beginning on."""
    places = np.repeat(np.arange(len(begins)), many)
    return places, np.arange(len(places)) - np.repeat(np.cumsum(many) - many - begins, many)
