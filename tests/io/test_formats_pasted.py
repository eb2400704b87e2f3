"""Printed matrices of every tool that people paste from."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import confmat
from confmat.core.errors import ConfmatError
from confmat.io import read_printed, recognize, to_json

COUNTS = [[4, 1, 1], [6, 2, 2], [3, 0, 6]]
NAMES = ["Cat", "Fish", "Hen"]
CAT = confmat.ConfusionMatrix(COUNTS, NAMES)

SKLEARN = "[[4 1 1]\n [6 2 2]\n [3 0 6]]"
PANDAS = """\
predicted  Cat  Fish  Hen
actual
Cat          4     1    1
Fish         6     2    2
Hen          3     0    6"""
PANDAS_MARGINS = """\
predicted  Cat  Fish  Hen  All
actual
Cat          4     1    1    6
Fish         6     2    2   10
Hen          3     0    6    9
All         13     3    9   25"""
PYCM = """\
Predict    Cat        Fish       Hen
Actual
Cat        4          1          1

Fish       6          2          2

Hen        3          0          6


"""
CARET = """\
Confusion Matrix and Statistics

          Reference
Prediction Cat Fish Hen
      Cat    4    6   3
      Fish   1    2   0
      Hen    1    2   6

Overall Statistics

               Accuracy : 0.48
                 95% CI : (0.278, 0.687)
"""
YARDSTICK = """\
          Truth
Prediction Cat Fish Hen
      Cat    4    6   3
      Fish   1    2   0
      Hen    1    2   6
"""
R_TABLE = """\
      predicted
actual Cat Fish Hen
  Cat    4    1   1
  Fish   6    2   2
  Hen    3    0   6
"""
MARKDOWN = """\
As published:

|  | Predicted Cat | Predicted Fish | Predicted Hen |
| --- | --- | --- | --- |
| Cat | 4 | 1 | 1 |
| Fish | 6 | 2 | 2 |
| **Hen** | 3 | 0 | 6 |

And so on.
"""
LATEX = r"""
\begin{table} \caption{Counts}
\begin{tabular}{l|rrr} \hline
 & \multicolumn{3}{c}{\textbf{Predicted}} \\ \cline{2-4}
\textbf{Actual} & Cat & Fish & Hen \\ \hline % names
\textit{Cat} & 4 & 1 & 1 \\
Fish & 6 & 2 & 2 \\[2pt]
Hen & $3$ & 0 & 6 \\ \hline
\end{tabular}
\end{table}
"""
PANDAS_LATEX = r"""
\begin{tabular}{lrrr}
\toprule
predicted & Cat & Fish & Hen \\
actual &  &  &  \\
\midrule
Cat & 4 & 1 & 1 \\
Fish & 6 & 2 & 2 \\
Hen & 3 & 0 & 6 \\
\bottomrule
\end{tabular}
"""
PREFIXED = """\
             Predicted
             Cat  Fish  Hen
Actual Cat     4     1    1
Actual Fish    6     2    2
Actual Hen     3     0    6
"""
R_OF_COLUMNS = """\
            test$predicted
iris.actual  Cat Fish Hen
        Cat    4    1   1
        Fish   6    2   2
        Hen    3    0   6
"""
TRANSPOSED_CSV = "predicted\\actual,Cat,Fish,Hen\nCat,4,6,3\nFish,1,2,0\nHen,1,2,6\n"
LONG = "Prediction,Reference,Freq\nCat,Cat,4\nCat,Fish,6\nCat,Hen,3\nFish,Cat,1\nFish,Fish,2\nHen,Cat,1\n"
LONG += "Hen,Fish,2\nHen,Hen,6\n"
JSON = '{"Matrix": [["Cat", [["Cat", 4], ["Fish", 1], ["Hen", 1]]], ["Fish", [["Cat", 6], ["Fish", 2], ["Hen", 2]]], '
JSON += '["Hen", [["Cat", 3], ["Fish", 0], ["Hen", 6]]]], "Digit": 5}'

PANDAS_ML = """\
Predicted  Cat  Fish  Hen  __all__
Actual
Cat          4     1    1        6
Fish         6     2    2       10
Hen          3     0    6        9
__all__     13     3    9       25
"""

# Tools pad their lines; an editor would take these spaces away.
PANDAS, PANDAS_MARGINS, PYCM, CARET = (
    "\n".join(line.ljust(40) for line in text.split("\n"))
    for text in (PANDAS, PANDAS_MARGINS, PYCM, CARET)
)

NAMED = {
    "pandas": (PANDAS, "pandas", "actual", True),
    "pandas with totals": (PANDAS_MARGINS, "pandas", "actual", True),

    "PyCM": (PYCM, "PyCM", "actual", True),

    "caret": (CARET, "caret", "predicted", True),
    "yardstick": (YARDSTICK, "yardstick", "predicted", True),

    "R table": (R_TABLE, "R table", "actual", True),

    "Markdown": (MARKDOWN, "Markdown", "actual", True),
    "LaTeX": (LATEX, "LaTeX", "actual", True),
    "LaTeX from pandas": (PANDAS_LATEX, "LaTeX", "actual", True),
    "title before each row": (PREFIXED, "table of columns", "actual", True),
    "columns of a frame in R": (R_OF_COLUMNS, "R table", "actual", True),
    "pandas-ml": (PANDAS_ML, "pandas", "actual", True),
    "CSV": (TRANSPOSED_CSV, "CSV", "predicted", True),
    "long CSV": (LONG, "CSV, long form", "actual", True),



    "ours": (str(CAT), "confmat", "actual", True),
    "array beside names": (f"['Cat' 'Fish' 'Hen']\n{SKLEARN}", "array", "actual", False),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_a_printed_matrix_is_read(name: str) -> None:
    text, source, rows, stated = NAMED[name]
    assert read_printed(text) == CAT
    # Pasting often loses the spaces before the first line.
    assert read_printed(text.strip()) == CAT
    found = recognize(text)
    assert (found.source, found.rows, found.stated) == (source, rows, stated)


SHARES = """\
             predicted
actual       no           yes           Total
no           50 (83.3%)   10 (16.7%)    60 (100%)
yes          5 (4.8%)     100 (95.2%)   105 (100%)
Total        55 (33.3%)   110 (66.7%)   165 (100%)
"""
DOTS = """\
      predicted
actual no yes
   no  50   .
   yes  5 100
"""
SCHOOL = """\
n=165          Predicted: NO   Predicted: YES
Actual: NO          50              10
Actual: YES          5             100
"""
ORANGE = "\t\tPredicted\t\t\n\t\tno\tyes\tΣ\nActual\tno\t50\t10\t60\n\tyes\t5\t100\t105\n\tΣ\t55\t110\t165\n"
QGIS = " > ERROR MATRIX (pixel count)\n\t> Reference\nV_Classified\tno\tyes\tTotal\n"
QGIS += "no\t50\t5\t55\nyes\t10\t100\t110\nTotal\t60\t105\t165\n"
SHEET = "accuracy: 90.91% +/- 5.16%\n\ttrue no\ttrue yes\tclass precision\n"
SHEET += "pred. no\t50\t5\t90.91%\npred. yes\t10\t100\t90.91%\nclass recall\t83.33%\t95.24%\t\n"
COUNTED = [[50, 10], [5, 100]]


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (SHARES, COUNTED),
        (DOTS, [[50, 0], [5, 100]]),
        (SCHOOL, COUNTED),
        (ORANGE, COUNTED),
        (QGIS, COUNTED),
        (SHEET, COUNTED),
    ],
)
def test_tables_of_papers_and_sheets(text: str, counts: list[list[int]]) -> None:
    for pasted in (text, text.replace("\n", "\r\n"), f"Table 2.\n{text}"):
        assert read_printed(pasted).counts.tolist() == counts
        assert recognize(pasted).stated


BARE = {
    "scikit-learn": SKLEARN,
    "repr": "array([[4, 1, 1],\n       [6, 2, 2],\n       [3, 0, 6]], dtype=int64)",
    "lists": str(COUNTS),
    "numbers": "4 1 1\n6 2 2\n3 0 6\n",
    "csv": "4,1,1\n6,2,2\n3,0,6\n",
    "tensor": "tensor([[4, 1, 1],\n        [6, 2, 2],\n        [3, 0, 6]])",
}


@pytest.mark.parametrize("name", BARE)
def test_numbers_alone(name: str) -> None:
    assert read_printed(BARE[name]) == confmat.ConfusionMatrix(COUNTS)
    assert read_printed(BARE[name], labels=NAMES) == CAT
    assert read_printed(BARE[name], rows="predicted") == confmat.ConfusionMatrix(COUNTS).T


def test_labels_that_are_numbers() -> None:
    m = confmat.ConfusionMatrix([[1, 3], [2, 4]])
    for text in (
        "Predict 0       1       \nActual\n0       1       3       \n\n1       2       4       \n",
        "          Reference\nPrediction 0 1\n         0 1 2\n         1 3 4\n",
        "   0  1\n0  1  3\n1  2  4",
        "|   | 0 | 1 |\n|---|--:|--:|\n| 0 | 1 | 3 |\n| 1 | 2 | 4 |",
        str(m),
    ):
        assert read_printed(text, kind="int") == m
        assert read_printed(text) == m.relabel(["0", "1"])


def test_labels_with_spaces() -> None:
    m = confmat.ConfusionMatrix([[8, 1], [2, 9]], ["long class name", "class 2"])
    pandas = (
        "Predicted label  long class name  class 2\nTrue label                               \n"
    )
    pandas += "long class name                8        1\nclass 2                        2        9"
    caret = "                 Reference\nPrediction        long class name class 2\n"
    caret += (
        "  long class name               8       2\n  class 2                       1       9\n"
    )
    assert read_printed(pandas) == m
    assert read_printed(caret) == m
    assert read_printed(str(m.relabel({"long class name": "class 10"}))).labels == [
        "class 10",
        "class 2",
    ]


def test_a_class_that_is_never_predicted() -> None:
    m = read_printed(
        "predicted  a  c\nactual         \na          3  1\nb          2  0\nc          0  5"
    )
    assert m == confmat.ConfusionMatrix([[3, 0, 1], [2, 0, 0], [0, 0, 5]], ["a", "b", "c"])
    m = read_printed(",a,c\na,3,1\nb,2,0\nc,0,5\n")
    assert m.labels == ["a", "b", "c"]
    assert read_printed("      p\nactual a b\n     b 1 2\n     a 3 4\n") == confmat.ConfusionMatrix(
        [[2, 1], [4, 3]], ["b", "a"]
    )


def test_numbers_as_they_are_printed() -> None:
    table = "|  | Predicted Cat | Predicted Dog |\n| --- | --- | --- |\n| Cat | 8,800 | 0 |\n| Dog | 100 | 1e3 |\n"
    assert read_printed(table).counts.tolist() == [[8800, 0], [100, 1000]]
    assert read_printed("[[4.5 0. ]\n [1.  2. ]]").counts.tolist() == [[4.5, 0], [1, 2]]
    big = 2**63 + 11
    assert read_printed(f"[[{big}, 0], [1, 2]]").counts[0, 0] == np.uint64(big)


def test_a_table_with_titles_beside_and_above() -> None:
    text = "\t\tBench Mark\t\t\n\t\tX\tNot X\t\nClassifier\tX\t50\t25\t75\n\tNot X\t0\t25\t25\n\t\t50\t50\t100\n"
    assert read_printed(text) == confmat.ConfusionMatrix.from_predicted_rows(
        [[50, 25], [0, 25]], ["X", "Not X"]
    )
    renamed = text.replace("\tX\t50", "\tX (Positive)\t50").replace(
        "\tNot X\t0", "\tNot X (Negative)\t0"
    )
    with pytest.raises(ConfmatError, match="give their names in order as `labels`"):
        read_printed(renamed)
    assert read_printed(renamed, labels=["X", "Not X"]) == read_printed(text)


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "unknown axes": ("     y\nx     a b\n  a   1 2\n  b   3 4\n", {}, "say rows='actual' or rows='predicted'"),
    "contradiction": (CARET, {"rows": "actual"}, "the text says that its rows are predicted"),

    "wrong total": (PANDAS_MARGINS.replace("   10", "   11"), {}, "adds up to 10 but its printed total is 11"),
    "other names": (",a,b\na,1,2\nc,3,4\n", {}, "the same classes"),
    "rates": ("[[0.67 0.33]\n [0.25 0.75]]", {}, "these are rates"),


    "abridged array": ("[[1 0 ... 0]\n [0 1 ... 0]\n ...\n [0 0 ... 1]]", {}, "abridged"),
    "two arrays": ("[[1 2]\n [3 4]]\n[[1 2]\n [3 4]]", {}, "more than one array"),
    "stacked": ("[[[1 2]\n  [3 4]]\n\n [[1 2]\n  [3 4]]]", {}, "one of three dimensions"),

    "not square": ("[[1 2 3]\n [3 4 5]]", {}, "the rows, columns and names of the array are not equally many: 2, 3"),
    "two tables": (MARKDOWN + MARKDOWN, {}, "2 Markdown tables"),


    "cut print": ("\n".join(str(CAT).splitlines()[:-1]), {}, "cut off"),


    "empty": (" \n", {}, "the text is empty"),


    "negative": ("[[1 -2]\n [3 4]]", {}, "'-2' is no count"),


    "repeated": ("   a  a\na  1  2\na  3  4", {}, "repeat a label: 'a'"),
    "wrapped": ("   a b  \\\na  1 2   \nb  3 4   \n", {}, "wrapped"),



    "pairs": ("actual,predicted\na,b\n", {}, "no counts; count them"),

    "options": (to_json(CAT), {"labels": ["a"]}, "leave out the options"),
    "many digits": (f"[[1 {'9' * 5000}]\n [3 4]]", {}, "5,000 digits"),
    "few labels": (SKLEARN, {"labels": ["a"]}, "3 rows but there are 1 labels"),
    "kind": (PANDAS, {"kind": "int"}, "'Cat' is not of kind 'int'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_unclear_is_an_error_that_says_what_to_do(name: str) -> None:
    text, options, message = REFUSED[name]
    with pytest.raises(ConfmatError, match=r".") as caught:
        read_printed(text, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_our_own_print_with_numbers_beside_the_names_is_read() -> None:
    names = [f"a rather long name {i}" for i in range(12)]
    matrix = confmat.ConfusionMatrix(np.arange(144).reshape(12, 12), names)
    assert str(matrix).splitlines()[1].split()[:4] == ["actual", "0", "1", "2"]
    assert read_printed(str(matrix)) == matrix
    matrix = confmat.ConfusionMatrix([[1, 2], [3, 4]], ["חתול", "cat"])
    assert read_printed(str(matrix)) == matrix


def test_what_show_prints_is_read() -> None:
    matrix = confmat.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    for choices in ({}, {"of": "Cat"}, {"title": "Pets"}):
        stream = io.StringIO()
        confmat.show(matrix, file=stream, color=False, **choices)  # type: ignore[arg-type]
        assert read_printed(stream.getvalue()) == matrix
    # Rates are no counts: they do not add up to the totals beside them.
    stream = io.StringIO()
    confmat.show(matrix, file=stream, color=False, normalize="actual")
    with pytest.raises(ConfmatError):
        read_printed(stream.getvalue())


def test_a_wrapped_r_table_is_read_whole_or_refused() -> None:
    text = "     y_pred\ny_true a b\n     a 1 2\n     b 3 4\n     c 5 6\n"
    text += "     y_pred\ny_true c\n     a 7\n     b 8\n     c 9\n"
    assert read_printed(text) == confmat.ConfusionMatrix(
        [[1, 2, 7], [3, 4, 8], [5, 6, 9]], ["a", "b", "c"]
    )
    with pytest.raises(ConfmatError, match="the print is wrapped"):
        read_printed(text.replace("     c 9\n", ""))


def test_a_row_that_names_the_rows_alone_is_no_words() -> None:
    frame = PANDAS_MARGINS.replace("  ", "\t")
    rows = "predicted\tCat\tFish\tHen\nactual\t\t\t\nCat\t4\t1\t1\nFish\t6\t2\t2\nHen\t3\t0\t6\n"
    assert read_printed(rows) == read_printed(f"Table 1\n{rows}Source: us\n") == CAT
    with pytest.raises(ConfmatError):
        read_printed(rows + "Ox\t\t\t\n")
    with pytest.raises(ConfmatError):
        read_printed(frame)


def test_a_recognition_reads_well() -> None:
    assert (
        str(recognize(CARET)) == "caret: rows are predicted (as it says, transposed on the way in)"
    )


def test_files_of_pycm_are_read_by_pycm() -> None:
    with pytest.raises(
        ConfmatError, match=r"from_pycm\(pycm.ConfusionMatrix\(file=open\(path\)\)\)"
    ):
        read_printed(JSON)


def test_an_abridged_print_of_our_own_is_refused() -> None:
    with pytest.raises(ConfmatError, match="abridged"):
        read_printed(str(confmat.ConfusionMatrix(np.eye(300, dtype=int))))


def test_only_text_is_read() -> None:
    with pytest.raises(ConfmatError, match="from text, not from ndarray"):
        read_printed(np.eye(2))  # type: ignore[arg-type]
