"""Printed tables and tables of counts that were written before the rules that read them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat.core.errors import ConfmatWarning
from confmat.io import read_printed

TABLES = Path(__file__).parent.parent / "data" / "tables.jsonl"
CASES = {
    case["name"]: case for case in map(json.loads, TABLES.read_text(encoding="utf-8").splitlines())
}
# Plain to a reader, and refused with a word of what to do.
REFUSED = {
    "support first, predicted rows", "pandas series", "marks with blanks", "two lines of header", "index beside names",
    "sagemaker",
    "per cents of rows", "per cents of rows, rounded", "per cents of rows, two", "per cents of rows, an array",
    "per cents of columns", "psql", "psql, predicted first", "mysql box", "spark show", "polars", "duckdb", "tibble",
    "tibble of factors", "as.data.frame", "as.data.frame, actual first", "pandas frame of counts",
    "pandas frame, predicted first", "table of w&b", "json records, labels as numbers", "psql with numbers for labels",
    "frame with numbers for labels", "one of Weka", "the same table twice", "user's accuracy in whole per cents",
    "precision by row in whole per cents", "prefixed scores", "json rows with names", "json with counts as texts",
    "box with a title", "wrapped by R, one block", "four counts", "bars of Stata",
    "items: pairs twice", "items: running numbers",
}  # fmt: skip
# The labels of both sides are written differently, which a warning says.
SAID = {"counted: two spellings"}


def read(case: dict[str, Any], folder: Path) -> cm.ConfusionMatrix:
    if case["how"] == "printed":
        return read_printed(case["text"], **case["options"])
    path = folder / "table.csv"
    path.write_text(case["text"], encoding="utf-8")
    found = (cm.load if case["how"] == "load" else cm.count_files)(path, **case["options"])
    assert isinstance(found, cm.ConfusionMatrix)
    return found


@pytest.mark.parametrize("name", CASES)
def test_tables_are_read_as_they_are_meant_or_refused(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    expected = case["expected"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if name in REFUSED or (expected is None and name not in SAID):
            with pytest.raises(cm.ConfmatError, match=r"\w"):
                read(case, tmp_path)
            return
        found = read(case, tmp_path)
    noted = any(issubclass(one.category, ConfmatWarning) for one in caught)
    assert noted or not case["note"]
    if name in SAID:
        return
    labels = expected["labels"]
    assert {*map(str, found.labels)} == {*labels}
    places = [list(map(str, found.labels)).index(label) for label in labels]
    assert found.counts[places][:, places].tolist() == expected["counts"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("two models", "several tables"),
        ("two of Weka", "looks like a print of Weka"),
        ("two csv in one text", "several tables"),
        (
            "n is no sum",
            r"its printed total is 100; correct it, .* give all names as labels=\[...\]",
        ),
        ("list cut off", "list of pairs of classes; write it as CSV"),
    ],
)
def test_a_refusal_says_what_to_do(name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(cm.ConfmatError, match=words):
        read(CASES[name], tmp_path)
