"""The items that two classes share by chance, on both kernels, against the definition in sixty digits."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from math import comb
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("kernel")


def by_definition(r: int, c: int, n: int) -> float:
    """Mean of x log(n x / r c) over the ways to choose c of n items, r of which are marked."""
    # It is the same the other way round, and the ways to choose a few are soon counted.
    r, c = max(r, c), min(r, c)
    with localcontext(Context(prec=60)):
        found = Decimal(0)
        for x in range(max(1, r + c - n), min(r, c) + 1):
            found += comb(r, x) * comb(n - r, c - x) * x * (Decimal(n * x) / Decimal(r * c)).ln()
        return float(found / comb(n, c))


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int, int]:
    """Two classes, one of them small or nearly everything, so that their common items are near a bound."""
    n = draw(st.integers(1, 10**6))
    few = draw(st.integers(1, min(n, 40)))
    return draw(st.sampled_from([few, n - few + 1])), draw(st.integers(1, n)), n


@given(sizes())
def test_means_are_right_to_the_last_digits(
    kernel: ModuleType, drawn: tuple[int, int, int]
) -> None:
    r, c, n = drawn if min(drawn[:2]) <= 40 else (drawn[0], min(drawn[1], 40), drawn[2])
    for rows, cols in ((r, c), (c, r)):
        found = kernel.shared_by_chance(np.array([float(rows)]), np.array([float(cols)]), float(n))
        # Certain classes share nothing, and its rounding is a trace of the items.
        assert found[0] == pytest.approx(
            by_definition(rows, cols, n), rel=2e-14, abs=1e-15 * min(r, c)
        )


def test_pairs_of_sizes_do_not_touch_each_other(kernel: ModuleType) -> None:
    rng = np.random.default_rng(0)
    rows, cols = rng.integers(1, 90, (2, 700)).astype(float)
    together = kernel.shared_by_chance(rows, cols, 100.0)
    alone = [
        kernel.shared_by_chance(rows[i : i + 1], cols[i : i + 1], 100.0)[0]
        for i in range(len(rows))
    ]
    assert together.tolist() == pytest.approx(alone, rel=1e-14)
    assert kernel.shared_by_chance(rows[:0], cols[:0], 100.0).tolist() == []


@pytest.mark.parametrize(
    "wrong",
    [
        (np.inf, 1, 2),
        (1, np.inf, 2),
        (1, 1, np.inf),
        (np.nan, 1, 2),
        (-1, 1, 2),
        (1, 1, 0),
        (1e15, 1e15, 1e16),
    ],
)
def test_sizes_are_finite_and_near_a_bound(
    kernel: ModuleType, wrong: tuple[float, float, float]
) -> None:
    rows, cols, total = wrong
    with pytest.raises(ValueError, match="wanted finite sizes"):
        kernel.shared_by_chance(np.array([1.0, rows]), np.array([1.0, cols]), float(total))


def test_huge_sizes_come_to_an_end() -> None:
    compiled = pytest.importorskip(
        "confmat.kernels._compiled", reason="the compiled kernel is not built here"
    )
    for size in (1e17, 1e100, 1e300):
        found = compiled.shared_by_chance(
            np.array([size, size, 3.0]), np.array([size, 2.0, size]), 10 * size
        )
        assert len(found) == 3
