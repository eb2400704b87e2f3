"""Ordinal metrics and costs, recomputed in fractions item by item or pair by pair."""

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


def root(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return (Decimal(value.numerator) / Decimal(value.denominator)).sqrt()


def mean(t: Table, weight: Callable[[int, int], Fraction | int]) -> Fraction | None:
    n = sum(map(sum, t))
    places = range(len(t))
    return Fraction(sum(t[i][j] * weight(i, j) for i in places for j in places), n) if n else None


def expected(t: Table, weight: Callable[[int, int], Fraction | int]) -> Fraction:
    n = sum(map(sum, t))
    row, col = [sum(x) for x in t], [sum(x) for x in zip(*t, strict=True)]
    places = range(len(t))
    return Fraction(sum(row[i] * col[j] * weight(i, j) for i in places for j in places), n * n)


def disagreement_ratio(t: Table, weight: Callable[[int, int], Fraction | int]) -> Exact:
    seen = mean(t, weight)
    if seen is None:
        return None
    chance = expected(t, weight)
    return None if chance == 0 else 1 - seen / chance


def mean_absolute_error(t: Table) -> Exact:
    return mean(t, lambda i, j: abs(i - j))


def mean_squared_error(t: Table) -> Exact:
    return mean(t, lambda i, j: (i - j) ** 2)


def root_mean_squared_error(t: Table) -> Exact:
    found = mean(t, lambda i, j: (i - j) ** 2)
    return None if found is None else root(found)


def macro_mean_absolute_error(t: Table) -> Exact:
    means = [
        Fraction(sum(x * abs(i - j) for j, x in enumerate(row)), sum(row))
        for i, row in enumerate(t)
        if sum(row)
    ]
    return sum(means, Fraction(0)) / len(means) if means else None


def within_one(t: Table) -> Exact:
    return mean(t, lambda i, j: int(abs(i - j) <= 1))


def mean_error(t: Table) -> Exact:
    return mean(t, lambda i, j: j - i)


def alpha(t: Table, distance: Callable[[list[int], int, int], Fraction | int]) -> Exact:
    """Krippendorff's alpha by its definition: disagreement within items over that among all values."""
    n, places = sum(map(sum, t)), range(len(t))
    if not n:
        return None
    values = [sum(t[i]) + sum(row[i] for row in t) for i in places]
    within = sum(t[i][j] * distance(values, i, j) for i in places for j in places)
    among = sum(values[i] * values[j] * distance(values, i, j) for i in places for j in places)
    return None if among == 0 else 1 - Fraction(2 * (2 * n - 1) * within) / among


def ordinal_distance(values: list[int], i: int, j: int) -> Fraction:
    low, high = min(i, j), max(i, j)
    return (
        (sum(values[low : high + 1]) - Fraction(values[low] + values[high], 2)) ** 2
        if i != j
        else Fraction(0)
    )


def gerrity(t: Table) -> Exact:
    """The scoring table is written out as in the paper, then averaged."""
    n, k = sum(map(sum, t)), len(t)
    if not n or k < 2:
        return None
    shares = [Fraction(sum(row), n) for row in t]
    below = [sum(shares[: r + 1], Fraction(0)) for r in range(k - 1)]
    if any(p in {0, 1} for p in below):
        return None
    odds = [(1 - p) / p for p in below]
    score = [[Fraction(0)] * k for _ in range(k)]
    for i in range(k):
        for j in range(i, k):
            value = (
                sum((1 / a for a in odds[:i]), Fraction(0)) - (j - i) + sum(odds[j:], Fraction(0))
            )
            score[i][j] = score[j][i] = value / (k - 1)
    return mean(t, lambda i, j: score[i][j])


def pairs(t: Table) -> tuple[int, int, int, int]:
    """Concordant and discordant pairs of items, one by one; twice the pairs that differ in truth, and in prediction."""
    cells = [(i, j, x) for i, row in enumerate(t) for j, x in enumerate(row)]
    alike = sum(x * y for i, j, x in cells for k, m, y in cells if k > i and m > j)
    opposite = sum(x * y for i, j, x in cells for k, m, y in cells if k > i and m < j)
    rows = sum(x * y for i, _, x in cells for k, _, y in cells if k != i)
    cols = sum(x * y for _, j, x in cells for _, m, y in cells if m != j)
    return alike, opposite, rows, cols


def gamma(t: Table) -> Exact:
    alike, opposite, *_ = pairs(t)
    return Fraction(alike - opposite, alike + opposite) if alike + opposite else None


def tau_b(t: Table) -> Exact:
    alike, opposite, rows, cols = pairs(t)
    if not rows or not cols:
        return None
    return (-1 if opposite > alike else 1) * root(
        Fraction(4 * (alike - opposite) ** 2, rows * cols)
    )


def tau_c(t: Table) -> Exact:
    alike, opposite, *_ = pairs(t)
    lines = min(sum(any(row) for row in t), sum(any(col) for col in zip(*t, strict=True)))
    n = sum(map(sum, t))
    return Fraction(2 * lines * (alike - opposite), n * n * (lines - 1)) if lines > 1 else None


def somers(t: Table) -> Exact:
    alike, opposite, rows, _ = pairs(t)
    return Fraction(2 * (alike - opposite), rows) if rows else None


def spearman(t: Table) -> Exact:
    """The correlation of midranks, by its definition."""
    n = sum(map(sum, t))
    sides = [[sum(x) for x in t], [sum(x) for x in zip(*t, strict=True)]]
    a, b = (
        [sum(side[:i]) + Fraction(side[i] + 1, 2) - Fraction(n + 1, 2) for i in range(len(t))]
        for side in sides
    )
    together = sum(x * a[i] * b[j] for i, row in enumerate(t) for j, x in enumerate(row))
    spreads = [
        sum(x * rank**2 for x, rank in zip(*each, strict=True))
        for each in zip(sides, (a, b), strict=True)
    ]
    if not all(spreads):
        return None
    return (-1 if together < 0 else 1) * root(Fraction(together**2) / (spreads[0] * spreads[1]))


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
    # Totals beyond 2^53, and sides that are all but independent.
    found += [[[2**53, 2**53 - 1], [2**53 + 3, 2**53]], [[2**53 - 1] * 2, [2**53 - 1, 2**53]]]
    found += [[[(2**27 + i) * (2**26 + j) + (i == j == 0) for j in range(3)] for i in range(3)]]
    # All but a few items in one cell.
    found += [[[2**52, 1], [1, 0]], [[2**52, 0], [1, 1]], [[2**51, 3, 0], [1, 1, 0], [0, 2, 5]]]
    found += [
        [[25510, 1], [1, 0]],
        [[2, 1], [55924022, 1]],
        [[1, 0, 2], [1, 2, 2], [0, 3, 47526855]],
    ]
    return found


EXACT: dict[str, Callable[[Table], Exact]] = {
    "mean_absolute_error": mean_absolute_error,
    "mean_squared_error": mean_squared_error,
    "root_mean_squared_error": root_mean_squared_error,
    "macro_mean_absolute_error": macro_mean_absolute_error,
    "within_one_accuracy": within_one,
    "mean_error": mean_error,
    "krippendorff_alpha_ordinal": lambda t: alpha(t, ordinal_distance),
    "krippendorff_alpha_interval": lambda t: alpha(t, lambda _, i, j: (i - j) ** 2),
    "gerrity_score": gerrity,
    "goodman_kruskal_gamma": gamma,
    "kendall_tau_b": tau_b,
    "stuart_tau_c": tau_c,
    "somers_d_response": somers,
    "somers_d_reference": lambda t: somers([list(x) for x in zip(*t, strict=True)]),
    "spearman_rho": spearman,
}
WEIGHTED: dict[str, Callable[[int, int], int]] = {
    "linear": lambda i, j: abs(i - j),
    "quadratic": lambda i, j: (i - j) ** 2,
    "cubic": lambda i, j: abs(i - j) ** 3,
}

TABLES = tables()


@pytest.mark.parametrize("name", EXACT)
def test_no_digit_is_wrong(name: str) -> None:
    metric = cmx.metric(name)
    for table in TABLES:
        compare(metric(ConfusionMatrix(table)), EXACT[name](table), table)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weighted_kappa(name: str) -> None:
    metric = cmx.weighted_kappa({"cubic": 3}.get(name, name))
    for table in TABLES:
        expected = disagreement_ratio(table, WEIGHTED[name])
        compare(metric(ConfusionMatrix(table)), expected, table)
        rows = [[WEIGHTED[name](i, j) for j in range(len(table))] for i in range(len(table))]
        compare(cmx.weighted_kappa(rows)(ConfusionMatrix(table)), expected, table)


@pytest.mark.parametrize("name", WEIGHTED)
def test_gwet_ac2(name: str) -> None:
    metric = cmx.gwet_ac2({"cubic": 3}.get(name, name))
    for table in TABLES:
        compare(metric(ConfusionMatrix(table)), ac2(table, WEIGHTED[name]), table)


def ac2(t: Table, distance: Callable[[int, int], int]) -> Exact:
    n, k = sum(map(sum, t)), len(t)
    if not n or k < 2:
        return None
    top = distance(0, k - 1)
    weight = [[1 - Fraction(distance(i, j), top) for j in range(k)] for i in range(k)]
    agreed = mean(t, lambda i, j: weight[i][j])
    shares = [Fraction(sum(t[i]) + sum(row[i] for row in t), 2 * n) for i in range(k)]
    chance = (
        sum((w for row in weight for w in row), Fraction(0))
        / (k * (k - 1))
        * sum((p * (1 - p) for p in shares), Fraction(0))
    )
    assert agreed is not None
    return None if chance == 1 else (agreed - chance) / (1 - chance)


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
