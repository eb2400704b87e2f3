"""Hierarchy: a tree over classes, its cuts into groups, and its print."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import check_dense
from confmat.core.errors import InputError, LabelError, Message, Remedy
from confmat.core.formats import text_html
from confmat.core.labels import Labels
from confmat.core.options import is_integer
from confmat.core.tables import Column, Table, Tabular
from confmat.core.text import fit, isolated, printable, some
from confmat.core.values import Immutable
from confmat.hierarchy import files
from confmat.hierarchy import nodes as building
from confmat.hierarchy.nodes import Nodes, key_of

# Lines of a print, and columns of a name.
LINES, NAME = 40, 40

Array = NDArray[Any]
Level = int | Iterable[Any]
# Codes of a name that several nodes have, and of one that no node has.
_SEVERAL, _UNKNOWN = -1, -2


def drawn(nodes: Nodes) -> str:
    """The first lines of a hierarchy as a tree; nodes below are counted."""
    parents = nodes.parents.tolist()
    # The last child of each parent; nodes are in the order of the lines.
    last = {*dict(zip(parents[1:], range(1, len(parents)), strict=True)).values()}
    first = int(nodes.names[0] is None)
    lines, stems = [], {0: ""}
    for node in range(first, min(len(parents), first + LINES)):
        parent, lead = parents[node], ""
        stems[node] = ""
        if parent >= first and node:
            lead, more = ("└── ", "    ") if node in last else ("├── ", "│   ")
            lead, stems[node] = stems[parent] + lead, stems[parent] + more
        lines.append(lead + _name(nodes, node))
    rest = len(parents) - first - len(lines)
    return "\n".join([*lines, f"… {rest:,} more"] if rest else lines)


def _name(nodes: Nodes, node: int) -> str:
    return isolated(fit(printable(nodes.names[node]), NAME))


def _grouped(h: Hierarchy, labels: Labels, level: Level) -> tuple[list[Any], Array]:
    """The names of the groups, each at the place of its first class, and the group of each class."""
    nodes = h._places(labels)
    owners = _owners(h, nodes, level)
    groups, first, back = np.unique(owners, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    # A class that is a group of its own keeps the name that the matrix has for it.
    alone = nodes[first] == groups
    names = [labels[int(first[i])] if alone[i] else h._name(int(groups[i])) for i in order.tolist()]
    return names, rank[back]


def _owners(h: Hierarchy, nodes: Array, level: Level) -> Array:
    """The node that each class is rolled up to; itself where none is above it."""
    if is_integer(level):
        if not 1 <= level <= h.levels:
            msg = Message(
                "{level} goes from 1, right below the root, to {:,}, not {}", h.levels, level
            )
            raise InputError(msg)
        return h._nodes.ancestors_at(nodes, int(level))
    chosen = {h._node(name) for name in _named(level)}
    # Parents come first.
    nearest: list[int] = []
    for node, parent in enumerate(h._nodes.parents.tolist()):
        nearest.append(node if node in chosen else nearest[parent] if node else -1)
    owners = np.array(nearest)[nodes]
    return np.where(owners < 0, nodes, owners)


def _named(level: Any) -> list[Any]:
    if isinstance(level, str):
        return [level]
    if isinstance(level, bool) or not isinstance(level, Iterable):
        msg = Message(
            "{level} is a number from 1 on or the names of the nodes to cut at, not {!r:.60}", level
        )
        raise InputError(msg)
    names = list(level)
    if not names:
        msg = Message("{level} names no node to cut at")
        raise InputError(msg)
    return names


class Hierarchy(Tabular, Immutable):
    """Classes and what is above them: a tree, in which each class has one parent.

    Everything hangs below one root. In paths and nested data the root is not written and has no
    name; of parents it is the only node without a parent, or nameless where there are several.
    Level 0 is the root, level 1 is right below it. A class may be an inner node. The value never
    changes, and what is listed twice is one node.

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

    __slots__ = ("_index", "_metrics", "_nodes", "_read", "_sep", "_walks")

    _nodes: Nodes
    _sep: str
    # Name -> node, or that several have it.
    _index: dict[Any, int]
    # The labels that were looked up last, and their nodes.
    _read: tuple[Labels, Array] | None
    # (parent, name) -> node.
    _walks: dict[Any, int]
    # The metrics made of it, by name.
    _metrics: dict[str, Any]

    def __init__(self, *_: Any, **__: Any) -> None:
        msg = "a hierarchy is made by Hierarchy.from_paths, from_parents, from_nested or read"
        raise InputError(msg)

    @classmethod
    def _of(cls, nodes: Nodes, sep: str = "/") -> Hierarchy:
        self = cls.__new__(cls)
        keys = [*map(key_of, nodes.names)]
        index: dict[Any, int] = {}
        for place, key in enumerate(keys):
            index[key] = _SEVERAL if key in index else place
        if nodes.names[0] is None:
            # It is found by no name.
            del index[keys[0]]
        put = object.__setattr__
        put(self, "_nodes", nodes)
        put(self, "_sep", sep)
        put(self, "_index", index)
        edges = zip(nodes.parents.tolist()[1:], keys[1:], strict=True)
        put(self, "_walks", {edge: node for node, edge in enumerate(edges, 1)})
        put(self, "_metrics", {})
        put(self, "_read", None)
        return self

    # ---- made from -------------------------------------------------------------------------------

    @classmethod
    def from_paths(cls, paths: Any, *, sep: str = "/") -> Hierarchy:
        """Make a hierarchy from paths that end in the class.

        Parameters
        ----------
        paths
            Texts with a separator, or sequences of names; a data frame with a column for each
            level; or a mapping of class to path, where a path may stop above its class.
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
        """Make a hierarchy from each child's parent.

        Parameters
        ----------
        parents
            A mapping of child to its parent; pairs (child, parent); a data frame with the columns
            child and parent; or a series of parents by child. A mapping of parent to children is
            for `from_nested`.

        Examples
        --------
        >>> Hierarchy.from_parents({"bat": "mammal", "owl": "bird", "dog": "mammal"}).children(
        ...     "mammal"
        ... )
        ('bat', 'dog')
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
    def read(cls, path: str | os.PathLike[str], *, sep: str = "/") -> Hierarchy:
        """Read a hierarchy: pairs or paths in a .csv, .tsv or .txt; nested data, parents or paths in a .json.

        The first row of a table names its columns. child,parent or class,group hold the parent of
        each, in either order, and an empty parent means no parent; class,path hold the path of
        each, and path alone paths that end in the class. More columns are levels from the top down.
        A text holds a path on each line. Lines that begin with # are left out.

        Parameters
        ----------
        path
            A file that ends in .csv, .tsv, .txt or .json.
        sep
            The text between the parts of a path.
        """
        return cls._of(files.read(path, sep), sep)

    # ---- what it holds ---------------------------------------------------------------------------

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

    def __len__(self) -> int:
        """How many nodes there are below the root."""
        return len(self._nodes.names) - 1

    def __contains__(self, name: object) -> bool:
        return self._find(name) >= 0

    def level(self, name: Any) -> int:
        """Return the number of steps from the root down to a node.

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

    def children(self, name: Any = None) -> tuple[Any, ...]:
        """Return the children of a node, or of the root.

        Parameters
        ----------
        name
            The name of the node, or its path; None for the root.
        """
        node = 0 if name is None else self._node(name)
        return tuple(
            map(self._name, (np.flatnonzero(self._nodes.parents[1:] == node) + 1).tolist())
        )

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
        names, node = [], self._node(name)
        while node:
            node = int(self._nodes.parents[node])
            if node or self.root is not None:
                names.append(self._name(node))
        return tuple(names)

    def _name(self, node: int) -> Any:
        """The name of a node, or its path where several nodes have that name."""
        name = self._nodes.names[node]
        if self._index.get(key_of(name)) != _SEVERAL:
            return name
        parts = []
        while node:
            parts.append(self._nodes.names[node])
            node = int(self._nodes.parents[node])
        return self._sep.join(map(printable, reversed(parts)))

    # ---- related to the labels of a matrix -------------------------------------------------------

    def groups(self, labels: Any, level: Level = 1) -> dict[Any, tuple[Any, ...]]:
        """Group classes by the nodes above them, as `m.merge`, `cm.plot` and `cm.html` take groups.

        Parameters
        ----------
        labels
            The labels of a matrix, or the matrix.
        level
            The number of steps below the root to cut at, or the names of the nodes to cut at, of
            which the nearest above a class counts. A class above the cut is a group of its own.

        Returns
        -------
        dict
            The classes of each group by its name; every class is in one group.

        Examples
        --------
        >>> h = Hierarchy.from_paths(
        ...     ["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"]
        ... )
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
        return Labels(names, outside=labels.outside, positive=positive), np.concatenate(
            [codes, outside]
        )

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
        >>> h = Hierarchy.from_paths(
        ...     ["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"]
        ... )
        >>> h.distances(["lemon", "lime", "apple", "leek"])
        array([[0, 2, 3, 4],
               [2, 0, 3, 4],
               [3, 3, 0, 3],
               [4, 4, 3, 0]])
        """
        size = len(_labels_of(labels))
        check_dense(size)
        places = np.arange(size)
        return self.distances_at(labels, np.repeat(places, size), np.tile(places, size)).reshape(
            size, size
        )

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
        if any(
            side.size and (side.dtype.kind not in "iu" or side.min() < 0 or side.max() > most)
            for side in sides
        ):
            msg = f"rows and columns of {len(labels):,} labels are whole numbers from 0 to {most:,}"
            raise InputError(msg)
        # Whatever is outside, as one more class or as several, is at the root.
        rows, cols = (np.minimum(side.astype(np.int64), len(nodes) - 1) for side in sides)
        actual, predicted = nodes[rows], nodes[cols]
        depth = self._nodes.depth
        return np.asarray(
            depth[actual] + depth[predicted] - 2 * depth[self._nodes.meeting(actual, predicted)]
        )

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
                f"the classes {some([labels[place] for place in same])} are one node of the "
                "hierarchy; merge them first"
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

    def _above(self, labels: Labels) -> tuple[Array, Array]:
        """The parent of each node, and the node of each class; -1 for a class that is not known."""
        return self._nodes.parents, np.maximum(self._nodes_of(labels), -1)

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
            raise self._in_several_places(name)
        return node

    def _in_several_places(self, name: Any) -> LabelError:
        names = enumerate(self._nodes.names)
        at = [place for place, known in names if name in (known, printable(known))]
        paths = some([self._name(place) for place in at[:4]])
        msg = (
            f"the hierarchy has {some([name])} in {len(at):,} places: {paths}; call it by its path"
        )
        return LabelError(msg)

    def _walk(self, parts: list[Any], otherwise: int) -> int:
        """The node at the end of a path from the root."""
        node = 0
        for part in parts:
            node = self._walks.get((node, key_of(part)), -1)
            if node < 0:
                return otherwise
        return node

    # ---- a value ---------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        mine, theirs = self._nodes, other._nodes
        if self is other:
            return True
        same = list(map(key_of, mine.names)) == list(map(key_of, theirs.names))
        return same and np.array_equal(mine.parents, theirs.parents)

    def __hash__(self) -> int:
        return hash((len(self), self._nodes.names[:8], self._nodes.parents.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Hierarchy._of, (self._nodes, self._sep))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __repr__(self) -> str:
        leaves = int((self._nodes.height == 0).sum())
        counts = (
            (len(self), "node", "nodes"),
            (leaves, "leaf", "leaves"),
            (self.levels, "level", "levels"),
        )
        told = ", ".join(
            f"{count:,} {single if count == 1 else more}" for count, single, more in counts
        )
        return f"<Hierarchy: a tree of {told}>"

    _prints_more = True

    def table(self) -> Table:
        """Return each node below another as a row: its name, and that of its parent."""
        names = self._nodes.names
        above = [
            "" if names[parent] is None else names[parent]
            for parent in self._nodes.parents[1:].tolist()
        ]
        return Table(
            (Column("child", names[1:], is_label=True), Column("parent", above, is_label=True))
        )

    def _repr_html_(self) -> str:
        return text_html(str(self))

    def __str__(self) -> str:
        return drawn(self._nodes)


def _labels_of(labels: Any) -> Labels:
    """Labels as such, of a matrix or a stack, or from a list of names."""
    found = getattr(labels, "labels", labels)
    return found if isinstance(found, Labels) else Labels(found)
