"""Shares of the classes from answers and a reference: printed values, brute force, and the doubt that scores carry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm

RATES = np.array([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7]])
SHARES = np.array([0.5, 0.3, 0.2])
THREE = cm.ConfusionMatrix([[80, 15, 5], [10, 80, 10], [10, 20, 70]])


def reference_of(rng: np.random.Generator, *items: int, rates: Any = RATES) -> cm.ConfusionMatrix:
    return cm.ConfusionMatrix(
        np.array([rng.multinomial(n, row) for n, row in zip(items, rates, strict=True)])
    )


@pytest.mark.parametrize(
    ("answered", "sick", "well", "expected"),
    [
        (400, (180, 200), (140, 200), (0.1667, 0.0564, 0.2627)),
        (1600, (95, 100), (85, 100), (0.8125, 0.7658, 0.8760)),
    ],
)
def test_of_two_classes_it_is_what_lee_and_others_print(
    answered: int, sick: tuple[int, int], well: tuple[int, int], expected: tuple[float, ...]
) -> None:
    """LLM-judge-reporting, the package of arXiv 2511.21140, prints these."""
    m = cm.ConfusionMatrix(
        [[well[0], well[1] - well[0]], [sick[1] - sick[0], sick[0]]], labels=["well", "sick"]
    )
    total = 1000 if answered == 400 else 2000
    found = cm.estimate_prevalence({"sick": answered, "well": total - answered}, reference=m)
    one, other = found.of("sick"), found.of("well")
    assert (round(one.value, 4), round(one.low, 4), round(one.high, 4)) == expected
    assert (other.value, other.low, other.high) == pytest.approx(
        (1 - one.value, 1 - one.high, 1 - one.low)
    )


@st.composite
def references(draw: Any) -> tuple[cm.ConfusionMatrix, np.ndarray[Any, Any]]:
    size = draw(st.integers(2, 4))
    table = np.array(
        draw(
            st.lists(
                st.lists(st.integers(0, 20), min_size=size, max_size=size),
                min_size=size,
                max_size=size,
            )
        )
    )
    counts = draw(st.lists(st.integers(0, 500), min_size=size, max_size=size).filter(any))
    return cm.ConfusionMatrix(table + 15 * np.eye(size, dtype=int)), np.array(counts)


@given(references())
def test_the_likeliest_shares_are_found(
    case: tuple[cm.ConfusionMatrix, np.ndarray[Any, Any]],
) -> None:
    m, counts = case
    try:
        found, solved = (
            cm.estimate_prevalence(counts, reference=m, method=how) for how in ("ml", "matrix")
        )
    except cm.ConfmatError as error:
        assert "tell its classes apart" in str(error)  # noqa: PT017
        return
    rates = m.counts / m.counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(solved.value @ rates, counts / counts.sum(), atol=1e-9)
    np.testing.assert_allclose(found.value.sum(), 1)
    assert (found.value >= 0).all()
    assert (found.low >= 0).all()
    assert (found.high <= 1).all()
    assert ((found.low <= found.value) & (found.value <= found.high)).all()
    np.testing.assert_allclose(found.covariance.sum(axis=1), 0, atol=1e-9)
    if (solved.value >= 0).all():
        np.testing.assert_allclose(found.value, solved.value, atol=1e-8)

    # No other shares are likelier: the derivative along every class is at most that along the
    # mixture.
    fitted = found.value @ rates
    kept = counts > 0
    gain = rates[:, kept] @ (counts[kept] / counts.sum() / fitted[kept])
    assert gain.max() < 1 + 1e-6


def test_a_perfect_reference_gives_the_shares_of_the_answers() -> None:
    counts = np.array([17, 60, 123])
    found = cm.estimate_prevalence(counts, reference=cm.ConfusionMatrix(np.diag([40, 50, 60])))
    assert found.value == pytest.approx(counts / 200)
    assert found.se == pytest.approx(np.sqrt(counts / 200 * (1 - counts / 200) / 200))
    assert found.notes[0] == "condition number 1"


def test_the_edge_is_kept_and_said() -> None:
    # Class 0 is answered less than even its absence would explain.
    counts = [180, 1000, 820]
    found, solved = (
        cm.estimate_prevalence(counts, reference=THREE, method=how) for how in ("ml", "matrix")
    )
    assert found.value[0] == 0
    assert "the likeliest share of 0 is 0" in found.notes[0]
    assert found.high[0] > 0.01
    assert solved.value[0] < 0
    assert "noise" in solved.notes[0]
    strange = cm.estimate_prevalence([1, 9999, 5000], reference=THREE)
    assert "do not fit the reference" in strange.notes[0]
    with pytest.raises(cm.InputError, match="method='ml'"):
        cm.interval(THREE, "accuracy", at_prevalence=solved)


def test_counts_are_read_in_any_shape() -> None:
    m = THREE.relabel([1, 2, 3])
    found = cm.estimate_prevalence([10, 20, 30], reference=m)
    for counts in (
        {3: 30, 1: 10, 2: 20},
        {"1": 10, 2: 20, 3: 30},
        np.array([10.0, 20.0, 30.0]),
        iter([10, 20, 30]),
    ):
        assert cm.estimate_prevalence(counts, reference=m).value.tolist() == found.value.tolist()
    assert cm.estimate_prevalence({1: 10, 2: 20}, reference=m).answers == 30
    assert "30 answers, 300 reference items" in str(
        cm.estimate_prevalence({1: 10, 2: 20}, reference=m).table()
    )


@pytest.mark.parametrize(
    ("counts", "reference", "said"),
    [
        ([1, 2], THREE, "3 classes"),
        ([0.5, 0.3, 0.2], THREE, "whole numbers"),
        ([-1, 2, 3], THREE, "how often"),
        ("abc", THREE, "how often"),
        ([[1, 2, 3]], THREE, "how often"),
        ([True, False, True], THREE, "how often"),
        ({"Cat": 3}, THREE, "Cat"),
        ([1, 2], cm.ConfusionMatrix([[5, 5], [5, 5]]), "tell its classes apart"),
        ([1, 2, 3], cm.ConfusionMatrix([[5, 0, 1], [3, 0, 2], [0, 0, 9]]), "tell its classes apart"),
        ([1, 2], cm.ConfusionMatrix([[5, 5], [0, 0]]), "no items of 1"),
        ([1], cm.ConfusionMatrix([[5]]), "a single class"),
        ([1, 2], [[5, 1], [0, 4]], "a ConfusionMatrix"),
        ([1, 2], cm.count([0, 1, 1], [0, 1, 0], weights=[0.5, 1, 2]), "weights"),
        ([1, 2], cm.ConfusionMatrix([[5, 1], [0, 4]], labels=cm.Labels(["a"], outside=["b"])), "outside"),
    ],
)  # fmt: skip
def test_refusals(counts: Any, reference: Any, said: str) -> None:
    with pytest.raises(cm.ConfmatError, match=said):
        cm.estimate_prevalence(counts, reference=reference)


def test_a_score_there_has_the_value_of_the_shares_and_more_doubt() -> None:
    estimated = cm.estimate_prevalence([900, 700, 400], reference=THREE)
    given = dict(zip(THREE.labels, estimated.value.tolist(), strict=True))
    for score in ("precision[0]", "f1.macro", "mcc", "recall[1]"):
        pair: list[Any] = [cm.interval(THREE, score, at_prevalence=at) for at in (estimated, given)]
        one, known = pair
        assert one.value == pytest.approx(known.value)
        assert "estimated" in one.note
    other = cm.ConfusionMatrix([[81, 14, 5], [10, 80, 10], [10, 20, 70]])
    known = cm.interval(other, "precision[0]", at_prevalence=given)
    assert cm.interval(other, "precision[0]", at_prevalence=estimated).se > known.se
    with pytest.raises(cm.InputError, match="classes of the matrix"):
        cm.interval(THREE.relabel(list("abc")), "accuracy", at_prevalence=estimated)


@pytest.mark.parametrize("own", [True, False])
def test_the_doubt_is_that_of_a_finite_difference(own: bool) -> None:
    """Every count of the answers and of the tables is moved by itself, and what is estimated follows."""
    counts = np.array([900.0, 700.0, 400.0])
    test = THREE if own else cm.ConfusionMatrix([[50, 10, 3], [5, 60, 9], [8, 9, 40]])
    score = "f1.macro"

    def at(counts: Any, reference: Any, table: Any) -> float:
        rates = reference / reference.sum(axis=1, keepdims=True)
        shares = np.linalg.solve(rates.T, counts / counts.sum())
        table = table / table.sum(axis=1, keepdims=True) * shares[:, None]
        return float(cm.score(cm.ConfusionMatrix(table * 1e4), score))

    def variance(slope: Any, counts: Any) -> float:
        return float(counts @ slope**2 - (counts @ slope) ** 2 / counts.sum())

    def slope(function: Any, counts: Any) -> Any:
        steps = np.eye(len(counts)) * 1e-4
        return np.array(
            [(function(counts + step) - function(counts - step)) / 2e-4 for step in steps]
        )

    tables = {"reference": np.array(THREE.counts, float), "table": np.array(test.counts, float)}
    total = variance(slope(lambda c: at(c, **tables), counts), counts)
    for moved in (["reference", "table"],) if own else (["reference"], ["table"]):
        for row in range(3):

            def moving(values: Any, row: int = row, moved: Any = tuple(moved)) -> float:
                new = {name: each.copy() for name, each in tables.items()}
                for name in moved:
                    new[name][row] = values
                return at(counts, **new)

            values = tables[moved[0]][row]
            total += variance(slope(moving, values), values)
    estimated = cm.estimate_prevalence(counts, reference=THREE)
    assert cm.interval(test, score, at_prevalence=estimated).se == pytest.approx(
        np.sqrt(total), rel=1e-5
    )
