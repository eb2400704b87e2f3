"""`confmat html`: one page of files, stored matrices or a stream."""

from __future__ import annotations

import json
import re
import webbrowser
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from tests.cli.conftest import Run

M = cm.count(["cat", "cat", "hen", "hen", "cat"], ["cat", "hen", "hen", "hen", "cat"])


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_files_become_a_page_in_one_file(run: Run, folder: Path) -> None:
    status, out, err = run("html preds.csv -o page.html")
    assert (status, out) == (0, "")
    assert re.fullmatch(r"confmat: page\.html written, \d+ kB\n", err)
    assert (folder / "page.html").read_text(encoding="utf-8") == cm.html(M, title="preds")
    assert run("html preds.csv -q --title", ["My <birds>"])[1:] == ("", "")
    assert "<title>My &lt;birds&gt;</title>" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_stream_becomes_a_page_on_standard_output(run: Run, folder: Path) -> None:
    text = (folder / "preds.csv").read_text()
    assert run("html - -o -", stdin=text) == (0, cm.html(M), "")


def test_examples_are_the_rows_behind_each_confusion(run: Run, folder: Path) -> None:
    assert run("html preds.csv -q --examples id,site")[0] == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert data_of(page)["examples"] == {
        "columns": ["id", "site"],
        "cells": {"0,1": {"seen": 1, "rows": [["2", "n"]]}},
    }


def test_groups_and_files_are_compared(run: Run, folder: Path) -> None:
    assert run("html preds.csv -q --by site")[0] == 0
    data = data_of((folder / "report.html").read_text(encoding="utf-8"))
    assert (data["axis"], [model["name"] for model in data["models"]]) == ("site", ["n", "s"])
    assert data["compares"]
    cm.save(M, folder / "old.json")
    cm.save(M + M, folder / "new.json")
    assert run("html old.json new.json -q --compare")[0] == 0
    models = data_of((folder / "report.html").read_text(encoding="utf-8"))["models"]
    assert [(model["name"], model["total"]) for model in models] == [("old", 5), ("new", 10)]
    # Without a wish to compare them, matrices are added, as by every command.
    assert run("html old.json new.json -q")[0] == 0
    (model,) = data_of((folder / "report.html").read_text(encoding="utf-8"))["models"]
    assert model["total"] == 15


def test_open_opens_the_page(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert run("html preds.csv -q --open")[0] == 0
    assert opened == [(folder / "report.html").resolve().as_uri()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "- --examples id",
            "--examples reads the files once more, and standard input can be read once",
        ),
        ("old.json --examples id", "--examples are rows, and old.json is a stored matrix"),
        ("old.json -o old.json", "old.json is an input and would be overwritten"),
        ("old.json -o - --open", "--open needs a file"),
        (
            "old.json old.json --compare",
            "two models are called old.json; tell them apart with --names old,new",
        ),
        ("report.json", "this is a report, and no counts can be had from it"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(
    run: Run, folder: Path, arguments: str, message: str
) -> None:
    cm.save(M, folder / "old.json")
    cm.save(cm.report(M), folder / "report.json")
    cm.save(cm.Stack({"a": M}), folder / "stack.json")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    status, out, err = run("html", arguments, stdin="y_true,y_pred\na,a\n")
    assert (status, out) == (2, "")
    assert message in err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_answers_of_several_models_are_compared_item_by_item(run: Run, folder: Path) -> None:
    rows = [
        ("1", "cat", "hen", "cat"),
        ("2", "cat", "cat", "cat"),
        ("3", "hen", "hen", "cat"),
        ("4", "cat", "hen", "cat"),
    ]
    (folder / "two.csv").write_text(
        "id,y,old,model_2\n" + "".join(",".join(row) + "\n" for row in rows * 20)
    )
    settings = ("-a y -p old -p new=model_2 --examples id -o two.html",)
    assert run("html two.csv -q", *settings) == (0, "", "")
    page = (folder / "two.html").read_text(encoding="utf-8")
    truth, old, new = ([row[at] for row in rows * 20] for at in (1, 2, 3))
    found = cm.compare_predictions(truth, {"old": old, "new": new})
    data = data_of(page)
    (test,) = data["tests"]["pairs"]
    assert [model["name"] for model in data["models"]] == ["old", "new"]
    assert test["overall"][0][:2] == [
        round(found.of("accuracy").low, 6),
        round(found.of("accuracy").high, 6),
    ]
    assert "answers of all models" in data["tests"]["how"]
    status, _, err = run("html two.csv", *settings, "--by id")
    assert (
        status,
        "--by parts one model; confmat compare --by compares columns in each category" in err,
    ) == (2, True)
