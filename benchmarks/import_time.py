"""Import: what does it cost, compared with NumPy, which we need and our users have anyway.

Each measurement is a fresh interpreter that times its one import itself; files are in the system's cache.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.harness import OURS, Effort, Entry, Race, main

__all__ = ["races"]

PROGRAM = "import time; begin = time.perf_counter(); import {0}; print(time.perf_counter() - begin)"


def races(effort: Effort) -> Iterator[Race]:
    """The two imports, and two peers' for scale, taking turns."""
    rounds = {"numpy": effort.pick(40, 12), OURS: effort.pick(40, 12), "pandas": 3, "sklearn.metrics": 3}
    entries = {name: Entry(1) for name in rounds}
    for name in rounds:
        seconds_of(name)  # The first time compiles and fills the system's cache.
    for turn in range(max(rounds.values())):
        for name, often in rounds.items():
            if turn < often:
                entries[name].samples.append(seconds_of(name))
    yield Race("import", "import in a fresh interpreter", entries)


def seconds_of(name: str) -> float:
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM.format(name)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    main(races)
