"""Mutual information beyond chance in 60 digits, for tables so near their chance value that floats would lose it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

__all__ = ["beyond_chance"]

_DIGITS = 60
_NEGLIGIBLE = Decimal(10) ** -50
# So many standard deviations hold all but 1e-50 of a hypergeometric distribution; a term takes some microseconds.
_WIDTH, _MOST_PAIRS, _MOST_TERMS = 16, 1_000, 50_000

_MEANS: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "arithmetic": lambda first, second: (first + second) / 2,
    "geometric": lambda first, second: (first * second).sqrt(),
    "min": min,
    "max": max,
}


def beyond_chance(counts: NDArray[np.float64], actual: list[int], predicted: list[int], mean: str) -> float | None:
    """(I - E[I]) / (M(H(r), H(c)) - E[I]) of a table of integers; None where that is more work than it is worth.

    What both I and E[I] hold of the class sizes is the same, so their difference is that of sums of x log x.

    >>> beyond_chance(np.array([1.0, 1.0, 1.0, 1.0]), [2, 2], [2, 2], "arithmetic")
    -0.5
    """
    n = sum(actual)
    rows, cols = Counter(filter(None, actual)), Counter(filter(None, predicted))
    if len(rows) * len(cols) > _MOST_PAIRS or sum(_terms(r, c, n) for r in rows for c in cols) > _MOST_TERMS:
        return None
    with localcontext(Context(prec=_DIGITS)):
        seen = sum((_x_ln(int(x)) for x in counts.tolist()), Decimal(0))
        chance = sum((_mean_x_ln(r, c, n) * rows[r] * cols[c] for r in rows for c in cols), Decimal(0))
        of_rows, of_cols = (sum((_x_ln(x) * k for x, k in sizes.items()), Decimal(0)) for sizes in (rows, cols))
        whole = _x_ln(n)
        # n times E[I], H(r) and H(c).
        expected = chance + whole - of_rows - of_cols
        room = _MEANS[mean](whole - of_rows, whole - of_cols) - expected
        if abs(room) <= _NEGLIGIBLE * n:
            return float("nan")
        gap = seen - chance
        # What the last digits leave where the table shares exactly what chance gives.
        return float(gap / room) if abs(gap) > _NEGLIGIBLE * n else 0.0


def _terms(r: int, c: int, n: int) -> float:
    """How many counts a cell of these class sizes may take, but for those that hardly ever come."""
    deviation = sqrt(r / n * c * (1 - r / n) * (1 - c / n))
    return min(r, c, n - r, n - c, 2 * _WIDTH * (deviation + 4)) + 1


def _mean_x_ln(r: int, c: int, n: int) -> Decimal:
    """The mean of x ln x for the count x of items that two sets of r and c items have in common by chance."""
    low, high = max(0, r + c - n), min(r, c)
    mode = min(high, max(low, (r + 1) * (c + 1) // (n + 2)))
    total, found = Decimal(1), _x_ln(mode)
    chance, x = Decimal(1), mode
    while x < high and chance > _NEGLIGIBLE:
        chance = chance * ((r - x) * (c - x)) / ((x + 1) * (n - r - c + x + 1))
        x += 1
        total, found = total + chance, found + chance * _x_ln(x)
    chance, x = Decimal(1), mode
    while x > low and chance > _NEGLIGIBLE:
        chance = chance * (x * (n - r - c + x)) / ((r - x + 1) * (c - x + 1))
        x -= 1
        total, found = total + chance, found + chance * _x_ln(x)
    return found / total


@lru_cache(maxsize=2**16)
def _ln(x: int) -> Decimal:
    return Context(prec=_DIGITS).ln(Decimal(x))


def _x_ln(x: int) -> Decimal:
    return x * _ln(x) if x > 1 else Decimal(0)
