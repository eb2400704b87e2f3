"""Accuracy and agreement, recomputed in fractions from the cells: no formula is shared with the package."""

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


def rows(t: Table) -> list[int]:
    return [sum(row) for row in t]


def cols(t: Table) -> list[int]:
    return [sum(column) for column in zip(*t, strict=True)]


def hits(t: Table) -> list[int]:
    return [t[i][i] for i in range(len(t))]


def size(t: Table) -> int:
    return sum(map(sum, t))


def over(top: int | Fraction, bottom: int | Fraction) -> Fraction | None:
    return None if bottom == 0 else Fraction(top) / bottom


def root(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 80
        return (Decimal(value.numerator) / Decimal(value.denominator)).sqrt()


def decimal(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 80
        return Decimal(value.numerator) / Decimal(value.denominator)


def accuracy(t: Table) -> Exact:
    return over(sum(hits(t)), size(t))


def average_accuracy(t: Table) -> Exact:
    # The mean over all classes of (tp + tn) / n, class by class.
    n, k = size(t), len(t)
    if not n:
        return None
    shares = []
    for i in range(k):
        tp = t[i][i]
        tn = sum(t[a][b] for a in range(k) for b in range(k) if i not in {a, b})
        shares.append(Fraction(tp + tn, n))
    return sum(shares, Fraction(0)) / k


def recalls(t: Table) -> list[Fraction]:
    return [Fraction(d, r) for d, r in zip(hits(t), rows(t), strict=True) if r]


def balanced_accuracy(t: Table) -> Exact:
    found = recalls(t)
    return over(sum(found), len(found))


def adjusted_balanced_accuracy(t: Table) -> Exact:
    found = recalls(t)
    if len(found) < 2:
        return None
    chance = Fraction(1, len(found))
    return (sum(found, Fraction(0)) / len(found) - chance) / (1 - chance)


def seen_balanced_accuracy(t: Table) -> Exact:
    seen = [(d, r) for d, r, c in zip(hits(t), rows(t), cols(t), strict=True) if r or c]
    return over(sum(Fraction(d, r) for d, r in seen if r), len(seen))


def areas(t: Table) -> list[tuple[int, Fraction]]:
    """(TPR + TNR) / 2 of every class that has members and non-members, with its members."""
    n, found = size(t), []
    for d, r, c in zip(hits(t), rows(t), cols(t), strict=True):
        if 0 < r < n:
            found.append((r, (Fraction(d, r) + Fraction(n - r - c + d, n - r)) / 2))
    return found


def aunu(t: Table) -> Exact:
    found = areas(t)
    return over(sum(a for _, a in found), len(found))


def aunp(t: Table) -> Exact:
    found = areas(t)
    return over(sum(r * a for r, a in found), sum(r for r, _ in found))


def class_balance_accuracy(t: Table) -> Exact:
    seen = [(d, max(r, c)) for d, r, c in zip(hits(t), rows(t), cols(t), strict=True) if r or c]
    return over(sum(Fraction(d, m) for d, m in seen), len(seen))


def fair_precisions(t: Table) -> list[Fraction]:
    return [
        Fraction(d, c) if c else Fraction(0)
        for d, r, c in zip(hits(t), rows(t), cols(t), strict=True)
        if r
    ]


def csi(t: Table) -> Exact:
    p, r = fair_precisions(t), recalls(t)
    return over(sum(a + b - 1 for a, b in zip(p, r, strict=True)), len(r))


def f_of_macro(t: Table) -> Exact:
    p, r = fair_precisions(t), recalls(t)
    if not r:
        return None
    mean_p, mean_r = sum(p, Fraction(0)) / len(p), sum(r, Fraction(0)) / len(r)
    return Fraction(0) if mean_p + mean_r == 0 else 2 * mean_p * mean_r / (mean_p + mean_r)


def g_mean(t: Table) -> Exact:
    found = recalls(t)
    if not found:
        return None
    product = math.prod(found, start=Fraction(1))
    if not product:
        return Fraction(0)
    with localcontext() as context:
        context.prec = 80
        return (decimal(product).ln() / len(found)).exp()


def no_information_rate(t: Table) -> Exact:
    return over(max(rows(t)), size(t))


def expected(t: Table) -> Fraction | None:
    return over(sum(r * c for r, c in zip(rows(t), cols(t), strict=True)), size(t) ** 2)


def expected_unbiased(t: Table) -> Fraction | None:
    return over(sum((r + c) ** 2 for r, c in zip(rows(t), cols(t), strict=True)), 4 * size(t) ** 2)


def corrected(t: Table, chance: Fraction | None) -> Exact:
    """The agreement beyond chance."""
    if chance is None:
        return None
    return over(Fraction(sum(hits(t)), size(t)) - chance, 1 - chance)


def kappa(t: Table) -> Exact:
    return corrected(t, expected(t))


def greatest_kappa(t: Table) -> Exact:
    n, chance = size(t), sum(r * c for r, c in zip(rows(t), cols(t), strict=True))
    together = sum(min(r, c) for r, c in zip(rows(t), cols(t), strict=True))
    return over(n * together - chance, n * n - chance)


def scott_pi(t: Table) -> Exact:
    return corrected(t, expected_unbiased(t))


def pabak(t: Table) -> Exact:
    return over(2 * sum(hits(t)) - size(t), size(t))


def bennett_s(t: Table) -> Exact:
    return corrected(t, Fraction(1, len(t)) if size(t) else None)


def gwet_ac1(t: Table) -> Exact:
    n, k = size(t), len(t)
    if not n or k < 2:
        return None
    shares = [Fraction(r + c, 2 * n) for r, c in zip(rows(t), cols(t), strict=True)]
    return corrected(t, sum((p * (1 - p) for p in shares), Fraction(0)) / (k - 1))


def krippendorff_alpha(t: Table) -> Exact:
    # Pairs of values within and across items, counted one by one.
    n, k = size(t), len(t)
    if not n:
        return None
    values = [r + c for r, c in zip(rows(t), cols(t), strict=True)]
    observed = 2 * sum(t[i][j] for i in range(k) for j in range(k) if i != j)
    expectation = Fraction(
        sum(values[i] * values[j] for i in range(k) for j in range(k) if i != j), 2 * n - 1
    )
    return None if expectation == 0 else 1 - observed / expectation


def bangdiwala_b(t: Table) -> Exact:
    return over(
        sum(d * d for d in hits(t)), sum(r * c for r, c in zip(rows(t), cols(t), strict=True))
    )


def peirce(t: Table) -> Exact:
    n = size(t)
    if not n:
        return None
    top = Fraction(sum(hits(t)), n) - Fraction(
        sum(r * c for r, c in zip(rows(t), cols(t), strict=True)), n * n
    )
    return over(top, 1 - sum(Fraction(r, n) ** 2 for r in rows(t)))


def mcc(t: Table) -> Exact:
    """Correlation of the two indicator tables, from covariances over all pairs of cells."""
    n = size(t)
    cov_xy = n * sum(hits(t)) - sum(r * c for r, c in zip(rows(t), cols(t), strict=True))
    cov_xx = n * n - sum(r * r for r in rows(t))
    cov_yy = n * n - sum(c * c for c in cols(t))
    if cov_xx * cov_yy == 0:
        return None
    with localcontext() as context:
        context.prec = 80
        return Decimal(cov_xy) / Decimal(cov_xx * cov_yy).sqrt()


def quantity_disagreement(t: Table) -> Exact:
    return over(sum(abs(r - c) for r, c in zip(rows(t), cols(t), strict=True)), 2 * size(t))


def allocation_disagreement(t: Table) -> Exact:
    return over(
        sum(min(r - d, c - d) for d, r, c in zip(hits(t), rows(t), cols(t), strict=True)), size(t)
    )


def exchange_disagreement(t: Table) -> Exact:
    places = range(len(t))
    return over(sum(min(t[i][j], t[j][i]) for i in places for j in places if i != j), size(t))


def shift_disagreement(t: Table) -> Exact:
    """Class by class: what is left of its errors both ways when those of each pair are taken out."""
    places = range(len(t))
    left = [[t[i][j] - min(t[i][j], t[j][i]) if i != j else 0 for j in places] for i in places]
    return over(sum(min(sum(left[i]), sum(row[i] for row in left)) for i in places), size(t))


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
    "accuracy": accuracy,
    "average_accuracy": average_accuracy,
    "balanced_accuracy": balanced_accuracy,
    "adjusted_balanced_accuracy": adjusted_balanced_accuracy,
    "seen_balanced_accuracy": seen_balanced_accuracy,
    "aunu": aunu,
    "aunp": aunp,
    "class_balance_accuracy": class_balance_accuracy,
    "classification_success_index": csi,
    "f1_of_macro": f_of_macro,
    "multiclass_g_mean": g_mean,
    "no_information_rate": no_information_rate,
    "expected_accuracy": expected,
    "expected_accuracy_unbiased": expected_unbiased,
    "kappa": kappa,
    "greatest_kappa": greatest_kappa,
    "scott_pi": scott_pi,
    "pabak": pabak,
    "bennett_s": bennett_s,
    "gwet_ac1": gwet_ac1,
    "krippendorff_alpha": krippendorff_alpha,
    "bangdiwala_b": bangdiwala_b,
    "multiclass_peirce": peirce,
    "mcc": mcc,
    "quantity_disagreement": quantity_disagreement,
    "allocation_disagreement": allocation_disagreement,
    "exchange_disagreement": exchange_disagreement,
    "shift_disagreement": shift_disagreement,
}

TABLES = tables()


@pytest.mark.parametrize("name", EXACT)
def test_no_digit_is_wrong(name: str) -> None:
    metric = cmx.metric(name)
    for table in TABLES:
        expected = EXACT[name](table) if sum(map(sum, table)) else None
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
