"""The fixture of confmat.pytest, in a project of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import confmat as cm

TESTS = """
import confmat as cm
import numpy as np
import pytest

truth = np.repeat([0, 1], 500)
base = np.where(np.arange(1000) % 10, truth, 1 - truth)
new = np.where(np.arange(1000) % 50 != 1, base, 1 - truth)
found = cm.compare_predictions(truth, {"base": base, "new": new}, level=0.9)

def test_passes(assert_no_worse):
    assert_no_worse(found, "accuracy", 0.03)
    assert_no_worse(found, "f1.macro", 0.03)
    several = cm.compare_predictions(truth, {"base": base, "new": new, "other": new}, level=0.9)
    assert_no_worse(several, "accuracy", 0.05, first="base", second="other")

def test_fails(assert_no_worse):
    assert_no_worse(found, "accuracy", 0.01)

def test_is_undecided(assert_no_worse):
    assert_no_worse(found, "accuracy", 0.02, undecided="pass")
    assert_no_worse(found, "accuracy", 0.02)

def test_is_misspelt(assert_no_worse):
    with pytest.raises(cm.InputError, match="undecided"):
        assert_no_worse(found, "accuracy", 0.02, undecided="skip")
"""


@pytest.mark.slow
def test_the_fixture_fails_where_a_model_is_worse_or_may_be(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["confmat.pytest"]\n')
    (tmp_path / "test_model.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-q",
        "-W",
        "error",
        str(tmp_path),
    ]
    environment = os.environ | {"PYTHONPATH": str(Path(cm.__file__).parents[1])}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "2 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert "new no worse than base by 0.01: worse. accuracy: base 0.900, new 0.880" in done.stdout
    assert "new no worse than base by 0.02: undecided. accuracy:" in done.stdout
