"""Prints of programs that are not read: each is refused with a sentence on what to paste, and none is misread."""

from __future__ import annotations

import json

import pytest

from confmat import ConfusionMatrix
from confmat.core.errors import ConfmatError
from confmat.io import from_csv, read_printed

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
H2O_UNNAMED = """\
Confusion Matrix: Row labels: Actual class; Column labels: Predicted class
setosa    versicolor    virginica    Error      Rate
--------  ------------  -----------  ---------  -------
50        0             0            0          0 / 50
0         48            2            0.04       2 / 50
0         1             49           0.02       1 / 50
50        49            51           0.02       3 / 150
"""
STATA = """\
           |       predicted
    actual |        no        yes |     Total
-----------+----------------------+----------
        no |        50         10 |        60
       yes |         5        100 |       105
-----------+----------------------+----------
     Total |        55        110 |       165
"""
SAS = """\
                       The FREQ Procedure

                  Table of actual by predicted

      actual     predicted

      Frequency|
      Percent  |
      Row Pct  |
      Col Pct  |no      |yes     |  Total
      ---------+--------+--------+
      no       |     50 |     10 |     60
               |  30.30 |   6.06 |  36.36
               |  83.33 |  16.67 |
               |  90.91 |   9.09 |
      ---------+--------+--------+
      yes      |      5 |    100 |    105
               |   3.03 |  60.61 |  63.64
               |   4.76 |  95.24 |
               |   9.09 |  90.91 |
      ---------+--------+--------+
      Total          55      110      165
                  33.33    66.67   100.00
"""
ENVI = """\
Confusion Matrix: class.img

Overall Accuracy = (147/165)  89.0909%
Kappa Coefficient = 0.8364

                Ground Truth (Pixels)
     Class         Water     Dry grass         Total
Unclassified             0             1             1
       Water            50             3            53
   Dry grass             5            46            51
       Total            55            50           105

                Ground Truth (Percent)
     Class         Water     Dry grass         Total
Unclassified          0.00          2.00          0.95
       Water         90.91          6.00         50.48
"""
WEKA_BARE = """\
  a    b   <----- classified as
 50   10     a = no
  5  100     b = yes
"""
SPSS = """\
actual * predicted Crosstabulation
Count
                     predicted
                   no      yes     Total
actual    no       50      10      60
          yes      5       100     105
Total              55      110     165
"""
SPSS_LOGISTIC = """\
                         Classification Table(a)

                                        Predicted
                                        loan          Percentage
          Observed                   no       yes     Correct
Step 1    loan               no      50       10      83.3
                             yes     5        100     95.2
          Overall Percentage                          90.9
a. The cut value is .500
"""
SPSS_SHARES = """\
                                    predicted
                                  no        yes       Total
actual   no     Count             50        10        60
                % within actual   83.3%     16.7%     100.0%
         yes    Count             5         100       105
                % within actual   4.8%      95.2%     100.0%
Total           Count             55        110       165
                % within actual   33.3%     66.7%     100.0%
"""
SPSS_DISCRIMINANT = """\
                          Classification Results(a)

                               Predicted Group Membership
                     animal    Cat     Fish    Hen       Total
Original   Count     Cat       4       1       1         6
                     Fish      6       2       2         10
                     Hen       3       0       6         9
           %         Cat       66.7    16.7    16.7      100.0
                     Fish      60.0    20.0    20.0      100.0
                     Hen       33.3    .0      66.7      100.0
a. 48.0% of original grouped cases correctly classified.
"""
MLNET = """\
TEST POSITIVE RATIO:	0.6364 (105.0/(105.0+60.0))
Confusion table
          ||======================
PREDICTED || positive | negative | Recall
TRUTH     ||======================
 positive ||      100 |        5 | 0.9524
 negative ||       10 |       50 | 0.8333
          ||======================
Precision ||   0.9091 |   0.9091 |
"""
NLTK = """\
     |   F   |
     | C i H |
     | a s e |
     | t h n |
-----+-------+
 Cat |<4>1 1 |
Fish | 6<2>2 |
 Hen | 3 .<6>|
-----+-------+
(row = reference; col = test)
"""
CROSS_TABLE = """\

   Cell Contents
|-------------------------|
|                       N |
|           N / Row Total |
|-------------------------|


Total Observations in Table:  25


             | predicted
      actual |       Cat |      Fish |       Hen | Row Total |
-------------|-----------|-----------|-----------|-----------|
         Cat |         4 |         1 |         1 |         6 |
             |     0.667 |     0.167 |     0.167 |     0.240 |
-------------|-----------|-----------|-----------|-----------|
        Fish |         6 |         2 |         2 |        10 |
             |     0.600 |     0.200 |     0.200 |     0.400 |
-------------|-----------|-----------|-----------|-----------|
         Hen |         3 |         0 |         6 |         9 |
             |     0.333 |     0.000 |     0.667 |     0.360 |
-------------|-----------|-----------|-----------|-----------|
Column Total |        13 |         3 |         9 |        25 |
-------------|-----------|-----------|-----------|-----------|


"""
POLARS = """\
shape: (3, 4)
┌────────┬─────┬──────┬─────┐
│ actual ┆ Cat ┆ Fish ┆ Hen │
│ ---    ┆ --- ┆ ---  ┆ --- │
│ str    ┆ i64 ┆ i64  ┆ i64 │
╞════════╪═════╪══════╪═════╡
│ Cat    ┆ 4   ┆ 1    ┆ 1   │
│ Fish   ┆ 6   ┆ 2    ┆ 2   │
│ Hen    ┆ 3   ┆ 0    ┆ 6   │
└────────┴─────┴──────┴─────┘
"""
PSQL = """\
+--------+-----+------+-----+
| actual | Cat | Fish | Hen |
+--------+-----+------+-----+
| Cat    |   4 |    1 |   1 |
| Fish   |   6 |    2 |   2 |
| Hen    |   3 |    0 |   6 |
+--------+-----+------+-----+
"""
WEKA = """\
=== Confusion Matrix ===

 a b c   <-- classified as
 4 1 1 | a = Cat
 6 2 2 | b = Fish
 3 0 6 | c = Hen
"""
GRASS = """\
Error Matrix (MAP1: reference, MAP2: classification)
Panel #1 of 1
\t\t\t  MAP1
     cat#\t1\t2\tRow Sum
 M      1\t50\t5\t55
 A      2\t10\t100\t110
Col Sum\t\t60\t105\t165
"""
RAPIDMINER = "PerformanceVector:\naccuracy: 98.00%\nConfusionMatrix:\nTrue:\tno\tyes\nno:\t50\t5\nyes:\t10\t100\n"
ORFEO = "#Reference labels (rows):no,yes\n#Produced labels (columns):no,yes\n50,10\n5,100\n"
KNIME = "loan \\ Prediction (loan)\tno\tyes\nno\t50\t10\nyes\t5\t100\nCorrect classified: 150\tWrong classified: 15\n"
TABBED = "actual * predicted Crosstabulation\nCount\n\t\tpredicted\t\tTotal\n\t\tno\tyes\t\n"
TABBED += "actual\tno\t50\t10\t60\n\tyes\t5\t100\t105\nTotal\t\t55\t110\t165\n"
SHARES_ALONE = TABBED.partition("Count\n")[2].replace("yes\t5", "% within yes\t5")
MLJ = """\
┌─────────────┬─────────────┬─────────────┐
│  Predicted  │      0      │      1      │
├─────────────┼─────────────┼─────────────┤
│      0      │     192     │     40      │
│      1      │     35      │     113     │
└─────────────┴─────────────┴─────────────┘
"""

# The name that the refusal says, and the print.
PROGRAMS = [
    *(("H2O", text) for text in (H2O_PYTHON, H2O_R, H2O_UNNAMED)),
    *(("Weka", text) for text in (WEKA, WEKA_BARE)),
    *(("SPSS", text) for text in (SPSS, SPSS_LOGISTIC, SPSS_SHARES, SPSS_DISCRIMINANT, TABBED, SHARES_ALONE)),
    ("SAS", SAS),
    ("Stata", STATA),
    ("gmodels", CROSS_TABLE),
    ("ML.NET", MLNET),
    ("ENVI", ENVI),
    ("GRASS", GRASS),
    ("RapidMiner", RAPIDMINER),
    ("Orfeo ToolBox", ORFEO),
    ("KNIME", KNIME),
    *(("draws boxes", text) for text in (POLARS, PSQL, MLJ, NLTK)),
    *(("MATLAB, Octave or Julia", text) for text in (
        "C =\n\n    50    10\n     5   100\n", "C =\n\n  Columns 1 through 2\n\n 50 10\n 5 100\n", "[50 10; 5 100]",
        "ans = 2x2 table\n\n    50    10\n     5   100\n", "2\u00d72 Matrix{Int64}:\n 50   10\n  5  100\n",
        "ConfusionMatrix{2}([50 5; 10 100])",
    )),
]  # fmt: skip


@pytest.mark.parametrize(("program", "text"), PROGRAMS)
def test_the_print_of_a_program_says_what_to_paste(program: str, text: str) -> None:
    for pasted in (text, text.strip(), text.replace("\n", "\r\n"), f"Our results:\n\n{text}"):
        with pytest.raises(
            ConfmatError, match="paste the square of counts with the names"
        ) as caught:
            read_printed(pasted)
        assert program in str(caught.value)


@pytest.mark.filterwarnings("ignore:the last")
@pytest.mark.parametrize(("program", "text"), PROGRAMS)
def test_without_the_words_that_betray_it_a_print_is_refused_or_read_rightly(
    program: str, text: str
) -> None:
    lines = text.splitlines(keepends=True)
    # Square prints without shares or letters are plain tables when nothing else is left of them.
    meant = [
        [[50, 10], [5, 100]],
        [[50, 5], [10, 100]],
        [[192, 35], [40, 113]],
        [[192, 40], [35, 113]],
    ]
    meant += [[[100, 5], [10, 50]], [[4, 1, 1], [6, 2, 2], [3, 0, 6]]]
    words = [i for i, line in enumerate(lines) if not any(map(str.isdigit, line))]
    for cut in range(1, len(words) + 1):
        for gone in (words[:cut], words[-cut:], words[cut - 1 : cut]):
            part = "".join(line for i, line in enumerate(lines) if i not in gone)
            try:
                m = read_printed(part)
            except ConfmatError:
                continue
            assert m.counts.tolist() in meant, (program, part)


def test_files_of_programs_are_refused_too() -> None:
    with pytest.raises(ConfmatError, match="Orfeo"):
        from_csv(ORFEO)


JSON = [
    {"class_labels": ["a", "b"], "matrix": [[1, 2], [3, 4]]},
    [
        {"_0": "50", "_1": "10", "expected_label": "0"},
        {"_0": "5", "_1": "100", "expected_label": "1"},
    ],
    {"no": {"no": 50, "yes": 10}, "yes": {"no": 5, "yes": 100}},
    [["", "cat", "dog"], ["cat", 90, 10], ["dog", 5, 45]],
]


@pytest.mark.parametrize("data", JSON)
def test_json_of_others_is_refused(data: object) -> None:
    for indent in (None, 1):
        with pytest.raises(ConfmatError, match="JSON of other programs is not read; paste"):
            read_printed(json.dumps(data, indent=indent))


@pytest.mark.parametrize(
    "text",
    [
        "TP: 100, FP: 10, FN: 5, TN: 50",
        "True Positives: 100\nFalse Positives: 10\nFalse negatives: 5\nTN = 50\n",
    ],
)
def test_four_counts_go_by_their_names(text: str) -> None:
    with pytest.raises(ConfmatError, match="from_cells"):
        read_printed(text)


def test_our_own_tables_may_have_classes_called_like_them() -> None:
    m = ConfusionMatrix([[3, 1], [0, 2]], ["<-- classified as", "Classification Table"])
    for text in (str(m), m.to_csv(), m.to_markdown(), m.to_latex()):
        assert read_printed(text) == m
