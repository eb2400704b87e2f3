"""The coefficients against hand arithmetic on one table, and what is special about some of them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from confmat import ConfusionMatrix
from confmat.core.cells import Cells
from confmat.metrics import coefficients
from confmat.metrics.declaration import Metric

METRICS = {name: getattr(coefficients, name) for name in coefficients.__all__}

# a = 4 hits, b = 1 false alarm, c = 2 misses, d = 8 others: n = 15, predicted 5 : 10, actual 6 : 9.
A, B, C, D, N = 4, 1, 2, 8, 15
EXPECTED = {
    "ample": abs(4 / 5 - 2 / 10),
    # Knowing the other side: 4 + 8 and 4 + 8 right guesses; not knowing it: 9 and 10.
    "anderberg": (24 - 19) / 30,
    "andres_marzo_delta": (12 - 2 * math.sqrt(2)) / 15,
    "baroni_urbani_buser_1": (math.sqrt(32) + 4) / (math.sqrt(32) + 7),
    "baroni_urbani_buser_2": (math.sqrt(32) + 1) / (math.sqrt(32) + 7),
    "batagelj_bren": 2 / 32,
    "baulieu_1": (30 - 16) / 30,
    "baulieu_2": (16 * 64) / (5 * 6 * 9 * 10),
    "baulieu_3": (225 - 4 * 30) / 450,
    "baulieu_4": (3 - 4.5 * 8.5 * 8 * math.e) / 15,
    "baulieu_5": 4 / 8,
    "baulieu_6": 3 / 8,
    "baulieu_7": 3 / 15,
    "baulieu_8": 1 / 225,
    "baulieu_9": 5 / 17,
    "baulieu_10": 5 / 17,
    "baulieu_11": 3 / 11,
    "baulieu_12": 3 / 6,
    "baulieu_13": 3 / 7,
    "baulieu_14": 5 / 9,
    "baulieu_15": 5 / 9,
    "benini": 30 / (6 * 10),
    "binary_lambda": (24 - 19) / (30 - 19),
    "binary_lambda_r": (8 - 3) / (8 + 3),
    "binary_tau_a": 2 * 30 / (15 * 14),
    "canberra": 3 / 11,
    "clement": 4 / 5 * 10 / 15 + 8 / 10 * 5 / 15,
    "consonni_todeschini_1": math.log(13) / math.log(16),
    "consonni_todeschini_2": (math.log(16) - math.log(4)) / math.log(16),
    "consonni_todeschini_3": math.log(5) / math.log(16),
    "consonni_todeschini_4": math.log(5) / math.log(8),
    "consonni_todeschini_5": (math.log(33) - math.log(3)) / math.log(1 + 225 / 4),
    # 2 of the 4 hits are what chance would give: 5 * 6 / 15.
    "dennis": (4 - 2) / math.sqrt(2),
    "digby": (32**0.75 - 2**0.75) / (32**0.75 + 2**0.75),
    "dispersion": 30 / 225,
    "doolittle": 30**2 / (5 * 6 * 9 * 10),
    "eyraud": 225 * 30 / (5 * 6 * 9 * 10),
    "fager_mcgowan": 4 / math.sqrt(30) - 1 / (2 * math.sqrt(6)),
    "faith": (4 + 4) / 15,
    "forbes_2": 30 / min(6 * 10, 5 * 9),
    "fossum": 15 * 3.5**2 / 30,
    "gilbert_wells": math.log(15**3 / (2 * math.pi * 5 * 6 * 9 * 10))
    + 2
    * math.log(
        math.prod(map(math.factorial, (15, 4, 1, 2, 8))) / math.prod(map(math.factorial, (5, 6, 9, 10))),
    ),
    "goodall": 2 / math.pi * math.asin(math.sqrt(12 / 15)),
    "guttman_lambda_a": (4 + 8 - 10) / (15 - 10),
    "guttman_lambda_b": (4 + 8 - 9) / (15 - 9),
    "hamann": (12 - 3) / 15,
    "harris_lahey": 4 / 7 * (16 + 3) / 30 + 8 / 11 * (8 + 3) / 30,
    "hawkins_dotson": (4 / 7 + 8 / 11) / 2,
    "kent_foster_1": (4 - 30 / 7) / (4 - 30 / 7 + 3),
    "kent_foster_2": (8 - 90 / 11) / (8 - 90 / 11 + 3),
    # Shares: (8+3)/30 on average in the class, (16+3)/30 outside.
    "koppen_1": 1 - (3 / 15 / 2) / (11 / 30 * 19 / 30),
    "koppen_2": 11 / 30,
    "kuder_richardson": 4 * 30 / (5 * 10 + 6 * 9 + 2 * 30),
    "kuhns_1": 2 * 2 / 15,
    "kuhns_2": 2 / 6,
    "kuhns_3": 4 / 7 - 2 / (11 - 2),
    "kuhns_4": 2 / 5,
    "kuhns_5": 2 / max(5 * 10 / 15, 6 * 9 / 15),
    "kuhns_6": 2 / min(5 * 10 / 15, 6 * 9 / 15),
    "kuhns_7": 2 / math.sqrt(30),
}


def cells(*abcd: float) -> Cells:
    return Cells(*(np.array([each]) for each in abcd))


def at(metric: Metric, *abcd: float) -> float:
    return float(metric(cells(*abcd))[0])


def test_every_coefficient_has_a_value_by_hand() -> None:
    assert set(EXPECTED) == set(METRICS)


@pytest.mark.parametrize("name", EXPECTED)
def test_by_hand(name: str) -> None:
    assert at(METRICS[name], A, B, C, D) == pytest.approx(EXPECTED[name], rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("name", METRICS)
def test_they_are_one_family_with_sources(name: str) -> None:
    assert METRICS[name].name == name
    assert METRICS[name].family == "coefficients"
    assert METRICS[name].references
    assert METRICS[name].latex


@pytest.mark.parametrize("name", METRICS)
def test_no_items_no_value(name: str) -> None:
    """Only those that count one item more than there are have a value on an empty table."""
    value = at(METRICS[name], 0, 0, 0, 0)
    expected = {"baulieu_5": 1.0, "baulieu_6": 0.0, "baulieu_12": 0.0}
    assert value == expected[name] if name in expected else math.isnan(value)


@pytest.mark.parametrize(
    ("name", "abcd"),
    [
        ("binary_tau_a", (0, 0, 1, 0)),
        ("baulieu_12", (0, 1, 0, 3)),
        ("kent_foster_1", (3, 0, 0, 4)),
        ("kuder_richardson", (0, 2, 2, 0)),
        ("batagelj_bren", (0, 1, 1, 4)),
        ("guttman_lambda_b", (0, 3, 0, 4)),
        ("gilbert_wells", (0, 0, 3, 4)),
    ],
)
def test_a_zero_bottom_has_no_value(name: str, abcd: tuple[int, ...]) -> None:
    assert math.isnan(at(METRICS[name], *abcd))


def test_gilbert_and_wells_at_a_size_where_factorials_overflow() -> None:
    """The logarithm of n! is known to 15 digits at any size; here 10^6 items and the sum of logarithms term by term."""
    abcd = (400_000, 100_000, 200_000, 300_000)
    a, b, c, d = abcd
    n = sum(abcd)
    margins = (a + b, a + c, b + d, c + d)
    logs = math.lgamma(n + 1) + sum(math.lgamma(x + 1) for x in abcd) - sum(math.lgamma(x + 1) for x in margins)
    expected = math.log(n) * 3 - math.log(2 * math.pi) - sum(map(math.log, margins)) + 2 * logs
    assert at(METRICS["gilbert_wells"], *abcd) == pytest.approx(expected, rel=1e-11)
    assert math.isfinite(at(METRICS["gilbert_wells"], *(x * 10**9 for x in abcd)))


def test_gilbert_and_wells_is_near_zero_where_nothing_is_associated() -> None:
    assert at(METRICS["gilbert_wells"], 25, 25, 25, 25) == pytest.approx(0, abs=0.02)


def test_koppen_and_eyraud_do_not_change_with_the_unit_of_counting() -> None:
    for name in ("koppen_1", "koppen_2", "eyraud"):
        assert at(METRICS[name], 40, 10, 20, 80) == pytest.approx(EXPECTED[name], rel=1e-14)


def test_koppen_is_phi_where_both_margins_agree() -> None:
    assert at(METRICS["koppen_1"], 5, 2, 2, 6) == pytest.approx((30 - 4) / (7 * 8))


def test_forbes_2_reaches_1_where_the_margins_allow_no_more_hits() -> None:
    assert at(METRICS["forbes_2"], 5, 0, 3, 7) == 1
    assert at(METRICS["kuhns_6"], 5, 0, 3, 7) < 1


def test_kuhns_5_and_6_are_informedness_and_markedness() -> None:
    both = [abs(30 / (6 * 9)), abs(30 / (5 * 10))]
    assert at(METRICS["kuhns_5"], A, B, C, D) == pytest.approx(min(both))
    assert at(METRICS["kuhns_6"], A, B, C, D) == pytest.approx(max(both))


def test_lambda_r_reaches_minus_1_and_never_falls_below() -> None:
    """Where the sides name different classes most, what PyCM computes falls to -9."""
    assert at(METRICS["binary_lambda_r"], 0, 9, 1, 0) == -1
    assert at(METRICS["binary_lambda_r"], 7, 0, 0, 2) == 1


def test_tau_a_counts_pairs() -> None:
    """Four items, each rated 0 or 1 by both sides: of 6 pairs 2 are ordered alike, 1 the other way round."""
    truth, predicted = [1, 1, 0, 0], [1, 0, 0, 1]
    signs = [np.sign(truth[i] - truth[j]) * np.sign(predicted[i] - predicted[j]) for i in range(4) for j in range(i)]
    assert at(METRICS["binary_tau_a"], 1, 1, 1, 1) == sum(signs) / 6
    assert at(METRICS["binary_tau_a"], 3, 1, 0, 4) == 2 * 12 / (8 * 7)


def test_goodall_keeps_its_digits_near_perfection() -> None:
    exact = 1 - 2 / math.pi * math.asin(math.sqrt(1e-12))
    assert at(METRICS["goodall"], 10**12 - 1, 1, 0, 0) == pytest.approx(exact, rel=1e-15)


def test_they_answer_a_matrix_per_class_and_averaged() -> None:
    m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
    assert coefficients.hamann(m, of="Cat") == (4 + 10 - 9 - 2) / 25
    assert coefficients.hamann(m, average="macro") == pytest.approx(((14 - 11) + (16 - 9) + (19 - 6)) / 75)
    assert coefficients.baulieu_14(m, of="Hen", exact=True) == Fraction(3 + 6, 6 + 3 + 6)
