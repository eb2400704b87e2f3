from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from confmat import ConfusionMatrix, count
from confmat.structure import sinks, sources
from tests.structure.samples import matrices

PETS = ConfusionMatrix([[90, 1, 9], [1, 90, 9], [1, 0, 99]], ["cat", "dog", "other pet"])


@given(matrices())
def test_sinks_by_the_definition(m: ConfusionMatrix) -> None:
    table, items = m.counts, m.actual_totals
    wrong = items - m.diagonal
    for one in sinks(m, None):
        j = one.label
        expected = 0.0
        for i in range(len(m)):
            if i != j and wrong[i]:
                rest = items.sum() - items[i]
                expected += wrong[i] * (items[j] / rest if rest else 1 / (len(m) - 1))
        assert one.count == table[:, j].sum() - table[j, j] > 0
        assert one.expected == pytest.approx(expected)
        assert one.share == one.count / table[:, j].sum()
        assert one.p_value == pytest.approx(
            stats.poisson.sf(one.count - 1, expected), rel=1e-9, abs=1e-300
        )


@given(matrices())
def test_sources_by_the_definition(m: ConfusionMatrix) -> None:
    items, wrong = m.actual_totals, m.actual_totals - m.diagonal
    found = sources(m, None)
    assert {one.label for one in found} == set(np.flatnonzero(wrong).tolist())
    for one in found:
        assert one.count == wrong[one.label]
        assert one.expected == pytest.approx(items[one.label] * wrong.sum() / items.sum())
        assert one.share == one.count / items[one.label]


@given(matrices())
def test_partners_are_the_largest_cells(m: ConfusionMatrix) -> None:
    for one in sinks(m, None):
        column = m.counts[:, one.label].copy()
        column[one.label] = 0
        best = sorted(column[column > 0].tolist(), reverse=True)[:3]
        assert [number for _, number in one.partners] == best
        assert all(m.counts[label, one.label] == number for label, number in one.partners)


def test_a_catch_all_class_is_a_sink_and_no_source() -> None:
    assert (sinks(PETS)[0].label, sinks(PETS)[0].flagged) == ("other pet", True)
    assert "other pet" not in {one.label for one in sources(PETS) if one.flagged}
    assert "from" in str(sinks(PETS)).splitlines()[0]
    assert "cat 9, dog 9" in str(sinks(PETS))


@pytest.mark.parametrize("counts", [[[0]], [[4]], np.diag([3, 4]), np.zeros((3, 3), int)])
def test_nobody_attracts_nothing(counts: Any) -> None:
    for found in (sinks(ConfusionMatrix(counts)), sources(ConfusionMatrix(counts))):
        assert len(found) == 0
        assert found.to_csv().count("\n") == 1
        assert "0 of" in str(found)


def test_abstaining_is_a_sink_when_outside_counts() -> None:
    m = ConfusionMatrix(
        [[8, 1, 4], [2, 9, 3], [0, 0, 0]], ["a", "b", "(abstained)"], outside=["(abstained)"]
    )
    assert "(abstained)" not in {one.label for one in sinks(m)}
    found = sinks(m, outside="wrong")[0]
    assert (found.label, found.count, found.flagged) == ("(abstained)", 7, True)
    assert math.isinf(found.lift)
    assert found.to_dict()["lift"] is None


def test_equal_weights_have_the_chances_of_counts() -> None:
    pairs = PETS.pairs()
    actual, predicted = (np.repeat(side, pairs.counts) for side in (pairs.rows, pairs.cols))
    heavy = count(actual, predicted, weights=np.full(len(actual), 0.25))
    assert [one.p_value for one in sinks(heavy)] == pytest.approx(
        [one.p_value for one in sinks(PETS)]
    )
