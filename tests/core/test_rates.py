"""Counts behind a printed table of rates: the one answer, or an error that says why there is none."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from confmat import ConfusionMatrix, InputError


@st.composite
def printed_rows(draw: st.DrawFn) -> tuple[list[int], int]:
    return draw(st.lists(st.integers(0, 12), min_size=2, max_size=3)), draw(st.integers(1, 3))


@given(printed_rows(), st.booleans())
def test_the_answer_is_the_only_table_that_prints_so(
    row: tuple[list[int], int], percent: bool
) -> None:
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
        and all(
            abs(Decimal(n) * scale / total - rate) <= unit / 2
            for n, rate in zip(other, rates, strict=True)
        )
    ]
    size = len(counts)
    table = [[str(rate) for rate in rates], *([["0"] * size] * (size - 1))]
    totals = [total] + [0] * (size - 1)
    if len(candidates) == 1:
        assert (
            ConfusionMatrix.from_rates(table, totals, percent=percent, decimals=places)
            .counts[0]
            .tolist()
            == counts
        )
    else:
        assert tuple(counts) in candidates
        with pytest.raises(
            InputError, match=re.escape(f"{[*max(candidates)]} and {[*min(candidates)]}")
        ):
            ConfusionMatrix.from_rates(table, totals, percent=percent, decimals=places)


@pytest.mark.parametrize(
    ("rows", "totals", "options", "said"),
    [
        ([[0.5, 0.5]], [2], {}, "square table of rates"),
        ([[0.5, 0.5], [0.5, 0.5]], [2], {}, "must be 2 numbers, one per class in order"),
        ([[0.5, 0.5], [0.5, 0.5]], [2, -1], {}, "whole numbers"),
        ([[1.0]], [2**63], {}, r"below 2\^63"),
        ([[1.0]], None, {}, "`totals` must be 1 numbers, one per class"),
        (None, [1], {}, "square table of rates"),
        ([[1.0]], [1], {"decimals": 1.5}, "from 0 to 400, not 1.5"),
        ([["1e-3000000"]], [1], {}, "400 digits at most"),
        ([[50, 50], [50, 50]], [2, 2], {}, "percent=True"),
        ([[0.5, 0.5], [0.5, 0.5]], [2, 0], {}, "row 1 has rates above 0 but a total of 0"),
        ([[0.5, 0.5], [None, None]], [2, 2], {}, "missing rate"),
        ([[0.5, "x"], [0.5, 0.5]], [2, 2], {}, "'x' is not a number"),
        (
            [["0.5", "0.5"], ["0.5", "0.5"]],
            [1000, 1000],
            {},
            r"counts: \[550, 450\] and \[450, 550\], of total 1000, both round to",
        ),
        ([[0.5, 0.5], [0.5, 0.5]], [10**12, 2], {"decimals": 1}, "do not determine its counts"),
    ],
)
def test_what_cannot_be_recovered(
    rows: Any, totals: Any, options: dict[str, Any], said: str
) -> None:
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


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("percent", [False, True])
def test_rates_of_every_float_come_back(kind: Any, percent: bool) -> None:
    """A float32 read as a float64 shows digits that nobody printed: 0.67 becomes 0.6700000166893005859375."""
    matrix = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [0, 0, 0]])
    rates = (matrix.normalize() * (100 if percent else 1)).astype(kind)
    totals = matrix.actual_totals
    assert ConfusionMatrix.from_rates(rates, totals, percent=percent) == matrix
    assert ConfusionMatrix.from_rates(list(rates), iter(totals), percent=percent) == matrix


def test_printed_digits_in_float32_are_those_that_were_printed() -> None:
    rates = np.array([[0.67, 0.33], [0.25, 0.75]], np.float32)
    # 2/3 and 1/3 of 6, 1/4 and 3/4 of 8.
    assert ConfusionMatrix.from_rates(rates, [6, 8]).counts.tolist() == [[4, 2], [2, 6]]
