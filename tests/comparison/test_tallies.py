"""Whole-number weights are weights of items, for every score alike; numbers of alike items are a tally."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.core.errors import CallError

LABELS = cm.Labels(["sick", "well"], positive="sick")
TRUTH, ONE, TWO = (
    list(column) for column in zip(*product(["sick", "well"], repeat=3), strict=True)
)
MANY = [26, 10, 4, 3, 5, 3, 9, 60]
SCORES = ("accuracy", "balanced_accuracy", "f1.macro", "recall", "precision", "lr+", "v_measure")


def compared(**how: Any) -> cm.Comparison:
    return cm.compare_predictions(TRUTH, {"one": ONE, "two": TWO}, labels=LABELS, **how)


def numbers(found: cm.Comparison) -> list[float]:
    each = [found.diagnostic(), found.table()]
    cells = [cell for table in each for row in table.to_dict()["rows"] for cell in row.values()]
    return [float(cell) for cell in cells if isinstance(cell, (int, float))]


def expanded() -> cm.Comparison:
    truth, one, two = (np.repeat(column, MANY).tolist() for column in (TRUTH, ONE, TWO))
    return cm.compare_predictions(truth, {"one": one, "two": two}, labels=LABELS)


def test_a_tally_is_as_many_rows() -> None:
    wanted = expanded()
    for tally in (MANY, np.array(MANY, np.uint8), [float(n) for n in MANY]):
        found = compared(tally=tally)
        assert numbers(found) == numbers(wanted)
        assert found.notes == wanted.notes
        assert found.marginals == wanted.marginals


def test_whole_weights_are_weights_as_floats_are() -> None:
    whole, floats = compared(weights=MANY), compared(weights=[float(n) for n in MANY])
    assert numbers(whole) == pytest.approx(numbers(floats), nan_ok=True)
    # As counts they would tell the models apart, 0.019.
    assert whole.of("accuracy").p_value > 0.4
    assert not whole.marginals
    assert "tally" in whole.notes[-1]
    assert not any("tally" in note for note in floats.notes)


@pytest.mark.parametrize("score", SCORES)
def test_intervals_of_whole_weights_are_those_of_floats(score: str) -> None:
    whole, floats = (
        cm.count(TRUTH, ONE, labels=LABELS, weights=w) for w in (MANY, [float(n) for n in MANY])
    )
    items = cm.count(np.repeat(TRUTH, MANY), np.repeat(ONE, MANY), labels=LABELS)
    tallied = cm.count(TRUTH, ONE, labels=LABELS, tally=MANY)
    assert tallied == items
    assert tallied.squares is None
    found: Any = cm.interval(whole, score)
    assert [*found] == pytest.approx([*cm.interval(floats, score)])
    assert found.design == "weighted items"
    wanted: Any = cm.interval(items, score)
    assert found.width > wanted.width or math.isinf(found.width) or math.isnan(found.width)
    assert repr(cm.interval(tallied, score)) == repr(wanted)
    if score == "accuracy":
        with pytest.raises(cm.InputError, match="needs counts of items"):
            cm.interval(whole, score, design="actual")
        with pytest.raises(cm.InputError, match="item by item"):
            cm.interval(whole, score, method="bootstrap")


def test_groups_clusters_and_streams_take_a_tally() -> None:
    groups = list("uvuvuvuv")
    parts = cm.count(TRUTH, ONE, by=groups, tally=MANY)
    wanted = cm.count(
        np.repeat(TRUTH, MANY), np.repeat(ONE, MANY), by=np.repeat(groups, MANY).tolist()
    )
    assert parts == wanted
    assert parts["u"].squares is None
    assert cm.count(TRUTH, ONE, clusters=groups, tally=MANY).sum() == wanted.sum()
    assert cm.count(iter(TRUTH), iter(ONE), tally=MANY) == wanted.sum()
    assert cm.count(iter(TRUTH), iter(ONE), tally=iter(MANY)).squares is None


def test_a_wrong_tally_says_what_to_do() -> None:
    for tally, words in (
        (MANY[1:], "`tally` must hold one number per pair: 8, not 7"),
        ([n / 2 for n in MANY], r"`tally` holds whole numbers.*`weights` takes any"),
        ([-1, *MANY[1:]], "tally"),
    ):
        with pytest.raises(cm.InputError, match=words):
            cm.count(TRUTH, ONE, tally=tally)
        with pytest.raises(cm.InputError, match=words):
            compared(tally=tally)
    with pytest.raises(cm.InputError, match="`tally` and `weights` each"):
        cm.count(TRUTH, ONE, tally=MANY, weights=MANY)
    for name in ("counts", "freq"):
        with pytest.raises(CallError, match="say tally="):
            compared(**{name: MANY})
