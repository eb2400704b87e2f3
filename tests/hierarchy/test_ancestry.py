"""Ancestry: where pairs of nodes meet, against the definitions written out on sets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat import Hierarchy


@st.composite
def trees(draw: st.DrawFn) -> dict[int, list[int]]:
    """The parent of each node, below it in number: a tree or several."""
    size = draw(st.integers(1, 12))
    return {
        node: draw(st.lists(st.integers(0, node - 1), max_size=1)) if node else []
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


@given(trees())
def test_meetings_by_their_definitions(above: dict[int, list[int]]) -> None:
    h = Hierarchy.from_parents(above)
    labels = cm.Labels(list(above))
    nodes = h._places(labels)
    pairs = list(itertools.product(range(len(above)), repeat=2))
    rows, cols = (np.array(side) for side in zip(*pairs, strict=True))
    met = h._nodes.meeting(nodes[rows], nodes[cols])
    steps, sizes = h.distances_at(labels, rows, cols), h._nodes.depth[nodes]
    tops = [node for node, listed in above.items() if not listed]
    root = tops[0] if h.root is not None else -1

    def height(node: int) -> int:
        children = tops if node < 0 else [child for child in above if node in above[child]]
        return max((height(child) + 1 for child in children), default=0)

    reached = {node: distances_up(above, node) for node in above}
    if root >= 0:
        reached = {
            node: {one: steps for one, steps in found.items() if one >= 0}
            for node, found in reached.items()
        }
    for place, (one, other) in enumerate(pairs):
        both = reached[one].keys() & reached[other].keys()
        assert h._nodes.height[met[place]] == min(map(height, both))
        assert steps[place] == min(reached[one][each] + reached[other][each] for each in both)
        assert h._nodes.depth[met[place]] == len(both - {root})
    for place, node in enumerate(above):
        assert sizes[place] == len(reached[node].keys() - {root})
    assert h.distances(labels).tolist() == steps.reshape(len(above), -1).tolist()


def test_limits_come_before_the_memory() -> None:
    wide = Hierarchy.from_paths([str(i) for i in range(6000)])
    with pytest.raises(cm.BudgetError, match="6,000 x 6,000"):
        wide.distances(range(6000))


def test_nothing_meets_nothing() -> None:
    h = Hierarchy.from_paths(["a"])
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
