"""Cross tables of statistics programs, databases and sheets."""

from __future__ import annotations

import pytest

from confmat import ConfusionMatrix
from confmat.core.errors import ConfmatError, InputError
from confmat.io import read_printed, recognize

M = ConfusionMatrix([[50, 10], [5, 100]], ["no", "yes"])

STATA = """\
           |       predicted
    actual |        no        yes |     Total
-----------+----------------------+----------
        no |        50         10 |        60
       yes |         5        100 |       105
-----------+----------------------+----------
     Total |        55        110 |       165
"""
STATA_SHARES = """\
+----------------+
| Key            |
|----------------|
|   frequency    |
| row percentage |
+----------------+

           |       predicted
    actual |        no        yes |     Total
-----------+----------------------+----------
        no |        50         10 |        60
           |     83.33      16.67 |    100.00
-----------+----------------------+----------
       yes |         5        100 |       105
           |      4.76      95.24 |    100.00
-----------+----------------------+----------
     Total |        55        110 |       165
           |     33.33      66.67 |    100.00
"""
STATA_LABELS = """\
Actual     |    Predicted class
class      |        no        yes |     Total
-----------+----------------------+----------
        no |        50         10 |        60
       yes |         5        100 |       105
-----------+----------------------+----------
     Total |        55        110 |       165
"""
PSQL = """\
 actual | no | yes
--------+----+-----
 no     | 50 |  10
 yes    |  5 | 100
(2 rows)
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
# The characters that SAS draws boxes with come out so elsewhere.
SAS_DRAWN = SAS.replace("|", "\u201a").replace("---------+--------+--------+", "ƒƒƒƒƒƒƒƒƒˆƒƒƒƒƒƒƒƒˆƒƒƒƒƒƒƒƒˆ")
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
SPSS = (
    "actual * predicted Crosstabulation\nCount\n\t\tpredicted\t\tTotal\n\t\tno\tyes\t\n"
    "actual\tno\t50\t10\t60\n\tyes\t5\t100\t105\nTotal\t\t55\t110\t165\n"
)
SPSS_SHARES = (
    "\t\t\tpredicted\t\tTotal\n\t\t\tno\tyes\t\n"
    "actual\tno\tCount\t50\t10\t60\n\t\t% within actual\t83.3%\t16.7%\t100.0%\n"
    "\tyes\tCount\t5\t100\t105\n\t\t% within actual\t4.8%\t95.2%\t100.0%\n"
    "Total\t\tCount\t55\t110\t165\n\t\t% within actual\t33.3%\t66.7%\t100.0%\n"
)
SPSS_CLASSIFICATION = (
    "Classification Table(a)\n\t\tPredicted\t\t\n\t\tno\tyes\tPercentage Correct\n"
    "Observed\tno\t50\t10\t83.3\n\tyes\t5\t100\t95.2\n\tOverall Percentage\t\t\t90.9\n"
)
ORANGE = (
    "\t\tPredicted\t\t\n\t\tno\tyes\tΣ\nActual\tno\t50\t10\t60\n\tyes\t5\t100\t105\n\tΣ\t55\t110\t165\n"
)  # fmt: skip
QGIS = (
    " > ERROR MATRIX (pixel count)\n\t> Reference\nV_Classified\tno\tyes\tTotal\n"
    "no\t50\t5\t55\nyes\t10\t100\t110\nTotal\t60\t105\t165\n"
)
RAPIDMINER = (
    "accuracy: 90.91% +/- 5.16% (micro average: 90.91%)\n\ttrue no\ttrue yes\tclass precision\n"
    "pred. no\t50\t5\t90.91%\npred. yes\t10\t100\t90.91%\nclass recall\t83.33%\t95.24%\t\n"
)

READ = {
    "Stata": (STATA, "Stata", "actual"),
    "Stata with shares": (STATA_SHARES, "Stata", "actual"),
    "Stata, bars out of line": (STATA.replace("         5 ", "        5 "), "Stata", "actual"),
    "Stata with labels": (STATA_LABELS, "Stata", "actual"),
    "psql": (PSQL, "table with bars", "actual"),
    "SAS": (SAS, "SAS", "actual"),
    "SAS, drawn": (SAS_DRAWN, "SAS", "actual"),
    "SPSS": (SPSS, "CSV", "actual"),
    "SPSS with shares": (SPSS_SHARES, "CSV", "actual"),
    "SPSS, classification": (SPSS_CLASSIFICATION, "CSV", "actual"),
    "Orange": (ORANGE, "CSV", "actual"),
    "QGIS": (QGIS, "CSV", "predicted"),
    "RapidMiner": (RAPIDMINER, "CSV", "predicted"),
}


@pytest.mark.parametrize("name", READ)
def test_a_cross_table_is_read(name: str) -> None:
    text, source, rows = READ[name]
    assert read_printed(text) == M
    assert read_printed(text.replace("\n", "\r\n")) == M
    found = recognize(text)
    assert (found.source, found.rows, found.stated) == (source, rows, True)


def test_tables_of_envi_go_on_below_themselves() -> None:
    m = read_printed(ENVI, outside=["Unclassified"])
    assert m == ConfusionMatrix(
        [[50, 5, 0], [3, 46, 1], [0, 0, 0]], ["Water", "Dry grass", "Unclassified"], outside=["Unclassified"]
    )
    text = """\
                Ground Truth (Pixels)
     Class         Water     Dry grass
       Water            50             3
   Dry grass             5            46
     Fallows             2             4

                Ground Truth (Pixels)
     Class       Fallows         Total
       Water             7            60
   Dry grass             8            59
     Fallows             9            15
"""
    counts = [[50, 5, 2], [3, 46, 4], [7, 8, 9]]
    assert read_printed(text) == ConfusionMatrix(counts, ["Water", "Dry grass", "Fallows"])


def test_statas_table_of_a_logistic_model() -> None:
    text = """\
Logistic model for low

              -------- True --------
Classified |         D            ~D  |      Total
-----------+--------------------------+-----------
     +     |        21            12  |         33
     -     |        38           118  |        156
-----------+--------------------------+-----------
   Total   |        59           130  |        189

Classified + if predicted Pr(D) >= .5
"""
    assert read_printed(text) == ConfusionMatrix([[21, 38], [12, 118]], ["D", "~D"])


def test_names_with_blanks_and_large_numbers() -> None:
    text = STATA.replace("        no", "     Not X").replace("       yes", "         X")
    assert read_printed(text).labels == ["Not X", "X"]
    wide = STATA.replace("        50 ", "     1,050 ").replace("        60", "     1,060")
    wide = wide.replace("        55 ", "     1,055 ").replace("       165", "     1,165")
    assert read_printed(wide).counts.tolist() == [[1050, 10], [5, 100]]


REFUSED = {
    "no frequencies": (STATA_SHARES.replace("|   frequency    |\n", ""), "no frequencies"),
    "wrong total": (STATA.replace("        60", "        61"), "adds up to 60 but its printed total is 61"),
    "wrong total of a column": (SAS.replace("Total          55 ", "Total          56 "), "its printed total is 56"),
    "two tables of Stata": (f"{STATA}\n{STATA}".replace("50 ", "40 ", 1), "the text has several tables"),
    "two tables of SAS": (f"{SAS}\n{SAS}".replace("50 ", "40 ", 1), "the text has several tables"),
    "a row cut off": (SAS.replace("|    100 |    105", "|    100"), "the table of SAS is cut off"),
    "ENVI, cut off": (ENVI[: ENVI.index("   Dry grass             5")], "no row of 'Dry grass': it is cut off"),
    "unknown axes": (STATA.replace("predicted", "rep78").replace("actual", "   for"), "say rows='actual'"),
    "one side twice": (STATA.replace("predicted", "reference"), "leaves open what the rows are"),
    "a cell cut off": (
        STATA.replace("        5        100 |", "        5            |"),
        "the table of Stata is cut off",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_unclear_is_refused(name: str) -> None:
    text, says = REFUSED[name]
    with pytest.raises(ConfmatError) as caught:
        read_printed(text)
    assert says in str(caught.value)


def test_sides_that_are_not_told_may_be_given() -> None:
    text, _ = REFUSED["unknown axes"]
    assert read_printed(text, rows="actual") == M
    assert read_printed(text, rows="predicted") == M.T
    with pytest.raises(InputError, match="says that its rows are actual"):
        read_printed(STATA, rows="predicted")
