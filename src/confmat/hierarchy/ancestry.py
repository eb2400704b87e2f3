"""Meetings of two nodes: their lowest common ancestor, the edges between them, and their shared ancestors."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import BudgetError
from confmat.hierarchy.nodes import Nodes

Array = NDArray[Any]

# Ancestors of all classes together, 16 bytes each.
MAX_ANCESTORS = 2**26
# Ancestors of pairs that are compared in one go.
CHUNK_ANCESTORS = 2**21


class Meetings(NamedTuple):
    """Relations of pairs of nodes: height of the lowest common ancestor, edges between them, shared ancestors.

    A node is its own ancestor, and the root is nobody's.
    """

    heights: Array
    steps: Array
    shared: Array


class Reached(NamedTuple):
    """The ancestors of some nodes: node, ancestor, and the fewest steps up to it; sorted by the first two."""

    owners: Array
    nodes: Array
    steps: Array


class Ancestry:
    """Answers about many pairs at once: by steps of doubling length in a tree, by lists of ancestors in a graph."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self.is_tree = len(nodes.children) == len(nodes.names) - 1

    def sizes(self, nodes: Array) -> Array:
        """How many ancestors each node has, itself counted and the root not."""
        if self.is_tree:
            return self._nodes.depth[nodes]
        several, back = np.unique(nodes, return_inverse=True)
        return np.bincount(self.above(several).owners, minlength=len(several))[back] - 1

    def meetings(self, one: Array, other: Array) -> Meetings:
        """Where pairs of nodes meet."""
        return self._in_tree(one, other) if self.is_tree else self._in_graph(one, other)

    def ancestor_at(self, nodes: Array, level: int) -> Array:
        """In a tree, the ancestor of each node that is so far below the root; nodes above stay themselves."""
        return self._lifted(nodes, np.maximum(self._nodes.depth[nodes] - level, 0))

    # ---- trees ----------------------------------------------------------------------------------------------

    @cached_property
    def _lifts(self) -> list[Array]:
        """The ancestors 1, 2, 4, ... steps above each node; above the root is the root."""
        lifts = [self._nodes.first]
        while lifts[-1].any():
            lifts.append(lifts[-1][lifts[-1]])
        return lifts

    def _lifted(self, nodes: Array, steps: Array) -> Array:
        for bit, lift in enumerate(self._lifts):
            nodes = np.where((steps >> bit) & 1, lift[nodes], nodes)
        return nodes

    def _in_tree(self, one: Array, other: Array) -> Meetings:
        depth = self._nodes.depth
        deep = depth[one], depth[other]
        level = np.minimum(*deep)
        low, high = self._lifted(one, deep[0] - level), self._lifted(other, deep[1] - level)
        for lift in reversed(self._lifts):
            up = lift[low], lift[high]
            apart = up[0] != up[1]
            low, high = np.where(apart, up[0], low), np.where(apart, up[1], high)
        met = np.where(low == high, low, self._nodes.first[low])
        return Meetings(self._nodes.height[met], deep[0] + deep[1] - 2 * depth[met], depth[met])

    # ---- graphs ---------------------------------------------------------------------------------------------

    @cached_property
    def _starts(self) -> Array:
        """Where the parents of each node begin."""
        return np.searchsorted(self._nodes.children, np.arange(len(self._nodes.names) + 1))

    def above(self, nodes: Array) -> Reached:
        """Every ancestor of some nodes, themselves counted and the root too, each by the shortest way."""
        size = len(self._nodes.names)
        keys = np.arange(len(nodes)) * size + nodes
        steps, new, step = np.zeros(len(keys), dtype=np.int64), keys, 0
        while len(new):
            step += 1
            owners, at = np.divmod(new, size)
            counts = self._starts[at + 1] - self._starts[at]
            new = np.unique(np.repeat(owners * size, counts) + self._nodes.parents[_runs(self._starts[at], counts)])
            place = np.searchsorted(keys, new)
            is_new = keys[np.minimum(place, len(keys) - 1)] != new
            new, place = new[is_new], place[is_new]
            if len(keys) + len(new) > MAX_ANCESTORS:
                msg = (
                    f"{len(nodes):,} classes have more than {MAX_ANCESTORS:,} ancestors together, too many to keep; "
                    "take some of the classes, or roll up first"
                )
                raise BudgetError(msg)
            keys, steps = np.insert(keys, place, new), np.insert(steps, place, step)
        return Reached(*np.divmod(keys, size), steps)

    def _in_graph(self, one: Array, other: Array) -> Meetings:
        several, back = np.unique(np.concatenate([one, other]), return_inverse=True)
        reached = self.above(several)
        one, other = back[: len(one)], back[len(one) :]
        starts = np.searchsorted(reached.owners, np.arange(len(several) + 1))
        sizes = np.diff(starts)[one]
        cuts = np.searchsorted(np.cumsum(sizes), np.arange(0, sizes.sum() + CHUNK_ANCESTORS, CHUNK_ANCESTORS))
        cuts = np.unique(np.concatenate([[0], cuts, [len(one)]])).tolist()
        none = np.zeros(0, dtype=np.int64)
        parts = [Meetings(none, none, none)]
        parts += [self._met(reached, starts, one[begin:end], other[begin:end]) for begin, end in pairwise(cuts)]
        return Meetings(*map(np.concatenate, zip(*parts, strict=True)))

    def _met(self, reached: Reached, starts: Array, one: Array, other: Array) -> Meetings:
        """Every ancestor of the one is looked for among those of the other; the root is always found."""
        size = len(self._nodes.names)
        counts = (starts[1:] - starts[:-1])[one]
        at = _runs(starts[one], counts)
        keys = reached.owners * size + reached.nodes
        wanted = np.repeat(other * size, counts) + reached.nodes[at]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        both = keys[place] == wanted
        first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        far = np.iinfo(np.int64).max
        heights = np.where(both, self._nodes.height[reached.nodes[at]], far)
        steps = np.where(both, reached.steps[at] + reached.steps[place], far)
        return Meetings(
            np.minimum.reduceat(heights, first),
            np.minimum.reduceat(steps, first),
            np.add.reduceat(both.astype(np.int64), first) - 1,
        )


def _runs(starts: Array, counts: Array) -> Array:
    """The numbers from each start on, as many as asked, one run behind the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - counts), counts)
