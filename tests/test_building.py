"""Tables, pairs and frames that people already have: read exactly, or refused with a reason."""

from __future__ import annotations

import datetime
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import ConfusionMatrix, InputError, LabelError, Labels


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, bool, object, ">i4"]
)
def test_small_integers_do_not_wrap(dtype: Any) -> None:
    """PyCM 4.6 takes uint8 as it comes and counts a population of 164 here."""
    matrix = ConfusionMatrix(
        np.array([[1, 1], [0, 1]]).astype(dtype) * dtype(1)
        if dtype not in {">i4", object}
        else np.array([[1, 1], [0, 1]], dtype=dtype)
    )
    assert matrix.counts.dtype == np.int64
    assert matrix.total == 3
    small = ConfusionMatrix(np.array([[200, 100], [20, 100]], np.uint8))
    assert small.total == 200 + 100 + 20 + 100
    assert small.actual_totals.tolist() == [200 + 100, 20 + 100]


def test_floats_stay_floats_and_integers_integers() -> None:
    assert ConfusionMatrix([[1.0, 0.0], [0.0, 1.0]]).is_weighted
    assert not ConfusionMatrix([[1, 0], [0, 1]]).is_weighted
    assert ConfusionMatrix(np.array([[0.5]], np.float32)).counts.dtype == np.float64
    assert ConfusionMatrix([[Fraction(1, 2)]]).total == 0.5


@given(st.lists(st.sampled_from([0, 1, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1]), min_size=4, max_size=4))
def test_nested_lists_of_any_64_bits_are_exact_or_refused(flat: list[int]) -> None:
    """NumPy alone reads [2**63, 1] as floats and loses the last digits."""
    table = [flat[:2], flat[2:]]
    if sum(flat) >= 2**64:
        with pytest.raises(InputError, match="64 bits"):
            ConfusionMatrix(table)
    else:
        matrix = ConfusionMatrix(table)
        assert matrix.counts.tolist() == table
        assert (matrix.total, matrix.is_weighted) == (sum(flat), False)
        assert (
            ConfusionMatrix.from_pairs([(i, j, table[i][j]) for i in (0, 1) for j in (0, 1)], labels=[0, 1]) == matrix
        )
        assert ConfusionMatrix.from_dict(matrix.to_dict()) == matrix


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([[1, -1], [0, 2]], r"zero or more, but 1 are not; the first, at \(0, 1\), is -1"),
        ([[1, float("nan")], [0, 2]], r"finite, but 1 are not; the first, at \(0, 1\)"),
        ([[1, float("inf")], [0, 2]], "finite"),
        ([["a", "b"], ["c", "d"]], "must be numbers"),
        ([[1, 2, 3], [4, 5, 6]], "from_frame and from_pairs"),
        ([1, 2, 3], r"confmat\.count\(actual, predicted\)"),
        ([], "square table"),
        ([[]], "square table"),
        (np.zeros((0, 0)), "square table"),
        ([[1, 2], [3]], "different lengths"),
        (5, "square table"),
        ([[1, None], [0, 1]], "None is NoneType"),
        ([[1, {}], [0, 1]], "must be numbers"),
        (np.array([["1", "0"], ["0", "1"]], dtype=object), "'1' is str"),
        ([[10**400, 0.5], [0, 1]], "is int"),
        ([[2**63, -1], [0, 1]], "zero or more"),
        ([[2**64, 0], [0, 1]], "more than 64 bits hold"),
        ([[-(2**70), 0], [0, 1]], "zero or more"),
        ([[1e308, 1e308], [0, 1]], "more than a float holds"),
        ([[1 + 2j]], "must be numbers"),
        ([[np.datetime64("2020")]], "must be numbers"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(counts: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ConfusionMatrix(counts)


def test_a_matrix_of_fewer_or_more_labels_is_refused() -> None:
    with pytest.raises(LabelError, match="2 rows and columns but there are 3 labels"):
        ConfusionMatrix([[1, 2], [3, 4]], ["a", "b", "c"])
    with pytest.raises(LabelError, match="come twice"):
        ConfusionMatrix([[1, 2], [3, 4]], ["a", "a"])
    with pytest.raises(LabelError, match="list of names"):
        ConfusionMatrix([[1, 2], [3, 4]], "ab")


def test_labels_may_name_the_outside_ones_at_their_end() -> None:
    table = [[1, 2], [3, 4]]
    expected = Labels(["a"], outside=["o"])
    assert ConfusionMatrix(table, ["a"], outside="o").labels == expected
    assert ConfusionMatrix(table, ["a", "o"], outside=["o"]).labels == expected
    assert ConfusionMatrix(table, expected).labels == expected
    assert ConfusionMatrix(table, outside=["o"]).labels == Labels([0], outside=["o"])


def test_without_labels_they_are_numbers() -> None:
    assert ConfusionMatrix(np.eye(3, dtype=int)).labels == [0, 1, 2]


def test_scipy_sparse_tables() -> None:
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    table = [[0, 3], [1, 0]]
    for form in (sparse.coo_array, sparse.csr_matrix, sparse.csc_array, sparse.lil_matrix):
        assert ConfusionMatrix(form(table)) == ConfusionMatrix(table)
    with pytest.raises(InputError, match="square"):
        ConfusionMatrix(sparse.coo_array(np.ones((2, 3))))
    with pytest.raises(InputError, match="zero or more"):
        ConfusionMatrix(sparse.coo_array([[-1]]))


def test_predicted_rows_are_turned() -> None:
    matrix = ConfusionMatrix.from_predicted_rows([[50, 25], [0, 25]], ["X", "Not X"], positive="X")
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (50, 25, 0, 25)


def test_cells_name_their_places() -> None:
    matrix = ConfusionMatrix.from_cells(tp=1, fp=2, fn=3, tn=4)
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (1, 2, 3, 4)
    assert matrix.labels == ["positive", "negative"]
    assert matrix.positive == "positive"
    assert matrix.counts.tolist() == [[1, 3], [2, 4]]
    with pytest.raises(LabelError, match="are two, the positive class first"):
        ConfusionMatrix.from_cells(tp=1, fp=2, fn=3, tn=4, labels=["a", "b", "c"])
    with pytest.raises(InputError, match="zero or more"):
        ConfusionMatrix.from_cells(tp=-1, fp=2, fn=3, tn=4)


# ---- pairs -------------------------------------------------------------------------------------------------


def test_pairs_from_a_mapping_and_from_triples() -> None:
    matrix = ConfusionMatrix.from_pairs({("b", "a"): 3, ("b", "b"): 1})
    assert matrix.labels == ["a", "b"]
    assert matrix.counts.tolist() == [[0, 0], [3, 1]]
    assert ConfusionMatrix.from_pairs([("b", "a", 1), ("b", "b", 1), ("b", "a", 2)]) == matrix
    assert ConfusionMatrix.from_pairs(matrix.pairs()) == matrix
    assert ConfusionMatrix.from_pairs({("b", "a"): 3}, labels=["b", "a"], positive="b").positive == "b"
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
        ({("a", "b", "c"): 1}, InputError, "a tuple"),
        ([("a", "b")], InputError, "to a count"),
        ({("a", "b"): -1}, InputError, "zero or more"),
        ({("a", "b"): float("nan")}, InputError, "finite"),
        ({("a", "b"): "3"}, InputError, "must be numbers"),
        ({("a", 1): 1}, LabelError, "of one kind"),
        ({(None, "a"): 1}, LabelError, "missing"),
        ({("a", "b"): 2**64}, InputError, "64 bits"),
    ],
)
def test_pairs_that_make_no_matrix(pairs: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        ConfusionMatrix.from_pairs(pairs)


def test_pairs_outside_given_labels_are_refused() -> None:
    with pytest.raises(LabelError, match="no label 'c'"):
        ConfusionMatrix.from_pairs({("a", "c"): 1}, labels=["a", "b"])


# ---- frames ------------------------------------------------------------------------------------------------


def test_a_crosstab_keeps_its_names() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    actual, predicted = pd.Series(list("aabbc"), name="actual"), pd.Series(list("abbbb"), name="predicted")
    table = pd.crosstab(actual, predicted)
    matrix = ConfusionMatrix.from_frame(table)
    assert matrix.labels == ["a", "b", "c"]
    assert matrix.counts.tolist() == [[1, 1, 0], [0, 2, 0], [0, 1, 0]]
    assert not matrix.is_weighted
    assert ConfusionMatrix.from_frame(table.T, rows="predicted") == matrix
    with pytest.raises(InputError, match="say rows='predicted'"):
        ConfusionMatrix.from_frame(table.T)
    with pytest.raises(InputError, match="without margins"):
        ConfusionMatrix.from_frame(pd.crosstab(actual, predicted, margins=True))
    with pytest.raises(InputError, match="without margins"):
        ConfusionMatrix.from_frame(table.assign(All=table.sum(axis=1)))
    with pytest.raises(InputError, match="from_frame"):
        ConfusionMatrix(table)
    with pytest.raises(InputError, match="`rows` must be 'actual' or 'predicted', not 'x'"):
        ConfusionMatrix.from_frame(table, rows="x")  # type: ignore[arg-type]


def test_a_frame_with_gaps_and_other_types() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    gaps = pd.DataFrame([[1, np.nan], [2, 3]], index=["a", "b"], columns=["a", "b"])
    assert ConfusionMatrix.from_frame(gaps).counts.tolist() == [[1, 0], [2, 3]]
    assert not ConfusionMatrix.from_frame(gaps).is_weighted
    numbers = pd.DataFrame([[1, 2], [0, 1]], index=[10, 2], columns=[2, 10])
    matrix = ConfusionMatrix.from_frame(numbers)
    assert (matrix.labels, matrix.counts.tolist()) == (Labels([10, 2]), [[2, 1], [1, 0]])
    twice = pd.DataFrame([[1, 2], [0, 1]], index=["a", "a"], columns=["a", "b"])
    with pytest.raises(LabelError, match="rows of the frame repeat a label: 'a'"):
        ConfusionMatrix.from_frame(twice)
    with pytest.raises(LabelError, match="of one kind"):
        ConfusionMatrix.from_frame(pd.DataFrame([[1]], index=["1"], columns=[1]))
    negative = pd.DataFrame([[-1.0]], index=["a"], columns=["a"])
    with pytest.raises(InputError, match="zero or more"):
        ConfusionMatrix.from_frame(negative)
    days = [datetime.date(2020, 1, day) for day in (1, 2)]
    assert ConfusionMatrix.from_frame(pd.DataFrame([[1, 0], [0, 1]], index=days, columns=days)).labels == days


def test_frames_without_an_index_name_rows_in_their_first_column() -> None:
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    content = {"actual": ["a", "b"], "a": [1, 2], "b": [0, 3]}
    expected = ConfusionMatrix([[1, 0], [2, 3]], ["a", "b"])
    assert ConfusionMatrix.from_frame(pl.DataFrame(content)) == expected
    assert ConfusionMatrix.from_frame(pa.table(content)) == expected
    assert ConfusionMatrix.from_frame(pl.DataFrame(content), rows="predicted") == expected.T
    with pytest.raises(InputError, match="cross table"):
        ConfusionMatrix.from_frame([[1, 2], [3, 4]])
