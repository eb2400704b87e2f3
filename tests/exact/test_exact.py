"""Every score against its printed formula in 150 digits, on tables in which floats lose theirs.

Formulas that are completed by a sentence, and coefficients that PyCM has no right value of, are
recomputed here from their papers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import confmat.metrics as cmx
from confmat import ConfusionMatrix
from confmat.metrics.declaration import factories
from tests.laws import latex
from tests.laws.checks import is_told_in_words
from tests.laws.latex_values import decimal, ln, over, pi, times, total
from tests.laws.samples import METRICS
from tests.laws.symbols import scopes

Table = list[list[int]]
DIGITS = 150


def told(name: str) -> Callable[[Table], Any]:
    """The printed formula of a score, for a table: one value, or one for each class."""
    metric = METRICS[name]
    node, per_class = latex.parse(metric.latex or ""), metric.kind == "class"
    return lambda t: [node(scope) for scope in scopes(t, per_class=per_class)]


# ---- from the papers -----------------------------------------------------------------------------


class Whole:
    """The table, its margins and its places."""

    def __init__(self, t: Table) -> None:
        self.t, self.k, self.n = t, len(t), sum(map(sum, t))
        self.rows, self.cols = [sum(row) for row in t], [sum(col) for col in zip(*t, strict=True)]
        self.cells = [(i, j, t[i][j]) for i in range(self.k) for j in range(self.k)]
        self.classes = [(t[i][i], self.rows[i], self.cols[i]) for i in range(self.k)]

    def mean(self, weight: Callable[[int, int], Any]) -> Any:
        return over(
            sum((x * Fraction(weight(i, j)) for i, j, x in self.cells), Fraction(0)), self.n
        )


def mean(values: list[Any], weights: list[int] | None = None) -> Any:
    weights = weights or [1] * len(values)
    return over(
        sum((v * w for v, w in zip(values, weights, strict=True)), Fraction(0)), sum(weights)
    )


def f_of_macro(w: Whole, square: int) -> Any:
    seen = [one for one in w.classes if one[1]]
    r, p = (
        mean([Fraction(d, r) for d, r, _ in seen]),
        mean([Fraction(d, c or 1) for d, _, c in seen]),
    )
    return over((1 + square) * r * p, square * p + r) if r == r and r + p else r


def areas(w: Whole) -> list[tuple[int, Fraction]]:
    """(TPR + TNR) / 2 of every class that has members and non-members, with its members."""
    return [
        (r, (Fraction(d, r) + Fraction(w.n - r - c + d, w.n - r)) / 2)
        for d, r, c in w.classes
        if 0 < r < w.n
    ]


def chi_squared(w: Whole) -> Any:
    chances = [(x, Fraction(w.rows[i] * w.cols[j], w.n)) for i, j, x in w.cells if w.n]
    return sum(((x - y) ** 2 / y for x, y in chances if y), Fraction(0)) if w.n else Decimal("NaN")


def goodman_kruskal_tau(w: Whole) -> Any:
    blind = Fraction(sum(c * c for c in w.cols), w.n or 1)
    known = sum((Fraction(x * x, w.rows[i]) for i, _, x in w.cells if x), Fraction(0))
    return over(known - blind, w.n - blind)


def entropy(sizes: list[int]) -> Any:
    return -total(times(Fraction(x, sum(sizes)), ln(Fraction(x, sum(sizes)))) for x in sizes if x)


def expected_information(w: Whole) -> Any:
    """Over all tables with these margins, as Vinh, Epps and Bailey (2010) sum it."""
    found = Decimal(0)
    for (r, c), many in Counter((r, c) for r in w.rows for c in w.cols if r and c).items():
        for x in range(max(1, r + c - w.n), min(r, c) + 1):
            chance = Fraction(math.comb(c, x) * math.comb(w.n - c, r - x), math.comb(w.n, r))
            found += many * decimal(Fraction(x, w.n) * chance) * ln(Fraction(w.n * x, r * c))
    return found


def information(w: Whole) -> Any:
    return entropy(w.rows) + entropy(w.cols) - entropy([x for *_, x in w.cells])


def adjusted_mutual_information(w: Whole) -> Any:
    if not w.n:
        return Decimal("NaN")
    chance = expected_information(w)
    room = (entropy(w.rows) + entropy(w.cols)) / 2 - chance
    return over(information(w) - chance, room if abs(room) > Decimal(10) ** -60 else 0)


def gerrity(w: Whole) -> Any:
    """The scoring table is written out as in the paper, then averaged."""
    below = [Fraction(sum(w.rows[: i + 1]), w.n or 1) for i in range(w.k - 1)]
    if not below or any(p in {0, 1} for p in below):
        return Decimal("NaN")
    odds = [(1 - p) / p for p in below]

    def score(i: int, j: int) -> Fraction:
        i, j = sorted((i, j))
        return (sum((1 / a for a in odds[:i]), Fraction(0)) - (j - i) + sum(odds[j:])) / (w.k - 1)

    return w.mean(score)


def gwet_ac2(w: Whole) -> Any:
    if w.k < 2 or not w.n:
        return Decimal("NaN")
    weight = [[1 - Fraction(abs(i - j), w.k - 1) for j in range(w.k)] for i in range(w.k)]
    shares = [Fraction(r + c, 2 * w.n) for _, r, c in w.classes]
    chance = sum(map(sum, weight)) * sum(p * (1 - p) for p in shares) / (w.k * (w.k - 1))
    return over(w.mean(lambda i, j: weight[i][j]) - chance, 1 - chance)


WHOLES: dict[str, Callable[[Whole], Any]] = {
    "class_balance_accuracy": lambda w: mean(
        [Fraction(d, max(r, c)) for d, r, c in w.classes if r or c]
    ),
    "classification_success_index": lambda w: mean(
        [Fraction(d, r) + Fraction(d, c or 1) - 1 for d, r, c in w.classes if r]
    ),
    "f1_of_macro": lambda w: f_of_macro(w, 1),
    "f_of_macro(2)": lambda w: f_of_macro(w, 4),
    "one_vs_rest_balanced_accuracy": lambda w: mean([a for _, a in areas(w)]),
    "weighted_one_vs_rest_balanced_accuracy": lambda w: mean(
        [a for _, a in areas(w)], [r for r, _ in areas(w)]
    ),
    "chi_squared": chi_squared,
    "chi_squared_dof": lambda w: math.prod(
        max(sum(map(bool, side)), 1) - 1 for side in (w.rows, w.cols)
    ),
    "g_statistic": lambda w: 2 * w.n * information(w) if w.n else Decimal("NaN"),
    "goodman_kruskal_tau": goodman_kruskal_tau,
    "adjusted_mutual_information": adjusted_mutual_information,
    "gerrity_score": gerrity,
    "gwet_ac2(linear)": gwet_ac2,
}


def best_guesses(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    """Right guesses in both directions where the other side is known, and where nothing is."""
    known = max(a, b) + max(c, d) + max(a, c) + max(b, d)
    return known, max(a + c, b + d) + max(a + b, c + d)


def anderberg(a: int, b: int, c: int, d: int) -> Any:
    known, blind = best_guesses(a, b, c, d)
    return over(known - blind, 2 * (a + b + c + d))


def lambda_r(a: int, b: int, c: int, d: int) -> Any:
    """Goodman and Kruskal (1954), section 8: the modal class is that with the greatest sum of both margins."""
    modal = Fraction(max(2 * a + b + c, 2 * d + b + c), 2)
    return over(a + d - modal, a + b + c + d - modal)


def koppen_1(a: int, b: int, c: int, d: int) -> Any:
    half, n = over(b + c, 2 * (a + b + c + d)), a + b + c + d
    inside, outside = (over(x, n) + half for x in (a, d)) if n else (half, half)
    return over(inside * outside - half, inside * outside) if n else half


def eyraud(a: int, b: int, c: int, d: int) -> Any:
    n = a + b + c + d
    if not n:
        return Decimal("NaN")
    p, r = Fraction(a + b, n), Fraction(a + c, n)
    return over(Fraction(a, n) - p * r, p * r * (1 - p) * (1 - r))


# By hits, false alarms, misses and rejections: Warrens (2008), Forbes, Goodman and Kruskal, Eyraud, Koppen.
FOURS: dict[str, Callable[[int, int, int, int], Any]] = {
    "anderberg": anderberg,
    "binary_lambda_r": lambda_r,
    "binary_tau_a": lambda a, b, c, d: over(a * d - b * c, math.comb(a + b + c + d, 2)),
    "eyraud": eyraud,
    # Forbes wrote both terms with the other sign.
    "forbes_2": lambda a, b, c, d: over(
        b * c - a * d, (a + b) * (a + c) - (a + b + c + d) * min(a + b, a + c)
    ),
    "koppen_1": koppen_1,
}


def four(t: Table, i: int) -> tuple[int, int, int, int]:
    a, both = t[i][i], sum(t[i])
    b = sum(row[i] for row in t) - a
    return a, b, both - a, sum(map(sum, t)) - both - b


PAPERS: dict[str, Callable[[Table], Any]] = {
    **{name: lambda t, of=of: [of(Whole(t))] for name, of in WHOLES.items()},  # type: ignore[misc]
    **{
        name: lambda t, of=of: [of(*four(t, i)) for i in range(len(t))]  # type: ignore[misc]
        for name, of in FOURS.items()
    },
}
# Factorials of large counts are beyond any number of digits.
LARGE_FACTORIALS = "gilbert_wells"
EXACT = {name: PAPERS.get(name) or told(name) for name in METRICS if name != LARGE_FACTORIALS}
assert set(PAPERS) <= set(EXACT)


def exactly(name: str, table: Table, digits: int = DIGITS) -> list[Any]:
    with localcontext() as context:
        context.prec = digits
        return EXACT[name](table)


# ---- tables in which digits are lost -------------------------------------------------------------


def tables() -> list[Table]:
    """Ordinary, sparse, degenerate, skewed and huge tables, and those all but independent or all but certain."""
    rng = np.random.default_rng(20)
    found = [
        rng.integers(0, top, (k, k)).tolist()
        for k in (2, 3, 5)
        for top in (2, 4, 30, 10**4, 10**9, 2**47)
    ]
    found += [[[0]], [[7]], [[4, 0, 0], [0, 2, 0], [0, 0, 1]]]
    found += [[[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0] * 4]]
    r, c = [3, 5, 11], [7, 2, 13]
    # A product table with one item moved: what is left of the dependence is one part in the total
    # squared.
    for s in (1, 10**3, 10**5):
        found += [[[s * s * a * b + (a == 3 and b == 7) for b in c] for a in r]]
    for part in (0.001, 0.05, 0.5, 0.9999):
        sizes = rng.dirichlet(np.ones(6))
        mixed = (1 - part) * np.outer(sizes, sizes[::-1]) + part * np.diag(sizes)
        found += [np.rint(1e7 * mixed).astype(int).tolist()]
    # Totals beyond 2^53, and all but a few items in one cell.
    found += [[[(2**27 + i) * (2**26 + j) + (i == j == 0) for j in range(3)] for i in range(3)]]
    found += [[[2**51, 3, 0], [1, 1, 0], [0, 2, 5]], [[1, 0, 2], [1, 2, 2], [0, 3, 47526855]]]
    flat = [(2**53, 2**53 - 1, 2**53 + 3, 2**53), (2**53 - 1, 2**53 - 1, 2**53 - 1, 2**53)]
    flat += [(0, 0, 0, 0), (5, 0, 0, 0), (0, 5, 0, 0), (3, 2, 0, 0), (3, 0, 2, 0), (0, 3, 4, 0)]
    flat += [(118, 5, 2, 0), (25510, 1, 1, 0), (2, 1, 55924022, 1), (2**28, 4, 6, 28)]
    flat += [(2**52, 1, 1, 0), (2**52, 0, 1, 1), (1, 2**51, 2**52, 3), (2**53, 0, 0, 2**53)]
    for s in (10, 10**4, 10**7):
        flat += [(s * s + 1, s * (s - 1), s * (s + 1), s * s - 1), (s, 1, 0, s * s)]
        flat += [(s + 1, s, s, s), (1, s * s - 1, s * s, 1)]
    # e times 1.5 * 1.5 * 1 and so on, rounded: what is left of Baulieu IV is a fraction of an item.
    for a, d in ((1, 1), (10**3, 10**2), (10**5, 10**5)):
        flat += [(a, 0, round((a + 0.5) * (d + 0.5) * d * math.e), d)]
    return found + [[[a, b], [c, d]] for a, b, c, d in flat]


TABLES = tables()
# For classes: every table of 0, 1 and 2, and a bottom of zero beside larger counts.
SMALL = [
    [[a, b], [c, d]] for a, b, c, d in [*product(range(3), repeat=4), (4, 3, 0, 9), (3, 0, 0, 4)]
]
# For every run.
FEW: list[Table] = [
    [[10, 20], [30, 15]],
    [[4, 1, 1], [6, 2, 2], [3, 0, 6]],
    [[3, 0, 2], [1, 0, 4], [2, 0, 7]],
    [[10**8 + 1, 10**4 * 9999], [10**4 * 10001, 10**8 - 1]],
]


def check(name: str, table: Table) -> None:
    for found, expected in zip(
        np.atleast_1d(METRICS[name](ConfusionMatrix(table))).tolist(),
        exactly(name, table),
        strict=True,
    ):
        assert is_close(found, expected), (name, found, expected, table)


def is_close(found: float, expected: Any) -> bool:
    if expected != expected:
        return math.isnan(found)
    return abs(Fraction(found) - Fraction(expected)) <= (1 + abs(Fraction(expected))) / 10**12


def asks(name: str, table: Table) -> bool:
    """Whether a score of the table has digits to ask for."""
    if name == "adjusted_mutual_information":
        # A sum over all items takes too long for more.
        return sum(map(sum, table)) < 10**3
    if name in {"number_needed_to_diagnose", "dennis"}:
        # One over a difference, and one item beside the root of 2^55.
        return max(map(max, table)) <= 2**53
    # A single class has no other to be confused with.
    return len(table) > 1 or not name.endswith("confusion_entropy")


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", EXACT)
def test_no_digit_is_wrong(name: str, every: bool) -> None:
    small = SMALL if METRICS[name].kind == "class" else []
    for table in [*TABLES, *small] if every else FEW:
        if asks(name, table):
            check(name, table)


COUNT = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 10**4), st.integers(2**52, 2**53))


@given(COUNT, COUNT, COUNT, COUNT)
@example(0, 0, 0, 0)
@example(2**53, 2**53 - 1, 2**53 - 1, 2**53 - 2)
def test_of_any_four_counts(a: int, b: int, c: int, d: int) -> None:
    for name in EXACT:
        if METRICS[name].kind == "class":
            check(name, [[a, b], [c, d]])


def test_formulas_that_are_completed_in_words_have_a_twin() -> None:
    assert {name for name, one in METRICS.items() if is_told_in_words(one)} <= set(PAPERS)
    # Families that make no metric for any matrix are recomputed below.
    made = {name.partition("(")[0] for name in METRICS if "(" in name}
    assert set(factories()) - made - {one.factory[0] for one in METRICS.values() if one.factory} == {
        "cost", "normalized_cost", "total_cost", "taken_for", "on_scale"
    }  # fmt: skip


# ---- factorials, chance and prices ---------------------------------------------------------------

# Bernoulli numbers B2k, of which Stirling's series is made.
_BERNOULLI = [(1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510)]


def log_factorial(x: int) -> Decimal:
    """Stirling's series: 45 digits from 1,000 on."""
    if x < 1000:
        return Decimal(math.factorial(x)).ln()
    y = Decimal(x)
    series = sum(
        Decimal(top) / (bottom * 2 * k * (2 * k - 1) * y ** (2 * k - 1))
        for k, (top, bottom) in enumerate(_BERNOULLI, 1)
    )
    return y * y.ln() - y + (2 * pi() * y).ln() / 2 + series


def test_gilbert_and_wells_of_any_size() -> None:
    """A sum over items, so that its scale is their number."""
    for table in TABLES:
        (a, c), (b, d) = table if len(table) == 2 else ((0, 0), (0, 0))
        n, margins = a + b + c + d, (a + b, a + c, b + d, c + d)
        if not all(margins):
            continue
        with localcontext() as context:
            context.prec = 80
            logs = sum(map(log_factorial, (n, a, b, c, d))) - sum(map(log_factorial, margins))
            expected = (Decimal(n) ** 3 / (2 * pi() * math.prod(margins))).ln() + 2 * logs
        error = abs(Decimal(METRICS["gilbert_wells"](ConfusionMatrix(table), of=0)) - expected)
        assert error <= (n + abs(expected)) * Decimal("1e-12"), table


def drawn(largest: int) -> st.SearchStrategy[Table]:
    cell = st.one_of(st.just(0), st.integers(0, largest))
    return st.integers(2, 4).flatmap(
        lambda k: st.lists(st.lists(cell, min_size=k, max_size=k), min_size=k, max_size=k)
    )


@pytest.mark.slow
@given(drawn(12))
@example([[0, 0, 0], [0, 0, 1], [0, 3, 2]])
def test_information_beyond_chance(table: Table) -> None:
    check("adjusted_mutual_information", table)


@pytest.mark.slow
def test_information_hardly_beyond_chance() -> None:
    """Random answers: what is left of I and E[I] is any small share of them."""
    rng = np.random.default_rng(24)
    for _ in range(60):
        k, n = int(rng.integers(2, 6)), int(rng.integers(20, 300))
        table = np.zeros((k, k), dtype=int)
        np.add.at(table, (rng.integers(0, k, n), rng.integers(0, k, n)), 1)
        check("adjusted_mutual_information", table.tolist())


@given(st.integers(0, 2**32))
def test_of_many_items_near_chance_what_is_wrong_is_declared(seed: int) -> None:
    """Right to 1e-14 of I, and no further; the page of the metric says so."""
    table = np.random.default_rng(seed).multinomial(2 * 10**6, [1 / 9] * 9).reshape(3, 3)
    w = Whole(table.tolist())
    # Here E[I] is known otherwise: its expansion in 1/n, whose next term is below 1e-18.
    with localcontext() as context:
        context.prec = 60
        expected = sum((second_order(r, c, w.n) for r in w.rows for c in w.cols), Decimal(0))
        shared, entropies = information(w), (entropy(w.rows) + entropy(w.cols)) / 2
        beyond = (shared - expected) / (entropies - expected)
    allowed = Decimal("1e-14") * max(shared, expected) / entropies + Decimal("1e-17")
    found = cmx.adjusted_mutual_information(ConfusionMatrix(table))
    assert abs(Decimal(found) - beyond) <= allowed


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
    return decimal(mu * found / n)


PRICES = [[0, 1, 4, 2], [5, 0, 1, 3], [1, 1, -2, 0], [2, 6, 5, 0]]
PLACES = [1, 2, 5, 7]


@given(drawn(2**53))
def test_cells_costs_and_scales(table: Table) -> None:
    m, w, k = ConfusionMatrix(table), Whole(table), len(table)
    prices = [row[:k] for row in PRICES[:k]]
    spent = sum(prices[i][j] * x for i, j, x in w.cells)
    least = min(sum(prices[i][j] * x for i, _, x in w.cells) for j in range(k))
    places = PLACES[:k]
    far = [[abs(x - y) ** 3 for y in places] for x in places]
    chance = sum(w.rows[i] * w.cols[j] * far[i][j] for i, j, _ in w.cells)
    expected: dict[Any, Any] = {
        cmx.cost(prices): over(spent, w.n),
        cmx.total_cost(prices): spent,
        cmx.normalized_cost(prices): over(spent, max(least, 0)),
        cmx.on_scale("mean_absolute_error", places): w.mean(lambda i, j: abs(places[i] - places[j])),
        cmx.weighted_kappa(far): 1 - over(w.n * w.n * w.mean(lambda i, j: far[i][j]), chance),
        cmx.weighted_kappa(3, values=places): 1 - over(
            w.n * w.n * w.mean(lambda i, j: far[i][j]), chance
        ),
        **{cmx.taken_for(i, j): over(x, w.rows[i]) for i, j, x in w.cells if i != j},
    }  # fmt: skip
    for metric, value in expected.items():
        assert is_close(metric(m), value), (metric.name, table)
