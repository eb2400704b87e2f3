"""Files: whole or not at all, errors in one line that name the place, and old files that still load."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from confmat import (
    BudgetError,
    ConfmatError,
    ConfusionMatrix,
    FileError,
    InputError,
    LabelError,
    Labels,
    Stack,
    count,
)
from confmat.core import files
from confmat.io import from_json, load, save, storage, to_json, write_text
from confmat.reporting import report

CAT = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
HOSTILE = ConfusionMatrix(
    [[1, 2, 3], [4, 5, 6], [7, 8, 9]], ["=cmd()", "a|b\n<b>&\\input{x}", "\x1b[2J\u202e猫"]
)  # fmt: skip
OLD = Path(__file__).parent.parent / "data" / "files"
SUFFIXES = [".json", ".csv", ".tsv", ".md", ".tex", ".txt"]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_saved_and_loaded(suffix: str, tmp_path: Path) -> None:
    for m in (CAT, HOSTILE):
        path = tmp_path / f"m{suffix}"
        save(m, path)
        assert load(path) == m
        save(m, str(tmp_path / f"M{suffix.upper()}"))
        assert load(str(tmp_path / f"M{suffix.upper()}")) == m
    assert not [name for name in names_in(tmp_path) if name.endswith(".tmp")]


OLDEST: dict[str, Any] = {
    **{f"animals{suffix}": CAT for suffix in SUFFIXES},
    **{f"hostile{suffix}": HOSTILE for suffix in SUFFIXES},
    "animals-long.csv": CAT,
    "outside.json": ConfusionMatrix(
        [[3, 1, 1], [0, 2**63, 0], [1, 0, 0]], Labels([0, 1], outside=["(other)"], positive=1)
    ),
    "weighted.json": count(["a", "a", "b"], ["a", "c", "b"], weights=[0.5, 0.1, 2.0]),
    "weighted-long.csv": count(["a", "a", "b"], ["a", "c", "b"], weights=[0.5, 0.1, 2.0]),
    "sparse.json": ConfusionMatrix([[1, 2], [3, 4]], [b"\x00", b"\xff"]),
    "stack.json": Stack({0.5: CAT, float("inf"): CAT + CAT}, axis="threshold"),
}  # fmt: skip


@pytest.mark.parametrize("name", OLDEST)
def test_files_of_version_1_still_load(name: str) -> None:
    assert load(OLD / "v1" / name) == OLDEST[name]


def test_a_stored_report_says_to_store_the_matrix(tmp_path: Path) -> None:
    save(report(CAT), tmp_path / "report.json")
    for path in (OLD / "v1" / "report.json", tmp_path / "report.json"):
        with pytest.raises(InputError, match=r"this is a report, .* store the matrix"):
            load(path)


def test_every_old_file_is_tested() -> None:
    assert {path.name for path in (OLD / "v1").iterdir()} == {*OLDEST, "report.json"}


def stored() -> list[Path]:
    return sorted((OLD / "v1").glob("*.json"))


@pytest.mark.parametrize("path", stored(), ids=lambda path: path.name)
def test_stored_files_follow_the_schema(path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(
        (Path(storage.__file__).parent / "confmat.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    data = json.loads(path.read_text(encoding="utf-8"))
    validator.validate(data)
    for broken in (
        {**data, "version": 2},
        {**data, "format": "other"},
        {k: v for k, v in data.items() if k != "format"},
    ):
        assert not validator.is_valid(broken)


# ---- later versions ------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [CAT, Stack({"a": CAT})], ids=["matrix", "stack"])
def test_unknown_fields_are_refused(value: Any) -> None:
    data = json.loads(to_json(value)) | {"colour": "red"}
    with pytest.raises(InputError, match="unknown field, 'colour': damaged, or of a later confmat"):
        from_json(json.dumps(data))


@pytest.mark.parametrize("value", [CAT, Stack({"a": CAT})], ids=["matrix", "stack"])
def test_a_later_version_is_refused(value: Any) -> None:
    for version, message in (
        (2, "this confmat reads up to 1: update confmat"),
        (0, "1 or more"),
        (True, "1 or more"),
    ):
        data = json.loads(to_json(value)) | {"version": version}
        with pytest.raises(InputError, match=message):
            from_json(json.dumps(data))


# ---- how a file is written -----------------------------------------------------------------------


def test_the_file_appears_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.json"
    save(CAT, path)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"m\.json: cannot write there: no space left"):
        save(HOSTILE, path)
    assert load(path) == CAT
    assert names_in(tmp_path) == ["m.json"]


def test_a_link_is_replaced_and_never_followed(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim.txt", tmp_path / "m.json"
    victim.write_text("precious", encoding="utf-8")
    path.symlink_to(victim)
    save(CAT, path)
    assert victim.read_text(encoding="utf-8") == "precious"
    assert not path.is_symlink()
    assert load(path) == CAT


def test_a_link_that_waits_at_the_temporary_name_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("precious", encoding="utf-8")
    monkeypatch.setattr(os, "urandom", lambda _: b"guessed")
    (tmp_path / f".m.json.{b'guessed'.hex()}.tmp").symlink_to(victim)
    with pytest.raises(FileError, match=r"m\.json: cannot write there: file exists"):
        save(CAT, tmp_path / "m.json")
    assert victim.read_text(encoding="utf-8") == "precious"


def test_nothing_but_files_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match="no ordinary file"):
        save(CAT, tmp_path / "folder.json")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(InputError, match="no ordinary file"):
        save(CAT, tmp_path / "pipe.json")
    (tmp_path / "null.json").symlink_to(os.devnull)
    with pytest.raises(InputError, match="no ordinary file"):
        save(CAT, tmp_path / "null.json")


def test_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    save(CAT, path)
    path.chmod(0o600)
    save(HOSTILE, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_overwriting_can_be_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    save(CAT, path, overwrite=False)
    with pytest.raises(InputError, match="the file exists"):
        save(HOSTILE, path, overwrite=False)
    assert load(path) == CAT
    assert names_in(tmp_path) == ["m.json"]


def test_a_missing_folder_is_named_by_the_name_given(tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"nowhere/m\.json: there is no folder '.*nowhere' to write to"
    ):
        save(CAT, tmp_path / "nowhere" / "m.json")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "m.json")


@pytest.mark.parametrize(
    ("value", "suffix", "known"),
    [
        (CAT, ".docx", r"\.csv \.tsv \.json"),
        (Stack({"a": CAT}), ".npy", r"\.html \.htm \.xlsx$"),
    ],
)
def test_an_unknown_suffix(value: Any, suffix: str, known: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=known):
        save(value, tmp_path / f"m{suffix}")


def test_half_a_character(tmp_path: Path) -> None:
    m = ConfusionMatrix([[1, 2], [3, 4]], ["\ud800", "b"])
    save(m, tmp_path / "m.json")
    assert load(tmp_path / "m.json") == m
    with pytest.raises(InputError, match="half a character"):
        save(m, tmp_path / "m.csv")
    with pytest.raises(InputError, match="half a character"):
        write_text("\udc80", tmp_path / "x.txt")


def test_what_json_cannot_hold_is_an_error_before_a_file_is_touched(tmp_path: Path) -> None:
    m = ConfusionMatrix([[1, 2], [3, 4]], [frozenset({1}), frozenset({2})])
    with pytest.raises(LabelError, match=r"m\.relabel"):
        save(m, tmp_path / "m.json")
    with pytest.raises(InputError, match="can be stored, not dict"):
        to_json({})  # type: ignore[arg-type]
    assert names_in(tmp_path) == []


# ---- hostile files -------------------------------------------------------------------------------

GOOD = to_json(CAT)


def edited(**fields: Any) -> str:
    return json.dumps(json.loads(GOOD) | fields)


BROKEN: dict[str, tuple[str, bytes | str, str]] = {
    "empty": (".json", b"", "the file is empty"),


    "truncated": (".json", GOOD[:130], "line 5, column 20: this is no JSON"),

    "UTF-16": (".json", GOOD.encode("utf-16"), "line 1: byte 0 (0xff) is no UTF-8; it looks like UTF-16"),


    "NaN": (".json", GOOD.replace("[4, 1, 1]", "[NaN, 1, 1]"), "NaN is no number"),



    "many digits": (".json", GOOD.replace("[4, 1", f"[{'9' * 5000}, 1"), "integer of too many digits"),

    "negative": (".json", GOOD.replace("[4, 1", "[-4, 1"), "zero or more"),
    "text": (".json", GOOD.replace("[4, 1", '["4", 1'), "must be numbers"),


    "names": (".json", edited(labels={"kind": "object", "names": {"tuple": [1]}}), "stored labels"),
    "twice": (".json", GOOD.replace('"version": 1', '"version": 1, "version": 1'), "the field 'version' twice"),

    "rows": (".json", '[{"y": 1, "yhat": 2}]', "a list of rows; written as JSON lines, one row a line, it counts"),



    "no labels": (".json", edited(labels=None), "needs `labels`"),




    "ragged JSON": (".json", edited(counts=[[1, 2, 3], [4, 5], [6]]), "`counts`"),
    "cells": (".json", edited(counts=None, counts_cells=[[0, 9, 1]]), "counts"),

    "transposed": (".json", edited(rows="predicted"), "stored `rows` must be 'actual'"),
    "ragged": (".csv", "actual\\predicted,a,b\na,1,2\nb,3\n", "row 3 of the table has 2 cells where the first has 3"),
    "no number": (".csv", "actual\\predicted,a,b\na,1,2\nb,3,x\n", "row 'b', column 'b': 'x' is no count or weight"),

    "empty cell": (".csv", ",a,b\na,1,2\nb,3,\n", "row 'b', column 'b': the cell is empty"),



    "long field": (".csv", f"actual\\predicted,{'a' * 200_000}\n", "line 1: field larger than field limit"),

    "header": (".csv", "actual\\predicted,a,b\n", "nothing below it"),

    "long twice": (".csv", "actual,predicted,count\na,b,1\na,b,2\n", "the pair 'a', 'b' has come before"),


    "report": (".csv", report(CAT).to_csv(), "this is a report; of its files, only .json"),

    "bomb": (".tex", r"\begin{tabular}{l}" + r"\multicolumn{99999}{c}{x} &" * 50 + r"\end{tabular}", "nothing below"),

    "pycm": (".obj", '{"Matrix": []}', "PyCM reads the files of its save_obj: confmat.io.from_pycm"),
    "blank": (".json", b"\xef\xbb\xbf \n", "the text is empty"),
    "deep": (".json", "[" * 200_000, "nested too deeply"),
    "1e400": (".json", GOOD.replace("[4, 1, 1]", "[1e400, 1, 1]"), "more than a float holds"),
    "table": (".json", "[[1, 2], [3, 4]]", "a bare table, which read_printed takes"),
    "blank table": (".csv", b"\n\n", "the text is empty"),
    "1e400 cell": (".tsv", "\ta\tb\na\t1\t2\nb\t3\t1e400\n", "row 'b', column 'b': '1e400' is more than a float holds"),
    "not square": (".csv", "1,2,3\n4,5,6\n", "must be square"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_line_that_names_it(name: str, tmp_path: Path) -> None:
    suffix, content, message = BROKEN[name]
    path = tmp_path / f"x{suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfmatError, match=r".") as caught:
        load(path)
    told = str(caught.value)
    assert told.startswith(f"{path}: ")
    assert message in told
    assert "\n" not in told
    assert len(told) < 400 + len(str(path))


def test_a_file_that_is_too_large_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_MOST", 2**20)
    path = tmp_path / "x.json"
    with path.open("wb") as stream:
        stream.truncate(2**30)
    with pytest.raises(BudgetError, match="too large to read a matrix from"):
        load(path)


def test_declared_sizes_reserve_no_memory() -> None:
    cells = edited(
        labels={"kind": "int", "names": list(range(100_000))}, counts_cells=[[0, 99_999, 3]]
    )
    data = {k: v for k, v in json.loads(cells).items() if k not in {"counts", "seal"}}
    m = from_json(json.dumps(data))
    assert isinstance(m, ConfusionMatrix)
    assert m.is_sparse
    assert from_json(to_json(m)) == m


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".csv.gz", ".xlsx"])
def test_a_file_of_rows_is_not_loaded(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"m{suffix}"
    path.write_bytes(b'{"actual": "a", "predicted": "a", "count": 3}\n\xff')
    with pytest.raises(
        InputError, match=rf"m{re.escape(suffix)}: load reads \.json, \.csv, .* \.tex"
    ) as caught:
        load(path)
    assert ("confmat.count_files" in str(caught.value)) == (suffix != ".xlsx")


def test_the_summary_of_a_stack_is_not_loaded(tmp_path: Path) -> None:
    save(count(["a", "b"], ["a", "a"], by=[1, 2]), tmp_path / "s.csv")
    with pytest.raises(
        InputError, match=r"s\.csv: this is the summary of a stack; its counts are in \.json alone"
    ):
        load(tmp_path / "s.csv")


def test_options_belong_to_tables(tmp_path: Path) -> None:
    save(CAT, tmp_path / "m.json")
    with pytest.raises(InputError, match="leave out rows"):
        load(tmp_path / "m.json", rows="predicted")


@pytest.mark.parametrize("header", ["y_true,y_pred,n", "actual,predicted,count"])
def test_a_table_of_counts_under_names_of_others_has_a_note(header: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text(f"{header}\na,a,3\na,b,1\nb,b,2\n")
    found = load(tmp_path / "pairs.csv")
    assert found == count([*"aaaabb"], [*"aaabbb"])
    said = [(note.kind, note.names, note.count) for note in found.notes]
    assert said == ([("counts", (("n",),), 3 + 1 + 2)] if header == "y_true,y_pred,n" else [])
