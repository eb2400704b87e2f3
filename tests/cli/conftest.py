"""The command line in this process, with files to work on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import confmat as cm

click = pytest.importorskip("click")

Run = Callable[..., tuple[int, str, str]]

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
    """Run the command line: exit status, standard output, standard error."""
    from confmat.cli import main

    del folder

    def runs(*arguments: str, stdin: str | bytes | None = None) -> tuple[int, str, str]:
        if stdin is not None:
            import io
            import sys

            data = stdin.encode() if isinstance(stdin, str) else stdin
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capfd.readouterr()
        with pytest.raises(SystemExit) as caught:
            main(list(arguments))
        found = capfd.readouterr()
        status = caught.value.code
        assert isinstance(status, int)
        return status, found.out, found.err

    assert os.environ.get("_CONFMAT_COMPLETE") is None
    return runs
