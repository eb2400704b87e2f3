"""Which classes are confused with which, as a tree: average linkage, exact while it fits, by neighbours beyond.

The similarity of two classes is the share of the one that is taken for the other, averaged over
both directions; that of two groups the mean over their pairs (average linkage, also known as
UPGMA). Classes that are not connected by confusions at all are joined last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.structure.errors import Errors, Expected, expected_errors

Array = NDArray[Any]

# Connected classes up to which leaves are put in their best order, which takes a time that grows
# with the cube (0.1 s for 500), and up to which every pair has its place in memory (100 MB, 0.4 s
# for 5,000).
OPTIMAL, EXACT = 500, 5_000


@dataclass(frozen=True, eq=False)
class Edges:
    """Pairs of classes with a similarity above zero, the lower position first, each once, in order."""

    size: int
    low: Array
    high: Array
    values: Array


@dataclass(frozen=True, eq=False)
class Tree:
    """Merges in the order of their similarity: the first K - n make n groups.

    As in SciPy, merge number t joins two of the classes 0 .. K-1 and the earlier merges K, K+1,
    ...; `values` holds the mean similarity of the joined groups. `leaves` is an order of the
    classes in which every group is in one piece.
    """

    merges: Array
    values: Array
    leaves: Array

    @cached_property
    def size(self) -> int:
        """How many classes there are."""
        return len(self.leaves)

    def groups(self, merges: int) -> Array:
        """The group of every class after the first merges, numbered by the order of the leaves."""
        parent = np.arange(self.size + merges)
        for step, (a, b) in enumerate(self.merges[:merges].tolist()):
            parent[a] = parent[b] = self.size + step
        # From the last merge down, every node learns its root.
        for node in range(self.size + merges - 1, -1, -1):
            parent[node] = parent[parent[node]]
        roots = parent[: self.size][self.leaves]
        starts = np.concatenate([[True], roots[1:] != roots[:-1]])
        codes = np.empty(self.size, dtype=np.int64)
        codes[self.leaves] = np.cumsum(starts) - 1
        return codes


@np.errstate(all="ignore")
def similarities(errors: Errors) -> Edges:
    """Half the share of the one class taken for the other, plus half the share of the other taken for the one."""
    share = errors.counts / errors.actual[errors.rows] / 2
    low, high = np.minimum(errors.rows, errors.cols), np.maximum(errors.rows, errors.cols)
    return _added(errors.size, low, high, share)


def _added(size: int, low: Array, high: Array, values: Array) -> Edges:
    """Edges in order, those of one pair added."""
    keys, places = np.unique(low * size + high, return_inverse=True)
    sums = np.bincount(places, weights=values, minlength=len(keys))
    # A share may be too small for a float.
    keys, sums = keys[sums > 0], sums[sums > 0]
    return Edges(size, keys // size, keys % size, sums)


def tree_of(edges: Edges) -> Tree:
    """The tree of all classes; the same for the same edges."""
    parts = _components(edges)
    joined: list[tuple[float, int, int, int]] = []
    leaves: list[int] = []
    builder = _Builder(edges.size)
    for part in parts:
        if len(part.classes) == 1:
            leaves += part.classes.tolist()
            continue
        steps, order = _exact(part) if len(part.classes) <= EXACT else _by_neighbors(part)
        joined += [(value, len(joined) + i, a, b) for i, (a, b, value) in enumerate(steps)]
        leaves += order.tolist()
    # Most similar first; within one part the merges keep their order, since none is more similar
    # than an earlier.
    joined.sort(key=lambda merge: (-merge[0], merge[1]))
    for value, _, a, b in joined:
        builder.join(a, b, value)
    rest = [part.classes[0].item() for part in parts]
    alone = [part.classes[0].item() for part in parts if len(part.classes) == 1]
    for a, b in [*pairwise(alone), *pairwise(rest)]:
        builder.join(a, b, 0.0)
    merges = np.array(builder.merges, dtype=np.int64).reshape(-1, 2)
    return Tree(merges, np.array(builder.values), np.array(leaves, dtype=np.int64))


class _Builder:
    """Joins the groups that two classes are in, and numbers what comes of it."""

    def __init__(self, size: int) -> None:
        self.parent = list(range(size))
        self.node = list(range(size))
        self.merges: list[tuple[int, int]] = []
        self.values: list[float] = []

    def root(self, place: int) -> int:
        parent = self.parent
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    def join(self, a: int, b: int, value: float) -> None:
        a, b = self.root(a), self.root(b)
        if a == b:
            return
        self.merges.append((self.node[a], self.node[b]))
        self.values.append(value)
        self.parent[b] = a
        self.node[a] = len(self.parent) + len(self.merges) - 1


# ---- connected classes ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Part:
    """Classes connected by confusions, and the edges between them by their positions in `classes`."""

    classes: Array
    edges: Edges


def _components(edges: Edges) -> list[_Part]:
    """The largest first, and those of one size in their order; single classes last."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((edges.values, (edges.low, edges.high)), shape=(edges.size, edges.size))
    count, label = connected_components(graph, directed=False)
    order = np.argsort(label, kind="stable")
    sizes = np.bincount(label, minlength=count)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    place = np.empty(edges.size, dtype=np.int64)
    place[order] = np.arange(edges.size) - starts[label[order]]
    by_part = np.argsort(label[edges.low], kind="stable")
    cuts = np.searchsorted(label[edges.low][by_part], np.arange(count + 1))
    first = order[starts[:-1]]
    parts = []
    for number in np.lexsort((first, -sizes)).tolist():
        mine = by_part[cuts[number] : cuts[number + 1]]
        inner = Edges(
            int(sizes[number]), place[edges.low[mine]], place[edges.high[mine]], edges.values[mine]
        )
        parts.append(_Part(order[starts[number] : starts[number + 1]], inner))
    return parts


Steps = list[tuple[int, int, float]]


def _exact(part: _Part) -> tuple[Steps, Array]:
    """Average linkage over every pair; leaves in the order that puts similar ones side by side, while that is quick."""
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering

    edges, size = part.edges, len(part.classes)
    top = float(edges.values.max())
    distances = np.ones(size * (size - 1) // 2)
    at = size * edges.low - edges.low * (edges.low + 1) // 2 + edges.high - edges.low - 1
    distances[at] -= edges.values / top
    joins = linkage(distances, "average")
    shown = optimal_leaf_ordering(joins, distances) if 2 < size <= OPTIMAL else joins
    leaves = _forward(leaves_list(shown).astype(np.int64))
    member = list(range(size))
    steps = []
    for a, b, height, _ in joins.tolist():
        first, second = member[int(a)], member[int(b)]
        steps.append((part.classes[first].item(), part.classes[second].item(), (1 - height) * top))
        member.append(first)
    return steps, part.classes[leaves]


def _forward(leaves: Array) -> Array:
    """Choose between an order and its reverse: the one nearer to the given order."""
    trend = float(np.dot(leaves - leaves.mean(), np.arange(len(leaves)) - (len(leaves) - 1) / 2))
    return leaves[::-1] if trend < 0 or (trend == 0 and leaves[-1] < leaves[0]) else leaves


def _by_neighbors(part: _Part) -> tuple[Steps, Array]:
    """Every group with its most similar one, all at once, until one is left.

    Affinity clustering (Bateni and others 2017, NeurIPS) with mean similarities: each round at
    least halves the groups, and takes a time in proportion to the confused pairs. No pair without a
    confusion takes memory.
    """
    size = len(part.classes)
    members = [[i] for i in range(size)]
    edges, ceiling = part.edges, np.inf
    sizes: Array = np.ones(size)
    steps: Steps = []
    while edges.size > 1:
        mean = edges.values / (sizes[edges.low] * sizes[edges.high])
        chosen = _best_edges(edges, mean)
        chosen = chosen[np.lexsort((chosen, -mean[chosen]))]
        merged = _Builder(edges.size)
        for edge in chosen.tolist():
            a, b = merged.root(int(edges.low[edge])), merged.root(int(edges.high[edge]))
            if a == b:
                continue
            ceiling = min(ceiling, float(mean[edge]))
            steps.append(
                (part.classes[members[a][0]].item(), part.classes[members[b][0]].item(), ceiling)
            )
            merged.join(a, b, ceiling)
            members[a] += members[b]
        roots = np.array([merged.root(i) for i in range(edges.size)])
        kept, group = np.unique(roots, return_inverse=True)
        members = [members[i] for i in kept.tolist()]
        sizes = np.bincount(group, weights=sizes)
        low, high = group[edges.low], group[edges.high]
        apart = low != high
        low, high = np.minimum(low, high)[apart], np.maximum(low, high)[apart]
        edges = _added(len(kept), low, high, edges.values[apart])
    return steps, part.classes[_forward(np.array(members[0], dtype=np.int64))]


def _best_edges(edges: Edges, mean: Array) -> Array:
    """The most similar neighbour of each group, as positions of edges; of equal ones the first edge."""
    ends = np.concatenate([edges.low, edges.high])
    which = np.tile(np.arange(len(mean)), 2)
    order = np.lexsort((which, -mean[which], ends))
    firsts = np.concatenate([[True], ends[order][1:] != ends[order][:-1]])
    return np.unique(which[order][firsts])


@np.errstate(all="ignore")
def best_cut(errors: Errors, tree: Tree) -> int:
    """How many merges of the tree to keep."""
    if not len(errors.counts) or tree.size < 3:
        return 0
    item = _item(errors)
    if not item:
        # Weights whose squares are too small for a float.
        return 0
    # One error more in each row and column: otherwise the only pair that is ever confused would
    # explain itself.
    fit = expected_errors(errors.lost + item, errors.received + item)
    inside = np.bincount(
        _joined_at(tree, errors.rows, errors.cols),
        weights=errors.counts,
        minlength=len(tree.merges),
    )
    inside_groups = np.concatenate([[0.0], np.cumsum(inside)]) / item
    expected = _expected_inside(tree, fit)
    total = errors.total / item
    expected *= total / expected[-1]
    gain = _information(inside_groups, expected) + _information(
        total - inside_groups, total - expected
    )
    return int(np.argmax(gain - _cost(tree)))


def _item(errors: Errors) -> float:
    """The size of one error: 1 of counts, the mean weight of weights; where unknown that of a cell, to be cautious."""
    if errors.unit is None:
        return errors.total / len(errors.counts)
    return float(np.average(errors.unit, weights=errors.counts))


def _joined_at(tree: Tree, rows: Array, cols: Array) -> Array:
    """The merge that brings the two classes of each pair together."""
    parent, since = _forest(tree)
    a, b = rows.copy(), cols.copy()
    apart = np.flatnonzero(a != b)
    step = np.zeros(len(a), dtype=np.int64)
    while len(apart):
        # The class that left its root earlier moves up; the later of the two moves is the merge.
        first = since[a[apart]] <= since[b[apart]]
        low, high = apart[first], apart[~first]
        step[low], a[low] = since[a[low]], parent[a[low]]
        step[high], b[high] = since[b[high]], parent[b[high]]
        apart = apart[a[apart] != b[apart]]
    return step


def _forest(tree: Tree) -> tuple[Array, Array]:
    """Smaller groups hang below larger ones, so that no class is deep: the parent, and the merge that made it so."""
    size, steps = tree.size, len(tree.merges)
    parent, since = list(range(size)), [steps] * size
    # For every node of the tree, the class that represents it, and its number of classes.
    delegate, weight = [*range(size)] + [0] * steps, [1] * (size + steps)
    for step, (a, b) in enumerate(tree.merges.tolist()):
        small, large = (a, b) if weight[a] < weight[b] else (b, a)
        parent[delegate[small]], since[delegate[small]] = delegate[large], step
        delegate[size + step], weight[size + step] = delegate[large], weight[a] + weight[b]
    return np.array(parent), np.array(since)


def _expected_inside(tree: Tree, fit: Expected) -> Array:
    """Expected errors inside the groups after no merge, after one, and so on."""
    rows, cols, sums = fit.by_actual.tolist(), fit.by_predicted.tolist(), [0.0]
    for a, b in tree.merges.tolist():
        sums.append(sums[-1] + rows[a] * cols[b] + rows[b] * cols[a])
        rows.append(rows[a] + rows[b])
        cols.append(cols[a] + cols[b])
    return np.array(sums)


def _information(errors: Array, expected: Array) -> Array:
    """E log(E / D), zero where there is nothing."""
    some = (errors > 1e-9) & (expected > 0)
    ratio = np.divide(errors, expected, out=np.ones(len(errors)), where=some)
    return np.asarray(errors * np.log(ratio))


def _cost(tree: Tree) -> Array:
    """Nats to say which classes are grouped, into how many groups of which sizes, and who is in which."""
    from scipy.special import gammaln

    size, steps = tree.size, len(tree.merges)
    weight = [1] * size
    grouped, groups, sizes = np.zeros(steps + 1), np.zeros(steps + 1), np.zeros(steps + 1)
    factorial = gammaln(np.arange(size + 1) + 1.0).tolist()
    for step, (a, b) in enumerate(tree.merges.tolist(), 1):
        alone, both = (weight[a] == 1) + (weight[b] == 1), weight[a] + weight[b]
        weight.append(both)
        grouped[step] = grouped[step - 1] + alone
        groups[step] = groups[step - 1] + alone - 1
        sizes[step] = (
            sizes[step - 1] + factorial[both] - factorial[weight[a]] - factorial[weight[b]]
        )
    which = gammaln(size + 1) - gammaln(grouped + 1) - gammaln(size - grouped + 1)
    lengths = (
        gammaln(np.maximum(grouped, 1))
        - gammaln(np.maximum(groups, 1))
        - gammaln(np.maximum(grouped - groups, 0) + 1)
    )
    cost = which + lengths + (gammaln(grouped + 1) - sizes) + np.log(size)
    cost[0] = 0
    return np.asarray(cost)
