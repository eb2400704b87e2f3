"""Classes kept together by the branches of a hierarchy, in whatever order they come."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.text import some
from confmat.hierarchy import Hierarchy

__all__ = ["branches", "together"]

Array = NDArray[Any]


def branches(labels: Labels, hierarchy: Any) -> tuple[Hierarchy, Array]:
    """The hierarchy, or one of the paths given, and the node of each class; -1 for a class that it does not know."""
    h = hierarchy if isinstance(hierarchy, Hierarchy) else Hierarchy.from_paths(hierarchy)
    nodes = np.maximum(h._found(labels), -1)
    if (nodes < 0).all():
        msg = f"the hierarchy names none of the classes: {some(labels)}"
        raise InputError(msg)
    return h, nodes


def together(order: Array, h: Hierarchy, nodes: Array) -> Array:
    """The same order with the classes of every branch side by side, at the place of the first of them.

    A class with several parents stands below the first; one that the hierarchy does not know stays where it is.
    """
    first = h._nodes.first.tolist()
    # The earliest class of each branch; children are numbered above their parents.
    earliest = [len(order)] * len(first)
    entries: list[list[tuple[int, int, int]]] = [[] for _ in first]
    for rank, place in enumerate(order.tolist()):
        node = max(int(nodes[place]), 0)
        earliest[node] = min(earliest[node], rank)
        entries[node].append((rank, -1, place))
    for node in range(len(first) - 1, 0, -1):
        if earliest[node] < len(order):
            earliest[first[node]] = min(earliest[first[node]], earliest[node])
            entries[first[node]].append((earliest[node], node, -1))
    found, waiting = [], [(0, 0, -1)]
    while waiting:
        _, node, place = waiting.pop()
        if node < 0:
            found.append(place)
        else:
            waiting += sorted(entries[node], reverse=True)
    return np.array(found, dtype=np.int64)
