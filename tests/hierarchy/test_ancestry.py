"""Ancestry: where pairs of nodes meet, against the definitions written out on sets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat import Hierarchy
from confmat.hierarchy import ancestry
from confmat.hierarchy.nodes import of_parents


@st.composite
def graphs(draw: st.DrawFn, most: int) -> dict[int, list[int]]:
    """The parents of each node, below it in number; with `most` 1, a tree or several."""
    size = draw(st.integers(1, 12))
    return {
        node: draw(st.lists(st.integers(0, node - 1), max_size=most, unique=True)) if node else []
        for node in range(size)
    }


def distances_up(above: dict[int, list[int]], node: int) -> dict[int, int]:
    """The fewest steps to each ancestor; -1 stands for a root without a name."""
    found, row, step = {node: 0}, [node], 0
    while row:
        step += 1
        parents = [parent for one in row for parent in (above[one] or [-1] if one >= 0 else [])]
        row = [parent for parent in dict.fromkeys(parents) if parent not in found]
        found |= dict.fromkeys(row, step)
    return found


@given(st.integers(1, 3).flatmap(graphs))
def test_meetings_by_their_definitions(above: dict[int, list[int]]) -> None:
    h = Hierarchy._of(of_parents(above, sure=True))
    labels = cm.Labels(list(above))
    nodes = h._places(labels)
    pairs = list(itertools.product(range(len(above)), repeat=2))
    rows, cols = (np.array(side) for side in zip(*pairs, strict=True))
    met = h._ancestry.meetings(nodes[rows], nodes[cols])
    sizes = h._ancestry.sizes(nodes)
    tops = [node for node, listed in above.items() if not listed]
    root = tops[0] if h.root is not None else -1

    def height(node: int) -> int:
        children = tops if node < 0 else [child for child in above if node in above[child]]
        return max((height(child) + 1 for child in children), default=0)

    reached = {node: distances_up(above, node) for node in above}
    if root >= 0:
        reached = {node: {one: steps for one, steps in found.items() if one >= 0} for node, found in reached.items()}
    for place, (one, other) in enumerate(pairs):
        both = reached[one].keys() & reached[other].keys()
        assert met.heights[place] == min(map(height, both))
        assert met.steps[place] == min(reached[one][each] + reached[other][each] for each in both)
        assert met.shared[place] == len(both - {root})
    for place, node in enumerate(above):
        assert sizes[place] == len(reached[node].keys() - {root})
    assert h.distances(labels).tolist() == met.steps.reshape(len(above), -1).tolist()


@given(graphs(1))
def test_trees_and_graphs_are_answered_alike(above: dict[int, list[int]]) -> None:
    """Each of the two ways answers for a tree; a graph has only the one."""
    h = Hierarchy.from_parents(above)
    nodes = np.arange(len(h._nodes.names))
    rows, cols = np.repeat(nodes, len(nodes)), np.tile(nodes, len(nodes))
    assert h.is_tree
    for one, other in zip(h._ancestry._in_tree(rows, cols), h._ancestry._in_graph(rows, cols), strict=True):
        assert one.tolist() == other.tolist()


def test_many_pairs_are_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    above = {node: rng.integers(0, node, min(node, 3)).tolist() for node in range(1, 200)}
    h = Hierarchy.from_parents(above)
    rows, cols = rng.integers(0, 199, (2, 5000))
    labels = cm.Labels(range(1, 200))
    whole = h.distances_at(labels, rows, cols)
    monkeypatch.setattr(ancestry, "CHUNK_ANCESTORS", 97)
    assert h.distances_at(labels, rows, cols).tolist() == whole.tolist()


def test_limits_come_before_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = Hierarchy.from_parents({i: [i - 1, i - 2] if i > 1 else i - 1 for i in range(1, 100)})
    monkeypatch.setattr(ancestry, "MAX_ANCESTORS", 1000)
    with pytest.raises(cm.BudgetError, match="more than 1,000 ancestors together"):
        deep.distances(range(1, 100))
    wide = Hierarchy.from_paths([str(i) for i in range(6000)])
    with pytest.raises(cm.BudgetError, match="6,000 x 6,000"):
        wide.distances(range(6000))


def test_nothing_meets_nothing() -> None:
    for h in (Hierarchy.from_paths(["a"]), Hierarchy.from_parents({"c": ["a", "b"], "d": "b"})):
        assert h.distances_at(h.leaves, [], []).tolist() == []


def test_outside_stands_at_the_root() -> None:
    h = Hierarchy.from_paths(["fruit/apple", "leek"])
    labels = cm.Labels(["apple", "leek"], outside=["(refused)", "(error)"])
    assert h.distances(labels).tolist() == [[0, 3, 2, 2], [3, 0, 1, 1], [2, 1, 0, 0], [2, 1, 0, 0]]


def test_places_that_no_table_has_are_refused() -> None:
    h = Hierarchy.from_paths(["a/b", "a/c"])
    # The place behind the classes is whatever is outside.
    assert h.distances_at(["b", "c"], [0, 2], [1, 0]).tolist() == [2, 2]
    for wrong in ([-1], [3], [0.5], [True]):
        with pytest.raises(cm.InputError, match="of 2 labels are whole numbers from 0 to 2"):
            h.distances_at(["b", "c"], wrong, [0])
