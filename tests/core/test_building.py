"""Tables, pairs and frames that people already have: read exactly, or refused with a reason."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import ConfusionMatrix, InputError, LabelError, Labels
from confmat.core.building import read_counts


def test_floats_stay_floats_and_integers_integers() -> None:
    assert ConfusionMatrix([[1.0, 0.0], [0.0, 1.0]]).is_weighted
    assert not ConfusionMatrix([[1, 0], [0, 1]]).is_weighted
    assert ConfusionMatrix(np.array([[0.5]], np.float32)).counts.dtype == np.float64
    assert ConfusionMatrix([[Fraction(1, 2)]]).total == 0.5


@given(
    st.lists(
        st.sampled_from([0, 1, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1]),
        min_size=4,
        max_size=4,
    )
)
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
            ConfusionMatrix.from_pairs(
                [(i, j, table[i][j]) for i in (0, 1) for j in (0, 1)], labels=[0, 1]
            )
            == matrix
        )
        assert ConfusionMatrix.from_dict(matrix.to_dict()) == matrix


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([[1, -1], [0, 2]], r"zero or more, but 1 are not; the first, at \(0, 1\), is -1"),
        ([[1, float("nan")], [0, 2]], r"finite, but 1 are not; the first, at \(0, 1\)"),
        ([["a", "b"], ["c", "d"]], "must be numbers"),
        ([[1, 2, 3], [4, 5, 6]], "from_frame and from_pairs"),
        ([1, 2, 3], r"confmat\.count\(actual, predicted\)"),
        ([[]], "square table"),
        ([[1, 2], [3]], "different lengths"),
        ([[1, None], [0, 1]], "None is NoneType"),
        ([[10**400, 0.5], [0, 1]], "is int"),
        ([[2**63, -1], [0, 1]], "zero or more"),
        ([[2**64, 0], [0, 1]], "more than 64 bits hold"),
        ([[1e308, 1e308], [0, 1]], "more than a float holds"),
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


def test_scipy_sparse_tables() -> None:
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    table = [[0, 3], [1, 0]]
    for form in (sparse.coo_array, sparse.csr_matrix, sparse.csc_array, sparse.lil_matrix):
        assert ConfusionMatrix(form(table)) == ConfusionMatrix(table)
    with pytest.raises(InputError, match="square"):
        ConfusionMatrix(sparse.coo_array(np.ones((2, 3))))
    with pytest.raises(InputError, match="zero or more"):
        ConfusionMatrix(sparse.coo_array([[-1]]))


def test_what_is_masked_is_no_count() -> None:
    masked = np.ma.masked_array([[1, 2], [3, 999]], mask=[[False, False], [False, True]])
    with pytest.raises(InputError, match=r"1 of the numbers are masked.*\.filled\(0\)"):
        ConfusionMatrix(masked)
    assert ConfusionMatrix(masked.filled(0)).total == 1 + 2 + 3
    assert ConfusionMatrix(np.ma.masked_array([[1, 2], [3, 4]])).total == 1 + 2 + 3 + 4


def test_a_matrix_passed_as_counts_has_labels_and_counts() -> None:
    dense = ConfusionMatrix([[1, 2], [3, 4]], ["a", "b"], positive="a")
    for matrix in (dense, dense.sparse()):
        assert read_counts(matrix) is matrix._counts
        assert ConfusionMatrix(matrix).labels is matrix.labels
        assert ConfusionMatrix(matrix, ["x", "y"]).labels == ["x", "y"]


def test_every_frame_is_sent_to_from_frame() -> None:
    for name in ("pandas", "polars"):
        library = pytest.importorskip(name, reason=f"{name} is not installed")
        with pytest.raises(InputError, match="from_frame"):
            ConfusionMatrix(library.DataFrame({"a": [1, 2], "b": [3, 4]}))


def test_tensors() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    assert ConfusionMatrix(torch.tensor([[1, 2], [3, 4]])).counts.tolist() == [[1, 2], [3, 4]]
    learnt = torch.tensor([[1.5, 2.0], [3.0, 4.0]], requires_grad=True)
    assert ConfusionMatrix(learnt).total == 1.5 + 2 + 3 + 4
    with pytest.raises(InputError, match="as numbers"):
        ConfusionMatrix(torch.ones((2, 2), device="meta"))
