"""True claims are never accused, and false ones are rarely excused; `benchmarks.false_accusations` in full."""

from __future__ import annotations

import pytest

from benchmarks.false_accusations import simulated


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_true_claims_are_not_accused_and_random_ones_not_excused(decimals: int) -> None:
    found = simulated(decimals, 25, seed=3)
    assert found.true_errors == 0
    assert found.true_warnings == 0
    assert found.turned_errors == 0
    assert found.turned >= 24
    # By chance a random number of two decimals is a truth, or a convention's, a few times in a
    # hundred.
    assert found.random["error"] >= {2: 19, 3: 22, 4: 24}[decimals]
    assert found.random["mistake"] == 0
