"""Prints that one tool alone writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import confmat
from confmat import ConfusionMatrix
from confmat.core.errors import ConfmatError
from confmat.io import read_printed, recognize

IRIS = ConfusionMatrix([[50, 0, 0], [0, 48, 2], [0, 1, 49]], ["setosa", "versicolor", "virginica"])
TWO = ConfusionMatrix([[192, 35], [40, 113]], ["0", "1"])
BARE = ConfusionMatrix([[50, 10], [5, 100]])

H2O_PYTHON = """\
Confusion Matrix (Act/Pred) for max f1 @ threshold = 0.3572:
       0    1    Error    Rate
-----  ---  ---  -------  -------------
0      192  35   0.1542   (35.0/227.0)
1      40   113  0.2614   (40.0/153.0)
Total  232  148  0.1974   (75.0/380.0)

Maximum Metrics: Maximum metrics at their respective thresholds
metric                       threshold    value     idx
"""
H2O_R = """\
Confusion Matrix (vertical: actual; across: predicted)  for F1-optimal threshold:
         0   1    Error     Rate
0      192  35 0.154185  =35/227
1       40 113 0.261438  =40/153
Totals 232 148 0.197368  =75/380

Maximum Metrics: Maximum metrics at their respective thresholds
                        metric threshold    value idx
1                       max f1  0.080124 0.356234 248
"""
H2O_CLASSES = """\
Confusion Matrix: Row labels: Actual class; Column labels: Predicted class
           setosa versicolor virginica  Error      Rate
setosa         50          0         0 0.0000 =  0 / 50
versicolor      0         48         2 0.0400 =  2 / 50
virginica       0          1        49 0.0200 =  1 / 50
Totals         50         49        51 0.0200 = 3 / 150
"""
H2O_UNNAMED = """\
Confusion Matrix: Row labels: Actual class; Column labels: Predicted class
setosa    versicolor    virginica    Error      Rate
--------  ------------  -----------  ---------  -------
50        0             0            0          0 / 50
0         48            2            0.04       2 / 50
0         1             49           0.02       1 / 50
50        49            51           0.02       3 / 150
"""
MLJ = """\
              ┌───────────────────────────┐
              │       Ground Truth        │
┌─────────────┼─────────────┬─────────────┤
│  Predicted  │      0      │      1      │
├─────────────┼─────────────┼─────────────┤
│      0      │     192     │     40      │
├─────────────┼─────────────┼─────────────┤
│      1      │     35      │     113     │
└─────────────┴─────────────┴─────────────┘
"""
MATRIX = "PerformanceVector:\naccuracy: 98.00%\nConfusionMatrix:\nTrue:\tsetosa\tversicolor\tvirginica\n"
MATRIX += "setosa:\t50\t0\t0\nversicolor:\t0\t48\t1\nvirginica:\t0\t2\t49\n"
RAPIDMINER = f"{MATRIX}kappa: 0.970\n{MATRIX.split(chr(10), 2)[2]}"
ORFEO = "#Reference labels (rows):setosa,versicolor,virginica\n#Produced labels (columns):setosa,versicolor,virginica\n"
ORFEO += "50,0,0\n0,48,2\n0,1,49\n"

READ = {
    "H2O in Python": (H2O_PYTHON, TWO, "H2O", "actual"),
    "H2O in R": (H2O_R, TWO, "H2O", "actual"),
    "H2O, several classes": (H2O_CLASSES, IRIS, "H2O", "actual"),
    "H2O, rows without names": (H2O_UNNAMED, IRIS, "H2O", "actual"),
    "MLJ": (MLJ, TWO, "box", "predicted"),
    "RapidMiner's log": (RAPIDMINER, IRIS, "RapidMiner", "predicted"),
    "Orfeo": (ORFEO, IRIS, "Orfeo ToolBox", "actual"),
}


@pytest.mark.parametrize("name", READ)
def test_the_print_of_a_tool_is_read(name: str) -> None:
    text, m, source, rows = READ[name]
    assert read_printed(text) == m
    assert read_printed(text.replace("\n", "\r\n")) == m
    found = recognize(text)
    assert (found.source, found.rows, found.stated) == (source, rows, True)


def test_a_file_of_orfeo_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "confusion.csv"
    path.write_text(ORFEO.replace("(rows)", "(x)").replace("(columns)", "(rows)").replace("(x)", "(columns)"))
    assert confmat.load(path) == IRIS.T
    path.write_text(ORFEO)
    assert confmat.load(path) == IRIS


def test_names_of_h2o() -> None:
    adult = "       <=50K >50K    Error         Rate\n<=50K  20000 4720 0.190939  =4720/24720\n"
    adult += ">50K    1200 6641 0.153042   =1200/7841\nTotals 21200 11361 0.181812  =5920/32561\n"
    assert read_printed(adult) == ConfusionMatrix([[20000, 4720], [1200, 6641]], ["<=50K", ">50K"])
    risk = "           low risk  high risk   Error      Rate\nlow risk         50          0  0.0000 =  0 / 50\n"
    risk += "high risk         3          0     NaN =  0 / 0\nTotals           53          0  0.0300 = 3 / 100\n"
    assert read_printed(risk) == ConfusionMatrix([[50, 0], [3, 0]], ["low risk", "high risk"])


@pytest.mark.parametrize(
    "text",
    [
        "C =\n\n    50    10\n     5   100\n",
        "\nC = 2\u00d72\n\n    50    10\n     5   100\n",
        "ans = 2x2 table\n\n    50    10\n     5   100\n",
        "2\u00d72 Matrix{Int64}:\n 50   10\n  5  100\n",
        "2\u00d72 Array{Int64,2}:\n 50   10\n  5  100\n",
        "[50 10; 5 100]",
        "C = [50, 10;\n     5, 100];\n",
    ],
)
def test_arrays_of_matlab_and_julia(text: str) -> None:
    assert read_printed(text) == BARE
    assert read_printed(text, rows="predicted") == BARE.T


def test_what_mlj_shows_in_one_line_has_predicted_rows() -> None:
    assert read_printed("ConfusionMatrix{2}([50 5; 10 100])") == BARE


@pytest.mark.parametrize(
    "text",
    [
        "TP: 100, FP: 10, FN: 5, TN: 50",
        "ConfusionMatrix{Int64}(p = 105, n = 60, tp = 100, tn = 50, fp = 10, fn = 5)",
        "True Positives: 100\nFalse Positives: 10\nFalse negatives (FN): 5\nTN = 50\n",
    ],
)
def test_four_counts_by_their_names(text: str) -> None:
    assert read_printed(text, positive="positive") == ConfusionMatrix(
        [[50, 10], [5, 100]], ["negative", "positive"], positive="positive"
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (H2O_R.replace("Totals 232", "Totals 233"), "column '0' adds up to 232 but its printed total is 233"),
        (RAPIDMINER.replace("\t0\t48\t1\n", "\t0\t49\t1\n", 1), "the text has several tables"),
        (ORFEO.replace("50,0,0\n", ""), "names 3 rows and 3 columns, but its table has another shape"),
        ("TP = 0.91, FP = 0.09, FN = 0.2, TN = 0.8", "header and nothing below it"),
        ("TP = 91%, FP = 9%, FN = 20%, TN = 80%", "header and nothing below it"),
        ("TP = 91 %, FP = 9 %, FN = 20 %, TN = 80 %", "header and nothing below it"),
        ("TP: 50/60 FN: 10/60 FP: 5/105 TN: 100/105", "no confusion matrix was recognised"),
        ("TP: 50 \u00b1 3 FN: 10 FP: 5 TN: 100", "no confusion matrix was recognised"),
        ("TP = 1.050; FN = 10; FP = 5; TN = 100", "1.050 beside whole numbers is a decimal to some"),
        ("tp,50\nfn,10\nfp,5\ntn,100\n", "the rows have 'fn', 'fp', 'tn' and the columns '50'"),
        ("ConfusionMatrix{3}([50 10; 5 100])", "header and nothing below it"),
        ("[50 10; 5]", "header and nothing below it"),
        ("3\u00d73 Matrix{Int64}:\n 50   10\n  5  100\n", "no confusion matrix was recognised"),
        ("C = 3\u00d73\n\n    50    10\n     5   100\n", "no confusion matrix was recognised"),
        ("True:\tno\tyes\nno:\t50\t10\n", "the table of RapidMiner is cut off"),
    ],
)  # fmt: skip
def test_what_is_unclear_is_refused(text: str, says: str) -> None:
    with pytest.raises(ConfmatError) as caught:
        read_printed(text)
    assert says in str(caught.value)
