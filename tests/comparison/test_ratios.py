"""Two diagnostic tests of the same patients: ratios, score tests and the joint test, against printed examples."""

from __future__ import annotations

import math
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import stats

import confmat as cm
from confmat.comparison import Comparison

SCORES = ("recall", "specificity", "precision", "npv", "lr+", "lr-")
LABELS = cm.Labels(["sick", "well"], positive="sick")
Four = tuple[int, int, int, int]
# Called sick by both tests, by the first alone, by the second alone, and by none: the sick and the
# well of DTComPair's hypothetical study, and those of Lachenbruch and Lynch (1998).
PAIRED, LYNCH = ((319, 78, 22, 32), (31, 53, 22, 155)), ((850, 60, 40, 50), (60, 15, 25, 900))


def answers(sick: Four, well: Four) -> tuple[list[str], dict[str, list[str]]]:
    counts = [*sick, *well]
    columns = [
        ["sick"] * 4 + ["well"] * 4,
        ["sick", "sick", "well", "well"] * 2,
        ["sick", "well"] * 4,
    ]
    actual, first, second = ([str(one) for one in np.repeat(column, counts)] for column in columns)
    return actual, {"y1": first, "y2": second}


def two_tests(sick: Four, well: Four, **options: Any) -> Comparison:
    actual, both = answers(sick, well)
    return cm.compare_predictions(actual, both, labels=LABELS, metrics=["accuracy"], **options)


# --- printed examples -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "ratio", "error", "low", "high", "p"),
    [
        # sesp.rel, pv.rpv and dlr.regtest of DTComPair 1.2.6; the last prints the first test over
        # the second.
        ("recall", 0.8589421, 0.02717863, 0.8143843, 0.9059378, 2.211197e-08),
        ("specificity", 1.1751412429, 0.0451348840, 1.0756505055, 1.2838342322, 0.0003493056),
        ("precision", 1.04860694, 0.01991247, 1.00847050, 1.09034078, 0.01714612),
        ("npv", 0.8536403, 0.03783679, 0.7926258, 0.9193516, 2.885568e-05),
        ("lr+", 1 / 0.7345692, 0.1326086, 1 / 0.9525973, 1 / 0.5664428, 0.0200091),
        ("lr-", 1 / 0.5768875, 0.137376, 1 / 0.7551371, 1 / 0.4407136, 6.217627e-05),
    ],
)
def test_ratios_are_those_that_dtcompair_prints(
    score: str, ratio: float, error: float, low: float, high: float, p: float
) -> None:
    found = two_tests(*PAIRED).ratio(score)
    assert (found.value, found.log_se) == pytest.approx((ratio, error), rel=5e-7)
    assert (found.low, found.high, found.p_value) == pytest.approx((low, high, p), rel=5e-7)
    assert found.values[1] / found.values[0] == pytest.approx(found.value)


def test_kosinskis_score_test_is_that_of_dtcompair() -> None:
    found = two_tests(*PAIRED)
    assert found.of("precision").p_value == pytest.approx(0.01939120, abs=5e-9)
    assert found.of("npv").p_value == pytest.approx(4.775012e-05, abs=5e-12)
    assert found.of("npv").test == "Kosinski's score test"
    assert found.of("false_discovery_rate").p_value == pytest.approx(found.of("precision").p_value)


@pytest.mark.parametrize(
    ("table", "statistic", "p"),
    [(PAIRED, 44.17333, 2.557894e-10), (LYNCH, 6.5, 0.03877421)],
    ids=["paired", "lynch"],
)
def test_the_joint_test_is_the_generalized_mcnemar_test(
    table: tuple[Four, Four], statistic: float, p: float
) -> None:
    found = two_tests(*table).joint()
    assert (found.statistic, found.p_value) == pytest.approx((statistic, p), rel=1e-7)
    assert found.df == 2
    # One score alone is McNemar's chi-squared.
    only, other = table[0][1:3]
    assert two_tests(*table).joint("recall").statistic == pytest.approx(
        cm.mcnemar(only, other).statistic
    )


# --- formulas -------------------------------------------------------------------------------------

some_of_each = st.tuples(*[st.integers(1, 40)] * 4)


@hypothesis.given(some_of_each, some_of_each, st.sampled_from(SCORES))
def test_the_other_way_round_it_is_the_reciprocal(sick: Four, well: Four, score: str) -> None:
    found = two_tests(sick, well)
    there, back = found.ratio(score, "y1", "y2"), found.ratio(score, "y2", "y1")
    assert (back.value, back.low, back.high) == pytest.approx(
        (1 / there.value, 1 / there.high, 1 / there.low)
    )


# --- other designs --------------------------------------------------------------------------------


def test_two_matrices_of_the_same_patients_bound_every_pairing() -> None:
    actual, both = answers(*PAIRED)
    models = {name: cm.count(actual, each, labels=LABELS) for name, each in both.items()}
    bound, apart = cm.compare(models), cm.compare(models, same_items=False)
    for score in SCORES:
        sharp, wide = two_tests(*PAIRED).ratio(score), bound.ratio(score)
        assert wide.low < sharp.low < sharp.high < wide.high
        assert wide.value == sharp.value
    # 397 and 341 of 451 each: Katz's logarithm of a relative risk.
    error = math.sqrt(1 / 397 - 1 / 451 + 1 / 341 - 1 / 451)
    assert apart.ratio("recall").log_se == pytest.approx(error)


def test_patients_of_one_answer_each_are_clusters_of_one() -> None:
    actual, both = answers((30, 8, 3, 4), (4, 6, 2, 40))
    stacks = {
        name: cm.count(actual, each, labels=LABELS, clusters=range(len(actual))).along("patient")
        for name, each in both.items()
    }
    paired = two_tests((30, 8, 3, 4), (4, 6, 2, 40))
    for score in SCORES:
        by_patient, apart = (
            cm.compare(stacks).ratio(score),
            cm.compare(stacks, same_items=False).ratio(score),
        )
        assert by_patient.log_se == pytest.approx(paired.ratio(score).log_se, rel=0.03)
        assert by_patient.low < paired.ratio(score).low
        assert apart.low < by_patient.low < by_patient.high < apart.high
    with pytest.raises(cm.InputError, match="needs the answers to the same items"):
        cm.compare(stacks).joint()


# --- empty cells ----------------------------------------------------------------------------------


def test_an_empty_cell_leaves_one_bound_and_says_so() -> None:
    # No false alarm of the second test.
    found = two_tests((70, 10, 5, 15), (0, 9, 0, 91))
    ratio = found.ratio("lr+")
    assert math.isnan(ratio.value)
    assert 0 < ratio.low < math.inf
    assert ratio.high == math.inf
    assert ratio.note == "positive_likelihood_ratio[sick] of 'y2' is 0 or has no value"
    assert "no value" in str(found.diagnostic())
    # The first test finds nobody.
    ratio = two_tests((0, 0, 20, 80), (3, 2, 4, 91)).ratio("recall")
    assert math.isnan(ratio.value)
    assert 1 < ratio.low < ratio.high == math.inf
    assert "y1" in ratio.note
    # Both find the same patients, so nothing moves the ratio; but 90 of 100 are not all there are.
    same = two_tests((90, 0, 0, 10), (3, 2, 4, 91)).ratio("recall")
    assert same.low < 1 == same.value < same.high
    assert same.note
    assert found.ratio("quantity_disagreement").note == "the score has no derivative"
    # A test that calls nobody sick has no predictive value.
    never = two_tests((0, 5, 0, 5), (0, 4, 0, 9)).ratio("precision")
    assert math.isnan(never.low)
    assert "never predicted" in never.note


@hypothesis.given(st.tuples(*[st.integers(0, 3)] * 4), st.tuples(*[st.integers(0, 3)] * 4))
def test_no_table_has_a_silent_gap(sick: Four, well: Four) -> None:
    hypothesis.assume(sum(sick) + sum(well))
    found = two_tests(sick, well)
    for score in SCORES:
        ratio = found.ratio(score)
        assert ratio.note or 0 < ratio.low < ratio.value < ratio.high < math.inf
        if not math.isnan(ratio.low):
            assert 0 <= ratio.low <= ratio.high
            assert math.isnan(ratio.value) or ratio.low <= ratio.value <= ratio.high
    str(found.diagnostic())


# --- the table ------------------------------------------------------------------------------------


def test_the_table_of_a_diagnostic_test() -> None:
    found = two_tests(*PAIRED)
    table = found.diagnostic()
    assert "44.17, df 2" in table.notes[-1]
    rows = table.to_dict()["rows"]
    assert [row["test"] for row in rows][:3] == [
        "McNemar, mid-p",
        "McNemar, mid-p",
        "Kosinski's score test",
    ]
    assert rows[2]["ratio_low"] == found.ratio("precision").low
    assert found.diagnostic("well").to_dict()["rows"][0]["ratio"] == rows[1]["ratio"]
    with pytest.raises(cm.ConfmatError, match="ill"):
        found.diagnostic("ill")


def test_scores_that_can_be_negative_have_no_ratio() -> None:
    with pytest.raises(cm.InputError, match=r"a score that is never below 0.*of\('mcc'\)"):
        two_tests(*PAIRED).ratio("mcc")


def test_a_joint_test_needs_values_and_derivatives() -> None:
    found = two_tests((70, 10, 5, 15), (0, 9, 0, 91))
    for scores in ([], ["lr+", "recall"], "quantity_disagreement"):
        with pytest.raises(cm.InputError, match="have a value and a derivative"):
            found.joint(scores)
    with pytest.raises(
        cm.InputError, match=r"got 'positive_likelihood_ratio\[sick\]', 'recall\[sick\]'"
    ):
        found.joint(["lr+", "recall"])
    # Nobody is sick.
    assert "joint" not in str(two_tests((0, 0, 0, 0), (2, 3, 4, 5)).diagnostic())


def test_items_for_a_margin_are_those_of_a_margin() -> None:
    found = two_tests(*PAIRED, level=0.9).of("npv")
    assert found.no_worse(0.2) == "no worse"
    needed = found.items_needed(0.2, expected="observed")
    reach = 1.6448536 + 0.8416212
    assert needed == math.ceil((reach * found.se / (0.2 + found.difference)) ** 2 * 712)
    # Alike models are planned for by default: a pilot's own difference is mostly chance.
    alike = found.items_needed(0.2)
    error = math.hypot(found.se, found.difference / math.sqrt(712))
    assert alike == math.ceil((reach * error / 0.2) ** 2 * 712)
    assert found.items_needed(0.2, power=0.95) > alike > found.items_needed(0.3)
    assert found.power(0.2) == pytest.approx(stats.norm.cdf(0.2 / error - 1.6448536))
    assert found.power(reach * error) == pytest.approx(0.8, abs=1e-6)
    with pytest.raises(cm.InputError, match="no number of items"):
        found.items_needed(0.1, expected="observed")
    with pytest.raises(cm.InputError, match="or 'observed'; got"):
        found.items_needed(0.1, expected="none")
    with pytest.raises(cm.InputError, match="between 0 and 1"):
        found.items_needed(0.2, power=80)


def test_one_answer_that_differs_is_said_of_one() -> None:
    truth = ["well"] * 10
    found = cm.compare_predictions(
        truth, {"old": truth, "new": [*truth[1:], "sick"]}, labels=["sick", "well"]
    )
    assert "Only 1 answer differs, too few" in str(found)
