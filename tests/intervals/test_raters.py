"""Agreement of several raters: published values, the package krippendorff, brute force, and hostile tables."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest

import confmat as cm

NAMES = ("observed", "fleiss_kappa", "krippendorff_alpha", "gwet_ac")
# Gwet's table of four raters, as irrCAC has it.
FOUR = [
    [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4], [1, 1, 2, 1],
    [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, None, 3, None],
]  # fmt: skip
# Fleiss' diagnoses by six raters, the numbers of each class.
SIX = [
    [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0],
    [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0],
    [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1],
]  # fmt: skip


def values(found: Any, part: str = "value") -> list[float]:
    return [getattr(getattr(found, name), part) for name in NAMES]


def test_what_irr_cac_prints() -> None:
    assert values(cm.rater_agreement(FOUR)) == pytest.approx(
        [0.8181818, 0.7611693, 0.7434211, 0.7754441], abs=5e-8
    )
    squared = cm.rater_agreement(FOUR, scale="interval")
    assert values(squared) == pytest.approx([0.9753788, 0.8649351, 0.8491071, 0.9140007], abs=5e-8)
    spread = [[name for name, many in enumerate(row) for _ in range(many)] for row in SIX]
    six = cm.rater_agreement(spread)
    assert values(six) == pytest.approx([0.5511111, 0.4139265, 0.4204384, 0.4448007], abs=5e-8)
    errors = values(six, "se")
    assert (errors[1], errors[3]) == pytest.approx((0.08119291, 0.08418757), abs=1e-8)
    # irrCAC leaves out a part of alpha's derivative.
    assert errors[2] == pytest.approx(0.08243228, rel=0.03)


def gappy(seed: int, items: int = 9) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    table = (rng.integers(0, 5, (items, 1)) + rng.integers(0, 2, (items, 4))).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    return table


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(8))
def test_alpha_is_that_of_krippendorff(scale: Any, seed: int) -> None:
    table = gappy(seed)
    expected = krippendorff.alpha(reliability_data=table.T, level_of_measurement=scale)
    assert cm.rater_agreement(table, scale=scale).krippendorff_alpha.value == pytest.approx(
        expected
    )


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_standard_errors_are_those_of_a_jackknife(scale: Any) -> None:
    table = gappy(3, items=300)
    left_out = np.array(
        [values(cm.rater_agreement(np.delete(table, at, axis=0), scale=scale)) for at in range(300)]
    )
    expected = np.sqrt(299 / 300 * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    assert values(cm.rater_agreement(table, scale=scale), "se") == pytest.approx(
        expected.tolist(), rel=0.02
    )


def test_of_two_raters_they_are_the_metrics_of_the_matrix() -> None:
    rng = np.random.default_rng(0)
    one = rng.integers(0, 3, 80)
    two = np.where(rng.random(80) < 0.7, one, rng.integers(0, 3, 80))
    m = cm.count(one, two)
    found = cm.rater_agreement(np.stack([one, two], axis=1))
    names = ("accuracy", "scott_pi", "krippendorff_alpha", "gwet_ac1")
    assert values(found) == pytest.approx([cm.score(m, name) for name in names])
    squared = cm.rater_agreement({"one": one, "two": two}, scale="interval")
    assert squared.gwet_ac.value == pytest.approx(cm.score(m, cm.metric("gwet_ac2")("quadratic")))
    assert squared.krippendorff_alpha.value == pytest.approx(
        cm.score(m, "krippendorff_alpha_interval")
    )
    ordinal = cm.rater_agreement(np.stack([one, two], axis=1), scale="ordinal")
    assert ordinal.krippendorff_alpha.value == pytest.approx(
        cm.score(m, "krippendorff_alpha_ordinal")
    )


def test_tables_are_read_from_anywhere() -> None:
    expected = str(cm.rater_agreement(FOUR))
    frame = pd.DataFrame(FOUR, columns=list("abcd"))
    tables: list[Any] = [
        frame,
        frame.astype("Int64"),
        frame.to_numpy(),
        {name: frame[name].tolist() for name in frame},
    ]
    for table in tables:
        assert str(cm.rater_agreement(table)) == expected
    rows: Any = FOUR
    words = [[None if one is None else f"class {one}" for one in row] for row in rows]
    assert str(cm.rater_agreement(words)) == expected
    # The order of the items, and that of the raters, is nothing.
    assert str(cm.rater_agreement([row[::-1] for row in rows[::-1]])) == expected


def test_classes_that_nobody_answered_are_counted_if_named() -> None:
    more = cm.rater_agreement(FOUR, labels=range(1, 8))
    plain = cm.rater_agreement(FOUR)
    assert more.fleiss_kappa.value == pytest.approx(plain.fleiss_kappa.value)
    assert more.gwet_ac.value > plain.gwet_ac.value
    assert "7 classes" in more.described


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_the_order_of_the_classes_is_nothing_to_distances(scale: Any) -> None:
    rng = np.random.default_rng(6)
    table = gappy(6, items=20)
    expected = values(cm.rater_agreement(table, scale=scale, labels=range(6)))
    for _ in range(5):
        order = rng.permutation(6).tolist()
        assert values(cm.rater_agreement(table, scale=scale, labels=order)) == pytest.approx(
            expected
        )


def test_full_agreement_is_not_certain() -> None:
    found = cm.rater_agreement([[1, 1, 1]] * 5 + [[2, 2, 2]] * 5)
    for name in NAMES:
        one = getattr(found, name)
        assert one.value == 1
        assert 0.3 < one.low < 0.9
        assert "nothing varies" in one.note
    silent = cm.rater_agreement([[1, 1]] * 5)
    assert silent.observed.value == 1
    assert np.isnan(silent.fleiss_kappa.value)
    assert "one class" in silent.fleiss_kappa.note
    assert np.isnan(silent.gwet_ac.value)


@pytest.mark.parametrize(
    ("ratings", "options", "said"),
    [
        ([[1, 2], [1]], {}, "a row for each item"),
        ([], {}, "a row for each item"),
        ([[1, None], [None, 2]], {}, "two items at least"),
        ([[1, 1], [None, 2]], {}, "1 has two answers"),
        ([["a", "b"], ["a", "a"]], {"labels": ["a"]}, "lacks"),
        ([["a", "b"], ["a", "a"]], {"scale": "ratio"}, "scale"),
        ([["a", "b"], None, "ab", ["a", "a"]], {}, "a row for each item"),
        ({"one": [1, 2, 3], "two": [1, 2]}, {}, "a row for each item"),
        ({"one": 1, "two": 2}, {}, "list of answers"),
        (pd.DataFrame([[1, 2], [1, 1]], columns=["a", "a"]), {}, "come twice: 'a'"),
        ([[1, "1"], [1, 1]], {}, "numbers and others"),
        ([[1, float("inf")], [1, 1]], {"scale": "interval"}, "numbers"),
        ([[1, 2], [1, 1]], {"labels": [1, 2, 2]}, "come twice: 2"),
        ([["a", "b"], ["a", "a"]], {"labels": "ab"}, "list of labels"),
    ],
)
def test_refusals(ratings: Any, options: Any, said: str) -> None:
    with pytest.raises(cm.ConfmatError, match=said):
        cm.rater_agreement(ratings, **options)
