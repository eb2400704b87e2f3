"""Words around the counts say what the rows are, and names of scores and totals are never classes."""

from __future__ import annotations

import pytest

import confmat as cm
from confmat.io import from_csv

COUNTS = [[90, 10], [5, 45]]


def counts(text: str) -> list[list[int]]:
    found = cm.read_printed(text)
    assert len(found.labels) == 2
    return found.counts.tolist()


@pytest.mark.parametrize(
    ("side", "below"),
    [
        ("User's accuracy", "Producer's accuracy"),
        ("Precision", "Recall"),
        ("Commission error", "Omission error"),
    ],
)
def test_scores_of_predicted_rows_ask_what_the_rows_are(side: str, below: str) -> None:
    text = f'"",cat,dog,Total,"{side}"\ncat,90,5,95,95\ndog,10,45,55,82\nTotal,100,50,150,\n"{below}",90,90,,90\n'
    with pytest.raises(cm.InputError, match="say rows="):
        cm.read_printed(text)
    assert cm.read_printed(text, rows="predicted").counts.tolist() == COUNTS
    turned = text.replace(side, "?").replace(below, side).replace("?", below)
    assert counts(turned) == [[90, 5], [10, 45]]


@pytest.mark.parametrize(
    "names", [("Total predicted", "Total actual"), ("Classified totals", "Reference totals")]
)
def test_totals_of_one_side_ask_what_the_rows_are(names: tuple[str, str]) -> None:
    side, below = names
    text = f"| | cat | dog | {side} |\n|-|-|-|-|\n| cat | 90 | 5 | 95 |\n| dog | 10 | 45 | 55 |\n"
    text += f"| {below} | 100 | 50 | 150 |"
    with pytest.raises(cm.InputError, match="say rows="):
        cm.read_printed(text)
    assert cm.read_printed(text, rows="predicted").counts.tolist() == COUNTS


@pytest.mark.parametrize("scores", [("0.95,0.9", "0.82,0.9"), ("?,?", "?,?")])
def test_scores_of_both_kinds_beside_each_other_are_listed_by_class(
    scores: tuple[str, str],
) -> None:
    text = ",cat,dog,Precision,Recall\ncat,90,10,{}\ndog,5,45,{}\n".format(*scores)
    assert counts(text) == COUNTS


@pytest.mark.parametrize(
    "name", ["Accuracy (%)", "Acc", "Class acc.", "Hit rate", "%", "Errors", "Correct", "IoU"]
)
def test_whole_scores_are_no_class(name: str) -> None:
    assert counts(f",cat,dog,{name}\ncat,90,10,90\ndog,5,45,90\n") == COUNTS


def test_classes_may_be_called_as_scores_are() -> None:
    found = cm.read_printed(",correct,errors\ncorrect,90,10\nerrors,5,45\n")
    assert found.labels == ("correct", "errors")
    assert found.counts.tolist() == COUNTS


def test_one_kind_of_score_at_one_margin_leaves_it_open() -> None:
    for name in ("Precision", "UA", "Commission error"):
        text = f",cat,dog,{name}\ncat,90,10,0.947\ndog,5,45,0.818\n"
        with pytest.raises(cm.InputError, match="say rows="):
            cm.read_printed(text)
        assert cm.read_printed(text, rows="actual").counts.tolist() == COUNTS
    assert counts(",cat,dog,Recall\ncat,90,10,0.9\ndog,5,45,0.9\n") == COUNTS


def test_a_total_of_weights_may_be_off_by_its_rounding_alone() -> None:
    text = ",cat,dog,Total\ncat,85.5,10.25,95.75\ndog,10.0,125.0,{}\n"
    # A share of 1e-4 of 135 is .0135.
    assert from_csv(text.format(135.01)).total == 85.5 + 10.25 + 135
    with pytest.raises(cm.InputError, match=r"printed total is 135\.02"):
        from_csv(text.format(135.02))


@pytest.mark.parametrize(
    "cells",
    [
        ("90 (TP)", "5 (FP)", "10 (FN)", "45 (TN)"),
        ("TP=90", "FP=5", "FN=10", "TN=45"),
        ("TP: 90", "FP: 5", "10", "45"),
    ],
)
def test_marks_in_cells_say_what_the_rows_are(cells: tuple[str, ...]) -> None:
    tp, fp, fn, tn = cells
    assert counts(f",pos,neg\npos,{tp},{fp}\nneg,{fn},{tn}\n") == COUNTS
    assert (
        counts(f"| | pos | neg |\n|-|-|-|\n| pos | {tp} | {fn} |\n| neg | {fp} | {tn} |") == COUNTS
    )


@pytest.mark.parametrize("corner", ["Predicted ->", "Predicted →", "classified as ->"])
def test_an_arrow_to_the_right_names_the_columns(corner: str) -> None:
    assert counts(f"{corner},cat,dog\ncat,90,10\ndog,5,45\n") == COUNTS
    assert (
        counts(
            f"{corner}   cat   dog\ncat                 90    10\ndog                  5    45\n"
        )
        == COUNTS
    )
    assert (
        counts(f"| {corner} | cat | dog |\n|-|-|-|\n| cat | 90 | 10 |\n| dog | 5 | 45 |\n")
        == COUNTS
    )
    assert counts("Actual → | cat | dog\n-|-|-\ncat | 90 | 5\ndog | 10 | 45\n") == COUNTS


@pytest.mark.parametrize(
    "corner",
    [
        r"\diagbox{Predicted}{True}",
        r"\diagbox[width=5em]{\textbf{Prediction}}{\textbf{Truth}}",
        r"\slashbox{Predicted}{True}",
    ],
)
def test_corners_cut_by_a_diagonal(corner: str) -> None:
    text = rf"\begin{{tabular}}{{c|cc}} {corner} & cat & dog \\ cat & 90 & 5 \\ dog & 10 & 45 \\ \end{{tabular}}"
    assert counts(text) == COUNTS
    assert cm.recognize(text).stated


def test_strata_of_r_are_refused() -> None:
    part = ", , site = {}\n\n     pred\ntruth cat dog\n  cat  90  10\n  dog   5  45\n\n"
    assert counts(part.format("north")) == COUNTS
    with pytest.raises(cm.InputError, match="each stratum"):
        cm.read_printed(part.format("north") + part.format("south"))


def test_a_last_row_of_fewer_counts_is_refused() -> None:
    text = "   p  b  t  DEL\np  50  3  2  1\nb  4  40  6  0\nt  1  5  30  2\n"
    assert cm.read_printed(text).total == 144
    with pytest.raises(
        cm.InputError, match=r"3 counts of the row 'INS' are not below the 4 columns"
    ):
        cm.read_printed(f"{text}INS 3 2 1\n")
    with pytest.raises(cm.LabelError, match="the rows have 'INS' and the columns 'DEL'"):
        cm.read_printed(f"{text}INS 3 2 1 0\n")
