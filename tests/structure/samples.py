"""Matrices that several tests of the structure draw, and names that mean harm."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from confmat import ConfusionMatrix

# Enough classes to expect errors from.
FIVE = ConfusionMatrix(
    [[78, 18, 1, 2, 1], [15, 78, 2, 3, 2], [1, 2, 93, 2, 2], [2, 3, 3, 90, 2], [3, 2, 2, 3, 90]],
    ["cat", "dog", "hen", "owl", "pig"],
)
HOSTILE = ["=1+1", "<script>", "a|b\n", "x" * 10_000, "\u202eevil", "nul\x00"]


@st.composite
def matrices(draw: st.DrawFn) -> ConfusionMatrix:
    size = draw(st.integers(1, 8))
    cells = draw(st.lists(st.integers(0, 30), min_size=size * size, max_size=size * size))
    return ConfusionMatrix(np.array(cells).reshape(size, size))
