"""Severity: the value that tells all items from mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat import ConfusionMatrix, Hierarchy
from confmat.hierarchy import Severity

FOOD = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
NAMES = ["lemon", "lime", "apple", "leek"]
M = ConfusionMatrix([[8, 1, 1, 0], [0, 5, 0, 0], [0, 2, 3, 0], [1, 0, 0, 4]], NAMES)


def test_by_hand() -> None:
    heights, edges = 1 * 1 + 1 * 2 + 2 * 2 + 1 * 3, 1 * 2 + 1 * 3 + 2 * 3 + 1 * 4
    assert cm.hierarchy.severity(M, FOOD) == Severity(
        of_all=heights / 25,
        of_mistakes=heights / 5,
        distance=edges / 25,
        distance_of_mistakes=edges / 5,
        height=3,
        items=25,
        mistakes=5,
    )


def test_fewer_mistakes_may_be_worse_ones() -> None:
    """The subject of the paper: accuracy rises, and so does the severity of what is left."""
    near = ConfusionMatrix([[6, 4, 0, 0], [0, 10, 0, 0], [0, 0, 10, 0], [0, 0, 0, 10]], NAMES)
    far = ConfusionMatrix([[7, 0, 0, 3], [0, 10, 0, 0], [0, 0, 10, 0], [0, 0, 0, 10]], NAMES)
    assert cm.accuracy(near) < cm.accuracy(far)
    assert cm.hierarchy.severity(near, FOOD).of_mistakes == 1
    assert cm.hierarchy.severity(far, FOOD).of_mistakes == 3
    assert cm.hierarchy.severity(near, FOOD).of_all < cm.hierarchy.severity(far, FOOD).of_all


def test_without_mistakes() -> None:
    found = cm.hierarchy.severity(ConfusionMatrix(np.eye(4, dtype=int), NAMES), FOOD)
    assert found.of_all == 0
    assert np.isnan(found.of_mistakes)
    assert found.to_dict()["of_mistakes"] is None
    assert str(found).splitlines() == [
        "          items  LCA height (of 3)  edges apart",
        "all           4              0.000        0.000",
        "mistakes      0                  –            –",
    ]


def test_weights_and_outside() -> None:
    m = ConfusionMatrix([[0.5, 0.25], [0, 0]], ["lemon"], outside=["(refused)"])
    found = cm.hierarchy.severity(m, FOOD)
    assert (found.of_all, found.of_mistakes, found.items, found.mistakes) == (1.0, 3.0, 0.75, 0.25)
    assert cm.hierarchy.severity(m, FOOD, outside="exclude").of_all == 0


@pytest.mark.parametrize(
    ("m", "h", "message"),
    [
        (cm.Stack({"a": M}), FOOD, "`lca_height` takes a Stack"),
        (M, {}, "takes a Hierarchy, not dict"),
    ],
)
def test_what_is_refused(m: Any, h: Any, message: str) -> None:
    with pytest.raises(cm.InputError, match=message):
        cm.hierarchy.severity(m, h)
