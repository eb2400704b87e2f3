from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import confmat as cm
from confmat import ConfusionMatrix, InputError, count
from confmat.structure import sinks, sources

PETS = ConfusionMatrix([[90, 1, 9], [1, 90, 9], [1, 0, 99]], ["cat", "dog", "other pet"])


@st.composite
def matrices(draw: st.DrawFn) -> ConfusionMatrix:
    size = draw(st.integers(1, 7))
    cells = draw(st.lists(st.integers(0, 30), min_size=size * size, max_size=size * size))
    return ConfusionMatrix(np.array(cells).reshape(size, size))


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
def test_expected_errors_add_up(m: ConfusionMatrix) -> None:
    for found in (sinks(m, None), sources(m, None)):
        excess = [one.excess for one in found]
        assert excess == pytest.approx(sorted(excess, reverse=True))
        # Classes without an error are not listed, and were expected to have some.
        assert sum(excess) >= -1e-6


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


def test_one_class_alone_in_the_truth() -> None:
    found = sinks(ConfusionMatrix([[4, 3, 1], [0, 0, 0], [0, 0, 0]]))
    assert [(one.label, one.count, one.expected) for one in found] == [(1, 3, 2.0), (2, 1, 2.0)]


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
    unknown = sources(ConfusionMatrix(PETS.counts * 0.3))
    assert np.isnan(unknown[0].p_value)
    assert "p and q are unknown" in str(unknown)


def test_all_forms_hold_the_same() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("polars", reason="polars is not installed")
    found = sinks(PETS)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["label"] for row in rows] == [one.label for one in found]
    assert json.loads(json.dumps(found.to_dict()))["sinks"][0]["partners"] == [
        ["cat", 9],
        ["dog", 9],
    ]
    assert (
        found.to_pandas()["count"].tolist()
        == found.to_polars()["count"].to_list()
        == [one.count for one in found]
    )
    assert list(found[1:]) == [found[1], found[2]]
    assert found == sinks(PETS)
    assert found.to_markdown().startswith("| sink |")


def test_hostile_labels_are_safe_text() -> None:
    m = ConfusionMatrix([[1, 2], [3, 4]], ["\u202e\x00<script>", "=cmd|' /C calc'!A0"])
    assert not set(str(sinks(m)) + sources(m).to_markdown()) & {"\x00", "\u202e"}
    assert not any(
        cell.startswith("=") for row in csv.reader(io.StringIO(sinks(m).to_csv())) for cell in row
    )


def test_says_what_is_wrong() -> None:
    with pytest.raises(InputError, match="`sinks` reads one ConfusionMatrix"):
        sinks(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="`n` must be"):
        sources(PETS, 1.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="`alpha`"):
        sources(PETS, alpha=0)


def test_the_names_are_public() -> None:
    assert isinstance(cm.structure.sinks(PETS), cm.structure.Flows)
    assert isinstance(cm.structure.sources(PETS)[0], cm.structure.Flow)
