"""The law of logs: each command takes logs of evaluations as files, or says in a line what to do instead."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import confmat as cm

click = pytest.importorskip("click")

from confmat.cli import main  # noqa: E402
from confmat.cli.program import COMMANDS, command_named  # noqa: E402
from tests.cli.conftest import inspect  # noqa: E402

# The files of each input; each answer in them has a topic and a level.
INPUTS = {
    "one": ["old.eval"],
    "one in lines": ["samples_quiz_1.jsonl"],
    "one in JSON": ["old.json"],
    "two": ["old.eval", "new.eval"],
    "two with epochs": ["often.eval", "again.eval"],
    "with rows": ["old.eval", "rows.csv"],
    "with a matrix": ["old.eval", "m.json"],
    "with epochs": ["often.eval"],
    "a folder": ["logs"],
    "of several models": ["two.json"],
    "unread": ["unread.eval"],
}
# The inputs that options are tried on.
SOME = {"one", "two with epochs", "with rows", "of several models"}
# The options that a command needs besides its files, and the ways to ask that its settings declare.
NEEDED = {
    "plan": ["--margin", "0.02"],
    "html": ["-o", "page.html"],
    "gate": ["--no-worse", "accuracy=0.9"],
    "audit": ["--claim", "accuracy=0.5"],
    "thresholds": ["--scores", "p"],
    "calibration": ["--scores", "p"],
}
ASKED = {
    "by": [["--by", "site"], ["--by", "model"], ["--by", "level"], ["--by", "sample"]],
    "examples": [["--examples", "input,site"], ["--examples", "input", "--by", "site"]],
    "compare": [["--compare"]],
    "intervals": [["--intervals"]],
    "predicted": [["-p", "verdict"]],
    "predictions": [["-p", "verdict"]],
    "judge": [["--judge", "a", "--gold", "b"]],
    "same_items": [["--different-items"]],
}
# Files of tags are read as text, whatever they are called.
COUNTING = {
    name: kind
    for name in COMMANDS
    if name != "spans"
    and (kind := getattr(command_named(name), "kind", None))
    and {"files", "file"} & kind.declared.keys()
}
DOORS = [
    [name, *more]
    for name, kind in COUNTING.items()
    for more in (
        [],
        *(way for asked, ways in ASKED.items() if asked in kind.declared for way in ways),
    )
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    inspect(tmp_path / "old.eval")
    inspect(tmp_path / "new.eval", "yes")
    inspect(tmp_path / "old.json")
    inspect(tmp_path / "often.eval", epochs=3)
    inspect(tmp_path / "again.eval", "yes", epochs=3)
    inspect(tmp_path / "unread.eval", "a gap")
    (tmp_path / "logs").mkdir()
    inspect(tmp_path / "logs" / "old.eval")
    inspect(tmp_path / "logs" / "new.eval", "yes")
    (tmp_path / "rows.csv").write_text("y_true,y_pred\nyes,no\nno,no\n")
    cm.save(cm.ConfusionMatrix([[4, 4], [4, 4]], ["no", "yes"]), tmp_path / "m.json")
    lines = [
        {
            "doc_id": n, "doc": {"site": "n", "level": n}, "target": str(n % 2), "filter": "none", "metrics": ["acc"],
            "arguments": {f"gen_args_{i}": {"arg_0": "Which?", "arg_1": text} for i, text in enumerate(("no", "yes"))},
            "filtered_resps": [["-1", "False"], ["-2", "False"]], "acc": float(n % 2 == 0),
        }
        for n in range(8)
    ]  # fmt: skip
    (tmp_path / "samples_quiz_1.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines)
    )
    results = [
        {
            "promptIdx": place, "provider": {"id": model}, "prompt": {"raw": "?"},
            "vars": {"site": "n", "level": n % 4},
            "testCase": {"assert": [{"type": "equals", "value": "ab"[n % 2]}]}, "response": {"output": "a"},
            "failureReason": n % 2, "success": n % 2 == 0,
        }
        for n in range(16)
        for place, model in enumerate("ab")
    ]  # fmt: skip
    log = {"evalId": "eval-1", "results": {"version": 3, "timestamp": "", "results": results}}
    (tmp_path / "two.json").write_text(json.dumps(log))
    return tmp_path


def outcome(words: list[str]) -> tuple[Any, str, str]:
    out, err, status = io.StringIO(), io.StringIO(), None
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            main(words)
        except SystemExit as ended:
            status = ended.code
    return status, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("door", DOORS, ids=" ".join)
def test_logs_are_files_at_every_door(
    door: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    isfile = os.path.isfile

    def counted(path: Any) -> bool:
        if sys._getframe(1).f_code.co_name == "log_at":
            looks.append(os.fspath(path))
        return isfile(path)

    monkeypatch.setattr("os.path.isfile", counted)
    for name, files in INPUTS.items():
        if door[1:] and name not in SOME:
            continue
        looks.clear()
        given = files if "files" in COUNTING[door[0]].declared else files[:1]
        status, out, err = outcome([door[0], *given, *door[1:], *NEEDED.get(door[0], [])])
        said = err.strip().splitlines()
        assert status in {0, 1, 2}, (name, status, err)
        assert "Traceback" not in err
        if status == 2:
            # A line that names what is wrong with these files, or the option that says more.
            assert not out, (name, out)
            assert len(said) == 1, (name, err)
            clear = ("log", "--", "holds rows", "holds a", "no column", "folder", "two", *given)
            assert any(word in said[0] for word in clear), said
            assert not any(word in said[0] for word in ("strat", "'{\"", "UTF-8", "={")), said
        assert len(looks) == len(set(looks)), (name, looks)


def test_what_each_command_makes_of_logs_is_what_python_makes(folder: Path) -> None:
    """The doors that work do the same as `count_files` of the same files."""
    for files in (
        INPUTS[name]
        for name in ("one", "one in lines", "one in JSON", "two", "a folder", "of several models")
    ):
        for by in ([], ["--by", "model"], ["--by", "level"]):
            if by[1:] == ["level"] and files == ["two.json"]:
                continue
            status, out, err = outcome(["count", *files, *by, "-f", "csv"])
            assert status == 0, err
            found = cm.count_files(files, by=by[1]) if by else cm.count_files(files)
            if isinstance(found, cm.ConfusionMatrix):
                assert out == cm.io.written(found, "csv")
            else:
                assert (
                    sum(float(line.rpartition(",")[2]) for line in out.splitlines()[1:])
                    == found.total.sum()
                )
    # Samples that two logs share are one cluster each.
    inspect(folder / "same.eval", epochs=3)
    inspect(folder / "whole.eval", epochs=6)
    whole, both = (cm.count_files(files) for files in ("whole.eval", ["often.eval", "same.eval"]))
    assert cm.interval(both, "accuracy").low == pytest.approx(cm.interval(whole, "accuracy").low)
