"""The scores of one class, recomputed in fractions and 60 digits from the class's own 2x2 table."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix

Exact = Fraction | Decimal | int | None
Table = list[list[int]]


class UndefinedError(ArithmeticError):
    """Something is divided by nothing."""


def over(top: Fraction | int, bottom: Fraction | int) -> Fraction:
    if bottom == 0:
        raise UndefinedError
    return Fraction(top) / bottom


def number(value: Fraction | int) -> Decimal:
    value = Fraction(value)
    return Decimal(value.numerator) / Decimal(value.denominator)


def root(value: Fraction | int) -> Decimal:
    return number(value).sqrt()


def log(value: Fraction | int) -> Decimal:
    if value <= 0:
        raise UndefinedError
    return number(value).ln()


class One:
    """Hits a, false alarms b, misses c and right rejections d of one class, and the rates made of them."""

    def __init__(self, table: Table, i: int) -> None:
        places = range(len(table))
        self.a = table[i][i]
        self.b = sum(table[j][i] for j in places if j != i)
        self.c = sum(table[i][j] for j in places if j != i)
        self.d = sum(table[j][k] for j in places for k in places if i not in {j, k})
        self.n = sum(map(sum, table))

    @property
    def recall(self) -> Fraction:
        return over(self.a, self.a + self.c)

    @property
    def precision(self) -> Fraction:
        return over(self.a, self.a + self.b)

    @property
    def specificity(self) -> Fraction:
        return over(self.d, self.d + self.b)

    @property
    def rejection(self) -> Fraction:
        """Negative predictive value."""
        return over(self.d, self.d + self.c)

    @property
    def share(self) -> Fraction:
        return over(self.a + self.c, self.n)

    @property
    def gap(self) -> int:
        return self.a * self.d - self.b * self.c


def f_measure(o: One, square: Fraction) -> Fraction:
    return over((1 + square) * o.a, (1 + square) * o.a + square * o.c + o.b)


def mcc(o: One) -> Decimal:
    product = (o.a + o.b) * (o.a + o.c) * (o.d + o.b) * (o.d + o.c)
    if not product:
        raise UndefinedError
    return Decimal(o.gap) / Decimal(product).sqrt()


def kappa(o: One) -> Fraction:
    chance = over((o.a + o.b) * (o.a + o.c) + (o.c + o.d) * (o.b + o.d), o.n**2)
    return over(over(o.a + o.d, o.n) - chance, 1 - chance)


def yule_y(o: One) -> Decimal:
    right, wrong = Decimal(o.a * o.d).sqrt(), Decimal(o.b * o.c).sqrt()
    if right + wrong == 0:
        raise UndefinedError
    return Decimal(o.gap) / (right + wrong) ** 2


def threat_by_chance(o: One) -> Fraction:
    lucky = over((o.a + o.b) * (o.a + o.c), o.n)
    return over(o.a - lucky, o.a + o.b + o.c - lucky)


def negative_half(o: One) -> Fraction:
    """F0.5 of the rest."""
    return over(Fraction(5, 4) * o.d, Fraction(5, 4) * o.d + Fraction(1, 4) * o.b + o.c)


def distance(o: One) -> Decimal:
    return root((1 - o.specificity) ** 2 + (1 - o.recall) ** 2)


EXACT: dict[str, Callable[[One], Exact]] = {
    "class_accuracy": lambda o: over(o.a + o.d, o.n),
    "class_error": lambda o: over(o.b + o.c, o.n),
    "f1": lambda o: f_measure(o, Fraction(1)),
    "false_discovery_rate": lambda o: 1 - o.precision,
    "false_negative_rate": lambda o: 1 - o.recall,
    "false_omission_rate": lambda o: 1 - o.rejection,
    "false_positive_rate": lambda o: 1 - o.specificity,
    "negative_predictive_value": lambda o: o.rejection,
    "precision": lambda o: o.precision,
    "recall": lambda o: o.recall,
    "specificity": lambda o: o.specificity,
    "braun_blanquet": lambda o: over(o.a, max(o.a + o.b, o.a + o.c)),
    "overlap": lambda o: over(o.a, min(o.a + o.b, o.a + o.c)),
    "g_measure": lambda o: root(o.precision * o.recall),
    "individual_classification_success": lambda o: o.precision + o.recall - 1,
    "jaccard": lambda o: over(o.a, o.a + o.b + o.c),
    "class_kappa": kappa,
    "class_mcc": mcc,
    "diagnostic_odds_ratio": lambda o: over(o.a * o.d, o.b * o.c),
    "equitable_threat_score": threat_by_chance,
    "frequency_bias": lambda o: over(o.a + o.b, o.a + o.c),
    "informedness": lambda o: o.recall + o.specificity - 1,
    "markedness": lambda o: o.precision + o.rejection - 1,
    "negative_likelihood_ratio": lambda o: over(1 - o.recall, o.specificity),
    "positive_likelihood_ratio": lambda o: over(o.recall, 1 - o.specificity),
    "log_odds_ratio": lambda o: log(over(o.a * o.d, o.b * o.c)),
    "log_positive_likelihood_ratio": lambda o: log(over(o.recall, 1 - o.specificity)),
    "log_negative_likelihood_ratio": lambda o: log(over(1 - o.recall, o.specificity)),
    "number_needed_to_diagnose": lambda o: over(1, o.recall + o.specificity - 1),
    "yule_q": lambda o: over(o.gap, o.a * o.d + o.b * o.c),
    "yule_y": yule_y,
    "adjusted_f": lambda o: root(f_measure(o, Fraction(4)) * negative_half(o)),
    "class_g_mean": lambda o: root(o.recall * o.specificity),
    "dominance": lambda o: o.recall - o.specificity,
    "one_point_auc": lambda o: (o.recall + o.specificity) / 2,
    "one_point_aupr": lambda o: (o.recall + o.precision) / 2,
    "optimized_precision": lambda o: (
        over(o.a + o.d, o.n) - over(abs(o.specificity - o.recall), o.specificity + o.recall)
    ),
    "p4": lambda o: over(4 * o.a * o.d, 4 * o.a * o.d + (o.a + o.d) * (o.b + o.c)),
    "roc_distance": distance,
    "roc_similarity": lambda o: 1 - distance(o) / Decimal(2).sqrt(),
    "information_score": lambda o: (log(o.precision) - log(o.share)) / Decimal(2).ln(),
    "lift": lambda o: over(o.precision, o.share),
    "precision_gain": lambda o: over(o.precision - o.share, (1 - o.share) * o.precision),
    "recall_gain": lambda o: over(o.recall - o.share, (1 - o.share) * o.recall),
    "actual_negatives": lambda o: o.b + o.d,
    "automatic_manual_difference": lambda o: o.b - o.c,
    "bias_index": lambda o: over(o.b - o.c, o.n),
    "prevalence_index": lambda o: over(o.a - o.d, o.n),
    "bray_curtis_dissimilarity": lambda o: over(abs(o.b - o.c), 2 * o.n),
    "detection_prevalence": lambda o: over(o.a + o.b, o.n),
    "detection_rate": lambda o: over(o.a, o.n),
    "false_negatives": lambda o: o.c,
    "false_positives": lambda o: o.b,
    "hamming_distance": lambda o: o.b + o.c,
    "population": lambda o: o.n,
    "predicted_negatives": lambda o: o.c + o.d,
    "predicted_positives": lambda o: o.a + o.b,
    "prevalence": lambda o: o.share,
    "random_accuracy": lambda o: over((o.a + o.b) * (o.a + o.c), o.n**2),
    "random_accuracy_unbiased": lambda o: over(2 * o.a + o.b + o.c, 2 * o.n) ** 2,
    "support": lambda o: o.a + o.c,
    "true_negatives": lambda o: o.d,
    "true_positives": lambda o: o.a,
}


def tables() -> list[Table]:
    """Seeded tables: ordinary, degenerate, huge, and close to independence."""
    rng = np.random.default_rng(21)
    found = [
        rng.integers(0, top, (k, k)).tolist()
        for k in (2, 3, 5)
        for top in (2, 4, 30, 10**4, 10**9, 2**47)
    ]
    found += [
        [[7]],
        [[5, 0], [0, 0]],
        [[0, 5], [0, 0]],
        [[3, 2], [0, 0]],
        [[3, 0], [2, 0]],
        [[4, 0], [0, 2]],
    ]
    for scale in (10**4, 10**7):
        found += [
            [
                [scale * scale + 1, scale * (scale + 1)],
                [scale * (scale - 1), (scale + 1) * (scale - 1)],
            ]
        ]
    found += [[[2**52, 1], [1, 0]], [[2**52, 1], [1, 2**52]], [[1, 2**51], [2**52, 3]]]
    return found


TABLES = tables()


def recomputed(name: str, table: Table, digits: int = 60) -> list[Exact]:
    found: list[Exact] = []
    for i in range(len(table)):
        with localcontext() as context:
            context.prec = digits
            try:
                found.append(EXACT[name](One(table, i)))
            except UndefinedError:
                found.append(None)
    return found


@pytest.mark.parametrize("name", EXACT)
def test_no_digit_is_wrong(name: str) -> None:
    metric = cmx.metric(name)
    for table in TABLES:
        for found, expected in zip(
            metric(ConfusionMatrix(table)), recomputed(name, table), strict=True
        ):
            if expected is None:
                assert math.isnan(found), (found, table)
            else:
                error = abs(Fraction(float(found)) - Fraction(expected))
                assert error <= (1 + abs(Fraction(expected))) * Fraction(1, 10**12), (
                    found,
                    table,
                )


@pytest.mark.parametrize("beta", [Fraction(1, 2), Fraction(2), Fraction(1, 10)])
def test_f_beta(beta: Fraction) -> None:
    metric = cmx.f_beta(float(beta))
    for table in TABLES:
        m = ConfusionMatrix(table)
        for i, found in enumerate(metric(m)):
            try:
                assert abs(found - f_measure(One(table, i), beta**2)) <= 1e-12
            except UndefinedError:
                assert found != found
