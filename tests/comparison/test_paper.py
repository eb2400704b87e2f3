"""The table of a comparison, for people: models and their scores, the best marked, and the differences below."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import confmat as cm

SICK = cm.Labels(["well", "sick"], positive="sick")
TRUTH = ["sick"] * 100 + ["well"] * 200


def answers(missed: int, alarms: int) -> list[str]:
    """Answers that miss so many of the sick, and call so many of the well sick, from the first on."""
    return (
        ["well"] * missed
        + ["sick"] * (100 - missed)
        + ["sick"] * alarms
        + ["well"] * (200 - alarms)
    )


MODELS = {"poor": answers(50, 40), "good": answers(10, 10), "best": answers(9, 10)}


def compared(**options: Any) -> cm.Comparison:
    return cm.compare_predictions(TRUTH, MODELS, labels=SICK, **options)


def _top(found: cm.Comparison, score: str) -> set[str]:
    return set(found.ranking(score).top)


def test_scores_stand_first_and_are_called_as_they_were_asked_for() -> None:
    found = compared(metrics=["sensitivity", "Macro-F1", "accuracy", "specificity"])
    table = found.table()
    scores = ["sensitivity", "Macro-F1", "accuracy", "specificity"]
    assert table.heads == ["tier", "", *(head for score in scores for head in (score, "rank"))]
    assert [row[1] for row in table.texts()] == ["best", "good", "poor"]
    assert table.texts()[2][2].startswith(f"{50 / 100:.3f} [")
    assert str(found).splitlines()[0].split() == ["tier", *table.heads[2:]]
    assert found.scores[0] == "recall[sick]"
    two = cm.compare_predictions(
        TRUTH, {name: MODELS[name] for name in ("poor", "best")}, labels=SICK, metrics=scores
    ).table()
    assert (two.heads, [row[0] for row in two.texts()]) == (["", *scores], ["poor", "best"])
    assert two.then is not None
    assert [row[0] for row in two.then.texts()] == scores


def test_the_best_and_what_is_not_shown_to_differ_from_it_are_marked() -> None:
    found = compared(metrics=["accuracy", "error_rate", "prevalence[sick]"])
    assert _top(found, "accuracy") == _top(found, "error_rate") == {"good", "best"}
    assert [row[2].rstrip().endswith("*") for row in found.table().texts()] == [True, True, False]
    # Neither more nor less of a prevalence is better.
    with pytest.raises(cm.InputError, match="neither more nor less"):
        found.ranking("prevalence[sick]")
    assert "*" not in "".join(row[-1] for row in found.table().texts())
    assert found.table().notes[0].startswith("* No model is shown to be better")
    # Not all models were compared with each other.
    successive = cm.compare(found.matrices, metrics=["accuracy"], pairs="successive")
    assert "*" not in "".join(row[-1] for row in successive.table().texts())


@pytest.mark.parametrize("form", ["latex", "markdown", "html", "text"])
def test_p_values_are_printed_as_in_journals(form: str) -> None:
    two = cm.compare_predictions(
        TRUTH, {name: MODELS[name] for name in ("poor", "best")}, labels=SICK
    )
    text = replace(two.table(), notes=()).to(form)
    assert "0.000" not in text
    assert not re.search(r"\de-\d", text)
    assert "0.001" in text
    assert text.index("poor") < text.index("best − poor" if form != "latex" else "best $-$ poor")


def test_programs_get_the_differences_with_all_digits() -> None:
    found = compared(metrics=["accuracy", "sensitivity"])
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["score"] for row in rows] == ["accuracy"] * 3 + ["recall[sick]"] * 3
    assert float(rows[0]["p_high"]) == found.differences[0].p_high < 0.001
    assert json.loads(found.table().to("json"))["rows"][0]["verdict"] == "different"


def test_a_workbook_has_both_tables(tmp_path: Any) -> None:
    pytest.importorskip("xlsxwriter")
    compared(metrics=["accuracy"]).to_excel(tmp_path / "t.xlsx")
    assert (tmp_path / "t.xlsx").stat().st_size


def test_matrices_of_the_same_items_have_ranges_of_p_values() -> None:
    one, two = (
        cm.ConfusionMatrix(np.array(counts))
        for counts in ([[450, 50], [60, 440]], [[460, 40], [50, 450]])
    )
    found = cm.compare({"a": one, "b": two}, metrics=["accuracy"])
    below = found.table().then
    assert below is not None
    assert " to " in below.texts()[0][2]
    # Undecided is not shown.
    assert _top(found, "accuracy") == {"a", "b"}
