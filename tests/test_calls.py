"""Small calls stay small: how many functions of Python they call, and what of SciPy they load."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm

Counts = NDArray[np.int64]
TABLE = np.random.default_rng(0).integers(1, 900, (10, 10))
M = cm.ConfusionMatrix(TABLE, [f"class {i}" for i in range(10)])


def calls(call: Callable[[], object]) -> int:
    """The functions of Python that are called, after a first time that loads what is needed."""
    call()
    many = 0

    def seen(_: object, event: str, __: object) -> None:
        nonlocal many
        many += event == "call"

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        call()
    finally:
        sys.setprofile(before)
    return many


def test_a_print_takes_few_calls() -> None:
    assert calls(lambda: str(M)) <= 500


def fresh(counts: Counts) -> cm.ConfusionMatrix:
    """A matrix of which nothing has been read."""
    return cm.ConfusionMatrix(counts, ["cat", "dog", "fish", "hen", "owl"][: len(counts)])


def test_the_interval_of_a_share_takes_few_calls() -> None:
    assert calls(lambda: cm.interval(fresh(TABLE[:5, :5]), "accuracy")) <= 200


@pytest.mark.parametrize(
    "new", [TABLE[5:, 5:], TABLE[:5, 4::-1]], ids=["other items", "the same items"]
)
def test_a_comparison_takes_each_derivative_once(new: Counts) -> None:
    assert calls(lambda: cm.compare({"old": fresh(TABLE[:5, :5]), "new": fresh(new)})) <= 7_000


def test_a_report_of_two_classes_with_intervals_takes_few_calls() -> None:
    assert calls(lambda: cm.report(fresh(np.array([[41, 10], [6, 72]])), intervals=True)) <= 16_000


def test_a_comparison_loads_no_more_of_scipy_than_special_functions() -> None:
    program = """
import sys
import confmat as cm
m = cm.ConfusionMatrix([[41, 10], [6, 72]], ["cat", "hen"])
str(cm.compare({"old": m, "new": m + m}))
str(cm.compare_predictions([0, 1] * 9, {"old": [0, 0, 1] * 6, "new": [0, 1] * 9}))
print(*[name for name in ("scipy.special", "scipy.stats", "scipy.optimize") if name in sys.modules])
"""
    assert subprocess.check_output([sys.executable, "-c", program], text=True).split() == [
        "scipy.special"
    ]


def test_a_report_of_few_items_loads_no_scipy(tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("truth,answer\na,b\nb,b\na,a\n")
    program = """
import runpy, sys
sys.argv = ["confmat", "report", "few.csv", "-a", "truth", "-p", "answer"]
try:
    runpy.run_module("confmat", run_name="__main__")
except SystemExit:
    print(*[name for name in sys.modules if name.startswith("scipy")], file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert "accuracy" in done.stdout
    assert done.stderr.strip() == ""
