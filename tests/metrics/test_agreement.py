"""Agreement beyond chance: published tables, the paradoxes, and the degenerate corners."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix, count
from confmat.core.errors import MetricError
from confmat.metrics.margins import Margins

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


def test_p_values() -> None:
    """The first is published; those of the tables beside it are certain."""
    published = ConfusionMatrix([[231, 27], [32, 54]])
    assert cmx.accuracy_p_value(published) == pytest.approx(0.000309698334, abs=1e-12)
    assert cmx.accuracy_p_value(ConfusionMatrix([[0, 1], [1, 0]])) == 1
    assert 0 <= cmx.accuracy_p_value(ConfusionMatrix([[500_100, 1], [499_000, 900]])) <= 1
    for independent in ([[2 * 3, 2 * 5], [7 * 3, 7 * 5]], [[3, 2], [0, 0]]):
        assert cmx.chi_squared_p_value(ConfusionMatrix(independent)) == 1
    for p_value in (cmx.accuracy_p_value, cmx.chi_squared_p_value):
        assert math.isnan(p_value(ConfusionMatrix([[0, 0], [0, 0]])))


def test_cohen_1968_weights_of_his_own() -> None:
    table = next(table for table in PUBLISHED if table["id"] == "cohen1968_weighted_kappa")
    assert len(table["matrix"]) == 3
    weighted = cmx.weighted_kappa([[0, 1, 3], [1, 0, 6], [3, 6, 0]])(
        ConfusionMatrix(table["matrix"])
    )
    assert round(weighted, 2) == 0.35


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


def test_gwet_ac2_with_all_disagreements_alike_is_ac1() -> None:
    alike = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert cmx.gwet_ac2(alike)(ANIMALS) == pytest.approx(cmx.gwet_ac1(ANIMALS))
    assert cmx.weighted_kappa(alike)(ANIMALS) == pytest.approx(cmx.kappa(ANIMALS))


def test_weighted_kappa_refuses_what_it_cannot_read() -> None:
    for weights in ("cubic", -1, [[0, 1]], [[0, -1], [1, 0]], None):
        with pytest.raises(MetricError, match="weights"):
            cmx.weighted_kappa(weights)
    with pytest.raises(MetricError, match="2 x 2"):
        cmx.weighted_kappa([[0, 1], [1, 0]])(ANIMALS)


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
