"""The binary coefficients by their published formulas in a, b, c and d, in fractions and 150 digits.

a counts the items that both sides give to the class, b those that only the prediction gives, c
those that only the truth gives, d the others. The formulas are those of Choi, Cha and Tappert
(2010), of Warrens (2008) and of the papers that the metrics cite; none is taken from the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import confmat.metrics as cmx
from confmat import ConfusionMatrix
from confmat.metrics import coefficients

Exact = Fraction | Decimal | int
Counts = tuple[int, int, int, int]

DIGITS = 150


class UndefinedError(ArithmeticError):
    """Something is divided by nothing."""


def over(top: Fraction | int, bottom: Fraction | int) -> Fraction:
    if bottom == 0:
        raise UndefinedError
    return Fraction(top) / bottom


def number(value: Exact) -> Decimal:
    if isinstance(value, Decimal):
        return value
    value = Fraction(value)
    return Decimal(value.numerator) / Decimal(value.denominator)


def root(value: Exact) -> Decimal:
    return number(value).sqrt()


def share(top: Exact, bottom: Exact) -> Decimal:
    bottom = number(bottom)
    if not bottom:
        raise UndefinedError
    return number(top) / bottom


def ln(value: Exact) -> Decimal:
    return number(value).ln()


def arctan(x: Decimal) -> Decimal:
    """Halved until its series is short."""
    halvings = 0
    while x > Decimal("0.001"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    total, power, k = Decimal(0), x, 1
    while abs(power) > Decimal(10) ** -(DIGITS + 5):
        total += power / k if k % 4 == 1 else -power / k
        power *= x * x
        k += 2
    return total * 2**halvings


class Four:
    """The four counts, their margins, and what chance gives."""

    def __init__(self, counts: Counts) -> None:
        self.a, self.b, self.c, self.d = counts
        self.n = sum(counts)
        # Predicted and denied, present and absent.
        self.p, self.q = self.a + self.b, self.c + self.d
        self.r, self.s = self.a + self.c, self.b + self.d

    @property
    def lucky(self) -> Fraction:
        """Hits expected of independent sides."""
        return over(self.p * self.r, self.n)

    @property
    def delta(self) -> Fraction:
        return self.a - self.lucky


def known(x: Four) -> int:
    """Right guesses in both directions where the other side is known."""
    columns, rows = (max(x.a, x.b) + max(x.c, x.d)), (max(x.a, x.c) + max(x.b, x.d))
    return columns + rows


def blind(x: Four) -> int:
    return max(x.r, x.s) + max(x.p, x.q)


def lambda_r(x: Four) -> Fraction:
    """Goodman and Kruskal (1954), section 8: the modal class is that with the greatest sum of both margins."""
    modal = Fraction(max(x.p + x.r, x.q + x.s), 2)
    return over(x.a + x.d - modal, x.n - modal)


def agreement_beyond(both: int, first: int, second: int) -> Fraction:
    """Kent and Foster: `both` agreed on, of what either names."""
    chance = over(first * second, first + second - both)
    return over(both - chance, both - chance + (first - both) + (second - both))


def eyraud(x: Four) -> Fraction:
    p, r = over(x.p, x.n), over(x.r, x.n)
    return over(over(x.a, x.n) - p * r, p * r * (1 - p) * (1 - r))


def koppen_1(x: Four) -> Fraction:
    half = over(x.b + x.c, 2 * x.n)
    inside, outside = over(x.a, x.n) + half, over(x.d, x.n) + half
    return over(inside * outside - half, inside * outside)


def cronbach(x: Four) -> Fraction:
    """Alpha of two items, 2 (1 - sum of variances / variance of the sum), from their covariance."""
    if not x.n:
        raise UndefinedError
    first, second = Fraction(x.p * x.q, x.n**2), Fraction(x.r * x.s, x.n**2)
    between = Fraction(x.a, x.n) - Fraction(x.p * x.r, x.n**2)
    return 2 * (1 - over(first + second, first + second + 2 * between))


def kuhns_3(x: Four) -> Fraction:
    names = 2 * x.a + x.b + x.c
    return over(x.delta, (1 - over(x.a, names)) * (names - x.lucky))


def spread(x: Four) -> tuple[Fraction, Fraction]:
    return x.p * (1 - over(x.p, x.n)), x.r * (1 - over(x.r, x.n))


def digby(x: Four) -> Decimal:
    right, wrong = (root(root(value)) ** 3 for value in (x.a * x.d, x.b * x.c))
    return share(right - wrong, right + wrong)


def goodall(x: Four) -> Decimal:
    if not x.n:
        raise UndefinedError
    if not x.b + x.c:
        return Decimal(1)
    # The angle whose sine is the root of a share has the root of the odds for its tangent.
    return arctan(root(Fraction(x.a + x.d, x.b + x.c))) / (2 * arctan(Decimal(1)))


def baroni(x: Four, sign: int) -> Decimal:
    both = root(x.a * x.d)
    return share(both + x.a - (x.b + x.c if sign < 0 else 0), both + x.a + x.b + x.c)


def doubled(x: Four) -> int:
    return x.b + x.c + max(x.b, x.c)


def quarter(x: Four) -> Decimal:
    return ln(1 + Fraction(x.n**2, 4))


EXACT: dict[str, Callable[[Four], Exact]] = {
    "ample": lambda x: abs(over(x.a, x.p) - over(x.c, x.q)),
    "anderberg": lambda x: over(known(x) - blind(x), 2 * x.n),
    "andres_marzo_delta": lambda x: share(x.a + x.d - 2 * root(x.b * x.c), x.n),
    "baroni_urbani_buser_1": lambda x: baroni(x, 1),
    "baroni_urbani_buser_2": lambda x: baroni(x, -1),
    "batagelj_bren": lambda x: over(x.b * x.c, x.a * x.d),
    "baulieu_1": lambda x: 1 - over(x.a**2, x.p * x.r),
    "baulieu_2": lambda x: over(x.a**2 * x.d**2, x.p * x.r * x.s * x.q),
    "baulieu_3": lambda x: over(x.n**2 - 4 * (x.a * x.d - x.b * x.c), 2 * x.n**2),
    "baulieu_4": lambda x: share(
        x.b
        + x.c
        - number((x.a + Fraction(1, 2)) * (x.d + Fraction(1, 2)) * x.d) * Decimal(1).exp(),
        x.n,
    ),
    "baulieu_5": lambda x: over(x.b + x.c + 1, x.a + x.b + x.c + 1),
    "baulieu_6": lambda x: over(x.b + x.c, x.a + x.b + x.c + 1),
    "baulieu_7": lambda x: over(x.b + x.c, x.n + x.a * (x.a - 4) ** 2),
    "baulieu_8": lambda x: over((x.b - x.c) ** 2, x.n**2),
    "baulieu_9": lambda x: over(x.b + 2 * x.c, x.a + x.b + 2 * x.c + x.d),
    "baulieu_10": lambda x: over(doubled(x), x.n + max(x.b, x.c)),
    "baulieu_11": lambda x: over(x.b + x.c, x.b + x.c + x.d),
    "baulieu_12": lambda x: over(x.b + x.c, x.a + x.b + x.c - 1),
    "baulieu_13": lambda x: over(x.b + x.c, x.a + x.b + x.c + x.a * (x.a - 4) ** 2),
    "baulieu_14": lambda x: over(x.b + 2 * x.c, x.a + x.b + 2 * x.c),
    "baulieu_15": lambda x: over(doubled(x), x.a + doubled(x)),
    "benini": lambda x: over(x.a * x.d - x.b * x.c, x.r * x.q),
    "binary_lambda": lambda x: over(Fraction(known(x) - blind(x), 2), x.n - Fraction(blind(x), 2)),
    "binary_lambda_r": lambda_r,
    "binary_tau_a": lambda x: over(x.a * x.d - x.b * x.c, math.comb(x.n, 2)),
    "canberra": lambda x: over(x.b + x.c, 2 * x.a + x.b + x.c),
    "clement": lambda x: (
        over(x.a, x.p) * (1 - over(x.p, x.n)) + over(x.d, x.q) * (1 - over(x.q, x.n))
    ),
    "consonni_todeschini_1": lambda x: share(ln(1 + x.a + x.d), ln(1 + x.n)),
    "consonni_todeschini_2": lambda x: share(ln(1 + x.n) - ln(1 + x.b + x.c), ln(1 + x.n)),
    "consonni_todeschini_3": lambda x: share(ln(1 + x.a), ln(1 + x.n)),
    "consonni_todeschini_4": lambda x: share(ln(1 + x.a), ln(1 + x.a + x.b + x.c)),
    "consonni_todeschini_5": lambda x: share(ln(1 + x.a * x.d) - ln(1 + x.b * x.c), quarter(x)),
    "dennis": lambda x: share(x.delta, root(x.lucky)),
    "digby": digby,
    "dispersion": lambda x: over(x.a * x.d - x.b * x.c, x.n**2),
    "doolittle": lambda x: over((x.a * x.n - x.p * x.r) ** 2, x.p * x.r * x.s * x.q),
    "eyraud": eyraud,
    "fager_mcgowan": lambda x: share(x.a, root(x.p * x.r)) - share(1, 2 * root(max(x.p, x.r))),
    "faith": lambda x: over(x.a + Fraction(x.d, 2), x.n),
    # Forbes wrote both terms with the other sign.
    "forbes_2": lambda x: over(x.b * x.c - x.a * x.d, x.p * x.r - x.n * min(x.p, x.r)),
    "fossum": lambda x: over(x.n * (x.a - Fraction(1, 2)) ** 2, x.p * x.r),
    "goodall": goodall,
    "guttman_lambda_a": lambda x: over(
        max(x.a, x.c) + max(x.b, x.d) - max(x.p, x.q), x.n - max(x.p, x.q)
    ),
    "guttman_lambda_b": lambda x: over(
        max(x.a, x.b) + max(x.c, x.d) - max(x.r, x.s), x.n - max(x.r, x.s)
    ),
    "hamann": lambda x: over(x.a + x.d - (x.b + x.c), x.n),
    "harris_lahey": lambda x: (
        over(x.a, x.a + x.b + x.c) * over(2 * x.d + x.b + x.c, 2 * x.n)
        + over(x.d, x.b + x.c + x.d) * over(2 * x.a + x.b + x.c, 2 * x.n)
    ),
    "hawkins_dotson": lambda x: (over(x.a, x.a + x.b + x.c) + over(x.d, x.b + x.c + x.d)) / 2,
    "kent_foster_1": lambda x: agreement_beyond(x.a, x.p, x.r),
    "kent_foster_2": lambda x: agreement_beyond(x.d, x.q, x.s),
    "koppen_1": koppen_1,
    "koppen_2": lambda x: over(x.a + Fraction(x.b + x.c, 2), x.n),
    "kuder_richardson": cronbach,
    "kuhns_1": lambda x: over(2 * x.delta, x.n),
    "kuhns_2": lambda x: over(x.delta, max(x.p, x.r)),
    "kuhns_3": kuhns_3,
    "kuhns_4": lambda x: over(x.delta, min(x.p, x.r)),
    "kuhns_5": lambda x: over(x.delta, max(spread(x))),
    "kuhns_6": lambda x: over(x.delta, min(spread(x))),
    "kuhns_7": lambda x: share(x.delta, root(x.p * x.r)),
}


def recomputed(name: str, counts: Counts, digits: int = DIGITS) -> Exact | None:
    with localcontext() as context:
        context.prec = digits
        try:
            return EXACT[name](Four(counts))
        except UndefinedError:
            return None


def matrix(counts: Counts) -> ConfusionMatrix:
    a, b, c, d = counts
    return ConfusionMatrix([[a, c], [b, d]])


def check(name: str, counts: Counts) -> None:
    found, expected = float(cmx.metric(name)(matrix(counts))[0]), recomputed(name, counts)
    if expected is None:
        assert math.isnan(found), (name, found, counts)
        return
    error = abs(Fraction(found) - Fraction(expected))
    assert error <= (1 + abs(Fraction(expected))) * Fraction(1, 10**12), (
        name,
        found,
        expected,
        counts,
    )


def tables() -> list[Counts]:
    """All tables of 0, 1 and 2; ordinary and large ones; and those near independence or near a kink."""
    found = [tuple(map(int, each)) for each in np.ndindex(3, 3, 3, 3)]
    rng = np.random.default_rng(5)
    found += [
        tuple(rng.integers(0, top, 4).tolist())
        for top in (9, 60, 10**4, 10**9, 2**53)
        for _ in range(6)
    ]
    for s in (10, 10**4, 10**7):
        found += [
            (s * s + 1, s * (s + 1), s * (s - 1), s * s - 1),
            (s * s, s * s, s * s, s * s),
            (s, 0, 1, s * s),
        ]
        found += [(s + 1, s, s, s), (s, s + 1, s, s - 1), (1, s * s, s * s - 1, 1)]
    found += [
        (2**52, 1, 1, 0),
        (0, 1, 1, 2**52),
        (1, 2**53, 2**53 - 1, 1),
        (2**53, 0, 0, 2**53),
        (4, 0, 3, 9),
    ]
    # A bottom of zero beside larger counts.
    found += [(0, 1, 0, 3), (3, 0, 0, 4), (0, 2, 2, 0), (0, 1, 1, 4), (0, 3, 0, 4), (0, 0, 3, 4)]
    # e times 1.5 * 1.5 * 1 and so on, rounded: what is left of Baulieu IV is a fraction of one
    # item.
    for a, d in ((1, 1), (10**3, 10**2), (10**5, 10**5)):
        found += [(a, round((a + 0.5) * (d + 0.5) * d * math.e), 0, d)]
    return [(a, b, c, d) for a, b, c, d in found]


TABLES = tables()


def test_every_coefficient_has_a_twin() -> None:
    # Gilbert and Wells' is made of factorials: it is recomputed with the logarithms.
    assert set(coefficients.__all__) == {*EXACT, "gilbert_wells"}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_no_digit_is_wrong(name: str) -> None:
    for counts in TABLES:
        check(name, counts)


COUNT = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 10**4), st.integers(2**52, 2**53))


@given(COUNT, COUNT, COUNT, COUNT)
@example(0, 0, 0, 0)
@example(2**53, 2**53 - 1, 2**53 - 1, 2**53 - 2)
def test_of_any_four_counts(a: int, b: int, c: int, d: int) -> None:
    for name in EXACT:
        check(name, (a, b, c, d))
