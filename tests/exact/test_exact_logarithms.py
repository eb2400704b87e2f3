"""Coefficients made of logarithms and factorials, recomputed in 80 digits where in floats they would cancel."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix

Cells = tuple[int, int, int, int]

# 1 / (12 x) - 1 / (360 x^3) + ...: Bernoulli numbers B2k over 2k (2k - 1).
_BERNOULLI = [
    (1, 6),
    (-1, 30),
    (1, 42),
    (-1, 30),
    (5, 66),
    (-691, 2730),
    (7, 6),
    (-3617, 510),
    (43867, 798),
]
_PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211707"
)


def log_factorial(x: int) -> Decimal:
    """The logarithm of a large number's factorial by Stirling's series: 50 digits from 1,000 on."""
    if x < 1000:
        return Decimal(math.factorial(x)).ln()
    y = Decimal(x)
    series = sum(
        Decimal(top) / (bottom * 2 * k * (2 * k - 1) * y ** (2 * k - 1))
        for k, (top, bottom) in enumerate(_BERNOULLI, 1)
    )
    return y * y.ln() - y + (2 * _PI * y).ln() / 2 + series


def gilbert_wells(a: int, b: int, c: int, d: int) -> Decimal:
    n, margins = a + b + c + d, (a + b, a + c, b + d, c + d)
    logs = sum(map(log_factorial, (n, a, b, c, d))) - sum(map(log_factorial, margins))
    return (Decimal(n) ** 3 / (2 * _PI * math.prod(margins))).ln() + 2 * logs


def consonni_todeschini_2(a: int, b: int, c: int, d: int) -> Decimal:
    n = Decimal(a + b + c + d)
    return ((1 + n).ln() - Decimal(1 + b + c).ln()) / (1 + n).ln()


def consonni_todeschini_5(a: int, b: int, c: int, d: int) -> Decimal:
    n = Decimal(a + b + c + d)
    return (Decimal(1 + a * d).ln() - Decimal(1 + b * c).ln()) / (1 + n * n / 4).ln()


EXACT: dict[str, Callable[[int, int, int, int], Decimal]] = {
    "gilbert_wells": gilbert_wells,
    "consonni_todeschini_2": consonni_todeschini_2,
    "consonni_todeschini_5": consonni_todeschini_5,
}


def tables() -> list[Cells]:
    """Ordinary ones, empty cells, large ones, and those near independence."""
    rng = np.random.default_rng(8)
    found = [
        tuple(rng.integers(0, top, 4).tolist())
        for top in (4, 9, 30, 10**3, 10**6, 10**9, 10**13)
        for _ in "abcd"
    ]
    found += [
        (5, 0, 0, 7),
        (0, 5, 7, 0),
        (4, 0, 3, 9),
        (0, 4, 3, 9),
        (10**9, 0, 3, 9),
        (25, 25, 25, 25),
    ]
    for s in (10, 10**3, 10**5, 10**7):
        found += [
            (s * s + 1, s * (s + 1), s * (s - 1), s * s - 1),
            (s * s, s, s, 1),
            (3 * s, s, 6 * s, 2 * s),
        ]
        found += [
            (s * s, s * s, s * s, s * s),
            (1, s * s, 3, 3 * s * s + 1),
            (s * s, 10**6 * s * s, 1, 3),
        ]
    found += [(1, 2**51, 2**52, 3), (3, 2**40, 2**41, 0), (2**52, 1, 1, 2**30)]
    return [
        (a, b, c, d)
        for a, b, c, d in found
        if max(a, b, c, d) <= 2**53 and (a + b) * (a + c) * (b + d) * (c + d)
    ]


@pytest.mark.parametrize("name", EXACT)
def test_no_digit_is_wrong(name: str) -> None:
    for a, b, c, d in tables():
        with localcontext() as context:
            context.prec = 80
            expected = EXACT[name](a, b, c, d)
        found = cmx.metric(name)(ConfusionMatrix([[a, c], [b, d]]))[0]
        error = abs(Fraction(float(found)) - Fraction(expected))
        # The coefficient of Gilbert and Wells is a sum over items, so that its scale is their
        # number.
        scale = a + b + c + d if name == "gilbert_wells" else 1
        bound = (scale + abs(Fraction(expected))) * Fraction(1, 10**12)
        assert error <= bound, (found, expected, (a, b, c, d))
