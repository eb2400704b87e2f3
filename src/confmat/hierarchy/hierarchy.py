"""Hierarchy: a tree or graph over classes, its cuts into groups, and its print."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import check_dense
from confmat.core.errors import InputError, LabelError, Message, Remedy
from confmat.core.labels import Labels
from confmat.core.tables import Column, Table, Tabular, text_html
from confmat.core.text import fit, isolated, printable, some
from confmat.core.values import Immutable
from confmat.hierarchy import files
from confmat.hierarchy import nodes as building
from confmat.hierarchy.ancestry import Ancestry
from confmat.hierarchy.nodes import Edges, Nodes, key_of

# Lines in all, children of one node (fewer where that shows another level), columns of a name, and levels: each moves
# its names four columns to the right.
LINES, CHILDREN, NAME, LEVELS = 40, (12, 5), 40, 12

Children = list[list[int]]
Array = NDArray[Any]
Level = int | Iterable[Any]
# Codes of a name that several nodes have, and of one that no node has.
_SEVERAL, _UNKNOWN = -1, -2


def drawn(nodes: Nodes) -> str:
    """The top of a hierarchy as a tree, every branch down to the same level; what does not fit is counted."""
    below: Children = [[] for _ in nodes.names]
    for child, parent in zip(nodes.children.tolist(), nodes.parents.tolist(), strict=True):
        below[parent].append(child)
    levels, most = max((_levels(below, cap), cap) for cap in CHILDREN)
    lines: list[str] = [] if nodes.names[0] is None else [_name(nodes, 0)]
    seen: set[int] = set()
    waiting = _entries(below[0], most, 1, "", top=not lines)
    while waiting:
        node, depth, lead, indent = waiting.pop()
        if node < 0:
            lines.append(f"{lead}… {-node:,} more")
            continue
        again, deep = node in seen, depth >= levels
        seen.add(node)
        what = "" if not below[node] else " (as above)" if again else f" … {len(below[node]):,} below" if deep else ""
        lines.append(f"{lead}{_name(nodes, node)}{what}")
        if not (again or deep):
            waiting += _entries(below[node], most, depth + 1, indent)
    return "\n".join(lines)


def _levels(below: Children, most: int) -> int:
    """How many levels fit, with so many children of a node at most: one in any case."""
    row, lines, levels = below[0][:most], 0, 0
    while row and levels < LEVELS:
        lines += len(row)
        if lines > LINES and levels:
            break
        levels += 1
        row = [child for node in row for child in below[node][:most]]
    return levels


def _entries(
    children: list[int], most: int, depth: int, indent: str, *, top: bool = False
) -> list[tuple[int, int, str, str]]:
    """Lines of children, the last first: node (or how many more, negative), depth, what stands before, and below it."""
    shown = children if len(children) <= most else children[: most - 1]
    places = shown if len(shown) == len(children) else [*shown, len(shown) - len(children)]
    entries = []
    for node in places:
        lead, next_indent = ("└── ", "    ") if node == places[-1] else ("├── ", "│   ")
        lead, next_indent = ("", "") if top else (indent + lead, indent + next_indent)
        entries.append((node, depth, lead, next_indent))
    return entries[::-1]


def _name(nodes: Nodes, node: int) -> str:
    return isolated(fit(printable(nodes.names[node]), NAME))


def _grouped(h: Hierarchy, labels: Labels, level: Level) -> tuple[list[Any], Array]:
    """The names of the groups, each at the place of its first class, and the group of each class."""
    nodes = h._places(labels)
    owners = _owners(h, labels, nodes, level)
    groups, first, back = np.unique(owners, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    # A class that is a group of its own keeps the name that the matrix has for it.
    alone = nodes[first] == groups
    names = [labels[int(first[i])] if alone[i] else h._name(int(groups[i])) for i in order.tolist()]
    return names, rank[back]


def _owners(h: Hierarchy, labels: Labels, nodes: Array, level: Level) -> Array:
    """The node that each class is rolled up to; itself where none is above it."""
    if isinstance(level, (int, np.integer)) and not isinstance(level, bool):
        if not 1 <= level <= h.levels:
            msg = Message("{level} goes from 1, right below the root, to {:,}, not {}", h.levels, level)
            raise InputError(msg)
        if h.is_tree:
            return h._ancestry.ancestor_at(nodes, int(level))
        chosen = h._nodes.depth == level
    else:
        chosen = np.zeros(len(h._nodes.names), dtype=bool)
        chosen[[h._node(name) for name in _named(level)]] = True
    nearest = _nearest(h, chosen)
    owners = [nearest[node] for node in nodes.tolist()]
    torn = next((place for place, one in enumerate(owners) if isinstance(one, frozenset)), None)
    if torn is not None:
        several = sorted(owners[torn])
        msg = Message(
            "{} is below {} of the nodes to cut at: {}; name the nodes to cut at so that each class is below "
            "one, such as {level:[...]}",
            some([labels[torn]]),
            len(several),
            some(map(h._name, several)),
        )
        raise LabelError(msg)
    return np.where(np.array(owners) < 0, nodes, owners).astype(np.int64)


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
        owners: set[int] = set()
        for one in (owner[parent] for parent in above[node]):
            owners |= one if isinstance(one, frozenset) else {one} if one >= 0 else set()
        if len(owners) > 1:
            owners = _lowest(h, owners)
        owner[node] = -1 if not owners else next(iter(owners)) if len(owners) == 1 else frozenset(owners)
    return owner


def _lowest(h: Hierarchy, nodes: set[int]) -> set[int]:
    """Return the nodes that are no ancestor of another given node."""
    listed = np.array(sorted(nodes))
    if np.ptp(h._nodes.depth[listed]) == 0:
        # An ancestor is less deep, so nodes of one depth are no ancestors of each other.
        return nodes
    reached = h._ancestry.above(listed)
    higher = reached.nodes[reached.steps > 0]
    return nodes - set(higher.tolist())


class Hierarchy(Tabular, Immutable):
    """Classes and what is above them: a tree, or a graph without ways round in which a class may have several parents.

    Everything hangs below one root. In paths and nested data the root is not written and has no name; of parents and
    graphs it is the only node without a parent, or nameless where there are several. Level 0 is the root, level 1 is
    right below it; with several parents a node's level is the longest way up. A class may be an inner node. The value
    never changes, and what is listed twice is one node.

    A class of a matrix is found by its name, or by its path where several nodes have that name.

    >>> h = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
    >>> print(h)
    fruit
    ├── citrus
    │   ├── lemon
    │   └── lime
    └── apple
    leek
    >>> h.leaves, h.levels, h.ancestors("lemon")
    (('lemon', 'lime', 'apple', 'leek'), 3, ('citrus', 'fruit'))
    """

    __slots__ = ("_ancestry", "_index", "_metrics", "_nodes", "_read", "_related", "_sep", "_walks")

    _nodes: Nodes
    _sep: str
    _ancestry: Ancestry
    # Name -> node, or that several have it.
    _index: dict[Any, int]
    # The labels that were looked up last, and their nodes.
    _read: tuple[Labels, Array] | None
    # (parent, name) -> node, made when a path is looked up.
    _walks: dict[Any, int] | None
    # The metrics made of it, by name, and what they worked out last, of cells that are still there.
    _metrics: dict[str, Any]
    _related: list[Any] | None

    def __init__(self, *_: Any, **__: Any) -> None:
        msg = "a hierarchy is made by Hierarchy.from_paths, from_parents, from_nested, from_graph or read"
        raise InputError(msg)

    @classmethod
    def _of(cls, nodes: Nodes, sep: str = "/") -> Hierarchy:
        self = cls.__new__(cls)
        index: dict[Any, int] = {}
        for place, name in enumerate(nodes.names):
            # The root without a name is found by none.
            if (place or name is not None) and index.setdefault(key_of(name), place) != place:
                index[key_of(name)] = _SEVERAL
        put = object.__setattr__
        put(self, "_nodes", nodes)
        put(self, "_sep", sep)
        put(self, "_index", index)
        put(self, "_ancestry", Ancestry(nodes))
        put(self, "_read", None)
        put(self, "_walks", None)
        put(self, "_metrics", {})
        put(self, "_related", None)
        return self

    # ---- made from ------------------------------------------------------------------------------------------

    @classmethod
    def from_paths(cls, paths: Any, *, sep: str = "/") -> Hierarchy:
        """Make a hierarchy from paths that end in the class.

        Parameters
        ----------
        paths
            Texts with a separator, or sequences of names; a data frame with a column for each level; or a mapping of
            class to path, where a path may stop above its class.
        sep
            The text between the parts of a path.

        Examples
        --------
        >>> Hierarchy.from_paths([("fruit", "apple"), ("fruit", "pear")])
        <Hierarchy: a tree of 3 nodes, 2 leaves, 2 levels>
        """
        return cls._of(building.of_paths(paths, sep), sep)

    @classmethod
    def from_parents(cls, parents: Any) -> Hierarchy:
        """Make a hierarchy from each child's parents.

        Parameters
        ----------
        parents
            A mapping of child to its parent, or to several; pairs (child, parent); a data frame with the columns child
            and parent; or a series of parents by child. A mapping of parent to children is for `from_nested`, and is an
            error here where it can be seen.

        Examples
        --------
        >>> Hierarchy.from_parents({"bat": ["mammal", "flyer"], "owl": "flyer", "dog": "mammal"}).parents("bat")
        ('mammal', 'flyer')
        """
        return cls._of(building.of_parents(parents))

    @classmethod
    def from_nested(cls, nested: Any) -> Hierarchy:
        """Make a hierarchy from nested mappings.

        Parameters
        ----------
        nested
            Mappings of a name to the names below it, and lists of names; None has nothing below it.

        Examples
        --------
        >>> Hierarchy.from_nested({"fruit": {"citrus": ["lemon", "lime"], "apple": None}}).leaves
        ('lemon', 'lime', 'apple')
        """
        return cls._of(building.of_nested(nested))

    @classmethod
    def from_graph(cls, graph: Any, *, edges: Edges | None = None) -> Hierarchy:
        """Make a hierarchy from a directed graph.

        Parameters
        ----------
        graph
            A directed graph of networkx.
        edges
            "down" where edges go from parent to child, or "up". Without it they are taken to go down; a graph whose
            edges plainly go up is then an error.
        """
        return cls._of(building.of_graph(graph, edges))

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, sep: str = "/") -> Hierarchy:
        """Read a hierarchy: pairs or paths in a .csv, .tsv or .txt; nested data, parents or paths in a .json.

        A table with two columns holds a child and its parent in each row, or under the head class,path a class and its
        path; the first row may name them, in either order, and an empty parent means no parent. More columns are levels
        from the top down, with their names in the first row. One column, or a text with a path on each line, holds
        paths. Lines that begin with # are left out.

        Parameters
        ----------
        path
            A file that ends in .csv, .tsv, .txt or .json.
        sep
            The text between the parts of a path.
        """
        return cls._of(files.read(path, sep), sep)

    # ---- what it holds ---------------------------------------------------------------------------------------

    @property
    def root(self) -> Any:
        """The name of the root, None where it has none."""
        return self._nodes.names[0]

    @property
    def nodes(self) -> tuple[Any, ...]:
        """All names below the root, in the order of a walk down; a name of several nodes is given as its path."""
        return tuple(map(self._name, range(1, len(self._nodes.names))))

    @property
    def leaves(self) -> tuple[Any, ...]:
        """The names of all nodes without children."""
        return tuple(map(self._name, np.flatnonzero(self._nodes.height == 0).tolist()))

    @property
    def levels(self) -> int:
        """The number of levels below the root."""
        return int(self._nodes.height[0])

    @property
    def is_tree(self) -> bool:
        """Whether no node has several parents."""
        return self._ancestry.is_tree

    def __len__(self) -> int:
        """How many nodes there are below the root."""
        return len(self._nodes.names) - 1

    def __contains__(self, name: object) -> bool:
        return self._find(name) >= 0

    def level(self, name: Any) -> int:
        """Return the most steps from the root down to a node.

        Parameters
        ----------
        name
            The name of the node, or its path.
        """
        return int(self._nodes.depth[self._node(name)])

    def height(self, name: Any) -> int:
        """Return the most steps from a node down to a leaf.

        Parameters
        ----------
        name
            The name of the node, or its path.
        """
        return int(self._nodes.height[self._node(name)])

    def parents(self, name: Any) -> tuple[Any, ...]:
        """Return the parents of a node.

        Parameters
        ----------
        name
            The name of the node, or its path.

        Returns
        -------
        tuple
            Empty for the root; a root without a name is left out.
        """
        node = self._node(name)
        return self._names(self._nodes.parents[self._nodes.children == node])

    def children(self, name: Any = None) -> tuple[Any, ...]:
        """Return the children of a node, or of the root.

        Parameters
        ----------
        name
            The name of the node, or its path; None for the root.
        """
        node = 0 if name is None else self._node(name)
        return self._names(self._nodes.children[self._nodes.parents == node])

    def ancestors(self, name: Any) -> tuple[Any, ...]:
        """Return everything above a node.

        Parameters
        ----------
        name
            The name of the node, or its path.

        Returns
        -------
        tuple
            The nearest first; a root without a name is left out.
        """
        node = self._node(name)
        reached = self._ancestry.above(np.array([node]))
        steps = np.lexsort((reached.nodes, reached.steps))
        return self._names(reached.nodes[steps][1:])

    def _names(self, nodes: Array) -> tuple[Any, ...]:
        return tuple(self._name(node) for node in nodes.tolist() if node or self.root is not None)

    def _name(self, node: int) -> Any:
        """The name of a node, or its path where several nodes have that name."""
        name = self._nodes.names[node]
        if self._index.get(key_of(name)) != _SEVERAL:
            return name
        parts = []
        while node:
            parts.append(self._nodes.names[node])
            node = int(self._nodes.first[node])
        return self._sep.join(map(printable, reversed(parts)))

    # ---- related to the labels of a matrix ------------------------------------------------------------------

    def groups(self, labels: Any, level: Level = 1) -> dict[Any, tuple[Any, ...]]:
        """Group classes by the nodes above them, as `m.merge`, `cm.plot` and `cm.html` take groups.

        Parameters
        ----------
        labels
            The labels of a matrix, or the matrix.
        level
            The number of steps below the root to cut at, or the names of the nodes to cut at, of which the nearest
            above a class counts. A class above the cut is a group of its own.

        Returns
        -------
        dict
            The classes of each group by its name; every class is in one group.

        Examples
        --------
        >>> h = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
        >>> h.groups(["lemon", "lime", "apple", "leek"], level=["citrus"])
        {'citrus': ('lemon', 'lime'), 'apple': ('apple',), 'leek': ('leek',)}
        """
        labels = _labels_of(labels)
        names, codes = _grouped(self, labels, level)
        members: list[list[Any]] = [[] for _ in names]
        for name, code in zip(labels.classes, codes.tolist(), strict=True):
            members[code].append(name)
        return dict(zip(names, map(tuple, members), strict=True))

    def _rolled(self, labels: Labels, level: Level) -> tuple[Labels, Array]:
        """Labels of a matrix after the roll-up, and where each old one goes: what `roll_up` asks for."""
        names, codes = _grouped(self, labels, level)
        positive = None if labels.positive is None else names[codes[labels.index(labels.positive)]]
        outside = len(names) + np.arange(len(labels.outside))
        return Labels(names, outside=labels.outside, positive=positive), np.concatenate([codes, outside])

    def distances(self, labels: Any) -> Array:
        """Count the edges between each two classes, by the nearest common ancestor.

        `distances_at` gives single places of the table.

        Parameters
        ----------
        labels
            The labels of a matrix, or the matrix; a label outside the classes is at the root.

        Returns
        -------
        array
            An array of shape (K, K).

        Raises
        ------
        BudgetError
            The table would be too large.

        Examples
        --------
        >>> h = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
        >>> h.distances(["lemon", "lime", "apple", "leek"])
        array([[0, 2, 3, 4],
               [2, 0, 3, 4],
               [3, 3, 0, 3],
               [4, 4, 3, 0]])
        """
        size = len(_labels_of(labels))
        check_dense(size)
        places = np.arange(size)
        return self.distances_at(labels, np.repeat(places, size), np.tile(places, size)).reshape(size, size)

    def distances_at(self, labels: Any, rows: Any, cols: Any) -> Array:
        """Count the edges between the classes at some rows and columns of a matrix, such as `m.pairs()` lists.

        Parameters
        ----------
        labels
            The labels of a matrix, or the matrix; a label outside the classes is at the root.
        rows
            The rows, as whole numbers from 0.
        cols
            As many columns.

        Returns
        -------
        array
            A number of edges for each place.
        """
        labels = _labels_of(labels)
        nodes, sides = self._with_outside(labels), [np.asarray(side) for side in (rows, cols)]
        most = max(len(labels), len(nodes)) - 1
        if any(side.size and (side.dtype.kind not in "iu" or side.min() < 0 or side.max() > most) for side in sides):
            msg = f"rows and columns of {len(labels):,} labels are whole numbers from 0 to {most:,}"
            raise InputError(msg)
        # Whatever is outside, as one more class or as several, stands at the root.
        rows, cols = (np.minimum(side.astype(np.int64), len(nodes) - 1) for side in sides)
        return self._ancestry.meetings(nodes[rows], nodes[cols]).steps

    def _with_outside(self, labels: Labels) -> Array:
        """The node of each class, and the root for what is outside the classes."""
        return np.append(self._places(labels), 0)

    def _places(self, labels: Labels) -> Array:
        """The node of each class."""
        if self._read is not None and self._read[0] is labels:
            return self._read[1]
        nodes = self._nodes_of(labels)
        unknown = np.flatnonzero(nodes == _UNKNOWN)
        if len(unknown):
            names = [labels[place] for place in unknown.tolist()]
            msg: str = Message(
                "the hierarchy does not know {:,} of {:,} classes: {}; it needs a place for each, or {}",
                len(names),
                labels.n_classes,
                some(names),
                Remedy("select", "take a part with `m.select`"),
            )
            raise LabelError(msg)
        several = np.flatnonzero(np.bincount(nodes, minlength=len(self._nodes.names))[nodes] > 1)
        if len(several):
            same = several[nodes[several] == nodes[several[0]]].tolist()
            msg = (
                f"the classes {some([labels[place] for place in same])} are one node of the hierarchy; merge them first"
            )
            raise LabelError(msg)
        object.__setattr__(self, "_read", (labels, nodes))
        return nodes

    def _nodes_of(self, labels: Labels) -> Array:
        """The node of each class; a negative number for those that are not known."""
        classes = labels.classes
        get = self._index.get
        nodes = [get(key_of(name), _UNKNOWN) for name in classes]
        for place in [place for place, node in enumerate(nodes) if node < 0]:
            nodes[place] = self._find(classes[place], check=True)
        return np.array(nodes, dtype=np.int64)

    def _node(self, name: Any) -> int:
        """The node of a name or a path."""
        node = self._find(name, check=True)
        if node < 0:
            msg = f"the hierarchy has no {some([name])}; at its top are {some(self.children(), 8)}"
            raise LabelError(msg)
        return node

    def _find(self, name: Any, *, check: bool = False) -> int:
        if isinstance(name, np.generic):
            name = name.item()
        try:
            node = self._index.get(key_of(name), _UNKNOWN)
        except TypeError:
            return _UNKNOWN
        if node == _UNKNOWN and not isinstance(name, (str, tuple)):
            # Files and paths give numbers as text.
            node = self._index.get(printable(name), _UNKNOWN)
        if node >= 0:
            return node
        if isinstance(name, tuple) or (isinstance(name, str) and self._sep in name):
            node = self._walk(building.parts_of(name, self._sep), node)
        if node == _SEVERAL and check:
            at = [place for place, one in enumerate(self._nodes.names) if one == name or printable(one) == name]
            paths = some([self._name(place) for place in at[:4]])
            msg = f"the hierarchy has {some([name])} in {len(at):,} places: {paths}; call it by its path"
            raise LabelError(msg)
        return node

    def _walk(self, parts: list[Any], otherwise: int) -> int:
        """The node at the end of a path from the root."""
        if self._walks is None:
            edges = zip(self._nodes.parents.tolist(), self._nodes.children.tolist(), strict=True)
            names = self._nodes.names
            object.__setattr__(self, "_walks", {(above, key_of(names[below])): below for above, below in edges})
        walks, node = self._walks or {}, 0
        for part in parts:
            node = walks.get((node, key_of(part)), -1)
            if node < 0:
                return otherwise
        return node

    # ---- a value ---------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        mine, theirs = self._nodes, other._nodes
        if self is other:
            return True
        return (
            list(map(key_of, mine.names)) == list(map(key_of, theirs.names))
            and np.array_equal(mine.children, theirs.children)
            and np.array_equal(mine.parents, theirs.parents)
        )

    def __hash__(self) -> int:
        return hash((len(self), self._nodes.names[:8], self._nodes.parents.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Hierarchy._of, (self._nodes, self._sep))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __repr__(self) -> str:
        leaves = int((self._nodes.height == 0).sum())
        counts = (len(self), "node", "nodes"), (leaves, "leaf", "leaves"), (self.levels, "level", "levels")
        told = ", ".join(f"{count:,} {one if count == 1 else more}" for count, one, more in counts)
        return f"<Hierarchy: {'a tree' if self.is_tree else 'a graph'} of {told}>"

    _prints_more = True

    def table(self) -> Table:
        """Return each node below another as a row: its name, and that of its parent."""
        names, nodes = self._nodes.names, self._nodes
        pairs = zip(nodes.children.tolist(), nodes.parents.tolist(), strict=True)
        rows = [(names[child], "" if names[parent] is None else names[parent]) for child, parent in pairs]
        sides = zip(("child", "parent"), zip(*rows, strict=True) if rows else ((), ()), strict=True)
        return Table(tuple(Column(side, part, is_label=True) for side, part in sides))

    def _repr_html_(self) -> str:
        return text_html(str(self))

    def __str__(self) -> str:
        return drawn(self._nodes)


def _labels_of(labels: Any) -> Labels:
    """Labels as such, of a matrix or a stack, or from a list of names."""
    found = getattr(labels, "labels", labels)
    return found if isinstance(found, Labels) else Labels(found)
