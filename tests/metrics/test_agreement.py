"""Agreement beyond chance: published tables, the paradoxes, and the degenerate corners."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix, count
from confmat.core.errors import MetricError
from confmat.metrics.margins import Margins
from tests.laws.exactly import exactly

DATA = Path(__file__).parent.parent / "data"
PUBLISHED = json.loads((DATA / "published.json").read_text(encoding="utf-8"))["tables"]
NAMES = {
    "accuracy": "accuracy",
    "kappa": "kappa",
    "mcc": "mcc",
    "kappa_linear": "weighted_kappa_linear",
    "kappa_quadratic": "weighted_kappa_quadratic",
    "expected_agreement": "expected_accuracy",
    "pabak": "pabak",
    "nir": "no_information_rate",
}
CLAIMS = [
    pytest.param(
        table["matrix"], NAMES[claim["metric"]], claim, id=f"{table['id']}-{claim['metric']}"
    )
    for table in PUBLISHED
    for claim in table["claims"]
    if claim["metric"] in NAMES and claim["verdict"] == "ok"
]
ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])


@pytest.mark.parametrize(("matrix", "name", "claim"), CLAIMS)
def test_published_tables(matrix: list[list[int]], name: str, claim: dict[str, Any]) -> None:
    found = cmx.metric(name)(ConfusionMatrix(matrix))
    assert abs(found - claim["value"]) <= 0.500001 * 10 ** -claim["decimals"]


def test_published_p_value() -> None:
    m = ConfusionMatrix([[231, 27], [32, 54]])
    assert cmx.accuracy_p_value(m) == pytest.approx(0.000309698334, abs=1e-12)


def test_cohen_1968_weights_of_his_own() -> None:
    table = next(table for table in PUBLISHED if table["id"] == "cohen1968_weighted_kappa")
    assert len(table["matrix"]) == 3
    weighted = cmx.weighted_kappa([[0, 1, 3], [1, 0, 6], [3, 6, 0]])(
        ConfusionMatrix(table["matrix"])
    )
    assert round(weighted, 2) == 0.35


def test_for_two_classes_mcc_is_that_of_either() -> None:
    m = ConfusionMatrix([[8, 2], [3, 7]])
    assert cmx.mcc(m) == pytest.approx((8 * 7 - 2 * 3) / math.sqrt(11 * 10 * 10 * 9))
    assert cmx.multiclass_peirce(m) == pytest.approx(8 / 10 + 7 / 10 - 1)


def test_the_kappa_paradox() -> None:
    # Agreement 0.944, and chance would have given nearly as much.
    m = ConfusionMatrix([[118, 5], [2, 0]])
    assert round(cmx.kappa(m), 3) == -0.023
    assert round(cmx.scott_pi(m), 3) == -0.029
    assert round(cmx.krippendorff_alpha(m), 3) == -0.025
    assert round(cmx.gwet_ac1(m), 3) == 0.941
    assert cmx.pabak(m) == (2 * 118 - 125) / 125


def test_the_abstractors_of_gwet() -> None:
    """100 pregnancies by two abstractors, from Gwet's Handbook of Inter-Rater Reliability, and what irrCAC prints."""
    m = ConfusionMatrix([[13, 0, 0], [0, 20, 7], [0, 4, 56]], ["Ectopic", "AIU", "NIU"])
    printed = {
        "accuracy": 0.89,
        "kappa": 0.7964094,
        "scott_pi": 0.7962397,
        "gwet_ac1": 0.8493305,
        "brennan_prediger": 0.835,
        "krippendorff_alpha": 0.7972585,
    }
    assert {name: round(cmx.metric(name)(m), 7) for name in printed} == printed


@pytest.mark.parametrize(
    ("first", "second", "alpha"),
    [("0100000010", "1110010000", 0.095), ("aabbdcccedda", "babbbccceddd", 0.692)],
)
def test_the_examples_of_krippendorff(first: str, second: str, alpha: float) -> None:
    """Two observers in Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), sections A and B."""
    assert round(cmx.krippendorff_alpha(count(list(first), list(second))), 3) == alpha


def test_bennett_s_counts_every_class() -> None:
    m = ConfusionMatrix([[4, 1, 0], [1, 4, 0], [0, 0, 0]])
    assert cmx.bennett_s(m) == pytest.approx((8 / 10 - 1 / 3) / (1 - 1 / 3), rel=1e-15)
    assert cmx.bennett_s(m.select([0, 1])) == cmx.pabak(m)


def test_bias_and_prevalence_tell_kappa_from_pabak() -> None:
    """Byrt, Bishop and Carlin (1993), on the example of epi.kappa in R's epiR."""
    m = ConfusionMatrix([[19, 10], [6, 256]])
    bias, prevalence = cmx.bias_index(m, of=0), cmx.prevalence_index(m, of=0)
    assert (bias, prevalence) == ((6 - 10) / 291, (19 - 256) / 291)
    skew = prevalence**2 - bias**2
    assert cmx.pabak(m) == pytest.approx(cmx.kappa(m) * (1 - skew) + skew, rel=1e-14)


def test_gwet_ac2_with_all_disagreements_alike_is_ac1() -> None:
    alike = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert cmx.gwet_ac2(alike)(ANIMALS) == pytest.approx(cmx.gwet_ac1(ANIMALS))
    assert cmx.weighted_kappa(alike)(ANIMALS) == pytest.approx(cmx.kappa(ANIMALS))


CHANCE_CORRECTED = [
    "mcc",
    "kappa",
    "scott_pi",
    "krippendorff_alpha",
    "multiclass_peirce",
    "adjusted_balanced_accuracy",
]


@pytest.mark.parametrize("name", CHANCE_CORRECTED)
def test_one_class_tells_nothing_beyond_chance(name: str) -> None:
    metric = cmx.metric(name)
    for table in ([[5, 0], [0, 0]], [[7]], [[0, 0], [0, 0]]):
        assert math.isnan(metric(ConfusionMatrix(table)))
    assert metric.undefined


@pytest.mark.parametrize("name", ["mcc", "kappa", "scott_pi", "krippendorff_alpha"])
def test_what_nearly_cancels_keeps_its_digits(name: str) -> None:
    # Independent up to one item: the numerator is about one part in 10^20 of its terms.
    a, b = 10**5 + 3, 10**5 + 7
    m = ConfusionMatrix([[a * a + 1, a * b], [a * b, b * b]])
    found = cmx.metric(name)(m)
    total, rows = int(m.total), [int(r) for r in m.actual_totals]
    exact = Fraction(
        total * (a * a + 1 + b * b) - sum(r * r for r in rows), total**2 - sum(r * r for r in rows)
    )
    if name in {"mcc", "kappa", "scott_pi"}:
        # The table is symmetric, so the three are one number.
        assert abs(Fraction(found) - exact) <= exact * Fraction(1, 10**12)
    if name != "mcc":
        assert found == pytest.approx(float(exactly(cmx.metric(name), m)[0]))


def test_weights_of_any_size_change_nothing() -> None:
    table = np.array([[4.0, 1.0, 1.0], [6.0, 2.0, 2.0], [3.0, 0.0, 6.0]])
    for name in ("mcc", "kappa", "gwet_ac1", "scott_pi"):
        expected = cmx.metric(name)(ANIMALS)
        for scale in (1e-300, 1e-30, 1.5, 1e30, 1e300):
            assert cmx.metric(name)(ConfusionMatrix(table * scale)) == pytest.approx(
                expected, rel=1e-12
            )


def test_outside_labels_are_a_category_without_hits() -> None:
    m = ConfusionMatrix(
        [[4, 1, 1], [1, 3, 2], [0, 0, 0]], labels=["a", "b"], outside=["(abstained)"]
    )
    whole = ConfusionMatrix([[4, 1, 1], [1, 3, 2], [0, 0, 0]])
    for name in ("kappa", "mcc", "scott_pi", "gwet_ac1"):
        assert cmx.metric(name)(m) == pytest.approx(cmx.metric(name)(whole))
        assert cmx.metric(name)(m, outside="exclude") == pytest.approx(
            cmx.metric(name)(whole.select([0, 1]))
        )


def test_weighted_kappa_refuses_what_it_cannot_read() -> None:
    for weights in ("cubic", -1, [[0, 1]], [[0, -1], [1, 0]], None):
        with pytest.raises(MetricError, match="weights"):
            cmx.weighted_kappa(weights)
    with pytest.raises(MetricError, match="2 x 2"):
        cmx.weighted_kappa([[0, 1], [1, 0]])(ANIMALS)


def test_weighted_kappa_on_a_scale() -> None:
    table = [[abs(a - b) for b in (1, 2, 10)] for a in (1, 2, 10)]
    assert cmx.weighted_kappa("linear", values=(1, 2, 10))(ANIMALS) == pytest.approx(
        cmx.weighted_kappa(table)(ANIMALS)
    )
    squares = [[x * x for x in row] for row in table]
    mapped = cmx.weighted_kappa("quadratic", values={"Cat": 1, "Fish": 2, "Hen": 10})
    assert mapped(ANIMALS) == pytest.approx(cmx.weighted_kappa(squares)(ANIMALS))


@pytest.mark.slow
def test_ten_million_classes_need_no_table() -> None:
    k = 10**7
    places = np.arange(k)
    diagonal = np.full(k, 3)
    actual = diagonal + 1 + places % 2
    margins = Margins(diagonal, actual, diagonal + 2 - places % 2, int(actual.sum()), k)
    assert cmx.accuracy(margins) == 3 * k / (4.5 * k)
    assert 0.66 < cmx.kappa(margins) < cmx.accuracy(margins)
    assert 0.66 < cmx.mcc(margins) < cmx.accuracy(margins)
