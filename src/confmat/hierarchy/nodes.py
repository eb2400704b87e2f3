"""Nodes of a hierarchy, read and checked: from paths, parents, mappings, frames and edges."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, LabelError, Message
from confmat.core.naming import kind_of, plain
from confmat.core.options import told
from confmat.core.text import some

# Names of the columns of a table of parents.
CHILDREN = {"child", "class", "name", "label", "node"}
PARENTS = {"parent", "group", "superclass", "superordinate", "supercategory"}
Array = NDArray[Any]
Edges = Literal["down", "up"]
# A deeper nesting most likely contains itself.
DEEPEST_NESTED = 1000


def listed(rows: Any) -> Any:
    """The rows of a frame or a table as lists; iterating over a frame would give its columns."""
    if hasattr(rows, "column_names") and hasattr(rows, "to_pylist"):
        return [list(row.values()) for row in rows.to_pylist()]
    if hasattr(rows, "to_numpy") and hasattr(rows, "columns"):
        return rows.to_numpy().tolist()
    return rows.tolist() if isinstance(rows, np.ndarray) and rows.ndim == 2 else rows


def by_head(parents: Any) -> tuple[Any, bool]:
    """Pairs of a frame or series, the child first, and whether the names of its columns said which is which."""
    heads = getattr(parents, "column_names", getattr(parents, "columns", None))
    if heads is None:
        # The children of a series are its index.
        is_series = hasattr(parents, "index") and hasattr(parents, "items")
        return list(parents.items()) if is_series else listed(parents), False
    names = [str(head).casefold() for head in heads]
    if len(names) == 2 and len(set(heads)) < 2:
        msg = f"both columns of the frame of parents are called {some(names[:1])}; name them 'child' and 'parent'"
        raise InputError(msg)
    if len(names) != 2:
        msg = f"a frame of parents has two columns, child and parent, not {some(names)}; columns of levels are paths"
        raise InputError(msg)
    turned = names[0] in PARENTS and names[1] in CHILDREN
    rows = listed(parents)
    return [row[::-1] for row in rows] if turned else rows, turned or (names[0] in CHILDREN and names[1] in PARENTS)


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes as one walks down the tree: a branch before its neighbour, a parent before its children.

    Node 0 is the root. Its name is None where nobody named it. A node with several parents stands below the first.
    """

    names: tuple[Any, ...]
    # First parent of each node, the root's being itself; and every edge, by child.
    first: Array
    children: Array
    parents: Array
    # The most edges up to the root and down to a leaf.
    depth: Array
    height: Array


def key_of(name: Any) -> Any:
    """Return the key by which a name is looked up: 1, True and "1" are three names."""
    return name if type(name) is str else (type(name), name)


@dataclass
class _Growing:
    """Names, and the parents of each, as they come."""

    names: list[Any] = field(default_factory=list)
    parents: list[list[int]] = field(default_factory=list)
    places: dict[Any, int] = field(default_factory=dict)

    def node(self, name: Any, key: Any) -> int:
        """The node of that key; a new one where there is none."""
        place = self.places.setdefault(key, len(self.names))
        if place == len(self.names):
            self.names.append(name)
            self.parents.append([])
        return place

    def below(self, parent: int, name: Any) -> int:
        """The child of that name; the name may occur elsewhere too."""
        before = len(self.names)
        node = self.node(name, (parent, key_of(name)))
        if node == before and parent >= 0:
            self.parents[node].append(parent)
        return node


# ---- paths and nested data ------------------------------------------------------------------------------------------


def check_sep(sep: Any) -> None:
    """Complain of what parts no path."""
    if not isinstance(sep, str) or not sep:
        msg = Message("{sep} is the text between the parts of a path, such as '/', not {}", told(sep))
        raise InputError(msg)


def of_paths(paths: Any, sep: Any) -> Nodes:
    """From paths that end in the class, or from a mapping of class to its path."""
    check_sep(sep)
    growing = _Growing()
    for parts in _paths(paths, sep):
        node = -1
        for part in parts:
            node = growing.below(node, part)
    return _arranged(growing, named_root=False)


def _paths(paths: Any, sep: str) -> Iterator[list[Any]]:
    if isinstance(paths, Mapping):
        for name, path in paths.items():
            parts, own = [] if path is None else parts_of(path, sep), _name(name)
            # The path may end in the class or stop above it; the class keeps its own name, which may be a number.
            if parts and (parts[-1] == own or parts[-1] == str(own)):
                parts.pop()
            yield [*parts, own]
        return
    # A frame with a column for each level.
    paths = listed(paths)
    if isinstance(paths, (str, bytes)) or not isinstance(paths, Iterable):
        msg = (
            "a hierarchy is read from paths that end in the class, such as ['fruit/citrus/lemon'], or from a mapping "
            f"of class to path, not from {type(paths).__name__} {paths!r:.60}"
        )
        raise InputError(msg)
    for place, path in enumerate(paths):
        parts = parts_of(path, sep)
        if not parts:
            msg = f"path {place} is empty: {path!r:.60}"
            raise InputError(msg)
        yield parts


def parts_of(path: Any, sep: str) -> list[Any]:
    """The names along a path: of a text what stands between separators; missing and empty ones are left out."""
    if isinstance(path, str):
        return [part for part in path.split(sep) if part]
    if isinstance(path, np.ndarray) and path.ndim == 1:
        path = path.tolist()
    if not isinstance(path, (tuple, list)):
        came = f"{type(path).__name__} {path!r:.60}"
        msg = f"a path is a text such as 'fruit/citrus/lemon' or a sequence of names, not {came}"
        raise InputError(msg)
    # Tables of levels fill up short paths with "", None or NaN.
    return [name for name in map(_name_or_none, path) if name is not None and name != ""]


def _name_or_none(name: Any) -> Any:
    """A name as labels have it, or None for what says "missing"."""
    if type(name) is str:
        return name
    try:
        name = plain(name)
        if name is not None:
            kind_of(name)
    except LabelError as error:
        msg = Message("{!r:.60} cannot name a node: {}", name, error)
        raise InputError(msg) from None
    return name


def _name(name: Any) -> Any:
    """A name that must not be missing."""
    known = _name_or_none(name)
    if known is None:
        msg = f"{name!r:.60} says that something is missing, so it cannot name a node"
        raise InputError(msg)
    return known


def of_nested(nested: Any) -> Nodes:
    """From mappings of name to what is below it, and lists of names."""
    if not isinstance(nested, (Mapping, list, tuple)):
        msg = (
            "a nested hierarchy maps names to what is below them, such as {'fruit': {'citrus': ['lemon', 'lime']}}, "
            f"not {told(nested, typed=True)}"
        )
        raise InputError(msg)
    growing = _Growing()
    waiting: list[tuple[int, int, Any]] = [(-1, 0, nested)]
    while waiting:
        parent, depth, below = waiting.pop()
        if depth > DEEPEST_NESTED:
            msg = f"the data is nested more than {DEEPEST_NESTED:,} deep; it seems to contain itself"
            raise InputError(msg)
        children = [(growing.below(parent, _name(name)), depth + 1, more) for name, more in _entries(below)]
        waiting += reversed([child for child in children if child[2] is not None])
    return _arranged(growing, named_root=False)


def _entries(below: Any) -> Iterator[tuple[Any, Any]]:
    """Each name with what is below it."""
    if isinstance(below, Mapping):
        yield from below.items()
    elif isinstance(below, (list, tuple)):
        for one in below:
            if isinstance(one, (list, tuple)):
                msg = f"a list of a nested hierarchy holds names and mappings, not another list: {one!r:.60}"
                raise InputError(msg)
            yield from one.items() if isinstance(one, Mapping) else [(one, None)]
    else:
        yield below, None


# ---- parents and graphs ---------------------------------------------------------------------------------------------


def of_parents(parents: Any, *, sure: bool = False) -> Nodes:
    """From a mapping of child to parent, or to several, or from pairs of child and parent.

    Pairs that plainly go from parent to child are refused, unless the caller is `sure`, as with the head of a table.
    """
    growing = _Growing()
    parents, headed = by_head(parents)
    for child, above in _child_and_parents(parents):
        name = _name(child)
        node = growing.node(name, key_of(name))
        for parent in above:
            name = _name(parent)
            place = growing.node(name, key_of(name))
            if place not in growing.parents[node]:
                growing.parents[node].append(place)
    pairs = [(above, node) for node, listed in enumerate(growing.parents) for above in listed]
    if not (sure or headed) and _seems_to_go_up(pairs):
        raise InputError(_turned(growing))
    return _arranged(growing, named_root=True)


def _turned(growing: _Growing) -> str:
    """The message that parents seem to have been given for children."""
    node = next(node for node, above in enumerate(growing.parents) if len(above) > 1)
    name, above = growing.names[node], [growing.names[one] for one in growing.parents[node]]
    first, second = above[:2]
    return (
        f"this seems to go from parent to children: {name!r:.60} would have the parents {some(above)}, and no class "
        f"two children. Turn it round, {{{first!r:.60}: {name!r:.60}, {second!r:.60}: {name!r:.60}}}, or take "
        "from_nested where it is nested; if it is meant so, put what is on top below one root, as in "
        f"{{{first!r:.60}: 'all', {second!r:.60}: 'all'}}"
    )


def _child_and_parents(parents: Any) -> Iterator[tuple[Any, list[Any]]]:
    if isinstance(parents, Mapping):
        for child, above in parents.items():
            if isinstance(above, (set, frozenset)):
                above = sorted(above, key=str)  # noqa: PLW2901 - one of the forms in which parents come
            yield child, list(above) if isinstance(above, (list, tuple)) else _none_or_one(above)
        return
    if isinstance(parents, (str, bytes)) or not isinstance(parents, Iterable):
        msg = (
            "parents are a mapping of child to parent, such as {'lemon': 'citrus', 'citrus': 'fruit'}, or pairs "
            f"(child, parent), not {type(parents).__name__} {parents!r:.60}"
        )
        raise InputError(msg)
    for pair in parents:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            msg = f"a pair is (child, parent), not {pair!r:.60}"
            raise InputError(msg)
        yield pair[0], _none_or_one(pair[1])


def _none_or_one(parent: Any) -> list[Any]:
    return [] if _name_or_none(parent) is None else [parent]


def of_graph(graph: Any, edges: Edges | None) -> Nodes:
    """From a directed graph that lists `nodes` and `edges` as those of networkx do."""
    if edges is not None and not (isinstance(edges, str) and edges in get_args(Edges)):
        msg = f"`edges` go 'down', from parent to child, or 'up', from child to parent, not {told(edges)}"
        raise InputError(msg)
    if not all(hasattr(graph, name) for name in ("is_directed", "nodes", "edges")):
        msg = f"`from_graph` takes a directed graph such as networkx.DiGraph, not {told(graph, typed=True)}"
        raise InputError(msg)
    if not graph.is_directed():
        msg = "the graph has no directions, so nothing says which end is the parent; give a directed graph"
        raise InputError(msg)
    pairs = [(edge[0], edge[1]) for edge in graph.edges()]
    if edges is None and _seems_to_go_up(pairs):
        msg = (
            "the edges of this graph seem to go from child to parent: no node has two children, read the other way; "
            "say edges='up', or edges='down' if they are meant so"
        )
        raise InputError(msg)
    growing = _Growing()
    for each in graph.nodes():
        name = _name(each)
        growing.node(name, key_of(name))
    for parent, child in pairs if edges != "up" else ((child, parent) for parent, child in pairs):
        node, above = (growing.places[key_of(_name(end))] for end in (child, parent))
        if above not in growing.parents[node]:
            growing.parents[node].append(above)
    return _arranged(growing, named_root=True)


def _seems_to_go_up(pairs: list[tuple[Any, Any]]) -> bool:
    """Whether all edges run together, none apart: no hierarchy that is read downwards looks so."""
    starts, ends = [start for start, _ in pairs], [end for _, end in pairs]
    return len(set(starts)) == len(starts) and len(set(ends)) < len(ends)


# ---- checked and arranged -------------------------------------------------------------------------------------------


def _arranged(growing: _Growing, *, named_root: bool) -> Nodes:
    """Nodes numbered as a reader walks down, below the only top node or, where there are several, below a nameless one.

    In paths and nested data the root is not written, so there it is always nameless.
    """
    names, parents = growing.names, growing.parents
    if not names:
        msg = "a hierarchy has at least one class, and nothing came"
        raise InputError(msg)
    tops = [node for node, above in enumerate(parents) if not above]
    if named_root and len(tops) == 1 and len(names) > 1:
        root = tops[0]
    else:
        root = len(names)
        names, parents = [*names, None], [above or [root] for above in parents] + [[]]
    order, depth = _from_above(names, parents)
    height = [0] * len(names)
    for node in reversed(order):
        for parent in parents[node]:
            height[parent] = max(height[parent], height[node] + 1)
    walk = _walked(parents, root)
    place = np.empty(len(names), dtype=np.int64)
    place[walk] = np.arange(len(names))
    sizes = np.array([len(parents[node]) for node in walk])
    above = place[[parent for node in walk for parent in parents[node]]] if len(walk) > 1 else place[:0]
    first = np.zeros(len(names), dtype=np.int64)
    first[1:] = above[np.cumsum(sizes[:-1])] if len(walk) > 1 else 0
    return Nodes(
        tuple(names[node] for node in walk),
        first,
        np.repeat(np.arange(len(walk)), sizes),
        above,
        np.array(depth)[walk],
        np.array(height)[walk],
    )


def _from_above(names: list[Any], parents: list[list[int]]) -> tuple[list[int], list[int]]:
    """Nodes with parents before children, and the longest way to each; an error where the ways go round."""
    below: list[list[int]] = [[] for _ in names]
    for node, above in enumerate(parents):
        for parent in above:
            below[parent].append(node)
    missing = list(map(len, parents))
    ready = deque(node for node, count in enumerate(missing) if not count)
    order, depth = [], [0] * len(names)
    while ready:
        node = ready.popleft()
        order.append(node)
        for child in below[node]:
            depth[child] = max(depth[child], depth[node] + 1)
            missing[child] -= 1
            if not missing[child]:
                ready.append(child)
    if len(order) < len(names):
        raise InputError(_round(names, parents, missing))
    return order, depth


def _round(names: list[Any], parents: list[list[int]], missing: list[int]) -> str:
    """The message that names a way round."""
    node = next(node for node, count in enumerate(missing) if count)
    way: dict[int, None] = {}
    while node not in way:
        way[node] = None
        node = next(parent for parent in parents[node] if missing[parent])
    nodes = list(way)
    nodes = [*nodes[nodes.index(node) :], node]
    shown = nodes if len(nodes) <= 8 else [*nodes[:7], nodes[-1]]
    told = " → ".join(some([names[one]]) for one in shown)
    return f"a hierarchy may not go round, and this one does, from child to parent: {told}"


def _walked(parents: list[list[int]], root: int) -> list[int]:
    """Nodes as one walks down: each branch to its end, children in the order in which they were named."""
    below: list[list[int]] = [[] for _ in parents]
    for node in range(len(parents) - 1, -1, -1):
        if parents[node]:
            below[parents[node][0]].append(node)
    walk, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        walk.append(node)
        waiting += below[node]
    return walk
