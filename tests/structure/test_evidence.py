"""Worlds of signal and noise together, of noise alone and of signal alone: what is shown, and in which order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from confmat import ConfusionMatrix, count, judged, top_confusions
from confmat.structure.evidence import evidence

Pairs = set[tuple[int, int]]


def world(
    seed: int, size: int, items: int, plants: int, share: float
) -> tuple[ConfusionMatrix, Pairs]:
    """Errors of 15 % that fall on all other classes alike, and a share of some classes moved to one other each."""
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, size, items)
    wrong = rng.random(items) < 0.15
    predicted = np.where(wrong, (actual + rng.integers(1, size, items)) % size, actual)
    planted = set()
    for row in rng.choice(size, plants, replace=False).tolist():
        col = int(row + rng.integers(1, size)) % size
        predicted[(actual == row) & (rng.random(items) < share)] = col
        planted.add((row, col))
    return ConfusionMatrix.from_pairs(
        zip(actual.tolist(), predicted.tolist(), [1] * items, strict=True), labels=range(size)
    ), planted


@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize(("size", "plants"), [(5, 1), (6, 2), (10, 1), (10, 4), (20, 3), (40, 4)])
def test_planted_confusions_make_no_others(size: int, plants: int, share: float) -> None:
    false = 0
    for seed in range(20):
        m, planted = world(seed, size, 3000 if size < 40 else 6000, plants, share)
        shown = evidence(m).shown
        false += len(set(shown) - planted)
        assert planted <= set(shown)
    # 0.15 a page, and what twenty pages may have by chance.
    assert false <= 20 * 0.15 + 3


def test_noise_names_nothing() -> None:
    pages = [bool(evidence(world(seed, 10, 3000, 0, 0.0)[0]).shown) for seed in range(100)]
    # A false discovery rate of 5 % is the share of pages that show anything.
    assert sum(pages) <= 100 * 0.05 + 7


def test_an_exchange_is_shown_on_both_sides() -> None:
    m, _ = world(1, 6, 3000, 0, 0.0)
    table = m.counts.copy()
    table[1, 2] += 60
    table[2, 1] += 50
    assert set(evidence(ConfusionMatrix(table)).shown) == {(1, 2), (2, 1)}


def test_a_planted_pair_of_a_rare_class_comes_before_larger_counts() -> None:
    """Skew of 1 to 10,000: 7 of 14 ships are taken for airplanes, beside hundreds of errors of large classes."""
    rng = np.random.default_rng(4)
    sizes = np.array([50_000, 20_000, 15_000, 10_000, 4_000, 900, 80, 14])
    table = np.zeros((8, 8), dtype=np.int64)
    for row, items in enumerate(sizes.tolist()):
        shares = np.full(8, 0.1 / 7)
        shares[row] = 0.9
        table[row] = rng.multinomial(items, shares)
    table[7] = [0, 0, 0, 0, 7, 0, 0, 7]
    found = top_confusions(ConfusionMatrix(table))
    assert (found[0].actual, found[0].predicted, found[0].flagged) == (7, 4, True)


@pytest.mark.parametrize("counts", [[[940, 45, 15], [12, 380, 8], [3, 5, 92]], [[40, 10], [3, 47]]])
def test_few_classes_are_ordered_by_count_and_say_so(counts: Any) -> None:
    found = top_confusions(ConfusionMatrix(counts))
    assert [one.count for one in found] == sorted((one.count for one in found), reverse=True)
    assert not found.flagged
    assert "ordered by count, and not tested" in str(found)


def checked(seed: int, plant: bool) -> Any:
    """Judged items: the judge is right on nine of ten, and somebody checked one of ten."""
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, 8, 6000)
    model = np.where(rng.random(6000) < 0.85, actual, rng.integers(0, 8, 6000))
    if plant:
        model[(actual == 2) & (rng.random(6000) < 0.3)] = 5
    judge = np.where(rng.random(6000) < 0.9, actual, rng.integers(0, 8, 6000))
    known = rng.random(6000) < 0.1
    gold: list[int | None] = [
        one if seen else None for one, seen in zip(actual.tolist(), known.tolist(), strict=True)
    ]
    return judged(judge, model, gold=gold)


def test_judged_cells_have_the_variance_of_what_was_checked() -> None:
    shown = [evidence(checked(seed, plant=seed % 2 > 0)).shown for seed in range(12)]
    assert [one[0] for one in shown[1::2]] == [(2, 5)] * 6
    # Twelve pages at a false discovery rate of 5 %.
    assert sum(map(len, shown)) - 6 <= 3


def test_a_cell_has_the_variance_of_its_covariance_or_a_little_more() -> None:
    rng = np.random.default_rng(0)
    stratum = rng.integers(0, 3, 900)
    actual = rng.integers(0, 6, 900)
    predicted = np.where(rng.random(900) < 0.7, actual, rng.integers(0, 6, 900))
    m = count(actual, predicted, strata=stratum).standardize({0: 5000, 1: 900, 2: 300})
    rows, cols = np.array([0, 2, 4]), np.array([1, 2, 5])

    def cell(place: int) -> Any:
        def by(row: NDArray[Any], col: NDArray[Any]) -> NDArray[Any]:
            return ((row == rows[place]) & (col == cols[place])).astype(float)

        return by

    exact = np.array([m.covariance(cell(place), cell(place)) for place in range(3)])
    # Beside it is the square of the share that a cell has of its strata.
    found = m.variances(rows, cols)
    assert (found >= exact).all()
    np.testing.assert_allclose(found, exact, rtol=0.2)
