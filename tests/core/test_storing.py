"""Matrices as plain data: JSON and back without loss, and damage refused."""

from __future__ import annotations

import enum
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from confmat import ConfmatError, ConfusionMatrix, InputError, count


def through_json(matrix: ConfusionMatrix) -> ConfusionMatrix:
    return ConfusionMatrix.from_dict(json.loads(json.dumps(matrix.to_dict())))


CELLS = st.integers(0, 2**60) | st.sampled_from([0, 1])
FLOATS = st.floats(0, 1e300, allow_subnormal=True) | st.sampled_from([0.0, 0.1, 5e-324])


@given(
    arrays(np.int64, (3, 3), elements=CELLS) | arrays(np.float64, (3, 3), elements=FLOATS),
    st.booleans(),
)
def test_json_brings_every_number_back(table: np.ndarray[Any, Any], sparse: bool) -> None:
    matrix = ConfusionMatrix(table, ["a", "\0", "\ud800"], positive="\0")
    matrix = matrix.sparse() if sparse else matrix
    twin = through_json(matrix)
    assert twin == matrix
    assert hash(twin) == hash(matrix)
    assert (twin.counts.dtype, twin.is_sparse, twin.positive) == (matrix.counts.dtype, sparse, "\0")
    assert twin.counts.tobytes() == matrix.counts.tobytes()


@pytest.mark.parametrize("sparse", [False, True])
def test_the_last_bit_survives(sparse: bool) -> None:
    matrix = count(
        [0, 1, 2, 2], [0, 1, 2, 0], weights=np.array([2**63, 1, 2**62, 5], np.uint64), sparse=sparse
    )
    twin = through_json(matrix)
    assert twin == matrix
    assert twin.total == 2**63 + 1 + 2**62 + 5
    assert twin.counts.dtype == np.uint64


@pytest.mark.parametrize("sparse", [False, True])
def test_weights_squares_dropped_and_outside_labels_survive(sparse: bool) -> None:
    matrix = count(
        ["a", None, "c", "a"],
        ["a", "a", "a", "a"],
        weights=[0.1, 2.0, 3.0, 0.2],
        labels=["a", "b"],
        other="drop",
        missing="collect",
        sparse=sparse,
    )
    twin = through_json(matrix)
    assert twin == matrix
    assert twin.squares is not None
    assert matrix.squares is not None
    assert twin.squares.tolist() == matrix.squares.tolist()
    assert twin.squares[0, 0] == pytest.approx(0.1**2 + 0.2**2, rel=1e-15)
    assert (twin.dropped, twin.labels.outside) == (3.0, ("(missing)",))
    assert twin.labels.to_dict() == matrix.labels.to_dict()


def test_labels_that_json_has_no_form_for_stay_objects_in_the_dictionary() -> None:
    class Suit(enum.Enum):
        CLUBS = 1
        HEARTS = 2

    matrix = ConfusionMatrix([[1, 2], [3, 4]], list(Suit), positive=Suit.HEARTS)
    assert ConfusionMatrix.from_dict(matrix.to_dict()) == matrix
    assert ConfusionMatrix.from_dict(matrix.to_dict()).positive is Suit.HEARTS
    months = ConfusionMatrix([[1, 2], [3, 4]], np.array(["2020-01", "2020-02"], "M8[M]"))
    assert through_json(months) == months


def test_a_weighted_matrix_of_whole_numbers_stays_weighted() -> None:
    matrix = ConfusionMatrix([[1.0, 0.0], [0.0, 2.0]])
    stored = json.loads(
        json.dumps(matrix.to_dict()).replace("1.0", "1").replace("2.0", "2").replace("0.0", "0")
    )
    assert ConfusionMatrix.from_dict(stored).is_weighted


def test_the_form_is_what_the_page_says() -> None:
    matrix = ConfusionMatrix([[1, 0], [2, 3]], ["a", "b"])
    head = {
        "format": "confmat.matrix",
        "version": 1,
        "labels": {"kind": "text", "names": ["a", "b"]},
        "rows": "actual",
    }
    assert matrix.to_dict() == {**head, "weighted": False, "counts": [[1, 0], [2, 3]]}
    assert matrix.sparse().to_dict() == {
        **head,
        "weighted": False,
        "counts_cells": [[0, 0, 1], [1, 0, 2], [1, 1, 3]],
    }


def test_unknown_fields_are_refused() -> None:
    data = ConfusionMatrix([[1]]).to_dict()
    with pytest.raises(InputError, match="a stored matrix with an unknown field, 'note'"):
        ConfusionMatrix.from_dict({**data, "note": "x"})
    with pytest.raises(InputError, match="stored labels with an unknown field, 'colour'"):
        ConfusionMatrix.from_dict({**data, "labels": {**data["labels"], "colour": "red"}})


GOOD = ConfusionMatrix([[1, 0], [2, 3]], ["a", "b"]).to_dict()


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"version": 0},
        {"weighted": "no"},
        {"rows": "predicted"},
        {"labels": ["a", "b"]},
        {"labels": {"kind": "text", "names": ["a"]}},
        {"counts": [[1, -1], [2, 3]]},
        {"counts": [["1", "0"], ["2", "3"]]},
        {"counts": None},
        {"counts": [[float("nan"), 0], [2, 3]]},
        {"dropped": -1},
        {"dropped": True},
        {"squares": [[1]]},
        {"squares": [[-1, 0], [0, 0]]},
    ],
)
def test_damage_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ConfmatError):
        ConfusionMatrix.from_dict({**GOOD, **change})


@pytest.mark.parametrize(
    "cells",
    [
        *(None, [[0, 0]], [[0, 2, 1]], [[-1, 0, 1]], [[0, 0, -1]], [[2**70, 0, 1]]),
        *([[0.9, 0, 5]], [[True, 0, 5]], [[0, 0, 5], [0, 0, 1]], [[0, 0, "1"]]),
    ],
)
def test_damaged_cells_are_refused(cells: Any) -> None:
    stored = {name: value for name, value in GOOD.items() if name != "counts"} | {
        "counts_cells": cells
    }
    with pytest.raises(InputError):
        ConfusionMatrix.from_dict(stored)


@pytest.mark.parametrize("stored", [None, "x", {}, b"\x80\x04\x95"])
def test_what_is_no_stored_matrix_is_refused(stored: Any) -> None:
    with pytest.raises(InputError, match="no stored confusion matrix"):
        ConfusionMatrix.from_dict(stored)


def test_no_label_is_ever_evaluated() -> None:
    stored = {
        **GOOD,
        "labels": {"kind": "object", "names": [{"eval": "__import__('os')"}, {"decimal": "1"}]},
    }
    with pytest.raises(InputError, match="cannot read the stored label"):
        ConfusionMatrix.from_dict(stored)
