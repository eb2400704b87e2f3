"""A million classes: the time to count, and whether memory is in proportion to the cells that are not zero.

The whole table would take 8 TB. Time is compared with NumPy's sort-unique of the combined key, the
shortest correct program for a caller who knows the number of classes. Memory is what the peak of a
fresh process rises by while it counts, its input excluded.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Entry, Race, contest, main

__all__ = ["races"]

CLASSES = 1_000_000
UNIQUE = "numpy.unique of the combined key"

Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """Time, then memory."""
    yield time_of(effort)
    if Path("/proc/self/clear_refs").exists():
        yield memory_of(effort)


def pairs_over(classes: int) -> tuple[Array, Array]:
    """One pair for each class, which is right in half of the cases: about as many cells as pairs."""
    rng = np.random.default_rng(0)
    actual = rng.permutation(classes)
    predicted = actual.copy()
    wrong = rng.random(classes) < 0.5
    predicted[wrong] = rng.integers(0, classes, int(wrong.sum()))
    return actual, predicted


def combined(actual: Array, predicted: Array, size: int) -> tuple[Array, Array]:
    return np.unique(actual * size + predicted, return_counts=True)


def cells(matrix: cm.ConfusionMatrix) -> Array:
    """The cells that are not zero: combined keys, and how many pairs are in each."""
    size = len(matrix.labels)
    found = np.array([(row * size + col, number) for (row, col), number in matrix.pairs().items()])
    return found[np.argsort(found[:, 0])].T


def time_of(effort: Effort) -> Race:
    actual, predicted = pairs_over(CLASSES)
    expected = np.array(combined(actual, predicted, CLASSES))
    known = cm.Labels(range(CLASSES))

    def one(name: str, call: Any, table: Any = np.array) -> Contestant:
        return Contestant(name, len(actual), call, expected, table)

    return contest(
        "sparse time",
        "10⁶ pairs over 10⁶ classes",
        [
            one(OURS, partial(cm.count, actual, predicted), cells),
            one("confmat, Labels given", partial(cm.count, actual, predicted, labels=known), cells),
            one(UNIQUE, partial(combined, actual, predicted, CLASSES)),
        ],
        effort,
        seconds=10,
    )


# ---- memory --------------------------------------------------------------------------------------


def memory_of(effort: Effort) -> Race:
    """Bytes per cell at a million cells and at a quarter of them: in proportion, they are the same."""
    most = effort.pick(4 * CLASSES, CLASSES)
    entries = {}
    for name, program, pairs in (
        (OURS, "confmat", most),
        ("a quarter of the cells", "confmat", most // 4),
        (UNIQUE, "unique", most),
    ):
        entries[name] = Entry(pairs, [peak_of(program, pairs) for _ in range(effort.pick(3, 1))])
    return Race(
        "sparse memory",
        f"peak memory of counting {most:,} pairs over as many classes",
        entries,
        unit="B",
    )


def peak_of(program: str, pairs: int) -> float:
    """The measurements that a fresh process takes of itself."""
    command = [sys.executable, "-m", "benchmarks.sparse", program, str(pairs)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure_peak(program: str, pairs: int) -> int:
    """By how many bytes the peak of this process rises while it counts."""
    count = cm.count if program == "confmat" else partial(combined, size=pairs)
    # Once on a few pairs, so that code which is loaded late is not taken for data.
    count(*pairs_over(1000))
    actual, predicted = pairs_over(pairs)
    # The peak so far is forgotten; getrusage's ru_maxrss never forgets, not even its parent's.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = status("VmRSS")
    count(actual, predicted)
    return status("VmHWM") - before


def status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[2].isdigit():
        print(measure_peak(sys.argv[1], int(sys.argv[2])))
    else:
        main(races)
