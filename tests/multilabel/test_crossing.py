"""The one matrix of labels by labels, against a second writing of its rule, item by item."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import confmat as cm
from confmat.multilabel import counting

pytestmark = pytest.mark.usefixtures("kernel")

Sets = list[set[int]]
items = st.lists(st.tuples(*[st.sets(st.integers(0, 4))] * 2), min_size=1, max_size=8)


def pairs_of(true: set[int], said: set[int], none: int) -> list[tuple[int, int]]:
    """The contribution of one item, by the three categories of Heydarian, Doyle and Samavi (2022)."""
    hits = [(label, label) for label in true & said]
    if said <= true:
        # Category 1: nothing wrong was said, something may be missing.
        return [*hits, *((label, none) for label in true - said), *([] if true else [(none, none)])]
    if true < said:
        # Category 2: all was found, and more was said.
        return [*hits, *((label, extra) for extra in said - true for label in true or {none})]
    # Category 3: something is missing and something wrong was said.
    return [*hits, *((label, extra) for extra in said - true for label in true - said)]


def by_the_paper(actual: Sets, predicted: Sets, size: int, weights: Any = None) -> NDArray[Any]:
    """One item after the other; the last row and column are none."""
    table = np.zeros((size + 1, size + 1), np.int64 if weights is None else float)
    for place, (true, said) in enumerate(zip(actual, predicted, strict=True)):
        for cell in pairs_of(true, said, size):
            table[cell] += 1 if weights is None else weights[place]
    return table


@given(items)
def test_every_item_is_counted_by_its_category(pairs: list[tuple[set[int], set[int]]]) -> None:
    actual, predicted = map(list, zip(*pairs, strict=True))
    expected = by_the_paper(actual, predicted, 5)
    found = cm.count_multilabel(actual, predicted, labels=range(5), matrix=True)
    assert found.counts.tolist() == expected.tolist()
    assert list(found.labels) == [0, 1, 2, 3, 4, "(none)"]
    assert found.n_classes == 5
    tables = [
        np.array([[label in item for label in range(5)] for item in side])
        for side in (actual, predicted)
    ]
    assert cm.count_multilabel(*tables, matrix=True) == found


@given(items, st.data())
def test_weights_are_those_of_the_items(
    pairs: list[tuple[set[int], set[int]]], data: st.DataObject
) -> None:
    actual, predicted = map(list, zip(*pairs, strict=True))
    weights = np.array(
        data.draw(st.lists(st.integers(0, 9), min_size=len(pairs), max_size=len(pairs)))
    )
    for numbers in (weights, weights / 8):
        found = cm.count_multilabel(
            actual, predicted, labels=range(5), matrix=True, weights=numbers
        )
        assert found.counts.tolist() == by_the_paper(actual, predicted, 5, numbers).tolist()
        assert found.squares is not None
        assert found.squares.tolist() == by_the_paper(actual, predicted, 5, numbers**2).tolist()


def test_items_with_one_label_on_each_side_give_the_plain_matrix() -> None:
    rng = np.random.default_rng(0)
    actual, predicted = rng.integers(0, 4, (2, 200))
    found = cm.count_multilabel(
        [{x} for x in actual.tolist()], [{x} for x in predicted.tolist()], matrix=True
    )
    assert found.counts[:4, :4].tolist() == cm.count(actual, predicted).counts.tolist()
    assert found.counts.sum() == 200


def test_the_documented_example_of_two_missing_and_two_wrong() -> None:
    # Documented by a corrected copy of the authors' package, which gave the second wrong label to
    # every true one.
    found = cm.count_multilabel(np.array([[1, 0, 0, 1]]), np.array([[1, 1, 1, 0]]), matrix=True)
    assert found.counts.tolist() == [[1, 0, 0, 0, 0], [0] * 5, [0] * 5, [0, 1, 1, 0, 0], [0] * 5]


def test_blocks_of_items_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    tables = [rng.random((300, 6)) < 0.4 for _ in range(2)]
    whole = cm.count_multilabel(*tables, matrix=True, weights=rng.integers(1, 5, 300))
    monkeypatch.setattr(counting, "_CHUNK_PAIRS", 40)
    rng = np.random.default_rng(1)
    tables = [rng.random((300, 6)) < 0.4 for _ in range(2)]
    assert cm.count_multilabel(*tables, matrix=True, weights=rng.integers(1, 5, 300)) == whole


def test_many_labels_are_stored_sparse_and_too_many_pairs_are_refused() -> None:
    size = 30_000
    actual, predicted = (
        [{i, i + 1} for i in range(0, size, 2)],
        [{i, i + 2} for i in range(0, size, 2)],
    )
    found = cm.count_multilabel(actual, predicted, matrix=True)
    assert found.is_sparse
    assert found.total == size
    with pytest.raises(cm.BudgetError, match=r"item 0 alone makes .* pairs of labels"):
        cm.count_multilabel([set(range(50_000))], [set(range(50_000, 100_000))], matrix=True)
