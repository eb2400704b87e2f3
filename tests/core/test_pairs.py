"""Cells as a mapping, and matrices made of one: read exactly, or refused with a reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix, InputError, LabelError, Labels


def test_pairs_from_a_mapping_and_from_triples() -> None:
    matrix = ConfusionMatrix.from_pairs({("b", "a"): 3, ("b", "b"): 1})
    assert matrix.labels == ["a", "b"]
    assert matrix.counts.tolist() == [[0, 0], [3, 1]]
    assert ConfusionMatrix.from_pairs([("b", "a", 1), ("b", "b", 1), ("b", "a", 2)]) == matrix
    assert ConfusionMatrix.from_pairs(matrix.pairs()) == matrix
    assert (
        ConfusionMatrix.from_pairs({("b", "a"): 3}, labels=["b", "a"], positive="b").positive == "b"
    )
    assert ConfusionMatrix.from_pairs({}, labels=[1, 2]).total == 0


def test_pairs_know_outside_labels() -> None:
    matrix = ConfusionMatrix.from_pairs({(1, "none"): 2, (2, 2): 1}, outside="none")
    assert matrix.labels == Labels([1, 2], outside=["none"])
    assert matrix.counts.tolist() == [[0, 0, 2], [0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("pairs", "error", "said"),
    [
        ({}, InputError, "nothing to make a matrix of"),
        ({"ab": 1}, InputError, r"a tuple \(actual, predicted\), not 'ab'"),
        ([("a", "b")], InputError, "to a count"),
        ({("a", "b"): -1}, InputError, "zero or more"),
        ({("a", 1): 1}, LabelError, "of one kind"),
        ({(None, "a"): 1}, LabelError, "missing"),
    ],
)
def test_pairs_that_make_no_matrix(pairs: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        ConfusionMatrix.from_pairs(pairs)


def test_pairs_outside_given_labels_are_refused() -> None:
    with pytest.raises(LabelError, match="no label 'c'"):
        ConfusionMatrix.from_pairs({("a", "c"): 1}, labels=["a", "b"])


@pytest.mark.parametrize(
    "pairs",
    [
        5,
        [1, 2],
        ["abc"],
        [("a", "b", [1]), ("a", "b", 2)],
    ],
    ids=str,
)
def test_what_is_no_pairs_is_an_input_error(pairs: Any) -> None:
    with pytest.raises(InputError, match="pairs"):
        ConfusionMatrix.from_pairs(pairs)


def test_a_name_that_cannot_be_one_is_a_label_error() -> None:
    with pytest.raises(LabelError, match="hashable"):
        ConfusionMatrix.from_pairs([(["a"], "b", 1)])


def test_bool_among_int_is_int_whatever_comes_first() -> None:
    """1 == True, so a dictionary alone would keep whichever it saw first."""
    for items in ([(True, 2, 3), (1, False, 4)], [(1, 2, 3), (True, 0, 4)]):
        matrix = ConfusionMatrix.from_pairs(items)
        assert matrix.labels == Labels([0, 1, 2])
        assert matrix.counts.tolist() == [[0, 0, 0], [4, 0, 3], [0, 0, 0]]
    assert ConfusionMatrix.from_pairs([(np.int8(1), 1.0, 2)]).labels == [1]
    assert ConfusionMatrix.from_pairs([(True, False, 2)]).labels.kind == "bool"
    assert ConfusionMatrix.from_pairs([(1, "none", 2)], labels=[1], outside="none").total == 2


PAIRS = ConfusionMatrix([[0, 3], [0, 1]], ["a", "b"]).pairs()


@pytest.mark.parametrize(
    "stranger",
    [
        5,
        "ab",
        (["a"], "b"),
        ("a", "x"),
        ("a", "a"),
    ],
)
def test_what_is_no_pair_is_not_in_it(stranger: Any) -> None:
    assert stranger not in PAIRS
    assert PAIRS.get(stranger) is None
    with pytest.raises(KeyError):
        PAIRS[stranger]
