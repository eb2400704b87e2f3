"""How often intervals of areas hold the truth in the worst cells, beside DeLong's; and models that are alike."""

from __future__ import annotations

import numpy as np
import pytest

import confmat as cm
from benchmarks.areas import Cell, cells, held

pytestmark = pytest.mark.nightly
# So many sets, of which a share of .95 has a standard error of .0056.
SETS = 1500


@pytest.mark.parametrize(
    "cell",
    [
        Cell("unequal", 0.8, 10, 190),
        Cell("unequal", 0.8, 10, 490),
        Cell("unequal", 0.6, 5, 95),
        Cell("normal", 0.99, 5, 45),
    ],
)
def test_the_worst_cells_hold_nine_in_ten(cell: Cell) -> None:
    assert cell in set(cells())
    share, width = held(cell, SETS)
    assert share >= 0.90
    if cell.area == 0.99:
        theirs, narrow = held(cell, SETS, method="delong")
        assert theirs < 0.6
        assert narrow < width


@pytest.mark.parametrize(("positives", "negatives"), [(5, 95), (20, 180)])
def test_models_that_are_alike_are_seldom_told_apart(positives: int, negatives: int) -> None:
    rng, actual, wrong = np.random.default_rng(0), np.repeat([1, 0], [positives, negatives]), 0
    for _ in range(600):
        common = rng.normal(actual.astype(float), 0.7)
        scores = {name: common + rng.normal(0.0, 0.7, len(actual)) for name in ("a", "b")}
        wrong += cm.compare_scores(actual, scores).of("roc_auc").p_value < 0.05
    assert wrong / 600 <= 0.06
