"""Recovering integer counts from a printed, row-normalised table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, InputError, Message
from confmat.core.options import flag, told

# Beyond, a rate is no rate of countable things, and its fraction would fill the memory.
_MOST_DIGITS = 400


def read_rates(rows: Any, totals: Iterable[int], decimals: int | None, percent: bool) -> NDArray[np.int64]:
    """The only table of counts that rounds to these rates under these totals; an error when none or many do.

    Each printed rate stands for the interval half a unit in the last place to either side; a row's counts must
    lie in their intervals and add up to the row's total.
    """
    table, slack = _table(rows)
    totals, size = _listed(totals, "totals"), len(table)
    if not size or any(len(row) != size for row in table):
        lengths = sorted({len(row) for row in table})
        msg = Message("{rows} must be a square table of rates, one row per actual class, not rows of {}", lengths)
        raise InputError(msg)
    if len(totals) != size:
        msg = Message("`totals` must have one number per row: {}, not {}", size, len(totals))
        raise InputError(msg)
    if not all(map(_is_whole, totals)):
        msg = Message(
            "`totals` must be whole numbers of items, zero or more and below 2^63, not {!r:.100}", list(totals)
        )
        raise InputError(msg)
    if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= _MOST_DIGITS):
        msg = Message("`decimals` must be a number of digits from 0 to {}, not {}", _MOST_DIGITS, told(decimals))
        raise InputError(msg)
    places = max(digits for row in table for _, digits in row) if decimals is None else decimals
    scale = 100 if flag("percent", percent) else 1
    half = Fraction(1, 2 * 10**places * scale)
    counts = np.zeros((size, size), dtype=np.int64)
    for i, (row, total) in enumerate(zip(table, totals, strict=True)):
        rates = [None if rate is None else rate / scale for rate, _ in row]
        counts[i] = _row(rates, int(total), half, slack, i, percent=percent)
    return counts


def _table(rows: Any) -> tuple[list[list[tuple[Fraction | None, int]]], Fraction]:
    """The rates with their digits, and by how much one that is computed in binary can miss its own decimal."""
    if hasattr(rows, "detach"):
        rows = rows.detach().numpy()
    cells = [_listed(row, "rows") for row in _listed(rows, "rows")]
    # Rates are 1 at most, so the spacing of floats there bounds what rounding did.
    types = {type(rate) for row in cells for rate in row if isinstance(rate, np.floating)}
    slack = max([Fraction(1, 10**14), *(Fraction(float(np.finfo(kind).eps)) for kind in types)])
    return [[_exact(rate) for rate in row] for row in cells], slack


def _listed(values: Any, name: str) -> list[Any]:
    """A list, its numbers as they are: of float32 the shortest digits are others than those of the same float64."""
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes)) and getattr(values, "ndim", None) != 0:
        return list(values)
    wanted = "a square table of rates, one row per actual class" if name == "rows" else "one number per row"
    msg = Message("{} must be {}, not {} {!r:.60}", Argument(name), wanted, type(values).__name__, values)
    raise InputError(msg)


def _is_whole(total: Any) -> bool:
    try:
        return bool(0 <= total < 2**63 and total == int(total))
    except (TypeError, ValueError, OverflowError):
        return False


def _exact(rate: Any) -> tuple[Fraction | None, int]:
    """A printed rate and its number of decimals; NaN and None stand for the rate of an empty row."""
    try:
        if rate is None or rate != rate:
            return None, 0
        number = Decimal(_digits(rate))
    except (InvalidOperation, ValueError, TypeError, OverflowError):
        msg = Message("{rows} must hold rates, and {!r:.60} is not a number", rate)
        raise InputError(msg) from None
    if not number.is_finite() or number < 0:
        msg = Message("a rate must be finite and not negative, not {!r:.60}", rate)
        raise InputError(msg)
    if max(abs(number.adjusted()), -int(number.as_tuple().exponent)) > _MOST_DIGITS:
        msg = Message("a rate may have {} digits at most, before or behind the point, not {!r:.60}", _MOST_DIGITS, rate)
        raise InputError(msg)
    return Fraction(number), max(0, -int(number.as_tuple().exponent))


def _digits(rate: Any) -> Any:
    """The digits that were printed, or the shortest that tell a float from its neighbours of the same type."""
    if isinstance(rate, np.floating) and np.isfinite(rate):
        return np.format_float_positional(rate, unique=True, trim="-")
    return rate if isinstance(rate, (str, int, Decimal)) else repr(float(rate))


def _row(
    rates: list[Fraction | None], total: int, half: Fraction, slack: Fraction, i: int, *, percent: bool
) -> list[int]:
    if total == 0:
        if any(rate for rate in rates):
            msg = f"row {i} has rates above 0 but a total of 0"
            raise InputError(msg)
        return [0] * len(rates)
    if any(rate is None for rate in rates):
        msg = f"row {i} has a total of {total} but a missing rate"
        raise InputError(msg)
    known = [rate for rate in rates if rate is not None]
    if not percent and sum(known) > Fraction(3, 2):
        msg = f"the rates of row {i} add up to {float(sum(known)):g}; if they are per cents, say percent=True"
        raise InputError(msg)
    low = [max(0, math.ceil((rate - half - slack) * total)) for rate in known]
    high = [min(total, math.floor((rate + half + slack) * total)) for rate in known]
    if any(a > b for a, b in zip(low, high, strict=True)) or not sum(low) <= total <= sum(high):
        msg = (
            f"no whole numbers add up to {total} in row {i} and round to its rates "
            f"{[float(rate) for rate in known]}; check the total, the orientation and the number of decimals"
        )
        raise InputError(msg)
    ways = _ways(low, high, total)
    if ways > 1:
        many = "more than a million" if ways > 10**6 else ways
        msg = (
            f"the digits of row {i} do not determine its counts: {many} rows of total {total} "
            f"round to {[float(rate) for rate in known]}; give more decimals"
        )
        raise InputError(msg)
    # One way only: what is left above the lowest values can be placed in one manner.
    return _fill(low, high, total)


def _ways(low: list[int], high: list[int], total: int) -> int:
    """How many choices within the bounds reach the total, counted up to a little over a million."""
    spare = total - sum(low)
    room = [b - a for a, b in zip(low, high, strict=True)]
    spare = min(spare, sum(room) - spare)
    if spare == 0:
        return 1
    free = sum(1 for r in room if r)
    if spare > 1000:
        # With two free cells or more and that much to spread, each unit can go to either.
        return 1 if free < 2 else 10**6 + 1
    ways = [1] + [0] * spare
    for r in room:
        sums = [0, *accumulate(ways)]
        ways = [min(10**6 + 1, sums[s + 1] - sums[max(0, s - r)]) for s in range(spare + 1)]
    return ways[spare]


def _fill(low: list[int], high: list[int], total: int) -> list[int]:
    spare = total - sum(low)
    row = []
    for a, b in zip(low, high, strict=True):
        step = min(spare, b - a)
        row.append(a + step)
        spare -= step
    return row
