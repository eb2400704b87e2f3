"""Matrices that several tests of the structure draw, and names that mean harm."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from confmat import ConfusionMatrix

HOSTILE = ["=1+1", "<script>", "a|b\n", "x" * 10_000, "\u202eevil", "nul\x00"]


@st.composite
def matrices(draw: st.DrawFn) -> ConfusionMatrix:
    size = draw(st.integers(1, 8))
    cells = draw(st.lists(st.integers(0, 30), min_size=size * size, max_size=size * size))
    return ConfusionMatrix(np.array(cells).reshape(size, size))
