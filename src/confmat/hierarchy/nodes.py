"""Nodes of a hierarchy, read and checked: from paths, parents, mappings and frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

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
# A deeper nesting most likely contains itself.
DEEPEST_NESTED = 1000


def listed(rows: Any) -> Any:
    """The rows of a frame or a table as lists; iterating over a frame would give its columns."""
    if hasattr(rows, "column_names") and hasattr(rows, "to_pylist"):
        return [list(row.values()) for row in rows.to_pylist()]
    if hasattr(rows, "to_numpy") and hasattr(rows, "columns"):
        return rows.to_numpy().tolist()
    return rows.tolist() if isinstance(rows, np.ndarray) and rows.ndim == 2 else rows


def _is_no_list(values: Any) -> bool:
    return isinstance(values, (str, bytes)) or not isinstance(values, Iterable)


def _pairs_of_frame(parents: Any) -> Any:
    """Pairs of a frame or series, the child first, unless the names of its columns say that it is second."""
    heads = getattr(parents, "column_names", getattr(parents, "columns", None))
    if heads is None:
        # The children of a series are its index.
        is_series = hasattr(parents, "index") and hasattr(parents, "items")
        return list(parents.items()) if is_series else listed(parents)
    names = [str(head).casefold() for head in heads]
    if len(names) != 2 or len(set(heads)) != 2:
        msg = f"a frame of parents has two columns, child and parent, not {some(names)}; columns of levels are paths"
        raise InputError(msg)
    rows = listed(parents)
    return [row[::-1] for row in rows] if names[0] in PARENTS and names[1] in CHILDREN else rows


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes as one walks down the tree: a branch before its neighbour, a parent before its children.

    Node 0 is the root. Its name is None where nobody named it.
    """

    names: tuple[Any, ...]
    # The parent of each node, the root's being itself.
    parents: Array
    # Edges up to the root, and the most down to a leaf.
    depth: Array
    height: Array

    def ancestors_at(self, nodes: Array, level: int) -> Array:
        """The ancestor of each node that is so far below the root; nodes above stay themselves."""
        while (deep := self.depth[nodes] > level).any():
            nodes = np.where(deep, self.parents[nodes], nodes)
        return nodes

    def meeting(self, first: Array, second: Array) -> Array:
        """The lowest common ancestor of each pair; a node is its own ancestor here."""
        # Parents have lower numbers than their children, so the greater of two numbers is above
        # neither.
        while (apart := first != second).any():
            first, second = np.minimum(first, second), np.maximum(first, second)
            second = np.where(apart, self.parents[second], second)
        return first


def key_of(name: Any) -> Any:
    """Return the key by which a name is looked up: 1, True and "1" are three names."""
    return name if type(name) is str else (type(name), name)


@dataclass
class _Growing:
    """Names, and the parent of each, as they come; -1 for none."""

    names: list[Any] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    places: dict[Any, int] = field(default_factory=dict)

    def node(self, name: Any, key: Any, parent: int = -1) -> int:
        """The node of that key; a new one below that parent where there is none."""
        place = self.places.setdefault(key, len(self.names))
        if place == len(self.names):
            self.names.append(name)
            self.parents.append(parent)
        return place

    def below(self, parent: int, name: Any) -> int:
        """The child of that name; the name may occur elsewhere too."""
        return self.node(name, (parent, key_of(name)), parent)


# ---- paths and nested data -----------------------------------------------------------------------


def check_sep(sep: Any) -> None:
    """Refuse a separator that cannot part a path."""
    if not isinstance(sep, str) or not sep:
        msg = Message(
            "{sep} is the text between the parts of a path, such as '/', not {}", told(sep)
        )
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
            # The path may end in the class or stop above it; the class keeps its own name, which
            # may be a number.
            if parts and parts[-1] in (own, str(own)):
                parts.pop()
            yield [*parts, own]
        return
    # A frame with a column for each level.
    paths = listed(paths)
    if _is_no_list(paths):
        msg = (
            "a hierarchy is read from paths that end in the class, such as ['fruit/citrus/lemon'], or from a "
            f"mapping of class to path, not from {type(paths).__name__} {paths!r:.60}"
        )
        raise InputError(msg)
    for place, path in enumerate(paths):
        parts = parts_of(path, sep)
        if not parts:
            msg = f"path {place} is empty: {path!r:.60}"
            raise InputError(msg)
        yield parts


def parts_of(path: Any, sep: str) -> list[Any]:
    """The names along a path: of a text what is between separators; missing and empty ones are left out."""
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
            "a nested hierarchy maps names to what is below them, such as {'fruit': {'citrus': ['lemon', "
            f"'lime']}}}}, not {told(nested, typed=True)}"
        )
        raise InputError(msg)
    growing = _Growing()
    waiting: list[tuple[int, int, Any]] = [(-1, 0, nested)]
    while waiting:
        parent, depth, below = waiting.pop()
        if depth > DEEPEST_NESTED:
            msg = (
                f"the data is nested more than {DEEPEST_NESTED:,} deep; it seems to contain itself"
            )
            raise InputError(msg)
        children = [
            (growing.below(parent, _name(name)), depth + 1, more) for name, more in _entries(below)
        ]
        waiting += reversed([child for child in children if child[2] is not None])
    return _arranged(growing, named_root=False)


def _entries(below: Any) -> Iterator[tuple[Any, Any]]:
    """Each name with what is below it."""
    if isinstance(below, Mapping):
        yield from below.items()
    elif isinstance(below, (list, tuple)):
        for entry in below:
            if isinstance(entry, (list, tuple)):
                msg = f"a list of a nested hierarchy holds names and mappings, not another list: {entry!r:.60}"
                raise InputError(msg)
            yield from entry.items() if isinstance(entry, Mapping) else [(entry, None)]
    else:
        yield below, None


# ---- parents -------------------------------------------------------------------------------------


def of_parents(parents: Any) -> Nodes:
    """From a mapping of child to parent, or from pairs of child and parent."""
    growing = _Growing()
    for child, parent in _child_and_parent(_pairs_of_frame(parents)):
        name = _name(child)
        node = growing.node(name, key_of(name))
        above = _name_or_none(parent)
        if above is None:
            continue
        place = growing.node(above, key_of(above))
        if growing.parents[node] not in (-1, place):
            raise InputError(_several(name, growing.names[growing.parents[node]], above))
        growing.parents[node] = place
    return _arranged(growing, named_root=True)


def _several(child: Any, first: Any, second: Any) -> str:
    """The message that a class has two parents, or that parents were given for children."""
    return (
        f"{child!r:.40} would have the parents {first!r:.40} and {second!r:.40}, and a hierarchy is a tree, in "
        "which each class has one: leave out the other; if this goes from parent to children, take from_nested, or "
        f"turn it round, {{{first!r:.40}: {child!r:.40}, ...}}"
    )


def _child_and_parent(parents: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(parents, Mapping):
        for child, above in parents.items():
            several = above if isinstance(above, (list, tuple, set, frozenset)) else [above]
            yield from ((child, parent) for parent in several or [None])
        return
    if _is_no_list(parents):
        msg = (
            "parents are a mapping of child to parent, such as {'lemon': 'citrus', 'citrus': 'fruit'}, or pairs "
            f"(child, parent), not {type(parents).__name__} {parents!r:.60}"
        )
        raise InputError(msg)
    for pair in parents:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            msg = f"a pair is (child, parent), not {pair!r:.60}"
            raise InputError(msg)
        yield pair[0], pair[1]


# ---- checked and arranged ------------------------------------------------------------------------


def _arranged(growing: _Growing, *, named_root: bool) -> Nodes:
    """Nodes numbered as a reader walks down, below the only top node or, where there are several, below a nameless one.

    In paths and nested data the root is not written, so there it is always nameless.
    """
    names, parents = growing.names, growing.parents
    if not names:
        msg = "a hierarchy has at least one class, and nothing came"
        raise InputError(msg)
    tops = [node for node, parent in enumerate(parents) if parent < 0]
    if named_root and len(tops) == 1 and len(names) > 1:
        root = tops[0]
    else:
        root = len(names)
        names = [*names, None]
        parents = [root if parent < 0 else parent for parent in parents] + [-1]
    return _walked(names, parents, root)


def _walked(names: list[Any], parents: list[int], root: int) -> Nodes:
    """Nodes below the root, numbered as a reader walks down."""
    below: list[list[int]] = [[] for _ in names]
    for node in range(len(names) - 1, -1, -1):
        if parents[node] >= 0:
            below[parents[node]].append(node)
    # Each branch to its end, children in the order in which they were named.
    walk: list[int] = []
    above: list[int] = []
    depth: list[int] = []
    waiting = [(root, 0, 0)]
    while waiting:
        node, parent, level = waiting.pop()
        waiting += [(child, len(walk), level + 1) for child in below[node]]
        walk.append(node)
        above.append(parent)
        depth.append(level)
    if len(walk) < len(names):
        raise InputError(_round(names, parents, set(walk)))
    height = [0] * len(walk)
    for node in range(len(walk) - 1, 0, -1):
        height[above[node]] = max(height[above[node]], height[node] + 1)
    return Nodes(
        tuple(names[node] for node in walk), np.array(above), np.array(depth), np.array(height)
    )


def _round(names: list[Any], parents: list[int], reached: set[int]) -> str:
    """The message that names a way round."""
    node = next(node for node in range(len(names)) if node not in reached)
    seen: dict[int, None] = {}
    while node not in seen:
        seen[node] = None
        node = parents[node]
    nodes = list(seen)
    nodes = [*nodes[nodes.index(node) :], node]
    shown = nodes if len(nodes) <= 8 else [*nodes[:7], nodes[-1]]
    told = " → ".join(some([names[place]]) for place in shown)
    return f"a hierarchy may not go round, and this one does, from child to parent: {told}"
