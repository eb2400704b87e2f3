"""Entropies and association, recomputed from the cells with fractions and 80 decimal digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix

Table = list[list[int]]
Exact = Fraction | Decimal | None


def number(value: Fraction | int) -> Decimal:
    value = Fraction(value)
    return Decimal(value.numerator) / Decimal(value.denominator)


def log(value: Fraction | int) -> Decimal:
    return number(value).ln()


def bits(nats: Decimal) -> Decimal:
    return nats / Decimal(2).ln()


class Shares:
    """The table as shares of its total."""

    def __init__(self, t: Table) -> None:
        self.n = sum(map(sum, t))
        self.k = len(t)
        self.cell = [[Fraction(x, self.n) for x in row] for row in t]
        self.row = [sum(row, Fraction(0)) for row in self.cell]
        self.col = [sum(column, Fraction(0)) for column in zip(*self.cell, strict=True)]

    def each(self) -> list[tuple[Fraction, Fraction, Fraction]]:
        """Share of a cell, of its row and of its column."""
        return [
            (self.cell[i][j], self.row[i], self.col[j])
            for i in range(self.k)
            for j in range(self.k)
        ]


def entropy(shares: list[Fraction]) -> Decimal:
    return -sum((number(p) * log(p) for p in shares if p), Decimal(0))


def reference_entropy(s: Shares) -> Exact:
    return bits(entropy(s.row))


def response_entropy(s: Shares) -> Exact:
    return bits(entropy(s.col))


def joint_entropy(s: Shares) -> Exact:
    return bits(entropy([p for p, _, _ in s.each()]))


def response_given_reference(s: Shares) -> Exact:
    return bits(-sum((number(p) * log(p / r) for p, r, _ in s.each() if p), Decimal(0)))


def reference_given_response(s: Shares) -> Exact:
    return bits(-sum((number(p) * log(p / c) for p, _, c in s.each() if p), Decimal(0)))


def information(s: Shares) -> Decimal:
    return sum((number(p) * log(p / (r * c)) for p, r, c in s.each() if p), Decimal(0))


def mutual_information(s: Shares) -> Exact:
    return bits(information(s))


def cross_entropy(s: Shares) -> Exact:
    if any(r and not c for r, c in zip(s.row, s.col, strict=True)):
        return None
    return bits(
        -sum((number(r) * log(c) for r, c in zip(s.row, s.col, strict=True) if r), Decimal(0))
    )


def kl_divergence(s: Shares) -> Exact:
    if any(r and not c for r, c in zip(s.row, s.col, strict=True)):
        return None
    return bits(
        sum((number(r) * log(r / c) for r, c in zip(s.row, s.col, strict=True) if r), Decimal(0))
    )


def over(top: Decimal, bottom: Decimal) -> Exact:
    return None if bottom == 0 else top / bottom


def rci(s: Shares) -> Exact:
    return over(information(s), entropy(s.row))


def completeness(s: Shares) -> Exact:
    return over(information(s), entropy(s.col))


def v_measure(s: Shares) -> Exact:
    return over(2 * information(s), entropy(s.row) + entropy(s.col))


def nmi_geometric(s: Shares) -> Exact:
    return over(information(s), (entropy(s.row) * entropy(s.col)).sqrt())


def nmi_min(s: Shares) -> Exact:
    return over(information(s), min(entropy(s.row), entropy(s.col)))


def nmi_max(s: Shares) -> Exact:
    return over(information(s), max(entropy(s.row), entropy(s.col)))


def variation(s: Shares) -> Exact:
    return bits(entropy(s.row) + entropy(s.col) - 2 * information(s))


def confusion_entropy(s: Shares, *, modified: bool) -> Exact:
    """Weighted mean over the classes of the entropy of what went wrong around each."""
    if s.k < 2:
        return None
    base = log(2 * (s.k - 1))
    total = Decimal(0)
    for i in range(s.k):
        around = s.row[i] + s.col[i] - (s.cell[i][i] if modified else 0)
        if not around:
            continue
        wrong = [s.cell[i][j] / around for j in range(s.k) if j != i] + [
            s.cell[j][i] / around for j in range(s.k) if j != i
        ]
        correct = sum(s.cell[a][a] for a in range(s.k)) if modified and s.k > 2 else 0
        if 2 - correct == 0:
            return None
        total += number(around / (2 - correct)) * entropy(wrong)
    return total / base if base else None


def chi_squared(s: Shares) -> Fraction:
    return s.n * sum(((p - r * c) ** 2 / (r * c) for p, r, c in s.each() if r * c), Fraction(0))


def occupied(s: Shares) -> tuple[int, int]:
    return sum(map(bool, s.row)), sum(map(bool, s.col))


def pearson_c(s: Shares) -> Exact:
    x = chi_squared(s)
    return number(x / (s.n + x)).sqrt()


def cramer_v(s: Shares) -> Exact:
    least = min(occupied(s)) - 1
    return None if least < 1 else number(chi_squared(s) / s.n / least).sqrt()


def tschuprow_t(s: Shares) -> Exact:
    r, c = occupied(s)
    if min(r, c) < 2:
        return None
    return (number(chi_squared(s) / s.n) / Decimal((r - 1) * (c - 1)).sqrt()).sqrt()


def corrected(s: Shares) -> tuple[Fraction, Fraction, Fraction] | None:
    """Bergsma's phi squared and numbers of rows and columns."""
    if s.n < 2:
        return None
    r, c = occupied(s)
    phi = max(Fraction(0), chi_squared(s) / s.n - Fraction((r - 1) * (c - 1), s.n - 1))
    return phi, r - Fraction((r - 1) ** 2, s.n - 1), c - Fraction((c - 1) ** 2, s.n - 1)


def cramer_v_corrected(s: Shares) -> Exact:
    parts = corrected(s)
    if parts is None or min(parts[1:]) - 1 <= 0:
        return None
    return number(parts[0] / (min(parts[1:]) - 1)).sqrt()


def tschuprow_t_corrected(s: Shares) -> Exact:
    parts = corrected(s)
    if parts is None or min(parts[1:]) - 1 <= 0:
        return None
    return (number(parts[0]) / number((parts[1] - 1) * (parts[2] - 1)).sqrt()).sqrt()


def lambda_response(s: Shares) -> Exact:
    best = max(s.col)
    return None if best == 1 else (sum(map(max, s.cell)) - best) / (1 - best)


def lambda_reference(s: Shares) -> Exact:
    best = max(s.row)
    return None if best == 1 else (sum(map(max, zip(*s.cell, strict=True))) - best) / (1 - best)


def goodman_kruskal_tau(s: Shares) -> Exact:
    bottom = 1 - sum(c * c for c in s.col)
    return (
        None
        if bottom == 0
        else (sum((p * p / r for p, r, _ in s.each() if r), Fraction(0)) - 1 + bottom) / bottom
    )


def pairs(s: Shares) -> tuple[int, int, int, int]:
    """Pairs of items: together in both, in the reference, in the response, all."""
    cells = [int(p * s.n) for p, _, _ in s.each()]
    return (
        sum(math.comb(x, 2) for x in cells),
        sum(math.comb(int(r * s.n), 2) for r in s.row),
        sum(math.comb(int(c * s.n), 2) for c in s.col),
        math.comb(s.n, 2),
    )


def rand(s: Shares) -> Exact:
    both, reference, response, every = pairs(s)
    return None if not every else Fraction(every + 2 * both - reference - response, every)


def adjusted_rand(s: Shares) -> Exact:
    both, reference, response, every = pairs(s)
    if not every:
        return None
    chance = Fraction(reference * response, every)
    bottom = Fraction(reference + response, 2) - chance
    return None if bottom == 0 else (both - chance) / bottom


def fowlkes_mallows(s: Shares) -> Exact:
    both, reference, response, _ = pairs(s)
    return (
        None if not reference * response else Decimal(both) / Decimal(reference * response).sqrt()
    )


def tables() -> list[Table]:
    """Seeded tables: ordinary, sparse, degenerate, skewed, huge, and close to independence."""
    rng = np.random.default_rng(20)
    found = [
        rng.integers(0, top, (k, k)).tolist()
        for k in (2, 3, 5)
        for top in (2, 4, 30, 10**4, 10**9, 2**47)
    ]
    found += [
        [[0]],
        [[7]],
        [[0, 0], [0, 0]],
        [[5, 0], [0, 0]],
        [[0, 5], [0, 0]],
        [[3, 2], [0, 0]],
        [[3, 0], [2, 0]],
    ]
    found += [
        [[118, 5], [2, 0]],
        [[0, 3], [4, 0]],
        [[4, 0, 0], [0, 2, 0], [0, 0, 1]],
        [[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0] * 4],
    ]
    r, c = [3, 5, 11], [7, 2, 13]
    # A product table with one item moved: what is left of the dependence is one part in the total
    # squared.
    for scale in (1, 10**3, 10**5):
        table = [[scale * scale * a * b for b in c] for a in r]
        table[0][0] += 1
        found += [table]
    # From all but independent to all but certain.
    for part in (0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 0.9, 0.99, 0.9999):
        sizes = rng.dirichlet(np.ones(6))
        found += [
            np.rint(1e7 * ((1 - part) * np.outer(sizes, sizes[::-1]) + part * np.diag(sizes)))
            .astype(int)
            .tolist()
        ]
    # Totals beyond 2^53, and sides that are all but independent.
    found += [[[2**53, 2**53 - 1], [2**53 + 3, 2**53]], [[2**53 - 1] * 2, [2**53 - 1, 2**53]]]
    found += [[[(2**27 + i) * (2**26 + j) + (i == j == 0) for j in range(3)] for i in range(3)]]
    # All but a few items in one cell.
    found += [
        [[10**16, 0], [0, 1]],
        [[2**52, 1], [1, 0]],
        [[2**52, 0], [1, 1]],
        [[2**51, 3, 0], [1, 1, 0], [0, 2, 5]],
    ]
    return found


EXACT: dict[str, Callable[[Shares], Exact]] = {
    "reference_entropy": reference_entropy,
    "response_entropy": response_entropy,
    "joint_entropy": joint_entropy,
    "conditional_entropy": response_given_reference,
    "reference_entropy_given_response": reference_given_response,
    "cross_entropy": cross_entropy,
    "kl_divergence": kl_divergence,
    "mutual_information": mutual_information,
    "homogeneity": rci,
    "completeness": completeness,
    "v_measure": v_measure,
    "nmi_geometric": nmi_geometric,
    "nmi_min": nmi_min,
    "nmi_max": nmi_max,
    "variation_of_information": variation,
    "overall_confusion_entropy": lambda s: confusion_entropy(s, modified=False),
    "overall_modified_confusion_entropy": lambda s: confusion_entropy(s, modified=True),
    "chi_squared": chi_squared,
    "phi_squared": lambda s: chi_squared(s) / s.n,
    "pearson_c": pearson_c,
    "cramer_v": cramer_v,
    "tschuprow_t": tschuprow_t,
    "cramer_v_corrected": cramer_v_corrected,
    "tschuprow_t_corrected": tschuprow_t_corrected,
    "lambda_response": lambda_response,
    "lambda_reference": lambda_reference,
    "goodman_kruskal_tau": goodman_kruskal_tau,
    "rand_index": rand,
    "adjusted_rand_index": adjusted_rand,
    "fowlkes_mallows": fowlkes_mallows,
}

TABLES = tables()
# For every run.
FEW: list[Table] = [
    [[10, 20], [30, 15]],
    [[4, 1, 1], [6, 2, 2], [3, 0, 6]],
    [[3, 0, 2], [1, 0, 4], [2, 0, 7]],
]


@pytest.mark.parametrize(
    "tables", [FEW, pytest.param(TABLES, marks=pytest.mark.slow)], ids=["few", "all"]
)
@pytest.mark.parametrize("name", EXACT)
def test_no_digit_is_wrong(name: str, tables: list[Table]) -> None:
    metric = cmx.metric(name)
    for table in tables:
        with localcontext() as context:
            context.prec = 150
            expected = EXACT[name](Shares(table)) if sum(map(sum, table)) else None
        compare(metric(ConfusionMatrix(table)), expected, table)


def compare(found: float, expected: Exact, table: Table) -> None:
    if expected is None:
        assert math.isnan(found), (found, table)
        return
    error = abs(Fraction(found) - Fraction(expected))
    assert error <= (1 + abs(Fraction(expected))) * Fraction(1, 10**12), (
        found,
        float(expected),
        table,
    )
