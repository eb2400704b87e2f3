"""Where to cut a hierarchy, and which classes come together there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.text import some

if TYPE_CHECKING:
    from confmat.hierarchy.hierarchy import Hierarchy

__all__ = ["groups", "rolled"]

Array = NDArray[Any]
Level = int | Iterable[Any]


def groups(h: Hierarchy, labels: Labels, level: Level) -> dict[Any, tuple[Any, ...]]:
    """Group name -> its classes, in the order of the first class of each."""
    names, codes = _grouped(h, labels, level)
    members: list[list[Any]] = [[] for _ in names]
    for name, code in zip(labels.classes, codes.tolist(), strict=True):
        members[code].append(name)
    return dict(zip(names, map(tuple, members), strict=True))


def rolled(h: Hierarchy, labels: Labels, level: Level) -> tuple[Labels, Array]:
    """Labels after joining the classes of each group, and where each old label goes."""
    names, codes = _grouped(h, labels, level)
    positive = None if labels.positive is None else names[codes[labels.index(labels.positive)]]
    outside = len(names) + np.arange(len(labels.outside))
    return Labels(names, outside=labels.outside, positive=positive), np.concatenate([codes, outside])


def _grouped(h: Hierarchy, labels: Labels, level: Level) -> tuple[list[Any], Array]:
    """The names of the groups, each at the place of its first class, and the group of each class."""
    nodes = h._places(labels)
    owners = _owners(h, labels, nodes, level)
    found, first, back = np.unique(owners, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    # A class that is a group of its own keeps the name that the matrix has for it.
    own = nodes[first] == found
    names = [labels[int(first[i])] if own[i] else h._name(int(found[i])) for i in order.tolist()]
    return names, rank[back]


def _owners(h: Hierarchy, labels: Labels, nodes: Array, level: Level) -> Array:
    """The node that each class is rolled up to; itself where none is above it."""
    if isinstance(level, (int, np.integer)) and not isinstance(level, bool):
        _check(h, int(level))
        if h.is_tree:
            return h._ancestry.ancestor_at(nodes, int(level))
        chosen = h._nodes.depth == level
    else:
        chosen = np.zeros(len(h._nodes.names), dtype=bool)
        chosen[[h._node(name) for name in _named(level)]] = True
    owner = _nearest(h, chosen)
    found = [owner[node] for node in nodes.tolist()]
    torn = next((place for place, one in enumerate(found) if isinstance(one, frozenset)), None)
    if torn is not None:
        several = sorted(found[torn])
        msg = Message(
            "{} is below {} of the nodes to cut at: {}; name the nodes to cut at so that each class is below "
            "one, such as {level:[...]}",
            some([labels[torn]]),
            len(several),
            some(map(h._name, several)),
        )
        raise LabelError(msg)
    return np.array([node if one < 0 else one for node, one in zip(nodes.tolist(), found, strict=True)], dtype=np.int64)


def _check(h: Hierarchy, level: int) -> None:
    if not 1 <= level <= h.levels:
        msg = Message("{level} goes from 1, right below the root, to {:,}, not {}", h.levels, level)
        raise InputError(msg)


def _named(level: Any) -> list[Any]:
    if isinstance(level, str):
        return [level]
    if isinstance(level, bool) or not isinstance(level, Iterable):
        msg = Message("{level} is a number from 1 on or the names of the nodes to cut at, not {!r:.60}", level)
        raise InputError(msg)
    names = list(level)
    if not names:
        msg = Message("{level} names no node to cut at")
        raise InputError(msg)
    return names


def _nearest(h: Hierarchy, chosen: Array) -> list[Any]:
    """The nearest chosen node above each node, itself counted: -1 for none, a set for several side by side."""
    owner: list[Any] = [-1] * len(chosen)
    picked = chosen.tolist()
    above: list[list[int]] = [[] for _ in picked]
    for child, parent in zip(h._nodes.children.tolist(), h._nodes.parents.tolist(), strict=True):
        above[child].append(parent)
    # Parents come first: in a tree by number, in a graph by level.
    walk = range(len(picked)) if h.is_tree else np.argsort(h._nodes.depth, kind="stable").tolist()
    for node in walk:
        if picked[node]:
            owner[node] = node
            continue
        found: set[int] = set()
        for one in (owner[parent] for parent in above[node]):
            found |= one if isinstance(one, frozenset) else {one} if one >= 0 else set()
        if len(found) > 1:
            found = _lowest(h, found)
        owner[node] = -1 if not found else next(iter(found)) if len(found) == 1 else frozenset(found)
    return owner


def _lowest(h: Hierarchy, nodes: set[int]) -> set[int]:
    """Those of some nodes that are above none of the others."""
    listed = np.array(sorted(nodes))
    if np.ptp(h._nodes.depth[listed]) == 0:
        # What is above another is less deep.
        return nodes
    reached = h._ancestry.above(listed)
    higher = reached.nodes[reached.steps > 0]
    return nodes - set(higher.tolist())
