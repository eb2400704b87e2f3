"""Counts behind a printed table of rates: the one answer, or an error that says why there is none."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from confmat import ConfusionMatrix, InputError


def test_the_counts_come_back() -> None:
    matrix = ConfusionMatrix.from_rates([[0.67, 0.33], [0.25, 0.75]], totals=[6, 8], labels=["a", "b"])
    assert matrix.counts.tolist() == [[4, 2], [2, 6]]
    assert matrix.labels == ["a", "b"]
    assert matrix.counts.dtype == np.int64


@st.composite
def printed_rows(draw: st.DrawFn) -> tuple[list[int], int]:
    return draw(st.lists(st.integers(0, 12), min_size=2, max_size=3)), draw(st.integers(1, 3))


@given(printed_rows(), st.booleans())
def test_the_answer_is_the_only_table_that_prints_so(row: tuple[list[int], int], percent: bool) -> None:
    """Brute force over every row of the same total: exactly one table prints these digits, or it is an error."""
    counts, places = row
    total = sum(counts)
    assume(total > 0)
    scale = 100 if percent else 1
    unit = Decimal(1).scaleb(-places)
    rates = [(Decimal(n) * scale / total).quantize(unit) for n in counts]
    candidates = [
        other
        for other in product(range(total + 1), repeat=len(counts))
        if sum(other) == total
        # A half may be rounded either way, so both ends of the interval belong to it.
        and all(abs(Decimal(n) * scale / total - rate) <= unit / 2 for n, rate in zip(other, rates, strict=True))
    ]
    size = len(counts)
    table = [[str(rate) for rate in rates], *([["0"] * size] * (size - 1))]
    totals = [total] + [0] * (size - 1)
    if len(candidates) == 1:
        assert ConfusionMatrix.from_rates(table, totals, percent=percent, decimals=places).counts[0].tolist() == counts
    else:
        assert tuple(counts) in candidates
        with pytest.raises(InputError, match=f"{len(candidates)} rows"):
            ConfusionMatrix.from_rates(table, totals, percent=percent, decimals=places)


@pytest.mark.parametrize(
    ("rows", "totals", "options", "said"),
    [
        ([[0.5, 0.5]], [2], {}, "square table of rates"),
        ([], [], {}, "square table of rates"),
        ([[0.5, 0.5], [0.5, 0.5]], [2], {}, "one number per row: 2, not 1"),
        ([[0.5, 0.5], [0.5, 0.5]], [2, -1], {}, "whole numbers"),
        ([[0.5, 0.5], [0.5, 0.5]], [2, 1.5], {}, "whole numbers"),
        ([[0.5, 0.5], [0.5, 0.5]], [2, float("nan")], {}, "whole numbers"),
        ([[0.5, 0.5], [0.5, 0.5]], [2, float("inf")], {}, "whole numbers"),
        ([[0.5, 0.5], [0.5, 0.5]], [2, None], {}, "whole numbers"),
        ([[0.5, 0.5], [0.4, 0.4]], [2, 10], {}, "no whole numbers add up to 10 in row 1"),
        ([[0.5, 0.5], [0.5, 0.5]], [2, 3], {}, "no whole numbers add up to 3"),
        ([[50, 50], [50, 50]], [2, 2], {}, "percent=True"),
        ([[0.5, 0.5], [0.5, 0.5]], [2, 0], {}, "row 1 has rates above 0 but a total of 0"),
        ([[0.5, 0.5], [None, None]], [2, 2], {}, "missing rate"),
        ([[0.5, "x"], [0.5, 0.5]], [2, 2], {}, "'x' is not a number"),
        ([[0.5, -0.5], [0.5, 0.5]], [2, 2], {}, "not negative"),
        ([[0.5, float("inf")], [0.5, 0.5]], [2, 2], {}, "finite"),
        ([["0.5", "0.5"], ["0.5", "0.5"]], [1000, 1000], {}, "do not determine its counts: 101 rows"),
        ([[0.5, 0.5], [0.5, 0.5]], [10**12, 2], {"decimals": 1}, "more than a million"),
    ],
)
def test_what_cannot_be_recovered(rows: Any, totals: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ConfusionMatrix.from_rates(rows, totals, **options)


def test_an_empty_row_may_be_nan_none_or_zero() -> None:
    for nothing in (None, float("nan"), 0.0):
        matrix = ConfusionMatrix.from_rates([[nothing, nothing], [0.25, 0.75]], [0, 4])
        assert matrix.counts.tolist() == [[0, 0], [1, 3]]


def test_text_keeps_its_printed_digits() -> None:
    # As a float, 0.50 has one digit; 7 of 14 and 7.4 of 15 would both do.
    rows = [["0.50", "0.50"], ["0.00", "1.00"]]
    assert ConfusionMatrix.from_rates(rows, [14, 3]).counts.tolist() == [[7, 7], [0, 3]]
    with pytest.raises(InputError, match="no whole numbers"):
        ConfusionMatrix.from_rates(rows, [15, 3])


def test_full_precision_floats_come_back_from_normalize() -> None:
    matrix = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [0, 0, 0]])
    assert ConfusionMatrix.from_rates(matrix.normalize(), matrix.actual_totals) == matrix
    assert (
        ConfusionMatrix.from_rates(matrix.normalize() * 100, matrix.actual_totals, percent=True, decimals=6) == matrix
    )
