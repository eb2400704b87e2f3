"""Prints in the form in which documentation, forums and exports show them, with numbers of our own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from confmat import ConfusionMatrix
from confmat.core.errors import ConfmatError, InputError
from confmat.io import read_printed, recognize

M = ConfusionMatrix([[50, 10], [5, 100]], ["no", "yes"])
NAMES = ["Cat", "Fish", "Hen"]
COUNTS = [[4, 1, 1], [6, 2, 2], [3, 0, 6]]
CAT = ConfusionMatrix(COUNTS, NAMES)
DIGITS = ConfusionMatrix([[50, 10], [5, 100]], ["0", "1"])
BIG = ConfusionMatrix([[1382, 17, 15], [32, 591, 11], [28, 8, 614]], NAMES)
SIGNS = ConfusionMatrix([[100, 5], [10, 50]], ["Positive", "Negative"])
POSITIVE = ConfusionMatrix([[100, 5], [10, 50]], ["positive", "negative"])
TESTED = ConfusionMatrix([[100, 5], [10, 50]], ["+", "-"])
SPARSE = ConfusionMatrix([[4, 0, 1], [6, 2, 2], [3, 0, 6]], NAMES)
FIVE = [[9, 1, 0, 0, 2], [0, 8, 1, 0, 0], [2, 0, 7, 0, 3], [0, 0, 1, 6, 0], [4, 0, 0, 0, 5]]
TEN = [[90 + i if i == j else (3 * i + j) % 4 for j in range(10)] for i in range(10)]
NINE, SEVEN = ([row[:size] for row in TEN[:size]] for size in (9, 7))


def _wrapped(counts: list[list[int]], step: int, colon: str = "") -> str:
    """The display of MATLAB and Octave, which goes on below itself."""
    text = "C =\n"
    for start in range(0, len(counts), step):
        end = min(start + step, len(counts))
        text += f"\n  Columns {start + 1} through {end}{colon}\n\n"
        text += "".join("".join(f"{n:6}" for n in row[start:end]) + "\n" for row in counts)
    return text


def _kappa(counts: list[list[int]]) -> str:
    """The report of r.kappa in GRASS: five columns for a panel, and the sums of the rows where there is room."""
    # `prn_error_mat` in raster/r.kappa/prt_mat.c names the sides: MAP1: reference, MAP2: classification.
    n, text = len(counts), "\nError Matrix (MAP1: reference, MAP2: classification)\n"
    panels = -(-n // 5)
    for panel in range(panels):
        columns = range(5 * panel, min(5 * panel + 5, n))
        room = panel == panels - 1 and len(columns) < 4
        text += f"Panel #{panel + 1} of {panels}\n\t\t\t  MAP1\n     cat#\t"
        text += "".join(f"{j + 1}\t" for j in columns) + ("Row Sum" if room else "") + "\n"
        for i, row in enumerate(counts):
            text += f" {'MAP2'[i]} " if i < 4 else "   "
            text += f"{i + 1:5}\t" + "".join(f"{row[j]}\t" for j in columns) + (str(sum(row)) if room else "") + "\n"
        text += "Col Sum\t\t" + "".join(f"{sum(row[j] for row in counts)}\t" for j in columns)
        text += (str(sum(map(sum, counts))) if room else "") + "\n\n"
    return text


BIGQUERY = """\
+----------------+----+-----+
| expected_label | _0 | _1  |
+----------------+----+-----+
| 0              | 50 |  10 |
| 1              |  5 | 100 |
+----------------+----+-----+
"""
FIXED = """\
                 Predicted Positive  Predicted Negative
Actual Positive                 100                   5
Actual Negative                  10                  50
"""
FIXED_NARROW = """\
                Predicted Positive Predicted Negative
Actual Positive                100                  5
Actual Negative                 10                 50
"""
COLONS = """\
          pred:no  pred:yes
true:no        50        10
true:yes        5       100
"""
SCORES = """\
            pred_no  pred_yes
actual_no        50        10
actual_yes        5       100
"""
WEKA_BARE = """\
  a    b   <----- classified as
 50   10     a = no
  5  100     b = yes
"""
WEKA_ONE = "=== Confusion Matrix ===\n\n   a   b   <-- classified as\n  50  10 |   a = no\n   5 100 |   b = yes\n"
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
SPSS_CODES = SPSS_LOGISTIC.replace("no       yes ", "0        1   ")
SPSS_CODES = SPSS_CODES.replace(" no      50", " 0       50").replace(" yes     5 ", " 1       5 ")
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
SPSS_LOGISTIC_TABS = (
    "Classification Tablea\n\t\t\tPredicted\t\t\n\t\t\tloan\t\tPercentage Correct\n\tObserved\t\tno\tyes\t\n"
    "Step 1\tloan\tno\t50\t10\t83.3\n\t\tyes\t5\t100\t95.2\n\tOverall Percentage\t\t\t\t90.9\n"
    "a. The cut value is .500\n"
)
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
SPSS_DISCRIMINANT_TABS = (
    "Classification Resultsa\n\t\tanimal\tPredicted Group Membership\t\t\tTotal\n\t\t\tCat\tFish\tHen\t\n"
    "Original\tCount\tCat\t4\t1\t1\t6\n\t\tFish\t6\t2\t2\t10\n\t\tHen\t3\t0\t6\t9\n"
    "\t%\tCat\t66.7\t16.7\t16.7\t100.0\n\t\tFish\t60.0\t20.0\t20.0\t100.0\n\t\tHen\t33.3\t.0\t66.7\t100.0\n"
    "a. 48.0% of original grouped cases correctly classified.\n"
)
DISCRIM = """\
                          The DISCRIM Procedure
           Classification Summary for Calibration Data: WORK.PETS
        Resubstitution Summary using Linear Discriminant Function

        Number of Observations and Percent Classified into Animal

          From
          Animal            Cat          Fish           Hen         Total

          Cat                 4             1             1             6
                          66.67         16.67         16.67        100.00

          Fish                6             2             2            10
                          60.00         20.00         20.00        100.00

          Hen                 3             0             6             9
                          33.33          0.00         66.67        100.00

          Total              13             3             9            25
                          52.00         12.00         36.00        100.00

          Priors        0.33333       0.33333       0.33333


                     Error Count Estimates for Animal

                               Cat          Fish           Hen         Total

          Rate              0.3333        0.8000        0.3333        0.4889
          Priors            0.3333        0.3333        0.3333
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
MLNET_CLASSES = """\
Confusion table
          ||========================
PREDICTED ||     0 |     1 |     2 | Recall
TRUTH     ||========================
  0.  Cat || 1,382 |    17 |    15 | 0.9774
  1. Fish ||    32 |   591 |    11 | 0.9322
  2.  Hen ||    28 |     8 |   614 | 0.9446
          ||========================
Precision ||0.9584 |0.9594 |0.9594 |
"""
KNIME = """\
loan \\ Prediction (loan)\tno\tyes
no\t50\t10
yes\t5\t100
Correct classified: 150\tWrong classified: 15
Accuracy: 90.909%\tError: 9.091%
Cohen's kappa (\u03ba): 0.797%
"""
EPIR = """\
          Outcome +    Outcome -      Total
Test +          100           10        110
Test -            5           50         55
Total           105           60        165

Point estimates and 95% CIs:
--------------------------------------------------------------
Apparent prevalence *                  0.67 (0.59, 0.74)
True prevalence *                      0.64 (0.56, 0.71)
Sensitivity *                          0.95 (0.89, 0.98)
--------------------------------------------------------------
* Exact CIs
"""
EPIR_OLD = EPIR.replace("Outcome +", "Disease +").replace("Outcome -", "Disease -")
SHARES = """\
            predicted
actual      no         yes
no          50 (83%)   10 (17%)
yes         5 (5%)     100 (95%)
"""
SHARES_TOTALS = """\
             predicted
actual       no           yes           Total
no           50 (83.3%)   10 (16.7%)    60 (100%)
yes          5 (4.8%)     100 (95.2%)   105 (100%)
Total        55 (33.3%)   110 (66.7%)   165 (100%)
"""
DOTS = """\
      predicted
actual Cat Fish Hen
  Cat    4    .   1
  Fish   6    2   2
  Hen    3    .   6
"""
DASHES = """\
       Cat  Fish  Hen
Cat      4     -    1
Fish     6     2    2
Hen      3     -    6
"""
DOTS_MARKDOWN = "| actual | Cat | Fish | Hen |\n|---|---|---|---|\n| Cat | 4 | . | 1 |\n"
DOTS_MARKDOWN += "| Fish | 6 | 2 | 2 |\n| Hen | 3 | \u2013 | 6 |\n"
SCHOOL = """\
n=165          Predicted: NO   Predicted: YES
Actual: NO          50              10
Actual: YES          5             100
"""
DISEASE = """\
         Disease+  Disease-  Total
Test+         100        10    110
Test-           5        50     55
Total         105        60    165
"""
AZURE: dict[str, Any] = {
    "schema_type": "confusion_matrix",
    "schema_version": "1.0.0",
    "data": {"class_labels": ["Cat", "Fish", "Hen"], "matrix": COUNTS},
}
VERTEX: dict[str, Any] = {
    "annotationSpecs": [{"id": str(i), "displayName": name} for i, name in enumerate(NAMES)],
    "rows": COUNTS,
}
BIGQUERY_JSON = [{"_0": "50", "_1": "10", "expected_label": "0"}, {"_0": "5", "_1": "100", "expected_label": "1"}]
BIGQUERY_API = {
    "confidenceThreshold": 0.5,
    "rows": [
        {
            "actualLabel": a,
            "entries": [{"predictedLabel": p, "itemCount": str(n)} for p, n in zip("01", row, strict=True)],
        }
        for a, row in zip("01", [[50, 10], [5, 100]], strict=True)
    ],
}
AZURE_FILE = {"name": "Confusion Matrix", "value": AZURE, "isGlobalScore": False}
VERTEX_ITEMS = {"confusionMatrix": {**VERTEX, "rows": [{"dataItemCounts": row} for row in COUNTS]}}
AUTOML = {"confusionMatrix": {"displayName": NAMES, "row": [{"exampleCount": row} for row in COUNTS]}}
BESIDE = {"labels": NAMES, "confusion_matrix": COUNTS, "accuracy": 0.48}
SPLIT = {"columns": ["no", "yes"], "index": ["no", "yes"], "data": [[50, 10], [5, 100]]}
INDEX = {"no": {"no": 50, "yes": 10}, "yes": {"no": 5, "yes": 100}}
FIELDS = [{"name": "actual", "type": "string"}, {"name": "no", "type": "integer"}, {"name": "yes", "type": "integer"}]
RECORDS = [{"actual": "no", "no": 50, "yes": 10}, {"actual": "yes", "no": 5, "yes": 100}]
TABLE = {"schema": {"fields": FIELDS, "primaryKey": ["actual"], "pandas_version": "1.4.0"}, "data": RECORDS}

COLONS_MARKDOWN = "| | pred:no | pred:yes |\n|-|-|-|\n| true:no | 50 | 10 |\n| true:yes | 5 | 100 |\n"
R_NAMES = "  X0  X1\n0 50  10\n1  5 100\n"


def _turned(counts: list[list[int]]) -> ConfusionMatrix:
    return ConfusionMatrix.from_predicted_rows(counts, [str(i + 1) for i in range(len(counts))])


# The text, its matrix, and whether the text says what its rows are.
READ: dict[str, tuple[str, ConfusionMatrix, bool]] = {
    "BigQuery": (BIGQUERY, DIGITS, True),
    "BigQuery, CSV": ("expected_label,_0,_1\n0,50,10\n1,5,100\n", DIGITS, True),
    "BigQuery, JSON": (json.dumps(BIGQUERY_JSON, indent=2), DIGITS, True),
    "BigQuery, API": (json.dumps(BIGQUERY_API, indent=2), DIGITS, True),
    "two words above two words": (FIXED, SIGNS, True),
    "two words, one blank": (FIXED_NARROW, SIGNS, True),
    "pred: and true:": (COLONS, M, True),
    "pred_ and actual_": (SCORES, M, True),
    "pred: and true:, Markdown": (COLONS_MARKDOWN, M, True),
    "names that R made": (R_NAMES, DIGITS, False),
    "n=165": (SCHOOL, ConfusionMatrix([[50, 10], [5, 100]], ["NO", "YES"]), True),
    "Weka without bars": (WEKA_BARE, M, True),
    "Weka": (WEKA_ONE, M, True),
    "SPSS, aligned": (SPSS, M, True),
    "SPSS, logistic": (SPSS_LOGISTIC, M, True),
    "SPSS, logistic, codes": (SPSS_CODES, DIGITS, True),
    "SPSS, shares below counts": (SPSS_SHARES, M, True),
    "SPSS, logistic, tabs": (SPSS_LOGISTIC_TABS, M, True),
    "SPSS, discriminant": (SPSS_DISCRIMINANT, CAT, True),
    "SPSS, discriminant, tabs": (SPSS_DISCRIMINANT_TABS, CAT, True),
    "SAS DISCRIM": (DISCRIM, CAT, True),
    "ML.NET": (MLNET, POSITIVE, True),
    "ML.NET, classes": (MLNET_CLASSES, BIG, True),
    "ML.NET, comment": ("\n".join("//   " + line for line in MLNET.splitlines()[1:]), POSITIVE, True),
    "KNIME": (KNIME, M, True),
    "epiR": (EPIR, TESTED, True),
    "epiR, earlier": (EPIR_OLD, TESTED, True),
    "test and disease": (DISEASE, TESTED, True),
    "r.kappa": (_kappa(COUNTS), _turned(COUNTS), True),
    "r.kappa, no room for sums": (_kappa(FIVE), _turned(FIVE), True),
    "r.kappa, two panels": (_kappa(SEVEN), _turned(SEVEN), True),
    "shares beside counts": (SHARES, M, True),
    "shares and totals": (SHARES_TOTALS, M, True),
    "dots for zeros": (DOTS, SPARSE, True),
    "dashes for zeros": (DASHES, SPARSE, False),
    "dots and dashes in Markdown": (DOTS_MARKDOWN, SPARSE, True),
    "MATLAB, wrapped": (_wrapped(TEN, 8), ConfusionMatrix(TEN), False),
    "Octave, wrapped": (_wrapped(TEN, 8, ":"), ConfusionMatrix(TEN), False),
    "Octave, one column left": (
        _wrapped(NINE, 8).replace("Columns 9 through 9", "Column 9"), ConfusionMatrix(NINE), False
    ),
    "Azure": (json.dumps(AZURE), CAT, True),
    "Azure, as downloaded": (json.dumps(AZURE_FILE), CAT, True),
    "Vertex": (json.dumps(VERTEX, indent=1), CAT, True),
    "Vertex, counts of items": (json.dumps(VERTEX_ITEMS), CAT, True),
    "AutoML": (json.dumps(AUTOML), CAT, True),
    "pandas, split": (json.dumps(SPLIT), M, False),
    "pandas, table": (json.dumps(TABLE), M, True),
    "pandas, records": (json.dumps(RECORDS), M, True),
    "pandas, records without the index": (json.dumps([{"no": 50, "yes": 10}, {"no": 5, "yes": 100}]), M, False),
    "labels beside a matrix": (json.dumps(BESIDE), CAT, False),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_print_is_read(name: str) -> None:
    text, m, stated = READ[name]
    assert read_printed(text) == m
    assert recognize(text).stated == stated


def test_an_object_of_objects_needs_a_word_on_its_names() -> None:
    columns = {"no": {"no": 50, "yes": 5}, "yes": {"no": 10, "yes": 100}}
    for nested in (columns, INDEX):
        with pytest.raises(InputError, match="say rows='actual' or rows='predicted'"):
            read_printed(json.dumps(nested))
    # `to_json()` has the columns outside, `to_json(orient="index")` the rows.
    assert read_printed(json.dumps(columns), rows="predicted") == M
    assert read_printed(json.dumps(INDEX), rows="actual") == M
    named = {f"pred_{p}": {f"true_{a}": n for a, n in cells.items()} for p, cells in columns.items()}
    assert read_printed(json.dumps(named)) == M


NEGATIVE = {"class_labels": ["a", "b"], "matrix": [[1, 2], [3, 4]]}
REFUSED: dict[str, tuple[Any, str]] = {
    "two matrices": ([AZURE, NEGATIVE], "holds 2 matrices; give one"),
    "two lists of names": ({"names": ["a", "b"], "other_names": ["c", "d"], "x": [[1, 2], [3, 4]]}, "name 2 classes"),
    "a word": ([{"actual": "a", "a": 1, "b": "x"}, {"actual": "b", "a": 3, "b": 4}], "nothing that confmat"),
    "totals that contradict": (
        [{"actual": "a", "a": 1, "b": 2, "All": 4}, {"actual": "b", "a": 3, "b": 4, "All": 7}],
        "adds up to 3 but its printed total is 4",
    ),
    "scores": ({c: {"precision": 0.5, "recall": 0.4, "f1-score": 0.4} for c in "ab"}, "these are scores of classes"),
    "rates": ({"labels": ["a", "b"], "matrix": [[0.9, 0.1], [0.2, 0.8]]}, "these are rates"),
    "no side": ("      left a  left b\nup a       1       2\nup b       3       4\n", "called 'up', 'left'"),
    "Weka, cut off": (WEKA_BARE.replace("  5  100     b = yes\n", ""), "rows of another length"),
    "shares alone": ("actual  no   yes\nno      83%  17%\nyes     5%   95%\n", "'83%' is no count"),
    "a line of statistics lost": (DISCRIM.replace("60.00         20.00", ""), "cut off"),
    "a class of ML.NET lost": (MLNET.replace(MLNET.splitlines()[6], ""), "table of ML.NET is cut off"),
    "two tables of SAS": (DISCRIM + DISCRIM.replace(" 4 ", " 5 "), "several tables"),
    "two groups of SPSS": (SPSS_DISCRIMINANT.replace("%         Cat", "Count     Cat"), "give one of 'animal'"),
    "a print that goes on": ("p  a  b  \\\nt\na  1  2\nb  3  4\nc  5  6\n\np  c\nt\na  7\nb  8\nc  9\n", "is wrapped"),
    "a panel lost": (_kappa(SEVEN).split("Panel #2")[0], "1 of 2 panels"),
    "columns lost": (_wrapped(TEN, 8).split("  Columns 9")[0], "not all there: it is cut off"),
    "a corner of two unknown names": (KNIME.replace("loan \\ Prediction (loan)", "x \\ y"), "'x', 'y'"),
    "other number of names": ({"class_labels": ["a", "b", "c"], "matrix": [[1, 2], [3, 4]]}, "another number of names"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_unclear_is_refused(name: str) -> None:
    text, says = REFUSED[name]
    with pytest.raises(ConfmatError) as caught:
        read_printed(text if isinstance(text, str) else json.dumps(text))
    assert says in str(caught.value)
