"""Columns are found by name, or the error says what there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat.io.queries import find_column, find_columns


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Y_TRUE", "Y.Pred"], ("Y_TRUE", "Y.Pred")),
        (["ground truth", "predicted_label"], ("ground truth", "predicted_label")),
        (["label", "y_true", "y_pred"], ("y_true", "y_pred")),
        ([0, "target", "pred"], ("target", "pred")),
    ],
)
def test_other_spellings(names: list[Any], expected: tuple[Any, Any]) -> None:
    assert find_columns(names, None, None) == expected


def test_other_languages() -> None:
    assert find_columns(["id", "Wahrheit", "Vorhersage"], None, None) == ("Wahrheit", "Vorhersage")
    assert find_columns(["预测", "实际"], None, None) == ("实际", "预测")
    # Conventions come first, and the score of a prediction is none.
    assert find_columns(["Vorhersage", "y_true", "y_pred"], None, None) == ("y_true", "y_pred")
    with pytest.raises(cm.InputError, match="no column has a usual name"):
        find_columns(["label", "pred_proba"], None, None)


def test_one_side_given() -> None:
    assert find_columns(["a", "label", "prediction"], "a", None) == ("a", "prediction")
    assert find_columns(["a", "label", "prediction"], None, "a") == ("label", "a")


def test_two_possible_pairs_are_not_guessed() -> None:
    with pytest.raises(
        cm.InputError, match=r"`actual` could be any of the columns .*say which: actual='y_true'"
    ):
        find_columns(["y_true", "y_pred", "label", "prediction"], None, None)


@pytest.mark.parametrize(
    "names",
    [["label", "y_true", "prediction"], ["gold", "true", "pred"], ["y", "truth", "prediction"]],
)
def test_two_truths_beside_one_prediction_are_not_guessed(names: list[str]) -> None:
    with pytest.raises(
        cm.InputError, match=f"`actual` could be any of the columns {names[0]!r}, {names[1]!r}"
    ):
        find_columns(names, None, None)


def test_a_couple_is_taken_with_a_word_where_other_columns_fit(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("label,y_true,y_pred\nx,a,b\n")
    with pytest.warns(
        cm.ConfmatWarning,
        match="counted 'y_true' as actual and .*; 'label' fits as well, so say `act",
    ):
        assert cm.count_files(tmp_path / "p.csv").labels == ("a", "b")
    pd = pytest.importorskip("pandas")
    with pytest.warns(cm.ConfmatWarning, match="'label' fits as well"):
        cm.count_frame(pd.read_csv(tmp_path / "p.csv"))
    cm.count_frame(pd.read_csv(tmp_path / "p.csv"), actual="y_true", predicted="y_pred")
    cm.count_frame(pd.read_csv(tmp_path / "p.csv"), by="label")


def test_a_matrix_and_the_line_for_excel_are_known(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(",cat,dog\ncat,90,10\ndog,5,45\n")
    with pytest.raises(
        cm.InputError, match=r"if these are the classes of a matrix, confmat\.load reads it"
    ):
        cm.count_files(tmp_path / "m.csv")
    (tmp_path / "m.csv").write_text("sep=;\ny_true;y_pred\na;a\n")
    with pytest.raises(
        cm.InputError, match="the first line, 'sep=;', is for Excel alone; leave it out"
    ):
        cm.count_files(tmp_path / "m.csv")


def test_a_name_of_another_type_is_another_name() -> None:
    with pytest.raises(cm.InputError, match="no column '1'"):
        find_column([1, 2], "1", "weights")
