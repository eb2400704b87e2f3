"""Hierarchy: how classes are related, as a tree or as a graph in which a class may have several parents."""

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
from confmat.core.text import printable, some
from confmat.core.values import Immutable
from confmat.hierarchy import building, cutting, printing
from confmat.hierarchy.ancestry import Ancestry
from confmat.hierarchy.building import Edges, Nodes, key_of

__all__ = ["Hierarchy"]

Array = NDArray[Any]

# Of a name that several nodes have.
_SEVERAL, _UNKNOWN = -1, -2


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
        """From paths that end in the class: texts with a separator, or sequences of names.

        A data frame with a column for each level is taken too, and a mapping of class to path, where a path may stop
        above its class.

        >>> Hierarchy.from_paths([("fruit", "apple"), ("fruit", "pear")])
        <Hierarchy: a tree of 3 nodes, 2 leaves, 2 levels>
        """
        return cls._of(building.of_paths(paths, sep), sep)

    @classmethod
    def from_parents(cls, parents: Any) -> Hierarchy:
        """From a mapping of child to its parent, or to a list of parents; or from pairs (child, parent).

        A data frame with the columns child and parent is taken too, and a series of parents by child.
        A mapping of parent to children is for `from_nested`; what plainly is one is an error here.

        >>> Hierarchy.from_parents({"bat": ["mammal", "flyer"], "owl": "flyer", "dog": "mammal"}).parents("bat")
        ('mammal', 'flyer')
        """
        return cls._of(building.of_parents(parents))

    @classmethod
    def from_nested(cls, nested: Any) -> Hierarchy:
        """From mappings of name to what is below it, and lists of names.

        >>> Hierarchy.from_nested({"fruit": {"citrus": ["lemon", "lime"], "apple": None}}).leaves
        ('lemon', 'lime', 'apple')
        """
        return cls._of(building.of_nested(nested))

    @classmethod
    def from_graph(cls, graph: Any, *, edges: Edges | None = None) -> Hierarchy:
        """From a directed graph as networkx makes them, whose edges go "down" from parent to child, or "up".

        Without `edges` they are taken to go down, unless they plainly do not, which is an error.
        """
        return cls._of(building.of_graph(graph, edges))

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, sep: str = "/") -> Hierarchy:
        """From a file: pairs or paths in a .csv, .tsv or .txt, nested data, parents or paths in a .json.

        A table with two columns holds a child and its parent in each row, or under the head class,path a class and its
        path; the first row may name them, in either order, and an empty parent is none. More columns are levels from
        the top down, with their names in the first row. One column, or a text with a path on each line, holds paths.
        Lines that begin with # are left out.
        """
        from confmat.hierarchy import reading

        return reading.read(path, sep)

    # ---- what it holds ---------------------------------------------------------------------------------------

    @property
    def root(self) -> Any:
        """The name of the root, None where it has none."""
        return self._nodes.names[0]

    @property
    def nodes(self) -> tuple[Any, ...]:
        """All names below the root, as one walks down; a name that several nodes have is given as its path."""
        return tuple(map(self._name, range(1, len(self._nodes.names))))

    @property
    def leaves(self) -> tuple[Any, ...]:
        """The names of all nodes without children."""
        return tuple(map(self._name, np.flatnonzero(self._nodes.height == 0).tolist()))

    @property
    def levels(self) -> int:
        """How many levels there are below the root."""
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
        """The most steps from the root down to a node."""
        return int(self._nodes.depth[self._node(name)])

    def height(self, name: Any) -> int:
        """The most steps from a node down to a leaf."""
        return int(self._nodes.height[self._node(name)])

    def parents(self, name: Any) -> tuple[Any, ...]:
        """What is right above a node; nothing above the root, and no root without a name."""
        node = self._node(name)
        return self._names(self._nodes.parents[self._nodes.children == node])

    def children(self, name: Any = None) -> tuple[Any, ...]:
        """What is right below a node, or below the root."""
        node = 0 if name is None else self._node(name)
        return self._names(self._nodes.children[self._nodes.parents == node])

    def ancestors(self, name: Any) -> tuple[Any, ...]:
        """Everything above a node, the nearest first; no root without a name."""
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

    def groups(self, labels: Any, level: int | Iterable[Any] = 1) -> dict[Any, tuple[Any, ...]]:
        """Group name -> its classes, every class in one group, as `m.merge`, `cm.plot` and `cm.html` take them.

        `labels` are those of a matrix, or the matrix. `level` is how far below the root to cut, or the names of the
        nodes to cut at, of which the nearest above a class counts. A class above the cut is a group of its own.

        >>> h = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
        >>> h.groups(["lemon", "lime", "apple", "leek"], level=["citrus"])
        {'citrus': ('lemon', 'lime'), 'apple': ('apple',), 'leek': ('leek',)}
        """
        return cutting.groups(self, _labels_of(labels), level)

    def _rolled(self, labels: Labels, level: int | Iterable[Any]) -> tuple[Labels, Array]:
        """Labels of a matrix after the roll-up, and where each old one goes: what `roll_up` asks for."""
        return cutting.rolled(self, labels, level)

    def distances(self, labels: Any) -> Array:
        """How many edges lie between each two classes, (K, K), by the nearest common ancestor; within a budget.

        A label outside the classes stands at the root. `distances_at` gives single places of the table.

        >>> h = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
        >>> h.distances(["lemon", "lime", "apple", "leek"])
        array([[0, 2, 3, 4],
               [2, 0, 3, 4],
               [3, 3, 0, 3],
               [4, 4, 3, 0]])
        """
        found = _labels_of(labels)
        size = len(found)
        check_dense(size)
        places = np.arange(size)
        return self.distances_at(found, np.repeat(places, size), np.tile(places, size)).reshape(size, size)

    def distances_at(self, labels: Any, rows: Any, cols: Any) -> Array:
        """How many edges lie between the classes at some rows and columns of a matrix, such as `m.pairs()` lists."""
        found = _labels_of(labels)
        nodes, sides = self._with_outside(found), [np.asarray(side) for side in (rows, cols)]
        most = max(len(found), len(nodes)) - 1
        if any(side.size and (side.dtype.kind not in "iu" or side.min() < 0 or side.max() > most) for side in sides):
            msg = f"rows and columns of {len(found):,} labels are whole numbers from 0 to {most:,}"
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
        found = self._found(labels)
        unknown = np.flatnonzero(found == _UNKNOWN)
        if len(unknown):
            names = [labels[place] for place in unknown.tolist()]
            msg = Message(
                "the hierarchy does not know {:,} of {:,} classes: {}; it needs a place for each, or {}",
                len(names),
                labels.n_classes,
                some(names),
                Remedy("select", "take a part with `m.select`"),
            )
            raise LabelError(msg)
        several = np.flatnonzero(np.bincount(found, minlength=len(self._nodes.names))[found] > 1)
        if len(several):
            same = several[found[several] == found[several[0]]].tolist()
            msg = (
                f"the classes {some([labels[place] for place in same])} are one node of the hierarchy; merge them first"
            )
            raise LabelError(msg)
        object.__setattr__(self, "_read", (labels, found))
        return found

    def _found(self, labels: Labels) -> Array:
        """The node of each class; a negative number for those that are not known."""
        classes = labels.classes
        get = self._index.get
        found = [get(key_of(name), _UNKNOWN) for name in classes]
        for place in [place for place, node in enumerate(found) if node < 0]:
            found[place] = self._find(classes[place], check=True)
        return np.array(found, dtype=np.int64)

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
            found = walks.get((node, key_of(part)))
            if found is None:
                return otherwise
            node = found
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
        return printing.drawn(self._nodes)


def _labels_of(labels: Any) -> Labels:
    """Labels as such, of a matrix or a stack, or from a list of names."""
    found = getattr(labels, "labels", labels)
    return found if isinstance(found, Labels) else Labels(found)
