"""Import: what does it cost, compared with NumPy, which we need and our users have anyway.

Each measurement is a fresh interpreter that times its one import itself. Compiled files are kept in
a folder of our own meanwhile, since where Python may not write them every import would compile its
sources anew.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.harness import OURS, Effort, Entry, Race, main

__all__ = ["races"]

WITH_METRICS = "confmat, its metrics too"
# They are loaded when the first of them is asked for.
STATEMENTS = {WITH_METRICS: "confmat; confmat.f1"}
PROGRAM = "from time import {clock} as clock; begin = clock(); import {0}; print(clock() - begin)"


def races(effort: Effort) -> Iterator[Race]:
    """The two imports, ours with its metrics too, and two peers' for scale, taking turns."""
    often = effort.pick(40, 12)
    rounds = {"numpy": often, OURS: often, WITH_METRICS: often, "pandas": 3, "sklearn.metrics": 3}
    entries = {name: Entry(1) for name in rounds}
    with tempfile.TemporaryDirectory() as compiled:
        for name in rounds:
            seconds_of(name, compiled)  # The first time compiles and fills the system's cache.
        for turn in range(max(rounds.values())):
            for name, number in rounds.items():
                if turn < number:
                    entries[name].samples.append(seconds_of(name, compiled, cpu=effort.cpu))
    yield Race("import", "import in a fresh interpreter", entries)


def seconds_of(name: str, compiled: str, *, cpu: bool = False) -> float:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    program = PROGRAM.format(
        STATEMENTS.get(name, name), clock="process_time" if cpu else "perf_counter"
    )
    command = [sys.executable, "-W", "ignore", "-c", program]
    return float(
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    )


if __name__ == "__main__":
    main(races)
