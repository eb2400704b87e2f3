"""The remaining exact tests: angles and quantiles, confusion per class, chance information, and factories."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import confmat.metrics as cmx
from confmat import ConfusionMatrix

Table = list[list[int]]
Exact = Fraction | Decimal | int
PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211707"
)


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


def ln(value: Exact) -> Decimal:
    if value <= 0:
        raise UndefinedError
    return number(value).ln()


def share(top: Exact, bottom: Exact) -> Decimal:
    if bottom == 0:
        raise UndefinedError
    return number(top) / number(bottom)


def x_ln(value: Exact) -> Decimal:
    return number(value) * ln(value) if value else Decimal(0)


class One:
    """Hits a, false alarms b, misses c and right rejections d of one class, and the rates made of them."""

    def __init__(self, table: Table, i: int) -> None:
        places = range(len(table))
        self.table, self.i, self.k = table, i, len(table)
        self.a = table[i][i]
        self.b = sum(table[j][i] for j in places if j != i)
        self.c = sum(table[i][j] for j in places if j != i)
        self.d = sum(table[j][k] for j in places for k in places if i not in {j, k})
        self.n = sum(map(sum, table))

    @property
    def hit(self) -> Fraction:
        return over(self.a, self.a + self.c)

    @property
    def false(self) -> Fraction:
        return over(self.b, self.b + self.d)

    @property
    def precision(self) -> Fraction:
        return over(self.a, self.a + self.b)

    @property
    def prevalence(self) -> Fraction:
        return over(self.a + self.c, self.n)

    def wrong(self) -> list[int]:
        others = [j for j in range(self.k) if j != self.i]
        return [self.table[self.i][j] for j in others] + [self.table[j][self.i] for j in others]


def log_odds(o: One) -> Decimal:
    return ln(over(over(o.hit, 1 - o.hit), over(o.false, 1 - o.false)))


def sedi(o: One) -> Decimal:
    hit, false, miss, right = ln(o.hit), ln(o.false), ln(1 - o.hit), ln(1 - o.false)
    return share(false - hit - right + miss, false + hit + right + miss)


def eds(o: One) -> Decimal:
    hits = ln(over(o.a, o.n))
    return share(2 * ln(o.prevalence) - hits, hits)


def seds(o: One) -> Decimal:
    hits = ln(over(o.a, o.n))
    return share(ln(over(o.a + o.b, o.n)) + ln(o.prevalence) - hits, hits)


def edi(o: One) -> Decimal:
    return share(ln(o.false) - ln(o.hit), ln(o.false) + ln(o.hit))


def quantile(p: Fraction) -> Decimal:
    """Newton's method on the normal distribution, whose integral is summed as a series."""
    if not 0 < p < 1:
        raise UndefinedError
    if p > Fraction(1, 2):
        return -quantile(1 - p)
    z = Decimal(NormalDist().inv_cdf(float(p)))
    for _ in range(4):
        density = (-z * z / 2).exp() / (2 * PI).sqrt()
        term, k, area = z, 0, z
        while abs(term) > Decimal(10) ** -75:
            k += 1
            term *= -z * z / (2 * k)
            area += term / (2 * k + 1)
        z -= (Decimal("0.5") + area / (2 * PI).sqrt() - number(p)) / density
    return z


def threshold(o: One) -> Decimal:
    """Balayla's (sqrt(TPR FPR) - FPR) / (TPR - FPR), and its limit on the diagonal."""
    if o.hit == o.false:
        return Decimal(over(1, 2).numerator) / 2 if o.hit else share(0, 0)
    return share(root(o.hit * o.false) - number(o.false), o.hit - o.false)


def adjusted_g_mean(o: One) -> Exact:
    negatives = over(o.b + o.d, o.n)
    if o.hit == 0:
        return 1 - o.false and Fraction(0)
    return share(root(o.hit * (1 - o.false)) + number((1 - o.false) * negatives), 1 + negatives)


def confusion(o: One, around: int) -> Decimal:
    if o.k < 2:
        raise UndefinedError
    return -sum((x_ln(over(x, around)) for x in o.wrong()), share(0, around)) / ln(2 * (o.k - 1))


BETA = Fraction(1, 2)


def f(precision: Fraction, recall: Fraction, square: Fraction) -> Fraction:
    return over((1 + square) * precision * recall, square * precision + recall)


def gain(value: Fraction, share_of_class: Fraction) -> Fraction:
    return over(value - share_of_class, (1 - share_of_class) * value)


def bayes(likely: Fraction, unlikely: Fraction, prior: Fraction) -> Fraction:
    return over(likely * prior, likely * prior + unlikely * (1 - prior))


CLASSES: dict[str, Callable[[One], Exact]] = {
    "discriminant_power": lambda o: Decimal(3).sqrt() / PI * log_odds(o),
    "discriminant_power_log10": lambda o: Decimal(3).sqrt() / PI * log_odds(o) / Decimal(10).ln(),
    "symmetric_extremal_dependence_index": sedi,
    "extreme_dependency_score": eds,
    "symmetric_extreme_dependency_score": seds,
    "extremal_dependence_index": edi,
    "adjusted_g_mean": adjusted_g_mean,
    "prevalence_threshold": threshold,
    "sensitivity_index": lambda o: quantile(o.hit) - quantile(o.false),
    "class_confusion_entropy": lambda o: confusion(o, 2 * o.a + o.b + o.c),
    "modified_class_confusion_entropy": lambda o: confusion(o, o.a + o.b + o.c),
    "f_beta(0.5)": lambda o: over((1 + BETA**2) * o.a, (1 + BETA**2) * o.a + BETA**2 * o.c + o.b),
    "f_beta_negative(2)": lambda o: over(5 * o.d, 5 * o.d + 4 * o.b + o.c),
    "tversky(0.3, 0.7)": lambda o: over(o.a, o.a + Fraction(3, 10) * o.c + Fraction(7, 10) * o.b),
    "iba(0.1)": lambda o: (1 + Fraction(1, 10) * (o.hit - 1 + o.false)) * o.hit * (1 - o.false),
    "negative_predictive_value_at(0.1)": lambda o: bayes(1 - o.false, 1 - o.hit, Fraction(9, 10)),
    "precision_at(0.1)": lambda o: bayes(o.hit, o.false, Fraction(1, 10)),
    "net_benefit(0.25)": lambda o: over(o.a, o.n) - Fraction(1, 4) * over(o.b, o.n),
}


class Whole:
    """The table, its margins and its places."""

    def __init__(self, table: Table) -> None:
        self.t, self.k, self.n = table, len(table), sum(map(sum, table))
        self.rows, self.cols = (
            [sum(row) for row in table],
            [sum(col) for col in zip(*table, strict=True)],
        )
        self.cells = [(i, j, table[i][j]) for i in range(self.k) for j in range(self.k)]
        self.hits = sum(table[i][i] for i in range(self.k))

    def mean(self, weight: Callable[[int, int], Exact]) -> Fraction:
        return over(
            sum((x * Fraction(weight(i, j)) for i, j, x in self.cells), Fraction(0)), self.n
        )


def information(w: Whole) -> Decimal:
    if not w.n:
        raise UndefinedError
    shares = [
        (Fraction(x, w.n), Fraction(w.rows[i] * w.cols[j], w.n**2)) for i, j, x in w.cells if x
    ]
    return sum((number(p) * ln(p / q) for p, q in shares), Decimal(0))


def entropy(sizes: list[int]) -> Decimal:
    return -sum((x_ln(Fraction(x, sum(sizes))) for x in sizes), Decimal(0))


def expected_information(w: Whole) -> Decimal:
    """Over all tables with these margins, as Vinh, Epps and Bailey (2010) sum it."""
    total = Decimal(0)
    ways = Counter((r, c) for r in w.rows for c in w.cols if r and c)
    for (r, c), times in ways.items():
        for x in range(max(1, r + c - w.n), min(r, c) + 1):
            chance = Fraction(math.comb(c, x) * math.comb(w.n - c, r - x), math.comb(w.n, r))
            total += times * number(Fraction(x, w.n) * chance) * ln(Fraction(w.n * x, r * c))
    return total


def adjusted(w: Whole, mean: Callable[[Decimal, Decimal], Decimal]) -> Decimal:
    shared, chance = information(w), expected_information(w)
    room = mean(entropy(w.rows), entropy(w.cols)) - chance
    return share(shared - chance, room if abs(room) > Decimal(10) ** -60 else 0)


def v_measure(w: Whole, beta: int) -> Decimal:
    shared, of_rows, of_cols = information(w), entropy(w.rows), entropy(w.cols)
    if not of_rows + of_cols:
        raise UndefinedError
    homogeneity = shared / of_rows if of_rows else Decimal(1)
    completeness = shared / of_cols if of_cols else Decimal(1)
    if not homogeneity or not completeness:
        return Decimal(0)
    return share((1 + beta) * homogeneity * completeness, beta * homogeneity + completeness)


def lambda_symmetric(w: Whole) -> Fraction:
    guessed = sum(max(row) for row in w.t) + sum(max(col) for col in zip(*w.t, strict=True))
    blind = max(w.rows) + max(w.cols)
    return over(guessed - blind, 2 * w.n - blind)


def lines(w: Whole) -> int:
    return (max(sum(map(bool, w.rows)), 1) - 1) * (max(sum(map(bool, w.cols)), 1) - 1)


def f_of_macro(w: Whole, square: int) -> Fraction:
    seen = [i for i in range(w.k) if w.rows[i]]
    recall = over(sum((Fraction(w.t[i][i], w.rows[i]) for i in seen), Fraction(0)), len(seen))
    precision = over(
        sum((Fraction(w.t[i][i], w.cols[i]) for i in seen if w.cols[i]), Fraction(0)), len(seen)
    )
    return f(precision, recall, Fraction(square)) if precision + recall else Fraction(0)


PRICES = [[0, 1, 4, 2, 9], [5, 0, 1, 3, 3], [1, 1, -2, 0, 7], [2, 6, 5, 0, 1], [8, 8, 1, 4, 0]]

WHOLES: dict[str, Callable[[Whole], Exact]] = {
    "average_error_rate": lambda w: over(
        sum((Fraction(w.rows[i] + w.cols[i] - 2 * w.t[i][i]) for i in range(w.k)), Fraction(0)),
        w.k * w.n,
    ),
    "error_count": lambda w: sum(x for i, j, x in w.cells if i != j),
    "error_rate": lambda w: w.mean(lambda i, j: int(i != j)),
    "mean_support": lambda w: over(sum(w.rows), w.k),
    "mutual_information_nats": information,
    "adjusted_mutual_information": lambda w: adjusted(w, lambda a, b: (a + b) / 2),
    "chi_squared_dof": lines,
    "g_statistic": lambda w: 2 * w.n * information(w),
    "lambda_symmetric": lambda_symmetric,
    "f_of_macro(2)": lambda w: f_of_macro(w, 4),
    "within(2)": lambda w: w.mean(lambda i, j: int(abs(i - j) <= 2)),
}


def tables() -> list[Table]:
    """Seeded tables: ordinary, degenerate, huge, skewed, and close to independence."""
    rng = np.random.default_rng(23)
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
        [[4, 0], [0, 2]],
        [[0, 3], [4, 0]],
        [[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0] * 4],
    ]
    for scale in (10**2, 10**4, 10**7):
        found += [
            [
                [scale * scale + 1, scale * (scale + 1)],
                [scale * (scale - 1), (scale + 1) * (scale - 1)],
            ]
        ]
    found += [
        [[2**52, 1], [1, 0]],
        [[2**52, 1], [1, 2**52]],
        [[1, 2**51], [2**52, 3]],
        [[2**53, 2**53 - 1], [3, 9]],
    ]
    return found


TABLES = tables()
# For every run.
FEW: list[Table] = [
    [[10, 20], [30, 15]],
    [[4, 1, 1], [6, 2, 2], [3, 0, 6]],
    [[3, 0, 2], [1, 0, 4], [2, 0, 7]],
]
SMALL = [table for table in TABLES if sum(map(sum, table)) < 10**3]


def made(name: str) -> Any:
    return cmx.parse_score(name).metric


def exactly(function: Callable[[Any], Exact], given_: Any) -> Exact | None:
    with localcontext() as context:
        context.prec = 100
        try:
            return function(given_)
        except UndefinedError:
            return None


def check(found: float, expected: Exact | None, what: Any) -> None:
    if expected is None:
        assert math.isnan(found), (found, what)
        return
    error = abs(Fraction(float(found)) - Fraction(expected))
    assert error <= (1 + abs(Fraction(expected))) * Fraction(1, 10**12), (found, expected, what)


@pytest.mark.parametrize(
    "tables", [FEW, pytest.param(TABLES, marks=pytest.mark.slow)], ids=["few", "all"]
)
@pytest.mark.parametrize("name", CLASSES)
def test_no_digit_of_a_class_is_wrong(name: str, tables: list[Table]) -> None:
    for table in tables:
        for i, found in enumerate(made(name)(ConfusionMatrix(table)).tolist()):
            check(found, exactly(CLASSES[name], One(table, i)), (table, i))


@pytest.mark.parametrize("name", WHOLES)
def test_no_digit_of_a_whole_is_wrong(name: str) -> None:
    for table in SMALL if name.startswith("adjusted") else TABLES:
        check(made(name)(ConfusionMatrix(table)), exactly(WHOLES[name], Whole(table)), table)


def drawn(largest: int, most: int = 4) -> st.SearchStrategy[Table]:
    cell = st.one_of(st.just(0), st.integers(0, largest))
    return st.integers(2, most).flatmap(
        lambda k: st.lists(st.lists(cell, min_size=k, max_size=k), min_size=k, max_size=k)
    )


@pytest.mark.slow
@given(drawn(12))
@example([[0, 0, 0], [0, 0, 1], [0, 3, 2]])
def test_information_beyond_chance(table: Table) -> None:
    found = cmx.adjusted_mutual_information(ConfusionMatrix(table))
    check(found, exactly(WHOLES["adjusted_mutual_information"], Whole(table)), table)


@pytest.mark.slow
def test_information_hardly_beyond_chance() -> None:
    """Random answers: what is left of I and E[I] is any small share of them."""
    rng = np.random.default_rng(24)
    for _ in range(60):
        k, n = int(rng.integers(2, 6)), int(rng.integers(20, 300))
        drawn_table = np.zeros((k, k), dtype=int)
        np.add.at(drawn_table, (rng.integers(0, k, n), rng.integers(0, k, n)), 1)
        table = drawn_table.tolist()
        found = cmx.adjusted_mutual_information(ConfusionMatrix(table))
        check(found, exactly(WHOLES["adjusted_mutual_information"], Whole(table)), table)


@given(st.integers(0, 2**32))
def test_of_many_items_near_chance_what_is_wrong_is_declared(seed: int) -> None:
    """Right to 1e-14 of I, and no further; the page of the metric says so."""
    rng = np.random.default_rng(seed)
    table = rng.multinomial(2 * 10**6, [1 / 9] * 9).reshape(3, 3)
    m = ConfusionMatrix(table)
    counts, n = table.astype(float), int(table.sum())
    # Here E[I] is known otherwise: its expansion in 1/n, whose next term is below 1e-18.
    rows, cols = (table.sum(axis=axis).tolist() for axis in (1, 0))
    with localcontext() as context:
        context.prec = 60
        expected = sum((second_order(r, c, n) for r in rows for c in cols), Decimal(0))
        w = Whole(table.tolist())
        shared, entropies = information(w), (entropy(rows) + entropy(cols)) / 2
        exact = (shared - expected) / (entropies - expected)
    found = cmx.adjusted_mutual_information(m)
    allowed = Decimal("1e-14") * max(shared, expected) / entropies + Decimal("1e-17")
    assert counts.sum() == n
    assert abs(Decimal(found) - exact) <= allowed


def second_order(r: int, c: int, n: int) -> Decimal:
    """The mean of x/n ln(n x / r c) of a hypergeometric x from its central moments up to the sixth."""
    mu = Fraction(r * c, n)
    falling = [Fraction(1)]
    for k in range(8):
        falling.append(falling[-1] * (r - k) * (c - k) / (n - k))
    stirling = [[1], [0, 1]]
    for m in range(2, 9):
        last = [*stirling[-1], 0]
        stirling.append([0] + [last[k - 1] + k * last[k] for k in range(1, m + 1)])
    raw = [sum((s * falling[k] for k, s in enumerate(row)), Fraction(0)) for row in stirling]
    central = [
        sum((math.comb(m, k) * raw[k] * (-mu) ** (m - k) for k in range(m + 1)), Fraction(0))
        for m in range(9)
    ]
    # (1 + y) ln(1 + y) - y = sum of (-y)^k / (k (k - 1)), and the mean of y is 0.
    found = sum(((-1) ** k * central[k] / (mu**k * k * (k - 1)) for k in range(2, 9)), Fraction(0))
    return number(mu * found / n)


@given(drawn(2**53))
def test_a_class_is_taken_for_another(table: Table) -> None:
    m = ConfusionMatrix(table)
    for i, row in enumerate(table):
        for j, count in enumerate(row):
            if i != j:
                expected = Fraction(count) / Fraction(sum(row)) if sum(row) else None
                check(cmx.taken_for(i, j)(m), expected, table)


@given(drawn(2**53))
def test_costs_and_scales_and_units(table: Table) -> None:
    m, w, k = ConfusionMatrix(table), Whole(table), len(table)
    prices = [row[:k] for row in PRICES[:k]]
    places = [1, 2, 5, 7][:k]
    expected = exactly(lambda w: w.mean(lambda i, j: prices[i][j]), w)
    check(cmx.cost(prices)(m), expected, table)
    spent = sum(prices[i][j] * x for i, j, x in w.cells)
    check(cmx.total_cost(prices)(m), spent, table)
    least = min(sum(prices[i][j] * x for i, _, x in w.cells) for j in range(k))
    check(
        cmx.normalized_cost(prices)(m),
        Fraction(spent) / Fraction(least) if least > 0 else None,
        table,
    )
    far = cmx.on_scale("mean_absolute_error", places)
    check(far(m), exactly(lambda w: w.mean(lambda i, j: abs(places[i] - places[j])), w), table)
