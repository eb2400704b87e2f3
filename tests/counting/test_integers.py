"""Integer names: ranges and sorted arrays as one, and common labels for two sides of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import LabelError
from confmat.counting.columns import Integers, plan_integers

# Clusters that touch the ends of both types, so that sides lie near each other and far apart.
NEAR = st.sampled_from([-(2**63), -3, 0, 2**16, 2**63 - 4, 2**64 - 8])


@st.composite
def sides(draw: st.DrawFn) -> Integers:
    """A range, or a sorted array of the type that its values need."""
    low = draw(NEAR)
    if draw(st.booleans()):
        return Integers(low, draw(st.integers(1, 6)))
    names = sorted(draw(st.sets(st.integers(0, 7).map(lambda step: low + step), min_size=1)))
    if low < 2**62 and draw(st.booleans()):
        names = sorted({*names, *draw(st.sets(st.integers(-5, 2**62), max_size=3))})
    return of_names(names)


def of_names(names: list[int]) -> Integers:
    dtype = np.int64 if names[-1] < 2**63 else np.uint64
    return Integers(names[0], len(names), np.array(names, dtype))


def codes_of(side: Integers, labels: Any) -> list[int]:
    places = {label: place for place, label in enumerate(labels)}
    return [places.get(name, -1) for name in side.tolist()]


@given(sides(), sides(), st.data())
def test_discovered_labels_are_all_that_occur_in_order(
    row: Integers, col: Integers, data: st.DataObject
) -> None:
    masks = []
    for side in (row, col):
        bits = data.draw(st.lists(st.booleans(), min_size=len(side), max_size=len(side)))
        # A side that occurs at all has a class that occurs.
        masks.append(np.array(bits) if any(bits) else None)
    occurring = {
        name
        for side, mask in zip((row, col), masks, strict=True)
        for name, seen in zip(
            side.tolist(), [True] * len(side) if mask is None else mask.tolist(), strict=True
        )
        if seen
    }
    if min(occurring) < 0 and max(occurring) >= 2**63:
        with pytest.raises(LabelError, match="do not fit one integer type"):
            plan_integers(row, masks[0], col, masks[1], None)
        return
    found = plan_integers(row, masks[0], col, masks[1], None)
    assert found.labels.classes == tuple(sorted(occurring))
    assert found.labels.kind == "int"
    assert found.rows.tolist() == codes_of(row, sorted(occurring))
    assert found.cols.tolist() == codes_of(col, sorted(occurring))
    assert not found.is_identity or row.tolist() == col.tolist()
