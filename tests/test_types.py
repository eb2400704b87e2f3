"""Type checkers over the code of a user: what metrics give has a type, and a misspelt name is an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "tests/data/typed_use.py"


def wrong_lines() -> list[int]:
    """Return the lines of the sample that are marked as errors."""
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if line.endswith("# error")]


def output(*command: str) -> str:
    """Return the report of a checker, a module of this Python, on the sample."""
    environment = {**os.environ, "MYPYPATH": "src", "PYTHONPATH": "src"}
    run = subprocess.run(
        [sys.executable, "-m", *command, str(SAMPLE)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode in {0, 1}, run.stdout + run.stderr
    return run.stdout


def test_mypy_knows_the_types() -> None:
    pytest.importorskip("mypy")
    report = output(
        "mypy", "--strict", "--follow-imports=silent", "--no-error-summary", "--no-pretty"
    )
    errors = [line for line in report.splitlines() if ": error: " in line]
    assert sorted({int(line.split(":")[1]) for line in errors}) == wrong_lines(), report


def test_pyright_knows_the_types() -> None:
    pytest.importorskip("pyright")
    report = json.loads(output("pyright", "--outputjson", "--pythonpath", sys.executable))
    errors = [each for each in report["generalDiagnostics"] if each["severity"] == "error"]
    assert sorted({each["range"]["start"]["line"] + 1 for each in errors}) == wrong_lines(), errors
