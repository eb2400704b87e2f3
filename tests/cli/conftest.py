"""The command line in this process, with files to work on."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import confmat as cm

click = pytest.importorskip("click")

Run = Callable[..., tuple[int, str, str]]
Told = Callable[..., str]
Counted = Callable[..., Any]

PREDS = "id,site,y_true,y_pred,w\n1,n,cat,cat,1\n2,n,cat,hen,2\n3,s,hen,hen,3\n4,s,hen,hen,1\n5,n,cat,cat,1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with preds.csv, below no pyproject.toml of anybody."""
    (tmp_path / "preds.csv").write_text(PREDS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    # Programs started from another directory find the package that is tested.
    monkeypatch.setenv("PYTHONPATH", str(Path(cm.__file__).resolve().parents[1]))
    return tmp_path


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command line: exit status, standard output, standard error.

    A text is the words of a line; a word with blanks stands in a list of its own.
    """
    from confmat.cli import main

    del folder

    def runs(*line: Any, stdin: str | bytes | None = None) -> tuple[int, str, str]:
        if stdin is not None:
            import io
            import sys

            data = stdin.encode() if isinstance(stdin, str) else stdin
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capfd.readouterr()
        with pytest.raises(SystemExit) as caught:
            main(words_of(line))
        found = capfd.readouterr()
        status = caught.value.code
        assert isinstance(status, int)
        return status, found.out, found.err

    assert os.environ.get("_CONFMAT_COMPLETE") is None
    return runs


def words_of(line: Iterable[Any]) -> list[str]:
    """The words of texts; a path is one, and a list has them as they are."""
    return [
        str(word)
        for part in line
        for word in (
            part.split() if isinstance(part, str) else part if isinstance(part, list) else [part]
        )
    ]


@pytest.fixture
def ok(run: Run) -> Told:
    """Standard output of a command that has nothing to remark."""

    def prints(*line: Any, stdin: str | bytes | None = None) -> str:
        status, out, err = run(*line, stdin=stdin)
        assert (status, err) == (0, "")
        return out

    return prints


@pytest.fixture
def no(run: Run) -> Told:
    """The message of a refusal: one line, perhaps a hint, nothing printed, no traceback."""

    def says(*line: Any, stdin: str | bytes | None = None) -> str:
        status, out, err = run(*line, stdin=stdin)
        assert (status, out) == (2, ""), err
        first, *rest = err.splitlines()
        assert first.startswith("confmat: ")
        assert all(line.startswith("Try 'confmat ") for line in rest)
        return first.removeprefix("confmat: ")

    return says


@pytest.fixture
def counted(ok: Told) -> Counted:
    """The matrix or the stack that a command gives."""

    def gives(*line: Any, stdin: str | bytes | None = None) -> Any:
        return cm.io.from_json(ok(*line, "-f json -q", stdin=stdin))

    return gives


def inspect(path: Path, said: str = "no", epochs: int = 1, model: str = "m") -> None:
    """A log of Inspect, in which a quarter of the answers are these."""
    answers = [("yes", "yes"), ("yes", said), ("no", "no"), ("no", "well")] * 4
    samples = [
        {
            "id": n, "epoch": epoch, "input": f"Which {n}?", "target": target,
            "metadata": {"site": "ns"[n // 4 % 2], "level": (2, 10, 1)[n % 3]},
            "scores": {"match": {"value": "C" if target == answer else "I", "answer": answer}},
        }
        for epoch in range(1, epochs + 1)
        for n, (target, answer) in enumerate(answers)
    ]  # fmt: skip
    head = {"version": 2, "status": "success", "eval": {"model": model}}
    if path.suffix == ".json":
        path.write_text(json.dumps({**head, "samples": samples}))
        return
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(head))
        archive.writestr("summaries.json", json.dumps(samples))
