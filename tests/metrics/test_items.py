"""Items that are alike, kept once: their scores are those of each for itself."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm
from confmat.metrics.items import gathered, number_of

Array = NDArray[Any]
COLUMNS = ["precision", "recall", "f1", "dennis"]


def drawn(seed: int, size: int) -> tuple[Array, Array, Array]:
    """Some rows of two tables, and how often each occurs."""
    rng = np.random.default_rng(seed)
    true = rng.random((40, size)) < rng.choice([0.0, 0.1, 0.6], (40, 1))
    said = np.where(rng.random((40, size)) < rng.choice([0.0, 0.2], (40, 1)), ~true, true)
    return true, said, rng.integers(1, 9, 40)


def sets(table: Array) -> list[frozenset[int]]:
    return [frozenset(np.flatnonzero(row).tolist()) for row in table]


def check_alike(stack: cm.Stack, one: cm.Stack, other: cm.Stack) -> None:
    for undefined in ("fair", 0.5):
        each, alike = (
            cm.report(stack, COLUMNS, items=items, undefined=undefined) for items in (one, other)
        )
        assert dict(alike.coverage) == dict(each.coverage)
        assert alike.overall == pytest.approx(each.overall)
        for name, row in each.averages.items():
            assert alike.averages[name] == pytest.approx(row, nan_ok=True)
    for score in ("f1.micro", "f1.macro", "recall.samples", "dennis.samples"):
        mine, theirs = (cm.interval(stack, score, items=items) for items in (one, other))
        assert (theirs.se, theirs.low) == pytest.approx((mine.se, mine.low))
        assert theirs.design == mine.design


def check_ends(stack: cm.Stack, one: cm.Stack, other: cm.Stack) -> None:
    each, alike = (
        cm.report(stack, ["f1"], items=items, intervals=True).intervals for items in (one, other)
    )
    assert each is not None
    assert alike is not None
    for part in ("averages", "overall"):
        for name, ends in getattr(each, part).items():
            assert np.array(getattr(alike, part)[name]) == pytest.approx(
                np.array(ends), nan_ok=True
            )


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sets])
@pytest.mark.parametrize("size", [1, 4, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_alike_items_are_as_good_as_each_for_itself(form: Any, size: int, weighted: bool) -> None:
    true, said, many = drawn(size, size)
    weights = np.random.default_rng(size).integers(1, 5, 40) / 4 if weighted else None
    long = [np.repeat(side, many, axis=0) for side in (true, said)]
    heavy = None if weights is None else np.repeat(weights, many)
    stack = cm.count_multilabel(*map(form, long), labels=range(size), weights=heavy)
    one = cm.count_multilabel(*map(form, long), labels=range(size), weights=heavy, along="item")
    other = gathered(one)
    assert number_of(other) == number_of(one) == many.sum()
    # Items of weight 1 are never gathered.
    weight = np.ones(many.sum()) if heavy is None else heavy
    each = cm.count_multilabel(*long, labels=range(size), weights=weight, along="item")
    assert gathered(each) is each
    for items in (one, other, gathered(other)):
        check_alike(stack, each, items)
    check_ends(stack, each, other)
    for items in (copy.deepcopy(other), pickle.loads(pickle.dumps(other))):
        assert cm.interval(stack, "f1.macro", items=items) == cm.interval(
            stack, "f1.macro", items=other
        )


def test_what_is_no_count_of_plain_items_stays_as_it_is() -> None:
    table = np.array([[[3, 1], [0, 2]], [[3, 1], [0, 3]]])
    for stack in (
        cm.Stack.from_array(table, [False, True], axis="item"),
        cm.Stack.from_array(table / 2, [False, True], axis="item"),
        cm.Stack.from_array(np.ones((2, 3, 3), int), axis="item"),
        cm.Stack({0: cm.ConfusionMatrix(table[0]), 1: cm.ConfusionMatrix(table[0])}, axis="item"),
    ):
        assert gathered(stack) is stack
