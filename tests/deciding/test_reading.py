"""Scores come from any container of numbers, with the same answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat import ConfmatError, from_scores, thresholds
from confmat.deciding.model_scores import read_truth

ACTUAL = ["cat", "dog", "hen", "cat"]
SCORES = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.25, 0.25], [0.25, 0.25, 0.5]])
EXPECTED = from_scores(ACTUAL, SCORES)


@pytest.mark.parametrize(
    "scores",
    [
        SCORES.tolist(),
        list(SCORES),
        SCORES.astype(np.float16),
        SCORES.astype(">f8"),
        SCORES.astype(object),
        SCORES[::-1][::-1],
        np.ma.masked_array(SCORES, mask=np.zeros((4, 3), bool)),
    ],
    ids=map(str, range(7)),
)
def test_tables(scores: Any) -> None:
    assert from_scores(ACTUAL, scores) == EXPECTED


@pytest.mark.parametrize(
    "column", [[0.1, 0.9], (0.1, 0.9), iter([0.1, 0.9]), [[0.1], [0.9]], [False, True], [0, 1]]
)
def test_columns(column: Any) -> None:
    assert from_scores([0, 1], column).diagonal.tolist() == [1, 1]


def test_what_is_masked_or_none_is_missing() -> None:
    masked = np.ma.masked_array([0.9, 0.1, 0.8], mask=[False, True, False])
    for scores in (masked, [0.9, None, 0.8]):
        assert from_scores([1, 1, 0], scores, missing="drop").dropped == 1
        with pytest.raises(ConfmatError, match="first in row 1"):
            thresholds([1, 1, 0], scores)


def test_actual_labels_from_anywhere() -> None:
    codes = np.array([0, 1, 1, 0])
    scores = [0.2, 0.9, 0.4, 0.1]
    expected = from_scores(codes, scores)
    for actual in (
        codes.astype(np.uint8),
        codes.astype(np.int8),
        codes.astype(float),
        codes.tolist(),
        iter(codes.tolist()),
    ):
        assert from_scores(actual, scores) == expected
    assert from_scores(codes[:, None], scores) == expected
    assert from_scores(codes.astype(bool), scores).counts.tolist() == expected.counts.tolist()
    far = from_scores(codes * 10**12 - 5, scores, positive=10**12 - 5)
    assert far.counts.tolist() == expected.counts.tolist()
    assert far.labels == (-5, 10**12 - 5)
    assert thresholds(np.array([3, 9, 7]), [1, 2, 3], of=9)[2.0].tp == 1


def test_labels_that_do_not_occur_are_no_classes() -> None:
    masked = np.ma.masked_array(["a", "b", "c"], mask=[False, False, True])
    m = from_scores(masked, [0.1, 0.9, 0.5], positive="b", missing="drop")
    assert m.labels == ("a", "b")
    assert m.diagonal.tolist() == [1, 1]
    spread = from_scores(np.array([0, 10**13, 0]), [0.1, 0.9, 0.5], positive=10**13)
    assert spread.labels == (0, 10**13)
    assert from_scores([], np.zeros((0, 2)), labels=[3, 4]).total == 0


def test_probabilities_of_16_bits_add_up_as_nearly_as_those_can() -> None:
    # The last bits that bfloat16 lacks are cut from 20 probabilities a row, whatever they are kept
    # in afterwards.
    fine = np.random.default_rng(0).dirichlet(np.ones(20), 300).astype(np.float32)
    coarse = (fine.view(np.uint32) & 0xFFFF0000).view(np.float32)
    assert np.abs(coarse.sum(axis=1) - 1).max() > 1e-3
    actual = np.arange(300) % 20
    expected = from_scores(actual, coarse, kind="scores")
    for table in (coarse, coarse.astype(np.float64), coarse.tolist()):
        assert from_scores(actual, table) == expected
    # Wider numbers must add up better, and none may be off by more.
    off = fine * np.float32(0.995)
    for table in (off, (off.view(np.uint32) & 0xFFFF0000).view(np.float32) * np.float32(0.96875)):
        with pytest.raises(ConfmatError, match="adds up to"):
            from_scores(actual, table)


@pytest.mark.peers
def test_frames_and_tensors() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import torch

    named = dict(zip(["cat", "dog", "hen"], SCORES.T, strict=True))
    assert from_scores(ACTUAL, pd.DataFrame(named).convert_dtypes()) == EXPECTED
    assert from_scores(ACTUAL, pd.DataFrame(SCORES)) == EXPECTED
    with pytest.raises(ConfmatError, match=r"called 'p_cat'.*say which class each column means"):
        from_scores(ACTUAL, pd.DataFrame(named).add_prefix("p_"))
    tensor = torch.tensor(SCORES, requires_grad=True)
    assert from_scores(ACTUAL, tensor) == EXPECTED == from_scores(ACTUAL, tensor.to(torch.float16))
    assert from_scores(ACTUAL, tensor.to(torch.bfloat16)) == EXPECTED
    assert from_scores(torch.tensor([0, 1]), torch.tensor([[0.1], [0.9]])).diagonal.tolist() == [
        1,
        1,
    ]
    for make in (pd.Series, lambda v: pd.Series(v, dtype="Float64"), pl.Series, pa.array):
        assert from_scores([0, 1], make([0.1, 0.9])).diagonal.tolist() == [1, 1]
        with pytest.raises(ConfmatError, match="NaN in 1 of 2 rows"):
            from_scores([0, 1], make([0.1, None]))
    dictionary = pa.array(["b", "a", "b"]).dictionary_encode()[1:]
    assert from_scores(dictionary, [0.1, 0.9], positive="b").labels == ("a", "b")
    categories = pd.Categorical(["b", "a"], categories=["b", "a", "c"])
    assert from_scores(categories, np.eye(3)[:2]).labels == ("b", "a", "c")
    assert thresholds(pd.Series([True, False]), pd.Series([0.9, 0.1]))[0.9].tp == 1


def test_rows_that_come_as_lists() -> None:
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    table = [[0.2, 0.8], [0.7, 0.3], [0.6, 0.4]]
    expected = cm.from_scores([1, 0, 1], table)
    columns = [
        pd.Series(table),
        pd.Series(list(np.array(table))),
        pl.Series(table),
        pa.array(table),
        pa.chunked_array([table]),
        pa.array(table, pa.list_(pa.float32(), 2)),
        (tuple(row) for row in table),
    ]
    for column in columns:
        assert cm.from_scores([1, 0, 1], column) == expected
    holed = pa.array([table[0], None, table[2]])
    assert cm.from_scores([1, 0, 1], holed, missing="drop").dropped == 1
    with pytest.raises(cm.InputError, match=r"NaN in 1 of 3 rows, the first in row 1"):
        cm.from_scores([1, 0, 1], holed)
    for ragged in (
        [[0.2, 0.8], [1.0]],
        pa.array([[0.2, 0.8], [1.0]]),
        pd.Series([[0.2, 0.8], 1.0]),
    ):
        with pytest.raises(cm.InputError, match="as many numbers in each row as in the first, 2"):
            cm.from_scores([1, 0], ragged)


@pytest.mark.parametrize("kind", [np.int8, np.int16])
def test_labels_at_both_ends_of_a_narrow_type_are_read(kind: type[np.integer[Any]]) -> None:
    low, high = (int(end) for end in (np.iinfo(kind).min, np.iinfo(kind).max))
    truth = read_truth(np.array([low, high, low], dtype=kind))
    assert (truth.codes.tolist(), truth.names) == ([0, 1, 0], [low, high])
