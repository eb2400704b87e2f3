"""Cells and margins as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import ConfusionMatrix
from confmat.core.errors import ConfmatError, ConfmatWarning, InputError
from confmat.io import read_printed

SHEET = "\tno\tyes\nno\t{}\t{}\nyes\t{}\t{}\n"
FOREST = """\
OOB estimate of  error rate: 4%
Confusion matrix:
    no yes class.error
no  50  10  0.16666667
yes  5 100  0.04761905
"""
MLR = """\
        predicted
true     no yes -err.-
  no     50  10     10
  yes     5 100      5
  -err.-  5  10     15
"""
MAP = """\
| Actual | no | yes | Total | User's accuracy (%) |
|---|---|---|---|---|
| no | 50 | 10 | 60 | 83.3 |
| yes | 5 | 100 | 105 | 95.2 |
| Total | 55 | 110 | 165 | |
| Producer’s accuracy (%) | 90.9 | 90.9 | | 90.9 |
"""
PLAIN = """\
======  ====  ====
actual  no    yes
======  ====  ====
no      50    10
yes     5     100
======  ====  ====
"""
CELLS = """\
| | Predicted no | Predicted yes |
|---|---|---|
| Actual no | TN = 50 | 10 (FP) |
| Actual yes | FN (5) | 100 (95.2%) |
"""

M = ConfusionMatrix([[50, 10], [5, 100]], ["no", "yes"])


@pytest.mark.parametrize("text", [FOREST, MLR, MAP, PLAIN, CELLS])
def test_scores_and_totals_at_the_margins_are_no_classes(text: str) -> None:
    assert read_printed(text) == M


def test_a_column_that_happens_to_add_the_others_up_is_kept_if_it_is_named() -> None:
    table = "actual,cat,dog,{}\ncat,5,1,6\ndog,2,3,5\n"
    with pytest.warns(ConfmatWarning, match="if they are a class, give all names as labels="):
        assert read_printed(table.format("unclear")).total == 11
    assert read_printed(table.format("unclear"), outside=["unclear"]).total == 22
    assert read_printed(table.format("unclear"), labels=["cat", "dog", "unclear"]).total == 22
    assert read_printed(table.format("(invalid)")).total == 22


@pytest.mark.parametrize(
    ("cells", "counts"),
    [
        (("1,050", "10", "5", "2,100"), [[1050, 10], [5, 2100]]),
        (("1\u00a0050", "10", "5", "2\u202f100"), [[1050, 10], [5, 2100]]),
        (("1.125", "10.000", "2.250", "3.375"), [[1.125, 10], [2.25, 3.375]]),
    ],
)
def test_points_and_commas(cells: tuple[str, ...], counts: list[list[float]]) -> None:
    assert read_printed(SHEET.format(*cells)).counts.tolist() == counts


def test_a_point_that_may_be_of_thousands_is_refused() -> None:
    for text in (SHEET, SHEET.replace("\t", ";"), SHEET.replace("\t", ",")):
        with pytest.raises(
            InputError, match=r"1\.050 beside whole numbers is a decimal to some and 1050 to others"
        ):
            read_printed(text.format("1.050", "10", "5", "2.100"))
    assert read_printed("[[1.125, 10.0], [5.0, 2.250]]").counts.tolist() == [[1.125, 10], [5, 2.25]]
    weights = ConfusionMatrix([[1.125, 10], [5, 2.25]], ["a", "b"])
    assert read_printed(str(weights)) == read_printed(weights.to_csv()) == weights


PIECES = st.sampled_from(
    [
        "\n", "\n", "\t", " ", "  ", "|", "-----+---", "+", "- ", "1", "23", "0.5", "1.050", "1,5", "/", "(", ")", "=",
        "[", "]", ";", ":", "a", "b", "actual", "predicted", "Error", "Rate", "Total", "Frequency|", "Key", "D", "~D",
        "True:\t", "TP", "FN", "Ground Truth (Pixels)\n", "<table>", "<tr>", "<td>", "<td colspan=3 rowspan=2>",
        "#Reference labels (rows):", "\u2502", "Count", "%", "recall", "support", "2\u00d72 Matrix{Int64}:\n",
        "\u201a", "\x00", "\u202e",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60))
def test_whatever_is_pasted_is_read_or_refused(pieces: list[str]) -> None:
    try:
        m = read_printed("".join(pieces))
    except ConfmatError as error:
        assert str(error)  # noqa: PT017
    else:
        assert m.total >= 0
