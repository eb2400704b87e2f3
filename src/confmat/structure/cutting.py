"""Where to cut the tree of classes: where knowing the groups tells most about the errors, less what it costs to say.

Errors inside groups and errors between them each get a rate of their own, times what quasi-independence expects; the
gain in likelihood is E_in log(E_in / D_in) + E_out log(E_out / D_out), with E the errors and D the expected ones.
That is the planted-partition model with the classes' own propensities (Newman 2016, Phys. Rev. E 94, 052315), whose
rates are fitted, so that it finds small groups among many, where modularity does not. The cost is the length of a
message that names the groups (as Peixoto 2014, Phys. Rev. X 4, 011047): which classes are in any, and how they are
divided. Where errors follow no groups, no cut is worth its cost, and every class stays alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.structure.independence import Expected, expected_errors
from confmat.structure.offdiagonal import Errors
from confmat.structure.tree import Tree

__all__ = ["best_cut"]

Array = NDArray[Any]


@np.errstate(all="ignore")
def best_cut(errors: Errors, tree: Tree) -> int:
    """How many merges of the tree to keep."""
    if not len(errors.counts) or tree.size < 3:
        return 0
    item = _item(errors)
    if not item:
        # Weights whose squares are too small for a float.
        return 0
    # One error more in each row and column: otherwise the only pair that is ever confused would explain itself.
    fit = expected_errors(errors.lost + item, errors.received + item)
    inside = np.bincount(_joined_at(tree, errors.rows, errors.cols), weights=errors.counts, minlength=len(tree.merges))
    found = np.concatenate([[0.0], np.cumsum(inside)]) / item
    expected = _expected_inside(tree, fit)
    total = errors.total / item
    expected *= total / expected[-1]
    gain = _information(found, expected) + _information(total - found, total - expected)
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
        # Whoever left its root earlier moves up; the later of the two moves is the merge.
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
    # Of every node of the tree, the class that stands for it, and how many it has.
    stands, weight = [*range(size)] + [0] * steps, [1] * (size + steps)
    for step, (a, b) in enumerate(tree.merges.tolist()):
        small, large = (a, b) if weight[a] < weight[b] else (b, a)
        parent[stands[small]], since[stands[small]] = stands[large], step
        stands[size + step], weight[size + step] = stands[large], weight[a] + weight[b]
    return np.array(parent), np.array(since)


def _expected_inside(tree: Tree, fit: Expected) -> Array:
    """Expected errors inside the groups after no merge, after one, and so on."""
    rows, cols, found = fit.by_actual.tolist(), fit.by_predicted.tolist(), [0.0]
    for a, b in tree.merges.tolist():
        found.append(found[-1] + rows[a] * cols[b] + rows[b] * cols[a])
        rows.append(rows[a] + rows[b])
        cols.append(cols[a] + cols[b])
    return np.array(found)


def _information(found: Array, expected: Array) -> Array:
    """E log(E / D), zero where there is nothing."""
    some = (found > 1e-9) & (expected > 0)
    ratio = np.divide(found, expected, out=np.ones(len(found)), where=some)
    return np.asarray(found * np.log(ratio))


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
        sizes[step] = sizes[step - 1] + factorial[both] - factorial[weight[a]] - factorial[weight[b]]
    which = gammaln(size + 1) - gammaln(grouped + 1) - gammaln(size - grouped + 1)
    lengths = (
        gammaln(np.maximum(grouped, 1)) - gammaln(np.maximum(groups, 1)) - gammaln(np.maximum(grouped - groups, 0) + 1)
    )
    cost = which + lengths + (gammaln(grouped + 1) - sizes) + np.log(size)
    cost[0] = 0
    return np.asarray(cost)
