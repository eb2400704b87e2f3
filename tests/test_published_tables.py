"""Tables that papers and manuals print with their results, and what is computed of them here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat import ConfusionMatrix
from confmat.comparison.significance import bhapkar, bowker, cochran, stuart_maxwell


def padded(table: Any) -> ConfusionMatrix:
    """A table of more rows than columns, or of fewer, with empty lines for the classes it lacks."""
    rows = np.array(table)
    size = max(rows.shape)
    return ConfusionMatrix(np.pad(rows, [(0, size - each) for each in rows.shape]))


def value(score: str, m: ConfusionMatrix) -> float:
    return float(cm.score(m, score))


def error(score: str, m: ConfusionMatrix) -> float:
    found = cm.interval(m, score, method="wald")
    assert isinstance(found, cm.Estimate)
    return found.se


# --- values and asymptotic standard errors --------------------------------------------------------

# Two raters whose printed SAS analysis statsmodels keeps in its tests; the first class is never
# named by the second.
SAS = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]
# SAS/STAT User's Guide, The FREQ Procedure, "Agreement Study": two dermatologists judge a skin
# condition.
SKIN = [[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]]
# The same manual, "Cochran-Armitage Trend Test": no adverse response, or one, at five doses; also
# in R's DescTools.
PAIN = [[26, 26, 23, 18, 9], [6, 7, 9, 14, 23]]
# The same, "Cochran's Q Test": drugs B and C, of the patients whom drug A helped, and of the
# others.
HELPED, NOT_HELPED = [[6, 16], [2, 4]], [[2, 4], [6, 6]]
# Goodman and Kruskal (1954), table of eye and hair colour.
EYES = [[1768, 807, 189, 47], [946, 1387, 746, 53], [115, 438, 288, 16]]
# Agresti, Categorical Data Analysis: husbands and wives answer a question; the example of Kappa in
# R's vcd.
COUPLES = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]


@pytest.mark.parametrize(
    ("table", "score", "printed", "its_error"),
    [
        (SAS, "kappa", 0.4842, 0.1380),
        (SAS, "weighted_kappa_linear", 0.4701, 0.1457),
        (SKIN, "kappa", 0.3449, 0.0724),
        (HELPED, "kappa", -0.0328, 0.1167),
        (NOT_HELPED, "kappa", -0.1538, 0.2230),
        (COUPLES, "kappa", 0.1293, 0.0686),
        (COUPLES, "weighted_kappa_linear", 0.2374, 0.0783),
        (PAIN, "gamma", 0.5313, 0.0935),
        (PAIN, "tau_b", 0.3373, 0.0642),
        (PAIN, "tau_c", 0.4111, 0.0798),
        (PAIN, "somers_d_response", 0.4427, 0.0837),
        (PAIN, "somers_d_reference", 0.2569, 0.0499),
        (PAIN, "spearman_rho", 0.3771, 0.0718),
    ],
)
def test_with_asymptotic_standard_errors(
    table: Any, score: str, printed: float, its_error: float
) -> None:
    m = padded(table)
    assert (round(value(score, m), 4), round(error(score, m), 4)) == (printed, its_error)


@pytest.mark.parametrize(
    ("score", "printed"),
    [
        ("kappa", 0.05891072),
        ("scott_pi", 0.05905473),
        ("gwet_ac1", 0.04321747),
        ("brennan_prediger", 0.04693346),
        ("percent_agreement", 0.03128898),
    ],
)
def test_the_standard_errors_of_irrcac(score: str, printed: float) -> None:
    """R's irrCAC on its table cont3x3abstractors, as its overview prints them."""
    assert round(error(score, ConfusionMatrix([[13, 0, 0], [0, 20, 7], [0, 4, 56]])), 8) == printed


def test_the_weights_of_fleiss_cohen_and_everitt() -> None:
    """Large sample standard errors of kappa and weighted kappa, Psychological Bulletin 72 (1969)."""
    diagnoses = ConfusionMatrix([[106, 10, 4], [22, 28, 10], [2, 12, 6]])
    weighted = cm.metrics.weighted_kappa([[0, 1, 5 / 9], [1, 0, 1 / 3], [5 / 9, 1 / 3, 0]])
    plain, found = (cm.interval(diagnoses, each, method="wald") for each in ("kappa", weighted))
    assert isinstance(plain, cm.Estimate)
    assert isinstance(found, cm.Estimate)
    assert (round(plain.value, 3), round(plain.se, 3)) == (0.429, 0.054)
    assert (round(found.value, 3), round(found.se, 3)) == (0.507, 0.057)


@pytest.mark.parametrize(
    ("table", "kappa", "alike"),
    [
        ([[40, 9], [6, 45]], 0.70, (0.84, 0.86)),
        ([[80, 10], [5, 5]], 0.32, (0.91, 0.40)),
    ],
)
def test_the_paradoxes_of_feinstein_and_cicchetti(
    table: Any, kappa: float, alike: tuple[float, float]
) -> None:
    """High agreement but low kappa, Journal of Clinical Epidemiology 43 (1990): with the agreement on yes and on no."""
    m = ConfusionMatrix(table)
    assert round(value("kappa", m), 2) == kappa
    assert tuple(round(value(f"specific_agreement[{answer}]", m), 2) for answer in (0, 1)) == alike


@pytest.mark.parametrize(
    ("score", "printed"),
    [("lambda_reference", 0.2241), ("lambda_response", 0.1924), ("lambda_symmetric", 0.2076)],
)
def test_the_lambdas_of_goodman_and_kruskal(score: str, printed: float) -> None:
    assert round(value(score, padded(EYES)), 4) == printed


@pytest.mark.parametrize(
    ("score", "printed"),
    [
        ("kappa", -0.006289308),
        ("weighted_kappa_linear", 0.1459075),
        ("weighted_kappa_quadratic", 0.2520325),
    ],
)
def test_the_anxiety_of_irr(score: str, printed: float) -> None:
    """R's irr on its data set anxiety, raters two and three, of whom neither gives a 5: what kappa2 prints."""
    m = cm.count(list(map(int, "36462424332333221334")), list(map(int, "21443216111233113322")))
    assert value(score, m) == pytest.approx(printed, abs=5e-8)


# --- several classes ------------------------------------------------------------------------------

# The cross-validated predictions hpc_cv of R's modeldata: how long a job runs on a cluster.
HPC = ConfusionMatrix(
    [[1620, 141, 6, 2], [371, 647, 24, 36], [64, 219, 79, 50], [9, 60, 28, 111]],
    ["VF", "F", "M", "L"],
)
# The values that yardstick's tests compare with, computed by scikit-learn.
YARDSTICK = {
    "accuracy": 0.70868186,
    "f1.macro": 0.57045121,
    "f1.micro": 0.70868186,
    "f1.weighted": 0.68579868,
    "f0.5.macro": 0.59433814,
    "f0.5.weighted": 0.68247555,
    "kappa": 0.50824843,
    "weighted_kappa_linear": 0.59330287,
    "weighted_kappa_quadratic": 0.69189244,
    "mcc": 0.51530814,
    "precision.macro": 0.631422,
    "precision.weighted": 0.69100841,
    "recall.macro": 0.56033964,
    "recall.weighted": 0.70868186,
}


@pytest.mark.parametrize("score", YARDSTICK)
def test_the_four_classes_of_yardstick(score: str) -> None:
    assert round(value(score, HPC), 8) == YARDSTICK[score]


# --- forecasts ------------------------------------------------------------------------------------

# Finley's tornado forecasts of 1884, with the figures of the page of the WMO working group on
# verification; HSS and GSS to six digits from the tests of the Python package scores.
FINLEY = ConfusionMatrix.from_cells(tp=28, fp=72, fn=23, tn=2680, labels=["tornado", "none"])


@pytest.mark.parametrize(
    ("score", "printed", "digits"),
    [
        ("heidke_skill_score", 0.355325, 6),
        ("gilbert_skill_score", 0.216046, 6),
        ("pod", 0.55, 2),
        ("false_alarm_ratio", 0.72, 2),
        ("pofd", 0.03, 2),
        ("threat_score", 0.23, 2),
        ("frequency_bias", 1.96, 2),
        ("hanssen_kuipers", 0.52, 2),
        ("odds_ratio", 45.3, 1),
        ("odds_ratio_skill_score", 0.96, 2),
    ],
)
def test_finleys_tornadoes(score: str, printed: float, digits: int) -> None:
    assert round(value(f"{score}[tornado]", FINLEY), digits) == printed


def test_the_clouds_of_nurmi() -> None:
    """Three classes of cloudiness in Finland: Nurmi, ECMWF Technical Memorandum 430 (2003)."""
    clouds = ConfusionMatrix.from_predicted_rows(
        [[65, 10, 21], [29, 17, 48], [18, 10, 128]], ["0-2", "3-5", "6-8"]
    )
    overall = {"accuracy": 0.61, "kuipers_skill_score": 0.41, "heidke_skill_score_multiclass": 0.37}
    assert {score: round(value(score, clouds), 2) for score in overall} == overall
    of_class = {
        "frequency_bias": [0.86, 2.54, 0.79],
        "pod": [0.58, 0.46, 0.65],
        "false_alarm_ratio": [0.32, 0.82, 0.18],
        "threat_score": [0.45, 0.15, 0.57],
    }
    for score, printed in of_class.items():
        assert [round(float(each), 2) for each in cm.metric(score)(clouds)] == printed


def test_finleys_accuracy_and_that_of_never_saying_tornado() -> None:
    """Gilbert answered that without any forecast of a tornado 98.2 % would have been right."""
    assert round(value("accuracy", FINLEY), 3) == 0.966
    assert round(value("no_information_rate", FINLEY), 3) == 0.982


# --- two models, or more --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "ends"),
    [
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 10), (-0.2775, 0.2775)),
        ((10, 10), (0, 10), (0.6075, 1.0)),
    ],
)
def test_the_differences_of_newcombe(
    first: tuple[int, int], second: tuple[int, int], ends: tuple[float, float]
) -> None:
    """Newcombe, Statistics in Medicine 17 (1998), 873-890, table II, method 10: of two samples that are not paired."""
    one, two = (ConfusionMatrix([[hits, n - hits], [0, 0]]) for hits, n in (first, second))
    found = cm.compare({"two": two, "one": one}, metrics=["accuracy"], same_items=False).of(
        "accuracy"
    )
    assert (round(found.low, 4), round(found.high, 4)) == ends


def test_the_eyes_of_stuart() -> None:
    """Unaided vision of 7,477 women, right eye by left (Stuart 1953, 1955; Bhapkar 1966; Bowker's test in Agresti)."""
    eyes = np.array(
        [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
    )
    found = {
        test.name: (round(test.statistic, 2), test.df)
        for test in (stuart_maxwell(eyes), bhapkar(eyes))
    }
    assert found == {"Stuart-Maxwell": (11.96, 3), "Bhapkar": (11.98, 3)}
    assert (round(bowker(eyes).statistic, 2), bowker(eyes).df) == (19.11, 6)


def test_the_drugs_of_cochran() -> None:
    """SAS/STAT User's Guide, The FREQ Procedure, "Cochran's Q Test": 46 patients, favourable to each of three drugs."""
    patients = {"FFF": 6, "UFF": 2, "FFU": 16, "UFU": 4, "FUF": 2, "UUF": 6, "FUU": 4, "UUU": 6}
    right = np.array(
        [[drug == "F" for drug in answers] for answers, n in patients.items() for _ in range(n)],
        float,
    )
    found = cochran(right.sum(axis=0).tolist(), right.T @ right)
    assert (round(found.statistic, 4), found.df, round(found.p_value, 4)) == (8.4706, 2, 0.0145)
